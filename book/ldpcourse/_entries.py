"""Find claims, exercises and kept runs with the standard library only."""

import functools
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ldpbook._lazy import PARTS

# The folder of each kind of entry, and the name under which a part's module in it lists them.
_NAMES = {"ledger": "CLAIMS", "exercises": "EXERCISES", "exercises.arrays": "EXERCISES", "runs": "RUNS"}


@functools.cache
def homes(kind: str, pattern: str) -> dict[str, str]:
    """The part of each entry, found in the text of its modules, since importing them would take seconds.

    `kind` names the folder that has a module or a package for each part; the one group of `pattern` is an
    entry's name. Names that code puts together are not found.
    """
    root = Path(__file__).parent.joinpath(*kind.split("."))
    return {
        name: part
        for part in PARTS
        for path in [*root.glob(f"{part}.py"), *sorted(root.glob(f"{part}/*.py"))]
        for name in re.findall(pattern, path.read_text(encoding="utf-8"))
    }


def parts_with(name: object, kind: str, pattern: str) -> tuple[str, ...]:
    """The part whose text contains the entry; all parts if none does."""
    home = homes(kind, pattern).get(name) if isinstance(name, str) else None
    return PARTS if home is None else (home,)


def entries_of(part: str, kind: str) -> tuple[Any, ...]:
    """A part's entries of a kind; none if it has no such module, as remedies, which judge no source."""
    home = f"ldpcourse.{kind}.{part}"
    entries: tuple[Any, ...] = getattr(import_module(home), _NAMES[kind]) if find_spec(home) else ()
    return entries
