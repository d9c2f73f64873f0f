"""Exercises that can be checked: right, or which property failed, without the solution.

An exercise goes by its label in the book. ``python -m ldpcourse.exercises FILE`` checks the answers in a file
of your own. Each part of the book holds its own exercises.
"""

from dataclasses import dataclass
from typing import Any

from ldpbook._lazy import PARTS
from ldpbook._validate import one_of
from ldpcourse._entries import entries_of, parts_with
from ldpcourse.exercises.exercise import KINDS, LABEL, BrokenKeyError, Exercise, fault_of

__all__ = [
    "EXERCISES",
    "BrokenKeyError",
    "Exercise",
    "Result",
    "check",
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
        What the exercise asks for: a number, a pair, a function. Numbers in it, and in what a function of
        it returns, are judged by their values: nothing counts that their class says of comparisons.

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
