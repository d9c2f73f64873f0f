"""All that a page transfers before its reader touches it, before compression."""

import pytest
from browsed import DESKTOP, PHONE
from ldp_sphinx import pages
from playwright.sync_api import expect
from toc import HTML

BYTES = """() => ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))
  .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)"""
MOST = 900e3
# The pages with the most markup, tested besides the first; what else a page takes is nearly the same for all.
LARGEST = sorted(pages(HTML), key=lambda page: page.stat().st_size)[-20:]
NAMES = ["book/index", *(str(page.relative_to(HTML).with_suffix("")) for page in LARGEST)]


@pytest.mark.parametrize("name", NAMES)
def test_page_transfers_little(visit, name):
    page = visit(name, viewport=DESKTOP)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(BYTES) < MOST


@pytest.mark.parametrize("how", ["mouse", "keys"])
def test_menus_open_and_close(visit, how):
    page = visit("book/sparse-answers/laplace", viewport=PHONE)
    buttons = page.locator("[data-bs-toggle=dropdown]:visible")
    open_menus = page.locator(".dropdown-menu.show")
    act = type(buttons).click if how == "mouse" else lambda button: button.press("Enter")
    for number in range(buttons.count()):  # opening one closes the one before
        act(buttons.nth(number))
        expect(buttons.nth(number)).to_have_attribute("aria-expanded", "true")
        expect(open_menus).to_have_count(1)
        box = open_menus.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
    if how == "mouse":
        page.mouse.click(20, 600)
    else:
        page.keyboard.press("Tab")
        expect(open_menus.locator(":focus")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(buttons.last).to_be_focused()
    expect(open_menus).to_have_count(0)
    expect(page.locator("[data-bs-toggle=dropdown][aria-expanded=true]")).to_have_count(0)
