"""Sphinx extension: sections that a first reader may skip are folded, and marked in the contents.

The notebook's metadata lists them by their headings (``ldpbook.deeper``). All other sections are core.
In print and in the e-book, where nothing can be unfolded, they stand open.
"""

import json

from docutils import nodes
from sphinx import addnodes
from sphinx.errors import ExtensionError

from ldp_sphinx import ROOT


def deeper_sections(docname: str) -> list[str]:
    """Headings of the sections of a page that go deeper."""
    path = ROOT / f"{docname}.ipynb"
    if not path.exists():
        return []
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return notebook["metadata"].get("ldpbook", {}).get("deeper", [])


def fold(doctree: nodes.document, headings: list[str]) -> None:
    """Fold what stands below each of these headings, but its first question; the headings stay for links."""
    found = {spelled(section[0].astext()): section for section in doctree.findall(nodes.section)}
    if missing := [heading for heading in headings if spelled(heading) not in found]:
        raise ExtensionError(f"no section is called {missing[0]!r}, which is said to go deeper")
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
    """With straight apostrophes, as in a notebook."""
    return heading.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def opening(section: nodes.section) -> nodes.inline:
    """The question in italics with which a section opens, taken out of its first paragraph."""
    first = section[1]
    if not (isinstance(first, nodes.paragraph) and isinstance(first[0], nodes.emphasis)):
        raise ExtensionError(f"{section[0].astext()!r} goes deeper, and opens with no question in italics")
    question = first.pop(0)
    if not question.astext().endswith("?") or question.next_node(addnodes.pending_xref):
        raise ExtensionError(f"{section[0].astext()!r} has to open with a question without links")
    if first.children and isinstance(first[0], nodes.Text):
        first[0] = nodes.Text(first[0].lstrip())
    return nodes.inline("", "", *question.children)


def setup(app):
    # Before the contents are collected, so that they say it too.
    app.connect("doctree-read", lambda app, doctree: fold(doctree, deeper_sections(app.env.docname)), 100)
    return {"parallel_read_safe": True}
