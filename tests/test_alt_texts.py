"""Numbers in a figure's alternative text and caption agree with the printed numbers of the page.

Decimals, with their sign, and grouped integers are compared. Other integers are not: of those from 1 to 20
four in five agree with something on the page by accident, so a wrong one would mostly pass. Numbers of two
digits often do so too, so they must occur near the figure: in the output of its section, in its cell or on
its axes. Two thirds of randomly planted wrong numbers are found.
"""

import re
from typing import NamedTuple

import pytest
from prose_numbers import Number, outputs, source
from toc import CHAPTERS, notebook_cells

SVG = "image/svg+xml"
NUMBER = r"(?<![\w.)])-?\d[\d,_]*(?:\.\d+)?(?:e[-+]?\d+)?"


class Figure(NamedTuple):
    name: str
    text: str
    near: list[float]


def ascii_signs(text: str) -> str:
    return re.sub(r"\N{MINUS SIGN}|\b(?:minus|negative)\s+(?=\d)", "-", text, flags=re.IGNORECASE)


def values(shown: list[str]) -> list[float]:
    return [float(re.sub("[,_]", "", n)) for n in re.findall(NUMBER, ascii_signs("\n".join(shown)))]


def drawn(cell: dict) -> list[str]:
    """The labels of a figure, which matplotlib stores next to their outlines."""
    pictures = ["".join(output.get("data", {}).get(SVG, "")) for output in cell["outputs"]]
    return re.findall(r"<!-- (.*?) -->", "".join(pictures))


def sections(chapter: str) -> list[list[dict]]:
    """The code cells under each heading of the second level."""
    found: list[list[dict]] = [[]]
    for cell in notebook_cells(chapter):
        if cell["cell_type"] == "code":
            found[-1].append(cell)
        elif re.search(r"^## ", source(cell), re.MULTILINE):
            found.append([])
    return found


def figures(chapter: str) -> list[Figure]:
    """The description of each figure of a page, and the numbers near it."""
    found = []
    for section in sections(chapter):
        output = [outputs(cell) for cell in section]
        for cell in section:
            about = cell["metadata"].get("mystnb", {})
            if "image" in about:
                text = about["image"]["alt"] + "\n" + about["figure"]["caption"]
                near = values([*output, source(cell), *drawn(cell)])
                found.append(Figure(about["figure"]["name"], text, near))
    return found


def numbers(text: str) -> list[str]:
    """Decimals with their sign, and grouped integers."""
    return re.findall(r"(?<![\w.])-?\d{1,3}(?:,\d{3})+|(?<![\w.,])-?\d+\.\d+(?!\w|\.\d)", ascii_signs(text))


def agrees(number: str, known: list[float]) -> bool:
    """Whether a known number, rounded like this one, equals this one."""
    return any(Number(number, 0, 1).agrees(other) for other in known)


def rare(number: str) -> bool:
    """Whether a number rarely agrees with others by accident: it has three digits, or is grouped."""
    return len(number.replace(".", "").lstrip("-0")) >= 3


# Printed in another section of the page, or read off the drawing by the author; each was checked by hand.
ELSEWHERE = {
    "fig-lp-loss": {"-0.9"},
    "fig-lp-bound": {"0.1", "2.5"},
    "fig-rr-epsilon": {"0.5", "4.5"},
    "fig-mf-null": {"-0.5", "0.5"},
    "fig-size": {"-0.4"},
    "fig-descent": {"1.1"},
    "fig-rr-bound": {"0.1", "0.4", "2.5"},
    "fig-shift": {"0.1"},
    "fig-gain": {"4.5"},
    "fig-birds-accuracy": {"0.78"},
    "fig-birds-weights": {"0.3"},
    "fig-reuse": {"2.2"},
    "fig-worker": {"0.59", "0.69"},
    "fig-peer-grading": {"0.11"},
    "fig-duchenne": {"0.06", "0.07", "0.12", "0.14", "0.18", "0.23"},
    "fig-birds-printed": {"0.08"},
    "fig-true-epsilon": {"0.08", "0.09"},
    "fig-class-shift": {"0.08"},
    "fig-purity-privacy": {"0.015"},
    "fig-dirichlet-delta": {"0.0082", "0.78"},
    "fig-distortion-classes": {"0.05"},
    "fig-distortion-share": {"0.025"},
    "fig-distortion-epsilon": {"0.01"},
    "fig-private-mnist": {"1.6"},
    "fig-private-digits": {"1.6"},
    "fig-step-one": {"4.5"},
    "fig-link": {"0.5"},
    "fig-mechanism-map": {"0.25"},
    "fig-known-frequency": {"2.6", "3.7", "3.9"},
}


def strange(figure: Figure, page: list[float]) -> list[str]:
    """The numbers in a figure's description that do not occur where they should."""
    listed = ELSEWHERE.get(figure.name, set())
    return [
        number
        for number in numbers(figure.text)
        if not (agrees(number, figure.near) or number in listed or (rare(number) and agrees(number, page)))
    ]


def printed_numbers(chapter: str) -> list[float]:
    """All numbers in a page's code, text and tables, without drawings."""
    cells = [cell for cell in notebook_cells(chapter) if cell["cell_type"] == "code"]
    return values([text for cell in cells for text in (source(cell), outputs(cell))])


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_numbers_describing_figures_come_from_the_page(chapter):
    page = printed_numbers(chapter)
    assert not {figure.name: found for figure in figures(chapter) if (found := strange(figure, page))}


def test_a_wrong_number_is_found():
    page, near = [6.59, 0.37, 14.13, 2000.0], [0.25, -0.4]
    said = "5.1 or 0.37, from minus 0.25 to 0.4, 14.31 of 2,001"
    wrong = ["5.1", "0.37", "-0.25", "0.4", "14.31", "2,001"]
    assert strange(Figure("planted", said, near), page) == wrong
    right = "about 6.59, from 0.25 to minus 0.4, 14.13 of 2,000"
    assert not strange(Figure("planted", right, near), page)


def test_numbers_from_elsewhere_are_reported():
    """If only the drawing shows the sign, at least the digits are on the page."""
    said = {figure.name: (figure, chapter) for chapter in CHAPTERS for figure in figures(chapter)}
    for name, listed in ELSEWHERE.items():
        figure, chapter = said[name]
        page = [abs(number) for number in printed_numbers(chapter)]
        assert listed <= set(numbers(figure.text))
        assert not [number for number in listed if agrees(number, figure.near)]
        assert all(agrees(number.removeprefix("-"), page) for number in listed), name
