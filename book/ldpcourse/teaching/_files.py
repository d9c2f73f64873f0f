"""Files of the instructor with their permissions, and files that students handed in."""

import os
import stat
import sys
import unicodedata
from collections import Counter
from pathlib import Path

_LARGEST_SECRET = 10_000  # characters
_LARGEST_NOTEBOOK = 10_000_000  # bytes, with its figures


def text_in(file: Path) -> str:
    """Content of a text file."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{file} is not UTF-8") from None


def secret_in(file: Path) -> str:
    """Content of the file without white space at its ends; warns if others on the machine can read it."""
    secret = text_in(file).strip()
    if len(secret) > _LARGEST_SECRET:
        raise ValueError(f"{file} has more than {_LARGEST_SECRET} characters: is it the right file?")
    warn_if_open(file, to=0o077, mode=0o600)
    return secret


def warn_if_open(path: Path, *, to: int, mode: int) -> None:
    """Warn if others have any of the permissions in `to`; `mode` has those that the path should have."""
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & to:
        print(f"warning: others on this machine can read {path}: chmod {mode:o} {path}", file=sys.stderr)


def write_private(file: Path, content: bytes) -> None:
    """Write a file with keys; a new file is readable only by its owner from the start."""
    file.touch(0o600)
    file.write_bytes(content)


def handed_in(inbox: Path) -> dict[str, Path]:
    """Files and folders in `inbox` by student; each is named after its student.

    If a student has several files, or a folder too, the keys of the files keep the suffix, so that none of
    these files is treated as hers; the folder still is.
    """
    found = [path for path in inbox.iterdir() if not path.name.startswith(".")] if inbox.is_dir() else []
    names = {path: path.name if path.is_dir() else path.stem for path in sorted(found)}
    times = Counter(names.values())
    return {
        unicodedata.normalize("NFC", name if path.is_dir() or times[name] == 1 else path.name): path
        for path, name in names.items()
    }


def notebook_in(path: Path) -> str:
    """Text of a notebook that was handed in, or of the one in a folder; a ValueError says what is wrong.

    Links are not followed, because they might lead to another student's answers or to the keys.
    """
    if path.is_symlink():
        raise ValueError("it is a link, not a file")
    if path.is_dir():
        files = sorted(path.glob("[!.]*.ipynb"))
        if len(files) != 1 or files[0].is_dir():
            raise ValueError(f"the folder has {len(files)} files .ipynb, where one is expected")
        return notebook_in(files[0])
    if not path.is_file() or path.suffix != ".ipynb":
        raise ValueError("it is no file .ipynb")
    if path.stat().st_size > _LARGEST_NOTEBOOK:
        raise ValueError(f"it has more than {_LARGEST_NOTEBOOK / 1e6:g} MB and was not read")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    if not text.strip():
        raise ValueError("it is empty")
    return text
