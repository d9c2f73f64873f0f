"""Each part opens with a page that introduces it; numbers on this page are computed on linked pages."""

import re

import pytest
from test_alt_texts import agrees, printed_numbers
from toc import CHAPTERS, PAGES, ROOT

PARTS = list(dict.fromkeys(chapter.rpartition("/")[0] for chapter in CHAPTERS))
LEDGER = (ROOT / "book" / "reference" / "claims.md").read_text(encoding="utf-8")
OPENINGS = [f"{part}/index" for part in PARTS]


def text_of(page: str) -> str:
    return (ROOT / f"{page}.md").read_text(encoding="utf-8")


def entry(claim: str) -> str:
    """The ledger's text on a claim."""
    return LEDGER.split(f"\n(claim-{claim})=\n")[1].split("\n(claim-")[0]


def numbers(text: str) -> list[str]:
    """Decimals, and integers of two digits and more, outside links, formulas in backticks and code."""
    said = re.sub(r"```\{trust\}.*?```|\{[a-z:]+\}`[^`]*`|\]\(#[^)]*\)|`[^`]*`", " ", text, flags=re.DOTALL)
    return re.findall(
        r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?!\w)|(?<![\w.])\d+\.\d+|(?<![\w.])\d{2,}(?![\w.,]\d)", said
    )


def known(text: str) -> list[float]:
    """The numbers of the entries and of the chapters that a text links to."""
    found = [
        float(number.replace(",", ""))
        for claim in re.findall(r"\]\(#claim-([\w-]+)\)", text)
        for number in re.findall(r"\d[\d,]*(?:\.\d+)?", entry(claim))
    ]
    linked = re.findall(r"\{doc\}`(?:[^`<]*<)?/(book/[^`>]+)>?`", text)
    return found + [n for page in linked if page in CHAPTERS for n in printed_numbers(page)]


@pytest.mark.parametrize("page", OPENINGS)
def test_part_opens_with_its_page_and_trust(page):
    assert next(name for name in PAGES if name.startswith(f"{page.rpartition('/')[0]}/")) == page
    assert "```{trust} " in text_of(page)


@pytest.mark.parametrize("page", [*OPENINGS, "book/conclusion"])
def test_numbers_are_computed_on_linked_page(page):
    """In every bullet, a number has a link to the page that computes it."""
    for line in text_of(page).splitlines():
        there = known(line)
        assert [number for number in numbers(line) if not agrees(number, there)] == [], line


def test_unsupported_number_is_detected():
    line = (
        "It errs by 10.2 m, by 7.77 m and 12,345 times in 2018 of 31: {doc}`/book/localization/experiment`."
    )
    assert numbers(line) == ["10.2", "7.77", "12,345", "2018", "31"]
    assert [number for number in numbers(line) if not agrees(number, known(line))][:2] == ["7.77", "12,345"]
