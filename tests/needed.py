"""Which fetched data a chapter takes: found in its code, and in the package's below it."""

import ast
import functools
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ldpbook import datasets
from ldpcourse.runs import kept

FETCHED = {name for name in dir(datasets) if name.startswith("fetch_")}
Names = Iterable[tuple[str, str]]


def loaders(path: Path) -> tuple[str, ...]:
    """The loaders of fetched data that a notebook's code names or reaches, in alphabetical order."""
    text = path.read_text(encoding="utf-8")
    if not callers() and not any(name in text for name in FETCHED):
        return ()  # at once: to follow every name of the book takes seconds
    cells = json.loads(text)["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return tuple(sorted(set().union(*named_and_reached(sources))))


@functools.cache
def callers() -> list[Path]:
    """The package's modules that name a loader of fetched data, outside the folder of the loaders."""
    return [
        path
        for folder in kept.FOLDERS.values()
        for path in sorted(folder.rglob("*.py"))
        if path.parent.name != "datasets"
        and any(name in path.read_text(encoding="utf-8") for name in FETCHED)
    ]


def named_and_reached(sources: list[str]) -> Iterator[set[str]]:
    """Of the cells of a chapter: what they name in whatever way, what they call, what their claims take."""
    imports: dict[str, tuple[str, str]] = {}
    for tree in map(_parsed, sources):
        imports |= dict(_imported(tree))
        words = set(_words(tree))
        yield words & FETCHED
        if callers():  # else nothing of the package leads to a loader
            yield from (of_claims()[word] for word in words & of_claims().keys())
            yield _reached(_used(tree, imports))


def _parsed(source: str) -> ast.Module:
    """A cell's code, read as the kernel reads it."""
    from IPython.core.inputtransformer2 import TransformerManager  # there wherever a notebook is run

    return ast.parse(TransformerManager().transform_cell(source))


def _imported(tree: ast.AST) -> Iterator[tuple[str, tuple[str, str]]]:
    """Names that a cell binds to something of the package: (module, name there), or (module, "")."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] in kept.FOLDERS:
            yield from ((alias.asname or alias.name, (str(node.module), alias.name)) for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                package = alias.name.split(".")[0]
                if package in kept.FOLDERS:
                    yield (alias.asname, (alias.name, "")) if alias.asname else (package, (package, ""))


def _words(tree: ast.AST) -> Iterator[str]:
    """All names, attributes, imported names, strings, and the words in these, as of a line magic."""
    for node in ast.walk(tree):
        for field in ("id", "attr", "name", "value"):
            word = getattr(node, field, None)
            if isinstance(word, str):
                yield from (word, *re.findall(r"\w+", word))


def _used(tree: ast.AST, imports: dict[str, tuple[str, str]]) -> Names:
    """What a cell uses of the package, by module and name; of a chain of attributes every beginning."""
    for node in ast.walk(tree):
        chain: list[str] = []
        while isinstance(node, ast.Attribute):
            chain, node = [node.attr, *chain], node.value
        if isinstance(node, ast.Name) and node.id in imports:
            module, name = imports[node.id]
            for word in ([name] if name else []) + chain:
                yield module, word
                module = f"{module}.{word}"


def _reached(wanted: Names) -> set[str]:
    """The loaders of fetched data among what is wanted and all code of the package below it."""
    seen: set[tuple[str, str]] = set()
    left = list(wanted)
    while left:
        there = left.pop()
        if there not in seen:
            seen.add(there)
            left += _below(*there)
    return {name for _, name in seen} & FETCHED


@functools.cache
def _below(module: str, name: str) -> list[tuple[str, str]]:
    """What a definition uses; nothing of what is no module of the package."""
    return kept._definition(module, name)[1] if kept._file(module).is_file() else []


@functools.cache
def of_claims() -> dict[str, set[str]]:
    """What the claims of the ledger take that is fetched, by their ids; only of those that take any."""
    found = {}
    folder = kept.FOLDERS["ldpcourse"]
    for path in sorted((folder / "ledger").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        module = ".".join(["ldpcourse", *path.relative_to(folder).with_suffix("").parts])
        _, imports, _ = kept._names(module)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Claim":
                name = next((arg.value for arg in node.keywords if arg.arg == "id"), None)
                own = ((module, part.id) for part in ast.walk(node) if isinstance(part, ast.Name))
                taken = _reached([*own, *_used(node, imports)]) | set(_words(node)) & FETCHED
                if isinstance(name, ast.Constant) and taken:
                    found[str(name.value)] = taken
    return found
