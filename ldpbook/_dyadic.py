"""Randomized response from whole numbers: probabilities are multiples of 2^-64; a draw takes one 64-bit word.

Standard library only: pages run it in the browser, where the reader is the worker. No float is used between
the entropy and the report, and the privacy loss is the logarithm of a ratio of two integers.
"""

import os
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from math import ceil, nextafter

from ldpbook._validate import count, positive

Entropy = Callable[[int], bytes]

WORD = 2**64  # the values of a word, all alike
_DIGITS = Context(prec=60)  # the decimal module rounds exp and ln correctly: the next digit on is a bound


def response_weights(*, epsilon: float, n_symbols: int) -> tuple[int, int]:
    """How many of 2^64 words of entropy keep a symbol, and how many replace it by each of the others.

    The two add up, keep + (n_symbols - 1) other = 2^64, and keep <= e^epsilon other holds exactly, so that
    randomized response with these probabilities is epsilon-cell LDP as drawn, not only on paper.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one cell, finite and > 0. Beyond about 44 the loss stays just below ln(2^64).
    n_symbols : int
        Symbols of the report, NULL among them if it is one, from 2 to 2^16.

    Returns
    -------
    tuple of int
        Words that keep the symbol, words that replace it by a given other one.

    Raises
    ------
    ValueError
        If epsilon is so small, below about n_symbols^2 / 2^64, that no whole numbers of words keep the loss
        within it.

    Notes
    -----
    Derived in: practice/floating-point

    Examples
    --------
    >>> keep, other = response_weights(epsilon=1.0, n_symbols=3)
    >>> keep + 2 * other == 2**64, round(keep / other, 12)
    (True, 2.718281828459)
    """
    budget, size = float_below("epsilon", epsilon), count("n_symbols", n_symbols)
    if not 2 <= size <= 2**16:
        raise ValueError(f"n_symbols must lie in 2..65536, got {n_symbols!r:.80}")
    other = ceil(WORD / (exp_below(budget) + size - 1))
    keep = WORD - (size - 1) * other
    if keep < other:
        raise ValueError(f"epsilon must be larger for {size} symbols drawn from 64 bits, got {epsilon!r:.80}")
    return keep, other


def for_release(rng: object, entropy: Entropy) -> bool:
    """Whether reports are drawn from entropy for release, and not from a generator for study."""
    if rng is not None and entropy is not os.urandom:
        raise TypeError("entropy must be left out where rng is given: there is one source")
    return rng is None


def random_bytes(entropy: Entropy, n: int) -> bytes:
    """Exactly n bytes from the source: fewer would make a small word, which keeps the symbol."""
    if not callable(entropy):
        raise TypeError(f"entropy must be a function that gives n bytes, got {entropy!r:.80}")
    drawn = entropy(n)
    if not isinstance(drawn, bytes):
        raise TypeError(f"entropy must give bytes, got {type(drawn).__name__}")
    if len(drawn) != n:
        raise ValueError(f"entropy must give the {n} bytes that it is asked for, got {len(drawn)}")
    return drawn


def float_below(name: str, value: float | Fraction) -> float:
    """The number > 0 as a float, rounded down, because a larger epsilon would protect less."""
    nearest = positive(name, value)
    return nearest if nearest <= value else nextafter(nearest, 0.0)


def exp_below(x: float) -> Fraction:
    """A fraction below e^x by less than one part in 10^58; for x above 100, the one for 100."""
    return Fraction(_DIGITS.next_minus(_DIGITS.exp(Decimal(min(x, 100.0)))))
