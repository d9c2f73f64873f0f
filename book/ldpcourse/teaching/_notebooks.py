"""The notebook of an assignment: write it, personalize it, restore it when it is handed in, and judge it.

Notebooks are plain dictionaries here, as in their files. None of them, not even the instructor's, contains a
student's key: a hidden test always fails, with the number that was handed in as its message. `judged` reads
this number outside of the process in which the student's code ran, and lets the test pass if the number is
right. If a course is graded without `judged`, no student gets points, rather than every student.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ldpcourse.exercises.exercise import Exercise
from ldpcourse.problems import Problem

Notebook = dict[str, Any]
AUTOMATIC = 1.0  # points for a number
RUBRIC = (
    (1, "which result of the book answers the question, and where it is"),
    (1, "why it applies to these numbers: its conditions, or your interpretation of the question"),
    (2, "the steps from these numbers to the answer, so that someone with other numbers could follow them"),
)
EXPLAINED = float(sum(points for points, _ in RUBRIC))
_TELLS = "handed in: "
_OWN_CELLS = 1000  # most cells that a student may add
# A grader sees the student's text in a page with the rights of a Jupyter server, so scripts must not run.
# An added space breaks tags and links; formulas and attached pictures stay as they are.
_LIVE = re.compile(r"<(?=[A-Za-z/!?])|\](?=[(\[:])(?!\(attachment:[\w.-]+\))")
_SHOWN = ("text/plain", "image/png", "image/jpeg")

_TITLE = """\
# {assignment}

{owner}

The numbers in the problems are only for you. Put a number into each cell that asks for one, computed there or
written down, and explain in the text below it how you found it. Run all cells from the top, save, and hand in
this file. You may add cells; do not delete those that are here. A cell that runs for more than half a minute
is stopped. The test below a number checks only that there is a number; you learn whether it is right when it
is graded.

A number is worth {automatic:g} point, since functions of a public package compute it. An explanation is worth
{explained:g}:

{rubric}"""
_NOBODY = "The instructor's copy; the students' copies are in the folder `handout`."
_TASK = """\
## Problem {number}

{text}

{automatic:g} point for the number, to {percent:g} % of it, and {explained:g} for the explanation."""
_ANSWER = """\
{name} = ...  # a number
### BEGIN SOLUTION
{name} = {key!r}
### END SOLUTION"""
_PRACTISED = """\
{name} = ...
### BEGIN SOLUTION
### END SOLUTION"""
_TEST = """\
import math, numbers

assert isinstance({name}, numbers.Real) and math.isfinite({name}), f"no number yet: {{{name}!r:.80}}"
### BEGIN HIDDEN TESTS
# This shows your number, which is compared with the key of your problem elsewhere.
raise AssertionError(f"{tells}{{float({name})!r}}")
### END HIDDEN TESTS"""
_EXPLAIN = """\
### BEGIN SOLUTION
{explanation}
### END SOLUTION"""
_PRACTICE = """\
## Practice: {label}

Read the exercise in {place}. Hand in {asks}. The page has a solution, so it has no points."""
_CHECK = """\
from ldpcourse.exercises import check

result = check("{label}", {name})
assert result.right, result.message"""


def source_notebook(
    assignment: str,
    problems: Mapping[str, Problem],
    explanations: Mapping[str, str],
    practice: Sequence[Exercise],
) -> Notebook:
    """The instructor's notebook, with variants of no student, and answers between nbgrader's marks."""
    cells = [_fixed("title", _title(assignment, _NOBODY))]
    for number, (name, problem) in enumerate(problems.items(), start=1):
        answer = _variable(name)
        test = _TEST.format(name=answer, tells=_TELLS)
        explanation = explanations.get(name) or "The grader decides what a full explanation names."
        cells += [
            _fixed(f"task-{name}", _asked(number, problem)),
            _graded("code", f"answer-{name}", _ANSWER.format(name=answer, key=problem.key), solution=True),
            _graded("code", f"test-{name}", test, points=AUTOMATIC),
            _graded(
                "markdown",
                f"explain-{name}",
                _EXPLAIN.format(explanation=explanation),
                solution=True,
                points=EXPLAINED,
            ),
        ]
    for exercise in practice:
        label, answer = exercise.label, _variable(exercise.label)
        asks = exercise.asks.rstrip(".")
        cells += [
            _fixed(f"task-{label}", _PRACTICE.format(label=label, asks=asks, place=_place(exercise))),
            _graded("code", f"answer-{label}", _PRACTISED.format(name=answer), solution=True),
            _graded("code", f"test-{label}", _CHECK.format(label=label, name=answer), points=0.0),
        ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def personal(release: Notebook, assignment: str, student: str, problems: Mapping[str, Problem]) -> Notebook:
    """A student's copy of nbgrader's release: the same cells, with her name and her numbers."""
    texts = {
        f"task-{name}": _asked(k, problem) for k, (name, problem) in enumerate(problems.items(), start=1)
    }
    texts["title"] = _title(assignment, f"For {student}.")
    cells = [cell | {"source": texts.get(_fixed_id(cell), cell["source"])} for cell in release["cells"]]
    return release | {"cells": cells, "metadata": release["metadata"] | {"ldpbook": {"student": student}}}


def restored(own: Notebook, text: str) -> Notebook:
    """The notebook that a student handed in, with every cell of her copy; locked cells are as they were.

    Cells stay in her order. If she copied a cell, the last copy counts; a deleted cell comes back in its
    place. Outputs are removed. A ValueError says what is wrong with a text that is not such a notebook.
    """
    issued = {_id(cell): cell for cell in own["cells"] if _id(cell)}
    read = _read(text)
    handed_in: list[tuple[str, dict[str, Any]]] = [(_id(cell), cell) for cell in read["cells"]]
    if not any(name in issued for name, _ in handed_in):
        raise ValueError("it has no cell of this assignment")
    if len(handed_in) > len(issued) + _OWN_CELLS:
        raise ValueError(f"it has {len(handed_in)} cells")
    last = {name: k for k, (name, _) in enumerate(handed_in)}
    cells: list[dict[str, Any]] = []
    for k, (name, cell) in enumerate(handed_in):
        if name not in issued or last[name] != k:
            cells.append(_cell(cell["cell_type"], f"own-{k}", cell["source"], cell.get("attachments")))
            continue
        mine = issued[name]
        if _mark(mine, "nbgrader", "solution"):
            kept = cell.get("attachments") if mine["cell_type"] == "markdown" else None
            mine = _with_attachments(mine | {"source": cell["source"]}, kept)
        cells.append(mine)
    before = ""
    for name, cell in issued.items():
        if name not in last:
            place = next((k for k, other in enumerate(cells, start=1) if _id(other) == before), 0)
            cells.insert(place, cell)
        before = name
    marks = own["metadata"]["ldpbook"]
    foreign = _mark(read, "ldpbook", "student") not in ("", marks["student"])
    return own | {"cells": cells, "metadata": own["metadata"] | {"ldpbook": marks | {"foreign": foreign}}}


def not_run(notebook: Notebook, message: str) -> Notebook:
    """A copy to be graded without running it, with the reason that every test has to give."""
    marks = notebook["metadata"]["ldpbook"] | {"not_run": message}
    return notebook | {"metadata": notebook["metadata"] | {"ldpbook": marks}}


def judged(notebook: Notebook, problems: Mapping[str, Problem]) -> Notebook:
    """The notebook after it ran: a problem's test passes if its number is right, or says why it does not."""
    message = str(_mark(notebook, "ldpbook", "not_run"))
    foreign = " (on a copy that was made for somebody else)" * bool(_mark(notebook, "ldpbook", "foreign"))
    since: list[str] = []  # errors since the previous test
    for number, cell in enumerate(notebook["cells"], start=1):
        for output in cell.get("outputs", ()):
            if "data" in output:
                output["data"] = {kind: output["data"][kind] for kind in _SHOWN if kind in output["data"]}
                output["metadata"] = {}
        if _id(cell) == "title":  # Formgrader hides names, so the text must not show one
            owner = f"For {_mark(notebook, 'ldpbook', 'student')}.\n\n"
            cell["source"] = "".join(cell["source"]).replace(owner, "")
        name = _id(cell).removeprefix("test-")
        if _id(cell) == f"test-{name}":
            if name in problems:
                fault = message or _fault(cell, problems[name], since)
                cell["outputs"] = [type(cell)(_verdict(fault and fault + foreign))]
            elif message:
                cell["outputs"] = [type(cell)(_verdict(message))]
            since = []
        else:
            since += [f"cell {number}: {told}" for told in _errors(cell)]
    return notebook


def for_students(notebook: Notebook) -> Notebook:
    """The notebook as its feedback shows it, without hidden tests and nbgrader's remarks on numbers."""
    for cell in notebook["cells"]:
        if _id(cell).startswith("test-"):
            cell["source"] = "".join(cell["source"]).partition("### BEGIN HIDDEN TESTS")[0].rstrip()
        if _id(cell).startswith("answer-") and _mark(cell, "nbgrader", "comment") == "No response.":
            cell["metadata"]["nbgrader"]["comment"] = None  # a number may be computed in another cell
    return notebook


def told(notebook: Notebook) -> dict[str, str]:
    """The message of each test, by its problem or exercise, in a notebook that was `judged`."""
    tests = {
        _id(cell).removeprefix("test-"): cell for cell in notebook["cells"] if _id(cell).startswith("test-")
    }
    return {name: "; ".join(_errors(cell)) or "right" for name, cell in tests.items()}


def explanations(notebook: Notebook) -> dict[str, object]:
    """The text and the pictures of each explanation."""
    return {
        _id(cell): ["".join(cell["source"]), cell.get("attachments")]
        for cell in notebook["cells"]
        if _id(cell).startswith("explain-")
    }


def _fault(cell: Mapping[str, Any], problem: Problem, since: Sequence[str]) -> str:
    """Why a test does not pass; "" if it does."""
    errors = _errors(cell)
    value = next((value for error in errors if (value := _number(error)) is not None), None)
    if value is not None and problem.grade(value):
        return ""
    if value is not None:
        errors = [f"not the answer to your numbers: {value!r}"]
    return plain("; ".join([*(errors or ["no number was told"]), *since]))


def _number(error: str) -> float | None:
    before, tells, written = error.partition(_TELLS)
    try:
        return float(written) if tells and not before else None
    except ValueError:
        return None


def _verdict(fault: str) -> dict[str, Any]:
    if not fault:
        return {"output_type": "stream", "name": "stdout", "text": "right\n"}
    return {"output_type": "error", "ename": "Wrong", "evalue": fault, "traceback": [fault]}


def _errors(cell: Mapping[str, Any]) -> list[str]:
    """The errors of a cell, each as one line; the tests' own messages are without the kind of error."""
    errors = [(o["ename"], o["evalue"]) for o in cell.get("outputs", ()) if o["output_type"] == "error"]
    ours = ("AssertionError", "Stopped", "Wrong")
    stopped = [error for error in errors if error[0] == "Stopped"]  # the interrupt itself is an error too
    return [
        plain(value if kind in ours and value else f"{kind}: {value}") for kind, value in stopped or errors
    ]


def _read(text: str) -> Notebook:
    """A notebook from an untrusted text, checked to have all that is used here."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no notebook: {plain(str(error), 100)}") from None
    cells = read.get("cells") if isinstance(read, dict) else None
    if not isinstance(cells, list) or read.get("nbformat") != 4:
        raise ValueError("it is no notebook of format 4")
    for number, cell in enumerate(cells, start=1):
        source = cell.get("source") if isinstance(cell, dict) else None
        if isinstance(source, list):
            source = "".join(map(str, source))
        if not isinstance(source, str) or cell.get("cell_type") not in ("code", "markdown", "raw"):
            raise ValueError(f"it is no notebook: cell {number} is neither code nor text")
        source = source.encode("utf-8", "replace").decode()  # lone surrogates cannot be encoded
        cell["source"] = source if cell["cell_type"] == "code" else _LIVE.sub(r"\g<0> ", source)
    for each in (read, *cells):
        if not isinstance(each.get("metadata"), dict):
            each["metadata"] = {}
    return dict(read)


def plain(text: str, most: int = 300) -> str:
    """The text as one line without control characters, cut to `most` characters."""
    text = "".join(c if c.isprintable() else " " for c in text[: 2 * most])
    return text if len(text) <= most else text[: most - 3] + "..."


def _title(assignment: str, owner: str) -> str:
    rubric = "\n".join(f"- {points}: {what}" for points, what in RUBRIC)
    return _TITLE.format(
        assignment=assignment, owner=owner, automatic=AUTOMATIC, explained=EXPLAINED, rubric=rubric
    )


def _asked(number: int, problem: Problem) -> str:
    return _TASK.format(
        number=number,
        text=problem.text,
        automatic=AUTOMATIC,
        percent=100 * problem.tolerance,
        explained=EXPLAINED,
    )


def _place(exercise: Exercise) -> str:
    """Where the exercise's text is: a link, if the pages have an address."""
    chapter = f"`{exercise.chapter}`"
    if address := os.environ.get("BOOK_ADDRESS", "").rstrip("/"):
        return f"[its chapter]({address}/book/{exercise.chapter}.html#{exercise.label}), {chapter}"
    return f"its chapter, {chapter}, under *Exercises*"


def _variable(name: str) -> str:
    """Name of an answer's variable in a notebook."""
    return f"answer_{name.removeprefix('ex-').replace('-', '_')}"


def _cell(kind: str, name: str, source: str, attachments: object = None) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": name[:64], "metadata": {}, "source": source}
    if kind == "code":
        return cell | {"execution_count": None, "outputs": []}
    return _with_attachments(cell, attachments)


def _with_attachments(cell: dict[str, Any], attachments: object) -> dict[str, Any]:
    """The cell with those attachments that are pictures."""
    pictures = {
        name: {kind: data for kind, data in kinds.items() if kind in _SHOWN and _is_base64(data)}
        for name, kinds in (attachments.items() if isinstance(attachments, dict) else ())
        if re.fullmatch(r"[\w.-]+", name) and isinstance(kinds, dict)
    }
    return cell | {"attachments": pictures} if pictures else cell


def _is_base64(data: object) -> bool:
    return isinstance(data, str) and re.fullmatch(r"[A-Za-z0-9+/=\s]*", data) is not None


def _fixed(name: str, text: str) -> dict[str, Any]:
    """A cell that is only read; with nbgrader's marks, nbgrader would replace the student's own text."""
    marks = {"ldpbook": {"fixed": name}, "deletable": False, "editable": False}
    return _cell("markdown", name, text) | {"metadata": marks}


def _graded(
    kind: str, name: str, source: str, *, solution: bool = False, points: float | None = None
) -> dict[str, Any]:
    marks: dict[str, Any] = {
        "grade": points is not None,
        "grade_id": name,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    if points is not None:
        marks["points"] = points
    return _cell(kind, name, source) | {"metadata": {"nbgrader": marks}}


def _fixed_id(cell: Mapping[str, Any]) -> str:
    return str(_mark(cell, "ldpbook", "fixed"))


def _id(cell: Mapping[str, Any]) -> str:
    """Identifier of a cell, independent of its position; "" if the student added it."""
    return str(_mark(cell, "nbgrader", "grade_id")) or _fixed_id(cell)


def _mark(cell: Mapping[str, Any], kind: str, name: str) -> object:
    marks = cell["metadata"].get(kind)
    return marks.get(name, "") if isinstance(marks, dict) else ""
