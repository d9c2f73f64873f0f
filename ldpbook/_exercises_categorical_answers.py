"""Exercises that can be checked: categorical answers."""

import math
from typing import Any

from scipy.optimize import brentq
from scipy.stats import binom

from ldpbook import bounds
from ldpbook._exercise import IS_FUNCTION, Exercise, function, number


def _first_two_layer_within(low: float, high: float, away: float) -> int:
    limit = math.log((1 - low) / low)
    return next(k for k in range(1, 10**4) if limit - bounds.two_layer_epsilon(low, high, 2, k) <= away)


def _median_of_delta_over_mean() -> float:
    """Of five users with U(0, 0.6), whose mean is 0.3 to the fifth power."""

    def below(t: float) -> float:
        return bounds.delta_cdf(0.6**5 * math.exp(-t), high=0.6, n_users=5) - 0.5

    return math.exp(-brentq(below, 0, 10)) * 2**5


def _is_law(law: Any) -> bool:
    chances = list(law.values())
    return min(chances) >= 0 and math.isclose(sum(chances), 1) and all(0 <= p <= 1 for p in law)


EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-voting-smoothing",
        "categorical-answers/voting",
        "what weights are proportional to, as a function of the number r of agreements among k answers",
        (
            IS_FUNCTION,
            ("half agreements, half disagreements: no weight", lambda f: abs(f(5, 10)) < 1e-12),
            ("more agreements, more weight", lambda f: f(9, 10) > f(6, 10)),
            ("unlike log-odds, it is finite for perfect agreement", lambda f: math.isfinite(f(10, 10))),
            (
                "the ratio of the weights of (9, 10) and (30, 40) differs",
                lambda f: math.isclose(f(9, 10) / f(30, 40), 8 / 20, rel_tol=1e-6),
            ),
        ),
    ),
    Exercise(
        "ex-voting-experts",
        "categorical-answers/voting",
        "how often the winner is right in such cases",
        number(
            lambda: 0.9 * 0.4**2 / (0.9 * 0.4**2 + 0.1 * 0.6**2),
            0.001,
            ("it is a probability", lambda p: 0 <= p <= 1),
            ("the winner is likelier right than wrong", lambda p: p > 0.5),
        ),
    ),
    Exercise(
        "ex-one-layer-choices",
        "categorical-answers/one-layer",
        "the limit of s(1 - p)",
        number(lambda: math.e, 1e-3, ("at s = 1000 it is close to the limit", lambda v: 2 < v < 4)),
    ),
    Exercise(
        "ex-one-layer-counts",
        "categorical-answers/one-layer",
        "the estimate as a function of the share among flipped answers, p and s",
        function(
            lambda share, p, s: (share - p / (s - 1)) / (1 - p - p / (s - 1)),
            [(0.3, 0.2, 4), (0.5, 0.1, 2)],
            ("without flips the share is the estimate", lambda f: math.isclose(f(0.3, 0.0, 4), 0.3)),
            (
                "a share of 0 among true answers leaves p/(s-1), which must be estimated as 0",
                lambda f: abs(f(0.1, 0.3, 4)) < 1e-12,
            ),
            draw=lambda r: (r.random(), r.uniform(0, 0.45), r.randint(2, 12)),
        ),
    ),
    Exercise(
        "ex-one-layer-hoeffding",
        "categorical-answers/one-layer",
        "the exact error of 101 users",
        number(
            lambda: float(binom.cdf(50, 101, 0.8 - 0.6 * bounds.one_layer_flip_probability(1.0, 2))),
            0.01,
            ("it is a probability", lambda v: 0 <= v <= 1),
            ("Hoeffding's bound, 0.0206, is above it", lambda v: v < 0.0206),
        ),
    ),
    Exercise(
        "ex-one-layer-twice",
        "categorical-answers/one-layer",
        "epsilon of both answers together",
        number(
            lambda: 2 * bounds.one_layer_epsilon(0.4, 2),
            1e-3,
            ("two answers tell more than one", lambda e: e > bounds.one_layer_epsilon(0.4, 2)),
        ),
    ),
    Exercise(
        "ex-two-layer-fresh",
        "categorical-answers/two-layer",
        "epsilon of one cell as a function of a, b and s",
        function(
            lambda a, b, s: bounds.one_layer_epsilon((a + b) / 2, s),
            [(0.1, 0.5, 2), (0.0, 0.6, 2), (0.2, 0.4, 5), (0.6, 1.0, 2)],
            (
                "a fixed probability is the one layer",
                lambda f: math.isclose(f(0.3, 0.3, 2), bounds.one_layer_epsilon(0.3, 2), rel_tol=1e-6),
            ),
            draw=lambda r: (
                a := r.choice((0.0, r.uniform(0.01, 0.99))),
                r.uniform(a + 0.01, 1),
                r.randint(2, 6),
            ),
        ),
    ),
    Exercise(
        "ex-two-layer-law",
        "categorical-answers/two-layer",
        "the law as a dictionary from flip probabilities to their chances",
        (
            ("the answer is a dictionary", lambda law: isinstance(law, dict) and len(law) > 0),
            ("chances add up to 1, flip probabilities lie in [0, 1]", _is_law),
            (
                "the mean is 0.3",
                lambda law: math.isclose(sum(p * chance for p, chance in law.items()), 0.3, abs_tol=1e-6),
            ),
            (
                "a curator who knows p errs less often with a law that is spread further",
                lambda law: all(p in (0, 1) for p, chance in law.items() if chance > 0),
            ),
        ),
    ),
    Exercise(
        "ex-two-layer-whole",
        "categorical-answers/price-of-reuse",
        "epsilon of one cell under U(0, 1) on two choices as a function of the number k of answers",
        function(
            lambda k: bounds.two_layer_epsilon(0.0, 1.0, 2, k),
            [(2,), (3,), (10,), (69,)],
            ("a single answer is a coin", lambda f: abs(f(1)) < 1e-9),
            ("more answers tell more", lambda f: f(5) > f(4)),
            draw=lambda r: (r.randint(1, 400),),
        ),
    ),
    Exercise(
        "ex-two-layer-worker",
        "categorical-answers/price-of-reuse",
        "epsilon of the whole worker under U(0, 1) on two choices as a function of the number k of answers",
        function(
            lambda k: bounds.two_layer_worker_epsilon(0.0, 1.0, 2, k),
            [(2,), (3,), (4,), (5,), (30,)],
            ("a single answer is a coin", lambda f: abs(f(1)) < 1e-9),
            (
                "a whole worker with four answers loses more than one of her cells",
                lambda f: f(4) > 1.01 * bounds.two_layer_epsilon(0.0, 1.0, 2, 4),
            ),
            draw=lambda r: (r.randint(1, 120),),
        ),
    ),
    Exercise(
        "ex-two-layer-limit",
        "categorical-answers/price-of-reuse",
        "the number of answers for U(0.1, 0.5)",
        (
            ("the answer is a whole number", lambda k: float(k).is_integer() and k >= 1),
            (
                "with one answer fewer, or with that many, the distance to the limit does not fit",
                lambda k: k == _first_two_layer_within(0.1, 0.5, 0.1),
            ),
        ),
    ),
    Exercise(
        "ex-two-layer-two-answers",
        "categorical-answers/price-of-reuse",
        "the b at which it is 1.061",
        number(
            lambda: bounds.two_layer_high(1.061, 2, n_answers=2),
            2e-3,
            ("b is a probability", lambda b: 0 < b <= 1),
        ),
    ),
    Exercise(
        "ex-bounds-exponent",
        "categorical-answers/error-bounds",
        "the least value",
        number(
            lambda: 2 * math.sqrt(0.9 * 0.1),
            1e-3,
            ("at t = 0 it is 1 already", lambda v: v < 1),
            ("it is a mean of positive numbers", lambda v: v > 0),
        ),
    ),
    Exercise(
        "ex-bounds-majority",
        "categorical-answers/error-bounds",
        "the exact error of the majority as a function of the odd number m of users and alpha",
        function(
            lambda m, alpha: float(binom.cdf(m // 2, m, alpha)),
            [(3, 0.8), (5, 0.9), (51, 0.6)],
            ("a single user errs with 1 - alpha", lambda f: math.isclose(f(1, 0.7), 0.3)),
            (
                "it is never above half of Bhattacharyya's product",
                lambda f: f(5, 0.9) <= (4 * 0.9 * 0.1) ** 2.5 / 2,
            ),
            draw=lambda r: (2 * r.randint(0, 40) + 1, r.uniform(0.05, 0.95)),
        ),
    ),
    Exercise(
        "ex-bounds-median",
        "categorical-answers/error-bounds",
        "the median divided by the mean, for five users",
        number(
            _median_of_delta_over_mean,
            0.005,
            ("the median is smaller than the mean", lambda v: 0 < v < 1),
        ),
    ),
    Exercise(
        "ex-trade-favourite",
        "categorical-answers/trade-off",
        "the error rate as a function of the even number of votes",
        function(
            lambda votes: (1 - math.comb(votes, votes // 2) / 2**votes) / 2,
            [(2,), (4,), (26,), (100,)],
            ("ties help: it is below one half", lambda f: f(6) < 0.5),
            ("with many votes ties are rare", lambda f: f(1000) > 0.48),
            draw=lambda r: (2 * r.randint(1, 200),),
        ),
    ),
)
