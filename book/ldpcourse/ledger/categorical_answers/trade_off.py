"""Claims judged in the chapter categorical-answers/trade-off."""

import functools
from typing import Any, Literal

import numpy as np

from ldpbook.categorical_answers.trade_off import error_rate_changes, layers_at
from ldpbook.categorical_answers.voting import majority_vote, weighted_vote
from ldpcourse.ledger.categorical_answers._shared import LI, bluebirds
from ldpcourse.ledger.claim import Claim, Reading, Verdict, tried
from ldpcourse.printed import COLUMNS, printed_table
from ldpcourse.runs.kept import stored


def _column_deviation(number: int, layer: str, vote: str, base: str) -> float:
    """Redone mean of a column less the printed one, as `column_deviations` found it."""
    kept = stored("column-deviations").set_index(["number", "vote"])[f"{layer}, {base}"]
    return float(kept[number, vote])


def _column_claim(number: int, layer: str, vote: str) -> Claim:
    """The claim that a column of Table 2 or 3 comes out in size."""
    crowd, n_crowds, limit = ("peer grading", 24, 2.07) if number == 2 else ("Duchenne", 24, 2.07)
    if (number, vote) == (3, "TD"):
        n_crowds, limit = 10, 2.26
    simulated = f"{n_crowds} crowds simulated to the published statistics of the {crowd} data"
    judged = (
        "in standard deviations of one more crowd, the noise of our runs taken out; within"
        f" {limit}, the 0.975 quantile of Student's t, it counts as the same size."
    )
    bases = {"printed": f"the printed base error, {'7 of 26' if number == 2 else '38 of 159'} tasks"}
    if vote == "TD":
        own = "the error of one unperturbed election with random ties on the same crowd"
        bases = {"own": f"{own}, the printed base being that of MV", **bases}
    return Claim(
        id=f"table-{number}-{vote.lower()}-{layer.split()[0]}",
        source=LI,
        place=f"Table {number}, {vote} with {layer}",
        statement=(
            f"{'Majority voting' if vote == 'MV' else 'Truth discovery'} with {layer} changes the error rate"
            f" on {crowd} as printed at 13 values of epsilon."
        ),
        readings=(
            *(
                Reading(
                    words=(
                        f"As changes, on {simulated}, counted from {words}: the redone mean of the column"
                        f" less the printed one, {judged}"
                    ),
                    compute=functools.partial(_column_deviation, number, layer, vote, base),
                    relation="=",
                    target=0.0,
                    tolerance=limit,
                )
                for base, words in bases.items()
            ),
            Reading(
                words=(
                    f"As error rates, on {simulated}: the printed changes are counted from the base error"
                    f" that the table implies, one half less the entry of {vote} with one layer at epsilon 0,"
                    f" where all is noise. The redone mean of the column less the printed one, {judged}"
                ),
                compute=lambda: _column_deviation(number, layer, vote, "implied"),
                relation="=",
                target=0.0,
                tolerance=limit,
            ),
        ),
        verdict=Verdict.UNDECIDED if (number, vote, layer) in _UNDECIDED else Verdict.READING,
        finding=_COLUMN_FINDINGS[number, vote, layer],
        chapter="categorical-answers/trade-off",
    )


_UNDECIDED = {(2, "TD", "two layers"), (3, "TD", "one layer"), (3, "TD", "two layers")}


def _gain_on_bluebirds(
    epsilon: float, *, n_answers: int | None = None, unit: Literal["cell", "worker"] = "cell"
) -> float:
    """TD error rate of two layers less that of one layer, 300 runs on the bluebirds."""
    answers, truth = bluebirds()
    layers = layers_at(epsilon, 2, n_answers=n_answers, unit=unit)
    runs = error_rate_changes(answers, truth, layers, choices=2, n_trials=300, rng=np.random.default_rng(0))
    rates = runs[runs["vote"] == "TD"].groupby("mechanism")["error_rate"].mean()
    return float(rates["two layers"] - rates["one layer"])


def _gain_on_simulated_duchenne() -> float:
    """TD error rate of two layers less that of one, mean over the 13 epsilons of Table 3."""
    runs = stored("printed-numbers")
    means = runs[runs["number"] == 3].groupby("layer")["TD rate"].mean()
    return float(means["two layers"] - means["one layer"])


def _gain_on_simulated_peer_grading() -> float:
    """TD error rate of two layers less that of one, mean over the 13 epsilons of Table 2, in standard errors.

    Of our runs alone: both layers ran on the same 96 crowds, 100 times each.
    """
    runs = stored("printed-numbers")
    own: Any = runs[runs["number"] == 2].groupby("layer")
    means, variances = own["TD rate"].mean(), own["TD run"].apply(lambda run: (run**2).mean() / 9600 / 13)
    return float((means["two layers"] - means["one layer"]) / np.sqrt(variances.sum()))


def _least_gain_on_bluebirds() -> float:
    """Two layers less one, TD on the bluebirds, in standard errors: the largest over the 13 epsilons."""
    kept: Any = stored("layers-on-birds").set_index("unit").loc["answer"]
    gains = []
    for epsilon in printed_table(2)["epsilon"].unique():
        one, two = (f"{epsilon}, {layer}, TD" for layer in ("one layer", "two layers"))
        error = np.hypot(kept[f"{one}, error"], kept[f"{two}, error"])
        gains.append((kept[two] - kept[one]) / error)
    return float(max(gains))


def _left_of_change(number: int | None, epsilon: float | None = None, *, one_base: bool = False) -> float:
    """Change of TD with two layers divided by that of MV: as printed at an epsilon, or on our crowds.

    Of crowds like Table 2 or 3 the mean changes over the 13 epsilons, counted from their own bases; without
    a number, of the bluebirds, counted from the votes without flips, or both from that of the majority.
    """
    if number is None:
        answers, truth = bluebirds()
        kept: Any = stored("layers-on-birds").set_index("unit").loc["answer"]
        majority = majority_vote(answers, 2)
        bases = {"MV": majority, "TD": majority if one_base else weighted_vote(answers, 2).truth}
        mv, td = (kept[f"{epsilon}, two layers, {vote}"] - (x != truth).mean() for vote, x in bases.items())
    elif epsilon is None:
        runs: Any = stored("printed-numbers").query(f"number == {number} and layer == 'two layers'")
        mv, td = runs["MV rate"].mean() - {2: 7 / 26, 3: 38 / 159}[number], runs["TD change"].mean()
    else:
        table: Any = printed_table(number).set_index(["epsilon", "layer", "vote"])["printed"]
        mv, td = (table[epsilon, "two layers", vote] for vote in ("MV", "TD"))
    return float(td / mv)


_FINDING_OF_RATES = (
    "Counted as error rates from the base that the table implies, the column comes out on crowds simulated to"
    " the published statistics, {computed} deviations of one more crowd away. Counted from the printed base,"
    " 38 of 159 tasks, the redone values are larger than printed; with that base the printed change of one"
    " layer at epsilon 0 makes an error rate of 0.491, not one half."
)


_UNDECIDED_FINDING = (
    "On crowds simulated to the published statistics our truth discovery errs more than printed, as changes"
    " by {computed} deviations of one more crowd, from the printed base or as error rates by more. Users who"
    " differ by other standard deviations, from 0.05 to 0.1, do not make up for it, nor did either of two"
    " other weight functions. Both entries at epsilon 0 no rule can give that treats the choices alike. How"
    " answers are spread, a rule of another kind, its ties or its base might; they are not published."
)


_COLUMN_FINDINGS = {
    (2, "MV", "one layer"): (
        "Counted from the printed base the column comes out on crowds simulated to the published statistics,"
        " {computed} deviations of one more crowd away; as error rates, from the base that the table implies,"
        " it does too."
    ),
    (2, "MV", "two layers"): (
        "Counted from the printed base the column comes out on crowds simulated to the published statistics,"
        " {computed} deviations of one more crowd away. As error rates, from the base that the table implies,"
        " the redone values are larger by slightly more than counts as the same."
    ),
    (2, "TD", "one layer"): (
        "Counted from the error of one unperturbed election the column comes out on crowds simulated to the"
        " published statistics, {computed} deviations of one more crowd away; as error rates, from the base"
        " that the table implies, it does too. From the printed base, if it is that of truth discovery as"
        " well, the redone values are larger, by 2.9."
    ),
    (2, "TD", "two layers"): (
        "Counted from the error of one unperturbed election the column lies {computed} deviations of one more"
        " crowd from ours. But that base is a single election on 26 tasks, which varies so much that this"
        " reading would accept any mean of the column from 0.09 to 0.26. From the printed base, if it is that"
        " of truth discovery as well, our truth discovery errs more than printed by 5.8 deviations, as error"
        " rates, from the base that the table implies, by three. How users differ, the weight function, ties"
        " and the base of truth discovery are not published."
    ),
    (3, "MV", "one layer"): _FINDING_OF_RATES,
    (3, "MV", "two layers"): _FINDING_OF_RATES,
    (3, "TD", "one layer"): _UNDECIDED_FINDING,
    (3, "TD", "two layers"): _UNDECIDED_FINDING,
}


CLAIMS: tuple[Claim, ...] = (
    *(_column_claim(number, layer, vote) for number in (2, 3) for layer, vote in COLUMNS),
    Claim(
        id="td-two-layers-best",
        source=LI,
        place="Section 7.2 (3)",
        statement="At the same printed epsilon truth discovery errs less under two layers than under one.",
        readings=(
            Reading(
                words=(
                    "The bluebirds at epsilon 0.5 of one answer: the difference of the error rates, 300 runs."
                ),
                compute=lambda: _gain_on_bluebirds(0.5),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "20 crowds simulated to the statistics of the Duchenne data, 40 runs each: the difference"
                    " of the error rates, mean over the 13 printed epsilons."
                ),
                compute=_gain_on_simulated_duchenne,
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "96 crowds simulated to the statistics of peer grading, 100 runs each: that mean"
                    " difference, in standard errors of our runs; to be -2 at most."
                ),
                compute=_gain_on_simulated_peer_grading,
                relation="<=",
                target=-2.0,
            ),
            Reading(
                words=(
                    "At every printed epsilon: the differences of the error rates on the bluebirds, 600 runs,"
                    " in standard errors, the largest of 13; to be -2 at most."
                ),
                compute=_least_gain_on_bluebirds,
                relation="<=",
                target=-2.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The difference on the bluebirds is {computed} at epsilon 0.5, and it stands out from 0.7 down to"
            " 0.2. At 1, 0.9 and near 0 it does not. On crowds simulated to the statistics of Duchenne two"
            " layers err less in the mean over epsilon; on those simulated to peer grading, the other data"
            " set of the source, with five answers a user, no difference can be seen at all."
        ),
        chapter="categorical-answers/trade-off",
    ),
    Claim(
        id="td-two-layers-true",
        source=LI,
        place="Section 1 and Section 7.2 (3)",
        statement=(
            "With the same privacy guarantee, truth discovery errs less under two layers than under one."
        ),
        readings=(
            Reading(
                words=(
                    "The guarantee of a whole worker, as the source compares: the bluebirds at the printed"
                    " epsilon 0.7, where U(0, b) protects each worker's 108 answers together with epsilon"
                    " 72.3 and one layer with 75.6 only; the difference of the error rates, 300 runs."
                ),
                compute=lambda: _gain_on_bluebirds(0.7),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "The guarantee of a whole worker, made equal: the bluebirds, epsilon = 54 for the 108"
                    " answers of each worker together, U(a, 1/2); the difference of the error rates, 300"
                    " runs."
                ),
                compute=lambda: _gain_on_bluebirds(54.0, n_answers=108, unit="worker"),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "The guarantee of one cell among the 108 answers of each worker, epsilon = 0.5, U(a,"
                    " 1/2): the difference of the error rates on the bluebirds, 300 runs."
                ),
                compute=lambda: _gain_on_bluebirds(0.5, n_answers=108),
                relation="<=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "On the bluebirds it holds for whole workers. At the printed epsilon 0.7, that of a single"
            " answer, two layers U(0, b) protect the workers more than one layer, and the difference is"
            " {computed}; from 0.7 to 1 U(0, b) protects workers with 5, 108 or 277 answers more, at 0.6 and"
            " below those with 108 or 277 less. At exactly equal epsilon of the worker two layers err less as"
            " well. At equal epsilon of one cell among the 108 they err more with U(a, 1/2), by how much"
            " depends on the interval."
        ),
        chapter="categorical-answers/trade-off",
    ),
    Claim(
        id="noise-reduced",
        source=LI,
        place="Sections 1 and 5.2",
        statement=(
            "The user quality that truth discovery estimates largely reduces the noise of two layers, so that"
            " it does not affect the aggregation much."
        ),
        readings=(
            *tried(
                _left_of_change,
                "<=",
                0.5,
                (
                    "Largely as by half, compared with the votes of a majority on the same flips: on the"
                    " bluebirds at the printed epsilon 0.5, 600 runs, the change of the error rate of truth"
                    " discovery divided by that of the majority, each from its own votes without flips.",
                    None,
                    0.5,
                ),
                (
                    "In the printed Table 3 at epsilon 1: the change of truth discovery with two layers,"
                    " 0.0560, divided by that of the majority, 0.1240.",
                    3,
                    1.0,
                ),
                (
                    "In the printed Table 3 under strong privacy, epsilon 0.1: 0.1511 divided by 0.2248.",
                    3,
                    0.1,
                ),
                ("In the printed Table 2 at epsilon 1: 0.0619 divided by 0.0885.", 2, 1.0),
                (
                    "On 20 crowds simulated to the statistics of Duchenne: that quotient of the changes, each"
                    " counted from its own base, of means over the 13 printed epsilons.",
                    3,
                ),
                ("On 96 crowds simulated to the statistics of peer grading: that quotient.", 2),
            ),
            Reading(
                words=(
                    "On the bluebirds at epsilon 1, both changes counted from the majority's votes without"
                    " flips: that quotient."
                ),
                compute=lambda: _left_of_change(None, 1.0, one_base=True),
                relation="<=",
                target=0.5,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "Where users differ and answer much it can: on the bluebirds, 108 answers per user, {computed} of"
            " a majority's change is left at epsilon 0.5. Part of this is the base of truth discovery, which"
            " errs more than the majority without flips: counted from the majority's, about a half is left at"
            " 0.5, and nothing is gained at 1. In the printed tables 0.45 to 0.80 are left, most under strong"
            " privacy. On crowds simulated to the statistics of its two data sets nothing is"
            " taken off: truth discovery loses as much by the flips as a majority."
        ),
        chapter="categorical-answers/trade-off",
    ),
)
