"""One contract for all mechanisms: a new mechanism is a line in CASES, and a missing one is a failure.

Proved losses are compared with distributions written out here, without the package: by enumeration if
outputs are discrete, otherwise by quadrature or the density. Draws of `perturb` are compared with the same
distribution, within the standard error.
"""

import copy
import dataclasses
import importlib
import inspect
import pickle
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import comb, exp, inf, sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy import stats
from scipy.special import lambertw
from toc import CHAPTERS, ROOT, notebook_cells, public_modules

from ldpbook.categorical_answers import OneLayerFlip, TwoLayerFlip
from ldpbook.class_ratios import (
    GaussianCounts,
    GeometricCounts,
    LaplaceCounts,
    LaplacePrior,
    ScaledDirichlet,
)
from ldpbook.localization import LatticeLaplace, ParticlePerturbation, PlanarLaplace
from ldpbook.mechanism import AnswerMechanism
from ldpbook.practice import Questionnaire
from ldpbook.remedies import ChannelResponse, ThresholdResponse, respond
from ldpbook.sparse_answers import (
    LaplacePerturbation,
    MatrixFactorization,
    RandomizedResponse,
    TwoLayerResponse,
)
from ldpbook.whole_worker import AskedQuestions, MixedSigns, OwnAnswer, PermanentAnswers

NULL = np.nan
N_DRAWS = 20_000
TOLERANCE = 4.5  # standard errors

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2  # on [0, 1]


@dataclass(frozen=True)
class Case:
    """A mechanism, data for it, and independent facts about it."""

    mechanism: Any
    data: Any
    wrong: tuple[Any, ...]  # data that it refuses, in addition to those that all refuse
    unit: str  # the difference of neighbours, in the docstring's words
    proved: Callable[[Any], float]  # the epsilon that the mechanism states
    loss: Callable[[Any], float]  # the same, from the distribution
    drawn: Callable[[Any], None]  # asserts that draws follow the distribution


# --- Discrete outputs: the probability of each output row, for an input row. ---


def flipped(keep: float, symbols: tuple[float, ...]) -> Callable[[float, float], float]:
    """A cell keeps its symbol with probability `keep`, otherwise gets any other; NULL may be no symbol."""

    def law(given: float, out: float) -> float:
        if not all(any(same(x, s) for s in symbols) for x in (given, out)):
            return float(same(given, out))
        return keep if same(given, out) else (1 - keep) / (len(symbols) - 1)

    return law


def same(a: float, b: float) -> bool:
    return a == b or (np.isnan(a) and np.isnan(b))


def rows(cells: Callable[[float, float], float], given: tuple[float, ...], outs: list[tuple[float, ...]]):
    """Probability of each output row; a cell's distribution is computed once per symbol, not per row."""
    chance = np.ones(len(outs))
    for a, column in zip(given, np.transpose(outs), strict=True):
        symbols, at = np.unique(column, return_inverse=True)
        chance *= np.array([cells(a, symbol) for symbol in symbols])[at]
    return chance


def rr_law(m: RandomizedResponse, given, outs):
    size = len(m.domain)
    return rows(flipped(exp(m.epsilon) / (size + exp(m.epsilon)), (*m.domain, NULL)), given, outs)


def two_budgets_law(m: TwoLayerResponse, given, outs):
    budgets, size = m.low + (m.high - m.low) * NODES, len(m.domain)
    keeps = np.exp(budgets) / (size + np.exp(budgets))
    return WEIGHTS @ [rows(flipped(keep, (*m.domain, NULL)), given, outs) for keep in keeps]


def one_layer_law(m: OneLayerFlip, given, outs):
    symbols = (0.0, 1.0, NULL) if m.null_is_symbol else (0.0, 1.0)
    return rows(flipped(1 - m.flip_probability, symbols), given, outs)


def two_layer_law(m: TwoLayerFlip, given, outs):
    ps = m.low + (m.high - m.low) * NODES  # exact, because the integrands are polynomials in p of low degree
    return WEIGHTS @ [rows(flipped(1 - p, (0.0, 1.0)), given, outs) for p in ps]


CHANNEL = [[0.6, 0.2, 0.2], [0.3, 0.3, 0.4], [0.25, 0.25, 0.5], [0.1, 0.6, 0.3]]  # rows: 0, 1, 2, NULL


def channel_law(m: ChannelResponse, given, outs):
    return rows(lambda a, b: CHANNEL[3 if np.isnan(a) else int(a)][int(b)], given, outs)


@dataclass(frozen=True)
class Asked:
    """A mechanism of threshold responses or whole rows that asks the same of every cell."""

    mechanism: Any
    threshold: float
    exact_epsilon = property(lambda self: self.mechanism.exact_epsilon)

    def perturb(self, answers, rng=None, **given):
        return self.mechanism.perturb(answers, self.threshold, rng, **given)


def threshold_law(m: Asked, given, outs):
    keep = exp(m.mechanism.epsilon) / (2 + exp(m.mechanism.epsilon))
    symbols = [NULL if np.isnan(a) else float(a > m.threshold) for a in given]
    return rows(flipped(keep, (0.0, 1.0, NULL)), tuple(symbols), outs)


def sides(given, threshold: float) -> list[float]:
    return [0.0 if np.isnan(a) else 1.0 if a > threshold else -1.0 for a in given]


def asked_law(m: Asked, given, outs):
    q, cells = m.mechanism.n_questions, sides(given, m.threshold)
    cell = flipped(exp(m.mechanism.epsilon / q) / (2 + exp(m.mechanism.epsilon / q)), (-1.0, 0.0, 1.0))

    def chance(out) -> float:
        asked = [(a, b) for a, b in zip(cells, out, strict=True) if not np.isnan(b)]
        return np.prod([cell(a, b) for a, b in asked]) / comb(len(given), q) * (len(asked) == q)

    return np.array([chance(out) for out in outs])


def own_law(m: Asked, given, outs):
    """Probability of each output row, summed over possible draws and over the two bits of each task."""
    cells = sides(given, m.threshold)
    own = [(j, side) for j, side in enumerate(cells) if side]
    slots = own + [(-1, 0.0)] * (m.mechanism.padding - len(own)) or [(-1, 0.0)]

    def cell(out: float, above: float, below: float) -> float:
        bits = product((0, 1), repeat=2)
        return sum((above if a else 1 - above) * (below if b else 1 - below) for a, b in bits if a - b == out)

    other = 1 / (1 + exp(m.mechanism.epsilon))
    laws = [
        [
            [
                cell(out, *(0.5 if drawn == (j, side) else other for side in (1, -1)))
                for j, out in enumerate(row)
            ]
            for row in outs
        ]
        for drawn in slots
    ]
    return np.prod(laws, axis=2).mean(axis=0)


def mixed_law(m: Asked, given, outs):
    """Probability of each output row, summed over coins, orders of the tasks, and the bits of the groups."""
    cells, r, n = sides(given, m.threshold), m.mechanism.n_groups, len(given)
    keep = exp(m.mechanism.epsilon / r) / (1 + exp(m.mechanism.epsilon / r))
    law = dict.fromkeys(outs, 0.0)
    ways = list(
        product(product((1.0, -1.0), repeat=n), permutations(range(n)), product((1.0, -1.0), repeat=r))
    )
    for coins, order, bits in ways:
        chance, group = 2.0**r / len(ways), [k * r // n for k in order]
        for g in range(r):
            lead = sum(c * x for c, x, at in zip(coins, cells, group, strict=True) if at == g)
            chance *= 0.5 if lead == 0 else keep if lead * bits[g] > 0 else 1 - keep
        law[tuple(c * bits[g] for c, g in zip(coins, group, strict=True))] += chance
    return np.array([law[out] for out in outs])


def row_loss(law, symbols: tuple[float, ...]) -> Callable[[Any], float]:
    """Largest log ratio over any two rows of three cells, including the empty row."""

    def loss(m: Any) -> float:
        outs = list(product(symbols, repeat=3))
        laws = np.array([law(m, given, outs) for given in product((0.0, 1.0, NULL), repeat=3)])
        logs = np.log(laws[:, laws[0] > 0])
        return float(np.ptp(logs, axis=0).max())

    return loss


def whole_row(mechanism, law, symbols: tuple[float, ...]) -> Case:
    wrong = ([[inf]], [["a"]])
    drawn = rows_follow(law, (2.0, NULL, 0.0), symbols)
    return Case(Asked(mechanism, 0.5), VOTES, wrong, "worker", stated, row_loss(law, symbols), drawn)


def channel_loss(m: ChannelResponse) -> float:
    logs = np.log(CHANNEL)
    return max(abs(logs[i] - logs[j]).max() for i in range(4) for j in range(4))


def loss_between(law, symbols: tuple[float, ...], n_cells: int, n_changed: int) -> Callable[[Any], float]:
    """Largest log ratio over outputs and inputs that differ in at most that many cells."""

    def loss(m: Any) -> float:
        inputs = list(product(symbols, repeat=n_cells))
        logs = np.log([law(m, given, inputs) for given in inputs])
        apart = [[sum(not same(a, b) for a, b in zip(i, j, strict=True)) for j in inputs] for i in inputs]
        pairs = np.argwhere((np.array(apart) > 0) & (np.array(apart) <= n_changed))
        return float(np.max([logs[i] - logs[j] for i, j in pairs]))

    return loss


def rows_follow(law, given: tuple[float, ...], symbols: tuple[float, ...]) -> Callable[[Any], None]:
    """A check that drawn rows follow the distribution, for outputs that are among the symbols."""

    def drawn(m: Any) -> None:
        outs = list(product(symbols, repeat=len(given)))
        expected = law(m, given, outs)
        assert expected.sum() == pytest.approx(1)
        found = m.perturb(np.tile(given, (N_DRAWS, 1)), 5)
        share = [np.mean(same_rows(found, out)) for out in outs]
        error = np.sqrt(expected * (1 - expected) / N_DRAWS)
        assert (np.abs(share - expected) <= TOLERANCE * error).all()

    return drawn


def same_rows(found, out):
    return ((found == out) | (np.isnan(found) & np.isnan(out))).all(axis=1)


# --- Continuous outputs: a density of one number, and draws without the package. ---


def lp_density(m: LaplacePerturbation, x, given: float):
    fills = m.domain if np.isnan(given) else [given]
    return np.mean([stats.laplace.pdf(x, c, len(m.domain) / m.epsilon) for c in fills], axis=0)


def mf_density(m: MatrixFactorization, x, given: tuple[float, ...]):
    v = m.profile[0]  # of rank 1: the profile u is Laplace around the least-squares fit
    return stats.laplace.pdf(x, v @ given / (v @ v), len(m.domain) / m.epsilon / (v @ v))


def largest_log_ratio(density, inputs: list[Any], ends: float) -> Callable[[Any], float]:
    """Largest log ratio over neighbouring inputs, and outputs far beyond the inputs on either side."""
    x = np.linspace(-ends, ends, 4001)

    def loss(m: Any) -> float:
        logs = [np.log(density(m, x, given)) for given in inputs]
        apart = [(i, j) for i in range(len(inputs)) for j in range(len(inputs)) if i != j]
        near = [(i, j) for i, j in apart if np.sum(np.not_equal(inputs[i], inputs[j])) == 1]
        return float(max((logs[i] - logs[j]).max() for i, j in near))

    return loss


def hockey_stick(first, second, epsilon: float) -> float:
    """Delta at the given epsilon, of two discretized densities."""
    return float(np.maximum(first - exp(epsilon) * second, 0).sum())


def least_epsilon(delta_at: Callable[[Any, float], float]) -> Callable[[Any], float]:
    """The epsilon at which delta equals the mechanism's, by bisection."""

    def loss(m: Any) -> float:
        low, high = 0.0, 50.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if delta_at(m, middle) > m.delta else (low, middle)
        return high

    return loss


def normal_delta(shift: float, epsilon: float) -> float:
    """Delta of unit normals a shift apart."""
    at = epsilon / shift - shift / 2
    return float(stats.norm.sf(at) - exp(epsilon) * stats.norm.sf(at + shift))


def laplace_delta(scale: float, epsilon: float) -> float:
    """Delta of Laplace noise on two counts, one larger and one smaller by 1: the losses add up."""
    loss = np.concatenate([[1, -1], 1 - 2 * NODES]) / scale
    weight = np.concatenate([[0.5, exp(-1 / scale) / 2], WEIGHTS * np.exp(-NODES / scale) / (2 * scale)])
    total = np.add.outer(loss, loss)
    return float((np.outer(weight, weight) * np.maximum(-np.expm1(epsilon - total), 0)).sum())


def dirichlet_delta(m: ScaledDirichlet, epsilon: float) -> float:
    """Delta of two classes with the smallest counts and one additional label, which moves."""
    edges = np.linspace(0, 1, 20_001)
    a, b = m.scale * (m.least_count + 1), m.scale * m.least_count
    return hockey_stick(np.diff(stats.beta.cdf(edges, a, b)), np.diff(stats.beta.cdf(edges, b, a)), epsilon)


def follows(statistic: Callable[[Any, np.random.Generator], Any], reference) -> Callable[[Any], None]:
    """Draws are below each decile of the reference with the right frequency, and have the same spread."""

    def drawn(m: Any) -> None:
        found = np.asarray(statistic(m, np.random.default_rng(6)))
        wanted = reference(m, 50 * N_DRAWS, np.random.default_rng(7))
        share = np.arange(1, 10) / 10
        below = [np.mean(found <= at) for at in np.quantile(wanted, share)]
        error = np.sqrt(share * (1 - share) * (1 / len(found) + 1 / len(wanted)))
        assert (np.abs(below - share) <= TOLERANCE * error).all()
        apart = [np.abs(values - np.median(wanted)) for values in (found, wanted)]
        error = np.hypot(*(stats.sem(values) for values in apart))
        assert abs(apart[0].mean() - apart[1].mean()) <= TOLERANCE * error

    return drawn


def loss_on_a_plane(m: PlanarLaplace) -> float:
    """Largest log ratio of the densities around two places, over outputs on a grid."""
    x, y = np.meshgrid(np.linspace(-9, 9, 181), np.linspace(-9, 9, 181))
    logs = [-m.epsilon * np.hypot(x - at, y) for at in (0.0, 1.5)]
    return float((logs[0] - logs[1]).max())


def planar_reference(m: PlanarLaplace, size: int, rng: np.random.Generator):
    """One coordinate: the radius by inversion, the direction of a normal pair."""
    radius = -(lambertw((rng.random(size) - 1) / np.e, -1).real + 1) / m.epsilon
    direction = rng.normal(size=(2, size))
    return 3.0 + radius * direction[0] / np.hypot(*direction)


def lattice_law(m: LatticeLaplace, shift: int):
    """Probabilities of the 121 x 121 points around 0, for a place this many steps to the right."""
    axis = np.arange(-60, 61)
    weight = np.exp(-m.epsilon * m.step * np.hypot(axis[:, None] - shift, axis))
    return weight / weight.sum()


def loss_on_a_lattice(m: LatticeLaplace) -> float:
    return float((np.log(lattice_law(m, 0)) - np.log(lattice_law(m, 1))).max())


def lattice_follows(m: LatticeLaplace) -> None:
    out = m.perturb(np.full((N_DRAWS, 2), 0.2), np.random.default_rng(6)) / m.step + 60
    found = np.bincount((out[:, 0] * 121 + out[:, 1]).astype(int), minlength=121**2) / N_DRAWS
    wanted = lattice_law(m, 0).ravel()
    often = wanted > 1e-3
    error = np.sqrt(wanted * (1 - wanted) / N_DRAWS)
    assert (np.abs(found - wanted) <= TOLERANCE * error)[often].all()
    assert abs(found[~often].sum() - wanted[~often].sum()) <= TOLERANCE * sqrt(0.25 / N_DRAWS)


def first_of_rows(given):
    return lambda m, rng: m.perturb(np.tile(given, (N_DRAWS, 1)), rng)[:, 0]


def first_share(given):
    return lambda m, rng: [np.asarray(m.perturb(given, rng))[0] for _ in range(N_DRAWS // 4)]


def lp_reference(m, n, rng):
    fills = rng.choice(np.array(m.domain, dtype=float), n)
    return fills + stats.laplace.rvs(scale=len(m.domain) / m.epsilon, size=n, random_state=rng)


def mf_reference(m, n, rng):
    v, scale = m.profile[0], len(m.domain) / m.epsilon
    noise = stats.laplace.rvs(scale=scale, size=n, random_state=rng)
    return v[0] * (v @ [2.0, 0.0, 1.0] - noise) / (v @ v)


def share_reference(noise):
    """The nearest point of the simplex of two classes: half of the difference of the shares is kept."""

    def reference(m, n, rng):
        noisy = np.array(COUNTS) + noise(m).rvs(size=(n, 2), random_state=rng)
        return np.clip(0.5 + (noisy[:, 0] - noisy[:, 1]) / (2 * sum(COUNTS)), 0, 1)

    return reference


def spread(statistic):
    """Whole numbers of labels, spread uniformly over the next half label, so that deciles are attained."""
    return lambda m, rng: np.asarray(statistic(m, rng)) + rng.random(N_DRAWS // 4) / 2 / sum(COUNTS)


def geometric_reference(m, n, rng):
    first, second = stats.dlaplace.rvs(m.epsilon / 2, size=(2, n), random_state=rng)
    return (COUNTS[0] + (first - second) / 2 + rng.random(n) / 2) / sum(COUNTS)


def geometric_loss(m):
    """Epsilon of two counts, each of which changes by 1."""
    chances = stats.dlaplace.logpmf(np.arange(-40, 41), m.epsilon / 2)
    return 2 * np.abs(np.diff(chances)).max()


def prior_reference(m, n, rng):
    noise = stats.laplace.rvs(scale=m.scale, size=(n, 2), random_state=rng)
    a, b = np.maximum(COUNTS + noise, 0.5).T
    return stats.beta.rvs(a, b, random_state=rng)


def dirichlet_reference(m, n, rng):
    return stats.beta.rvs(*(m.scale * np.array(COUNTS)), size=n, random_state=rng)


def normal_reference(m, n, rng):
    return stats.norm.rvs(3.0, m.sigma, size=n, random_state=rng)


# --- The table. ---

VOTES = np.array([[0, 1, NULL], [1, 1, 0], [0, NULL, 1], [NULL, NULL, 1]] * 20)
CLOUDS = np.random.default_rng(0).normal(0, 9, (3, 5, 2))
COUNTS = [30, 42]
PLACES = [[0.0, 0.0], [3.0, -4.0], [0.5, 9.0]]
NOT_PLACES = ([[NULL, NULL]], [[np.inf, 0.0]], [[1.0, 2.0, 3.0]], [1.0, 2.0])
NOT_CLOUDS = ([[[NULL, NULL]]], [[[np.inf, 0.0]]], [[[1.0, 2.0, 3.0]]], [[1.0, 2.0]])
NOT_COUNTS = ([NULL, 5], [0, 0], [-1, 5], [1.5, 3], [5], [[30, 42]])


def stated(m: Any) -> float:
    return m.exact_epsilon


def answers(m, unit, proved, loss, drawn):
    return Case(m, VOTES, ([[99]], [[inf]], [["a"]]), unit, proved, loss, drawn)


BITS, DIGITS = (0.0, 1.0), (0.0, 1.0, 2.0, NULL)
CASES = {
    "LP": answers(
        LaplacePerturbation(1.5, range(3)),
        "cell",
        stated,
        largest_log_ratio(lp_density, [[a] for a in DIGITS], 40),
        follows(first_of_rows([NULL, 1.0]), lp_reference),
    ),
    "RR": answers(
        RandomizedResponse(1.5, range(3)),
        "cell",
        stated,
        loss_between(rr_law, DIGITS, 2, 1),
        rows_follow(rr_law, (2.0, NULL), DIGITS),
    ),
    "RR of two layers": answers(
        TwoLayerResponse(0.5, 2.5, range(3)),
        "cell",
        lambda m: m.epsilon_of(n_answers=2),
        loss_between(two_budgets_law, DIGITS, 2, 1),
        rows_follow(two_budgets_law, (2.0, NULL), DIGITS),
    ),
    "MF": answers(
        MatrixFactorization(1.5, range(3), [[0.5, -0.25, 1.0]]),
        "cell",
        stated,
        largest_log_ratio(mf_density, list(product((0.0, 1.0, 2.0), repeat=3)), 60),
        follows(first_of_rows([2.0, 0.0, 1.0]), mf_reference),
    ),
    "any channel": answers(
        ChannelResponse(CHANNEL, range(3)),
        "cell",
        stated,
        channel_loss,
        rows_follow(channel_law, (2.0, NULL), (0.0, 1.0, 2.0)),
    ),
    "threshold": Case(
        Asked(ThresholdResponse(1.5), 0.5),
        VOTES,
        ([[inf]], [["a"]]),
        "cell",
        stated,
        loss_between(threshold_law, (*BITS, NULL), 2, 1),
        rows_follow(threshold_law, (2.0, NULL), (*BITS, NULL)),
    ),
    "one question": whole_row(AskedQuestions(1.5), asked_law, (-1.0, 0.0, 1.0, NULL)),
    "two questions": whole_row(AskedQuestions(1.5, 2), asked_law, (-1.0, 0.0, 1.0, NULL)),
    "own answer": whole_row(OwnAnswer(1.5), own_law, (-1.0, 0.0, 1.0)),
    "own answer, padded": whole_row(OwnAnswer(1.5, 3), own_law, (-1.0, 0.0, 1.0)),
    "one mixture": whole_row(MixedSigns(1.5), mixed_law, (-1.0, 1.0)),
    "two mixtures": whole_row(MixedSigns(1.5, 2), mixed_law, (-1.0, 1.0)),
    "one layer": answers(
        OneLayerFlip.with_probability(0.3, 2),
        "cell",
        stated,
        loss_between(one_layer_law, BITS, 2, 1),
        rows_follow(one_layer_law, (1.0, NULL), (*BITS, NULL)),
    ),
    "one layer with NULL": answers(
        OneLayerFlip.with_probability(0.3, 2, null_is_symbol=True),
        "cell",
        stated,
        loss_between(one_layer_law, (*BITS, NULL), 2, 1),
        rows_follow(one_layer_law, (1.0, NULL), (*BITS, NULL)),
    ),
    "two layers, a cell": answers(
        TwoLayerFlip(0.05, 0.6, 2),
        "cell",
        lambda m: m.epsilon_of(n_answers=3),
        loss_between(two_layer_law, BITS, 3, 1),
        rows_follow(two_layer_law, (1.0, 0.0, 1.0), BITS),
    ),
    "two layers, a worker": answers(
        TwoLayerFlip(0.05, 0.6, 2),
        "user",
        lambda m: m.worker_epsilon_of(n_answers=3),
        loss_between(two_layer_law, BITS, 3, 3),
        rows_follow(two_layer_law, (1.0, 0.0, NULL), (*BITS, NULL)),
    ),
    "particles": Case(
        ParticlePerturbation(2.0),
        CLOUDS,
        NOT_CLOUDS,
        "particle",
        lambda m: m.epsilon_of(distance=1.5, delta=1e-3, n_particles=4),
        lambda m: least_epsilon(lambda _, e: normal_delta(3.0 / m.sigma, e))(Promise(1e-3)),
        follows(lambda m, rng: m.perturb(np.full((1, N_DRAWS, 2), 3.0), rng)[0, :, 1], normal_reference),
    ),
    "planar Laplace": Case(
        PlanarLaplace(0.4),
        PLACES,
        NOT_PLACES,
        "place",
        lambda m: m.epsilon_of(distance=1.5),
        loss_on_a_plane,
        follows(lambda m, rng: m.perturb(np.full((N_DRAWS, 2), 3.0), rng)[:, 1], planar_reference),
    ),
    "lattice Laplace": Case(
        LatticeLaplace(0.4, 1.5),
        PLACES,
        NOT_PLACES,
        "place",
        lambda m: m.lattice_epsilon_of(distance=1.5),
        loss_on_a_lattice,
        lattice_follows,
    ),
    "Laplace counts": Case(
        LaplaceCounts(1.0),
        COUNTS,
        NOT_COUNTS,
        "label",
        stated,
        lambda m: 2 / m.scale,
        follows(first_share(COUNTS), share_reference(lambda m: stats.laplace(scale=m.scale))),
    ),
    "Laplace counts with delta": Case(
        LaplaceCounts(1.0, 0.1),
        COUNTS,
        NOT_COUNTS,
        "label",
        stated,
        least_epsilon(lambda m, e: laplace_delta(m.scale, e)),
        follows(first_share(COUNTS), share_reference(lambda m: stats.laplace(scale=m.scale))),
    ),
    "geometric counts": Case(
        GeometricCounts(1.0),
        COUNTS,
        NOT_COUNTS,
        "label",
        stated,
        geometric_loss,
        follows(spread(first_share(COUNTS)), geometric_reference),
    ),
    "Gaussian counts": Case(
        GaussianCounts(1.0, 0.1),
        COUNTS,
        NOT_COUNTS,
        "label",
        stated,
        least_epsilon(lambda m, e: normal_delta(sqrt(2) / m.sigma, e)),
        follows(first_share(COUNTS), share_reference(lambda m: stats.norm(scale=m.sigma))),
    ),
    "Laplace prior": Case(
        LaplacePrior(1.0, 0.1),
        COUNTS,
        NOT_COUNTS,
        "label",
        stated,
        least_epsilon(lambda m, e: laplace_delta(m.scale, e)),
        follows(first_share(COUNTS), prior_reference),
    ),
    "scaled Dirichlet": Case(
        ScaledDirichlet(0.5, 0.1, least_count=20),
        COUNTS,
        (*NOT_COUNTS, [0, 5], [19, 40]),
        "label",
        stated,
        least_epsilon(dirichlet_delta),
        follows(first_share(COUNTS), dirichlet_reference),
    ),
}


@dataclass(frozen=True)
class Promise:
    """The delta for a mechanism that has none of its own."""

    delta: float


REFUSED = [[], [[]], None, "abc", [["a", object()]], object(), np.zeros((2, 2, 2, 2)), 1j, {}, {1, 2}, range]
EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def argument(mechanism: Any) -> str:
    """The name of the data argument of `perturb`."""
    return next(iter(inspect.signature(mechanism.perturb).parameters))


def kind_of(mechanism: Any) -> type:
    return type(mechanism.mechanism if isinstance(mechanism, Asked) else mechanism)


def equal(a: Any, b: Any) -> bool:
    a, b = (x.toarray() if sp.issparse(x) else x for x in (a, b))
    return np.array_equal(a, b, equal_nan=True)


def test_every_mechanism_is_in_the_table():
    found = set()
    for name in public_modules():
        module = importlib.import_module(name)
        for public in module.__all__:
            thing = getattr(module, public)
            abstract = inspect.isabstract(thing) or getattr(thing, "_is_protocol", False)
            if inspect.isclass(thing) and hasattr(thing, "perturb") and not abstract:
                found.add(thing)
    assert found - {Questionnaire} == {kind_of(case.mechanism) for case in CASES.values()}  # tested apart


@EVERY
def test_proved_epsilon_is_that_of_distribution(case):
    assert case.proved(case.mechanism) == pytest.approx(case.loss(case.mechanism), rel=1e-3)


@EVERY
def test_draws_follow_the_distribution(case):
    case.drawn(case.mechanism)


@EVERY
def test_the_docstring_declares_neighbours_and_unit(case):
    doc = inspect.getdoc(kind_of(case.mechanism))
    assert "neighbour" in doc or "pairs" in doc
    assert case.unit in doc


@EVERY
def test_input_is_unchanged(case):
    data = np.array(case.data)
    before = data.copy()
    case.mechanism.perturb(data, 3)
    assert equal(data, before)
    data.setflags(write=False)
    assert not equal(case.mechanism.perturb(data, 3), before)


@EVERY
def test_the_output_has_the_shape_of_the_input(case):
    assert np.shape(case.mechanism.perturb(case.data, 3)) == np.shape(case.data)


def is_exact(mechanism: Any) -> bool:
    return verdict(kind_of(mechanism)) == "Fit for release"


@EVERY
def test_a_seed_is_its_generator(case):
    def perturb(*rng):
        return case.mechanism.perturb(case.data, *rng)

    assert equal(perturb(4), perturb(np.random.default_rng(4)))
    assert not equal(perturb(4), perturb(5))
    stream = np.random.default_rng(4)
    assert not equal(perturb(stream), perturb(stream))
    kind = case.mechanism.mechanism if isinstance(case.mechanism, Asked) else case.mechanism
    assert inspect.signature(kind.perturb).parameters["rng"].default is None


@EVERY
def test_without_seed_draws_are_for_release_or_refused(case):
    for unseeded in ((), (None,)):
        if not is_exact(case.mechanism):
            with pytest.raises(TypeError, match=r"^rng must be given for .*for study, not for release: "):
                case.mechanism.perturb(case.data, *unseeded)
            continue
        # About one pair of counts in twenty is equal by accident.
        draws = [case.mechanism.perturb(case.data, *unseeded) for _ in range(13)]
        assert any(not equal(draws[0], draw) for draw in draws[1:])
        fixed = [
            case.mechanism.perturb(case.data, *unseeded, entropy=np.random.default_rng(1).bytes)
            for _ in range(2)
        ]
        assert equal(*fixed)
        with pytest.raises(TypeError, match=r"^entropy must be left out where rng is given"):
            case.mechanism.perturb(case.data, 1, entropy=np.random.default_rng(1).bytes)


@EVERY
def test_release_draws_follow_the_distribution(case):
    if is_exact(case.mechanism):

        @dataclass(frozen=True)
        class Drawn:
            """The mechanism with fixed bytes, for checks that pass a seed."""

            def __getattr__(self, name):
                return getattr(case.mechanism, name)

            def perturb(self, data, rng):
                return case.mechanism.perturb(data, entropy=np.random.default_rng(rng).bytes)

        case.drawn(Drawn())


@EVERY
def test_non_data_is_refused_by_name(case):
    for bad in (*REFUSED, *case.wrong):
        for seed in [(0,), ()][: 1 + is_exact(case.mechanism)]:
            with pytest.raises((ValueError, TypeError), match=argument(case.mechanism)):
                case.mechanism.perturb(copy.deepcopy(bad), *seed)
    for bad in ("seed", -1, 0.5, object()):
        with pytest.raises((ValueError, TypeError), match="rng"):
            case.mechanism.perturb(case.data, bad)


@EVERY
def test_an_infinite_epsilon_is_refused(case):
    """Epsilon comes first, so that a bare number is never a probability; noise of size 0 has no epsilon."""
    m = case.mechanism.mechanism if isinstance(case.mechanism, Asked) else case.mechanism
    names = [field.name for field in dataclasses.fields(m)]
    epsilons = [name for name in names if "epsilon" in name]
    assert epsilons == names[: len(epsilons)]
    for name in epsilons:
        with pytest.raises(ValueError, match=r"^epsilon|^(low|high)\w* must"):
            dataclasses.replace(m, **{name: inf})
    for name, value in [("sigma", 0.0), ("flip_probability", 0.0), ("flip_probability", 1.0)]:
        if name in names:
            with pytest.raises(ValueError, match=name):
                dataclasses.replace(m, **{name: value})
    if isinstance(m, TwoLayerFlip):
        for end in (0.0, 1.0):
            with pytest.raises(ValueError, match=r"^high must be above 0 and low below 1"):
                dataclasses.replace(m, low=end, high=end)


@EVERY
def test_a_mechanism_is_a_value(case):
    m = case.mechanism
    for field in dataclasses.fields(m):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(m, field.name, None)
    assert m == m
    assert m != object()
    assert len({m, m}) == 1
    assert equal(pickle.loads(pickle.dumps(m)).perturb(case.data, 2), m.perturb(case.data, 2))
    again = dataclasses.replace(m)
    assert equal(again.perturb(case.data, 2), m.perturb(case.data, 2))
    if type(m).__eq__ is not object.__eq__:
        assert again == m
        assert hash(again) == hash(m)


ON_ANSWERS = pytest.mark.parametrize(
    "m",
    [
        pytest.param(c.mechanism, id=name)
        for name, c in CASES.items()
        if isinstance(c.mechanism, AnswerMechanism)
    ],
)


def tidy(column: str = "answer") -> pd.DataFrame:
    """The votes as a table in another order, with labels that sort like rows and columns."""
    rows, columns = np.nonzero(~np.isnan(VOTES))
    frame = pd.DataFrame(
        {"worker": rows + 500, "task": np.array(["a", "b", "c"])[columns], column: VOTES[rows, columns]}
    )
    return frame.sample(frac=1, random_state=0)


@ON_ANSWERS
def test_reports_have_the_form_of_the_answers(m):
    matrix = m.perturb(VOTES, 8)
    one = m.perturb(VOTES[1], 8)
    assert one.shape == (3,)
    assert equal(one[None], m.perturb(VOTES[[1]], 8))
    assert equal(m.perturb(VOTES.tolist(), 8), matrix)
    filled = sp.csr_array(np.where(np.isnan(VOTES), 0, VOTES + 1))
    filled.data -= 1  # stored entries are the answers, zeros included
    sparse = m.perturb(filled, 8)
    assert sp.issparse(sparse)
    dense = np.full(VOTES.shape, np.nan)
    entries = sparse.tocoo()
    dense[entries.row, entries.col] = entries.data
    if not m.null_is_symbol:  # only the given cells are drawn
        assert (np.isnan(dense) == np.isnan(VOTES)).all()
        assert 0.1 < (dense == VOTES).sum() / (~np.isnan(VOTES)).sum() < 0.9
    else:
        assert equal(dense, matrix)


def lists(m: Any) -> dict[str, Any]:
    """Which workers are asked about which tasks is public if every pair gives a report."""
    return {"workers": range(500, 580), "tasks": ["c", "b", "a"]} if m.null_is_symbol else {}


@ON_ANSWERS
@pytest.mark.parametrize("column", ["answer", "label"])
def test_tables_keep_their_labels(m, column):
    frame = tidy(column)
    found = m.perturb(frame, 8, **lists(m))
    assert list(found.columns) == ["worker", "task", column]
    dense = np.full(VOTES.shape, np.nan)
    dense[found.worker - 500, found.task.map({"a": 0, "b": 1, "c": 2})] = found[column]
    if not m.null_is_symbol:
        assert (np.isnan(dense) == np.isnan(VOTES)).all()
        again = m.perturb(frame.sample(frac=1, random_state=1), 8)
        pd.testing.assert_frame_equal(again.loc[frame.index], found)  # independent of the order of rows
    else:
        assert equal(dense, m.perturb(VOTES, 8))
    if m.null_is_symbol:
        assert list(found.index) == list(product(range(500, 580), "abc"))
        assert frame.assign(private=found[column]).private.isna().all()  # no index aligns by accident
    else:
        assert found[["worker", "task"]].equals(frame[["worker", "task"]])


@ON_ANSWERS
def test_invalid_tables_are_refused_by_name(m):
    good = tidy()
    for bad in (
        good.drop(columns="task"),
        good.drop(columns="answer"),
        pd.concat([good, good]),
        good.assign(answer=99.0),
        good.assign(answer=inf),
        good.assign(answer="x"),
        good.assign(worker=None),
    ):
        with pytest.raises((ValueError, TypeError), match="answers"):
            m.perturb(bad, 0, **lists(m))


@ON_ANSWERS
def test_lists_are_public_if_null_is_symbol(m):
    for missing in [{}, {"workers": range(500, 580)}, {"tasks": "observed"}][: 3 * m.null_is_symbol]:
        name = "tasks" if "workers" in missing else "workers"
        with pytest.raises(ValueError, match=f"^{name} must be a public list where NULL is a symbol"):
            m.perturb(tidy(), 0, **missing)
    for wrong in ({"workers": range(500, 579)}, {"tasks": ["a", "b"]}):
        with pytest.raises(ValueError, match=f"^{next(iter(wrong))} must list"):
            m.perturb(tidy(), 0, **{"workers": "observed", "tasks": "observed", **wrong})
    with pytest.raises(TypeError, match="workers and tasks"):
        m.perturb(VOTES, 0, workers=range(80))


@pytest.mark.parametrize(
    "flip", [OneLayerFlip.with_probability(0.3, ("no", "yes")), TwoLayerFlip(0.0, 0.5, ("no", "yes"))]
)
def test_choices_may_have_labels(flip):
    numbered = dataclasses.replace(flip, choices=2)
    words = np.array(["no", "yes", None], dtype=object)[np.where(np.isnan(VOTES), 2, VOTES).astype(int)]
    expected = numbered.perturb(VOTES, 8)
    found = flip.perturb(words, 8)
    assert np.array_equal(found == "yes", expected == 1)
    assert np.array_equal(found == "no", expected == 0)
    frame = tidy()
    labelled = flip.perturb(frame.assign(answer=frame.answer.map({0.0: "no", 1.0: "yes"})), 8)
    assert labelled.answer.map({"no": 0.0, "yes": 1.0}).equals(numbered.perturb(frame, 8).answer)
    assert labelled.index.equals(frame.index)
    with pytest.raises((ValueError, TypeError), match="answers"):
        flip.perturb([["maybe"]], 0)


# --- For study or for release: docstring, page and `perturb` agree. ---

STATEMENT = re.compile(r"(For study|Fit for release(?:, of at most [^:]+)?): ")
BOX = re.compile(r"^```\{admonition\} (For study|Fit for release)\n(.+?)\n```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"\{py:class\}`~ldpbook\.([\w.]+)\.(\w+)`")
KINDS = sorted({kind_of(case.mechanism) for case in CASES.values()}, key=lambda kind: kind.__name__)
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


def verdict(thing: Any) -> str:
    """The verdict of the two that a docstring states, once, in its notes, with a reason."""
    doc = inspect.getdoc(thing)
    assert len(STATEMENT.findall(doc)) == 1
    first = " ".join(doc.split("Notes\n-----\n")[1].split("\n\n")[0].split())
    before, said, why = STATEMENT.split(first)
    assert before == ""
    assert len(why.split()) >= 12
    assert ("With `rng`" in why) == said.startswith("Fit")
    return said.partition(",")[0]


def boxes(chapter: str) -> Iterator[tuple[str, str, str, dict]]:
    """Title and text of the boxes of a page, the last heading before each, and the next cell."""
    cells = notebook_cells(chapter)
    heading = ""
    for k, cell in enumerate(cells):
        following = next((c for c in cells[k + 1 :] if not BOX.search("".join(c["source"]))), {})
        text = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
        heading = (["", *re.findall(r"^## (.+)$", text, re.MULTILINE)])[-1] or heading
        for title, inside in BOX.findall(text):
            assert text.endswith(f"{inside}\n```")
            yield title, inside, heading, following


@EVERY_KIND
def test_docstring_states_study_or_release(kind):
    assert verdict(kind) in ("For study", "Fit for release")


@EVERY_KIND
def test_page_of_mechanism_agrees_with_docstring(kind):
    page = re.search(r"^Derived in: (\S+)$", inspect.getdoc(kind), re.MULTILINE).group(1)
    home = (kind.__module__.removeprefix("ldpbook."), kind.__name__)
    titles = [title for title, text, *_ in boxes(f"book/{page}") if home in NAMED.findall(text)]
    assert titles == [verdict(kind)]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_boxes_precede_use_and_agree_with_docstrings(chapter):
    for title, text, heading, following in boxes(chapter):
        named = NAMED.findall(text)
        assert named
        for module, name in named:
            assert verdict(getattr(importlib.import_module(f"ldpbook.{module}"), name)) == title
        assert "{doc}`/book/practice/floating-point`" in text
        if title == "Fit for release":
            assert "ithout `rng`" in text
        assert heading == "Use it"
        assert following["cell_type"] == "code"


def test_security_names_mechanisms_fit_for_release():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    said = re.search(r"^These mechanisms are fit for release: (.+?)\. ", text, re.MULTILINE)
    named = set(re.findall(r"`(\w+)`", said.group(1)))
    assert named == {kind.__name__ for kind in KINDS if verdict(kind) == "Fit for release"}


@EVERY
def test_exact_ratio_is_barely_below_stated_epsilon(case):
    mechanism = case.mechanism.mechanism if isinstance(case.mechanism, Asked) else case.mechanism
    if is_exact(mechanism) and not isinstance(mechanism, LatticeLaplace):  # any two places are neighbours
        ratio = (
            mechanism.exact_ratio(sum(COUNTS))
            if isinstance(mechanism, GeometricCounts)
            else mechanism.exact_ratio
        )
        assert isinstance(ratio, Fraction)
        assert np.log(float(ratio)) == pytest.approx(mechanism.exact_epsilon, rel=1e-9)


@pytest.mark.parametrize(("other", "said"), [(PermanentAnswers, "Fit for release"), (respond, "For study")])
def test_other_report_functions_state_study_or_release(other, said):
    assert verdict(other) == said


FLIPS = pytest.mark.parametrize(("flip", "chances"), [(OneLayerFlip, (1.0,)), (TwoLayerFlip, (0.1, 0.5))])


@FLIPS
@pytest.mark.parametrize("null_is_symbol", [False, True])
@pytest.mark.parametrize("labels", [["x", "y", "z"], (5, 3, 4), [(0, 1), (1, 0), (1, 1)]])
def test_labels_are_flipped_as_their_numbers_are(flip, chances, labels, null_is_symbol):
    codes = np.array([[0, 1, 2, np.nan], [2, 2, np.nan, 0]] * 40)
    of_code, cells = dict(enumerate(labels)), np.full(codes.shape, None)
    for cell in zip(*np.nonzero(~np.isnan(codes)), strict=True):
        cells[cell] = of_code[codes[cell]]
    out = flip(*chances, labels, null_is_symbol).perturb(cells, 4)
    expected = flip(*chances, 3, null_is_symbol).perturb(codes, 4)
    assert (expected[~np.isnan(codes)] != codes[~np.isnan(codes)]).any()
    assert out.ravel().tolist() == [of_code.get(code) for code in expected.ravel()]


@FLIPS
def test_flips_are_comparable_for_any_label_container(flip, chances):
    forms = [flip(*chances, labels) for labels in (["x", "y"], ("x", "y"), np.array(["x", "y"]))]
    assert len(set(forms)) == 1
    assert forms[0] != flip(*chances, ["y", "x"])
    with pytest.raises(TypeError, match=r"^null_is_symbol must be a bool"):
        flip(*chances, 2, "yes")
