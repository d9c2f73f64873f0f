"""Skips, by name, the notebooks whose data cannot be had."""

import functools
import json
from pathlib import Path

import pytest

from ldpbook import datasets


@functools.cache
def _missing(loader: str) -> str:
    """Why the data of a loader cannot be had; empty if it can."""
    try:
        getattr(datasets, loader)()
    except FileNotFoundError as error:
        return str(error)
    return ""


@functools.cache
def _needs(path: Path) -> tuple[str, ...]:
    return tuple(json.loads(path.read_text(encoding="utf-8"))["metadata"].get("ldpbook", {}).get("needs", ()))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.suffix == ".ipynb":
            missing = next(filter(None, map(_missing, _needs(item.path))), "")
            if missing:
                item.add_marker(pytest.mark.skip(reason=f"{item.path.name}: {missing}"))
