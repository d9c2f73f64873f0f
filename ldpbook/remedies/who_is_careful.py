"""Kinds of workers, learned from threshold responses: truth discovery without seeing answers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from ldpbook._arrays import Array, numeric, row_blocks
from ldpbook._crowd import Form
from ldpbook._tables import only_matrix
from ldpbook.remedies._posterior import (
    TINY,
    Evidence,
    Posterior,
    averaged,
    cell_probabilities,
    column_channels,
    fit,
    law_of,
    mixtures,
)
from ldpbook.remedies.smaller_question import (
    ThresholdResult,
    check_three,
    check_thresholds,
    question_thresholds,
    threshold_evidence,
    within_scale,
)

__all__ = ["infer_from_reports"]

_BINS = 8  # of the probability that a worker is careful
_ROUNDS = 8  # in which kinds and truths are estimated in turn


def infer_from_reports(
    reports: ArrayLike, thresholds: ArrayLike, *, epsilon: float, domain: Sequence[int]
) -> ThresholdResult:
    """Truths from threshold responses that are linked to their workers.

    Truths are estimated as in `infer_from_counts`, in turn with the kind of each worker, careful or not,
    which is learned from her reports on all tasks. In the estimate of a task's truth, each report is weighted
    by the kind that the worker's *other* reports suggest.
    Workers who lean to one side on all tasks lead the estimate astray: those who lean to the same side agree
    with each other, and are believed.

    Parameters
    ----------
    reports : array_like, shape (m, n)
        Reports: 1 above the threshold, 0 not above it, nan = NULL.
    thresholds : array_like
        The thresholds of the reports, members of `question_thresholds(domain)`: one for all cells, one per
        task, shape (n,), or one per cell, shape (m, n).
    epsilon : float
        The reports' epsilon, finite and > 0.
    domain : sequence of int
        The answer domain without NULL, 3 to 21 consecutive integers.

    Returns
    -------
    ThresholdResult
        Truths with their errors, densities, and each worker's probability of being careful.

    Notes
    -----
    Derived in: remedies/who-is-careful
    """
    check_three(domain)
    codes = report_codes(reports, thresholds, domain)
    evidence = threshold_evidence(code_counts(codes, domain), epsilon, domain)
    return linked_result(codes, evidence, Form(codes.shape))


def linked_result(codes: NDArray[np.int16], evidence: Evidence, form: Form) -> ThresholdResult:
    """Truths and kinds, estimated in turn; `codes` holds the number of each report's column."""
    posterior = fit(evidence)
    linked, converged = evidence, posterior.converged
    share = law_of(posterior.parameters, evidence.domain).shares[0]
    bins = np.zeros(codes.shape, dtype=np.int8)  # one per report, by what the worker's other reports suggest
    for _ in range(_ROUNDS):
        linked, bins, careful = _by_kind(codes, linked, bins, posterior, share)
        posterior = fit(linked, posterior)
        converged &= posterior.converged
        share = np.clip(careful.mean(), 0.01, 0.99)
    truth, error = averaged(posterior, linked)
    return ThresholdResult(
        form.of_tasks(within_scale(truth, evidence.domain), "truth"),
        form.of_tasks(error, "error"),
        form.of_tasks(evidence.density, "density"),
        converged,
        form.of_workers(careful, "careful"),
    )


def report_codes(reports: ArrayLike, thresholds: ArrayLike, domain: Sequence[int]) -> NDArray[np.int16]:
    """Number of each report's column: three times that of its threshold, plus 0 or 1, or 2 for NULL."""
    matrix = numeric("reports", only_matrix("reports", reports))
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"reports must have the shape (workers, tasks), got {matrix.shape}")
    limits = check_thresholds(thresholds, matrix.shape)
    asked = question_thresholds(domain)
    codes = np.empty(matrix.shape, dtype=np.int16)
    for rows in row_blocks(matrix):
        block, limit = matrix[rows], limits[rows]
        null = np.isnan(block)
        if not (null | (block == 0) | (block == 1)).all():
            raise ValueError("reports must be 0, 1 or nan, got other values")
        at = np.searchsorted(asked, limit)
        if not (asked.take(at, mode="clip") == limit).all():
            raise ValueError(f"thresholds must be among {asked.tolist()}, got {thresholds!r:.80}")
        codes[rows] = 3 * at + np.where(null, 2, block)
    return codes


def code_counts(codes: NDArray[np.int16], domain: Sequence[int]) -> Array:
    """How often each threshold and symbol occurs for each task, shape (thresholds, n, 3)."""
    n_columns = 3 * len(question_thresholds(domain))
    counts = column_counts(codes, n_columns)
    return counts.reshape(len(counts), -1, 3).transpose(1, 0, 2)


def column_counts(codes: NDArray[np.int16], n_columns: int) -> Array:
    """How often each column occurs for each task, shape (n, columns)."""
    n_tasks = codes.shape[1]
    counts = np.zeros(n_tasks * n_columns)
    for rows in row_blocks(codes):
        counts += np.bincount((codes[rows] + n_columns * np.arange(n_tasks)).ravel(), minlength=counts.size)
    return counts.reshape(n_tasks, n_columns)


def _by_kind(
    codes: NDArray[np.int16], evidence: Evidence, bins: NDArray[np.int8], posterior: Posterior, share: float
) -> tuple[Evidence, NDArray[np.int8], Array]:
    """Evidence in bins of the probability that a worker is careful given her other reports.

    Also each report's bin, and each worker's probability given all her reports.
    """
    score = _scores(evidence, posterior)
    _, n_tasks, n_columns = score.shape
    tasks = np.arange(n_tasks)
    counts = np.zeros(_BINS * n_tasks * n_columns)
    total, number = np.zeros(_BINS), np.zeros(_BINS)
    careful, found = np.empty(len(codes)), np.empty_like(bins)
    for rows in row_blocks(codes):
        own = score[bins[rows], tasks, codes[rows]]
        log_odds = logit(share) + own.sum(axis=1, keepdims=True)
        others = expit(log_odds - own)
        careful[rows] = expit(log_odds[:, 0])
        bin_of = np.minimum((others * _BINS).astype(np.intp), _BINS - 1)
        index = (bin_of * n_tasks + tasks) * n_columns + codes[rows]
        counts += np.bincount(index.ravel(), minlength=counts.size)
        total += np.bincount(bin_of.ravel(), others.ravel(), _BINS)
        number += np.bincount(bin_of.ravel(), minlength=_BINS)
        found[rows] = bin_of
    mean = np.clip(total / np.maximum(number, 1), 1e-9, 1 - 1e-9)
    binned = replace(
        evidence,
        counts=counts.reshape(_BINS, n_tasks, n_columns),
        shares=np.stack([mean, 1 - mean], axis=1),
    )
    return binned, found, careful


def _scores(evidence: Evidence, posterior: Posterior) -> Array:
    """Log-likelihood ratio of each report for the careful kind, shape (bins, tasks, columns).

    The report itself is left out of the posterior of its task's truth: its probability is divided out.
    """
    law = law_of(posterior.parameters, evidence.domain)
    cells = cell_probabilities(posterior.grid, evidence.edges, law.sigmas)
    columns = cells @ column_channels(evidence) + TINY
    weights = posterior.weights[..., None]
    scores = []
    for careful, other in mixtures(evidence, law):
        mixed = careful * columns[0] + other * columns[1]
        mean = (weights * columns / mixed).sum(axis=2)
        scores.append(np.log(mean[0] / mean[1]))
    return np.array(scores)
