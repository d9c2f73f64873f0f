"""Sheets to hand out fit on few printed pages, and on a phone."""

import pypdfium2
import pytest

SHEETS = ("die-survey", "epsilon-in-odds")


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_is_one_page_of_paper(visit, name):
    page = visit(f"book/reference/{name}")
    heading = page.locator("article h1").text_content().strip("#")
    last = page.locator("article :is(p, li)").last.text_content().split()[-1]
    margins = dict.fromkeys(("top", "right", "bottom", "left"), "15mm")
    with pypdfium2.PdfDocument(page.pdf(format="A4", margin=margins)) as paper:
        assert len(paper) == 1
        printed = paper[0].get_textpage().get_text_bounded()
    assert printed.startswith(heading)
    assert "Contents" not in printed
    assert last in printed


def printed(page):
    """The text of each page of paper."""
    margins = dict.fromkeys(("top", "right", "bottom", "left"), "15mm")
    with pypdfium2.PdfDocument(page.pdf(format="A4", margin=margins)) as paper:
        return [sheet.get_textpage().get_text_bounded() for sheet in paper]


def test_exam_and_its_key_are_separate_sheets(visit):
    questions, key = printed(visit("book/teaching/sample-exam"))
    assert "two weeks before" not in questions + key  # this is only for lecturers
    assert "Name:" in questions
    assert "Key" not in questions
    assert key.startswith("Key and points")


def test_formulas_fill_two_sides(visit):
    first, second = printed(visit("book/teaching/formulas"))
    assert "Foundations" in first
    assert "In practice" in second


@pytest.mark.parametrize(("name", "sheets"), [("activities", 4), ("model-explanation", 2)])
def test_teaching_sheets_are_few(visit, name, sheets):
    assert len(printed(visit(f"book/teaching/{name}"))) <= sheets


HANDOUTS = [
    *(f"reference/{name}" for name in SHEETS),
    *(
        f"teaching/{name}"
        for name in ("sample-exam", "formulas", "activities", "model-explanation", "self-test")
    ),
]


@pytest.mark.parametrize("name", HANDOUTS)
def test_a_sheet_fits_a_phone(visit, name):
    page = visit(f"book/{name}", viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
