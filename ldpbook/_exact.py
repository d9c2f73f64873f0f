"""Reports drawn for release: each probability is a whole number of the 2^64 values of a word of entropy."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from ldpbook._arrays import Array, row_blocks
from ldpbook._dyadic import (
    WORD,
    Entropy,
    exp_below,
    float_below,
    random_bytes,
    response_weights,
)
from ldpbook._validate import count

Words = NDArray[np.uint64]

_AT_ONCE = 2**18  # cells: what is drawn for them stays in the cache
_MOST_LABELS = 2**16


@dataclass(frozen=True, eq=False)
class WordTable:
    """How many words of entropy become each output, for every symbol.

    Every cell takes eight bytes and the same comparisons, whatever its symbol and output are.

    Attributes
    ----------
    ratio : Fraction
        Largest ratio of the probabilities of an output from two symbols.
    last : ndarray of uint64, shape (n or 1, k, r - 1)
        The last word of each output but the final one.
    first : ndarray of int, shape (n or 1,)
        For each task, the first output that has a positive probability.
    """

    ratio: Fraction
    last: Words
    first: NDArray[np.intp]

    @classmethod
    def of(cls, weights: NDArray[np.object_]) -> "WordTable":
        """Table from the words of each output (last axis), 2^64 in all, per symbol: shape (n or 1, k, r)."""
        most, least = weights.max(axis=1), weights.min(axis=1)  # of each task's outputs
        used = most > 0
        if not least[used].all():
            raise ValueError("mechanism must have chances of 2^-64 and more, got a smaller one")
        ratio = max(Fraction(a, b) for a, b in zip(most[used], least[used], strict=True))
        ends = weights.cumsum(axis=2)[..., :-1]
        # The last word of a leading output with probability 0 would be -1. Here it is the largest word, which
        # no word exceeds, and `first` counts such outputs instead.
        last = (np.where(ends == 0, WORD, ends) - 1).astype(np.uint64)
        return cls(ratio, last, used.argmax(axis=1))

    def draw(self, symbols: NDArray[np.intp], entropy: Entropy) -> NDArray[np.intp]:
        """The number of an output for each cell, shape (m, n)."""
        tables = np.broadcast_to(self.last, (symbols.shape[1], *self.last.shape[1:]))
        first = np.broadcast_to(self.first, symbols.shape[1:])
        tasks, outputs = np.arange(symbols.shape[1]), np.empty(symbols.shape, dtype=np.intp)
        for rows in row_blocks(symbols):
            words = random_words(entropy, symbols[rows].shape)
            beyond = np.tile(first, (len(words), 1))
            for j in range(tables.shape[2]):  # all of them, whatever the word
                beyond += words > tables[tasks, symbols[rows], j]
            outputs[rows] = beyond
        return outputs


@dataclass(frozen=True, eq=False)
class ResponseTable:
    """Randomized response: by how many symbols a word of entropy moves on.

    The first two bytes of a word usually decide. Six more are drawn for cells where they do not: always for
    the same number of cells, which is practically always enough. So the amount of entropy taken reveals
    nothing about a report.

    Attributes
    ----------
    keep, other : int
        How many of 2^64 words keep a symbol, and how many replace it by each of the others.
    n_symbols : int
        Number of symbols, NULL included if it is one.
    steps : ndarray of uint16 or uint32, shape (2^16,)
        By how many symbols to move on, for each value of two bytes; `n_symbols` where they do not decide. The
        type can hold the sum of two symbols.
    """

    keep: int
    other: int
    n_symbols: int
    steps: NDArray[np.uint16] | NDArray[np.uint32]

    @classmethod
    def of(cls, epsilon: float, n_symbols: int) -> "ResponseTable":
        """Table for the epsilon of one cell."""
        try:
            keep, other = response_weights(epsilon=epsilon, n_symbols=n_symbols)
        except ValueError as error:
            raise ValueError(f"mechanism must have chances that 64 bits can hold: {error}") from None
        first = np.arange(2**16, dtype=np.uint64) << np.uint64(48)
        low, high = (_moved(words, keep, other) for words in (first, first | np.uint64(2**48 - 1)))
        steps = np.where(low == high, low, n_symbols)
        small = 2 * n_symbols <= 2**16
        return cls(keep, other, n_symbols, steps.astype(np.uint16) if small else steps.astype(np.uint32))

    @property
    def ratio(self) -> Fraction:
        """Largest ratio of the probabilities of a report from two symbols."""
        return Fraction(self.keep, self.other)

    def draw(self, symbols: NDArray[np.intp], entropy: Entropy) -> NDArray[np.integer]:
        """The report of each cell."""
        kind = self.steps.dtype.type
        flat, reports = symbols.reshape(-1), np.empty(symbols.size, dtype=kind)
        share = np.mean(self.steps == self.n_symbols)
        for start in range(0, flat.size, _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            size = flat[some].size
            short = np.frombuffer(random_bytes(entropy, 2 * size), dtype="<u2")
            # Only once in 2^64 blocks are more cells undecided than the mean plus ten standard deviations
            # plus fifty.
            spare = min(size, ceil(size * share + 10 * sqrt(size * share) + 50))
            rest = random_words(entropy, (spare,), "<u8") >> np.uint64(16)
            moved = self.steps[short]
            unclear = np.flatnonzero(moved == self.n_symbols)
            if unclear.size > spare:
                more = random_words(entropy, (unclear.size - spare,), "<u8") >> np.uint64(16)
                rest = np.concatenate([rest, more])
            words = short[unclear].astype(np.uint64) << np.uint64(48) | rest[: unclear.size]
            moved[unclear] = _moved(words, self.keep, self.other)
            moved += flat[some].astype(kind)
            moved -= kind(self.n_symbols) * (moved >= self.n_symbols)
            reports[some] = moved
        return reports.reshape(symbols.shape)


def _moved(words: Words, keep: int, other: int) -> NDArray[np.intp]:
    """By how many symbols each word moves on."""
    beyond = np.where(words < keep, 0, words - np.uint64(keep))
    return np.where(words < keep, 0, 1 + beyond // np.uint64(other)).astype(np.intp)


def channel_table(channels: Array) -> WordTable:
    """Table of given probabilities, shape (k, r) or (n, k, r), rounded down; the likeliest takes the rest."""
    flat = channels.reshape(-1, channels.shape[-1]).tolist()
    whole = np.array([_whole(row) for row in flat], dtype=object)
    return WordTable.of(whole.reshape(-1, *channels.shape[-2:]))


def random_words(entropy: Entropy, shape: tuple[int, ...], order: str = ">u8") -> Words:
    """Words of entropy in an array of that shape."""
    drawn = random_bytes(entropy, 8 * int(np.prod(shape)))
    return np.frombuffer(drawn, dtype=order).reshape(shape)


def _whole(chances: list[float]) -> list[int]:
    """Numbers of words of the outputs, 2^64 in all: rounded down, and the rest goes to the likeliest."""
    exact = [Fraction(chance) for chance in chances]
    total = sum(exact)
    words = [int(WORD * chance / total) for chance in exact]
    words[chances.index(max(chances))] += WORD - sum(words)
    return words


@dataclass(frozen=True, eq=False)
class NoiseTable:
    """Two-sided geometric noise on counts, cut off where a count would leave the range 0..n_labels.

    Attributes
    ----------
    ratio : Fraction
        Largest ratio of the probabilities of noisy counts from two sets that differ in one label.
    n_labels : int
        Number of labels of the set; public.
    last : ndarray of uint64, shape (2 n_labels,)
        The last word of each value of the noise but the largest.
    """

    ratio: Fraction
    n_labels: int
    last: Words

    @classmethod
    def of(cls, epsilon: float, n_labels: int) -> "NoiseTable":
        """Table for one label's epsilon."""
        size = count("n_labels", n_labels)
        if not 2 <= size <= _MOST_LABELS:
            raise ValueError(f"counts must be of 2 to {_MOST_LABELS} labels for release, got {size}")
        inside, tail = noise_weights(float_below("epsilon", epsilon), size)
        words = [tail[0], *reversed(inside[1:]), *inside, tail[1]]
        # How the probability of each output falls from one count to the next. An output at an end, where
        # counts are cut off, has the probability of a whole tail.
        falls = list(pairwise(inside))
        for end in tail:
            beyond = list(accumulate([end, *reversed(inside)]))
            falls += [(b, a) for a, b in pairwise(beyond)]
        # Python rounds quotients of integers correctly, so the steepest fall is among those whose rounded
        # quotient is largest.
        steepest = max(a / b for a, b in falls)
        ratio = max(Fraction(a, b) for a, b in falls if a / b == steepest)
        last = np.array([end - 1 for end in accumulate(words[:-1])], dtype=np.uint64)
        return cls(ratio**2, size, last)

    def add(self, counts: Array, entropy: Entropy) -> NDArray[np.int64]:
        """Noisy counts."""
        words = random_words(entropy, counts.shape)
        noise = np.array([np.count_nonzero(word > self.last) for word in words]) - self.n_labels
        noisy: NDArray[np.int64] = np.clip(counts.astype(np.int64) + noise, 0, self.n_labels)
        return noisy


def noise_weights(epsilon: float, size: int) -> tuple[list[int], tuple[int, int]]:
    """Numbers of words for noise 0, ..., size - 1, of either sign, and for -size and size: 2^64 in all.

    From each noise to the next, their number falls by a factor of e^(epsilon / 2) at most. It is rounded up,
    so it stays constant where a fall would be too steep. What is left goes to the ends, where more weight
    only makes falls less steep.
    """
    rise = exp_below(epsilon / 2)
    if rise <= 1:
        raise ValueError(f"epsilon must be larger for 64 bits, got {epsilon!r:.80}")
    fall = 1 / rise
    level = ceil(1 / (1 - fall))
    top = int((WORD - 2 * size * level - 2 * level**2 - 4) * (1 - fall) / (1 + fall))
    if top < level:
        raise ValueError(f"epsilon must be larger for {size} labels, got {epsilon!r:.80}")
    inside = [top]
    while len(inside) < size:
        inside.append(-(-inside[-1] * fall.numerator // fall.denominator))
    rest = WORD - 2 * sum(inside) + inside[0]
    return inside, (rest // 2, rest - rest // 2)
