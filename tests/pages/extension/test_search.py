"""The index of the search: what it takes from a page, and which words it leaves out."""

from docutils import nodes
from ldp_sphinx import search
from toc import CHAPTERS, PAGES


def section(anchor: str, title: str, *inside: nodes.Node) -> nodes.section:
    return nodes.section("", nodes.title("", title), *inside, ids=[anchor])


def said(text: str) -> nodes.paragraph:
    return nodes.paragraph("", text)


PROMISE = nodes.paragraph("", "", nodes.strong("", search.OBJECTIVES))
AIMS = nodes.bullet_list("", nodes.list_item("", said("measure rain")))
PAGE = nodes.document(
    None,
    None,
    "",
    section(
        "rain",
        "Rain",
        nodes.paragraph("", "", nodes.emphasis("", "When it pours")),
        PROMISE,
        AIMS,
        said("Drops drops"),
        nodes.literal_block("", "code()"),
        section("hail", "Hail", said("Ice"), section("sleet", "Sleet", said("Slush"), nodes.math("", "x^2"))),
        nodes.admonition("", nodes.title("", "Summary"), said("wet")),
    ),
)


def test_page_is_known_by_title_subtitle_and_aims():
    page = search.about(PAGE)
    assert (page["title"], page["subtitle"]) == ("Rain", "When it pours")
    assert set(page["aims"]) == {"summary", "wet", "measure", "rain"}


def test_sections_keep_words_once_and_no_code():
    (own, hail) = search.about(PAGE)["sections"]
    assert own[2].count("drops") == 1
    assert not {"code", "ice"} & set(own[2])
    assert hail == ("hail", "Hail", ["hail", "ice", "sleet", "slush"])


def test_words_list_their_sections_by_gaps(monkeypatch):
    monkeypatch.setattr(search, "keywords", dict)
    other = {**search.about(PAGE), "sections": [("", "", ["drops"]), ("sun", "Sun", ["ice", "warm"])]}
    none = {**other, "sections": []}
    pages = {"a": search.about(PAGE), "b": other, **{f"c{k}": none for k in range(4)}}
    made = search.index(pages)
    assert made["words"]["ice"] == [1, 2]  # sections 1 and 3
    assert made["words"]["warm"] == [3]
    assert search.index({"a": pages["a"], "b": other})["common"] == sorted({*made["words"]})


def test_every_page_has_keywords():
    said = search.keywords()
    assert {f"book/{name}" for name in said} == set(PAGES)
    for page in CHAPTERS:
        assert len(said[page.removeprefix("book/")]) >= 3, page
