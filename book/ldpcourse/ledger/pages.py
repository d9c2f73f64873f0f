"""Pages of the book for the ledger and the errata, written from judged claims."""

import re
from collections.abc import Iterable

from ldpcourse.ledger import BAR, Finding, Verdicts, shown
from ldpcourse.ledger.claim import Claim, Verdict

# Entries that became readings of another entry; their anchors stay on the page.
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


def ledger_page(findings: Iterable[Finding]) -> str:
    """The book's ledger page in MyST Markdown, with judged claims in order."""
    judged = list(findings)
    counts = {v: sum(f.claim.verdict == v for f in judged) for v in Verdict}
    lines = [
        "<!-- Written by `python -m ldpcourse.ledger --write`; a test compares it. -->",
        "# The claims ledger",
        "",
        "Claims of the sources that this book covers so far, recomputed and judged. Each entry has its own"
        " anchor, and the tests recompute it.",
        "",
        "| verdict | claims |",
        "| --- | ---: |",
        *(f"| {verdict} | {number} |" for verdict, number in counts.items()),
        "",
        "## At a glance",
        "",
        "The column *printed* has the number that a source prints, or a dash if it prints none. The"
        " comparison follows the computed number: *2.498 > 0.1008* says how the computed and the claimed"
        " number compare, whatever the claim.",
        "",
        "```{table}",
        ":class: claims",
        "",
        "| claim | place | printed | computed | comparison | verdict |",
        "| --- | --- | ---: | ---: | --- | --- |",
        *(
            f"| {f.claim.statement.replace('|', BAR)} [{f.claim.id}](#claim-{f.claim.id}) | {row.place}"
            f" | {row.printed}"
            f" | {row.computed} | {row.comparison}"
            f" | {f.claim.verdict.badge} |"
            for f, row in zip(judged, Verdicts(tuple(judged)).frame.itertuples(), strict=True)
        ),
        "```",
        "",
        "## One by one",
        "",
        "Readings are in the order in which they were tried, starting with the most charitable one that the"
        " text allows. A claim that holds under each reading is *reproduced*; one that holds under at least"
        " one of them is *reproduced under a stated reading*. A claim that is refuted or corrected fails in"
        " the case named, whatever else holds. Authors of a source can answer each entry:"
        " {doc}`/book/reference/right-of-reply`.",
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
                f"1. {o.reading.words} Computed {shown(o.computed)} {o.comparison}:"
                f" {'holds' if o.holds else 'does not hold'}"
                + (f" (tolerance {o.reading.tolerance:.2g})." if o.reading.tolerance else ".")
                for o in f.outcomes
            ),
            "",
            f"Derived in {{doc}}`/book/{f.claim.chapter}`.",
            "",
            *_replies(f.claim),
        ]
    lines += ["## Entries that became readings of others", ""]
    for old, new in MERGED.items():
        lines += [f"(claim-{old})=", f"`{old}` is now a reading of [{new}](#claim-{new}).", ""]
    return "\n".join(lines).rstrip() + "\n"


def _as_written(words: str) -> list[str]:
    """Lines of Markdown that show someone's words letter by letter, with each line and its blanks kept."""
    lines = [
        re.sub(r"[!-/:-@\[-`{-~]", r"\\\g<0>", re.sub(r"^ +| (?= )", _unbreakable, line.rstrip()))
        for line in words.expandtabs(4).splitlines()
    ]
    # A backslash at the end of a line breaks it there.
    return [line + "\\" * bool(line and after) for line, after in zip(lines, [*lines[1:], ""], strict=True)]


def _unbreakable(blanks: re.Match[str]) -> str:
    return "\N{NO-BREAK SPACE}" * len(blanks[0])


def _replies(claim: Claim) -> list[str]:
    """Answers of authors to an entry, as shown next to it."""
    lines = []
    for reply in claim.replies:
        (author,) = _as_written(reply.author)
        quoted = [f"> {line}".rstrip() for line in _as_written(reply.words)]
        outcome = f"*What became of it:* {reply.outcome}" if reply.outcome else "*Being looked into.*"
        lines += [f"**{author} answers** ({reply.date}):", "", *quoted, "", outcome, ""]
    return lines


def errata_page(findings: Iterable[Finding]) -> str:
    """The errata page of the sources in MyST Markdown, with the claims that were corrected or refuted."""
    findings, wrong = list(findings), (Verdict.CORRECTED, Verdict.REFUTED)
    lines = [
        "<!-- Written by `python -m ldpcourse.ledger --write`; a test compares it. -->",
        "# Errata",
        "",
        "## Of the sources",
        "",
        "Readers of the sources may want to make these corrections in the margin. The sources' authors opened"
        " this field; nothing here lessens that. Each entry links to its proof. An author's answer appears"
        " with the entry, in the author's own words: {doc}`/book/reference/right-of-reply`.",
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
        "Verdicts that were changed are listed in the repository's `CHANGELOG.md`, by the id of their claims."
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
