"""Fields in a real browser: any input gets a sentence as reply, and nothing leaves the machine."""

import json
import re

import pytest
from browsed import DESKTOP, LOADED, PHONE, barriers, check, field, hand_in, parsed, unfold
from ldp_sphinx.fields import judged_on_the_page
from playwright.sync_api import Browser, expect
from toc import CHAPTERS, HTML

CHAPTER, FILL, WASTE = "book/sparse-answers/laplace", "ex-lp-fill", "ex-lp-waste"  # a number, a function


def places(name: str) -> list[str]:
    page = parsed(name)
    assert all(place.parent["id"] == place["data-exercise"] for place in page.select(".answer-field"))
    return [place["data-exercise"] for place in page.select(".answer-field")]


def test_checkable_exercises_have_one_field_and_slides_none():
    found = [label for name in CHAPTERS for label in places(name)]
    assert sorted(found) == sorted(judged_on_the_page())
    assert not [
        name for name in CHAPTERS if "answer-field" in (HTML / f"{name}.slides.html").read_text("utf-8")
    ]


def test_every_exercise_with_a_check_has_a_field_or_a_reason():
    for name in CHAPTERS:
        for exercise in parsed(name).select(".exercise"):
            checked = f'check("{exercise["id"]}"' in exercise.text
            assert len(exercise.select(".answer-field, .without-field")) == checked, exercise["id"]


def test_field_shows_the_signature_and_the_precision(visit):
    page = visit(CHAPTER)
    for label, held in judged_on_the_page().items():
        if label not in places(CHAPTER):
            continue
        assert field(page, label).locator("textarea").input_value() == held.form.begins
        text = field(page, label).get_by_role("textbox")
        expect(text).to_have_accessible_description(re.compile(re.escape(held.form.accepts.replace("`", ""))))
        expect(text).to_have_accessible_description(re.compile("distribution function Phi and density phi"))
    said = hand_in(field(page, WASTE), "ln(k)")
    expect(said).to_have_text("! This exercise asks for a function: write lambda k: ln(k).")
    expect(said.locator("code")).to_have_text("lambda k: ln(k)")


def test_answers_are_judged_and_other_input_explained(visit):
    """Hand in one input after another in one field, which stays usable."""
    page = visit(CHAPTER)
    for text, state, words in [
        ("7", "wrong", "✗ not yet: another constant in Gamma has a smaller error"),
        ("2 ** 2", "right", "✓ right"),
        ("four is the best", "unfit", "! This is not valid Python: invalid syntax, line 1."),
        ("1 / 0", "unfit", "! This raises ZeroDivisionError, line 1"),
        ("exit()", "unfit", "! This stops Python instead of giving an answer, line 1"),
        ("print(4)", "unfit", "! This has no value"),
        ("import numpy\n4", "unfit", "! numpy is not on this page"),
        ("input()", "unfit", "! This raises OSError, line 1: nobody answers input() here"),
        ("import js\njs.fetch('https://example.org')\n4", "unfit", "! This raises AttributeError, line 2"),
        ("print('so', 4)\n4", "right", "✓ right (It prints: so 4)"),
        ("import os\nos._exit(0)", "unfit", "! This stopped Python itself. The next check restarts it."),
    ]:
        said = hand_in(field(page, FILL), text)
        expect(said).to_have_attribute("data-said", state)
        assert said.text_content().startswith(words), text
    said = hand_in(field(page, WASTE), "def f(k):\n    return (1 - 1 / k) ** 2")
    expect(said).to_have_text("✓ right")


def test_endless_answer_stops_and_field_stays_usable(visit):
    page = visit(CHAPTER)
    expect(hand_in(field(page, FILL), "4")).to_have_text("✓ right")  # Python is loaded
    page.clock.install()  # the clock runs by itself, and ten seconds pass at once
    said = check(field(page, FILL), "while True:\n    pass\n4")
    expect(said).to_have_attribute("data-said", "busy")
    page.clock.fast_forward(8_000)
    expect(said).to_have_attribute("data-said", "busy")
    page.clock.fast_forward(2_000)
    expect(said).to_have_attribute("data-said", "unfit")
    assert said.text_content().startswith("! This ran for more than 10 seconds and was stopped")
    expect(hand_in(field(page, FILL), "4")).to_have_text("✓ right")


def test_panel_and_fields_share_one_python(visit):
    page = visit(CHAPTER)
    loads: list[str] = []
    page.on("request", lambda request: loads.append(request.url) if ".asm.wasm" in request.url else None)
    expect(hand_in(field(page, FILL), "4")).to_have_text("✓ right")
    panel = page.locator("section.live-panel")
    panel.get_by_role("button").click()
    expect(panel).to_have_attribute("data-live", "ready", timeout=LOADED)
    assert len(loads) == len(page.workers) == 1


def test_field_works_by_keyboard_and_is_announced(visit):
    page = visit(CHAPTER)
    text = field(page, FILL).get_by_role("textbox", name="Your answer to Exercise 5.1")
    said = field(page, FILL).get_by_role("status").first
    expect(said).to_have_attribute("aria-live", "polite")
    expect(said).to_be_empty()  # it must be present before it is filled; otherwise it is not announced
    text.focus()
    page.keyboard.type("2 +")
    page.keyboard.press("Enter")
    assert text.input_value() == "2 +\n"
    page.keyboard.press("Control+Enter")
    expect(said).to_contain_text("This is not valid Python", timeout=LOADED)
    expect(text).to_be_focused()
    text.fill("4")
    page.keyboard.press("Tab")
    expect(field(page, FILL).get_by_role("button", name="Check")).to_be_focused()
    page.keyboard.press("Space")
    expect(said).to_have_text("✓ right", timeout=LOADED)
    expect(field(page, FILL).get_by_role("button", name="Check")).to_be_focused()


def test_progress_is_kept_and_forgotten(visit):
    page = visit(CHAPTER)
    hand_in(field(page, FILL), "4")
    field(page, WASTE).locator("textarea").fill("lambda k:\n\n1")
    expect(page.locator(f"#{FILL} .answered")).to_have_text("✓ answered")
    page.reload()
    expect(page.locator(f"#{FILL} .admonition-title .answered")).to_be_visible()
    expect(page.locator(f"#{WASTE} .answered")).to_have_count(0)
    assert field(page, FILL).locator("textarea").input_value() == "4"
    assert field(page, WASTE).locator("textarea").input_value() == "lambda k:\n\n1"
    kept = page.evaluate(
        "() => [Object.keys(localStorage), localStorage['ldpbook.answers'], document.cookie]"
    )
    assert json.loads(kept[1]) == {FILL: {"text": "4", "right": True}, WASTE: {"text": "lambda k:\n\n1"}}
    assert kept[2] == ""
    hand_in(field(page, FILL), "7")  # an answer once right stays counted
    expect(page.locator(f"#{FILL} .answered")).to_be_visible()
    page.get_by_role("button", name="Forget my answers").click()
    expect(page.get_by_role("status").get_by_text("Forgotten.")).to_be_visible()
    for _ in range(2):  # at once, and after the page is reopened
        expect(page.locator(".answered")).to_have_count(0)
        assert field(page, FILL).locator("textarea").input_value() == ""
        assert page.evaluate("() => localStorage.getItem('ldpbook.answers')") is None
        page.reload()


STORED = [
    "no JSON",
    "3",
    "null",
    "[]",
    '"text"',
    '{"ex-lp-fill": 3}',
    '{"ex-lp-fill": null}',
    '{"ex-lp-fill": "text"}',
    '{"ex-lp-fill": {"text": 3, "right": 1}}',
    '{"ex-lp-fill": {"text": {"a": 1}, "right": "no"}}',
    '{"ex-lp-fill": {"text": ["a"], "right": []}}',
]


def test_any_stored_data_leaves_fields_empty_and_working(visit):
    page = visit(CHAPTER)
    for stored in STORED:
        page.evaluate("(stored) => localStorage.setItem('ldpbook.answers', stored)", stored)
        page.reload()
        assert field(page, FILL).locator("textarea").input_value() == "", stored
        assert page.locator(".answered").count() == 0, stored
        field(page, FILL).locator("textarea").fill("4")
        kept = page.evaluate("() => JSON.parse(localStorage['ldpbook.answers'])['ex-lp-fill'].text")
        assert kept == "4", stored


def test_without_storage_answers_are_judged(visit):
    page = visit(CHAPTER)
    refuse = "function (name) { if (name === 'ldpbook.answers') throw new Error('refused'); return null; }"
    ways = ("getItem", "setItem", "removeItem")
    page.add_init_script("".join(f"Storage.prototype.{way} = {refuse};" for way in ways))
    page.reload()
    expect(hand_in(field(page, FILL), "4")).to_have_text("✓ right")
    page.get_by_role("button", name="Forget my answers").click()
    expect(page.locator(".answered")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_field_is_accessible_and_fits(visit, scheme):
    page = visit(CHAPTER, color_scheme=scheme)
    unfold(page)
    for screen in (DESKTOP, PHONE):
        page.set_viewport_size(screen)
        expect(hand_in(field(page, FILL), "4")).to_have_text("✓ right")
        expect(hand_in(field(page, WASTE), "lambda k: 1\n" * 3 + "x" * 200)).to_contain_text("is not defined")
        colours = {
            place.evaluate("(said) => getComputedStyle(said).color")
            for place in (field(page, FILL).locator(".field-said"), field(page, WASTE).locator(".field-said"))
        }
        assert len(colours) == 2
        fields = ".answer-field *, .answered"
        assert not barriers(page, coloured=fields)
        for state in ("wrong", "busy"):  # the other states, right and unfit, are shown already
            field(page, FILL).locator(".field-said").evaluate(
                "(said, state) => Object.assign(said.dataset, { said: state })", state
            )
            assert not barriers(page, ["color-contrast"], fields), state
        assert page.evaluate("() => document.documentElement.scrollWidth") <= screen["width"]
        text = field(page, WASTE).locator("textarea")
        assert text.evaluate("(area) => area.scrollHeight <= area.clientHeight + 1")  # the field has grown


def test_no_field_without_javascript_or_on_paper(visit):
    page = visit(CHAPTER, java_script_enabled=False)
    assert page.locator(".answer-field").count() == len(places(CHAPTER))
    expect(page.locator(".answer-field:visible")).to_have_count(0)
    page = visit(CHAPTER)
    hand_in(field(page, FILL), "4")
    page.emulate_media(media="print")
    expect(page.locator(".answer-field:visible, .answered:visible")).to_have_count(0)


def test_field_explains_why_disk_pages_cannot_work(browser: Browser):
    page = browser.new_page()
    page.goto((HTML / f"{CHAPTER}.html").as_uri(), wait_until="load")
    # Browsers load no module scripts from the disk, so nothing is shown then.
    expect(page.locator(".answer-field:visible")).to_have_count(0)
    page.close()
