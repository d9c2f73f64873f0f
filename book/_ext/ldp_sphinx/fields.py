"""Sphinx extension: an exercise that a page can judge gets a field for the reader's answer.

A page can judge the exercises that need only the standard library, without numpy (`ldpcourse.exercises`,
without its `arrays`). fields.js builds the field. There is none without JavaScript, without Pyodide beside
the pages, on paper, in the e-book and on slides.
"""

from html import escape

from docutils import nodes
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node

from ldp_sphinx import MODULES
from ldpbook._lazy import PARTS
from ldpcourse._entries import entries_of


def judged_on_the_page() -> set[str]:
    """Labels of the exercises that can be judged with the standard library alone."""
    return {exercise.label for part in PARTS for exercise in entries_of(part, "exercises")}


def add_fields(doctree: nodes.document, labels: set[str]) -> None:
    for kind in (exercise_node, exercise_enumerable_node):
        for exercise in doctree.findall(kind):
            if exercise["label"] in labels:
                place = f'<div class="answer-field" data-exercise="{escape(exercise["label"])}"></div>'
                exercise += nodes.raw("", place, format="html")


def _add_to_page(app, doctree, docname):
    if app.builder.name == "html" and (MODULES / "pyodide").is_dir():
        add_fields(doctree, judged_on_the_page())


def setup(app):
    app.connect("doctree-resolved", _add_to_page)
    app.add_js_file("fields.js", type="module")
    return {"parallel_read_safe": True}
