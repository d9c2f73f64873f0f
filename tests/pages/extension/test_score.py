"""The score of the ledger adds up, and names every source."""

import re
from collections import Counter

from bs4 import BeautifulSoup
from ldp_sphinx import ROOT, score

from ldpcourse import ledger
from ldpcourse.ledger import Verdict

TOTAL = sum(score.counts().values(), Counter())


def test_every_claim_counts_once():
    assert TOTAL.total() == len(list(ledger.entries()))
    for found in (TOTAL, *score.counts().values()):
        bar = BeautifulSoup(score.bar(found), "html.parser").div
        assert [int(piece.get_text()) for piece in bar.select("span")] == [
            found[v] for v in Verdict if found[v]
        ]
        assert all(f"{n} {verdict}" in bar["aria-label"] for verdict, n in found.items())


def test_key_agrees_with_the_ledger_page():
    ledger = (ROOT / "book" / "reference" / "claims.md").read_text(encoding="utf-8")
    for item in BeautifulSoup(score.key(TOTAL), "html.parser").select("li"):
        number, verdict = item.get_text().split(" ", 1)
        assert re.search(rf"^\| {verdict} \| {number} \|$", ledger, re.MULTILINE)


def test_sources_are_named_by_title():
    assert score.titles()["iyer2016privacy"] == "Privacy-Preserving Class Ratio Estimation"
