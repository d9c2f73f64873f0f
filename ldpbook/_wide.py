"""Wide tables, a row per person and a column per question: frames, mappings of lists or lists of mappings."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ldpbook._arrays import Array
from ldpbook._crowd import _codes, labelled
from ldpbook._tables import _series, _values, eager, narwhals
from ldpbook._validate import listed


def read_columns(name: str, table: Any, choices: Mapping[str, Sequence[Any]]) -> dict[str, Array]:
    """The number of each answer's choice, nan for NULL, by column; exactly the choices' columns are allowed.

    In a list of mappings, each is one person's row, and a question that it leaves out is NULL.
    """
    columns = list(_columns(name, table, choices))
    names = [column for column, _ in columns]
    # The names are not quoted: in a file without a header they are answers.
    wrong = [f"{names.count(column)} of {column!r}" for column in choices if names.count(column) != 1]
    if wrong or len(names) > len(choices):
        got = wrong[0] if wrong else f"{len(names)} columns"
        raise ValueError(f"{name} must have the columns {list(choices)!r:.80} once each, got {got}")
    codes = {}
    for column, values in columns:
        try:
            codes[column] = _codes(values, tuple(choices[column]), "row")
        except ValueError as error:
            raise ValueError(f"{name} to question {column!r} are refused: {error}") from None
    if len({len(each) for each in codes.values()}) != 1 or any(each.ndim != 1 for each in codes.values()):
        raise ValueError(f"{name} must have columns of one length")
    return {column: codes[column] for column in choices}


def like(table: Any, codes: Mapping[str, Array], choices: Mapping[str, Sequence[Any]]) -> Any:
    """A table of the same form with other answers, the rows in the same order and with their index."""
    columns = {name: labelled(numbers, choices[name]) for name, numbers in codes.items()}
    if isinstance(table, pd.DataFrame):
        index = table.index
        # Numbers of a scale stay numbers, with nan for NULL.
        types = {name: float if isinstance(choices[name], range) else None for name in columns}
        series = {name: pd.Series(x, index, dtype=types[name]) for name, x in columns.items()}
        return pd.DataFrame(series).infer_objects()
    if isinstance(table, Mapping):
        return {name: values.tolist() for name, values in columns.items()}
    if isinstance(table, list):
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]
    nw = narwhals()
    frame = nw.from_native(table)
    return nw.from_dict({name: _series(frame, name, values) for name, values in columns.items()}).to_native()


def count_symbols(name: str, table: Any, choices: Mapping[str, Sequence[Any]]) -> list[tuple[str, list[int]]]:
    """How often each choice and, last, NULL occurs in each column."""
    found = []
    for column, codes in read_columns(name, table, choices).items():
        size = len(choices[column])
        symbols = np.where(np.isnan(codes), size, codes).astype(np.intp)
        found.append((column, np.bincount(symbols, minlength=size + 1).tolist()))
    return found


def _columns(name: str, table: Any, choices: Iterable[str]) -> Iterable[tuple[Any, Any]]:
    if isinstance(table, pd.DataFrame):
        return [(column, table.iloc[:, k]) for k, column in enumerate(table.columns)]
    if isinstance(table, Mapping):
        return [(column, listed(name, values)) for column, values in table.items()]
    if isinstance(table, list) and not table:
        raise ValueError(f"{name} must be of one person or more, got none")
    if isinstance(table, list) and all(isinstance(row, Mapping) for row in table):
        # A question that no one answered stays a column: a refusal would reveal that no one did.
        names = dict.fromkeys([*choices, *(column for row in table for column in row)])
        return [(column, [row.get(column) for row in table]) for column in names]
    frame = eager(name, table, "a table with a column for each question, or a mapping to lists")
    return [(column, _values(frame, column)) for column in frame.columns]
