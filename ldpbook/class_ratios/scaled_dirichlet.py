"""The scaled Dirichlet mechanism: proportions drawn around the counts."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from math import inf
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma

from ldpbook._arrays import Array, check_counts
from ldpbook._validate import count, non_negative, one_of, open_probability, positive
from ldpbook.class_ratios._count_mechanism import CountMechanism
from ldpbook.foundations.local_privacy import NODES, WEIGHTS

__all__ = [
    "ScaledDirichlet",
    "dirichlet_delta",
]

Method: TypeAlias = Literal["tight", "exact", "chebyshev"]

_SCALES = np.geomspace(1e-6, 1e3, 181)


@dataclass(frozen=True)
class ScaledDirichlet(CountMechanism):
    r"""Draw proportions from :math:`\mathrm{Dir}(\sigma\eta)` around the counts :math:`\eta`.

    With a public `least_count` L the scale :math:`\sigma` depends on public numbers only, and the
    release is (epsilon, delta)-private for every two sets, of whatever size and number of classes, that
    differ by one label moved between two classes and that **both** have at least L labels of each class. It
    takes a trusted holder of the labels (the central model). Counts below L are refused. A refusal is visible
    and outside the guarantee, so L has to hold for all sets that might be released. Where no one can promise
    that, add L labels of each class to all counts first: then nothing is refused.

    As printed, the scale is the largest for the private counts themselves, which the proof of the guarantee
    holds fixed. You have to ask for that by `scale_from_private_counts`, and the release is then **not**
    (epsilon, delta)-private: neighbours have different scales, and one may be refused and the other not.

    Parameters
    ----------
    epsilon : float
        Epsilon of one label, finite and >= 0.
    delta : float
        Delta of one label, in (0, 1).
    method : {"tight", "exact", "chebyshev"}
        Which delta is at most the promised one, see :func:`dirichlet_delta`. All are valid; "tight" is the
        smallest.
    least_count : int
        Public lower bound on all counts, >= 1; required unless `scale_from_private_counts`.
    scale_from_private_counts : bool
        Choose the scale as the source does; not private.

    Notes
    -----
    For study: numpy's sampler rejects and rounds in doubles, with parameters that depend on the private
    counts, and nothing is proved about which shares it can reach from which counts.

    Source: Iyer et al. (2016), Section 3.
    Derived in: class-ratios/label-privacy

    Examples
    --------
    >>> mechanism = ScaledDirichlet(0.05, 0.05, least_count=50)
    >>> round(mechanism.scale, 3)
    0.793
    >>> mechanism.perturb([50, 50, 50, 50, 800], rng=0).round(2)
    array([0.05, 0.06, 0.05, 0.06, 0.79])
    """

    epsilon: float
    delta: float
    method: Method = "tight"
    least_count: int | None = None
    scale_from_private_counts: bool = False

    def __post_init__(self) -> None:
        non_negative("epsilon", self.epsilon)
        open_probability("delta", self.delta)
        if self.least_count is not None:
            count("least_count", self.least_count)
        if not isinstance(self.scale_from_private_counts, bool):
            raise TypeError(
                f"scale_from_private_counts must be True or False, got {self.scale_from_private_counts!r:.80}"
            )
        if (self.least_count is None) != self.scale_from_private_counts:
            raise ValueError(
                "least_count must be a public lower bound on all counts, or scale_from_private_counts=True,"
                f" which is not private, and not both; got {self.least_count!r} and"
                f" {self.scale_from_private_counts!r}"
            )
        one_of("method", self.method, ("exact", "chebyshev", "tight"))

    @property
    def scale(self) -> float:
        """Public scale: the largest sigma, from 1e-6 to 1000, with at most the promised delta.

        It is computed on first access and kept. A ValueError is raised if there is no such sigma, or if the
        scale is chosen from the counts: see :meth:`scale_of`.
        """
        if self.least_count is None:
            raise ValueError("scale_from_private_counts must be False for a public scale, got True")
        return _largest_scale(self, ())

    def scale_of(self, counts: ArrayLike) -> float:
        """Scale with which these counts are released.

        Parameters
        ----------
        counts : array_like, shape (c,)
            Numbers of labels of each class, integers >= 1, and at least `least_count`.

        Returns
        -------
        float
            Sigma: the public one, or the largest with at most the promised delta for the counts.

        Raises
        ------
        ValueError
            If no scale has that delta, or `counts` are out of range.
        """
        eta = check_counts(counts)
        if self.least_count is None:
            return _largest_scale(self, tuple(np.sort(eta)))
        if eta.min() < self.least_count:
            raise ValueError(f"counts must be at least {self.least_count}, got {eta.min():.0f}")
        return self.scale

    @property
    def exact_epsilon(self) -> float:
        """Smallest epsilon of the public scale at `delta`, for counts of at least `least_count`.

        Rounded up; `epsilon` itself with the method "tight", unless the scale is the largest allowed.
        Infinite if the scale is chosen from the private counts.
        """
        if self.least_count is None:
            return inf

        def private(epsilon: float) -> bool:
            return self._public_delta(self.scale, epsilon, "tight") <= self.delta

        if private(0.0):
            return 0.0
        low, high = 0.0, float(self.epsilon)
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if private(middle) else (middle, high)
        return high

    def _perturbed(self, counts: Array, rng: np.random.Generator) -> Array:
        return rng.dirichlet(self.scale_of(counts) * counts)

    def _public_delta(self, scale: float, epsilon: float, method: Method) -> float:
        """Delta of the worst neighbours among all allowed counts: those with the smallest counts.

        A label moves from a class of L + 1 labels to one of L: proved in the chapter
        class-ratios/label-privacy, theorem "The smallest classes decide".
        """
        least = self.least_count or 1
        return moved_delta(least + 1, least, 2 * least + 1, scale, epsilon, method)


@functools.lru_cache(maxsize=64)
def _largest_scale(mechanism: ScaledDirichlet, counts: tuple[float, ...]) -> float:
    """Largest allowed scale, searched once for all sets with these counts, in any order of the classes.

    The search considers the worst pairs of classes found so far, until no pair is worse at the scale found:
    few pairs decide, out of about the square of the number of classes.
    """
    epsilon, method, size = mechanism.epsilon, mechanism.method, sum(counts)
    if mechanism.least_count is not None:
        return _search(mechanism, lambda scale: mechanism._public_delta(scale, epsilon, method))
    pairs = _pairs(np.array(counts), method)
    if min(counts) < 2:
        return _search(mechanism, lambda scale: 1.0, min(counts))
    worst = [pairs[0]]
    while True:
        scale = _search(
            mechanism,
            lambda scale: max(moved_delta(i, j, size, scale, epsilon, method) for i, j in worst),
            min(counts),
        )
        deltas = {(i, j): moved_delta(i, j, size, scale, epsilon, method) for i, j in pairs}
        if max(deltas.values()) <= mechanism.delta:
            return scale
        worst.append(max(deltas, key=lambda pair: deltas[pair]))


def _search(mechanism: ScaledDirichlet, delta: Callable[[float], float], least: float = 1.0) -> float:
    """Largest scale with a delta that the mechanism allows."""

    def meets(scale: float) -> bool:
        return delta(float(scale)) <= mechanism.delta

    best = next((k for k in reversed(range(len(_SCALES))) if meets(_SCALES[k])), None)
    if best is None:
        raise ValueError(
            f"counts must allow a scale with epsilon {mechanism.epsilon} and delta"
            f" {mechanism.delta}, but the smallest is {mechanism.least_count or least:.0f}: raise epsilon or"
            " delta, use larger sets, or another mechanism"
        )
    if best == len(_SCALES) - 1:
        return float(_SCALES[-1])
    left, right = _SCALES[best], _SCALES[best + 1]
    for _ in range(45):
        middle = (left + right) / 2
        left, right = (middle, right) if meets(middle) else (left, middle)
    return float(left)


def _pairs(counts: Array, method: Method) -> list[tuple[float, float]]:
    """Numbers of labels of two classes, in both orders, each different pair once: smallest classes first.

    The "tight" delta falls as either number grows: the worst pair is that of the two smallest classes, in one
    of its two orders.
    """
    values, times = np.unique(counts, return_counts=True)
    twice = np.repeat(values, np.minimum(times, 2)).tolist()
    return list(dict.fromkeys(permutations(twice[: 2 if method == "tight" else None], 2)))


def dirichlet_delta(
    counts: ArrayLike,
    *,
    scale: float,
    epsilon: float,
    method: Method = "exact",
) -> float:
    r"""Delta of the scaled Dirichlet mechanism at given counts: the largest over ordered pairs of classes.

    Neighbours move one label from class i to class j, and delta is that of the given counts against the
    neighbour's; the other direction is the same function at the neighbour's counts. The scale is the same for
    both. The loss is a monotone function of
    :math:`t=\theta_i/(\theta_i+\theta_j)\sim\mathrm{Beta}(\sigma\eta_i,\sigma\eta_j)`, so that

    - "exact" is the printed :math:`\Pr[t>\tau]`, one incomplete beta function;
    - "chebyshev" is the printed bound on it;
    - "tight" is :math:`\Pr[t>\tau]-e^\epsilon\Pr{}'[t>\tau]`, the smallest possible delta.

    Parameters
    ----------
    counts : array_like, shape (c,)
        Numbers of labels :math:`\eta` of each class, integers >= 1.
    scale : float
        The mechanism's :math:`\sigma`, from 1e-30 to 1e6.
    epsilon : float
        Privacy, finite and >= 0.
    method : {"exact", "chebyshev", "tight"}
        Which delta.

    Returns
    -------
    float
        Delta; 1 where a class has a single label, which the neighbour lacks. "exact" and "tight" are
        rounded up by one part in 10^9, against rounding errors that would make them too small. This is tested
        for scales of 1e-30 to 1e6, counts of 2 to a million and epsilons of 1e-6 to 50.

    Notes
    -----
    Source: Iyer et al. (2016), Equations 9 and 10.
    Derived in: class-ratios/label-privacy

    Examples
    --------
    >>> counts = [50, 50, 50, 50, 800]
    >>> round(dirichlet_delta(counts, scale=0.785, epsilon=0.05, method="tight"), 3)
    0.05
    >>> round(dirichlet_delta(counts, scale=0.785, epsilon=0.05), 3)
    0.424
    """
    eta = check_counts(counts)
    sigma, epsilon = positive("scale", scale), non_negative("epsilon", epsilon)
    one_of("method", method, ("exact", "chebyshev", "tight"))
    if not _LEAST_SCALE <= sigma <= _LARGEST_SCALE:
        raise ValueError(f"scale must be in [{_LEAST_SCALE:g}, {_LARGEST_SCALE:g}], got {scale!r}")
    if eta.min() < 2:
        return 1.0
    size = float(eta.sum())
    return max(moved_delta(i, j, size, sigma, epsilon, method) for i, j in _pairs(eta, method))


def moved_delta(i: float, j: float, size: float, sigma: float, epsilon: float, method: Method) -> float:
    """Delta for a label moved from a class of i >= 2 labels to one of j, of `size` labels in all."""
    if method == "chebyshev":
        return _chebyshev_delta(i, j, size, sigma, epsilon)
    found = _beta_delta(i, j, sigma, epsilon, method == "tight")
    return min(1.0, found * (1 + _MARGIN) + float(np.finfo(float).tiny))


_LEAST_SCALE, _LARGEST_SCALE = 1e-30, 1e6  # below the first, delta would come out too small


# A relative margin far above the rounding errors of _beta_delta, which are largest where delta is tiny.
_MARGIN = 1e-9


_DROPS = np.array([1.0, 3.0, 7.0, 13.0, 21.0, 31.0, 43.0, 60.0])
_PARTS = np.arange(1, 513) / 512


def _chebyshev_delta(i: float, j: float, size: float, sigma: float, epsilon: float) -> float:
    log_k = _log_lambda(i, j, sigma) + np.log(i / j) + epsilon / sigma
    # Moments of theta_i - K theta_j, divided by K where K > 1, because K may be too large for a float.
    share_i, share_j = i / size, j / size
    u, v = np.exp(-max(log_k, 0.0)), np.exp(min(log_k, 0.0))
    mean = share_i * u - share_j * v
    variance = (
        share_i * (1 - share_i) * u**2 + share_j * (1 - share_j) * v**2 + 2 * share_i * share_j * u * v
    ) / (sigma * size + 1)
    return float(min(1.0, variance / mean**2)) if mean < 0 else 1.0


def _log_lambda(i: float, j: float, sigma: float) -> float:
    """ln Lambda / sigma - ln(i / j): means of digamma - ln, whose differences lose no digits."""
    of_i = _digamma_less_log(sigma * (i - 1 + NODES)) + np.log1p((NODES - 1) / i)
    of_j = _digamma_less_log(sigma * (j + NODES)) + np.log1p(NODES / j)
    return float((of_i - of_j) @ WEIGHTS)


def _digamma_less_log(x: Array) -> Array:
    r = 1 / np.maximum(x, 20.0) ** 2
    series = -0.5 / x - r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))))
    return np.where(x < 20, digamma(x) - np.log(x), series)


def _beta_delta(i: float, j: float, sigma: float, epsilon: float, tight: bool) -> float:
    """Delta of one pair, by quadrature of a positive function: no differences, so no digits are lost.

    With v the logarithm of the odds of t, minus its most likely value, the loss is
    epsilon + sigma (v - start), so that delta is the mean of 1 (exact) or 1 - exp(-sigma (v - start))
    (tight) over v > start.
    """
    a, b = sigma * i, sigma * j
    start = _log_lambda(i, j, sigma) + epsilon / sigma
    # By log-concavity, the probability beyond the start is at most the density there relative to its peak.
    peak = float(_log_odds_density(np.array(min(max(start, 0.0), 1e100)), a, b))
    if peak < -750:
        return 0.0
    left, right, ends = _breaks(np.array([0.0, 0.0, max(start, 0.0)]), np.array([-1, 1, 1]), a, b)
    if start < 0:
        ends = np.concatenate([right, left[left > start], [max(start, left.min())]])
    if tight:  # the weight changes within some 1 / sigma
        near = start + np.array([1, 4, 16, 40]) / sigma
        ends = np.concatenate([ends, near[(near > ends.min()) & (near < ends.max())]])
    v, weight = _points(ends)
    part = weight * np.exp(_log_odds_density(v, a, b) - peak)
    if tight:
        part = part * -np.expm1(-sigma * (v - start))
    v, weight = _points(np.concatenate([left, right]))
    whole = (weight * np.exp(_log_odds_density(v, a, b))).sum()
    return float(np.exp(peak + np.log(part.sum()) - np.log(whole)))


def _points(ends: Array) -> tuple[Array, Array]:
    """Nodes and weights on all intervals between the ends."""
    ends = np.unique(ends)
    length = np.diff(ends)[:, None]
    return (ends[:-1, None] + length * NODES).ravel(), (length * WEIGHTS).ravel()


def _breaks(start: Array, side: NDArray[np.intp], a: float, b: float) -> list[Array]:
    """Ends of intervals, out to where the density has fallen by exp(-60), dense where it falls or bends."""
    start, side = start[:, None], side[:, None]
    top = _log_odds_density(start, a, b)

    def fallen(step: Array) -> Array:
        return top - _log_odds_density(start + side * step, a, b)

    steps = np.sqrt(1 / a + 1 / b) * 2.0 ** np.arange(-40, 60)
    last = steps[np.argmax(fallen(steps) >= _DROPS[-1], axis=1)]
    parts = last[:, None] * _PARTS
    # The first part at which the density has fallen by each of the drops.
    first = (fallen(parts)[:, None] >= _DROPS[:, None]).argmax(axis=2)
    bends = np.log(b / a) + np.outer([-1, 1], [0, *(2.0 ** np.arange(0, 60))]).ravel()
    return [
        np.concatenate([ends, bends[(bends > ends.min()) & (bends < ends.max())]])
        for ends in np.hstack([start, start + side * np.take_along_axis(parts, first, axis=1)])
    ]


def _log_odds_density(v: Array, a: float, b: float) -> Array:
    """Log density of ln(t / (1 - t)) - ln(a / b) for t of Beta(a, b), minus its largest value, at v = 0."""
    s, n = np.abs(v), a + b
    own, other = np.where(v > 0, a, b), np.where(v > 0, b, a)
    near = np.minimum(s, 1.0)
    return np.where(
        own <= other,
        np.where(
            s < 1,
            own * near - n * np.log1p(own / n * np.expm1(near)),
            -other * s - n * np.log(own / n + other / n * np.exp(-s)),
        ),
        -other * s - n * np.log1p(other / n * np.expm1(-s)),
    )
