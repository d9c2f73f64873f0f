"""Skip, by name, the notebooks whose data cannot be had; where data are required, they fail."""

import functools
import importlib.util
import os
from pathlib import Path

import needed
import pytest

from ldpbook import datasets

# The wheel is tested, not what lies beside this file.
if os.environ.get("LDPBOOK_INSTALLED") and Path(datasets.__file__).is_relative_to(Path(__file__).parent):
    pytest.exit(f"ldpbook is {datasets.__file__}, not an installed package", returncode=2)

# Where only the package and its tests are installed, what builds and drives the pages cannot be imported.
if not all(map(importlib.util.find_spec, ("bs4", "playwright", "sphinx"))):
    collect_ignore = ["tests/browsed.py"]
    collect_ignore_glob = ["book/_ext/*"]

pytest_plugins = ["verified", "budget"]

# The run that decides (.ci/run) must fail if it cannot reach the data, instead of passing with fewer tests.
REQUIRED = bool(os.environ.get("LDPBOOK_REQUIRE_DATA"))


@functools.cache
def _missing(loader: str) -> str:
    """Why the data of a loader cannot be had; empty if it can."""
    try:
        getattr(datasets, loader)()
    except (FileNotFoundError, ImportError) as error:
        return f"{loader}: {error}"
    except ValueError:  # LDPBOOK_DATA has other files: what loads them fails and says so
        return ""
    return ""


@functools.cache
def _needs(path: Path) -> tuple[str, ...]:
    return needed.loaders(path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.suffix == ".ipynb" and not REQUIRED:
            missing = next(filter(None, map(_missing, _needs(item.path))), "")
            if missing:
                item.add_marker(pytest.mark.skip(reason=f"{item.path.name}: {missing}"))


def loaded(name: str) -> datasets.RealCrowd:
    """Data by their loader's name; if they cannot be had, the test is skipped, or fails if required."""
    missing = _missing(name)
    if missing and not REQUIRED:
        pytest.skip(missing)
    return getattr(datasets, name)()


@pytest.fixture(scope="session")
def load():
    return loaded
