"""The trees of the book, its package and its tests correspond, and stay small."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from lines import code_lines
from toc import CHAPTERS, MODULES, PACKAGES, ROOT, public_modules

import ldpbook
from ldpbook._lazy import PARTS

LIBRARY = {name: path for name, path in MODULES.items() if name.split(".")[0] == "ldpbook"}
KINDS = ("ledger", "exercises", "problems", "runs")
LARGEST = 10_600  # lines of code of the library


def imported(path: Path) -> set[str]:
    """Modules of the two packages that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
            below = {f"{node.module}.{alias.name}" for alias in node.names} & set(MODULES)
            names |= below or {node.module}
    return names


def test_parts_are_the_same_in_the_three_trees():
    in_book = list(dict.fromkeys(page.split("/")[1].replace("-", "_") for page in CHAPTERS))
    assert in_book == list(PARTS)
    assert {path.parent.name for path in (ROOT / "ldpbook").glob("*/__init__.py")} == {*PARTS, "datasets"}
    tested = {path.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").glob("*/**/test_*.py")}
    assert tested == {*PARTS, "course", "datasets", "pages", "peers"}


@pytest.mark.parametrize("kind", KINDS)
def test_course_files_by_part_are_named_alike(kind):
    """Not every part has claims of others to judge; each has exercises and problems."""
    folder = PACKAGES["ldpcourse"] / kind
    found = {path.stem for path in folder.iterdir()} & {*PARTS}
    assert found == {*PARTS} if kind in ("exercises", "problems") else found


def test_modules_and_tests_share_their_names():
    modules = {name.removeprefix("ldpbook.").replace(".", "/") for name in public_modules()} - {"mechanism"}
    course = {
        name.replace("ldpcourse", "course", 1).replace(".", "/") for name in public_modules("ldpcourse")
    }
    found = {
        path.relative_to(ROOT / "tests").with_name(path.stem.removeprefix("test_")).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if not {"pages", "peers"} & set(path.parts)
    }
    assert modules | course <= found, "modules without tests"
    of_parts = {name for name in found if name.split("/")[0] in (*PARTS, "datasets") and "/" in name}
    assert of_parts - modules == {"class_ratios/closed_forms_dirichlet"}, "tests without a module"


def test_the_library_knows_nothing_of_the_course():
    """No file of the library contains the course's name, so no kind of import leads there."""
    files = [path for path in PACKAGES["ldpbook"].rglob("*.py*") if path.suffix in (".py", ".pyi")]
    assert [path for path in files if "ldpcourse" in path.read_text(encoding="utf-8")] == []


def test_imports_never_run_upwards_or_in_circles():
    """A part imports from those before it, in the order of the book."""
    floors = {part: floor for floor, part in enumerate(["datasets", *PARTS, "guide"])}
    graph = {name: imported(path) - {*PACKAGES, name} for name, path in MODULES.items()}
    for name in LIBRARY.keys() - {"ldpbook"}:
        home = name.split(".")[1]
        for other in graph[name]:
            assert floors.get(other.split(".")[1], -1) <= floors.get(home, -1), f"{name} imports {other}"
    list(TopologicalSorter(graph).static_order())


def test_the_library_is_small():
    assert sum(map(code_lines, LIBRARY.values())) <= LARGEST


def test_modules_are_short():
    lengths = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in MODULES.items()}
    assert {name: n for name, n in lengths.items() if n > 600} == {}


def test_lines_are_code_only(tmp_path):
    file = tmp_path / "module.py"
    file.write_text(
        '"""Doc\n\nmore."""\n\n# why\nx = 1\n\n\ndef f():\n    """Doc."""\n    return (\n        x\n    )\n'
    )
    assert code_lines(file) == 5


def test_a_name_has_one_meaning():
    homes: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, set()).add(name)
    homes.pop("main")  # the commands
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_everything_public_can_be_imported_from_its_part():
    for name in public_modules():
        module = importlib.import_module(name)
        home = name.removeprefix("ldpbook.").rpartition(".")[0]
        if home in PARTS:
            part = importlib.import_module(f"ldpbook.{home}")
            assert getattr(ldpbook, home) is part
            assert home in dir(ldpbook)
            for public in module.__all__:
                assert getattr(part, public) is getattr(module, public)
                assert public in dir(part)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ldpbook.nothing


def test_top_level_names_are_those_listed():
    page = (ROOT / "book" / "reference" / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- \{py:\w+\}`~?ldpbook\.[\w.]*?(\w+)` \w", page, re.MULTILINE)
    names = {name for name in ldpbook.__all__ if not inspect.ismodule(getattr(ldpbook, name))}
    assert sorted(listed) == sorted(names)
    assert len(names) <= 18
    assert set(ldpbook.__all__) - names == {*PARTS, "datasets", "guide", "mechanism"}


@pytest.mark.parametrize("module", sorted(name for name in LIBRARY if name.endswith("bounds")))
def test_bounds_need_the_standard_library_only(module):
    """Run with numpy, scipy and pandas blocked, as in a browser without them."""
    code = f"import sys; sys.modules.update(dict.fromkeys(['numpy', 'scipy', 'pandas'])); import {module}"
    subprocess.run([sys.executable, "-c", code], check=True)
