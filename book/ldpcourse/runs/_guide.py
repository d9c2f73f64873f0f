"""Long simulations for the chapter on which mechanism to use."""

from collections.abc import Mapping

import numpy as np

from ldpbook._arrays import Array
from ldpbook.foundations.truth_inference import infer_truth
from ldpbook.remedies.decoding import decode
from ldpbook.remedies.phases import infer_with_thresholds
from ldpbook.sparse_answers.randomized_response import RandomizedResponse
from ldpcourse.runs.kept import Run


def unlike_assumed(crowd: str, trial: int) -> Mapping[str, float]:
    """MAE at epsilon 2 on a crowd of 4,000 workers, 50 tasks and five answers that is not as predicted.

    Also whether the median's decoder trusts the distribution of the answers there.
    """
    rng, rr = np.random.default_rng([3, trial]), RandomizedResponse(2.0, range(5))
    answers, truth = _broken(crowd, rng)
    reports = rr.perturb(answers, rng)
    asked = infer_with_thresholds(answers, epsilon=2.0, domain=range(5), rng=rng)
    truths = {
        "RR, Algorithm 1": infer_truth(reports).truth,
        "RR, decoded": decode(reports, rr).truth,
        "threshold response": asked.median,
    }
    errors = {name: float(np.abs(each - truth).mean()) for name, each in truths.items()}
    return errors | {"trusted": float(asked.trusted)}


def _broken(crowd: str, rng: np.random.Generator) -> tuple[Array, Array]:
    """Answers of the workers who answer, and truths."""
    truth = rng.normal(2.0, 0.7, 50)
    if crowd == "two clumps":
        truth = 2.0 + 0.7 * rng.choice([-1.0, 1.0], 50)
    noise = rng.normal(0.5 if crowd == "all lean" else 0.0, 1.0, (4000, 50))
    answered = rng.random(noise.shape) < (0.02 if crowd == "few answers" else 0.3)
    answers = np.where(answered, np.clip(np.rint(truth + noise), 0, 4), np.nan)
    return answers[answered.any(axis=1)], truth


GUIDE_RUNS = (
    Run(
        name="unlike-assumed",
        cell=unlike_assumed,
        cells=tuple(
            {"crowd": kind, "trial": number}
            for kind in ("as assumed", "few answers", "all lean", "two clumps")
            for number in range(4)
        ),
    ),
)
