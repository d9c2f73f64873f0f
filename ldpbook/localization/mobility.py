"""A crowd that walks about, and the distances its members measure to each other."""

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, check_positions, generator, numeric
from ldpbook._validate import count, positive
from ldpbook.localization._crowd import check_size

__all__ = [
    "measured_distances",
    "random_waypoint",
]


def random_waypoint(
    n_users: int,
    n_steps: int,
    rng: np.random.Generator | int | None = None,
    *,
    side: float,
    speeds: tuple[float, float],
) -> Array:
    """Positions of users who walk from one random point of a square to the next.

    Each user draws a waypoint uniformly in the square and a speed uniformly between the two
    given, walks straight there, and draws again; there are no pauses. A step that would pass the
    waypoint ends there.

    Parameters
    ----------
    n_users, n_steps : int
        Numbers of users N and of steps T, >= 1.
    rng : Generator, int or None
        Source of randomness, a seed for one, or fresh entropy.
    side : float
        Side of the square, > 0, in metres.
    speeds : (float, float)
        Smallest and largest speed, 0 < smallest <= largest, in metres per step.

    Returns
    -------
    ndarray, shape (T + 1, N, 2)
        Positions, of which the first are the starting points.

    Notes
    -----
    Source: the model named by Xiang (2017).
    Derived in: localization/particles

    Examples
    --------
    >>> track = random_waypoint(3, 10, side=50, speeds=(1, 2), rng=0)
    >>> steps = np.linalg.norm(np.diff(track, axis=0), axis=-1)
    >>> track.shape, bool(steps.max() <= 2)
    ((11, 3, 2), True)
    """
    shape = (count("n_users", n_users), 2)
    count("n_steps", n_steps)
    check_size(n_users=n_users, n_steps=n_steps)
    width = positive("side", side)
    if width > 1e150:  # then squares of distances overflow
        raise ValueError(f"side must be at most 1e150, got {side!r}")
    pair = numeric("speeds", speeds)
    if pair.shape != (2,) or not 0 < pair[0] <= pair[1] < np.inf:
        raise ValueError(f"speeds must be two finite numbers > 0, ascending, got {speeds!r:.80}")
    slow, fast = pair
    rng = generator(rng)
    track = np.empty((n_steps + 1, *shape))
    track[0] = rng.uniform(0, width, shape)
    target, speed = rng.uniform(0, width, shape), rng.uniform(slow, fast, n_users)
    for now, then in pairwise(track):
        way = target - now
        left = np.linalg.norm(way, axis=1)
        arrived = left <= speed
        then[:] = np.where(arrived[:, None], target, now + way * (speed / np.maximum(left, speed))[:, None])
        target = np.where(arrived[:, None], rng.uniform(0, width, shape), target)
        speed = np.where(arrived, rng.uniform(slow, fast, n_users), speed)
    return track


def measured_distances(
    positions: ArrayLike, rng: np.random.Generator | int | None = None, *, reach: float, sigma: float
) -> Array:
    """Distances that neighbours measure, with Gaussian errors.

    Parameters
    ----------
    positions : array_like, shape (N, 2)
        True positions, in metres.
    rng : Generator, int or None
        Source of randomness, a seed for one, or fresh entropy.
    reach : float
        Users within this distance are neighbours, > 0, in metres.
    sigma : float
        Standard deviation of the measurement errors, > 0, in metres.

    Returns
    -------
    ndarray, shape (N, N)
        Symmetric, as both neighbours are assumed to know the measurement; nan where users are out of reach,
        and on the diagonal.

    Notes
    -----
    Source: Xiang (2017), distance observations D.
    Derived in: localization/particles

    Examples
    --------
    >>> measured_distances([[0, 0], [3, 4], [90, 0]], reach=10, sigma=1e-9, rng=0).round(3)
    array([[nan,  5., nan],
           [ 5., nan, nan],
           [nan, nan, nan]])
    """
    points = check_positions("positions", positions, 2)
    positive("reach", reach)
    true = np.linalg.norm(points[:, None] - points, axis=-1)
    error = positive("sigma", sigma) * generator(rng).standard_normal(true.shape)
    upper = np.triu((true <= reach), 1)
    measured = np.where(upper, true + error, 0)
    return np.where(upper | upper.T, measured + measured.T, np.nan)
