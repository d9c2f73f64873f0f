"""Medians of the answers given, and their errors, from reports that protect a worker's whole row."""

from collections.abc import Sequence
from math import tanh

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2, norm, truncnorm

from ldpbook._arrays import Array, numeric
from ldpbook._tables import only_matrix
from ldpbook._validate import integer_domain
from ldpbook.remedies import _foretold as foretold
from ldpbook.remedies._curves import _UNASKED
from ldpbook.remedies._law_check import gap
from ldpbook.remedies.answer_law import AnswerLaw
from ldpbook.remedies.answer_medians import MedianResult, infer_medians, medians_of_shares
from ldpbook.remedies.smaller_question import check_three, check_thresholds, question_thresholds
from ldpbook.whole_worker.sampling_bounds import _sway
from ldpbook.whole_worker.sampling_questions import (
    AskedQuestions,
    MixedSigns,
    OwnAnswer,
    RowMechanism,
    row_designs,
)

__all__ = ["infer_from_rows", "row_errors"]

_VAGUE = 0.25  # relative error of the mean strength above which `why` includes _WEAK
_WEAK = "questions off the scale hardly show how strong the reports are"
_FIRST = 0.3  # share of the workers who are asked at all thresholds
_NODES = np.linspace(-4, 4, 81)
_QUANTILES = (np.arange(9)[:, None] + 0.5) / 9


def infer_from_rows(
    reports: ArrayLike, thresholds: ArrayLike, *, mechanism: RowMechanism, domain: Sequence[int]
) -> MedianResult:
    r"""Interpolated median of the answers given to each task, from reports that protect whole rows.

    Reports of :class:`AskedQuestions` are counted, and the counts go to
    :func:`~ldpbook.remedies.answer_medians.infer_medians`. With the other designs, the mean report is

    .. math:: \kappa_j\,(2S_j(t)-1),

    where :math:`S_j(t)` is the share of the answers to task j above the threshold t. The strength
    :math:`\kappa_j` depends on how many workers answer the task, and on how many answers they have. **A
    threshold off the scale measures the strength**, because all answers are on one side of such a threshold.
    Strengths are shrunk towards their mean, the more so the better the tasks agree. They hardly move a
    median, which is where reports have mean 0, but they set the size of its error.

    In the shares, each answer has a weight that depends on its worker's number of answers. They equal the
    shares among all answers given if answers are independent of that number.

    Parameters
    ----------
    reports : array_like, shape (m, n)
        Output of the mechanism's `perturb`: 1, -1 or 0, and nan where a worker was not asked.
    thresholds : array_like
        The thresholds that the reports answer: one for all cells; one per task, shape (n,); or one per cell,
        shape (m, n). Each is one of `question_thresholds(domain)`, or lies off the scale, below the lowest
        answer or above the highest. `AskedQuestions` needs no threshold off the scale, and its reports on one
        are left out. The other designs need some for every task.
    mechanism : AskedQuestions, OwnAnswer or MixedSigns
        Mechanism that drew the reports.
    domain : sequence of int
        The answer domain without NULL, 3 to 21 consecutive integers.

    Returns
    -------
    MedianResult
        Medians with their errors. Densities are nan except with `AskedQuestions`, because other reports do
        not show them. `why` also says so if the strength is hardly known.

    Raises
    ------
    TypeError
        If the mechanism is none of the three, or a table is given: pivot it.
    ValueError
        If a task has no threshold off the scale and the design needs one, or an argument is out of range.

    Notes
    -----
    Derived in: whole-worker/sampling-questions

    Examples
    --------
    >>> answers = np.random.default_rng(1).binomial(3, [0.2, 0.5, 0.8], (30_000, 3))
    >>> limits = np.resize([-0.5, 0.5, 1.5, 2.5, 3.5], answers.shape)
    >>> design = MixedSigns(epsilon=3.0)
    >>> reports = design.perturb(answers, limits, rng=2)
    >>> result = infer_from_rows(reports, limits, mechanism=design, domain=range(4))
    >>> result.median.round(1), result.error.max().round(1)
    (array([0.5, 1.5, 2.5]), np.float64(0.0))
    """
    check_three(domain)
    if not isinstance(mechanism, AskedQuestions | OwnAnswer | MixedSigns):
        must = "mechanism must be AskedQuestions, OwnAnswer or MixedSigns"
        raise TypeError(f"{must}, got {mechanism!r:.80} of type {type(mechanism).__name__}")
    matrix, places = _read(reports, thresholds, mechanism, domain)
    if isinstance(mechanism, AskedQuestions):
        part, counts = mechanism.epsilon / mechanism.n_questions, _symbol_counts(matrix, places, domain)
        if not counts.any():
            raise ValueError(f"thresholds must lie on the scale {domain[0]}..{domain[-1]} for some questions")
        return infer_medians(counts, epsilon=part, domain=domain)
    number, total = _sums(matrix, places, len(domain) + 1)
    unheard = number[:, 0] + number[:, -1] == 0
    if unheard.any():
        raise ValueError(
            f"thresholds must lie off the scale {domain[0]}..{domain[-1]} for some workers of every task, as"
            f" nothing else shows how strong the reports are; got none for task {int(unheard.argmax())}"
        )
    square = max(float(np.mean(matrix**2)), 1 / matrix.size)  # mean square of a report
    strength, vague = _strengths(number, total, square, *_most(mechanism, matrix.shape[1]))
    asked = np.maximum(number[:, 1:-1], 1)
    signal = 2 * strength[:, None]
    variances = square / asked / signal**2
    heard = (number[:, 1:-1] > 0) & (variances < _UNASKED)
    shares = np.where(heard, 0.5 + total[:, 1:-1] / asked / signal, 0.5)
    values = integer_domain(domain)
    median, error, curves, ended = medians_of_shares(shares, np.where(heard, variances, _UNASKED), values)
    weak = (_WEAK,) if vague > _VAGUE else ()
    unknown = np.full(len(median), np.nan)
    return MedianResult(median, error, unknown, ended, (*weak, *gap(curves, median, values)))


def row_errors(
    law: AnswerLaw, *, n_workers: int, n_tasks: int, epsilon: float, prior_mean: float, prior_deviation: float
) -> pd.Series:
    """Expected mean absolute error of `infer_from_rows`, by design.

    In the survey, three workers in ten are asked at all thresholds in turn; for own answers and mixtures
    also at one below and one above the scale. The others are asked at the two half-integers nearest to the
    mean of the truths. The strength of the reports, and the mean and spread of the truths, are all learned
    from the reports. Where reports say almost nothing, the error is that of a constant estimate or larger,
    and is predicted less accurately.

    Parameters
    ----------
    law : AnswerLaw
        Distribution of an answer given the truth, with density > 0 and 3 to 21 answers.
    n_workers, n_tasks : int
        Numbers of workers who report and of tasks, >= 1.
    epsilon : float
        Privacy budget of a worker, 1e-9 to 300.
    prior_mean, prior_deviation : float
        Mean and standard deviation of the truths, which are normal, in answer units. The mean lies within
        the domain, the standard deviation between 1e-3 and the domain's width.

    Returns
    -------
    Series
        Errors of the medians in answer units: "asked" and "mixed" with the numbers of questions and groups
        that `row_designs` finds best, and "own answer" without padding.

    Raises
    ------
    TypeError
        If `law` is not an AnswerLaw.
    ValueError
        If an argument is out of range.

    Notes
    -----
    Derived in: whole-worker/sampling-questions

    Examples
    --------
    >>> law = AnswerLaw(domain=range(5), sigmas=(1.0,), shares=(1.0,), density=0.1)
    >>> crowd = dict(n_workers=10_000, n_tasks=100, prior_mean=2.0, prior_deviation=0.5)
    >>> row_errors(law, epsilon=2.0, **crowd).round(2)
    asked         0.38
    own answer    0.42
    mixed         0.35
    Name: error, dtype: float64
    """
    law, epsilon, truths = foretold.checked(law, epsilon, prior_mean, prior_deviation)
    check_three(law.domain)
    return pd.Series(errors_over(law, n_workers, n_tasks, epsilon, truths), name="error")


def errors_over(
    law: AnswerLaw, n_workers: int, n_tasks: int, epsilon: float, truths: Array
) -> dict[str, float]:
    """Errors of `row_errors`, by design, for the `law` and `truths` that `foretold.checked` returns."""
    thresholds, mean, deviation = law.edges, float(truths.mean()), foretold.deviation_of(truths)
    designs = row_designs(
        n_tasks=n_tasks, n_workers=n_workers, epsilon=epsilon, density=law.density, sigma=1.0
    )
    sigmas = np.maximum(law.sigmas, 1e-9)
    scaled = np.clip((truths[:, None] - thresholds)[..., None] / sigmas, -40, 40)
    slopes = norm.pdf(scaled) @ (law.shares / sigmas)
    medians = foretold.wanted_of(law, truths, "median")
    moves, ends = np.gradient(medians, truths), (law.domain[0] - 0.5, law.domain[-1] + 0.5)
    errors = {}
    for design in ("asked", "own answer", "mixed"):
        asked = np.full(len(thresholds), _FIRST / (len(thresholds) + 2 * (design != "asked")))
        asked[np.argsort(np.abs(thresholds - mean), kind="stable")[:2]] += (1 - _FIRST) / 2
        # `row_designs` gives the information at a standard normal's slope; it grows with the slope's square.
        unit = n_workers * designs.information[design] / norm.pdf(0) ** 2
        told = unit * slopes**2 @ asked + 1 / foretold.MOST_NOISE
        noise, off = 1 / float(foretold.mean_of(told)), mean - float(thresholds.mean())
        learned = _learning_loss(noise, n_tasks, len(thresholds), off, deviation)
        estimate, variance = foretold.posterior_means(told, truths, deviation, medians, ends)
        errors[design] = foretold.mean_distance(estimate - medians, variance + moves**2 * learned)
    return errors


def _learning_loss(noise: float, n_tasks: int, span: int, off: float, deviation: float) -> Array:
    """Squared error, shape (quantiles, 1), of having to learn the mean and the spread of the truths.

    There is one estimate per task, with variance `noise`; the quantiles are those of their observed spread. A
    priori, as for `infer_medians`, the truths' mean is assumed to be around the middle of the domain, from
    which it really is `off` away, and their standard deviation around a sixth of the span.
    """
    free, width = max(1, n_tasks - 1), span / 4
    scatter = (noise + deviation**2) * chi2.ppf(_QUANTILES, free) / free
    spreads = span / 6 * np.exp(0.7 * _NODES)
    total = noise + spreads**2
    precision = n_tasks / total
    chance = -(_NODES**2 + n_tasks * np.log(total) + np.log(precision + width**-2) + precision * scatter) / 2
    chance = np.exp(chance - chance.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    pull = chance @ (spreads**2 / total)
    known = chance @ (precision / (precision + width**-2))
    best = deviation**2 / (noise + deviation**2)
    level = known**2 * (noise + deviation**2) / n_tasks + ((1 - known) * off) ** 2
    loss: Array = (pull - best) ** 2 * (noise + deviation**2) + (1 - pull) ** 2 * level
    return loss[:, None]


def _read(
    reports: ArrayLike, thresholds: ArrayLike, mechanism: RowMechanism, domain: Sequence[int]
) -> tuple[Array, NDArray[np.intp]]:
    """Reports, and the place of each cell's threshold: 1 to K on the scale, 0 below and K + 1 above it."""
    matrix = numeric("reports", only_matrix("reports", reports))
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"reports must have the shape (workers, tasks), got {matrix.shape}")
    mechanism._check(matrix.shape[1])
    allowed = np.isin(matrix, [-1, 0, 1])
    if isinstance(mechanism, AskedQuestions):
        allowed |= np.isnan(matrix)
    if not allowed.all():
        raise ValueError("reports must be 1, -1 or 0, and nan only for AskedQuestions, got others")
    most = mechanism.n_questions if isinstance(mechanism, AskedQuestions) else matrix.shape[1]
    if (~np.isnan(matrix)).sum(axis=1).max() > most:
        raise ValueError(f"reports must be on at most {most} questions per worker, got more")
    if isinstance(mechanism, MixedSigns) and not matrix.all():
        raise ValueError("reports must be 1 or -1, as mixed signs are, got 0")
    limits = check_thresholds(only_matrix("thresholds", thresholds), matrix.shape)
    asked = question_thresholds(domain)
    at = np.searchsorted(asked, limits)
    inside, above = asked.take(at, mode="clip") == limits, limits > domain[-1]
    if not (inside | above | (limits < domain[0])).all():
        must = f"thresholds must be among {asked.tolist()}, or off the scale {domain[0]}..{domain[-1]}"
        raise ValueError(f"{must}, got {thresholds!r:.80}")
    return matrix, np.where(inside, at + 1, np.where(above, len(asked) + 1, 0))


def _symbol_counts(reports: Array, places: NDArray[np.intp], domain: Sequence[int]) -> Array:
    """Counts of "not above", "above" and NULL, by threshold on the scale and task."""
    asked, n_tasks = ~np.isnan(reports), reports.shape[1]
    cells = (places * n_tasks + np.arange(n_tasks))[asked]
    symbols = np.array([2, 1, 0])[reports[asked].astype(np.intp)]  # of 0, 1 and -1
    counts = np.bincount(3 * cells + symbols, minlength=3 * (len(domain) + 1) * n_tasks)
    return counts.reshape(-1, n_tasks, 3)[1:-1].astype(float)


def _sums(reports: Array, places: NDArray[np.intp], n_places: int) -> tuple[Array, Array]:
    """Number of reports and their sum, by task and threshold."""
    cells = (places + n_places * np.arange(reports.shape[1])).ravel()
    size = n_places * reports.shape[1]
    number: Array = np.bincount(cells, minlength=size).reshape(-1, n_places).astype(float)
    total: Array = np.bincount(cells, reports.ravel(), size).reshape(-1, n_places).astype(float)
    return number, total


def _most(mechanism: OwnAnswer | MixedSigns, n_tasks: int) -> tuple[float, float]:
    """Upper limits of the strengths: of their mean over tasks, and of each one."""
    if isinstance(mechanism, OwnAnswer):
        kept = tanh(mechanism.epsilon / 2) / 2
        return kept / n_tasks, kept / mechanism.padding
    kept = tanh(mechanism.epsilon / mechanism.n_groups / 2)
    return kept * _sway(n_tasks // mechanism.n_groups, 1.0), kept


def _strengths(
    number: Array, total: Array, square: float, most_mean: float, most: float
) -> tuple[Array, float]:
    """Strength of the reports on each task, and the relative error of their mean."""
    sure = number[:, 0] + number[:, -1]
    found, variance = (total[:, 0] - total[:, -1]) / sure, square / sure
    pooled, error = _within(found.mean(), np.sqrt(variance.mean() / len(found)), most_mean)
    between = max(0.0, float(found.var() - variance.mean()))
    pull = between / (between + variance)
    spread = np.sqrt(pull * variance) + 1e-9 * pooled  # where tasks agree, every strength is the mean
    strength, _ = _within(pooled + pull * (found - pooled), spread, most)
    return strength, float(error / pooled)


def _within(mean: Array, deviation: Array, most: float) -> tuple[Array, Array]:
    """Mean and standard deviation of a normal variable that is known to lie between 0 and `most`."""
    near = np.clip(mean, -5 * deviation, most + 5 * deviation)  # farther out the result hardly changes
    low, high = -near / deviation, (most - near) / deviation
    middle: Array = near + deviation * truncnorm.mean(low, high)
    spread: Array = deviation * truncnorm.std(low, high)
    return middle, spread
