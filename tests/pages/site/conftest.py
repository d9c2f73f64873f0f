"""Fixtures of the tests in a browser."""

from pathlib import Path

import pytest
from browsed import address, browser, visit

__all__ = ["address", "browser", "visit"]
HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that read pages without a browser run in one worker, which parses each page once."""
    for item in items:
        if HERE in item.path.parents and "browser" not in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group("reading"))
