"""Sphinx extension: sections that a first reader may skip are folded, and marked in the contents.

The notebook's metadata lists them by their headings (``ldpbook.deeper``). All other sections are core.
In print and in the e-book, where nothing can be unfolded, they stand open.
"""

import json

from docutils import nodes

from ldp_sphinx import ROOT


def deeper_sections(docname: str) -> list[str]:
    """Headings of the sections of a page that go deeper."""
    path = ROOT / f"{docname}.ipynb"
    if not path.exists():
        return []
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return notebook["metadata"].get("ldpbook", {}).get("deeper", [])


def fold(doctree: nodes.document, headings: list[str]) -> None:
    """Fold what stands below each of these headings; the headings stay, for the contents and for links."""
    for section in list(doctree.findall(nodes.section)):
        title = section[0]
        if title.astext() in headings:
            title += nodes.inline("", " deeper", classes=["deeper-mark"])
            opened = '<details class="deeper"><summary>For a second reading</summary>'
            section[1:] = [
                nodes.raw("", opened, format="html"),
                *section[1:],
                nodes.raw("", "</details>", format="html"),
            ]


def setup(app):
    # Before the contents are collected, so that they say it too.
    app.connect("doctree-read", lambda app, doctree: fold(doctree, deeper_sections(app.env.docname)), 100)
    return {"parallel_read_safe": True}
