"""Sphinx extensions that this book needs beyond Jupyter Book and its theme, one per module."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[3]
MODULES = ROOT / "node_modules"
NAME = "ldp-crowdsourcing"  # of the files that contain the whole book
RELEASE = os.environ.get("BOOK_RELEASE", "")  # the tag of the last release, if there is one

EXTENSIONS = (
    "accessible",
    "address",
    "chapters",
    "chooser",
    "citations",
    "contents",
    "coverage",
    "deeper",
    "derived_in",
    "difficulty",
    "ebook",
    "fields",
    "flip",
    "launch",
    "theme_cuts",
    "lean_pages",
    "lean_styles",
    "licences",
    "live",
    "offline",
    "part_cards",
    "paths",
    "play",
    "policy",
    "sample_exam",
    "score",
    "search",
    "slides",
    "steps",
    "student",
    "be_the_worker",
    "trust",
    "typeset",
)


def when_written(app: Sphinx, work: Callable[[Sphinx, Path], None], priority: int = 500) -> None:
    """Call ``work(app, outdir)`` once the pages are written, but not after an error or for the e-book."""

    def finish(app: Sphinx, exception: Exception | None) -> None:
        if exception is None and app.builder.name == "html":
            work(app, Path(app.outdir))

    app.connect("build-finished", finish, priority=priority)


def about(docname: str) -> dict[str, Any]:
    """What a notebook says about its chapter in its metadata (``ldpbook``); nothing for other pages."""
    path = ROOT / f"{docname}.ipynb"
    return json.loads(path.read_text(encoding="utf-8"))["metadata"]["ldpbook"] if path.exists() else {}


def pages(outdir: Path) -> list[Path]:
    """The book's pages and slide decks, and the theme's own pages (search, indices).

    JupyterLite's pages are left out. So is the redirection to the first page, which Jupyter Book adds later.
    """
    return [
        page
        for page in outdir.rglob("*.html")
        if page.relative_to(outdir).parts[0] not in ("lite", "_static", "index.html")
    ]


def _read_one(app: Sphinx, *_: object) -> list[str]:
    """Read the first page in each build.

    With no page to write, Sphinx would copy only some of the files beside the pages, and would overwrite
    those that the last build has cut.
    """
    return [app.config.root_doc]


def _write_by_several(app: Sphinx, *_: object) -> None:
    """Once all pages are read, write them with one process per core; this process resolves their references.

    Jupyter Book's command has no option for the number of processes. Only one process reads, because
    sphinx_proof cannot merge what several have read, and a label used by two pages would go unnoticed.
    """
    app.parallel = max(app.parallel, 1 + (os.cpu_count() or 1))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-get-outdated", _read_one)
    app.connect("env-updated", _write_by_several)
    for name in EXTENSIONS:
        app.setup_extension(f"{__name__}.{name}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
