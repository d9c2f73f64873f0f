"""Geometric noise, and Laplace noise on a lattice, drawn exactly from random bits."""

from fractions import Fraction
from io import BytesIO
from math import isqrt
from typing import Protocol

from ldpbook._dyadic import Entropy, random_bytes


class ByteSource(Protocol):
    """Source of random bytes for exact draws."""

    def bytes(self, length: int, /) -> bytes:
        """The given number of random bytes."""


class EntropySource:
    """Bytes of entropy, fetched in blocks, because most steps of a draw take only one or a few."""

    def __init__(self, entropy: Entropy) -> None:
        self.entropy, self.fetched = entropy, BytesIO()

    def bytes(self, length: int, /) -> bytes:
        found = self.fetched.read(length)
        if len(found) < length:
            self.fetched = BytesIO(random_bytes(self.entropy, max(length, 4096)))
            found += self.fetched.read(length - len(found))
        return found


def two_sided_geometric(rate: Fraction, source: ByteSource) -> int:
    """A whole number k, drawn with probability proportional to exp(-rate |k|), from random bits alone."""
    while True:
        # First draw a number g with probability proportional to exp(-g / denominator), as a multiple of the
        # denominator plus a rest. Then g, divided by the numerator and rounded down, is geometric at `rate`.
        rest, whole = _below(rate.denominator, source), 0
        if not survives(rest, rate.denominator, source):
            continue
        while survives(1, 1, source):
            whole += 1
        size = (rest + rate.denominator * whole) // rate.numerator
        negative = _below(2, source) == 1
        if size or not negative:  # else 0 would have two chances
            return -size if negative else size


def survives(numerator: int, denominator: int, source: ByteSource) -> bool:
    """True with probability exp(-x), x = numerator / denominator in [0, 1], by the series of exp."""
    k = 1
    while _below(denominator * k, source) < numerator:
        k += 1
    return k % 2 == 1


def _below(n: int, source: ByteSource) -> int:
    """A whole number from 0 to n - 1, all equally likely."""
    n_bits = (n - 1).bit_length()
    while True:
        drawn = int.from_bytes(source.bytes(-(-n_bits // 8)), "little") >> (-n_bits % 8)
        if drawn < n:
            return drawn


def lattice_noise(rate: Fraction, source: ByteSource) -> tuple[int, int]:
    """Whole numbers a and b with probability proportional to exp(-rate sqrt(a^2 + b^2)), from random bits."""
    slope = rate * Fraction(70, 99)  # below rate / sqrt 2, as 99/70 is a little above the root of 2
    while True:
        a, b = two_sided_geometric(slope, source), two_sided_geometric(slope, source)
        if survives_root(rate, a * a + b * b, slope * (abs(a) + abs(b)), source):
            return a, b


def survives_root(rate: Fraction, square: int, less: Fraction, source: ByteSource) -> bool:
    """True with probability exp(-x), for x = rate sqrt(square) - less >= 0, which may be irrational."""
    denominator = rate.denominator * less.denominator
    root, minus = square * (rate.numerator * less.denominator) ** 2, less.numerator * rate.denominator

    def digits(n: int) -> int:
        """The exact whole part of 2^n x, where x = (sqrt(root) - minus) / denominator."""
        return (isqrt(root << 2 * n) - (minus << n)) // denominator

    whole = digits(0)
    if not all(survives(1, 1, source) for _ in range(whole)):
        return False

    def uniform_below_rest_over(k: int) -> bool:
        """Whether k times a uniform number is below x - whole, drawing as many bits as needed."""
        n, u = 0, 0
        while True:
            n, u = n + 64, u << 64 | int.from_bytes(source.bytes(8), "big")
            rest = digits(n) - (whole << n)
            if k * (u + 1) <= rest:
                return True
            if k * u > rest:
                return False

    k = 1
    while uniform_below_rest_over(k):
        k += 1
    return k % 2 == 1
