"""Exercises that can be checked: foundations."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ldpbook._exercise import IS_FUNCTION, Exercise, function, number, simulation


def _clipped_mean(mu: float, sigma: float) -> float:
    """E max(0, mu + sigma Z)."""
    z = mu / sigma
    density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return mu * (1 + math.erf(z / math.sqrt(2))) / 2 + sigma * density


def _deviation_of_correlated_z() -> float:
    """For 50 tasks of 20 residuals, deviation 1 of what a task shares and 0.1 of the rest.

    z^2 = 20.01 X 999 / (20.01 C + 0.01 B) with independent chi-squares X, C, B of 1, 49 and 950 degrees
    of freedom, and the mean of 1/S is the integral of the mean of exp(-t S) over t; here t = x / (1 - x).
    """
    n = 20_000
    total = 0.0
    for i in range(n):
        x = (i + 0.5) / n
        t = 0.001 * x / (1 - x)
        log_mean = -24.5 * math.log1p(2 * 20.01 * t) - 475 * math.log1p(2 * 0.01 * t)
        total += math.exp(log_mean) * 0.001 / (1 - x) ** 2 / n
    return math.sqrt(20.01 * 999 * total)


def _median_moment(power: int) -> float:
    """E |M|^power for the median M of five standard normal numbers, by its density."""
    n = 20_000
    total = 0.0
    for i in range(n):
        x = 10 * (i + 0.5) / n
        below = (1 + math.erf(x / math.sqrt(2))) / 2
        density = 30 * (below * (1 - below)) ** 2 * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        total += 2 * x**power * density * 10 / n
    return total


def _guessed_from_three() -> float:
    """All outputs of three symbols, kept with probability 4/6, for the symbol 0; ties are drawn."""
    total = 0.0
    for outputs in itertools.product(range(3), repeat=3):
        counts = [outputs.count(symbol) for symbol in range(3)]
        if counts[0] == max(counts):
            total += (4 / 6) ** counts[0] * (1 / 6) ** (3 - counts[0]) / counts.count(counts[0])
    return total


def _singled_out() -> float:
    """Nobody of 199 others has both of two known tasks among 5 of 50."""
    return (1 - math.comb(48, 3) / math.comb(50, 5)) ** 199


def _of_share(share: float) -> float:
    return math.sqrt(share * (1 - share))


def _is_pair_of_truth_values(pair: Any) -> bool:
    """Whatever they are written in: booleans of Python or numpy, or 0 and 1."""
    first, second = pair
    return not any(isinstance(x, str) for x in (first, second)) and {first, second} <= {False, True}


_SEEN = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 1, 0], [0, 1, 0, 0]], dtype=bool)
_SPARSE = np.array([[2.0, np.nan, np.nan], [np.nan, np.nan, 5.0], [np.nan, np.nan, 0.0]])
_LONG = np.full((4, 6), np.nan)  # tasks 0, 2, 3 and 5 without an answer
_LONG[[0, 1, 1, 2, 3], [4, 1, 4, 1, 4]] = [3.0, 0.0, 9.0, 4.0, 4.0]
Pair = tuple[Callable[..., Any], Callable[..., Any]]


def _parts(made: Any) -> list[Any]:
    return list(made) if isinstance(made, tuple | list) else [made]


def _table(made: Any, n_answers: int) -> int:
    """Which of the parts that were stored is the table."""
    parts = _parts(made)
    tables = [i for i, part in enumerate(parts) if isinstance(part, pd.DataFrame)]
    return next(i for i in tables if len(parts[i]) == n_answers)


def _back(pair: Pair, made: Any) -> np.ndarray:
    """The second function takes what was stored as it is, or its parts one by one."""
    try:
        found = pair[1](made)
    except TypeError:
        found = pair[1](*_parts(made))
    return np.asarray(found, dtype=float)


def _one_row_an_answer(pair: Pair) -> bool:
    try:
        _table(pair[0](_SPARSE.copy()), 3)
    except StopIteration:
        return False
    return True


def _comes_back(pair: Pair) -> bool:
    return all(
        np.array_equal(_back(pair, pair[0](matrix.copy())), matrix, equal_nan=True)
        for matrix in (_SPARSE, _LONG, np.arange(6.0).reshape(2, 3))
    )


def _reads_the_table(pair: Pair) -> bool:
    """A table whose answers are all one higher comes back as a matrix whose answers are."""
    made = pair[0](_LONG.copy())
    parts, table = _parts(made), _table(made, 5)
    parts[table] = parts[table].assign(answer=parts[table]["answer"] + 1)
    rebuild = getattr(type(made), "_make", type(made))  # a namedtuple is made from a list by _make
    edited = rebuild(parts) if isinstance(made, tuple | list) else parts[0]
    return np.array_equal(_back(pair, edited), _LONG + 1, equal_nan=True)


def _share_unique(given: np.ndarray) -> float:
    rows = [tuple(row) for row in given.tolist()]
    return sum(rows.count(row) == 1 for row in rows) / len(rows)


def _agrees_on_random_patterns(f: Callable[..., Any]) -> bool:
    """Also with more tasks than a machine number has bits, or a float can tell apart."""
    rng = np.random.default_rng(0)
    patterns = [rng.random((int(rng.integers(2, 30)), int(rng.integers(2, 6)))) < 0.5 for _ in range(20)]
    wide = np.zeros((5, 200), dtype=bool)
    wide[:, 3] = wide[[0, 1, 2], [70, 70, 199]] = True
    for n_tasks, common in ((200, [199]), (1200, [199, 1100])):
        pairs = np.zeros((2 * len(common) + 2, n_tasks), dtype=bool)
        for i, task in enumerate(common):  # two rows that share a late task and differ in the first four
            pairs[2 * i : 2 * i + 2, task] = True
            pairs[2 * i : 2 * i + 2, :4] = [[True, False, False, True], [False, True, True, False]]
        pairs[-2:, 2] = True  # and two that are alike
        patterns.append(pairs)
    return all(math.isclose(f(given), _share_unique(given), abs_tol=1e-12) for given in (*patterns, wide))


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
            ("it is right in the cases tried first, but not for other matrices", _agrees_on_random_patterns),
        ),
    ),
    Exercise(
        "ex-crowd-forget",
        "foundations/crowdsourcing",
        "a pair of functions: from a matrix to a tidy table and what is stored beside it, and back",
        (
            ("the answer is a pair of functions", lambda pair: [callable(f) for f in pair] == [True, True]),
            ("the table is a DataFrame with one row an answer", _one_row_an_answer),
            (
                "a task that nobody answered is lost",
                lambda pair: _back(pair, pair[0](_SPARSE.copy())).shape == _SPARSE.shape,
            ),
            ("answers come back changed, or elsewhere", _comes_back),
            ("the answers come from the table, in its column answer", _reads_the_table),
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
        "ex-crowd-random",
        "foundations/crowdsourcing",
        "the share of the 4,000 crowds in which worker 0 is singled out, and its standard error, as a pair",
        simulation(_singled_out, lambda: _of_share(_singled_out()), 4000),
    ),
    Exercise(
        "ex-truth-ratio",
        "foundations/truth-inference",
        "the ratio of variances as a function of p and r",
        function(
            lambda p, r: (p + (1 - p) / r**2) / (p + (1 - p) / r) ** 2,
            [(0.5, 2.0), (0.1, 10.0), (0.9, 3.0)],
            ("equal workers lose nothing: ratio(0.3, 1) is 1", lambda f: math.isclose(f(0.3, 1.0), 1.0)),
            ("no weights are better than the best: the ratio is at least 1", lambda f: f(0.5, 3.0) >= 1),
            (
                "it lies below the bound of the chapter, and near it if r is large",
                lambda f: 0.999 / 0.3 < f(0.3, 1e6) <= 1 / 0.3,
            ),
            draw=lambda r: (r.uniform(0.01, 0.99), 10 ** r.uniform(0, 4)),
        ),
    ),
    Exercise(
        "ex-truth-takeover",
        "foundations/truth-inference",
        "the distance below which she takes over, as a function of k and sigma",
        function(
            lambda k, sigma: sigma / k,
            [(1, 2.0), (3, 3.0), (10, 0.5)],
            ("more others are harder to overrule", lambda f: f(20, 1.0) < f(2, 1.0)),
            (
                "units: twice the deviation, twice the distance",
                lambda f: math.isclose(f(4, 2.0), 2 * f(4, 1.0)),
            ),
            draw=lambda r: (r.randint(1, 50), 10 ** r.uniform(-2, 2)),
        ),
    ),
    Exercise(
        "ex-truth-equal",
        "foundations/truth-inference",
        "the mean absolute error of Algorithm 1 over 20,000 tasks and its standard error, as a pair",
        simulation(
            lambda: _median_moment(1),
            lambda: math.sqrt(_median_moment(2) - _median_moment(1) ** 2),
            20_000,
        ),
    ),
    Exercise(
        "ex-privacy-variance",
        "foundations/local-privacy",
        "the number of people",
        number(
            lambda: 0.25 / (0.01 * math.tanh(0.5)) ** 2,
            0.002,
            ("more are needed than without flips, where 2,500 do", lambda n: n > 2500),
        ),
    ),
    Exercise(
        "ex-privacy-rounding",
        "foundations/local-privacy",
        "a pair of truth values: is it private to clip the result, and to clip the noise",
        (
            ("the answer is a pair of truth values", _is_pair_of_truth_values),
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
        "the largest probability of guessing right, as a function of epsilon and k",
        function(
            lambda epsilon, k: 1 / (1 + (k - 1) * math.exp(-epsilon)),
            [(1.0, 2), (1.0, 3), (0.1, 11), (5.0, 6)],
            ("at epsilon 0 nothing can be learned", lambda f: math.isclose(f(0.0, 4), 1 / 4)),
            ("a probability is at most 1", lambda f: f(30.0, 3) <= 1),
            draw=lambda r: (10 ** r.uniform(-3, 1.5), r.randint(2, 200)),
        ),
    ),
    Exercise(
        "ex-privacy-thrice",
        "foundations/local-privacy",
        "the share of right guesses for 20,000 workers and its standard error, as a pair",
        simulation(_guessed_from_three, lambda: _of_share(_guessed_from_three()), 20_000),
    ),
    Exercise(
        "ex-random-draws",
        "foundations/randomness",
        "the number of draws",
        number(
            lambda: (6 * 10 / 0.02) ** 2,
            0.02,
            (
                "z must exceed 4 in 39 of 40 runs, not in half of them",
                lambda n: n > 1.5 * (4 * 10 / 0.02) ** 2,
            ),
        ),
    ),
    Exercise(
        "ex-random-laplace",
        "foundations/randomness",
        "the mean square of 500,000 draws and its standard error, as a pair",
        simulation(
            lambda: math.factorial(2),
            lambda: math.sqrt(math.factorial(4) - math.factorial(2) ** 2),
            500_000,
        ),
    ),
    Exercise(
        "ex-random-correlated",
        "foundations/randomness",
        "the deviation of her z-scores, derived, to 1 %",
        number(
            _deviation_of_correlated_z,
            0.01,
            ("honest z-scores have deviation 1, hers are wider", lambda v: v > 1.5),
        ),
    ),
)
