"""Composition: the privacy cost of many cells of one worker.

Standard library only.
"""

from math import exp, expm1, fsum, inf, lgamma, log, log1p, sqrt, tanh

from ldpbook._losses import log_add, smallest_epsilon
from ldpbook._validate import (
    below_one,
    choices,
    count,
    non_negative,
    open_probability,
)

__all__ = [
    "advanced_epsilon",
    "response_delta",
    "response_epsilon",
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
        Epsilon of the worker for such pairs of rows: the smaller of the formula and the sum; an upper bound.

    Notes
    -----
    Source: Kairouz, Oh and Viswanath (2015), one of their printed bounds, for releases without a delta of
    their own; its mean is sharper than that of Dwork, Rothblum and Vadhan (2010).
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
    r"""Smallest delta of a worker's randomized responses at a total epsilon.

    .. math:: \mathbb E\max(0,1-e^{E-L}),\qquad L\text{ the sum of the losses of the cells}

    Parameters
    ----------
    epsilon : float
        Epsilon of a cell, finite and >= 0.
    n_cells : int
        Number of cells in which the rows of two workers differ, each reported once, from 1 to 2,000: the
        number of answers k if it is public which tasks a worker has answered, and up to min(2 k, n) if that
        is protected. A cell that is asked again counts again.
    n_symbols : int
        Number of symbols of a report, including NULL if it is one, >= 2.
    total : float
        Epsilon E of the worker, finite and >= 0.

    Returns
    -------
    float
        Delta for two rows that differ in that many cells, exact up to rounding.

    Notes
    -----
    Derived in: whole-worker/composition

    Examples
    --------
    >>> from math import log
    >>> round(response_delta(epsilon=log(2), n_cells=2, n_symbols=3, total=log(2)), 6)
    0.125
    """
    limit = non_negative("total", total)
    logs = log_probabilities(epsilon=epsilon, n_cells=n_cells, n_symbols=n_symbols)
    over = [((n_cells - k) * float(epsilon) - limit, at) for k, at in enumerate(logs)]
    return min(1.0, fsum(-exp(at) * expm1(-loss) for loss, at in over if loss > 0))


def response_epsilon(*, epsilon: float, n_cells: int, n_symbols: int, delta: float) -> float:
    r"""Smallest epsilon of a worker's randomized responses at a delta.

    Parameters
    ----------
    epsilon, n_cells, n_symbols
        As in :func:`response_delta`.
    delta : float
        Delta of the worker, in [0, 1).

    Returns
    -------
    float
        Epsilon of the worker, for two rows that differ in that many cells; the sum of the cells' epsilons if
        delta is 0. Rounded up, and infinite where the sum overflows.

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
    logs = log_probabilities(epsilon=epsilon, n_cells=n_cells, n_symbols=n_symbols)
    allowed = below_one("delta", delta)
    if allowed == 0:
        return n_cells * float(epsilon)
    best = smallest_epsilon(logs, allowed)
    rounding = 1e-12 * best + 1e-14 * lgamma(n_cells + 2)  # upwards, so that the bound still holds
    return min(best + rounding, n_cells * float(epsilon))


def log_probabilities(*, epsilon: float, n_cells: int, n_symbols: int) -> list[float]:
    """Logarithms of the probabilities of a row's losses, from n epsilon down to minus n epsilon."""
    rate, n, s = non_negative("epsilon", epsilon), count("n_cells", n_cells), choices("n_symbols", n_symbols)
    if n > 2000:
        raise ValueError(f"n_cells must be at most 2,000, got {n_cells}")
    scale = rate + log1p((s - 1) * exp(-rate))
    # These are the coefficients of (kept + silent x + lied x^2)^n, where a silent cell has loss 0. Each is a
    # sum of multiples of the two before it.
    kept, silent = rate - scale, log(s - 2) - rate if s > 2 else -inf
    logs = [-inf, n * kept]  # with one before the first, for the recurrence
    for k in range(1, n + 1):
        last = log((n - k + 1) / k) + silent + logs[-1]
        logs.append(log_add(last, log((2 * n - k + 2) / k) - rate + logs[-2]))
    gained = logs[1:]
    return gained + [gained[n - loss] - loss * rate for loss in range(1, n + 1)]
