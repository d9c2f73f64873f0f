"""The API, the ledger and the frame of each page, as readers see them."""

import re
from collections import Counter

import pytest
import yaml
from browsed import parsed
from playwright.sync_api import expect
from toc import CHAPTERS, HTML, PAGES, ROOT

from ldpcourse import ledger


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
    found = [(claim.chapter.split("/")[0], str(claim.verdict)) for claim in ledger.entries()]
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
    # A link to a filtered entry shows that entry.
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
    assert page.locator("#at-a-glance tbody tr:visible").count() == len([*ledger.entries()])
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_page_has_icon_book_title_and_authors(name):
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
    """Drawn large, the logo has no letter outside its frame."""
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
