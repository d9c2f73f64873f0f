"""Two sheets to print: every number on them is what the package computes."""

import re
from math import exp, log

import pytest
from toc import ROOT

from ldpbook.foundations import discrete_epsilon, highest_belief
from ldpbook.practice import response_weights, survey_shares

DIE, ODDS = (
    (ROOT / "book" / "reference" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("die-survey", "epsilon-in-odds")
)
SIDES = ["no", "truth", "truth", "truth", "truth", "yes"]  # the meaning of 1 to 6 in step 3


def rows(text: str, *, with_head: int) -> list[list[str]]:
    """The cells of each row below the heading of the table with this number of columns."""
    cells = [
        [each.strip() for each in line.strip("|").split("|")] for line in re.findall(r"^\|.*", text, re.M)
    ]
    return [row for row in cells if len(row) == with_head and not re.fullmatch(r":?-+:?", row[-1])][1:]


def agrees(written: str, value: float) -> bool:
    """Whether a number is a value, rounded to the digits that are written."""
    digits = len(written.partition(".")[2])
    return abs(float(written.replace(",", "")) - value) <= 0.5 * 10.0**-digits * (1 + 1e-9)


def test_step_three_is_the_die_of_the_table():
    step = re.search(r"^3\. (.+)$", DIE, re.M).group(1)
    assert step == "A **1**: write *no*. A **6**: write *yes*. A **2, 3, 4 or 5**: write your true answer."
    for truth, row in zip(("yes", "no"), rows(DIE, with_head=3), strict=True):
        said = [truth if side == "truth" else side for side in SIDES]
        assert row == [f"true answer *{truth}*", f"{said.count('yes')}/6", f"{said.count('no')}/6"]


def test_the_die_has_the_epsilon_of_the_sheet():
    loss = discrete_epsilon([[5 / 6, 1 / 6], [1 / 6, 5 / 6]])
    assert loss == pytest.approx(log(5), rel=1e-12)
    one, two = re.search(r"epsilon is ln 5 = ([\d.]+); for two questions it is ([\d.]+)\.", DIE).groups()
    assert agrees(one, loss)
    assert agrees(two, 2 * loss)
    assert "by a factor of at most **5**" in DIE
    assert "multiplies the factor by 5" in DIE


def test_decoded_share_agrees_with_package():
    a, b, c = re.search(r"decoded share\*\* is ([\d.]+) \*y\* − ([\d.]+).+error\*\* ([\d.]+) √", DIE).groups()
    for yes in (0, 123, 500, 1000):
        found = survey_shares([yes, 1000 - yes], epsilon=log(5))[0]
        y = yes / 1000
        assert float(a) * y - float(b) == pytest.approx(found.share, abs=1e-12)
        if 1 / 6 < y < 5 / 6:  # beyond, the package takes the nearest possible probability of a report
            assert float(c) * (y * (1 - y) / 1000) ** 0.5 == pytest.approx(found.error, rel=1e-12)


def test_table_of_errors_agrees_with_package():
    table = rows(DIE, with_head=5)
    assert len(table) == 4
    for slips, yes, share, error, direct in table:
        n, said = (int(each.replace(",", "")) for each in (slips, yes))
        found = survey_shares([said, n - said], epsilon=log(5))[0]
        assert agrees(share, found.share)
        assert agrees(error, found.error)
        assert agrees(direct, (found.share * (1 - found.share) / n) ** 0.5)


def test_table_of_odds_agrees_with_package():
    table = rows(ODDS, with_head=5)
    assert len(table) == 7
    for name, lies, factor, tenth, half in table:
        named = re.fullmatch(r"ln (\d) = ([\d.]+)", name)
        epsilon = log(int(named[1])) if named else float(name)
        assert named is None or agrees(named[2], epsilon)
        keep, other = response_weights(epsilon=epsilon, n_symbols=2)
        assert agrees(lies, 100 * other / 2**64)
        assert agrees(factor, keep / other)
        assert agrees(tenth, 100 * highest_belief(prior=0.1, epsilon=epsilon))
        assert agrees(half, 100 * highest_belief(prior=0.5, epsilon=epsilon))


def test_the_sentences_take_the_row_of_three():
    (row,) = (row for row in rows(ODDS, with_head=5) if row[0].startswith("ln 3"))
    lies, before, after = re.search(
        r"is \*no\*, (\d+) will have.+ of (\d+) in 100\. After your report it is at most (\d+) in 100",
        ODDS,
        re.DOTALL,
    ).groups()
    assert (float(lies), int(before), float(after)) == (float(row[1]), 10, float(row[3]))


def test_unprinted_numbers_of_the_sheet_are_computed():
    two, five, five_at_2 = re.search(
        r"at ln 3 have a factor of (\d+), five have (\d+)\. Five answers at epsilon 2 have ([\d,]+)\.", ODDS
    ).groups()
    assert (int(two), int(five)) == (3**2, 3**5)
    assert agrees(five_at_2, exp(5 * 2))
    other = re.search(r"at ln 3 sends something else for ([\d.]+) in 100", ODDS).group(1)
    keep, _ = response_weights(epsilon=log(3), n_symbols=3)
    assert agrees(other, 100 * (1 - keep / 2**64))


def test_the_survey_chapter_links_to_both():
    chapter = (ROOT / "book" / "practice" / "survey.ipynb").read_text(encoding="utf-8")
    for name in ("die-survey", "epsilon-in-odds"):
        assert f"</book/reference/{name}>" in chapter
