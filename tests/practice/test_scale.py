"""Counts merge in any order and equal those in memory; they run out of core; broken files are refused."""

import gzip
import hashlib
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
import tracemalloc
from functools import reduce
from itertools import pairwise
from operator import add
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from draws import draws
from hypothesis import given, strategies as st

from ldpbook import RandomizedResponse, ThresholdResponse, infer_truth
from ldpbook.categorical_answers import majority_vote
from ldpbook.datasets import synthetic_crowd
from ldpbook.foundations import drop_empty_workers
from ldpbook.practice import (
    ReportCounts,
    ReportPlan,
    count_reports,
    infer_stored_truth,
    plurality,
    reports as stored_reports,
    scale as stored_scale,
    write_reports,
)
from ldpbook.practice.reports import Chunk, block_source
from ldpbook.practice.scale import _AHEAD, _check_workers, _summed
from ldpbook.remedies import Survey, infer_from_counts

duckdb = pytest.importorskip("duckdb", reason="needs the extra scale")
dask = pytest.importorskip("dask", reason="needs the extra scale")
distributed = pytest.importorskip("distributed", reason="needs the extra scale")

NAN = float("nan")
PLAN = ReportPlan(RandomizedResponse(2.0, range(10)), range(10), 40)
ENDS = [0, 1, 130, 300, 600]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Reports of 600 workers to 40 tasks, in files of unequal size and in memory."""
    folder = tmp_path_factory.mktemp("stored")
    answers = synthetic_crowd(600, 40, density=0.2, truth_mean=4.5, rng=1).answers
    answers[:, 7] = np.where(np.isnan(answers).all(axis=1), 3.0, answers[:, 7])
    files, reports = [], []
    for a, b in pairwise(ENDS):
        file = folder / f"{a:03}.parquet"
        files.append(write_reports(file, answers[a:b], PLAN, first_worker=a, rng=2))
        reports.append(PLAN.mechanism.perturb(answers[a:b], block_source(a, 2)))
    return files, np.vstack(reports)


def in_memory(reports):
    return np.transpose(
        [*((reports == k).sum(axis=0) for k in range(10)), np.isnan(reports).sum(axis=0)],
    )


def block(first, n, name=None):
    """Plausible counts of some workers and two tasks."""
    counts = np.random.default_rng(first).multinomial(n, [0.2, 0.3, 0.5], 2)
    plan = ReportPlan(RandomizedResponse(1.0, range(2)), range(2), 2)
    return ReportCounts(plan, counts, (Chunk(first, n, name or f"id{first}", "", f"file{first}"),))


def merged_in_some_tree(parts, r):
    """The sum of all parts: pairs drawn at random, each in a random order, are added until one is left."""
    while len(parts) > 1:
        one, two = parts.pop(r.randrange(len(parts))), parts.pop(r.randrange(len(parts)))
        parts.append(one + two)
    return parts[0]


class TestMerging:
    @given(st.lists(st.integers(1, 50), min_size=1, max_size=12), st.randoms(use_true_random=False))
    def test_any_order_and_any_tree(self, sizes, r):
        starts = np.cumsum([0, *sizes])
        parts = [block(int(a), n) for a, n in zip(starts, sizes, strict=False)]
        one, other = reduce(add, parts), merged_in_some_tree(parts[:], r)
        np.testing.assert_array_equal(one.counts, sum(part.counts for part in parts))
        np.testing.assert_array_equal(one.counts, other.counts)
        assert one.chunks == other.chunks == tuple(sorted(one.chunks))
        assert one.counts.dtype == np.int64

    @given(st.lists(st.integers(1, 50), min_size=2, max_size=12), st.randoms(use_true_random=False))
    def test_a_chunk_twice_is_refused_in_any_tree(self, sizes, r):
        parts = [block(int(a), n) for a, n in zip(np.cumsum([0, *sizes]), sizes, strict=False)]
        parts.append(r.choice(parts))
        with pytest.raises(ValueError, match="is the same chunk as file"):
            merged_in_some_tree(parts, r)

    @pytest.mark.parametrize(("first", "n"), [(0, 1), (9, 1), (3, 4), (0, 10), (5, 20)])
    def test_a_worker_twice_is_refused(self, first, n):
        """Another draw on the same cells would cost a second epsilon, and count some workers twice."""
        for one, two in [(block(0, 10), block(first, n, "b")), (block(first, n, "b"), block(0, 10))]:
            with pytest.raises(ValueError, match=r"^paths must hold each worker once, but .* another draw"):
                one + two
        assert (block(0, 10) + block(10, 1)).counts.sum() == 22

    def test_a_long_chunk_hides_no_overlap(self):
        with pytest.raises(ValueError, match="another draw"):
            reduce(add, [block(0, 3), block(20, 3), block(2, 30)])

    def test_plans_do_not_mix(self):
        other = ReportPlan(RandomizedResponse(1.5, range(2)), range(2), 2)
        with pytest.raises(ValueError, match=r"^paths must hold reports under one plan"):
            block(0, 3) + ReportCounts(other, block(3, 3).counts, block(3, 3).chunks)


class Copied(list):
    """A list that counts the elements copied by its sums."""

    copied = 0

    def __add__(self, other):
        Copied.copied += len(self) + len(other)
        return Copied([*self, *other])


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 1000, 4 * _AHEAD + 1])
def test_sums_are_in_order_and_copy_little(n):
    Copied.copied = 0
    assert _summed(lambda k: Copied([k]), range(n), None) == list(range(n))
    assert Copied.copied <= n * (2 * np.log2(n) + 2)  # up each tree, then tree by tree


def test_threads_are_those_that_this_process_may_use():
    """Each thread takes its own memory, so a shared machine's other processors must not count."""
    code = (
        "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]);"
        "from ldpbook.practice import scale; made, pool = [], scale.ThreadPoolExecutor\n"
        "scale.ThreadPoolExecutor = lambda n: made.append(n) or pool(n)\n"
        "assert scale._summed(lambda k: k, [1, 2], None) == 3; print(*made, scale._AHEAD)"
    )
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("needs a system that ties a process to processors")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "1 4\n"


class TestCounts:
    def test_a_file_is_counted_by_one_instance(self, stored, monkeypatch):
        """Making an instance of DuckDB takes as long as counting about a million reports."""
        made, connected = [], stored_reports.connected

        def remembered():
            made.append(1)
            return connected()

        for module in (stored_reports, stored_scale):
            monkeypatch.setattr(module, "connected", remembered)
        count_reports(stored[0], PLAN)
        assert len(made) == len(stored[0])

    def test_equal_to_those_in_memory(self, stored):
        files, reports = stored
        found = count_reports(files, PLAN)
        np.testing.assert_array_equal(found.counts, in_memory(reports))
        assert [chunk.file for chunk in found.chunks] == [str(file) for file in files]
        for order in (files[::-1], random.Random(1).sample(files, len(files)), map(str, files)):
            again = count_reports(order, PLAN)
            np.testing.assert_array_equal(again.counts, found.counts)
            assert again.chunks == found.chunks

    def test_parts_of_a_crowd_add_up(self, stored):
        files, _ = stored
        whole = count_reports(files, PLAN)
        halves = count_reports(files[:2], PLAN) + count_reports(files[2:], PLAN)
        np.testing.assert_array_equal(halves.counts, whole.counts)

    def test_truths_from_counts_of_thresholds(self, tmp_path):
        """The counts that unlinked decoding needs, and the same result to the last bit."""
        crowd = synthetic_crowd(900, 12, density=0.5, truth_mean=4.5, rng=3)
        plan = ReportPlan(ThresholdResponse(3.0), range(10), 12)
        asked = np.add.outer(np.arange(900), np.arange(12)) % 9 + 0.5
        survey, files = Survey.start(12, epsilon=3.0, domain=range(10)), []
        for a in range(0, 900, 300):
            rows, given = slice(a, a + 300), {"thresholds": asked[a : a + 300], "rng": 5}
            files.append(write_reports(tmp_path / str(a), crowd.answers[rows], plan, first_worker=a, **given))
            drawn = plan.mechanism.perturb(crowd.answers[rows], asked[rows], block_source(a, 5))
            survey = survey.add(drawn, asked[rows])
        counts = count_reports(files, plan).counts
        np.testing.assert_array_equal(counts, survey.counts)
        found = infer_from_counts(counts, epsilon=3.0, domain=range(10))
        wanted = infer_from_counts(survey.counts, epsilon=3.0, domain=range(10))
        np.testing.assert_array_equal(found.truth, wanted.truth)
        assert np.abs(found.truth - crowd.truth).mean() < 4 * found.error.mean()

    def test_rows_longer_than_half_a_block(self, tmp_path):
        """Three million tasks: one worker at a time."""
        plan = ReportPlan(RandomizedResponse(1.0, range(2)), range(2), 3_000_000)
        answers = np.ones((2, plan.n_tasks))
        file = write_reports(tmp_path / "0", answers, plan, rng=4)
        counts = count_reports([file], plan).counts
        reports = plan.mechanism.perturb(answers, block_source(0, 4))
        np.testing.assert_array_equal(counts[:, 1], (reports == 1).sum(axis=0))


class TestVotes:
    def test_equal_to_those_in_memory(self, stored):
        files, reports = stored
        elected = plurality(count_reports(files, PLAN))
        np.testing.assert_array_equal(elected, majority_vote(drop_empty_workers(reports), 10))

    def test_ties_and_silence(self):
        plan = ReportPlan(RandomizedResponse(1.0, range(-1, 2)), range(-1, 2), 4)
        counts = np.array([[3, 3, 1, 9], [0, 2, 2, 0], [0, 0, 0, 16], [0, 0, 1, 15]])
        found = plurality(ReportCounts(plan, counts, ()))
        np.testing.assert_array_equal(found, [-1, 0, NAN, 1])


def same_inference(found, wanted, heard):
    """Assert that two results are the same up to rounding.

    Sums of at most 600 terms differ in their order, for a few steps that contract: 1e-12 is ample for
    truths, and 1e-11 for qualities.
    """
    np.testing.assert_allclose(found.truth, wanted.truth, rtol=1e-12)
    np.testing.assert_allclose(found.quality[heard], wanted.quality, rtol=1e-11)
    assert (found.quality[~heard] == 0).all()
    assert (found.n_iter, found.converged) == (wanted.n_iter, wanted.converged)


class TestInference:
    @pytest.mark.parametrize(
        "how",
        [
            {},
            {"max_iter": 1},
            {"max_iter": 3, "tol": 0},
            {"max_iter": 3, "sigma_floor": 0.9},
            {"max_iter": 3, "sigma_floor": 1e-6},
        ],
    )
    def test_equal_to_that_in_memory(self, stored, how):
        files, reports = stored
        heard = ~np.isnan(reports).all(axis=1)
        found = infer_stored_truth(files[::-1], PLAN, **how)
        same_inference(found, infer_truth(reports[heard], **how), heard)

    def test_silent_workers_and_tasks(self, tmp_path):
        """Reports at a large epsilon are the answers; one worker and one task are NULL."""
        plan = ReportPlan(RandomizedResponse(50.0, range(-3, 4)), range(-3, 4), 3)
        answers = np.array([[1, -2, NAN], [3, NAN, NAN], [1, -3, NAN], [2, 2, NAN]])
        files = [
            write_reports(tmp_path / str(k), answers[2 * k : 2 * k + 2], plan, first_worker=2 * k, rng=1)
            for k in (0, 1)
        ]
        symbols = duckdb.execute(
            f"SELECT worker, task, threshold, symbol FROM read_parquet('{files[1]}')"
        ).fetchnumpy()
        symbols["symbol"][symbols["worker"] == 3] = 7  # all reports of worker 3 become NULL
        rewrite(files[1], symbols, sound=plan)
        answers[3] = NAN
        found = infer_stored_truth(files, plan)
        same_inference(found, infer_truth(answers[:3]), np.array([True, True, True, False]))
        assert np.isnan(found.truth[2])

    def test_inference_without_deviations(self, tmp_path):
        plan = ReportPlan(RandomizedResponse(50.0, range(4)), range(4), 2)
        file = write_reports(tmp_path / "0", [[1, 2], [1, 2], [1, NAN]], plan, rng=1)
        found = infer_stored_truth([file], plan)
        np.testing.assert_array_equal(found.truth, [1, 2])
        np.testing.assert_allclose(found.quality, 1 / 3)

    def test_rounding_counts_as_no_deviation(self, tmp_path):
        """In memory, weights then depend on rounding; truths are the same."""
        plan = ReportPlan(RandomizedResponse(60.0, range(10)), range(10), 9)
        answers = np.tile(np.arange(1.0, 10.0), (49, 1))
        answers[::3, 4] = NAN
        file = write_reports(tmp_path / "0", answers, plan, rng=1)
        found, memory = infer_stored_truth([file], plan), infer_truth(answers)
        np.testing.assert_allclose(found.truth, memory.truth, rtol=1e-14)
        assert set(found.quality) == {1 / 49}

    def test_memory_per_worker(self, tmp_path):
        """The memory per worker in the chapter's calculation."""
        plan, m, each = ReportPlan(RandomizedResponse(1.0, range(2)), range(2), 2), 400_000, 20_000
        files = [
            write_reports(tmp_path / str(a), np.ones((each, 2)), plan, first_worker=a)
            for a in range(0, m, each)
        ]
        tracemalloc.start()
        infer_stored_truth(files, plan, max_iter=3)  # each step holds as much as the second
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert 40 < peak / m < 70  # only a few files are read ahead


def rewrite(file, columns=None, sound=None, **about):
    """Write the file again with other columns or metadata; with `sound`, the digest fits."""
    select = f"SELECT worker, task, threshold, symbol FROM read_parquet('{file}')"
    kept = duckdb.execute(f"SELECT value FROM parquet_kv_metadata('{file}') WHERE key = 'ldpbook'").fetchall()
    said = kept[0][0].decode()
    for key, (old, new) in about.items():
        assert f'"{key}": {old}' in said
        said = said.replace(f'"{key}": {old}', f'"{key}": {new}')
    columns = duckdb.execute(select).fetchnumpy() if columns is None else columns
    if sound:
        codes = columns["threshold"] * np.uint8(sound.shape[2]) + columns["symbol"]
        name = hashlib.sha256(np.ma.filled(codes, 0).tobytes()).hexdigest()
        said = re.sub('"digest": "[0-9a-f]{64}"', f'"digest": "{name}"', said)
    masked = {key: x for key, x in columns.items() if np.ma.is_masked(x)}
    nullable = {key: pd.arrays.IntegerArray(x.data, x.mask) for key, x in masked.items()}
    with duckdb.connect() as connection:
        connection.register("changed", pd.DataFrame(columns | nullable))
        quoted = said.replace("'", "''")
        connection.execute(f"COPY changed TO '{file}' (FORMAT parquet, KV_METADATA {{ldpbook: '{quoted}'}})")


def columns_of(file):
    return duckdb.execute(f"SELECT worker, task, threshold, symbol FROM read_parquet('{file}')").fetchnumpy()


def with_symbol(file):
    columns = columns_of(file)
    columns["symbol"][17] = 11
    rewrite(file, columns)


def with_task(file):
    columns = columns_of(file)
    columns["task"][17] = 40
    rewrite(file, columns)


def with_threshold(file):
    columns = columns_of(file)
    columns["threshold"][17] = 1
    rewrite(file, columns)


def with_null(name):
    def spoil(file):
        columns = columns_of(file)
        masked = np.ma.masked_array(columns[name], np.arange(len(columns[name])) == 17)
        rewrite(file, {**columns, name: masked})
        assert np.ma.is_masked(columns_of(file)[name])

    return spoil


def without(name):
    def spoil(file):
        rewrite(file, {key: column for key, column in columns_of(file).items() if key != name})

    return spoil


def with_row(rows):
    def spoil(file):
        rewrite(file, {key: rows(column) for key, column in columns_of(file).items()})

    return spoil


def cut(share):
    def spoil(file):
        whole = file.read_bytes()
        file.write_bytes(whole[: int(share * len(whole))])

    return spoil


def zeroed(whole):
    third = len(whole) // 3
    return whole[:third] + bytes(third) + whole[2 * third :]


def said(**about):
    return lambda file: rewrite(file, **about)


def shifted(by):
    return lambda workers: np.roll(workers, by)


def masked_once(workers):
    return np.ma.masked_array(workers, np.arange(len(workers)) == 17)


def put(k, worker):
    def spoil(workers):
        workers[k] = worker
        return workers

    return spoil


WRONG_WORKERS = {
    "of another chunk": put(17, 130),
    "before the first": put(17, 0),
    "the largest there is": put(17, 2**32 - 1),
    "another's": put(17, 2),
    "all one too many": lambda workers: workers + 1,
    "all 0": lambda workers: workers * 0,
    "all the first": lambda workers: workers * 0 + 1,
    "NULL": masked_once,
    "two that swap": lambda workers: put(17, 2)(put(57, 1)(workers)),
    "rows that swap": shifted(40),
    "cells that move on": shifted(1),
}

SPOILT = {
    "missing": lambda file: file.unlink(),
    "empty": cut(0),
    "half": cut(0.5),
    "nearly whole": cut(0.999),
    "no Parquet": lambda file: file.write_text("worker,task,symbol\n0,0,0\n"),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
    "another's Parquet": lambda file: duckdb.execute(f"COPY (SELECT 1) TO '{file}' (FORMAT parquet)"),
    "a symbol outside the alphabet": with_symbol,
    "a task that there is not": with_task,
    "a threshold that there is not": with_threshold,
    "a NULL task": with_null("task"),
    "a NULL symbol": with_null("symbol"),
    "no column of symbols": without("symbol"),
    "no column of workers": without("worker"),
    "wide symbols": lambda f: rewrite(
        f, {**columns_of(f), "symbol": columns_of(f)["symbol"].astype(np.int64)}
    ),
    "a report twice": with_row(lambda column: np.append(column, column[-1])),
    "a report missing": with_row(lambda column: column[1:]),
    "no reports": with_row(lambda column: column[:0]),
    "another epsilon": said(epsilon=("2.0", "2.5")),
    "another mechanism": said(mechanism=('"RandomizedResponse"', '"ThresholdResponse"')),
    "another domain": said(domain=("[0, 9]", "[1, 10]")),
    "more tasks": said(n_tasks=("40", "41")),
    "another format": said(format=("1", "2")),
    "fewer workers": said(n_workers=("129", "128")),
    "no number of workers": said(n_workers=("129", "null")),
    "no JSON": said(format=("1", "")),
    "JSON without end": said(format=("1", 100_000 * "[")),
    "a first worker in words": said(first_worker=("1", '"1"')),
    "a first worker between two": said(first_worker=("1", "1.9")),
    "a first worker below 0": said(first_worker=("1", "-1")),
    "a first worker that is true": said(first_worker=("1", "true")),
    "a first worker beyond 32 bits": said(first_worker=("1", "4294967296")),
    "an infinite first worker": said(first_worker=("1", "Infinity")),
    "other workers": said(first_worker=("1", "2")),
    "a number of workers in words": said(n_workers=("129", '"129"')),
    "more workers": said(n_workers=("129", "130")),
    "no workers": said(n_workers=("129", "0")),
    "a whole epsilon": said(epsilon=("2.0", "2")),
    "a number for an id": said(id=('"', '3, "x": "')),
    "compressed again": lambda file: file.write_bytes(gzip.compress(file.read_bytes())),
    "zeros in the middle": lambda file: file.write_bytes(zeroed(file.read_bytes())),
    "reports in a list": lambda file: duckdb.execute(
        f"COPY (SELECT [1] AS worker, 0 AS task) TO '{file}' (FORMAT parquet)"
    ),
}


class Unasked:
    """A cluster that gets no work."""

    submit = map = None


class TestBadInput:
    @pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
    def test_damaged_file_is_named_and_not_counted(self, stored, tmp_path, spoil):
        files, _ = stored
        file = tmp_path / "spoilt.parquet"
        file.write_bytes(files[1].read_bytes())
        spoil(file)
        with pytest.raises(ValueError, match=r"^paths must .*got path .*spoilt\.parquet"):
            count_reports([file], PLAN)
        with pytest.raises(ValueError, match=r"^paths must .*spoilt\.parquet"):
            infer_stored_truth([files[0], file], PLAN)  # it counts both files before anything else

    def test_a_spoilt_file_among_sound_ones_is_named(self, stored, tmp_path):
        files, _ = stored
        file = tmp_path / "spoilt.parquet"
        file.write_bytes(files[1].read_bytes())
        paths = [files[0], file, *files[2:]]
        assert count_reports([file], PLAN).counts.sum() == 129 * 40
        assert count_reports(paths, PLAN).counts.sum() == 600 * 40
        with_symbol(file)
        with pytest.raises(ValueError, match=r"^paths must .*got path .*spoilt\.parquet"):
            count_reports(paths, PLAN)

    @pytest.mark.parametrize("spoil", WRONG_WORKERS.values(), ids=WRONG_WORKERS)
    def test_a_wrong_worker(self, stored, tmp_path, spoil):
        """Thresholds, tasks and symbols are unchanged; only their workers are swapped."""
        files, _ = stored
        file = tmp_path / "spoilt.parquet"
        file.write_bytes(files[1].read_bytes())
        columns = columns_of(file)
        rewrite(file, {**columns, "worker": spoil(columns["worker"].copy())})
        for read in (count_reports, infer_stored_truth):
            with pytest.raises(ValueError, match=r"^paths must hold one report of each .*spoilt\.parquet"):
                read([files[0], file], PLAN)

    def test_symbols_of_two_workers_that_swap(self, stored, tmp_path):
        """All counts stay, but the deviations of two workers change."""
        files, _ = stored
        file = tmp_path / "spoilt.parquet"
        file.write_bytes(files[1].read_bytes())
        columns = columns_of(file)
        of_task = np.flatnonzero(columns["task"] == 3)
        other = of_task[columns["symbol"][of_task] != columns["symbol"][of_task[0]]][0]
        swapped = [of_task[0], other]
        columns["symbol"][swapped] = columns["symbol"][swapped[::-1]]
        rewrite(file, columns)
        for read in (count_reports, infer_stored_truth):
            with pytest.raises(ValueError, match=r"^paths must hold all reports as written.*spoilt\.parquet"):
                read([files[0], file], PLAN)

    @pytest.mark.parametrize("call", [1, 2, 3])
    def test_a_file_that_changes_between_two_passes(self, tmp_path, call):
        """After counting one draw, inference does not continue with another draw or a damaged file."""
        drawn = [
            write_reports(tmp_path / name, np.ones((9, 40)), PLAN, first_worker=3, rng=rng)
            for name, rng in (("a", 1), ("b", 2))
        ]

        class Late:
            calls = 0

            def map(self, function, tasks, pure):
                self.calls += 1
                if self.calls > call:
                    drawn[0].write_bytes(drawn[1].read_bytes())
                return [self.submit(function, task, pure) for task in tasks]

            def submit(self, function, task, pure):
                found = function(task)
                return SimpleNamespace(result=lambda timeout: found)

        assert infer_stored_truth(drawn[:1], PLAN, max_iter=2).n_iter == 2
        with pytest.raises(ValueError, match=r"^paths must hold 360 reports of chunk .* another chunk"):
            infer_stored_truth(drawn[:1], PLAN, max_iter=2, client=Late())

    def test_names_of_folders_are_names_only(self, stored, tmp_path):
        """A folder's name is read neither as a pattern nor as a column."""
        files, _ = stored
        for name in ("[ab]", "a", "symbol=3", "worker=1"):
            (tmp_path / name).mkdir()
        for name in ("[ab]", "symbol=3", "worker=1"):
            copy = tmp_path / name / "0.parquet"
            copy.write_bytes(files[1].read_bytes())
            (tmp_path / "a" / "0.parquet").write_bytes(files[2].read_bytes())
            assert count_reports([copy], PLAN).chunks[0].n_workers == 129

    def test_files_of_one_name_in_two_folders(self, stored, tmp_path):
        files, _ = stored
        for k, folder in enumerate(["a", "b"]):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "0").write_bytes(files[k].read_bytes())
        both = [tmp_path / "a" / "0", tmp_path / "b" / "0"]
        np.testing.assert_array_equal(count_reports(both, PLAN).counts, count_reports(files[:2], PLAN).counts)
        with pytest.raises(ValueError, match=r"^paths must name at least one file"):
            count_reports((tmp_path / "a").glob("*.parquet"), PLAN)

    def test_memory_error_is_not_a_broken_file(self, stored, monkeypatch):
        monkeypatch.setattr(stored_reports, "_MEMORY", "1KB")
        with pytest.raises(MemoryError, match=r"^path .*130\.parquet takes more than 1KB"):
            count_reports(stored[0][2:3], PLAN)

    def test_bits_that_flip(self, stored, tmp_path):
        """Any damage ends in a named error, or does not touch the counts."""
        files, reports = stored
        wanted = in_memory(reports[130:300])
        whole = bytearray(files[2].read_bytes())
        file, r = tmp_path / "spoilt.parquet", random.Random(1)
        refused, unharmed, n = 0, 0, draws(25, 60)
        for _ in range(n):
            damaged = whole.copy()
            damaged[r.randrange(len(whole))] ^= 1 << r.randrange(8)
            file.write_bytes(damaged)
            try:
                np.testing.assert_array_equal(count_reports([file], PLAN).counts, wanted)
            except ValueError as error:
                refused += str(error).startswith("paths must")
            else:
                unharmed += 1
        assert refused + unharmed == n
        assert refused > n / 2

    @pytest.mark.parametrize(
        ("named", "n_workers", "told"),
        [
            ([0, 1, 3], 600, r"0\.\.599, got none of 130\.\.299"),
            ([1, 3], 600, r"0\.\.599, got none of 0\.\.0, 130\.\.299"),
            ([0, 1, 2], 600, r"0\.\.599, got none of 300\.\.599"),
            ([0, 1, 2, 3], 601, r"0\.\.600, got none of 600\.\.600"),
            ([0, 1, 2, 3], 599, r"0\.\.598, got some up to 599"),
            ([0, 1, 2], 130, r"0\.\.129, got some up to 299"),
            ([3], 1, r"0\.\.0, got none of 0\.\.299"),
        ],
    )
    def test_missing_workers_are_reported(self, stored, named, n_workers, told):
        paths = [stored[0][k] for k in named]
        for read in (count_reports, infer_stored_truth):
            with pytest.raises(ValueError, match=rf"^paths must hold workers {told}$"):
                read(paths, PLAN, n_workers=n_workers)

    def test_all_workers_in_any_order_are_counted(self, stored):
        files, _ = stored
        found = count_reports(files[::-1], PLAN, n_workers=600)
        np.testing.assert_array_equal(found.counts, count_reports(files, PLAN).counts)

    @given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
    def test_missing_workers_are_those_in_no_chunk(self, there, data):
        sizes = data.draw(st.lists(st.integers(1, 3), min_size=len(there), max_size=len(there)))
        starts = [0, *np.cumsum(sizes).tolist()]
        chunks = [
            block(a, b - a).chunks[0] for (a, b), one in zip(pairwise(starts), there, strict=True) if one
        ]
        lost = {
            k for (a, b), one in zip(pairwise(starts), there, strict=True) for k in range(a, b) if not one
        }
        try:
            _check_workers(chunks, starts[-1])
            told = set()
        except ValueError as error:
            ranges = re.findall(r"(\d+)\.\.(\d+)", str(error).partition("got")[2])
            told = {k for a, b in ranges for k in range(int(a), int(b) + 1)}
        assert told == lost

    @pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
    def test_file_of_killed_writer_is_always_refused(self, stored, tmp_path):
        part = tmp_path / "0.parquet.part"
        part.write_bytes(stored[0][1].read_bytes())
        (tmp_path / "link.parquet").symlink_to(part.name)
        (tmp_path / "further.parquet").symlink_to(tmp_path / "link.parquet")
        (tmp_path / "round.parquet").symlink_to("round.parquet")
        (tmp_path / "whole.parquet").symlink_to(stored[0][1])
        for name in ("link.parquet", "further.parquet"):
            for read in (count_reports, infer_stored_truth):
                with pytest.raises(ValueError, match=rf"^paths must not lead to .*{name}"):
                    read([tmp_path / name], PLAN)
            with pytest.raises(ValueError, match=r"^path must not lead to"):
                write_reports(tmp_path / name, np.ones((129, 40)), PLAN, first_worker=1)
        with pytest.raises(ValueError, match=r"^paths must be whole Parquet files"):
            count_reports([tmp_path / "round.parquet"], PLAN)
        assert count_reports([tmp_path / "whole.parquet"], PLAN).chunks[0].n_workers == 129

    def test_a_file_twice(self, stored):
        files, _ = stored
        with pytest.raises(
            ValueError, match=r"^paths must hold each worker once, .*130\.parquet is the same"
        ):
            count_reports([*files, files[2]], PLAN)

    def test_a_copy_of_a_file(self, stored, tmp_path):
        files, _ = stored
        copy = tmp_path / "copy.parquet"
        copy.write_bytes(files[2].read_bytes())
        with pytest.raises(ValueError, match=r"is the same chunk as .*"):
            count_reports([*files, copy], PLAN)

    def test_another_draw_for_the_same_workers(self, stored, tmp_path):
        files, _ = stored
        again = write_reports(tmp_path / "again", np.ones((1, 40)), PLAN, first_worker=200, rng=9)
        with pytest.raises(ValueError, match=r"again holds another draw for workers of .*130\.parquet"):
            count_reports([*files, again], PLAN)

    @pytest.mark.parametrize(
        ("given", "kind", "told"),
        [
            ({"paths": []}, ValueError, "paths must name at least one"),
            ({"paths": "reports.parquet"}, TypeError, "paths must"),
            ({"paths": [3]}, TypeError, "paths must"),
            ({"paths": None}, TypeError, "paths must"),
            ({"paths": ["s3://bucket/a.parquet"]}, ValueError, "paths must name files of this machine"),
            ({"paths": ["https://a.b/c.parquet"]}, ValueError, "paths must name files of this machine"),
            ({"paths": ["\udcff"]}, ValueError, "paths must name files of this machine"),
            ({"paths": ["a\0b"]}, ValueError, "paths must name files of this machine"),
            ({"paths": [""]}, ValueError, "paths must be whole Parquet files"),
            ({"plan": None}, TypeError, "plan must"),
            ({"client": "tcp://127.0.0.1:8786"}, TypeError, "client must"),
            ({"n_workers": 0}, ValueError, "n_workers must"),
            ({"n_workers": 600.0}, TypeError, "n_workers must"),
            ({"timeout": 5.0}, ValueError, "timeout must be None without a client"),
            ({"timeout": 0, "client": Unasked()}, ValueError, "timeout must"),
            ({"timeout": "5", "client": Unasked()}, TypeError, "timeout must"),
        ],
    )
    def test_bad_calls(self, stored, given, kind, told):
        with pytest.raises(kind, match=rf"^{told}"):
            count_reports(**{"paths": stored[0], "plan": PLAN, **given})

    def test_reports_at_thresholds_are_not_answers(self, stored):
        plan = ReportPlan(ThresholdResponse(2.0), range(10), 40)
        with pytest.raises(TypeError, match=r"^plan must be .*RandomizedResponse"):
            infer_stored_truth(stored[0], plan)
        with pytest.raises(TypeError, match=r"^counted must be .*RandomizedResponse"):
            plurality(ReportCounts(plan, np.zeros((9, 40, 3)), ()))
        with pytest.raises(TypeError, match=r"^counted must be"):
            plurality(np.zeros((9, 40, 3)))

    @pytest.mark.parametrize(
        ("given", "told"),
        [({"max_iter": 0}, "max_iter"), ({"tol": -1.0}, "tol"), ({"sigma_floor": 0}, "sigma")],
    )
    def test_options_of_inference(self, stored, given, told):
        with pytest.raises(ValueError, match=rf"^{told}"):
            infer_stored_truth(stored[0], PLAN, **given)

    def test_only_nulls(self, tmp_path):
        plan = ReportPlan(RandomizedResponse(50.0, range(2)), range(2), 2)
        file = write_reports(tmp_path / "0", [[0, 1]], plan, rng=1)
        columns = columns_of(file)
        columns["symbol"][:] = 2
        rewrite(file, columns, sound=plan)
        with pytest.raises(ValueError, match=r"^paths must hold a report that is not NULL"):
            infer_stored_truth([file], plan)


@pytest.fixture(scope="module")
def client():
    """A client of two processes on this machine; for other machines it would be given their address.

    If there is a fork server, it imports the cluster and the package once for all its processes.
    """
    forks = "forkserver" in multiprocessing.get_all_start_methods()
    method = {"distributed.worker.multiprocessing-method": "forkserver" if forks else "spawn"}
    with dask.config.set(method):
        context = distributed.utils.get_mp_context()  # the first call decides what is imported
        if forks:
            context.set_forkserver_preload(["distributed", "ldpbook.practice.scale"])
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
            ) as cluster,
            distributed.Client(cluster.scheduler_address) as client,
        ):
            yield client


def test_counts_on_a_cluster(stored, client):
    files, reports = stored
    found = count_reports(files, PLAN, client=client)
    np.testing.assert_array_equal(found.counts, in_memory(reports))
    assert found.chunks == count_reports(files, PLAN).chunks


def test_inference_on_a_cluster(stored, client):
    files, reports = stored
    heard = ~np.isnan(reports).all(axis=1)
    same_inference(infer_stored_truth(files, PLAN, client=client), infer_truth(reports[heard]), heard)


def test_errors_on_a_cluster_are_the_same(stored, client, tmp_path):
    files, _ = stored
    (tmp_path / "half").write_bytes(files[1].read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"^paths must .*half"):
        count_reports([files[0], tmp_path / "half"], PLAN, client=client)
    with pytest.raises(ValueError, match=r"is the same chunk as"):
        count_reports([*files, files[0]], PLAN, client=client)


def test_a_cluster_that_hangs_ends_in_a_timeout(stored, client, tmp_path):
    """One process hangs on its second file; waiting tasks are dropped, and the next count is right."""
    files, _ = stored
    go_on = tmp_path / "on"

    class Hanging:
        submit = client.submit

        def map(self, function, tasks, pure):
            def counted(task):
                import pathlib
                import time

                while task == files[1] and not pathlib.Path(go_on).exists():
                    time.sleep(0.05)
                return function(task)

            return client.map(counted, tasks, pure=pure)

    def keys(dask_scheduler):
        return set(dask_scheduler.tasks)

    before = client.run_on_scheduler(keys)  # objects still held by errors of other tests
    kept = []  # an interpreter keeps the last error, and with it the call's objects
    for read in (count_reports, infer_stored_truth):
        with pytest.raises(
            TimeoutError, match=r"^client must .* timeout = 0\.5 seconds: 4 files were"
        ) as error:
            read(files, PLAN, client=Hanging(), timeout=0.5)
        kept.append(error)
    for _ in range(100):
        if client.run_on_scheduler(keys) <= before:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the cluster still holds tasks that no one waits for")
    go_on.touch()
    found = count_reports(files, PLAN, client=client, timeout=60, n_workers=600)
    assert found.chunks == count_reports(files, PLAN).chunks


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_a_killed_worker_changes_nothing(client, tmp_path):
    """The first process to reach a second file dies there, and its first result is lost."""
    answers = np.random.default_rng(1).integers(0, 10, (300, 40)).astype(float)
    starts = range(0, 300, 25)
    files = [write_reports(tmp_path / f"{a:03}", answers[a : a + 25], PLAN, first_worker=a) for a in starts]
    hashes = [hashlib.sha256(file.read_bytes()).digest() for file in files]
    wanted = count_reports(files, PLAN)
    killed = str(tmp_path / "killed")
    before = set(client.run(os.getpid).values())

    class Deadly:
        submit = client.submit

        def map(self, function, tasks, pure):
            def counted(task):
                from ldpbook.practice import reports, scale

                def deadly(connection, chunk, plan):
                    for k, codes in enumerate(read(connection, chunk, plan)):
                        if k == 2 and os.environ.get("LDPBOOK_COUNTED"):
                            try:
                                os.close(os.open(killed, os.O_CREAT | os.O_EXCL))
                                os.kill(os.getpid(), signal.SIGKILL)
                            except FileExistsError:
                                pass
                        yield codes

                read, cells = scale.read_blocks, reports._CELLS
                scale.read_blocks, reports._CELLS = deadly, 40 * 5  # five blocks per file
                try:
                    return function(task)
                finally:
                    scale.read_blocks, reports._CELLS = read, cells
                    os.environ["LDPBOOK_COUNTED"] = "once"

            return client.map(counted, tasks, pure=pure)

    found = count_reports(files, PLAN, client=Deadly())
    assert os.path.exists(killed)
    client.wait_for_workers(2)
    after = set(client.run(os.getpid).values())
    assert len(before - after) == 1
    np.testing.assert_array_equal(found.counts, wanted.counts)
    assert found.chunks == wanted.chunks
    assert [hashlib.sha256(file.read_bytes()).digest() for file in files] == hashes
    assert sorted(os.listdir(tmp_path)) == [*(file.name for file in files), "killed"]


def test_copy_renamed_to_others_is_not_recounted(tmp_path):
    """The identity of a draw is part of its file, whatever else of the file is changed."""
    plan = ReportPlan(RandomizedResponse(1.0, range(3)), range(3), 4)
    counted = count_reports([write_reports(tmp_path / "a.parquet", np.zeros((5, 4)), plan, rng=1)], plan)
    moved = counted.chunks[0]._replace(first_worker=20, file="b.parquet")
    with pytest.raises(ValueError, match=r"b\.parquet is the same chunk as"):
        counted + ReportCounts(plan, counted.counts, (moved,))
