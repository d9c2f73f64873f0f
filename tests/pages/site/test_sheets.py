"""Two sheets to hand out fit on one printed page each, and on a phone."""

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


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_fits_a_phone(visit, name):
    page = visit(f"book/reference/{name}", viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
