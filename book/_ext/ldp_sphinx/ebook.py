"""Sphinx extension: the book as EPUB (`make epub`), with formulas as MathML (typeset.py).

E-book readers have no JavaScript, but they display MathML, scale it with the text and can read it aloud.
Elements that work only on the pages (buttons, folding, live panels) are removed. The result is valid EPUB 3,
which `make epub` checks with epubcheck.
"""

import re
from pathlib import Path

from bs4 import BeautifulSoup, Comment
from sphinx.builders.epub3 import Epub3Builder

import ldpbook
from ldp_sphinx import NAME, policy
from ldp_sphinx.typeset import put_back, set_aside

STATIC = {"cover.png", "ebook.css", "pygments.css"}
# This identifies the book, not an edition, so that e-readers replace an older copy with a newer one.
IDENTIFIER = "urn:uuid:9d6a6f0e-3c0f-5a53-9e0a-6f1d0c2b7a41"
LICENCE = "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/; code under the MIT License"
# Metadata of EPUB Accessibility 1.1. The tests check that the e-book keeps these promises.
ACCESSIBILITY = [
    ("accessMode", "textual"),
    ("accessMode", "visual"),
    ("accessModeSufficient", "textual"),
    ("accessModeSufficient", "textual,visual"),
    ("accessibilityFeature", "alternativeText"),
    ("accessibilityFeature", "MathML"),
    ("accessibilityFeature", "structuralNavigation"),
    ("accessibilityFeature", "tableOfContents"),
    ("accessibilityFeature", "readingOrder"),
    ("accessibilityHazard", "none"),
    (
        "accessibilitySummary",
        "Formulas are MathML; every figure has an alternative text with what it shows, in words and numbers.",
    ),
]
LANDMARKS = """<nav epub:type="landmarks" hidden="hidden"><h2>Landmarks</h2><ol>
<li><a epub:type="bodymatter" href="book/index.xhtml">The book</a></li>
<li><a epub:type="bibliography" href="book/reference/bibliography.xhtml">Bibliography</a></li>
</ol></nav>
"""


# Drawings stay, except the map: its list says the same, with links that work in every e-reader.
UNWANTED = (
    "script, style, svg:not(.drawing), .chapter-map, .score, .be-worker, button, .live-title,"
    " .tag_hide-input > details"
)


def tidy_page(html: str) -> str:
    html, formulas = set_aside(html)
    page = BeautifulSoup(html, "html.parser")
    for live in page.select(UNWANTED):
        live.decompose()
    for note in page.select(".live-note"):
        note.contents[0].replace_with("On the book's pages, with sliders; in Python, with ")
    for comment in page.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    for repeated in page.select("meta[name=viewport]")[1:]:
        repeated.decompose()
    for aligned in page.select("[halign], [valign]"):
        del aligned["halign"], aligned["valign"]
    for sheet in page.select("link[rel=stylesheet]"):
        if Path(sheet["href"]).name not in STATIC:
            sheet.decompose()
    for paragraph in page.select("summary p, span p, p:has(> ul)"):
        paragraph.unwrap()
    seen = set()
    for named in page.select("[id]"):  # sphinx-proof and sphinx-exercise give all contents the same id
        if named["id"] in seen:
            del named["id"]
        else:
            seen.add(named["id"])
    for wide in page.select("div.math"):  # any formula may scroll on a small screen, so keys must reach it
        wide["tabindex"] = "0"
    for folded in page.select("details"):  # a reader that cannot unfold would never show it
        folded.name = "div"
        del folded["open"]
        folded.summary.name = "p"
    tidied = str(page).replace("viewbox=", "viewBox=")  # the parser lowers the case; XML needs it
    return put_back(tidied, formulas)


def tidy_figure(svg: str) -> str:
    """Drop the document type, which names remote files, and give paths that draw nothing an empty ``d``."""
    svg = re.sub(r"<!DOCTYPE.*?>", "", svg, count=1, flags=re.DOTALL)
    return re.sub(r"<path (?![^>]*\bd=)", '<path d="" ', svg)


class BookEpub(Epub3Builder):
    math_renderer_name = "mathml"

    def init(self) -> None:
        self.config.pygments_style = "a11y-high-contrast-light"  # as on the pages
        super().init()
        self.config.html_domain_indices = []  # no indices of modules and theorems: only pages have them
        language = self.config.language
        self.html_tag = self.html_tag.replace("<html", f'<html lang="{language}" xml:lang="{language}"')

    def handle_finish(self) -> None:
        for file in Path(self.outdir, "_static").rglob("*"):
            if file.is_file() and file.name not in STATIC:
                file.unlink()
        super().handle_finish()

    def toc_metadata(self, level, navpoints):
        return {**super().toc_metadata(level, navpoints), "uid": IDENTIFIER}

    def build_content(self) -> None:
        """Add to Sphinx's manifest which pages have formulas or drawings, and the accessibility metadata."""
        super().build_content()
        manifest = Path(self.outdir, "content.opf")
        text = manifest.read_text(encoding="utf-8")
        for page in Path(self.outdir).rglob("*.xhtml"):
            name, html = page.relative_to(self.outdir).as_posix(), page.read_text(encoding="utf-8")
            held = [
                kind for kind, tag in (("mathml", "<math"), ("svg", '<svg class="drawing')) if tag in html
            ]
            if held:
                entry = rf'(<item [^>]*href="{re.escape(name)}")'
                text = re.sub(entry, rf'\1 properties="{" ".join(held)}"', text)
        said = "".join(f'<meta property="schema:{name}">{value}</meta>\n' for name, value in ACCESSIBILITY)
        text = text.replace("</metadata>", f"{said}</metadata>")
        text = re.sub(r"<dc:contributor>.*</dc:contributor>", "", text)  # Sphinx writes "unknown"
        manifest.write_text(text, encoding="utf-8")

    def build_navigation_doc(self) -> None:
        super().build_navigation_doc()
        contents = Path(self.outdir, "nav.xhtml")
        text = contents.read_text(encoding="utf-8")
        text = text.replace('<nav epub:type="toc">', '<nav epub:type="toc" role="doc-toc">')
        contents.write_text(text.replace("</body>", f"{LANDMARKS}</body>"), encoding="utf-8")

    def build_epub(self) -> None:
        for path in Path(self.outdir).rglob("*"):
            tidy = {".xhtml": tidy_page, ".svg": tidy_figure}.get(path.suffix)
            if tidy:
                text = tidy(path.read_text(encoding="utf-8"))
                path.write_text(text, encoding="utf-8")
                policy.warn_of(policy.running(text), path.relative_to(self.outdir).as_posix())
        super().build_epub()


def _describe(app, config):
    config.epub_title = config.html_title
    config.epub_author = config.epub_publisher = config.author
    config.epub_description = "An executable textbook in which every claim of its sources gets a verdict."
    config.epub_copyright = LICENCE
    config.epub_basename = NAME
    config.epub_css_files = ["ebook.css"]
    config.epub_cover = ("_static/cover.png", "epub-cover.html")
    config.epub_identifier = IDENTIFIER
    config.epub_uid = "book"
    config.epub_scheme = "UUID"
    config.epub_show_urls = "no"
    config.epub_tocdepth = 2
    config.epub_use_index = False  # e-readers can search
    config.epub_tocscope = "includehidden"
    config.version = ldpbook.__version__


def setup(app):
    app.add_builder(BookEpub, override=True)
    app.connect("config-inited", _describe)
    return {"parallel_read_safe": True}
