"""Deeper sections are folded below their visible headings, and marked in the contents too."""

import pytest
from docutils import nodes
from docutils.utils import new_document
from ldp_sphinx.chapters import parts
from ldp_sphinx.deeper import deeper_sections, fold
from sphinx.addnodes import pending_xref
from sphinx.errors import ExtensionError


def section(title: str, *parts: nodes.Node) -> nodes.section:
    return nodes.section("", nodes.title("", title), *parts)


def page(*after: nodes.Node) -> nodes.document:
    found = new_document("chapter")
    asked = nodes.paragraph("", "", nodes.emphasis("", "Who else?"), *after)
    inner = section("Inner", nodes.paragraph("", "three"))
    found += section(
        "Chapter",
        section("Core", nodes.paragraph("", "one")),
        section("Peers", asked, nodes.image(uri="two.svg"), inner),
    )
    return found


def test_deeper_section_is_folded_behind_its_question():
    found = page(nodes.Text(" Two others."))
    fold(found, ["Peers"])
    core, peers = found[0][1:]
    assert [type(child) for child in core] == [nodes.title, nodes.paragraph]
    kinds = [nodes.title, nodes.raw, nodes.inline, nodes.raw, nodes.paragraph]
    assert [type(child) for child in peers] == [*kinds, nodes.image, nodes.section, nodes.raw]
    assert [peers[k].astext() for k in (0, 2, 4)] == ["Peers deeper", "Who else?", "Two others."]
    assert peers[1].astext() + peers[3].astext() + peers[-1].astext() == (
        '<details class="deeper"><summary></summary></details>'
    )


def test_lone_question_leaves_no_empty_paragraph():
    found = page()
    fold(found, ["Peers"])
    assert not [each for each in found.findall(nodes.paragraph) if not each.astext()]
    assert list(found.findall(nodes.image))


def test_deeper_section_opens_with_a_question():
    with pytest.raises(ExtensionError, match="section 'Core' must open"):
        fold(page(), ["Core"])


@pytest.mark.parametrize("said", [nodes.Text("Of the theorem:"), pending_xref("", nodes.Text("Who else?"))])
def test_folding_question_has_no_links(said):
    """A link within the clickable summary could not be reached."""
    found = page()
    found[0][2][1][0].children[:] = [said]
    said.parent = found[0][2][1][0]
    with pytest.raises(ExtensionError, match="a question without links"):
        fold(found, ["Peers"])


def test_other_content_is_unchanged():
    found = page()
    fold(found, [])
    assert found.pformat() == page().pformat()


@pytest.mark.parametrize("heading", ["peers", "Nothing"])
def test_a_heading_that_is_not_there_is_refused(heading):
    with pytest.raises(ExtensionError, match=f"list '{heading}' as deeper, but no section"):
        fold(page(), [heading])


def test_heading_is_found_with_any_apostrophe():
    found = page()
    found[0][2][0][0] = nodes.Text("Ann\N{RIGHT SINGLE QUOTATION MARK}s peers")
    fold(found, ["Ann's peers"])
    assert found[0][2][0].astext() == "Ann\N{RIGHT SINGLE QUOTATION MARK}s peers deeper"


def test_headings_are_read_from_the_notebook():
    assert deeper_sections("book/index") == []
    assert all(isinstance(deeper_sections(name), list) for names in parts().values() for name in names)
