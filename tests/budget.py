"""Processor time of tests and chapters: a plugin that runs the longest first and enforces a budget.

A test may take 5 seconds of processor time, a chapter 15. One that takes longer must give a reason: a test by
the mark `slow`, a chapter by `ldpbook.slow` in its metadata. ``--budget`` makes a run fail if one takes more
without a reason, or if more than ten have one. Time is processor time, of a test's own process and of those
that it started and that have ended, so that other work on the machine counts little. `seconds.json` records
how long the longest scopes took, and is used only to order them.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

OF_A_TEST, OF_A_CHAPTER, REASONS = 5.0, 15.0, 10
SHOWN = 20
TABLE = Path(__file__).with_name("seconds.json")
WORTH_ORDERING = 10.0


def processor() -> float:
    """Seconds of processor time of this process and of those it has waited for."""
    return sum(os.times()[:4])


def scope(nodeid: str) -> str:
    """The scope that stays together on one worker: a class, otherwise a file."""
    return nodeid.rpartition("::")[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--budget", action="store_true", help="fail if a test or chapter takes too long")
    parser.addoption("--write-seconds", action="store_true", help=f"write {TABLE.name} anew")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "slow(reason): takes more than five seconds of processor time, and why"
    )
    config.pluginmanager.register(Budget(config), "processor time")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the longest first, so that no worker ends long after the others; the order in a file stays."""
    seconds = json.loads(TABLE.read_text(encoding="utf-8"))
    items.sort(key=lambda item: -seconds.get(scope(item.nodeid), 0))


class Budget:
    """The time that each test took, and which tests have a reason."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.started = processor()
        self.seconds: dict[str, float] = defaultdict(float)
        self.scopes: dict[str, float] = defaultdict(float)
        self.reasons: dict[str, str] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        self.started = processor()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        if call.when == "teardown":
            mark = item.get_closest_marker("slow")
            notebook = getattr(item.parent, "nb", {"metadata": {}})
            reason = mark.args[0] if mark else notebook["metadata"].get("ldpbook", {}).get("slow", "")
            item.user_properties.append(("seconds", (processor() - self.started, reason)))
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for key, value in report.user_properties if report.when == "teardown" else ():
            if key == "seconds":
                seconds, reason = value
                self.scopes[scope(report.nodeid)] += seconds
                file = report.nodeid.partition("::")[0]
                name = file if file.endswith(".ipynb") else report.nodeid
                self.seconds[name] += seconds
                if reason:
                    self.reasons[name] = reason

    def faults(self) -> list[str]:
        over = [
            f"{name} took {seconds:.1f} s of processor time, {allowed:.0f} are allowed without a reason"
            for name, seconds in self.seconds.items()
            for allowed in [OF_A_CHAPTER if name.endswith(".ipynb") else OF_A_TEST]
            if seconds > allowed and name not in self.reasons
        ]
        if len(self.reasons) > REASONS:
            over.append(f"{len(self.reasons)} have a reason to be slow, {REASONS} are allowed")
        return over

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(self.config, "workerinput"):
            return
        if self.config.getoption("write_seconds"):
            kept = sorted(self.scopes.items(), key=lambda item: -item[1])
            table = {name: round(seconds) for name, seconds in kept if seconds >= WORTH_ORDERING}
            TABLE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
        if self.config.getoption("budget") and self.faults() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.config.getoption("durations"):
            told = sorted(self.seconds.items(), key=lambda item: -item[1])[:SHOWN]
            terminalreporter.section(f"slowest {SHOWN} tests and chapters, seconds of processor time")
            for name, seconds in told:
                terminalreporter.line(f"{seconds:6.1f} {name} {self.reasons.get(name, '')}".rstrip())
        if self.config.getoption("budget"):
            for fault in self.faults():
                terminalreporter.line(f"over budget: {fault}", red=True)
