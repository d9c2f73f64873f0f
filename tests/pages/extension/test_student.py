"""The downloads: every chapter without its solutions, with a cell for each answer."""

import io
import json
import re
from contextlib import redirect_stdout
from functools import cache
from importlib.metadata import version
from unittest.mock import Mock, patch

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from ldp_sphinx.student import (
    ANSWER,
    IMPORT,
    NOTE_ID,
    UNCHECKED,
    chapters,
    for_download,
    of_chapter,
    student,
    titles,
    write,
)
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from packaging.requirements import Requirement
from toc import CHAPTERS, ROOT, names

from ldpcourse.exercises import EXERCISES, check
from ldpcourse.exercises.__main__ import main

WAITING = "not yet: your answer goes where the dots are"
FENCE = re.compile(r"^`{3,}(\{[\w:-]+\})?")
ROLE = re.compile(r"\{[\w:]+\}`[^`]*`")


def installs(code: str, platform: str) -> list[str]:
    """The requirements that a cell passes to pip if the package is missing."""
    shell = Mock()
    with patch("importlib.util.find_spec", return_value=None), patch("sys.platform", platform):
        exec(TransformerManager().transform_cell(code), {"get_ipython": lambda: shell})
    return [call.args[1].split('"')[1] for call in shell.run_line_magic.call_args_list]


@cache
def stored(chapter: str) -> NotebookNode:
    return nbformat.read(ROOT / f"{chapter}.ipynb", 4)


@cache
def made(chapter: str) -> NotebookNode:
    return of_chapter(chapter)


@cache
def parted(chapter: str) -> tuple[list, list]:
    """Lines of text and cells of code, first those outside solutions and then those inside."""
    found: tuple[list, list] = ([], [])
    inside = False
    for cell in stored(chapter).cells:
        if cell.cell_type == "code":
            found[inside].append(cell)
            continue
        for line in cell.source.split("\n"):
            inside = inside or "{solution-start}" in line
            found[inside].append(line)
            inside = inside and "{solution-end}" not in line
    return found


def prose(notebook: NotebookNode) -> str:
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def answer_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.id.startswith(ANSWER)]


def test_no_chapter_is_forgotten():
    assert chapters() == sorted(CHAPTERS)


@pytest.mark.parametrize("chapter", CHAPTERS)
class TestChapter:
    def test_nothing_of_a_solution_is_left(self, chapter):
        outside, inside = parted(chapter)
        text = "\n".join(cell.source for cell in made(chapter).cells)
        kept = "\n".join(line for line in outside if isinstance(line, str))
        pieces = [piece for line in inside if isinstance(line, str) for piece in ROLE.split(line)]
        long = [piece for piece in pieces if len(piece) > 25 and piece not in kept]
        assert len(long) > 4
        assert not [piece for piece in long if piece in text]
        left = [cell.id for cell in made(chapter).cells]
        for cell in inside:
            if not isinstance(cell, str):
                assert cell.id not in left
                assert cell.source not in [other.source for other in code(made(chapter))]

    def test_every_exercise_has_one_cell_for_its_answer(self, chapter):
        labels = re.findall(r"\{exercise\}.*\n:label: (\S+)", prose(stored(chapter)))
        checkable = [label for label in labels if label in EXERCISES]
        cells = answer_cells(made(chapter))
        assert [cell.id for cell in cells] == [f"{ANSWER}{label}" for label in labels]
        asked = [f'answer = ...\nprint(check("{label}", answer))' for label in checkable]
        found = [cell.source.removeprefix(f"{IMPORT}\n\n") for cell in cells if cell.source != UNCHECKED]
        assert found == asked
        assert len(asked) >= 3
        at_once = any(IMPORT in cell.source for cell in code(made(chapter)) if cell not in cells)
        assert [IMPORT in cell.source for cell in cells if "check(" in cell.source] == [not at_once] * len(
            asked
        )

    def test_code_outside_solutions_is_untouched(self, chapter):
        outside = [cell for cell in parted(chapter)[0] if not isinstance(cell, str)]
        assert [cell for cell in code(made(chapter)) if cell not in answer_cells(made(chapter))] == outside

    def test_no_cell_needs_names_from_solutions(self, chapter):
        outside, inside = ([cell for cell in part if not isinstance(cell, str)] for part in parted(chapter))
        outside, inside = (names("\n".join(cell.source for cell in cells)) for cells in (outside, inside))
        assert not outside[1] & inside[0]

    def test_every_word_outside_solutions_is_kept(self, chapter):
        text = prose(made(chapter))
        for line in parted(chapter)[0]:
            if isinstance(line, str) and not re.match(r":(label|class):|`+\{live\}", line):
                for piece in ROLE.split(FENCE.sub("", line)):
                    assert piece.strip() in text

    def test_no_markup_is_left_that_only_sphinx_reads(self, chapter):
        assert not re.findall(r"^`{3,}.*|^:\w+:.*|^\(\S+\)=|\{[\w:+-]+\}`.*", prose(made(chapter)), re.M)
        assert prose(made(chapter)).count("<details>") == prose(made(chapter)).count("</details>") > 8

    def test_student_notebook_is_valid_and_unchanged_by_repetition(self, chapter):
        nbformat.validate(made(chapter))
        assert len({cell.id for cell in made(chapter).cells}) == len(made(chapter).cells)
        assert student(made(chapter), titles()) == made(chapter)
        assert made(chapter).metadata == stored(chapter).metadata
        note = made(chapter).cells[1]
        assert note.id == NOTE_ID
        assert "[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/), code MIT" in note.source


# Notebooks in another style than that of the book.


def of(*sources: str, kind=new_markdown_cell) -> NotebookNode:
    """The student's version of a notebook with a title and these texts; texts that begin with > are code."""
    cells = [
        new_code_cell(s[1:], id=f"c{k}") if s[0] == ">" else kind(s, id=f"c{k}")
        for k, s in enumerate(sources)
    ]
    notebook = new_notebook(cells=[new_markdown_cell("# Title", id="title"), *cells])
    result = student(notebook, {"book/a/b": "A title", "thm-far": "Far away", "eq-far": "Far away"})
    nbformat.validate(result)
    return result


ASKED = "````{exercise} Try\n:label: ex-lp-fill\n\nHow many?\n````"
START, END = "```{solution-start} ex-lp-fill\n:class: dropdown\n```", "```{solution-end}\n```"
CELL = f'{IMPORT}\n\nanswer = ...\nprint(check("ex-lp-fill", answer))'


def sources(notebook: NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.id not in ("title", NOTE_ID)]


@pytest.mark.parametrize(
    "solution",
    [
        [f"{ASKED}\n\n{START}\n\nFour.\n\n{END}\n\nAfter."],  # in one cell
        [ASKED, START, "Four.", ">print(4)", "Why.", END, "After."],
        [f"{ASKED}\n\n{START}", ">print(4)", f"Four.\n\n{END}\n\nAfter."],
        [f"{ASKED}\n\n{START}", ">4", END, START, ">2 + 2", f"{END}\n\nAfter."],  # two solutions
        [f"{ASKED}\n\n```{{solution}} ex-lp-fill\n:class: dropdown\nFour.\n```\n\nAfter."],
        [ASKED, "After."],
    ],
)
def test_solution_is_removed_anywhere(solution):
    assert sources(of(*solution)) == ["### Exercise: Try (`ex-lp-fill`)\n\nHow many?", CELL, "After."]


def test_exercises_in_one_cell_have_a_cell_each():
    other = ASKED.replace("ex-lp-fill", "ex-lp-waste")
    found = of(
        ">from ldpcourse.exercises import check", f"Before.\n\n{ASKED}\n\n{START}\n\n4\n\n{END}\n\n{other}"
    )
    assert [cell.id for cell in found.cells[2:]] == [
        "c0",
        "c1",
        f"{ANSWER}ex-lp-fill",
        "c1-2",
        f"{ANSWER}ex-lp-waste",
    ]
    assert IMPORT not in "".join(cell.source for cell in answer_cells(found))


def test_uncheckable_exercise_says_so():
    found = of(ASKED.replace("ex-lp-fill", "ex-unknown"), ASKED.replace(":label: ex-lp-fill\n", ""))
    assert [cell.source for cell in answer_cells(found)] == [UNCHECKED, UNCHECKED]


def test_a_solution_without_an_end_is_refused():
    with pytest.raises(ValueError, match=r"^the solution of ex-lp-fill has no end"):
        of(ASKED, START, "Four.", "After.")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("{prf:ref}`thm-a` and {eq}`eq-b`", "`thm-a` and (eq-b)"),
        ("{py:func}`~ldpbook.a.b`, {py:func}`ldpbook.a.b`", "`b`, `ldpbook.a.b`"),
        ("{cite:p}`one,two`; {cite:t}`one`", "[one, two]; [one]"),
        ("{doc}`/book/a/b`; {doc}`that one </book/a/b>`", "“A title”; that one"),
        (
            "```{live} lp\n```",
            "*(Here the book's page has a panel with the sliders that the text mentions.)*",
        ),
        ("```{play} row\n```", "*(Here the book's page shows this step by step.)*"),
        ("```{prf:proof}\nClear.\n```", "**Proof**\n\nClear.\n\n---"),
        (
            "```{admonition} Summary\n:class: tip\n- one\n```",
            "**Summary**\n\n- one\n\n---",
        ),
        ("````{dropdown} a < b\nNo.\n````", "<details>\n<summary>a &lt; b</summary>\n\nNo.\n\n</details>"),
        ("```python\nx = {'a': 1}\n```\n", "```python\nx = {'a': 1}\n```\n"),
    ],
)
def test_markup_becomes_plain(text, plain):
    assert sources(of(text)) == [plain]


def test_label_of_another_chapter_names_that_chapter():
    text = "{prf:ref}`thm-far`, {eq}`eq-far`, {ref}`ex-here`"
    assert sources(of(text)) == ["`thm-far` in “Far away”, (eq-far in “Far away”), `ex-here`"]


def test_chapter_without_exercises_has_no_instructions():
    assert [cell.id for cell in of("Text.").cells] == ["title", "c0"]


@pytest.mark.parametrize("label", EXERCISES)
def test_placeholder_dots_count_as_not_answered(label):
    assert str(check(label, ...)) == WAITING


@pytest.mark.parametrize(
    "chapter",
    ["book/foundations/randomness", "book/categorical-answers/one-layer", "book/sparse-answers/laplace"],
)
def test_unanswered_notebook_runs(book_style, chapter):
    """Run in a fresh namespace of this process; nbval runs the same code, the chapter's, in a kernel."""
    namespace = {"__name__": "__main__", "get_ipython": Mock(), "display": print}
    said = {}
    for cell in code(made(chapter)):
        with redirect_stdout(io.StringIO()) as printed:
            exec(TransformerManager().transform_cell(cell.source), namespace)
        said[cell.id] = printed.getvalue()
    asked = [said[cell.id] for cell in answer_cells(made(chapter)) if cell.source != UNCHECKED]
    assert set(asked) == {f"{WAITING}\n"}


def test_texts_are_stored_in_one_piece(tmp_path):
    write(of_chapter("book/sparse-answers/laplace"), tmp_path / "one.ipynb")
    for cell in json.loads((tmp_path / "one.ipynb").read_text(encoding="utf-8"))["cells"]:
        assert isinstance(cell["source"], str)
        for output in cell.get("outputs", []):
            assert all(
                isinstance(part, str) for part in output.get("data", {"text": output.get("text")}).values()
            )


def test_filled_in_notebook_is_checked(book_style, tmp_path, capsys):
    """A student's notebook with one answer of five filled in."""
    path = tmp_path / "mine.ipynb"
    write(of_chapter("book/sparse-answers/laplace"), path)
    notebook = nbformat.read(path, 4)
    (cell,) = [cell for cell in notebook.cells if cell.id == f"{ANSWER}ex-lp-fill"]
    cell.source = cell.source.replace("...", "4")
    nbformat.write(notebook, path)
    assert main([str(path)]) == 0
    *answers, total = capsys.readouterr().out.splitlines()[-6:]
    assert f"{'ex-lp-fill':24} right" in answers
    assert sum(line.endswith(WAITING) for line in answers) == 4
    assert total == "1 of 5 right"


@pytest.mark.parametrize("release", ["", "v0.0.1", f"v{version('ldpbook')}"])
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_download_brings_the_package(monkeypatch, chapter, release):
    """Before this version is released, the name on the package index may be someone else's."""
    monkeypatch.setattr("ldp_sphinx.student.RELEASE", release)
    taken = for_download(chapter, "https://book.example/")
    (wanted,) = re.findall(r"\[([\w,-]+)\]==", "".join(cell.source for cell in stored(chapter).cells))
    wheel = f"https://book.example/lite/pypi/ldpbook-{version('ldpbook')}-py3-none-any.whl"
    (cell,) = [cell for cell in taken.cells if "%pip" in cell.source]
    asked = {platform: installs(cell.source, platform) for platform in ("linux", "win32", "emscripten")}
    index = f"ldpbook[{wanted}]=={version('ldpbook')}"
    elsewhere = index if release == f"v{version('ldpbook')}" else f"ldpbook[{wanted}] @ {wheel}"
    assert asked == {"linux": [elsewhere], "win32": [elsewhere], "emscripten": [index]}
    assert Requirement(elsewhere).url in (None, wheel)
    assert taken.cells[-1] == of_chapter(chapter).cells[-1]


@pytest.mark.parametrize("release", ["", "v0.1.0", "v0.2.0", "v0.2.0.dev0"])
def test_unreleased_download_takes_wheel_from_the_pages(monkeypatch, release):
    chapter = of_chapter(CHAPTERS[0])
    for cell in code(chapter):
        cell.source = cell.source.replace(f"=={version('ldpbook')}", "==0.2.0.dev0")
    monkeypatch.setattr("ldp_sphinx.student.of_chapter", lambda name: chapter)
    monkeypatch.setattr("ldp_sphinx.student.RELEASE", release)
    (cell,) = [c for c in for_download("any", "https://book.example/").cells if "%pip" in c.source]
    (asked,) = installs(cell.source, "linux")
    assert Requirement(asked).url == "https://book.example/lite/pypi/ldpbook-0.2.0.dev0-py3-none-any.whl"


@pytest.mark.parametrize("address", ["", "http://book.example/"])
def test_without_https_address_download_is_the_chapter(address):
    assert for_download(CHAPTERS[0], address) == of_chapter(CHAPTERS[0])
