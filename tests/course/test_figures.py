"""Figures are the same bytes in every run, and show the given data."""

import itertools
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from drawn import TO_XYZ, contrast, linear
from matplotlib.colors import to_rgb
from toc import CHAPTERS, notebook_cells

from ldpcourse import figures

pytestmark = pytest.mark.usefixtures("book_style")

# Colours that may share a figure: those of every part, and each part's own.
EVERY_PART = {"constant", "bound", "printed", "other"}
GROUPS = [
    EVERY_PART | {"LP", "RR", "MF"},
    EVERY_PART | {"one layer", "two layers"},
    EVERY_PART | {"sum-product", "source update", "perturbed"},
    EVERY_PART | {"MMD"},
    EVERY_PART | {"cell", "worker", "shuffled"},
    {"constant", "bound", "scaled Dirichlet", "Laplace", "Laplace prior", "Gaussian", "instance labels"},
    {"constant", "bound", "counting", "pSVM", "adjusted pSVM", "MMD", "instance labels"},
    {"bound", "perturbed", "source update", "one layer"},  # three users and the anchors on a map
    {"constant", "LP", "RR", "MF", "threshold response", "best mechanism", "limit"},
    {"constant", "majority", "Dawid-Skene", "known channel", "eigenvector", "limit"},
    {"constant", "RR", "unary encoding", "subset selection", "limit"},
    {"constant", "RR", "threshold response", "subset selection", "best mechanism"},
    {"constant", "RR", "unary encoding", "threshold response", "printed", "limit"},  # designs for rows
    {"constant", "Laplace", "Gaussian", "best mechanism", "limit"},  # places
    {"constant", "one layer", "two layers", "limit"},  # rows
    {"cell", "worker", "threshold response", "printed", "limit"},  # liars at one threshold
    {"constant", "sum-product", "source update", "perturbed", "limit"},  # networks of places
    {"LP", "printed", "limit"},  # doubles that exclude answers
]

# Colour: linear sRGB, lightness, appearance to colour-blind readers, and on the page.
# Machado, Oliveira and Fernandes (2009), A physiologically-based model, severity 1.0.
EYES = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def lab(color, eye: str) -> np.ndarray:
    """CIELAB of a colour as an eye sees it."""
    seen = TO_XYZ @ np.clip(EYES[eye] @ linear(color), 0, 1) / TO_XYZ.sum(axis=1)
    x, y, z = np.where(seen > (6 / 29) ** 3, np.cbrt(seen), seen * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def in_the_dark(color, page) -> np.ndarray:
    """The colour after book.css: invert(1) hue-rotate(180deg), then screen over the page."""
    grey = np.array([0.213, 0.715, 0.072])
    inverted = 1 - np.asarray(to_rgb(color))
    turned = np.clip(2 * (grey @ inverted) - inverted, 0, 1)
    return 1 - (1 - turned) * (1 - np.asarray(to_rgb(page)))


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
    assert 'transform="scale(0.015625)"' in one  # letters keep their shape


def test_figure_ids_ignore_the_last_digit():
    """Matplotlib names clips after coordinates, which another processor rounds differently."""

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
    assert not names & other  # two figures on one page share no names


def test_panels_share_their_axes():
    above, below = figures.new_axes(2)
    above.set(xlim=(0, 3), ylim=(0, 7))
    assert (below.get_xlim(), below.get_ylim()) == ((0, 3), (0, 7))
    assert above.get_position().y0 > below.get_position().y1


def test_names_find_the_same_place_whatever_settings_a_package_leaves():
    def place():
        (axes,) = figures.new_axes()
        figures.curve(axes, [0, 1], [2, 3], "LP", "simulated")
        figures.label_curves(axes)
        return axes.texts[0].get_position()

    expected = place()
    plt.rcParams.update({"figure.dpi": 200, "figure.figsize": [10, 6]})  # QuaPy does this when it is imported
    assert place() == expected


def test_a_mechanism_has_one_colour():
    means = pd.DataFrame({"mechanism": ["MF, d = 2", "LP"], "x": 1.0, "mean": 1.0, "error": 0.0})
    (axes,) = figures.new_axes()
    figures.plot_means(axes, means, "x", ["MF, d = 2", "LP"])
    assert next(line.get_color() for line in axes.lines if len(line.get_xdata())) == figures.COLORS["MF"]
    with pytest.raises(KeyError):
        figures.plot_means(axes, means, "x", ["unknown"])


def test_mechanism_variants_differ_in_line_and_marker():
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


def test_wcag_contrast_of_known_colours():
    assert contrast("black", "white") == pytest.approx(21)
    assert contrast("#767676", "white") == pytest.approx(4.54, abs=0.005)  # WebAIM's lightest grey for AA
    assert contrast("#E69F00", "white") == pytest.approx(2.25, abs=0.005)


def test_cielab_of_known_colours():
    np.testing.assert_allclose(lab("white", "all cones"), [100, 0, 0], atol=0.01)
    np.testing.assert_allclose(lab("red", "all cones"), [53.24, 80.09, 67.20], atol=0.02)
    for eye in EYES:
        np.testing.assert_allclose(lab("#555555", eye), lab("#555555", "all cones"), atol=0.02)


@pytest.mark.parametrize("key", figures.COLORS)
def test_a_colour_stands_out_from_the_page(key):
    """WCAG 2.1, 1.4.11: a contrast of 3 for graphics."""
    assert contrast(figures.COLORS[key], "white") >= 3


@pytest.mark.parametrize("page", ["#121212", "#14181e"])
def test_a_colour_stands_out_from_the_dark_page(page):
    np.testing.assert_allclose(in_the_dark("white", page), to_rgb(page), atol=1e-9)
    for color in figures.COLORS.values():
        assert contrast(in_the_dark(color, page), page) >= 3, color


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: min(group - EVERY_PART))
def test_colours_sharing_a_figure_suit_colour_blind_readers(eye, group):
    """A distance of 20 in CIELAB; the smallest is 21.8; Okabe-Ito has 17.0 between blue and green."""
    for one, two in itertools.combinations(sorted(group), 2):
        apart = np.linalg.norm(lab(figures.COLORS[one], eye) - lab(figures.COLORS[two], eye))
        assert apart >= 20, (one, two, apart)


def drawn(key):
    """The line styles of a curve and of a level, and the markers of points and of means."""
    (axes,) = figures.new_axes()
    figures.curve(axes, [0, 1], [0, 1], key)
    figures.level(axes, 1, key)
    figures.points(axes, [0], [0], [1], key, "points")
    means = pd.DataFrame({"mechanism": [key], "x": 1.0, "mean": 1.0, "error": 0.0})
    figures.plot_means(axes, means, "x", [key])
    curve, level = axes.lines[:2]
    markers = [container.lines[0].get_marker() for container in axes.containers]
    assert {line.get_color() for line in (curve, level)} == {figures.COLORS[key]}
    assert curve._dash_pattern == level._dash_pattern
    assert markers[0] == markers[1]
    dash = curve._dash_pattern[1]
    plt.close(axes.figure)
    return None if dash is None else tuple(dash), markers[0]


def test_series_are_distinct_without_colour():
    looks = {key: drawn(key) for key in figures.COLORS}
    assert len(set(looks.values())) == len(looks)
    for group in GROUPS:
        dashes, markers = zip(*(looks[key] for key in group), strict=True)
        assert len(set(dashes)) == len(set(markers)) == len(group), group
    assert set().union(*GROUPS) == set(figures.COLORS)


def test_figures_of_the_book_draw_distinct_series():
    """The colours that a cell names are in one group."""
    for chapter in CHAPTERS:
        cells = notebook_cells(chapter)
        for text in ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"):
            named = set(re.findall(r'"([^"\n]+)"', text)) & set(figures.COLORS)
            if "figures." in text:
                assert any(named <= group for group in GROUPS), (chapter, named)


def test_svg_names_no_version_of_matplotlib():
    text = draw()
    assert "Matplotlib v" not in text
    assert plt.matplotlib.__version__ not in text


def test_names_of_collections_are_numbered_too():
    (axes,) = figures.new_axes()
    axes.scatter(np.arange(30), np.arange(30))
    axes.fill_between([0, 1], [0, 1], hatch="//")
    text = figures._svg(axes.figure)
    assert not re.search(r'[#"]\w*?[0-9a-f]{10}[")]', text)
    assert re.search(r'id="h\d+-[0-9a-f]{8}"', text)
    names = re.findall(r'id="([^"]+)"', text)
    assert len(names) == len(set(names))
    assert set(re.findall(r'#(\w+-[0-9a-f]{8})[")]', text)) <= set(names)


def formal_before_drawn(cells: list[dict]) -> bool:
    """Check whether a definition or a theorem comes before the first figure."""
    for cell in cells:
        if "figure" in cell["metadata"].get("mystnb", {}):
            return False
        if re.search(r"^`{3,}\{prf:(definition|theorem)\}", "".join(cell["source"]), re.MULTILINE):
            return True
    return True  # no figure at all


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_chapter_draws_before_defining(chapter):
    cells = notebook_cells(chapter)
    assert not formal_before_drawn(cells)
