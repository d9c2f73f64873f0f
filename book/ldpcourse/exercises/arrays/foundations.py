"""Exercises that can be checked: foundations."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ldpcourse.exercises.exercise import IS_FUNCTION, Exercise

_SEEN = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 1, 0], [0, 1, 0, 0]], dtype=bool)
_SPARSE = np.array([[2.0, np.nan, np.nan], [np.nan, np.nan, 5.0], [np.nan, np.nan, 0.0]])
_LONG = np.full((4, 6), np.nan)  # tasks 0, 2, 3 and 5 without an answer
_LONG[[0, 1, 1, 2, 3], [4, 1, 4, 1, 4]] = [3.0, 0.0, 9.0, 4.0, 4.0]
Pair = tuple[Callable[..., Any], Callable[..., Any]]


def _parts(made: Any) -> list[Any]:
    return list(made) if isinstance(made, tuple | list) else [made]


def _table(made: Any, n_answers: int) -> int:
    """Index of the table among the stored parts."""
    parts = _parts(made)
    tables = [i for i, part in enumerate(parts) if isinstance(part, pd.DataFrame)]
    return next(i for i in tables if len(parts[i]) == n_answers)


def _back(pair: Pair, made: Any) -> np.ndarray:
    """Matrix from the second function, which takes the stored object as it is, or its parts one by one."""
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
    """If all answers in the table are raised by one, they are one higher in the matrix too."""
    made = pair[0](_LONG.copy())
    parts, table = _parts(made), _table(made, 5)
    parts[table] = parts[table].assign(answer=parts[table]["answer"] + 1)
    rebuild = getattr(type(made), "_make", type(made))  # only _make builds a namedtuple from a list
    edited = rebuild(parts) if isinstance(made, tuple | list) else parts[0]
    return np.array_equal(_back(pair, edited), _LONG + 1, equal_nan=True)


def _share_unique(given: np.ndarray) -> float:
    rows = [tuple(row) for row in given.tolist()]
    return sum(rows.count(row) == 1 for row in rows) / len(rows)


def _agrees_on_random_patterns(f: Callable[..., Any]) -> bool:
    """Also with more tasks than a machine number has bits, or than a float can distinguish."""
    rng = np.random.default_rng(0)
    patterns = [rng.random((int(rng.integers(2, 30)), int(rng.integers(2, 6)))) < 0.5 for _ in range(20)]
    wide = np.zeros((5, 200), dtype=bool)
    wide[:, 3] = wide[[0, 1, 2], [70, 70, 199]] = True
    for n_tasks, common in ((200, [199]), (1200, [199, 1100])):
        pairs = np.zeros((2 * len(common) + 2, n_tasks), dtype=bool)
        for i, task in enumerate(common):  # two rows with a late task in common that differ in the first four
            pairs[2 * i : 2 * i + 2, task] = True
            pairs[2 * i : 2 * i + 2, :4] = [[True, False, False, True], [False, True, True, False]]
        pairs[-2:, 2] = True  # two equal rows
        patterns.append(pairs)
    return all(math.isclose(f(given), _share_unique(given), abs_tol=1e-12) for given in (*patterns, wide))


EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-crowd-unique",
        "foundations/crowdsourcing",
        "the share as a function of a Boolean matrix of shape (m, n) that says who answered what",
        (
            IS_FUNCTION,
            ("if all answered the same tasks, no one is unique", lambda f: f(np.ones((3, 4), bool)) == 0),
            ("if no two answered the same task, everyone is unique", lambda f: f(np.eye(4, dtype=bool)) == 1),
            (
                "a set of tasks counts as a whole, and a worker is not unique if another has the same set",
                lambda f: math.isclose(f(_SEEN), 3 / 5),
            ),
            ("it is right in the cases tried first, but not for other matrices", _agrees_on_random_patterns),
        ),
    ),
    Exercise(
        "ex-crowd-forget",
        "foundations/crowdsourcing",
        "a pair of functions, one from a matrix to a tidy table and whatever is stored with it, and one back",
        (
            ("the answer is a pair of functions", lambda pair: [callable(f) for f in pair] == [True, True]),
            ("the table has to be a DataFrame with one row per answer", _one_row_an_answer),
            (
                "a task that no one answered is lost",
                lambda pair: _back(pair, pair[0](_SPARSE.copy())).shape == _SPARSE.shape,
            ),
            ("answers come back changed, or in other cells", _comes_back),
            ("the answers have to come from the table, from its column answer", _reads_the_table),
        ),
    ),
)
