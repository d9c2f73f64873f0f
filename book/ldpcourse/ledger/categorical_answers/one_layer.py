"""Claims judged in the chapter categorical-answers/one-layer."""

import math

import numpy as np

from ldpbook._arrays import Array
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.foundations.local_privacy import discrete_epsilon
from ldpcourse.ledger.categorical_answers._shared import LI
from ldpcourse.ledger.claim import Claim, Reading, Verdict


def _farthest_from_flip_formula() -> float:
    """Largest distance of the exact loss from Theorem 6.2, where p is at most 1 - 1/s."""
    return max(
        abs(
            discrete_epsilon(OneLayerFlip.with_probability(p, s).transition_matrix)
            - math.log((1 - p) * (s - 1) / p)
        )
        for s in range(2, 11)
        for p in np.linspace(0.01, 1 - 1 / s, 20)
    )


def _three_users(p: float) -> float:
    """Exact central epsilon of the flipped answers of three users, of whom one may change."""
    one = OneLayerFlip.with_probability(p, 2).transition_matrix
    rows = np.kron(np.kron(one, one), one)
    neighbours = [(x, x ^ bit) for x in range(8) for bit in (1, 2, 4)]
    return max(discrete_epsilon(rows[list(pair)]) for pair in neighbours)


def count_laws(epsilon: float) -> Array:
    """Laws of a count of 0 and of 1 with two-sided geometric noise, from -40 to 41, shape (2, 82)."""
    weight = np.exp(-epsilon * np.abs(np.arange(-40, 42) - np.array([[0], [1]])))
    law: Array = weight / weight.sum(axis=1, keepdims=True)
    return law


def _released_count(epsilon: float) -> float:
    """Local epsilon of a user whose answer the curator sees, and who releases the count with noise only."""
    curator = np.einsum("xa,xb->xab", np.eye(2), count_laws(epsilon)).reshape(2, -1)
    return discrete_epsilon(curator)


# What a user sends, in bytes, by Paillier's scheme with a modulus of 2,048 bits: a number modulo its square.
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
                    "For a single answer, as the source defines privacy, in its example with p = 0.4 and s ="
                    " 2: the exact loss, from the transition matrix, against the formula."
                ),
                compute=lambda: discrete_epsilon(OneLayerFlip.with_probability(0.4, 2).transition_matrix),
                relation="=",
                target=math.log(0.6 / 0.4),
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "For a single answer and all p up to 1 - 1/s, where a true answer is at least as likely"
                    " to be given as any other: the largest difference of the exact loss and the formula for"
                    " s from 2 to 10 and twenty values of p each."
                ),
                compute=_farthest_from_flip_formula,
                relation="=",
                target=0.0,
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "For a single answer and any p, as the theorem is worded: the exact loss for p = 0.9 and"
                    " s = 2 against the formula, which is negative there."
                ),
                compute=lambda: discrete_epsilon(OneLayerFlip.with_probability(0.9, 2).transition_matrix),
                relation="=",
                target=math.log(0.1 / 0.9),
                tolerance=1e-12,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "It holds, exactly, for one answer and p up to 1 - 1/s; the loss in the example is {computed}."
            " Beyond, the loss is the absolute value of the formula, and more flips tell more. A user who"
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
                    "What is locally private is also private in the curator's release: the exact central"
                    " epsilon of all flipped answers of three users with p = 0.4, of whom one may change,"
                    " against the local one."
                ),
                compute=lambda: _three_users(0.4),
                relation="<=",
                target=math.log(0.6 / 0.4),
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "And not the other way round: the local epsilon of a user whose curator sees the answer"
                    " and adds two-sided geometric noise to the count that is released, central epsilon 0.5,"
                    " is larger than that."
                ),
                compute=lambda: _released_count(0.5),
                relation=">=",
                target=0.5,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The flipped answers of three users have the central epsilon {computed}, that of each. A curator"
            " who sees the answers and adds noise to what is released has a finite central epsilon and no"
            " local one."
        ),
        chapter="categorical-answers/one-layer",
    ),
    Claim(
        id="encryption-cost",
        source=LI,
        place="Sections 1 and 2",
        statement=(
            "Encryption and secure multi-party computation need expensive computation and much communication,"
            " are therefore not suited to crowdsourcing with many users, and perturbation is much more"
            " efficient."
        ),
        readings=(
            Reading(
                words=(
                    "In relation, one ciphertext for each answer of two choices: bytes of a ciphertext of"
                    " Paillier's scheme with a modulus of 2,048 bits, divided by the one byte of a flipped"
                    " answer; to be a hundred at least."
                ),
                compute=lambda: float(_CIPHERTEXT),
                relation=">=",
                target=100.0,
            ),
            Reading(
                words=(
                    "In relation, as many answers packed into one ciphertext as it has room for counters of"
                    " 20 bits: its bytes divided by the bytes of as many flipped answers; to be a hundred at"
                    " least."
                ),
                compute=lambda: _CIPHERTEXT / (2048 // 20),
                relation=">=",
                target=100.0,
            ),
            Reading(
                words=(
                    "In absolute terms, bytes alone, for the crowds of the source's experiments, 277 answers"
                    " of a Duchenne user: megabytes that she sends in 20 rounds of truth discovery with one"
                    " ciphertext an answer and round; too much to be 10 at least."
                ),
                compute=lambda: 20 * 277 * _CIPHERTEXT / 1e6,
                relation=">=",
                target=10.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "A ciphertext is {computed} times as long as a flipped answer of one byte. A plaintext has room"
            " for about a hundred counters of 20 bits, and answers packed so cost five times as many bytes"
            " only. One encryption takes thousands of multiplications of long numbers where a flip takes one"
            " draw, and still dozens for each of a hundred answers: perturbation is far cheaper in work."
            " By bytes alone it does not follow that encryption does not suit crowds of the size of the"
            " source's: unpacked, a Duchenne user would send 2.8 megabytes in 20 rounds. She would also"
            " multiply long numbers 17.0 million times, and a server decrypt; that work, and much larger"
            " crowds, are not measured here. What users must do among each other depends on the protocol,"
            " which the source leaves open. And the two protect from different things: encryption leaves what"
            " is elected exact and unprotected."
        ),
        chapter="categorical-answers/one-layer",
    ),
)
