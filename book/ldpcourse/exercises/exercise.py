"""Parts of an exercise that a program can check."""

import inspect
import math
import operator
import random
from collections import namedtuple
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

LABEL = r'Exercise\(\s*"(ex-[\w-]+)"'  # matches an exercise's label in the modules of the parts
# The first kind needs only the standard library, so that a page can judge it in the reader's browser.
KINDS = ("exercises", "exercises.arrays")
Property = tuple[str, Callable[[Any], bool]]


@dataclass(frozen=True)
class AnswerForm:
    """Test of an answer's form: the first property of every exercise with a field, and what the field says.

    Attributes
    ----------
    accepts : str
        What is accepted, in words: the form of an answer, and how exact it has to be.
    holds : callable
        The test itself.
    names : tuple of str
        Arguments of the function that is asked for; none for other answers.
    """

    accepts: str
    holds: Callable[[Any], bool]
    names: tuple[str, ...] = ()

    def __call__(self, answer: Any) -> bool:
        return self.holds(answer)

    @property
    def begins(self) -> str:
        """Start of the function that is asked for, such as "lambda mu, sigma: "; "" for other answers."""
        return f"lambda {', '.join(self.names)}: " if self.names else ""


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

    @property
    def form(self) -> AnswerForm:
        """The form of an answer, for exercises that a page can judge."""
        form = self.properties[0][1]
        assert isinstance(form, AnswerForm), f"{self.label} does not say which answers it accepts"
        return form


def _is_number(answer: Any) -> bool:
    return isinstance(answer, Real) and math.isfinite(answer)


def unwrapped(answer: Any) -> Any:
    """The answer in Python's own numbers and containers; a function is wrapped so that its results are too.

    A class of numbers may define its own comparisons, and a property would then judge the class instead of
    the value. NumPy's scalars and arrays without an axis become numbers, arrays of objects become lists.
    A function gets copies of its arguments, because it may change a list or an array that the key needs too.
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
    return (lambda *arguments: unwrapped(answer(*deepcopy(arguments)))) if callable(answer) else answer


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


IS_FUNCTION: Property = ("the answer is a function", callable)  # of arrays, so that no field asks for it
_DIGITS = 6  # to which the values of functions are compared


def _percent(share: float) -> str:
    return f"{100 * share:.9f}".rstrip("0").rstrip(".") + " %"


def within(relative: float) -> str:
    """How exact a number has to be; rounding to the digits named changes a number by less than that."""
    digits = math.ceil(1 + math.log10(0.5 / relative))
    return f"right to within {_percent(relative)}: {digits} digits are enough"


def asks_number(accepts: str) -> Property:
    return "the answer is a finite number", AnswerForm(accepts, _is_number)


def asks_function(
    *names: str, exact: str = f"Its values are compared to {_DIGITS} digits"
) -> tuple[str, AnswerForm]:
    """The property of being a function of these arguments; `exact` says how its values are judged."""
    *others, last = names
    listed = f"{', '.join(others)} and {last}, in this order" if others else last
    form = AnswerForm(f"A function of {listed}. {exact}.", callable, names)
    return f"the answer is a function: write `{form.begins}...`", form


def _key(reference: Callable[..., float], *case: float) -> float:
    """The package's value; a failure here is not the fault of an answer."""
    try:
        key = float(reference(*case))
    except Exception as error:
        raise BrokenKeyError(f"the key fails at {case}: {type(error).__name__}: {error}") from error
    if math.isnan(key):
        raise BrokenKeyError(f"the key is nan at {case}")
    return key


def number(
    reference: Callable[[], float], relative: float, *hints: Property, what: str = "A number"
) -> tuple[Property, ...]:
    """Properties of a number that agrees with the package's value; its field says `what` it is."""
    return (
        asks_number(f"{what}, {within(relative)}."),
        *hints,
        (
            f"the value does not agree with the computed one to {_percent(relative)}",
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
    regime of the formula. The arguments are named as those of `reference`.
    """

    def agrees_at(answer: Callable[..., float], case: tuple[float, ...]) -> bool:
        return math.isclose(answer(*case), _key(reference, *case), rel_tol=10**-_DIGITS, abs_tol=1e-12)

    def agrees(case: tuple[float, ...]) -> Property:
        return (
            f"the value at {case if len(case) > 1 else case[0]} differs",
            lambda answer: agrees_at(answer, case),
        )

    def agrees_everywhere(answer: Callable[..., float]) -> bool:
        source = random.Random(0)
        return all(agrees_at(answer, draw(source)) for _ in range(N_DRAWS))

    everywhere = ("it is right in the first cases tried, but not at other arguments", agrees_everywhere)
    names = inspect.signature(reference).parameters
    return asks_function(*names), *hints, *(agrees(case) for case in cases), everywhere


def is_pair(answer: Any) -> bool:
    """Whether an answer has two parts."""
    return hasattr(answer, "__len__") and len(answer) == 2


def _is_pair_of_numbers(answer: Any) -> bool:
    return is_pair(answer) and all(_is_number(answer[k]) and not isinstance(answer[k], bool) for k in (0, 1))


# How far an estimate may be off, in standard errors, and by which factor a standard error may.
_ERRORS, _ERRORS_IN_WORDS, _FACTOR = 4, "four", 1.2


def simulation(
    mean: Callable[[], float],
    deviation: Callable[[], float],
    n_trials: int,
    *hints: Property,
) -> tuple[Property, ...]:
    """Properties of an estimate from `n_trials` independent trials, with its standard error.

    `mean` and `deviation` are the exact mean and standard deviation of one trial. The standard error is
    compared with the standard deviation divided by the square root of the number of trials.
    """

    def exact_error() -> float:
        return _key(deviation) / math.sqrt(n_trials)

    return (
        (
            "the answer is a pair of finite numbers, the estimate and its standard error",
            AnswerForm(
                "Two numbers with a comma between them: the estimate, within "
                f"{_ERRORS_IN_WORDS} standard errors, and its standard error, within a factor of {_FACTOR}.",
                _is_pair_of_numbers,
            ),
        ),
        *hints,
        (
            f"the estimate is more than {_ERRORS_IN_WORDS} standard errors from the exact value",
            lambda answer: abs(answer[0] - _key(mean)) <= _ERRORS * exact_error(),
        ),
        (
            f"the standard error is not that of {n_trials:,} independent trials, "
            f"within a factor of {_FACTOR}",
            lambda answer: exact_error() / _FACTOR <= answer[1] <= _FACTOR * exact_error(),
        ),
    )
