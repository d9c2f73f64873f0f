"""Simulated crowds: the source's synthetic crowd, and crowds with two choices that match given statistics."""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import binom

from ldpbook._arrays import Array, Rng, generator
from ldpbook._validate import (
    count,
    finite,
    fraction,
    integer_domain,
    listed,
    non_negative,
    open_probability,
    positive,
)

__all__ = [
    "Crowd",
    "VotingCrowd",
    "simulate_duchenne",
    "simulate_peer_grading",
    "synthetic_crowd",
    "voting_crowd",
]

_MOST_DRAWS = 10_000  # of a crowd, until its majority is right as often as wanted


@dataclass(frozen=True, eq=False)
class Crowd:
    """A synthetic crowd.

    Attributes
    ----------
    answers : ndarray, shape (m, n)
        Answers; nan = NULL.
    truth : ndarray, shape (n,)
        Truth of each task.
    domain : tuple of int
        The answer domain.
    sigma : ndarray, shape (m,)
        Standard deviation of each worker's error before rounding.
    """

    answers: Array
    truth: Array
    domain: tuple[int, ...]
    sigma: Array


@dataclass(frozen=True, eq=False)
class VotingCrowd:
    """A synthetic crowd that answers questions with two choices.

    Attributes
    ----------
    answers : ndarray, shape (m, n)
        Choices 0 and 1; nan = NULL.
    truth : ndarray, shape (n,)
        Truth of each task.
    domain : tuple of int
        The answer domain, (0, 1).
    accuracy : ndarray, shape (m,)
        Probability that each worker is right.
    scored : ndarray of bool, shape (n,)
        The tasks whose truth counts as known.
    """

    answers: Array
    truth: Array
    domain: tuple[int, ...]
    accuracy: Array
    scored: NDArray[np.bool_]


def synthetic_crowd(
    n_workers: int,
    n_tasks: int,
    *,
    density: float,
    sigmas: tuple[float, ...] = (1.0, 5.0),
    domain: tuple[int, ...] | range = range(10),
    truth_mean: float = 0.0,
    rng: Rng = None,
) -> Crowd:
    """The source's synthetic crowd.

    Truths are normal with standard deviation 1. Workers are dealt the `sigmas` in equal shares, in random
    order, and answer the same number of random tasks each, at least one. The source does not say how
    real-valued answers become members of the domain, nor what happens to those below it (half of the truths
    are negative): here they are rounded to the nearest integer, and those outside the domain are set to its
    nearer end.

    Parameters
    ----------
    n_workers, n_tasks : int
        Numbers m and n, >= 1.
    density : float
        Fraction of the tasks that each worker answers, in (0, 1].
    sigmas : tuple of float
        Standard deviations of the errors, one for each kind of worker, each > 0.
    domain : sequence of int
        The answer domain, consecutive integers.
    truth_mean : float
        Mean of the truths; 0 in the source.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.

    Returns
    -------
    Crowd
        Answers, truths and standard deviations.

    Notes
    -----
    Source: Sun et al. (2018), Section VI-A.
    Derived in: foundations/crowdsourcing

    Examples
    --------
    >>> crowd = synthetic_crowd(4, 5, density=0.4, rng=0)
    >>> (~np.isnan(crowd.answers)).sum(axis=1)
    array([2, 2, 2, 2])
    """
    shape = (count("n_workers", n_workers), count("n_tasks", n_tasks))
    values = integer_domain(domain)
    n_answers = max(1, round(fraction("density", density) * n_tasks))
    rng = generator(rng)
    truth = finite("truth_mean", truth_mean) + rng.standard_normal(n_tasks)
    kinds = [positive("sigmas", value) for value in listed("sigmas", sigmas)]
    sigma = rng.permutation(np.resize(kinds, n_workers))
    with np.errstate(over="ignore"):  # what overflows lies beyond the domain's end as well
        answers = np.rint(truth + sigma[:, None] * rng.standard_normal(shape))
    np.clip(answers, values[0], values[-1], out=answers)
    if n_answers < n_tasks:
        skipped = rng.random(shape).argpartition(n_answers, axis=1)[:, n_answers:]
        np.put_along_axis(answers, skipped, np.nan, axis=1)
    return Crowd(answers, truth, values, sigma)


def voting_crowd(
    n_workers: int,
    n_tasks: int,
    *,
    n_answers: int,
    n_scored: int,
    base_accuracy: float,
    spread: float = 0.05,
    rng: Rng = None,
) -> VotingCrowd:
    """A simulated crowd with two choices that matches given statistics.

    Truths are tosses of a fair coin. Workers and tasks get almost equally many answers. Accuracies are
    uniform around a mean that is chosen so that a majority is right with probability `base_accuracy`. Then
    crowds are drawn until the majority is right on exactly that share of the scored tasks, to the nearest
    task; a tie counts as half a task.

    Parameters
    ----------
    n_workers, n_tasks, n_answers : int
        Numbers of workers, tasks and answers; at least one answer per worker and per task.
    n_scored : int
        Tasks whose truth counts as known, at most `n_tasks`.
    base_accuracy : float
        Share of scored tasks on which the majority is right, in (0.5, 1).
    spread : float
        Standard deviation of the workers' accuracies, >= 0.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.

    Returns
    -------
    VotingCrowd
        Answers, truths, accuracies and the scored tasks.

    Raises
    ------
    ValueError
        If `spread` takes an accuracy beyond 0 or 1, or none of 10,000 crowds has the wanted majority.

    Notes
    -----
    Derived in: categorical-answers/voting

    Examples
    --------
    >>> crowd = voting_crowd(9, 20, n_answers=90, n_scored=10, base_accuracy=0.8, rng=0)
    >>> int((~np.isnan(crowd.answers)).sum()), int(crowd.scored.sum())
    (90, 10)
    """
    m, n = count("n_workers", n_workers), count("n_tasks", n_tasks)
    if not max(m, n) <= count("n_answers", n_answers) <= m * n:
        raise ValueError(f"n_answers must lie in {max(m, n)}..{m * n}, got {n_answers}")
    if count("n_scored", n_scored) > n:
        raise ValueError(f"n_scored must not exceed n_tasks = {n}, got {n_scored}")
    if not open_probability("base_accuracy", base_accuracy) > 0.5:
        raise ValueError(f"base_accuracy must lie in (0.5, 1), got {base_accuracy!r}")
    rng = generator(rng)
    mean = _accuracy_of_voters(base_accuracy, n_answers / n)
    width = np.sqrt(3) * non_negative("spread", spread)
    if not width <= min(mean, 1 - mean):
        raise ValueError(f"spread must keep accuracies around {mean:.3f} within 0..1, got {spread!r}")
    wanted = round(base_accuracy * n_scored)
    given = _dealt(m, n, n_answers, rng)
    scored = rng.permutation(n) < n_scored
    voter, task = np.nonzero(given & scored)
    votes = np.bincount(task, minlength=n)[scored]
    for _ in range(_MOST_DRAWS):
        accuracy = rng.uniform(mean - width, mean + width, m)
        truth = rng.integers(0, 2, n).astype(float)
        right = rng.random((m, n)) < accuracy[:, None]
        lead = 2 * np.bincount(task, right[voter, task], n)[scored] - votes
        if (np.sign(lead) / 2 + 0.5).sum() == wanted:
            answers = np.where(given, np.where(right, truth, 1 - truth), np.nan)
            return VotingCrowd(answers, truth, (0, 1), accuracy, scored)
    raise ValueError(
        f"base_accuracy must be met by a crowd in {_MOST_DRAWS:,}, got {base_accuracy!r}: no majority was"
        f" right on just {wanted} of {n_scored} tasks"
    )


def simulate_peer_grading(rng: Rng = None, *, spread: float = 0.05) -> VotingCrowd:
    """A crowd with the statistics of the source's peer grading: 72 students, 26 groups.

    There are 360 answers and all truths are known. The majority is right on 19 of 26: the printed share of
    0.73.

    Parameters
    ----------
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.
    spread : float
        Standard deviation of the students' accuracies, which the source does not state.

    Returns
    -------
    VotingCrowd
        Five answers per student.

    Raises
    ------
    ValueError
        If `spread` takes an accuracy beyond 0 or 1.

    Notes
    -----
    Source: Li et al. (2018), Table 1 and Section 7.2.
    Derived in: categorical-answers/voting

    Examples
    --------
    >>> simulate_peer_grading(0).answers.shape
    (72, 26)
    """
    return voting_crowd(72, 26, n_answers=360, n_scored=26, base_accuracy=0.73, rng=rng, spread=spread)


def simulate_duchenne(rng: Rng = None, *, spread: float = 0.05) -> VotingCrowd:
    """A crowd with the statistics of the source's Duchenne data: 64 workers, 2,134 faces.

    There are 17,729 answers and 159 known truths. The majority is right on 121 of them: the printed share of
    0.76.

    Parameters
    ----------
    rng, spread
        As in :func:`simulate_peer_grading`.

    Returns
    -------
    VotingCrowd
        277 or 278 answers per worker.

    Raises
    ------
    ValueError
        If `spread` takes an accuracy beyond 0 or 1.

    Notes
    -----
    Source: Li et al. (2018), Table 1 and Section 7.2.
    Derived in: categorical-answers/voting

    Examples
    --------
    >>> simulate_duchenne(0).answers.shape
    (64, 2134)
    """
    return voting_crowd(64, 2134, n_answers=17_729, n_scored=159, base_accuracy=0.76, rng=rng, spread=spread)


@functools.lru_cache(maxsize=64)
def _accuracy_of_voters(base_accuracy: float, n_votes: float) -> float:
    """Accuracy of voters whose majority is right with a given probability, with ties broken fairly."""
    low = int(n_votes)
    share = n_votes - low  # of the tasks with one vote more

    def excess(accuracy: float) -> float:
        right = [binom.sf(k / 2, k, accuracy) + binom.pmf(k / 2, k, accuracy) / 2 for k in (low, low + 1)]
        return float((1 - share) * right[0] + share * right[1] - base_accuracy)

    return float(brentq(excess, 0.5, 1.0))


def _dealt(n_workers: int, n_tasks: int, n_answers: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Mask of who answers what: each worker in turn takes the tasks with the fewest answers so far."""
    given, so_far = np.zeros((n_workers, n_tasks), dtype=bool), np.zeros(n_tasks, dtype=int)
    shares = np.diff(np.arange(n_workers + 1) * n_answers // n_workers)
    for row, share in zip(given, shares, strict=True):
        drawn = rng.random(n_tasks)
        behind = so_far == so_far.min()  # by one: so the numbers of answers stay
        left = share - np.count_nonzero(behind)
        if left > 0:
            row |= behind
        chosen = np.flatnonzero(behind != (left > 0))
        wanted = left if left > 0 else share
        if wanted < chosen.size:
            chosen = chosen[drawn[chosen].argpartition(wanted)[:wanted]]
        row[chosen] = True
        so_far += row
    return given
