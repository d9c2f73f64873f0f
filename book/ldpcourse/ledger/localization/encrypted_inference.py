"""Claims judged in the chapter localization/encrypted-inference."""

import numpy as np

from ldpbook.localization.forgotten_weights import source_update
from ldpcourse.ledger.claim import Claim, Reading, Verdict
from ldpcourse.ledger.localization._shared import XIANG, two_users


def _homomorphic_difference() -> float:
    """Largest difference between the encrypted update and the plain one, with 2048-bit keys."""
    from ldpbook.localization.encrypted_inference import BlindServer, LocalizingUser, make_keys  # needs phe

    particles, log_weights, measured = two_users()
    public, secret = make_keys()
    other = make_keys()[1]
    found = []
    for i in (0, 1):  # each user in turn is the one for whom the other encrypts
        user = LocalizingUser(log_weights[i], {1 - i: 5.0}, secret)
        reports = [user.report(), LocalizingUser(log_weights[1 - i], {i: 5.0}, other).report(public)]
        answer = BlindServer(public, sigma=1.0).combine(i, particles, reports[:: 1 - 2 * i])
        found.append(user.update(answer))
    # Differences beyond nine digits are this machine's floating-point rounding.
    return round(float(np.abs(found - source_update(particles, log_weights, measured, sigma=1.0)).max()), 9)


def _misfit_of_sums(side: float = 100.0) -> float:
    """Smallest root mean square error of the squared distance as a sum of numbers that each user encrypts.
    Such sums miss -2 (x x' + y y'), with coordinates from the middle of the square: two independent
    products of two independent numbers, each of variance side^2 / 12.
    """
    return float(2 * 2**0.5 * side**2 / 12)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="loc-homomorphic",
        source=XIANG,
        place="Slides: Privacy-Preserving Inference",
        statement=(
            "The product of powers of ciphertexts that the server forms encrypts the sum that updates the"
            " log-weight of a particle in plain numbers."
        ),
        readings=(
            Reading(
                words=(
                    "Two users have three particles each, and the key of 2,048 bits belongs to the user whose"
                    " weights are updated. We compute the largest difference between the updated log-weights"
                    " and those computed in plain numbers."
                ),
                compute=_homomorphic_difference,
                relation="=",
                target=0.0,
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The encrypted and the plain update agree to the precision of the fixed-point encoding. The"
            " slides do not say whose key it is; the key of the user whose weights are updated is the safest"
            " reading. The only new information for her in the result is one number, which normalization"
            " removes. She can compute her new weights by herself, and then no one has to send a weight or a"
            " distance, encrypted or not."
        ),
        chapter="localization/encrypted-inference",
    ),
    Claim(
        id="loc-constrained",
        source=XIANG,
        place="Slides: First Attempt",
        statement=(
            "An inference that encrypts the particles too is limited by the operations that are possible on"
            " ciphertexts."
        ),
        readings=(
            Reading(
                words=(
                    "The server has ciphertexts of any numbers that each user computes from her own position,"
                    " and can only add them, times public factors. For two places that are uniform in a"
                    " square of 100 m, we compute the smallest root mean square error, in square metres, of"
                    " the squared distance as such a sum: 2 sqrt(2) 100^2/12. The square of a measured"
                    " distance D errs by about 2 D times 2 m: 160 square metres at the reach of 40 m."
                ),
                compute=_misfit_of_sums,
                relation=">=",
                target=160.0,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The server can form sums only. They miss the squared distance by {computed} square metres at"
            " best, because no sum contains the products of the two users' coordinates. Other schemes"
            " multiply ciphertexts too, at a higher price. Anyone who knows one of the two positions in clear"
            " can form the squared distance exactly, but not its square root, which the update takes."
        ),
        chapter="localization/encrypted-inference",
    ),
)
