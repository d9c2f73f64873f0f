"""The claims of the part, chapter by chapter."""

from ldpcourse.ledger.categorical_answers import (
    delta,
    error_bounds,
    one_layer,
    price_of_reuse,
    printed_numbers,
    trade_off,
    two_layer,
    voting,
)
from ldpcourse.ledger.claim import Claim

CLAIMS: tuple[Claim, ...] = (
    *voting.CLAIMS,
    *one_layer.CLAIMS,
    *two_layer.CLAIMS,
    *price_of_reuse.CLAIMS,
    *error_bounds.CLAIMS,
    *delta.CLAIMS,
    *trade_off.CLAIMS,
    *printed_numbers.CLAIMS,
)
