"""Problems of the part with numbers of their own for every student."""

from collections.abc import Callable

import numpy as np

from ldpbook._problem import Problem, drawn
from ldpbook.whole_worker.bounds import response_delta

# row-attack

# worker-epsilon

# composition


def _silent(rng: np.random.Generator) -> Problem:
    n_cells, n_symbols, epsilon = int(rng.integers(2, 5)), int(rng.integers(3, 7)), drawn(rng, 0.4, 1.5)
    total = round(float(rng.uniform(0.15, 0.7)) * n_cells * epsilon, 2)
    return Problem(
        f"A worker sends {n_cells} reports by randomized response with epsilon {epsilon:.2f} each, on"
        f" {n_symbols} symbols, NULL among them. Neighbours are two rows that differ in all of these cells."
        f" What is the least delta at which the reports together have epsilon {total:.2f}?",
        response_delta(epsilon=epsilon, n_cells=n_cells, n_symbols=n_symbols, total=total),
        explanation="A report is the symbol of the one row, of the other, or one that is as likely under both"
        " and says nothing; losses of the cells add up, and delta is the mean of"
        " max(0, 1 - e^(total - loss)). With two symbols, the worst of all mechanisms, it would be larger.",
    )


# sampling-questions

# shuffling

# manipulation

# again-and-again

PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    # row-attack
    # worker-epsilon
    # composition
    "silent": _silent,
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}
