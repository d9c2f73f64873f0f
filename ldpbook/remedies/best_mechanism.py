"""Best mechanisms: the most information that an epsilon-LDP report of one cell can hold; limits on errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, log1p, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog, nnls
from scipy.special import ai_zeros

from ldpbook._arrays import Array, numeric, row_blocks
from ldpbook._exact import WordTable, channel_table
from ldpbook._validate import choices, count, finite, integer_domain, positive
from ldpbook.mechanism import AnswerMechanism
from ldpbook.remedies.answer_law import AnswerLaw

__all__ = [
    "BestChannel",
    "ChannelResponse",
    "best_information",
    "known_types_limit",
    "neighbour_groups",
    "released_information",
    "unlinked_limit",
]

_MOST_SYMBOLS = 16  # even 2^16 patterns take a moment
_LARGEST_EPSILON = 300.0
_BATCH = 64  # patterns added to the linear program at once
_TINY_EPSILON = 1e-6  # below it the linear program's tolerances are too coarse
_REACH = np.array([-9.0, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 9])  # standard deviations
_NODES = np.polynomial.legendre.leggauss(4)
_RATIO = 4 * (-float(ai_zeros(1)[1][0]) / 3) ** 1.5  # smallest mean error times square root of information


@dataclass(frozen=True, eq=False)
class BestChannel:
    """Optimal epsilon-LDP channel, with a certificate that no other channel is better.

    Attributes
    ----------
    information : float
        Fisher information of one report about the truth, per squared answer unit.
    patterns : ndarray of bool, shape (r, k)
        For each output, the answers for which it is e^epsilon times as likely as for the others.
    weights : ndarray, shape (r,)
        Probability of each output for those answers.
    transition_matrix : ndarray, shape (k, r)
        Probability of each output (column) for each answer (row).
    multipliers : ndarray, shape (k,)
        Dual solution. For any output that epsilon allows, the sum of the multipliers over the answers,
        weighted by the output's probabilities, is at least that output's share of the information. So no
        channel has more information than the sum of the multipliers.
    gap : float
        Sum of the multipliers minus `information`; positive only by rounding, or if epsilon is tiny.

    Notes
    -----
    Derived in: remedies/best-mechanism
    """

    information: float
    patterns: NDArray[np.bool_]
    weights: Array
    transition_matrix: Array
    multipliers: Array
    gap: float


def best_information(
    law: ArrayLike, derivative: ArrayLike, *, epsilon: float, weights: ArrayLike | None = None
) -> BestChannel:
    r"""Channel with the most Fisher information about the truth in an epsilon-LDP report of one cell.

    A linear program over all patterns of answers finds it exactly, because there is an optimal channel whose
    outputs are all :math:`e^\epsilon` times as likely for some answers as for all others. Neighbours are any
    two values of one cell, NULL included if it is one of the symbols.

    Parameters
    ----------
    law : array_like, shape (k,) or (g, k)
        Probability of each symbol that a cell may hold, 2 to 16 of them, rows sum to 1.
    derivative : array_like, same shape
        Its derivative with respect to the truth, rows sum to 0, values below 1e60.
    epsilon : float
        Privacy budget of the cell, > 0 and at most 300. Below 1e-6 the channel is the best one with two
        outputs, whose information is below the maximum by a share of at most epsilon.
    weights : array_like, shape (g,), optional
        Weight of each row of `law`, >= 0: the information is the weighted mean over the rows. Equal by
        default.

    Returns
    -------
    BestChannel
        The channel, its information and the certificate that no other has more.

    Raises
    ------
    ValueError
        If `law` does not hold probabilities that sum to 1, if `derivative` does not match it or does not sum
        to 0, or if there are more than 16 symbols: merge some first with `neighbour_groups`.

    Notes
    -----
    Source: Kairouz, Oh and Viswanath (2016); for Fisher information Steinberger (2024), Kalinin
    and Steinberger (2025).
    Derived in: remedies/best-mechanism

    Examples
    --------
    >>> best = best_information([0.05, 0.05, 0.9], [-0.02, 0.02, 0.0], epsilon=1.0)
    >>> best.patterns.astype(int).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> f"{best.information:.6f}", bool(best.gap < 1e-15)
    ('0.000461', True)
    """
    p, slope, share = _laws(law, derivative, weights)
    epsilon = _checked_epsilon(epsilon)
    k = p.shape[1]
    if k > _MOST_SYMBOLS:
        raise ValueError(f"law must have at most {_MOST_SYMBOLS} symbols, got {k}: use neighbour_groups")
    # The patterns of no answer and of all are left out, as their outputs reveal nothing. So the largest entry
    # of a column is 1.
    patterns = (np.arange(1, 2**k - 1)[:, None] >> np.arange(k) & 1).astype(bool)
    columns = np.where(patterns, 1.0, np.exp(-epsilon))
    size = np.abs(slope).max() or 1.0
    # A derivative sums to 0, so only the excess of an entry over exp(-epsilon) counts. Computed with expm1,
    # it is accurate even if epsilon is small.
    values = (np.expm1(-epsilon) * patterns @ (slope / size).T) ** 2 / (columns @ p.T) @ share
    scale = values.max() or 1.0
    values /= scale  # because the solver's tolerances are absolute
    if epsilon < _TINY_EPSILON:
        # Take the best channel with two outputs. The multipliers, raised below, prove that its information is
        # below the maximum by a share of at most epsilon.
        first = int(values.argmax())
        used, multipliers = np.array([first, len(values) - 1 - first]), np.zeros(k)
        outputs: Array = np.full(2, 1 / (1 + np.exp(-epsilon)))
    else:
        used, outputs, multipliers = _program(values, columns, _first_patterns(p, slope, share))
    matrix = columns[used].T * outputs
    excess = values - columns @ multipliers
    # Add a constant to the multipliers, so that rounding leaves no pattern's value above them.
    multipliers = multipliers + max(0.0, float((excess / columns.sum(axis=1)).max()))
    unit = float(scale * size**2)
    information = float(outputs @ values[used]) * unit
    return BestChannel(
        information,
        patterns[used],
        outputs,
        matrix,
        multipliers * unit,
        float(multipliers.sum() * unit - information),
    )


def _program(
    values: Array, columns: Array, active: NDArray[np.intp]
) -> tuple[NDArray[np.intp], Array, Array]:
    """The optimal columns, their weights and the multipliers; columns are added until none has excess."""
    while True:
        found = linprog(
            -values[active],
            A_eq=columns[active].T,
            b_eq=np.ones(columns.shape[1]),
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status:
            raise RuntimeError(f"the linear program was not solved: {found.message}")
        multipliers: Array = -found.eqlin.marginals
        excess = values - columns @ multipliers
        worst = np.setdiff1d(np.argsort(excess)[-_BATCH:], active)
        worst = worst[excess[worst] > 1e-12]
        if not worst.size:
            break
        active = np.append(active, worst)
    used = active[np.asarray(found.x) > 1e-12]
    outputs = np.asarray(nnls(columns[used].T, np.ones(columns.shape[1]))[0], dtype=float)
    return used[outputs > 0], outputs[outputs > 0], multipliers  # drop what only rounding kept


def _first_patterns(p: Array, slope: Array, share: Array) -> NDArray[np.intp]:
    """Numbers of the patterns that are runs on a circle of the symbols in order of their score."""
    k = p.shape[1]
    mean = np.maximum(share @ p, 1e-300)
    order = np.argsort(np.clip(share @ slope / mean, -1e60, 1e60), kind="stable")
    bits = np.tile(2 ** order.astype(np.intp), 2)
    runs = [bits[start : start + length].sum() for length in range(1, k) for start in range(k)]
    return np.unique(runs) - 1


def released_information(law: ArrayLike, derivative: ArrayLike, transition_matrix: ArrayLike) -> Array:
    """Fisher information about the truth in one report of a cell.

    Parameters
    ----------
    law, derivative : array_like, shape (k,) or (g, k)
        Probability of each symbol that a cell may hold, and its derivative with respect to the truth.
    transition_matrix : array_like, shape (k, r)
        Probability of each output (column) for each symbol (row).

    Returns
    -------
    ndarray, shape () or (g,)
        Fisher information per squared answer unit.

    Raises
    ------
    ValueError
        If `law` does not hold probabilities that sum to 1, or its symbols are not the rows of the matrix.

    Notes
    -----
    Source: Fisher (1922); for a private report Steinberger (2024).
    Derived in: remedies/best-mechanism

    Examples
    --------
    >>> float(released_information([0.5, 0.5], [-0.2, 0.2], [[0.75, 0.25], [0.25, 0.75]]))
    0.04...
    """
    p, slope, _ = _laws(law, derivative, None)
    matrix = _channels(transition_matrix)
    if matrix.ndim != 2 or len(matrix) != p.shape[1]:
        raise ValueError(
            f"transition_matrix must have a row for each of {p.shape[1]} symbols of law, got {matrix.shape}"
        )
    seen = p @ matrix
    parts = np.divide((slope @ matrix) ** 2, seen, out=np.zeros_like(seen), where=seen > 0)
    information: Array = parts.sum(axis=1)
    return information.reshape(np.shape(numeric("law", law))[:-1])


def neighbour_groups(
    law: ArrayLike, derivative: ArrayLike, *, n_groups: int, weights: ArrayLike | None = None
) -> NDArray[np.intp]:
    """Groups of neighbouring answers, merged with little loss of information to narrow a wide domain.

    The last symbol, NULL, stays alone. Each step merges the two neighbouring groups that lose least by it.

    Parameters
    ----------
    law, derivative, weights
        As in `best_information`, with any number of symbols.
    n_groups : int
        Largest number of groups, >= 2.

    Returns
    -------
    ndarray of int, shape (k,)
        The group of each symbol, ascending from 0. Used as an index into the rows of a channel of the groups,
        it gives a channel of the symbols, with the same epsilon.

    Raises
    ------
    ValueError
        If `law` does not hold probabilities that sum to 1, or `derivative` does not match it or sum to 0.

    Notes
    -----
    Derived in: remedies/best-mechanism

    Examples
    --------
    >>> wide = AnswerLaw(domain=range(30), sigmas=(2.0,), shares=(1.0,), density=0.5)
    >>> groups = neighbour_groups(wide.at(14.5), wide.slope(14.5), n_groups=7)
    >>> np.bincount(groups).tolist()
    [12, 2, 1, 1, 2, 12, 1]
    """
    p, slope, share = _laws(law, derivative, weights)
    most, starts = choices("n_groups", n_groups), list(range(p.shape[1]))
    while len(starts) > most:
        a, b = (np.add.reduceat(each, starts, axis=1)[:, :-1] for each in (p, slope))
        apart = share @ _ratio(b, a)
        loss = apart[:-1] + apart[1:] - share @ _ratio(b[:, :-1] + b[:, 1:], a[:, :-1] + a[:, 1:])
        del starts[int(loss.argmin()) + 1]
    return np.searchsorted(starts, np.arange(p.shape[1]), side="right") - 1


def _ratio(slope: Array, p: Array) -> Array:
    return np.divide(slope**2, p, out=np.zeros_like(p), where=p > 1e-100)


@dataclass(frozen=True, eq=False)
class ChannelResponse(AnswerMechanism):
    """Report drawn from a given channel: the number of an output, for every cell, NULL or not.

    Its epsilon is computed from the channel. It holds for every pair of neighbours, which are two values of
    one cell, NULL included, and is attained. A worker who changes k cells is protected with k epsilon.

    Parameters
    ----------
    transition_matrix : array_like, shape (k, r), or (n, k, r) with a channel for each task
        Probability of each output (column) for each answer (row), NULL last. Each column is positive
        or 0 throughout, so that no output rules out an answer.
    domain : sequence of int
        The answer domain without NULL, consecutive integers, k - 1 of them.

    Notes
    -----
    Fit for release: a report is the number of an output, looked up in a table of whole numbers whose largest
    ratio, `exact_ratio`, is found exactly. With `rng` it is drawn for study.

    Source: Kairouz, Oh and Viswanath (2016).
    Derived in: remedies/best-mechanism

    Examples
    --------
    >>> channel = ChannelResponse([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]], domain=range(2))
    >>> round(channel.exact_epsilon, 4)
    1.0986
    >>> channel.perturb([[0, 1, float("nan"), 0]], rng=1)
    array([[0., 2., 0., 2.]])
    """

    transition_matrix: ArrayLike
    domain: Sequence[int]

    def __post_init__(self) -> None:
        domain = integer_domain(self.domain)
        channels = _channels(self.transition_matrix)
        channels = channels / channels.sum(axis=-1, keepdims=True)
        if channels.shape[-2] != len(domain) + 1:
            raise ValueError(
                f"transition_matrix must have a row for each answer of domain and for NULL, {len(domain) + 1}"
                f" of them, got {channels.shape[-2]}"
            )
        some = (channels > 0).any(axis=-2)
        if (some != (channels > 0).all(axis=-2)).any():
            raise ValueError("transition_matrix must have columns that are positive, or 0 throughout")
        channels.setflags(write=False)
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "transition_matrix", channels)

    @property
    def exact_epsilon(self) -> float:
        """Largest loss of a report as drawn, over all tasks; infinite if an output is too rare to be drawn.

        Computed from the probabilities as they are drawn: for study they are multiples of 2^-53, for release,
        where that is possible, of 2^-64. The larger loss counts.
        """
        drawn = self._drawn()
        most, least = drawn.max(axis=-2), drawn.min(axis=-2)
        ratio = np.divide(most, least, out=np.where(most > 0, np.inf, 1.0), where=least > 0)
        study = float(np.log(ratio.max()))
        try:
            release = log1p(self.exact_ratio - 1) * (1 + 2.0**-50)
        except ValueError:  # it can only be drawn for study
            return study
        return max(study, release)

    def _drawn(self) -> Array:
        """Probabilities as they are drawn, in multiples of 2^-53."""
        return np.diff(np.ceil(self._steps() * 2.0**53), axis=-1, prepend=0.0)

    def _steps(self) -> Array:
        steps = np.asarray(self.transition_matrix).cumsum(axis=-1)
        steps /= steps[..., -1:]  # exactly 1 at the last output of positive probability
        return steps

    @property
    def _expected(self) -> Mapping[str, Any]:
        return {"domain": self.domain, "integers": True}

    def _check_tasks(self, n_tasks: int) -> None:
        channels = np.asarray(self.transition_matrix)
        if channels.ndim == 3 and n_tasks != len(channels):
            raise ValueError(
                f"answers must be to {len(channels)} tasks, one for each channel of transition_matrix, got"
                f" {n_tasks}"
            )

    def _table(self) -> WordTable:
        return channel_table(np.asarray(self.transition_matrix))

    @property
    def _outputs(self) -> Array:
        return np.arange(np.shape(self.transition_matrix)[-1], dtype=float)

    def _perturbed(self, matrix: Array, rng: np.random.Generator) -> Array:
        steps = self._steps()
        tables = np.broadcast_to(steps, (matrix.shape[1], *steps.shape[-2:]))
        tasks = np.arange(matrix.shape[1])
        out = np.empty_like(matrix)
        for rows in row_blocks(matrix):
            block = matrix[rows]
            symbols = self._rows(block)
            drawn = rng.random(block.shape)
            out[rows] = 0
            for j in range(steps.shape[-1] - 1):
                out[rows] += drawn >= tables[tasks, symbols, j]
        return out


def unlinked_limit(
    law: AnswerLaw, *, epsilon: float, n_workers: int, prior_mean: float, prior_deviation: float
) -> float:
    r"""Lower bound on the mean absolute error of any estimate of a task's truth from unlinked cells.

    The truth is normal. Given the truth, each of `n_workers` cells is an independent draw from `law`, the
    kind of worker included. Each cell is reported with epsilon-LDP, NULL included, in an interaction of any
    number of rounds. Whatever else the curator knows must be independent of the truth and the cells. So the
    bound does not hold for a curator that links a worker's cells. Nor does it hold if kinds are dealt in
    fixed numbers, or if reports on other tasks by the same workers, linked or not, reveal how many workers
    there are of each kind.

    Parameters
    ----------
    law : AnswerLaw
        Distribution of an answer given the truth, the kinds of workers mixed.
    epsilon : float
        Privacy budget of one cell, all its messages together, > 0 and at most 300.
    n_workers : int
        Number of cells of the task, NULL or not.
    prior_mean, prior_deviation : float
        Mean and standard deviation of the truths, the latter > 0.

    Returns
    -------
    float
        Mean absolute error, in answer units.

    Raises
    ------
    ValueError
        If the domain has more than 15 answers.
    TypeError
        If `law` is not an AnswerLaw.

    Notes
    -----
    Source: Gill and Levit (1995), Efroimovich (1979), Steinberger (2024); here for the mean absolute error.
    Derived in: remedies/best-mechanism

    Examples
    --------
    >>> law = AnswerLaw(domain=range(5), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.1)
    >>> limit = unlinked_limit(law, epsilon=1.0, n_workers=20_000, prior_mean=2.0, prior_deviation=1.0)
    >>> round(limit, 3)
    0.219
    """
    return _limit([_checked(law)], [1.0], epsilon, n_workers, prior_mean, prior_deviation)


def known_types_limit(
    law: AnswerLaw, *, epsilon: float, n_workers: int, prior_mean: float, prior_deviation: float
) -> float:
    """Lower bound on the mean absolute error of any estimate of a task's truth, even from linked cells.

    As `unlinked_limit`, but for a curator that is given the kind of each worker and all cells of other tasks.
    So it also holds for mechanisms that see a worker's whole row, if each cell is protected with epsilon, the
    cells are independent given kinds and truths, and the truths are independent. Kinds may be drawn at random
    or dealt in fixed numbers.

    Parameters
    ----------
    law : AnswerLaw
        Distribution of an answer given the truth; its `sigmas` are the kinds.
    epsilon : float
        Privacy budget of one cell, > 0 and at most 300.
    n_workers : int
        Number of cells of the task, NULL or not.
    prior_mean, prior_deviation : float
        Mean and standard deviation of the truths, the latter > 0.

    Returns
    -------
    float
        Mean absolute error, in answer units; at most `unlinked_limit`.

    Raises
    ------
    ValueError
        If the domain has more than 15 answers.
    TypeError
        If `law` is not an AnswerLaw.

    Notes
    -----
    Source: Gill and Levit (1995), Efroimovich (1979), Steinberger (2024); here for the mean absolute error.
    Derived in: remedies/best-mechanism

    Examples
    --------
    >>> law = AnswerLaw(domain=range(5), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.1)
    >>> limit = known_types_limit(law, epsilon=1.0, n_workers=20_000, prior_mean=2.0, prior_deviation=1.0)
    >>> round(limit, 3)
    0.185
    """
    kinds = [replace(law, sigmas=(sigma,), shares=(1.0,)) for sigma in _checked(law).sigmas]
    return _limit(kinds, law.shares, epsilon, n_workers, prior_mean, prior_deviation)


def _limit(
    laws: Sequence[AnswerLaw],
    shares: Sequence[float],
    epsilon: float,
    n_workers: int,
    prior_mean: float,
    prior_deviation: float,
) -> float:
    """Smallest mean absolute error that the expected information, that of the prior included, allows."""
    mean, deviation = finite("prior_mean", prior_mean), positive("prior_deviation", prior_deviation)
    n, epsilon = count("n_workers", n_workers), _checked_epsilon(epsilon)
    each = [_expected(law, epsilon, mean, deviation) for law in laws]
    return float(_RATIO / hypot(1 / deviation, sqrt(n * float(np.dot(shares, each)))))


def _expected(law: AnswerLaw, epsilon: float, mean: float, deviation: float) -> float:
    """Mean of the best information over a normal truth, to one part in a thousand.

    Gauss's rule is used between integers and half-integers, where the best information has kinks, and between
    multiples of each standard deviation around the edges or the mean, so that no narrow peak is missed.
    """
    halves = np.arange(2 * law.domain[0] - 2, 2 * law.domain[-1] + 3) / 2
    around = np.add.outer(law.edges, np.outer(law.sigmas, _REACH[::2]))
    marks = np.append(halves, around) - mean
    ends = np.unique(np.append(_REACH, marks[np.abs(marks) < float(_REACH[-1]) * deviation] / deviation))
    x, share = _NODES
    width = np.diff(ends)[:, None] / 2
    z = (ends[:-1, None] + width * (1 + x)).ravel()
    weights = (width * share).ravel() * np.exp(-(z**2) / 2) / sqrt(2 * np.pi)
    truths = mean + deviation * z
    p, slope = law.at(truths), law.slope(truths)
    # Where even an upper bound of the best information adds almost nothing, use the bound.
    bound = np.minimum(_ratio(slope, p).sum(axis=1), (np.expm1(epsilon) * np.abs(slope).sum(axis=1) / 2) ** 2)
    rank = np.argsort(weights * bound)
    kept = rank[np.cumsum((weights * bound)[rank]) > 1e-5 * (weights @ bound)]
    bound[kept] = [best_information(p[i], slope[i], epsilon=epsilon).information for i in kept]
    return float(weights @ bound)


def _checked(law: AnswerLaw) -> AnswerLaw:
    if not isinstance(law, AnswerLaw):
        raise TypeError(f"law must be an AnswerLaw, got {law!r:.80} of type {type(law).__name__}")
    return law


def _checked_epsilon(epsilon: float) -> float:
    if (x := positive("epsilon", epsilon)) > _LARGEST_EPSILON:
        raise ValueError(f"epsilon must be at most {_LARGEST_EPSILON:g}, got {epsilon!r:.80}")
    return x


def _laws(law: ArrayLike, derivative: ArrayLike, weights: ArrayLike | None) -> tuple[Array, Array, Array]:
    """Distributions and derivatives, shape (g, k), and weights that sum to 1."""
    p, slope = numeric("law", law), numeric("derivative", derivative)
    if p.ndim not in (1, 2) or not p.size or p.shape[-1] < 2 or not _is_stochastic(p):
        raise ValueError(f"law must be probabilities of two or more symbols that sum to 1, got {law!r:.80}")
    size = np.abs(slope)
    if slope.shape != p.shape or not (size < 1e60).all():
        raise ValueError(f"derivative must be numbers below 1e60 in the shape of law, got {derivative!r:.80}")
    if (np.abs(slope.sum(axis=-1)) > 1e-6 * size.sum(axis=-1)).any():
        raise ValueError(f"derivative must sum to 0, as a law always sums to 1, got {derivative!r:.80}")
    p, slope = np.atleast_2d(p), np.atleast_2d(slope)
    share = np.ones(len(p)) if weights is None else numeric("weights", weights)
    if share.shape != (len(p),) or not ((share >= 0) & (share < 1e60)).all() or not share.sum() > 1e-60:
        raise ValueError(f"weights must be numbers >= 0, one for each law, not all 0, got {weights!r:.80}")
    return p, slope, share / share.sum()


def _is_stochastic(rows: Array) -> bool:
    return bool(((rows >= 0) & (rows <= 2)).all() and (np.abs(rows.sum(axis=-1) - 1) < 1e-6).all())


def _channels(transition_matrix: ArrayLike) -> Array:
    """One channel or several, with rows of probabilities that sum to 1."""
    channels = numeric("transition_matrix", transition_matrix)
    if channels.ndim not in (2, 3) or not channels.size or not _is_stochastic(channels):
        raise ValueError(
            f"transition_matrix must have rows of probabilities that sum to 1, got {transition_matrix!r:.80}"
        )
    return channels
