"""Claims judged in the chapter categorical-answers/one-layer."""

import math

import numpy as np

from ldpbook._arrays import Array
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.foundations.local_privacy import discrete_epsilon
from ldpcourse.ledger.categorical_answers._shared import LI
from ldpcourse.ledger.claim import Claim, Reading, Verdict


def _farthest_from_flip_formula() -> float:
    """Largest difference between the exact loss and Theorem 6.2, for p of at most 1 - 1/s."""
    return max(
        abs(
            discrete_epsilon(OneLayerFlip.with_probability(p, s).transition_matrix)
            - math.log((1 - p) * (s - 1) / p)
        )
        for s in range(2, 11)
        for p in np.linspace(0.01, 1 - 1 / s, 20)
    )


def _three_users(p: float) -> float:
    """Exact central epsilon of the flipped answers of three users, one of whom may change."""
    one = OneLayerFlip.with_probability(p, 2).transition_matrix
    rows = np.kron(np.kron(one, one), one)
    neighbours = [(x, x ^ bit) for x in range(8) for bit in (1, 2, 4)]
    return max(discrete_epsilon(rows[list(pair)]) for pair in neighbours)


def count_laws(epsilon: float) -> Array:
    """Distributions of a count of 0 and of 1 with two-sided geometric noise from -40 to 41, shape (2, 82)."""
    weight = np.exp(-epsilon * np.abs(np.arange(-40, 42) - np.array([[0], [1]])))
    law: Array = weight / weight.sum(axis=1, keepdims=True)
    return law


def _released_count(epsilon: float) -> float:
    """Local epsilon of a user whose curator sees the answer and releases the count with noise only."""
    curator = np.einsum("xa,xb->xab", np.eye(2), count_laws(epsilon)).reshape(2, -1)
    return discrete_epsilon(curator)


# The size of a report in bytes: Paillier's scheme with a 2,048-bit modulus sends a number modulo its square.
_CIPHERTEXT = 2 * 2048 // 8


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="flip-privacy",
        source=LI,
        place="Theorem 6.2 and Example 1",
        statement=(
            "Flipping an answer with probability p among s choices is ln((1-p)(s-1)/p)-locally differentially"
            " private."
        ),
        readings=(
            Reading(
                words=(
                    "For a single answer, as the source defines privacy, and its example with p = 0.4 and s ="
                    " 2, we compare the exact loss, from the transition matrix, with the formula."
                ),
                compute=lambda: discrete_epsilon(OneLayerFlip.with_probability(0.4, 2).transition_matrix),
                relation="=",
                target=math.log(0.6 / 0.4),
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "For a single answer and all p up to 1 - 1/s, where the true answer is at least as likely"
                    " to be output as any other, we compute the largest difference between the exact loss and"
                    " the formula, for s from 2 to 10 and twenty values of p each."
                ),
                compute=_farthest_from_flip_formula,
                relation="=",
                target=0.0,
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "For a single answer and any p, as the theorem is worded, we compare the exact loss for p"
                    " = 0.9 and s = 2 with the formula, which is negative there."
                ),
                compute=lambda: discrete_epsilon(OneLayerFlip.with_probability(0.9, 2).transition_matrix),
                relation="=",
                target=math.log(0.1 / 0.9),
                tolerance=1e-12,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "It holds exactly for one answer and p up to 1 - 1/s; the loss in the example is {computed}. For"
            " larger p the loss is the absolute value of the formula, and more flips reveal more. A user who"
            " gives k answers loses k times as much in all."
        ),
        chapter="categorical-answers/one-layer",
    ),
    Claim(
        id="ldp-stronger",
        source=LI,
        place="Section 6.1",
        statement=(
            "Local differential privacy is differential privacy of a database with one row, and at the same"
            " epsilon it guarantees more."
        ),
        readings=(
            Reading(
                words=(
                    "A locally private report is also private in the curator's release: we compare the exact"
                    " central epsilon of all flipped answers of three users with p = 0.4, one of whom may"
                    " change, with the local one."
                ),
                compute=lambda: _three_users(0.4),
                relation="<=",
                target=math.log(0.6 / 0.4),
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "The converse fails: a curator sees a user's answer and adds two-sided geometric noise to"
                    " the released count, with central epsilon 0.5. Her local epsilon must be larger than"
                    " that."
                ),
                compute=lambda: _released_count(0.5),
                relation=">=",
                target=0.5,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The flipped answers of three users have central epsilon {computed}, the same as the epsilon of"
            " each. A curator that sees the answers and adds noise to its release has a finite central"
            " epsilon and no local one."
        ),
        chapter="categorical-answers/one-layer",
    ),
    Claim(
        id="encryption-cost",
        source=LI,
        place="Sections 1 and 2",
        statement=(
            "Encryption and secure multi-party computation need expensive computation and much communication,"
            " and are therefore not suited to crowdsourcing with many users. Perturbation is much more"
            " efficient."
        ),
        readings=(
            Reading(
                words=(
                    "In relation, with one ciphertext per answer between two choices, we divide the bytes of"
                    " a ciphertext of Paillier's scheme with a modulus of 2,048 bits by the one byte of a"
                    " flipped answer. The result must be at least a hundred."
                ),
                compute=lambda: float(_CIPHERTEXT),
                relation=">=",
                target=100.0,
            ),
            Reading(
                words=(
                    "In relation, with as many answers packed into one ciphertext as it has room for counters"
                    " of 20 bits, we divide its bytes by the bytes of as many flipped answers. The result"
                    " must be at least a hundred."
                ),
                compute=lambda: _CIPHERTEXT / (2048 // 20),
                relation=">=",
                target=100.0,
            ),
            Reading(
                words=(
                    "In absolute terms, by bytes alone, and for the crowds of the source's experiments: we"
                    " compute the megabytes that a Duchenne user with 277 answers sends in 20 rounds of truth"
                    " discovery with one ciphertext per answer and round. At least 10 counts as too much."
                ),
                compute=lambda: 20 * 277 * _CIPHERTEXT / 1e6,
                relation=">=",
                target=10.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "A ciphertext is {computed} times as long as a flipped answer of one byte. A plaintext has room"
            " for about a hundred counters of 20 bits, and answers packed in this way cost only five times as"
            " many bytes. One encryption takes thousands of multiplications of long numbers where a flip"
            " takes one draw. Shared among a hundred answers, that is still dozens for each. Perturbation is"
            " far cheaper in work. By bytes alone it does not follow that encryption does not suit crowds of"
            " the size of the source's: unpacked, a Duchenne user would send 2.8 megabytes in 20 rounds. She"
            " would also multiply long numbers 17.0 million times, and a server would have to decrypt. That"
            " work, and much larger crowds, are not measured here. What users must do among each other"
            " depends on the protocol, which the source leaves open. And the two protect from different"
            " things: encryption leaves the elected answers exact and unprotected."
        ),
        chapter="categorical-answers/one-layer",
    ),
)
