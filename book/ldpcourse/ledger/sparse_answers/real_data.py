"""Claims judged in the chapter sparse-answers/real-data."""

import functools
from collections.abc import Callable

import numpy as np
import pandas as pd

from ldpbook import datasets
from ldpbook._arrays import Array
from ldpbook.foundations.answers import sparsity
from ldpcourse.ledger.claim import Claim, Reading, Verdict
from ldpcourse.ledger.sparse_answers._shared import SUN


@functools.cache
def _adult_pairs(ignore_case: bool) -> pd.DataFrame:
    """Distinct pairs of worker and site address."""
    answers = datasets.load_adult_content().answers
    if ignore_case:
        answers = answers.assign(task=answers.task.str.lower())
    return answers[["worker", "task"]].drop_duplicates()


def _adult_mean_sparsity(ignore_case: bool) -> float:
    pairs = _adult_pairs(ignore_case)
    return 1 - len(pairs) / float(pairs.worker.nunique() * pairs.task.nunique())


def _adult_sparsity() -> Array:
    return np.asarray(sparsity(datasets.load_adult_content().answers))


def _adult_gold_zeros(answered_only: bool) -> float:
    data = datasets.load_adult_content()
    gold = data.truth[data.truth.index.isin(data.answers.task)] if answered_only else data.truth
    return float((gold == 0).mean())


def _adult_truths() -> int:
    """Sites with answers that have a gold label."""
    data = datasets.load_adult_content()
    return int(data.truth.index.isin(data.answers.task).sum())


def _adult_majority_zeros() -> float:
    """Share of sites whose most frequent answer is 0, alone or in a tie."""
    answers = datasets.load_adult_content().answers
    counts = pd.crosstab(answers.task, answers.answer)
    return float((counts[0] == counts.max(axis=1)).mean())


def _adult_right(by_gold: bool) -> float:
    """Share of the answers that equal the gold label of the site, or the most frequent answer there."""
    data = datasets.load_adult_content()
    counts = pd.crosstab(data.answers.task, data.answers.answer)
    truth = data.truth if by_gold else counts.idxmax(axis=1)
    known = data.answers[data.answers.task.isin(truth.index)]
    return float((known.answer == known.task.map(truth)).mean())


def _adult_wrong_evenness() -> float:
    """Chi-squared statistic of wrong answers on gold sites: for each truth, against even shares of the rest.
    The rest are the three other values of 0 to 3: no answer and no truth of a site with answers is 4.
    """
    data = datasets.load_adult_content()
    known = data.answers[data.answers.task.isin(data.truth.index)]
    truth = known.task.map(data.truth)
    wrong = known.answer != truth
    counts = pd.crosstab(truth[wrong], known.answer[wrong]).to_numpy(dtype=float)
    even = (counts.sum(axis=1, keepdims=True) / 3) * (1 - np.eye(4))
    off = ~np.eye(4, dtype=bool)
    return float(((counts - even)[off] ** 2 / even[off]).sum())


def _row_of_table_ii(
    id: str,
    statement: str,
    printed: str,
    words: str,
    compute: Callable[[], float],
    finding: str,
    tolerance: float = 0.0,
) -> Claim:
    target = float(printed.replace(",", ""))
    reading = Reading(words=words, compute=compute, relation="=", target=target, tolerance=tolerance)
    return Claim(
        id=id,
        source=SUN,
        place="Table II",
        statement=statement,
        printed=printed,
        readings=(reading,),
        verdict=Verdict.REPRODUCED,
        finding=finding,
        chapter="sparse-answers/real-data",
    )


CLAIMS: tuple[Claim, ...] = (
    _row_of_table_ii(
        id="adult-workers",
        statement="AdultContent has 825 workers.",
        printed="825",
        words="Workers are counted in the public file.",
        compute=lambda: datasets.load_adult_content().answers.worker.nunique(),
        finding="There are {computed} workers.",
    ),
    _row_of_table_ii(
        id="adult-tasks",
        statement="AdultContent has 11,040 tasks.",
        printed="11,040",
        words=(
            "Sites are counted in the public file, with addresses that differ in a capital letter counted as"
            " two."
        ),
        compute=lambda: datasets.load_adult_content().answers.task.nunique(),
        finding="There are {computed} distinct site addresses.",
    ),
    Claim(
        id="adult-answers",
        source=SUN,
        place="Table II",
        statement="AdultContent has 89,796 answers.",
        printed="89,796",
        readings=(
            Reading(
                words=(
                    "Distinct pairs of worker and site are counted in the public file, without regard to"
                    " capital letters in the address."
                ),
                compute=lambda: len(_adult_pairs(True)),
                relation="=",
                target=89_796,
            ),
            Reading(
                words=(
                    "Distinct pairs of worker and site are counted in the public file, with addresses that"
                    " differ in a capital letter counted as two."
                ),
                compute=lambda: len(_adult_pairs(False)),
                relation="=",
                target=89_796,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "There are {computed} distinct pairs of worker and site if addresses that differ in capital"
            " letters only are treated as one, as many databases do by default. Otherwise there are 89,799."
            " The row would then mix two ways of counting: without regard to capitals there would be 11,028"
            " tasks instead of 11,040."
        ),
        chapter="sparse-answers/real-data",
    ),
    _row_of_table_ii(
        id="adult-max-sparsity",
        statement="The sparsest worker of AdultContent leaves a share of 0.999909 of the tasks unanswered.",
        printed="0.999909",
        words="We compute the largest share of NULL in a worker's row.",
        compute=lambda: float(_adult_sparsity().max()),
        finding="The share is {computed}, that of a worker with one answer.",
        tolerance=5e-7,
    ),
    _row_of_table_ii(
        id="adult-min-sparsity",
        statement="The busiest worker of AdultContent leaves a share of 0.316033 of the tasks unanswered.",
        printed="0.316033",
        words="We compute the smallest share of NULL in a worker's row of 11,040 tasks.",
        compute=lambda: float(_adult_sparsity().min()),
        finding="The share is {computed}.",
        tolerance=5e-7,
    ),
    Claim(
        id="adult-mean-sparsity",
        source=SUN,
        place="Table II",
        statement="The average sparsity of AdultContent is 0.993666.",
        printed="0.993666",
        readings=(
            Reading(
                words="We compute the mean over workers of the share of NULL, with addresses as written.",
                compute=lambda: float(_adult_sparsity().mean()),
                relation="=",
                target=0.993666,
                tolerance=5e-7,
            ),
            Reading(
                words=(
                    "We compute the mean over workers of the share of NULL, with addresses compared without"
                    " regard to capital letters."
                ),
                compute=lambda: _adult_mean_sparsity(True),
                relation="=",
                target=0.993666,
                tolerance=5e-7,
            ),
        ),
        verdict=Verdict.CORRECTED,
        finding=(
            "The average sparsity is {computed}. Three numbers of the same row determine it: the average"
            " sparsity is one minus answers over cells, and 89,796 answers in 825 times 11,040 cells leave a"
            " share of 0.990141 empty."
        ),
        chapter="sparse-answers/real-data",
    ),
    Claim(
        id="adult-per-worker",
        source=SUN,
        place="Section I",
        statement="Each worker of AdultContent rates 70 documents on average.",
        printed="70",
        readings=(
            Reading(
                words="We compute the number of distinct pairs of worker and site per worker.",
                compute=lambda: len(_adult_pairs(False)) / 825,
                relation="=",
                target=70.0,
                tolerance=0.5,
            ),
            Reading(
                words="We compute the table's own number of answers over its number of workers.",
                compute=lambda: 89_796 / 825,
                relation="=",
                target=70.0,
                tolerance=0.5,
            ),
        ),
        verdict=Verdict.CORRECTED,
        finding=(
            "The average is {computed}. The printed number follows from the printed average sparsity, not"
            " from the table's own 89,796 answers by 825 workers."
        ),
        chapter="sparse-answers/real-data",
    ),
    Claim(
        id="adult-gold",
        source=SUN,
        place="Section VI-B",
        statement="The ground truth of more than 72 % of the tasks of AdultContent is 0.",
        printed="72 %",
        readings=(
            Reading(
                words=(
                    "The truth of each of the 11,040 sites is its most frequent answer, with ties in favour"
                    " of 0. We compute the share of 0."
                ),
                compute=_adult_majority_zeros,
                relation=">=",
                target=0.72,
            ),
            Reading(
                words=(
                    "The truth is known for the 333 sites with answers that have a gold label. We compute the"
                    " share of 0 among these labels."
                ),
                compute=lambda: _adult_gold_zeros(True),
                relation=">=",
                target=0.72,
            ),
            Reading(
                words=(
                    "The truth is known for the 1,517 sites with a published gold label. We compute the share"
                    " of 0 among all these labels."
                ),
                compute=lambda: _adult_gold_zeros(False),
                relation=">=",
                target=0.72,
            ),
        ),
        verdict=Verdict.UNDECIDED,
        finding=(
            "The source does not say which ground truth it used. If the most frequent answer stands for the"
            " truth, the share is {computed}. Of the gold labels that are published with the data fewer than"
            " 72 % are 0, and most gold sites have no answer."
        ),
        chapter="sparse-answers/real-data",
    ),
    Claim(
        id="adult-truths",
        source=SUN,
        place="Section VI-A",
        statement="The ground truth of the tasks of AdultContent is available.",
        readings=(
            Reading(
                words=(
                    "It is available for some of them. We compute the number of sites with answers that have"
                    " a gold label in the public files."
                ),
                compute=lambda: float(_adult_truths()),
                relation=">=",
                target=1.0,
            ),
            Reading(
                words=(
                    "It is available for all of them. We compare the number of sites with answers that have a"
                    " gold label in the public files with the number of sites."
                ),
                compute=lambda: float(_adult_truths()),
                relation="=",
                target=11_040.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "It is available for {computed} of the 11,040 sites; on these an error can be measured. The"
            " source does not say whether it had more."
        ),
        chapter="sparse-answers/real-data",
    ),
    Claim(
        id="web-answers",
        source=SUN,
        place="Table II",
        statement=(
            "The Web data, which has 34 workers, 177 tasks and an average sparsity of 0.705882, has 770"
            " answers."
        ),
        printed="770",
        readings=(
            Reading(
                words=(
                    "The other three numbers of the row are right. We compute workers times tasks times one"
                    " minus the average sparsity, rounded."
                ),
                compute=lambda: round(34 * 177 * (1 - 0.705882)),
                relation="=",
                target=770,
            ),
        ),
        verdict=Verdict.CORRECTED,
        finding=(
            "The numbers of the row cannot all be right. If the workers, the tasks and the average sparsity"
            " are right, there are {computed} answers, the only whole number that rounds to that sparsity;"
            " this is ten per task on average."
        ),
        chapter="sparse-answers/real-data",
    ),
    Claim(
        id="web-max-sparsity",
        source=SUN,
        place="Table II",
        statement="The sparsest worker of Web leaves a share of 0.903955 of the 177 tasks unanswered.",
        printed="0.903955",
        readings=(
            Reading(
                words=(
                    "The data is not available here. We compute the closest sparsity that a worker with a"
                    " whole number of answers to 177 tasks can have."
                ),
                compute=lambda: min((k / 177 for k in range(178)), key=lambda share: abs(share - 0.903955)),
                relation="=",
                target=0.903955,
                tolerance=5e-7,
            ),
        ),
        verdict=Verdict.UNDECIDED,
        finding=(
            "Without the data we can only say that the number is possible: a worker with 17 answers has"
            " sparsity {computed}."
        ),
        chapter="sparse-answers/real-data",
    ),
    Claim(
        id="adult-99",
        source=SUN,
        place="Sections I and VI-B",
        statement="The average sparsity of AdultContent is above 0.99.",
        printed="0.99",
        readings=(
            Reading(
                words="We compute the mean over workers of the share of NULL, with addresses as written.",
                compute=lambda: float(_adult_sparsity().mean()),
                relation=">=",
                target=0.99,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="The average sparsity is {computed}; the larger number in the table changes nothing here.",
        chapter="sparse-answers/real-data",
    ),
    Claim(
        id="adult-right",
        source=SUN,
        place="Section VI-B, Figure 1",
        statement="The majority of the answers in AdultContent are correct.",
        readings=(
            Reading(
                words=(
                    "An answer is correct if it equals the published gold label. We compute the share of"
                    " correct ones among the answers on the 333 sites that have both."
                ),
                compute=lambda: _adult_right(True),
                relation=">=",
                target=0.5,
            ),
            Reading(
                words=(
                    "An answer is correct if it is the most frequent answer of the site, with ties in favour"
                    " of the smallest. We compute the share of correct answers."
                ),
                compute=lambda: _adult_right(False),
                relation=">=",
                target=0.5,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "Of the answers on sites with gold labels a share of {computed} is right, and the share is higher"
            " if the most frequent answer stands for the truth."
        ),
        chapter="sparse-answers/real-data",
    ),
    Claim(
        id="adult-others",
        source=SUN,
        place="Section VI-B, Figure 1",
        statement=(
            "The answers in AdultContent that are not correct take a small number of values, unevenly."
        ),
        readings=(
            Reading(
                words=(
                    "Wrong answers on sites with gold labels take the values 0 to 3. We compute the"
                    " chi-squared statistic, truth by truth, against even shares of the three values that are"
                    " wrong there. People make the same errors on a site: if the three counts of each site"
                    " are reassigned at random among its wrong values, the statistic is above 120 less than"
                    " once in a thousand times."
                ),
                compute=_adult_wrong_evenness,
                relation=">=",
                target=120,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The statistic is {computed}: most of the wrong answers are 0 or 1, and no answer at all is 4."
        ),
        chapter="sparse-answers/real-data",
    ),
    Claim(
        id="web-min-sparsity",
        source=SUN,
        place="Table II",
        statement="The busiest worker of Web leaves none of the 177 tasks unanswered.",
        readings=(
            Reading(
                words=(
                    "The data is not available here. We compute the smallest number of answers of 34 workers"
                    " if one of them answers all 177 tasks and all others answer 17, as the printed largest"
                    " sparsity says, or more. The printed number is 770."
                ),
                compute=lambda: 177 + 33 * round(177 * (1 - 0.903955)),
                relation="<=",
                target=770.0,
            ),
        ),
        verdict=Verdict.UNDECIDED,
        finding=(
            "Without the data we can only say that it is possible: the printed extremes require {computed}"
            " answers or more, and both the printed 770 and the 1,770 of the printed mean satisfy this. The"
            " data's file would decide."
        ),
        chapter="sparse-answers/real-data",
    ),
)
