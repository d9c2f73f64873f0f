"""Exercises that can be checked: localization."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import ncx2

from ldpbook._exercise import IS_FUNCTION, Exercise, number
from ldpbook.perturbed_particles import ParticlePerturbation
from ldpbook.privacy import gaussian_delta


def _undefined_half_of_the_time() -> float:
    """sigma/d at which a noisy squared distance is below its correction with probability one half."""
    # r^2/(2 sigma^2) is non-central chi-squared with 2 degrees of freedom; undefined where it is below 2.
    return float(brentq(lambda ratio: ncx2.cdf(2.0, 2, 1 / (2 * ratio**2)) - 0.5, 0.1, 20.0))


# Paillier's scheme with the chapter's small key: n = 47 * 59.
_N, _LAMBDA = 47 * 59, math.lcm(46, 58)


def _encrypt(message: int, unit: int = 5) -> int:
    return (1 + message * _N) * pow(unit, _N, _N**2) % _N**2


def _decrypt(cipher: int) -> int:
    return (pow(cipher, _LAMBDA, _N**2) - 1) // _N * pow(_LAMBDA, -1, _N) % _N


def _root_of_mean_square(first: np.ndarray, second: np.ndarray, sigma: float) -> float:
    squares = ((first[:, None] - second) ** 2).sum(axis=-1)
    return math.sqrt(max(0.0, float(squares.mean()) - 4 * sigma**2))


def _agrees_on_clouds(distance: Callable[..., float]) -> bool:
    clouds = np.random.default_rng(0).normal(0, 2, (2, 30, 2))
    clouds[1, :, 0] += 6
    return math.isclose(distance(*clouds, 2.0), _root_of_mean_square(*clouds, 2.0), rel_tol=1e-9)


def _copies_are_systematic(copies: Callable[..., Any]) -> bool:
    weights = np.array([0.37, 0.25, 0.2, 0.18])
    counted = np.array([copies(weights, u) for u in (np.arange(1000) + 0.5) / 1000])
    rounded = (counted == np.floor(4 * weights)) | (counted == np.ceil(4 * weights))
    return bool(rounded.all() and np.abs(counted.mean(axis=0) - 4 * weights).max() < 2e-3)


def _undoes_messages(weights: Callable[..., Any]) -> bool:
    kernel = np.array([[1.0, 0.4, 0.1], [0.2, 0.9, 0.3], [0.5, 0.1, 0.8]])
    hers = np.array([0.6, 0.3, 0.1])
    return bool(np.allclose(weights(kernel, np.log(kernel @ hers)), hers))


EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-particles-circles",
        "localization/particles",
        "both positions, as a list of two pairs",
        (
            ("the answer is two pairs of numbers", lambda places: np.shape(places) == (2, 2)),
            (
                "one of them is not 5 m from both anchors",
                lambda places: all(
                    math.isclose(math.dist(place, anchor), 5.0, rel_tol=1e-6)
                    for place in places
                    for anchor in [(0, 0), (6, 0)]
                ),
            ),
            ("the two are the same", lambda places: math.dist(*places) > 1),
        ),
    ),
    Exercise(
        "ex-particles-systematic",
        "localization/particles",
        "the numbers of copies as a function of the weights (an array) and one uniform number",
        (
            IS_FUNCTION,
            (
                "as many copies in all as particles",
                lambda f: np.sum(f(np.array([0.5, 0.3, 0.2]), 0.4)) == 3,
            ),
            (
                "equal weights: every particle once",
                lambda f: list(f(np.full(4, 0.25), 0.3)) == [1, 1, 1, 1],
            ),
            ("each Rw is rounded up or down, and kept in the mean", _copies_are_systematic),
        ),
    ),
    Exercise(
        "ex-encrypted-subtract",
        "localization/encrypted-inference",
        "a ciphertext of a - b as a function of ciphertexts of a and b and of n",
        (
            IS_FUNCTION,
            (
                "it does not decrypt to 58 for 100 and 42",
                lambda f: _decrypt(f(_encrypt(100), _encrypt(42, 8), _N)) == 58,
            ),
            (
                "a negative difference is counted from n: 6 - 42 is n - 36",
                lambda f: _decrypt(f(_encrypt(6, 3), _encrypt(42), _N)) == _N - 36,
            ),
        ),
    ),
    Exercise(
        "ex-encrypted-deterministic",
        "localization/encrypted-inference",
        "the number m as a function of the ciphertext without r and of n",
        (
            IS_FUNCTION,
            (
                "it does not find 42 and 1,000 for n = 2,773",
                lambda f: [f((1 + m * _N) % _N**2, _N) for m in (42, 1000)] == [42, 1000],
            ),
            (
                "it must not take as many steps as n: keys are long",
                lambda f: f((1 + 7**90 * 10**150) % 10**300, 10**150) == 7**90,
            ),
        ),
    ),
    Exercise(
        "ex-encrypted-length",
        "localization/encrypted-inference",
        "the number of bits",
        (
            ("the answer is a whole number", lambda bits: float(bits).is_integer()),
            ("units of 2^-40 multiply too, so that squares have units of 2^-80", lambda bits: bits > 100),
            ("with fewer some sum overflows, and more are not needed", lambda bits: bits == 141),
        ),
    ),
    Exercise(
        "ex-encrypted-guess",
        "localization/encrypted-inference",
        "whether a ciphertext holds a guess, as a function of ciphertext, guess and n, for a small n",
        (
            IS_FUNCTION,
            ("a right guess is not recognised", lambda f: f(_encrypt(693, 12), 693, _N)),
            ("a wrong guess is taken for right", lambda f: not f(_encrypt(693, 12), 694, _N)),
        ),
    ),
    Exercise(
        "ex-forgotten-leak",
        "localization/forgotten-weights",
        "her weights as a function of the kernel (3 x 3) and of his three decrypted messages",
        (
            IS_FUNCTION,
            (
                "weights add up to 1 for the identity as kernel",
                lambda f: math.isclose(float(np.sum(f(np.eye(3), np.log([0.2, 0.3, 0.5])))), 1),
            ),
            ("it does not find the weights behind messages of another kernel", _undoes_messages),
        ),
    ),
    Exercise(
        "ex-perturbed-variation",
        "localization/perturbed-particles",
        "delta at epsilon 0 for d = sigma",
        number(
            lambda: gaussian_delta(sigma=1.0, distance=1.0, epsilon=0.0),
            1e-3,
            ("it is a probability", lambda v: 0 <= v <= 1),
        ),
    ),
    Exercise(
        "ex-perturbed-loss",
        "localization/perturbed-particles",
        "mean and variance of the loss, as a pair",
        (
            ("the answer is a pair of numbers", lambda pair: np.shape(pair) == (2,)),
            ("the mean differs", lambda pair: math.isclose(pair[0], 1 / 8, rel_tol=0.01)),
            ("the variance differs", lambda pair: math.isclose(pair[1], 1 / 4, rel_tol=0.01)),
        ),
    ),
    Exercise(
        "ex-perturbed-delta",
        "localization/perturbed-particles",
        "the exact epsilon of 100 particles",
        number(
            lambda: ParticlePerturbation(10).epsilon(distance=1, delta=1e-5, n_particles=100),
            1e-3,
            ("more than one particle's, 0.341", lambda v: v > 0.341),
            ("less than the printed 5.299", lambda v: v < 5.299),
        ),
    ),
    Exercise(
        "ex-perturbed-average",
        "localization/perturbed-particles",
        "the deviation of each coordinate after 10,000 steps, in metres",
        number(
            lambda: 100 / math.sqrt(10_000), 1e-3, ("averages know more than one step", lambda v: v < 100)
        ),
    ),
    Exercise(
        "ex-distances-three",
        "localization/noisy-distances",
        "the correction c, in units of sigma squared",
        number(
            lambda: 4.0,
            1e-6,
            ("in two dimensions it is 2, and here noise has one more direction across", lambda c: c > 2),
            ("the full mean of the square's excess is more than is needed", lambda c: c < 6),
        ),
    ),
    Exercise(
        "ex-distances-many",
        "localization/noisy-distances",
        "the distance as a function of both users' copies, shape (R, 2) each, and sigma",
        (
            IS_FUNCTION,
            (
                "without noise it is the distance",
                lambda f: math.isclose(f(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]), 0.0), 5.0),
            ),
            ("a negative corrected square has no root: give 0", lambda f: f(*np.zeros((2, 5, 2)), 1.0) == 0),
            ("take the mean of the squares before the root", _agrees_on_clouds),
        ),
    ),
    Exercise(
        "ex-distances-negative",
        "localization/noisy-distances",
        "the ratio sigma/d",
        number(
            _undefined_half_of_the_time,
            0.005,
            ("noise far below the distance never makes it undefined", lambda v: v > 0.05),
        ),
    ),
)
