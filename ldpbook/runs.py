"""The long simulations of the book, whose results are kept with a hash of the code that found them.

``python -m ldpbook.runs`` lists them and says whether that code still stands; ``--write NAME ...`` runs
them again.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ldpbook._extras import install
from ldpbook._lazy import PARTS
from ldpbook._run import EVERY_EXTRA, LIMIT, ROOT, Run, code_hash, runs_of, stored
from ldpbook._validate import one_of

__all__ = ["Run", "is_current", "main", "run_entries", "stored"]


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
    return {run.name: run for part in PARTS for run in runs_of(part)}


def _file(name: str) -> Path:
    part = next(part for part in PARTS for run in runs_of(part) if run.name == name)
    return ROOT / part / "stored" / f"{name}.json"


def _head(run: Run) -> dict[str, Any]:
    """What must stand in the file of a run besides its rows."""
    return {"cell": f"{run.cell.__module__}.{run.cell.__name__}", "code": code_hash(run.cell)}


def is_current(name: str) -> bool:
    """Whether a run's results are those of its settings and of the code as it stands.

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
    if not _file(name).exists():
        return False
    kept = json.loads(_file(name).read_text(encoding="utf-8"))
    rows = kept.pop("rows")
    same = len(rows) == len(run.cells) and all(
        cell.items() <= row.items() for cell, row in zip(run.cells, rows, strict=True)
    )
    return bool(same and kept == _head(run))


def main(arguments: list[str] | None = None) -> None:
    """Print which runs are current, or run some again.

    Parameters
    ----------
    arguments : list of str, optional
        Command line, without the program's name.

    Raises
    ------
    SystemExit
        If a run is not current, a setting takes too long without a reason, or a package is missing that a
        run needs; with 2, before any is run, if there is no repository to write to.

    Notes
    -----
    Derived in: reference/coverage
    """
    try:
        with install(EVERY_EXTRA):
            _main(arguments)
    except ImportError as error:
        sys.exit(str(error))


def _main(arguments: list[str] | None) -> None:
    from ldpbook._grading import say  # it starts processes, which a browser cannot

    parser = argparse.ArgumentParser(prog="python -m ldpbook.runs", description=__doc__)
    parser.add_argument("--write", metavar="NAME", nargs="+", choices=list(run_entries()), default=[])
    names = parser.parse_args(arguments).write
    if names and not (ROOT.parent / "_toc.yml").exists():
        parser.error("--write needs the book's repository: this package is installed without it")
    for name in names:
        run = run_entries()[name]
        rows, seconds = [], []
        for k in tqdm(range(len(run.cells)), desc=name):
            begun = time.process_time()
            rows.append(json.dumps(run.row(k)))
            seconds.append(time.process_time() - begun)
        text = ",\n  ".join(rows)
        _file(name).parent.mkdir(exist_ok=True)
        head = json.dumps(_head(run))[:-1]
        _file(name).write_text(f'{head},\n "rows": [\n  {text}\n]}}\n', encoding="utf-8")
        if max(seconds) > LIMIT and not run.slow:
            sys.exit(
                f"{name} is kept, but a setting took {max(seconds):.1f} seconds of the processor, more than"
                f" {LIMIT:g}: split its settings, or say in the run why they are slow"
            )
    late = [name for name in run_entries() if not is_current(name)]
    for name, run in run_entries().items():
        say(f"{name:24} {len(run.cells):4} settings   {'RUN AGAIN' if name in late else 'current'}")
    if late:
        sys.exit(f"the code of {', '.join(late)} has changed since")


if __name__ == "__main__":
    main()
