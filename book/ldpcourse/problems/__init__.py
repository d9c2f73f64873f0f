"""A bank of problems with parameters of their own: a seed gives a variant, the package its key.

For homework: every student gets another seed, and nobody another difficulty.
``python -m ldpcourse.problems`` prints the bank, ``python -m ldpcourse.problems 7`` the variants of seed 7,
and ``--keys`` their keys and what an explanation has to name.
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

# What is handed in week by week, as the syllabus has it; from the 13th on remedies, whole workers, practice.
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
    # Names of files may hold what is no text; they are students too.
    key, message = (text.encode("utf-8", "surrogatepass") for text in (secret, student))
    return int.from_bytes(hmac.digest(key, message, "sha256"), "big")
