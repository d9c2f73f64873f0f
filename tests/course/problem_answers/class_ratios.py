"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import itertools
import math

import numpy as np
from scipy.special import betaln
from scipy.stats import beta, dirichlet as dirichlet_law, norm


def adjusted(f, t, q):
    return (q - f) / (t - f)


def match(*numbers):
    sets, shares, town = np.reshape(numbers[:6], (2, 3)), np.array(numbers[6:8]), np.array(numbers[8:11])
    return float(np.linalg.lstsq(sets.T, town, rcond=None)[0] @ shares)


def match_to_one(*numbers):
    """By normalizing the weights to sum 1."""
    sets, shares, town = np.reshape(numbers[:6], (2, 3)), np.array(numbers[6:8]), np.array(numbers[8:11])
    away = sets[0] - sets[1]
    weight = away @ (town - sets[1]) / (away @ away)
    return weight * shares[0] + (1 - weight) * shares[1]


def size(low, high, town, first, second, error, *, power=2, sets=True, own=True):
    """By adding one person at a time."""
    proportions = np.array([[low, high], [1 - low, 1 - high]])
    weights = np.linalg.solve(proportions, [town, 1 - town])
    traces, target = np.array([first, second]), np.array([town, 1 - town])
    square = own * traces @ target + sets * traces @ proportions @ np.abs(weights) ** power
    n = 1
    while square / n > error**2 * (1 + 1e-12):
        n += 1
    return n


def purity(m, own, other, noise, _, *town):
    proportions = np.full((3, 3), other) + (own - other) * np.eye(3)
    weights = np.linalg.solve(proportions, town)
    return noise / m * float(np.linalg.norm(weights))


def dirichlet(*numbers):
    """By quadrature of the excess density of the share of two classes, for every pair of classes."""
    (*counts, s, epsilon), found = numbers, []
    for i, j in itertools.permutations(counts, 2):
        law = beta(s * i, s * j)
        x = np.linspace(*np.clip(law.mean() + law.std() * np.array([-40, 40]), 1e-12, 1 - 1e-12), 10_001)
        excess = law.pdf(x) - math.exp(epsilon) * beta(s * (i - 1), s * (j + 1)).pdf(x)
        found.append(np.trapezoid(np.maximum(excess, 0), x))
    return max(found)


def printed_dirichlet(*counts_scale_epsilon):
    """By the probability of a loss above epsilon, for every pair of classes."""
    *counts, s, epsilon = counts_scale_epsilon
    found = []
    for i, j in itertools.permutations(counts, 2):
        x = np.linspace(1e-9, 1 - 1e-9, 20_001)
        loss = s * (np.log(x) - np.log1p(-x)) - betaln(s * i, s * j) + betaln(s * (i - 1), s * (j + 1))
        found.append(beta.sf(np.interp(epsilon, loss, x), s * i, s * j))
    return max(found)


def counts(b, epsilon):
    a = 1 / b - epsilon / 2
    return 1 - (1 + a / 2) * math.exp(-a) if a > 0 else 0.0


def hospitals(m1, m2, first, second, s, *weights, power=2, classes=2):
    """By scipy's Dirichlet distribution."""
    variances = [
        dirichlet_law([s * m * rho, s * m * (1 - rho)]).var()[:classes].sum()
        for m, rho in ((m1, first), (m2, second))
    ]
    return math.sqrt(np.abs(weights) ** power @ variances)


SOLVERS = {
    "adjusted": adjusted,
    "match": match,
    "size": size,
    "purity": purity,
    "dirichlet": dirichlet,
    "counts": counts,
    "hospitals": hospitals,
}

MISREADINGS = {
    "adjusted": {
        "false positives not taken off": lambda f, t, q: q / (t - f),
        "divided by the true positives": lambda f, t, q: (q - f) / t,
        "as counted": lambda f, t, q: q,
    },
    "match": {
        "weights that add up to one": match_to_one,
        "weights scaled to one afterwards": lambda *given: (
            match(*given) / match(*given[:6], 1, 1, *given[8:])
        ),
        "the first two features": lambda *given: float(
            np.linalg.pinv(np.reshape(given[:6], (2, 3))[:, :2].T) @ given[8:10] @ given[6:8]
        ),
    },
    "size": {
        "weights not squared": lambda *given: size(*given, power=1),
        "the sets alone": lambda *given: size(*given, own=False),
        "the unlabelled set alone": lambda *given: size(*given, sets=False),
    },
    "purity": {
        "shares for weights": lambda m, own, other, noise, _, *town: noise / m * float(np.linalg.norm(town)),
        "weights not squared": lambda m, own, other, noise, _, *town: (
            noise / m * sum(abs(r - other) / (1 - 3 * other) for r in town)
        ),
        "all classes": lambda *given: math.sqrt(3) * purity(*given),
    },
    "dirichlet": {
        "the printed delta": printed_dirichlet,
        "two deviations of the loss": lambda *given: norm.sf(
            given[-1] / math.sqrt(given[-2] * sum(1 / k for k in sorted(given[:-2])[:2]))
        ),
    },
    "counts": {
        "one count changes": lambda b, e: 1 - math.exp((e - 1 / b) / 2),
        "the chance of a larger loss": lambda b, e: 0.5 * (1 + (1 / b - e / 2)) * math.exp(-1 / b + e / 2),
        "epsilon of the scale": lambda b, e: counts(b / 2, e),
    },
    "hospitals": {
        "weights not squared": lambda *given: hospitals(*given, power=1),
        "one of the two classes": lambda *given: hospitals(*given, classes=1),
        "counts not scaled": lambda m1, m2, a, b, s, *weights: hospitals(m1, m2, a, b, 1.0, *weights),
    },
}
