"""A bank of problems with parameters of their own: a seed gives a variant, the package its key.

For homework: every student gets another seed, and nobody another difficulty.
``python -m ldpbook.problems`` prints the bank, ``python -m ldpbook.problems 7`` the variants of seed 7, and
``--keys`` their keys.
"""

import argparse
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from ldpbook._validate import any_number, one_of
from ldpbook.categorical_answers.bounds import (
    one_layer_epsilon,
    one_layer_flip_probability,
    two_layer_epsilon,
)
from ldpbook.class_ratios.bounds import laplace_counts_delta
from ldpbook.class_ratios.scaled_dirichlet import dirichlet_delta
from ldpbook.foundations.local_privacy import gaussian_epsilon
from ldpbook.sparse_answers.bounds import lp_mae_bound_corrected

__all__ = [
    "PROBLEMS",
    "Problem",
    "main",
    "seed_of",
    "variant",
]

_LEAST_SECRET = 16  # characters


@dataclass(frozen=True)
class Problem:
    """One variant of a problem.

    Attributes
    ----------
    text : str
        What is asked, with this variant's numbers.
    key : float
        The answer.
    tolerance : float
        Largest difference of an answer from the key, as a share of the key, that is graded right.
    """

    text: str
    key: float
    tolerance: float = 0.005

    def grade(self, answer: float) -> bool:
        """Whether an answer agrees with the key.

        Parameters
        ----------
        answer : float
            A student's answer.

        Returns
        -------
        bool
            True if it differs by at most `tolerance` of the key.
        """
        return abs(any_number("answer", answer) - self.key) <= self.tolerance * abs(self.key)


def variant(name: str, seed: int) -> Problem:
    """A problem with the numbers that a seed gives.

    Parameters
    ----------
    name : str
        Which: a key of `PROBLEMS`.
    seed : int
        Any integer >= 0: a student's number, say. The same seed gives the same variant.

    Returns
    -------
    Problem
        Text and key.

    Notes
    -----
    Derived in: teaching/problems

    Examples
    --------
    >>> problem = variant("flip", seed=7)
    >>> print(problem.text.replace(", to", ",\\nto"))
    A user has 2 choices and flips an answer with probability 0.34,
    to every other choice with the same probability. What is epsilon of one answer?
    >>> problem.grade(1.004 * problem.key), problem.grade(1.006 * problem.key)
    (True, False)
    """
    one_of("name", name, PROBLEMS)
    if not isinstance(seed, Integral):
        raise TypeError(f"seed must be an integer >= 0, got {seed!r} of type {type(seed).__name__}")
    if seed < 0:
        raise ValueError(f"seed must be an integer >= 0, got {seed!r}")
    # The name enters, so that one seed does not give related numbers in two problems.
    return PROBLEMS[name](np.random.default_rng([seed, *name.encode()]))


def seed_of(secret: str, student: str) -> int:
    """The seed of a student's variants, which nobody can tell without the secret.

    Parameters
    ----------
    secret : str
        The instructor's, at least 16 characters, of which nobody should be able to guess one.
    student : str
        Whoever the variants are for.

    Returns
    -------
    int
        From 0 to 2^256 - 1: HMAC-SHA256 of the name under the secret.

    Raises
    ------
    ValueError
        If `secret` is shorter.

    Notes
    -----
    Derived in: teaching/problems

    Examples
    --------
    >>> seed = seed_of("correct horse battery staple", "ada")
    >>> variant("keep", seed).text == variant("keep", seed_of("another horse altogether", "ada")).text
    False
    """
    for name, value in (("secret", secret), ("student", student)):
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a string, got type {type(value).__name__}")
    if len(secret) < _LEAST_SECRET:  # which is not printed
        raise ValueError(f"secret must have at least {_LEAST_SECRET} characters, got {len(secret)}")
    return int.from_bytes(hmac.digest(secret.encode(), student.encode(), "sha256"), "big")


def _flip(rng: np.random.Generator) -> Problem:
    choices, p = int(rng.integers(2, 9)), round(float(rng.uniform(0.05, 0.4)), 2)
    return Problem(
        f"A user has {choices} choices and flips an answer with probability {p:.2f}, to every other choice"
        " with the same probability. What is epsilon of one answer?",
        one_layer_epsilon(p, choices),
    )


def _keep(rng: np.random.Generator) -> Problem:
    choices, epsilon = int(rng.integers(2, 12)), round(float(rng.uniform(0.2, 4)), 1)
    return Problem(
        f"Randomized response on {choices} symbols is to be {epsilon:.1f}-private. With which probability"
        " is a symbol kept?",
        1 - one_layer_flip_probability(epsilon, choices),
    )


def _reuse(rng: np.random.Generator) -> Problem:
    low, answers = round(float(rng.uniform(0.05, 0.3)), 2), int(rng.integers(5, 60))
    high = round(low + float(rng.uniform(0.1, 0.5)), 2)
    return Problem(
        f"A user draws one flip probability from U({low:.2f}, {high:.2f}) and uses it for {answers} answers"
        " on two choices. What is the exact epsilon of one cell, all answers being released?",
        two_layer_epsilon(low, high, 2, answers),
    )


def _laplace(rng: np.random.Generator) -> Problem:
    size, epsilon = int(rng.integers(3, 12)), round(float(rng.uniform(0.5, 5)), 1)
    density, truth = round(float(rng.uniform(0.05, 0.9)), 2), int(rng.integers(0, 3))
    return Problem(
        f"Evaluate the corrected bound of Laplace perturbation: answers 0 to {size - 1}, epsilon"
        f" {epsilon:.1f}, density {density:.2f}, truth {truth}, deviation 1, fill uniform on the answers.",
        lp_mae_bound_corrected(epsilon=epsilon, domain=range(size), density=density, truth=truth),
    )


def _location(rng: np.random.Generator) -> Problem:
    sigma, distance = int(rng.integers(5, 60)), int(rng.integers(1, 20))
    return Problem(
        f"Positions get Gaussian noise of {sigma} m. Find the exact epsilon at {distance} m and delta"
        " 0.00001.",
        gaussian_epsilon(sigma=sigma, distance=distance, delta=1e-5),
    )


def _counts(rng: np.random.Generator) -> Problem:
    scale, epsilon = int(rng.integers(4, 15)), round(float(rng.uniform(0.02, 0.1)), 2)
    return Problem(
        f"Laplace noise of scale {scale} is added to the counts of a set. Find the least delta at epsilon"
        f" {epsilon:.2f} for one label moved.",
        laplace_counts_delta(scale=scale, epsilon=epsilon),
    )


def _dirichlet(rng: np.random.Generator) -> Problem:
    """Epsilon is a share of the loss's deviation, so that the key is neither 0 nor the total variation."""
    counts = [int(k) for k in rng.integers(20, 300, 3)]
    first, second = sorted(counts)[:2]
    scale = round(float(rng.uniform(0.1, 2)), 1)
    deviation = (scale * (1 / first + 1 / second)) ** 0.5
    epsilon = max(round(float(rng.uniform(0.3, 1.2)) * deviation, 2), 0.01)
    return Problem(
        f"Counts {counts[0]}, {counts[1]}, {counts[2]} are released by the scaled Dirichlet mechanism with"
        f" sigma {scale:.1f}. Find the tight delta at epsilon {epsilon:.2f} of outputs under these counts"
        " against outputs under a neighbour, in this direction only: the largest over all neighbours that"
        " one moved label makes.",
        dirichlet_delta(counts, scale=scale, epsilon=epsilon, method="tight"),
        tolerance=0.05,
    )


def _adjusted(rng: np.random.Generator) -> Problem:
    f, t = round(float(rng.uniform(0.05, 0.3)), 2), round(float(rng.uniform(0.6, 0.95)), 2)
    truth = round(float(rng.uniform(0.1, 0.9)), 2)
    counted = round(f + (t - f) * truth, 3)
    return Problem(
        f"A classifier has a false positive rate of {f:.2f} and a true positive rate of {t:.2f}. It counts"
        f" a share of {counted:.3f}. What is the adjusted share?",
        (counted - f) / (t - f),
    )


PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    "flip": _flip,
    "keep": _keep,
    "reuse": _reuse,
    "laplace": _laplace,
    "location": _location,
    "counts": _counts,
    "dirichlet": _dirichlet,
    "adjusted": _adjusted,
}


def main(arguments: list[str] | None = None) -> None:
    """Print a variant of each problem.

    Parameters
    ----------
    arguments : list of str, optional
        Command line, without the program's name.

    Notes
    -----
    Derived in: teaching/problems
    """
    parser = argparse.ArgumentParser(prog="python -m ldpbook.problems", description=__doc__)
    parser.add_argument("seed", type=int, nargs="?", default=0, help="an integer >= 0, 0 by default")
    parser.add_argument("--keys", action="store_true", help="print the keys too")
    options = parser.parse_args(arguments)
    if options.seed < 0:
        parser.error(f"seed must be an integer >= 0, got {options.seed}")
    for name in PROBLEMS:
        problem = variant(name, options.seed)
        print(f"{name}: {problem.text}" + (f"\n    {problem.key:.6g}" if options.keys else ""))


if __name__ == "__main__":
    main()
