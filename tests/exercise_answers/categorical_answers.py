"""Right and wrong answers to the exercises of the part categorical answers."""

import math

import numpy as np

from ldpbook import bounds

NORMAL = math.sqrt(2 * math.pi)
LAW = np.exp(-(np.arange(10) ** 2) / 2) / np.exp(-(np.arange(10) ** 2) / 2).sum()
MEAN = LAW @ np.arange(10)
# To each at least two right answers, written in different ways: the book's own solution first.
RIGHT = {
    "ex-voting-smoothing": [lambda r, k: 2 * r - k],
    "ex-voting-experts": [0.8],
    "ex-one-layer-choices": [math.exp(1)],
    "ex-one-layer-counts": [lambda share, p, s: ((s - 1) * share - p) / ((s - 1) * (1 - p) - p)],
    "ex-one-layer-hoeffding": [0.00219],
    "ex-one-layer-twice": [2 * math.log(1.5)],
    "ex-two-layer-fresh": [
        lambda a, b, s: abs(math.log((2 - a - b) * (s - 1) / (a + b))),
        lambda a, b, s: abs(math.log((s - 1) * (1 - (a + b) / 2) / ((a + b) / 2))),
        lambda a, b, s: np.max(np.abs(np.log((s - 1) * np.array([2 - a - b]) / (a + b)))),
        lambda a, b, s: bounds.two_layer_epsilon(a, b, s),
    ],
    "ex-two-layer-law": [
        {0: 0.7, 1: 0.3},
        {1.0: 0.3, 0.0: 0.7},
        {np.float64(0): np.float64(0.7), np.float64(0.5): 0.0, np.int64(1): np.float64(0.3)},
        {0: 7 / 10, 1: 1 - 7 / 10},
    ],
    "ex-two-layer-whole": [
        lambda k: math.log(k),
        lambda k: np.log(np.float64(k)),
        lambda k: -math.log(1 / k),
    ],
    "ex-two-layer-worker": [
        lambda k: math.log(math.comb(k, k // 2)),
        lambda k: math.lgamma(k + 1) - math.lgamma(k // 2 + 1) - math.lgamma(k - k // 2 + 1),
        lambda k: max(math.log(math.comb(k, d)) for d in range(k + 1)),
    ],
    "ex-two-layer-limit": [
        96,
        np.int64(96),
        96.0,
        next(k for k in range(1, 200) if math.log(9) - bounds.two_layer_epsilon(0.1, 0.5, 2, k) < 0.1),
    ],
    "ex-two-layer-two-answers": [0.6, np.float64(0.5999), 0.600],
    "ex-bounds-exponent": [0.6],
    "ex-bounds-majority": [
        lambda m, alpha: sum(math.comb(m, k) * alpha**k * (1 - alpha) ** (m - k) for k in range(m // 2 + 1))
    ],
    "ex-bounds-median": [0.3],
    "ex-trade-favourite": [
        lambda votes: (1 - math.comb(votes, votes // 2) / 2**votes) / 2,
        lambda votes: 0.5 - math.comb(votes, votes // 2) * 0.5 ** (votes + 1),
        lambda votes: sum(math.comb(votes, j) for j in range(votes // 2)) / 2**votes,
    ],
}
# Each with a word of what is said about it.
WRONG = {
    "ex-voting-smoothing": [
        (lambda r, k: math.log((r + 1e-9) / (k - r + 1e-9)), "ratio"),
        (lambda r, k: r, "no weight"),
        (lambda r, k: math.log(r / (k - r)) if r < k else math.inf, "finite"),
        (lambda r, k: 0.0, "more agreements"),
    ],
    "ex-voting-experts": [(0.9, "agree"), (0.2, "likelier"), (2.2, "probability")],
    "ex-one-layer-choices": [(1.0, "close"), (2.5, "agree")],
    "ex-one-layer-counts": [
        (lambda share, p, s: share, "estimated as 0"),
        (lambda share, p, s: 0.0, "without flips"),
    ],
    "ex-one-layer-hoeffding": [(0.0206, "above it"), (1e-5, "agree"), (-1, "probability")],
    "ex-one-layer-twice": [(0.405, "more than one"), (0.9, "agree")],
    "ex-two-layer-fresh": [
        (lambda a, b, s: math.log((2 - a - b) * (s - 1) / (a + b)), r"\(0.6, 1.0, 2\) differs"),
        (lambda a, b, s: max(math.log((2 - a - b) * (s - 1) / (a + b)), 0.0), r"\(0.6, 1.0, 2\) differs"),
        (lambda a, b, s: abs(math.log((2 - a - b) / (a + b))), r"\(0.2, 0.4, 5\) differs"),
        (lambda a, b, s: bounds.two_layer_epsilon(a, b, s, 2), "differs"),
        (lambda a, b, s: bounds.one_layer_epsilon(a, s), "differs"),
        (lambda a, b, s: 0.0, "fixed"),
        (
            lambda a, b, s: (
                bounds.two_layer_epsilon(a, b, s)
                if (a, b, s) in [(0.1, 0.5, 2), (0.0, 0.6, 2), (0.2, 0.4, 5), (0.6, 1.0, 2), (0.3, 0.3, 2)]
                else 1.0
            ),
            "other arguments",
        ),
    ],
    "ex-two-layer-law": [
        ({0.3: 1.0}, "spread further"),
        ({0: 0.5, 0.6: 0.5}, "spread further"),
        ({0: 0.4, 0.6: 0.4}, "add up"),
        ({0: 1.3, 1: -0.3}, "add up"),
        ({0: 0.5, 1: 0.5}, "mean"),
        ({}, "dictionary"),
        (0.3, "dictionary"),
    ],
    "ex-two-layer-whole": [
        (lambda k: 0.0, "more answers"),
        (lambda k: math.log(k + 1), "coin"),
        (lambda k: (k - 1) / k, "differs"),
        (lambda k: 2 * math.log(k), "differs"),
        (lambda k: math.log(math.comb(k, k // 2)), "differs"),
        (
            lambda k: {1: 0, 2: math.log(2), 3: math.log(3), 4: 1.4, 5: 1.5, 10: math.log(10)}.get(k, 4.23),
            "differs",
        ),
        (lambda k: math.log(k) if k <= 100 else math.log(100), "other arguments"),
    ],
    "ex-two-layer-worker": [
        (lambda k: math.log(k), "one of her cells"),
        (lambda k: 0.0, "one of her cells"),
        (lambda k: k * math.log(2), "coin"),
        (lambda k: (k - 1) * math.log(2), "differs"),
        (lambda k: math.log(math.comb(k, k // 2) * (k + 1)), "coin"),
        (lambda k: math.log(math.comb(k, k // 2)) if k <= 30 else 0.0, "other arguments"),
    ],
    "ex-two-layer-limit": [(1, "does not fit"), (95, "does not fit"), (97, "does not fit"), (2.5, "whole")],
    "ex-two-layer-two-answers": [(1.2, "probability"), (0.3, "agree"), (0.61, "agree")],
    "ex-bounds-exponent": [(1.0, "at t = 0"), (-1, "positive"), (0.36, "agree")],
    "ex-bounds-majority": [
        (lambda m, alpha: (4 * alpha * (1 - alpha)) ** (m / 2) / 2, "single user"),
        (lambda m, alpha: 1 - alpha, "never above"),
        (lambda m, alpha: (1 - alpha) ** m, "differs"),
    ],
    "ex-bounds-median": [(1.0, "smaller"), (0.5, "agree")],
    "ex-trade-favourite": [
        (lambda votes: 0.5, "below"),
        (lambda votes: 0.25, "rare"),
        (lambda votes: 0.49, "differs"),
        (lambda votes: 0.5 - math.comb(votes, votes // 2) * 0.5**votes, "rare"),
        (lambda votes: 0.5 * (1 + math.comb(votes, votes // 2) / 2**votes), "below"),
        (lambda votes: 0.5 * (1 - math.sqrt(2 / (math.pi * votes))), "differs"),
    ],
}
