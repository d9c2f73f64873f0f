"""Sphinx extension: ``{chooser}`` answers "what should I use?", with the error to expect.

Pages get the decision chart, with numbers from the package; without a script and on paper there is nothing
else. On the screen chooser.js puts a form before the chart, which answers for any crowd, from a table that is
put beside the pages. Chart and table come from the same kept runs of the package and the same closed forms.
"""

import json
from math import ceil, exp, pi, sqrt
from pathlib import Path

import numpy as np
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ldp_sphinx import when_written
from ldpbook.categorical_answers import k_ary_response
from ldpbook.guide import _WORTH_IT as WORTH_IT
from ldpbook.localization.bounds import planar_laplace_error
from ldpbook.remedies import _foretold as foretold
from ldpcourse.runs import _chooser as run, stored

EPSILONS = [0.5, 1.0, 2.0, 4.0]  # of the chart
LATTICE = 20  # steps of a lattice in the distance over which places are protected


def table() -> dict[str, object]:
    """What chooser-errors.js reads: logarithms are in thousandths, and the last axis varies fastest."""
    curves = [f"{told:.2e}" for told in run.TOLD]
    law, truths = run.guessed(5, 1.0)
    small = foretold.limit(law, 1.0, 0, truths) / foretold.deviation_of(truths)
    return {
        "worthIt": WORTH_IT,
        "errors": run.ERRORS,
        "spread": run.SPREAD,
        "smallest": small,  # mean distance, times the root of the information about a truth
        "sizes": run.SIZES,
        "guesses": run.GUESSES,
        "tasks": run.TASKS,
        "odds": run.ODDS,
        "told": run.TOLD,
        "densities": run.DENSITIES,
        "epsilons": run.EPSILONS,
        "constants": [
            [foretold.constant(*run.guessed(size, 1.0, *guess), "median") for guess in run.GUESSES]
            for size in run.SIZES
        ],
        "thresholds": _thousandths(stored("chooser-thresholds")[curves]),
        "mixtures": _thousandths(stored("chooser-mixtures")[curves]),
        "limits": _thousandths(stored("chooser-limits")[["ratio"]]),
    }


def _thousandths(values) -> list[int]:
    return (1000 * np.log(values.to_numpy())).round().astype(int).ravel().tolist()


def evenly(size: int) -> float:
    """Mean distance of a share from an even one, if all divisions are equally likely."""
    return 2 * (1 - 1 / size) ** size / size


def share_error(size: int, density: float, epsilon: float, reports: int) -> float:
    """Mean error of the share of a choice among the answers, under one layer with NULL as a symbol."""
    choice, null = k_ary_response(size + 1, epsilon).variance([density / size, 1 - density], reports)
    return sqrt(2 / pi * (choice - null / size**2)) / density


def reports_needed(size: int, density: float, epsilon: float) -> int:
    """How many people have to report for an error that beats the constant's by a tenth."""
    return ceil((share_error(size, density, epsilon, 1) / WORTH_IT / evenly(size)) ** 2)


def label_error(size: int, epsilon: float, records: int) -> float:
    """Mean error of a class's share of a group, with two-sided geometric noise on each count."""
    kept = exp(-epsilon / 2)
    return 2 * kept / (1 - kept**2) * sqrt(1 - 1 / size) / records


def records_needed(size: int, epsilon: float) -> int:
    return ceil(label_error(size, epsilon, 1) / WORTH_IT / evenly(size))


def radius_needed(epsilon: float) -> float:
    """Smallest radius of an area where a report is worth it, in distances over which places are protected."""
    error = planar_laplace_error(epsilon=epsilon, distance=1 + sqrt(2) / LATTICE, n_reports=1)
    return error / WORTH_IT / (2 / 3)


def _rounded(number: float) -> str:
    """The number rounded upwards to two digits, since fewer people or records would not be enough."""
    unit = 10 ** max(0, len(str(int(number))) - 2)
    return f"{ceil(number / unit) * unit:,}"


def _rows(head: str, rows: dict[str, list[str]]) -> str:
    lines = [[head, *(f"ε = {epsilon:g}" for epsilon in EPSILONS)], ["---", *["---:"] * len(EPSILONS)]]
    lines += [[name, *cells] for name, cells in rows.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _ratings(unit: str) -> str:
    kept = stored("chooser-crowds").query("unit == @unit")
    found = kept.pivot(index="density", columns="epsilon", values="people")
    rows = {f"{density:.0%}": [_rounded(x) for x in found.loc[density, EPSILONS]] for density in found.index}
    return _rows("answered", rows)


def chart() -> list[tuple[str, list[tuple[str, str]]]]:
    """The decision chart: for each kind of answer, conditions and what to use, as Markdown."""
    choices = {
        f"{size}, {density:.0%}": [_rounded(reports_needed(size, density, epsilon)) for epsilon in EPSILONS]
        for size in (2, 5)
        for density in (0.1, 0.5)
    }
    records = {
        f"{size}": [_rounded(records_needed(size, epsilon)) for epsilon in EPSILONS] for size in (2, 5)
    }
    places = {"times": [f"{radius_needed(epsilon):.2g}" for epsilon in EPSILONS]}
    return [
        (
            "a rating on a scale",
            [
                (
                    "You protect **one answer**, and have about this many people or more:",
                    f"{_ratings('cell')}\n\nUse **threshold responses in three phases**:"
                    " {doc}`/book/remedies/smaller-question`.",
                ),
                (
                    "You protect **a person with all answers**, and have about this many people or more:",
                    f"{_ratings('worker')}\n\nUse **few questions per person, one of her own answers,"
                    " or noisy bits about mixtures of them**: {doc}`/book/whole-worker/sampling-questions`.",
                ),
                ("You have fewer people.", "Use **nothing**: ask more people, or ask for less."),
            ],
        ),
        (
            "a choice among a few",
            [
                (
                    "You protect **one answer**, and have about this many people or more:",
                    f"{_rows('choices, answered', choices)}\n\nUse **one layer with NULL as a symbol**:"
                    " {doc}`/book/categorical-answers/one-layer`.",
                ),
                (
                    "You protect **a person with all answers**, and have this many *per question*.",
                    "Use **the same, for one question per person**, drawn at random.",
                ),
                ("You have fewer people.", "Use **nothing**: ask more people."),
            ],
        ),
        (
            "a place",
            [
                (
                    "The area's radius is at least about this many times the distance over which two places"
                    " should be hard to distinguish:",
                    f"{_rows('radius', places)}\n\nUse **noise on a lattice**:"
                    " {doc}`/book/remedies/location-noise`.",
                ),
                (
                    "The area is smaller.",
                    "Use **nothing**: more people do not help, only a larger epsilon or a shorter distance.",
                ),
            ],
        ),
        (
            "labels of records that an office holds",
            [
                (
                    "Each group has about this many records or more:",
                    f"{_rows('classes', records)}\n\nUse **noisy counts with an interval**:"
                    " {doc}`/book/remedies/honest-ratios`.",
                ),
                ("Groups are smaller.", "Use **nothing**: merge groups."),
            ],
        ),
    ]


ABOUT = (
    "The numbers say from where on a report is worth it: its error is then below nine tenths of that of one"
    " number for all. Ratings are guessed to be of 50 questions on a scale of five. Answers differ from the"
    f" truth by {run.ERRORS:.0%} of the scale's length and truths from each other by {run.SPREAD:.1%}"
    " (standard deviations). All divisions into choices or classes are equally likely."
)


class Chooser(SphinxDirective):
    def run(self):
        branches = nodes.bullet_list(classes=["chooser-kinds"])
        for kind, cases in chart():
            leaves = nodes.bullet_list()
            for condition, use in cases:
                leaves += nodes.list_item("", *self.parse_text_to_nodes(f"{condition}\n\n{use}"))
            said = self.parse_text_to_nodes(f"An answer holds **{kind}**.")
            branches += nodes.list_item("", *said, leaves)
        drawn = nodes.container("", branches, *self.parse_text_to_nodes(ABOUT), classes=["chooser-chart"])
        return [nodes.container("", drawn, classes=["chooser"])]


def _lay(app, outdir: Path) -> None:
    text = json.dumps(table(), separators=(",", ":"))
    (outdir / "_static" / "chooser.json").write_text(text, encoding="utf-8")


def setup(app):
    app.add_directive("chooser", Chooser)
    app.add_js_file("chooser.js", type="module")
    when_written(app, _lay)
    return {"parallel_read_safe": True}
