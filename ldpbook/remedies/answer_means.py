"""Mean of the answers given to each task, from threshold responses, without assuming their distribution."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ldpbook._arrays import Array
from ldpbook._crowd import Form
from ldpbook.remedies._curves import shares_above
from ldpbook.remedies._posterior import Evidence
from ldpbook.remedies.decoding import _shrunk
from ldpbook.remedies.smaller_question import ThresholdResponse, check_report_counts, threshold_evidence

__all__ = ["MeanResult", "infer_means"]


@dataclass(frozen=True, eq=False)
class MeanResult:
    """Mean answers estimated from counts of threshold responses.

    Attributes
    ----------
    mean : ndarray or Series, shape (n,)
        Mean of the answers given to each task, shrunk towards the mean of all tasks; within the domain.
    error : ndarray or Series, shape (n,)
        Standard error of `mean`. It is correct on average over tasks but not for each task, because
        shrinkage moves extreme means most.
    density : ndarray or Series, shape (n,)
        Estimated share of the workers who answer each task.
    """

    mean: Array | pd.Series
    error: Array | pd.Series
    density: Array | pd.Series


def infer_means(counts: ArrayLike, *, epsilon: float, domain: Sequence[int]) -> MeanResult:
    """Mean of the answers given to each task, from counts that no one can link to workers.

    A mean is the lowest answer plus, for each threshold, the share of the answers above it. The estimated
    shares are unbiased whatever the distribution of the answers. Their sums are shrunk towards the mean of
    all tasks, as in :func:`~ldpbook.remedies.decoding.decode`. All thresholds have to be used in turn: those
    that were hardly used leave large errors. Where NULL depends on the answer, the result is the mean over
    those who answer. In a domain of two answers, the mean is the lower answer plus the share
    of the upper one.

    Parameters
    ----------
    counts, epsilon, domain
        As in :func:`~ldpbook.remedies.smaller_question.infer_from_counts`, but a domain of 2
        answers is enough.

    Returns
    -------
    MeanResult
        Means with their errors, and densities.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> result = infer_means([[[300, 1500, 200], [1500, 300, 200]]], epsilon=3.0, domain=range(2))
    >>> result.mean.round(2), result.error.round(2)
    (array([0.87, 0.13]), array([0.01, 0.01]))
    """
    evidence = threshold_evidence(check_report_counts(counts, domain), epsilon, domain)
    return means_result(evidence, ThresholdResponse(epsilon).transition_matrix, Form(evidence.density.shape))


def means_result(evidence: Evidence, symbols: Array, form: Form) -> MeanResult:
    """Means from counts of responses with transition matrix `symbols`, in the form the answers came in."""
    shares, variances = shares_above(evidence, symbols)
    low, high = evidence.domain[0], evidence.domain[-1]
    asked = np.maximum(evidence.counts[0].sum(axis=1), 1)
    keep, other = symbols[0, :2]
    null = keep - (keep - other) * evidence.density
    relative = null * (1 - null) / asked / np.maximum((keep - other) * evidence.density, 1e-9) ** 2
    mean, error = _shrunk(low + shares.sum(axis=1), variances.sum(axis=1), relative, float(low), float(high))
    return MeanResult(
        mean=form.of_tasks(np.clip(mean, low, high), "mean"),
        error=form.of_tasks(error, "error"),
        density=form.of_tasks(evidence.density, "density"),
    )
