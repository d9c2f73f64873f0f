"""Messages from neighbours' clouds, and the source's update, which multiplies where it should sum."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, check_positions, numeric
from ldpbook.localization._crowd import (
    check_crowd,
    check_fit,
    check_log_weights,
    log_kernel,
    log_sum,
    thinned,
)
from ldpbook.localization.particles import normalize

__all__ = [
    "messages",
    "own_update",
    "source_update",
]


def messages(
    particles: ArrayLike,
    neighbours: ArrayLike,
    log_weights: ArrayLike,
    distances: ArrayLike,
    *,
    sigma: float,
    correct: Callable[[Array], Array] | None = None,
) -> Array:
    r"""Log-message of each neighbour's cloud about each particle: :math:`\ln\sum_s w_{js}e^{\dots}`.

    Parameters
    ----------
    particles : array_like, shape (R, 2)
        The cloud of the user who receives the messages.
    neighbours : array_like, shape (K, S, 2)
        Clouds of the neighbours.
    log_weights : array_like, shape (K, S)
        Their normalized log-weights.
    distances : array_like, shape (K,)
        Measured distances to them.
    sigma : float
        Standard deviation of the measurement errors, > 0, in metres.
    correct : callable, optional
        As in :func:`~ldpbook.localization.particles.sum_product_update`.

    Returns
    -------
    ndarray, shape (K, R)
        Log-messages.

    Notes
    -----
    Derived in: localization/forgotten-weights

    Examples
    --------
    >>> messages([[3, 4]], [[[0, 0]]], [[0.0]], [5], sigma=1)
    array([[0.]])
    """
    points, others = check_positions("particles", particles, 2), check_positions("neighbours", neighbours, 3)
    weights = check_log_weights(log_weights, others.shape[:2], of="neighbours' particles")
    measured = numeric("distances", distances)
    if measured.shape != (len(others),) or not np.isfinite(measured).all():
        raise ValueError(
            f"distances must be one finite number for each of {len(others)} neighbours, got others"
        )
    sigma = check_fit(sigma, correct)
    own = thinned(points)
    told = np.empty((len(others), len(points)))
    for k, (cloud, weight) in enumerate(zip(others, weights, strict=True)):
        other = thinned(cloud)
        kernel = log_kernel(own, other, measured[k], sigma, correct)
        kernel = kernel + weight if len(other) == len(cloud) else kernel + log_sum(weight.copy())
        told[k] = log_sum(kernel)
    return told


def source_update(
    particles: ArrayLike,
    log_weights: ArrayLike,
    distances: ArrayLike,
    *,
    sigma: float,
    correct: Callable[[Array], Array] | None = None,
) -> Array:
    r"""The update of the source: a product over all particles of all neighbours.

    .. math::
        \ln w_{ir} \leftarrow \ln w_{ir} + \sum_{j\in\mathcal N(i)}\sum_s\Bigl(\ln w_{js}
        - \frac{(d(z_{ir},z_{js})-D_{ij})^2}{2\sigma^2}\Bigr) - \text{const}

    The neighbours' weights are the same for every r: they cancel in the normalization, and :func:`own_update`
    does without them.

    Parameters
    ----------
    particles, log_weights, sigma, correct
        As in :func:`~ldpbook.localization.particles.sum_product_update`.
    distances : array_like, shape (N, N)
        Measured distances, in row i those that user i knows; nan where users are not neighbours, and
        on the diagonal.

    Returns
    -------
    ndarray, shape (N, R)
        Normalized log-weights after the update, all users at once.

    Raises
    ------
    ValueError
        If a cloud degenerates: no particle of it fits what was measured.

    Notes
    -----
    Source: Xiang (2017), slides "Privacy-Preserving Inference".
    Derived in: localization/forgotten-weights

    Examples
    --------
    >>> clouds = [[[0, 0], [0, 0]], [[3, 4], [8, 8]]]
    >>> measured = [[np.nan, 5], [5, np.nan]]
    >>> np.exp(source_update(clouds, np.log([[0.5, 0.5]] * 2), measured, sigma=1))[1].round(2)
    array([1., 0.])
    """
    points, weights, measured = check_crowd(particles, log_weights, distances)
    sigma = check_fit(sigma, correct)
    clouds = [thinned(cloud) for cloud in points]
    new = weights + np.array([[weights[~np.isnan(row)].sum()] for row in measured])
    for i, j in zip(*np.nonzero(~np.isnan(measured)), strict=True):
        mutual = measured[i, j] == measured[j, i]
        if mutual and j < i:
            continue  # the kernel is symmetric, so this was done with the pair (j, i)
        kernel = log_kernel(clouds[i], clouds[j], measured[i, j], sigma, correct)
        copies = weights.shape[1] // np.array(kernel.shape)
        new[i] += kernel.sum(axis=1) * copies[1]
        if mutual:
            new[j] += kernel.sum(axis=0) * copies[0]
    return normalize(new)


def own_update(
    particles: ArrayLike,
    log_weights: ArrayLike,
    published: ArrayLike,
    distances: ArrayLike,
    *,
    sigma: float,
    correct: Callable[[Array], Array] | None = None,
) -> Array:
    r"""The source's update of one user, computed by herself: no server, no key, no one else's weights.

    It equals her row of :func:`source_update` if she uses the particles that she publishes. Her true
    particles are nearer to the truth, and need not leave her device. With one published position per
    neighbour, her weights are multiplied by the likelihood of her measurements.

    Parameters
    ----------
    particles : array_like, shape (R, 2)
        Her own particles, in metres.
    log_weights : array_like, shape (R,)
        Their normalized log-weights.
    published : array_like, shape (N, S, 2)
        Published positions of the others, S each, in metres.
    distances : array_like, shape (N,)
        Her measured distance to each of them, in metres; nan where she has none, as for herself.
    sigma : float
        Standard deviation of the measurement errors, > 0, in metres.
    correct : callable, optional
        As in :func:`~ldpbook.localization.particles.sum_product_update`. If only the published particles have
        noise, with standard deviation s on each coordinate, it counts as noise with s / sqrt(2) at both ends.

    Returns
    -------
    ndarray, shape (R,)
        Normalized log-weights after the update.

    Raises
    ------
    ValueError
        If shapes do not fit, a number is out of range, or her cloud degenerates.

    Notes
    -----
    Source: Xiang (2017), slides "Privacy-Preserving Inference", computed by the user.
    Derived in: localization/forgotten-weights

    Examples
    --------
    >>> own = [[3, 4], [8, 8]]
    >>> new = own_update(own, np.log([0.5, 0.5]), [[[0, 0], [0, 0]]], [5.0], sigma=1)
    >>> np.exp(new).round(2)
    array([1., 0.])
    """
    points, others = check_positions("particles", particles, 2), check_positions("published", published, 3)
    new = check_log_weights(log_weights, points.shape[:1]).copy()
    measured = numeric("distances", distances)
    if measured.shape != (len(others),) or np.isinf(measured).any():
        raise ValueError(
            f"distances must be a finite number or nan for each of {len(others)} others, got others"
        )
    sigma = check_fit(sigma, correct)
    for cloud, distance in zip(others, measured, strict=True):
        if not np.isnan(distance):
            other = thinned(cloud)
            kernel = log_kernel(points, other, distance, sigma, correct)
            new += kernel.sum(axis=1) * (len(cloud) // len(other))
    return normalize(new)
