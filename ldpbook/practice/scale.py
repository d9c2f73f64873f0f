"""Counts that add up, and truths, from more reports than fit into memory.

The same code runs on one machine, where DuckDB reads files in threads, block by block, and on many, where a
Dask client sends each file's name to a process that can read the file. Dask itself is imported only by the
caller that makes the client.
"""

import operator
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldpbook._arrays import Array
from ldpbook._validate import count, fraction, listed, non_negative, positive
from ldpbook.foundations.truth_inference import SIGMA_FLOOR, TruthResult
from ldpbook.practice.reports import (
    Chunk,
    ReportPlan,
    connected,
    local,
    of_kind,
    read_blocks,
    read_chunk,
)
from ldpbook.sparse_answers.randomized_response import RandomizedResponse

__all__ = ["ReportCounts", "count_reports", "infer_stored_truth", "plurality"]

_BRANCHES = 8  # number of results that a cluster adds at a time
# Only processors that this process may use, not all of a shared machine, because each thread takes memory.
_PROCESSORS = len(getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0))
_AHEAD = 4 * _PROCESSORS  # number of files that are counted here before their results are added


@dataclass(frozen=True, eq=False)
class ReportCounts:
    """Counts of each symbol's reports for each task, and the files they are from; `+` adds two of them.

    Decoding needs only counts if it does not link reports to workers. A chunk is counted once: a sum in which
    a worker would occur twice is refused.

    Attributes
    ----------
    plan : ReportPlan
        Plan of the reports.
    counts : ndarray of int, shape (n, size + 1) or (thresholds, n, 3)
        Counts by task and symbol, NULL last; for threshold responses, as `infer_from_counts` takes them.
    chunks : tuple
        First worker, number of workers, id and file of each chunk, in ascending order.
    """

    plan: ReportPlan
    counts: NDArray[np.int64]
    chunks: tuple[Chunk, ...]

    def __add__(self, other: "ReportCounts") -> "ReportCounts":
        if self.plan != other.plan:
            raise ValueError(f"paths must hold reports under one plan, got {self.plan} and {other.plan}")
        chunks = sorted(self.chunks + other.chunks)
        for one, two in pairwise(sorted(chunks, key=operator.attrgetter("id"))):
            if one.id == two.id:  # even if a copy claims other workers
                why = "is the same chunk as"
                raise ValueError(f"paths must hold each worker once, but {two.file} {why} {one.file}")
        for one, two in pairwise(chunks):
            if two.first_worker < one.first_worker + one.n_workers:
                why = "holds another draw for workers of"
                raise ValueError(f"paths must hold each worker once, but {two.file} {why} {one.file}")
        return ReportCounts(self.plan, self.counts + other.counts, tuple(chunks))


def count_reports(
    paths: Sequence[str | Path],
    plan: ReportPlan,
    *,
    n_workers: int | None = None,
    client: Any = None,
    timeout: float | None = None,
) -> ReportCounts:
    """Count stored reports, file by file.

    This only reads reports, so it can be repeated, on another machine or after a failure, at no privacy cost.

    Parameters
    ----------
    paths : sequence of str or Path
        Files that `write_reports` wrote, at least one, each once, under names that a cluster can read too. No
        name may end in ".part", which a killed writer leaves, or link to such a file. Each file takes as much
        extra time as about a million reports.
    plan : ReportPlan
        Plan that every file must state.
    n_workers : int, optional
        Number of workers: the files must hold those from 0 to n_workers - 1. If None, a file that is missing
        from `paths` is not noticed.
    client : distributed.Client, optional
        Cluster that counts; if None, the processors of this machine do.
    timeout : float, optional
        Seconds, > 0, that a cluster may take. Without a client it must be None.

    Returns
    -------
    ReportCounts
        Counts, which are whole numbers and the same in whatever order the files were counted.

    Raises
    ------
    ValueError
        If a file is not a whole Parquet file of reports under the plan, holds a threshold or a symbol that
        does not exist, or does not hold one report of each of its workers to each task, as they were written;
        or if a worker is in two files. The message names the file, and nothing is counted. Also if workers
        are missing, or there are more than `n_workers`.
    TimeoutError
        If the cluster takes longer than `timeout`. Waiting tasks are dropped; a process that hangs keeps
        hanging until someone ends it.

    Notes
    -----
    Derived in: practice/scale

    Examples
    --------
    >>> import tempfile
    >>> from ldpbook.practice import write_reports
    >>> plan = ReportPlan(RandomizedResponse(9.0, range(2)), range(2), 3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for k in range(2):
    ...         block = [[0, 1, float("nan")]] * 5
    ...         _ = write_reports(f"{folder}/{k}.parquet", block, plan, first_worker=5 * k, rng=k)
    ...     count_reports(sorted(Path(folder).glob("*.parquet")), plan).counts
    array([[10,  0,  0],
           [ 0, 10,  0],
           [ 0,  0, 10]])
    """
    of_kind("plan", plan, ReportPlan)
    files = [local("paths", file) for file in listed("paths", paths)]
    if not files:
        raise ValueError("paths must name at least one file, got none")
    if client is not None and not hasattr(client, "submit"):
        raise TypeError(f"client must be a distributed.Client or None, got {client!r:.80}")
    if timeout is not None and client is None:
        raise ValueError(f"timeout must be None without a client, got {timeout!r:.80}")
    limit = None if timeout is None else positive("timeout", timeout)
    expected = None if n_workers is None else count("n_workers", n_workers)
    found: ReportCounts = _summed(partial(_counted, plan=plan), files, client, limit)
    if expected is not None:
        _check_workers(found.chunks, expected)
    return found


def _check_workers(chunks: Sequence[Chunk], n_workers: int) -> None:
    """Refuse chunks, given in ascending order, unless they hold exactly these workers."""
    ends = [0, *(chunk.first_worker + chunk.n_workers for chunk in chunks)]
    starts = [*(chunk.first_worker for chunk in chunks), max(n_workers, ends[-1])]
    missing = [f"{a}..{b - 1}" for a, b in zip(ends, starts, strict=True) if a < b]
    if missing or ends[-1] > n_workers:
        what = f"none of {', '.join(missing):.200}" if missing else f"some up to {ends[-1] - 1}"
        raise ValueError(f"paths must hold workers 0..{n_workers - 1}, got {what}")


def plurality(counted: ReportCounts) -> Array:
    """Answer that was reported most often for each task; the smallest one in a tie.

    It is the same as :func:`~ldpbook.categorical_answers.voting.majority_vote` on the reports. The counts
    must be of randomized response, which does not change the order of the answers' probabilities.

    Parameters
    ----------
    counted : ReportCounts
        Result of `count_reports`.

    Returns
    -------
    ndarray, shape (n,)
        Answers of the domain; nan where every report was NULL.

    Notes
    -----
    Derived in: practice/scale
    """
    of_kind("counted", of_kind("counted", counted, ReportCounts).plan.mechanism, RandomizedResponse)
    answers = counted.counts[:, :-1]
    return np.where(answers.any(axis=1), answers.argmax(axis=1) + counted.plan.domain[0], np.nan)


def infer_stored_truth(
    paths: Sequence[str | Path],
    plan: ReportPlan,
    *,
    max_iter: int = 100,
    tol: float = 1e-6,
    sigma_floor: float = SIGMA_FLOOR,
    n_workers: int | None = None,
    client: Any = None,
    timeout: float | None = None,
) -> TruthResult:
    """Truths by Algorithm 1 on stored reports of randomized response, in two passes per step.

    It does what :func:`~ldpbook.foundations.truth_inference.infer_truth` does in memory, but holds only one
    number per task and two per worker. Reports stay on disk, and each pass reads all files.

    Parameters
    ----------
    paths, plan, n_workers, client, timeout
        As in `count_reports`, whose checks come first. Every file holds whole rows of its workers. `timeout`
        is for each pass.
    max_iter, tol, sigma_floor
        As in `infer_truth`.

    Returns
    -------
    TruthResult
        Result of `infer_truth` on the workers who reported anything but NULL, up to the order in which sums
        are rounded; the others have weight 0. Workers are in the order of their numbers. There are two
        exceptions. Where no two answers to a task differ, weights are equal here; in memory they depend on
        rounding errors in deviations that are 0. With a tiny `sigma_floor`, the weights of workers who never
        deviate are rounding errors, which differ here.

    Notes
    -----
    Source: Sun et al. (2018), Algorithm 1.
    Derived in: practice/scale
    """
    count("max_iter", max_iter)
    tol = non_negative("tol", tol)
    fraction("sigma_floor", sigma_floor)
    of_kind("plan", of_kind("plan", plan, ReportPlan).mechanism, RandomizedResponse)
    counted = count_reports(paths, plan, n_workers=n_workers, client=client, timeout=timeout)
    chunks, answers = counted.chunks, counted.counts[:, :-1]
    summed = partial(_summed, client=client, timeout=timeout)
    sums = np.array([answers @ np.array(plan.domain), answers.sum(axis=1)], dtype=float)
    asked, agreed = sums[1] > 0, ((answers > 0).sum(axis=1) <= 1).all()
    if not asked.any():
        raise ValueError("paths must hold a report that is not NULL")
    ends = np.cumsum([0, *(chunk.n_workers for chunk in chunks)])
    truth, quality, converged = np.full(plan.n_tasks, np.nan), np.zeros(ends[-1]), False
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        previous = truth
        truth = np.divide(sums[0], sums[1], out=np.full(plan.n_tasks, np.nan), where=sums[1] > 0)
        n_answers, squares = np.hstack(summed(partial(_squares, plan=plan, truth=truth), chunks))
        squares *= not agreed  # a deviation of 0 leaves only rounding errors
        heard = n_answers > 0
        sigma = np.sqrt(squares[heard] / n_answers[heard])
        sigma = np.maximum(sigma, sigma_floor * np.sqrt(squares.sum() / n_answers.sum()))
        quality[heard] = sigma.min() / sigma if sigma.min() > 0 else 1.0
        quality /= quality.sum()
        if np.all(np.abs(truth - previous)[asked] <= tol):
            converged = True
            break
        shared = [(chunk, quality[a:b]) for chunk, (a, b) in zip(chunks, pairwise(ends), strict=True)]
        sums = summed(partial(_weighted, plan=plan), shared)
    return TruthResult(truth, quality, n_iter, converged)


def _summed(
    function: Callable[[Any], Any], tasks: Sequence[Any], client: Any, timeout: float | None = None
) -> Any:
    """Sum of a function's results for the tasks, added in a tree: here in threads, or on a cluster."""
    if client is None:
        starts = range(0, len(tasks), _AHEAD)
        with ThreadPoolExecutor(_PROCESSORS) as pool:
            return _tree(chain.from_iterable(pool.map(function, tasks[k : k + _AHEAD]) for k in starts))
    parts = client.map(function, tasks, pure=False)  # so that a changed file is read again
    while len(parts) > 1:
        starts = range(0, len(parts), _BRANCHES)
        parts = [client.submit(_tree, parts[k : k + _BRANCHES], pure=False) for k in starts]
    try:
        return parts[0].result(timeout)
    except TimeoutError:
        parts[0].cancel()  # the cluster then also drops everything that only this sum needs
        why = f"{len(tasks)} files were not counted in time; to count again costs no privacy"
        raise TimeoutError(f"client must answer within timeout = {timeout} seconds: {why}") from None


def _tree(parts: Iterable[Any]) -> Any:
    """Sum in order, always of sums of equally many parts, so that lists of chunks are rarely copied."""
    sums: list[tuple[int, Any]] = []
    for part in parts:
        size = 1
        while sums and sums[-1][0] == size:
            part, size = sums.pop()[1] + part, 2 * size
        sums.append((size, part))
    return reduce(operator.add, [part for _, part in sums])


def _counted(path: str | Path, plan: ReportPlan) -> ReportCounts:
    """Counts of one file."""
    with connected() as connection:
        chunk = read_chunk(connection, path, plan)
        n_thresholds, n, size = plan.shape
        counts = np.zeros(n * n_thresholds * size, dtype=np.int64)
        starts = np.arange(n) * (n_thresholds * size)
        for codes in read_blocks(connection, chunk, plan):  # connecting takes as long as a million reports
            counts += np.bincount((starts + codes).ravel(), minlength=len(counts))
    table = counts.reshape(n, n_thresholds, size).transpose(1, 0, 2)
    is_answer = isinstance(plan.mechanism, RandomizedResponse)
    return ReportCounts(plan, np.ascontiguousarray(table[0] if is_answer else table), (chunk,))


def _squares(chunk: Chunk, plan: ReportPlan, truth: Array) -> list[Array]:
    """Number of answers that each worker of a file reported, and the sum of their squared residuals."""
    found = []
    with connected() as connection:
        for symbols in read_blocks(connection, chunk, plan):
            given = symbols < len(plan.domain)
            residuals = np.where(given, plan.domain[0] + symbols.astype(float) - truth, 0)
            found.append([given.sum(axis=1), np.square(residuals, out=residuals).sum(axis=1)])
    return [np.hstack(found)]


def _weighted(shared: tuple[Chunk, Array], plan: ReportPlan) -> Array:
    """Weighted sum of a file's answers, and sum of the weights, for each task."""
    chunk, weights = shared
    sums, first = np.zeros((2, plan.n_tasks)), 0
    with connected() as connection:
        for symbols in read_blocks(connection, chunk, plan):
            given, own = symbols < len(plan.domain), weights[first : first + len(symbols)]
            answers = np.where(given, plan.domain[0] + symbols.astype(float), 0)
            sums += [own @ answers, own @ given.astype(float)]
            first += len(symbols)
    return sums
