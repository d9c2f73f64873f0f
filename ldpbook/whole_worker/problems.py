"""Problems of the part with numbers of their own for every student."""

from collections.abc import Callable
from math import comb, exp, log

import numpy as np

from ldpbook._problem import Problem, drawn

# row-attack

# worker-epsilon

# composition

# sampling-questions

# shuffling


def _mixed(rng: np.random.Generator) -> Problem:
    while True:
        n, keep = int(rng.integers(3, 7)), drawn(rng, 0.6, 0.9)
        total = round(float(rng.uniform(0.1, 0.6)) * log(keep / (1 - keep)), 2)
        others = [comb(n - 1, h) * (1 - keep) ** h * keep ** (n - 1 - h) for h in range(n)]
        more, same = [0.0, *others], [*others, 0.0]
        first, second = (
            [p * a + (1 - p) * b for a, b in zip(more, same, strict=True)] for p in (keep, 1 - keep)
        )
        ways = [
            sum(max(0.0, a - exp(total) * b) for a, b in zip(x, y, strict=True))
            for x, y in ((first, second), (second, first))
        ]
        if min(ways) > 0.002:
            break
    return Problem(
        f"{n} people report one of two choices, their own with probability {keep:.2f} and else the other,"
        " and a shuffler shows all reports without names. One person may hold either choice; all others are"
        f" known to hold the second. What is the least delta at which her choice has epsilon {total:.2f}?",
        max(ways),
        explanation="What is seen is the number of reports of the first choice, the sum of a binomial number"
        " and of her own report; delta is the sum of what exceeds e to the epsilon times the other law, the"
        " larger one of the two directions.",
    )


# manipulation

# again-and-again

PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    "mixed": _mixed,
    # manipulation
    # again-and-again
}
