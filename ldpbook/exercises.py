"""Exercises that can be checked: right, or which property failed, without the solution.

An exercise goes by its label in the book. ``python -m ldpbook.exercises PATH`` grades a file, or a class.
Each part of the book holds its own.
"""

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldpbook._course import entries_of, parts_with
from ldpbook._exercise import KINDS, LABEL, BrokenKeyError, Exercise, fault_of
from ldpbook._lazy import PARTS
from ldpbook._validate import one_of

__all__ = [
    "EXERCISES",
    "BrokenKeyError",
    "Exercise",
    "Result",
    "check",
    "main",
]

EXERCISES: dict[str, Exercise]  # all of them by label; the parts are imported when it is asked for


def __getattr__(name: str) -> dict[str, Exercise]:
    if name != "EXERCISES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = {e.label: e for part in PARTS for kind in KINDS for e in entries_of(part, kind)}
    globals()[name] = found
    return found


@dataclass(frozen=True)
class Result:
    """What became of an answer.

    Attributes
    ----------
    right : bool
        Whether all properties hold.
    message : str
        "right", or the property that failed.
    """

    right: bool
    message: str

    def __str__(self) -> str:
        return self.message


def check(exercise_id: str, answer: Any) -> Result:
    """Say whether an answer is right, or what about it is not.

    Parameters
    ----------
    exercise_id : str
        Its label, such as "ex-lp-waste"; a key of `EXERCISES`.
    answer : object
        What the exercise asks for: a number, or a function.

    Returns
    -------
    Result
        Truth and message.

    Raises
    ------
    BrokenKeyError
        If the package cannot compute what the answer is compared with: a fault of the package, or
        something that is not installed, and never of the answer.

    Notes
    -----
    Derived in: foundations/crowdsourcing

    Examples
    --------
    >>> print(check("ex-lp-waste", lambda k: 1.0))
    not yet: the smaller noise has the smaller variance, so the ratio is below 1
    """
    found: dict[str, Exercise] = {}
    for kind in KINDS:
        if not (isinstance(exercise_id, str) and exercise_id in found):
            parts = parts_with(exercise_id, kind, LABEL)
            found |= {e.label: e for part in parts for e in entries_of(part, kind)}
    fault = fault_of(found[one_of("exercise_id", exercise_id, found)].properties, answer)
    return Result(not fault, fault or "right")


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
    from ldpbook import _grading  # it starts processes, which a browser cannot

    limits = _grading.Limits()
    parser = argparse.ArgumentParser(prog="python -m ldpbook.exercises", description=__doc__)
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
