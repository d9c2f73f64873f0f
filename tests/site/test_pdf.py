"""The printed book: `make pdf`, then this."""

import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader
from toc import HTML, PAGES, ROOT, TOC

PDF = ROOT / "_build" / "pdf" / "ldp-crowdsourcing.pdf"


@pytest.fixture(scope="module")
def pdf():
    if not PDF.exists():
        pytest.skip("no PDF in _build/pdf: run `make pdf` first")
    return PdfReader(PDF)


def titles(outline) -> list[str]:
    return [t for entry in outline for t in (titles(entry) if isinstance(entry, list) else [entry.title])]


def test_bookmarks_name_every_page(pdf):
    named = titles(pdf.outline)
    for name in PAGES:
        page = BeautifulSoup((HTML / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
        assert page.h1.get_text().removesuffix("#").strip() in named
    assert set(named) >= {part["caption"] for part in TOC["parts"]}


def test_no_sheet_is_empty_and_no_link_leads_to_the_printing_server(pdf):
    for sheet in pdf.pages:
        assert len(sheet.extract_text()) > 40
        for note in sheet.get("/Annots") or ():
            assert "127.0.0.1" not in str(note.get_object().get("/A", {}).get("/URI", ""))
