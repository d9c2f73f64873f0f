"""The part's long simulations: a survey of lectures among whose students some lie."""

import numpy as np
from numpy.typing import NDArray

from ldpbook import datasets
from ldpbook._arrays import Array
from ldpbook.remedies.phases import Survey, next_thresholds
from ldpbook.remedies.smaller_question import ThresholdResponse, infer_from_counts
from ldpbook.remedies.who_is_careful import infer_from_reports
from ldpcourse.runs.kept import Run

_DOMAIN = range(1, 6)
_EPSILON = 3.0


def _lectures() -> tuple[Array, dict[int, NDArray[np.bool_]]]:
    """Ratings of the 60 lectures with the most, students in random order, and who lies of 1 and of 5 %."""
    table = datasets.load_lecture_ratings().answers
    lectures = table["task"].value_counts().index[:60].sort_values()
    table = table[table["task"].isin(lectures)]
    rng = np.random.default_rng(60)
    by_student = table.pivot(index="worker", columns="task", values="answer")
    ratings = rng.permutation(by_student.to_numpy(float))
    liars = {0: np.zeros(len(ratings), dtype=bool)}
    for percent in (1, 5):
        liars[percent] = liars[0].copy()
        chosen = rng.choice(len(ratings), round(percent * len(ratings) / 100), replace=False)
        liars[percent][chosen] = True
    return ratings, liars


def _surveyed(
    answers: Array, sending: NDArray[np.bool_], seed: int, plan: Array | None = None
) -> tuple[Survey, Array, Array]:
    """A survey in three phases, the reports of all, and the thresholds that they answer to."""
    response, draws = ThresholdResponse(_EPSILON), np.random.default_rng(seed)
    survey = Survey.start(answers.shape[1], epsilon=_EPSILON, domain=_DOMAIN)
    reports, asked = np.empty((2, *answers.shape))
    ends = np.round(np.cumsum((0, 0.1, 0.2, 0.7)) * len(answers)).astype(int)
    for rows in map(slice, ends[:-1], ends[1:]):
        turns = next_thresholds(survey) if plan is None else plan[rows]
        asked[rows] = np.resize(turns, asked[rows].shape)
        reports[rows] = response.perturb(answers[rows], asked[rows], draws)
        reports[rows][sending[rows]] = 1.0
        survey = survey.add(reports[rows], asked[rows])
    return survey, reports, asked


def lying_lectures(percent: int, lie: str, thresholds: str, seed: int) -> dict[str, float]:
    """Mean truth of the lectures where so many answer 5, or send "above", to every lecture.

    "Own" thresholds are those of the survey itself, "honest" ones those of the survey in which nobody lies.
    """
    ratings, liars = _lectures()
    plan = _surveyed(ratings, liars[0], seed)[2] if thresholds == "honest" else None
    answers = np.where(liars[percent][:, None], 5.0, ratings) if lie == "answer" else ratings
    survey, _, _ = _surveyed(answers, liars[percent if lie == "send" else 0], seed, plan)
    return {"mean": float(infer_from_counts(survey.counts, epsilon=_EPSILON, domain=_DOMAIN).truth.mean())}


def linked_lectures(percent: int, seed: int) -> dict[str, float]:
    """Mean truth where so many send "above", from linked reports, and how careful students are believed.

    "Liars" and "others" are the mean probabilities of being careful.
    """
    ratings, liars = _lectures()
    _, reports, asked = _surveyed(ratings, liars[percent], seed)
    found = infer_from_reports(reports, asked, epsilon=_EPSILON, domain=_DOMAIN)
    careful = np.asarray(found.careful)
    return {
        "mean": float(found.truth.mean()),
        "liars": float(careful[liars[percent]].mean()),
        "others": float(careful[~liars[percent]].mean()),
    }


RUNS = (
    Run(
        name="lying-lectures",
        cell=lying_lectures,
        cells=(
            *({"percent": 0, "lie": "none", "thresholds": "own", "seed": seed} for seed in range(3)),
            {"percent": 1, "lie": "send", "thresholds": "own", "seed": 2},
            *(
                {"percent": percent, "lie": lie, "thresholds": thresholds, "seed": seed}
                for thresholds in ("own", "honest")
                for percent in (1, 5)
                for lie in ("answer", "send")
                for seed in range(2)
            ),
        ),
    ),
    Run(
        name="linked-lectures",
        cell=linked_lectures,
        slow="who is careful is inferred from 2,684 rows of linked reports",
        cells=tuple({"percent": percent, "seed": seed} for percent, seed in ((1, 0), (1, 1), (1, 2), (5, 0))),
    ),
)
