"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import itertools
import math

import numpy as np
from scipy.stats import binom

# row-attack


def relink(known, epsilon, *cells):
    """By the probability of all four reports for each place, with five possible answers."""
    keep, lie = math.exp(epsilon) / (5 + math.exp(epsilon)), 1 / (5 + math.exp(epsilon))
    reports = list(zip(cells[::2], cells[1::2], strict=True))

    def chance(repeats, nulls, hers):
        same, gone = (keep, lie) if hers else (lie, keep)
        return same**repeats * gone**nulls * lie ** (known - repeats - nulls)

    joint = [
        math.prod(chance(*report, k == place) for k, report in enumerate(reports))
        for place in range(len(reports))
    ]
    return joint[0] / sum(joint)


def relink_by(score, epsilon, *cells):
    weights = [math.exp(epsilon * score(r, u)) for r, u in zip(cells[::2], cells[1::2], strict=True)]
    return weights[0] / sum(weights)


# worker-epsilon


def losses_of_bit(yes, no, null):
    """The largest losses between answers, of an answer against NULL, and of NULL against an answer."""
    pairs = [(yes, no), (yes, null), (no, null), (null, yes), (null, no)]
    each = [max(math.log(x / y), math.log((1 - x) / (1 - y))) for x, y in pairs]
    c = max(math.log(max(yes, no) / min(yes, no)), math.log((1 - min(yes, no)) / (1 - max(yes, no))))
    return c, max(each[1:3]), max(each[3:])


def hide(yes, no, null, k, n):
    """By all numbers of shared tasks and of tasks that only one row has."""
    c, a, b = losses_of_bit(yes, no, null)
    k, n = int(k), int(n)
    kinds = itertools.product(range(k + 1), repeat=3)
    return max(t * c + i * a + j * b for t, i, j in kinds if t + max(i, j) <= k and t + i + j <= n)


def of_twice(yes, no, null, k, n):
    c, a, b = losses_of_bit(yes, no, null)
    return min(2 * k, n) * max(a, b, c)


# composition


def silent(n_cells, epsilon, n_symbols, total, *, chance=False):
    """By all outputs, for a first row of 0 and a second row of 1."""
    n, s = int(n_cells), int(n_symbols)
    odds = math.exp(epsilon)
    delta = 0.0
    for output in itertools.product(range(s), repeat=n):
        first, second = (odds ** output.count(x) / (odds + s - 1) ** n for x in (0, 1))
        if first > math.exp(total) * second:
            delta += first if chance else first - math.exp(total) * second
    return delta


# sampling-questions


def mixture(epsilon, k, density, mean, weight=None):
    """By the weight of an answer: the mean distance of a walk of k steps, divided by k."""
    heads = np.arange(k + 1)
    length = float(binom.pmf(heads, k, 0.5) @ np.abs(2 * heads - k))
    truth = 1 / (1 + math.exp(-epsilon))
    return (1 + mean / (density * (truth - (1 - truth)) * (length / k if weight is None else weight))) / 2


def without_noise(epsilon, k, density, mean):
    return mixture(50.0, k, density, mean)


def all_answer(epsilon, k, density, mean):
    return mixture(epsilon, k, 1.0, mean)


# shuffling


def mixed(n, keep, total, *, pick=max):
    """By all rows of reports, in the direction that `pick` chooses."""
    n = int(n)
    laws = np.zeros((2, n + 1))
    for reports in itertools.product((0, 1), repeat=n):
        others = math.prod(keep if x else 1 - keep for x in reports[1:])
        for choice in (0, 1):
            hers = keep if reports[0] == choice else 1 - keep
            laws[choice, reports.count(0)] += hers * others
    return float(pick(np.maximum(laws[d] - math.exp(total) * laws[1 - d], 0).sum() for d in (0, 1)))


# manipulation


def liars(n_workers, epsilon, n_choices, n_liars, share):
    """From the expected share of reports."""
    keep, lie = (
        math.exp(epsilon) / (math.exp(epsilon) + n_choices - 1),
        1 / (math.exp(epsilon) + n_choices - 1),
    )
    honest = n_workers - n_liars
    spoken = honest * share * keep + honest * (1 - share) * lie + n_liars
    return (spoken / n_workers - lie) / (keep - lie)


# again-and-again
def memo(permanent, weeks, epsilon):
    """By the distribution of reports given the true answer, over both permanent answers."""
    total = 0.0
    for kept in (True, False):
        chance = 1 / (1 + math.exp(-permanent if kept else permanent))
        truth = 1 / (1 + math.exp(-epsilon if kept else epsilon))  # `epsilon` is that of one report
        total += chance * binom.sf(weeks / 2, weeks, truth)
    return float(total)


SOLVERS = {
    # row-attack
    "relink": relink,
    # worker-epsilon
    "hide": hide,
    # composition
    "silent": silent,
    # sampling-questions
    "mixture": mixture,
    # shuffling
    "mixed": mixed,
    # manipulation
    "liars": liars,
    # again-and-again
    "memo": memo,
}
MISREADINGS = {
    # row-attack
    "relink": {
        "NULLs forgotten": lambda known, *given: relink_by(lambda r, u: r, *given),
        "NULLs count for her": lambda known, *given: relink_by(lambda r, u: r + u, *given),
        "blind": lambda *given: 0.25,
    },
    # worker-epsilon
    "hide": {
        "which tasks is public": lambda yes, no, null, k, n: k * losses_of_bit(yes, no, null)[0],
        "rows that share no task": lambda yes, no, null, k, n: k * sum(losses_of_bit(yes, no, null)[1:]),
        "every cell at its worst": of_twice,
    },
    # composition
    "silent": {
        "two symbols": lambda k, epsilon, s, total: silent(k, epsilon, 2, total),
        "NULL counted again": lambda k, epsilon, s, total: silent(k, epsilon, s + 1, total),
        "the chance to lose more": lambda *numbers: silent(*numbers, chance=True),
    },
    # sampling-questions
    "mixture": {
        "the mixture taken for a mean": lambda e, k, s, mean: mixture(e, k, s, mean, 1 / k),
        "noise not taken off": without_noise,
        "all have answered": all_answer,
    },
    # shuffling
    "mixed": {
        "no shuffler": lambda n, keep, total: keep - math.exp(total) * (1 - keep),
        "the smaller direction": lambda *given: mixed(*given, pick=min),
        "she is one more": lambda n, *given: mixed(n + 1, *given),
    },
    # manipulation
    "liars": {
        "lies in the answer": lambda m, e, k, n, f: (1 - n / m) * f + n / m,
        "the shift alone": lambda m, e, k, n, f: liars(m, e, k, n, 0.0),
        "yes or no": lambda m, e, k, n, f: (1 - n / m) * f + n / m / (1 - math.exp(-e)),
    },
    # again-and-again
    "memo": {
        "fresh reports": lambda permanent, *given: memo(700.0, *given),
        "the permanent answer is known": lambda permanent, weeks, epsilon: 1 / (1 + math.exp(-permanent)),
        "a single report": lambda permanent, weeks, epsilon: memo(permanent, 1, epsilon),
    },
}
