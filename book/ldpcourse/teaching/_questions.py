"""What quizzes are made of: variants of the bank's problems, the chapters' questions, marked-up text."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from ldpcourse.problems import Problem, seed_of, variant

SAY_HOW = (
    "Say how you found your answer to the question before this one: which formula, why it applies here, and"
    " what you put into it."
)
_TRIES = 50  # for each variant; a problem with few numbers repeats itself


@dataclass(frozen=True)
class Pool:
    """Variants of one problem, of which a student gets one."""

    name: str
    problems: tuple[Problem, ...]

    @property
    def guidance(self) -> list[str]:
        """What a full explanation names, for who grades: once if it is the same for all variants."""
        said = [problem.explanation for problem in self.problems]
        if len(set(said)) == 1:
            return said[:1] if said[0] else []
        return [f"Variant {k}: {text}" for k, text in enumerate(said, start=1) if text]


@dataclass(frozen=True)
class Choice:
    """What can be chosen, whether it is right, and what is said to whoever chooses it."""

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
    """So many variants of each problem, no two alike, under an instructor's secret."""
    return [Pool(name, _variants(secret, n_variants, name)) for name in names]


def _variants(secret: str, n: int, name: str) -> tuple[Problem, ...]:
    found: dict[str, Problem] = {}
    for k in range(1, _TRIES * n + 1):
        problem = variant(name, seed_of(secret, f"variant {k}"))
        if not math.isfinite(problem.key):  # which no file can say
            raise ValueError(f"the key of a variant of {name} is {problem.key!r}")
        found.setdefault(problem.text, problem)
        if len(found) == n:
            return tuple(found.values())
    raise ValueError(f"{name} does not have {n} variants: {len(found)} were found")


def printed_key(problem: Problem) -> str:
    """With all its digits, a decimal point, and nothing else, whatever kind of float it is."""
    return repr(float(problem.key))


def printed_margin(problem: Problem) -> str:
    """How far from the key an answer is still right: `Problem.grade` takes a share of the key."""
    return repr(float(problem.tolerance * abs(problem.key)))


# --- the chapters' questions

_QUESTION = re.compile(r"^\*\*(\d+)\. (.+)\*\*$", re.MULTILINE)
_CHOICE = re.compile(r"^`{4}\{dropdown\} ([^\n]+)\n((Right|No)\..+?)\n`{4}$", re.MULTILINE | re.DOTALL)
_LABELLED = re.compile(r"^`{3,}\{([\w:-]+)\} ?(.*)\n:label: (\S+)", re.MULTILINE)
_REFERENCE = re.compile(r"\{(?:prf:ref|ref|eq|doc)\}`([^`]+)`")


def recall_of(root: Path) -> list[Recall]:
    """The questions of all chapters, in the book's order, from the repository in that folder."""
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
        """Where the page has a link, the name of what it leads to: the question is read elsewhere."""
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
    """A text's paragraphs as elements p, so that whatever they hold is escaped when these are written.

    Line breaks in a paragraph become spaces; spaces that do not break stay.
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
    """At the end of what the element holds."""
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
