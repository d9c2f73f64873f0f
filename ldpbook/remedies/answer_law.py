"""Distribution of the answer in one cell, given the truth; decoding and the limits are based on it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from ldpbook._arrays import Array, numeric
from ldpbook._validate import integer_domain, listed, positive, probability

__all__ = ["AnswerLaw"]


@dataclass(frozen=True)
class AnswerLaw:
    r"""Distribution of an answer: the truth plus an error, rounded and clipped to the domain.

    A cell holds an answer with probability `density`. Its error is normal with mean 0. There is one kind of
    worker for each standard deviation in `sigmas`, with the corresponding probability in `shares`.

    Parameters
    ----------
    domain : sequence of int
        The answer domain without NULL, consecutive integers.
    sigmas : sequence of float
        Standard deviation of the errors of each kind of worker, each > 0, in answer units.
    shares : sequence of float
        Share of each kind of worker; they sum to 1.
    density : float
        Probability that a cell holds an answer, in [0, 1].

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> law = AnswerLaw(domain=range(3), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.1)
    >>> law.at(1.0).round(4)
    array([0.0384, 0.0231, 0.0384, 0.9   ])
    """

    domain: Sequence[int]
    sigmas: Sequence[float]
    shares: Sequence[float]
    density: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", integer_domain(self.domain))
        sigmas = tuple(positive("sigmas", sigma) for sigma in listed("sigmas", self.sigmas))
        shares = tuple(probability("shares", share) for share in listed("shares", self.shares))
        if len(sigmas) != len(shares) or abs(sum(shares) - 1) > 1e-9:
            raise ValueError(f"shares must sum to 1, one for each of the sigmas, got {self.shares!r:.80}")
        object.__setattr__(self, "sigmas", sigmas)
        object.__setattr__(self, "shares", shares)
        probability("density", self.density)

    @property
    def edges(self) -> Array:
        """Half-integers between neighbouring answers, shape (size - 1,)."""
        return np.array(self.domain[:-1]) + 0.5

    def above(self, distances: ArrayLike) -> Array:
        """Probability that an answer lies above a threshold this far below the truth (the link function)."""
        scaled = numeric("distances", distances)[..., None] / np.asarray(self.sigmas)
        above: Array = norm.cdf(scaled) @ np.asarray(self.shares)
        return above

    def at(self, truths: ArrayLike) -> Array:
        """Probability of each answer, NULL last; shape (..., size + 1) for truths of shape (...)."""
        beyond = self.above(numeric("truths", truths)[..., None] - self.edges)
        return self._cells(beyond, 1.0, 1 - self.density)

    def slope(self, truths: ArrayLike) -> Array:
        """Derivative of `at` with respect to the truth, same shape."""
        distances = numeric("truths", truths)[..., None] - self.edges
        scaled = distances[..., None] / np.asarray(self.sigmas)
        # Clip, as large squares overflow; beyond 39 standard deviations the density is 0 in doubles.
        slopes = norm.pdf(np.clip(scaled, -40, 40)) @ (np.asarray(self.shares) / np.asarray(self.sigmas))
        return self._cells(slopes, 0.0, 0.0)

    def _cells(self, beyond: Array, below_all: float, null: float) -> Array:
        ends = np.ones((*beyond.shape[:-1], 1))
        inside = -np.diff(np.concatenate([below_all * ends, beyond, 0 * ends], axis=-1), axis=-1)
        return np.concatenate([self.density * inside, null * ends], axis=-1)
