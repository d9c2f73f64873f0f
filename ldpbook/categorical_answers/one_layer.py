"""One-layer perturbation of categorical answers: everybody flips with the same probability."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldpbook._arrays import Array, row_blocks
from ldpbook._crowd import Cells, Choices, choice_labels, n_choices
from ldpbook._exact import ResponseTable
from ldpbook._validate import flag, probability as check_probability
from ldpbook.categorical_answers.bounds import one_layer_epsilon
from ldpbook.mechanism import AnswerMechanism

__all__ = [
    "OneLayerFlip",
]


@dataclass(frozen=True)
class OneLayerFlip(AnswerMechanism):
    r"""Replace an answer with probability p by one of the other choices, all alike.

    With `null_is_symbol` False, NULL stays NULL: epsilon-cell LDP for value–value pairs,
    none for NULL–value pairs. With True, NULL is one more symbol that answers are flipped to
    and from: epsilon-cell LDP for all pairs. A worker who changes k cells is protected with
    k epsilon.

    Parameters
    ----------
    flip_probability : float
        Probability p of a replacement, in [0, 1].
    choices : int or sequence
        Number s of choices, >= 2, if answers are 0..s-1; else the labels of the choices.
    null_is_symbol : bool
        Whether NULL is flipped like an answer.

    Notes
    -----
    Fit for release: a flip is a look-up in a table, by whole words of the operating system's entropy. With
    `rng` it is for study, and happens where a double of numpy's generator lies below p.

    Source: Li et al. (2018), Definition 5.1 and Algorithm 1.
    Derived in: categorical-answers/one-layer

    Examples
    --------
    >>> flip = OneLayerFlip(flip_probability=0.4, choices=2)
    >>> round(flip.exact_epsilon, 3)
    0.405
    >>> flip.perturb([[1, 0, float("nan"), 1, 1]], rng=0)
    array([[ 1.,  1., nan,  0.,  1.]])
    """

    flip_probability: float
    choices: Choices
    null_is_symbol: bool = False

    def __post_init__(self) -> None:
        check_probability("flip_probability", self.flip_probability)
        object.__setattr__(self, "choices", fixed_choices(self.choices, self.null_is_symbol))

    @property
    def n_choices(self) -> int:
        """Number s of choices."""
        return n_choices(self.choices)

    @property
    def n_symbols(self) -> int:
        """Number of symbols that are flipped among: the choices, and NULL if it is one."""
        return self.n_choices + self.null_is_symbol

    @property
    def exact_epsilon(self) -> float:
        """The largest privacy loss of one cell, for the pairs that are protected; d times that of d cells."""
        return one_layer_epsilon(self.flip_probability, self.n_symbols)

    @property
    def transition_matrix(self) -> Array:
        """Probability of each output (column) for each input (row), NULL last if a symbol."""
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

    def _symbols(self, matrix: Array) -> NDArray[np.intp]:
        return np.where(np.isnan(matrix), self.n_choices, matrix).astype(np.intp)

    @property
    def _outputs(self) -> Array:
        return np.array([*range(self.n_choices), *[np.nan] * self.null_is_symbol])


def fixed_choices(choices: Choices, null_is_symbol: bool) -> Choices:
    """What an answer may be flipped to, labels as a tuple: a mechanism does not change, and can be hashed."""
    flag("null_is_symbol", null_is_symbol)
    return choice_labels(choices) or choices


def flipped(
    matrix: Array, probability: Array, n_choices: int, null_is_symbol: bool, rng: np.random.Generator
) -> Array:
    """Each cell flipped with its worker's probability, shape (m, 1): by random steps around the symbols."""
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
