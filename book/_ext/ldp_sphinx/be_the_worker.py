"""Sphinx extension: ``{survey}`` makes the reader the worker: she answers, and sees what leaves her device.

Everywhere there is a still: the answers of somebody, and the reports that the package's own randomizer makes
of them with fixed words of entropy. On the pages be-the-worker.js goes on from it, with that randomizer in
the reader's browser; nothing is sent, and nothing kept. On paper, in the e-book and on slides the still is
all, and its caption says so.
"""

import json
from html import escape

from docutils import nodes
from ldp_browser.worker import CROWDS, EPSILONS, NULL, OPENS, QUESTIONS
from sphinx.util.docutils import SphinxDirective

from ldp_sphinx import MODULES
from ldpbook._dyadic import WORD
from ldpbook.practice.dyadic import draw_response

ANSWERS = (0, 1, 2, 0, 1)  # of the still
WIDTH, TOP, LINE, LEAVES = 360, 44, 26, 236  # of the drawing; where what leaves begins


def still() -> list[int]:
    """The reports of the still, from words spread evenly; a survey takes the system's entropy instead."""
    words = [((2 * k + 1) * WORD // (2 * len(ANSWERS))).to_bytes(8) for k in range(len(ANSWERS))]
    return [
        draw_response(
            answer, epsilon=OPENS["epsilon"], n_symbols=len(question.law), entropy=lambda _, word=word: word
        )
        for answer, question, word in zip(ANSWERS, QUESTIONS, words, strict=True)
    ]


def drawing() -> str:
    """Answers to the left of where trust ends, reports to the right; a lie is underlined and said."""
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
    said = f"Five answers stay on the device, a report of each leaves it. {' '.join(told)}"
    return (
        f'<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 6}"'
        f' role="img" aria-label="{escape(said)}">'
        f'<text class="survey-head" x="128" y="18">stays: answer</text>'
        f'<text class="survey-head" x="{LEAVES + 14}" y="18">leaves: report</text>'
        f'<path class="survey-line" d="M{LEAVES} 4V{bottom}"/>{"".join(parts)}</svg>'
    )


def figure() -> str:
    """The still with its caption."""
    return (
        f'<figure class="survey-still">{drawing()}<figcaption><p>What leaves the device of somebody who'
        f" answered five questions with epsilon {OPENS['epsilon']:g}. Here each report is what the randomizer"
        " makes of a fixed word of entropy, so that the picture stays; a device draws each word. Reports that"
        " differ from the answer are underlined. On the book’s pages you answer yourself.</p></figcaption>"
        "</figure>"
    )


def section() -> str:
    """The place where be-the-worker.js asks, and what it needs to."""
    questions = [question._asdict() for question in QUESTIONS]
    data = {"questions": questions, "null": NULL, "epsilons": EPSILONS, "crowds": CROWDS, "opens": OPENS}
    return (
        f'<section class="be-worker" data-survey="{escape(json.dumps(data))}" aria-label="Be the worker">'
        '<button type="button" class="survey-start btn btn-sm btn-outline-primary" hidden>'
        "Be the worker</button>"
        '<p class="survey-note">Answering takes JavaScript, and pages that come from a web server. In Python:'
        " <code>ldpbook.practice.draw_response</code>.</p></section>"
    )


class Survey(SphinxDirective):
    def run(self):
        live = section() if (MODULES / "pyodide").is_dir() else ""
        return [nodes.raw("", figure() + live, format="html")]


def setup(app):
    app.add_directive("survey", Survey)
    app.add_js_file("be-the-worker.js", type="module")
    return {"parallel_read_safe": True}
