"""Sphinx extension: a deck of lecture slides from each chapter's page, beside it as `<chapter>.slides.html`.

The deck has the ten written slides of the chapter (`written_slides`) and its questions. Key A, or `?all` in
the address, shows another deck, cut from the page by machine, which is the only one where no slides are
written. There a slide has one idea and one figure, formula, table or short piece of code. A section becomes a
column of slides: its question, the statement of each definition and theorem, the displayed formulas of
proofs, each figure under the first sentence of its caption, and printed output. All other words, and sections
that go deeper, are the speaker's notes. Both decks show the page's own formulas and stored outputs, and the
line above each slide links to its place on the page.
"""

import re
import shutil
from html import escape
from pathlib import Path
from typing import NamedTuple

from bs4 import BeautifulSoup, Tag
from jinja2 import Template

from ldp_sphinx import MODULES, ROOT, about, when_written
from ldp_sphinx.licences import lay_texts
from ldp_sphinx.slide_pieces import (
    Slide,
    cell,
    exercises,
    gist,
    headline,
    proof,
    questions,
    statement,
    summary,
    tables,
)
from ldp_sphinx.typeset import put_back, set_aside
from ldp_sphinx.written_slides import blocks, written

REVEAL = MODULES / "reveal.js" / "dist"
TEMPLATE = Path(__file__).with_name("slides.html.jinja")
COMMA = re.compile(r"(</mjx-container>)</span>([,.;:?!)]+)")
FORMULA = re.compile(r"<mjx-container.*?(<math.*?</math>).*?</mjx-container>", re.DOTALL)
EXAMPLE = re.compile(r"(By hand|With (a )?pencil|On paper)\b")
KINDS = {"exercises": exercises, "check-yourself": questions}
UNWANTED = (
    ".headerlink, .live-panel, .be-worker, .play, .answer-field, .copybtn, script, style, .solution,"
    " details.admonition"
)


class Deck(NamedTuple):
    """Columns of slides of a chapter: those written, if there are any, and all that are cut from its page."""

    title: str
    subtitle: str
    ten: list[list[Slide]]
    all: list[list[Slide]]


def deck(body: str, page: str, entries: list[dict]) -> Deck:
    """The deck from the HTML of a chapter's body and its written slides; ``page`` is its file name."""
    body, formulas = set_aside(body)

    def whole(markup: str) -> str:
        return put_back(markup, formulas)

    soup = BeautifulSoup(body, "html.parser")
    for unwanted in soup.select(UNWANTED):
        unwanted.decompose()
    judged: set[str] = set()
    for row in reversed(soup.select("table.claims tbody tr")):  # keep the last row of each claim
        if row.get_text() in judged:
            row.decompose()
        else:
            judged.add(row.get_text())
    for link in soup.select("a[href^='#']"):
        link["href"] = page + link["href"]
    for inner in soup.select("section[class*='-content'], .exercise section"):
        inner.name = "div"  # Reveal treats every section as a slide
    chapter = soup.select_one("section")
    sections = chapter.find_all("section", recursive=False)
    places = [section["id"] for section in sections]
    named = {}
    for tag in soup.select("[id]"):
        named[tag["id"].removeprefix("equation-")] = tag
        del tag["id"]
    title = escape(chapter.h1.get_text())
    subtitle = chapter.select_one("h1 + p > em:only-child")
    opening = (tag for tag in chapter.find_all(True, recursive=False) if tag.name != "section")
    contents = [(f"<a href='{page}'>{title}</a>", tag) for tag in opening]
    for section, place in zip(sections, places, strict=True):
        if place != "check-yourself":
            link = f"<a href='{page}#{place}'>{escape(section.h2.get_text())}</a>"
            contents += [(link, tag) for tag in blocks(section)]
    ten = [[slide] for slide in written(entries, contents, named)]
    for steps in soup.select(".steps"):  # too many pictures for the deck that is cut by machine
        steps.decompose()
    columns = [[Slide(f"<h2>After this chapter you can</h2>{chapter.ul}", above=title)]]
    for section, place in zip(sections, places, strict=True):
        heading = escape(section.h2.extract().get_text())
        folded = section.select_one(":scope > details.deeper")
        if folded:
            columns[-1][-1].said += going_deeper(folded, heading)
            continue
        columns.append(KINDS.get(place, column)(section, heading))
        for slide in columns[-1]:
            slide.above = f"<a href='{page}#{place}'>{heading}</a>"
        if ten and place == "check-yourself":
            ten.append(columns[-1])
    for slide in (slide for column in ten + columns for slide in column):
        slide.shown = COMMA.sub(r"\1\2</span>", whole(slide.shown))  # no line starts with a comma
        # The speaker's window lacks MathJax's fonts, so its formulas are the MathML that pages also contain.
        slide.said = [FORMULA.sub(r"\1", whole(said)) for said in slide.said]
    return Deck(title, subtitle.decode_contents() if subtitle else "", ten, columns)


def going_deeper(folded: Tag, heading: str) -> list[str]:
    """Notes from a section that a first reading skips, for the slide before it."""
    question = folded.summary.extract().decode_contents()
    for inner in folded.select("section"):
        inner.name = "div"
    blocks = folded.find_all(True, recursive=False)
    said = [str(block) for block in blocks if "cell" not in block.get("class", [])]
    return [f"<p><strong>{heading}</strong> <em>{question}</em></p>", *said]


def column(section: Tag, heading: str) -> list[Slide]:
    """Slides of a section, in its order; a paragraph goes into the notes of the slide before it."""
    slides: list[Slide] = []
    waiting: list[str] = []  # notes from before the first slide
    question = section.p.find("em") if section.p else None
    if question and not (question.previous_sibling or "").strip():
        asked = f"<p class='question'>{question.decode_contents()}</p>"
        slides.append(Slide(f"<h2>{heading}</h2>{asked}"))
    lead = None
    for block in section.find_all(True, recursive=False):
        kinds = block.get("class", [])
        new: list[Slide] = []
        if block.name == "p" and EXAMPLE.match(block.get_text()):
            new = [Slide(gist([block]), said=[str(block)])]
        elif "math" in kinds:
            new = [Slide(headline(lead, heading) + str(block))]
        elif "cell" in kinds:
            new = cell(block, headline(lead, heading))
        elif block.select_one(":scope > .admonition-title"):
            new = summary(block) if "tip" in kinds else statement(block)
        elif "proof" in kinds:
            new = proof(block, slides)
        elif block.find("table"):
            new = tables(block.table, headline(lead, heading))
        if not new and block.name in ("p", "ul", "ol", "details"):
            (slides[-1].said if slides else waiting).append(str(block))
        if new:
            new[0].said[:0] = waiting
            waiting = []
        slides += new
        if "admonition" not in kinds or "proof" in kinds:  # a box does not separate words from their code
            lead = block if block.name == "p" and not new else None
    return slides or [
        Slide(f"<h2>{heading}</h2>{gist(section.find_all('p', recursive=False))}", said=waiting)
    ]


def _write(app, pagename, templatename, context, doctree):
    if app.builder.name != "html" or not (ROOT / f"{pagename}.ipynb").exists() or not REVEAL.is_dir():
        return
    page = Path(pagename).name
    template = Template(TEMPLATE.read_text(encoding="utf-8"), trim_blocks=True)
    html = template.render(
        deck=deck(context["body"], f"{page}.html", about(pagename).get("slides", [])),
        book=app.config.html_title,
        static=context["pathto"]("_static", 1),
        page=page,
    )
    target = Path(app.outdir) / f"{pagename}.slides.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(html, encoding="utf-8")
    context["header_buttons"].append(
        {
            "type": "link",
            "text": "",
            "tooltip": "Lecture slides of this chapter",
            "icon": "fas fa-chalkboard",
            "label": "slides-button",
            "url": f"{page}.slides.html",
        }
    )


def _copy(app, outdir: Path) -> None:
    if REVEAL.is_dir():
        static = outdir / "_static" / "reveal"
        static.mkdir(parents=True, exist_ok=True)
        for name in ("reset.css", "reveal.css", "reveal.js", "plugin/notes.js", "../LICENSE"):
            shutil.copy2(REVEAL / name, static)
        lay_texts(static)


def setup(app):
    app.connect("html-page-context", _write, priority=810)  # after the theme has listed its buttons
    when_written(app, _copy)
    return {"parallel_read_safe": True}
