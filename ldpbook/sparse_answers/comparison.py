"""Comparison of mechanisms by the errors of the truths that are inferred after perturbation."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from tqdm import tqdm

from ldpbook._arrays import Array, Rng, generator
from ldpbook._crowd import Answers, read_matrix
from ldpbook._validate import count
from ldpbook.foundations.answers import drop_empty_workers
from ldpbook.foundations.truth_inference import infer_truth, mean_absolute_error
from ldpbook.mechanism import Mechanism, check_mechanisms

__all__ = [
    "mae_changes",
    "message_bytes",
]

_TOLERANCE = 1e-3  # in units of the answers; far below every error compared here


def mae_changes(
    answers: Answers,
    truth: ArrayLike | pd.Series,
    mechanisms: Mapping[Any, Mechanism],
    *,
    n_trials: int,
    scored: ArrayLike | None = None,
    rng: Rng = None,
) -> pd.DataFrame:
    """MAE of the truths inferred after perturbation, minus the MAE before it.

    Algorithm 1 treats the outputs as answers, as in the source. So mechanisms are compared by the weighted
    average that it takes of their outputs, not by the best estimate that these would allow. Mechanisms with
    the same epsilon need not guarantee the same: matrix factorization does not protect NULL.

    Parameters
    ----------
    answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        Answers in any form; nan = NULL; every scored task has an answer.
    truth : array_like or Series, shape (k,)
        Truth of each scored task. A Series is matched by its index: the tasks' labels if the answers are a
        frame, otherwise their numbers.
    mechanisms : mapping to mechanism
        Mechanisms to compare, by name or any other label.
    n_trials : int
        Independent perturbations by each mechanism, >= 1.
    scored : array_like of bool, shape (n,), optional
        The k tasks whose truth is known, in the order of the columns; all of them, or those that a Series
        names, if None.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.

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
    rng = generator(rng)
    count("n_trials", n_trials)
    check_mechanisms(mechanisms)
    matrix, form = read_matrix(answers)
    n_tasks = matrix.shape[1]
    tasks = np.arange(n_tasks) if form.tasks is None else form.tasks
    try:
        chosen = np.ones(n_tasks, dtype=bool) if scored is None else np.asarray(scored)
    except ValueError:  # rows of different length
        chosen = np.asarray(None)
    if chosen.dtype != bool or chosen.shape != (n_tasks,):
        raise ValueError(f"scored must say yes or no of each of {n_tasks} tasks, got {scored!r:.80}")

    def score(perturbed: Answers) -> float:
        found = infer_truth(drop_empty_workers(perturbed), tol=_TOLERANCE).truth
        estimate = pd.Series(found, tasks)[chosen]
        if isinstance(truth, pd.Series):
            estimate = estimate.reindex(truth.index)
        if estimate.isna().any():
            raise ValueError(
                "answers must hold one to each task that truth names, after perturbation too, got none to"
                f" task {estimate.index[estimate.isna()][0]!r}"
            )
        return mean_absolute_error(truth, estimate)

    before = score(matrix)
    rows = []
    for trial in tqdm(range(n_trials), unit="trial", disable=None, leave=False):
        for name, mechanism in mechanisms.items():
            mae = score(mechanism.perturb(matrix, rng))
            rows.append((name, trial, mae, mae - before))
    return pd.DataFrame(rows, columns=["mechanism", "trial", "mae", "mae_change"])


def message_bytes(answers: Answers) -> Array | pd.Series:
    """Bytes of the message in which each worker sends her perturbed answers, or her profile.

    A number takes 8 bytes or, if all numbers are whole, as few bytes as hold each of them. She sends the
    whole row, or each cell that is not NULL preceded by the number of its task, whichever is shorter.

    Parameters
    ----------
    answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        Perturbed answers in any form, at least one per worker; nan = NULL.

    Returns
    -------
    ndarray or Series, shape (m,)
        Whole numbers; with the workers' labels if the answers have any.

    Notes
    -----
    Derived in: sparse-answers/comparison

    Examples
    --------
    >>> nan = float("nan")
    >>> message_bytes([[3, nan, 1, 0], [nan, nan, 7, nan]]), message_bytes([[0.5, 0.25]])
    (array([4, 2]), array([16]))
    """
    matrix, form = read_matrix(answers)
    n_tasks = matrix.shape[1]
    values = matrix[~np.isnan(matrix)]
    cell = 8
    if (values == np.rint(values)).all():
        ends = [np.min_scalar_type(int(end)) for end in (values.min(), values.max())]
        cell = np.result_type(*ends).itemsize
    given = (~np.isnan(matrix)).sum(axis=1)
    pairs = given * (cell + np.min_scalar_type(n_tasks - 1).itemsize)
    of_workers: Array | pd.Series = form.of_workers(np.minimum(n_tasks * cell, pairs), "bytes")
    return of_workers
