"""Exercises handed in, graded: a file, or a class."""

import argparse
import os
import sys
from pathlib import Path

import ldpcourse.exercises
from ldpcourse import _grading


def main(arguments: list[str] | None = None) -> int:
    """Grade files, or folders with a file or a folder for each student.

    A submission is a file .py or .ipynb that holds a dictionary ``ANSWERS`` from ids to answers, or calls
    ``check("ex-...", answer)``; the last answer to an exercise counts, and ``ANSWERS`` before any other. Each
    submission runs in a process of its own with limits. That keeps accidents apart and makes simple forgeries
    fail, but it is no sandbox: checks and answers share that process, where code that sets out to can read
    files or forge a result. Look through what was handed in before trusting a score.

    Parameters
    ----------
    arguments : list of str, optional
        Command line, without the program's name.

    Returns
    -------
    int
        The exit code: 0 if everything could be graded, right or wrong; 1 if something could not.

    Raises
    ------
    SystemExit
        With 2, before anything is graded, if there is no such file or folder, or the command is wrong.

    Notes
    -----
    Derived in: teaching/syllabus
    """
    limits = _grading.Limits()
    parser = argparse.ArgumentParser(
        prog="python -m ldpcourse.exercises", description=ldpcourse.exercises.__doc__
    )
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", type=Path, help="file .py or .ipynb, or a folder of a class"
    )
    parser.add_argument(
        "--csv", metavar="FILE", type=Path, help="also write student, exercise, score, message"
    )
    parser.add_argument(
        "--seconds",
        metavar="N",
        type=int,
        default=limits.seconds,
        help="to load a submission, and again for each answer (%(default)s)",
    )
    parser.add_argument(
        "--megabytes", metavar="N", type=int, default=limits.megabytes, help="of memory (%(default)s)"
    )
    options = parser.parse_args(arguments)
    for path in options.paths:
        if not os.path.lexists(path):  # a broken link is handed in, and graded 0
            parser.error(f"there is no file or folder {path}")
    if min(options.seconds, options.megabytes) < 1:
        parser.error("--seconds and --megabytes must be at least 1")
    try:
        limits = _grading.Limits(options.seconds, options.megabytes)
        return _grading.report(options.paths, options.csv, limits)
    except OSError as error:  # a folder that cannot be read, a table that cannot be written
        parser.error(str(error))


if __name__ == "__main__":
    sys.exit(main())
