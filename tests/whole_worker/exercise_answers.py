"""Right and wrong answers to the exercises of the part on the whole worker."""

import math

# row-attack


def placed(r1, u1, r2, u2, e):
    first, second = math.exp(e * (r1 - u1)), math.exp(e * (r2 - u2))
    return first / (first + second)


def of_two(e, s):
    """All nine pairs of scores."""
    keep, lie = math.exp(e) / (s + math.exp(e)), 1 / (s + math.exp(e))
    law = {1: keep, 0: (s - 1) * lie, -1: lie}
    return sum(law[a] * law[-b] * (1.0 if a > b else 0.5 if a == b else 0.0) for a in law for b in law)


FORTY = 0.62284


# worker-epsilon

# composition

# sampling-questions

# shuffling

# manipulation

# again-and-again

RIGHT = {
    # row-attack
    "ex-row-fixed": [
        lambda k, n, s, e: (min(2 * k, n) if s > 1 else 2 * min(k, n - k)) * e,
        lambda k, n, s, e: e * (2 * k if 2 * k <= n else n if s >= 2 else 2 * (n - k)),
    ],
    "ex-row-belief": [placed, lambda a, b, c, d, e: (1 + math.tanh(e * (a - b - c + d) / 2)) / 2],
    "ex-row-two": [
        of_two,
        lambda e, s: (lambda p, q: p * (1 + (s - 1) * q) + ((s - 1) * q) ** 2 / 2)(
            math.exp(e) / (s + math.exp(e)), 1 / (s + math.exp(e))
        ),
    ],
    "ex-row-crowd": [(FORTY, 0.00766), (FORTY + 0.02, 0.0075)],
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}

WRONG = {
    # row-attack
    "ex-row-fixed": [
        (lambda k, n, s, e: min(2 * k, n) * e, "differs|other"),
        (lambda k, n, s, e: k * e, "differs"),
        (lambda k, n, s, e: 2 * min(k, n - k) * e, "differs"),
        (lambda k, n, s, e: min(2 * k, n), "differs|other"),
    ],
    "ex-row-belief": [
        (lambda a, b, c, d, e: 1 / (1 + math.exp(e * (c - a))), "differs"),
        (lambda a, b, c, d, e: math.exp(e * (a - b - c + d)), "differs"),
        (lambda a, b, c, d, e: 1 / (1 + math.exp(e * (c + d - a - b))), "differs"),
    ],
    "ex-row-two": [
        (lambda e, s: math.exp(e) / (1 + math.exp(e)), "differs"),
        (lambda e, s: math.exp(e) / (s + math.exp(e)), "differs"),
        (lambda e, s: of_two(e, s + 1), "differs"),
    ],
    "ex-row-crowd": [
        (FORTY, "pair"),
        ((FORTY, 0.485), "standard error"),
        ((0.70, 0.0072), "four standard errors"),
    ],
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}
