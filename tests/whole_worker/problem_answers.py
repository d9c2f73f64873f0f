"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import math

from scipy.stats import binom

# row-attack


def relink(known, epsilon, *cells):
    """By the probability of all four reports for each place, five possible answers."""
    keep, lie = math.exp(epsilon) / (5 + math.exp(epsilon)), 1 / (5 + math.exp(epsilon))
    reports = list(zip(cells[::2], cells[1::2], strict=True))

    def chance(repeats, nulls, hers):
        same, gone = (keep, lie) if hers else (lie, keep)
        return same**repeats * gone**nulls * lie ** (known - repeats - nulls)

    joint = [
        math.prod(chance(*report, k == place) for k, report in enumerate(reports))
        for place in range(len(reports))
    ]
    return joint[0] / sum(joint)


def relink_by(score, epsilon, *cells):
    weights = [math.exp(epsilon * score(r, u)) for r, u in zip(cells[::2], cells[1::2], strict=True)]
    return weights[0] / sum(weights)


# worker-epsilon

# composition

# sampling-questions

# shuffling

# manipulation


# again-and-again
def memo(permanent, weeks, epsilon):
    """By the law of the reports given the true answer, over both permanent answers."""
    total = 0.0
    for kept in (True, False):
        chance = 1 / (1 + math.exp(-permanent if kept else permanent))
        truth = 1 / (1 + math.exp(-epsilon if kept else epsilon))  # of one report
        total += chance * binom.sf(weeks / 2, weeks, truth)
    return float(total)


SOLVERS = {
    # row-attack
    "relink": relink,
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
    "memo": memo,
}
MISREADINGS = {
    # row-attack
    "relink": {
        "NULLs forgotten": lambda known, *given: relink_by(lambda r, u: r, *given),
        "NULLs count for her": lambda known, *given: relink_by(lambda r, u: r + u, *given),
        "blind": lambda *given: 0.25,
    },
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
    "memo": {
        "fresh reports": lambda permanent, *given: memo(700.0, *given),
        "the permanent answer is known": lambda permanent, weeks, epsilon: 1 / (1 + math.exp(-permanent)),
        "a single report": lambda permanent, weeks, epsilon: memo(permanent, 1, epsilon),
    },
}
