"""Sphinx extension: ``{score}`` says by source, and in all, what became of its claims in the ledger."""

from collections import Counter
from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ldpbook import claims
from ldpbook.claims import Verdict

# What a source is about: its part of the book.
PARTS = {
    "sun2018truth": "sparse-answers",
    "sun2018slides": "sparse-answers",
    "li2018twolayer": "categorical-answers",
    "xiang2017privacy": "localization",
    "iyer2016privacy": "class-ratios",
}
SHORT = {
    Verdict.REPRODUCED: "reproduced",
    Verdict.READING: "under a stated reading",
    Verdict.CORRECTED: "corrected",
    Verdict.REFUTED: "refuted",
    Verdict.UNDECIDED: "undecided",
}


def counts() -> dict[str, Counter[Verdict]]:
    """How many claims of each source have which verdict."""
    found: dict[str, Counter[Verdict]] = {source: Counter() for source in PARTS}
    for claim in claims.entries():
        found[claim.source][claim.verdict] += 1
    return found


def bar(total: Counter[Verdict]) -> str:
    """The whole ledger as one bar, for the eye; its numbers stand beside it in words."""
    pieces = "".join(
        f'<span class="verdict-{verdict.name.lower()}" style="flex-grow: {n}">{n}</span>'
        for verdict, n in ((verdict, total[verdict]) for verdict in Verdict)
    )
    said = ", ".join(f"{total[verdict]} {escape(verdict)}" for verdict in Verdict)
    return f'<div class="score" role="img" aria-label="Of {total.total()} claims: {said}.">{pieces}</div>'


def table(found: dict[str, Counter[Verdict]]) -> list[str]:
    """The sources by name, each with the numbers of its verdicts, as Markdown."""
    rows = [["source", *SHORT.values(), "all"]]
    rows.append(["---", *["---:"] * (len(SHORT) + 1)])
    for source, verdicts in found.items():
        name = f"{{cite:t}}`{source}`<br>{{doc}}`/book/{PARTS[source]}/index`"
        rows.append([name, *(f"{verdicts[verdict]}" for verdict in Verdict), f"{verdicts.total()}"])
    total = sum(found.values(), Counter())
    rows.append(["**all**", *(f"**{total[verdict]}**" for verdict in Verdict), f"**{total.total()}**"])
    return ["```{table}", ":class: scores", "", *(f"| {' | '.join(row)} |" for row in rows), "```"]


class Score(SphinxDirective):
    def run(self):
        found = counts()
        picture = nodes.raw("", bar(sum(found.values(), Counter())), format="html")
        return [picture, *self.parse_text_to_nodes("\n".join(table(found)))]


def setup(app):
    app.add_directive("score", Score)
    return {"parallel_read_safe": True}
