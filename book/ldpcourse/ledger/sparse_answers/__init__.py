"""The claims of the part, chapter by chapter."""

from ldpcourse.ledger.claim import Claim
from ldpcourse.ledger.sparse_answers import (
    comparison,
    figure_five,
    laplace,
    matrix_factorization,
    randomized_response,
    real_data,
    task_profiles,
)

CLAIMS: tuple[Claim, ...] = (
    *laplace.CLAIMS,
    *randomized_response.CLAIMS,
    *matrix_factorization.CLAIMS,
    *task_profiles.CLAIMS,
    *comparison.CLAIMS,
    *real_data.CLAIMS,
    *figure_five.CLAIMS,
)
