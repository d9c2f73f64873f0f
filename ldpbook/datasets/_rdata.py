"""Reads a data frame in R's own format, without R; covers only what two published files need."""

import gzip
from struct import unpack_from
from typing import Any

import numpy as np
import pandas as pd

_MISSING = -(2**31)  # stands for a missing whole number or truth value


def data_frame(content: bytes) -> pd.DataFrame:
    """First object of an .RData file, which must be a data frame of numbers and truth values."""
    values, attributes = _Reader(gzip.decompress(content)).first()
    return pd.DataFrame(dict(zip(attributes["names"][0], (column for column, _ in values), strict=True)))


class _Reader:
    """R's serialization, version 2, in big-endian form (XDR)."""

    def __init__(self, content: bytes) -> None:
        if content[:7] != b"RDX2\nX\n":
            raise ValueError(
                f"content must be an .RData file of version 2 in XDR, begins with {content[:7]!r}"
            )
        self.content, self.at = content, 7 + 12  # after the header come three version numbers of R
        self.symbols: list[Any] = []

    def first(self) -> Any:
        ((_, value),) = self.pairs(self.integers(1)[0])
        return value

    def raw(self, size: int) -> bytes:
        self.at += size
        return self.content[self.at - size : self.at]

    def integers(self, n: int) -> tuple[int, ...]:
        self.at += 4 * n
        return unpack_from(f">{n}i", self.content, self.at - 4 * n)

    def pairs(self, flags: int) -> list[tuple[str, Any]]:
        """Names and values of a linked list, up to its end."""
        found = []
        while flags & 255 == 2:
            if flags & 512:
                self.item()
            name = self.item()[0] if flags & 1024 else ""
            found.append((name, self.item()))
            (flags,) = self.integers(1)
        return found

    def item(self) -> tuple[Any, dict[str, Any]]:
        """Next value and its attributes."""
        (flags,) = self.integers(1)
        kind, value = flags & 255, None
        if kind == 1:  # a symbol, to which later references refer by number
            value = self.item()[0]
            self.symbols.append(value)
        elif kind == 255:
            value = self.symbols[(flags >> 8) - 1]
        elif kind == 2:
            value = self.pairs(flags)
        elif kind == 9:
            (size,) = self.integers(1)
            value = None if size < 0 else self.raw(size).decode()
        elif kind in (10, 13):
            numbers = np.frombuffer(self.raw(4 * self.integers(1)[0]), ">i4").astype(float)
            value = np.where(numbers == _MISSING, np.nan, numbers)
        elif kind == 14:
            value = np.frombuffer(self.raw(8 * self.integers(1)[0]), ">f8").astype(float)
        elif kind in (16, 19):
            value = [self.item() for _ in range(self.integers(1)[0])]
            value = [text for text, _ in value] if kind == 16 else value
        elif kind != 254:
            raise ValueError(f"content holds an object of R's kind {kind}, which is not read here")
        if not flags & 512 or kind in (2, 9, 255):  # in a reference, these bits are part of its number
            return value, {}
        return value, dict(self.pairs(self.integers(1)[0]))
