"""Problems on practice, with different numbers for every student."""

from collections.abc import Callable
from math import ceil, exp, log, log1p

import numpy as np

from ldpcourse.problems.problem import Problem, drawn

# floating-point


def _words(rng: np.random.Generator) -> Problem:
    """There are so few bits that rounding matters."""
    while True:
        epsilon, n_symbols = drawn(rng, 0.6, 2.0), int(rng.integers(3, 10))
        n_bits = int(rng.integers(5, 10))
        keys = []
        for size in (n_symbols, n_symbols + 1):
            exact = 2**n_bits / (exp(epsilon) + size - 1)
            keys.append(log(max(1.0, 2**n_bits / ceil(exact) - (size - 1))))
        rounded_down = 2**n_bits / (exp(epsilon) + n_symbols - 1) % 1 < 0.5
        if rounded_down and 0.9 < keys[0] / epsilon < 0.98 and abs(keys[1] / keys[0] - 1) > 0.02:
            break
    return Problem(
        f"A device draws each report from one word of {n_bits} random bits. It keeps a symbol or turns it"
        f" into one of the others; there are {n_symbols} symbols in all, NULL among them. Each outcome has a"
        f" whole number of words, such that the loss of a cell is at most epsilon {epsilon:.2f} for every"
        " pair of symbols, and the symbol is kept as often as that allows. What is the exact epsilon of a"
        " report?",
        keys[0],
        explanation="The number of words of each other symbol is rounded up, and the symbol itself gets the"
        " rest. The exact epsilon is the logarithm of the ratio of two whole numbers, and is below the"
        " intended epsilon. With rounding to the nearest number it might be above.",
    )


# audit


def _centred(rng: np.random.Generator) -> Problem:
    n, size, scale = int(rng.integers(3, 12)), int(rng.integers(3, 12)), drawn(rng, 1.5, 12)
    return Problem(
        f"A worker answers {n} tasks on a scale of {size} answers, consecutive whole numbers. Her device"
        " subtracts from each answer the mean of all her true answers, adds independent Laplace noise of"
        f" scale {scale:.2f} to each difference, and sends the results. Neighbours are two rows that differ"
        " in one answer. What is the exact epsilon of her reports?",
        2 * (n - 1) * (size - 1) / (n * scale),
        explanation="One changed answer moves its own difference by 1 - 1/n of the change and, through the"
        " mean, each of the n - 1 others by 1/n of it. The losses of all reports add up, to almost twice that"
        " of the answer alone.",
    )


# scale


def _storage(rng: np.random.Generator) -> Problem:
    m, n = int(rng.integers(2, 40)), 100 * int(rng.integers(2, 30))
    epsilon, nu = drawn(rng, 0.8, 3.0), int(rng.integers(3, 12))
    total = 1 + (nu - 1) * exp(-epsilon)
    bits = (log1p(total - 1) + (1 - 1 / total) * epsilon) / log(2)
    return Problem(
        f"Each of {m} million workers reports on each of {n} tasks by randomized response with epsilon"
        f" {epsilon:.2f} on {nu} symbols, NULL among them. A gigabyte is a thousand million bytes. Whatever"
        " the answers are, how many gigabytes do the symbols of all reports need at least, on average, in any"
        " uniquely decodable code?",
        m * n * bits / 8000,
        explanation="Given the answer, a report has the entropy of the mechanism's row: one symbol with the"
        " probability of keeping, the others with that of a lie. Conditioning does not raise entropy, draws"
        " are independent, and no uniquely decodable code is shorter on average than the entropy. A byte has"
        " eight bits.",
    )


# survey
def _deny(rng: np.random.Generator) -> Problem:
    """The crowd's share is well above 0, and a report is far from a proof."""
    n, epsilon = 100 * int(rng.integers(50, 200)), drawn(rng, 0.5, 2.5)
    n_answers, share = int(rng.integers(2, 6)), float(rng.uniform(0.1, 0.5))
    gain = np.expm1(epsilon)
    heard = round(n * (1 + gain * share) / (gain + n_answers + 1))
    found = (heard / n * (gain + n_answers + 1) - 1) / gain
    return Problem(
        f"A survey asks a question with {n_answers} answers, and with NULL as one more symbol, by randomized"
        f" response with epsilon {epsilon:.2f}. Of {n} workers {heard} report the first answer. Use the"
        " estimated share of that answer as the prior belief about each worker. With what probability does a"
        " worker who reports the first answer really have it?",
        float((gain + 1) * found / (1 + gain * found)),
        explanation="The share is estimated by the share among reports minus the probability of a given lie,"
        " divided by the probability of the truth minus that of a given lie; NULL is one of the symbols."
        " Bayes' rule then multiplies its odds by e to the epsilon.",
    )


# instructions


def _obey(rng: np.random.Generator) -> Problem:
    """Two designs that can detect people who always say no, with counts equal to rounded expectations."""
    while True:
        p = [drawn(rng, 0.6, 0.95), drawn(rng, 0.6, 0.95)]
        q = [drawn(rng, 0.05, 0.5), drawn(rng, 0.05, 0.5)]
        if abs(p[0] * q[1] - p[1] * q[0]) > 0.15:
            break
    n, follow, share = 100 * int(rng.integers(20, 60)), rng.uniform(0.6, 0.95), rng.uniform(0.15, 0.6)
    yes = [round(n * follow * (share * a + (1 - share) * b)) for a, b in zip(p, q, strict=True)]
    rows = np.array([[a, b] for a, b in zip(p, q, strict=True)])
    carriers, others = np.linalg.solve(rows, np.array(yes) / n)
    return Problem(
        f"Two samples of {n} people each are asked with a device. In the first sample, people who follow it"
        f" say yes with probability {p[0]:.2f} if their answer is yes, and with probability {q[0]:.2f} if it"
        f" is no. In the second sample these probabilities are {p[1]:.2f} and {q[1]:.2f}. In the first sample"
        f" {yes[0]} people say yes, in the second {yes[1]}. All people who do not follow the device say no."
        " What is the estimated share of yes among the answers of people who follow it?",
        float(carriers / (carriers + others)),
        explanation="Each rate of yes is the sum over the two kinds of people who follow the device of their"
        " share times their probability of saying yes; people who always say no add nothing. Two designs give"
        " two linear equations for these two shares of all people, and the estimate is the first share"
        " divided by their sum.",
    )


# regression


def _sized(rng: np.random.Generator) -> Problem:
    """The target error is printed with four digits, and the key is computed from the printed number."""
    n_answers, n, share = int(rng.integers(2, 7)), 100 * int(rng.integers(10, 60)), drawn(rng, 0.1, 0.5)
    coins = 1 / np.expm1(rng.uniform(0.7, 2.2))
    error = round(float(np.sqrt((share + coins) * (1 - share + n_answers * coins) / n)), 4)
    slope, room = 1 - share + n_answers * share, n * error**2 - share * (1 - share)
    root = (np.sqrt(slope**2 + 4 * n_answers * room) - slope) / (2 * n_answers)
    return Problem(
        f"A survey asks a question with {n_answers} answers, and with NULL as one more symbol, by randomized"
        f" response. {n} people will report, drawn from a large population in which a share of {share:.2f}"
        " has the first answer. What is the smallest epsilon at which the estimate of that share has a"
        f" standard error of {error:.4f}? Include both the random choice of people and the coins.",
        float(np.log1p(1 / root)),
        explanation="The variance of one decoded report is that of a report of the symbol, divided by the"
        " squared difference of the two probabilities. It equals the number of people times the squared"
        " error. This is a quadratic equation in 1/(e to the epsilon - 1); NULL counts as a symbol.",
    )


PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    # floating-point
    "words": _words,
    # audit
    "centred": _centred,
    # scale
    "storage": _storage,
    # survey
    "deny": _deny,
    # instructions
    "obey": _obey,
    # regression
    "sized": _sized,
}
