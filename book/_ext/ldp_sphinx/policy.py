"""Sphinx extension: pages tell the browser to run their own scripts and to load from their own origin only.

A content security policy in each page's head, since who serves the pages may not be able to set headers.
An origin is a host: whoever else serves pages from it is let in too, and a link leads anywhere. A script
that is a file of this origin runs; the build warns of one that is no static file.

A script or a handler that stands in a page runs only if it is, word for word, one of those listed below.
None is taken from a page, for the text of the book reaches all its parts: a heading stands in the side
contents and in other pages' menus too. So one smuggled into a cell or a heading does not run, whatever a
reviewer has overlooked.

What would run and is not listed is a warning of the build besides, and so is what comes from another host or
goes to one. The finished pages are read for it, however their source spelled it. Drawings are read too, since
an SVG that is opened as a page runs its scripts, and so is the e-book, which has no policy.

JupyterLite, which compiles code and fetches its interpreter, has pages of its own without a policy, and
so have pages built without npm's packages, which take MathJax from the network.
"""

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path

from sphinx.util import logging

from ldp_sphinx import pages, when_written
from ldp_sphinx.typeset import available

# What the theme and the extensions write into pages. A browser says in its console what is missing here.
LISTED = (
    "toggleFullScreen()",
    "window.print()",
    "let toggleHintShow = 'Click to show';",
    "let toggleHintHide = 'Click to hide';",
    "let toggleOpenOnPrint = 'true';",
    "var togglebuttonSelector = '.toggle, .admonition.dropdown';",
    "DOCUMENTATION_OPTIONS.search_as_you_type = false;",
    "\n      DOCUMENTATION_OPTIONS.COLLAPSE_INDEX = true;\n    ",
    """
    document.documentElement.dataset.mode = localStorage.getItem("mode") || "auto";
    document.documentElement.dataset.theme = localStorage.getItem("theme") || "auto";
  """,
    """
    // Activate the search field on page load
    let searchInput = document.querySelector("form.bd-search input");
    if (searchInput) {
        searchInput.focus();
        searchInput.select();
        console.log("[PST]: Set focus on search field.");
    }
  """,
)
# Attributes that lead somewhere, and what is a picture in the place of one.
_LEADS = {"action", "data", "formaction", "href", "poster", "src", "xlink:href"}
_PICTURE = re.compile(r"data:image/(png|svg\+xml)[;,]")
_LOADS = {"applet", "base", "embed", "frame", "iframe", "object"}
_RUNS = re.compile("javascript:|vbscript:|data:")
# Attributes whose address the browser asks of its own accord, or with what a form holds.
_ASKS = {"action", "formaction", "poster", "src"}
_ASKING = {"feimage", "image", "use"}  # so do these tags by their links
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|[/\\]{2}")
_SCRIPT = re.compile(r"(\.\./)*(_static/(?!.*\.\./)|searchindex\.js$)")  # where scripts that are files lie
_SAYS_ONLY = {"alternate", "author", "canonical", "license"}  # links of a page's head that fetch nothing
_LOGGER = logging.getLogger(__name__)
_META = '<meta http-equiv="Content-Security-Policy"'
# The first of a page stands before anything of the book's text; an earlier build's policy may follow it.
_CHARSET = re.compile(rf'(<meta charset="utf-8"\s*/?>)(\n{_META} content="[^"]*">)?')


def policy(scripts: Iterable[str]) -> str:
    """The policy of a page in which these inline scripts and handlers may run."""
    hashes = {f"'sha256-{b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts}
    return "; ".join(
        [
            "default-src 'self'",
            # Handlers (the theme's buttons) count only with 'unsafe-hashes', which lets in no other.
            " ".join(["script-src 'self' 'wasm-unsafe-eval' 'unsafe-hashes'", *sorted(hashes)]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "connect-src 'self'",
            # Python's worker, made of a blob so that it has this policy too (python.js).
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",  # which default-src does not cover
        ]
    )


class _Reader(HTMLParser):
    """Lists scripts, handlers and links to scripts of a page, and what brings in pages or others' files."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._script = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        held = {name: value or "" for name, value in attrs}
        self._script = tag == "script" and "src" not in held and "json" not in held.get("type", "")
        if tag in _LOADS or (tag == "meta" and held.get("http-equiv", "").lower() == "refresh"):
            self.found.append(self.get_starttag_text())
        fetches = tag == "link" and held.get("rel", "").lower() not in _SAYS_ONLY
        for name, value in held.items():
            address = re.sub(r"[\x00-\x20]", "", value).lower()  # as browsers read one
            picture = tag in ("img", "image") and _PICTURE.match(address)
            asks = name in _ASKS or (name in _LEADS and (fetches or tag in _ASKING))
            leads = (name in _LEADS and _RUNS.match(address)) or (asks and _ELSEWHERE.match(address))
            script = tag == "script" and name == "src" and not _SCRIPT.match(address)
            if name.startswith("on"):
                self.found.append(value)
            elif name == "srcdoc" or script or (leads and not picture):
                self.found.append(self.get_starttag_text())

    def handle_endtag(self, tag):
        self._script = False

    def handle_data(self, data):
        if self._script:
            self.found.append(data)
        elif self.cdata_elem:
            self._look_inside(data)

    def _look_inside(self, data):
        """Of a comment or a style a browser may see the end earlier than this reader, and tags after it."""
        self.found += running(data)

    handle_comment = unknown_decl = _look_inside


def running(html: str) -> list[str]:
    """What in a finished page would run, or leads to what would."""
    return _Reader(html).found


def warn_of(planted: Iterable[str], page: str) -> None:
    for code in planted:
        said = " ".join(code.split())
        _LOGGER.warning("this would run, and is not the theme's: %s", said, location=page)


def inline(name: str) -> list[str]:
    """What may run in the page of this name. The search reads pages into its own, with their buttons."""
    return [*LISTED, f"DOCUMENTATION_OPTIONS.pagename = '{name}';"]


def speaker_view(plugin: str) -> list[str]:
    """Scripts of the window that Reveal's plugin for notes writes, which inherits the policy."""
    scripts = re.findall(r"<script>(.*?)<\\/script>", plugin, re.DOTALL)
    return [text.replace("\\\\", "\\") for text in scripts]


def protect(html: str, scripts: Iterable[str]) -> str:
    meta = f'{_META} content="{policy(scripts)}">'
    protected, times = _CHARSET.subn(lambda found: f"{found[1]}\n{meta}", html, count=1)
    if not times:
        raise RuntimeError("a page does not say its character set where the policy should follow")
    return protected


def _protect_all(app, outdir: Path) -> None:
    if not available():
        return
    notes = outdir / "_static" / "reveal" / "notes.js"
    of_slides = speaker_view(notes.read_text(encoding="utf-8"))
    for page in pages(outdir):
        name = page.relative_to(outdir).as_posix().removesuffix(".html")
        scripts = of_slides if name.endswith(".slides") else inline(name)
        html = page.read_text(encoding="utf-8")
        warn_of([code for code in running(html) if code not in scripts], name)
        protected = protect(html, scripts)
        if protected != html:  # as on a page that an earlier build has left
            page.write_text(protected, encoding="utf-8")
    for drawing in outdir.rglob("*.svg"):
        name = drawing.relative_to(outdir).as_posix()
        if not name.startswith("lite/"):
            warn_of(running(drawing.read_text(encoding="utf-8")), name)


def setup(app):
    when_written(app, _protect_all, priority=900)  # after everything that changes a page
    return {"parallel_read_safe": True}
