"""The most likely particles of all users together, which the source states as the aim of inference."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array
from ldpbook.localization._crowd import check_crowd, check_fit, log_kernel, thinned

__all__ = [
    "most_likely_particles",
]

# Largest number of rounds that move potentials, and of choices examined before the search is given up.
_ROUNDS, _CHOICES = 200, 100_000
# Stands for the logarithm of 0, so that sums stay finite.
_NEVER = -1e100


def most_likely_particles(
    particles: ArrayLike,
    log_weights: ArrayLike,
    distances: ArrayLike,
    *,
    sigma: float,
    correct: Callable[[Array], Array] | None = None,
) -> NDArray[np.intp]:
    r"""The most likely choice of one particle for each user, given all measured distances.

    .. math::
        \arg\max_{r_1,\dots,r_N}\ \sum_i\ln w_{ir_i}
        -\sum_{i<j}\frac{(\|z_{ir_i}-z_{jr_j}\|-D_{ij})^2}{2\sigma^2}

    The result is exact, to nine digits of the sum. Potentials are moved between users and pairs until the sum
    of their maxima, an upper bound, no longer falls. The choices that remain are searched by branch and
    bound.

    Parameters
    ----------
    particles, log_weights, distances, sigma, correct
        As in :func:`~ldpbook.localization.particles.sum_product_update`.

    Returns
    -------
    ndarray of int, shape (N,)
        Number of the particle chosen for each user; one such choice if several are equally likely.

    Raises
    ------
    ValueError
        If no choice fits what was measured, or the search is given up after 100,000 choices.

    Notes
    -----
    Source: the aim of Xiang (2017), slide "Particle Representation".
    Derived in: localization/particles

    Examples
    --------
    One user is 5 m from an anchor, and another is 5 m from her:

    >>> clouds = [[[0, 0], [0, 0]], [[3, 4], [8, 8]], [[9, 9], [6, 8]]]
    >>> measured = np.full((3, 3), np.nan)
    >>> measured[0, 1] = measured[1, 0] = measured[1, 2] = measured[2, 1] = 5
    >>> most_likely_particles(clouds, np.log(np.full((3, 2), 0.5)), measured, sigma=1)
    array([0, 0, 1])
    """
    points, weights, measured = check_crowd(particles, log_weights, distances)
    if not np.array_equal(measured, measured.T, equal_nan=True):
        raise ValueError("distances must be symmetric: a pair of neighbours has measured one distance")
    sigma = check_fit(sigma, correct)
    clouds = [thinned(cloud) for cloud in points]
    heaviest = weights.argmax(axis=1)  # for a cloud at one point, where copies differ only in weight
    alone = [
        np.maximum(w if len(cloud) == len(w) else w.max(keepdims=True), _NEVER)
        for w, cloud in zip(weights, clouds, strict=True)
    ]
    pairs: dict[tuple[int, int], Array] = {}  # by (i, j), rows for the particles of i
    for i, j in np.argwhere(np.triu(~np.isnan(measured))).tolist():
        pairs[i, j] = np.maximum(log_kernel(clouds[i], clouds[j], measured[i, j], sigma, correct), _NEVER)
        pairs[j, i] = pairs[i, j].T  # a view, so a change to either changes both
    _level(alone, pairs)
    chosen = _search(alone, pairs)
    return np.where([len(cloud) > 1 for cloud in clouds], chosen, heaviest)


def _bound(alone: list[Array], pairs: Mapping[tuple[int, int], Array]) -> float:
    """Upper bound on the sum of all potentials: the sum of their maxima."""
    return sum(float(a.max()) for a in alone) + sum(float(p.max()) for (i, j), p in pairs.items() if i < j)


def _level(alone: list[Array], pairs: Mapping[tuple[int, int], Array]) -> None:
    """Move potentials, in place, so that no choice's sum changes and the bound falls: max-sum diffusion.

    For one user after another, the most that her pairs can give each of her particles is collected, and
    shared out equally among her and the pairs.
    """
    near = [[j for k, j in pairs if k == i] for i in range(len(alone))]
    before = np.inf
    for _ in range(_ROUNDS):
        for i, others in enumerate(near):
            best = [pairs[i, j].max(axis=1) for j in others]
            alone[i] = (alone[i] + sum(best)) / (len(others) + 1)
            for j, b in zip(others, best, strict=True):
                pairs[i, j][:] += (alone[i] - b)[:, None]
        bound = _bound(alone, pairs)
        if not bound < before - 1e-6:
            break
        before = bound


def _search(alone: list[Array], pairs: Mapping[tuple[int, int], Array]) -> list[int]:
    """Branch and bound: the user with the fewest particles left is decided first, the best particle first."""
    best, found, looked = 3 * _NEVER, [0] * len(alone), 0
    most = {pair: p.max(axis=1) for pair, p in pairs.items()}  # for each particle of the first user of a pair
    top = {pair: float(m.max()) for pair, m in most.items()}
    # By entry: potentials of each undecided user given the decisions; the decisions; their sum; a bound on
    # the sum of the pairs that are still open.
    stack: list[tuple[dict[int, Array], dict[int, int], float, float]]
    stack = [(dict(enumerate(alone)), {}, 0.0, sum(t for (i, j), t in top.items() if i < j))]
    while stack:
        given, chosen, score, open_pairs = stack.pop()
        tops = {j: float(a.max()) for j, a in given.items()}
        bound = score + open_pairs + sum(tops.values())
        if bound <= (least := best + 1e-9 * abs(best)):
            continue
        looked += 1
        if looked > _CHOICES:
            raise ValueError(f"particles must leave fewer choices near the best, got more than {_CHOICES}")
        if not given:
            best, found = score, [chosen[i] for i in range(len(alone))]
            continue
        # Largest sum still possible with each particle of each user who is not decided.
        reach = {
            i: bound - tops[i] + a + sum(most[i, j] - top[i, j] for j in given if (i, j) in top)
            for i, a in given.items()
        }
        i = min(reach, key=lambda j: int((reach[j] > least).sum()))
        rest = {j: a for j, a in given.items() if j != i}
        left = open_pairs - sum(top[i, j] for j in rest if (i, j) in top)
        order = np.argsort(reach[i], kind="stable")
        for r in order[reach[i][order] > least].tolist():  # the best is popped first
            below = {j: a + pairs[i, j][r] if (i, j) in pairs else a for j, a in rest.items()}
            stack.append((below, {**chosen, i: r}, score + float(given[i][r]), left))
    if best < _NEVER / 10:
        raise ValueError("particles must hold a choice that fits what was measured, got none")
    return found
