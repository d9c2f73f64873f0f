"""Figures are the same bytes in every run, and show what they are told."""

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
    import re

    coordinates = re.findall(r"[ML] (-?\d+\.?\d*) (-?\d+\.?\d*)", body)
    assert len(coordinates) > 10
    assert all(len(number.partition(".")[2]) <= 2 for pair in coordinates for number in pair)


def test_panels_share_the_vertical_axis():
    left, right = figures.new_axes(2)
    left.set_ylim(0, 7)
    assert right.get_ylim() == (0, 7)


def test_a_mechanism_has_one_colour():
    means = pd.DataFrame({"mechanism": ["MF, d = 2", "LP"], "x": 1.0, "mean": 1.0, "error": 0.0})
    (axes,) = figures.new_axes()
    figures.plot_means(axes, means, "x", ["MF, d = 2", "LP"])
    assert next(line.get_color() for line in axes.lines if len(line.get_xdata())) == figures.COLORS["MF"]
    with pytest.raises(KeyError):
        figures.plot_means(axes, means, "x", ["unknown"])


def test_curve_and_level():
    (axes,) = figures.new_axes()
    figures.curve(axes, [0, 1], [2, 3], "RR", "points", "s")
    figures.level(axes, 4.5, "constant", "flat", ":")
    points, flat = axes.lines
    assert (points.get_color(), points.get_marker()) == (figures.COLORS["RR"], "s")
    assert (flat.get_color(), flat.get_linestyle()) == (figures.COLORS["constant"], ":")
    assert set(flat.get_ydata()) == {4.5}
    assert [line.get_label() for line in axes.lines] == ["points", "flat"]
