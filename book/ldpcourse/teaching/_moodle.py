"""Questions as Moodle XML, with the same elements that Moodle itself writes."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from ldpcourse.problems import Problem
from ldpcourse.teaching._notebooks import AUTOMATIC, EXPLAINED
from ldpcourse.teaching._questions import (
    SAY_HOW,
    Pool,
    Recall,
    paragraphs,
    printed_key,
    printed_margin,
)

_TOP = "$course$/top/Local differential privacy"


def moodle_xml(pools: Sequence[Pool], recall: Sequence[Recall]) -> bytes:
    """XML with categories: each pool of variants, each pool's explanation, each chapter's questions."""
    quiz = Element("quiz")
    for pool in pools:
        _category(quiz, "Problems", pool.name, "Variants of one problem: let a quiz draw one at random.")
        for k, problem in enumerate(pool.problems, start=1):
            _numerical(quiz, f"{pool.name}, variant {k}", problem)
        _category(quiz, "Problems", f"{pool.name}, explanation", "Ask this after the problem.")
        _essay(quiz, pool)
    home = ""
    for question in recall:
        if question.chapter != home:
            home = question.chapter
            _category(quiz, "Practice, answers are published", question.title, "From the chapter's page.")
        _multichoice(quiz, question)
    for child in quiz:
        child.tail = "\n"
    written: bytes = tostring(quiz, encoding="utf-8", xml_declaration=True)
    return written


def _category(quiz: Element, above: str, name: str, info: str) -> None:
    question = SubElement(quiz, "question", type="category")
    path = f"{_TOP}/{above}/{name.replace('/', '//')}"  # a slash in a name is written twice
    _said(question, "category", path)
    _html(question, "info", info)


def _numerical(quiz: Element, name: str, problem: Problem) -> None:
    feedback = f"A right answer differs from the key by at most {100 * problem.tolerance:g} % of the key."
    question = _question(quiz, "numerical", name, problem.text, feedback)
    answer = SubElement(question, "answer", fraction="100", format="moodle_auto_format")
    SubElement(answer, "text").text = printed_key(problem)
    _html(answer, "feedback", "")
    SubElement(answer, "tolerance").text = printed_margin(problem)
    for tag, value in [
        ("unitgradingtype", "0"),
        ("unitpenalty", "0.1"),
        ("showunits", "3"),
        ("unitsleft", "0"),
    ]:
        SubElement(question, tag).text = value


def _essay(quiz: Element, pool: Pool) -> None:
    name = f"{pool.name}, explanation"
    question = _question(quiz, "essay", name, SAY_HOW, "", penalty="0")
    for tag, value in [
        ("responseformat", "editor"),
        ("responserequired", "1"),
        ("responsefieldlines", "10"),
        ("attachments", "0"),
        ("attachmentsrequired", "0"),
    ]:
        SubElement(question, tag).text = value
    _html(question, "graderinfo", "\n\n".join(pool.guidance))
    _html(question, "responsetemplate", "")


def _multichoice(quiz: Element, recall: Recall) -> None:
    question = _question(quiz, "multichoice", f"{recall.title}, question {recall.number}", recall.text, "")
    for tag, value in [("single", "true"), ("shuffleanswers", "true"), ("answernumbering", "abc")]:
        SubElement(question, tag).text = value
    for tag in ("correctfeedback", "partiallycorrectfeedback", "incorrectfeedback"):
        _html(question, tag, "")
    for choice in recall.choices:
        answer = SubElement(question, "answer", fraction="100" if choice.right else "0", format="html")
        SubElement(answer, "text").text = _written(choice.text)
        _html(answer, "feedback", choice.feedback)


def _question(
    quiz: Element, kind: str, name: str, text: str, feedback: str, penalty: str = "0.3333333"
) -> Element:
    """Add a question with the elements that all kinds begin with, and return it."""
    question = SubElement(quiz, "question", type=kind)
    _said(question, "name", name)
    _html(question, "questiontext", text)
    _html(question, "generalfeedback", feedback)
    points = EXPLAINED if kind == "essay" else AUTOMATIC
    for tag, value in [("defaultgrade", f"{points:g}"), ("penalty", penalty), ("hidden", "0")]:
        SubElement(question, tag).text = value
    return question


def _said(parent: Element, tag: str, text: str) -> None:
    SubElement(SubElement(parent, tag), "text").text = text


def _html(parent: Element, tag: str, text: str) -> None:
    element = SubElement(parent, tag, format="html")
    SubElement(element, "text").text = _written(text)


def _written(text: str) -> str:
    """The text as HTML, which is escaped a second time when the file is written."""
    return "".join(tostring(each, encoding="unicode") for each in paragraphs(text))
