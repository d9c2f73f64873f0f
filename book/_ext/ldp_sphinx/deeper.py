"""Sphinx extension: sections that readers may skip at first are folded, and marked in the contents.

The notebook's metadata lists them by their headings (``ldpbook.deeper``). All other sections are core.
In print and in the e-book, where nothing can be unfolded, they are open.
"""

from docutils import nodes
from sphinx import addnodes
from sphinx.errors import ExtensionError

from ldp_sphinx import about


def deeper_sections(docname: str) -> list[str]:
    """Headings of the sections of a page that go deeper."""
    return about(docname).get("deeper", [])


def fold(doctree: nodes.document, headings: list[str]) -> None:
    """Fold the text below these headings, except the opening question; the headings stay as link targets."""
    found = {spelled(section[0].astext()): section for section in doctree.findall(nodes.section)}
    if missing := [heading for heading in headings if spelled(heading) not in found]:
        raise ExtensionError(f"the metadata list {missing[0]!r} as deeper, but no section has this heading")
    for section in [found[spelled(heading)] for heading in headings]:
        title = section[0]
        question = opening(section)
        title += nodes.inline("", " deeper", classes=["deeper-mark"])
        section[1:] = [
            nodes.raw("", '<details class="deeper"><summary>', format="html"),
            question,
            nodes.raw("", "</summary>", format="html"),
            *section[1 if section[1].children else 2 :],
            nodes.raw("", "</details>", format="html"),
        ]


def spelled(heading: str) -> str:
    """A heading with straight apostrophes, as in a notebook."""
    return heading.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def opening(section: nodes.section) -> nodes.inline:
    """The question in italics with which a section opens, taken out of its first paragraph."""
    first = section[1]
    if not (isinstance(first, nodes.paragraph) and isinstance(first[0], nodes.emphasis)):
        raise ExtensionError(f"section {section[0].astext()!r} must open with a question in italics")
    question = first.pop(0)
    if not question.astext().endswith("?") or question.next_node(addnodes.pending_xref):
        raise ExtensionError(f"section {section[0].astext()!r} must open with a question without links")
    if first.children and isinstance(first[0], nodes.Text):
        first[0] = nodes.Text(first[0].lstrip())
    return nodes.inline("", "", *question.children)


def setup(app):
    # This runs before the contents are collected, so that they contain the mark too.
    app.connect("doctree-read", lambda app, doctree: fold(doctree, deeper_sections(app.env.docname)), 100)
    return {"parallel_read_safe": True}
