"""Reports stripped of their senders: the central epsilon of a shuffled crowd."""

from functools import cache
from math import exp, expm1, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betainc, betaincc
from scipy.stats import binom

from ldpbook._validate import choices, count, open_probability, privacy, probability

__all__ = ["shuffle_epsilon"]

Array = NDArray[np.float64]

_MOST_USERS = 10**10  # up to here, differences of binomial tails keep six digits, even far out
_LARGEST_LOCAL = 500.0
_FLOOR = 1e-290  # upper bound on all that may underflow
_STEP = 1e-5  # relative amount by which the result is rounded up
_LOWEST = -60.0  # logarithm of the smallest result above 0, in units of the local epsilon


def shuffle_epsilon(
    *, local_epsilon: float, n_users: int, delta: float, n_symbols: int | None = None
) -> float:
    r"""Central epsilon of reports that a shuffler has stripped of their senders and mixed.

    Each of n users independently sends one report about the same question, by the same randomizer, and the
    shuffler shows the reports in random order. Without `n_symbols`, the randomizer may be any with this
    local epsilon, and others' reports are counted as clones of the user's. With `n_symbols`, it is randomized
    response on that many symbols, whose blanket hides more.

    Parameters
    ----------
    local_epsilon : float
        Epsilon of one report for a curator that knows its sender, >= 0; may be infinite.
    n_users : int
        Number n of users whose reports on the same question are mixed, >= 1. In a survey by thresholds these
        have the task *and* the threshold in common: one user in k if a phase deals k thresholds in turn.
    delta : float
        Delta in (0, 1). At delta 0 shuffling gives no guarantee beyond the local epsilon: if all others'
        reports happen to be equal, hers is revealed as much as without a shuffler.
    n_symbols : int, optional
        Number k >= 2 of symbols, NULL included, of a k-ary randomized response.

    Returns
    -------
    float
        Epsilon, at most `local_epsilon`, for neighbours that differ in the one report of one user, whatever
        the others hold and even if all their true inputs are known. A worker who sends several linked
        reports is not covered. Rounded up, by less than a thousandth of itself.

    Notes
    -----
    Source: Feldman, McMillan and Talwar (2021), the clones; Balle, Bell, Gascon and Nissim (2019), the
    blanket. Both are summed, not bounded by a closed form. All that is left out is added to delta. To be on
    the safe side, more than 10^10 users count as 10^10, and for a delta below 1e-290 or a local epsilon above
    500 the local epsilon is returned.
    Derived in: whole-worker/shuffling

    Examples
    --------
    >>> crowd = dict(local_epsilon=2.0, n_users=20_000, delta=1e-6)
    >>> print(f"{shuffle_epsilon(**crowd):.4f} {shuffle_epsilon(**crowd, n_symbols=3):.4f}")
    0.1069 0.0742
    """
    epsilon, n = privacy("local_epsilon", local_epsilon), min(count("n_users", n_users), _MOST_USERS)
    if probability("delta", delta) == 0:
        raise ValueError(
            "delta must lie in (0, 1), got 0: then shuffling gains nothing over the local epsilon"
        )
    allowed = open_probability("delta", delta)
    k = 2 if n_symbols is None else choices("n_symbols", n_symbols)
    if n == 1 or not 1e-300 < epsilon <= _LARGEST_LOCAL or allowed <= 2 * _FLOOR:
        return epsilon
    clones = _Crowd(epsilon, 2, exp(-epsilon) / 2, n, allowed)
    if n_symbols is None:
        return _least_epsilon(epsilon, clones, allowed)
    blanket = _Crowd(epsilon, k, 1 / (k - 1 + exp(epsilon)), n, allowed)
    found = _least_epsilon(epsilon, blanket, allowed)
    if clones.delta(found) > allowed:  # then the clones need a larger epsilon
        return found
    return min(found, _least_epsilon(epsilon, clones, allowed))


class _Crowd:
    """Distribution of the number of reports of the user's two symbols and of all others, in blocks.

    A block with probability `mass` has ``low..high`` reports of her two symbols, hers included, and at least
    `beside` reports of other symbols. `cut` is the probability that is left out.
    """

    def __init__(self, epsilon: float, k: int, clone: float, n: int, delta: float) -> None:
        self.local = epsilon
        self.keep = 1 / (1 + (k - 1) * exp(-epsilon))
        self.lie = self.keep * exp(-epsilon)
        reach = sqrt(2 * log(1e5 / delta))
        ends = _ends(n - 1, 2 * clone, reach, 4000 if k == 2 else 600)
        reached = _at_most(ends, n - 1, 2 * clone)
        above = float(betainc(ends[-1] + 1, n - 1 - ends[-1], 2 * clone)) if ends[-1] < n - 1 else 0.0
        self.cut = float(reached[0]) + above
        mass, self.low, self.high = np.diff(reached)[:, None], ends[:-1, None] + 2, ends[1:, None] + 1
        self.beside = np.zeros((1, 1))
        if k > 2:
            mass, self.beside = _chords(mass, n - self.high, (k - 2) * clone / (1 - 2 * clone), reach)
        bulk = mass > 1e-5 * delta / mass.size
        self.cut += float(mass[~bulk].sum())
        self.mass, self.low, self.high, self.beside = (
            np.broadcast_to(part, mass.shape)[bulk] for part in (mass, self.low, self.high, self.beside)
        )

    def delta(self, epsilon: float) -> float:
        """Upper bound on the reports' delta at this central epsilon."""
        gain, spread = expm1(epsilon), (self.keep - self.lie) * (1 + exp(epsilon))
        # Each report of her other symbol subtracts `spread` from `most`. There are two ways to write the mean
        # of what remains, each of which is accurate for an epsilon on its side of 1.
        if epsilon < 1:
            lost = gain * ((self.keep + self.lie) * self.low / 2 + self.lie * self.beside)
            least = np.floor(self.high / 2 - lost / spread)
            chance = _at_most(least, self.high, 0.5)
            excess = spread * self.high / 4 * binom.pmf(least, self.high - 1, 0.5) - lost * chance
        else:
            most = self.keep * -expm1(epsilon - self.local) * self.low - gain * self.lie * self.beside
            most += spread * (self.high - self.low) / 2
            least = np.floor(most / spread)
            both = _at_most(least - 1, self.high - 1, 0.5)
            excess = most * _at_most(least, self.high, 0.5) - spread * self.high / 2 * both
        at_most_all = np.clip(2 / self.low * excess, 0.0, 1.0)
        return (self.cut + float(self.mass @ at_most_all)) * (1 + 1e-6) + _FLOOR


def _ends(n: int, share: float, reach: float, most: int) -> Array:
    """Numbers that divide the values of a binomial distribution into blocks, a little beyond its bulk."""
    middle = n * share
    width = reach * sqrt(middle) + reach**2 / 3
    low, high = max(-1.0, middle - width), min(float(n), middle + width + 1)
    n_blocks = min(most, 50 + int((high - low) / (1e-4 * max(middle, 1.0))))
    return np.unique(np.floor(np.linspace(low, high, n_blocks + 1)))


def _chords(mass: Array, n: Array, share: float, reach: float) -> tuple[Array, Array]:
    """A few values per n in place of a binomial; the mean of a convex decreasing function is no smaller."""
    middle, width = n * share, reach * np.sqrt(n * share) + reach**2 / 3
    inner = np.clip(np.floor(middle + width * np.linspace(-1, 1, min(200, 16_000 // len(n)))), 0, n)
    nodes = np.insert(inner, 0, 0.0, axis=1)
    masses = np.diff(_at_most(nodes, n, share), prepend=0.0, append=1.0)
    moments = np.diff(middle * _at_most(nodes - 1, n - 1, share))
    inside, step = masses[:, 1:-1], np.maximum(np.diff(nodes), 1)
    right = np.clip((moments - nodes[:, :-1] * inside) / step, 0, inside)
    weights = np.zeros(nodes.shape)
    weights[:, :-1] += inside - right
    weights[:, 1:] += right
    weights[:, 0] += masses[:, 0]
    weights[:, -1] += masses[:, -1]
    return mass * weights, nodes


def _at_most(k: Array, n: Array | int, share: float) -> Array:
    """Probability of at most k among n, computed once where adjacent entries have the same k and n."""
    numbers, sizes = (part.ravel() for part in np.broadcast_arrays(k, np.asarray(n, dtype=float)))
    new = (np.diff(numbers, prepend=np.nan) != 0) | (np.diff(sizes, prepend=np.nan) != 0)
    numbers, sizes = numbers[new], sizes[new]
    inside = np.clip(numbers, 0, np.maximum(sizes - 1, 0))
    tail = betaincc(inside + 1, np.maximum(sizes - inside, 1), share)
    found = np.where(numbers < 0, 0.0, np.where(numbers >= sizes, 1.0, tail))
    repeated: Array = found[np.cumsum(new) - 1]
    return repeated.reshape(np.broadcast_shapes(np.shape(k), np.shape(n)))


def _least_epsilon(most: float, crowd: _Crowd, delta: float) -> float:
    """Smallest epsilon at which the crowd's delta is allowed, rounded up; `most` if none is below it."""

    @cache  # brentq evaluates the ends again
    def lacking(step: float) -> float:
        return log(crowd.delta(most * exp(step)) / delta)

    if lacking(0.0) > 0:
        return most
    if lacking(_LOWEST) <= 0:
        return 0.0 if crowd.delta(0.0) <= delta else most * exp(_LOWEST)
    found, rounding = brentq(lacking, _LOWEST, 0.0, xtol=_STEP / 4), _STEP / 2
    while lacking(min(found + rounding, 0.0)) > 0:
        rounding *= 2
    return most * exp(min(found + rounding, 0.0))
