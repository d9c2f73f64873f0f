"""Mechanisms side by side: what perturbation does to the inferred truths."""

from collections.abc import Hashable, Mapping
from typing import Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ldpbook._validate import count
from ldpbook.answers import Matrix, drop_empty_workers
from ldpbook.truth import infer_truth, mean_absolute_error

__all__ = ["mae_changes", "mean_and_error"]

_TOLERANCE = 1e-3  # answer units; far below every error compared here


class Mechanism(Protocol):
    """What the mechanisms of this package have in common."""

    def perturb(self, answers: ArrayLike, rng: np.random.Generator | int) -> Matrix: ...


def mae_changes(
    answers: Matrix,
    truth: ArrayLike,
    mechanisms: Mapping[Hashable, Mechanism],
    *,
    n_trials: int,
    rng: np.random.Generator | int,
    scored: NDArray[np.bool_] | None = None,
) -> pd.DataFrame:
    """MAE of the truths inferred after perturbation, less the MAE before it.

    Parameters
    ----------
    answers : ndarray, shape (m, n)
        Answers; nan = NULL; every task answered.
    truth : array_like, shape (k,)
        Truth of each scored task.
    mechanisms : mapping to mechanism
        What to compare, by name or any other label.
    n_trials : int
        Independent perturbations by each mechanism, >= 1.
    rng : Generator or int
        Source of randomness, or a seed for one.
    scored : ndarray of bool, shape (n,), optional
        The k tasks whose truth is known; all of them if None.

    Returns
    -------
    DataFrame
        Columns mechanism, trial, mae, mae_change, in units of the answers.

    Raises
    ------
    ValueError
        If an argument does not fit, or a scored task is left without any answer.

    Notes
    -----
    Source: Sun et al. (2018), Section VI-A.
    Derived in: sparse-answers/comparison

    Examples
    --------
    >>> from ldpbook import LaplacePerturbation
    >>> lp = LaplacePerturbation(epsilon=1e9, domain=range(10))
    >>> changes = mae_changes(np.ones((3, 2)), [1, 1], {"LP": lp}, n_trials=1, rng=0)
    >>> changes.mae_change.round(6).tolist()
    [0.0]
    """
    rng = np.random.default_rng(rng)
    chosen = np.ones(np.shape(answers)[1], dtype=bool) if scored is None else scored

    def score(matrix: Matrix) -> float:
        return mean_absolute_error(truth, infer_truth(matrix, tol=_TOLERANCE).truth[chosen])

    before = score(answers)
    rows = []
    for trial in range(count("n_trials", n_trials)):
        for name, mechanism in mechanisms.items():
            mae = score(drop_empty_workers(mechanism.perturb(answers, rng)))
            rows.append((name, trial, mae, mae - before))
    return pd.DataFrame(rows, columns=["mechanism", "trial", "mae", "mae_change"])


def mean_and_error(values: pd.DataFrame, by: list[str], column: str = "mae_change") -> pd.DataFrame:
    """Mean and standard error of a column within groups.

    Parameters
    ----------
    values : DataFrame
        One row a trial.
    by : list of str
        Columns that name the groups.
    column : str
        The column to average.

    Returns
    -------
    DataFrame
        The columns `by`, mean and error; error is nan for a single trial.

    Raises
    ------
    KeyError
        If `values` lacks a column.

    Notes
    -----
    Derived in: sparse-answers/comparison

    Examples
    --------
    >>> trials = pd.DataFrame({"mechanism": ["LP", "LP"], "mae_change": [1.0, 3.0]})
    >>> mean_and_error(trials, ["mechanism"])
      mechanism  mean  error
    0        LP   2.0    1.0
    """
    grouped = values.groupby(by, sort=False)[column]
    return grouped.agg(mean="mean", error="sem").reset_index()
