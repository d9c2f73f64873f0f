"""The decks in a real browser: every slide full and legible, at two sizes; nothing of the chapter is lost."""

import copy
import json
import re
from pathlib import Path

import pytest
from browsed import cut_off, parsed, soup, watch
from bs4 import Tag
from playwright.sync_api import Page
from toc import CHAPTERS, HTML, ROOT

SURVEY = Path(__file__).with_name("slides.js").read_text(encoding="utf-8")
SIZES = [(1280, 720), (960, 540)]
# Lines of code, lines of output (a shortened output ends with dots), rows of claims.
CODE, PRINT, CLAIMS = 12, 11, 6


@pytest.fixture(scope="module")
def screen(browser, address):
    """One browser page for all decks; a request to another address is an error."""
    page = browser.new_page(base_url=f"{address}/")
    page.troubles = []
    cut_off(page, address, page.troubles)
    watch(page, page.troubles)
    yield page
    page.close()


def entries(name: str) -> list[dict]:
    """The written slides of a chapter."""
    about = json.loads((ROOT / f"{name}.ipynb").read_text(encoding="utf-8"))["metadata"]["ldpbook"]
    return about.get("slides", [])


DECKS = [f"{name}.slides.html{more}" for name in CHAPTERS for more in ["", "?all"][: 1 + bool(entries(name))]]
WRITTEN = [name for name in CHAPTERS if entries(name)]


def opened(screen: Page, deck: str) -> None:
    screen.troubles.clear()
    screen.set_viewport_size({"width": 1280, "height": 720})
    screen.goto(deck, wait_until="load")
    screen.wait_for_selector("body[data-ready]")


def surveyed(screen: Page, width: int, height: int) -> list[dict]:
    screen.set_viewport_size({"width": width, "height": height})
    screen.wait_for_function(
        "width => Math.abs(document.querySelector('.slides').getBoundingClientRect().width - width) < 1",
        arg=width,
    )
    return screen.evaluate(SURVEY)


@pytest.mark.parametrize("deck", DECKS)
def test_slides_are_full_and_legible_and_nothing_overflows(screen, deck):
    opened(screen, deck)
    wrong = []
    for width, height in SIZES:
        slides = surveyed(screen, width, height)
        wrong += [f"{width}: empty: {s['at']}" for s in slides if s["full"] < 1 / 3]
        wrong += [f"{width}: overflows: {s['at']}" for s in slides if s["out"] > 0]
        if width == 1280:
            wrong += [f"small letters: {s['at']}" for s in slides if s["text"] < 18 or s["code"] < 16]
            wrong += [f"more than one thing: {s['at']}" for s in slides if sum(s["things"]) > 1]
            wrong += [f"much code: {s['at']}" for s in slides if s["lines"] > max(CODE, PRINT)]
            wrong += [f"a lone line of output: {s['at']}" for s in slides if s["lone"]]
            wrong += [f"many verdicts: {s['at']}" for s in slides if s["claims"] > CLAIMS]
    assert not wrong + screen.troubles


@pytest.mark.parametrize("name", WRITTEN)
def test_deck_opens_with_ten_written_slides(screen, name):
    opened(screen, f"{name}.slides.html")
    columns = screen.locator(".slides > section")
    headlines = columns.locator(".headline")
    assert headlines.count() == 10
    assert columns.nth(1).locator(".headline").count() == 1  # after the title
    assert columns.first.locator(".subtitle").inner_text()
    assert columns.locator(".punch").count() == 1
    for k, entry in enumerate(entries(name)):
        slide = columns.nth(k + 1)
        if "number" in entry and "$" not in entry["number"]:
            assert slide.locator(".number").text_content() == entry["number"].replace("'", "’")
        else:
            assert slide.locator(".shown > :is(img, .math, .statement, .number)").count() == 1
        assert slide.locator(".running a").count() == 1
        assert slide.locator("aside").text_content().startswith("Ask: ") == ("ask" in entry)
        assert "$" not in slide.text_content()
    assert not screen.troubles


def test_key_a_shows_all_slides_and_returns(screen):
    opened(screen, f"{WRITTEN[0]}.slides.html")
    assert "A for all slides" in screen.locator(".keys").inner_text()
    ten = screen.locator(".slides > section > section").count()
    screen.keyboard.press("ArrowRight")
    for address, all_slides in (("?all", True), (".slides.html", False)):
        screen.keyboard.press("a")
        screen.wait_for_url(re.compile(rf"{re.escape(address)}(=|#|$)"))
        screen.wait_for_selector("body[data-ready]")
        assert (screen.locator(".headline").count() == 0) == all_slides
        assert (screen.locator(".slides > section > section").count() > ten) == all_slides
    assert not screen.troubles


@pytest.mark.parametrize("name", WRITTEN[:3])
def test_printed_slides_take_one_page_each(screen, name):
    opened(screen, f"{name}.slides.html?print-pdf")
    screen.wait_for_selector(".pdf-page")
    heights = screen.locator(".pdf-page").evaluate_all("pages => pages.map((page) => page.offsetHeight)")
    assert max(heights) <= 720


def words(block: Tag) -> str:
    """Text without link signs, and with formulas as read aloud, so that it is the same everywhere."""
    return re.sub(r"[\s#]+", "", block.get_text())


def machine_deck(name: str) -> Tag:
    """The deck that is cut by machine; beside written slides, it is in a template, whose text is not read."""
    html = (HTML / f"{name}.slides.html").read_text(encoding="utf-8")
    made = soup(re.sub(r"(</?)template\b", r"\1div", html))
    return made.select_one("#all") or made


@pytest.mark.parametrize("name", CHAPTERS)
def test_machine_deck_has_the_chapter_and_its_words(name):
    page, deck = copy.copy(parsed(name).select_one("article section")), machine_deck(name)
    for unwanted in page.select(
        ".solution, .exercise section, .live-panel, .be-worker, .steps, details.admonition"
    ):
        unwanted.decompose()
    shown = "".join(words(block) for block in deck.select(".shown"))
    said = shown + "".join(words(block) for block in deck.select("aside.notes"))
    pictures = [image["src"] for image in deck.select(".shown img")]
    for block in page.select("details.deeper > :not(.cell)"):
        assert words(block) in said
    for folded in page.select("details.deeper"):  # folded sections are not shown on slides
        folded.decompose()
    assert pictures == [image["src"] for image in page.select("figure img")]
    for stated in [
        *page.select(".admonition > .admonition-title, #check-yourself .sd-summary-text"),
        *page.ul.select("li"),
    ]:
        assert words(stated) in shown
    for paragraph in page.select("section > section > p, .proof p, .caption-text, .tip li, .sd-card-body p"):
        assert words(paragraph) in said
    assert deck.select("aside.notes")
    assert not deck.select(".live-panel, .steps, .solution")
    assert "<mjx-merror" not in (HTML / f"{name}.slides.html").read_text(encoding="utf-8")
    links = [link["href"] for link in deck.select(".running a")]
    ids = {section["id"] for section in page.select("section[id]")}
    assert {link.partition("#")[2] for link in links} <= ids
