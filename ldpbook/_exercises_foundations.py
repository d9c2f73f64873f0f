"""Exercises that can be checked: foundations."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ldpbook._exercise import IS_FUNCTION, Exercise, function, number


def _clipped_mean(mu: float, sigma: float) -> float:
    """E max(0, mu + sigma Z)."""
    z = mu / sigma
    density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return mu * (1 + math.erf(z / math.sqrt(2))) / 2 + sigma * density


_SEEN = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 1, 0], [0, 1, 0, 0]], dtype=bool)
_SPARSE = np.array([[2.0, np.nan, np.nan], [np.nan, np.nan, 5.0], [np.nan, np.nan, 1.0]])


def _one_row_an_answer(pair: tuple[Callable[..., Any], Callable[..., Any]]) -> bool:
    table = pair[0](_SPARSE)
    tables = table if isinstance(table, tuple) else (table,)
    return any(isinstance(part, pd.DataFrame) and len(part) == 3 for part in tables)


EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-crowd-unique",
        "foundations/crowdsourcing",
        "the share as a function of a matrix that says who answered what, shape (m, n)",
        (
            IS_FUNCTION,
            ("if all answered the same tasks, nobody is unique", lambda f: f(np.ones((3, 4), bool)) == 0),
            ("if no two answered the same, everybody is", lambda f: f(np.eye(4, dtype=bool)) == 1),
            (
                "a set of tasks counts as a whole, and who shares it with one other is not unique",
                lambda f: math.isclose(f(_SEEN), 3 / 5),
            ),
        ),
    ),
    Exercise(
        "ex-crowd-forget",
        "foundations/crowdsourcing",
        "a pair of functions: from a matrix to a table and what is stored beside it, and back",
        (
            ("the answer is a pair of functions", lambda pair: [callable(f) for f in pair] == [True, True]),
            ("the table is a DataFrame with one row an answer", _one_row_an_answer),
            (
                "a task that nobody answered is lost",
                lambda pair: np.shape(pair[1](pair[0](_SPARSE))) == _SPARSE.shape,
            ),
            (
                "answers come back changed, or elsewhere",
                lambda pair: np.array_equal(pair[1](pair[0](_SPARSE)), _SPARSE, equal_nan=True),
            ),
        ),
    ),
    Exercise(
        "ex-crowd-clipping",
        "foundations/crowdsourcing",
        "the expected answer as a function of mu and sigma",
        function(
            _clipped_mean,
            [(0.0, 1.0), (0.0, 5.0), (2.0, 1.0), (-1.0, 2.0)],
            (
                "a truth far above 0 is not clipped: f(50, 1) is 50",
                lambda f: math.isclose(f(50.0, 1.0), 50.0),
            ),
            ("clipping at 0 only raises answers", lambda f: f(1.0, 3.0) > 1.0),
            draw=lambda r: (r.uniform(-3, 6), 10 ** r.uniform(-0.3, 1)),
        ),
    ),
    Exercise(
        "ex-truth-ratio",
        "foundations/truth-inference",
        "the ratio of variances as a function of r",
        function(
            lambda r: 2 * (1 + r**-2) / (1 + 1 / r) ** 2,
            [(2.0,), (10.0,)],
            ("equal workers lose nothing: ratio(1) is 1", lambda f: math.isclose(f(1.0), 1.0)),
            ("no weights are better than the best: the ratio is at least 1", lambda f: f(3.0) >= 1),
            ("the limit for large r differs", lambda f: math.isclose(f(1e9), 2.0, rel_tol=1e-6)),
            draw=lambda r: (10 ** r.uniform(0, 4),),
        ),
    ),
    Exercise(
        "ex-truth-takeover",
        "foundations/truth-inference",
        "the distance below which she takes over, as a function of k and sigma",
        function(
            lambda k, sigma: sigma / k,
            [(3, 3.0), (10, 0.5)],
            ("more others are harder to overrule", lambda f: f(20, 1.0) < f(2, 1.0)),
            (
                "units: twice the deviation, twice the distance",
                lambda f: math.isclose(f(4, 2.0), 2 * f(4, 1.0)),
            ),
            draw=lambda r: (r.randint(1, 50), 10 ** r.uniform(-2, 2)),
        ),
    ),
    Exercise(
        "ex-privacy-variance",
        "foundations/local-privacy",
        "the number of people",
        number(
            lambda: 0.25 / (0.01 * math.tanh(0.5)) ** 2,
            0.01,
            ("more are needed than without flips, where 2,500 do", lambda n: n > 2500),
        ),
    ),
    Exercise(
        "ex-privacy-rounding",
        "foundations/local-privacy",
        "a pair of truth values: is it private to clip the result, and to clip the noise",
        (
            ("the answer is a pair of truth values", lambda pair: [type(x) for x in pair] == [bool, bool]),
            ("the first follows from what may be done to any private output", lambda pair: pair[0]),
            (
                "for the second, look at outputs that only one of the answers can produce",
                lambda pair: not pair[1],
            ),
        ),
    ),
    Exercise(
        "ex-privacy-best",
        "foundations/local-privacy",
        "the largest probability of guessing right, as a function of epsilon",
        function(
            lambda epsilon: 1 / (1 + math.exp(-epsilon)),
            [(1.0,), (0.1,), (5.0,)],
            ("at epsilon 0 nothing can be learned", lambda f: math.isclose(f(0.0), 0.5)),
            ("a probability is at most 1", lambda f: f(30.0) <= 1),
            draw=lambda r: (10 ** r.uniform(-3, 1.5),),
        ),
    ),
    Exercise(
        "ex-random-draws",
        "foundations/randomness",
        "the number of draws",
        number(
            lambda: (6 * 10 / 0.02) ** 2,
            0.001,
            (
                "z must exceed 4 in 39 of 40 runs, not in half of them",
                lambda n: n > 1.01 * (4 * 10 / 0.02) ** 2,
            ),
        ),
    ),
    Exercise(
        "ex-random-correlated",
        "foundations/randomness",
        "the deviation of her z-scores, derived for 50 tasks of 20 residuals, noise of deviation 0.1",
        number(
            lambda: math.sqrt(20 * (1 + 0.01 / 20) / 1.01),
            0.02,
            ("honest z-scores have deviation 1, hers are wider", lambda v: v > 1.5),
            ("20 residuals a task cannot mislead by more than the root of 20", lambda v: v < math.sqrt(20)),
        ),
    ),
)
