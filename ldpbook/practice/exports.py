"""From a labelling platform's export to a crowd's answers, and from estimates back to an import.

Anyone who reads an export holds the answers as they were given. Perturbing them afterwards protects the
workers from those who get the reports, not from the platform that collected the answers.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import isnan
from typing import Any

import numpy as np
import pandas as pd

from ldpbook._validate import flag, listed, probability

__all__ = ["label_studio_predictions", "read_label_studio"]

KINDS = ("choices", "rating", "number")  # kinds of question with one answer for the task as a whole
_MISSING = object()


def read_label_studio(tasks: Iterable[Mapping[str, Any]], question: str) -> pd.DataFrame:
    """Answers to one question of a Label Studio project, as a tidy frame.

    Parameters
    ----------
    tasks : iterable of mapping
        The project's export as JSON (not JSON-MIN), read by `json.load`: tasks with their annotations.
    question : str
        The question's name in the labelling interface (in the results, `from_name`): a Choices with a single
        choice, a Rating or a Number, asked of the task as a whole.

    Returns
    -------
    DataFrame
        Columns worker, task (its id), answer (the choice, or the number); one row per answer, in the order of
        the export. Workers are numbered in the order in which they first annotate something, and have the
        same numbers for each question of an export. Who they are (`completed_by`, which may hold a name and
        an address) is not passed on. Skipped (`was_cancelled`) annotations and those without an answer to
        this question give no row: these cells are NULL. An annotation marked `ground_truth` counts like any
        other. If a reviewer's annotations should not count, remove them from `tasks`.

    Raises
    ------
    ValueError
        If a task is malformed or occurs twice, a worker answered it twice, an answer is about a part of it or
        holds several choices, a rating is not a whole number above 0, answers are of several kinds, or no one
        answered; the message says where in `tasks`. An export does not say how many stars a rating may have,
        but a mechanism refuses answers outside its domain.

    Notes
    -----
    Derived in: practice/survey

    Examples
    --------
    >>> given = {"from_name": "mood", "to_name": "text", "type": "choices", "value": {"choices": ["good"]}}
    >>> read_label_studio([{"id": 7, "annotations": [{"completed_by": 3, "result": [given]}]}], "mood")
       worker  task answer
    0       0     7   good
    """
    rows: dict[tuple[int, Any], Any] = {}
    numbers: dict[str, int] = {}
    asked = []
    for where, task in _tasks(tasks):
        for place, annotation in _mappings(f"{where}.annotations", task.get("annotations", _MISSING)):
            worker = numbers.setdefault(_worker(place, annotation), len(numbers))
            found = _result(place, annotation, question)
            if found is None:
                continue
            if (worker, task["id"]) in rows:
                raise ValueError(f"{place} must be the only answer of its worker to this task")
            rows[worker, task["id"]] = _answer(*found)
            asked.append(found[1])
    if not rows:
        raise ValueError(f"tasks must hold an answer to question {question!r:.80}, got none")
    if 0 < sum("@" in name for name in numbers) < len(numbers):
        raise ValueError("tasks must name all workers by id or all by email, or one may count as two")
    _one_control(asked, question)
    frame = pd.DataFrame([(*cell, answer) for cell, answer in rows.items()])
    return frame.set_axis(["worker", "task", "answer"], axis=1)


def label_studio_predictions(
    tasks: Iterable[Mapping[str, Any]],
    question: str,
    estimates: Mapping[Any, Any] | pd.Series,
    *,
    model_version: str = "ldpbook",
    scores: Mapping[Any, float] | pd.Series | None = None,
) -> list[dict[str, Any]]:
    """Estimates for tasks as predictions, in the form in which Label Studio imports them.

    The predictions are as private as the estimates. From the annotations, only what the question is about and
    its kind are passed on.

    Parameters
    ----------
    tasks : iterable of mapping
        The export that was read; its annotations say what the question is about, and of which kind it is.
    question : str
        As in :func:`read_label_studio`.
    estimates : mapping or Series
        One answer per task, by the task's id; None, nan or no entry where there is none.
    model_version : str
        Name under which the predictions appear.
    scores : mapping or Series, optional
        Confidence in each estimate, by the task's id.

    Returns
    -------
    list of dict
        Each task that has an estimate, with its id, data and one prediction; ready for `json.dump`.

    Raises
    ------
    ValueError
        If the export is refused as by :func:`read_label_studio`, a task has two estimates, or an estimate is
        for a task that is not in the export or not of the question's kind: a rating is a whole number.

    Notes
    -----
    Derived in: practice/survey

    Examples
    --------
    >>> given = {"from_name": "mood", "to_name": "text", "type": "choices", "value": {"choices": ["good"]}}
    >>> tasks = [{"id": 7, "data": {"text": "Hi"}, "annotations": [{"completed_by": 3, "result": [given]}]}]
    >>> label_studio_predictions(tasks, "mood", {7: "bad"})[0]["predictions"][0]["result"][0]["value"]
    {'choices': ['bad']}
    """
    if not isinstance(model_version, str):
        raise TypeError(f"model_version must be a text, got {model_version!r:.80}")
    known = list(_tasks(tasks))
    asked = [
        found[1]
        for where, task in known
        for place, annotation in _mappings(f"{where}.annotations", task.get("annotations", _MISSING))
        if (found := _result(place, annotation, question))
    ]
    if not asked:
        raise ValueError(f"tasks must hold an answer to question {question!r:.80}, got none")
    _one_control(asked, question)
    if asked[0].get("to_name") is None:
        raise ValueError(f"tasks must say what object {question!r:.80} is about (to_name), got none")
    control = {"from_name": question, "to_name": asked[0]["to_name"], "type": asked[0]["type"]}
    ids = {task["id"] for _, task in known}
    answers, sure = _by_task("estimates", estimates), _by_task("scores", {} if scores is None else scores)
    for name, given in (("estimates", answers), ("scores", sure)):
        if strange := [label for label in given if label not in ids]:
            raise ValueError(f"{name} must be for tasks of the export, got one for {strange[0]!r:.80}")
    made = []
    for _, task in known:
        if task["id"] in answers:
            value = _value(control["type"], answers[task["id"]])
            one: dict[str, Any] = {"model_version": model_version, "result": [control | {"value": value}]}
            if task["id"] in sure:
                one["score"] = probability("scores", _number("scores", sure[task["id"]]))
            made.append({"id": task["id"], "data": task.get("data", {}), "predictions": [one]})
    return made


def _mappings(where: str, given: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a list, each with its place."""
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping):
        wrong = TypeError if where == "tasks" else ValueError
        raise wrong(
            f"{where} must be a list of objects, got {'none' if given is _MISSING else type(given).__name__}"
        )
    for k, each in enumerate(listed(where, given)):
        if not isinstance(each, Mapping):
            raise ValueError(f"{where}[{k}] must be an object, got one {type(each).__name__}")
        yield f"{where}[{k}]", each


def _tasks(tasks: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    seen = set()
    for where, task in _mappings("tasks", tasks):
        _label(f"{where}.id", task.get("id"))
        if str(task["id"]) in seen:
            raise ValueError(f"{where}.id must be unique, got {task['id']!r:.80} again")
        seen.add(str(task["id"]))
        yield where, task


def _one_control(asked: list[Mapping[str, Any]], question: str) -> None:
    controls = {(str(one.get("to_name")), one["type"]) for one in asked}
    if len(controls) > 1:
        raise ValueError(
            f"tasks must ask {question!r:.80} about one object as one kind, got {sorted(controls)!r:.80}"
        )


def _label(where: str, label: object) -> None:
    if not isinstance(label, int | str) or isinstance(label, bool):
        raise ValueError(f"{where} must be a number or a text, got {label!r:.80}")


def _worker(place: str, annotation: Mapping[str, Any]) -> str:
    """The annotator as a text, because an id may be a number or, from a table, its digits."""
    given = annotation.get("completed_by")
    worker = given.get("id", given.get("email")) if isinstance(given, Mapping) else given
    _label(f"{place}.completed_by", worker)
    return str(worker).strip().lower()


def _result(place: str, annotation: Mapping[str, Any], question: str) -> tuple[str, Mapping[str, Any]] | None:
    """The result that answers the question, with its place; None if there is none or the task was skipped."""
    if not isinstance(question, str):
        raise TypeError(f"question must be the name of one, a text, got {question!r:.80}")
    if flag(f"{place}.was_cancelled", annotation.get("was_cancelled", False)):
        return None  # even if it holds an answer
    results = list(_mappings(f"{place}.result", annotation.get("result", _MISSING)))
    found = [(where, result) for where, result in results if result.get("from_name") == question]
    if len(found) > 1:
        raise ValueError(
            f"{found[1][0]} must be the only answer to {question!r:.80}, for the task as a whole"
        )
    for where, result in found:
        kind, value, own = result.get("type"), result.get("value"), result.get("id")
        if kind not in KINDS:
            raise ValueError(f"{where}.type must be one of {', '.join(KINDS)}, got {kind!r:.80}")
        # An answer about a region says where that is, or has the id of the result that does.
        shared = own is not None and sum(other.get("id") == own for _, other in results) > 1
        more = set(value) - {kind} if isinstance(value, Mapping) else set()
        if more or shared or "item_index" in result or result.get("parentID"):
            raise ValueError(f"{where} must be of the task as a whole, got an answer about a part of it")
    return found[0] if found else None


def _answer(where: str, result: Mapping[str, Any]) -> Any:
    kind, value = result["type"], result.get("value")
    given = value.get(kind) if isinstance(value, Mapping) else None
    if kind != "choices":
        number = _number(f"{where}.value.{kind}", given)
        if kind == "rating" and (number < 1 or number != int(number)):  # in a rating, no star means no answer
            raise ValueError(f"{where}.value.rating must be a whole number from 1 on, got another")
        return number
    if not isinstance(given, list) or len(given) != 1 or not isinstance(given[0], str):
        many = f"{len(given)} items" if isinstance(given, list) and len(given) != 1 else "another value"
        raise ValueError(f"{where}.value.choices must hold one choice, got {many}")
    return given[0]


def _number(where: str, given: object) -> float:
    if isinstance(given, np.generic):
        given = given.item()
    if not isinstance(given, int | float) or isinstance(given, bool) or not abs(given) < 2**53:
        raise ValueError(f"{where} must hold finite numbers of size below 2^53, got another value")
    return given


def _value(kind: str, estimate: object) -> dict[str, Any]:
    if kind == "choices":
        if not isinstance(estimate, str):
            raise ValueError(f"estimates must be choices, each a text, got {estimate!r:.80}")
        return {"choices": [estimate]}
    number = _number("estimates", estimate)
    if kind == "number":
        return {"number": number}
    if number < 1 or number != int(number):
        raise ValueError(
            f"estimates must be whole numbers from 1 on for a rating, got {estimate!r:.80}: round them"
        )
    return {"rating": int(number)}


def _by_task(name: str, given: object) -> dict[Any, Any]:
    """Values by task, without those that are NULL."""
    if not isinstance(given, Mapping | pd.Series):
        raise TypeError(f"{name} must be a mapping or a Series, got {given!r:.80}")
    if isinstance(given, pd.Series) and not given.index.is_unique:
        again = given.index[given.index.duplicated()][0]
        raise ValueError(f"{name} must hold one entry per task, got more for {again!s:.80}")
    return {task: value for task, value in given.items() if not _is_null(value)}


def _is_null(value: object) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and isnan(value))
