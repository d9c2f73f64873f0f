"""Exercises that can be checked: right, or which property failed, without the solution.

An exercise goes by its label in the book. ``python -m ldpbook.exercises answers.py`` grades a file.
Each part of the book holds its own.
"""

import argparse
import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldpbook._course import entries_of, parts_with
from ldpbook._exercise import BrokenKeyError, Exercise
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

# The first are judged by the standard library alone, so that a page can do it in the reader's browser.
_KINDS = ("exercises", "array_exercises")
_LABEL = r'Exercise\(\s*"(ex-[\w-]+)"'  # how the modules of the parts write an exercise's name

EXERCISES: dict[str, Exercise]  # all of them by label; the parts are imported when it is asked for


def __getattr__(name: str) -> dict[str, Exercise]:
    if name != "EXERCISES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = {e.label: e for part in PARTS for kind in _KINDS for e in entries_of(part, kind)}
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
    for kind in _KINDS:
        if not (isinstance(exercise_id, str) and exercise_id in found):
            parts = parts_with(exercise_id, kind, _LABEL)
            found |= {e.label: e for part in parts for e in entries_of(part, kind)}
    for failing, holds in found[one_of("exercise_id", exercise_id, found)].properties:
        try:
            fulfilled = bool(holds(answer))
        except BrokenKeyError:
            raise
        except Exception as error:  # whatever a reader's function raises is part of the answer
            return Result(False, f"not yet: {failing} ({type(error).__name__}: {error})")
        if not fulfilled:
            return Result(False, f"not yet: {failing}")
    return Result(True, "right")


def main(arguments: list[str] | None = None) -> None:
    """Grade a file that holds a dictionary ``ANSWERS`` from ids to answers.

    Parameters
    ----------
    arguments : list of str, optional
        Command line, without the program's name.

    Raises
    ------
    SystemExit
        If there is no such file, or it has no ``ANSWERS``.

    Notes
    -----
    Derived in: teaching/syllabus
    """
    parser = argparse.ArgumentParser(prog="python -m ldpbook.exercises", description=__doc__)
    parser.add_argument("file", help="Python file with a dictionary ANSWERS")
    options = parser.parse_args(arguments)
    if not Path(options.file).is_file():
        parser.error(f"there is no file {options.file}")
    answers = runpy.run_path(options.file).get("ANSWERS")
    if not isinstance(answers, dict):
        parser.error(f"{options.file} has no dictionary ANSWERS")
    n_right = n_checked = 0
    for name, answer in answers.items():
        try:
            result = check(name, answer)
        except (BrokenKeyError, ImportError) as error:
            cause = error.__cause__ if isinstance(error, BrokenKeyError) else error
            why = cause if isinstance(cause, ImportError) else error
            print(f"{name:24} not checked: {why}")
            continue
        except (TypeError, ValueError):
            print(f"{name!s:24} not checked: there is no such exercise")
            continue
        print(f"{name:24} {result}")
        n_right, n_checked = n_right + result.right, n_checked + 1
    print(f"{n_right} of {n_checked} right")


if __name__ == "__main__":
    main()
