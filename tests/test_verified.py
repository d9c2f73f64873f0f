"""Passed subjects are skipped until a dependency changes: a small project, run by pytest."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
import verified
from toc import ROOT

MODULES = {
    "conftest.py": 'pytest_plugins = ["verified"]\n',
    "pytest.ini": "[pytest]\npythonpath = tests\naddopts = --doctest-modules --import-mode=importlib\n",
    "requirements.txt": "numpy==2.0\n",
    # Optional imports of nbval that are not needed here and take seconds.
    **{f"{name}.py": "raise ImportError\n" for name in ("isoduration", "rfc3987_syntax")},
    "ldpbook/__init__.py": "",
    "ldpbook/near.py": 'def near():\n    """Near.\n\n    >>> near()\n    2\n    """\n    return 2\n',
    "ldpbook/far.py": "from ldpbook import near\n\n\ndef far():\n    return near.near() + 1\n",
    "ldpbook/data/told.txt": "5\n",
    "tests/helper.py": "TWO = 2\n",
    "tests/conftest.py": "",
    "tests/test_near.py": "from helper import TWO\n\nfrom ldpbook import near\n\n\n"
    "def test_near():\n    assert near.near() == TWO\n",
    "tests/test_pages.py": "from pathlib import Path\n\n\n"
    "def test_pages():\n    assert Path(__file__).parents[1].joinpath('book').is_dir()\n",
}
CHAPTERS = {
    "near": ("from ldpbook import near\nnear.near(), open('../ldpbook/data/told.txt').read()", "(2, '5\\n')"),
    "far": ("from ldpbook import far\nfar.far()", "3"),
}
NBVAL = ("-p", "nbval", "--nbval", "--nbval-current-env")
PYTHON = {"ldpbook/near.py", "tests/test_near.py", "tests/test_pages.py"}
ALL = PYTHON | {f"book/{name}.ipynb" for name in CHAPTERS}


class Project:
    """A small book in a folder, with its own cache."""

    def __init__(self, root):
        self.root = root
        for name, text in MODULES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        shutil.copy(ROOT / "tests" / "verified.py", root / "tests")
        (root / "book").mkdir()

    def add_chapter(self, name):
        source, shown = CHAPTERS[name]
        cell = nbformat.v4.new_code_cell(source, id=name, execution_count=1)
        cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": shown}, execution_count=1)]
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), self.root / "book" / f"{name}.ipynb")

    @property
    def records(self):
        return self.root / ".cache" / "ldpbook" / "verified"

    def pytest(self, *options):
        """A run with only the requested plugins, because importing all installed ones takes seconds."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        paths = {"XDG_CACHE_HOME": str(self.root / ".cache"), "PYTHONPATH": str(self.root)}
        return subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider"),
                *(*options, "ldpbook", "book", "tests"),
            ],
            cwd=self.root,
            env=kept | paths | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

    def would_run(self, **settings):
        """The files that a run would not skip, according to the project's own copy of the plugin."""
        spec = importlib.util.spec_from_file_location("verified_copy", self.root / "tests" / "verified.py")
        plugin = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(plugin)
        with pytest.MonkeyPatch.context() as patch:
            for name, value in ({"XDG_CACHE_HOME": str(self.root / ".cache")} | settings).items():
                patch.setenv(name, value)
            found, self.broken = plugin.records()
            return ALL - {subject for subject, rests_on in found.items() if plugin.unchanged(rests_on)}


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A project of one chapter after a run in which everything passed, and that run."""
    project = Project(tmp_path_factory.mktemp("project"))
    project.add_chapter("near")
    assert project.would_run() == ALL
    return project, project.pytest(*NBVAL, "--unchanged", "skip")


@pytest.fixture(scope="module")
def grown(begun):
    """The project with a second chapter, which passed in its own run, and that run."""
    project, _ = begun
    project.add_chapter("far")
    return project, project.pytest(*NBVAL, "--unchanged", "skip")


@pytest.fixture(scope="module")
def green(grown):
    """The project after both runs: everything has passed."""
    return grown[0]


@pytest.fixture
def changed(green):
    """Change a file of the project for one test; with no new text it is removed."""
    before = {}

    def change(name, old, new):
        path = green.root / name
        before[path] = path.read_text()
        assert old in before[path]
        path.write_text(before[path].replace(old, new))

    yield change
    for path, text in before.items():
        path.write_text(text)


def test_everything_runs_without_records(begun):
    project, ended = begun
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "4 passed" in ended.stdout
    assert project.would_run() == {"book/far.ipynb"}


def test_new_chapter_and_repository_wide_tests_run(grown):
    project, ended = grown
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "1 chapters and 2 files of Python are unchanged" in ended.stdout
    assert "2 passed" in ended.stdout
    assert project.would_run() == set()
    assert len(list(project.records.iterdir())) == len(ALL)


def test_unchanged_project_runs_nothing_and_succeeds(green):
    ended = green.pytest(*NBVAL, "--unchanged", "skip")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "2 chapters and 3 files of Python are unchanged since they passed: not run again" in ended.stdout
    assert "no tests ran" in ended.stdout


def test_everything_runs_again_on_request(green):
    """Skipping is decided at collection, so running everything again would test nothing more."""
    assert "5 tests collected" in green.pytest(*NBVAL, "--unchanged", "run", "--collect-only").stdout


@pytest.mark.parametrize(
    ("name", "old", "new", "again"),
    [
        ("ldpbook/near.py", "return 2", "return 1 + 1", PYTHON | {"book/near.ipynb", "book/far.ipynb"}),
        ("ldpbook/far.py", "+ 1", "+ 1 + 0", PYTHON | {"book/far.ipynb"}),
        ("ldpbook/data/told.txt", "5", "6", PYTHON | {"book/near.ipynb"}),
        ("book/near.ipynb", '"(2,', '"(7,', {"book/near.ipynb", "tests/test_pages.py"}),
        ("tests/helper.py", "2", "1 + 1", {"tests/test_near.py", "tests/test_pages.py"}),
        ("tests/test_near.py", "== TWO", "is TWO", {"tests/test_near.py", "tests/test_pages.py"}),
        ("requirements.txt", "2.0", "2.1", ALL),
        ("tests/verified.py", "A subject is", "Subject:", ALL),
    ],
    ids=lambda value: value if isinstance(value, str) and "/" in value else "",
)
def test_change_reruns_dependent_tests(green, changed, name, old, new, again):
    changed(name, old, new)
    assert green.would_run() == again


@pytest.mark.parametrize("setting", ["NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE", "LDPBOOK_DRAWS"])
def test_other_settings_run_everything(green, setting):
    assert green.would_run(**{setting: "other"}) == ALL


def test_failed_and_skipped_subjects_run_again(green, changed):
    changed("tests/helper.py", "2", "3")
    changed("tests/test_pages.py", "assert", "import pytest; pytest.skip('no data'); assert")
    assert green.pytest("--unchanged", "skip").returncode == 1
    assert {"tests/test_near.py", "tests/test_pages.py"} <= green.would_run()


LOOKS = ["ROOT / 'x'", "Path('x')", "open('x')", "subprocess.run(x)", "import_module('x')", "x(__file__)"]


@pytest.mark.parametrize("line", [*LOOKS, "load('x')", "getsource(x)"])
def test_lines_that_look_around_are_recognized(line):
    assert verified.LOOKS_AROUND.search(line)


def test_chapter_depends_on_data_outside_the_repository(monkeypatch, tmp_path):
    monkeypatch.setenv("LDPBOOK_DATA", str(tmp_path))
    told = [str(tmp_path / "crowd.csv"), "/usr/lib/other.py"]
    assert verified._of_the_book(told) == [str(tmp_path / "crowd.csv")]


@pytest.mark.parametrize("content", [b"", b'{"subject": "boo', b"[]", b'{"seal": "0"}', b"\xff\xfe\x00"])
def test_invalid_record_files_are_ignored(green, content):
    record = min(green.records.iterdir())
    subject, whole = json.loads(record.read_text())["subject"], record.read_bytes()
    record.write_bytes(content)
    try:
        assert green.would_run() == {subject}
        assert green.broken == 1
    finally:
        record.write_bytes(whole)


def test_invalid_record_files_are_reported(green):
    other = green.records / "notes.txt"
    other.write_text("not ours")
    ended = green.pytest("--unchanged", "skip", "--collect-only")
    other.unlink()
    assert "1 files in" in ended.stdout
    assert "are no records of verified files: ignored" in ended.stdout


def test_a_record_that_was_edited_is_ignored(green):
    record = min(green.records.iterdir())
    whole = record.read_text()
    told = json.loads(whole)
    record.write_text(json.dumps(told | {"rests_on": {}}))
    try:
        assert green.would_run() == {told["subject"]}
    finally:
        record.write_text(whole)


def test_two_runs_at_once_leave_whole_records(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rests_on = {f"file {k}": "0" * 64 for k in range(200)}
    verified.environment()  # once, not once a thread
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: verified.write(f"subject {k % 3}", rests_on), range(60)))
        for _ in range(20):
            found, broken = verified.records()
            assert broken == 0
    assert found == {f"subject {k}": rests_on for k in range(3)}


def test_kept_run_is_rerun_only_when_changed(request, unless_verified):
    """Without the option nothing is skipped, and the dependencies of the test are noted."""
    unless_verified("run planted", {"code f": "1"})
    assert ("verified", ("run planted", {"code f": "1"})) in request.node.user_properties


def test_tests_that_were_not_reached_run_again(green, changed):
    changed("tests/helper.py", "2", "3")
    changed("tests/test_pages.py", "assert", "assert True and")
    assert green.pytest("--unchanged", "skip", "-x").returncode == 1
    assert "tests/test_pages.py" in green.would_run()


@pytest.mark.parametrize(
    "option", [("-k", "test_near and not far"), ("--deselect", "tests/test_near.py::test_far")]
)
def test_selected_part_of_file_leaves_no_record(green, changed, option):
    changed("tests/test_near.py", "== TWO\n", "== TWO\n\n\ndef test_far():\n    assert near.near() == TWO\n")
    green.pytest("--unchanged", "skip", *option)
    assert "tests/test_near.py" in green.would_run()
