"""Crowds unlike the one that threshold responses are decoded by, and what two decoders make of them."""

from collections.abc import Mapping

import numpy as np
from scipy.special import ndtr

from ldpbook._arrays import Array
from ldpbook.remedies.answer_medians import infer_medians, interpolated_median
from ldpbook.remedies.phases import PHASES, Survey, next_thresholds
from ldpbook.remedies.smaller_question import ThresholdResponse, infer_from_counts, question_thresholds
from ldpcourse.runs.kept import Run, grid

ODD_KINDS = (
    "as assumed",
    "heavy tails",
    "skewed errors",
    "humps at 1",
    "humps at 2",
    "a fifth says the middle",
    "a fifth says the top",
    "three tenths at random",
    "NULL by answer, mild",
    "NULL by answer, strong",
    "NULL in the middle",
    "four fifths at the ends",
    "half points, ties by coin",
    "truths in two clumps",
    "density by task",
    "hard and easy tasks",
    "humps at 2 on half of the tasks: these",
)
_UNIT = {9: 1.0, 4: 0.6}  # by the highest answer: deviation of the truths and of careful workers
_MORE, _AT_A_TIME = 120_000, 6_000  # workers whose answers say what the median is


def odd_medians(kind: str, top: int, epsilon: float, trial: int) -> Mapping[str, float]:
    """2,000 workers, 30 tasks, four tenths answered, asked in three phases; answers 0 to `top`.

    Mean distance from the median of the answers given, of 120,000 more such workers, mean stated error, and
    how many medians lie within one and two: of `infer_medians` and of `infer_from_counts`. "objected":
    whether the reports speak against the law of the latter.
    """
    rng = np.random.default_rng([39, ODD_KINDS.index(kind), top, round(10 * epsilon), trial])
    domain, n_tasks = range(top + 1), 30
    truth = rng.normal(top / 2, _UNIT[top], n_tasks)
    if kind == "truths in two clumps":
        truth = top / 2 + _UNIT[top] * (rng.choice([-1.3, 1.3], n_tasks) + 0.2 * rng.normal(size=n_tasks))
    by_task = np.stack([rng.uniform(0.1, 0.7, n_tasks), rng.choice([0.6, 3.0], n_tasks)])
    edges = question_thresholds(domain)
    above, given = np.zeros((n_tasks, len(edges))), np.zeros(n_tasks)
    for _ in range(_MORE // _AT_A_TIME):
        answers = _answers(kind, truth, by_task, _AT_A_TIME, top, rng)
        given += np.isfinite(answers).sum(axis=0)
        above += ((answers[..., None] > edges) + (answers[..., None] == edges) / 2).sum(axis=0)
    median = interpolated_median(above / given[:, None], domain)
    answers = _answers(kind, truth, by_task, 2000, top, rng)
    survey = Survey.start(n_tasks, epsilon=epsilon, domain=domain)
    ends = np.round(np.cumsum(PHASES) * len(answers)).astype(int)
    for cohort in np.split(answers, ends[:-1]):
        asked = np.resize(next_thresholds(survey), cohort.shape)
        tie = np.where((cohort == asked) & (rng.random(cohort.shape) < 0.5), 0.25, 0)
        survey = survey.add(np.asarray(ThresholdResponse(epsilon).perturb(cohort + tie, asked, rng)), asked)
    wide = infer_medians(survey.counts, epsilon=epsilon, domain=domain)
    narrow = infer_from_counts(survey.counts, epsilon=epsilon, domain=domain)
    judged = by_task[1] > 1 if kind.endswith("these") else np.ones(n_tasks, dtype=bool)
    found = {"objected": float(not wide.trusted)}
    for name, estimate, error in (("median", wide.median, wide.error), ("truth", narrow.truth, narrow.error)):
        off, error = np.abs(np.asarray(estimate) - median)[judged], np.asarray(error)[judged]
        found |= {name: float(off.mean()), f"{name}: stated": float(error.mean())}
        found |= {f"{name}: within {k}": float((off < k * error).mean()) for k in (1, 2)}
    return found


def _answers(
    kind: str, truth: Array, by_task: Array, n_workers: int, top: int, rng: np.random.Generator
) -> Array:
    """Answers of some workers, nan = NULL."""
    shape, unit, middle = (n_workers, len(truth)), _UNIT[top], top / 2
    wide = 5.0 if top == 9 else 4.0
    error = np.where(rng.random((n_workers, 1)) < 0.5, 1.0, wide) * rng.normal(size=shape)
    match kind:
        case "heavy tails":
            error = 0.8 * rng.standard_cauchy(shape)
        case "skewed errors":
            error = 2 * (rng.exponential(size=shape) - 1)
        case "humps at 1" | "humps at 2":
            error = int(kind[-1]) * rng.choice([-1, 1], shape) + 0.7 * rng.normal(size=shape)
        case "humps at 2 on half of the tasks: these":
            humps = 2 * rng.choice([-1, 1], shape) + 0.7 * rng.normal(size=shape)
            error = np.where(by_task[1] > 1, humps, rng.normal(size=shape))
        case "hard and easy tasks":
            error = by_task[1] * rng.normal(size=shape)
    step = 0.5 if kind.startswith("half points") else 1.0
    answers = np.clip(np.round((truth + unit * error) / step) * step, 0, top)
    match kind:
        case "a fifth says the middle":
            answers[rng.random(n_workers) < 0.2] = np.floor(middle)
        case "a fifth says the top":
            answers[rng.random(n_workers) < 0.2] = top
        case "three tenths at random":
            careless = rng.random(n_workers) < 0.3
            answers[careless] = rng.integers(0, top + 1, (careless.sum(), len(truth)))
        case "four fifths at the ends":
            ends = np.where(rng.random(shape) < ndtr((truth - middle) / (1.5 * unit)), top, 0)
            answers = np.where(rng.random(shape) < 0.8, ends, answers)
    place = (answers - middle) / middle
    density = np.full(shape, 0.4)
    match kind:
        case "NULL by answer, mild":
            density = 0.4 + 0.2 * place
        case "NULL by answer, strong":
            density = 0.4 + 0.3 * place
        case "NULL in the middle":
            density = np.where(np.abs(answers - middle) > 2 * unit, 0.7, 0.2)
        case "density by task":
            density = np.broadcast_to(by_task[0], shape)
    answers[rng.random(shape) >= density] = np.nan
    return answers


ODD_RUNS = (
    Run(
        name="odd-medians",
        cell=odd_medians,
        cells=grid(kind=ODD_KINDS, top=(9, 4), epsilon=(2.0, 1.0), trial=range(4)),
    ),
)
