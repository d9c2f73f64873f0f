"""Right and wrong answers to the exercises of the part remedies."""

import math

import numpy as np


def _kept_by_enumeration(k, epsilon, s):
    """From the law of the reports, answers spread over two values around the centre."""
    g = k + math.exp(epsilon)
    p, q = math.exp(epsilon) / g, 1 / g
    answer_kept, any_answer = s * (p - q), s * (p + (k - 1) * q) + (1 - s) * k * q
    return answer_kept / any_answer


def _bit_by_moments(m, epsilon, s):
    e = math.exp(epsilon)
    return s * (1 - s) / m + e / (e - 1) ** 2 / m


C = 16 * 1.018793**3 / 27


# To each at least two right answers, written in different ways: the book's own solution first.
RIGHT = {
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
}

WRONG = {
    "ex-dec-kept": [
        (lambda k, e, s: math.expm1(e) / (math.expm1(e) + k), "nobody answers"),
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
        (lambda shares: 1 - min(shares), "uniform law"),
        (lambda shares: len(shares) * min(shares), "uniform law"),
        (lambda shares: 1 - 3 * min(shares) if len(shares) == 3 else 0.0, "not at other arguments"),
        (lambda shares: max(shares) - min(shares), "differs"),
    ],
    "ex-best-merge": [
        (lambda density: math.log(2), "rarer"),  # the limit of no answers
        (lambda density: 1 + 1 / (1 - density), "differs"),  # e^epsilon, not epsilon
        (lambda density: math.log(1 / (1 - density)), "differs"),
        (lambda density: math.log(1 + 1 / density), "rarer"),  # density of NULL for that of answers
        (
            lambda d: {0.1: math.log(19 / 9), 0.5: math.log(3), 0.9: math.log(11)}.get(round(d, 9), 1.0),
            "not at other",
        ),
    ],
    "ex-best-normal": [
        (lambda sigma, density: density / (2 * math.pi * sigma**2), "differs"),  # not squared
        (lambda sigma, density: density**2 / sigma**2, "differs"),  # without privacy's constant
        (lambda sigma, density: 2 * density**2 / (math.pi * sigma**2), "differs"),  # no quarter
        (lambda sigma, density: density / (sigma * math.sqrt(2 * math.pi)), "quarter"),  # the root of it
    ],
    "ex-best-workers": [
        (lambda e, d, i: C / e**2 / i, "prior"),
        (lambda e, d, i: (2 / math.pi / e**2 - 1 / d**2) / i, "differs"),  # van Trees
        (lambda e, d, i: (math.pi / (2 * math.e) / e**2 - 1 / d**2) / i, "differs"),  # by entropy
        (lambda e, d, i: (math.sqrt(C) / e - 1 / d) / i, "differs"),
        (lambda e, d, i: math.ceil((C / e**2 - 1 / d**2) / i), "half the workers"),
        (lambda e, d, i: (C / e**2 - 1 / d) / i, "differs"),
    ],
}
