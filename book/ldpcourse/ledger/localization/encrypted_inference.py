"""Claims judged in the chapter localization/encrypted-inference."""

import numpy as np

from ldpbook.localization.forgotten_weights import source_update
from ldpcourse.ledger.claim import Claim, Reading, Verdict
from ldpcourse.ledger.localization._shared import XIANG, two_users


def _homomorphic_difference() -> float:
    """Largest difference of the encrypted update and the plain one, keys of 2048 bits."""
    from ldpbook.localization.encrypted_inference import BlindServer, LocalizingUser, make_keys  # needs phe

    particles, log_weights, measured = two_users()
    public, secret = make_keys()
    other = make_keys()[1]
    found = []
    for i in (0, 1):  # each in her turn is the one for whom the other encrypts
        user = LocalizingUser(log_weights[i], {1 - i: 5.0}, secret)
        reports = [user.report(), LocalizingUser(log_weights[1 - i], {i: 5.0}, other).report(public)]
        answer = BlindServer(public, sigma=1.0).combine(i, particles, reports[:: 1 - 2 * i])
        found.append(user.update(answer))
    # To nine digits: what lies below is the rounding of this machine's floats.
    return round(float(np.abs(found - source_update(particles, log_weights, measured, sigma=1.0)).max()), 9)


def _misfit_of_sums(side: float = 100.0) -> float:
    """How far sums of what each user encrypts of her position stay from the squared distance.

    What they miss is -2 (x x' + y y'), with coordinates from the middle of the square: two independent
    products of two independent numbers, each of variance side^2 / 12.
    """
    return float(2 * 2**0.5 * side**2 / 12)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="loc-homomorphic",
        source=XIANG,
        place="Slides: Privacy-Preserving Inference",
        statement=(
            "The product of powers of ciphertexts that the server forms encrypts the sum by which the"
            " log-weight of a particle is updated in plain numbers."
        ),
        readings=(
            Reading(
                words=(
                    "Two users with three particles each and a key of 2,048 bits, which is whoever's weights"
                    " are updated; the number is the largest difference of the updated log-weights from those"
                    " computed in plain numbers."
                ),
                compute=_homomorphic_difference,
                relation="=",
                target=0.0,
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "Encrypted and plain update agree to the precision of the fixed-point encoding. The slides do not"
            " say whose key it is; the key of the user whose weights are updated is the safest reading. All"
            " that is new to her in the result is one number, which normalisation removes: she can compute"
            " her new weights by herself, and then nobody has to send a weight or a distance, encrypted or"
            " not."
        ),
        chapter="localization/encrypted-inference",
    ),
    Claim(
        id="loc-constrained",
        source=XIANG,
        place="Slides: First Attempt",
        statement=(
            "An inference that encrypts the particles too is held up by what can be done on ciphertexts."
        ),
        readings=(
            Reading(
                words=(
                    "The server has ciphertexts of whatever numbers each user computes from her own position,"
                    " and can only add them, times public factors. The number is the least root mean square"
                    " error, in square metres, with which such a sum gives the squared distance of two places"
                    " that are uniform in a square of 100 m: 2 sqrt(2) 100^2/12. The square of a measured"
                    " distance D errs by about 2 D times 2 m: 160 square metres at the reach of 40 m."
                ),
                compute=_misfit_of_sums,
                relation=">=",
                target=160.0,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The server reaches sums only. They miss the squared distance by {computed} square metres at"
            " best, as no sum holds the products of the two users' coordinates. Other schemes multiply"
            " ciphertexts too, at a higher price; and who knows one of the two positions in clear can form"
            " the squared distance exactly, though not its root, which the update takes."
        ),
        chapter="localization/encrypted-inference",
    ),
)
