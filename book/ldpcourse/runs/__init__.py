"""The long simulations of the book, whose results are kept with a hash of the code that computed them.

``python -m ldpcourse.runs`` lists them and says whether that code is unchanged; ``--write NAME ...`` runs
them again.
"""

import json
from typing import Any

from ldpbook._lazy import PARTS
from ldpbook._validate import one_of
from ldpcourse._entries import entries_of
from ldpcourse.runs.kept import Run, code_hash, file_of, stored

__all__ = ["Run", "is_current", "run_entries", "stored"]


def run_entries() -> dict[str, Run]:
    """All runs, in the order of the parts.

    Returns
    -------
    dict of str to Run
        By name.

    Notes
    -----
    Derived in: reference/coverage
    """
    return {run.name: run for part in PARTS for run in entries_of(part, "runs")}


def head_of(run: Run) -> dict[str, Any]:
    """Contents of a run's file besides its rows."""
    return {"cell": f"{run.cell.__module__}.{run.cell.__name__}", "code": code_hash(run.cell)}


def is_current(name: str) -> bool:
    """Whether a run's results are those of its current settings and code.

    Parameters
    ----------
    name : str
        Name of a run.

    Returns
    -------
    bool
        False if it was never kept.

    Notes
    -----
    Derived in: reference/coverage
    """
    run = run_entries()[one_of("name", name, run_entries())]
    if not file_of(name).exists():
        return False
    kept = json.loads(file_of(name).read_text(encoding="utf-8"))
    columns = kept.pop("columns")
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    same = len(rows) == len(run.cells) and all(
        cell.items() <= row.items() for cell, row in zip(run.cells, rows, strict=True)
    )
    return bool(same and kept == head_of(run))
