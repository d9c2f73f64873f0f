"""Right and wrong answers to the exercises of the part class ratios."""

import math
from fractions import Fraction

import numpy as np

NORMAL = math.sqrt(2 * math.pi)
LAW = np.exp(-(np.arange(10) ** 2) / 2) / np.exp(-(np.arange(10) ** 2) / 2).sum()
MEAN = LAW @ np.arange(10)


def small_scale_limit(i, j, epsilon):
    """The book's own solution of ex-dirichlet-small."""
    ell = (i - 1) * (j + 1) / (i * j) * math.exp(epsilon)
    if ell >= 1:
        return i / (i + j) * ell**-j
    return i / (i + j) + j / (i + j) * (1 - ell**i)


def no_simulation(exact, deviation, error):
    """Answers that are wrong for every exercise by simulation."""
    return [
        ((exact, deviation), "independent trials"),  # square root of the number of trials forgotten
        ((exact, error / 2), "independent trials"),
        ((exact, 1e-9), "independent trials"),
        ((exact, 0.0), "independent trials"),
        ((exact, -error), "independent trials"),
        ((exact + 5 * error, error), "exact value"),
        ((exact - 5 * error, error), "exact value"),
        ((math.nan, error), "pair"),
        ((exact, math.nan), "pair"),
        ((exact, math.inf), "pair"),
        (exact, "pair"),
        ((exact,), "pair"),
        ((exact, error, error), "pair"),
        ((str(exact), str(error)), "pair"),
        (f"{exact} {error}", "pair"),
        ("ab", "pair"),
        (None, "pair"),
        ({"estimate": exact, "error": error}, "pair"),
        ((error, exact), "."),
    ]


# Per exercise at least two right answers, written differently; the book's own solution comes first.
RIGHT = {
    "ex-dirichlet-small": [
        small_scale_limit,
        lambda i, j, e: float(
            np.where(
                (ell := (1 - 1 / i) * (1 + 1 / j) * np.exp(e)) < 1,
                1 - j / (i + j) * np.minimum(ell, 1) ** i,
                i / (i + j) * np.maximum(ell, 1) ** -j,
            )
        ),
    ],
    "ex-dirichlet-one": [1, 1.0, np.float64(1), True],
    "ex-dirichlet-sets": [9.95, 10, np.float64(10.1)],
    "ex-proportions-cut": [(0.11216, 0.00033), [0.1124, 0.00035], np.array([0.113, 0.0003])],
    "ex-mean-same": [(0.06102, 0.000645), [0.0610, 0.0006], (Fraction(3, 50), 0.0006)],
    "ex-bound-mean": [(0.1892, 0.00066), [0.1866, 0.00067], np.array([0.1885, 0.0007])],
    "ex-few-cut": [(306.97, 0.93), [307, 0.9], np.array([304.5, 1.0])],
    "ex-dirichlet-order": [(0.2484, 0.00432), [0.26, 0.0044], np.array([0.254, 0.0043])],
    "ex-fair-nothing": [(0.0945, 0.00293), [0.092, 0.0029], np.array([0.085, 0.0028])],
    "ex-private-leak": [
        lambda n, mean, record: (mean - record) / (n - 1),
        lambda n, mean, record: (n * mean - record) / (n - 1) - mean,
    ],
    "ex-private-edge": [(0.05911, 0.00055), [0.0589, 0.0005], np.array([0.058, 0.00054])],
    "ex-fair-waste": [1.38, math.sqrt(2 * math.log(1.25e5)) / 0.5 / 7.04],
    "ex-fair-size": [15_517, 1.55e4, 15_800],
    "ex-private-noise": [
        lambda weights, sizes, n, deviation: n * deviation**2 * ((weights / sizes) ** 2).sum(),
        lambda a, m, c, s: sum(c * (x * s / y) ** 2 for x, y in zip(a, m, strict=True)),
    ],
    "ex-proportions-fixed": [
        lambda t, f: max(f, 1 - t),
        lambda t, f: (f + 1 - t + abs(f - 1 + t)) / 2,
        lambda t, f: np.abs(f - (f + 1 - t) * np.array([0, 1])).max(),
    ],
    "ex-proportions-variance": [0.4 * 0.6 / 0.6**2 / 0.25, 2.67, np.float64(8 / 3)],
    "ex-few-sizes": [
        lambda a: np.sqrt(a) / np.sqrt(a).sum(),
        lambda a: [x**0.5 / sum(y**0.5 for y in a) for x in a],
    ],
    "ex-few-noise": [lambda m, e: m**0.5 * 2 * 2**0.5 / e, lambda m, e: math.sqrt(8 * m) / e],
    "ex-mean-classifier": [
        lambda q1, q2: q1 * q2 + (1 - q1) * (1 - q2),
        lambda q1, q2: np.array([1 - q1, q1]) @ [1 - q2, q2],
    ],
    "ex-mean-features": [10_000, 1e4, np.int64(10_000)],
    "ex-bound-rbf": [2.75, np.float64(2.7500239), 2.74, math.exp(60 - 58.988)],
    "ex-bound-bias": [
        lambda n, rho, squares: rho @ (1 - squares) / n,
        lambda n, rho, squares: (1 - sum(r * s for r, s in zip(rho, squares, strict=True))) / n,
    ],
}
# Each wrong answer comes with a part of its message.
WRONG = {
    "ex-dirichlet-small": [
        (lambda i, j, e: 0.0, "larger epsilon"),
        (lambda i, j, e: i / (i + j) * math.exp(-e * j), "differs"),
        # The formula of one regime used for both, clipped to a probability.
        (lambda i, j, e: i / (i + j) * ((1 - 1 / i) * (1 + 1 / j) * math.exp(e)) ** -j, "probability"),
        (
            lambda i, j, e: min(1, i / (i + j) * ((1 - 1 / i) * (1 + 1 / j) * math.exp(e)) ** -j),
            r"\(50, 800, 0.01\) differs",
        ),
        (
            lambda i, j, e: i / (i + j) * max(1, (1 - 1 / i) * (1 + 1 / j) * math.exp(e)) ** -j,
            r"\(50, 800, 0.01\) differs",
        ),
        # The worse direction, which is the mechanism's delta but not what is asked for.
        (lambda i, j, e: max(small_scale_limit(i, j, e), small_scale_limit(j, i, e)), "differs"),
        (
            lambda i, j, e: {
                (800, 50, 0.05): 0.030555,
                (30, 40, 0.1): 0.0111,
                (50, 800, 0.01): 0.398,
                (20, 10, 0.5): 0.0,
            }.get((i, j, e), 0.3),
            "differs",
        ),
    ],
    "ex-dirichlet-one": [(0.05, "agree"), (2, "probability"), (0.0, "agree"), (0.999, "agree")],
    "ex-dirichlet-sets": [(0.1, "less"), (math.sqrt(10), "faster"), (100, "agree"), (10.6, "agree")],
    "ex-proportions-cut": [
        *no_simulation(0.11236, 0.10427, 0.00033),
        ((0.1, 0.00033), "before the share is cut"),
        ((0.1159, 0.00033), "do not draw new"),  # 30 people of a large town, of whom a tenth is of class 1
        ((0.26, 0.00033), "exact value"),  # counted shares, not adjusted
        ((0.11236, 0.00104), "independent trials"),  # error of 10,000 trials
    ],
    "ex-mean-same": [
        *no_simulation(0.06096, 0.06513, 0.000651),
        ((0.0, 0.00065), "two samples"),
        ((0.0305, 0.00033), "both sets"),
        ((0.2158, 0.0012), "square the distance"),
        ((0.0677, 0.00072), "exact value"),  # divided by 9 instead of 10
        ((0.06096, 0.0046), "independent trials"),  # error of 200 people
    ],
    "ex-bound-mean": [
        *no_simulation(0.18849, 0.06688, 0.000669),
        ((0.2, 0.00067), "root of the mean square"),
        ((0.04, 0.00029), "mean square"),
        ((0.2236, 0.00067), "bound"),
        ((0.084, 0.0003), "independent|exact value"),  # distance in one class
        ((0.18849, 0.0669 / 20**0.5), "independent trials"),
    ],
    "ex-few-cut": [
        *no_simulation(306.91, 40.985, 0.9165),
        ((120.0, 1.39), "without cutting"),
        ((2.5576, 0.0837), "all 120"),
        ((307, 3.74), "independent trials"),  # error of 120 trials
        ((360, 0.9), "exact value"),  # without the exponential
    ],
    "ex-dirichlet-order": [
        *no_simulation(0.2539, 0.4352, 0.00435),
        ((0.7461, 0.00435), "larger one"),
        ((0.0219, 0.00146), "times the scale"),
        ((0.4, 0.0044), "exact value"),  # the share of the smaller of the two
        ((0.2539, 0.0019), "independent trials"),  # variance over the square root
    ],
    "ex-fair-nothing": [
        *no_simulation(0.09235, 0.28952, 0.002895),
        ((0.1433, 0.0035), "projection"),
        ((0.1847, 0.0029), "exact value"),  # two-sided probability
        ((0.0410, 0.0029), "exact value"),  # e to the power -2.5, halved
        ((0.09235, 0.00084), "independent trials"),  # variance over the square root
    ],
    "ex-private-leak": [
        (lambda n, mean, record: (record - mean) / (n - 1), "away"),
        (lambda n, mean, record: (mean - record) / n, "differs"),
        (lambda n, mean, record: (mean - record) / (n + 1), "differs"),
        (lambda n, mean, record: -record / n, "equal to the mean"),
        (lambda n, mean, record: (n * mean - record) / (n - 1), "equal to the mean"),
        (lambda n, mean, record: (mean - record) / (4 if n < 50 else 99), "not at other"),
        (-0.5, "a function"),
    ],
    "ex-private-edge": [
        *no_simulation(0.05894, 0.05446, 0.000545),
        ((0.05, 0.00067), "before the projection"),
        ((0.0681, 0.00072), "in common"),
        ((0.941, 0.00054), "exact value"),  # share of class 0
        ((0.0823, 0.00054), "exact value"),  # the difference of the two shares, given as one of them
    ],
    "ex-fair-waste": [
        (0.9, "larger than"),
        (2.5, "agree"),  # solved for delta 0.05
        (1.68, "agree"),  # solved for epsilon 0.05
        (1.4, "agree"),
    ],
    "ex-fair-size": [
        (500, "thousand"),
        (3.2e4, "agree"),
        (17_349, "agree"),  # the common part is not removed
        (10_972, "agree"),  # noise of one of five counts forgotten, or a sensitivity of 1
    ],
    "ex-private-noise": [
        (lambda a, m, c, s: c * s * np.sum(np.abs(a) / m), "four times"),
        (lambda a, m, c, s: c * s**2 * np.sum(a**2), "quarter"),
        (lambda a, m, c, s: s**2 * np.sum((a / m) ** 2), "differs"),
        (lambda a, m, c, s: c * s**2 * np.sum(a / m) ** 2, "differs"),
        (lambda a, m, c, s: c * s**2 * np.sum(a**2) / np.mean(m) ** 2, "differs"),
    ],
    "ex-proportions-fixed": [
        (lambda t, f: f, "differs"),
        (lambda t, f: 1 - t, "differs"),
        (lambda t, f: f + 1 - t, "differs"),
        (lambda t, f: f / (f + 1 - t) if f + 1 > t else 0, "differs"),
        (lambda t, f: f if f > 0.2 else 1 - t, "not at other"),
        (lambda t, f: abs(t - f), "perfect"),
        (lambda t, f: min(-f, t - 1), "negative"),
    ],
    "ex-proportions-variance": [
        (1.633, "standard deviation"),
        (0.375, "not fewer"),
        (1 / 0.36, "agree"),
        (1.667, "agree"),
        (4.0, "agree"),
    ],
    "ex-few-sizes": [
        (lambda a: np.full(len(a), 1 / len(a)), "other shares"),
        (lambda a: a / a.sum(), "other shares"),
        (lambda a: np.sqrt(a), "add up"),
        (lambda a: a / 4, "add up"),
        (lambda a: np.sqrt(a) / 6, "add up"),
        (
            lambda a: np.arange(1, len(a) + 1) / np.arange(1, len(a) + 1).sum(),
            "not for other",
        ),
    ],
    "ex-few-noise": [
        (lambda m, e: m * 2 / e, "differs"),
        (lambda m, e: math.sqrt(m) / e, "differs"),
        (lambda m, e: 2 * math.sqrt(2) / e, "more sets"),
        (lambda m, e: math.sqrt(m) * 2 / e, "differs"),
        (lambda m, e: 8 * m / e**2, "differs"),
        (lambda m, e: math.sqrt(8 * m) / e if m <= 120 else 0.0, "not at other"),
    ],
    "ex-mean-classifier": [
        (lambda q1, q2: q1 * q2, "swapping"),
        (lambda q1, q2: 1 - abs(q1 - q2), "differs"),
        (lambda q1, q2: 0.0, "same single class"),
        (lambda q1, q2: 1 - (q1 - q2) ** 2, "differs"),
        (lambda q1, q2: 1.0, "differs"),
    ],
    "ex-mean-features": [
        (100, "root"),
        (10_002, "agree"),
        (9_998, "agree"),
        (10_001, "even"),
        (20_000, "agree"),
    ],
    "ex-bound-rbf": [(0.9, "more often"), (1.375, "two tails"), (2, "agree"), (-58.99, "more often")],
    "ex-bound-bias": [
        (lambda n, rho, squares: 1 / n, "one point"),
        (lambda n, rho, squares: rho @ (1 - squares), "falls"),
        (lambda n, rho, squares: rho @ (1 - squares) / (n - 1), "falls"),
        (lambda n, rho, squares: 2 * rho @ (1 - squares) / n, "value for"),
        (lambda n, rho, squares: (1 - rho**2 @ squares) / n, "value for"),
        (lambda n, rho, squares: (rho[0] * (1 - squares[0]) + rho[1] * (1 - squares[1])) / n, "others"),
    ],
}
