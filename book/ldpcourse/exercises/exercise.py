"""Parts of an exercise that a program can check."""

import math
import operator
import random
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

LABEL = r'Exercise\(\s*"(ex-[\w-]+)"'  # matches an exercise's label in the modules of the parts
# The first kind needs only the standard library, so that a page can judge it in the reader's browser.
KINDS = ("exercises", "exercises.arrays")
Property = tuple[str, Callable[[Any], bool]]


class BrokenKeyError(Exception):
    """The package itself failed to compute the expected answer, so the reader's answer is not judged."""


@dataclass(frozen=True)
class Exercise:
    """An exercise with its requested answer and the properties of a right answer.

    Attributes
    ----------
    label : str
        Label of the exercise in the book.
    chapter : str
        Chapter of the exercise.
    asks : str
        The answer to hand in.
    properties : tuple of (str, callable)
        For each property the message shown if it fails, and its test. They are tested in order, so that each
        may rely on those before it.
    """

    label: str
    chapter: str
    asks: str
    properties: tuple[Property, ...]


def _is_number(answer: Any) -> bool:
    return isinstance(answer, Real) and math.isfinite(answer)


def unwrapped(answer: Any) -> Any:
    """The answer in Python's own numbers and containers; a function is wrapped so that its results are too.

    A class of numbers may define its own comparisons, and a property would then judge the class instead of
    the value. NumPy's scalars and arrays without an axis become numbers, arrays of objects become lists.
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
    """The message for the first property that the answer does not have; "" if it has all."""
    if answer is ...:  # the placeholder in a student's notebook
        return "not yet: your answer goes where the dots are"
    failing = properties[0][0]
    try:
        answer = unwrapped(answer)
        for failing, holds in properties:
            if not holds(answer):
                return f"not yet: {failing}"
    except BrokenKeyError:
        raise
    except Exception as error:  # an error in the reader's function is a wrong answer
        return f"not yet: {failing} ({type(error).__name__}: {error})"
    return ""


IS_NUMBER: Property = ("the answer is a finite number", _is_number)
IS_FUNCTION: Property = ("the answer is a function", callable)


def _key(reference: Callable[..., float], *case: float) -> float:
    """The package's value; a failure here is not the fault of an answer."""
    try:
        key = float(reference(*case))
    except Exception as error:
        raise BrokenKeyError(f"the key fails at {case}: {type(error).__name__}: {error}") from error
    if math.isnan(key):
        raise BrokenKeyError(f"the key is nan at {case}")
    return key


def number(reference: Callable[[], float], relative: float, *hints: Property) -> tuple[Property, ...]:
    """Properties of a number that agrees with the package's value."""
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
    """Zero of an increasing function by bisection, which is fast enough here and needs no scipy."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if function(middle) > 0 else (middle, high)
    return low


def normal_delta(ratio: float, epsilon: float) -> float:
    """Delta of Gaussian noise by its closed form, equal to the package's for the arguments used here.

    `ratio` is the distance of the inputs in standard deviations of the noise. The package's function is
    accurate everywhere, for which it needs scipy.
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
    """Properties of a function that agrees with the package's, in all cases and at randomly drawn arguments.

    The drawn arguments stop an answer that is right only in the listed cases; `draw` has to reach every
    regime of the formula.
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

    everywhere = ("it is right in the first cases tried, but not at other arguments", agrees_everywhere)
    return IS_FUNCTION, *hints, *(agrees(case) for case in cases), everywhere


def _is_pair(answer: Any) -> bool:
    return len(answer) == 2 and all(_is_number(answer[k]) and not isinstance(answer[k], bool) for k in (0, 1))


def simulation(
    mean: Callable[[], float],
    deviation: Callable[[], float],
    n_trials: int,
    *hints: Property,
) -> tuple[Property, ...]:
    """Properties of an estimate from `n_trials` independent trials, with its standard error.

    `mean` and `deviation` are the exact mean and standard deviation of one trial. The estimate may be four
    standard errors off. The standard error may differ by a factor of 1.2 from the standard deviation divided
    by the square root of the number of trials.
    """

    def exact_error() -> float:
        return _key(deviation) / math.sqrt(n_trials)

    return (
        ("the answer is a pair of finite numbers, the estimate and its standard error", _is_pair),
        *hints,
        (
            "the estimate is more than four standard errors from the exact value",
            lambda answer: abs(answer[0] - _key(mean)) <= 4 * exact_error(),
        ),
        (
            f"the standard error is not that of {n_trials:,} independent trials, within a factor of 1.2",
            lambda answer: exact_error() / 1.2 <= answer[1] <= 1.2 * exact_error(),
        ),
    )
