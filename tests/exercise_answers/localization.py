"""Right and wrong answers to the exercises of the part localization."""

import math

import numpy as np

NORMAL = math.sqrt(2 * math.pi)
LAW = np.exp(-(np.arange(10) ** 2) / 2) / np.exp(-(np.arange(10) ** 2) / 2).sum()
MEAN = LAW @ np.arange(10)
# To each at least two right answers, written in different ways: the book's own solution first.
RIGHT = {
    "ex-particles-circles": [[(3, 4), (3, -4)]],
    "ex-particles-systematic": [
        lambda weights, u: np.diff(
            np.searchsorted((np.arange(len(weights)) + u) / len(weights), [0, *weights.cumsum()[:-1], 2.0])
        )
    ],
    "ex-encrypted-subtract": [lambda a, b, n: a * pow(b, -1, n**2) % n**2],
    "ex-encrypted-deterministic": [lambda c, n: (c - 1) // n],
    "ex-encrypted-length": [141],
    "ex-encrypted-guess": [
        lambda c, m, n: any((1 + m * n) * pow(r, n, n**2) % n**2 == c for r in range(1, n))
    ],
    "ex-forgotten-leak": [lambda kernel, messages: np.linalg.solve(kernel, np.exp(messages))],
    "ex-perturbed-variation": [2 * 0.6914624612740131 - 1],
    "ex-perturbed-loss": [(0.125, 0.25)],
    "ex-perturbed-delta": [4.377],
    "ex-perturbed-average": [1],
    "ex-distances-three": [4],
    "ex-distances-many": [
        lambda first, second, sigma: math.sqrt(
            max(0.0, (np.linalg.norm(first[:, None] - second, axis=-1) ** 2).mean() - 4 * sigma**2)
        )
    ],
    "ex-distances-negative": [0.794],
}
# Each with a word of what is said about it.
WRONG = {
    "ex-particles-circles": [
        ([(3, 0), (3, 4)], "5 m"),
        ([(3, 4), (3, 4)], "same"),
        ((3, 4), "two pairs"),
    ],
    "ex-particles-systematic": [
        (lambda weights, u: [len(weights)] + [0] * (len(weights) - 1), "every particle"),
        (lambda weights, u: weights * len(weights), "rounded"),
        (lambda weights, u: np.zeros(len(weights)), "as many copies"),
        (lambda weights, u: np.bincount(np.arange(len(weights))), "rounded up"),
    ],
    "ex-encrypted-subtract": [
        (lambda a, b, n: (a - b) % n**2, "58"),
        (lambda a, b, n: a * b % n**2, "58"),
        (lambda a, b, n: (1 + 58 * n) % n**2, "negative"),
    ],
    "ex-encrypted-deterministic": [
        (lambda c, n: c, "42"),
        (lambda c, n: next(m for m in range(min(n, 10**5)) if (1 + m * n) % n**2 == c), "keys are long"),
    ],
    "ex-encrypted-length": [(40, "units"), (140, "overflows"), (2048, "overflows"), (140.5, "whole")],
    "ex-encrypted-guess": [(lambda c, m, n: False, "right guess"), (lambda c, m, n: True, "wrong guess")],
    "ex-forgotten-leak": [
        (lambda kernel, messages: np.exp(messages), "another kernel"),
        (lambda kernel, messages: np.linalg.solve(kernel, messages), "add up"),
    ],
    "ex-perturbed-variation": [(0.0, "agree"), (1.4, "probability")],
    "ex-perturbed-loss": [((0.125, 0.125), "variance"), ((0.25, 0.5), "mean"), (0.125, "pair")],
    "ex-perturbed-delta": [(5.299, "less than"), (0.341, "more than"), (3.41, "agree")],
    "ex-perturbed-average": [(100, "more than one"), (0.01, "agree")],
    "ex-distances-three": [(2, "across"), (6, "more than is needed"), (5, "agree")],
    "ex-distances-many": [
        (
            lambda first, second, sigma: float(
                np.sqrt(np.maximum(0, ((first[:, None] - second) ** 2).sum(axis=-1) - 4 * sigma**2)).mean()
            ),
            "before the root",
        ),
        (
            lambda first, second, sigma: float(np.linalg.norm(first - second, axis=-1).mean()),
            "before the root",
        ),
        (lambda first, second, sigma: 3.0, "without noise"),
    ],
    "ex-distances-negative": [(0.01, "never"), (2.0, "agree")],
}
