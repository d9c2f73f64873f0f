"""Exercises that can be checked: sparse answers."""

import math
from collections.abc import Callable

import numpy as np

from ldpbook import bounds
from ldpbook._exercise import IS_FUNCTION, IS_NUMBER, Exercise, function, number


def _is_best_fill(value: float) -> bool:
    truths = np.arange(10)
    return float(np.abs(value - truths).mean()) <= float(np.abs(truths - 4.5).mean()) + 1e-9


def _mean_removes_the_bias(estimate: Callable[[float, float], float]) -> bool:
    return all(math.isclose(estimate((1 - s) * 4.5 + s * mu, s), mu) for s, mu in [(0.1, 4.0), (0.7, 9.0)])


EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-lp-fill",
        "sparse-answers/laplace",
        "a constant v",
        (
            IS_NUMBER,
            ("v lies among the answers 0 to 9", lambda v: 0 <= v <= 9),
            ("another constant has a smaller error, averaged over the truths", _is_best_fill),
        ),
    ),
    Exercise(
        "ex-lp-debias",
        "sparse-answers/laplace",
        "the estimate as a function of the column's mean and the density s",
        (
            IS_FUNCTION,
            ("a complete column needs no repair: f(3, 1) is 3", lambda f: math.isclose(f(3.0, 1.0), 3.0)),
            ("its expectation is not the truth", _mean_removes_the_bias),
        ),
    ),
    Exercise(
        "ex-lp-waste",
        "sparse-answers/laplace",
        "the factor by which the variance falls, as a function of the number k of symbols",
        function(
            lambda k: (k / (k - 1)) ** 2,
            [(2,), (10,), (100,)],
            ("less noise is needed, so the factor is above 1", lambda f: f(5) > 1),
            ("with many symbols hardly anything is wasted", lambda f: f(10**6) < 1.001),
            draw=lambda r: (r.randint(2, 1000),),
        ),
    ),
    Exercise(
        "ex-lp-worst",
        "sparse-answers/laplace",
        "the supremum for k = 10",
        number(
            lambda: float(np.abs(np.arange(10) - 4.5).mean()),
            1e-3,
            ("the printed bound fails somewhere, so it is above 0", lambda v: v > 0),
            ("no distance within 0 to 9 exceeds 9", lambda v: v < 9),
        ),
    ),
    Exercise(
        "ex-mf-single",
        "sparse-answers/matrix-factorization",
        "the distance of the released value from 5 beyond which the loss exceeds 1",
        number(
            lambda: 10 * (1 + math.log(2)),
            1e-3,
            ("at the answer itself the loss is small", lambda u: u > 0),
            ("both scales differ, and so do their constants in front", lambda u: abs(u - 10) > 0.1),
        ),
    ),
    Exercise(
        "ex-rr-invert",
        "sparse-answers/randomized-response",
        "the estimated share of a symbol, as a function of its share among outputs, of the number |Gamma| of "
        "possible answers, and of epsilon",
        function(
            lambda share, k, epsilon: ((k + math.exp(epsilon)) * share - 1) / math.expm1(epsilon),
            [(0.2, 10, 3.0), (0.1, 5, 0.5), (0.9, 2, 8.0)],
            (
                "with a huge epsilon the share among outputs is the estimate",
                lambda f: math.isclose(f(0.3, 10, 40.0), 0.3, rel_tol=1e-6),
            ),
            (
                "NULL is a symbol too: a symbol that nobody chose has share 1/(|Gamma| + e^epsilon)",
                lambda f: abs(f(1 / (10 + math.e), 10, 1.0)) < 1e-9,
            ),
            draw=lambda r: (r.random(), r.randint(2, 100), 10 ** r.uniform(-2, 1)),
        ),
    ),
    Exercise(
        "ex-rr-exact",
        "sparse-answers/randomized-response",
        "the expected error of the example",
        number(
            lambda: bounds.rr_mae_bound_corrected(epsilon=1.0, domain=range(10), density=0.1),
            1e-4,
            ("it exceeds what the paper prints", lambda v: v > 3.551),
            ("answers in 0 to 9 are never further than 9 from the truth", lambda v: v < 9),
        ),
    ),
    Exercise(
        "ex-rr-shift",
        "sparse-answers/randomized-response",
        "the printed bound for 100 to 109",
        number(
            lambda: bounds.rr_mae_bound(epsilon=1.0, domain=range(100, 110), density=0.1, truth=100.0),
            1e-4,
            ("a NULL counted as 0 is now far from every truth", lambda v: v > 10),
        ),
    ),
    Exercise(
        "ex-rr-optimal",
        "sparse-answers/randomized-response",
        "the largest probability of keeping a symbol, as a function of the number k of symbols and epsilon",
        function(
            lambda k, epsilon: 1 - bounds.one_layer_flip_probability(epsilon, k),
            [(4, 1.0), (11, 2.0), (2, 0.5)],
            ("at epsilon 0 all symbols are alike", lambda f: math.isclose(f(5, 0.0), 0.2)),
            draw=lambda r: (r.randint(2, 100), 10 ** r.uniform(-2, 1.3)),
        ),
    ),
    Exercise(
        "ex-real-enough",
        "sparse-answers/real-data",
        "the least epsilon as a function of the number of possible answers and the density",
        function(
            lambda k, density: math.log1p(k / density),
            [(5, 0.0099), (5, 0.0219), (10, 1.0)],
            ("sparse crowds need more", lambda f: f(5, 0.01) > f(5, 0.1)),
            (
                "at that epsilon, kept answers and chance do not balance",
                lambda f: math.isclose(0.5 * math.expm1(f(4, 0.5)), 4),
            ),
            draw=lambda r: (r.randint(2, 100), 10 ** r.uniform(-4, 0)),
        ),
    ),
)
