"""Right and wrong answers to the exercises of the part remedies."""

import math

import numpy as np

from ldpbook.remedies import ThresholdResponse


def log_odds_by_matrix(above, below, epsilon, density, a, b):
    """From the mechanism's own matrix."""
    matrix = ThresholdResponse(epsilon).transition_matrix
    chances = [np.array([density * (1 - x), density * x, 1 - density]) @ matrix for x in (a, b)]
    return float(np.array([below, above, 0]) @ np.log(chances[0] / chances[1]))


def log_odds(above, below, epsilon, s, a, b):
    p, q = math.exp(epsilon) / (math.exp(epsilon) + 2), 1 / (math.exp(epsilon) + 2)
    one = math.log((q + (p - q) * s * a) / (q + (p - q) * s * b))
    zero = math.log((q + (p - q) * s * (1 - a)) / (q + (p - q) * s * (1 - b)))
    return above * one + below * zero


def small_by_divergence(s, a, b, epsilon=0.01):
    """The expected log odds themselves, extrapolated from epsilon and minus epsilon."""

    def scaled(e):
        chances = [np.array([s * (1 - x), s * x, 1 - s]) for x in (a, b)]
        careful, other = ((1 + math.expm1(e) * c) / (math.exp(e) + 2) for c in chances)
        # x - log1p(x) instead of the logarithm: nothing cancels
        ratio = (other - careful) / careful
        return float(careful @ (ratio - np.log1p(ratio))) / e**2

    near, far = ((scaled(e) + scaled(-e)) / 2 for e in (epsilon, 2 * epsilon))
    return (4 * near - far) / 3


# To each at least two right answers, written in different ways: the book's own solution first.
RIGHT = {
    "ex-careful-odds": [log_odds, log_odds_by_matrix],
    "ex-careful-own": [
        lambda w, a, b: (w / a) / (w / a + (1 - w) / b),
        lambda w, a, b: 1 / (1 + math.exp(math.log((1 - w) / w) + math.log(a / b))),
    ],
    "ex-careful-small": [
        lambda s, a, b: s**2 * (a - b) ** 2 / 3,
        lambda s, a, b: 3 / 2 * sum((s * d / 3) ** 2 for d in (a - b, b - a)),
    ],
}
# To each at least three typical wrong answers, and why they are refused.
WRONG = {
    "ex-careful-odds": [
        (lambda n, k, e, s, a, b: n * math.log(a / b) + k * math.log((1 - a) / (1 - b)), "value at"),
        (lambda n, k, e, s, a, b: log_odds(n, k, e, 1.0, a, b), "value at"),
        (lambda n, k, e, s, a, b: log_odds(n, 0, e, s, a, b), "value at"),
        (lambda n, k, e, s, a, b: abs(log_odds(n, k, e, s, a, b)), "other sign"),
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
}
