"""Which mechanism when: the errors to be expected of a crowd, before anybody is asked."""

from dataclasses import replace
from math import inf, log, nan
from typing import Any

import numpy as np
import pandas as pd
from numpy.polynomial.hermite_e import hermegauss
from scipy.integrate import cumulative_trapezoid
from scipy.special import ndtr
from scipy.stats import chi2, norm

from ldpbook._arrays import Array
from ldpbook._validate import count, finite, one_of, positive
from ldpbook.foundations.truth_inference import SIGMA_FLOOR
from ldpbook.remedies._posterior import TINY
from ldpbook.remedies.answer_law import AnswerLaw
from ldpbook.remedies.best_mechanism import known_types_limit, unlinked_limit
from ldpbook.remedies.phases import PHASES
from ldpbook.remedies.smaller_question import ThresholdResponse, question_thresholds
from ldpbook.sparse_answers.laplace import LaplacePerturbation
from ldpbook.sparse_answers.randomized_response import RandomizedResponse
from ldpbook.whole_worker.sampling_questions import row_designs

__all__ = ["expected_errors", "recommend", "workers_needed"]

# Truths, in deviations from their mean: close, for errors have kinks where a bias is 0, and beside 0.
_NODES = np.arange(-5.975, 6, 0.05)
_SHARES = norm.pdf(_NODES) / norm.pdf(_NODES).sum()
_PLACES, _CHANCES = hermegauss(5)  # estimates around the truth, and truths around the estimate
_CHANCES = _CHANCES / _CHANCES.sum()
_AROUND = np.arange(-40, 41) / 4  # of a task's reports, in deviations: farther off a truth has no weight
_QUANTILES = (np.arange(9) + 0.5) / 9
_TURNS = 50  # of Algorithm 1
_RATIO = np.sqrt(2 / np.pi)  # mean distance of a normal variable from 0, in deviations
_MOST_WORKERS = 2**53
_MOST_NOISE = 1e12  # variance of an estimate, in squared answer units: it says nothing
_LEAST_DEVIATION = 1e-3  # of the truths, in answer units
_LEAST = 1e-9  # epsilon and density: far below it noise has no finite variance
_MOST_EPSILON = 300.0  # as of the limits
_DECODERS = {
    "RR, Algorithm 1": "infer_truth",
    "LP, Algorithm 1": "infer_truth",
    "MF, Algorithm 1": "infer_truth",
    "RR, decoded": "decode",
    "LP, decoded": "decode",
    "threshold response": "infer_with_thresholds",
}
_ASSUMED = {
    "limit, unlinked": "law known, kinds drawn afresh, any mechanism",
    "limit, kinds known": "law and kinds known, any mechanism",
    "limit, whole rows": "law and kinds known, any mechanism",
    "LP, decoded": "density known",
    "threshold response": "law known, prior learned",
    "constant": "mean of truths known",
    "own answer": "no decoder, see row_designs",
    "mixed": "no decoder, see row_designs",
}


def expected_errors(
    law: AnswerLaw, *, n_workers: int, n_tasks: int, epsilon: float, prior_mean: float, prior_deviation: float
) -> pd.Series:
    """Mean absolute error of the truths that each mechanism for numbers is expected to reveal.

    In the mean over crowds: truths are normal, and each cell is answered by chance, with the law's density.
    Where a third or more of the truths lie beyond a short domain, threshold responses are told up to a fifth
    too small; with fewer than ten tasks, or truths that hardly differ, what is shrunk is told less well. With
    two answers the error of threshold responses is told for a reader who knows the law.
    `infer_with_thresholds` has to learn it, and cannot: one threshold does not show the unit.

    Parameters
    ----------
    law : AnswerLaw
        Law of an answer given the truth, density at least 1e-9, of 2 to 21 answers.
    n_workers, n_tasks : int
        How many workers are asked, at most 2^53, and how many tasks there are, >= 1.
    epsilon : float
        Privacy budget of one cell, from 1e-9 to 300. NULL is protected too, but by "MF".
    prior_mean, prior_deviation : float
        Of the truths, the deviation > 0. Decoding and thresholds learn both; the constant is the mean.

    Returns
    -------
    Series
        In answer units, by mechanism: randomized response and Laplace perturbation with Algorithm 1 and
        decoded, the latter with the density known; matrix factorization with a profile of ones; threshold
        responses, unlinked, in three phases; the constant.

    Raises
    ------
    TypeError
        If `law` is no AnswerLaw.
    ValueError
        If its density is below 1e-9, or an argument is out of range.

    Notes
    -----
    Derived in: remedies/guide

    Examples
    --------
    >>> law = AnswerLaw(domain=range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.1)
    >>> crowd = dict(n_workers=20_000, n_tasks=200, prior_mean=4.5, prior_deviation=1.0)
    >>> expected_errors(law, epsilon=2.0, **crowd).round(3)
    RR, Algorithm 1       0.759
    RR, decoded           0.397
    LP, Algorithm 1       0.734
    LP, decoded           0.459
    MF, Algorithm 1       0.798
    threshold response    0.102
    constant              0.798
    Name: error, dtype: float64
    """
    law, epsilon, truths = _checked(law, epsilon, prior_mean, prior_deviation)
    m, n = count("n_workers", n_workers), count("n_tasks", n_tasks)
    cells = _laws(law, truths)
    answers = _mixed(cells, law)[:, :-1] @ np.array(law.domain) / law.density
    errors = {}
    for name, mechanism in ("RR", RandomizedResponse), ("LP", LaplacePerturbation):
        moments, signal = _moments(mechanism(epsilon, law.domain))
        reports = cells @ moments
        errors[f"{name}, Algorithm 1"] = _algorithm_1(reports, law, m, truths)
        errors[f"{name}, decoded"] = _decoded(reports, answers, signal, law, m, n, truths)
    own = max(1.0, law.density * n)  # answers of a worker: a profile of ones keeps their mean only
    noise = 2 * (len(law.domain) / epsilon / own) ** 2 / m
    errors["MF, Algorithm 1"] = _absolute(_mean(answers) - truths, np.full(len(truths), noise))
    errors["threshold response"] = _thresholds(law, epsilon, m, n, truths)
    errors["constant"] = _RATIO * prior_deviation
    return pd.Series(errors, name="error")


def recommend(
    law: AnswerLaw,
    *,
    n_workers: int,
    n_tasks: int,
    epsilon: float,
    prior_mean: float,
    prior_deviation: float,
    unit: str = "cell",
) -> pd.DataFrame:
    """Mechanisms for numbers, limits and constant by the error to be expected of them, the least first.

    With the unit "worker" epsilon protects a whole row, any two rows being neighbours, NULL included. Then
    the table has threshold responses to few questions per worker, in three phases, a limit for any report,
    and the constant. One of her own answers and a mixture of all come last, without an error: nothing in
    this package reads such reports as truths. `row_designs` compares them with questions, on the same
    idealized terms for all. What `expected_errors` says of two answers holds here too.

    Parameters
    ----------
    law : AnswerLaw
        Law of an answer given the truth, density at least 1e-9, of 2 to 15 answers.
    n_workers, n_tasks, epsilon, prior_mean, prior_deviation
        As of :func:`expected_errors`; epsilon is that of the unit.
    unit : {"cell", "worker"}
        What epsilon protects.

    Returns
    -------
    DataFrame
        Indexed by mechanism: `error`, in answer units; `assumes`, what the reader of the reports has to know
        for that error; `decoder`, what in this package reads them; and `protects_null`, whether epsilon
        covers which cells were answered. Only a row with a decoder can be run. Rows named so are limits: no
        mechanism that protects a cell so comes below that for known kinds, none that protects a row below
        that for whole rows.

    Raises
    ------
    TypeError
        If `law` is no AnswerLaw.
    ValueError
        If its density is below 1e-9, its domain too large, or another argument out of range.

    Notes
    -----
    The unit "worker" is that of whole-worker/sampling-questions.

    Derived in: remedies/guide

    Examples
    --------
    >>> law = AnswerLaw(domain=range(5), sigmas=(1.0,), shares=(1.0,), density=0.1)
    >>> crowd = dict(n_workers=10_000, n_tasks=100, prior_mean=2.0, prior_deviation=0.5)
    >>> recommend(law, epsilon=2.0, unit="worker", **crowd)["error"].round(2)
    mechanism
    limit, whole rows     0.22
    threshold response    0.38
    constant              0.40
    own answer             NaN
    mixed                  NaN
    Name: error, dtype: float64
    >>> recommend(law, epsilon=2.0, **crowd)["error"].round(2)
    mechanism
    limit, unlinked       0.08
    limit, kinds known    0.08
    threshold response    0.08
    RR, decoded           0.15
    LP, decoded           0.25
    RR, Algorithm 1       0.36
    LP, Algorithm 1       0.36
    constant              0.40
    MF, Algorithm 1       0.40
    Name: error, dtype: float64
    """
    crowd: dict[str, Any] = {
        "epsilon": positive("epsilon", epsilon),
        "n_workers": n_workers,
        "prior_mean": finite("prior_mean", prior_mean),
        "prior_deviation": positive("prior_deviation", prior_deviation),
    }
    if one_of("unit", unit, ("cell", "worker")) == "worker":
        errors = _row_errors(law, n_tasks=n_tasks, **crowd)
    else:
        errors = expected_errors(law, n_tasks=n_tasks, **crowd)
        errors["limit, unlinked"] = unlinked_limit(law, **crowd)
        errors["limit, kinds known"] = known_types_limit(law, **crowd)
    table = errors.sort_values(kind="stable").to_frame().rename_axis("mechanism")
    table["assumes"] = [_ASSUMED.get(name, "nothing") for name in table.index]
    decoders = _DECODERS if unit == "cell" else {"threshold response": "infer_from_counts"}
    table["decoder"] = [decoders.get(name, "") for name in table.index]
    table["protects_null"] = ~table.index.str.startswith("MF")
    return table


def _row_errors(
    law: AnswerLaw, *, n_workers: int, n_tasks: int, epsilon: float, prior_mean: float, prior_deviation: float
) -> pd.Series:
    """Mean absolute error by design, if epsilon protects a worker's whole row; nan without a decoder."""
    cells, epsilon, truths = _checked(law, epsilon, prior_mean, prior_deviation)
    information = sum(a / b**2 for a, b in zip(law.shares, law.sigmas, strict=True))
    designs = row_designs(
        n_tasks=n_tasks,
        n_workers=n_workers,
        epsilon=epsilon,
        density=law.density,
        sigma=information**-0.5 / prior_deviation,
    )
    asked = int(designs.parts["asked"])  # which does not depend on sigma
    reports = n_workers * asked // n_tasks
    errors = {
        "limit, whole rows": prior_deviation * designs.error["limit"],
        "threshold response": _thresholds(cells, epsilon / asked, reports, n_tasks, truths),
        "constant": _RATIO * prior_deviation,
        "own answer": nan,
        "mixed": nan,
    }
    return pd.Series(errors, name="error")


def workers_needed(
    law: AnswerLaw, *, error: float, n_tasks: int, epsilon: float, prior_mean: float, prior_deviation: float
) -> int:
    """Least crowd of which threshold responses are expected to reveal truths with so small an error.

    With two answers the law of an answer has to be known for that, see `expected_errors`.

    Parameters
    ----------
    law : AnswerLaw
        As of :func:`expected_errors`.
    error : float
        Mean absolute error that is wanted, > 0, in answer units.
    n_tasks, epsilon, prior_mean, prior_deviation
        As of :func:`expected_errors`.

    Returns
    -------
    int
        Number of workers asked. Where the wanted error is that of the constant, the constant will do.

    Raises
    ------
    TypeError
        If `law` is no AnswerLaw.
    ValueError
        If it takes more than 2^53 workers, or an argument is out of range.

    Notes
    -----
    Derived in: remedies/guide

    Examples
    --------
    >>> law = AnswerLaw(domain=range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.1)
    >>> workers_needed(law, error=0.2, n_tasks=200, epsilon=1.0, prior_mean=4.5, prior_deviation=1.0)
    32233
    """
    law, epsilon, truths = _checked(law, epsilon, prior_mean, prior_deviation)
    wanted, n = positive("error", error), count("n_tasks", n_tasks)

    def lacking(workers: int) -> float:
        return log(max(_thresholds(law, epsilon, workers, n, truths), TINY) / wanted)

    low, high, too_few, enough = -1, 0, inf, lacking(0)
    while enough > 0:
        if high > _MOST_WORKERS:
            raise ValueError(f"error must be within reach of 2^53 workers, got {error!r:.80}")
        low, high, too_few = high, 4 * high + 3, enough
        enough = lacking(high)
    # The error falls nearly as a power of the crowd: a line in logarithms, where an end that stays again
    # counts half.
    last = 0
    while high - low > 1:
        guess = int((low + 1) * ((high + 1) / (low + 1)) ** (too_few / (too_few - enough))) - 1
        middle = min(max(guess, low + 1), high - 1)
        found = lacking(middle)
        if found <= 0:
            high, enough, too_few, last = middle, found, too_few / (2 if last == 1 else 1), 1
        else:
            low, too_few, enough, last = middle, found, enough / (2 if last == -1 else 1), -1
    return high


def _checked(
    law: AnswerLaw, epsilon: float, prior_mean: float, prior_deviation: float
) -> tuple[AnswerLaw, float, Array]:
    """The law on answers from 0, epsilon, and the nodes over which `_mean` is taken."""
    if not isinstance(law, AnswerLaw):
        raise TypeError(f"law must be an AnswerLaw, got {law!r:.80} of type {type(law).__name__}")
    question_thresholds(law.domain)
    if not _LEAST <= positive("epsilon", epsilon) <= _MOST_EPSILON:
        raise ValueError(f"epsilon must lie between {_LEAST:g} and {_MOST_EPSILON:g}, got {epsilon!r:.80}")
    if law.density < _LEAST:
        raise ValueError(f"density of the law must be at least {_LEAST:g}, got {law.density!r:.80}")
    low, high = law.domain[0], law.domain[-1]
    if not low <= finite("prior_mean", prior_mean) <= high:
        raise ValueError(f"prior_mean must lie in the domain {low}..{high}, got {prior_mean!r:.80}")
    if not _LEAST_DEVIATION <= positive("prior_deviation", prior_deviation) <= high - low:
        raise ValueError(
            f"prior_deviation must lie between {_LEAST_DEVIATION} and the domain's width {high - low},"
            f" got {prior_deviation!r:.80}"
        )
    truths = float(prior_mean) - low + float(prior_deviation) * _NODES
    return replace(law, domain=range(len(law.domain))), float(epsilon), truths


def _mean(values: Array) -> Array:
    """Over the truths, the last axis."""
    mean: Array = values @ _SHARES
    return mean


def _mixed(values: Array, law: AnswerLaw) -> Array:
    """Over the kinds of workers, the first axis."""
    return np.tensordot(law.shares, values, 1)


def _laws(law: AnswerLaw, truths: Array) -> Array:
    """What a cell holds, NULL last, of each kind of worker at each truth: shape (kinds, truths, size + 1)."""
    return np.array([replace(law, sigmas=(sigma,), shares=(1.0,)).at(truths) for sigma in law.sigmas])


def _moments(mechanism: RandomizedResponse | LaplacePerturbation) -> tuple[Array, float]:
    """Chance of a report, its mean and mean square times that, by cell, shape (size + 1, 3); the signal."""
    values = np.array(mechanism.domain, dtype=float)
    powers = values[:, None] ** np.arange(3)
    if isinstance(mechanism, RandomizedResponse):
        channel = mechanism.transition_matrix
        return channel[:, :-1] @ powers, channel[0, 0] - channel[0, -1]
    noise = np.array([0.0, 0.0, 2 * mechanism.scale**2])
    return np.vstack([powers, powers.mean(axis=0)]) + noise, 1.0


def _absolute(bias: Array, variance: Array) -> float:
    """Mean distance from the truth of normal estimates."""
    deviation = np.sqrt(np.maximum(variance, 0) + TINY)  # which rounding can leave below 0
    off = deviation * 2 * norm.pdf(bias / deviation) + bias * (1 - 2 * norm.cdf(-bias / deviation))
    return float(np.mean(_mean(off)))


def _algorithm_1(reports: Array, law: AnswerLaw, n_workers: int, truths: Array) -> float:
    """Weights and truths of Algorithm 1 in turn, with a crowd's means in place of its sums."""
    given, first, second = np.moveaxis(reports, -1, 0)
    quality = np.ones(len(given))
    for _ in range(_TURNS):
        weights = quality[:, None, None] * reports
        total, estimate = (_mixed(x, law) for x in np.moveaxis(weights, -1, 0)[:2])
        estimate = estimate / total
        residual = second - 2 * estimate * first + estimate**2 * given
        square = _mean(residual) / _mean(given)
        quality = 1 / np.sqrt(np.maximum(square, SIGMA_FLOOR**2 * np.dot(law.shares, square)) + TINY)
    spread = _mixed(quality[:, None] ** 2 * residual, law)
    return _absolute(estimate - truths, spread / total**2 / n_workers)


def _decoded(
    reports: Array, answers: Array, signal: float, law: AnswerLaw, n_workers: int, n_tasks: int, truths: Array
) -> float:
    """Unbiased estimates of the mean answers, shrunk as `decode` does."""
    given, first, second = np.moveaxis(_mixed(reports, law), -1, 0)
    heard = signal * law.density
    centre = _mean(answers)
    shift = centre + heard * (answers - centre) / given
    spread = second - 2 * shift * first + shift**2 * given - (first - shift * given) ** 2
    noise = np.minimum(spread / n_workers / heard**2, _MOST_NOISE)
    half = len(law.domain) / 2
    spreads = np.linspace(0.0, half, 201)[1:]
    level, even = float(_mean(noise)), np.zeros(len(spreads))
    pull, pushed = _shrinkage(level, answers, n_tasks, law, half / np.sqrt(3), spreads, even)
    middle = (law.domain[0] + law.domain[-1]) / 2
    bias = pull * answers + pushed * centre + (1 - pull - pushed) * middle - truths
    wander = (level + _mean((answers - centre) ** 2)) / n_tasks
    return _absolute(bias, pull**2 * noise + pushed**2 * wander)


def _thresholds(law: AnswerLaw, epsilon: float, n_workers: int, n_tasks: int, truths: Array) -> float:
    """Information of three phases, each asking what the one before it calls for, and the survey's prior."""
    prior = (truths[-1] - truths[0]) / np.ptp(_NODES)
    at_truth, mean = _information(law, epsilon, truths), truths.mean()
    told = PHASES[0] * n_workers * at_truth.mean(axis=-1)
    for phase in PHASES[1:]:
        pull = 1 / (1 + prior**2 * told)
        deviation = prior * np.sqrt(pull)
        estimates = (truths + (mean - truths) * pull)[:, None]
        estimates = estimates + (np.sqrt(1 - pull) * deviation)[:, None] * _PLACES
        around = estimates[..., None] + deviation[:, None, None] * _PLACES
        best = (_CHANCES @ _information(law, epsilon, around)).argmax(axis=-1)
        told = told + phase * n_workers * np.take_along_axis(at_truth, best, axis=1) @ _CHANCES
    span, z = law.domain[-1] - law.domain[0], np.linspace(-4, 4, 81)
    level = 1 / (float(_mean(told)) + 1 / _MOST_NOISE)
    spreads, log_prior = span / 6 * np.exp(0.7 * z), -(z**2) / 2
    pull, pushed = _shrinkage(level, truths, n_tasks, law, span / 4, spreads, log_prior)
    off = pull - prior**2 / (prior**2 + level)  # from the best, which needs the crowd's law
    spread = (off**2 + pushed**2 / n_tasks) * (level + prior**2)
    bias = (1 - pull - pushed) * ((law.domain[0] + law.domain[-1]) / 2 - mean)
    estimate, variance = _posterior_means(told, truths, prior)
    return _absolute(estimate - truths + bias, variance + spread)


def _posterior_means(told: Array, truths: Array, prior: float) -> tuple[Array, Array]:
    """Mean and variance of a truth's posterior mean over its reports, from what they tell of each truth.

    All reports on a task are as good as one normal variable with deviation 1 around the root of the
    information, summed up to the truth.
    """
    root, mean = np.sqrt(told), truths.mean()
    heard = cumulative_trapezoid(root, truths, initial=0)
    place = heard + (truths - mean) / prior  # in which neither prior nor likelihood is narrower than 1
    around = place[:, None] + _AROUND
    truth, there = np.interp(around, place, truths), np.interp(around, place, heard)
    weight = np.exp(-(((truth - mean) / prior) ** 2) / 2) * np.gradient(truth, axis=1)
    misfit = there - heard[:, None] - _PLACES[:, None, None]
    weights = weight * np.exp(-(misfit**2) / 2) + TINY
    means = (weights * truth).sum(axis=-1) / weights.sum(axis=-1)
    estimate = _CHANCES @ means
    return estimate, _CHANCES @ (means - estimate) ** 2


def _shrinkage(
    level: float, values: Array, n_tasks: int, law: AnswerLaw, width: float, spreads: Array, log_prior: Array
) -> tuple[Array, Array]:
    """What shrinkage leaves of an estimate's own distance, and what it gives to the mean of all of them.

    Shape (quantiles, 1): of how far the estimates happen to scatter, with a noise of variance `level`. A
    priori their mean is normal around the middle of the domain, with deviation `width`, and gets the rest;
    their spread is one of `spreads`.
    """
    total = level + spreads**2
    precision, centre = n_tasks / total, _mean(values)
    known = precision / (precision + width**-2)
    free = max(1, n_tasks - 1)
    scatter = (level + _mean((values - centre) ** 2)) * chi2.ppf(_QUANTILES, free) / free
    misfit = precision * scatter[:, None]
    far = centre - (law.domain[0] + law.domain[-1]) / 2
    misfit += known * (far / width) ** 2
    chance = log_prior - (n_tasks * np.log(total) + np.log(precision + width**-2) + misfit) / 2
    chance = np.exp(chance - chance.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    pull = spreads**2 / total
    return (chance @ pull)[:, None], (chance @ ((1 - pull) * known))[:, None]


def _information(law: AnswerLaw, epsilon: float, truths: Array) -> Array:
    """Of one response to each threshold, shape (..., thresholds)."""
    kept, other = ThresholdResponse(epsilon).transition_matrix[0, :2]
    signal, shares = (kept - other) * law.density, np.array(law.shares)
    sigmas = np.maximum(law.sigmas, 1e-100)  # no square overflows
    distances = (truths[..., None] - law.edges)[..., None] / sigmas
    above, below = (other + signal * (ndtr(side) @ shares) for side in (distances, -distances))
    slope = signal * np.exp(-(distances**2) / 2) @ (shares / sigmas) / np.sqrt(2 * np.pi)
    information: Array = slope**2 * (1 / (above + TINY) + 1 / (below + TINY))
    return information
