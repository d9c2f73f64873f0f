"""How a crowd's answers are handed in, and how they are given back: in the same form, with its labels.

A matrix with nan for NULL, a sparse array whose stored entries are the answers, a tidy frame with the columns
worker, task and answer (or label), or one worker's row.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, check_answers, numeric
from ldpbook._validate import choices as check_n_choices, listed

Answers: TypeAlias = ArrayLike | pd.DataFrame | sp.sparray | sp.spmatrix
Choices: TypeAlias = int | Sequence[Hashable]  # a number s of choices 0..s-1, or their labels
Labels: TypeAlias = tuple[Hashable, ...]


@dataclass(frozen=True, eq=False)
class Form:
    """The form in which answers came."""

    shape: tuple[int, ...]  # of an array; a row has one axis, a stack of matrices three or more
    is_sparse: bool = False
    column: str = "answer"  # of the answers in a tidy frame
    workers: pd.Index | None = None
    tasks: pd.Index | None = None
    labels: Labels | None = None  # of the choices, where they are not numbers 0..s-1

    def answers(self, matrix: Array) -> Array | pd.DataFrame | sp.csr_array:
        """Answers of the same workers to the same tasks, as they were handed in."""
        if self.workers is not None:
            return self.tidy(matrix)
        if self.is_sparse:
            return to_csr(matrix)
        return self._labelled(matrix.reshape(self.shape))

    def tidy(self, matrix: Array) -> pd.DataFrame:
        """One row an answer; its worker and task by their labels if they have any, else by number."""
        rows, columns = np.nonzero(~np.isnan(matrix))
        given = pd.Series(self._labelled(matrix[rows, columns])).infer_objects()
        worker = rows if self.workers is None else self.workers[rows]
        task = columns if self.tasks is None else self.tasks[columns]
        return pd.DataFrame({"worker": worker, "task": task, self.column: given})

    def of_tasks(self, values: Array) -> Array | pd.Series:
        """One value a task: with its labels if it has any."""
        return values if self.tasks is None else pd.Series(values, self.tasks)

    def of_workers(self, values: Array) -> Array | pd.Series:
        """One value a worker: with its labels if it has any."""
        return values if self.workers is None else pd.Series(values, self.workers)

    def rows_of_workers(self, values: Array) -> Array | pd.DataFrame:
        """One row a worker: with its labels if it has any."""
        return values if self.workers is None else pd.DataFrame(values, self.workers)

    def elected(self, codes: Array) -> Array | pd.Series:
        """One choice a task, by the choices' labels."""
        return self.of_tasks(self._labelled(codes))

    def _labelled(self, codes: Array) -> Array:
        """Labels of choices, None for NULL; numbers stay what they are."""
        if self.labels is None:
            return codes
        symbols = np.fromiter([*self.labels, None], dtype=object)
        known = np.where(np.isnan(codes), len(self.labels), codes).astype(np.intp)
        labelled: Array = symbols[known]
        return labelled


def read_matrix(
    answers: Answers,
    *,
    domain: Sequence[int] | None = None,
    integers: bool = False,
    choices: Choices | None = None,
    stacked: bool = False,
) -> tuple[Array, Form]:
    """Answers in any form as a matrix (m, n), and the form.

    `domain` and `integers` as in `check_answers`. With `choices`, answers become the numbers of their
    choices. With `stacked`, an array may have leading axes, whose matrices come out below each other.
    """
    labels = None
    if choices is not None:
        labels = choice_labels(choices)
        domain, integers = range(n_choices(choices)), True
    if isinstance(answers, pd.DataFrame) or _is_sparse(answers):
        given, form = _read_entries(answers, labels)
        matrix = np.full(given.shape, np.nan)
        matrix[np.repeat(np.arange(given.shape[0]), np.diff(given.indptr)), given.indices] = given.data
        return check_answers(matrix, domain=domain, integers=integers), form
    matrix = _numbers(answers) if labels is None else _codes(answers, labels)
    form = Form(matrix.shape, labels=labels)
    if matrix.ndim == 1 and matrix.size:
        matrix = matrix[None]
    elif stacked and matrix.ndim > 2 and matrix.size:
        matrix = matrix.reshape(-1, matrix.shape[-1])
    return check_answers(matrix, domain=domain, integers=integers), form


def read_reports(reports: Answers, choices: Choices) -> tuple[Array, Form]:
    """Reports of choices, which have the form of answers, as :func:`read_matrix` reads them."""
    try:
        return read_matrix(reports, choices=choices)
    except (TypeError, ValueError) as error:
        wrong = TypeError if isinstance(error, TypeError) else ValueError
        raise wrong(f"reports must be like answers: {error}") from None


def read_sparse(answers: Answers) -> tuple[sp.csr_array, Form]:
    """Answers in any form as a sparse array whose stored entries are the answers, and the form."""
    if isinstance(answers, pd.DataFrame) or _is_sparse(answers):
        return _read_entries(answers)
    matrix, form = read_matrix(answers)
    return to_csr(matrix), form


def to_csr(matrix: Array) -> sp.csr_array:
    """The cells that are not NULL, zeros included."""
    given = ~np.isnan(matrix)
    # 32-bit indices where they suffice: iterations over them are limited by memory traffic.
    index = np.int32 if matrix.size < 2**31 else np.int64
    indptr = np.concatenate([[0], given.sum(axis=1).cumsum()]).astype(index)
    indices = np.broadcast_to(np.arange(matrix.shape[1], dtype=index), matrix.shape)[given]
    return sp.csr_array((matrix[given], indices, indptr), matrix.shape)


def without_empty_rows(answers: Answers) -> Answers:
    """A matrix without its rows that hold no answer; other forms, and what is none, as they are."""
    if _is_sparse(answers):
        entries = sp.coo_array(answers)  # type: ignore[call-overload]
        if entries.ndim != 2:
            return answers
        rows, row = np.unique(entries.coords[0], return_inverse=True)
        return sp.coo_array((entries.data, (row, entries.coords[1])), (len(rows), entries.shape[1]))
    if isinstance(answers, pd.DataFrame):
        return answers
    matrix = _numbers(answers)
    empty = np.isnan(matrix).all(axis=1) if matrix.ndim == 2 else np.zeros(0, dtype=bool)
    return matrix[~empty] if empty.any() else matrix


def n_choices(choices: Choices) -> int:
    """How many choices there are."""
    labels = choice_labels(choices)
    return check_n_choices("choices", choices) if labels is None else len(labels)  # type: ignore[arg-type]


def choice_labels(choices: Choices) -> Labels | None:
    """The labels of the choices; None if they are the numbers 0..s-1."""
    if isinstance(choices, np.ndarray | pd.Index | pd.Series):
        choices = choices.tolist()  # labels of Python's types: they are given back
    if isinstance(choices, str | bytes) or not isinstance(choices, Sequence):
        check_n_choices("choices", choices)  # type: ignore[arg-type]
        return None
    labels = tuple(listed("choices", choices))
    try:
        n_different = len(set(labels))
    except TypeError as error:
        raise TypeError(f"choices must be labels that hash, got {choices!r:.80}: {error}") from None
    if len(labels) < 2 or n_different < len(labels) or any(map(_is_null, labels)):
        raise ValueError(f"choices must be two or more different labels, got {choices!r:.80}")
    return labels


def _is_sparse(answers: object) -> TypeGuard[sp.sparray]:
    return bool(sp.issparse(answers))


def _is_null(label: object) -> bool:
    return label is None or label is pd.NA or bool(label != label)


def _numbers(answers: object) -> Array:
    """An array of floats, nan for NULL (None, nan, NA)."""
    if isinstance(answers, np.ndarray) and answers.dtype != object:
        return numeric("answers", answers)
    given = np.asarray(answers, dtype=object)
    null = pd.isna(given)
    return numeric("answers", np.where(null, np.nan, given) if null.any() else answers)


def _codes(answers: object, labels: Labels) -> Array:
    """The number of each answer's choice, nan for NULL (None, nan, NA)."""
    allowed = f"answers must be in {list(labels)!r:.80} or NULL"
    try:
        given = _cells(answers, labels)
        codes, found = pd.factorize(given.reshape(-1))  # NULL has the code -1
    except (TypeError, ValueError) as error:  # what does not hash, rows of unequal length
        wrong = TypeError if isinstance(error, TypeError) else ValueError
        raise wrong(f"{allowed}, got {answers!r:.80}: {error}") from None
    number = {label: float(k) for k, label in enumerate(labels)}
    strange = [label for label in found if label not in number]
    if strange:
        raise ValueError(f"{allowed}, got {strange[0]!r}")
    numbers: Array = np.array([*(number[label] for label in found), np.nan])[codes]
    return numbers.reshape(given.shape)


def _cells(answers: object, labels: Labels) -> NDArray[Any]:
    """Answers as an array; where labels are tuples, tuples in lists are labels and no axes."""
    if isinstance(answers, np.ma.MaskedArray):
        cells = answers.data.astype(object)
        cells[np.ma.getmaskarray(answers)] = None
        return np.asarray(cells)
    if isinstance(answers, list) and any(isinstance(label, tuple) for label in labels):
        is_matrix = isinstance(next(iter(answers), None), list)
        rows = np.stack([np.fromiter(row, object) for row in (answers if is_matrix else [answers])])
        return rows if is_matrix else rows[0]
    return answers if isinstance(answers, np.ndarray) else np.asarray(answers, dtype=object)


def _read_entries(
    answers: pd.DataFrame | sp.sparray, labels: Labels | None = None
) -> tuple[sp.csr_array, Form]:
    """Answers that come as entries, in a frame or a sparse array."""
    if isinstance(answers, pd.DataFrame):
        entries, form = _tidy_entries(answers, labels)
    elif labels is not None:
        raise TypeError(
            "answers must be a matrix or a tidy frame where choices have labels, got a sparse one"
        )
    else:
        entries = sp.coo_array(answers)  # type: ignore[call-overload]
        form = Form(entries.shape, is_sparse=True)
    if entries.ndim != 2 or entries.nnz == 0:
        raise ValueError(
            f"answers must be a non-empty matrix, got shape {entries.shape}, {entries.nnz} entries"
        )
    given = sp.coo_array((numeric("answers", entries.data), entries.coords), entries.shape).tocsr()
    if not np.isfinite(given.data).all():
        raise ValueError("answers must be finite, NULL being what is no entry; got nan or infinity")
    if given.nnz < entries.nnz:  # the conversion adds up what falls into one cell
        raise ValueError("answers must hold at most one answer of a worker to a task")
    empty = np.diff(given.indptr) == 0
    if empty.any():
        raise ValueError(f"answers must hold an answer of every worker, got none in row {empty.argmax()}")
    return given, form


def _tidy_entries(frame: pd.DataFrame, labels: Labels | None) -> tuple[sp.coo_array, Form]:
    """Tidy answers, rows and columns in the sorted order of their labels."""
    names = list(frame.columns)
    column = "label" if "label" in names and "answer" not in names else "answer"
    if any(names.count(name) != 1 for name in ("worker", "task", column)):
        raise ValueError(f"answers must have columns worker, task, answer (or label), got {names!r:.80}")
    given = frame[column]
    values = _numbers(given) if labels is None else _codes(given, labels)
    if np.isnan(values).any():
        raise ValueError("answers must be one a row: leave out the rows without")
    rows, workers = _sorted_labels("worker", frame["worker"])
    columns, tasks = _sorted_labels("task", frame["task"])
    entries = sp.coo_array((values, (rows, columns)), (len(workers), len(tasks)))
    return entries, Form(entries.shape, column=column, workers=workers, tasks=tasks, labels=labels)


def _sorted_labels(name: str, labels: pd.Series) -> tuple[NDArray[np.intp], pd.Index]:
    try:
        codes, found = pd.factorize(labels, sort=True)
    except TypeError as error:
        raise TypeError(f"answers must have {name}s that hash and sort: {error}") from None
    if (codes < 0).any():
        raise ValueError("answers must name the worker and the task in every row")
    return codes, pd.Index(found, name=name)
