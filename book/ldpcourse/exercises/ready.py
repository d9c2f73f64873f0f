"""Self-test of what the first chapters assume: probability, linear algebra and Python."""

import math
import random
from collections.abc import Callable, Mapping
from statistics import NormalDist
from typing import Any

from ldpcourse.exercises.exercise import Exercise, Property, function, number

_PAGE = "teaching/self-test"


def _mean_of_answers(row: list[float | None]) -> float:
    given = [answer for answer in row if answer is not None]
    return sum(given) / len(given)


def _drawn_row(source: random.Random) -> tuple[Any]:
    row: list[float | None] = [
        source.choice([None, 0.0, 1.0, 2.0, 9.0]) for _ in range(source.randrange(1, 8))
    ]
    return ([*row, 5.0],)


def _is(value: float, answer: float) -> bool:
    return math.isclose(answer, value, rel_tol=1e-3)


def _asked(
    label: str, asks: str, key: Callable[[], float], wrong: Mapping[float, str], *hints: Property
) -> Exercise:
    """A question for a number; each of the wrong ones that are likely has a sentence that says what it is."""
    traps = [(said, lambda answer, value=value: not _is(value, answer)) for value, said in wrong.items()]
    return Exercise(label, _PAGE, asks, number(key, 0.005, *hints, *traps))


_ROWS: list[tuple[Any]] = [([4.0, None, 1.0],), ([0.0, 6.0],), ([None, None, 2.0],)]

READY: tuple[Exercise, ...] = (
    _asked(
        "ready-variance",
        "the variance",
        lambda: 0.3 * 0.7,
        {0.3: "that is the mean", math.sqrt(0.21): "that is the standard deviation"},
    ),
    _asked(
        "ready-bayes",
        "the probability",
        lambda: 0.1 * 0.8 / (0.1 * 0.8 + 0.9 * 0.2),
        {
            0.8: "that is how probable the report is if she has cheated, not the other way round",
            0.08: "that is the share of people who say yes and have cheated; divide by the share who say yes",
        },
    ),
    _asked(
        "ready-error",
        "the standard deviation of the mean",
        lambda: 2 / math.sqrt(400),
        {
            0.01: "that is the variance of the mean",
            0.005: "variances are divided by 400, standard deviations are not",
        },
    ),
    _asked(
        "ready-distance",
        "the mean distance",
        lambda: (4**2 + 6**2) / 20,
        {1: "that is the distance of the mean, not the mean distance"},
    ),
    _asked(
        "ready-odds",
        "the exponent",
        lambda: math.log(9),
        {
            9: "that is e to the exponent; take the natural logarithm",
            math.log10(9): "logarithms are natural here",
        },
    ),
    _asked(
        "ready-normal",
        "the probability",
        lambda: 1 - NormalDist(7, 1.5).cdf(10),
        {
            NormalDist().cdf(2): "that is the probability of at most ten hours",
            2 * NormalDist().cdf(-2): "that is the probability of being so far away on either side",
        },
    ),
    _asked(
        "ready-system",
        "the first component",
        lambda: (0.8 * 0.56 - 0.2 * 0.44) / (0.8 * 0.8 - 0.2 * 0.2),
        {
            0.4: "that is the second component",
            0.536: "that multiplies by the matrix; its inverse is wanted",
        },
    ),
    _asked(
        "ready-projection",
        "the length of the projection",
        lambda: 4 / math.sqrt(2),
        {
            4: "that is the inner product; divide by the length of (1, 1)",
            2: "divide by the length of (1, 1), not by its square",
        },
    ),
    _asked(
        "ready-singular",
        "the smallest singular value",
        lambda: math.sqrt(5),  # the matrix times its transpose has the eigenvalues 5 and 45
        {
            5: "that is the square of it",
            3: "that is an eigenvalue of the matrix, which is not symmetric",
            math.sqrt(45): "that is the largest",
        },
        ("singular values are not negative", lambda answer: answer >= 0),
    ),
    Exercise(
        "ready-python",
        _PAGE,
        "the mean as a function of a list",
        function(
            lambda row: _mean_of_answers(row),
            _ROWS,
            (
                "0 is an answer, and None is not: f([0, 6, None]) is 3",
                lambda f: math.isclose(f([0.0, 6.0, None]), 3.0),
            ),
            draw=_drawn_row,
        ),
    ),
)
