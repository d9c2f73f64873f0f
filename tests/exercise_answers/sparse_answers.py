"""Right and wrong answers to the exercises of the part sparse answers."""

import math

import numpy as np

from ldpbook import bounds

NORMAL = math.sqrt(2 * math.pi)
LAW = np.exp(-(np.arange(10) ** 2) / 2) / np.exp(-(np.arange(10) ** 2) / 2).sum()
MEAN = LAW @ np.arange(10)
# To each at least two right answers, written in different ways: the book's own solution first.
RIGHT = {
    "ex-lp-fill": [4],
    "ex-lp-debias": [lambda mean, s: mean / s - (1 / s - 1) * 4.5],
    "ex-lp-waste": [lambda k: k**2 / (k - 1) ** 2],
    "ex-lp-worst": [2.5],
    "ex-mf-single": [16.9315],
    "ex-rr-invert": [lambda share, k, e: share + (share * (k + 1) - 1) / (math.exp(e) - 1)],
    "ex-rr-exact": [(45 + (math.e - 1) * 0.1 * MEAN) / (10 + (math.e - 1) * 0.1)],
    "ex-rr-shift": [bounds.rr_mae_bound(epsilon=1.0, domain=range(100, 110), density=0.1, truth=100.0)],
    "ex-rr-optimal": [lambda k, e: math.exp(e) / (k - 1 + math.exp(e))],
    "ex-real-enough": [lambda k, density: math.log(1 + k / density)],
}
# Each with a word of what is said about it.
WRONG = {
    "ex-lp-fill": [(0, "smaller error"), (-3, "among"), (None, "finite")],
    "ex-lp-debias": [
        (lambda mean, s: mean, "expectation"),
        (lambda mean, s: 4.5, "complete"),
        (4, "function"),
    ],
    "ex-lp-waste": [(lambda k: k / (k - 1), "value at 2"), (lambda k: (k - 1) ** 2 / k**2, "above 1")],
    "ex-lp-worst": [(0.0, "above 0"), (4.5, "agree"), (25, "exceeds 9")],
    "ex-mf-single": [(10.0, "constants"), (-3, "small"), (6.93, "agree")],
    "ex-rr-invert": [
        (lambda share, k, e: share, "NULL"),
        (lambda share, k, e: ((k - 1 + math.exp(e)) * share - 1) / (math.exp(e) - 1), "NULL"),
        (lambda share, k, e: 0.0, "huge"),
    ],
    "ex-rr-exact": [(3.551, "exceeds"), (3.4368, "exceeds"), (12, "further than 9"), (4.6, "agree")],
    "ex-rr-shift": [(4.4328, "far from"), (90.0, "agree")],
    "ex-rr-optimal": [
        (lambda k, e: math.exp(e) / (1 + math.exp(e)), "alike"),
        (lambda k, e: math.exp(e) / (k + math.exp(e)), "alike"),
    ],
    "ex-real-enough": [
        (lambda k, density: math.log(k / density), "balance"),
        (lambda k, density: 5.0, "sparse"),
    ],
}
