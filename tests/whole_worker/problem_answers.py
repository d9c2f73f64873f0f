"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import itertools
import math

# row-attack

# worker-epsilon

# composition


def silent(n_cells, epsilon, n_symbols, total, *, chance=False):
    """Over all outputs, the first row all 0 and the second all 1."""
    n, s = int(n_cells), int(n_symbols)
    odds = math.exp(epsilon)
    delta = 0.0
    for output in itertools.product(range(s), repeat=n):
        first, second = (odds ** output.count(x) / (odds + s - 1) ** n for x in (0, 1))
        if first > math.exp(total) * second:
            delta += first if chance else first - math.exp(total) * second
    return delta


# sampling-questions

# shuffling

# manipulation


def liars(n_workers, epsilon, n_choices, n_liars, share):
    """From the expected share of reports."""
    keep, lie = (
        math.exp(epsilon) / (math.exp(epsilon) + n_choices - 1),
        1 / (math.exp(epsilon) + n_choices - 1),
    )
    honest = n_workers - n_liars
    spoken = honest * share * keep + honest * (1 - share) * lie + n_liars
    return (spoken / n_workers - lie) / (keep - lie)


# again-and-again

SOLVERS = {
    # row-attack
    # worker-epsilon
    # composition
    "silent": silent,
    # sampling-questions
    # shuffling
    # manipulation
    "liars": liars,
    # again-and-again
}
MISREADINGS = {
    # row-attack
    # worker-epsilon
    # composition
    "silent": {
        "two symbols": lambda k, epsilon, s, total: silent(k, epsilon, 2, total),
        "NULL counted again": lambda k, epsilon, s, total: silent(k, epsilon, s + 1, total),
        "the chance to lose more": lambda *numbers: silent(*numbers, chance=True),
    },
    # sampling-questions
    # shuffling
    # manipulation
    "liars": {
        "lies in the answer": lambda m, e, k, n, f: (1 - n / m) * f + n / m,
        "the shift alone": lambda m, e, k, n, f: liars(m, e, k, n, 0.0),
        "yes or no": lambda m, e, k, n, f: (1 - n / m) * f + n / m / (1 - math.exp(-e)),
    },
    # again-and-again
}
