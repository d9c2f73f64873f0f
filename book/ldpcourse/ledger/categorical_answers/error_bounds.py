"""Claims judged in the chapter categorical-answers/error-bounds: on the bound, and on important users."""

import functools
import math
from typing import Any

import numpy as np

from ldpbook._arrays import Array
from ldpbook.categorical_answers import bounds, error_bounds
from ldpbook.categorical_answers.bounds import one_layer_flip_probability
from ldpcourse.ledger.categorical_answers._shared import LI
from ldpcourse.ledger.claim import Claim, Reading, Verdict, tried

# Five users of the chapter; accuracies above 1/2 are replaced by 1 minus them, the source's convention.
_TURNED = (0.05, 0.1, 0.1, 0.3, 0.45)
_AT_1 = one_layer_flip_probability(1.0, 2)


def _after(accuracy: Any, flip: Any) -> Any:
    """Accuracy after flips, Equation 8, of one user or of several."""
    return accuracy + flip * (1 - 2 * accuracy)


def _exact_ratios() -> list[float]:
    """Exact ratios of the error rates without and with each of the five users."""
    rest = [_TURNED[:u] + _TURNED[u + 1 :] for u in range(5)]
    return [error_bounds.vote_error(others) / error_bounds.vote_error(_TURNED) for others in rest]


def _important(threshold: float) -> float:
    """How many of the five users have at least that share of the largest printed score."""
    scores = [error_bounds.importance_score(p) for p in _TURNED]
    return float(sum(score >= threshold * max(scores) for score in scores))


@functools.cache
def _two_layer_draws(epsilon: float) -> tuple[Array, Array]:
    """Exact errors and products for 4,000 draws of five users of accuracy 0.9 who flip with U(0, b)."""
    high = bounds.two_layer_high(epsilon, 2)
    drawn = np.random.default_rng(0).uniform(0, high, (4000, 5))
    after = (0.9 + drawn * (1 - 2 * 0.9)).tolist()
    exact, product = (
        np.array([f(users) for users in after])
        for f in (error_bounds.vote_error, error_bounds.vote_error_bound)
    )
    return exact, product


@functools.cache
def _important_of_peer_grading(epsilon: float, n_users: int, n_draws: int) -> list[tuple[Array, Array]]:
    """Accuracies after flips with U(0, b), of all users and of the important ones with c = 0.9, by draw.

    Crowds are like peer grading in the source's convention: accuracies are 0.42, give or take 0.087, and none
    is above one half.
    """
    rng, high, drawn = np.random.default_rng(0), bounds.two_layer_high(epsilon, 2), []
    for _ in range(n_draws):
        accuracy = np.minimum(rng.uniform(0.333, 0.507, n_users), 0.5)
        scores = np.array([error_bounds.importance_score(p) for p in accuracy.tolist()])
        after = _after(accuracy, rng.uniform(0, high, n_users))
        drawn.append((after, after[scores >= 0.9 * scores.max()]))
    return drawn


def _harmed_by_others(epsilon: float) -> float:
    """In how many of 300 draws of nine users all err more often than the important ones alone, exactly."""
    draws, exact = _important_of_peer_grading(epsilon, 9, 300), error_bounds.vote_error
    return float(sum(exact(every) > exact(few) + 1e-12 for every, few in draws))


def _share_of_smaller_products(epsilon: float) -> float:
    """Share of 4,000 draws of 14 users in which the product of G over the important ones is the smaller."""
    draws = _important_of_peer_grading(epsilon, 14, 4000)
    product = error_bounds.vote_error_bound
    return float(np.mean([product(few) < product(every) * (1 - 1e-12) for every, few in draws]))


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="vote-bound",
        source=LI,
        place="Equations 6 and 7, Section 6.2.1",
        statement=(
            "A vote weighted by g(p), where p is a user's accuracy, errs with probability at most the product"
            " over its users of (p/e + (1-p)e)^g(p). This holds in particular for the log-odds g(p) ="
            " ln(p/(1-p)), and without loss of generality for accuracies of at most 1/2."
        ),
        readings=(
            Reading(
                words=(
                    "For an increasing g between 0 and 1, which Equation 6 admits, g(p) = p, we compare the"
                    " exact error of five users of accuracy 0.9 with the product."
                ),
                compute=lambda: error_bounds.vote_error([0.9] * 5),
                relation="<=",
                target=(0.9 / math.e + 0.1 * math.e) ** (0.9 * 5),
            ),
            Reading(
                words=(
                    "For log-odds and moderate accuracies of at least 1/2, we compare the exact error of five"
                    " users of accuracy 0.75 with the product of Equation 7."
                ),
                compute=lambda: error_bounds.vote_error([0.75] * 5),
                relation="<=",
                target=error_bounds.vote_error_bound([0.75] * 5),
            ),
            Reading(
                words=(
                    "For log-odds and good users, we compare the exact error of five users of accuracy 0.9"
                    " with the product of Equation 7."
                ),
                compute=lambda: error_bounds.vote_error([0.9] * 5),
                relation="<=",
                target=error_bounds.vote_error_bound([0.9] * 5),
            ),
            Reading(
                words=(
                    "For log-odds and the source's convention, by which the five users of accuracy 0.9 count"
                    " as 0.1, we compare the exact error, which does not change, with the product of Equation"
                    " 7."
                ),
                compute=lambda: error_bounds.vote_error([0.1] * 5),
                relation="<=",
                target=error_bounds.vote_error_bound([0.1] * 5),
            ),
            Reading(
                words=(
                    "For log-odds, the source's convention and a crowd like its peer grading, we compare the"
                    " exact error with the product of Equation 7. Each task has 14 equal voters, whose joint"
                    " vote is wrong with probability 0.27; the accuracy of each is 0.583, counted as 0.417."
                ),
                compute=lambda: error_bounds.vote_error([0.417] * 14),
                relation="<=",
                target=error_bounds.vote_error_bound([0.417] * 14),
            ),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "For log-odds, five users of accuracy 0.9 err with probability {computed}, more than the product,"
            " 0.00385. The proof takes a power out of an expectation, which Jensen's inequality allows only"
            " for exponents between 0 and 1. So the product bounds the error for weights in that range; for"
            " log-odds these are accuracies from 1/2 to 0.731, where it is at least 1. Among equal users it"
            " bounds the error for accuracies from 1/2 to 0.792, however many they are. For higher"
            " accuracies, and for all below 1/2, which is the source's convention, it fails in large crowds:"
            " first for 132 users at 0.8, four at 0.9, two at 0.1, ten at 0.45. The convention is right about"
            " the vote, but not about the product: the factor is 0.1355 for a user at 0.1 and 0.3290 for the"
            " same user at 0.9. Half the product of 2 sqrt(p(1-p)) is a bound for all accuracies."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="g-near-2p",
        source=LI,
        place="Section 6.2.2",
        statement=(
            "For a user's accuracy p, which is at most 1/2, the factor G(p) = (p/e + (1-p)e)^ln(p/(1-p)) is"
            " very close to 2p."
        ),
        readings=(
            Reading(
                words=(
                    "On the scale on which both rise from 0 to 1, as in a plot, the largest difference"
                    " between the two for p up to 1/2 must be less than a tenth."
                ),
                compute=lambda: max(
                    abs(error_bounds.vote_error_bound([k / 2000]) - k / 1000) for k in range(1, 1001)
                ),
                relation="<=",
                target=0.1,
            ),
            Reading(
                words=(
                    "As a factor of a product over users, the ratio of G to 2p at p = 0.1 must be 1 within a"
                    " tenth."
                ),
                compute=lambda: error_bounds.vote_error_bound([0.1]) / 0.2,
                relation="=",
                target=1.0,
                tolerance=0.1,
            ),
            Reading(
                words=(
                    "As a factor of a product over the users that the source calls important, whose p is near"
                    " 0, the ratio of G to 2p at p = 0.001 must be 1 within a tenth."
                ),
                compute=lambda: error_bounds.vote_error_bound([0.001]) / 0.002,
                relation="=",
                target=1.0,
                tolerance=0.1,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The two nowhere differ by more than {computed}, and their ratio is within a tenth of 1 for p of"
            " at least 0.28. But the analysis multiplies them over important users, with p near 0, and there"
            " the ratio approaches one half for each user."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="vote-bound-perturbed",
        source=LI,
        place="Equation 9, Section 6.2.2",
        statement=(
            "After flips the vote errs with probability at most the product over users of G at their"
            " accuracies after flips."
        ),
        readings=(
            Reading(
                words=(
                    "Under one layer, for accuracies of at least 1/2 and an epsilon of at most 1, the largest"
                    " in the source's experiments, we compare the exact error of five users of accuracy 0.9"
                    " at epsilon 1 with the product."
                ),
                compute=lambda: error_bounds.vote_error([_after(0.9, _AT_1)] * 5),
                relation="<=",
                target=error_bounds.vote_error_bound([_after(0.9, _AT_1)] * 5),
            ),
            Reading(
                words=(
                    "Under two layers U(0, b), as a mean over the draws, we compute the mean exact error"
                    " minus the mean product, for 4,000 draws of five users of accuracy 0.9 at epsilon 1."
                ),
                compute=lambda: float(np.subtract(*_two_layer_draws(1.0)).mean()),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "For the source's convention, by which these five users count as 0.1, we compare the"
                    " exact error at epsilon 1, which does not change, with the product."
                ),
                compute=lambda: error_bounds.vote_error([_after(0.1, _AT_1)] * 5),
                relation="<=",
                target=error_bounds.vote_error_bound([_after(0.1, _AT_1)] * 5),
            ),
            Reading(
                words=(
                    "For the source's convention and a crowd like its peer grading, with 14 equal voters of"
                    " accuracy 0.417 per task, we compare the exact error at epsilon 1 with the product."
                ),
                compute=lambda: error_bounds.vote_error([_after(0.417, _AT_1)] * 14),
                relation="<=",
                target=error_bounds.vote_error_bound([_after(0.417, _AT_1)] * 14),
            ),
            Reading(
                words=(
                    "Under two layers U(0, b), for the users as they are drawn, with no accuracy mirrored at"
                    " 1/2, we compute the share of 4,000 draws whose exact error exceeds the product, for"
                    " five users of accuracy 0.9 at epsilon 0.1."
                ),
                compute=lambda: float(np.greater(*_two_layer_draws(0.1)).mean()),
                relation="<=",
                target=0.0,
            ),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "In the source's convention, five users of accuracy 0.1 who flip at epsilon 1 err with"
            " probability {computed}, more than the product, 0.0709. With more flips the product gets nearer"
            " to 1, so for these users it bounds the error again below about epsilon 0.5. Under one layer and"
            " for accuracies of at least 1/2, it always bounds the error up to epsilon 1, but says nothing:"
            " accuracies are then at most e/(1+e), and the product is at least 1. Under two layers U(0, b),"
            " some users hardly flip and some flip more than half of the time, so the product is mostly below"
            " 1. For five users of accuracy 0.9 it is smaller than the exact error in few draws at epsilon 1,"
            " and in a third of them at 0.1. Half the product of 2 sqrt(p(1-p)) is a bound before flips and"
            " after."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="importance-score",
        source=LI,
        place="Section 6.2.3",
        statement=(
            "The importance of a user, the ratio of the error rates without and with her, is 1/G(p). It is"
            " near 1 for users whose p is near 1/2, and large for those who lower the error much."
        ),
        readings=(
            Reading(
                words=(
                    "As an order, in the source's convention: for users of accuracy 0.05, 0.1, 0.1, 0.3 and"
                    " 0.45, 1/G falls or stays in four steps. We count in how many of them the exact ratio"
                    " rises."
                ),
                compute=lambda: float((np.diff(_exact_ratios()) > 1e-12).sum()),
                relation="=",
                target=0.0,
            ),
            Reading(
                words=(
                    "As a number, for these users: 1/G of the user at 0.05 divided by her exact ratio must be"
                    " 1 within a tenth."
                ),
                compute=lambda: error_bounds.importance_score(0.05) / _exact_ratios()[0],
                relation="=",
                target=1.0,
                tolerance=0.1,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "In the source's convention 1/G puts users in the right order ({computed} rises here). It always"
            " does: the farther an accuracy is from 1/2, the more an answer reveals, and the more the vote"
            " errs without it. It is a ratio of bounds, not of error rates: the user at 0.05 has a score of"
            " 16.7, and an exact ratio of 3.4. Without the convention it gives 7.4 to an accuracy of 0.1 and"
            " 3.0 to its mirror image 0.9."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="importance-threshold",
        source=LI,
        place="Section 6.2.3",
        statement=(
            "Important users are those with at least c times the largest score. With c = 1 only the best are"
            " important, and with c close to 0 also those whose scores are close to the best."
        ),
        readings=(
            Reading(
                words=(
                    "As a set that contains them: of users of accuracy 0.05, 0.1, 0.1, 0.3 and 0.45, with"
                    " scores 1/G, we count the important ones at c = 0.05. There must be at least one besides"
                    " the best."
                ),
                compute=lambda: _important(0.05),
                relation=">=",
                target=2.0,
            ),
            Reading(
                words=(
                    "As exactly those, and not everyone: with c = 0.05 we count how many of the five are"
                    " important."
                ),
                compute=lambda: _important(0.05),
                relation="<=",
                target=4.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "They are among the important ones. But with c = 0.05 all {computed} users are important, since"
            " no score is below 1. To find the users close to the best, take a c close to 1."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="important-only",
        source=LI,
        place="Section 6.2.3, display before Equation 11",
        statement=(
            "The bound on the error after flips remains a bound if its product is taken over the important"
            " users only."
        ),
        readings=(
            Reading(
                words=(
                    "As the bound of a vote by the important users alone, which errs no less often than that"
                    " of all: we take 300 draws of nine users like peer graders with flips from U(0, b) at"
                    " epsilon 0.1. We count in how many the exact error of all users exceeds that of the"
                    " important ones with c = 0.9."
                ),
                compute=lambda: _harmed_by_others(0.1),
                relation="=",
                target=0.0,
            ),
            Reading(
                words=(
                    "As leaving out factors of at most 1, with flip probabilities up to 1/2 as under one"
                    " layer, so that users below 1/2 stay there: we compute the largest G up to 1/2."
                ),
                compute=lambda: max(error_bounds.vote_error_bound([k / 2000]) for k in range(1, 1001)),
                relation="<=",
                target=1.0,
                tolerance=1e-12,
            ),
            *tried(
                _share_of_smaller_products,
                "<=",
                0.0,
                (
                    "As leaving out factors of at most 1, under two layers U(0, b) at epsilon 0.5: we take"
                    " 4,000 draws of 14 users like peer graders. We compute the share in which the product"
                    " over the important ones, c = 0.9, is smaller than that over all.",
                    0.5,
                ),
                ("As leaving out factors of at most 1: we compute that share at epsilon 0.1.", 0.1),
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "Further users never make the best vote err more (in {computed} of 300 draws), so a bound on the"
            " vote of the important users bounds that of all. Under one layer the step can also be taken as"
            " printed, because no factor that is left out exceeds 1. Under two layers with b above 1/2 it"
            " cannot. A user with p = 0.3 who draws f = 0.9 ends at 0.66, where G is 1.108, and without"
            " factors above 1 the product may fall below that over all users. It does so in hardly any draw"
            " at epsilon 1, in 4 % of them at 0.5 and in more than a quarter at 0.1. Whether the product is a"
            " bound at all is another matter: see vote-bound-perturbed."
        ),
        chapter="categorical-answers/error-bounds",
    ),
)
