"""The map shows every chapter, with a link and an arc from each prerequisite."""

from itertools import pairwise

from bs4 import BeautifulSoup
from ldp_sphinx import chapters
from ldp_sphinx.chapters import Chapter

PLAN = {
    "One": [Chapter("one/a", 1, "First", ()), Chapter("one/b", 2, "A < B, " + "long " * 12, ("one/a",))],
    "Two": [Chapter("two/c", 3, "Third", ("one/b", "one/a"))],
}
MAP = BeautifulSoup(chapters.drawing(PLAN, "book/index"), "html.parser").svg


def test_every_chapter_is_linked_and_described():
    links = MAP.select("a")
    assert [link["href"] for link in links] == [
        "one/index.html",
        "one/a.html",
        "one/b.html",
        "two/index.html",
        "two/c.html",
    ]
    assert MAP.select("title")[1].get_text().startswith("2 A < B, long")
    assert MAP.select("title")[2].get_text() == "3 Third (needs 2, 1)"
    assert chapters.drawing(PLAN, "book/teaching/notes").count('href="../one/a.html"') == 1


def test_arcs_run_down_from_prerequisites():
    arcs = {(arc["data-from"], arc["data-to"]): arc for arc in MAP.select(".map-arc")}
    assert set(arcs) == {("one/a", "one/b"), ("one/b", "two/c"), ("one/a", "two/c")}
    heights = {a["data-name"]: float(a.circle["cy"]) for a in MAP.select(".map-chapter")}
    for (above, below), arc in arcs.items():
        assert heights[above] < heights[below]
        assert arc["d"].startswith(f"M{chapters.TEXT - 12} {heights[above]:g}C")
        assert arc["d"].endswith(f" {heights[below]:g}")


def test_nothing_overlaps_or_leaves_the_canvas():
    width, height = map(float, MAP["viewbox"].split()[2:])
    lines = [float(part["y"]) for part in MAP.select("tspan, .map-part")]
    assert all(below - above >= chapters.LINE for above, below in pairwise(lines))
    assert max(lines) < height
    longest = max(MAP.select("tspan"), key=lambda part: len(part.get_text()))
    assert chapters.TEXT + 6.3 * len(longest.get_text()) < width


def test_list_agrees_with_the_map():
    told = list(chapters.listing(PLAN))
    assert told[0] == "- {doc}`One </book/one/index>`"
    assert told[1] == "  - 1 {doc}`/book/one/a`, needs no other"
    assert told[-1] == "  - 3 {doc}`/book/two/c`, needs {doc}`2 </book/one/b>`, {doc}`1 </book/one/a>`"


def test_part_without_caption_continues_the_previous_one():
    found = chapters.parts()
    assert "Foundations" in found
    assert found["Foundations"][:2] == ["book/foundations/index", "book/foundations/crowdsourcing"]
    assert next(iter(found)) == ""
    numbers = [chapter.number for group in chapters.chapters().values() for chapter in group]
    assert numbers == list(range(1, len(numbers) + 1))
