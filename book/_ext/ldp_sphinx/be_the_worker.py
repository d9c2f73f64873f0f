"""Sphinx extension: ``{survey}`` lets the reader act as the worker, and see what leaves the device.

Every format has a still figure: one person's answers, and the reports that the package's own randomizer makes
from them with fixed words of entropy. On the pages be-the-worker.js continues from it, with the same
randomizer in the reader's browser; nothing is sent, and nothing is stored. On paper, in the e-book and on
slides there is only the still figure, and its caption says so.
"""

import json
from html import escape

from docutils import nodes
from ldp_browser.worker import CROWDS, EPSILONS, NULL, OPENS, QUESTIONS
from sphinx.util.docutils import SphinxDirective

from ldp_sphinx import MODULES
from ldpbook._dyadic import WORD
from ldpbook.practice.dyadic import draw_response

ANSWERS = (0, 1, 2, 0, 1)  # of the still figure
WIDTH, TOP, LINE, LEAVES = 360, 44, 26, 236  # of the drawing; LEAVES: left edge of the reports


def still() -> list[int]:
    """The reports of the still figure, from evenly spread words; a survey uses the system's entropy."""
    words = [((2 * k + 1) * WORD // (2 * len(ANSWERS))).to_bytes(8) for k in range(len(ANSWERS))]
    return [
        draw_response(
            answer, epsilon=OPENS["epsilon"], n_symbols=len(question.law), entropy=lambda _, word=word: word
        )
        for answer, question, word in zip(ANSWERS, QUESTIONS, words, strict=True)
    ]


def drawing() -> str:
    """Drawing with answers left of the trust boundary, reports right of it; lies are underlined and named."""
    parts, told = [], []
    for k, (question, answer, report) in enumerate(zip(QUESTIONS, ANSWERS, still(), strict=True)):
        y, kind = TOP + LINE * k, "survey-true" if answer == report else "survey-lie"
        given, sent = question.answers[answer], question.answers[report]
        parts.append(
            f'<text x="5" y="{y}">{escape(question.about)}</text>'
            f'<text x="128" y="{y}">{escape(given)}</text>'
            f'<text class="{kind}" x="{LEAVES + 14}" y="{y}">{escape(sent)}</text>'
        )
        told.append(
            f"{question.about}: answer {given}, report {sent}{'' if answer == report else ', a lie'}."
        )
    bottom = TOP + LINE * len(QUESTIONS) - 12
    said = f"Five answers stay on the device; a report of each leaves it. {' '.join(told)}"
    return (
        f'<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 6}"'
        f' role="img" aria-label="{escape(said)}">'
        f'<text class="survey-head" x="128" y="18">stays: answer</text>'
        f'<text class="survey-head" x="{LEAVES + 14}" y="18">leaves: report</text>'
        f'<path class="survey-line" d="M{LEAVES} 4V{bottom}"/>{"".join(parts)}</svg>'
    )


def figure() -> str:
    """The still figure with its caption."""
    return (
        f'<figure class="survey-still">{drawing()}<figcaption><p>The reports that leave the device'
        f" when someone answers five questions, each with epsilon {OPENS['epsilon']:g}. Here the randomizer"
        " uses a fixed word of entropy for each report, so that the figure stays the same; a device draws"
        " each word. Reports that differ from the answer are underlined. On the book’s pages you answer"
        " yourself.</p></figcaption>"
        "</figure>"
    )


def section() -> str:
    """The section where be-the-worker.js asks its questions, with the data that it needs."""
    questions = [question._asdict() for question in QUESTIONS]
    data = {"questions": questions, "null": NULL, "epsilons": EPSILONS, "crowds": CROWDS, "opens": OPENS}
    return (
        f'<section class="be-worker" data-survey="{escape(json.dumps(data))}" aria-label="Be the worker">'
        '<button type="button" class="survey-start btn btn-sm btn-outline-primary" hidden>'
        "Be the worker</button>"
        '<p class="survey-note">Answering needs JavaScript, and pages that come from a web server. In Python,'
        " call <code>ldpbook.practice.draw_response</code>.</p></section>"
    )


class Survey(SphinxDirective):
    def run(self):
        live = section() if (MODULES / "pyodide").is_dir() else ""
        return [nodes.raw("", figure() + live, format="html")]


def setup(app):
    app.add_directive("survey", Survey)
    app.add_js_file("be-the-worker.js", type="module")
    return {"parallel_read_safe": True}
