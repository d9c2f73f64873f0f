"""Baselines for private proportions: noisy counts, from which valid proportions are made.

Each guarantee holds for all counts, 0 among them, for neighbours that move one label between two classes:
counts change by 2 in the L1 norm and by the square root of 2 in the Euclidean one. The size of the set and
the list of its classes are public, and its holder sees the labels (the central model). The guaranteed delta
is that of the noisy counts; the release, which is computed from them, may reveal less.
"""

import functools
import os
from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, inf, log, nextafter, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import lambertw

from ldpbook._arrays import Array, check_counts
from ldpbook._coins import two_sided_geometric
from ldpbook._dyadic import Entropy
from ldpbook._exact import NoiseTable
from ldpbook._validate import below_one, one_of, open_probability, positive
from ldpbook.class_ratios._count_mechanism import CountMechanism
from ldpbook.class_ratios.bounds import laplace_counts_delta
from ldpbook.class_ratios.proportions import project_to_simplex
from ldpbook.foundations.local_privacy import gaussian_delta, gaussian_epsilon, gaussian_sigma

__all__ = [
    "GaussianCounts",
    "GeometricCounts",
    "LaplaceCounts",
    "LaplacePrior",
]

_LEAST = 1e-300  # least epsilon, and least delta of Gaussian noise: below, no float holds the noise


@dataclass(frozen=True)
class LaplaceCounts(CountMechanism):
    """Smallest private Laplace noise on each count, then the nearest point of the simplex.

    The scale of the noise is 2/epsilon with delta 0, as printed, and smaller if a delta is allowed. The unit
    is a label: neighbours differ by one label, moved from one class to another.

    Parameters
    ----------
    epsilon : float
        Epsilon of one label, finite and at least 1e-300.
    delta : float
        Delta of one label, in [0, 1).

    Notes
    -----
    For study: noise and counts are added as doubles, and the shares computed from them keep digits that a
    neighbour's counts may be unable to produce; :class:`GeometricCounts` adds whole numbers.

    Source: Iyer et al. (2016), Section 4.1, "Laplace".
    Derived in: class-ratios/fair-comparison

    Examples
    --------
    >>> LaplaceCounts(1.0).perturb([50, 150], rng=0).round(3)
    array([0.255, 0.745])
    >>> LaplaceCounts(0.05).scale, round(LaplaceCounts(0.05, 0.05).scale, 2)
    (40.0, 7.99)
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        _check_epsilon(self.epsilon)
        below_one("delta", self.delta)

    @property
    def scale(self) -> float:
        """Scale of the Laplace noise on each count, in labels."""
        return _laplace_scale(self.epsilon, self.delta)

    @property
    def exact_epsilon(self) -> float:
        """Smallest epsilon of the noisy counts at `delta`: `epsilon` itself, as the noise is the smallest."""
        return float(self.epsilon)

    def _perturbed(self, counts: Array, rng: np.random.Generator) -> Array:
        return _released(counts, rng.laplace(0, self.scale, counts.shape))


@dataclass(frozen=True)
class GaussianCounts(CountMechanism):
    r"""Gaussian noise on each count, then the nearest point of the simplex.

    The unit is a label: neighbours differ by one label, moved from one class to another.

    Parameters
    ----------
    epsilon : float
        Epsilon of one label, finite and at least 1e-300.
    delta : float
        Delta of one label, in [1e-300, 1).
    calibration : {"exact", "classical"}
        "exact": the smallest noise that is private, rounded up. "classical":
        :math:`\sqrt{2\ln(1.25/\delta)}\,\sqrt2/\epsilon`, proved for epsilon < 1; above, it is refused where
        its own delta exceeds the promised one.

    Notes
    -----
    For study: delta is that of real-valued normal noise. The noise added to the counts is a double, and
    nothing bounds by delta the probability that its last digits give a count away.

    Source: Iyer et al. (2016), Section 4.1, "Gaussian"; Balle and Wang (2018).
    Derived in: class-ratios/fair-comparison

    Examples
    --------
    >>> round(GaussianCounts(0.05, 0.05).sigma, 2)
    7.94
    >>> classical = GaussianCounts(0.05, 0.05, calibration="classical")
    >>> round(classical.sigma, 2), classical.exact_epsilon
    (71.76, 0.0)
    """

    epsilon: float
    delta: float
    calibration: Literal["exact", "classical"] = "exact"

    def __post_init__(self) -> None:
        _check_epsilon(self.epsilon)
        if open_probability("delta", self.delta) < _LEAST:
            raise ValueError(f"delta must lie in [{_LEAST}, 1), got {self.delta!r}")
        one_of("calibration", self.calibration, ("exact", "classical"))
        if self.calibration == "classical":
            spent = gaussian_delta(sigma=self.sigma, distance=sqrt(2), epsilon=self.epsilon)
            if spent > self.delta:
                raise ValueError(
                    "calibration must be exact where the classical noise is not private: at epsilon"
                    f" {self.epsilon} its delta is {spent:.3g}, got delta {self.delta}"
                )

    @property
    def sigma(self) -> float:
        """Standard deviation of the Gaussian noise on each count, in labels."""
        if self.calibration == "exact":
            return gaussian_sigma(epsilon=self.epsilon, distance=sqrt(2), delta=self.delta)
        return sqrt(2) * sqrt(2 * log(1.25 / self.delta)) / self.epsilon

    @property
    def exact_epsilon(self) -> float:
        """Smallest epsilon of the noisy counts at `delta`; below `epsilon` for the classical noise."""
        least = gaussian_epsilon(sigma=self.sigma, distance=sqrt(2), delta=self.delta)
        return min(least, float(self.epsilon))

    def _perturbed(self, counts: Array, rng: np.random.Generator) -> Array:
        return _released(counts, self.sigma * rng.standard_normal(counts.shape))


@dataclass(frozen=True)
class GeometricCounts(CountMechanism):
    r"""Two-sided geometric noise on each count, whole numbers only, then the nearest point of the simplex.

    The unit is a label: neighbours differ by one label, moved from one class to another, so that two counts
    differ by 1. The noise is k with a probability proportional to :math:`e^{-\epsilon|k|/2}`. It is drawn
    from random bits with whole numbers, so no rounding of floats reveals the counts; the time that the draw
    takes still may.

    Parameters
    ----------
    epsilon : float
        Epsilon of one label, finite and at least 1e-300; delta is 0.

    Notes
    -----
    Fit for release, of at most 2^16 labels: counts and noise are whole numbers, the noise is looked up in a
    table by words of the operating system's entropy, and counts are cut at 0 and at the number of all labels,
    which is public. With `rng` it is for study, drawn from numpy's generator by a loop that tends to run
    longer for larger noise, so that its running time reveals something about the noise.

    Source: Ghosh, Roughgarden and Sundararajan (2012); drawn as in Canonne, Kamath and Steinke (2020).
    Derived in: remedies/honest-ratios

    Examples
    --------
    >>> GeometricCounts(1.0).perturb([50, 150], rng=0)
    array([0.24, 0.76])
    >>> round(GeometricCounts(1.0).variance, 3), 2 * LaplaceCounts(1.0).scale ** 2
    (7.835, 8.0)
    """

    epsilon: float

    def __post_init__(self) -> None:
        _check_epsilon(self.epsilon)

    @property
    def variance(self) -> float:
        """Variance of the noise on each count, in squared labels."""
        lost = -expm1(-self.epsilon / 2)
        return 2 * exp(-self.epsilon / 2) / lost / lost  # infinite where it is above the largest float

    @property
    def exact_epsilon(self) -> float:
        """Smallest epsilon of the noisy counts: `epsilon` itself, attained if one is low and another high."""
        return float(self.epsilon)

    def noisy_counts(self, counts: ArrayLike, *, entropy: Entropy = os.urandom) -> NDArray[np.int64]:
        """Noisy counts, drawn for release; `perturb` turns such counts into proportions.

        Parameters
        ----------
        counts : array_like, shape (c,)
            Number of labels of each class, from a public list of two or more classes; integers >= 0.
        entropy : callable
            As for `perturb`.

        Returns
        -------
        ndarray of int, shape (c,)
            Counts from 0 to the number of all labels, to which they need not add up.
        """
        eta = check_counts(counts, 0)
        return NoiseTable.of(self.epsilon, int(eta.sum())).add(eta, entropy)

    def exact_ratio(self, n_labels: int) -> Fraction:
        """Largest ratio of the probabilities of noisy counts under two neighbours, as drawn for release.

        Parameters
        ----------
        n_labels : int
            Public number of labels of the set, 2 to 2^16.

        Returns
        -------
        Fraction
            At most e^epsilon.
        """
        return NoiseTable.of(self.epsilon, n_labels).ratio

    def _released(self, counts: Array, entropy: Entropy) -> Array:
        return project_to_simplex(self.noisy_counts(counts, entropy=entropy) / counts.sum())

    def _perturbed(self, counts: Array, rng: np.random.Generator) -> Array:
        rate = Fraction(float(self.epsilon)) / 2
        return _released(counts, np.array([float(two_sided_geometric(rate, rng)) for _ in counts]))


@dataclass(frozen=True)
class LaplacePrior(LaplaceCounts):
    """Proportions drawn from a Dirichlet distribution around counts with Laplace noise.

    As private as :class:`LaplaceCounts`, for the same neighbours, which differ by one label, because the draw
    depends on the noisy counts only. Those below 1/2 are set to 1/2, as a Dirichlet distribution needs
    positive parameters.

    Parameters
    ----------
    epsilon : float
        Epsilon of one label, finite and at least 1e-300.
    delta : float
        Delta of one label, in [0, 1).

    Notes
    -----
    For study: it adds doubles to counts and draws doubles around the sums; the second draw blurs the digits
    of the first, but nothing is proved about what it lets through.

    Source: Iyer et al. (2016), Section 4.1, "Laplace Prior".
    Derived in: class-ratios/fair-comparison

    Examples
    --------
    >>> LaplacePrior(1.0).perturb([50, 150], rng=0).round(3)
    array([0.279, 0.721])
    """

    def _perturbed(self, counts: Array, rng: np.random.Generator) -> Array:
        noisy = counts + rng.laplace(0, self.scale, counts.shape)
        return rng.dirichlet(np.maximum(noisy, 0.5))


def _check_epsilon(epsilon: float) -> None:
    if positive("epsilon", epsilon) < _LEAST:
        raise ValueError(f"epsilon must be a finite number >= {_LEAST}, got {epsilon!r}")


def _released(counts: Array, noise: Array) -> Array:
    return project_to_simplex((counts + noise) / counts.sum())


@functools.lru_cache(maxsize=64)
def _laplace_scale(epsilon: float, delta: float) -> float:
    """Smallest scale that is (epsilon, delta)-private: laplace_counts_delta solved for it, rounded up."""
    lacking = 0.0
    if delta > 0:
        lacking = -2 - lambertw(-2 * (1 - delta) * exp(-2), -1).real
    scale = float(1 / (max(0.0, lacking * (1 - 1e-9) - 1e-14) + epsilon / 2))
    while laplace_counts_delta(scale=scale, epsilon=epsilon) > delta:
        scale = nextafter(scale, inf)
    return scale
