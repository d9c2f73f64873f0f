"""Sphinx extension: pages without what changes nothing on the screen or for the ear.

Spans of code that have the colour of the code around them, spans of one kind side by side, and attributes
of formulas that mean nothing in HTML. A figure has its size, and is fetched when a reader comes near it.
Scripts and style sheets come with the pages that have what they are for.
"""

import re
from pathlib import Path

_PLAIN = re.compile(r'<span class="(?:n|p|w)">([^<]*)</span>')
_BESIDE = re.compile(r'(<span class="(\w{1,2})">[^<]*)</span><span class="\2">')
_CODE = re.compile(r'<div class="highlight">.*?</div>', re.DOTALL)
_FORMULA = re.compile(r"<mjx-container\b.*?</mjx-container>", re.DOTALL)
_MEANS_NOTHING = re.compile(
    r' (?:class="(?:MathJax|mjx-[a-z]{1,2})"|style="position: relative;"|unselectable="on"'
    r'|xmlns="http://www\.w3\.org/1998/Math/MathML"|data-mjx-texclass="\w+")'
)
# A box around a single letter, with no style of its own: the letter is a box itself.
_LETTER = re.compile(r'<(mjx-m[ino])((?: (?:space|size)="\w+")*)><mjx-c( class="[^"]*")></mjx-c></\1>')
_IMAGE = re.compile(r'<img\b(?![^>]*\bwidth=)[^>]*\bsrc="[^"]*_images/([^"/]+\.svg)"[^>]*>')
_SIZE = re.compile(r'<svg\b[^>]*\bwidth="([\d.]+)pt" height="([\d.]+)pt"')
_FOR = {
    "be-the-worker.js": "be-worker",
    "chooser.js": 'class="chooser',
    "chtml.css": "<mjx-container",
    "fields.js": "answer-field",
    "flip.js": 'class="flip',
    "ledger.js": "the-claims-ledger",
    "live.js": "live-panel",
    "map.js": "chapter-map",
    "play.js": 'class="play"',
    "steps.js": 'class="steps',
}
_PX = 4 / 3  # of a point


def code(html: str) -> str:
    """Code with spans only where the colour is another."""
    html, times = _PLAIN.sub(r"\1", html), 1
    while times:
        html, times = _BESIDE.subn(r"\1", html)
    return html


def formula(html: str) -> str:
    """A formula without what neither a style sheet nor a reader asks for."""
    return _LETTER.sub(r"<mjx-c\2\3></mjx-c>", _MEANS_NOTHING.sub("", html))


def lean(body: str) -> str:
    body = _CODE.sub(lambda found: code(found[0]), body)
    return _FORMULA.sub(lambda found: formula(found[0]), body)


def sized(image: str, drawing: str) -> str:
    """An image of a figure with the figure's size, which is fetched late."""
    found = _SIZE.search(drawing)
    if not found:
        return image
    width, height = (round(float(points) * _PX) for points in found.groups())
    return image.replace("<img", f'<img loading="lazy" width="{width}" height="{height}"', 1)


def wanted(files: list, body: str) -> list:
    """Of scripts or style sheets, those that a page is to load."""

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


def setup(app):
    app.connect("html-page-context", _make_lean, priority=920)  # after the slides, which are made of the page
    return {"parallel_read_safe": True}
