"""The problem bank and the chapters' recall questions as Moodle XML, for a learning platform.

``python -m ldpcourse.teaching.quizzes --secret-file FILE --moodle quiz.xml`` writes variants of each problem.
The file contains the keys, so it is only for the instructor. Neither the secret nor a seed is in it.
"""

import argparse
import sys
from pathlib import Path

from ldpcourse._console import say
from ldpcourse.problems import PROBLEMS
from ldpcourse.teaching._files import secret_in, write_private
from ldpcourse.teaching._moodle import moodle_xml
from ldpcourse.teaching._questions import pools, recall_of

__all__ = ["main"]

_RECALL = "recall"
_ROOT = Path(__file__).resolve().parents[3]  # the book's repository, unless only the package is installed


def main(arguments: list[str] | None = None) -> None:
    """Write the questions as Moodle XML.

    The variants of a problem are ``variant(name, seed_of(secret, "variant k"))`` for k from 1 on, without
    repetitions. The secret is the content of the file, without white space at its ends. The same secret gives
    the same bytes.

    Parameters
    ----------
    arguments : list of str, optional
        Command line, without the program's name.

    Raises
    ------
    SystemExit
        With 2 if a name or the secret is wrong, before anything is written, or if a file cannot be written.

    Notes
    -----
    Derived in: teaching/quizzes
    """
    parser = argparse.ArgumentParser(prog="python -m ldpcourse.teaching.quizzes", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"problems of the bank, or {_RECALL} (the chapters' questions, whose answers are published);"
        " default: all",
    )
    parser.add_argument(
        "--secret-file",
        metavar="FILE",
        type=Path,
        help="a text of 16 characters or more that only you know, from which the variants are computed",
    )
    parser.add_argument("--variants", metavar="N", type=int, default=10, help="per problem (%(default)s)")
    parser.add_argument("--moodle", metavar="FILE.xml", type=Path, required=True, help="the file to write")
    options = parser.parse_args(arguments)
    known = [*PROBLEMS, _RECALL]
    for name in options.names:
        if name not in known:
            parser.error(f"there is no problem {name}: choose from {', '.join(known)}")
    if options.variants < 1:
        parser.error(f"--variants must be at least 1, got {options.variants}")
    at_hand = (_ROOT / "_toc.yml").exists()
    if _RECALL in options.names and not at_hand:
        parser.error(f"{_RECALL} needs the book's repository: this package is installed without it")
    wanted = [name for name in known if name in (options.names or known)]
    problems = [name for name in wanted if name != _RECALL]
    if problems and not options.secret_file:
        parser.error("variants of problems need --secret-file FILE")
    try:
        secret = secret_in(options.secret_file) if problems else ""
        made = pools(secret, options.variants, problems)
        recall = recall_of(_ROOT) if _RECALL in wanted and at_hand else []
        write_private(options.moodle, moodle_xml(made, recall))
    except (OSError, ValueError) as error:
        parser.error(str(error))
    each = f"{len(made)} problems in {options.variants} variants, " if made else ""
    say(f"{options.moodle}: {each}{len(recall)} questions of recall")
    if not at_hand:
        print("without the chapters' questions, which are in the book's repository", file=sys.stderr)


if __name__ == "__main__":
    main()
