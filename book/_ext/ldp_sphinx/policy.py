"""Sphinx extension: pages tell the browser to run their own scripts and to load from their own origin only.

A content security policy in each page's head, since who serves the pages may not be able to set headers.
An origin is a host: whoever else serves pages from it is let in too, and a link leads anywhere.
It lists the scripts that the theme writes into a page by their hashes. What stands inside the chapter's
text is not listed, so a script smuggled into a cell does not run, whatever a reviewer has overlooked.
JupyterLite, which compiles code and fetches its interpreter, has pages of its own without a policy, and
so have pages built without npm's packages, which take MathJax from the network.
"""

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable
from html import unescape
from pathlib import Path

from ldp_sphinx import pages, when_written
from ldp_sphinx.typeset import available

_WRITTEN_HERE = re.compile(r'<article\b.*</article>|<main class="reveal">.*</main>', re.DOTALL)
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL)
_HANDLER = re.compile(r'<[^<>]*\son\w+="([^"]*)"')
_META = '<meta http-equiv="Content-Security-Policy"'
_CHARSET = re.compile(r'<meta charset="utf-8"\s*/?>')


def policy(scripts: list[str]) -> str:
    """The policy of a page that holds these inline scripts and handlers."""
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


def inline_scripts(html: str) -> list[str]:
    """Scripts that a page holds outside the text of the book."""
    frame = _WRITTEN_HERE.sub("", html, count=1)
    return [text for attributes, text in _SCRIPT.findall(frame) if " src=" not in attributes]


def handlers(html: str) -> set[str]:
    """What buttons outside the text of the book do."""
    frame = _SCRIPT.sub("", _WRITTEN_HERE.sub("", html, count=1))
    return {unescape(handler) for handler in _HANDLER.findall(frame)}


def speaker_view(plugin: str) -> list[str]:
    """Scripts of the window that Reveal's plugin for notes writes, which inherits the policy."""
    scripts = re.findall(r"<script>(.*?)<\\/script>", plugin, re.DOTALL)
    return [text.replace("\\\\", "\\") for text in scripts]


def protect(html: str, more: Iterable[str]) -> str:
    meta = f'{_META} content="{policy([*inline_scripts(html), *more])}">'
    protected, times = _CHARSET.subn(lambda charset: f"{charset[0]}\n{meta}", html, count=1)
    if not times:
        raise RuntimeError("a page does not say its character set where the policy should follow")
    return protected


def _protect_all(app, outdir: Path) -> None:
    if not available():
        return
    notes = outdir / "_static" / "reveal" / "notes.js"
    of_slides = speaker_view(notes.read_text(encoding="utf-8"))
    written = {page: page.read_text(encoding="utf-8") for page in pages(outdir)}
    # The search reads pages into its own, with their buttons.
    of_buttons = set().union(*map(handlers, written.values()))
    for page, html in written.items():
        if _META not in html:  # as on a page that an earlier build has left
            more = of_slides if page.name.endswith(".slides.html") else of_buttons
            page.write_text(protect(html, more), encoding="utf-8")


def setup(app):
    when_written(app, _protect_all, priority=900)  # after everything that changes a page
    return {"parallel_read_safe": True}
