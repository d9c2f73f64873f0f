"""The numbers in the ledger's words are computed by the readings of a claim, or in its chapter."""

import dataclasses
import json

import pytest
from ledger_numbers import TABLE, faults, judged, not_computed
from test_claims import CLAIMS

from ldpbook import claims

ENTRIES = json.loads(TABLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_each_number_is_computed(claim):
    assert faults(judged(claim), ENTRIES.get(claim.id, [])) == []


def test_entries_are_those_of_claims():
    assert set(ENTRIES) <= {claim.id for claim in CLAIMS}


def test_few_numbers_are_the_sources_alone():
    """A number with an empty entry could be any other: at most one in twenty of all that are printed."""
    empty = sum(entry == "" for entries in ENTRIES.values() for entry in entries)
    assert empty <= 28


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3.54524", "3.81707"),  # what the ledger once printed beside it
        ("3.4368", "3.4386"),
        ("in place of", "by 0.25 in place of"),
    ],
)
def test_a_number_that_nothing_computes_is_told(old, new):
    known = claims.get("rr-example")
    changed = dataclasses.replace(known, finding=known.finding.replace(old, new))
    assert changed != known
    finding = dataclasses.replace(judged(known), claim=changed)
    assert faults(finding, ENTRIES.get(known.id, []))


def test_what_a_reading_computes_needs_no_entry():
    assert not_computed(judged(claims.get("mf-example")))[0][1].written == "1,000"
    assert "1.79788" not in [number.written for _, number in not_computed(judged(claims.get("mf-example")))]
