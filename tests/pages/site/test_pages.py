"""Every built page in the readers' settings: at a desk, on a tablet, on a phone, in the dark.

A visit costs seconds, so each test opens a page once, checks everything, and names all faults.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from browsed import DESKTOP, KINDS, barriers, cut_off, running, unfold, watch
from drawn import contrast, luminance
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page
from toc import CHAPTERS, HTML, PAGES

COLOURS, SURFACE = (
    Path(__file__).with_name(script).read_text(encoding="utf-8") for script in ("colours.js", "surface.js")
)
TABLET = {"width": 768, "height": 900}
PHONE = {"width": 390, "height": 900}
SMALLEST = {"code": 13, "table": 12, "figure": 9}  # px


@pytest.fixture(scope="module")
def browser():
    """A browser that shows scroll bars."""
    with running(ignore_default_args=["--hide-scrollbars"]) as started:
        yield started


def reader(browser: Browser, **options) -> Iterator[BrowserContext]:
    with browser.new_context(reduced_motion="reduce", **options) as context:
        yield context


@pytest.fixture(scope="module")
def desk(browser):
    yield from reader(browser, viewport=DESKTOP)


@pytest.fixture(scope="module")
def phone(browser):
    """A browser that hides scroll bars where possible."""
    yield from reader(browser, viewport=PHONE, is_mobile=True, has_touch=True)


@pytest.fixture(scope="module")
def night(browser):
    yield from reader(browser, viewport=DESKTOP, color_scheme="dark")


@contextmanager
def opened(context: BrowserContext, address: str, name: str) -> Iterator[tuple[Page, list[str]]]:
    """A page and the list of its faults; those reported by the browser are added at the end."""
    page, faults, told = context.new_page(), [], []
    cut_off(page, address, told)
    watch(page, told)
    page.goto(f"{address}/{name}.html", wait_until="load")
    page.evaluate("() => document.fonts.ready")
    yield page, faults
    page.close()
    faults += sorted(set(told))
    assert not faults, "\n".join(faults)


def untypeset(page: Page) -> list[str]:
    return page.evaluate(
        """() => [...document.querySelectorAll('span.math, div.math')]
          .filter((written) => !written.querySelector('mjx-container') || written.querySelector('mjx-merror'))
          .map((written) => `not typeset: ${written.textContent.slice(0, 60)}`)"""
    )


def broken_pictures(page: Page) -> list[str]:
    return page.evaluate(
        """() => [...document.images].filter((image) => image.complete && !image.naturalWidth)
          .map((image) => `broken picture: ${image.src}`)"""
    )


def cut_or_tiny(page: Page, width: int) -> list[str]:
    found = page.evaluate(SURFACE, SMALLEST)
    return [
        *(f"{width}: cut: {what}" for what in found["cut"]),
        *(f"{width}: scrolls without a bar: {what}" for what in found["hidden"]),
        *(f"{width}: {what}" for what in found["small"]),
    ]


def pale(page: Page) -> list[str]:
    """Letters with little contrast, links marked only by a small difference in colour, painted formulas."""
    found = page.evaluate(COLOURS)
    assert found["pairs"]
    return [
        *(
            f"contrast of {ratio:.3g}: {text}"
            for letters, ground, large, text in found["pairs"]
            if (ratio := contrast(np.divide(letters, 255), np.divide(ground, 255))) < (3 if large else 4.5)
        ),
        *(
            f"link like the words around it: {text}"
            for link, words, text in found["links"]
            if contrast(np.divide(link, 255), np.divide(words, 255)) < 3
        ),
        *(f"painted formula: {text}" for text in found["painted"]),
    ]


def leave_one_formula(page: Page) -> None:
    """Reduce all formulas but one to their text; displayed ones keep their width.

    Axe treats all formulas the same, and they are most of a page.
    """
    page.evaluate(
        """() => {
          const others = [...document.querySelectorAll('mjx-container')].slice(1);
          const widths = others.map((formula) => formula.firstElementChild.getBoundingClientRect().width);
          others.forEach((formula, k) => {
            formula.textContent = formula.textContent;
            if (formula.hasAttribute('display')) {
              Object.assign(formula.style, { display: 'block', overflow: 'hidden', width: `${widths[k]}px` });
            }
          });
        }"""
    )


@pytest.mark.parametrize("name", PAGES)
def test_pages_at_a_desk_and_on_a_tablet(desk, address, name):
    with opened(desk, address, name) as (page, faults):
        page.set_viewport_size(TABLET)
        faults += untypeset(page)
        unfold(page)
        faults += cut_or_tiny(page, TABLET["width"])
        page.set_viewport_size(DESKTOP)
        faults += broken_pictures(page)
        faults += cut_or_tiny(page, DESKTOP["width"])
        faults += pale(page)
        leave_one_formula(page)
        faults += barriers(page, coloured="*" if name in KINDS else "[data-pair]")


def beyond_the_phone(page: Page) -> list[str]:
    """Content wider than a phone, also in the ledger's tables, whose cells are stacked there."""
    return page.evaluate(
        """(width) => {
          const wide = document.documentElement.scrollWidth;
          const cells = [...document.querySelectorAll('table.claims td')].filter(
            (cell) => cell.scrollWidth > cell.clientWidth + 1 || cell.getBoundingClientRect().right > width);
          return [...(wide > width ? [`scrolls sideways: ${wide} px`] : []),
            ...cells.map((cell) => `beyond the screen: ${cell.textContent.slice(0, 60)}`)];
        }""",
        PHONE["width"],
    )


def tiny_letters_of_figures(page: Page) -> list[str]:
    """Figures with letters that are too small.

    Outlines have 100 units per em; indices have their own transformation and are left out.
    """
    found = []
    shown = page.locator("article img[src$='.svg']").evaluate_all(
        "images => images.map((image) => [image.getAttribute('src'), image.getBoundingClientRect().width])"
    )
    for source, width in shown:
        drawing = (HTML / "_images" / source.rpartition("/")[2]).read_text(encoding="utf-8")
        whole = float(re.search(r'viewBox="0 0 ([\d.]+)', drawing)[1])
        scales = re.findall(r"translate\([^)]*\)(?: rotate\([^)]*\))? scale\(([\d.]+)", drawing)
        assert scales, source
        size = 100 * min(map(float, scales)) * width / whole
        if size < SMALLEST["figure"] - 0.05:
            found.append(f"letters of {size:.3g} px in {source}")
    return found


@pytest.mark.parametrize("name", PAGES)
def test_pages_on_a_phone(phone, address, name):
    with opened(phone, address, name) as (page, faults):
        unfold(page)
        faults += beyond_the_phone(page)
        faults += cut_or_tiny(page, PHONE["width"])
        if name in CHAPTERS:
            faults += tiny_letters_of_figures(page)


def figures_apart_from_the_ground(page: Page) -> list[str]:
    """Figures in a box, with dark parts on the dark page, or without light letters and axes."""
    # All sections are laid out at once, so that nothing moves, but each still separately, as in scrolling.
    page.add_style_tag(
        content=".bd-article > section > section"
        " { content-visibility: visible; contain: layout style paint; }"
    )
    ground = np.array(
        re.findall(r"\d+", page.evaluate("() => getComputedStyle(document.body).backgroundColor")), int
    )
    found = []
    images = page.locator("article img[src$='.svg']:visible").all()
    assert images
    for image in images:
        image.scroll_into_view_if_needed()
        image.evaluate("async (picture) => { await picture.decode(); }")  # figures load when they are near
        pixels = np.asarray(Image.open(io.BytesIO(image.screenshot())).convert("RGB")).astype(int)
        rim = np.concatenate([pixels[2, 2:-2], pixels[-3, 2:-2], pixels[2:-2, 2], pixels[2:-2, -3]])
        ratios = (luminance(pixels / 255) + 0.05) / (luminance(ground / 255) + 0.05)
        source = image.get_attribute("src")
        # Letters and lines may touch the rim; a box would cover all of it.
        if np.mean(np.abs(rim - ground).max(axis=1) <= 1) <= 0.7:
            found.append(f"a box: {source}")
        if ratios.min() <= 0.95:
            found.append(f"something darker than the page: {source}")
        if ratios.max() < 7:
            found.append(f"faint letters and axes: {source}")
    return found


@pytest.mark.parametrize("name", PAGES)
def test_pages_in_the_dark(night, address, name):
    """Only the colours differ here."""
    with opened(night, address, name) as (page, faults):
        assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
        if name in CHAPTERS:
            faults += figures_apart_from_the_ground(page)
        unfold(page)
        faults += pale(page)
        if name in KINDS:
            leave_one_formula(page)
            faults += barriers(page, ["color-contrast", "link-in-text-block"])
