"""All that a page transfers before its reader touches it, before compression."""

import pytest
from browsed import DESKTOP

BYTES = """() => ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))
  .filter(({ name }) => !/search(index|tools)|language_data/.test(name))
  .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)"""
MOST = {  # kB; formulas and code of the longest chapter take 600, the entries of the ledger 530
    "book/index": 900,
    "book/sparse-answers/laplace": 900,
    "book/remedies/known-channel": 1250,
    "book/reference/claims": 950,
}


@pytest.mark.parametrize("name", MOST)
def test_page_transfers_little(visit, name):
    page = visit(name, viewport=DESKTOP)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(BYTES) < 1e3 * MOST[name]
