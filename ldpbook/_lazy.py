"""Packages whose names are imported when they are asked for.

The stub beside a package's ``__init__.py`` lists the names once, for this module and for type checkers.
Standard library only: parts of the book run where nothing else is installed.
"""

import ast
import functools
import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PARTS = (
    "foundations",
    "sparse_answers",
    "categorical_answers",
    "localization",
    "class_ratios",
    "remedies",
    "whole_worker",
    "practice",
)


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """What the package of that ``__init__.py`` calls ``__getattr__`` and ``__dir__``.

    A name whose extra is not installed is neither listed nor brought by a star; who asks for it by name is
    told what to install, by an ImportError.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    homes = {
        alias.name: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    def get(name: str) -> Any:
        if name == "__all__":
            return names()
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        return (
            getattr(import_module(f"{package}.{home}"), name) if home else import_module(f"{package}.{name}")
        )

    def names() -> list[str]:
        return [name for name in sorted(homes) if not _lacks(f"{package}.{homes[name] or name}", name)]

    return get, names


@functools.cache
def _lacks(module: str, name: str = "") -> bool:
    """Whether a module takes what is not installed, told from its text, for to import all takes seconds.

    A package knows that of each name. Told once a process.
    """
    path = Path(__file__).parents[1].joinpath(*module.split("."))
    if path.is_dir():
        return name not in ("", path.name) and name not in dir(import_module(module))
    text = path.with_suffix(".py").read_text(encoding="utf-8")
    guarded = "".join(re.findall(r"^with extra\(.*\n((?:    .*\n)+)", text, re.MULTILINE))
    taken = re.findall(r"^    (?:from|import) (\w+)", guarded, re.MULTILINE)
    below = re.findall(r"^from (ldpbook[\w.]*) import", text, re.MULTILINE)
    return not all(map(find_spec, taken)) or any(map(_lacks, below))
