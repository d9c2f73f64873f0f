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
    """Our mean of a column minus the printed one, as computed by `column_deviations`."""
    kept = stored("column-deviations").set_index(["number", "vote"])[f"{layer}, {base}"]
    return float(kept[number, vote])


def _column_claim(number: int, layer: str, vote: str) -> Claim:
    """The claim that the size of a column of Table 2 or 3 is reproduced."""
    crowd, n_crowds, limit = ("peer grading", 24, 2.07) if number == 2 else ("Duchenne", 24, 2.07)
    if (number, vote) == (3, "TD"):
        n_crowds, limit = 10, 2.26
    simulated = f"{n_crowds} crowds simulated to the published statistics of the {crowd} data"
    judged = (
        f"in standard deviations of one more crowd, without the noise of our runs. Within {limit}, the 0.975"
        " quantile of Student's t, it counts as the same size."
    )
    bases = {"printed": f"the printed base error, {'7 of 26' if number == 2 else '38 of 159'} tasks"}
    if vote == "TD":
        own = "the error of one unperturbed election with random ties on the same crowd"
        bases = {"own": f"{own} (the printed base is that of MV)", **bases}
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
                        f"As changes, counted from {words}: on {simulated}, we compute our mean of the column"
                        f" minus the printed one, {judged}"
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
                    f"As error rates: on {simulated}, the printed changes are counted from the base error"
                    f" that the table implies, one half minus the entry of {vote} with one layer at epsilon"
                    " 0, where all is noise. We compute our mean of the column minus the printed one,"
                    f" {judged}"
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
    """TD error rate of two layers minus that of one layer, 300 runs on the bluebirds."""
    answers, truth = bluebirds()
    layers = layers_at(epsilon, 2, n_answers=n_answers, unit=unit)
    runs = error_rate_changes(answers, truth, layers, choices=2, n_trials=300, rng=np.random.default_rng(0))
    rates = runs[runs["vote"] == "TD"].groupby("mechanism")["error_rate"].mean()
    return float(rates["two layers"] - rates["one layer"])


def _gain_on_simulated_duchenne() -> float:
    """TD error rate of two layers minus that of one, mean over the 13 epsilons of Table 3."""
    runs = stored("printed-numbers")
    means = runs[runs["number"] == 3].groupby("layer")["TD rate"].mean()
    return float(means["two layers"] - means["one layer"])


def _gain_on_simulated_peer_grading() -> float:
    """TD error rate of two layers minus that of one, in standard errors: the mean over Table 2's 13 epsilons.
    The errors are those of our runs alone: both layers ran on the same 96 crowds, 100 times each.
    """
    runs = stored("printed-numbers")
    own: Any = runs[runs["number"] == 2].groupby("layer")
    means, variances = own["TD rate"].mean(), own["TD run"].apply(lambda run: (run**2).mean() / 9600 / 13)
    return float((means["two layers"] - means["one layer"]) / np.sqrt(variances.sum()))


def _least_gain_on_bluebirds() -> float:
    """Two layers minus one, TD on the bluebirds, in standard errors: the largest over the 13 epsilons."""
    kept: Any = stored("layers-on-birds").set_index("unit").loc["answer"]
    gains = []
    for epsilon in printed_table(2)["epsilon"].unique():
        one, two = (f"{epsilon}, {layer}, TD" for layer in ("one layer", "two layers"))
        error = np.hypot(kept[f"{one}, error"], kept[f"{two}, error"])
        gains.append((kept[two] - kept[one]) / error)
    return float(max(gains))


def _left_of_change(number: int | None, epsilon: float | None = None, *, one_base: bool = False) -> float:
    """Change of TD with two layers divided by that of MV: as printed at an epsilon, or on our crowds.

    For crowds like Table 2 or 3, mean changes over the 13 epsilons are counted from their own bases. Without
    a number, changes on the bluebirds are counted from the votes without flips, or both from the majority's.
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
    "Counted as error rates from the base that the table implies, the column is reproduced on crowds"
    " simulated to the published statistics: it is {computed} standard deviations of one more crowd away."
    " Counted from the printed base, 38 of 159 tasks, our values are larger than printed. With that base the"
    " printed change of one layer at epsilon 0 gives an error rate of 0.491, not one half."
)


_UNDECIDED_FINDING = (
    "On crowds simulated to the published statistics our truth discovery errs more than printed. As changes"
    " it does so by {computed} standard deviations of one more crowd, and by more from the printed base or as"
    " error rates. Users who differ by other standard deviations, from 0.05 to 0.1, do not make up for it,"
    " nor did either of two other weight functions. No rule that treats the choices equally can give both"
    " entries at epsilon 0. How answers are spread, a rule of another kind, its ties or its base might make"
    " up for it; they are not published."
)


_COLUMN_FINDINGS = {
    (2, "MV", "one layer"): (
        "Counted from the printed base, the column is reproduced on crowds simulated to the published"
        " statistics: it is {computed} standard deviations of one more crowd away. As error rates, from the"
        " base that the table implies, it is reproduced too."
    ),
    (2, "MV", "two layers"): (
        "Counted from the printed base, the column is reproduced on crowds simulated to the published"
        " statistics: it is {computed} standard deviations of one more crowd away. As error rates, from the"
        " base that the table implies, our values are larger by slightly more than counts as the same."
    ),
    (2, "TD", "one layer"): (
        "Counted from the error of one unperturbed election, the column is reproduced on crowds simulated to"
        " the published statistics: it is {computed} standard deviations of one more crowd away. As error"
        " rates, from the base that the table implies, it is reproduced too. From the printed base, if it is"
        " that of truth discovery as well, our values are larger, by 2.9."
    ),
    (2, "TD", "two layers"): (
        "Counted from the error of one unperturbed election, the column is {computed} standard deviations of"
        " one more crowd away from ours. But that base is a single election on 26 tasks, which varies so much"
        " that this reading would accept any mean of the column from 0.09 to 0.26. From the printed base, if"
        " it is that of truth discovery as well, our truth discovery errs more than printed by 5.8 standard"
        " deviations; as error rates, from the base that the table implies, by three. How users differ, the"
        " weight function, ties and the base of truth discovery are not published."
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
                    "On the bluebirds at epsilon 0.5 of one answer, we compute the difference between the"
                    " error rates in 300 runs, two layers minus one."
                ),
                compute=lambda: _gain_on_bluebirds(0.5),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "On 20 crowds simulated to the statistics of the Duchenne data, with 40 runs each, we"
                    " compute the difference between the error rates, averaged over the 13 printed epsilons."
                ),
                compute=_gain_on_simulated_duchenne,
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "On 96 crowds simulated to the statistics of peer grading, with 100 runs each, we compute"
                    " that mean difference in standard errors of our runs. It must be -2 at most."
                ),
                compute=_gain_on_simulated_peer_grading,
                relation="<=",
                target=-2.0,
            ),
            Reading(
                words=(
                    "At every printed epsilon, we compute the difference between the error rates on the"
                    " bluebirds in 600 runs, in standard errors. The largest of 13 must be -2 at most."
                ),
                compute=_least_gain_on_bluebirds,
                relation="<=",
                target=-2.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "The difference on the bluebirds is {computed} at epsilon 0.5, and it stands out from 0.7 down to"
            " 0.2. At 1, 0.9 and near 0 it does not. On crowds simulated to the statistics of Duchenne, two"
            " layers err less on average over epsilon. On those simulated to peer grading, the source's other"
            " data set, with five answers per user, no difference can be seen at all."
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
                    "If the guarantee is that of a whole worker, as the source compares, we compute the"
                    " difference between the error rates on the bluebirds at the printed epsilon 0.7 in 300"
                    " runs. There U(0, b) protects each worker's 108 answers together with epsilon 72.3, and"
                    " one layer only with 75.6."
                ),
                compute=lambda: _gain_on_bluebirds(0.7),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "If the guarantee of a whole worker is made equal, with epsilon = 54 for the 108 answers"
                    " of each worker together and U(a, 1/2), we compute the difference between the error"
                    " rates on the bluebirds in 300 runs."
                ),
                compute=lambda: _gain_on_bluebirds(54.0, n_answers=108, unit="worker"),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "If the guarantee is that of one cell among the 108 answers of each worker, with epsilon"
                    " = 0.5 and U(a, 1/2), we compute the difference between the error rates on the bluebirds"
                    " in 300 runs."
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
            " {computed}. From 0.7 to 1, U(0, b) protects workers with 5, 108 or 277 answers more; at 0.6 and"
            " below it protects those with 108 or 277 less. At exactly equal epsilon of the worker two layers"
            " err less as well. At equal epsilon of one cell among the 108 they err more with U(a, 1/2); by"
            " how much depends on the interval."
        ),
        chapter="categorical-answers/trade-off",
    ),
    Claim(
        id="noise-reduced",
        source=LI,
        place="Sections 1 and 5.2",
        statement=(
            "The user quality that truth discovery estimates largely reduces the noise of two layers, so that"
            " the noise does not affect the aggregation much."
        ),
        readings=(
            *tried(
                _left_of_change,
                "<=",
                0.5,
                (
                    "If largely means by half, compared with a majority's votes on the same flips, we compute"
                    " the change of the error rate of truth discovery divided by that of the majority, each"
                    " from its own votes without flips. The case is the bluebirds at the printed epsilon 0.5,"
                    " with 600 runs.",
                    None,
                    0.5,
                ),
                (
                    "In the printed Table 3 at epsilon 1, we divide the change of truth discovery with two"
                    " layers, 0.0560, by that of the majority, 0.1240.",
                    3,
                    1.0,
                ),
                (
                    "In the printed Table 3 under strong privacy, epsilon 0.1, we divide 0.1511 by 0.2248.",
                    3,
                    0.1,
                ),
                ("In the printed Table 2 at epsilon 1, we divide 0.0619 by 0.0885.", 2, 1.0),
                (
                    "On 20 crowds simulated to the statistics of Duchenne, we compute that quotient for the"
                    " means of the changes over the 13 printed epsilons, each change counted from its own"
                    " base.",
                    3,
                ),
                ("On 96 crowds simulated to the statistics of peer grading, we compute that quotient.", 2),
            ),
            Reading(
                words=(
                    "On the bluebirds at epsilon 1, we compute that quotient with both changes counted from"
                    " the majority's votes without flips."
                ),
                compute=lambda: _left_of_change(None, 1.0, one_base=True),
                relation="<=",
                target=0.5,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "It can where users differ and give many answers: on the bluebirds, with 108 answers per user, a"
            " share of {computed} of a majority's change is left at epsilon 0.5. Part of this comes from the"
            " base of truth discovery, which errs more than the majority without flips. Counted from the"
            " majority's base, about a half is left at 0.5, and nothing is gained at 1. In the printed tables"
            " shares of 0.45 to 0.80 are left, most under strong privacy. On crowds simulated to the"
            " statistics of its two data sets there is no reduction: truth discovery loses as much from the"
            " flips as a majority."
        ),
        chapter="categorical-answers/trade-off",
    ),
)
