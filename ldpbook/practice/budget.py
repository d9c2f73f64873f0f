"""Privacy budgets: what each person has spent of her epsilon, in a file that is charged before each draw."""

import json
import os
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from numbers import Real
from pathlib import Path
from typing import Any

from ldpbook._validate import listed, non_negative, positive
from ldpbook.practice.reports import local, of_kind

__all__ = ["AlreadySpentError", "Budget"]

_FORMAT = "ldpbook budget 1"
Spent = dict[str, dict[str, Fraction]]  # by person and purpose


class AlreadySpentError(ValueError):
    """A worker has already spent on this purpose: release the reports kept from then, and draw nothing."""


@dataclass(frozen=True)
class Budget:
    """Limit on the epsilon that each person may spend over all calls, questions, phases and days.

    **Charge first, then draw.** A crash in between loses budget but never privacy. If every draw on a
    worker's answers is charged with an epsilon that holds for everything it draws on, all draws together are
    limit-LDP **for the worker**: for any two lists of all the answers that she ever gives. Epsilons add up,
    even if calls are chosen by earlier reports, as long as none is chosen by answers. Deltas are not counted.

    Sums are exact. A float is read as the decimal number that is printed for it, so that ten times 0.1 is 1.
    This number may be smaller than the float by one part in 2^53. A `Fraction`, for mechanism and budget, is
    exact.

    The file says who was asked, for what purpose and at what epsilon, and nothing about answers. Protect it
    like the list of names; only its owner may read the file that `start` makes. If you lose it, restore an
    old copy or give it a second name by a hard link, spent budget becomes available again. Keep it on a disk
    of this machine. Processes that charge at the same time wait for each other by a file that ends in
    ".lock": never delete that file.

    Parameters
    ----------
    path : str or Path
        The file, in a folder that exists.
    limit : float or Fraction
        Largest epsilon for each person, finite and > 0; the same as in the file, if there is one.

    Notes
    -----
    Derived in: practice/scale

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     budget = Budget(f"{folder}/budget.json", limit=1)
    ...     budget.start()
    ...     budget.charge("Monday", ["Ann", 7], 0.4)
    ...     print(budget.spent("Ann"), budget.spent("Cem"))
    ...     budget.charge("Monday", ["Ann"], 0.4)
    Traceback (most recent call last):
    ldpbook.practice.budget.AlreadySpentError: purpose must be new, but workers[0] has spent on it: ...
    """

    path: str | Path
    limit: float | Fraction

    def __post_init__(self) -> None:
        # Otherwise a link would be replaced by a file, and the two names would have a budget each.
        path = Path(os.path.realpath(local("path", self.path)))
        if path.suffix in (".new", ".lock"):  # names of files that accompany another budget
            raise ValueError(f"path must not end in .new or .lock, got path {path}")
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "limit", _exact("limit", self.limit, positive))

    def start(self) -> None:
        """Make the file, in which no one has spent anything; a ValueError is raised if it exists."""
        with self._alone():
            if Path(self.path).exists():
                raise ValueError(f"path must be new, got path {self.path}")
            self._write({})

    def charge(self, purpose: str, workers: Iterable[Hashable], epsilon: float | Fraction) -> None:
        """Charge some people for the next draw: all of them or, with the errors below, no one.

        After any other error, such as a disk error or an interrupt, they may have been charged: see `spent`.

        Parameters
        ----------
        purpose : str
            Purpose of the draw; the same if a call is tried again.
        workers : iterable of labels
            Workers whose answers are used, each once: texts, numbers or tuples of these. 1 and 1.0 are the
            same worker; "1" is another, and two spellings of a name are two workers.
        epsilon : float or Fraction
            Epsilon that each spends for all her cells together, finite and >= 0; for example
            `accounts(...).worker.upper`.

        Raises
        ------
        AlreadySpentError
            If one of them has spent on this purpose.
        ValueError
            If one of them has less than `epsilon` left, or the file is missing or has another format or
            limit.
        """
        keys = [_key("workers", label) for label in listed("workers", workers)]
        cost = _exact("epsilon", epsilon)
        purpose = json.loads(json.dumps(of_kind("purpose", purpose, str)))  # as the file will hold it
        if len(set(keys)) < len(keys):
            raise ValueError("workers must be named once each, got one of them twice")
        with self._alone():
            spent = self._read()
            for k, key in enumerate(keys):
                if purpose in spent.setdefault(key, {}):
                    what = f"but workers[{k}] has spent on it: release the reports kept from then"
                    raise AlreadySpentError(f"purpose must be new, {what}")
                spent[key][purpose] = cost
            for k, key in enumerate(keys):
                if sum(spent[key].values()) > self.limit:
                    raise ValueError(f"epsilon must be at most what everyone has left, workers[{k}] has less")
            self._write(spent)

    def spent(self, worker: Hashable) -> Fraction:
        """Epsilon that a worker has spent; 0 if she is not in the file."""
        key = _key("worker", worker)
        return sum(self._read().get(key, {}).values(), Fraction())

    def _read(self) -> Spent:
        try:
            said = json.loads(Path(self.path).read_bytes(), object_pairs_hook=_named_once)
            limit, people = Fraction(said["limit"]), said["spent"].items()
            if any(_key("worker", json.loads(who)) != who for who in said["spent"]):
                raise ValueError  # with another spelling, the entry would never be found
            spent = {who: {why: Fraction(cost) for why, cost in own.items()} for who, own in people}
            if said["format"] != _FORMAT or any(cost < 0 for own in spent.values() for cost in own.values()):
                raise ValueError
        except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
            raise ValueError(f"path must be a budget that start has made, got path {self.path}") from None
        if limit != self.limit:
            raise ValueError(f"limit must be {limit}, as in path {self.path}, got {self.limit}")
        return spent

    def _write(self, spent: Spent) -> None:
        """Replace the file by a new one, which is on the disk before this returns."""
        people = {who: {why: str(cost) for why, cost in own.items()} for who, own in spent.items()}
        path = Path(self.path)
        mode = path.stat().st_mode if path.exists() else 0o600
        Path(f"{path}.new").unlink(missing_ok=True)  # left by a process that was killed
        with open(f"{path}.new", "w", encoding="ascii") as file:
            os.chmod(file.name, mode)
            json.dump({"format": _FORMAT, "limit": str(self.limit), "spent": people}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, self.path)
        if os.name == "posix":  # otherwise a power cut could bring the old file back
            folder = os.open(Path(self.path).parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one process in at a time. The system releases the lock when a process ends, however it ends."""
        with open(f"{self.path}.lock", "ab") as lock:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK, 1)
            else:
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                yield
            finally:
                if sys.platform != "win32":  # otherwise a child forked meanwhile would keep the lock
                    fcntl.flock(lock, fcntl.LOCK_UN)


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, refused if a name occurs twice, because Python would keep only the last."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def _exact(name: str, value: Any, checked: Callable[[str, float], float] = non_negative) -> Fraction:
    """The exact value of the number as it is printed."""
    written = repr(checked(name, value))
    exact = Fraction(value if isinstance(value, int | Fraction) else written)
    if exact < 0:  # so close to 0 that its float is -0.0
        raise ValueError(f"{name} must be a finite number >= 0, got {value!r:.80}")
    return exact


def _key(name: str, label: Any) -> str:
    """The label as JSON, with the same text for labels that are equal."""
    if isinstance(label, tuple | list):
        return f"[{', '.join(_key(name, part) for part in label)}]"
    is_number: bool = isinstance(label, Real)
    if is_number and -inf < label < inf:
        return json.dumps(int(label) if label == int(label) else float(label))
    if not isinstance(label, str):
        raise TypeError(f"{name} must be texts, numbers or tuples of them, got a {type(label).__name__}")
    return json.dumps(label)
