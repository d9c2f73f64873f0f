"""The three trees of the book, its package and its tests fit together, and stay small."""

import ast
import importlib
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from lines import code_lines
from toc import CHAPTERS, ROOT, public_modules

import ldpbook
from ldpbook._lazy import PARTS

MODULES = {
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"): path
    for path in (ROOT / "ldpbook").rglob("*.py")
}
APPARATUS = {"array_exercises", "claims", "exercises", "problems", "runs", "figures", "schematics"}


def imported(path: Path, *, everywhere: bool = True) -> set[str]:
    """Modules of the package that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ldpbook":
            below = {f"{node.module}.{alias.name}" for alias in node.names} & set(MODULES)
            names |= below or {node.module}
    return names


def test_parts_are_the_same_in_the_three_trees():
    in_book = list(dict.fromkeys(page.split("/")[1].replace("-", "_") for page in CHAPTERS))
    assert in_book == list(PARTS)
    in_package = {path.parent.name for path in (ROOT / "ldpbook").glob("*/__init__.py")}
    assert in_package == {*PARTS, "datasets", "teaching"}
    assert {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")} == {
        *PARTS,
        "datasets",
        "extension",
        "peers",
        "site",
        "teaching",
    }


def test_every_module_has_tests_of_its_name_and_every_test_a_module():
    modules = {
        name.replace(".", "/") for name in public_modules() if name != "mechanism"
    }  # that one by test_mechanisms.py
    found = {
        path.relative_to(ROOT / "tests").with_name(path.stem.removeprefix("test_")).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if not {"extension", "peers", "site"} & set(path.parts)
    }
    across = {path.stem.removeprefix("test_") for path in (ROOT / "tests").glob("test_*.py")}
    assert modules - found == set(), "modules without tests"
    assert found - across - modules - {"class_ratios/closed_forms_dirichlet"} == set(), (
        "tests without a module"
    )


def test_no_arrow_runs_upwards_and_there_is_no_circle():
    floors = {
        part: floor
        for floor, part in enumerate(["datasets", *PARTS, "guide", *sorted(APPARATUS), "teaching"])
    }
    graph = {name: imported(path) - {"ldpbook", name} for name, path in MODULES.items()}
    for name, below in graph.items():
        home = name.split(".")[1] if "." in name else ""
        for other in below:
            there = other.split(".")[1]
            assert floors.get(there, -1) <= floors.get(home, -1) or home == "", f"{name} imports {other}"
            if home == there and other.rsplit(".", 1)[-1] in APPARATUS:
                assert {"claims", "exercises"} & set(name.split(".")[2:]), f"{name} imports {other}"
    list(TopologicalSorter(graph).static_order())


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


def test_everything_public_can_be_imported_from_its_part_and_from_the_top():
    for name in public_modules():
        module = importlib.import_module(f"ldpbook.{name}")
        home = name.rpartition(".")[0]
        if home in PARTS:
            part = importlib.import_module(f"ldpbook.{home}")
            assert getattr(ldpbook, home) is part
            assert home in dir(ldpbook)
            for public in module.__all__:
                assert getattr(part, public) is getattr(ldpbook, public) is getattr(module, public)
                assert public in dir(part)
                assert public in dir(ldpbook)
    assert set(dir(ldpbook)) == set(ldpbook.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ldpbook.nothing


@pytest.mark.parametrize(
    "module", sorted(name for name in MODULES if name.endswith("bounds") and ".claims." not in name)
)
def test_bounds_need_the_standard_library_only(module):
    """Run with numpy, scipy and pandas blocked, as in a browser that has not loaded them."""
    code = f"import sys; sys.modules.update(dict.fromkeys(['numpy', 'scipy', 'pandas'])); import {module}"
    subprocess.run([sys.executable, "-c", code], check=True)
