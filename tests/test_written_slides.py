"""The written slides of each chapter: ten, with one punch line, about things and numbers of the page."""

import copy
import json
import re

import pytest
from prose_numbers import numbers, prose, shown_numbers, source
from toc import CHAPTERS, ROOT

KEYS = {"says", "shows", "number", "ask", "punch"}
LABEL = re.compile(r"^:label: +(\S+)$|^\$\$ *\(([\w-]+)\)", re.MULTILINE)


def notebook(chapter: str) -> dict:
    return json.loads((ROOT / f"{chapter}.ipynb").read_text(encoding="utf-8"))


def slides(chapter: str) -> list[dict]:
    return notebook(chapter)["metadata"]["ldpbook"].get("slides", [])


WRITTEN = [chapter for chapter in CHAPTERS if slides(chapter)]


def labels(cells: list[dict]) -> set[str]:
    """Labels of the figures, equations and statements of a page."""
    found = {cell["metadata"].get("mystnb", {}).get("figure", {}).get("name") for cell in cells}
    for cell in cells:
        if cell["cell_type"] == "markdown":
            found |= {one or other for one, other in LABEL.findall(source(cell))}
    return found


def faults(entries: list[dict], cells: list[dict]) -> list[str]:
    """What is wrong with the slides of a chapter."""
    code, text = ([cell for cell in cells if cell["cell_type"] == kind] for kind in ("code", "markdown"))
    values = [shown.value for shown in shown_numbers(code).values()]
    values += [number.value for cell in text for number in numbers(prose(cell))]
    here = labels(cells)
    found = [] if len(entries) == 10 else [f"{len(entries)} slides, not ten"]
    if [entry["punch"] for entry in entries if "punch" in entry] != [True]:
        found.append("not one punch line")
    if len({entry["says"] for entry in entries}) < len(entries):
        found.append("a headline is there twice")
    for entry in entries:
        says = entry["says"]
        if not set(entry) <= KEYS:
            found.append(f"unknown keys: {says}")
        if len(says) > 90:
            found.append(f"{len(says)} characters: {says}")
        if ("shows" in entry) == ("number" in entry):
            found.append(f"not one of shows and number: {says}")
        if "shows" in entry and entry["shows"] not in here:
            found.append(f"no {entry['shows']} on the page: {says}")
        if any(line.count("$") % 2 for line in entry.values() if isinstance(line, str)):
            found.append(f"a formula does not end: {says}")
        for number in numbers(says) + numbers(entry.get("number", "")):
            if not any(
                number.agrees(factor * value) for value in values for factor in (1, 100, number.factor)
            ):
                found.append(f"the page does not show {number.written}: {says}")
    return found


@pytest.mark.parametrize("chapter", WRITTEN)
def test_slides_agree_with_the_page(chapter):
    assert faults(slides(chapter), notebook(chapter)["cells"]) == []


@pytest.mark.parametrize(
    ("k", "change", "fault"),
    [
        (0, {"punch": True}, "not one punch line"),
        (1, {"says": "word " * 19}, "95 characters"),
        (1, {"shows": "fig-of-another-page"}, "no fig-of-another-page on the page"),
        (1, {"number": "7"}, "not one of shows and number"),
        (1, {"title": "A topic"}, "unknown keys"),
        (1, {"says": "The loss is $e."}, "a formula does not end"),
        (1, {"says": "It costs 3.14159 nats."}, "the page does not show 3.14159"),
        (0, {"number": "2 in 97"}, "the page does not show 97"),
    ],
)
def test_each_fault_is_seen(k, change, fault):
    chapter = "book/foundations/crowdsourcing"
    entries = copy.deepcopy(slides(chapter))
    entries[k] |= change
    assert [found.startswith(fault) for found in faults(entries, notebook(chapter)["cells"])] == [True]


def test_missing_and_repeated_slides_are_seen():
    chapter = "book/foundations/crowdsourcing"
    entries, cells = slides(chapter), notebook(chapter)["cells"]
    assert faults(entries[:9], cells) == ["9 slides, not ten"]
    assert faults([*entries[:9], entries[0]], cells) == ["a headline is there twice"]
