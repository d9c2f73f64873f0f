"""Sphinx extension: a deck of lecture slides from each chapter's page, beside it as `<chapter>.slides.html`.

A section becomes a column of slides: its question, then each definition, theorem, proof, formula, piece
of code with what it printed, and figure, one a slide. The prose between them becomes the speaker's
notes. Nothing is written twice: a deck shows the page's own formulas and stored outputs.
"""

import re
import shutil
from copy import copy
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from jinja2 import Template

from ldp_sphinx import MODULES, ROOT, when_written

REVEAL = MODULES / "reveal.js" / "dist"
TEMPLATE = Path(__file__).with_name("slides.html.jinja")
PROOF_ON_A_SLIDE = 600  # characters
LEAD = 260  # characters of a paragraph that stand above its formula; longer ones go to the notes
LINES = 22  # of code and print on one slide
MOST = 36  # of print alone, in smaller letters


def deck(body: str, page: str) -> tuple[str, list[list[str]]]:
    """Title and columns of slides, as HTML, of a chapter's body; ``page`` is its file name."""
    soup = BeautifulSoup(body, "html.parser")
    for unwanted in soup.select(".headerlink, .live-panel, .steps, .copybtn, script, .solution"):
        unwanted.decompose()
    for link in soup.select("a[href^='#']"):
        link["href"] = page + link["href"]
    for named in soup.select("[id]"):
        del named["id"]
    for inner in soup.select("section[class*='-content'], .exercise section"):
        inner.name = "div"  # Reveal takes every section for a slide
    chapter = soup.select_one("section")
    title = chapter.h1.get_text()
    columns = [["<h2>After this chapter you can</h2>" + str(chapter.ul)]]
    for section in chapter.find_all("section", recursive=False):
        heading = section.h2.get_text()
        if heading == "Exercises":
            columns.append([exercises(section, page)])
        elif heading == "Check yourself":
            columns.append(questions(section))
        else:
            columns.append(column(section))
    return title, columns


def column(section: Tag) -> list[str]:
    heading = section.h2.extract()
    question = section.p.find("em") if section.p else None
    slides: list[tuple[str, list[str]]] = []  # what is shown, and what is said about it
    lead = None
    if question and not (question.previous_sibling or "").strip():
        asked = f"<p class='question'>{question.decode_contents()}</p>"
        slides.append((f"<div class='opening'>{heading}{asked}</div>", []))
    for block in section.find_all(True, recursive=False):
        kinds = block.get("class", [])
        if block.name == "p" and slides:
            slides[-1][1].append(str(block))
            lead = block
            continue
        if "math" in kinds:
            before = str(lead) if lead is not None and len(lead.get_text()) <= LEAD else ""
            new = [before + str(block)]
        elif "cell" in kinds:
            new = cell(block)
        elif "proof" in kinds and not block.select_one(":scope > .admonition-title"):
            new = proof(block)
        else:
            new = [str(block)]
        # A section without a question puts its heading on its first slide.
        above = f"<p class='running'>{heading.get_text()}</p>" if slides else str(heading)
        slides += [(above + slide, []) for slide in new]
        lead = None
    return [
        shown + (f"<aside class='notes'>{''.join(said)}</aside>" if said else "") for shown, said in slides
    ]


def cell(block: Tag) -> list[str]:
    """Code with what it printed, on two slides where one is too small, then each of its figures."""
    figures = [str(figure.extract()) for figure in block.select("figure")]
    for folded in block.select("details"):
        folded.decompose()
    printed = block.select_one(".cell_output")
    if printed and not printed.get_text().strip():
        printed.decompose()
    lines = sum(len(pre.get_text().splitlines()) for pre in block.select("pre")) + len(block.select("tr"))
    parts = [block.select_one(".cell_input"), *sheets(printed)] if printed and lines > LINES else [block]
    return [str(part) for part in parts if part and part.get_text().strip()] + figures


def sheets(printed: Tag) -> list[Tag]:
    """What a cell printed, a long print on several slides."""
    pre = printed.select("pre")
    lines = pre[0].get_text().splitlines() if len(pre) == 1 else []
    if len(lines) <= MOST:
        return [printed]
    copies = [copy(printed) for _ in range(0, len(lines), MOST)]
    for k, part in enumerate(copies):
        part.pre.string = "\n".join(lines[k * MOST : (k + 1) * MOST])
    return copies


def proof(block: Tag) -> list[str]:
    """Parts of a proof that can be read from the last row."""
    parts, room = [[]], PROOF_ON_A_SLIDE
    for step in block.find_all(True, recursive=False):
        length = len(step.get_text())
        if parts[-1] and length > room:
            parts.append([])
            room = PROOF_ON_A_SLIDE
        parts[-1].append(str(step))
        room -= length
    return [f"<div class='proof'>{''.join(part)}</div>" for part in parts]


def exercises(section: Tag, page: str) -> str:
    titles = [
        re.sub(r"\s+", " ", t.get_text()).strip() for t in section.select(".exercise > .admonition-title")
    ]
    items = "".join(f"<li>{title}</li>" for title in titles)
    return f"<h2>Exercises</h2><ul>{items}</ul><p><a href='{page}#exercises'>On the page</a></p>"


def questions(section: Tag) -> list[str]:
    slides = ["<div class='opening'><h2>Check yourself</h2></div>"]
    for folded in section.select("details"):
        asked = copy(folded.select_one(".sd-summary-text") or folded.summary).decode_contents()
        answer = folded.select_one(".sd-card-body").decode_contents()
        slides.append(f"<div class='opening'><h3>{asked}</h3><div class='fragment'>{answer}</div></div>")
    return slides


def _write(app, pagename, templatename, context, doctree):
    if app.builder.name != "html" or not (ROOT / f"{pagename}.ipynb").exists() or not REVEAL.is_dir():
        return
    page = Path(pagename).name
    title, columns = deck(context["body"], f"{page}.html")
    template = Template(TEMPLATE.read_text(encoding="utf-8"), trim_blocks=True)
    html = template.render(
        title=title,
        columns=columns,
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


def setup(app):
    app.connect("html-page-context", _write, priority=810)  # after the theme has made its list of buttons
    when_written(app, _copy)
    return {"parallel_read_safe": True}
