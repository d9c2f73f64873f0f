"""Re-identification of a worker by her row after every cell of it has been randomized."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ldpbook._arrays import Array, numeric
from ldpbook._crowd import Answers, Form, read_matrix
from ldpbook._validate import flag, integer_domain

__all__ = ["RowLinks", "link_rows"]

_AT_ONCE = 256  # reports per block, so that their data stay in the cache


@dataclass(frozen=True, eq=False)
class RowLinks:
    """Log odds that each report is from the worker of each known row.

    Attributes
    ----------
    log_odds : ndarray, shape (K, N)
        Logarithm of the probability of each report (column) if it is from the known row's worker, over its
        probability if it is from a stranger.
    own : ndarray of int, shape (K,)
        Number of the report with the known row's label (for frames) or place (for arrays); -1 if there is
        none.
    labels : Index or None
        Labels of the reports, if they came in a frame.
    known : Index or None
        Labels of the known rows, if they came in a frame.

    Notes
    -----
    Derived in: whole-worker/row-attack
    """

    log_odds: Array
    own: NDArray[np.intp]
    labels: pd.Index | None = None
    known: pd.Index | None = None

    @property
    def first_guess(self) -> NDArray[np.intp] | pd.Series:
        """The report that fits best, the first of equal ones, by its label if it has one; shape (K,)."""
        best = self.log_odds.argmax(axis=1)
        return best if self.labels is None else pd.Series(self.labels[best], self.known)

    @property
    def belief(self) -> Array:
        """The attacker's own probability that the first guess is right, shape (K,)."""
        return np.asarray(np.exp(self.log_odds.max(axis=1) - logsumexp(self.log_odds, axis=1)))

    @property
    def right(self) -> Array:
        """Probability that a first guess is right, shape (K,): 0, 1, or one over the number of ties."""
        highest = self.log_odds.max(axis=1, keepdims=True)
        best = self.log_odds >= highest - 1e-9 * (1 + np.abs(highest))  # rounding may separate ties
        return np.where(self.own < 0, 0.0, best[np.arange(len(best)), self.own] / best.sum(axis=1))


def link_rows(
    reports: Answers,
    known: Answers,
    *,
    domain: Iterable[int],
    transition_matrix: ArrayLike,
    strangers: ArrayLike | None = None,
    pattern_only: bool = False,
) -> RowLinks:
    """Log odds that each private report of a crowd belongs to a worker some of whose answers are known.

    This is an attack. It measures how much anonymity is left to a worker if only each cell is protected.

    Parameters
    ----------
    reports : array_like, shape (N, n); sparse array; or DataFrame
        One perturbed row per worker, without her name; nan = NULL. A frame has the columns worker, task and
        answer; a task that occurs in no row of it is NULL for every worker.
    known : array_like, shape (K, n) or (n,); sparse array; or DataFrame
        Known answers; nan where the attacker knows none. Either both arguments are frames or neither is.
    domain : sequence of int
        The answer domain without NULL, consecutive integers.
    transition_matrix : array_like, shape (s + 1, s + 1)
        The mechanism's channel: probability of each reported symbol (column) for each symbol of a cell (row),
        in the order of the domain, NULL last. A 0 counts as 1e-300.
    strangers : array_like, shape (s + 1,) or (n, s + 1), optional
        What the attacker believes about other workers' cells: shares of the symbols, for all tasks or for
        each one. By default all are NULL, as nearly all are in a sparse crowd.
    pattern_only : bool
        Whether the attacker knows only which tasks were answered, and treats all answers as equally likely.

    Returns
    -------
    RowLinks
        Log odds, first guesses, and whether they are right.

    Notes
    -----
    Cells are assumed to be perturbed independently. Time grows with the number of known answers times the
    number of reports; memory grows with K N.

    Derived in: whole-worker/row-attack

    Examples
    --------
    >>> from ldpbook.sparse_answers import RandomizedResponse
    >>> rr, null = RandomizedResponse(3.0, range(1, 6)), float("nan")
    >>> rows = [[5, 1, null, null], [null, 2, null, 4], [3, null, null, null]]
    >>> reports = rr.perturb(rows, rng=7)
    >>> links = link_rows(reports, rows, domain=rr.domain, transition_matrix=rr.transition_matrix)
    >>> links.log_odds.round(1) + 0.0
    array([[ 6., -3., -3.],
           [-3.,  6., -6.],
           [ 0., -3.,  3.]])
    >>> links.right
    array([1., 1., 1.])
    """
    symbols = integer_domain(domain)
    channel = _channel(transition_matrix, len(symbols))
    seen, seen_form = _rows("reports", reports, symbols)
    rows, known_form = _rows("known", known, symbols)
    own = np.arange(len(rows), dtype=np.intp)
    own[own >= len(seen)] = -1
    if (seen_form.tasks is None) != (known_form.tasks is None):
        raise TypeError("known must be a frame if reports are one, and only then")
    if seen_form.tasks is not None and known_form.tasks is not None:
        assert seen_form.workers is not None
        assert known_form.workers is not None
        tasks = seen_form.tasks.union(known_form.tasks, sort=False)
        seen = pd.DataFrame(seen, columns=seen_form.tasks).reindex(columns=tasks).to_numpy()
        rows = pd.DataFrame(rows, columns=known_form.tasks).reindex(columns=tasks).to_numpy()
        own = seen_form.workers.get_indexer(known_form.workers)
    if seen.shape[1] != rows.shape[1]:
        raise ValueError(f"known must be answers to the tasks of reports, {seen.shape[1]}, got {rows.shape}")
    hers = np.log(np.maximum(channel, 1e-300))
    if flag("pattern_only", pattern_only):
        hers[:-1] = np.log(np.maximum(channel[:-1].mean(axis=0), 1e-300))
    other = np.log(np.maximum(_shares(strangers, seen.shape[1], len(channel)) @ channel, 1e-300))
    where = np.nonzero(~np.isnan(rows))
    answered = (rows[where] - symbols[0]).astype(np.intp)
    # Known cells with the same task and symbol give a report the same weight, so compute each pair once.
    pairs, pair = np.unique(where[1] * len(channel) + answered, return_inverse=True)
    task, symbol = np.divmod(pairs, len(channel))
    weights = hers[symbol] - other[task]
    cells = sp.csr_array((np.ones(len(pair)), (where[0], pair)), (len(rows), len(pairs)))
    reported = np.where(np.isnan(seen), len(symbols), seen - symbols[0]).astype(np.intp).T
    log_odds = np.empty((len(rows), len(seen)))
    for first in range(0, len(seen), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        log_odds[:, some] = cells @ np.take_along_axis(weights, reported[task, some], axis=1)
    return RowLinks(log_odds, own, seen_form.workers, known_form.workers)


def _channel(transition_matrix: ArrayLike, size: int) -> Array:
    matrix = numeric("transition_matrix", transition_matrix)
    if matrix.shape != (size + 1, size + 1):
        raise ValueError(
            f"transition_matrix must have shape {(size + 1, size + 1)}, domain and NULL, got {matrix.shape}"
        )
    if not ((matrix >= 0) & (matrix < 2)).all() or not np.allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise ValueError(f"transition_matrix must have rows of probabilities of sum 1, got {matrix!r:.80}")
    return matrix


def _shares(strangers: ArrayLike | None, n_tasks: int, n_symbols: int) -> Array:
    """The attacker's belief about a stranger's cell of each task, shape (n, s + 1)."""
    if strangers is None:
        return np.broadcast_to(np.eye(n_symbols)[-1], (n_tasks, n_symbols))
    shares = numeric("strangers", strangers)
    if shares.shape not in ((n_symbols,), (n_tasks, n_symbols)):
        raise ValueError(f"strangers must have shape {(n_tasks, n_symbols)}, got {shares.shape}")
    if not ((shares >= 0) & (shares < 2)).all() or not np.allclose(shares.sum(axis=-1), 1, rtol=0, atol=1e-9):
        raise ValueError(f"strangers must be shares of sum 1, got {shares!r:.80}")
    return np.broadcast_to(shares, (n_tasks, n_symbols))


def _rows(name: str, answers: Answers, symbols: tuple[int, ...]) -> tuple[Array, Form]:
    """Rows of symbols; rows may be all NULL, like a silent report or a row of which nothing is known."""
    try:
        return read_matrix(answers, domain=symbols, integers=True, silent=True)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("answers", name, 1)) from None
