"""Truths by an eigenvector of the workers' covariance, and where the decoder had better give way to it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ldpbook._arrays import Array, Rng, generator
from ldpbook._crowd import Answers, Cells, Choices, n_choices, read_reports
from ldpbook._validate import open_probability
from ldpbook.categorical_answers.known_channel import DecodedChoices, decode_choices
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.categorical_answers.two_layer import TwoLayerFlip

__all__ = [
    "CheckedChoices",
    "EigenvectorVote",
    "decode_checked",
    "eigenvector_vote",
]

_ROUNDS = 40  # of the diagonal's completion
_PERMUTATIONS = 99


@dataclass(frozen=True, eq=False)
class EigenvectorVote:
    """What a vote by eigenvector found; with the labels of a tidy frame, if the reports came as one.

    Attributes
    ----------
    truth : ndarray or Series, shape (n,)
        Choice with the highest score; nan, or None among labels, where nobody reported.
    weight : ndarray or Series, shape (m,)
        What a report of each worker counts; their sum is not negative.
    """

    truth: Array | pd.Series
    weight: Array | pd.Series


@dataclass(frozen=True, eq=False)
class CheckedChoices:
    """What decoding found, and whether it stands.

    Attributes
    ----------
    truth : ndarray or Series, shape (n,)
        `decoded.truth`, or that of :func:`eigenvector_vote` if `p_value` is at most the level.
    p_value : float
        Probability of reports that depend on each other as much as these, if workers err independently
        and the decoded truths are right; a multiple of one hundredth.
    decoded : DecodedChoices
        What :func:`~ldpbook.categorical_answers.known_channel.decode_choices` says.
    """

    truth: Array | pd.Series
    p_value: float
    decoded: DecodedChoices


def eigenvector_vote(reports: Answers, choices: Choices) -> EigenvectorVote:
    """Votes weighted by the leading eigenvector of the covariance of the workers' reports.

    The covariance is that of the indicators of the choices, added over choices, each worker's less their
    mean. Workers who err independently have one of rank one beside the diagonal if there are two choices;
    so the diagonal is replaced by the squares of the eigenvector (at most the worker's own variance), forty
    times over. The choice is elected that is reported most above its own mean, by weight. So a choice is
    elected too often where it is rare.

    Parameters
    ----------
    reports : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        As for :func:`~ldpbook.categorical_answers.voting.majority_vote`, but of one trial. Time grows with
        the third power of the number of workers.
    choices : int or sequence of labels
        Number s of choices 0..s-1, or their labels.

    Returns
    -------
    EigenvectorVote
        Truths and weights.

    Raises
    ------
    TypeError
        If `choices` is no number and no sequence.
    ValueError
        If `reports` hold anything but choices and NULL, or a worker without a report.

    Notes
    -----
    Reading is free: what is computed from reports is as private as they are, cell by cell.

    Derived in: remedies/known-channel

    Examples
    --------
    >>> eigenvector_vote([[0, 1, 0, 1], [0, 1, 0, 1], [0, 0, 0, 1], [1, 0, 1, 0]], 2).truth
    array([0., 1., 0., 1.])
    """
    s = n_choices(choices)
    cells = read_reports(reports, choices)
    (m, n), form = cells.shape, cells.form
    values = _less_means(cells, cells.worker, m, s)
    ones = np.ones((1, len(cells.worker)))
    covariance = _products(cells, values) / np.maximum(_products(cells, ones), 1.0)  # of tasks in common
    own = np.diagonal(covariance).copy()
    np.fill_diagonal(covariance, 0.0)
    for _ in range(_ROUNDS):
        roots, vectors = np.linalg.eigh(covariance)
        weight = vectors[:, -1] * np.sqrt(max(roots[-1], 1e-12))
        np.fill_diagonal(covariance, np.minimum(weight**2, own))
    weight = weight if weight.sum() >= 0 else -weight
    added = [np.bincount(cells.task, weight[cells.worker] * x, n) for x in values]
    asked = np.bincount(cells.task, minlength=n) > 0
    truth = np.where(asked, np.argmax(added, axis=0), np.nan)
    return EigenvectorVote(form.elected(truth), form.of_workers(weight, "weight"))


def decode_checked(
    reports: Answers, mechanism: OneLayerFlip | TwoLayerFlip, *, level: float = 0.01, rng: Rng = None
) -> CheckedChoices:
    """Decoded truths, or those of an eigenvector where reports contradict that workers err independently.

    If they do, and the decoded truths are right, any order of one worker's reports on tasks with the same
    truth is equally probable. So how much the votes on such tasks differ (the sum of the squares of each
    choice's votes, less their expectation) is compared with 99 random orders. It stands out where some tasks
    mislead many workers, and where the decoder has missed a confusion that all workers share; there the
    eigenvector errs less. With a rare choice it does not.

    Parameters
    ----------
    reports : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        As for :func:`~ldpbook.categorical_answers.known_channel.decode_choices`.
    mechanism : OneLayerFlip or TwoLayerFlip
        What the workers used.
    level : float
        Largest p-value at which the eigenvector elects, in (0, 1); below 0.01 it never does.
    rng : Generator or int, optional
        Source of the random orders, or a seed for one; fresh entropy by default.

    Returns
    -------
    CheckedChoices
        Truths, the p-value, and what was decoded.

    Raises
    ------
    TypeError
        If `mechanism` is another.
    ValueError
        If `level` is outside (0, 1), or `decode_choices` refuses the reports or the mechanism.

    Notes
    -----
    Reading is free: what is computed from reports is as private as they are, cell by cell.

    Derived in: remedies/known-channel

    Examples
    --------
    >>> flip = OneLayerFlip.with_probability(0.2, choices=2)
    >>> found = decode_checked([[0, 1, 0, 1], [0, 1, 0, 1], [0, 0, 0, 1], [1, 0, 1, 0]], flip, rng=1)
    >>> found.truth, found.p_value > 0.01
    (array([0., 1., 0., 1.]), True)
    """
    open_probability("level", level)
    rng = generator(rng)
    decoded = decode_choices(reports, mechanism)
    cells = read_reports(reports, mechanism.choices)
    truth = np.argmax(np.asarray(decoded.posterior), axis=1)
    p_value = _p_of_independence(cells, truth, mechanism.n_choices, rng)
    elected = decoded.truth if p_value > level else eigenvector_vote(reports, mechanism.choices).truth
    return CheckedChoices(elected, p_value, decoded)


def _p_of_independence(cells: Cells, truth: NDArray[np.intp], s: int, rng: np.random.Generator) -> float:
    """Share of orders, the given one included, in which votes on tasks with one truth differ as much."""
    m, n = cells.shape
    group = cells.worker * s + truth[cells.task]
    values = _less_means(cells, group, m * s, s)

    def spread(values: Array) -> float:
        votes = np.stack([np.bincount(cells.task, x, n) for x in values])
        return float((votes**2).sum())

    # Sums in another order are equal but for their last digits.
    given, order = spread(values) * (1 - 1e-9), np.argsort(group, kind="stable")
    as_large, moved = 1, np.empty_like(values)
    for _ in range(_PERMUTATIONS):
        moved[:, order] = values[:, np.lexsort((rng.random(len(group)), group))]
        as_large += spread(moved) >= given
    return as_large / (_PERMUTATIONS + 1)


def _less_means(cells: Cells, group: NDArray[np.intp], size: int, s: int) -> Array:
    """Indicators of the choices, shape (s, cells), less their means in each group of cells."""
    number = np.maximum(np.bincount(group, minlength=size), 1)
    seen = (cells.answer == np.arange(s)[:, None]).astype(float)
    return np.stack([x - (np.bincount(group, x, size) / number)[group] for x in seen])


def _products(cells: Cells, values: Array) -> Array:
    """Products of two workers' values, added over tasks and choices, shape (m, m)."""
    total = np.zeros((cells.shape[0], cells.shape[0]))
    for x in values:
        table = cells.csr(x)
        total += (table @ table.T).toarray()
    return total
