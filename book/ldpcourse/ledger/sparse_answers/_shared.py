"""Helpers shared by the claims of several chapters."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ldpbook._arrays import Array
from ldpbook.sparse_answers.matrix_factorization import random_profile
from ldpcourse.runs.kept import stored

SUN = "sun2018truth"


DOMAIN = tuple(range(10))


SETTING: dict[str, Any] = {"epsilon": 1.0, "domain": DOMAIN, "density": 0.1}


# The example of the source below Theorem 5.
MF_EXAMPLE: dict[str, Any] = {"epsilon": 1.0, "domain_size": 10, "n_tasks": 1000, "rank": 100}


PROFILES: dict[str, Callable[[], Array]] = {
    "d = 2": lambda: random_profile(2, 200, 22),
    "d = 10": lambda: random_profile(10, 200, 10),
    "d = 2, no signs": lambda: random_profile(2, 200, 22, signed=False),
}


def profile_grid() -> pd.DataFrame:
    """MAE changes over a grid of epsilon and density on the source's small crowd, one row per setting."""
    kept = stored("small-crowd").set_index(["epsilon", "density"])
    return kept.rename(columns={"MF, V >= 0": "d = 2, no signs"}).rename(
        columns=lambda x: x.removeprefix("MF, ")
    )


def mf_answers(n_workers: int, density: float, rng: np.random.Generator) -> Array:
    """Answers with standard deviation 1 around truths 0 to a random part of 1000 tasks, cut to -4..5."""
    answers = np.clip(rng.standard_normal((n_workers, 1000)), -4, 5)
    for row in answers:
        row[rng.permutation(1000)[round(density * 1000) :]] = np.nan
    return answers
