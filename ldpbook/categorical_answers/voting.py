"""Votes: by majority, weighted by how often a worker agrees, and by Dawid and Skene's model."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, overload

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, Rng, generator, numeric
from ldpbook._crowd import Answers, Cells, Choices, n_choices, read_cells
from ldpbook._validate import count, non_negative, one_of, positive

__all__ = [
    "DawidSkeneResult",
    "VoteResult",
    "dawid_skene",
    "majority_vote",
    "weighted_vote",
    "weighted_vote_printed",
]

_BLOCK_VOTES = 2**15  # votes of the trials that are counted together
# Choices of a task are tied if their votes differ by at most this share of the sum of its workers' absolute
# weights: rounding, which depends on the order in which votes are added up, then decides nothing.
_TIE = 1e-9

Ties = Literal["smallest", "random"]


@dataclass(frozen=True, eq=False)
class VoteResult:
    """Result of a vote.

    Attributes
    ----------
    truth : ndarray, shape (..., n), or Series, shape (n,)
        Elected choice of each task; nan, or None among labels, where no one answered. A Series with the
        task labels if the answers came as a tidy frame.
    quality : ndarray, shape (..., m), or Series, shape (m,)
        Weight that each worker has earned by agreeing with `truth`, in nats; negative for a worker who agrees
        less often than a guess would. A Series with the worker labels, like `truth`.
    n_iter : int
        Number of times the truths were elected.
    converged : bool
        Whether the last election changed no truth.
    """

    truth: Array | pd.Series
    quality: Array | pd.Series
    n_iter: int
    converged: bool


@overload
def majority_vote(
    answers: pd.DataFrame, choices: Choices, *, ties: Ties = "smallest", rng: Rng = None
) -> pd.Series: ...
@overload
def majority_vote(
    answers: ArrayLike | sp.sparray | sp.spmatrix,
    choices: Choices,
    *,
    ties: Ties = "smallest",
    rng: Rng = None,
) -> Array: ...
def majority_vote(
    answers: Answers, choices: Choices, *, ties: Ties = "smallest", rng: Rng = None
) -> Array | pd.Series:
    """Choice that most workers gave, task by task.

    A majority vote does not say how probable its choices are. For flipped labels,
    :func:`~ldpbook.categorical_answers.known_channel.decode_choices`, which knows the flip probabilities,
    does.

    Parameters
    ----------
    answers : array_like, shape (..., m, n) or (n,); sparse array, shape (m, n); or DataFrame
        As for :func:`weighted_vote`.
    choices : int or sequence
        Number s of choices, >= 2, if answers are 0..s-1; otherwise the labels of the choices.
    ties : {"smallest", "random"}
        Which of the tied choices wins: the first of them in the order of the choices, or one drawn at random.
    rng : Generator or int, optional
        Source of randomness for ties, or a seed for one; fresh entropy by default.

    Returns
    -------
    ndarray, shape (..., n), or Series, shape (n,)
        Elected choices, as `truth` of :class:`VoteResult`.

    Notes
    -----
    Source: Li et al. (2018), Equation 1.
    Derived in: categorical-answers/voting

    Examples
    --------
    >>> majority_vote([[0, 1, 2], [0, 1, 1], [1, 1, 0]], 3)
    array([0., 1., 0.])
    >>> answers = pd.DataFrame({"worker": [1, 2, 3], "task": "t", "answer": ["cat", "dog", "dog"]})
    >>> majority_vote(answers, ["cat", "dog"]).to_dict()
    {'t': 'dog'}
    """
    return weighted_vote(answers, choices, max_iter=1, ties=ties, rng=rng).truth


def weighted_vote(
    answers: Answers,
    choices: Choices,
    *,
    max_iter: int = 20,
    smoothing: float = 1.0,
    ties: Ties = "smallest",
    rng: Rng = None,
) -> VoteResult:
    r"""Truth discovery: elect truths, weigh workers by their agreement, and repeat.

    Starting from equal weights,

    .. math::
        \hat x_j = \arg\max_x \sum_{i:\,a_{ij}=x} w_i,\qquad
        w_i = \ln\frac{(s-1)\,\hat\alpha_i}{1-\hat\alpha_i},\qquad
        \hat\alpha_i = \frac{r_i + c}{k_i + sc}

    where :math:`r_i` of the :math:`k_i` answers of worker i agree with the elected truths,
    and c is the smoothing. With two choices the weight is the source's log-odds; with more it is 0, not
    negative, for a worker who guesses.

    Parameters
    ----------
    answers : array_like, shape (..., m, n) or (n,); sparse array, shape (m, n); or DataFrame
        A matrix, or one worker's row, with nan (None among labels) = NULL; leading axes are independent
        trials. Or a sparse array whose stored entries are the answers; or a tidy frame with columns
        worker, task, answer (or label). Each worker has at least one answer.
    choices : int or sequence
        Number s of choices, >= 2, if answers are 0..s-1; otherwise the labels of the choices.
    max_iter : int
        Largest number of elections, >= 1; 1 is majority voting.
    smoothing : float
        Answers c added for each choice, > 0, so that no weight is infinite.
    ties : {"smallest", "random"}
        Which of the tied choices wins: the first of them in the order of the choices, or in an order drawn
        for each task. Votes are tied within 1e-9 times the sum of the absolute weights of the task's
        workers.
    rng : Generator or int, optional
        Source of randomness for ties, or a seed for one; fresh entropy by default.

    Returns
    -------
    VoteResult
        Truths, weights, number of elections and whether they converged.

    Raises
    ------
    ValueError
        If `answers` hold anything but choices and NULL, or a worker has no answer; or if `rng` is given
        although no tie is drawn.

    Notes
    -----
    Source: Li et al. (2018), Equations 2 and 3.
    Derived in: categorical-answers/voting

    Examples
    --------
    Two workers who always agree outvote three who do not.

    >>> answers = [[0, 1, 0, 1], [0, 1, 0, 1], [1, 1, 0, 0], [1, 0, 1, 1], [1, 0, 1, 0]]
    >>> majority_vote(answers, 2)
    array([1., 1., 0., 1.])
    >>> weighted_vote(answers, 2).truth
    array([0., 1., 0., 1.])
    """
    return _vote(answers, choices, max_iter, smoothing, ties, rng, None)


def weighted_vote_printed(
    answers: Answers,
    choices: Choices,
    g: Callable[[Array], ArrayLike],
    *,
    max_iter: int = 20,
    smoothing: float = 1.0,
    ties: Ties = "smallest",
    rng: Rng = None,
) -> VoteResult:
    r"""Truth discovery with Li's Equation 3 as printed: agreements are divided by the number of all tasks.

    As :func:`weighted_vote`, but

    .. math::
        w_i = g(\hat p_i),\qquad \hat p_i = \frac{r_i + c}{n + sc}

    where n counts the tasks, whether worker i answered them or not. Where workers answer fewer than half of
    the tasks, a g that is negative below one half, as the log-odds are, makes all weights negative, and the
    choice with less support wins.

    Parameters
    ----------
    answers : array_like, shape (..., m, n) or (n,); sparse array, shape (m, n); or DataFrame
        As for :func:`weighted_vote`.
    choices : int or sequence
        Number s of choices, >= 2, if answers are 0..s-1; otherwise the labels of the choices.
    g : callable
        Function of the shares of all workers, shape (m,), in (0, 1), that returns their finite weights.
    max_iter, smoothing, ties, rng
        As for :func:`weighted_vote`.

    Returns
    -------
    VoteResult
        Truths, weights, number of elections and whether they converged.

    Notes
    -----
    Source: Li et al. (2018), Equations 2 and 3.
    Derived in: categorical-answers/voting

    Examples
    --------
    Five workers answer two of six tasks each, always with 1.

    >>> answers = np.full((5, 6), np.nan)
    >>> answers[:, :2] = 1
    >>> weighted_vote_printed(answers, 2, lambda p: p).truth[:2]
    array([1., 1.])
    >>> weighted_vote_printed(answers, 2, lambda p: np.log(p / (1 - p))).truth[:2]
    array([0., 0.])
    """
    if not callable(g):
        raise TypeError(f"g must be a function of the workers' shares, got {g!r:.80}")
    return _vote(answers, choices, max_iter, smoothing, ties, rng, g)


def _vote(
    answers: Answers,
    choices: Choices,
    max_iter: int,
    smoothing: float,
    ties: Ties,
    rng: Rng,
    g: Callable[[Array], ArrayLike] | None,
) -> VoteResult:
    """Truth discovery, weighted by log-odds of shares of the answers given or by g of shares of all tasks."""
    s = n_choices(choices)
    count("max_iter", max_iter)
    c = positive("smoothing", smoothing)
    one_of("ties", ties, ("smallest", "random"))
    if ties == "smallest" and rng is not None:
        raise ValueError(f'rng must be None unless ties are "random": nothing else is drawn; got {rng!r:.80}')
    draws = generator(rng) if ties == "random" else None
    cells = read_cells(answers, choices=choices, stacked=True)
    form = cells.form
    *trials, n_workers, n_tasks = form.shape if len(form.shape) > 1 else cells.shape
    # A function g of all workers' shares has to see them all at once.
    votes = Votes.of(cells, n_workers, s, apart=g is None)

    def weigh(right: Array) -> Array:
        assert g is not None
        weight = numeric("g", g((right + c) / (n_tasks + s * c)))
        if weight.shape != right.shape or not np.isfinite(weight).all():
            raise ValueError(f"g must return a finite weight of each worker, got {weight!r:.80}")
        return weight

    elected, weight, n_iter, converged = votes.elect(
        draws, max_iter=max_iter, smoothing=c, weigh=None if g is None else weigh
    )
    truth = form.elected(elected.reshape(*trials, n_tasks))
    quality = form.of_workers(weight.reshape(*trials, n_workers), "quality")
    return VoteResult(truth, quality, n_iter, converged)


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes of one or more trials, indexed once for all elections among them.

    Trials are independent, so a few are counted at a time: they stay in the cache, and their elections end as
    soon as they converge.
    """

    parts: tuple["_Votes", ...]
    n_choices: int

    @classmethod
    def of(cls, cells: Cells, n_workers: int, n_choices: int, *, apart: bool = True) -> "Votes":
        """Votes of trials stacked below each other, each with `n_workers` workers."""
        size = rows = cells.shape[0]
        if apart:
            of_trial = 1 + len(cells.answer) * n_workers // rows
            rows = n_workers * max(1, _BLOCK_VOTES // of_trial)
        ends = np.searchsorted(cells.worker, [*range(0, size, rows), size])
        parts = []
        for first, (start, end) in zip(range(0, size, rows), pairwise(ends), strict=True):
            own = cells.part(slice(start, end), first, min(rows, size - first))
            parts.append(_Votes.of(own, n_workers, n_choices))
        return cls(tuple(parts), n_choices)

    def elect(
        self,
        draws: np.random.Generator | None,
        *,
        max_iter: int = 20,
        smoothing: float = 1.0,
        weigh: Callable[[Array], Array] | None = None,
    ) -> tuple[Array, Array, int, bool]:
        """Truths (nan where no one answered), weights, number of elections, and whether they converged.

        Weights are log-odds of the share of agreements, unless `weigh` computes them from the numbers of
        agreements.
        """
        ends = np.cumsum([part.n_tasks for part in self.parts])
        rank = np.tile(np.arange(self.n_choices)[::-1, None], ends[-1])
        if draws is not None:
            rank = draws.permuted(rank, axis=0)
        ranks = np.split(rank, ends[:-1], axis=1)
        found = [
            part.elect(own, max_iter, smoothing, weigh) for part, own in zip(self.parts, ranks, strict=True)
        ]
        elected, weight, n_iter, converged = zip(*found, strict=True)
        return np.concatenate(elected), np.concatenate(weight), max(n_iter), all(converged)


@dataclass(frozen=True, eq=False)
class _Votes:
    """Votes of trials that are counted together.

    Workers and tasks are numbered on from one trial to the next. A slot is a pair of a choice and a task,
    ordered by choice first, so that reductions over choices run along memory.
    """

    given: sp.csr_array  # shape (workers, slots): 1 where the slot is the worker's vote
    received: sp.csr_array  # its transpose: times the weights, it gives the votes
    n_answers: NDArray[np.intp]  # of each worker
    n_choices: int

    @classmethod
    def of(cls, cells: Cells, n_workers: int, n_choices: int) -> "_Votes":
        m, n_tasks = cells.shape
        n_all = m // n_workers * n_tasks
        task = cells.worker // n_workers * n_tasks + cells.task
        slot = cells.answer.astype(np.intp) * n_all + task
        n_answers = np.bincount(cells.worker, minlength=m)
        ends = np.append(0, n_answers.cumsum())
        given = sp.csr_array((np.ones(slot.size), slot, ends), (m, n_choices * n_all))
        return cls(given, given.T.tocsr(), n_answers, n_choices)

    @property
    def n_tasks(self) -> int:
        """Number of tasks of all trials together."""
        return self.given.shape[1] // self.n_choices

    def elect(
        self,
        rank: NDArray[np.intp],
        max_iter: int,
        smoothing: float,
        weigh: Callable[[Array], Array] | None,
    ) -> tuple[Array, Array, int, bool]:
        """As for `Votes`; of tied choices, the one of highest rank, shape (choices, tasks), is elected."""
        s = self.n_choices
        weight = np.ones(len(self.n_answers))
        elected = np.zeros(rank.shape, dtype=bool)
        converged = False
        for n_iter in range(1, max_iter + 1):  # noqa: B007
            previous = elected
            votes = (self.received @ weight).reshape(s, -1)
            limit = _TIE * (self.received @ np.abs(weight)).reshape(s, -1).sum(axis=0)
            tied = votes >= votes.max(axis=0) - limit
            rank_of_tied = np.where(tied, rank, -1)
            elected = rank_of_tied == rank_of_tied.max(axis=0)
            right = self.given @ elected.ravel().astype(float)
            if weigh is not None:
                weight = weigh(right)
            else:  # log of (s-1) times accuracy over its complement; finite for any smoothing
                weight = np.log(right + smoothing) - np.log((self.n_answers - right) / (s - 1) + smoothing)
            if np.array_equal(elected, previous):
                converged = True
                break
        asked = np.diff(self.received.indptr).reshape(s, -1).any(axis=0)
        return np.where(asked, elected.argmax(axis=0), np.nan), weight, n_iter, converged


@dataclass(frozen=True, eq=False)
class DawidSkeneResult:
    """Result of expectation maximization.

    If the answers came as a tidy frame, everything carries the labels of its workers, tasks and choices.

    Attributes
    ----------
    truth : ndarray or Series, shape (n,)
        Most probable choice of each task, the first of equally probable ones; nan, or None among
        labels, where no one answered.
    posterior : ndarray or DataFrame, shape (n, s)
        Probability that each choice is the truth.
    confusion : ndarray, shape (m, s, s), or DataFrame, shape (m s, s)
        Probability that a worker answers with the last index where the middle one is true; in a frame,
        rows are workers and truths, columns answers.
    prior : ndarray or Series, shape (s,)
        Share of each choice among the truths.
    log_likelihood : float
        Log likelihood of the answers under `confusion` and `prior`, in nats.
    n_iter : int
        Number of steps.
    converged : bool
        Whether the last step moved no posterior by more than `tol`.
    """

    truth: Array | pd.Series
    posterior: Array | pd.DataFrame
    confusion: Array | pd.DataFrame
    prior: Array | pd.Series
    log_likelihood: float
    n_iter: int
    converged: bool


def dawid_skene(
    answers: Answers,
    choices: Choices,
    *,
    max_iter: int = 100,
    tol: float = 1e-6,
    smoothing: float = 0.01,
) -> DawidSkeneResult:
    r"""Truths, the confusion matrix of each worker and the shares of the choices, by maximum likelihood.

    Starting from the shares of votes :math:`\tau_{jx}`, repeat

    .. math::
        \pi_{xy}^{(i)} \propto c + \sum_{j:\,a_{ij}=y}\tau_{jx},\qquad
        \rho_x = \frac1n\sum_j\tau_{jx},\qquad
        \tau_{jx} \propto \rho_x\prod_i\pi^{(i)}_{x\,a_{ij}} .

    Here j runs over the n tasks with an answer. With few answers per worker the posteriors are far too
    confident: any answer of a worker may be explained as a habit of hers. For labels flipped by a
    known mechanism use :func:`~ldpbook.categorical_answers.known_channel.decode_choices`, which knows the
    flip probabilities.

    Parameters
    ----------
    answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        As for :func:`weighted_vote`, but of one trial.
    choices : int or sequence
        Number s of choices, >= 2, if answers are 0..s-1; otherwise the labels of the choices.
    max_iter : int
        Largest number of steps, >= 1.
    tol : float
        Convergence threshold for the posteriors, >= 0.
    smoothing : float
        Answers c added to each entry of a confusion matrix, > 0.

    Returns
    -------
    DawidSkeneResult
        Truths, posteriors, confusion matrices, shares and how the iteration went.

    Raises
    ------
    ValueError
        If `answers` hold anything but choices and NULL, or a worker has no answer.

    Notes
    -----
    Source: Dawid and Skene (1979).
    Derived in: categorical-answers/voting

    Examples
    --------
    The third worker always says the opposite, and the model learns this.

    >>> result = dawid_skene([[0, 1, 0, 1, 1], [0, 1, 0, 1, 1], [1, 0, 1, 0, 0]], 2)
    >>> result.truth
    array([0., 1., 0., 1., 1.])
    >>> result.confusion[2].round(2)
    array([[0., 1.],
           [1., 0.]])
    """
    s = n_choices(choices)
    count("max_iter", max_iter)
    non_negative("tol", tol)
    c = positive("smoothing", smoothing)
    cells = read_cells(answers, choices=choices)
    (m, n), form = cells.shape, cells.form
    row = cells.answer.astype(np.intp) * m + cells.worker  # choices first: each has one block of workers
    given = sp.csr_array((np.ones(row.size), (row, cells.task)), (s * m, n))
    by_task = given.T.tocsr()
    votes = by_task @ np.repeat(np.eye(s), m, axis=0)
    asked = votes.sum(axis=1) > 0
    posterior = np.full(votes.shape, 1 / s)
    posterior[asked] = votes[asked] / votes[asked].sum(axis=1, keepdims=True)

    converged = False
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        previous = posterior
        prior = posterior[asked].mean(axis=0)
        # Computed in logarithms, which any smoothing keeps finite.
        counted = (given @ posterior).reshape(s, -1, s).transpose(1, 2, 0)  # by worker, truth and choice
        log_confusion = np.log(c + counted)
        log_confusion -= _log_total(log_confusion)
        with np.errstate(divide="ignore"):  # log 0, for a choice that is never true
            joint = np.log(prior) + by_task @ log_confusion.transpose(2, 0, 1).reshape(-1, s)
        evidence = _log_total(joint)
        posterior = np.exp(joint - evidence)
        if np.abs(posterior - previous)[asked].max() <= tol:
            converged = True
            break
    truth = form.elected(np.where(asked, posterior.argmax(axis=1), np.nan))
    confusion, likelihood = np.exp(log_confusion), float(evidence[asked].sum())
    return DawidSkeneResult(
        truth,
        form.rows_of_tasks(posterior),
        form.confusion(confusion),
        form.of_choices(prior, "share"),
        likelihood,
        n_iter,
        converged,
    )


def _log_total(logs: Array) -> Array:
    """Logarithm of the sum of the exponentials along the last axis, which is kept with length 1.

    Choices are added one at a time, because numpy is slow on short axes.
    """
    total = logs[..., 0]
    for k in range(1, logs.shape[-1]):
        total = np.logaddexp(total, logs[..., k])
    return total[..., None]
