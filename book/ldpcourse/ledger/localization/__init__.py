"""The claims of the part, chapter by chapter."""

from ldpcourse.ledger.claim import Claim
from ldpcourse.ledger.localization import (
    encrypted_inference,
    experiment,
    forgotten_weights,
    noisy_distances,
    perturbed_particles,
)

CLAIMS: tuple[Claim, ...] = (
    *encrypted_inference.CLAIMS,
    *forgotten_weights.CLAIMS,
    *perturbed_particles.CLAIMS,
    *noisy_distances.CLAIMS,
    *experiment.CLAIMS,
)
