"""The threshold response: private reports of below, above or NULL, and the truths decoded from them."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, Rng, generator, numeric, row_blocks
from ldpbook._crowd import Form, read_matrix
from ldpbook._dyadic import Entropy, for_release, random_bytes
from ldpbook._exact import ResponseTable
from ldpbook._tables import Public
from ldpbook._validate import integer_domain, positive
from ldpbook.remedies._posterior import Evidence, averaged, fit

__all__ = [
    "ThresholdResponse",
    "ThresholdResult",
    "infer_from_counts",
    "question_thresholds",
]

_MOST_ANSWERS = 21  # with more, covering every truth and every spread of the errors takes too many thresholds
_LARGEST_EPSILON = 700.0  # a larger e^epsilon changes no draw in doubles, and overflows


@dataclass(frozen=True)
class ThresholdResponse:
    r"""Report whether an answer lies above a public threshold, or is NULL: ternary randomized response.

    The symbol (above, not above, NULL) is kept with probability :math:`p=e^\epsilon/(e^\epsilon+2)` and
    replaced by each of the others with probability :math:`q=1/(e^\epsilon+2)`. Guarantees epsilon-cell LDP
    for every pair of neighbours, NULL included, and attains it. A worker who changes k cells is protected
    with k epsilon.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one cell, finite and > 0.

    Notes
    -----
    Fit for release: the comparison with a threshold is exact, and its symbol, one of three, is drawn by whole
    numbers from the operating system's entropy. With `rng` it is drawn for study.

    Thresholds and two rounds: Joseph et al. (2019), Duchi and Ruan (2024); key and value perturbed together:
    Gu et al. (2020).
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> ThresholdResponse(epsilon=2.0).perturb([[3, 4, float("nan"), 0]], 1.5, rng=6)
    array([[ 1.,  1., nan,  0.]])
    """

    epsilon: float

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)

    @property
    def exact_epsilon(self) -> float:
        """Largest privacy loss: epsilon itself."""
        return self.epsilon

    @property
    def exact_ratio(self) -> Fraction:
        """Largest ratio of the probabilities of a report given two neighbours, as drawn for release."""
        return ResponseTable.of(self.epsilon, 3).ratio

    @property
    def transition_matrix(self) -> Array:
        """Probability of each symbol (column) for each symbol (row): not above, above, NULL; shape (3, 3)."""
        other = exp(-self.epsilon)  # relative to the probability of keeping, so that no epsilon overflows
        matrix = np.full((3, 3), other)
        np.fill_diagonal(matrix, 1.0)
        return matrix / (1 + 2 * other)

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
        """Private reports on the answers of a crowd, or of one worker.

        An answer that equals its threshold counts as above it or not by a fair coin toss of the worker. The
        distribution of its report is the average of those for the two symbols, so that no ratio of
        probabilities gets larger.

        Parameters
        ----------
        answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
            Answers in any form, nan = NULL.
        thresholds : array_like
            Public thresholds, finite, in answer units: one for all cells; one per task, shape (n,); or one
            per cell, shape (m, n). For a table, one per task as a Series indexed by task.
        rng, workers, tasks, entropy
            As for any mechanism: see :meth:`~ldpbook.mechanism.AnswerMechanism.perturb`.

        Returns
        -------
        ndarray, sparse array or DataFrame
            Reports in the same form: 1 above the threshold, 0 not above it, nan = NULL.
        """
        matrix, form = read_matrix(answers, silent=True, workers=workers, tasks=tasks, public=True)
        limits = check_thresholds(form.per_task("thresholds", thresholds), matrix.shape)
        if for_release(rng, entropy):
            # Toss a coin for each cell, tied or not, so that the entropy taken reveals nothing about answers.
            packed = np.frombuffer(random_bytes(entropy, (matrix.size + 7) // 8), dtype=np.uint8)
            coins = np.unpackbits(packed, count=matrix.size).reshape(matrix.shape) > 0
            above = (matrix > limits) | (matrix == limits) & coins
            symbols = np.where(np.isnan(matrix), 2, above).astype(np.intp)
            outputs = np.array([0.0, 1.0, np.nan])[ResponseTable.of(self.epsilon, 3).draw(symbols, entropy)]
            return form.answers(outputs)
        source = generator(rng)
        total = 2 + exp(min(self.epsilon, _LARGEST_EPSILON))
        symbols = np.array([0.0, 1.0, np.nan])
        reports = np.empty_like(matrix)
        for rows in row_blocks(matrix):
            block = matrix[rows]
            drawn = np.minimum(source.random(block.shape) * total, 3).astype(np.intp)
            above, tied = block > limits[rows], block == limits[rows]
            above[tied] = source.random(np.count_nonzero(tied)) < 0.5
            symbol = np.where(np.isnan(block), np.nan, above)
            reports[rows] = np.where(drawn < 3, symbols.take(drawn, mode="clip"), symbol)
        return form.answers(reports)


@dataclass(frozen=True, eq=False)
class ThresholdResult:
    """Result of a threshold survey.

    Attributes
    ----------
    truth : ndarray or Series, shape (n,)
        Estimated truth of each task: its posterior mean, at most half a step beyond the scale. A Series if
        answers came as a tidy frame.
    error : ndarray or Series, shape (n,)
        Posterior standard deviation of each truth, in answer units.
    density : ndarray or Series, shape (n,)
        Estimated share of the workers who answer each task.
    converged : bool
        Whether the search for the distribution of the answers ended; where kinds are learned, whether all of
        its searches ended. Kinds and truths are always estimated in eight turns.
    careful : ndarray or Series, shape (m,), or None
        Probability that each worker is of the kind that errs less; None where reports are not linked.
    """

    truth: Array | pd.Series
    error: Array | pd.Series
    density: Array | pd.Series
    converged: bool
    careful: Array | pd.Series | None = None


def question_thresholds(domain: Sequence[int]) -> Array:
    """Thresholds to ask about: the half-integers between neighbouring answers.

    Rounding to integers and clipping to the domain move no answer across them.

    Parameters
    ----------
    domain : sequence of int
        The answer domain without NULL, 2 to 21 consecutive integers: a finer scale is rounded to a
        coarser one first, which is part of the question and not of the noise.

    Returns
    -------
    ndarray, shape (thresholds,)
        Ascending, in answer units.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> question_thresholds(range(5))
    array([0.5, 1.5, 2.5, 3.5])
    """
    values = integer_domain(domain)
    if not 2 <= len(values) <= _MOST_ANSWERS:
        raise ValueError(
            f"domain must hold 2 to {_MOST_ANSWERS} answers: round finer scales first; got {domain!r:.80}"
        )
    asked: Array = np.array(values[:-1]) + 0.5
    return asked


def infer_from_counts(counts: ArrayLike, *, epsilon: float, domain: Sequence[int]) -> ThresholdResult:
    r"""Truths from counts of reports that no one can link to workers.

    The distribution of the answers is learned from all tasks together: errors come from a mixture of two
    normal distributions, and truths are normal. Each truth is the posterior mean, averaged over the
    distributions that the reports leave possible. Where reports carry no information, it is the middle of
    the domain, with an error that shows this.
    The errors hold for such crowds, and nothing here checks that yours is one. They are too small where
    answers err by less than half a step of the scale, where errors are skewed or have two humps, and where
    NULL depends on the answer. :func:`~ldpbook.remedies.answer_medians.infer_medians` estimates a quantity
    that needs no such distribution.

    Parameters
    ----------
    counts : array_like, shape (thresholds, n, 3)
        For each of `question_thresholds(domain)` and each task, how many reports were 0 (not above),
        1 (above) and NULL.
    epsilon : float
        The reports' epsilon, finite and > 0.
    domain : sequence of int
        The answer domain without NULL, 3 to 21 consecutive integers.

    Returns
    -------
    ThresholdResult
        Truths with their errors, and densities.

    Raises
    ------
    ValueError
        If the domain has two answers, because their one threshold does not show the unit; or if the counts
        have a different shape or are not whole numbers.

    Notes
    -----
    Known flip probabilities in the link function: Fox (2005).
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> counts = [[[300, 1500, 200]], [[900, 900, 200]], [[1500, 300, 200]]]
    >>> result = infer_from_counts(counts, epsilon=3.0, domain=range(4))
    >>> result.truth.round(2), result.error.round(2)
    (array([1.5]), array([0.02]))
    """
    check_three(domain)
    evidence = threshold_evidence(check_report_counts(counts, domain), epsilon, domain)
    return unlinked_result(evidence, Form(evidence.density.shape))


def check_three(domain: Sequence[int]) -> None:
    """Refuse a domain of fewer than three answers."""
    if len(integer_domain(domain)) < 3:
        raise ValueError(
            "domain must hold at least 3 answers for a truth or a median: use infer_means for two; got"
            f" {domain!r:.80}"
        )


def within_scale(truth: Array, domain: Sequence[int]) -> Array:
    """Truths clipped to half a step beyond the domain: farther out, nearly all answers are the same."""
    kept: Array = np.clip(truth, domain[0] - 0.5, domain[-1] + 0.5)
    return kept


def unlinked_result(evidence: Evidence, form: Form) -> ThresholdResult:
    """Truths from counts, in the form that the answers came in."""
    posterior = fit(evidence)
    truth, error = averaged(posterior, evidence)
    return ThresholdResult(
        form.of_tasks(within_scale(truth, evidence.domain), "truth"),
        form.of_tasks(error, "error"),
        form.of_tasks(evidence.density, "density"),
        posterior.converged,
    )


def threshold_evidence(counts: Array, epsilon: float, domain: Sequence[int]) -> Evidence:
    """Counts of threshold responses as evidence: one column per threshold and symbol."""
    edges = question_thresholds(domain)
    response = ThresholdResponse(epsilon).transition_matrix
    columns = counts.transpose(1, 0, 2).reshape(1, counts.shape[1], -1)
    above = np.append(edges[:1] - 1, edges)[:, None] >= edges  # for each cell and each threshold
    answered = response[above.astype(np.intp)].reshape(len(above), -1)
    channels = np.vstack([answered, np.tile(response[2], len(edges))])[None]
    return Evidence(tuple(domain), edges, columns, channels, densities(counts.sum(axis=0), response))


def densities(counts: Array, response: Array) -> Array:
    """Share of the workers who answer each task, shrunk towards the pooled share as far as tasks agree.

    From counts of the three symbols, shape (n, 3). The signal may be 0; below 1e-9 nothing is divided by it.
    """
    keep, other = response[2, 2], response[2, 0]
    signal = keep - other
    reports = counts.sum(axis=1)
    null = np.clip(counts[:, 2].sum() / max(reports.sum(), 1), max(other, 1e-9), min(keep, 1 - 1e-9))
    precision = reports / (null * (1 - null))
    answered = keep - counts[:, 2] / np.maximum(reports, 1)  # signal times the density, on average
    prior = 1 / 0.3**2  # a density anywhere in (0, 1)
    pooled = (signal * answered @ precision + 0.5 * prior) / (signal**2 * precision.sum() + prior)
    heard = reports > 0
    between = max(0.0, np.var(answered[heard]) - (1 / precision[heard]).mean()) if heard.any() else 0.0
    moved = (answered - signal * pooled) * between * precision / (1 + between * precision)
    moved = np.divide(moved, signal, where=signal > 1e-9, out=np.zeros_like(moved))
    density: Array = np.clip(pooled + moved, 1e-3, 1)
    return density


def check_thresholds(thresholds: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Finite thresholds for each cell of a matrix."""
    limits = numeric("thresholds", thresholds)
    if not np.isfinite(limits).all():
        raise ValueError(f"thresholds must be finite, got {thresholds!r:.80}")
    if limits.shape not in ((), shape[1:], shape):
        raise ValueError(f"thresholds must have the shape (), {shape[1:]} or {shape}, got {limits.shape}")
    return np.broadcast_to(limits, shape)


def check_report_counts(counts: ArrayLike, domain: Sequence[int]) -> Array:
    """Counts by threshold, task and symbol."""
    table = numeric("counts", counts)
    wanted = len(question_thresholds(domain))
    if table.ndim != 3 or table.shape[0] != wanted or table.shape[1] < 1 or table.shape[2] != 3:
        raise ValueError(f"counts must have the shape ({wanted}, tasks, 3), got {table.shape}")
    if not ((table >= 0) & (table <= 2**53) & (table == np.floor(table))).all():
        raise ValueError(f"counts must be whole numbers >= 0 (and at most 2^53), got {counts!r:.80}")
    return table
