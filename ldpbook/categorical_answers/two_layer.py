"""Two-layer perturbation: each user draws a flip probability and flips all answers with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from ldpbook._arrays import Array
from ldpbook._crowd import Cells, Choices, n_choices
from ldpbook.categorical_answers.bounds import two_layer_epsilon, two_layer_worker_epsilon
from ldpbook.categorical_answers.one_layer import fixed_choices, flipped
from ldpbook.mechanism import AnswerMechanism

__all__ = [
    "TwoLayerFlip",
]


@dataclass(frozen=True)
class TwoLayerFlip(AnswerMechanism):
    r"""Draw :math:`p_u\sim U(a,b)` once for each user; flip every answer with it.

    The protection depends on how many answers share the probability: see `epsilon_of` for one cell
    and `worker_epsilon_of` for all answers of a user. With `null_is_symbol` False, NULL stays NULL
    and NULL–value pairs are not protected; with True, NULL is one more symbol, and every cell
    counts as an answer.

    Parameters
    ----------
    low, high : float
        Ends a <= b of the interval, in [0, 1]; not both 0, nor both 1, where epsilon is infinite.
    choices : int or sequence
        Number s of choices, >= 2, if answers are 0..s-1; otherwise the labels of the choices.
    null_is_symbol : bool
        Whether NULL is flipped like an answer.

    Notes
    -----
    For study: a user's flip probability is a double of numpy's generator, drawn once for all her answers, so
    that no table of probabilities for single answers gives the distribution for which `epsilon_of` and
    `worker_epsilon_of` are derived.

    Source: Li et al. (2018), Algorithm 2.
    Derived in: categorical-answers/two-layer

    Examples
    --------
    >>> flip = TwoLayerFlip(low=0.0, high=0.6, choices=2)
    >>> round(flip.epsilon_of(n_answers=1), 3), round(flip.epsilon_of(n_answers=13), 3)
    (0.847, 2.565)
    >>> round(flip.worker_epsilon_of(n_answers=13), 3)  # one layer at 0.3: 13 * 0.847 = 11.015
    7.882
    >>> flip.perturb([[1, 0, 1, 1], [0, 0, 0, 0]], rng=1)
    array([[0., 0., 1., 1.],
           [0., 1., 1., 1.]])
    """

    low: float
    high: float
    choices: Choices
    null_is_symbol: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", fixed_choices(self.choices, self.null_is_symbol))
        if self.epsilon_of(n_answers=1) == inf:  # this call checks the interval, too
            raise ValueError(f"high must be above 0 and low below 1, got {self.low!r:.80} for both")

    @property
    def n_choices(self) -> int:
        """Number s of choices."""
        return n_choices(self.choices)

    def epsilon_of(self, n_answers: int) -> float:
        """Exact epsilon of one cell of a user with that many answers.

        Parameters
        ----------
        n_answers : int
            Number of answers that share the user's flip probability, >= 1; that of all tasks if NULL is a
            symbol.

        Returns
        -------
        float
            Largest privacy loss between neighbours that differ in one cell.
        """
        return two_layer_epsilon(self.low, self.high, self.n_choices + self.null_is_symbol, n_answers)

    def worker_epsilon_of(self, n_answers: int, n_changed: int | None = None) -> float:
        """Exact epsilon of a whole user with that many answers, any of which may change.

        Parameters
        ----------
        n_answers : int
            Number of answers that share the user's flip probability, >= 1; that of all tasks if NULL is a
            symbol. Which tasks are answered is public unless NULL is a symbol.
        n_changed : int, optional
            Number of answers in which two rows may differ; by default all.

        Returns
        -------
        float
            Largest privacy loss between two rows of the same user.
        """
        n_symbols = self.n_choices + self.null_is_symbol
        return two_layer_worker_epsilon(self.low, self.high, n_symbols, n_answers, n_changed=n_changed)

    _for_study = "it draws a number from an interval first, which no table of words holds"

    @property
    def _expected(self) -> Mapping[str, Any]:
        return {"choices": self.choices}

    def _perturbed(self, matrix: Array, rng: np.random.Generator) -> Array:
        probability = rng.uniform(self.low, self.high, (len(matrix), 1))
        return flipped(matrix, probability, self.n_choices, self.null_is_symbol, rng)

    def _perturbed_cells(self, cells: Cells, rng: np.random.Generator) -> Array:
        if cells.form.is_array:
            return super()._perturbed_cells(cells, rng)
        probability = rng.uniform(self.low, self.high, cells.shape[0])[cells.worker]
        column = cells.answer[:, None], probability[:, None]
        return flipped(*column, self.n_choices, self.null_is_symbol, rng)[:, 0]
