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


def over_by_simulation(seed, epsilon=0.5, s=6, what="delta"):
    rng, n = np.random.default_rng(seed), 100_000
    law = np.array([math.exp(epsilon), 1, s - 2]) / (math.exp(epsilon) + s - 1)
    loss = rng.multinomial(12, law, n) @ [epsilon, -epsilon, 0]
    over = np.maximum(0, 1 - np.exp(2 - loss)) if what == "delta" else (loss > 2).astype(float)
    return float(over.mean()), float(over.std() / n**0.5)


def as_of_a_share(delta):
    """With the standard error that it would have if each trial gave 0 or 1."""
    return delta, (delta * (1 - delta) / 100_000) ** 0.5


# sampling-questions

# shuffling

# manipulation

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
        (as_of_a_share(over_by_simulation(3)[0]), "standard error is not"),
        (as_of_a_share(over_by_simulation(4)[0]), "standard error is not"),
    ],
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}
