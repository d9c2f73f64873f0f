"""The built pages, read, and opened in a real browser that reaches nothing else: shared by tests/site."""

import functools
import re
from collections.abc import Sequence

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page
from serve import browsing, serving
from toc import HTML, ROOT

PHONE, DESKTOP = {"width": 390, "height": 800}, {"width": 1280, "height": 900}


@functools.cache
def parsed(name: str) -> BeautifulSoup:
    """A page or deck without MathJax's letters, which have no text and are most of it; cut in a copy only."""
    html = (HTML / f"{name}.html").read_text(encoding="utf-8")
    return BeautifulSoup(re.sub(r"<mjx-math.*?</mjx-math>", "", html, flags=re.DOTALL), "html.parser")


@pytest.fixture(scope="module")
def address():
    if not (HTML / "book" / "index.html").exists():
        pytest.exit("no pages in _build/html: run `make book` first", returncode=2)
    if not (HTML / "_static" / "mathjax").is_dir():
        pytest.exit("pages built without npm's packages: install npm, then `make book`", returncode=2)
    with serving(HTML) as root:
        yield root


@pytest.fixture(scope="module")
def browser():
    try:
        with browsing() as running:
            yield running
    except FileNotFoundError as error:
        pytest.exit(str(error), returncode=2)


def cut_off(context, address: str, refused: list[str]) -> None:
    """Let no request leave the machine, and list those that would."""

    def handle(route):
        if route.request.url.startswith((address, "data:", "blob:")):
            route.continue_()
        else:
            refused.append(f"leaves the machine: {route.request.url}")
            route.abort()

    context.route("**/*", handle)


@pytest.fixture
def visit(browser: Browser, address: str):
    """Open a page; at the end nothing may have failed or asked for the network."""
    troubles: list[str] = []
    contexts = []

    def failed(url: str, reason: str) -> None:
        if reason != "net::ERR_ABORTED":  # the reader went on before it came; what is stopped says otherwise
            troubles.append(f"failed: {url} {reason}")

    def opener(page: str, **options) -> Page:
        context = browser.new_context(**({"viewport": DESKTOP, "reduced_motion": "reduce"} | options))
        contexts.append(context)
        cut_off(context, address, troubles)
        opened = context.new_page()
        opened.on("console", lambda m: troubles.append(f"console: {m.text}") if m.type == "error" else None)
        opened.on("pageerror", lambda error: troubles.append(f"script: {error}"))
        if options.get("java_script_enabled", True):  # else preloaded scripts count as failed
            opened.on("requestfailed", lambda r: failed(r.url, r.failure))
        opened.on("response", lambda r: troubles.append(f"{r.status}: {r.url}") if r.status >= 400 else None)
        opened.goto(f"{address}/{page}.html", wait_until="load")
        return opened

    yield opener
    for context in contexts:
        context.close()
    assert not troubles, "\n".join(sorted(set(troubles)))


def unfold(page: Page) -> None:
    """As if everything had been opened and scrolled past."""
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


def barriers(page: Page, rules: Sequence[str] = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")) -> str:
    """Serious violations of WCAG 2.1 AA that axe-core finds, as text."""
    # Through the debugger, not as a script of the page: that one the policy would stop.
    page.evaluate((ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate(
        """async (rules) => {
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          return axe.run(document, { runOnly: rules, resultTypes: ['violations'] });
        }""",
        rules,
    )
    return "\n".join(
        f"{v['id']}: {node['target']} {node['failureSummary'][:300]}"
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
        for node in v["nodes"][:3]
    )
