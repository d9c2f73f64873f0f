"""Figures are the same bytes in every run, and show what they are told."""

import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from ldpbook import figures


@pytest.fixture(autouse=True)
def _clean():
    figures.use_book_style()
    yield
    plt.close("all")


def draw() -> str:
    means = pd.DataFrame(
        {"mechanism": ["LP", "LP"], "epsilon": [1.0, 2.0], "mean": [2.0, 1 / 3], "error": 0.1}
    )
    (axes,) = figures.new_axes()
    figures.plot_means(axes, means, "epsilon", ["LP"])
    axes.legend()
    return figures._svg(axes.figure)


def test_svg_is_reproducible_and_rounded():
    one, two = draw(), draw()
    assert one == two
    body = one.split("</metadata>")[1]
    assert "<dc:date>" not in one
    coordinates = re.findall(r"[ML] (-?\d+\.?\d*) (-?\d+\.?\d*)", body)
    assert len(coordinates) > 10
    assert all(len(number.partition(".")[2]) <= 2 for pair in coordinates for number in pair)


def test_names_inside_a_figure_do_not_hang_on_the_last_digit():
    """Clips are named by matplotlib after coordinates that another processor rounds otherwise."""

    def svg(nudge):
        (axes,) = figures.new_axes()
        axes.plot([0, 1], [0, 1 + nudge], "o-")
        text = figures._svg(axes.figure)
        plt.close(axes.figure)
        return text

    def rows(text):
        names = set(re.findall(r'id="([pm][0-9a-f-]+)"', text))
        used = set(re.findall(r'#([pm][0-9a-f-]+)["\)]', text))
        assert used <= names
        return text, names

    same, names = rows(svg(0))
    assert rows(svg(1e-12))[0] == same
    other = rows(svg(0.5))[1]
    assert names
    assert not names & other  # two figures on one page do not share names


def test_panels_share_their_axes():
    above, below = figures.new_axes(2)
    above.set(xlim=(0, 3), ylim=(0, 7))
    assert (below.get_xlim(), below.get_ylim()) == ((0, 3), (0, 7))
    assert above.get_position().y0 > below.get_position().y1


def test_a_mechanism_has_one_colour():
    means = pd.DataFrame({"mechanism": ["MF, d = 2", "LP"], "x": 1.0, "mean": 1.0, "error": 0.0})
    (axes,) = figures.new_axes()
    figures.plot_means(axes, means, "x", ["MF, d = 2", "LP"])
    assert next(line.get_color() for line in axes.lines if len(line.get_xdata())) == figures.COLORS["MF"]
    with pytest.raises(KeyError):
        figures.plot_means(axes, means, "x", ["unknown"])


def test_variants_of_a_mechanism_differ_in_line_and_marker():
    means = pd.DataFrame({"mechanism": ["MF, d = 2", "MF, d = 9"], "x": 1.0, "mean": 1.0, "error": 0.0})
    (axes,) = figures.new_axes()
    figures.plot_means(axes, means, "x", ["MF, d = 2", "MF, d = 9"])
    one, two = (container.lines[0] for container in axes.containers)
    assert one.get_color() == two.get_color()
    assert one.get_linestyle() != two.get_linestyle()
    assert one.get_markerfacecolor() != two.get_markerfacecolor()


def test_points_have_bars_of_two_standard_errors():
    (axes,) = figures.new_axes()
    figures.points(axes, [1, 2], [5.0, 6.0], [0.5, 0.25], "RR", "measured")
    (bars,) = axes.containers[0].lines[2]
    assert [segment[:, 1].tolist() for segment in bars.get_segments()] == [[4, 6], [5.5, 6.5]]
    assert axes.containers[0].lines[0].get_color() == figures.COLORS["RR"]


def test_log_ticks_are_plain_numbers():
    (axes,) = figures.new_axes()
    figures.curve(axes, [0.1, 10], [1, 2], "LP", "x")
    figures.log_ticks(axes, [0.1, 1, 10])
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.1", "1", "10"]
    assert len(axes.xaxis.get_minorticklocs()) == 0


def test_curve_and_level():
    (axes,) = figures.new_axes()
    figures.curve(axes, [0, 1], [2, 3], "RR", "points", "s")
    figures.level(axes, 4.5, "constant", "flat", ":")
    points, flat = axes.lines
    assert (points.get_color(), points.get_marker()) == (figures.COLORS["RR"], "s")
    assert (flat.get_color(), flat.get_linestyle()) == (figures.COLORS["constant"], ":")
    assert set(flat.get_ydata()) == {4.5}
    assert [line.get_label() for line in axes.lines] == ["points", "flat"]
