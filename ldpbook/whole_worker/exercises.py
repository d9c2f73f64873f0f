"""Exercises that can be checked: the whole worker."""

import math
import random

from ldpbook._exercise import Exercise, function, number, simulation
from ldpbook.categorical_answers.bounds import one_layer_epsilon, two_layer_worker_epsilon

# row-attack

# worker-epsilon


def _constant_fill(k: int, epsilon: float, size: int, fill: int) -> float:
    return 2 * k * max(fill, size - 1 - fill) * epsilon / size


def _draw_fill(r: random.Random) -> tuple[int, float, int, int]:
    size = r.randint(1, 12)
    return r.randint(1, 60), r.uniform(0.05, 5), size, r.randint(0, size - 1)


def _crossing() -> float:
    one = one_layer_epsilon(0.3, 2)
    exact = (two_layer_worker_epsilon(0.1, 0.5, 2, 22, n_changed=h) < h * one for h in range(1, 23))
    return 1 + list(exact).index(True)


def _signs() -> float:
    profile, reach = ((0.5, 0.5), (-0.5, 0.5), (1.0, 0.0)), 2 / (3 / 1.5)
    return reach * max(sum(abs(x + sign * y) for x, y in profile) for sign in (1, -1))


def _guessed() -> float:
    """Chance that of ten cells more come out as in the sender's row, ties by coin."""
    kept, turned = math.exp(0.5) / (5 + math.exp(0.5)), 1 / (5 + math.exp(0.5))
    chance = 0.0
    for hers in range(11):
        for other in range(11 - hers):
            ways = math.comb(10, hers) * math.comb(10 - hers, other)
            of_these = ways * kept**hers * turned**other * (1 - kept - turned) ** (10 - hers - other)
            chance += of_these * ((hers > other) + (hers == other) / 2)
    return chance


# composition

# sampling-questions

# shuffling

# manipulation

# again-and-again

EXERCISES: tuple[Exercise, ...] = (
    # row-attack
    # worker-epsilon
    Exercise(
        "ex-account-fill",
        "whole-worker/worker-epsilon",
        "the epsilon of the worker as a function of k, epsilon, D and f",
        function(
            _constant_fill,
            [(1, 1.0, 2, 0), (22, 1.0, 5, 2), (3, 0.5, 6, 3), (10, 2.0, 5, 4)],
            (
                "the two ends of the domain are alike: f(1, 1, 5, 0) is f(1, 1, 5, 4)",
                lambda f: math.isclose(f(1, 1.0, 5, 0), f(1, 1.0, 5, 4)),
            ),
            draw=_draw_fill,
        ),
    ),
    Exercise(
        "ex-account-crossing",
        "whole-worker/worker-epsilon",
        "the least number of changed answers for U(0.1, 0.5)",
        number(
            _crossing,
            0.001,
            ("it is a number of answers, from 1 to 22", lambda answer: 1 <= answer <= 22 and answer % 1 == 0),
        ),
    ),
    Exercise(
        "ex-account-signs",
        "whole-worker/worker-epsilon",
        "the epsilon of the worker",
        number(_signs, 0.005, ("a row costs no more than its cells together", lambda answer: answer <= 3)),
    ),
    Exercise(
        "ex-account-guess",
        "whole-worker/worker-epsilon",
        "the estimated probability that he is right and its standard error, as a pair",
        simulation(
            _guessed,
            lambda: math.sqrt(_guessed() * (1 - _guessed())),
            20_000,
            ("it is a probability", lambda pair: 0 <= pair[0] <= 1),
        ),
    ),
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
)
