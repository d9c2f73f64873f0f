"""Schematics, which show the topic of a chapter before its first formula, in the style of the book's figures.

Needs matplotlib and IPython, as does :mod:`ldpcourse.figures`, whose style has to be set first. Positions are
in inches, downwards. No drawing is wider than 4.3 inches, so that a phone 390 pixels wide shows the letters
at 9 points.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ldpbook._extras import extra
from ldpcourse.figures import COLORS

with extra("book"):
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.patches import FancyBboxPatch, Rectangle
    from matplotlib.ticker import MaxNLocator

__all__ = ["answer_rows", "intervals", "matrix_product", "plane", "protocol", "shares", "within_factor"]

_WIDTH = 4.1
_LINE = 0.2  # from one line of text to the next
_LETTER = 0.09  # approximate width of a letter
_CELL, _HIGH = 0.56, 0.42  # width and height of a cell
_INK, _GREY = COLORS["bound"], COLORS["constant"]
_SHADE = "#d9d9d9"  # of an area

Cell = float | str | None


def _canvas(height: float) -> Axes:
    axes = plt.figure(figsize=(_WIDTH, height), layout="none").add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, _WIDTH), ylim=(height, 0))
    axes.axis("off")
    return axes


def _border(axes: Axes, y: float) -> None:
    """Draw the line where trust ends: everything that passes it has to be private."""
    axes.plot([0.02, _WIDTH - 0.02], [y, y], color=_GREY, linestyle="--", linewidth=1.4)
    axes.text(0.04, y + 0.04, "trust ends here", color=_GREY, va="top", style="italic")


def _cells(axes: Axes, x: float, y: float, rows: Sequence[Sequence[Cell]]) -> None:
    """Draw cells from a corner on, each with a number or a word, or hatched if empty."""
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            corner = (x + j * _CELL, y + i * _HIGH)
            empty = value is None or value != value
            hatch = "///" if empty else None
            axes.add_patch(Rectangle(corner, _CELL, _HIGH, facecolor="none", edgecolor=_GREY, hatch=hatch))
            if not empty:
                label = value if isinstance(value, str) else f"{value:g}".replace("-", "−")
                axes.text(corner[0] + _CELL / 2, corner[1] + _HIGH / 2, label, ha="center", va="center")


def _frame(axes: Axes, x: float, y: float, key: str) -> None:
    """Frame a cell in the colour of a key."""
    corner, width, height = (x + 0.03, y + 0.03), _CELL - 0.06, _HIGH - 0.06
    axes.add_patch(Rectangle(corner, width, height, fill=False, edgecolor=COLORS[key], lw=2.6, zorder=3))


def answer_rows(
    rows: Mapping[str, Sequence[Cell]],
    columns: Sequence[str] = (),
    trusted: int | None = None,
    marked: Collection[tuple[int, int]] = (),
    key: str = "bound",
) -> None:
    """Draw rows of cells, such as an answer matrix with empty cells or a row on its way to the curator.

    Parameters
    ----------
    rows : mapping of str to sequence of float, str or None
        Cells by the name of their row; cells with None or nan are hatched.
    columns : sequence of str
        Names of the columns; none by default.
    trusted : int, optional
        Number of rows after which trust ends; not drawn by default.
    marked : collection of tuple of int
        Row and column of cells to frame.
    key : str
        Key of ``ldpcourse.figures.COLORS`` for the colour of the frames.

    Raises
    ------
    KeyError
        If `key` has no colour.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> answer_rows({"Ann": [4, None], "Bob": [None, 5]}, columns=["task 1", "task 2"])
    """
    top = 0.3 if columns else 0.05
    step = _HIGH + 0.12
    after = len(rows) if trusted is None else trusted
    axes = _canvas(top + len(rows) * step + (0.36 if after < len(rows) else 0))
    names = _LETTER * max(map(len, rows))
    left = (_WIDTH + names - _CELL * max(map(len, rows.values()))) / 2
    for j, name in enumerate(columns):
        axes.text(left + (j + 0.5) * _CELL, top - 0.08, name, ha="center", va="bottom")
    for i, (name, row) in enumerate(rows.items()):
        y = top + i * step + (0.36 if i >= after else 0)
        axes.text(left - 0.12, y + _HIGH / 2, name, ha="right", va="center")
        _cells(axes, left, y, [row])
        for j in range(len(row)):
            if (i, j) in marked:
                _frame(axes, left + j * _CELL, y, key)
    if after < len(rows):
        _border(axes, top + after * step + 0.04)


def protocol(steps: Sequence[str], messages: Sequence[str], trusted: int) -> None:
    """Draw the steps and messages of a protocol, from top to bottom, and where trust ends.

    Parameters
    ----------
    steps : sequence of str
        Text of each box; the first line, the name of the participant, is bold.
    messages : sequence of str
        Messages from each box to the next, one fewer than boxes.
    trusted : int
        Number of boxes after which trust ends.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> protocol(["Worker\\nlies now and then", "Curator\\ncounts"], ["an answer"], trusted=1)
    """
    heights = [0.18 + _LINE * (1 + step.count("\n")) for step in steps]
    gaps = [0.74 if k == trusted else 0.42 for k in range(1, len(steps))]
    axes = _canvas(0.1 + sum(heights) + sum(gaps))
    y, middle = 0.05, _WIDTH / 2
    for k, (step, height) in enumerate(zip(steps, heights, strict=True)):
        box = FancyBboxPatch((0.35, y), _WIDTH - 0.7, height, "round,pad=0,rounding_size=0.08")
        box.set(facecolor="none", edgecolor=_INK, linewidth=1.2)
        axes.add_patch(box)
        for i, line in enumerate(step.split("\n")):
            weight = "bold" if i == 0 else "normal"
            at = y + 0.09 + _LINE * (i + 0.5)
            axes.text(middle, at, line, ha="center", va="center", weight=weight)
        y += height
        if k < len(messages):
            axes.annotate(
                "", (middle, y + gaps[k]), (middle, y), arrowprops={"arrowstyle": "-|>", "color": _INK}
            )
            axes.text(middle + 0.12, y + 0.21, messages[k], va="center")
            if k + 1 == trusted:
                _border(axes, y + 0.42)
            y += gaps[k]


def matrix_product(
    left: Sequence[Sequence[Cell]],
    right: Sequence[Sequence[Cell]],
    product: Sequence[Sequence[Cell]],
    names: tuple[str, str, str],
    marked: Collection[tuple[int, int]] = (),
    key: str = "bound",
) -> None:
    """Draw a product of two matrices, with each cell below a column of one and beside a row of the other.

    Parameters
    ----------
    left : sequence of sequence of float, str or None
        First factor, drawn beside the product.
    right : sequence of sequence of float, str or None
        Second factor, drawn above the product.
    product : sequence of sequence of float, str or None
        Product, with as many rows as `left` and as many columns as `right`; None and nan are hatched.
    names : tuple of str
        Names of the three matrices.
    marked : collection of tuple of int
        Row and column of the product's cells to frame.
    key : str
        Key of ``ldpcourse.figures.COLORS`` for the colour of the frames.

    Raises
    ------
    KeyError
        If `key` has no colour.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> matrix_product([[2, 1]], [[1, 0, 1], [0, 1, 1]], [[2, 1, 3]], ("u", "V", "T"))
    """
    inner, wide = len(right), len(right[0])
    aside = (_WIDTH - 0.35 - (inner + wide) * _CELL) / 2
    x, y = aside + inner * _CELL + 0.35, 0.3 + inner * _HIGH + 0.4
    axes = _canvas(y + len(left) * _HIGH + 0.05)
    corners = [(aside, y), (x, 0.3), (x, y)]
    for (at, above), name, rows in zip(corners, names, (left, right, product), strict=True):
        axes.text(at, above - 0.07, name, va="bottom")
        _cells(axes, at, above, rows)
    for i, j in marked:
        _frame(axes, x + j * _CELL, y + i * _HIGH, key)


def within_factor(
    x: ArrayLike, density: ArrayLike, other: ArrayLike, epsilon: float, names: tuple[str, str]
) -> None:
    """Draw a density within a factor of e^epsilon of another one, with the band that shows this factor.

    Parameters
    ----------
    x : array_like, shape (k,)
        Outputs.
    density, other : array_like, shape (k,)
        Densities under two inputs; the band is around `other`.
    epsilon : float
        Logarithm of the factor.
    names : tuple of str
        Names of the two inputs.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> x = np.linspace(-5, 5, 11)
    >>> within_factor(x, np.exp(-abs(x - 1)), np.exp(-abs(x)), 1.0, ("input 1", "input 0"))
    """
    _, axes = plt.subplots(figsize=(_WIDTH, 3.0))
    low, high = (np.exp(sign * epsilon) * np.asarray(other) for sign in (-1, 1))
    band = axes.fill_between(x, low, high, color=_SHADE, linewidth=0.8)
    band.set_edgecolor(_GREY)  # the shade alone is too faint
    axes.plot(x, other, color=COLORS["other"], linestyle=":")
    axes.plot(x, density, color=_INK)
    named = [
        (names[0], density, 0.98, 0.62),
        (names[1], other, 0.02, 0.62),
        ("factor of $e^\\epsilon$", high, 0.98, 0.9),
    ]
    for name, curve, side, above in named:
        top = np.argmax(curve)
        axes.annotate(
            name,
            (np.ravel(x)[top], np.ravel(curve)[top]),
            (side, above),
            textcoords="axes fraction",
            ha="left" if side < 0.5 else "right",
            va="center",
            arrowprops={"arrowstyle": "-", "color": _GREY},
        )
    axes.set(xlabel="output", ylabel="density", yticks=[], ylim=(0, None), xlim=(np.min(x), np.max(x)))


def intervals(rows: Mapping[str, tuple[float, float, str]], value: float, name: str, xlabel: str) -> None:
    """Draw points with bars on both sides, one below the other, compared with one value.

    Parameters
    ----------
    rows : mapping of str to tuple of float, float and str
        By name: point, half the length of its bar, and a key of ``ldpcourse.figures.COLORS`` for its colour.
    value : float
        Position of the vertical line.
    name : str
        Name of the vertical line.
    xlabel : str
        Label of the horizontal axis.

    Raises
    ------
    KeyError
        If a row's key has no colour.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> intervals({"many draws": (10.2, 0.1, "bound")}, 10.0, "formula", "mean")
    """
    _, axes = plt.subplots(figsize=(_WIDTH, 0.9 + 0.42 * len(rows)))
    axes.axvline(value, color=_GREY, linestyle="--")
    axes.text(value, -0.6, name, color=_GREY, ha="center", va="bottom")
    for y, (point, bar, key) in enumerate(rows.values()):
        axes.errorbar(point, y, xerr=bar, fmt="o", capsize=3, color=COLORS[key])
    axes.set(xlabel=xlabel, ylim=(len(rows) - 0.5, -0.5))
    axes.set_yticks(range(len(rows)), list(rows))
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.grid(visible=False, axis="y")


def plane(
    points: Mapping[str, tuple[float, float, str, str]],
    lines: Collection[tuple[str, str, str]] = (),
    rings: Collection[tuple[float, float, float, str]] = (),
    dots: Collection[tuple[float, float, float, str]] = (),
) -> None:
    """Draw places in the plane, lines between them and rings around them, all to the same scale.

    A colour is given as a key of ``ldpcourse.figures.COLORS``.

    Parameters
    ----------
    points : mapping of str to tuple
        By name: x, y, colour, and the side of the point for its name (above, below, left or right).
    lines : collection of tuple of str
        Names of two points, and a text beside the middle of their line.
    rings : collection of tuple
        x, y, radius and colour.
    dots : collection of tuple
        Places without a name: x, y, weight (the dot's area; 1 is a small dot) and colour.

    Raises
    ------
    KeyError
        If a key has no colour, a side is unknown, or a line names an unknown point.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> towns = {"A": (0, 0, "bound", "left"), "B": (3, 4, "bound", "right")}
    >>> plane(towns, lines=[("A", "B", "5 km")], rings=[(0, 0, 5, "constant")])
    """
    reach = [(x, y, 0.0) for x, y, *_ in [*points.values(), *dots]] + [ring[:3] for ring in rings]
    x, y, radius = np.array(reach, dtype=float).T
    left, top = (x - radius).min(), (y + radius).max()
    wide, high = (x + radius).max() - left, top - (y - radius).min()
    scale = min((_WIDTH - 1.2) / wide, 3.2 / max(high, 1e-9))
    aside = (_WIDTH - scale * wide) / 2
    axes = _canvas(0.7 + scale * high)

    def place(x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return aside + scale * (np.asarray(x) - left), 0.35 + scale * (top - np.asarray(y))

    angle = np.linspace(0, 2 * np.pi, 121)
    for x0, y0, r, key in rings:
        around = place(x0 + r * np.cos(angle), y0 + r * np.sin(angle))
        axes.plot(*around, color=COLORS[key], linestyle="--", linewidth=1.2)
    for x0, y0, weight, key in dots:
        axes.plot(*place(x0, y0), "o", color=COLORS[key], markersize=4 * weight**0.5)
    for start, end, label in lines:
        (x1, x2), (y1, y2) = place(*np.array([points[start][:2], points[end][:2]], dtype=float).T)
        axes.plot([x1, x2], [y1, y2], color=_GREY, linewidth=1.2, zorder=1)
        along = np.array([x2 - x1, y2 - y1]) * (1 if x2 >= x1 else -1)
        right, down = along / max(np.hypot(*along), 1e-9)
        # The text is above a flat line, and to the right of a steep one.
        at = (x1 + x2) / 2 + 0.12 * abs(down), (y1 + y2) / 2 - 0.07 * abs(right)
        steep = abs(down) > 0.5
        axes.text(*at, label, ha="left" if steep else "center", va="center" if steep else "bottom")
    sides = {
        "above": (0, -0.1, "center", "bottom"),
        "below": (0, 0.1, "center", "top"),
        "left": (-0.12, 0, "right", "center"),
        "right": (0.12, 0, "left", "center"),
    }
    for name, (x0, y0, key, side) in points.items():
        px, py = place(x0, y0)
        axes.plot(px, py, "o", color=COLORS[key], markersize=7)
        dx, dy, ha, va = sides[side]
        axes.text(float(px) + dx, float(py) + dy, name, ha=ha, va=va)


def shares(rows: Mapping[str, float | None], classes: tuple[str, str]) -> None:
    """Draw bars of the same length, each divided between two classes, or hatched where the share is unknown.

    Parameters
    ----------
    rows : mapping of str to float or None
        Share of the first class by the name of its bar.
    classes : tuple of str
        Names of the two classes, at the left and at the right.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> shares({"district 1": 0.1, "district 2": 0.9, "town": None}, ("yes", "no"))
    """
    step = _HIGH + 0.12
    left = 0.2 + _LETTER * max(map(len, rows))
    long = _WIDTH - 0.1 - left
    axes = _canvas(0.35 + len(rows) * step)
    axes.text(left, 0.22, classes[0], va="bottom")
    axes.text(left + long, 0.22, classes[1], ha="right", va="bottom")
    for i, (name, share) in enumerate(rows.items()):
        y = 0.3 + i * step
        middle = y + _HIGH / 2
        axes.text(left - 0.12, middle, name, ha="right", va="center")
        hatch = "///" if share is None else None
        axes.add_patch(Rectangle((left, y), long, _HIGH, facecolor="none", edgecolor=_GREY, hatch=hatch))
        if share is None:
            continue
        filled = Rectangle((left, y), share * long, _HIGH, facecolor=_SHADE, edgecolor=_GREY)
        axes.add_patch(filled)
        axes.text(left + share * long / 2, middle, f"{share:.3g}", ha="center", va="center")
        axes.text(left + (1 + share) * long / 2, middle, f"{1 - share:.3g}", ha="center", va="center")
