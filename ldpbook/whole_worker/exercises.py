"""Exercises that can be checked: the whole worker."""

import math
import random
from typing import Any

from ldpbook._exercise import Exercise, function, simulation
from ldpbook.whole_worker.bounds import averaging_rate, link_rate


from ldpbook._exercise import Exercise, function, number, simulation
from ldpbook.categorical_answers.bounds import one_layer_epsilon, two_layer_worker_epsilon

from ldpbook._exercise import Exercise, function, number, root, simulation
from ldpbook.whole_worker.bounds import shuffle_epsilon_closed_form

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
def _bit(f: float, p: float, q: float) -> float:
    """By the odds of the report 1 and those of 0, from bits that are kept or replaced by a coin."""
    one, zero = (1 - f) * q + f * (p + q) / 2, (1 - f) * p + f * (p + q) / 2
    return math.log(max(one / zero, (1 - zero) / (1 - one)))


def _draw_bit(r: random.Random) -> tuple[float, ...]:
    p, q = sorted((r.uniform(0.05, 0.95), r.uniform(0.05, 0.95)))
    return r.uniform(0, 0.95), p, q


def _half_way(permanent: float, epsilon: float) -> float:
    h = math.exp(permanent / 2)
    return (math.log(h * h + h + 1) - permanent / 2) / epsilon


def _price_of_seasons(epsilon: float, seasons: int) -> float:
    once, each = (math.exp(e) / math.expm1(e) ** 2 for e in (epsilon, epsilon / seasons))
    return each / seasons / once


def _majority_of_nine() -> float:
    return averaging_rate(epsilon=0.8, n_reports=9, permanent_epsilon=1.5)


def _nine_deviation() -> float:
    return math.sqrt(_majority_of_nine() * (1 - _majority_of_nine()))


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
    Exercise(
        "ex-again-bit",
        "whole-worker/again-and-again",
        "the exact epsilon of one report on one bit as a function of f, p and q",
        function(_bit, [(0.5, 0.5, 0.75), (0.0, 0.5, 0.75), (0.5, 0.25, 0.5)], draw=_draw_bit),
    ),
    Exercise(
        "ex-again-half",
        "whole-worker/again-and-again",
        "that number as a function of the permanent epsilon and the epsilon of a report",
        function(
            _half_way,
            [(2.0, 0.5), (2.0, 1.0), (0.5, 1.0)],
            draw=lambda r: (r.uniform(0.05, 8), r.uniform(0.05, 4)),
        ),
    ),
    Exercise(
        "ex-again-seasons",
        "whole-worker/again-and-again",
        "the factor as a function of the epsilon of the year and the number of seasons",
        function(
            _price_of_seasons,
            [(4.0, 1), (4.0, 4), (0.5, 12)],
            draw=lambda r: (r.uniform(0.1, 8), r.randint(1, 60)),
        ),
    ),
    Exercise(
        "ex-again-nine",
        "whole-worker/again-and-again",
        "the share of the 5,000 workers for whom it is, and its standard error, as a pair",
        simulation(_majority_of_nine, _nine_deviation, 5_000),
    ),
)
