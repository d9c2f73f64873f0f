"""A budget is charged before anything is drawn: exactly, once per purpose, by one process at a time."""

import json
import math
import os
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ldpbook import RandomizedResponse
from ldpbook.practice import AlreadySpentError, Budget
from ldpbook.practice.budget import _exact, _key
from ldpbook.whole_worker import accounts

if os.name == "posix":
    import fcntl

AMOUNTS = st.fractions(0, 1) | st.floats(0, 1) | st.integers(0, 2)


@pytest.fixture
def budget(tmp_path):
    one = Budget(tmp_path / "budget.json", 1)
    one.start()
    return one


def started(tmp_path_factory, limit):
    one = Budget(tmp_path_factory.mktemp("any") / "b", limit)
    one.start()
    return one


class TestSums:
    def test_ten_tenths_are_one(self, budget):
        for k in range(10):
            budget.charge(f"day {k}", ["Ann"], 0.1)
        assert budget.spent("Ann") == 1
        with pytest.raises(ValueError, match=r"^epsilon must be at most what everyone has left"):
            budget.charge("one more", ["Ann"], 5e-324)
        budget.charge("for nothing", ["Ann"], 0)
        assert budget.spent("Ann") == 1

    def test_three_thirds_are_one(self, budget):
        for k in range(3):
            budget.charge(f"day {k}", ["Ann"], Fraction(1, 3))
        assert budget.spent("Ann") == 1

    @settings(max_examples=40, deadline=None)
    @given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("xyz"), AMOUNTS), max_size=12), AMOUNTS)
    def test_no_budget_exceeds_the_limit(self, tmp_path_factory, calls, limit):
        """Compare with a plain list of the accepted charges."""
        if not float(limit) > 0:
            return
        budget, through = started(tmp_path_factory, limit), {}
        most = limit if isinstance(limit, int | Fraction) else Fraction(str(limit))
        for who, why, cost in calls:
            exact = cost if isinstance(cost, int | Fraction) else Fraction(str(cost))
            left = most - sum(c for (name, _), c in through.items() if name == who)
            try:
                budget.charge(why, [who], cost)
            except AlreadySpentError:
                assert (who, why) in through
            except ValueError:
                assert exact > left
            else:
                assert (who, why) not in through
                assert exact <= left
                through[who, why] = exact
        for who in "ABC":
            assert budget.spent(who) == sum(c for (name, _), c in through.items() if name == who)

    @given(st.floats(1e-300, 1e300))
    def test_charge_for_a_float_is_within_rounding(self, cost):
        assert abs(_exact("epsilon", cost) / Fraction(cost) - 1) <= Fraction(1, 2**53)

    @pytest.mark.parametrize("cost", [Fraction(1, 10), Fraction(1, 3), Fraction(22, 7)])
    def test_reports_at_a_fraction_cost_at_most_that(self, cost):
        ratio = RandomizedResponse(cost, range(5)).exact_ratio
        with mpmath.workdps(60):
            loss = mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
            assert loss <= mpmath.mpf(cost.numerator) / cost.denominator

    def test_accounts_state_the_cost_of_a_row(self, budget):
        rr = RandomizedResponse(0.25, range(5))
        cost = accounts(rr, n_answers=2, n_tasks=3, n_users=1, delta=1e-6).worker.upper
        budget.charge("a row", ["Ann"], cost)
        assert budget.spent("Ann") == Fraction(3, 4)  # three cells may change: two answers and two others


class TestOnce:
    def test_a_purpose_is_charged_once(self, budget):
        budget.charge("wave 1", ["Ann", "Cem"], 0.2)
        kept = Path(budget.path).read_bytes()
        for workers, k in ((["Ann", "Cem"], 0), (["Cem"], 0), (["Eve", "Cem"], 1)):
            with pytest.raises(
                AlreadySpentError, match=rf"workers\[{k}\] has spent .* release the reports kept from then"
            ):
                budget.charge("wave 1", workers, 0.1)
        assert Path(budget.path).read_bytes() == kept
        budget.charge("wave 2", ["Ann", "Cem"], 0.2)
        assert budget.spent("Cem") == Fraction("0.4")
        assert budget.spent("Eve") == 0

    def test_insufficient_budget_charges_no_one(self, budget):
        budget.charge("wave 1", ["Cem"], 0.9)
        kept = Path(budget.path).read_bytes()
        with pytest.raises(ValueError, match=r"workers\[1\] has less$"):
            budget.charge("wave 2", ["Ann", "Cem"], 0.2)
        assert Path(budget.path).read_bytes() == kept

    def test_budgets_start_once(self, budget):
        with pytest.raises(ValueError, match=r"^path must be new"):
            budget.start()

    @pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
    def test_a_link_leads_to_the_same_budget(self, budget, tmp_path):
        (tmp_path / "link").symlink_to("budget.json")
        Budget(tmp_path / "link", 1).charge("wave 1", ["Ann"], 0.6)
        assert budget.spent("Ann") == Fraction("0.6")

    @pytest.mark.parametrize(
        ("one", "same"),
        [
            (1, [1.0, np.int64(1), np.float32(1), True, Fraction(1)]),
            (0.5, [np.float64(0.5), Fraction(1, 2)]),
            ("Ann", [np.str_("Ann")]),
            (("a", 1), [["a", 1.0], ("a", np.int8(1))]),
            (2**60, [float(2**60)]),
            (-128, [np.int8(-128)]),
        ],
    )
    def test_labels_that_are_equal_are_one_person(self, budget, one, same):
        budget.charge("first", [one], 0.5)
        for k, label in enumerate(same):
            assert label == one or list(label) == list(one)
            assert budget.spent(label) == Fraction(1, 2)
            with pytest.raises(AlreadySpentError):
                budget.charge("first", [label], 0.1)
            with pytest.raises(ValueError, match="one of them twice"):
                budget.charge(f"later {k}", [one, label], 0.1)

    def test_labels_that_differ_are_different_people(self):
        labels = [
            1,
            "1",
            1.5,
            "1.5",
            "",
            "[1]",
            (1,),
            ("1",),
            ("1, 2",),
            (1, 2),
            ((1,), 2),
            "é",
            "\udcff",
            "'",
            '"',
        ]
        assert len({_key("workers", label) for label in labels}) == len(labels)


class TestFile:
    def test_file_contents(self, budget):
        budget.charge("wave 1", ["Ann", 7], 0.25)
        said = json.loads(Path(budget.path).read_text("ascii"))
        people = {'"Ann"': {"wave 1": "1/4"}, "7": {"wave 1": "1/4"}}
        assert said == {"format": "ldpbook budget 1", "limit": "1", "spent": people}

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda said: said | {"format": "ldpbook budget 2"},
            lambda said: {"limit": "1", "spent": {}},
            lambda said: said | {"limit": "inf"},
            lambda said: said | {"spent": []},
            lambda said: said | {"spent": {"7": {"a": "-1/2"}}},
            lambda said: said | {"spent": {"7": {"a": "1/0"}}},
            lambda said: said | {"spent": {"7": {"a": float("nan")}}},
            lambda said: said | {"spent": {"7": "1/2"}},
            lambda said: said | {"spent": {"Ann": {"a": "1/2"}}},  # no JSON, so no one would be charged
            lambda said: said | {"spent": {"1.0": {"a": "1/2"}}},  # the label's spelling is 1
            lambda said: said | {"spent": {"[1,2]": {"a": "1/2"}}},
            lambda said: [said],
        ],
    )
    def test_other_files_are_refused(self, budget, spoil):
        path = Path(budget.path)
        path.write_text(json.dumps(spoil(json.loads(path.read_text()))))
        kept = path.read_bytes()
        for call in (lambda: budget.charge("a", ["Ann"], 0.1), lambda: budget.spent("Ann")):
            with pytest.raises(ValueError, match=r"^path must be a budget that start has made"):
                call()
        assert path.read_bytes() == kept

    @pytest.mark.parametrize(
        "twice",
        ['{"\\"Ann\\"": {"a": "1"}, "\\"Ann\\"": {"b": "0"}}', '{"\\"Ann\\"": {"a": "1", "a": "0"}}'],
    )
    def test_files_naming_someone_twice_are_refused(self, budget, twice):
        Path(budget.path).write_text(f'{{"format": "ldpbook budget 1", "limit": "1", "spent": {twice}}}')
        with pytest.raises(ValueError, match=r"^path must be a budget that start has made"):
            budget.spent("Ann")

    def test_a_purpose_is_the_same_in_the_file(self, budget):
        """Two surrogates are read back as one letter."""
        budget.charge("\ud83d\ude00", ["Ann"], 0.4)
        for purpose in ("\ud83d\ude00", "\U0001f600"):
            with pytest.raises(AlreadySpentError):
                budget.charge(purpose, ["Ann"], 0.4)
        assert budget.spent("Ann") == Fraction(2, 5)

    @pytest.mark.skipif(os.name != "posix", reason="Windows has other file permissions")
    def test_file_permissions_are_kept(self, budget):
        assert os.stat(budget.path).st_mode & 0o777 == 0o600
        for mode in (0o600, 0o640):
            os.chmod(budget.path, mode)
            budget.charge(f"with {mode}", ["Ann"], 0.1)
            assert os.stat(budget.path).st_mode & 0o777 == mode

    @pytest.mark.skipif(os.name != "posix", reason="Windows does not fork")
    @pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
    def test_forked_child_keeps_no_lock(self, budget, monkeypatch):
        replace, children = os.replace, []

        def forking(new, path):
            replace(new, path)
            if not (child := os.fork()):
                signal.pause()
            children.append(child)

        monkeypatch.setattr(os, "replace", forking)
        budget.charge("a", ["Ann"], 0.1)
        try:
            with open(f"{budget.path}.lock", "ab") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.kill(children[0], signal.SIGKILL)
            os.waitpid(children[0], 0)

    @pytest.mark.parametrize("whole", [b"", b"{", b"\xff", b"[" * 100_000])
    def test_half_files_are_refused(self, budget, whole):
        Path(budget.path).write_bytes(whole)
        with pytest.raises(ValueError, match=r"^path must be a budget"):
            budget.charge("a", ["Ann"], 0.1)

    def test_missing_file_starts_no_new_budget(self, budget):
        budget.charge("a", ["Ann"], 1)
        Path(budget.path).unlink()
        with pytest.raises(ValueError, match=r"^path must be a budget that start has made"):
            budget.charge("b", ["Ann"], 1)

    @pytest.mark.parametrize("limit", [2, 0.5, Fraction(10**20 + 1, 10**20)])
    def test_another_limit_is_refused(self, budget, limit):
        with pytest.raises(ValueError, match=r"^limit must be 1, as in path"):
            Budget(budget.path, limit).charge("a", ["Ann"], 0.1)

    def test_a_full_disk_keeps_the_old_file(self, budget, monkeypatch):
        kept = Path(budget.path).read_bytes()

        def full(_):
            raise OSError("no space left")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="no space"):
            budget.charge("a", ["Ann"], 0.1)
        assert Path(budget.path).read_bytes() == kept

    @pytest.mark.skipif(os.name != "posix", reason="Windows locks files differently")
    def test_files_change_under_the_lock_alone(self, tmp_path, monkeypatch):
        replace, held = os.replace, []

        def watched(new, path):
            with open(f"{path}.lock", "ab") as lock, pytest.raises(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held.append(path)
            replace(new, path)

        monkeypatch.setattr(os, "replace", watched)
        budget = Budget(tmp_path / "b", 1)
        budget.start()
        budget.charge("a", ["Ann"], 0.1)
        assert len(held) == 2

    @pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
    def test_leftover_of_killed_process_is_not_followed(self, budget, tmp_path):
        (tmp_path / "other").write_text("keep")
        Path(f"{budget.path}.new").symlink_to(tmp_path / "other")
        budget.charge("a", ["Ann"], 0.1)
        assert (tmp_path / "other").read_text() == "keep"
        assert not Path(budget.path).is_symlink()

    def test_zero_charge_uses_up_the_purpose(self, budget):
        budget.charge("a", ["Ann"], 0)
        with pytest.raises(AlreadySpentError):
            budget.charge("a", ["Ann"], 0.1)

    def test_new_file_is_synced_before_renaming(self, budget, monkeypatch):
        replace, sync, synced = os.replace, os.fsync, []

        def remembered(descriptor):
            synced.append(os.fstat(descriptor).st_ino)
            sync(descriptor)

        def replaced(new, path):
            assert synced == [os.stat(new).st_ino]
            replace(new, path)

        monkeypatch.setattr(os, "fsync", remembered)
        monkeypatch.setattr(os, "replace", replaced)
        budget.charge("a", ["Ann"], 0.1)
        if os.name == "posix":
            assert synced[1:] == [os.stat(Path(budget.path).parent).st_ino]


@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        ({"epsilon": -0.1}, ValueError, "epsilon"),
        ({"epsilon": math.inf}, ValueError, "epsilon"),
        ({"epsilon": math.nan}, ValueError, "epsilon"),
        ({"epsilon": Fraction(-1, 10**400)}, ValueError, "epsilon"),
        ({"epsilon": 10**400}, ValueError, "epsilon"),
        ({"epsilon": "1/2"}, TypeError, "epsilon"),
        ({"epsilon": True}, TypeError, "epsilon"),
        ({"purpose": 3}, TypeError, "purpose"),
        ({"workers": "Ann"}, TypeError, "workers"),
        ({"workers": ["Ann", "Ann"]}, ValueError, "workers"),
        ({"workers": [None]}, TypeError, "workers"),
        ({"workers": [math.nan]}, TypeError, "workers"),
        ({"workers": [math.inf]}, TypeError, "workers"),
        ({"workers": [{"name": "Ann"}]}, TypeError, "workers"),
        ({"workers": [("Ann", None)]}, TypeError, "workers"),
        ({"workers": [b"Ann"]}, TypeError, "workers"),
    ],
)
def test_bad_charges(budget, given, kind, told):
    kept = Path(budget.path).read_bytes()
    with pytest.raises(kind, match=rf"^{told} must"):
        budget.charge(**{"purpose": "a", "workers": ["Ann"], "epsilon": 0.1, **given})
    assert Path(budget.path).read_bytes() == kept


def test_missing_labels_are_not_looked_up(budget):
    for label in (None, math.nan, ["Ann", math.inf]):
        with pytest.raises(TypeError, match=r"^worker must be texts, numbers or tuples"):
            budget.spent(label)


@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        ({"path": 3}, TypeError, "path"),
        ({"path": "s3://bucket/budget.json"}, ValueError, "path"),
        ({"path": "budget.json.new"}, ValueError, "path"),
        ({"path": "budget.json.lock"}, ValueError, "path"),
        ({"limit": 0}, ValueError, "limit"),
        ({"limit": -1}, ValueError, "limit"),
        ({"limit": math.inf}, ValueError, "limit"),
        ({"limit": math.nan}, ValueError, "limit"),
        ({"limit": "1"}, TypeError, "limit"),
    ],
)
def test_bad_budgets(tmp_path, given, kind, told):
    with pytest.raises(kind, match=rf"^{told} must"):
        Budget(**{"path": tmp_path / "b", "limit": 1, **given})


# Charges for twelve purposes, and prints the successful ones; a slow disk gives time to be overtaken.
RIVAL = """
import os, sys, time
os.fsync = lambda _: time.sleep(0.01)
from ldpbook.practice import Budget
budget, name = Budget(sys.argv[1], 1), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for k in range(12):
    try:
        budget.charge(f"{name} {k}", ["Ann"], 0.1)
        print(k, flush=True)
    except ValueError:
        pass
"""


def test_two_processes_share_the_last_of_a_budget(budget):
    """Two processes ask for twelve tenths each and share ten; every reported charge is in the file."""
    command = [sys.executable, "-c", RIVAL, str(budget.path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    rivals = [subprocess.Popen([*command, name], **pipes) for name in "ab"]
    for rival in rivals:
        assert rival.stdout.readline() == "ready\n"
    for rival in rivals:
        rival.stdin.write("go\n")
        rival.stdin.flush()
    told = [rival.communicate()[0].split() for rival in rivals]
    got = {f"{name} {k}" for name, ks in zip("ab", told, strict=True) for k in ks}
    assert got == set(json.loads(Path(budget.path).read_text())["spent"]['"Ann"'])
    assert len(got) == 10
    assert budget.spent("Ann") == 1


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
@pytest.mark.parametrize(
    ("dies", "charged"),
    [("fsync = lambda _", False), ("replace = lambda *_", False), ("close = lambda _", True)],
)
def test_killed_process_leaves_whole_file_and_no_lock(budget, dies, charged):
    """Kill a process before the new file is on the disk, before it has its name, and after that."""
    budget.charge("before", ["Ann"], 0.5)
    code = (
        f"import os, signal; from ldpbook.practice import Budget; budget = Budget({str(budget.path)!r}, 1);"
        f"os.{dies}: os.kill(os.getpid(), signal.SIGKILL); budget.charge('then', ['Ann'], 0.5)"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert budget.spent("Ann") == (1 if charged else Fraction(1, 2))
    if charged:
        with pytest.raises(AlreadySpentError):
            budget.charge("then", ["Ann"], 0.5)
    else:
        budget.charge("then", ["Ann"], 0.5)
    assert budget.spent("Ann") == 1
