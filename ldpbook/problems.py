"""A bank of problems with parameters of their own: a seed gives a variant, the package its key.

For homework: every student gets another seed, and nobody another difficulty.
``python -m ldpbook.problems`` prints the bank, ``python -m ldpbook.problems 7`` the variants of seed 7, and
``--keys`` their keys and what an explanation has to name.
"""

import argparse
import hmac
from collections.abc import Callable
from importlib import import_module
from numbers import Integral

import numpy as np

from ldpbook._lazy import PARTS
from ldpbook._problem import Problem
from ldpbook._validate import one_of

__all__ = [
    "PROBLEMS",
    "WEEKS",
    "Problem",
    "main",
    "seed_of",
    "variant",
]

_LEAST_SECRET = 16  # characters


PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    name: problem
    for part in PARTS
    for name, problem in import_module(f"ldpbook.{part}.problems").PROBLEMS.items()
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
    from ldpbook._grading import say  # it starts processes, which a browser cannot

    parser = argparse.ArgumentParser(prog="python -m ldpbook.problems", description=__doc__)
    parser.add_argument("seed", type=int, nargs="?", default=0, help="an integer >= 0, 0 by default")
    parser.add_argument("--keys", action="store_true", help="print keys and explanations, for who grades")
    options = parser.parse_args(arguments)
    if options.seed < 0:
        parser.error(f"seed must be an integer >= 0, got {options.seed}")
    for name in PROBLEMS:
        problem = variant(name, options.seed)
        say(f"{name}: {problem.text}")
        if options.keys:
            say(f"    {problem.key:.6g}\n    {problem.explanation}")


if __name__ == "__main__":
    main()
