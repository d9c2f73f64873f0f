"""The score of the ledger adds up, and names every source."""

import re
from collections import Counter

from bs4 import BeautifulSoup
from ldp_sphinx import ROOT, score

from ldpbook import claims
from ldpbook.claims import Verdict


def test_every_claim_counts_once():
    total = sum(score.counts().values(), Counter())
    assert total.total() == len(list(claims.entries()))
    bar = BeautifulSoup(score.bar(total), "html.parser").div
    assert [int(piece.get_text()) for piece in bar.select("span")] == [total[verdict] for verdict in Verdict]
    assert all(f"{total[verdict]} {verdict}" in bar["aria-label"] for verdict in Verdict)


def test_the_table_agrees_with_the_pages_of_the_ledger():
    ledger = (ROOT / "book" / "reference" / "claims.md").read_text(encoding="utf-8")
    all_of_it = re.findall(r"\d+", score.table(score.counts())[-2])
    assert all_of_it[:-1] == [re.search(rf"^\| {verdict} \| (\d+)", ledger, re.M)[1] for verdict in Verdict]
