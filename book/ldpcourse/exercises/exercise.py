"""What an exercise that can be checked consists of."""

import math
import operator
import random
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

LABEL = r'Exercise\(\s*"(ex-[\w-]+)"'  # how the modules of the parts write an exercise's name
# The first are judged by the standard library alone, so that a page can do it in the reader's browser.
KINDS = ("exercises", "exercises.arrays")
Property = tuple[str, Callable[[Any], bool]]


class BrokenKeyError(Exception):
    """The package itself has no answer to compare with: nothing is said about the reader's."""


@dataclass(frozen=True)
class Exercise:
    """What an exercise asks for, and what a right answer has.

    Attributes
    ----------
    label : str
        Label of the exercise in the book.
    chapter : str
        Where it stands.
    asks : str
        What to hand in.
    properties : tuple of (str, callable)
        What is said if it fails, and the test; in order, each may rely on those before it.
    """

    label: str
    chapter: str
    asks: str
    properties: tuple[Property, ...]


def _is_number(answer: Any) -> bool:
    return isinstance(answer, Real) and math.isfinite(answer)


def unwrapped(answer: Any) -> Any:
    """The answer in Python's own numbers and containers, also in what a function returns.

    A class of numbers may define comparisons of its own. Properties that compare would then judge the class
    and not the value. NumPy's scalars and arrays without an axis are numbers, arrays of objects lists.
    """
    if isinstance(answer, bool):
        return answer
    if isinstance(answer, Integral):
        return operator.index(answer)
    if isinstance(answer, Real):
        return float(answer)
    dtype = getattr(answer, "dtype", None)
    if getattr(answer, "shape", None) == () or getattr(dtype, "char", "") == "O":
        return unwrapped(answer.tolist())
    if isinstance(answer, dict):
        return {unwrapped(key): unwrapped(value) for key, value in dict.items(answer)}
    if isinstance(answer, list):
        return [unwrapped(part) for part in list.__iter__(answer)]
    if isinstance(answer, tuple):
        parts = [unwrapped(part) for part in tuple.__iter__(answer)]
        names = getattr(answer, "_fields", None)  # a function of the answer may read its parts by name
        return namedtuple("Named", names, rename=True)(*parts) if names else tuple(parts)
    return (lambda *arguments: unwrapped(answer(*arguments))) if callable(answer) else answer


def fault_of(properties: Sequence[Property], answer: Any) -> str:
    """The first property that the answer does not have, as a reader is told; "" if it has all."""
    if answer is ...:  # as a student's notebook has it before anything is written
        return "not yet: your answer goes where the dots are"
    failing = properties[0][0]
    try:
        answer = unwrapped(answer)
        for failing, holds in properties:
            if not holds(answer):
                return f"not yet: {failing}"
    except BrokenKeyError:
        raise
    except Exception as error:  # whatever a reader's function raises is part of the answer
        return f"not yet: {failing} ({type(error).__name__}: {error})"
    return ""


IS_NUMBER: Property = ("the answer is a finite number", _is_number)
IS_FUNCTION: Property = ("the answer is a function", callable)


def _key(reference: Callable[..., float], *case: float) -> float:
    """What the package computes; that it fails is no fault of an answer."""
    try:
        key = float(reference(*case))
    except Exception as error:
        raise BrokenKeyError(f"the key fails at {case}: {type(error).__name__}: {error}") from error
    if math.isnan(key):
        raise BrokenKeyError(f"the key is nan at {case}")
    return key


def number(reference: Callable[[], float], relative: float, *hints: Property) -> tuple[Property, ...]:
    """A number that agrees with what the package computes."""
    return (
        IS_NUMBER,
        *hints,
        (
            f"the value does not agree with the computed one to {100 * relative:g} %",
            lambda answer: math.isclose(answer, _key(reference), rel_tol=relative),
        ),
    )


N_DRAWS = 40


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function is 0, by halving: quick enough for a key, and without scipy."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if function(middle) > 0 else (middle, high)
    return low


def normal_delta(ratio: float, epsilon: float) -> float:
    """Delta of Gaussian noise by its closed form, as the package's own for a key's arguments.

    `ratio` is the distance of the inputs in deviations of the noise. The package's function keeps its
    digits everywhere, for which it needs scipy.
    """
    middle, away = ratio / 2, epsilon / ratio
    above, below = (math.erfc((away - z) / math.sqrt(2)) / 2 for z in (middle, -middle))
    return above - math.exp(epsilon) * below


def function(
    reference: Callable[..., float],
    cases: Sequence[tuple[float, ...]],
    *hints: Property,
    draw: Callable[[random.Random], tuple[float, ...]],
) -> tuple[Property, ...]:
    """A function that agrees with what the package computes, in all cases and at arguments drawn.

    The drawn ones keep an answer from passing that is right in the listed cases only; `draw` has to
    reach every regime of the formula.
    """

    def agrees_at(answer: Callable[..., float], case: tuple[float, ...]) -> bool:
        return math.isclose(answer(*case), _key(reference, *case), rel_tol=1e-6, abs_tol=1e-12)

    def agrees(case: tuple[float, ...]) -> Property:
        return (
            f"the value at {case if len(case) > 1 else case[0]} differs",
            lambda answer: agrees_at(answer, case),
        )

    def agrees_everywhere(answer: Callable[..., float]) -> bool:
        source = random.Random(0)
        return all(agrees_at(answer, draw(source)) for _ in range(N_DRAWS))

    everywhere = ("it is right in the cases tried first, but not at other arguments", agrees_everywhere)
    return IS_FUNCTION, *hints, *(agrees(case) for case in cases), everywhere


def _is_pair(answer: Any) -> bool:
    return len(answer) == 2 and all(_is_number(answer[k]) and not isinstance(answer[k], bool) for k in (0, 1))


def simulation(
    mean: Callable[[], float],
    deviation: Callable[[], float],
    n_trials: int,
    *hints: Property,
) -> tuple[Property, ...]:
    """An estimate by that many independent trials, with its standard error.

    `mean` and `deviation` are those of one trial, exactly. The estimate may be four standard errors off,
    and the standard error may differ by a factor of 1.2 from the deviation over the root of the trials.
    """

    def exact_error() -> float:
        return _key(deviation) / math.sqrt(n_trials)

    return (
        ("the answer is a pair of finite numbers, estimate and standard error", _is_pair),
        *hints,
        (
            "the estimate is more than four standard errors from the exact value",
            lambda answer: abs(answer[0] - _key(mean)) <= 4 * exact_error(),
        ),
        (
            f"the standard error is not, within a factor of 1.2, that of {n_trials:,} independent trials",
            lambda answer: exact_error() / 1.2 <= answer[1] <= 1.2 * exact_error(),
        ),
    )
