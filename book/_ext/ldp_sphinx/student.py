"""Sphinx extension: the notebooks that readers download or open are student notebooks, without solutions.

The repository's notebooks keep their solutions: the pages fold them, the tests run them. In a student
notebook (downloaded from the pages or opened in JupyterLite) a cell for the answer replaces each solution,
and plain Markdown replaces directives, which only Sphinx understands. ``python -m ldp_sphinx.student FOLDER``
writes all of them. A notebook downloaded from published pages also installs the package where it is missing.
Once that version is released, it comes from the index; before that, it comes from the folder of the pages,
because the name on the index may belong to someone else.
"""

import argparse
import copy
import functools
import html
import re
from collections.abc import Mapping
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from ldp_sphinx import RELEASE, ROOT, when_written
from ldp_sphinx.licences import CC_BY
from ldpcourse.exercises import EXERCISES

DIRECTIVE = re.compile(
    r"^(?P<fence>`{3,})\{(?P<name>[\w:-]+)\} *(?P<title>[^\n]*)\n"
    r"(?P<options>(?::[\w-]+:[^\n]*\n)*)(?P<body>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
LABEL = re.compile(r"^:label: *(\S+)$", re.MULTILINE)
ROLE = re.compile(r"\{(prf:ref|ref|numref|eq|doc|cite:[tp]|py:\w+)\}`(?:([^`<]+?) *<)?([^`>]+)>?`")
IMPORT = "from ldpcourse.exercises import check"
UNCHECKED = "# Your answer. No program can check this one: compare it with the solution on the book's page."
ANSWER = "your-answer-"  # prefix of the names of answer cells
NOTE_ID = "student-note"
INSTALLING = re.compile(r'"(?P<wanted>ldpbook\[[\w,-]+\])==(?P<version>[^"]+)"$')
BRINGING = """\
# Install the book's package, and what this chapter needs, if it is missing.
import importlib.util
import sys

missing = importlib.util.find_spec("ldpbook") is None
if missing and sys.platform == "emscripten":  # JupyterLite has its own copy of the package
    %pip install --quiet "{wanted}=={version}"
elif missing:
    %pip install --quiet "{wanted}{source}\""""
NOTE = (
    "*This is the student's notebook, without solutions. Write your answer in place of the dots in a cell "
    "`answer = ...`. An answer is a number, a pair, or a function that you define above that line. A "
    "function takes plain numbers, in the order in which the exercise names them, unless the exercise says "
    "arrays. The check says whether your answer is right, and if not, what is wrong. On the book's page the "
    "solution is folded under the exercise. A name such as `thm-...` or `ex-...` refers to the statement or "
    "exercise with that name in its heading; names in square brackets are sources in the book's "
    "bibliography. The notebook is part of Local Differential Privacy for "
    f"Crowdsourcing: text and figures [CC BY 4.0]({CC_BY}), code MIT.*"
)


def student(notebook: NotebookNode, titles: Mapping[str, str]) -> NotebookNode:
    """A chapter's notebook without its solutions; `titles` are those of the book's pages, for references.

    `titles` also maps each label of another chapter to that chapter's title.

    Code outside solutions stays as it is, outputs included. A notebook that has nothing to replace is not
    changed.

    Raises
    ------
    ValueError
        If a solution has no end, since all that follows would be lost.
    """
    cells: list[NotebookNode] = []
    inside = ""  # the label of the solution in which we are
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            cells += [] if inside else [cell]
            continue
        pieces, inside = _pieces(cell.source, inside, titles)
        for number, (text, label) in enumerate(pieces, 1):
            if text.strip():
                name = cell.id if number == 1 else f"{cell.id}-{number}"
                cells.append(NotebookNode({**cell, "id": name, "source": text}))
            if label is not None:
                cells.append(_answer_cell(label, cells))
    if inside:
        raise ValueError(f"the solution of {inside} has no end: add {{solution-end}}")
    if len(cells) > 1 and any(cell.id.startswith(ANSWER) for cell in cells) and cells[1].id != NOTE_ID:
        cells.insert(1, new_markdown_cell(NOTE, id=NOTE_ID))
    return copy.deepcopy(NotebookNode({**notebook, "cells": cells}))


def _pieces(source: str, inside: str, titles: Mapping[str, str]) -> tuple[list[tuple[str, str | None]], str]:
    """The texts of a cell, each with the label of the exercise that ends it, and an open solution's label."""
    pieces: list[tuple[str, str | None]] = []
    kept, place = "", 0
    for found in DIRECTIVE.finditer(source):
        if not inside:
            kept += _roles(source[place : found.start()], titles)
        place = found.end()
        name = found["name"]
        if name == "solution-start":
            inside = found["title"].strip()
        elif name == "solution-end":
            inside = ""
        elif not inside and name != "solution":
            kept += _plain(found, titles)
            if name == "exercise":
                pieces.append((kept.strip("\n"), _label(found)))
                kept = ""
    if not inside:
        kept += _roles(source[place:], titles)
    return [*pieces, (kept.strip("\n") if place else kept, None)], inside


def _label(directive: re.Match[str]) -> str:
    found = LABEL.search(directive["options"])
    return found[1] if found else ""


def _plain(directive: re.Match[str], titles: Mapping[str, str]) -> str:
    """A directive as Markdown that every Jupyter shows."""
    name, title = directive["name"], directive["title"].strip()
    body = _roles(directive["body"].strip("\n"), titles)
    if name == "live":
        return "*(Here the book's page has a panel with the sliders that the text mentions.)*"
    if name == "play":
        return "*(Here the book's page shows this step by step.)*"
    if name == "dropdown":
        return f"<details>\n<summary>{html.escape(title, quote=False)}</summary>\n\n{body}\n\n</details>"
    kind = "" if name == "admonition" else name.removeprefix("prf:").capitalize()
    heading = ": ".join(filter(None, (kind, _roles(title, titles))))
    label = _label(directive)
    named = f" (`{label}`)" if label else ""
    if name == "exercise":
        return f"### {heading}{named}\n\n{body}"
    # A rule marks the end: JupyterLite typesets no formulas inside tags, and a sign could land in a formula.
    return f"**{heading}**{named}\n\n{body}\n\n---"


def _roles(text: str, titles: Mapping[str, str]) -> str:
    def words(role: re.Match[str]) -> str:
        name, title, target = role[1], role[2], role[3]
        elsewhere = f" in “{titles[target]}”" if target in titles and name != "doc" else ""
        if title:
            return title
        if name == "doc":
            return f"“{titles[target.removeprefix('/')]}”"
        if name == "eq":
            return f"({target}{elsewhere})"
        if name.startswith("cite"):
            return f"[{', '.join(key.strip() for key in target.split(','))}]"
        return f"`{target.rpartition('.')[2] if target.startswith('~') else target}`{elsewhere}"

    return ROLE.sub(words, text)


def _answer_cell(label: str, before: list[NotebookNode]) -> NotebookNode:
    if label not in EXERCISES:
        return new_code_cell(UNCHECKED, id=f"{ANSWER}{label or len(before)}")
    code = f'answer = ...\nprint(check("{label}", answer))'
    # An import in another answer cell does not count, because a reader may begin with any of them.
    if not any(IMPORT in cell.source for cell in before if not cell.id.startswith(ANSWER)):
        code = f"{IMPORT}\n\n{code}"
    return new_code_cell(code, id=f"{ANSWER}{label}")


@functools.cache
def titles() -> dict[str, str]:
    """The titles of the book's pages by their names."""
    found = {}
    for path in (ROOT / "book").rglob("*.*"):
        if path.suffix in (".md", ".ipynb") and ".ipynb_checkpoints" not in path.parts:
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".ipynb":
                text = nbformat.reads(text, 4).cells[0].source
            if heading := re.search(r"^# +(.+)$", text, re.MULTILINE):
                found[path.relative_to(ROOT).with_suffix("").as_posix()] = heading[1]
    return found


@functools.cache
def homes() -> dict[str, str]:
    """The chapter of each label."""
    return {
        label: name
        for name in chapters()
        for label in re.findall(
            r"^(?::label: |\$\$ \()([\w-]+)",
            "\n".join(cell.source for cell in nbformat.read(ROOT / f"{name}.ipynb", 4).cells),
            re.MULTILINE,
        )
    }


def of_chapter(name: str) -> NotebookNode:
    """A chapter's student notebook."""
    elsewhere = {label: titles()[home] for label, home in homes().items() if home != name}
    return student(nbformat.read(ROOT / f"{name}.ipynb", 4), titles() | elsewhere)


def for_download(name: str, address: str) -> NotebookNode:
    """A student's notebook, which installs the package if its pages are at a secure `address` (https)."""
    made = of_chapter(name)
    first = next(cell for cell in made.cells if cell.cell_type == "code")
    if address.startswith("https://"):
        wanted, version = INSTALLING.search(first.source).groups()
        wheel = f" @ {address}lite/pypi/ldpbook-{version}-py3-none-any.whl"
        released = f"v{version}" == RELEASE and ".dev" not in version  # the index has only releases
        source = f"=={version}" if released else wheel
        first.source = BRINGING.format(wanted=wanted, version=version, source=source)
    return made


def write(made: NotebookNode, target: Path) -> None:
    """Write a student's notebook to a file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    # JupyterLite puts commas between the lines of an output that is stored as a list of lines.
    target.write_text(nbformat.writes(made, split_lines=False), encoding="utf-8")


def chapters() -> list[str]:
    """The names of all pages that are notebooks."""
    return sorted(name for name in titles() if (ROOT / f"{name}.ipynb").exists())


def _write_sources(app, outdir: Path) -> None:
    """Write the notebooks that the download button links to, over Sphinx's copies of the sources."""
    for name in app.env.found_docs:
        if (ROOT / f"{name}.ipynb").exists():
            write(for_download(name, app.config.html_baseurl), outdir / "_sources" / f"{name}.ipynb")


def setup(app):
    when_written(app, _write_sources)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m ldp_sphinx.student",
        description="Write every chapter's notebook without its solutions.",
    )
    parser.add_argument("folder", type=Path, help="where to write the notebooks, in folders as in the book")
    folder = parser.parse_args().folder
    for name in chapters():
        write(of_chapter(name), folder / f"{name}.ipynb")
