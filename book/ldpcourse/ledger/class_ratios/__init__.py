"""The claims of the part, chapter by chapter."""

from ldpcourse.ledger.claim import Claim
from ldpcourse.ledger.class_ratios import (
    fair_comparison,
    few_large_sets,
    label_privacy,
    learning_bound,
    mean_embeddings,
    private_estimation,
    proportions,
)

CLAIMS: tuple[Claim, ...] = (
    *proportions.CLAIMS,
    *mean_embeddings.CLAIMS,
    *learning_bound.CLAIMS,
    *few_large_sets.CLAIMS,
    *label_privacy.CLAIMS,
    *fair_comparison.CLAIMS,
    *private_estimation.CLAIMS,
)
