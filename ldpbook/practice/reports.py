"""Reports on disk: a crowd perturbed once, in blocks of workers, with one Parquet file per block.

Each file states what it holds, so that no reports are counted as others. It is read in blocks of rows, in
memory that does not grow with the file. DuckDB is needed to read and write the files; it is imported when the
first one is used.
"""

import glob
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, Rng, check_answers, generator, numeric
from ldpbook._extras import extra
from ldpbook._tables import only_matrix
from ldpbook._validate import _integer, count, integer_domain
from ldpbook.remedies.smaller_question import ThresholdResponse, question_thresholds
from ldpbook.remedies.who_is_careful import report_codes
from ldpbook.sparse_answers.randomized_response import RandomizedResponse

__all__ = ["ReportPlan", "write_reports"]

_COLUMNS = {"worker": "UINTEGER", "task": "UINTEGER", "threshold": "UTINYINT", "symbol": "UTINYINT"}
T = TypeVar("T")

_LARGEST = 2**32  # as many as 32 bits can number
_MEMORY = "128MB"  # of one connection, beyond which DuckDB spills
_CELLS = 2**22  # reports in memory at a time while a file is read
_ONE_FILE = "read_parquet($1, hive_partitioning = false"  # otherwise folder names become columns
# Symbols, of which there are at most 256, are stored by a dictionary; tasks and workers, which have more
# values, by differences from row to row, nearly all 1 or 0. Without these options a report among 100,000
# tasks takes 18 bits, not 2.
_STORED = "FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION V2, DICTIONARY_SIZE_LIMIT 256"


@dataclass(frozen=True)
class ReportPlan:
    r"""Questions that a crowd is asked, and the mechanism of its reports; every file of reports states them.

    A report is the number of a symbol. With randomized response, it is the place of the answer in the domain,
    NULL last. With threshold response, it is 0 (not above), 1 (above) or 2 (NULL), together with the number
    of the public threshold among `question_thresholds`. Every worker reports on every task, NULL included.

    Parameters
    ----------
    mechanism : RandomizedResponse or ThresholdResponse
        Mechanism that perturbs the answers: epsilon-cell LDP for every pair of neighbours, NULL included;
        k epsilon for a worker whose row changes in k cells.
    domain : sequence of int
        The answer domain without NULL. For randomized response, the domain of the mechanism, at most 254
        integers; for threshold response, 2 to 21 integers.
    n_tasks : int
        Number n of tasks, from 1 to 2^32.

    Notes
    -----
    Derived in: practice/scale

    Examples
    --------
    >>> ReportPlan(RandomizedResponse(1.0, range(10)), range(10), 1000).shape
    (1, 1000, 11)
    >>> ReportPlan(ThresholdResponse(1.0), range(10), 1000).shape
    (9, 1000, 3)
    """

    mechanism: RandomizedResponse | ThresholdResponse
    domain: Sequence[int]
    n_tasks: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", integer_domain(self.domain))
        if isinstance(self.mechanism, ThresholdResponse):
            question_thresholds(self.domain)
        elif not isinstance(self.mechanism, RandomizedResponse):
            raise TypeError(
                f"mechanism must be RandomizedResponse or ThresholdResponse, got {self.mechanism!r:.80}"
            )
        elif self.domain != integer_domain(self.mechanism.domain) or len(self.domain) > 254:
            raise ValueError(f"domain must be the mechanism's, at most 254 integers, got {self.domain!r:.80}")
        object.__setattr__(self, "n_tasks", count("n_tasks", self.n_tasks))  # as a plain int
        if self.n_tasks > _LARGEST:
            raise ValueError(f"n_tasks must be at most 2^32, got {self.n_tasks}")

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of thresholds (1 if there are none), tasks and symbols: the shape of all counts."""
        if isinstance(self.mechanism, ThresholdResponse):
            return len(self.domain) - 1, self.n_tasks, 3
        return 1, self.n_tasks, len(self.domain) + 1

    @property
    def declared(self) -> dict[str, Any]:
        """Metadata that a file must have to be counted under this plan."""
        about = {"format": 1, "mechanism": type(self.mechanism).__name__, "n_tasks": self.n_tasks}
        ends = [self.domain[0], self.domain[-1]]
        return {**about, "epsilon": float(self.mechanism.epsilon), "domain": ends}


class Chunk(NamedTuple):
    """Workers whose reports a file holds, and the id of the one draw that gave them."""

    first_worker: int
    n_workers: int
    id: str
    digest: str  # of all reports in order, which shows a flipped bit or two swapped reports
    file: str


def write_reports(
    path: str | Path,
    answers: ArrayLike,
    plan: ReportPlan,
    *,
    first_worker: int = 0,
    thresholds: ArrayLike | None = None,
    rng: Rng = None,
) -> Path:
    """Perturb the answers of a block of workers, once, and store the reports; never the answers.

    A file that exists already is read through, and kept if it is whole. Nothing is drawn then, because two
    draws on one cell cost 2 epsilon. So if a loop over blocks was cut off, run it again as it is. The file
    appears under its name when it is whole and on the disk.

    A killed writer leaves a file, half or whole, that ends in ".part", which is never counted. Delete it
    unread, because the next call draws again. The writer sent none of it on, so only someone who reads the
    folder has two draws. If two writers write one file, the later one's draw is deleted. A power cut may
    remove a name that was there, and with it the draw: if such reports have been sent on, do not draw again.
    A :class:`~ldpbook.practice.budget.Budget` counts the epsilon of all calls.

    Parameters
    ----------
    path : str or Path
        Where to write, in a folder of this machine that exists.
    answers : array_like, shape (m, n)
        Answers of the block, nan = NULL, within the domain. A worker who answered nothing reports too,
        because her absence would reveal it.
    plan : ReportPlan
        Mechanism, domain and number of tasks.
    first_worker : int
        Number of the first worker of the block, >= 0; the others follow. Blocks must not overlap.
    thresholds : array_like, shape (), (n,) or (m, n), optional
        For threshold responses: the one of `question_thresholds` that each cell is asked.
    rng : Generator or int, optional
        Source of randomness for study, where files must be reproducible, as in a book, or a seed for one.
        None, the default, is for release: reports are drawn with whole numbers from the operating system's
        entropy, the only right choice if answers are to be private. One number is drawn from a given source,
        whether the file exists or not. Together with `first_worker` it is the seed of this block
        (`block_source`). So in one run, no two blocks with different first workers share their noise, whether
        they share a seed or a generator, and whether the run was cut off before or not. If the same workers
        are asked twice with one seed, the noise is shared.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        If the file exists and holds anything but all reports of these workers under this plan; or, without
        `rng`, if the mechanism's epsilon is too small for 64 bits.
    OSError
        If the file cannot be written: the folder is missing, or the disk is full or without hard links.

    Notes
    -----
    Derived in: practice/scale

    Examples
    --------
    >>> plan = ReportPlan(RandomizedResponse(1.0, range(3)), range(3), 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write_reports(Path(folder) / "0.parquet", [[0, 1], [2, float("nan")]], plan, rng=1)
    ...     kept = file.read_bytes()
    ...     write_reports(file, [[0, 1], [2, float("nan")]], plan, rng=2).read_bytes() == kept
    True
    """
    target = Path(local("path", path))
    matrix = numeric("answers", only_matrix("answers", answers))
    n = of_kind("plan", plan, ReportPlan).n_tasks
    first = _integer("first_worker", first_worker, 0)
    if matrix.ndim != 2 or not len(matrix) or matrix.shape[1] != n or first + len(matrix) > _LARGEST:
        raise ValueError(f"answers must be of 1 to 2^32 workers and {n} tasks, got shape {matrix.shape}")
    check_answers(matrix, domain=plan.domain, silent=True)
    source, duckdb, ours = None if rng is None else block_source(first, rng), _duckdb(), False
    with connected() as connection:
        if not target.exists():
            codes = _codes(matrix, plan, thresholds, source)
            threshold, symbol = np.divmod(codes, np.uint8(plan.shape[2]))
            index = np.indices(matrix.shape, dtype=np.uint32)
            columns: list[NDArray[Any]] = [index[0] + np.uint32(first), index[1], threshold, symbol]
            flat = {name: column.ravel() for name, column in zip(_COLUMNS, columns, strict=True)}
            connection.register("reports", flat)
            name = hashlib.sha256(codes.tobytes()).hexdigest()
            said = Chunk(first, len(matrix), uuid4().hex, name, target.name)
            about, part = json.dumps({**said._asdict(), **plan.declared}), f"{target}.{said.id}.part"
            options = f"{_STORED}, KV_METADATA {{ldpbook: {_quoted(about)}}}"
            try:
                connection.execute(f"COPY reports TO {_quoted(os.path.abspath(part))} ({options})")
                with open(part, "r+b") as written:
                    os.fsync(written.fileno())  # otherwise a power cut could leave an empty file
                os.link(part, target)  # unlike renaming, this fails if another writer was first
                ours = True
            except FileExistsError:
                pass
            except duckdb.Error as error:
                raise OSError(f"path {path} could not be written: {error}") from None
            finally:
                Path(part).unlink(missing_ok=True)
        chunk = read_chunk(connection, target, plan)
        if chunk[:2] != (first, len(matrix)):
            raise ValueError(f"path must be new or hold the reports of these workers, got path {path}")
        if not ours:
            for _ in read_blocks(connection, chunk, plan):
                pass  # this raises if the file is not whole
    return target


def block_source(first_worker: int, rng: Rng) -> np.random.Generator:
    """Source of randomness of one block: it differs between first workers; the same seed gives it again."""
    return np.random.default_rng([int(generator(rng).integers(2**63)), first_worker])


def _codes(
    matrix: Array, plan: ReportPlan, thresholds: ArrayLike | None, source: np.random.Generator | None
) -> NDArray[np.uint8]:
    """Threshold and symbol of each report as one number, shape (m, n); drawn for release without a source."""
    by_threshold = isinstance(plan.mechanism, ThresholdResponse)
    if by_threshold == (thresholds is None):
        raise ValueError(f"thresholds must be given for ThresholdResponse alone, got {thresholds!r:.80}")
    asked = [] if thresholds is None else [numeric("thresholds", thresholds)]
    mechanism: Any = plan.mechanism
    reports = np.asarray(mechanism.perturb(matrix, *asked, source))
    if asked:
        return report_codes(reports, asked[0], plan.domain).astype(np.uint8)
    return np.where(np.isnan(reports), len(plan.domain), reports - plan.domain[0]).astype(np.uint8)


def of_kind(name: str, value: T, kind: Any) -> T:
    """The value, refused if it is of another type."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {kind}, got {value!r:.80} of type {type(value).__name__}")
    return value


def local(name: str, path: str | Path) -> str | Path:
    """The path, refused if it is not on this machine (DuckDB reads others too) or is a ".part" file."""
    file = str(of_kind(name, path, str | Path))
    if "://" in file or "\0" in file or file != file.encode(errors="ignore").decode():
        raise ValueError(f"{name} must name files of this machine, got path {path!r:.200}")
    # Even a whole ".part" file may be a second draw, and a link can lead to it under another name.
    if any(Path(name).suffix == ".part" for name in (file, os.path.realpath(file))):
        raise ValueError(f"{name} must not lead to a .part file of a killed writer, got path {path!r:.200}")
    return path


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _duckdb() -> Any:
    with extra("scale"):
        import duckdb
    return duckdb


@contextmanager
def connected() -> Iterator[Any]:
    """DuckDB connection with one thread and little memory; what does not fit goes to a temporary folder."""
    with tempfile.TemporaryDirectory() as spilled:
        config: dict[str, Any] = {"threads": 1, "memory_limit": _MEMORY, "temp_directory": spilled}
        with _duckdb().connect(config=config) as connection:
            yield connection


def query(connection: Any, select: str, path: str | Path, *values: object) -> list[NDArray[Any]]:
    """Result columns of a query on one file, which is `$1`; the error names a file that cannot be read."""
    duckdb = _duckdb()
    try:
        if not Path(path).is_file():
            raise FileNotFoundError("no such file")
        file = glob.escape(os.path.abspath(path))
        return list(connection.execute(select, [file, *values]).fetchnumpy().values())
    except duckdb.OutOfMemoryException as error:  # the file may still be whole
        raise MemoryError(f"path {path} takes more than {_MEMORY} to read: {error}") from None
    except (duckdb.Error, OSError, ValueError) as error:
        told = str(error).partition("\n")[0]
        raise ValueError(f"paths must be whole Parquet files, got path {path}: {told:.200}") from None


def read_chunk(connection: Any, path: str | Path, plan: ReportPlan) -> Chunk:
    """Chunk that a file says it holds, refused if the file does not fit the plan."""
    select = "SELECT value FROM parquet_kv_metadata($1) WHERE key = 'ldpbook' ORDER BY value"
    (said,) = query(connection, select, path)
    names, kinds, *_ = query(connection, f"DESCRIBE SELECT * FROM {_ONE_FILE})", path)
    try:
        about = json.loads(said[0])
        first, n_workers = _integer("worker", about["first_worker"], 0), count("n", about["n_workers"])
        name, digest = of_kind("id", about["id"], str), of_kind("digest", about["digest"], str)
        told = {key: about[key] for key in plan.declared}
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        raise ValueError(f"paths must be files that write_reports wrote, got path {path}") from None
    # Compare as text, because in Python 1 equals 1.0 and True.
    fits = json.dumps(told) == json.dumps(plan.declared) and first + n_workers <= _LARGEST
    if not fits or dict(zip(names, kinds, strict=True)) != _COLUMNS:
        wanted = f"{plan.declared} in columns {list(_COLUMNS)}"
        raise ValueError(f"paths must hold {wanted}, got path {path} with {told} in {list(names)}")
    return Chunk(first, n_workers, name, digest, str(path))


def read_blocks(connection: Any, chunk: Chunk, plan: ReportPlan) -> Iterator[NDArray[np.uint8]]:
    """Blocks of the rows of a chunk's workers in turn: symbols, numbered after all those of lower thresholds.

    Raises unless the file is still this chunk, with one report of each worker to each task in the order in
    which they were written, and nothing else. The last check comes after the last block, so use no block
    before that.
    """
    n, n_rows = plan.n_tasks, chunk.n_workers * plan.n_tasks
    step, seen = max(1, _CELLS // n) * n, hashlib.sha256()
    # No ORDER BY is needed: rows come in the order of the file, and the digest would show if they did not.
    select = f"""
        SELECT threshold, symbol FROM {_ONE_FILE}, file_row_number = true)
        WHERE file_row_number >= $2 AND file_row_number < $3
            AND task < $5 AND (worker - $4) * $5 + task = file_row_number"""
    same = read_chunk(connection, chunk.file, plan) == chunk
    (found,) = query(connection, f"SELECT count(*) AS n FROM {_ONE_FILE})", chunk.file)
    if not same or found[0] != n_rows:
        wanted = f"{n_rows} reports of chunk {chunk.id}"
        raise ValueError(
            f"paths must hold {wanted}, got path {chunk.file} with {found[0]}, or with another chunk"
        )
    for start in range(0, n_rows, step):
        end = min(start + step, n_rows)
        slots = query(connection, select, chunk.file, start, end, chunk.first_worker, n)
        if len(slots[0]) != end - start:
            wanted = "one report of each worker to each task, in their order"
            raise ValueError(f"paths must hold {wanted}, got path {chunk.file} with others")
        for slot, size in zip(slots, plan.shape[::2], strict=True):
            strange = ~np.ma.filled(slot < size, False)  # NULL is masked
            if strange.any():
                what = f"got path {chunk.file} with {slot[strange][0]}"
                raise ValueError(f"paths must hold thresholds and symbols that the plan has, {what}")
        codes = np.asarray(slots[0] * np.uint8(plan.shape[2]) + slots[1])
        seen.update(codes.tobytes())
        yield codes.reshape(-1, n)
    if seen.hexdigest() != chunk.digest:
        raise ValueError(f"paths must hold all reports as written, got path {chunk.file} with others")
