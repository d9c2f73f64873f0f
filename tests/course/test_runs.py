"""Long simulations: kept results belong to the current code, and are reproduced."""

import dataclasses
import json
import os
import re
from importlib.metadata import version
from types import SimpleNamespace

import pytest
from toc import ROOT
from verified import digest

from ldpcourse import runs
from ldpcourse.runs import Run, __main__ as command, is_current, kept as storage, run_entries, stored

RUNS = run_entries()
LOCK = (ROOT / "requirements.txt").read_text(encoding="utf-8")
PINS = re.findall(r"(?m)^(numpy|scipy|scikit-learn|quapy)==(\S+)", LOCK)
# `make keep` computed the kept results with the lock. Elsewhere sums round differently, and of equally good
# channels the solver may return another one: this is another draw of the same simulation,
# and only the size is compared.
KEPT_HERE = os.environ.get("NPY_DISABLE_CPU_FEATURES") and all(version(name) == pin for name, pin in PINS)
CLOSE = {"rel": 1e-6, "abs": 1e-9} if KEPT_HERE else {"rel": 0.3, "abs": 0.02}


@pytest.mark.parametrize("name", RUNS)
def test_the_code_has_not_changed_since(name):
    assert is_current(name), f"make keep RUN={name}"


def assert_found_again(name, k):
    """Assert that setting `k` of a run reproduces its kept row."""
    run, kept = RUNS[name], stored(name)
    try:
        again = run.row(k)
    except FileNotFoundError as error:  # fetched data may be unavailable
        pytest.skip(str(error)[:80])
    # A table has nan where a setting has no such result.
    assert {*kept.columns[kept.iloc[k].notna()]} == {*again}
    for column, x in again.items():
        assert kept[column][k] == (x if column in run.cells[k] else pytest.approx(x, **CLOSE))


def chosen(name):
    """One setting of a run, chosen by the hash of the code, so that it changes with the code."""
    return int(storage.code_hash(RUNS[name].cell), 16) % len(RUNS[name].cells)


class FoundAgain:
    """The settings of one run; one class per run, because workers divide the tests by class."""

    name = ""

    def test_one_setting_is_found_again(self, unless_verified):
        file = storage.file_of(self.name).relative_to(ROOT).as_posix()
        code = storage.code_hash(RUNS[self.name].cell)
        rests_on = {name: digest(name) for name in (file, "ldpbook/datasets")}
        unless_verified(f"run {self.name}", {f"code {self.name}": code, **rests_on})
        assert_found_again(self.name, chosen(self.name))


for name in [name for name in RUNS if not RUNS[name].slow]:  # slow runs are in tests/course/found_again.py
    globals()[f"Test {name}"] = type(f"Test {name}", (FoundAgain,), {"name": name})


def test_every_file_has_its_run():
    assert {path.stem for path in storage.STORED.iterdir()} == set(RUNS)


def test_other_names_are_refused():
    with pytest.raises(ValueError, match="name must be one of"):
        stored("nothing")
    with pytest.raises(ValueError, match="name must be one of"):
        is_current("nothing")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two modules and a lazy one, with the function whose code is hashed."""
    root = tmp_path / "ldpbook"
    (root / "lazy").mkdir(parents=True)
    (root / "__init__.pyi").write_text("from . import near as near\n")
    (root / "lazy" / "__init__.pyi").write_text("from .far import far as far\n")
    (root / "lazy" / "far.py").write_text("def far():\n    return 3 * len('#')\n")
    (root / "near.py").write_text("SCALE = 2\nOTHER = 1\n\n\ndef scale():\n    return SCALE\n")
    (root / "home.py").write_text(
        "from ldpbook import near\nfrom ldpbook.lazy import far\n\n\n"
        'def cell():\n    """Doc."""\n    # why\n    return near.scale() + far() + _helper()\n\n\n'
        "def _helper():\n    return 1\n\n\ndef unused():\n    return 4\n"
    )
    monkeypatch.setattr(storage, "FOLDERS", {"ldpbook": root})

    def changed(file, old, new):
        cell = SimpleNamespace(__module__="ldpbook.home", __name__="cell")
        text = (root / file).read_text()
        assert old in text
        storage._names.cache_clear()
        before = storage.code_hash(cell)
        (root / file).write_text(text.replace(old, new))
        storage._names.cache_clear()
        return storage.code_hash(cell) != before

    yield changed
    storage._names.cache_clear()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("home.py", "_helper()\n\n", "2 * _helper()\n\n"),
        ("home.py", "return 1", "return 2"),
        ("near.py", "SCALE = 2", "SCALE = 3"),
        ("near.py", "return SCALE", "return -SCALE"),
        ("lazy/far.py", "return 3", "return 4"),
        ("lazy/far.py", "'#'", "'##'"),
    ],
)
def test_code_that_is_run_changes_the_hash(package, file, old, new):
    assert package(file, old, new)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("home.py", "Doc.", "Other words."),
        ("home.py", "# why", "# because"),
        ("home.py", "_helper()\n\n", "_helper()  # why\n\n"),
        ("home.py", "return 4", "return 5"),
        ("near.py", "OTHER = 1", "OTHER = 2"),
        ("home.py", "    return 4\n", "    return 4\n\n\nLOOPS = [near for near in (1, 2)]\n"),
    ],
)
def test_other_code_does_not(package, file, old, new):
    assert not package(file, old, new)


def double(x):
    return {"twice": 2.0 * x}


DOUBLES = Run(name="doubles", cell=double, cells=({"x": 1}, {"x": 3}))


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """One run, kept in its own folder: the package of a repository."""
    (tmp_path / "_toc.yml").touch()
    monkeypatch.setitem(storage.FOLDERS, "ldpbook", tmp_path / "ldpbook")
    monkeypatch.setattr(storage, "STORED", tmp_path)
    monkeypatch.setattr(runs, "code_hash", lambda cell: "code")
    monkeypatch.setattr(runs, "entries_of", lambda part, _: (DOUBLES,) if part == "sparse_answers" else ())
    return tmp_path / "doubles.json"


def test_a_run_is_kept_and_read(kept, capsys):
    assert not is_current("doubles")
    command.main(["--write", "doubles"])
    assert is_current("doubles")
    assert stored("doubles").to_dict("list") == {"x": [1, 3], "twice": [2.0, 6.0]}
    assert capsys.readouterr().out == "doubles                     2 settings   current\n"


@pytest.mark.parametrize(
    ("old", "new"), [(': "code"', ': "other"'), ('"x": [1, 3]', '"x": [1, 4]'), ("double", "treble")]
)
def test_results_of_other_code_are_not_current(kept, old, new):
    command.main(["--write", "doubles"])
    text = kept.read_text()
    assert old in text
    kept.write_text(text.replace(old, new, 1))
    assert not is_current("doubles")
    with pytest.raises(SystemExit, match="the code of doubles has changed"):
        command.main([])


def test_settings_that_are_missing_are_not_current(kept):
    command.main(["--write", "doubles"])
    written = json.loads(kept.read_text())
    fewer = {name: column[:1] for name, column in written["columns"].items()}
    kept.write_text(json.dumps(written | {"columns": fewer}))
    assert not is_current("doubles")


def test_installed_package_stores_no_runs(kept, capsys):
    """It would write into site-packages, so it refuses before anything runs."""
    kept.with_name("_toc.yml").unlink()
    with pytest.raises(SystemExit, match="2"):
        command.main(["--write", "doubles"])
    assert "--write needs the book's repository" in capsys.readouterr().err
    assert not kept.exists()


def test_a_setting_that_is_slow_needs_a_reason(kept, monkeypatch):
    """The complaint comes after its results are kept, so that they are not lost."""
    monkeypatch.setattr(command, "LIMIT", -1.0)
    with pytest.raises(SystemExit, match=r"doubles is kept, but a setting took .* seconds"):
        command.main(["--write", "doubles"])
    assert is_current("doubles")
    slow = dataclasses.replace(DOUBLES, slow="it is doubled by hand")
    monkeypatch.setattr(runs, "entries_of", lambda part, _: (slow,) if part == "sparse_answers" else ())
    command.main(["--write", "doubles"])


def test_run_names_extras_for_all_imports():
    """The cell of a run names no extras, because its code is hashed."""

    def cell():
        raise ModuleNotFoundError("No module named 'quapy.method'", name="quapy.method")

    with pytest.raises(ImportError, match=r"^quapy is not installed: pip install 'ldpbook\[all\]'$"):
        Run(name="lacks", cell=cell, cells=({},)).row(0)
