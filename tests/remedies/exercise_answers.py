"""Right and wrong answers to the exercises of the part remedies."""

import math

import numpy as np


def _link_by_inverse(share, epsilon, s):
    """From the transition matrix: reports above less the chance ones, over the signal."""
    keep, other = np.exp(epsilon) / (np.exp(epsilon) + 2), 1 / (np.exp(epsilon) + 2)
    return (share - other) / (keep - other) / s


def _information_by_difference(epsilon, s, slope):
    """Of the law of a report, r moved a little to either side of a half."""
    matrix = np.full((3, 3), 1.0) + np.expm1(epsilon) * np.eye(3)
    matrix /= matrix.sum(axis=1)
    laws = [np.array([s * (1 - r), s * r, 1 - s]) @ matrix for r in (0.5 - 1e-3, 0.5, 0.5 + 1e-3)]
    derivative = (laws[2] - laws[0]) / 2e-3 * slope
    return (derivative**2 / laws[1]).sum()


# To each at least two right answers, written in different ways: the book's own solution first.
RIGHT = {
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
}

WRONG = {
    "ex-small-worker": [
        (lambda k, n, e: k * e, "no more cells|differs"),
        (lambda k, n, e: 2 * k * e, "no more cells"),
        (lambda k, n, e: n * e, "answers nothing"),
        (lambda k, n, e: min(k, n) * e, "differs"),
        (lambda k, n, e: min(2 * k, n), "differs"),
        (10.0, "function"),
    ],
    "ex-small-link": [
        (lambda share, e, s: share / s, "third above|differs"),
        (lambda share, e, s: (share * (math.exp(e) + 2) - 1) / math.expm1(e), "third above"),
        (lambda share, e, s: (share * (math.exp(e) + 1) - 1) / math.expm1(e) / s, "third above"),
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
            lambda e, s, slope: 4 * math.expm1(e) * s * slope**2 * math.tanh(e / 2) if s < 1 else 4 * slope**2,
            "differs",
        ),
        (lambda e, s, slope: 4 * s * slope**2 * (math.tanh(e / 2)) ** 2, "differs"),
    ],
}
