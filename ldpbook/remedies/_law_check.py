"""Score tests of the distribution of answers with which reports are decoded, from the same reports.

A direction is a way in which a crowd may differ from the distribution. If the crowd follows the distribution
that fits best, the residuals have a mean of about 0 along every direction. Whatever the fit of truths, widths
and shares could have absorbed is projected out first.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr
from scipy.stats import chi2, f, norm

from ldpbook._arrays import Array
from ldpbook.remedies._posterior import Evidence, Posterior, law_of

_LEVEL = 0.05  # of all tests together
_BINS = 6  # of the distance between threshold and truth
_LEAST_LEFT = 0.02  # share of a direction's length that the projection must leave for it to be tested
_GAP = 0.6  # smallest density of answers within 1/9 of the span from the median, relative to that within 3/9
# Largest share of truths beyond the scale, and largest mean standard deviation of errors, in spans.
_MOST_BEYOND, _MOST_WIDTH = 0.1, 0.8


def objections(evidence: Evidence, posterior: Posterior, symbols: Array) -> tuple[str, ...]:
    """Ways in which the crowd departs from the fitted distribution, in words; empty if none is found.

    Of the crowds that follow the distribution, one in twenty gets an objection from the four tests together.
    Two more checks name crowds near or beyond the ends of the scale, about which the distribution says little
    whether or not they follow it.
    """
    law = law_of(posterior.parameters, evidence.domain)
    counts = evidence.counts[0].reshape(len(evidence.density), -1, 3)
    truths, edges = posterior.truth, evidence.edges
    distances = truths[:, None] - edges
    scaled = distances[..., None] / law.sigmas
    above, slopes = ndtr(scaled) @ law.shares, norm.pdf(scaled)
    reports = counts[..., :2].sum(axis=2)
    keep, other = symbols[0, :2]
    signal = (keep - other) * evidence.density[:, None]
    told = 2 * other + signal
    chance = (other + signal * above) / told  # probability that a report other than NULL says above
    spread = np.maximum(chance * (1 - chance), 1e-12)  # variance of one report, 0 where epsilon is huge
    deviation = np.sqrt(np.maximum(reports * spread, 1e-9))
    units = np.sqrt(reports / spread) * signal / told  # change of a residual per unit of the share above
    tests = _Directions(
        residuals=(counts[..., 1] - reports * chance) / deviation,
        units=units,
        own=slopes @ (law.shares / law.sigmas),
        common=[
            *(-(slopes[..., i] * scaled[..., i]) * law.shares[i] for i in (0, 1)),
            ndtr(scaled[..., 0]) - ndtr(scaled[..., 1]),
        ],
    )
    ahead = np.argsort(-distances, axis=None)
    heard = np.cumsum((units**2).ravel()[ahead])
    ends = np.searchsorted(heard, heard[-1] * np.arange(1, _BINS) / _BINS)
    bins = np.digitize(-distances, (-distances).ravel()[ahead[ends]])
    wider = -(slopes * scaled) @ law.shares
    chances = {
        "some answers do not depend on the task": tests.chance(
            [(value > edges) - above for value in evidence.domain]
        ),
        "errors are not as often above the truth as below, or have two humps": tests.chance(
            [(bins == k).astype(float) for k in range(_BINS)]
        ),
        "who answers a task depends on its truth": _null_chance(counts[..., 2], counts, truths),
        "answers scatter more on some tasks than on others": tests.own_chance(wider),
    }
    found = [why for why, chance in chances.items() if chance < _LEVEL / len(chances)]
    beyond = (truths < edges[0] - 1) | (truths > edges[-1] + 1)
    if beyond.sum() > max(1, _MOST_BEYOND * len(truths)):
        found.append("truths lie beyond the scale")
    if law.shares @ law.sigmas > _MOST_WIDTH * (evidence.domain[-1] - evidence.domain[0]):
        found.append("answers lie at the ends of the scale")
    return tuple(found)


def gap(shares: Array, medians: Array, domain: Sequence[int]) -> tuple[str, ...]:
    """Objection if answers are rarer at the median than near it.

    Such a median says little and is hard to find. Computed from each task's shares above the thresholds,
    (n, K), over all tasks.
    """
    points = np.arange(len(domain) + 1) + domain[0] - 0.5
    lines = np.pad(np.pad(shares, ((0, 0), (1, 0)), constant_values=1), ((0, 0), (0, 1)))
    reach = (domain[-1] - domain[0]) / 9
    density = []
    for part in (reach, 3 * reach):
        ends = np.clip([medians - part, medians + part], points[0], points[-1])
        above = np.array([np.interp(at, points, line) for at, line in zip(ends.T, lines, strict=True)])
        density.append(((above[:, 0] - above[:, 1]) / (ends[1] - ends[0])).sum())
    return ("answers leave a gap around the median",) if density[0] < _GAP * density[1] else ()


class _Directions:
    """Residuals in standard deviations, and what the fit leaves of directions, both of shape (n, K)."""

    def __init__(self, residuals: Array, units: Array, own: Array, common: list[Array]) -> None:
        self.units = units
        length = np.linalg.norm(units * own, axis=1, keepdims=True)
        self.own = units * own / np.maximum(length, 1e-12)  # direction of each task's truth
        self.common = self._basis(np.array([self._off(each).ravel() for each in common]).T, 1e-6)
        self.residuals = self._left(self._off_own(residuals).ravel())

    def chance(self, directions: list[Array]) -> float:
        """Probability of residuals at least as large as these along some directions: a p-value."""
        length = float(np.linalg.norm(self.units * np.array(directions)))
        left = self._left(np.array([self._off(each).ravel() for each in directions]).T)
        return self._of(self._basis(left, _LEAST_LEFT * length))

    def own_chance(self, direction: Array) -> float:
        """The same p-value along a separate direction for each task.

        What the fit leaves of these directions is linearly dependent, because the fit could change all tasks
        equally; so one task is left out. The inner products of the others' directions form a diagonal matrix
        minus one of small rank.
        """
        own = self._off(direction)
        squares = (own**2).sum(axis=1)
        kept = np.flatnonzero(squares > (_LEAST_LEFT * np.linalg.norm(self.units * direction, axis=1)) ** 2)[
            1:
        ]
        if not len(kept):
            return 1.0
        shared = np.einsum("nk,nkc->cn", own, self.common.reshape(*own.shape, -1))[:, kept]
        along = (own * self.residuals.reshape(own.shape)).sum(axis=1)[kept] / squares[kept]
        inner = np.eye(len(shared)) - (shared / squares[kept]) @ shared.T
        back = shared @ along
        total = (along**2 * squares[kept]).sum() + back @ np.linalg.pinv(inner, hermitian=True) @ back
        return float(chi2.sf(total, len(kept)))

    def _of(self, basis: Array) -> float:
        if not basis.shape[1]:
            return 1.0
        return float(chi2.sf(((basis.T @ self.residuals) ** 2).sum(), basis.shape[1]))

    def _off(self, direction: Array) -> Array:
        return self._off_own(self.units * direction)

    def _off_own(self, values: Array) -> Array:
        off: Array = values - self.own * (self.own * values).sum(axis=1, keepdims=True)
        return off

    def _left(self, values: Array) -> Array:
        left: Array = values - self.common @ (self.common.T @ values)
        return left

    @staticmethod
    def _basis(directions: Array, least: float) -> Array:
        basis, lengths, _ = np.linalg.svd(directions, full_matrices=False)
        kept: Array = basis[:, lengths > least]
        return kept


def _null_chance(null: Array, counts: Array, truths: Array) -> float:
    """Probability that shares of NULL follow the truths and their squares so closely by chance: a p-value."""
    n_tasks = len(truths)
    if n_tasks < 5:
        return 1.0
    share = null.sum(axis=1) / np.maximum(counts.sum(axis=(1, 2)), 1)
    place = (truths - truths.mean()) / max(float(truths.std()), 1e-9)
    columns = np.stack([np.ones(n_tasks), place, place**2], axis=1)
    rests = [
        ((share - columns[:, :k] @ np.linalg.lstsq(columns[:, :k], share, rcond=None)[0]) ** 2).sum()
        for k in (1, 3)
    ]
    explained = (rests[0] - rests[1]) / 2 / max(rests[1] / (n_tasks - 3), 1e-300)
    return float(f.sf(explained, 2, n_tasks - 3))
