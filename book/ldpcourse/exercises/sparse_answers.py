"""Exercises that can be checked: sparse answers."""

import math
import random
from collections import Counter
from collections.abc import Callable

from ldpbook.sparse_answers import bounds
from ldpcourse.exercises.exercise import (
    Exercise,
    asks_function,
    asks_number,
    function,
    number,
    simulation,
)

_GAMMA = range(10)


def _mean_distance(value: float) -> float:
    return sum(abs(value - truth) for truth in _GAMMA) / len(_GAMMA)


def _is_best_fill(value: float) -> bool:
    return _mean_distance(value) <= min(map(_mean_distance, _GAMMA)) + 1e-9


def _removes_the_bias(estimate: Callable[[float, float], float]) -> bool:
    """For the expectation of a column's mean, the estimate has to be the truth."""
    source = random.Random(0)
    draws = [(10 ** source.uniform(-2, 0), source.uniform(0, 9)) for _ in range(20)]
    return all(
        math.isclose(estimate((1 - s) * 4.5 + s * mu, s), mu, rel_tol=1e-6, abs_tol=1e-9) for s, mu in draws
    )


def _is_not_cut(estimate: Callable[[float, float], float]) -> bool:
    """A noisy mean may lead outside the domain, and an estimate cut to the domain has another expectation."""
    source = random.Random(1)
    means = [(edge, s) for edge in (0.0, 9.0) for s in (0.1, 0.5)]
    means += [(source.uniform(-20, 30), 10 ** source.uniform(-2, 0)) for _ in range(20)]
    return all(
        math.isclose(estimate(mean, s), 4.5 + (mean - 4.5) / s, rel_tol=1e-6, abs_tol=1e-9)
        for mean, s in means
    )


def _central_moment(power: int, n: int, chance: float) -> float:
    """Central moment of a binomial share, by its probabilities."""
    return math.fsum(
        math.comb(n, j) * chance**j * (1 - chance) ** (n - j) * (j / n - chance) ** power
        for j in range(n + 1)
    )


def _inverse_moment(power: int) -> float:
    """Moment of the inverted share's error, for 100 workers, share 0.3, epsilon 2, ten possible answers."""
    g, gain = 10 + math.exp(2), math.expm1(2)
    return (g / gain) ** power * _central_moment(power, 100, (1 + 0.3 * gain) / g)


_GIVEN = [0] * 12 + [1] * 3 + [2] * 2 + [3, 4, 9]


def _same_number(power: int) -> float:
    """Moment of the share of cells whose number a shuffle leaves the same, by single cells and pairs."""
    n, counts = len(_GIVEN), Counter(_GIVEN)
    mean = math.fsum(counts[v] / n for v in _GIVEN)
    if power == 1:
        return mean / n
    both = math.fsum(
        counts[_GIVEN[i]] / n * (counts[_GIVEN[j]] - (_GIVEN[i] == _GIVEN[j])) / (n - 1)
        for i in range(n)
        for j in range(n)
        if i != j
    )
    return (mean + both) / n**2


def _cut_to_the_domain(power: int) -> float:
    """Moment of an output of scale 10 cut to 0 to 9: the integral of P(output > t) over t^power.

    By a fair coin, the cell contains either 0 or a uniform fill.
    """
    n = 900
    middles = [9 * (i + 0.5) / n for i in range(n)]

    def above(t: float, held: int) -> float:
        tail = math.exp(-abs(t - held) / 10) / 2
        return tail if t > held else 1 - tail

    cells = [(0, 0.5), *((v, 0.05) for v in _GAMMA)]
    return math.fsum(
        chance * above(t, held) * power * t ** (power - 1) * 9 / n for held, chance in cells for t in middles
    )


def _kept_empty(power: int) -> float:
    """Mean over budgets from 0 to 6 of p^power, p = e^t / (10 + e^t), by the midpoint rule."""
    n = 6000
    budgets = (6 * (i + 0.5) / n for i in range(n))
    return math.fsum((1 + 10 * math.exp(-t)) ** -power for t in budgets) / n


def _deviation_of_kept() -> float:
    """Standard deviation of the share over a worker's 50 cells, which have a common budget."""
    p, square = _kept_empty(1), _kept_empty(2)
    return math.sqrt(square - p**2 + (p - square) / 50)


def _draw_debiased(r: random.Random) -> tuple[float, ...]:
    """Draws a share of answers among the outputs that exceeds the share from randomness alone."""
    epsilon = r.uniform(0.2, 6)
    chance = 10 / (10 + math.exp(epsilon))
    return r.uniform(0, 9), chance + (1 - chance) * r.uniform(0.05, 1), epsilon


EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-lp-fill",
        "sparse-answers/laplace",
        "one such v from Gamma",
        (
            asks_number("One number of Gamma, exactly."),
            ("v lies in Gamma, the integers 0 to 9", lambda v: v in _GAMMA),
            ("another constant in Gamma has a smaller error, averaged over the truths", _is_best_fill),
        ),
    ),
    Exercise(
        "ex-lp-debias",
        "sparse-answers/laplace",
        "the estimate as a function of the column's mean and the density s",
        (
            asks_function("mean", "s"),
            (
                "a complete column needs no repair: f(3, 1) is 3",
                lambda f: math.isclose(f(3.0, 1.0), 3.0, rel_tol=1e-6),
            ),
            ("the expectation of the estimate is not the truth", _removes_the_bias),
            ("cut to the domain, the estimate is biased again: do not cut it", _is_not_cut),
        ),
    ),
    Exercise(
        "ex-lp-waste",
        "sparse-answers/laplace",
        "the variance of the smaller noise divided by that of the larger, as a function of the number k of "
        "symbols",
        function(
            lambda k: (1 - 1 / k) ** 2,
            [(2,), (10,), (100,)],
            ("the smaller noise has the smaller variance, so the ratio is below 1", lambda f: f(5) < 1),
            ("with many symbols hardly anything is wasted", lambda f: f(10**6) > 0.999),
            draw=lambda r: (r.choice([r.randint(2, 6), r.randint(2, 1000)]),),
        ),
    ),
    Exercise(
        "ex-lp-worst",
        "sparse-answers/laplace",
        "the supremum as a function of the number k of symbols",
        function(
            lambda k: (k * k - k % 2) / (4 * k),
            [(10,), (3,), (100,)],
            ("the printed formula fails for every k, so the supremum is above 0", lambda f: f(2) > 0),
            (
                "no two points of 0 to k - 1 are further apart than k - 1, so the supremum is smaller",
                lambda f: f(50) < 49,
            ),
            draw=lambda r: (r.choice([r.randint(2, 9), r.randint(2, 1000)]),),
        ),
    ),
    Exercise(
        "ex-lp-cut",
        "sparse-answers/laplace",
        "the mean of the 10,000 outputs after the cut and its standard error, as a pair",
        simulation(
            lambda: _cut_to_the_domain(1),
            lambda: math.sqrt(_cut_to_the_domain(2) - _cut_to_the_domain(1) ** 2),
            10_000,
            ("after the cut no output is outside 0 to 9", lambda pair: 0 <= pair[0] <= 9),
        ),
    ),
    Exercise(
        "ex-mf-single",
        "sparse-answers/matrix-factorization",
        "the distance of the released value from 5 beyond which the loss exceeds 1",
        number(
            lambda: 10 * (1 + math.log(2)),
            1e-3,
            ("at 5 itself the loss is below 1, so the distance is positive", lambda u: u > 0),
            (
                "the two scales differ, and so do the constants in front of the densities",
                lambda u: abs(u - 10) > 0.1,
            ),
        ),
    ),
    Exercise(
        "ex-mf-steps",
        "sparse-answers/matrix-factorization",
        "the smallest number of steps, as a function of the rate and the eigenvalue",
        function(
            lambda rate, h: math.ceil(math.log(0.1) / math.log1p(-2 * rate * h)),
            [(0.1, 2.0), (0.1, 0.1), (0.01, 3.0)],
            ("a number of steps is whole: round up", lambda f: float(f(0.1, 0.1)).is_integer()),
            (
                "one step covers the share 2 gamma h: if that is 0.92, one is enough",
                lambda f: f(0.46, 1.0) == 1,
            ),
            (
                "directions that are hardly seen need more than ten thousand steps",
                lambda f: f(0.1, 0.001) > 10_000,
            ),
            draw=lambda r: (rate := 10 ** r.uniform(-3, 1), 10 ** r.uniform(-3, -0.005) / (2 * rate)),
        ),
    ),
    Exercise(
        "ex-mf-two",
        "sparse-answers/matrix-factorization",
        "the largest privacy loss between two workers whose answers to both tasks differ",
        number(
            lambda: max(abs(0.6 * x + 0.4 * y) + abs(0.4 * x - 0.6 * y) for x, y in ((9, 9), (9, -9))) / 10,
            1e-6,
            ("one changed answer alone already has a loss of 0.9", lambda v: v > 0.9 + 1e-9),
            ("no two changes attain both of the losses that the proof adds up", lambda v: v < 1.8 - 1e-9),
        ),
    ),
    Exercise(
        "ex-mf-half",
        "sparse-answers/task-profiles",
        "the mean noise, as a function of the fraction s and the length c",
        function(
            lambda s, c: 1 / (s * c),
            [(1.0, 1.0), (0.5, 1.0), (1.0, 0.5), (0.1, 0.2)],
            (
                "for unit vectors and all tasks answered, the noise has its smallest value, 1",
                lambda f: math.isclose(f(1.0, 1.0), 1.0),
            ),
            ("shorter profiles make the noise larger", lambda f: f(1.0, 0.5) > 1),
            draw=lambda r: (r.randint(1, 10) / 10, r.uniform(0.05, 1)),
        ),
    ),
    Exercise(
        "ex-mf-signs",
        "sparse-answers/task-profiles",
        "the limit of the share, as a function of p",
        function(
            lambda p: (2 * p - 1) ** 2,
            [(0.75,), (0.1,), (0.5,)],
            ("equal signs keep all of the level, both plus and minus", lambda f: f(0.0) == f(1.0) == 1),
            ("signs from a fair coin keep nothing in the limit", lambda f: abs(f(0.5)) < 1e-12),
            draw=lambda r: (r.random(),),
        ),
    ),
    Exercise(
        "ex-mf-distance",
        "sparse-answers/task-profiles",
        "the mean squared distance, as a function of n, d and the level",
        function(
            lambda n, d, level: (1 - d / n) * (1 + level**2),
            [(50, 5, 3.0), (200, 2, 4.5), (10, 9, 1.0)],
            (
                "at level 0 the share d / n of the truths is kept",
                lambda f: math.isclose(f(40, 10, 0.0), 0.75),
            ),
            ("with as many directions as tasks nothing is lost", lambda f: abs(f(7, 7, 3.0)) < 1e-9),
            draw=lambda r: (n := r.randint(1, 1000), r.randint(1, n), r.choice([0.0, r.uniform(-10, 10)])),
        ),
    ),
    Exercise(
        "ex-rr-invert",
        "sparse-answers/randomized-response",
        "the estimated share of a symbol, as a function of its share among outputs, of the number |Gamma| of "
        "possible answers, and of epsilon",
        function(
            lambda share, k, epsilon: ((k + math.exp(epsilon)) * share - 1) / math.expm1(epsilon),
            [(0.2, 10, 3.0), (0.1, 5, 0.5), (0.9, 2, 8.0)],
            (
                "with a huge epsilon the estimate is the share among outputs",
                lambda f: math.isclose(f(0.3, 10, 40.0), 0.3, rel_tol=1e-6),
            ),
            (
                "NULL is a symbol too: count it in the probability of a symbol that no one chose",
                lambda f: abs(f(1 / (10 + math.e), 10, 1.0)) < 1e-9,
            ),
            draw=lambda r: (r.random() ** 3, r.randint(2, 100), 10 ** r.uniform(-2, 1)),
        ),
    ),
    Exercise(
        "ex-rr-exact",
        "sparse-answers/randomized-response",
        "the infimum, over all densities, of the exact error minus the printed formula",
        number(
            lambda: 4.5 - 45 / (10 + math.e),
            1e-4,
            ("the printed formula is below the error at every density", lambda v: v > 0),
            (
                "at density 0.1 the difference is already less than that",
                lambda v: (
                    v
                    < bounds.rr_mae_bound_corrected(epsilon=1.0, domain=range(10), density=0.1)
                    - bounds.rr_mae_bound(epsilon=1.0, domain=range(10), density=0.1)
                ),
            ),
        ),
    ),
    Exercise(
        "ex-rr-shift",
        "sparse-answers/randomized-response",
        "the value of the printed formula for the domain 100 to 109",
        number(
            lambda: bounds.rr_mae_bound(epsilon=1.0, domain=range(100, 110), density=0.1, truth=100.0),
            1e-4,
            ("a NULL counted as 0 is now far from every truth", lambda v: v > 10),
        ),
    ),
    Exercise(
        "ex-rr-optimal",
        "sparse-answers/randomized-response",
        "the largest probability of keeping a symbol, as a function of the number k of symbols and epsilon",
        function(
            lambda k, epsilon: 1 / (1 + (k - 1) * math.exp(-epsilon)),
            [(4, 1.0), (11, 2.0), (2, 0.5)],
            (
                "at epsilon 0 all symbols are equally likely",
                lambda f: math.isclose(f(5, 0.0), 0.2, rel_tol=1e-6),
            ),
            draw=lambda r: (r.randint(2, 100), 10 ** r.uniform(-2, 1.3)),
        ),
    ),
    Exercise(
        "ex-real-enough",
        "sparse-answers/real-data",
        "the epsilon of balance as a function of the number of possible answers and the density",
        function(
            lambda k, density: math.log1p(k / density),
            [(5, 0.0099), (5, 0.0219), (10, 1.0)],
            ("sparser crowds need a larger epsilon", lambda f: f(5, 0.01) > f(5, 0.1)),
            (
                "at the returned epsilon, kept answers and random ones do not balance",
                lambda f: math.isclose(0.5 * math.expm1(f(4, 0.5)), 4, rel_tol=1e-6),
            ),
            draw=lambda r: (r.randint(2, 100), 10 ** r.uniform(-4, 0)),
        ),
    ),
    Exercise(
        "ex-rr-inverse-error",
        "sparse-answers/randomized-response",
        "the mean squared error over 10,000 tasks and its standard error, as a pair",
        simulation(
            lambda: _inverse_moment(2),
            lambda: math.sqrt(_inverse_moment(4) - _inverse_moment(2) ** 2),
            10_000,
        ),
    ),
    Exercise(
        "ex-cmp-constant",
        "sparse-answers/comparison",
        "the smallest epsilon at which the median of the outputs is 0, as a function of the density s and "
        "the share w",
        function(
            lambda s, w: math.log1p(4 / (s * (w - 0.5))),
            [(0.5, 0.6), (1.0, 1.0), (0.1, 0.9)],
            ("sparser crowds need a larger epsilon", lambda f: f(0.1, 0.8) > f(0.5, 0.8)),
            ("a smaller majority of zeros needs a larger epsilon", lambda f: f(0.5, 0.55) > f(0.5, 0.9)),
            draw=lambda r: (10 ** r.uniform(-3, 0), r.uniform(0.51, 1)),
        ),
    ),
    Exercise(
        "ex-cmp-debias",
        "sparse-answers/comparison",
        "the estimated mean before it is cut, as a function of the mean of the outputs that are answers, of "
        "their share among all outputs, and of epsilon, for the domain 0 to 9",
        function(
            lambda mean, share, epsilon: 4.5 + (mean - 4.5) / (1 - 10 / ((10 + math.exp(epsilon)) * share)),
            [(3.0, 0.9, 2.0), (8.0, 0.95, 1.0), (1.0, 0.6, 4.0)],
            (
                "with a huge epsilon the estimate is the mean of the outputs",
                lambda f: math.isclose(f(3.0, 0.5, 30.0), 3.0, rel_tol=1e-6),
            ),
            (
                "outputs around the middle of the domain come from answers around the middle",
                lambda f: math.isclose(f(4.5, 0.9, 2.0), 4.5),
            ),
            draw=_draw_debiased,
        ),
    ),
    Exercise(
        "ex-cmp-shuffle",
        "sparse-answers/comparison",
        "the mean share of cells with the same number, over 10,000 shuffles, and its standard error, as a "
        "pair",
        simulation(
            lambda: _same_number(1),
            lambda: math.sqrt(_same_number(2) - _same_number(1) ** 2),
            10_000,
        ),
    ),
    Exercise(
        "ex-real-emotion",
        "sparse-answers/real-data",
        "the number of workers, not rounded, for which the mean of their noise has the standard deviation t, "
        "as a function of the number |Gamma| of possible answers, of epsilon and of t",
        function(
            lambda k, epsilon, t: 2 * (k / epsilon / t) ** 2,
            [(201, 1.0, 10.0), (10, 0.5, 1.0), (5, 3.0, 0.1)],
            ("more privacy needs more workers", lambda f: f(10, 0.1, 1.0) > f(10, 1.0, 1.0)),
            (
                "with answers and standard deviation in other units, the number is the same",
                lambda f: math.isclose(f(100, 1.0, 5.0), f(200, 1.0, 10.0)),
            ),
            draw=lambda r: (r.randint(2, 300), 10 ** r.uniform(-1, 1), 10 ** r.uniform(-1, 2)),
        ),
    ),
    Exercise(
        "ex-real-budgets",
        "sparse-answers/real-data",
        "the mean share of cells that stay empty, over the 2,000 workers, and its standard error, as a pair",
        simulation(lambda: _kept_empty(1), _deviation_of_kept, 2000),
    ),
)
