"""Claims, their readings and their verdicts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Any, Literal


class Verdict(StrEnum):
    """Judgement on a claim."""

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
    """One interpretation of a claim, and the computation that decides whether it then holds.

    Attributes
    ----------
    words : str
        How the claim is interpreted, the case in which it is tried, and the number that `compute` returns.
    compute : callable
        Recomputes a number; takes nothing, returns a float.
    relation : {"=", "<=", ">="}
        Relation of the computed number to the target that makes the claim hold.
    target : float
        A printed number, or the number that the claim implies in the case that is tried.
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
    """Readings that share one computation; each case is its words, then the arguments."""
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
    """Answer of a source's author to an entry of the ledger.

    Attributes
    ----------
    author : str
        Name of the author.
    date : datetime.date
        Date of the answer.
    words : str
        The author's own words, complete and unchanged.
    outcome : str
        Effect on the verdict, and the reason, in a sentence; empty until that is known.
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
        Name of the claim in the ledger, from which its anchor on the page is made.
    source, place : str
        Bibliography key, and place in the source.
    statement : str
        The claim in our words: full sentences that stand on their own.
    printed : str, optional
        The number as the source prints it, or None if it prints none.
    readings : tuple of Reading
        The readings tried, starting with the most charitable one that the text allows.
    verdict : Verdict
        The judgement that the readings have to support.
    finding : str
        The result that holds instead, or the reading under which the claim holds; ``{computed}`` stands
        for the number of the deciding reading.
    chapter : str
        Chapter of the book that derives it.
    replies : tuple of Reply
        Answers of the source's authors, in the order in which they came.
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
