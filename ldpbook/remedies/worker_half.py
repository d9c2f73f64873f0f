"""The worker's half on the standard library alone: what a page or a phone runs before anything leaves it."""

import math
import secrets

from ldpbook._validate import any_number, finite, positive

__all__ = ["respond"]


def respond(answer: float | None, threshold: float, *, epsilon: float) -> int | None:
    """One report of the threshold response, drawn with the operating system's randomness.

    Guarantees epsilon-cell LDP for every pair of answers, NULL included, as
    `ldpbook.remedies.ThresholdResponse` does, of which it is one cell: the law is the same up to 2^-53.
    An answer that equals the threshold counts as above it or not by a fair coin.

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
    For study: the words are the operating system's, but the chance of a random symbol is a double, rounded
    either way, so that the loss may exceed epsilon in the last digit; `draw_response` rounds to the safe
    side.

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
    # All three are drawn whatever comes, bits without rejection: the time does not tell which was sent.
    any_symbol = (0, 1, None)[3 * secrets.randbits(64) >> 64]
    return (any_symbol, truth)[secrets.randbits(53) >= forget * 2**53]
