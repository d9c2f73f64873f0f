"""What is written in the book's sources reaches readers' browsers: nothing in it may run there.

Spelled plainly, that is, so that whoever reviews a source is told at once; the build reads the finished pages
and refuses what runs in them, however it was spelled (policy.py).
"""

import ast
import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from toc import PAGES, ROOT


def spelled(word: str) -> str:
    """A scheme as browsers read it: whatever breaks stand between its letters, and marks that go away."""
    return r"[\s\\>]*".join(word)


# A page that is itself in a link may hold scripts, and an SVG that is opened as a page may too. Allowed
# are pictures in the place of pictures: PNG, as matplotlib puts it in an SVG, and SVG as a source.
DATA = spelled("data:")
RUNS = re.compile(
    r"<(?:script|i?frame|object|embed|applet|base|meta|link|form|input|button)\b|\bformaction\b"
    # A handler follows a space, a slash or another attribute's quote; "one = 1" is Python.
    r"|[\s/\"'{>]on(?!(?:e|es|ce|ly)\b)[a-z]+\s*="
    rf"|{spelled('javascript:')}|{spelled('vbscript:')}"
    rf"|\b{DATA}(?!image/(?:png|svg\+xml)[;,])[^\s\"'`<>()]*[,;/]"
    rf"|(?:href\s*=\s*[\"']?|(?<!!)\[[^][]*\]\(|^\[[^][]*\]:)[\x00-\x20]*<?{DATA}(?!image/png[;,])"
    # What brings HTML, or a file that is not read here, into a page.
    r"|\{\s*(?:raw|include|meta)\s*\}|\b(?:raw|include|meta)\s*::|\brole\b.*\(\s*raw\b|\bhtml_meta\b"
    # What lets a page of its own accord do more.
    r"|\benable_extensions\b|\bsubstitutions\b|\burl_schemes\b",
    re.IGNORECASE | re.MULTILINE,
)
SVG = "image/svg+xml"
KINDS = {"text/plain", "text/html", SVG}
# What pandas, matplotlib and the book's own outputs are made of.
TAGS = re.compile(
    "br|div|small|span|style|table|tbody|td|th|thead|tr"
    "|svg|clippath|defs|g|image|path|pattern|rect|use|metadata|rdf:rdf|cc:work|dc:type|dc:format"
)
ATTRIBUTES = re.compile(
    "border|class|colspan|halign|height|id|rowspan|scoped|style|type|valign|width"
    "|clip-path|d|fill|patternunits|transform|version|viewbox|x|xlink:href|y"
    "|xmlns(:cc|:dc|:rdf|:xlink)?|rdf:resource"
)
SETTINGS = ["_config.yml", "_toc.yml", *(p.relative_to(ROOT).as_posix() for p in ROOT.glob("book/**/*.yml"))]


def running(text: str) -> list[str]:
    """What would run, written plainly or in HTML's other spellings of a letter."""
    return [match[0] for spelling in {text, html.unescape(text)} for match in RUNS.finditer(spelling)]


class Reader(HTMLParser):
    """Lists what an output's HTML holds beyond the tags and attributes that the book's outputs need."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.strange: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if not TAGS.fullmatch(tag):
            self.strange.append(tag)
        for name, value in attrs:
            leads = name == "xlink:href" and not (value or "").startswith(("#", "data:image/png;"))
            if leads or not ATTRIBUTES.fullmatch(name):
                self.strange.append(f"{tag} {name}={value}")

    # Where browsers may see an end and a tag after it, and this parser sees neither.
    def handle_comment(self, data):
        if re.search("[<>]", data):
            self.strange.append(data)

    def handle_data(self, data):
        if self.cdata_elem and "<" in data:
            self.strange.append(data)

    def unknown_decl(self, data):
        self.strange.append(data)


def strings(value: object) -> list[str]:
    """All words of a notebook's metadata: captions stand there, and settings of the page."""
    if isinstance(value, dict):
        return [text for item in value.items() for part in item for text in strings(part)]
    if isinstance(value, list):
        return [text for part in value for text in strings(part)]
    return [value] if isinstance(value, str) else []


def refused(page: Path) -> list[str]:
    """What in a page's prose, or in what its cells have shown, may run."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        return running(text)
    notebook = json.loads(text)
    cells = notebook["cells"]
    found = [cell["cell_type"] for cell in cells if cell["cell_type"] not in ("markdown", "code")]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    about = [part.get("metadata", {}) for part in (notebook, *cells, *outputs)]
    prose = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    for kind, part in ((kind, part) for output in outputs for kind, part in output.get("data", {}).items()):
        if kind not in KINDS:
            found.append(kind)
        elif kind != "text/plain":
            found += running("".join(part)) + Reader("".join(part)).strange
    return found + [match for text in prose + strings(about) for match in running(text)]


@pytest.mark.parametrize("name", PAGES)
def test_nothing_in_a_page_runs_in_the_readers_browser(name):
    assert not refused(next(ROOT.glob(f"{name}.*")))


def docstrings(code: str) -> list[str]:
    """What pages of the interface show of a module."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    found = (ast.get_docstring(node) for node in ast.walk(ast.parse(code)) if isinstance(node, kinds))
    return [text for text in found if text]


# Pictures and texts that lie beside the pages may be brought into one, or be opened as one.
BESIDE = [
    path.relative_to(ROOT).as_posix()
    for path in ROOT.glob("book/**/*")
    if path.suffix in (".svg", ".html", ".rst", ".txt") and "_ext" not in path.parts
]


@pytest.mark.parametrize("name", [*SETTINGS, *BESIDE, "book/references.bib"])
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


def holding(folder: Path, cell: dict) -> Path:
    page = folder / "x.ipynb"
    page.write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    return page


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
        "<svg/onload=x()>",
        '<img src="x"onerror=x()>',
        '<img alt=">" onerror=x()>',
        '<img alt="<" onerror=x()>',
        "[a](java\tscript:x())",
        "<a href='java&Tab;script:x()'>",
        "<a href='java&#10;script:x()'>",
        "<a href='vbscript:x'>",
        "<a href='da\tta:text/html,x'>",
        '<a href="\x01data:image/svg+xml,x">',
        "<form action=https://x>",
        "<button formaction=https://x>",
        "<link rel=stylesheet href=//x>",
        "```{raw} html\n:file: x.html\n```",
        ":::{RAW} html\n<b>\n:::",
        "{raw}`x`",
        "```{eval-rst}\n.. raw:: html\n   :file: x.html\n```",
        ".. role:: x(raw)\n   :format: html",
        "```{include} ../x.md\n```",
        "---\nmyst:\n  html_meta:\n    a: b\n---",
        "---\nmyst:\n  enable_extensions: [substitution]\n---",
        "><img src=x\n>onerror=x()>",
        '- <a href="java\n  script:x()">',
        "```{image} x.png\n:target: java\\script:x()\n```",
        "`a <java script:x()>`_",
        ".. raw :: html\n   :file: x.html",
    ],
)
def test_what_runs_is_recognised(tmp_path, smuggled):
    caption = {"mystnb": {"figure": {"caption": smuggled}}}
    cells: list[dict] = [
        {"cell_type": "markdown", "source": ["Text\n", smuggled]},
        {"cell_type": "code", "source": [], "metadata": caption},
        *({"cell_type": "code", "outputs": [{"data": {kind: [smuggled]}}]} for kind in ("text/html", SVG)),
    ]
    for cell in cells:
        assert refused(holding(tmp_path, cell))
    page = tmp_path / "x.md"
    page.write_text(f"Text\n{smuggled}", encoding="utf-8")
    assert refused(page)


@pytest.mark.parametrize(
    "smuggled",
    [
        "<a href=x>",
        "<foreignObject>",
        "<td popover>",
        "<use xlink:href='https://x/y.svg#z'/>",
        "<!--><b>-->",
        "<style><b></style>",
        "<![CDATA[><b>]]>",
    ],
)
def test_what_no_output_needs_is_refused(tmp_path, smuggled):
    for kind in ("text/html", SVG):
        assert refused(holding(tmp_path, {"cell_type": "code", "outputs": [{"data": {kind: [smuggled]}}]}))


@pytest.mark.parametrize("kind", ["application/javascript", "text/markdown", "text/latex", "image/gif"])
def test_an_output_of_another_kind_is_refused(tmp_path, kind):
    page = holding(tmp_path, {"cell_type": "code", "outputs": [{"data": {kind: ["x()"]}}]})
    assert refused(page) == [kind]


def test_a_cell_that_goes_into_the_page_as_it_stands_is_refused(tmp_path):
    assert refused(holding(tmp_path, {"cell_type": "raw", "source": ["<b>"]})) == ["raw"]


@pytest.mark.parametrize(
    "harmless",
    [
        "![a](data:image/png;base64,eA==)",
        "<img src='data:image/svg+xml,x'>",
        '<image xlink:href="data:image/png;base64,eA=="/>',  # as matplotlib stores a picture in an SVG
        "statistics of the data: the printed changes, and/or others",
        "def read(data: Any, rng=None)",
        "[data](../data/index.md), [1]: data: all",
        "if only one = 1, once = 2: `ones = [1]`",
    ],
)
def test_what_does_not_run_is_let_be(harmless):
    assert running(harmless) == []


def test_the_author_is_spelled_in_one_way():
    author = "The founders of Local Differential Privacy for Crowdsourcing"
    for name in ("_config.yml", "LICENSE", "CITATION.cff"):
        assert author in (ROOT / name).read_text(encoding="utf-8"), name
