"""Repeat those kept runs that `make test` leaves out: it runs one setting of each run that is not slow.

`make test-slow` runs one setting of each slow run, `-k every` all settings of all runs: some hours.
"""

import pytest
from course.test_runs import RUNS, assert_found_again, chosen


@pytest.mark.parametrize("name", [name for name in RUNS if RUNS[name].slow])
def test_one_setting_of_a_slow_run(name):
    assert_found_again(name, chosen(name))


@pytest.mark.parametrize(("name", "k"), [(name, k) for name in RUNS for k in range(len(RUNS[name].cells))])
def test_every_setting(name, k):
    assert_found_again(name, k)
