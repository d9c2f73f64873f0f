"""A class is graded whatever is handed in: faults cost what they touch, and simple forgeries fail."""

import csv
import functools
import io
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from toc import ROOT

from ldpbook._extras import extra
from ldpcourse import _grading
from ldpcourse.exercises.__main__ import main
from ldpcourse.exercises.exercise import number

UNIX = hasattr(os, "fork")
FILL = "ANSWERS = {'ex-lp-fill': 4}\n"  # right
WASTE = "{'ex-lp-waste': lambda k: (1 - 1 / k) ** 2, 'ex-lp-fill': 4}"
WRONG_FILL = "ANSWERS = {'ex-lp-fill': 7}\n"


def notebook(*cells):
    return json.dumps(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {},
            "cells": [{"cell_type": "markdown", "source": ["# Mine"]}]
            + [{"cell_type": "code", "source": [cell], "outputs": [], "metadata": {}} for cell in cells],
        }
    )


IMPORT = "from ldpcourse.exercises import check"
ENDLESS = """
def f(k):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
DEAF = """
import os, signal
for n in range(1, 60):
    try:
        signal.signal(n, signal.SIG_IGN)
    except Exception:
        pass
"""
GUESS = """
import os
for fd in range(3, 60):
    try:
        os.write(fd, b"0 0 1 right\\n" * 3)
    except OSError:
        pass
"""

# What is handed in, and for each exercise the score and what the line says; "" is the whole submission.
GOOD = {
    "good.py": (f"ANSWERS = {WASTE}", {"ex-lp-waste": (1, "right"), "ex-lp-fill": (1, "right")}),
    "wrong.py": (WRONG_FILL, {"ex-lp-fill": (0, "not yet: another constant")}),
    "zoë.ipynb": (
        notebook(
            f"%pip install ldpbook\n{IMPORT}",
            "answer = lambda k: (1 - 1 / k) ** power\npower = 3\nprint(check('ex-lp-waste', answer))",
            "power = 2\nprint(check('ex-lp-waste', answer))",
            "power = 5\nanswer = None\nprint(check('ex-lp-fill', 4))\ndisplay(answer)",
        ),
        {"ex-lp-waste": (1, "right"), "ex-lp-fill": (1, "right")},
    ),
    "dict.ipynb": (notebook(FILL), {"ex-lp-fill": (1, "right")}),
    "raises.py": (
        "def f(k): raise RuntimeError('=cmd')\nANSWERS = {'ex-lp-waste': f, 'ex-lp-fill': 4}",
        {"ex-lp-waste": (0, "RuntimeError: =cmd"), "ex-lp-fill": (1, "right")},
    ),
    "exits_later.py": (
        "import sys\nANSWERS = {'ex-lp-waste': lambda k: sys.exit(0), 'ex-lp-fill': 4}",
        {"ex-lp-waste": (0, "not yet: the answer calls exit"), "ex-lp-fill": (1, "right")},
    ),
    "loud.py": (
        "print('x' * 10**7)\nimport sys\nsys.stderr.write('y' * 10**7)\n" + FILL,
        {"ex-lp-fill": (1, "right")},
    ),
    "reads.py": ("try: input()\nexcept EOFError: ANSWERS = {'ex-lp-fill': 4}", {"ex-lp-fill": (1, "right")}),
    "slot.py": (  # classes that look for their own module
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass A:\n    x: int = 4\nANSWERS = {'ex-lp-fill': A().x}",
        {"ex-lp-fill": (1, "right")},
    ),
}
BAD = {
    "no_python.py": ("Dear teacher,\n", {"": (0, "it is no Python: SyntaxError")}),
    "no_notebook.ipynb": ("Dear teacher,\n", {"": (0, "it is no notebook: JSONDecodeError")}),
    "no_cells.ipynb": ("[1]", {"": (0, "no list of cells")}),
    "deep.ipynb": ("[" * 200_000, {"": (0, "it is no notebook: RecursionError")}),
    "essay.txt": ("Dear teacher,\n", {"": (0, "neither .py nor .ipynb")}),
    "empty.py": (" \n", {"": (0, "it is empty")}),
    "huge.py": (FILL + "#" * _grading.LARGEST, {"": (0, "more than 10 MB and was not read")}),
    "latin.py": ("x = 'é'\n".encode("latin-1"), {"": (0, "it is not UTF-8")}),
    "exits.py": (FILL + "exit()", {"": (0, "it calls exit")}),
    "exits_hard.py": (FILL + "import os; os._exit(0)", {"": (0, "it ended its process (exit code 0)")}),
    "raises_early.py": (FILL + "1 / 0", {"": (0, "ZeroDivisionError")}),
    "nothing.py": ("answers = 3", {"": (0, "it has no dictionary ANSWERS")}),
    "no_dictionary.py": ("ANSWERS = [4]", {"": (0, "it has no dictionary ANSWERS")}),
    "misspelt.py": (
        "ANSWERS = {'ex-lp-fil': 4, 3: 4, 'ex-' + 'lp-fill': 4}",
        {
            "ex-lp-fil": (0, "not checked: there is no such exercise"),
            "3": (0, "not checked: there is no such exercise"),
            "ex-lp-fill": (1, "right"),
        },
    ),
    "a_cell.ipynb": (
        notebook("1 / 0", "this is no Python", f"{IMPORT}\ncheck('ex-lp-fill', 4)"),
        {"ex-lp-fill": (1, "right"), "": (0, "cell 2: ZeroDivisionError")},
    ),
    "exits.ipynb": (
        notebook(f"{IMPORT}\ncheck('ex-lp-fill', 4)\nexit()"),
        {"": (0, "cell 2: it calls exit")},
    ),
    "ends.py": (
        "import os\nANSWERS = {'ex-lp-fill': 4, 'ex-lp-waste': lambda k: os._exit(0), 'ex-lp-debias': 1}",
        {
            "ex-lp-fill": (1, "right"),
            "ex-lp-waste": (0, "it ended its process"),
            "ex-lp-debias": (0, "not yet"),
        },
    ),
    "many.py": ("ANSWERS = {'ex-lp-fill': 4} | {k: 1 for k in range(300)}", None),
    "=1+1.py": ("ANSWERS = {'=HYPERLINK(1)': 4}", {"'=HYPERLINK(1)": (0, "no such exercise")}),
}
FORGED = {
    "prints.py": "print('ex-lp-fill               right')\n" + WRONG_FILL,
    "writes.py": GUESS + WRONG_FILL,
    "speaks.py": GUESS.replace(  # as the process speaks to the grader, but for the word
        'b"0 0 1 right\\n" * 3',
        """b'{"names": ["ex-lp-fill"], "faults": [], "unknown": false}\\n' + b"0" * 32 + b" 0 1 right\\n\"""",
    )
    + WRONG_FILL,
    "check.py": (
        "import ldpcourse.exercises as e\ne.check = lambda *a: e.Result(True, 'right')\n" + WRONG_FILL
    ),
    "isclose.py": "import math\nmath.isclose = lambda *a, **k: True\n" + WRONG_FILL,
    "isclose_late.py": (
        "import math\ndef f(k):\n    math.isclose = lambda *a, **k: True\n    return k\n"
        "ANSWERS = {'ex-lp-waste': f, 'ex-lp-fill': 7}"
    ),
    "builtin.py": "import builtins\nbuiltins.bool = lambda x: True\n" + WRONG_FILL,
    "dumps.py": "import os\nw = os.write\nos.write = lambda fd, b: w(fd, bytes(b).replace(b' 0 ', b' 1 '))\n"
    + WRONG_FILL,
    "draws.py": (
        "import ldpcourse.exercises.exercise as e\ne.N_DRAWS = 0\ne.fault_of.__defaults__ = ()\n"
        "ANSWERS = {'ex-lp-waste': lambda k: 1}"
    ),
    "code.py": "import ldpcourse.exercises.exercise as e\ne.fault_of.__code__ = (lambda p, a: '').__code__\n"
    + WRONG_FILL,
    "files.py": (
        "import os, pathlib\nfor name in ('result.json', 'results.csv', '.result', 'right'):\n"
        "    pathlib.Path(name).write_text('right')\n" + WRONG_FILL
    ),
    "result.py": "import ldpcourse.exercises as e\ne.Result.right = True\ne.Exercise.properties = ()\n"
    + WRONG_FILL,
    "yes.py": (
        "class Yes(float):\n    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = lambda *_: True\n"
        "    __sub__ = __rsub__ = __add__ = __radd__ = __abs__ = lambda *_: 0.0\n"
        "    __hash__ = float.__hash__\nANSWERS = {'ex-lp-fill': Yes(7), 'ex-voting-experts': Yes(0.7)}"
    ),
    "signals.py": DEAF + "os._exit(0)\n" + FILL,
    "exits_right.py": "ANSWERS = {'ex-lp-fill': 7}\nprint('right')\nraise SystemExit(0)",
}
LIMITED = {  # where the platform has forks
    "forks.py": (
        FILL + "import os\nwhile True: os.fork()",
        {"": (0, "PermissionError: os.fork is not allowed")},
    ),
    "starts.py": (
        FILL + "import subprocess, sys\nsubprocess.run([sys.executable])",
        {"": (0, "PermissionError: subprocess.Popen is not allowed")},
    ),
    "kills.py": (
        FILL + "import os\nos.kill(os.getppid(), 9)",
        {"": (0, "PermissionError: os.kill is not allowed")},
    ),
    "ignores.py": (DEAF + "while True: pass", {"": (0, "it did not end within 1 s")}),
}
EATING = {  # where the limit of memory holds
    "eats.py": ("x = []\nwhile True: x.append(bytearray(10**9))", {"": (0, "MemoryError")}),
    "eats_later.py": (
        "def f(k):\n    x = []\n    while True: x.append(bytearray(10**9))\n"
        "ANSWERS = {'ex-lp-waste': f, 'ex-lp-fill': 4}",
        {"ex-lp-waste": (0, "MemoryError"), "ex-lp-fill": (1, "right")},
    ),
}
ENDED = {
    "endless.py": (
        ENDLESS + "ANSWERS = {'ex-lp-waste': f, 'ex-lp-fill': 4}",
        {"ex-lp-waste": (0, "it did not end within 1 s"), "ex-lp-fill": (1, "right")},
    ),
}
ENDED |= (LIMITED if UNIX else {}) | (EATING if sys.platform == "linux" else {})
CLASSES = {"good": GOOD, "bad": BAD | {"good.py": GOOD["good.py"]}, "ended": ENDED}
SPECIAL = {
    "folder": {"": (0, "the folder has 0 files")},
    "folder.py": {"": (0, "the folder has 2 files")},
    "subfolder": {"ex-lp-fill": (1, "right")},
}
if UNIX:
    SPECIAL |= {
        "pipe.py": {"": (0, "it is no file")},
        "broken.py": {"": (0, "it is a link")},
        "copied.py": {"": (0, "it is a link")},
    }


def write(folder, files):
    for name, content in files.items():
        content = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(content)


def run(*arguments, cwd):
    """The command as an instructor gives it."""
    return subprocess.run(
        [sys.executable, "-m", "ldpcourse.exercises", *map(str, arguments)],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def read(file):
    """Rows by student."""
    found = {}
    with open(file, newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            found.setdefault(row["student"], []).append((row["exercise"], row["score"], row["message"]))
    return found


@pytest.fixture(scope="module")
def of_class(tmp_path_factory):
    """A class graded once, when it is first asked for: what the command printed, its table, its folder.

    Who is to be ended is in one of its own, which has a second instead of three. The others, those who
    forge too, have somebody good beside them.
    """
    contents = {
        kind: {name: content for name, (content, _) in members.items()} for kind, members in CLASSES.items()
    }
    contents["forged"] = FORGED | {"good.py": GOOD["good.py"][0]}

    @functools.cache
    def grade(kind):
        folder = tmp_path_factory.mktemp("graded") / "class"
        folder.mkdir()
        write(folder, contents[kind])
        if kind == "bad":
            add_what_is_no_file(folder)
        (folder / "numpy.py").write_text("raise SystemExit('the wrong numpy')")  # of the folder one stands in
        seconds = 1 if kind == "ended" else 3
        done = run(".", "--csv", "table.csv", "--seconds", seconds, "--megabytes", 700, cwd=folder)
        assert done.stderr == ""
        return done, read(folder / "table.csv"), folder

    return grade


def add_what_is_no_file(folder):
    for name in ("folder", "folder.py", "subfolder", ".hidden"):
        (folder / name).mkdir()
    write(folder / "folder.py", {"a.py": FILL, "b.py": FILL})
    write(folder / "subfolder", {"answers.py": FILL, "notes.txt": "mine", ".secret.py": "1"})
    if UNIX:
        os.mkfifo(folder / "pipe.py")
        (folder / "broken.py").symlink_to("nowhere.py")
        (folder / "copied.py").symlink_to("good.py")


@pytest.fixture
def graded(of_class):
    return of_class("bad")


def of(graded, name):
    rows = graded[1]
    return next(rows[key] for key in (name, Path(name).stem, f"'{Path(name).stem}") if key in rows)


EXPECTED = {
    (kind, name): expected
    for kind, members in CLASSES.items()
    for name, (_, expected) in members.items()
    if expected
} | {("bad", name): expected for name, expected in SPECIAL.items()}


@pytest.mark.parametrize(("kind", "name"), EXPECTED)
def test_each_gets_its_own(of_class, kind, name):
    rows, expected = of(of_class(kind), name), EXPECTED[kind, name]
    assert {exercise for exercise, _, _ in rows} == set(expected)
    for wanted, (score, message) in expected.items():
        assert any((e, s) == (wanted, str(score)) and message in m for e, s, m in rows), rows


@pytest.mark.parametrize("name", FORGED)
def test_a_forgery_gets_nothing(of_class, name):
    rows = of(of_class("forged"), name)
    assert rows
    assert [row for row in rows if row[1] != "0"] == []


@pytest.mark.parametrize(
    ("name", "replaced"),
    [
        ("check", "ldpcourse.exercises.check"),
        ("isclose", "math.isclose"),
        ("isclose_late", "math.isclose"),
        ("builtin", "builtins.bool"),
        ("draws", "ldpcourse.exercises.exercise.N_DRAWS"),
    ],
)
def test_what_was_replaced_is_named(of_class, name, replaced):
    assert f"it replaces {replaced}" in of(of_class("forged"), name)[0][2]


def test_a_neighbour_of_forgers_is_graded_as_ever(of_class):
    assert [row[1] for row in of(of_class("forged"), "good.py")] == ["1", "1"]


def test_a_class_has_a_table_and_totals(graded):
    done, rows, folder = graded
    assert done.returncode == 1
    known = [p for p in folder.iterdir() if p.name not in (".hidden", "table.csv")]
    assert len(rows) == len(known)
    totals = done.stdout.split("\n\n")[-1].splitlines()
    assert len(totals) == len(rows)
    assert f"{'good':24} 2 of 2 right" in totals
    assert f"{'misspelt':24} 1 of 1 right, 2 not graded" in totals
    assert f"{'empty':24} 0 of 0 right, 1 not graded" in totals
    assert "good\n  ex-lp-waste              right\n  ex-lp-fill               right\n" in done.stdout
    assert not list(folder.glob("result*.[jc]s*"))


def test_no_cell_of_the_table_is_a_formula(graded, of_class):
    for student, rows in [*graded[1].items(), *of_class("good")[1].items()]:
        for row in rows:
            assert not {cell[:1] for cell in (student, *row)} & set("=+-@")
    assert "'=1+1" in graded[1]
    assert [_grading.cell(x) for x in ("=1", " +1", "-", "@x", "ex-a", "")] == [
        "'=1",
        "' +1",
        "'-",
        "'@x",
        "ex-a",
        "",
    ]


def test_answers_beyond_the_most_are_not_passed_over(graded):
    rows = of(graded, "many.py")
    assert rows[0][0] == ""
    assert "of its 301 answers all after the first 200" in rows[0][2]
    assert len(rows) == 201
    assert rows[1] == ("ex-lp-fill", "1", "right")


def test_one_file_is_graded_as_it_always_was(tmp_path, capsys):
    file = tmp_path / "answers.py"
    file.write_text(
        "ANSWERS = {'ex-lp-fill': 4, 'ex-voting-experts': 0.7, 'ex-lp-waste': lambda k: (1 - 1 / k) ** 2}"
    )
    assert main([str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ex-lp-fill               right",
        "ex-voting-experts        not yet: the value does not agree with the computed one to 0.1 %",
        "ex-lp-waste              right",
        "2 of 3 right",
    ]


def test_all_right_or_wrong_ends_in_0(tmp_path, capsys):
    write(tmp_path, {"ann.py": FILL, "ann.ipynb": notebook(WRONG_FILL)})
    assert main([str(tmp_path), str(tmp_path / "ann.py"), "--csv", str(tmp_path / "out.csv")]) == 0
    rows = read(tmp_path / "out.csv")
    assert {student: [row[1] for row in found] for student, found in rows.items()} == {
        "ann.ipynb": ["0"],
        "ann.py": ["1"],
        "ann": ["1"],
    }
    assert capsys.readouterr().out.endswith(f"{'ann':24} 1 of 1 right\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["here.py", "nofile.py"], "there is no file or folder nofile.py"),
        (["here.py", "--seconds", "0"], "at least 1"),
        (["here.py", "--megabytes", "x"], "invalid int"),
        (["here.py", "--csv", "no/folder.csv"], "No such file"),
        (["here.py", "--csv", "."], "Is a directory" if UNIX else "denied"),
        ([], "required: PATH"),
    ],
)
def test_a_wrong_command_grades_nothing(tmp_path, monkeypatch, capsys, arguments, told):
    (tmp_path / "here.py").write_text(FILL)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    shown = capsys.readouterr()
    assert told in shown.err
    assert shown.out == ""


def test_what_the_package_cannot_check_has_no_score():
    def no_package():
        with extra("encryption"):
            raise ModuleNotFoundError("No module named 'phe'", name="phe")

    told = "not checked: phe is not installed: pip install 'ldpbook[encryption]'"
    assert _grading._verdict(number(no_package, 0.1), 4) == ("-", told)
    assert _grading._verdict(number(lambda: math.nan, 0.1), 4) == ("-", "not checked: the key is nan at ()")


def test_a_process_that_cannot_be_started_is_no_fault_of_a_student(tmp_path, monkeypatch, capsys):
    (tmp_path / "ann.py").write_text(FILL)

    def none_left(*_, **__):
        raise BlockingIOError(11, "no more processes")

    monkeypatch.setattr(_grading.subprocess, "Popen", none_left)
    assert main([str(tmp_path / "ann.py"), "--csv", str(tmp_path / "out.csv")]) == 1
    [[row]] = read(tmp_path / "out.csv").values()
    assert row[:2] == ("", "")
    assert "no more processes" in row[2]


def test_checks_that_cannot_be_loaded_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(_grading, "_START", "raise SystemExit(3)")
    (tmp_path / "ann.py").write_text(FILL)
    [row] = _grading.grade(_grading.Submission("ann", tmp_path / "ann.py"), _grading.Limits())
    assert row.message == "not graded: the checks could not be loaded: it ended its process (exit code 3)"
    assert not row.graded


def test_the_syllabus_names_the_limits():
    page = (ROOT / "book" / "teaching" / "syllabus.md").read_text(encoding="utf-8")
    limits = _grading.Limits()
    assert f"It has {limits.seconds} seconds to load" in page
    assert f"{limits.megabytes:,} MB (`--megabytes`" in page
    assert f"more than {_grading.LARGEST / 1e6:g} MB (not read)" in page


def test_a_table_is_replaced_when_it_is_whole(tmp_path, monkeypatch):
    """Who stops the command has the table of before, and what was graded in a hidden file."""
    folder, table = tmp_path / "class", tmp_path / "class" / "t.csv"
    folder.mkdir()
    write(folder, {"ann.py": FILL, "bob.py": FILL})
    table.write_text("of last week")
    table.chmod(0o600)
    kept = table.stat().st_mode
    graded = []

    def stopped(submission, limits):
        graded.append(submission.student)
        if len(graded) == 2:
            raise KeyboardInterrupt
        return [_grading.Row(submission.student, "ex-lp-fill", 1, "right", True)]

    monkeypatch.setattr(_grading, "grade", stopped)
    with pytest.raises(KeyboardInterrupt):
        main([str(folder), "--csv", str(table)])
    assert table.read_text() == "of last week"
    assert "ann,ex-lp-fill,1,right" in (folder / ".t.csv.part").read_text()
    main([str(folder), "--csv", str(table)])
    assert graded == ["ann", "bob", "ann", "bob"]
    assert set(read(table)) == {"ann", "bob"}
    assert table.stat().st_mode == kept
    assert not (folder / ".t.csv.part").exists()


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", "1 ≤ 2 ≥ 1 ≠ 3 ≈ 3.1 ł"),
        ("cp1252", "1 <= 2 >= 1 != 3 ~ 3.1 ?"),
        ("ascii", "1 <= 2 >= 1 != 3 ~ 3.1 ?"),
        ("cp437", "1 ≤ 2 ≥ 1 != 3 ≈ 3.1 ?"),
    ],
)
def test_a_relation_is_told_in_any_encoding(monkeypatch, encoding, told):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding, newline="\n"))
    _grading.say("1 ≤ 2 ≥ 1 ≠ 3 ≈ 3.1 ł")
    assert raw.getvalue().decode(encoding) == f"{told}\n"
