"""Exercises that can be checked: class ratios."""

import math
import random
from collections.abc import Callable
from typing import Any

from ldpbook._exercise import Exercise, function, normal_delta, number, root
from ldpbook.class_ratios import bounds

# Scales of ScaledDirichlet(0.1, 0.01) for a least count of a fifth of the set, which takes numpy to find.
_SCALES = {1000: 1.0986258, 10_000: 10.985912}


def _gaussian_noise(epsilon: float, distance: float, delta: float) -> float:
    """The least deviation that is private, as the package's `gaussian_sigma`, which takes scipy."""
    return distance / root(lambda ratio: normal_delta(ratio, epsilon) - delta, 1e-3, 10.0)


def _distortion(size: int) -> float:
    """Mean L1 distance of two private proportions from 0.3 and 0.7: that of a beta law from its mean."""
    a, b = 0.3 * size * _SCALES[size], 0.7 * size * _SCALES[size]
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    log_mean_deviation = a * math.log(a) + b * math.log(b) - log_beta - (a + b + 1) * math.log(a + b)
    return 4 * math.exp(log_mean_deviation)


def _times_as_often() -> float:
    """Chance that 10,000 coins leave the printed C, two orthogonal vectors, over exp(-60)."""
    n = 10_000
    bound = bounds.embedding_deviation_bound(n_instances=n, delta=math.exp(-60))
    heads = range(math.ceil(n * (0.5 + bound / math.sqrt(2))), n + 1)
    all_ways = math.lgamma(n + 1) - n * math.log(2)
    return 2 * math.fsum(math.exp(60 + all_ways - math.lgamma(k + 1) - math.lgamma(n - k + 1)) for k in heads)


def _classes_alike(answer: Callable[..., Any]) -> bool:
    return math.isclose(answer(0.2, 0.7), answer(0.8, 0.3))


def _small_scale_delta(i: int, j: int, epsilon: float) -> float:
    """By its closed form, which the limit of the package's delta confirms in the tests."""
    log_ratio = math.log((i - 1) * (j + 1) / (i * j)) + epsilon
    if log_ratio >= 0:
        return i / (i + j) * math.exp(-j * log_ratio)
    return i / (i + j) - j / (i + j) * math.expm1(i * log_ratio)


def _draw_small_scale(r: random.Random) -> tuple[int, int, float]:
    """Both regimes, at epsilons where the limit is neither near 0 nor the other regime's."""
    i, j = (round(10 ** r.uniform(math.log10(2), 3)) for _ in "ij")
    if r.random() < 0.5:
        i, j = min(i, j), max(i, j)
    log_ratio = math.log((i - 1) * (j + 1) / (i * j))
    if log_ratio < 0 and r.random() < 0.7:
        return i, j, -log_ratio * r.uniform(0.05, 0.9)
    return i, j, max(-log_ratio, 0.0) + r.uniform(0.05, 2) / j


EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-dirichlet-small",
        "class-ratios/label-privacy",
        "the limit of delta for a label moved from a class of i to one of j, as a function of i, j, epsilon",
        function(
            _small_scale_delta,
            [(800, 50, 0.05), (30, 40, 0.1), (50, 800, 0.01)],
            ("it is a probability", lambda f: all(0 <= f(*x) <= 1 for x in [(20, 10, 0.1), (50, 800, 0.01)])),
            ("a larger epsilon has a smaller delta", lambda f: f(20, 10, 0.5) < f(20, 10, 0.1)),
            draw=_draw_small_scale,
        ),
    ),
    Exercise(
        "ex-dirichlet-one",
        "class-ratios/label-privacy",
        "the least delta with which the release is private for these two sets",
        number(
            lambda: 1.0,  # the package's dirichlet_delta, which takes numpy; the tests compare
            1e-9,
            ("a delta is a probability", lambda v: 0 <= v <= 1),
        ),
    ),
    Exercise(
        "ex-dirichlet-sets",
        "class-ratios/label-privacy",
        "the factor by which the distortion falls from sets of 1,000 to sets of 10,000 labels, to 5 %",
        number(
            lambda: _distortion(1000) / _distortion(10_000),
            0.05,
            ("larger sets are distorted less", lambda v: v > 1),
            ("it falls faster than a mean of independent labels would", lambda v: v > 4),
        ),
    ),
    Exercise(
        "ex-fair-waste",
        "class-ratios/fair-comparison",
        "the factor for epsilon 0.5 and delta 0.00001",
        number(
            lambda: math.sqrt(2 * math.log(1.25e5)) / 0.5 / _gaussian_noise(0.5, 1.0, 1e-5),
            0.005,
            ("the classical noise is more than the least", lambda v: v > 1),
        ),
    ),
    Exercise(
        "ex-fair-size",
        "class-ratios/fair-comparison",
        "the number of labels",
        number(
            lambda: 500 * _gaussian_noise(0.1, math.sqrt(2), 1e-5) * math.sqrt(1.6 / math.pi),
            0.05,
            ("a thousand labels do not do", lambda n: n > 1000),
        ),
    ),
    Exercise(
        "ex-proportions-fixed",
        "class-ratios/proportions",
        "the largest error of the average count over all shares, as a function of t and f",
        function(
            lambda t, f: max(f, 1 - t),
            [(0.8, 0.3), (0.6, 0.1), (0.2, 0.9)],
            ("a perfect classifier has none", lambda f: abs(f(1.0, 0.0)) < 1e-12),
            ("an error is not negative", lambda f: f(0.9, 0.0) >= 0),
            draw=lambda r: (r.random(), r.random()),
        ),
    ),
    Exercise(
        "ex-proportions-variance",
        "class-ratios/proportions",
        "how many times as many people, to 1 %",
        number(
            lambda: 0.4 * 0.6 / 0.6**2 / 0.25,
            0.01,
            ("it takes more, not fewer", lambda v: v > 1),
            (
                "a standard deviation is not yet a number of people",
                lambda v: abs(v - math.sqrt(0.4 * 0.6 / 0.6**2 / 0.25)) > 0.01,
            ),
        ),
    ),
    Exercise(
        "ex-few-noise",
        "class-ratios/few-large-sets",
        "the standard deviation of the total as a function of the number of sets and epsilon",
        function(
            lambda m, epsilon: math.sqrt(m) * 2 * math.sqrt(2) / epsilon,
            [(1, 1.0), (120, 0.5)],
            ("more sets have more noise", lambda f: f(4, 1.0) > f(1, 1.0)),
            draw=lambda r: (r.randint(1, 10_000), 10 ** r.uniform(-3, 1)),
        ),
    ),
    Exercise(
        "ex-mean-classifier",
        "class-ratios/mean-embeddings",
        "the inner product of two sets as a function of the shares of class 1 counted in them",
        function(
            lambda q1, q2: q1 * q2 + (1 - q1) * (1 - q2),
            [(0.3, 0.7), (0.1, 0.8)],
            ("two sets of one class each, the same one, have 1", lambda f: math.isclose(f(1.0, 1.0), 1)),
            ("the two classes are alike: so are f(q1, q2) and f(1 - q1, 1 - q2)", _classes_alike),
            draw=lambda r: (r.random(), r.random()),
        ),
    ),
    Exercise(
        "ex-mean-features",
        "class-ratios/mean-embeddings",
        "the least even number of features",
        number(
            lambda: 1e4,
            1e-6,
            ("the number is even", lambda n: n % 2 == 0),
            ("the error falls like the root of their number", lambda n: n > 1000),
        ),
    ),
    Exercise(
        "ex-bound-rbf",
        "class-ratios/learning-bound",
        "how many times as often as allowed it fails, for 10,000 instances, to 1 %",
        number(
            _times_as_often,
            0.01,
            ("it fails more often than allowed", lambda v: v > 1),
            ("there are two tails", lambda v: not math.isclose(v, _times_as_often() / 2, rel_tol=0.01)),
        ),
    ),
)
