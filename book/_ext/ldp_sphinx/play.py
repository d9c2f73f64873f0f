"""Sphinx extension: ``{play} laplace`` shows an idea of its chapter one step at a time.

A play is a table of named parts. Its module in `plays` has the state with which it opens, and computes the
parts of any state with the package. The page gets those of the opening state as a still, for print and for
readers without JavaScript.
play.js loads the play's module of the same name, which computes the same parts in the reader's browser.
"""

import json
import re
from collections.abc import Callable, Mapping
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

NAMES = ("laplace", "decoding", "layers", "row", "shuffle")
# A text, a text with its look, or the length of a bar between 0 and 1.
Part = str | tuple[str, str] | float
Parts = dict[str, Part]
State = Mapping[str, Any]
_PLACE = re.compile(r"\{(\w+)\}")


class Play(NamedTuple):
    """What the module of a play defines: how it opens, what it shows, and its still with places {part}."""

    color: str  # the key of its mechanism in ldpcourse.figures.COLORS
    title: str
    steps: int
    start: State
    parts: Callable[[State], Parts]
    rows: str
    caption: str


def play(name: str) -> Play:
    return import_module(f"ldp_sphinx.plays.{name}").PLAY


def signed(number: float, digits: int) -> str:
    """A number, with a minus sign that is as wide as a plus sign."""
    return f"{number:.{digits}f}".replace("-", "−")


def row(head: str, *cells: str, step: int = 1) -> str:
    """A row of a play's table, visible from the given step on."""
    told = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr data-step="{step}"><th scope="row">{head}</th>{told}</tr>'


def heads(*words: str) -> str:
    cells = (f'<th scope="col">{word}</th>' if word else "<td></td>" for word in words)
    return f"<thead><tr>{''.join(cells)}</tr></thead>"


def _shown(name: str, part: Part) -> str:
    if isinstance(part, float):
        return (
            '<svg class="play-bar" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">'
            f'<rect data-part="{name}" width="{part:.4f}" height="1"/></svg>'
        )
    text, look = (part, "") if isinstance(part, str) else part
    return f'<span data-part="{name}" data-look="{look}">{escape(text)}</span>'


def figure(name: str) -> str:
    """The still of a play, and what play.js needs to continue from it."""
    shown = play(name)
    parts = shown.parts(shown.start)
    rows = _PLACE.sub(lambda place: _shown(place[1], parts[place[1]]), shown.rows)
    return (
        f'<figure class="play" data-play="{name}" data-steps="{shown.steps}"'
        f' data-state="{escape(json.dumps(shown.start))}">'
        f'<table class="play-table"><caption>{shown.title}</caption>{rows}</table>'
        f'<p class="play-point" data-step="{1 if "step" in shown.start else shown.steps}">'
        f"{_shown('point', parts['point'])}</p>"
        f"<figcaption><p>{shown.caption}</p></figcaption></figure>"
    )


class PlayDirective(SphinxDirective):
    required_arguments = 1

    def run(self):
        name = self.arguments[0]
        if name not in NAMES:
            raise self.error(f"no play {name!r}, only {', '.join(NAMES)}")
        self.env.note_dependency(str(Path(__file__).with_name("plays") / f"{name}.py"))
        return [nodes.raw("", figure(name), format="html")]


def setup(app):
    app.add_directive("play", PlayDirective)
    app.add_js_file("play.js", type="module")
    return {"parallel_read_safe": True}
