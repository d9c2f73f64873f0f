"""The sheet of formulas: each is in its chapter, under the label that the sheet names."""

import re

import pytest
from toc import CHAPTERS, ROOT, notebook_cells

SHEET = (ROOT / "book" / "teaching" / "formulas.md").read_text(encoding="utf-8")
LINES = re.findall(r"^- .+ \(?\{(eq|prf:ref)\}`([\w-]+)`\)?: \$(.+)\$$", SHEET, re.MULTILINE)
TEXT = "\n\n".join(
    "".join(cell["source"])
    for chapter in CHAPTERS
    for cell in notebook_cells(chapter)
    if cell["cell_type"] == "markdown"
)


def stated(role, label):
    """The formula with this label, or the text of the definition or theorem."""
    if role == "eq":
        [found] = re.findall(rf"^\$\$\n((?:(?!\$\$).*\n)*)\$\$ \({label}\)", TEXT, re.MULTILINE)
    else:
        fence = rf"^(`{{3,}})\{{prf:\w+\}}[^\n]*\n:label: {label}\n(.*?)\n\1$"
        [(_, found)] = re.findall(fence, TEXT, re.MULTILINE | re.DOTALL)
    return " ".join(found.split())


@pytest.mark.parametrize(("role", "label", "formula"), LINES)
def test_formula_is_that_of_its_chapter(role, label, formula):
    source = stated(role, label)
    assert (formula == source.rstrip(" .,")) if role == "eq" else (formula in source)


def test_every_line_of_the_sheet_is_read():
    assert len(LINES) == SHEET.count("\n- ")
    assert len({label for _, label, _ in LINES}) == len(LINES)
