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
    "ex-proportions-fixed": [lambda t, f: f / (1 - t + f)],
    "ex-proportions-variance": [2.78],
    "ex-few-sizes": [lambda a: np.sqrt(a) / np.sqrt(a).sum()],
    "ex-few-noise": [lambda m, e: math.sqrt(8 * m) / e],
    "ex-mean-classifier": [lambda q1, q2, q: (q1 - q) / (q1 - q2)],
    "ex-mean-features": [10_000],
    "ex-bound-rbf": [-58.99],
    "ex-bound-bias": [lambda n, rho, squares: rho @ (1 - squares) / n],
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
    "ex-proportions-fixed": [(lambda t, f: 0.5, "differs"), (lambda t, f: f, "one half")],
    "ex-proportions-variance": [(1.67, "standard deviation"), (0.6, "more, not fewer"), (4.0, "agree")],
    "ex-few-sizes": [
        (lambda a: np.full(len(a), 1 / len(a)), "no other"),
        (lambda a: a / a.sum(), "no other"),
        (lambda a: np.sqrt(a), "add up"),
    ],
    "ex-few-noise": [(lambda m, e: m * 2 / e, "four sets"), (lambda m, e: math.sqrt(m) / e, "differs")],
    "ex-mean-classifier": [(lambda q1, q2, q: q, "no weight"), (lambda q1, q2, q: q - q1, "has all")],
    "ex-mean-features": [(100, "root"), (1000, "agree")],
    "ex-bound-rbf": [(-60.5, "more often"), (-50, "agree"), (2, "at most 0")],
    "ex-bound-bias": [
        (lambda n, rho, squares: 1 / n, "one point"),
        (lambda n, rho, squares: rho @ (1 - squares), "falls"),
        (lambda n, rho, squares: 2 * rho @ (1 - squares) / n, "value for"),
    ],
}
