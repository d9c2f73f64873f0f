"""Reports on disk: each draw is stored once, and a file is complete or absent."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ldpbook import RandomizedResponse, ThresholdResponse
from ldpbook.practice import (
    ReportPlan,
    count_reports,
    infer_stored_truth,
    reports as stored_reports,
    write_reports,
)
from ldpbook.practice.reports import block_source
from ldpbook.remedies import Survey, question_thresholds

duckdb = pytest.importorskip("duckdb", reason="needs the extra scale")

NAN = float("nan")
RR = RandomizedResponse(1.0, range(-2, 3))
PLAN = ReportPlan(RR, range(-2, 3), 4)
THRESHOLDS = ReportPlan(ThresholdResponse(1.0), range(5), 3)
ANSWERS = np.random.default_rng(0).choice([-2, -1, 0, 1, 2, NAN], (30, 4))
ANSWERS[:, 0] = 1


def stored(file: Path, per: int = 0) -> np.ndarray:
    """Symbols as a matrix, plus `per` times the threshold, read without the package."""
    column = f"{per} * threshold::INTEGER + symbol"
    select = f"SELECT worker, task, {column} FROM read_parquet('{file}') ORDER BY worker, task"
    worker, task, symbol = duckdb.execute(select).fetchnumpy().values()
    n_tasks = task.max() + 1
    assert np.array_equal(task, np.tile(np.arange(n_tasks), len(task) // n_tasks))
    assert np.array_equal(worker, worker.min() + np.repeat(np.arange(len(task) // n_tasks), n_tasks))
    return symbol.reshape(-1, n_tasks).astype(int)


class TestStored:
    def test_stored_reports_of_randomized_response(self, tmp_path):
        file = write_reports(tmp_path / "0.parquet", ANSWERS, PLAN, rng=3)
        reports = RR.perturb(ANSWERS, block_source(0, 3))
        np.testing.assert_array_equal(stored(file), np.where(np.isnan(reports), 5, reports + 2))

    @pytest.mark.parametrize("shape", [(), (3,), (6, 3)])
    def test_stored_reports_of_threshold_response(self, tmp_path, shape):
        answers = np.array([[0, 4, NAN], [1, 2, 3]] * 3)
        thresholds = np.random.default_rng(1).choice(question_thresholds(range(5)), shape)
        file = write_reports(tmp_path / "0", answers, THRESHOLDS, thresholds=thresholds, rng=3)
        reports = THRESHOLDS.mechanism.perturb(answers, thresholds, block_source(0, 3))
        symbol = np.where(np.isnan(reports), 2, reports)
        wanted = np.broadcast_to(3 * (thresholds - 0.5), answers.shape) + symbol
        np.testing.assert_array_equal(stored(file, 3), wanted)
        survey = Survey.start(3, epsilon=1.0, domain=range(5)).add(reports, thresholds)
        np.testing.assert_array_equal(count_reports([file], THRESHOLDS).counts, survey.counts)

    @settings(max_examples=12, deadline=None)
    @given(st.integers(1, 40), st.integers(1, 30), st.integers(1, 254), st.integers(-300, 300), st.data())
    def test_counts_of_any_crowd(self, tmp_path_factory, m, n, size, low, data):
        domain = range(low, low + size)
        rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
        answers = np.where(rng.random((m, n)) < 0.5, rng.integers(low, low + size, (m, n)), np.nan)
        answers[:, 0] = low
        mechanism = RandomizedResponse(data.draw(st.floats(0.1, 20)), domain)
        plan, first = ReportPlan(mechanism, domain, n), data.draw(st.integers(0, 2**31))
        path = tmp_path_factory.mktemp("any") / "file"
        found = count_reports([write_reports(path, answers, plan, first_worker=first, rng=7)], plan)
        reports = mechanism.perturb(answers, block_source(first, 7))
        heard = [*((reports == value).sum(axis=0) for value in domain), np.isnan(reports).sum(axis=0)]
        np.testing.assert_array_equal(found.counts, np.transpose(heard))
        assert found.chunks[0][:2] == (first, m)

    @pytest.mark.parametrize(
        ("plan", "given", "symbols"),
        [
            (ReportPlan(RandomizedResponse(40.0, range(3)), range(3), 3), {}, [[0, 3, 2], [3, 3, 3]]),
            (
                ReportPlan(ThresholdResponse(40.0), range(3), 3),
                {"thresholds": [[0.5, 0.5, 1.5]] * 2},
                [[0, 2, 4], [2, 2, 5]],
            ),
        ],
    )
    def test_without_rng_release_draws_for_everyone(self, tmp_path, monkeypatch, plan, given, symbols):
        """At epsilon 40 nothing is replaced; masked values are NULL."""
        monkeypatch.setattr(np.random, "default_rng", None)
        answers = np.ma.array([[0, 1, 2], [NAN] * 3], mask=[[False, True, False], [False] * 3])
        file = write_reports(tmp_path / "0", answers, plan, **given)
        np.testing.assert_array_equal(stored(file, 3 if given else 0), symbols)

    def test_columns_are_small_and_hold_no_answers(self, tmp_path):
        file = write_reports(tmp_path / "0", ANSWERS, PLAN, rng=1)
        kinds = [row[:2] for row in duckdb.execute(f"DESCRIBE FROM read_parquet('{file}')").fetchall()]
        small, smaller = "UINTEGER", "UTINYINT"
        assert [kind for _, kind in kinds] == [small, small, smaller, smaller]
        assert [name for name, _ in kinds] == ["worker", "task", "threshold", "symbol"]

    def test_million_reports_take_little_above_their_entropy(self, tmp_path):
        answers = np.random.default_rng(0).integers(0, 10, (1000, 1000)).astype(float)
        plan = ReportPlan(RandomizedResponse(1.0, range(10)), range(10), 1000)
        file = write_reports(tmp_path / "0", answers, plan, rng=1)
        share = np.bincount(stored(file).ravel()) / 1e6
        entropy = -(share * np.log2(share)).sum()
        assert entropy < 8 * file.stat().st_size / 1e6 < 1.3 * entropy

    @pytest.mark.parametrize("n", [200, 2_000, 10_000, 100_000])
    def test_workers_and_tasks_take_almost_no_space(self, tmp_path, n):
        """For any number of tasks, all columns together take less than symbols of whole bits."""
        answers = np.random.default_rng(0).integers(0, 10, (1_000_000 // n, n)).astype(float)
        asked = np.add.outer(np.arange(len(answers)), np.arange(n)) % 9 + 0.5
        for mechanism, size, how in (
            (RandomizedResponse(1.0, range(10)), 11, {}),
            (ThresholdResponse(1.0), 3, {"thresholds": asked}),
        ):
            plan = ReportPlan(mechanism, range(10), n)
            file = write_reports(tmp_path / str(size), answers, plan, rng=1, **how)
            assert 8 * file.stat().st_size / answers.size < np.ceil(np.log2(size))

    @pytest.mark.parametrize(
        "name",
        ["a'b.parquet", "[ab].parquet", "{x}; DROP.parquet", "ä ö"]
        + (["[ab]*?.parquet"] if os.name == "posix" else []),
    )
    def test_file_may_have_any_name(self, tmp_path, name):
        file = write_reports(str(tmp_path / name), ANSWERS, PLAN, rng=1)
        (tmp_path / "a.parquet").write_bytes(b"another file that a pattern would find")
        assert file.name == name
        assert count_reports([file], PLAN).counts.sum() == ANSWERS.size


# Where a writer kills itself, and what it leaves: whether a complete file, and how many ".part" files.
KILL = """
import os, pathlib, signal, threading, time
import numpy as np
from ldpbook import RandomizedResponse
from ldpbook.practice import ReportPlan, reports

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def write(path, m):
    global folder
    folder = pathlib.Path(path).parent
    plan = ReportPlan(RandomizedResponse(1.0, range(-2, 3)), range(-2, 3), 4)
    reports.write_reports(path, np.ones((m, 4)), plan)
"""
KILLED = {
    "reports._codes = die": (False, 0),
    "draw = reports._codes; reports._codes = lambda *given: (draw(*given), die())": (False, 0),
    """
def watch():
    while not [part for part in folder.glob("*.part") if part.stat().st_size]:
        pass
    die()

draw = reports._codes
reports._codes = lambda *given: (draw(*given), threading.Thread(target=watch, daemon=True).start())[0]
""": (False, 1),
    "os.fsync = die": (False, 1),
    "os.link = die": (False, 1),
    "pathlib.Path.unlink = die": (True, 1),
    "reports.read_chunk = die": (True, 0),
}
NAMES = ["before", "drawn", "copying", "copied", "synced", "linked", "tidied"]


class TestOnce:
    def test_a_second_call_draws_nothing(self, tmp_path):
        file = write_reports(tmp_path / "0", ANSWERS, PLAN, rng=1)
        kept = file.read_bytes()
        assert write_reports(file, ANSWERS, PLAN, rng=2) == file
        assert file.read_bytes() == kept
        assert os.listdir(tmp_path) == ["0"]

    @pytest.mark.parametrize(
        ("answers", "plan", "first"),
        [
            (ANSWERS, PLAN, 1),
            (ANSWERS[:7], PLAN, 0),
            (ANSWERS, ReportPlan(RandomizedResponse(1.1, range(-2, 3)), range(-2, 3), 4), 0),
        ],
    )
    def test_existing_file_must_match_the_request(self, tmp_path, answers, plan, first):
        file = write_reports(tmp_path / "0", ANSWERS, PLAN, rng=1)
        kept = file.read_bytes()
        with pytest.raises(ValueError, match=r"^paths? must .* got .*0"):
            write_reports(file, answers, plan, first_worker=first)
        assert file.read_bytes() == kept

    def test_of_two_writers_the_first_stays(self, tmp_path, monkeypatch):
        """The other writer finishes just before this one would put its file in place."""
        link, kept = os.link, []

        def late(part, target):
            monkeypatch.setattr(os, "link", link)
            kept.append(write_reports(target, ANSWERS, PLAN, rng=1).read_bytes())
            link(part, target)

        monkeypatch.setattr(os, "link", late)
        file = write_reports(tmp_path / "0", ANSWERS, PLAN, rng=2)
        assert [file.read_bytes()] == kept
        assert os.listdir(tmp_path) == ["0"]

    def test_reports_are_synced_before_renaming(self, tmp_path, monkeypatch):
        link, sync, synced = os.link, os.fsync, []

        def synced_first(part, target):
            assert os.stat(part).st_ino in synced
            link(part, target)

        def remembered(descriptor):
            synced.append(os.fstat(descriptor).st_ino)
            sync(descriptor)

        monkeypatch.setattr(os, "fsync", remembered)
        monkeypatch.setattr(os, "link", synced_first)
        write_reports(tmp_path / "0", ANSWERS, PLAN, rng=1)
        assert len(synced) == 1

    @pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
    @pytest.mark.parametrize(("point", "left"), KILLED.items(), ids=NAMES)
    def test_a_killed_writer_leaves_no_half_file(self, tmp_path, monkeypatch, point, left):
        """Without a seed, as for release, existing blocks are kept and missing ones are drawn."""
        target, m = tmp_path / "0.parquet", 200_000
        ended = subprocess.run(
            [sys.executable, "-c", f"{KILL}\n{point}\nwrite({str(target)!r}, {m})"], check=False
        )
        assert ended.returncode == -signal.SIGKILL
        parts = [name for name in os.listdir(tmp_path) if name.endswith(".part")]
        assert ("0.parquet" in os.listdir(tmp_path), len(parts)) == left
        for read in (count_reports, infer_stored_truth):  # partial or complete files are recognized by name
            for part in parts:
                with pytest.raises(
                    ValueError, match=r"^paths must not lead to a \.part file of a killed writer, .*\.part"
                ):
                    read([tmp_path / part], PLAN)
        kept = target.read_bytes() if left[0] else None
        drawn, draw = [], stored_reports._codes
        monkeypatch.setattr(stored_reports, "_codes", lambda *given: drawn.append(1) or draw(*given))
        assert write_reports(target, np.ones((m, 4)), PLAN) == target
        assert len(drawn) == (not left[0])
        assert kept in (None, target.read_bytes())
        counted = count_reports(tmp_path.glob("*.parquet"), PLAN, n_workers=m)
        assert counted.counts.sum() == 4 * m
        for part in parts:  # under another name the file is a counted one, another draw, or broken
            os.rename(tmp_path / part, tmp_path / "z.parquet")
            with pytest.raises(ValueError, match=r"^paths must (be whole|hold each worker once)"):
                count_reports(sorted(tmp_path.glob("*.parquet")), PLAN)

    def test_interrupted_blockwise_survey_continues(self, tmp_path, monkeypatch):
        """The repeated loop draws exactly the missing blocks."""
        drawn, draw = [], stored_reports._codes

        def failing(*given):
            drawn.append(1)
            if len(drawn) in (3, 4):
                raise KeyboardInterrupt
            return draw(*given)

        def survey():
            for first in range(0, 120, 30):
                write_reports(tmp_path / f"{first:03}.parquet", ANSWERS, PLAN, first_worker=first)

        monkeypatch.setattr(stored_reports, "_codes", failing)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                survey()
        kept = {file: file.read_bytes() for file in tmp_path.iterdir()}
        survey()
        survey()
        assert len(kept) == 2
        assert all(file.read_bytes() == whole for file, whole in kept.items())
        assert len(drawn) == 6
        assert count_reports(tmp_path.iterdir(), PLAN, n_workers=120).counts.sum() == 480

    def test_failed_write_leaves_nothing(self, tmp_path):
        with pytest.raises(ValueError, match=r"^answers must"):
            write_reports(tmp_path / "0", ANSWERS + 9, PLAN, rng=1)
        with pytest.raises(OSError, match="nowhere"):
            write_reports(tmp_path / "nowhere" / "0", ANSWERS, PLAN, rng=1)
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("lost", [[], [0], [1, 3], [0, 1, 2, 3]])
    def test_interrupted_run_repeats_its_draws(self, tmp_path, lost):
        """With one generator for all blocks, no block repeats the noise of another."""

        def run():
            rng, k = np.random.default_rng(5), range(4)
            files = [tmp_path / str(i) for i in k]
            return [write_reports(files[i], ANSWERS, PLAN, first_worker=30 * i, rng=rng) for i in k]

        first = [stored(file) for file in run()]
        for i in lost:
            (tmp_path / str(i)).unlink()
        again = [stored(file) for file in run()]
        np.testing.assert_array_equal(first, again)
        assert len({symbols.tobytes() for symbols in first}) == 4

    def test_one_seed_for_all_blocks(self, tmp_path):
        files = [write_reports(tmp_path / str(k), ANSWERS, PLAN, first_worker=30 * k, rng=5) for k in (0, 1)]
        assert not np.array_equal(*map(stored, files))

    def test_one_seed_for_two_waves(self, tmp_path):
        """An integer seed repeats the noise for the same workers; a generator continues."""
        seeds = (5, np.random.default_rng(5))
        for seed, same in zip(seeds, (True, False), strict=True):
            waves = [write_reports(tmp_path / f"{same}{k}", ANSWERS, PLAN, rng=seed) for k in (0, 1)]
            assert np.array_equal(*map(stored, waves)) == same

    def test_no_seed_is_fresh_entropy(self, tmp_path):
        files = [write_reports(tmp_path / name, ANSWERS, PLAN) for name in "ab"]
        assert not np.array_equal(*map(stored, files))

    def test_existing_file_must_be_whole(self, tmp_path):
        """The file's header is right; only reading the whole file shows the damage."""
        whole = write_reports(tmp_path / "0", ANSWERS, PLAN, rng=1).read_bytes()
        tried = refused = unharmed = 0
        for k in range(40, len(whole) // 2, len(whole) // 40):
            damaged = bytearray(whole)
            damaged[k] ^= 4
            (tmp_path / "0").write_bytes(damaged)
            try:
                write_reports(tmp_path / "0", ANSWERS, PLAN, rng=1)
            except ValueError as error:
                refused += str(error).startswith("paths must")
            else:
                unharmed += 1
                count_reports([tmp_path / "0"], PLAN)
            tried += 1
            assert (tmp_path / "0").read_bytes() == damaged
        assert refused + unharmed == tried > 15
        assert refused > unharmed

    def test_two_chunks_have_two_names(self, tmp_path):
        files = [write_reports(tmp_path / str(k), ANSWERS, PLAN, first_worker=30 * k, rng=1) for k in (0, 1)]
        assert len({chunk.id for chunk in count_reports(files, PLAN).chunks}) == 2


@pytest.mark.parametrize(
    ("mechanism", "domain", "n_tasks", "kind", "told"),
    [
        (None, range(5), 3, TypeError, "mechanism"),
        (RandomizedResponse(1.0, range(5)), range(4), 3, ValueError, "domain"),
        (RandomizedResponse(1.0, range(255)), range(255), 3, ValueError, "domain"),
        (ThresholdResponse(1.0), range(22), 3, ValueError, "domain"),
        (ThresholdResponse(1.0), [0, 2], 3, ValueError, "domain"),
        (ThresholdResponse(1.0), range(4), 0, ValueError, "n_tasks"),
        (ThresholdResponse(1.0), range(4), 2**32 + 1, ValueError, "n_tasks"),
        (ThresholdResponse(1.0), range(4), 2.0, TypeError, "n_tasks"),
    ],
)
def test_impossible_plans_are_refused(mechanism, domain, n_tasks, kind, told):
    with pytest.raises(kind, match=rf"^{told} must"):
        ReportPlan(mechanism, domain, n_tasks)


@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        ({"path": 3}, TypeError, "path"),
        ({"plan": RR}, TypeError, "plan"),
        ({"answers": ANSWERS[:, :3]}, ValueError, "answers"),
        ({"answers": ANSWERS[0]}, ValueError, "answers"),
        ({"answers": ANSWERS + 9}, ValueError, "answers"),
        ({"answers": ANSWERS[:0]}, ValueError, "answers"),
        ({"path": "s3://bucket/0.parquet"}, ValueError, "path"),
        ({"path": "a\0b"}, ValueError, "path"),
        ({"path": "\udcff"}, ValueError, "path"),
        ({"path": "0.part"}, ValueError, "path"),
        ({"rng": -1}, ValueError, "rng"),
        ({"first_worker": -1}, ValueError, "first_worker"),
        ({"first_worker": 2**32 - 29}, ValueError, "answers"),
        ({"first_worker": 1.5}, TypeError, "first_worker"),
        ({"thresholds": 1.5}, ValueError, "thresholds"),
        ({"plan": THRESHOLDS, "answers": ANSWERS[:, :3] % 2}, ValueError, "thresholds"),
        ({"plan": THRESHOLDS, "answers": ANSWERS[:, :3] % 2, "thresholds": 1.0}, ValueError, "thresholds"),
        ({"plan": THRESHOLDS, "answers": ANSWERS[:, :3] % 2, "thresholds": [1.5]}, ValueError, "thresholds"),
        ({"plan": THRESHOLDS, "answers": ANSWERS[:, :3] + 77, "thresholds": 1.5}, ValueError, "answers"),
        ({"rng": "seed"}, TypeError, "rng"),
    ],
)
def test_bad_input(tmp_path, given, kind, told):
    with pytest.raises(kind, match=rf"^{told} must"):
        write_reports(**{"path": tmp_path / "0", "answers": ANSWERS, "plan": PLAN, **given})
    assert os.listdir(tmp_path) == []


def test_a_number_of_tasks_from_an_array(tmp_path):
    """The number may be one of numpy's own integers."""
    plan = ReportPlan(RR, range(-2, 3), np.int64(4))
    assert plan == PLAN
    assert count_reports([write_reports(tmp_path / "0", ANSWERS, plan)], plan).counts.sum() == ANSWERS.size


def test_the_last_worker_that_32_bits_number(tmp_path):
    file = write_reports(tmp_path / "0", ANSWERS, PLAN, first_worker=2**32 - 30, rng=1)
    assert count_reports([file], PLAN).chunks[0].first_worker == 2**32 - 30


def test_missing_engine_names_its_extra():
    code = (
        "import sys; sys.modules['duckdb'] = None; import ldpbook;"
        "plan = ldpbook.practice.ReportPlan(ldpbook.RandomizedResponse(1.0, range(2)), range(2), 1)\n"
        "try: ldpbook.practice.write_reports('x', [[1]], plan)\nexcept ImportError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "duckdb is not installed: pip install 'ldpbook[scale]'\n"
