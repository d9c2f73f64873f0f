"""Problems of the part with numbers of their own for every student."""

from collections.abc import Callable

import numpy as np

from ldpbook._problem import Problem, drawn
from ldpbook.whole_worker.bounds import response_delta, response_shift

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
        " and says nothing; losses of the cells add up, and delta is the mean of what exceeds the total."
        " With two symbols, or for any mechanism, it would be larger.",
    )


# sampling-questions

# shuffling

# manipulation


def _liars(rng: np.random.Generator) -> Problem:
    n_choices, epsilon, share = int(rng.integers(3, 13)), drawn(rng, 0.5, 2.5), drawn(rng, 0.05, 0.4)
    n_workers, n_liars = 100 * int(rng.integers(20, 100)), int(rng.integers(30, 300))
    honest = (1 - n_liars / n_workers) * share
    return Problem(
        f"{n_workers} reports come in by randomized response with epsilon {epsilon:.2f} on {n_choices}"
        f" choices. {n_liars} of them are not drawn by the protocol: their senders all send one choice, which"
        f" the share {share:.2f} of the other workers has. What does the unbiased decoder, who suspects"
        " nobody, estimate for this choice on average, as a share of all?",
        honest + response_shift(liars=n_liars / n_workers, epsilon=epsilon, n_choices=n_choices),
        explanation="The honest part keeps its mean, weighted by its share of the reports; every liar's"
        " report counts (1 - q)/(p - q), more than the 1 that a false answer would count on average.",
    )


# again-and-again

PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    # row-attack
    # worker-epsilon
    # composition
    "silent": _silent,
    # sampling-questions
    # shuffling
    # manipulation
    "liars": _liars,
    # again-and-again
}
