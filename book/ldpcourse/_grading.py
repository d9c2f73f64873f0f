"""What others hand in, graded: each submission runs in a process of its own, which is ended in time.

The answers are functions, so what checks them runs in that process too, loaded before the submission is. What
that keeps apart: the grader never runs what was handed in, nor waits for it for ever, and one submission does
not disturb another. What it makes fail is the simple forgery: what is printed is thrown away, a result counts
only with a word that the grader sends after the submission has been loaded, and whatever was replaced in the
modules that check is put back and reported. It is no sandbox: code that sets out to can read files, find the
word on the stack, or compute the key with this package.
"""

import builtins
import csv
import json
import math
import os
import queue
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, TextIO

from ldpbook._lazy import PARTS
from ldpcourse._console import say
from ldpcourse._entries import entries_of, homes
from ldpcourse.exercises.exercise import KINDS, LABEL, BrokenKeyError, Property, fault_of

LARGEST = 10_000_000  # bytes of a submission: a notebook with its figures
_MOST_ANSWERS = 200
_STARTING = 120.0  # seconds until the checks are loaded, before anything that was handed in runs
KEPT = ("PATH", "SYSTEMROOT", "HOME", "USERPROFILE", "LOCALAPPDATA", "LANG", "LC_ALL", "LDPBOOK_DATA")
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from ldpcourse import _grading; _grading.serve(*sys.argv[2:])"
)
_RIGHT, _WRONG, _UNGRADED, _UNCHECKED = "1", "0", "x", "-"  # how a process tells a verdict


@dataclass(frozen=True)
class Limits:
    """What a submission may take: seconds to load and again for each answer, and megabytes."""

    seconds: int = 30
    megabytes: int = 2048


@dataclass(frozen=True)
class Submission:
    """A file that was handed in, and by whom."""

    student: str
    path: Path


@dataclass(frozen=True)
class Row:
    """What became of one answer, or of a whole submission (`exercise` is "") that could not be graded.

    No `score` where the package itself could not check.
    """

    student: str
    exercise: str
    score: int | None
    message: str
    graded: bool


# --- the grader


def submissions(paths: Sequence[Path], apart: Path | None = None) -> list[Submission]:
    """Each file, and what each folder holds: a file or a folder for each student; `apart` is none of it."""
    found: list[Submission] = []
    for path in paths:
        if not path.is_dir():
            found.append(Submission(path.stem, path))
            continue
        inside = [p for p in sorted(path.iterdir()) if _counts(p) and (apart is None or p.resolve() != apart)]
        stems = Counter(p.name if p.is_dir() else p.stem for p in inside)
        for p in inside:
            alone = not p.is_dir() and stems[p.stem] == 1
            found.append(Submission(p.stem if alone else p.name, p))
    return found


def _counts(path: Path) -> bool:
    return not path.name.startswith(".") and path.name != "__pycache__"


def read_submission(path: Path) -> tuple[Path, str]:
    """The file of a submission and its text; a ValueError says what is wrong with it.

    Links are not followed: they might lead to another student's answers, or to the instructor's.
    """
    if path.is_symlink():
        raise ValueError("it is a link, not a file")
    if path.is_dir():
        files = sorted(p for p in path.iterdir() if _counts(p) and p.suffix in (".py", ".ipynb"))
        if len(files) != 1 or files[0].is_dir():
            raise ValueError(f"the folder has {len(files)} files .py or .ipynb, where one is expected")
        return read_submission(files[0])
    if not path.is_file():
        raise ValueError("it is no file")
    if path.suffix not in (".py", ".ipynb"):
        raise ValueError("it is neither .py nor .ipynb")
    if path.stat().st_size > LARGEST:
        raise ValueError(f"it has more than {LARGEST / 1e6:g} MB and was not read")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except OSError as error:
        raise ValueError(f"it cannot be read: {error.strerror}") from None
    if not text.strip():
        raise ValueError("it is empty")
    return path, text


class _EndedError(Exception):
    """Why nothing more comes from a process."""


@dataclass(frozen=True)
class _Attempt:
    """What a process told before it ended: the names of all answers, cells that failed, verdicts, and why."""

    names: list[str] | None
    faults: list[str]
    verdicts: list[tuple[str, str]]
    end: str
    unknown: bool


def grade(submission: Submission, limits: Limits) -> list[Row]:
    """A row for each answer; an answer that ends the process costs a new one, which goes on with the next."""
    student = submission.student
    try:
        path, text = read_submission(submission.path)
    except (ValueError, OSError) as error:
        return [Row(student, "", 0, f"not graded: {plain(str(error))}", False)]
    first = _attempt(path.suffix, text, limits, 0, everything=False)
    if first.unknown:  # perhaps a name that is put together: then all checks have to be loaded before it
        first = _attempt(path.suffix, text, limits, 0, everything=True)
    if first.names is None:
        return [Row(student, "", 0, f"not graded: {first.end}", False)]
    rows = [Row(student, "", 0, f"not graded: {fault}", False) for fault in first.faults]
    verdicts, attempt = list(first.verdicts), first
    while len(verdicts) < len(first.names):
        verdicts.append((_UNGRADED, f"not graded: {attempt.end}"))
        if len(verdicts) < len(first.names):
            attempt = _attempt(path.suffix, text, limits, len(verdicts), everything=first.unknown)
            if attempt.names == first.names:
                verdicts += attempt.verdicts
    scores = {_RIGHT: 1, _UNCHECKED: None}
    return rows + [
        Row(student, name, scores.get(verdict, 0), message, verdict in (_RIGHT, _WRONG))
        for name, (verdict, message) in zip(first.names, verdicts, strict=True)
    ]


def _attempt(suffix: str, text: str, limits: Limits, start: int, *, everything: bool) -> _Attempt:
    """One process, asked for the answers from number `start` on."""
    word = secrets.token_hex(16)
    names: list[str] | None = None
    faults: list[str] = []
    verdicts: list[tuple[str, str]] = []
    begun, end, unknown = "", "it hands in other answers when it runs again", False
    with _process(suffix, text, limits, everything) as (line, send):
        try:
            if (begun := line(_STARTING)) != "ready":
                raise _EndedError(plain(begun))
            loaded = json.loads(line(limits.seconds))
            if "refused" in loaded:
                raise _EndedError(plain(loaded["refused"]))
            faults = [plain(str(fault)) for fault in loaded["faults"]][:_MOST_ANSWERS]
            names = [plain(str(name), 60) for name in loaded["names"]][:_MOST_ANSWERS]
            unknown = loaded["unknown"] is True and not everything
            if not unknown:
                send(f"{word} {start}\n")
                for k in range(start, len(names)):
                    told, number, verdict, message = line(limits.seconds).split(" ", 3)
                    if (told, number) != (word, str(k)):
                        raise ValueError
                    verdicts.append((verdict, plain(message)))
        except _EndedError as error:
            end = str(error) if begun else f"the checks could not be loaded: {error}"
        except (ValueError, TypeError, KeyError, RecursionError):
            end = "it writes where the grader reads"
    return _Attempt(names, faults, verdicts, end, unknown or everything)


@contextmanager
def _process(
    suffix: str, text: str, limits: Limits, everything: bool
) -> Iterator[tuple[Callable[[float], str], Callable[[str], None]]]:
    """A process that has the submission in a folder of its own: how to wait for a line, how to send one."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / f"answers{suffix}"
        file.write_text(text, encoding="utf-8", newline="")
        here, root = os.getcwd(), str(Path(__file__).parents[1])
        paths = [path for path in sys.path if (path and path != here) or path == root]
        paths += [] if root in paths else [root]  # not the folder one stands in: it may hold a numpy.py
        given = (json.dumps(paths), file, str(limits.seconds), str(limits.megabytes), str(int(everything)))
        process = subprocess.Popen(
            [sys.executable, "-I", "-X", "utf8", "-c", _START, *given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={name: os.environ[name] for name in KEPT if name in os.environ}
            | {"OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"},
            start_new_session=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        pipe, lines = process.stdout, queue.SimpleQueue[bytes]()

        def listen() -> None:
            for _ in range(2 * _MOST_ANSWERS):  # and no more, however much is written
                lines.put(line := pipe.readline(1_000_000))
                if not line:
                    return

        def line(seconds: float) -> str:
            try:
                told = lines.get(timeout=seconds)
            except queue.Empty:
                raise _EndedError(f"it did not end within {seconds:g} s") from None
            if not told:
                raise _EndedError(_how_it_ended(process, seconds))
            return told.decode(errors="replace").rstrip("\n")

        def send(text: str) -> None:
            with suppress(OSError):  # it ended: the next line says so
                process.stdin.write(text.encode())  # type: ignore[union-attr]
                process.stdin.flush()  # type: ignore[union-attr]

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            yield line, send
        finally:
            kill(process)
            listener.join(5)
            with suppress(OSError):
                process.stdin.close()
            if not listener.is_alive():
                pipe.close()


def _how_it_ended(process: "subprocess.Popen[bytes]", seconds: float) -> str:
    try:
        code = process.wait(1)
    except subprocess.TimeoutExpired:
        return "it closed what the grader reads from"
    if code == -getattr(signal, "SIGXCPU", math.inf):
        return f"it did not end within {seconds:g} s"
    return f"it ended its process ({signal.Signals(-code).name if code < 0 else f'exit code {code}'})"


def kill(process: "subprocess.Popen[bytes]") -> None:
    """The process and what it started."""
    if hasattr(os, "killpg") and process.returncode is None:  # not yet waited for
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def plain(text: str, most: int = 300) -> str:
    """One line without control characters, cut."""
    text = "".join(c if c.isprintable() else " " for c in text[: 2 * most])
    return text if len(text) <= most else text[: most - 3] + "..."


def cell(text: str) -> str:
    """As a spreadsheet shows it: what would start a formula there begins with an apostrophe."""
    return f"'{text}" if text.lstrip()[:1] in tuple("=+-@＝＋－＠") else text


def report(paths: Sequence[Path], csv_file: Path | None, limits: Limits) -> int:
    """Grade, print and write; 0 if all could be graded, else 1."""
    one = len(paths) == 1 and not paths[0].is_dir()
    totals: list[str] = []
    complete = True

    def tell(text: str) -> None:
        """A table that was asked for is finished, whether or not somebody reads along."""
        with suppress(SystemExit) if csv_file else nullcontext():
            say(text)

    with _table(csv_file) as file:
        table = csv.writer(file)
        table.writerow(["student", "exercise", "score", "message"])
        for submission in submissions(paths, csv_file.resolve() if csv_file else None):
            student = plain(submission.student, 60)
            if not one:
                tell(student)
            try:
                rows = grade(submission, limits)
            except OSError as error:  # no more processes, a full disk: no fault of the student's
                rows = [Row(student, "", None, f"not graded: {plain(str(error))}", False)]
            for row in rows:
                score = "" if row.score is None else row.score
                table.writerow([cell(student), cell(row.exercise), score, cell(row.message)])
                tell(f"{'' if one else '  '}{row.exercise or '-':24} {row.message}")
            file.flush()
            n_graded = sum(row.graded for row in rows)
            total = f"{sum(row.score or 0 for row in rows)} of {n_graded} right"
            left = "" if one or n_graded == len(rows) else f", {len(rows) - n_graded} not graded"
            totals.append(f"{total}{left}" if one else f"{student:24} {total}{left}")
            complete = complete and n_graded == len(rows)
    tell("\n".join(totals if one else ["", *totals]))
    return 0 if complete else 1


@contextmanager
def _table(file: Path | None) -> Iterator[TextIO]:
    """A table that takes its name when it is whole: the one before stays until then.

    What an interruption leaves is in the hidden file beside it.
    """
    if file is None or (file.exists() and not file.is_file()):  # a pipe is written to, a folder refused
        with open(file or os.devnull, "w", newline="", encoding="utf-8") as opened:
            yield opened
        return
    file = file.resolve()
    part = file.with_name(f".{file.name}.part")  # a hidden file is no submission
    with part.open("w", newline="", encoding="utf-8") as opened:
        if file.exists():
            shutil.copymode(file, part)
        yield opened
    part.replace(file)


# --- in the process of a submission


def serve(file: str, seconds: str, megabytes: str, everything: str) -> None:
    """Load the checks, then the submission, then wait for the grader's word and judge one answer by one."""
    inbox, outbox = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)

    def tell(line: str) -> None:
        rest = memoryview(line.encode("utf-8", "replace") + b"\n")
        while rest:
            rest = rest[os.write(outbox, rest) :]

    limit("RLIMIT_AS", int(megabytes) * 2**20)
    limit("RLIMIT_FSIZE", int(megabytes) * 2**20)
    limit("RLIMIT_CORE", 0)
    text = Path(file).read_text(encoding="utf-8")
    try:
        cells, faults = _code(Path(file).name, text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        tell(plain(f"it is no {'notebook' if file.endswith('.ipynb') else 'Python'}: {_told(error)}"))
        return
    checks = _checks(text, everything == "1")
    names: dict[str, Any] = vars(sys.modules.setdefault("answers", ModuleType("answers")))
    names |= {"__file__": file, "display": lambda *_, **__: None}
    handed_in: dict[str, tuple[Any, dict[str, Any]]] = {}
    exercises: Any = import_module("ldpcourse.exercises")

    def hand_in(exercise_id: str, answer: Any) -> Any:
        """`check` in a submission: what is handed in is judged later, with the names as they are now."""
        handed_in.pop(str(exercise_id), None)
        handed_in[str(exercise_id)] = answer, dict(names)
        return exercises.Result(True, "handed in")

    exercises.check = hand_in
    put_back = _guard()
    sys.addaudithook(_refuse)
    tell("ready")
    limit("RLIMIT_CPU", math.ceil(time.process_time()) + int(seconds) + 1)
    for where, code in cells:
        try:
            exec(code, names)
        except SystemExit:
            tell(json.dumps({"refused": f"{where}it calls exit"}))
            return
        except BaseException as error:  # whatever was handed in raises
            faults.append(f"{where}{_told(error)}")
            if file.endswith(".py"):
                tell(json.dumps({"refused": faults[-1]}))
                return
    answers = names.get("ANSWERS", {})
    if not isinstance(answers, dict) or not (answers or handed_in):
        told = "; ".join(["it has no dictionary ANSWERS, nor does it call check", *faults])
        tell(json.dumps({"refused": told}))
        return
    handed_in |= {_text(name): (answer, dict(names)) for name, answer in dict.items(answers)}
    told_names = list(handed_in)[:_MOST_ANSWERS]
    if len(handed_in) > _MOST_ANSWERS:
        faults.append(f"of its {len(handed_in)} answers all after the first {_MOST_ANSWERS}")
    unknown = any(name not in checks for name in told_names)
    replaced = put_back()
    tell(json.dumps({"names": [plain(n, 60) for n in told_names], "faults": faults, "unknown": unknown}))
    word, start = os.read(inbox, 100).decode().split()
    for k, name in list(enumerate(told_names))[int(start) :]:
        answer, then = handed_in[name]
        names.clear()
        names.update(then)
        limit("RLIMIT_CPU", math.ceil(time.process_time()) + int(seconds) + 1)
        verdict, message = _verdict(checks.get(name, "there is no such exercise"), answer)
        replaced = replaced or put_back()
        if replaced:
            verdict, message = _UNGRADED, f"not graded: it replaces {replaced}, which the checks use"
        tell(f"{word} {k} {verdict} {plain(message)}")


def limit(name: str, most: int) -> None:
    """Where the platform has it."""
    with suppress(ImportError, AttributeError, ValueError, OSError):
        resource: Any = import_module("resource")
        hard = resource.getrlimit(getattr(resource, name))[1]
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        # The seconds are counted again for each answer; the rest stays as it is.
        resource.setrlimit(getattr(resource, name), (soft, hard if name == "RLIMIT_CPU" else soft))


def _code(name: str, text: str) -> tuple[list[tuple[str, CodeType]], list[str]]:
    """What to run, with what to say before its faults; and the cells that are no Python."""
    if name.endswith(".py"):
        return [("", compile(text, name, "exec", dont_inherit=True))], []
    read = json.loads(text)
    cells = read.get("cells") if isinstance(read, dict) else None
    if not isinstance(cells, list) or not all(isinstance(each, dict) for each in cells):
        raise ValueError("it has no list of cells (notebook format 4)")
    code: list[tuple[str, CodeType]] = []
    faults: list[str] = []
    for k, each in enumerate(cells, start=1):
        if each.get("cell_type") != "code":
            continue
        source = each.get("source", "")
        source = "".join(map(str, source)) if isinstance(source, list) else str(source)
        try:
            code.append((f"cell {k}: ", _compiled(source, f"cell {k}")))
        except (SyntaxError, ValueError) as error:
            faults.append(f"cell {k}: {_told(error)}")
    return code, faults


def _compiled(source: str, name: str) -> CodeType:
    """A cell, if need be without the lines that only a notebook understands."""
    try:
        return compile(source, name, "exec", dont_inherit=True)
    except SyntaxError:
        lines = source.split("\n")
        kept = [line if line.lstrip()[:1] not in ("%", "!") else _instead(line) for line in lines]
        if kept == lines:
            raise
        return compile("\n".join(kept), name, "exec", dont_inherit=True)


def _instead(line: str) -> str:
    return line[: len(line) - len(line.lstrip())] + "pass"


def _checks(text: str, everything: bool) -> dict[str, tuple[Property, ...] | str]:
    """The properties of the exercises in the parts that the text names, or why there are none."""
    checks: dict[str, tuple[Property, ...] | str] = {}
    for kind in KINDS:
        written = homes(kind, LABEL)
        for part in PARTS:
            labels = [label for label, home in written.items() if home == part]
            if everything or any(label in text for label in labels):
                try:
                    checks |= {exercise.label: exercise.properties for exercise in entries_of(part, kind)}
                except ImportError as error:
                    checks |= dict.fromkeys(labels, str(error))
    return checks


def _verdict(properties: tuple[Property, ...] | str, answer: Any) -> tuple[str, str]:
    if isinstance(properties, str):
        missing = properties == "there is no such exercise"
        return _UNGRADED if missing else _UNCHECKED, f"not checked: {properties}"
    try:
        fault = fault_of(properties, _bare(answer))
    except BrokenKeyError as error:
        cause = error.__cause__
        return _UNCHECKED, f"not checked: {cause if isinstance(cause, ImportError) else error}"
    except SystemExit:
        return _WRONG, "not yet: the answer calls exit"
    except BaseException as error:  # KeyboardInterrupt, or an error that cannot even be printed
        return _WRONG, f"not yet: {_told(error)}"
    return (_WRONG, fault) if fault else (_RIGHT, "right")


def _bare(answer: Any) -> Any:
    """A number without what a class of its own says of comparisons: one that equals all others is none."""
    for kind in (float, int):
        if isinstance(answer, kind) and not isinstance(answer, bool):
            return kind.__add__(answer, kind(0))  # type: ignore[operator]
    return answer


def _text(name: object) -> str:
    try:
        return str(name)
    except BaseException as error:
        return f"({type(error).__name__})"


def _told(error: BaseException) -> str:
    return plain(f"{type(error).__name__}: {_text(error)}")


_REFUSED = frozenset(
    {
        *("os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.startfile"),
        *("subprocess.Popen", "pty.spawn", "os.kill", "os.killpg", "signal.pthread_kill"),
    }
)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook, which cannot be removed: no processes, none ended, no other code for a function."""
    if event in _REFUSED or (event == "object.__setattr__" and arguments[1] == "__code__"):
        raise PermissionError(f"{event} is not allowed in a submission")


def _guard() -> Callable[[], str]:
    """Puts back what was replaced since in the modules that check, and names it: "" if nothing was."""
    ours = [
        module for name, module in sys.modules.items() if name.partition(".")[0] in ("ldpbook", "ldpcourse")
    ]
    used = {id(m): m for each in ours for m in vars(each).values() if isinstance(m, ModuleType)}
    kept = [(each, dict(vars(each))) for each in ours]
    for module in (*used.values(), builtins):
        if module not in ours:
            found = {name: x for name, x in vars(module).items() if callable(x) or isinstance(x, ModuleType)}
            kept.append((module, found))

    def put_back() -> str:
        replaced = ""
        for module, before in kept:
            now = vars(module)
            for name, value in before.items():
                if name not in now or now[name] is not value:
                    now[name] = value
                    replaced = replaced or f"{module.__name__}.{name}"
        return replaced

    return put_back
