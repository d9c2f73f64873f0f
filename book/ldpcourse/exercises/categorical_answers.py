"""Exercises that can be checked: categorical answers."""

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

from ldpbook.categorical_answers import bounds, error_bounds
from ldpcourse.exercises.exercise import (
    N_DRAWS,
    AnswerForm,
    Exercise,
    asks_function,
    asks_number,
    function,
    number,
    simulation,
)


def _first_two_layer_within(low: float, high: float, away: float) -> int:
    limit = math.log((1 - low) / low)
    return next(k for k in range(1, 10**4) if limit - bounds.two_layer_epsilon(low, high, 2, k) <= away)


def _chance_of_at_most(successes: int, trials: int, chance: float) -> float:
    return math.fsum(
        math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(successes + 1)
    )


def _majority_error(n_users: int, accuracy: float) -> float:
    """Error of the majority of an odd number of users."""
    return _chance_of_at_most(n_users // 2, n_users, accuracy)


def _epsilon_of_the_majority(k: int, p: float) -> float:
    """Epsilon of the majority of an odd number of answers of one user to a question with two choices."""
    return bounds.one_layer_epsilon(_majority_error(k, 1 - p), 2)


def _gain_by_one_more(m: int, alpha: float, beta: float) -> float:
    """Decrease of the majority's error if one more user joins an even number of equal users.

    Ties are broken by a coin.
    """
    fewer = _chance_of_at_most(m // 2 - 1, m, alpha)
    half = _chance_of_at_most(m // 2, m, alpha)
    return (fewer + half) / 2 - (beta * fewer + (1 - beta) * half)


def _least_crowd(accuracy: float, epsilon: float, error: float) -> int:
    after = accuracy + bounds.one_layer_flip_probability(epsilon, 2) * (1 - 2 * accuracy)
    return next(n for n in itertools.count(1, 2) if _majority_error(n, after) <= error)


def _share_and_flips(r: random.Random) -> tuple[float, float, int]:
    """Draws a share among flipped answers, a flip probability well below or above 1 - 1/s, and s."""
    s = r.randint(2, 12)
    blind = 1 - 1 / s
    return r.random(), r.uniform(0, 0.9 * blind) if r.random() < 0.7 else r.uniform((9 + blind) / 10, 1), s


def _is_excess(f: Callable[[int, int], float]) -> bool:
    """Whether `f` is 2r - k, up to a positive factor, for one to about a million answers."""
    source, scale = random.Random(0), f(9, 10) / 8
    numbers = [10**6, *(round(10 ** source.uniform(0, 6.5)) for _ in range(N_DRAWS))]
    drawn = [(source.randint(0, k), k) for k in numbers]
    return all(
        math.isclose(f(r, k), scale * (2 * r - k), rel_tol=1e-9, abs_tol=1e-9 * scale) for r, k in drawn
    )


def _least_of_the_majoritys_products() -> float:
    """Minimum over t of the product of E exp(-t x) over five users, which is convex in t."""

    def product(t: float) -> float:
        return math.prod(p * math.exp(-t) + (1 - p) * math.exp(t) for p in (0.95, 0.9, 0.8, 0.7, 0.6))

    left, right = 0.0, 3.0
    for _ in range(100):
        third = (right - left) / 3
        if product(left + third) < product(right - third):
            right -= third
        else:
            left += third
    return product(left)


def _median_of_delta_over_mean() -> float:
    """Median over mean for five users; the ratio does not depend on b, so b = 1."""
    left, right = 0.0, 1.0
    for _ in range(100):
        middle = (left + right) / 2
        if error_bounds.delta_cdf(middle, high=1.0, n_users=5) < 0.5:
            left = middle
        else:
            right = middle
    return left * 2**5


_MIXED_CROWD = (0.8, 0.7, 0.6, 0.6, 0.6)


def _gain_of_weights(power: int) -> float:
    """Moment of the majority's error minus the best vote's error, over right and wrong answers."""

    def term(right: tuple[int, ...]) -> float:
        answers = list(zip(right, _MIXED_CROWD, strict=True))
        lead = math.fsum((2 * r - 1) * math.log(p / (1 - p)) for r, p in answers)
        chance = math.prod(p if r else 1 - p for r, p in answers)
        return chance * float(((2 * sum(right) < len(right)) - (lead < 0)) ** power)

    return math.fsum(map(term, itertools.product((0, 1), repeat=len(_MIXED_CROWD))))


def _right_about_the_last(n_known: int) -> float:
    """Probability that the best guess about the last answer is right, given the flips of the known ones.

    All answers have the same flip probability, drawn from U(0, 1).
    """

    def moment(flips: int, kept: int) -> float:
        return math.factorial(flips) * math.factorial(kept) / math.factorial(flips + kept + 1)

    return math.fsum(
        math.comb(n_known, d) * max(moment(d, n_known - d + 1), moment(d + 1, n_known - d))
        for d in range(n_known + 1)
    )


def _mostly_flipped(n_answers: int, high: float) -> float:
    """Probability that a user with U(0, high) flips more than half, by the integrals of binomial terms."""
    n = n_answers + 1
    above = (1 - _chance_of_at_most(d, n, high) for d in range(n_answers // 2 + 1, n_answers + 1))
    return math.fsum(above) / (n * high)


def _mean_of_the_cut(power: int) -> float:
    """Moment of the estimate, 0 where negative, of a choice of four that none of 100 users has."""
    e, n = math.e, 100
    chance = 1 / (3 + e)
    return math.fsum(
        math.comb(n, j)
        * chance**j
        * (1 - chance) ** (n - j)
        * max(0.0, (j / n - chance) * (3 + e) / (e - 1)) ** power
        for j in range(n + 1)
    )


def _one_of_two_wrong(n_users: int) -> float:
    """Probability that the majority errs on exactly one of two tasks, for users who are right and U(0, 1)."""
    chances = {(0, 0): 1.0}
    for _ in range(n_users):
        more: dict[tuple[int, int], float] = {}
        for (i, j), chance in chances.items():
            for a, b in itertools.product((0, 1), repeat=2):
                more[i + a, j + b] = more.get((i + a, j + b), 0.0) + chance / (3 if a == b else 6)
        chances = more
    half = n_users / 2
    return math.fsum(chance for (i, j), chance in chances.items() if (i > half) != (j > half))


def _deviation_of_share(chance: float) -> float:
    return math.sqrt(chance * (1 - chance))


def _is_law(law: Any) -> bool:
    chances = list(law.values())
    return min(chances) >= 0 and math.isclose(sum(chances), 1) and all(0 <= p <= 1 for p in law)


_MEAN = 1e-6  # how far the mean of a distribution may be off

EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-voting-smoothing",
        "categorical-answers/voting",
        "this quantity as a function of the number r of agreements among k answers",
        (
            asks_function(
                "r", "k", exact="A positive factor changes nothing, and rounding does: write a formula"
            ),
            ("half agreements, half disagreements: no weight", lambda f: abs(f(5, 10)) < 1e-12),
            ("more agreements, more weight", lambda f: f(9, 10) > f(6, 10)),
            ("unlike log-odds, it is finite for perfect agreement", lambda f: math.isfinite(f(10, 10))),
            (
                "the ratio of the weights of (9, 10) and (30, 40) differs",
                lambda f: math.isclose(f(9, 10) / f(30, 40), 8 / 20, rel_tol=1e-9),
            ),
            ("it is right for the numbers tried first, but not for others", _is_excess),
        ),
    ),
    Exercise(
        "ex-voting-experts",
        "categorical-answers/voting",
        "the share of such cases in which the winner is right",
        number(
            lambda: 0.9 * 0.4**2 / (0.9 * 0.4**2 + 0.1 * 0.6**2),
            0.001,
            ("it is a probability", lambda p: 0 <= p <= 1),
            ("the winner is likelier to be right than wrong", lambda p: p > 0.5),
        ),
    ),
    Exercise(
        "ex-voting-gain",
        "categorical-answers/voting",
        "the estimated difference, majority minus weighted vote, and its standard error, as a pair",
        simulation(
            lambda: _gain_of_weights(1),
            lambda: math.sqrt(_gain_of_weights(2) - _gain_of_weights(1) ** 2),
            20_000,
            ("no vote errs less often than the one weighted by log-odds", lambda pair: pair[0] > 0),
        ),
    ),
    Exercise(
        "ex-one-layer-choices",
        "categorical-answers/one-layer",
        "the limit of s(1 - p), to 3 decimals",
        number(lambda: math.e, 2e-4, ("at s = 1000 it is close to the limit", lambda v: 2 < v < 4)),
    ),
    Exercise(
        "ex-one-layer-counts",
        "categorical-answers/one-layer",
        "the estimate as a function of the share among flipped answers, p and s",
        function(
            lambda share, p, s: (share - p / (s - 1)) / (1 - p - p / (s - 1)),
            [(0.3, 0.2, 4), (0.5, 0.1, 2), (0.05, 0.3, 5)],
            ("without flips the share is the estimate", lambda f: math.isclose(f(0.3, 0.0, 4), 0.3)),
            (
                "if no one has chosen y, the share expected after flips has to be estimated as 0",
                lambda f: abs(f(0.1, 0.3, 4)) < 1e-12,
            ),
            draw=_share_and_flips,
        ),
    ),
    Exercise(
        "ex-one-layer-hoeffding",
        "categorical-answers/one-layer",
        "the smallest odd number of users",
        (
            asks_number("An odd whole number, exactly."),
            ("it is an odd whole number", lambda n: n > 0 and n % 2 == 1),
            ("Hoeffding's bound asks for more users than are needed", lambda n: n < 143),
            (
                "the exact error does not fit: it is too large, or two users fewer are enough",
                lambda n: n == _least_crowd(0.7, 1.5, 0.01),
            ),
        ),
    ),
    Exercise(
        "ex-one-layer-twice",
        "categorical-answers/one-layer",
        "epsilon of the majority as a function of the odd number k of answers and p",
        function(
            _epsilon_of_the_majority,
            [(3, 0.4), (9, 0.45), (5, 0.7)],
            (
                "one answer is its own majority",
                lambda f: math.isclose(f(1, 0.4), bounds.one_layer_epsilon(0.4, 2), rel_tol=1e-6),
            ),
            ("more answers reveal more", lambda f: f(5, 0.4) > f(3, 0.4)),
            (
                "the majority reveals less than all answers together",
                lambda f: f(3, 0.4) < 3 * bounds.one_layer_epsilon(0.4, 2) - 1e-9,
            ),
            draw=lambda r: (2 * r.randint(0, 10) + 1, r.uniform(0.2, 0.8)),
        ),
    ),
    Exercise(
        "ex-one-layer-cut",
        "categorical-answers/one-layer",
        "the estimated mean of the published share and its standard error, as a pair",
        simulation(
            lambda: _mean_of_the_cut(1),
            lambda: math.sqrt(_mean_of_the_cut(2) - _mean_of_the_cut(1) ** 2),
            10_000,
            (
                "a share that is never negative, and not always 0, has a positive mean",
                lambda pair: pair[0] > 0,
            ),
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
                "with a fixed probability, it is the epsilon of one layer",
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
        "the distribution as a dictionary from flip probabilities to their probabilities",
        (
            (
                "the answer is a dictionary",
                AnswerForm(
                    "A dictionary from flip probabilities to their probabilities, `{p: probability, ...}`. "
                    f"The mean may be off by {_MEAN:f}.",
                    lambda law: isinstance(law, dict) and len(law) > 0,
                ),
            ),
            ("the probabilities add up to 1, and flip probabilities lie in [0, 1]", _is_law),
            (
                "the mean is 0.3",
                lambda law: math.isclose(sum(p * chance for p, chance in law.items()), 0.3, abs_tol=_MEAN),
            ),
            (
                "a curator that knows p errs less often with a distribution that is spread further",
                lambda law: all(p in (0, 1) for p, chance in law.items() if chance > 0),
            ),
        ),
    ),
    Exercise(
        "ex-two-layer-turned",
        "categorical-answers/two-layer",
        "the estimated probability under two layers and its standard error, as a pair",
        simulation(
            lambda: _mostly_flipped(21, 0.6),
            lambda: _deviation_of_share(_mostly_flipped(21, 0.6)),
            10_000,
            ("it is a probability", lambda pair: 0 <= pair[0] <= 1),
        ),
    ),
    Exercise(
        "ex-two-layer-whole",
        "categorical-answers/price-of-reuse",
        "epsilon of one cell under U(0, 1) on two choices as a function of the number k of answers",
        function(
            lambda k: bounds.two_layer_epsilon(0.0, 1.0, 2, k),
            [(2,), (3,), (10,), (69,)],
            ("a single answer is a fair coin: f(1) is 0", lambda f: abs(f(1)) < 1e-9),
            ("more answers reveal more", lambda f: f(5) > f(4)),
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
            ("a single answer is a fair coin: f(1) is 0", lambda f: abs(f(1)) < 1e-9),
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
            (
                "the answer is a whole number",
                AnswerForm("A whole number, exactly.", lambda k: float(k).is_integer() and k >= 1),
            ),
            (
                "the distance to the limit does not fit: it is too large, or one answer fewer is enough",
                lambda k: k == _first_two_layer_within(0.1, 0.5, 0.1),
            ),
        ),
    ),
    Exercise(
        "ex-two-layer-two-answers",
        "categorical-answers/price-of-reuse",
        "the b for which epsilon is 1.061",
        number(
            lambda: bounds.two_layer_high(1.061, 2, n_answers=2),
            2e-3,
            ("b is a probability", lambda b: 0 < b <= 1),
        ),
    ),
    Exercise(
        "ex-two-layer-guess",
        "categorical-answers/price-of-reuse",
        "the estimated probability that he is right and its standard error, as a pair",
        simulation(
            lambda: _right_about_the_last(12),
            lambda: _deviation_of_share(_right_about_the_last(12)),
            20_000,
            ("it is a probability", lambda pair: 0 <= pair[0] <= 1),
            ("knowing twelve of her answers helps", lambda pair: pair[0] > 0.55),
        ),
    ),
    Exercise(
        "ex-bounds-exponent",
        "categorical-answers/error-bounds",
        "the smallest value of the product",
        number(
            _least_of_the_majoritys_products,
            1e-3,
            ("at t = 0 the product is 1, so its smallest value is below 1", lambda v: v < 1),
            ("a product of means of positive numbers is positive", lambda v: v > 0),
        ),
    ),
    Exercise(
        "ex-bounds-majority",
        "categorical-answers/error-bounds",
        "by how much it falls, as a function of the even number m of earlier users, alpha and beta",
        function(
            _gain_by_one_more,
            [(2, 0.8, 0.9), (10, 0.6, 0.7), (6, 0.3, 0.9)],
            ("a user who guesses changes nothing", lambda f: abs(f(4, 0.8, 0.5)) < 1e-12),
            ("a user who is worse than a coin does harm", lambda f: f(4, 0.8, 0.3) < 0),
            (
                "without earlier users, the error falls from one half",
                lambda f: math.isclose(f(0, 0.7, 0.9), 0.4),
            ),
            ("the error cannot fall below 0", lambda f: f(2, 0.9, 0.99) <= 0.1),
            draw=lambda r: (2 * r.randint(0, 30), r.uniform(0.2, 0.8), r.random()),
        ),
    ),
    Exercise(
        "ex-bounds-median",
        "categorical-answers/error-bounds",
        "the median divided by the mean, for five users",
        number(
            _median_of_delta_over_mean,
            0.002,
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
            ("ties help, so the error rate is below one half", lambda f: f(6) < 0.5),
            ("with many votes ties are rare", lambda f: f(1000) > 0.48),
            draw=lambda r: (2 * r.randint(1, 200),),
        ),
    ),
    Exercise(
        "ex-trade-runs",
        "categorical-answers/trade-off",
        "the smallest number of runs for that majority as a function of the number of tasks and of the given "
        "standard error",
        function(
            lambda n_tasks, error: math.ceil(1 / (4 * n_tasks * error**2)),
            [(108, 0.005), (26, 0.01), (1, 0.3), (1, 0.5), (4, 0.25), (1, 0.25)],  # three quotients are whole
            ("a number of runs is whole: round up", lambda f: float(f(50, 0.013)).is_integer()),
            (
                "half the standard error needs more than three times the runs",
                lambda f: f(9, 0.01) > 3 * f(9, 0.02),
            ),
            ("with more tasks per run, fewer runs are needed", lambda f: f(400, 0.01) < f(100, 0.01)),
            draw=lambda r: (r.randint(1, 3000), r.uniform(0.0005, 0.05)),
        ),
    ),
    Exercise(
        "ex-trade-turned",
        "categorical-answers/trade-off",
        "the estimated share and its standard error, as a pair",
        simulation(
            lambda: _one_of_two_wrong(5),
            lambda: _deviation_of_share(_one_of_two_wrong(5)),
            20_000,
            ("knowing the first task tells something about the second", lambda pair: pair[0] < 0.45),
        ),
    ),
)
