"""Rows of reports that no honest worker is likely to send."""

from math import exp

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from ldpbook._arrays import Array, numeric
from ldpbook._tables import only_matrix
from ldpbook._validate import choices, positive

__all__ = ["row_p_values"]


def row_p_values(reports: ArrayLike, *, epsilon: float, n_symbols: int) -> Array:
    r"""Upper bound on the probability that an honest worker repeats a symbol as often, whatever her answers.

    A cell's report is any given symbol with probability at most :math:`p=e^\epsilon/(e^\epsilon+k-1)`. So a
    symbol is reported c times or more in n cells with probability at most :math:`\Pr[B(n,p)\ge c]`.

    The function only reads reports, so it costs no privacy. The unit of protection is a cell.

    A small value means that one symbol appears in too many cells. Liars who alternate between symbols, or who
    attack a single task, do not get a small value.

    Parameters
    ----------
    reports : array_like, shape (m, n)
        Reports by randomized response, one row per worker; nan = NULL, a symbol like the others.
    epsilon : float
        Epsilon of a cell, finite and > 0.
    n_symbols : int
        Number k of symbols of a report, including NULL if it is one, >= 2.

    Returns
    -------
    ndarray, shape (m,)
        For each worker, k times the smallest of these bounds over the symbols, cut off at 1. For an honest
        worker it is at most alpha with probability at most alpha, for every alpha.

    Raises
    ------
    ValueError
        If reports hold more than `n_symbols` symbols.

    Notes
    -----
    Derived in: whole-worker/manipulation

    Examples
    --------
    >>> rows = [[1] * 20, [1, 0, 1, float("nan")] * 5]
    >>> row_p_values(rows, epsilon=1.0, n_symbols=3).round(4)
    array([0., 1.])
    """
    matrix = numeric("reports", only_matrix("reports", reports))
    if matrix.ndim != 2 or 0 in matrix.shape or np.isinf(matrix).any():
        raise ValueError("reports must be a matrix of finite numbers and nan, not empty, got others")
    k = choices("n_symbols", n_symbols)
    p = 1 / (1 + (k - 1) * exp(-positive("epsilon", epsilon)))
    values = np.unique(matrix[~np.isnan(matrix)])
    often = np.isnan(matrix).sum(axis=1)
    if len(values) + bool(often.any()) > k:
        raise ValueError(f"reports must hold at most n_symbols = {k} symbols, got {values!r:.80} and NULL")
    for value in values:
        often = np.maximum(often, (matrix == value).sum(axis=1))
    found: Array = np.minimum(1.0, k * binom.sf(often - 1, matrix.shape[1], p))
    return found
