"""Exercises that can be checked: the whole worker."""

import math
import random
from typing import Any

from ldpbook.categorical_answers.bounds import one_layer_epsilon, two_layer_worker_epsilon
from ldpbook.whole_worker.bounds import averaging_rate, link_rate, shuffle_epsilon_closed_form
from ldpcourse.exercises.exercise import Exercise, function, number, root, simulation


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


def _constant_fill(k: int, epsilon: float, d: int, f: int) -> float:
    return 2 * k * max(f, d - 1 - f) * epsilon / d


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
    """Probability that more of ten cells are output as in the sender's row; ties are broken by a coin."""
    kept, turned = math.exp(0.5) / (5 + math.exp(0.5)), 1 / (5 + math.exp(0.5))
    chance = 0.0
    for hers in range(11):
        for other in range(11 - hers):
            ways = math.comb(10, hers) * math.comb(10 - hers, other)
            of_these = ways * kept**hers * turned**other * (1 - kept - turned) ** (10 - hers - other)
            chance += of_these * ((hers > other) + (hers == other) / 2)
    return chance


# composition


def _mean_loss(epsilon: float, s: int) -> float:
    """Mean loss, by weights relative to a lie's."""
    return epsilon * math.expm1(epsilon) / (math.expm1(epsilon) + s)


def _kept_at(epsilon: float, s: int, delta: float) -> float:
    return math.log(delta) / -math.log1p((s - 1) * math.exp(-epsilon))


def _step_delta(epsilon: float, k: int, s: int) -> float:
    return -math.expm1(-epsilon) / (1 + (s - 1) * math.exp(-epsilon)) ** k


def _over_moment(power: int) -> float:
    """Moment of max(0, 1 - e^(2 - L)) for 12 cells at epsilon 0.5 with six symbols.

    A standard error computed as for a share, with trials of 0 or 1, is too large by more than a third here.
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


def _price_of_splitting(n: int, epsilon: float, s: float) -> float:
    """Factor computed by ratios, so that a small epsilon loses no digits."""
    one, part = math.expm1(epsilon), math.expm1(epsilon / n)
    return (one / part) ** 2 / n * (part + 3) / (one + 3) * (2 + s * part) / (2 + s * one)


def _share_of_a_mixture(k: int, epsilon: float) -> float:
    return math.comb(k - 1, k // 2) * 2.0 ** (1 - k) * math.tanh(epsilon / 2)


def _selection_epsilon(epsilon: float, d: int, padding: int) -> float:
    return math.log1p(math.expm1(epsilon) * max(1.0, padding / d))


def _four_answers() -> float:
    return _share_of_a_mixture(4, 2.0)


# shuffling


def _blanket_size(n: int, k: int, epsilon: float) -> float:
    return (n - 1) * k / (k - 1 + math.exp(epsilon))


def _two_shuffled(local: float, central: float) -> float:
    """Delta for two users, of whom the other has the second choice, by the number of reports of the first."""
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


def _pushed_down(f: float, liars: float, epsilon: float) -> float:
    return (1 - liars) * f - liars / math.expm1(epsilon)


def _draw_down(r: random.Random) -> tuple[float, float, float]:
    return r.random(), r.uniform(0.001, 0.5), r.uniform(0.05, 6)


def _without_fit(epsilon: float, s: float) -> float:
    return 1 / (1 + 2 / (s * math.expm1(epsilon)))


def _forty_liars() -> tuple[float, float]:
    """Mean and standard deviation of the estimate, from the probabilities of the reports."""
    p, q = math.e / (math.e + 3), 1 / (math.e + 3)
    mean = (490 * p + 1470 * q + 40) / 2000
    variance = (490 * p * (1 - p) + 1470 * q * (1 - q)) / 2000**2
    return (mean - q) / (p - q), math.sqrt(variance) / (p - q)


# again-and-again
def _bit(f: float, p: float, q: float) -> float:
    """Epsilon by the odds of the reports 1 and 0, from bits that are kept or replaced by a fair coin."""
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
    """Rate for numbers at which both randomizations err so often that forgetting one is noticed."""
    return averaging_rate(epsilon=0.5, n_reports=9, permanent_epsilon=1.0)


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
        "the probability as a function of epsilon and of the number $s$ of answers, not counting NULL",
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
                "the two ends of the domain are equivalent: f(1, 1, 5, 0) is f(1, 1, 5, 4)",
                lambda f: math.isclose(f(1, 1.0, 5, 0), f(1, 1.0, 5, 4)),
            ),
            draw=_draw_fill,
        ),
    ),
    Exercise(
        "ex-account-crossing",
        "whole-worker/worker-epsilon",
        "the smallest number of changed answers for U(0.1, 0.5)",
        number(
            _crossing,
            0.001,
            (
                "the answer is a whole number of answers from 1 to 22",
                lambda answer: 1 <= answer <= 22 and answer % 1 == 0,
            ),
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
    Exercise(
        "ex-comp-mean",
        "whole-worker/composition",
        "the mean loss of one cell, as a function of epsilon and the number of symbols",
        function(
            _mean_loss,
            [(1.0, 6), (0.5, 2), (3.0, 3)],
            (
                "a large epsilon is lost completely: f(30, 6) is 30",
                lambda f: abs(f(30.0, 6) - 30) < 1e-6,
            ),
            ("a report on two symbols reveals more than one on six", lambda f: f(1.0, 2) > f(1.0, 6)),
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
            ("a smaller delta needs more cells", lambda f: f(1.0, 6, 1e-9) > f(1.0, 6, 1e-6) > 0),
            draw=lambda r: (*_draw_response(r), 10 ** -r.uniform(1, 12)),
        ),
    ),
    Exercise(
        "ex-comp-step",
        "whole-worker/composition",
        "the smallest delta as a function of epsilon, the number of cells and the number of symbols",
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
    Exercise(
        "ex-ask-split",
        "whole-worker/sampling-questions",
        "how many times as many workers, as a function of the number n of tasks, epsilon and the density",
        function(
            _price_of_splitting,
            [(200, 1.0, 0.1), (10, 3.0, 1.0), (50, 0.2, 0.5)],
            ("with one task nothing is split: f(1, 1, 0.5) is 1", lambda f: abs(f(1, 1.0, 0.5) - 1) < 1e-9),
            (
                "for small epsilon it tends to the number of tasks",
                lambda f: abs(f(30, 1e-5, 0.3) - 30) < 0.01,
            ),
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
                "a single answer is always the one sent, so only the noise reduces f(1, epsilon)",
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
            ("for small epsilon the factor is two", lambda f: abs(f(1e-6) - 2) < 1e-3),
            draw=lambda r: (r.uniform(0.01, 10),),
        ),
    ),
    Exercise(
        "ex-ask-simulate",
        "whole-worker/sampling-questions",
        "the mean report on the first task over 200,000 workers and the standard error of that mean, as a"
        " pair",
        simulation(
            _four_answers,
            lambda: math.sqrt(1 - _four_answers() ** 2),
            200_000,
            (
                "that is the mean without noise",
                lambda pair: abs(pair[0] - _four_answers() / math.tanh(1)) > 0.01,
            ),
        ),
    ),
    # shuffling
    Exercise(
        "ex-shuffle-blanket",
        "whole-worker/shuffling",
        "the expected number as a function of the number n of users, of k and of the local epsilon",
        function(
            _blanket_size,
            [(20_000, 3, 2.0), (10, 2, 0.5), (1000, 20, 4.0)],
            ("a single user has no one to hide among: f(1, 3, 2) is 0", lambda f: abs(f(1, 3, 2.0)) < 1e-12),
            (
                "with a huge epsilon no report is uniform: f(100, 3, 40) is about 0",
                lambda f: abs(f(100, 3, 40.0)) < 1e-9,
            ),
            draw=lambda r: (r.randint(1, 10**6), r.randint(2, 50), r.uniform(0.01, 8)),
        ),
    ),
    Exercise(
        "ex-shuffle-two",
        "whole-worker/shuffling",
        "the smallest delta as a function of the local epsilon and of the central one",
        function(
            _two_shuffled,
            [(1.0, 0.2), (2.0, 1.0), (3.0, 0.0)],
            (
                "at the local epsilon no delta is left: f(1, 1) is 0",
                lambda f: abs(f(1.0, 1.0)) < 1e-9,
            ),
            (
                "delta is smaller than without a shuffler",
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
                "with her name on the report, three of four guesses are right; without it, fewer are",
                lambda pair: pair[0] < 0.7,
            ),
        ),
    ),
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
            (
                "the error is a few per cent too large: the same 490 workers have choice 1 in every trial",
                lambda a: not 1.03 < 100 * a[1] / _forty_liars()[1] <= 1.2,
            ),
        ),
    ),
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
        "the share of the 5,000 workers for whom the majority is right, and its standard error, as a pair",
        simulation(_majority_of_nine, _nine_deviation, 5_000),
    ),
)
