"""The part's long simulations."""

from collections.abc import Mapping

import numpy as np

from ldpbook import datasets
from ldpbook._run import Run
from ldpbook.foundations.truth_inference import infer_truth, mean_absolute_error
from ldpbook.remedies.answer_law import AnswerLaw
from ldpbook.remedies.decoding import decode
from ldpbook.remedies.peers import binary_search_median, key_value_mean, online_median, two_round_mean
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
TOLERANCE = 1e-3  # of the inference; answer units


def decoded(n_workers: int, density: float, epsilon: float, trial: int) -> Mapping[str, float]:
    """MAE to the truths of one crowd with 200 tasks, truths around 4.5; one perturbation by each mechanism.

    "decoded" knows the mechanism, and for LP the density; "counted" has a twentieth of the workers say
    whether they answered instead of what, all of epsilon for that; "split" spends a tenth of epsilon of each
    cell on it. The source's mechanisms stand with Algorithm 1; MF does not protect NULL. "clean" are errors
    without privacy.
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


RUNS = (
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
        name="peers",
        cell=peers,
        cells=tuple(
            {"n_workers": n_workers, "density": density, "epsilon": epsilon, "trial": trial}
            for n_workers, density, epsilon in SETTINGS
            for trial in range(3)
        ),
    ),
)
