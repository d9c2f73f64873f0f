"""Laplace perturbation (LP): fill the NULL cells, then add noise to every cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from ldpbook._arrays import Array, Rng, generator, numeric, row_blocks
from ldpbook._validate import any_number, integer_domain, listed, positive, probability
from ldpbook.mechanism import AnswerMechanism

__all__ = [
    "LaplacePerturbation",
    "laplace_noise",
]


@dataclass(frozen=True)
class LaplacePerturbation(AnswerMechanism):
    r"""Replace NULL by a value, then add :math:`\mathrm{Lap}(|\Gamma|/\epsilon)`.

    The outputs are real numbers, which may lie outside the domain; no cell is NULL.

    Guarantees epsilon-cell LDP for every pair of neighbours: one answer changed to another,
    to NULL or from NULL. A worker who changes k cells is protected with k epsilon.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one cell, finite and > 0.
    domain : sequence of int
        The answer domain, consecutive integers; answers lie between its ends.
    fill : int or sequence of float, optional
        What replaces NULL: a constant in `domain`; or a random value of the domain, drawn with these
        probabilities, which sum to 1; or, if None, a uniform draw from the domain. It is public, so it may
        not depend on the answers.

    Notes
    -----
    For study: answer and noise are added as doubles. Which sums are possible depends, in their last digits,
    on the answer, so some sums rule an answer out, whatever epsilon is.

    Source: Sun et al. (2018), Equations 6-7 and Theorem 1.
    Derived in: sparse-answers/laplace

    Examples
    --------
    >>> lp = LaplacePerturbation(epsilon=1.0, domain=range(10))
    >>> lp.scale
    10.0
    >>> lp.perturb([[3, float("nan")]], rng=1).round(1)
    array([[ 2.4, 56.6]])
    """

    epsilon: float
    domain: Sequence[int]
    fill: int | Sequence[float] | None = None

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        domain = integer_domain(self.domain)
        object.__setattr__(self, "domain", domain)
        if isinstance(self.fill, int | np.integer):
            if self.fill not in domain:
                raise ValueError(f"fill must be in {domain[0]}..{domain[-1]}, got {self.fill!r}")
        elif self.fill is not None:
            law = tuple(probability("fill", chance) for chance in listed("fill", self.fill))
            if len(law) != len(domain) or abs(sum(law) - 1) > 1e-9:
                raise ValueError(
                    f"fill must be {len(domain)} chances that sum to 1, or an integer, got {self.fill!r:.80}"
                )
            object.__setattr__(self, "fill", law)

    @property
    def fill_law(self) -> Array:
        """Probability with which each value of the domain replaces NULL."""
        if self.fill is None:
            return np.full(len(self.domain), 1 / len(self.domain))
        if isinstance(self.fill, int | np.integer):
            return np.equal(self.domain, self.fill) * 1.0
        return np.array(self.fill)

    @property
    def scale(self) -> float:
        r"""Scale of the noise, :math:`|\Gamma|/\epsilon`, in units of the answers."""
        return len(self.domain) / self.epsilon

    @property
    def exact_epsilon(self) -> float:
        r"""Largest possible privacy loss, :math:`\epsilon(|\Gamma|-1)/|\Gamma|`.

        One answer changes by at most :math:`|\Gamma|-1`, while the scale allows for :math:`|\Gamma|`.
        """
        return (len(self.domain) - 1) / self.scale

    _for_study = "it adds doubles, and which doubles can occur depends on the answer"

    @property
    def _expected(self) -> Mapping[str, Any]:
        return {"domain": self.domain}

    def _perturbed(self, matrix: Array, rng: np.random.Generator) -> Array:
        out = np.empty_like(matrix)
        for rows in row_blocks(matrix):
            block = matrix[rows]
            filled = self._filled(block, rng)
            np.add(filled, laplace_noise(self.scale, block.shape, rng), out=out[rows])
        return out

    def _filled(self, block: Array, rng: np.random.Generator) -> Array:
        """Copy of a block in which each NULL is replaced by a value."""
        filled = block.copy()
        empty = np.flatnonzero(np.isnan(filled))  # indices: random masks defeat branch prediction
        low, high = self.domain[0], self.domain[-1]
        if self.fill is None:
            filled.reshape(-1)[empty] = rng.integers(low, high, len(empty), endpoint=True)
        elif isinstance(self.fill, int | np.integer):
            filled.reshape(-1)[empty] = self.fill
        else:
            filled.reshape(-1)[empty] = rng.choice(self.domain, len(empty), p=self.fill_law)
        return filled

    def log_density(self, output: ArrayLike, answer: float) -> Array:
        """Log density of one cell's output given its answer.

        Parameters
        ----------
        output : array_like
            Perturbed values.
        answer : float
            The cell before perturbation: a value within `domain`, or nan.

        Returns
        -------
        ndarray, shape of `output`
            Natural logarithm of the density; a difference of two of them is the privacy
            loss of that output.
        """
        given = any_number("answer", answer)
        if not (np.isnan(given) or self.domain[0] <= given <= self.domain[-1]):
            raise ValueError(f"answer must lie in {self.domain[0]}..{self.domain[-1]} or be nan, got another")
        centres, shares = (self.domain, self.fill_law) if np.isnan(given) else ([given], [1.0])
        distance = np.abs(numeric("output", output)[..., None] - np.array(centres, dtype=float))
        log_density: Array = logsumexp(-distance / self.scale, axis=-1, b=shares) - np.log(2 * self.scale)
        return log_density


def laplace_noise(scale: float, shape: tuple[int, ...], rng: Rng = None) -> Array:
    """Centred Laplace noise, drawn as a difference of two exponentials.

    This is twice as fast as ``Generator.laplace``, which inverts the distribution function.

    Parameters
    ----------
    scale : float
        Scale b, finite and > 0; the mean distance from 0.
    shape : tuple of int
        Shape of the result.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.

    Returns
    -------
    ndarray of that shape
        Independent draws with density ``exp(-|x| / b) / 2b``.

    Notes
    -----
    Derived in: sparse-answers/laplace

    Examples
    --------
    >>> laplace_noise(1.0, (2,), rng=0).round(3)
    array([0.66 , 1.017])
    """
    rng = generator(rng)
    try:
        noise = rng.standard_exponential(shape)
    except (TypeError, ValueError) as error:
        raise type(error)(f"shape must be that of an array, got {shape!r:.80}: {error}") from None
    noise -= rng.standard_exponential(shape)
    noise *= positive("scale", scale)
    return noise
