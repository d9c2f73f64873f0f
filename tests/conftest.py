"""Shared by all tests: the data that can be had, and a quick hypothesis profile."""

from collections.abc import Callable

import matplotlib as mpl
import pytest
from hypothesis import HealthCheck, settings

from ldpbook import datasets

mpl.use("agg")
settings.register_profile(
    "book",
    max_examples=60,
    deadline=None,
    derandomize=True,
    # The mutation tool calls the same test from several runs of pytest in one process.
    suppress_health_check=[HealthCheck.differing_executors],
)
settings.load_profile("book")


@pytest.fixture(scope="session")
def load() -> Callable[[str], datasets.RealCrowd]:
    """Load a crowd by its loader's name, or skip the test by that name."""

    def loader(name: str) -> datasets.RealCrowd:
        try:
            return getattr(datasets, name)()
        except FileNotFoundError as error:
            pytest.skip(f"{name}: {error}")

    return loader
