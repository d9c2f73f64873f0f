"""Problems on categorical answers, with different numbers for every student."""

from collections.abc import Callable
from math import exp, floor, log

import numpy as np

from ldpbook.categorical_answers.bounds import log_odds_weight, one_layer_epsilon, two_layer_epsilon
from ldpbook.categorical_answers.error_bounds import equal_vote_error, vote_error, vote_error_bound_corrected
from ldpcourse.problems.problem import Problem, drawn


def _elect(rng: np.random.Generator) -> Problem:
    """The expert wins against the majority."""
    choices = int(rng.integers(3, 7))
    while True:
        expert, *others = (drawn(rng, *ends) for ends in ((0.8, 0.97), (0.3, 0.6), (0.3, 0.6)))
        first, *more = (exp(log_odds_weight(accuracy=a, n_choices=choices)) for a in (expert, *others))
        second = more[0] * more[1]
        if second < 0.8 * first:
            break
    return Problem(
        f"A question has {choices} choices, each as likely to be the truth as any other. Three independent"
        f" workers are right with the probabilities {expert:.2f}, {others[0]:.2f} and {others[1]:.2f}; a"
        " worker who is wrong gives each wrong choice with the same probability. The first says A, both"
        " others say B. Given these answers, with what probability is the choice right that the best vote"
        " elects?",
        first / (first + second + choices - 2),
        explanation="The weights are log-odds with the factor (choices - 1), and are added for each choice."
        " The probabilities are proportional to e to these sums, including the choices that no one gave"
        " (weight 0). One good worker can outvote two. Assumed: workers are independent, all choices are"
        " equally likely to be the truth, and so are all wrong choices of a worker.",
    )


def _flip(rng: np.random.Generator) -> Problem:
    choices, p = int(rng.integers(2, 9)), round(float(rng.uniform(0.05, 0.4)), 2)
    return Problem(
        f"A user has {choices} choices and flips an answer with probability {p:.2f}, to every other choice"
        " with the same probability. What is epsilon of one answer?",
        one_layer_epsilon(p, choices),
        explanation="The loss between two answers is the absolute logarithm of a ratio: the probability of"
        " keeping the answer, 1 - p, over that of one given other choice, p/(choices - 1). It is for one cell"
        " and two answers, not NULL.",
    )


def _layers(rng: np.random.Generator) -> Problem:
    n_users, accuracy = int(rng.choice([3, 5, 7])), drawn(rng, 0.65, 0.95)
    low = drawn(rng, 0, 0.2)
    high = round(low + float(rng.uniform(0.15, 0.5)), 2)
    p = (low + high) / 2
    return Problem(
        f"{n_users} independent users answer one question with two choices, each of them correctly with"
        f" probability {accuracy:.2f}. Each draws her own flip probability from U({low:.2f}, {high:.2f})"
        " and flips her answer with it. With what probability is the majority of the reports wrong?",
        equal_vote_error(accuracy=accuracy + p * (1 - 2 * accuracy), n_users=n_users),
        explanation="Every user answers the question once, so the reports are independent and distributed as"
        " under one layer with the mean flip probability: each is right with probability a + p(1 - 2a), and"
        " the number of wrong ones is binomial. The result is exact, not a bound.",
    )


def _reuse(rng: np.random.Generator) -> Problem:
    low, answers = round(float(rng.uniform(0.05, 0.3)), 2), int(rng.integers(5, 60))
    high = round(low + float(rng.uniform(0.1, 0.5)), 2)
    return Problem(
        f"A user draws one flip probability from U({low:.2f}, {high:.2f}) and uses it for {answers} answers"
        " on two choices. All answers are released. What is the exact epsilon of one cell?",
        two_layer_epsilon(low, high, 2, answers),
        explanation="The other answers show how often the user flips. The loss of the cell is largest where"
        " none of them, or all, were flipped; it is the logarithm of a ratio of two integrals over U(a, b)."
        " This is for one cell; her whole row has a larger epsilon.",
    )


def _vote(rng: np.random.Generator) -> Problem:
    accuracies = [drawn(rng, *ends) for ends in ((0.85, 0.95), (0.72, 0.84), (0.62, 0.71), (0.52, 0.61))]
    return Problem(
        "Four independent users answer a question with two choices, each equally likely to be the truth."
        f" They are right with the known probabilities {', '.join(f'{a:.2f}' for a in accuracies)}. Divide"
        " Bhattacharyya's bound on the error of the best vote by that error itself.",
        vote_error_bound_corrected(accuracies) / vote_error(accuracies),
        explanation="The best vote weighs by log-odds. Its error is half the sum, over the sixteen patterns"
        " of votes, of the smaller of their two probabilities. The bound replaces the smaller one by the"
        " geometric mean of both.",
    )


def _answers(rng: np.random.Generator) -> Problem:
    """The quotient is not near an integer, so that rounding errors do not matter."""
    while True:
        accuracy, total = drawn(rng, 0.7, 0.98), int(rng.integers(10, 61))
        right = round(accuracy + float(rng.uniform(0.15, 0.4)) * (1 - 2 * accuracy), 2)
        flip = (accuracy - right) / (2 * accuracy - 1)
        quotient = total / log((1 - flip) / flip)
        if 8 < quotient < 150 and 0.05 < quotient % 1 < 0.95:
            break
    return Problem(
        f"Users answer questions with two choices and are right with probability {accuracy:.2f}. One layer"
        " flips all answers with the same probability, below one half. A whole user, among rows with the same"
        f" tasks answered, must have an epsilon of at most {total}. A report must be right with a probability"
        f" of at least {right:.2f}. What is the largest number of answers that each user may give?",
        floor(quotient),
        explanation="A report is right with probability a + p(1 - 2a). This limits the flip probability p"
        " from above, and so the epsilon of a cell, ln((1 - p)/p), from below. A worker with k answers spends"
        " k times that epsilon.",
    )


PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    "elect": _elect,
    "flip": _flip,
    "layers": _layers,
    "reuse": _reuse,
    "vote": _vote,
    "answers": _answers,
}
