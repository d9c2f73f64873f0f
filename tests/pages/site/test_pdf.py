"""The printed book, built by `make pdf`. Every inner link is followed to its chapter."""

import bisect
import copy
import functools
import os
import re
import unicodedata
import urllib.parse
from collections import Counter

import pikepdf
import pypdfium2
import pytest
from browsed import parsed
from ldp_sphinx import NAME, licences, typeset
from pikepdf import Array, Dictionary, Pdf
from print_pdf import LEFT_OUT, address_of
from toc import HTML, PAGES, ROOT, TOC

PDF = ROOT / "_build" / "pdf" / f"{NAME}.pdf"


@pytest.fixture(scope="module")
def pdf():
    if not PDF.exists():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no PDF in _build/pdf: run `make pdf` first")
    with Pdf.open(PDF) as book:
        yield book


@pytest.fixture(scope="module")
def text_on(pdf):
    """A function that returns the text of a sheet."""
    with pypdfium2.PdfDocument(PDF) as book:
        yield functools.cache(lambda n: book[n].get_textpage().get_text_bounded())


@functools.cache
def article(name: str):
    text = copy.copy(parsed(name).select_one("article.bd-article"))
    for unwanted in text.select(LEFT_OUT):
        unwanted.decompose()
    return text


@functools.cache
def named(name: str) -> dict:
    """The elements of a chapter that have an id, by that id."""
    return {place["id"]: place for place in article(name).find_all(id=True)}


def letters(text: str) -> str:
    """A text without the parts that printing may change: blanks and signs; ligatures become letters."""
    return re.sub(r"\W", "", unicodedata.normalize("NFKC", text))


@pytest.fixture(scope="module")
def bookmarks(pdf) -> list[pikepdf.OutlineItem]:
    def flat(items) -> list:
        return [each for item in items for each in (item, *flat(item.children))]

    with pdf.open_outline() as outline:
        return flat(outline.root)


@pytest.fixture(scope="module")
def sheet_of(pdf):
    """A function that returns the number of the sheet that a destination names."""
    numbers = {sheet.obj.objgen: n for n, sheet in enumerate(pdf.pages)}
    return lambda there: numbers[there[0].objgen]


@pytest.fixture(scope="module")
def starts(bookmarks, sheet_of) -> list[int]:
    """The sheets on which chapters start, by the bookmarks, in the order of the contents."""
    titles, found = [article(name).h1.get_text().strip() for name in PAGES], []
    for entry in bookmarks:
        if len(found) < len(titles) and entry.title.strip() == titles[len(found)]:
            found.append(sheet_of(entry.destination))
    assert len(found) == len(PAGES), f"no bookmark for {titles[len(found)]}"
    return found


@pytest.fixture(scope="module")
def structure(pdf) -> list[tuple[str, str]]:
    """Kind and words of each element of the tree of tags."""
    found, below = [], [pdf.Root.StructTreeRoot]
    while below:
        node = below.pop()
        if isinstance(node, Array):
            below += list(node)
        elif isinstance(node, Dictionary):
            if "/S" in node:
                found.append((str(node.S), str(node.get("/Alt", ""))))
            if "/K" in node:
                below.append(node.K)
    return found


def test_bookmarks_name_every_part_and_section(bookmarks, starts):
    named = {re.sub(r"\s+", " ", entry.title).strip() for entry in bookmarks}
    assert named >= {part["caption"] for part in TOC["parts"] if "caption" in part}
    for name in PAGES:
        assert named >= {
            re.sub(r"\s+", " ", heading.get_text()).strip()
            for heading in article(name).select("h1, h2")
            if not heading.select(".math")
        }
    assert starts == sorted(set(starts))


def test_pdf_is_tagged_with_language_and_title(pdf, structure):
    assert pdf.Root.MarkInfo.Marked
    assert pdf.Root.Lang == "en"
    assert pdf.Root.ViewerPreferences.DisplayDocTitle
    assert str(pdf.docinfo.Title) == "Local Differential Privacy for Crowdsourcing"
    kinds = {kind for kind, _ in structure}
    assert {"/H1", "/P", "/Figure", "/Table", "/L", "/Link"} <= kinds


def test_every_figure_has_alternative_text(structure):
    said = [words for kind, words in structure if kind == "/Figure"]
    assert all(said)
    assert {image["alt"] for name in PAGES for image in article(name).select("img")} <= set(said)


def test_every_formula_has_alternative_text(structure):
    """There are as many formulas as on the pages, each with words, read as text and not as a figure."""
    said = Counter(words for kind, words in structure if kind == "/Formula")
    assert said.total() == sum(len(article(name).select("mjx-container")) for name in PAGES)
    assert not said[""]
    page = (HTML / "book/sparse-answers/laplace.html").read_text(encoding="utf-8")
    formulas = re.findall(r"<math.*?</math>", page, re.DOTALL)
    assert len(formulas) > 100
    assert Counter(map(typeset.words, formulas)) <= said
    assert not {words for kind, words in structure if kind == "/Figure"} & said.keys()


@pytest.fixture(scope="module")
def links(pdf) -> list[tuple[int, str, str]]:
    """The sheet, the destination and the address of each link."""
    return [
        (
            n,
            urllib.parse.unquote(str(note.get("/Dest", "")).removeprefix("/")),
            str(note.get("/A", Dictionary()).get("/URI", "")),
        )
        for n, sheet in enumerate(pdf.pages)
        for note in sheet.get("/Annots", ())
    ]


@pytest.fixture(scope="module")
def places(pdf, sheet_of) -> dict[str, int]:
    """The sheet of each named destination."""
    return {
        urllib.parse.unquote(name.removeprefix("/")): sheet_of(there)
        for name, there in pdf.Root.Dests.items()
    }


def test_licence_and_address_are_on_first_pages(text_on, links, starts):
    opening = range(starts[0], starts[1])
    assert "textandfiguresareunderccby40" in letters("".join(map(text_on, opening))).lower()
    assert licences.CC_BY in {address for n, _, address in links if n in opening}


def test_every_inner_link_leads_to_its_chapter(links, places, starts):
    """The chapters have the same links to targets as the pages, and each target is in its chapter."""
    meant = {
        (name, address_of(link["href"], name).removeprefix("#"))
        for name in PAGES
        for link in article(name).select("a[href]")
        if address_of(link["href"], name).startswith("#") and link.get_text().strip()
    }

    def chapter(sheet: int) -> str:
        return PAGES[bisect.bisect_right(starts, sheet) - 1]

    found = {(chapter(n), there) for n, there, _ in links if there}
    assert found == meant
    for _, there in meant:
        assert chapter(places[there]) == there.split("--")[0], there


def test_link_targets_hold_the_linked_title(text_on, places):
    """The title of a chapter, section, theorem or exercise is on the sheet to which its links lead."""
    looked = 0
    for name, sheet in places.items():
        chapter, _, fragment = name.partition("--")
        meant = named(chapter)[fragment] if fragment else article(chapter)
        title = meant.select_one("h1, h2, h3, .admonition-title")
        if title and not title.select(".math"):
            there = letters(text_on(sheet))  # titles of adjacent boxes are extracted line by line
            assert all(letters(part) in there for part in title.stripped_strings), name
            looked += 1
    assert looked > 100


def test_no_sheet_is_empty_or_links_to_server(pdf, links):
    for n, sheet in enumerate(pdf.pages):
        letters_drawn = re.findall(rb"[0-9A-F]{4}(?=[0-9A-F]*> Tj)", sheet.Contents.read_bytes())
        assert len(letters_drawn) > 40, n
    outside = [address for _, _, address in links if address]
    assert outside
    assert all(urllib.parse.urlsplit(address).scheme == "https" for address in outside)
