"""Contents of the stored figures, read from matplotlib's SVG.

This module sees dashes, marker shapes, fills, hatches, paints and distances of words from lines. It does
not see whether different dashes look different, whether words near a line describe it, what lies under
something else, or the contrast between two neighbours: all contrast is measured against white paper.
"""

import functools
import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from toc import CHAPTERS, notebook_cells

from ldpcourse import figures

SVG = "image/svg+xml"
LINK = "{http://www.w3.org/1999/xlink}href"
PAPER = "#ffffff"
GRID = to_hex(figures._STYLE["grid.color"])
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear(color) -> np.ndarray:
    """Linear values of the sRGB channels of a colour."""
    return linearized(np.asarray(to_rgb(color)))


def linearized(rgb: np.ndarray) -> np.ndarray:
    """Linear values of sRGB channels in 0..1."""
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def luminance(rgb: np.ndarray) -> np.ndarray:
    """WCAG's relative luminance of colours, whose channels in 0..1 are along the last axis."""
    return linearized(rgb) @ TO_XYZ[1]


def contrast(one, two) -> float:
    """WCAG's contrast ratio."""
    low, high = sorted(luminance(np.array([to_rgb(one), to_rgb(two)])))
    return (high + 0.05) / (low + 0.05)


@functools.cache
def on_paper(paint: str) -> float:
    return contrast(paint, PAPER)


@functools.cache
def over(page: str, color: str, opacity: float) -> str:
    """The colour of a translucent paint on a page."""
    ground = np.asarray(to_rgb(page))
    return to_hex(ground - opacity * (ground - to_rgb(color)))


class Mark(NamedTuple):
    """A drawn mark."""

    group: tuple[str, ...]  # matplotlib's ids from the figure to the artist
    kind: str  # line, marker, area or words
    fill: str | None  # the colours on white paper
    stroke: str | None
    dash: tuple[float, ...]  # in units of the line width
    width: float  # of the line; for words, the height of letters
    shape: str  # of a marker, independent of size; the hatch of an area
    ends: np.ndarray  # corners of a line or an area, places of a marker
    label: str = ""
    bold: bool = False

    @property
    def axes(self) -> str:
        return next((name for name in self.group if name.startswith("axes_")), "")

    @property
    def series(self) -> str:
        return self.group[-1]

    @property
    def contrast(self) -> float:
        return max((on_paper(paint) for paint in (self.fill, self.stroke) if paint), default=1.0)

    @property
    def color(self) -> str:
        """Colour of the marker's edge, otherwise of its fill."""
        return self.stroke or self.fill or PAPER

    def inside(self, *prefixes: str) -> bool:
        return any(name.startswith(prefixes) for name in self.group)

    def look(self) -> tuple:
        """All properties of a mark except colour, size and width."""
        hollow = self.kind == "marker" and self.fill in (None, PAPER)
        return self.kind, self.dash, self.shape, hollow

    @property
    def needed(self) -> float:
        """The contrast required by WCAG 2.1: 3 for graphics and large letters, 4.5 for other letters."""
        large = self.width >= 18 or (self.bold and self.width >= 14)
        return 4.5 if self.kind == "words" and not large else 3.0


def figures_of_the_book() -> Iterator[tuple[str, str]]:
    """Every stored SVG by the name of its figure."""
    for chapter in CHAPTERS:
        for cell in notebook_cells(chapter):
            for output in cell.get("outputs", ()):
                if SVG in output.get("data", {}):
                    yield cell["metadata"]["mystnb"]["figure"]["name"], "".join(output["data"][SVG])


def _style(element: ET.Element) -> dict[str, str]:
    pairs = (part.split(":", 1) for part in element.get("style", "").split(";") if ":" in part)
    return {name.strip(): value.strip() for name, value in pairs}


def _paint(style: dict[str, str], what: str) -> str | None:
    """The colour of a paint on paper."""
    color = style.get(what, "#000000" if what == "fill" else "none")
    if color == "none":
        return None
    opacity = float(style.get("opacity", 1)) * float(style.get(f"{what}-opacity", 1))
    return over(PAPER, color, opacity)


def _corners(path: str) -> np.ndarray:
    """The ends of a path's strokes, without the handles of curves."""
    found = []
    for letter, rest in re.findall(r"([MLCQ])([^MLCQz]*)", path):
        pairs = np.array(rest.split(), dtype=float).reshape(-1, 2)
        found += [*(pairs if letter in "ML" else pairs[-1:])]
    return np.array(found).reshape(-1, 2)


def _encloses(path: str) -> bool:
    """Whether a subpath has an area that a fill would show."""
    parts = [part for part in re.split(r"(?=M)", path) if part.strip()]
    return any("C" in part or len(np.unique(_corners(part), axis=0)) > 2 for part in parts)


def _shape(path: str) -> str:
    """A marker's outline in units of its size."""
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", path)]
    size = max(map(abs, numbers), default=1.0) or 1.0
    scaled = iter(numbers)
    return re.sub(r"-?[\d.]+", lambda _: f"{next(scaled) / size + 0:.1f}", " ".join(path.split()))


@functools.cache
def marks(svg: str) -> list[Mark]:
    """All marks that a figure draws, except the paper."""
    root = ET.fromstring(svg)
    known = {element.get("id"): element for element in root.iter() if element.get("id")}
    comments = dict(re.findall(r'<g id="(text_\d+)">\s*<!-- (.*?) -->', svg, re.DOTALL))
    found: list[Mark] = []

    def add(element: ET.Element, group: tuple[str, ...], above: dict[str, str]) -> None:
        style = above | _style(element)
        name = element.get("id") or ""
        if element.tag.endswith("}defs"):
            return
        if name.startswith("text_"):
            inner = next((g for g in element.iter() if "translate" in g.get("transform", "")), element)
            style |= _style(inner)
            at = re.search(r"translate\((-?[\d.]+) (-?[\d.]+)\)", inner.get("transform", ""))
            place = np.array([[float(at[1]), float(at[2])]]) if at else np.empty((0, 2))
            bold = any("Bold" in use.get(LINK, "") for use in element.iter())
            scale = re.search(r"scale\(([\d.]+)", inner.get("transform", ""))
            size = 100 * float(scale[1]) if scale else 0.0
            color = _paint(style, "fill")
            found.append(
                Mark((*group, name), "words", color, None, (), size, "", place, comments.get(name, ""), bold)
            )
        elif element.tag.endswith("}use"):
            model = known[element.get(LINK, "")[1:]]
            path = model.get("d", "")
            style |= _style(model)
            fill = _paint(style, "fill") if _encloses(path) else None
            stroke, place = _paint(style, "stroke"), np.array([[float(element.get(k, 0)) for k in "xy"]])
            if "PolyCollection" in group[-1]:  # a band, drawn as a marker of its size
                found.append(Mark(group, "area", fill, stroke, (), 0, "", place + _corners(path)))
            else:
                found.append(Mark(group, "marker", fill, stroke, (), 0, _shape(path), place))
        elif element.tag.endswith("}path"):
            path, hatch = element.get("d", ""), ""
            if style.get("fill", "").startswith("url"):
                pattern = known[style["fill"][5:-1]]
                lines = next(part for part in pattern.iter() if part.tag.endswith("}path"))
                hatch, style["fill"] = _shape(lines.get("d", "")), _style(lines)["stroke"]
            fill = _paint(style, "fill") if _encloses(path) else None
            width = float(style.get("stroke-width", 1))
            dash = tuple(
                round(float(n) / width, 1) for n in style.get("stroke-dasharray", "").split(",") if n.strip()
            )
            kind = "area" if fill else "line"
            stroke = _paint(style, "stroke")
            found.append(Mark(group, kind, fill, stroke, dash, width, hatch, _corners(path)))
        else:
            for below in element:
                add(below, (*group, name) if name else group, style)

    add(root, (), {})
    return [mark for mark in found if {mark.fill, mark.stroke} - {None, PAPER}]


def _is_cap(mark: Mark) -> bool:
    """Whether a marker is one stroke: the end of an error bar, or a tick."""
    return mark.kind == "marker" and mark.fill is None and mark.shape.count("M") == mark.shape.count("L") == 1


def _is_spine(mark: Mark) -> bool:
    """Whether a mark is an axis, the only kind of straight patch."""
    return mark.series.startswith("patch_") and mark.kind == "line" and len(mark.ends) == 2


Key = tuple[str, str, str]


def _along(mark: Mark) -> np.ndarray:
    """Points of a mark: its places or corners, and twenty steps on each stroke of a line."""
    if mark.kind != "line" or len(mark.ends) < 2:
        return mark.ends
    part = np.linspace(0, 1, 20)[:, None, None]
    return ((1 - part) * mark.ends[:-1] + part * mark.ends[1:]).reshape(-1, 2)


def _to_box(words: Mark, mark: Mark) -> float:
    """Approximate distance from the box around words to a mark, in points."""
    left, base = words.ends[0]
    low = np.array([left, base - 0.8 * words.width])
    high = np.array([left + 0.55 * words.width * len(words.label), base + 0.2 * words.width])
    at = _along(mark)
    return float(np.hypot(*np.maximum(0, np.maximum(low - at, at - high)).T).min())


def series(drawn: list[Mark]) -> dict[Key, list[Mark]]:
    """Drawn data by panel, artist and colour; a scatter has one series per colour.

    Markers on a line of their own colour belong to the line. Error bars and maps are left out.
    """
    found: dict[Key, list[Mark]] = {}
    for mark in drawn:
        others = "xtick", "ytick", "legend", "LineCollection", "QuadMesh", "QuadContourSet"
        apart = mark.kind == "words" or mark.inside(*others)
        if mark.axes and len(mark.ends) and not (apart or _is_cap(mark) or _is_spine(mark)):
            found.setdefault((mark.axes, mark.series, mark.color), []).append(mark)
    lines = {key: marks_ for key, marks_ in found.items() if all(mark.kind == "line" for mark in marks_)}
    for key, marks_ in list(found.items()):
        if any(mark.kind != "marker" for mark in marks_):
            continue
        places = np.concatenate([mark.ends for mark in marks_])
        for other, line in lines.items():
            if (other[0], other[2]) == (key[0], key[2]):
                at = np.concatenate([_along(mark) for mark in line])
                if np.linalg.norm(places[:, None] - at, axis=2).min(axis=1).max() < 2:
                    found[other] = found[other] + found.pop(key)
                    break
    return found


def _is_word(label: str) -> bool:
    return not re.fullmatch(r"[\d.,−%$\\{}^a-z]*", label) or bool(re.match("[a-z]", label))


def named(drawn: list[Mark], near: float = 12) -> set[Key]:
    """Series named by words in the panel.

    Words name the nearest line and the nearest markers within `near` points. The label of a tick names all
    markers at its height, unless it is a number.
    """
    found = set()
    each = series(drawn)
    for words in drawn:
        if words.kind != "words" or not len(words.ends) or words.inside("legend"):
            continue
        here = {key: marks_ for key, marks_ in each.items() if key[0] == words.axes}
        if words.inside("ytick"):
            middle = words.ends[0, 1] - 0.35 * words.width
            found |= {
                key
                for key, marks_ in here.items()
                if _is_word(words.label) and all(np.abs(m.ends[:, 1] - middle).max() < 5 for m in marks_)
            }
        elif not words.inside("matplotlib.axis"):
            for kind in ("line", "marker"):
                away = {
                    key: min(_to_box(words, mark) for mark in marks_)
                    for key, marks_ in here.items()
                    if marks_[0].kind == kind
                }
                if away and min(away.values()) <= near:
                    found.add(min(away, key=away.__getitem__))
    return found


def _alike(one: list[Mark], two: list[Mark]) -> bool:
    """Whether two series share dashes, shapes and fills, and neither line is twice as wide as the other."""
    widths = [max(mark.width for mark in marks_) for marks_ in (one, two)]
    looks = [{mark.look() for mark in marks_} for marks_ in (one, two)]
    return looks[0] == looks[1] and max(widths) < 2 * max(min(widths), 0.01)


def _entries(drawn: list[Mark]) -> dict[Key, list[Mark]]:
    """Samples in a legend: the marks before each of its words."""
    found: dict[Key, list[Mark]] = {}
    entry = 0
    for mark in drawn:
        if not mark.inside("legend"):
            continue
        entry += mark.kind == "words"
        sample = mark.kind != "words" and not _is_cap(mark) and not mark.inside("LineCollection")
        if sample and mark.series != "legend_1":
            found.setdefault((f"{mark.axes} legend", f"entry {entry}", mark.color), []).append(mark)
    return found


def same_but_for_colour(drawn: list[Mark]) -> list[tuple[str, str, str]]:
    """Pairs of series in one panel, or in its legend, that differ only in colour.

    A pair does not count if words in the panel name one of the two.
    """
    said = named(drawn)
    return [
        (one[0], f"{one[1]} {one[2]}", f"{two[1]} {two[2]}")
        for each in (series(drawn), _entries(drawn))
        for one, two in itertools.combinations(each, 2)
        if one[0] == two[0] and one[2] != two[2] and _alike(each[one], each[two]) and not {one, two} & said
    ]


def _is_grid(mark: Mark) -> bool:
    return mark.kind == "line" and mark.inside("xtick", "ytick") and mark.stroke == GRID


def _is_framed(mark: Mark, panel: list[Mark]) -> bool:
    """Whether an area ends only at visible lines, or at the panel's borders."""
    lines = [other for other in panel if other.kind == "line" and other.contrast >= 3]
    axes = np.concatenate([other.ends for other in lines if _is_spine(other)] or [np.empty((0, 2))])
    at_border = np.zeros(len(mark.ends), dtype=bool)
    if len(axes):
        at_border = (np.abs(mark.ends[:, None] - [axes.min(axis=0), axes.max(axis=0)]) < 0.5).any(axis=(1, 2))
    edges = [_along(line) for line in lines if line.series.startswith("line2d")]
    if mark.kind != "area" or not edges:
        return False
    at_edge = np.linalg.norm(mark.ends[:, None] - np.concatenate(edges), axis=2).min(axis=1) < 2
    return bool(at_edge.any() and (at_edge | at_border).all())


def _is_on_a_drawn_map(mark: Mark, panel: list[Mark]) -> bool:
    """Whether the regions of a map with this colour contain a name and have lines as borders."""
    if not mark.series.startswith("QuadMesh"):
        return False
    cells = [other for other in panel if other.series == mark.series]
    own = [cell.ends for cell in cells if cell.fill == mark.fill]
    places = [words.ends[0] for words in panel if words.kind == "words" and len(words.group) == 3]
    if not any(((ends.min(axis=0) <= at) & (at <= ends.max(axis=0))).all() for ends in own for at in places):
        return False
    sides: dict[frozenset, list] = {}  # of cells, by their corners
    for cell in cells:
        for one, two in itertools.pairwise([*map(tuple, cell.ends), tuple(cell.ends[0])]):
            sides.setdefault(frozenset((one, two)), []).append(cell.fill)
    borders = [np.mean(list(side), axis=0) for side, fills in sides.items() if {mark.fill} < set(fills)]
    lines = [
        m.ends for m in panel if m.series.startswith("QuadContourSet") and m.contrast >= 3 and not m.dash
    ]
    if not lines or not borders:
        return False
    size = max(np.linalg.norm(np.ptp(ends, axis=0)) for ends in own)
    away = np.linalg.norm(np.array(borders)[:, None] - np.concatenate(lines), axis=2).min(axis=1)
    return bool(away.max() < size)


def faint(drawn: list[Mark]) -> list[Mark]:
    """Marks with too little contrast to the paper, except for three kinds.

    The exceptions are the grid of the book's style, areas that end at lines, and regions of a map with
    a name and borders.
    """
    found, maps = [], {}
    for mark in drawn:
        if mark.contrast >= mark.needed or _is_grid(mark):
            continue
        panel = [other for other in drawn if other.axes == mark.axes]
        region = (mark.axes, mark.series, mark.fill)
        if region not in maps:
            maps[region] = _is_on_a_drawn_map(mark, panel)
        if not (maps[region] or _is_framed(mark, panel)):
            found.append(mark)
    return found
