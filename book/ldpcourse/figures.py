"""The book's figures: one style, one colour per mechanism, and the same bytes in every run.

Needs matplotlib and IPython, which the package itself does not require.
"""

import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ldpbook._extras import extra

with extra("book"):
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from IPython.core.getipython import get_ipython
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection, PathCollection
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator
    from matplotlib_inline.backend_inline import set_matplotlib_formats


__all__ = [
    "COLORS",
    "curve",
    "label_curves",
    "level",
    "log_ticks",
    "new_axes",
    "plot_means",
    "points",
    "use_book_style",
]


Pixels = NDArray[np.float64]


class _Look(NamedTuple):
    """Style of a key: its colour, the dash of its curves, and the marker of its points."""

    color: str
    dash: str | tuple[int, tuple[float, ...]]
    marker: str


# The Okabe-Ito palette, with blue and purple moved apart and brown instead of orange. So each colour has a
# contrast of 3 with the light and the dark page, and colour-blind readers can distinguish colours in the same
# figure. Dashes and markers give the same information without colour. Dashes and gaps are in line widths.
_VERMILLION, _BLUE, _GREEN, _PURPLE, _BROWN = "#D55E00", "#0059A8", "#009E73", "#B480B4", "#7A4200"
_BLACK, _GREY = "#000000", "#555555"
_LONG = (0, (8.0, 2.0))
_LOOSE_DASHES = (0, (3.0, 5.0))
_DASH_DOT_DOT = (0, (4.5, 1.5, 1.0, 1.5, 1.0, 1.5))
_LOOSE_DOTS = (0, (1.0, 4.0))
_LOOKS = {
    "LP": _Look(_VERMILLION, _LONG, "o"),
    "RR": _Look(_BLUE, _DASH_DOT_DOT, "s"),
    "MF": _Look(_GREEN, _LOOSE_DASHES, "^"),
    "constant": _Look(_GREY, "--", "<"),
    "bound": _Look(_BLACK, "-", "D"),
    "printed": _Look(_PURPLE, "-.", "x"),
    "other": _Look(_BROWN, ":", "v"),
    "one layer": _Look(_BLUE, _LONG, "s"),
    "two layers": _Look(_VERMILLION, _DASH_DOT_DOT, "o"),
    "sum-product": _Look(_BLUE, _LONG, "X"),
    "source update": _Look(_GREEN, _DASH_DOT_DOT, "^"),
    "perturbed": _Look(_VERMILLION, _LOOSE_DASHES, "o"),
    "scaled Dirichlet": _Look(_BLUE, _LONG, "P"),
    "Laplace": _Look(_VERMILLION, _LOOSE_DOTS, "o"),
    "Laplace prior": _Look(_BROWN, _LOOSE_DASHES, "s"),
    "Gaussian": _Look(_GREEN, _DASH_DOT_DOT, "v"),
    "counting": _Look(_GREEN, _LOOSE_DOTS, "s"),
    "pSVM": _Look(_VERMILLION, _LONG, "v"),
    "adjusted pSVM": _Look(_BROWN, _DASH_DOT_DOT, "X"),
    "MMD": _Look(_BLUE, _LOOSE_DASHES, "P"),
    "instance labels": _Look(_PURPLE, ":", "^"),
    "majority": _Look(_BROWN, _LOOSE_DASHES, "v"),
    "Dawid-Skene": _Look(_GREEN, _DASH_DOT_DOT, "D"),
    "known channel": _Look(_BLUE, "-", "s"),
    "eigenvector": _Look(_VERMILLION, _LONG, "*"),
    "unary encoding": _Look(_VERMILLION, _LOOSE_DASHES, "D"),
    "subset selection": _Look(_GREEN, _LONG, ">"),
    # Keys for comparing the remedies, and the whole worker's three units of protection.
    "threshold response": _Look(_BROWN, "-", "*"),
    "best mechanism": _Look(_PURPLE, "-.", "P"),
    "limit": _Look(_BLACK, ":", "d"),
    "cell": _Look(_BLUE, _LONG, "^"),
    "worker": _Look(_VERMILLION, _DASH_DOT_DOT, "P"),
    "shuffled": _Look(_GREEN, _LOOSE_DASHES, "*"),
}
COLORS = {key: look.color for key, look in _LOOKS.items()}
_WIDTH = 4.1  # inches; with its margins a figure has at most 4.3
_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,  # bars hide the grid
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "white",
    "font.size": 11,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "legend.handlelength": 2.6,  # long enough to show the longest dash pattern
    "lines.linewidth": 1.8,
    "savefig.facecolor": "white",
}


def use_book_style() -> None:
    """Set the book's style and make notebooks show figures as reproducible SVG.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> use_book_style()
    >>> mpl.rcParams["axes.grid"]
    True
    """
    mpl.rcParams.update(_STYLE)
    shell = get_ipython()
    if shell is not None and shell.display_formatter is not None:
        set_matplotlib_formats("svg")  # type: ignore[no-untyped-call]
        shell.display_formatter.formatters["image/svg+xml"].for_type(Figure, _svg)


def _svg(figure: Figure) -> str:
    """SVG without a date or matplotlib's version, with coordinates to a hundredth of a point.

    Rounding removes the last digits, which differ between processors, so that figures can be compared
    strictly.
    """
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    # The scale of the letters' outlines is not a coordinate, and rounding it would distort them.
    return _number_ids(re.sub(r"scale\([^)]*\)|-?\d+\.\d{3,}", _hundredths, buffer.getvalue()))


def _number_ids(text: str) -> str:
    """Rename clips and markers by their order, since matplotlib's names depend on unrounded coordinates."""
    names = re.compile(r'(?<=[#"])(\w*?)[0-9a-f]{10}(?=[")])')
    drawing = names.sub(r"\1", text)
    figure = hashlib.sha256(drawing.encode()).hexdigest()[:8]  # two figures may share a page
    order: dict[str, int] = {}
    return names.sub(lambda name: f"{name[1]}{order.setdefault(name[0], len(order))}-{figure}", text)


def _hundredths(number: re.Match[str]) -> str:
    if number[0].startswith("scale"):
        return number[0]
    return f"{round(float(number[0]), 2) + 0:g}"  # adding 0 makes -0 a 0


def new_axes(n_panels: int = 1) -> list[Axes]:
    """Axes of a new figure, one below the other.

    The figure is 4.2 inches wide, so that a phone 390 pixels wide shows its letters at 9 points.

    Parameters
    ----------
    n_panels : int
        Number of panels, which share both axes.

    Returns
    -------
    list of Axes
        One for each panel.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> len(new_axes(2))
    2
    """
    height = 3.2 if n_panels == 1 else 2.5 * n_panels
    # The resolution is set here, because names are placed by pixels and importing QuaPy changes the default.
    _, axes = plt.subplots(
        n_panels, 1, figsize=(_WIDTH, height), dpi=100, sharex=True, sharey=True, squeeze=False
    )
    return list(axes[:, 0])


def curve(
    axes: Axes, x: ArrayLike, y: ArrayLike, key: str, label: str | None = None, style: str | None = None
) -> None:
    """Draw a curve with the colour and the dash of its key.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    x, y : array_like, shape (k,)
        Points.
    key : str
        Key of `COLORS`, which gives the colour.
    label : str, optional
        Entry of the legend.
    style : str, optional
        Matplotlib's format, a line style or a marker, for a variant; by default the key's own dash.

    Raises
    ------
    KeyError
        If `key` has no colour.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> curve(new_axes()[0], [0, 1], [2, 3], "LP", "simulated")
    """
    look = _LOOKS[key]
    if style is None:
        axes.plot(x, y, linestyle=look.dash, color=look.color, label=label)
    else:
        axes.plot(x, y, style, color=look.color, label=label)


def label_curves(axes: Axes, places: Mapping[str, tuple[float, float]] | None = None) -> None:
    """Write the name of each curve beside it, in its colour, where it covers nothing; draw no legend.

    Call it last: another title or limit would move the curves away from their names.

    Parameters
    ----------
    axes : Axes
        Axes with one to five labelled curves or sets of points.
    places : mapping of str to tuple of float, optional
        By name: position of its middle, in the units of the axes, instead of the place found.

    Raises
    ------
    ValueError
        If there are no names or more than five, one in `places` is unknown, or one finds no room.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> (axes,) = new_axes()
    >>> curve(axes, [0, 1], [2, 3], "LP", "simulated")
    >>> label_curves(axes)
    >>> axes.texts[0].get_text()
    'simulated'
    """
    handles, names = axes.get_legend_handles_labels()
    places = dict(places or {})
    if not 1 <= len(names) <= 5:
        raise ValueError(f"axes must have one to five labelled curves, got {len(names)}")
    if unknown := places.keys() - set(names):
        raise ValueError(f"places must name curves of the axes, got {sorted(unknown)}")
    axes.get_figure(root=True).draw_without_rendering()  # type: ignore[union-attr]  # now the layout is known
    tracks = [_pixels(axes, handle) for handle in handles]
    taken = np.concatenate([_pixels(axes, mark) for mark in [*axes.lines, *axes.collections]])
    for k in sorted(range(len(names)), key=lambda k: names[k] not in places):
        text = axes.text(0, 0, names[k], color=_ink(handles[k]), ha="center", va="center")
        half = np.array([text.get_window_extent().width, text.get_window_extent().height]) / 2
        if names[k] in places:
            middle = axes.transData.transform(places[names[k]])
        else:
            others = np.concatenate([*tracks[:k], *tracks[k + 1 :], np.empty((0, 2))])
            found = _free_places(axes, tracks[k], others, taken, half)
            if not len(found):
                raise ValueError(f"no room for the name {names[k]!r}: give its place, or make room")
            middle = found[0]
        x, y = axes.transData.inverted().transform(middle)
        text.set_position((x, y))
        corners = np.stack(np.meshgrid(*np.linspace(-half, half, 9).T), axis=-1).reshape(-1, 2)
        taken = np.concatenate([taken, middle + corners])


def _free_places(axes: Axes, track: Pixels, others: Pixels, taken: Pixels, half: Pixels) -> Pixels:
    """Middles of a name that cover nothing: first those near its curve and far from the others."""
    sides = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])
    steps = np.concatenate([sides * (half + apart) for apart in (6, 14, 24)])
    found = (track[:: len(track) // 500 + 1, np.newaxis] + steps).reshape(-1, 2)
    low, high = axes.get_window_extent().get_points()
    found = found[np.all((found - half >= low) & (found + half <= high), axis=1)]
    found = found[np.min(_gaps(found, taken, half), axis=1, initial=np.inf) >= 4]
    near = np.min(_gaps(found, track, half), axis=1, initial=np.inf)
    far = np.min(_gaps(found, others, half), axis=1, initial=30)  # farther than this is far enough
    best_first: Pixels = found[np.lexsort((-found[:, 0].round(), (near - far).round()))]
    return best_first


def _gaps(middles: Pixels, marks: Pixels, half: Pixels) -> Pixels:
    """Distances in pixels from rectangles with the given middles to points."""
    beyond = np.maximum(np.abs(middles[:, np.newaxis] - marks) - half, 0)
    gaps: Pixels = np.hypot(beyond[..., 0], beyond[..., 1])
    return gaps


def _pixels(axes: Axes, mark: Any) -> Pixels:
    """Pixels that a curve or points cover inside the axes: along lines, and at the edges of markers."""
    if isinstance(mark, ErrorbarContainer):
        mark = mark.lines[0]
    if isinstance(mark, PathCollection):
        corners = mark.get_offset_transform().transform(np.ma.getdata(mark.get_offsets()))
        linked, marked = False, True
    elif isinstance(mark, Collection):
        paths = [mark.get_transform().transform_path(path).interpolated(50) for path in mark.get_paths()]
        corners = np.concatenate([*(path.vertices for path in paths), np.empty((0, 2))])
        corners = corners[:: len(corners) // 5000 + 1]  # a band's outline has a great many
        linked, marked = False, False
    else:
        corners = mark.get_transform().transform(np.column_stack(mark.get_data(orig=False)))
        linked, marked = mark.get_linestyle() != "None", mark.get_marker() not in ("None", None, "")
    corners = corners[np.isfinite(corners).all(axis=1)]
    edges = [corners + 4 * np.array(side) for side in ((-1, 0), (1, 0), (0, -1), (0, 1))] if marked else []
    if linked and len(corners):
        along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
        at = np.linspace(0, along[-1], int(along[-1] / 3) + 1)
        corners = np.column_stack([np.interp(at, along, side) for side in corners.T])
    corners = np.concatenate([corners, *edges])
    low, high = axes.get_window_extent().get_points()
    inside: Pixels = corners[np.all((corners >= low - 1) & (corners <= high + 1), axis=1)]
    return inside


def _ink(mark: Any) -> tuple[float, ...]:
    """The colour of a curve, darker, so that its name is as easy to read as other text."""
    if isinstance(mark, ErrorbarContainer):
        mark = mark.lines[0]
    color: Any = mark.get_facecolor()[0] if isinstance(mark, Collection) else mark.get_color()
    return tuple(0.7 * part for part in mpl.colors.to_rgb(color))


def level(axes: Axes, y: float, key: str, label: str | None = None, style: str | None = None) -> None:
    """Draw a horizontal line with the colour and the dash of its key.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    y : float
        Height of the line.
    key : str
        Key of `COLORS`, which gives the colour.
    label : str, optional
        Entry of the legend.
    style : str, optional
        Matplotlib's line style, for a variant; by default the key's own dash.

    Raises
    ------
    KeyError
        If `key` has no colour.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> level(new_axes()[0], 4.5, "constant", "constant 4.5")
    """
    axes.axhline(y, linestyle=style or _LOOKS[key].dash, color=COLORS[key], label=label)


def points(axes: Axes, x: ArrayLike, y: ArrayLike, error: ArrayLike, key: str, label: str) -> None:
    """Draw measured points with the marker of their key and bars of two standard errors.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    x, y, error : array_like, shape (k,)
        Points and the standard errors of `y`.
    key : str
        Key of `COLORS`, which gives the colour.
    label : str
        Entry of the legend.

    Raises
    ------
    KeyError
        If `key` has no colour.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> points(new_axes()[0], [0, 1], [2, 3], [0.1, 0.1], "LP", "measured")
    """
    look = _LOOKS[key]
    bars = 2 * np.asarray(error)
    axes.errorbar(x, y, bars, fmt=look.marker, capsize=2, color=look.color, label=label)


def log_ticks(axes: Axes, ticks: Sequence[float]) -> None:
    """Make the horizontal axis logarithmic, labelled at the given values in plain numbers.

    Parameters
    ----------
    axes : Axes
        Axes to change.
    ticks : sequence of float
        Values to label, > 0.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> log_ticks(new_axes()[0], [0.1, 1, 10])
    """
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())


def plot_means(axes: Axes, means: pd.DataFrame, x: str, names: Sequence[str]) -> None:
    """Draw means joined by lines, with bars of two standard errors and one marker for each mechanism.

    A name is a mechanism, or a mechanism, a comma and its variant: "MF, d = 2".

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    means : DataFrame
        Columns mechanism, `x`, mean, error, as returned by
        :func:`ldpbook.foundations.randomness.mean_and_error`.
    x : str
        Column of the horizontal axis.
    names : sequence of str
        Mechanisms to draw, in the order of the legend.

    Raises
    ------
    KeyError
        If a name has no colour or `means` lacks a column.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> means = pd.DataFrame({"mechanism": ["LP"], "epsilon": [1.0], "mean": [2.0], "error": [0.1]})
    >>> plot_means(new_axes()[0], means, "epsilon", ["LP"])
    """
    drawn: list[str] = []
    for name in names:
        rows = means[means["mechanism"] == name]
        key = name.split(",")[0]
        look = _LOOKS[key]
        axes.errorbar(
            rows[x],
            rows["mean"],
            yerr=2 * rows["error"],
            color=look.color,
            marker=look.marker,
            linestyle="-." if key in drawn else "-",  # a second variant of a mechanism
            markerfacecolor="white" if key in drawn else look.color,
            markersize=5,
            capsize=2,
            label=name,
        )
        drawn.append(key)
