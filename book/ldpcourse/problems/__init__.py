"""A bank of problems for homework: a seed gives a variant with its own numbers, the package its key.

Every student gets a different seed, and variants of a problem are equally difficult.
``python -m ldpcourse.problems`` prints the bank, ``python -m ldpcourse.problems 7`` the variants of seed 7,
and ``--keys`` also their keys and the points that a full explanation names.
"""

import hmac
from collections.abc import Callable
from importlib import import_module
from numbers import Integral

import numpy as np

from ldpbook._lazy import PARTS
from ldpbook._validate import one_of
from ldpcourse.problems.problem import Problem

__all__ = [
    "PROBLEMS",
    "WEEKS",
    "Problem",
    "seed_of",
    "variant",
]

_LEAST_SECRET = 16  # characters


PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    name: problem
    for part in PARTS
    for name, problem in import_module(f"ldpcourse.problems.{part}").PROBLEMS.items()
}

# Problems to hand in each week, as in the syllabus; from week 13 on remedies, whole workers and practice.
WEEKS: dict[int, tuple[str, ...]] = {
    1: ("fingerprint", "round"),
    2: ("belief", "warner", "draws"),
    3: ("laplace", "keep"),
    4: ("absent", "profile", "constant"),
    5: ("budgets", "elect", "flip"),
    6: ("layers", "reuse"),
    7: ("vote", "answers"),
    8: ("cloud", "cipher"),
    9: ("product", "location"),
    10: ("apart", "anchor", "adjusted"),
    11: ("match", "size"),
    12: ("purity", "dirichlet", "counts", "hospitals"),
    13: ("invert", "threshold"),
    14: ("better", "careful"),
    15: ("oracle", "place"),
    16: ("tables", "foretell"),
    17: ("relink", "hide"),
    18: ("silent", "mixture"),
    19: ("mixed", "liars", "memo"),
    20: ("words", "centred"),
    21: ("storage", "deny"),
    22: ("obey", "sized"),
}


def variant(name: str, seed: int) -> Problem:
    """A problem with the numbers that a seed gives.

    Parameters
    ----------
    name : str
        Name of the problem, a key of `PROBLEMS`.
    seed : int
        Any integer >= 0, such as a student's number. The same seed gives the same variant.

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
    # The name is part of the seed, so that two problems do not get related numbers.
    return PROBLEMS[name](np.random.default_rng([seed, *name.encode()]))


def seed_of(secret: str, student: str) -> int:
    """The seed of a student's variants, which no one can compute without the secret.

    Parameters
    ----------
    secret : str
        The instructor's secret of at least 16 characters, which no one should be able to guess.
    student : str
        Name of the student.

    Returns
    -------
    int
        From 0 to 2^256 - 1: HMAC-SHA256 of the name under the secret.

    Raises
    ------
    ValueError
        If `secret` has fewer than 16 characters.

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
    if len(secret) < _LEAST_SECRET:  # the message does not contain the secret
        raise ValueError(f"secret must have at least {_LEAST_SECRET} characters, got {len(secret)}")
    # A student's name may come from a file name, which need not be valid text.
    key, message = (text.encode("utf-8", "surrogatepass") for text in (secret, student))
    return int.from_bytes(hmac.digest(key, message, "sha256"), "big")
