"""Limits of a belief after one output, and the price of weights inverse to standard deviations.

The functions use only the standard library.
"""

from math import exp

from ldpbook._validate import fraction, non_negative, open_probability, positive

__all__ = [
    "highest_belief",
    "inverse_deviation_price",
    "lowest_belief",
]


def highest_belief(*, prior: float, epsilon: float) -> float:
    r"""Highest possible belief after one output: :math:`\pi/(\pi+(1-\pi)e^{-\epsilon})`.

    Parameters
    ----------
    prior : float
        Probability pi, before the output, that the answer is a particular one, in (0, 1).
    epsilon : float
        Privacy of the answer, for all pairs of answers that are thought possible; finite and >= 0.

    Returns
    -------
    float
        Upper bound on the probability after the output.

    Notes
    -----
    Derived in: foundations/local-privacy

    Examples
    --------
    >>> round(highest_belief(prior=0.5, epsilon=1.0), 4)
    0.7311
    """
    pi, other = open_probability("prior", prior), exp(-non_negative("epsilon", epsilon))
    return pi / (pi + (1 - pi) * other)


def lowest_belief(*, prior: float, epsilon: float) -> float:
    r"""Lowest possible belief after one output: :math:`\pi e^{-\epsilon}/(\pi e^{-\epsilon}+1-\pi)`.

    Parameters
    ----------
    prior, epsilon
        As in :func:`highest_belief`.

    Returns
    -------
    float
        Lower bound on the probability after the output.

    Notes
    -----
    Derived in: foundations/local-privacy

    Examples
    --------
    >>> round(lowest_belief(prior=0.5, epsilon=1.0), 4)
    0.2689
    """
    pi, other = open_probability("prior", prior), exp(-non_negative("epsilon", epsilon))
    return pi * other / (pi * other + (1 - pi))


def inverse_deviation_price(*, careful: float, deviation: float) -> float:
    r"""Variance of a mean with weights :math:`1/\sigma_i`, as a multiple of the smallest possible one.

    The crowd has two kinds of workers, whose standard deviations are known. The ratio is at most 1/p.

    Parameters
    ----------
    careful : float
        Share p of the answers with the smaller standard deviation, in (0, 1].
    deviation : float
        Standard deviation of the other answers, finite and >= 1, in units of the smaller one.

    Returns
    -------
    float
        Ratio of the two variances.

    Notes
    -----
    Derived in: foundations/truth-inference

    Examples
    --------
    >>> round(inverse_deviation_price(careful=0.1, deviation=100.0), 3)
    8.424
    """
    p, sigma = fraction("careful", careful), positive("deviation", deviation)
    if sigma < 1:
        raise ValueError(f"deviation must be at least 1, the deviation of the careful, got {deviation!r}")
    mean = p + (1 - p) / sigma  # of 1/sigma
    return (p / mean + (1 - p) / sigma / mean / sigma) / mean
