"""The doubles of noise that give an output: an exact test of what a released float rules out."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, numeric

__all__ = ["preimage"]

Keys: TypeAlias = NDArray[np.int64]

_INFINITE = int(np.array(np.inf).view(np.int64))  # key of inf; those of finite doubles are smaller in size


def preimage(function: Callable[[Array], Array], output: ArrayLike) -> tuple[Array, Array]:
    """Smallest and largest double that a nondecreasing function maps to each output.

    Sums, products with positive constants and roundings of doubles are nondecreasing, and so are their
    compositions, such as a released number as a function of its noise. Where the smallest double exceeds the
    largest there is none, and the output is impossible: no noise gives it through that function. All finite
    doubles are searched, by bisection, so the result is exact.

    Parameters
    ----------
    function : callable
        Maps arrays of the shape of `output`, element by element, to such arrays; nondecreasing, never nan.
    output : array_like
        Released numbers, finite.

    Returns
    -------
    least, largest : ndarray, shape of `output`
        Ends of the range of doubles that give each output; an end beyond all finite doubles is infinite.
        Several outputs that share their noise are possible together if the largest of `least` does not
        exceed the smallest of `largest`.

    Notes
    -----
    It is not checked that the function never decreases; if it does, doubles are missed.
    Derived in: practice/floating-point

    Examples
    --------
    >>> least, largest = preimage(lambda noise: 5.0 + noise, [0.1, 0.125])
    >>> least > largest  # no double added to 5 gives 0.1
    array([ True, False])
    """
    wanted = numeric("output", output)
    if not np.isfinite(wanted).all():
        raise ValueError(f"output must be finite, got {output!r:.80}")
    if not callable(function):
        raise TypeError(f"function must take an array of doubles, got {function!r:.80}")

    def first(low: Keys, high: Keys, more: bool) -> tuple[Keys, Keys]:
        """Keys of the first double that gives at least the output (above it if `more`), and of one above."""
        seen = high
        while (low < high).any():
            middle = (low & high) + (low ^ high) // 2  # the mean; a sum of both could overflow
            found = _values(function, _double(middle))
            beyond = found > wanted
            there = beyond if more else found >= wanted
            seen = np.where(beyond, middle, seen)
            # Where one key is left, it is either the one wanted or the end, which stays.
            low = np.where(there, low, np.minimum(middle + 1, high))
            high = np.where(there, middle, high)
        return high, seen

    ends = np.full(wanted.shape, 1 - _INFINITE), np.full(wanted.shape, _INFINITE)
    least, seen = first(*ends, more=False)
    beyond, _ = first(least, seen, more=True)  # few doubles are left between the two
    return _double(least), _double(beyond - 1)


def _values(function: Callable[[Array], Array], noise: Array) -> Array:
    try:
        with np.errstate(over="ignore"):  # the largest doubles are tried too
            found = numeric("function", function(noise))
    except (TypeError, ValueError) as error:
        raise type(error)(f"function must take and give arrays of doubles: {error}") from None
    if found.shape != noise.shape or np.isnan(found).any():
        raise ValueError(f"function must give numbers of shape {noise.shape}, got {found!r:.80}")
    return found


def _double(key: Keys) -> Array:
    """Double with a given key: doubles are numbered in order, from 0 upwards and downwards."""
    bits = np.abs(key)
    bits |= key & np.iinfo(np.int64).min  # the sign
    return bits.view(np.float64)
