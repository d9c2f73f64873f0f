"""Posterior of the shares of answers above each threshold, for each task, under a flexible distribution.

A task's shares follow one curve, moved to its location. The curve has two widths and up to two humps; some
workers answer without looking at the task; tasks are harder or easier. Each task also has a smooth departure
of its own, for what none of this describes. All of it is learned from all tasks together; the parameters are
standard normal a priori.

Locations lie on one lattice, so that each distribution (`CurveLaw`) has one table of curves for all tasks.
The reports of a task are treated as a normal observation of its curve.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, ndtr

from ldpbook._arrays import Array
from ldpbook.remedies._posterior import Evidence

_UNASKED = 1e6  # variance of a share about which no one was asked
_REACH = 2.0  # number of thresholds over which a task's own departure stays similar
_HARDNESS = np.sqrt(3) * np.array([-1.0, 0.0, 1.0])  # nodes of a normal distribution, and their log weights
_LOG_WEIGHTS = np.log([1 / 6, 2 / 3, 1 / 6])
_FAR = 8.0  # no parameter is tried farther out
_STEP = 0.5  # of the random walk over distributions, in standard deviations of the normal approximation
_BURN = 200
_BLOCK = 400  # tasks at a time
_COARSE, _FINEST = 8, 64  # places of the lattice per step of the scale
_FEWEST, _MOST, _WORK = 500, 2000, 150_000  # limits of distributions tried, and of these times tasks
_NARROW, _RATIO, _SHARE, _MEAN, _DEVIATION, _HUMPS, _SLACK, _CONSTANT, _HARD, _SPLIT, _VALUES = range(11)


class CurveLaw(NamedTuple):
    """Distribution of a crowd's answers, in answer units."""

    widths: tuple[float, float]
    share: float  # of the narrow width
    mean: float  # of the locations
    deviation: float
    hump: float  # distance of each of the two humps from the location
    split: float  # share of the tasks on which there are two humps
    slack: float  # standard deviation of a task's own departure, as a share
    constant: float  # share of answers that do not depend on the task
    hardness: float  # standard deviation of the logarithm of a task's widths
    values: Array  # probabilities of the answers that do not depend on the task


def shares_above(evidence: Evidence, symbols: Array) -> tuple[Array, Array]:
    """Unbiased estimates of each task's share of answers above each threshold, and their variances, (n, K).

    From counts of threshold responses with transition matrix `symbols`. The density is treated as known, and
    variances are those at the shares pooled over tasks.
    """
    keep, other = symbols[0, :2]
    counts = evidence.counts[0].reshape(len(evidence.density), -1, 3)
    below, above, asked = counts[..., 0], counts[..., 1], counts.sum(axis=2)
    signal = np.maximum((keep - other) * evidence.density[:, None], 1e-9)  # a smaller one says nothing
    reports = np.maximum(asked, 1)
    shares = 0.5 + (above - below) / reports / (2 * signal)
    pooled = np.clip((asked * shares).sum(axis=0) / np.maximum(asked.sum(axis=0), 1), 0, 1)
    variances = (2 * other + signal - (signal * (2 * pooled - 1)) ** 2) / reports / (2 * signal) ** 2
    heard = (asked > 0) & (variances < _UNASKED)
    return np.where(heard, shares, 0.5), np.where(heard, variances, _UNASKED)


@dataclass(frozen=True, eq=False)
class _Tasks:
    """Observations of some tasks, rotated so that noise and own departures have independent coordinates."""

    shares: Array  # (n, K)
    turn: Array  # (n, K, K)
    spread: Array  # (n, K): variance of the departure in units of the noise, for a slack of 1

    @classmethod
    def of(cls, shares: Array, variances: Array, smooth: Array) -> "_Tasks":
        root = 1 / np.sqrt(variances)
        spread, turn = np.linalg.eigh(root[:, :, None] * smooth * root[:, None, :])
        return cls(shares, turn.transpose(0, 2, 1) * root[:, None, :], np.maximum(spread, 0))

    def kept(self, slack: float) -> Array:
        """Share of each coordinate's precision that the departure leaves."""
        kept: Array = 1 / (1 + slack**2 * self.spread)
        return kept

    def precisions(self, kept: Array) -> Array:
        """Precisions of the shares, own departures included, shape (n, K, K)."""
        precisions: Array = self.turn.transpose(0, 2, 1) @ (kept[:, :, None] * self.turn)
        return precisions


def _log_total(logs: Array) -> tuple[Array, Array]:
    """Weights that sum to 1 in each row, and the log of their sum before that; `logs` is overwritten."""
    most = logs.max(axis=1, keepdims=True)
    logs -= most
    np.maximum(logs, -100, out=logs)  # below this, exponentials are slow to compute and negligible
    np.exp(logs, out=logs)
    total = logs.sum(axis=1, keepdims=True)
    logs /= total
    return logs, np.log(total) + most


def fitted(shares: Array, variances: Array, domain: Sequence[int]) -> tuple["CurveModel", Array, bool]:
    """A model whose lattice fits the reports, its most likely parameters, and whether the search ended.

    There are two searches on a coarse lattice, from one hump and from two, and a third if the reports need a
    finer lattice.
    """
    model = CurveModel(shares, variances, domain)
    one, two = np.zeros((2, model.size))
    two[_HUMPS] = 2.0
    peak, ended = model.fit((one, two))
    needed = int(2 ** np.ceil(np.log2(1 / model.least_error(peak))))
    if needed <= _COARSE:
        return model, peak, ended
    model = CurveModel(shares, variances, domain, min(needed, _FINEST))
    return model, *model.fit((peak,))


class CurveModel:
    """Model of distribution, locations and curves, from observed shares above two or more thresholds."""

    def __init__(
        self, shares: Array, variances: Array, domain: Sequence[int], places_per_step: int = _COARSE
    ) -> None:
        self.domain, self.span = domain, domain[-1] - domain[0]
        self.n_tasks, n_thresholds = shares.shape
        apart = np.subtract.outer(np.arange(n_thresholds), np.arange(n_thresholds))
        self.smooth = np.exp(-((apart / _REACH) ** 2) / 2) + 0.02 * np.eye(n_thresholds)
        self.blocks = [
            _Tasks.of(shares[k : k + _BLOCK], variances[k : k + _BLOCK], self.smooth)
            for k in range(0, self.n_tasks, _BLOCK)
        ]
        self.step = 1 / places_per_step
        half = int(np.ceil(0.75 * self.span)) * places_per_step
        self.grid = (domain[0] + domain[-1]) / 2 + np.arange(-half, half + 1) * self.step
        # Thresholds are one step apart, so all distances of places from thresholds lie on one lattice too.
        behind = (n_thresholds - 1 - np.arange(n_thresholds)) * places_per_step
        self.distances = self.grid[0] - domain[-1] + 0.5 + np.arange(len(self.grid) + behind[0]) * self.step
        self.at = np.arange(len(self.grid))[:, None] + behind
        self.size = _VALUES + len(domain)

    def law(self, z: Array) -> CurveLaw:
        """The distribution for parameters that are standard normal a priori."""
        narrow = self.span / 6 * np.exp(z[_NARROW])
        values = np.exp(1.5 * (z[_VALUES:] - z[_VALUES:].max()))
        return CurveLaw(
            widths=(narrow, narrow * (1 + 3 * np.exp(0.7 * z[_RATIO]))),
            share=float(expit(1.2 * z[_SHARE])),
            mean=(self.domain[0] + self.domain[-1]) / 2 + self.span / 4 * z[_MEAN],
            deviation=self.span / 6 * np.exp(0.7 * z[_DEVIATION]),
            hump=self.span / 6 * np.logaddexp(0, 2 * z[_HUMPS] - 3),
            split=float(expit(1.5 * z[_SPLIT])),
            slack=0.01 * np.exp(1.6 * z[_SLACK]),
            constant=float(expit(1.7 * z[_CONSTANT] - 3.5)),
            hardness=min(0.06 * np.exp(1.6 * z[_HARD]), 1.0),
            values=values / values.sum(),
        )

    def curves(self, law: CurveLaw) -> Array:
        """Share above each threshold for each kind of task and place of the lattice, (kinds * places, K).

        Kinds are the nodes of hardness with one hump, then two humps.
        """
        beyond = 1 - np.cumsum(law.values)[:-1]
        kinds = [*((np.exp(law.hardness * node), (0.0,)) for node in _HARDNESS), (1.0, (-law.hump, law.hump))]
        tables = []
        for scale, humps in kinds:
            above = np.zeros_like(self.distances)
            for width, share in zip(law.widths, (law.share, 1 - law.share), strict=True):
                for hump in humps:
                    above += share / len(humps) * ndtr((self.distances / scale + hump) / width)
            tables.append((1 - law.constant) * above[self.at] + law.constant * beyond)
        return np.concatenate(tables)

    def log_prior(self, law: CurveLaw) -> Array:
        """Logarithm of the prior of each kind of task and place of the lattice."""
        places = -(((self.grid - law.mean) / law.deviation) ** 2) / 2
        places -= np.log(np.exp(places - places.max()).sum()) + places.max()
        kinds = np.append(_LOG_WEIGHTS + np.log1p(-law.split), np.log(law.split))
        prior: Array = (places + kinds[:, None]).ravel()
        return prior

    def log_weights(self, law: CurveLaw, curves: Array, tasks: _Tasks) -> tuple[Array, Array]:
        """Log of prior times likelihood by kind and place, (n, kinds * places).

        Also the precisions of the shares, (n, K, K).
        """
        kept = tasks.kept(law.slack)
        precisions = tasks.precisions(kept)
        pulled = (precisions @ tasks.shares[:, :, None])[..., 0]
        one, other = np.triu_indices(curves.shape[1])  # half of a quadratic form's products suffice
        twice = np.where(one == other, 1.0, 2.0)
        misfit = (twice * precisions[:, one, other]) @ (curves[:, one] * curves[:, other]).T
        misfit -= 2 * pulled @ curves.T
        misfit += (pulled * tasks.shares).sum(axis=1, keepdims=True)
        return self.log_prior(law) + (np.log(kept).sum(axis=1, keepdims=True) - misfit) / 2, precisions

    def loss(self, z: Array) -> float:
        """Minus the logarithm of the reports' probability times the parameters' prior."""
        law = self.law(z)
        curves = self.curves(law)
        heard = (_log_total(self.log_weights(law, curves, tasks)[0])[1].sum() for tasks in self.blocks)
        return float(z @ z / 2 - sum(heard))

    def loss_and_gradient(self, z: Array, step: float = 1e-4) -> tuple[float, Array]:
        """`loss` and its gradient: exact in the curves, by differences in the parameters of the curves."""
        law = self.law(z)
        curves = self.curves(law)
        loss, gradient = z @ z / 2, z.copy()
        pull, at_places = np.zeros_like(curves), np.zeros(len(curves))
        squares = (curves[:, :, None] * curves[:, None, :]).reshape(len(curves), -1)
        for tasks in self.blocks:
            logs, precisions = self.log_weights(law, curves, tasks)
            weights, total = _log_total(logs)
            loss -= total.sum()
            at_places += weights.sum(axis=0)
            mixed = (weights.T @ precisions.reshape(len(logs), -1)).reshape(-1, *precisions.shape[1:])
            pull += (mixed @ curves[:, :, None])[..., 0]
            pull -= weights.T @ (precisions @ tasks.shares[:, :, None])[..., 0]
            gradient[_SLACK] += self._slack_slope(law, tasks, weights @ curves, weights @ squares)
        for i in range(self.size):
            if i == _SLACK:
                continue
            move = np.zeros(self.size)
            move[i] = step
            ahead, behind = self.law(z + move), self.law(z - move)
            if i in (_MEAN, _DEVIATION, _SPLIT):
                gradient[i] -= at_places @ (self.log_prior(ahead) - self.log_prior(behind)) / (2 * step)
            else:
                gradient[i] += (pull * (self.curves(ahead) - self.curves(behind))).sum() / (2 * step)
        return float(loss), gradient

    @staticmethod
    def _slack_slope(law: CurveLaw, tasks: _Tasks, mean: Array, squares: Array) -> float:
        """Derivative of the loss with respect to the slack's parameter.

        It is computed from the curves' means and mean products.
        """
        kept, turn = tasks.kept(law.slack), tasks.turn
        seen = (turn @ tasks.shares[:, :, None])[..., 0]
        at = (turn @ mean[:, :, None])[..., 0]
        square = ((turn @ squares.reshape(turn.shape)) * turn).sum(axis=2)
        slope = -2 * 1.6 * law.slack**2 * tasks.spread * kept**2
        return float(((square - 2 * at * seen + seen**2) * slope - slope / kept).sum() / 2)

    def fit(self, starts: Iterable[Array]) -> tuple[Array, bool]:
        """The most likely parameters found from these starts, and whether the best search ended."""
        found = [
            minimize(
                self.loss_and_gradient,
                start,
                jac=True,
                method="L-BFGS-B",
                bounds=[(-5, 5)] * self.size,
                options={"ftol": 1e-7, "maxiter": 200},
            )
            for start in starts
        ]
        best = min(found, key=lambda search: search.fun)
        return best.x, bool(best.status == 0)

    def least_error(self, peak: Array) -> float:
        """Smallest error of a location under this distribution, which the lattice has to resolve."""
        law, n_places = self.law(peak), len(self.grid)
        curves = self.curves(law)
        slopes = np.gradient(curves[n_places : 2 * n_places], self.step, axis=0)
        most = 0.0
        for tasks in self.blocks:
            logs, precisions = self.log_weights(law, curves, tasks)
            slope = slopes[logs.argmax(axis=1) % n_places]
            most = max(most, np.einsum("nk,nkl,nl->n", slope, precisions, slope).max())
        return float(1 / np.sqrt(max(most, 1e-12)))

    def draws(self, peak: Array, rng: np.random.Generator) -> Iterator[Array]:
        """Curves of all tasks, (n, K), drawn from their posterior.

        The draws follow a random walk over distributions around the peak.
        """
        spread = self._spread(peak)
        z = np.zeros(self.size)
        loss = self.loss(peak)
        steps = int(np.clip(_WORK // self.n_tasks, _FEWEST, _MOST))
        for step in range(steps):
            tried = np.sqrt(1 - _STEP**2) * z + _STEP * rng.normal(size=self.size)
            if np.abs(peak + spread @ tried).max() < _FAR:
                found = self.loss(peak + spread @ tried)
                if np.log(rng.random()) < loss - found - (z @ z - tried @ tried) / 2:
                    z, loss = tried, found
            if step >= _BURN and step % 4 == 0:
                yield self._drawn(self.law(peak + spread @ z), rng)

    def _drawn(self, law: CurveLaw, rng: np.random.Generator) -> Array:
        """One curve per task: a place of the lattice, and the task's own departure given the place."""
        table, own = self.curves(law), law.slack**2 * self.smooth
        curves = []
        for tasks in self.blocks:
            logs, precisions = self.log_weights(law, table, tasks)
            weights = _log_total(logs)[0].cumsum(axis=1)
            place = (weights < rng.random((len(logs), 1))).sum(axis=1)
            curve = table[np.minimum(place, len(table) - 1)]
            pulled = own @ precisions
            left = own - pulled @ own
            left = (left + left.transpose(0, 2, 1)) / 2 + 1e-12 * np.eye(len(own))
            deviation = (pulled @ (tasks.shares - curve)[:, :, None])[..., 0]
            deviation += (np.linalg.cholesky(left) @ rng.normal(size=(*curve.shape, 1)))[..., 0]
            curves.append(curve + deviation)
        return np.concatenate(curves)

    def _spread(self, peak: Array, step: float = 0.05) -> Array:
        """Square root of the loss's inverse curvature at its minimum, curvatures raised to at least 0.5."""
        moves = step * np.eye(self.size)
        slopes = [self.loss_and_gradient(peak + a)[1] - self.loss_and_gradient(peak - a)[1] for a in moves]
        curvature = np.array(slopes) / (2 * step)
        values, vectors = np.linalg.eigh((curvature + curvature.T) / 2)
        spread: Array = (vectors / np.sqrt(np.maximum(values, 0.5))) @ vectors.T
        return spread
