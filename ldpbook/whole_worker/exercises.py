"""Exercises that can be checked: the whole worker."""

import math
import random
from typing import Any

from ldpbook._exercise import Exercise, function, simulation
from ldpbook.whole_worker.bounds import link_rate


# row-attack
def _fixed_answers(k: int, n: int, s: int, epsilon: float) -> float:
    return (2 * k - max(0, 2 * k - n) * (2 if s == 1 else 1)) * epsilon


def _draw_fixed(r: random.Random) -> tuple[Any, ...]:
    n = r.randint(2, 60)
    return r.randint(1, n - 1), n, r.choice((1, 1, 2, 5)), r.uniform(0.05, 4)


def _hers(r1: int, u1: int, r2: int, u2: int, epsilon: float) -> float:
    return math.exp(epsilon * (r1 + u2 - r2 - u1)) / (1 + math.exp(epsilon * (r1 + u2 - r2 - u1)))


def _draw_scores(r: random.Random) -> tuple[Any, ...]:
    return (*(r.randint(0, 9) for _ in range(4)), r.uniform(0.05, 3))


def _found_of_two(epsilon: float, s: int) -> float:
    return link_rate(n_cells=1, epsilon=epsilon, n_users=2, n_symbols=s + 1)


def _found_of_forty() -> float:
    return link_rate(n_cells=3, epsilon=2.0, n_users=40, n_symbols=6)


def _found_deviation() -> float:
    return math.sqrt(_found_of_forty() * (1 - _found_of_forty()))


# worker-epsilon

# composition

# sampling-questions

# shuffling

# manipulation

# again-and-again

EXERCISES: tuple[Exercise, ...] = (
    # row-attack
    Exercise(
        "ex-row-fixed",
        "whole-worker/row-attack",
        "the exact epsilon of a worker as a function of her number of answers, the number of tasks, the"
        " number of possible answers and epsilon",
        function(
            _fixed_answers,
            [(3, 10, 5, 1.0), (3, 4, 5, 1.0), (3, 4, 1, 1.0), (2, 10, 1, 0.5)],
            draw=_draw_fixed,
        ),
    ),
    Exercise(
        "ex-row-belief",
        "whole-worker/row-attack",
        "that probability as a function of the repeats and the NULLs of the first report, those of the"
        " second, and epsilon",
        function(_hers, [(2, 0, 1, 1, 1.0), (1, 3, 2, 0, 0.5), (2, 2, 1, 1, 1.0)], draw=_draw_scores),
    ),
    Exercise(
        "ex-row-two",
        "whole-worker/row-attack",
        "the probability as a function of epsilon and of the number $s$ of answers without NULL",
        function(
            _found_of_two,
            [(1.0, 1), (1.0, 5), (3.0, 2)],
            draw=lambda r: (r.uniform(0.01, 6), r.randint(1, 12)),
        ),
    ),
    Exercise(
        "ex-row-crowd",
        "whole-worker/row-attack",
        "the share of the 4,000 crowds in which the guess is right, and its standard error, as a pair",
        simulation(_found_of_forty, _found_deviation, 4_000),
    ),
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
)
