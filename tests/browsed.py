"""Helpers for tests/pages/site: read the built pages, and open them in a real browser without a network."""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from bs4 import BeautifulSoup
from ldp_sphinx.typeset import set_aside
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request, expect
from serve import browsing, serving
from toc import HTML, ROOT

PHONE, DESKTOP = {"width": 390, "height": 800}, {"width": 1280, "height": 900}
LOADED = 90_000  # ms until Python is loaded, on a busy machine
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")
# One page of each kind.
KINDS = [
    "book/index",
    "book/sparse-answers/laplace",
    "book/reference/claims",
    "book/reference/api/sparse-answers",
    "book/teaching/syllabus",
]


def soup(html: str) -> BeautifulSoup:
    """A page whose formulas keep only their words."""
    return BeautifulSoup(set_aside(html)[0], "html.parser")


@functools.cache
def parsed(name: str) -> BeautifulSoup:
    """A page or deck without the boxes of its formulas; cached, so change only a copy of it."""
    return soup((HTML / f"{name}.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def address():
    if not (HTML / "book" / "index.html").exists():
        pytest.exit("no pages in _build/html: run `make book` first", returncode=2)
    if not (HTML / "_static" / "mathjax").is_dir():
        pytest.exit("pages built without npm's packages: install npm, then `make book`", returncode=2)
    with serving(HTML) as root:
        yield root


@contextmanager
def running(*arguments: str, **options) -> Iterator[Browser]:
    """The machine's own browser; without one these tests cannot run."""
    alone = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
    try:
        with browsing(alone, *arguments, **options) as browser:
            yield browser
    except FileNotFoundError as error:
        pytest.exit(str(error), returncode=2)


@pytest.fixture(scope="module")
def browser():
    with running() as started:
        yield started


def cut_off(page: BrowserContext | Page, address: str, refused: list[str]) -> None:
    """List the requests that would leave the machine; in this browser they reach nothing."""

    def asked(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            refused.append(f"leaves the machine: {request.url}")

    page.on("request", asked)


def watch(page: Page, troubles: list[str], scripted: bool = True) -> None:
    """List what goes wrong on a page while it is open."""

    def failed(url: str, reason: str) -> None:
        if reason != "net::ERR_ABORTED":  # the reader left before the response came
            troubles.append(f"failed: {url} {reason}")

    page.on("console", lambda m: troubles.append(f"console: {m.text}") if m.type == "error" else None)
    page.on("pageerror", lambda error: troubles.append(f"script: {error}"))
    if scripted:  # otherwise preloaded scripts count as failed
        page.on("requestfailed", lambda r: failed(r.url, r.failure))
    page.on("response", lambda r: troubles.append(f"{r.status}: {r.url}") if r.status >= 400 else None)


@pytest.fixture
def visit(browser: Browser, address: str):
    """Open a page as a new reader; at the end nothing may have failed or asked for the network."""
    troubles: list[str] = []
    contexts = []

    def opener(page: str, **options) -> Page:
        context = browser.new_context(**({"viewport": DESKTOP, "reduced_motion": "reduce"} | options))
        contexts.append(context)
        cut_off(context, address, troubles)
        opened = context.new_page()
        watch(opened, troubles, options.get("java_script_enabled", True))
        opened.goto(f"{address}/{page}.html", wait_until="load")
        return opened

    yield opener
    for context in contexts:
        context.close()
    assert not troubles, "\n".join(sorted(set(troubles)))


def unfold(page: Page) -> None:
    """Bring the page into the state in which everything has been opened and scrolled past."""
    page.add_style_tag(
        content="* { transition: none !important; animation: none !important;"
        " content-visibility: visible !important; }"
    )
    page.evaluate(
        """() => {
          document.querySelectorAll('details').forEach((d) => { d.open = true; });
          document.querySelectorAll('.toggle-hidden').forEach((d) => d.classList.remove('toggle-hidden'));
        }"""
    )


def barriers(page: Page, rules: Sequence[str] = WCAG, coloured: str = "*") -> list[str]:
    """Serious violations of WCAG 2.1 AA found by axe-core; contrast, the slowest rule, only if requested."""
    # Axe-core runs through the debugger, because the security policy would block a script in the page.
    page.evaluate((ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate(
        """async ([rules, coloured]) => {
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          if (!document.querySelector(coloured)) throw new Error(`nothing is ${coloured}`);
          axe.configure({ rules: [{ id: 'color-contrast', selector: coloured }] });
          return axe.run(document, { runOnly: rules, resultTypes: ['violations'] });
        }""",
        [rules, coloured],
    )
    return [
        f"{v['id']}: {node['target']} {node['failureSummary'][:300]}"
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
        for node in v["nodes"][:3]
    ]


def field(page: Page, label: str) -> Locator:
    """The field for answers to an exercise."""
    return page.locator(f".answer-field[data-exercise={label}]")


def check(place: Locator, text: str) -> Locator:
    """Type an answer and check it; return the element that will hold the verdict."""
    place.locator("textarea").fill(text)
    place.get_by_role("button", name="Check").click()
    return place.locator(".field-said")


def hand_in(place: Locator, text: str) -> Locator:
    """Type an answer and check it; return the element with the verdict once the verdict is shown."""
    check(place, text)
    expect(place.locator(".field-check")).not_to_have_attribute("aria-disabled", "true", timeout=LOADED)
    return place.locator(".field-said")
