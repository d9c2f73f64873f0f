"""Sphinx extension: pages tell the browser to run their own scripts and to load from their own origin only.

The content security policy is in each page's head, because the server's operator may not be able to set
headers. An origin is a whole host, so anything else on that host is allowed too; links may lead anywhere. A
script file of this origin runs; the build warns about one that is not a static file.

A script or a handler inside a page runs only if it is, word for word, one of those listed below. The list is
never collected from a page, because text of the book reaches all parts of a page: a heading also appears in
the side contents and in other pages' menus. So a script smuggled into a cell or a heading does not run, even
if a reviewer has overlooked it.

The build also warns about anything that would run and is not listed, and about anything loaded from or sent
to another host. It checks the finished pages, whatever their source looked like. Drawings are checked too,
since an SVG opened as a page runs its scripts, and so is the e-book, which has no policy.

JupyterLite compiles code and fetches its interpreter; its pages have no policy. Nor have pages built
without npm's packages, which load MathJax from the network.
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

# Scripts that the theme and the extensions write into pages. A browser's console reports those missing here.
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
# Attributes that contain an address, and addresses that are pictures.
_LEADS = {"action", "data", "formaction", "href", "poster", "src", "xlink:href"}
_PICTURE = re.compile(r"data:image/(png|svg\+xml)[;,]")
_LOADS = {"applet", "base", "embed", "frame", "iframe", "object"}
_RUNS = re.compile("javascript:|vbscript:|data:")
# Attributes whose address the browser requests by itself, or with the contents of a form.
_ASKS = {"action", "formaction", "poster", "src"}
_ASKING = {"feimage", "image", "use"}  # for these tags the browser requests their links too
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|[/\\]{2}")
_SCRIPT = re.compile(r"(\.\./)*(_static/(?!.*\.\./)|searchindex\.js$)")  # paths of the allowed script files
_SAYS_ONLY = {"alternate", "author", "canonical", "license"}  # links of a page's head that fetch nothing
_LOGGER = logging.getLogger(__name__)
_META = '<meta http-equiv="Content-Security-Policy"'
# The first such tag comes before any text of the book; the policy of an earlier build may follow it.
_CHARSET = re.compile(rf'(<meta charset="utf-8"\s*/?>)(\n{_META} content="[^"]*">)?')


def policy(scripts: Iterable[str]) -> str:
    """The policy of a page in which these inline scripts and handlers may run."""
    hashes = {f"'sha256-{b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts}
    return "; ".join(
        [
            "default-src 'self'",
            # Hashes cover handlers (the theme's buttons) only with 'unsafe-hashes'; it allows nothing else.
            " ".join(["script-src 'self' 'wasm-unsafe-eval' 'unsafe-hashes'", *sorted(hashes)]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "connect-src 'self'",
            # Python's worker is made from a blob so that it has this policy too (python.js).
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",  # which default-src does not cover
        ]
    )


class _Reader(HTMLParser):
    """Lists a page's scripts, handlers and links to scripts, and tags that load pages or remote files."""

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
            address = re.sub(r"[\x00-\x20]", "", value).lower()  # as browsers read an address
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
        """Look for tags: a browser may end a comment or a style earlier than this parser does."""
        self.found += running(data)

    handle_comment = unknown_decl = _look_inside


def running(html: str) -> list[str]:
    """Code in a finished page that would run, and tags that would load some."""
    return _Reader(html).found


def warn_of(planted: Iterable[str], page: str) -> None:
    for code in planted:
        said = " ".join(code.split())
        _LOGGER.warning("code or a load that policy.py does not allow: %s", said, location=page)


def inline(name: str) -> list[str]:
    """Scripts that may run in the page of this name; the search page shows buttons of other pages too."""
    return [*LISTED, f"DOCUMENTATION_OPTIONS.pagename = '{name}';"]


def speaker_view(plugin: str) -> list[str]:
    """Scripts of the window that Reveal's plugin for notes writes, which inherits the policy."""
    scripts = re.findall(r"<script>(.*?)<\\/script>", plugin, re.DOTALL)
    return [text.replace("\\\\", "\\") for text in scripts]


def protect(html: str, scripts: Iterable[str]) -> str:
    meta = f'{_META} content="{policy(scripts)}">'
    protected, times = _CHARSET.subn(lambda found: f"{found[1]}\n{meta}", html, count=1)
    if not times:
        raise RuntimeError("a page has no <meta charset> tag, after which the policy should go")
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
        if protected != html:  # equal on a page left by an earlier build
            page.write_text(protected, encoding="utf-8")
    for drawing in outdir.rglob("*.svg"):
        name = drawing.relative_to(outdir).as_posix()
        if not name.startswith("lite/"):
            warn_of(running(drawing.read_text(encoding="utf-8")), name)


def setup(app):
    when_written(app, _protect_all, priority=900)  # after all other changes to pages
    return {"parallel_read_safe": True}
