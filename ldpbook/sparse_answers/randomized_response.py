"""Randomized response (RR) over the answers and NULL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, exp
from typing import Any

import numpy as np
from scipy.special import logsumexp

from ldpbook._arrays import Array, row_blocks
from ldpbook._exact import ResponseTable
from ldpbook._validate import count, integer_domain, non_negative, positive
from ldpbook.foundations.local_privacy import NODES, WEIGHTS
from ldpbook.mechanism import AnswerMechanism

__all__ = [
    "RandomizedResponse",
    "TwoLayerResponse",
]

# Above this, e^epsilon leaves no uniform double below the threshold, and nothing is replaced.
_LARGEST_EPSILON = 700.0


@dataclass(frozen=True)
class RandomizedResponse(AnswerMechanism):
    r"""Keep a cell with probability :math:`e^\epsilon/(|\Gamma|+e^\epsilon)`, NULL included.

    Otherwise it is replaced by one of the other :math:`|\Gamma|` symbols, NULL among them, with equal
    probability. Guarantees epsilon-cell LDP for every pair of neighbours, NULL included, and no smaller
    epsilon holds. A worker who changes k cells is protected with k epsilon.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one cell, finite and > 0.
    domain : sequence of int
        The answer domain without NULL, consecutive integers.

    Notes
    -----
    Fit for release: a report is one of a few symbols, drawn with whole numbers from the operating system's
    entropy. With `rng` it is drawn for study, by comparing a double of numpy's generator with a rounded
    probability.

    Source: Sun et al. (2018), Equation 8.
    Derived in: sparse-answers/randomized-response

    Examples
    --------
    >>> rr = RandomizedResponse(epsilon=2.0, domain=range(5))
    >>> rr.perturb([[3, 4, float("nan"), 0]], rng=6)
    array([[3., 4., 4., 4.]])
    """

    epsilon: float
    domain: Sequence[int]

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        object.__setattr__(self, "domain", integer_domain(self.domain))

    @property
    def exact_epsilon(self) -> float:
        """Largest possible privacy loss: epsilon itself."""
        return self.epsilon

    @property
    def transition_matrix(self) -> Array:
        """Probability of each output (column) for each input (row).

        Shape (size + 1, size + 1) for a domain of that size, in the order of the domain,
        with NULL last; rows sum to 1.
        """
        size = len(self.domain)
        other = exp(-self.epsilon)  # relative to keeping, so that no epsilon overflows
        matrix = np.full((size + 1, size + 1), other)
        np.fill_diagonal(matrix, 1.0)
        return matrix / (1 + size * other)

    @property
    def _expected(self) -> Mapping[str, Any]:
        return {"domain": self.domain, "integers": True}

    def _perturbed(self, matrix: Array, rng: np.random.Generator) -> Array:
        return _responses(matrix, np.full((len(matrix), 1), self.epsilon), self.domain, rng)

    def _table(self) -> ResponseTable:
        return ResponseTable.of(self.epsilon, len(self.domain) + 1)


@dataclass(frozen=True)
class TwoLayerResponse(AnswerMechanism):
    r"""Draw a budget once for each worker, uniformly; randomize all her cells with it.

    Two layers as in the source, with NULL as one more symbol. The budget is not sent, but a row of many cells
    reveals it. Between neighbours that differ in one cell, NULL or not, the loss depends on how many cells
    share the budget: see `epsilon_of`. With more cells it rises towards the upper end of the interval, not
    towards the mean.

    Parameters
    ----------
    low, high : float
        Ends of the interval of budgets, 0 <= low <= high <= 700, high > 0.
    domain : sequence of int
        The answer domain without NULL, consecutive integers.

    Notes
    -----
    For study: the budget of a row is a double of numpy's generator. All cells of the row share it, so no
    table of probabilities for single cells, in whole numbers, gives the distribution to which `epsilon_of`
    applies.

    Source: Sun et al. (2018), Section VI-D.
    Derived in: sparse-answers/real-data

    Examples
    --------
    >>> two_layers = TwoLayerResponse(low=0.1, high=3.9, domain=range(5))
    >>> [round(two_layers.epsilon_of(n_answers=n), 2) for n in (1, 100, 10_000)]
    [1.91, 3.8, 3.9]
    >>> two_layers.perturb([[3, 4, float("nan"), 0]], rng=6)
    array([[ 4.,  4., nan,  0.]])
    """

    low: float
    high: float
    domain: Sequence[int]

    def __post_init__(self) -> None:
        if not non_negative("low", self.low) <= positive("high", self.high) <= _LARGEST_EPSILON:
            raise ValueError(f"high must be in {self.low!r}..{_LARGEST_EPSILON}, got {self.high!r:.80}")
        object.__setattr__(self, "domain", integer_domain(self.domain))

    def epsilon_of(self, n_answers: int) -> float:
        """Exact epsilon of one cell of a worker with that many cells, NULL or not.

        Parameters
        ----------
        n_answers : int
            Number of cells that share the budget, >= 1: all tasks.

        Returns
        -------
        float
            Largest privacy loss between rows that differ in one cell, NULL or not; at most `high`, and close
            to it if there are many cells.
        """
        return self.worker_epsilon_of(n_answers, 1)

    def worker_epsilon_of(self, n_answers: int, n_changed: int) -> float:
        """Exact epsilon of a worker with that many cells, some of which may change.

        Parameters
        ----------
        n_answers : int
            Number of cells that share the budget, >= 1: all tasks.
        n_changed : int
            Number of them, NULL or not, in which two rows may differ, from 1 to `n_answers`.

        Returns
        -------
        float
            Largest privacy loss between such rows; at most `n_changed` times `high`.
        """
        n, changed = count("n_answers", n_answers), count("n_changed", n_changed)
        if changed > n:
            raise ValueError(f"n_changed must not exceed n_answers = {n}, got {changed}")
        if self.low == self.high:
            return changed * float(self.high)
        # The output that keeps every cell has the largest loss: the log of a ratio of two means over budgets,
        # with all cells kept and with some replaced. Quadrature uses pieces of at most 1/2, halved towards
        # the points with most weight.
        size, width = len(self.domain), self.high - self.low
        away = np.concatenate([[0.0], 0.5 ** np.arange(60, 0, -1), np.arange(2, 2 * ceil(width) + 2) / 2])
        with np.errstate(divide="ignore"):
            largest = np.clip(np.log(size) + np.log(n - changed) - np.log(changed), self.low, self.high)
        steps = [at + side * away for at in (largest, self.high) for side in (-1, 1)]
        edges = np.unique(np.clip(steps, self.low, self.high))
        budgets = edges[:-1, None] + np.diff(edges)[:, None] * NODES
        weights = np.diff(edges)[:, None] * WEIGHTS
        log_kept = -n * np.log1p(size * np.exp(-budgets))
        return float(logsumexp(log_kept, b=weights) - logsumexp(log_kept - changed * budgets, b=weights))

    _for_study = "it draws a number from an interval first, which no table of words holds"

    @property
    def _expected(self) -> Mapping[str, Any]:
        return {"domain": self.domain, "integers": True}

    def _perturbed(self, matrix: Array, rng: np.random.Generator) -> Array:
        budgets = rng.uniform(self.low, self.high, (len(matrix), 1))
        return _responses(matrix, budgets, self.domain, rng)


def _responses(matrix: Array, budgets: Array, domain: Sequence[int], rng: np.random.Generator) -> Array:
    """Randomized response with a budget for each row, shape (m, 1).

    One uniform draw is made per cell: with probability (size + 1) / (size + e^budget) the cell is replaced by
    a symbol, its own included, all equally probable; otherwise it is kept.
    """
    size = len(domain)
    symbols = np.array([*domain, np.nan])
    totals = size + np.exp(np.minimum(budgets, _LARGEST_EPSILON))
    out = np.empty_like(matrix)
    for rows in row_blocks(matrix):
        block = matrix[rows]
        drawn = np.minimum(rng.random(block.shape) * totals[rows], size + 1).astype(np.intp)
        out[rows] = np.where(drawn <= size, symbols.take(drawn, mode="clip"), block)
    return out
