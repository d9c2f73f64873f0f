"""Problems on remedies, with different numbers for every student."""

from collections.abc import Callable
from math import ceil, erf, exp, pi, sqrt
from statistics import NormalDist

import numpy as np
from scipy.stats import gamma

from ldpbook.categorical_answers.bounds import k_ary_variance, unary_variance
from ldpbook.class_ratios.bounds import composed_delta
from ldpcourse.problems.problem import Problem, drawn


def _response(n_symbols: int, epsilon: float) -> tuple[float, float]:
    """Probability of a wrong symbol under randomized response, and by how much the right one exceeds it."""
    return 1 / (n_symbols - 1 + exp(epsilon)), (exp(epsilon) - 1) / (n_symbols - 1 + exp(epsilon))


def _invert(rng: np.random.Generator) -> Problem:
    """The mean of the reports themselves differs from the key."""
    epsilon, n_reports = drawn(rng, 1, 3, 1), 10 * int(rng.integers(50, 200))
    chance, more = _response(5, epsilon)
    while True:
        law = chance + more * np.append((1 - rng.uniform(0.2, 0.8)) * rng.dirichlet([1] * 4), 0)
        law[4] = 1 - law[:4].sum()
        counts = rng.multinomial(n_reports, law)
        shares = (counts[:4] / n_reports - chance) / more
        mean = float(np.arange(1, 5) @ shares / shares.sum())
        seen = float(np.arange(1, 5) @ counts[:4] / counts[:4].sum())
        if shares.sum() > 0.2 and abs(mean - seen) > 0.1 and 1 < mean < 4:
            break
    return Problem(
        f"Randomized response with epsilon {epsilon:.1f} on the answers 1, 2, 3, 4 and NULL. Of the reports"
        f" on a task {counts[0]} are 1, {counts[1]} are 2, {counts[2]} are 3, {counts[3]} are 4 and"
        f" {counts[4]} are NULL. Invert the distribution of the reports: what is the estimated mean of the"
        " answers, over the cells that contain one?",
        mean,
        explanation="Each share among reports is converted into a share among cells, (share - q)/(p - q), on"
        " five symbols with NULL among them. The mean answer is divided by the estimated density. The mean of"
        " the reports is pulled to the middle, however many workers there are.",
    )


def _threshold(rng: np.random.Generator) -> Problem:
    epsilon, sigma, limit = drawn(rng, 0.8, 3, 1), drawn(rng, 0.8, 2.5, 1), int(rng.integers(1, 5)) + 0.5
    chance, more = _response(3, epsilon)
    while True:
        density, above = float(rng.uniform(0.3, 0.9)), float(rng.uniform(0.68, 0.9))
        law = chance + more * np.array([density * above, density * (1 - above), 1 - density])
        counts = rng.multinomial(10 * int(rng.integers(60, 200)), law)
        cells = (counts / counts.sum() - chance) / more
        if cells.min() > 0.05 and cells[0] > 1.5 * cells[1]:
            break
    return Problem(
        f"Cells report whether their answer lies above {limit:.1f} by the threshold response with epsilon"
        f" {epsilon:.1f}. Of the reports on a task {counts[0]} say above, {counts[1]} not above, and"
        f" {counts[2]} NULL. Answers are normal around the truth with standard deviation {sigma:.1f}; the"
        " density is not known. What truth makes the probabilities of the three reports equal to the observed"
        " shares?",
        limit + sigma * NormalDist().inv_cdf(float(cells[0] / (cells[0] + cells[1]))),
        explanation="Inverting the response on three symbols gives the shares of cells above and not above,"
        " whose sum is the density. The share above among the answered cells is the normal probability of"
        " (truth - threshold)/(standard deviation).",
    )


def _better(rng: np.random.Generator) -> Problem:
    """Two channels, either of which may be better."""
    density, epsilon, slope = drawn(rng, 0.1, 0.9), drawn(rng, 0.3, 2.5, 1), drawn(rng, 0.2, 1.2)
    chance, more = _response(3, epsilon)
    three = 2 * (more * slope) ** 2 / (chance + more * density / 2)
    chance, more = _response(2, epsilon)
    above = chance + more * density / 2
    two = (more * slope) ** 2 / (above * (1 - above))
    return Problem(
        f"A cell contains an answer with probability {density:.2f}. The threshold is at the truth: an answer"
        f" lies below or above it with equal probability. The probability that the cell contains an answer"
        f" above rises with the truth by {slope:.2f} per unit, and that of an answer below falls by as much."
        f" With epsilon {epsilon:.1f} for the cell, NULL protected too, compare two mechanisms: randomized"
        " response of below, above and NULL, and randomized response of the bit above or not. What is the"
        " Fisher information about the truth in a report of the better one?",
        max(three, two),
        explanation="The information is the sum over reports of (slope of the probability) squared, divided"
        " by the probability. With the bit, NULL counts as not above, and there are only two symbols. The bit"
        " is better exactly if e to the epsilon is less than 1 + 1/(1 - density).",
    )


def _careful(rng: np.random.Generator) -> Problem:
    epsilon, density, prior = drawn(rng, 1, 3, 1), drawn(rng, 0.3, 1), drawn(rng, 0.1, 0.6)
    careful, other = drawn(rng, 0.75, 0.98), drawn(rng, 0.5, 0.65)
    above, below, nothing = (int(k) for k in rng.integers((4, 1, 1), (15, 6, 10)))
    chance, more = _response(3, epsilon)
    odds = prior / (1 - prior)
    for times, a, b in ((above - 1, careful, other), (below, 1 - careful, 1 - other)):
        odds *= ((chance + more * density * a) / (chance + more * density * b)) ** times
    return Problem(
        f"A worker is careful with prior probability {prior:.2f}. On each of her tasks a cell contains an"
        f" answer with probability {density:.2f}, whatever her kind. An answer lies above the threshold with"
        f" probability {careful:.2f} if she is careful, and with probability {other:.2f} if she is not."
        f" Threshold responses with epsilon {epsilon:.1f} report above {above} times, not above {below} times"
        f" and NULL {nothing} times. What probability that she is careful may be used to weigh one of her"
        " reports of above?",
        odds / (1 + odds),
        explanation="The report that is weighed must not count as evidence about its sender, so one report of"
        " above is left out. Each other report multiplies the odds by the ratio of its probabilities under"
        " the two kinds; NULL multiplies by 1, since the density is the same for both.",
    )


def _oracle(rng: np.random.Generator) -> Problem:
    while True:
        n_choices, epsilon = int(rng.integers(3, 31)), drawn(rng, 0.5, 3, 1)
        frequency, error = drawn(rng, 0.05, 0.6), drawn(rng, 0.02, 0.12)
        k_ary = k_ary_variance(n_choices=n_choices, epsilon=epsilon, frequency=frequency)
        needed = min(k_ary, unary_variance(epsilon=epsilon, frequency=frequency)) / error**2
        if 20 < needed < 900:
            break
    return Problem(
        f"Workers choose one of {n_choices} choices and report it with epsilon {epsilon:.1f}, by k-ary"
        " response or by optimized unary encoding, whichever estimates a choice of frequency"
        f" {frequency:.2f} with the smaller variance. The answers are fixed. What is the smallest number of"
        " workers for which the estimated frequency, as a share of all workers, has a standard error of at"
        f" most {error:.2f}?",
        ceil(needed),
        explanation="Both variances are those of a bit with two probabilities, divided by (p - q) squared, at"
        " the given frequency and not at frequency 0. K-ary response is better with few choices or a large"
        " epsilon. The variance is divided by the number of workers.",
    )


def _place(rng: np.random.Generator) -> Problem:
    n_reports, radius = int(rng.integers(2, 5)), 5 * int(rng.integers(2, 11))
    total, percent = drawn(rng, 1, 3, 1), int(rng.choice([50, 75, 90, 95]))
    return Problem(
        f"A worker sends {n_reports} reports of one place, each with planar Laplace noise of the same scale."
        f" All of them together have exactly epsilon {total:.1f} for two places {radius} m apart. Within how"
        f" many metres of the place does a report lie with a probability of {percent} %?",
        float(gamma.ppf(percent / 100, 2)) * n_reports * radius / total,
        explanation="The loss of one report is epsilon per metre times the distance, and the losses of all"
        " reports add up. The length of the noise is distributed like the sum of two exponential variables,"
        " so in units of 1/epsilon it is at most t with probability 1 - (1 + t) e to the -t.",
    )


def _tables(rng: np.random.Generator) -> Problem:
    n_tables, rate = int(rng.integers(2, 5)), drawn(rng, 0.1, 0.6)
    total = round(float(rng.uniform(0.1, 0.5)) * 2 * n_tables * rate, 2)
    return Problem(
        f"{n_tables} tables of counts are published, each count with independent two-sided geometric noise"
        f" of rate {rate:.2f}. Neighbours differ in one person, whose label is a different class in every"
        f" table; the sizes are public. What is the smallest delta at which all tables together have epsilon"
        f" {total:.2f}?",
        composed_delta(epsilon=rate, n_releases=2 * n_tables, total=total),
        explanation="In every table two counts change by 1, and each of them reveals as much as one"
        " randomized response whose epsilon is the rate. So there are twice as many responses as tables, and"
        " delta is the mean of max(0, 1 - e^(total - loss)).",
    )


def _foretell(rng: np.random.Generator) -> Problem:
    """Bias and noise have similar sizes, so that neither alone is the answer."""
    while True:
        size, epsilon, density = int(rng.integers(4, 11)), drawn(rng, 0.5, 3, 1), drawn(rng, 0.2, 0.9)
        truth, sigma = drawn(rng, 0, size - 1, 1), drawn(rng, 0.5, 2, 1)
        middle, spread = (size - 1) / 2, (size**2 - 1) / 12
        bias = (1 - density) * (middle - truth)
        square = (1 - density) * (spread + (middle - truth) ** 2) + density * sigma**2
        variance = square + 2 * (size / epsilon) ** 2 - bias**2
        if abs(bias) < 0.2:
            continue
        n_workers = round(variance * float(rng.uniform(0.3, 1.6)) ** 2 / bias**2)
        if 20 <= n_workers <= 5000:
            break
    deviation = sqrt(variance / n_workers)
    ratio = abs(bias) / deviation
    return Problem(
        f"Each of {n_workers} workers answers a task with probability {density:.2f}, independently. An answer"
        f" is the truth {truth:.1f} plus a normal error of standard deviation {sigma:.1f} (not cut, not"
        f" rounded). The cells are reported by Laplace perturbation with the parameter epsilon {epsilon:.1f},"
        f" noise of scale (number of possible answers)/epsilon, on the answers 0 to {size - 1}, with a"
        " uniform fill. Predict the mean distance of the plain mean of the reports from the truth; treat that"
        " mean as normal.",
        deviation * sqrt(2 / pi) * exp(-(ratio**2) / 2) + abs(bias) * erf(ratio / sqrt(2)),
        explanation="The fill pulls the mean to the middle of the domain by (1 - density) of the distance,"
        " however many workers there are. The variance comes from the fill, from the error and from twice the"
        " squared scale of the noise, and is divided by the number of workers. Bias and variance both enter"
        " the mean distance of a normal variable with a bias.",
    )


PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    "invert": _invert,
    "threshold": _threshold,
    "better": _better,
    "careful": _careful,
    "oracle": _oracle,
    "place": _place,
    "tables": _tables,
    "foretell": _foretell,
}
