"""What an exercise that can be checked consists of."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

Property = tuple[str, Callable[[Any], bool]]


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


IS_NUMBER: Property = ("the answer is a finite number", _is_number)
IS_FUNCTION: Property = ("the answer is a function", callable)


def number(reference: Callable[[], float], relative: float, *hints: Property) -> tuple[Property, ...]:
    """A number that agrees with what the package computes."""
    return (
        IS_NUMBER,
        *hints,
        (
            f"the value does not agree with the computed one to {relative:.1%}",
            lambda answer: math.isclose(answer, reference(), rel_tol=relative),
        ),
    )


def function(
    reference: Callable[..., float], cases: Sequence[tuple[float, ...]], *hints: Property
) -> tuple[Property, ...]:
    """A function that agrees with what the package computes, in all cases."""

    def agrees(case: tuple[float, ...]) -> Property:
        return (
            f"the value at {case if len(case) > 1 else case[0]} differs",
            lambda answer: math.isclose(answer(*case), reference(*case), rel_tol=1e-6, abs_tol=1e-12),
        )

    return IS_FUNCTION, *hints, *(agrees(case) for case in cases)
