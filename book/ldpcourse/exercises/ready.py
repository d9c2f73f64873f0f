"""Self-test of what the first chapters assume: probability, linear algebra and Python."""

import math
import random
from statistics import NormalDist
from typing import Any

from ldpcourse.exercises.exercise import Exercise, function, number

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


_ROWS: list[tuple[Any]] = [([4.0, None, 1.0],), ([0.0, 6.0],), ([None, None, 2.0],)]

READY: tuple[Exercise, ...] = (
    Exercise(
        "ready-variance",
        _PAGE,
        "the variance",
        number(
            lambda: 0.3 * 0.7,
            0.005,
            ("that is the mean", lambda answer: not _is(0.3, answer)),
            ("that is the standard deviation", lambda answer: not _is(math.sqrt(0.21), answer)),
        ),
    ),
    Exercise(
        "ready-bayes",
        _PAGE,
        "the probability",
        number(
            lambda: 0.1 * 0.8 / (0.1 * 0.8 + 0.9 * 0.2),
            0.005,
            (
                "that is how probable the report is if she has cheated, not the other way round",
                lambda answer: not _is(0.8, answer),
            ),
            (
                "that is the share of people who say yes and have cheated; divide by the share who say yes",
                lambda answer: not _is(0.08, answer),
            ),
        ),
    ),
    Exercise(
        "ready-error",
        _PAGE,
        "the standard deviation of the mean",
        number(
            lambda: 2 / math.sqrt(400),
            0.005,
            ("that is the variance of the mean", lambda answer: not _is(0.01, answer)),
            ("variances are divided by 400, standard deviations are not", lambda a: not _is(0.005, a)),
        ),
    ),
    Exercise(
        "ready-distance",
        _PAGE,
        "the mean distance",
        number(
            lambda: (4**2 + 6**2) / 20,
            0.005,
            ("that is the distance of the mean, not the mean distance", lambda answer: not _is(1, answer)),
        ),
    ),
    Exercise(
        "ready-odds",
        _PAGE,
        "the exponent",
        number(
            lambda: math.log(9),
            0.005,
            ("that is e to the exponent; take the natural logarithm", lambda answer: not _is(9, answer)),
            ("logarithms are natural here", lambda answer: not _is(math.log10(9), answer)),
        ),
    ),
    Exercise(
        "ready-normal",
        _PAGE,
        "the probability",
        number(
            lambda: 1 - NormalDist(7, 1.5).cdf(10),
            0.005,
            ("that is the probability of at most ten hours", lambda a: not _is(NormalDist().cdf(2), a)),
            (
                "that is the probability of being so far away on either side",
                lambda answer: not _is(2 * NormalDist().cdf(-2), answer),
            ),
        ),
    ),
    Exercise(
        "ready-system",
        _PAGE,
        "the first component",
        number(
            lambda: (0.8 * 0.56 - 0.2 * 0.44) / (0.8 * 0.8 - 0.2 * 0.2),
            0.005,
            ("that is the second component", lambda answer: not _is(0.4, answer)),
            ("that multiplies by the matrix; its inverse is wanted", lambda a: not _is(0.536, a)),
        ),
    ),
    Exercise(
        "ready-projection",
        _PAGE,
        "the length of the projection",
        number(
            lambda: 4 / math.sqrt(2),
            0.005,
            (
                "that is the inner product; divide by the length of (1, 1)",
                lambda answer: not _is(4, answer),
            ),
            ("divide by the length of (1, 1), not by its square", lambda answer: not _is(2, answer)),
        ),
    ),
    Exercise(
        "ready-singular",
        _PAGE,
        "the smallest singular value",
        number(
            lambda: math.sqrt(5),  # the matrix times its transpose has the eigenvalues 5 and 45
            0.005,
            ("singular values are not negative", lambda answer: answer >= 0),
            ("that is the square of it", lambda answer: not _is(5, answer)),
            ("that is an eigenvalue of the matrix, which is not symmetric", lambda a: not _is(3, a)),
            ("that is the largest", lambda answer: not _is(math.sqrt(45), answer)),
        ),
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
