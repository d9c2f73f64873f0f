"""Schematics show the given content legibly within their canvas, in the same bytes every time."""

import functools
import itertools
import re
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text
from toc import CHAPTERS, notebook_cells

from ldpcourse import figures, schematics

pytestmark = pytest.mark.usefixtures("book_style")

PHONE = 342  # width of a figure on a page of 390 pixels


def cells_that_draw() -> list:
    """The code of every schematic of the book, by its name."""
    found = []
    for chapter in CHAPTERS:
        for cell in notebook_cells(chapter):
            if re.search(r"^schematics\.", "".join(cell["source"]), re.MULTILINE):
                name = cell["metadata"]["mystnb"]["figure"]["name"]
                found.append(pytest.param("".join(cell["source"]), id=name))
    return found


def words() -> list[Text]:
    """All text of the drawing."""
    axes = plt.gca()
    legend = axes.get_legend()
    ticks = []
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        places = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
        ticks += [axis.label] + [label for at, label in places if low <= at <= high]  # others are invisible
    drawn = [*axes.texts, *(legend.get_texts() if legend else []), *(ticks if axes.axison else [])]
    return [text for text in drawn if text.get_text()]


def texts() -> list[str]:
    return [text.get_text() for text in words()]


def run(code: str) -> plt.Figure:
    """Run a cell of the book alone: it needs numpy and the schematics, and no other cell."""
    exec(code, {"np": np, "schematics": schematics})
    plt.gcf().canvas.draw()
    return plt.gcf()


@functools.cache
def drawn(code: str) -> str:
    """The SVG of a cell of the book, drawn once for the tests that read it."""
    svg = figures._svg(run(code))
    plt.close("all")
    return svg


@pytest.mark.parametrize("code", cells_that_draw())
class TestOfTheBook:
    def test_everything_is_inside_canvas_without_overlaps(self, code):
        figure = run(code)
        boxes = [text.get_window_extent() for text in words()]
        assert boxes
        for text, box in zip(words(), boxes, strict=True):
            assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1, text
            assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1, text
        for (one, first), (two, second) in itertools.combinations(zip(words(), boxes, strict=True), 2):
            assert not first.padded(-1).overlaps(second), (one, two)
        for patch in plt.gca().patches:
            (x0, y0), (x1, y1) = patch.get_window_extent().get_points()
            assert -1 <= x0 < x1 <= figure.bbox.width + 1
            assert -1 <= y0 < y1 <= figure.bbox.height + 1

    def test_words_keep_margins_in_cells_and_boxes(self, code):
        run(code)
        boxes = [patch.get_window_extent() for patch in plt.gca().patches]
        for text in plt.gca().texts:
            box = text.get_window_extent()
            for around in boxes:
                if around.contains(*box.get_points().mean(axis=0)):
                    assert around.x0 + 2 < box.x0 < box.x1 < around.x1 - 2, text

    def test_letters_have_nine_points_on_a_phone(self, code):
        width, unit = re.search(r'<svg[^>]* width="([\d.]+)(\w+)"', drawn(code)).groups()
        assert unit == "pt"
        shrunk = min(1, PHONE / (float(width) * 4 / 3))
        run(code)
        assert min(text.get_fontsize() for text in words()) * shrunk >= 9

    def test_is_drawn_the_same_twice(self, code):
        assert figures._svg(run(code)) == drawn(code)

    def test_colours_are_the_books(self, code):
        svg = drawn(code).lower()
        known = {color.lower() for color in figures.COLORS.values()}
        ground = {"#ffffff", "#d9d9d9", "#dddddd"}  # paper, the band, the grid of the book's style
        assert set(re.findall(r"#[0-9a-f]{6}(?![0-9a-z-])", svg)) <= known | ground


def test_row_is_written_and_empty_cells_hatched():
    schematics.answer_rows({"Ann": [4, None, "draw"], "Bob": [np.nan, -2.5, 0]}, ["a", "b", "c"])
    assert texts() == ["a", "b", "c", "Ann", "4", "draw", "Bob", "−2.5", "0"]
    hatched = [patch for patch in plt.gca().patches if patch.get_hatch()]
    assert len(hatched) == 2
    left, right = sorted(patch.get_x() for patch in hatched)
    assert left < right  # Bob's first cell and Ann's second


def test_framed_cells_have_their_colour_and_place():
    schematics.answer_rows({"Ann": [1, 2], "Bob": [3, 4]}, marked=[(1, 0)], key="RR")
    (frame,) = (p for p in plt.gca().patches if to_hex(p.get_edgecolor()) == figures.COLORS["RR"].lower())
    inside = [
        text.get_text()
        for text in plt.gca().texts
        if frame.contains_point(plt.gca().transData.transform(text.get_position()))
    ]
    assert inside == ["3"]
    with pytest.raises(KeyError):
        schematics.answer_rows({"Ann": [1]}, marked=[(0, 0)], key="unknown")


def height(word: str) -> float:
    """Distance of a word from the top, in inches."""
    return next(text.get_position()[1] for text in plt.gca().texts if text.get_text() == word)


@pytest.mark.parametrize("trusted", [1, 2])
def test_trust_ends_between_the_given_rows(trusted):
    rows = {"one": [1], "two": [2], "three": [3]}
    schematics.answer_rows(rows, trusted=trusted)
    above, below = list(rows)[trusted - 1 : trusted + 1]
    assert height(above) < height("trust ends here") < height(below)
    schematics.answer_rows(rows)
    assert "trust ends here" not in texts()


def test_protocol_runs_downwards_and_trust_ends_there():
    schematics.protocol(["A\nfirst", "B\nsecond", "C\nthird"], ["x", "y"], trusted=2)
    order = ["A", "first", "x", "B", "second", "y", "trust ends here", "C", "third"]
    assert sorted(texts(), key=height) == order
    bold = [text.get_text() for text in plt.gca().texts if text.get_weight() == "bold"]
    assert bold == ["A", "B", "C"]


def test_product_cell_aligns_with_column_and_row():
    schematics.matrix_product([[1, 2]], [[3, 4], [5, 6]], [[13, 16]], ("left", "right", "both"))
    places = {text.get_text(): text.get_position() for text in plt.gca().texts}
    assert places["13"][0] == places["3"][0] == places["5"][0] < places["16"][0] == places["4"][0]
    assert places["1"][1] == places["13"][1] > places["5"][1] > places["3"][1]
    assert places["1"][0] < places["2"][0] < places["3"][0]


@pytest.mark.parametrize("code", [cell for cell in cells_that_draw() if "matrix_product" in cell.values[0]])
def test_products_of_the_book_are_products(code):
    drawn = []
    recorder = SimpleNamespace(matrix_product=lambda *factors, **_: drawn.append(factors[:3]))
    exec(code, {"schematics": recorder})
    ((left, right, product),) = drawn
    assert (np.array(left) @ right).tolist() == product


def test_band_spans_factor_exp_epsilon_both_ways():
    x = np.array([0.0, 1.0, 2.0])
    schematics.within_factor(x, [1.0, 2, 1], [2.0, 1, 2], np.log(3), ("first", "second"))
    (band,) = plt.gca().collections
    edges = band.get_paths()[0].vertices
    assert {round(y, 9) for px, y in edges if px == 0} == {round(2 / 3, 9), 6.0}
    dotted, solid = plt.gca().lines
    assert (dotted.get_ydata().tolist(), solid.get_ydata().tolist()) == ([2, 1, 2], [1, 2, 1])
    named = {text.get_text(): text.xy for text in plt.gca().texts}  # the names are at the peaks
    assert named == {"first": (1, 2), "second": (0, 2), "factor of $e^\\epsilon$": (0, pytest.approx(6))}


def test_intervals_are_ordered_with_two_sided_bars():
    schematics.intervals({"one": (2, 0.5, "LP"), "two": (3, 0, "RR")}, 1, "truth", "answer")
    one, two = plt.gca().containers
    (bars,) = one.lines[2]
    assert [segment.tolist() for segment in bars.get_segments()] == [[[1.5, 0], [2.5, 0]]]
    assert [c.lines[0].get_color() for c in (one, two)] == [figures.COLORS["LP"], figures.COLORS["RR"]]
    assert [word for word in texts() if word.isalpha()] == ["truth", "answer", "one", "two"]
    assert plt.gca().yaxis_inverted()  # so the first row is on top
    assert plt.gca().lines[0].get_xdata() == [1, 1]


def place(word: str) -> np.ndarray:
    """Position of a word, in inches from the left and from the top."""
    return np.array(next(text.get_position() for text in plt.gca().texts if text.get_text() == word))


def test_places_share_scale_with_names_on_given_sides():
    points = {"A": (0, 0, "LP", "left"), "B": (3, 4, "RR", "right"), "C": (3, 0, "MF", "below")}
    schematics.plane(points, lines=[("A", "B", "five")])
    drawn = {
        line.get_color(): np.ravel(line.get_data()) for line in plt.gca().lines if line.get_marker() == "o"
    }
    a, b, c = (drawn[figures.COLORS[key]] for key in ("LP", "RR", "MF"))
    unit = (c - a)[0] / 3
    assert unit > 0
    assert b - a == pytest.approx([3 * unit, -4 * unit])  # downwards is positive
    assert place("A")[0] < a[0]
    assert place("B")[0] > b[0]
    assert place("C")[1] > c[1]
    (line,) = (line for line in plt.gca().lines if len(line.get_xdata()) == 2)
    assert np.ravel(line.get_data()) == pytest.approx([a[0], b[0], a[1], b[1]])
    assert texts() == ["five", "A", "B", "C"]


def test_rings_show_radius_and_dots_show_weight():
    points = {"A": (1, 1, "bound", "above"), "B": (3, 1, "bound", "above")}
    schematics.plane(points, rings=[(1, 1, 2, "LP")], dots=[(2, 1, 1.0, "RR"), (2, 2, 4.0, "RR")])
    centre, edge = (np.ravel(line.get_data()) for line in plt.gca().lines if line.get_color() == "#000000")
    (ring,) = (line for line in plt.gca().lines if line.get_color() == figures.COLORS["LP"])
    away = np.column_stack(ring.get_data()) - centre
    assert np.linalg.norm(away, axis=1) == pytest.approx(edge[0] - centre[0])
    assert np.ptp(away, axis=0) == pytest.approx(2 * (edge - centre)[0])
    small, large = (line for line in plt.gca().lines if line.get_color() == figures.COLORS["RR"])
    assert large.get_markersize() ** 2 == pytest.approx(4 * small.get_markersize() ** 2)


@pytest.mark.parametrize("code", [cell for cell in cells_that_draw() if "plane(" in cell.values[0]])
def test_places_rings_and_dots_are_on_the_canvas(code):
    figure = run(code)
    for line in plt.gca().lines:
        x, y = plt.gca().transData.transform(np.column_stack(line.get_data())).T
        assert figure.bbox.x0 < x.min() <= x.max() < figure.bbox.x1
        assert figure.bbox.y0 < y.min() <= y.max() < figure.bbox.y1


def test_bars_show_shares_and_hatch_unknown_parts():
    schematics.shares({"one": 0.2, "two": 0.75, "town": None}, ("yes", "no"))
    assert texts() == ["yes", "no", "one", "0.2", "0.8", "two", "0.75", "0.25", "town"]
    whole, part, *rest = plt.gca().patches
    second, its_part, hatched = rest
    assert part.get_width() == pytest.approx(0.2 * whole.get_width())
    assert its_part.get_width() == pytest.approx(0.75 * second.get_width())
    assert [bool(bar.get_hatch()) for bar in plt.gca().patches] == [False] * 4 + [True]
    assert whole.get_width() == second.get_width() == hatched.get_width()
