"""Noise on a place, with a loss in proportion to distance: planar Laplace, lattice, best mechanism."""

import os
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from ldpbook._arrays import Array, Rng, check_positions, generator, numeric, study_source
from ldpbook._coins import EntropySource, lattice_noise
from ldpbook._dyadic import Entropy, for_release
from ldpbook._validate import non_negative, positive

__all__ = [
    "LatticeLaplace",
    "PlanarLaplace",
    "best_place_mechanism",
    "remapped",
]


@dataclass(frozen=True)
class PlanarLaplace:
    r"""Add noise with density :math:`\frac{\epsilon^2}{2\pi}e^{-\epsilon\|z-x\|}` to a place in the plane.

    The unit is one report of one place; neighbours are any two places, and at distance d the largest loss is
    exactly :math:`\epsilon d`, at delta 0. The angle is uniform, and the radius is the sum of two exponential
    variables, each of which is minus the logarithm of a uniform one. Floats leave holes between the possible
    reports: round the reports to a step far above a float's spacing.

    Parameters
    ----------
    epsilon : float
        Epsilon per unit of distance, between 1e-300 and 1e300.

    Notes
    -----
    For study: radius, angle and sum are rounded to doubles, and the possible reports lie differently around
    each place; :class:`LatticeLaplace`, drawn for release, has the same possible reports for all.

    Source: Andres et al. (2013).
    Derived in: remedies/location-noise

    Examples
    --------
    >>> noise = PlanarLaplace(epsilon=0.1)
    >>> noise.epsilon_of(distance=10), noise.mean_error
    (1.0, 20.0)
    >>> noise.perturb([[3.0, 4.0]], rng=0).round(1)
    array([[15.8,  7.4]])
    """

    epsilon: float

    def __post_init__(self) -> None:
        if not 1e-300 <= positive("epsilon", self.epsilon) <= 1e300:
            raise ValueError(f"epsilon must lie between 1e-300 and 1e300, got {self.epsilon}")

    @property
    def mean_error(self) -> float:
        """Mean distance of a report from the place."""
        return 2 / float(self.epsilon)

    def epsilon_of(self, *, distance: float) -> float:
        """Exact epsilon for two places.

        Parameters
        ----------
        distance : float
            Distance between them, >= 0.

        Returns
        -------
        float
            Largest privacy loss.
        """
        return float(self.epsilon) * non_negative("distance", distance)

    def perturb(self, positions: ArrayLike, rng: Rng = None) -> Array:
        """Perturbed places.

        Parameters
        ----------
        positions : array_like, shape (n, 2)
            Places in the plane.
        rng : Generator or int
            Source of randomness, or a seed for one: for study.

        Returns
        -------
        ndarray, shape (n, 2)
            Reports.
        """
        places = check_positions("positions", positions, 2)
        draws = study_source(self, rng, "it adds doubles, and which can occur depends on the place")
        # The noise is drawn by inversion, so that a report is a function of three uniform draws. Rejection
        # samplers do not offer that.
        radius = -np.log1p(-draws.random((2, len(places)))).sum(axis=0) / float(self.epsilon)
        angle = draws.uniform(0, 2 * np.pi, len(places))
        noise: Array = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        return places + noise


@dataclass(frozen=True)
class LatticeLaplace:
    r"""Noise with probabilities proportional to :math:`e^{-\epsilon\|z-x\|}` on a lattice of squares.

    The unit is one report of one place; neighbours are any two places. A place is first moved to its nearest
    lattice point. For any two places at distance d the loss is at most
    :math:`\epsilon(d+\sqrt2\,\mathrm{step})`, and for two points of the lattice at most :math:`\epsilon d`,
    because the sum of the weights is the same around each of them.

    Parameters
    ----------
    epsilon : float
        Epsilon per unit of distance, > 0.
    step : float
        Side of a square, between 1e-200 and 1e200 units of distance; times epsilon between 1e-9 and 1e9.

    Notes
    -----
    Fit for release: noise is drawn from whole numbers and the operating system's entropy with exactly these
    probabilities, so that delta is 0 at every distance. With `rng` it is drawn for study from numpy's
    generator, with probabilities that are rounded doubles and a tail that is cut, so that nothing is proved
    where epsilon times distance is 35 or more.

    Derived in: remedies/location-noise

    Examples
    --------
    >>> LatticeLaplace(epsilon=0.1, step=5.0).perturb([[3.0, 4.0]], rng=0)
    array([[10., 15.]])
    >>> noise = LatticeLaplace(epsilon=0.1, step=5.0)
    >>> round(noise.epsilon_of(distance=20), 3), noise.lattice_epsilon_of(distance=20)
    (2.707, 2.0)
    """

    epsilon: float
    step: float

    def __post_init__(self) -> None:
        if not 1e-200 <= positive("step", self.step) <= 1e200:
            raise ValueError(f"step must lie between 1e-200 and 1e200, got {self.step}")
        rate = positive("epsilon", self.epsilon) * self.step
        if not 1e-9 <= rate <= 1e9:
            raise ValueError(f"epsilon times step must lie between 1e-9 and 1e9, got {rate}")

    def epsilon_of(self, *, distance: float) -> float:
        """Epsilon for any two places, including what moving them to the lattice may add.

        Parameters
        ----------
        distance : float
            Distance between them, >= 0.

        Returns
        -------
        float
            Upper bound of the privacy loss. For one and the same place, at distance 0, the loss is 0.
        """
        # Places / step, at most 2^36, is rounded by at most 2^-17, so places may move by that much more.
        moved = Fraction(2**0.5) * Fraction(float(self.step)) * (1 + Fraction(1, 2**16))  # 2**0.5 > root of 2
        apart = Fraction(non_negative("distance", distance)) + moved
        return _rounded_up(Fraction(float(self.epsilon)) * apart)

    def lattice_epsilon_of(self, *, distance: float) -> float:
        """Exact epsilon for two points of the lattice; it does not hold for other places.

        Parameters
        ----------
        distance : float
            Distance between them, >= 0.

        Returns
        -------
        float
            Largest privacy loss.
        """
        return float(self.epsilon) * non_negative("distance", distance)

    def nearest_points(self, positions: ArrayLike) -> Array:
        """The nearest point of the lattice to each place, counted in steps.

        Parameters
        ----------
        positions : array_like, shape (n, 2)
            Places in the plane, at most 2^36 steps from 0.

        Returns
        -------
        ndarray, shape (n, 2)
            Whole numbers.
        """
        places = check_positions("positions", positions, 2)
        if not (np.abs(places) <= 2**36 * float(self.step)).all():
            raise ValueError(f"positions must be at most 2^36 steps of {self.step} from 0")
        nearest: Array = np.rint(places / float(self.step))
        return nearest

    def perturb(self, positions: ArrayLike, rng: Rng = None, *, entropy: Entropy = os.urandom) -> Array:
        """Perturbed places, on the lattice: without `rng` for release, with `rng` for study.

        For release the noise is drawn independently of the places, and by rejection, so the time it takes
        depends on the noise and not on the places. Send a report at a fixed time, not as soon as it is drawn.

        Parameters
        ----------
        positions : array_like, shape (n, 2)
            Places in the plane, at most 2^36 steps from 0.
        rng : Generator or int, optional
            Source of randomness for study, or a seed for one.
        entropy : callable
            For release: a function that returns n random bytes when called with n. `os.urandom` is the only
            right choice where places are to be private; fixed bytes are for tests and pages.

        Returns
        -------
        ndarray, shape (n, 2)
            Reports.
        """
        nearest = self.nearest_points(positions)
        if for_release(rng, entropy):
            exact, source = Fraction(float(self.epsilon)) * Fraction(float(self.step)), EntropySource(entropy)
            # The reports are sums of whole numbers, so later rounding of one depends only on the report.
            drawn = np.array([lattice_noise(exact, source) for _ in nearest], dtype=object)
            whole = nearest.astype(np.int64).astype(object) + drawn
            reports: Array = float(self.step) * whole.astype(float)
            return reports
        draws, rate = generator(rng), float(self.epsilon) * float(self.step)
        noise = np.zeros(nearest.shape)
        left = np.arange(len(nearest))
        while left.size:
            pair = draws.geometric(-np.expm1(-rate / 2**0.5), (2, left.size, 2))
            proposed = pair[0] - pair[1]  # with probabilities in proportion to e^{-rate (|a| + |b|) / sqrt 2}
            excess = np.linalg.norm(proposed, axis=1) - np.abs(proposed).sum(axis=1) / 2**0.5
            accepted = draws.random(left.size) < np.exp(-rate * excess)
            noise[left[accepted]] = proposed[accepted]
            left = left[~accepted]
        return float(self.step) * (nearest + noise)


def _rounded_up(exact: Fraction) -> float:
    """Smallest float that is not below a fraction; infinite if there is none."""
    try:
        nearest = float(exact)
    except OverflowError:
        return inf
    return nearest if nearest >= exact else nextafter(nearest, inf)


def _check_law(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Probabilities in an array of that shape (-1: any length) whose last axis sums to 1."""
    law = numeric(name, values)
    fits = law.ndim == len(shape) and all(b in (-1, a) for a, b in zip(law.shape, shape, strict=True))
    if (
        not fits
        or not ((law >= 0) & (law < 2)).all()
        or not np.allclose(law.sum(axis=-1), 1, rtol=0, atol=1e-6)
    ):
        raise ValueError(f"{name} must be probabilities of shape {shape} that sum to 1, got {values!r:.80}")
    return law


def _apart(places: ArrayLike) -> tuple[Array, Array]:
    """Places, and their distances from each other."""
    points = check_positions("places", places, 2)
    if len(points) > 2**14:
        raise ValueError(f"places must be at most 2^14, got {len(points)}")
    with np.errstate(over="ignore"):
        apart: Array = cdist(points, points)
    if not np.isfinite(apart).all():
        raise ValueError("places must have finite distances")
    return points, apart


def remapped(transition_matrix: ArrayLike, places: ArrayLike, prior: ArrayLike) -> tuple[Array, float]:
    """Best guess for each report by a curator that knows the prior, and the mean error of these guesses.

    Parameters
    ----------
    transition_matrix : array_like, shape (n, k)
        Probability of each report (column) at each place (row).
    places : array_like, shape (n, 2)
        Possible places.
    prior : array_like, shape (n,)
        Prior probability of each place; sums to 1.

    Returns
    -------
    guess : ndarray, shape (k,)
        Number of the place with the smallest expected distance, report by report.
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
    points, apart = _apart(places)
    chance = _check_law("prior", prior, (len(points),))
    joint = chance[:, None] * _check_law("transition_matrix", transition_matrix, (len(points), -1))
    expected = joint.T @ apart
    return expected.argmin(axis=1), float(expected.min(axis=1).sum())


def best_place_mechanism(places: ArrayLike, prior: ArrayLike, *, epsilon: float) -> Array:
    r"""Transition matrix of smallest mean distance among those with a loss in proportion to distance.

    It solves a linear program: minimize :math:`\sum_{x,z}\pi_xK_{xz}\|z-x\|` subject to
    :math:`K_{xz}\le e^{\epsilon\|x-x'\|}K_{x'z}`. n places make :math:`n^2` unknowns and at most
    :math:`n^2(n-1)` constraints: thirty places take a second, fifty take ten. Violations that the solver
    leaves are removed by a small share of uniform reports, so the guarantee holds. The smaller epsilon times
    the smallest distance is, the more this costs; a share above a thousandth, which could cost a thousandth
    of the largest distance, is refused.

    Parameters
    ----------
    places : array_like, shape (n, 2)
        Possible places, which are also the possible reports; at most 64, all different.
    prior : array_like, shape (n,)
        Prior probability of each place; sums to 1.
    epsilon : float
        Epsilon per unit of distance, > 0.

    Returns
    -------
    ndarray, shape (n, n)
        Probability of each report (column) at each place (row).

    Raises
    ------
    ValueError
        If an argument is out of range, or epsilon times the smallest distance is too small for the solver.

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
    rate = positive("epsilon", epsilon)
    points, apart = _apart(places)
    n = len(points)
    if n > 64 or np.count_nonzero(apart) < n * (n - 1):
        raise ValueError(f"places must be at most 64, no two at distance 0, got {n}: {places!r:.80}")
    chance = _check_law("prior", prior, (n,))
    if n == 1:
        return np.ones((1, 1))
    # A constraint follows from those on two shorter distances if a third place lies on the line between.
    out, back, whole = apart[:, None], apart[None], apart[:, :, None]  # from x to y to x' at [x, x', y]
    implied = (out + back <= (1 + 1e-12) * whole) & (out < whole) & (back < whole)
    first, second = np.nonzero(~np.eye(n, dtype=bool) & ~implied.any(axis=2))
    unknown = np.arange(n * n).reshape(n, n)
    rows = np.arange(len(first) * n)
    with np.errstate(over="ignore", under="ignore"):
        factor = np.exp(-rate * apart)  # constraints are multiplied by it, so that no coefficient is large
        nearest = -np.expm1(-rate * apart[first, second].min())
    at_most = sp.csr_array(
        (
            np.concatenate([np.repeat(factor[first, second], n), -np.ones(rows.size)]),
            (np.tile(rows, 2), np.concatenate([unknown[first].ravel(), unknown[second].ravel()])),
        ),
        (rows.size, n * n),
    )
    found = linprog(  # type: ignore[call-overload]
        (chance[:, None] * (apart / apart.max())).ravel(),
        A_ub=at_most,
        b_ub=np.zeros(rows.size),
        A_eq=sp.kron(sp.eye_array(n), np.ones((1, n))),
        b_eq=np.ones(n),
        method="highs-ipm",
    )
    if found.x is None:
        raise ValueError(f"places, prior and epsilon must make a program that can be solved: {found.message}")
    matrix: Array = np.clip(found.x.reshape(n, n), 0, None)
    matrix /= matrix.sum(axis=1, keepdims=True)
    # Uniform reports leave room of (1 - e^(-epsilon d)) / n in each inequality, so a share of them is enough.
    excess = n * ((factor[:, :, None] * matrix[:, None] - matrix[None]).max() + 1e-15)
    share = excess / (nearest + excess)
    if share > 1e-3:
        least = apart[first, second].min()
        raise ValueError(
            f"epsilon must be larger for places {least} apart, got {rate}: removing the solver's violations"
            " of the constraints would cost too much"
        )
    mixed: Array = (1 - share) * matrix + share / n
    return mixed
