"""Sphinx extension: ``{score}`` lists the sources, with the number of their claims per verdict."""

from collections import Counter
from html import escape

from docutils import nodes
from pybtex.database import parse_file
from sphinx.util.docutils import SphinxDirective

from ldp_sphinx import ROOT
from ldpcourse import ledger
from ldpcourse.ledger import Verdict

BIBLIOGRAPHY = ROOT / "book" / "references.bib"
# The part of the book about each source.
PARTS = {
    "sun2018truth": "sparse-answers",
    "sun2018slides": "sparse-answers",
    "li2018twolayer": "categorical-answers",
    "xiang2017privacy": "localization",
    "iyer2016privacy": "class-ratios",
    "heck2018rrreg": "practice",
}


def counts() -> dict[str, Counter[Verdict]]:
    """Number of claims per verdict, for each source."""
    found: dict[str, Counter[Verdict]] = {source: Counter() for source in PARTS}
    for claim in ledger.entries():
        found[claim.source][claim.verdict] += 1
    return found


def words(found: Counter[Verdict]) -> str:
    """Number of claims per verdict in words, without verdicts that no claim has."""
    return ", ".join(f"{found[verdict]} {verdict}" for verdict in Verdict if found[verdict])


def bar(found: Counter[Verdict]) -> str:
    """Number of claims per verdict as a bar, with the same in words for screen readers."""
    pieces = "".join(
        f'<span class="verdict-{verdict.name.lower()}" style="flex-grow: {n}">{n}</span>'
        for verdict in Verdict
        if (n := found[verdict])
    )
    return f'<div class="score" role="img" aria-label="{escape(words(found))}">{pieces}</div>'


def key(total: Counter[Verdict]) -> str:
    """Legend of the bars' colours, with the numbers of the whole ledger."""
    items = "".join(
        f'<li><span class="verdict-{verdict.name.lower()}">{total[verdict]}</span> {escape(verdict)}</li>'
        for verdict in Verdict
    )
    return f'<ul class="score-key">{items}</ul>'


def titles() -> dict[str, str]:
    """The sources' titles as the bibliography has them."""
    entries = parse_file(BIBLIOGRAPHY, encoding="utf-8").entries
    return {source: entries[source].fields["title"].replace("{", "").replace("}", "") for source in PARTS}


class Score(SphinxDirective):
    def run(self):
        self.env.note_dependency(str(BIBLIOGRAPHY))
        found, named = counts(), titles()
        total = sum(found.values(), Counter())
        made = [nodes.raw("", bar(total) + key(total), format="html")]
        for source, verdicts in found.items():
            line = (
                f"{{cite:t}}`{source}`, *{named[source]}*. {verdicts.total()} claims: {words(verdicts)}."
                f" See {{doc}}`/book/{PARTS[source]}/index`."
            )
            made += [*self.parse_text_to_nodes(line), nodes.raw("", bar(verdicts), format="html")]
        return made


def setup(app):
    app.add_directive("score", Score)
    return {"parallel_read_safe": True}
