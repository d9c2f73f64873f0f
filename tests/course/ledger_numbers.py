"""The numbers in the ledger's text, and the cells that recompute those that no reading computes.

``python tests/course/ledger_numbers.py`` keeps the entries of ``ledger_numbers.json`` that still agree with
the ledger, proposes the others and prints its proposals, as `prose_numbers.py` does for chapters. A number
in a claim's statement or finding is one that a reading computes or is compared with. Any other has an entry,
which points at a cell of the claim's chapter, at the words of its readings or at its statement. A page and a
colon before a name point at a cell of another chapter, as in ``"class-ratios/few-large-sets:cell-04.out.8"``.
An empty entry stands for a number that no cell shows: one of the source alone, a round bound, or one that
only the code of a claim computes.
"""

import json
import re
from pathlib import Path

import prose_numbers
from course.test_ledger import CLAIMS, shown as judged
from prose_numbers import Number
from toc import notebook_cells

from ldpcourse.ledger import Finding

TABLE = Path(__file__).with_name("ledger_numbers.json")
CALL = re.compile(r"ledger\.table\([^)]*\)")


def without_table(cell: dict) -> dict:
    """A cell without a table of claims, whose numbers are those of the ledger itself."""
    if cell["cell_type"] != "code" or not CALL.search(source := "".join(cell["source"])):
        return cell
    outputs = [out for out in cell["outputs"] if 'class="claims"' not in str(out)]
    return cell | {"source": CALL.sub("", source), "outputs": outputs}


def around(finding: Finding) -> tuple[list[dict], int]:
    """The cells that entries may point at, and the place of the claim's table among them."""
    claim, cells = finding.claim, notebook_cells(f"book/{finding.claim.chapter}")
    calls = ["".join(CALL.findall("".join(cell["source"]))) for cell in cells]
    place = next(k for k, call in enumerate(calls) if f'"{claim.id}"' in call) + 1
    cells = [without_table(cell) for cell in cells]
    said = {"words": " ".join(reading.words for reading in claim.readings), "statement": claim.statement}
    cells[place:place] = [
        {"cell_type": "code", "id": name, "source": "", "outputs": [{"text": text}]}
        for name, text in said.items()
    ]
    return cells, place


def shown_numbers(finding: Finding, entries: list[str]) -> dict[str, prose_numbers.Shown]:
    """Numbers that entries may point at: those around a claim, and those of other pages that entries name."""
    shown = prose_numbers.shown_numbers(around(finding)[0])
    pages = {page for entry in entries for page in re.findall(r"(\S+):", entry)}
    for page in pages:
        cells = [without_table(cell) for cell in notebook_cells(f"book/{page}")]
        shown |= {f"{page}:{name}": number for name, number in prose_numbers.shown_numbers(cells).items()}
    return shown


def not_computed(finding: Finding) -> list[tuple[str, Number]]:
    """The numbers of a statement and finding, with their texts, that no reading of the claim computes."""
    known = [abs(x) for o in finding.outcomes for x in (o.computed, o.reading.target)]
    return [
        (text, number)
        for text in (
            prose_numbers.prose({"source": text}) for text in (finding.claim.statement, finding.text)
        )
        for number in prose_numbers.numbers(text)
        if not any(number.agrees(factor * x) for x in known for factor in (1, number.factor))
    ]


def faults(finding: Finding, entries: list[str]) -> list[str]:
    """Every number of a claim that is neither computed by a reading nor what its entry says."""
    wanted, shown = not_computed(finding), shown_numbers(finding, entries)
    if len(wanted) != len(entries):
        told = [prose_numbers.around(*each) for each in wanted]
        return [f"{len(entries)} entries for the {len(wanted)} numbers that no reading computes: {told}"]
    return [
        f"{fault}: {prose_numbers.around(text, number)}"
        for (text, number), entry in zip(wanted, entries, strict=True)
        if entry and (fault := prose_numbers.fault_of(entry, number, shown))
    ]


def bind(finding: Finding, kept: list[str]) -> tuple[list[str], list[str]]:
    """The entries of a claim, and a line per new entry with the text and the shown number."""
    cells, place = around(finding)
    places = {cell["id"]: k for k, cell in enumerate(cells)}
    wanted, shown = not_computed(finding), shown_numbers(finding, kept)
    return prose_numbers.proposed(finding.claim.id, wanted, kept, place, places, shown)


def main() -> None:
    kept, table = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}, {}
    for finding in map(judged, CLAIMS):
        entries, lines = bind(finding, kept.get(finding.claim.id, []))
        if entries:
            table[finding.claim.id] = entries
        print(*lines, sep="\n", end="\n" if lines else "")
    TABLE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
