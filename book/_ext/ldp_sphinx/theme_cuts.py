"""Sphinx extension: remove what the theme loads or does on every page but this book does not need.

Measured with the processor at a quarter of its speed (`make bench`), a page takes a second longer to respond
without this. Each cut raises an error if the theme changes and nothing is left to cut. The theme's own fix
for its icons is in preparation (pydata-sphinx-theme, pull request 2494).
"""

import re
from pathlib import Path

from docutils import nodes

from ldp_sphinx import pages, when_written

# A button, or a link that looks like one, with a title and no name.
_UNNAMED = (
    r'<((?:button|a)\b(?=[^>]*\sclass="[^"]*\bbtn\b)(?=[^>]*\stitle="([^"]*)")(?![^>]*\saria-label=)[^>]*)>'
)


def _drop_unused(app, pagename, templatename, context, doctree):
    """Drop what the theme has for running cells on a server and for marking words that were searched for."""
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if "thebe" not in f"{script} {getattr(script, 'attributes', '')}".lower()
        and "sphinx_highlight" not in f"{script.filename}"
    ]
    context["css_files"] = [sheet for sheet in context["css_files"] if "thebe" not in f"{sheet.filename}"]


def _drop_thebe_settings(app, doctree, docname):
    for raw in list(doctree.findall(nodes.raw)):
        if "text/x-thebe-config" in raw.astext() or raw.astext().startswith("<script>kernelName"):
            raw.parent.remove(raw)


def cut(files: list[Path], pattern: str, left: str = "") -> None:
    """Replace the pattern in these files; an error if none has it."""
    times = 0
    for file in files:
        text, here = re.subn(pattern, left, file.read_text(encoding="utf-8"))
        file.write_text(text, encoding="utf-8")
        times += here
    if not times:
        raise RuntimeError(f"nothing in {files} matches {pattern}: adapt or remove this cut")


def name_buttons(files: list[Path]) -> None:
    """Give buttons the titles and names that Bootstrap's tooltips would give them."""
    cut(files, r"\bdata-bs-title=", "title=")
    cut(files, _UNNAMED, r'<\1 aria-label="\2">')


def _cut_scripts(app, outdir: Path) -> None:
    static = outdir / "_static"
    scripts, styles = [*static.glob("scripts/*.js")], [*static.glob("styles/*.css")]
    # This script of 1.5 MB draws icons that the theme's font also has.
    cut(pages(outdir), r'<script defer src="[^"]*/scripts/fontawesome\.js[^"]*"></script>')
    # Bootstrap's 81 kB would only open menus, which menus.js does.
    cut(pages(outdir), r'<link rel="preload" as="script" href="[^"]*/bootstrap\.js[^"]*" />\n?')
    cut(pages(outdir), r'<script defer src="[^"]*/bootstrap\.js[^"]*"></script>\n?')
    name_buttons(pages(outdir))
    # Pictures in menus are fetched only when a menu is opened.
    cut(pages(outdir), r'<img (?=[^>]*src="[^"]*/_static/images/logo_)', '<img loading="lazy" ')
    # docutils and the theme repeat the viewport tag; a page needs it once.
    cut(pages(outdir), r'<meta name="viewport" content="width=device-width, initial-scale=1" ?/>')
    # Scripts that wait for the page anyway must not keep it from being drawn.
    waiting = "clipboard\\.min|copybutton|sphinx-book-theme|togglebutton|design-tabs"
    cut(pages(outdir), rf'<script ((?:[\w-]+="[^"]*" )?src="[^"]*/(?:{waiting})\.js)', r"<script defer \1")
    # Source maps, another three MB, are only for debugging the theme.
    cut(scripts + styles, r"(//|/\*)# sourceMappingURL=\S+( \*/)?")
    (static / "scripts" / "bootstrap.js").unlink()
    for unused in {*static.glob("scripts/fontawesome.*"), *static.rglob("*.map")}:
        unused.unlink()
    # The theme gives each scrolling box a tabindex, with a new layout of the page for each; accessible.js
    # does the same after the browser's own layout.
    once_loaded = r'"complete"===document\.readyState\?(\w+)\(\):window\.addEventListener\("load",\1\)'
    cut([static / "scripts" / "pydata-sphinx-theme.js"], once_loaded, "void 0")


def setup(app):
    app.connect("html-page-context", _drop_unused, priority=900)
    app.connect("doctree-resolved", _drop_thebe_settings, priority=900)  # once the theme has added them
    app.add_js_file("menus.js", type="module")
    when_written(app, _cut_scripts)
    return {"parallel_read_safe": True}
