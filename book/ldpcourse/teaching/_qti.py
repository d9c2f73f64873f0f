"""Questions as a content package of IMS Question and Test Interoperability (QTI) 2.1."""

import io
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

from ldpcourse.problems import Problem
from ldpcourse.teaching._notebooks import AUTOMATIC, EXPLAINED
from ldpcourse.teaching._questions import (
    SAY_HOW,
    Pool,
    Recall,
    marked_up,
    one_line,
    paragraphs,
    printed_key,
    printed_margin,
)

_QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
_PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
_GRADED = "graded"  # what the test's score sums up: no practice
_DATE = (1980, 1, 1, 0, 0, 0)  # the same bytes whenever they are written


@dataclass(frozen=True)
class Part:
    """A file of the package, and what it refers to."""

    identifier: str
    root: Element

    @property
    def href(self) -> str:
        return f"{self.identifier}.xml"


def qti_package(pools: Sequence[Pool], recall: Sequence[Recall]) -> bytes:
    """One item a question, a test with a section a problem that draws one of its variants, the manifest."""
    test = _rooted("assessmentTest", "test", "Local differential privacy", toolName="ldpbook")
    _outcome(test, "SCORE", "float")
    items: list[Part] = []
    if pools:
        graded = _test_part(test, "problems", "simultaneous")
        for pool in pools:
            variants = [
                _numerical(f"{pool.name}-{k}", f"{pool.name}, variant {k}", problem)
                for k, problem in enumerate(pool.problems, start=1)
            ]
            essay = _essay(pool)
            section = _section(graded, f"section-{pool.name}", pool.name)
            drawn = _section(section, f"variants-{pool.name}", f"{pool.name}: one variant", visible="false")
            SubElement(drawn, "selection", select="1")
            _refer(drawn, variants, category=_GRADED)
            _refer(section, [essay], category=_GRADED)
            items += [*variants, essay]
    if recall:
        practice = _test_part(test, "practice", "individual")
        SubElement(practice, "itemSessionControl", maxAttempts="0", showFeedback="true")
        for chapter in dict.fromkeys(question.chapter for question in recall):
            asked = [question for question in recall if question.chapter == chapter]
            choices = [_choice(question) for question in asked]
            name = chapter.replace("/", "-")
            title = f"Practice, answers are published: {asked[0].title}"
            _refer(_section(practice, f"section-recall-{name}", title), choices)
            items += choices
    total = SubElement(SubElement(test, "outcomeProcessing"), "setOutcomeValue", identifier="SCORE")
    SubElement(SubElement(total, "sum"), "testVariables", variableIdentifier="SCORE", includeCategory=_GRADED)
    return _zipped([Part("test", test), *items])


# --- items


def _numerical(identifier: str, title: str, problem: Problem) -> Part:
    item, body = _item(identifier, title, "float", printed_key(problem))
    body.extend(paragraphs(problem.text))
    answer = SubElement(body, "p")
    answer.text = "Answer: "
    SubElement(answer, "textEntryInteraction", responseIdentifier="RESPONSE", expectedLength="15")
    # Absolute, since the bounds that a relative tolerance gives change places where the key is negative.
    reach = printed_margin(problem)
    _score(item, "equal", toleranceMode="absolute", tolerance=f"{reach} {reach}")
    return Part(identifier, item)


def _essay(pool: Pool) -> Part:
    identifier = f"{pool.name}-explanation"
    item, body = _item(identifier, f"{pool.name}, explanation", "string", points=EXPLAINED)
    if pool.guidance:
        rubric = SubElement(body, "rubricBlock", view="scorer")
        rubric.extend(each for text in pool.guidance for each in paragraphs(text))
    asked = SubElement(body, "extendedTextInteraction", responseIdentifier="RESPONSE", expectedLines="10")
    asked.append(marked_up("prompt", SAY_HOW))
    return Part(identifier, item)


def _choice(recall: Recall) -> Part:
    identifier = f"recall-{recall.chapter.replace('/', '-')}-{recall.number}"
    names = [f"choice-{k}" for k in range(1, len(recall.choices) + 1)]
    right = next(name for name, choice in zip(names, recall.choices, strict=True) if choice.right)
    title = f"{recall.title}, question {recall.number}"
    item, body = _item(identifier, title, "identifier", right, told=True)
    asked = SubElement(
        body, "choiceInteraction", responseIdentifier="RESPONSE", shuffle="true", maxChoices="1"
    )
    asked.append(marked_up("prompt", one_line(recall.text)))
    for name, choice in zip(names, recall.choices, strict=True):
        asked.append(marked_up("simpleChoice", one_line(choice.text), identifier=name))
    processing = _score(item, "match")
    told = SubElement(processing, "setOutcomeValue", identifier="FEEDBACK")
    SubElement(told, "variable", identifier="RESPONSE")
    for name, choice in zip(names, recall.choices, strict=True):
        feedback = SubElement(
            item, "modalFeedback", outcomeIdentifier="FEEDBACK", identifier=name, showHide="show"
        )
        feedback.extend(paragraphs(choice.feedback))
    return Part(identifier, item)


def _item(
    identifier: str,
    title: str,
    base_type: str,
    key: str = "",
    *,
    told: bool = False,
    points: float = AUTOMATIC,
) -> tuple[Element, Element]:
    """An item with one response, and its body; `told`: a feedback goes with the response."""
    item = _rooted("assessmentItem", identifier, title, adaptive="false", timeDependent="false")
    response = SubElement(
        item, "responseDeclaration", identifier="RESPONSE", cardinality="single", baseType=base_type
    )
    if key:
        SubElement(SubElement(response, "correctResponse"), "value").text = key
    _outcome(item, "SCORE", "float", "0")
    _outcome(item, "MAXSCORE", "float", f"{points:g}")
    if told:
        _outcome(item, "FEEDBACK", "identifier")
    return item, SubElement(item, "itemBody")


def _outcome(parent: Element, identifier: str, base_type: str, default: str = "") -> None:
    declared = SubElement(
        parent, "outcomeDeclaration", identifier=identifier, cardinality="single", baseType=base_type
    )
    if default:
        SubElement(SubElement(declared, "defaultValue"), "value").text = default


def _score(item: Element, judged_by: str, **how: str) -> Element:
    """One point if the response agrees with the correct one, otherwise none."""
    processing = SubElement(item, "responseProcessing")
    condition = SubElement(processing, "responseCondition")
    for branch, score in (("responseIf", "1"), ("responseElse", "0")):
        then = SubElement(condition, branch)
        if branch == "responseIf":
            compared = SubElement(then, judged_by, how)
            SubElement(compared, "variable", identifier="RESPONSE")
            SubElement(compared, "correct", identifier="RESPONSE")
        value = SubElement(
            SubElement(then, "setOutcomeValue", identifier="SCORE"), "baseValue", baseType="float"
        )
        value.text = score
    return processing


# --- test and package


def _rooted(tag: str, identifier: str, title: str, **attributes: str) -> Element:
    return Element(
        tag,
        {
            "xmlns": _QTI,
            "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "xsi:schemaLocation": f"{_QTI} http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd",
            "identifier": identifier,
            "title": title,
            **attributes,
        },
    )


def _test_part(test: Element, identifier: str, submitted: str) -> Element:
    return SubElement(
        test, "testPart", identifier=identifier, navigationMode="nonlinear", submissionMode=submitted
    )


def _section(parent: Element, identifier: str, title: str, visible: str = "true") -> Element:
    return SubElement(parent, "assessmentSection", identifier=identifier, title=title, visible=visible)


def _refer(section: Element, items: Iterable[Part], *, category: str = "") -> None:
    for item in items:
        reference = SubElement(section, "assessmentItemRef", identifier=item.identifier, href=item.href)
        if category:
            reference.set("category", category)


def _zipped(parts: Sequence[Part]) -> bytes:
    """The files and a manifest that lists each of them; the first is the test, which needs the others."""
    manifest = Element("manifest", {"xmlns": _PACKAGE, "identifier": "ldpbook-quizzes"})
    about = SubElement(manifest, "metadata")
    SubElement(about, "schema").text = "QTIv2.1 Package"
    SubElement(about, "schemaversion").text = "1.0.0"
    SubElement(manifest, "organizations")
    resources = SubElement(manifest, "resources")
    test, *items = parts
    for part in parts:
        kind = "imsqti_test_xmlv2p1" if part is test else "imsqti_item_xmlv2p1"
        resource = SubElement(resources, "resource", identifier=part.identifier, type=kind, href=part.href)
        SubElement(resource, "file", href=part.href)
        if part is test:
            for item in items:
                SubElement(resource, "dependency", identifierref=item.identifier)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, root in [("imsmanifest.xml", manifest), *((part.href, part.root) for part in parts)]:
            archive.writestr(
                zipfile.ZipInfo(name, _DATE), tostring(root, encoding="utf-8", xml_declaration=True)
            )
    return packed.getvalue()
