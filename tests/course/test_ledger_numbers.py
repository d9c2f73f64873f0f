"""The numbers in the ledger's text are computed by the readings of a claim, or in its chapter."""

import dataclasses
import json

import pytest
from course.ledger_numbers import TABLE, around, faults, judged, not_computed
from course.test_ledger import CLAIMS

from ldpcourse import ledger

ENTRIES = json.loads(TABLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_each_number_is_computed(claim):
    assert faults(judged(claim), ENTRIES.get(claim.id, [])) == []


def test_entries_are_those_of_claims():
    assert set(ENTRIES) <= {claim.id for claim in CLAIMS}


def test_few_numbers_come_from_the_source_alone():
    """Numbers with empty entries are not checked; they are at most one in twenty of all printed ones."""
    empty = sum(entry == "" for entries in ENTRIES.values() for entry in entries)
    assert empty <= 14


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3.54524", "3.81707"),  # a number that the ledger once printed there
        ("3.4368", "3.4386"),
        ("in place of", "by 0.25 in place of"),
    ],
)
def test_uncomputed_number_is_reported(old, new):
    assert told_after("rr-example", old, new)


def test_number_of_another_page_is_compared():
    entry = ENTRIES["binary-distortion"][1]
    assert entry.startswith("class-ratios/private-estimation:")
    assert told_after("binary-distortion", "1.6 to 1.8", "1.7 to 1.8")


def told_after(claim: str, old: str, new: str) -> list[str]:
    """The faults of a claim whose finding is changed."""
    known = ledger.get(claim)
    changed = dataclasses.replace(known, finding=known.finding.replace(old, new))
    assert changed != known
    finding = dataclasses.replace(judged(known), claim=changed)
    return faults(finding, ENTRIES.get(known.id, []))


def test_cell_loading_a_run_is_not_a_table():
    loads = {
        cell["id"]: "".join(cell["source"]) for cell in around(judged(ledger.get("publisher-advice")))[0]
    }
    assert any('stored("publisher-advice")' in source for source in loads.values())


def test_output_before_a_table_is_kept():
    cells, place = around(judged(ledger.get("web-answers")))
    said = [str(cell) for cell in cells[place:]]
    assert [cell["id"] for cell in cells[place : place + 2]] == ["words", "statement"]
    assert any("34 * 177" in str(cell["outputs"]) for cell in cells if cell["cell_type"] == "code")
    assert not any('class="claims"' in text or "ledger.table(" in text for text in said)


def test_computed_numbers_need_no_entry():
    assert not_computed(judged(ledger.get("mf-example")))[0][1].written == "1,000"
    # The exponent in e-09 is no number of its own.
    assert [number.written for _, number in not_computed(judged(ledger.get("loc-real")))] == ["0.3"]
    assert "1.79788" not in [number.written for _, number in not_computed(judged(ledger.get("mf-example")))]
