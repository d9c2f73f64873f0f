"""Claims judged in the chapter categorical-answers/price-of-reuse."""

import math

import numpy as np
from numpy.typing import ArrayLike

from ldpbook.categorical_answers import bounds, error_bounds
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.categorical_answers.trade_off import layers_at
from ldpbook.categorical_answers.two_layer import TwoLayerFlip
from ldpcourse.ledger.categorical_answers._shared import LI
from ldpcourse.ledger.claim import Claim, Reading, Verdict


def _seven(flip_probabilities: ArrayLike) -> float:
    """Error of the best vote of seven users of accuracy 0.8 whose flip probabilities are known."""
    return error_bounds.vote_error(0.8 - 0.6 * np.broadcast_to(flip_probabilities, 7))


def _seven_by_majority(epsilon: float, n_answers: int) -> float:
    """Error of the seven's majority under two layers minus that under one, at equal epsilon of the worker."""
    one, two = layers_at(epsilon, 2, n_answers=n_answers, unit="worker").values()
    assert isinstance(one, OneLayerFlip)
    assert isinstance(two, TwoLayerFlip)
    return _seven((two.low + two.high) / 2) - _seven(one.flip_probability)


def _seven_known(low: float, high: float, one: float) -> float:
    """Error of the seven's best vote with known flip probabilities minus that under one layer."""
    drawn = np.random.default_rng(0).uniform(low, high, (400, 7))
    return float(np.mean([_seven(flips) for flips in drawn]) - _seven(one))


_ONE_AT_1 = bounds.one_layer_flip_probability(1.0, 2)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="two-layer-privacy",
        source=LI,
        place="Theorems 6.3 and 6.4, with Algorithm 2",
        statement=(
            "Users who flip all of their answers with one probability from U(a, b) are as well protected as"
            " by one layer with p = (a + b)/2."
        ),
        readings=(
            Reading(
                words=(
                    "For the whole worker, all of whose answers may change, under U(0, b) as in the source's"
                    " analysis and with the printed epsilon 1, we compare the exact epsilon for 277 answers,"
                    " a Duchenne user's, with 277 times 1."
                ),
                compute=lambda: bounds.two_layer_worker_epsilon(0.0, bounds.two_layer_high(1.0, 2), 2, 277),
                relation="<=",
                target=277.0,
            ),
            Reading(
                words=(
                    "For the whole worker, all of whose answers may change, and an interval below one half,"
                    " we compare the exact epsilon of U(0.1, 0.5) for 69 answers with 69 times that of p ="
                    " 0.3."
                ),
                compute=lambda: bounds.two_layer_worker_epsilon(0.1, 0.5, 2, 69),
                relation="<=",
                target=69 * bounds.one_layer_epsilon(0.3, 2),
            ),
            Reading(
                words=(
                    "For the whole worker under U(0, b) with the printed epsilon 0.5, we compare the exact"
                    " epsilon for 277 answers with 277 times 0.5."
                ),
                compute=lambda: bounds.two_layer_worker_epsilon(0.0, bounds.two_layer_high(0.5, 2), 2, 277),
                relation="<=",
                target=277 * 0.5,
            ),
            Reading(
                words=(
                    "For one cell, whatever the user's other answers are, we compare the exact epsilon of"
                    " U(0, 0.6) for 69 answers with that of p = 0.3."
                ),
                compute=lambda: bounds.two_layer_epsilon(0.0, 0.6, 2, 69),
                relation="<=",
                target=math.log(1.4 / 0.6),
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "For the whole worker it holds under U(0, b) where the printed epsilon is large enough. At 1, a"
            " worker with 277 answers has epsilon {computed}, against 277, and at 0.7 still 189.0, against"
            " 193.9. With two choices it holds for the whole worker in every interval up to one half. It"
            " fails in two cases. One is a whole worker with many answers under U(0, b) with a mean above"
            " 1/3, that is, with a printed epsilon below ln 2. The other is one cell of a user with several"
            " answers, which reveal how much she flips: epsilon is 4.234 for U(0, 0.6) and 69 answers,"
            " against 0.8473."
        ),
        chapter="categorical-answers/price-of-reuse",
    ),
    Claim(
        id="two-layer-utility",
        source=LI,
        place="Abstract and Section 6.3",
        statement="Two layers give the same privacy as one layer and better utility.",
        readings=(
            Reading(
                words=(
                    "For privacy of the whole worker, with epsilon 5 for five answers, as many as a peer"
                    " grader gives, we compute the error of a majority of seven users of accuracy 0.8 under"
                    " two layers minus that under one."
                ),
                compute=lambda: _seven_by_majority(5.0, 5),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "For privacy of a user with a single answer, with epsilon 1 and a curator that knows who"
                    " drew which probability, we compute the error of the best vote of the seven users under"
                    " U(0, b) minus that under one layer."
                ),
                compute=lambda: _seven_known(0.0, 2 * _ONE_AT_1, _ONE_AT_1),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "For privacy of one cell among 277 answers, with epsilon 1, U(a, 1/2) and the same"
                    " curator, we compute the error of the best vote of the seven users minus that under one"
                    " layer."
                ),
                compute=lambda: _seven_known(
                    bounds.two_layer_low(1.0, 2, high=0.5, n_answers=277), 0.5, _ONE_AT_1
                ),
                relation="<=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "At equal epsilon of the whole worker, there are intervals below one half under which even a"
            " majority errs less, if users are right more often than wrong; for the seven users the"
            " difference is {computed}. At equal epsilon of one cell among several answers on two choices,"
            " the best rule that decides each task by its own votes never gains. The best rule of all gains"
            " nothing if the guarantee is to hold for any number of answers. How much is lost depends on the"
            " interval."
        ),
        chapter="categorical-answers/price-of-reuse",
    ),
)
