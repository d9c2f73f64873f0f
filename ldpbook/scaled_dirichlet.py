"""The scaled Dirichlet mechanism: proportions drawn around the counts."""

import functools
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpbook._validate import count, non_negative
from ldpbook.privacy import dirichlet_delta

__all__ = ["ScaledDirichlet"]

_SCALES = np.geomspace(1e-6, 1e3, 181)


@dataclass(frozen=True)
class ScaledDirichlet:
    r"""Draw proportions from :math:`\mathrm{Dir}(\sigma\eta)` around the counts :math:`\eta`.

    :math:`\sigma` is the largest that meets the target (epsilon, delta) for neighbours that move one
    label between two classes. As printed (`least_count` None) it is chosen from the private counts
    themselves, and the guarantee, which takes it as fixed, does **not** cover the choice. With
    `least_count` it is chosen for the worst counts that are all at least that large, from public
    knowledge only: then (epsilon, delta) holds for all neighbours among them.

    Parameters
    ----------
    target_epsilon : float
        Epsilon of one label, finite and >= 0.
    target_delta : float
        Delta of one label, in (0, 1).
    method : {"exact", "chebyshev", "tight"}
        Which delta meets the target, see :func:`ldpbook.privacy.dirichlet_delta`.
    least_count : int, optional
        Public lower bound on all counts, >= 1.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Source: Iyer et al. (2016), Section 3.
    Derived in: class-ratios/label-privacy

    Examples
    --------
    >>> mechanism = ScaledDirichlet(0.05, 0.05, method="tight")
    >>> round(mechanism.scale([50, 50, 50, 50, 800]), 3)
    0.785
    >>> mechanism.perturb([50, 50, 50, 50, 800], rng=0).round(2)
    array([0.05, 0.06, 0.05, 0.06, 0.79])
    """

    target_epsilon: float
    target_delta: float
    method: Literal["exact", "chebyshev", "tight"] = "exact"
    least_count: int | None = None

    def __post_init__(self) -> None:
        non_negative("target_epsilon", self.target_epsilon)
        if not 0 < self.target_delta < 1:
            raise ValueError(f"target_delta must lie in (0, 1), got {self.target_delta!r}")
        if self.least_count is not None:
            count("least_count", self.least_count)
        self._delta([2, 2], 1.0)  # checks the method

    def scale(self, counts: ArrayLike) -> float:
        """The largest sigma that meets the target.

        Parameters
        ----------
        counts : array_like, shape (c,)
            Numbers of labels of each class, integers >= 1.

        Returns
        -------
        float
            Sigma, between 1e-6 and 1000.

        Raises
        ------
        ValueError
            If the counts are out of range, one is below `least_count`, or no sigma meets the target.
        """
        eta = np.asarray(counts, dtype=float)
        self._delta(eta, 1.0)  # checks the counts
        if self.least_count is not None:
            if eta.min() < self.least_count:
                raise ValueError(f"counts must be at least {self.least_count}, got {eta.min():.0f}")
            # The loss varies most where both classes are smallest; the neighbour has the bound itself.
            eta = np.array([self.least_count + 1.0, self.least_count])
        return _largest_scale(self, tuple(np.sort(eta)))

    def perturb(self, counts: ArrayLike, rng: np.random.Generator | int) -> NDArray[np.float64]:
        """Private proportions.

        Parameters
        ----------
        counts : array_like, shape (c,)
            Numbers of labels of each class.
        rng : Generator or int
            Source of randomness, or a seed for one.

        Returns
        -------
        ndarray, shape (c,)
            A point of the simplex.

        Raises
        ------
        ValueError
            As :meth:`scale` does.
        """
        eta = np.asarray(counts, dtype=float)
        return np.random.default_rng(rng).dirichlet(self.scale(eta) * eta)

    def _delta(self, counts: ArrayLike, scale: float) -> float:
        return dirichlet_delta(counts, scale=float(scale), epsilon=self.target_epsilon, method=self.method)


@functools.lru_cache(maxsize=64)
def _largest_scale(mechanism: ScaledDirichlet, counts: tuple[float, ...]) -> float:
    """Searched once for all sets with these counts, in whatever order of the classes."""

    def meets(scale: float) -> bool:
        return mechanism._delta(counts, scale) <= mechanism.target_delta

    allowed = [k for k, scale in enumerate(_SCALES) if meets(scale)]
    if not allowed:
        raise ValueError(
            f"counts must allow a scale with epsilon {mechanism.target_epsilon} and delta"
            f" {mechanism.target_delta}, but the smallest is {min(counts):.0f}: raise epsilon or delta, use"
            " larger sets, or another mechanism"
        )
    if allowed[-1] == len(_SCALES) - 1:
        return float(_SCALES[-1])
    left, right = _SCALES[allowed[-1]], _SCALES[allowed[-1] + 1]
    for _ in range(60):
        middle = (left + right) / 2
        left, right = (middle, right) if meets(middle) else (left, middle)
    return float(left)
