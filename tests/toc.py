"""The contents of the book, for all tests."""

import ast
import functools
import json
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
HTML = ROOT / "_build" / "html"
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [
    TOC["root"],
    *(
        page["file"]
        for part in TOC["parts"]
        for chapter in part["chapters"]
        for page in (chapter, *chapter.get("sections", ()))
    ),
]
PACKAGES = {"ldpbook": ROOT / "ldpbook", "ldpcourse": ROOT / "book" / "ldpcourse"}
MODULES = {
    ".".join([package, *path.relative_to(folder).with_suffix("").parts]).removesuffix(".__init__"): path
    for package, folder in PACKAGES.items()
    for path in sorted(folder.rglob("*.py"))
}
_LISTS = "\n__all__ = "
CHAPTERS = [page for page in PAGES if (ROOT / f"{page}.ipynb").exists()]


def notebook_cells(page: str) -> list[dict]:
    """The cells of a page that is a notebook, with their stored outputs."""
    return json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]


def names(code: str) -> tuple[set[str], set[str]]:
    """Names that the code of cells binds, at any depth, and names that it reads without binding them."""
    from IPython.core.inputtransformer2 import TransformerManager  # few tests need it

    bound: set[str] = set()
    wanted: set[str] = set()
    for node in ast.walk(ast.parse(TransformerManager().transform_cell(code))):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                wanted.add(name)
            case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                bound.add(other or name)
            case ast.arg(arg=name):
                bound.add(name)
    return bound, wanted - bound


@functools.cache
def public_modules(package: str = "ldpbook") -> tuple[str, ...]:
    """Full names of the modules of the library, or of the course, that declare public names."""
    return tuple(
        name
        for name, path in MODULES.items()
        if name.startswith(f"{package}.") and _LISTS in path.read_text()
    )
