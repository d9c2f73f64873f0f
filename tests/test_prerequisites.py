"""Prerequisites of chapters, by their metadata: they cover all uses of other chapters, without circles."""

import json
import re
from graphlib import TopologicalSorter

import pytest
from toc import CHAPTERS, notebook_cells

chapters = pytest.importorskip("ldp_sphinx.chapters", reason="needs what builds the pages")

NEEDS = {chapter.name: chapter.needs for group in chapters.chapters().values() for chapter in group}
# Asides that readers may skip: they name a theorem of a later chapter.
AHEAD = {("sparse-answers/laplace", "thm-mf-noise"), ("localization/encrypted-inference", "cor-no-server")}


def prose(name: str) -> str:
    """The text of a chapter, with the descriptions of its figures."""
    cells = notebook_cells(f"book/{name}")
    text = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    return "\n\n".join([*text, *(json.dumps(cell["metadata"].get("mystnb", "")) for cell in cells)])


def stated(text: str) -> set[str]:
    """Labels that a chapter defines: definitions, theorems, algorithms, formulas, exercises, places."""
    found = re.findall(r"^:label: (\S+)|^\$\$ \((\S+)\)|^\((\S+)\)=$", text, re.MULTILINE)
    return {label for kinds in found for label in kinds if label}


def used(text: str) -> set[str]:
    """Labels that a chapter refers to."""
    roles = re.findall(r"\{(?:prf:ref|ref|eq|numref)\}`(?:[^`<]*<)?([^`<>]+)>?`", text)
    return {*roles, *re.findall(r"\]\(#([\w-]+)\)", text)}


def strangers(needs: dict[str, tuple[str, ...]], texts: dict[str, str]) -> set[tuple[str, str]]:
    """Chapters, each with a label to which it refers but which neither it nor its prerequisites define."""
    home = {label: name for name, text in texts.items() for label in stated(text)}
    return {
        (name, label)
        for name, text in texts.items()
        for label in used(text) & set(home)
        if home[label] not in {name, *chapters.all_needs(name, needs)}
    }


def test_prerequisites_are_declared_and_come_earlier():
    assert [f"book/{name}" for name in NEEDS] == CHAPTERS
    order = list(NEEDS)
    for name, needs in NEEDS.items():
        assert all(order.index(need) < order.index(name) for need in needs), name
    list(TopologicalSorter(NEEDS).static_order())


def test_prerequisites_are_not_redundant():
    """Indirect prerequisites are not declared again, so that the map stays clear."""
    for name, needs in NEEDS.items():
        for need in needs:
            others = set().union(*(chapters.all_needs(other, NEEDS) for other in needs))
            assert need not in others, f"{name}: {need}"


def test_chapters_use_only_declared_prerequisites():
    texts = {name: prose(name) for name in NEEDS}
    assert strangers(NEEDS, texts) == AHEAD


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("sparse-answers/laplace", "thm-laplace"),
        ("sparse-answers/randomized-response", "eq-triangle"),
        ("categorical-answers/one-layer", "def-rr"),
        ("class-ratios/fair-comparison", "thm-analytic-gaussian"),
    ],
)
def test_undeclared_prerequisite_is_detected(name, label):
    texts = {name: prose(name) for name in NEEDS}
    assert (name, label) in strangers(NEEDS | {name: ()}, texts)
