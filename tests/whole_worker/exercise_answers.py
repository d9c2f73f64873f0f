"""Right and wrong answers to the exercises of the part on the whole worker."""

import math

import numpy as np
from simulations import estimated, no_pairs

# row-attack

# worker-epsilon


def guesses(seed, *, ties=True):
    """Whether the curator is right, row by row: hers, the other one or neither in ten cells."""
    p, q = np.exp([0.5, 0]) / (5 + np.exp(0.5))
    rng = np.random.default_rng(seed)
    steps = rng.choice([1, -1, 0], size=(20_000, 10), p=[p, q, 1 - p - q]).sum(axis=1)
    coin = rng.random(20_000) < 0.5
    return np.where(steps == 0, coin & ties, steps > 0)


GUESSES = guesses(1)


def farther_end(k, epsilon, size, fill):
    """By the laws of both rows at outputs beyond the domain, cell by cell."""
    outputs, scale = np.array([-1.0, size]), size / epsilon
    logs = [-np.abs(outputs - v) / scale for v in range(size)]
    a = max((log - logs[fill]).max() for log in logs)
    b = max((logs[fill] - log).max() for log in logs)
    return k * (a + b)


# composition

# sampling-questions

# shuffling

# manipulation

# again-and-again

RIGHT = {
    # row-attack
    # worker-epsilon
    "ex-account-fill": [
        farther_end,
        lambda k, epsilon, size, fill: k * epsilon / size * (size - 1 + abs(2 * fill - (size - 1))),
    ],
    "ex-account-crossing": [15, 15.0, np.int64(15)],
    "ex-account-signs": [2, 2.0, np.float64(2.001)],
    "ex-account-guess": [estimated(GUESSES), list(estimated(guesses(2))), (0.6859, 0.00328)],
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}

WRONG = {
    # row-attack
    # worker-epsilon
    "ex-account-fill": [
        (1.0, "function"),
        (lambda k, epsilon, size, fill: 2 * k * fill * epsilon / size, "alike"),
        (lambda k, epsilon, size, fill: k * max(fill, size - 1 - fill) * epsilon / size, "differs"),
        (lambda k, epsilon, size, fill: k * (size - 1) * epsilon / size, "differs"),  # a random fill
        (lambda k, epsilon, size, fill: 2 * k * (size - 1) * epsilon / size, "differs"),
        (lambda k, epsilon, size, fill: 2 * k * epsilon, "differs"),
    ],
    "ex-account-crossing": [
        (14, "agree"),
        (16, "agree"),
        (0, "number of answers"),
        (14.98, "number of answers"),
        (1, "agree"),
        ("15", "finite"),
    ],
    "ex-account-signs": [
        (3, "agree"),
        (1, "agree"),
        (4, "no more than"),
        (3.0 * 1.5, "no more than"),  # without (D - 1) / D
        (math.nan, "finite"),
    ],
    "ex-account-guess": [
        *no_pairs(estimated(GUESSES)),
        (estimated(guesses(1, ties=False)), "four"),  # a tie is wrong
        ((1 / (1 + math.exp(-0.5)), estimated(GUESSES)[1]), "four"),  # the epsilon of a cell
        ((1.2, estimated(GUESSES)[1]), "probability"),
    ],
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}
