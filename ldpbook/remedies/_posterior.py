"""Posterior of each task's truth given counts of reports; the distribution of answers is learned with it.

Every report is a symbol that came through a known channel. Questions and their symbols are the columns of one
table: `channels` holds the probability of each column given the answer (or NULL), `counts` how often it was
seen. Truths are normal around a common mean; errors of answers have a mixture of two normal distributions.
This distribution (`Law`) has five parameters per crowd; a weak prior keeps them finite if the reports carry
no information.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logsumexp, ndtr
from scipy.stats import norm, qmc

from ldpbook._arrays import Array

_POINTS = 45  # of a task's grid
_LAWS = 256  # distributions over which the posterior is averaged
# Distribution and grid are found in turn, at most _TURNS times, until no parameter moves by _STAYS or more.
_TURNS, _STAYS = 20, 0.1
TINY = 1e-300
_SHARE_DEVIATION = 1.2  # prior standard deviation of the log odds of the careful share


@dataclass(frozen=True)
class Law:
    """Distribution of a crowd's truths and answers.

    Standard deviations and shares of two kinds of workers, mean and spread of the truths.
    """

    sigmas: Array
    shares: Array
    mean: float
    deviation: float


@dataclass(frozen=True, eq=False)
class Evidence:
    """Counts of reports and the channels that they came through.

    Counts have the shape (bins, tasks, columns); channels (tasks or 1, cells + 1, columns), the last row for
    NULL. Cells are the parts into which the edges cut the domain. With `shares`, shape (bins, 2), each bin
    has its own mixture of kinds; without it, all bins have that of the `Law`.
    """

    domain: Sequence[int]
    edges: Array
    counts: Array
    channels: Array
    density: Array
    shares: Array | None = None


@dataclass(frozen=True, eq=False)
class Posterior:
    """Posterior weights of truths on one grid per task, shape (tasks, points), at the most likely `Law`."""

    parameters: Array
    grid: Array
    weights: Array
    converged: bool = True

    @property
    def truth(self) -> Array:
        truth: Array = (self.weights * self.grid).sum(axis=1)
        return truth

    @property
    def error(self) -> Array:
        error: Array = np.sqrt((self.weights * (self.grid - self.truth[:, None]) ** 2).sum(axis=1))
        return error


def law_of(parameters: Array, domain: Sequence[int]) -> Law:
    """The `Law` for parameters that are standard normal a priori."""
    span = domain[-1] - domain[0]
    narrow = span / 6 * np.exp(parameters[0])
    wide = narrow * (1 + 3 * np.exp(0.7 * parameters[1]))
    share = expit(_SHARE_DEVIATION * parameters[2])
    return Law(
        sigmas=np.array([narrow, wide]),
        shares=np.array([share, 1 - share]),
        mean=float((domain[0] + domain[-1]) / 2 + span / 4 * parameters[3]),
        deviation=float(span / 6 * np.exp(0.7 * parameters[4])),
    )


def cell_probabilities(grid: Array, edges: Array, sigmas: Array) -> Array:
    """Probability of each cell given the truth and the kind of worker: shape (2, tasks, points, cells)."""
    ends = np.ones((*grid.shape, 1))
    cells = []
    for sigma in sigmas:
        beyond = ndtr((grid[..., None] - edges) / sigma)
        cells.append(-np.diff(beyond, axis=-1, prepend=ends, append=0 * ends))
    return np.array(cells)


def column_channels(evidence: Evidence) -> Array:
    """Probability of each column given the answer that a worker would give if she gave one.

    The shape is (tasks, cells, columns).
    """
    density = evidence.density[:, None, None]
    channels: Array = density * evidence.channels[:, :-1] + (1 - density) * evidence.channels[:, -1:]
    return channels


def log_weights(evidence: Evidence, grid: Array, law: Law) -> Array:
    """Logarithm of prior times likelihood of each truth on the grid, shape (tasks, points)."""
    cells, channels = cell_probabilities(grid, evidence.edges, law.sigmas), column_channels(evidence)
    total = _log_prior(grid, law)
    for counts, share in zip(evidence.counts, mixtures(evidence, law), strict=True):
        mixed = np.tensordot(share, cells, 1) @ channels
        mixed += TINY
        total += (np.log(mixed, out=mixed) @ counts[:, :, None])[..., 0]
    return total


def mixtures(evidence: Evidence, law: Law) -> Array:
    """Shares of the kinds in each bin, shape (bins, 2)."""
    return law.shares[None] if evidence.shares is None else evidence.shares


def fit(evidence: Evidence, start: Posterior | None = None) -> Posterior:
    """Posterior at the most likely distribution, which is found too, on a grid that closes in on each truth.

    The grid of one distribution may exclude the truths of a better one. So distribution and grid are found in
    turn until the distribution stays the same.
    """
    posterior = start or _closing_in(_wide(evidence), evidence)
    for _ in range(_TURNS):
        before = posterior.parameters
        found = minimize(
            _loss,
            before,
            args=(evidence, posterior.grid, _loss(before, evidence, posterior.grid)),
            method="L-BFGS-B",
            bounds=[(-6, 6)] * len(before),
            options={"ftol": 1e-4},
        )
        posterior = _closing_in(_posterior(found.x, evidence, posterior.grid), evidence)
        if np.abs(found.x - before).max() < _STAYS:
            return posterior
    return replace(posterior, converged=False)


def _wide(evidence: Evidence) -> Posterior:
    """Posterior at the prior mean of the parameters, on an even grid.

    The grid extends the domain by a quarter of its width at each end.
    """
    low, high = evidence.domain[0], evidence.domain[-1]
    even = np.linspace(low - (high - low) / 4, high + (high - low) / 4, _POINTS)
    return _posterior(np.zeros(5), evidence, np.tile(even, (len(evidence.density), 1)))


def averaged(posterior: Posterior, evidence: Evidence) -> tuple[Array, Array]:
    """Mean and standard deviation of each truth, averaged over the distributions that the reports allow.

    Distributions are drawn from a normal approximation of their posterior at its peak, with importance
    weights.
    """
    peak, grid = posterior.parameters, posterior.grid
    values, vectors = np.linalg.eigh(_curvature(peak, evidence, grid))
    spread = (vectors / np.sqrt(np.maximum(values, 0.5))) @ vectors.T  # so the vectors' signs do not matter
    half = norm.ppf(qmc.Sobol(len(peak), scramble=False).random(_LAWS)[1 : _LAWS // 2 + 1])
    points = np.concatenate([half, -half])  # in pairs, so that without reports the mean is the middle
    found = []
    for z in points:
        parameters = peak + spread @ z
        logs = log_weights(evidence, grid, law_of(parameters, evidence.domain))
        law = _posterior_of(parameters, grid, logs)
        found.append((z @ z / 2 - _loss_of(parameters, logs), law.truth, law.error))
    log_weight, truths, errors = map(np.array, zip(*found, strict=True))
    weight = np.exp(log_weight - logsumexp(log_weight))
    truth = weight @ truths
    return truth, np.sqrt(weight @ (errors**2 + (truths - truth) ** 2))


def _log_prior(grid: Array, law: Law) -> Array:
    """Logarithm of the prior probability of the interval around each grid point.

    Unlike a density, this probability stays below 1 even if truths differ by less than a step.
    """
    middles = (grid[:, 1:] + grid[:, :-1]) / 2
    ends = np.full((len(grid), 1), np.inf)
    below, above = np.concatenate([-ends, middles], axis=1), np.concatenate([middles, ends], axis=1)
    # Reflect intervals on the right of the mean to its left, so that no probabilities near 1 are subtracted.
    turned = below > law.mean
    below, above = (
        np.where(turned, 2 * law.mean - above, below),
        np.where(turned, 2 * law.mean - below, above),
    )
    mass = ndtr((above - law.mean) / law.deviation) - ndtr((below - law.mean) / law.deviation)
    log_prior: Array = np.log(mass + TINY)
    return log_prior


def _closing_in(posterior: Posterior, evidence: Evidence) -> Posterior:
    """The same posterior on grids that are dense around each truth and reach beyond the domain."""
    reach = 1.25 * (evidence.domain[-1] - evidence.domain[0])
    for _ in range(6):
        step = np.diff(posterior.grid, axis=1).min(axis=1, keepdims=True)
        scale = np.maximum(posterior.error[:, None], step / 3)
        turns = np.arcsinh(reach / scale) * np.linspace(-1, 1, _POINTS)
        grid = posterior.truth[:, None] + scale * np.sinh(turns)
        posterior = _posterior(posterior.parameters, evidence, grid)
        if (posterior.error > scale[:, 0] / 2).all():
            break
    return posterior


def _posterior(parameters: Array, evidence: Evidence, grid: Array) -> Posterior:
    return _posterior_of(parameters, grid, log_weights(evidence, grid, law_of(parameters, evidence.domain)))


def _posterior_of(parameters: Array, grid: Array, logs: Array) -> Posterior:
    weights = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
    return Posterior(parameters, grid, weights)


def _loss(parameters: Array, evidence: Evidence, grid: Array, offset: float = 0.0) -> float:
    """Minus the logarithm of the reports' probability times the parameters' prior, minus an offset."""
    logs = log_weights(evidence, grid, law_of(parameters, evidence.domain))
    return _loss_of(parameters, logs, offset)


def _loss_of(parameters: Array, logs: Array, offset: float = 0.0) -> float:
    return float(parameters @ parameters / 2 - logsumexp(logs, axis=1).sum() - offset)


def _curvature(peak: Array, evidence: Evidence, grid: Array, step: float = 0.05) -> Array:
    """Second derivatives of the loss, by differences."""
    moves = step * np.eye(len(peak))
    loss = np.array(
        [
            [_loss(peak + a + b, evidence, grid) if i >= j else 0.0 for j, b in enumerate(moves)]
            for i, a in enumerate(moves)
        ]
    )
    ahead = np.array([_loss(peak + a, evidence, grid) for a in moves])
    here = _loss(peak, evidence, grid)
    lower = np.tril(loss - ahead[:, None] - ahead + here) / step**2
    curvature: Array = lower + np.tril(lower, -1).T
    return curvature
