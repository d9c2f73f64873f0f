"""How well a row is found again, in formulas.

Standard library only.
"""

from math import exp, expm1, log, log1p

from ldpbook._validate import count, non_negative

__all__ = [
    "link_limit",
    "link_rate",
]


def link_limit(*, n_cells: int, epsilon: float, n_users: int) -> float:
    r"""The most that any first guess at a known row is right among the reports of a crowd.

    With :math:`\kappa=k\epsilon` the epsilon of rows that differ in at most k cells, and N reports of which
    one is of the known row and the others are independent of each other and all of one law:

    .. math::
        \frac1N\Bigl[e^\kappa-(e^\kappa-e^{-\kappa})\bigl(1+e^{-\kappa}\bigr)^{-N}\Bigr],

    attained by randomized response on two rows.

    Parameters
    ----------
    n_cells : int
        Number k of cells in which two rows that the attacker thinks possible may differ, >= 1.
    epsilon : float
        Privacy of one cell, for all pairs of neighbours, NULL included; finite and >= 0.
    n_users : int
        Number N of reports, >= 1, the known row's among them.

    Returns
    -------
    float
        Probability, rounded up; 1/N for epsilon 0.

    Notes
    -----
    Derived in: whole-worker/row-attack

    Examples
    --------
    >>> for n_cells in (1, 4, 16):
    ...     print(round(link_limit(n_cells=n_cells, epsilon=1.0, n_users=2972), 4))
    0.0009
    0.0184
    0.9998
    """
    kappa, n = count("n_cells", n_cells) * non_negative("epsilon", epsilon), count("n_users", n_users)
    if kappa > 700:
        return 1.0
    exponent = -n * log1p(exp(-kappa))
    return min(1.0, (exp(kappa) * -expm1(exponent) + exp(exponent - kappa)) / n * (1 + 1e-14))


def link_rate(*, n_cells: int, epsilon: float, n_users: int, domain: int) -> float:
    r"""How often the best first guess at a known row is right, after randomized response, among strangers.

    Strangers have NULL in all k cells where the known row holds an answer. A report scores the number of
    answers that it repeats less that of its NULLs in these cells. With F the distribution function of a
    stranger's score,

    .. math::
        \frac1N\sum_{s=-k}^k e^{\epsilon s}\bigl[F(s)^N-F(s-1)^N\bigr].

    Parameters
    ----------
    n_cells, epsilon, n_users
        As in :func:`link_limit`; at most 1,000 cells, epsilon that of the randomized response.
    domain : int
        Number of answers without NULL, >= 1.

    Returns
    -------
    float
        Probability; ties are drawn.

    Notes
    -----
    Derived in: whole-worker/row-attack

    Examples
    --------
    >>> for n_cells in (1, 4, 16):
    ...     print(round(link_rate(n_cells=n_cells, epsilon=1.0, n_users=2972, domain=5), 4))
    0.0009
    0.0133
    0.1966
    """
    k, n, size = count("n_cells", n_cells), count("n_users", n_users), count("domain", domain)
    if k > 1000:
        raise ValueError(f"n_cells must be at most 1,000, got {n_cells}")
    other = exp(-non_negative("epsilon", epsilon))  # relative to keeping
    total = 1 + size * other
    law = [1.0]  # of a stranger's score, -k..k
    for _ in range(k):
        kept, same, repeated = (
            [chance / total * p for p in law] for chance in (1.0, (size - 1) * other, other)
        )
        law = [a + b + c for a, b, c in zip([*kept, 0, 0], [0, *same, 0], [0, 0, *repeated], strict=True)]
    below = above = rate = 0.0
    tails = []  # chances of more than s
    for p in reversed(law):
        tails.append(above)
        above += p
    for p, own, above in zip(law, reversed(law), reversed(tails), strict=True):  # hers is the mirror image
        below += p
        if below > 0:
            log_at_most = log1p(-above) if above < 0.5 else log(below)
            share = min(1.0, p / below)
            once = 1.0 if n * share < 1e-16 else _one_less_power(share, n) / (n * share)
            rate += own * once * exp((n - 1) * log_at_most)
    return min(1.0, rate)


def _one_less_power(x: float, n: int) -> float:
    """1 - (1 - x)^n for x in [0, 1]."""
    return 1.0 if x == 1 else -expm1(n * log1p(-x))
