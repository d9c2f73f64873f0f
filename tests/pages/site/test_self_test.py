"""The self-test in a real browser, and the levels beside the titles of exercises."""

from browsed import field, hand_in, parsed
from ldp_sphinx.difficulty import LEVELS
from playwright.sync_api import expect
from toc import CHAPTERS

from ldpcourse.exercises.ready import READY

PAGE = "book/teaching/self-test"


def test_self_test_is_judged_on_the_page(visit):
    page = visit(PAGE)
    bayes = field(page, "ready-bayes")
    expect(hand_in(bayes, "0.8")).to_contain_text("not the other way round")
    expect(hand_in(bayes, "4/13")).to_have_text("✓ right")
    means = field(page, "ready-python")
    expect(hand_in(means, "lambda row: sum(row) / len(row)")).to_contain_text("0 is an answer")
    assert len(parsed(PAGE).select(".answer-field")) == len(READY)


def test_every_exercise_shows_its_level():
    shown = {
        exercise["id"]: exercise.select_one(".admonition-title .level").text
        for name in CHAPTERS
        for exercise in parsed(name).select(".exercise")
    }
    assert shown == {label: f" · {LEVELS[label]}" for label in LEVELS if label.startswith("ex-")}


def test_printed_self_test_shows_its_answers(visit):
    page = visit(PAGE)
    answers = page.locator("#are-you-ready details pre")
    expect(answers).to_be_hidden()
    page.emulate_media(media="print")
    expect(answers).to_be_visible()
    expect(page.locator("#print-main-content")).to_be_hidden()
