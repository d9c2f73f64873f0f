"""What a reader sees of the built pages, at three widths: nothing cut, nothing tiny, nothing black."""

import io
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import yaml
from browsed import parsed
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from serve import browsing, serving
from toc import CHAPTERS, HTML, PAGES, ROOT

from ldpbook import claims

SURVEY = Path(__file__).with_name("surface.js").read_text(encoding="utf-8")
WIDTHS = [1280, 768, 390]
SMALLEST = {"code": 13, "table": 12, "figure": 9}  # px


@pytest.fixture(scope="module")
def browser():
    """One that shows the bars of what scrolls."""
    try:
        with browsing(ignore_default_args=["--hide-scrollbars"]) as running:
            yield running
    except FileNotFoundError as error:
        pytest.exit(str(error), returncode=2)


@pytest.fixture(scope="module")
def address():
    if not (HTML / "book" / "index.html").exists():
        pytest.exit("no pages in _build/html: run `make book` first", returncode=2)
    with serving(HTML) as root:
        yield root


@pytest.fixture
def visit(browser: Browser, address: str):
    """Open a page with everything unfolded; a narrow screen is a phone's, whose bars hide where they may."""
    contexts = []

    def opener(name: str, width: int = 1280, scheme: str = "light") -> Page:
        phone = {"is_mobile": True, "has_touch": True} if width < 600 else {}
        context = browser.new_context(
            viewport={"width": width, "height": 900}, reduced_motion="reduce", color_scheme=scheme, **phone
        )
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{address}/{name}.html", wait_until="load")
        page.evaluate("() => document.fonts.ready")
        return page

    yield opener
    for context in contexts:
        context.close()


def unfold(page: Page) -> None:
    page.add_style_tag(content="* { content-visibility: visible !important; }")
    page.evaluate(
        """() => {
          document.querySelectorAll('details').forEach((d) => { d.open = true; });
          document.querySelectorAll('.toggle-hidden').forEach((d) => d.classList.remove('toggle-hidden'));
        }"""
    )


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_or_tiny(visit, name):
    troubles = []
    for width in WIDTHS:
        page = visit(name, width)
        unfold(page)
        found = page.evaluate(SURVEY)
        troubles += [f"{width}: cut: {what}" for what in found["cut"]]
        troubles += [f"{width}: scrolls without a bar: {what}" for what in found["hidden"]]
        troubles += [
            f"{width}: {place} of {size:.4g} px: {text} in {box}"
            for place, size, text, box in found["small"]
            if size < SMALLEST[place] - 0.01
        ]
        page.close()
    assert not troubles, "\n".join(troubles)


@pytest.mark.parametrize("name", CHAPTERS)
def test_letters_of_figures_can_be_read_on_a_phone(visit, name):
    page = visit(name, 390)
    unfold(page)
    sizes = {}
    for image in page.locator("article img[src$='.svg']").all():
        source = image.get_attribute("src")
        drawing = (HTML / "_images" / source.rpartition("/")[2]).read_text(encoding="utf-8")
        width = float(re.search(r'viewBox="0 0 ([\d.]+)', drawing)[1])
        # Outlines with 100 units an em; indices, which have a transformation of their own, are left out.
        scales = re.findall(r"translate\([^)]*\)(?: rotate\([^)]*\))? scale\(([\d.]+)", drawing)
        assert scales, source
        sizes[source] = 100 * min(map(float, scales)) * image.bounding_box()["width"] / width
    assert {source: size for source, size in sizes.items() if size < SMALLEST["figure"] - 0.05} == {}


def luminance(color: np.ndarray) -> np.ndarray:
    """Relative luminance of colours in the last axis (WCAG 2.1)."""
    part = color / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("name", CHAPTERS)
def test_figures_stand_on_the_ground_of_the_dark_page(visit, name):
    page = visit(name, scheme="dark")
    # Laid out at once, so that nothing moves, but each section still by itself, as while one scrolls.
    page.add_style_tag(
        content=".bd-article > section > section"
        " { content-visibility: visible; contain: layout style paint; }"
    )
    ground = np.array(
        re.findall(r"\d+", page.evaluate("() => getComputedStyle(document.body).backgroundColor")), int
    )
    seen = 0
    for image in page.locator("article img[src$='.svg']:visible").all():
        image.scroll_into_view_if_needed()
        pixels = np.asarray(Image.open(io.BytesIO(image.screenshot())).convert("RGB")).astype(int)
        rim = np.concatenate([pixels[2, 2:-2], pixels[-3, 2:-2], pixels[2:-2, 2], pixels[2:-2, -3]])
        # Letters and lines may touch the rim; a box would be all of it.
        assert np.mean(np.abs(rim - ground).max(axis=1) <= 1) > 0.7, image.get_attribute("src")
        contrast = (luminance(pixels) + 0.05) / (luminance(ground) + 0.05)
        assert contrast.min() > 0.95, "something is darker than the page"
        assert contrast.max() >= 7, "letters and axes"
        seen += 1
    assert seen


def test_the_api_is_read_part_by_part(visit):
    parts = [name for name in PAGES if name.startswith("book/reference/api/")]
    assert len(parts) > len({name.split("/")[1] for name in CHAPTERS})
    for name in ["book/reference/api", *parts]:
        page = visit(name)
        screens = page.evaluate("() => document.documentElement.scrollHeight / innerHeight")
        assert screens < 40, name
        assert page.locator("article h2").count() > 1
    page = visit("book/reference/api")
    links = {link.get_attribute("href") for link in page.locator("article a.reference").all()}
    assert {f"api/{name.rpartition('/')[2]}.html" for name in parts} <= links


def test_the_ledger_is_filtered_by_part_and_verdict(visit):
    page = visit("book/reference/claims")
    rows = page.locator("#at-a-glance table.claims tbody tr")
    found = [(claim.chapter.split("/")[0], str(claim.verdict)) for claim in claims.entries()]
    assert rows.count() == len(found)
    expect(page.locator(".ledger-filter output")).to_have_text(f"{len(found)} of {len(found)} claims")
    part, verdict = page.get_by_label("Part"), page.get_by_label("Verdict")
    for wanted_part, wanted_verdict in [
        ("localization", ""),
        ("", "corrected"),
        Counter(found).most_common(1)[0][0],
    ]:
        part.select_option(wanted_part)
        verdict.select_option(wanted_verdict)
        left = sum(wanted_part in (p, "") and wanted_verdict in (v, "") for p, v in found)
        assert 0 < left < len(found)
        expect(page.locator(".ledger-filter output")).to_have_text(f"{left} of {len(found)} claims")
        assert rows.locator("visible=true").count() == left
        assert page.locator("#one-by-one > section:visible").count() == left
    # A link to an entry that is filtered away shows it.
    part.select_option("localization")
    page.evaluate("() => { location.hash = 'claim-lp-bound'; }")
    expect(
        page.locator("#one-by-one > section")
        .filter(has=page.locator("#claim-lp-bound"))
        .or_(page.locator("#claim-lp-bound"))
        .first
    ).to_be_visible()


def test_the_ledger_is_whole_without_a_script(browser, address):
    page = browser.new_page(java_script_enabled=False)
    page.goto(f"{address}/book/reference/claims.html")
    assert page.locator(".ledger-filter").count() == 0
    assert page.locator("#at-a-glance tbody tr:visible").count() == len([*claims.entries()])
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_its_icon_the_books_title_and_its_authors(name):
    page = parsed(name)
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    icon = page.select_one("link[rel~=icon]")["href"]
    assert ((HTML / f"{name}.html").parent / icon).is_file()
    own, _, book = page.title.get_text().strip().rpartition(" — ")
    assert book == about["title"]
    assert own != book
    assert page.select_one(".navbar-brand img")["alt"].startswith(about["title"])
    assert page.select_one(".component-author").get_text(strip=True) == f"By {about['authors'][0]['name']}"


def test_the_logo_shows_all_of_its_letters(visit):
    """Drawn larger than its frame, it shows no more than within it."""
    page = visit("book/index")
    logo = (ROOT / "book" / "logo.svg").read_text(encoding="utf-8")
    assert (
        " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", logo))
        == "Local Differential Privacy for Crowdsourcing"
    )
    page.set_content(logo)
    beyond = page.evaluate(
        """() => {
          const frame = document.querySelector('svg').getBoundingClientRect();
          return [...document.querySelectorAll('text')].map((t) => t.getBoundingClientRect())
            .filter((t) => t.right > frame.right || t.left < frame.left || t.bottom > frame.bottom).length;
        }"""
    )
    assert beyond == 0
