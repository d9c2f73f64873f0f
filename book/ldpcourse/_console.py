"""Printing for the commands."""

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_SPELT = {"≤": "<=", "≥": ">=", "≠": "!=", "≈": "~"}


def _spell(error: UnicodeError) -> tuple[str, int]:
    """Replace relation signs by ASCII, since a comparison is useless without its sign."""
    assert isinstance(error, UnicodeEncodeError)
    return "".join(_SPELT.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


codecs.register_error("ldpcourse.spell", _spell)


def say(text: str) -> None:
    """Print with the characters that the terminal can show; on Windows a file or a pipe can show few."""
    known = getattr(sys.stdout, "encoding", None) or "utf-8"
    with while_read():
        print(text.encode(known, "ldpcourse.spell").decode(known), flush=True)


@contextmanager
def while_read() -> Iterator[None]:
    """End a command quietly, with exit code 1, if the reader of its output has closed the pipe."""
    try:
        yield
    except BrokenPipeError:
        # Otherwise Python would try to print the rest at exit, and report the failure.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
