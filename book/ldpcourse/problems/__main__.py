"""Print the bank of problems: a variant of each, with ``--keys`` also their keys."""

import argparse

import ldpcourse.problems
from ldpcourse._console import say
from ldpcourse.problems import PROBLEMS, variant


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
    parser = argparse.ArgumentParser(
        prog="python -m ldpcourse.problems", description=ldpcourse.problems.__doc__
    )
    parser.add_argument("seed", type=int, nargs="?", default=0, help="an integer >= 0, 0 by default")
    parser.add_argument("--keys", action="store_true", help="print keys and explanations, for graders")
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
