"""Right and wrong answers to the exercises of the part sparse answers."""

import math

import numpy as np
from simulations import estimated

from ldpbook.sparse_answers import bounds

LAW = np.exp(-(np.arange(10) ** 2) / 2) / np.exp(-(np.arange(10) ** 2) / 2).sum()
MEAN = LAW @ np.arange(10)


def _gap(s: float) -> float:
    setting = {"epsilon": 1.0, "domain": range(10), "density": s}
    return bounds.rr_mae_bound_corrected(**setting) - bounds.rr_mae_bound(**setting)


def _printed_formula(values: np.ndarray, epsilon: float, density: float, truth: float) -> float:
    """By the matrix of transition probabilities; NULL, the last symbol, counts as 0."""
    symbols = np.append(values, 0.0)
    p = np.ones((len(symbols), len(symbols))) + (math.exp(epsilon) - 1) * np.eye(len(symbols))
    gaps = np.abs(truth - p / p.sum(axis=1) @ symbols)
    law = np.exp(-((values - truth) ** 2) / 2) / math.sqrt(2 * math.pi)
    return float((1 - density) * gaps[-1] + density * law @ gaps[:-1])


def _mean_distance_from_the_centre(k: int) -> np.float64:
    return np.abs(np.arange(k) - (k - 1) / 2).mean()


def _steps_one_by_one(rate: float, h: float) -> int:
    left, steps = 1.0, 0
    while left > 0.1:
        left, steps = left * (1 - 2 * rate * h), steps + 1
    return steps


def _inverse_errors(seed):
    e = math.exp(2)
    rho = (0.3 * e + 0.7) / (10 + e)
    outputs = np.random.default_rng(seed).binomial(100, rho, 10_000) / 100
    return estimated((outputs - rho) ** 2 * ((10 + e) / (e - 1)) ** 2)


def _shuffles(seed):
    rng = np.random.default_rng(seed)
    given = np.repeat([0, 1, 2, 3, 4, 9], [12, 3, 2, 1, 1, 1])
    return estimated(np.array([(rng.permutation(given) == given).mean() for _ in range(10_000)]))


def _outputs(seed, empty=0.5):
    """Outputs of LP at epsilon 1, for 10,000 cells that hold 0 or a uniform fill."""
    rng = np.random.default_rng(seed)
    held = rng.integers(0, 10, 10_000) * (rng.random(10_000) < empty)
    return held + rng.laplace(0, 10, 10_000)


def _budgets(seed):
    rng = np.random.default_rng(seed)
    e = np.exp(rng.uniform(0, 6, 2000))
    return estimated(rng.binomial(50, e / (10 + e)) / 50)


OUTPUTS = _outputs(1)
CUT, CUT_ERROR = estimated(OUTPUTS.clip(0, 9))

# Per exercise at least two right answers, written differently; the book's own solution comes first.
RIGHT = {
    "ex-lp-fill": [4, 5, 4.0, np.int64(5), np.float64(4.0)],
    "ex-lp-debias": [
        lambda mean, s: (mean - (1 - s) * 4.5) / s,
        lambda mean, s: mean / s - (1 / s - 1) * 4.5,
        lambda mean, s: np.float64(4.5) + (mean - 4.5) / s,
    ],
    "ex-lp-waste": [
        lambda k: (1 - 1 / k) ** 2,
        lambda k: (k - 1) ** 2 / k**2,
        lambda k: np.square(1 - 1 / np.float64(k)),
    ],
    "ex-lp-worst": [
        lambda k: k / 4 if k % 2 == 0 else (k**2 - 1) / (4 * k),
        _mean_distance_from_the_centre,
        lambda k: (k // 2) * ((k + 1) // 2) / k,
    ],
    "ex-lp-cut": [
        (CUT, CUT_ERROR),
        list(estimated(np.minimum(9, np.maximum(0, _outputs(2))))),
        (4.75 - 2.5 * math.exp(-0.9), 0.0392),
    ],
    "ex-mf-single": [10 * (1 + math.log(2)), np.float64(16.93), 10 * np.log(2 * np.e)],
    "ex-mf-steps": [
        lambda rate, h: int(np.ceil(np.log(0.1) / np.log1p(-2 * rate * h))),
        _steps_one_by_one,
    ],
    "ex-mf-two": [1.08, np.float64(0.6 * 0.9 + 0.4 * 0.9 + 0.2 * 0.9)],
    "ex-mf-half": [lambda s, c: 1 / (s * c), lambda s, c: 10 * 100 / (1000 * np.float64(s) * c)],
    "ex-mf-signs": [lambda p: (2 * p - 1) ** 2, lambda p: 1 - 4 * np.float64(p) * (1 - p)],
    "ex-mf-distance": [
        lambda n, d, level: (1 - d / n) * (1 + level**2),
        lambda n, d, level: ((n - d) + level**2 * (n - d)) / n,
    ],
    "ex-rr-invert": [
        lambda share, k, e: ((k + math.exp(e)) * share - 1) / math.expm1(e),
        lambda share, k, e: share + (share * (k + 1) - 1) / (math.exp(e) - 1),
        lambda share, k, e: (share - 1 / (k + np.exp(e))) / (np.expm1(e) / (k + np.exp(e))),
    ],
    "ex-rr-exact": [4.5 - 45 / (10 + math.e), _gap(1e-9), np.float64(0.96178)],
    "ex-rr-shift": [
        _printed_formula(np.arange(100.0, 110), epsilon=1.0, density=0.1, truth=100.0),
        np.float64(16.349),
    ],
    "ex-rr-optimal": [
        lambda k, e: math.exp(e) / (k - 1 + math.exp(e)),
        lambda k, e: 1 / (1 + (k - 1) * np.exp(-e)),
    ],
    "ex-real-enough": [
        lambda k, density: np.log(1 + k / density),
        lambda k, density: math.log(k + density) - math.log(density),
    ],
    "ex-rr-inverse-error": [_inverse_errors(0), list(_inverse_errors(1)), np.array(_inverse_errors(2))],
    "ex-cmp-constant": [
        lambda s, w: np.log1p(4 / (s * (w - 0.5))),
        lambda s, w: math.log((8 + s * (2 * w - 1)) / (s * (2 * w - 1))),
    ],
    "ex-cmp-debias": [
        lambda mean, share, e: ((10 + np.exp(e)) * share * mean - 45) / ((10 + np.exp(e)) * share - 10),
        lambda mean, share, e: (mean * share - 45 / (10 + math.exp(e))) / (share - 10 / (10 + math.exp(e))),
    ],
    "ex-cmp-shuffle": [_shuffles(0), np.array(_shuffles(1)), (0.4, 0.00079)],
    "ex-real-emotion": [
        lambda k, epsilon, t: 2 * (k / epsilon / t) ** 2,
        lambda k, epsilon, t: np.square(math.sqrt(2) * k / epsilon) / t**2,
    ],
    "ex-real-budgets": [_budgets(0), list(_budgets(1)), (math.log((10 + math.exp(6)) / 11) / 6, 0.0068)],
}
# Each wrong answer comes with a part of its message.
WRONG = {
    "ex-lp-fill": [
        (0, "smaller error"),
        (9, "smaller error"),
        (3, "smaller error"),
        (4.5, "Gamma"),
        (-3, "Gamma"),
        (None, "finite"),
    ],
    "ex-lp-debias": [
        (lambda mean, s: mean, "expectation"),
        (lambda mean, s: (mean - (1 - s) * 4.5) / s if s in (0.1, 0.7, 1.0) else mean, "expectation"),
        (lambda mean, s: (mean + (1 - s) * 4.5) / s, "expectation"),
        (lambda mean, s: (mean - (1 - s) * 5) / s, "expectation"),
        (lambda mean, s: min(9, max(0, mean / s)), "expectation"),
        (lambda mean, s: 4.5, "complete"),
        (lambda mean, s: np.clip(4.5 + (mean - 4.5) / s, 0, 9), "biased again"),
        (lambda mean, s: max(4.5 + (mean - 4.5) / s, 0), "biased again"),
        (lambda mean, s: abs(4.5 + (mean - 4.5) / s), "biased again"),
        (4, "function"),
    ],
    "ex-lp-waste": [
        (lambda k: 1 - 1 / k, "value at 2"),
        (lambda k: k**2 / (k - 1) ** 2, "below 1"),
        (lambda k: {2: 1 / 4, 10: 81 / 100, 100: 0.9801}.get(k, 1 - 2 / k), "other arguments"),
        (lambda k: 0.81, "many symbols"),
        (0.81, "function"),
    ],
    "ex-lp-worst": [
        (lambda k: k / 4, "value at 3"),
        (lambda k: (k - 1) / 2, "value at 10"),
        (lambda k: 0.0, "above 0"),
        (lambda k: k**2, "further apart"),
        (lambda k: {10: 2.5, 3: 2 / 3, 100: 25}.get(k, k / 4), "other arguments"),
        (2.5, "function"),
    ],
    "ex-lp-cut": [
        (estimated(OUTPUTS), "four"),  # not clipped
        ((OUTPUTS.mean(), CUT_ERROR), "exact value"),
        (estimated(_outputs(1, empty=0).clip(0, 9)), "exact value"),  # without NULLs
        (estimated(_outputs(1, empty=1).clip(0, 9)), "exact value"),  # nothing but NULLs
        (estimated(OUTPUTS.clip(0)), "four"),  # clipped below only
        (estimated(OUTPUTS[(OUTPUTS >= 0) & (OUTPUTS <= 9)]), "trials|exact value"),  # others are dropped
        ((0.0, CUT_ERROR), "exact value"),  # the true answer
        ((-0.1, CUT_ERROR), "no output is outside"),
        ((CUT + 5 * CUT_ERROR, CUT_ERROR), "exact value"),
        ((CUT, 100 * CUT_ERROR), "trials"),  # square root forgotten
        ((CUT, math.sqrt(200 / 10_000)), "trials"),  # error of unclipped noise
        ((CUT, CUT_ERROR / 2), "trials"),
        ((CUT, 0.0), "trials"),
        ((CUT, -CUT_ERROR), "trials"),
        ((CUT, math.nan), "pair"),
        ((math.nan, CUT_ERROR), "pair"),
        (CUT, "pair|len"),
        ((CUT, CUT_ERROR, 0.0), "pair"),
        (("3.73", "0.04"), "pair"),
        (None, "pair"),
    ],
    "ex-mf-single": [
        (10.0, "constants"),
        (-3, "below 1"),
        (6.93, "agree"),
        (21.93, "agree"),
        (3.07, "agree"),
    ],
    "ex-mf-steps": [
        (lambda rate, h: math.log(0.1) / math.log1p(-2 * rate * h), "round up"),
        (lambda rate, h: 1, "hardly seen"),
        (lambda rate, h: math.ceil(math.log(0.1) / math.log1p(-rate * h)), "one is enough"),
        (lambda rate, h: math.ceil(math.log(10) / (2 * rate * h)), "one is enough"),
        (lambda rate, h: max(1, math.floor(math.log(0.1) / math.log1p(-2 * rate * h))), "value at"),
        (4.0, "function"),
    ],
    "ex-mf-two": [
        (1.8, "adds up"),
        (0.9, "alone"),
        (0.72, "alone"),
        (-1.08, "alone"),
        (1.2, "agree"),
        (1.62, "agree"),
    ],
    "ex-mf-half": [
        (lambda s, c: c / s, "larger"),
        (lambda s, c: 1 / (s * c**2), "value at"),
        (lambda s, c: 1 / c, "value at"),
        (lambda s, c: 10 / (s * c), "smallest"),
        (lambda s, c: 1 / s if c == 1 else 1 / (s * c) if s in (1, 0.1) else 1 / c, "other arguments"),
    ],
    "ex-mf-signs": [
        (lambda p: 2 * p - 1, "equal signs"),
        (lambda p: abs(2 * p - 1), "value at"),
        (lambda p: p, "equal signs"),
        (lambda p: 1.0, "fair coin"),
        (lambda p: {0: 1, 0.1: 0.64, 0.75: 0.25, 1: 1}.get(p, 0.0), "other arguments"),
    ],
    "ex-mf-distance": [
        (lambda n, d, level: 1 - d / n, "value at"),
        (lambda n, d, level: 1 - d / n + level**2, "nothing is lost"),
        (lambda n, d, level: (n - d) * (1 + level**2), "level 0"),
        (lambda n, d, level: (1 - d / n) * (1 + abs(level)), "value at"),
        (lambda n, d, level: (1 - d / n) * (1 + level**2) if level >= 0 else 0.0, "other arguments"),
    ],
    "ex-rr-invert": [
        (lambda share, k, e: share, "NULL"),
        (lambda share, k, e: ((k - 1 + math.exp(e)) * share - 1) / (math.exp(e) - 1), "NULL"),
        (lambda share, k, e: ((k + math.exp(e)) * share - 1) / math.exp(e), "value at"),
        (lambda share, k, e: max(0, ((k + math.exp(e)) * share - 1) / math.expm1(e)), "value at|other"),
        (lambda share, k, e: abs(((k + math.exp(e)) * share - 1) / math.expm1(e)), "value at|other"),
        (lambda share, k, e: 0.0, "huge"),
    ],
    "ex-rr-exact": [
        (4.432769, "less than that"),
        (_gap(0.1), "less than that"),
        (_gap(0.01), "agree"),
        (-0.9618, "every density"),
        (0.0, "every density"),
        (4.5 - 45 / (9 + math.e), "agree"),
    ],
    "ex-rr-shift": [(4.4328, "far from"), (90.0, "agree"), (3.4368, "far from"), (22.27, "agree")],
    "ex-rr-optimal": [
        (lambda k, e: math.exp(e) / (1 + math.exp(e)), "equally likely"),
        (lambda k, e: math.exp(e) / (k + math.exp(e)), "equally likely"),
        (lambda k, e: min(1, math.exp(e) / k), "value at"),
        (lambda k, e: 1 / (1 + (k - 1) * math.exp(-2 * e)), "value at"),
    ],
    "ex-real-enough": [
        (lambda k, density: math.log(k / density), "balance"),
        (lambda k, density: math.log(1 + (k + 1) / density), "balance"),
        (lambda k, density: 5.0, "sparse"),
        (lambda k, density: math.log(1 + k) / density, "balance"),
    ],
    "ex-rr-inverse-error": [
        ((0.0021, 0.000146), "exact value"),  # as if nothing had been perturbed
        ((0.1017, 0.000146), "exact value"),  # root mean square
        ((0.01034, 0.0146), "trials"),
        ((0.01034, 0.01034 / 100), "trials"),  # the mean used as standard deviation
        ((0.01034, 0.00102), "trials"),  # error of the errors, not of their squares
        ((0.01034, 0.0000146), "trials"),  # workers counted as trials
        ((0.01034, 0.0), "trials"),
        ((0.01034, math.nan), "pair"),
        (0.01034, "pair|len"),
        (("0.0103", "0.0001"), "pair"),
    ],
    "ex-cmp-constant": [
        (lambda s, w: math.log1p(10 / s), "majority"),
        (lambda s, w: math.log(4 / (s * (w - 0.5))), "value at"),
        (lambda s, w: math.log1p(4.5 / (s * (w - 0.5))), "value at"),  # with NULL among the outputs
        (lambda s, w: math.log1p(5 / (s * (w - 0.5))), "value at"),
        (lambda s, w: math.log1p(4 / (w - 0.5)), "sparse"),
        (2.0, "function"),
    ],
    "ex-cmp-debias": [
        (lambda mean, share, e: mean, "value at"),
        (lambda mean, share, e: 4.5, "huge"),
        (lambda mean, share, e: ((10 + np.exp(e)) * share * mean - 45) / np.expm1(e), "huge|middle"),
        (lambda mean, share, e: ((10 + np.exp(e)) * mean - 45) / np.expm1(e), "huge|middle|value"),
        (
            lambda mean, share, e: np.clip(
                ((10 + np.exp(e)) * share * mean - 45) / ((10 + np.exp(e)) * share - 10), 0, 9
            ),
            "value at",
        ),
        (3.0, "function"),
    ],
    "ex-cmp-shuffle": [
        ((0.05, 0.00079), "exact value"),  # only the cell's own answer
        ((0.6, 0.00079), "exact value"),  # only the zeros
        ((0.36, 0.00079), "exact value"),
        ((0.4, 0.079), "trials"),
        ((0.4, math.sqrt(0.24 / 200_000)), "trials"),  # all cells treated as independent
        ((0.4, 0.00079 / math.sqrt(20)), "trials"),
        ((0.4, 0.0), "trials"),
        ((math.nan, 0.00079), "pair"),
        (0.4, "pair|len"),
        (("0.4", "0.00079"), "pair"),
    ],
    "ex-real-emotion": [
        (lambda k, epsilon, t: (k / epsilon / t) ** 2, "value at"),
        (lambda k, epsilon, t: 2 * ((k - 1) / epsilon / t) ** 2, "other units"),
        (lambda k, epsilon, t: k / epsilon / t * math.sqrt(2), "value at"),
        (lambda k, epsilon, t: 2 * (k * epsilon / t) ** 2, "more privacy"),
        (lambda k, epsilon, t: 2 * (k / epsilon) ** 2 / t, "other units"),
        (808, "function"),
    ],
    "ex-real-budgets": [
        ((math.exp(3) / (10 + math.exp(3)), 0.0069), "exact value"),  # the mean budget
        ((0.5, 0.0069), "exact value"),
        ((0.6044, 0.307), "trials"),
        ((0.6044, math.sqrt(0.24 / 100_000)), "trials"),  # cells counted as trials
        ((0.6044, math.sqrt(0.24 / 2000)), "trials"),  # as if a worker had one cell
        ((0.6044, 0.307 / 2000), "trials"),
        ((0.6044, 0.0), "trials"),
        ((0.6044, math.inf), "pair"),
        (0.6044, "pair|len"),
        (("0.6", "0.007"), "pair"),
    ],
}
