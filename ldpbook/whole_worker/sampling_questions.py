"""Three ways to protect a worker's whole row: few questions, one of her answers, or a mixture of all."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import exp, pi, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, Rng, row_blocks, study_source
from ldpbook._crowd import read_matrix
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

_LEAST_BUDGET = 0.6  # of a group: with less it tells, for the budget, under half of the most


class RowMechanism(ABC):
    """A mechanism on a worker's whole row, each cell above its threshold, not above it, or NULL.

    Notes
    -----
    Derived in: whole-worker/sampling-questions
    """

    epsilon: float

    @property
    def exact_epsilon(self) -> float:
        """The largest privacy loss there is, for any two rows of a worker: epsilon itself."""
        return self.epsilon

    def perturb(
        self,
        answers: Any,
        thresholds: ArrayLike,
        rng: Rng = None,
        *,
        workers: Public = None,
        tasks: Public = None,
    ) -> Any:
        """Private reports of a crowd, or of one worker.

        Parameters
        ----------
        answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
            Answers in any form, nan = NULL.
        thresholds : array_like
            Public thresholds, finite, in answer units: one for all cells; one a task, shape (n,), or one a
            cell, shape (m, n); of a table one a task as a Series by task.
        rng : Generator or int
            Source of randomness, or a seed for one: for study.
        workers, tasks : iterable of labels, optional
            Of a table: see :meth:`~ldpbook.mechanism.AnswerMechanism.perturb`.

        Returns
        -------
        ndarray, sparse array or DataFrame
            The same form: 1 and -1 speak for above and for not above, 0 for neither; nan where nothing was
            asked.
        """
        source = study_source(self, rng, "it draws several things for a row, for which there is no table")
        matrix, form = read_matrix(answers, silent=True, workers=workers, tasks=tasks, public=True)
        limits = check_thresholds(form.per_task("thresholds", thresholds), matrix.shape)
        self._check(matrix.shape[1])
        reports = np.empty_like(matrix)
        for rows in row_blocks(matrix):
            signs = np.where(matrix[rows] > limits[rows], 1.0, -1.0)
            signs[np.isnan(matrix[rows])] = 0
            reports[rows] = self._reported(signs, source)
        return form.answers(reports)

    @abstractmethod
    def _check(self, n_tasks: int) -> None:
        """Refuse a number of tasks for which the parameters make no sense."""

    @abstractmethod
    def _reported(self, signs: Array, rng: np.random.Generator) -> Array:
        """Reports of rows of 1, -1 and 0 for NULL."""


@dataclass(frozen=True)
class AskedQuestions(RowMechanism):
    """Some tasks, drawn at random for each worker, each asked about by a threshold response.

    Guarantees epsilon-LDP for the worker, any two rows being neighbours, NULL included, and attains it. Which
    tasks she is asked about is public and does not depend on her answers.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the worker, finite and > 0; each question gets an even part.
    n_questions : int
        Number of questions, at most that of the tasks.

    Notes
    -----
    For study: which tasks are asked about is public, and comes from the same generator of numpy as the secret
    replacements. Draw the questions elsewhere, and a release of the
    :class:`~ldpbook.remedies.smaller_question.ThresholdResponse` with an even part of the budget answers
    each. Counted by threshold, the reports go to
    :func:`~ldpbook.remedies.smaller_question.infer_from_counts`, with the epsilon of a question.

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

    def _reported(self, signs: Array, rng: np.random.Generator) -> Array:
        other = exp(-self.epsilon / self.n_questions)
        forgotten = rng.random(signs.shape) < 3 * other / (1 + 2 * other)
        reports = np.where(forgotten, rng.integers(-1, 2, signs.shape), signs)
        asked = rng.permuted(np.broadcast_to(np.arange(signs.shape[1]), signs.shape), axis=1)
        return np.where(asked < self.n_questions, reports, np.nan)


@dataclass(frozen=True)
class OwnAnswer(RowMechanism):
    """One of the worker's own answers, drawn at random from them and padding, by unary encoding.

    A bit for each task and side: that of the answer is set with probability 1/2, every other one with
    1/(e^epsilon + 1). Reported is, for each task, the bit for above less that for not above. Guarantees
    epsilon-LDP for the worker, any two rows being neighbours, NULL included, and attains it.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the worker, finite and > 0.
    padding : int
        With fewer answers than that a worker draws from so many, the others empty; at most the number of
        tasks.

    Notes
    -----
    For study: a slot is the whole part of a product of doubles, so that slots need not be quite alike, and a
    row's bits come from comparisons with doubles of numpy's generator; no table for single cells has the law
    of a row. Nothing in this package reads the reports as truths in answer units.

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

    def _reported(self, signs: Array, rng: np.random.Generator) -> Array:
        answered = signs != 0
        slots = np.maximum(answered.sum(axis=1), self.padding)
        drawn = 1 + (rng.random(len(signs)) * slots).astype(int)
        own = answered & (answered.cumsum(axis=1) == drawn[:, None])
        other = exp(-self.epsilon) / (1 + exp(-self.epsilon))
        bits = [
            (rng.random(signs.shape) < np.where(own & (signs == side), 0.5, other)).astype(float)
            for side in (1, -1)
        ]
        reports: Array = bits[0] - bits[1]
        return reports


@dataclass(frozen=True)
class MixedSigns(RowMechanism):
    """The side to which a random mixture of all the worker's answers falls, by randomized response.

    A public coin for each task says whether its answer counts as it is or reversed. Are there more above
    than not, or fewer? Reported is, for each task, that one noisy bit times the task's coin. Guarantees
    epsilon-LDP for the worker, any two rows being neighbours, NULL included, and attains it.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the worker, finite and > 0.
    n_groups : int
        Number of groups into which the tasks are divided at random, at most that of the tasks; each has a
        bit of its own, with an even part of the budget.

    Notes
    -----
    For study: public coins and secret lies come from one generator of numpy, which is not cryptographic: who
    sees the coins may come to know the lies. Nothing in this package reads the reports as truths in answer
    units: their mean is in units of the density and the law of the number of answers, which it does not tell.

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

    def _reported(self, signs: Array, rng: np.random.Generator) -> Array:
        m, n = signs.shape
        coins = rng.choice([-1.0, 1.0], signs.shape)
        order = rng.permuted(np.broadcast_to(np.arange(n), signs.shape), axis=1)
        groups = order * self.n_groups // n + np.arange(m)[:, None] * self.n_groups
        sums = np.bincount(groups.ravel(), (coins * signs).ravel(), m * self.n_groups)
        sides = np.where(sums == 0, rng.choice([-1.0, 1.0], sums.shape), np.sign(sums))
        lies = rng.random(sums.shape) < 1 / (1 + exp(min(self.epsilon / self.n_groups, 700.0)))
        reports: Array = coins * np.where(lies, -sides, sides)[groups]
        return reports


def row_designs(
    *, n_tasks: int, n_workers: int, epsilon: float, density: float, sigma: float
) -> pd.DataFrame:
    r"""What each design tells of a truth, if the whole worker is protected, and the error foretold.

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
        Deviation of the answers' normal errors, > 0, in deviations of the truths.

    Returns
    -------
    DataFrame
        By design: ``parts``, into how many the budget goes, the best (of groups, for epsilon beyond 40, the
        best of up to 300 numbers tried); ``information`` about one truth in one worker's
        report; ``error``, the mean error in deviations of the truths, as in `threshold_error`: thresholds at
        the truths, answers not rounded, a reader who knows the density, the law of the number of answers
        and sigma. This package reads only asked questions as truths. The last row bounds the information
        of every design, averaged over tasks, from above and the mean error from below, if each worker
        sends one report.

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


def _at_most(name: str, value: int, n_tasks: int) -> None:
    if value > n_tasks:
        raise ValueError(f"{name} must be at most the number of tasks, {n_tasks}, got {value!r}")
