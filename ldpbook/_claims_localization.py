"""Claims of the part localization."""

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ncx2

from ldpbook import bounds
from ldpbook._claim import Claim, Reading, Verdict
from ldpbook.answers import Matrix
from ldpbook.distances import halved_distance, printed_distance
from ldpbook.particles import localize, source_update, sum_product_update
from ldpbook.perturbed_particles import ParticlePerturbation
from ldpbook.privacy import gaussian_epsilon, gaussian_sigma
from ldpbook.random_waypoint import random_waypoint

_XIANG = "xiang2017privacy"


def _small_crowd() -> tuple[Matrix, Matrix, Matrix]:
    """Two users with three particles each, their log-weights, and the distance they measured."""
    particles = np.array([[[0.0, 0.0], [4.0, 0.0], [0.0, 9.0]], [[5.0, 0.0], [9.0, 0.0], [0.0, 3.0]]])
    log_weights = np.log([[0.5, 0.3, 0.2], [0.6, 0.3, 0.1]])
    return particles, log_weights, np.array([[np.nan, 5.0], [5.0, np.nan]])


def _homomorphic_difference() -> float:
    """Largest difference of the encrypted update and the plain one, keys of 2048 bits."""
    from ldpbook.encrypted_inference import BlindServer, LocalizingUser, make_keys  # needs phe

    particles, log_weights, measured = _small_crowd()
    public, secret = make_keys()
    users = [LocalizingUser(log_weights[i], {1 - i: 5.0}, secret) for i in (0, 1)]
    reports = [user.report() for user in users]
    server = BlindServer(public, sigma=1.0)
    found = [user.update(server.combine(i, particles, reports)) for i, user in enumerate(users)]
    # To nine digits: what lies below is the rounding of this machine's floats.
    return round(float(np.abs(found - source_update(particles, log_weights, measured, sigma=1.0)).max()), 9)


def _distance_from_joint() -> float:
    """Total variation distance of the source's update from the exact posterior, for two users."""
    particles, log_weights, measured = _small_crowd()
    exact = np.exp(sum_product_update(particles, log_weights, measured, sigma=1.0))
    printed = np.exp(source_update(particles, log_weights, measured, sigma=1.0))
    return float(np.abs(exact - printed)[0].sum() / 2)


@functools.cache
def _walking_crowd() -> tuple[Matrix, NDArray[np.bool_], dict[str, float]]:
    """Track, anchors and setting of the part's experiment."""
    track = random_waypoint(20, 15, side=100, speeds=(1, 3), rng=1)
    return track, np.arange(20) < 7, {"side": 100, "speed": 3, "reach": 40, "sigma": 2, "n_particles": 100}


def _largest_weight() -> float:
    """Mean over users of the largest weight of a cloud, after 15 steps."""
    track, anchors, setting = _walking_crowd()
    found = localize(track, anchors, lambda *crowd: sum_product_update(*crowd, sigma=2), rng=2, **setting)
    return float(np.exp(found.log_weights[-1].max(axis=1))[~anchors].mean())


def _mean_printed_distance() -> float:
    """Mean of the printed estimator at d = 1, sigma = 0.1, over a million pairs of points."""
    first, second = 0.1 * np.random.default_rng(0).standard_normal((2, 1_000_000, 2))
    observed = np.linalg.norm(first - second + np.array([1.0, 0.0]), axis=1)
    return float(printed_distance(observed, sigma=0.1).mean())


def _error_by_perturbation() -> float:
    """Error after 15 steps with location epsilon 5 at 10 m, as a multiple of that without noise."""
    track, anchors, setting = _walking_crowd()
    sigma = gaussian_sigma(epsilon=5, distance=10, delta=1e-5)
    noise, rng = ParticlePerturbation(sigma), np.random.default_rng(0)

    def perturbed(particles: Matrix, log_weights: Matrix, measured: Matrix) -> Matrix:
        return sum_product_update(
            noise.perturb(particles, rng),
            log_weights,
            measured,
            sigma=math.sqrt(4 + 2 * sigma**2),
            correct=lambda observed: halved_distance(observed, sigma=sigma),
        )

    def error(update: Callable[..., Matrix]) -> float:
        found = localize(track, anchors, update, rng=2, **setting).estimates[5:]
        return float(np.linalg.norm(found - track[5:], axis=-1)[:, ~anchors].mean())

    return error(perturbed) / error(lambda *crowd: sum_product_update(*crowd, sigma=2))


def _effect_of_weights(update: Callable[..., Matrix]) -> float:
    """How far the first user's weights move if the second one's are turned round."""
    particles, log_weights, measured = _small_crowd()
    turned = np.stack([log_weights[0], log_weights[1, ::-1]])
    before, after = (np.exp(update(particles, w, measured, sigma=1.0))[0] for w in (log_weights, turned))
    return float(np.abs(before - after).sum() / 2)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="loc-homomorphic",
        source=_XIANG,
        place="Slides: Privacy-Preserving Inference",
        statement=(
            "The product of ciphertexts encrypts the sum of the plain expression; here the largest difference"
            " of the updated log-weights, two users with three particles, keys of 2,048 bits."
        ),
        readings=(
            Reading(words="", compute=_homomorphic_difference, relation="=", target=0.0, tolerance=1e-9),
        ),
        verdict=Verdict.REPRODUCED,
        finding="They agree to the precision of the fixed-point encoding.",
        chapter="localization/encrypted-inference",
    ),
    Claim(
        id="loc-joint",
        source=_XIANG,
        place="Slides: Privacy-Preserving Inference",
        statement=(
            "The update multiplies a weight by the joint probability of the particles given the distance;"
            " here the total variation distance from the exact posterior of two users."
        ),
        readings=(Reading(words="", compute=_distance_from_joint, relation="=", target=0.0, tolerance=1e-9),),
        verdict=Verdict.REFUTED,
        finding="It is {computed}: a product over the neighbour's particles is not the sum over them.",
        chapter="localization/forgotten-weights",
    ),
    Claim(
        id="loc-weights",
        source=_XIANG,
        place="Slides: Privacy-Preserving Inference",
        statement=(
            "The encrypted weights of the neighbours enter the update; here how far the first user's weights"
            " move if the second one's are turned round, printed for exact sum-product."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: _effect_of_weights(source_update),
                relation="=",
                target=_effect_of_weights(sum_product_update),
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "They move by {computed}: the sum of the neighbours' log-weights is the same for every particle and"
            " cancels when weights are normalised."
        ),
        chapter="localization/forgotten-weights",
    ),
    Claim(
        id="loc-guess",
        source=_XIANG,
        place="Slides: With R particles, an adversary",
        statement=(
            "With R particles an adversary guesses the correct location with probability 1/R; here the mean"
            " largest weight of 100 particles after 15 steps, with which whoever has the weights guesses."
        ),
        printed="0.01",
        readings=(Reading(words="", compute=_largest_weight, relation="=", target=0.01, tolerance=1e-3),),
        verdict=Verdict.REFUTED,
        finding=(
            "It is {computed}. The printed value holds only without weights and without a prior; and the plain"
            " mean of the public particles is within metres of the user."
        ),
        chapter="localization/perturbed-particles",
    ),
    Claim(
        id="loc-location",
        source=_XIANG,
        place="Slides: Location Differential Privacy",
        statement=(
            "Gaussian noise is private with epsilon = rho d^2 + 2 sqrt(rho ln(1/delta)) d; here sigma = d = 1,"
            " delta = 10^-5, against the exact epsilon."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: gaussian_epsilon(sigma=1, distance=1, delta=1e-5),
                relation="<=",
                target=bounds.location_epsilon(sigma=1, distance=1, delta=1e-5),
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="The exact epsilon is {computed}: the formula is a valid conversion, and not tight.",
        chapter="localization/perturbed-particles",
    ),
    Claim(
        id="loc-user",
        source=_XIANG,
        place="Slides: User Differential Privacy",
        statement=(
            "R particles are private with epsilon' = rho R d^2 + 2 sqrt(rho ln(1/delta) R d^2); here R = 100,"
            " sigma = 10, d = 1, delta = 10^-5, against the exact epsilon."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: gaussian_epsilon(sigma=10, distance=10, delta=1e-5),
                relation="<=",
                target=bounds.user_epsilon(sigma=10, distance=1, n_particles=100, delta=1e-5),
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="The exact epsilon is {computed}. It covers one release.",
        chapter="localization/perturbed-particles",
    ),
    Claim(
        id="loc-root-r",
        source=_XIANG,
        place="Slides: Privacy and Utility Analysis",
        statement=(
            "The privacy level improves by sqrt(R); here for R = 100, sigma = 10, d = 1, delta = 10^-5, against"
            " adding up the epsilons of the particles."
        ),
        printed="10",
        readings=(
            Reading(
                words="",
                compute=(
                    lambda: (
                        100
                        * bounds.location_epsilon(sigma=10, distance=1, delta=1e-5)
                        / bounds.user_epsilon(sigma=10, distance=1, n_particles=100, delta=1e-5)
                    )
                ),
                relation="=",
                target=10.0,
                tolerance=0.05,
            ),
        ),
        verdict=Verdict.CORRECTED,
        finding=(
            "By {computed}. sqrt(R) is an upper limit, approached as epsilon tends to 0; for large epsilons the"
            " factor tends to 1."
        ),
        chapter="localization/perturbed-particles",
    ),
    Claim(
        id="loc-unbiased",
        source=_XIANG,
        place="Slides: Privacy and Utility Analysis",
        statement=(
            "The root of the squared distance of perturbed points less 4 sigma^2 is an unbiased estimator of"
            " the distance; here its mean at d = 1, sigma = 0.1, a million draws."
        ),
        readings=(
            Reading(
                words="", compute=_mean_printed_distance, relation="=", target=1.0, tolerance=4 * 0.142 / 1000
            ),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "The mean is {computed}, 1 - sigma^2 to first order. Its square is unbiased for the squared"
            " distance; for the distance itself no estimator is."
        ),
        chapter="localization/noisy-distances",
    ),
    Claim(
        id="loc-real",
        source=_XIANG,
        place="Slides: Perturbed Private Inference",
        statement=(
            "The server computes that root for each pair; here the probability that it is of a negative number,"
            " d = 1, sigma = 0.3."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: float(ncx2.cdf(2, 2, 1 / (2 * 0.3**2))),
                relation="=",
                target=0.0,
                tolerance=1e-12,
            ),
        ),
        verdict=Verdict.CORRECTED,
        finding="The probability is {computed}, and 0.546 at sigma = 1. Maximum likelihood gives 0 there.",
        chapter="localization/noisy-distances",
    ),
    Claim(
        id="loc-utility",
        source=_XIANG,
        place="Slides: Privacy and Utility Analysis",
        statement=(
            "Perturbed inference has the same utility; here its error as a multiple of that without noise,"
            " location epsilon 5 at 10 m for each particle, 100 particles."
        ),
        readings=(
            Reading(words="", compute=_error_by_perturbation, relation="=", target=1.0, tolerance=0.1),
        ),
        verdict=Verdict.REFUTED,
        finding="The error is {computed} times as large, on a simulated crowd of 20.",
        chapter="localization/experiment",
    ),
)
