"""Long simulations on sparse answers: the source's large crowd, and its real one."""

from collections.abc import Callable, Mapping

import numpy as np

from ldpbook import datasets
from ldpbook._arrays import Array
from ldpbook._crowd import to_csr
from ldpbook.foundations.answers import drop_empty_workers, to_matrix
from ldpbook.foundations.truth_inference import infer_truth, mean_absolute_error
from ldpbook.mechanism import Mechanism
from ldpbook.sparse_answers.bounds import mf_mae_bound
from ldpbook.sparse_answers.comparison import mae_changes
from ldpbook.sparse_answers.laplace import LaplacePerturbation, laplace_noise
from ldpbook.sparse_answers.matrix_factorization import MatrixFactorization, _gram_matrices, random_profile
from ldpbook.sparse_answers.randomized_response import RandomizedResponse, TwoLayerResponse
from ldpcourse.ledger.sparse_answers._shared import MF_EXAMPLE, mf_answers
from ldpcourse.runs.kept import Run, grid

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
DENSITIES = (0.1, 0.5, 0.9)
ADULT_EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
TOLERANCE = 1e-3  # of the inference, in answer units


def _crowd_cell(n_workers: int, n_tasks: int, epsilon: float, density: float) -> Mapping[str, float]:
    """MAE changes of LP, RR and MF on a synthetic crowd: one perturbation each."""
    rng = np.random.default_rng(2018)
    crowd = datasets.synthetic_crowd(n_workers, n_tasks, density=density, rng=rng)
    domain = range(10)
    mechanisms: dict[str, Mechanism] = {
        "LP": LaplacePerturbation(epsilon, domain),
        "RR": RandomizedResponse(epsilon, domain),
        "MF, d = 2": MatrixFactorization(epsilon, domain, random_profile(2, n_tasks, 22)),
        "MF, d = 10": MatrixFactorization(epsilon, domain, random_profile(10, n_tasks, 10)),
        "MF, V >= 0": MatrixFactorization(epsilon, domain, random_profile(2, n_tasks, 22, signed=False)),
    }
    changes = mae_changes(crowd.answers, crowd.truth, mechanisms, n_trials=1, rng=rng)
    before = changes.mae[0] - changes.mae_change[0]
    zero = float(np.abs(crowd.truth).mean() - before)
    found = dict(zip(changes.mechanism, changes.mae_change, strict=True))
    return found | {"constant 0": zero}


def large_crowd(epsilon: float, density: float) -> Mapping[str, float]:
    """10,000 workers, 1,000 tasks."""
    return _crowd_cell(10_000, 1000, epsilon, density)


def small_crowd(epsilon: float, density: float) -> Mapping[str, float]:
    """2,000 workers, 200 tasks, otherwise the same."""
    return _crowd_cell(2000, 200, epsilon, density)


def rr_steps(epsilon: float, density: float) -> Mapping[str, float]:
    """MAE change of RR on the small crowd, over twenty perturbations: its mean, and the standard error."""
    crowd = datasets.synthetic_crowd(2000, 200, density=density, rng=2018)
    rr = {"RR": RandomizedResponse(epsilon, range(10))}
    changes = mae_changes(crowd.answers, crowd.truth, rr, n_trials=20, rng=2019).mae_change
    return {"mean": float(changes.mean()), "error": float(changes.std()) / 20**0.5}


def cut_answers(block: int) -> Mapping[str, float]:
    """Six synthetic crowds: MAE of inference on two domains and of the constant 0, and how often 0 wins."""
    errors = []
    for seed in range(6 * block, 6 * block + 6):
        mae = []
        for domain in (range(10), range(-60, 61)):
            crowd = datasets.synthetic_crowd(2000, 200, density=0.1, rng=seed, domain=domain)
            mae.append(mean_absolute_error(crowd.truth, infer_truth(crowd.answers).truth))
        errors.append([*mae, float(np.abs(crowd.truth).mean())])
    narrow, wide, zero = np.array(errors).T
    return {
        "0..9": float(narrow.mean()),
        "-60..60": float(wide.mean()),
        "answer 0": float(zero.mean()),
        "0..9 less answer 0": float((narrow - zero).mean()),
        "answer 0 better": float((narrow > zero).mean()),
    }


def adult_content(epsilon: float, trial: int) -> Mapping[str, float]:
    """AdultContent, one perturbation by each mechanism.

    For each, the MAE change on the gold sites; and over all sites the mean of the inferred truths, and their
    distance to those inferred without privacy. Two layers draw budgets with mean epsilon: from 0 to twice
    epsilon; from a half to one and a half epsilon ("narrow"); and from 0 to twice epsilon, with a second draw
    for a worker's NULLs ("apart").
    """
    adult = datasets.load_adult_content()
    scores, domain = to_matrix(adult.answers), adult.domain
    tasks = np.unique(adult.answers.task)
    scored = np.isin(tasks, adult.truth.index)
    truth = adult.truth.loc[tasks[scored]].to_numpy(dtype=float)
    rng = np.random.default_rng([825, trial])
    wide = TwoLayerResponse(0.0, 2 * epsilon, domain)
    signed, plain = random_profile(10, len(tasks), 10), random_profile(1, len(tasks), 10, signed=False)
    outputs: dict[str, Callable[[], Array]] = {
        "LP": lambda: LaplacePerturbation(epsilon, domain).perturb(scores, rng),
        "RR": lambda: RandomizedResponse(epsilon, domain).perturb(scores, rng),
        "two layers": lambda: wide.perturb(scores, rng),
        "narrow": lambda: TwoLayerResponse(epsilon / 2, 1.5 * epsilon, domain).perturb(scores, rng),
        "apart": lambda: np.where(np.isnan(scores), wide.perturb(scores, rng), wide.perturb(scores, rng)),
        "MF, signed V": lambda: MatrixFactorization(epsilon, domain, signed, ridge=1.0).perturb(scores, rng),
        "MF, V >= 0": lambda: MatrixFactorization(epsilon, domain, plain).perturb(scores, rng),
    }
    clean = infer_truth(scores, tol=TOLERANCE).truth
    before = mean_absolute_error(truth, clean[scored])
    found = {}
    for name, perturbed in outputs.items():
        inferred = infer_truth(drop_empty_workers(perturbed()), tol=TOLERANCE).truth
        found[name] = mean_absolute_error(truth, inferred[scored]) - before
        found[f"{name}: mean"] = float(np.nanmean(inferred))
        found[f"{name}: distance"] = float(np.nanmean(np.abs(inferred - clean)))
    return found


def adult_descent(epsilon: float, trial: int) -> Mapping[str, float]:
    """AdultContent, with MF as the source runs it: Algorithm 2 without a ridge, ten signed random directions.

    MAE change on the gold sites after so many steps of gradient descent from a random start, and at the
    minimum-norm solution. The rate is 0.1, or half of the largest rate at which descent converges if this is
    smaller. Start and noise are those of the trial, at whatever step descent stops.
    """
    adult = datasets.load_adult_content()
    scores, domain = to_matrix(adult.answers), adult.domain
    tasks = np.unique(adult.answers.task)
    scored = np.isin(tasks, adult.truth.index)
    truth = adult.truth.loc[tasks[scored]].to_numpy(dtype=float)
    rng = np.random.default_rng([826, trial])
    profile = random_profile(10, len(tasks), 10)
    given = to_csr(scores)
    noise = laplace_noise(len(domain) / epsilon, (len(scores), 10), rng)
    values, vectors = np.linalg.eigh(_gram_matrices(given, profile))
    seen = values > 1e-9 * values[:, -1:]
    values = np.where(seen, values, 0.0)
    rate = np.minimum(0.1, 0.5 / values[:, -1:])
    force, start = (  # along the eigenvectors of each worker's Hessian
        np.einsum("ikd,ik->id", vectors, x)
        for x in (given @ profile.T - noise, rng.standard_normal(noise.shape))
    )
    before = mean_absolute_error(truth, infer_truth(scores, tol=TOLERANCE).truth[scored])
    found = {}
    for n_steps in (100, 1000, 100_000, None):
        inverse = np.divide(1.0, values, out=np.zeros_like(values), where=seen)
        along = force * inverse
        if n_steps is not None:
            kept = (1 - 2 * rate * values) ** n_steps
            along = kept * start + force * np.where(seen, (1 - kept) * inverse, 2 * rate * n_steps)
        predicted = np.einsum("ikd,id->ik", vectors, along) @ profile
        inferred = infer_truth(predicted, tol=TOLERANCE).truth
        name = "minimum norm" if n_steps is None else f"{n_steps} steps"
        found[name] = mean_absolute_error(truth, inferred[scored]) - before
    return found


def mf_example(density: float, seed: int) -> Mapping[str, float]:
    """2,000 workers in the example of Theorem 5: MAE of their MF predictions, with two kinds of weights.

    The error of the plain mean ("equal"), the error of Algorithm 1 ("inferred"), and the latter minus the
    formula with the estimated weights ("excess").
    """
    rng = np.random.default_rng(seed)
    mf = MatrixFactorization(1.0, range(-4, 6), random_profile(100, 1000, rng))
    out = np.vstack([mf.perturb(mf_answers(250, density, rng), rng) for _ in range(8)])
    found = infer_truth(out, tol=TOLERANCE)
    largest = float(found.quality.max() / found.quality.mean())
    equal, inferred = np.abs(out.mean(axis=0)).mean(), np.abs(found.truth).mean()
    bound = mf_mae_bound(quality=largest, **MF_EXAMPLE)
    return {"equal": equal, "inferred": inferred, "excess": inferred - bound}


RUNS = (
    Run(name="small-crowd", cell=small_crowd, cells=grid(epsilon=EPSILONS, density=DENSITIES)),
    Run(name="rr-steps", cell=rr_steps, cells=grid(epsilon=EPSILONS, density=(0.1, 0.5))),
    Run(name="cut-answers", cell=cut_answers, cells=grid(block=range(100))),
    Run(
        name="large-crowd",
        cell=large_crowd,
        cells=grid(epsilon=EPSILONS, density=DENSITIES),
        slow="ten million cells, five mechanisms",
    ),
    Run(
        name="mf-example",
        cell=mf_example,
        cells=grid(density=(0.15, 0.2, 0.5, 1.0), seed=range(2018, 2024)),
    ),
    Run(name="adult-content", cell=adult_content, cells=grid(epsilon=ADULT_EPSILONS, trial=range(5))),
    Run(name="adult-descent", cell=adult_descent, cells=grid(epsilon=ADULT_EPSILONS, trial=range(3))),
)
