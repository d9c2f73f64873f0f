"""What a claim is, and what may become of it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Verdict(StrEnum):
    """What became of a claim."""

    REPRODUCED = "reproduced"
    READING = "reproduced under a stated reading"
    CORRECTED = "corrected"
    REFUTED = "refuted by counterexample"
    UNDECIDED = "cannot be decided from what is published"


@dataclass(frozen=True)
class Claim:
    """One statement of a source.

    Attributes
    ----------
    id : str
        Name of the claim in the ledger, its anchor on the page.
    source, place : str
        Bibliography key, and where in the source.
    statement : str
        What is claimed, in our words.
    printed : float
        The printed number; for a bound, its value as printed in the case computed.
    relation : {"=", "<=", ">="}
        How the computed value must stand to the printed one for the claim to hold.
    compute : callable
        Recomputes the number; takes nothing, returns a float.
    tolerance : float
        Largest difference that counts as agreement: half a unit of the last printed digit,
        or nothing where the computation is exact.
    verdict : Verdict
        The judgement that the computation has to bear out.
    finding : str
        What holds instead, or under which reading; ``{computed}`` stands for the number.
    chapter : str
        Where the book derives it.
    needs : str
        The loader in :mod:`ldpbook.datasets` whose data it takes; empty if none.
    """

    id: str
    source: str
    place: str
    statement: str
    printed: float
    relation: Literal["=", "<=", ">="]
    compute: Callable[[], float]
    tolerance: float
    verdict: Verdict
    finding: str
    chapter: str
    needs: str = ""
