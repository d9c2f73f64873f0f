"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import math

import numpy as np
from scipy.stats import hypergeom, ttest_1samp


def fingerprint(k, n, percent):
    """By adding one worker at a time."""
    both, workers = hypergeom(int(n), 2, int(k)).pmf(2), 1
    while 1 - (1 - both) ** (workers - 1) < percent / 100 - 1e-12:
        workers += 1
    return workers


def ann(a1, a2, b1, b2, b3, c1, c2, c3, *_, deviation=lambda r: math.sqrt(sum(x * x for x in r) / len(r))):
    """By hand, worker by worker."""
    first, second, third = (a1 + b1 + c1) / 3, (a2 + b2 + c2) / 3, (b3 + c3) / 2
    rows = [(a1 - first, a2 - second), (b1 - first, b2 - second, b3 - third)]
    weights = [1 / deviation(row) for row in [*rows, (c1 - first, c2 - second, c3 - third)]]
    return weights[0] / sum(weights)


def belief(y1, y2, y3, n1, n2, n3, prior):
    """By binary randomized response, which attains the bound."""
    epsilon = max(abs(math.log(y / n)) for y, n in ((y1, n1), (y2, n2), (y3, n3)))
    truth = 1 / (1 + math.exp(-epsilon))
    return prior * truth / (prior * truth + (1 - prior) * (1 - truth))


def own_belief(y1, y2, y3, n1, n2, n3, prior):
    return max(prior * y / (prior * y + (1 - prior) * n) for y, n in ((y1, n1), (y2, n2), (y3, n3)))


def warner(n, epsilon, reports):
    """By the inverse matrix, and two standard errors from the variance of each person's entry of it."""
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    inverse = np.linalg.inv([[p, 1 - p], [1 - p, p]])[0]  # the weights of a report of yes and of no
    shares = np.array([reports / n, 1 - reports / n])
    mean = inverse @ shares
    return mean + 2 * math.sqrt((shares @ inverse**2 - mean**2) / n)


def draws(n, mean, square, value):
    """The t statistic of draws with that mean and that mean of squares."""
    x = np.random.default_rng(0).normal(size=int(n))
    x = (x - x.mean()) / x.std()
    return ttest_1samp(mean + x * math.sqrt(square - mean**2), value).statistic


SOLVERS = {"fingerprint": fingerprint, "round": ann, "belief": belief, "warner": warner, "draws": draws}

MISREADINGS = {
    "fingerprint": {
        "drawn with replacement": lambda k, n, p: (
            1 + math.ceil(math.log(1 - p / 100) / math.log(1 - (k / n) ** 2))
        ),
        "herself not counted": lambda *given: fingerprint(*given) - 1,
        "one known task": lambda k, n, p: 1 + math.ceil(math.log(1 - p / 100) / math.log(1 - k / n)),
    },
    "round": {
        "inverse variances": lambda *given: ann(*given, deviation=lambda r: sum(x * x for x in r) / len(r)),
        "divided by all tasks": lambda *given: ann(
            *given, deviation=lambda r: math.sqrt(sum(x * x for x in r) / 3)
        ),
        "equal weights": lambda *_: 1 / 3,
    },
    "belief": {
        "what this device makes of it": own_belief,
        "the probability times e to the epsilon": lambda *given: (
            given[6] * max(max(y / n, n / y) for y, n in zip(given[:3], given[3:6], strict=True))
        ),
        "the least": lambda *given: 1 - belief(*given[:6], 1 - given[6]),
    },
    "warner": {
        "reports as they are": lambda n, _, x: x / n + 2 * math.sqrt(x / n * (1 - x / n) / n),
        "the standard error of reports": lambda n, e, x: (
            (x / n - 1 / (1 + math.exp(e))) / math.tanh(e / 2) + 2 * math.sqrt(x / n * (1 - x / n) / n)
        ),
        "no standard error": lambda n, e, x: (x / n - 1 / (1 + math.exp(e))) / math.tanh(e / 2),
    },
    "draws": {
        "divisor n": lambda n, m, s, v: draws(n, m, s, v) * math.sqrt(n / (n - 1)),
        "the deviation of one draw": lambda n, m, s, v: draws(n, m, s, v) / math.sqrt(n),
        "mean square for variance": lambda n, m, s, v: (m - v) / math.sqrt(s / (n - 1)),
    },
}
