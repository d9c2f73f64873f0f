"""Checks of the scalar arguments that users pass; standard library only.

A wrong type is a TypeError, a wrong value a ValueError; either names the argument, what is allowed and, in
most cases, the value.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from numbers import Integral, Real
from typing import TypeVar

T = TypeVar("T")


def _number(value: object) -> bool:
    """Whether the value is a real number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _real(name: str, value: float | Fraction, must: str, fits: bool) -> float:
    if not _number(value):
        raise TypeError(f"{name} must {must}, got {value!r:.80} of type {type(value).__name__}")
    if not fits:
        raise ValueError(f"{name} must {must}, got {value!r:.80}")
    return float(value)


def _as_float(value: float | Fraction) -> float:
    """The value as a float, nan if it is not a number; a value that overflows is infinite."""
    if not _number(value):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def any_number(name: str, value: float) -> float:
    """Any number, nan included; a value that overflows is infinite."""
    if not _number(value):
        raise TypeError(f"{name} must be a number, got another of type {type(value).__name__}")
    return _as_float(value)


def finite(name: str, value: float) -> float:
    return _real(name, value, "be a finite number", math.isfinite(_as_float(value)))


def positive(name: str, value: float | Fraction) -> float:
    return _real(name, value, "be a finite number > 0", 0 < _as_float(value) < math.inf)


def non_negative(name: str, value: float | Fraction) -> float:
    return _real(name, value, "be a finite number >= 0", 0 <= _as_float(value) < math.inf)


def privacy(name: str, value: float) -> float:
    """An epsilon: a number >= 0, which may be infinite."""
    x = _as_float(value)
    fits = x >= 0 and (x < math.inf or value == math.inf)  # an integer that overflows is no infinity
    return _real(name, value, "be a number >= 0 or infinite", fits)


def fraction(name: str, value: float) -> float:
    """A number in (0, 1]."""
    return _real(name, value, "lie in (0, 1]", 0 < _as_float(value) <= 1)


def probability(name: str, value: float) -> float:
    """A number in [0, 1]."""
    return _real(name, value, "lie in [0, 1]", 0 <= _as_float(value) <= 1)


def below_one(name: str, value: float) -> float:
    """A number in [0, 1): a failure probability that may be 0."""
    return _real(name, value, "lie in [0, 1)", 0 <= _as_float(value) < 1)


def open_probability(name: str, value: float) -> float:
    """A number in (0, 1), such as a failure probability or a confidence."""
    return _real(name, value, "lie in (0, 1)", 0 < _as_float(value) < 1)


def _integer(name: str, value: int, least: int) -> int:
    allowed = f"an integer >= {least}"
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be {allowed}, got {value!r:.80} of type {type(value).__name__}")
    if not least <= value <= 2**53:  # beyond, floats do not tell neighbours apart
        raise ValueError(f"{name} must be {allowed} (and at most 2^53), got {value!r:.80}")
    return int(value)


def one_of(name: str, value: str, allowed: Iterable[str]) -> str:
    must = f"{name} must be one of {', '.join(allowed)}"
    if not isinstance(value, str):
        raise TypeError(f"{must}, got {value!r:.80} of type {type(value).__name__}")
    if value not in allowed:
        raise ValueError(f"{must}, got {value!r:.80}")
    return value


def count(name: str, value: int) -> int:
    return _integer(name, value, 1)


def choices(name: str, value: int) -> int:
    """A number of choices: at least two."""
    return _integer(name, value, 2)


def flag(name: str, value: bool) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be a bool, got {value!r:.80} of type {type(value).__name__}")
    return value


def listed(name: str, values: Iterable[T]) -> list[T]:
    """The elements of an iterable; a string does not count as one."""
    if not isinstance(values, Iterable) or isinstance(values, str | bytes):
        raise TypeError(f"{name} must be iterable, got one {type(values).__name__}")
    try:
        return list(values)
    except TypeError as error:  # an array without axes
        raise TypeError(f"{name} must be iterable, got one {type(values).__name__}: {error}") from None
    except OverflowError:  # a range longer than any list
        raise ValueError(f"{name} must fit into memory, got a longer {type(values).__name__}") from None


def integer_domain(domain: Iterable[int]) -> tuple[int, ...]:
    """The answer domain as a tuple of consecutive integers.

    The integers must be consecutive because the sources scale their noise by the number of symbols |Gamma|,
    which covers the largest change of one answer, max - min, only for consecutive integers.
    """
    allowed = "consecutive ascending integers"
    values = listed("domain", domain)
    if not all(map(_number, values)):
        raise TypeError(f"domain must be {allowed}, got {domain!r:.80}")
    first = _as_float(values[0]) if values else math.nan
    whole = abs(first) < 2**53 and first.is_integer()
    if not whole or any(value != first + k for k, value in enumerate(values)):
        raise ValueError(f"domain must be {allowed}, got {domain!r:.80}")
    return tuple(int(value) for value in values)
