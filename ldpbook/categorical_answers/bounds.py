"""Variances and weights of flipped answers, their exact epsilon, and the flips for a wanted one.

Standard library only.
"""

from collections.abc import Callable
from math import (
    exp,
    expm1,
    factorial,
    fsum,
    inf,
    isclose,
    log,
    log1p,
    nextafter,
)
from typing import NamedTuple

from ldpbook._validate import choices, count, open_probability, positive, privacy, probability

__all__ = [
    "k_ary_variance",
    "log_odds_weight",
    "one_layer_epsilon",
    "one_layer_flip_probability",
    "two_layer_epsilon",
    "two_layer_high",
    "two_layer_low",
    "two_layer_worker_epsilon",
    "unary_variance",
]

_TINY = 1e-290  # for a flip probability p below this, (1-p)^k is 1 for any number k of answers


def k_ary_variance(*, n_choices: int, epsilon: float, frequency: float) -> float:
    r"""Variance of a frequency estimated by k-ary response, times the number of workers.

    .. math:: \frac{e^\epsilon+k-2}{(e^\epsilon-1)^2} + f\,\frac{k-2}{e^\epsilon-1}

    Parameters
    ----------
    n_choices : int
        Number k of choices, >= 2.
    epsilon : float
        Epsilon of a worker's answer, > 0.
    frequency : float
        Share f of the workers who gave the choice, in [0, 1].

    Returns
    -------
    float
        Variance of one worker's contribution.

    Notes
    -----
    Derived in: remedies/known-channel

    Examples
    --------
    >>> round(k_ary_variance(n_choices=8, epsilon=1.0, frequency=0.3), 3)
    4.0
    """
    k, odds = choices("n_choices", n_choices), _odds(epsilon)
    return odds * (1 + odds * (k - 1) + probability("frequency", frequency) * (k - 2))


def unary_variance(*, epsilon: float, frequency: float) -> float:
    r"""Variance of a frequency estimated by optimized unary encoding, times the number of workers.

    .. math:: \frac{4e^\epsilon}{(e^\epsilon-1)^2} + f

    Parameters
    ----------
    epsilon, frequency : float
        As for :func:`k_ary_variance`.

    Returns
    -------
    float
        Variance of one worker's contribution.

    Notes
    -----
    Derived in: remedies/known-channel

    Examples
    --------
    >>> round(unary_variance(epsilon=1.0, frequency=0.3), 3)
    3.983
    """
    odds = _odds(epsilon)
    return 4 * odds * (1 + odds) + probability("frequency", frequency)


def _odds(epsilon: float) -> float:
    """1 / (e^epsilon - 1)."""
    eps = positive("epsilon", epsilon)
    return exp(-eps) / -expm1(-eps)


def log_odds_weight(*, accuracy: float, n_choices: int) -> float:
    r"""The best weight of a vote: :math:`\ln\frac{(s-1)\alpha}{1-\alpha}`.

    Parameters
    ----------
    accuracy : float
        Probability alpha of a right answer, in (0, 1); wrong answers are equally likely.
    n_choices : int
        Number s of choices, >= 2.

    Returns
    -------
    float
        Weight: 0 for a worker who guesses, negative for one who does worse.

    Notes
    -----
    Derived in: categorical-answers/voting

    Examples
    --------
    >>> [round(log_odds_weight(accuracy=0.45, n_choices=s), 3) for s in (2, 3)]
    [-0.201, 0.492]
    """
    alpha = open_probability("accuracy", accuracy)
    return log(choices("n_choices", n_choices) - 1) + log(alpha) - log1p(-alpha)


def one_layer_epsilon(flip_probability: float, n_choices: int) -> float:
    r"""Exact epsilon of one flipped answer: :math:`\bigl|\ln\frac{(1-p)(s-1)}{p}\bigr|`.

    It is the epsilon of one cell. A worker whose rows differ in k answers is protected with k times this
    epsilon. Li's Theorem 6.2 prints the logarithm without the absolute value. That is right up to
    p = 1 - 1/s, where every output is equally likely; beyond that the logarithm is negative.

    Parameters
    ----------
    flip_probability : float
        Probability p that an answer is replaced by another choice, in [0, 1].
    n_choices : int
        Number s of choices, >= 2.

    Returns
    -------
    float
        Epsilon; infinite at p = 0 and at p = 1.

    Notes
    -----
    Source: Li et al. (2018), Theorem 6.2.
    Derived in: categorical-answers/one-layer

    Examples
    --------
    >>> round(one_layer_epsilon(0.4, 2), 3)
    0.405
    >>> one_layer_epsilon(0.5, 2), one_layer_epsilon(0.0, 2)
    (0.0, inf)
    """
    p, s = probability("flip_probability", flip_probability), choices("n_choices", n_choices)
    return inf if p in (0, 1) else abs(log1p(-p) + log(s - 1) - log(p))


def one_layer_flip_probability(epsilon: float, n_choices: int) -> float:
    r"""Flip probability that gives a wanted epsilon: :math:`(s-1)/(s-1+e^\epsilon)`.

    Parameters
    ----------
    epsilon : float
        Wanted privacy, >= 0; infinite for no flips.
    n_choices : int
        Number s of choices, >= 2.

    Returns
    -------
    float
        The flip probability p <= 1 - 1/s, which keeps more answers than the other solution; 0 only for an
        infinite epsilon. Where p is too small for a float, it is the smallest float above 0.

    Notes
    -----
    Source: inverse of Li et al. (2018), Theorem 6.2.
    Derived in: categorical-answers/one-layer

    Examples
    --------
    >>> round(one_layer_flip_probability(0.405465, 2), 4)
    0.4
    """
    other = exp(-privacy("epsilon", epsilon))
    s = choices("n_choices", n_choices)
    p = (s - 1) * other / (1 + (s - 1) * other)
    while p < 1 - 1 / s and one_layer_epsilon(p, s) > epsilon:  # p is rounded, if at all, to more privacy
        p = nextafter(p, 1.0)
    return p


def two_layer_epsilon(low: float, high: float, n_choices: int, n_answers: int = 1) -> float:
    r"""Exact worst-case epsilon of one cell when k answers share one flip probability.

    The probability is drawn from U(a, b) once per user. With one answer this is Li's Theorem 6.3 with the
    absolute value that it lacks, :math:`\bigl|\ln\frac{(2-a-b)(s-1)}{a+b}\bigr|`; with k answers it is
    larger, because the other answers reveal how much the user flips.

    Parameters
    ----------
    low, high : float
        Ends a <= b of the interval, in [0, 1].
    n_choices : int
        Number s of choices, >= 2.
    n_answers : int
        Number k of the user's answers, >= 1.

    Returns
    -------
    float
        Largest absolute loss over all outputs; infinite if all flip probabilities are 0 or 1.

    Notes
    -----
    Source: Li et al. (2018), Theorem 6.3, for one answer.
    Derived in: categorical-answers/price-of-reuse

    Examples
    --------
    >>> [round(two_layer_epsilon(0, 0.6, 2, k), 3) for k in (1, 2, 5)]
    [0.847, 1.061, 1.647]
    """
    a, b = _ends(low, high)
    k, s = count("n_answers", n_answers), choices("n_choices", n_choices)
    if a == b:
        return one_layer_epsilon(a, s)
    if b < _TINY:
        return log(s - 1) - _log_moment(a, b, 1)
    interval = _Interval.of(a, b)
    least, most = _flip_odds(interval, k), _flip_odds(interval.mirrored, k)
    return max(abs(log(s - 1) - log(least)), abs(log(s - 1) + log(most)))


def two_layer_worker_epsilon(
    low: float, high: float, n_choices: int, n_answers: int, *, n_changed: int | None = None
) -> float:
    r"""Exact epsilon of a whole worker whose k answers share one flip probability.

    Neighbours are any two rows with the same tasks answered; which tasks are answered is public. An output
    that differs from a row in d cells has the probability
    :math:`Q_d=\mathbb E\bigl[(\tfrac p{s-1})^d(1-p)^{k-d}\bigr]` with p from U(a, b); epsilon is
    :math:`\ln(\max_dQ_d/\min_dQ_d)`. One layer has k times the epsilon of one answer. If only h answers may
    change, epsilon is the logarithm of the largest ratio of two Q whose d differ by at most h.

    Parameters
    ----------
    low, high : float
        Ends a <= b of the interval, in [0, 1].
    n_choices : int
        Number s of choices, >= 2.
    n_answers : int
        Number k of the worker's answers, >= 1; the time taken is proportional to it.
    n_changed : int, optional
        Number h of answers in which two rows may differ, from 1 (as :func:`two_layer_epsilon`) to k, the
        default.

    Returns
    -------
    float
        Largest absolute loss over all outputs and pairs of rows, with an error of about k times 1e-15;
        infinite if all flip probabilities are 0 or 1.

    Notes
    -----
    Derived in: categorical-answers/price-of-reuse

    Examples
    --------
    >>> [round(two_layer_worker_epsilon(0.1, 0.5, 2, k), 3) for k in (1, 2, 5)]
    [0.847, 1.583, 3.497]
    >>> [round(two_layer_worker_epsilon(0.1, 0.5, 2, 5, n_changed=h), 3) for h in (1, 2, 5)]
    [1.201, 2.086, 3.497]
    """
    a, b = _ends(low, high)
    k, s = count("n_answers", n_answers), choices("n_choices", n_choices)
    h = k if n_changed is None else count("n_changed", n_changed)
    if h > k:
        raise ValueError(f"n_changed must not exceed n_answers = {k}, got {h}")
    if a == b:
        return h * one_layer_epsilon(a, s)
    if b < _TINY:
        return h * log(s - 1) - _log_moment(a, b, h)
    interval = _Interval.of(a, b)
    rising = sum(interval.log_ends(d, k) <= 0 for d in range(k))
    up = _flip_ratios(interval, k, rising)
    down = _flip_ratios(interval.mirrored, k, k - rising)
    loss, losses = 0.0, [0.0]
    for odds in (*map(log, up), *(-log(ratio) for ratio in reversed(down))):
        loss += odds - log(s - 1)
        losses.append(loss)
    # The losses are convex in d, so the largest drops begin at the ends.
    return max(losses[0] - min(losses[: h + 1]), losses[-1] - min(losses[-h - 1 :]))


def _ends(low: float, high: float) -> tuple[float, float]:
    a, b = probability("low", low), probability("high", high)
    if a > b:
        raise ValueError(f"low must not exceed high = {high!r}, got {low!r}")
    return a, b


def _log_moment(a: float, b: float, d: int) -> float:
    """ln E[p^d] for p from U(a, b), a < b."""
    return d * log(b) + log(fsum((a / b) ** j for j in range(d + 1)) / (d + 1))


class _Interval(NamedTuple):
    """An interval of flip probabilities a < b, with 1 - a and 1 - b, which may be tiny."""

    low: float
    high: float
    not_low: float
    not_high: float
    width: float

    @classmethod
    def of(cls, a: float, b: float) -> "_Interval":
        return cls(a, b, 1 - a, 1 - b, b - a)

    @property
    def mirrored(self) -> "_Interval":
        """Interval of the probabilities of keeping an answer."""
        return _Interval(self.not_high, self.not_low, self.high, self.low, self.width)

    @property
    def log_shrink(self) -> float:
        """ln((1-a)/(1-b))."""
        if self.not_high == 0:
            return inf
        if self.width < self.not_high:
            return log1p(self.width / self.not_high)
        return log(self.not_low) - log(self.not_high)

    def log_ends(self, d: int, k: int) -> float:
        """ln of b^(d+1) (1-b)^(k-d), divided by the same expression at a, for d < k."""
        if self.low == 0:
            return inf
        return (d + 1) * self.mirrored.log_shrink - (k - d) * self.log_shrink


def _flip_odds(interval: _Interval, k: int) -> float:
    """E[p (1-p)^(k-1)] / E[(1-p)^k] for p from U(a, b), a < b.

    With x = ln((1-a)/(1-b)) and e(j) the integral of exp(-jt) over t from 0 to x, this is
    a e(k) / ((1-a) e(k+1)) + (e(k) - e(k+1)) / e(k+1); where the difference would cancel, it is summed
    as a series.
    """
    a, not_a, x = interval.low, interval.not_low, interval.log_shrink
    less, more = -expm1(-k * x) / k, -expm1(-(k + 1) * x) / (k + 1)
    if (k + 1) * x < 1:
        part, power, total = 1.0, 1.0, 0.0  # part: ((k+1)^(j-1) - k^(j-1)) x^(j-2)
        for j in range(2, 24):
            total += (-1) ** j * part / factorial(j)
            power *= (k + 1) * x
            part = power + k * x * part
        rest = x * (x * total / more)
    else:
        rest = (less - more) / more
    return max(a / not_a * (less / more) + rest, 5e-324)


def _flip_ratios(interval: _Interval, k: int, n: int) -> list[float]:
    """F(d+1)/F(d) for d < n, where F(d) = E[p^d (1-p)^(k-d)] for p from U(a, b), 0 < a < b.

    By integration by parts (k-d) F(d+1) = (d+1) F(d) + A(d) - B(d), where A and B are the values of
    p^(d+1) (1-p)^(k-d) / (b-a) at a and at b: no term is negative as long as A(d) >= B(d).
    """
    a, not_a = interval.low, interval.not_low
    end = (k + 1) * a / (not_a * -expm1(-(k + 1) * interval.log_shrink))  # A(d) / F(d)
    ratios = []
    for d in range(n):
        ratio = (d + 1 - end * expm1(min(interval.log_ends(d, k), 0.0))) / (k - d)
        ratios.append(ratio)
        end *= a / (not_a * ratio)
    return ratios


def two_layer_high(epsilon: float, n_choices: int, *, low: float = 0.0, n_answers: int = 1) -> float:
    """Upper end b of the U(a, b) that has a wanted epsilon, by bisection.

    Parameters
    ----------
    epsilon : float
        Wanted privacy of one cell, >= 0 or infinite.
    n_choices : int
        Number s of choices, >= 2.
    low : float
        Lower end a, in [0, 1].
    n_answers : int
        Number k of a user's answers, >= 1.

    Returns
    -------
    float
        The smallest such b, which flips least.

    Raises
    ------
    ValueError
        If no b <= 1 gives that epsilon with this `low`, or only a b with which users flip so often that
        another output than the answers themselves has the largest loss.

    Notes
    -----
    Source: inverse of Li et al. (2018), Theorem 6.3, for one answer.
    Derived in: categorical-answers/price-of-reuse

    Examples
    --------
    >>> round(two_layer_high(0.8473, 2), 3)
    0.6
    """
    a, k, s = probability("low", low), count("n_answers", n_answers), choices("n_choices", n_choices)
    b = _spending(epsilon, lambda b: _loss_without_mismatch(a, b, s, k), a, 1.0)
    if b is None or not _same(two_layer_epsilon(a, b, s, k), epsilon):
        given = f"low = {low}, n_choices = {s}, n_answers = {k}"
        raise ValueError(f"epsilon must be attainable with {given}, got {epsilon}")
    return b


def two_layer_low(epsilon: float, n_choices: int, *, high: float, n_answers: int = 1) -> float:
    """Lower end a of the U(a, b) that has a wanted epsilon, by bisection.

    Parameters
    ----------
    epsilon : float
        Wanted privacy of one cell, >= 0 or infinite.
    n_choices : int
        Number s of choices, >= 2.
    high : float
        Upper end b, in [0, 1 - 1/s]: no user flips so often that a report speaks against the choice that it
        names.
    n_answers : int
        Number k of a user's answers, >= 1.

    Returns
    -------
    float
        The only such lower end.

    Raises
    ------
    ValueError
        If no a >= 0 gives that epsilon with this `high`.

    Notes
    -----
    Derived in: categorical-answers/price-of-reuse

    Examples
    --------
    The more answers share a flip probability, the narrower the interval has to be.

    >>> [round(two_layer_low(1.0, 2, high=0.5, n_answers=k), 3) for k in (1, 5, 100)]
    [0.038, 0.149, 0.262]
    """
    b, k, s = probability("high", high), count("n_answers", n_answers), choices("n_choices", n_choices)
    if b > 1 - 1 / s:
        raise ValueError(f"high must not exceed 1 - 1/n_choices = {1 - 1 / s}, got {high!r}")
    a = _spending(epsilon, lambda a: _loss_without_mismatch(a, b, s, k), 0.0, b)
    if a is None:
        given = f"high = {high}, n_choices = {s}, n_answers = {k}"
        raise ValueError(f"epsilon must be attainable with {given}, got {epsilon}")
    return a


def _loss_without_mismatch(a: float, b: float, s: int, k: int) -> float:
    """Loss of the output that equals the answers; the loss falls as either end grows."""
    if a == b:
        return one_layer_epsilon(a, s)
    return log(s - 1) - (_log_moment(a, b, 1) if b < _TINY else log(_flip_odds(_Interval.of(a, b), k)))


def _spending(epsilon: float, loss: Callable[[float], float], left: float, right: float) -> float | None:
    """First point of an interval where a falling loss has the wanted value, if there is one."""
    wanted = privacy("epsilon", epsilon)
    for end in (left, right):
        if _same(loss(end), wanted):
            return end
    if not loss(right) < wanted < loss(left):
        return None
    while left < (middle := (left + right) / 2) < right:
        left, right = (middle, right) if loss(middle) > wanted else (left, middle)
    return right


def _same(loss: float, wanted: float) -> bool:
    return isclose(loss, wanted, rel_tol=1e-9, abs_tol=1e-12)
