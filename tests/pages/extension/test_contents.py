"""The contents of the side bar: parts that unfold, chapters with their subtitles."""

from bs4 import BeautifulSoup
from ldp_sphinx import chapters, contents

PLAN = {"One": ["one/index", "one/a"], "Two": ["two"], "Three": [contents.API, f"{contents.API}/x"]}


def listed(here: str) -> BeautifulSoup:
    def show(page: str) -> str:
        return contents.entry(page, page.upper(), "A < B", f"{page}.html", page == here)

    return BeautifulSoup(contents.listing(PLAN, here, show), "html.parser")


def test_only_the_current_part_is_open():
    for here, opened in [("one/a", ["One"]), ("two", []), (contents.API, ["Three"])]:
        parts = listed(here).select("details[open] > summary")
        assert [part.get_text() for part in parts] == opened
        current = listed(here).select("li.current.active > a[aria-current=page]")
        assert [link["href"] for link in current] == [f"{here}.html"]


def test_part_of_one_page_is_a_link():
    assert [part.get_text() for part in listed("").select("summary")] == ["One", "Three"]
    assert listed("").select_one("ul > li > a[href='two.html']")


def test_pages_of_the_api_wait_for_it():
    assert not listed("one/a").select_one(f"a[href='{contents.API}/x.html']")
    assert listed(contents.API).select_one(f"a[href='{contents.API}/x.html']")


def test_subtitle_stands_below_the_title():
    assert listed("").small.get_text() == "A < B"
    assert chapters.subtitle("book/sparse-answers/laplace") == "Fill the holes, then add noise"
    assert chapters.subtitle("book/sparse-answers/index") == ""


def test_every_chapter_has_a_subtitle():
    every = [chapter.name for group in chapters.chapters().values() for chapter in group]
    subtitles = [chapters.subtitle(f"book/{name}") for name in every]
    assert all(len(line) > 5 and "*" not in line for line in subtitles)
    assert len({*subtitles}) == len(every)
