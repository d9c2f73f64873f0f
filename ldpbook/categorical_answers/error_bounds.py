"""How often a vote errs: the printed bounds, corrected bounds, and the exact rate.

Standard library only.
"""

from collections.abc import Iterable
from math import (
    comb,
    exp,
    fsum,
    inf,
    lgamma,
    log,
    log1p,
    prod,
    sqrt,
)
from typing import Any

from ldpbook._validate import count, finite, fraction, listed, probability

__all__ = [
    "delta_cdf",
    "delta_density",
    "equal_vote_error",
    "importance_score",
    "importance_score_corrected",
    "vote_error",
    "vote_error_bound",
    "vote_error_bound_corrected",
]


def vote_error_bound(accuracies: Iterable[float]) -> float:
    r"""Li's Equations 6 and 7 as printed: :math:`\prod_u G(\alpha_u)`, said to bound a vote's error.

    .. math::
        G(\alpha) = \Bigl(\frac\alpha e + (1-\alpha)e\Bigr)^{\ln\frac{\alpha}{1-\alpha}}

    The printed product is not a bound in general: it fails for five users of accuracy 0.9, and for two of
    accuracy 0.1. See :func:`vote_error_bound_corrected`.

    Parameters
    ----------
    accuracies : iterable of float
        Probability that each of one or more users answers a question with two choices correctly, in [0, 1].

    Returns
    -------
    float
        The printed product.

    Notes
    -----
    Source: Li et al. (2018), Equations 6 and 7.
    Derived in: categorical-answers/error-bounds

    Examples
    --------
    >>> round(vote_error_bound([0.9] * 5), 5), round(vote_error_bound([0.1] * 5), 6)
    (0.00385, 4.6e-05)
    """
    return prod(map(_printed_factor, _accuracies(accuracies)))


def vote_error_bound_corrected(accuracies: Iterable[float]) -> float:
    r"""Bhattacharyya's bound on the error of a vote weighted by known log-odds.

    .. math::
        \tfrac12\prod_u 2\sqrt{\alpha_u(1-\alpha_u)}

    Parameters
    ----------
    accuracies : iterable of float
        As in :func:`vote_error_bound`.

    Returns
    -------
    float
        Bound on the probability of a wrong answer to a question whose two choices are
        equally likely, ties broken by a fair coin.

    Notes
    -----
    Corrects: Li et al. (2018), Equations 6 and 7.
    Derived in: categorical-answers/error-bounds

    Examples
    --------
    >>> round(vote_error_bound_corrected([0.9] * 5), 5), round(vote_error([0.9] * 5), 5)
    (0.03888, 0.00856)
    """
    return prod(map(_affinity, _accuracies(accuracies))) / 2


def vote_error(accuracies: Iterable[float]) -> float:
    """Exact error of a vote weighted by known log-odds, over all 2^m patterns of m users.

    Parameters
    ----------
    accuracies : iterable of float
        As in :func:`vote_error_bound`; at most 20 of them.

    Returns
    -------
    float
        Probability of a wrong answer to a question whose two choices are equally likely, ties
        broken by a fair coin.

    Notes
    -----
    Derived in: categorical-answers/error-bounds

    Examples
    --------
    A user who is surely right decides alone; users who guess decide nothing.

    >>> vote_error([0.9, 0.5]), vote_error([0.6, 1.0])
    (0.09999999999999998, 0.0)
    """
    values = _accuracies(accuracies)
    if len(values) > 20:
        raise ValueError(f"accuracies must be at most 20, for 2^20 patterns, got {len(values)}")
    # Probability of each pattern of votes together with the one truth, and together with the other.
    patterns = [(0.5, 0.5)]
    for p in values:
        patterns = [pair for x, y in patterns for pair in ((x * p, y * (1 - p)), (x * (1 - p), y * p))]
    return fsum(min(pair) for pair in patterns)


def equal_vote_error(*, accuracy: float, n_users: int) -> float:
    """Exact error of the best vote of users who are all equally accurate.

    This is a majority vote, reversed if the users err more often than not.

    Parameters
    ----------
    accuracy : float
        Probability that each user answers a question with two choices correctly, in [0, 1].
    n_users : int
        Number of users, from 1 to 1,000.

    Returns
    -------
    float
        Probability of a wrong answer to a question whose two choices are equally likely, ties
        broken by a fair coin.

    Notes
    -----
    Derived in: categorical-answers/error-bounds

    Examples
    --------
    >>> [round(equal_vote_error(accuracy=a, n_users=5), 5) for a in (0.9, 0.1)]
    [0.00856, 0.00856]
    """
    a, n = probability("accuracy", accuracy), count("n_users", n_users)
    if n > 1000:
        raise ValueError(f"n_users must be at most 1,000, got {n}")
    wrong = min(a, 1 - a)
    if wrong == 0:
        return 0.0
    # Start with the most probable number of right answers that loses or ties; each further term is the one
    # before it times a ratio, so no factorial overflows.
    k = n // 2
    part = exp(log(comb(n, k)) + (n - k) * log(wrong) + k * log1p(-wrong))
    parts = [part if 2 * k < n else part / 2]
    for right in range(k, 0, -1):
        part *= right / (n - right + 1) * (wrong / (1 - wrong))
        parts.append(part)
    return fsum(parts)


def _accuracies(values: Iterable[float]) -> list[float]:
    given: list[Any] = listed("accuracies", values)
    if not given:
        raise ValueError("accuracies must be those of at least one user, got none")
    return [probability("accuracies", value) for value in given]


def importance_score(accuracy: float) -> float:
    """A user's importance by Li's Equation 7: the factor by which the printed product grows without her.

    The source defines importance as the ratio of the error rates without and with the user, and then uses
    this ratio of bounds instead. The exact ratio depends on the other users (see :func:`vote_error`) and is
    at most 1/(2 min(a, 1-a)) for accuracy a. The source replaces accuracies above 1/2 by their mirror images
    below it; this function does not.

    Parameters
    ----------
    accuracy : float
        Probability of a right answer to a question with two choices, in [0, 1].

    Returns
    -------
    float
        1/G; infinite for accuracies 0 and 1.

    Notes
    -----
    Source: Li et al. (2018), Section 6.2.3.
    Derived in: categorical-answers/error-bounds

    Examples
    --------
    These two users are equivalent, because the answers of one, reversed, are as good as the other's:

    >>> round(importance_score(0.1), 2), round(importance_score(0.9), 2)
    (7.38, 3.04)
    """
    return _reciprocal(_printed_factor(probability("accuracy", accuracy)))


def importance_score_corrected(accuracy: float) -> float:
    r"""Factor by which leaving a user out raises Bhattacharyya's bound, which holds.

    Like :func:`importance_score`, it is a ratio of bounds: it neither equals nor bounds the ratio of the
    error rates without and with the user, by which the source defines importance.

    Parameters
    ----------
    accuracy : float
        As in :func:`importance_score`.

    Returns
    -------
    float
        :math:`1/(2\sqrt{\alpha(1-\alpha)})`; infinite for accuracies 0 and 1.

    Notes
    -----
    In place of: Li et al. (2018), Section 6.2.3, which takes the ratio of the products in Equation 7.
    Derived in: categorical-answers/error-bounds

    Examples
    --------
    >>> round(importance_score_corrected(0.1), 3), round(importance_score_corrected(0.9), 3)
    (1.667, 1.667)
    """
    return _reciprocal(_affinity(probability("accuracy", accuracy)))


def _printed_factor(accuracy: float) -> float:
    """G of Li's Equation 7; 0 for an accuracy of 0 or 1."""
    if accuracy in (0, 1):
        return 0.0
    power: float = (accuracy * exp(-1) + (1 - accuracy) * exp(1)) ** log(accuracy / (1 - accuracy))
    return power


def _affinity(accuracy: float) -> float:
    return 2 * sqrt(accuracy * (1 - accuracy))


def _reciprocal(factor: float) -> float:
    return 1 / factor if factor else inf


def delta_density(delta: float, *, high: float, n_users: int) -> float:
    r"""Density of a product of n flip probabilities from U(0, b).

    .. math::
        f(x) = \frac{\bigl(\ln(b^n/x)\bigr)^{n-1}}{b^n\,(n-1)!},\qquad 0 < x \le b^n

    Parameters
    ----------
    delta : float
        Point x at which the density is wanted; finite.
    high : float
        Upper end b, in (0, 1].
    n_users : int
        Number n of users, >= 1.

    Returns
    -------
    float
        The density; 0 outside (0, b^n], infinite where it is too large for a float.

    Notes
    -----
    Source: Li et al. (2018), Section 6.2.3.
    Derived in: categorical-answers/error-bounds

    Examples
    --------
    >>> round(delta_density(0.1, high=0.6, n_users=2), 4)
    3.5581
    """
    depth = _depth(delta, high, n_users)
    if not 0 <= depth < inf:
        return 0.0
    if n_users == 1:
        return 1 / high
    if depth == 0:
        return 0.0
    return exp((n_users - 1) * log(depth) - lgamma(n_users) - depth) / delta


def delta_cdf(delta: float, *, high: float, n_users: int) -> float:
    r"""Probability that a product of n flip probabilities from U(0, b) is at most `delta`.

    With x for `delta` and :math:`t=\ln(b^n/x)` it is :math:`e^{-t}\sum_{k<n} t^k/k!`.

    Parameters
    ----------
    delta, high, n_users
        As in :func:`delta_density`.

    Returns
    -------
    float
        The probability.

    Notes
    -----
    Derived in: categorical-answers/error-bounds

    Examples
    --------
    Two layers beat one layer's (b/2)^n with a probability that does not depend on b:

    >>> [round(delta_cdf(0.3**n, high=0.6, n_users=n), 3) for n in (1, 2, 5, 10, 20)]
    [0.5, 0.597, 0.732, 0.837, 0.929]
    """
    depth = _depth(delta, high, n_users)
    if depth == inf:
        return 0.0
    if depth <= 0:
        return 1.0
    return min(1.0, fsum(exp(k * log(depth) - lgamma(k + 1) - depth) for k in range(n_users)))


def _depth(delta: float, high: float, n_users: int) -> float:
    """ln(b^n / x), infinite for x <= 0."""
    finite("delta", delta)
    ceiling = count("n_users", n_users) * log(fraction("high", high))
    return ceiling - log(delta) if delta > 0 else inf
