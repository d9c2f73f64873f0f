"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import itertools
import math

# row-attack

# worker-epsilon


def losses_of_bit(yes, no, null):
    """Between answers, of an answer against NULL, of NULL against an answer."""
    pairs = [(yes, no), (yes, null), (no, null), (null, yes), (null, no)]
    each = [max(math.log(x / y), math.log((1 - x) / (1 - y))) for x, y in pairs]
    c = max(math.log(max(yes, no) / min(yes, no)), math.log((1 - min(yes, no)) / (1 - max(yes, no))))
    return c, max(each[1:3]), max(each[3:])


def hide(yes, no, null, k, n):
    """All numbers of shared tasks and of tasks that one of the rows has alone."""
    c, a, b = losses_of_bit(yes, no, null)
    k, n = int(k), int(n)
    kinds = itertools.product(range(k + 1), repeat=3)
    return max(t * c + i * a + j * b for t, i, j in kinds if t + max(i, j) <= k and t + i + j <= n)


def of_twice(yes, no, null, k, n):
    c, a, b = losses_of_bit(yes, no, null)
    return min(2 * k, n) * max(a, b, c)


# composition

# sampling-questions

# shuffling

# manipulation

# again-and-again

SOLVERS = {
    # row-attack
    # worker-epsilon
    "hide": hide,
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}
MISREADINGS = {
    # row-attack
    # worker-epsilon
    "hide": {
        "which tasks is public": lambda yes, no, null, k, n: k * losses_of_bit(yes, no, null)[0],
        "rows that share no task": lambda yes, no, null, k, n: k * sum(losses_of_bit(yes, no, null)[1:]),
        "every cell at its worst": of_twice,
    },
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}
