"""Sphinx extension: consecutive cells tagged ``step`` become a sequence that the reader steps through.

A step is a paragraph that says what the cell does, and the cell with its figure. Steps are below each other,
as in the notebook itself; on the pages steps.js shows one at a time.
"""

from docutils import nodes
from sphinx.util import logging


def is_step(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Element) and "tag_step" in node.get("classes", [])


def group(doctree: nodes.document) -> None:
    """Wrap each tagged cell with the paragraph before it as a step, and adjacent steps as one sequence."""
    for cell in list(doctree.findall(is_step)):
        around, at = cell.parent, cell.parent.index(cell)
        if at == 0 or not isinstance(around[at - 1], nodes.paragraph):
            logging.getLogger(__name__).warning("no paragraph before a step says what it does", location=cell)
            continue
        step = nodes.container("", around[at - 1], cell, classes=["step"])
        before = around[at - 2] if at > 1 else None
        if isinstance(before, nodes.container) and "steps" in before["classes"]:
            del around[at - 1 : at + 1]
            before += step
        else:
            around[at - 1 : at + 1] = [nodes.container("", step, classes=["steps"])]


def setup(app):
    app.connect("doctree-read", lambda app, doctree: group(doctree))
    app.add_js_file("steps.js", type="module")
    return {"parallel_read_safe": True}
