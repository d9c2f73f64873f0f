"""The whole book as one PDF: the chapters' text from the built pages, on one page, printed once by Chromium.

``make pdf`` runs this after ``make book``. A single print gives bookmarks, tags and correct inner links if
each id is used once, so all ids contain the name of their chapter. Solutions are unfolded, and live panels
are left out. Formulas are printed as pictures with a description in words, and tagged as formulas afterwards.
"""

import io
import json
import posixpath
import re
from html import escape
from urllib.parse import urlsplit

import pikepdf
from bs4 import BeautifulSoup, Tag
from ldp_sphinx import NAME, ROOT
from ldp_sphinx.chapters import parts
from ldp_sphinx.typeset import put_back, set_aside, words
from serve import browsing, serving

HTML = ROOT / "_build" / "html"
PDF = ROOT / "_build" / "pdf" / f"{NAME}.pdf"
TITLE = "Local Differential Privacy for Crowdsourcing"
LEFT_OUT = (
    ".headerlink, .live-panel, .be-worker, .answer-field, .answered, .to-slides, .tag_hide-input > details,"
    " script, svg:not(.drawing, .emblem)"
)
STYLE = """
  @page { size: A4; margin: 18mm 18mm 20mm; }
  html { font-size: 75%; }
  body { display: block; }
  /* Shadows would be printed as pictures of 13 MB. */
  .bd-article.chapter * { box-shadow: none !important; }
  .chapter { break-before: page; }
  h1.part { margin-top: 12%; break-after: avoid; }
  svg.drawing { max-width: 26rem; }
  h2.title { font-size: 2.2rem; }
  h3 { font-size: 1.7rem; }
  h4 { font-size: 1.3rem; }
  h5, h6 { font-size: 1.1rem; }
  figure, .math, table.dataframe, tr, div.proof, div.exercise { break-inside: avoid; }
  .cell_input, .cell_output > .output, div.highlight { break-inside: avoid; }
  /* Otherwise bookmarks lose the space where a title wraps. */
  h1, h2, h3, h4, h5, h6 { break-after: avoid; break-inside: avoid; white-space: pre-wrap; }
  /* Without padding, letters on the edge of a sheet are printed on both sheets and twice in the bookmarks. */
  h1, h2, h3, h4, h5, h6, p.admonition-title { padding-top: 6px; }
  details.deeper > summary { list-style: none; font-style: italic; }
  .bd-article > section > section { content-visibility: visible; }
  details > summary svg, .toggle-button, .cell details > summary { display: none !important; }
  /* Output that is folded on a page may be longer than a sheet. */
  .tag_hide-output .cell_output > .output, .tag_hide-output div.highlight { break-inside: auto; }
"""


MATHML = re.compile(r"<mjx-mml[^>]*>(<math.*?</math>)</mjx-mml>", re.DOTALL)
BLANK = '<span style="position: absolute; top: 50%; left: 0; font-size: 1px">\N{NO-BREAK SPACE}</span>'


def name_of(page: str, fragment: str = "") -> str:
    """Name of a place in the PDF, made from its chapter and its id there."""
    return f"{page}--{fragment}" if fragment else page


def spoken(formula: str) -> str:
    return words(MATHML.search(formula)[1])


def as_picture(formula: str) -> str:
    """A formula as a picture described in words.

    Chromium does not tag formulas. It tags pictures with their description, but only those that contain text
    of the page. MathJax's letters come from its style sheet instead, so the picture gets a blank that takes
    up no room. The blank is halfway down, because Chromium would leave it out on the upper edge of a sheet.
    """
    label = f'role="img" aria-label="{escape(spoken(formula))}"'
    pictured = formula.replace("<mjx-container", f"<mjx-container {label}", 1)
    return MATHML.sub(BLANK, pictured)


def tag_formulas(pdf: pikepdf.Pdf, said: set[str]) -> None:
    """Tag as formulas the pictures whose description is in ``said``, the words of all formulas."""
    for element in pdf.objects:
        if (
            isinstance(element, pikepdf.Dictionary)
            and element.get("/S") == "/Figure"
            and str(element.get("/Alt", "")) in said
        ):
            element.S = pikepdf.Name.Formula


def chapter(html: str, page: str) -> Tag:
    """A built page's text, with ids and links unique in the whole book, and headings one level lower.

    The formulas of ``html`` may have been set aside.
    """
    article = BeautifulSoup(html, "html.parser").select_one("article.bd-article")
    for unwanted in article.select(LEFT_OUT):
        unwanted.decompose()
    for named in article.select("[id]"):
        named["id"] = name_of(page, named["id"])
    for link in article.select("a[href]"):
        link["href"] = address_of(link["href"], page)
    for image in article.select("img[src]"):
        image["src"] = "../html/" + posixpath.normpath(posixpath.join(posixpath.dirname(page), image["src"]))
        del image["loading"]
    for figure in article.select("figure"):  # the picture inside it has the description
        figure["role"] = "group"
    for folded in article.select("details"):
        folded["open"] = ""
    for level in (5, 4, 3, 2, 1):
        for heading in article.select(f"h{level}"):
            heading.name = f"h{level + 1}"
    article.h2["class"] = "title"
    article["id"] = name_of(page)
    article["class"] = ["bd-article", "chapter"]
    return article


def address_of(href: str, page: str) -> str:
    """Target in the PDF of a link on a page; links that leave the book stay as they are."""
    link = urlsplit(href)
    if link.scheme or link.netloc:
        return href
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link.path)) if link.path else page
    return "#" + name_of(path.removesuffix(".html"), link.fragment)


def book(parts: dict[str, list[str]]) -> tuple[str, set[str]]:
    """All chapters as one page, and the words of its formulas."""
    first = next(iter(parts.values()))[0]
    head = BeautifulSoup((HTML / f"{first}.html").read_text(encoding="utf-8"), "html.parser").head
    sheets = [link for link in head.select("link[rel=stylesheet]") if not urlsplit(link["href"]).netloc]
    for sheet in sheets:
        sheet["href"] = sheet["href"].replace("../", "../html/", 1)
    texts, footers, said = [], [], set()
    for caption, names in parts.items():
        for name in names:
            html, formulas = set_aside((HTML / f"{name}.html").read_text(encoding="utf-8"))
            text = chapter(html, name)
            sheet = f"sheet-{len(footers)}"
            text["style"] = f"page: {sheet}"
            if caption and name == names[0]:
                part = Tag(name="h1", attrs={"class": "part"})
                part.string = caption
                text.insert(0, part)
            if not caption:
                text.h2.name = "h1"
            title = text.select_one(".title").get_text().strip()
            footers.append(
                f"@page {sheet} {{ @bottom-center {{ content: {json.dumps(title)} '   ' counter(page); }} }}"
            )
            texts.append(put_back(str(text), list(map(as_picture, formulas))))
            said |= set(map(spoken, formulas))
    whole = (
        '<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>{TITLE}</title>"
        f"{''.join(map(str, sheets))}<style>{STYLE}{''.join(footers)}</style></head><body><main>"
        f"{''.join(texts)}</main></body></html>"
    )
    return whole, said


def main() -> None:
    PDF.parent.mkdir(parents=True, exist_ok=True)
    page = PDF.with_name("book.html")
    html, said = book(parts())
    page.write_text(html, encoding="utf-8")
    with serving(PDF.parents[1]) as address, browsing() as browser:
        sheet = browser.new_page()
        sheet.set_default_timeout(600_000)
        sheet.goto(f"{address}/pdf/{page.name}", wait_until="load")
        sheet.evaluate("() => document.fonts.ready")
        printed = sheet.pdf(tagged=True, outline=True, print_background=True, prefer_css_page_size=True)
    page.unlink()
    with pikepdf.open(io.BytesIO(printed)) as pdf:
        tag_formulas(pdf, said)
        pdf.save(PDF, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    print(f"== done: {PDF.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
