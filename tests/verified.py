"""Skip subjects that have passed and have not changed: a plugin of `make test`.

A subject is a file that pytest collects (a chapter, a file of tests, a module with doctests) or a kept run.
After a run in which all of a subject passed, a record of it is written to the user's cache: the subject's
dependencies, with a digest of each, and a digest of the environment. A later run skips a subject if its
record says that nothing has changed.

* A chapter depends on its notebook, on the modules of the book that its kernel had loaded at its end, and on
  the files of the book and of the data that the kernel opened. The kernel reports these files.
* A module with doctests depends on the whole package.
* A file of tests depends on itself, on the helpers it imports and on the package. If one of these reads
  files or starts processes, it depends on the whole repository.

``--unchanged skip`` skips unchanged subjects, ``--unchanged run`` runs everything; both write records.
`.ci/run` and the workflows run everything. Without the option this plugin does nothing.
"""

import functools
import hashlib
import json
import os
import platform
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("ldpbook", "book/ldpcourse")
APART = {"_build", "build", "mutants", "node_modules", "__pycache__"}  # generated from the other files
REASON = "unchanged since it passed"
SLOW = "make test-slow"  # tests left to that command are skipped in every run of `make test`
LOOKS_AROUND = re.compile(r"\b(?:ROOT|Path|open|subprocess|import_module|__file__|load|getsource)\b")
SETTINGS = ("LDPBOOK_", "NPY_", "OPENBLAS_", "PYTHONHASHSEED")

# Run in a chapter's kernel before its first cell and after its last one.
WATCH = """
import sys
sys._opened = set()
sys.addaudithook(lambda event, given, seen=sys._opened: seen.add(given[0]) if event == "open" else None)
del sys
"""
TELL = """
def _tell(path):
    import json, os, sys
    loaded = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    opened = {os.path.abspath(os.fsdecode(name)) for name in sys._opened if isinstance(name, (str, bytes))}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(sorted(filter(None, loaded | opened)), file)
_tell(%r)
"""


def cache() -> Path:
    """The folder of the records: the user's, never the repository's."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "ldpbook" / "verified"


def files(folder: Path) -> Iterator[Path]:
    """All files below a folder that are written by hand, in a fixed order."""
    for entry in sorted(folder.iterdir()):
        if entry.name in APART or entry.name.endswith(".egg-info"):
            continue
        if entry.is_dir():
            if not entry.name.startswith(".") or entry.name in {".ci", ".github", ".binder"}:
                yield from files(entry)
        else:
            yield entry


@functools.cache
def digest(name: str, root: Path = ROOT) -> str:
    """SHA-256 of a file or of all files below a folder, both named from the repository; "absent" if none."""
    path = root / name
    if path.is_dir():
        parts = "".join(f"{file.relative_to(path).as_posix()} {digest(str(file))}\n" for file in files(path))
        return hashlib.sha256(parts.encode()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "absent"


@functools.cache
def environment(root: Path = ROOT) -> str:
    """Digest of the common dependencies of all results: Python, processor, packages, lock and settings."""
    processor = Path("/proc/cpuinfo")
    flags = re.search(r"^flags.*$", processor.read_text(), re.MULTILINE) if processor.exists() else None
    told = [
        str(root),
        sys.version,
        platform.platform(),
        flags[0] if flags else platform.processor(),
        *sorted(f"{found.name} {found.version}" for found in distributions()),
        *sorted(f"{k}={v}" for k, v in os.environ.items() if k.startswith(SETTINGS)),
        digest("requirements.txt", root),
        digest("conftest.py", root),
        digest("tests/verified.py", root),
    ]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def _file(subject: str) -> Path:
    place = hashlib.sha256(f"{ROOT} {subject}".encode()).hexdigest()
    return cache() / f"{place}.json"


def _sealed(record: dict[str, Any]) -> str:
    """The digest that a record carries of itself."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def records() -> tuple[dict[str, dict[str, str]], int]:
    """The dependencies of each subject with a record of this environment, and the number of invalid files."""
    found, broken = {}, 0
    for path in sorted(cache().glob("*")) if cache().is_dir() else ():
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            seal = record.pop("seal")
            if seal != _sealed(record):
                raise ValueError(path)
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            broken += 1
            continue
        if record["environment"] == environment():
            found[record["subject"]] = record["rests_on"]
    return found, broken


def write(subject: str, rests_on: dict[str, str]) -> None:
    """Replace the record of a subject in one step, so that no process reads half of it."""
    record: dict[str, Any] = {"environment": environment(), "subject": subject, "rests_on": rests_on}
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=cache(), delete=False, encoding="utf-8") as file:
        json.dump(record | {"seal": _sealed(record)}, file)
    os.replace(file.name, _file(subject))


def unchanged(rests_on: dict[str, str]) -> bool:
    return all(digest(name) == was for name, was in rests_on.items() if not name.startswith("code "))


@functools.cache
def _imported(path: Path) -> tuple[Path, ...]:
    """A file of tests and all helpers in tests that it imports, directly or not."""
    names = re.findall(r"^(?:from|import) ([\w.]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    helpers = (ROOT / "tests" / f"{name.replace('.', '/')}.py" for name in names)
    return (path, *(file for helper in helpers if helper.is_file() for file in _imported(helper)))


def parts_of(path: Path) -> list[str]:
    """The dependencies of a Python file."""
    if any(path.is_relative_to(ROOT / package) for package in PACKAGES):
        return [*PACKAGES]
    if not path.is_relative_to(ROOT / "tests"):
        return ["."]
    read = {*_imported(path), ROOT / "tests" / "conftest.py"}
    if any(LOOKS_AROUND.search(file.read_text(encoding="utf-8")) for file in _imported(path)):
        return ["."]
    return [*PACKAGES, *sorted(file.relative_to(ROOT).as_posix() for file in read)]


def _of_the_book(names: Iterable[str]) -> list[str]:
    """Those files reported by a kernel that belong to the book or to its data."""
    data = [Path(os.environ[key]).resolve() for key in ["LDPBOOK_DATA"] if os.environ.get(key)]
    data.append(cache().parent)
    found = set()
    for path in map(Path, names):
        if path.suffix == ".pyc" or "__editable__" in path.name or path.is_relative_to(cache()):
            continue
        if path.is_relative_to(ROOT):
            name = path.relative_to(ROOT)
            if not APART & set(name.parts) and not name.parts[0].startswith("."):
                found.add(name.as_posix())
        elif any(path.is_relative_to(folder) for folder in data):
            found.add(str(path))
    return sorted(found)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--unchanged", choices=["skip", "run"], help="what has passed and has not changed")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("unchanged"):
        config.pluginmanager.register(Verified(config), "left out")


@pytest.fixture
def unless_verified(request):
    """Function of a subject and its digests that skips the test if the subject has passed with them."""

    def check(subject: str, rests_on: dict[str, str]) -> None:
        plugin = request.config.pluginmanager.get_plugin("left out")
        if plugin and plugin.left_out.get(subject) == rests_on:
            pytest.skip(REASON)
        request.node.user_properties.append(("verified", (subject, rests_on)))

    return check


class Verified:
    """The skipped subjects of a run, and those that passed in it."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        worker = getattr(config, "workerinput", None)
        self.broken = 0
        # The process that distributes the work decides which subjects are skipped, so that all workers agree.
        self.left_out: dict[str, dict[str, str]] = worker["left_out"] if worker else {}
        if not worker:
            self.before = digest(".")
            kept, self.broken = records()
            if config.getoption("unchanged") == "skip":
                self.left_out = {
                    subject: rests_on for subject, rests_on in kept.items() if unchanged(rests_on)
                }
        self.expected: Counter[str] = Counter()
        self.passed: Counter[str] = Counter()
        self.spoilt: set[str] = set()
        self.rests_on: dict[str, list[str]] = {}
        self.runs: dict[str, dict[str, str]] = {}
        self.last: dict[str, str] = {}

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["left_out"] = self.left_out

    def pytest_report_header(self) -> list[str]:
        lines = []
        if self.broken:
            lines.append(f"{self.broken} files in {cache()} are no records of verified files: ignored")
        if self.left_out:
            chapters = sum(subject.endswith(".ipynb") for subject in self.left_out)
            others = sum(subject.endswith(".py") for subject in self.left_out)
            told = f"{chapters} chapters and {others} files of Python"
            lines.append(
                f"{told} are {REASON.replace('it', 'they')}: not run again (make test ALL=1 runs all)"
            )
        return lines

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        if collection_path.is_relative_to(ROOT):
            return collection_path.relative_to(ROOT).as_posix() in self.left_out or None
        return None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            name = item.path.relative_to(ROOT).as_posix()
            self.expected[name] += 1
            self.last[name] = item.nodeid

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """A file of which some tests are left out, by whatever option, has not passed as a whole."""
        self.spoilt.update(item.path.relative_to(ROOT).as_posix() for item in items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        client = getattr(getattr(item.parent, "kernel", None), "kc", None)
        if client and getattr(item, "cell_num", None) == 0:
            _ask(client, WATCH)
        try:
            return (yield)
        finally:
            name = item.path.relative_to(ROOT).as_posix()
            if client and item.nodeid == self.last[name] and item.parent.kernel.is_alive():
                with tempfile.TemporaryDirectory() as folder:
                    told = Path(folder) / "told.json"
                    _ask(client, TELL % str(told))
                    if told.exists():
                        rests_on = [name, *_of_the_book(json.loads(told.read_text(encoding="utf-8")))]
                        item.user_properties.append(("rests on", rests_on))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.partition("::")[0]
        for key, value in report.user_properties if report.when == "teardown" else ():
            if key == "rests on":
                self.rests_on[name] = value
            elif key == "verified" and not report.failed:
                self.runs[report.nodeid] = value
        if report.skipped and not any(reason in str(report.longrepr) for reason in (REASON, SLOW)):
            self.spoilt.add(name)  # data missing today may be available tomorrow
        elif report.failed:
            self.spoilt |= {name, report.nodeid}
        elif report.when == "call" or report.skipped:
            self.passed[name] += 1

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(self.config, "workeroutput", None)
        if output is not None:
            output["expected"], output["spoilt"] = dict(self.expected), sorted(self.spoilt)
            return
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.left_out:
            session.exitstatus = pytest.ExitCode.OK
        if any("::" in given for given in self.config.args):
            return  # part of a file does not represent the whole
        digest.cache_clear()
        if digest(".") != self.before:
            return  # a file was edited meanwhile, so it is unknown which text has passed
        for node, (subject, rests_on) in self.runs.items():
            if node not in self.spoilt:
                write(subject, rests_on)
        for name, count in self.expected.items():
            if self.passed[name] != count or name in self.spoilt:
                continue
            path = ROOT / name
            chapter = path.suffix == ".ipynb"
            if not chapter or name in self.rests_on:
                rests_on = self.rests_on[name] if chapter else parts_of(path)
                write(name, {part: digest(part) for part in rests_on})

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", {})
        self.expected |= Counter(output.get("expected", {}))
        self.spoilt.update(output.get("spoilt", ()))


def _ask(client: Any, code: str) -> None:
    client.execute_interactive(code, silent=True, store_history=False, timeout=60, output_hook=lambda _: None)
