"""The instructor's files: what is read from them, and who else may read them."""

import os
import stat
import sys
from pathlib import Path

_LARGEST_SECRET = 10_000  # characters


def text_in(file: Path) -> str:
    """What a text file holds."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{file} is not UTF-8") from None


def secret_in(file: Path) -> str:
    """What the file holds, stripped of white space; a warning if others on the machine can read it."""
    secret = text_in(file).strip()
    if len(secret) > _LARGEST_SECRET:
        raise ValueError(f"{file} has more than {_LARGEST_SECRET} characters: is it the right file?")
    warn_if_open(file, to=0o077, mode=0o600)
    return secret


def warn_if_open(path: Path, *, to: int, mode: int) -> None:
    """Where any of the permissions `to` others is given; `mode` is what they should be."""
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & to:
        print(f"warning: others on this machine can read {path}: chmod {mode:o} {path}", file=sys.stderr)


def write_private(file: Path, content: bytes) -> None:
    """A new file is the writer's alone from the start: keys are in it."""
    file.touch(0o600)
    file.write_bytes(content)
