"""List which long simulations of the book are current, or run some again."""

import argparse
import json
import sys
import time

from tqdm import tqdm

import ldpcourse.runs
from ldpcourse._console import say
from ldpcourse._install import install
from ldpcourse.runs import head_of, is_current, run_entries
from ldpcourse.runs.kept import EVERY_EXTRA, FOLDERS, LIMIT, file_of


def main(arguments: list[str] | None = None) -> None:
    """Print which runs are current, or run some again.

    Parameters
    ----------
    arguments : list of str, optional
        Command line, without the program's name.

    Raises
    ------
    SystemExit
        If a run is not current, a setting takes too long without a reason, or a package needed by a run is
        missing. With 2, before any is run, if there is no repository to write to.

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
    parser = argparse.ArgumentParser(prog="python -m ldpcourse.runs", description=ldpcourse.runs.__doc__)
    parser.add_argument("--write", metavar="NAME", nargs="+", choices=list(run_entries()), default=[])
    names = parser.parse_args(arguments).write
    if names and not (FOLDERS["ldpbook"].parent / "_toc.yml").exists():
        parser.error("--write needs the book's repository: this package is installed without it")
    for name in names:
        run = run_entries()[name]
        rows, seconds = [], []
        for k in tqdm(range(len(run.cells)), desc=name):
            begun = time.process_time()
            rows.append(run.row(k))
            seconds.append(time.process_time() - begun)
        names = dict.fromkeys(column for row in rows for column in row)
        text = ",\n  ".join(f"{json.dumps(c)}: {json.dumps([row.get(c) for row in rows])}" for c in names)
        head = json.dumps(head_of(run))[:-1]
        file_of(name).write_text(f'{head},\n "columns": {{\n  {text}}}}}\n', encoding="utf-8")
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
