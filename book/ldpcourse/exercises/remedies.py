"""Exercises that can be checked: remedies."""

import math
import random
from typing import Any

from ldpcourse.exercises.exercise import Exercise, function


def _kept_distance(k: int, epsilon: float, s: float) -> float:
    kept = s * math.expm1(epsilon)
    return kept / (kept + k)


def _bit_variance(m: int, epsilon: float, s: float) -> float:
    """By the probability of the report "answered", between 1 / (1 + e^epsilon) and its complement."""
    p = 1 / (1 + math.exp(-epsilon))
    reported = s * p + (1 - s) * (1 - p)
    return reported * (1 - reported) / m / (2 * p - 1) ** 2


def _sum_variance(m: int, k: int, epsilon: float, s: float) -> float:
    noise, fill = 2 * (k / epsilon) ** 2, (k * k - 1) / 12
    return (noise + (1 - s) * fill) / (m * s * s)


_SHARES: list[Any] = [((0.1, 0.2, 0.7),), ((0.25, 0.25, 0.25, 0.25),), ((0.5, 0.5, 0.0),)]


def _least_density(shares: Any) -> float:
    return float(1 - len(shares) * min(shares))


def _draw_shares(r: random.Random) -> tuple[Any, ...]:
    weights = [r.expovariate(1) for _ in range(r.randint(2, 12))]
    return (tuple(weight / math.fsum(weights) for weight in weights),)


def _log_odds(ones: int, zeros: int, epsilon: float, density: float, a: float, b: float) -> float:
    """Log odds, with probabilities relative to that of a lie, so that NULL needs no term."""
    kept = density * math.expm1(epsilon)
    return ones * math.log((1 + kept * a) / (1 + kept * b)) + zeros * math.log(
        (1 + kept * (1 - a)) / (1 + kept * (1 - b))
    )


def _draw_odds(r: random.Random) -> tuple[float, ...]:
    return r.randint(0, 200), r.randint(0, 200), r.uniform(0.05, 5), r.random(), r.random(), r.random()


def _worker_epsilon(k: int, n: int, epsilon: float) -> float:
    return min(2 * k, n) * epsilon


def _draw_worker(r: random.Random) -> tuple[int, int, float]:
    n = r.randint(1, 60)
    return r.randint(0, n), n, r.uniform(0.05, 4)


def _mean_report(epsilon: float, s: float, answer: float, low: int, high: int) -> float:
    """Mean by weights relative to a lie's: 1 for each value, and the weight of kept answers."""
    kept = s * math.expm1(epsilon)
    return (math.fsum(range(low, high + 1)) + kept * answer) / (high - low + 1 + kept)


def _draw_report(r: random.Random) -> tuple[float, float, float, int, int]:
    low = r.randint(-5, 5)
    high = low + r.randint(1, 15)
    return r.uniform(0.05, 6), r.uniform(0.01, 1), r.uniform(low, high), low, high


def _mean_distance(bias: float, variance: float) -> float:
    deviation = math.sqrt(variance)
    return deviation * math.sqrt(2 / math.pi) * math.exp(-(bias**2) / 2 / variance) + bias * math.erf(
        bias / deviation / math.sqrt(2)
    )


def _crowd_needed(error: float, information: float, deviation: float) -> float:
    return max(0.0, 2 / math.pi / error**2 - 1 / deviation**2) / information


def _information(epsilon: float, s: float, slope: float) -> float:
    """Information at the truth, where half of the answers lie above the threshold."""
    e = math.exp(epsilon)
    return 4 * ((e - 1) * s * slope) ** 2 / ((e + 2) * (2 + (e - 1) * s))


def _report_adds(accuracy: float, epsilon: float, k: int) -> float:
    gain = math.expm1(epsilon)
    return math.log1p(gain * accuracy) - math.log1p(gain * (1 - accuracy) / (k - 1))


def _equal_sums(epsilon: float) -> float:
    """Number of choices at which k-ary response and symmetric unary have the same sum of variances."""
    e = math.exp(epsilon)
    b = e * math.sqrt(e) + math.sqrt(e) + 3
    return (b + math.sqrt(b * b + 8 * math.expm1(epsilon))) / 2


def _workers_needed(accuracy: float, epsilon: float, delta: float) -> float:
    x = (1 + math.expm1(epsilon) * accuracy) / (1 + math.exp(epsilon))
    return math.log(2 * delta) / (math.log(4 * x * (1 - x)) / 2)


def _verdict_variance(share: float, f: float, t: float, n: int) -> float:
    """By the law of total variance: the variance of all verdicts minus the part that the labels explain."""
    q = f + (t - f) * share
    return (q * (1 - q) / (t - f) ** 2 - share * (1 - share)) / n


def _draw_verdicts(r: random.Random) -> tuple[float, ...]:
    f, t = r.uniform(0, 0.45), r.uniform(0.55, 1)
    return (r.random(), *((f, t) if r.random() < 0.7 else (t, f)), r.randint(1, 10_000))


def _geometric_variance(epsilon: float) -> float:
    a = math.exp(-epsilon)
    return 2 * a / (1 - a) ** 2


EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-dec-kept",
        "remedies/decoding",
        "the share of the distance that is left as a function of the number k of possible answers, epsilon "
        "and the density s",
        function(
            _kept_distance,
            [(10, 1.0, 0.1), (5, 3.0, 1.0), (2, 0.2, 0.5)],
            ("with a large epsilon nothing is lost: f(10, 30, 0.5) is 1", lambda f: f(10, 30.0, 0.5) > 0.999),
            (
                "if no one answers, nothing is kept: f(10, 1, 0) is 0",
                lambda f: abs(f(10, 1.0, 0.0)) < 1e-12,
            ),
            draw=lambda r: (r.randint(1, 50), r.uniform(0.05, 6), r.random()),
        ),
    ),
    Exercise(
        "ex-dec-bit",
        "remedies/decoding",
        "the variance of the estimated density as a function of the number m of workers, epsilon and the"
        " density s",
        function(
            _bit_variance,
            [(1000, 1.0, 0.1), (200, 0.3, 0.5), (50, 3.0, 0.9)],
            (
                "an empty task has a noisy density too: f(1000, 1, 0) is above 0",
                lambda f: f(1000, 1.0, 0.0) > 0,
            ),
            (
                "four times the workers, a quarter of the variance",
                lambda f: math.isclose(4 * f(400, 1.0, 0.3), f(100, 1.0, 0.3)),
            ),
            draw=lambda r: (r.randint(1, 10_000), r.uniform(0.05, 6), r.random()),
        ),
    ),
    Exercise(
        "ex-dec-sum",
        "remedies/decoding",
        "the variance as a function of the number m of workers, the number k of possible answers, epsilon"
        " and the density s",
        function(
            _sum_variance,
            [(2000, 10, 1.0, 0.1), (300, 5, 2.0, 1.0), (50, 2, 0.5, 0.4)],
            (
                "with a large epsilon and every cell answered no variance is left",
                lambda f: f(100, 10, 1e6, 1.0) < 1e-6,
            ),
            (
                "with a large epsilon the variance of the fill is left where cells are NULL",
                lambda f: f(100, 10, 1e6, 0.5) > 0.01,
            ),
            draw=lambda r: (r.randint(1, 10_000), r.randint(1, 50), r.uniform(0.05, 6), r.uniform(0.01, 1)),
        ),
    ),
    Exercise(
        "ex-dec-least",
        "remedies/decoding",
        "the smallest density as a function of a tuple of shares, one per possible answer after the fill",
        function(
            _least_density,
            _SHARES,
            ("equal shares may be fill alone: f((0.5, 0.5)) is 0", lambda f: abs(f((0.5, 0.5))) < 1e-9),
            draw=_draw_shares,
        ),
    ),
    Exercise(
        "ex-best-merge",
        "remedies/best-mechanism",
        "the epsilon as a function of the density",
        function(
            lambda density: math.log1p(1 / (1 - density)),
            [(0.1,), (0.5,), (0.9,)],
            (
                "the rarer NULL is, the larger the epsilon up to which it joins a side",
                lambda f: f(0.9) > f(0.1),
            ),
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
                "answers with twice the spread give a quarter of the information",
                lambda f: math.isclose(4 * f(2.0, 0.3), f(1.0, 0.3), rel_tol=1e-6),
            ),
            draw=lambda r: (10 ** r.uniform(-1, 1), r.uniform(0.01, 1)),
        ),
    ),
    Exercise(
        "ex-best-workers",
        "remedies/best-mechanism",
        "the number of workers, not rounded, as a function of the error, the prior's standard deviation and "
        "the information",
        function(
            lambda error, deviation, information: (
                (16 * 1.018792971647471**3 / 27 / error**2 - 1 / deviation**2) / information
            ),
            [(0.1, 1.0, 0.0006), (0.3, 2.0, 0.004)],
            (
                "twice the information needs half the workers",
                lambda f: math.isclose(f(0.1, 1.0, 0.01), 2 * f(0.1, 1.0, 0.02), rel_tol=1e-6),
            ),
            (
                "a prior with a smaller standard deviation saves workers",
                lambda f: f(0.1, 1.0, 0.01) < f(0.1, 10.0, 0.01),
            ),
            draw=lambda r: (r.uniform(0.01, 0.5), r.uniform(0.8, 5), 10 ** r.uniform(-4, 0)),
        ),
    ),
    Exercise(
        "ex-place-far",
        "remedies/location-noise",
        "the probability as a function of epsilon per metre and $t$",
        function(
            lambda epsilon, t: (1 + epsilon * t) * math.exp(-epsilon * t),
            [(0.1, 10.0), (1.0, 5.0)],
            ("every report is farther away than 0: f(1, 0) is 1", lambda f: math.isclose(f(1.0, 0.0), 1.0)),
            (
                "only the product of the two arguments matters",
                lambda f: math.isclose(f(0.1, 20.0), f(0.4, 5.0), rel_tol=1e-9),
            ),
            draw=lambda r: (10 ** r.uniform(-3, 1), 10 ** r.uniform(-1, 1)),
        ),
    ),
    Exercise(
        "ex-place-mean",
        "remedies/location-noise",
        "the distance as a function of $n$, $\\epsilon_r$ and $r$",
        function(
            lambda n, epsilon, r: math.sqrt(6 * n) * r / epsilon,
            [(1, 1.0, 10.0), (100, 2.0, 5.0)],
            (
                "twice the epsilon halves the distance",
                lambda f: math.isclose(f(3, 2.0, 7.0), f(3, 1.0, 7.0) / 2),
            ),
            (
                "reports share one epsilon, so more of them are worse",
                lambda f: f(4, 1.0, 10.0) > f(1, 1.0, 10.0),
            ),
            draw=lambda r: (r.randint(1, 500), r.uniform(0.05, 10), r.uniform(0.1, 1000)),
        ),
    ),
    Exercise(
        "ex-place-two",
        "remedies/location-noise",
        "the distance as a function of $p$, $d$ and $\\epsilon$",
        function(
            lambda p, d, epsilon: d * min(p, 1 - p, 1 / (1 + math.exp(epsilon * d))),
            [(0.5, 20.0, 0.1), (0.95, 20.0, 0.1), (0.02, 20.0, 0.1)],
            (
                "a worker who is always at the first place is found without a report: f(1, 20, 0.1) is 0",
                lambda f: abs(f(1.0, 20.0, 0.1)) < 1e-12,
            ),
            (
                "it does not matter which place is called the first",
                lambda f: math.isclose(f(0.3, 10.0, 0.2), f(0.7, 10.0, 0.2), rel_tol=1e-9),
            ),
            draw=lambda r: (r.random(), 10 ** r.uniform(-1, 2), 10 ** r.uniform(-3, 0)),
        ),
    ),
    Exercise(
        "ex-careful-odds",
        "remedies/who-is-careful",
        "what the reports add to the log odds, as a function of how many are 1 and how many are 0, epsilon, "
        "the density and the probabilities that an answer lies above, for a careful worker and for one who "
        "is not",
        function(
            _log_odds,
            [(2, 1, math.log(4), 1.0, 0.95, 0.65), (10, 30, 2.0, 0.1, 0.5, 0.9)],
            (
                "a threshold that both kinds of workers exceed equally often says nothing",
                lambda f: abs(f(5, 3, 1.0, 0.5, 0.7, 0.7)) < 1e-12,
            ),
            (
                "swapping the two kinds of workers changes the sign",
                lambda f: math.isclose(f(5, 3, 1.0, 0.5, 0.9, 0.6), -f(5, 3, 1.0, 0.5, 0.6, 0.9)),
            ),
            draw=_draw_odds,
        ),
    ),
    Exercise(
        "ex-careful-own",
        "remedies/who-is-careful",
        "the probability without the report, as a function of the probability with it and of the report's "
        "probabilities from a careful worker and from one who is not",
        function(
            lambda p, a, b: p * b / (p * b + (1 - p) * a),
            [(0.6, 0.5, 0.2), (0.5, 0.1, 0.7)],
            (
                "a report that both kinds send equally often changes nothing",
                lambda f: math.isclose(f(0.3, 0.4, 0.4), 0.3),
            ),
            (
                "without a report that speaks for a careful worker, careful is less likely",
                lambda f: f(0.5, 0.9, 0.3) < 0.5,
            ),
            draw=lambda r: (r.uniform(0.001, 0.999), r.uniform(0.01, 1), r.uniform(0.01, 1)),
        ),
    ),
    Exercise(
        "ex-careful-small",
        "remedies/who-is-careful",
        "the limit as a function of the density and the probabilities that an answer lies above, for a "
        "careful worker and for one who is not",
        function(
            lambda density, a, b: (density * (a - b)) ** 2 / 3,
            [(1.0, 0.9, 0.6), (0.1, 0.2, 0.7)],
            ("equal kinds of workers cannot be distinguished", lambda f: abs(f(0.5, 0.4, 0.4)) < 1e-12),
            (
                "a tenth of the density gives a hundredth of the limit",
                lambda f: math.isclose(100 * f(0.1, 0.9, 0.5), f(1.0, 0.9, 0.5)),
            ),
            draw=lambda r: (r.random(), r.random(), r.random()),
        ),
    ),
    Exercise(
        "ex-small-worker",
        "remedies/smaller-question",
        "the worker's epsilon as a function of $k$, $n$ and the epsilon of a cell",
        function(
            _worker_epsilon,
            [(1, 10, 1.0), (20, 200, 0.5), (7, 10, 2.0), (5, 10, 1.0)],
            (
                "all workers who answer nothing have the same row: f(0, 10, 1) is 0",
                lambda f: f(0, 10, 1.0) == 0,
            ),
            ("no more cells can differ than there are: f(10, 10, 1) is 10", lambda f: f(10, 10, 1.0) == 10),
            draw=_draw_worker,
        ),
    ),
    Exercise(
        "ex-small-link",
        "remedies/smaller-question",
        "$r$ as a function of the share, epsilon and the density",
        function(
            lambda share, epsilon, s: (share * (math.exp(epsilon) + 2) - 1) / math.expm1(epsilon) / s,
            [(0.5, 1.0, 0.5), (0.4, 2.0, 0.8), (0.3, 3.0, 0.1)],
            (
                "if a third of the reports are above and a third are NULL, two thirds of the workers answer,"
                " half of them above: f(1/3, 1, 2/3) is 1/2",
                lambda f: math.isclose(f(1 / 3, 1.0, 2 / 3), 0.5, rel_tol=1e-9),
            ),
            draw=lambda r: (r.random(), r.uniform(0.05, 6), r.uniform(0.01, 1)),
        ),
    ),
    Exercise(
        "ex-small-information",
        "remedies/smaller-question",
        "the information as a function of epsilon, the density and the slope",
        function(
            _information,
            [(1.0, 0.1, 0.24), (3.0, 1.0, 0.4), (0.2, 0.5, 0.1)],
            (
                "without privacy and with every cell answered it is 4 slope^2: f(40, 1, 0.3) is 0.36",
                lambda f: math.isclose(f(40.0, 1.0, 0.3), 0.36, rel_tol=1e-9),
            ),
            (
                "half the slope gives a quarter of the information",
                lambda f: math.isclose(4 * f(1.0, 0.3, 0.1), f(1.0, 0.3, 0.2)),
            ),
            draw=lambda r: (r.uniform(0.05, 6), r.uniform(0.01, 1), r.uniform(0.01, 1)),
        ),
    ),
    Exercise(
        "ex-known-odds",
        "remedies/known-channel",
        "what it adds as a function of the accuracy, epsilon and the number of choices",
        function(
            _report_adds,
            [(0.9, 1.0, 2), (0.7, 2.0, 4), (0.4, 0.3, 8)],
            (
                "with a large epsilon a report is worth an answer: f(0.9, 40, 2) is ln 9",
                lambda f: math.isclose(f(0.9, 40.0, 2), math.log(9), rel_tol=1e-6),
            ),
            ("a worker who guesses adds nothing: f(0.25, 1, 4) is 0", lambda f: abs(f(0.25, 1.0, 4)) < 1e-9),
            draw=lambda r: (r.uniform(0.01, 0.99), 10 ** r.uniform(-2, 2), r.randint(2, 1000)),
        ),
    ),
    Exercise(
        "ex-known-total",
        "remedies/known-channel",
        "that number as a function of epsilon",
        function(
            _equal_sums,
            [(0.5,), (1.0,), (2.0,)],
            ("with a larger epsilon, k-ary response is better for more choices", lambda f: f(2.0) > f(1.0)),
            draw=lambda r: (r.uniform(0.05, 6),),
        ),
    ),
    Exercise(
        "ex-known-workers",
        "remedies/known-channel",
        "the number, not rounded, as a function of the accuracy, epsilon and delta",
        function(
            _workers_needed,
            [(0.9, 1.0, 0.01), (0.7, 2.0, 0.1), (0.6, 0.3, 0.05)],
            (
                "for an error of one half, no workers are needed",
                lambda f: abs(f(0.9, 1.0, 0.5)) < 1e-9,
            ),
            ("half the epsilon needs more workers", lambda f: f(0.9, 0.5, 0.01) > f(0.9, 1.0, 0.01)),
            draw=lambda r: (r.uniform(0.501, 0.99), r.uniform(0.05, 30), 10 ** r.uniform(-9, -0.4)),
        ),
    ),
    Exercise(
        "ex-guide-mean",
        "remedies/guide",
        "the mean of the reports that are numbers, as a function of epsilon, the density, the mean answer,"
        " and the lowest and highest answer of the domain",
        function(
            _mean_report,
            [(2.0, 0.1, 6.0, 0, 9), (1.0, 0.5, 1.0, 1, 5), (0.3, 1.0, 7.5, -2, 8)],
            (
                "answers in the middle stay there: f(1, 0.3, 3, 1, 5) is 3",
                lambda f: math.isclose(f(1.0, 0.3, 3.0, 1, 5), 3.0, rel_tol=1e-9),
            ),
            (
                "without noise it is the mean answer, at any density: f(40, 0.5, 2, 0, 9) is 2",
                lambda f: math.isclose(f(40.0, 0.5, 2.0, 0, 9), 2.0, rel_tol=1e-9),
            ),
            draw=_draw_report,
        ),
    ),
    Exercise(
        "ex-guide-distance",
        "remedies/guide",
        "the mean distance as a function of bias and variance",
        function(
            _mean_distance,
            [(0.5, 1.0), (-2.0, 0.3), (0.1, 4.0)],
            (
                "without bias, a variance of 1 gives sqrt(2/pi)",
                lambda f: math.isclose(f(0.0, 1.0), math.sqrt(2 / math.pi), rel_tol=1e-9),
            ),
            (
                "too low is as bad as too high: f(-0.7, 1) is f(0.7, 1)",
                lambda f: math.isclose(f(-0.7, 1.0), f(0.7, 1.0), rel_tol=1e-9),
            ),
            draw=lambda r: (r.uniform(-3, 3), r.uniform(0.1, 4)),
        ),
    ),
    Exercise(
        "ex-guide-needed",
        "remedies/guide",
        "the number of workers, not rounded, as a function of the target error, the information of one "
        "report and the standard deviation of the truths",
        function(
            _crowd_needed,
            [(0.2, 0.004, 1.0), (0.05, 0.1, 0.5), (0.3, 0.02, 3.0)],
            (
                "an error that the best constant already has needs no workers: f(1.5, 0.1, 1) is 0",
                lambda f: f(1.5, 0.1, 1.0) == 0,
            ),
            (
                "with half the information per report, twice as many workers are needed",
                lambda f: math.isclose(f(0.1, 0.05, 1.0), 2 * f(0.1, 0.1, 1.0), rel_tol=1e-9),
            ),
            draw=lambda r: (r.uniform(0.01, 0.5), r.uniform(0.001, 0.3), r.uniform(0.3, 3)),
        ),
    ),
    Exercise(
        "ex-ratio-error",
        "remedies/honest-ratios",
        "the variance as a function of the share of class 1, $f$, $t$ and $n$",
        function(
            _verdict_variance,
            [(0.6, 0.2, 0.7, 1000), (0.1, 0.05, 0.95, 300), (0.5, 0.3, 0.6, 50)],
            (
                "a classifier without errors counts exactly: f(0.6, 0, 1, 100) is 0",
                lambda f: abs(f(0.6, 0.0, 1.0, 100)) < 1e-12,
            ),
            (
                "four times the instances, a quarter of the variance",
                lambda f: math.isclose(4 * f(0.3, 0.1, 0.8, 400), f(0.3, 0.1, 0.8, 100)),
            ),
            draw=_draw_verdicts,
        ),
    ),
    Exercise(
        "ex-ratio-geometric",
        "remedies/honest-ratios",
        "the variance as a function of epsilon",
        function(
            _geometric_variance,
            [(1.0,), (0.1,), (3.0,)],
            ("with a large epsilon there is no noise: f(60) is below 1e-20", lambda f: f(60.0) < 1e-20),
            (
                "for small epsilon it is that of Laplace noise of scale 1/epsilon: f(0.001) is 2,000,000 to a"
                " millionth",
                lambda f: math.isclose(f(0.001), 2e6, rel_tol=1e-6),
            ),
            draw=lambda r: (10 ** r.uniform(-2, 1),),
        ),
    ),
    Exercise(
        "ex-ratio-twice",
        "remedies/honest-ratios",
        "the smallest delta as a function of epsilon",
        function(
            lambda epsilon: math.exp(epsilon) * math.expm1(epsilon) / (1 + math.exp(epsilon)) ** 2,
            [(1.0,), (0.1,), (math.log(3),)],
            ("a release that reveals nothing costs nothing: f(0) is 0", lambda f: abs(f(0.0)) < 1e-12),
            (
                "two releases that reveal all count as one only for a delta near 1: f(40) > 0.999",
                lambda f: f(40.0) > 0.999,
            ),
            draw=lambda r: (10 ** r.uniform(-3, 1.5),),
        ),
    ),
)
