"""Exercises that can be checked: remedies."""

import math
import random

from ldpbook._exercise import Exercise, function


def _log_odds(above: int, below: int, epsilon: float, density: float, a: float, b: float) -> float:
    """With probabilities relative to that of a lie, so that NULL needs no term."""
    kept = density * math.expm1(epsilon)
    return above * math.log((1 + kept * a) / (1 + kept * b)) + below * math.log(
        (1 + kept * (1 - a)) / (1 + kept * (1 - b))
    )


def _draw_odds(r: random.Random) -> tuple[float, ...]:
    return r.randint(0, 200), r.randint(0, 200), r.uniform(0.05, 5), r.random(), r.random(), r.random()


EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-careful-odds",
        "remedies/who-is-careful",
        "what the reports add to the log odds, as a function of how many are 1 and how many are 0, epsilon,"
        " the density and an answer's chance to lie above, of a careful worker and of another",
        function(
            _log_odds,
            [(2, 1, math.log(4), 1.0, 0.95, 0.65), (10, 30, 2.0, 0.1, 0.5, 0.9)],
            (
                "a threshold that both kinds lie above equally often says nothing",
                lambda f: abs(f(5, 3, 1.0, 0.5, 0.7, 0.7)) < 1e-12,
            ),
            (
                "with the kinds swapped it has the other sign",
                lambda f: math.isclose(f(5, 3, 1.0, 0.5, 0.9, 0.6), -f(5, 3, 1.0, 0.5, 0.6, 0.9)),
            ),
            draw=_draw_odds,
        ),
    ),
    Exercise(
        "ex-careful-own",
        "remedies/who-is-careful",
        "the probability without the report, as a function of that with it and of the report's chances, from"
        " a careful worker and from another",
        function(
            lambda weight, a, b: weight * b / (weight * b + (1 - weight) * a),
            [(0.6, 0.5, 0.2), (0.5, 0.1, 0.7)],
            (
                "a report that both kinds send equally often changes nothing",
                lambda f: math.isclose(f(0.3, 0.4, 0.4), 0.3),
            ),
            (
                "without a report that spoke for careful, careful is less likely",
                lambda f: f(0.5, 0.9, 0.3) < 0.5,
            ),
            draw=lambda r: (r.uniform(0.001, 0.999), r.uniform(0.01, 1), r.uniform(0.01, 1)),
        ),
    ),
    Exercise(
        "ex-careful-small",
        "remedies/who-is-careful",
        "the limit as a function of the density and an answer's chance to lie above, of a careful worker and"
        " of another",
        function(
            lambda density, a, b: (density * (a - b)) ** 2 / 3,
            [(1.0, 0.9, 0.6), (0.1, 0.2, 0.7)],
            ("kinds alike cannot be told apart", lambda f: abs(f(0.5, 0.4, 0.4)) < 1e-12),
            (
                "a tenth of the answers tell a hundredth",
                lambda f: math.isclose(100 * f(0.1, 0.9, 0.5), f(1.0, 0.9, 0.5)),
            ),
            draw=lambda r: (r.random(), r.random(), r.random()),
        ),
    ),
)
