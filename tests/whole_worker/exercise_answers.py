"""Right and wrong answers to the exercises of the part on the whole worker."""

import math

import numpy as np

# row-attack

# worker-epsilon

# composition


def keep(epsilon, s):
    return math.exp(epsilon) / (math.exp(epsilon) + s - 1)


def mean_loss_by_law(epsilon, s):
    law = np.array([math.exp(epsilon), 1, *[1] * (s - 2)])
    return float(law / law.sum() @ [epsilon, -epsilon, *[0] * (s - 2)])


def step_by_bits(epsilon, k, s):
    """All bits speak and all are told truly."""
    speaks = (math.exp(epsilon) + 1) / (math.exp(epsilon) + s - 1)
    told = (speaks * math.exp(epsilon) / (1 + math.exp(epsilon))) ** k
    return told - math.exp((k - 1) * epsilon) * told * math.exp(-k * epsilon)


def over_by_simulation(seed, epsilon=1.0, s=6, what="delta"):
    rng, n = np.random.default_rng(seed), 100_000
    law = np.array([math.exp(epsilon), 1, s - 2]) / (math.exp(epsilon) + s - 1)
    loss = rng.multinomial(12, law, n) @ [epsilon, -epsilon, 0]
    over = np.maximum(0, 1 - np.exp(4 - loss)) if what == "delta" else (loss > 4).astype(float)
    return float(over.mean()), float(over.std() / n**0.5)


# sampling-questions

# shuffling

# manipulation


def down_by_chances(f, liars, epsilon):
    p = 1 / (1 + math.exp(-epsilon))
    yes = (1 - liars) * (f * p + (1 - f) * (1 - p))
    return (yes - (1 - p)) / (2 * p - 1)


def forty(seed, sent=40, trials=10_000, others=1470):
    rng, p, q = np.random.default_rng(seed), keep(1.0, 4), 1 / (math.e + 3)
    spoken = rng.binomial(490, p, trials) + rng.binomial(others, q, trials) + sent
    shares = (spoken / 2000 - q) / (p - q)
    return float(shares.mean()), float(shares.std() / trials**0.5)


# again-and-again

RIGHT = {
    # row-attack
    # worker-epsilon
    # composition
    "ex-comp-mean": [
        mean_loss_by_law,
        lambda e, s: e * keep(e, s) * (1 - math.exp(-e)),
    ],
    "ex-comp-begin": [
        lambda e, s, d: math.log(d) / math.log(keep(e, s)),
        lambda e, s, d: -math.log(d) / math.log1p((s - 1) * math.exp(-e)),
    ],
    "ex-comp-step": [lambda e, k, s: keep(e, s) ** k * (1 - math.exp(-e)), step_by_bits],
    "ex-comp-simulate": [over_by_simulation(3), over_by_simulation(4)],
    # sampling-questions
    # shuffling
    # manipulation
    "ex-lie-down": [down_by_chances, lambda f, b, e: (1 - b) * f + b / (1 - math.exp(e))],
    "ex-lie-choices": [lambda e: 2 + math.exp(e), lambda e: 1 + math.exp(e) + math.cos(0)],
    "ex-lie-fits": [
        lambda e, s: s * (math.exp(e) - 1) / (s * (math.exp(e) - 1) + 2),
        lambda e, s: 1 - 2 / (2 + s * math.expm1(e)),
    ],
    "ex-lie-simulate": [forty(1), forty(2)],
    # again-and-again
}

WRONG = {
    # row-attack
    # worker-epsilon
    # composition
    "ex-comp-mean": [
        (lambda e, s: e * math.tanh(e / 2), "two symbols say more"),
        (lambda e, s: e * keep(e, s), "differs"),
        (lambda e, s: e * e / s, "all of it is lost"),
        (lambda e, s: e * math.expm1(e) / (math.exp(e) + s), "differs"),
    ],
    "ex-comp-begin": [
        (lambda e, s, d: math.log(d) / math.log(keep(e, 2)), "differs"),
        (lambda e, s, d: math.log(d) / math.log(1 - keep(e, s)), "differs"),
        (lambda e, s, d: math.log(keep(e, s)) / math.log(d), "a smaller delta"),
    ],
    "ex-comp-step": [
        (lambda e, k, s: keep(e, s) ** k, "1/2"),
        (lambda e, k, s: keep(e, 2) ** k * (1 - math.exp(-e)), "differs"),
        (lambda e, k, s: keep(e, s) ** k * math.expm1(e), "1/2"),
        (lambda e, k, s: keep(e, s) ** k * (1 - math.exp(-2 * e)), "1/2"),
    ],
    "ex-comp-simulate": [
        (0.1, "pair"),
        (over_by_simulation(3, what="chance"), "four standard errors"),
        (over_by_simulation(3, s=2), "four standard errors"),
        ((over_by_simulation(3)[0], 316 * over_by_simulation(3)[1]), "standard error is not"),
    ],
    # sampling-questions
    # shuffling
    # manipulation
    "ex-lie-down": [
        (lambda f, b, e: (1 - b) * f, "differs"),
        (lambda f, b, e: f - b / math.expm1(e), "differs"),
        (lambda f, b, e: (1 - b) * f + b * math.exp(e) / math.expm1(e), "differs"),
        (lambda f, b, e: f, "differs"),
    ],
    "ex-lie-choices": [
        (lambda e: math.exp(e) + 1, "about three"),
        (lambda e: 3 * math.exp(e) + 2, "about three"),
        (lambda e: 3 + e, "differs"),
    ],
    "ex-lie-fits": [
        (lambda e, s: s * math.expm1(e) / 2, "between 0 and 1"),
        (lambda e, s: s * math.expm1(e) / (s * math.expm1(e) + 1), "differs"),
        (lambda e, s: math.expm1(e) / (math.expm1(e) + 2), "differs"),
    ],
    "ex-lie-simulate": [
        (0.3, "pair"),
        (forty(1, sent=0), "more frequent"),
        (forty(1, others=1510), "four standard errors"),
        ((forty(1)[0], 100 * forty(1)[1]), "standard error is not"),
    ],
    # again-and-again
}
