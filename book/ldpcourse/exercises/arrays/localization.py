"""Exercises that can be checked: localization."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ldpcourse.exercises.exercise import IS_FUNCTION, Exercise


def _copies_are_systematic(copies: Callable[..., Any]) -> bool:
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 4, 7, 20) * 5:
        weights, u = rng.dirichlet(np.full(n, 0.7)), rng.uniform()
        ends = weights.cumsum() / weights.sum()
        picks = (np.arange(n) + u) / n
        expected = [((picks > end - w) & (picks <= end)).sum() for w, end in zip(weights, ends, strict=True)]
        if sum(expected) == n and not np.array_equal(copies(weights, u), expected):
            return False
    return True


def _rounds_and_keeps_the_mean(copies: Callable[..., Any]) -> bool:
    weights = np.array([0.37, 0.25, 0.2, 0.18])
    counted = np.array([copies(weights, u) for u in (np.arange(1000) + 0.5) / 1000])
    rounded = (counted == np.floor(4 * weights)) | (counted == np.ceil(4 * weights))
    return bool(rounded.all() and np.abs(counted.mean(axis=0) - 4 * weights).max() < 2e-3)


def _undoes_messages(weights: Callable[..., Any]) -> bool:
    rng = np.random.default_rng(0)
    for _ in range(10):
        kernel, hers = rng.uniform(0.05, 1, (3, 3)) + np.eye(3), rng.dirichlet([1.0, 1.0, 1.0])
        if not np.allclose(weights(kernel, np.log(kernel @ hers)), hers, atol=1e-6):
            return False
    return True


def _errors_of_distances(distance: Callable[..., float], n_copies: int, apart: float) -> Any:
    """Errors for users at the distance `apart`, both in units of the noise of a mean, s = sigma/sqrt(R).

    The difference of the means follows its normal distribution along a spiral of 300 points, which covers it
    more evenly than draws do; the copies are spread around the means at random.
    """
    rng = np.random.default_rng(0)
    errors = []
    for k in range(300):
        sigma, east = rng.uniform(0.5, 8), rng.uniform(0, 2 * math.pi)
        s = sigma / math.sqrt(n_copies)
        radius, angle = 2 * s * math.sqrt(-math.log((k + 0.5) / 300)), east + k * math.pi * (3 - math.sqrt(5))
        clouds = sigma * rng.standard_normal((2, n_copies, 2)) + rng.uniform(-50, 50, 2)
        first, second = clouds - clouds.mean(axis=1, keepdims=True) + clouds.mean(axis=(0, 1))
        second += s * apart * np.array([math.cos(east), math.sin(east)])
        second += radius * np.array([math.cos(angle), math.sin(angle)])
        errors.append(float(distance(first, second, sigma)) / s - apart)
    return np.array(errors)


_N_COPIES = (4, 9, 100)


def _errs_little_in_one_place(distance: Callable[..., float]) -> bool:
    """For users in one place: half the correction errs by 1.56 s, maximum likelihood by less, none by 2 s."""
    return all(
        float((_errors_of_distances(distance, n, 0.0) ** 2).mean()) <= 1.63**2 for n in (*_N_COPIES, 400)
    )


def _errs_little_apart(distance: Callable[..., float]) -> bool:
    """For users apart; also, the mean error is small where the direction can be recognized."""
    return all(
        float((errors**2).mean()) <= 1.75**2 and (apart < 2 or abs(errors.mean()) <= 0.3)
        for n in _N_COPIES
        for apart in (1.0, 2.0, 4.0)
        for errors in [_errors_of_distances(distance, n, apart)]
    )


def _without_noise(distance: Callable[..., float]) -> bool:
    pairs = [((0.0, 0.0), (3.0, 4.0)), ((-2.0, 1.0), (-2.0, 8.5)), ((1.0, 1.0), (1.0, 1.0))]
    return all(
        math.isclose(distance(np.full((4, 2), a), np.full((4, 2), b), 1e-6), math.dist(a, b), abs_tol=1e-4)
        for a, b in pairs
    )


EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-particles-systematic",
        "localization/particles",
        "the numbers of copies as a function of the weights (an array) and one uniform number",
        (
            IS_FUNCTION,
            (
                "there have to be as many copies in all as particles",
                lambda f: np.sum(f(np.array([0.5, 0.3, 0.2]), 0.4)) == 3,
            ),
            (
                "with equal weights, every particle is copied once",
                lambda f: list(f(np.full(4, 0.25), 0.3)) == [1, 1, 1, 1],
            ),
            ("each Rw has to be rounded up or down, with the mean Rw", _rounds_and_keeps_the_mean),
            (
                "the copies are not those of equidistant picks on the cumulative weights",
                _copies_are_systematic,
            ),
        ),
    ),
    Exercise(
        "ex-forgotten-leak",
        "localization/forgotten-weights",
        "her weights as a function of the kernel (3 x 3) and of his three decrypted messages",
        (
            IS_FUNCTION,
            (
                "with the identity as kernel, the weights have to add up to 1",
                lambda f: math.isclose(float(np.sum(f(np.eye(3), np.log([0.2, 0.3, 0.5])))), 1),
            ),
            ("it does not find the weights behind messages of another kernel", _undoes_messages),
        ),
    ),
    Exercise(
        "ex-distances-many",
        "localization/noisy-distances",
        "the distance as a function of both users' copies, of shape (R, 2) each, and sigma",
        (
            IS_FUNCTION,
            ("without noise it has to be the exact distance", _without_noise),
            (
                "for users in one place the error is larger than necessary: use all points together",
                _errs_little_in_one_place,
            ),
            (
                "for users apart the error, or the mean error, is larger than necessary: use all points"
                " together",
                _errs_little_apart,
            ),
        ),
    ),
)
