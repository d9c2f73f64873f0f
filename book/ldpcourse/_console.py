"""What commands print with."""

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_SPELT = {"≤": "<=", "≥": ">=", "≠": "!=", "≈": "~"}


def _spell(error: UnicodeError) -> tuple[str, int]:
    """Relations in letters that everything knows: without them a comparison says nothing."""
    assert isinstance(error, UnicodeEncodeError)
    return "".join(_SPELT.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


codecs.register_error("ldpcourse.spell", _spell)


def say(text: str) -> None:
    """Print with the letters that the terminal knows: on Windows a file or a pipe knows few."""
    known = getattr(sys.stdout, "encoding", None) or "utf-8"
    with while_read():
        print(text.encode(known, "ldpcourse.spell").decode(known), flush=True)


@contextmanager
def while_read() -> Iterator[None]:
    """Around printing: a command ends quietly, though with 1, where whoever read it has closed the pipe."""
    try:
        yield
    except BrokenPipeError:
        # What is left would be tried again at the end, and the failure printed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
