"""Content that a page loses in the e-book."""

from bs4 import BeautifulSoup
from ldp_sphinx.ebook import tidy_figure, tidy_page

PAGE = """<html><head><meta name="viewport" content="a"><meta name="viewport" content="b">
<link rel="stylesheet" href="_static/ebook.css"><link rel="stylesheet" href="_static/theme.css">
<script>f()</script></head><body><!-- no --><p id="x">one</p><p id="x">two</p>
<details><summary><p>Why</p></summary><p>So.</p></details>
<section class="live-panel"><p class="live-title">T</p><p class="live-note">Moving it takes JavaScript. In
Python: <code>f</code>.</p></section><table><tr><td halign="left">1</td></tr></table></body></html>"""


def test_features_of_pages_are_removed():
    page = BeautifulSoup(tidy_page(PAGE), "html.parser")
    assert not page.select("script, details, summary, .live-title, [halign]")
    assert [sheet["href"] for sheet in page.select("link")] == ["_static/ebook.css"]
    assert len(page.select("meta[name=viewport]")) == 1
    assert len(page.select("#x")) == 1
    assert page.div.p.get_text() == "Why"
    assert page.select_one(".live-note").get_text().startswith("On the book's pages, with sliders; in Python")
    assert "<!--" not in str(page)


def test_figures_are_self_contained_and_draw_every_path():
    svg = '<!DOCTYPE svg PUBLIC "a"\n "http://b"><svg><path id="p"/><path d="M0 0"/></svg>'
    assert tidy_figure(svg) == '<svg><path d="" id="p"/><path d="M0 0"/></svg>'
