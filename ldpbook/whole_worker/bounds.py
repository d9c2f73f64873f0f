"""What a whole worker's reports cost together, and how far a few liars move an estimate.

Standard library only.
"""

from math import exp, expm1, fsum, inf, lgamma, log, log1p, sqrt, tanh
from statistics import NormalDist

from ldpbook._validate import (
    below_one,
    choices,
    count,
    fraction,
    non_negative,
    open_probability,
    positive,
    probability,
)

__all__ = [
    "advanced_epsilon",
    "liars_as_noise",
    "response_delta",
    "response_epsilon",
    "response_shift",
    "threshold_shift",
    "unary_shift",
]


def advanced_epsilon(*, epsilon: float, n_cells: int, delta: float) -> float:
    r"""Epsilon of a worker by advanced composition.

    .. math:: k\epsilon\tanh\frac\epsilon2+\epsilon\sqrt{2k\ln\frac1\delta}

    Parameters
    ----------
    epsilon : float
        Epsilon of each release, fixed beforehand; finite and >= 0.
    n_cells : int
        Number k of releases, or of cells in which the rows of two workers differ, >= 1.
    delta : float
        Delta of all of them together, in (0, 1).

    Returns
    -------
    float
        Epsilon of the worker for these pairs: the formula or the sum, whichever is less; an upper bound.

    Notes
    -----
    Sharpens the mean of: Dwork, Rothblum and Vadhan (2010), Theorem III.3.
    Derived in: whole-worker/composition

    Examples
    --------
    >>> round(advanced_epsilon(epsilon=0.1, n_cells=100, delta=1e-6), 3)
    5.756
    """
    each, k = non_negative("epsilon", epsilon), count("n_cells", n_cells)
    spread = sqrt(-2 * log(open_probability("delta", delta)) / k)
    return k * each * min(1.0, tanh(each / 2) + spread)


def response_delta(*, epsilon: float, n_cells: int, n_symbols: int, total: float) -> float:
    r"""Least delta of a worker's randomized responses at a total epsilon.

    .. math:: \mathbb E\max(0,1-e^{E-L}),\qquad L\text{ the sum of the losses of the cells}

    Parameters
    ----------
    epsilon : float
        Epsilon of a cell, finite and >= 0.
    n_cells : int
        Number of cells in which the rows of two workers differ, from 1 to 2,000: the number of answers k if
        it is public which tasks a worker has answered, and up to min(2 k, n) if that is protected.
    n_symbols : int
        Number of symbols of a report, NULL included where it is one, >= 2.
    total : float
        Epsilon E of the worker, finite and >= 0.

    Returns
    -------
    float
        Delta, exact for two rows that differ in so many cells up to rounding.

    Notes
    -----
    Derived in: whole-worker/composition

    Examples
    --------
    >>> from math import log
    >>> round(response_delta(epsilon=log(2), n_cells=2, n_symbols=3, total=log(2)), 6)
    0.125
    """
    limit, laws = non_negative("total", total), _losses(epsilon, n_cells, n_symbols)
    over = [(each * float(epsilon) - limit, p) for each, p in laws.items()]
    return min(1.0, fsum(-exp(p) * expm1(-loss) for loss, p in over if loss > 0))


def response_epsilon(*, epsilon: float, n_cells: int, n_symbols: int, delta: float) -> float:
    r"""Least epsilon of a worker's randomized responses at a delta.

    Parameters
    ----------
    epsilon, n_cells, n_symbols
        As in :func:`response_delta`.
    delta : float
        Delta of the worker, in [0, 1).

    Returns
    -------
    float
        Epsilon of the worker, for two rows that differ in so many cells; their sum if delta is 0. Rounded
        upwards.

    Notes
    -----
    Derived in: whole-worker/composition

    Examples
    --------
    >>> for n_symbols in (2, 6):
    ...     print(round(response_epsilon(epsilon=1.0, n_cells=46, n_symbols=n_symbols, delta=1e-6), 3))
    43.943
    29.818
    """
    laws = _losses(epsilon, n_cells, n_symbols)
    allowed, reached, missed, best = below_one("delta", delta), 0.0, -inf, 0.0
    if allowed == 0:
        return n_cells * float(epsilon)
    for each in sorted(
        laws, reverse=True
    ):  # chances to lose so much, and to lose as much under the other row
        reached += exp(laws[each])
        larger, smaller = max(missed, laws[-each]), min(missed, laws[-each])
        missed = larger + log1p(exp(smaller - larger))
        if reached > allowed:
            best = max(best, log(reached - allowed) - missed)
    rounding = 1e-12 * best + 1e-14 * lgamma(n_cells + 2)  # on the safe side
    return min(best + rounding, n_cells * float(epsilon))


def response_shift(*, liars: float, epsilon: float, n_choices: int) -> float:
    r"""How far liars move a rare choice's share by what they send.

    .. math:: \beta\,\frac{e^\epsilon+k-2}{e^\epsilon-1}

    Parameters
    ----------
    liars : float
        Share beta of the reports that are not drawn by the protocol, in [0, 1].
    epsilon : float
        Epsilon of randomized response, for the worker's one answer; finite and > 0.
    n_choices : int
        Number k of choices, >= 2.

    Returns
    -------
    float
        Expected estimate of a choice that nobody has; of one with share f it is :math:`\beta f` less.

    Notes
    -----
    Derived in: whole-worker/manipulation

    Examples
    --------
    >>> round(response_shift(liars=0.01, epsilon=1.0, n_choices=2), 4)
    0.0158
    """
    share, k, rare = (
        probability("liars", liars),
        choices("n_choices", n_choices),
        exp(-positive("epsilon", epsilon)),
    )
    return share * ((1 + (k - 2) * rare) / -expm1(-epsilon))


def unary_shift(*, liars: float, epsilon: float) -> float:
    r"""How far liars move a rare choice's share under optimized unary encoding.

    .. math:: \beta\,\frac{2e^\epsilon}{e^\epsilon-1}

    And each of all choices at once, if they set every bit.

    Parameters
    ----------
    liars, epsilon : float
        As of :func:`response_shift`; bits as of :func:`~ldpbook.categorical_answers.unary_encoding`.

    Returns
    -------
    float
        Expected estimate of a choice that nobody has.

    Notes
    -----
    Derived in: whole-worker/manipulation

    Examples
    --------
    >>> round(unary_shift(liars=0.01, epsilon=1.0), 4)
    0.0316
    """
    return 2 * response_shift(liars=liars, epsilon=epsilon, n_choices=2)


def threshold_shift(*, liars: float, epsilon: float, density: float) -> float:
    r"""How far liars who all send "above" move a truth at its threshold, in deviations of the answers.

    Parameters
    ----------
    liars : float
        Share of the workers, in [0, 1).
    epsilon : float
        Epsilon of the threshold response, for a cell; finite and > 0.
    density : float
        Share of the other workers' cells that hold an answer, in (0, 1].

    Returns
    -------
    float
        Shift of the truth that has the expected shares of symbols under the normal law; infinite from where
        none has.

    Notes
    -----
    Derived in: whole-worker/manipulation

    Examples
    --------
    >>> round(threshold_shift(liars=0.01, epsilon=1.0, density=0.1), 3)
    0.304
    """
    share, half = below_one("liars", liars), fraction("density", density) / 2
    odds = 1 / expm1(min(positive("epsilon", epsilon), 700.0))
    above, below = (1 - share) * half + share * (1 + 2 * odds), (1 - share) * half - share * odds
    if below <= 0:
        return inf
    return -NormalDist().inv_cdf(below / (above + below))


def liars_as_noise(*, epsilon: float, n_workers: int) -> float:
    r"""How many liars do as much harm as chance to a rare answer's share: :math:`\sqrt m\,e^{-\epsilon/2}`.

    Parameters
    ----------
    epsilon : float
        Epsilon of binary randomized response, finite and > 0.
    n_workers : int
        Number m of workers, >= 1.

    Returns
    -------
    float
        Number of liars, not a whole one, who move the estimate by its standard error without them.

    Notes
    -----
    Derived in: whole-worker/manipulation

    Examples
    --------
    >>> round(liars_as_noise(epsilon=1.0, n_workers=10_000), 1)
    60.7
    """
    return sqrt(count("n_workers", n_workers)) * exp(-positive("epsilon", epsilon) / 2)


def _losses(epsilon: float, n_cells: int, n_symbols: int) -> dict[int, float]:
    """Logarithms of the chances of all losses, in units of epsilon."""
    rate, n, s = non_negative("epsilon", epsilon), count("n_cells", n_cells), choices("n_symbols", n_symbols)
    if n > 2000:
        raise ValueError(f"n_cells must be at most 2,000, got {n_cells}")
    scale = rate + log1p((s - 1) * exp(-rate))
    kept, lied, silent = rate - scale, -scale, log(s - 2) - scale if s > 2 else -inf
    ways = [lgamma(j + 1) for j in range(n + 1)]
    found: dict[int, list[float]] = {}
    for loss in range(-n, n + 1):
        for b in range(max(0, -loss), (n - loss) // 2 + 1):  # lies that speak for the other row
            a, rest = b + loss, n - 2 * b - loss
            if s > 2 or rest == 0:
                at = ways[n] - ways[a] - ways[b] - ways[rest] + a * kept + b * lied
                found.setdefault(loss, []).append(at + (rest * silent if rest else 0.0))
    top = {loss: max(logs) for loss, logs in found.items()}
    return {loss: top[loss] + log(fsum(exp(x - top[loss]) for x in logs)) for loss, logs in found.items()}
