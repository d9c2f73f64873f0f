"""Epsilon of each mechanism of the book: for a cell, for a worker, and for both behind a shuffler."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import singledispatch
from itertools import product
from math import ceil, exp, expm1, inf, log, log1p, sinh, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from scipy.stats import binom

from ldpbook._arrays import Array
from ldpbook._validate import count, flag, open_probability
from ldpbook.categorical_answers import OneLayerFlip, TwoLayerFlip
from ldpbook.class_ratios import GaussianCounts, GeometricCounts, LaplaceCounts, ScaledDirichlet
from ldpbook.class_ratios.bounds import laplace_counts_delta
from ldpbook.foundations import gaussian_epsilon
from ldpbook.localization import LatticeLaplace, ParticlePerturbation, PlanarLaplace
from ldpbook.mechanism import Mechanism, check_mechanisms
from ldpbook.remedies import ChannelResponse, ThresholdResponse
from ldpbook.sparse_answers import (
    LaplacePerturbation,
    MatrixFactorization,
    RandomizedResponse,
    TwoLayerResponse,
)
from ldpbook.whole_worker.bounds import row_epsilon
from ldpbook.whole_worker.sampling_questions import AskedQuestions, MixedSigns, OwnAnswer
from ldpbook.whole_worker.shuffling import shuffle_epsilon

__all__ = [
    "Accounts",
    "Bracket",
    "accounts",
    "accounts_table",
]

_MOST_DIRECTIONS = 12  # of task profiles, up to which all sign patterns are tried: 2^11
_MOST_COUNTED = 10**10  # reports, up to which their possible counts are evaluated one by one


@dataclass(frozen=True)
class Bracket:
    """An epsilon that is known exactly, or lies between two numbers.

    Attributes
    ----------
    lower : float
        A loss that occurs, so no smaller epsilon holds at the same delta; 0 where none was derived.
    upper : float
        An epsilon that is proved to hold; infinite if there is none.

    Notes
    -----
    Derived in: whole-worker/worker-epsilon

    Examples
    --------
    >>> Bracket(0.5, 0.5), Bracket(0.0, 2.25), Bracket(0.99999, 1.0)
    (0.5, 0..2.25, 0.99999..1)
    """

    lower: float
    upper: float

    @property
    def exact(self) -> bool:
        """Whether both ends agree up to rounding."""
        return self.lower == self.upper or self.upper - self.lower <= 1e-9 * self.upper < inf

    def __repr__(self) -> str:
        if self.exact:
            return f"{self.upper:.4g}"
        ends = ((f"{self.lower:.{digits}g}", f"{self.upper:.{digits}g}") for digits in range(4, 18))
        return "..".join(next(pair for pair in ends if pair[0] != pair[1]))


@dataclass(frozen=True)
class Accounts:
    """Epsilons of one mechanism; see :func:`accounts`.

    Behind a shuffler, each epsilon is at the given delta. Without one, it is pure, at delta 0, for mechanisms
    that have a pure epsilon, and at the given delta where the noise needs one.

    Attributes
    ----------
    unit : str
        Unit that `cell` protects: a cell, or what the mechanism has instead.
    cell : Bracket
        Epsilon if one unit changes.
    worker : Bracket
        Epsilon if everything that one worker sends changes.
    shuffled : Bracket or None
        Epsilon if one cell changes and the reports on each question come from a shuffler, without their
        senders, so that no two reports of a worker can be linked. None where there are no cells.
    shuffled_rows : Bracket or None
        Epsilon if a worker changes and whole rows come from the shuffler. None where there are no cells.

    Notes
    -----
    Derived in: whole-worker/worker-epsilon
    """

    unit: str
    cell: Bracket
    worker: Bracket
    shuffled: Bracket | None = None
    shuffled_rows: Bracket | None = None


class _Crowd(NamedTuple):
    n_answers: int
    n_tasks: int
    n_users: int
    delta: float
    pattern_public: bool

    @property
    def n_changed(self) -> int:
        """Largest number of cells in which two rows may differ."""
        return self.n_answers if self.pattern_public else min(2 * self.n_answers, self.n_tasks)


def accounts(
    mechanism: Mechanism | ThresholdResponse,
    *,
    n_answers: int,
    n_tasks: int,
    n_users: int,
    delta: float,
    pattern_public: bool = False,
) -> Accounts:
    """Epsilons of a mechanism of the book for a cell, for a worker, and for either of them behind a shuffler.

    For the worker, any two rows with at most `n_answers` answers each, to any tasks, are neighbours; if
    `pattern_public`, only rows with answers to the same tasks. So unless `pattern_public`, a cell may change
    to NULL or from it, and a mechanism that leaves NULL visible has no finite epsilon.

    For noise on places and particles, the unit is a place or particle that moves by 1 unit of distance, and a
    worker sends `n_answers` of them. For noise on counts, the unit is a label in noisy counts that a trusted
    holder publishes, and a worker has `n_answers` of them. The release that is computed from the counts may
    reveal less.

    Parameters
    ----------
    mechanism : Mechanism
        Any mechanism of the package. Two or more answers must be possible, with thresholds between them.
    n_answers : int
        Largest number of answers (reports, labels) of one worker, >= 1.
    n_tasks : int
        Number of tasks, at least `n_answers`.
    n_users : int
        Number of reports that a shuffler mixes, >= 1: those on the same question, which for a threshold
        response is a task and a threshold. If NULL is reported, every worker with this question sends one;
        otherwise only those who answered do.
    delta : float
        Delta, in (0, 1), of shuffling and of noise that needs one. Without a shuffler, a mechanism with a
        pure epsilon has delta 0.
    pattern_public : bool
        Whether it is public which tasks a worker answers.

    Returns
    -------
    Accounts
        Brackets that are exact where their ends agree. Several shuffled cells of a worker, perturbed
        independently, compose, but at a delta larger than `delta`. Shuffling gains nothing, or no gain is
        claimed, for rows whose pattern is visible, and for cells with s >= 3 symbols that share flip
        probabilities some of which are above 1 - 1/s.

    Notes
    -----
    Derived in: whole-worker/worker-epsilon

    Examples
    --------
    >>> crowd = {"n_answers": 20, "n_tasks": 100, "n_users": 1000, "delta": 1e-6}
    >>> accounts(RandomizedResponse(1.0, range(5)), **crowd).worker
    40
    >>> accounts(LaplacePerturbation(1.0, range(5)), **crowd).worker
    16
    """
    crowd = _Crowd(
        count("n_answers", n_answers),
        count("n_tasks", n_tasks),
        count("n_users", n_users),
        open_probability("delta", delta),
        flag("pattern_public", pattern_public),
    )
    if n_answers > n_tasks:
        raise ValueError(f"n_answers must not exceed n_tasks = {n_tasks}, got {n_answers}")
    found = _account(mechanism, crowd)
    if not pattern_public or found.shuffled_rows is None:
        return found
    hidden = _account(mechanism, crowd._replace(pattern_public=False))  # holds for more neighbours
    return replace(
        found,
        shuffled=_no_more(found.shuffled, hidden.shuffled),
        shuffled_rows=_no_more(found.shuffled_rows, hidden.shuffled_rows),
    )


def accounts_table(
    mechanisms: Mapping[str, Mechanism | ThresholdResponse],
    *,
    n_answers: int,
    n_tasks: int,
    n_users: int,
    delta: float,
    pattern_public: bool = False,
) -> pd.DataFrame:
    """The accounts of several mechanisms, one row each.

    Parameters
    ----------
    mechanisms : mapping to mechanism
        The mechanisms to compare, by name.
    n_answers, n_tasks, n_users, delta, pattern_public
        As in :func:`accounts`.

    Returns
    -------
    DataFrame
        Columns as in :class:`Accounts`; "-" where there is nothing to shuffle.

    Notes
    -----
    Derived in: whole-worker/worker-epsilon
    """
    # It is made a dict, because a sparse array of scipy is a mapping too, and has no truth value.
    check_mechanisms(dict(mechanisms) if isinstance(mechanisms, Mapping) else mechanisms)
    crowd = {"n_answers": n_answers, "n_tasks": n_tasks, "n_users": n_users, "delta": delta}
    rows = {
        name: vars(accounts(m, **crowd, pattern_public=pattern_public))  # type: ignore[arg-type]
        for name, m in mechanisms.items()
    }
    return pd.DataFrame.from_dict(rows, "index").map(lambda entry: "-" if entry is None else entry)


@singledispatch
def _account(mechanism: object, crowd: _Crowd) -> Accounts:
    raise TypeError(f"mechanism must be one of the package's, got {mechanism!r:.80}")


def _exactly(epsilon: float) -> Bracket:
    return Bracket(float(epsilon), float(epsilon))


_UNPROTECTED = _exactly(inf)


_SHOWN = Accounts("cell", *[_UNPROTECTED] * 4)  # NULL is visible, and perhaps no one else has NULL there


def _no_more(one: Bracket | None, other: Bracket | None) -> Bracket | None:
    if one is None or other is None or one.upper <= other.upper:
        return one
    return Bracket(min(one.lower, other.upper), other.upper)


def _cells(
    cell: Bracket, worker: Bracket, crowd: _Crowd, *, n_symbols: int | None = None, mixed: bool = True
) -> Accounts:
    """Accounts of a mechanism on cells; if `mixed`, others' reports on a task can pass for hers."""
    rows = Bracket(0.0, worker.upper if crowd.pattern_public else _shuffled(worker.upper, crowd))
    if mixed:
        least = 0.0 if n_symbols is None else _counted_loss(cell.upper, crowd, n_symbols)
        unlinked = _shuffled(cell.upper, crowd, n_symbols)
        shuffled = Bracket(min(least, unlinked), unlinked)
    else:
        shuffled = Bracket(0.0, min(cell.upper, rows.upper))
    return Accounts("cell", cell, worker, shuffled, rows)


def _shuffled(local: float, crowd: _Crowd, n_symbols: int | None = None) -> float:
    rest = {"n_users": crowd.n_users, "delta": crowd.delta, "n_symbols": n_symbols}
    return min(local, shuffle_epsilon(local_epsilon=local, **rest))  # type: ignore[arg-type]


def _counted_loss(epsilon: float, crowd: _Crowd, n_symbols: int) -> float:
    """Loss that occurs behind the shuffler, as the number of reports of one symbol reveals it.

    The worker who changes has that symbol or a second one. All others have neither, if there is a third.
    """
    if not 0 < epsilon < inf:
        return epsilon
    if crowd.n_users > _MOST_COUNTED:
        return 0.0
    kept = 1 / (1 + (n_symbols - 1) * exp(-epsilon))
    other = kept * exp(-epsilon)
    others = crowd.n_users - 1
    reach = 12 * sqrt(others * other) + 60
    found = np.arange(max(0, int(others * other - reach)), min(others, int(others * other + reach)) + 2)
    same, one_less = binom.pmf(found, others, other), binom.pmf(found - 1, others, other)
    first, second = (p * one_less + (1 - p) * same for p in (kept, other))

    def delta(at: float) -> float:
        pairs = (first, second), (second, first)
        return max(float(np.maximum(a - exp(at) * b, 0).sum()) for a, b in pairs)

    return _first_below(delta, crowd.delta, min(epsilon, 700.0))[0]  # exp overflows above 700


def _first_below(delta: Callable[[float], float], wanted: float, high: float) -> tuple[float, float]:
    """Ends of the short interval in [0, high] in which a decreasing delta falls to the wanted one."""
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if delta(middle) > wanted else (low, middle)
    return low, high


def _row(crowd: _Crowd, c: float, a: float, b: float) -> float:
    if crowd.pattern_public:
        return crowd.n_answers * c
    rows = {"n_answers": crowd.n_answers, "n_tasks": crowd.n_tasks}
    return row_epsilon(**rows, epsilon=c, epsilon_to_null=a, epsilon_from_null=b)


def _against_fill(m: LaplacePerturbation) -> tuple[float, float]:
    """Largest loss of an answer within the domain's ends against NULL, and of NULL against an answer."""
    law, far = m.fill_law, np.arange(len(m.domain)) / m.scale
    with np.errstate(divide="ignore"):
        shares = np.log(law)
    # The density of an answer is largest at the answer. At distance v to the right of value k, the density of
    # NULL is exp(below - v) + exp(above + v) times that, for v from 0 to the next value; the minimum decides.
    below = (np.logaddexp.accumulate(shares + far) - far)[:-1]
    above = (np.logaddexp.accumulate((shares - far)[::-1])[::-1][1:]) + far[:-1]
    v = np.clip((below - above) / 2, 0, 1 / m.scale)
    least = np.logaddexp(below - v, above + v).min(initial=0.0)
    # At a tiny epsilon the first-order term is more accurate, and by Jensen's inequality not too small.
    to_null = min(-least, max(law @ far, law @ far[::-1]))
    # The loss of NULL against one end of the domain is largest beyond the other end.
    return to_null, m.exact_epsilon + max(_log_mean_decay(law, far), _log_mean_decay(law, far[::-1]))


def _log_mean_decay(law: Array, far: Array) -> float:
    """Logarithm of the mean of exp(-far), in the one of two forms that loses fewer digits to rounding."""
    change = float(law @ np.expm1(-far))
    return log1p(change) if change > -0.5 else float(logsumexp(-far, b=law))


@_account.register
def _(m: LaplacePerturbation, crowd: _Crowd) -> Accounts:
    value, (to_null, from_null) = m.exact_epsilon, _against_fill(m)
    return _cells(_exactly(value), _exactly(_row(crowd, value, to_null, from_null)), crowd)


@_account.register
def _(m: RandomizedResponse | ThresholdResponse, crowd: _Crowd) -> Accounts:
    worker = _exactly(crowd.n_changed * m.epsilon)
    return _cells(_exactly(m.epsilon), worker, crowd, n_symbols=len(m.transition_matrix))


@_account.register
def _(m: TwoLayerResponse, crowd: _Crowd) -> Accounts:
    n = crowd.n_tasks
    return _cells(_exactly(m.epsilon_of(n)), _exactly(m.worker_epsilon_of(n, crowd.n_changed)), crowd)


@_account.register
def _(m: OneLayerFlip, crowd: _Crowd) -> Accounts:
    if not (m.null_is_symbol or crowd.pattern_public):
        return _SHOWN
    symbols = m.n_symbols if m.flip_probability <= 1 - 1 / m.n_symbols else None
    worker = _exactly(crowd.n_changed * m.exact_epsilon)
    return _cells(_exactly(m.exact_epsilon), worker, crowd, n_symbols=symbols)


@_account.register
def _(m: TwoLayerFlip, crowd: _Crowd) -> Accounts:
    if not (m.null_is_symbol or crowd.pattern_public):
        return _SHOWN
    sharing, symbols = (
        (crowd.n_tasks, m.n_choices + 1) if m.null_is_symbol else (crowd.n_answers, m.n_choices)
    )
    worker = _exactly(m.worker_epsilon_of(sharing, crowd.n_changed))
    mixed = symbols == 2 or m.high <= 1 - 1 / symbols  # otherwise others may hardly ever send her symbol
    return _cells(_exactly(m.epsilon_of(sharing)), worker, crowd, mixed=mixed)


@_account.register
def _(m: ChannelResponse, crowd: _Crowd) -> Accounts:
    drawn = m._drawn().reshape(-1, *np.shape(m.transition_matrix)[-2:])
    if len(drawn) not in (1, crowd.n_tasks):
        raise ValueError(f"n_tasks must be {len(drawn)}, as many as there are channels, got {crowd.n_tasks}")
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.where(drawn.any(axis=1, keepdims=True), drawn, 1.0))  # skip impossible outputs
        given, null = logs[:, :-1], logs[:, -1:]
        losses = given.max(axis=1, keepdims=True) - given, given - null, null - given
    c, a, b = (np.nan_to_num(x, nan=0.0, posinf=inf).max(axis=(1, 2)) for x in losses)
    dearest = np.sort(np.broadcast_to(c, crowd.n_tasks))[-crowd.n_answers :]
    least = float(dearest.sum())  # for answers to the same tasks
    most = least if crowd.pattern_public else _row(crowd, *(float(max(x.max(), 0)) for x in (c, a, b)))
    worker = Bracket(most if len(drawn) == 1 else min(least, most), most)
    if crowd.pattern_public:  # others may all have NULL, which need not pass for her answer
        return _cells(_exactly(c.max()), worker, crowd, mixed=False)
    return _cells(_exactly(m.exact_epsilon), worker, crowd)


@_account.register
def _(m: MatrixFactorization, crowd: _Crowd) -> Accounts:
    if m.profile.shape[1] != crowd.n_tasks:
        raise ValueError(f"n_tasks must be {m.profile.shape[1]}, as in the profile, got {crowd.n_tasks}")
    if crowd.pattern_public:
        return _cells(_exactly(m.exact_epsilon), _fitted_row(m, crowd.n_answers), crowd, mixed=False)
    rank, n_answers = len(m.profile), crowd.n_answers
    # Whether fits to two different sets of tasks can differ, which reveals NULL. Without a ridge, the smaller
    # set needs as many tasks as the profile has rows.
    least = 0 if m.ridge > 0 else rank
    differ = n_answers > least < np.count_nonzero(m.profile.any(axis=0))
    differ = differ and (m.ridge > 0 or np.linalg.matrix_rank(m.profile) == rank)
    nothing = _UNPROTECTED if differ else Bracket(0.0, inf)
    return _cells(nothing, nothing, crowd, mixed=False)


def _fitted_row(m: MatrixFactorization, n_answers: int) -> Bracket:
    """Loss of a row: the largest 1-norm by which the fitted profile can shift, over signs of its entries."""
    v, reach = m.profile, (len(m.domain) - 1) / m.scale
    rank = len(v)
    every = product((1.0, -1.0), repeat=rank - 1) if rank <= _MOST_DIRECTIONS else None
    signs = np.where(v < 0, -1.0, 1.0).T if every is None else np.array([(1.0, *rest) for rest in every])
    shifts = np.abs(signs @ v)
    tasks = np.argsort(-shifts, axis=1, kind="stable")[:, :n_answers]
    totals = np.take_along_axis(shifts, tasks, axis=1).sum(axis=1)
    most = float(totals.max() if every is not None else np.sort(np.abs(v).sum(axis=0))[-n_answers:].sum())
    fitted = (  # without a ridge, the answered tasks have to determine a profile
        float(totals[i])
        for i in np.argsort(-totals)
        if m.ridge > 0 or np.linalg.matrix_rank(v[:, tasks[i]]) == rank
    )
    return Bracket(reach * next(fitted, 0.0), reach * most)


@_account.register
def _(m: AskedQuestions, crowd: _Crowd) -> Accounts:
    part = m.epsilon / m.n_questions
    return _cells(_exactly(part), _exactly(min(m.n_questions, crowd.n_changed) * part), crowd, n_symbols=3)


@_account.register
def _(m: MixedSigns, crowd: _Crowd) -> Accounts:
    """A group's loss is its part if its side flips, and half on average if only one row answers there."""
    part = m.epsilon / m.n_groups
    return _cells(_exactly(part), _exactly(min(m.n_groups, crowd.n_answers) * part), crowd, mixed=False)


@_account.register
def _(m: OwnAnswer, crowd: _Crowd) -> Accounts:
    """A report's probability is a mean over slots, here relative to its probability given an empty slot.

    A slot whose bit is not set in the report counts `is_not`; one whose bit is set counts sinh(epsilon) more.
    So the ratio of the probabilities is 1 + sinh(epsilon) times the number of changed slots over `slots`.
    """
    is_not = (1 + exp(-m.epsilon)) / 2
    filled = min(crowd.n_answers, m.padding)
    slots = m.padding - filled + filled * is_not
    cell, worker = (_log_grown(m.epsilon, changed / slots) for changed in (1, filled))
    return _cells(_exactly(cell), _exactly(worker), crowd, mixed=False)


def _log_grown(epsilon: float, share: float) -> float:
    """ln(1 + share sinh(epsilon)), also where sinh overflows."""
    return log1p(share * sinh(epsilon)) if epsilon < 700 else epsilon + log(share / 2)


@_account.register
def _(m: ParticlePerturbation, crowd: _Crowd) -> Accounts:
    cell, worker = (
        m.epsilon_of(distance=1.0, delta=crowd.delta, n_particles=moved) for moved in (1, crowd.n_answers)
    )
    return Accounts("particle that moves by 1", _exactly(cell), _exactly(worker))


@_account.register
def _(m: PlanarLaplace, crowd: _Crowd) -> Accounts:
    place = m.epsilon_of(distance=1.0)
    return Accounts("place that moves by 1", _exactly(place), _exactly(crowd.n_answers * place))


@_account.register
def _(m: LatticeLaplace, crowd: _Crowd) -> Accounts:
    diagonal = sqrt(2) * m.step  # places 1 apart may be moved to points a whole number of these apart
    low = m.lattice_epsilon_of(distance=diagonal * max(1, ceil((1 - 1e-12) / diagonal)))
    high = m.epsilon_of(distance=1.0)
    k = crowd.n_answers
    return Accounts("place that moves by 1", Bracket(low, high), Bracket(k * low, k * high))


_LABEL = "label in noisy counts"


@_account.register
def _(m: LaplaceCounts, crowd: _Crowd) -> Accounts:  # the counts of LaplacePrior are the same
    k, pure = crowd.n_answers, 2 / m.scale
    if m.delta == 0:
        return Accounts(_LABEL, _exactly(pure), _exactly(k * pure))

    def shown(moved: int) -> tuple[float, float]:
        """Bracket of epsilon if `moved` labels move between two classes."""

        def delta(at: float) -> float:
            return laplace_counts_delta(scale=m.scale / moved, epsilon=at)

        return _first_below(delta, crowd.delta, moved * pure)

    return Accounts(_LABEL, Bracket(*shown(1)), Bracket(shown(k)[0], k * pure))


@_account.register
def _(m: GeometricCounts, crowd: _Crowd) -> Accounts:
    return Accounts(_LABEL, _exactly(m.exact_epsilon), _exactly(crowd.n_answers * m.exact_epsilon))


@_account.register
def _(m: GaussianCounts, crowd: _Crowd) -> Accounts:
    one, all_of_them = (
        gaussian_epsilon(sigma=m.sigma, distance=sqrt(2) * moved, delta=crowd.delta)
        for moved in (1, crowd.n_answers)
    )
    return Accounts(_LABEL, _exactly(one), _exactly(all_of_them))


@_account.register
def _(m: ScaledDirichlet, crowd: _Crowd) -> Accounts:
    unit = f"label, classes of {m.least_count} or more"
    if m.least_count is None:
        return Accounts("label", _UNPROTECTED, _UNPROTECTED)

    def at_most(moved: int) -> tuple[float, float]:
        """Bracket of a label's epsilon at which `moved` labels, changed in turn, have the wanted delta."""

        def delta(at: float) -> float:
            steps = moved if at == 0 else expm1(min(moved * at, 700.0)) / expm1(at)
            return steps * m._public_delta(m.scale, at, "tight")

        high = 1.0
        while delta(high) > crowd.delta:
            high *= 2
            if high * moved > 700:
                return inf, inf
        return _first_below(delta, crowd.delta, high)

    low, high = at_most(1)
    return Accounts(unit, Bracket(low, high), Bracket(low, crowd.n_answers * at_most(crowd.n_answers)[1]))
