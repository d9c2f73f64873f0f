"""Released assignments, and how submissions are read; nbgrader_course.py does so with nbgrader itself."""

import json
import os
import re
import stat
import sys
from types import ModuleType, SimpleNamespace

import pytest
from toc import ROOT

from ldpcourse import exercises
from ldpcourse.exercises import EXERCISES
from ldpcourse.problems import PROBLEMS, Problem, seed_of, variant
from ldpcourse.teaching import _files, _nbgrader, _notebooks, assignments
from ldpcourse.teaching.assignments import main

SECRET = "seventeen blue horses walk"
PROBLEM = Problem("How much is two and two?", 4.0)
OTHER = Problem("How much is three and three?", 6.0)
PROBLEMS_OF_ADA = {"flip": PROBLEM, "keep": OTHER}


def source(cell):
    return "".join(cell["source"])


def cell(notebook, name):
    return next(c for c in notebook["cells"] if c["id"] == name)


def source_notebook():
    practice = [EXERCISES["ex-lp-waste"]]
    return _notebooks.source_notebook("week-3", PROBLEMS_OF_ADA, {"flip": "Because."}, practice)


def own():
    return _notebooks.personal(source_notebook(), "week-3", "ada", PROBLEMS_OF_ADA)


def back(change=None):
    """A submitted copy after changes."""
    notebook = json.loads(json.dumps(own()))
    if change:
        change(notebook)
    return _notebooks.restored(own(), json.dumps(notebook))


def ids(notebook):
    return [c["id"] for c in notebook["cells"]]


def ran(notebook, **errors):
    """The notebook as a kernel would leave it: the named cells failed with these errors."""
    for name, (kind, value) in errors.items():
        wrong = {"output_type": "error", "ename": kind, "evalue": value, "traceback": []}
        cell(notebook, name.replace("_", "-"))["outputs"] = [wrong]
    return notebook


# --- the instructor's notebook


def test_the_source_has_marks_that_nbgrader_strips():
    notebook = source_notebook()
    assert ids(notebook) == [
        "title",
        *(f"{kind}-{name}" for name in PROBLEMS_OF_ADA for kind in ("task", "answer", "test", "explain")),
        *(f"{kind}-ex-lp-waste" for kind in ("task", "answer", "test")),
    ]
    answer = source(cell(notebook, "answer-flip"))
    assert re.search(r"### BEGIN SOLUTION\nanswer_flip = 4.0\n### END SOLUTION", answer)
    assert "Because." in source(cell(notebook, "explain-flip"))
    visible, hidden = source(cell(notebook, "test-flip")).split("### BEGIN HIDDEN TESTS")
    assert "4.0" not in visible + hidden
    assert hidden.endswith("### END HIDDEN TESTS")


def test_points_add_up_and_practice_has_none():
    points = {
        c["id"]: c["metadata"]["nbgrader"].get("points")
        for c in source_notebook()["cells"]
        if "nbgrader" in c["metadata"]
    }
    assert points["test-flip"] == 1
    assert points["explain-flip"] == sum(points for points, _ in _notebooks.RUBRIC) == 4
    assert points["test-ex-lp-waste"] == 0
    assert points["answer-flip"] is None


@pytest.mark.parametrize(
    ("answer", "right"),
    [("4", True), ("4.03", False), ("True", False), ("...", False), ("'4'", False), ("1e999", False)],
)
def test_visible_test_runs_and_hidden_test_reveals_number(answer, right):
    """Run the cells themselves, as a kernel does."""
    test = source(cell(source_notebook(), "test-flip"))
    with pytest.raises(AssertionError) as told:
        exec(f"answer_flip = {answer}\n{test}", {})
    notebook = ran(own(), test_flip=("AssertionError", str(told.value)), test_keep=("NameError", "no"))
    judged = _notebooks.judged(notebook, PROBLEMS_OF_ADA)
    assert (_notebooks.told(judged)["flip"] == "right") == right


def test_without_the_judge_no_answer_is_right():
    test = source(cell(source_notebook(), "test-flip"))
    with pytest.raises(AssertionError):
        exec(f"answer_flip = {PROBLEM.key!r}\n{test}", {})


# --- a student's copy


def test_copy_has_its_student_name_and_numbers():
    release = source_notebook()
    copy = _notebooks.personal(release, "week-3", "ada", PROBLEMS_OF_ADA | {"keep": Problem("New?", 1.0)})
    assert "For ada." in source(cell(copy, "title"))
    assert "checks only that there is a number; you learn whether it is right" in source(cell(copy, "title"))
    assert "two and two" in source(cell(copy, "task-flip"))
    assert "New?" in source(cell(copy, "task-keep"))
    assert [c["metadata"] for c in copy["cells"]] == [c["metadata"] for c in release["cells"]]
    assert "two and two" in source(cell(release, "task-flip"))  # the released copy is unchanged


# --- what comes back


def test_unchanged_copy_is_restored_unchanged():
    assert back()["cells"] == own()["cells"]


def test_answers_are_kept_and_other_cells_restored():
    def change(notebook):
        cell(notebook, "answer-flip")["source"] = ["answer_flip = 2 + ", "2"]
        cell(notebook, "explain-flip")["source"] = "I counted."
        cell(notebook, "task-flip")["source"] = "What is 0?"
        cell(notebook, "test-flip")["source"] = "100"
        cell(notebook, "test-flip")["metadata"]["nbgrader"]["points"] = 100
        cell(notebook, "answer-flip")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x"}]
        notebook["cells"].insert(2, {"cell_type": "code", "source": "two = 2", "metadata": {"nbgrader": 3}})

    found = back(change)
    assert source(cell(found, "answer-flip")) == "answer_flip = 2 + 2"
    assert cell(found, "answer-flip")["outputs"] == []
    assert source(cell(found, "explain-flip")) == "I counted."
    assert cell(found, "test-flip") == cell(own(), "test-flip")
    assert cell(found, "task-flip") == cell(own(), "task-flip")
    assert found["cells"][2]["source"] == "two = 2"
    assert found["cells"][2]["metadata"] == {}


def test_deleted_cells_are_restored_in_place():
    def change(notebook):
        kept = ("answer-flip", "explain-keep")
        notebook["cells"] = [c for c in notebook["cells"] if c["id"] in kept]

    assert ids(back(change)) == ids(own())


def test_last_of_copied_cells_counts():
    def change(notebook):
        again = json.loads(json.dumps(cell(notebook, "answer-flip"))) | {"source": "answer_flip = 5"}
        notebook["cells"].insert(3, again)

    found = back(change)
    assert source(cell(found, "answer-flip")) == "answer_flip = 5"
    assert [c["metadata"] == {} for c in found["cells"]][2:4] == [True, False]
    assert len(found["cells"]) == len(own()["cells"]) + 1


def test_pictures_in_an_explanation_are_kept():
    def change(notebook):
        cell(notebook, "explain-flip")["attachments"] = {
            "a.png": {"image/png": "AA==", "text/html": "AA==", "image/jpeg": '"><script>'},
            '"><script>': {"image/png": "AA=="},
            "b.png": 1,
        }

    assert cell(back(change), "explain-flip")["attachments"] == {"a.png": {"image/png": "AA=="}}

    def garble(notebook):
        cell(notebook, "explain-flip")["attachments"] = [1]

    assert "attachments" not in cell(back(garble), "explain-flip")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("print(1)", "it is no notebook: Expecting value"),
        ("[" * 100_000, "it is no notebook"),
        ("[]", "format 4"),
        ("{}", "format 4"),
        ('{"cells": {}, "nbformat": 4}', "format 4"),
        ('{"worksheets": [{"cells": []}], "nbformat": 3}', "format 4"),
        ('{"cells": [{"cell_type": "code", "source": ""}], "nbformat": 3}', "format 4"),
        ('{"cells": [1], "nbformat": 4}', "cell 1 is neither"),
        ('{"cells": [{"cell_type": "code"}], "nbformat": 4}', "cell 1 is neither"),
        ('{"cells": [{"cell_type": "heading", "source": ""}], "nbformat": 4}', "cell 1 is neither"),
        ('{"cells": [{"cell_type": "code", "source": "", "metadata": 1}], "nbformat": 4}', "no cell of this"),
        ('{"cells": [], "nbformat": 4}', "no cell of this"),
    ],
)
def test_other_notebooks_are_refused(text, why):
    with pytest.raises(ValueError, match=why):
        _notebooks.restored(own(), text)


def test_too_many_cells_are_refused():
    def change(notebook):
        notebook["cells"] += [{"cell_type": "code", "source": "1", "metadata": {}}] * 2000

    with pytest.raises(ValueError, match=r"it has 20\d\d cells"):
        back(change)


def test_unencodable_characters_are_replaced():
    def change(notebook):
        cell(notebook, "explain-flip")["source"] = "half: \ud800"

    assert source(cell(back(change), "explain-flip")).encode() == b"half: ?"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("$a<b$, $a < 3$", "$a< b$, $a < 3$"),
        ("<script>x</script> <!-- -->", "< script>x< /script> < !-- -->"),
        ("[a](javascript:x)", "[a] (javascript:x)"),
        ("[a][b]\n\n[b]: javascript:x", "[a] [b]\n\n[b] : javascript:x"),
        ("![a](attachment:a.png)", "![a](attachment:a.png)"),
        ('![a](attachment:a.png"onerror="x)', '![a] (attachment:a.png"onerror="x)'),
        ("$[0, 1]$, see [Thm 2]", "$[0, 1]$, see [Thm 2]"),
    ],
)
def test_a_text_has_no_tags_and_no_links(written, shown):
    def change(notebook):
        cell(notebook, "explain-flip")["source"] = written
        cell(notebook, "answer-flip")["source"] = written

    assert source(cell(back(change), "explain-flip")) == shown
    assert source(cell(back(change), "answer-flip")) == written


# --- judged


def test_outputs_are_text_and_pictures():
    notebook = back()
    kinds = ("text/plain", "text/html", "application/javascript", "image/svg+xml", "image/png")
    cell(notebook, "answer-flip")["outputs"] = [
        {"output_type": "display_data", "data": dict.fromkeys(kinds, "x"), "metadata": {"image/png": "x"}},
        {"output_type": "stream", "name": "stdout", "text": "x"},
    ]
    first, second = cell(_notebooks.judged(notebook, PROBLEMS_OF_ADA), "answer-flip")["outputs"]
    assert first == {
        "output_type": "display_data",
        "data": {"text/plain": "x", "image/png": "x"},
        "metadata": {},
    }
    assert second["text"] == "x"


def test_numbers_are_compared_with_the_student_key():
    notebook = ran(
        back(),
        test_flip=("AssertionError", "handed in: 4.0"),
        test_keep=("AssertionError", "handed in: 4.0"),
        test_ex_lp_waste=("AssertionError", "not yet: the answer is a function"),
    )
    judged = _notebooks.judged(notebook, PROBLEMS_OF_ADA)
    assert _notebooks.told(judged) == {
        "flip": "right",
        "keep": "not the answer to your numbers: 4.0",
        "ex-lp-waste": "not yet: the answer is a function",
    }
    assert cell(judged, "test-flip")["outputs"] == [
        {"output_type": "stream", "name": "stdout", "text": "right\n"}
    ]
    assert [o["output_type"] for o in cell(judged, "test-keep")["outputs"]] == ["error"]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("AssertionError", "handed in: nan"),
        ("AssertionError", "handed in: inf"),
        ("AssertionError", "handed in: "),
        ("AssertionError", "handed in: 4.0 or 5.0"),
        ("AssertionError", "no number yet: 'handed in: 4.0'"),
        ("ValueError", "handed in: 4.0"),
        ("AssertionError", ""),
    ],
)
def test_wrong_outputs_are_not_right(kind, value):
    judged = _notebooks.judged(ran(back(), test_flip=(kind, value)), PROBLEMS_OF_ADA)
    assert _notebooks.told(judged)["flip"] != "right"


def test_silent_test_scores_nothing():
    """In a manipulated kernel nothing fails."""
    notebook = back()
    cell(notebook, "test-flip")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "right\n"}]
    judged = _notebooks.judged(notebook, PROBLEMS_OF_ADA)
    assert _notebooks.told(judged)["flip"] == "no number was told"
    assert [o["output_type"] for o in cell(judged, "test-flip")["outputs"]] == ["error"]


def test_without_a_key_nothing_is_right():
    judged = _notebooks.judged(ran(back(), test_flip=("AssertionError", "handed in: 4.0")), {})
    assert _notebooks.told(judged)["flip"] != "right"


def test_earlier_failure_is_reported_with_the_test():
    notebook = ran(
        back(),
        answer_flip=("Stopped", "it did not end in time"),
        test_flip=("AssertionError", "no number yet: Ellipsis"),
        test_keep=("NameError", "name 'answer_keep' is not defined"),
    )
    judged = _notebooks.told(_notebooks.judged(notebook, PROBLEMS_OF_ADA))
    assert judged["flip"] == "no number yet: Ellipsis; cell 3: it did not end in time"
    assert judged["keep"] == "NameError: name 'answer_keep' is not defined"


def test_stopped_execution_is_reported_as_stopped():
    notebook = ran(back(), answer_flip=("KeyboardInterrupt", ""), test_flip=("NameError", "none"))
    stopped = {
        "output_type": "error",
        "ename": "Stopped",
        "evalue": "it did not end in time",
        "traceback": [],
    }
    cell(notebook, "answer-flip")["outputs"].append(stopped)
    judged = _notebooks.told(_notebooks.judged(notebook, PROBLEMS_OF_ADA))
    assert judged["flip"] == "NameError: none; cell 3: it did not end in time"


def test_copy_of_another_student_is_named():
    theirs = _notebooks.personal(source_notebook(), "week-3", "bob", PROBLEMS_OF_ADA)
    notebook = _notebooks.restored(own(), json.dumps(theirs))
    assert "For ada." in source(cell(notebook, "title"))
    ran(
        notebook, test_flip=("AssertionError", "handed in: 4.0"), test_keep=("AssertionError", "handed in: 4")
    )
    judged = _notebooks.told(_notebooks.judged(notebook, PROBLEMS_OF_ADA))
    assert judged["flip"] == "right"
    assert judged["keep"].endswith("(on a copy that was made for somebody else)")


def test_unexecuted_cells_score_nothing():
    notebook = _notebooks.not_run(ran(back(), test_flip=("AssertionError", "handed in: 4.0")), "it is empty")
    judged = _notebooks.judged(notebook, PROBLEMS_OF_ADA)
    assert set(_notebooks.told(judged).values()) == {"it is empty"}


# --- the command


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A course in which copying files replaces nbgrader's release, which nbgrader_course.py covers."""

    def release(course, log, seconds, step, name, *_):
        assert (step, seconds) == ("generate_assignment", None)
        text = course.path("source", ".", name).read_text(encoding="utf-8")
        course.path("release", ".", name).parent.mkdir(parents=True, exist_ok=True)
        course.path("release", ".", name).write_text(text, encoding="utf-8")
        return ""

    monkeypatch.setattr(assignments, "run", release)
    monkeypatch.setitem(sys.modules, "nbgrader", ModuleType("nbgrader"))
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    (tmp_path / "secret").chmod(0o600)
    (tmp_path / "roster").write_text("ada\n\nzoë\n1234\n", encoding="utf-8")

    def build(*what):
        files = ["--secret", str(tmp_path / "secret"), "--roster", str(tmp_path / "roster")]
        return main(["build", "--course", str(tmp_path / "course"), *files, *what])

    build.folder = tmp_path
    return build


def test_every_student_copy_has_variants_of_the_secret(built, capsys):
    assert built("week-3=flip,keep,ex-lp-waste", "week-4=flip") == 0
    told = capsys.readouterr()
    assert SECRET not in told.out + told.err
    course = _nbgrader.Course(built.folder / "course")
    for student in ("ada", "zoë", "1234"):
        copy = json.loads(course.path("handout", student, "week-3").read_text(encoding="utf-8"))
        text = variant("flip", seed_of(SECRET, f"week-3/{student}")).text
        assert text in source(cell(copy, "task-flip"))
        assert course.students("week-3")[student]["flip"].text == text
    weeks = [course.students(week)["ada"]["flip"].text for week in ("week-3", "week-4")]
    assert weeks[0] != weeks[1]
    assert len({problems["flip"].text for problems in course.students("week-3").values()}) == 4


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file modes")
def test_keys_are_for_the_instructor_alone(built):
    built("week-3=flip")
    for file in (built.folder / "course" / "keys").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((built.folder / "course" / "keys").stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file modes")
def test_a_course_is_for_the_instructor_alone(built, capsys):
    """The source says what a full explanation names, and nbgrader sets its modes: the folder protects it."""
    built("week-3=flip")
    assert stat.S_IMODE((built.folder / "course").stat().st_mode) == 0o700
    (built.folder / "course").chmod(0o750)  # for a group of assistants, say
    built("week-3=flip")
    assert stat.S_IMODE((built.folder / "course").stat().st_mode) == 0o750
    assert capsys.readouterr().err == ""
    (built.folder / "course").chmod(0o755)
    built("week-3=flip")
    assert f"can read {built.folder / 'course'}: chmod 700" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file modes")
def test_readable_secret_is_reported(built, capsys):
    built("week-3=flip")
    assert "others" not in capsys.readouterr().err
    (built.folder / "secret").chmod(0o644)
    built("week-4=flip")
    assert "others on this machine can read" in capsys.readouterr().err


def test_released_copies_are_kept(built, monkeypatch):
    built("week-3=flip")
    course = _nbgrader.Course(built.folder / "course")
    before = course.students("week-3")
    (built.folder / "roster").write_text("ada\nlate\n", encoding="utf-8")
    monkeypatch.setitem(PROBLEMS, "flip", lambda rng: PROBLEM)  # another version of the package
    built("week-3=flip")
    after = course.students("week-3")
    assert {student: after[student] for student in before} == before
    assert after["late"]["flip"] == PROBLEM


def test_grading_sheet_has_every_key(built):
    built("week-3=flip,keep")
    sheet = (built.folder / "course" / "keys" / "week-3.md").read_text(encoding="utf-8")
    for student, problems in _nbgrader.Course(built.folder / "course").students("week-3").items():
        assert f"## {student or 'no student'}" in sheet
        for problem in problems.values():
            assert problem.text in sheet
            assert f"Key: {problem.key:.6g}." in sheet


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("week-3", "no problem of the bank"),
        ("=flip", "letters, digits"),
        ("../x=flip", "letters, digits"),
        ("a+b=flip", "letters, digits"),
        ("week-3=flop", "neither in the problem bank"),
        ("week-3=flip,flip", "twice"),
        ("week-3=ex-lp-waste", "no problem of the bank"),
    ],
)
def test_a_wrong_assignment_is_refused(built, capsys, what, why):
    with pytest.raises(SystemExit) as refused:
        built(what)
    assert refused.value.code == 2
    assert why in capsys.readouterr().err
    assert not (built.folder / "course" / "keys").exists()


@pytest.mark.parametrize(
    "what", ["keep,ex-lp-waste", "flip", "flip,ex-lp-waste,ex-lp-fill", "flip,keep,ex-lp-waste"]
)
def test_reused_name_is_refused_before_writing(built, capsys, what):
    built("week-3=flip,ex-lp-waste")
    files = [file for file in built.folder.rglob("*") if file.is_file()]
    before = {file: file.read_bytes() for file in files}
    with pytest.raises(SystemExit) as refused:
        built("week-4=flip", f"week-3={what}")
    assert refused.value.code == 2
    assert "week-3 was built with flip,ex-lp-waste: give the same list again" in capsys.readouterr().err
    files = [file for file in built.folder.rglob("*") if file.is_file()]
    assert {file: file.read_bytes() for file in files} == before
    assert built("week-4=flip", "week-3=ex-lp-waste,flip") == 0  # the two kinds have no order


def test_duplicate_assignment_names_are_refused(built, capsys):
    with pytest.raises(SystemExit):
        built("week-3=flip", "week-3=keep")
    assert "assignment names must be distinct" in capsys.readouterr().err
    assert not (built.folder / "course").exists()


@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("secret", b"", "at least 16 characters, got 0"),
        ("secret", b" short      \n\n      ", "at least 16 characters, got 5"),
        ("secret", b"\xff" * 20, "not UTF-8"),
        ("secret", b"x" * 20_000, "more than 10000 characters"),
        ("roster", b"", "no names"),
        ("roster", b"ada\nAda\n", "twice"),
        ("roster", "zoe\u0308\nzo\u00eb\n".encode(), "twice"),
        ("roster", b"../ada\n", "letters, digits"),
        ("roster", b"ada lovelace\n", "letters, digits"),
        ("roster", b"*\n", "letters, digits"),
        ("roster", b"-ada\n", "letters, digits"),
    ],
)
def test_wrong_file_is_refused_without_printing_secret(built, capsys, file, content, why):
    (built.folder / file).write_bytes(content)
    with pytest.raises(SystemExit) as refused:
        built("week-3=flip")
    assert refused.value.code == 2
    told = capsys.readouterr().err
    assert why in told
    assert "short   " not in told
    assert "xxx" not in told


def test_a_missing_file_is_named(built, capsys):
    (built.folder / "secret").unlink()
    with pytest.raises(SystemExit):
        built("week-3=flip")
    assert "secret" in capsys.readouterr().err


def test_without_nbgrader_nothing_is_written(built, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "nbgrader", None)
    with pytest.raises(SystemExit) as refused:
        built("week-3=flip")
    assert refused.value.code == 2
    told = "nbgrader is not installed: pip install nbgrader; the book's repository has make assignments\n"
    assert capsys.readouterr().err.endswith(told)
    assert not (built.folder / "course").exists()


def test_there_is_no_secret_on_the_command_line(capsys):
    with pytest.raises(SystemExit):
        main(["build", "--help"])
    assert "--secret FILE" in capsys.readouterr().out


@pytest.mark.parametrize("step", ["grade", "feedback"])
def test_unbuilt_assignment_cannot_be_graded(tmp_path, capsys, step):
    with pytest.raises(SystemExit) as refused:
        main([step, "--course", str(tmp_path), "week-3"])
    assert refused.value.code == 2
    assert "no assignment 'week-3'" in capsys.readouterr().err


def test_submissions_are_assigned_to_students(built):
    built("week-3=flip")
    course = _nbgrader.Course(built.folder / "course")
    inbox = course.folder / "handed-in" / "week-3"
    (inbox / "zoe\u0308").mkdir(parents=True)  # the name as some systems encode it
    copy = course.path("handout", "ada", "week-3").read_text(encoding="utf-8")
    (inbox / "ada.ipynb").write_text(copy, encoding="utf-8")
    (inbox / "zoe\u0308" / "my own name.ipynb").write_text("print(1)", encoding="utf-8")
    (inbox / "stranger.ipynb").write_text(copy, encoding="utf-8")
    found = _nbgrader.collect(course, "week-3", inbox)
    assert {student: why for student, (_, why) in found.items()} == {
        "ada": "",
        "zo\u00eb": "it is no notebook: Expecting value: line 1 column 1 (char 0)",
    }
    assert found["zo\u00eb"][0] == course.own_copy(
        "week-3", "zo\u00eb", course.students("week-3")["zo\u00eb"]
    )


def test_two_files_of_one_name_are_rejected(tmp_path):
    """Only the student can say which file counts; a folder of her name is one of the two."""
    for name in ("ada.ipynb", "ada.txt", "bob.ipynb", "bob/mine.ipynb", ".hidden/x.ipynb", "eve.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    found = {student: path.name for student, path in _files.handed_in(tmp_path).items()}
    assert found == {
        "ada.ipynb": "ada.ipynb",
        "ada.txt": "ada.txt",
        "bob": "bob",
        "bob.ipynb": "bob.ipynb",
        "eve": "eve.ipynb",
    }
    assert _files.handed_in(tmp_path / "nowhere") == {}


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"ada.ipynb": b""}, "it is empty"),
        ({"ada.ipynb": b" \n"}, "it is empty"),
        ({"ada.ipynb": "é".encode("latin-1")}, "it is not UTF-8"),
        ({"ada.ipynb": b" " * 10_000_001}, "it has more than 10 MB and was not read"),
        ({"ada.py": b"1"}, "it is no file .ipynb"),
        ({"ada/notes.txt": b"1", "ada/.old.ipynb": b"1"}, "the folder has 0 files .ipynb"),
        ({"ada/a.ipynb": b"1", "ada/b.ipynb": b"1"}, "the folder has 2 files .ipynb"),
        ({"ada/a.ipynb/b.ipynb": b"1"}, "the folder has 1 files .ipynb"),
    ],
)
def test_unreadable_file_is_reported_with_reason(tmp_path, files, why):
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (path,) = tmp_path.iterdir()
    with pytest.raises(ValueError, match=why):
        _files.notebook_in(path)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX links and pipes")
def test_links_and_pipes_are_not_read(tmp_path):
    (tmp_path / "keys.ipynb").write_text("{}")
    (tmp_path / "ada.ipynb").symlink_to(tmp_path / "keys.ipynb")
    (tmp_path / "bob").mkdir()
    (tmp_path / "bob" / "mine.ipynb").symlink_to(tmp_path / "keys.ipynb")
    os.mkfifo(tmp_path / "eve.ipynb")
    for name, why in (("ada.ipynb", "link"), ("bob", "link"), ("eve.ipynb", "no file")):
        with pytest.raises(ValueError, match=why):
            _files.notebook_in(tmp_path / name)


@pytest.mark.parametrize(
    ("needs", "manual", "score", "message"),
    [
        (True, None, None, "to be graded by hand"),
        (True, 3.0, None, "to be graded again"),
        (False, 3.0, 3.0, "graded by hand"),
        (False, None, 0.0, "not written"),
    ],
)
def test_explanation_counts_when_no_grading_is_needed(needs, manual, score, message):
    grade = SimpleNamespace(
        name="explain-flip",
        needs_manual_grade=needs,
        manual_score=manual,
        score=manual or 0.0,
        max_score=4.0,
    )
    row = _nbgrader._grade_row("ada", "week-3", grade, {})
    assert row == _nbgrader.GradeRow("ada", "week-3", "flip, explanation", score, 4.0, message)


def test_a_table_has_no_formulas(tmp_path):
    rows = [
        _nbgrader.GradeRow("ada", "week-3", "flip", 0.5, 1.0, "=cmd()"),
        _nbgrader.GradeRow("ada", "week-3", "flip, explanation", None, 4.0, "to be graded by hand"),
    ]
    assert [_nbgrader._cell(x) for x in (" +1", "-", "@x", "ex-a", "")] == ["' +1", "'-", "'@x", "ex-a", ""]
    _nbgrader.write_table(rows, tmp_path / "grades" / "week-3.csv")
    assert (tmp_path / "grades" / "week-3.csv").read_text(encoding="utf-8").splitlines() == [
        "student,assignment,problem,score,max,message",
        "ada,week-3,flip,0.5,1,'=cmd()",
        'ada,week-3,"flip, explanation",,4,to be graded by hand',
    ]


def test_totals_are_of_students_on_the_roster(tmp_path):
    rows = [
        _nbgrader.GradeRow("ada", "week-3", "flip", 1.0, 1.0, "right"),
        _nbgrader.GradeRow("ada", "week-3", "flip, explanation", 2.5, 4.0, "graded by hand"),
        _nbgrader.GradeRow("bob", "week-3", "flip, explanation", None, 4.0, "to be graded by hand"),
        _nbgrader.GradeRow("stranger", "week-3", "", 0.0, 5.0, "not graded: this name is not on the roster"),
    ]
    _nbgrader.write_totals(rows, {"bob", "ada"}, tmp_path / "week-3-totals.csv")
    assert (tmp_path / "week-3-totals.csv").read_text(encoding="utf-8").splitlines() == [
        "student,points,not graded",
        "ada,3.5,0",
        "bob,0,1",
    ]


def test_graded_copies_hide_their_student():
    judged = _notebooks.judged(back(), PROBLEMS_OF_ADA)
    assert "ada" not in source(cell(judged, "title"))
    assert "two and two" in source(cell(judged, "task-flip"))


def test_feedback_shows_no_hidden_tests():
    notebook = back()
    for name in ("answer-flip", "explain-flip"):
        cell(notebook, name)["metadata"]["nbgrader"]["comment"] = "No response."
    shown = _notebooks.for_students(notebook)
    assert source(cell(shown, "test-flip")).endswith(':.80}"')
    assert cell(shown, "answer-flip")["metadata"]["nbgrader"]["comment"] is None
    assert cell(shown, "explain-flip")["metadata"]["nbgrader"]["comment"] == "No response."


def test_practice_says_where_its_exercise_is(monkeypatch):
    monkeypatch.delenv("BOOK_ADDRESS", raising=False)
    asked = source(cell(source_notebook(), "task-ex-lp-waste"))
    assert "Read the exercise in its chapter, `sparse-answers/laplace`, under *Exercises*." in asked
    monkeypatch.setenv("BOOK_ADDRESS", "https://book.example/")
    asked = source(cell(source_notebook(), "task-ex-lp-waste"))
    assert "(https://book.example/book/sparse-answers/laplace.html#ex-lp-waste)" in asked


@pytest.mark.slow("makes 200 variants of every problem")
def test_neighbours_numbers_seldom_pass():
    shares = {}
    for name in PROBLEMS:
        made = [variant(name, seed) for seed in range(200)]
        pairs = [one.grade(other.key) for k, one in enumerate(made) for other in made[:k]]
        shares[name] = sum(pairs) / len(pairs)
    assert round(sum(shares.values()) / len(shares), 2) == 0.01
    assert max(shares, key=shares.get) == "dirichlet"
    assert round(shares["dirichlet"], 2) == 0.04
    page = (ROOT / "book" / "teaching" / "assignments.md").read_text(encoding="utf-8")
    assert "in about 1 % of the pairs. The problem `dirichlet` has the most, 4 %." in page


def test_every_problem_and_exercise_fits_an_assignment():
    problems = {name: variant(name, 0) for name in PROBLEMS}
    practice = list(exercises.EXERCISES.values())
    notebook = _notebooks.source_notebook("all", problems, {}, practice)
    names = ids(notebook)
    assert len(set(names)) == len(names)
    for each in notebook["cells"]:
        assert re.fullmatch(r"[\w-]{1,64}", each["id"], re.ASCII)
        if each["cell_type"] == "code":
            compile(source(each), each["id"], "exec")


def test_page_names_the_limits():
    page = (ROOT / "book" / "teaching" / "assignments.md").read_text(encoding="utf-8")
    assert f"stopped after {_nbgrader.SECONDS} seconds" in page
    assert _nbgrader._CELLS * _nbgrader.SECONDS == 600
    assert "twenty times as long: ten minutes per student" in page
    assert f"more than {_files._LARGEST_NOTEBOOK / 1e6:g} MB (not read)" in page
    assert f"a notebook has {_nbgrader._MEGABYTES / 1024:g} GB of memory" in page
