"""Distinguishing two truths: how fast the error falls with the number of private reports."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog, minimize_scalar
from scipy.special import hyp1f1

from ldpbook._arrays import Array, numeric
from ldpbook._validate import positive

__all__ = [
    "ChernoffChannel",
    "best_chernoff",
    "chernoff_information",
]

_MOST_SYMBOLS = 10  # 2^10 patterns at each exponent
_EXPONENTS = (np.arange(64) + 0.5) / 64  # any other exponent is within 1/128 of one of these
_LEAST_EPSILON, _LARGEST_EPSILON = 1e-3, 30.0  # beyond these, the linear program's tolerances show


@dataclass(frozen=True, eq=False)
class ChernoffChannel:
    """Channel whose reports distinguish two truths best, with its Chernoff information.

    Attributes
    ----------
    information : float
        Chernoff information of one report, in nats.
    exponent : float
        Power of the first truth's distribution at which the information is attained, in (0, 1).
    transition_matrix : ndarray, shape (k, r)
        Probability of each output (column) for each answer (row).

    Notes
    -----
    Derived in: remedies/known-channel
    """

    information: float
    exponent: float
    transition_matrix: Array


def chernoff_information(first: ArrayLike, second: ArrayLike) -> float:
    r"""Rate at which the error of the best guess between two distributions falls with the number of draws.

    .. math:: C=\max_{0\le\lambda\le1}\,-\ln\sum_yP(y)^\lambda Q(y)^{1-\lambda}

    After n draws the best guess errs with probability at most :math:`e^{-nC}/2` if both distributions are
    equally likely, and C is the exact rate.

    Parameters
    ----------
    first, second : array_like, shape (r,)
        Distributions P and Q of a report, one under each truth; each sums to 1.

    Returns
    -------
    float
        Information of one report, in nats; infinite if no symbol is possible under both.

    Raises
    ------
    ValueError
        If `first` or `second` is not a distribution, or their numbers of symbols differ.

    Notes
    -----
    Source: Chernoff (1952).
    Derived in: remedies/known-channel

    Examples
    --------
    >>> round(chernoff_information([0.9, 0.1], [0.1, 0.9]), 4)
    0.5108
    """
    p, q = _laws(first, second)
    both = (p > 0) & (q > 0)
    if not both.any():
        return float("inf")
    return _exponent(p, q)[1]


def best_chernoff(first: ArrayLike, second: ArrayLike, *, epsilon: float) -> ChernoffChannel:
    """Channel with the most Chernoff information about which of two truths holds, under epsilon-LDP.

    For each exponent a linear program over all patterns of answers is solved. Starting from the best
    of 64 exponents, channel and exponent are then improved in turns. Except for rounding, the information of
    no epsilon-LDP channel is larger by more than epsilon^2 / 32,768. Neighbours are any two answers of a
    worker.

    Parameters
    ----------
    first, second : array_like, shape (k,)
        Distributions of an answer under each truth, with 2 to 10 symbols; each sums to 1.
    epsilon : float
        Privacy budget of one answer, between 0.001 and 30.

    Returns
    -------
    ChernoffChannel
        The channel, its information and exponent.

    Raises
    ------
    ValueError
        If `first` or `second` is not a distribution, their numbers of symbols differ, no probability differs
        by 1e-6 or more between them, or there are more than 10 symbols.
        Merging symbols with the same ratio of probabilities loses nothing.

    Notes
    -----
    Source: Kairouz, Oh and Viswanath (2016) for the program.
    Derived in: remedies/known-channel

    Examples
    --------
    >>> best = best_chernoff([0.8, 0.1, 0.1], [0.1, 0.8, 0.1], epsilon=1.0)
    >>> round(best.information, 4), best.transition_matrix.shape
    (0.0554, (3, 2))
    """
    p, q = _laws(first, second)
    if not _LEAST_EPSILON <= (epsilon := positive("epsilon", epsilon)) <= _LARGEST_EPSILON:
        raise ValueError(f"epsilon must lie in [0.001, 30], got {epsilon!r:.80}")
    k = len(p)
    if k > _MOST_SYMBOLS:
        raise ValueError(f"first must have at most {_MOST_SYMBOLS} symbols, got {k}: merge some")
    if np.abs(p - q).max() < 1e-6:
        raise ValueError(f"second must differ from first by more than 1e-6, got {second!r:.80}")
    patterns = np.arange(1, 2**k - 1)[:, None] >> np.arange(k) & 1
    columns = np.where(patterns == 1, 1.0, np.exp(-epsilon))
    each = [_program(p, q, columns, exponent)[0] for exponent in _EXPONENTS]
    exponent = float(_EXPONENTS[int(np.argmax(each))])
    information = -1.0
    for _ in range(20):  # channel and exponent are improved in turns: neither step makes them worse
        before, channel = information, _program(p, q, columns, exponent)[1]
        exponent, information = _exponent(p @ channel, q @ channel)
        if information <= before * (1 + 1e-12):
            break
    return ChernoffChannel(information, exponent, channel)


def _program(p: Array, q: Array, columns: Array, exponent: float) -> tuple[float, Array]:
    """One minus the best channel's sum for an exponent, and the channel.

    Each column contributes its arithmetic mean minus its geometric one, which is never negative, so no digits
    are lost where epsilon is small.
    """
    a, b = columns @ p, columns @ q
    values = _lacking(a, b, exponent)
    scale = values.max()  # tolerances of the solver are absolute
    found = linprog(-values / scale, A_eq=columns.T, b_eq=np.ones(len(p)), method="highs-ds")
    if found.status:
        raise RuntimeError(f"the linear program was not solved: {found.message}")
    weights = np.asarray(found.x, dtype=float)
    used = weights > 1e-12
    channel = columns[used].T * weights[used]
    return float(weights @ values), channel / channel.sum(axis=1, keepdims=True)


def _exponent(p: Array, q: Array) -> tuple[float, float]:
    """The exponent with the largest information, and that information."""
    both = (p > 0) & (q > 0)
    log_p, log_q = np.log(p[both]), np.log(q[both])

    def less(exponent: float) -> float:
        total = float(np.exp(exponent * log_p + (1 - exponent) * log_q).sum())
        if total < 0.5:
            return float(np.log(total))
        apart = exponent * p[~both].sum() + (1 - exponent) * q[~both].sum()
        return float(np.log1p(-apart - _lacking(p[both], q[both], exponent).sum()))

    inside = minimize_scalar(less, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-9}).x
    # An end may be best where some symbols are possible under one distribution only.
    best = min(float(inside), 0.0, 1.0, key=less)
    return best, max(0.0, -less(best))


def _lacking(a: Array, b: Array, exponent: float) -> Array:
    """Weighted mean of a and b minus their geometric mean, to many digits even where they are nearly equal.

    With L the larger, x <= 0 the logarithm of the smaller minus that of L, w the weight of the
    smaller, and phi(x) = exp(x) - 1 - x, it is L (w phi(x) - phi(w x)).
    """
    large, small = np.maximum(a, b), np.minimum(a, b)
    gap = np.minimum(large - small, large / 2) / large
    x = np.where(gap < 0.5, np.log1p(-gap), np.log(small) - np.log(large))
    w = np.where(a < b, exponent, 1 - exponent)
    # phi(x) is x^2/2 times the confluent hypergeometric function 1F1(1; 3; x).
    found: Array = large * w * x**2 / 2 * (hyp1f1(1, 3, x) - w * hyp1f1(1, 3, w * x))
    return found


def _laws(first: ArrayLike, second: ArrayLike) -> tuple[Array, Array]:
    laws = []
    for name, values in (("first", first), ("second", second)):
        law = numeric(name, values)
        whole = law.ndim == 1 and len(law) > 1 and law.min() >= 0 and law.max() < 2
        if not whole or not abs(law.sum() - 1) < 1e-6:
            raise ValueError(f"{name} must be probabilities of two or more symbols, got {values!r:.80}")
        laws.append(law / law.sum())
    if len(laws[0]) != len(laws[1]):
        raise ValueError(f"second must be of the {len(laws[0])} symbols of first, got {second!r:.80}")
    return laws[0], laws[1]
