"""Long simulation of the error that shrinkage saves."""

from collections.abc import Mapping

import numpy as np
from scipy.stats import norm

from ldpbook._arrays import Array
from ldpbook.remedies.decoding import decode
from ldpbook.sparse_answers.laplace import LaplacePerturbation
from ldpcourse.runs.kept import Run, grid


def shrinkage_risk(spread: float, part: int) -> Mapping[str, float]:
    """Total squared error of shrinkage rules for 50 fixed truths with noise of variance 1, and the bound.

    Means over 750 draws, and for `decode` also the standard error. The noise is that of 200 workers with LP
    at epsilon 1. The truths are quantiles of a normal distribution, cut off at the domain's ends.
    """
    truth = np.clip(norm.ppf((np.arange(50) + 0.5) / 50, 4.5, spread or 1e-300), 0, 9)
    total = ((truth - truth.mean()) ** 2).sum()
    lp, rng, losses = LaplacePerturbation(1.0, range(10)), np.random.default_rng([30, part]), []
    for _ in range(750):
        reports = lp.perturb(np.tile(truth, (200, 1)), rng)
        x = reports.mean(axis=0)
        offset = x - x.mean()
        rules = (
            np.asarray(decode(reports, lp, density=1.0).truth),
            x - min(1.0, 47 / (offset**2).sum()) * offset,  # 47 is n - 3 for 50 tasks
            _least_sure(x),
            x,
        )
        losses.append([((rule - truth) ** 2).sum() for rule in rules])
    found = dict(zip(("decode", "James-Stein", "SURE", "unshrunk"), np.mean(losses, axis=0), strict=True))
    error = np.std(losses, axis=0)[0] / np.sqrt(len(losses))
    return found | {"bound": 50 * total / (50 + total) + 3, "decode: error": error}


def _least_sure(x: Array) -> Array:
    """The linear rule with the smallest estimated risk, over spread and centre, for noise of variance 1."""
    pull = 1 / (np.linspace(0, 5, 201)[:, None] ** 2 + 1)
    offset = x - x.mean()  # with equal noise the mean is the best centre, whatever the spread
    best = (pull**2 * offset**2 + 1 - 2 * pull).sum(axis=1).argmin()
    rule: Array = x - pull[best] * offset
    return rule


SHRINKAGE_RUNS = (
    Run(
        name="shrinkage-risk",
        cell=shrinkage_risk,
        cells=grid(spread=(0.0, 0.5, 1.0, 2.0), part=range(4)),
    ),
)
