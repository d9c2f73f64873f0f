"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import itertools
import math

import numpy as np

# row-attack

# worker-epsilon

# composition

# sampling-questions

# shuffling


def mixed(n, keep, total, *, pick=max):
    """By all rows of reports."""
    n = int(n)
    laws = np.zeros((2, n + 1))
    for reports in itertools.product((0, 1), repeat=n):
        others = math.prod(keep if x else 1 - keep for x in reports[1:])
        for choice in (0, 1):
            hers = keep if reports[0] == choice else 1 - keep
            laws[choice, reports.count(0)] += hers * others
    return float(pick(np.maximum(laws[d] - math.exp(total) * laws[1 - d], 0).sum() for d in (0, 1)))


# manipulation

# again-and-again

SOLVERS = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    "mixed": mixed,
    # manipulation
    # again-and-again
}
MISREADINGS = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    "mixed": {
        "no shuffler": lambda n, keep, total: keep - math.exp(total) * (1 - keep),
        "the smaller direction": lambda *given: mixed(*given, pick=min),
        "she is one more": lambda n, *given: mixed(n + 1, *given),
    },
    # manipulation
    # again-and-again
}
