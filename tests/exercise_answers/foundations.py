"""Right and wrong answers to the exercises of the part foundations."""

import math

import numpy as np

from ldpbook.answers import to_matrix, to_tidy

NORMAL = math.sqrt(2 * math.pi)
LAW = np.exp(-(np.arange(10) ** 2) / 2) / np.exp(-(np.arange(10) ** 2) / 2).sum()
MEAN = LAW @ np.arange(10)
# To each at least two right answers, written in different ways: the book's own solution first.
RIGHT = {
    "ex-crowd-unique": [
        lambda given: (np.unique(given, axis=0, return_counts=True)[1] == 1).sum() / len(given)
    ],
    "ex-crowd-forget": [
        (
            lambda answers: (to_tidy(answers), answers.shape),
            lambda stored: (
                stored[0]
                .pivot(index="worker", columns="task", values="answer")
                .reindex(index=range(stored[1][0]), columns=range(stored[1][1]))
                .to_numpy()
            ),
        )
    ],
    "ex-crowd-clipping": [
        lambda mu, sigma: (
            mu * (1 - math.erfc(mu / sigma / math.sqrt(2)) / 2)
            + sigma * math.exp(-((mu / sigma) ** 2) / 2) / NORMAL
        )
    ],
    "ex-truth-ratio": [lambda r: 2 * (r**2 + 1) / (r + 1) ** 2],
    "ex-truth-takeover": [lambda k, sigma: sigma / k],
    "ex-privacy-variance": [11_707],
    "ex-privacy-rounding": [(True, False)],
    "ex-privacy-best": [lambda e: math.exp(e) / (1 + math.exp(e))],
    "ex-random-draws": [9_000_000],
    "ex-random-correlated": [math.sqrt(20.01 / 1.01)],
}
# Each with a word of what is said about it.
WRONG = {
    "ex-crowd-unique": [
        (lambda given: len(np.unique(given, axis=0)) / len(given), "nobody"),
        (lambda given: 0.0, "everybody"),
        (lambda given: (given.sum(axis=0) == 1).mean(), "counts as a whole"),
    ],
    "ex-crowd-forget": [
        ((to_tidy, to_matrix), "lost"),
        ((lambda answers: answers, lambda stored: stored), "one row"),
        ((lambda a: (to_tidy(a), a.shape), lambda stored: np.zeros(stored[1])), "changed"),
        ((to_tidy, 3), "pair"),
    ],
    "ex-crowd-clipping": [
        (lambda mu, sigma: mu, "raises"),
        (lambda mu, sigma: max(mu, 0.0) + 0.4, "not clipped"),
        (3, "function"),
    ],
    "ex-truth-ratio": [
        (lambda r: 1.0, "limit"),
        (lambda r: 1 / r, "at least 1"),
        (lambda r: 2.0, r"ratio\(1\)"),
    ],
    "ex-truth-takeover": [(lambda k, sigma: sigma, "more others"), (lambda k, sigma: 1 / k, "units")],
    "ex-privacy-variance": [(2500, "without flips"), (5853, "agree"), (float("nan"), "finite")],
    "ex-privacy-rounding": [
        ((True, True), "only one"),
        ((False, False), "first"),
        (True, "pair"),
        (("yes", "no"), "pair"),
    ],
    "ex-privacy-best": [(lambda e: math.exp(e), "epsilon 0"), (lambda e: e / 2 + 0.5, "at most 1")],
    "ex-random-draws": [(4_000_000, "39 of 40"), ("many", "finite")],
    "ex-random-correlated": [(1.0, "wider"), (50.0, "root of 20"), (2.0, "agree")],
}
