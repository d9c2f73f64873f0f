"""Right and wrong answers to the exercises of the part on the whole worker."""

import itertools
import math

import numpy as np
from scipy.stats import binom

# row-attack

# worker-epsilon

# composition

# sampling-questions

# shuffling


def two_shuffled(local, central, *, directions=(0, 1), other=1):
    """All four pairs of reports, counted."""
    p = math.exp(local) / (1 + math.exp(local))
    laws = np.zeros((2, 3))
    for mine, hers, his in itertools.product((0, 1), repeat=3):
        laws[mine, hers + his] += (p if hers == mine else 1 - p) * (p if his == other else 1 - p)
    return max(np.maximum(laws[d] - math.exp(central) * laws[1 - d], 0).sum() for d in directions)


# manipulation

# again-and-again

RIGHT = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    "ex-shuffle-blanket": [
        lambda n, k, e: (n - 1) * k / (k - 1 + math.exp(e)),
        lambda n, k, e: binom.mean(n - 1, 1 / (1 + math.expm1(e) / k)),
    ],
    "ex-shuffle-two": [two_shuffled, lambda x, y: two_shuffled(x, y, other=0)],
    "ex-shuffle-allowed": [3.8419, 3.84],
    "ex-shuffle-guess": [(0.6415, 0.0048), [0.6390, 0.0048], np.array([0.64, 0.0047])],
    # manipulation
    # again-and-again
}

WRONG = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    "ex-shuffle-blanket": [
        (lambda n, k, e: n * k / (k - 1 + math.exp(e)), "nobody to hide"),
        (lambda n, k, e: (n - 1) * math.exp(-e), "differs"),  # clones
        (lambda n, k, e: (n - 1) * (k - 1) / (k - 1 + math.exp(e)), "differs"),  # those who lie
        (lambda n, k, e: (n - 1) * 2 / (k - 1 + math.exp(e)), "differs"),  # of both symbols only
        (lambda n, k, e: n - 1, "nobody is uniform"),
    ],
    "ex-shuffle-two": [
        (lambda x, y: max(0.0, math.exp(x) - math.exp(y)) / (1 + math.exp(x)), "without a shuffler"),
        (lambda x, y: two_shuffled(x, y, directions=(0,)), "differs|other arguments"),
        (lambda x, y: 0.0, "differs"),
        (lambda x, y: two_shuffled(x, 0.0), "nothing is left"),
        (0.1, "function"),
    ],
    "ex-shuffle-allowed": [
        (0.5, "agree"),
        (2.0, "agree"),
        (math.log(100_000 / 16 / math.log(2e6)), "agree"),
    ],
    "ex-shuffle-guess": [
        ((0.75, 0.0043), "fewer with none"),
        ((0.6406, 0.48), "independent trials"),
        ((0.6406, 0.0), "independent trials"),
        ((0.6172, 0.0049), "exact value"),  # guesses the first choice only from two reports of it on
        (0.64, "pair"),
    ],
    # manipulation
    # again-and-again
}
