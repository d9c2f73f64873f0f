"""The worker's side of the threshold response, using only the standard library.

A page or a phone runs it before anything leaves the device.
"""

import math
import secrets

from ldpbook._validate import any_number, finite, positive

__all__ = ["respond"]


def respond(answer: float | None, threshold: float, *, epsilon: float) -> int | None:
    """One report of the threshold response, drawn with the operating system's randomness.

    Guarantees epsilon-cell LDP for every pair of answers, NULL included. It does for one cell what
    `ldpbook.remedies.ThresholdResponse` does for a whole matrix: the probabilities agree up to 2^-53.
    An answer that equals the threshold counts as above it or not by a fair coin toss.

    Parameters
    ----------
    answer : float or None
        The worker's answer; None or nan = NULL.
    threshold : float
        Public threshold of the cell, in answer units.
    epsilon : float
        Privacy budget of the cell, finite and > 0.

    Returns
    -------
    int or None
        1 above the threshold, 0 not above it, None = NULL.

    Notes
    -----
    For study: the random words come from the operating system, but the probability of a random symbol is a
    double that may be rounded up or down. So the loss may exceed epsilon in its last digit;
    `ldpbook.practice.dyadic.draw_response` rounds to the safe side.

    Derived in: remedies/smaller-question

    Examples
    --------
    >>> respond(7, 4.5, epsilon=40.0)
    1
    """
    finite("threshold", threshold)
    null = answer is None or math.isnan(any_number("answer", answer))
    tie_is_above = secrets.randbits(1)
    truth = None if null else int((answer > threshold, answer >= threshold)[tie_is_above])  # type: ignore[operator]
    other = math.exp(-positive("epsilon", epsilon))
    forget = 3 * other / (1 + 2 * other)
    # Always draw all three numbers, without rejection, so that the time taken does not reveal the report.
    any_symbol = (0, 1, None)[3 * secrets.randbits(64) >> 64]
    return (any_symbol, truth)[secrets.randbits(53) >= forget * 2**53]
