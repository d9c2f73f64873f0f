"""What to expect of the activities for the room, one for each part of the book.

``python -m ldpcourse.teaching.activities 45`` prints the numbers for a room of 45 students.
"""

import argparse
from math import exp, log, sqrt

import numpy as np
from scipy.stats import binom, norm

from ldpbook._validate import count
from ldpbook.categorical_answers import k_ary_variance
from ldpbook.class_ratios import counted_share
from ldpbook.sparse_answers import RandomizedResponse
from ldpbook.whole_worker import link_rate
from ldpcourse._console import say

__all__ = ["dice_epsilon", "expected", "main", "opposite_rate"]

_COIN = log(3)  # true with probability 3/4
_FLIPS = (1 / 6, 1 / 2)  # a careful and a careless student's probability of a flip, equally likely
_N_QUESTIONS = 4
_ANCHORS, _CHAIR = np.array([(0.0, 0.0), (10.0, 0.0), (0.0, 8.0)]), np.array([4.0, 3.0])  # metres
_READING = sqrt(35 / 6) / 2  # standard deviation of half the difference of two dice
_TRUE, _FALSE = 4 / 6, 1 / 6  # how often a red and a black card raise a hand
_RED = 0.7
_HOURS = 1.5  # standard deviation of how long students slept


def _reports_of_film(n_students: int) -> tuple[float, float]:
    """Slips with a rating, and with the rating of the writer's own card, if a third of the cards have one."""
    channel = RandomizedResponse(log(7), range(1, 6)).transition_matrix  # the last symbol is NULL
    seen, others = channel[0, :-1].sum() / 3, channel[-1, :-1].sum() * 2 / 3
    return n_students * (seen + others), n_students * channel[0, 0] / 3


def _unflipped(flips: tuple[float, ...], n_questions: int = _N_QUESTIONS) -> float:
    """Probability of no flip on all questions, if one of the probabilities is drawn for all of them."""
    return float(np.mean([(1 - p) ** n_questions for p in flips]))


def opposite_rate(n_students: int, n_questions: int = _N_QUESTIONS) -> float:
    """Probability that as many students or more flip nothing in the second round, though fewer are expected.

    Parameters
    ----------
    n_students : int
        Number of students in the room, >= 1.
    n_questions : int
        Number of questions, >= 1.

    Returns
    -------
    float
        The probability, for rounds that are independent.

    Notes
    -----
    Derived in: teaching/activities

    Examples
    --------
    >>> print(*(f"{opposite_rate(30, k):.2f}" for k in (4, 8)))
    0.30 0.18
    """
    n, questions = count("n_students", n_students), count("n_questions", n_questions)
    hands = np.arange(n + 1)
    at_most = binom.cdf(hands, n, _unflipped(_FLIPS, questions))
    return float(binom.pmf(hands, n, _unflipped((float(np.mean(_FLIPS)),), questions)) @ at_most)


def dice_epsilon(n_answers: int) -> float:
    """Exact epsilon of one cell of a student who flips all her answers with one secret probability.

    Parameters
    ----------
    n_answers : int
        Number of her answers, >= 1.

    Returns
    -------
    float
        Largest loss over all outputs.

    Notes
    -----
    Derived in: teaching/activities

    Examples
    --------
    >>> print(*(f"{dice_epsilon(k):.2f}" for k in (1, 4)))
    0.69 1.23
    """
    others = np.arange(count("n_answers", n_answers))  # how many of the other answers are flipped

    def chance(flipped: np.ndarray) -> np.ndarray:
        found = [p**flipped * (1 - p) ** (n_answers - flipped) for p in _FLIPS]
        return np.asarray(np.mean(found, axis=0))

    # These are probabilities of single outputs, several of which have as many flips: they need not sum to 1.
    return float(np.abs(np.log(chance(others) / chance(others + 1))).max())


def _chair_error(n_students: int) -> float:
    """Root mean square distance from the chair, to first order; a third of the students at each anchor."""
    towards = (_CHAIR - _ANCHORS) / np.linalg.norm(_CHAIR - _ANCHORS, axis=1, keepdims=True)
    return float(_READING * sqrt(3 / n_students * np.trace(np.linalg.inv(towards.T @ towards))))


def _cards_error(n_students: int) -> float:
    """Standard error of the corrected share; only the dice vary, because the cards are fixed."""
    variance = _RED * _TRUE * (1 - _TRUE) + (1 - _RED) * _FALSE * (1 - _FALSE)
    return sqrt(variance / n_students) / (_TRUE - _FALSE)


def _hours_error(n_students: int) -> float:
    """Root mean square error over all rooms, if the threshold is the mean; a hand is up with probability 1/2.

    A share near 0 or 1 has an extreme quantile or none, so the activity moves it to 0.05 or 0.95.
    """
    hands = np.arange(n_students + 1)
    away = _HOURS * norm.ppf(np.clip(1.5 * hands / n_students - 0.25, 0.05, 0.95))
    return sqrt(binom.pmf(hands, n_students, 0.5) @ away**2)


def expected(n_students: int) -> dict[str, float]:
    """What to expect of each activity.

    Parameters
    ----------
    n_students : int
        Number of students in the room, >= 1.

    Returns
    -------
    dict of str to float
        A number for each thing that the room can count or measure.

    Notes
    -----
    Derived in: teaching/activities

    Examples
    --------
    >>> print(f"{expected(30)['1. coins: standard error of the share of yes']:.3f}")
    0.158
    """
    n = count("n_students", n_students)
    ratings, own = _reports_of_film(n)
    hands = counted_share(share=_RED, false_positives=_FALSE, true_positives=_TRUE)
    return {
        "1. coins: slips with yes, if 3 in 10 have yes": n * (0.25 + 0.5 * 0.3),
        "1. coins: standard error of the share of yes": sqrt(_per_worker(2, _COIN) / n),
        "2. film: slips with a rating, if 1 in 3 cards has one": ratings,
        "2. film: slips with the rating of the writer's card": own,
        "3. dice: students without a flip, one secret for all four": n * _unflipped(_FLIPS),
        "3. dice: students without a flip, a new secret each time": n * _unflipped((float(np.mean(_FLIPS)),)),
        "3. dice: probability of as many hands or more in the second round": opposite_rate(n),
        "4. chair: distance from the chair in metres": _chair_error(n),
        "5. cards: hands, if 7 in 10 are red": n * hands,
        "5. cards: standard error of the corrected share": _cards_error(n),
        "6. hands: error in hours, with a die, if the mean is 7": _hours_error(n),
        "6. hands: error in hours, asked directly": _HOURS / sqrt(n),
        "7. row: probability that the first guess finds Ann": link_rate(
            n_cells=6, epsilon=_COIN, n_users=n, n_symbols=2
        ),
        "8. phones: phones that would have sent something else": n * 2 / (2 + exp(1)),
        "8. phones: standard error of the share of yes": sqrt(_per_worker(3, 1.0) / n),
    }


def _per_worker(n_choices: int, epsilon: float) -> float:
    """Variance of an estimated share of 3 in 10, times the number of reports."""
    return k_ary_variance(n_choices=n_choices, epsilon=epsilon, frequency=0.3)


def main(arguments: list[str] | None = None) -> None:
    """Print what to expect in a room.

    Parameters
    ----------
    arguments : list of str, optional
        Command line, without the program's name.

    Notes
    -----
    Derived in: teaching/activities
    """
    parser = argparse.ArgumentParser(prog="python -m ldpcourse.teaching.activities", description=__doc__)
    parser.add_argument("students", type=int, help="number of students in the room")
    options = parser.parse_args(arguments)
    try:
        found = expected(options.students)
    except ValueError as error:
        parser.error(str(error))
    for name, number in found.items():
        say(f"{number:8.2f}  {name}")


if __name__ == "__main__":
    main()
