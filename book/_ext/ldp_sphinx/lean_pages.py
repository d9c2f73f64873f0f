"""Sphinx extension: make pages smaller, without a change on the screen or for a screen reader.

Spans of code are dropped where they have the colour of the code around them, and merged where neighbours have
the same colour. The image of a figure states its size, and is fetched when a reader comes near it. A page
loads only the scripts and style sheets for what it contains.
"""

import re
from pathlib import Path

from ldp_sphinx import pages, when_written

_PLAIN = re.compile(r'<span class="(?:n|nn|p|w)">([^<]*)</span>')
# Kinds of code, and the kind that has the same colour in both themes.
_COLOURS = {
    **dict.fromkeys(("kc", "kn", "ow"), "k"),
    **dict.fromkeys(("bp", "mf", "mi", "mo", "nb", "nd"), "m"),
    **dict.fromkeys(("s1", "s2", "sa", "sd", "se", "si"), "o"),
}
_KIND = re.compile(r'<span class="(\w{1,2})">')
_BESIDE = re.compile(r"(<span class=(\w{1,2})>[^<]*)</span>(\s*)<span class=\2>")
_CODE = re.compile(r'<div class="highlight">.*?</div>', re.DOTALL)
_BETWEEN_TAGS = re.compile(r"(<(pre|script|textarea)\b.*?</\2>)|(?<=>)\s*\n\s*(?=<)", re.DOTALL)
_IMAGE = re.compile(r'<img\b(?![^>]*\bwidth=)[^>]*\bsrc="[^"]*_images/([^"/]+\.svg)"[^>]*>')
_SIZE = re.compile(r'<svg\b[^>]*\bwidth="([\d.]+)pt" height="([\d.]+)pt"')
_FOR = {
    "be-the-worker.js": "be-worker",
    "chooser.js": 'class="chooser',
    "chtml.css": "<mjx-container",
    "clipboard.min.js": 'class="highlight',
    "copybutton.css": 'class="highlight',
    "copybutton.js": 'class="highlight',
    "design-tabs.js": "sd-tab-set",
    "fields.js": "answer-field",
    "flip.js": 'class="flip',
    "ledger.js": "the-claims-ledger",
    "live.js": "live-panel",
    "map.js": "chapter-map",
    "play.js": 'class="play"',
    "steps.js": 'class="steps',
    "togglebutton.css": "dropdown admonition",
    "togglebutton.js": "dropdown admonition",
}
_PX = 4 / 3  # of a point


def code(html: str) -> str:
    """Code with spans only where the colour changes."""
    html = _KIND.sub(
        lambda found: f"<span class={_COLOURS.get(found[1], found[1])}>", _PLAIN.sub(r"\1", html)
    )
    html, times = html.replace("<span></span>", ""), 1
    while times:
        html, times = _BESIDE.subn(r"\1\3", html)
    return html


def lean(body: str) -> str:
    return _CODE.sub(lambda found: code(found[0]), body)


def unindented(html: str) -> str:
    """A page without the white space that only indents its tags."""
    return _BETWEEN_TAGS.sub(lambda found: found[1] or "\n", html)


def sized(image: str, drawing: str) -> str:
    """The image of a figure with the figure's size, to be fetched only when a reader comes near it."""
    found = _SIZE.search(drawing)
    if not found:
        return image
    width, height = (round(float(points) * _PX) for points in found.groups())
    return image.replace("<img", f'<img loading="lazy" width="{width}" height="{height}"', 1)


def wanted(files: list, body: str) -> list:
    """Those of the scripts or style sheets that a page should load."""

    def serves(file) -> bool:
        name = str(file.filename).rpartition("/")[2].partition("?")[0]
        return name not in _FOR or _FOR[name] in body

    return [file for file in files if serves(file)]


def _make_lean(app, pagename, templatename, context, doctree):
    if app.builder.name != "html" or "body" not in context:
        return
    for kind in ("script_files", "css_files"):
        context[kind] = wanted(context[kind], context["body"])
    files = {name: Path(app.srcdir, path) for path, name in app.builder.images.items()}
    context["body"] = _IMAGE.sub(
        lambda found: sized(found[0], files[found[1]].read_text(encoding="utf-8")), lean(context["body"])
    )


def _unindent(app, outdir: Path) -> None:
    for page in pages(outdir):
        page.write_text(unindented(page.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app):
    app.connect("html-page-context", _make_lean, priority=920)  # after the slides made from the page
    when_written(app, _unindent, priority=850)  # once no other module looks for what it changes
    return {"parallel_read_safe": True}
