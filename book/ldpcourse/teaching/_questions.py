"""Parts of quizzes: variants of the bank's problems, the chapters' questions, and marked-up text."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from ldpcourse.problems import Problem, seed_of, variant

SAY_HOW = (
    "Explain how you found your answer to the previous question: which formula you used, why it applies"
    " here, and which values you put into it."
)
_TRIES = 50  # per variant, since a problem with few numbers may give the same text again


@dataclass(frozen=True)
class Pool:
    """Variants of one problem; a student gets one of them."""

    name: str
    problems: tuple[Problem, ...]

    @property
    def guidance(self) -> list[str]:
        """Points that a full explanation names, for graders; given once if all variants have the same."""
        said = [problem.explanation for problem in self.problems]
        if len(set(said)) == 1:
            return said[:1] if said[0] else []
        return [f"Variant {k}: {text}" for k, text in enumerate(said, start=1) if text]


@dataclass(frozen=True)
class Choice:
    """A choice, whether it is right, and the feedback to a student who chooses it."""

    text: str
    right: bool
    feedback: str


@dataclass(frozen=True)
class Recall:
    """A question of "Check yourself": its number in its chapter, and the chapter's address and title."""

    chapter: str
    title: str
    number: int
    text: str
    choices: tuple[Choice, ...]


def pools(secret: str, n_variants: int, names: Sequence[str]) -> list[Pool]:
    """`n_variants` different variants of each problem, under an instructor's secret."""
    return [Pool(name, _variants(secret, n_variants, name)) for name in names]


def _variants(secret: str, n: int, name: str) -> tuple[Problem, ...]:
    found: dict[str, Problem] = {}
    for k in range(1, _TRIES * n + 1):
        problem = variant(name, seed_of(secret, f"variant {k}"))
        if not math.isfinite(problem.key):  # the file format has only finite numbers
            raise ValueError(f"the key of a variant of {name} is {problem.key!r}")
        found.setdefault(problem.text, problem)
        if len(found) == n:
            return tuple(found.values())
    raise ValueError(f"{name} does not have {n} variants: {len(found)} were found")


def printed_key(problem: Problem) -> str:
    """The key with all its digits, as a plain Python float, whatever kind of float it is."""
    return repr(float(problem.key))


def printed_margin(problem: Problem) -> str:
    """Largest distance from the key that is graded right, where `Problem.grade` uses a share of the key."""
    return repr(float(problem.tolerance * abs(problem.key)))


# --- the chapters' questions

_QUESTION = re.compile(r"^\*\*(\d+)\. (.+)\*\*$", re.MULTILINE)
_CHOICE = re.compile(r"^`{4}\{dropdown\} ([^\n]+)\n((Right|No)\..+?)\n`{4}$", re.MULTILINE | re.DOTALL)
_LABELLED = re.compile(r"^`{3,}\{([\w:-]+)\} ?(.*)\n:label: (\S+)", re.MULTILINE)
_REFERENCE = re.compile(r"\{(?:prf:ref|ref|eq|doc)\}`([^`]+)`")


def recall_of(root: Path) -> list[Recall]:
    """The questions of all chapters, in the book's order, from the repository in the folder ``root``."""
    files = re.findall(r"- file: (book/\S+)", (root / "_toc.yml").read_text(encoding="utf-8"))
    texts = {name: _prose(root / f"{name}.ipynb") for name in files if (root / f"{name}.ipynb").exists()}
    titles = {name: text.partition("\n")[0].removeprefix("# ") for name, text in texts.items()}
    names = {f"/{name}": f"chapter “{title}”" for name, title in titles.items()}
    for text in texts.values():
        for kind, title, label in _LABELLED.findall(text):
            names[label] = f"{kind.rpartition(':')[2]} “{title or _bare_name(label)}”"
    return [
        question
        for name, text in texts.items()
        for question in _questions_of(name.removeprefix("book/"), titles[name], text, names)
    ]


def _prose(notebook: Path) -> str:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def _bare_name(label: str) -> str:
    return label.partition("-")[2].replace("-", " ")


def _questions_of(chapter: str, title: str, text: str, names: dict[str, str]) -> list[Recall]:
    def said(text: str) -> str:
        """The text with each link replaced by the name of its target, since a quiz is not on the pages."""
        return _REFERENCE.sub(lambda m: names.get(m[1]) or f"equation “{_bare_name(m[1])}”", text)

    asked = _QUESTION.split(text.partition("## Check yourself\n")[2])
    return [
        Recall(
            chapter,
            title,
            int(number),
            said(question),
            tuple(
                Choice(said(choice), verdict == "Right", said(why))
                for choice, why, verdict in _CHOICE.findall(choices)
            ),
        )
        for number, question, choices in zip(asked[1::3], asked[2::3], asked[3::3], strict=True)
    ]


# --- text, as the pages mark it up

_MARKUP = re.compile(
    r"""\\(?P<plain>[$*`\\])
    | `(?P<code>[^`]+)`
    | \$(?!\s)(?P<math>[^$]+?)(?<![\s\\])\$(?!\d)
    | \*\*(?!\s)(?P<strong>[^*]+?)(?<!\s)\*\*
    | \*(?!\s)(?P<em>[^*]+?)(?<!\s)\*""",
    re.VERBOSE,
)


def paragraphs(text: str) -> list[ElementTree.Element]:
    """A text's paragraphs as p elements, whose contents are escaped when the elements are written.

    Line breaks in a paragraph become spaces; non-breaking spaces stay.
    """
    texts = [re.sub(r"[ \t\r\n]+", " ", each).strip(" ") for each in re.split(r"\n\s*\n", text)]
    return [_marked_up("p", each) for each in texts if each.strip()]


def _marked_up(tag: str, text: str) -> ElementTree.Element:
    r"""One line in an element: `code`, *em* and **strong** become elements, $math$ becomes \(math\)."""
    element = ElementTree.Element(tag)
    last, element.text = 0, ""
    for found in _MARKUP.finditer(text):
        _add_text(element, text[last : found.start()])
        kind, inner = str(found.lastgroup), str(found[str(found.lastgroup)])
        if kind == "plain":
            _add_text(element, inner)
        elif kind == "math":
            _add_text(element, rf"\({inner}\)")
        elif kind == "code":
            ElementTree.SubElement(element, "code").text = inner
        else:
            element.append(_marked_up(kind, inner))
        last = found.end()
    _add_text(element, text[last:])
    return element


def _add_text(element: ElementTree.Element, text: str) -> None:
    """Append text to an element's contents."""
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
