"""A gallery of broken mechanisms, each with a plausible bug, and the audits that should catch them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import exp, inf, log
from typing import Any

import numpy as np
from scipy.stats import binom, chi2

from ldpbook._arrays import Array, Rng, generator
from ldpbook._validate import count, flag, one_of
from ldpbook.foundations import audit_epsilon
from ldpbook.foundations.local_privacy import NODES, WEIGHTS
from ldpbook.practice.audit import guess_audit
from ldpbook.sparse_answers import LaplacePerturbation, RandomizedResponse, TwoLayerResponse

__all__ = [
    "BrokenMechanism",
    "broken_mechanisms",
    "is_caught",
]

Draw = Callable[[Array, np.random.Generator], Array]


@dataclass(frozen=True, eq=False)
class BrokenMechanism:
    """A bug, with the declared and the true epsilon for one pair of neighbouring rows.

    Attributes
    ----------
    bug : str
        The bug, in a sentence.
    declared : float
        The epsilon that is declared for the pair.
    true_epsilon : float
        The exact epsilon of the broken mechanism for the pair; inf where an output rules out one of the rows.
    pair : ndarray, shape (2, n)
        Two neighbouring rows of a worker, answers 0..4 and nan = NULL.
    draw, sound : callable
        The broken mechanism and one without the bug; both take rows, shape (k, n), and a Generator, and
        return reports.
    design : ndarray, one axis for each column of the reports
        Designed probabilities of the first row's reports, NULL last.
    edges : ndarray or None
        Bin edges of the design, where reports are real numbers.

    Notes
    -----
    Derived in: practice/audit
    """

    bug: str
    declared: float
    true_epsilon: float
    pair: Array
    draw: Draw
    sound: Draw
    design: Array
    edges: Array | None


_DOMAIN, _GRID, _SCALE = range(5), 2.0**-10, 5.0
_LIMIT = 21.25  # on the grid: three standard deviations of the noise and a little more
_RR, _LP = RandomizedResponse(1.0, _DOMAIN), LaplacePerturbation(1.0, _DOMAIN)
_LAYERS = TwoLayerResponse(0.1, 3.9, _DOMAIN)
_KEEP = exp(1) / (5 + exp(1))  # kept by randomized response with epsilon 1 on five answers and NULL


def _kept(probability: float, *, own: bool = False) -> Draw:
    """A mechanism that keeps a cell with that probability, and otherwise draws one of the five others.

    With `own` it draws one of all six.
    """

    def draw(rows: Array, rng: np.random.Generator) -> Array:
        codes = np.where(np.isnan(rows), 5, rows)
        steps = rng.integers(0 if own else 1, 6, rows.shape)
        moved = np.where(rng.random(rows.shape) < probability, codes, (codes + steps) % 6)
        return np.where(moved == 5, np.nan, moved)

    return draw


def _noise(rng: np.random.Generator, shape: tuple[int, ...], scale: float = _SCALE) -> Array:
    """Laplace noise in steps of 2^-10, so that sums with whole answers are exact and digits leak nothing."""
    chance = -np.expm1(-_GRID / scale)
    steps: Array = (rng.geometric(chance, shape) - rng.geometric(chance, shape)).astype(float)
    return _GRID * steps


def _filled(rows: Array, rng: np.random.Generator) -> Array:
    return np.where(np.isnan(rows), rng.integers(0, 5, rows.shape), np.clip(rows, 0, 4))


def _grid_laplace(rows: Array, rng: np.random.Generator) -> Array:
    return _noisy(_filled(rows, rng), rng)


def _noisy(rows: Array, rng: np.random.Generator, scale: float = _SCALE) -> Array:
    return rows + _noise(rng, rows.shape, scale)


def _one_draw(rows: Array, rng: np.random.Generator) -> Array:
    forgotten = rng.random((len(rows), 1)) < 6 / (5 + exp(1))
    drawn = rng.integers(0, 6, (len(rows), 1)).astype(float)
    drawn[drawn == 5] = np.nan
    return np.where(forgotten, drawn, rows)


def _null_stays(rows: Array, rng: np.random.Generator) -> Array:
    return np.where(np.isnan(rows), np.nan, _RR.perturb(rows, rng))


def _sent(rows: Array, rng: np.random.Generator, *, tagged: bool) -> Array:
    """The number of the task whose report was sent first, followed by the reports in the order of tasks."""
    return np.column_stack([tagged & (rows[:, 0] > rows[:, 1]), _RR.perturb(rows, rng)])


def _seeded_by_worker(rows: Array, rng: np.random.Generator) -> Array:
    return rows + _noise(np.random.default_rng(0), (len(rows), 1))


def _seeded_by_zero(rows: Array, rng: np.random.Generator) -> Array:
    return rows + _noise(np.random.default_rng(0), (1, rows.shape[1]))


def _of_256_seeds(rows: Array, rng: np.random.Generator) -> Array:
    table = _noise(np.random.default_rng(0), (256, rows.shape[1]))
    return rows + table[rng.integers(0, 256, len(rows))]


def _redrawn_until_small(rows: Array, rng: np.random.Generator) -> Array:
    noise = _noise(rng, rows.shape)
    while (large := np.abs(noise) > 2 * _SCALE).any():
        noise[large] = _noise(rng, (int(large.sum()),))
    return rows + noise


def _clipped(rows: Array, rng: np.random.Generator) -> Array:
    return rows + np.clip(_noise(rng, rows.shape), -_LIMIT, _LIMIT)


def _rounded_answers(rows: Array, rng: np.random.Generator) -> Array:
    reports = _grid_laplace(rows, rng)
    return np.where(np.isnan(rows), reports, np.rint(reports))


def _centred(rows: Array, rng: np.random.Generator) -> Array:
    return _noisy(rows - rows.mean(axis=1, keepdims=True), rng)


def _design(*cells: Array) -> Array:
    law = np.ones(())
    for cell in cells:
        law = np.multiply.outer(law, cell)
    return law


def broken_mechanisms() -> dict[str, BrokenMechanism]:
    """The gallery: bugs in randomized response and in Laplace noise on answers 0..4, by name.

    Returns
    -------
    dict of str to BrokenMechanism
        By a short name. Two of them break no promise: an audit of privacy must not raise an alarm, but a
        comparison with the design may.

    Notes
    -----
    Derived in: practice/audit

    Examples
    --------
    >>> bugs = broken_mechanisms()
    >>> len(bugs), bugs["half the noise"].true_epsilon
    (22, 1.6)
    """
    zero, far, null = [0.0, 0.0], [4.0, 0.0], [np.nan, 0.0]
    half = RandomizedResponse(0.5, _DOMAIN)
    e, law = exp(1), _RR.transition_matrix
    steps = round(_SCALE * log(1.5) / _GRID)
    tail = exp(-_GRID * steps / _SCALE) / (1 + exp(-_GRID / _SCALE))
    thirds = np.array([tail, 1 - 2 * tail, tail])
    edges = (steps - 0.5) * _GRID * np.array([-1, 1])
    keep = np.exp(0.1 + 3.8 * NODES) / (5 + np.exp(0.1 + 3.8 * NODES))
    layers = sum(
        w * _design(*2 * [np.array([k] + [(1 - k) / 5] * 5)]) for k, w in zip(keep, WEIGHTS, strict=True)
    )

    def rr(bug: str, true: float, draw: Draw, first: Any = zero, second: Any = far, **other: Any) -> Any:
        given: dict[str, Any] = {"declared": 1.0, "sound": _RR.perturb, "edges": None}
        given["design"] = _design(*law[[5 if np.isnan(x) else int(x) for x in first]])
        pair = np.array([first, second])
        return BrokenMechanism(bug=bug, true_epsilon=true, pair=pair, draw=draw, **(given | other))

    def lp(bug: str, true: float, draw: Draw, second: Any = far) -> BrokenMechanism:
        pair, design = np.array([0.0 * np.nan_to_num(second), second]), _design(*[thirds] * len(second))
        return BrokenMechanism(bug, 0.8, true, pair, draw, _grid_laplace, design, edges)

    # fmt: off
    return {
        "keep and replace swapped": rr(
            "Cells are replaced where they should be kept.", log(25 / e), _kept(1 - _KEEP)),
        "sign of the exponent": rr(
            "The symbol is kept with the chance of epsilon = -1.", 1.0, _kept(exp(-1) / (5 + exp(-1)))),
        "own symbol among the others": rr(
            "What is not kept becomes any symbol, the own one too.", log(1 + 6 * e / 5),
            _kept(_KEEP, own=True)),
        "own symbol left out twice": rr(
            "Forgotten as if for all symbols, replaced by others only.", log(5 / 6 * (e - 1)),
            _kept((e - 1) / (5 + e))),
        "NULL not counted": rr(
            "The chance to keep is that for five symbols, of six.", 1 + log(5 / 4), _kept(e / (4 + e))),
        "NULL stays NULL": rr("Only answers are perturbed.", inf, _null_stays, null, zero),
        "one draw for the row": rr("What to forget, and for what, is drawn once a worker.", inf, _one_draw),
        "budget for each cell": rr(
            "The budget is the row's, and each cell gets all of it.", 2.0, _RR.perturb, zero, [4.0, 4.0],
            sound=half.perturb, design=_design(*half.transition_matrix[[0, 0]])),
        "answer not remembered": rr(
            "The same answer is perturbed again in a second week.", 2.0, _RR.perturb, zero, [4.0, 4.0],
            sound=lambda rows, rng: np.tile(_RR.perturb(rows[:, :1], rng), 2), design=np.diag(law[0])),
        "mean of two budgets": rr(
            "A budget from 0.1 to 3.9 is drawn for a worker, the mean declared.", _LAYERS.epsilon_of(2),
            _LAYERS.perturb, sound=RandomizedResponse(2.0, _DOMAIN).perturb, declared=2.0, design=layers),
        "sent in order of answers": rr(
            "Right reports leave the device sorted by the answers.", inf, partial(_sent, tagged=True), far,
            zero, sound=partial(_sent, tagged=False), design=_design(np.array([1.0, 0.0]), *law[[4, 0]])),
        "half the noise": lp("The scale is divided by two.", 1.6, partial(_noisy, scale=2.5)),
        "range forgotten": lp("The scale leaves the range out.", 4.0, partial(_noisy, scale=1.0)),
        "clip forgotten": lp("An answer of 40 is not brought into 0..4.", 8.0, _noisy, [40.0, 0.0]),
        "seed of the worker": lp("Each week is seeded with the worker's number.", inf, _seeded_by_worker),
        "same seed on each call": lp("Every call is seeded with 0.", inf, _seeded_by_zero),
        "one of 256 seeds": lp("The seed is one byte of entropy.", inf, _of_256_seeds),
        "redrawn until small": lp("Noise beyond two scales is drawn again.", inf, _redrawn_until_small),
        "clipped noise": lp("Noise is cut off at three of its standard deviations.", inf, _clipped),
        "centred by its own mean": lp(
            "The mean of the worker's true answers is subtracted.", 1.2, _centred, [4.0, 0.0, 0.0, 0.0]),
        "only answers are rounded": lp(
            "Reports on answers are rounded, on NULL they are not.", inf, _rounded_answers, null),
        "noise in doubles": lp("Right in real numbers, drawn in floats.", inf, _LP.perturb),
    }
    # fmt: on


# --- The audits: each takes a bug (its pair, declaration and design), a mechanism and a number of calls. ---


def _law(bug: BrokenMechanism, draw: Draw, n: int, rng: np.random.Generator) -> bool:
    """Chi-squared test of all columns together against the design; rare outputs are merged into one cell."""
    expected = n * bug.design.ravel()
    found = np.bincount(_designed(bug, draw(np.tile(bug.pair[0], (n, 1)), rng)), minlength=expected.size)
    if found[expected == 0].any():
        return True
    rare = expected < 5
    expected, found = (np.append(x[~rare], x[rare].sum()) for x in (expected, found))
    kept = expected > 0
    statistic = ((found - expected)[kept] ** 2 / expected[kept]).sum()
    return bool(chi2.sf(statistic, max(int(kept.sum()) - 1, 1)) < 0.05)


def _designed(bug: BrokenMechanism, reports: Array) -> Any:
    """Indices of the design's cells that contain the reports."""
    if bug.edges is not None:
        codes = np.searchsorted(bug.edges, reports)
    else:
        codes = np.where(np.isnan(reports), np.array(bug.design.shape) - 1, reports).astype(int)
    return np.ravel_multi_index(tuple(codes.T), bug.design.shape)


def _again(bug: BrokenMechanism, draw: Draw, n: int, rng: np.random.Generator) -> bool:
    """Two calls on the same row: are the reports equal more often than in the design?"""
    rows = np.tile(bug.pair[0], (n // 2, 1))
    first, second = (_designed(bug, draw(rows, rng)) for _ in range(2))
    return bool(binom.sf((first == second).sum() - 1, len(rows), (bug.design**2).sum()) < 0.05)


def _coined(bug: BrokenMechanism, draw: Draw, n: int, rng: np.random.Generator) -> tuple[Any, Array]:
    coin = rng.integers(0, 2, n)
    return coin, draw(bug.pair[coin], rng)


def _event(bug: BrokenMechanism, draw: Draw, n: int, rng: np.random.Generator) -> bool:
    """Audit by the best event of the first column."""
    coin, reports = _coined(bug, draw, n, rng)
    edges = None if bug.edges is None else np.arange(-10, 14, 2) + _GRID / 2
    first, second = reports[coin == 0, 0], reports[coin == 1, 0]
    return bool(audit_epsilon(first, second, edges=edges).epsilon > bug.declared)


def _guesses(n_columns: int | None, bins: int | None) -> Callable[..., bool]:
    """Audit by guesses from the first columns, or all; real numbers are binned, or used as they are."""

    def audit(bug: BrokenMechanism, draw: Draw, n: int, rng: np.random.Generator) -> bool:
        coin, reports = _coined(bug, draw, n, rng)
        parts = None if bug.edges is None else bins
        return guess_audit(coin, reports[:, :n_columns], bins=parts).epsilon > bug.declared

    return audit


def _digits(bug: BrokenMechanism, draw: Draw, n: int, rng: np.random.Generator) -> bool:
    """Audit by guesses from the size of the first column and from its last binary digit."""
    coin, reports = _coined(bug, draw, n, rng)
    mantissa, exponent = np.frexp(np.nan_to_num(reports[:, 0]))
    whole = (mantissa * 2.0**53).astype(np.int64)
    last = np.frexp((whole & -whole).astype(float))[1]
    return guess_audit(coin, np.column_stack([exponent, last])).epsilon > bug.declared


AUDITS: dict[str, Callable[..., bool]] = {
    "law": _law,
    "again": _again,
    "event": _event,
    "cell": _guesses(1, 16),
    "row": _guesses(None, 4),
    "value": _guesses(1, None),
    "values": _guesses(None, None),
    "digits": _digits,
}


def is_caught(
    bug: BrokenMechanism, audit: str, n_calls: int, rng: Rng = None, *, sound: bool = False
) -> bool:
    """Whether an audit at 95 % confidence with that many calls raises an alarm.

    Parameters
    ----------
    bug : BrokenMechanism
        One of the gallery.
    audit : str
        ``law`` (chi-squared against the design), ``again`` (two calls on one row), ``event`` (the best event
        of the first column), ``cell`` and ``row`` (guesses by the first column or by all), ``value`` and
        ``values`` (the same, not binned), ``digits`` (by the last binary digit). The first two raise an alarm
        if the reports do not follow the design, the others if their lower bound exceeds the declared epsilon.
    n_calls : int
        Total number of calls, >= 20; in the last six audits a coin chooses the input of each call.
    sound : bool
        Audit the sound counterpart instead, so that an alarm is a false alarm. (But the counterpart of "mean
        of two budgets" has another design, and rightly fails the first two audits.)
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.

    Returns
    -------
    bool
        True for an alarm.

    Notes
    -----
    Derived in: practice/audit

    Examples
    --------
    >>> bug = broken_mechanisms()["one draw for the row"]
    >>> is_caught(bug, "cell", 10_000, rng=0), is_caught(bug, "row", 10_000, rng=0)
    (False, True)
    """
    if not isinstance(bug, BrokenMechanism):
        raise TypeError(f"bug must be a BrokenMechanism, got {bug!r:.80}")
    if count("n_calls", n_calls) < 20:
        raise ValueError(f"n_calls must be at least 20, got {n_calls!r:.80}")
    run = AUDITS[one_of("audit", audit, AUDITS)]
    return run(bug, bug.sound if flag("sound", sound) else bug.draw, n_calls, generator(rng))
