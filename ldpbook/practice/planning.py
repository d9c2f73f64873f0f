"""Planning a survey: how many people to ask at which epsilon, and intervals that hold at every look."""

from math import ceil, expm1, log1p, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, ndtr, ndtri, xlog1py, xlogy

from ldpbook._arrays import Array, numeric
from ldpbook._validate import choices, count, open_probability, positive, probability
from ldpbook.practice.regression import check_channel

__all__ = ["epsilon_needed", "people_for_power", "people_needed", "power_of_difference", "watched_interval"]

_MOST_PEOPLE = 2**53
_MOST_REPORTS = 2**40  # above it, floats do not hold a log-likelihood to a thousandth
_LEAST_EPSILON, _MOST_EPSILON = 1e-9, 300.0
_MOST_ERROR = 1e20  # above the error from one person at the smallest epsilon with 2^53 symbols
_HALVINGS = 60


def people_needed(*, error: float, epsilon: float, share: float, n_symbols: int) -> int:
    r"""Smallest number of people from whose reports a share has the wanted standard error.

    Parameters
    ----------
    error : float
        Wanted standard error, > 0; that of `survey_shares` if people are drawn at random.
    epsilon : float
        Privacy budget of one report by randomized response, from 1e-9 to 300.
    share : float
        Share f of the symbol in the population. Use the largest share up to 1/2 that you expect: the error
        grows with f up to 1/2 and, with three or more symbols, beyond 1/2.
    n_symbols : int
        Number s >= 2 of symbols, including NULL if it is one.

    Returns
    -------
    int
        Number of people, at least 1.

    Raises
    ------
    ValueError
        If more than 2^53 people are needed, or an argument is out of range.

    Notes
    -----
    With :math:`u=1/(e^\epsilon-1)`, the number is :math:`(f+u)(1-f+(s-1)u)` over the squared error, rounded
    up.

    Derived in: practice/regression

    Examples
    --------
    >>> people_needed(error=0.01, epsilon=1.0, share=0.3, n_symbols=3)
    16440
    """
    wanted = positive("error", error)
    variance = _variance(probability("share", share), _noise(epsilon), choices("n_symbols", n_symbols))
    return _rounded_up(sqrt(variance) / wanted)


def epsilon_needed(*, error: float, n_people: int, share: float, n_symbols: int) -> float:
    r"""Smallest epsilon at which the reports of so many people give a share with the wanted standard error.

    Parameters
    ----------
    error, share, n_symbols
        As in :func:`people_needed`.
    n_people : int
        Number of people who report, >= 1.

    Returns
    -------
    float
        Epsilon, at least 1e-9 and at most 300.

    Raises
    ------
    ValueError
        If so many people cannot reach the error at epsilon 300, where nearly all tell the truth.

    Notes
    -----
    The variance in :func:`people_needed` is a quadratic function of u, which is solved for u.

    Derived in: practice/regression

    Examples
    --------
    >>> round(epsilon_needed(error=0.01, n_people=16_440, share=0.3, n_symbols=3), 4)
    1.0
    """
    wanted, n = min(positive("error", error), _MOST_ERROR), count("n_people", n_people)
    f, others = probability("share", share), choices("n_symbols", n_symbols) - 1
    room, slope = n * (wanted * wanted) - f * (1 - f), 1 - f + f * others
    noise = 2 * room / (slope + sqrt(slope**2 + 4 * others * room)) if room > 0 else 0.0
    if noise < (least := _noise(_MOST_EPSILON)):
        told = f"above that of {n} people at epsilon 300, {sqrt(_variance(f, least, others + 1) / n):.4g}"
        raise ValueError(f"error must be {told}, got {error!r:.80}")
    return max(log1p(1 / noise), _LEAST_EPSILON)


def power_of_difference(
    first: float, second: float, *, n_people: int, epsilon: float, n_symbols: int, level: float
) -> float:
    r"""Power: probability that a test finds the difference of two groups' shares, with the right sign.

    The test compares the numbers of reports of the symbol in both groups, as it would compare answers without
    noise: the z statistic, with one variance for both groups, is compared with the two-sided normal quantile.
    Equal shares are rejected with probability `level` at every epsilon, because reports are then equally
    probable in both groups.

    Parameters
    ----------
    first, second : float
        Shares of the symbol in the two groups; they differ.
    n_people : int
        People who report in *each* group, >= 1.
    epsilon, n_symbols
        As in :func:`people_needed`.
    level : float
        Probability in (0, 1) of a false alarm.

    Returns
    -------
    float
        Probability by the normal approximation, good once there are some tens of reports of either kind.

    Notes
    -----
    Derived in: practice/regression

    Examples
    --------
    >>> plan = dict(epsilon=1.0, n_symbols=2, level=0.05)
    >>> round(power_of_difference(0.2, 0.3, n_people=2000, **plan), 3)
    0.852
    """
    difference, null, both, z = _two_groups(first, second, epsilon, n_symbols, level)
    return float(ndtr((difference * sqrt(count("n_people", n_people)) - z * null) / both))


def people_for_power(
    first: float, second: float, *, power: float, epsilon: float, n_symbols: int, level: float
) -> int:
    """Smallest number of people in each of two groups with which the test has the wanted power.

    Parameters
    ----------
    power : float
        Power as in :func:`power_of_difference`, in (0, 1).
    first, second, epsilon, n_symbols, level
        As in :func:`power_of_difference`.

    Returns
    -------
    int
        Number of people in each group, at least 1.

    Raises
    ------
    ValueError
        If more than 2^53 people are needed, or an argument is out of range.

    Notes
    -----
    Derived in: practice/regression

    Examples
    --------
    >>> people_for_power(0.2, 0.3, power=0.8, epsilon=1.0, n_symbols=2, level=0.05)
    1739
    """
    difference, null, both, z = _two_groups(first, second, epsilon, n_symbols, level)
    quantile = float(ndtri(open_probability("power", power)))
    return _rounded_up(max(z * null + quantile * both, 0) / difference)


def watched_interval(
    n_yes: ArrayLike, n_reports: ArrayLike, *, p: float, q: float, confidence: float
) -> tuple[Array, Array]:
    r"""Intervals for a share that hold at all numbers of reports together, however often you look.

    With probability at least `confidence`, *all* of them contain the share, from the first report to the
    last. So a survey may be stopped as soon as its interval is short enough, or excludes a share of interest.

    Parameters
    ----------
    n_yes, n_reports : array_like of int, of one shape
        Number of reports that were yes, and number of reports, >= 1, at each look.
    p, q : float
        Probabilities of reporting yes if the answer is yes and if it is no; they differ.
    confidence : float
        Probability that all intervals hold, in (0, 1).

    Returns
    -------
    lower, upper : ndarray, of that shape; np.float64 for a single look without an axis
        Ends of the intervals, not cut off at 0 and 1. An interval entirely outside 0 to 1 contradicts the
        channel, at level 1 - `confidence`.

    Raises
    ------
    ValueError
        If p = q, counts are not whole numbers, there are more yes reports than reports, or there are none or
        more than 2^40 reports.

    Notes
    -----
    With s yes among n reports, the rates r with :math:`(n+1)\binom ns r^s(1-r)^{n-s}` at most
    1 - `confidence` are excluded.

    Derived in: practice/regression

    Examples
    --------
    >>> coins = dict(p=0.75, q=0.25)
    >>> lower, upper = watched_interval([40, 400], [100, 1000], **coins, confidence=0.95)
    >>> lower.round(3), upper.round(3)
    (array([0.008, 0.192]), array([0.618, 0.411]))
    """
    p, q = check_channel(p, q)
    alpha = 1 - open_probability("confidence", confidence)
    yes, n = numeric("n_yes", n_yes), numeric("n_reports", n_reports)
    if not ((n >= 1) & (n <= _MOST_REPORTS) & (n == np.floor(n))).all():
        raise ValueError("n_reports must be whole numbers from 1 to 2^40, got others")
    if yes.shape != n.shape or not ((yes >= 0) & (yes <= n) & (yes == np.floor(yes))).all():
        raise ValueError(f"n_yes must be whole numbers from 0 to n_reports, shape {n.shape}, got others")
    # A rate is kept if its likelihood exceeds alpha times the mean over all rates, a beta function.
    least = betaln(yes + 1, n - yes + 1) + np.log(alpha)
    ends = []
    for beyond in (0.0, 1.0):
        inside, outside = yes / n, np.full(n.shape, beyond)
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            kept = xlogy(yes, middle) + xlog1py(n - yes, -middle) > least
            inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
        ends.append((outside - q) / (p - q))
    return np.minimum(*ends), np.maximum(*ends)


def _noise(epsilon: float) -> float:
    """Ratio q / (p - q) = 1 / (e^epsilon - 1) for probabilities p of a kept symbol and q of each other."""
    if not _LEAST_EPSILON <= positive("epsilon", epsilon) <= _MOST_EPSILON:
        raise ValueError(f"epsilon must lie in {_LEAST_EPSILON:g}..{_MOST_EPSILON:g}, got {epsilon!r:.80}")
    return 1 / expm1(float(epsilon))


def _variance(share: float, noise: float, n_symbols: int) -> float:
    """Variance of the share to which one report decodes."""
    return (share + noise) * (1 - share + (n_symbols - 1) * noise)


def _two_groups(
    first: float, second: float, epsilon: float, n_symbols: int, level: float
) -> tuple[float, float, float, float]:
    """Difference, its standard errors for one report per group if shares are equal and as they are, and z."""
    shares = probability("first", first), probability("second", second)
    if shares[0] == shares[1]:
        raise ValueError(f"first must differ from second, got {first!r:.80} for both")
    noise, s = _noise(epsilon), choices("n_symbols", n_symbols)
    z = -float(ndtri(open_probability("level", level) / 2))
    null = sqrt(2 * _variance(sum(shares) / 2, noise, s))
    return abs(shares[0] - shares[1]), null, sqrt(sum(_variance(f, noise, s) for f in shares)), z


def _rounded_up(root: float) -> int:
    """Smallest number of people, at least one, whose square root is at least `root`."""
    if root * root > _MOST_PEOPLE:
        raise ValueError("error, power or epsilon must be within reach of 2^53 people, got what needs more")
    return max(1, ceil(root * root))
