"""Claims on the information in task profiles, judged in the chapter sparse-answers/task-profiles."""

import functools

import numpy as np
import pandas as pd

from ldpbook import datasets
from ldpbook.foundations.truth_inference import infer_truth, mean_absolute_error
from ldpbook.sparse_answers.matrix_factorization import (
    MatrixFactorization,
    learned_profile,
    random_profile,
)
from ldpcourse.ledger.claim import Claim, Reading, Verdict, tried
from ldpcourse.ledger.sparse_answers._shared import DOMAIN, PROFILES, SUN


@functools.cache
def _profile_errors(truth_mean: float, rank: int) -> pd.Series:
    """MAE of the source's crowd of density 0.1 factorized without privacy, and distance to its answers."""
    crowd = datasets.synthetic_crowd(2000, 200, density=0.1, truth_mean=truth_mean, rng=2018)
    kinds = {
        "signed": random_profile(rank, 200, rank),
        "no signs": random_profile(rank, 200, rank, signed=False),
        "learned": learned_profile(crowd.answers, rank, rng=rank),
    }
    found = {}
    for name, profile in kinds.items():
        fitted = MatrixFactorization(1e9, DOMAIN, profile).perturb(crowd.answers, 0)
        found[name] = mean_absolute_error(crowd.truth, infer_truth(fitted, tol=1e-3).truth)
        found[f"{name}, answers"] = float(np.nanmean((fitted - crowd.answers) ** 2))
    return pd.Series(found)


def _learned_gain(truth_mean: float, *names: str, of: str = "") -> float:
    """Smallest error of these random profiles minus that of the learned one, over 2 and 10 directions."""
    errors = [_profile_errors(truth_mean, d) for d in (2, 10)]
    return min(float(found[name + of] - found["learned" + of]) for found in errors for name in names)


@functools.cache
def _missing(epsilon: float) -> pd.DataFrame:
    """Errors of MF's predictions of hidden answers at density 0.1, of single ones and of the tasks' means.
    Errors are mean absolute errors, and for single answers the mean square too. "level" is MF with
    V = (1, ..., 1).
    """
    rng = np.random.default_rng(2018)
    crowd = datasets.synthetic_crowd(2000, 200, density=1.0, rng=rng)
    hidden = rng.random((2000, 200)).argsort(axis=1) >= 20
    true = np.where(hidden, crowd.answers, np.nan)
    seen = np.where(hidden, np.nan, crowd.answers)
    of_tasks, levels = np.nanmean(true, axis=0), (float(np.nanmedian(seen)), float(np.nanmean(seen)))
    rows = {
        "best constant": (
            np.nanmean(np.abs(true - levels[0])),
            np.abs(of_tasks - levels[1]).mean(),
            np.nanmean((true - levels[1]) ** 2),
        ),
        "uniform": (
            np.mean([np.nanmean(np.abs(true - x)) for x in DOMAIN]),
            np.abs(of_tasks - 4.5).mean(),
            np.mean([np.nanmean((true - x) ** 2) for x in DOMAIN]),
        ),
    }
    for name, profile in [*((k, make()) for k, make in PROFILES.items()), ("level", np.ones((1, 200)))]:
        said = np.where(hidden, MatrixFactorization(epsilon, DOMAIN, profile).perturb(seen, 3), np.nan)
        rows[name] = (
            np.nanmean(np.abs(said - true)),
            np.abs(np.nanmean(said, axis=0) - of_tasks).mean(),
            np.nanmean((said - true) ** 2),
        )
    return pd.DataFrame(rows, index=["single", "task", "square"]).T


def _missing_excess(epsilon: float, of: str, than: str, names: tuple[str, ...] = tuple(PROFILES)) -> float:
    """Smallest error of MF, over task profiles, minus that of a prediction that uses no profile."""
    table = _missing(epsilon)[of]
    return float(table[list(names)].min() - table[than])


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="mf-learned",
        source=SUN,
        place="Section III-C",
        statement=(
            "A task profile matrix drawn without regard to the answers is less accurate than one that is"
            " learned from them."
        ),
        readings=(
            Reading(
                words=(
                    "Accuracy is measured by the fit of the answers, the source's Equation 4, without"
                    " privacy, on its crowd of 2,000 workers and 200 tasks at density 0.1. We compute how"
                    " much larger the mean squared distance is with random directions, in the smallest case"
                    " of signed and non-negative ones of ranks 2 and 10."
                ),
                compute=lambda: _learned_gain(0.0, "signed", "no signs", of=", answers"),
                relation=">=",
                target=0.0,
            ),
            *tried(
                _learned_gain,
                ">=",
                0.0,
                (
                    "Accuracy is measured by the MAE of the inferred truths, without privacy, on the same"
                    " crowd with truths around 4.5. We compute how much larger it is with non-negative random"
                    " directions, in the smaller case of ranks 2 and 10.",
                    4.5,
                    "no signs",
                ),
                (
                    "Accuracy is measured by the MAE of the inferred truths, without privacy, on the source's"
                    " crowd. We compute how much larger it is with non-negative random directions, in the"
                    " smaller case of ranks 2 and 10.",
                    0.0,
                    "no signs",
                ),
                (
                    "Accuracy is measured by the MAE of the inferred truths, without privacy, on the source's"
                    " crowd. We compute how much larger it is with signed random directions, in the smaller"
                    " case of ranks 2 and 10.",
                    0.0,
                    "signed",
                ),
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "Learned directions fit the answers better than random ones of either kind, by {computed} or more"
            " in mean square. On a crowd with truths in the middle of the domain, the truths inferred from"
            " random directions err several times as much. On the source's own crowd those from non-negative"
            " directions err more than learned ones too. Signed ones err less at density 0.1, and those of"
            " rank 2 at 0.5: they give answers around 0, where its truths are centred, while learned"
            " directions follow answers that the domain cuts off below 0."
        ),
        chapter="sparse-answers/task-profiles",
    ),
    Claim(
        id="mf-missing",
        source=SUN,
        place="Section VI-C, Figure 3",
        statement=(
            "Matrix factorization learns the association of workers with tasks, and so predicts missing"
            " answers accurately."
        ),
        readings=(
            *tried(
                _missing_excess,
                "<=",
                0.0,
                (
                    "The predictions are averaged over the workers of a task, and accurate means better than"
                    " the uniform draws of Laplace perturbation. On the source's crowd at density 0.1 and"
                    " epsilon 0.1, we compute the smallest error of the task means, over three kinds of task"
                    " profiles, minus that of the uniform draws.",
                    0.1,
                    "task",
                    "uniform",
                ),
                (
                    "The predictions are averaged over the workers of a task, and accurate means better than"
                    " one number for all, the mean answer. Without noise, we compute the smallest error of"
                    " the task means, over three kinds of task profiles, minus that of the mean answer.",
                    1e9,
                    "task",
                    "best constant",
                ),
                (
                    "Single answers are predicted in mean square, which is what the objective minimizes, and"
                    " accurate means better than one number for all, the mean answer. For task profiles (1,"
                    " ..., 1) and no noise, we compute the mean square minus that of the mean answer.",
                    1e9,
                    "square",
                    "best constant",
                    ("level",),
                ),
            ),
            Reading(
                words=(
                    "Single answers are predicted in mean square, at epsilon 1. We compute the mean square"
                    " minus that of the mean answer, the smallest over four kinds of task profiles."
                ),
                compute=lambda: _missing_excess(1.0, "square", "best constant", (*PROFILES, "level")),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "Single answers are predicted, and accurate means better than one number for all, the"
                    " median answer. Without noise, we compute the smallest error, over four kinds of task"
                    " profiles, minus that of the median answer."
                ),
                compute=lambda: _missing_excess(1e9, "single", "best constant", (*PROFILES, "level")),
                relation="<=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "Averaged over a task's workers, the predictions are closer to the hidden answers than uniform"
            " draws, with a difference in error of {computed}. But they are no closer than one number for"
            " all, even without noise. For single hidden answers the profiles (1, ..., 1) learn the worker's"
            " level. In mean square, without noise, they come a little closer than the mean answer, 4.29"
            " against 4.58; at epsilon 1 they do not. In absolute error all kinds miss by more than the"
            " median answer does, even without noise: a random profile carries no information about which"
            " task is which."
        ),
        chapter="sparse-answers/task-profiles",
    ),
)
