"""Quizzes for learning platforms: read back, judged by the rules that the files state, held to their formats.

No schema of either format comes with a package that could be installed here, so the specification's content
models, as far as the files use them, are written down below.
"""

import copy
import functools
import html
import io
import math
import os
import re
import stat
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, strategies as st
from toc import CHAPTERS, ROOT, notebook_cells

from ldpcourse.problems import PROBLEMS, Problem, seed_of, variant
from ldpcourse.teaching import _moodle, _qti, _questions, quizzes
from ldpcourse.teaching._questions import Choice, Pool, Recall

SECRET = "correct horse battery staple"
N = 3
POOLS = _questions.pools(SECRET, N, list(PROBLEMS))
RECALL = _questions.recall_of(ROOT)
XML = _moodle.moodle_xml(POOLS, RECALL)
# The chapters, of whose questions they are made, stand in the repository: commands read them from there.
beside_the_chapters = pytest.mark.skipif(
    bool(os.environ.get("LDPBOOK_INSTALLED")), reason="an installed package has no chapters beside it"
)
ZIP = _qti.qti_package(POOLS, RECALL)


# --- reading back


def unmarked(element):
    """An element's content as the pages mark it up."""
    marks = {"em": "*", "strong": "**", "code": "`"}
    text = element.text or ""
    for child in element:
        mark = marks[local(child)]
        text += f"{mark}{unmarked(child)}{mark}{child.tail or ''}"
    return text.replace("\\(", "$").replace("\\)", "$")


def local(element):
    return element.tag.rpartition("}")[2]


def from_html(text):
    """Of a text that holds HTML: each paragraph, tags and entities undone by a strict parser."""
    return "\n\n".join(unmarked(p) for p in ElementTree.fromstring(f"<body>{text or ''}</body>"))


def read_moodle(data):
    """The questions by category, as plain values."""
    found, category = {}, None
    for question in ElementTree.fromstring(data):
        if question.get("type") == "category":
            category = question.findtext("category/text").removeprefix(_moodle._TOP).strip("/")
            assert category not in found
            found[category] = []
            continue
        about = {
            "kind": question.get("type"),
            "name": question.findtext("name/text"),
            "text": from_html(question.findtext("questiontext/text")),
            "guidance": from_html(question.findtext("graderinfo/text")),
            "answers": [
                {
                    "text": answer.findtext("text"),
                    "fraction": answer.get("fraction"),
                    "feedback": from_html(answer.findtext("feedback/text")),
                    "tolerance": answer.findtext("tolerance"),
                }
                for answer in question.iterfind("answer")
            ],
        }
        found[category].append(about)
    return found


def read_qti(data):
    """The roots of the package's files, by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: ElementTree.fromstring(archive.read(name)) for name in archive.namelist()}


@functools.cache
def package():
    return read_qti(ZIP)


@functools.cache
def quiz():
    return read_moodle(XML)


def find(element, *tags):
    """All elements below with that path of tags, of whatever namespace."""
    return element.iterfind("/".join(["."] + [f"{{*}}{tag}" for tag in tags]))


def one(element, *tags):
    (found,) = find(element, *tags)
    return found


def normal(text):
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))


def choices_of(item):
    """Text, rightness and feedback of each choice of a QTI item."""
    right = one(item, "responseDeclaration", "correctResponse", "value").text
    feedback = {each.get("identifier"): each for each in find(item, "modalFeedback")}
    return [
        (
            unmarked(choice),
            choice.get("identifier") == right,
            "\n\n".join(map(unmarked, feedback[choice.get("identifier")])),
        )
        for choice in find(item, "itemBody", "choiceInteraction", "simpleChoice")
    ]


def problem_of(item):
    """Text, key and tolerances of a QTI item that asks for a number."""
    *texts, field = find(item, "itemBody", "p")
    assert one(field, "textEntryInteraction").get("responseIdentifier") == "RESPONSE"
    reach = one(item, "responseProcessing", "responseCondition", "responseIf", "equal").get("tolerance")
    key = one(item, "responseDeclaration", "correctResponse", "value").text
    return "\n\n".join(map(unmarked, texts)), key, reach.split()


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_is_read_back_from_either_file(name):
    found, items = quiz(), package()
    asked = found[f"Problems/{name}"]
    assert len(asked) == N
    for k, question in enumerate(asked, start=1):
        problem = variant(name, seed_of(SECRET, f"variant {k}"))
        (answer,) = question["answers"]
        assert question["kind"] == "numerical"
        assert question["name"] == f"{name}, variant {k}"
        assert question["text"] == normal(problem.text)
        assert answer["fraction"] == "100"
        assert float(answer["text"]) == problem.key
        assert float(answer["tolerance"]) == problem.tolerance * abs(problem.key)
        text, key, reach = problem_of(items[f"{name}-{k}.xml"])
        assert text == normal(problem.text)
        assert float(key) == problem.key
        assert [float(each) for each in reach] == [problem.tolerance * abs(problem.key)] * 2
    (essay,) = found[f"Problems/{name}, explanation"]
    assert essay["kind"] == "essay"
    assert "question before this one" in essay["text"]
    (prompt,) = find(items[f"{name}-explanation.xml"], "itemBody", "extendedTextInteraction", "prompt")
    assert unmarked(prompt) == essay["text"]


def written_in(chapter):
    """The questions as they stand in a notebook, read line by line: text, and (choice, verdict and why)."""
    cells = notebook_cells(chapter)
    lines = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    questions, why = [], None
    for line in lines.split("## Check yourself\n")[1].split("\n"):
        if line.startswith("**"):
            questions.append((line.strip("*").split(". ", 1)[1], []))
        elif line.startswith("````{dropdown} "):
            why = []
            questions[-1][1].append((line.removeprefix("````{dropdown} "), why))
        elif line == "````":
            why = None
        elif why is not None:
            why.append(line)
    return questions


def agrees(source, said):
    """Where the page refers to something, the export names it."""
    pattern = re.escape(" ".join(re.sub(r"\{[a-z:]+\}`[^`]+`", "\0", source).split()))
    return re.fullmatch(pattern.replace("\0", r"[a-z]+ “[^”]+”"), said) is not None


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_questions_of_a_chapter_are_read_back_from_either_file(chapter):
    written, items = written_in(chapter), package()
    short = chapter.removeprefix("book/")
    title = next(question.title for question in RECALL if question.chapter == short)
    asked = quiz()[f"Practice, answers are published/{title.replace('/', '//')}"]
    assert len(written) == len(asked) >= 3
    for k, ((text, choices), question) in enumerate(zip(written, asked, strict=True), start=1):
        assert question["kind"] == "multichoice"
        item = items[f"recall-{short.replace('/', '-')}-{k}.xml"]
        assert agrees(text, question["text"])
        assert unmarked(one(item, "itemBody", "choiceInteraction", "prompt")) == question["text"]
        in_qti = choices_of(item)
        for (choice, why), answer, other in zip(choices, question["answers"], in_qti, strict=True):
            right = why[0].startswith("Right.")
            assert answer["fraction"] == ("100" if right else "0")
            assert agrees(choice, from_html(answer["text"]))
            assert agrees(" ".join(why), answer["feedback"])
            assert other == (from_html(answer["text"]), right, answer["feedback"])
        assert sum(right for _, right, _ in in_qti) == 1


def test_no_reference_to_a_page_is_left():
    said = [t for q in RECALL for t in (q.text, *(c.text + c.feedback for c in q.choices))]
    said += [problem.text for pool in POOLS for problem in pool.problems]
    assert [text for text in said if re.search(r"\{[a-z:]+\}`", text)] == []
    assert any("theorem “LP is private”" in text for text in said)
    assert [q.chapter for q in RECALL] == sorted(
        (q.chapter for q in RECALL), key=[chapter.removeprefix("book/") for chapter in CHAPTERS].index
    )


HOSTILE = [
    "a < b & c > d, <script>alert(1)</script> &amp; &lt;b&gt;",
    "]]> and <![CDATA[ and <!-- -->",
    "\"double\", 'single' and “curled”",
    "It costs $5 and 6$, or 5 $ each",
    "lone ` and * and 2 * 3 * 4 and a_b_c",
    '`x < y && "z"` and $a<b$ with $p^*q^*$',
    "*very **small*** and *em with `code`*",
    "\N{GREEK SMALL LETTER EPSILON} \N{SNOWMAN} \N{MUSICAL SYMBOL G CLEF} \N{NO-BREAK SPACE}é",
    "{mlang en} {1} @@PLUGINFILE@@ %s {0}",
    "=cmd()\t1",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    pool = Pool("hostile", (Problem(text, -0.25, 0.01, f"{text}\n\n{text}"),))
    asked = Recall("a/b", text, 1, text, (Choice(text, False, text), Choice("right", True, text)))
    found = read_moodle(_moodle.moodle_xml([pool], [asked]))
    items = read_qti(_qti.qti_package([pool], [asked]))
    flat = re.sub(r"[ \t]+", " ", text)
    (number,), (essay,) = found["Problems/hostile"], found["Problems/hostile, explanation"]
    (choice,) = found[f"Practice, answers are published/{text.replace('/', '//')}"]
    assert number["text"] == choice["text"] == choice["answers"][0]["feedback"] == flat
    assert essay["guidance"] == f"{flat}\n\n{flat}"
    assert choice["name"] == f"{text}, question 1"
    assert problem_of(items["hostile-1.xml"])[0] == flat
    assert choices_of(items["recall-a-b-1.xml"]) == [(flat, False, flat), ("right", True, flat)]
    assert items["recall-a-b-1.xml"].get("title") == f"{text}, question 1"
    rubric = one(items["hostile-explanation.xml"], "itemBody", "rubricBlock")
    assert rubric.get("view") == "scorer"
    assert [unmarked(p) for p in rubric] == [flat, flat]
    assert "<script" not in number["text"] or b"<script" not in _moodle.moodle_xml([pool], [asked])


def test_marks_become_elements_and_math_gets_the_brackets_of_the_platforms():
    (p,) = _questions.paragraphs("With $a_1<2$ and `b*c*`, *never* **ever** \\$5 \\* x")
    assert ElementTree.tostring(p, encoding="unicode") == (
        r"<p>With \(a_1&lt;2\) and <code>b*c*</code>, <em>never</em> <strong>ever</strong> $5 * x</p>"
    )
    (money,) = _questions.paragraphs("It costs $5 or $6, and 7 $ each")
    assert money.text == "It costs $5 or $6, and 7 $ each"
    assert len(_questions.paragraphs("one\n\n two\n words \n\n\n")) == 2


# --- judged by the exported rule


def moodle_judges(answer, response):
    """As Moodle documents a nominal tolerance: from the key less the tolerance to the key and it."""
    key, tolerance = float(answer["text"]), float(answer["tolerance"])
    return key - tolerance <= response <= key + tolerance


def outcomes(item, response):
    """A QTI item's response processing, statement by statement; None is no response."""
    kinds = {"float": float, "identifier": str, "string": str}
    declared = {
        each.get("identifier"): each
        for tag in ("responseDeclaration", "outcomeDeclaration")
        for each in find(item, tag)
    }

    def cast(name, text):
        return kinds[declared[name].get("baseType")](text)

    values = {"RESPONSE": response}
    for each in find(item, "outcomeDeclaration"):
        for value in find(each, "defaultValue", "value"):
            values[each.get("identifier")] = cast(each.get("identifier"), value.text)

    def value_of(expression):
        match local(expression):
            case "variable":
                return values.get(expression.get("identifier"))
            case "correct":
                name = expression.get("identifier")
                return cast(name, one(declared[name], "correctResponse", "value").text)
            case "baseValue":
                return kinds[expression.get("baseType")](expression.text)
            case "match":
                first, second = map(value_of, expression)
                return None if first is None else first == second
            case "equal":
                assert expression.get("toleranceMode") == "absolute"
                below, above = map(float, expression.get("tolerance").split())
                x, y = map(value_of, expression)
                return None if x is None else x - below <= y <= x + above
            case other:
                raise NotImplementedError(other)

    def do(statement):
        match local(statement):
            case "setOutcomeValue":
                assert statement.get("identifier") in declared
                values[statement.get("identifier")] = value_of(statement[0])
            case "responseCondition":
                for branch in statement:
                    inner = list(branch)
                    if local(branch) == "responseElse" or value_of(inner.pop(0)):
                        for each in inner:
                            do(each)
                        break
            case other:
                raise NotImplementedError(other)

    for statement in one(item, "responseProcessing"):
        do(statement)
    return values


KEYS = st.one_of(
    st.sampled_from([1e-12, -1e-12, 1e12, -1e12, 1 / 3, -2.5]),
    st.floats(-1e12, 1e12).filter(lambda key: abs(key) > 1e-12),
)


def both(problem):
    """The exported rules of a problem, each a function of the response."""
    pool = [Pool("p", (problem,))]
    (question,) = read_moodle(_moodle.moodle_xml(pool, []))["Problems/p"]
    item = read_qti(_qti.qti_package(pool, []))["p-1.xml"]
    return (
        lambda response: moodle_judges(question["answers"][0], response),
        lambda response: outcomes(item, response)["SCORE"] == 1,
    )


@given(key=KEYS, tolerance=st.sampled_from([0.005, 0.05, 0.2]))
def test_an_answer_is_judged_as_the_bank_judges_it(key, tolerance):
    problem = Problem("?", key, tolerance)
    reach = tolerance * abs(key)
    for rule in both(problem):
        for share, right in ((0, True), (0.99, True), (1.01, False), (400, False)):
            for response in (key + share * reach, key - share * reach):
                assert rule(response) is problem.grade(response) is right
        assert rule(-key) is problem.grade(-key) is False


def test_a_key_of_zero_takes_zero_only():
    problem = Problem("?", 0.0)
    for rule in both(problem):
        for response, right in ((0.0, True), (-0.0, True), (1e-9, False), (-1e-9, False)):
            assert rule(response) is problem.grade(response) is right


@pytest.mark.parametrize("pool", POOLS, ids=lambda pool: pool.name)
def test_the_bank_s_own_problems_are_judged_as_there(pool):
    for problem in pool.problems:
        for rule in both(problem):
            for share in (-1.01, -0.99, 0.99, 1.01):
                response = problem.key * (1 + share * problem.tolerance)
                assert rule(response) is problem.grade(response) is (abs(share) < 1)


def test_no_answer_is_no_point():
    items = package()
    for name, item in items.items():
        if list(find(item, "responseProcessing")):
            assert outcomes(item, None)["SCORE"] == 0, name


def test_a_choice_is_judged_and_answered():
    for name, item in package().items():
        if name.startswith("recall-"):
            for choice in find(item, "itemBody", "choiceInteraction", "simpleChoice"):
                after = outcomes(item, choice.get("identifier"))
                (told,) = [
                    each
                    for each in find(item, "modalFeedback")
                    if each.get("identifier") == after["FEEDBACK"]
                ]
                assert unmarked(told[0]).startswith("Right." if after["SCORE"] == 1 else "No.")


@pytest.mark.parametrize("key", [math.nan, math.inf])
def test_a_key_that_no_file_can_say_is_refused(key, monkeypatch):
    monkeypatch.setitem(PROBLEMS, "lost", lambda rng: Problem("?", key))
    with pytest.raises(ValueError, match="key of a variant of lost"):
        _questions.pools(SECRET, 1, ["lost"])


def test_numbers_are_written_with_points_and_all_their_digits():
    for key in (1e-12, -1e12, 1 / 3, np.float64(2) / 7):
        pool = [Pool("p", (Problem("?", key),))]
        (question,) = read_moodle(_moodle.moodle_xml(pool, []))["Problems/p"]
        printed = question["answers"][0]["text"]
        assert re.fullmatch(r"-?\d+(\.\d+)?(e[+-]\d+)?", printed), printed
        assert float(printed) == key


def test_no_two_variants_of_a_problem_are_alike(monkeypatch):
    seeds = []

    def few(rng):
        seeds.append(int(rng.integers(0, 6)))
        return Problem(f"{seeds[-1]}?", 1.0)

    monkeypatch.setitem(PROBLEMS, "few", few)
    (pool,) = _questions.pools(SECRET, 6, ["few"])
    assert len(seeds) > 6
    assert [problem.text for problem in pool.problems] == [f"{seed}?" for seed in dict.fromkeys(seeds)]
    with pytest.raises(ValueError, match="few does not have 7 variants: 6 were found"):
        _questions.pools(SECRET, 7, ["few"])


# --- what full explanations name


def guidance_in(problems):
    pool = [Pool("p", tuple(problems))]
    (essay,) = read_moodle(_moodle.moodle_xml(pool, []))["Problems/p, explanation"]
    rubrics = find(read_qti(_qti.qti_package(pool, []))["p-explanation.xml"], "itemBody", "rubricBlock", "p")
    assert essay["guidance"] == "\n\n".join(map(unmarked, rubrics))
    return essay["guidance"]


def test_whoever_grades_an_explanation_reads_what_it_should_name():
    first, second = Problem("?", 1.0, 0.1, "Names A."), Problem("?", 1.0, 0.1, "Names B.")
    assert guidance_in([first, first]) == "Names A."
    assert guidance_in([first, second]) == "Variant 1: Names A.\n\nVariant 2: Names B."
    assert guidance_in([Problem("?", 1.0)]) == ""


def test_students_do_not_see_what_an_explanation_should_name():
    pool = [Pool("p", (Problem("?", 1.0, 0.1, "Names A."),))]
    for name, root in read_qti(_qti.qti_package(pool, [])).items():
        places = [e for e in root.iter() if "Names A." in (e.text or "")]
        assert len(places) == (name == "p-explanation.xml")
    (question, essay) = [
        q for q in ElementTree.fromstring(_moodle.moodle_xml(pool, [])) if q.find("name") is not None
    ]
    assert [e.tag for e in question.iter() if "Names A." in (e.text or "")] == []
    assert "Names A." in essay.findtext("graderinfo/text")


# --- the formats

# Children of an element in their order, and its required attributes: the parts of the specification in use.
FLOW = "(p )*"
INLINE = "(em |strong |code |textEntryInteraction )*"
MODELS = {
    "assessmentItem": (
        "(responseDeclaration )*(outcomeDeclaration )*itemBody (responseProcessing )?(modalFeedback )*",
        "identifier title adaptive timeDependent",
    ),
    "responseDeclaration": ("(correctResponse )?", "identifier cardinality baseType"),
    "outcomeDeclaration": ("(defaultValue )?", "identifier cardinality baseType"),
    "correctResponse": ("value ", ""),
    "defaultValue": ("value ", ""),
    "value": ("", ""),
    "itemBody": ("(p |rubricBlock |choiceInteraction |extendedTextInteraction )+", ""),
    "rubricBlock": (FLOW, "view"),
    "p": (INLINE, ""),
    "em": (INLINE, ""),
    "strong": (INLINE, ""),
    "code": (INLINE, ""),
    "prompt": (INLINE, ""),
    "choiceInteraction": ("(prompt )?(simpleChoice )+", "responseIdentifier shuffle maxChoices"),
    "simpleChoice": (INLINE, "identifier"),
    "textEntryInteraction": ("", "responseIdentifier"),
    "extendedTextInteraction": ("(prompt )?", "responseIdentifier"),
    "responseProcessing": ("(responseCondition |setOutcomeValue )*", ""),
    "responseCondition": ("responseIf (responseElse )?", ""),
    "responseIf": ("(equal |match )(setOutcomeValue )*", ""),
    "responseElse": ("(setOutcomeValue )*", ""),
    "setOutcomeValue": ("(variable |baseValue |sum )", "identifier"),
    "match": ("variable correct ", ""),
    "equal": ("variable correct ", "toleranceMode"),
    "variable": ("", "identifier"),
    "correct": ("", "identifier"),
    "baseValue": ("", "baseType"),
    "modalFeedback": (FLOW, "outcomeIdentifier showHide identifier"),
    "assessmentTest": ("(outcomeDeclaration )*(testPart )+(outcomeProcessing )?", "identifier title"),
    "testPart": (
        "(itemSessionControl )?(assessmentSection )+",
        "identifier navigationMode submissionMode",
    ),
    "itemSessionControl": ("", ""),
    "assessmentSection": (
        "(selection )?(assessmentItemRef |assessmentSection )*",
        "identifier title visible",
    ),
    "selection": ("", "select"),
    "assessmentItemRef": ("", "identifier href"),
    "outcomeProcessing": ("(setOutcomeValue )*", ""),
    "sum": ("(testVariables )+", ""),
    "testVariables": ("", "variableIdentifier"),
    "manifest": ("metadata organizations resources ", "identifier"),
    "metadata": ("schema schemaversion ", ""),
    "schema": ("", ""),
    "schemaversion": ("", ""),
    "organizations": ("", ""),
    "resources": ("(resource )*", ""),
    "resource": ("(file )*(dependency )*", "identifier type href"),
    "file": ("", "href"),
    "dependency": ("", "identifierref"),
}
NAME = re.compile(r"[A-Za-z_][\w.-]*")


def faults_of_package(files):
    """What is wrong with the files of a package, by their names and roots."""
    found = []
    for name, root in files.items():
        space = _qti._PACKAGE if name == "imsmanifest.xml" else _qti._QTI
        for element in root.iter():
            tag = local(element)
            children, attributes = MODELS.get(tag, ("", ""))
            if tag not in MODELS or element.tag != f"{{{space}}}{tag}":
                found.append(f"{name}: no element {element.tag}")
            if not re.fullmatch(children, "".join(f"{local(child)} " for child in element)):
                found.append(f"{name}: children of {tag}")
            found += [f"{name}: {tag} without {each}" for each in attributes.split() if not element.get(each)]
            if element.get("identifier") and not NAME.fullmatch(element.get("identifier")):
                found.append(f"{name}: {element.get('identifier')} is no identifier")
        declared = {
            each.get("identifier")
            for each in root
            if local(each) in ("responseDeclaration", "outcomeDeclaration")
        }
        if name not in ("imsmanifest.xml",):
            used = {e.get("responseIdentifier") or e.get("outcomeIdentifier") for e in root.iter()} - {None}
            used |= {e.get("identifier") for e in root.iter() if local(e) in ("variable", "setOutcomeValue")}
            found += [f"{name}: {each} is not declared" for each in used - declared]
    manifest = files["imsmanifest.xml"]
    resources = list(find(manifest, "resources", "resource"))
    listed = [each.get("href") for each in find(manifest, "resources", "resource", "file")]
    if sorted(listed) != sorted(set(files) - {"imsmanifest.xml"}):
        found.append("the manifest does not list each file once")
    found += [f"{r.get('identifier')}: href" for r in resources if r.get("href") not in listed]
    names = {r.get("href"): r.get("identifier") for r in resources}
    if len(set(names.values())) != len(resources):
        found.append("resources share an identifier")
    found += [
        f"{href}: another identifier in the manifest"
        for href, identifier in names.items()
        if files.get(href, resources[0]).get("identifier") != identifier
    ]
    tests = [r for r in resources if r.get("type") == "imsqti_test_xmlv2p1"]
    if len(tests) != 1:
        return [*found, "not one test"]
    (test,) = tests
    root = files[test.get("href")]
    referred = {r.get("identifier"): r.get("href") for r in root.iter() if local(r) == "assessmentItemRef"}
    if referred != {i: href for href, i in names.items() if href != test.get("href")}:
        found.append("the test does not refer to each item once")
    if [d.get("identifierref") for d in find(test, "dependency")] != list(referred):
        found.append("the test does not depend on each of its items")
    in_test = [e.get("identifier") for e in root.iter() if local(e) in ("testPart", "assessmentSection")]
    in_test += [r.get("identifier") for r in root.iter() if local(r) == "assessmentItemRef"]
    if len(in_test) != len(set(in_test)):
        found.append("parts of the test share an identifier")
    return found


def test_the_package_is_as_the_specification_has_it():
    assert faults_of_package(package()) == []
    with zipfile.ZipFile(io.BytesIO(ZIP)) as archive:
        assert archive.namelist()[0] == "imsmanifest.xml"
        assert len(set(archive.namelist())) == len(archive.namelist())
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def drop(tag, *, attribute=None, of="flip-1.xml"):
    def spoil(files):
        root = files[of]
        for parent in list(root.iter()):
            for child in list(parent):
                if local(child) == tag:
                    if attribute:
                        del child.attrib[attribute]
                    else:
                        parent.remove(child)
                    return

    return spoil


def last_first(files):
    root = files["recall-sparse-answers-laplace-1.xml"]
    root.insert(0, root[-1])


def rename(files):
    files["flip-1.xml"].set("identifier", "flip 1")


def lose(files):
    del files["flip-1.xml"]


@pytest.mark.parametrize(
    "spoil",
    [
        drop("responseDeclaration"),
        drop("equal", attribute="toleranceMode"),
        drop("itemBody"),
        drop("selection", attribute="select", of="test.xml"),
        drop("assessmentItemRef", of="test.xml"),
        drop("resource", of="imsmanifest.xml"),
        drop("dependency", of="imsmanifest.xml"),
        last_first,
        rename,
        lose,
    ],
)
def test_a_fault_of_a_package_is_seen(spoil):
    files = copy.deepcopy(package())
    spoil(files)
    assert faults_of_package(files)


def test_a_test_draws_one_variant_of_each_problem_and_asks_how():
    test = package()["test.xml"]
    problems, practice = find(test, "testPart")
    sections = list(find(problems, "assessmentSection"))
    assert [section.get("title") for section in sections] == list(PROBLEMS)
    for section in sections:
        drawn, essay = section
        assert one(drawn, "selection").get("select") == "1"
        name = section.get("title")
        assert [r.get("href") for r in find(drawn, "assessmentItemRef")] == [
            f"{name}-{k}.xml" for k in range(1, N + 1)
        ]
        assert essay.get("href") == f"{name}-explanation.xml"
    titles = [section.get("title") for section in find(practice, "assessmentSection")]
    assert len(titles) == len(CHAPTERS)
    assert all(title.startswith("Practice, answers are published: ") for title in titles)
    # Feedback is shown after each answer in practice, and not in the rest: the specification's default.
    assert problems.get("submissionMode") == "simultaneous"
    assert practice.get("submissionMode") == "individual"
    assert [each.attrib for each in find(test, "testPart", "itemSessionControl")] == [
        {"maxAttempts": "0", "showFeedback": "true"}
    ]
    for name, item in package().items():
        if name.startswith("recall-"):
            asked = one(item, "itemBody", "choiceInteraction")
            assert (asked.get("maxChoices"), asked.get("shuffle")) == ("1", "true")


BEGINNING = "name questiontext generalfeedback defaultgrade penalty hidden "
MOODLE = {
    "category": "category info ",
    "numerical": BEGINNING + "answer unitgradingtype unitpenalty showunits unitsleft ",
    "essay": BEGINNING
    + "responseformat responserequired responsefieldlines attachments attachmentsrequired graderinfo "
    + "responsetemplate ",
    "multichoice": BEGINNING
    + "single shuffleanswers answernumbering correctfeedback partiallycorrectfeedback incorrectfeedback "
    + "(answer )+",
}


SAID = {
    "single": "true",
    "shuffleanswers": "true",
    "hidden": "0",
    "responserequired": "1",
}


def faults_of_quiz(root):
    """What is wrong with a file of Moodle XML: elements as Moodle writes them, names told apart."""
    found, names = [], []
    for question in root:
        kind = question.get("type")
        if not re.fullmatch(MOODLE[kind], "".join(f"{child.tag} " for child in question)):
            found.append(f"children of {kind}")
        found += [
            f"{e.tag} without text" for e in question.iter() if e.get("format") and e.find("text") is None
        ]
        points = "4" if kind == "essay" else "1"
        found += ["points"] if question.findtext("defaultgrade", points) != points else []
        found += [f"{tag} of {kind}" for tag, said in SAID.items() if question.findtext(tag, said) != said]
        if kind != "category":
            names.append(question.findtext("name/text"))
        fractions = [answer.get("fraction") for answer in question.iterfind("answer")]
        if fractions and fractions.count("100") != 1:
            found.append("right answers")
    if len(names) != len(set(names)):
        found.append("questions share a name")
    return found


def test_the_quiz_is_as_moodle_writes_it():
    root = ElementTree.fromstring(XML)
    assert root.tag == "quiz"
    assert root[0].get("type") == "category"
    assert faults_of_quiz(root) == []
    root[1].remove(root[1].find("penalty"))
    root[2].find("name/text").text = root[3].find("name/text").text
    root[2].find("answer").set("fraction", "0")
    root[3].find("generalfeedback").remove(root[3].find("generalfeedback/text"))
    assert sorted(set(faults_of_quiz(root))) == [
        "children of numerical",
        "generalfeedback without text",
        "questions share a name",
        "right answers",
    ]


# --- the command


def call(tmp_path, *arguments, secret=SECRET):
    file = tmp_path / "secret"
    if secret is not None:
        file.write_text(secret + "\n", encoding="utf-8")
    quizzes.main(["--secret-file", str(file), *map(str, arguments)])


@beside_the_chapters
def test_both_files_are_written_and_the_same_secret_gives_the_same_bytes(tmp_path, capsys):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        call(
            tmp_path,
            "--variants",
            N,
            "--moodle",
            tmp_path / folder / "q.xml",
            "--qti",
            tmp_path / folder / "q.zip",
        )
        assert (tmp_path / folder / "q.xml").read_bytes() == XML
        assert (tmp_path / folder / "q.zip").read_bytes() == ZIP
    assert f"{len(PROBLEMS)} problems in {N} variants, {len(RECALL)} questions" in capsys.readouterr().out


def test_another_secret_gives_other_problems(tmp_path):
    call(tmp_path, "--moodle", tmp_path / "q.xml", "flip", secret=SECRET.upper())
    mine, other = (
        quiz()["Problems/flip"],
        read_moodle((tmp_path / "q.xml").read_bytes())["Problems/flip"],
    )
    assert [q["text"] for q in mine] != [q["text"] for q in other[:N]]


def test_no_file_holds_the_secret_or_a_seed():
    whole = [XML.decode(), *(ElementTree.tostring(r, encoding="unicode") for r in package().values())]
    seeds = [seed_of(SECRET, f"variant {k}") for k in range(1, N + 1)]
    told = [SECRET, *SECRET.split()[1:], *map(str, seeds), *(f"{seed:x}" for seed in seeds)]
    assert [word for word in told for text in whole if word in html.unescape(text)] == []


@beside_the_chapters
def test_what_is_named_is_written_and_nothing_else(tmp_path, capsys):
    call(tmp_path, "--variants", 2, "--moodle", tmp_path / "q.xml", "keep", "flip")
    assert set(read_moodle((tmp_path / "q.xml").read_bytes())) == {
        f"Problems/{name}{suffix}" for name in ("flip", "keep") for suffix in ("", ", explanation")
    }
    quizzes.main(["--qti", str(tmp_path / "q.zip"), "recall"])
    files = read_qti((tmp_path / "q.zip").read_bytes())
    assert faults_of_package(files) == []
    assert len(files) == len(RECALL) + 2
    assert not (tmp_path / "q.txt").exists()
    assert "recall" not in PROBLEMS


@pytest.mark.parametrize(
    ("arguments", "secret", "told"),
    [
        (["nonsense"], SECRET, f"there is no problem nonsense: choose from {next(iter(PROBLEMS))}, "),
        (["--variants", "0"], SECRET, "--variants must be at least 1, got 0"),
        (["--variants", "x"], SECRET, "invalid int value"),
        ([], "too short", "secret must have at least 16 characters"),
        ([], "   too short with white space   "[:13] + " " * 20, "secret must have at least 16 characters"),
        ([], None, "No such file or directory"),
    ],
)
def test_bad_input_is_a_sentence(tmp_path, capsys, arguments, secret, told):
    with pytest.raises(SystemExit) as stopped:
        call(tmp_path, "--moodle", tmp_path / "q.xml", *arguments, secret=secret)
    assert stopped.value.code == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "q.xml").exists()


def test_a_secret_that_is_no_text_is_refused_unprinted(tmp_path, capsys):
    (tmp_path / "key").write_bytes(b"\xff\xfe0123456789abcdef")
    with pytest.raises(SystemExit) as stopped:
        quizzes.main(["--secret-file", str(tmp_path / "key"), "--moodle", str(tmp_path / "q.xml")])
    assert stopped.value.code == 2
    told = capsys.readouterr().err
    assert "key is not UTF-8" in told
    assert "0123456789abcdef" not in told


def test_a_file_has_to_be_named_and_written(tmp_path, capsys):
    same = tmp_path / "q"
    for arguments, told in (
        ([], "give --moodle FILE.xml, --qti FILE.zip, or both"),
        (["--moodle", same, "--qti", same], "to different files"),
        (["flip", "--moodle", tmp_path / "no" / "q.xml"], "No such file or directory"),
        (["flip", "--qti", tmp_path], tmp_path.name),  # why a folder cannot be written, each system says
    ):
        with pytest.raises(SystemExit) as stopped:
            call(tmp_path, *arguments)
        assert stopped.value.code == 2
        assert told in capsys.readouterr().err
    with pytest.raises(SystemExit):
        quizzes.main(["flip", "--moodle", str(same)])
    assert "variants of problems need --secret-file FILE" in capsys.readouterr().err


@beside_the_chapters
def test_the_commands_on_the_page_are_right(tmp_path):
    page = (ROOT / "book" / "teaching" / "quizzes.md").read_text(encoding="utf-8")
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    commands = re.findall(
        r"^\.venv/bin/python -m ldpcourse\.teaching\.quizzes ((?:.*\\\n)*.*)$", page, re.MULTILINE
    )
    for command in commands:
        quizzes.main(command.replace("\\\n", " ").replace("$HOME/teaching", str(tmp_path)).split())
    assert stat.S_IMODE((tmp_path / "quiz.xml").stat().st_mode) == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {
        "secret",
        "quiz.xml",
        "quiz.zip",
        "practice.xml",
    }
    assert list(read_moodle((tmp_path / "practice.xml").read_bytes())) == [
        name for name in quiz() if name.startswith("Practice")
    ]


def test_practice_is_no_part_of_the_score():
    with zipfile.ZipFile(io.BytesIO(ZIP)) as package:
        test = ElementTree.fromstring(package.read("test.xml"))
    (summed,) = (e for e in test.iter() if local(e) == "testVariables")
    items = {e.get("identifier"): e.get("category") for e in test.iter() if local(e) == "assessmentItemRef"}
    graded = {name for name, category in items.items() if category == summed.get("includeCategory")}
    assert graded == {name for name in items if not name.startswith("recall-")}
    assert len(graded) < len(items)


def test_without_the_repository_the_problems_are_written_alone(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(quizzes, "_ROOT", tmp_path)
    call(tmp_path, "--variants", 1, "--moodle", tmp_path / "q.xml")
    assert len(read_moodle((tmp_path / "q.xml").read_bytes())) == 2 * len(PROBLEMS)
    assert "without the chapters' questions" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        call(tmp_path, "--moodle", tmp_path / "q.xml", "recall")
    assert "needs the book's repository" in capsys.readouterr().err
