"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import itertools
import math

import numpy as np
from scipy.integrate import quad


def elect(s, *accuracies, votes="ABB"):
    """Bayes' rule, choice by choice."""
    likelihoods = [
        math.prod(a if v == x else (1 - a) / (s - 1) for a, v in zip(accuracies, votes, strict=True))
        for x in "ABCDEF"[: int(s)]
    ]
    return max(likelihoods) / sum(likelihoods)


def flip(s, p):
    return abs(math.log((s - 1) * (1 - p) / p))


def majority_error(chances):
    """Error of a majority, by every pattern of right and wrong answers; a fair coin decides ties."""
    error = 0.0
    for right in itertools.product((0, 1), repeat=len(chances)):
        probability = math.prod(c if r else 1 - c for c, r in zip(chances, right, strict=True))
        error += probability * (2 * sum(right) < len(right)) + probability / 2 * (
            2 * sum(right) == len(right)
        )
    return error


def layers(n, accuracy, low, high):
    """By the probability of a right report, with quadrature over the flip probability."""
    right = quad(lambda p: (accuracy * (1 - p) + (1 - accuracy) * p) / (high - low), low, high)[0]
    return majority_error([right] * int(n))


def reuse(low, high, k):
    """The largest ratio of the probabilities of d flips among k answers, by quadrature."""
    k = int(k)
    p = low + (high - low) * (np.arange(20_000) + 0.5) / 20_000
    chance = np.array([(p**d * (1 - p) ** (k - d)).mean() for d in range(k + 1)])
    return float(np.abs(np.log(chance[:-1] / chance[1:])).max())


def whole_row(low, high, k):
    p = low + (high - low) * (np.arange(2_000) + 0.5) / 2_000
    chance = [(p**d * (1 - p) ** (k - d)).mean() for d in range(int(k) + 1)]
    return math.log(max(chance) / min(chance))


def vote_and_bound(accuracies):
    """The vote's error, pattern by pattern if the truth is 1, and half the sum of geometric means."""
    error = bound = 0.0
    for votes in itertools.product((-1, 1), repeat=len(accuracies)):
        score = sum(v * math.log(a / (1 - a)) for v, a in zip(votes, accuracies, strict=True))
        one, zero = (
            math.prod(a if v == truth else 1 - a for v, a in zip(votes, accuracies, strict=True))
            for truth in (1, -1)
        )
        error += one * (score < 0) + one / 2 * (score == 0)
        bound += math.sqrt(one * zero) / 2
    return error, bound


def vote(*accuracies):
    error, bound = vote_and_bound(accuracies)
    return bound / error


def answers(accuracy, total, right):
    """By adding one answer at a time."""
    k = 1
    while True:
        p = 1 / (1 + math.exp(total / (k + 1)))
        if accuracy * (1 - p) + (1 - accuracy) * p < right:
            return k
        k += 1


SOLVERS = {
    "elect": elect,
    "flip": flip,
    "layers": layers,
    "reuse": reuse,
    "vote": vote,
    "answers": answers,
}

MISREADINGS = {
    "elect": {
        "only the two choices that were named": lambda s, a, b, c: (
            (s - 1) * a / (1 - a) / ((s - 1) * a / (1 - a) + (s - 1) ** 2 * b / (1 - b) * c / (1 - c))
        ),
        "two choices": lambda s, *given: elect(2, *given),
        "the first worker's accuracy": lambda s, a, *_: a,
    },
    "flip": {
        "two choices": lambda s, p: abs(math.log((1 - p) / p)) if s > 2 else 0.0,
        "binary logarithm": lambda s, p: flip(s, p) / math.log(2),
        "a choice too many": lambda s, p: abs(math.log(s * (1 - p) / p)),
    },
    "layers": {
        "no flips": lambda n, a, *_: majority_error([a] * int(n)),
        "the largest flip probability": lambda n, a, low, high: layers(n, a, high - 1e-9, high),
        "a bound": lambda n, a, low, high: math.exp(
            -2 * n * ((1 - low - high) * (a - 0.5)) ** 2
        ),  # Hoeffding's bound
    },
    "reuse": {
        "one answer": lambda low, high, k: abs(math.log((2 - low - high) / (low + high))),
        "the whole worker": whole_row,
        "as many answers as one layer": lambda low, high, k: (
            k * abs(math.log((2 - low - high) / (low + high)))
        ),
    },
    "vote": {
        "a plain majority": lambda *given: vote_and_bound(given)[1] / majority_error(given),
        "without the half": lambda *given: 2 * vote(*given),
        "the other way round": lambda *given: 1 / vote(*given),
    },
    "answers": {
        "everybody is right": lambda a, total, r: math.floor(total / math.log(r / (1 - r))),
        "rounded up": lambda *given: answers(*given) + 1,
        "half an epsilon for a flipped answer": lambda a, total, r: answers(a, 2 * total, r),
    },
}
