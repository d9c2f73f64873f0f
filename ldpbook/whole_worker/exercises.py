"""Exercises that can be checked: the whole worker."""

import math
import random

from ldpbook._exercise import Exercise, function, number, root, simulation
from ldpbook.whole_worker.bounds import shuffle_epsilon_closed_form

# row-attack

# worker-epsilon

# composition

# sampling-questions

# shuffling


def _blanket_size(n: int, k: int, epsilon: float) -> float:
    return (n - 1) * k / (k - 1 + math.exp(epsilon))


def _two_shuffled(local: float, central: float) -> float:
    """The other holds the second choice; by the number of reports of the first."""
    p, factor = 1 / (1 + math.exp(-local)), math.exp(central)
    q = 1 - p
    one, other = (p * q, p * p + q * q, p * q), (p * p, 2 * p * q, q * q)
    return max(
        math.fsum(max(0.0, a - factor * b) for a, b in zip(x, y, strict=True))
        for x, y in ((one, other), (other, one))
    )


def _draw_two(r: random.Random) -> tuple[float, float]:
    local = r.uniform(0.05, 5)
    return local, local * r.uniform(0, 1.2)


def _local_allowed() -> float:
    def above(local: float) -> float:
        return shuffle_epsilon_closed_form(local_epsilon=local, n_users=100_000, delta=1e-6) - 0.5

    return root(above, 0.0, 6.0)


# manipulation

# again-and-again

EXERCISES: tuple[Exercise, ...] = (
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    Exercise(
        "ex-shuffle-blanket",
        "whole-worker/shuffling",
        "the expected number as a function of the number n of users, of k and of the local epsilon",
        function(
            _blanket_size,
            [(20_000, 3, 2.0), (10, 2, 0.5), (1000, 20, 4.0)],
            ("alone there is nobody to hide among: f(1, 3, 2) is 0", lambda f: abs(f(1, 3, 2.0)) < 1e-12),
            (
                "without privacy's noise nobody is uniform: f(100, 3, 40) is about 0",
                lambda f: abs(f(100, 3, 40.0)) < 1e-9,
            ),
            draw=lambda r: (r.randint(1, 10**6), r.randint(2, 50), r.uniform(0.01, 8)),
        ),
    ),
    Exercise(
        "ex-shuffle-two",
        "whole-worker/shuffling",
        "the least delta as a function of the local epsilon and of the central one",
        function(
            _two_shuffled,
            [(1.0, 0.2), (2.0, 1.0), (3.0, 0.0)],
            (
                "at the local epsilon nothing is left: f(1, 1) is 0",
                lambda f: abs(f(1.0, 1.0)) < 1e-9,
            ),
            (
                "it is less than without a shuffler",
                lambda f: f(2.0, 0.5) < (math.exp(2) - math.exp(0.5)) / (1 + math.exp(2)),
            ),
            draw=_draw_two,
        ),
    ),
    Exercise(
        "ex-shuffle-allowed",
        "whole-worker/shuffling",
        "the largest local epsilon",
        number(_local_allowed, 0.005),
    ),
    Exercise(
        "ex-shuffle-guess",
        "whole-worker/shuffling",
        "the share of right guesses in 10,000 trials and its standard error, as a pair",
        simulation(
            lambda: 82 / 128,
            lambda: math.sqrt(82 * 46) / 128,
            10_000,
            (
                "with her name on the report three of four guesses are right, and fewer with none",
                lambda pair: pair[0] < 0.7,
            ),
        ),
    ),
    # manipulation
    # again-and-again
)
