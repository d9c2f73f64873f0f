"""Counts that merge, and truths from more reports than fit into memory.

The same lines on one machine, where DuckDB reads file by file in threads, and on many, where a Dask client
sends each file's name to a process that sees the files; Dask itself is imported by whoever makes the client.
"""

import operator
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldpbook._arrays import Array
from ldpbook._validate import count, fraction, listed, non_negative
from ldpbook.foundations.truth_inference import SIGMA_FLOOR, TruthResult
from ldpbook.practice.reports import Chunk, ReportPlan, connected, digest, of_kind, query, read_chunk
from ldpbook.sparse_answers.randomized_response import RandomizedResponse

__all__ = ["ReportCounts", "count_reports", "infer_stored_truth", "plurality"]

_BRANCHES = 8  # how many results a cluster adds at a time


@dataclass(frozen=True, eq=False)
class ReportCounts:
    """How often each symbol was reported for each task, and in which files; two of them add up with `+`.

    Counts are all that decoding takes where nobody links reports to workers. A chunk is counted once: a sum
    in which a worker would occur twice is refused.

    Attributes
    ----------
    plan : ReportPlan
        What was asked.
    counts : ndarray of int, shape (n, size + 1) or (thresholds, n, 3)
        By task and symbol, NULL last; of threshold responses as `infer_from_counts` takes them.
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
            if one.id == two.id:  # also of a copy that says it is of other workers
                why = "is the same chunk as"
                raise ValueError(f"paths must hold each worker once, but {two.file} {why} {one.file}")
        for one, two in pairwise(chunks):
            if two.first_worker < one.first_worker + one.n_workers:
                why = "holds another draw for workers of"
                raise ValueError(f"paths must hold each worker once, but {two.file} {why} {one.file}")
        return ReportCounts(self.plan, self.counts + other.counts, tuple(chunks))


def count_reports(paths: Sequence[str | Path], plan: ReportPlan, *, client: Any = None) -> ReportCounts:
    """Count stored reports, file by file.

    This only reads reports: it can be repeated, on another machine or after a failure, at no cost in privacy.

    Parameters
    ----------
    paths : sequence of str or Path
        Files that `write_reports` wrote, at least one, each once, under names that a cluster sees too.
    plan : ReportPlan
        What every file must say of itself.
    client : distributed.Client, optional
        A cluster to count on; the processors at hand if None.

    Returns
    -------
    ReportCounts
        Whole numbers, the same in whatever order files were counted.

    Raises
    ------
    ValueError
        If a file is no whole Parquet file of reports under the plan, holds a task or a symbol that there is
        not or other than one report of each of its workers to each task, or if a worker is in two files. It
        names the file, and nothing is counted.

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
    ...     count_reports(sorted(Path(folder).iterdir()), plan).counts
    array([[10,  0,  0],
           [ 0, 10,  0],
           [ 0,  0, 10]])
    """
    of_kind("plan", plan, ReportPlan)
    files = [of_kind("paths", file, str | Path) for file in listed("paths", paths)]
    if not files:
        raise ValueError("paths must name at least one file, got none")
    if client is not None and not hasattr(client, "submit"):
        raise TypeError(f"client must be a distributed.Client or None, got {client!r:.80}")
    found: ReportCounts = _summed(partial(_counted, plan=plan), files, client)
    return found


def plurality(counted: ReportCounts) -> Array:
    """The answer that was reported most often, task by task; the smallest of several.

    The same as :func:`~ldpbook.categorical_answers.voting.majority_vote` on the reports. For counts of
    randomized response, which leaves the order of an answer's chances as it is.

    Parameters
    ----------
    counted : ReportCounts
        What `count_reports` found.

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
    client: Any = None,
) -> TruthResult:
    """Algorithm 1 on stored reports of randomized response, in two passes over the files for each step.

    What :func:`~ldpbook.foundations.truth_inference.infer_truth` does in memory. Held here are a number a
    task and two a worker; reports stay on disk.

    Parameters
    ----------
    paths, plan, client
        As of `count_reports`, whose checks come first; every file holds whole rows of its workers.
    max_iter, tol, sigma_floor
        As of `infer_truth`.

    Returns
    -------
    TruthResult
        As from `infer_truth` on the workers who reported anything but NULL, up to the order in which sums
        are rounded; the others have the weight 0. Workers are in the order of their numbers.

    Notes
    -----
    Source: Sun et al. (2018), Algorithm 1.
    Derived in: practice/scale
    """
    count("max_iter", max_iter)
    tol = non_negative("tol", tol)
    fraction("sigma_floor", sigma_floor)
    of_kind("plan", of_kind("plan", plan, ReportPlan).mechanism, RandomizedResponse)
    counted = count_reports(paths, plan, client=client)
    chunks, answers = counted.chunks, counted.counts[:, :-1]
    sums = np.array([answers @ np.array(plan.domain), answers.sum(axis=1)], dtype=float)
    asked = sums[1] > 0
    if not asked.any():
        raise ValueError("paths must hold a report that is not NULL")
    ends = np.cumsum([0, *(chunk.n_workers for chunk in chunks)])
    truth, quality, converged = np.full(plan.n_tasks, np.nan), np.zeros(ends[-1]), False
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        previous = truth
        truth = np.divide(sums[0], sums[1], out=np.full(plan.n_tasks, np.nan), where=sums[1] > 0)
        n_answers, squares = np.hstack(_summed(partial(_squares, plan=plan, truth=truth), chunks, client))
        heard = n_answers > 0
        sigma = np.sqrt(squares[heard] / n_answers[heard])
        sigma = np.maximum(sigma, sigma_floor * np.sqrt(squares.sum() / n_answers.sum()))
        quality[heard] = sigma.min() / sigma if sigma.min() > 0 else 1.0
        quality /= quality.sum()
        if np.all(np.abs(truth - previous)[asked] <= tol):
            converged = True
            break
        shared = [(chunk, quality[a:b]) for chunk, (a, b) in zip(chunks, pairwise(ends), strict=True)]
        sums = _summed(partial(_weighted, plan=plan), shared, client)
    return TruthResult(truth, quality, n_iter, converged)


def _summed(function: Callable[[Any], Any], tasks: Sequence[Any], client: Any) -> Any:
    """What a function finds for each of the tasks, added up: here in turn, on a cluster in a tree."""
    add = partial(reduce, operator.add)
    if client is None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return add(pool.map(function, tasks))
    parts = client.map(function, tasks, pure=False)  # else a file that has changed would not be read again
    while len(parts) > 1:
        starts = range(0, len(parts), _BRANCHES)
        parts = [client.submit(add, parts[k : k + _BRANCHES], pure=False) for k in starts]
    return parts[0].result()


def _counted(path: str | Path, plan: ReportPlan) -> ReportCounts:
    """The counts of one file, if it holds one report of each of its workers to each task."""
    select = """
        SELECT threshold, task, symbol, count(*) AS n FROM read_parquet($1)
        GROUP BY threshold, task, symbol ORDER BY threshold, task, symbol"""
    with connected() as connection:
        chunk = read_chunk(connection, path, plan)
        *slots, n = query(connection, select, path)
    known = [np.ma.filled(slot < size, False) for slot, size in zip(slots, plan.shape, strict=True)]
    strange = ~np.all(known, axis=0)  # NULL is masked
    if strange.any():
        first = [slot[strange][0] for slot in slots]
        raise ValueError(f"paths must hold what the plan has, got path {path} with {first} in its columns")
    counts = np.zeros(plan.shape, dtype=np.int64)
    counts[tuple(slots)] = n
    if chunk.digest != digest(counts) or (counts.sum(axis=(0, 2)) != chunk.n_workers).any():
        raise ValueError(f"paths must hold all reports as written, got path {path} with {n.sum()} others")
    is_answer = isinstance(plan.mechanism, RandomizedResponse)
    return ReportCounts(plan, counts[0] if is_answer else counts, (chunk,))


def _squares(chunk: Chunk, plan: ReportPlan, truth: Array) -> list[Array]:
    """How many answers each worker of a file has reported, and the sum of their squared residuals."""
    select = """
        SELECT worker, count(*) AS rows, count(*) FILTER (symbol < $2) AS answers,
            coalesce(sum((symbol::DOUBLE + $3 - truth) ** 2) FILTER (symbol < $2), 0) AS squares
        FROM read_parquet($1) JOIN truths USING (task) GROUP BY worker ORDER BY worker"""
    with connected() as connection:
        connection.register("truths", {"task": np.arange(plan.n_tasks, dtype=np.uint32), "truth": truth})
        found = query(connection, select, chunk.file, len(plan.domain), plan.domain[0])
    worker, rows, answers, squares = found
    if not np.array_equal(worker, _workers(chunk)) or (rows != plan.n_tasks).any():
        raise ValueError(f"paths must hold a report of each worker to each task, got path {chunk.file}")
    return [np.array([answers, squares])]


def _weighted(shared: tuple[Chunk, Array], plan: ReportPlan) -> Array:
    """Sums of a file's answers with the weights of its workers, and of these weights, task by task."""
    select = """
        SELECT task, sum(weight * (symbol::DOUBLE + $3)) AS answers, sum(weight) AS weights
        FROM read_parquet($1) JOIN weights USING (worker)
        WHERE symbol < $2 GROUP BY task ORDER BY task"""
    chunk, weights = shared
    with connected() as connection:
        connection.register("weights", {"worker": _workers(chunk), "weight": weights})
        task, *found = query(connection, select, chunk.file, len(plan.domain), plan.domain[0])
    sums = np.zeros((2, plan.n_tasks))
    sums[:, task] = found
    return sums


def _workers(chunk: Chunk) -> NDArray[np.uint32]:
    return np.arange(chunk.first_worker, chunk.first_worker + chunk.n_workers, dtype=np.uint32)
