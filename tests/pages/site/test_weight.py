"""All that a page transfers before its reader touches it, before compression."""

import pytest
from browsed import DESKTOP
from ldp_sphinx import pages
from playwright.sync_api import expect
from toc import HTML

BYTES = """() => ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))
  .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)"""
MOST = 900e3


@pytest.mark.parametrize("name", sorted(str(page.relative_to(HTML).with_suffix("")) for page in pages(HTML)))
def test_page_transfers_little(visit, name):
    page = visit(name, viewport=DESKTOP)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(BYTES) < MOST


@pytest.mark.parametrize("how", ["mouse", "keys"])
def test_menus_open_at_first_touch(visit, how):
    """Their script is not there until then."""
    page = visit("book/sparse-answers/laplace", viewport=DESKTOP)
    button = page.locator("[data-bs-toggle=dropdown]:visible").first
    assert page.evaluate("typeof bootstrap") == "undefined"
    if how == "mouse":
        button.evaluate("(button) => button.click()")  # before the pointer has moved
        button.hover()
    else:
        button.focus()
        page.keyboard.press("Enter")
    expect(page.locator(".dropdown-menu.show")).to_have_count(1)
