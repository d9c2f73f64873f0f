"""Sphinx extension: ``{path}`` prints a path through the book, with a table per week.

The paths are data (``ldpcourse.teaching.paths``), and all minutes and sums are computed from the chapters.
The role ``{minutes}`` prints the minutes of a chapter's core sections, and ``{slides}`` links to its slides.
"""

import posixpath
from collections.abc import Iterator

from docutils import nodes
from mdit_py_plugins.anchors.index import slugify
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective, SphinxRole

from ldp_sphinx import ROOT
from ldp_sphinx.fields import judged_in_the_notebook
from ldpcourse.teaching.paths import EXERCISE, PATHS, PROBLEM, Path, Portion, Week
from ldpcourse.teaching.reading import OPENING, Section


def _link(chapter: str, section: Section) -> str:
    """A link to a section in Markdown; the first lines of a chapter have no heading to link to."""
    if section.heading == OPENING:
        return OPENING
    return f"[{section.heading}](/book/{chapter}.ipynb#{slugify(section.heading)})"


def _chapter(reading: Portion) -> str:
    to_read, to_skip = (" · ".join(_link(reading.chapter, s) for s in part) for part in reading.parts())
    lines = [f"{{doc}}`/book/{reading.chapter}`{{slides}}`{reading.chapter}`", f"Read {to_read}"]
    if to_skip:
        lines.append(f"[Skip {to_skip}]{{.path-skip}}")
    if reading.instead:
        lines.append(f"Tell the class: {reading.instead}")
    return "<br/>".join(lines)


def _exercise(label: str) -> str:
    """A link to an exercise, with a note if its check needs NumPy, so that it has no field on the page."""
    return f"{{ref}}`{label}`" + (" (in the notebook)" if label in judged_in_the_notebook() else "")


def table(number: int, week: Week) -> Iterator[str]:
    """A week in Markdown."""
    yield from ("", f"| Week {number} | minutes |", "| --- | ---: |")
    for reading in week.read:
        yield f"| {_chapter(reading)} | {reading.minutes} |"
    yield f"| **In class** {week.in_class} | |"
    if week.laboratory:
        yield f"| **Laboratory** {week.laboratory} {{ref}}`Half a page <laboratory-{number}>` | |"
    practice = ", ".join(map(_exercise, week.practice))
    yield f"| **Practice** {practice} | {EXERCISE * len(week.practice)} |"
    problems = ", ".join(f"[`{name}`](#problem-{name})" for name in week.hand_in)
    yield f"| **Hand in** {problems} | {PROBLEM * len(week.hand_in)} |"
    if week.other:
        yield f"| **Midterm, project** | {week.other} |"
    yield f"| **Outside class** (reading and practice alone: {week.own_work}) | **{week.minutes}** |"


def printed(path: Path) -> Iterator[str]:
    """A path in Markdown, with its sums."""
    for number, week in path.numbered():
        yield from table(number, week)
    reading, practice, all_minutes = (
        sum(getattr(week, name) for week in path.weeks) for name in ("reading", "own_work", "minutes")
    )
    yield from ("", f"**In total** {reading:,} minutes of reading; with practice {practice:,}, ")
    yield f"with everything outside class {all_minutes:,}, which is {all_minutes / 60:.0f} hours."


class PathThroughBook(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        if self.arguments[0] not in PATHS:
            raise self.error(f"the paths are {', '.join(PATHS)}, not {self.arguments[0]}")
        path = PATHS[self.arguments[0]]
        for week in path.weeks:
            for reading in week.read:
                self.env.note_dependency(str(ROOT / "book" / f"{reading.chapter}.ipynb"))
        return self.parse_text_to_nodes("\n".join(printed(path)))


class Minutes(SphinxRole):
    def run(self):
        self.env.note_dependency(str(ROOT / "book" / f"{self.text}.ipynb"))
        return [nodes.Text(str(Portion(self.text).minutes))], []


class Slides(SphinxRole):
    """A link to the deck beside a chapter's page; the e-book and the printed book have no decks."""

    def run(self):
        deck = posixpath.relpath(f"book/{self.text}.slides.html", posixpath.dirname(self.env.docname))
        link = f'<span class="to-slides"> · <a class="reference internal" href="{deck}">slides</a></span>'
        return [addnodes.only("", nodes.raw("", link, format="html"), expr="builder_html")], []


def setup(app):
    app.add_role("slides", Slides())
    app.add_role("minutes", Minutes())
    app.add_directive("path", PathThroughBook)
    return {"parallel_read_safe": True}
