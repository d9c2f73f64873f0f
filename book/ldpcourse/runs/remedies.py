"""Long simulations on remedies."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ldpbook import datasets
from ldpbook._arrays import Array
from ldpbook.categorical_answers.known_channel import decode_choices
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.categorical_answers.voting import dawid_skene, majority_vote
from ldpbook.foundations.answers import to_matrix
from ldpbook.foundations.truth_inference import infer_truth, mean_absolute_error
from ldpbook.remedies._posterior import Evidence, averaged, fit
from ldpbook.remedies.answer_law import AnswerLaw
from ldpbook.remedies.decoding import decode
from ldpbook.remedies.phases import (
    PHASES,
    Survey,
    asked_in_phases,
    infer_with_best_channels,
    infer_with_thresholds,
    next_thresholds,
)
from ldpbook.remedies.smaller_question import ThresholdResponse, ThresholdResult, infer_from_counts
from ldpbook.remedies.who_is_careful import infer_from_reports
from ldpbook.sparse_answers.laplace import LaplacePerturbation
from ldpbook.sparse_answers.matrix_factorization import MatrixFactorization, random_profile
from ldpbook.sparse_answers.randomized_response import RandomizedResponse
from ldpcourse.peers import binary_search_median, key_value_mean, online_median, two_round_mean
from ldpcourse.runs._chooser import CHOOSER_RUNS
from ldpcourse.runs._guide import GUIDE_RUNS
from ldpcourse.runs._limits import _limits, crowd_limits, linked_limits, mechanism_map
from ldpcourse.runs._odd_crowds import ODD_RUNS
from ldpcourse.runs._shrinkage import SHRINKAGE_RUNS
from ldpcourse.runs.kept import Run, grid

SETTINGS = (  # workers, density, epsilon
    (20_000, 0.1, 0.5),
    (20_000, 0.1, 1.0),
    (20_000, 0.1, 2.0),
    (20_000, 0.1, 3.0),
    (20_000, 0.5, 1.0),
    (20_000, 0.5, 2.0),
    (20_000, 0.5, 3.0),
    (2000, 0.1, 1.0),
    (2000, 0.1, 2.0),
    (2000, 0.1, 3.0),
)
DOMAIN = range(10)  # of all crowds here
TOLERANCE = 1e-3  # of the inference, in answer units


def decoded(n_workers: int, density: float, epsilon: float, trial: int) -> Mapping[str, float]:
    """MAE to the truths of one crowd with 200 tasks, truths around 4.5; one perturbation by each mechanism.

    "decoded" knows the mechanism, and for LP the density. In "counted", a twentieth of the workers report
    whether they answered instead of the answer, with all of epsilon. "split" spends a tenth of epsilon of
    each cell on this. The source's mechanisms are combined with Algorithm 1; MF does not protect NULL.
    "clean" are errors without privacy.
    """
    rng = np.random.default_rng([15, n_workers, round(100 * density), trial])
    crowd = datasets.synthetic_crowd(n_workers, 200, density=density, truth_mean=4.5, rng=rng)
    rng = np.random.default_rng([16, n_workers, round(100 * density), round(100 * epsilon), trial])
    rr, lp = (kind(epsilon, crowd.domain) for kind in (RandomizedResponse, LaplacePerturbation))
    mf = MatrixFactorization(epsilon, crowd.domain, random_profile(2, 200, 22, signed=False))
    responses, sums = rr.perturb(crowd.answers, rng), lp.perturb(crowd.answers, rng)
    answered = np.where(np.isnan(crowd.answers), np.nan, 1.0)
    few, bit = n_workers // 20, RandomizedResponse(epsilon, (1,))
    counted = decode(bit.perturb(answered[:few], rng), bit).density.mean()
    tenth, rest = RandomizedResponse(epsilon / 10, (1,)), LaplacePerturbation(0.9 * epsilon, crowd.domain)
    split = decode(tenth.perturb(answered, rng), tenth).density.mean()
    truths = {
        "RR decoded": decode(responses, rr).truth,
        "LP decoded": decode(sums, lp, density=density).truth,
        "LP counted": decode(sums[few:], lp, density=counted).truth,
        "LP split": decode(rest.perturb(crowd.answers, rng), rest, density=split).truth,
        "RR": infer_truth(responses, tol=TOLERANCE).truth,
        "LP": infer_truth(sums, tol=TOLERANCE).truth,
        "MF": infer_truth(mf.perturb(crowd.answers, rng), tol=TOLERANCE).truth,
        "constant": 4.5,
        "clean mean": np.nanmean(crowd.answers, axis=0),
        "clean Algorithm 1": infer_truth(crowd.answers, tol=TOLERANCE).truth,
    }
    return {name: float(np.abs(truth - crowd.truth).mean()) for name, truth in truths.items()}


def peers(n_workers: int, density: float, epsilon: float, trial: int) -> Mapping[str, float]:
    """MAE to the truth of the published peers on one crowd of 200 tasks, and of the domain's centre.

    "normal link": the analyst knows not the link, but the normal distribution with the same slope at the
    truth. "smoothed": each worker first adds noise that is uniform within half a unit. "line": the straight
    line in the estimates that is nearest to the truths. It is computed with the truths, so no shrinkage of
    the estimates towards their mean can have a smaller mean square.
    """
    rng = np.random.default_rng([2019, trial])
    crowd = datasets.synthetic_crowd(n_workers, 200, density=density, truth_mean=4.5, rng=rng)
    law = AnswerLaw(crowd.domain, sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=density)
    normal = AnswerLaw(crowd.domain, sigmas=(5 / 3,), shares=(1.0,), density=density)
    smoothed = crowd.answers + rng.uniform(-0.5, 0.5, crowd.answers.shape)
    estimates = {
        name: np.asarray(estimate(answers, epsilon=epsilon, law=told, rng=rng))
        for name, estimate, answers, told in (
            ("two rounds", two_round_mean, crowd.answers, law),
            ("two rounds, normal link", two_round_mean, crowd.answers, normal),
            ("binary search", binary_search_median, crowd.answers, law),
            ("binary search, smoothed", binary_search_median, smoothed, law),
            ("online median", online_median, crowd.answers, law),
            ("online median, smoothed", online_median, smoothed, law),
            ("key-value", key_value_mean, crowd.answers, law),
        )
    }
    found = {"constant": mean_absolute_error(crowd.truth, np.full(200, 4.5))}
    for name, estimate in estimates.items():
        line = np.polyval(np.polyfit(estimate, crowd.truth, 1), estimate)
        found[name] = mean_absolute_error(crowd.truth, estimate)
        found[f"{name}: line"] = mean_absolute_error(crowd.truth, line)
    return found


def thresholds(n_workers: int, density: float, epsilon: float, trial: int) -> Mapping[str, float]:
    """MAE of the threshold response on the peers' crowds, reports linked or not; coverage of the errors."""
    rng = np.random.default_rng([2019, trial])
    crowd = datasets.synthetic_crowd(n_workers, 200, density=density, truth_mean=4.5, rng=rng)
    constant = mean_absolute_error(crowd.truth, np.full(200, 4.5))
    return {"constant": constant} | _both(crowd.answers, crowd.truth, epsilon, rng)


def _both(answers: Array, truth: Array, epsilon: float, rng: np.random.Generator) -> dict[str, float]:
    """MAE without kinds, the coverage of its stated errors, and the MAE of the same reports if linked."""
    survey, reports, asked = _surveyed(answers, epsilon, rng)
    unlinked = infer_from_counts(survey.counts, epsilon=epsilon, domain=DOMAIN)
    linked = infer_from_reports(reports, asked, epsilon=epsilon, domain=DOMAIN)
    return _judged(truth, unlinked, "error") | {
        "linked": mean_absolute_error(truth, np.asarray(linked.truth))
    }


def _surveyed(
    answers: Array, epsilon: float, rng: np.random.Generator, moved: Callable[[Array], Array] | None = None
) -> tuple[Survey, Array, Array]:
    """A survey in three phases, its reports and thresholds; later phases' thresholds may be moved."""
    n_workers, n_tasks = answers.shape
    response = ThresholdResponse(epsilon)
    survey = Survey.start(n_tasks, epsilon=epsilon, domain=DOMAIN)
    reports, asked = np.empty_like(answers), np.empty_like(answers)
    ends = np.round(np.cumsum(PHASES) * n_workers).astype(int)
    for cohort in map(slice, (0, *ends[:-1]), ends):
        asked[cohort] = np.resize(next_thresholds(survey), asked[cohort].shape)
        if moved and cohort.start:
            asked[cohort] = moved(asked[cohort])
        reports[cohort] = np.asarray(response.perturb(answers[cohort], asked[cohort], rng))
        survey = survey.add(reports[cohort], asked[cohort])
    return survey, reports, asked


def best_channels(density: float, epsilon: float, trial: int) -> Mapping[str, float]:
    """MAE for 10,000 workers and 100 tasks, with a last phase of thresholds or of the best channels."""
    rng = np.random.default_rng([2016, round(100 * density), round(100 * epsilon), trial])
    crowd = datasets.synthetic_crowd(10_000, 100, density=density, truth_mean=4.5, rng=rng)
    asked = infer_with_thresholds(
        crowd.answers, epsilon=epsilon, domain=crowd.domain, target="truth", rng=rng
    )
    best = infer_with_best_channels(crowd.answers, epsilon=epsilon, domain=crowd.domain, rng=rng)
    return {
        "thresholds": mean_absolute_error(crowd.truth, np.asarray(asked.truth)),
        **_judged(crowd.truth, best, "best channels"),
    }


def unseen_crowds(trial: int) -> Mapping[str, float]:
    """A crowd of drawn size, density and level at a drawn epsilon."""
    setting, rng = _unseen(trial)
    crowd = datasets.synthetic_crowd(
        setting["n_workers"], 200, density=setting["density"], truth_mean=setting["truth_mean"], rng=rng
    )
    constant = float(np.abs(crowd.truth - np.median(crowd.truth)).mean())
    return setting | {"constant": constant} | _both(crowd.answers, crowd.truth, setting["epsilon"], rng)


def unseen_limits(trial: int) -> Mapping[str, float]:
    """Limits on the MAE of these crowds."""
    setting, _ = _unseen(trial)
    law = AnswerLaw(range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=setting["density"])
    return _limits(law, setting["epsilon"], setting["n_workers"], setting["truth_mean"])


def _unseen(trial: int) -> tuple[dict[str, Any], np.random.Generator]:
    rng = np.random.default_rng([15, trial])
    truth_mean = rng.uniform(2, 7)
    density, size, epsilon = np.exp(rng.uniform(np.log([0.05, 2000, 0.5]), np.log([1, 50_000, 4])))
    setting = {"n_workers": round(size), "density": density, "epsilon": epsilon, "truth_mean": truth_mean}
    return setting, rng


def same_decoder(n_workers: int, density: float, epsilon: float, trial: int) -> Mapping[str, float]:
    """MAE on the peers' crowds of RR over all answers, decoded by the model that decodes thresholds."""
    rng = np.random.default_rng([2019, trial])
    crowd = datasets.synthetic_crowd(n_workers, 200, density=density, truth_mean=4.5, rng=rng)
    rr = RandomizedResponse(epsilon, crowd.domain)
    reports = rr.perturb(crowd.answers, rng)
    symbols = [*crowd.domain, np.nan]
    counts = np.stack([(np.isnan(reports) if np.isnan(x) else reports == x).sum(axis=0) for x in symbols], 1)
    evidence = Evidence(
        crowd.domain,
        np.array(crowd.domain[:-1]) + 0.5,
        counts[None].astype(float),
        rr.transition_matrix[None],
        np.asarray(decode(reports, rr).density),
    )
    truth, _ = averaged(fit(evidence), evidence)
    return {"RR by the model": mean_absolute_error(crowd.truth, truth)}


def misspecified(kind: str, trial: int) -> Mapping[str, float]:
    """A crowd unlike the one that the decoder assumes: 5,000 workers, density 0.3 on average, epsilon 2."""
    rng = np.random.default_rng([16, KINDS.index(kind), trial])
    shape, truth = (5000, 200), rng.normal(4.5, 1, 200)
    sigma = rng.permutation(np.repeat([1.0, 5.0], 2500))[:, None]
    error = rng.normal(size=shape)
    if kind == "heavy tails":
        error = rng.standard_t(3, shape) / np.sqrt(3)
    elif kind == "skewed errors":
        error = rng.exponential(size=shape) - 1
    elif kind == "biased workers":
        error = np.sqrt(0.5) * error + np.sqrt(0.5) * rng.normal(size=(5000, 1))
    elif kind == "two clumps":
        truth = rng.choice([2.5, 6.5], 200) + rng.normal(0, 0.3, 200)
    answers = np.clip(np.round(truth + sigma * error), 0, 9)
    density = np.full(shape, 0.3)
    if kind == "density by task":
        density = np.broadcast_to(rng.uniform(0.05, 0.55, 200), shape)
    elif kind == "NULL by answer":
        density = 0.1 + 0.4 * answers / 9
    answers[rng.random(shape) >= density] = np.nan
    return {
        "constant": float(np.abs(truth - np.median(truth)).mean()),
        "plain mean": mean_absolute_error(truth, np.nanmean(answers, axis=0)),
        "plain median": mean_absolute_error(truth, np.nanmedian(answers, axis=0)),
        **_both(answers, truth, 2.0, rng),
    }


def careful(sigma: float, trial: int) -> Mapping[str, float]:
    """15 tasks, each answered by 1,500 workers with the standard deviation sigma; epsilon 4.

    Mean distance from the truths, mean stated error, and how many truths lie within one and two of these
    errors.
    """
    rng = np.random.default_rng([3, trial])
    truth = rng.uniform(2, 8, 15)
    answers = np.clip(np.rint(truth + rng.normal(0, sigma, (1500, 15))), 0, 9)
    result = infer_with_thresholds(answers, epsilon=4.0, domain=DOMAIN, target="truth", rng=rng)
    judged = _judged(truth, result, "error")
    return judged | {"stated": float(np.asarray(result.error).mean())}


def phases(n_workers: int, density: float, epsilon: float, trial: int) -> Mapping[str, float]:
    """MAE to the truth of one crowd of 100 tasks, asked in phases of two kinds of shares, cells unlinked."""
    rng = np.random.default_rng([34, trial])
    crowd = datasets.synthetic_crowd(n_workers, 100, density=density, truth_mean=4.5, rng=rng)
    found = {}
    for shares in ((1.0,), (0.34, 0.66), (0.2, 0.2, 0.6), (0.1, 0.2, 0.7)):
        survey, _ = asked_in_phases(crowd.answers, shares, epsilon, crowd.domain, rng)
        truth = infer_from_counts(survey.counts, epsilon=epsilon, domain=crowd.domain).truth
        name = "/".join(f"{100 * share:.0f}" for share in shares)
        found[name] = mean_absolute_error(crowd.truth, np.asarray(truth))
    return found


def lecture_thresholds(epsilon: float) -> Mapping[str, float]:
    """Lecture ratings: mean distance to the truths inferred without privacy, and to the plain means.

    For the survey by thresholds, and for the source's mechanisms with Algorithm 1; MF does not protect NULL.
    """
    rng = np.random.default_rng([1128, round(10 * epsilon)])
    lectures = datasets.load_lecture_ratings()
    ratings = to_matrix(lectures.answers)
    ratings = ratings[rng.permutation(len(ratings))]
    result = infer_with_thresholds(ratings, epsilon=epsilon, domain=lectures.domain, target="truth", rng=rng)
    profile = random_profile(1, ratings.shape[1], 10, signed=False)
    sources = {
        "LP": LaplacePerturbation(epsilon, lectures.domain),
        "RR": RandomizedResponse(epsilon, lectures.domain),
        "MF": MatrixFactorization(epsilon, lectures.domain, profile),
    }
    truths = {"thresholds": np.asarray(result.truth)}
    for name, mechanism in sources.items():
        truths[name] = np.asarray(infer_truth(mechanism.perturb(ratings, rng), tol=1e-3).truth)
    clean = infer_truth(ratings).truth
    means = np.nanmean(ratings, axis=0)
    found = {name: mean_absolute_error(clean, truth) for name, truth in truths.items()}
    found |= {f"{name}: means": mean_absolute_error(means, truth) for name, truth in truths.items()}
    found["stated"] = float(np.sqrt((np.asarray(result.error) ** 2).mean()))
    found["root mean square: means"] = float(np.sqrt(((truths["thresholds"] - means) ** 2).mean()))
    found["correlation: means"] = float(np.corrcoef(truths["thresholds"], means)[0, 1])
    return found


def _judged(truth: Array, result: ThresholdResult, name: str) -> dict[str, float]:
    """MAE, by that name, and how many truths lie within one and two stated standard deviations."""
    estimate, error = np.asarray(result.truth), np.asarray(result.error)
    apart = np.abs(estimate - truth)
    return {
        name: float(apart.mean()),
        "bias": float((estimate - truth).mean()),
        "within_one": float((apart < error).mean()),
        "within_two": float((apart < 2 * error).mean()),
    }


def adult_choices(epsilon: float, trial: int) -> Mapping[str, float]:
    """AdultContent as a choice, adult or not: share of the tasks with a known truth that are decided wrongly.

    One layer; it is public which tasks a worker answered. "all:" compares the tasks without a tie with the
    majority of the answers themselves.
    """
    adult = datasets.load_adult_content()
    answers = adult.answers[adult.answers["answer"] < 4]  # 4 means that the page could not be seen
    answers = answers.assign(answer=(answers["answer"] >= 2).astype(int))
    truth = (adult.truth[adult.truth.index.isin(answers["task"])] >= 2).astype(int)
    mechanism = OneLayerFlip(epsilon, 2)
    reports = mechanism.perturb(answers, np.random.default_rng([825, round(10 * epsilon), trial]))
    read = {
        "majority": majority_vote(reports, 2),
        "Dawid-Skene": dawid_skene(reports, 2).truth,
        "decoded": decode_choices(reports, mechanism).truth,
    }
    wrong = {name: said[truth.index] != truth for name, said in read.items()}
    clean = answers.groupby("task")["answer"].mean().loc[lambda share: share != 0.5].round()
    return {
        "tasks": len(truth),
        **{name: errs.mean() for name, errs in wrong.items()},
        "decoded alone": (wrong["decoded"] & ~wrong["majority"]).mean(),
        "majority alone": (wrong["majority"] & ~wrong["decoded"]).mean(),
        "not adult": truth.mean(),
        "all: tasks": len(clean),
        **{f"all: {name}": (said[clean.index] != clean).mean() for name, said in read.items()},
        "all: not adult": clean.mean(),
    }


def drawn_setting(trial: int) -> dict[str, Any]:
    """A random crowd: workers, density, epsilon and standard deviations of errors are log-uniform."""
    rng = np.random.default_rng([20261124, 2, trial])
    size, n_workers = int(rng.integers(3, 12)), int(np.exp(rng.uniform(*np.log([1500, 15_000]))))
    return {
        "n_workers": n_workers,
        "n_tasks": min(int(rng.integers(60, 201)), 600_000 // n_workers),
        "density": float(np.exp(rng.uniform(np.log(0.05), 0.0))),
        "epsilon": float(np.exp(rng.uniform(*np.log([0.5, 4.0])))),
        "size": size,
        "truth_mean": float(rng.uniform(0.25, 0.75) * (size - 1)),
        "deviation": float(rng.uniform(0.3, 1.5)),
        "careful": float(np.exp(rng.uniform(*np.log([0.6, 1.5])))),
        "other": float(np.exp(rng.uniform(*np.log([1.5, 6.0])))),
        "share": float(rng.uniform(0.2, 0.8)),  # share of careful workers
    }


def drawn_crowds(trial: int, repeat: int) -> Mapping[str, float]:
    """The setting, and MAE to the truth of one crowd by every mechanism that the guide predicts."""
    setting = drawn_setting(trial)
    rng = np.random.default_rng([17, trial, repeat])
    domain, epsilon = range(setting["size"]), setting["epsilon"]
    shape = setting["n_workers"], setting["n_tasks"]
    truth = rng.normal(setting["truth_mean"], setting["deviation"], shape[1])
    sigma = np.where(rng.random(shape[0]) < setting["share"], setting["careful"], setting["other"])
    answers = np.clip(np.rint(truth + sigma[:, None] * rng.normal(size=shape)), 0, domain[-1])
    answers[rng.random(shape) >= setting["density"]] = np.nan
    answers = answers[~np.isnan(answers).all(axis=1)]
    rr, lp = RandomizedResponse(epsilon, domain), LaplacePerturbation(epsilon, domain)
    mf = MatrixFactorization(epsilon, domain, np.ones((1, shape[1])))
    responses, sums = rr.perturb(answers, rng), lp.perturb(answers, rng)
    asked = infer_with_thresholds(answers, epsilon=epsilon, domain=domain, target="truth", rng=rng)
    truths = {
        "RR, Algorithm 1": infer_truth(responses[~np.isnan(responses).all(axis=1)], tol=TOLERANCE).truth,
        "RR, decoded": decode(responses, rr).truth,
        "LP, Algorithm 1": infer_truth(sums, tol=TOLERANCE).truth,
        "LP, decoded": decode(sums, lp, density=setting["density"]).truth,
        "MF, Algorithm 1": infer_truth(mf.perturb(answers, rng), tol=TOLERANCE).truth,
        "threshold response": asked.truth,
        "constant": np.full(shape[1], setting["truth_mean"]),
    }
    return setting | {name: mean_absolute_error(truth, found) for name, found in truths.items()}


KINDS = (
    "as assumed",
    "heavy tails",
    "skewed errors",
    "biased workers",
    "two clumps",
    "density by task",
    "NULL by answer",
)
_BY_TRIAL = tuple(
    {"n_workers": n_workers, "density": density, "epsilon": epsilon, "trial": trial}
    for n_workers, density, epsilon in SETTINGS
    for trial in range(3)
)
MAP_EPSILONS = tuple(k / 4 for k in range(1, 21))


def linked(density: float, epsilon: float, others: int, apart: float, trial: int) -> Mapping[str, float]:
    """Threshold responses of 2,000 workers on 200 tasks in three phases, decoded without and with kinds.

    For each careful worker there are `others` other workers. The share `apart` of later phases' thresholds is
    moved by one answer to either side of the best. Returns the MAE to the truth of both decoders, the number
    of truths within one and two standard deviations, and the number of kinds identified correctly. Also, for
    the workers in each tenth of the probability of being careful: their number, the number who are careful,
    and the sum of these probabilities.
    """
    rng = np.random.default_rng([2018, trial])
    sigmas = (1.0,) + (5.0,) * others
    crowd = datasets.synthetic_crowd(2000, 200, density=density, sigmas=sigmas, truth_mean=4.5, rng=rng)

    def beside(thresholds: Array) -> Array:
        steps = rng.choice([-1, 0, 1], thresholds.shape, p=[apart / 2, 1 - apart, apart / 2])
        moved: Array = np.clip(thresholds + steps, 0.5, 8.5)
        return moved

    survey, reports, asked = _surveyed(crowd.answers, epsilon, rng, beside)
    without = infer_from_counts(survey.counts, epsilon=epsilon, domain=crowd.domain)
    result = infer_from_reports(reports, asked, epsilon=epsilon, domain=crowd.domain)
    found = {}
    for name, decoded in (("unlinked", without), ("linked", result)):
        distance = np.abs(decoded.truth - crowd.truth)
        found[name] = float(distance.mean())
        for k in (1, 2):
            found[f"{name}: within {k}"] = float((distance <= k * decoded.error).mean())
    is_careful, tenth = crowd.sigma == 1.0, np.minimum(np.asarray(result.careful) * 10, 9).astype(int)
    found["kinds right"] = float(((np.asarray(result.careful) > 0.5) == is_careful).mean())
    for name, chosen in (("workers", tenth), ("careful", tenth[is_careful])):
        found |= {f"{name}, tenth {k}": float(n) for k, n in enumerate(np.bincount(chosen, minlength=10))}
    stated = np.bincount(tenth, np.asarray(result.careful), 10)
    found |= {f"stated, tenth {k}": float(total) for k, total in enumerate(stated)}
    return found


LINKED = (  # density, epsilon, other workers per careful one, share of thresholds moved
    (0.1, 2.0, 1, 0.0),
    (0.1, 3.0, 1, 0.0),
    (0.5, 2.0, 1, 0.0),
    (0.5, 3.0, 1, 0.0),
    (1.0, 2.0, 1, 0.0),
    (1.0, 3.0, 1, 0.0),
    (1.0, 3.0, 3, 0.0),
    (0.5, 3.0, 1, 2 / 3),
    (1.0, 3.0, 1, 2 / 3),
)
_LIMITED = tuple(cell for cell in _BY_TRIAL if (cell["density"], cell["epsilon"]) != (0.5, 3.0))
_AVERAGED_IS_SLOW = "several surveys are decoded, each by an average over 256 laws of answers"
_LINKED_IS_SLOW = "reports are decoded eight times, in eight bins of the workers' kinds"
RUNS = (
    Run(name="peers", cell=peers, cells=_BY_TRIAL),
    Run(name="thresholds", cell=thresholds, cells=_LIMITED, slow=_LINKED_IS_SLOW),
    Run(
        name="best-channels",
        cell=best_channels,
        cells=tuple(
            {"density": density, "epsilon": epsilon, "trial": trial}
            for density, epsilon in ((0.1, 0.5), (1.0, 0.5), (1.0, 4.0))
            for trial in range(10)
        ),
        slow="two surveys of 10,000 workers, and the best channel of each of 100 tasks",
    ),
    Run(
        name="unseen-crowds",
        cell=unseen_crowds,
        cells=tuple({"trial": k} for k in range(20)),
        slow=_LINKED_IS_SLOW,
    ),
    Run(
        name="unseen-limits",
        cell=unseen_limits,
        cells=tuple({"trial": k} for k in range(20)),
        slow="the best channel at each of many truths",
    ),
    Run(name="same-decoder", cell=same_decoder, cells=_LIMITED, slow=_AVERAGED_IS_SLOW),
    Run(
        name="misspecified",
        cell=misspecified,
        cells=tuple({"kind": kind, "trial": k} for kind in KINDS for k in range(3)),
        slow=_LINKED_IS_SLOW,
    ),
    Run(
        name="careful",
        cell=careful,
        cells=grid(sigma=(1.0, 0.5, 0.3), trial=range(16)),
    ),
    Run(
        name="phases",
        cell=phases,
        slow=_AVERAGED_IS_SLOW,
        cells=tuple(
            {"n_workers": 2000, "density": density, "epsilon": epsilon, "trial": trial}
            for density, epsilon in ((0.1, 3.0), (1.0, 2.0))
            for trial in range(26)
        ),
    ),
    Run(
        name="lecture-thresholds",
        cell=lecture_thresholds,
        cells=tuple({"epsilon": epsilon} for epsilon in (1.0, 2.0, 4.0)),
        slow="reports on 1,128 lectures are decoded",
    ),
    Run(
        name="decoded",
        cell=decoded,
        cells=tuple(
            {"n_workers": m, "density": s, "epsilon": epsilon, "trial": trial}
            for m, s, epsilon in SETTINGS
            if (s, epsilon) != (0.5, 3.0)
            for trial in range(6)
        ),
    ),
    Run(
        name="mechanism-map",
        cell=mechanism_map,
        cells=tuple(
            {"epsilon": epsilon, "density": density}
            for density, epsilon in itertools.product((0.1, 0.5, 0.9), MAP_EPSILONS)
        ),
    ),
    Run(
        name="crowd-limits",
        cell=crowd_limits,
        cells=tuple(
            {"n_workers": m, "density": density, "epsilon": epsilon}
            for m, density, epsilons in (
                (20_000, 0.1, (0.5, 1.0, 2.0, 3.0)),
                (20_000, 0.5, (1.0, 2.0)),
                (2_000, 0.1, (1.0, 2.0, 3.0)),
            )
            for epsilon in epsilons
        ),
    ),
    Run(
        name="linked",
        cell=linked,
        cells=tuple(
            {"density": density, "epsilon": epsilon, "others": others, "apart": apart, "trial": trial}
            for trial in range(4)
            for density, epsilon, others, apart in LINKED
        ),
        slow=_LINKED_IS_SLOW,
    ),
    Run(
        name="linked-limits",
        cell=linked_limits,
        slow="limits for crowds of two kinds take some ten seconds",
        cells=tuple(
            {"density": density, "epsilon": epsilon, "others": others}
            for density, epsilon, others, _ in LINKED[:7]
        ),
    ),
    Run(
        name="drawn-crowds",
        cell=drawn_crowds,
        cells=tuple({"trial": trial, "repeat": repeat} for trial in range(20) for repeat in range(32)),
    ),
    Run(
        name="adult-choices",
        cell=adult_choices,
        cells=tuple({"epsilon": e, "trial": t} for e in (0.5, 1.0, 2.0, 4.0, 50.0) for t in range(4)),
        slow="decoding takes half a minute on 11,000 tasks",
    ),
    *GUIDE_RUNS,
    *CHOOSER_RUNS,
    *ODD_RUNS,
    *SHRINKAGE_RUNS,
)
