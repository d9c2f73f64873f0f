"""The part's long simulations."""

from collections.abc import Mapping

import numpy as np

from ldpbook import datasets
from ldpbook._run import Run
from ldpbook.foundations.truth_inference import mean_absolute_error
from ldpbook.remedies.answer_law import AnswerLaw
from ldpbook.remedies.best_mechanism import known_types_limit, unlinked_limit
from ldpbook.remedies.peers import binary_search_median, key_value_mean, online_median, two_round_mean
from ldpbook.remedies.smaller_question import ThresholdResponse, infer_from_counts
from ldpbook.remedies.survey import PHASES, Survey, next_thresholds
from ldpbook.remedies.who_is_careful import infer_from_reports

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


def peers(n_workers: int, density: float, epsilon: float, trial: int) -> Mapping[str, float]:
    """MAE to the truth of the published peers on one crowd of 200 tasks, and of the domain's centre.

    "normal link": the analyst is told not the link, but the normal law with the same slope at the truth.
    "smoothed": each worker first adds noise that is uniform within half a unit. "line": the straight line in
    the estimates that comes nearest to the truths, which no shrinkage of them towards their mean can beat in
    mean square, as it is found with the truths in hand.
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


def linked(density: float, epsilon: float, others: int, apart: float, trial: int) -> Mapping[str, float]:
    """Threshold responses of 2,000 workers on 200 tasks in three phases, decoded without and with kinds.

    To each careful worker there are so many `others`. Of later phases' thresholds the share `apart` is
    moved one answer to either side of the best. MAE to the truth of both decoders; how many truths it
    lies within one and two deviations of; how many kinds are told right; and of the workers in each tenth of
    the probability to be careful their number, and how many are.
    """
    rng = np.random.default_rng([2018, trial])
    sigmas = (1.0,) + (5.0,) * others
    crowd = datasets.synthetic_crowd(2000, 200, density=density, sigmas=sigmas, truth_mean=4.5, rng=rng)
    response = ThresholdResponse(epsilon)
    survey = Survey.start(200, epsilon=epsilon, domain=crowd.domain)
    reports, asked = np.empty_like(crowd.answers), np.empty_like(crowd.answers)
    ends = np.round(np.cumsum(PHASES) * 2000).astype(int)
    for cohort in map(slice, (0, *ends[:-1]), ends):
        thresholds = np.resize(next_thresholds(survey), asked[cohort].shape)
        if cohort.start:
            moved = rng.choice([-1, 0, 1], thresholds.shape, p=[apart / 2, 1 - apart, apart / 2])
            thresholds = np.clip(thresholds + moved, 0.5, 8.5)
        asked[cohort] = thresholds
        reports[cohort] = np.asarray(response.perturb(crowd.answers[cohort], thresholds, rng))
        survey = survey.add(reports[cohort], thresholds)
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
    return found


def linked_limits(density: float, epsilon: float, others: int) -> Mapping[str, float]:
    """MAE below which nobody comes on the crowds of `linked`: cells unlinked, and kinds known."""
    shares = (1 / (1 + others), others / (1 + others))
    law = AnswerLaw(range(10), sigmas=(1.0, 5.0), shares=shares, density=density)
    limits = {"unlinked": unlinked_limit, "kinds known": known_types_limit}
    return {
        name: limit(law, epsilon=epsilon, n_workers=2000, prior_mean=4.5, prior_deviation=1.0)
        for name, limit in limits.items()
    }


LINKED = (  # density, epsilon, others to a careful worker, share of thresholds moved
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
RUNS = (
    Run(
        name="peers",
        cell=peers,
        cells=tuple(
            {"n_workers": n_workers, "density": density, "epsilon": epsilon, "trial": trial}
            for n_workers, density, epsilon in SETTINGS
            for trial in range(3)
        ),
    ),
    Run(
        name="linked",
        cell=linked,
        cells=tuple(
            {"density": density, "epsilon": epsilon, "others": others, "apart": apart, "trial": trial}
            for trial in range(3)
            for density, epsilon, others, apart in LINKED
        ),
    ),
    Run(
        name="linked-limits",
        cell=linked_limits,
        cells=tuple(
            {"density": density, "epsilon": epsilon, "others": others}
            for density, epsilon, others, _ in LINKED[:7]
        ),
    ),
)
