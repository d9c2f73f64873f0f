"""Exact privacy loss of finite mechanisms and of Gaussian noise; `audit` bounds others from samples."""

from collections.abc import Callable
from math import exp, inf, log, nextafter, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx

from ldpbook._arrays import Array, numeric
from ldpbook._validate import non_negative, open_probability, positive

__all__ = [
    "discrete_epsilon",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_sigma",
]


_LEAST = 5e-324  # the smallest float above 0

# Gauss-Legendre nodes and weights, moved to [0, 1]: the rule is exact up to rounding for an analytic function
# on an interval that is at least as far from the nearest pole as it is long.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2


def discrete_epsilon(transition_matrix: ArrayLike) -> float:
    """Exact epsilon of a mechanism with finitely many inputs and outputs.

    Parameters
    ----------
    transition_matrix : array_like, shape (inputs, outputs)
        Probability of each output (column) for each input (row); rows sum to 1.

    Returns
    -------
    float
        The largest log ratio within a column; infinite where an output is possible for one
        input and impossible for another.

    Notes
    -----
    Derived in: foundations/local-privacy

    Examples
    --------
    >>> round(discrete_epsilon([[0.75, 0.25], [0.25, 0.75]]), 4)  # ln 3
    1.0986
    """
    matrix = numeric("transition_matrix", transition_matrix)
    if matrix.ndim != 2 or matrix.size == 0 or not ((matrix >= 0) & (matrix < 2)).all():
        raise ValueError(f"transition_matrix must hold probabilities, got shape {matrix.shape}")
    if not np.allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise ValueError(f"transition_matrix must have rows of sum 1, got {matrix.sum(axis=1)}")
    possible = matrix[:, matrix.max(axis=0) > 0]
    with np.errstate(divide="ignore"):
        return float(np.max(np.log(possible.max(axis=0)) - np.log(possible.min(axis=0))))


def gaussian_delta(*, sigma: float, distance: float, epsilon: float) -> float:
    r"""Exact delta of Gaussian noise at a given epsilon.

    .. math::
        \delta(\epsilon) = \Phi\Bigl(\frac d{2\sigma}-\frac{\epsilon\sigma}d\Bigr)
        - e^\epsilon\,\Phi\Bigl(-\frac d{2\sigma}-\frac{\epsilon\sigma}d\Bigr)

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise on each coordinate, > 0.
    distance : float
        Euclidean distance between the two inputs, >= 0, in the same units as `sigma`.
    epsilon : float
        Privacy, finite and >= 0.

    Returns
    -------
    float
        The smallest delta for which the noise is (epsilon, delta)-private, rounded up; 0 only for distance 0.

    Notes
    -----
    Source: Balle and Wang (2018), Theorem 8.
    Derived in: localization/perturbed-particles

    Examples
    --------
    >>> round(gaussian_delta(sigma=1, distance=1, epsilon=0), 4)  # total variation distance
    0.3829
    """
    positive("sigma", sigma)
    if non_negative("distance", distance) == 0:
        return 0.0
    non_negative("epsilon", epsilon)
    return min(1.0, exp(_log_delta(_ratio(distance, sigma), epsilon)) + _LEAST)  # rounded up, never 0


def gaussian_epsilon(*, sigma: float, distance: float, delta: float) -> float:
    """Exact epsilon of Gaussian noise at a given delta, by root finding.

    Parameters
    ----------
    sigma, distance
        As in :func:`gaussian_delta`. R particles that move by d each are at distance d sqrt(R).
    delta : float
        In (0, 1).

    Returns
    -------
    float
        The smallest epsilon, rounded up by at most 1e-12 (1 + epsilon); 0 where even the total variation
        distance is at most delta.

    Notes
    -----
    Source: Balle and Wang (2018), Theorem 8.
    Derived in: localization/perturbed-particles

    Examples
    --------
    >>> round(gaussian_epsilon(sigma=1, distance=1, delta=1e-5), 3)
    4.377
    """
    positive("sigma", sigma)
    open_probability("delta", delta)
    if non_negative("distance", distance) == 0:
        return 0.0
    ratio = _ratio(distance, sigma)
    if _log_delta(ratio, 0.0) <= log(delta):
        return 0.0
    root_rho = ratio / sqrt(2)
    largest = root_rho * (root_rho + 2 * sqrt(-log(delta)))  # valid by concentrated privacy: an upper end
    if largest == inf:
        return inf
    root = _root(lambda e: _log_delta(ratio, e) - log(delta), 0, (1 + 1e-9) * largest + 1e-9)
    return root + 1e-12 * (1 + root)  # by more than the search's own error, so never too small


def gaussian_sigma(*, epsilon: float, distance: float, delta: float) -> float:
    """Smallest Gaussian noise that reaches a given epsilon and delta.

    Parameters
    ----------
    epsilon : float
        Required privacy, finite and > 0.
    distance : float
        Euclidean distance between the two inputs, > 0.
    delta : float
        In (0, 1).

    Returns
    -------
    float
        Standard deviation of the noise on each coordinate, in the same units as `distance`.

    Notes
    -----
    Source: Balle and Wang (2018), Algorithm 1.
    Derived in: localization/perturbed-particles

    Examples
    --------
    >>> round(gaussian_sigma(epsilon=4.377, distance=1, delta=1e-5), 3)
    1.0
    """
    positive("epsilon", epsilon)
    positive("distance", distance)
    open_probability("delta", delta)
    wanted = log(delta)
    high = log(min(sqrt(2 * epsilon) + sqrt(-2 * wanted) + 80, 1e160))  # where delta is 1 up to rounding
    root = _root(lambda u: _log_delta(exp(u), epsilon) - wanted, -745.0, high)
    log_sigma = log(distance) - root
    if log_sigma > 709:
        return inf
    return nextafter(exp(log_sigma) * (1 + 1e-11), inf)  # beyond the search's error: never too little noise


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Point where a function changes its sign, to 1e-13."""
    from scipy.optimize import brentq  # takes half a second, and few need it

    return float(brentq(function, low, high, xtol=1e-13))


def _ratio(distance: float, sigma: float) -> float:
    """Distance over sigma, for distances > 0, as a finite float above 0."""
    return min(max(distance / sigma, _LEAST), 1e300)


def _log_delta(ratio: float, epsilon: float) -> float:
    r"""Logarithm of the exact delta of Gaussian noise, for distance / sigma > 0; rounded up.

    With :math:`x_\pm=\epsilon/r\pm r/2` the two normal probabilities share the factor
    :math:`e^{-x_-^2/2}`, because :math:`x_+^2=x_-^2+2\epsilon`; what is left is the difference of two scaled
    complementary error functions. A small difference is computed as the integral of the derivative.
    """
    shift = min(epsilon / ratio, 1e300)
    rounding = 1e-15 * (shift + ratio)
    near = shift - ratio / 2 - rounding  # rounded down, hence delta up: delta falls as this grows
    if near < -30:  # the first probability is 1 up to rounding, the second term below exp(-450)
        return 0.0
    if near > 1e8:  # the difference is below 1, and a bound suffices
        return max(-near * near / 2, -1e300)
    start, length = near / sqrt(2), ratio / sqrt(2)
    if length < 0.5 * (1 + abs(start)):
        gap = length * float(_slope(start + length * NODES) @ WEIGHTS)
    else:
        gap = float(erfcx(start) - erfcx(start + length))
    return min(0.0, log(max(gap, _LEAST)) - log(2) - near**2 / 2 + 1e-12)


def _slope(t: Array) -> Array:
    """Minus the derivative of erfcx: 2/sqrt(pi) - 2 t erfcx(t).

    Where the two terms nearly cancel, an asymptotic series is used.
    """
    square = np.maximum(t, 20.0) ** 2
    series = (1 - 1.5 / square * (1 - 2.5 / square * (1 - 3.5 / square * (1 - 4.5 / square)))) / square
    with np.errstate(over="ignore"):
        return np.asarray(np.where(t > 20, series / sqrt(pi), 2 / sqrt(pi) - 2 * t * erfcx(t)))
