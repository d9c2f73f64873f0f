"""Contents of slides: a page's definitions, proofs, cells, figures and tables, cut to a slide's size."""

import html
import re
import textwrap
from copy import copy
from dataclasses import dataclass, field
from itertools import takewhile

from bs4 import NavigableString, Tag

# Limits: characters of a statement, and of a sentence above a formula, a table or code.
STATEMENT, LEAD = 460, 170
CODE, PRINT, WIDE = 12, 10, 100  # lines of code, lines of output, letters per line
AS_IT_IS = {"replace_whitespace": False, "drop_whitespace": False, "subsequent_indent": "    "}
ROWS, JUDGED, CLAIMS = 10, 6, 560  # rows of a table; rows of a table of verdicts, characters of its claims
END = re.compile(r"(?:(?<=[.?!])|(?<=[.?!]\)))\s+(?=[A-Z“(]|$)")  # of a sentence; $ if a formula follows


@dataclass(eq=False)
class Slide:
    """A slide with its speaker's notes, and the link above it to its place on the page."""

    shown: str
    said: list[str] = field(default_factory=list)
    above: str = ""


def sentences(paragraph: Tag) -> list[str]:
    """The sentences of a paragraph as HTML; formulas and links stay whole."""
    parts = [""]
    for node in paragraph.contents:
        if isinstance(node, NavigableString):
            first, *more = END.split(html.escape(node, quote=False))
            parts[-1] += first
            parts += more
        else:
            parts[-1] += str(node)
    return [part.strip() for part in parts if part.strip()]


def length(markup: str) -> int:
    """Number of characters of the text; of a formula, only MathJax's text for screen readers counts."""
    return len(re.sub(r"<[^>]*>", "", markup))


def headline(lead: Tag | None, heading: str) -> str:
    """The last sentence of the paragraph before a block, if it is short; otherwise the section's heading."""
    last = (sentences(lead) or [""])[-1] if lead else ""
    return f"<p class='message'>{last}</p>" if 0 < length(last) <= LEAD else f"<h2>{heading}</h2>"


def gist(paragraphs: list[Tag], room: int = STATEMENT) -> str:
    """As many of the first sentences as fit into ``room`` characters."""
    made = ""
    for paragraph in paragraphs:
        kept = ""
        for sentence in sentences(paragraph):
            room -= length(sentence)
            if room < 0 and (made or kept):
                return f"{made}<p>{kept} …</p>"
            kept += f" {sentence}"
        made += f"<p>{kept.strip()}</p>"
    return made


def formulas(block: Tag) -> list[str]:
    """Each displayed formula, below the sentence that leads to it."""
    made = []
    for formula in block.select("div.math"):
        before = formula.find_previous_sibling()
        before = before.find_all("p")[-1] if before and before.name in ("ol", "ul") else before
        last = (sentences(before) or [""])[-1] if before and before.name == "p" else ""
        made.append((f"<p>{last}</p>" if 0 < length(last) <= STATEMENT else "") + str(formula))
    return made


def statement(block: Tag) -> list[Slide]:
    """Slides of a definition, theorem or the like: all of it, or its formulas, or its beginning."""
    title = f"<p class='name'>{block.select_one('.admonition-title').extract().decode_contents()}</p>"
    lone = block.select("div.math")
    if len(block.get_text()) <= STATEMENT and len(lone) < 2:
        return [Slide(f"<div class='statement'>{title}{block.decode_contents()}</div>")]
    shown = formulas(block) or [gist(block.find_all("p"))]
    slides = [Slide(f"<div class='statement'>{title}{part}</div>") for part in shown]
    slides[0].said.append(str(block))
    return slides


def proof(block: Tag, slides: list[Slide]) -> list[Slide]:
    """The first and the last formula of a proof; all its words go into the notes of the slide before it."""
    shown = formulas(block)
    found = [
        Slide(f"<div class='idea'><p class='name'>Proof</p>{part}</div>")
        for part in dict.fromkeys(shown[:1] + shown[-1:])
    ]
    if not slides and not found:
        found = [Slide(gist(block.find_all("p")))]
    (slides[-1] if slides else found[0]).said.append(str(block))
    return found


def summary(block: Tag) -> list[Slide]:
    """A slide with the first sentence of each item."""
    items = [sentences(item.p or item)[0] for item in block.select("li")]
    points = "".join(f"<li>{item}</li>" for item in items)
    return [Slide(f"<h2>{block.p.get_text()}</h2><ul>{points}</ul>", said=[str(block)])]


def cell(block: Tag, above: str) -> list[Slide]:
    """Slides of a cell: its output, with its code if short, and each of its tables and figures.

    Short code without printed output is shown only if it defines a function. A lone line of output is not a
    slide: it stands above the cell's table or in the notes of its figure, or on the page only.
    """
    code = block.select_one(".cell_input .highlight")
    print_ = "".join(pre.get_text() for pre in block.select(".cell_output pre")).rstrip()
    printed = [part for line in print_.splitlines() for part in textwrap.wrap(line, WIDE, **AS_IT_IS) or [""]]
    lines = code.get_text().rstrip().count("\n") + 1 if code else 0
    figures = [figure(each) for each in block.select("figure")]
    short = printed if len(printed) <= PRINT else [*printed[:PRINT], "…"]
    output = f"<pre class='printed'>{html.escape(chr(10).join(short))}</pre>" if printed else ""
    shown = ""
    if code and lines <= CODE and not figures and (printed or "def " in code.get_text()):
        shown = str(code)
    lone = len(printed) == 1 and not shown
    if lone and figures:
        figures[0].said.append(output)
    shown = "" if lone else shown + output
    words = [Slide(above + shown)] if shown else []
    above += output if lone else ""
    return words + [slide for table in block.select("table") for slide in tables(table, above)] + figures


def figure(block: Tag) -> Slide:
    """A slide with a figure below the first sentence of its caption."""
    caption = block.select_one(".caption-text")
    message = f"<p class='message'>{sentences(caption)[0]}</p>" if caption else ""
    return Slide(message + picture(block), said=[str(caption)] if caption else [])


def picture(block: Tag) -> str:
    image = copy(block.img)
    del image["style"]
    return str(image)


def tables(table: Tag, above: str) -> list[Slide]:
    """Slides of a table: a table of verdicts gets as many as it needs, other long tables are cut off."""
    said = [str(small.extract()) for small in table.select("small")]
    rows = table.select("tbody > tr")
    claims = "claims" in table.get("class", [])
    short = rows if len(rows) <= ROWS else [*rows[:ROWS], "<tr><td>…</td></tr>"]
    parts = judged(rows) if claims else [short]
    start = f"{above}<table class='{'claims' if claims else 'data'}'>{table.thead or ''}<tbody>"
    slides = [Slide(f"{start}{''.join(map(str, part))}</tbody></table>") for part in parts]
    if slides:
        slides[0].said += said
    return slides


def judged(rows: list[Tag]) -> list[list[Tag]]:
    """Rows of a table of verdicts, grouped by slide."""
    parts: list[list[Tag]] = []
    room = 0
    for row in rows:
        room -= len(row.td.get_text())
        if not parts or room < 0 or len(parts[-1]) == JUDGED:
            parts.append([])
            room = CLAIMS - len(row.td.get_text())
        parts[-1].append(row)
    return parts


def exercises(section: Tag, heading: str) -> list[Slide]:
    titles = [
        re.sub(r"\s+", " ", t.get_text()).strip() for t in section.select(".exercise > .admonition-title")
    ]
    items = "".join(f"<li>{title}</li>" for title in titles)
    said = [str(paragraph) for paragraph in section.find_all("p", recursive=False)]
    return [Slide(f"<h2>{heading}</h2><ul>{items}</ul>", said=said)]


def questions(section: Tag, heading: str) -> list[Slide]:
    """A slide per question with its choices; the explanations go into the notes."""
    slides = []
    for asked in section.find_all("p", recursive=False):
        folded = list(takewhile(lambda tag: tag.name == "details", asked.find_next_siblings()))
        if folded:
            choices = [choice.select_one(".sd-summary-text").decode_contents() for choice in folded]
            whys = [choice.select_one(".sd-card-body").decode_contents() for choice in folded]
            listed = "".join(f"<li>{choice}</li>" for choice in choices)
            question = f"<p class='question'>{asked.strong.decode_contents()}</p><ol type='A'>{listed}</ol>"
            said = [f"<p>{choice}</p>{why}" for choice, why in zip(choices, whys, strict=True)]
            slides.append(Slide(f"<h2>{heading}</h2>{question}", said=said))
    return slides
