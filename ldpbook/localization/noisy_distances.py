"""Distances between points that were perturbed: three estimators of the true distance.

Two points in the plane, each with independent Gaussian noise of standard deviation sigma on each
coordinate, are observed at a distance that has a Rice distribution with parameter sqrt(2) sigma. Here
sigma is the privacy noise; measurement noise comes on top of it.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import i0e, i1e

from ldpbook._arrays import Array, numeric
from ldpbook._validate import positive

__all__ = [
    "halved_distance",
    "printed_distance",
    "rice_distance",
]


def printed_distance(observed: ArrayLike, *, sigma: float) -> Array:
    r"""The printed estimator :math:`\sqrt{\|y-y'\|^2-4\sigma^2}`.

    Its square is unbiased for the squared distance, but the estimator is not unbiased for the distance.

    Parameters
    ----------
    observed : array_like
        Distances between perturbed points, finite and >= 0, in metres.
    sigma : float
        Standard deviation of the privacy noise on each coordinate of each point, > 0, in metres.

    Returns
    -------
    ndarray
        Estimates; nan where the number under the root is negative.

    Notes
    -----
    Source: Xiang (2017), slide "Perturbed Private Inference".
    Derived in: localization/noisy-distances

    Examples
    --------
    >>> printed_distance([1.0, 0.1], sigma=0.3).round(3)
    array([0.8, nan])
    """
    r, least = _observed(observed), 2 * positive("sigma", sigma)
    # The square root is taken of factors, as squares may overflow.
    root: Array = np.sqrt(np.where(r < least, np.nan, r - least)) * np.sqrt(r + least)
    return root


def halved_distance(observed: ArrayLike, *, sigma: float) -> Array:
    r"""Half the printed correction, and 0 if negative: :math:`\sqrt{\max(0,\|y-y'\|^2-2\sigma^2)}`.

    Its bias is of the order :math:`\sigma^4/d^3`, where the printed estimator's is
    :math:`-\sigma^2/d`.

    Parameters
    ----------
    observed, sigma
        As in :func:`printed_distance`.

    Returns
    -------
    ndarray
        Estimates, >= 0.

    Notes
    -----
    Derived in: localization/noisy-distances

    Examples
    --------
    >>> halved_distance([1.0, 0.1], sigma=0.3).round(3)
    array([0.906, 0.   ])
    """
    r, least = _observed(observed), 2**0.5 * positive("sigma", sigma)
    root: Array = np.sqrt(np.maximum(r - least, 0)) * np.sqrt(r + least)
    return root


def rice_distance(observed: ArrayLike, *, sigma: float) -> Array:
    r"""Maximum likelihood estimate under the Rice distribution.

    It is the largest solution d of :math:`d = r\,I_1(rd/2\sigma^2)/I_0(rd/2\sigma^2)`: 0 up to
    :math:`r=2\sigma`, exactly where the printed estimator ceases to exist.

    Parameters
    ----------
    observed, sigma
        As in :func:`printed_distance`.

    Returns
    -------
    ndarray
        Estimates, >= 0.

    Notes
    -----
    Derived in: localization/noisy-distances

    Examples
    --------
    >>> rice_distance([1.0, 0.1], sigma=0.3).round(3)
    array([0.892, 0.   ])
    """
    r, least = _observed(observed), 2 * positive("sigma", sigma)
    low, high = np.zeros_like(r), r.copy()
    # The score is positive below the solution and negative above it. Where the argument is cut off, the two
    # Bessel functions are equal in floats, so that cutting it off changes nothing.
    for _ in range(60):
        d = low + (high - low) / 2
        with np.errstate(over="ignore"):
            x = np.minimum(r / least, 1e150) * np.minimum(d / least, 1e150) * 2
        above = r * i1e(x) > d * i0e(x)
        low, high = np.where(above, d, low), np.where(above, high, d)
    return np.where(r > least, low + (high - low) / 2, 0.0)


def _observed(observed: ArrayLike) -> Array:
    values = numeric("observed", observed)
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise ValueError("observed must hold finite distances >= 0")
    return values
