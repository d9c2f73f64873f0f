"""The e-book: `make epub`, which has epubcheck judge it, then this. Its pages against the book's."""

import posixpath
import urllib.parse
import zipfile

import pytest
from bs4 import BeautifulSoup
from toc import HTML, PAGES, ROOT

EPUB = ROOT / "_build" / "epub" / "ldp-crowdsourcing.epub"


@pytest.fixture(scope="module")
def ebook():
    if not EPUB.exists():
        pytest.skip("no e-book in _build/epub: run `make epub` first")
    with zipfile.ZipFile(EPUB) as book:
        return {name: book.read(name) for name in book.namelist()}


@pytest.fixture(scope="module")
def ebook_pages(ebook):
    return {
        name: BeautifulSoup(text, "html.parser") for name, text in ebook.items() if name.endswith(".xhtml")
    }


def numbers(page: BeautifulSoup) -> list[str]:
    return [number.get_text().removesuffix("#") for number in page.select(".eqno")]


@pytest.mark.parametrize("name", PAGES)
def test_page_has_the_formulas_and_figures_of_the_book(ebook_pages, name):
    here = ebook_pages[f"{name}.xhtml"]
    there = BeautifulSoup((HTML / f"{name}.html").read_text(encoding="utf-8"), "html.parser").article
    assert len(here.select("math")) == len(there.select("span.math, div.math"))
    assert numbers(here) == numbers(there)
    assert len(here.select("figure img")) == len(there.select("figure img"))
    assert all(image.get("alt") for image in here.select("figure img"))
    assert not here.select("script, button, details")


def test_links_lead_somewhere(ebook, ebook_pages):
    for name, page in ebook_pages.items():
        for link in page.select("a[href]"):
            address = urllib.parse.urlsplit(link["href"])
            if address.scheme:
                continue
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), address.path))
            target = target if address.path else name
            assert target in ebook, link
            if address.fragment:
                assert ebook_pages[target].find(id=urllib.parse.unquote(address.fragment)), link


def test_contents_list_every_page(ebook):
    contents = ebook["nav.xhtml"].decode()
    assert all(f'href="{page}.xhtml' in contents for page in PAGES)
