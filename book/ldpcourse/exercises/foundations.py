"""Exercises that can be checked: foundations."""

import itertools
import math
from typing import Any

from ldpcourse.exercises.exercise import AnswerForm, Exercise, function, number, simulation


def _clipped_mean(mu: float, sigma: float) -> float:
    """E max(0, mu + sigma Z)."""
    z = mu / sigma
    density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return mu * (1 + math.erf(z / math.sqrt(2))) / 2 + sigma * density


def _deviation_of_correlated_z() -> float:
    """For 50 tasks of 20 residuals; standard deviation 1 of a task's common part and 0.1 of the rest.

    z^2 = 20.01 X 999 / (20.01 C + 0.01 B) with independent chi-squares X, C, B of 1, 49 and 950 degrees
    of freedom. The mean of 1/S is the integral of the mean of exp(-t S) over t; here t = 0.001 x / (1 - x).
    """
    n = 2_000  # gives eight correct digits
    total = 0.0
    for i in range(n):
        x = (i + 0.5) / n
        t = 0.001 * x / (1 - x)
        log_mean = -24.5 * math.log1p(2 * 20.01 * t) - 475 * math.log1p(2 * 0.01 * t)
        total += math.exp(log_mean) * 0.001 / (1 - x) ** 2 / n
    return math.sqrt(20.01 * 999 * total)


def _median_moment(power: int) -> float:
    """E |M|^power for the median M of five standard normal numbers, by its density."""
    n = 20_000
    total = 0.0
    for i in range(n):
        x = 10 * (i + 0.5) / n
        below = (1 + math.erf(x / math.sqrt(2))) / 2
        density = 30 * (below * (1 - below)) ** 2 * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        total += 2 * x**power * density * 10 / n
    return total


def _guessed_from_three() -> float:
    """Probability of guessing symbol 0 from three outputs, each kept with probability 4/6; random ties."""
    total = 0.0
    for outputs in itertools.product(range(3), repeat=3):
        counts = [outputs.count(symbol) for symbol in range(3)]
        if counts[0] == max(counts):
            total += (4 / 6) ** counts[0] * (1 / 6) ** (3 - counts[0]) / counts.count(counts[0])
    return total


def _singled_out() -> float:
    """Probability that none of 199 others has both of two known tasks among 5 of 50."""
    return (1 - math.comb(48, 3) / math.comb(50, 5)) ** 199


def _of_share(share: float) -> float:
    return math.sqrt(share * (1 - share))


def _is_pair_of_truth_values(pair: Any) -> bool:
    """Accepts booleans of Python or numpy, and 0 and 1."""
    first, second = pair
    return not any(isinstance(x, str) for x in (first, second)) and {first, second} <= {False, True}


def _people_needed() -> float:
    """Number of people, since Warner's variance is at most 1 / (4 N tanh(1/2)^2) at epsilon 1."""
    return 0.25 / (0.01 * math.tanh(0.5)) ** 2


EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-crowd-clipping",
        "foundations/crowdsourcing",
        "the expected answer as a function of mu and sigma",
        function(
            _clipped_mean,
            [(0.0, 1.0), (0.0, 5.0), (2.0, 1.0), (-1.0, 2.0)],
            (
                "a truth far above 0 is not clipped: f(50, 1) is 50",
                lambda f: math.isclose(f(50.0, 1.0), 50.0),
            ),
            ("clipping at 0 only raises answers", lambda f: f(1.0, 3.0) > 1.0),
            draw=lambda r: (r.uniform(-3, 6), 10 ** r.uniform(-0.3, 1)),
        ),
    ),
    Exercise(
        "ex-crowd-random",
        "foundations/crowdsourcing",
        "the share of the 4,000 crowds in which worker 0 is singled out, and its standard error, as a pair",
        simulation(_singled_out, lambda: _of_share(_singled_out()), 4000),
    ),
    Exercise(
        "ex-truth-ratio",
        "foundations/truth-inference",
        "the ratio of variances as a function of p and r",
        function(
            lambda p, r: (p + (1 - p) / r**2) / (p + (1 - p) / r) ** 2,
            [(0.5, 2.0), (0.1, 10.0), (0.9, 3.0)],
            ("equal workers lose nothing: ratio(0.3, 1) is 1", lambda f: math.isclose(f(0.3, 1.0), 1.0)),
            ("no weights beat the best ones, so the ratio is at least 1", lambda f: f(0.5, 3.0) >= 1),
            (
                "the ratio is at most the bound of the chapter, and close to it if r is large",
                lambda f: 0.999 / 0.3 < f(0.3, 1e6) <= 1 / 0.3,
            ),
            draw=lambda r: (r.uniform(0.01, 0.99), 10 ** r.uniform(0, 4)),
        ),
    ),
    Exercise(
        "ex-truth-takeover",
        "foundations/truth-inference",
        "the distance below which she takes over, as a function of k and sigma",
        function(
            lambda k, sigma: sigma / k,
            [(1, 2.0), (3, 3.0), (10, 0.5)],
            (
                "more others are harder to overrule, so the distance is smaller",
                lambda f: f(20, 1.0) < f(2, 1.0),
            ),
            (
                "check the units: doubling the standard deviation doubles the distance",
                lambda f: math.isclose(f(4, 2.0), 2 * f(4, 1.0)),
            ),
            draw=lambda r: (r.randint(1, 50), 10 ** r.uniform(-2, 2)),
        ),
    ),
    Exercise(
        "ex-truth-equal",
        "foundations/truth-inference",
        "the mean absolute error of Algorithm 1 over 20,000 tasks and its standard error, as a pair",
        simulation(
            lambda: _median_moment(1),
            lambda: math.sqrt(_median_moment(2) - _median_moment(1) ** 2),
            20_000,
        ),
    ),
    Exercise(
        "ex-privacy-variance",
        "foundations/local-privacy",
        "the number of people",
        (
            *number(
                _people_needed,
                0.002,
                ("more people are needed than without flips, where 2,500 are enough", lambda n: n > 2500),
                what="A number of people, rounded up",
            ),
            ("this many people are not enough: round up", lambda n: math.ceil(n) >= _people_needed()),
        ),
    ),
    Exercise(
        "ex-privacy-rounding",
        "foundations/local-privacy",
        "a pair of truth values that say whether it is private to clip the result, and to clip the noise",
        (
            (
                "the answer is a pair of truth values",
                AnswerForm("True or False, twice, with a comma between them.", _is_pair_of_truth_values),
            ),
            ("for the first, think of what you may do to any private output", lambda pair: pair[0]),
            (
                "for the second, look at outputs that only one of two answers can produce",
                lambda pair: not pair[1],
            ),
        ),
    ),
    Exercise(
        "ex-privacy-best",
        "foundations/local-privacy",
        "the largest probability of guessing right, as a function of epsilon and k",
        function(
            lambda epsilon, k: 1 / (1 + (k - 1) * math.exp(-epsilon)),
            [(1.0, 2), (1.0, 3), (0.1, 11), (5.0, 6)],
            ("at epsilon 0 nothing can be learned", lambda f: math.isclose(f(0.0, 4), 1 / 4)),
            ("a probability is at most 1", lambda f: f(30.0, 3) <= 1),
            draw=lambda r: (10 ** r.uniform(-3, 1.5), r.randint(2, 200)),
        ),
    ),
    Exercise(
        "ex-privacy-thrice",
        "foundations/local-privacy",
        "the share of right guesses for 20,000 workers and its standard error, as a pair",
        simulation(_guessed_from_three, lambda: _of_share(_guessed_from_three()), 20_000),
    ),
    Exercise(
        "ex-random-draws",
        "foundations/randomness",
        "the number of draws",
        number(
            lambda: (6 * 10 / 0.02) ** 2,
            0.02,
            (
                "z has to exceed 4 in 39 of 40 runs, not just in half of them",
                lambda n: n > 1.5 * (4 * 10 / 0.02) ** 2,
            ),
        ),
    ),
    Exercise(
        "ex-random-laplace",
        "foundations/randomness",
        "the mean square of 500,000 draws and its standard error, as a pair",
        simulation(
            lambda: math.factorial(2),
            lambda: math.sqrt(math.factorial(4) - math.factorial(2) ** 2),
            500_000,
        ),
    ),
    Exercise(
        "ex-random-correlated",
        "foundations/randomness",
        "the derived standard deviation of her z-scores, to within 1 %",
        number(
            _deviation_of_correlated_z,
            0.01,
            ("honest z-scores have standard deviation 1, and hers spread wider", lambda v: v > 1.5),
        ),
    ),
)
