"""Exercises that can be checked: in practice."""

import math
import random
from typing import Any

from ldpbook.whole_worker.bounds import averaging_rate
from ldpcourse.exercises.exercise import Exercise, function, number, simulation

# floating-point


def _reached(answer: float, output: float) -> float:
    """1 if some noise gives the output, otherwise 0; only noise next to the difference can give it."""
    near = output - answer
    beside = (math.nextafter(near, -math.inf), near, math.nextafter(near, math.inf))
    return float(any(answer + noise == output for noise in beside))


def _draw_sum(r: random.Random) -> tuple[float, float]:
    """Draws answers of either sign, with few or all digits, and outputs on both sides of powers of two."""
    sign, last = r.choice((-1, 1)), 2.0**-52
    if r.random() < 0.5:  # the difference is sometimes halfway between two doubles
        answer = sign * (1 + r.randint(1, 63) * last)
        return answer, -sign * r.choice((2.0 ** r.randint(1, 5), 3 + r.randint(-63, 63) * last))
    answer = r.choice((0, 1, 2, 5, 9)) + r.choice((0.0, 0.0, 2.0 ** -r.randint(1, 52), r.random()))
    mantissa = r.choice((1.0, 1 + last, 1 - last / 2, r.uniform(1, 2), r.uniform(1, 2)))
    return sign * answer, r.choice((-1, 1)) * mantissa * 2.0 ** r.randint(-4, 4)


def _word_ratio(epsilon: float, n_symbols: int, n_bits: int) -> float:
    other = math.ceil(2.0**n_bits / (math.exp(epsilon) + n_symbols - 1))
    return (2.0**n_bits - (n_symbols - 1) * other) / other


def _level(epsilon: float) -> float:
    return math.ceil(-1 / math.expm1(-epsilon / 2)) - 1


def _kept_of_five_bits() -> float:
    ratio = _word_ratio(1.0, 3, 5)
    return ratio / (ratio + 2)


def _kept_deviation() -> float:
    return math.sqrt(_kept_of_five_bits() * (1 - _kept_of_five_bits()))


def _draw_words(r: random.Random) -> tuple[Any, ...]:
    return r.uniform(0.5, 4), r.randint(2, 8), r.randint(8, 24)


# audit


def _ceiling(m: int, alpha: float) -> float:
    return -math.log(math.expm1(-math.log(alpha) / m))


def _draw_ceiling(r: random.Random) -> tuple[int, float]:
    alpha = r.choice((0.05, 0.01, r.uniform(0.001, 0.3)))
    return r.randint(math.ceil(-math.log(alpha) / math.log(2)), 10**6), alpha


def _own_too(epsilon: float, k: int) -> float:
    return math.log1p(k * math.exp(epsilon) / (k - 1))


def _unfair(epsilon: float, h: float) -> float:
    return epsilon + abs(math.log(h / (1 - h)))


def _false_alarms() -> float:
    """Probability of an alarm in 22 guesses, each right with e / (1 + e): the largest below 0.05."""
    p = math.e / (1 + math.e)
    tail, right = 0.0, 23
    while (more := tail + math.comb(22, right - 1) * p ** (right - 1) * (1 - p) ** (23 - right)) < 0.05:
        tail, right = more, right - 1
    return tail


# scale


def _least_bits(epsilon: float, n_symbols: int) -> float:
    """Mean number of bits, from weights relative to a kept symbol, so that no epsilon overflows."""
    total = 1 + (n_symbols - 1) * math.exp(-epsilon)
    return (math.log(total) + (1 - 1 / total) * epsilon) / math.log(2)


def _twice(m: int, k: int, a: float, b: float) -> float:
    return k * (m - k) * (a - b) / (m * (m + k))


def _draw_twice(r: random.Random) -> tuple[Any, ...]:
    m = r.randint(2, 10_000)
    return m, r.randint(1, m), r.random(), r.random()


def _after_failures() -> float:
    """Mean averaging rate over the draws until an attempt succeeds; an attempt fails with probability 0.3."""
    told = (0.3 ** (k - 1) * averaging_rate(epsilon=1.0, n_reports=k) for k in range(1, 80))
    return 0.7 * math.fsum(told)


# survey


def _after_null(pi: float, nu: float, epsilon: float) -> float:
    return pi / (1 + math.expm1(epsilon) * nu)


def _draw_beliefs(r: random.Random) -> tuple[float, float, float]:
    pi = r.uniform(0.02, 0.9)
    return pi, r.uniform(0.02, 0.98) * (1 - pi), r.uniform(0.05, 6)


def _enough_workers(f: float, s: int, epsilon: float, tau: float) -> float:
    gain = math.expm1(epsilon)
    return (1 + gain * f) * (gain * (1 - f) + s - 1) / (gain * tau) ** 2


def _draw_question(r: random.Random) -> tuple[float, int, float, float]:
    return r.uniform(0.01, 0.99), r.randint(2, 12), r.uniform(0.05, 6), r.uniform(0.001, 0.1)


def _best_guess() -> float:
    """Probability of a right guess, of the report or of the most frequent symbol, whichever is likelier."""
    law, own = (0.3, 0.6, 0.1), math.exp(1.5)
    return math.fsum(max(max(law), own * share) for share in law) / (own + 2)


# instructions


def _blind_second(p1: float, q1: float, q2: float) -> float:
    return 0.5 + (p1 - 0.5) * (q2 - 0.5) / (q1 - 0.5)


def _draw_designs(r: random.Random) -> tuple[float, float, float]:
    q1 = r.uniform(0.02, 0.45)
    drawn = r.uniform(0.55, 0.98), q1, r.uniform(q1, 0.49)
    return (
        drawn if r.random() < 0.5 else (drawn[0], 1 - drawn[1], 1 - drawn[2])
    )  # on either side of a fair coin


def _most_who_disobey() -> float:
    """Share who disobey if the decoded share in Nigeria is 0.1; a die forces no and yes on one side each."""
    decoded = (831 / 2435 - 1 / 6) / (2 / 3)
    return (decoded - 0.1) * (2 / 3) / (5 / 6)


def _denial(p: float, q: float, t: float) -> float:
    yes = (1 - t) * p
    return max(abs(math.log(yes / q)), abs(math.log((1 - yes) / (1 - q))))


def _draw_denial(r: random.Random) -> tuple[float, float, float]:
    q = r.uniform(0.02, 0.8)
    return q + r.uniform(0.1, 0.9) * (0.99 - q), q, r.uniform(0.0, 0.98)


def _coins_deviation() -> float:
    """Standard deviation of a decoded report; at the limit 0.34, yes has probability 1/6 + 0.34 * 2/3."""
    yes = 1 / 6 + 0.34 * 2 / 3
    return math.sqrt(yes * (1 - yes)) / (2 / 3)


# regression


def _people_per_answer(f: float, p: float, q: float) -> float:
    rate = q + (p - q) * f
    return rate * (1 - rate) / ((p - q) ** 2 * f * (1 - f))


def _smallest_epsilon(f: float, n: float, tau: float) -> float:
    room = n * tau**2 - f * (1 - f)
    return math.log1p(2 / (math.sqrt(1 + 4 * room) - 1))


def _blurred(f: float, p: float, q: float, o1: float, o0: float) -> float:
    return (p - q) * f / (q + (p - q) * f) * (1 - f) / (1 - q - (p - q) * f) * (o1 - o0)


def _draw_channel(r: random.Random) -> tuple[float, float, float]:
    """Draws a channel in which either answer may lead to yes more often."""
    p = r.uniform(0.02, 0.98)
    q = r.choice([x for x in (r.uniform(0.02, 0.98) for _ in range(50)) if abs(x - p) > 0.05])
    return r.uniform(0.02, 0.98), p, q


def _draw_room(r: random.Random) -> tuple[float, int, float]:
    f, n = r.uniform(0.01, 0.99), r.randint(20, 10**5)
    return f, n, math.sqrt((f * (1 - f) + r.uniform(0.01, 5)) / n)


def _some_look_fails() -> float:
    """Probability that some of ten looks, after fifty reports each, fails, by the number of yes."""
    step = [math.comb(50, k) * 0.4**k * 0.6 ** (50 - k) for k in range(51)]
    held = {0: 1.0}
    for n in range(50, 501, 50):
        after = [0.0] * (n + 1)
        for said, weight in held.items():
            for k, probability in enumerate(step):
                after[said + k] += weight * probability
        held = {
            s: weight
            for s, weight in enumerate(after)
            if abs(s / n - 0.4) <= 1.96 * math.sqrt(s / n * (1 - s / n) / n)
        }
    return 1 - math.fsum(held.values())


EXERCISES: tuple[Exercise, ...] = (
    # floating-point
    Exercise(
        "ex-float-reach",
        "practice/floating-point",
        "a function of the answer and the output, both finite doubles, that is 1 if some double as noise "
        "gives the output and 0 if none does",
        function(
            _reached,
            [
                (5.0, 0.1),
                (0.0, 0.1),
                (5.0, 0.125),
                (1.0000000000000018, -16.0),  # only by the double below the difference
                (-1.0000000000000018, 16.0),  # only by the double above it
                (1 + 2**-51, -3 + 2**-51),  # the answer's last digit is finer than that of the difference
            ],
            draw=_draw_sum,
        ),
    ),
    Exercise(
        "ex-float-words",
        "practice/floating-point",
        "the exact ratio as a function of epsilon, the number of symbols and the number of bits",
        function(_word_ratio, [(1.0, 3, 8), (2.0, 2, 8), (0.5, 6, 16)], draw=_draw_words),
    ),
    Exercise(
        "ex-float-level",
        "practice/floating-point",
        "the number of words at which the weights stay constant, as a function of epsilon",
        function(_level, [(1.0,), (0.1,), (4.0,)], draw=lambda r: (10 ** r.uniform(-3, 0.9),)),
    ),
    Exercise(
        "ex-float-kept",
        "practice/floating-point",
        "the share of 50,000 reports that keep the symbol, and its standard error, as a pair",
        simulation(_kept_of_five_bits, _kept_deviation, 50_000),
    ),
    # audit
    Exercise(
        "ex-audit-ceiling",
        "practice/audit",
        "the lower bound as a function of the number m of guesses and of alpha",
        function(
            _ceiling,
            [(8, 0.05), (100, 0.05), (250_000, 0.01)],
            ("more guesses allow a larger bound", lambda f: f(1000, 0.05) > f(100, 0.05) > f(10, 0.05)),
            draw=_draw_ceiling,
        ),
    ),
    Exercise(
        "ex-audit-own",
        "practice/audit",
        "the exact epsilon as a function of the intended epsilon and the number k of symbols",
        function(
            _own_too,
            [(1.0, 6), (2.0, 3), (0.2, 2)],
            ("the exact epsilon is larger than intended", lambda f: f(1.0, 6) > 1),
            draw=lambda r: (r.uniform(0.05, 6), r.randint(2, 40)),
        ),
    ),
    Exercise(
        "ex-audit-coin",
        "practice/audit",
        "what the audit finds in the limit, as a function of epsilon and the probability h of heads",
        function(
            _unfair,
            [(1.0, 0.6), (1.0, 0.3), (0.2, 0.5)],
            ("with a fair coin it is epsilon", lambda f: abs(f(1.3, 0.5) - 1.3) < 1e-9),
            draw=lambda r: (r.uniform(0.05, 6), r.uniform(0.02, 0.98)),
        ),
    ),
    Exercise(
        "ex-audit-simulate",
        "practice/audit",
        "the share of false alarms in 10,000 audits and its standard error, as a pair",
        simulation(
            _false_alarms,
            lambda: math.sqrt(_false_alarms() * (1 - _false_alarms())),
            10_000,
            ("at most about one in twenty audits may give a false alarm", lambda a: a[0] < 0.06),
        ),
    ),
    # scale
    Exercise(
        "ex-scale-bits",
        "practice/scale",
        "the smallest mean number of bits per report, as a function of epsilon and the number of symbols",
        function(
            _least_bits,
            [(1.0, 3), (2.0, 11), (0.1, 2)],
            (
                "with a tiny epsilon a report is a uniform draw: f(1e-9, 4) is 2",
                lambda f: abs(f(1e-9, 4) - 2) < 1e-6,
            ),
            ("more symbols need more bits", lambda f: f(1.0, 11) > f(1.0, 3)),
            draw=lambda r: (r.uniform(0.02, 12), r.randint(2, 60)),
        ),
    ),
    Exercise(
        "ex-scale-twice",
        "practice/scale",
        "the error of the share, with its sign, as a function of m, k, a and b",
        function(
            _twice,
            [(1000, 100, 0.5, 0.3), (10, 9, 0.1, 0.9), (500, 1, 1.0, 0.0)],
            ("a chunk like the others does no harm", lambda f: abs(f(1000, 100, 0.4, 0.4)) < 1e-12),
            ("the share moves towards the chunk's share", lambda f: f(1000, 100, 0.5, 0.3) > 0),
            draw=_draw_twice,
        ),
    ),
    Exercise(
        "ex-scale-retries",
        "practice/scale",
        "the estimate from 100,000 answers and its standard error, as a pair",
        simulation(
            _after_failures,
            lambda: math.sqrt(_after_failures() * (1 - _after_failures())),
            100_000,
            ("a probability lies between 0 and 1", lambda a: 0 <= a[0] <= 1),
        ),
    ),
    # survey
    Exercise(
        "ex-survey-null",
        "practice/survey",
        "the belief in yes after a report of NULL as a function of pi, nu and epsilon",
        function(
            _after_null,
            [(0.3, 0.1, 1.0), (0.5, 0.5, 2.0), (0.1, 0.6, 0.5)],
            ("the belief in yes is smaller than before", lambda f: f(0.3, 0.1, 1.0) < 0.3),
            draw=_draw_beliefs,
        ),
    ),
    Exercise(
        "ex-survey-workers",
        "practice/survey",
        "the number of workers as a function of f, s, epsilon and tau",
        function(
            _enough_workers,
            [(0.3, 3, 1.0, 0.01), (0.5, 2, 0.5, 0.05), (0.08, 5, 3.0, 0.002)],
            (
                "at a large epsilon it is the number needed without privacy: f(0.3, 3, 40, 0.01) is 2,100",
                lambda f: abs(f(0.3, 3, 40.0, 0.01) - 2100) < 1,
            ),
            draw=_draw_question,
        ),
    ),
    Exercise(
        "ex-survey-even",
        "practice/survey",
        "that epsilon",
        number(lambda: math.log(3 + 2 * math.sqrt(2)), 1e-3),
    ),
    Exercise(
        "ex-survey-guess",
        "practice/survey",
        "the share of right guesses and its standard error, as a pair",
        simulation(
            _best_guess,
            lambda: math.sqrt(_best_guess() * (1 - _best_guess())),
            20_000,
        ),
    ),
    # instructions
    Exercise(
        "ex-instr-line",
        "practice/instructions",
        "$p_2$ as a function of p1, q1 and q2",
        function(
            _blind_second,
            [(5 / 6, 1 / 6, 0.3), (0.9, 0.4, 0.45), (0.6, 0.1, 0.2), (0.9, 0.7, 0.6)],
            (
                "the partner of a symmetric design is symmetric: f(0.8, 0.2, 0.3) is 0.7",
                lambda f: abs(f(0.8, 0.2, 0.3) - 0.7) < 1e-9,
            ),
            draw=_draw_designs,
        ),
    ),
    Exercise(
        "ex-instr-widen",
        "practice/instructions",
        "that share",
        number(_most_who_disobey, 1e-3),
    ),
    Exercise(
        "ex-instr-denial",
        "practice/instructions",
        "epsilon as a function of p, q and t",
        function(
            _denial,
            [(5 / 6, 1 / 6, 0.5), (5 / 6, 1 / 6, 0.95), (0.9, 0.6, 0.1), (0.95, 0.5, 0.0)],
            (
                "where both say yes equally often, nothing is revealed: f(0.8, 0.4, 0.5) is 0",
                lambda f: abs(f(0.8, 0.4, 0.5)) < 1e-9,
            ),
            draw=_draw_denial,
        ),
    ),
    Exercise(
        "ex-instr-coins",
        "practice/instructions",
        "the decoded share and its standard error, as a pair",
        simulation(lambda: 0.34, _coins_deviation, 20_000),
    ),
    # regression
    Exercise(
        "ex-regr-worth",
        "practice/regression",
        "that factor as a function of f, p and q",
        function(
            _people_per_answer,
            [(0.25, 5 / 6, 1 / 6), (0.5, 0.2, 0.9), (0.02, 0.7, 0.3)],
            ("it is at least 1", lambda g: g(0.3, 0.8, 0.2) >= 1),
            (
                "reports without coins are worth as much as answers: g(0.3, 1, 0) is 1",
                lambda g: abs(g(0.3, 1, 0) - 1) < 1e-9,
            ),
            draw=_draw_channel,
        ),
    ),
    Exercise(
        "ex-regr-epsilon",
        "practice/regression",
        "epsilon as a function of f, n and tau",
        function(
            _smallest_epsilon,
            [(0.3, 3000, 0.02), (0.5, 100, 0.1), (0.01, 10_000, 0.005)],
            (
                "with more people a smaller epsilon is enough",
                lambda g: g(0.3, 6000, 0.02) < g(0.3, 3000, 0.02),
            ),
            draw=_draw_room,
        ),
    ),
    Exercise(
        "ex-regr-blur",
        "practice/regression",
        "the difference, yes minus no, as a function of f, p, q, o1 and o0",
        function(
            _blurred,
            [(0.3, 5 / 6, 1 / 6, 0.6, 0.4), (0.5, 0.2, 0.9, 0.1, 0.7), (0.02, 0.7, 0.3, 1.0, 0.0)],
            (
                "without coins nothing is blurred: g(0.3, 1, 0, 0.6, 0.4) is 0.2",
                lambda g: abs(g(0.3, 1, 0, 0.6, 0.4) - 0.2) < 1e-9,
            ),
            draw=lambda r: (*_draw_channel(r), r.random(), r.random()),
        ),
    ),
    Exercise(
        "ex-regr-looks",
        "practice/regression",
        "the share of these surveys and its standard error, as a pair",
        simulation(
            _some_look_fails,
            lambda: math.sqrt(_some_look_fails() * (1 - _some_look_fails())),
            20_000,
            ("ten looks fail more often than one", lambda a: a[0] > 0.07),
        ),
    ),
)
