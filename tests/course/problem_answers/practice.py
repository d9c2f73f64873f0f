"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import math

import numpy as np

# floating-point


def words(bits, symbols, epsilon):
    """By search for the largest whole number of words for the symbol itself that keeps the factor."""
    total, others = 2 ** int(bits), int(symbols) - 1
    splits = ((total - others * q, q) for q in range(1, total // others + 1))
    keep, other = max(each for each in splits if each[1] <= each[0] <= math.exp(epsilon) * each[1])
    return math.log(keep / other)


def rounded(bits, symbols, epsilon):
    other = round(2**bits / (math.exp(epsilon) + symbols - 1))
    return math.log((2**bits - (symbols - 1) * other) / other)


# audit


def centred(n, size, scale):
    """By the densities of both rows at the largest loss: the row's own report high, all others low."""
    first, second = np.zeros(int(n)), np.zeros(int(n))
    first[0] = size - 1
    first, second = first - first.mean(), second - second.mean()
    at = np.where(first > second, 1e3, -1e3)
    return float((np.abs(at - second) - np.abs(at - first)).sum() / scale)


# scale


def storage(m, n, epsilon, nu, base=2.0, kept=True):
    """By the row of the matrix, symbol by symbol."""
    row = [math.exp(epsilon)] + [1.0] * (int(nu) - 1) if kept else [1.0] * int(nu)
    law = [weight / sum(row) for weight in row]
    return m * 1e6 * n * -sum(p * math.log(p, base) for p in law) / 8 / 1e9


# survey


def deny(n_answers, epsilon, n, heard, *, symbols=None, prior=None):
    """By the estimated share of truthful reports among the reports of the symbol."""
    own = math.exp(epsilon)
    s = n_answers + 1 if symbols is None else symbols(n_answers)
    p, q = own / (own + s - 1), 1 / (own + s - 1)
    share = (heard / n - q) / (p - q) if prior is None else prior(heard / n)
    return share * p / (share * p + (1 - share) * q)


# instructions


def obey(n, p1, q1, p2, q2, yes1, yes2):
    """By Cramer's rule."""
    first, second = yes1 / n, yes2 / n
    a, b = first * q2 - second * q1, p1 * second - p2 * first
    return a / (a + b)


def as_told(n, p, q, yes):
    return (yes / n - q) / (p - q)


# regression


def sized(n_answers, n, share, error, *, symbols=1, people=True):
    """By bisection, with the probabilities of the report themselves."""
    low, high = 1e-6, 50.0
    for _ in range(100):
        epsilon = (low + high) / 2
        total = math.exp(epsilon) + n_answers + symbols - 1
        p, q = math.exp(epsilon) / total, 1 / total
        rate = q + (p - q) * share
        variance = rate * (1 - rate) / (p - q) ** 2
        if not people:
            variance -= share * (1 - share)
        low, high = (epsilon, high) if variance / n > error**2 else (low, epsilon)
    return high


SOLVERS = {
    # floating-point
    "words": words,
    # audit
    "centred": centred,
    # scale
    "storage": storage,
    # survey
    "deny": deny,
    # instructions
    "obey": obey,
    # regression
    "sized": sized,
}
MISREADINGS = {
    # floating-point
    "words": {
        "what was asked for": lambda bits, symbols, epsilon: epsilon,
        "the nearest whole numbers": rounded,
        "NULL counted again": lambda bits, symbols, epsilon: words(bits, symbols + 1, epsilon),
    },
    # audit
    "centred": {
        "the own report alone": lambda n, size, scale: (n - 1) * (size - 1) / (n * scale),
        "the mean forgotten": lambda n, size, scale: (size - 1) / scale,
        "every report by the whole change": lambda n, size, scale: n * (size - 1) / scale,
    },
    # scale
    "storage": {
        "every symbol alike": lambda m, n, epsilon, nu: storage(m, n, epsilon, nu, kept=False),
        "in nats": lambda m, n, epsilon, nu: storage(m, n, epsilon, nu, base=math.e),
        "NULL counted again": lambda m, n, epsilon, nu: storage(m, n, epsilon, nu + 1),
    },
    # survey
    "deny": {
        "NULL is no symbol": lambda *given: deny(*given, symbols=lambda k: k),
        "the share of the reports is the prior": lambda *given: deny(*given, prior=lambda r: r),
        "nothing known beforehand": lambda k, *given: deny(k, *given, prior=lambda r: 1 / (k + 1)),
        "truth is told": lambda k, e, *given: math.exp(e) / (math.exp(e) + k),
    },
    # instructions
    "obey": {
        "all follow, the first sample": lambda n, p1, q1, p2, q2, k1, k2: as_told(n, p1, q1, k1),
        "all follow, both samples": lambda n, p1, q1, p2, q2, k1, k2: (
            (as_told(n, p1, q1, k1) + as_told(n, p2, q2, k2)) / 2
        ),
        "of all people": lambda n, p1, q1, p2, q2, k1, k2: (k1 * q2 - k2 * q1) / n / (p1 * q2 - p2 * q1),
    },
    # regression
    "sized": {
        "coins alone": lambda *given: sized(*given, people=False),
        "NULL is no symbol": lambda *given: sized(*given, symbols=0),
        "a yes-or-no question": lambda k, *given: sized(1, *given),
    },
}
