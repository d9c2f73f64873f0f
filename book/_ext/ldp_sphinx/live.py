"""Sphinx extension: ``{live}`` adds a panel with sliders for a bound of the package.

The directive names a panel of `book/panels.yml`. Pages get its parameters as data. When the reader clicks,
live.js loads Python and calls the same function that the tests cover. Without JavaScript, a sentence says
which function to call instead; without Pyodide beside the pages, there is no panel.
"""

import json
from html import escape
from pathlib import Path

import yaml
from docutils import nodes
from ldp_browser.panels import curve
from sphinx.util.docutils import SphinxDirective

from ldp_sphinx import MODULES, ROOT
from ldpcourse import figures

PANELS = ROOT / "book" / "panels.yml"


def read_panels(file: Path) -> dict[str, dict]:
    panels = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {name: panel for name, panel in panels.items() if not name.startswith(".")}


def look(key: str) -> dict[str, str]:
    """Colour and dash of a curve in the chapters' figures, for SVG lines 2.2 pixels wide."""
    color, dash, _ = figures._LOOKS[key]
    named = {"-": (), "--": (3.7, 1.6), "-.": (6.4, 1.6, 1.0, 1.6), ":": (1.0, 1.65)}  # matplotlib's
    lengths = named[dash] if isinstance(dash, str) else dash[1]
    return {"color": color, "dash": " ".join(f"{2.2 * length:.3g}" for length in lengths) or "none"}


def section(panel: dict) -> str:
    """A panel as HTML, for live.js to bring to life."""
    panel = panel | {"looks": [look(key) for key in panel["keys"]]}
    title = escape(panel["title"])
    names = dict.fromkeys(curve(entry)["name"] for entry in panel["functions"].values())
    functions = ", ".join(f"ldpbook.{escape(name)}" for name in names)
    return (
        f'<section class="live-panel" data-panel="{escape(json.dumps(panel))}" aria-label="Live: {title}">'
        f'<p class="live-title">{title}</p>'
        '<button type="button" class="live-start btn btn-sm btn-outline-primary" hidden>Make it live</button>'
        f'<p class="live-note">The sliders need JavaScript. In Python, call <code>{functions}</code>.</p>'
        "</section>"
    )


class Live(SphinxDirective):
    required_arguments = 1

    def run(self):
        self.env.note_dependency(str(PANELS))
        panels, name = read_panels(PANELS), self.arguments[0]
        if name not in panels:
            known = ", ".join(panels)
            raise self.error(f"no live panel {name!r} in {PANELS.relative_to(ROOT)}, which has {known}")
        if not (MODULES / "pyodide").is_dir():
            return []
        return [nodes.raw("", section(panels[name]), format="html")]


def setup(app):
    app.add_directive("live", Live)
    app.add_js_file("live.js", type="module")
    return {"parallel_read_safe": True}
