"""Tidy tables of answers, of any frame library: reading them by worker and task, and returning them.

A table has the columns worker, task and answer (or label), one row per cell. A row without an answer says
that the cell is NULL, and so does the missing row of a worker and a task that are listed.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ldpbook._validate import listed, one_of

Public: TypeAlias = (
    Iterable[Hashable] | str | None
)  # the labels that are listed, or a word for where they are

_WORDS = ("observed", "categories")


@dataclass(frozen=True, eq=False)
class Table:
    """A tidy table whose workers and tasks have numbers.

    Attributes
    ----------
    frame : DataFrame
        The table as given if it is of pandas, and wrapped if it is of another library.
    column : str
        Name of the column of answers.
    workers, tasks : Index
        Labels of the workers and tasks, sorted.
    worker, task : ndarray of int, shape (rows,)
        Numbers of the worker and the task in each row.
    order : ndarray of int, shape (rows,)
        The rows by worker, and then by task.
    """

    frame: Any
    column: str
    workers: pd.Index
    tasks: pd.Index
    worker: NDArray[np.intp]
    task: NDArray[np.intp]
    order: NDArray[np.intp]

    @property
    def answers(self) -> Any:
        """Answers of the rows: a Series for pandas, otherwise an array of objects."""
        return _values(self.frame, self.column)

    def in_rows(self, answers: NDArray[Any], choices: Sequence[Hashable] = ()) -> Any:
        """The same rows, in their order and with their index; the answers' type fits every choice."""
        if isinstance(self.frame, pd.DataFrame):
            kept = self.frame[["worker", "task"]].copy()
            kept[self.column] = _inferred(answers, choices)
            return kept
        kept = self.frame.select("worker", "task")
        return kept.with_columns(_series(self.frame, self.column, answers, choices=choices)).to_native()

    def only(self, rows: NDArray[np.bool_]) -> Any:
        """Some of the rows."""
        if isinstance(self.frame, pd.DataFrame):
            return self.frame[rows]
        return self.frame.filter(rows.tolist()).to_native()

    def complete(self, answers: NDArray[Any], choices: Sequence[Hashable] = ()) -> Any:
        """A row for every worker and task, in the order of their labels; answers of shape (m, n).

        In pandas the labels are also the index, so that rows of two tables are never matched by number.
        """
        worker, task = (at.ravel() for at in np.indices(answers.shape))
        columns = {"worker": self.workers[worker], "task": self.tasks[task]}
        frame = self.labelled(columns, {self.column: answers.ravel()}, choices)
        if isinstance(frame, pd.DataFrame):
            frame.index = pd.MultiIndex.from_arrays([*columns.values()], names=[None, None])
        return frame

    def by(self, labels: pd.Index, values: NDArray[Any], name: str) -> Any:
        """One value per label: a Series of pandas, or a frame of two columns."""
        if isinstance(self.frame, pd.DataFrame):
            return pd.Series(values, labels)
        return self.labelled({str(labels.name): labels}, {name: values})

    def by_rows(self, rows: pd.Index, values: NDArray[Any], columns: pd.Index) -> Any:
        """One row per label or pair of labels: a frame, with an index for pandas, else with label columns."""
        if isinstance(self.frame, pd.DataFrame):
            return pd.DataFrame(values, rows, columns)
        labels = {str(name): rows.get_level_values(k) for k, name in enumerate(rows.names)}
        found = {str(name): x for name, x in zip(columns, values.T, strict=True)}
        if len(found) < len(columns) or found.keys() & labels.keys():
            raise ValueError(
                "choices must be labels that differ as names of columns, from each other and from"
                f" {', '.join(labels)}, for a table that is not of pandas"
            )
        return self.labelled(labels, found)

    def labelled(
        self,
        labels: dict[str, pd.Index],
        values: dict[str, NDArray[Any]],
        choices: Sequence[Hashable] = (),
    ) -> Any:
        """A frame of the table's library, with columns of labels and columns of values."""
        if isinstance(self.frame, pd.DataFrame):
            return pd.DataFrame({**labels, **{name: _inferred(x, choices) for name, x in values.items()}})
        own = {"worker": self.frame["worker"].dtype, "task": self.frame["task"].dtype}
        columns = {name: np.asarray(x, dtype=object) for name, x in labels.items()}
        series = [_series(self.frame, name, x, own.get(name)) for name, x in columns.items()]
        series += [_series(self.frame, name, x, choices=choices) for name, x in values.items()]
        return narwhals().from_dict({each.name: each for each in series}).to_native()


def is_table(answers: object) -> bool:
    """Whether something has named columns or is a lazy table, and so is never read as a matrix."""
    # The type is inspected, because a lazy table would be computed to get its columns.
    return any(hasattr(type(answers), name) for name in ("columns", "column_names", "collect_schema"))


def only_matrix(name: str, values: Any) -> Any:
    """The values, refused if they are a table; for arguments with a value per cell, such as thresholds."""
    if is_table(values):
        raise TypeError(f"{name} must be a matrix, shape (workers, tasks), got a table: pivot it")
    return values


def read_table(answers: Any, workers: Public, tasks: Public, *, public: bool) -> Table:
    """A tidy table; its workers and tasks are those of the lists, otherwise those that occur."""
    must = "an array or a tidy table with columns worker, task and answer (or label)"
    lazy = "answers must be collected before: the rows of a lazy table have no order"
    frame = answers if isinstance(answers, pd.DataFrame) else eager("answers", answers, must, lazy)
    names = list(frame.columns)
    if "label" in names and "answer" in names:
        raise ValueError("answers must have one column of answers, got both answer and label")
    column = "label" if "label" in names else "answer"
    # The names are not quoted: in a file without a header they are answers.
    wrong = [name for name in ("worker", "task", column) if names.count(name) != 1]
    if wrong:
        must = "answers must have columns worker, task, answer (or label)"
        raise ValueError(f"{must}, got {names.count(wrong[0])} with the name {wrong[0]}")
    all_workers, worker = _numbered("worker", frame, workers, public)
    all_tasks, task = _numbered("task", frame, tasks, public)
    if all_workers.empty or all_tasks.empty:
        raise ValueError("answers must have one row or more where no lists say who was asked, got none")
    cell = worker * len(all_tasks) + task
    order = np.argsort(cell, kind="stable")
    again = np.flatnonzero(np.diff(cell[order]) == 0)
    if again.size:
        first, second = order[again[0] : again[0] + 2]
        raise ValueError(
            f"answers must hold at most one row of a worker and a task, got rows {first} and {second} of one"
        )
    return Table(frame, column, all_workers, all_tasks, worker, task, order)


def narwhals() -> Any:
    """Library that reads tables of other libraries; pages in a browser do without it."""
    import narwhals

    return narwhals


def eager(name: str, table: Any, must: str, lazy: str = "") -> Any:
    """A table of a library other than pandas, wrapped; anything else, or a lazy table, is refused."""
    wrong = f"{name} must be {must}, got {type(table).__module__}.{type(table).__qualname__}"
    try:
        frame = narwhals().from_native(table)
    except TypeError:
        raise TypeError(wrong) from None
    if isinstance(frame, narwhals().LazyFrame):
        raise TypeError(lazy or wrong)
    return frame


def _values(frame: Any, name: str) -> Any:
    """A column: a Series for pandas, otherwise an array of Python's objects."""
    if isinstance(frame, pd.DataFrame):
        return frame[name]
    return np.fromiter(frame[name].to_list(), dtype=object, count=len(frame))


def _inferred(values: NDArray[Any], choices: Sequence[Hashable]) -> Any:
    """An array of pandas whose type is that of all choices, whichever of them occur."""
    if not choices:
        return pd.Series(values).infer_objects().array
    every = np.concatenate([values, np.fromiter(choices, dtype=object, count=len(choices))])
    return pd.Series(every).infer_objects().array[: len(values)]


def _series(
    frame: Any, name: str, values: NDArray[Any], dtype: Any = None, choices: Sequence[Hashable] = ()
) -> Any:
    """A column of another library: of floats, of type `dtype`, or of a type that fits all choices."""
    nw, null = narwhals(), pd.isna(values)
    given = [None if missing else x for x, missing in zip(values.tolist(), null, strict=True)]
    if values.dtype.kind == "f":
        dtype = nw.Float64()
    elif isinstance(dtype, nw.Unknown):  # of a column that has it; narwhals has no name for it
        dtype = None
    try:
        return nw.new_series(name, [*given, *choices], dtype, backend=frame.implementation).head(len(given))
    except Exception:  # each library has errors of its own, and some name values
        library = frame.implementation.value
        raise TypeError(f"{name} must have labels of one type in a table of {library}, got several") from None


def _numbered(name: str, frame: Any, lists: Public, public: bool) -> tuple[pd.Index, NDArray[np.intp]]:
    """All labels in sorted order, and the number of the label in each row."""
    given = _values(frame, name)
    missing = np.flatnonzero(pd.isna(given))
    if missing.size:
        raise ValueError(f"answers must name the {name} in every row, got none in row {missing[0]}")
    labels = _listed(name, frame, lists, public)
    if isinstance(given, pd.Series) and isinstance(given.dtype, pd.CategoricalDtype):
        given = given.astype(given.cat.categories.dtype)  # labels sort by themselves
    try:
        if labels is None:
            number, found = pd.factorize(given, sort=True)
            return pd.Index(found, name=name), number
        hash(tuple(labels))
        index = pd.Index(labels, tupleize_cols=False)
        if index.hasnans or not index.is_unique or index.empty:
            raise ValueError(f"{name}s must be one or more different labels, none missing")
        index = pd.Index(pd.factorize(index, sort=True)[1], name=name, tupleize_cols=False)
        number = index.get_indexer(pd.Index(given, tupleize_cols=False))
    except TypeError:
        raise TypeError(f"answers must have {name}s that hash, and sort with one another") from None
    if (number < 0).any():
        raise ValueError(f"{name}s must list that of every row, got another one in row {np.argmin(number)}")
    return index, number


def _listed(name: str, frame: Any, lists: Public, public: bool) -> list[Any] | None:
    """The labels that are listed; None for those that occur."""
    if not isinstance(lists, str | None):
        return labels_of(f"{name}s", lists)
    if lists is not None and one_of(f"{name}s", lists, _WORDS) == "observed":
        return None
    dtype = frame[name].dtype
    is_pandas = isinstance(frame, pd.DataFrame)
    if not is_pandas and isinstance(dtype, narwhals().Enum) and (public or lists):
        return list(dtype.categories)
    # A categorical of pandas mostly has only the categories that occur, so they count as a list only on
    # request.
    if isinstance(dtype, pd.CategoricalDtype) and lists:
        return list(dtype.categories)
    if lists:
        raise ValueError(f"{name}s must be listed where the column has no categories, got 'categories'")
    if public:
        raise ValueError(
            f"{name}s must be a public list where NULL is a symbol: those who occur in the table are those"
            ' who answered ("observed" takes them, and promises only that two answers look alike)'
        )
    return None


def labels_of(name: str, labels: Iterable[Hashable]) -> list[Any]:
    """The labels of an iterable; those of an array, of any library, as Python's types."""
    for method in ("tolist", "to_pylist"):
        if hasattr(labels, method):
            labels = getattr(labels, method)()
    return listed(name, labels)
