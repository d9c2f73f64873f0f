"""Sphinx extension: ``{flip}`` shows the book's idea: your answer is flipped, but the crowd's mean stays.

Everyone says "yes" or "no" and tells the truth with probability ``KEEP``, as in Warner's randomized
response. The page gets a still figure, drawn with the package's own mechanism; flip.js continues from it in
the reader's browser, with the same formulas.
"""

import json
import math
import re
from dataclasses import dataclass
from html import escape

import numpy as np
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ldp_sphinx import ROOT
from ldpbook.categorical_answers import OneLayerFlip

PEOPLE, YES, KEEP, ROUNDS, SEED = 1000, 300, 0.75, 12, 16
COLUMNS, STEP = 50, 7  # of the crowd's grid
YOU = 525  # the reader's place in it
WIDTH, MOST = 360, 0.6  # of the drawing; the largest share on its axis
AXIS, TOP = 214, 150  # heights of the axis, and of the rounds above it

# Rules of book.css that the drawing needs where this style sheet is not at hand.
_RULES = re.compile(
    r"^(?:svg\.drawing text)?(?::is\()?\.flip-(?:yes|no|you|band|truth|past|now|axis|tick)\b.*", re.M
)
_PAINTS = re.compile(r":is\(\.flip, .*\{( --drawn-first: [^}]*)\}")


@dataclass(frozen=True)
class Round:
    """A crowd's reports, and the curator's estimate from them."""

    reports: np.ndarray
    estimate: float


def estimate(share: float, keep: float) -> float:
    """Unbiased estimate of the share of true "yes", from the share of reported ones."""
    return (share - (1 - keep)) / (2 * keep - 1)


def deviation(people: int, keep: float) -> float:
    """Standard deviation of the estimate, which comes from the flips alone since the answers are fixed."""
    return math.sqrt(keep * (1 - keep) / people) / (2 * keep - 1)


def rounds() -> list[Round]:
    """The surveys of the still figure, in which the reader's answer is no."""
    rng = np.random.default_rng(SEED)
    answers = rng.permutation(np.repeat([1.0, 0.0], [YES, PEOPLE - YES]))
    if answers[YOU]:
        other = int(np.flatnonzero(answers == 0)[0])
        answers[[YOU, other]] = answers[[other, YOU]]
    flip = OneLayerFlip.with_probability(1 - KEEP, choices=2)
    reports = [flip.perturb(answers, rng=rng) for _ in range(ROUNDS)]
    return [Round(r, estimate(float(r.mean()), KEEP)) for r in reports]


def _dots(reports: np.ndarray, wanted: float) -> str:
    """Dots of the people who reported ``wanted``, as one path."""
    places = [divmod(k, COLUMNS) for k in np.flatnonzero(reports == wanted)]
    return "".join(f"M{STEP * column + 8} {STEP * row + 6}h0" for row, column in places)


def place(share: float) -> float:
    """Position of a share on the axis."""
    return round(5 + 350 * min(max(share / MOST, 0), 1), 1)


def drawing(done: list[Round]) -> str:
    """Drawing of the crowd's last reports, and below them the estimates of all rounds and the true share."""
    last, truth = done[-1], YES / PEOPLE
    row, column = divmod(YOU, COLUMNS)
    low, high = (place(truth + side * 2 * deviation(PEOPLE, KEEP)) for side in (-1, 1))
    ticks = "".join(f"M{place(r.estimate)} {TOP + 14}V{AXIS - 8}" for r in done)
    labels = "".join(
        f'<text class="flip-tick" x="{place(share)}" y="{AXIS + 14}">{100 * share:.0f} %</text>'
        for share in (0.1, 0.2, 0.3, 0.4, 0.5)
    )
    said = (
        f"{PEOPLE:,} people, of whom {YES} would say yes. {int(last.reports.sum())} of their reports say yes."
        f" The estimate from these is {100 * last.estimate:.1f} %, the true share {100 * truth:.1f} %."
        f" {len(done)} surveys gave estimates from {100 * min(r.estimate for r in done):.1f} %"
        f" to {100 * max(r.estimate for r in done):.1f} %."
    )
    return (
        f'<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {AXIS + 18}"'
        f' role="img" aria-label="{escape(said)}">'
        f'<path class="flip-no" d="{_dots(last.reports, 0)}"/>'
        f'<path class="flip-yes" d="{_dots(last.reports, 1)}"/>'
        f'<circle class="flip-you" cx="{STEP * column + 8}" cy="{STEP * row + 6}" r="6"/>'
        f'<rect class="flip-band" x="{low}" y="{TOP + 6}" width="{high - low:.1f}"'
        f' height="{AXIS - TOP - 6}"/>'
        f'<path class="flip-truth" d="M{place(truth)} {TOP + 2}V{AXIS}"/>'
        f'<path class="flip-past" d="{ticks}"/>'
        f'<circle class="flip-now" cx="{place(last.estimate)}" cy="{(TOP + AXIS) / 2 + 3:g}" r="5"/>'
        f'<path class="flip-axis" d="M5 {AXIS}H355"/>{labels}</svg>'
    )


def figure() -> str:
    """The still figure with its caption, and the data that flip.js needs to continue."""
    done = rounds()
    epsilon = OneLayerFlip.with_probability(1 - KEEP, choices=2).exact_epsilon
    crowd = {"people": PEOPLE, "yes": YES, "you": YOU, "keep": KEEP}
    data = json.dumps(crowd | {"columns": COLUMNS, "step": STEP, "axis": AXIS, "top": TOP, "most": MOST})
    told = (
        f"<strong>Have you ever cheated in an exam?</strong> Each of {PEOPLE:,} people tells the truth with"
        f" probability {KEEP}, and lies otherwise. Filled dots are reports of “yes”; the ringed one is yours."
        f" The axis shows the share of cheaters: the estimates of {ROUNDS} surveys (strokes; the last is a"
        f" point), the truth, {100 * YES / PEOPLE:.0f} % (dashed), and two standard deviations on either"
        f" side of it (shaded)."
    )
    price = (
        "The share of lies is known, so we can correct for it: (share of “yes” −"
        f' <span class="flip-chance">{1 - KEEP:.2f}</span>)'
        f' / <span class="flip-gap">{2 * KEEP - 1:.2f}</span>. '
        f'One report changes the odds on your answer by a factor of at most <span class="flip-odds">'
        f"{math.exp(epsilon):.2f}</span>: <em>epsilon</em> is"
        f' <span class="flip-epsilon">{epsilon:.2f}</span>. The crowd’s share is known to within'
        f' <span class="flip-error">{200 * deviation(PEOPLE, KEEP):.1f}</span> percentage points, two'
        " standard deviations."
    )
    return (
        f'<figure class="flip" data-flip="{escape(data)}">{drawing(done)}'
        f'<figcaption><p class="flip-told">{told}</p><p class="flip-price">{price}</p></figcaption></figure>'
    )


def alone() -> str:
    """The still as a file of its own, book/_static/flip.svg, with the rules of book.css that it needs."""
    css = (ROOT / "book" / "_static" / "book.css").read_text(encoding="utf-8")
    light, dark = _PAINTS.findall(css)
    rules = "\n".join(
        [
            f"svg {{ color: #24292f; font-family: sans-serif;{light}}}",
            "text { fill: currentcolor; }",
            *_RULES.findall(css),
            f"@media (prefers-color-scheme: dark) {{ svg {{ color: #d1d7e0;{dark}}} }}",
        ]
    )
    return drawing(rounds()).replace(">", f"><style>\n{rules}\n</style>", 1) + "\n"


class Flip(SphinxDirective):
    def run(self):
        return [nodes.raw("", figure(), format="html")]


def setup(app):
    app.add_directive("flip", Flip)
    app.add_js_file("flip.js", type="module")
    return {"parallel_read_safe": True}
