"""Right and wrong answers to the exercises of the part class ratios."""

import math

import numpy as np

NORMAL = math.sqrt(2 * math.pi)
LAW = np.exp(-(np.arange(10) ** 2) / 2) / np.exp(-(np.arange(10) ** 2) / 2).sum()
MEAN = LAW @ np.arange(10)
# To each at least two right answers, written in different ways: the book's own solution first.
RIGHT = {
    "ex-dirichlet-small": [lambda i, j, e: i / (i + j) * (i * j / ((i - 1) * (j + 1)) * math.exp(-e)) ** j],
    "ex-dirichlet-one": [1],
    "ex-dirichlet-sets": [10],
    "ex-fair-waste": [1.38],
    "ex-fair-size": [15_517],
    "ex-proportions-fixed": [
        lambda t, f: max(f, 1 - t),
        lambda t, f: (f + 1 - t + abs(f - 1 + t)) / 2,
        lambda t, f: np.abs(f - (f + 1 - t) * np.array([0, 1])).max(),
    ],
    "ex-proportions-variance": [0.4 * 0.6 / 0.6**2 / 0.25, 2.67, np.float64(8 / 3)],
    "ex-few-sizes": [
        lambda a: np.sqrt(a) / np.sqrt(a).sum(),
        lambda a: [x**0.5 / sum(y**0.5 for y in a) for x in a],
    ],
    "ex-few-noise": [lambda m, e: m**0.5 * 2 * 2**0.5 / e, lambda m, e: math.sqrt(8 * m) / e],
    "ex-mean-classifier": [
        lambda q1, q2: q1 * q2 + (1 - q1) * (1 - q2),
        lambda q1, q2: np.array([1 - q1, q1]) @ [1 - q2, q2],
    ],
    "ex-mean-features": [10_000, 1e4, np.int64(10_000)],
    "ex-bound-rbf": [2.75, np.float64(2.7500239), 2.74],
    "ex-bound-bias": [
        lambda n, rho, squares: rho @ (1 - squares) / n,
        lambda n, rho, squares: (1 - sum(r * s for r, s in zip(rho, squares, strict=True))) / n,
    ],
}
# Each with a word of what is said about it.
WRONG = {
    "ex-dirichlet-small": [
        (lambda i, j, e: 0.0, "larger epsilon"),
        (lambda i, j, e: i / (i + j) * math.exp(-e * j), "differs"),
    ],
    "ex-dirichlet-one": [(0.05, "agree"), (2, "probability")],
    "ex-dirichlet-sets": [(0.1, "less"), (math.sqrt(10), "faster"), (100, "agree")],
    "ex-fair-waste": [(0.9, "more than"), (2.5, "agree")],
    "ex-fair-size": [(500, "thousand"), (1.6e4 * 2, "agree")],
    "ex-proportions-fixed": [
        (lambda t, f: f, "differs"),
        (lambda t, f: 1 - t, "differs"),
        (lambda t, f: f + 1 - t, "differs"),
        (lambda t, f: f / (f + 1 - t) if f + 1 > t else 0, "differs"),
        (lambda t, f: f if f > 0.2 else 1 - t, "not at other"),
        (lambda t, f: abs(t - f), "perfect"),
        (lambda t, f: min(-f, t - 1), "negative"),
    ],
    "ex-proportions-variance": [
        (1.633, "standard deviation"),
        (0.375, "more, not fewer"),
        (1 / 0.36, "agree"),
        (1.667, "agree"),
        (4.0, "agree"),
    ],
    "ex-few-sizes": [
        (lambda a: np.full(len(a), 1 / len(a)), "other shares"),
        (lambda a: a / a.sum(), "other shares"),
        (lambda a: np.sqrt(a), "add up"),
        (lambda a: a / 4, "add up"),
        (lambda a: np.sqrt(a) / 6, "add up"),
        (
            lambda a: np.arange(1, len(a) + 1) / np.arange(1, len(a) + 1).sum(),
            "not for other",
        ),
    ],
    "ex-few-noise": [
        (lambda m, e: m * 2 / e, "differs"),
        (lambda m, e: math.sqrt(m) / e, "differs"),
        (lambda m, e: 2 * math.sqrt(2) / e, "more sets"),
        (lambda m, e: math.sqrt(m) * 2 / e, "differs"),
        (lambda m, e: 8 * m / e**2, "differs"),
        (lambda m, e: math.sqrt(8 * m) / e if m <= 120 else 0.0, "not at other"),
    ],
    "ex-mean-classifier": [
        (lambda q1, q2: q1 * q2, "alike"),
        (lambda q1, q2: 1 - abs(q1 - q2), "differs"),
        (lambda q1, q2: 0.0, "same one"),
        (lambda q1, q2: 1 - (q1 - q2) ** 2, "differs"),
        (lambda q1, q2: 1.0, "differs"),
    ],
    "ex-mean-features": [
        (100, "root"),
        (10_002, "agree"),
        (9_998, "agree"),
        (10_001, "even"),
        (20_000, "agree"),
    ],
    "ex-bound-rbf": [(0.9, "more often"), (1.375, "two tails"), (2, "agree"), (-58.99, "more often")],
    "ex-bound-bias": [
        (lambda n, rho, squares: 1 / n, "one point"),
        (lambda n, rho, squares: rho @ (1 - squares), "falls"),
        (lambda n, rho, squares: rho @ (1 - squares) / (n - 1), "falls"),
        (lambda n, rho, squares: 2 * rho @ (1 - squares) / n, "value for"),
        (lambda n, rho, squares: (1 - rho**2 @ squares) / n, "value for"),
        (lambda n, rho, squares: (rho[0] * (1 - squares[0]) + rho[1] * (1 - squares[1])) / n, "others"),
    ],
}
