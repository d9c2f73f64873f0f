"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import itertools
import math

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import laplace as laplace_law, norm


def laplace(_, top, epsilon, density, truth, *__):
    """The mean error of a cell that holds Laplace noise on top of a fill or of an answer, by quantiles."""
    u = (np.arange(2000) + 0.5) / 2000
    noise = (top + 1) / epsilon * np.where(u < 0.5, np.log(2 * u), -np.log(2 * (1 - u)))
    empty = np.abs(np.arange(top + 1)[:, None] - truth + noise).mean()
    answered = np.abs(norm.ppf(u[:1000])[:, None] + noise).mean()  # the other half differs only in signs
    return (1 - density) * empty + density * answered


def keep(k, epsilon):
    return math.exp(epsilon) / (k - 1 + math.exp(epsilon))


def absent(_, __, ___, top, epsilon, k, given, extra, output, *, scale=None):
    """By the profile's distribution: the mean answer plus noise of the scale over the number of answers."""
    scale = scale or (top + 1) / epsilon
    own = laplace_law(given, scale / k)
    neighbour = laplace_law((k * given + extra) / (k + 1), scale / (k + 1))
    return own.logpdf(output) - neighbour.logpdf(output)


def profile(k, size, sigma, error):
    """Mean errors by quadrature, the parameter by search, epsilon by the largest ratio of densities."""
    # scipy's own densities take ten times as long.
    s = sigma / math.sqrt(k)
    own = 2 * quad(lambda x: x * math.exp(-((x / s) ** 2) / 2) / s / math.sqrt(2 * math.pi), 0, 20)[0]

    def noise(epsilon):
        b = size / epsilon
        return quad(lambda x: x / k * math.exp(-x / b) / b, 0, 60 * b)[0]

    epsilon = brentq(lambda e: own + noise(e) - error, 0.05, 20)
    places = np.linspace(-10 * size, 10 * size, 2001)
    law, moved = (laplace_law(mean, size / epsilon / k) for mean in (0, (size - 1) / k))
    return np.abs(law.logpdf(places) - moved.logpdf(places)).max()


def constant(*numbers):
    """By trying every constant that can be printed."""
    *truths, error = numbers
    return error / min(np.abs(np.array(truths) - c).mean() for c in np.arange(0, 9.05, 0.1))


def budgets(low, high, n, k):
    """By every row of outputs, for two contents of the first cell; the other cells hold the first content."""
    symbols, n, largest = int(k) + 1, int(n), 0.0
    for row in itertools.product(range(symbols), repeat=n):
        chance = [
            sum(
                math.prod(
                    (math.exp(t) if y == x else 1) / (k + math.exp(t))
                    for x, y in zip((first, *[0] * (n - 1)), row, strict=True)
                )
                for t in (low, high)
            )
            for first in (0, 1)
        ]
        largest = max(largest, abs(math.log(chance[0] / chance[1])))
    return largest


SOLVERS = {
    "laplace": laplace,
    "keep": keep,
    "absent": absent,
    "profile": profile,
    "constant": constant,
    "budgets": budgets,
}

MISREADINGS = {
    "laplace": {
        "no noise": lambda _, top, e, s, t, *__: (
            (1 - s) * np.abs(np.arange(top + 1) - t).mean() + s * math.sqrt(2 / math.pi)
        ),
        "distances added": lambda _, top, e, s, t, *__: (
            (1 - s) * np.abs(np.arange(top + 1) - t).mean() + s * math.sqrt(2 / math.pi) + (top + 1) / e
        ),
        "a scale of the largest answer over epsilon": lambda _, top, e, *rest: laplace(
            _, top, e * (top + 1) / top, *rest
        ),
    },
    "keep": {
        "a symbol too many": lambda k, e: math.exp(e) / (k + math.exp(e)),
        "two symbols": lambda k, e: math.exp(e) / (1 + math.exp(e)) if k > 2 else 0.5,
        "lost": lambda k, e: (k - 1) / (k - 1 + math.exp(e)),
    },
    "absent": {
        "widths forgotten": lambda *given: absent(*given) + math.log((given[5] + 1) / given[5]),
        "the wrong way round": lambda *given: -absent(*given),
        "a scale of the largest answer over epsilon": lambda *given: absent(
            *given, scale=given[3] / given[4]
        ),
    },
    "profile": {
        "the parameter itself": lambda k, size, *rest: profile(k, size, *rest) * size / (size - 1),
        "the deviation for the mean error": lambda k, size, s, e: (
            (size - 1) / k / (e - s / math.sqrt(k)) if e > s / math.sqrt(k) else 0.0
        ),
        "errors that do not average": lambda k, size, s, e: (
            (size - 1) / k / (e - s * math.sqrt(2 / math.pi)) if e > s * math.sqrt(2 / math.pi) else 0.0
        ),
    },
    "constant": {
        "the mean of the truths": lambda *given: (
            given[-1] / np.abs(np.array(given[:-1]) - np.mean(given[:-1])).mean()
        ),
        "root mean squares": lambda *given: given[-1] / np.std(given[:-1]),
        "the other way round": lambda *given: 1 / constant(*given),
    },
    "budgets": {
        "the mean budget": lambda low, high, *_: (low + high) / 2,
        "one cell alone": lambda low, high, n, k: budgets(low, high, 1, k),
        "the larger budget": lambda low, high, *_: high,
    },
}
