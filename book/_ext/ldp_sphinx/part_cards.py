"""Sphinx extension: ``{parts}`` shows the parts of the book as cards.

Its content says in YAML what each part answers, by the part's folder. A card has the part's name, the title
of its first page, that sentence, and who is trusted in it, from the first drawing of its first page.
"""

import posixpath
import re
from collections.abc import Iterator

import yaml
from sphinx.util.docutils import SphinxDirective

from ldp_sphinx import ROOT
from ldp_sphinx.chapters import chapters
from ldp_sphinx.trust import emblem

_DRAWING = re.compile(r"^```\{trust\}[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def folders() -> dict[str, str]:
    """Folder of each part that has chapters, by its caption."""
    return {caption: posixpath.dirname(group[0].name) for caption, group in chapters().items()}


def cards(answers: dict[str, str]) -> Iterator[str]:
    """The cards in Markdown."""
    yield from ("::::{grid} 1 2 2 2", ":gutter: 3", ":class-container: part-cards", "")
    for caption, folder in folders().items():
        page = (ROOT / "book" / folder / "index.md").read_text(encoding="utf-8")
        title = page.splitlines()[0].removeprefix("# ")
        yield f":::{{grid-item-card}} {{doc}}`{caption} </book/{folder}/index>`"
        yield from ("```{raw} html", emblem(yaml.safe_load(_DRAWING.search(page)[1])), "```")
        yield from (f"*{title}.* {answers[folder]}", ":::")
    yield "::::"


class Parts(SphinxDirective):
    has_content = True

    def run(self):
        answers = yaml.safe_load("\n".join(self.content))
        if {*answers} != {*folders().values()}:
            raise self.error(f"the parts are {', '.join(folders().values())}, not {', '.join(answers)}")
        for folder in answers:
            self.env.note_dependency(str(ROOT / "book" / folder / "index.md"))
        return self.parse_text_to_nodes("\n".join(cards(answers)))


def setup(app):
    app.add_directive("parts", Parts)
    return {"parallel_read_safe": True}
