"""Interpolated median of the answers given to each task, without assuming their distribution."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, numeric
from ldpbook._crowd import Form
from ldpbook.remedies._curves import fitted, shares_above
from ldpbook.remedies._law_check import gap, objections
from ldpbook.remedies._posterior import Evidence, fit
from ldpbook.remedies.smaller_question import (
    ThresholdResponse,
    check_report_counts,
    check_three,
    question_thresholds,
    threshold_evidence,
)

__all__ = ["MedianResult", "infer_medians", "interpolated_median"]


@dataclass(frozen=True, eq=False)
class MedianResult:
    """Medians estimated from counts of threshold responses, without assuming one distribution of the answers.

    Attributes
    ----------
    median : ndarray or Series, shape (n,)
        Interpolated median of the answers given to each task: its posterior mean, in answer units.
    error : ndarray or Series, shape (n,)
        Posterior standard deviation of each median, in answer units.
    density : ndarray or Series, shape (n,)
        Estimated share of the workers who answer each task.
    converged : bool
        Whether both searches ended: for the distribution of the answers here, and for that of
        `infer_from_counts`.
    why : tuple of str
        Ways in which the same reports depart from the distribution that `infer_from_counts` assumes. Empty
        if none was found, which says little if there are few reports. The words name a direction in which the
        reports depart, not its cause.
    """

    median: Array | pd.Series
    error: Array | pd.Series
    density: Array | pd.Series
    converged: bool
    why: tuple[str, ...]

    @property
    def trusted(self) -> bool:
        """Whether the searches ended and nothing speaks against the distribution in `infer_from_counts`.

        This judges that distribution and not the medians, most of which hold without it.
        """
        return self.converged and not self.why


def interpolated_median(above: ArrayLike, domain: Sequence[int]) -> Array:
    """Interpolated median: the point above which half of the answers lie.

    Shares are interpolated linearly between the half-integers. If half of the answers lie above every point
    of an interval, the median is the middle of the interval.

    Parameters
    ----------
    above : array_like, shape (..., thresholds)
        Share of the answers above each of `question_thresholds(domain)`. Estimated shares may rise with the
        threshold. They are replaced by the average of two falling curves, the largest below them and the
        smallest above them, and clipped to [0, 1].
    domain : sequence of int
        The answer domain without NULL, 2 to 21 consecutive integers.

    Returns
    -------
    ndarray, shape (...)
        Medians, in answer units, from half a step below the domain to half a step above.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    Of ten answers three are 1, four are 2 and three are 3.

    >>> interpolated_median([0.7, 0.3], range(1, 4))
    np.float64(2.0)
    >>> interpolated_median([[0.6, 0.1], [0.2, 0.1]], range(1, 4)).round(3)
    array([1.7  , 1.125])
    """
    thresholds, shares = question_thresholds(domain), numeric("above", above)
    if shares.ndim < 1 or shares.shape[-1] != len(thresholds):
        raise ValueError(f"above must have {len(thresholds)} shares in its last axis, got {shares.shape}")
    if not np.isfinite(shares).all():
        raise ValueError(f"above must be finite, got {above!r:.80}")
    low = np.minimum.accumulate(shares, axis=-1)
    high = np.maximum.accumulate(shares[..., ::-1], axis=-1)[..., ::-1]
    ends = np.ones((*shares.shape[:-1], 1))
    falling = np.concatenate([ends, np.clip((low + high) / 2, 0, 1).round(12), 0 * ends], axis=-1)
    first, last = _at_most_half(falling), len(thresholds) + 1 - _at_most_half(1 - falling[..., ::-1])
    median: Array = thresholds[0] - 1 + (first + last) / 2
    return median


def _at_most_half(falling: Array) -> Array:
    """First place at which a falling line through points 1 apart is at most one half."""
    after = np.clip((falling > 0.5).sum(axis=-1, keepdims=True), 1, falling.shape[-1] - 1)
    upper, lower = (np.take_along_axis(falling, after - k, axis=-1)[..., 0] for k in (1, 0))
    place: Array = after[..., 0] - 1 + np.clip((upper - 0.5) / np.maximum(upper - lower, 1e-12), 0, 1)
    return place


def infer_medians(counts: ArrayLike, *, epsilon: float, domain: Sequence[int]) -> MedianResult:
    r"""Interpolated median of the answers given to each task, from counts that no one can link to workers.

    The share of answers above each threshold is estimated for each task, with a model that is learned from
    all tasks together. Errors have two widths and one hump or two. Tasks may be harder or easier, and some
    workers answer without looking. Each task has a smooth departure of its own, whose size is learned. Where
    the distribution of the answers cannot be known, their median is still one number; the truth of
    `infer_from_counts` is not. Where NULL depends on the answer, the result is the median over those who
    answer. Workers who are asked at different thresholds must not differ systematically: number them at
    random before the survey. Where only some tasks split the workers into two humps, the stated errors of
    these tasks are too small.

    Parameters
    ----------
    counts, epsilon
        As in :func:`~ldpbook.remedies.smaller_question.infer_from_counts`.
    domain : sequence of int
        The answer domain without NULL, 3 to 21 consecutive integers.

    Returns
    -------
    MedianResult
        Medians with their errors, densities, and what speaks against the distribution assumed by
        `infer_from_counts`. The same counts give the same result: the distributions that are averaged over
        are drawn with a fixed seed.

    Raises
    ------
    ValueError
        If the domain has two answers, which show one share but no median; or if the counts have a different
        shape or are not whole numbers.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> counts = [[[300, 1500, 200]], [[900, 900, 200]], [[1500, 300, 200]]]
    >>> result = infer_medians(counts, epsilon=3.0, domain=range(4))
    >>> result.median.round(1), result.trusted
    (array([1.5]), True)
    """
    check_three(domain)
    evidence = threshold_evidence(check_report_counts(counts, domain), epsilon, domain)
    symbols = ThresholdResponse(epsilon).transition_matrix
    return medians_result(evidence, symbols, Form(evidence.density.shape))


def medians_result(evidence: Evidence, symbols: Array, form: Form) -> MedianResult:
    """Medians from counts of responses with transition matrix `symbols`, in the form the answers came in."""
    narrow = fit(evidence)
    median, error, curves, ended = medians_of_shares(*shares_above(evidence, symbols), evidence.domain)
    return MedianResult(
        median=form.of_tasks(median, "median"),
        error=form.of_tasks(error, "error"),
        density=form.of_tasks(evidence.density, "density"),
        converged=narrow.converged and ended,
        why=(*objections(evidence, narrow, symbols), *gap(curves, median, evidence.domain)),
    )


def medians_of_shares(
    shares: Array, variances: Array, domain: Sequence[int]
) -> tuple[Array, Array, Array, bool]:
    """Medians and their errors from unbiased shares above the thresholds, (n, K), of known variances.

    Also the mean curves, (n, K), and whether the search for the distribution ended.
    """
    model, peak, ended = fitted(shares, variances, domain)
    curves = np.array(list(model.draws(peak, np.random.default_rng(0))))
    drawn = interpolated_median(curves, domain)
    unresolved = model.step**2 / 12  # the lattice does not resolve places within one step
    return drawn.mean(axis=0), np.sqrt(drawn.var(axis=0) + unresolved), curves.mean(axis=0), ended
