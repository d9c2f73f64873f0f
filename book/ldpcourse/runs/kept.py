"""Simulations that are too long for every test run: their results are kept, with a hash of their code."""

import ast
import functools
import hashlib
import io
import itertools
import json
import tokenize
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ldpbook
from ldpbook._validate import one_of
from ldpcourse._install import install

if TYPE_CHECKING:
    import pandas as pd

FOLDERS = {"ldpbook": Path(ldpbook.__file__).parent, "ldpcourse": Path(__file__).parents[1]}
STORED = Path(__file__).with_name("stored")
EVERY_EXTRA = "'ldpbook[all]'"  # packages that runs need: the same as for the book
LIMIT = 5.0  # seconds of processor time per setting


@dataclass(frozen=True, kw_only=True)
class Run:
    """A simulation and its settings.

    Attributes
    ----------
    name : str
        Name of the file that keeps the results.
    cell : callable
        Takes one setting as keywords, including a seed unless it is fixed inside; returns numbers by name.
    cells : tuple of dict
        The settings; each takes at most `LIMIT` seconds of processor time.
    slow : str
        Reason why a setting takes longer; empty if none does. `make test` does not run a slow one again,
        `make test-slow` does.
    """

    name: str
    cell: Callable[..., Mapping[str, float]]
    cells: tuple[Mapping[str, Any], ...]
    slow: str = ""

    def row(self, k: int) -> dict[str, Any]:
        """Setting `k` and its results, to ten significant digits."""
        # This is around the call and not in the cell, because the code that a cell imports is hashed.
        with install(EVERY_EXTRA):
            found = {name: float(f"{x:.10g}") for name, x in self.cell(**self.cells[k]).items()}
        return {**self.cells[k], **found}


def grid(**values: Iterable[Any]) -> tuple[dict[str, Any], ...]:
    """Settings: every combination, with the last name's values changing fastest."""
    return tuple(dict(zip(values, setting, strict=True)) for setting in itertools.product(*values.values()))


def file_of(name: str) -> Path:
    """File with the results of a run."""
    return STORED / f"{name}.json"


def stored(name: str) -> "pd.DataFrame":
    """The kept results of a run; ledger entries import it from here, chapters from `ldpcourse.runs`.

    Parameters
    ----------
    name : str
        Name of the run; `python -m ldpcourse.runs` lists them.

    Returns
    -------
    DataFrame
        One row per setting: the setting, then its results.

    Notes
    -----
    Derived in: reference/coverage
    """
    import pandas as pd

    names = sorted(path.stem for path in STORED.glob("*.json"))
    kept = json.loads(file_of(one_of("name", name, names)).read_text(encoding="utf-8"))
    return pd.DataFrame(kept["columns"])


def code_hash(function: Callable[..., Any]) -> str:
    """SHA-256 of all code of the package that a function may run, without docstrings and comments.

    The code is followed by name, one definition after another, not by module.
    """
    seen: dict[tuple[str, str], str] = {}
    wanted = [(function.__module__, function.__name__)]
    while wanted:
        there = wanted.pop()
        if there not in seen:
            seen[there], below = _definition(*there)
            wanted += below
    return hashlib.sha256("\n".join(seen[there] for there in sorted(seen)).encode()).hexdigest()


def _file(module: str) -> Path:
    """The file of a module; of a lazy package its stub, which says which module has a name."""
    package, *inside = module.split(".")
    path = FOLDERS.get(package, Path(package)).joinpath(*inside)
    files = path.with_suffix(".py"), path / "__init__.pyi", path / "__init__.py"
    return next((file for file in files if file.exists()), path)


@functools.cache
def _names(module: str) -> tuple[dict[str, list[ast.stmt]], dict[str, tuple[str, str]], list[str]]:
    """Statements that define each name of a module, its imports from the package, and its lines.

    Comments are cut from the lines.
    """
    text = _file(module).read_text(encoding="utf-8")
    tree = ast.parse(text)
    defined: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        # A comprehension's variable is not a name of the module. Otherwise every list of runs would count as
        # code of any function with a parameter of that name.
        loops = (part.target for part in ast.walk(node) if isinstance(part, ast.comprehension))
        own = {part for target in loops for part in ast.walk(target)}
        for part in [node] if isinstance(node, ast.FunctionDef | ast.ClassDef) else ast.walk(node):
            if isinstance(part, ast.FunctionDef | ast.ClassDef):
                defined.setdefault(part.name, []).append(node)
            elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part not in own:
                defined.setdefault(part.id, []).append(node)
    imports: dict[str, tuple[str, str]] = {}
    for found in ast.walk(tree):
        if isinstance(found, ast.ImportFrom):
            origin = f"{module}.{found.module or ''}".rstrip(".") if found.level else str(found.module)
            if origin.split(".")[0] in FOLDERS:
                imports |= {alias.asname or alias.name: (origin, alias.name) for alias in found.names}
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    return defined, imports, lines


def _definition(module: str, name: str) -> tuple[str, list[tuple[str, str]]]:
    """The code that defines a name, and the names of the package that it uses, with their modules."""
    defined, imports, lines = _names(module)
    if name not in defined:
        return "", [imports[name]] if name in imports else []
    below = []
    for used in (part for node in defined[name] for part in ast.walk(node)):
        if isinstance(used, ast.Name) and used.id in defined:
            below.append((module, used.id))
        elif isinstance(used, ast.Name) and used.id in imports:
            below.append(imports[used.id])
        elif (
            isinstance(used, ast.Attribute) and isinstance(used.value, ast.Name) and used.value.id in imports
        ):
            inside = ".".join(imports[used.value.id])
            if _file(inside).is_file():
                below.append((inside, used.attr))
    return "\n".join(_code(node, lines) for node in defined[name]), below


def _code(node: ast.stmt, lines: list[str]) -> str:
    """The lines of a statement, without docstrings, comments and blank lines."""
    decorators = getattr(node, "decorator_list", [])
    wanted = set(range(min(part.lineno for part in [node, *decorators]), (node.end_lineno or 0) + 1))
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(part) is not None:
            wanted -= set(range(part.body[0].lineno, (part.body[0].end_lineno or 0) + 1))
    texts = (lines[n - 1] for n in sorted(wanted))
    return "\n".join(text for text in texts if text.strip())
