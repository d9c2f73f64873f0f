"""Exercises that can be checked: remedies."""

import math

from ldpbook._exercise import Exercise, function

EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-best-merge",
        "remedies/best-mechanism",
        "the epsilon as a function of the density",
        function(
            lambda density: math.log1p(1 / (1 - density)),
            [(0.1,), (0.5,), (0.9,)],
            ("the rarer NULL is, the longer it joins a side", lambda f: f(0.9) > f(0.1)),
            draw=lambda r: (r.uniform(0.001, 0.999),),
        ),
    ),
    Exercise(
        "ex-best-normal",
        "remedies/best-mechanism",
        "the limit as a function of sigma and the density",
        function(
            lambda sigma, density: density**2 / (2 * math.pi * sigma**2),
            [(1.0, 1.0), (2.0, 0.5), (0.5, 0.1)],
            (
                "answers twice as spread tell a quarter",
                lambda f: math.isclose(4 * f(2.0, 0.3), f(1.0, 0.3), rel_tol=1e-6),
            ),
            draw=lambda r: (10 ** r.uniform(-1, 1), r.uniform(0.01, 1)),
        ),
    ),
    Exercise(
        "ex-best-workers",
        "remedies/best-mechanism",
        "the number of workers, not rounded, as a function of the error, the prior's deviation and the"
        " information",
        function(
            lambda error, deviation, information: (
                (math.pi / (2 * math.e) / error**2 - 1 / deviation**2) / information
            ),
            [(0.1, 1.0, 0.0006), (0.3, 2.0, 0.004)],
            (
                "twice the information needs half the workers",
                lambda f: math.isclose(f(0.1, 1.0, 0.01), 2 * f(0.1, 1.0, 0.02), rel_tol=1e-6),
            ),
            (
                "what is known of the prior saves workers",
                lambda f: f(0.1, 1.0, 0.01) < f(0.1, 10.0, 0.01),
            ),
            draw=lambda r: (r.uniform(0.01, 0.5), r.uniform(0.8, 5), 10 ** r.uniform(-4, 0)),
        ),
    ),
)
