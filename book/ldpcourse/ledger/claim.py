"""What a claim is, how it may be read, and what may become of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Any, Literal


class Verdict(StrEnum):
    """What became of a claim."""

    REPRODUCED = "reproduced"
    READING = "reproduced under a stated reading"
    CORRECTED = "corrected"
    REFUTED = "refuted by counterexample"
    UNDECIDED = "cannot be decided from what is published"

    @property
    def badge(self) -> str:
        """The verdict in Markdown, with its class for the style sheet."""
        return f"[{self}]{{.verdict .verdict-{self.name.lower()}}}"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One way to take a claim, and the computation that tells whether it then holds.

    Attributes
    ----------
    words : str
        How the claim is taken, and in which case it is tried; what `compute` returns.
    compute : callable
        Recomputes a number; takes nothing, returns a float.
    relation : {"=", "<=", ">="}
        How the computed number must stand to the target for the claim to hold.
    target : float
        A printed number, or what the claim implies in the case that is tried.
    tolerance : float
        Largest difference that counts as agreement: half a unit of the last printed digit,
        a stated number of standard errors, or 0 where the computation is exact.
    """

    words: str
    compute: Callable[[], float]
    relation: Literal["=", "<=", ">="]
    target: float
    tolerance: float = 0.0


def tried(
    compute: Callable[..., float],
    relation: Literal["=", "<=", ">="],
    target: float,
    *cases: tuple[Any, ...],
    tolerance: float = 0.0,
) -> tuple[Reading, ...]:
    """Readings that ask the same of one computation: each case is its words, then the arguments."""
    return tuple(
        Reading(
            words=words,
            compute=partial(compute, *arguments),
            relation=relation,
            target=target,
            tolerance=tolerance,
        )
        for words, *arguments in cases
    )


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What an author of a source says to an entry of the ledger, kept beside it.

    Attributes
    ----------
    author : str
        Who says it.
    date : datetime.date
        When it came.
    words : str
        The author's own, whole and unchanged.
    outcome : str
        What became of the verdict, and why, in a sentence; empty until that is known.
    """

    author: str
    date: date
    words: str
    outcome: str = ""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One statement of a source.

    Attributes
    ----------
    id : str
        Name of the claim in the ledger, its anchor on the page.
    source, place : str
        Bibliography key, and where in the source.
    statement : str
        What is claimed, in our words: a full sentence that stands on its own.
    printed : str, optional
        The number as the source prints it; None if it prints none.
    readings : tuple of Reading
        The readings tried, the most charitable one that the text allows first.
    verdict : Verdict
        The judgement that the readings have to bear out.
    finding : str
        What holds instead, or under which reading; ``{computed}`` stands for the number of the
        deciding reading.
    chapter : str
        Where the book derives it.
    replies : tuple of Reply
        What the source's authors have said to it, in the order in which it came.
    """

    id: str
    source: str
    place: str
    statement: str
    readings: tuple[Reading, ...]
    verdict: Verdict
    finding: str
    chapter: str
    printed: str | None = None
    replies: tuple[Reply, ...] = ()
