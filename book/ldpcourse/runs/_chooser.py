"""The table of the chooser: errors to be expected of ratings, by what the reports reveal.

Truths and errors are guessed as shares of the scale's length. What thresholds reveal depends on people,
density and epsilon through two numbers only: the information of all reports on a task, and the odds of an
answer that is kept. So a table with few axes covers all crowds.
"""

from collections.abc import Mapping
from math import log1p
from typing import Any

from ldpbook._arrays import Array
from ldpbook.guide import recommend
from ldpbook.remedies import _foretold as foretold
from ldpbook.remedies.answer_law import AnswerLaw
from ldpbook.remedies.bounds import threshold_information
from ldpbook.whole_worker.row_reports import errors_over
from ldpbook.whole_worker.sampling_questions import row_designs
from ldpcourse.runs.kept import Run, grid

ERRORS, SPREAD = 0.3, 0.125  # standard deviations of errors and of truths, as shares of the scale
SIZES = (3, 5, 7, 10)  # numbers of answers on a scale
GUESSES = ((1.0, 1.0), (0.5, 0.5), (0.5, 1.5), (1.5, 0.5), (1.5, 1.5))  # multiples of ERRORS and SPREAD
TASKS = (1, 2, 5, 15, 50, 200, 1000, 10_000)
ODDS = (0.001, 4.0, 55.0)  # e^epsilon - 1, times the density
TOLD = tuple(10 ** (k / 3) for k in range(-9, 20))  # information, times the variance of the truths
DENSITIES = (0.001, 0.01, 0.1, 0.3, 1.0)
EPSILONS = (0.1, 0.3, 1.0, 2.0, 4.0)


def guessed(size: int, density: float, errors: float = 1.0, spread: float = 1.0) -> tuple[AnswerLaw, Array]:
    """Distribution of the answers and nodes of the truths, around the middle of the scale."""
    length = size - 1
    law = AnswerLaw(range(size), (ERRORS * errors * length,), (1.0,), density)
    return law, length / 2 + SPREAD * spread * length * foretold._NODES


def chooser_thresholds(
    size: int, errors: float, spread: float, n_tasks: int, odds: float
) -> Mapping[str, float]:
    """Error of threshold responses over the constant's, by what all reports on a task reveal."""
    law, truths = guessed(size, 1.0, errors, spread)
    epsilon, variance = log1p(odds), foretold.deviation_of(truths) ** 2
    one = variance * threshold_information(distance=0.0, epsilon=epsilon, density=1.0, sigma=law.sigmas[0])
    constant = foretold.constant(law, truths, "median")
    return {
        f"{told:.2e}": foretold.at_thresholds(law, epsilon, told / one, n_tasks, truths, "median") / constant
        for told in TOLD
    }


def chooser_mixtures(size: int, errors: float, spread: float, n_tasks: int) -> Mapping[str, float]:
    """The same of mixtures and own answers, at a density where it takes many people, but fewer than 2^53."""
    law, truths = guessed(size, 0.001 if n_tasks < 1000 else 0.1, errors, spread)
    epsilon = 0.5
    designs = row_designs(n_tasks=n_tasks, n_workers=1, epsilon=epsilon, density=law.density, sigma=1.0)
    one = float(designs.information["mixed"]) * (foretold.deviation_of(truths) / law.sigmas[0]) ** 2
    constant = foretold.constant(law, truths, "median")
    return {
        f"{told:.2e}": errors_over(law, round(told / one), n_tasks, epsilon, truths)["mixed"] / constant
        for told in TOLD
    }


def chooser_limits(size: int, density: float, epsilon: float) -> Mapping[str, float]:
    """The most that a report can reveal over what a threshold at the truth does; the constant's error."""
    law, truths = guessed(size, density)
    sigma, deviation, many = law.sigmas[0], foretold.deviation_of(truths), 10**12
    one = threshold_information(distance=0.0, epsilon=epsilon, density=density, sigma=sigma)
    nothing, much = (foretold.limit(law, epsilon, m, truths) for m in (0, many))
    most = ((nothing / much) ** 2 - 1) / deviation**2 / many
    return {"ratio": most / one, "constant": foretold.constant(law, truths, "median")}


def chooser_crowds(unit: str, density: float, epsilon: float) -> Mapping[str, float]:
    """The smallest crowd, to within a hundredth, that `recommend` asks about 50 tasks on a scale of five."""
    law, truths = guessed(5, density)
    crowd: dict[str, Any] = {
        "prior_mean": 2.0,
        "prior_deviation": foretold.deviation_of(truths),
        "n_tasks": 50,
        "unit": unit,
    }
    few, enough = 1.0, 1.0
    while not recommend(law, n_workers=int(enough), epsilon=epsilon, **crowd).mechanism:
        few, enough = enough, 10 * enough
    while enough > 1.01 * few:
        middle = (few * enough) ** 0.5
        asked = recommend(law, n_workers=round(middle), epsilon=epsilon, **crowd).mechanism
        few, enough = (few, middle) if asked else (middle, enough)
    return {"people": float(f"{enough:.2g}")}


_GUESSED = tuple({"errors": errors, "spread": spread} for errors, spread in GUESSES)
_CURVES = tuple(
    {"size": size, **guess, "n_tasks": n_tasks} for size in SIZES for guess in _GUESSED for n_tasks in TASKS
)

CHOOSER_RUNS = (
    Run(
        name="chooser-thresholds",
        cell=chooser_thresholds,
        cells=tuple({**curve, "odds": odds} for curve in _CURVES for odds in ODDS),
    ),
    Run(name="chooser-mixtures", cell=chooser_mixtures, cells=_CURVES),
    Run(
        name="chooser-limits",
        cell=chooser_limits,
        cells=grid(size=SIZES, density=DENSITIES, epsilon=EPSILONS),
    ),
    Run(
        name="chooser-crowds",
        cell=chooser_crowds,
        cells=grid(unit=("cell", "worker"), density=(0.01, 0.1, 0.5), epsilon=(0.5, 1.0, 2.0, 4.0)),
        slow="a search over crowds",
    ),
)
