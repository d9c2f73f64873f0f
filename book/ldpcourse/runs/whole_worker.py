"""Long simulations on the whole worker: re-identified rows, a survey of questions, lectures with liars."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ldpbook import datasets
from ldpbook._arrays import Array
from ldpbook.foundations.answers import to_matrix
from ldpbook.remedies.phases import Survey, next_thresholds
from ldpbook.remedies.smaller_question import ThresholdResponse, infer_from_counts, question_thresholds
from ldpbook.remedies.who_is_careful import infer_from_reports
from ldpbook.sparse_answers.randomized_response import RandomizedResponse
from ldpbook.whole_worker.row_attack import link_rows
from ldpbook.whole_worker.sampling_questions import AskedQuestions
from ldpcourse.runs.kept import Run, grid

_DOMAIN = range(1, 6)
_EPSILON = 3.0


def found_again(epsilon: float, seed: int) -> dict[str, float]:
    """How many students' rows of ratings are found in one set of reports, and the attacker's beliefs.

    "Empty" treats all strangers as empty rows; "assigned" knows all rows, and assigns all reports at once.
    """
    ratings = to_matrix(datasets.load_lecture_ratings().answers)
    symbols = [ratings == v for v in _DOMAIN] + [np.isnan(ratings)]
    response = RandomizedResponse(epsilon, _DOMAIN)
    reports = response.perturb(ratings, seed)
    domain, channel = response.domain, response.transition_matrix
    shares = np.stack([symbol.mean(axis=0) for symbol in symbols], axis=-1)
    found = link_rows(reports, ratings, domain=domain, transition_matrix=channel, strangers=shares)
    empty = link_rows(reports, ratings, domain=domain, transition_matrix=channel)
    report_of, place = linear_sum_assignment(empty.log_odds, maximize=True)
    return {
        "right": float(found.right.mean()),
        "belief": float(found.belief.mean()),
        "empty": float(empty.right.mean()),
        "assigned": float((report_of == place).mean()),
    }


def asked_survey(seed: int) -> dict[str, float]:
    """Mean error of a survey with one question per worker, and how often it lies within the stated error."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(2.0, 0.7, 40)
    answers = np.clip(np.rint(truth + rng.normal(size=(20_000, 40))), 0, 4)
    answers[rng.random(answers.shape) > 0.4] = np.nan
    survey = Survey.start(40, epsilon=2.0, domain=range(5))
    for people in np.split(answers, [2000, 6000]):  # phases of 10%, 20% and 70% of the workers
        limits = np.resize(next_thresholds(survey), people.shape)
        reports = AskedQuestions(2.0).perturb(people, limits, rng)
        counts = survey.counts.copy()
        for k, limit in enumerate(question_thresholds(survey.domain)):
            for symbol, side in enumerate((-1, 1, 0)):
                counts[k, :, symbol] += ((limits == limit) & (reports == side)).sum(axis=0)
        survey = Survey(survey.epsilon, survey.domain, counts)
    found = infer_from_counts(survey.counts, epsilon=2.0, domain=survey.domain)
    off = np.abs(found.truth - truth)
    return {
        "error": float(off.mean()),
        "within one": float((off < found.error).mean()),
        "within two": float((off < 2 * found.error).mean()),
    }


def _lectures() -> tuple[Array, dict[int, NDArray[np.bool_]]]:
    """Ratings of the 60 most rated lectures, students in random order, and the liars if 1 % or 5 % lie."""
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
    """Mean truth of the lectures if so many students answer 5, or send "above", to every lecture.

    "Own" thresholds are those of the survey itself, "honest" ones those of the survey in which nobody lies.
    """
    ratings, liars = _lectures()
    plan = _surveyed(ratings, liars[0], seed)[2] if thresholds == "honest" else None
    answers = np.where(liars[percent][:, None], 5.0, ratings) if lie == "answer" else ratings
    survey, _, _ = _surveyed(answers, liars[percent if lie == "send" else 0], seed, plan)
    return {"mean": float(infer_from_counts(survey.counts, epsilon=_EPSILON, domain=_DOMAIN).truth.mean())}


def linked_lectures(percent: int, seed: int) -> dict[str, float]:
    """Mean truth from linked reports if so many send "above", and the probabilities of being careful.

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
        name="found-again",
        cell=found_again,
        cells=grid(epsilon=(0.5, 1.0, 2.0, 4.0), seed=range(6)),
    ),
    Run(
        name="asked-survey",
        cell=asked_survey,
        cells=grid(seed=range(60)),
    ),
    Run(
        name="lying-lectures",
        cell=lying_lectures,
        cells=(
            *({"percent": 0, "lie": "none", "thresholds": "own", "seed": seed} for seed in range(6)),
            *(
                {"percent": percent, "lie": lie, "thresholds": thresholds, "seed": seed}
                for thresholds in ("own", "honest")
                for percent in (1, 5)
                for lie in ("answer", "send")
                for seed in range(6)
            ),
        ),
    ),
    Run(
        name="linked-lectures",
        cell=linked_lectures,
        slow="who is careful is inferred from 2,684 rows of linked reports",
        cells=grid(percent=(1, 5), seed=range(4)),
    ),
)
