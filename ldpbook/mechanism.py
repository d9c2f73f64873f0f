"""What all mechanisms have in common."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol, overload

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, Rng, generator
from ldpbook._crowd import Answers, Form

__all__ = ["AnswerMechanism", "Mechanism"]


class Mechanism(Protocol):
    """Whatever makes data private: `perturb` gives a new, random copy of what it is handed.

    What is proved about it stands in `exact_epsilon`, or in a method `epsilon_of` where it depends on
    more than the parameters; its docstring says for which neighbours, and for a cell or for a worker.

    Notes
    -----
    Derived in: foundations/local-privacy
    """

    def perturb(self, data: Any, rng: Rng = None, /) -> Any:
        """A private copy of the data."""


class AnswerMechanism(ABC):
    """A mechanism on a crowd's answers, which come in any form and go out in the same.

    Notes
    -----
    Derived in: foundations/local-privacy
    """

    @overload
    def perturb(self, answers: pd.DataFrame, rng: Rng = None) -> pd.DataFrame: ...
    @overload
    def perturb(self, answers: sp.sparray | sp.spmatrix, rng: Rng = None) -> sp.csr_array: ...
    @overload
    def perturb(self, answers: ArrayLike, rng: Rng = None) -> Array: ...
    def perturb(self, answers: Answers, rng: Rng = None) -> Array | pd.DataFrame | sp.csr_array:
        """Perturbed copy of the answers of a crowd, or of one worker.

        Parameters
        ----------
        answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
            A matrix, or one worker's row, with nan = NULL; a sparse array whose stored entries are the
            answers; or a tidy frame with columns worker, task, answer (or label), whose tasks are the
            columns of the matrix in sorted order. Each worker has answered something. A promise that covers
            NULL needs the columns from a public list: those of a frame are the tasks that somebody answered.
        rng : Generator or int, optional
            Source of randomness, or a seed for one; fresh entropy by default. Whoever knows the seed can take
            the noise off. With either this is for study: `for_release` draws what is to be private,
            by the mechanisms that it takes.

        Returns
        -------
        ndarray, sparse array or DataFrame
            The same form. Sparse arrays and frames hold the cells that are not NULL, so that a worker
            whose cells all become NULL is in no row of the frame.
        """
        matrix, form = self._read(answers)
        return form.answers(self._perturbed(matrix, generator(rng)))

    @abstractmethod
    def _read(self, answers: Answers) -> tuple[Array, Form]:
        """The answers as a matrix, if they are what the mechanism takes, and their form."""

    @abstractmethod
    def _perturbed(self, matrix: Array, rng: np.random.Generator) -> Array:
        """Perturbed copy of an answer matrix, shape (m, n)."""


def check_mechanisms(mechanisms: object) -> None:
    """A mapping from names to at least one mechanism."""
    if not isinstance(mechanisms, Mapping) or not all(hasattr(m, "perturb") for m in mechanisms.values()):
        raise TypeError(f"mechanisms must be a mapping to mechanisms, got {mechanisms!r:.80}")
    if not mechanisms:
        raise ValueError("mechanisms must be at least one, got none")
