"""The claims ledger: claims printed in the sources, recomputed and judged.

``python -m ldpcourse.ledger`` prints it; with ``--write`` it writes the book's ledger and
errata pages.
"""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from ldpbook._lazy import PARTS
from ldpbook._validate import one_of
from ldpcourse._entries import entries_of, parts_with
from ldpcourse.ledger.claim import Claim, Reading, Reply, Verdict

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Claim",
    "Finding",
    "Outcome",
    "Reading",
    "Reply",
    "Verdict",
    "Verdicts",
    "entries",
    "get",
    "judge",
    "table",
]


_ID = r'\bid="([\w-]+)"'  # how the modules of the parts write the id of a claim


@dataclass(frozen=True)
class Outcome:
    """Result of recomputing one reading.

    Attributes
    ----------
    reading : Reading
        The reading.
    computed : float
        The recomputed number.
    holds : bool
        Whether the number is in the claimed relation to the target.
    """

    reading: Reading
    computed: float
    holds: bool

    @property
    def comparison(self) -> str:
        """Sign and target that follow the computed number, such as "≈ 1.8"."""
        sign = (_RELATIONS if self.holds else _DENIED)[self.reading.relation]
        if sign == "=" and self.reading.tolerance:
            sign = "≈"
        return f"{sign} {shown(self.reading.target)}"


@dataclass(frozen=True)
class Finding:
    """A claim with its recomputed values.

    Attributes
    ----------
    claim : Claim
        The claim.
    outcomes : tuple of Outcome
        One per reading.
    """

    claim: Claim
    outcomes: tuple[Outcome, ...]

    @property
    def decisive(self) -> Outcome:
        """First reading that fails if the claim is corrected or refuted, otherwise the first that holds."""
        wanted = self.claim.verdict not in (Verdict.CORRECTED, Verdict.REFUTED)
        return next((o for o in self.outcomes if o.holds == wanted), self.outcomes[0])

    @property
    def consistent(self) -> bool:
        """Whether the readings support the verdict."""
        if any(math.isnan(o.computed) for o in self.outcomes):
            return False
        held = [o.holds for o in self.outcomes]
        return {
            Verdict.REPRODUCED: all(held),
            Verdict.READING: any(held),
            Verdict.CORRECTED: not all(held),
            Verdict.REFUTED: not all(held),
            Verdict.UNDECIDED: True,
        }[self.claim.verdict]

    @property
    def text(self) -> str:
        """The finding as text, with the deciding number filled in."""
        return self.claim.finding.format(computed=shown(self.decisive.computed))


@dataclass(frozen=True)
class Verdicts:
    """Judged claims as a table, for a page.

    Attributes
    ----------
    findings : tuple of Finding
        One row per finding.
    """

    findings: tuple[Finding, ...]

    @property
    def frame(self) -> "pd.DataFrame":
        """The table with columns claim, place, printed, computed, comparison and verdict, by id; all text."""
        import pandas as pd

        rows = {f.claim.id: _cells(f) for f in self.findings}
        return pd.DataFrame.from_dict(rows, orient="index", columns=list(_COLUMNS))

    def __repr__(self) -> str:
        """Each claim, and below it the result of each reading, for the tests that read it from chapters."""
        return "\n".join(
            line
            for f in self.findings
            for _, _, printed, computed, comparison, verdict in [_cells(f)]
            for line in (
                f"{f.claim.id}: printed {printed}, computed {computed} {comparison}: {verdict}",
                *(f"    {shown(o.computed)} {o.comparison}" for o in f.outcomes),
            )
        )

    def _repr_html_(self) -> str:
        rows = []
        for f in self.findings:
            words, *told, verdict = map(escape, _cells(f))
            claim = f"{words}<br><small>{escape(f.decisive.reading.words)}</small>"
            badge = f'<span class="verdict verdict-{f.claim.verdict.name.lower()}">{verdict}</span>'
            if f.claim.replies:
                badge += "<br><small>answered by an author: see the ledger</small>"
            rows.append("".join(f"<td>{cell}</td>" for cell in [claim, *told, badge]))
        head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
        body = "\n".join(f"<tr>{row}</tr>" for row in rows)
        return f'<table class="claims">\n<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody>\n</table>'


_COLUMNS = ("claim", "place", "printed", "computed", "comparison", "verdict")


def _cells(finding: Finding) -> tuple[str, ...]:
    """Cells of one row of the table."""
    return (
        finding.claim.statement,
        f"{_AUTHORS[finding.claim.source]}, {finding.claim.place}",
        finding.claim.printed or "–",
        shown(finding.decisive.computed),
        finding.decisive.comparison,
        str(finding.claim.verdict),
    )


def judge(claim: Claim) -> Finding:
    """Recompute a claim in each of its readings.

    Parameters
    ----------
    claim : Claim
        An entry of the ledger.

    Returns
    -------
    Finding
        The computed values, and whether they support the verdict.

    Raises
    ------
    ImportError
        If a package that the claim needs is not installed.

    Notes
    -----
    Derived in: reference/claims

    Examples
    --------
    >>> finding = judge(get("lp-example"))
    >>> finding.consistent, round(finding.decisive.computed, 3), finding.decisive.comparison
    (True, 14.13, '≈ 14.13')
    """
    return Finding(claim, tuple(map(_outcome, claim.readings)))


@functools.cache
def _outcome(reading: Reading) -> Outcome:
    """Result of one reading, computed once per process because pages may show a claim several times."""
    computed = float(reading.compute())
    excess = computed - reading.target
    holds = {
        "=": abs(excess) <= reading.tolerance,
        "<=": excess <= reading.tolerance,
        ">=": excess >= -reading.tolerance,
    }[reading.relation]
    return Outcome(reading, computed, holds)


def entries() -> Iterator[Claim]:
    """All claims of the ledger, part by part; a part is imported when its first claim is needed.

    Yields
    ------
    Claim
        In the order of the ledger.

    Notes
    -----
    Derived in: reference/claims

    Examples
    --------
    >>> next(entries()).id
    'rr-binary'
    """
    for part in PARTS:
        yield from entries_of(part, "ledger")


def get(claim_id: str) -> Claim:
    """The claim with that id.

    Parameters
    ----------
    claim_id : str
        Id of the claim, one of those on the ledger page.

    Returns
    -------
    Claim
        The entry of the ledger.

    Notes
    -----
    Derived in: reference/claims

    Examples
    --------
    >>> get("mf-example").printed
    '1.8'
    """
    parts = parts_with(claim_id, "ledger", _ID)
    found: dict[str, Claim] = {claim.id: claim for part in parts for claim in entries_of(part, "ledger")}
    return found[one_of("claim_id", claim_id, found)]


def table(*claim_ids: str) -> Verdicts:
    """Table of verdicts on some claims, recomputed now.

    Parameters
    ----------
    *claim_ids : str
        Ids of claims.

    Returns
    -------
    Verdicts
        One row per claim: statement, place, printed and computed number, comparison and verdict.

    Raises
    ------
    ValueError
        If the computed numbers do not support a verdict, or there is no such claim.

    Notes
    -----
    Derived in: reference/claims

    Examples
    --------
    >>> table("mf-example")
    mf-example: printed 1.8, computed 1.79788 ≈ 1.8: reproduced
        1.79788 ≈ 1.8
    """
    findings = tuple(judge(get(claim_id)) for claim_id in claim_ids)
    wrong = [f.claim.id for f in findings if not f.consistent]
    if wrong:
        raise ValueError(f"claim_ids must have verdicts that are borne out, got {wrong}")
    return Verdicts(findings)


_AUTHORS = {
    "sun2018truth": "Sun et al. 2018",
    "sun2018slides": "Sun et al., slides",
    "li2018twolayer": "Li et al. 2018",
    "xiang2017privacy": "Xiang, slides 2017",
    "iyer2016privacy": "Iyer et al. 2016",
    "heck2018rrreg": "Heck and Moshagen 2018",
}
_RELATIONS = {"=": "=", "<=": "≤", ">=": "≥"}
_DENIED = {"=": "≠", "<=": ">", ">=": "<"}
BAR = "&#124;"  # replaces "|" in a row of a table, where a plain bar would begin the next column


def shown(value: float) -> str:
    """The value with at most six significant digits, or whole if it is an integer."""
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{value:,.0f}"
    return f"{value:.3e}" if abs(value) >= 1e5 else f"{value:.6g}"
