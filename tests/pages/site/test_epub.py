"""The e-book's pages against the book's. Run `make epub` first, which also runs epubcheck."""

import itertools
import os
import re
import zipfile
from xml.etree import ElementTree

import pytest
from browsed import parsed, soup
from bs4 import BeautifulSoup
from drawn import contrast
from ldp_sphinx import NAME
from ldp_sphinx.ebook import ACCESSIBILITY
from toc import CHAPTERS, PAGES, ROOT, notebook_cells

EPUB = ROOT / "_build" / "epub" / f"{NAME}.epub"

OPF, DC = "{http://www.idpf.org/2007/opf}", "{http://purl.org/dc/elements/1.1/}"


@pytest.fixture(scope="module")
def ebook():
    if not EPUB.exists():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no _build/epub: run `make epub` first")
    with zipfile.ZipFile(EPUB) as book:
        return {name: book.read(name) for name in book.namelist()}


@pytest.fixture(scope="module")
def ebook_pages(ebook):
    return {name: soup(text.decode()) for name, text in ebook.items() if name.endswith(".xhtml")}


def numbers(page: BeautifulSoup) -> list[str]:
    return [number.get_text().removesuffix("#") for number in page.select(".eqno")]


@pytest.mark.parametrize("name", PAGES)
def test_page_has_the_formulas_and_figures(ebook_pages, name):
    here = ebook_pages[f"{name}.xhtml"]
    there = parsed(name).article
    assert len(here.select("math")) == len(there.select("span.math, div.math"))
    assert numbers(here) == numbers(there)
    said = [image.get("alt") for image in here.select("figure img")]
    assert all(said)
    assert said == [image["alt"] for image in there.select("figure img")]
    if name in CHAPTERS:
        about = [cell["metadata"].get("mystnb", {}) for cell in notebook_cells(name)]
        assert said == [each["image"]["alt"] for each in about if "image" in each]
    assert not here.select("script, button, details")


def test_contents_list_every_page(ebook):
    contents = ebook["nav.xhtml"].decode()
    assert all(f'href="{page}.xhtml' in contents for page in PAGES)


def test_book_states_language_and_accessibility_metadata(ebook, ebook_pages):
    package = ElementTree.fromstring(ebook["content.opf"])
    said = [(meta.get("property", ""), meta.text) for meta in package.iter(f"{OPF}meta")]
    assert [(name, value) for name, value in said if name.startswith("schema:")] == [
        (f"schema:{name}", value) for name, value in ACCESSIBILITY
    ]
    (rights,) = package.iter(f"{DC}rights")
    assert "creativecommons.org/licenses/by/4.0" in rights.text
    assert not [*package.iter(f"{DC}contributor")]
    for name, page in ebook_pages.items():
        assert page.html["lang"] == page.html["xml:lang"] == "en", name
        assert len(page.select("meta[name=viewport]")) <= 1, name
        assert "not set" not in page.title.get_text(), name
    marks = ebook_pages["nav.xhtml"].select("nav[epub\\:type=landmarks] a")
    assert [mark["epub:type"] for mark in marks] == ["bodymatter", "bibliography"]
    assert all(mark["href"] in ebook for mark in marks)


def test_accessibility_statements_are_true(ebook_pages):
    assert all(image.get("alt") for page in ebook_pages.values() for image in page.select("img"))
    assert any(page.select("math") for page in ebook_pages.values())
    for name in PAGES:
        headings = [int(heading.name[1]) for heading in ebook_pages[f"{name}.xhtml"].select("h1, h2, h3, h4")]
        assert headings[0] == 1
        assert all(below <= above + 1 for above, below in itertools.pairwise(headings)), name


def test_faults_found_by_ace_stay_fixed(ebook, ebook_pages):
    """Ace by DAISY 1.4.6 found faint code, empty headings, and boxes that could not be scrolled by key."""
    code = ebook["_static/pygments.css"].decode()
    colours = set(re.findall(r"[{ ]color: (#[0-9A-Fa-f]{6})", code)) - {"#000000"}
    assert len(colours) > 3
    (behind,) = re.findall(r"div\.highlight \{ background: (#\w+);", ebook["_static/ebook.css"].decode())
    assert min(contrast(colour, behind) for colour in colours) >= 4.5
    for name, page in ebook_pages.items():
        for heading in page.select("th"):
            assert heading.get_text(strip=True), name
            assert heading["scope"] in ("col", "row", "colgroup", "rowgroup"), name
        assert all(box["tabindex"] == "0" for box in page.select("div.math")), name
        assert not page.select("[role=doc-biblioentry]"), name
    assert ebook_pages["nav.xhtml"].select_one("nav[epub\\:type=toc]")["role"] == "doc-toc"
