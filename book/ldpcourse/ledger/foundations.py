"""Claims judged in the chapters of the part."""

import math

import numpy as np
from numpy.typing import ArrayLike

from ldpbook.foundations.local_privacy import discrete_epsilon
from ldpcourse.ledger.claim import Claim, Reading, Verdict


def _amplified(answers: ArrayLike, size: float) -> float:
    """Largest move of a truth inferred by Algorithm 1 over the largest noise, the largest of ten draws."""
    from ldpbook.foundations.truth_inference import (
        infer_truth,
    )  # imports pandas, which no other claim of this part needs

    given, rng = np.asarray(answers, dtype=float), np.random.default_rng(2018)
    before, ratios = infer_truth(given).truth, []
    for _ in range(10):
        noise = rng.uniform(-size, size, given.shape)
        ratios.append(np.abs(infer_truth(given + noise).truth - before).max() / np.abs(noise).max())
    return float(max(ratios))


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="rr-binary",
        source="sun2018truth",
        place="Section II-A",
        statement=(
            "Answering a yes-no question truthfully with probability p > 1/2, and lying otherwise, is"
            " ln(p/(1-p))-LDP."
        ),
        readings=(
            Reading(
                words=(
                    "Yes and no are neighbours of each other. We compare the exact epsilon of the mechanism"
                    " with the formula at p = 0.75, where it gives ln 3."
                ),
                compute=lambda: discrete_epsilon([[0.75, 0.25], [0.25, 0.75]]),
                relation="=",
                target=math.log(3.0),
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "Yes and no are neighbours of each other. We compute the largest difference between the"
                    " exact epsilon and the formula over p = 0.501, 0.502 and so on to 0.999."
                ),
                compute=lambda: max(
                    abs(discrete_epsilon([[p, 1 - p], [1 - p, p]]) - math.log(p / (1 - p)))
                    for p in (k / 1000 for k in range(501, 1000))
                ),
                relation="<=",
                target=0.0,
                tolerance=1e-12,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="For one yes-no answer the formula is the exact epsilon; at p = 0.75 it is {computed}, ln 3.",
        chapter="foundations/local-privacy",
    ),
    Claim(
        id="noise-amplified",
        source="sun2018truth",
        place="Section I",
        statement=(
            "Even slight noise in the workers' answers may grow from iteration to iteration of truth"
            " inference, so that it is amplified in the truths."
        ),
        readings=(
            Reading(
                words=(
                    "There is a crowd in which it grows: four workers, two tasks and noise of at most 0.01."
                    " We compute the largest move of a truth that Algorithm 1 infers over the largest noise,"
                    " the largest of ten draws."
                ),
                compute=lambda: _amplified([[9, 0], [7, 7], [4, 9], [9, 2]], 0.01),
                relation=">=",
                target=1.0,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "In a crowd of four who disagree, a truth moves up to {computed} times as far as the largest"
            " noise in an answer, because noise moves the weights too. That noise may grow does not mean that"
            " it does. On the source's synthetic crowd, no sparser than in its figures, the truths move less"
            " than the noise. In a smaller crowd as sparse as its AdultContent some move farther."
        ),
        chapter="foundations/truth-inference",
    ),
)
