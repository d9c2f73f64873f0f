"""Written slides: ten headlines in a notebook's metadata (`ldpbook.slides`), each above its evidence.

An entry has a headline (`says`) and either the label of a figure, equation or statement of the page (`shows`)
or a short text set very large (`number`). It may have a question for the room (`ask`), which opens the notes,
and one entry is the chapter's `punch` line. The other notes are the page's prose and proofs from there on.
"""

import re
from collections.abc import Iterator
from html import escape

from bs4 import Tag

from ldp_sphinx.slide_pieces import Slide, picture
from ldp_sphinx.typeset import available, typeset

WORD = re.compile(r"\d[\d.,]*\d|[^\W\d]{5,}")  # numbers and longer words


def inline(text: str) -> str:
    """A line of text as HTML; formulas between dollar signs are typeset like the page's."""
    words = [escape(part, quote=False).replace("'", "’") for part in text.split("$")[::2]]
    formulas = [
        typeset(tex, False, "chtml") if available() else rf"\({escape(tex)}\)"
        for tex in text.split("$")[1::2]
    ]
    spans = [f"<span class='math notranslate'>{formula}</span>" for formula in formulas]
    return "".join(word + span for word, span in zip(words, [*spans, ""], strict=True))


def blocks(section: Tag) -> Iterator[Tag]:
    """The blocks of a section, also those inside a section of it, a folded one or steps."""
    for block in section.find_all(True, recursive=False):
        if block.name == "section" or {"deeper", "steps", "step"} & {*block.get("class", [])}:
            yield from blocks(block)
        else:
            yield block


def evidence(entry: dict, thing: Tag | None) -> str:
    """What stands below the headline; a definition or theorem is there with all its conditions."""
    if thing is None:
        return f"<p class='number'>{inline(entry['number'])}</p>"
    if thing.name == "figure":
        return picture(thing)
    if "math" in thing.get("class", []):
        return str(thing)
    title, *content = thing.find_all(True, recursive=False)
    stated = "".join(map(str, content))
    return f"<div class='statement whole'><p class='name'>{title.decode_contents()}</p>{stated}</div>"


def words(text: str) -> set[str]:
    return set(WORD.findall(text.lower()))


def place(entry: dict, thing: Tag | None, page: list[Tag], before: int) -> int:
    """The position of the block with the thing or, if there is none, with most of the entry's words.

    A number counts as three words. Of several such blocks, the one nearest to the previous slide's is taken.
    """
    if thing is not None:
        around = {id(tag) for tag in (thing, *thing.parents)}
        return next(k for k, block in enumerate(page) if id(block) in around)
    wanted = words(f"{entry['number']} {entry['says']}")
    found = [wanted & words(block.get_text()) for block in page]
    hits = [sum(3 if word[0].isdigit() else 1 for word in shared) for shared in found]
    return max(range(len(page)), key=lambda k: (hits[k], -abs(k - before)))


def said(block: Tag) -> list[str]:
    """A block for the notes; of a cell, the captions of its figures."""
    if "cell" in block.get("class", []):
        return [f"<p>{caption.decode_contents()}</p>" for caption in block.select(".caption-text")]
    if block.name == "summary":
        return [f"<p><em>{block.decode_contents()}</em></p>"]
    return [] if block.name in ("h1", "h2") else [str(block)]


def written(entries: list[dict], page: list[tuple[str, Tag]], named: dict[str, Tag]) -> list[Slide]:
    """A slide per entry. ``page`` has the blocks, each after the link to its section."""
    links, tags = [link for link, _ in page], [tag for _, tag in page]
    things = [named[entry["shows"]] if "shows" in entry else None for entry in entries]
    places = [0]
    for entry, thing in zip(entries, things, strict=True):
        places.append(place(entry, thing, tags, places[-1]))
    slides = []
    for entry, thing, at in zip(entries, things, places[1:], strict=True):
        # Notes go from the slide's place to the next one's; the first slide of a section also has its start.
        start, end = links.index(links[at]), len(links) - links[::-1].index(links[at])
        here = [k for k in places[1:] if start <= k < end]
        first, last = start if at == min(here) else at, min([k for k in here if k > at], default=end)
        notes = [f"<p><strong>Ask: {inline(entry['ask'])}</strong></p>"] if "ask" in entry else []
        notes += [note for k in range(first, last) for note in said(tags[k])]
        kind = "headline punch" if entry.get("punch") else "headline"
        headline = f"<h2 class='{kind}'>{inline(entry['says'])}</h2>"
        slides.append(Slide(headline + evidence(entry, thing), notes, links[at]))
    return slides
