"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import functools
import itertools
import math

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq, fsolve, linprog
from scipy.stats import laplace as laplace_law, norm


def response(k, epsilon):
    matrix = np.ones((k, k)) + (math.exp(epsilon) - 1) * np.eye(k)
    return matrix / matrix[0].sum()


def invert(epsilon, *numbers, symbols=5):
    counts = np.array([*numbers[4:12:2], numbers[12]])
    cells = np.linalg.solve(response(5, epsilon).T, counts / counts.sum())
    return float(np.arange(1, 5) @ cells[:4] / cells[:4].sum())


def seen_mean(epsilon, *numbers):
    counts = np.array(numbers[4:12:2])
    return float(np.arange(1, 5) @ counts / counts.sum())


def threshold(limit, epsilon, above, below, nothing, sigma, *, symbols=3):
    """By a search for truth and density."""
    counts = np.array([above, below, nothing])

    def lacking(unknown):
        r = norm.cdf((unknown[0] - limit) / sigma)
        cells = np.array([unknown[1] * r, unknown[1] * (1 - r), 1 - unknown[1]])
        matrix = 1 + (math.exp(epsilon) - 1) * np.eye(3)
        return (cells @ matrix / (symbols - 1 + math.exp(epsilon)) - counts / counts.sum())[:2]

    found, _, solved, _ = fsolve(lacking, [limit + sigma, 0.6], full_output=True)
    return float(found[0]) if solved == 1 else math.nan


def quotient(limit, epsilon, above, below, nothing, sigma):
    """The truth from the share above among the answers, without inversion."""
    return limit + sigma * norm.ppf(above / (above + below))


def better(density, slope, epsilon):
    """By the program over staircase columns: no channel is better than the better of the two."""
    p, change = np.array([density / 2, density / 2, 1 - density]), np.array([-slope, slope, 0])
    columns = np.array([c for c in itertools.product((1, math.exp(epsilon)), repeat=3) if len(set(c)) == 2])
    worth = (columns @ change) ** 2 / (columns @ p)
    return -linprog(-worth, A_eq=columns.T, b_eq=np.ones(3)).fun


def of_one_channel(density, slope, epsilon, best):
    """What `best` picks from the information of the two channels, each computed from its matrix."""
    p, change = np.array([density / 2, 1 - density, density / 2]), np.array([-slope, 0, slope])
    told = []
    for matrix in (response(3, epsilon), response(2, epsilon)[[0, 0, 1]]):
        told.append(float(((change @ matrix) ** 2 / (p @ matrix)).sum()))
    return best(told)


def careful(prior, density, a, b, epsilon, above, below, nothing, *, left_out=1):
    """By the probability of all other reports, NULL included, for either kind of worker."""
    chances = []
    for link, share in ((a, prior), (b, 1 - prior)):
        law = np.array([density * link, density * (1 - link), 1 - density]) @ response(3, epsilon)
        chances.append(share * float(np.prod(law ** np.array([above - left_out, below, nothing]))))
    return chances[0] / sum(chances)


def unprotected(prior, density, a, b, epsilon, above, below, nothing):
    return careful(prior, 1.0, a, b, 50.0, above, below, 0)


def needed(epsilon, frequency, error, p, q):
    """By the variances of people who hold the choice and of those who do not."""
    return (frequency * p * (1 - p) + (1 - frequency) * q * (1 - q)) / (p - q) ** 2 / error**2


def of_both(k, epsilon, frequency, error):
    e = math.exp(epsilon)
    return [
        needed(epsilon, frequency, error, e / (e + k - 1), 1 / (e + k - 1)),
        needed(epsilon, frequency, error, 0.5, 1 / (e + 1)),
    ]


def oracle(*numbers):
    return math.ceil(min(of_both(*numbers)))


def place(n, epsilon, radius, percent):
    rate = epsilon / radius / n

    def inside(t):
        return quad(lambda r: rate**2 * r * math.exp(-rate * r), 0, t)[0]

    return brentq(lambda t: inside(t) - percent / 100, 0, 20 / rate)


def tables(n, rate, total, *, each=2):
    """By the probabilities of the counts themselves: at most the old value, or above it."""
    k = np.arange(-400, 401)
    a = math.exp(-rate)
    law = (1 - a) / (1 + a) * a ** np.abs(k)
    low = law[k <= 0].sum()  # outputs at most the count are likelier from it than from the next
    delta = 0.0
    for above in itertools.product((0, 1), repeat=each * int(n)):
        ups = sum(above)
        chance = low ** (len(above) - ups) * (1 - low) ** ups
        other = low**ups * (1 - low) ** (len(above) - ups)
        delta += max(0.0, chance - math.exp(total) * other)
    return delta


def moments(m, s, mu, sigma, epsilon, _, top, *, noise=1.0):
    """Bias and variance of the mean, from the distributions of its parts."""
    fills = np.arange(top + 1)
    first = s * mu + (1 - s) * fills.mean()
    second = s * (mu**2 + sigma**2) + (1 - s) * (fills**2).mean()
    return first - mu, (second - first**2 + noise * laplace_law(0, (top + 1) / epsilon).var()) / m


def foretell(*numbers, noise=1.0):
    """The mean distance, by quantiles of the normal distribution."""
    bias, variance = moments(*numbers, noise=noise)
    return float(np.abs(bias + math.sqrt(variance) * quantiles()).mean())


@functools.cache
def quantiles():
    return norm.ppf((np.arange(200_000) + 0.5) / 200_000)


SOLVERS = {
    "invert": invert,
    "threshold": threshold,
    "better": better,
    "careful": careful,
    "oracle": oracle,
    "place": place,
    "tables": tables,
    "foretell": foretell,
}

MISREADINGS = {
    "invert": {
        "the mean of the reports": seen_mean,
        "four symbols": lambda epsilon, *numbers: (
            lambda cells: float(np.arange(1, 5) @ cells / cells.sum())
        )(np.linalg.solve(response(4, epsilon).T, np.array(numbers[4:12:2]) / np.sum(numbers[4:12:2]))),
        "binary logarithm": lambda epsilon, *numbers: invert(epsilon * math.log(2), *numbers),
    },
    "threshold": {
        "no inversion": quotient,
        "the wrong side": lambda limit, *rest: 2 * limit - threshold(limit, *rest),
        "deviation forgotten": lambda *given: threshold(*given[:5], 1.0) if given[5] != 1 else 0.0,
    },
    "better": {
        "the worse one": lambda *given: of_one_channel(*given, min),
        "slope not squared": lambda density, slope, epsilon: better(density, slope, epsilon) / slope,
        "cells without reports": lambda density, slope, epsilon: 2 * slope**2 / (density / 2),
    },
    "careful": {
        "the own report counted": lambda *given: careful(*given, left_out=0),
        "all answers and no noise": unprotected,
        "the odds before forgotten": lambda prior, *given: careful(0.5, *given),
    },
    "oracle": {
        "the worse one": lambda *given: math.ceil(max(of_both(*given))),
        "frequency 0": lambda k, e, f, error: oracle(k, e, 0.0, error),
        "the error not squared": lambda k, e, f, error: math.ceil(min(of_both(k, e, f, 1.0)) / error),
    },
    "place": {
        "Laplace noise on a line": lambda n, e, r, percent: -math.log(1 - percent / 100) * n * r / e,
        "all of epsilon for each": lambda n, *given: place(1, *given),
        "epsilon a metre": lambda n, e, r, percent: place(n, e, 1.0, percent),
    },
    "tables": {
        "one count in a table": lambda *given: tables(*given, each=1),
        "one response of twice the rate in a table": lambda n, rate, total: tables(
            n, 2 * rate, total, each=1
        ),
        "epsilon of the sum": lambda n, rate, total: tables(n, rate, total / 2),
    },
    "foretell": {
        "the bias alone": lambda *given: abs(moments(*given)[0]),
        "no bias": lambda *given: math.sqrt(2 / math.pi * moments(*given)[1]),
        "the squared scale once": lambda *given: foretell(*given, noise=0.5),
    },
}
