"""Claims judged in the chapter localization/perturbed-particles."""

import functools
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.stats import norm

from ldpbook._arrays import Array
from ldpbook.foundations.local_privacy import gaussian_delta, gaussian_epsilon
from ldpbook.localization import bounds
from ldpbook.localization.forgotten_weights import source_update
from ldpbook.localization.mobility import random_waypoint
from ldpbook.localization.particles import localize
from ldpcourse.ledger.claim import Claim, Reading, Verdict
from ldpcourse.ledger.localization._shared import XIANG

_SETTING = {"side": 100, "speed": 3, "reach": 40, "sigma": 2, "n_particles": 100}
_ANCHORS = np.arange(20) < 7


@functools.cache
def _after_15_steps() -> tuple[Array, Array]:
    """The slides' update on five crowds: weights, and errors of the clouds' plain means in metres.

    Both are for the 13 users of each crowd whose position is unknown.
    """
    weights, plain = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        track = random_waypoint(20, 15, side=100, speeds=(1, 3), rng=rng)
        found = localize(track, _ANCHORS, partial(source_update, sigma=2), rng=rng, **_SETTING)
        weights.append(np.exp(found.log_weights[-1, ~_ANCHORS]))
        means = found.clouds[-1, ~_ANCHORS].mean(axis=1)
        plain.append(np.linalg.norm(means - track[-1, ~_ANCHORS], axis=-1))
    return np.array(weights), np.array(plain)


def _exact_to_printed(distance: float, n_particles: int) -> float:
    """Largest ratio of the exact epsilon to the printed one, over noise and delta."""
    return max(
        gaussian_epsilon(sigma=sigma, distance=distance * n_particles**0.5, delta=delta)
        / bounds.user_epsilon(sigma=sigma, distance=distance, n_particles=n_particles, delta=delta)
        for sigma in np.logspace(-1, 2, 25)
        for delta in (1e-9, 1e-5, 1e-2)
    )


def _improvement(sigma: float, delta_each: float) -> float:
    """Sum of the epsilons of 100 particles over the user's epsilon at delta = 10^-5, as printed; d = 1."""
    added = 100 * bounds.location_epsilon(sigma=sigma, distance=1, delta=delta_each)
    return added / bounds.user_epsilon(sigma=sigma, distance=1, n_particles=100, delta=1e-5)


def _planar_laplace_improvement() -> float:
    """Sum of the epsilons of 100 particles with planar Laplace noise, over the user's; sigma = 10 d."""
    # Noise of density proportional to exp(-a |y - z|) has the mean square 6/a^2, Gaussian noise 2 sigma^2.
    added = 100 * 3**0.5 / 10
    return added / bounds.user_epsilon(sigma=10, distance=1, n_particles=100, delta=1e-5)


def _least_step(epsilon: Callable[[float], float]) -> float:
    """Smallest ratio of two successive epsilons as the distance grows from 0.1 to 100 m."""
    return float(np.exp(np.diff(np.log([epsilon(d) for d in np.logspace(-1, 2, 61)])).min()))


def _delta_at(distance: float) -> float:
    """Delta at the printed epsilon of 10 m for locations that far apart; sigma = 10 m."""
    printed = bounds.location_epsilon(sigma=10, distance=10, delta=1e-5)
    return gaussian_delta(sigma=10, distance=distance, epsilon=printed)


def _loss_beyond() -> float:
    """Probability of a loss above the printed epsilon of 10 m; sigma = 10 m."""
    printed = bounds.location_epsilon(sigma=10, distance=10, delta=1e-5)
    return float(norm.sf(printed - 0.5))  # the loss has mean 1/2 and standard deviation 1


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="loc-guess",
        source=XIANG,
        place="Slides: Privacy-Preserving Localization with Crowdsourcing",
        statement=(
            "With R public particles an adversary can still guess the correct location with probability 1/R,"
            " although the weights are encrypted."
        ),
        readings=(
            Reading(
                words=(
                    "The adversary has 100 particles and no weights. One of the particles is taken to be the"
                    " location, with its weight as probability, and he picks blindly. The probability that he"
                    " is right is the mean of 100 weights that add up to 1, an identity. We evaluate it for"
                    " the slides' update, for 13 users in each of five crowds, after 15 steps."
                ),
                compute=lambda: float(_after_15_steps()[0].mean()),
                relation=">=",
                target=0.01,
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "As a limit of what particles without weights reveal, where a location within 3 m, one"
                    " step's walk, counts as correct: we compute the share of the same users who are within 3"
                    " m of the plain mean of their public particles."
                ),
                compute=lambda: float((_after_15_steps()[1] < 3).mean()),
                relation="<=",
                target=0.01,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "A blind pick is right with probability {computed} for R = 100, by arithmetic. An adversary can"
            " reach at least this probability; it is not an upper limit. Because resampling writes the"
            " weights into the particles, their plain mean is about as good as the user's own estimate, on"
            " average over five simulated crowds. How good that is depends on the update and the crowd."
        ),
        chapter="localization/perturbed-particles",
    ),
    Claim(
        id="loc-location",
        source=XIANG,
        place="Slides: Privacy Definition",
        statement=(
            "Gaussian noise on a location is (epsilon, delta)-private for locations d apart with epsilon ="
            " rho d^2 + 2 sqrt(rho ln(1/delta)) d, with a constant rho of the mechanism."
        ),
        readings=(
            Reading(
                words=(
                    "For one particle, one release and rho = 1/(2 sigma^2), we compute the largest ratio of"
                    " the exact epsilon to the printed one, for sigma from 0.1 d to 100 d and delta of 10^-9,"
                    " 10^-5 and 10^-2."
                ),
                compute=lambda: _exact_to_printed(1.0, 1),
                relation="<=",
                target=1.0,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The exact epsilon is at most {computed} times the printed one in the range tried: the formula is"
            " valid, but not tight."
        ),
        chapter="localization/perturbed-particles",
    ),
    Claim(
        id="loc-closer",
        source=XIANG,
        place="Slides: Interpretation of Privacy Definition",
        statement=(
            "The nearer two locations are, the smaller epsilon is and the harder they are to distinguish."
        ),
        readings=(
            Reading(
                words=(
                    "For the printed epsilon, with sigma = 10 m and delta = 10^-5, we compute the smallest"
                    " ratio of two successive values on a grid of 61 distances from 0.1 to 100 m."
                ),
                compute=lambda: _least_step(
                    lambda d: bounds.location_epsilon(sigma=10, distance=d, delta=1e-5)
                ),
                relation=">=",
                target=1.0,
            ),
            Reading(
                words=(
                    "For the exact epsilon in these cases, we compute the smallest ratio of two successive"
                    " values."
                ),
                compute=lambda: _least_step(lambda d: gaussian_epsilon(sigma=10, distance=d, delta=1e-5)),
                relation=">=",
                target=1.0,
            ),
            Reading(
                words=(
                    "For the probability that the best guess between two equally likely locations is right,"
                    " from one output, we compute that ratio."
                ),
                compute=lambda: _least_step(
                    lambda d: (1 + gaussian_delta(sigma=10, distance=d, epsilon=0)) / 2
                ),
                relation=">=",
                target=1.0,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "From each distance of the grid to the next the printed epsilon grows at least {computed}-fold;"
            " the exact one and the probability of a right guess grow too."
        ),
        chapter="localization/perturbed-particles",
    ),
    Claim(
        id="loc-circle",
        source=XIANG,
        place="Slides: Interpretation of Privacy Definition",
        statement=(
            "The distributions of the published particles, for all points within the same dotted circle, are"
            " at most e^epsilon apart."
        ),
        readings=(
            Reading(
                words=(
                    "For each point and the centre of the circle, as it is drawn, up to epsilon and delta,"
                    " with sigma = 10 m, a radius of 10 m and its printed epsilon at delta = 10^-5, 5.30, we"
                    " compute the delta that is needed."
                ),
                compute=lambda: _delta_at(10.0),
                relation="<=",
                target=1e-5,
            ),
            Reading(
                words=(
                    "For any two points of the circle, which may be a diameter apart, up to the epsilon of"
                    " the radius and delta, we compute the delta that is needed at 20 m."
                ),
                compute=lambda: _delta_at(20.0),
                relation="<=",
                target=1e-5,
            ),
            Reading(
                words=(
                    "For each point and the centre, up to e^epsilon alone, without a delta, as the slide's"
                    " words have it, we compute the probability of an output whose loss exceeds the printed"
                    " epsilon."
                ),
                compute=_loss_beyond,
                relation="<=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "Between the centre and each point of the circle, a delta of {computed} is needed at the printed"
            " epsilon, less than the 10^-5 for which it was computed. Two points of the circle may be a"
            " diameter apart, and for them epsilon is that of the diameter: 11.60 as printed, instead of"
            " 5.30. Without a delta no Gaussian noise has such a bound."
        ),
        chapter="localization/perturbed-particles",
    ),
    Claim(
        id="loc-user",
        source=XIANG,
        place="Slides: User Differential Privacy",
        statement=(
            "A user who reports R perturbed particles is private with epsilon' = rho R d^2 +"
            " 2 sqrt(rho ln(1/delta) R d^2)."
        ),
        readings=(
            Reading(
                words=(
                    "For one release and clouds of 100 particles, each at most d from its counterpart, we"
                    " compute the largest ratio of the exact epsilon to the printed one, for sigma from 0.1 d"
                    " to 100 d and delta of 10^-9, 10^-5 and 10^-2."
                ),
                compute=lambda: _exact_to_printed(1.0, 100),
                relation="<=",
                target=1.0,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The exact epsilon is at most {computed} times the printed one in the range tried. One release is"
            " covered; T of them count as T R particles."
        ),
        chapter="localization/perturbed-particles",
    ),
    Claim(
        id="loc-root-r",
        source=XIANG,
        place="Slides: Privacy and Utility Analysis",
        statement=(
            "The privacy level of R perturbed particles is better by a factor sqrt(R) than in previous work."
        ),
        readings=(
            Reading(
                words=(
                    "Previous work adds up the epsilons of 100 particles, and both sides fail with delta ="
                    " 10^-5 in all, 10^-7 for each particle, with sigma = 10 d. We compute R epsilon over"
                    " epsilon' by the printed formulas."
                ),
                compute=lambda: _improvement(10.0, 1e-7),
                relation=">=",
                target=10.0,
            ),
            Reading(
                words=(
                    "At equal delta in all and sigma = 10 d, we compute that ratio with the exact epsilons"
                    " instead of both formulas."
                ),
                compute=lambda: (
                    100
                    * gaussian_epsilon(sigma=10, distance=1, delta=1e-7)
                    / gaussian_epsilon(sigma=10, distance=10, delta=1e-5)
                ),
                relation=">=",
                target=10.0,
            ),
            Reading(
                words=(
                    "At equal delta in all, with the exact epsilons, we take sigma = 5.12 d, the smallest"
                    " noise at which the printed formulas reach the square root."
                ),
                compute=lambda: (
                    100
                    * gaussian_epsilon(sigma=5.12, distance=1, delta=1e-7)
                    / gaussian_epsilon(sigma=5.12, distance=10, delta=1e-5)
                ),
                relation=">=",
                target=10.0,
            ),
            Reading(
                words=(
                    "At equal delta in all, we take noise so small that epsilon' is 98: sigma = d, by the"
                    " formulas."
                ),
                compute=lambda: _improvement(1.0, 1e-7),
                relation=">=",
                target=10.0,
            ),
            Reading(
                words=(
                    "Previous work is geo-indistinguishability: each particle has planar Laplace noise of the"
                    " same mean square, whose epsilon, at delta = 0, is added up 100 times. We compare with"
                    " epsilon' at delta = 10^-5 and sigma = 10 d."
                ),
                compute=_planar_laplace_improvement,
                relation=">=",
                target=10.0,
            ),
            Reading(
                words="The sum of the epsilons may fail with 100 delta, epsilon' with one, at sigma = 10 d.",
                compute=lambda: _improvement(10.0, 1e-5),
                relation=">=",
                target=10.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "For 100 particles and delta = 10^-5 in all on both sides, the printed formulas give a factor of"
            " {computed} at sigma = 10 d, and 10 or more as long as epsilon' is at most 11.28. The exact"
            " epsilons give 10 or more as long as the user's is at most 5.49. The factor falls towards 1 as"
            " epsilon' grows. If the sum may fail with R delta, the factor stays below sqrt(R) by the"
            " formulas. Our text names no work. Compared with planar Laplace noise of the same mean square,"
            " whose epsilons are added up, the factor grows like sqrt(R) but is 3.3 here, because a delta"
            " above 0 has its price."
        ),
        chapter="localization/perturbed-particles",
    ),
)
