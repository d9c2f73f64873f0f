"""Interface that all mechanisms share."""

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
    """Anything that makes data private: `perturb` returns a newly randomized copy of its argument.

    The proved epsilon is `exact_epsilon`, or a method `epsilon_of` if it depends on more than the parameters.
    The docstring says for which neighbours it holds, and whether for a cell or for a worker.

    Notes
    -----
    Derived in: foundations/local-privacy
    """

    def perturb(self, data: Any, rng: Rng = None, /) -> Any:
        """Private copy of the data."""


class AnswerMechanism(ABC):
    """A mechanism on a crowd's answers, which takes them in any form and returns the same form.

    Attributes
    ----------
    null_is_symbol : bool
        Whether a NULL cell is reported like any other, so that no one sees who answered what.

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

        **Without `rng` for release, with `rng` for study.** For release, reports are drawn with whole numbers
        from the operating system's entropy; a mechanism that cannot do this refuses. With `rng` they are
        drawn with doubles of numpy's generator, and anyone who knows the seed can remove the noise.

        Parameters
        ----------
        answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
            A matrix, or one worker's row, with nan = NULL; a sparse array whose stored entries are the
            answers; or a tidy table of pandas, polars or pyarrow with columns worker, task, answer (or
            label), whose tasks are the columns of the matrix in sorted order.
        rng : Generator or int, optional
            Source of randomness for study, or a seed for one.
        workers, tasks : iterable of labels, optional
            For a table: who was asked, and about what. With `null_is_symbol` both have to be public lists,
            because a report is drawn for every pair, and the workers who occur in a table are those who
            answered. "categories" uses the categories of a categorical column (those of a polars Enum are
            used by default). "observed" uses the labels that occur: **the guarantee then covers only two
            values of an answered cell.**
        entropy : callable
            For release: a function that returns n random bytes when called with n. `os.urandom` is the only
            right choice where answers are to be private; fixed bytes are for tests and pages.

        Returns
        -------
        ndarray, sparse array or DataFrame
            Reports in the same form. With `null_is_symbol`, a table has a row for every listed worker and
            task, in sorted order: join it by worker and task. Otherwise it has the rows of the answers, in
            their order and with their index.

        Raises
        ------
        TypeError
            If there is no `rng`, and no exact way to draw; or the answers are in none of these forms.
        ValueError
            If the answers are not what the mechanism takes, or a list is missing; the message names the
            place.
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
        """Largest ratio of a report's probabilities given two neighbours, as drawn for release."""
        return self._table().ratio

    @property
    @abstractmethod
    def _expected(self) -> Mapping[str, Any]:
        """Requirements on the answers, as keywords of `read_cells`."""

    @abstractmethod
    def _perturbed(self, matrix: Array, rng: np.random.Generator) -> Array:
        """Perturbed copy of an answer matrix, shape (m, n), for study."""

    def _perturbed_cells(self, cells: Cells, rng: np.random.Generator) -> Array:
        """Perturbed answers of the cells that hold one, for study; NULL stays NULL."""
        return self._perturbed(cells.matrix(), rng)[cells.worker, cells.task]

    def _check_tasks(self, n_tasks: int) -> None:
        """Refuse a number of tasks that the mechanism is not made for."""
        _ = n_tasks  # any number does

    def _table(self) -> WordTable | ResponseTable:
        """The table from which reports are drawn for release."""
        raise study_only(self, self._for_study)

    _for_study = "it has no exact way to draw"

    @property
    def _symbols(self) -> Array:
        """Symbols of the table's rows: consecutive answers, and NULL last."""
        expected = self._expected
        answers = expected["domain"] if "domain" in expected else range(n_choices(expected["choices"]))
        return np.array([*answers, np.nan])

    def _rows(self, matrix: Array) -> NDArray[np.intp]:
        """The row of the table for each cell."""
        symbols = self._symbols
        return np.where(np.isnan(matrix), len(symbols) - 1, matrix - symbols[0]).astype(np.intp)

    @property
    def _outputs(self) -> Array:
        """Symbol that each output of the table is reported as."""
        return self._symbols


def check_mechanisms(mechanisms: object) -> None:
    """Check that `mechanisms` maps names to at least one mechanism."""
    if not isinstance(mechanisms, Mapping) or not all(hasattr(m, "perturb") for m in mechanisms.values()):
        raise TypeError(f"mechanisms must be a mapping to mechanisms, got {mechanisms!r:.80}")
    if not mechanisms:
        raise ValueError("mechanisms must be at least one, got none")
