"""Clouds of weighted particles for unknown positions, and the update of their weights by measurements.

A crowd's clouds are an array of particles, shape (N, R, 2), and one of log-weights, shape
(N, R), each row of which is normalized: its exponentials sum to 1.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, check_positions, generator, numeric
from ldpbook._validate import count, non_negative, positive
from ldpbook.localization._crowd import (
    called,
    check_callable,
    check_clouds,
    check_crowd,
    check_fit,
    check_log_weights,
    check_size,
    log_kernel,
    log_sum,
    thinned,
)
from ldpbook.localization.mobility import measured_distances

__all__ = [
    "Localization",
    "effective_size",
    "estimate",
    "localize",
    "normalize",
    "resample",
    "sum_product_update",
    "uniform_clouds",
]


@dataclass(frozen=True, eq=False)
class Localization:
    """Result of locating a crowd over time.

    Attributes
    ----------
    estimates : ndarray, shape (T + 1, N, 2)
        Weighted means of the clouds after each update, in metres.
    clouds : ndarray, shape (T + 1, N, R, 2)
        The particles at each time.
    log_weights : ndarray, shape (T + 1, N, R)
        Their log-weights.
    """

    estimates: Array
    clouds: Array
    log_weights: Array


def uniform_clouds(
    n_users: int, n_particles: int, rng: np.random.Generator | int | None = None, *, side: float
) -> tuple[Array, Array]:
    """Clouds of users who may be anywhere in a square.

    Parameters
    ----------
    n_users, n_particles : int
        Numbers N and R, >= 1.
    rng : Generator, int or None
        Source of randomness, a seed for one, or fresh entropy.
    side : float
        Side of the square, > 0, in metres.

    Returns
    -------
    particles : ndarray, shape (N, R, 2)
        Points, in metres.
    log_weights : ndarray, shape (N, R)
        All equal.

    Notes
    -----
    Derived in: localization/particles

    Examples
    --------
    >>> particles, log_weights = uniform_clouds(3, 4, side=10, rng=0)
    >>> particles.shape, np.exp(log_weights).sum(axis=1)
    ((3, 4, 2), array([1., 1., 1.]))
    """
    shape = (count("n_users", n_users), count("n_particles", n_particles))
    check_size(n_users=n_users, n_particles=n_particles)
    points = generator(rng).uniform(0, positive("side", side), (*shape, 2))
    return points, np.full(shape, -np.log(shape[1]))


def normalize(log_weights: ArrayLike) -> Array:
    """Log-weights shifted so that the weights of each user sum to 1.

    Parameters
    ----------
    log_weights : array_like, shape (..., R)
        Log-weights up to a constant for each user; minus infinity for weight 0.

    Returns
    -------
    ndarray, shape (..., R)
        Normalized log-weights.

    Raises
    ------
    ValueError
        If a log-weight is nan or plus infinity, or a cloud has degenerated: all of its weights
        are 0.

    Notes
    -----
    Derived in: localization/particles

    Examples
    --------
    >>> np.exp(normalize([-1000.0, -1000.0]))
    array([0.5, 0.5])
    """
    values = numeric("log_weights", log_weights)
    if values.ndim == 0 or values.size == 0:
        raise ValueError(f"log_weights must be of at least one particle, got shape {values.shape}")
    return _normalized(check_log_weights(values, values.shape))


def _normalized(log_weights: Array) -> Array:
    total = log_sum(log_weights.copy())[..., None]
    if np.isneginf(total).any():
        raise ValueError(
            "log_weights must leave a particle of each user a weight, got none in row"
            f" {np.isneginf(total).argmax()}: the cloud has degenerated; draw it anew"
        )
    return log_weights - total


def sum_product_update(
    particles: ArrayLike,
    log_weights: ArrayLike,
    distances: ArrayLike,
    *,
    sigma: float,
    n_rounds: int = 1,
    correct: Callable[[Array], Array] | None = None,
) -> Array:
    r"""Sum-product (belief propagation): a sum over each neighbour's cloud, then a product over neighbours.

    .. math::
        w_{ir}' \propto w_{ir}\prod_{j\in\mathcal N(i)} \mu_{ji,r},\qquad
        \mu_{ji,r} \leftarrow \sum_s w_{js}\Bigl(\prod_{k\in\mathcal N(j)\setminus i} \mu_{kj,s}\Bigr)
        e^{-(d(z_{ir},z_{js})-D_{ij})^2/2\sigma^2}

    All messages start at 1 and are recomputed `n_rounds` times, always from the given weights. A measurement
    enters once, however many rounds there are, and the message from j to i leaves out the one from i to j. If
    the graph of neighbours has no cycles, enough rounds give the exact posterior of each user, provided that
    positions were independent and that who measures whom says nothing about them. With cycles they need not.

    Parameters
    ----------
    particles : array_like, shape (N, R, 2)
        Clouds, in metres.
    log_weights : array_like, shape (N, R)
        Normalized log-weights before the measurements.
    distances : array_like, shape (N, N)
        Measured distances, nan where users are not neighbours.
    sigma : float
        Standard deviation of their errors, > 0, in metres.
    n_rounds : int
        Rounds of messages, >= 1: knowledge travels that many hops.
    correct : callable, optional
        For perturbed clouds: estimates the distances between the true particles from those between the
        published ones, element by element of an array.

    Returns
    -------
    ndarray, shape (N, R)
        Normalized log-weights after the update, all users at once.

    Raises
    ------
    ValueError
        If shapes do not fit, distances are not symmetric, a number is out of range, or a cloud
        degenerates.

    Notes
    -----
    Source: the marginalization that the product of Xiang (2017) leaves out.
    Derived in: localization/particles

    Examples
    --------
    The neighbour is almost certainly at the origin, 5 m away: of two places only one fits.

    >>> clouds = [[[0, 0], [9, 9]], [[3, 4], [8, 8]]]
    >>> log_weights = np.log([[0.999, 0.001], [0.5, 0.5]])
    >>> measured = [[np.nan, 5], [5, np.nan]]
    >>> np.exp(sum_product_update(clouds, log_weights, measured, sigma=1))[1].round(2)
    array([1., 0.])
    """
    points, weights, measured = check_crowd(particles, log_weights, distances)
    if not np.array_equal(measured, measured.T, equal_nan=True):
        raise ValueError("distances must be symmetric: a pair of neighbours has measured one distance")
    sigma = check_fit(sigma, correct)
    clouds = [thinned(cloud) for cloud in points]
    near = [np.flatnonzero(~np.isnan(row)) for row in measured]

    def fit(i: int, j: int, rows: slice | NDArray[np.bool_] = slice(None)) -> Array:
        return log_kernel(clouds[i][rows], clouds[j], measured[i, j], sigma, correct)

    kernels = {}  # by (j, i), rows for the particles of i; both directions share the numbers
    for i, j in zip(*np.nonzero(np.triu(~np.isnan(measured))), strict=True):
        kernels[j, i] = np.exp(fit(i, j))
        kernels[i, j] = kernels[j, i].T
    told = np.zeros((len(points), *weights.shape))  # [j, i, r]: from j about particle r of i
    first = _normalized(weights)
    for round_ in range(count("n_rounds", n_rounds)):
        before = told.copy()
        for (j, i), kernel in kernels.items():
            # A cloud of one point is the same for any weights; and in the first round there are no messages
            # yet.
            known = np.zeros(1) if len(clouds[j]) == 1 else first[j]
            if round_ and len(clouds[j]) > 1:
                known = _normalized(weights[j] + before[near[j][near[j] != i], j].sum(axis=0))
            with np.errstate(divide="ignore"):
                summed = np.log(kernel @ np.exp(known))
            lost = summed < -600  # sums too small for floats are computed in logarithms
            if lost.any():
                summed[lost] = log_sum(fit(i, j, lost) + known)
            told[j, i] = summed
        if np.array_equal(told, before):
            break  # more rounds change nothing
    return _normalized(weights + told.sum(axis=0))


def estimate(particles: ArrayLike, log_weights: ArrayLike) -> Array:
    """Weighted mean of each cloud.

    Parameters
    ----------
    particles : array_like, shape (N, R, 2)
        Clouds, in metres.
    log_weights : array_like, shape (N, R)
        Normalized log-weights.

    Returns
    -------
    ndarray, shape (N, 2)
        Estimated positions, in metres.

    Notes
    -----
    Derived in: localization/particles

    Examples
    --------
    >>> estimate([[[0, 0], [4, 0]]], np.log([[0.25, 0.75]]))
    array([[3., 0.]])
    """
    points, weights = check_clouds(particles, log_weights)
    means: Array = np.einsum("nr,nrk->nk", np.exp(_normalized(weights)), points)
    return means


def effective_size(log_weights: ArrayLike) -> Array:
    r"""Number of equally weighted particles that a cloud is worth: :math:`1/\sum_r w_r^2`.

    Parameters
    ----------
    log_weights : array_like, shape (N, R)
        Normalized log-weights.

    Returns
    -------
    ndarray, shape (N,)
        Between 1 and R.

    Notes
    -----
    Derived in: localization/particles

    Examples
    --------
    >>> effective_size(np.log([[0.5, 0.5], [0.999999, 0.000001]])).round(3)
    array([2., 1.])
    """
    sizes: Array = np.exp(-log_sum(2 * normalize(log_weights)))
    return sizes


def resample(
    particles: ArrayLike,
    log_weights: ArrayLike,
    rng: np.random.Generator | int | None = None,
    *,
    jitter: float,
) -> tuple[Array, Array]:
    """Clouds redrawn in proportion to their weights, and jittered so that copies separate.

    Systematic resampling: one uniform number per cloud, R equidistant picks.

    Parameters
    ----------
    particles : array_like, shape (N, R, 2)
        Clouds, in metres.
    log_weights : array_like, shape (N, R)
        Normalized log-weights.
    rng : Generator, int or None
        Source of randomness, a seed for one, or fresh entropy.
    jitter : float
        Standard deviation of the jitter on each coordinate, >= 0, in metres.

    Returns
    -------
    particles : ndarray, shape (N, R, 2)
        New clouds.
    log_weights : ndarray, shape (N, R)
        All equal.

    Notes
    -----
    Derived in: localization/particles

    Examples
    --------
    >>> drawn, _ = resample([[[0, 0], [4, 0]]], np.log([[1e-12, 1 - 1e-12]]), jitter=0, rng=0)
    >>> drawn[0].tolist()
    [[4.0, 0.0], [4.0, 0.0]]
    """
    points, weights = check_clouds(particles, log_weights)
    shake = non_negative("jitter", jitter)
    rng = generator(rng)
    n_users, n_particles = weights.shape
    starts = rng.random((n_users,))
    drawn = rng.standard_normal(points.shape)
    drawn *= shake
    for cloud, weight, start, new in zip(points, _normalized(weights), starts, drawn, strict=True):
        cumulated = np.exp(weight).cumsum()
        picks = (start + np.arange(n_particles)) / n_particles * cumulated[-1]
        new += cloud.take(np.searchsorted(cumulated, picks), axis=0)
    return drawn, np.full(weights.shape, -np.log(n_particles))


def localize(
    track: ArrayLike,
    anchors: ArrayLike,
    update: Callable[[Array, Array, Array], Array],
    rng: np.random.Generator | int | None = None,
    *,
    side: float,
    speed: float,
    reach: float,
    sigma: float,
    n_particles: int,
) -> Localization:
    """Locate a walking crowd from measured distances, step by step.

    At each step every particle moves by a random vector of length up to `speed`, neighbours measure their
    distances, with new errors, and the weights are updated once. Clouds worth less than half of their
    particles are resampled. Anchors know where they are: all of their particles are there. The fact that two
    users are out of reach of each other is not used.

    Parameters
    ----------
    track : array_like, shape (T + 1, N, 2)
        True positions, in metres.
    anchors : array_like of bool, shape (N,)
        Which users know their positions.
    update : callable
        New log-weights from particles, log-weights and measured distances.
    rng : Generator, int or None
        Source of randomness, a seed for one, or fresh entropy.
    side, speed, reach : float
        Side of the square, largest step and reach of the measurements, > 0, in metres.
    sigma : float
        Standard deviation of the measurement errors, > 0, in metres; copies of resampled particles are
        jittered by half of it.
    n_particles : int
        Number R of particles of a cloud, >= 1.

    Returns
    -------
    Localization
        Estimates and clouds at every time.

    Raises
    ------
    ValueError
        If a cloud degenerates.

    Notes
    -----
    Source: the experiment of Xiang (2017).
    Derived in: localization/particles

    Examples
    --------
    >>> from ldpbook.localization import random_waypoint
    >>> track = random_waypoint(6, 8, side=40, speeds=(1, 2), rng=0)
    >>> update = lambda *crowd: sum_product_update(*crowd, sigma=1, n_rounds=2)
    >>> setting = dict(side=40, speed=2, reach=40, sigma=1, n_particles=200)
    >>> found = localize(track, np.arange(6) < 4, update, rng=1, **setting)
    >>> bool(np.linalg.norm(found.estimates[-1] - track[-1], axis=1).max() < 5)
    True
    """
    positions = check_positions("track", track, 3)
    fixed = _check_anchors(anchors, positions.shape[1])
    check_callable("update", update)
    stride, rng = positive("speed", speed), generator(rng)
    clouds, weights = uniform_clouds(positions.shape[1], n_particles, rng, side=side)
    even = weights[0, 0]
    estimates, all_clouds, all_weights = [], [], []
    for t, here in enumerate(positions):
        if t:
            length, angle = stride * rng.random(weights.shape), 2 * np.pi * rng.random(weights.shape)
            clouds = clouds + length[..., None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        clouds[fixed] = here[fixed, None]
        measured = measured_distances(here, rng, reach=reach, sigma=sigma)
        found = check_log_weights(
            called("update", update, clouds, weights, measured), weights.shape, "update"
        )
        weights = np.where(fixed[:, None], even, found)
        estimates.append(estimate(clouds, weights))
        all_clouds.append(clouds)
        all_weights.append(weights)
        poor = effective_size(weights) < n_particles / 2
        if poor.any():
            clouds, weights = clouds.copy(), weights.copy()
            clouds[poor], weights[poor] = resample(clouds[poor], weights[poor], rng, jitter=sigma / 2)
    return Localization(np.array(estimates), np.array(all_clouds), np.array(all_weights))


def _check_anchors(anchors: ArrayLike, n_users: int) -> NDArray[np.bool_]:
    try:
        fixed = np.asarray(anchors)
    except ValueError:  # rows of different length
        fixed = np.asarray(None)
    if fixed.dtype != bool:
        raise TypeError(f"anchors must be True or False for each user, got {anchors!r:.80}")
    if fixed.shape != (n_users,):
        raise ValueError(
            f"anchors must be one for each of the {n_users} users of track, got shape {fixed.shape}"
        )
    return fixed
