"""Reports on disk: a crowd perturbed in blocks of workers, one Parquet file a block, each perturbed once.

A file says of itself what it holds, so that nothing is counted as what it is not. Needs DuckDB, which
reads and writes the files; it is imported when the first one is touched.
"""

import glob
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, Rng, numeric
from ldpbook._extras import extra
from ldpbook._validate import _integer, count, integer_domain
from ldpbook.remedies.smaller_question import ThresholdResponse, question_thresholds
from ldpbook.remedies.who_is_careful import report_codes
from ldpbook.sparse_answers.randomized_response import RandomizedResponse

__all__ = ["ReportPlan", "write_reports"]

_COLUMNS = {"worker": "UINTEGER", "task": "UINTEGER", "threshold": "UTINYINT", "symbol": "UTINYINT"}
T = TypeVar("T")

_LARGEST = 2**32  # what 32 bits number
_MEMORY = "128MB"  # of one connection, beyond which DuckDB spills


@dataclass(frozen=True)
class ReportPlan:
    r"""What a crowd is asked, and how it answers: what every file of reports has to say of itself.

    A report is the number of a symbol. By randomized response: the place of the answer in the domain, NULL
    last. By threshold response: 0 (not above), 1 (above) or 2 (NULL), beside the number of the public
    threshold among `question_thresholds`. Every worker reports on every task, NULL included.

    Parameters
    ----------
    mechanism : RandomizedResponse or ThresholdResponse
        What perturbs: epsilon-cell LDP for every pair of neighbours, NULL included; for a worker whose row
        changes in k cells k epsilon.
    domain : sequence of int
        The answer domain without NULL: that of randomized response, at most 254 integers; for thresholds 2
        to 21.
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
            raise TypeError(f"mechanism must be one of the two that a plan takes, got {self.mechanism!r:.80}")
        elif self.domain != integer_domain(self.mechanism.domain) or len(self.domain) > 254:
            raise ValueError(f"domain must be the mechanism's, at most 254 integers, got {self.domain!r:.80}")
        if count("n_tasks", self.n_tasks) > _LARGEST:
            raise ValueError(f"n_tasks must be at most 2^32, got {self.n_tasks}")

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of thresholds (1 without any), tasks and symbols: the shape of all counts."""
        if isinstance(self.mechanism, ThresholdResponse):
            return len(self.domain) - 1, self.n_tasks, 3
        return 1, self.n_tasks, len(self.domain) + 1

    @property
    def declared(self) -> dict[str, Any]:
        """What a file must say to be counted under this plan."""
        about = {"format": 1, "mechanism": type(self.mechanism).__name__, "n_tasks": int(self.n_tasks)}
        ends = [self.domain[0], self.domain[-1]]
        return {**about, "epsilon": float(self.mechanism.epsilon), "domain": ends}


class Chunk(NamedTuple):
    """Whose reports a file holds, and the name of the one time that they were drawn."""

    first_worker: int
    n_workers: int
    id: str
    digest: str  # of the counts that the file gives: a bit that flips in it is noticed
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

    A file that is there already is kept, and nothing is drawn: two draws on one cell cost 2 epsilon. The
    file appears under its name when it is whole. What a killed writer leaves ends in ".part": delete it
    unread, as the next call draws again. Of two writers of one file the later one's draw is deleted.

    Parameters
    ----------
    path : str or Path
        Where to write, in a folder that exists.
    answers : array_like, shape (m, n)
        Answers of the block, nan = NULL, within the domain; each worker has answered something.
    plan : ReportPlan
        Mechanism, domain and number of tasks.
    first_worker : int
        Number of the first worker of the block, >= 0; the others follow. Blocks must not overlap.
    thresholds : array_like, shape (), (n,) or (m, n), optional
        For threshold responses: which of `question_thresholds` each cell is asked.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default, the only right choice where
        answers are to be private.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        If the file is there and holds anything but reports of these workers under this plan.
    OSError
        If it cannot be written: the folder is missing, the disk full or without hard links.

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
    target, matrix = of_kind("path", path, str | Path), numeric("answers", answers)
    n = of_kind("plan", plan, ReportPlan).n_tasks
    first = _integer("first_worker", first_worker, 0)
    if matrix.ndim != 2 or matrix.shape[1] != n or first + len(matrix) > _LARGEST:
        raise ValueError(f"answers must be of up to 2^32 workers and {n} tasks, got shape {matrix.shape}")
    duckdb = _duckdb()
    with connected() as connection:
        if not Path(target).exists():
            codes = _codes(matrix, plan, thresholds, rng)
            threshold, symbol = np.divmod(codes, np.uint8(plan.shape[2]))
            index = np.indices(matrix.shape, dtype=np.uint32)
            columns: list[NDArray[Any]] = [index[0] + np.uint32(first), index[1], threshold, symbol]
            flat = {name: column.ravel() for name, column in zip(_COLUMNS, columns, strict=True)}
            connection.register("reports", flat)
            slots = np.ravel_multi_index((flat["threshold"], flat["task"], flat["symbol"]), plan.shape)
            counts = np.bincount(slots, minlength=prod(plan.shape))
            said = Chunk(first, len(matrix), uuid4().hex, digest(counts), Path(path).name)
            about, part = json.dumps({**said._asdict(), **plan.declared}), f"{path}.{said.id}.part"
            options = f"FORMAT parquet, COMPRESSION zstd, KV_METADATA {{ldpbook: {_quoted(about)}}}"
            try:
                connection.execute(f"COPY reports TO {_quoted(part)} ({options})")
                os.link(part, target)  # unlike a renaming, it fails where another writer was first
            except FileExistsError:
                pass
            except duckdb.Error as error:
                raise OSError(f"path {path} could not be written: {error}") from None
            finally:
                Path(part).unlink(missing_ok=True)
        if read_chunk(connection, target, plan)[:2] != (first, len(matrix)):
            raise ValueError(f"path must be new or hold the reports of these workers, got path {path}")
    return Path(target)


def _codes(matrix: Array, plan: ReportPlan, thresholds: ArrayLike | None, rng: Rng) -> NDArray[np.uint8]:
    """Thresholds and symbols as one number, shape (m, n)."""
    by_threshold = isinstance(plan.mechanism, ThresholdResponse)
    if by_threshold == (thresholds is None):
        raise ValueError(f"thresholds must be given for ThresholdResponse alone, got {thresholds!r:.80}")
    if isinstance(plan.mechanism, RandomizedResponse):
        reports = plan.mechanism.perturb(matrix, rng)
        return np.where(np.isnan(reports), len(plan.domain), reports - plan.domain[0]).astype(np.uint8)
    asked = numeric("thresholds", thresholds)
    told = np.asarray(plan.mechanism.perturb(matrix, asked, rng))
    return report_codes(told, asked, plan.domain).astype(np.uint8)


def of_kind(name: str, value: T, kind: Any) -> T:
    """The value, if it is of such a type."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {kind}, got {value!r:.80} of type {type(value).__name__}")
    return value


def digest(counts: NDArray[np.int64]) -> str:
    """A name that only these counts have, by threshold, task and symbol."""
    return hashlib.sha256(counts.astype("<i8").tobytes()).hexdigest()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _duckdb() -> Any:
    with extra("scale"):
        import duckdb
    return duckdb


@contextmanager
def connected() -> Iterator[Any]:
    """DuckDB on one thread and in little memory; what does not fit goes to a folder of its own."""
    with tempfile.TemporaryDirectory() as spilled:
        config: dict[str, Any] = {"threads": 1, "memory_limit": _MEMORY, "temp_directory": spilled}
        with _duckdb().connect(config=config) as connection:
            yield connection


def query(connection: Any, select: str, path: str | Path, *values: object) -> list[NDArray[Any]]:
    """Columns that a query on one file finds, which stands for `$1`; what DuckDB refuses names the file."""
    duckdb = _duckdb()
    try:
        if not Path(path).is_file():
            raise FileNotFoundError("no such file")
        return list(connection.execute(select, [glob.escape(str(path)), *values]).fetchnumpy().values())
    except (duckdb.Error, OSError, ValueError) as error:
        told = str(error).partition("\n")[0]
        raise ValueError(f"paths must be whole Parquet files, got path {path}: {told:.200}") from None


def read_chunk(connection: Any, path: str | Path, plan: ReportPlan) -> Chunk:
    """What a file says of itself, if it is what the plan says."""
    select = "SELECT value FROM parquet_kv_metadata($1) WHERE key = 'ldpbook' ORDER BY value"
    (said,) = query(connection, select, path)
    names, kinds, *_ = query(connection, "DESCRIBE SELECT * FROM read_parquet($1)", path)
    try:
        about = json.loads(said[0])
        first, n_workers = int(about["first_worker"]), int(about["n_workers"])
        chunk = Chunk(first, n_workers, str(about["id"]), str(about["digest"]), str(path))
        told = {key: about[key] for key in plan.declared}
    except (ValueError, TypeError, KeyError, IndexError):
        raise ValueError(f"paths must be files that write_reports wrote, got path {path}") from None
    if told != plan.declared or dict(zip(names, kinds, strict=True)) != _COLUMNS:
        wanted = f"{plan.declared} in columns {list(_COLUMNS)}"
        raise ValueError(f"paths must hold {wanted}, got path {path} with {told} in {list(names)}")
    return chunk
