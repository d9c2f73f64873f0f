"""What all mechanisms have in common."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Protocol, TypeVar, overload

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, Rng, generator, study_only
from ldpbook._crowd import Cells, n_choices, read_cells, read_matrix
from ldpbook._dyadic import Entropy, for_release
from ldpbook._exact import ResponseTable, WordTable
from ldpbook._tables import Public

__all__ = ["AnswerMechanism", "Mechanism"]

Frame = TypeVar("Frame")


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

    Attributes
    ----------
    null_is_symbol : bool
        Whether a cell that is NULL is reported on like any other, so that nobody sees who answered what.

    Notes
    -----
    Derived in: foundations/local-privacy
    """

    null_is_symbol = True

    @overload
    def perturb(
        self,
        answers: pd.DataFrame,
        rng: Rng = ...,
        *,
        workers: Public = ...,
        tasks: Public = ...,
        entropy: Entropy = ...,
    ) -> pd.DataFrame: ...
    @overload
    def perturb(
        self,
        answers: sp.sparray | sp.spmatrix,
        rng: Rng = ...,
        *,
        workers: Public = ...,
        tasks: Public = ...,
        entropy: Entropy = ...,
    ) -> sp.csr_array: ...
    @overload
    def perturb(
        self,
        answers: ArrayLike,
        rng: Rng = ...,
        *,
        workers: Public = ...,
        tasks: Public = ...,
        entropy: Entropy = ...,
    ) -> Array: ...
    @overload
    def perturb(
        self,
        answers: Frame,
        rng: Rng = ...,
        *,
        workers: Public = ...,
        tasks: Public = ...,
        entropy: Entropy = ...,
    ) -> Frame: ...
    def perturb(
        self,
        answers: Any,
        rng: Rng = None,
        *,
        workers: Public = None,
        tasks: Public = None,
        entropy: Entropy = os.urandom,
    ) -> Any:
        """Private copy of the answers of a crowd, or of one worker.

        **Without `rng` for release, with `rng` for study.** For release reports are drawn by whole numbers
        from the operating system's entropy; a mechanism for which there is no such way refuses. With `rng`
        they are drawn by doubles of numpy's generator, and who knows the seed takes the noise off.

        Parameters
        ----------
        answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
            A matrix, or one worker's row, with nan = NULL; a sparse array whose stored entries are the
            answers; or a tidy table of pandas, polars or pyarrow with columns worker, task, answer (or
            label), whose tasks are the columns of the matrix in sorted order.
        rng : Generator or int, optional
            Source of randomness for study, or a seed for one.
        workers, tasks : iterable of labels, optional
            Of a table: who was asked, and about what. Where `null_is_symbol`, the two have to be public, for
            a report is drawn for every pair; those who occur in a table are those who answered. "categories"
            takes those of a categorical column (an Enum of polars is taken without a word), "observed" those
            who occur: **then the promise is for two values of an answered cell only.**
        entropy : callable
            For release: gives that many random bytes when called with a number. `os.urandom` is the only
            right choice where answers are to be private; fixed bytes are for tests and pages.

        Returns
        -------
        ndarray, sparse array or DataFrame
            The same form. A table has a row for every listed worker and task, in sorted order, where
            `null_is_symbol`: join it by worker and task. Else it has its own rows, in their order and with
            their index.

        Raises
        ------
        TypeError
            If there is no `rng`, and no exact way to draw; or the answers are in none of these forms.
        ValueError
            If they are not what the mechanism takes, or a list is missing: the place is named.
        """
        table = self._table() if for_release(rng, entropy) else None
        expected = {**self._expected, "silent": True, "workers": workers, "tasks": tasks}
        if not self.null_is_symbol:
            cells = read_cells(answers, **expected)
            if table is None:
                return cells.with_answers(self._perturbed_cells(cells, generator(rng)))
            outputs = table.draw(self._rows(cells.answer[:, None]), entropy)
            return cells.with_answers(self._outputs[outputs[:, 0]])
        matrix, form = read_matrix(answers, **expected, public=True)
        self._check_tasks(matrix.shape[1])
        if table is None:
            return form.answers(self._perturbed(matrix, generator(rng)))
        return form.answers(self._outputs[table.draw(self._rows(matrix), entropy)])

    @property
    def exact_ratio(self) -> Fraction:
        """The largest ratio of the chances of a report from two neighbours, as it is drawn for release."""
        return self._table().ratio

    @property
    @abstractmethod
    def _expected(self) -> Mapping[str, Any]:
        """What answers are, as `read_cells` expects them."""

    @abstractmethod
    def _perturbed(self, matrix: Array, rng: np.random.Generator) -> Array:
        """Perturbed copy of an answer matrix, shape (m, n), for study."""

    def _perturbed_cells(self, cells: Cells, rng: np.random.Generator) -> Array:
        """The same of the cells that hold an answer, where NULL stays NULL."""
        return self._perturbed(cells.matrix(), rng)[cells.worker, cells.task]

    def _check_tasks(self, n_tasks: int) -> None:
        """Refuse another number of tasks than the mechanism is for."""
        _ = n_tasks  # any number does

    def _table(self) -> WordTable | ResponseTable:
        """The table from which reports are drawn for release."""
        raise study_only(self, self._for_study)

    _for_study = "it has no exact way to draw"

    @property
    def _symbols(self) -> Array:
        """What the rows of the table are for: consecutive answers, and NULL last."""
        expected = self._expected
        answers = expected["domain"] if "domain" in expected else range(n_choices(expected["choices"]))
        return np.array([*answers, np.nan])

    def _rows(self, matrix: Array) -> NDArray[np.intp]:
        """The row of the table for each cell."""
        symbols = self._symbols
        return np.where(np.isnan(matrix), len(symbols) - 1, matrix - symbols[0]).astype(np.intp)

    @property
    def _outputs(self) -> Array:
        """What each output of the table is reported as."""
        return self._symbols


def check_mechanisms(mechanisms: object) -> None:
    """A mapping from names to at least one mechanism."""
    if not isinstance(mechanisms, Mapping) or not all(hasattr(m, "perturb") for m in mechanisms.values()):
        raise TypeError(f"mechanisms must be a mapping to mechanisms, got {mechanisms!r:.80}")
    if not mechanisms:
        raise ValueError("mechanisms must be at least one, got none")
