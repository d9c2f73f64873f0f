"""The chooser on the built pages: with mouse, keyboard and a link, on a phone, without a script, on paper."""

import re

import pytest
from browsed import DESKTOP, PHONE, barriers
from ldp_sphinx import chooser
from playwright.sync_api import Page, expect

FIRST = "book/index"


def choosing(visit, page: str = FIRST, **options) -> Page:
    opened = visit(page, **options)
    expect(opened.locator(".chooser-use strong")).to_have_text(re.compile("^Use "))
    return opened


def people(page: Page):
    return page.get_by_label("People who are asked")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_chooser_answers_at_once(visit, size):
    page = choosing(visit, viewport=size)
    said = page.locator(".chooser-use")
    expect(said).to_contain_text("Use threshold responses in three phases.")
    assert "#" not in page.url
    people(page).fill("300")
    expect(said).to_contain_text("Use nothing: ask more people.")
    changed = page.evaluate(
        """() => {
          const input = document.querySelector('.chooser [name=people]');
          document.querySelector('.chooser [name=chooser-unit][value=person]').checked = true;
          input.value = 200000;
          input.dispatchEvent(new Event('input', { bubbles: true }));
          return document.querySelector('.chooser-use').textContent;
        }"""
    )
    assert "noisy bits about mixtures" in changed  # at once, before the browser does anything else
    expect(said).to_have_attribute("role", "status")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_chooser_is_accessible_in_both_themes(visit, theme):
    page = choosing(visit)
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
    page.get_by_role("button", name="All cases in a chart").click()
    assert not barriers(page, coloured=".chooser *")
    people(page).fill("1.5")
    assert not barriers(page, coloured=".chooser *")


def test_chooser_names_a_number_outside(visit):
    page = choosing(visit)
    people(page).fill("2000000000")
    expect(page.locator(".chooser-use")).to_contain_text("from 2 to 1,000,000; the table ends there")
    expect(people(page)).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".chooser-said pre")).to_be_hidden()


def test_chooser_is_worked_by_keyboard(visit):
    page = choosing(visit)
    page.get_by_role("radio", name="a rating on a scale").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".chooser-use strong")).to_contain_text("one layer of flips")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Choices", exact=True)).to_be_focused()
    button = page.get_by_role("button", name="All cases in a chart")
    button.focus()
    expect(page.locator(".chooser-chart")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.locator(".chooser-chart")).to_be_visible()
    expect(button).to_have_attribute("aria-expanded", "true")


def test_chooser_link_keeps_the_answers(visit, address):
    page = choosing(visit)
    page.get_by_role("radio", name="a place").check()
    page.get_by_label("Radius of the area, in metres").fill("900")
    page.get_by_role("radio", name="the person, with all answers").check()
    link = page.url.removeprefix(f"{address}/{FIRST}.html")
    told = page.locator(".chooser-said").text_content()
    again = visit(FIRST)
    again.goto(f"{address}/{FIRST}.html?again{link}")
    expect(again.get_by_label("Radius of the area, in metres")).to_have_value("900")
    expect(again.locator(".chooser-said")).to_have_text(told)
    expect(again.locator(".chooser-form")).to_be_in_viewport()


def test_chooser_without_a_script_is_the_chart(visit):
    page = visit(FIRST, java_script_enabled=False, viewport=PHONE)
    expect(page.locator(".chooser-chart")).to_be_visible()
    assert page.locator(".chooser-form").count() == 0
    shown = page.locator(".chooser-chart").text_content()
    for crowd in chooser.stored("chooser-crowds")["people"]:
        assert chooser._rounded(crowd) in shown


def test_chooser_on_paper_is_the_chart(visit):
    page = choosing(visit)
    page.emulate_media(media="print")
    expect(page.locator(".chooser-chart")).to_be_visible()
    expect(page.locator(".chooser-form")).to_be_hidden()
    expect(page.locator(".chooser-said")).to_be_hidden()


def test_chooser_links_lead_to_chapters(visit):
    page = choosing(visit, "book/remedies/guide")
    page.locator(".chooser-said a").click()
    expect(page).to_have_url(re.compile("remedies/smaller-question.html$"))
