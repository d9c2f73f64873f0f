"""The tool that says which stored outputs moved finds every kind of move, and nothing else."""

import copy
import json
import re
import subprocess

import matplotlib.pyplot as plt
import pytest
from moved import difference, moved, report, shown

from ldpcourse import figures


def cell(name: str, *outputs: dict, source: str = "run()") -> dict:
    return {"id": name, "cell_type": "code", "source": [source], "outputs": list(outputs)}


def printed(text: str) -> dict:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def displayed(**data: str) -> dict:
    kinds = {"plain": "text/plain", "html": "text/html", "svg": "image/svg+xml"}
    return {"output_type": "display_data", "data": {kinds[kind]: [text] for kind, text in data.items()}}


def notebook(*cells: dict) -> dict:
    return {"cells": [{"cell_type": "markdown", "source": "words"}, *cells]}


def drawing(y: float, color: str = "LP", n: int = 2) -> str:
    """A horizontal line at a height between 0 and 1."""
    return drawn_in_axes(y, color, n)[0]


def drawn_in_axes(y: float, color: str = "LP", n: int = 2) -> tuple[str, float]:
    """The drawing, and the height of its axes in points."""
    figures.use_book_style()
    (axes,) = figures.new_axes()
    axes.plot(range(n), [y] * n, color=figures.COLORS[color])
    axes.set(xlim=(0, 1), ylim=(0, 1))
    text = figures._svg(axes.figure)
    plt.close(axes.figure)
    return text, axes.get_position().height * axes.figure.get_figheight() * 72


def test_numbers_that_move_are_counted_and_sized():
    old = "error 0.250 at 1,000 workers, -3e-05, d2, v1.2.3"
    assert difference("text", old, old) == ""
    assert difference("text", old, old.replace("1,000", "1,250")) == (
        "1 of 3 numbers, by 2.0e-01 at most: 1000 -> 1250"
    )
    both = old.replace("0.250", "0.251").replace("-3e-05", "3e-05")
    assert difference("text", old, both) == "2 of 3 numbers, by 2.0e+00 at most: -3e-05 -> 3e-05"
    assert difference("text", old, old.replace("0.250", "0.25")) == "the same numbers, written otherwise"


@pytest.mark.parametrize("new", ["error 0.250, nan", "errors 0.250, 1.5", "error 0.250, 1.5, 2", "error"])
def test_words_that_move_are_no_numbers(new):
    assert difference("text", "error 0.250, 1.5", new) == "other words"


def test_a_figure_that_moves_is_measured_in_points():
    lower, (upper, height) = drawing(0.5), drawn_in_axes(0.51)
    words = difference("figure", lower, upper)
    assert words.endswith("pt at most")
    assert float(words.split("by ")[1].split()[0]) == pytest.approx(0.01 * height, abs=0.015)
    assert int(words.split()[0]) == 2  # both ends of the line; the digest in the names does not count
    assert difference("figure", lower, lower) == ""
    wider = re.sub(r'width="([\d.]+)pt"', lambda width: f'width="{float(width[1]) + 3:g}pt"', lower)
    assert difference("figure", lower, wider).startswith("1 of ")
    assert difference("figure", lower, wider).endswith("by 3.00 pt at most")


def test_figures_that_cannot_be_measured_are_said_to_differ():
    one = drawing(0.5)
    black, grey = drawing(0.5, "bound"), drawing(0.5, "constant")  # digits of a colour are no coordinate
    assert difference("figure", black, grey).startswith("other elements or styles")
    assert difference("figure", one, drawing(0.5, n=3)).startswith("other elements or styles")
    renamed = one.replace('"m', '"n').replace("#m", "#n")
    assert difference("figure", one, renamed).startswith("other elements or styles")
    digest = re.search(r'id="p\d+-([0-9a-f]{8})"', one)[1]
    assert difference("figure", one, one.replace(digest, "0" * 8)) == "other names only"


def test_cells_are_matched_by_name():
    old = notebook(cell("a", printed("1\n")), cell("b", printed("2\n")), cell("c", printed("3\n")))
    new = notebook(
        cell("new", printed("9\n")), cell("b", printed("2\n")), cell("a", printed("4\n"), source="x")
    )
    assert moved(old, old) == []
    assert moved(old, new) == [
        (2, "text", "new"),
        (4, "text", "1 of 1 numbers, by 7.5e-01 at most: 1 -> 4, and its code"),
        (0, "text", "gone with its cell"),
    ]


def test_outputs_that_come_go_and_change_their_kind():
    table = displayed(plain="a 1", html="<td>1</td>")
    assert shown(cell("a", table)) == [("table", "<td>1</td>")]
    before = notebook(cell("a", table, printed("1\n")))
    assert moved(before, notebook(cell("a", table))) == [(2, "text", "gone")]
    assert moved(before, notebook(cell("a", displayed(plain="a 1"), printed("1\n")))) == [
        (2, "text", "was: table")
    ]
    picture = {"output_type": "display_data", "data": {"image/png": "AAAA"}}
    assert moved(before, notebook(cell("a", picture, printed("1\n")))) == [(2, "image/png", "was: table")]
    error = {"output_type": "error", "traceback": ["line 1\n", "stop"]}
    assert shown(cell("a", error)) == [("text", "line 1\nstop")]


def test_printing_in_pieces_is_no_move():
    whole = cell("a", printed("1\n2\n"), displayed(plain="3"), printed("4\n"))
    pieces = cell("a", printed("1\n"), printed("2\n"), displayed(plain="3"), printed("4\n"))
    assert shown(whole) == shown(pieces) == [("text", "1\n2\n"), ("text", "3"), ("text", "4\n")]
    warned = {"output_type": "stream", "name": "stderr", "text": "2\n"}
    assert len(shown(cell("a", printed("1\n"), warned))) == 2


def test_names_and_outlines_of_letters_are_no_move():
    """Another version of matplotlib calls them otherwise; where a text stands does count."""
    one = drawing(0.5)
    names = dict.fromkeys(re.findall(r"DejaVuSans-[0-9a-f]+", one))
    other = one.replace("scale(0.015625)", "scale(0.02)")
    for k, name in enumerate(names):
        other = re.sub(rf"{name}(?![0-9a-f])", f"DejaVuSans-{k + 3000}", other)
    other = other.replace('<g id="text_1">', '<g id="text_1">\n <defs>\n </defs>')
    assert len(names) > 5
    assert difference("figure", one, other) == "other names only"
    x, y = re.search(r"translate\(([\d.]+) ([\d.]+)\) scale\(0.11", one).groups()
    aside = one.replace(f"translate({x} {y})", f"translate({float(x) + 2:g} {y})", 1)
    assert difference("figure", one, aside).endswith("by 2.00 pt at most")


def test_report_compares_the_work_tree_with_a_commit(tmp_path):
    def git(*words):
        name = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *name, *words], cwd=tmp_path, check=True, capture_output=True)

    def write(name, content):
        path = tmp_path / "book" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")

    first = notebook(cell("a", printed("0.5\n")), cell("b", displayed(svg=drawing(0.5))))
    write("part/one.ipynb", first)
    write("part/two.ipynb", first)
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "first")
    assert report(tmp_path, "HEAD") == "0 moved of 4 outputs in 2 notebooks"

    second = copy.deepcopy(first)
    second["cells"][1]["outputs"][0]["text"] = ["0.4\n"]
    write("part/two.ipynb", second)
    write("part/.ipynb_checkpoints/two.ipynb", first)
    write("part/three.ipynb", first)
    lines = re.sub(" +", " ", report(tmp_path, "HEAD")).splitlines()
    assert lines == [
        "part/three.ipynb not in HEAD",
        "part/two.ipynb cell 2 text 1 of 1 numbers, by 2.0e-01 at most: 0.5 -> 0.4",
        "2 moved of 6 outputs in 3 notebooks",
    ]
    git("add", ".")
    git("commit", "--quiet", "--message", "second")
    assert report(tmp_path, "HEAD") == "0 moved of 6 outputs in 3 notebooks"
    assert "0.5 -> 0.4" in report(tmp_path, "HEAD~1")
