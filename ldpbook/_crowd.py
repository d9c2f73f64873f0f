"""Reading a crowd's answers in any form, and returning results in the same form, with its labels.

The form is a matrix with nan for NULL, a sparse array whose stored entries are the answers, a tidy table with
the columns worker, task and answer (or label), or one worker's row.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, are_answers, check_answers, is_number, numeric, refuse_answer
from ldpbook._tables import Public, Table, is_table, labels_of, read_table
from ldpbook._validate import choices as check_n_choices

Answers: TypeAlias = ArrayLike | pd.DataFrame | sp.sparray | sp.spmatrix
Choices: TypeAlias = int | Iterable[Hashable]  # a number s of choices 0..s-1, or their labels
Labels: TypeAlias = tuple[Hashable, ...]


@dataclass(frozen=True, eq=False)
class Form:
    """Form in which the answers were given."""

    shape: tuple[int, ...]  # of an array; a row has one axis, a stack of matrices three or more
    is_sparse: bool = False
    table: Table | None = None
    labels: Labels | None = None  # of the choices, where they are not numbers 0..s-1

    @property
    def is_array(self) -> bool:
        """Whether the answers are an array, which holds all cells, NULL or not."""
        return not self.is_sparse and self.table is None

    @property
    def workers(self) -> pd.Index | None:
        """Labels of the workers of a table."""
        return None if self.table is None else self.table.workers

    @property
    def tasks(self) -> pd.Index | None:
        """Labels of the tasks of a table."""
        return None if self.table is None else self.table.tasks

    def answers(self, matrix: Array) -> Any:
        """All cells of a matrix, in the form of the answers; a table gets a row for every cell."""
        if self.table is not None:
            return self.table.complete(self.labelled(matrix), self.labels or ())
        if self.is_sparse:
            return to_csr(matrix)
        return self.labelled(matrix.reshape(self.shape))

    def per_task(self, name: str, values: Any) -> Any:
        """Values given for the tasks, in the order of the tasks; a single value for all stays single.

        For a table they have to be a Series, which says which value belongs to which task, because this
        module chooses the order of the tasks. Where the tasks have no labels, a Series with labels is
        refused.
        """
        if self.tasks is None:
            if isinstance(values, pd.Series) and not values.index.equals(pd.RangeIndex(len(values))):
                raise ValueError(f"{name} must be an array where answers are one, got a Series with labels")
            return values
        if isinstance(values, pd.Series):
            if not values.index.is_unique or set(values.index) != set(self.tasks):
                raise ValueError(f"{name} must be a Series with a value for each task, once each")
            return values.reindex(self.tasks)
        if np.ndim(values):
            raise TypeError(f"{name} must be one number, or a Series by task, where answers are a table")
        return values

    def of_tasks(self, values: Array, name: str) -> Any:
        """One value per task, with the tasks' labels if they have any."""
        return values if self.table is None else self.table.by(self.table.tasks, values, name)

    def of_workers(self, values: Array, name: str) -> Any:
        """One value per worker, with the workers' labels if they have any."""
        return values if self.table is None else self.table.by(self.table.workers, values, name)

    def rows_of_workers(self, values: Array, columns: pd.Index | None = None) -> Any:
        """One row per worker, with the workers' labels if they have any."""
        if self.table is None:
            return values
        names = pd.RangeIndex(values.shape[1]) if columns is None else columns
        return self.table.by_rows(self.table.workers, values, names)

    def of_choices(self, values: Array, name: str) -> Any:
        """One value per choice, with the choices' labels if the answers are a table."""
        return (
            values if self.table is None else self.table.by(self._choices(len(values), "truth"), values, name)
        )

    def rows_of_tasks(self, values: Array) -> Any:
        """One value per task and choice."""
        if self.table is None:
            return values
        return self.table.by_rows(self.table.tasks, values, self._choices(values.shape[1], "truth"))

    def confusion(self, values: Array) -> Any:
        """One value per worker, truth and answer, shape (m, s, s)."""
        if self.table is None:
            return values
        truth, answer = (self._choices(values.shape[1], name) for name in ("truth", "answer"))
        rows = pd.MultiIndex.from_product([self.table.workers, truth])
        return self.table.by_rows(rows, values.reshape(-1, len(answer)), answer)

    def _choices(self, size: int, name: str) -> pd.Index:
        return pd.Index(self.labels or range(size), name=name, tupleize_cols=False)

    def elected(self, codes: Array) -> Any:
        """One choice per task, by the choices' labels."""
        return self.of_tasks(self.labelled(codes), "truth")

    def labelled(self, codes: Array) -> NDArray[Any]:
        """Labels of choices, None for NULL; the numbers themselves where choices have no labels."""
        return codes if self.labels is None else labelled(codes, self.labels)


def labelled(codes: Array, labels: Sequence[Hashable]) -> NDArray[Any]:
    """Labels of choices by their numbers, None for NULL."""
    symbols = np.fromiter([*labels, None], dtype=object)
    known: NDArray[Any] = symbols[np.where(np.isnan(codes), len(labels), codes).astype(np.intp)]
    return known


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells that hold an answer, by worker and then by task."""

    worker: NDArray[np.intp]
    task: NDArray[np.intp]
    answer: Array
    shape: tuple[int, int]
    form: Form
    row: NDArray[np.intp] | None = None  # of a table, of each cell

    def place(self, k: int) -> str:
        """Place of a cell's answer in the input, for messages."""
        if self.row is not None:
            return f"row {self.row[k]}"
        return f"row {self.worker[k]}, column {self.task[k]}"

    def with_answers(self, answer: Array) -> Any:
        """Other answers in the same cells, in the form of the input; a table keeps its rows."""
        form = self.form
        if form.table is not None:
            column = np.full(len(form.table.worker), np.nan)
            column[self.row] = answer
            return form.table.in_rows(form.labelled(column), form.labels or ())
        if form.is_sparse:
            return sp.csr_array((answer.astype(float), (self.worker, self.task)), self.shape)
        return form.answers(self._matrix(answer))

    def part(self, cells: slice, first: int, n_workers: int) -> "Cells":
        """Cells of `n_workers` workers from number `first` on, who are renumbered from 0."""
        shape = n_workers, self.shape[1]
        own = self.worker[cells] - first, self.task[cells], self.answer[cells]
        return Cells(*own, shape, self.form)

    def matrix(self) -> Array:
        """All cells, nan for NULL."""
        return self._matrix(self.answer)

    def csr(self, values: Array | None = None) -> sp.csr_array:
        """The answers, zeros included, or other values in their cells."""
        # Use 32-bit indices where they suffice: iterations over them are limited by memory traffic.
        index = np.int32 if np.prod(self.shape) < 2**31 else np.int64
        ends = np.bincount(self.worker, minlength=self.shape[0]).cumsum()
        indptr = np.concatenate([[0], ends]).astype(index)
        given = self.answer if values is None else values
        return sp.csr_array((given, self.task.astype(index), indptr), self.shape)

    def _matrix(self, answer: Array) -> Array:
        matrix = np.full(self.shape, np.nan)
        matrix[self.worker, self.task] = answer
        return matrix


def read_matrix(answers: Answers, **expected: Any) -> tuple[Array, Form]:
    """Answers in any form as a matrix (m, n), nan for NULL, and the form; `expected` as in `read_cells`."""
    given = _read(answers, **expected)
    return (given.matrix(), given.form) if isinstance(given, Cells) else given


def read_cells(answers: Answers, **expected: Any) -> Cells:
    """Answers in any form, cell by cell.

    Answers may be required to lie in a `domain`, to be `integers`, or to be `choices`, which are replaced by
    their numbers. Workers without an answer are accepted if `silent` is set. With `stacked`, an array may
    have leading axes, whose matrices are stacked below each other. `workers` and `tasks` list those of a
    table; if `public` is set, the labels that occur in it are used only if the caller asks for that.
    """
    given = _read(answers, **expected)
    return given if isinstance(given, Cells) else _of_matrix(*given)


def _read(
    answers: Answers,
    *,
    domain: Sequence[int] | None = None,
    integers: bool = False,
    choices: Choices | None = None,
    silent: bool = False,
    stacked: bool = False,
    workers: Public = None,
    tasks: Public = None,
    public: bool = False,
) -> Cells | tuple[Array, Form]:
    labels = None
    if choices is not None:
        labels = choice_labels(choices)
        domain, integers = range(n_choices(choices)), True
    if is_table(answers):
        cells = _of_table(read_table(answers, workers, tasks, public=public), labels)
    elif workers is not None or tasks is not None:
        raise TypeError("workers and tasks must be None but for a table: an array has a row for every worker")
    elif _is_sparse(answers):
        cells = _of_sparse(answers, labels)
    else:
        matrix, form = _array(answers, labels, stacked)
        check_answers(matrix, domain=domain, integers=integers, silent=silent)
        return matrix, form
    valid = are_answers(cells.answer, domain, integers)
    if not valid.all():
        refuse_answer(cells.place(int(valid.argmin())), domain, integers)
    empty = np.bincount(cells.worker, minlength=cells.shape[0]) == 0
    if empty.any() and not silent:
        raise ValueError(f"answers must hold an answer of every worker, got none in row {empty.argmax()}")
    return cells


def read_reports(reports: Answers, choices: Choices) -> Cells:
    """Reports of choices, which have the form of answers, as :func:`read_cells` reads them."""
    try:
        return read_cells(reports, choices=choices)
    except (TypeError, ValueError) as error:
        wrong = TypeError if isinstance(error, TypeError) else ValueError
        raise wrong(f"reports must be like answers: {error}") from None


def to_csr(matrix: Array) -> sp.csr_array:
    """A sparse array of the cells that are not NULL, zeros included."""
    return _of_matrix(matrix, Form(matrix.shape)).csr()


def n_choices(choices: Choices) -> int:
    """How many choices there are."""
    labels = choice_labels(choices)
    return check_n_choices("choices", choices) if labels is None else len(labels)  # type: ignore[arg-type]


def choice_labels(choices: Choices) -> Labels | None:
    """The labels of the choices; None if they are the numbers 0..s-1."""
    if isinstance(choices, str | bytes) or not isinstance(choices, Iterable):
        check_n_choices("choices", choices)  # type: ignore[arg-type]
        return None
    # Labels are converted to Python's types, because they are returned to the caller.
    labels = tuple(labels_of("choices", choices))
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


def _of_table(table: Table, labels: Labels | None) -> Cells:
    given = _numbers(table.answers, "row") if labels is None else _codes(table.answers, labels, "row")
    row = table.order[~np.isnan(given[table.order])]
    shape = len(table.workers), len(table.tasks)
    form = Form(shape, table=table, labels=labels)
    return Cells(table.worker[row], table.task[row], given[row], shape, form, row)


def _of_sparse(answers: sp.sparray, labels: Labels | None) -> Cells:
    if labels is not None:
        raise TypeError("answers must be a matrix or a table where choices have labels, got a sparse array")
    entries = sp.coo_array(answers)  # type: ignore[call-overload]
    if entries.ndim != 2 or 0 in entries.shape:
        raise ValueError(f"answers must be a non-empty matrix, got shape {entries.shape}")
    worker, task = entries.coords
    order = np.lexsort((task, worker))
    worker, task = worker[order].astype(np.intp), task[order].astype(np.intp)
    again = np.flatnonzero((np.diff(worker) == 0) & (np.diff(task) == 0))
    if again.size:
        raise ValueError(
            "answers must hold at most one answer of a worker to a task, got more in"
            f" row {worker[again[0]]}, column {task[again[0]]}"
        )
    values = numeric("answers", entries.data)[order]
    cells = Cells(worker, task, values, entries.shape, Form(entries.shape, is_sparse=True))
    null = np.isnan(values)
    if null.any():
        place = cells.place(int(null.argmax()))
        raise ValueError(f"answers must be no entry where they are NULL, got nan in {place}")
    return cells


def _array(answers: object, labels: Labels | None, stacked: bool) -> tuple[Array, Form]:
    matrix = _numbers(answers) if labels is None else _codes(answers, labels)
    form = Form(matrix.shape, labels=labels)
    if matrix.ndim == 1 and matrix.size:
        matrix = matrix[None]
    elif stacked and matrix.ndim > 2 and matrix.size:
        matrix = matrix.reshape(-1, matrix.shape[-1])
    return matrix, form


def _of_matrix(matrix: Array, form: Form) -> Cells:
    worker, task = np.nonzero(~np.isnan(matrix))
    return Cells(worker, task, matrix[worker, task], matrix.shape, form)


def _numbers(answers: Any, axis: str = "column") -> Array:
    """An array of floats, nan for NULL (None, nan, NA, masked); `axis` names a single axis in messages."""
    if getattr(getattr(answers, "dtype", None), "kind", "O") in "biufcmM":  # of numpy, and no objects
        return numeric("answers", answers)
    given = _objects(answers)
    floats = np.full(given.shape, np.nan)
    null = pd.isna(given)
    if not all(map(_is_number, given[~null])):  # numpy would read texts, and count the nanoseconds of dates
        raise ValueError(f"answers must be numbers, or nan for NULL; {_strange(given, _is_number, axis)}")
    floats[~null] = given[~null].astype(float)
    return floats


def _codes(answers: Any, labels: Labels, axis: str = "column") -> Array:
    """The number of each answer's choice, nan for NULL (None, nan, NA, masked)."""
    given = _objects(answers, tuples=any(isinstance(label, tuple) for label in labels))
    if not given.ndim:
        raise TypeError(f"answers must be an array or a table, got one {type(answers).__name__}")
    number: dict[Any, float] = {label: float(k) for k, label in enumerate(labels)}
    try:
        codes, found = pd.factorize(given.reshape(-1))  # NULL has the code -1
        of_found = [*(number[label] for label in found), np.nan]
    except (KeyError, TypeError):

        def known(label: Any) -> bool:
            return _hashes(label) and (label in number or _is_null(label))

        strange = _strange(given, known, axis)
        raise ValueError(f"answers must be in {list(labels)!r:.80} or NULL; {strange}") from None
    return np.array(of_found)[codes].reshape(given.shape)


def _objects(answers: Any, *, tuples: bool = False) -> NDArray[Any]:
    """An array of objects, None where masked; with `tuples`, a tuple is one label and not an axis."""
    kind = type(answers).__name__
    if isinstance(answers, dict | set | frozenset) or getattr(getattr(answers, "dtype", None), "names", None):
        raise TypeError(f"answers must be an array or a table, got {kind} of named or unordered values")
    if isinstance(answers, np.ma.MaskedArray):
        given = answers.data.astype(object)
        given[np.ma.getmaskarray(answers)] = None
        return np.asarray(given)
    deep = (list, np.ma.MaskedArray) if tuples else (list, tuple, np.ma.MaskedArray)
    if isinstance(answers, deep):
        answers = _unmasked(answers, deep)
    try:
        if isinstance(answers, list) and tuples:
            is_matrix = isinstance(next(iter(answers), None), list)
            rows = np.stack([np.fromiter(row, object) for row in (answers if is_matrix else [answers])])
            return rows if is_matrix else rows[0]
        given = np.asarray(answers, dtype=object)
    except ValueError:
        raise ValueError("answers must have as many tasks in every row") from None
    if given.ndim == 0 and isinstance(answers, Iterable) and not isinstance(answers, str | bytes):
        raise TypeError(f"answers must be an array or a table, got {kind}")
    return given


def _unmasked(rows: Any, deep: tuple[type, ...]) -> Any:
    """Rows as lists, with None for masked values; `deep` are the types of rows."""
    if rows is np.ma.masked:
        return None
    if isinstance(rows, np.ma.MaskedArray):
        return _objects(rows).tolist()
    return [_unmasked(row, deep) if isinstance(row, deep) else row for row in rows]


def _strange(given: NDArray[Any], known: Callable[[Any], bool], axis: str) -> str:
    """Place of the first wrong answer, for a message; its value may be personal data and is left out."""
    k = next((k for k, answer in enumerate(given.reshape(-1)) if not known(answer)), 0)
    at = np.unravel_index(k, given.shape)
    names = [*["matrix"] * (given.ndim - 2), "row", "column"] if given.ndim > 1 else [axis] * given.ndim
    return "got another in " + ", ".join(f"{name} {n}" for name, n in zip(names, at, strict=True))


def _is_number(answer: Any) -> bool:
    return is_number(answer) or bool(pd.api.types.is_scalar(answer) and pd.isna(answer))


def _hashes(label: object) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True
