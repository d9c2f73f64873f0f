"""Right and wrong answers to the exercises of the part remedies."""

import math

import numpy as np
from scipy.stats import gamma, norm

from ldpbook.remedies import ThresholdResponse
from ldpbook.sparse_answers import RandomizedResponse


def _kept_by_enumeration(k, epsilon, s):
    """The kept share of the reports that are answers, from the distribution of a report."""
    g = k + math.exp(epsilon)
    p, q = math.exp(epsilon) / g, 1 / g
    answer_kept, any_answer = s * (p - q), s * (p + (k - 1) * q) + (1 - s) * k * q
    return answer_kept / any_answer


def _bit_by_moments(m, epsilon, s):
    e = math.exp(epsilon)
    return s * (1 - s) / m + e / (e - 1) ** 2 / m


C = 16 * 1.018793**3 / 27


def log_odds_by_matrix(above, below, epsilon, density, a, b):
    """Log-odds of the reports, from the mechanism's own matrix."""
    matrix = ThresholdResponse(epsilon).transition_matrix
    chances = [np.array([density * (1 - x), density * x, 1 - density]) @ matrix for x in (a, b)]
    return float(np.array([below, above, 0]) @ np.log(chances[0] / chances[1]))


def two_places_by_vertices(p, d, epsilon):
    """Smallest mean error, over the vertices of the region of the two probabilities of a wrong report."""
    a = math.exp(epsilon * d)
    vertices = [(0, 1), (1, 0), (1 / (1 + a), 1 / (1 + a)), (1, 1)]
    return min(d * (p * u + (1 - p) * v) for u, v in vertices)


def log_odds(above, below, epsilon, s, a, b):
    p, q = math.exp(epsilon) / (math.exp(epsilon) + 2), 1 / (math.exp(epsilon) + 2)
    one = math.log((q + (p - q) * s * a) / (q + (p - q) * s * b))
    zero = math.log((q + (p - q) * s * (1 - a)) / (q + (p - q) * s * (1 - b)))
    return above * one + below * zero


def _link_by_inverse(share, epsilon, s):
    """From the transition matrix: the share above minus the random part, over the signal."""
    keep, other = np.exp(epsilon) / (np.exp(epsilon) + 2), 1 / (np.exp(epsilon) + 2)
    return (share - other) / (keep - other) / s


def _information_by_difference(epsilon, s, slope):
    """Information of the distribution of a report, from r a little to either side of a half."""
    matrix = np.full((3, 3), 1.0) + np.expm1(epsilon) * np.eye(3)
    matrix /= matrix.sum(axis=1)
    laws = [np.array([s * (1 - r), s * r, 1 - s]) @ matrix for r in (0.5 - 1e-3, 0.5, 0.5 + 1e-3)]
    derivative = (laws[2] - laws[0]) / 2e-3 * slope
    return (derivative**2 / laws[1]).sum()


def _adds_by_matrix(accuracy, epsilon, k):
    """What a report adds to the log-odds, by the worker's matrix times the mechanism's."""
    worker = np.full((k, k), (1 - accuracy) / (k - 1))
    np.fill_diagonal(worker, accuracy)
    law = worker @ (np.ones((k, k)) + np.expm1(epsilon) * np.eye(k))
    return np.log(law[1, 1] / law[0, 1])


def _sums_cross(epsilon):
    """Number of choices at which the sums stated in the theorem cross, by bisection."""
    e, low, high = math.exp(epsilon), 2.0, 1e9
    for _ in range(200):
        k = (low + high) / 2
        ary = (k * (e + k - 2) + (k - 2) * (e - 1)) / (e - 1) ** 2
        low, high = (k, high) if ary < k * math.sqrt(e) / (math.sqrt(e) - 1) ** 2 else (low, k)
    return low


def mean_report(epsilon, s, answer, low, high):
    """From the mechanism's own matrix; the mean answer is a mixture of the two ends."""
    matrix = RandomizedResponse(epsilon, range(low, high + 1)).transition_matrix
    at_high = (answer - low) / (high - low)
    reports = s * ((1 - at_high) * matrix[0] + at_high * matrix[-2]) + (1 - s) * matrix[-1]
    return float(reports[:-1] @ np.arange(low, high + 1) / reports[:-1].sum())


def mean_distance(bias, variance):
    """By quadrature over the normal density."""
    z = np.linspace(-12, 12, 400_001)
    return float(np.abs(bias + np.sqrt(variance) * z) @ norm.pdf(z) * (z[1] - z[0]))


def folded(b, v):
    t = b / math.sqrt(v)
    return 2 * math.sqrt(v) * norm.pdf(t) + b * (1 - 2 * norm.cdf(-t))


def crowd_needed(error, information, deviation):
    """The wanted precision minus the precision of the prior, over the information of one worker."""
    wanted = (math.sqrt(2 / math.pi) / error) ** 2
    return (wanted - deviation**-2) / information if wanted > deviation**-2 else 0.0


# Per exercise at least two right answers, written differently; the book's own solution comes first.
RIGHT = {
    "ex-known-odds": [
        lambda a, e, k: math.log((1 + math.expm1(e) * a) / (1 + math.expm1(e) * (1 - a) / (k - 1))),
        _adds_by_matrix,
    ],
    "ex-known-total": [
        _sums_cross,
        lambda e: max(np.roots([1, -(math.exp(1.5 * e) + math.exp(e / 2) + 3), -2 * math.expm1(e)]).real),
    ],
    "ex-known-workers": [
        lambda a, e, d: math.log(2 * d) / math.log(2 * math.sqrt(0.25 - ((a - 0.5) * math.tanh(e / 2)) ** 2)),
        lambda a, e, d: 2 * math.log(2 * d) / math.log(1 - ((2 * a - 1) * math.tanh(e / 2)) ** 2),
    ],
    "ex-dec-kept": [
        lambda k, e, s: s * math.expm1(e) / (s * math.expm1(e) + k),
        lambda k, e, s: 1 - k / (k + s * (math.exp(e) - 1)),
        _kept_by_enumeration,
    ],
    "ex-dec-bit": [
        lambda m, e, s: (s * (1 - s) + math.exp(e) / math.expm1(e) ** 2) / m,
        _bit_by_moments,
        lambda m, e, s: (s - s * s + 1 / (2 * math.cosh(e) - 2)) / m,
    ],
    "ex-dec-sum": [
        lambda m, k, e, s: (2 * k**2 / e**2 + (1 - s) * (k**2 - 1) / 12) / (m * s**2),
        lambda m, k, e, s: (2 * (k / e) ** 2 + (1 - s) * np.arange(k).var()) / m / s**2,
    ],
    "ex-dec-least": [
        lambda shares: 1 - len(shares) * min(shares),
        lambda shares: float(1 - np.size(shares) * np.min(shares)),
        lambda shares: sum(x - min(shares) for x in shares),
    ],
    "ex-best-merge": [
        lambda density: math.log((2 - density) / (1 - density)),
        lambda density: math.log(2 - density) - math.log(1 - density),
    ],
    "ex-best-normal": [
        lambda sigma, density: (density / sigma) ** 2 / (2 * math.pi),
        lambda sigma, density: (2 * density / (sigma * math.sqrt(2 * math.pi))) ** 2 / 4,
    ],
    "ex-best-workers": [
        lambda error, deviation, information: (C / error**2 - deviation**-2) / information,
        lambda e, d, i: C / (e**2 * i) - 1 / (d**2 * i),
    ],
    "ex-place-far": [
        lambda epsilon, t: (1 + epsilon * t) * math.exp(-epsilon * t),
        lambda epsilon, t: float(gamma.sf(t, 2, scale=1 / epsilon)),
    ],
    "ex-place-mean": [
        lambda n, epsilon, r: math.sqrt(6 * n) * r / epsilon,
        lambda n, epsilon, r: (2 * 3 * (n * r / epsilon) ** 2 / n) ** 0.5,
    ],
    "ex-place-two": [
        lambda p, d, epsilon: d * min(p, 1 - p, 1 / (1 + math.exp(epsilon * d))),
        two_places_by_vertices,
    ],
    "ex-careful-odds": [log_odds, log_odds_by_matrix],
    "ex-careful-own": [
        lambda w, a, b: (w / a) / (w / a + (1 - w) / b),
        lambda w, a, b: 1 / (1 + math.exp(math.log((1 - w) / w) + math.log(a / b))),
    ],
    "ex-careful-small": [
        lambda s, a, b: s**2 * (a - b) ** 2 / 3,
        lambda s, a, b: 3 / 2 * sum((s * d / 3) ** 2 for d in (a - b, b - a)),
    ],
    "ex-ratio-error": [
        lambda p, f, t, n: (p * t * (1 - t) + (1 - p) * f * (1 - f)) / n / (t - f) ** 2,
        lambda p, f, t, n: ((f - f**2) + p * ((t - t**2) - (f - f**2))) / (n * (f - t) ** 2),
    ],
    "ex-ratio-geometric": [
        lambda e: 0.5 / math.sinh(e / 2) ** 2,
        lambda e: 2 * sum(k * k * math.exp(-k * e) for k in range(1, int(60 / e) + 60)) * math.tanh(e / 2),
    ],
    "ex-ratio-twice": [
        lambda e: (math.exp(2 * e) - math.exp(e)) / (1 + math.exp(e)) ** 2,
        lambda e: (1 - math.exp(-e)) / (1 + math.exp(-e)) ** 2,
    ],
    "ex-small-worker": [
        lambda k, n, e: min(2 * k, n) * e,
        lambda k, n, e: e * (2 * k if 2 * k < n else n),
    ],
    "ex-small-link": [
        lambda share, e, s: (share * (math.exp(e) + 2) - 1) / (s * math.expm1(e)),
        _link_by_inverse,
    ],
    "ex-small-information": [
        lambda e, s, slope: (
            2 * (math.expm1(e) * s * slope) ** 2 / (math.exp(e) + 2) / (1 + math.expm1(e) * s / 2)
        ),
        _information_by_difference,
    ],
    "ex-guide-mean": [
        mean_report,
        lambda e, s, a, low, high: (
            ((high * (high + 1) - low * (low - 1)) / 2 + s * math.expm1(e) * a)
            / (high - low + 1 + s * math.expm1(e))
        ),
    ],
    "ex-guide-distance": [mean_distance, folded],
    "ex-guide-needed": [
        crowd_needed,
        lambda e, i, d: max(0.0, (2 / math.pi) / (i * e * e) - 1 / (i * d * d)),
    ],
}

WRONG = {
    "ex-known-odds": [
        (lambda a, e, k: math.log(a * (k - 1) / (1 - a)), "differs"),
        (lambda a, e, k: math.log((1 + math.expm1(e) * a) / (1 + math.expm1(e) * (1 - a))), "guesses"),
        (lambda a, e, k: math.tanh(e / 2) * math.log(a * (k - 1) / (1 - a)), "differs"),
        (lambda a, e, k: -_adds_by_matrix(a, e, k), "answer"),
        (0.693, "function"),
    ],
    "ex-known-total": [
        (lambda e: 3 * math.exp(e) + 2, "differs"),
        (lambda e: math.exp(1.5 * e) + math.exp(e / 2) + 3, "differs"),
        (lambda e: round(_sums_cross(e)), "differs"),
        (lambda e: -_sums_cross(e), "larger"),
    ],
    "ex-known-workers": [
        (
            lambda a, e, d: math.log(d) / math.log(2 * math.sqrt(0.25 - ((a - 0.5) * math.tanh(e / 2)) ** 2)),
            "half",
        ),
        (lambda a, e, d: math.log(2 * d) / math.log(1 - ((2 * a - 1) * math.tanh(e / 2)) ** 2), "differs"),
        (lambda a, e, d: -8 * math.log(2 * d) / (e * (2 * a - 1)) ** 2, "differs"),
        (lambda a, e, d: math.log(2 * d) / math.log(2 * math.sqrt(a * (1 - a))), "more"),
    ],
    "ex-dec-kept": [
        (lambda k, e, s: math.expm1(e) / (math.expm1(e) + k), "no one answers"),
        (lambda k, e, s: s * math.expm1(e) / (k + math.exp(e)), "nothing is lost"),
        (lambda k, e, s: s * math.exp(e) / (s * math.exp(e) + k), "differs"),
        (lambda k, e, s: s * math.expm1(e) / (s * math.expm1(e) + k + 1), "differs"),
        (lambda k, e, s: s * math.expm1(e) / (s * math.expm1(e) + 10) if k == 10 else 0.5, "differs"),
        (0.017, "function"),
    ],
    "ex-dec-bit": [
        (lambda m, e, s: s * (1 - s) / m, "empty task"),
        (lambda m, e, s: math.exp(e) / math.expm1(e) ** 2 / m, "differs"),
        (lambda m, e, s: (s * (1 - s) + 1 / math.expm1(e) ** 2) / m, "differs"),
        (lambda m, e, s: math.sqrt((s * (1 - s) + math.exp(e) / math.expm1(e) ** 2) / m), "quarter"),
        (lambda m, e, s: (s + math.exp(e) / math.expm1(e) ** 2) / m, "differs"),
    ],
    "ex-dec-sum": [
        (lambda m, k, e, s: 2 * k**2 / e**2 / (m * s**2), "fill is left"),
        (lambda m, k, e, s: (2 * k**2 / e**2 + (k**2 - 1) / 12) / (m * s**2), "no variance is left"),
        (lambda m, k, e, s: (2 * k**2 / e**2 + (1 - s) * (k**2 - 1) / 12) / m, "differs"),
        (lambda m, k, e, s: (k**2 / e**2 + (1 - s) * (k**2 - 1) / 12) / (m * s**2), "differs"),
        (lambda m, k, e, s: (2 * k**2 / e**2 + (1 - s) * k**2 / 12) / (m * s**2), "differs"),
    ],
    "ex-dec-least": [
        (lambda shares: 1 - min(shares), "equal shares"),
        (lambda shares: len(shares) * min(shares), "equal shares"),
        (lambda shares: 1 - 3 * min(shares) if len(shares) == 3 else 0.0, "not at other arguments"),
        (lambda shares: max(shares) - min(shares), "differs"),
    ],
    "ex-best-merge": [
        (lambda density: math.log(2), "rarer"),  # limit for a density of 0
        (lambda density: 1 + 1 / (1 - density), "differs"),  # e^epsilon instead of epsilon
        (lambda density: math.log(1 / (1 - density)), "differs"),
        (lambda density: math.log(1 + 1 / density), "rarer"),  # density of NULL used for that of answers
        (
            lambda d: {0.1: math.log(19 / 9), 0.5: math.log(3), 0.9: math.log(11)}.get(round(d, 9), 1.0),
            "not at other",
        ),
    ],
    "ex-best-normal": [
        (lambda sigma, density: density / (2 * math.pi * sigma**2), "differs"),  # square forgotten
        (lambda sigma, density: density**2 / sigma**2, "differs"),  # without the constant for privacy
        (lambda sigma, density: 2 * density**2 / (math.pi * sigma**2), "differs"),  # quarter forgotten
        (lambda sigma, density: density / (sigma * math.sqrt(2 * math.pi)), "quarter"),  # its square root
    ],
    "ex-best-workers": [
        (lambda e, d, i: C / e**2 / i, "prior"),
        (lambda e, d, i: (2 / math.pi / e**2 - 1 / d**2) / i, "differs"),  # by the van Trees inequality
        (lambda e, d, i: (math.pi / (2 * math.e) / e**2 - 1 / d**2) / i, "differs"),  # by the entropy bound
        (lambda e, d, i: (math.sqrt(C) / e - 1 / d) / i, "differs"),
        (lambda e, d, i: math.ceil((C / e**2 - 1 / d**2) / i), "half the workers"),
        (lambda e, d, i: (C / e**2 - 1 / d) / i, "differs"),
    ],
    "ex-place-far": [
        (lambda epsilon, t: math.exp(-epsilon * t), "differs"),
        (lambda epsilon, t: 1 - (1 + epsilon * t) * math.exp(-epsilon * t), "farther away"),
        (lambda epsilon, t: (1 + t) * math.exp(-epsilon * t), "product"),
        (lambda epsilon, t: (1 + epsilon * t / 2) * math.exp(-epsilon * t), "differs"),
        (0.4, "function"),
    ],
    "ex-place-mean": [
        (lambda n, epsilon, r: math.sqrt(6 / n) * r / epsilon, "more of them are worse"),
        (lambda n, epsilon, r: math.sqrt(6) * n * r / epsilon, "differs"),
        (lambda n, epsilon, r: 2 * math.sqrt(n) * r / epsilon, "differs"),
        (lambda n, epsilon, r: math.sqrt(3 * n) * r / epsilon, "differs"),
        (lambda n, epsilon, r: 6 * n * r**2 / epsilon**2, "halves"),
    ],
    "ex-place-two": [
        (lambda p, d, epsilon: d / (1 + math.exp(epsilon * d)), "without a report"),
        (lambda p, d, epsilon: d * min(1 - p, 1 / (1 + math.exp(epsilon * d))), "differs"),
        (lambda p, d, epsilon: min(p, 1 - p, 1 / (1 + math.exp(epsilon * d))), "differs"),
        (lambda p, d, epsilon: d * min(p, 1 - p), "differs"),
        (lambda p, d, epsilon: d * min(p, 1 - p, 1 / (1 + math.exp(epsilon))), "other arguments|differs"),
    ],
    "ex-careful-odds": [
        (lambda n, k, e, s, a, b: n * math.log(a / b) + k * math.log((1 - a) / (1 - b)), "value at"),
        (lambda n, k, e, s, a, b: log_odds(n, k, e, 1.0, a, b), "value at"),
        (lambda n, k, e, s, a, b: log_odds(n, 0, e, s, a, b), "value at"),
        (lambda n, k, e, s, a, b: abs(log_odds(n, k, e, s, a, b)), "the sign"),
        (lambda n, k, e, s, a, b: log_odds(k, n, e, s, a, b), "value at"),
        (0.0, "function"),
    ],
    "ex-careful-own": [
        (lambda w, a, b: w, "less likely"),
        (lambda w, a, b: w * a / (w * a + (1 - w) * b), "less likely"),
        (lambda w, a, b: w - (a - b) / 10, "value at"),
        (lambda w, a, b: b / (a + b) if a != b else w, "value at"),
    ],
    "ex-careful-small": [
        (lambda s, a, b: s * (a - b) ** 2 / 3, "hundredth"),
        (lambda s, a, b: s**2 * abs(a - b) / 3, "value at"),
        (lambda s, a, b: s**2 * (a - b) ** 2 / 6, "value at"),
        (lambda s, a, b: s**2 * (a - b) ** 2, "value at"),
        (lambda s, a, b: (a - b) ** 2 / 3, "hundredth"),
    ],
    "ex-ratio-error": [
        (lambda p, f, t, n: p * (1 - p) / n, "without errors"),
        (
            lambda p, f, t, n: (f + (t - f) * p) * (1 - f - (t - f) * p) / n / (t - f) ** 2,
            "without errors",
        ),
        (lambda p, f, t, n: (p * t * (1 - t) + (1 - p) * f * (1 - f)) / n, "differs"),
        (lambda p, f, t, n: (p * t * (1 - t) + (1 - p) * f * (1 - f)) / n / abs(t - f), "differs"),
        (
            lambda p, f, t, n: math.sqrt((p * t * (1 - t) + (1 - p) * f * (1 - f)) / n) / (t - f),
            "quarter of the variance",
        ),
        (lambda p, f, t, n: (p**2 * t * (1 - t) + (1 - p) ** 2 * f * (1 - f)) / n / (t - f) ** 2, "differs"),
    ],
    "ex-ratio-geometric": [
        (lambda e: 0.5 / math.sinh(e / 4) ** 2, "no noise|Laplace"),
        (lambda e: 2 / e**2, "no noise"),
        (lambda e: math.exp(-e) / (1 - math.exp(-e)) ** 2, "Laplace"),
        (lambda e: 2 / math.expm1(e) ** 2, "Laplace"),
        (lambda e: 1 / math.sinh(e / 2) ** 2, "Laplace"),
    ],
    "ex-ratio-twice": [
        (lambda e: math.expm1(e) / (1 + math.exp(e)), "differs"),
        (lambda e: (math.exp(e) / (1 + math.exp(e))) ** 2, "costs nothing"),
        (lambda e: (math.exp(2 * e) - 1) / (1 + math.exp(e)) ** 2, "differs"),
        (lambda e: 1 - math.exp(-e), "differs"),
        (lambda e: (math.exp(2 * e) - 2 * math.exp(e) + 1) / (1 + math.exp(e)) ** 2, "differs"),
        (0.2, "function"),
    ],
    "ex-small-worker": [
        (lambda k, n, e: k * e, "no more cells|differs"),
        (lambda k, n, e: 2 * k * e, "no more cells"),
        (lambda k, n, e: n * e, "answer nothing"),
        (lambda k, n, e: min(k, n) * e, "differs"),
        (lambda k, n, e: min(2 * k, n), "differs"),
        (10.0, "function"),
    ],
    "ex-small-link": [
        (lambda share, e, s: share / s, "third of the reports|differs"),
        (lambda share, e, s: (share * (math.exp(e) + 2) - 1) / math.expm1(e), "third of the reports"),
        (lambda share, e, s: (share * (math.exp(e) + 1) - 1) / math.expm1(e) / s, "third of the reports"),
        (lambda share, e, s: min(1.0, (share * (math.exp(e) + 2) - 1) / math.expm1(e) / s), "differs|other"),
        (lambda share, e, s: 0.5, "differs"),
    ],
    "ex-small-information": [
        (lambda e, s, slope: 4 * slope**2, "differs"),
        (lambda e, s, slope: 4 * (s * slope) ** 2, "differs"),
        (
            lambda e, s, slope: 2 * (math.expm1(e) * s * slope) ** 2 / (math.exp(e) + 2) ** 2,
            "without privacy",
        ),
        (
            lambda e, s, slope: (
                4 * math.expm1(e) * s * slope**2 * math.tanh(e / 2) if s < 1 else 4 * slope**2
            ),
            "differs",
        ),
        (lambda e, s, slope: 4 * s * slope**2 * (math.tanh(e / 2)) ** 2, "differs"),
    ],
    "ex-guide-mean": [
        (lambda e, s, a, low, high: a, "differs|value at"),
        (lambda e, s, a, low, high: s * a + (1 - s) * (low + high) / 2, "without noise"),
        (
            lambda e, s, a, low, high: (
                (sum(range(low, high + 1)) + s * math.exp(e) * a) / (high - low + 1 + s * math.exp(e))
            ),
            "differs|value at",
        ),
        (
            lambda e, s, a, low, high: (
                (sum(range(low, high + 1)) + s * math.expm1(e) * a) / (high - low + 2 + s * math.expm1(e))
            ),
            "middle",
        ),
        (lambda e, s, a, low, high: (low + high) / 2, "without noise"),
    ],
    "ex-guide-distance": [
        (lambda b, v: abs(b), "without bias"),
        (lambda b, v: math.sqrt(2 * v / math.pi), "differs|value at"),
        (lambda b, v: math.sqrt(b * b + v) * math.sqrt(2 / math.pi), "differs|value at"),
        (lambda b, v: abs(b) + math.sqrt(2 * v / math.pi), "differs|value at"),
        (lambda b, v: folded(b, v * v), "differs|value at"),
    ],
    "ex-guide-needed": [
        (lambda e, i, d: (2 / math.pi / e**2 - 1 / d**2) / i, "constant"),
        (lambda e, i, d: max(0.0, 1 / e**2 - 1 / d**2) / i, "differs|value at"),
        (lambda e, i, d: 2 / math.pi / e**2 / i if e < d else 0.0, "constant|differs|value at"),
        (lambda e, i, d: max(0.0, 2 / math.pi / e**2 - 1 / d**2) * i, "half the information"),
        (lambda e, i, d: max(0.0, 2 / math.pi / e**2 - 1 / d) / i, "differs|value at"),
    ],
}
