"""Two decoders of threshold responses on crowds that differ from the crowd that the decoders assume."""

from collections.abc import Mapping
from itertools import product

import numpy as np
from scipy.special import ndtr

from ldpbook._arrays import Array
from ldpbook.remedies.answer_medians import infer_medians, interpolated_median
from ldpbook.remedies.phases import CHECKED, asked_in_phases
from ldpbook.remedies.smaller_question import infer_from_counts, question_thresholds
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
    "half points",
    "truths in two clumps",
    "density by task",
    "hard and easy tasks",
    "humps at 2 on half of the tasks: these",
)
_UNIT = {9: 1.0, 4: 0.6}  # by the highest answer: standard deviation of truths and of careful workers' errors
_MORE, _AT_A_TIME = 120_000, 6_000  # workers who define the true median: all, and drawn at a time


def odd_medians(kind: str, top: int, epsilon: float, trial: int) -> Mapping[str, float]:
    """2,000 workers, 30 tasks, four tenths answered, asked in three phases; answers 0 to `top`.

    For `infer_medians` and `infer_from_counts`: the mean distance from the median of the answers of 120,000
    more such workers, the mean stated error, and how many medians lie within one and two stated errors.
    "objected": whether the reports are evidence against the distribution that `infer_from_counts` assumes.
    """
    rng = np.random.default_rng([39, ODD_KINDS.index(kind), top, round(10 * epsilon), trial])
    domain, n_tasks = range(top + 1), 30
    truth, by_task = _tasks(kind, top, n_tasks, rng)
    edges = question_thresholds(domain)
    above, given = np.zeros((n_tasks, len(edges))), np.zeros(n_tasks)
    for _ in range(_MORE // _AT_A_TIME):
        answers = _answers(kind, truth, by_task, _AT_A_TIME, top, rng)
        given += np.isfinite(answers).sum(axis=0)
        above += ((answers[..., None] > edges) + (answers[..., None] == edges) / 2).sum(axis=0)
    median = interpolated_median(above / given[:, None], domain)
    answers = _answers(kind, truth, by_task, 2000, top, rng)
    survey, _ = asked_in_phases(answers, CHECKED, epsilon, domain, rng)
    wide = infer_medians(survey.counts, epsilon=epsilon, domain=domain)
    narrow = infer_from_counts(survey.counts, epsilon=epsilon, domain=domain)
    judged = by_task[1] > 1 if kind.endswith("these") else np.ones(n_tasks, dtype=bool)
    found = {"objected": float(not wide.trusted)}
    for name, estimate, error in (("median", wide.median, wide.error), ("truth", narrow.truth, narrow.error)):
        off, error = np.abs(np.asarray(estimate) - median)[judged], np.asarray(error)[judged]
        found |= {name: float(off.mean()), f"{name}: stated": float(error.mean())}
        found |= {f"{name}: within {k}": float((off < k * error).mean()) for k in (1, 2)}
    return found


def law_objections(kind: str, n_workers: int, epsilon: float) -> Mapping[str, float]:
    """Share of twelve crowds, on either scale, whose reports contradict what `infer_from_counts` assumes."""
    found = []
    for top, trial in product((9, 4), range(6)):
        rng = np.random.default_rng([40, ODD_KINDS.index(kind), n_workers, top, round(10 * epsilon), trial])
        truth, by_task = _tasks(kind, top, 30, rng)
        answers = _answers(kind, truth, by_task, n_workers, top, rng)
        survey, _ = asked_in_phases(answers, CHECKED, epsilon, range(top + 1), rng)
        found.append(bool(survey.why))
    return {"objected": float(np.mean(found))}


def law_false_alarms(block: int) -> Mapping[str, float]:
    """Share of twelve crowds with an objection although they follow the assumed distribution.

    Their sizes and settings are drawn at random.
    """
    rng, raised = np.random.default_rng([41, block]), 0
    for _ in range(12):
        top, n_tasks = int(rng.integers(2, 12)), int(rng.integers(8, 80))
        n_workers, epsilon = round(300 * np.exp(rng.uniform(0, 2.5))), float(np.exp(rng.uniform(-0.7, 1.4)))
        careful, spread = top / 9 * np.exp(rng.uniform(-0.3, 0.5, 2))
        sigma = careful * np.where(rng.random((n_workers, 1)) < rng.uniform(0.2, 1), 1, rng.uniform(2, 5))
        truth = rng.normal(rng.uniform(0.35, 0.65) * top, spread, n_tasks).clip(0, top)
        answers = np.round(truth + sigma * rng.normal(size=(n_workers, n_tasks))).clip(0, top)
        answers[rng.random(answers.shape) > rng.uniform(0.1, 1)] = np.nan
        survey, _ = asked_in_phases(answers, CHECKED, epsilon, range(top + 1), rng)
        raised += bool(survey.why)
    return {"objected": raised / 12}


def _tasks(kind: str, top: int, n_tasks: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Truths, and for some kinds a density and a width of each task."""
    truth = rng.normal(top / 2, _UNIT[top], n_tasks)
    if kind == "truths in two clumps":
        truth = top / 2 + _UNIT[top] * (rng.choice([-1.3, 1.3], n_tasks) + 0.2 * rng.normal(size=n_tasks))
    return truth, np.stack([rng.uniform(0.1, 0.7, n_tasks), rng.choice([0.6, 3.0], n_tasks)])


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
    Run(
        name="law-objections",
        cell=law_objections,
        cells=grid(kind=ODD_KINDS, n_workers=(600, 2000), epsilon=(2.0, 1.0)),
    ),
    Run(name="law-false-alarms", cell=law_false_alarms, cells=grid(block=range(40))),
)
