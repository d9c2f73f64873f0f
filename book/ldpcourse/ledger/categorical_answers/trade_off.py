"""Claims judged in the chapter categorical-answers/trade-off."""

import functools
from typing import Literal

import numpy as np

from ldpbook.categorical_answers.trade_off import error_rate_changes, layers_at
from ldpcourse.ledger.categorical_answers._shared import LI, bluebirds
from ldpcourse.ledger.claim import Claim, Reading, Verdict
from ldpcourse.printed import COLUMNS
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
        verdict=Verdict.UNDECIDED if (number, vote) == (3, "TD") else Verdict.READING,
        finding=_COLUMN_FINDINGS[number, vote, layer],
        chapter="categorical-answers/trade-off",
    )


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


_FINDING_OF_RATES = (
    "Counted as error rates from the base that the table implies, the column comes out on crowds simulated to"
    " the published statistics, {computed} deviations of one more crowd away. Counted from the printed base,"
    " 38 of 159 tasks, the redone values are larger than printed; with that base the printed change of one"
    " layer at epsilon 0 makes an error rate of 0.491, not one half."
)


_UNDECIDED_FINDING = (
    "On crowds simulated to the published statistics our truth discovery errs more than printed, as changes"
    " by {computed} deviations of one more crowd, from the printed base or as error rates by more. It depends"
    " on how users differ and on the weight function, which are not published."
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
        "Counted from the error of one unperturbed election the column comes out on crowds simulated to the"
        " published statistics, {computed} deviations of one more crowd away; that base is a single election"
        " on 26 tasks, which varies so much that this reading says little. From the printed base, if it is"
        " that of truth discovery as well, our truth discovery errs more than printed by 5.8 deviations, as"
        " error rates, from the base that the table implies, by three: it depends on how users differ and on"
        " the weight function, which are not published."
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
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The difference on the bluebirds is {computed}. It vanishes at epsilon = 2, and on simulated peer"
            " grading, five answers a user, there is none to see."
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
)
