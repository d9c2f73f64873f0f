"""Sphinx extension: the directive ``{coverage}`` lists how this book treats each statement of its sources.

Its argument chooses the table: ``sources``, ``data`` or ``runs``. The first two are in
``book/reference/coverage.yml``, to be read together with the papers; verdicts come from the ledger.
"""

from collections import Counter
from typing import Any

import yaml
from sphinx.util.docutils import SphinxDirective

from ldp_sphinx import ROOT
from ldpcourse import ledger
from ldpcourse.ledger import Verdict
from ldpcourse.runs import run_entries

DATA = ROOT / "book" / "reference" / "coverage.yml"


def read() -> dict[str, Any]:
    """Read ``sources``, each with its items in the source's order, and ``data``.

    Fields that the file omits from an item are filled in: its section, a name for an item without a number,
    and the chapter of the first claim that judges it.
    """
    found: dict[str, Any] = yaml.safe_load(DATA.read_text(encoding="utf-8"))
    chapters = {claim.id: claim.chapter for claim in ledger.entries()}
    for source in found["sources"]:
        source["items"] = []
        for group in source.pop("sections"):
            for item in group["items"]:
                told = {"section": group["section"], "item": str(item.get("kind")).capitalize()}
                if item.get("claims", [None])[0] in chapters:
                    told["chapter"] = chapters[item["claims"][0]]
                source["items"].append(told | item)
    return found


def _place(item: dict[str, Any]) -> str:
    """Section of an item, and its name if it is numbered."""
    said = item["item"] in (item["kind"].capitalize(), item["section"])
    place: str = item["section"] if said else f"{item['section']}: {item['item']}"
    return place


def _where(item: dict[str, Any]) -> str:
    """Chapter, functions and tests of an item."""
    lines = []
    if "chapter" in item:
        page, _, label = item["chapter"].partition("#")
        role = "numref" if label.startswith("fig-") else "prf:ref"
        lines.append(f"{{doc}}`/book/{page}`" + f" {{{role}}}`{label}`" * bool(label))
    lines += [f"{{py:obj}}`~{name}`" for name in item.get("function", ())]
    lines += [f"<small>{test.replace('::', ' ')}</small>" for test in item.get("test", ())]
    return "<br>".join(lines)


def _outcome(item: dict[str, Any], verdicts: dict[str, Verdict]) -> str:
    told = [f"{verdicts[name].badge} [{name}](#claim-{name})" for name in item.get("claims", ())]
    return "<br>".join([*told, *filter(None, [item.get("note")])])


def _table(kind: str, head: list[str], rows: list[list[str]]) -> list[str]:
    cells = [head, ["---"] * len(head), *rows]
    lines = [" | ".join(cell.replace("|", r"\|") for cell in row) for row in cells]
    return ["```{table}", f":class: {kind}", "", *(f"| {line} |" for line in lines), "```", ""]


def of_sources() -> str:
    """A summary and a table for each source, as Markdown."""
    verdicts = {claim.id: claim.verdict for claim in ledger.entries()}
    head = ["what it says", "where it says so", "where in this book", "what became of it"]
    lines = []
    for source in read()["sources"]:
        items = source["items"]
        kinds = Counter(item["kind"] for item in items)
        judged = sum("claims" in item for item in items)
        rows = [[item["says"], _place(item), _where(item), _outcome(item, verdicts)] for item in items]
        lines += [
            f"## {source['title']}",
            "",
            f"{{cite:t}}`{source['key']}`: {len(items)} rows, {judged} of them judged by the ledger."
            f" By kind: {', '.join(f'{kind} {n}' for kind, n in kinds.items())}.",
            "",
            *_table("claims coverage", head, rows),
        ]
    return "\n".join(lines)


def of_data() -> str:
    """Table of the sources' data sets, and of the data that this book uses instead, as Markdown."""
    rows = [[row["name"], f"{{cite:t}}`{row['key']}`", row["there"], row["here"]] for row in read()["data"]]
    return "\n".join(_table("claims coverage data", ["data set", "source", "there", "here"], rows))


def of_runs() -> str:
    """Table of the long simulations, as Markdown."""
    rows = [
        [name, f"{len(run.cells)}", f"`{run.cell.__module__}.{run.cell.__name__}`"]
        for name, run in run_entries().items()
    ]
    return "\n".join(_table("runs", ["run", "settings", "code"], rows))


class Coverage(SphinxDirective):
    required_arguments = 1

    def run(self):
        self.env.note_dependency(str(DATA))
        text = {"sources": of_sources, "data": of_data, "runs": of_runs}[self.arguments[0]]()
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def setup(app):
    app.add_directive("coverage", Coverage)
    return {"parallel_read_safe": True}
