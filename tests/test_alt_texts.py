"""What is said of a figure, in its alternative text and its caption, agrees with what the page prints.

Decimals and grouped integers are compared. Whole numbers are not: of those from 1 to 20 four in five agree
with something on the page by chance, so that a wrong one would mostly pass.
"""

import json
import re

import pytest
from toc import CHAPTERS, ROOT

SVG = "image/svg+xml"


def code_cells(chapter: str) -> list[dict]:
    cells = json.loads((ROOT / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def texts_of_figures(chapter: str) -> dict[str, str]:
    """The alternative text and the caption of each figure, by the figure's name."""
    about = [cell["metadata"]["mystnb"] for cell in code_cells(chapter) if "mystnb" in cell["metadata"]]
    return {
        each["figure"]["name"]: each["image"]["alt"] + "\n" + each["figure"]["caption"]
        for each in about
        if "image" in each
    }


def printed_numbers(chapter: str) -> list[float]:
    """All numbers of a page's code and of its text and tables; what is only drawn is not printed."""
    shown = []
    for cell in code_cells(chapter):
        shown.append("".join(cell["source"]))
        for output in cell["outputs"]:
            shown.append("".join(output.get("text", "")))
            shown += ["".join(text) for kind, text in output.get("data", {}).items() if kind != SVG]
    found = re.findall(r"\d[\d,_]*(?:\.\d+)?(?:e[-+]?\d+)?", "\n".join(shown))
    return [float(re.sub("[,_]", "", number)) for number in found]


def numbers(text: str) -> list[str]:
    """Decimals and grouped integers."""
    return re.findall(r"(?<![\w.])\d{1,3}(?:,\d{3})+|(?<![\w.,])\d+\.\d+(?!\w|\.\d)", text)


def agrees(number: str, known: list[float]) -> bool:
    """Whether a known number, rounded as this one is, is this one."""
    digits = len(number.partition(".")[2])
    return any(round(other, digits) == float(number.replace(",", "")) for other in known)


def test_what_agrees():
    text = "from 0.25 to 3.5, 10,000 workers, about 4 of U(0, 0.6), v1.2.3. They fall to 0.08."
    assert numbers(text) == ["0.25", "3.5", "10,000", "0.6", "0.08"]
    assert agrees("6.6", [6.59])
    assert not agrees("6.60", [6.59])
    assert agrees("10,000", [10000.0])
    assert not agrees("5.0", [6.59])


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_numbers_said_of_a_figure_come_from_the_page(chapter):
    known = printed_numbers(chapter)
    strange = {
        name: unknown
        for name, text in texts_of_figures(chapter).items()
        if (unknown := [number for number in numbers(text) if not agrees(number, known)])
    }
    assert not strange


def test_the_book_has_figures():
    assert sum(len(texts_of_figures(chapter)) for chapter in CHAPTERS) >= 53
