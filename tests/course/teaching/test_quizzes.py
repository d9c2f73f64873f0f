"""Quizzes for a learning platform: read back, judged by the rules that the file states, held to its format.

Moodle publishes no schema of its XML, so the order of the elements that are used is written down below.
"""

import functools
import html
import math
import os
import re
import stat
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, strategies as st
from toc import CHAPTERS, ROOT, notebook_cells

from ldpcourse.problems import PROBLEMS, Problem, seed_of, variant
from ldpcourse.teaching import _moodle, _questions, quizzes
from ldpcourse.teaching._questions import Choice, Pool, Recall

SECRET = "correct horse battery staple"
N = 3
POOLS = _questions.pools(SECRET, N, list(PROBLEMS))
RECALL = _questions.recall_of(ROOT)
XML = _moodle.moodle_xml(POOLS, RECALL)
# Commands read the questions from the chapters in the repository.
beside_the_chapters = pytest.mark.skipif(
    bool(os.environ.get("LDPBOOK_INSTALLED")), reason="an installed package has no chapters beside it"
)


# --- reading back


def unmarked(element):
    """An element's content with the pages' markup."""
    marks = {"em": "*", "strong": "**", "code": "`"}
    text = element.text or ""
    for child in element:
        mark = marks[child.tag]
        text += f"{mark}{unmarked(child)}{mark}{child.tail or ''}"
    return text.replace("\\(", "$").replace("\\)", "$")


def from_html(text):
    """The paragraphs of a text that holds HTML; a strict parser removes tags and entities."""
    return "\n\n".join(unmarked(p) for p in ElementTree.fromstring(f"<body>{text or ''}</body>"))


def read_back(data):
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


@functools.cache
def quiz():
    return read_back(XML)


def quiz_of(problem):
    """The only question about a problem, and the one that asks for an explanation."""
    found = read_back(_moodle.moodle_xml([Pool("p", (problem,))], []))
    return found["Problems/p"][0], found["Problems/p, explanation"][0]


def normal(text):
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))


@pytest.mark.parametrize("name", PROBLEMS)
def test_variants_of_a_problem_are_read_back(name):
    asked = quiz()[f"Problems/{name}"]
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
    (essay,) = quiz()[f"Problems/{name}, explanation"]
    assert essay["kind"] == "essay"
    assert "the previous question" in essay["text"]


def written_in(chapter):
    """The questions in a notebook, read line by line: text, and (choice, verdict and reason)."""
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
    """Whether the export names what the page refers to."""
    pattern = re.escape(" ".join(re.sub(r"\{[a-z:]+\}`[^`]+`", "\0", source).split()))
    return re.fullmatch(pattern.replace("\0", r"[a-z]+ “[^”]+”"), said) is not None


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_questions_of_a_chapter_are_read_back(chapter):
    written = written_in(chapter)
    short = chapter.removeprefix("book/")
    title = next(question.title for question in RECALL if question.chapter == short)
    asked = quiz()[f"Practice, answers are published/{title.replace('/', '//')}"]
    assert len(written) == len(asked) >= 3
    for (text, choices), question in zip(written, asked, strict=True):
        assert question["kind"] == "multichoice"
        assert agrees(text, question["text"])
        for (choice, why), answer in zip(choices, question["answers"], strict=True):
            assert answer["fraction"] == ("100" if why[0].startswith("Right.") else "0")
            assert agrees(choice, from_html(answer["text"]))
            assert agrees(" ".join(why), answer["feedback"])


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
    written = _moodle.moodle_xml([pool], [asked])
    found = read_back(written)
    flat = re.sub(r"[ \t]+", " ", text)
    (number,), (essay,) = found["Problems/hostile"], found["Problems/hostile, explanation"]
    (choice,) = found[f"Practice, answers are published/{text.replace('/', '//')}"]
    assert number["text"] == choice["text"] == choice["answers"][0]["feedback"] == flat
    assert essay["guidance"] == f"{flat}\n\n{flat}"
    assert choice["name"] == f"{text}, question 1"
    assert b"<script" not in written


def test_marks_become_elements_and_math_moodle_brackets():
    (p,) = _questions.paragraphs("With $a_1<2$ and `b*c*`, *never* **ever** \\$5 \\* x")
    assert ElementTree.tostring(p, encoding="unicode") == (
        r"<p>With \(a_1&lt;2\) and <code>b*c*</code>, <em>never</em> <strong>ever</strong> $5 * x</p>"
    )
    (money,) = _questions.paragraphs("It costs $5 or $6, and 7 $ each")
    assert money.text == "It costs $5 or $6, and 7 $ each"
    assert len(_questions.paragraphs("one\n\n two\n words \n\n\n")) == 2


# --- judged by the exported rule


def rule_of(problem):
    """Moodle's documented nominal tolerance: from key minus tolerance to key plus tolerance."""
    (answer,) = quiz_of(problem)[0]["answers"]
    key, tolerance = float(answer["text"]), float(answer["tolerance"])
    return lambda response: key - tolerance <= response <= key + tolerance


KEYS = st.one_of(
    st.sampled_from([1e-12, -1e-12, 1e12, -1e12, 1 / 3, -2.5]),
    st.floats(-1e12, 1e12).filter(lambda key: abs(key) > 1e-12),
)


@given(key=KEYS, tolerance=st.sampled_from([0.005, 0.05, 0.2]))
def test_quiz_judges_answers_like_the_bank(key, tolerance):
    problem = Problem("?", key, tolerance)
    rule, reach = rule_of(problem), tolerance * abs(key)
    for share, right in ((0, True), (0.99, True), (1.01, False), (400, False)):
        for response in (key + share * reach, key - share * reach):
            assert rule(response) is problem.grade(response) is right
    assert rule(-key) is problem.grade(-key) is False


def test_a_key_of_zero_takes_zero_only():
    problem = Problem("?", 0.0)
    for response, right in ((0.0, True), (-0.0, True), (1e-9, False), (-1e-9, False)):
        assert rule_of(problem)(response) is problem.grade(response) is right


@pytest.mark.parametrize("key", [math.nan, math.inf])
def test_unwritable_key_is_refused(key, monkeypatch):
    monkeypatch.setitem(PROBLEMS, "lost", lambda rng: Problem("?", key))
    with pytest.raises(ValueError, match="key of a variant of lost"):
        _questions.pools(SECRET, 1, ["lost"])


def test_numbers_have_decimal_points_and_all_digits():
    for key in (1e-12, -1e12, 1 / 3, np.float64(2) / 7):
        printed = quiz_of(Problem("?", key))[0]["answers"][0]["text"]
        assert re.fullmatch(r"-?\d+(\.\d+)?(e[+-]\d+)?", printed), printed
        assert float(printed) == key


def test_variants_of_a_problem_differ(monkeypatch):
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


def test_expected_explanation_is_for_graders_only():
    first, second = Problem("?", 1.0, 0.1, "Names A."), Problem("?", 1.0, 0.1, "Names B.")
    number, essay = quiz_of(first)
    assert essay["guidance"] == "Names A."
    assert "Names A." not in str(number) + str(essay | {"guidance": ""})
    assert quiz_of(Problem("?", 1.0))[1]["guidance"] == ""
    found = read_back(_moodle.moodle_xml([Pool("p", (first, second))], []))
    assert found["Problems/p, explanation"][0]["guidance"] == "Variant 1: Names A.\n\nVariant 2: Names B."


# --- the format

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
    """Faults of a Moodle XML file: elements must be as Moodle writes them, with distinct names."""
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


def test_quiz_has_the_moodle_format():
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
    """Write `q.xml` with a secret's variants, and return what it holds."""
    if secret is not None:
        (tmp_path / "secret").write_text(secret + "\n", encoding="utf-8")
    files = ["--secret-file", tmp_path / "secret", "--moodle", tmp_path / "q.xml"]
    quizzes.main([str(each) for each in (*files, *arguments)])
    return (tmp_path / "q.xml").read_bytes()


@beside_the_chapters
def test_the_same_secret_gives_the_same_bytes(tmp_path, capsys):
    assert call(tmp_path, "--variants", N) == XML
    assert f"{len(PROBLEMS)} problems in {N} variants, {len(RECALL)} questions" in capsys.readouterr().out


def test_another_secret_gives_other_problems(tmp_path):
    other = read_back(call(tmp_path, "flip", secret=SECRET.upper()))["Problems/flip"]
    assert [q["text"] for q in quiz()["Problems/flip"]] != [q["text"] for q in other[:N]]


def test_no_file_holds_the_secret_or_a_seed():
    seeds = [seed_of(SECRET, f"variant {k}") for k in range(1, N + 1)]
    told = [SECRET, *SECRET.split()[1:], *map(str, seeds), *(f"{seed:x}" for seed in seeds)]
    assert [word for word in told if word in html.unescape(XML.decode())] == []


def test_only_named_problems_are_written(tmp_path):
    assert set(read_back(call(tmp_path, "--variants", 2, "keep", "flip"))) == {
        f"Problems/{name}{suffix}" for name in ("flip", "keep") for suffix in ("", ", explanation")
    }
    assert "recall" not in PROBLEMS


@pytest.mark.parametrize(
    ("arguments", "secret", "told"),
    [
        (["nonsense"], SECRET, f"there is no problem nonsense: choose from {next(iter(PROBLEMS))}, "),
        (["--variants", "0"], SECRET, "--variants must be at least 1, got 0"),
        (["--variants", "x"], SECRET, "invalid int value"),
        (["--moodle", "no/q.xml", "flip"], SECRET, "No such file or directory"),
        ([], "too short", "secret must have at least 16 characters"),
        ([], "   too short with white space   "[:13] + " " * 20, "secret must have at least 16 characters"),
        ([], None, "No such file or directory"),
    ],
)
def test_bad_input_ends_in_a_sentence(tmp_path, capsys, monkeypatch, arguments, secret, told):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        call(tmp_path, *arguments, secret=secret)
    assert stopped.value.code == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "q.xml").exists()


def test_non_text_secret_is_refused_unprinted(tmp_path, capsys):
    (tmp_path / "secret").write_bytes(b"\xff\xfe0123456789abcdef")
    with pytest.raises(SystemExit) as stopped:
        call(tmp_path, secret=None)
    assert stopped.value.code == 2
    told = capsys.readouterr().err
    assert "secret is not UTF-8" in told
    assert "0123456789abcdef" not in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["flip"], "arguments are required: --moodle"),
        (["flip", "--moodle", "q"], "variants of problems need --secret-file FILE"),
    ],
)
def test_file_and_secret_must_be_named(capsys, arguments, told):
    with pytest.raises(SystemExit) as stopped:
        quizzes.main(arguments)
    assert stopped.value.code == 2
    assert told in capsys.readouterr().err


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
    assert {path.name for path in tmp_path.iterdir()} == {"secret", "quiz.xml", "practice.xml"}
    assert list(read_back((tmp_path / "practice.xml").read_bytes())) == [
        name for name in quiz() if name.startswith("Practice")
    ]


def test_without_the_repository_the_problems_are_written_alone(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(quizzes, "_ROOT", tmp_path)
    assert len(read_back(call(tmp_path, "--variants", 1))) == 2 * len(PROBLEMS)
    assert "without the chapters' questions" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        call(tmp_path, "recall")
    assert "needs the book's repository" in capsys.readouterr().err
