"""Sphinx extension: the directive ``{map}`` draws the prerequisites of each chapter, with links.

The order of the chapters is in ``_toc.yml``, and the prerequisites of a chapter are in its notebook's
metadata (``ldpbook.prerequisites``), so a new chapter appears on the map by itself. A list below the map says
the same for readers who cannot use a drawing (print, e-book, screen reader).
"""

import functools
import json
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from textwrap import wrap

import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ldp_sphinx import ROOT

TOC = ROOT / "_toc.yml"
WIDTH, TEXT, LETTERS = 360, 112, 38  # of the map; left edge of the titles; letters per line of a title
ROW, LINE, CAPTION = 24, 14, 40  # heights


@dataclass(frozen=True)
class Chapter:
    """A notebook of the book; ``needs`` are the names of the chapters to read before it."""

    name: str
    number: int
    title: str
    needs: tuple[str, ...]
    subtitle: str = ""  # the line in italics below the title
    keywords: tuple[str, ...] = ()  # other words by which readers look for it


@functools.cache
def parts() -> dict[str, list[str]]:
    """Pages of each part by its caption; a part without a caption continues the one before it."""
    toc = yaml.safe_load(TOC.read_text(encoding="utf-8"))
    found: dict[str, list[str]] = {"": [toc["root"]]}
    for part in toc["parts"]:
        caption = part.get("caption", [*found][-1])
        found.setdefault(caption, []).extend(
            page["file"] for chapter in part["chapters"] for page in (chapter, *chapter.get("sections", ()))
        )
    return found


@functools.cache
def chapters() -> dict[str, list[Chapter]]:
    """Chapters of each part that has any, in the order of reading and numbering."""
    found: dict[str, list[Chapter]] = {}
    number = 0
    for caption, pages in parts().items():
        for page in pages:
            if (path := ROOT / f"{page}.ipynb").exists():
                number += 1
                notebook = json.loads(path.read_text(encoding="utf-8"))
                title, subtitle = "".join(notebook["cells"][0]["source"]).splitlines()[:2]
                about = notebook["metadata"]["ldpbook"]
                chapter = Chapter(
                    page.removeprefix("book/"),
                    number,
                    title.removeprefix("# "),
                    tuple(about["prerequisites"]),
                    subtitle.strip("*"),
                    tuple(about["keywords"]),
                )
                found.setdefault(caption, []).append(chapter)
    return found


def subtitle(page: str) -> str:
    """The line in italics below a chapter's title; other pages have none."""
    every = (chapter for group in chapters().values() for chapter in group)
    return next((chapter.subtitle for chapter in every if f"book/{chapter.name}" == page), "")


def all_needs(chapter: str, needs: dict[str, tuple[str, ...]]) -> set[str]:
    """All direct and indirect prerequisites of a chapter; RecursionError if they form a circle."""
    return set(needs[chapter]).union(*(all_needs(name, needs) for name in needs[chapter]))


def _address(page: str, start: str) -> str:
    return posixpath.relpath(f"book/{page}.html", posixpath.dirname(start))


def _rows(plan: dict[str, list[Chapter]]) -> tuple[dict[str, tuple[float, list[str]]], float]:
    """Height and lines of each title (by chapter name) and caption (by caption), and the total height."""
    rows, y = {}, 0.0
    for caption, group in plan.items():
        y += CAPTION
        rows[caption] = (y - 12, [caption])
        for chapter in group:
            lines = wrap(f"{chapter.number}  {chapter.title}", LETTERS)
            rows[chapter.name] = (y + ROW / 2, lines)
            y += ROW + LINE * (len(lines) - 1)
    return rows, y + 6


def _label(chapter: Chapter, numbers: dict[str, int]) -> str:
    wanted = ", ".join(str(numbers[name]) for name in chapter.needs)
    return f"{chapter.number} {chapter.title}" + (f" (needs {wanted})" if wanted else " (needs no other)")


def drawing(plan: dict[str, list[Chapter]], start: str) -> str:
    """The map as SVG for the page ``start``: a row per chapter, and arcs from the chapters that it needs."""
    rows, height = _rows(plan)
    every = [chapter for group in plan.values() for chapter in group]
    numbers = {chapter.name: chapter.number for chapter in every}
    arcs, links = [], []
    for chapter in every:
        below = rows[chapter.name][0]
        for name in chapter.needs:
            above = rows[name][0]
            # A Bézier curve reaches three quarters of the way to its handles.
            far = TEXT - 12 - (TEXT - 20) * 4 / 3 * ((below - above) / height) ** 0.6
            arcs.append(
                f'<path class="map-arc{" map-far" * (name.split("/")[0] != chapter.name.split("/")[0])}"'
                f' data-from="{name}" data-to="{chapter.name}"'
                f' d="M{TEXT - 12} {above:g}C{far:.1f} {above:g} {far:.1f} {below:g} {TEXT - 12} {below:g}"/>'
            )
    for caption, group in plan.items():
        y, _ = rows[caption]
        page = posixpath.dirname(group[0].name) + "/index"
        links.append(
            f'<a href="{_address(page, start)}"><text class="map-part" x="{TEXT}" y="{y:g}">'
            f"{escape(caption)}</text></a>"
        )
        for chapter in group:
            y, lines = rows[chapter.name]
            text = "".join(
                f'<tspan x="{TEXT + 18 * (k > 0)}" y="{y + 4 + LINE * k:g}">{escape(line)}</tspan>'
                for k, line in enumerate(lines)
            )
            links.append(
                f'<a class="map-chapter" href="{_address(chapter.name, start)}" data-name="{chapter.name}">'
                f"<title>{escape(_label(chapter, numbers))}</title>"
                f'<circle cx="{TEXT - 12}" cy="{y:g}" r="4"/><text>{text}</text></a>'
            )
    return (
        f'<svg class="drawing" viewBox="0 0 {WIDTH} {height:g}" role="group"'
        f' aria-label="The chapters and what each needs first; the list below says the same.">'
        f'<g aria-hidden="true">{"".join(arcs)}</g>{"".join(links)}</svg>'
    )


def listing(plan: dict[str, list[Chapter]]) -> Iterator[str]:
    """The map as a list in Markdown."""
    numbers = {chapter.name: chapter.number for group in plan.values() for chapter in group}

    def link(name: str) -> str:
        return f"{{doc}}`{numbers[name]} </book/{name}>`"

    for caption, group in plan.items():
        yield f"- {{doc}}`{caption} </book/{posixpath.dirname(group[0].name)}/index>`"
        for chapter in group:
            needs = ", ".join(map(link, chapter.needs)) or "no other"
            yield f"  - {chapter.number} {{doc}}`/book/{chapter.name}`, needs {needs}"


class Map(SphinxDirective):
    def run(self):
        plan = chapters()
        for page in (TOC, *(ROOT / "book" / f"{c.name}.ipynb" for group in plan.values() for c in group)):
            self.env.note_dependency(str(page))
        picture = f'<div class="chapter-map">{drawing(plan, self.env.docname)}</div>'
        words = ["````{dropdown} The map as a list", *listing(plan), "````"]
        return [nodes.raw("", picture, format="html"), *self.parse_text_to_nodes("\n".join(words))]


def setup(app):
    app.add_directive("map", Map)
    app.add_js_file("map.js", type="module")
    return {"parallel_read_safe": True}
