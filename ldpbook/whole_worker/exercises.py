"""Exercises that can be checked: the whole worker."""

import math

from ldpbook._exercise import Exercise, function, simulation

# row-attack

# worker-epsilon

# composition

# sampling-questions


def _price_of_splitting(n: int, epsilon: float, s: float) -> float:
    """By ratios, so that no small epsilon cancels."""
    one, part = math.expm1(epsilon), math.expm1(epsilon / n)
    return (one / part) ** 2 / n * (part + 3) / (one + 3) * (2 + s * part) / (2 + s * one)


def _share_of_a_mixture(k: int, epsilon: float) -> float:
    return math.comb(k - 1, k // 2) * 2.0 ** (1 - k) * math.tanh(epsilon / 2)


def _selection_epsilon(epsilon: float, d: int, padding: int) -> float:
    return math.log1p(math.expm1(epsilon) * max(1.0, padding / d))


def _nine_answers() -> float:
    return _share_of_a_mixture(9, 2.0)


# shuffling

# manipulation

# again-and-again

EXERCISES: tuple[Exercise, ...] = (
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    Exercise(
        "ex-ask-split",
        "whole-worker/sampling-questions",
        "how many times as many workers, as a function of the number n of tasks, epsilon and the density",
        function(
            _price_of_splitting,
            [(200, 1.0, 0.1), (10, 3.0, 1.0), (50, 0.2, 0.5)],
            ("with one task nothing is split: f(1, 1, 0.5) is 1", lambda f: abs(f(1, 1.0, 0.5) - 1) < 1e-9),
            ("it tends to the number of tasks", lambda f: abs(f(30, 1e-5, 0.3) - 30) < 0.01),
            draw=lambda r: (r.randint(1, 500), r.uniform(0.05, 8), r.uniform(0.01, 1)),
        ),
    ),
    Exercise(
        "ex-ask-sway",
        "whole-worker/sampling-questions",
        "the share as a function of her number k of answers and epsilon",
        function(
            _share_of_a_mixture,
            [(1, 1.0), (2, 1.0), (3, 2.0), (8, 0.5)],
            (
                "a single answer is sent as it is: only the noise is left of f(1, epsilon)",
                lambda f: math.isclose(f(1, 1.5), math.tanh(0.75)),
            ),
            draw=lambda r: (r.randint(1, 60), r.uniform(0.05, 8)),
        ),
    ),
    Exercise(
        "ex-ask-subset",
        "whole-worker/sampling-questions",
        "the epsilon of the selection as a function of the worker's epsilon, the number d of items sent and"
        " the padding L",
        function(
            _selection_epsilon,
            [(1.0, 1, 20), (1.0, 60, 20), (3.0, 5, 8)],
            (
                "with as many items as slots nothing is amplified: f(1, 5, 5) is 1",
                lambda f: abs(f(1.0, 5, 5) - 1) < 1e-9,
            ),
            draw=lambda r: (r.uniform(0.05, 6), r.randint(1, 40), r.randint(1, 40)),
        ),
    ),
    Exercise(
        "ex-ask-signs",
        "whole-worker/sampling-questions",
        "the limit of the factor as a function of epsilon",
        function(
            lambda epsilon: 4 / (1 + math.exp(epsilon / 2)),
            [(0.1,), (1.0,), (4.0,)],
            ("for small epsilon it is twice as good", lambda f: abs(f(1e-6) - 2) < 1e-3),
            draw=lambda r: (r.uniform(0.01, 10),),
        ),
    ),
    Exercise(
        "ex-ask-simulate",
        "whole-worker/sampling-questions",
        "the mean report on the first task over 20,000 workers and the standard error of that mean, as a"
        " pair",
        simulation(
            _nine_answers,
            lambda: math.sqrt(1 - _nine_answers() ** 2),
            20_000,
            (
                "that is the mean without noise",
                lambda pair: abs(pair[0] - _nine_answers() / math.tanh(1)) > 0.02,
            ),
        ),
    ),
    # shuffling
    # manipulation
    # again-and-again
)
