"""One-layer perturbation of categorical answers: everyone flips with the same probability."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any, Self

import numpy as np

from ldpbook._arrays import Array, row_blocks
from ldpbook._crowd import Cells, Choices, choice_labels, n_choices
from ldpbook._exact import ResponseTable
from ldpbook._validate import any_number, flag, non_negative, open_probability
from ldpbook.categorical_answers.bounds import one_layer_epsilon, one_layer_flip_probability
from ldpbook.mechanism import AnswerMechanism

__all__ = [
    "OneLayerFlip",
]


@dataclass(frozen=True)
class OneLayerFlip(AnswerMechanism):
    r"""Replace an answer with probability p by one of the other choices, all equally likely.

    With `null_is_symbol` False, NULL stays NULL: epsilon-cell LDP for value–value pairs,
    none for NULL–value pairs. With True, NULL is one more symbol that answers are flipped to
    and from: epsilon-cell LDP for all pairs. A worker who changes k cells is protected with
    k epsilon.

    Parameters
    ----------
    epsilon : float
        Privacy of one cell, finite and >= 0.
    choices : int or sequence
        Number s of choices, >= 2, if answers are 0..s-1; otherwise the labels of the choices.
    null_is_symbol : bool
        Whether NULL is flipped like an answer.

    flip_probability : float, optional
        Probability p of a replacement; by default (k - 1) / (k - 1 + e^epsilon) with k symbols.
        `with_probability` takes any other p and computes its epsilon.

    Notes
    -----
    Fit for release: a flip is looked up in a table by whole words of the operating system's entropy. With
    `rng` it is for study: an answer is flipped where a double of numpy's generator lies below p.

    Source: Li et al. (2018), Definition 5.1 and Algorithm 1.
    Derived in: categorical-answers/one-layer

    Examples
    --------
    >>> round(OneLayerFlip(epsilon=1.0, choices=["no", "yes"]).flip_probability, 3)
    0.269
    >>> flip = OneLayerFlip.with_probability(0.4, choices=2)
    >>> round(flip.exact_epsilon, 3)
    0.405
    >>> flip.perturb([[1, 0, float("nan"), 1, 1]], rng=0)
    array([[ 1.,  1., nan,  0.,  1.]])
    """

    epsilon: float
    choices: Choices
    null_is_symbol: bool = False
    flip_probability: float = field(default=nan, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", fixed_choices(self.choices, self.null_is_symbol))
        epsilon = non_negative("epsilon", self.epsilon)
        p = any_number("flip_probability", self.flip_probability)
        if isnan(p):
            p = one_layer_flip_probability(epsilon, self.n_symbols)
        elif one_layer_epsilon(p, self.n_symbols) > epsilon * (1 + 1e-9) + 1e-9:  # floats are rounded
            raise ValueError(f"flip_probability must have no more than epsilon {epsilon}, got {p}")
        object.__setattr__(self, "flip_probability", p)

    @classmethod
    def with_probability(
        cls, flip_probability: float, choices: Choices, null_is_symbol: bool = False
    ) -> Self:
        """Mechanism that replaces an answer with a given probability p, in (0, 1).

        Its epsilon is `one_layer_epsilon` of p and the number of symbols. If no answer or every answer is
        flipped, epsilon is infinite: both are refused.

        Examples
        --------
        >>> round(OneLayerFlip.with_probability(0.2, choices=2).epsilon, 3)
        1.386
        """
        p = open_probability("flip_probability", flip_probability)
        fixed = fixed_choices(choices, null_is_symbol)
        epsilon = one_layer_epsilon(p, n_choices(fixed) + null_is_symbol)
        return cls(epsilon, fixed, null_is_symbol, flip_probability=p)

    @property
    def n_choices(self) -> int:
        """Number s of choices."""
        return n_choices(self.choices)

    @property
    def n_symbols(self) -> int:
        """Number of symbols: the choices, and NULL if it is a symbol."""
        return self.n_choices + self.null_is_symbol

    @property
    def exact_epsilon(self) -> float:
        """Largest privacy loss of one cell, for the protected pairs; for d cells it is d times as large."""
        return one_layer_epsilon(self.flip_probability, self.n_symbols)

    @property
    def transition_matrix(self) -> Array:
        """Probability of each output (column) for each input (row), NULL last if it is a symbol."""
        other = self.flip_probability / (self.n_symbols - 1)
        matrix = np.full((self.n_symbols, self.n_symbols), float(other))
        np.fill_diagonal(matrix, 1 - self.flip_probability)
        return matrix

    @property
    def _expected(self) -> Mapping[str, Any]:
        return {"choices": self.choices}

    def _perturbed(self, matrix: Array, rng: np.random.Generator) -> Array:
        probability = np.full((len(matrix), 1), float(self.flip_probability))
        return flipped(matrix, probability, self.n_choices, self.null_is_symbol, rng)

    def _perturbed_cells(self, cells: Cells, rng: np.random.Generator) -> Array:
        if cells.form.is_array:
            return super()._perturbed_cells(cells, rng)
        return self._perturbed(cells.answer[:, None], rng)[:, 0]

    def _table(self) -> ResponseTable:
        if not 0 < self.flip_probability < 1 - 1 / self.n_symbols:
            raise ValueError(
                "mechanism must flip for release with a probability above 0 and below"
                f" {1 - 1 / self.n_symbols}, that of uniform reports, got {self.flip_probability!r:.80}"
            )
        return ResponseTable.of(self.exact_epsilon, self.n_symbols)


def fixed_choices(choices: Choices, null_is_symbol: bool) -> Choices:
    """Choices, with labels as a tuple, so that a mechanism is immutable and can be hashed."""
    flag("null_is_symbol", null_is_symbol)
    return choice_labels(choices) or choices


def flipped(
    matrix: Array, probability: Array, n_choices: int, null_is_symbol: bool, rng: np.random.Generator
) -> Array:
    """Cells flipped with their worker's probability, shape (m, 1), by random steps in a circle of symbols."""
    symbols = np.array([*range(n_choices), np.nan])
    n_symbols = n_choices + null_is_symbol
    out = np.empty_like(matrix)
    for rows in row_blocks(matrix):
        null = np.isnan(matrix[rows])
        codes = np.where(null, n_choices, matrix[rows]).astype(np.intp)
        moved = rng.random(codes.shape) < probability[rows]
        if not null_is_symbol:
            moved &= ~null
        steps = rng.integers(1, n_symbols, codes.shape)
        out[rows] = symbols[np.where(moved, (codes + steps) % n_symbols, codes)]
    return out
