"""Claims judged in the chapter localization/forgotten-weights."""

import math
from collections.abc import Callable

import numpy as np
from scipy.stats import norm

from ldpbook._arrays import Array
from ldpbook.localization.forgotten_weights import source_update
from ldpbook.localization.mobility import measured_distances
from ldpbook.localization.most_likely import most_likely_particles
from ldpbook.localization.particles import sum_product_update, uniform_clouds
from ldpcourse.ledger.claim import Claim, Reading, Verdict
from ldpcourse.ledger.localization._shared import XIANG, two_users
from ldpcourse.runs.kept import stored


def _factors_from_joint() -> float:
    """Largest difference of the factors of the update from the joint law of each pair of particles."""
    particles, log_weights, measured = two_users()
    apart = np.linalg.norm(particles[0][:, None] - particles[1], axis=-1)
    factor = np.exp(log_weights[1] - (apart - measured[0, 1]) ** 2 / 2)
    joint = np.exp(log_weights[1]) / 3 * norm.pdf(measured[0, 1], apart)  # the first user's particles even
    # To twelve digits: what lies below is the rounding of this machine's floats.
    return round(float(np.abs(factor / factor.sum() - joint / joint.sum()).max()), 12)


def _elected_with_anchors_only() -> float:
    """Share of users for whom the update elects a most likely particle, if only anchors are heard."""
    anchors = np.arange(20) < 7
    right: list[bool] = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        place = rng.uniform(0, 100, (20, 2))
        particles, log_weights = uniform_clouds(20, 100, rng, side=100)
        particles[anchors] = place[anchors, None]
        measured = measured_distances(place, rng, reach=40, sigma=2)
        measured[np.ix_(~anchors, ~anchors)] = np.nan
        heard = ~anchors & ~np.isnan(measured).all(axis=1)
        likely = most_likely_particles(particles, log_weights, measured, sigma=2)
        elected = source_update(particles, log_weights, measured, sigma=2).argmax(axis=1)
        right += (likely == elected)[heard].tolist()
    return float(np.mean(right))


def _distance_from_posterior() -> float:
    """Total variation distance of the source's update from the exact posterior, for two users."""
    particles, log_weights, measured = two_users()
    exact = np.exp(sum_product_update(particles, log_weights, measured, sigma=1.0))
    printed = np.exp(source_update(particles, log_weights, measured, sigma=1.0))
    return float(np.abs(exact - printed)[0].sum() / 2)


def _change_of_exponent() -> float:
    """How much the decrypted exponent falls if the neighbour's weights become 0.1, 0.1 and 0.8."""
    particles, log_weights, measured = two_users()
    apart = np.linalg.norm(particles[0][:, None] - particles[1], axis=-1)
    kernel = -((apart - measured[0, 1]) ** 2) / 2
    before, after = ((w + kernel).sum(axis=1) for w in (log_weights[1], np.log([0.1, 0.1, 0.8])))
    return float((before - after).max())


def _effect_of_weights(update: Callable[..., Array]) -> float:
    """How far the first user's weights move if the second one's are turned round."""
    particles, log_weights, measured = two_users()
    turned = np.stack([log_weights[0], log_weights[1, ::-1]])
    before, after = (np.exp(update(particles, w, measured, sigma=1.0))[0] for w in (log_weights, turned))
    return float(np.abs(before - after).sum() / 2)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="loc-joint",
        source=XIANG,
        place="Slides: Privacy-Preserving Inference",
        statement=(
            "The update multiplies the weight of a particle by the joint probabilities, given the measured"
            " distance, of the particle and each of the neighbours' particles."
        ),
        readings=(
            Reading(
                words=(
                    "As an identity: each factor of the product is proportional to the joint probability of"
                    " its pair of particles, the user's own being equally likely before. The number is the"
                    " largest difference of factors and probabilities, both scaled to sum 1, two users with"
                    " three particles each."
                ),
                compute=_factors_from_joint,
                relation="=",
                target=0.0,
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "As inference on each user: the updated weights are her law given the measurement. The"
                    " number is the total variation distance from the exact posterior, same two users."
                ),
                compute=_distance_from_posterior,
                relation="=",
                target=0.0,
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "Each factor is the joint probability of its pair up to a constant; their largest difference is"
            " {computed}. The product of the factors over all of a neighbour's particles is not the law of"
            " the user's position: that would be a sum over them, as the neighbour is at one of them."
        ),
        chapter="localization/forgotten-weights",
    ),
    Claim(
        id="loc-weights",
        source=XIANG,
        place="Slides: Privacy-Preserving Inference",
        statement="The neighbours' weights, sent encrypted, enter the update of a user's weights.",
        readings=(
            Reading(
                words=(
                    "They enter the number that the user decrypts: how much it falls when the neighbour's"
                    " weights change from 0.6, 0.3, 0.1 to 0.1, 0.1, 0.8, beside the logarithm of the ratio"
                    " of their products."
                ),
                compute=_change_of_exponent,
                relation="=",
                target=math.log(0.018 / 0.008),
                tolerance=1e-9,
            ),
            Reading(
                words=(
                    "They enter the user's new weights as probabilities, which sum to 1: how far these move"
                    " if the neighbour's weights are turned round, beside exact sum-product."
                ),
                compute=lambda: _effect_of_weights(source_update),
                relation="=",
                target=_effect_of_weights(sum_product_update),
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "They change what is decrypted, here by {computed} for every particle alike; and what is the same"
            " for every particle cancels when weights are normalised, so that no probability depends on them."
            " So they protect nobody less if they stay at home: the user's new weights follow from public"
            " particles, her own weights and her own distances."
        ),
        chapter="localization/forgotten-weights",
    ),
    Claim(
        id="loc-map",
        source=XIANG,
        place="Slides: Localization via Crowdsourcing; Particle Representation",
        statement=(
            "At each time the server finds the most likely positions, or the most likely distribution, of"
            " all users, given those of the time before and the measured distances."
        ),
        readings=(
            Reading(
                words=(
                    "The server's means are the slides' update. Users hear anchors only, and all particles"
                    " are as likely before: the number is the share of the 63 users of five crowds who hear"
                    " an anchor, whose particle of largest weight is one of the most likely choice."
                ),
                compute=_elected_with_anchors_only,
                relation="=",
                target=1.0,
            ),
            Reading(
                words=(
                    "All neighbours are heard, and the positions are taken together. The number is the share"
                    " of users whose particle of largest weight is that of the most likely choice of all"
                    " users: 25 crowds, six steps each, the clouds and weights those of sum-product."
                ),
                compute=lambda: float(stored("most-likely-crowd")["slides is joint"].mean()),
                relation="=",
                target=1.0,
            ),
            Reading(
                words=(
                    "All neighbours are heard, and each position is taken by itself: the share of the same"
                    " users whose particle of largest weight is the one of largest probability under"
                    " sum-product."
                ),
                compute=lambda: float(stored("most-likely-crowd")["slides is own"].mean()),
                relation="=",
                target=1.0,
            ),
            Reading(
                words=(
                    "The distribution is meant: the weights become the law of each position, given the"
                    " measurements. The number is the total variation distance of the two, for two users with"
                    " three particles each."
                ),
                compute=_distance_from_posterior,
                relation="=",
                target=0.0,
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "It is a well-posed aim: the most likely choice was found, and proved to be so, for each of 150"
            " simulated crowds. Where only anchors are heard the slides' update elects it, for a share of"
            " {computed} of the users. Where neighbours are uncertain themselves, it elects the particle of"
            " the most likely choice for three users in ten, and a user's own most likely particle for fewer"
            " than four; and its weights are not the law of her position. In metres that costs much while"
            " clouds are wide, and little once they are narrow."
        ),
        chapter="localization/forgotten-weights",
    ),
)
