"""The budget of processor time: slow tests are reported, and so are their reasons."""

import os
import subprocess
import sys

import budget
from toc import ROOT

BUSY = """import time

import budget
import pytest

budget.OF_A_TEST = 0.05


def test_quick():
    pass


{mark}
def test_long():
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
"""


def run(folder, *options, mark=""):
    folder.joinpath("test_it.py").write_text(BUSY.format(mark=mark))
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    # Run without installed plugins, because importing them takes longer than the run.
    alone = {"PYTHONPATH": str(ROOT / "tests"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "budget", "-p", "no:cacheprovider"),
            *(*options, "test_it.py"),
        ],
        cwd=folder,
        env=kept | alone,
        capture_output=True,
        text=True,
        check=False,
    )


def plugin(**seconds):
    found = budget.Budget(None)
    found.seconds |= {name.replace("_ipynb", ".ipynb"): taken for name, taken in seconds.items()}
    return found


def test_slow_tests_are_reported():
    found = plugin(quick=4.9, long=5.1, chapter_ipynb=14.9, slow_ipynb=15.1)
    assert [fault.split()[0] for fault in found.faults()] == ["long", "slow.ipynb"]


def test_a_reason_is_enough_for_ten():
    found = plugin(**{f"long{k}": 6.0 for k in range(11)})
    found.reasons = {f"long{k}": "fifty digits" for k in range(11)}
    assert found.faults() == ["11 have a reason to be slow, 10 are allowed"]
    del found.reasons["long0"], found.seconds["long0"]
    assert found.faults() == []


def test_run_over_budget_names_the_test(tmp_path):
    ended = run(tmp_path, "--budget")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "over budget: test_it.py::test_long took 0." in ended.stdout
    assert "test_quick took" not in ended.stdout
    assert run(tmp_path).returncode == 0
    assert run(tmp_path, "--budget", mark="@pytest.mark.slow('why')").returncode == 0


def test_the_longest_scopes_come_first(monkeypatch, tmp_path):
    table = tmp_path / "seconds.json"
    table.write_text('{"b.py::B": 9, "c.py": 3}')
    monkeypatch.setattr(budget, "TABLE", table)

    class Item:
        def __init__(self, nodeid):
            self.nodeid = nodeid

    items = [Item(name) for name in ("a.py::x", "b.py::y", "b.py::B::z", "c.py::1", "c.py::2", "b.py::B::w")]
    budget.pytest_collection_modifyitems(items)
    assert [item.nodeid for item in items] == [
        "b.py::B::z", "b.py::B::w", "c.py::1", "c.py::2", "a.py::x", "b.py::y",
    ]  # fmt: skip
