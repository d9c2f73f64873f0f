"""Places fit for release: planar Laplace noise on a lattice, drawn exactly from whole numbers."""

import os
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO
from math import isqrt

import numpy as np
from numpy.typing import ArrayLike

from ldpbook._arrays import Array
from ldpbook.class_ratios.noisy_counts import ByteSource, survives, two_sided_geometric
from ldpbook.localization.planar_laplace import LatticeLaplace
from ldpbook.practice.dyadic import Entropy, random_bytes, unquoted

__all__ = ["PlaceRelease"]


@dataclass(frozen=True)
class PlaceRelease:
    r"""Lattice noise on places, as it is fit for release: what `for_release` makes of `LatticeLaplace`.

    The unit is one report of one place; neighbours are any two places. The noise is drawn with probabilities
    proportional to :math:`e^{-\epsilon\,\mathrm{step}\,\|z\|}`, z a pair of whole numbers, exactly: no
    probability is rounded and no tail is cut. So two points of the lattice d apart have a loss of at most
    :math:`\epsilon d` with delta 0, however large d is. A place is moved to its nearest lattice point
    first, which `epsilon_of` counts.

    Parameters
    ----------
    mechanism : LatticeLaplace
        Epsilon and step, each taken as the double that it is.

    Notes
    -----
    The noise is drawn without a look at the places, and by rejection: the time it takes depends on the noise
    and not on the places. So send a report at a fixed time, not as soon as it is drawn.

    Derived in: remedies/location-noise

    Examples
    --------
    >>> release = PlaceRelease(LatticeLaplace(epsilon=0.1, step=1.0))
    >>> round(release.epsilon_of(distance=300), 4)
    30.1414
    >>> release.perturb([[3.2, 4.0]], entropy=np.random.default_rng(1).bytes)  # fixed: a page
    array([[ 28., -11.]])
    """

    mechanism: LatticeLaplace

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, LatticeLaplace):
            raise TypeError(f"mechanism must be LatticeLaplace, got {type(self.mechanism).__name__}")

    def epsilon_of(self, *, distance: float) -> float:
        """Epsilon for any two places, at delta 0: what moving them to the lattice may add is in it.

        Parameters
        ----------
        distance : float
            Between them, >= 0.

        Returns
        -------
        float
            Upper bound of the privacy loss.
        """
        return self.mechanism.epsilon_of(distance=distance)

    def perturb(self, positions: ArrayLike, *, entropy: Entropy = os.urandom) -> Array:
        """Perturbed places, on the lattice.

        Parameters
        ----------
        positions : array_like, shape (n, 2)
            Places in the plane, at most 2^36 steps from 0.
        entropy : callable
            Gives that many random bytes when called with a number: `os.urandom` by default, and the only
            right choice where places are to be private.

        Returns
        -------
        ndarray, shape (n, 2)
            Reports.
        """
        try:
            nearest = self.mechanism.nearest_points(positions)
        except (TypeError, ValueError) as error:
            raise unquoted("", error, positions) from None
        epsilon, step = float(self.mechanism.epsilon), float(self.mechanism.step)
        rate, source = Fraction(epsilon) * Fraction(step), _Source(entropy)
        noise = [lattice_noise(rate, source) for _ in nearest]
        # Sums of whole numbers: what rounds the coordinate of a report afterwards sees the report only.
        whole = nearest.astype(np.int64).astype(object) + np.array(noise, dtype=object)
        reports: Array = step * whole.astype(float)
        return reports


class _Source:
    """Bytes of entropy, fetched by the block, as most steps of a draw take one or a few."""

    def __init__(self, entropy: Entropy) -> None:
        self.entropy, self.fetched = entropy, BytesIO()

    def bytes(self, length: int, /) -> bytes:
        found = self.fetched.read(length)
        if len(found) < length:
            self.fetched = BytesIO(random_bytes(self.entropy, max(length, 4096)))
            found += self.fetched.read(length - len(found))
        return found


def lattice_noise(rate: Fraction, source: ByteSource) -> tuple[int, int]:
    """Whole numbers a and b with probability proportional to exp(-rate sqrt(a^2 + b^2)), from random bits."""
    slope = rate * Fraction(70, 99)  # below rate / sqrt 2, as 99/70 is a little above the root of 2
    while True:
        a, b = two_sided_geometric(slope, source), two_sided_geometric(slope, source)
        if survives_root(rate, a * a + b * b, slope * (abs(a) + abs(b)), source):
            return a, b


def survives_root(rate: Fraction, square: int, less: Fraction, source: ByteSource) -> bool:
    """True with probability exp(-x), for x = rate sqrt(square) - less >= 0, which may be irrational."""
    denominator = rate.denominator * less.denominator
    root, minus = square * (rate.numerator * less.denominator) ** 2, less.numerator * rate.denominator

    def digits(n: int) -> int:
        """The whole part of 2^n x, exactly, as x = (sqrt(root) - minus) / denominator in whole numbers."""
        return (isqrt(root << 2 * n) - (minus << n)) // denominator

    whole = digits(0)
    if not all(survives(1, 1, source) for _ in range(whole)):
        return False

    def uniform_below_rest_over(k: int) -> bool:
        """Whether k times a uniform number is below x - whole: as many of its bits as it takes."""
        n, u = 0, 0
        while True:
            n, u = n + 64, u << 64 | int.from_bytes(source.bytes(8), "big")
            rest = digits(n) - (whole << n)
            if k * (u + 1) <= rest:
                return True
            if k * u > rest:
                return False

    k = 1
    while uniform_below_rest_over(k):
        k += 1
    return k % 2 == 1
