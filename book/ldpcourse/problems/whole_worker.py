"""Problems on the whole worker, with different numbers for every student."""

from collections.abc import Callable
from math import comb, exp, log, tanh

import numpy as np

from ldpbook.whole_worker.bounds import averaging_rate, response_shift, row_epsilon
from ldpbook.whole_worker.composition import response_delta
from ldpcourse.problems.problem import Problem, drawn


# row-attack
def _relink(rng: np.random.Generator) -> Problem:
    """Repeats and NULLs order the reports in different ways, and no report is almost certain."""
    epsilon, known = drawn(rng, 0.3, 1.2), int(rng.integers(10, 18))
    while True:
        repeats, nulls = rng.integers(1, 6, 4), rng.integers(1, 6, 4)
        weights = np.exp(epsilon * (repeats - nulls))
        belief = float(weights[0] / weights.sum())
        if 0.1 < belief < 0.7 and repeats.argmax() != nulls.argmin() and len(set(nulls)) > 2:
            break
    listed = "; ".join(f"{r} answers repeated and {u} NULL" for r, u in zip(repeats, nulls, strict=True))
    return Problem(
        f"An attacker knows {known} answers of a worker, in tasks that no one else answered. One of four"
        " reports is hers, each with the same prior probability. Each cell, NULL included, went through"
        f" randomized response with epsilon {epsilon:.2f}. In the known tasks the four reports have:"
        f" {listed}. With what probability is the first report hers?",
        belief,
        explanation="A repeated answer is e^epsilon times as probable from her as from a stranger, a NULL"
        " e^-epsilon times, and any other symbol is equally probable. So the weights are"
        " e^(epsilon (repeats - NULLs)), and Bayes' rule divides by their sum.",
    )


# worker-epsilon


def _hide(rng: np.random.Generator) -> Problem:
    """Rows so dense that any two of them share tasks, and a bit whose three losses differ."""
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
        f" not answer. She answers at most {k} of {n} tasks, and wants to hide which ones. What is the"
        " exact epsilon of her row?",
        key,
        explanation="Three losses matter: the largest between the two answers, of an answer against NULL, and"
        " of NULL against an answer. Two rows share tasks, as there are fewer than twice as many tasks as"
        " answers. The number of shared tasks is the one with the largest loss.",
    )


# composition


def _silent(rng: np.random.Generator) -> Problem:
    n_cells, n_symbols, epsilon = int(rng.integers(2, 5)), int(rng.integers(3, 7)), drawn(rng, 0.4, 1.5)
    total = round(float(rng.uniform(0.15, 0.7)) * n_cells * epsilon, 2)
    return Problem(
        f"A worker sends {n_cells} reports by randomized response with epsilon {epsilon:.2f} each, on"
        f" {n_symbols} symbols, NULL among them. Neighbours are two rows that differ in all of these cells."
        f" What is the smallest delta at which the reports together have epsilon {total:.2f}?",
        response_delta(epsilon=epsilon, n_cells=n_cells, n_symbols=n_symbols, total=total),
        explanation="A report is the symbol of the one row, that of the other, or one that is equally likely"
        " under both and reveals nothing. Losses of the cells add up, and delta is the mean of"
        " max(0, 1 - e^(total - loss)). With two symbols, the worst of all mechanisms, it would be larger.",
    )


# sampling-questions


def _mixture(rng: np.random.Generator) -> Problem:
    epsilon, density, k = drawn(rng, 0.5, 3, 1), drawn(rng, 0.1, 0.6), int(rng.integers(4, 16))
    kept = density * comb(k - 1, k // 2) / 2 ** (k - 1) * tanh(epsilon / 2)
    mean = round(kept * float(rng.uniform(0.2, 0.8)), 5)
    return Problem(
        f"Each of many workers spends epsilon {epsilon:.1f} on her whole row. She multiplies the side of each"
        " of her answers (plus one above the threshold, minus one not above) by a public fair coin of the"
        " task, and adds these up. She sends whether the sum is positive or negative by randomized response"
        f" of two symbols; a coin decides if the sum is zero. Every worker has {k} answers, and a share of"
        f" {density:.2f} of the workers has answered this task. The mean of the reports times the coins of"
        f" this task is {mean:.5f}. What is the estimated share of the answers to this task that lie above"
        " its threshold?",
        (1 + mean / kept) / 2,
        explanation="The mean is the share above minus the share not above, times three factors: the density,"
        " the probability that the noise tells the truth minus the probability that it lies, and the weight"
        " of one answer in the sign of the sum. This weight is the binomial probability that the others"
        " cancel, and not one over their number.",
    )


# shuffling


def _mixed(rng: np.random.Generator) -> Problem:
    while True:
        n, keep = int(rng.integers(3, 7)), drawn(rng, 0.6, 0.9)
        total = round(float(rng.uniform(0.1, 0.6)) * log(keep / (1 - keep)), 2)
        others = [comb(n - 1, h) * (1 - keep) ** h * keep ** (n - 1 - h) for h in range(n)]
        more, same = [0.0, *others], [*others, 0.0]
        first, second = (
            [p * a + (1 - p) * b for a, b in zip(more, same, strict=True)] for p in (keep, 1 - keep)
        )
        ways = [
            sum(max(0.0, a - exp(total) * b) for a, b in zip(x, y, strict=True))
            for x, y in ((first, second), (second, first))
        ]
        if min(ways) > 0.002:
            break
    return Problem(
        f"{n} people report one of two choices, their own with probability {keep:.2f} and otherwise the"
        " other, and a shuffler shows all reports without names. Ann may have either choice; all others are"
        f" known to have the second. What is the smallest delta at which Ann's choice has epsilon"
        f" {total:.2f}?",
        max(ways),
        explanation="The output is the number of reports of the first choice, the sum of a binomial number"
        " and of Ann's own report. Delta is the sum over outputs of the amount by which a probability exceeds"
        " e to the epsilon times the other probability, in the direction where it is larger.",
    )


# manipulation


def _liars(rng: np.random.Generator) -> Problem:
    n_choices, epsilon, share = int(rng.integers(3, 13)), drawn(rng, 0.5, 2.5), drawn(rng, 0.05, 0.4)
    n_workers, n_liars = 100 * int(rng.integers(20, 100)), int(rng.integers(30, 300))
    honest = (1 - n_liars / n_workers) * share
    return Problem(
        f"{n_workers} reports come in by randomized response with epsilon {epsilon:.2f} on {n_choices}"
        f" choices. {n_liars} of them do not follow the protocol: their senders all send the same choice,"
        f" which the share {share:.2f} of the other workers has. What does the unbiased decoder, which"
        " assumes that all are honest, estimate for this choice on average, as a share of all?",
        honest + response_shift(liars=n_liars / n_workers, epsilon=epsilon, n_choices=n_choices),
        explanation="The honest part keeps its mean, weighted by its share of the reports. Every liar's"
        " report counts (1 - q)/(p - q), more than the 1 that a false answer would count on average.",
    )


# again-and-again
def _memo(rng: np.random.Generator) -> Problem:
    """Neither the permanent answer nor the reports are almost certain."""
    permanent, epsilon = drawn(rng, 0.6, 2.5), drawn(rng, 0.2, 0.9)
    weeks = 2 * int(rng.integers(2, 8)) + 1
    return Problem(
        "A device draws a permanent answer from a worker's yes or no once, by randomized response with"
        f" epsilon {permanent:.2f}. In each of {weeks} weeks it then sends a fresh randomized response, with"
        f" epsilon {epsilon:.2f}, to the permanent answer. With what probability is the majority of the"
        " reports her own answer?",
        averaging_rate(epsilon=epsilon, n_reports=weeks, permanent_epsilon=permanent),
        explanation="The majority finds the permanent answer with a binomial probability. The result is her"
        " own answer if both are true, or if the permanent answer is a lie and the majority misses it."
        " Averaging removes the noise of the weeks, but not that of the permanent answer.",
    )


PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    # row-attack
    "relink": _relink,
    # worker-epsilon
    "hide": _hide,
    # composition
    "silent": _silent,
    # sampling-questions
    "mixture": _mixture,
    # shuffling
    "mixed": _mixed,
    # manipulation
    "liars": _liars,
    # again-and-again
    "memo": _memo,
}
