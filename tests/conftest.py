"""Shared by all tests: a quick hypothesis profile, figures without a screen."""

import os

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from draws import draws
from hypothesis import HealthCheck, settings

from ldpcourse import figures

mpl.use("agg")
# Not PATH: nbgrader puts the folder of its own programs in front of it each time it is called.
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
    """What a test leaves in the environment, the kernels of the chapters would start with."""
    before = {name: os.environ.get(name) for name in KERNELS_READ}
    yield
    assert {name: os.environ.get(name) for name in KERNELS_READ} == before


@pytest.fixture
def book_style():
    """Figures as in the book, whatever others have set: QuaPy does so when it is imported."""
    plt.rcdefaults()
    figures.use_book_style()
    yield
    plt.close("all")
