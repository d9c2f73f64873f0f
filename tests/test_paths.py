"""Paths through the book: minutes, sums, closure under prerequisites, what is practised and collected."""

import json
import re

import pytest
from test_prerequisites import AHEAD, NEEDS, stated, used
from toc import ROOT, notebook_cells

from ldpcourse.exercises import EXERCISES
from ldpcourse.problems import PROBLEMS
from ldpcourse.teaching import reading
from ldpcourse.teaching.paths import EXERCISE, PATHS, PROBLEM, Path, Portion, Week
from ldpcourse.teaching.reading import Section, sections


def texts(chapter):
    """Text of each section of a chapter by its heading, with the descriptions of figures."""
    found = {"opening": ""}
    for cell in notebook_cells(f"book/{chapter}"):
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            found[[*found][-1]] += json.dumps(cell["metadata"].get("mystnb", ""))
            continue
        before, *others = re.split(r"^## ", source, flags=re.MULTILINE)
        found[[*found][-1]] += f"\n\n{before}"
        found.update(other.split("\n", 1) for other in others)
    return found


TEXTS = {chapter: texts(chapter) for chapter in NEEDS}
HOME = {
    label: (chapter, heading)
    for chapter, parts in TEXTS.items()
    for heading, text in parts.items()
    for label in {*stated(text), *re.findall(r'"name": "([\w-]+)"', text)}
    if not label.startswith("ex-")
}


def strangers(path):
    """Chapters and labels of sections to be read that no section read by then states."""
    read, found = set(), set()
    for week in (*path.after, *path.weeks):
        for each in week.read:
            headings = [section.heading for section in each.parts()[0]]
            read |= {(each.chapter, heading) for heading in headings}
            labels = used("\n".join(TEXTS[each.chapter][heading] for heading in headings)) & {*HOME}
            found |= {(each.chapter, label) for label in labels if HOME[label] not in read}
    return found


def untold(path):
    """Chapters, each with a prerequisite not read by then, if the path does not say what to tell instead."""
    read, found = set(), set()
    for week in (*path.after, *path.weeks):
        for each in week.read:
            missing = {(each.chapter, need) for need in NEEDS[each.chapter] if need not in read}
            assert missing or each.without or not each.instead, each.chapter
            found |= missing if not each.instead else set()
            read.add(each.chapter)
    return found


def test_section_minutes_follow_the_rates():
    section = Section("A", words=300, formulas=2, lines=24, shown=3)
    assert section.minutes == 300 / 150 + 2 * 1 + 24 * 5 / 60 + 3 / 2
    page = (ROOT / "book" / "teaching" / "syllabus.md").read_text(encoding="utf-8")
    assert "a minute for 150 words, a minute for a displayed formula, and half a minute for a figure" in page
    assert "A formula within a line takes five seconds, and so does a line of code" in page
    assert f"An exercise takes {EXERCISE} minutes, a problem with its explanation {PROBLEM}." in page


def test_sections_count_what_is_read(tmp_path, monkeypatch):
    def code(source, tags=(), outputs=()):
        return dict(cell_type="code", source=source, metadata={"tags": [*tags]}, outputs=[*outputs])

    def prose(source):
        return dict(cell_type="markdown", source=source, metadata={})

    theorem = "```{prf:theorem} Title\n:label: thm-one\n\nIf $a$, then\n\n$$\nb\n$$ (eq-b)\n```"
    cells = [
        prose("# One two\n\nthree"),
        code("hidden", ["remove-cell"]),
        prose(f"## Core\n\nFour words {{cite:p}}`known`.\n\n{theorem}"),
        code("x = 1\n\nprint(x)", outputs=["1"]),
        code("draw()\ndraw()", ["hide-input"], ["a figure"]),
        prose("## Far\n\nMore.\n\n```{live} panel\n```\n\n## Exercises\n\nTry it."),
    ]
    book = tmp_path / "book" / "part"
    book.mkdir(parents=True)
    notebook = {"metadata": {"ldpbook": {"deeper": ["Far"]}}, "cells": cells}
    (book / "one.ipynb").write_text(json.dumps(notebook))
    monkeypatch.setattr(reading, "_ROOT", tmp_path)
    found = sections("part/one")
    assert found["opening"] == Section("opening", words=3)
    # A theorem counts twice: its two words, its formula in a line, and its displayed formula.
    assert found["Core"] == Section("Core", words=2 + 2 * 2, formulas=2, lines=2 + 2, shown=2)
    assert found["Far"] == Section("Far", deeper=True, words=1, shown=1)
    assert [section.heading for section in found.values() if section.core] == ["opening", "Core"]
    assert found["Exercises"].practice


def test_deeper_sections_exist_in_every_chapter():
    for chapter in NEEDS:
        notebook = json.loads((ROOT / "book" / f"{chapter}.ipynb").read_text(encoding="utf-8"))
        deeper = {section.heading for section in sections(chapter).values() if section.deeper}
        assert deeper == {*notebook["metadata"]["ldpbook"].get("deeper", [])}, chapter


def test_minutes_of_a_week_add_up():
    here = Portion("foundations/crowdsourcing")
    week = Week((here, here), "", ("ex-crowd-forget",), ("round", "fingerprint"), other=7)
    assert week.reading == 2 * here.minutes
    assert week.own_work == week.reading + 30
    assert week.minutes == week.own_work + 2 * 45 + 7
    assert here.minutes == round(sum(s.minutes for s in sections(here.chapter).values() if s.core))


def test_readings_name_sections_that_exist():
    with pytest.raises(ValueError, match="no sections"):
        Portion("foundations/crowdsourcing", without=("Nowhere",)).parts()


def test_simulated_reader_agrees_with_the_rates():
    """The minutes that the page reports for the three chapters, estimated before the rates were set."""
    for chapter, estimate in {
        "foundations/local-privacy": 55,
        "sparse-answers/laplace": 44,
        "remedies/smaller-question": 88,
    }.items():
        assert Portion(chapter).minutes == pytest.approx(estimate, rel=0.2), chapter


@pytest.mark.parametrize("name", PATHS)
def test_paths_are_closed_under_prerequisites(name):
    assert strangers(PATHS[name]) <= AHEAD
    assert untold(PATHS[name]) == set()


@pytest.mark.parametrize("name", PATHS)
def test_week_fits_into_its_time(name):
    for number, week in PATHS[name].numbered():
        assert week.reading <= 195, number  # two lectures of 90 minutes, give or take a section
        if name == "six weeks":
            assert week.own_work <= 180, number
        assert week.minutes <= 375, number


@pytest.mark.parametrize("name", PATHS)
def test_practice_belongs_to_chapters_read_by_then(name):
    bank = (ROOT / "book" / "teaching" / "problems.md").read_text(encoding="utf-8")
    of_problem = dict(re.findall(r"^\| `(\w+)`\S* \|.*\{doc\}`/book/(.*)` \|$", bank, re.MULTILINE))
    assert {*of_problem} == {*PROBLEMS}
    path = PATHS[name]
    read = {each.chapter for week in path.after for each in week.read}
    for number, week in path.numbered():
        read |= {each.chapter for each in week.read}
        assert week.practice, number
        assert week.hand_in, number
        for label in week.practice:
            assert EXERCISES[label].chapter in read, label
        for problem in week.hand_in:
            assert of_problem[problem] in read, problem


@pytest.mark.parametrize(
    ("chapter", "terms"),
    [
        (
            "remedies/smaller-question",
            ["two kinds", "prior", "stated error", "best peer", "Fisher information"],
        ),
        ("whole-worker/again-and-again", ["probability mass", "with delta"]),
    ],
)
def test_terms_of_skipped_sections_are_told(chapter, terms):
    """The sections to be read use these words, and only skipped ones say what they mean."""
    [told] = [
        each.instead for week in PATHS["six weeks"].weeks for each in week.read if each.chapter == chapter
    ]
    assert all(term in told for term in terms)


def test_missing_prerequisites_are_detected():
    alone = Path((Week((Portion("sparse-answers/laplace"),), "", (), ()),))
    assert ("sparse-answers/laplace", "alg-truth") in strangers(alone)
    assert ("sparse-answers/laplace", "foundations/randomness") in untold(alone)
