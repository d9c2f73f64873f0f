"""Answers of a crowd, m workers by n tasks, in any of the accepted forms."""

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from ldpbook._arrays import Array
from ldpbook._crowd import Answers, read_cells, read_matrix
from ldpbook._tables import is_table

__all__ = [
    "drop_empty_workers",
    "sparsity",
    "to_matrix",
    "to_tidy",
]


def sparsity(answers: Answers) -> Array | pd.Series:
    """Fraction of NULL cells of each worker.

    Parameters
    ----------
    answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        Answers in any form; nan = NULL.

    Returns
    -------
    ndarray or Series, shape (m,)
        1 - s_i, where s_i is the density of worker i; with the workers' labels if the answers have any.

    Notes
    -----
    Source: Sun et al. (2018), Section VI-B.
    Derived in: foundations/crowdsourcing

    Examples
    --------
    >>> sparsity([[1, float("nan")], [2, 3]])
    array([0.5, 0. ])
    """
    matrix, form = read_matrix(answers)
    of_workers: Array | pd.Series = form.of_workers(np.isnan(matrix).mean(axis=1), "sparsity")
    return of_workers


def to_matrix(answers: Answers) -> Array:
    """Answer matrix of a crowd; the rows and columns of a tidy frame are sorted by label.

    Parameters
    ----------
    answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        Answers in any form; a frame has the columns worker, task, answer (or label), with one row per answer
        and at most one answer per worker and task.

    Returns
    -------
    ndarray, shape (m, n)
        nan where a worker did not answer a task.

    Notes
    -----
    Derived in: foundations/crowdsourcing

    Examples
    --------
    >>> tidy = pd.DataFrame({"worker": ["b", "a"], "task": [1, 2], "answer": [5, 3]})
    >>> to_matrix(tidy)
    array([[nan,  3.],
           [ 5., nan]])
    """
    return read_matrix(answers)[0]


def to_tidy(answers: Answers) -> pd.DataFrame:
    """Answers as a tidy frame, with their labels, or with row and column numbers if they have none.

    Parameters
    ----------
    answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        Answers in any form; nan = NULL.

    Returns
    -------
    DataFrame
        Columns worker, task, answer; one row per answer, sorted by worker and task.

    Notes
    -----
    Derived in: foundations/crowdsourcing

    Examples
    --------
    >>> to_tidy([[float("nan"), 3]])
       worker  task  answer
    0       0     1     3.0
    """
    cells = read_cells(answers)
    table = cells.form.table
    labels: dict[str, Any] = {"worker": cells.worker, "task": cells.task}
    if table is not None:
        labels = {"worker": table.workers[cells.worker], "task": table.tasks[cells.task]}
    return pd.DataFrame({**labels, "answer": cells.answer})


def drop_empty_workers(answers: Answers) -> Array | pd.DataFrame | sp.csr_array:
    """Answers of the workers who gave at least one.

    Randomized response may turn a worker's whole row into NULL. Truth inference has nothing to learn from
    such a row and refuses it, so that dropping it is a deliberate step.

    Parameters
    ----------
    answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        Answers in any form, at least one; nan = NULL. In a frame, a worker without an answer has no rows, or
        only rows with NULL.

    Returns
    -------
    ndarray, shape (k, n) or (n,); sparse array, shape (k, n); or DataFrame
        The k >= 1 rows with at least one answer, in the same form.

    Notes
    -----
    Derived in: sparse-answers/randomized-response

    Examples
    --------
    >>> drop_empty_workers([[float("nan")], [4.0]])
    array([[4.]])
    """
    if not is_table(answers) and not sp.issparse(answers):
        matrix, form = read_matrix(answers, silent=True)
        given = np.asarray(~np.isnan(matrix).all(axis=1))
        _check_heard(given)
        kept = matrix[given]
        return kept if len(form.shape) > 1 else kept[0]
    cells = read_cells(answers, silent=True)
    heard = np.bincount(cells.worker, minlength=cells.shape[0]) > 0
    _check_heard(heard)
    table = cells.form.table
    if table is None:
        return cells.csr()[heard]
    rows: pd.DataFrame = table.only(heard[table.worker])
    return rows


def _check_heard(heard: NDArray[np.bool_]) -> None:
    if not heard.any():
        raise ValueError("answers must hold one or more, got none")
