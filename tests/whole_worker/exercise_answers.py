"""Right and wrong answers to the exercises of the part on the whole worker."""

import math

import numpy as np
from scipy.stats import binom

from ldpbook.whole_worker import MixedSigns, asked_information

# row-attack

# worker-epsilon

# composition

# sampling-questions


def price_by_information(n, epsilon, s):
    crowd = {"n_tasks": n, "epsilon": epsilon, "density": s, "sigma": 1.0}
    return asked_information(**crowd, n_questions=1) / asked_information(**crowd, n_questions=n)


def price(n, epsilon, s):
    one, part = (
        math.expm1(e) ** 2 / ((math.exp(e) + 2) * (2 + s * math.expm1(e))) for e in (epsilon, epsilon / n)
    )
    return one / n / part


def share_by_length(k, epsilon):
    """The mean length of a walk of k steps, over its steps."""
    heads = np.arange(k + 1)
    return float(binom.pmf(heads, k, 0.5) @ np.abs(2 * heads - k)) / k * math.tanh(epsilon / 2)


def share(k, epsilon):
    return math.comb(k - 1, k // 2) / 2 ** (k - 1) * (math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)


def nine_answers(seed, m=20_000, epsilon=2.0):
    row = [1, -1, 1, 1, -1, 1, 1, 1, -1]
    found = MixedSigns(epsilon).perturb(np.tile(row, (m, 1)), 0.0, rng=seed)[:, 0]
    return found.mean(), found.std() / math.sqrt(m)


def nine_by_hand(seed, m=20_000):
    rng = np.random.default_rng(seed)
    coins = rng.choice([-1, 1], (m, 9))
    told = np.sign(coins.sum(axis=1)) * np.where(rng.random(m) < 1 / (1 + math.exp(2)), -1, 1)
    return (coins[:, 0] * told).mean(), (coins[:, 0] * told).std(ddof=1) / math.sqrt(m)


# shuffling

# manipulation

# again-and-again

RIGHT = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    "ex-ask-split": [price, price_by_information],
    "ex-ask-sway": [share, share_by_length],
    "ex-ask-subset": [
        lambda epsilon, d, padding: math.log(1 + (math.exp(epsilon) - 1) / min(1, d / padding)),
        lambda epsilon, d, padding: (
            epsilon if d >= padding else math.log1p(math.expm1(epsilon) * padding / d)
        ),
    ],
    "ex-ask-signs": [
        lambda epsilon: 4 / (1 + math.sqrt(math.exp(epsilon))),
        lambda epsilon: 2 * (1 - math.tanh(epsilon / 4)),
    ],
    "ex-ask-simulate": [nine_answers(1), nine_by_hand(2)],
    # shuffling
    # manipulation
    # again-and-again
}

WRONG = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    "ex-ask-split": [
        (lambda n, epsilon, s: n, "differs"),
        (lambda n, epsilon, s: 1 / price(n, epsilon, s), "tends"),
        (lambda n, epsilon, s: n * price(n, epsilon, s), "tends"),
        (lambda n, epsilon, s: price(n, epsilon, 1.0), "differs"),
    ],
    "ex-ask-sway": [
        (lambda k, epsilon: math.tanh(epsilon / 2) / k, "differs"),
        (lambda k, epsilon: math.tanh(epsilon / 2) * min(1, math.sqrt(2 / math.pi / k)), "single"),
        (lambda k, epsilon: share(k, epsilon) / math.tanh(epsilon / 2), "single"),
        (lambda k, epsilon: share(k | 1, epsilon) if k < 9 else share(k + 2, epsilon), "other arguments"),
    ],
    "ex-ask-subset": [
        (lambda epsilon, d, padding: math.log1p(math.expm1(epsilon) * padding / d), "differs"),
        (lambda epsilon, d, padding: math.log1p(math.expm1(epsilon) * min(1, d / padding)), "differs"),
        (lambda epsilon, d, padding: epsilon, "differs"),
        (lambda epsilon, d, padding: epsilon + math.log(max(1, padding / d)), "differs"),
    ],
    "ex-ask-signs": [
        (lambda epsilon: 4 / (1 + math.exp(epsilon)), "differs"),
        (lambda epsilon: 2.0, "differs"),
        (lambda epsilon: 1 / (1 + math.exp(epsilon / 2)), "twice"),
    ],
    "ex-ask-simulate": [
        ((share(9, 2.0), math.sqrt(1 - share(9, 2.0) ** 2)), "factor of 1.2"),
        (nine_answers(3, epsilon=400.0), "without noise"),
        ((1 / 9, 0.007), "four standard errors"),
    ],
    # shuffling
    # manipulation
    # again-and-again
}
