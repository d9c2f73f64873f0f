"""Claims judged in the chapter categorical-answers/error-bounds: on the product of flip probabilities."""

import math

import numpy as np
from scipy.integrate import quad

from ldpbook import datasets
from ldpbook.categorical_answers import error_bounds
from ldpbook.categorical_answers.bounds import one_layer_flip_probability
from ldpbook.categorical_answers.trade_off import error_rate_changes
from ldpbook.categorical_answers.two_layer import TwoLayerFlip
from ldpcourse.ledger.categorical_answers._shared import LI
from ldpcourse.ledger.claim import Claim, Reading, Verdict
from ldpcourse.printed import printed_table

_AT_1 = one_layer_flip_probability(1.0, 2)


def _printed_probability(x: float, high: float, n_users: int) -> float:
    """Integral of the printed density of Delta up to x, over t = ln(x/y)."""

    def integrand(t: float) -> float:
        y = x * math.exp(-t)
        return error_bounds.delta_density(y, high=high, n_users=n_users) * y

    return float(quad(integrand, 0, 60)[0])


def _printed_mean(high: float, n_users: int) -> float:
    """Mean of Delta by the printed density, over t = ln(b^n/y)."""
    top = high**n_users

    def integrand(t: float) -> float:
        y = top * math.exp(-t)
        return error_bounds.delta_density(y, high=high, n_users=n_users) * y * y

    return float(quad(integrand, 0, 60)[0])


def _farthest_from_printed_density() -> float:
    """Of the share of 200,000 products of five flip probabilities, at 19 quantiles."""
    products = np.random.default_rng(0).uniform(0, 0.6, (5, 200_000)).prod(axis=0)
    shares = np.arange(1, 20) / 20
    points = np.quantile(products, shares)
    found = [_printed_probability(x, 0.6, 5) for x in points.tolist()]
    return float(np.abs(found - shares).max())


def _change(accuracy: float, flip: float, n_users: int) -> float:
    """By how much flips raise the exact error of the best vote of equal users."""
    before = error_bounds.vote_error([accuracy] * n_users)
    return error_bounds.vote_error([(accuracy + flip * (1 - 2 * accuracy))] * n_users) - before


def _expansion(accuracy: float, flip: float, n_users: int) -> float:
    """Equation 11 in full for equal users: the terms of a product of sums, all but the last."""
    lost, kept = flip * (1 - 2 * accuracy), accuracy
    return sum(math.comb(n_users, k) * kept**k * lost ** (n_users - k) for k in range(n_users))


def _change_of_product(accuracy: float, flip: float, n_users: int) -> float:
    """By how much flips raise the product of 2p, Equation 10."""
    return (2 * (accuracy + flip * (1 - 2 * accuracy))) ** n_users - (2 * accuracy) ** n_users


def _falls(number: int) -> float:
    """Steps from epsilon 1 down to 0 in which a table's TD with two layers does not rise."""
    table = printed_table(number)
    column = table[(table["layer"] == "two layers") & (table["vote"] == "TD")]["printed"]
    return float((np.diff(column) <= 0).sum())


def _share_of_small_changes() -> float:
    """Share of 2,000 runs of truth discovery whose change of the error rate is below half of the mean."""
    crowd = datasets.simulate_peer_grading(1)
    flips = {"two layers": TwoLayerFlip(0.0, 0.6, 2)}
    runs = error_rate_changes(crowd.answers, crowd.truth, flips, choices=2, n_trials=2000, rng=0)
    change = runs[runs["vote"] == "TD"]["error_change"]
    return float((change < change.mean() / 2).mean())


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="delta-density",
        source=LI,
        place="Section 6.2.3",
        statement=(
            "A product of n independent flip probabilities from U(0, b) has the density"
            " ln(b^n/x)^(n-1) / (b^n (n-1)!) on (0, b^n]."
        ),
        readings=(
            Reading(
                words=(
                    "For n = 5 and b = 0.6: the largest distance, over 19 quantiles of 200,000 simulated"
                    " products, of the integral of the printed density from the share of products below;"
                    " chance exceeds 1.95 over the root of 200,000 once in a thousand times."
                ),
                compute=_farthest_from_printed_density,
                relation="<=",
                target=1.95 / math.sqrt(200_000),
            ),
            Reading(
                words=(
                    "For n = 5 and b = 0.6: the integral of the printed density up to the mean, (b/2)^n,"
                    " against the probability that a Poisson variable of mean 5 ln 2 is at most 4."
                ),
                compute=lambda: _printed_probability(0.3**5, 0.6, 5),
                relation="=",
                target=sum((5 * math.log(2)) ** k / math.factorial(k) for k in range(5)) / 2**5,
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The distance from simulated products is {computed}, and the density is derived exactly. In the"
            " error bound, as the source approximates it, the product comes with a factor 2^n that the source"
            " drops, for one layer and for two alike."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-smaller",
        source=LI,
        place="Section 6.3",
        statement=(
            "At equal mean flip probability the change of the error rate, taken as the product of the flip"
            " probabilities of n important users, is small with high probability under two layers, smaller"
            " than (b/2)^n under one."
        ),
        readings=(
            Reading(
                words=(
                    "More often smaller than not: the probability, for ten users, that the product under U(0,"
                    " b) is smaller than (b/2)^10; it does not depend on b."
                ),
                compute=lambda: error_bounds.delta_cdf(0.3**10, high=0.6, n_users=10),
                relation=">=",
                target=0.5,
            ),
            Reading(
                words=(
                    "Smaller with a probability of at least 0.9 for many users: the same probability for the"
                    " 72 users of peer grading, all of them taken as important."
                ),
                compute=lambda: error_bounds.delta_cdf(0.3**72, high=0.6, n_users=72),
                relation=">=",
                target=0.9,
            ),
            Reading(
                words=(
                    "Smaller in the mean, which is what the source's tables average over runs: the mean of"
                    " the product under U(0, 0.6) for ten users, by integration of the printed density,"
                    " divided by one layer's; to be smaller by a thousandth at least."
                ),
                compute=lambda: _printed_mean(0.6, 10) / 0.3**10,
                relation="<=",
                target=0.999,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The probability is {computed} for ten users, 1/2 for a single one, and goes to 1 as users grow"
            " in number. But the means are equal, (b/2)^n, so that this product shows no gain in the expected"
            " error."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-expansion",
        source=LI,
        place="Equations 10 and 11",
        statement=(
            "The change of the product of 2p by flips is the product of f(1-2p) over the important users, the"
            " sum over users of p times the product of the others' f(1-2p), and so on."
        ),
        readings=(
            Reading(
                words=(
                    "As the expansion of a product of sums, up to a factor that all terms share: the change"
                    " of the product for five users of p = 0.1 and f = 0.3, divided by 2^5 and by the sum of"
                    " the terms."
                ),
                compute=lambda: _change_of_product(0.1, 0.3, 5) / 2**5 / _expansion(0.1, 0.3, 5),
                relation="=",
                target=1.0,
                tolerance=1e-9,
            ),
            Reading(
                words=(
                    "As printed: the change of the product for five users of p = 0.1 and f = 0.3, divided by"
                    " the sum of the printed terms."
                ),
                compute=lambda: _change_of_product(0.1, 0.3, 5) / _expansion(0.1, 0.3, 5),
                relation="=",
                target=1.0,
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.CORRECTED,
        finding=(
            "The change is {computed} times the printed terms: each factor is twice p + f(1-2p), and 2^n is"
            " lost for n important users. In a comparison of one layer with two the factor cancels. As a size"
            " it does not: with pure noise, f = 1/2, the leading term as printed is the smaller the more"
            " users there are, with the factor it is 1."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-dominated",
        source=LI,
        place="Section 6.2.3, after Equation 11",
        statement=(
            "For important users, whose p is close to 0, the change is dominated by the product of their flip"
            " probabilities."
        ),
        readings=(
            Reading(
                words=(
                    "For p = 0.001, five users and f = 0.3: the product of the flip probabilities divided by"
                    " all terms of the expansion, to be 1 within a tenth."
                ),
                compute=lambda: 0.3**5 / _expansion(0.001, 0.3, 5),
                relation="=",
                target=1.0,
                tolerance=0.1,
            ),
            Reading(
                words="For p = 0.1, five users and f = 0.3: that quotient, to be 1 within a tenth.",
                compute=lambda: 0.3**5 / _expansion(0.1, 0.3, 5),
                relation="=",
                target=1.0,
                tolerance=0.1,
            ),
            Reading(
                words=(
                    "For 14 users of p = 0.417, a crowd like peer grading, and f = 0.3: that quotient, to be"
                    " 1 within a tenth."
                ),
                compute=lambda: 0.3**14 / _expansion(0.417, 0.3, 14),
                relation="=",
                target=1.0,
                tolerance=0.1,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "For p = 0.001 the product is {computed} of all terms. For users who err once in ten it is about"
            " half, and for a crowd like the source's own hardly anything."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-change",
        source=LI,
        place="Section 6.2.3, One-Layer Mechanism",
        statement=(
            "Under one layer Error(H) and Error(H_perturbed) of Equation 10 differ by the product of the flip"
            " probabilities of the important users."
        ),
        readings=(
            Reading(
                words=(
                    "Both as the last line of Equation 10 has them, the products of 2p before and after the"
                    " flips, and with the factor 2^5 that its derivation gives: their difference for five"
                    " important users of p = 0.001 in the source's convention, f = 0.3, against 0.6^5, within"
                    " a thousandth."
                ),
                compute=lambda: _change_of_product(0.001, 0.3, 5),
                relation="=",
                target=0.6**5,
                tolerance=0.001,
            ),
            Reading(
                words="That difference as printed, against 0.3^5, within a thousandth.",
                compute=lambda: _change_of_product(0.001, 0.3, 5),
                relation="=",
                target=0.3**5,
                tolerance=0.001,
            ),
        ),
        verdict=Verdict.CORRECTED,
        finding=(
            "The products differ by {computed}. For users whose p is near 0 that is 0.6^5, and 0.3^5 as"
            " printed is 32 times smaller: the factor 2^n of delta-expansion is lost here too. The products"
            " are not error rates, and what flips do to these is judged by delta-error-rate."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-error-rate",
        source=LI,
        place="Equation 10 and Section 6.3",
        statement=(
            "Under one layer the product of the flip probabilities of the important users is the change of"
            " the error rate, by which utility is measured."
        ),
        readings=(
            Reading(
                words=(
                    "For one important user of p = 0.001 in the source's convention, f = 0.3: the change of"
                    " the exact error, against 0.3, within a hundredth."
                ),
                compute=lambda: _change(0.001, 0.3, 1),
                relation="=",
                target=0.3,
                tolerance=0.01,
            ),
            Reading(
                words=(
                    "For five such users, with the factor 2^5 that the derivation gives: the change of the"
                    " exact error, against 0.6^5, within a hundredth."
                ),
                compute=lambda: _change(0.001, 0.3, 5),
                relation="=",
                target=0.6**5,
                tolerance=0.01,
            ),
            Reading(
                words=(
                    "For five such users, as printed: the change of the exact error, against 0.3^5, within a"
                    " hundredth."
                ),
                compute=lambda: _change(0.001, 0.3, 5),
                relation="=",
                target=0.3**5,
                tolerance=0.01,
            ),
            Reading(
                words=(
                    "As a limit that is not passed, with the factor 2^5: the change of the exact error for"
                    " those five users, against 0.6^5."
                ),
                compute=lambda: _change(0.001, 0.3, 5),
                relation="<=",
                target=0.6**5,
            ),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "It holds for a single user whose p is near 0. Five of them, who flip with 0.3, change the error"
            " rate by {computed}; the product is 0.0024, and 0.078 with the factor 2^5 that is lost on the"
            " way. The product stands for a bound, not for the error, and for a bound that does not hold."
            " As the difference of the two products of Equation 10 it is right but for that factor: see"
            " delta-change."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-long-tail",
        source=LI,
        place="Section 6.2.3, below Figure 1, first claim",
        statement=(
            "Under two layers the change has a long-tailed law, a small change being likely and a large one"
            " very unlikely, so that good utility is guaranteed with high probability; the experiments"
            " confirm it."
        ),
        readings=(
            Reading(
                words=(
                    "Of the product of five flip probabilities from U(0, 0.6): the probability that it lies"
                    " in the lower tenth of its range."
                ),
                compute=lambda: error_bounds.delta_cdf(0.6**5 / 10, high=0.6, n_users=5),
                relation=">=",
                target=0.5,
            ),
            Reading(
                words=(
                    "Of the change of the error rate itself, by which utility is measured: the share of 2,000"
                    " runs of truth discovery with U(0, 0.6) on a simulated peer grading whose change is less"
                    " than half of the mean; to be one half at least."
                ),
                compute=_share_of_small_changes,
                relation=">=",
                target=0.5,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "Most of the law is near 0: with five users {computed} lies in the lower tenth of the range, with"
            " a single user a tenth does. That is the law of the product. The change of the error rate has"
            " another one, which is not long-tailed on a simulated peer grading; Section 7 prints means of"
            " 100 runs, which say nothing about the shape of a law."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-smaller-b",
        source=LI,
        place="Section 6.2.3, below Figure 1, second claim",
        statement=(
            "With a fixed, a small change becomes likelier as b falls, and utility better; the experiments"
            " confirm it."
        ),
        readings=(
            Reading(
                words=(
                    "Of the product for two users: the probability of at most 0.05 with b = 0.4 less that"
                    " with b = 0.8."
                ),
                compute=lambda: (
                    error_bounds.delta_cdf(0.05, high=0.4, n_users=2)
                    - error_bounds.delta_cdf(0.05, high=0.8, n_users=2)
                ),
                relation=">=",
                target=0.0,
            ),
            Reading(
                words=(
                    "Of the printed experiments, if a = 0 in them, which is not printed, so that a smaller"
                    " epsilon is a larger b: in how many of the 24 steps down Tables 2 and 3 truth discovery"
                    " with two layers changes the error rate less than in the step before."
                ),
                compute=lambda: _falls(2) + _falls(3),
                relation="=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The probability grows by {computed} here, and at every point, as the product is b^n times that"
            " of probabilities from U(0, 1). The printed tables bear it out if a = 0 in them, as in the"
            " source's analysis; which a and b its experiments took is not printed. A smaller b also protects"
            " less."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-more-users",
        source=LI,
        place="Section 6.2.3, below Figure 1, third claim",
        statement=(
            "More important users make a small change likelier, and utility better; the experiments confirm"
            " it."
        ),
        readings=(
            Reading(
                words=(
                    "Of the product for b = 0.8: the probability of at most 0.05 with six users less that"
                    " with two."
                ),
                compute=lambda: (
                    error_bounds.delta_cdf(0.05, high=0.8, n_users=6)
                    - error_bounds.delta_cdf(0.05, high=0.8, n_users=2)
                ),
                relation=">=",
                target=0.0,
            ),
            Reading(
                words=(
                    "Of the change of the exact error of users of accuracy 0.9 who flip with 0.3: with 15"
                    " users less that with five."
                ),
                compute=lambda: _change(0.1, 0.3, 15) - _change(0.1, 0.3, 5),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words="Of that change for users who flip with 0.4: with five users less that with one.",
                compute=lambda: _change(0.1, 0.4, 5) - _change(0.1, 0.4, 1),
                relation="<=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "Of the product it holds always, a factor of at most 1 being added with each user; the"
            " probability grows by {computed} here. Of the error rate itself it holds for enough users: the"
            " first few lower the error before flips by more than that after. No experiment of Section 7"
            " varies the number of users."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-one-rises",
        source=LI,
        place="Section 6.2.3, One-Layer Mechanism",
        statement=(
            "Under one layer the change increases quickly with the flip probability; the experiments confirm"
            " it."
        ),
        readings=(
            Reading(
                words=(
                    "Of the product of five users: by what factor it grows from epsilon 1 to epsilon 0,"
                    " divided by the factor by which p grows."
                ),
                compute=lambda: (0.5 / _AT_1) ** 4,
                relation=">=",
                target=1.0,
            ),
            Reading(
                words=(
                    "Of the printed changes, truth discovery with one layer in Table 2: 0.2212 at epsilon 0"
                    " by 0.0850 at epsilon 1, divided by the factor by which p grows."
                ),
                compute=lambda: 0.2212 / 0.0850 / (0.5 / _AT_1),
                relation=">=",
                target=1.0,
            ),
            Reading(
                words=(
                    "Quickly compared with two layers, as printed: that quotient of Table 2 less the one of"
                    " two layers, 0.1992 by 0.0619."
                ),
                compute=lambda: 0.2212 / 0.0850 - 0.1992 / 0.0619,
                relation=">=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "It increases faster than p, the product of five users {computed} times as fast, and so do the"
            " printed changes. But the mean of the product under two layers increases by the same factor, and"
            " the printed changes of two layers by larger ones, 3.2 in both tables against 2.6 and 3.1."
        ),
        chapter="categorical-answers/error-bounds",
    ),
)
