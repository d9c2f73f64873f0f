"""Claims judged in the chapter sparse-answers/randomized-response."""

from collections.abc import Callable

import numpy as np

from ldpbook.foundations.local_privacy import discrete_epsilon
from ldpbook.sparse_answers import bounds
from ldpbook.sparse_answers.randomized_response import RandomizedResponse
from ldpcourse.ledger.claim import Claim, Reading, Verdict, tried
from ldpcourse.ledger.sparse_answers._shared import DOMAIN, SETTING, SUN


def _rr_limit(law: np.ndarray) -> float:
    """Mean output of RR in the example of Theorem 3, with NULL counted as the answer 0."""
    output = RandomizedResponse(1.0, DOMAIN).transition_matrix[:, :-1] @ DOMAIN
    return float(0.9 * output[-1] + 0.1 * law @ output[:-1])


_NORMAL_DENSITY = np.exp(-(np.arange(10) ** 2) / 2)
_NORMAL_LAW = _NORMAL_DENSITY / _NORMAL_DENSITY.sum()
_ONE_SIGMA_LAW = (np.arange(10) == 1).astype(float)


def _rr_scaled_formula() -> float:
    """Theorem 3 in its example with the density scaled to sum to 1 and absolute values where printed."""
    output = RandomizedResponse(1.0, DOMAIN).transition_matrix[:, :-1] @ DOMAIN
    return float(0.9 * abs(output[-1]) + 0.1 * _NORMAL_LAW @ np.abs(output[:-1]))


def _rr_keeps(epsilon: float) -> float:
    """Probability that RR keeps an answer, with ten symbols and NULL."""
    return float(RandomizedResponse(epsilon, DOMAIN).transition_matrix[0, 0])


def _sparser_costs(bound: Callable[..., float], truth: float) -> float:
    """A bound at density 0.1 minus that at density 0.9; ten symbols, epsilon 1, standard deviation 1."""
    sparse, dense = (bound(epsilon=1.0, domain=DOMAIN, density=s, truth=truth) for s in (0.1, 0.9))
    return sparse - dense


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="rr-privacy",
        source=SUN,
        place="Equation 8",
        statement="Randomized response over the answers and NULL satisfies epsilon-cell LDP, NULL included.",
        readings=(
            Reading(
                words=(
                    "With ten symbols, NULL and epsilon 1, we compute the exact epsilon of the eleven by"
                    " eleven matrix of probabilities."
                ),
                compute=lambda: discrete_epsilon(RandomizedResponse(1.0, DOMAIN).transition_matrix),
                relation="<=",
                target=1.0,
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "With five symbols, NULL and epsilon 3, we compute the exact epsilon of the six by six"
                    " matrix of probabilities."
                ),
                compute=lambda: discrete_epsilon(RandomizedResponse(3.0, range(5)).transition_matrix),
                relation="<=",
                target=3.0,
                tolerance=1e-12,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "At epsilon 1 the exact loss is {computed}: the budget is used up completely, NULL included."
        ),
        chapter="sparse-answers/randomized-response",
    ),
    Claim(
        id="rr-example",
        source=SUN,
        place="below Theorem 3",
        statement=(
            "For the domain 0 to 9, epsilon 1, density 0.1, workers with standard deviation 1 and truths 0,"
            " the error of randomized response is at most 3.551."
        ),
        printed="3.551",
        readings=(
            Reading(
                words=(
                    "The number is the formula of Theorem 3 with every answer one standard deviation from the"
                    " truth, truncated to the printed digits."
                ),
                compute=lambda: _rr_limit(_ONE_SIGMA_LAW),
                relation="=",
                target=3.551,
                tolerance=0.001,
            ),
            Reading(
                words=(
                    "The number is an upper bound on the formula, with the normal density scaled to sum to 1"
                    " over the domain."
                ),
                compute=lambda: _rr_limit(_NORMAL_LAW),
                relation="<=",
                target=3.551,
            ),
            Reading(
                words=(
                    "The number is the value of the formula, with the normal density scaled to sum to 1 over"
                    " the domain."
                ),
                compute=lambda: _rr_limit(_NORMAL_LAW),
                relation="=",
                target=3.551,
                tolerance=0.0005,
            ),
            Reading(
                words="The number is the value of the formula exactly as printed.",
                compute=lambda: bounds.rr_mae_bound(**SETTING),
                relation="=",
                target=3.551,
                tolerance=0.0005,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The digits are reproduced, as {computed} truncated, when every answer is put one standard"
            " deviation from the truth, at 1, in place of the sum over the normal density. The formula as"
            " printed gives 3.4368, because the density at 0 to 9 does not sum to 1. With the density scaled"
            " to sum to 1 it gives 3.54524. As a bound on the error of Algorithm 1 the number fails: see the"
            " entry on Theorem 3."
        ),
        chapter="sparse-answers/randomized-response",
    ),
    Claim(
        id="rr-bound",
        source=SUN,
        place="Theorem 3",
        statement=(
            "For fixed weights of the workers, the expected error of the truths inferred from answers"
            " under randomized response is at most the weighted mean, over workers and tasks, of the cell"
            " errors of the printed formula."
        ),
        readings=(
            Reading(
                words=(
                    "The crowd is infinite, a NULL output counts as the answer 0, and the normal density is"
                    " scaled to sum to 1 over the domain. We compare the error in the source's example with"
                    " the formula taken that way."
                ),
                compute=lambda: _rr_limit(_NORMAL_LAW),
                relation="<=",
                target=_rr_scaled_formula(),
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "The truths are inferred by Algorithm 1, which leaves NULL outputs out, in the source's"
                    " example. We compare the exact expected error with the formula as printed."
                ),
                compute=lambda: bounds.rr_mae_bound_corrected(**SETTING),
                relation="<=",
                target=bounds.rr_mae_bound(**SETTING),
            ),
            Reading(
                words=(
                    "The truths are inferred by Algorithm 1, which leaves NULL outputs out, in the source's"
                    " example. We compare the exact expected error with the number 3.551 that the source"
                    " gives there."
                ),
                compute=lambda: bounds.rr_mae_bound_corrected(**SETTING),
                relation="<=",
                target=3.551,
            ),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "In the source's own example the expected error of Algorithm 1, which averages over the workers"
            " who answered, is exactly {computed} for fixed weights, whatever the number of workers, because"
            " no output lies below the truth. The formula counts a NULL output as the answer 0 and takes the"
            " absolute value after the mean instead of before. It does bound the error in one sense, namely"
            " if NULL outputs are counted as 0, the density is scaled to sum to 1 and the crowd is infinite."
            " The bound is then attained in the example."
        ),
        chapter="sparse-answers/randomized-response",
    ),
    Claim(
        id="bounds-sparse",
        source=SUN,
        place="Sections I and III-C",
        statement=(
            "The bounds on the error of truth inference under Laplace perturbation and randomized response"
            " are large, especially on very sparse answers."
        ),
        readings=tried(
            _sparser_costs,
            ">=",
            0.0,
            (
                "Theorem 2, for Laplace perturbation, is taken as printed at truths 0, those of its example."
                " We compute the bound at density 0.1 minus that at 0.9, with ten symbols, epsilon 1 and"
                " standard deviation 1.",
                bounds.lp_mae_bound,
                0.0,
            ),
            (
                "Theorem 3, for randomized response, is taken as printed, in the same way.",
                bounds.rr_mae_bound,
                0.0,
            ),
            (
                (
                    "We compute the exact error of one cell under Laplace perturbation at truths 4.5, in the"
                    " same way."
                ),
                bounds.lp_mae_bound_corrected,
                4.5,
            ),
            (
                "We compute the corrected bound of randomized response at truths 3, in the same way.",
                bounds.rr_mae_bound_corrected,
                3.0,
            ),
            (
                "Theorem 2 is taken as printed at truths 4.5, the middle of the domain, in the same way.",
                bounds.lp_mae_bound,
                4.5,
            ),
            ("Theorem 3 is taken as printed at truths 3, in the same way.", bounds.rr_mae_bound, 3.0),
        ),
        verdict=Verdict.READING,
        finding=(
            "At truths 0 the printed bound of Laplace perturbation is larger by {computed} at density 0.1"
            " than at 0.9, and that of randomized response is larger too. For answers with standard deviation"
            " 1, the corrected bounds also grow with sparsity nearer to the middle of the domain. For answers"
            " with standard deviation 5, which err more than a fill does, that of Laplace perturbation falls"
            " there. The printed formulas fall with sparsity at the truths 4.5 and 3, since they take the"
            " distance from the mean fill or the mean output, which lies in the middle."
        ),
        chapter="sparse-answers/randomized-response",
    ),
    Claim(
        id="rr-null-kept",
        source=SUN,
        place="Section VI-D",
        statement=(
            "When epsilon exceeds 3, randomized response on five symbols keeps a NULL with high"
            " probability, approximately 80 %."
        ),
        printed="80 %",
        readings=(
            Reading(
                words="At epsilon 3, we compute the probability that a NULL stays NULL.",
                compute=lambda: RandomizedResponse(3.0, range(5)).transition_matrix[-1, -1],
                relation="=",
                target=0.8,
                tolerance=0.005,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="At epsilon 3 the probability is {computed}.",
        chapter="sparse-answers/randomized-response",
    ),
    Claim(
        id="rr-slides",
        source="sun2018slides",
        place="slide 22",
        statement=(
            "For the domain 0 to 9, epsilon 1, density 0.1, workers with standard deviation 1 and truths that"
            " are 0, that is to say 1, the error of randomized response is at most 3.551."
        ),
        printed="3.551",
        readings=(
            Reading(
                words=(
                    "Truths are 0, as in the paper and in the slide's symbols. We compute the formula with"
                    " every answer one standard deviation from the truth, truncated to the printed digits."
                ),
                compute=lambda: _rr_limit(_ONE_SIGMA_LAW),
                relation="=",
                target=3.551,
                tolerance=0.001,
            ),
            Reading(
                words=(
                    "Truths are 1, as in the slide's words. We compute the formula of Theorem 3 as printed."
                ),
                compute=lambda: bounds.rr_mae_bound(truth=1.0, **SETTING),
                relation="=",
                target=3.551,
                tolerance=0.001,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The slide contradicts itself: its symbols say truths 0, its words truths 1. With truths 0 the"
            " digits are reproduced as in the paper, as {computed} truncated. With truths 1 the formula gives"
            " 2.53772."
        ),
        chapter="sparse-answers/randomized-response",
    ),
    Claim(
        id="rr-uniform",
        source=SUN,
        place="Section VI-C, Figure 2",
        statement=(
            "At epsilon 0.1, randomized response keeps an answer with a probability close to that of"
            " replacing it by a different one, so that its outputs are nearly uniform."
        ),
        readings=(
            Reading(
                words=(
                    "A different one means any single one of the ten other symbols. We compute the difference"
                    " between the two probabilities; within a hundredth counts as close."
                ),
                compute=lambda: _rr_keeps(0.1) - (1 - _rr_keeps(0.1)) / 10,
                relation="<=",
                target=0.01,
            ),
            Reading(
                words=(
                    "The outputs are nearly uniform over the eleven symbols. We compute the total variation"
                    " distance; within a hundredth counts as close."
                ),
                compute=lambda: _rr_keeps(0.1) - 1 / 11,
                relation="<=",
                target=0.01,
            ),
            Reading(
                words=(
                    "A different one means any other symbol. We compute the difference between the"
                    " probabilities of replacing and keeping; within a hundredth counts as close."
                ),
                compute=lambda: 1 - 2 * _rr_keeps(0.1),
                relation="<=",
                target=0.01,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The probability of keeping an answer exceeds that of each other symbol by {computed}, and the"
            " outputs are within a hundredth of uniform. An answer is nine times as likely to be replaced as"
            " to be kept."
        ),
        chapter="sparse-answers/randomized-response",
    ),
)
