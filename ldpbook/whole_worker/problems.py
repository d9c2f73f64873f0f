"""Problems of the part with numbers of their own for every student."""

from collections.abc import Callable

import numpy as np

from ldpbook._problem import Problem, drawn
from ldpbook.whole_worker.bounds import row_epsilon

# row-attack

# worker-epsilon


def _hide(rng: np.random.Generator) -> Problem:
    """Rows so dense that two of them share tasks, and a bit whose three losses differ."""
    while True:
        yes, no, null = drawn(rng, 0.6, 0.9), drawn(rng, 0.1, 0.4), drawn(rng, 0.3, 0.7)
        k = int(rng.integers(12, 25))
        n = int(rng.integers(k + 3, 2 * k - 2))
        logs = np.log([[yes, 1 - yes], [no, 1 - no], [null, 1 - null]])
        c = float(np.abs(logs[0] - logs[1]).max())
        a, b = float((logs[:2] - logs[2]).max()), float((logs[2] - logs[:2]).max())
        losses = {"epsilon": c, "epsilon_to_null": a, "epsilon_from_null": b}
        key = row_epsilon(n_answers=k, n_tasks=n, **losses)
        others = k * c, k * (a + b), min(2 * k, n) * max(a, b, c)
        if min(abs(other / key - 1) for other in others) > 0.02:
            break
    return Problem(
        "Answers are yes or no. For each cell of her row a worker sends a bit, independently; it is set with"
        f" probability {yes:.2f} if she answered yes, {no:.2f} if she answered no, and {null:.2f} if she did"
        f" not answer. She answers at most {k} of {n} tasks, and it is to be hidden which ones. What is the"
        " exact epsilon of her row?",
        key,
        explanation="The largest losses between the answers, of an answer against NULL and of NULL against an"
        " answer; two rows share tasks, as there are fewer than twice as many tasks as answers; the number of"
        " shared tasks is chosen to lose most.",
    )


# composition

# sampling-questions

# shuffling

# manipulation

# again-and-again

PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    # row-attack
    # worker-epsilon
    "hide": _hide,
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}
