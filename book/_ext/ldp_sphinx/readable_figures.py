"""Sphinx extension: figures are never shown so small that their letters cannot be read.

On a phone figures shrink to the screen. A figure whose letters would become too small keeps a minimum width
instead, in its own box that scrolls.
"""

import re
from pathlib import Path

SMALLEST = 9  # px, smallest size of a letter on the screen
NARROW = 330  # px, width of a figure on a narrow phone
_IMAGE = re.compile(r'<img\b[^>]*\bsrc="[^"]*_images/([^"/]+\.svg)"[^>]*>')
# Matplotlib draws letters as outlines with 100 units per em.
_LETTERS = re.compile(r'transform="translate\([^)]*\)(?: rotate\([^)]*\))? scale\(([\d.]+)')


def least_width(drawing: str) -> float:
    """Width in px at which the smallest letters of a drawing have size ``SMALLEST``; 0 without letters."""
    sizes = [100 * float(scale) for scale in _LETTERS.findall(drawing)]
    (width,) = re.findall(r'viewBox="0 0 ([\d.]+)', drawing)[:1]
    return SMALLEST * float(width) / min(sizes) if sizes else 0


def _keep_legible(app, pagename, templatename, context, doctree):
    if app.builder.name != "html" or "body" not in context:
        return
    files = {name: Path(app.srcdir, path) for path, name in app.builder.images.items()}

    def boxed(image: re.Match[str]) -> str:
        width = least_width(files[image[1]].read_text(encoding="utf-8"))
        if width <= NARROW:
            return image[0]
        kept = image[0].replace("<img", f'<img style="min-width: {width:.0f}px"', 1)
        return f'<span class="wide-figure">{kept}</span>'

    context["body"] = _IMAGE.sub(boxed, context["body"])


def setup(app):
    app.connect("html-page-context", _keep_legible, priority=900)  # after the slides, which scale figures
    return {"parallel_read_safe": True}
