"""Randomized response from whole numbers: probabilities are multiples of 2^-64; a draw takes one 64-bit word.

Standard library only: pages run it in the browser, where the reader is the worker. No float is used between
the entropy and the report, and the privacy loss is the logarithm of a ratio of two integers.
"""

import os

from ldpbook._dyadic import Entropy, random_bytes, response_weights

__all__ = [
    "draw_response",
    "response_weights",
]


def draw_response(symbol: int, *, epsilon: float, n_symbols: int, entropy: Entropy = os.urandom) -> int:
    """One report: the symbol or another one, as one word of the operating system's entropy decides.

    Guarantees epsilon-cell LDP for every pair of symbols, exactly: see `response_weights`.

    Parameters
    ----------
    symbol : int
        Symbol to report on, from 0 to n_symbols - 1.
    epsilon : float
        Privacy budget of one cell, finite and > 0.
    n_symbols : int
        Number of symbols of the report, including NULL if it is one, from 2 to 2^16.
    entropy : callable
        Function that returns n random bytes when called with n. `os.urandom`, the default, is the only right
        choice if a report is to be private. Each report takes eight bytes, whatever the report is.

    Returns
    -------
    int
        The report, from 0 to n_symbols - 1.

    Notes
    -----
    Derived in: practice/floating-point

    Examples
    --------
    >>> draw_response(2, epsilon=1.0, n_symbols=3, entropy=lambda n: bytes(n)), draw_response(
    ...     2, epsilon=1.0, n_symbols=3, entropy=lambda n: bytes([255] * n)
    ... )
    (2, 1)
    """
    keep, other = response_weights(epsilon=epsilon, n_symbols=n_symbols)
    if not isinstance(symbol, int) or isinstance(symbol, bool):
        raise TypeError(f"symbol must be an integer, got type {type(symbol).__name__}")
    if not 0 <= symbol < n_symbols:  # the answer is not in the message, which may end in a log
        raise ValueError(f"symbol must lie in 0..{n_symbols - 1}, got another integer")
    word = int.from_bytes(random_bytes(entropy, 8), "big")
    rank = (word - keep) // other  # below 0: kept; otherwise the number of the other symbol
    return (rank + (rank >= symbol), symbol)[word < keep]
