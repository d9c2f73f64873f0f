"""Minutes that reading a chapter takes, section by section, at round rates of our own.

A section is core unless the notebook's metadata list its heading as deeper (``ldpbook.deeper``). Exercises
and questions are practice: a path names the exercises to do, and counts them separately.
"""

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[3]  # the book's repository
OPENING = "opening"  # what precedes the first heading
PRACTICE = ("Exercises", "Check yourself")

WORDS_PER_MINUTE = 150
FORMULA = 1  # minutes per displayed formula
LINE = 5 / 60  # minutes per formula within a line, and per line of code that is not folded
SHOWN = 0.5  # minutes per figure, table, panel or other output
TWICE = 2  # definitions, theorems and proofs are read twice


@dataclass(frozen=True)
class Section:
    """What there is to read below a heading."""

    heading: str
    deeper: bool = False
    words: int = 0
    formulas: int = 0  # displayed
    lines: int = 0  # of code, and formulas within lines
    shown: int = 0

    @property
    def practice(self) -> bool:
        return self.heading in PRACTICE

    @property
    def core(self) -> bool:
        return not self.deeper and not self.practice

    @property
    def minutes(self) -> float:
        """Minutes of a first, careful reading."""
        return (
            self.words / WORDS_PER_MINUTE + self.formulas * FORMULA + self.lines * LINE + self.shown * SHOWN
        )


@functools.cache
def sections(chapter: str) -> Mapping[str, Section]:
    """Sections of a chapter such as ``foundations/crowdsourcing`` by heading, in their order."""
    notebook = json.loads((_ROOT / "book" / f"{chapter}.ipynb").read_text(encoding="utf-8"))
    deeper = notebook["metadata"]["ldpbook"].get("deeper", [])
    found = {OPENING: Section(OPENING)}
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code":
            heading = [*found][-1]
            found[heading] = _with_code(found[heading], text, cell)
            continue
        before, *others = re.split(r"^## ", text, flags=re.MULTILINE)
        heading = [*found][-1]
        found[heading] = _with_prose(found[heading], before)
        for other in others:
            heading, _, body = other.partition("\n")
            found[heading] = _with_prose(Section(heading, heading in deeper), body)
    return found


def _with_code(section: Section, code: str, cell: dict[str, Any]) -> Section:
    tags = cell["metadata"].get("tags", [])
    if "remove-cell" in tags:
        return section
    lines = 0 if "hide-input" in tags else sum(bool(line.strip()) for line in code.splitlines())
    return replace(section, lines=section.lines + lines, shown=section.shown + bool(cell["outputs"]))


def _with_prose(section: Section, text: str) -> Section:
    read_twice = re.compile(r"^(`{3,})\{prf:.*?^\1$", re.DOTALL | re.MULTILINE)
    text += "\n" + "\n".join(block[0] * (TWICE - 1) for block in read_twice.finditer(text))
    text, formulas = re.subn(r"^ *\$\$.*?\$\$(?: \(\S+\))?", "", text, flags=re.DOTALL | re.MULTILINE)
    panels = len(re.findall(r"^`{3,}\{(?:live|play|trust)\}", text, re.MULTILINE))
    tables = len(re.findall(r"^\|[ :|-]+\|$", text, re.MULTILINE))
    text = re.sub(r"^(?:[`:]{3,}|:\w+:).*$", "", text, flags=re.MULTILINE)  # directives and their options
    text, lines = re.subn(r"\$[^$]+\$", "", text)
    text = re.sub(r"\{cite:\w+\}`[^`]*`", "", text)
    return replace(
        section,
        words=section.words + len(re.findall(r"\w[\w'’.,-]*", text)),
        formulas=section.formulas + formulas,
        lines=section.lines + lines,
        shown=section.shown + panels + tables,
    )
