"""Test of whether an unlabelled set can be a mixture of the classes in the training sets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import gamma

from ldpbook._arrays import Array
from ldpbook.class_ratios.intervals import Match

__all__ = [
    "ShiftTest",
    "label_shift_test",
]


@dataclass(frozen=True)
class ShiftTest:
    """Result of a test of label shift.

    Attributes
    ----------
    residual : float
        Squared distance of the set's mean features from the nearest mixture of the classes' mean features.
    expected : float
        Expected residual if the classes are the same in all sets.
    p_value : float
        Probability, in that case, of a residual as large or larger; small values speak against label shift.
    """

    residual: float
    expected: float
    p_value: float


def label_shift_test(sets: Sequence[ArrayLike], proportions: ArrayLike, unlabelled: ArrayLike) -> ShiftTest:
    r"""Residual maximum mean discrepancy of a set from the mixtures of classes, and its p-value.

    This tests whether the classes' densities can be the same in all sets (label shift). The null
    distribution, that of a sum of squares of independent normal variables, is replaced by a gamma
    distribution with the same first three moments. The test cannot see shifts that keep the set's mean
    features a mixture of those of the classes.

    Parameters
    ----------
    sets, proportions, unlabelled
        As for :func:`~ldpbook.class_ratios.intervals.ratio_intervals`, with more features than classes: a
        mixture of c classes always fits c features.

    Returns
    -------
    ShiftTest
        Residual, its mean under label shift, p-value.

    Notes
    -----
    Source: Gretton et al. (2012) for the discrepancy; Imhof (1961) for the gamma distribution.
    Derived in: remedies/honest-ratios

    Examples
    --------
    >>> from ldpbook.class_ratios import random_fourier_features
    >>> rng = np.random.default_rng(0)
    >>> def normal(n_low, n_high, shift=0.0):
    ...     points = np.r_[rng.normal(0, 1, (n_low, 1)), rng.normal(3 + shift, 1, (n_high, 1))]
    ...     return random_fourier_features(points, 1.0, 50, rng=0)
    >>> train, known = [normal(900, 100), normal(100, 900)], [[0.9, 0.1], [0.1, 0.9]]
    >>> round(label_shift_test(train, known, normal(300, 700)).p_value, 2)
    0.15
    >>> label_shift_test(train, known, normal(300, 700, shift=1.0)).p_value < 0.001
    True
    """
    match = Match.of(sets, proportions, unlabelled)
    n_features, n_classes = match.classes.shape
    if n_features <= n_classes:
        raise ValueError(f"sets must have more features than the {n_classes} classes, got {n_features}")
    basis = np.linalg.qr(match.classes)[0]

    def unexplained(x: Array) -> Array:
        return np.asarray(x - (x @ basis) @ basis.T)

    gap = unexplained(match.unlabelled.mean(axis=0))
    parts = [(match.unlabelled, 1.0), *zip(match.sets, match.weights, strict=True)]
    noise: Array = np.zeros((n_features, n_features))
    for x, weight in parts:
        left = unexplained(x - x.mean(axis=0))
        noise += weight**2 / len(x) / (len(x) - 1) * (left.T @ left)
    residual, expected = float(gap @ gap), float(np.trace(noise))
    square = noise @ noise
    p_value = _upper_tail(residual, expected, float(np.trace(square)), float((square * noise).sum()))
    return ShiftTest(residual * match.scale**2, expected * match.scale**2, p_value)


def _upper_tail(value: float, first: float, second: float, third: float) -> float:
    """Upper tail of the sum of l z^2, z normal, given the sums of l, l^2, l^3: three moments are matched."""
    if third < 1e-280:  # nothing is unexplained, up to rounding
        return float(value <= 1e-20)
    shape, scale = second * (second / third) ** 2 / 2, 2 * third / second
    return float(gamma.sf(value - first + shape * scale, shape, scale=scale))
