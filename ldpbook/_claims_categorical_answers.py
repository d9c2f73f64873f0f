"""Claims of the part categorical answers."""

import functools
import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ldpbook import bounds, datasets
from ldpbook._claim import Claim, Reading, Verdict
from ldpbook.answers import Matrix, to_matrix
from ldpbook.comparison import error_rate_changes, mean_and_error
from ldpbook.one_layer import OneLayerFlip
from ldpbook.privacy import discrete_epsilon
from ldpbook.truth import majority_vote, weighted_vote
from ldpbook.two_layer import TwoLayerFlip, layers_at

_LI = "li2018twolayer"


def printed_table(number: int) -> pd.DataFrame:
    """Table 2 or 3 of Li et al. (2018): changes of the error rate, as printed.

    Parameters
    ----------
    number : {2, 3}
        Which: 2 is peer grading, 3 is Duchenne.

    Returns
    -------
    DataFrame
        Columns epsilon, layer, vote, printed; 52 rows.

    Raises
    ------
    KeyError
        If there is no such table.

    Notes
    -----
    Source: Li et al. (2018), Tables 2 and 3.
    Derived in: categorical-answers/trade-off

    Examples
    --------
    >>> printed_table(3).tail(1).to_string(index=False, header=False)
    '0.0 two layers TD 0.1793'
    """
    rows = []
    for line in _PRINTED_TABLES[number].split("\n"):
        epsilon, *values = map(float, line.split())
        rows += [(epsilon, *column, value) for column, value in zip(_COLUMNS, values, strict=True)]
    return pd.DataFrame(rows, columns=["epsilon", "layer", "vote", "printed"])


_COLUMNS = [("one layer", "MV"), ("one layer", "TD"), ("two layers", "MV"), ("two layers", "TD")]


_PRINTED_TABLES = {
    2: """\
1.0 0.1019 0.0850 0.0885 0.0619
0.9 0.1135 0.0954 0.1112 0.0800
0.8 0.1300 0.1127 0.1212 0.0827
0.7 0.1404 0.1135 0.1265 0.0923
0.6 0.1615 0.1408 0.1554 0.1138
0.5 0.1669 0.1546 0.1631 0.1262
0.4 0.1788 0.1604 0.1696 0.1354
0.3 0.1842 0.1658 0.1785 0.1415
0.2 0.2042 0.1823 0.1938 0.1581
0.1 0.2269 0.2088 0.2165 0.1723
0.01 0.2373 0.2135 0.2327 0.1865
0.001 0.2485 0.2196 0.2377 0.1958
0.0 0.2504 0.2212 0.2419 0.1992""",
    3: """\
1.0 0.1228 0.0735 0.1240 0.0560
0.9 0.1296 0.0870 0.1337 0.0629
0.8 0.1438 0.1104 0.1447 0.0709
0.7 0.1459 0.1157 0.1564 0.0821
0.6 0.1699 0.1321 0.1701 0.0906
0.5 0.1784 0.1562 0.1738 0.0962
0.4 0.1917 0.1769 0.1903 0.1081
0.3 0.2126 0.1930 0.2133 0.1271
0.2 0.2218 0.2016 0.2160 0.1379
0.1 0.2335 0.2086 0.2248 0.1511
0.01 0.2406 0.2150 0.2362 0.1742
0.001 0.2414 0.2178 0.2426 0.1774
0.0 0.2516 0.2277 0.2447 0.1793""",
}


def _ducks() -> tuple[Matrix, NDArray[np.float64]]:
    crowd = datasets.load_ducks()
    return to_matrix(crowd.answers), crowd.gold.sort_index().to_numpy(dtype=float)


def _excess_of_discovery() -> float:
    """Error rate of truth discovery less that of the majority, on the ducks."""
    answers, truth = _ducks()
    wrong = weighted_vote(answers, 2).truth != truth
    return float(wrong.mean() - (majority_vote(answers, 2) != truth).mean())


@functools.cache
def _column_means(number: int) -> pd.Series:
    """Mean over the epsilons of each column of Table 2 or 3, redone on simulated crowds."""
    simulate, n_crowds = {2: (datasets.simulate_peer_grading, 40), 3: (datasets.simulate_duchenne, 6)}[number]
    epsilons = printed_table(number)["epsilon"].unique()
    flips = {(e, name): flip for e in epsilons for name, flip in layers_at(e, 2).items()}
    rng = np.random.default_rng(number)
    crowds = [simulate(rng) for _ in range(n_crowds)]
    runs = pd.concat(
        error_rate_changes(
            crowd.answers,
            crowd.truth[crowd.scored],
            flips,
            n_choices=2,
            n_trials=4,
            rng=rng,
            scored=crowd.scored,
        )
        for crowd in crowds
    )
    runs["layer"] = [name for _, name in runs["mechanism"]]
    return runs.groupby(["layer", "vote"])["error_change"].mean()


def _column_claim(number: int, layer: str, vote: str) -> Claim:
    """The claim that a column of Table 2 or 3 comes out in size."""
    crowd = {2: "peer grading", 3: "Duchenne"}[number]
    printed = printed_table(number).groupby(["layer", "vote"])["printed"].mean()[(layer, vote)]
    majority = vote == "MV"
    return Claim(
        id=f"table-{number}-{vote.lower()}-{layer.split()[0]}",
        source=_LI,
        place=f"Table {number}, {vote} with {layer}",
        statement=(
            f"Changes of the error rate on {crowd} at 13 values of epsilon; here their mean, read as"
            " agreeing if it comes within 0.02."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: _column_means(number)[(layer, vote)],
                relation="=",
                target=float(printed),
                tolerance=0.02,
            ),
        ),
        verdict=Verdict.READING if majority else Verdict.UNDECIDED,
        finding=(
            "On crowds simulated to the published statistics {computed}."
            + (
                ""
                if majority
                else " Truth discovery depends on how users differ and on the weight function, which are not"
                " published."
            )
        ),
        chapter="categorical-answers/trade-off",
    )


def _error_at_zero() -> float:
    """Error rate of truth discovery after U(0, 1), simulated Duchenne; each run with its mirror image."""
    crowd = datasets.simulate_duchenne(1)
    flip = layers_at(0.0, 2)["two layers"].perturb(np.tile(crowd.answers, (10, 1)), 0)
    runs = flip.reshape(10, *crowd.answers.shape)
    rng = np.random.default_rng(1)
    wrong = [weighted_vote(r, 2, rng=rng).truth != crowd.truth for r in (runs, 1 - runs)]
    return float(np.mean(wrong))


def _gain_on_ducks(epsilon: float, n_answers: int | None) -> float:
    """TD error rate of two layers less that of one layer, 300 runs on the ducks."""
    answers, truth = _ducks()
    layers = layers_at(epsilon, 2, n_answers=n_answers)
    runs = error_rate_changes(answers, truth, layers, n_choices=2, n_trials=300, rng=np.random.default_rng(0))
    rates = runs[runs["vote"] == "TD"].groupby("mechanism")["error_rate"].mean()
    return float(rates["two layers"] - rates["one layer"])


def _majority_between_layers() -> float:
    """Difference of the majority's error rates under two layers and one, in standard errors."""
    voters = datasets.simulate_peer_grading(1)
    rng = np.random.default_rng(0)
    flips = {"one": OneLayerFlip(0.3, 2), "two": TwoLayerFlip(0.0, 0.6, 2)}
    runs = error_rate_changes(voters.answers, voters.truth, flips, n_choices=2, n_trials=4000, rng=rng)
    means = mean_and_error(runs[runs["vote"] == "MV"], ["mechanism"], "error_rate")
    return float(np.diff(means["mean"])[0] / np.hypot(*means["error"]))


def _weights_follow_flips() -> float:
    """Correlation of flip probability and weight on simulated Duchenne, mean of 20 runs."""
    answers = datasets.simulate_duchenne(1).answers
    rng = np.random.default_rng(0)
    drawn = rng.uniform(0, 0.6, (20, len(answers), 1))
    stack = np.where(rng.random((20, *answers.shape)) < drawn, 1 - answers, answers)
    weight = weighted_vote(stack, 2, rng=rng).weight
    return float(np.mean([np.corrcoef(p[:, 0], w)[0, 1] for p, w in zip(drawn, weight, strict=True)]))


def _two_layers_at_true_epsilon() -> float:
    """Error of the best vote of seven users under two layers less that under one, at equal epsilon."""
    low, p = bounds.two_layer_low(1.0, 2, high=0.5, n_answers=277), bounds.one_layer_flip_probability(1.0, 2)
    drawn = np.random.default_rng(0).uniform(low, 0.5, (400, 7))
    two = np.mean([bounds.vote_error(0.8 - 0.6 * flips) for flips in drawn])
    return float(two - bounds.vote_error([0.8 - 0.6 * p] * 7))


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="td-better",
        source=_LI,
        place="Section 4",
        statement=(
            "Weighing users by their estimated quality improves on majority voting; here the error rate"
            " of truth discovery less that of the majority, unperturbed, on the ducks."
        ),
        readings=(Reading(words="", compute=_excess_of_discovery, relation="<=", target=0.0),),
        verdict=Verdict.REFUTED,
        finding=(
            "It is {computed} worse: workers overlook ducks together, and truth discovery believes those"
            " who do. Confusion matrices (Dawid and Skene) are far better there."
        ),
        chapter="categorical-answers/voting",
        needs="load_ducks",
    ),
    Claim(
        id="flip-privacy",
        source=_LI,
        place="Theorem 6.2 and Example 1",
        statement=(
            "Flipping with probability p among s choices is ln((1-p)(s-1)/p)-LDP; here the example,"
            " p = 0.4 and s = 2."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: discrete_epsilon(OneLayerFlip(0.4, 2).transition_matrix),
                relation="=",
                target=math.log(0.6 / 0.4),
                tolerance=1e-12,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="The exact loss is {computed}.",
        chapter="categorical-answers/one-layer",
    ),
    Claim(
        id="flip-range",
        source=_LI,
        place="Theorem 6.2",
        statement="The same for every flip probability; tried at p = 0.9, s = 2, where the formula is negative.",
        readings=(
            Reading(
                words="",
                compute=lambda: discrete_epsilon(OneLayerFlip(0.9, 2).transition_matrix),
                relation="=",
                target=math.log(0.1 / 0.9),
                tolerance=1e-12,
            ),
        ),
        verdict=Verdict.CORRECTED,
        finding=(
            "The exact loss is {computed}, the absolute value of what the formula gives. Beyond"
            " p = 1 - 1/s flipping more tells more."
        ),
        chapter="categorical-answers/one-layer",
    ),
    Claim(
        id="two-layer-one",
        source=_LI,
        place="Theorem 6.3",
        statement=(
            "Flipping with a probability from U(a, b) is ln((2-a-b)(s-1)/(a+b))-LDP; here for a user"
            " with one answer, U(0, 0.6), s = 2."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: bounds.two_layer_epsilon(0.0, 0.6, 2),
                relation="=",
                target=math.log(1.4 / 0.6),
                tolerance=1e-12,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="The exact loss is {computed}.",
        chapter="categorical-answers/two-layer",
    ),
    Claim(
        id="two-layer-equal",
        source=_LI,
        place="Theorem 6.4",
        statement=(
            "Two layers are as private as one if (a + b)/2 = p; here the difference of the exact"
            " losses for one answer, U(0, 0.6) against p = 0.3."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: bounds.two_layer_epsilon(0.0, 0.6, 2) - bounds.one_layer_epsilon(0.3, 2),
                relation="=",
                target=0.0,
                tolerance=1e-12,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="They agree for a user with a single answer.",
        chapter="categorical-answers/two-layer",
    ),
    Claim(
        id="two-layer-majority",
        source=_LI,
        place="Section 7.2 (1)",
        statement=(
            "Majority voting does similarly under one and under two layers of equal mean flip probability;"
            " here the difference of error rates, U(0, 0.6) against p = 0.3, in standard errors of 4,000 runs"
            " on simulated peer grading."
        ),
        readings=(
            Reading(words="", compute=_majority_between_layers, relation="=", target=0.0, tolerance=4.0),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The expected error rates are not only similar but equal: within a task the votes have the same"
            " joint law."
        ),
        chapter="categorical-answers/two-layer",
    ),
    Claim(
        id="weights-follow-flips",
        source=_LI,
        place="Section 7.2 (2) and Figure 2",
        statement=(
            "The more a user flips, the smaller is the weight that truth discovery estimates; here the"
            " correlation of both, the mean of 20 runs with U(0, 0.6) on simulated Duchenne."
        ),
        readings=(Reading(words="", compute=_weights_follow_flips, relation="<=", target=0.0),),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The correlation is {computed}: there, but faint. It is strong on crowds that are more often"
            " right and vanishes with the five answers a user of peer grading."
        ),
        chapter="categorical-answers/two-layer",
    ),
    Claim(
        id="two-layer-privacy",
        source=_LI,
        place="Theorem 6.3",
        statement=(
            "The same bound for users who flip all of their answers with one probability, as the"
            " mechanism has it; tried on 69 answers."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: bounds.two_layer_epsilon(0.0, 0.6, 2, 69),
                relation="<=",
                target=math.log(1.4 / 0.6),
            ),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "The exact worst-case loss of one cell is {computed}: the other answers reveal how much the"
            " user flips. It grows with their number, without bound if a = 0."
        ),
        chapter="categorical-answers/price-of-reuse",
    ),
    Claim(
        id="two-layer-utility",
        source=_LI,
        place="Abstract and Section 6.3",
        statement=(
            "Two layers give the same privacy as one layer and better utility; here the error of the best"
            " vote of seven users with accuracy 0.8 under two layers, known to the curator, less that under"
            " one layer, both at the exact epsilon 1 of 277 answers, flips up to 1/2."
        ),
        readings=(Reading(words="", compute=_two_layers_at_true_epsilon, relation="<=", target=0.0),),
        verdict=Verdict.REFUTED,
        finding=(
            "Two layers err more often by {computed}. A guarantee for any number of answers makes everybody"
            " flip at least as much as in one layer; two layers are then one layer with further flips."
        ),
        chapter="categorical-answers/price-of-reuse",
    ),
    Claim(
        id="vote-bound",
        source=_LI,
        place="Equations 6 and 7",
        statement=(
            "The error of a vote weighted by log-odds is at most the product of G; tried on five users of"
            " accuracy 0.9."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: bounds.vote_error([0.9] * 5),
                relation="<=",
                target=bounds.vote_error_bound([0.9] * 5),
            ),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "The exact error is {computed}. A power is taken out of an expectation, which Jensen's inequality"
            " allows in the other direction only; half the product of 2 sqrt(p(1-p)) holds."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="vote-bound-turned",
        source=_LI,
        place="Section 6.2.1",
        statement=(
            "Users may be taken to have accuracies of at most 1/2 without loss of generality; the bound for"
            " the same five users counted as 0.1."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: bounds.vote_error([0.1] * 5),
                relation="<=",
                target=bounds.vote_error_bound([0.1] * 5),
            ),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "The users are equivalent and the exact error is the same, {computed}, but G(0.1) = 0.1355 and"
            " G(0.9) = 0.3290."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="vote-bound-weak",
        source=_LI,
        place="Equations 6 and 7",
        statement="The same bound for five weaker users, of accuracy 0.3.",
        readings=(
            Reading(
                words="",
                compute=lambda: bounds.vote_error([0.3] * 5),
                relation="<=",
                target=bounds.vote_error_bound([0.3] * 5),
            ),
        ),
        verdict=Verdict.REFUTED,
        finding="The exact error is {computed}.",
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="g-near-2p",
        source=_LI,
        place="Section 6.2.2",
        statement="G(p) is very close to 2p, read as within a tenth; tried at p = 0.1.",
        printed="0.2",
        readings=(
            Reading(
                words="",
                compute=lambda: bounds.vote_error_bound([0.1]),
                relation="=",
                target=0.2,
                tolerance=0.02,
            ),
        ),
        verdict=Verdict.REFUTED,
        finding="G(0.1) = {computed}, two thirds of it, and at 0.01 half of it; neither leads to a bound.",
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-density",
        source=_LI,
        place="Section 6.2.3",
        statement=(
            "The printed density of a product of n flip probabilities; here its probability of less than"
            " (b/2)^n for n = 5 against the share in 200,000 simulated products."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: (
                    np.random.default_rng(0).uniform(0, 0.6, (5, 200_000)).prod(axis=0) < 0.3**5
                ).mean(),
                relation="=",
                target=bounds.delta_cdf(0.3**5, high=0.6, n_users=5),
                tolerance=4 * math.sqrt(0.732 * 0.268 / 200_000),
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="Simulated {computed}, within four standard errors.",
        chapter="categorical-answers/error-bounds",
    ),
    Claim(
        id="delta-smaller",
        source=_LI,
        place="Section 6.3",
        statement=(
            "Delta is smaller under two layers than under one with high probability; here the probability"
            " for ten important users, against one half."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: bounds.delta_cdf(0.3**10, high=0.6, n_users=10),
                relation=">=",
                target=0.5,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The probability is {computed}, and 1/2 for a single user; but the means are equal, (b/2)^n, so"
            " that Delta shows no gain in the expected error."
        ),
        chapter="categorical-answers/error-bounds",
    ),
    *(_column_claim(number, layer, vote) for number in (2, 3) for layer, vote in _COLUMNS),
    Claim(
        id="td-two-layers-best",
        source=_LI,
        place="Section 7.2 (3)",
        statement=(
            "Truth discovery errs less under two layers than under one at equal nominal epsilon; here the"
            " difference of error rates on the ducks, epsilon = 0.5, 300 runs."
        ),
        readings=(Reading(words="", compute=lambda: _gain_on_ducks(0.5, None), relation="<=", target=0.0),),
        verdict=Verdict.REPRODUCED,
        finding="The difference is {computed}. It vanishes at epsilon = 2.",
        chapter="categorical-answers/trade-off",
        needs="load_ducks",
    ),
    Claim(
        id="td-two-layers-true",
        source=_LI,
        place="Section 7.2 (3)",
        statement=(
            "The same at the same privacy, which the claim assumes: epsilon = 0.5 exactly for the 108 answers"
            " that every worker gives."
        ),
        readings=(Reading(words="", compute=lambda: _gain_on_ducks(0.5, 108), relation="<=", target=0.0),),
        verdict=Verdict.REFUTED,
        finding="At equal true epsilon two layers err more often than one, by {computed}.",
        chapter="categorical-answers/trade-off",
        needs="load_ducks",
    ),
    Claim(
        id="zero-epsilon",
        source=_LI,
        place="Table 3, epsilon = 0",
        statement=(
            "At epsilon = 0 truth discovery with two layers still does better than chance: a base error of"
            " 0.24 and a change of 0.1793."
        ),
        readings=(
            Reading(words="", compute=_error_at_zero, relation="=", target=0.24 + 0.1793, tolerance=0.02),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "The expected error is one half, exactly, for every rule that treats both answers alike, since all"
            " answers turned round are as likely as they are; here ten runs with their mirror images"
            " give {computed}."
        ),
        chapter="categorical-answers/trade-off",
    ),
)
