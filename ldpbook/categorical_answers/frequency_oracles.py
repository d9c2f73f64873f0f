"""Frequencies of choices from private reports, with the variance of an estimate at every frequency."""

from dataclasses import dataclass
from math import exp, floor

import numpy as np
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, numeric
from ldpbook._validate import choices, count, flag, positive, probability

__all__ = [
    "FrequencyOracle",
    "k_ary_response",
    "local_hashing",
    "subset_selection",
    "unary_encoding",
]

_LEAST_EPSILON, _LARGEST_EPSILON = 1e-6, 15.0  # between them p - q and 1 - p keep nine digits
_LEAST_OWN = 1e-100  # so that the square of p - q is above 0 in floats


@dataclass(frozen=True)
class FrequencyOracle:
    r"""Reports that each support some choices: a worker's own with probability p, others with probability q.

    The share of the reports that support a choice, minus q and divided by p - q, is an unbiased estimate of
    its frequency. Reports of different workers are independent. That one report may support several choices
    matters for sums over choices, not for the variance of one estimate.

    Parameters
    ----------
    own : float
        Probability p that a report supports its worker's own answer, in [1e-100, 1].
    other : float
        Probability q that it supports any given other choice, in [0, p).

    Notes
    -----
    Source: Wang et al. (2017), who call these pure protocols.
    Derived in: remedies/known-channel

    Examples
    --------
    >>> oracle = FrequencyOracle(own=0.5, other=0.25)
    >>> oracle.estimate([30, 40, 50], n_reports=100)
    array([0.2, 0.6, 1. ])
    >>> oracle.variance([0.0, 1.0], n_reports=100)
    array([0.03, 0.04])
    """

    own: float
    other: float

    def __post_init__(self) -> None:
        if probability("own", self.own) < _LEAST_OWN:
            raise ValueError(f"own must lie in [1e-100, 1], got {self.own!r:.80}")
        if not probability("other", self.other) < self.own:
            raise ValueError(f"other must be smaller than own = {self.own!r:.80}, got {self.other!r:.80}")

    def estimate(self, supports: ArrayLike, n_reports: int) -> Array:
        """Unbiased estimates of frequencies; they may be negative or above 1.

        Parameters
        ----------
        supports : array_like
            Number of reports that support each choice, 0..n_reports.
        n_reports : int
            Total number of reports, >= 1.

        Returns
        -------
        ndarray
            Estimated share of the workers with each choice.
        """
        n, spoken = count("n_reports", n_reports), numeric("supports", supports)
        if not ((spoken >= 0) & (spoken <= n)).all():
            raise ValueError(f"supports must lie in 0..n_reports = {n}, got {supports!r:.80}")
        found: Array = (spoken / n - self.other) / (self.own - self.other)
        return found

    def variance(self, frequency: ArrayLike, n_reports: int) -> Array:
        """Exact variance of an estimate, with the answers held fixed.

        Parameters
        ----------
        frequency : array_like
            Share of the workers with the choice, in [0, 1].
        n_reports : int
            Number of reports, >= 1.

        Returns
        -------
        ndarray
            Variance of the estimated share. If answers are themselves random draws, add f (1 - f) / n.
        """
        n, f = count("n_reports", n_reports), numeric("frequency", frequency)
        if not ((f >= 0) & (f <= 1)).all():
            raise ValueError(f"frequency must lie in [0, 1], got {frequency!r:.80}")
        p, q = self.own, self.other
        found: Array = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (p - q) ** 2 / n
        return found


def k_ary_response(n_choices: int, epsilon: float) -> FrequencyOracle:
    """Randomized response: a report is a choice, and supports that choice alone.

    Epsilon-LDP for any two answers of a worker. It is :class:`OneLayerFlip` at this epsilon.

    Parameters
    ----------
    n_choices : int
        Number k of choices, >= 2.
    epsilon : float
        Privacy budget of one answer, between 1e-6 and 15.

    Returns
    -------
    FrequencyOracle
        Oracle with the probabilities p and q of its reports.

    Notes
    -----
    Source: Kairouz, Oh and Viswanath (2016).
    Derived in: remedies/known-channel

    Examples
    --------
    >>> oracle = k_ary_response(4, 1.0)
    >>> round(oracle.own, 3), round(oracle.other, 3)
    (0.475, 0.175)
    """
    return subset_selection(n_choices, epsilon, size=1)


def subset_selection(n_choices: int, epsilon: float, *, size: int | None = None) -> FrequencyOracle:
    r"""Subset selection: a report is d choices, e^epsilon times as likely if they include the worker's own.

    Epsilon-LDP for any two answers of a worker. With d = 1 it is randomized response. No d has a smaller sum
    of variances over all choices than the default, which is the floor or the ceiling of
    :math:`k/(e^\epsilon+1)`.

    Parameters
    ----------
    n_choices : int
        Number k of choices, >= 2.
    epsilon : float
        Privacy budget of one answer, between 1e-6 and 15.
    size : int, optional
        Number d of choices in a report, 1..k-1.

    Returns
    -------
    FrequencyOracle
        Oracle with the probabilities p and q of its reports.

    Raises
    ------
    ValueError
        If `size` is not below `n_choices`.

    Notes
    -----
    Source: Wang et al. (2016), Ye and Barg (2018).
    Derived in: remedies/known-channel

    Examples
    --------
    >>> oracle = subset_selection(8, 1.0)  # sets of two
    >>> round(oracle.own, 3), round(oracle.other, 3)
    (0.475, 0.218)
    """
    k, a = choices("n_choices", n_choices), exp(-_checked(epsilon))
    if size is None:
        down = min(max(floor(k * a / (1 + a)), 1), k - 1)
        up = min(down + 1, k - 1)
        d = min(down, up, key=lambda d: (d + (k - d) * a) ** 2 / (d * (k - d)))
    elif (d := count("size", size)) >= k:
        raise ValueError(f"size must be below n_choices = {k}, got {size}")
    own = d / (d + (k - d) * a)
    return FrequencyOracle(own, (d - own) / (k - 1) if d > 1 else own * a)


def unary_encoding(epsilon: float, *, symmetric: bool = False) -> FrequencyOracle:
    """Unary encoding: a report has a bit per choice, flipped independently; it supports those with a one.

    Epsilon-LDP for any two answers of a worker, whose bits differ at two places.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one answer, between 1e-6 and 15.
    symmetric : bool
        Whether ones and zeros are flipped with the same probability; otherwise a one is kept with probability
        one half, which is best for rare choices.

    Returns
    -------
    FrequencyOracle
        Oracle with the probabilities p and q of its reports.

    Notes
    -----
    Source: Wang et al. (2017); for the symmetric one, Erlingsson, Pihur and Korolova (2014).
    Derived in: remedies/known-channel

    Examples
    --------
    >>> round(unary_encoding(1.0).other, 3), round(unary_encoding(1.0, symmetric=True).other, 3)
    (0.269, 0.378)
    """
    a = exp(-_checked(epsilon) / (2 if flag("symmetric", symmetric) else 1))
    return FrequencyOracle(1 / (1 + a) if symmetric else 0.5, a / (1 + a))


def local_hashing(epsilon: float, *, n_buckets: int | None = None) -> FrequencyOracle:
    r"""Randomized response on a hash of the answer; a report supports all choices with that hash.

    Epsilon-LDP for any two answers of a worker. Each worker draws her own hash function, under which any two
    choices have the same value with probability 1/g, and reports it too.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one answer, between 1e-6 and 15.
    n_buckets : int, optional
        Number g of hash values, >= 2; by default the number with the smallest variance for a rare choice,
        an integer next to :math:`e^\epsilon+1`.

    Returns
    -------
    FrequencyOracle
        Oracle with the probabilities p and q of its reports.

    Notes
    -----
    Source: Wang et al. (2017).
    Derived in: remedies/known-channel

    Examples
    --------
    >>> oracle = local_hashing(1.0)  # four hash values
    >>> round(oracle.own, 3), oracle.other
    (0.475, 0.25)
    """
    e = exp(_checked(epsilon))
    if n_buckets is None:
        g = 1 + min(np.floor(e), np.ceil(e), key=lambda u: e * (e / u) + u)
    else:
        g = choices("n_buckets", n_buckets)
    return FrequencyOracle(float(1 / (1 + (g - 1) / e)), float(1 / g))


def _checked(epsilon: float) -> float:
    if not _LEAST_EPSILON <= positive("epsilon", epsilon) <= _LARGEST_EPSILON:
        raise ValueError(f"epsilon must lie in [1e-6, 15], got {epsilon!r:.80}")
    return float(epsilon)
