"""Truth inference: the truths of the tasks and the quality of the workers, together.

Answers are numbers, and truths are estimated by weighted means. Weighted votes for choices are in
`ldpbook.categorical_answers.voting`.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, numeric
from ldpbook._crowd import Answers, read_cells
from ldpbook._validate import count, fraction, non_negative

__all__ = [
    "TruthResult",
    "infer_truth",
    "mean_absolute_error",
]

SIGMA_FLOOR = 0.1


@dataclass(frozen=True, eq=False)
class TruthResult:
    """Result of truth inference.

    Attributes
    ----------
    truth : ndarray or Series, shape (n,)
        Estimated truth of each task; nan where no one answered. A Series with the task
        labels if the answers came as a tidy frame.
    quality : ndarray or Series, shape (m,)
        Weight of each worker; the weights sum to 1.
    n_iter : int
        Number of times the truths were estimated.
    converged : bool
        Whether the last step moved no truth by more than `tol`.
    """

    truth: Array | pd.Series
    quality: Array | pd.Series
    n_iter: int
    converged: bool


def infer_truth(
    answers: Answers,
    *,
    max_iter: int = 100,
    tol: float = 1e-6,
    sigma_floor: float = SIGMA_FLOOR,
) -> TruthResult:
    r"""Estimate truths and worker quality in turn (Algorithm 1).

    Starting from equal weights, repeat

    .. math::
        \hat\mu_j = \frac{\sum_i q_i a_{ij}}{\sum_i q_i},\qquad
        q_i \propto \frac1{\max(\sigma_i, \phi\,\sigma)},\qquad
        \sigma_i^2 = \frac1{|T_i|}\sum_{j\in T_i}(a_{ij}-\hat\mu_j)^2

    with sums over the workers who answered j, until no truth moves by more than `tol`. The weights are equal
    if no worker deviates at all. The floor (:math:`\phi` = `sigma_floor`, :math:`\sigma` the root mean square
    of all residuals) keeps one worker from deciding alone: no worker weighs more than :math:`1/\phi` times as
    much as one whose deviation is that root mean square. With a floor near 0 the loop may stop at the answers
    of one worker, if a step happens to reach them exactly. Without a floor each step lowers the convex loss
    :math:`\sum_i|T_i|\,\sigma_i` as long as every deviation is positive. With a floor, the limit minimizes
    the same loss with its kinks rounded off, for the final value of the floor.

    Parameters
    ----------
    answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        A matrix, or one worker's row, with nan = NULL; a scipy sparse array whose stored entries are
        the answers (a stored 0 is the answer 0); or a tidy frame with columns worker, task, answer
        (or label). All answers are finite, with at least one per worker and at most one per worker and task.
    max_iter : int
        Largest number of estimates of the truths, >= 1.
    tol : float
        Convergence threshold, >= 0, in units of the answers.
    sigma_floor : float
        Smallest deviation a worker is credited with, as a multiple of the root mean square
        residual, in (0, 1].

    Returns
    -------
    TruthResult
        Truths, weights, number of iterations and whether they converged.

    Notes
    -----
    Source: Sun et al. (2018), Algorithm 1 and Equations 1-2.
    Derived in: foundations/truth-inference

    Examples
    --------
    Two careful workers outvote a careless one.

    >>> result = infer_truth([[1, 5, 2, 8], [1, 5, 3, 8], [7, 0, 9, 1]])
    >>> result.truth.round(1)
    array([1.2, 4.9, 2.7, 7.8])
    >>> result.quality.round(2)
    array([0.45, 0.52, 0.03])
    """
    count("max_iter", max_iter)
    tol = non_negative("tol", tol)
    fraction("sigma_floor", sigma_floor)
    cells = read_cells(answers)
    matrix, form = cells.csr(), cells.form
    given = sp.csr_array((np.ones_like(matrix.data), matrix.indices, matrix.indptr), matrix.shape)
    n_answers = np.diff(matrix.indptr)
    asked = given.sum(axis=0) > 0

    quality = np.full(matrix.shape[0], 1 / matrix.shape[0])
    truth = np.full(matrix.shape[1], np.nan)
    squared = np.empty_like(matrix.data)
    converged = False
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        previous = truth
        truth = _ratio(matrix.T @ quality, given.T @ quality)
        np.take(truth, matrix.indices, out=squared, mode="clip")  # in place, as touching new memory is slow
        np.square(np.subtract(matrix.data, squared, out=squared), out=squared)
        variance = np.add.reduceat(squared, matrix.indptr[:-1]) / n_answers
        sigma = np.maximum(np.sqrt(variance), sigma_floor * np.sqrt(squared.mean()))
        quality = _weights(sigma)
        # The first step has no previous truth to move from: nan compares as moved.
        if np.all(np.abs(truth - previous)[asked] <= tol):
            converged = True
            break
    return TruthResult(form.of_tasks(truth, "truth"), form.of_workers(quality, "quality"), n_iter, converged)


def mean_absolute_error(truth: ArrayLike, estimate: ArrayLike) -> float:
    """Mean distance between true and estimated answers.

    Parameters
    ----------
    truth, estimate : array_like or Series, shape (n,)
        True and estimated answer of each task. If both are Series, each truth is compared with the estimate
        of the same label; other estimates are ignored.

    Returns
    -------
    float
        Mean of ``|truth - estimate|``, in units of the answers.

    Raises
    ------
    ValueError
        If the shapes differ, are empty, or a value is missing: a task without an estimate
        has no error, and leaving it out is the caller's decision.

    Notes
    -----
    Source: Sun et al. (2018), Equation 3.
    Derived in: foundations/truth-inference

    Examples
    --------
    >>> mean_absolute_error([0, 1], [2, 1])
    1.0
    """
    if isinstance(truth, pd.Series) and isinstance(estimate, pd.Series):
        estimate = estimate.reindex(truth.index)
    true, guess = numeric("truth", truth), numeric("estimate", estimate)
    if true.shape != guess.shape or true.size == 0:
        raise ValueError(f"truth and estimate must have one shape, got {true.shape} and {guess.shape}")
    for name, value in (("truth", true), ("estimate", guess)):
        if not np.isfinite(value).all():
            raise ValueError(f"{name} must be finite for every task, got {value[~np.isfinite(value)][0]}")
    with np.errstate(over="ignore"):  # answers near the largest float: an infinite error
        return float(np.abs(true - guess).mean())


def _ratio(numerator: Array, denominator: Array) -> Array:
    """Elementwise ratio, nan where the denominator is 0: a task that no one answered."""
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0)


def _weights(sigma: Array) -> Array:
    """Weights inverse to the deviations; equal if no worker deviates at all.

    The floor ensures that the deviations are either all positive or all 0.
    """
    weight: Array = sigma.min() / sigma if sigma.min() > 0 else np.ones_like(sigma)
    weight /= weight.sum()
    return weight
