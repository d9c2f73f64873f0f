"""Sections that go deeper are folded below their headings, which stay, and say it in the contents too."""

import pytest
from docutils import nodes
from docutils.utils import new_document
from ldp_sphinx.chapters import parts
from ldp_sphinx.deeper import deeper_sections, fold


def section(title: str, *parts: nodes.Node) -> nodes.section:
    return nodes.section("", nodes.title("", title), *parts)


def page() -> nodes.document:
    found = new_document("chapter")
    text = [nodes.paragraph("", word) for word in ("one", "two")]
    inner = section("Inner", nodes.paragraph("", "three"))
    found += section("Chapter", section("Core", text[0]), section("Peers", text[1], inner))
    return found


def test_what_goes_deeper_is_folded_with_all_below_its_heading():
    found = page()
    fold(found, ["Peers"])
    core, peers = found[0][1:]
    assert [type(child) for child in core] == [nodes.title, nodes.paragraph]
    assert [type(child) for child in peers] == [
        nodes.title,
        nodes.raw,
        nodes.paragraph,
        nodes.section,
        nodes.raw,
    ]
    assert peers[0].astext() == "Peers deeper"
    assert peers[1].astext().startswith('<details class="deeper">')
    assert peers[-1].astext() == "</details>"


@pytest.mark.parametrize("headings", [[], ["peers"], ["Nothing"]])
def test_all_else_stays(headings):
    found = page()
    fold(found, headings)
    assert found.pformat() == page().pformat()


def test_headings_are_read_from_the_notebook():
    assert deeper_sections("book/index") == []
    assert all(isinstance(deeper_sections(name), list) for names in parts().values() for name in names)
