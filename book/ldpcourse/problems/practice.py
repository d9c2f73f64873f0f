"""Problems of the part with numbers of their own for every student."""

from collections.abc import Callable
from math import ceil, exp, log, log1p

import numpy as np

from ldpcourse.problems.problem import Problem, drawn

# floating-point


def _words(rng: np.random.Generator) -> Problem:
    """So few bits that rounding is seen."""
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
        f" into each of the others, with {n_symbols} symbols in all, NULL among them, by whole numbers of"
        f" words, such that the loss of a cell exceeds epsilon {epsilon:.2f} for no pair of symbols and the"
        " symbol is kept as often as that allows. What is the exact epsilon of a report?",
        keys[0],
        explanation="The words of each other symbol are rounded up, the symbol itself has the rest, and the"
        " exact epsilon is the logarithm of the ratio of two whole numbers, below the one that was asked for."
        " Rounded to the nearest, the ratio may be above it.",
    )


# audit


def _centred(rng: np.random.Generator) -> Problem:
    n, size, scale = int(rng.integers(3, 12)), int(rng.integers(3, 12)), drawn(rng, 1.5, 12)
    return Problem(
        f"A worker answers {n} tasks on a scale of {size} answers, consecutive whole numbers. Her device"
        " subtracts from each answer the mean of all her true answers, adds independent Laplace noise of"
        f" scale {scale:.2f} to each difference, and sends the results. Neighbours are two rows that differ"
        " in one answer. What is the exact epsilon of what she sends?",
        2 * (n - 1) * (size - 1) / (n * scale),
        explanation="One answer moves its own difference by 1 - 1/n of its change, and through the mean each"
        " of the n - 1 others by 1/n of it: the losses of all reports add up, to nearly twice that of the"
        " answer alone.",
    )


# scale


def _storage(rng: np.random.Generator) -> Problem:
    m, n = int(rng.integers(2, 40)), 100 * int(rng.integers(2, 30))
    epsilon, nu = drawn(rng, 0.8, 3.0), int(rng.integers(3, 12))
    total = 1 + (nu - 1) * exp(-epsilon)
    bits = (log1p(total - 1) + (1 - 1 / total) * epsilon) / log(2)
    return Problem(
        f"Each of {m} million workers reports on each of {n} tasks by randomized response with epsilon"
        f" {epsilon:.2f} on {nu} symbols, NULL among them. Whatever the answers are: how many gigabytes (a"
        " gigabyte is a thousand million bytes) do the symbols of all reports take at least, on average, in"
        " any uniquely decodable code?",
        m * n * bits / 8000,
        explanation="Given her answer a report has the entropy of the mechanism's row: one symbol with the"
        " probability of keeping, the others with that of a lie. Conditioning does not raise entropy, draws"
        " are independent, and no uniquely decodable code is shorter than the entropy on average; eight bits"
        " a byte.",
    )


# survey
def _deny(rng: np.random.Generator) -> Problem:
    """The crowd's share is well above nothing, and a report is far from a proof."""
    n, epsilon = 100 * int(rng.integers(50, 200)), drawn(rng, 0.5, 2.5)
    n_answers, share = int(rng.integers(2, 6)), float(rng.uniform(0.1, 0.5))
    gain = np.expm1(epsilon)
    heard = round(n * (1 + gain * share) / (gain + n_answers + 1))
    found = (heard / n * (gain + n_answers + 1) - 1) / gain
    return Problem(
        f"A survey asks a question with {n_answers} answers, and with NULL as one more symbol, by randomized"
        f" response with epsilon {epsilon:.2f}. Of {n} workers {heard} report the first answer. Take the"
        " estimated share of that answer for what is believed of each worker beforehand. With which"
        " probability does a worker who reports the first answer hold it?",
        float((gain + 1) * found / (1 + gain * found)),
        explanation="The share of the reports less the chance of a given lie, divided by the chance of the"
        " truth less that of a given lie, estimates the share; NULL counts among the symbols. Bayes' rule"
        " then multiplies its odds by e to the epsilon.",
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
}
