"""Laplace perturbation (LP): fill the NULL cells, then add noise to every cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from ldpbook._arrays import Array, Rng, generator, numeric, row_blocks
from ldpbook._crowd import Answers, Form, read_matrix
from ldpbook._validate import any_number, integer_domain, positive
from ldpbook.mechanism import AnswerMechanism

__all__ = [
    "LaplacePerturbation",
    "laplace_noise",
]


@dataclass(frozen=True)
class LaplacePerturbation(AnswerMechanism):
    r"""Put a value in the place of NULL, then add :math:`\mathrm{Lap}(|\Gamma|/\epsilon)`.

    What comes out are real numbers, outside the domain too; no cell is NULL.

    Guarantees epsilon-cell LDP for every pair of neighbours: one answer changed to another,
    to NULL or from NULL. A worker who changes k cells is protected with k epsilon.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one cell, finite and > 0.
    domain : sequence of int
        The answer domain, consecutive integers; answers lie between its ends.
    fill : int, optional
        The constant that replaces NULL, in `domain`; a uniform draw from it if None.

    Notes
    -----
    For study: answer and noise are added as doubles, whose last digits differ from answer to answer, so that
    some sums rule an answer out, whatever epsilon is.

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
    fill: int | None = None

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        domain = integer_domain(self.domain)
        if self.fill is not None and not isinstance(self.fill, Integral):
            raise TypeError(f"fill must be an integer, got {self.fill!r} of type {type(self.fill).__name__}")
        if self.fill is not None and self.fill not in domain:
            raise ValueError(f"fill must be in {domain[0]}..{domain[-1]}, got {self.fill!r}")
        object.__setattr__(self, "domain", domain)

    @property
    def scale(self) -> float:
        r"""Scale of the noise, :math:`|\Gamma|/\epsilon`, in units of the answers."""
        return len(self.domain) / self.epsilon

    @property
    def exact_epsilon(self) -> float:
        r"""The largest privacy loss there is, :math:`\epsilon(|\Gamma|-1)/|\Gamma|`.

        One answer moves by at most :math:`|\Gamma|-1`, less than the scale provides for.
        """
        return (len(self.domain) - 1) / self.scale

    def _read(self, answers: Answers) -> tuple[Array, Form]:
        return read_matrix(answers, domain=self.domain)

    def _perturbed(self, matrix: Array, rng: np.random.Generator) -> Array:
        out = np.empty_like(matrix)
        for rows in row_blocks(matrix):
            block = matrix[rows]
            filled = self._filled(block, rng)
            np.add(filled, laplace_noise(self.scale, block.shape, rng), out=out[rows])
        return out

    def _filled(self, block: Array, rng: np.random.Generator) -> Array:
        """A copy with a value in the place of each NULL."""
        filled = block.copy()
        empty = np.flatnonzero(np.isnan(filled))  # indices: random masks defeat branch prediction
        low, high = self.domain[0], self.domain[-1]
        fills = rng.integers(low, high, len(empty), endpoint=True) if self.fill is None else self.fill
        filled.reshape(-1)[empty] = fills
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
            raise ValueError(
                f"answer must lie in {self.domain[0]}..{self.domain[-1]} or be nan, got {answer!r:.80}"
            )
        fills = self.domain if self.fill is None else [self.fill]
        centres = np.array(fills if np.isnan(given) else [given], dtype=float)
        distance = np.abs(numeric("output", output)[..., None] - centres)
        log_each = -distance / self.scale - np.log(2 * self.scale)
        log_density: Array = logsumexp(log_each, axis=-1) - np.log(len(centres))
        return log_density


def laplace_noise(scale: float, shape: tuple[int, ...], rng: Rng = None) -> Array:
    """Centred Laplace noise, drawn as a difference of two exponentials.

    Twice as fast as ``Generator.laplace``, which inverts the distribution function.

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
