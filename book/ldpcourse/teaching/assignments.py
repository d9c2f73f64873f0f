"""Assignments for nbgrader from the problem bank and the exercises, with different numbers for each student.

``build`` makes a course folder with the instructor's notebooks, the keys, and a copy to hand out for each
student. ``grade`` grades the notebooks that were handed in and writes a table of grades. ``feedback``, after
grading by hand, writes the feedback to return, and the table again. The page *Assignments* shows all steps.
Grading runs students' code with all your permissions.
"""

import argparse
import json
import re
import sys
import unicodedata
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path

from ldpcourse import exercises
from ldpcourse._console import say
from ldpcourse._install import install
from ldpcourse.problems import PROBLEMS, Problem, seed_of, variant
from ldpcourse.teaching import _notebooks
from ldpcourse.teaching._files import secret_in, text_in, warn_if_open, write_private
from ldpcourse.teaching._nbgrader import (
    CONFIG,
    SECONDS,
    Course,
    GradeRow,
    autograde,
    grade_rows,
    run,
    write_table,
    write_totals,
)

__all__ = ["main"]

_ASSIGNMENT = r"[A-Za-z0-9][A-Za-z0-9_-]*"
_STUDENT = r"\w[\w.@-]*"


@dataclass(frozen=True)
class _Plan:
    """Name, problems and practice exercises of an assignment."""

    name: str
    problems: tuple[str, ...]
    practice: tuple[str, ...]


def _plan(text: str) -> _Plan:
    """Read the plan of an assignment from NAME=problem,problem,ex-label,..."""
    name, _, listed = text.partition("=")
    if not re.fullmatch(_ASSIGNMENT, name):
        raise ValueError(
            f"an assignment must be NAME=problem,... with letters, digits, - and _ in NAME, got {text!r:.80}"
        )
    entries = [entry.strip() for entry in listed.split(",") if entry.strip()]
    unknown = [entry for entry in entries if entry not in PROBLEMS and entry not in exercises.EXERCISES]
    if unknown:
        raise ValueError(
            f"{name} has {unknown[0]!r:.80}, which is neither in the problem bank ({', '.join(PROBLEMS)})"
            " nor the label of an exercise"
        )
    if len(set(entries)) < len(entries):
        raise ValueError(f"the entries of {name} must be distinct, but one is listed twice")
    problems = tuple(entry for entry in entries if entry in PROBLEMS)
    if not problems:
        raise ValueError(f"{name} has no problem of the bank: list at least one")
    return _Plan(name, problems, tuple(entry for entry in entries if entry not in PROBLEMS))


def _roster(file: Path) -> list[str]:
    """Read the students' names, one per line."""
    names = [
        unicodedata.normalize("NFC", line.strip()) for line in text_in(file).splitlines() if line.strip()
    ]
    for name in names:
        if not re.fullmatch(_STUDENT, name):
            raise ValueError(
                f"{file} has the name {name!r:.80}: use letters, digits and _, and after the first also . @ -"
            )
    folded = [name.casefold() for name in names]
    twice = sorted({name for name in names if folded.count(name.casefold()) > 1})
    if twice:
        raise ValueError(f"{file} has {twice[0]!r} twice")
    if not names:
        raise ValueError(f"{file} has no names: write one on each line")
    return names


def _variants(plan: _Plan, secret: str, student: str) -> dict[str, Problem]:
    # The seed depends on the assignment, so that feedback reveals nothing on the same problem in a later one.
    seed = seed_of(secret, f"{plan.name}/{student}")
    return {name: variant(name, seed) for name in plan.problems}


def _plans(course: Course, texts: list[str]) -> list[_Plan]:
    """Read and check all assignments before any is written; one already handed out must not change."""
    plans = [_plan(text) for text in texts]
    if len({plan.name for plan in plans}) < len(plans):
        raise ValueError("assignment names must be distinct, got one of them twice")
    for plan in plans:
        before = tuple(course.students(plan.name).get("", ())), course.practice(plan.name)
        if before[0] and before != (plan.problems, plan.practice):
            raise ValueError(
                f"{plan.name} was built with {','.join(before[0] + before[1])}: give the same list again,"
                " or choose another name"
            )
    return plans


def _build(course: Course, secret: str, roster: list[str], plan: _Plan) -> int:
    """Write an assignment and return the number of new students; copies handed out before do not change."""
    before = course.students(plan.name)
    course.folder.parent.mkdir(parents=True, exist_ok=True)
    course.folder.mkdir(mode=0o700, exist_ok=True)  # no one else may read it: the source has the explanations
    warn_if_open(course.folder, to=0o007, mode=0o700)
    students = {student: _variants(plan, secret, student) for student in ["", *roster]} | before
    practice = [exercises.EXERCISES[label] for label in plan.practice]
    explanations = {name: problem.explanation for name, problem in students[""].items()}
    source = _notebooks.source_notebook(plan.name, students[""], explanations, practice)
    _write(course.path("source", ".", plan.name), json.dumps(source, indent=1))
    config = course.folder / "nbgrader_config.py"
    if not config.exists():  # the instructor may change it
        _write(
            config,
            CONFIG.format(course=re.sub(r"[^\w-]", "-", course.folder.resolve().name), seconds=SECONDS),
        )
    fault = run(
        course, course.folder / "logs" / "build.log", None, "generate_assignment", plan.name, "--force"
    )
    if fault:
        raise ValueError(
            f"nbgrader made no release of {plan.name}: see {course.folder / 'logs' / 'build.log'}"
        )
    stored = {
        "practice": plan.practice,
        "students": {
            student: {name: asdict(problem) for name, problem in problems.items()}
            for student, problems in students.items()
        },
    }
    keys = course.keys_file(plan.name)
    keys.parent.mkdir(mode=0o700, exist_ok=True)
    write_private(keys, json.dumps(stored, indent=1).encode())
    write_private(keys.with_suffix(".md"), _sheet(plan.name, students).encode())
    for student, problems in students.items():
        if student:
            copy = course.own_copy(plan.name, student, problems)
            _write(course.path("handout", student, plan.name), json.dumps(copy, indent=1))
    return len(students) - max(len(before), 1)


def _sheet(assignment: str, students: dict[str, dict[str, Problem]]) -> str:
    """The grader's sheet: all students' problems with keys and with the points of a full explanation."""
    lines = [f"# {assignment}: keys, for graders", ""]
    lines += [f"- {points}: {what}" for points, what in _notebooks.RUBRIC]
    for student, problems in students.items():
        lines += ["", f"## {student or 'no student (the copy in source)'}"]
        for name, problem in problems.items():
            lines += [
                "",
                f"**{name}** {problem.text}",
                "",
                f"Key: {problem.key:.6g}. {problem.explanation}",
            ]
    return "\n".join(lines) + "\n"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _feedback(course: Course, assignment: str) -> None:
    log = course.folder / "logs" / assignment / "feedback.log"
    if any(course.folder.glob(f"autograded/*/{assignment}/*.ipynb")):
        fault = run(course, log, None, "generate_feedback", assignment, "--force")
        if fault:
            raise ValueError(f"nbgrader wrote no feedback: see {log}")


def _tabulate(course: Course, assignment: str, inbox: Path) -> list[GradeRow]:
    table = course.folder / "grades" / f"{assignment}.csv"
    rows = grade_rows(course, assignment, inbox)
    write_table(rows, table)
    n_open = sum(row.score is None for row in rows)
    roster = course.students(assignment).keys() - {""}
    write_totals(rows, roster, table.with_name(f"{assignment}-totals.csv"))
    say(f"{table}: {len(roster)} students, {n_open} explanations not graded yet")
    return rows


def _ask_for_nbgrader() -> None:
    """Raise ImportError if nbgrader is missing, before anything is written and a process for it fails."""
    with install("nbgrader"):
        import_module("nbgrader")


def main(arguments: list[str] | None = None) -> int:
    """Build assignments, grade the notebooks that were handed in, and write feedback.

    Grading runs students' code with all your permissions; the page *Assignments* shows how to run it in a
    container.

    Parameters
    ----------
    arguments : list of str, optional
        Command line, without the program's name.

    Returns
    -------
    int
        The exit code: 0, or 1 if a notebook could not be run, so that its numbers have 0 points.

    Raises
    ------
    SystemExit
        With 2 if the command, the roster or the secret is wrong, if nbgrader is missing or fails, or if a
        file cannot be read or written.

    Notes
    -----
    Derived in: teaching/assignments
    """
    parser = argparse.ArgumentParser(prog="python -m ldpcourse.teaching.assignments", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    build = steps.add_parser("build", help="write the notebooks, the keys and the students' copies")
    grade = steps.add_parser("grade", help="grade the files in COURSE/handed-in/NAME, and write the table")
    feedback = steps.add_parser(
        "feedback", help="write the feedback, and the table again, after grading by hand"
    )
    for step in (build, grade, feedback):
        step.add_argument("--course", metavar="FOLDER", type=Path, required=True, help="the course's folder")
    build.add_argument("--secret", metavar="FILE", type=Path, required=True, help="at least 16 characters")
    build.add_argument("--roster", metavar="FILE", type=Path, required=True, help="one student per line")
    build.add_argument("assignments", nargs="+", metavar="NAME=problem,ex-label,...")
    for step in (grade, feedback):
        step.add_argument("assignment", metavar="NAME")
    grade.add_argument("--seconds", metavar="N", type=int, default=SECONDS, help="per cell (%(default)s)")
    options = parser.parse_args(arguments)
    course = Course(options.course)
    try:
        if options.step == "build":
            secret, roster = secret_in(options.secret), _roster(options.roster)
            plans = _plans(course, options.assignments)
            _ask_for_nbgrader()
            for plan in plans:
                new = _build(course, secret, roster, plan)
                say(f"{plan.name}: copies in {course.folder / 'handout'}, {new} of them new")
            return 0
        inbox = course.folder / "handed-in" / options.assignment
        if not course.students(options.assignment):
            raise ValueError(f"{course.folder} has no assignment {options.assignment!r:.80}: build it")
        _ask_for_nbgrader()
        failed = 0
        if options.step == "grade":
            if options.seconds < 1:
                raise ValueError(f"--seconds must be at least 1, got {options.seconds}")
            for student, fault, again in autograde(course, options.assignment, inbox, options.seconds):
                changed = f"; changed, so the score given by hand was removed: {again}" if again else ""
                say(f"{student:24} {fault or 'run and graded'}{changed}")
                failed += bool(fault)
            for row in _tabulate(course, options.assignment, inbox):
                if not row.problem:
                    say(f"{row.student:24} {row.message}")
            return int(failed > 0)
        _feedback(course, options.assignment)
        n_open = sum(row.score is None for row in _tabulate(course, options.assignment, inbox))
        if n_open:
            say(f"warning: the feedback says 0 for these {n_open}: grade them, then run feedback again")
        return 0
    except ImportError as error:
        parser.error(f"{error}; the book's repository has make assignments")
    except (ValueError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    sys.exit(main())
