"""The claims ledger: what the sources print, recomputed and judged.

``python -m ldpbook.claims`` prints it; with ``--write`` it writes the book's ledger and
errata pages.
"""

import argparse
import functools
import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ldpbook import (
    _claims_categorical_answers,
    _claims_class_ratios,
    _claims_localization,
    _claims_sparse_answers,
)
from ldpbook._claim import Claim, Verdict
from ldpbook._claims_categorical_answers import printed_table

__all__ = [
    "CLAIMS",
    "Claim",
    "Finding",
    "Verdict",
    "errata_page",
    "get",
    "judge",
    "ledger_page",
    "printed_table",
    "table",
]


@dataclass(frozen=True)
class Finding:
    """A claim with its recomputed value.

    Attributes
    ----------
    claim : Claim
        The claim.
    computed : float
        The recomputed number.
    holds : bool
        Whether it stands in the claimed relation to the printed one.
    consistent : bool
        Whether that bears the verdict out.
    """

    claim: Claim
    computed: float
    holds: bool
    consistent: bool

    @property
    def text(self) -> str:
        """The finding as a sentence, the computed number filled in."""
        return self.claim.finding.format(computed=_number(self.computed))


def judge(claim: Claim) -> Finding:
    """Recompute a claim and compare it with what is printed.

    Parameters
    ----------
    claim : Claim
        An entry of the ledger.

    Returns
    -------
    Finding
        The computed value, and whether it bears the verdict out.

    Raises
    ------
    FileNotFoundError
        If the data that the claim needs cannot be had.

    Notes
    -----
    Derived in: reference/claims

    Examples
    --------
    >>> finding = judge(get("lp-example"))
    >>> finding.holds, round(finding.computed, 3)
    (True, 14.13)
    """
    computed = _computed(claim)
    excess = computed - claim.printed
    holds = {
        "=": abs(excess) <= claim.tolerance,
        "<=": excess <= claim.tolerance,
        ">=": excess >= -claim.tolerance,
    }[claim.relation]
    supported = {
        Verdict.REPRODUCED: holds,
        Verdict.READING: holds,
        Verdict.CORRECTED: not holds,
        Verdict.REFUTED: not holds,
        Verdict.UNDECIDED: True,
    }[claim.verdict]
    return Finding(claim, computed, holds, supported and not math.isnan(computed))


@functools.cache
def _computed(claim: Claim) -> float:
    """The recomputed number; once a process, for pages that show a claim several times."""
    return float(claim.compute())


def get(claim_id: str) -> Claim:
    """The claim of that name.

    Parameters
    ----------
    claim_id : str
        Its id.

    Returns
    -------
    Claim
        The entry of the ledger.

    Raises
    ------
    ValueError
        If there is none.

    Notes
    -----
    Derived in: reference/claims

    Examples
    --------
    >>> get("mf-example").printed
    1.8
    """
    for claim in CLAIMS:
        if claim.id == claim_id:
            return claim
    raise ValueError(f"claim_id must be one of {[claim.id for claim in CLAIMS]}, got {claim_id!r}")


def table(*claim_ids: str) -> pd.DataFrame:
    """The verdicts on some claims, recomputed now.

    Parameters
    ----------
    *claim_ids : str
        Names of claims.

    Returns
    -------
    DataFrame
        One row a claim: place, printed, relation, computed, verdict; numbers as text.

    Raises
    ------
    ValueError
        If a verdict is not borne out, or there is no such claim.

    Notes
    -----
    Derived in: reference/claims

    Examples
    --------
    >>> table("mf-example").loc["mf-example", "verdict"]
    'reproduced'
    """
    findings = [judge(get(claim_id)) for claim_id in claim_ids]
    wrong = [f.claim.id for f in findings if not f.consistent]
    if wrong:
        raise ValueError(f"claim_ids must have verdicts that are borne out, got {wrong}")
    return pd.DataFrame(
        {
            "place": [f.claim.place for f in findings],
            "printed": [_number(f.claim.printed) for f in findings],
            "": [_RELATIONS[f.claim.relation] for f in findings],
            "computed": [_number(f.computed) for f in findings],
            "verdict": [str(f.claim.verdict) for f in findings],
        },
        index=list(claim_ids),
    )


CLAIMS: tuple[Claim, ...] = (
    *_claims_sparse_answers.CLAIMS,
    *_claims_categorical_answers.CLAIMS,
    *_claims_localization.CLAIMS,
    *_claims_class_ratios.CLAIMS,
)


def _number(value: float) -> str:
    """Six significant digits at most, integers whole."""
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{value:,.0f}"
    return f"{value:.3e}" if abs(value) >= 1e5 else f"{value:.6g}"


def ledger_page(findings: Iterable[Finding]) -> str:
    """The book's ledger page in MyST Markdown.

    Parameters
    ----------
    findings : iterable of Finding
        Judged claims, in order.

    Returns
    -------
    str
        The page.

    Notes
    -----
    Derived in: reference/claims

    Examples
    --------
    >>> "(claim-mf-example)=" in ledger_page([judge(get("mf-example"))])
    True
    """
    judged = list(findings)
    counts = {v: sum(f.claim.verdict == v for f in judged) for v in Verdict}
    lines = [
        "<!-- Written by `python -m ldpbook.claims --write`; a test compares it. -->",
        "# The claims ledger",
        "",
        "Every theorem and printed number of the sources that this book has reached, recomputed"
        " and judged. Each entry has an anchor of its own, names the function that recomputes it"
        " in {py:mod}`ldpbook.claims`, and is computed again by the tests.",
        "",
        "| verdict | claims |",
        "| --- | ---: |",
        *(f"| {verdict} | {number} |" for verdict, number in counts.items()),
        "",
        "## At a glance",
        "",
        "| claim | place | printed | | computed | verdict |",
        "| --- | --- | ---: | :---: | ---: | --- |",
        *(
            f"| [{f.claim.id}](#claim-{f.claim.id}) | {f.claim.place} | {_number(f.claim.printed)}"
            f" | {_RELATIONS[f.claim.relation]} | {_number(f.computed)} | {f.claim.verdict} |"
            for f in judged
        ),
        "",
        "The sign says how the computed number would have to stand to the printed one for the claim to hold.",
        "",
        "## One by one",
        "",
    ]
    for f in judged:
        lines += [
            f"(claim-{f.claim.id})=",
            f"### `{f.claim.id}`",
            "",
            f"**Claim** ({{cite:t}}`{f.claim.source}`, {f.claim.place}). {f.claim.statement}",
            "",
            f"**Verdict: {f.claim.verdict}.** {f.text}",
            "",
            f"Printed {_number(f.claim.printed)}, computed {_number(f.computed)}, tolerance"
            f" {f.claim.tolerance:g}. Derived in {{doc}}`/book/{f.claim.chapter}`"
            + (f". Takes the data of `{f.claim.needs}`." if f.claim.needs else "."),
            "",
        ]
    return "\n".join(lines).rstrip() + "\n"


_RELATIONS = {"=": "=", "<=": "≤", ">=": "≥"}


def errata_page(findings: Iterable[Finding]) -> str:
    """The book's page of errata of the sources, in MyST Markdown.

    Parameters
    ----------
    findings : iterable of Finding
        Judged claims; the corrected and refuted ones are listed.

    Returns
    -------
    str
        The page.

    Notes
    -----
    Derived in: reference/errata

    Examples
    --------
    >>> "3.551" in errata_page([judge(get("rr-example-formula"))])
    True
    """
    lines = [
        "<!-- Written by `python -m ldpbook.claims --write`; a test compares it. -->",
        "# Errata",
        "",
        "## Of the sources",
        "",
        "What a reader of the sources may want to correct in the margin. The sources' authors"
        " opened this field; nothing here lessens that. Each entry links to its proof.",
        "",
    ]
    for f in findings:
        if f.claim.verdict in (Verdict.CORRECTED, Verdict.REFUTED):
            lines += [
                f"{{cite:t}}`{f.claim.source}`, {f.claim.place}",
                f": {f.claim.statement} **{f.claim.verdict.capitalize()}:** {f.text}"
                f" ([{f.claim.id}](#claim-{f.claim.id}))",
                "",
            ]
    lines += [
        "## Of this book",
        "",
        "None known. If a number here differs from what you compute, please report it with the"
        " id of the claim; the fix comes with a test that fails without it.",
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Print the ledger, or write the pages generated from it.

    Parameters
    ----------
    arguments : list of str, optional
        Command line, without the program's name.

    Raises
    ------
    SystemExit
        If a verdict is not borne out, or the data of a claim is missing for ``--write``.

    Notes
    -----
    Derived in: reference/claims
    """
    parser = argparse.ArgumentParser(prog="python -m ldpbook.claims", description=__doc__)
    parser.add_argument("--write", metavar="FOLDER", type=Path, help="write claims.md and errata.md")
    options = parser.parse_args(arguments)
    findings, skipped = [], []
    for claim in CLAIMS:
        try:
            finding = judge(claim)
        except FileNotFoundError as error:
            skipped.append(claim.id)
            print(f"{claim.id:20} skipped: {error}")
            continue
        findings.append(finding)
        mark = "" if finding.consistent else "   <-- NOT BORNE OUT"
        print(
            f"{claim.id:20} printed {_number(claim.printed):>10} {claim.relation:2}"
            f" computed {_number(finding.computed):>10}   {claim.verdict}{mark}"
        )
    wrong = [f.claim.id for f in findings if not f.consistent]
    if wrong:
        sys.exit(f"verdicts not borne out: {', '.join(wrong)}")
    if options.write:
        if skipped:
            sys.exit(f"pages need every claim; data missing for {', '.join(skipped)}")
        (options.write / "claims.md").write_text(ledger_page(findings), encoding="utf-8")
        (options.write / "errata.md").write_text(errata_page(findings), encoding="utf-8")


if __name__ == "__main__":
    main()
