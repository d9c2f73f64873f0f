"""Claims judged in the chapter localization/noisy-distances."""

import functools
import math

import numpy as np
from scipy.stats import ncx2

from ldpbook._arrays import Array
from ldpbook.localization.noisy_distances import printed_distance
from ldpcourse.ledger.claim import Claim, Reading, Verdict
from ldpcourse.ledger.localization._shared import XIANG


@functools.cache
def _printed_estimates() -> Array:
    """The printed estimator at d = 1, sigma = 0.1, for a million pairs of points."""
    first, second = 0.1 * np.random.default_rng(0).standard_normal((2, 1_000_000, 2))
    observed = np.linalg.norm(first - second + np.array([1.0, 0.0]), axis=1)
    return printed_distance(observed, sigma=0.1)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="loc-unbiased",
        source=XIANG,
        place="Slides: Privacy and Utility Analysis",
        statement=(
            "The square root of the squared distance between two perturbed points minus 4 sigma^2 is an"
            " unbiased estimator of the distance between the points."
        ),
        readings=(
            Reading(
                words=(
                    "For the squares, we compare the mean of the squared estimator at d = 1, sigma = 0.1,"
                    " over a million pairs, with the squared distance."
                ),
                compute=lambda: float((_printed_estimates() ** 2).mean()),
                relation="=",
                target=1.0,
                tolerance=4 * math.sqrt(8 * 0.1**2 + 16 * 0.1**4) / 1000,
            ),
            Reading(
                words="For the distance itself, we compute the mean of the estimator for these pairs.",
                compute=lambda: float(_printed_estimates().mean()),
                relation="=",
                target=1.0,
                tolerance=4 * 0.142 / 1000,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The square is unbiased for the squared distance: its mean is {computed}, within two standard"
            " errors. The estimator itself is too small by sigma^2/d to first order, and no estimator of the"
            " distance is unbiased."
        ),
        chapter="localization/noisy-distances",
    ),
    Claim(
        id="loc-real",
        source=XIANG,
        place="Slides: Perturbed Private Inference",
        statement=(
            "The server computes the square root of the squared distance minus 4 sigma^2 for each pair of"
            " perturbed particles."
        ),
        readings=(
            Reading(
                words=(
                    "For particles ten sigma apart, the probability of a negative number under the root must"
                    " be below one in a million."
                ),
                compute=lambda: float(ncx2.cdf(2, 2, 50.0)),
                relation="<=",
                target=1e-6,
            ),
            Reading(
                words=(
                    "For all pairs, and so also for d = 1, sigma = 0.3, we compute the probability of a"
                    " negative number."
                ),
                compute=lambda: float(ncx2.cdf(2, 2, 1 / (2 * 0.3**2))),
                relation="<=",
                target=1e-6,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "For pairs ten sigma apart the computation fails with probability {computed}. It fails for one"
            " pair in nine if d = 1 and sigma = 0.3, and for more than half if sigma = d. Setting the"
            " distance to 0 there, as maximum likelihood does, makes it computable."
        ),
        chapter="localization/noisy-distances",
    ),
)
