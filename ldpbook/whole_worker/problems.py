"""Problems of the part with numbers of their own for every student."""

from collections.abc import Callable
from math import comb, tanh

import numpy as np

from ldpbook._problem import Problem, drawn

# row-attack

# worker-epsilon

# composition

# sampling-questions


def _mixture(rng: np.random.Generator) -> Problem:
    epsilon, density, k = drawn(rng, 0.5, 3, 1), drawn(rng, 0.1, 0.6), int(rng.integers(4, 16))
    kept = density * comb(k - 1, k // 2) / 2 ** (k - 1) * tanh(epsilon / 2)
    mean = round(kept * float(rng.uniform(0.2, 0.8)), 5)
    return Problem(
        f"With epsilon {epsilon:.1f} for her whole row, each of many workers multiplies the side of each of"
        " her answers (plus one above the threshold, minus one not above) by a public fair coin of the task,"
        " adds up, and sends whether the sum is positive or negative by randomized response of two symbols;"
        f" a sum of zero is decided by a coin. Every worker has {k} answers, and a share of {density:.2f} of"
        " the workers has answered this task. The mean of the reports times the coins of this task is"
        f" {mean:.5f}. Which share of the answers to this task is estimated to lie above its threshold?",
        (1 + mean / kept) / 2,
        explanation="The mean is the share above less the share not above, times three factors: the density,"
        " the probability that the noise tells the truth less that it lies, and the weight of one answer in"
        " the sign of the sum, a binomial probability of the others to cancel and not one over their number.",
    )


# shuffling

# manipulation

# again-and-again

PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    "mixture": _mixture,
    # shuffling
    # manipulation
    # again-and-again
}
