"""Noise on a place in proportion to distance: planar Laplace, its lattice, and the best mechanism by a program."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from ldpbook._arrays import Array, Rng, check_positions, generator
from ldpbook._validate import non_negative, positive

__all__ = [
    "LatticeLaplace",
    "PlanarLaplace",
    "best_place_mechanism",
    "remapped",
]


@dataclass(frozen=True)
class PlanarLaplace:
    r"""Add noise of the density :math:`\frac{\epsilon^2}{2\pi}e^{-\epsilon\|z-x\|}` to a place in the plane.

    Two places at distance d are told apart with :math:`\epsilon d` at most, exactly, with delta 0: one report
    of one place. The angle is uniform, and the radius is the sum of two exponential variables.

    Parameters
    ----------
    epsilon : float
        Per unit of distance, > 0.

    Notes
    -----
    Source: Andres et al. (2013).
    Derived in: remedies/location-noise

    Examples
    --------
    >>> noise = PlanarLaplace(epsilon=0.1)
    >>> noise.epsilon_of(distance=10), noise.mean_error
    (1.0, 20.0)
    >>> noise.perturb([[3.0, 4.0]], rng=0).round(1)
    array([[20.7,  8.7]])
    """

    epsilon: float

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)

    @property
    def mean_error(self) -> float:
        """Mean distance of a report from the place."""
        return 2 / self.epsilon

    def epsilon_of(self, *, distance: float) -> float:
        """Exact epsilon for two places.

        Parameters
        ----------
        distance : float
            Between them, >= 0.

        Returns
        -------
        float
            Largest privacy loss.
        """
        return self.epsilon * non_negative("distance", distance)

    def perturb(self, positions: ArrayLike, rng: Rng = None) -> Array:
        """Perturbed places.

        Parameters
        ----------
        positions : array_like, shape (..., 2)
            Places in the plane.
        rng : Generator or int, optional
            Source of randomness, or a seed for one. Fresh entropy by default.

        Returns
        -------
        ndarray, shape (..., 2)
            Reports.
        """
        places = check_positions("positions", positions, 2)
        draws = generator(rng)
        radius = draws.gamma(2, 1 / self.epsilon, places.shape[:-1])
        angle = draws.uniform(0, 2 * np.pi, places.shape[:-1])
        return places + radius[..., None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


@dataclass(frozen=True)
class LatticeLaplace:
    r"""Noise of the law proportional to :math:`e^{-\epsilon\|z-x\|}` on a lattice of squares.

    Two points of the lattice at distance d are told apart with :math:`\epsilon d` at most, exactly: the sum of
    the weights is the same around each of them. A place is moved to its nearest lattice point first, so two
    places anywhere are told apart with :math:`\epsilon(d+\sqrt2\,\mathrm{step})` at most.

    Parameters
    ----------
    epsilon : float
        Per unit of distance, > 0.
    step : float
        Side of a square, > 0, in units of distance.

    Notes
    -----
    Derived in: remedies/location-noise

    Examples
    --------
    >>> LatticeLaplace(epsilon=0.1, step=5.0).perturb([[3.0, 4.0]], rng=0)
    array([[10., 15.]])
    """

    epsilon: float
    step: float

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        positive("step", self.step)

    def perturb(self, positions: ArrayLike, rng: Rng = None) -> Array:
        """Perturbed places, on the lattice.

        Parameters
        ----------
        positions : array_like, shape (n, 2)
            Places in the plane.
        rng : Generator or int, optional
            Source of randomness, or a seed for one. Fresh entropy by default.

        Returns
        -------
        ndarray, shape (n, 2)
            Reports.
        """
        places = check_positions("positions", positions, 2)
        draws, rate = generator(rng), self.epsilon * self.step
        noise = np.zeros(places.shape)
        left = np.arange(len(places))
        while left.size:  # independent of the places: how long it takes tells nothing
            pair = draws.geometric(-np.expm1(-rate / 2**0.5), (2, left.size, 2))
            proposed = pair[0] - pair[1]  # of the law e^{-rate (|a| + |b|) / sqrt 2}
            excess = np.linalg.norm(proposed, axis=1) - np.abs(proposed).sum(axis=1) / 2**0.5
            accepted = draws.random(left.size) < np.exp(-rate * excess)
            noise[left[accepted]] = proposed[accepted]
            left = left[~accepted]
        return self.step * (np.rint(places / self.step) + noise)


def remapped(transition_matrix: ArrayLike, places: ArrayLike, prior: ArrayLike) -> tuple[Array, float]:
    """What a curator who knows where people are takes each report for, and how far off she is on average.

    Parameters
    ----------
    transition_matrix : array_like, shape (n, k)
        Probability of each report (column) at each place (row).
    places : array_like, shape (n, 2)
        Where somebody may be.
    prior : array_like, shape (n,)
        How often somebody is there; sums to 1.

    Returns
    -------
    guess : ndarray, shape (k,)
        Number of the place with the least expected distance, report by report.
    error : float
        Mean distance of the guess from the place.

    Notes
    -----
    Source: Chatzikokolakis et al. (2017).
    Derived in: remedies/location-noise

    Examples
    --------
    >>> guess, error = remapped([[0.6, 0.4], [0.4, 0.6]], [[0, 0], [1, 0]], [0.9, 0.1])
    >>> guess, round(error, 3)
    (array([0, 0]), 0.1)
    """
    points = check_positions("places", places, 2)
    joint = np.asarray(prior, dtype=float)[:, None] * np.asarray(transition_matrix, dtype=float)
    expected = joint.T @ cdist(points, points)
    return expected.argmin(axis=1), float(expected.min(axis=1).sum())


def best_place_mechanism(places: ArrayLike, prior: ArrayLike, *, epsilon: float) -> Array:
    r"""The transition matrix with the least mean distance among all that are private in proportion to distance.

    A linear program: least :math:`\sum_{x,z}\pi_xK_{xz}\|z-x\|` with
    :math:`K_{xz}\le e^{\epsilon\|x-x'\|}K_{x'z}`. n places make :math:`n^2` unknowns and
    :math:`n^2(n-1)` constraints: a second for thirty, ten for fifty.

    Parameters
    ----------
    places : array_like, shape (n, 2)
        Where somebody may be, and what may be reported.
    prior : array_like, shape (n,)
        How often somebody is there; sums to 1.
    epsilon : float
        Per unit of distance, > 0.

    Returns
    -------
    ndarray, shape (n, n)
        Probability of each report (column) at each place (row), to the solver's 1e-7.

    Notes
    -----
    Source: Bordenabe et al. (2014).
    Derived in: remedies/location-noise

    Examples
    --------
    >>> best_place_mechanism([[0, 0], [1, 0]], [0.5, 0.5], epsilon=1.0).round(3)
    array([[0.731, 0.269],
           [0.269, 0.731]])
    """
    positive("epsilon", epsilon)
    points = check_positions("places", places, 2)
    n, apart = len(points), cdist(points, points)
    first, second = np.nonzero(~np.eye(n, dtype=bool))
    unknown = np.arange(n * n).reshape(n, n)
    rows = np.arange(len(first) * n)
    # Divided by the factor, so that no coefficient is large.
    factor = np.repeat(np.exp(-epsilon * apart[first, second]), n)
    at_most = sp.csr_array(
        (
            np.concatenate([factor, -np.ones(rows.size)]),
            (np.tile(rows, 2), np.concatenate([unknown[first].ravel(), unknown[second].ravel()])),
        ),
        (rows.size, n * n),
    )
    found = linprog(
        (np.asarray(prior, dtype=float)[:, None] * apart).ravel(),
        A_ub=at_most,
        b_ub=np.zeros(rows.size),
        A_eq=sp.kron(sp.eye_array(n), np.ones((1, n))),
        b_eq=np.ones(n),
        method="highs-ipm",
    )
    matrix: Array = np.clip(found.x.reshape(n, n), 0, None)
    return matrix / matrix.sum(axis=1, keepdims=True)
