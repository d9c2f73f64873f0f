"""What is written in the book's sources reaches readers' browsers: nothing in it may run there."""

import ast
import html
import json
import re
from pathlib import Path

import pytest
from toc import PAGES, ROOT

# A page that is itself in a link may hold scripts, and an SVG that is opened as a page may too. Allowed
# are pictures in the place of pictures: PNG, as matplotlib puts it in an SVG, and SVG as a source.
RUNS = re.compile(
    r"<script|<iframe|<object|<embed|<base\b|<meta\b|<[a-z][^<>]*\son[a-z]+\s*=|javascript:"
    r"|\bdata:(?!image/(?:png|svg\+xml)[;,])[^\s\"'`<>()]*[,;/]"
    r"|(?:href\s*=\s*[\"']?|(?<!!)\[[^][]*\]\(|^\[[^][]*\]:)\s*<?data:(?!image/png[;,])",
    re.IGNORECASE | re.MULTILINE,
)
SVG = "image/svg+xml"
SETTINGS = ["_config.yml", "_toc.yml", *(p.relative_to(ROOT).as_posix() for p in ROOT.glob("book/**/*.yml"))]


def running(text: str) -> list[str]:
    """What would run, written plainly or in HTML's other spellings of a letter."""
    return [match[0] for spelled in {text, html.unescape(text)} for match in RUNS.finditer(spelled)]


def written(page: Path) -> list[str]:
    """A page's prose, and what its cells have shown."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        return [text]
    cells = json.loads(text)["cells"]
    prose = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    shown = [
        "".join(part)
        for output in outputs
        for kind, part in output.get("data", {}).items()
        if kind not in ("text/plain", "application/json")
    ]
    return prose + shown


@pytest.mark.parametrize("name", PAGES)
def test_nothing_in_a_page_runs_in_the_readers_browser(name):
    page = next(ROOT.glob(f"{name}.*"))
    assert not [match for text in written(page) for match in running(text)]


def docstrings(code: str) -> list[str]:
    """What pages of the interface show of a module."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    found = (ast.get_docstring(node) for node in ast.walk(ast.parse(code)) if isinstance(node, kinds))
    return [text for text in found if text]


@pytest.mark.parametrize("name", [*SETTINGS, "book/references.bib"])
def test_nothing_that_pages_are_made_of_runs_either(name):
    assert not running((ROOT / name).read_text(encoding="utf-8"))


def test_nothing_in_a_docstring_runs():
    modules = sorted((ROOT / "ldpbook").rglob("*.py"))
    texts = [text for path in modules for text in docstrings(path.read_text(encoding="utf-8"))]
    assert len(texts) > len(modules)
    assert not [match for text in texts for match in running(text)]


def test_docstrings_are_found_at_all_depths():
    code = '"""one"""\nclass A:\n    """two"""\n    def f(self):\n        """three"""\n    x = "four"\n'
    assert docstrings(code) == ["one", "two", "three"]


@pytest.mark.parametrize(
    "smuggled",
    [
        "<script>x()</script>",
        "<SCRIPT src=x>",
        "<img src=x onerror=x()>",
        "<svg\nonload = 'x()'>",
        "[a](javascript:x())",
        "[a](java&#115;cript:x())",
        '<a href="data:text/html,x">',
        '<a href="data:application/xhtml+xml;base64,eA==">',
        '<a href="data:image/svg+xml,x">',  # opened as a page, it runs
        '<a xlink:href = "data:,x">',
        "<a href=data:;base64,eA==>",
        "[a](data:text/html;base64,eA==)",
        "[a](data:image/svg+xml,x)",
        "[a]( <data:image/svg+xml,x> )",
        "\n[b]: data:image/svg+xml,x",
        "![a](data:image/gif;base64,eA==)",
        "<img src='data:image/svg,x'>",
        "<iframe src=x>",
        '<meta http-equiv="refresh" content="0">',
    ],
)
def test_what_runs_is_recognised(tmp_path, smuggled):
    for kind in ("text/html", SVG):
        cells = [
            {"cell_type": "markdown", "source": ["Text\n", smuggled]},
            {"cell_type": "code", "source": [], "outputs": [{"data": {kind: [smuggled]}}]},
        ]
        page = tmp_path / "x.ipynb"
        page.write_text(json.dumps({"cells": cells}), encoding="utf-8")
        assert [bool(running(text)) for text in written(page)] == [True, True]


@pytest.mark.parametrize(
    "harmless",
    [
        "![a](data:image/png;base64,eA==)",
        "<img src='data:image/svg+xml,x'>",
        '<image xlink:href="data:image/png;base64,eA=="/>',  # as matplotlib stores a picture in an SVG
        "statistics of the data: the printed changes, and/or others",
        "def read(data: Any, rng=None)",
        "[data](../data/index.md), [1]: data: all",
    ],
)
def test_what_does_not_run_is_let_be(harmless):
    assert running(harmless) == []


def test_the_author_is_spelled_in_one_way():
    author = "The founders of Local Differential Privacy for Crowdsourcing"
    for name in ("_config.yml", "LICENSE", "CITATION.cff"):
        assert author in (ROOT / name).read_text(encoding="utf-8"), name
