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
    """Largest difference of the printed density's integral from the share of products, at 19 quantiles."""
    products = np.random.default_rng(0).uniform(0, 0.6, (5, 200_000)).prod(axis=0)
    shares = np.arange(1, 20) / 20
    points = np.quantile(products, shares)
    found = [_printed_probability(x, 0.6, 5) for x in points.tolist()]
    return float(np.abs(found - shares).max())


def _change(accuracy: float, flip: float, n_users: int) -> float:
    """Increase in the exact error of the best vote of equal users due to flips."""
    before = error_bounds.vote_error([accuracy] * n_users)
    return error_bounds.vote_error([(accuracy + flip * (1 - 2 * accuracy))] * n_users) - before


def _expansion(accuracy: float, flip: float, n_users: int) -> float:
    """Equation 11 in full for equal users: all terms of a product of sums except the last."""
    lost, kept = flip * (1 - 2 * accuracy), accuracy
    return sum(math.comb(n_users, k) * kept**k * lost ** (n_users - k) for k in range(n_users))


def _change_of_product(accuracy: float, flip: float, n_users: int) -> float:
    """Increase in the product of 2p due to flips, Equation 10."""
    return (2 * (accuracy + flip * (1 - 2 * accuracy))) ** n_users - (2 * accuracy) ** n_users


def _falls(number: int) -> float:
    """Number of steps from epsilon 1 down to 0 in which a table's TD with two layers does not rise."""
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
                    "For n = 5 and b = 0.6, we compute the largest difference, over 19 quantiles of 200,000"
                    " simulated products, between the integral of the printed density and the share of"
                    " products below. By chance alone it exceeds 1.95 divided by the square root of 200,000"
                    " once in a thousand times."
                ),
                compute=_farthest_from_printed_density,
                relation="<=",
                target=1.95 / math.sqrt(200_000),
            ),
            Reading(
                words=(
                    "For n = 5 and b = 0.6, we compare the integral of the printed density up to the mean,"
                    " (b/2)^n, with the probability that a Poisson variable of mean 5 ln 2 is at most 4."
                ),
                compute=lambda: _printed_probability(0.3**5, 0.6, 5),
                relation="=",
                target=sum((5 * math.log(2)) ** k / math.factorial(k) for k in range(5)) / 2**5,
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The largest difference from the simulated products is {computed}, and the density is derived"
            " exactly. In the error bound, as the source approximates it, the product comes with a factor"
            " 2^n, which the source drops for one layer and for two."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-smaller",
        source=LI,
        place="Section 6.3",
        statement=(
            "At equal mean flip probability, the change of the error rate, taken as the product of the flip"
            " probabilities of n important users, is small with high probability under two layers: it is"
            " smaller than under one layer, where it is (b/2)^n."
        ),
        readings=(
            Reading(
                words=(
                    "If the claim means smaller more often than not, we compute the probability, for ten"
                    " users, that the product under U(0, b) is smaller than (b/2)^10. It does not depend on"
                    " b."
                ),
                compute=lambda: error_bounds.delta_cdf(0.3**10, high=0.6, n_users=10),
                relation=">=",
                target=0.5,
            ),
            Reading(
                words=(
                    "If the claim means smaller with a probability of at least 0.9 for many users, we compute"
                    " that probability for the 72 users of peer grading, all of them taken as important."
                ),
                compute=lambda: error_bounds.delta_cdf(0.3**72, high=0.6, n_users=72),
                relation=">=",
                target=0.9,
            ),
            Reading(
                words=(
                    "If the claim means smaller on average, which is what the source's tables average over"
                    " runs, we compute the mean of the product under U(0, 0.6) for ten users, by integration"
                    " of the printed density, divided by that of one layer. The mean must be smaller by at"
                    " least a thousandth."
                ),
                compute=lambda: _printed_mean(0.6, 10) / 0.3**10,
                relation="<=",
                target=0.999,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The probability is {computed} for ten users and 1/2 for a single one, and it approaches 1 as the"
            " number of users grows. But the means are equal, (b/2)^n, so this product shows no gain in the"
            " expected error."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-expansion",
        source=LI,
        place="Equations 10 and 11",
        statement=(
            "The change that flips make to the product of 2p is the product of f(1-2p) over the important"
            " users, plus the sum over users of p times the product of the others' f(1-2p), and so on."
        ),
        readings=(
            Reading(
                words=(
                    "As the expansion of a product of sums, up to a factor that all terms share: we compute"
                    " the change of the product for five users of p = 0.1 and f = 0.3, divided by 2^5 and by"
                    " the sum of the terms."
                ),
                compute=lambda: _change_of_product(0.1, 0.3, 5) / 2**5 / _expansion(0.1, 0.3, 5),
                relation="=",
                target=1.0,
                tolerance=1e-9,
            ),
            Reading(
                words=(
                    "As printed: we compute the change of the product for five users of p = 0.1 and f = 0.3,"
                    " divided by the sum of the printed terms."
                ),
                compute=lambda: _change_of_product(0.1, 0.3, 5) / _expansion(0.1, 0.3, 5),
                relation="=",
                target=1.0,
                tolerance=1e-9,
            ),
        ),
        verdict=Verdict.CORRECTED,
        finding=(
            "The change is {computed} times the sum of the printed terms: each factor is twice p + f(1-2p),"
            " and 2^n is lost for n important users. In a comparison of one layer with two the factor"
            " cancels. As a size it does not cancel: with pure noise, f = 1/2, the leading term as printed"
            " gets smaller with more users, while with the factor it is 1."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-dominated",
        source=LI,
        place="Section 6.2.3, after Equation 11",
        statement=(
            "For important users, whose p is close to 0, the product of their flip probabilities dominates"
            " the change."
        ),
        readings=(
            Reading(
                words=(
                    "For p = 0.001, five users and f = 0.3, the product of the flip probabilities divided by"
                    " the sum of all terms of the expansion must be 1 within a tenth."
                ),
                compute=lambda: 0.3**5 / _expansion(0.001, 0.3, 5),
                relation="=",
                target=1.0,
                tolerance=0.1,
            ),
            Reading(
                words="For p = 0.1, five users and f = 0.3, that quotient must be 1 within a tenth.",
                compute=lambda: 0.3**5 / _expansion(0.1, 0.3, 5),
                relation="=",
                target=1.0,
                tolerance=0.1,
            ),
            Reading(
                words=(
                    "For 14 users of p = 0.417, a crowd like peer grading, and f = 0.3, that quotient must be"
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
            "For p = 0.001 the product is {computed} of the sum of all terms. For users who err once in ten"
            " it is about half, and for a crowd like the source's own it is hardly anything."
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
                    "We take both as in the last line of Equation 10, the products of 2p before and after the"
                    " flips, with the factor 2^5 that its derivation gives. We compare their difference with"
                    " 0.6^5, within a thousandth, for five important users of p = 0.001 in the source's"
                    " convention and f = 0.3."
                ),
                compute=lambda: _change_of_product(0.001, 0.3, 5),
                relation="=",
                target=0.6**5,
                tolerance=0.001,
            ),
            Reading(
                words="We compare that difference with 0.3^5, as printed, within a thousandth.",
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
            " are not error rates; delta-error-rate judges what flips do to those."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-error-rate",
        source=LI,
        place="Equation 10 and Section 6.3",
        statement=(
            "Under one layer the product of the flip probabilities of the important users is the change of"
            " the error rate, which measures utility."
        ),
        readings=(
            Reading(
                words=(
                    "For one important user of p = 0.001 in the source's convention and f = 0.3, we compare"
                    " the change of the exact error with 0.3, within a hundredth."
                ),
                compute=lambda: _change(0.001, 0.3, 1),
                relation="=",
                target=0.3,
                tolerance=0.01,
            ),
            Reading(
                words=(
                    "For five such users, with the factor 2^5 that the derivation gives, we compare the"
                    " change of the exact error with 0.6^5, within a hundredth."
                ),
                compute=lambda: _change(0.001, 0.3, 5),
                relation="=",
                target=0.6**5,
                tolerance=0.01,
            ),
            Reading(
                words=(
                    "For five such users, as printed, we compare the change of the exact error with 0.3^5,"
                    " within a hundredth."
                ),
                compute=lambda: _change(0.001, 0.3, 5),
                relation="=",
                target=0.3**5,
                tolerance=0.01,
            ),
            Reading(
                words=(
                    "As an upper limit, with the factor 2^5: we compare the change of the exact error for"
                    " those five users with 0.6^5."
                ),
                compute=lambda: _change(0.001, 0.3, 5),
                relation="<=",
                target=0.6**5,
            ),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "It holds for a single user whose p is near 0. Five of them, who flip with probability 0.3,"
            " change the error rate by {computed}; the product is 0.0024, and 0.078 with the factor 2^5 that"
            " is lost on the way. The product stands for a bound, not for the error, and the bound does not"
            " hold. As the difference of the two products of Equation 10 it is right except for that factor:"
            " see delta-change."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-long-tail",
        source=LI,
        place="Section 6.2.3, below Figure 1, first claim",
        statement=(
            "Under two layers the change has a long-tailed distribution: a small change is likely and a large"
            " one very unlikely, so that good utility is guaranteed with high probability. The experiments"
            " confirm it."
        ),
        readings=(
            Reading(
                words=(
                    "For the product of five flip probabilities from U(0, 0.6), we compute the probability"
                    " that it lies in the lower tenth of its range."
                ),
                compute=lambda: error_bounds.delta_cdf(0.6**5 / 10, high=0.6, n_users=5),
                relation=">=",
                target=0.5,
            ),
            Reading(
                words=(
                    "For the change of the error rate itself, which measures utility, we compute the share of"
                    " 2,000 runs of truth discovery with U(0, 0.6) on a simulated peer grading whose change"
                    " is less than half of the mean. It must be at least one half."
                ),
                compute=_share_of_small_changes,
                relation=">=",
                target=0.5,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "Most of the distribution is near 0: with five users a share of {computed} lies in the lower"
            " tenth of the range, and with a single user a tenth does. That is the distribution of the"
            " product. The change of the error rate has another one, which is not long-tailed on a simulated"
            " peer grading. Section 7 prints means of 100 runs, which say nothing about the shape of a"
            " distribution."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-smaller-b",
        source=LI,
        place="Section 6.2.3, below Figure 1, second claim",
        statement=(
            "For fixed a, a small change becomes likelier as b falls, and utility gets better; the"
            " experiments confirm it."
        ),
        readings=(
            Reading(
                words=(
                    "For the product of two users, we compute the probability that it is at most 0.05 with b"
                    " = 0.4 minus that with b = 0.8."
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
                    "For the printed experiments, we assume a = 0, which is not printed, so that a smaller"
                    " epsilon means a larger b. We count in how many of the 24 steps down Tables 2 and 3"
                    " truth discovery with two layers changes the error rate less than in the step before."
                ),
                compute=lambda: _falls(2) + _falls(3),
                relation="=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The probability grows by {computed} here, and it grows at every point, because the product is"
            " b^n times that of probabilities from U(0, 1). The printed tables confirm it if a = 0 in them,"
            " as in the source's analysis; the a and b of its experiments are not printed. A smaller b also"
            " protects less."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-more-users",
        source=LI,
        place="Section 6.2.3, below Figure 1, third claim",
        statement=(
            "With more important users a small change is likelier, and utility is better; the experiments"
            " confirm it."
        ),
        readings=(
            Reading(
                words=(
                    "For the product with b = 0.8, we compute the probability that it is at most 0.05 with"
                    " six users minus that with two."
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
                    "For the change of the exact error of users of accuracy 0.9 who flip with probability"
                    " 0.3, we compute that with 15 users minus that with five."
                ),
                compute=lambda: _change(0.1, 0.3, 15) - _change(0.1, 0.3, 5),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "For users who flip with probability 0.4, we compute that change with five users minus"
                    " that with one."
                ),
                compute=lambda: _change(0.1, 0.4, 5) - _change(0.1, 0.4, 1),
                relation="<=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "It always holds for the product, because each user adds a factor of at most 1; the probability"
            " grows by {computed} here. For the error rate itself it holds once there are enough users: the"
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
                    "For the product of five users, we compute the factor by which it grows from epsilon 1 to"
                    " epsilon 0, divided by the factor by which p grows."
                ),
                compute=lambda: (0.5 / _AT_1) ** 4,
                relation=">=",
                target=1.0,
            ),
            Reading(
                words=(
                    "For the printed changes of truth discovery with one layer in Table 2, we divide 0.2212"
                    " at epsilon 0 by 0.0850 at epsilon 1, and the result by the factor by which p grows."
                ),
                compute=lambda: 0.2212 / 0.0850 / (0.5 / _AT_1),
                relation=">=",
                target=1.0,
            ),
            Reading(
                words=(
                    "If quickly is meant in comparison with two layers, as printed, we compute that quotient"
                    " of Table 2 minus that of two layers, 0.1992 divided by 0.0619."
                ),
                compute=lambda: 0.2212 / 0.0850 - 0.1992 / 0.0619,
                relation=">=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "It increases faster than p: the product of five users increases {computed} times as fast, and"
            " the printed changes increase faster too. But the mean of the product under two layers increases"
            " by the same factor, and the printed changes of two layers increase by larger ones, 3.2 in both"
            " tables against 2.6 and 3.1."
        ),
        chapter="categorical-answers/error-bounds",
    ),
)
