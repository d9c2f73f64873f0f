"""Three ways to protect a worker's whole row: few questions, one of her answers, or a mixture of all."""

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import exp, pi, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, Rng, generator, row_blocks
from ldpbook._crowd import read_matrix
from ldpbook._dyadic import WORD, Entropy, float_below, for_release, random_bytes
from ldpbook._exact import ResponseTable, WordTable
from ldpbook._tables import Public
from ldpbook._validate import count, positive
from ldpbook.remedies.best_mechanism import _RATIO as _LEAST
from ldpbook.remedies.smaller_question import ThresholdResponse, check_thresholds
from ldpbook.whole_worker.sampling_bounds import (
    asked_information,
    mixed_information,
    own_information,
    questions_to_ask,
    row_information_limit,
)

__all__ = ["AskedQuestions", "MixedSigns", "OwnAnswer", "RowMechanism", "row_designs"]

_LEAST_BUDGET = 0.6  # of a group; below this, information per unit of budget is under half of its maximum


class RowMechanism(ABC):
    """Mechanism on a worker's whole row, in which each cell is above its threshold, not above it, or NULL.

    The noise protects the row. For release it is drawn with whole numbers. Questions, coins, groups and slots
    do not protect anyone: the guarantee holds for each of their values, even if everyone sees them. For
    release they come from a numpy generator with a seed of its own from the entropy.

    Notes
    -----
    Derived in: whole-worker/sampling-questions
    """

    epsilon: float

    @property
    def exact_epsilon(self) -> float:
        """Largest privacy loss that occurs for any two rows of a worker: epsilon itself."""
        return self.epsilon

    @property
    @abstractmethod
    def exact_ratio(self) -> Fraction:
        """Largest ratio of a report's probabilities given two rows, as it is drawn for release."""

    def perturb(
        self,
        answers: Any,
        thresholds: ArrayLike,
        rng: Rng = None,
        *,
        workers: Public = None,
        tasks: Public = None,
        entropy: Entropy = os.urandom,
    ) -> Any:
        """Private reports of a crowd, or of one worker.

        An answer that equals its threshold counts as above it or not by a fair coin.

        Parameters
        ----------
        answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
            Answers in any form, nan = NULL.
        thresholds : array_like
            Public thresholds, finite, in answer units: one for all cells; one per task, shape (n,); or one
            per cell, shape (m, n). For a table, one per task is a Series by task.
        rng, workers, tasks, entropy
            As for any mechanism; see :meth:`~ldpbook.mechanism.AnswerMechanism.perturb`.

        Returns
        -------
        ndarray, sparse array or DataFrame
            Reports in the same form: 1 is evidence for above, -1 for not above, 0 for neither; nan where no
            question was asked.
        """
        matrix, form = read_matrix(answers, silent=True, workers=workers, tasks=tasks, public=True)
        limits = check_thresholds(form.per_task("thresholds", thresholds), matrix.shape)
        self._check(matrix.shape[1])
        release = entropy if for_release(rng, entropy) else None
        source = generator(rng if release is None else int.from_bytes(random_bytes(release, 16), "big"))
        reports = np.empty_like(matrix)
        for rows in row_blocks(matrix):
            signs = np.where(matrix[rows] > limits[rows], 1.0, -1.0)
            tied = matrix[rows] == limits[rows]
            # For release there is a coin for every cell: otherwise the public draws that follow reveal ties.
            coins = source.choice([-1.0, 1.0], np.count_nonzero(tied) if release is None else tied.shape)
            signs[tied] = coins if release is None else coins[tied]
            signs[np.isnan(matrix[rows])] = 0
            reports[rows] = self._reported(signs, source, release)
        return form.answers(reports)

    @abstractmethod
    def _check(self, n_tasks: int) -> None:
        """Refuse a number of tasks for which the parameters make no sense."""

    @abstractmethod
    def _reported(self, signs: Array, rng: np.random.Generator, entropy: Entropy | None) -> Array:
        """Reports of rows of 1, -1 and 0 for NULL; without entropy, the noise comes from `rng` too."""


@dataclass(frozen=True)
class AskedQuestions(RowMechanism):
    """Threshold responses on a few tasks, drawn at random for each worker.

    Guarantees epsilon-LDP for the worker, any two rows being neighbours, NULL included, and attains it. Which
    tasks she is asked about is public and does not depend on her answers.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the worker, finite and > 0; each question gets an equal part.
    n_questions : int
        Number of questions, at most the number of tasks.

    Notes
    -----
    Fit for release: each report is drawn with whole numbers from the operating system's entropy. Which tasks
    are asked about is public and drawn separately. With `rng` everything is drawn for study.

    :func:`~ldpbook.whole_worker.row_reports.infer_from_rows` decodes the reports.

    Derived in: whole-worker/sampling-questions

    Examples
    --------
    >>> AskedQuestions(epsilon=8.0, n_questions=2).perturb([[3, 4, float("nan"), 0]], 1.5, rng=1)
    array([[ 1., nan, nan, -1.]])
    """

    epsilon: float
    n_questions: int = 1

    def __post_init__(self) -> None:
        ThresholdResponse(positive("epsilon", self.epsilon) / count("n_questions", self.n_questions))

    def _check(self, n_tasks: int) -> None:
        _at_most("n_questions", self.n_questions, n_tasks)

    @property
    def exact_ratio(self) -> Fraction:
        """Largest ratio of a report's probabilities given two rows, as it is drawn for release."""
        return _part_table(self.epsilon, self.n_questions, 3).ratio ** self.n_questions

    def _reported(self, signs: Array, rng: np.random.Generator, entropy: Entropy | None) -> Array:
        if entropy is None:
            other = exp(-self.epsilon / self.n_questions)
            forgotten = rng.random(signs.shape) < 3 * other / (1 + 2 * other)
            reports = np.where(forgotten, rng.integers(-1, 2, signs.shape), signs)
        else:  # draw for all tasks, so that the amount of entropy used reveals nothing
            table = _part_table(self.epsilon, self.n_questions, 3)
            reports = table.draw((signs + 1).astype(np.intp), entropy) - 1.0
        asked = rng.permuted(np.broadcast_to(np.arange(signs.shape[1]), signs.shape), axis=1)
        return np.where(asked < self.n_questions, reports, np.nan)


@dataclass(frozen=True)
class OwnAnswer(RowMechanism):
    """Unary encoding of one of the worker's own answers, drawn at random from them and padding.

    There is a bit for each task and side. The bit of the drawn answer is set with probability 1/2, every
    other one with probability 1/(e^epsilon + 1). The report on a task is the bit for above minus the bit for
    not above. Guarantees epsilon-LDP for the worker, any two rows being neighbours, NULL included, and
    attains it.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the worker, finite and > 0.
    padding : int
        A worker with fewer answers than this draws from this many slots, of which the rest are empty. At most
        the number of tasks.

    Notes
    -----
    Fit for release: each bit is drawn with whole numbers from the operating system's entropy. The slot is
    not, because the bits protect it whichever it is. With `rng` everything is drawn for study.

    :func:`~ldpbook.whole_worker.row_reports.infer_from_rows` decodes the reports.

    Source: Gu et al. (2020), here with the optimized unary encoding of Wang et al. (2017).
    Derived in: whole-worker/sampling-questions

    Examples
    --------
    >>> OwnAnswer(epsilon=8.0).perturb([[3, 4, float("nan"), 0]], 1.5, rng=2)
    array([[1., 0., 0., 0.]])
    """

    epsilon: float
    padding: int = 1

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        count("padding", self.padding)

    def _check(self, n_tasks: int) -> None:
        _at_most("padding", self.padding, n_tasks)

    @property
    def exact_ratio(self) -> Fraction:
        """Largest ratio of a report's probabilities given two rows, as it is drawn for release."""
        return ResponseTable.of(self.epsilon, 2).ratio

    def _reported(self, signs: Array, rng: np.random.Generator, entropy: Entropy | None) -> Array:
        answered = signs != 0
        slots = np.maximum(answered.sum(axis=1), self.padding)
        drawn = 1 + (rng.random(len(signs)) * slots).astype(int)
        own = answered & (answered.cumsum(axis=1) == drawn[:, None])
        bits = [self._bits(own & (signs == side), rng, entropy).astype(float) for side in (1, -1)]
        reports: Array = bits[0] - bits[1]
        return reports

    def _bits(
        self, own: NDArray[np.bool_], rng: np.random.Generator, entropy: Entropy | None
    ) -> NDArray[np.integer] | NDArray[np.bool_]:
        """Noisy bits of one side; the bit of the drawn answer, if it is on this side, is fair."""
        if entropy is None:
            other = exp(-self.epsilon) / (1 + exp(-self.epsilon))
            drawn: NDArray[np.bool_] = rng.random(own.shape) < np.where(own, 0.5, other)
            return drawn
        response = ResponseTable.of(self.epsilon, 2)
        words = np.array([[[response.keep, response.other], [WORD // 2] * 2]], dtype=object)
        return WordTable.of(words).draw(own.astype(np.intp), entropy)


@dataclass(frozen=True)
class MixedSigns(RowMechanism):
    """Randomized response on the sign of a random mixture of all the worker's answers.

    A public coin for each task says whether its answer counts as it is or reversed. One bit says whether more
    answers then count as above or as not above. The report on each task is that bit, with noise, times the
    task's coin. Guarantees epsilon-LDP for the worker, any two rows being neighbours, NULL included, and
    attains it.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the worker, finite and > 0.
    n_groups : int
        Number of groups into which the tasks are divided at random, at most the number of tasks. Each has a
        bit of its own, with an equal part of the budget.

    Notes
    -----
    Fit for release: the lies are drawn with whole numbers from the operating system's entropy. Coins and
    groups are public and drawn separately. With `rng` everything is drawn for study.

    :func:`~ldpbook.whole_worker.row_reports.infer_from_rows` decodes the reports.

    Source: Duchi, Jordan and Wainwright (2018), for vectors in a ball; here for signs and public coins.
    Derived in: whole-worker/sampling-questions

    Examples
    --------
    >>> MixedSigns(epsilon=8.0).perturb([[3, 4, float("nan"), 0]], 1.5, rng=1)
    array([[ 1., -1., -1., -1.]])
    """

    epsilon: float
    n_groups: int = 1

    def __post_init__(self) -> None:
        ThresholdResponse(positive("epsilon", self.epsilon) / count("n_groups", self.n_groups))

    def _check(self, n_tasks: int) -> None:
        _at_most("n_groups", self.n_groups, n_tasks)

    @property
    def exact_ratio(self) -> Fraction:
        """Largest ratio of a report's probabilities given two rows, as it is drawn for release."""
        return _part_table(self.epsilon, self.n_groups, 2).ratio ** self.n_groups

    def _reported(self, signs: Array, rng: np.random.Generator, entropy: Entropy | None) -> Array:
        m, n = signs.shape
        coins = rng.choice([-1.0, 1.0], signs.shape)
        order = rng.permuted(np.broadcast_to(np.arange(n), signs.shape), axis=1)
        groups = order * self.n_groups // n + np.arange(m)[:, None] * self.n_groups
        sums = np.bincount(groups.ravel(), (coins * signs).ravel(), m * self.n_groups)
        sides = np.where(sums == 0, rng.choice([-1.0, 1.0], sums.shape), np.sign(sums))
        if entropy is None:
            lies = rng.random(sums.shape) < 1 / (1 + exp(min(self.epsilon / self.n_groups, 700.0)))
            bits = np.where(lies, -sides, sides)
        else:
            table = _part_table(self.epsilon, self.n_groups, 2)
            bits = 2.0 * table.draw((sides > 0).astype(np.intp), entropy) - 1
        reports: Array = coins * bits[groups]
        return reports


def row_designs(
    *, n_tasks: int, n_workers: int, epsilon: float, density: float, sigma: float
) -> pd.DataFrame:
    r"""Information about a truth and predicted error of each design that protects the whole worker.

    Parameters
    ----------
    n_tasks : int
        Number of tasks.
    n_workers : int
        Number of workers.
    epsilon : float
        Privacy budget of a worker, > 0.
    density : float
        Probability that a cell holds an answer, in (0, 1].
    sigma : float
        Standard deviation of the answers' normal errors, > 0, in standard deviations of the truths.

    Returns
    -------
    DataFrame
        One row per design. ``parts`` is the best number of parts into which the budget is divided; for the
        groups of "mixed" and an epsilon above 40, the best of up to 300 numbers tried. ``information`` is the
        information about one truth in one worker's report. ``error`` is the mean error in standard deviations
        of the truths, as in `threshold_error`: thresholds are at the truths, answers are not rounded, and the
        decoder knows the density, the distribution of the number of answers, and sigma.
        :func:`~ldpbook.whole_worker.row_reports.row_errors` gives the errors of a decoder that does not.
        The last row, "limit", bounds the information of every design, averaged over tasks, from above, and
        the mean error from below, if each worker sends one report.

    Notes
    -----
    Derived in: whole-worker/sampling-questions

    Examples
    --------
    >>> crowd = {"n_tasks": 200, "n_workers": 100_000, "density": 0.1, "sigma": 1.0}
    >>> row_designs(**crowd, epsilon=1.0).error.round(2).to_dict()
    {'split': 0.8, 'asked': 0.58, 'own answer': 0.72, 'mixed': 0.35, 'limit': 0.25}
    """
    crowd: dict[str, Any] = {"n_tasks": n_tasks, "epsilon": epsilon, "density": density, "sigma": sigma}
    asked = questions_to_ask(n_tasks=n_tasks, epsilon=epsilon, density=density)
    most = min(2 + epsilon / _LEAST_BUDGET, n_tasks)
    tried = sorted({int(r) for r in np.geomspace(1, most, 300).round()})
    mixed = {r: mixed_information(**crowd, n_groups=r) for r in tried}
    groups = max(mixed, key=lambda r: mixed[r])
    rows = {
        "split": (n_tasks, asked_information(**crowd, n_questions=n_tasks)),
        "asked": (asked, asked_information(**crowd, n_questions=asked)),
        "own answer": (1, own_information(**crowd)),
        "mixed": (groups, mixed[groups]),
        "limit": (np.nan, row_information_limit(**crowd)),
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["parts", "information"])
    least = np.where(table.index == "limit", _LEAST, sqrt(2 / pi))
    return table.assign(error=least / np.sqrt(1 + count("n_workers", n_workers) * table.information))


def _part_table(epsilon: float, n_parts: int, n_symbols: int) -> ResponseTable:
    """Randomized response with an equal part of the budget, rounded down."""
    part = Fraction(float_below("epsilon", epsilon)) / n_parts
    return ResponseTable.of(float_below("epsilon", part), n_symbols)


def _at_most(name: str, value: int, n_tasks: int) -> None:
    if value > n_tasks:
        raise ValueError(f"{name} must be at most the number of tasks, {n_tasks}, got {value!r}")
