"""Packages whose names are imported when they are asked for.

The stub beside a package's ``__init__.py`` lists the names once, for this module and for type checkers.
Standard library only: parts of the book run where nothing else is installed.
"""

import ast
from collections.abc import Callable
from importlib import import_module
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
    """The functions ``__getattr__`` and ``__dir__`` for the package of that ``__init__.py``."""
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
        return sorted(homes)

    return get, names
