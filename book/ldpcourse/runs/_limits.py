"""Cells of the part's long simulations that compute limits, and the map of best mechanisms."""

from collections.abc import Mapping

import numpy as np

from ldpbook._arrays import Array
from ldpbook.remedies.answer_law import AnswerLaw
from ldpbook.remedies.best_mechanism import (
    BestChannel,
    best_information,
    known_types_limit,
    released_information,
    unlinked_limit,
)

MAP_TRUTHS = tuple(k / 20 for k in range(90, 101))  # from a half-integer to a whole number


def mechanism_map(epsilon: float, density: float) -> Mapping[str, float]:
    """The optimal mechanism by truth of the source's crowd, and the best threshold's share of information.

    0 is the threshold response; in 1 NULL joins a side, in 2 weak answers join NULL, in 3 sides are split.
    """
    law = AnswerLaw(domain=range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=density)
    found = {}
    for truth in MAP_TRUTHS:
        p, slope = law.at(truth), law.slope(truth)
        best = best_information(p, slope, epsilon=epsilon)
        found[f"regime at {truth}"] = float(_regime(best, truth))
        shares = [released_information(p, slope, _ternary(t, epsilon)) for t in range(9)]
        found[f"share at {truth}"] = float(max(shares)) / best.information
    return found


def _regime(best: BestChannel, truth: float) -> int:
    """How NULL is treated, and whether a side has more than one output."""
    with_null = best.patterns[:, -1]
    if len(best.patterns) == 2:
        return 1
    others = best.patterns[~with_null, :-1]
    sides = [{bool(above) for above in np.flatnonzero(pattern) > truth} for pattern in others]
    if len(best.patterns) == 3 and sorted(map(sorted, sides)) == [[False], [True]]:
        return 2 if best.patterns[with_null].sum() > 1 else 0
    return 3


def _ternary(below: int, epsilon: float) -> Array:
    """The threshold response between two of ten answers: randomized response of below, NULL, above."""
    kept = np.eye(3) * np.expm1(epsilon) + 1
    rows = np.append(np.where(np.arange(10) > below, 2, 0), 1)
    matrix: Array = kept[rows] / kept[0].sum()
    return matrix


def crowd_limits(epsilon: float, density: float, n_workers: int) -> Mapping[str, float]:
    """The limits for the source's crowd with truths around 4.5, standard deviation 1."""
    law = AnswerLaw(domain=range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=density)
    return _limits(law, epsilon, n_workers, 4.5)


def _limits(law: AnswerLaw, epsilon: float, n_workers: int, truth_mean: float) -> Mapping[str, float]:
    limits = {"unlinked": unlinked_limit, "types known": known_types_limit}
    return {
        name: limit(law, epsilon=epsilon, n_workers=n_workers, prior_mean=truth_mean, prior_deviation=1.0)
        for name, limit in limits.items()
    }


def linked_limits(density: float, epsilon: float, others: int) -> Mapping[str, float]:
    """Limits on the MAE for crowds like those of `linked`, with unlinked cells and with known kinds."""
    shares = (1 / (1 + others), others / (1 + others))
    law = AnswerLaw(range(10), sigmas=(1.0, 5.0), shares=shares, density=density)
    limits = _limits(law, epsilon, 2000, 4.5)
    return {"unlinked": limits["unlinked"], "kinds known": limits["types known"]}
