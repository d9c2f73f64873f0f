"""The instructor's secret, read from a file."""

import os
import stat
import sys
from pathlib import Path

_LARGEST = 10_000  # characters


def secret_in(file: Path) -> str:
    """What the file holds, stripped of white space; a warning if others on the machine can read it."""
    try:
        secret = file.read_bytes().decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise ValueError(f"{file} is not UTF-8") from None
    if len(secret) > _LARGEST:
        raise ValueError(f"{file} has more than {_LARGEST} characters: is it the right file?")
    if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
        print(f"warning: others on this machine can read {file}: chmod 600 {file}", file=sys.stderr)
    return secret
