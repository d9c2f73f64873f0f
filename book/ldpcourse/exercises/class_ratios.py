"""Exercises that can be checked: class ratios."""

import functools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ldpbook.class_ratios import bounds
from ldpcourse.exercises.exercise import Exercise, Property, function, normal_delta, number, root, simulation

# Scales of ScaledDirichlet(0.1, 0.01) for a smallest count of a fifth of the set; finding them takes numpy.
_SCALES = {1000: 1.0986258, 10_000: 10.985912}


def _gaussian_noise(epsilon: float, distance: float, delta: float) -> float:
    """The smallest private standard deviation, as the package's `gaussian_sigma`, which needs scipy."""
    return distance / root(lambda ratio: normal_delta(ratio, epsilon) - delta, 1e-3, 10.0)


def _distortion(size: int) -> float:
    """Mean L1 distance of two private proportions from 0.3 and 0.7: a beta variable's from its mean."""
    a, b = 0.3 * size * _SCALES[size], 0.7 * size * _SCALES[size]
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    log_mean_deviation = a * math.log(a) + b * math.log(b) - log_beta - (a + b + 1) * math.log(a + b)
    return 4 * math.exp(log_mean_deviation)


def _times_as_often() -> float:
    """Probability that 10,000 coins (two orthogonal vectors) exceed the printed C, divided by exp(-60)."""
    n = 10_000
    bound = bounds.embedding_deviation_bound(n_instances=n, delta=math.exp(-60))
    heads = range(math.ceil(n * (0.5 + bound / math.sqrt(2))), n + 1)
    all_ways = math.lgamma(n + 1) - n * math.log(2)
    return 2 * math.fsum(math.exp(60 + all_ways - math.lgamma(k + 1) - math.lgamma(n - k + 1)) for k in heads)


def _binomial(n: int, p: float) -> list[float]:
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def _moments(law: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Mean and standard deviation of a distribution, given as pairs of probability and value."""
    pairs = list(law)
    mean = math.fsum(p * x for p, x in pairs)
    return mean, math.sqrt(math.fsum(p * (x - mean) ** 2 for p, x in pairs))


@functools.cache
def _cut_share(of_one: int = 3, t: float = 0.8, f: float = 0.2) -> tuple[float, float]:
    """Moments of the adjusted share cut to [0, 1], for 30 people of whom `of_one` are of class 1."""
    others = list(enumerate(_binomial(30 - of_one, f)))
    return _moments(
        (p * q, min(1, max(0, ((a + b) / 30 - f) / (t - f))))
        for a, p in enumerate(_binomial(of_one, t))
        for b, q in others
    )


def _compositions(n: int, c: int) -> Iterator[tuple[int, ...]]:
    if c == 1:
        yield (n,)
    else:
        yield from ((first, *rest) for first in range(n + 1) for rest in _compositions(n - first, c - 1))


def _multinomial(n: int, law: Sequence[float]) -> Iterator[tuple[float, tuple[int, ...]]]:
    for counts in _compositions(n, len(law)):
        ways = math.factorial(n) // math.prod(map(math.factorial, counts))
        yield ways * math.prod(p**k for p, k in zip(law, counts, strict=True)), counts


@functools.cache
def _same_law() -> tuple[float, float]:
    """Moments of the squared distance of two sets of ten symbols 0, 1, 2."""
    sets = list(_multinomial(10, (0.25, 0.5, 0.25)))
    kernel = [math.exp(-(gap**2) / 2) for gap in range(3)]

    def square(one: tuple[int, ...], other: tuple[int, ...]) -> float:
        gap = [(a - b) / 10 for a, b in zip(one, other, strict=True)]
        return max(0.0, sum(gap[i] * gap[j] * kernel[abs(i - j)] for i in range(3) for j in range(3)))

    return _moments((p * q, square(one, other)) for p, one in sets for q, other in sets)


@functools.cache
def _distance_of_mean() -> tuple[float, float]:
    """Moments of the distance of a mean of 20 unit vectors, of five equal classes, from its expectation."""
    return _moments(
        (p, math.sqrt(max(0.0, sum(k * k for k in counts) / 400 - 0.2)))
        for p, counts in _multinomial(20, (0.2,) * 5)
    )


def _total_of_cut() -> tuple[float, float]:
    """Moments of the total of 120 counts of 1 with Laplace noise of scale 4, each cut at 0."""
    mean = 1 + 2 * math.exp(-1 / 4)
    square = 1 + 2 * 16 - 16 * math.exp(-1 / 4)
    return 120 * mean, math.sqrt(120 * (square - mean**2))


def _share_near_edge(deviation: float) -> tuple[float, float]:
    """Moments of a normal variable with mean 0.05, cut at 0."""
    z = 0.05 / deviation
    above, density = math.erfc(-z / math.sqrt(2)) / 2, math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    mean = 0.05 * above + deviation * density
    return mean, math.sqrt((0.05**2 + deviation**2) * above + 0.05 * deviation * density - mean**2)


_SAME = (
    6 + 8 * math.exp(-1 / 2) + 2 * math.exp(-2)
) / 16  # squared norm of the embedding of that distribution
_EDGE = 15 / 300 * math.sqrt((1.75**2 + 0.75**2) / 2)
_NOTHING = (2 + 100 / 40) / 4 * math.exp(-100 / 40)
_ORDER = sum(math.comb(9, k) for k in range(6, 10)) / 2**9


def _is_not(wrong: float, margin: float, why: str) -> Property:
    """Property that an estimate is not the value `wrong` of a misreading, with the reason."""
    return why, lambda pair: abs(pair[0] - wrong) > margin


def _share_deviation(p: float) -> float:
    return math.sqrt(p * (1 - p))


def _classes_alike(answer: Callable[..., Any]) -> bool:
    return math.isclose(answer(0.2, 0.7), answer(0.8, 0.3))


def _small_scale_delta(i: int, j: int, epsilon: float) -> float:
    """Limit of delta by its closed form; the tests compare it with the package's delta."""
    log_ratio = math.log((i - 1) * (j + 1) / (i * j)) + epsilon
    if log_ratio >= 0:
        return i / (i + j) * math.exp(-j * log_ratio)
    return i / (i + j) - j / (i + j) * math.expm1(i * log_ratio)


def _draw_small_scale(r: random.Random) -> tuple[int, int, float]:
    """Draws arguments of both regimes; the limit is neither near 0 nor that of the other regime."""
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
        "the limit of delta for a label moved from a class of i labels to one of j, as a function of i, j "
        "and epsilon",
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
        "the smallest delta with which the release is private for these two sets",
        number(
            lambda: 1.0,  # the package's dirichlet_delta needs numpy; the tests compare
            1e-9,
            ("a delta is a probability", lambda v: 0 <= v <= 1),
        ),
    ),
    Exercise(
        "ex-dirichlet-sets",
        "class-ratios/label-privacy",
        "the factor by which the distortion falls from sets of 1,000 to sets of 10,000 labels, within 5 %",
        number(
            lambda: _distortion(1000) / _distortion(10_000),
            0.05,
            ("larger sets are distorted less", lambda v: v > 1),
            ("the distortion falls faster than that of a mean of independent labels", lambda v: v > 4),
        ),
    ),
    Exercise(
        "ex-dirichlet-order",
        "class-ratios/label-privacy",
        "the share of 10,000 releases in which the class of 40 has the larger proportion of the two, and the "
        "standard error of that share, as a pair",
        simulation(
            lambda: _ORDER,
            lambda: _share_deviation(_ORDER),
            10_000,
            _is_not(
                1 - _ORDER, 0.017, "that is the share of releases in which the class of 60 has the larger one"
            ),
            _is_not(
                0.0219, 0.006, "the parameters of the Dirichlet distribution are the counts times the scale"
            ),
        ),
    ),
    Exercise(
        "ex-fair-waste",
        "class-ratios/fair-comparison",
        "the factor for epsilon 0.5 and delta 0.00001",
        number(
            lambda: math.sqrt(2 * math.log(1.25e5)) / 0.5 / _gaussian_noise(0.5, 1.0, 1e-5),
            0.005,
            ("the classical noise is larger than the smallest private one", lambda v: v > 1),
        ),
    ),
    Exercise(
        "ex-fair-size",
        "class-ratios/fair-comparison",
        "the number of labels",
        number(
            lambda: 500 * _gaussian_noise(0.1, math.sqrt(2), 1e-5) * math.sqrt(1.6 / math.pi),
            0.05,
            ("a thousand labels are not enough", lambda n: n > 1000),
        ),
    ),
    Exercise(
        "ex-fair-nothing",
        "class-ratios/fair-comparison",
        "the share of 10,000 releases in which class 1 gets 0, and the standard error of that share, as a "
        "pair",
        simulation(
            lambda: _NOTHING,
            lambda: _share_deviation(_NOTHING),
            10_000,
            _is_not(
                math.exp(-50 / 40) / 2,
                0.014,
                "that is the share of negative noisy counts, before the projection",
            ),
        ),
    ),
    Exercise(
        "ex-private-leak",
        "class-ratios/private-estimation",
        "the mean after the move minus the mean before, in one feature, as a function of n, of the mean "
        "before and of the record",
        function(
            lambda n, mean, record: (mean - record) / (n - 1),
            [(5, 2.0, 4.0), (100, 0.3, -1.0)],
            ("a record equal to the mean does not change it", lambda f: abs(f(5, 2.0, 2.0)) < 1e-12),
            ("the mean moves away from the record that leaves", lambda f: f(5, 2.0, 4.0) < 0),
            draw=lambda r: (r.randint(2, 1000), r.uniform(-5, 5), r.uniform(-5, 5)),
        ),
    ),
    Exercise(
        "ex-private-edge",
        "class-ratios/private-estimation",
        "the mean of the estimated share of class 1 over 10,000 trials and the standard error of that"
        " mean, as a pair",
        simulation(
            lambda: _share_near_edge(_EDGE)[0],
            lambda: _share_near_edge(_EDGE)[1],
            10_000,
            _is_not(0.05, 0.0022, "that is the mean before the projection"),
            _is_not(
                _share_near_edge(_EDGE * math.sqrt(2))[0],
                0.003,
                "the projection removes the noise that the two classes have in common",
            ),
        ),
    ),
    Exercise(
        "ex-proportions-fixed",
        "class-ratios/proportions",
        "the largest error of the average count over all shares, as a function of t and f",
        function(
            lambda t, f: max(f, 1 - t),
            [(0.8, 0.3), (0.6, 0.1), (0.2, 0.9)],
            ("a perfect classifier has no error", lambda f: abs(f(1.0, 0.0)) < 1e-12),
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
            ("more people are needed, not fewer", lambda v: v > 1),
            (
                "that is the ratio of standard deviations, not of numbers of people",
                lambda v: abs(v - math.sqrt(0.4 * 0.6 / 0.6**2 / 0.25)) > 0.01,
            ),
        ),
    ),
    Exercise(
        "ex-proportions-cut",
        "class-ratios/proportions",
        "the mean of the cut share over 100,000 trials and the standard error of that mean, as a pair",
        simulation(
            lambda: _cut_share()[0],
            lambda: _cut_share()[1],
            100_000,
            _is_not(0.1, 0.0013, "that is the mean before the share is cut"),
            _is_not(0.11592, 0.0013, "the 30 people are fixed, 3 of them of class 1: do not draw new people"),
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
        "ex-few-cut",
        "class-ratios/few-large-sets",
        "the mean of the total over 2,000 trials and the standard error of that mean, as a pair",
        simulation(
            lambda: _total_of_cut()[0],
            lambda: _total_of_cut()[1],
            2000,
            _is_not(120.0, 6.0, "that is the total without cutting any count"),
            ("the total is over all 120 sets", lambda pair: pair[0] > 10),
        ),
    ),
    Exercise(
        "ex-mean-classifier",
        "class-ratios/mean-embeddings",
        "the inner product of two sets as a function of the shares of class 1 counted in them",
        function(
            lambda q1, q2: q1 * q2 + (1 - q1) * (1 - q2),
            [(0.3, 0.7), (0.1, 0.8)],
            ("two sets of the same single class have the product 1", lambda f: math.isclose(f(1.0, 1.0), 1)),
            ("swapping the two classes changes nothing: f(q1, q2) is f(1 - q1, 1 - q2)", _classes_alike),
            draw=lambda r: (r.random(), r.random()),
        ),
    ),
    Exercise(
        "ex-mean-features",
        "class-ratios/mean-embeddings",
        "the smallest even number of features",
        number(
            lambda: 1e4,
            1e-6,
            ("the number is even", lambda n: n % 2 == 0),
            ("the error falls like one over the square root of their number", lambda n: n > 1000),
        ),
    ),
    Exercise(
        "ex-mean-same",
        "class-ratios/mean-embeddings",
        "the mean of the squared distance over 10,000 pairs of sets and the standard error of that mean,"
        " as a pair",
        simulation(
            lambda: _same_law()[0],
            lambda: _same_law()[1],
            10_000,
            _is_not(0.0, 0.01, "two samples of one distribution do not have the same mean embedding"),
            _is_not((1 - _SAME) / 10, 0.0026, "both sets are samples, so each has an error"),
            ("square the distance", lambda pair: pair[0] < 0.19),
        ),
    ),
    Exercise(
        "ex-bound-rbf",
        "class-ratios/learning-bound",
        "the true probability of a failure divided by the allowed one, for 10,000 instances, within 1 %",
        number(
            _times_as_often,
            0.01,
            ("it fails more often than allowed", lambda v: v > 1),
            ("there are two tails", lambda v: not math.isclose(v, _times_as_often() / 2, rel_tol=0.01)),
        ),
    ),
    Exercise(
        "ex-bound-mean",
        "class-ratios/learning-bound",
        "the mean distance over 10,000 draws of 20 labels and the standard error of that mean, as a pair",
        simulation(
            lambda: _distance_of_mean()[0],
            lambda: _distance_of_mean()[1],
            10_000,
            _is_not(0.2, 0.0027, "that is the square root of the mean square, which exceeds the mean"),
            _is_not(0.04, 0.003, "that is the mean square"),
            _is_not(1 / math.sqrt(20), 0.003, "that is the bound"),
        ),
    ),
)
