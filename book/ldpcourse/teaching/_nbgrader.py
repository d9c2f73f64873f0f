"""Run nbgrader so that a failure in one notebook does not affect the others.

Run as a module, this starts nbgrader with limited memory. A student's code runs in a kernel in a separate
process, with the instructor's rights. A notebook that nbgrader cannot run or read is graded without running
it: each test gets 0 with the reason, so that the notebook has feedback like any other.
"""

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ldpcourse.problems import Problem
from ldpcourse.teaching import _notebooks
from ldpcourse.teaching._files import handed_in, notebook_in
from ldpcourse.teaching._notebooks import Notebook

SECONDS = 30  # per cell
_CELLS = 20  # the time limit of a notebook is that of this many cells
_MEGABYTES = 4096
# Variables of the instructor's environment that Python and Jupyter need; the rest is not passed on.
_KEPT = ("SYSTEMROOT", "HOME", "USERPROFILE", "LOCALAPPDATA", "LANG", "LC_ALL", "LDPBOOK_DATA")
_ENDED = "it did not end: stopped after {seconds:g} s, and no number in it counts"

CONFIG = '''\
"""How nbgrader grades this course; written by ldpcourse.teaching.assignments."""

from pathlib import Path

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    Execute,
    GetGrades,
    IgnorePattern,
    LimitOutput,
    SaveAutoGrades,
)

from ldpcourse.teaching._nbgrader import judge_of, returned

c = get_config()
c.CourseDirectory.root = str(Path(__file__).parent)
c.CourseDirectory.course_id = "{course}"
# A cell for this book's problems takes seconds; a simulation may take longer.
c.Execute.timeout = {seconds}
c.Execute.error_on_timeout = {{
    "ename": "Stopped",
    "evalue": "it did not end in time",
    "traceback": ["it did not end in time"],
}}
# IPython's own exit ends the kernel a moment later, sometimes after the next cells have run.
c.Execute.extra_arguments = ["--IPKernelApp.exec_lines=from sys import exit; quit = exit"]
c.ClearSolutions.code_stub = {{"python": "# Compute it here, or write it down above."}}
c.ClearSolutions.text_stub = "*Your explanation goes here.*"
# Answers are judged after a notebook ran, outside of its kernel, and before nbgrader saves points.
c.Autograde.autograde_preprocessors = [
    Execute,
    judge_of(Path(__file__).parent),
    IgnorePattern,
    LimitOutput,
    SaveAutoGrades,
    AssignLatePenalties,
    CheckCellMetadata,
]
c.GenerateFeedback.preprocessors = [GetGrades, returned, CSSHTMLHeaderPreprocessor]
'''


@dataclass(frozen=True)
class GradeRow:
    """A line of the table of grades; `score` is None where a grader has to give it."""

    student: str
    assignment: str
    problem: str
    score: float | None
    max: float
    message: str


@dataclass(frozen=True)
class Course:
    """A folder with nbgrader's folders, and the keys of the copies that were handed out."""

    folder: Path

    def path(self, step: str, student: str, assignment: str, suffix: str = ".ipynb") -> Path:
        """Path of nbgrader's copy for a student, or, with "." as student, of the common one."""
        return self.folder / step / student / assignment / f"{assignment}{suffix}"

    def keys_file(self, assignment: str) -> Path:
        return self.folder / "keys" / f"{assignment}.json"

    def students(self, assignment: str) -> dict[str, dict[str, Problem]]:
        """Each student's problems as handed out, and the instructor's under ""; empty before the build."""
        return {
            student: {name: Problem(**problem) for name, problem in problems.items()}
            for student, problems in self._stored(assignment)["students"].items()
        }

    def practice(self, assignment: str) -> tuple[str, ...]:
        """The labels of the exercises that were handed out with the problems."""
        return tuple(self._stored(assignment)["practice"])

    def _stored(self, assignment: str) -> dict[str, Any]:
        with suppress(FileNotFoundError):
            return dict(json.loads(self.keys_file(assignment).read_text(encoding="utf-8")))
        return {"practice": [], "students": {}}

    def own_copy(self, assignment: str, student: str, problems: Mapping[str, Problem]) -> Notebook:
        release = json.loads(self.path("release", ".", assignment).read_text(encoding="utf-8"))
        return _notebooks.personal(release, assignment, student, problems)


def judge_of(folder: Path) -> Callable[[Notebook, dict[str, Any]], tuple[Notebook, dict[str, Any]]]:
    """A step of nbgrader's autograding that lets a test pass if the number handed in is right."""

    def judge(notebook: Notebook, resources: dict[str, Any]) -> tuple[Notebook, dict[str, Any]]:
        who = resources["nbgrader"]
        students = Course(folder).students(who["assignment"])
        return _notebooks.judged(notebook, students.get(who["student"], {})), resources

    return judge


def returned(notebook: Notebook, resources: dict[str, Any]) -> tuple[Notebook, dict[str, Any]]:
    """A step of nbgrader's feedback that leaves out what only graders need."""
    return _notebooks.for_students(notebook), resources


def run(course: Course, log: Path, seconds: float | None, *arguments: str) -> str:
    """Run nbgrader and return "" on success, otherwise the reason; its output goes to the log."""
    log.parent.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    kept |= {"PATH": _path(), "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    with (
        log.open("ab") as file,
        subprocess.Popen(
            [sys.executable, "-m", "ldpcourse.teaching._nbgrader", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            cwd=course.folder,
            env=kept,
            start_new_session=True,
        ) as process,
    ):
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            _kill(process)
            return _ENDED.format(seconds=seconds)
    if code == 0:
        return ""
    said = log.read_text(encoding="utf-8", errors="replace")
    if "DeadKernelError" in said:
        return "it ended its process, and no number in it counts"
    if "CellTimeoutError" in said:
        return "it could not be stopped when its time was over, and no number in it counts"
    return f"nbgrader could not run it: see {log.relative_to(course.folder)}"


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process and, where process groups exist, its children."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _path() -> str:
    """Search path with the programs of this environment, activated or not: nbgrader calls one by its name."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def collect(course: Course, assignment: str, inbox: Path) -> dict[str, tuple[Notebook, str]]:
    """The notebook to grade of each student on the roster who handed one in, and why not to run it, or ""."""
    found: dict[str, tuple[Notebook, str]] = {}
    for student, path in handed_in(inbox).items():
        problems = course.students(assignment).get(student)
        if not student or problems is None:
            continue
        own = course.own_copy(assignment, student, problems)
        try:
            found[student] = _notebooks.restored(own, notebook_in(path)), ""
        except (ValueError, OSError) as error:
            found[student] = own, _notebooks.plain(str(error))
    return found


def autograde(course: Course, assignment: str, inbox: Path, seconds: int) -> Iterator[tuple[str, str, str]]:
    """Grade the notebooks that were handed in.

    Yields for each student the name, the reason if the notebook could not be run (otherwise ""), and the
    explanations that lost a score given by hand.
    """
    for student, (notebook, message) in collect(course, assignment, inbox).items():
        stands = _graded_by_hand(course, assignment, student)
        log = course.folder / "logs" / assignment / f"{student}.log"
        log.unlink(missing_ok=True)
        fault = message
        if not message:
            fault = _grade(course, assignment, student, notebook, log, seconds)
        if fault:  # the student's text is kept for the explanations, if nbgrader can read it at all
            problems = course.students(assignment)[student]
            for copy in (notebook, course.own_copy(assignment, student, problems)):
                if not _grade(course, assignment, student, _notebooks.not_run(copy, fault), log, None):
                    break
        yield student, fault, _let_stand(course, assignment, student, stands)


def _grade(
    course: Course, assignment: str, student: str, notebook: Notebook, log: Path, seconds: int | None
) -> str:
    """Let nbgrader run and grade a notebook, or, without `seconds`, grade it without running it."""
    path = course.path("submitted", student, assignment)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    command = ["autograde", assignment, f"--student={student}", "--force"]
    if seconds is None:
        return run(course, log, 10 * SECONDS, *command, "--Execute.enabled=False")
    return run(course, log, _CELLS * seconds, *command, f"--Execute.timeout={seconds}")


def _gradebook(course: Course) -> AbstractContextManager[Any]:
    from nbgrader.api import Gradebook

    os.environ["PATH"] = _path()
    opened: AbstractContextManager[Any] = Gradebook(f"sqlite:///{(course.folder / 'gradebook.db').resolve()}")
    return opened


def _grades(course: Course, assignment: str, student: str, gradebook: Any) -> dict[str, tuple[Any, object]]:
    """Explanations with a score given by hand, each with nbgrader's grade and the text of the last copy."""
    from nbgrader.api import MissingEntry

    with suppress(MissingEntry, FileNotFoundError):
        copy = json.loads(course.path("autograded", student, assignment).read_text(encoding="utf-8"))
        written = _notebooks.explanations(copy)
        grades = gradebook.find_submission_notebook(assignment, assignment, student).grades
        return {
            grade.name.removeprefix("explain-"): (grade, written.get(grade.name))
            for grade in grades
            if grade.name.startswith("explain-") and grade.manual_score is not None
        }
    return {}


def _graded_by_hand(course: Course, assignment: str, student: str) -> dict[str, object]:
    with _gradebook(course) as gradebook:
        graded = _grades(course, assignment, student, gradebook)
        return {name: text for name, (grade, text) in graded.items() if not grade.needs_manual_grade}


def _let_stand(course: Course, assignment: str, student: str, before: Mapping[str, object]) -> str:
    """Keep scores given by hand if their texts are unchanged; remove and return those of other explanations.

    nbgrader marks all of these texts for grading again, changed or not, but still counts the old scores.
    """
    again = []
    with _gradebook(course) as gradebook:
        for name, (grade, text) in _grades(course, assignment, student, gradebook).items():
            if name in before and before[name] == text:
                grade.needs_manual_grade = False
                continue
            again.append(f"{name} (had {grade.score:g})")
            grade.manual_score = grade.extra_credit = None
            grade.needs_manual_grade = grade.auto_score is None
        gradebook.db.commit()
    return ", ".join(again)


def grade_rows(course: Course, assignment: str, inbox: Path) -> list[GradeRow]:
    """A line for each number and each explanation of each student on the roster.

    There is a single line, with the reason, for a student whose notebook was not graded, and for anyone else
    who handed in a file.
    """
    from nbgrader.api import MissingEntry

    received = handed_in(inbox)
    students = course.students(assignment)
    rows: list[GradeRow] = []
    with _gradebook(course) as gradebook:
        best = gradebook.find_assignment(assignment).max_score
        for student in sorted((students.keys() | received.keys()) - {""}):
            graded = course.path("autograded", student, assignment)
            if student not in students:
                message = "not graded: this name is not on the roster"
            elif student not in received:
                message = "nothing was handed in"
            elif not graded.is_file():
                message = f"not graded: see logs/{assignment}/{student}.log"
            else:
                with suppress(MissingEntry):
                    submission = gradebook.find_submission_notebook(assignment, assignment, student)
                    says = _notebooks.told(json.loads(graded.read_text(encoding="utf-8")))
                    rows += [_grade_row(student, assignment, grade, says) for grade in submission.grades]
                continue
            rows.append(GradeRow(student, assignment, "", 0.0, best, message))
    return rows


def _grade_row(student: str, assignment: str, grade: Any, says: Mapping[str, str]) -> GradeRow:
    kind, _, name = grade.name.partition("-")
    if kind == "test":
        return GradeRow(
            student, assignment, name, grade.score, grade.max_score, says.get(name, "no such test")
        )
    problem = f"{name}, explanation"
    if grade.needs_manual_grade:  # tested first, because nbgrader keeps the score of an earlier text
        again = "again" if grade.manual_score is not None else "by hand"
        return GradeRow(student, assignment, problem, None, grade.max_score, f"to be graded {again}")
    if grade.manual_score is not None:
        return GradeRow(student, assignment, problem, grade.score, grade.max_score, "graded by hand")
    return GradeRow(student, assignment, problem, grade.score, grade.max_score, "not written")


def write_table(rows: list[GradeRow], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as opened:
        table = csv.writer(opened)
        table.writerow(GradeRow.__dataclass_fields__)
        for row in rows:
            table.writerow(
                _cell(value) if isinstance(value, str) else "" if value is None else f"{value:g}"
                for value in asdict(row).values()
            )


def write_totals(rows: list[GradeRow], roster: Collection[str], file: Path) -> None:
    """Write each student's points so far, and how many explanations are not graded yet."""
    with file.open("w", newline="", encoding="utf-8") as opened:
        table = csv.writer(opened)
        table.writerow(["student", "points", "not graded"])
        for student in sorted(roster):
            scores = [row.score for row in rows if row.student == student]
            given = [score for score in scores if score is not None]
            table.writerow([_cell(student), f"{sum(given):g}", len(scores) - len(given)])


def _cell(text: str) -> str:
    """The text, after an apostrophe if a spreadsheet would treat it as a formula."""
    return f"'{text}" if text.lstrip()[:1] in tuple("=+-@＝＋－＠") else text


def _limit(name: str, most: int) -> None:
    """Set a resource limit where the platform has it."""
    with suppress(ImportError, AttributeError, ValueError, OSError):
        resource: Any = import_module("resource")
        hard = resource.getrlimit(getattr(resource, name))[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(getattr(resource, name), (most, most))


def _main() -> None:
    from nbgrader.apps import NbGraderApp

    _limit("RLIMIT_AS", _MEGABYTES * 2**20)
    _limit("RLIMIT_FSIZE", _MEGABYTES * 2**20)
    _limit("RLIMIT_CORE", 0)
    NbGraderApp.launch_instance(sys.argv[1:])


if __name__ == "__main__":
    _main()
