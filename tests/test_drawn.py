"""Every stored figure is readable without colour and by weak eyes."""

import re

import numpy as np
import pytest
from course.test_figures import in_the_dark
from drawn import contrast, faint, figures_of_the_book, marks, over, same_but_for_colour
from toc import ROOT

from ldpcourse import figures

pytestmark = pytest.mark.usefixtures("book_style")

STORED = [pytest.param(svg, id=name) for name, svg in figures_of_the_book()]
BROWN, GREY, BLACK = (figures.COLORS[key] for key in ("other", "constant", "bound"))


@pytest.mark.parametrize("svg", STORED)
class TestOfTheBook:
    def test_no_two_series_differ_by_colour_alone(self, svg):
        assert same_but_for_colour(marks(svg)) == []

    def test_letters_have_nine_points_on_a_phone(self, svg):
        """A column is 342 pixels wide where the screen has 390; 9 points are 12 pixels."""
        wide = float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1])
        # Matplotlib draws letters as outlines with 100 units per em.
        sizes = [
            100 * float(size)
            for size in re.findall(r"translate\([^)]*\)(?: rotate\([^)]*\))? scale\(([\d.]+)", svg)
        ]
        assert min(sizes, default=np.inf) * 342 / wide >= 12

    def test_names_stand_on_the_curves(self, svg):
        assert 'id="legend_' not in svg

    def test_nothing_is_faint(self, svg):
        assert [(mark.group, mark.label, mark.fill, mark.stroke) for mark in faint(marks(svg))] == []

    @pytest.mark.parametrize("page", ["#121212", "#14181e"])
    def test_nothing_is_faint_in_the_dark(self, svg, page):
        """Marks visible on paper are visible on the dark page, where book.css inverts them."""
        seen = [mark for mark in marks(svg) if mark.contrast >= mark.needed]
        assert seen
        for needed, paints in {(mark.needed, frozenset({mark.fill, mark.stroke} - {None})) for mark in seen}:
            best = max(contrast(in_the_dark(paint, page), page) for paint in paints)
            assert best >= needed, paints


def drawn(draw) -> list:
    """The marks of a figure of one panel."""
    (axes,) = figures.new_axes()
    draw(axes)
    return marks(figures._svg(axes.figure))


def n_alike(draw) -> int:
    return len(same_but_for_colour(drawn(draw)))


def lines(one, two, **more):
    """Two lines in two colours, each in matplotlib's format."""

    def draw(axes):
        axes.plot([0, 1, 2], [0, 1, 0], one, color=BROWN, **more)
        axes.plot([0, 1, 2], [5, 6, 9], two, color=GREY)

    return draw


@pytest.mark.parametrize("look", ["-", "--", ":", "o", "o-", "x", "s:"])
def test_a_difference_of_colour_alone_is_found(look):
    assert n_alike(lines(look, look)) == 1
    assert n_alike(lines(look, look, linewidth=1.2)) == 1  # the widths differ too little


@pytest.mark.parametrize(
    ("one", "two"), [("-", "--"), (":", "-."), ("o", "s"), ("d", "D"), ("o-", "-"), ("x", "X")]
)
def test_dashes_and_markers_distinguish_series(one, two):
    assert n_alike(lines(one, two)) == 0


@pytest.mark.parametrize(("look", "more"), [("-", {"linewidth": 4}), ("o", {"markerfacecolor": "white"})])
def test_width_and_hollow_markers_distinguish_series(look, more):
    assert n_alike(lines(look, look, **more)) == 0


def test_named_series_are_distinct():
    def draw(at):
        def inner(axes):
            lines("-", "-")(axes)
            axes.text(1, at, "the grey one")

        return inner

    assert n_alike(draw(6.1)) == 0
    assert n_alike(draw(3)) == 1  # the words are far from both lines


def test_series_at_word_ticks_are_distinct():
    def draw(names):
        def inner(axes):
            axes.errorbar(1, 0, xerr=1, fmt="o", color=BROWN)
            axes.errorbar(2, 1, xerr=1, fmt="o", color=GREY)
            axes.set_yticks([0, 1], names)

        return inner

    assert n_alike(draw(["students", "limit"])) == 0
    assert n_alike(draw(["0.5", "1.5"])) == 1


def test_markers_on_same_coloured_line_belong_together():
    def draw(style):
        def inner(axes):
            for y, color, dash in (1, BROWN, "-"), (2, GREY, style):
                axes.plot([0, 1, 2], [y, y, y], dash, color=color)
                axes.plot([0, 2], [y, y], "o", color=color)

        return inner

    assert n_alike(draw("--")) == 0
    assert n_alike(draw("-")) == 1


def test_samples_in_a_legend_are_compared():
    def draw(axes):
        for y, color, mark in (1, BROWN, "o"), (2, GREY, "s"):
            axes.plot([0, 2], [y, y], ":", color=color, label=f"line {mark}")
            axes.plot([0, 2], [y, y], mark, color=color)
        axes.legend(loc="center")

    found = same_but_for_colour(drawn(draw))
    assert [panel for panel, *_ in found] == ["axes_1 legend"]


def test_bars_and_scatters_are_series():
    def bars(hatch):
        return lambda axes: [
            axes.bar([0], [1], color=BROWN, hatch=hatch, edgecolor=BLACK),
            axes.bar([1], [1], color=GREY, edgecolor=BLACK),
        ]

    (axes,) = figures.new_axes()
    axes.scatter([0, 1], [0, 1], c=[BROWN, GREY])
    assert len(same_but_for_colour(marks(figures._svg(axes.figure)))) == 1
    assert n_alike(lambda axes: [axes.bar([0], [1], color=BROWN), axes.bar([1], [1], color=GREY)]) == 1
    assert n_alike(bars("//")) == 0


@pytest.mark.parametrize(
    ("draw", "n"),
    [
        (lambda axes: axes.plot([0, 1], [0, 1], color="#999999"), 1),  # contrast 2.85
        (lambda axes: axes.plot([0, 1], [0, 1], color="#949494"), 0),  # contrast 3.03
        (lambda axes: axes.plot([0, 1], [0, 1], "o", color=GREY, alpha=0.4), 2),
        (lambda axes: axes.plot([0, 1], [0, 1], "o", color=GREY, markerfacecolor="white"), 0),
        (lambda axes: axes.text(0, 0, "word", color="#777777"), 1),  # contrast 4.48
        (lambda axes: axes.text(0, 0, "word", color="#777777", size=14, weight="bold"), 0),
        (lambda axes: axes.axvspan(0.2, 0.4, color=GREY, alpha=0.2), 1),
        (lambda axes: axes.axvspan(0.2, 0.4, facecolor=(GREY, 0.2), edgecolor=GREY), 0),
        (lambda axes: [axes.axvspan(0.4, 1, color=GREY, alpha=0.2), axes.set_xlim(0, 1)], 1),
        (
            lambda axes: [
                axes.axvspan(0.4, 1, color=GREY, alpha=0.2),
                axes.axvline(0.4),
                axes.set_xlim(0, 1),
            ],
            0,
        ),
        (lambda axes: axes.fill_between([0, 1, 2], [0, 1, 0], [2, 3, 2], color="#d9d9d9"), 1),
        (lambda axes: axes.grid(color="#cccccc"), 12),
    ],
)
def test_faint_marks_are_found(draw, n):
    found = faint(drawn(draw))
    assert len(found) == n


def test_a_map_needs_names_and_borders():
    def draw(*, names, borders):
        def inner(axes):
            values = np.repeat([[0.0, 0, 0, 1, 1, 1]], 4, axis=0)
            axes.pcolormesh(range(6), range(4), values, cmap="viridis", alpha=0.3)
            axes.grid(visible=False)
            looks = dict(levels=[0.5], colors="black")
            if borders:
                axes.contour(range(6), range(4), values, **looks)
            else:
                axes.contour(range(6), range(4), np.arange(6) >= 1 + 0 * values, **looks)  # elsewhere
            for x, name in [(1, "left"), (4, "right")][:names]:
                axes.text(x, 1.2, name)

        return inner

    assert faint(drawn(draw(names=2, borders=True))) == []
    assert len({mark.fill for mark in faint(drawn(draw(names=1, borders=True)))}) == 1
    assert len({mark.fill for mark in faint(drawn(draw(names=2, borders=False)))}) == 2


LIGHT, DARK = ("#ffffff",), ("#121212", "#14181e")


def test_drawings_on_the_pages_are_not_faint():
    """The flip, the map and the lines of trust, whose translucent paints are blended with the page."""
    css = (ROOT / "book" / "_static" / "book.css").read_text(encoding="utf-8")
    rules = [rule for rule in css.splitlines() if "--drawn-first:" in rule]
    assert len(rules) == 2
    through = re.findall(r"--drawn-first\);.* opacity: ([\d.]+);", css)
    assert len(through) == 2
    for rule in rules:
        first, *others = re.findall(r"--drawn-\w+: (#\w+);", rule)
        for page in DARK if "dark" in rule else LIGHT:
            mixed = [over(page, first, float(part)) for part in through]
            assert min(contrast(colour, page) for colour in [first, *others, *mixed]) >= 3, rule


def test_drawings_in_the_e_book_are_not_faint():
    css = (ROOT / "book" / "_static" / "ebook.css").read_text(encoding="utf-8")
    colours = re.findall(r"^\.(?:flip|trust)-.*\bstroke: (#\w+)", css, re.MULTILINE)
    assert len(colours) == 3
    assert min(contrast(colour, "#ffffff") for colour in colours) >= 3
