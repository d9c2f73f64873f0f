"""All outputs of a mechanism for two neighbouring tables, in every form and with both ways of drawing.

Where NULL is a symbol, neighbours differ in any one cell, NULL included: the only answer of a worker and the
only one to a task among them. Where NULL stays NULL, they differ in the value of an answered cell. The output
is compared as a whole with the neighbour's: rows, order, labels, index, types, shape. A new mechanism is
covered by its line in CASES of test_mechanisms, a new form by a line in FORMS.
"""

from itertools import product
from math import exp, log, sqrt

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from test_mechanisms import CASES, Asked

from ldpbook.mechanism import AnswerMechanism
from ldpbook.whole_worker.sampling_questions import RowMechanism

NULL = np.nan
WORKERS, TASKS = ["w1", "w2", "w3"], ["a", "b", "c"]
LISTS = {"workers": WORKERS, "tasks": TASKS}
# The second worker's only answer is the only one to the second task; the first worker has others.
ONLY = np.array([[1, NULL, 0], [NULL, 1, NULL], [NULL, NULL, NULL]])
CELL = (1, 1)
N_DRAWS = 100_000
TOLERANCE = 4.5  # standard errors


def sparse(matrix):
    rows, columns = np.nonzero(~np.isnan(matrix))
    return sp.csr_array((matrix[rows, columns], (rows, columns)), matrix.shape), {}


def tidy(matrix):
    """Rows in unsorted order, with labels as uninformative as numbers."""
    rows, columns = np.nonzero(~np.isnan(matrix))
    order = np.argsort(-columns, kind="stable")
    rows, columns = rows[order], columns[order]
    names = {"worker": [WORKERS[k] for k in rows], "task": [TASKS[k] for k in columns]}
    return names | {"answer": matrix[rows, columns].tolist()}


def pandas_table(matrix):
    columns = tidy(matrix)
    return pd.DataFrame(columns, index=[7 * k for k in range(len(columns["task"]))]), LISTS


def polars_table(matrix):
    pl = pytest.importorskip("polars")
    types = {"worker": pl.String, "task": pl.String, "answer": pl.Float64}
    return pl.DataFrame(tidy(matrix), schema=types), LISTS


def enum_table(matrix):
    pl = pytest.importorskip("polars")
    types = {"worker": pl.Enum(WORKERS), "task": pl.Enum(TASKS), "answer": pl.Int8}
    return pl.DataFrame(tidy(matrix), schema=types, strict=False), {}


def arrow_table(matrix):
    pa = pytest.importorskip("pyarrow")
    text = pa.string()
    return pa.table(tidy(matrix), pa.schema({"worker": text, "task": text, "answer": pa.float64()})), LISTS


FORMS = {
    "array": lambda matrix: (matrix, {}),
    "list": lambda matrix: ([[None if np.isnan(x) else x for x in row] for row in matrix], {}),
    "sparse": sparse,
    "pandas": pandas_table,
    "pandas categories": lambda matrix: (pandas_table(matrix)[0].astype({"worker": "category"}), LISTS),
    "polars": polars_table,
    "polars enum": enum_table,
    "pyarrow": arrow_table,
}
MECHANISMS = {
    name: case.mechanism
    for name, case in CASES.items()
    if isinstance(case.mechanism, AnswerMechanism | Asked)
}


def mechanism_of(name):
    m = MECHANISMS[name]
    return m.mechanism if isinstance(m, Asked) else m


# These give a report for every listed pair, but protect only the values of answers to the same tasks.
VALUES_ONLY = {"MF"}


def null_is_symbol(name):
    return getattr(mechanism_of(name), "null_is_symbol", True)


def perturbed(name, form, matrix, **draw):
    """The output of the mechanism for the usual call."""
    answers, lists = FORMS[form](matrix)
    m = MECHANISMS[name]
    given = lists if null_is_symbol(name) else {}
    if isinstance(m, Asked):
        return m.mechanism.perturb(answers, m.threshold, **draw, **given)
    return m.perturb(answers, **draw, **given)


def has_exact_way(name):
    try:
        perturbed(name, "array", ONLY)
    except TypeError:
        return False
    return True


EXACT = [name for name in MECHANISMS if has_exact_way(name)]


def all_but_values(out):
    """The kind of an output, and all of its content except the reports themselves."""
    if isinstance(out, np.ndarray):
        return type(out), out.shape, out.dtype
    if sp.issparse(out):
        return type(out), out.shape, out.dtype
    if isinstance(out, pd.DataFrame):
        types = tuple(map(str, out.dtypes))
        labels = tuple(out["worker"]), tuple(out["task"])
        # This includes hidden parts: unused categories and levels, and attributes.
        levels = repr(out.index.levels) if isinstance(out.index, pd.MultiIndex) else repr(out.index.dtype)
        hidden = repr(list(out.dtypes)), levels, repr(out.columns), repr(out.attrs)
        return type(out), types, tuple(out.index), tuple(out.index.names), labels, hidden
    frame = nw.from_native(out, eager_only=True)
    return type(out), str(out.schema), tuple(frame["worker"].to_list()), tuple(frame["task"].to_list())


def with_cell(value, cell=CELL, matrix=ONLY):
    changed = matrix.copy()
    changed[cell] = value
    return changed


def neighbours(name):
    """Tables that differ in one cell, as the mechanism's neighbours do."""
    full = with_cell(0, (2, 0))
    tables = [with_cell(value, matrix=full) for value in (0, 1)]
    if null_is_symbol(name) and name not in VALUES_ONLY:
        tables += [with_cell(1), with_cell(NULL), with_cell(NULL, (0, 0))]
        silent = np.full((3, 3), NULL)
        tables += [silent, with_cell(1, matrix=silent)]
    return tables


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_neighbours_differ_only_in_reports(name, form):
    """If NULL is a symbol, tables may differ in several cells: each step is one between neighbours."""
    draws = [{"rng": 1}] + [{}] * (name in EXACT)
    kinds = {
        all_but_values(perturbed(name, form, matrix, **draw)) for matrix in neighbours(name) for draw in draws
    }
    assert len(kinds) == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_one_seed_repeats_reports_across_forms(name, form):
    """Distributions that are tested on matrices therefore hold for every form."""
    for draw in [{"rng": 5}] + [{"entropy": ByCount()}] * (name in EXACT):
        for matrix in neighbours(name):
            # For study, if NULL stays NULL, numbers are drawn for the empty cells of an array too.
            others = "rng" in draw and not null_is_symbol(name) and form not in ("array", "list")
            expected = as_matrix(perturbed(name, "sparse" if others else "array", matrix, **fresh(draw)))
            found = as_matrix(perturbed(name, form, matrix, **fresh(draw)))
            assert np.array_equal(found, expected, equal_nan=True)


class ByCount:
    """Pseudo-random bytes that are the same for the same sequence of calls."""

    def __init__(self):
        self.rng = np.random.default_rng(8)

    def __call__(self, n):
        return self.rng.bytes(n)


def fresh(draw):
    return {key: ByCount() if key == "entropy" else value for key, value in draw.items()}


def as_matrix(out):
    if isinstance(out, np.ndarray):
        return out
    dense = np.full((3, 3), NULL)
    if sp.issparse(out):
        entries = out.tocoo()
        dense[entries.coords] = entries.data
        return dense
    for worker, task, answer in nw.from_native(out, eager_only=True).iter_rows():
        dense[WORKERS.index(worker), TASKS.index(task)] = NULL if answer is None else answer
    return dense


# A mechanism for rows need not lose all of its epsilon in one cell; its own tests change whole rows.
@pytest.mark.parametrize("name", [n for n in EXACT if not isinstance(mechanism_of(n), RowMechanism)])
def test_report_probabilities_are_within_exp_epsilon(name):
    """For a row of two cells, by 10^5 draws per content of the first; other forms draw the same."""
    epsilon = mechanism_of(name).exact_epsilon
    contents = (0, 1, NULL) if null_is_symbol(name) else (0, 1)
    entropy = ByCount()
    shares = []
    for content in contents:
        out = perturbed(name, "array", np.tile([content, NULL], (N_DRAWS, 1)), entropy=entropy)
        rows, times = np.unique(np.nan_to_num(out, nan=-9), axis=0, return_counts=True)
        shares.append(dict(zip(map(tuple, rows.tolist()), times / N_DRAWS, strict=True)))
    assert len({frozenset(share) for share in shares}) == 1  # each output of one is possible for the other
    for one, other in product(shares, shares):
        for out, share in one.items():
            error = sqrt((share + exp(2 * epsilon) * other[out]) / N_DRAWS)
            assert share - exp(epsilon) * other[out] <= TOLERANCE * error
    assert (
        max(log(one[out] / other[out]) for one, other in product(shares, shares) for out in one)
        > 0.9 * epsilon
    )
