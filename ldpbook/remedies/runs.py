"""The part's long simulations."""

from collections.abc import Mapping

import numpy as np

from ldpbook import datasets
from ldpbook._run import Run
from ldpbook.foundations.answers import to_matrix
from ldpbook.foundations.truth_inference import infer_truth, mean_absolute_error
from ldpbook.remedies.answer_law import AnswerLaw
from ldpbook.remedies.peers import binary_search_median, key_value_mean, online_median, two_round_mean
from ldpbook.remedies.smaller_question import ThresholdResponse, infer_from_counts
from ldpbook.remedies.survey import Survey, infer_with_thresholds, next_thresholds
from ldpbook.sparse_answers.laplace import LaplacePerturbation
from ldpbook.sparse_answers.matrix_factorization import MatrixFactorization, random_profile
from ldpbook.sparse_answers.randomized_response import RandomizedResponse

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


def phases(n_workers: int, density: float, epsilon: float, trial: int) -> Mapping[str, float]:
    """MAE to the truth of one crowd of 100 tasks, asked in phases of two kinds of shares, cells unlinked."""
    rng = np.random.default_rng([34, trial])
    crowd = datasets.synthetic_crowd(n_workers, 100, density=density, truth_mean=4.5, rng=rng)
    found = {}
    for shares in ((1.0,), (0.34, 0.66), (0.1, 0.2, 0.7)):
        survey = Survey.start(100, epsilon=epsilon, domain=crowd.domain)
        ends = np.round(np.cumsum(shares) * n_workers).astype(int)
        for cohort in np.split(crowd.answers, ends[:-1]):
            asked = np.resize(next_thresholds(survey), cohort.shape)
            survey = survey.add(ThresholdResponse(epsilon).perturb(cohort, asked, rng), asked)
        truth = infer_from_counts(survey.counts, epsilon=epsilon, domain=crowd.domain).truth
        name = "/".join(f"{100 * share:.0f}" for share in shares)
        found[name] = mean_absolute_error(crowd.truth, np.asarray(truth))
    return found


def lecture_thresholds(epsilon: float) -> Mapping[str, float]:
    """Lecture ratings: mean distance to what is inferred without privacy, and to the plain means.

    Of the survey by thresholds, and of the sources' mechanisms with Algorithm 1; MF does not protect NULL.
    """
    rng = np.random.default_rng([1128, round(10 * epsilon)])
    lectures = datasets.load_lecture_ratings()
    ratings = to_matrix(lectures.answers)
    ratings = ratings[rng.permutation(len(ratings))]
    result = infer_with_thresholds(ratings, epsilon=epsilon, domain=lectures.domain, rng=rng)
    profile = random_profile(1, ratings.shape[1], 10, signed=False)
    sources = {
        "LP": LaplacePerturbation(epsilon, lectures.domain),
        "RR": RandomizedResponse(epsilon, lectures.domain),
        "MF": MatrixFactorization(epsilon, lectures.domain, profile),
    }
    truths = {"thresholds": np.asarray(result.truth)}
    for name, mechanism in sources.items():
        truths[name] = infer_truth(mechanism.perturb(ratings, rng), tol=1e-3).truth
    clean = infer_truth(ratings).truth
    means = np.nanmean(ratings, axis=0)
    found = {name: mean_absolute_error(clean, truth) for name, truth in truths.items()}
    found |= {f"{name}: means": mean_absolute_error(means, truth) for name, truth in truths.items()}
    found["stated"] = float(np.sqrt((np.asarray(result.error) ** 2).mean()))
    found["root mean square: means"] = float(np.sqrt(((truths["thresholds"] - means) ** 2).mean()))
    found["correlation: means"] = float(np.corrcoef(truths["thresholds"], means)[0, 1])
    return found


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
        name="phases",
        cell=phases,
        cells=tuple(
            {"n_workers": 2000, "density": density, "epsilon": epsilon, "trial": trial}
            for density, epsilon in ((0.1, 3.0), (1.0, 2.0))
            for trial in range(10)
        ),
    ),
    Run(
        name="lecture-thresholds",
        cell=lecture_thresholds,
        cells=tuple({"epsilon": epsilon} for epsilon in (1.0, 2.0, 4.0)),
    ),
)
