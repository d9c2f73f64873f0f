"""Formulas for the expected errors of mechanisms for numbers, over normal truths."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.integrate import cumulative_trapezoid
from scipy.special import ndtr
from scipy.stats import chi2, norm

from ldpbook._arrays import Array
from ldpbook._validate import finite, positive
from ldpbook.foundations.truth_inference import SIGMA_FLOOR
from ldpbook.remedies._posterior import TINY
from ldpbook.remedies.answer_law import AnswerLaw
from ldpbook.remedies.answer_medians import interpolated_median
from ldpbook.remedies.best_mechanism import _RATIO, best_information
from ldpbook.remedies.phases import CHECKED, PHASES
from ldpbook.remedies.smaller_question import ThresholdResponse
from ldpbook.sparse_answers.laplace import LaplacePerturbation
from ldpbook.sparse_answers.randomized_response import RandomizedResponse

MOST_ANSWERS = 101
PHASES_OF = {"median": CHECKED, "mean": (1.0,), "truth": PHASES}
# Truths, in standard deviations from their mean: dense but without 0, as errors have kinks where a bias is 0.
_NODES = np.arange(-5.975, 6, 0.05)
_SHARES = norm.pdf(_NODES) / norm.pdf(_NODES).sum()
_PLACES, _CHANCES = hermegauss(5)  # estimates around the truth, and truths around the estimate
_CHANCES = _CHANCES / _CHANCES.sum()
_AROUND = np.arange(-40, 41) / 4  # in standard deviations of a task's reports; truths beyond have no weight
_QUANTILES = (np.arange(9) + 0.5) / 9
_TURNS = 50  # iterations of Algorithm 1
MOST_NOISE = 1e12  # in squared answer units: an estimate of this variance is useless
_LEAST_DEVIATION = 1e-3  # of the truths, in answer units
_LEAST = 1e-9  # of epsilon and density: far below it, the variance of the noise is not finite
_MOST_EPSILON = 300.0  # as in `best_mechanism`
_REACH = np.array([-5.0, -3, -2, -1, 0, 1, 2, 3, 5])  # standard deviations of the truths
_GAUSS = np.polynomial.legendre.leggauss(3)
MOST_FOR_LIMIT = 10  # answers: with more, the linear programs of a limit take longer than a user waits


def checked(
    law: AnswerLaw, epsilon: float, prior_mean: float, prior_deviation: float
) -> tuple[AnswerLaw, float, Array]:
    """The law with its answers renumbered from 0, epsilon, and the truths over which `mean_of` averages."""
    if not isinstance(law, AnswerLaw):
        raise TypeError(f"law must be an AnswerLaw, got {law!r:.80} of type {type(law).__name__}")
    if not 2 <= len(law.domain) <= MOST_ANSWERS:
        raise ValueError(f"domain must hold 2 to {MOST_ANSWERS} answers, got {law.domain!r:.80}")
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


def mean_of(values: Array) -> Array:
    """Mean over the truths, the last axis."""
    mean: Array = values @ _SHARES
    return mean


def mixed(values: Array, law: AnswerLaw) -> Array:
    """Mean over the kinds of workers, the first axis."""
    return np.tensordot(law.shares, values, 1)


def laws_of(law: AnswerLaw, truths: Array) -> Array:
    """Distribution of a cell, NULL last, per kind of worker and truth: shape (kinds, truths, size + 1)."""
    return np.array([replace(law, sigmas=(sigma,), shares=(1.0,)).at(truths) for sigma in law.sigmas])


def mean_answers(law: AnswerLaw, truths: Array) -> Array:
    """Mean answer at each truth: the lowest answer plus the shares above all thresholds."""
    means: Array = law.domain[0] + law.above(truths[:, None] - law.edges).sum(axis=1)
    return means


def wanted_of(law: AnswerLaw, truths: Array, target: str) -> Array:
    """Target quantity of a task, at each truth."""
    if target == "truth":
        return truths
    if target == "mean":
        return mean_answers(law, truths)
    return interpolated_median(law.above(truths[:, None] - law.edges), law.domain)


def constant(law: AnswerLaw, truths: Array, target: str) -> float:
    """Mean distance of the target quantity from its mean: the error of a constant estimate."""
    if target == "truth":
        return float(np.sqrt(2 / np.pi) * deviation_of(truths))
    wanted = wanted_of(law, truths, target)
    return float(mean_of(np.abs(wanted - mean_of(wanted))))


def deviation_of(truths: Array) -> float:
    """Standard deviation of the normal truths of which these are the nodes."""
    return float((truths[-1] - truths[0]) / np.ptp(_NODES))


def moments_of(mechanism: RandomizedResponse | LaplacePerturbation) -> tuple[Array, float]:
    """Moments 0 to 2 of a report that is a number, by what a cell holds, (size + 1, 3); and the signal."""
    values = np.array(mechanism.domain, dtype=float)
    powers = values[:, None] ** np.arange(3)
    if isinstance(mechanism, RandomizedResponse):
        channel = mechanism.transition_matrix
        return channel[:, :-1] @ powers, channel[0, 0] - channel[0, -1]
    noise = np.array([0.0, 0.0, 2 * mechanism.scale**2])
    return np.vstack([powers, powers.mean(axis=0)]) + noise, 1.0


def mean_distance(bias: Array, variance: Array) -> float:
    """Mean distance of normal estimates from the truth, given their biases and variances."""
    deviation = np.sqrt(np.maximum(variance, 0) + TINY)  # rounding can leave variances below 0
    off = deviation * 2 * norm.pdf(bias / deviation) + bias * (1 - 2 * norm.cdf(-bias / deviation))
    return float(np.mean(mean_of(off)))


def algorithm_1(reports: Array, law: AnswerLaw, n_workers: int, wanted: Array) -> float:
    """Error of Algorithm 1, whose weights and truths are found in turn from expectations instead of sums."""
    given, first, second = np.moveaxis(reports, -1, 0)
    quality = np.ones(len(given))
    for _ in range(_TURNS):
        weights = quality[:, None, None] * reports
        total, estimate = (mixed(x, law) for x in np.moveaxis(weights, -1, 0)[:2])
        estimate = estimate / total
        residual = second - 2 * estimate * first + estimate**2 * given
        square = mean_of(residual) / mean_of(given)
        quality = 1 / np.sqrt(np.maximum(square, SIGMA_FLOOR**2 * np.dot(law.shares, square)) + TINY)
    spread = mixed(quality[:, None] ** 2 * residual, law)
    return mean_distance(estimate - wanted, spread / total**2 / n_workers)


def half_off(law: AnswerLaw, truths: Array) -> Iterator[tuple[AnswerLaw, Array]]:
    """Wrong guesses: errors, density and spread of the truths each 0.5 or 1.5 times as large.

    Density and spread stay within their limits.
    """
    deviation, mean, width = deviation_of(truths), truths.mean(), law.domain[-1] - law.domain[0]
    for errors, density, spread in product((0.5, 1.5), repeat=3):
        allowed = min(max(spread * deviation, _LEAST_DEVIATION), width)
        sigmas = [errors * sigma for sigma in law.sigmas]
        guess = replace(law, sigmas=sigmas, density=min(1.0, density * law.density))
        yield guess, mean + (truths - mean) * allowed / deviation


def decoded_error(
    mechanism: RandomizedResponse | LaplacePerturbation,
    law: AnswerLaw,
    n_workers: int,
    n_tasks: int,
    truths: Array,
    wanted: Array,
) -> float:
    """Error of unbiased estimates of the mean answers, shrunk as in `decode`."""
    moments, signal = moments_of(mechanism)
    given, first, second = np.moveaxis(mixed(laws_of(law, truths) @ moments, law), -1, 0)
    answers, heard = mean_answers(law, truths), signal * law.density
    centre = mean_of(answers)
    shift = centre + heard * (answers - centre) / given
    spread = second - 2 * shift * first + shift**2 * given - (first - shift * given) ** 2
    return _shrunk(spread / n_workers / heard**2, answers, len(law.domain) / 2, law, n_tasks, wanted)


def in_turn(
    law: AnswerLaw, epsilon: float, n_workers: float, n_tasks: int, truths: Array, step: int = 1
) -> float:
    """Error of sums of the shares above all thresholds, asked equally often, shrunk as in `infer_means`.

    With a step larger than 1, answers are rounded to whole steps at random, so that their means stay the
    same. The share above a threshold is then the mean of the shares above the thresholds within the step.
    """
    kept, other = ThresholdResponse(epsilon).transition_matrix[0, :2]
    above, heard = law.above(truths[:, None] - law.edges), (kept - other) * law.density
    above = np.pad(above, ((0, 0), (0, -len(law.edges) % step))).reshape(len(truths), -1, step).mean(axis=2)
    spread = (2 * other + heard - (heard * (2 * above - 1)) ** 2).sum(axis=1) * above.shape[1]
    noise = spread / max(n_workers, TINY) / (2 * heard / step) ** 2
    answers = mean_answers(law, truths)
    return _shrunk(noise, answers, (len(law.domain) - 1) / 2, law, n_tasks, answers)


def _shrunk(noise: Array, answers: Array, half: float, law: AnswerLaw, n_tasks: int, wanted: Array) -> float:
    """Error of unbiased estimates of the mean answers, shrunk towards their mean, as estimates of `wanted`.

    `half` is half the width of the interval that is assumed to hold every mean answer.
    """
    noise = np.minimum(noise, MOST_NOISE)
    spreads = np.linspace(0.0, half, 201)[1:]
    level, even = float(mean_of(noise)), np.zeros(len(spreads))
    pull, pushed = _shrinkage(level, answers, n_tasks, law, half / np.sqrt(3), spreads, even)
    middle, centre = (law.domain[0] + law.domain[-1]) / 2, mean_of(answers)
    bias = pull * answers + pushed * centre + (1 - pull - pushed) * middle - wanted
    wander = (level + mean_of((answers - centre) ** 2)) / n_tasks
    variance = pull**2 * noise + pushed**2 * wander
    return _cut_off(wanted + bias, variance, wanted, law.domain[0], law.domain[-1])


def _cut_off(estimate: Array, variance: Array, wanted: Array, low: float, high: float) -> float:
    """Mean distance from `wanted` of normal estimates that are clipped to [low, high]."""
    inside, deviation = np.clip(wanted, low, high), np.sqrt(variance + TINY)
    cut = sum(
        deviation * norm.pdf(over / deviation) + over * norm.cdf(over / deviation)
        for over in (estimate - high, low - estimate)
    )
    beyond = mean_of(np.abs(wanted - inside) - cut)
    return mean_distance(estimate - inside, variance) + float(np.mean(beyond))


def at_thresholds(
    law: AnswerLaw, epsilon: float, n_workers: float, n_tasks: int, truths: Array, target: str
) -> float:
    """Error of threshold responses, decoded for the target."""
    if target == "mean":
        return in_turn(law, epsilon, n_workers, n_tasks, truths)
    wanted = wanted_of(law, truths, target)
    return in_phases(law, epsilon, n_workers, n_tasks, truths, wanted, PHASES_OF[target])


def in_phases(
    law: AnswerLaw,
    epsilon: float,
    n_workers: float,
    n_tasks: int,
    truths: Array,
    wanted: Array,
    phases: tuple[float, ...],
) -> float:
    """Error of a survey in phases, each asked where the one before it suggests, with the survey's prior."""
    prior = deviation_of(truths)
    at_truth, mean = _information(law, epsilon, truths), truths.mean()
    told = phases[0] * n_workers * at_truth.mean(axis=-1)
    for phase in phases[1:]:
        pull = 1 / (1 + prior**2 * told)
        deviation = prior * np.sqrt(pull)
        estimates = (truths + (mean - truths) * pull)[:, None]
        estimates = estimates + (np.sqrt(1 - pull) * deviation)[:, None] * _PLACES
        around = estimates[..., None] + deviation[:, None, None] * _PLACES
        best = (_CHANCES @ _information(law, epsilon, around)).argmax(axis=-1)
        told = told + phase * n_workers * np.take_along_axis(at_truth, best, axis=1) @ _CHANCES
    span, z = law.domain[-1] - law.domain[0], np.linspace(-4, 4, 81)
    level = 1 / (float(mean_of(told)) + 1 / MOST_NOISE)
    spreads, log_prior = span / 6 * np.exp(0.7 * z), -(z**2) / 2
    pull, pushed = _shrinkage(level, truths, n_tasks, law, span / 4, spreads, log_prior)
    off = pull - prior**2 / (prior**2 + level)  # from the best weight, given the crowd's distribution
    spread = (off**2 + pushed**2 / n_tasks) * (level + prior**2)
    bias = (1 - pull - pushed) * ((law.domain[0] + law.domain[-1]) / 2 - mean)
    ends = law.domain[0] - 0.5, law.domain[-1] + 0.5  # of a survey's estimates
    estimate, variance = posterior_means(told, truths, prior, wanted, ends)
    return _cut_off(estimate + bias, variance + spread, wanted, *ends)


def posterior_means(
    told: Array, truths: Array, prior: float, wanted: Array, ends: tuple[float, float]
) -> tuple[Array, Array]:
    """Mean and variance of the posterior mean of `wanted`, clipped to `ends`, given the information `told`.

    All reports on a task are treated as one normal variable with standard deviation 1, whose mean is the
    integral of the square root of the information up to the truth.
    """
    root, mean = np.sqrt(told), truths.mean()
    heard = cumulative_trapezoid(root, truths, initial=0)
    place = heard + (truths - mean) / prior  # on this scale, neither prior nor likelihood is narrower than 1
    around = place[:, None] + _AROUND
    truth, there = np.interp(around, place, truths), np.interp(around, place, heard)
    weight = np.exp(-(((truth - mean) / prior) ** 2) / 2) * np.gradient(truth, axis=1)
    misfit = there - heard[:, None] - _PLACES[:, None, None]
    weights = weight * np.exp(-(misfit**2) / 2) + TINY
    values = np.interp(around, place, wanted)
    means = np.clip((weights * values).sum(axis=-1) / weights.sum(axis=-1), *ends)
    estimate = _CHANCES @ means
    return estimate, _CHANCES @ (means - estimate) ** 2


def _shrinkage(
    level: float, values: Array, n_tasks: int, law: AnswerLaw, width: float, spreads: Array, log_prior: Array
) -> tuple[Array, Array]:
    """Weights that shrinkage gives to a task's own estimate and to the mean of all estimates.

    Shape (quantiles, 1), for quantiles of the estimates' random spread, with noise of variance `level`. A
    priori, the mean of the values is normal around the middle of the domain, with standard deviation `width`;
    the middle gets the remaining weight. The standard deviation of the values is one of `spreads`.
    """
    total = level + spreads**2
    precision, centre = n_tasks / total, mean_of(values)
    known = precision / (precision + width**-2)
    free = max(1, n_tasks - 1)
    scatter = (level + mean_of((values - centre) ** 2)) * chi2.ppf(_QUANTILES, free) / free
    misfit = precision * scatter[:, None]
    far = centre - (law.domain[0] + law.domain[-1]) / 2
    misfit += known * (far / width) ** 2
    chance = log_prior - (n_tasks * np.log(total) + np.log(precision + width**-2) + misfit) / 2
    chance = np.exp(chance - chance.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    pull = spreads**2 / total
    return (chance @ pull)[:, None], (chance @ ((1 - pull) * known))[:, None]


def _information(law: AnswerLaw, epsilon: float, truths: Array) -> Array:
    """Information of one response to each threshold, shape (..., thresholds)."""
    kept, other = ThresholdResponse(epsilon).transition_matrix[0, :2]
    signal, shares = (kept - other) * law.density, np.array(law.shares)
    sigmas = np.maximum(law.sigmas, 1e-100)  # so that no square overflows
    distances = (truths[..., None] - law.edges)[..., None] / sigmas
    above, below = (other + signal * (ndtr(side) @ shares) for side in (distances, -distances))
    slope = signal * np.exp(-(distances**2) / 2) @ (shares / sigmas) / np.sqrt(2 * np.pi)
    information: Array = slope**2 * (1 / (above + TINY) + 1 / (below + TINY))
    return information


def limit(law: AnswerLaw, epsilon: float, n_workers: float, truths: Array) -> float:
    """`known_types_limit` by a coarser quadrature; nan where its linear programs would take too long."""
    if len(law.domain) > MOST_FOR_LIMIT:
        return np.nan
    mean, deviation = float(truths.mean()), deviation_of(truths)
    most = 1 / deviation**2
    for sigma, share in zip(law.sigmas, law.shares, strict=True):
        kind = replace(law, sigmas=(sigma,), shares=(1.0,))
        most += n_workers * share * _most_information(kind, epsilon, mean, deviation)
    return float(_RATIO / np.sqrt(most))


def _most_information(law: AnswerLaw, epsilon: float, mean: float, deviation: float) -> float:
    """Mean of a report's best information over a normal truth.

    Gauss's rule with three places is used between neighbouring marks. These are integers and half-integers,
    near which the information has kinks, points around narrow peaks, and multiples of the truths' standard
    deviation.
    """
    sigma, size = law.sigmas[0], len(law.domain)
    narrow = np.array([-4, -2, -1, 1, 2, 4]) if sigma < 0.4 else np.array([])
    peaks = np.add.outer(law.edges, sigma * narrow)
    marks = (np.append(np.arange(-4, 2 * size + 3) / 2, peaks) - mean) / deviation
    ends = np.unique(np.append(_REACH, marks[np.abs(marks) < _REACH[-1]]).round(9))
    width = np.diff(ends)[:, None] / 2
    places = (ends[:-1, None] + width * (1 + _GAUSS[0])).ravel()
    weights = (width * _GAUSS[1]).ravel() * norm.pdf(places)
    p, slope = law.at(mean + deviation * places), law.slope(mean + deviation * places)
    # Where even an upper bound of the best information adds almost nothing, use the bound.
    fisher = np.divide(slope**2, p, out=np.zeros_like(p), where=p > 1e-100).sum(axis=1)
    bound = np.minimum(fisher, (np.expm1(epsilon) * np.abs(slope).sum(axis=1) / 2) ** 2)
    rank = np.argsort(weights * bound)
    kept = rank[np.cumsum((weights * bound)[rank]) > 1e-3 * (weights @ bound)]
    bound[kept] = [best_information(p[i], slope[i], epsilon=epsilon).information for i in kept]
    return float(weights @ bound)
