"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import math

import numpy as np
from scipy.stats import binom

# row-attack

# worker-epsilon

# composition

# sampling-questions


def mixture(epsilon, k, density, mean, weight=None):
    """An answer's weight is the mean length of a walk of k steps, over k."""
    heads = np.arange(k + 1)
    length = float(binom.pmf(heads, k, 0.5) @ np.abs(2 * heads - k))
    truth = 1 / (1 + math.exp(-epsilon))
    return (1 + mean / (density * (truth - (1 - truth)) * (length / k if weight is None else weight))) / 2


def without_noise(epsilon, k, density, mean):
    return mixture(50.0, k, density, mean)


def all_answer(epsilon, k, density, mean):
    return mixture(epsilon, k, 1.0, mean)


# shuffling

# manipulation

# again-and-again

SOLVERS = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    "mixture": mixture,
    # shuffling
    # manipulation
    # again-and-again
}
MISREADINGS = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    "mixture": {
        "the mixture taken for a mean": lambda e, k, s, mean: mixture(e, k, s, mean, 1 / k),
        "noise not taken off": without_noise,
        "all have answered": all_answer,
    },
    # shuffling
    # manipulation
    # again-and-again
}
