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


def _kept_at(epsilon: float, s: int, delta: float) -> float:
    return math.log(delta) / -math.log1p((s - 1) * math.exp(-epsilon))


def _step_delta(epsilon: float, k: int, s: int) -> float:
    return -math.expm1(-epsilon) / (1 + (s - 1) * math.exp(-epsilon)) ** k


def _over_moment(power: int) -> float:
    """Moment of max(0, 1 - e^(2 - L)) for 12 cells at epsilon 0.5 with six symbols.

    There a standard error as of a share, with each trial 0 or 1, is too large by more than a third.
    """
    p, q = (math.exp(x) / (math.exp(0.5) + 5) for x in (0.5, 0))
    return math.fsum(
        math.comb(12, a)
        * math.comb(12 - a, b)
        * p**a
        * q**b
        * (4 * q) ** (12 - a - b)
        * (1 - math.exp(2 - (a - b) / 2)) ** power
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
            _kept_at,
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
    # again-and-again
)
