"""Exercises that can be checked: remedies."""

import math
import random

from ldpbook._exercise import Exercise, function


def _worker_epsilon(k: int, n: int, epsilon: float) -> float:
    return min(2 * k, n) * epsilon


def _draw_worker(r: random.Random) -> tuple[int, int, float]:
    n = r.randint(1, 60)
    return r.randint(0, n), n, r.uniform(0.05, 4)


def _information(epsilon: float, s: float, slope: float) -> float:
    """At the truth, where half of the answers lie above the threshold."""
    e = math.exp(epsilon)
    return 4 * ((e - 1) * s * slope) ** 2 / ((e + 2) * (2 + (e - 1) * s))


EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-small-worker",
        "remedies/smaller-question",
        "the worker's epsilon as a function of the number k of tasks that each of two workers answered, the"
        " number n of tasks and the epsilon of a cell",
        function(
            _worker_epsilon,
            [(1, 10, 1.0), (20, 200, 0.5), (7, 10, 2.0), (5, 10, 1.0)],
            ("a worker who answers nothing is as any other who does: f(0, 10, 1) is 0", lambda f: f(0, 10, 1.0) == 0),
            ("no more cells can differ than there are: f(10, 10, 1) is 10", lambda f: f(10, 10, 1.0) == 10),
            draw=_draw_worker,
        ),
    ),
    Exercise(
        "ex-small-link",
        "remedies/smaller-question",
        "the chance r that an answer lies above, as a function of the share of reports above, epsilon and the"
        " density",
        function(
            lambda share, epsilon, s: (share * (math.exp(epsilon) + 2) - 1) / math.expm1(epsilon) / s,
            [(0.5, 1.0, 0.5), (0.4, 2.0, 0.8), (0.3, 3.0, 0.1)],
            (
                "a third above, with NULL as frequent as either side, says that two thirds of the workers"
                " answer and half of them above: f(1/3, 1, 2/3) is 1/2",
                lambda f: math.isclose(f(1 / 3, 1.0, 2 / 3), 0.5, rel_tol=1e-9),
            ),
            draw=lambda r: (r.random(), r.uniform(0.05, 6), r.uniform(0.01, 1)),
        ),
    ),
    Exercise(
        "ex-small-information",
        "remedies/smaller-question",
        "the information as a function of epsilon, the density and the slope of the link",
        function(
            _information,
            [(1.0, 0.1, 0.24), (3.0, 1.0, 0.4), (0.2, 0.5, 0.1)],
            (
                "without privacy and with every cell answered it is 4 slope^2: f(40, 1, 0.3) is 0.36",
                lambda f: math.isclose(f(40.0, 1.0, 0.3), 0.36, rel_tol=1e-9),
            ),
            ("half the slope tells a quarter", lambda f: math.isclose(4 * f(1.0, 0.3, 0.1), f(1.0, 0.3, 0.2))),
            draw=lambda r: (r.uniform(0.05, 6), r.uniform(0.01, 1), r.uniform(0.01, 1)),
        ),
    ),
)
