"""A page's text becomes part of the whole book: names include their chapter, and links lead there."""

import pytest
from print_pdf import address_of, chapter

PAGE = """<article class="bd-article">
<section id="top">
<h1>Title<a class="headerlink" href="#t">#</a></h1>
<p>See <a href="#proof">here</a>, <a href="../b/other.html#proof">there</a>,
<a href="../b/other.html">all</a>,
<a href="https://example.org/x.html#y">out</a>.</p><section id="s"><h2>Two</h2><h3>Three</h3>
<details><summary>Why</summary><p id="proof">So.</p></details>
<figure><img loading="lazy" src="../../_images/f.svg"></figure>
<section class="live-panel"></section></section></section></article>"""


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("#x", "#book/a/one--x"),
        ("two.html#x", "#book/a/two--x"),
        ("../b/other.html", "#book/b/other"),
        ("../index.html#x", "#book/index--x"),
        ("https://example.org/a.html#x", "https://example.org/a.html#x"),
        ("mailto:a@example.org", "mailto:a@example.org"),
    ],
)
def test_addresses_name_the_chapter(href, expected):
    assert address_of(href, "book/a/one") == expected


def test_a_chapter_is_ready_for_print():
    text = chapter(PAGE, "book/a/one")
    assert text["id"] == "book/a/one"
    assert [named["id"] for named in text.select("[id]")] == [
        "book/a/one--top",
        "book/a/one--s",
        "book/a/one--proof",
    ]
    assert [link["href"] for link in text.select("a")] == [
        "#book/a/one--proof",
        "#book/b/other--proof",
        "#book/b/other",
        "https://example.org/x.html#y",
    ]
    assert [heading.name for heading in text.select("h1, h2, h3, h4")] == ["h2", "h3", "h4"]
    assert text.select_one("details").has_attr("open")
    assert text.img["src"] == "../html/_images/f.svg"
    assert text.figure["role"] == "group"  # the figure's alternative text
    assert not text.select(".live-panel, .headerlink")
