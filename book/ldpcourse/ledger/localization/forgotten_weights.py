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
    """Largest difference between the update's factors and the joint probabilities of pairs of particles."""
    particles, log_weights, measured = two_users()
    apart = np.linalg.norm(particles[0][:, None] - particles[1], axis=-1)
    factor = np.exp(log_weights[1] - (apart - measured[0, 1]) ** 2 / 2)
    joint = (
        np.exp(log_weights[1]) / 3 * norm.pdf(measured[0, 1], apart)
    )  # the first user's particles are equally likely
    # Differences beyond twelve digits are this machine's floating-point rounding.
    return round(float(np.abs(factor / factor.sum() - joint / joint.sum()).max()), 12)


def _elected_with_anchors_only() -> float:
    """Share of users for whom the update elects a most likely particle if only anchors are heard."""
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
    """Decrease in the decrypted exponent if the neighbour's weights become 0.1, 0.1 and 0.8."""
    particles, log_weights, measured = two_users()
    apart = np.linalg.norm(particles[0][:, None] - particles[1], axis=-1)
    kernel = -((apart - measured[0, 1]) ** 2) / 2
    before, after = ((w + kernel).sum(axis=1) for w in (log_weights[1], np.log([0.1, 0.1, 0.8])))
    return float((before - after).max())


def _effect_of_weights(update: Callable[..., Array]) -> float:
    """Total variation distance by which the first user's weights move if the second's are reversed."""
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
                    "As an identity, each factor of the product is proportional to the joint probability of"
                    " its pair of particles, if the user's own particles are equally likely before. For two"
                    " users with three particles each, we compute the largest difference between factors and"
                    " probabilities, both scaled to sum to 1."
                ),
                compute=_factors_from_joint,
                relation="=",
                target=0.0,
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "As inference on each user, the updated weights are her distribution given the"
                    " measurement. For the same two users, we compute the total variation distance from the"
                    " exact posterior."
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
            " {computed}. The product of the factors over all of a neighbour's particles is not the"
            " distribution of the user's position. That would be a sum over them, because the neighbour is at"
            " one of them."
        ),
        chapter="localization/forgotten-weights",
    ),
    Claim(
        id="loc-weights",
        source=XIANG,
        place="Slides: Privacy-Preserving Inference",
        statement="The neighbours' weights, which are sent encrypted, enter the update of a user's weights.",
        readings=(
            Reading(
                words=(
                    "They enter the number that the user decrypts. We compute how much it falls when the"
                    " neighbour's weights change from 0.6, 0.3, 0.1 to 0.1, 0.1, 0.8, compared with the"
                    " logarithm of the ratio of their products."
                ),
                compute=_change_of_exponent,
                relation="=",
                target=math.log(0.018 / 0.008),
                tolerance=1e-9,
            ),
            Reading(
                words=(
                    "They enter the user's new weights as probabilities, which sum to 1. We compute how far"
                    " these move if the neighbour's weights are reversed, compared with exact sum-product."
                ),
                compute=lambda: _effect_of_weights(source_update),
                relation="=",
                target=_effect_of_weights(sum_product_update),
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "They change the decrypted number, here by {computed} for every particle. A term that is the same"
            " for every particle cancels when weights are normalized, so no probability depends on the"
            " neighbours' weights. So no one is less protected if the weights stay at home: the user's new"
            " weights follow from public particles, her own weights and her own distances."
        ),
        chapter="localization/forgotten-weights",
    ),
    Claim(
        id="loc-map",
        source=XIANG,
        place="Slides: Localization via Crowdsourcing; Particle Representation",
        statement=(
            "At each time the server finds the most likely positions, or the most likely distribution, of all"
            " users, given those at the previous time and the measured distances."
        ),
        readings=(
            Reading(
                words=(
                    "The server uses the slides' update, users hear anchors only, and all particles are"
                    " equally likely before. Among the 63 users of five crowds who hear an anchor, we compute"
                    " the share whose particle of largest weight belongs to a most likely choice."
                ),
                compute=_elected_with_anchors_only,
                relation="=",
                target=1.0,
            ),
            Reading(
                words=(
                    "All neighbours are heard, and the positions are taken together. For 25 crowds with six"
                    " steps each, and the clouds and weights of sum-product, we compute the share of users"
                    " whose particle of largest weight is that of the most likely choice of all users."
                ),
                compute=lambda: float(stored("most-likely-crowd")["slides is joint"].mean()),
                relation="=",
                target=1.0,
            ),
            Reading(
                words=(
                    "All neighbours are heard, and each position is taken by itself. We compute the share of"
                    " the same users whose particle of largest weight has the largest probability under"
                    " sum-product."
                ),
                compute=lambda: float(stored("most-likely-crowd")["slides is own"].mean()),
                relation="=",
                target=1.0,
            ),
            Reading(
                words=(
                    "The distribution is meant: the weights become the distribution of each position, given"
                    " the measurements. For two users with three particles each, we compute the total"
                    " variation distance between the two."
                ),
                compute=_distance_from_posterior,
                relation="=",
                target=0.0,
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The aim is well posed: the most likely choice was found, and proved to be so, for each of 150"
            " simulated crowds. Where only anchors are heard, the slides' update elects it for a share of"
            " {computed} of the users. Where neighbours are uncertain themselves, it elects the particle of"
            " the most likely choice for three users in ten, and a user's own most likely particle for fewer"
            " than four. Its weights are not the distribution of her position. In metres the errors cost much"
            " while clouds are wide, and little once they are narrow."
        ),
        chapter="localization/forgotten-weights",
    ),
)
