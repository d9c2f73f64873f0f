"""Exercises that can be checked: right, or which property failed, without the solution.

An exercise is named after its label in the book and its number in the chapter: ``lp-3`` is the third
of the chapter whose labels begin with ``ex-lp``. ``python -m ldpbook.exercises answers.py`` grades a file.
"""

import argparse
import math
import runpy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import ncx2

from ldpbook import bounds
from ldpbook.privacy import dirichlet_delta, gaussian_delta, gaussian_sigma

__all__ = ["EXERCISES", "Exercise", "Result", "check", "main"]

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


@dataclass(frozen=True)
class Result:
    """What became of an answer.

    Attributes
    ----------
    right : bool
        Whether all properties hold.
    message : str
        "right", or the property that failed.
    """

    right: bool
    message: str

    def __str__(self) -> str:
        return self.message


def check(exercise_id: str, answer: Any) -> Result:
    """Say whether an answer is right, or what about it is not.

    Parameters
    ----------
    exercise_id : str
        Such as "lp-3"; see `EXERCISES`.
    answer : object
        What the exercise asks for: a number, or a function.

    Returns
    -------
    Result
        Truth and message.

    Raises
    ------
    ValueError
        If there is no such exercise.

    Notes
    -----
    Derived in: foundations/crowdsourcing

    Examples
    --------
    >>> print(check("lp-3", lambda k: 1.0))
    not yet: less noise is needed, so the factor is above 1
    """
    if exercise_id not in EXERCISES:
        raise ValueError(f"exercise_id must be one of {', '.join(EXERCISES)}, got {exercise_id!r}")
    for failing, holds in EXERCISES[exercise_id].properties:
        try:
            fulfilled = bool(holds(answer))
        except Exception as error:  # whatever a reader's function raises is part of the answer
            return Result(False, f"not yet: {failing} ({type(error).__name__}: {error})")
        if not fulfilled:
            return Result(False, f"not yet: {failing}")
    return Result(True, "right")


def _is_number(answer: Any) -> bool:
    return isinstance(answer, Real) and math.isfinite(answer)


def _number(reference: Callable[[], float], relative: float, *hints: Property) -> tuple[Property, ...]:
    """A number that agrees with what the package computes."""
    return (
        ("the answer is a finite number", _is_number),
        *hints,
        (
            f"the value does not agree with the computed one to {relative:.1%}",
            lambda answer: math.isclose(answer, reference(), rel_tol=relative),
        ),
    )


def _function(
    reference: Callable[..., float], cases: Sequence[tuple[float, ...]], *hints: Property
) -> tuple[Property, ...]:
    """A function that agrees with what the package computes, in all cases."""

    def agrees(case: tuple[float, ...]) -> Property:
        return (
            f"the value at {case if len(case) > 1 else case[0]} differs",
            lambda answer: math.isclose(answer(*case), reference(*case), rel_tol=1e-6, abs_tol=1e-12),
        )

    return ("the answer is a function", callable), *hints, *(agrees(case) for case in cases)


def _clipped_mean(mu: float, sigma: float) -> float:
    """E max(0, mu + sigma Z)."""
    z = mu / sigma
    density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return mu * (1 + math.erf(z / math.sqrt(2))) / 2 + sigma * density


def _first_two_layer_within(low: float, high: float, away: float) -> int:
    limit = math.log((1 - low) / low)
    return next(k for k in range(1, 10**4) if limit - bounds.two_layer_epsilon(low, high, 2, k) <= away)


def _is_best_fill(value: float) -> bool:
    truths = np.arange(10)
    return float(np.abs(value - truths).mean()) <= float(np.abs(truths - 4.5).mean()) + 1e-9


def _small_scale_delta(i: int, j: int, epsilon: float) -> float:
    """By its closed form, which the limit of the package's delta confirms in the tests."""
    ratio = (i - 1) * (j + 1) / (i * j)
    return i / (i + j) * (ratio * math.exp(epsilon)) ** -j


def _undefined_half_of_the_time() -> float:
    """sigma/d at which a noisy squared distance is below its correction with probability one half."""
    # r^2/(2 sigma^2) is non-central chi-squared with 2 degrees of freedom; undefined where it is below 2.
    return float(brentq(lambda ratio: ncx2.cdf(2.0, 2, 1 / (2 * ratio**2)) - 0.5, 0.1, 20.0))


EXERCISES: dict[str, Exercise] = {
    "crowd-4": Exercise(
        "ex-crowd-clipping",
        "foundations/crowdsourcing",
        "the expected answer as a function of mu and sigma",
        _function(
            _clipped_mean,
            [(0.0, 1.0), (0.0, 5.0), (2.0, 1.0), (-1.0, 2.0)],
            (
                "a truth far above 0 is not clipped: f(50, 1) is 50",
                lambda f: math.isclose(f(50.0, 1.0), 50.0),
            ),
            ("clipping at 0 only raises answers", lambda f: f(1.0, 3.0) > 1.0),
        ),
    ),
    "truth-1": Exercise(
        "ex-truth-ratio",
        "foundations/truth-inference",
        "the ratio of variances as a function of r",
        _function(
            lambda r: 2 * (1 + r**-2) / (1 + 1 / r) ** 2,
            [(2.0,), (10.0,)],
            ("equal workers lose nothing: ratio(1) is 1", lambda f: math.isclose(f(1.0), 1.0)),
            ("no weights are better than the best: the ratio is at least 1", lambda f: f(3.0) >= 1),
            ("the limit for large r differs", lambda f: math.isclose(f(1e9), 2.0, rel_tol=1e-6)),
        ),
    ),
    "privacy-1": Exercise(
        "ex-privacy-variance",
        "foundations/local-privacy",
        "the number of people",
        _number(
            lambda: 0.25 / (0.01 * math.tanh(0.5)) ** 2,
            0.01,
            ("more are needed than without flips, where 2,500 do", lambda n: n > 2500),
        ),
    ),
    "privacy-2": Exercise(
        "ex-privacy-rounding",
        "foundations/local-privacy",
        "a pair of truth values: is it private to clip the result, and to clip the noise",
        (
            ("the answer is a pair of truth values", lambda pair: [type(x) for x in pair] == [bool, bool]),
            ("the first follows from what may be done to any private output", lambda pair: pair[0]),
            (
                "for the second, look at outputs that only one of the answers can produce",
                lambda pair: not pair[1],
            ),
        ),
    ),
    "privacy-4": Exercise(
        "ex-privacy-best",
        "foundations/local-privacy",
        "the largest probability of guessing right, as a function of epsilon",
        _function(
            lambda epsilon: 1 / (1 + math.exp(-epsilon)),
            [(1.0,), (0.1,), (5.0,)],
            ("at epsilon 0 nothing can be learned", lambda f: math.isclose(f(0.0), 0.5)),
            ("a probability is at most 1", lambda f: f(30.0) <= 1),
        ),
    ),
    "random-1": Exercise(
        "ex-random-draws",
        "foundations/randomness",
        "the number of draws",
        _number(
            lambda: (6 * 10 / 0.02) ** 2,
            0.001,
            (
                "z must exceed 4 in 39 of 40 runs, not in half of them",
                lambda n: n > 1.01 * (4 * 10 / 0.02) ** 2,
            ),
        ),
    ),
    "lp-1": Exercise(
        "ex-lp-fill",
        "sparse-answers/laplace",
        "a constant v",
        (
            ("the answer is a finite number", _is_number),
            ("v lies among the answers 0 to 9", lambda v: 0 <= v <= 9),
            ("another constant has a smaller error, averaged over the truths", _is_best_fill),
        ),
    ),
    "lp-3": Exercise(
        "ex-lp-waste",
        "sparse-answers/laplace",
        "the factor by which the variance falls, as a function of the number k of symbols",
        _function(
            lambda k: (k / (k - 1)) ** 2,
            [(2,), (10,), (100,)],
            ("less noise is needed, so the factor is above 1", lambda f: f(5) > 1),
            ("with many symbols hardly anything is wasted", lambda f: f(10**6) < 1.001),
        ),
    ),
    "lp-4": Exercise(
        "ex-lp-worst",
        "sparse-answers/laplace",
        "the supremum for k = 10",
        _number(
            lambda: float(np.abs(np.arange(10) - 4.5).mean()),
            1e-3,
            ("the printed bound fails somewhere, so it is above 0", lambda v: v > 0),
            ("no distance within 0 to 9 exceeds 9", lambda v: v < 9),
        ),
    ),
    "rr-4": Exercise(
        "ex-rr-optimal",
        "sparse-answers/randomized-response",
        "the largest probability of keeping a symbol, as a function of the number k of symbols and epsilon",
        _function(
            lambda k, epsilon: 1 - bounds.one_layer_flip_probability(epsilon, k),
            [(4, 1.0), (11, 2.0), (2, 0.5)],
            ("at epsilon 0 all symbols are alike", lambda f: math.isclose(f(5, 0.0), 0.2)),
        ),
    ),
    "voting-4": Exercise(
        "ex-voting-experts",
        "categorical-answers/voting",
        "how often the winner is right in such cases",
        _number(
            lambda: 0.9 * 0.4**2 / (0.9 * 0.4**2 + 0.1 * 0.6**2),
            0.001,
            ("it is a probability", lambda p: 0 <= p <= 1),
            ("the winner is likelier right than wrong", lambda p: p > 0.5),
        ),
    ),
    "one-layer-1": Exercise(
        "ex-one-layer-choices",
        "categorical-answers/one-layer",
        "the limit of s(1 - p)",
        _number(lambda: math.e, 1e-3, ("at s = 1000 it is close to the limit", lambda v: 2 < v < 4)),
    ),
    "one-layer-2": Exercise(
        "ex-one-layer-counts",
        "categorical-answers/one-layer",
        "the estimate as a function of the share among flipped answers, p and s",
        _function(
            lambda share, p, s: (share - p / (s - 1)) / (1 - p - p / (s - 1)),
            [(0.3, 0.2, 4), (0.5, 0.1, 2)],
            ("without flips the share is the estimate", lambda f: math.isclose(f(0.3, 0.0, 4), 0.3)),
            (
                "a share of 0 among true answers leaves p/(s-1), which must be estimated as 0",
                lambda f: abs(f(0.1, 0.3, 4)) < 1e-12,
            ),
        ),
    ),
    "one-layer-4": Exercise(
        "ex-one-layer-twice",
        "categorical-answers/one-layer",
        "epsilon of both answers together",
        _number(
            lambda: 2 * bounds.one_layer_epsilon(0.4, 2),
            1e-3,
            ("two answers tell more than one", lambda e: e > bounds.one_layer_epsilon(0.4, 2)),
        ),
    ),
    "two-layer-1": Exercise(
        "ex-two-layer-fresh",
        "categorical-answers/two-layer",
        "epsilon of one cell as a function of a, b and s",
        _function(
            lambda a, b, s: bounds.one_layer_epsilon((a + b) / 2, s),
            [(0.1, 0.5, 2), (0.0, 0.6, 2), (0.2, 0.4, 5)],
            (
                "a fixed probability is the one layer",
                lambda f: math.isclose(f(0.3, 0.3, 2), bounds.one_layer_epsilon(0.3, 2)),
            ),
        ),
    ),
    "reuse-1": Exercise(
        "ex-two-layer-whole",
        "categorical-answers/price-of-reuse",
        "epsilon of U(0, 1) on two choices as a function of the number k of answers",
        _function(
            lambda k: bounds.two_layer_epsilon(0.0, 1.0, 2, k),
            [(2,), (3,), (10,), (69,)],
            ("a single answer is a coin", lambda f: abs(f(1)) < 1e-12),
            ("more answers tell more", lambda f: f(5) > f(4)),
        ),
    ),
    "reuse-3": Exercise(
        "ex-two-layer-limit",
        "categorical-answers/price-of-reuse",
        "the number of answers for U(0.1, 0.5)",
        (
            ("the answer is a whole number", lambda k: float(k).is_integer() and k >= 1),
            (
                "with one answer fewer, or with that many, the distance to the limit does not fit",
                lambda k: k == _first_two_layer_within(0.1, 0.5, 0.1),
            ),
        ),
    ),
    "reuse-4": Exercise(
        "ex-two-layer-two-answers",
        "categorical-answers/price-of-reuse",
        "the b at which it is 1.061",
        _number(
            lambda: bounds.two_layer_high(1.061, 2, n_answers=2),
            1e-3,
            ("b is a probability", lambda b: 0 < b <= 1),
        ),
    ),
    "bounds-1": Exercise(
        "ex-bounds-exponent",
        "categorical-answers/error-bounds",
        "the least value",
        _number(
            lambda: 2 * math.sqrt(0.9 * 0.1),
            1e-3,
            ("at t = 0 it is 1 already", lambda v: v < 1),
            ("it is a mean of positive numbers", lambda v: v > 0),
        ),
    ),
    "perturbed-1": Exercise(
        "ex-perturbed-variation",
        "localization/perturbed-particles",
        "delta at epsilon 0 for d = sigma",
        _number(
            lambda: gaussian_delta(sigma=1.0, distance=1.0, epsilon=0.0),
            1e-3,
            ("it is a probability", lambda v: 0 <= v <= 1),
        ),
    ),
    "perturbed-4": Exercise(
        "ex-perturbed-average",
        "localization/perturbed-particles",
        "the deviation of each coordinate after 10,000 steps, in metres",
        _number(
            lambda: 100 / math.sqrt(10_000), 1e-3, ("averages know more than one step", lambda v: v < 100)
        ),
    ),
    "distances-1": Exercise(
        "ex-distances-three",
        "localization/noisy-distances",
        "the correction c, in units of sigma squared",
        _number(
            lambda: 4.0,
            1e-6,
            ("in two dimensions it is 2, and here noise has one more direction across", lambda c: c > 2),
            ("the full mean of the square's excess is more than is needed", lambda c: c < 6),
        ),
    ),
    "distances-3": Exercise(
        "ex-distances-negative",
        "localization/noisy-distances",
        "the ratio sigma/d",
        _number(
            _undefined_half_of_the_time,
            0.005,
            ("noise far below the distance never makes it undefined", lambda v: v > 0.05),
        ),
    ),
    "dirichlet-1": Exercise(
        "ex-dirichlet-small",
        "class-ratios/label-privacy",
        "the limit of delta for a label moved from a class of i to one of j, as a function of i, j, epsilon",
        _function(
            _small_scale_delta,
            [(800, 50, 0.05), (30, 40, 0.1)],
            ("it is a probability", lambda f: 0 <= f(20, 10, 0.1) <= 1),
            ("a larger epsilon has a smaller delta", lambda f: f(20, 10, 0.5) < f(20, 10, 0.1)),
        ),
    ),
    "dirichlet-3": Exercise(
        "ex-dirichlet-one",
        "class-ratios/label-privacy",
        "the least delta",
        _number(
            lambda: dirichlet_delta([1, 20], scale=1.0, epsilon=5.0, method="tight"),
            1e-9,
            ("a delta is a probability", lambda v: 0 <= v <= 1),
        ),
    ),
    "fair-1": Exercise(
        "ex-fair-waste",
        "class-ratios/fair-comparison",
        "the factor for epsilon 0.5 and delta 0.00001",
        _number(
            lambda: (
                math.sqrt(2 * math.log(1.25e5)) / 0.5 / gaussian_sigma(epsilon=0.5, distance=1.0, delta=1e-5)
            ),
            0.005,
            ("the classical noise is more than the least", lambda v: v > 1),
        ),
    ),
    "fair-4": Exercise(
        "ex-fair-size",
        "class-ratios/fair-comparison",
        "the number of labels",
        _number(
            lambda: (
                500
                * gaussian_sigma(epsilon=0.1, distance=math.sqrt(2), delta=1e-5)
                * math.sqrt(1.6 / math.pi)
            ),
            0.05,
            ("a thousand labels do not do", lambda n: n > 1000),
        ),
    ),
    "proportions-1": Exercise(
        "ex-proportions-fixed",
        "class-ratios/proportions",
        "the share at which counting is right, as a function of t and f",
        _function(
            lambda t, f: f / (f + 1 - t),
            [(0.8, 0.2), (0.9, 0.3), (0.6, 0.1)],
            (
                "a classifier that is as often wrong either way is right at one half",
                lambda f: math.isclose(f(0.7, 0.3), 0.5),
            ),
        ),
    ),
    "proportions-2": Exercise(
        "ex-proportions-variance",
        "class-ratios/proportions",
        "how many times as many instances",
        _number(
            lambda: 1 / 0.6**2,
            0.01,
            ("it takes more, not fewer", lambda v: v > 1),
            ("a standard deviation is not yet a number of instances", lambda v: abs(v - 1 / 0.6) > 0.05),
        ),
    ),
    "few-4": Exercise(
        "ex-few-noise",
        "class-ratios/few-large-sets",
        "the standard deviation of the total as a function of the number of sets and epsilon",
        _function(
            lambda m, epsilon: math.sqrt(m) * 2 * math.sqrt(2) / epsilon,
            [(1, 1.0), (120, 0.5)],
            ("four sets have twice the deviation of one", lambda f: math.isclose(f(4, 1.0), 2 * f(1, 1.0))),
        ),
    ),
    "mean-4": Exercise(
        "ex-mean-features",
        "class-ratios/mean-embeddings",
        "the number of features",
        _number(lambda: 1e4, 1e-6, ("the error falls like the root of their number", lambda n: n > 100)),
    ),
}


def main(arguments: list[str] | None = None) -> None:
    """Grade a file that holds a dictionary ``ANSWERS`` from ids to answers.

    Parameters
    ----------
    arguments : list of str, optional
        Command line, without the program's name.

    Raises
    ------
    SystemExit
        If the file has no ``ANSWERS``.

    Notes
    -----
    Derived in: teaching/syllabus
    """
    parser = argparse.ArgumentParser(prog="python -m ldpbook.exercises", description=__doc__)
    parser.add_argument("file", help="Python file with a dictionary ANSWERS")
    options = parser.parse_args(arguments)
    answers = runpy.run_path(options.file).get("ANSWERS")
    if not isinstance(answers, dict):
        parser.error(f"{options.file} has no dictionary ANSWERS")
    results = {name: check(name, answer) for name, answer in answers.items()}
    for name, result in results.items():
        print(f"{name:14} {result}")
    print(f"{sum(result.right for result in results.values())} of {len(results)} right")


if __name__ == "__main__":
    main()
