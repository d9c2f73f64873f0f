"""The claims ledger: what the sources print, recomputed and judged.

``python -m ldpbook.claims`` prints it; with ``--write`` it writes the book's ledger and
errata pages.
"""

import argparse
import functools
import math
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ldpbook._claim import Claim, Reading, Reply, Verdict
from ldpbook._course import entries_of, parts_with
from ldpbook._lazy import PARTS
from ldpbook._validate import one_of

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
    "errata_page",
    "get",
    "judge",
    "ledger_page",
    "table",
]


_ID = r'\bid="([\w-]+)"'  # how the modules of the parts write a claim's name


@dataclass(frozen=True)
class Outcome:
    """What became of one reading.

    Attributes
    ----------
    reading : Reading
        The reading.
    computed : float
        The recomputed number.
    holds : bool
        Whether it stands in the claimed relation to the target.
    """

    reading: Reading
    computed: float
    holds: bool

    @property
    def comparison(self) -> str:
        """How the computed number stands to the target, to be read after it."""
        sign = (_RELATIONS if self.holds else _DENIED)[self.reading.relation]
        if sign == "=" and self.reading.tolerance:
            sign = "≈"
        return f"{sign} {_number(self.reading.target)}"


@dataclass(frozen=True)
class Finding:
    """A claim with its recomputed values.

    Attributes
    ----------
    claim : Claim
        The claim.
    outcomes : tuple of Outcome
        One for each reading.
    """

    claim: Claim
    outcomes: tuple[Outcome, ...]

    @property
    def decisive(self) -> Outcome:
        """The first reading that fails, for what is corrected or refuted; else the first that holds."""
        wanted = self.claim.verdict not in (Verdict.CORRECTED, Verdict.REFUTED)
        return next((o for o in self.outcomes if o.holds == wanted), self.outcomes[0])

    @property
    def consistent(self) -> bool:
        """Whether the readings bear the verdict out."""
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
        """The finding as a sentence, the deciding number filled in."""
        return self.claim.finding.format(computed=_number(self.decisive.computed))


@dataclass(frozen=True)
class Verdicts:
    """Judged claims as a table, for a page.

    Attributes
    ----------
    findings : tuple of Finding
        One row each.
    """

    findings: tuple[Finding, ...]

    @property
    def frame(self) -> "pd.DataFrame":
        """Columns claim, place, printed, computed, comparison and verdict, by id; all text."""
        import pandas as pd

        rows = {f.claim.id: _cells(f) for f in self.findings}
        return pd.DataFrame.from_dict(rows, orient="index", columns=list(_COLUMNS))

    def __repr__(self) -> str:
        """Each claim, and below it what became of each reading, for the tests that read it from chapters."""
        return "\n".join(
            line
            for f in self.findings
            for _, _, printed, computed, comparison, verdict in [_cells(f)]
            for line in (
                f"{f.claim.id}: printed {printed}, computed {computed} {comparison}: {verdict}",
                *(f"    {_number(o.computed)} {o.comparison}" for o in f.outcomes),
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
    """A row of the table."""
    return (
        finding.claim.statement,
        f"{_AUTHORS[finding.claim.source]}, {finding.claim.place}",
        finding.claim.printed or "–",
        _number(finding.decisive.computed),
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
        The computed values, and whether they bear the verdict out.

    Raises
    ------
    FileNotFoundError, ImportError
        If the data, or the package, that the claim needs cannot be had.

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
    """Computed once a process, for pages that show a claim several times."""
    computed = float(reading.compute())
    excess = computed - reading.target
    holds = {
        "=": abs(excess) <= reading.tolerance,
        "<=": excess <= reading.tolerance,
        ">=": excess >= -reading.tolerance,
    }[reading.relation]
    return Outcome(reading, computed, holds)


def entries() -> Iterator[Claim]:
    """All claims of the ledger, part by part; a part is imported when its first claim is asked for.

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
        yield from entries_of(part, "claims")


def get(claim_id: str) -> Claim:
    """The claim of that name.

    Parameters
    ----------
    claim_id : str
        Its id, one of those on the page of the ledger.

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
    parts = parts_with(claim_id, "claims", _ID)
    found: dict[str, Claim] = {claim.id: claim for part in parts for claim in entries_of(part, "claims")}
    return found[one_of("claim_id", claim_id, found)]


def table(*claim_ids: str) -> Verdicts:
    """The verdicts on some claims, recomputed now.

    Parameters
    ----------
    *claim_ids : str
        Names of claims.

    Returns
    -------
    Verdicts
        One row a claim: what is claimed, its place, what is printed and computed, how they compare,
        and the verdict.

    Raises
    ------
    ValueError
        If a verdict is not borne out, or there is no such claim.

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


# Entries that became readings of another one: their anchors stay on the page.
MERGED = {
    "rr-example-formula": "rr-example",
    "mf-privacy-values": "mf-privacy",
    "mf-defined": "mf-sparsity",
    "mf-half-small": "mf-half",
    "flip-range": "flip-privacy",
    "vote-bound-turned": "vote-bound",
    "vote-bound-weak": "vote-bound",
    "dirichlet-best-tight": "dirichlet-best",
    "dirichlet-mnist-tight": "dirichlet-mnist",
}

_AUTHORS = {
    "sun2018truth": "Sun et al. 2018",
    "sun2018slides": "Sun et al., slides",
    "li2018twolayer": "Li et al. 2018",
    "xiang2017privacy": "Xiang, slides 2017",
    "iyer2016privacy": "Iyer et al. 2016",
}
_RELATIONS = {"=": "=", "<=": "≤", ">=": "≥"}
_DENIED = {"=": "≠", "<=": ">", ">=": "<"}
_BAR = "&#124;"  # in a row of a table, where a bar itself would begin the next column


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
        "What the sources claim and this book has reached, recomputed and judged. Each entry has an anchor of"
        " its own and is computed again by the tests.",
        "",
        "| verdict | claims |",
        "| --- | ---: |",
        *(f"| {verdict} | {number} |" for verdict, number in counts.items()),
        "",
        "## At a glance",
        "",
        "What a source prints stands in the column *printed*, and a dash where it prints no number. The"
        " comparison is read after the computed number: *2.498 > 0.1008* says how they stand to one another,"
        " whatever the claim.",
        "",
        "```{table}",
        ":class: claims",
        "",
        "| claim | place | printed | computed | comparison | verdict |",
        "| --- | --- | ---: | ---: | --- | --- |",
        *(
            f"| {f.claim.statement.replace('|', _BAR)} [{f.claim.id}](#claim-{f.claim.id}) | {row.place}"
            f" | {row.printed}"
            f" | {row.computed} | {row.comparison}"
            f" | {f.claim.verdict.badge} |"
            for f, row in zip(judged, Verdicts(tuple(judged)).frame.itertuples(), strict=True)
        ),
        "```",
        "",
        "## One by one",
        "",
        "Readings stand in the order in which they were tried, the most charitable that the text allows"
        " first. A claim that holds under each is *reproduced*, under one of them *reproduced under a stated"
        " reading*; what is refuted or corrected fails in the case named, whatever else holds. Authors of a"
        " source can answer each entry: {doc}`/book/reference/right-of-reply`.",
        "",
    ]
    for f in judged:
        lines += [
            f"(claim-{f.claim.id})=",
            f"### `{f.claim.id}`",
            "",
            f"**Claim** ({{cite:t}}`{f.claim.source}`, {f.claim.place}). {f.claim.statement}"
            + (f" Printed: {f.claim.printed}." if f.claim.printed else ""),
            "",
            f"**Verdict: {f.claim.verdict}.** {f.text}",
            "",
            "Readings tried:",
            "",
            *(
                f"1. {o.reading.words} Computed {_number(o.computed)} {o.comparison}:"
                f" {'holds' if o.holds else 'does not hold'}"
                + (f" (tolerance {o.reading.tolerance:.2g})." if o.reading.tolerance else ".")
                for o in f.outcomes
            ),
            "",
            f"Derived in {{doc}}`/book/{f.claim.chapter}`"
            + (f". Takes the data of `{f.claim.needs}`." if f.claim.needs else "."),
            "",
            *_replies(f.claim),
        ]
    lines += ["## Entries that became readings of others", ""]
    for old, new in MERGED.items():
        lines += [f"(claim-{old})=", f"`{old}` is now a reading of [{new}](#claim-{new}).", ""]
    return "\n".join(lines).rstrip() + "\n"


def _as_written(words: str) -> list[str]:
    """Lines of Markdown that show somebody's words letter by letter, each line and its blanks kept."""
    lines = [
        re.sub(r"[!-/:-@\[-`{-~]", r"\\\g<0>", re.sub(r"^ +| (?= )", _unbreakable, line.rstrip()))
        for line in words.expandtabs(4).splitlines()
    ]
    # A backslash at the end of a line breaks it there.
    return [line + "\\" * bool(line and after) for line, after in zip(lines, [*lines[1:], ""], strict=True)]


def _unbreakable(blanks: re.Match[str]) -> str:
    return "\N{NO-BREAK SPACE}" * len(blanks[0])


def _replies(claim: Claim) -> list[str]:
    """What authors have said to an entry, as it stands beside it."""
    lines = []
    for reply in claim.replies:
        (author,) = _as_written(reply.author)
        quoted = [f"> {line}".rstrip() for line in _as_written(reply.words)]
        outcome = f"*What became of it:* {reply.outcome}" if reply.outcome else "*Being looked into.*"
        lines += [f"**{author} answers** ({reply.date}):", "", *quoted, "", outcome, ""]
    return lines


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
    >>> "770" in errata_page([judge(get("web-answers"))])
    True
    """
    findings, wrong = list(findings), (Verdict.CORRECTED, Verdict.REFUTED)
    lines = [
        "<!-- Written by `python -m ldpbook.claims --write`; a test compares it. -->",
        "# Errata",
        "",
        "## Of the sources",
        "",
        "What a reader of the sources may want to correct in the margin. The sources' authors"
        " opened this field; nothing here lessens that. Each entry links to its proof. An author's answer is"
        " kept beside the entry, in the author's own words: {doc}`/book/reference/right-of-reply`.",
        "",
    ]
    for f in findings:
        if f.claim.verdict in wrong:
            lines += [
                f"- {{cite:t}}`{f.claim.source}` ({f.claim.place}) say: {f.claim.statement}"
                f" **{f.claim.verdict.capitalize()}.** {f.text} The case: {f.decisive.reading.words}"
                f" ([{f.claim.id}](#claim-{f.claim.id}))",
                "",
                *("  " * bool(line) + line for line in _replies(f.claim)),
            ]
    lines += [
        "## Of this book",
        "",
        "Verdicts that were changed stand in the repository's `CHANGELOG.md`, by the id of their claims."
        " Those that an author has answered:",
        "",
    ]
    answered = [f for f in findings if f.claim.replies and f.claim.verdict not in wrong]
    for f in answered:
        lines += [
            f"- [{f.claim.id}](#claim-{f.claim.id}), now **{f.claim.verdict}**.",
            "",
            *("  " * bool(line) + line for line in _replies(f.claim)),
        ]
    lines += [
        *([] if answered else ["None so far.", ""]),
        "No other error is known. If a number here differs from what you compute, please report it with the"
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
        If a verdict is not borne out, the claims of a part cannot be imported, or the data or a package of a
        claim is missing for ``--write``; with 2, before anything is computed, if its folder cannot be
        written to.

    Notes
    -----
    Derived in: reference/claims
    """
    from ldpbook import datasets
    from ldpbook._grading import say  # it starts processes, which a browser cannot

    parser = argparse.ArgumentParser(prog="python -m ldpbook.claims", description=__doc__)
    parser.add_argument("--write", metavar="FOLDER", type=Path, help="write claims.md and errata.md")
    options = parser.parse_args(arguments)
    folder = options.write
    if folder and not (folder.is_dir() and os.access(folder, os.W_OK)):
        parser.error(f"--write needs a folder that is there and can be written to, got {folder}")
    findings, skipped = [], []
    try:
        for claim in entries():
            try:
                try:  # by themselves: then it is not the computation that a ValueError tells of
                    if claim.needs:
                        getattr(datasets, claim.needs)()
                except (EOFError, OSError, ValueError) as error:
                    raise FileNotFoundError(f"{claim.needs}: {error}") from error
                finding = judge(claim)
            except (FileNotFoundError, ImportError) as error:
                skipped.append(claim.id)
                say(f"{claim.id:20} skipped: {error}")
                continue
            findings.append(finding)
            mark = "" if finding.consistent else "   <-- NOT BORNE OUT"
            say(
                f"{claim.id:20} printed {claim.printed or '-':>10}"
                f"  computed {_number(finding.decisive.computed):>10} {finding.decisive.comparison}"
                f"   {claim.verdict}{mark}"
            )
    except ImportError as error:  # of a module of claims: none of its part can be told
        sys.exit(f"the ledger ends here, for the next part's claims cannot be imported: {error}")
    say(f"{len(findings)} judged, {len(skipped)} skipped")
    wrong = [f.claim.id for f in findings if not f.consistent]
    if wrong:
        sys.exit(f"verdicts not borne out: {', '.join(wrong)}")
    if folder:
        if skipped:
            sys.exit(f"pages need every claim; data or packages missing for {', '.join(skipped)}")
        (folder / "claims.md").write_text(ledger_page(findings), encoding="utf-8")
        (folder / "errata.md").write_text(errata_page(findings), encoding="utf-8")


if __name__ == "__main__":
    main()
