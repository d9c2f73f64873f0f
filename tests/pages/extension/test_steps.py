"""Cells tagged as steps become one sequence, each with its explaining paragraph."""

import pytest
from docutils import nodes
from docutils.utils import new_document
from ldp_sphinx import steps
from sphinx.util import logging


def words(text: str) -> nodes.paragraph:
    return nodes.paragraph("", text)


def cell(text: str, *tags: str) -> nodes.container:
    return nodes.container("", words(text), classes=["cell", *tags])


def step(k: int) -> list[nodes.Element]:
    return [words(f"says {k}"), cell(f"shows {k}", "tag_step")]


def grouped(*parts: nodes.Element) -> nodes.document:
    page = new_document("chapter")
    page += nodes.section("", nodes.title("", "Title"), *parts)
    steps.group(page)
    return page


def sequences(page: nodes.document) -> list[list[list[str]]]:
    found = [node for node in page.findall(nodes.container) if "steps" in node["classes"]]
    assert all(each["classes"] == ["step"] for sequence in found for each in sequence)
    return [[[part.astext() for part in each] for each in sequence] for sequence in found]


def test_neighbours_are_one_sequence_in_their_order():
    page = grouped(words("before"), *step(1), *step(2), *step(3), words("after"))
    assert sequences(page) == [[[f"says {k}", f"shows {k}"] for k in (1, 2, 3)]]
    told = [f"{part} {k}" for k in (1, 2, 3) for part in ("says", "shows")]
    assert [text for text in page.astext().split("\n") if text] == ["Title", "before", *told, "after"]


@pytest.mark.parametrize("between", [words, cell])
def test_content_between_separates_two_sequences(between):
    assert sequences(grouped(*step(1), between("else"), *step(2))) == [
        [["says 1", "shows 1"]],
        [["says 2", "shows 2"]],
    ]


def test_other_cells_stay_as_they_are():
    page = grouped(words("a"), cell("b"), words("c"), cell("d", "tag_hide-input"))
    assert [type(part) for part in page[0][1:]] == [nodes.paragraph, nodes.container] * 2
    assert not sequences(page)


@pytest.mark.parametrize("before", [[], [cell("plain")]])
def test_unexplained_step_is_reported(before):
    with logging.pending_warnings() as pending:
        assert not sequences(grouped(*before, cell("shows", "tag_step")))
        (record,) = pending.clear()
    assert "no paragraph before a step" in record.getMessage()
