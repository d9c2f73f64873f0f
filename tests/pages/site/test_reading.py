"""Pages for screen readers and keyboards: Chromium's accessibility tree, and the order of the focus."""

import re
from collections import Counter

import pytest
from browsed import KINDS, PHONE, parsed, running, unfold
from playwright.sync_api import expect
from toc import CHAPTERS

CHAPTER = "book/sparse-answers/laplace"
API = "book/reference/api/sparse-answers"
USED = {"button", "link", "textbox", "slider", "searchbox", "combobox", "checkbox", "radio"}
NAMED = USED | {"image", "region", "heading"}


@pytest.fixture(scope="module")
def browser():
    """A browser as for a screen reader: content far from the screen is also in the tree."""
    with running("--force-renderer-accessibility") as started:
        yield started


def nodes_of(page) -> list[tuple[str, str]]:
    """Role and name of each node that Chromium hands to assistive technology."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    said = [node for node in tree if not node["ignored"]]
    return [(node["role"]["value"], node.get("name", {}).get("value", "").strip()) for node in said]


@pytest.mark.parametrize("name", KINDS)
def test_controls_have_names_and_button_names_differ(visit, name):
    nodes = [(role, said) for role, said in nodes_of(visit(name)) if role in NAMED]
    assert len(nodes) > 40
    # The tree includes parts far from the screen, which had names such as "Verdict #".
    text = parsed(name)
    told = [said for role, said in nodes if role == "heading"]
    for heading in text.select("article h2"):
        assert any(said.startswith(heading.find(string=True).strip()) for said in told), heading
    assert [role for role, said in nodes if not said.strip("#")] == []
    assert [said for role, said in nodes if role == "heading" and said.endswith("#")] == []
    buttons = Counter(said for role, said in nodes if role == "button")
    # The theme has the links to search and to other pages twice, for desks and for phones.
    assert {said for said, times in buttons.items() if times > 1} <= {"Search", "Toggle primary sidebar"}


@pytest.mark.parametrize("name", KINDS)
def test_table_headings_have_scope(name):
    page = parsed(name)
    cells = page.select("article th")
    assert cells or name.endswith(("api/sparse-answers", "book/index"))
    for cell in cells:
        assert cell["scope"] == ("col" if cell.find_parent("thead") else "row")
    assert all(table.parent["class"] == ["table-box"] for table in page.select("article table"))


def test_scrolling_table_is_reachable_and_named(visit):
    page = visit("book/reference/what-else", viewport={"width": 390, "height": 800})
    unfold(page)
    scrolling = page.locator("article .table-box[tabindex='0']")
    expect(scrolling.first).to_have_attribute("role", "region")
    for box in scrolling.all():
        assert re.fullmatch(r"Table under “.+”, scrolls", box.get_attribute("aria-label"))
        assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_scrolling_box_fades_where_more_waits(visit):
    page = visit("book/remedies/smaller-question", viewport={"width": 390, "height": 800})
    box = page.locator("article [data-more]:visible").first
    expect(box).to_have_attribute("data-more", "right")
    box.evaluate("box => box.scrollTo(20, 0)")
    expect(box).to_have_attribute("data-more", "both")
    box.evaluate("box => box.scrollTo(box.scrollWidth, 0)")
    expect(box).to_have_attribute("data-more", "left")


def test_printed_sentences_break_on_a_phone(visit):
    page = visit("book/remedies/guide", viewport=PHONE)
    beyond = page.locator(".output.sentences pre").evaluate_all(
        "(all) => all.map((pre) => pre.scrollWidth - pre.clientWidth)"
    )
    assert len(beyond) > 5
    assert max(beyond) <= 1


@pytest.mark.parametrize(
    ("opens", "name"),
    [
        (".primary-toggle", "Pages of the book"),
        (".secondary-toggle", "On this page"),
        (".search-button", "Search"),
    ],
)
def test_dialog_is_named_and_returns_focus(visit, opens, name):
    page = visit("book/conclusion", viewport={"width": 390, "height": 800})
    button = page.locator(f"{opens}:visible").first
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]")).to_have_attribute("aria-label", name)
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(button).to_be_focused()


def test_folded_cells_name_their_action_and_content(visit):
    page = visit("book/remedies/guide")
    folded = page.locator(".cell details")
    names = [summary.get_attribute("aria-label") for summary in folded.locator("summary").all()]
    assert re.fullmatch(r"What this chapter imports, cell \d+", names[0])
    assert re.fullmatch(r"Show code cell source, cell \d+", names[1])
    assert len(set(names)) == len(names) > 2
    folded.nth(1).evaluate("details => { details.open = true; }")
    expect(folded.nth(1).locator("summary")).to_have_attribute(
        "aria-label", re.compile("^Hide code cell source")
    )
    # The folded part may be the output.
    page = visit("book/categorical-answers/trade-off")
    names = [summary.get_attribute("aria-label") for summary in page.locator(".cell details summary").all()]
    assert any(re.match("Show code cell output, cell", name) for name in names)


def test_buttons_say_what_they_copy(visit):
    page = visit("book/sparse-answers/laplace")
    names = [button.get_attribute("aria-label") for button in page.locator(".copybtn").all()]
    assert len(set(names)) == len(names) > 10
    assert "Copy code of cell 2" in names
    assert page.locator(".copybtn svg:not([aria-hidden=true])").count() == 0
    expect(page.get_by_role("navigation", name="Contents", exact=True)).to_have_count(1)


def test_drawings_can_be_read_where_colours_are_forced(visit):
    """In the reader's colours, here white on black, a letter that stays black is invisible."""
    page = visit("book/index", forced_colors="active", color_scheme="dark")
    letters, paper = page.locator("svg.drawing text").first.evaluate(
        "text => [getComputedStyle(text).fill, getComputedStyle(document.body).backgroundColor]"
    )
    assert (letters, paper) == ("rgb(255, 255, 255)", "rgb(0, 0, 0)")


@pytest.mark.parametrize("name", ["book/index", "book/remedies/guide", "book/practice/survey", API])
def test_the_narrowest_screen_needs_no_scrolling_sideways(visit, name):
    page = visit(name, viewport={"width": 320, "height": 700})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320


def focused(page) -> dict:
    return page.evaluate(
        """() => {
          const at = document.activeElement, box = at.getBoundingClientRect();
          const drawn = () => (({ outline, boxShadow }) => outline + boxShadow)(getComputedStyle(at));
          const ring = drawn();
          at.blur();
          const without = drawn();
          at.focus({ preventScroll: true });
          return { tag: at.tagName, text: (at.getAttribute('aria-label') ?? at.textContent).trim(),
                   seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
                   ring: ring !== without,
                   hidden: at.closest('[aria-hidden=true]') !== null,
                   article: at.closest('article') !== null };
        }"""
    )


@pytest.mark.parametrize("name", KINDS)
def test_keyboard_reaches_everything_with_visible_focus(visit, name):
    """Press Tab from the skip link through the controls of the first screens."""
    page = visit(name)
    page.keyboard.press("Tab")
    assert focused(page)["text"] == "Skip to main content"
    page.keyboard.press("Enter")
    places = []
    for _ in range(25):
        page.keyboard.press("Tab")
        places.append(focused(page))
    assert [at for at in places if at["tag"] == "BODY" or at["hidden"] or not at["seen"]] == []
    assert [at for at in places if not at["ring"]] == []
    assert any(at["article"] for at in places)
    assert not {"#", ""} & {at["text"] for at in places if at["tag"] in ("A", "BUTTON")}


def test_panel_starts_by_keyboard_and_is_announced(visit):
    page = visit(CHAPTER)
    panel = page.locator(".live-panel").first
    panel.locator(".live-start").focus()
    page.keyboard.press("Enter")
    expect(panel.get_by_role("status").first).to_contain_text(re.compile("Loading Python|live"))
    assert focused(page)["tag"] != "BODY"
    expect(panel.get_by_role("slider").first).to_be_focused(timeout=60_000)
    expect(panel.locator(".live-said")).to_have_text("Live: move the sliders.")
    before = panel.locator(".live-results").inner_text()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(panel.locator(".live-results")).not_to_have_text(before, timeout=20_000)
    assert panel.get_by_role("slider").first.get_attribute("aria-valuetext")


@pytest.mark.parametrize("name", CHAPTERS)
def test_slides_have_headings_and_decks_a_licence(name):
    deck = parsed(f"{name}.slides")
    slides = deck.select(".slides > section > section")
    assert len(slides) > 5
    assert [slide.get_text()[:60] for slide in slides if not slide.select("h1, h2, h3")] == []
    assert (
        slides[0]
        .select_one("a[rel=license]")["href"]
        .startswith("https://creativecommons.org/licenses/by/4.0")
    )
