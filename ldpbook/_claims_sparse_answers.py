"""Claims of the part foundations and sparse answers."""

import math
from collections.abc import Callable

import numpy as np

from ldpbook import bounds, datasets
from ldpbook._claim import Claim, Verdict
from ldpbook.answers import to_matrix
from ldpbook.comparison import Mechanism, mae_changes
from ldpbook.laplace import LaplacePerturbation
from ldpbook.matrix_factorization import MatrixFactorization, random_profile
from ldpbook.privacy import discrete_epsilon
from ldpbook.randomized_response import RandomizedResponse

_SUN = "sun2018truth"
_SLIDES = "sun2018slides"

_DOMAIN = tuple(range(10))


_SETTING = {"epsilon": 1.0, "domain": _DOMAIN, "density": 0.1}


_COUNTEREXAMPLE = {"epsilon": 100.0, "domain": _DOMAIN, "density": 0.001, "truth": 4.5}


_SMALL_MF = MatrixFactorization(1.0, _DOMAIN, [[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]])


def _rr_one_sigma_away() -> float:
    """Theorem 3 in the example's setting with every given answer one sigma from the truth."""
    output = RandomizedResponse(1.0, _DOMAIN).transition_matrix[:, :-1] @ _DOMAIN
    return float(0.9 * output[-1] + 0.1 * output[1])


def _mf_null_loss() -> float:
    """Privacy loss of MF between NULL and the answer 5 at one released worker profile."""
    profile = [1000.0, 1000.0]
    given, null = [3.0, 7.0, 5.0], [3.0, 7.0, np.nan]
    return abs(float(_SMALL_MF.log_density(profile, given) - _SMALL_MF.log_density(profile, null)))


def _mf_value_loss() -> float:
    """Largest loss of MF between values, over all pairs for one cell and a grid of outputs."""
    axis = np.linspace(-50, 50, 101)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1)
    log_density = np.array([_SMALL_MF.log_density(grid, [3.0, 7.0, x]) for x in _DOMAIN])
    return float(np.ptp(log_density, axis=0).max())


def _mf_one_answer() -> float:
    """The MF objective of a worker with one answer along a direction that V does not see."""
    v, noise = np.array([0.6, 0.4]), np.array([1.0, 2.0])
    unseen = np.array([0.4, -0.6])  # orthogonal to v
    descent = -np.sign(noise @ unseen) * unseen
    return float((3.0 - 1e6 * descent @ v) ** 2 + 2e6 * descent @ noise)


def _mf_single_worker_mae(density: float) -> float:
    """Mean MAE of MF predictions of one worker (n = 1000, d = 100), truths 0, sigma 1.

    Continuous answers, as Theorem 5 has them, on a domain of ten integers around the truth.
    """
    rng = np.random.default_rng(2018)
    n_tasks, rank, n_workers = 1000, 100, 100
    answers = np.clip(rng.standard_normal((n_workers, n_tasks)), -4, 5)
    answers[:, round(density * n_tasks) :] = np.nan
    mf = MatrixFactorization(1.0, range(-4, 6), random_profile(rank, n_tasks, rng))
    return float(np.abs(mf.perturb(answers, rng)).mean())


def _simulate(
    make: Callable[[np.random.Generator], Mechanism],
    n_workers: int = 2000,
    density: float = 0.1,
    n_trials: int = 5,
) -> tuple[float, float]:
    """MAE change on the source's synthetic crowd, and the MAE's excess over answering 0."""
    rng = np.random.default_rng(2018)
    crowd = datasets.synthetic_crowd(n_workers, 200, density=density, rng=rng)
    changes = mae_changes(crowd.answers, crowd.truth, {"it": make(rng)}, n_trials=n_trials, rng=rng)
    return changes.mae_change.mean(), changes.mae.mean() - np.abs(crowd.truth).mean()


def _lp_change(epsilon: float, **setting: float) -> float:
    return _simulate(lambda _: LaplacePerturbation(epsilon, _DOMAIN), **setting)[0]


def _lp_share_of_fall() -> float:
    """How much of the fall of LP's MAE change from epsilon 0.1 to 10 is done by epsilon 1."""
    small, one, large = (_lp_change(epsilon, density=0.5, n_trials=20) for epsilon in (0.1, 1.0, 10.0))
    return (small - one) / (small - large)


def _rr_change(density: float) -> float:
    return _simulate(lambda _: RandomizedResponse(1.0, _DOMAIN), density=density)[0]


def _mf(epsilon: float, rank: int) -> Callable[[np.random.Generator], Mechanism]:
    return lambda rng: MatrixFactorization(epsilon, _DOMAIN, random_profile(rank, 200, rng))


def _adult_sparsity() -> np.ndarray:
    return np.isnan(to_matrix(datasets.load_adult_content().answers)).mean(axis=1)


def _adult_answers_per_worker() -> float:
    answers = datasets.load_adult_content().answers
    return len(answers) / answers.worker.nunique()


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "lp-privacy",
        _SUN,
        "Theorem 1",
        "Laplace perturbation is epsilon-cell LDP, for constant and for random replacement of"
        " NULL; here at epsilon = 1 on ten symbols.",
        1.0,
        "<=",
        lambda: LaplacePerturbation(1.0, _DOMAIN).exact_epsilon,
        0.0,
        Verdict.REPRODUCED,
        "It holds with room to spare: the exact worst-case loss is {computed}, because ten"
        " consecutive integers span nine units while the noise is scaled to ten.",
        "sparse-answers/laplace",
    ),
    Claim(
        "lp-example",
        _SUN,
        "below Theorem 2",
        "The LP error bound is 14.13 for ten symbols, epsilon 1, density 0.1, sigma 1, truths 0.",
        14.13,
        "=",
        lambda: bounds.lp_mae_bound(**_SETTING),
        0.005,
        Verdict.REPRODUCED,
        "The printed formula gives {computed}.",
        "sparse-answers/laplace",
    ),
    Claim(
        "lp-slides",
        _SLIDES,
        "slide 19",
        "The same bound, 14.13, with all truths equal to 1.",
        14.13,
        "=",
        lambda: bounds.lp_mae_bound(truth=1.0, **_SETTING),
        0.005,
        Verdict.CORRECTED,
        "With truths 1 the formula gives {computed}; 14.13 belongs to truths 0.",
        "sparse-answers/laplace",
    ),
    Claim(
        "lp-bound",
        _SUN,
        "Theorem 2",
        "The LP formula bounds the expected MAE. Tried on one worker with one answer to a"
        " thousand tasks of truth 4.5, epsilon 100, NULL replaced uniformly.",
        bounds.lp_mae_bound(**_COUNTEREXAMPLE),
        "<=",
        lambda: bounds.lp_mae_bound_corrected(**_COUNTEREXAMPLE),
        0.0,
        Verdict.REFUTED,
        "The exact expected error is {computed}. The printed offset is the distance of the truth"
        " from the mean replacement; it must be the mean distance from the replacement.",
        "sparse-answers/laplace",
    ),
    Claim(
        "lp-drop",
        _SUN,
        "Section VI-C, Figure 2",
        "The MAE change of LP falls from epsilon 0.1 to 1 and keeps stable above; here the share"
        " of the fall from 0.1 to 10 that is done by 1, at sparsity 0.5, should be nearly all of it.",
        0.9,
        ">=",
        _lp_share_of_fall,
        0.0,
        Verdict.REPRODUCED,
        "The share done by epsilon = 1 is {computed}. What stays is the bias of the replaced"
        " NULLs, which no epsilon removes.",
        "sparse-answers/comparison",
    ),
    Claim(
        "lp-size",
        _SUN,
        "Section VI-C, Figure 4",
        "At epsilon 0.1 the MAE change of LP is smaller with 10,000 workers than with 2,000;"
        " here their difference, at density 0.9.",
        0.0,
        "<=",
        lambda: _lp_change(0.1, n_workers=10_000, density=0.9) - _lp_change(0.1, density=0.9),
        0.0,
        Verdict.REPRODUCED,
        "The change moves by {computed}: the noise averages out over more workers.",
        "sparse-answers/comparison",
    ),
    Claim(
        "sparsity-hurts",
        _SUN,
        "Section VI-C, Figure 3",
        "The MAE changes of LP and RR grow with sparsity; here the smaller of their two"
        " increases from density 0.9 to density 0.1, at epsilon 1.",
        0.0,
        ">=",
        lambda: min(_lp_change(1.0) - _lp_change(1.0, density=0.9), _rr_change(0.1) - _rr_change(0.9)),
        0.0,
        Verdict.REPRODUCED,
        "The smaller increase is {computed}.",
        "sparse-answers/comparison",
    ),
    Claim(
        "rr-binary",
        _SUN,
        "Section II-A",
        "Answering a yes-no question truthfully with probability p > 1/2 is ln(p/(1-p))-LDP;"
        " here at p = 0.75, where that is ln 3.",
        math.log(3.0),
        "=",
        lambda: discrete_epsilon([[0.75, 0.25], [0.25, 0.75]]),
        1e-12,
        Verdict.REPRODUCED,
        "The exact loss is {computed}.",
        "foundations/local-privacy",
    ),
    Claim(
        "rr-privacy",
        _SUN,
        "Equation 8",
        "Randomized response over the answers and NULL is epsilon-cell LDP; here at epsilon = 1"
        " on ten symbols.",
        1.0,
        "<=",
        lambda: discrete_epsilon(RandomizedResponse(1.0, _DOMAIN).transition_matrix),
        1e-12,
        Verdict.REPRODUCED,
        "The exact loss is {computed}: the budget is spent to the last drop, NULL included.",
        "sparse-answers/randomized-response",
    ),
    Claim(
        "rr-example",
        _SUN,
        "below Theorem 3",
        "The RR error bound is 3.551 for the domain 0..9, epsilon 1, density 0.1, sigma 1, truths 0.",
        3.551,
        "=",
        _rr_one_sigma_away,
        0.001,
        Verdict.READING,
        "{computed}, which 3.551 truncates, comes out when every given answer is put one"
        " standard deviation from the truth, at 1, in place of the sum over the normal density.",
        "sparse-answers/randomized-response",
    ),
    Claim(
        "rr-example-formula",
        _SUN,
        "below Theorem 3",
        "The same number, 3.551, as the value of the printed formula.",
        3.551,
        "=",
        lambda: bounds.rr_mae_bound(**_SETTING),
        0.0005,
        Verdict.CORRECTED,
        "The formula as printed gives {computed}: the density at 0..9 does not sum to 1.",
        "sparse-answers/randomized-response",
    ),
    Claim(
        "rr-bound",
        _SUN,
        "Theorem 3",
        "The RR formula bounds the expected MAE; tried in the source's own example.",
        bounds.rr_mae_bound(**_SETTING),
        "<=",
        lambda: bounds.rr_mae_bound_corrected(**_SETTING),
        0.0,
        Verdict.REFUTED,
        "There no output is below the truth, so the expected error is known exactly, whatever"
        " the number of workers: {computed}. The formula counts a NULL output as the answer 0,"
        " and takes the absolute value after the mean instead of before.",
        "sparse-answers/randomized-response",
    ),
    Claim(
        "rr-null-kept",
        _SUN,
        "Section VI-D",
        "At epsilon = 3 on five symbols RR keeps a NULL with probability about 80 %.",
        0.8,
        "=",
        lambda: RandomizedResponse(3.0, range(5)).transition_matrix[-1, -1],
        0.005,
        Verdict.REPRODUCED,
        "The probability is {computed}.",
        "sparse-answers/randomized-response",
    ),
    Claim(
        "mf-privacy",
        _SUN,
        "Theorem 4",
        "MF is epsilon-cell LDP for any two answer vectors that differ in one cell, NULL"
        " included; tried at epsilon = 1, d = 2, three tasks, at the worker profile"
        " (1000, 1000), for one cell NULL or 5.",
        1.0,
        "<=",
        _mf_null_loss,
        0.0,
        Verdict.REFUTED,
        "The log density ratio there is {computed} and grows without bound with the profile:"
        " the proof holds the set of answered tasks fixed, and NULL changes it.",
        "sparse-answers/matrix-factorization",
    ),
    Claim(
        "mf-privacy-values",
        _SUN,
        "Theorem 4, proof",
        "MF is epsilon-cell LDP between vectors that answer the same tasks; tried at epsilon = 1"
        " for every pair of values in one cell.",
        1.0,
        "<=",
        _mf_value_loss,
        1e-12,
        Verdict.REPRODUCED,
        "The largest log density ratio is {computed}. This is the guarantee that the printed proof gives.",
        "sparse-answers/matrix-factorization",
    ),
    Claim(
        "mf-defined",
        _SUN,
        "Equation 10",
        "The perturbed objective has a minimum for every worker with at least one answer; tried"
        " on d = 2, one answer, a million steps along a direction that the answer does not see:"
        " were there a minimum, the objective would not fall below, say, -1000.",
        -1000.0,
        ">=",
        _mf_one_answer,
        0.0,
        Verdict.REFUTED,
        "The objective falls to {computed} and on: with fewer than d answers it is unbounded"
        " below. A ridge penalty restores the minimum and keeps the guarantee.",
        "sparse-answers/matrix-factorization",
    ),
    Claim(
        "mf-example",
        _SUN,
        "below Theorem 5",
        "The MF error bound is 1.8 for n = 1000, d = 100, ten symbols, epsilon 1.",
        1.8,
        "=",
        lambda: bounds.mf_mae_bound(epsilon=1.0, domain_size=10, n_tasks=1000, rank=100),
        0.05,
        Verdict.REPRODUCED,
        "The printed formula gives {computed}.",
        "sparse-answers/matrix-factorization",
    ),
    Claim(
        "mf-bound",
        _SUN,
        "Theorem 5",
        "The MF formula bounds the expected MAE; tried in the source's own example on single"
        " workers who answer every task, with random task profiles.",
        bounds.mf_mae_bound(epsilon=1.0, domain_size=10, n_tasks=1000, rank=100),
        "<=",
        lambda: _mf_single_worker_mae(1.0),
        0.0,
        Verdict.REFUTED,
        "The mean error is {computed}. The noise term of the formula is a lower bound on the mean"
        " noise for every choice of task profiles, attained only by signed unit vectors.",
        "sparse-answers/matrix-factorization",
    ),
    Claim(
        "mf-sparsity",
        _SUN,
        "Theorem 5",
        "The MF error bound does not depend on sparsity; tried as the ratio of the errors at"
        " densities 0.2 and 1 in the same setting.",
        1.0,
        "<=",
        lambda: _mf_single_worker_mae(0.2) / _mf_single_worker_mae(1.0),
        0.0,
        Verdict.REFUTED,
        "The error at density 0.2 is {computed} times that at density 1. The noise of a fit grows"
        " as the answers that determine it become fewer.",
        "sparse-answers/matrix-factorization",
    ),
    Claim(
        "mf-best",
        _SUN,
        "Section VI-C, Figures 2-4",
        "MF always has the smallest MAE change; tried at sparsity 0.9, epsilon 1, d = 10 as its"
        " MAE less that of answering 0 to every task without reading an answer.",
        0.0,
        "<=",
        lambda: _simulate(_mf(1.0, 10))[1],
        0.0,
        Verdict.REFUTED,
        "MF is worse by {computed}. It beats LP and RR because truths centre at 0 and its"
        " predictions shrink there, not because it learns the truths.",
        "sparse-answers/comparison",
    ),
    Claim(
        "mf-half",
        _SUN,
        "Section VI-C, Figure 3",
        "The MAE change of MF never exceeds 0.5, even at sparsity 0.9 and epsilon 0.1; tried with d = 10.",
        0.5,
        "<=",
        lambda: _simulate(_mf(0.1, 10))[0],
        0.0,
        Verdict.UNDECIDED,
        "With d = 10 it is {computed}; with d = 2 the claim holds (the next entry). The source does not"
        " say which d it used, nor how V was drawn.",
        "sparse-answers/comparison",
    ),
    Claim(
        "mf-half-small",
        _SUN,
        "Section VI-C, Figure 3",
        "The same, with d = 2 and random directions as task profiles.",
        0.5,
        "<=",
        lambda: _simulate(_mf(0.1, 2))[0],
        0.0,
        Verdict.READING,
        "With d = 2 it is {computed}.",
        "sparse-answers/comparison",
    ),
    Claim(
        "adult-workers",
        _SUN,
        "Table II",
        "AdultContent has 825 workers.",
        825,
        "=",
        lambda: datasets.load_adult_content().answers.worker.nunique(),
        0.0,
        Verdict.REPRODUCED,
        "There are {computed}.",
        "sparse-answers/real-data",
        "load_adult_content",
    ),
    Claim(
        "adult-tasks",
        _SUN,
        "Table II",
        "AdultContent has 11,040 tasks.",
        11_040,
        "=",
        lambda: datasets.load_adult_content().answers.task.nunique(),
        0.0,
        Verdict.REPRODUCED,
        "There are {computed}.",
        "sparse-answers/real-data",
        "load_adult_content",
    ),
    Claim(
        "adult-answers",
        _SUN,
        "Table II",
        "AdultContent has 89,796 answers.",
        89_796,
        "=",
        lambda: len(datasets.load_adult_content().answers),
        0.0,
        Verdict.CORRECTED,
        "The public file has {computed} distinct pairs of worker and task.",
        "sparse-answers/real-data",
        "load_adult_content",
    ),
    Claim(
        "adult-max-sparsity",
        _SUN,
        "Table II",
        "The sparsest worker of AdultContent leaves 0.999909 of the tasks unanswered.",
        0.999909,
        "=",
        lambda: float(_adult_sparsity().max()),
        5e-7,
        Verdict.REPRODUCED,
        "It is {computed}: one answer.",
        "sparse-answers/real-data",
        "load_adult_content",
    ),
    Claim(
        "adult-min-sparsity",
        _SUN,
        "Table II",
        "The busiest worker of AdultContent leaves 0.316033 of the tasks unanswered.",
        0.316033,
        "=",
        lambda: float(_adult_sparsity().min()),
        5e-7,
        Verdict.REPRODUCED,
        "It is {computed}.",
        "sparse-answers/real-data",
        "load_adult_content",
    ),
    Claim(
        "adult-mean-sparsity",
        _SUN,
        "Table II",
        "The average sparsity of AdultContent is 0.993666.",
        0.993666,
        "=",
        lambda: float(_adult_sparsity().mean()),
        5e-7,
        Verdict.CORRECTED,
        "It is {computed}. Three numbers of the same row decide it: answers over cells.",
        "sparse-answers/real-data",
        "load_adult_content",
    ),
    Claim(
        "adult-per-worker",
        _SUN,
        "Section I",
        "Each worker of AdultContent rates 70 documents on average.",
        70.0,
        "=",
        _adult_answers_per_worker,
        0.5,
        Verdict.CORRECTED,
        "It is {computed}. The printed number follows from the printed average sparsity.",
        "sparse-answers/real-data",
        "load_adult_content",
    ),
    Claim(
        "adult-gold",
        _SUN,
        "Section VI-B",
        "More than 72 % of the true answers of AdultContent are 0.",
        0.72,
        ">=",
        lambda: float((datasets.load_adult_content().gold == 0).mean()),
        0.0,
        Verdict.UNDECIDED,
        "Of the gold labels published with the data {computed} are 0, and most gold sites carry no"
        " answer; which ground truth the source used is not said.",
        "sparse-answers/real-data",
        "load_adult_content",
    ),
    Claim(
        "web-answers",
        _SUN,
        "Table II",
        "The Web data has 770 answers (34 workers, 177 tasks, average sparsity 0.705882).",
        770,
        "=",
        lambda: round(34 * 177 * (1 - 0.705882)),
        0.0,
        Verdict.CORRECTED,
        "The rest of the row implies {computed} answers: ten to each task. A digit was lost.",
        "sparse-answers/real-data",
    ),
)
