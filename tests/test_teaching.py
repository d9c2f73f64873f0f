"""Syllabus, projects and exams: hours and points add up, and what is collected has no solution on a page."""

import contextlib
import io
import json
import re

import pytest
from mdit_py_plugins.anchors.index import slugify
from toc import CHAPTERS, PAGES, ROOT

from ldpcourse.exercises import EXERCISES
from ldpcourse.problems import PROBLEMS, WEEKS, variant
from ldpcourse.teaching import exams
from ldpcourse.teaching._statements import STATEMENTS
from ldpcourse.teaching.paths import PATHS
from ldpcourse.teaching.reading import sections

TEACHING = ROOT / "book" / "teaching"


def page(name):
    return (TEACHING / f"{name}.md").read_text(encoding="utf-8")


def tables(text, first):
    """Rows of all tables whose first column has that title, as dictionaries from titles to cells."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        title, _, *rows = [
            [cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines()
        ]
        if title[0] == first:
            found.append([dict(zip(title, row, strict=True)) for row in rows])
    return found


SYLLABUS = page("syllabus")
LONG = dict([*PATHS["twelve weeks"].numbered(), *PATHS["ten more weeks"].numbered()])


def named(cell):
    return re.findall(r"`([\w-]+)`", cell)


def test_every_chapter_has_its_row_and_its_week():
    rows = re.findall(r"\{doc\}`/book/([\w/-]+)` \| \{minutes\}`([\w/-]+)`", page("notes"))
    assert all(chapter == counted for chapter, counted in rows)
    assert sorted(f"book/{chapter}" for chapter, _ in rows) == sorted(CHAPTERS)
    read = sorted(f"book/{reading.chapter}" for week in LONG.values() for reading in week.read)
    assert read == sorted(CHAPTERS)
    assert list(LONG) == list(range(1, 23)) == list(WEEKS)


def test_hours_of_the_course_are_as_stated():
    weeks = PATHS["twelve weeks"].weeks
    said = re.search(
        r"(\d+) hours for the project after the lectures, (\d+) for preparing and (\d+) for writing the final"
        r", the course takes between (\d+) and (\d+) hours: six points",
        SYLLABUS,
    )
    project, preparing, final, least, most = map(int, said.groups())
    all_hours = 12 * (180 + 90) / 60 + sum(week.minutes for week in weeks) / 60 + project + preparing + final
    assert least <= all_hours <= most
    assert (least, most) == (6 * 25, 6 * 30)
    assert final * 60 == 120
    assert f"The {weeks[6].other} minutes of week 7 are for preparing the midterm" in SYLLABUS
    in_term = sum(week.other for week in weeks[7:]) / 60
    assert f"About {round(project + in_term)} hours per person" in page("projects")


def test_collected_problems_are_counted():
    named_problems = {name for week in PATHS["twelve weeks"].weeks for name in week.hand_in}
    collected = named_problems - {*exams.SHOWN_PROBLEMS}
    assert f"The paths name {len(named_problems)} problems." in SYLLABUS
    assert f"Without the three of the rehearsal, {len(collected)} are collected." in SYLLABUS
    assert f"four minutes, {len(collected)} of them {len(collected) * 4 / 60:.1f} hours" in SYLLABUS


def test_grades_add_up():
    said = re.search(r"\*\*Grades\.\*\* (.*)", SYLLABUS).group(1)
    assert sum(map(int, re.findall(r"(\d+) %", said))) == 100


def test_every_exercise_that_the_page_names_exists():
    assert set(re.findall(r"`(ex-[a-z-]+)`", page("syllabus"))) <= set(EXERCISES)


def test_every_problem_is_collected_in_its_week():
    collected = [name for week in LONG.values() for name in week.hand_in]
    assert sorted(collected) == sorted(PROBLEMS)
    rows = {named(row["name"])[0]: row for table in tables(page("problems"), "name") for row in table}
    assert list(rows) == [name for names in WEEKS.values() for name in names]
    for number, week in LONG.items():
        for name in week.hand_in:
            assert int(rows[name]["week of the twelve"]) == number
            assert re.search(r"`/book/(.*)`", rows[name]["chapter"])[1] in [r.chapter for r in week.read]
    assert {re.search(r"`/(.*)`", row["chapter"])[1] for row in rows.values()} == set(CHAPTERS)


def test_bank_names_the_weeks_of_six():
    told = {
        named(row["name"])[0]: int(row["week of the six"])
        for table in tables(page("problems"), "name")
        for row in table
        if row["week of the six"]
    }
    assert told == {name: number for number, week in PATHS["six weeks"].numbered() for name in week.hand_in}


def test_places_of_results_exist():
    chapters = dict(
        (named(row["name"])[0], re.search(r"`/book/(.*)`", row["chapter"])[1])
        for table in tables(page("problems"), "name")
        for row in table
    )
    places = {name: re.findall(r"Where: .*?\*(.*?)\*", variant(name, 0).explanation) for name in PROBLEMS}
    assert {"fingerprint", "belief"} <= {name for name, found in places.items() if found}
    for name, found in places.items():
        assert {*found} <= {*sections(chapters[name])}, name


def shown_in(chapter, anchors):
    """Numbers in the outputs of sections, as they are printed."""
    heading, found = "", ""
    for cell in json.loads((ROOT / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            for title in re.findall(r"^## (.*)$", source, re.MULTILINE):
                heading = slugify(title)
        elif heading in anchors:
            for output in cell["outputs"]:
                found += "".join(output.get("text", output.get("data", {}).get("text/plain", "")))
    return {float(n.replace(",", "")) for n in re.findall(r"-?\d[\d,]*(?:\.\d+)?", found)}


def rounds_to(value: float, written: str) -> bool:
    half = 0.5 * 10.0 ** -len(written.partition(".")[2])
    return abs(value - float(written.replace(",", ""))) <= half * (1 + 1e-9)


LABORATORIES = dict(re.findall(r"^\(laboratory-(\d)\)=\n(.*?)(?=^\(|\Z)", page("laboratories"), re.M | re.S))


@pytest.mark.parametrize("week", LABORATORIES)
def test_laboratory_expects_numbers_of_its_cells(week):
    text = LABORATORIES[week]
    links = re.findall(r"\(/(book/[\w/-]+)\.ipynb#([\w-]+)\)", text)
    shown = {n for chapter, anchor in links for n in shown_in(chapter, {anchor})}
    [expected] = re.findall(r"^\*\*Expect\.\*\* (.*)$", text.replace("\u2212", "-"), re.MULTILINE)
    numbers = re.findall(r"-?\d[\d,]*\.\d+|\d+,\d{3}", expected)
    assert len(numbers) >= 3
    assert [n for n in numbers if not any(rounds_to(value, n) for value in shown)] == []
    assert sum(map(int, re.findall(r"\((\d+) minutes\)", text))) == 90


def test_every_week_of_six_has_a_laboratory():
    weeks = [str(number) for number, week in PATHS["six weeks"].numbered() if week.laboratory]
    assert [*LABORATORIES] == weeks


def test_week_one_fills_two_lectures():
    [plan] = re.findall(r"^Week 1 can be divided like this\. (.*)In other weeks", SYLLABUS, re.MULTILINE)
    for lecture in plan.split("Second lecture:"):
        assert sum(map(int, re.findall(r" (\d+)(?: minutes)?[,.]", lecture))) == 90


def text_of(name):
    """The text of a page, or of a chapter with its code but without its outputs."""
    file = next(ROOT.glob(f"{name}.*"))
    text = file.read_text(encoding="utf-8")
    return (
        "\n".join("".join(c["source"]) for c in json.loads(text)["cells"])
        if file.suffix == ".ipynb"
        else text
    )


def bare(text):
    """The words of a text, so that neither numbers nor spaces distinguish two variants."""
    return re.sub(r"[^a-z]+", " ", text.lower())


def test_nothing_collected_has_a_solution_on_a_page():
    assert set(PROBLEMS).isdisjoint(EXERCISES)
    assert set(PROBLEMS).isdisjoint(label.removeprefix("ex-") for label in EXERCISES)
    pages = {name: bare(text_of(name)) for name in PAGES}
    for name in PROBLEMS:
        problem = variant(name, 0)
        if name == "warner":  # the page of the model explanation says that it is not collected
            continue
        question = bare(problem.text)[-60:]
        for where, words in pages.items():
            assert question not in words, (name, where)
            assert bare(problem.explanation)[:60] not in words, (name, where)
    for statement in STATEMENTS:
        for where, words in pages.items():
            assert bare(statement.text) not in words, (statement.name, where)
            assert bare(statement.reason)[:60] not in words, (statement.name, where)


CODE = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", page("projects"), re.DOTALL)


@pytest.mark.parametrize(("code", "shown"), CODE)
def test_a_project_s_starting_point_runs(code, shown, load):
    if "load_lecture_ratings" in code:
        load("load_lecture_ratings")
    assert shown
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        exec(compile(code, "projects.md", "exec"), {})
    assert told.getvalue() == shown
    assert len(code.splitlines()) < 50


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", page("problems"), re.DOTALL))
def test_the_bank_s_examples_run(code):
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "problems.md", "exec"), {})


def test_two_projects_have_all_required_sections():
    projects = re.split(r"^## ", page("projects"), flags=re.MULTILINE)[1:]
    assert len(projects) == len(CODE) == 2
    for project in projects:
        for heading in ("Question", "Starting point", "To hand in", "Typical faults"):
            assert f"**{heading}.**" in project
        assert "**Material.**" in project or "**Data.**" in project
        [sheet] = tables(project, "criterion")
        assert sum(int(row["points"]) for row in sheet) == 100
        own = [int(row["points"]) for row in sheet if row["criterion"].startswith("each one's own: ")]
        assert own == [int(row["points"]) for row in sheet[-2:]]
        told = f"two rows of a sheet, {sum(own)} points, are each member's own; all others, {100 - sum(own)}"
        assert told in page("projects")
        [milestones] = tables(project, "week")
        assert [row["week"] for row in milestones] == ["8", "9", "10", "11", "after"]


def test_exam_page_describes_the_exams():
    text = page("exams")
    [parts] = tables(text, "part")
    for exam, minutes in (("midterm", 60), ("final", 120)):
        *asked, total = parts
        assert sum(int(row[exam]) * int(row["minutes each, and points"]) for row in asked) == minutes
        assert int(total[exam]) == minutes
        printed = exams.sheet(exam, "correct horse battery staple")
        problems = len(re.findall(r"^## \d+\. \(12 points\)$", printed, re.MULTILINE))
        claims = len(re.findall(r"^\([a-h]\) ", printed, re.MULTILINE))
        assert [int(row[exam]) for row in asked] == [problems, claims / 2, claims / 2]
    assert len(STATEMENTS) == 50
    assert "the whole pool of fifty claims" in text
    early = exams._parts("final", "twelve", 12)[0]
    points = 12 * early.n_problems + 2 * 6 * early.n_claims
    assert f"three tenths of the final, {points} points of 120, are on weeks 1 to {early.last}" in text
    assert points / 120 == 3 / 10
    for kind, points in (("problem", 12), ("claim", 6)):
        [rubric] = tables(text, f"of a {kind} ({points} points)")
        assert [int(row["points"]) for row in rubric] == list(exams._RUBRICS[kind].values())
        assert sum(int(row["points"]) for row in rubric) == points
