"""A course from its roster to returned feedback, by nbgrader's commands: make test-teaching.

A plain pytest does not collect this file, because it needs the environment that has nbgrader.
"""

import csv
import html
import json
import re
from html.parser import HTMLParser

import pytest
from nbgrader.api import Gradebook

from ldpcourse.teaching import assignments

SECRET = "seventeen blue horses walk"
ROSTER = [
    *(
        "right",
        "1234",
        "zoë",
        "exits",
        "kills",
        "deaf",
        "garbage",
        "empty",
        "huge",
        "removes",
        "edits",
        "copies",
    ),
    "absent",
]
EXPLANATION = "By the theorem of the chapter, <b>with care</b>."
WHAT = "week-3=flip,keep,laplace,ex-lp-waste"
HUGE = 11_000_000


def read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def source(cell):
    return "".join(cell["source"])


def cell_of(notebook, name):
    return next(cell for cell in notebook["cells"] if cell["id"] == name)


def answered(course, student, keys, **answers):
    """A student's copy with the keys as answers, or with other text instead."""
    notebook = read(course / "handout" / student / "week-3" / "week-3.ipynb")
    for name, problem in keys[student].items():
        code = answers.get(name, repr(problem["key"]))
        cell_of(notebook, f"answer-{name}")["source"] = code if "\n" in code else f"answer_{name} = {code}"
        cell_of(notebook, f"explain-{name}")["source"] = f"{EXPLANATION} {student} on {name}"
    cell_of(notebook, "answer-ex-lp-waste")["source"] = "answer_lp_waste = lambda k: (1 - 1 / k) ** 2"
    return notebook


DEAF = """\
import time
while True:
    try:
        time.sleep(100)
    except BaseException:
        pass
"""
FORGES = """\
from ldpcourse.problems import Problem
from ldpcourse.teaching import _notebooks
Problem.grade = lambda *_: True
_notebooks.judged = lambda notebook, _: notebook
get_ipython().showtraceback = lambda *a, **k: print("right")
answer_flip = 1.0
"""
SHOWS = """\
from IPython.display import HTML, SVG, Image, Javascript, Markdown, display
display(HTML("<script>EVIL</script><img src=x onerror=EVIL>"), Javascript("EVIL"))
display(SVG("<svg xmlns='http://www.w3.org/2000/svg' onload='EVIL'/>"), Markdown("<script>EVIL</script>"))
display({"text/plain": "<script>EVIL</script>", "image/png": "AA=="}, raw=True)
print("<script>EVIL</script>")
answer_laplace = "<script>EVIL</script>"
"""
TEXT = """\
<script>EVIL</script> <img src=x onerror=EVIL> [a](javascript:EVIL) [b] [c][b] ![a](x" onerror="EVIL) $a<b$
![d](java&#115;cript:EVIL) <javascript:EVIL>

[b]: javascript:EVIL
"""
REPLACED = {
    "right": {},
    "1234": {"flip": "1 / 0", "keep": "0.123", "laplace": "answer_laplace = len('x' * 10**11)\n"},
    "zoë": {"flip": "answer_flip = 1\nwhile True:\n    pass"},
    "exits": {"flip": "exit()"},
    "kills": {"keep": "import os\nos._exit(1)"},
    "deaf": {"flip": DEAF},
    "edits": {"flip": FORGES, "keep": "answer_keep = '1'\n", "laplace": SHOWS},
}


def hand_in(course, keys):
    """Write the submissions of students, one file per student name."""
    inbox = course / "handed-in" / "week-3"
    inbox.mkdir(parents=True)

    def write(name, notebook):
        (inbox / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")

    for student, answers in REPLACED.items():
        write(student, answered(course, student, keys, **answers))
    write("stranger", answered(course, "right", keys))
    write("copies", answered(course, "right", keys))
    removes = answered(course, "removes", keys)
    removes["cells"] = [c for c in removes["cells"] if not re.match("title|task|test|.*-keep", c["id"])]
    write("removes", removes)
    edits = answered(course, "edits", keys, **REPLACED["edits"])
    for cell in edits["cells"]:
        if cell["id"].startswith("test-"):
            cell["source"] = "100"
            cell["metadata"]["nbgrader"] |= {"points": 100, "locked": False}
        if cell["id"].startswith("task-"):
            cell["source"] = "What is 0?"
        if cell["id"].startswith("explain-"):
            cell["source"] = TEXT
    write("edits", edits)
    (inbox / "garbage.ipynb").write_bytes(b'{"cells": [\xc3\xa9 PK\x03\x04')
    (inbox / "empty.ipynb").touch()
    huge = answered(course, "huge", keys)
    huge["metadata"]["more"] = "x" * HUGE
    write("huge", huge)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Run the whole course once; the tests below inspect its results."""
    folder = tmp_path_factory.mktemp("teaching")
    (folder / "secret").write_text(SECRET + "\n")
    (folder / "secret").chmod(0o600)
    (folder / "roster").write_text("\n".join(ROSTER) + "\n", encoding="utf-8")
    course = folder / "course"
    files = ["--secret", str(folder / "secret"), "--roster", str(folder / "roster")]
    assert assignments.main(["build", "--course", str(course), *files, WHAT]) == 0
    hand_in(course, read(course / "keys" / "week-3.json")["students"])
    assert assignments.main(["grade", "--course", str(course), "--seconds", "10", "week-3"]) == 1
    assert not (course / "feedback").exists()  # it would have 0 for ungraded explanations
    assert assignments.main(["feedback", "--course", str(course), "week-3"]) == 0
    return course


@pytest.fixture(scope="module")
def keys(course):
    return read(course / "keys" / "week-3.json")["students"]


@pytest.fixture(scope="module")
def table(course):
    with (course / "grades" / "week-3.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def scores(table, student):
    """Score and message of each problem, without explanations."""
    rows = [row for row in table if row["student"] == student and "explanation" not in row["problem"]]
    return {row["problem"]: (row["score"], row["message"]) for row in rows}


def shown(keys, student, fewest=4):
    """Spellings of a student's keys with at least `fewest` digits that no text of a problem contains."""
    found = set()
    for problem in keys[student].values():
        for digits in range(fewest, 17):
            written = f"{problem['key']:.{digits}g}"
            if len(written.replace(".", "").lstrip("0")) >= fewest and written not in problem["text"]:
                found.add(written)
    return found


def test_nothing_secret_is_handed_out(course, keys):
    files = [p for step in ("release", "handout") for p in (course / step).rglob("*") if p.is_file()]
    assert len(files) == 1 + len(ROSTER)
    for file in files:
        text = file.read_text(encoding="utf-8")
        student = file.parts[-3] if "handout" in file.parts else ""
        for other in keys:
            assert not [k for k in shown(keys, other) if k in text], (file, other)
            if other not in ("", student):
                assert not re.search(rf"\bFor {other}\b|\"{other}\"", text), file
        for word in (SECRET, "HIDDEN", "SOLUTION", "handed in:", "seed", "secret"):
            assert word not in text, (file, word)
        if student:
            assert all(problem["text"] in text for problem in keys[student].values())


def test_only_sources_hold_hidden_tests_and_solutions(course, keys):
    text = (course / "source" / "week-3" / "week-3.ipynb").read_text(encoding="utf-8")
    for student in ROSTER:
        assert not [k for k in shown(keys, student) if k in text]
    assert any(repr(problem["key"]) in text for problem in keys[""].values())


FULL = {name: ("1", "right") for name in ("flip", "keep", "laplace")} | {"ex-lp-waste": ("0", "right")}


def test_every_student_has_a_row(table):
    assert {row["student"] for row in table} == {*ROSTER, "stranger"}
    assert {row["assignment"] for row in table} == {"week-3"}


def test_right_has_all_points(table):
    assert scores(table, "right") == FULL


@pytest.mark.parametrize(
    ("student", "changed"),
    [
        (
            "1234",
            {
                "flip": "^NameError: .*; cell 3: ZeroDivisionError: division by zero$",
                "keep": "^not the answer to your numbers: 0.123$",
                "laplace": "^NameError: .*; cell 11: MemoryError",
            },
        ),
        ("zoë", {"flip": "^not the answer to your numbers: 1.0; cell 3: it did not end in time$"}),
        ("edits", {"flip": "not the answer|no number", "keep": "no number", "laplace": "no number"}),
        ("removes", {"keep": "^no number yet: Ellipsis$"}),
        ("exits", {"flip": "SystemExit"}),
    ],
)
def test_fault_costs_only_the_affected_problems(table, student, changed):
    found = scores(table, student)
    assert found.keys() == FULL.keys()
    for problem, (score, message) in found.items():
        if problem in changed:
            assert score == "0"
            assert re.search(changed[problem], message), message
        else:
            assert (score, message) == FULL[problem], problem


@pytest.mark.parametrize(
    ("student", "why"),
    [
        ("kills", "^it ended its process, and no number in it counts$"),
        ("deaf", "^it could not be stopped"),
        ("garbage", "^it is no notebook"),
        ("empty", "^it is empty"),
        ("huge", "more than 10 MB"),
        ("copies", r"^not the answer to your numbers: .* \(on a copy that was made for somebody else\)$"),
        ("stranger", "this name is not on the roster"),
        ("absent", "^nothing was handed in$"),
    ],
)
def test_invalid_submission_scores_zero_with_a_reason(table, student, why):
    found = scores(table, student)
    assert found
    for problem, (score, message) in found.items():
        assert score == "0"
        assert re.search(why, message) or (problem, message) == ("ex-lp-waste", "right"), message


def test_gradebook_agrees_with_the_table(course, table):
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        for student in set(ROSTER) - {"absent"}:
            submission = gradebook.find_submission("week-3", student)
            rows = [float(row["score"] or 0) for row in table if row["student"] == student]
            assert submission.score == sum(rows) == (3 if student == "right" else submission.score)
            assert submission.max_score == 3 + 3 * 4


def test_written_explanations_wait_for_grading(table):
    """Written explanations wait even if no cell of the copy could be run."""
    said = {
        row["student"]: row["message"]
        for row in table
        if row["problem"] == "flip, explanation" and row["max"] == "4"
    }
    written = {"right", "1234", "zoë", "exits", "kills", "deaf", "removes", "edits", "copies"}
    assert {student for student, message in said.items() if message == "to be graded by hand"} == written
    assert {student for student, message in said.items() if message == "not written"} == {
        "garbage",
        "empty",
        "huge",
    }


def page(course, student):
    return (course / "feedback" / student / "week-3" / "week-3.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("student", sorted(set(ROSTER) - {"absent"}))
def test_feedback_is_for_its_own_student(course, keys, table, student):
    text = html.unescape(page(course, student))
    for problem in keys[student].values():
        assert problem["text"] in text
    for other in keys.keys() - {student, "right" if student == "copies" else student}:
        assert not [written for written in shown(keys, other, 6) if written in text], other
    points = sum(float(row["score"] or 0) for row in table if row["student"] == student)
    assert f"(Score: {points} / 15.0)" in text
    for message in {row["message"] for row in table if row["student"] == student} - {"to be graded by hand"}:
        assert message in text or message == "not written"


class Live(HTMLParser):
    """Content that a browser would run or follow."""

    def __init__(self):
        super().__init__()
        self.found, self.inside = [], False

    def handle_starttag(self, tag, attrs):
        self.inside = tag in ("script", "style")
        self.found += [f"{name}={value}" for name, value in attrs if value]

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        self.found += [data] * self.inside


def test_student_markup_is_shown_but_inert(course):
    """Graders see this content in a page with the rights of a Jupyter server."""
    text = page(course, "edits")
    assert text.count("EVIL") >= 5
    live = Live()
    live.feed(text)
    assert len(live.found) > 50
    assert [each for each in live.found if "EVIL" in each] == []


def test_only_submissions_have_feedback(course):
    assert {path.name for path in (course / "feedback").iterdir()} == set(ROSTER) - {"absent"}


def test_explanations_are_graded_and_returned(course, keys):
    """Grade as in nbgrader's own page; then again with a late student."""
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_grade("explain-flip", "week-3", "week-3", "right")
        grade.manual_score, grade.needs_manual_grade = 3, False
        gradebook.find_comment("explain-flip", "week-3", "week-3", "right").manual_comment = "Which theorem?"
        gradebook.db.commit()
    assert assignments.main(["feedback", "--course", str(course), "week-3"]) == 0
    text = page(course, "right")
    assert "Which theorem?" in text
    assert "(Score: 6.0 / 15.0)" in text
    with (course / "grades" / "week-3.csv").open(newline="", encoding="utf-8") as file:
        rows = {(row["student"], row["problem"]): row for row in csv.DictReader(file)}
    row = rows["right", "flip, explanation"]
    assert (row["score"], row["message"]) == ("3", "graded by hand")
    (course.parent / "roster").write_text("\n".join([*ROSTER, "late"]), encoding="utf-8")
    files = ["--secret", str(course.parent / "secret"), "--roster", str(course.parent / "roster")]
    assert assignments.main(["build", "--course", str(course), *files, WHAT]) == 0
    now = read(course / "keys" / "week-3.json")["students"]
    assert {student: now[student] for student in keys} == keys
    assert now.keys() - keys.keys() == {"late"}
    assert (course / "handout" / "late" / "week-3" / "week-3.ipynb").is_file()


def test_manual_score_stays_with_its_explanation(tmp_path, capsys):
    """nbgrader keeps the manual score of a changed text, to be graded again; the command removes it."""
    course = tmp_path / "course"
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "secret").chmod(0o600)
    (tmp_path / "roster").write_text("ada\nbob\n")
    files = ["--secret", str(tmp_path / "secret"), "--roster", str(tmp_path / "roster")]
    assert assignments.main(["build", "--course", str(course), *files, WHAT]) == 0
    keys = read(course / "keys" / "week-3.json")["students"]
    inbox = course / "handed-in" / "week-3"
    inbox.mkdir(parents=True)
    notebook = answered(course, "ada", keys)

    (inbox / "stranger.ipynb").write_text("{}")

    def graded():
        (inbox / "ada.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        assert assignments.main(["grade", "--course", str(course), "week-3"]) == 0
        with (course / "grades" / "week-3.csv").open(newline="", encoding="utf-8") as file:
            rows = {row["problem"]: row for row in csv.DictReader(file)}
        return [
            (rows[f"{name}, explanation"]["score"], rows[f"{name}, explanation"]["message"])
            for name in ("flip", "keep", "laplace")
        ]

    assert graded() == [("", "to be graded by hand")] * 3
    told = capsys.readouterr().out
    assert "2 students, 3 explanations not graded yet" in told
    assert re.search("^bob +nothing was handed in$", told, re.M)
    assert re.search("^stranger +not graded: this name is not on the roster$", told, re.M)
    assert not (course / "feedback").exists()
    before = {file: file.read_bytes() for file in course.rglob("*") if file.is_file()}
    with pytest.raises(SystemExit):  # nbgrader would give up the release
        assignments.main(["build", "--course", str(course), *files, "week-3=flip,keep,laplace"])
    assert {file: file.read_bytes() for file in course.rglob("*") if file.is_file()} == before
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        for name in ("flip", "keep", "laplace"):
            grade = gradebook.find_grade(f"explain-{name}", "week-3", "week-3", "ada")
            grade.manual_score, grade.needs_manual_grade = 3, False
        gradebook.db.commit()
    cell_of(notebook, "answer-flip")["source"] = "answer_flip = 0"
    cell_of(notebook, "explain-keep")["source"] = "Another text."
    blank = read(course / "handout" / "ada" / "week-3" / "week-3.ipynb")
    cell_of(notebook, "explain-laplace")["source"] = cell_of(blank, "explain-laplace")["source"]
    capsys.readouterr()
    assert graded() == [("3", "graded by hand"), ("", "to be graded by hand"), ("0", "not written")]
    assert "the score given by hand was removed: keep (had 3), laplace (had 3)" in capsys.readouterr().out
    assert assignments.main(["feedback", "--course", str(course), "week-3"]) == 0
    assert "the feedback says 0 for these 1: grade them" in capsys.readouterr().out
    assert "(Score: 5.0 / 15.0)" in html.unescape(page(course, "ada"))
