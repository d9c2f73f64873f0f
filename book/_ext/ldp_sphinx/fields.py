"""Sphinx extension: an exercise that a page can judge gets a field for the reader's answer.

A page can judge the exercises whose check needs only the standard library, without numpy: those of
`ldpcourse.exercises` except its `arrays`, under which the page says so. fields.js builds the field from what
the exercise declares (`AnswerForm`): how an answer begins, and what is accepted. There is no field without
JavaScript, without Pyodide beside the pages, on paper, in the e-book or on slides.
"""

from html import escape

from docutils import nodes
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node

from ldp_sphinx import MODULES
from ldpbook._lazy import PARTS
from ldpcourse._entries import entries_of
from ldpcourse.exercises.exercise import Exercise
from ldpcourse.exercises.ready import READY

WITHOUT = (
    '<p class="without-field">This check needs NumPy, which is not on the page: '
    "run it in the chapter's notebook.</p>"
)


def judged_on_the_page() -> dict[str, Exercise]:
    """The exercises that can be judged with the standard library alone, by label."""
    return {exercise.label: exercise for part in PARTS for exercise in entries_of(part, "exercises")}


def judged_in_the_notebook() -> set[str]:
    """Labels of the exercises whose check needs arrays."""
    return {exercise.label for part in PARTS for exercise in entries_of(part, "exercises.arrays")}


def _field(exercise: Exercise) -> str:
    said = {"exercise": exercise.label, "begins": exercise.form.begins, "accepts": exercise.form.accepts}
    data = " ".join(f'data-{name}="{escape(words)}"' for name, words in said.items())
    return f'<div class="answer-field" {data}></div>'


def add_fields(doctree: nodes.document) -> None:
    on_the_page = judged_on_the_page() | {question.label: question for question in READY}
    in_the_notebook = judged_in_the_notebook()
    for kind in (exercise_node, exercise_enumerable_node):
        for exercise in doctree.findall(kind):
            if exercise["label"] in on_the_page:
                exercise += nodes.raw("", _field(on_the_page[exercise["label"]]), format="html")
            elif exercise["label"] in in_the_notebook:
                exercise += nodes.raw("", WITHOUT, format="html")


def _add_to_page(app, doctree, docname):
    if app.builder.name == "html" and (MODULES / "pyodide").is_dir():
        add_fields(doctree)


def setup(app):
    app.connect("doctree-resolved", _add_to_page)
    app.add_js_file("fields.js", type="module")
    return {"parallel_read_safe": True}
