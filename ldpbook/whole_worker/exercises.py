"""Exercises that can be checked: the whole worker."""

import math
import random

from ldpbook._exercise import Exercise, function, simulation

# row-attack

# worker-epsilon

# composition


def _mean_loss(epsilon: float, s: int) -> float:
    """By numbers relative to a lie's."""
    return epsilon * math.expm1(epsilon) / (math.expm1(epsilon) + s)


def _begins_at(epsilon: float, s: int, delta: float) -> float:
    return math.log(delta) / -math.log1p((s - 1) * math.exp(-epsilon))


def _step_delta(epsilon: float, k: int, s: int) -> float:
    return -math.expm1(-epsilon) / (1 + (s - 1) * math.exp(-epsilon)) ** k


def _over_moment(power: int) -> float:
    """Moment of max(0, 1 - e^(4 - L)) for 12 cells at epsilon 1 with six symbols."""
    p, q = math.e / (math.e + 5), 1 / (math.e + 5)
    return math.fsum(
        math.comb(12, a)
        * math.comb(12 - a, b)
        * p**a
        * q**b
        * (4 * q) ** (12 - a - b)
        * (1 - math.exp(4 - a + b)) ** power
        for a in range(13)
        for b in range(13 - a)
        if a - b > 4
    )


def _over_deviation() -> float:
    return math.sqrt(_over_moment(2) - _over_moment(1) ** 2)


def _draw_response(r: random.Random) -> tuple[float, int]:
    return r.uniform(0.02, 6), r.randint(2, 30)


# sampling-questions

# shuffling

# manipulation


def _pushed_down(f: float, liars: float, epsilon: float) -> float:
    return (1 - liars) * f - liars / math.expm1(epsilon)


def _draw_down(r: random.Random) -> tuple[float, float, float]:
    return r.random(), r.uniform(0.001, 0.5), r.uniform(0.05, 6)


def _without_fit(epsilon: float, s: float) -> float:
    return 1 / (1 + 2 / (s * math.expm1(epsilon)))


def _forty_liars() -> tuple[float, float]:
    """Mean and deviation of the estimate, from the chances of the reports."""
    p, q = math.e / (math.e + 3), 1 / (math.e + 3)
    mean = (490 * p + 1470 * q + 40) / 2000
    variance = (490 * p * (1 - p) + 1470 * q * (1 - q)) / 2000**2
    return (mean - q) / (p - q), math.sqrt(variance) / (p - q)


# again-and-again

EXERCISES: tuple[Exercise, ...] = (
    # row-attack
    # worker-epsilon
    # composition
    Exercise(
        "ex-comp-mean",
        "whole-worker/composition",
        "the mean loss of one cell, as a function of epsilon and the number of symbols",
        function(
            _mean_loss,
            [(1.0, 6), (0.5, 2), (3.0, 3)],
            ("with a large epsilon all of it is lost: f(30, 6) is 30", lambda f: abs(f(30.0, 6) - 30) < 1e-6),
            ("two symbols say more than six", lambda f: f(1.0, 2) > f(1.0, 6)),
            draw=_draw_response,
        ),
    ),
    Exercise(
        "ex-comp-begin",
        "whole-worker/composition",
        "the number of cells as a function of epsilon, the number of symbols and delta",
        function(
            _begins_at,
            [(1.0, 6, 1e-6), (0.1, 2, 1e-3), (4.0, 3, 1e-9)],
            ("a smaller delta takes more cells", lambda f: f(1.0, 6, 1e-9) > f(1.0, 6, 1e-6) > 0),
            draw=lambda r: (*_draw_response(r), 10 ** -r.uniform(1, 12)),
        ),
    ),
    Exercise(
        "ex-comp-step",
        "whole-worker/composition",
        "the least delta as a function of epsilon, the number of cells and the number of symbols",
        function(
            _step_delta,
            [(1.0, 5, 6), (0.5, 2, 2), (2.0, 3, 3)],
            (
                "with one cell and two symbols at epsilon ln 3 it is 1/2",
                lambda f: abs(f(math.log(3), 1, 2) - 0.5) < 1e-9,
            ),
            draw=lambda r: (r.uniform(0.5, 6), r.randint(1, 8), r.randint(2, 9)),
        ),
    ),
    Exercise(
        "ex-comp-simulate",
        "whole-worker/composition",
        "the estimate over 100,000 trials and its standard error, as a pair",
        simulation(
            lambda: _over_moment(1),
            _over_deviation,
            100_000,
            ("a delta lies between 0 and 1", lambda a: 0 <= a[0] <= 1),
        ),
    ),
    # sampling-questions
    # shuffling
    # manipulation
    Exercise(
        "ex-lie-down",
        "whole-worker/manipulation",
        "the expected estimate as a function of the share f, the share of liars and epsilon",
        function(
            _pushed_down,
            [(0.3, 0.01, 0.5), (0.0, 0.1, 1.0), (0.9, 0.05, 3.0)],
            (
                "without liars it is the share: f(0.3, 0, 1) is 0.3",
                lambda f: abs(f(0.3, 0.0, 1.0) - 0.3) < 1e-12,
            ),
            draw=_draw_down,
        ),
    ),
    Exercise(
        "ex-lie-choices",
        "whole-worker/manipulation",
        "the number of choices as a function of epsilon",
        function(
            lambda epsilon: math.exp(epsilon) + 2,
            [(1.0,), (0.2,), (3.0,)],
            ("for small epsilon it is about three", lambda f: abs(f(1e-6) - 3) < 1e-3),
            draw=lambda r: (r.uniform(0.05, 6),),
        ),
    ),
    Exercise(
        "ex-lie-fits",
        "whole-worker/manipulation",
        "the share of liars as a function of epsilon and the density",
        function(
            _without_fit,
            [(1.0, 0.1), (3.0, 1.0), (0.2, 0.5)],
            ("it lies between 0 and 1", lambda f: 0 < f(1.0, 0.1) < f(6.0, 1.0) < 1),
            draw=lambda r: (r.uniform(0.05, 6), r.uniform(0.01, 1)),
        ),
    ),
    Exercise(
        "ex-lie-simulate",
        "whole-worker/manipulation",
        "the mean estimate over 10,000 trials and its standard error, as a pair",
        simulation(
            lambda: _forty_liars()[0],
            lambda: _forty_liars()[1],
            10_000,
            ("liars who send a choice make it look more frequent than 0.25", lambda a: a[0] > 0.25),
        ),
    ),
    # again-and-again
)
