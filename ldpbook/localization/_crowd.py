"""Shared parts of the updates: checks of a crowd, and the fit of particles to a measured distance."""

from collections.abc import Callable
from math import prod

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from ldpbook._arrays import Array, check_positions, numeric
from ldpbook._validate import positive


def check_log_weights(
    values: ArrayLike, shape: tuple[int, ...], name: str = "log_weights", of: str = "particles"
) -> Array:
    """Checked log-weights, in an array of that shape: numbers below infinity, -infinity for weight 0."""
    weights = numeric(name, values)
    if weights.shape != shape:
        raise ValueError(f"{name} must be numbers, one for each of the {of} {shape}, got {weights.shape}")
    if np.isnan(weights).any() or (weights == np.inf).any():
        raise ValueError(f"{name} must be numbers below infinity, got nan or infinity")
    return weights


def check_clouds(particles: ArrayLike, log_weights: ArrayLike) -> tuple[Array, Array]:
    """Clouds, shape (N, R, 2), and their log-weights, shape (N, R)."""
    points = check_positions("particles", particles, 3)
    return points, check_log_weights(log_weights, points.shape[:2])


def check_crowd(
    particles: ArrayLike, log_weights: ArrayLike, distances: ArrayLike
) -> tuple[Array, Array, Array]:
    """Clouds, their log-weights, and measured distances, shape (N, N), nan for those not measured."""
    points, weights = check_clouds(particles, log_weights)
    measured = numeric("distances", distances)
    if measured.shape != (len(points), len(points)):
        raise ValueError(f"distances must have shape {(len(points),) * 2}, got {measured.shape}")
    if np.isinf(measured).any():
        raise ValueError("distances must be finite, or nan where none was measured, got infinity")
    if not np.isnan(measured.diagonal()).all():
        raise ValueError("distances must be nan on the diagonal: nobody is her own neighbour")
    return points, weights, measured


def check_size(**counts: int) -> None:
    """Refuse sizes whose product is too large for any memory."""
    if prod(map(int, counts.values())) > 2**28:
        raise ValueError(f"{' times '.join(counts)} must be at most 2^28, got {list(counts.values())}")


def check_callable(name: str, function: Callable[..., Array]) -> None:
    if not callable(function):
        raise TypeError(f"{name} must be a function, got {function!r:.80} of type {type(function).__name__}")


def called(name: str, function: Callable[..., Array], *arguments: Array) -> Array:
    """Result of a caller's function; if it raises an error, the message names the argument."""
    try:
        return function(*arguments)
    except (TypeError, ValueError) as error:
        wrong = TypeError if isinstance(error, TypeError) else ValueError
        raise wrong(f"{name} failed: {error}") from error


def check_fit(sigma: float, correct: Callable[[Array], Array] | None) -> float:
    """Standard deviation of the measurement errors, if a kernel can use it and the correction."""
    if correct is not None:
        check_callable("correct", correct)
    return positive("sigma", sigma)


def thinned(cloud: Array) -> Array:
    """A cloud, or one particle of it if all are at one point, like an anchor's: same result, in less time."""
    return cloud[:1] if (cloud == cloud[0]).all() else cloud


def between(cloud: Array, other: Array, correct: Callable[[Array], Array] | None) -> Array:
    """Distance between each particle of a cloud and each of another, corrected if there is a correction."""
    apart: Array = cdist(cloud, other)
    if correct is None:
        return apart
    # This is a copy, because `log_kernel` overwrites it and must not change the caller's array.
    found = np.array(numeric("correct", called("correct", correct, apart)))
    if found.shape != apart.shape:
        raise ValueError(f"correct must give an array of shape {apart.shape} back, got {found.shape}")
    if np.isnan(found).any():
        raise ValueError("correct must give numbers, got nan: choose one for distances it cannot correct")
    return found


def log_kernel(
    cloud: Array,
    other: Array,
    measured: float,
    sigma: float,
    correct: Callable[[Array], Array] | None = None,
) -> Array:
    """-(d - D)^2 / 2 sigma^2 for each particle of a cloud, shape (R, 2), and each of another, shape (S, 2).

    It takes one pair of clouds at a time, so that their data stay in the processor's cache.
    """
    error = between(cloud, other, correct)
    error -= measured
    with np.errstate(over="ignore"):  # an infinite error makes the likelihood 0
        error /= sigma  # before squaring, because the square of sigma may overflow
        error *= error
    error *= -0.5
    return error


def log_sum(terms: Array) -> Array:
    """Logarithm of the sum of exponentials over the last axis; overwrites its argument.

    scipy's logsumexp takes three times as long here, and twenty times as long for a short row.
    """
    # The floor keeps rows in which every weight is 0 from becoming nan.
    top = np.maximum(terms.max(axis=-1, keepdims=True), np.finfo(float).min)
    with np.errstate(divide="ignore"):
        total: Array = np.log(np.exp(np.subtract(terms, top, out=terms), out=terms).sum(axis=-1))
    total += top[..., 0]
    return total
