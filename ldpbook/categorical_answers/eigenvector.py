"""Truths by an eigenvector of the workers' covariance, and a test of when to prefer them to the decoder's."""

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

_ROUNDS = 40  # number of times that the diagonal is replaced
_PERMUTATIONS = 99


@dataclass(frozen=True, eq=False)
class EigenvectorVote:
    """Result of a vote by eigenvector; with the labels of a tidy frame, if the reports came as one.

    Attributes
    ----------
    truth : ndarray or Series, shape (n,)
        Choice with the highest score; nan, or None among labels, where no one reported.
    weight : ndarray or Series, shape (m,)
        Weight of each worker's reports; the sum of the weights is not negative.
    """

    truth: Array | pd.Series
    weight: Array | pd.Series


@dataclass(frozen=True, eq=False)
class CheckedChoices:
    """Result of decoding, with a test of its assumption.

    Attributes
    ----------
    truth : ndarray or Series, shape (n,)
        `decoded.truth`, or that of :func:`eigenvector_vote` if `p_value` is at most the level.
    p_value : float
        Probability that reports depend on each other as much as these or more, if workers err independently
        and the decoded truths are right; a multiple of one hundredth.
    decoded : DecodedChoices
        Result of :func:`~ldpbook.categorical_answers.known_channel.decode_choices`.
    """

    truth: Array | pd.Series
    p_value: float
    decoded: DecodedChoices


def eigenvector_vote(reports: Answers, choices: Choices) -> EigenvectorVote:
    """Votes weighted by the leading eigenvector of the covariance of the workers' reports.

    The covariance is that of the indicators of the choices, minus each worker's means, summed over choices.
    If workers err independently and there are two choices, it has rank one apart from its diagonal. So the
    diagonal is replaced, forty times over, by the squares of the eigenvector's entries, times its eigenvalue
    (at most the worker's own variance). The elected choice is the one whose weighted reports exceed their own
    means most; a rare choice is therefore elected too often.

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
        If `choices` is neither a number nor a sequence.
    ValueError
        If `reports` hold anything but choices and NULL, or a worker has no report.

    Notes
    -----
    Decoding costs no privacy: what is computed from reports is as private as they are, cell by cell.

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
    # Sums are divided by the number of tasks that the two workers have in common.
    covariance = _products(cells, values) / np.maximum(_products(cells, ones), 1.0)
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
    """Decoded truths, or those of the eigenvector vote if reports show that workers err dependently.

    If workers err independently, and the decoded truths are right, any order of one worker's reports on tasks
    with the same truth is equally probable. So the spread of the votes on such tasks (the sum of the squares
    of each choice's votes, minus their expectation) is compared with that of 99 random orders. The spread
    stands out where some tasks mislead many workers, and where the decoder has missed a confusion that all
    workers share. In these cases the eigenvector errs less; with a rare choice it does not.

    Parameters
    ----------
    reports : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        As for :func:`~ldpbook.categorical_answers.known_channel.decode_choices`.
    mechanism : OneLayerFlip or TwoLayerFlip
        Mechanism that the workers used.
    level : float
        Largest p-value at which the eigenvector is used, in (0, 1); with a level below 0.01 it never is.
    rng : Generator or int, optional
        Source of the random orders, or a seed for one; fresh entropy by default.

    Returns
    -------
    CheckedChoices
        Truths, the p-value, and what was decoded.

    Raises
    ------
    TypeError
        If `mechanism` is of another type.
    ValueError
        If `level` is outside (0, 1), or `decode_choices` refuses the reports or the mechanism.

    Notes
    -----
    Decoding costs no privacy: what is computed from reports is as private as they are, cell by cell.

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
    """Share of orders, the given one included, whose votes on tasks of one truth spread at least as much."""
    m, n = cells.shape
    group = cells.worker * s + truth[cells.task]
    values = _less_means(cells, group, m * s, s)

    def spread(values: Array) -> float:
        votes = np.stack([np.bincount(cells.task, x, n) for x in values])
        return float((votes**2).sum())

    # Sums added up in another order may differ in their last digits, so ties are counted with a margin.
    given, order = spread(values) * (1 - 1e-9), np.argsort(group, kind="stable")
    as_large, moved = 1, np.empty_like(values)
    for _ in range(_PERMUTATIONS):
        moved[:, order] = values[:, np.lexsort((rng.random(len(group)), group))]
        as_large += spread(moved) >= given
    return as_large / (_PERMUTATIONS + 1)


def _less_means(cells: Cells, group: NDArray[np.intp], size: int, s: int) -> Array:
    """Indicators of the choices, shape (s, cells), minus their means in each group of cells."""
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
