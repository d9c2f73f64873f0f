"""What the book consists of, for all tests."""

import functools
import json
import pkgutil
from pathlib import Path

import yaml

import ldpbook

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
CHAPTERS = [page for page in PAGES if (ROOT / f"{page}.ipynb").exists()]


def notebook_cells(page: str) -> list[dict]:
    """The cells of a page that is a notebook, with their stored outputs."""
    return json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]


@functools.cache
def public_modules() -> tuple[str, ...]:
    """Dotted names below ldpbook, without packages and without a part's ledger, exercises and the like."""
    return tuple(
        name.removeprefix("ldpbook.")
        for _, name, is_package in pkgutil.walk_packages(ldpbook.__path__, "ldpbook.")
        if not is_package
        and not any(part.startswith("_") for part in name.split("."))
        and not (
            name.count(".") >= 2
            and {"array_exercises", "claims", "exercises", "problems", "runs"} & set(name.split("."))
        )
    )
