"""Exercises that can be checked: class ratios."""

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from ldpcourse.exercises.exercise import IS_FUNCTION, Exercise, function


def _excess_agrees(answer: Callable[..., Any]) -> bool:
    """Whether the excess is right at drawn numbers of classes and instances."""
    rng = np.random.default_rng(0)
    for c in (2, 3, 4, 5, 6) * 4:
        rho, squares, n = rng.dirichlet(np.ones(c)), rng.random(c), int(rng.integers(1, 1000))
        if not math.isclose(answer(n, rho, squares), float(rho @ (1 - squares)) / n, rel_tol=1e-6):
            return False
    return True


def _sizes_agree(answer: Callable[..., Any]) -> bool:
    """Whether the shares are right at drawn numbers of sets."""
    rng = np.random.default_rng(0)
    for n_sets in (2, 3, 4, 5, 8) * 4:
        a = np.exp(rng.normal(0, 2, n_sets))
        if not np.allclose(answer(a), np.sqrt(a) / np.sqrt(a).sum(), rtol=1e-6):
            return False
    return True


def _draw_label_noise(r: random.Random) -> tuple[Any, ...]:
    """Draws weights of both signs that add up to 1, and sets of different sizes."""
    n_sets = r.randint(2, 12)
    weights = np.array([r.uniform(-1, 2) for _ in range(n_sets)])
    sizes = np.array([r.randint(10, 10_000) for _ in range(n_sets)])
    return weights + (1 - weights.sum()) / n_sets, sizes, r.randint(2, 12), 10 ** r.uniform(-1, 2)


_LABEL_NOISE: tuple[Any, ...] = (np.array([0.5, -0.5, 1.0]), np.array([100, 200, 400]), 4, 3.0)

EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-private-noise",
        "class-ratios/private-estimation",
        "the mean square of label noise before projection, as a function of two arrays, weights and set "
        "sizes, of the number of classes and of the standard deviation of the noise on a count",
        function(
            lambda weights, sizes, n, deviation: n * deviation**2 * float(np.sum((weights / sizes) ** 2)),
            [_LABEL_NOISE],
            (
                "noise twice as large has four times the mean square",
                lambda f: math.isclose(
                    f(np.array([1.0, 0.0]), np.array([10, 20]), 2, 2.0),
                    4 * f(np.array([1.0, 0.0]), np.array([10, 20]), 2, 1.0),
                ),
            ),
            (
                "sets twice as large have a quarter of the mean square",
                lambda f: math.isclose(
                    4 * f(np.array([0.4, 0.6]), np.array([20, 40]), 2, 1.0),
                    f(np.array([0.4, 0.6]), np.array([10, 20]), 2, 1.0),
                ),
            ),
            draw=_draw_label_noise,
        ),
    ),
    Exercise(
        "ex-few-sizes",
        "class-ratios/few-large-sets",
        "the best shares of the instances as a function of the array of all a_i",
        (
            IS_FUNCTION,
            (
                "shares have to add up to 1, whatever the a_i",
                lambda f: all(
                    math.isclose(float(np.sum(f(np.array(a)))), 1)
                    for a in ([1.0, 3.0], [1.0, 4.0, 9.0], [0.2, 0.3, 5.0, 1.0])
                ),
            ),
            (
                "other shares have a smaller sum of a_i over share, for a = (1, 4, 9)",
                lambda f: float(np.sum(np.array([1, 4, 9]) / f(np.array([1.0, 4.0, 9.0])))) < 36 + 1e-6,
            ),
            ("it is right for a = (1, 4, 9), but not for other arrays", _sizes_agree),
        ),
    ),
    Exercise(
        "ex-bound-bias",
        "class-ratios/learning-bound",
        "the excess as a function of n_i and two arrays, the proportions and the squared norms of the class "
        "embeddings",
        (
            IS_FUNCTION,
            (
                "a class of one point has no excess: f(10, [1, 0], [1, 0.5]) is 0",
                lambda f: abs(f(10, np.array([1.0, 0.0]), np.array([1.0, 0.5]))) < 1e-12,
            ),
            (
                "the excess falls like one over the number of instances",
                lambda f: math.isclose(
                    f(20, np.array([0.5, 0.5]), np.array([0.3, 0.6])) * 2,
                    f(10, np.array([0.5, 0.5]), np.array([0.3, 0.6])),
                ),
            ),
            (
                "the value for 100 instances, proportions 0.2 and 0.8, squared norms 0.3 and 0.6 differs",
                lambda f: math.isclose(
                    f(100, np.array([0.2, 0.8]), np.array([0.3, 0.6])), 0.0046, rel_tol=1e-6
                ),
            ),
            ("it is right in the case tried first, but not in others", _excess_agrees),
        ),
    ),
)
