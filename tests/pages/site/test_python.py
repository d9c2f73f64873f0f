"""One Python for a visit: it loads when it is needed, and the next page starts from its stored memory."""

import re
import shutil

import pytest
from browsed import LOADED, check, field, hand_in
from playwright.sync_api import Browser, Page, expect
from serve import PROGRAMS

CHAPTER, FILL = "book/sparse-answers/laplace", "ex-lp-fill"
NEXT, SIGNS = "book/sparse-answers/task-profiles", "ex-mf-signs"
# The seed of a Python's hashes is drawn when it starts, and so it tells which start a memory comes from.
WHICH, DRAWN = "print(hash('a'))\n4", "import random\nprint(random.random())\n4"
STORED = """async () => {
  const found = [];
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    found.push(...(await cache.keys()).map((key) => key.url));
  }
  return found;
}"""


def go(page: Page, name: str) -> Page:
    page.goto(f"{page.url.split('/book/')[0]}/{name}.html", wait_until="load")
    return page


def started(page: Page) -> str:
    """Start Python, wait until its memory is stored, and return the memory's address."""
    expect(hand_in(field(page, FILL), "4")).to_have_text("✓ right")
    page.wait_for_function(f"async () => (await ({STORED})()).length === 1", timeout=LOADED)
    return page.evaluate(STORED)[0]


def printed(page: Page, text: str) -> str:
    said = hand_in(page.locator(".answer-field").first, text).text_content()
    return re.search(r"\(It prints: (.*)\)", said)[1]


def test_next_page_does_not_start_python_anew(visit):
    page = visit(CHAPTER)
    started(page)
    page.reload()  # the first start itself is not restored
    first = [printed(page, WHICH), printed(page, DRAWN)]
    go(page, NEXT)
    second = [printed(page, WHICH), printed(page, DRAWN)]
    assert first[0] == second[0]
    assert first[1] != second[1], "random numbers are drawn again"
    expect(hand_in(field(page, SIGNS), "lambda p: (2 * p - 1) ** 2")).to_have_text("✓ right")
    other = visit(CHAPTER)  # another reader
    assert printed(other, WHICH) != first[0]


def test_memory_of_another_version_is_removed(visit):
    page = visit(CHAPTER)
    address = started(page)
    page.evaluate(
        """async (address) => {
          const cache = await caches.open((await caches.keys())[0]);
          await cache.put(`${address}0`, await cache.match(address));
          await cache.delete(address);
        }""",
        address,
    )
    page.reload()
    assert started(page) == address


@pytest.mark.parametrize("size", [0, 1000, 1 << 21])
def test_unusable_memory_is_replaced(visit, size):
    page = visit(CHAPTER)
    address = started(page)
    write = """async ([address, size]) => {
      const cache = await caches.open((await caches.keys())[0]);
      await cache.put(address, new Response(new Uint8Array(size)));
    }"""
    page.evaluate(write, [address, size])
    page.reload()
    expect(hand_in(field(page, FILL), "4")).to_have_text("✓ right")
    stored = "async (address) => (await (await caches.match(address)).arrayBuffer()).byteLength"
    page.wait_for_function(f"async (address) => await ({stored})(address) > 1e7", arg=address)


def test_memory_is_removed_after_a_failure(visit):
    page = visit(CHAPTER)
    started(page)
    expect(hand_in(field(page, FILL), "import os\nos._exit(0)")).to_contain_text("stopped Python itself")
    assert page.evaluate("() => caches.keys()") == []
    started(page)


def test_endless_answer_disturbs_no_other_tab(visit):
    page = visit(CHAPTER)
    started(page)
    other = page.context.new_page()
    other.goto(page.url)
    said = check(field(page, FILL), "while True:\n    pass\n4")
    expect(said).to_have_attribute("data-said", "busy")
    expect(hand_in(field(other, FILL), "4")).to_have_text("✓ right")
    expect(said).to_have_attribute("data-said", "busy")
    expect(said).to_contain_text("was stopped", timeout=15_000)
    expect(hand_in(field(page, FILL), "4")).to_have_text("✓ right")


def test_python_starts_where_the_browser_stores_nothing(browser: Browser, address: str):
    """This is the case on a plain server without a secure connection."""
    with browser.browser_type.launch(
        executable_path=next(filter(None, map(shutil.which, PROGRAMS))),
        args=["--no-sandbox", "--host-resolver-rules=MAP book.test 127.0.0.1, MAP * ~NOTFOUND"],
    ) as plain:
        page = plain.new_page()
        page.goto(f"{address.replace('127.0.0.1', 'book.test')}/{CHAPTER}.html")
        assert page.evaluate("() => [isSecureContext, typeof caches]") == [False, "undefined"]
        for _ in range(2):
            expect(hand_in(field(page, FILL), "4")).to_have_text("✓ right")
            page.reload()


def test_loading_goes_on_where_the_reader_goes(visit):
    page = visit(CHAPTER)
    page.context.route("**/python_stdlib.zip", lambda route: None)  # the library does not arrive
    said = check(field(page, FILL), "4")
    expect(said).to_contain_text(re.compile(r"\d+ of 14 MB"), timeout=LOADED)
    go(page, NEXT)
    status = page.locator(".python-loads")
    expect(status).to_have_text(re.compile(r"^Python is still loading … \d+ of 14 MB$"), timeout=LOADED)
    expect(status).to_have_role("status")
    page.context.unroute("**/python_stdlib.zip")
    page.reload()
    expect(status).to_have_count(1)
    expect(status).to_have_count(0, timeout=LOADED)
    go(page, CHAPTER)
    expect(status).to_have_count(0)
    assert page.workers == []


@pytest.mark.parametrize("hint", ["focus", "hover", "neither"])
def test_python_is_loaded_when_it_seems_needed(visit, hint):
    page = visit(CHAPTER)
    page.wait_for_timeout(500)
    assert page.workers == []
    if hint == "neither":
        return
    with page.expect_worker(timeout=LOADED):
        if hint == "focus":
            field(page, FILL).locator("textarea").focus()
        else:
            page.locator("section.live-panel").get_by_role("button").hover()
    expect(field(page, FILL).locator(".field-said")).to_be_empty()
    expect(hand_in(field(page, FILL), "4")).to_have_text("✓ right")
    assert len(page.workers) == 1
