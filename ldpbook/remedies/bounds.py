"""What one threshold response says, in formulas that move: errors of one normal kind.

Standard library only.
"""

from math import erfc, exp, expm1, pi, sqrt

from ldpbook._validate import finite, fraction, positive

__all__ = [
    "above_report_probability",
    "below_report_probability",
    "null_report_probability",
    "threshold_information",
]


def above_report_probability(*, distance: float, epsilon: float, density: float, sigma: float) -> float:
    r"""Probability that a cell reports "above": :math:`q+(p-q)\,s\,\Phi(d/\sigma)`.

    Parameters
    ----------
    distance : float
        Truth less threshold d, in answer units.
    epsilon : float
        Privacy budget of one cell, > 0.
    density : float
        Probability s that the cell holds an answer, in (0, 1].
    sigma : float
        Deviation of the answers' normal errors, > 0, in answer units.

    Returns
    -------
    float
        Probability.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> round(above_report_probability(distance=0.0, epsilon=1.0, density=0.5, sigma=1.0), 4)
    0.303
    """
    return _probabilities(distance, epsilon, density, sigma)[0]


def below_report_probability(*, distance: float, epsilon: float, density: float, sigma: float) -> float:
    """Probability that a cell reports "not above".

    Parameters
    ----------
    distance, epsilon, density, sigma : float
        As of :func:`above_report_probability`.

    Returns
    -------
    float
        Probability.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> round(below_report_probability(distance=3.0, epsilon=1.0, density=0.5, sigma=1.0), 4)
    0.2122
    """
    return _probabilities(distance, epsilon, density, sigma)[1]


def null_report_probability(*, epsilon: float, density: float) -> float:
    r"""Probability that a cell reports NULL: :math:`q+(p-q)(1-s)`.

    Parameters
    ----------
    epsilon, density : float
        As of :func:`above_report_probability`.

    Returns
    -------
    float
        Probability.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> round(null_report_probability(epsilon=1.0, density=0.5), 4)
    0.394
    """
    q, signal = _channel(epsilon)
    return q + signal * (1 - fraction("density", density))


def threshold_information(*, distance: float, epsilon: float, density: float, sigma: float) -> float:
    """Fisher information about the truth in one threshold response.

    Parameters
    ----------
    distance, epsilon, density, sigma : float
        As of :func:`above_report_probability`.

    Returns
    -------
    float
        Per squared answer unit.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> round(threshold_information(distance=0.0, epsilon=1.0, density=0.5, sigma=1.0), 4)
    0.0348
    """
    above, below, move = _probabilities(distance, epsilon, density, sigma)
    return sum(move * move / part for part in (above, below) if part > 0)


def _channel(epsilon: float) -> tuple[float, float]:
    """Chance of each wrong symbol, and what is above it in that of the right one."""
    other = exp(-positive("epsilon", epsilon))
    return other / (1 + 2 * other), -expm1(-epsilon) / (1 + 2 * other)


def _probabilities(distance: float, epsilon: float, density: float, sigma: float) -> tuple[float, ...]:
    """Of "above" and "not above", and how fast the one rises and the other falls with the truth."""
    q, signal = _channel(epsilon)
    signal *= fraction("density", density)
    scaled = finite("distance", distance) / positive("sigma", sigma)
    slope = exp(-scaled * scaled / 2) / (sqrt(2 * pi) * sigma)
    above, below = (q + signal * erfc(sign * scaled / sqrt(2)) / 2 for sign in (-1, 1))
    return above, below, signal * slope
