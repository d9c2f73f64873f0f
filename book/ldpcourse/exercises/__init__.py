"""Checks of answers to exercises, which name the first property that fails without giving the solution.

An exercise is named by its label in the book. ``python -m ldpcourse.exercises FILE`` checks the answers in a
file of your own. Each part of the book has a module with its exercises.
"""

from dataclasses import dataclass
from typing import Any

from ldpbook._lazy import PARTS
from ldpbook._validate import one_of
from ldpcourse._entries import entries_of, parts_with
from ldpcourse.exercises.exercise import KINDS, LABEL, BrokenKeyError, Exercise, fault_of
from ldpcourse.exercises.ready import READY

__all__ = [
    "EXERCISES",
    "BrokenKeyError",
    "Exercise",
    "Result",
    "check",
]

EXERCISES: dict[str, Exercise]  # all of them by label; the parts are imported on first access


def __getattr__(name: str) -> dict[str, Exercise]:
    if name != "EXERCISES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = {e.label: e for part in PARTS for kind in KINDS for e in entries_of(part, kind)}
    globals()[name] = found
    return found


@dataclass(frozen=True)
class Result:
    """Result of checking an answer.

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


def exercise_of(exercise_id: str) -> Exercise:
    """The exercise or question of the self-test with this label; only the part it belongs to is imported."""
    found = {e.label: e for e in READY}
    for kind in KINDS:
        if not (isinstance(exercise_id, str) and exercise_id in found):
            parts = parts_with(exercise_id, kind, LABEL)
            found |= {e.label: e for part in parts for e in entries_of(part, kind)}
    return found[one_of("exercise_id", exercise_id, found)]


def check(exercise_id: str, answer: Any) -> Result:
    """Check whether an answer is right, and if not, name the first property that fails.

    Parameters
    ----------
    exercise_id : str
        Label of the exercise, such as "ex-lp-waste"; a key of `EXERCISES`, or a question of the
        self-test.
    answer : object
        The answer that the exercise asks for: a number, a pair, a function. Numbers in it, and in the results
        of its functions, are judged by their values; comparisons defined by their class are ignored.

    Returns
    -------
    Result
        Whether the answer is right, and a message.

    Raises
    ------
    BrokenKeyError
        If the package cannot compute the expected answer. The cause is an error in the package, or something
        that is not installed, and never the answer.

    Notes
    -----
    Derived in: foundations/crowdsourcing

    Examples
    --------
    >>> print(check("ex-lp-waste", lambda k: 1.0))
    not yet: the smaller noise has the smaller variance, so the ratio is below 1
    """
    fault = fault_of(exercise_of(exercise_id).properties, answer)
    return Result(not fault, fault or "right")
