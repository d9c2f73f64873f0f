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
    users = [LocalizingUser(log_weights[i], {1 - i: 5.0}, secret) for i in (0, 1)]
    reports = [user.report() for user in users]
    server = BlindServer(public, sigma=1.0)
    found = [user.update(server.combine(i, particles, reports)) for i, user in enumerate(users)]
    # To nine digits: what lies below is the rounding of this machine's floats.
    return round(float(np.abs(found - source_update(particles, log_weights, measured, sigma=1.0)).max()), 9)


def _misfit_of_sums() -> float:
    """How far sums of encrypted coordinates and their squares stay from the squared distance."""
    x = np.random.default_rng(0).uniform(0, 100, (4, 100_000))
    squares = (x[0] - x[2]) ** 2 + (x[1] - x[3]) ** 2
    features = np.stack([*x, *x**2, np.ones(x.shape[1])], axis=1)
    best = features @ np.linalg.lstsq(features, squares, rcond=None)[0]
    return float(np.sqrt(((squares - best) ** 2).mean()))


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
                    "Two users with three particles each and keys of 2,048 bits; the number is the largest"
                    " difference of the updated log-weights from those computed in plain numbers."
                ),
                compute=_homomorphic_difference,
                relation="=",
                target=0.0,
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="Encrypted and plain update agree to the precision of the fixed-point encoding.",
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
                    "The server has ciphertexts of the coordinates of both positions and of their squares,"
                    " and can only add them, times public factors. The number is the least root mean square"
                    " error, in square metres, with which such a sum gives the squared distance of two places"
                    " that are uniform in a square of 100 m. The square of a measured distance D errs by"
                    " about 2 D times 2 m: 160 square metres at the reach of 40 m."
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
