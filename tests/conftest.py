"""Shared by all tests: a quick hypothesis profile, figures without a screen."""

import os

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from draws import draws
from hypothesis import HealthCheck, settings

from ldpcourse import figures

mpl.use("agg")
# PATH is exempt: nbgrader prepends the folder of its own programs each time it is called.
KERNELS_READ = ("LDPBOOK_DATA", "MPLBACKEND", "PYTHONPATH")
settings.register_profile(
    "book",
    max_examples=draws(25, 60),
    deadline=None,
    derandomize=True,
    # The mutation tool calls the same test from several runs of pytest in one process.
    suppress_health_check=[HealthCheck.differing_executors],
)
settings.load_profile("book")


@pytest.fixture(autouse=True)
def environment_stays():
    """Fail on changes that a test leaves in the environment: kernels of chapters would inherit them."""
    before = {name: os.environ.get(name) for name in KERNELS_READ}
    yield
    assert {name: os.environ.get(name) for name in KERNELS_READ} == before


@pytest.fixture
def book_style():
    """Style figures as in the book, whatever settings QuaPy changes when it is imported."""
    plt.rcdefaults()
    figures.use_book_style()
    yield
    plt.close("all")
