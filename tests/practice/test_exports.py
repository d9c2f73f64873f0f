"""Exports of a labelling platform: read, refused with the place of a fault, and written back."""

import copy
import json

import numpy as np
import pandas as pd
import pytest

from ldpbook.categorical_answers import OneLayerFlip, decode_choices, majority_vote
from ldpbook.practice import label_studio_predictions, read_label_studio
from ldpbook.sparse_answers import RandomizedResponse


def result(name, kind, value, to="text"):
    return {"id": f"r{name}", "from_name": name, "to_name": to, "type": kind, "value": {kind: value}}


def annotation(number, worker, *results, **more):
    return {
        "id": number,
        "completed_by": worker,
        "result": list(results),
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2026-03-02T10:00:00.000000Z",
        "lead_time": 4.2,
        "task": 1,
        **more,
    }


def project():
    """Two questions and a number; a skipped task, an unanswered question, a task without annotations."""
    mood, stars, pages = (
        lambda value: result("mood", "choices", [value]),
        lambda value: result("stars", "rating", value),
        lambda value: result("pages", "number", value, to="pdf"),
    )
    lena = {"id": 9, "email": "lena@example.org", "first_name": "Lena"}
    words = {"id": "z", "from_name": "why", "to_name": "text", "type": "textarea", "value": {"text": ["so"]}}
    link = {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"}
    return [
        {
            "id": 101,
            "data": {"text": "Fine."},
            "annotations": [
                annotation(1, 7, mood("good"), stars(4), pages(2.5)),
                annotation(2, lena, words, stars(5), mood("bad"), link),
                annotation(3, 8, mood("bad"), was_cancelled=True),
            ],
            "predictions": [{"model_version": "old", "result": [mood("bad")]}],
        },
        {
            "id": 102,
            "data": {"text": "Dull."},
            "annotations": [annotation(4, "7", stars(1)), annotation(5, 8, mood("bad"))],
        },
        {"id": 103, "data": {"text": "New."}, "annotations": []},
    ]


def rows(question, tasks=None):
    return list(read_label_studio(tasks or project(), question).itertuples(index=False, name=None))


def test_each_question_is_read_as_answered():
    assert rows("mood") == [(0, 101, "good"), (1, 101, "bad"), (2, 102, "bad")]
    assert rows("stars") == [(0, 101, 4), (1, 101, 5), (0, 102, 1)]  # 7 and "7" are the same worker
    assert rows("pages") == [(0, 101, 2.5)]
    assert list(read_label_studio(project(), "mood").columns) == ["worker", "task", "answer"]
    assert rows("mood", json.loads(json.dumps(project()))) == rows("mood")


def by_address(tasks):
    """A platform that identifies workers by their addresses, one with a capital letter."""
    names = {1: "ann", 2: "lena", 3: "mia", 4: "Ann", 5: "mia"}
    for task in tasks:
        for each in task["annotations"]:
            each["completed_by"] = {"email": f"{names[each['id']]}@example.org", "first_name": "A"}
    return tasks


def test_addresses_never_appear_even_in_messages():
    tasks = by_address(project())
    assert [worker for worker, *_ in rows("stars", tasks)] == [0, 1, 0]
    tasks[0]["annotations"][1]["completed_by"] = {"email": "ANN@example.org "}
    with pytest.raises(ValueError, match=r"annotations\[1\] must be the only answer of its worker") as told:
        rows("stars", tasks)
    assert "@" not in str(told.value)


def test_mixed_worker_ids_and_addresses_are_refused():
    tasks = project()
    tasks[0]["annotations"][0]["completed_by"] = {"email": "mia@example.org"}
    with pytest.raises(ValueError, match="all workers by id or all by email") as told:
        rows("mood", tasks)
    assert "mia" not in str(told.value)


def changed(*path, to):
    """The project with `to` at a place, or with nothing there if `to` is None."""
    here = tasks = project()
    for step in path[:-1]:
        here = here[step]
    if to is None:
        del here[path[-1]]
    else:
        here[path[-1]] = to
    return tasks


FIRST = (0, "annotations", 0)
RESULT = (*FIRST, "result", 0)
MOOD = result("mood", "choices", ["good"])


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        (changed(1, to="no task"), r"tasks\[1\] must be an object, got one str$"),
        (changed(1, "id", to=None), r"tasks\[1\]\.id must be a number or a text, got None"),
        (changed(1, "id", to=101), r"tasks\[1\]\.id must be unique, got 101 again"),
        (changed(1, "id", to="101"), r"tasks\[1\]\.id must be unique, got '101' again"),
        (changed(1, "annotations", to=None), r"tasks\[1\]\.annotations must be a list of objects, got none"),
        (changed(1, "annotations", to={}), r"tasks\[1\]\.annotations must be a list of objects"),
        (changed(*FIRST, to=[]), r"tasks\[0\]\.annotations\[0\] must be an object"),
        (changed(*FIRST, "result", to=None), r"tasks\[0\]\.annotations\[0\]\.result must be a list"),
        (
            changed(*RESULT, to=5),
            r"tasks\[0\]\.annotations\[0\]\.result\[0\] must be an object, got one int$",
        ),
        (changed(*FIRST, "completed_by", to=None), r"tasks\[0\]\.annotations\[0\]\.completed_by must be"),
        (changed(*FIRST, "completed_by", to={}), r"tasks\[0\]\.annotations\[0\]\.completed_by must be"),
        (changed(*FIRST, "completed_by", to=9), r"tasks\[0\]\.annotations\[1\] must be the only answer of"),
        (
            changed(*FIRST, "result", to=[MOOD, MOOD]),
            r"annotations\[0\]\.result\[1\] must be the only answer",
        ),
        (changed(*RESULT, "type", to="labels"), r"result\[0\]\.type must be one of choices, rating, number"),
        (
            changed(*RESULT, "value", to={}),
            r"result\[0\]\.value\.choices must hold one choice, got another value$",
        ),
        (
            changed(*RESULT, "value", to="good"),
            r"result\[0\]\.value\.choices must hold one choice, got another value$",
        ),
        (changed(*RESULT, "value", "choices", to=["a", "b"]), r"must hold one choice, got 2 items$"),
        (changed(*RESULT, "value", "choices", to=[]), r"must hold one choice, got 0 items$"),
        (
            changed(*RESULT, to=result("mood", "rating", "four")),
            r"result\[0\]\.value\.rating must hold finite",
        ),
        (changed(*RESULT, to=result("mood", "rating", 0)), r"value\.rating must be a whole number from 1 on"),
        (
            changed(*RESULT, to=result("mood", "rating", -3)),
            r"value\.rating must be a whole number from 1 on",
        ),
        (
            changed(*RESULT, to=result("mood", "rating", 2.5)),
            r"value\.rating must be a whole number from 1 on",
        ),
        (changed(*RESULT, to=result("mood", "number", float("nan"))), r"value\.number must hold finite"),
        (changed(*RESULT, to=result("mood", "number", True)), r"value\.number must hold finite"),
    ],
)
def test_malformed_export_is_refused_with_its_place(tasks, words):
    with pytest.raises(ValueError, match=words):
        read_label_studio(tasks, "mood")


@pytest.mark.parametrize("tasks", [None, 3, "[]", {"id": 1}, b"[]"])
def test_non_exports_are_refused(tasks):
    with pytest.raises(TypeError, match="tasks must be a list of objects"):
        read_label_studio(tasks, "mood")


def test_unanswered_question_is_refused():
    for tasks, question in ((project(), "moood"), ([], "mood")):
        with pytest.raises(ValueError, match=f"tasks must hold an answer to question '{question}'"):
            read_label_studio(tasks, question)
        with pytest.raises(ValueError, match=f"tasks must hold an answer to question '{question}'"):
            label_studio_predictions(tasks, question, {})
    with pytest.raises(TypeError, match="question must be the name"):
        read_label_studio(project(), 3)


def test_predictions_have_question_form_without_answers():
    made = label_studio_predictions(project(), "mood", {102: "good", 101: "bad"}, scores={101: 0.75})
    assert json.loads(json.dumps(made)) == [
        {
            "id": 101,
            "data": {"text": "Fine."},
            "predictions": [
                {
                    "model_version": "ldpbook",
                    "score": 0.75,
                    "result": [
                        {
                            "from_name": "mood",
                            "to_name": "text",
                            "type": "choices",
                            "value": {"choices": ["bad"]},
                        }
                    ],
                }
            ],
        },
        {
            "id": 102,
            "data": {"text": "Dull."},
            "predictions": [
                {
                    "model_version": "ldpbook",
                    "result": [
                        {
                            "from_name": "mood",
                            "to_name": "text",
                            "type": "choices",
                            "value": {"choices": ["good"]},
                        }
                    ],
                }
            ],
        },
    ]


@pytest.mark.parametrize(
    ("question", "estimate", "value"),
    [
        ("stars", 4.0, {"rating": 4}),
        ("stars", np.int64(3), {"rating": 3}),
        ("pages", 2.25, {"number": 2.25}),
        ("pages", np.float64(2.5), {"number": 2.5}),
    ],
)
def test_numbers_go_back_as_numbers(question, estimate, value):
    (made,) = label_studio_predictions(
        project(), question, pd.Series({101: estimate, 102: None}, dtype=object), model_version="v2"
    )
    prediction = json.loads(json.dumps(made))["predictions"][0]
    assert prediction["model_version"] == "v2"
    assert json.dumps(prediction["result"][0]["value"]) == json.dumps(value)  # 4 stars, not 4.0
    assert prediction["result"][0]["to_name"] == ("pdf" if question == "pages" else "text")


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        (
            dict(estimates={104: "bad"}),
            ValueError,
            "estimates must be for tasks of the export, got one for 104",
        ),
        (dict(scores={104: 1.0}), ValueError, "scores must be for tasks of the export"),
        (dict(estimates={101: 3}), ValueError, "estimates must be choices"),
        (dict(question="stars", estimates={101: 3.5}), ValueError, "whole numbers from 1 on for a rating"),
        (dict(question="stars", estimates={101: 0}), ValueError, "whole numbers from 1 on for a rating"),
        (dict(question="stars", estimates={101: "3"}), ValueError, "estimates must hold finite numbers"),
        (dict(question="pages", estimates={101: np.inf}), ValueError, "estimates must hold finite numbers"),
        (dict(scores={101: "sure"}), ValueError, "scores must hold finite numbers"),
        (dict(estimates=["bad"]), TypeError, "estimates must be a mapping or a Series"),
        (dict(scores=[1.0]), TypeError, "scores must be a mapping or a Series"),
        (dict(model_version=2), TypeError, "model_version must be a text"),
    ],
)
def test_estimates_that_do_not_fit_are_refused(change, kind, words):
    arguments = dict(tasks=project(), question="mood", estimates={101: "bad"}) | change
    with pytest.raises(kind, match=words):
        label_studio_predictions(**arguments)


def crowd(n_workers=40, n_tasks=30):
    """An export of many workers, with the truth of each task."""
    rng = np.random.default_rng(92)
    truth = rng.integers(0, 2, n_tasks)
    tasks = [
        {
            "id": 1000 + task,
            "data": {"text": str(task)},
            "annotations": [
                annotation(worker, worker, result("mood", "choices", [("bad", "good")[right ^ wrong]]))
                for worker, wrong in enumerate(rng.random(n_workers) < 0.1)
            ],
        }
        for task, right in enumerate(truth)
    ]
    return tasks, np.array(["bad", "good"])[truth]


def test_export_round_trip():
    """Read an export, perturb, decode and write it, and read it again as annotations."""
    tasks, truth = crowd()
    before = copy.deepcopy(tasks)
    flip = OneLayerFlip.with_probability(0.2, ["bad", "good"])
    decoded = decode_choices(flip.perturb(read_label_studio(tasks, "mood"), 93), flip)
    scores = decoded.posterior.max(axis=1)
    back = label_studio_predictions(tasks, "mood", decoded.truth, scores=scores)
    assert tasks == before
    assert [task["predictions"][0]["score"] for task in back] == pytest.approx(list(scores))
    again = [
        {"id": task["id"], "annotations": [{"completed_by": 1, **task["predictions"][0]}]} for task in back
    ]
    found = read_label_studio(again, "mood")
    assert list(found["answer"]) == list(decoded.truth) == list(truth)


def test_ratings_go_through_a_mechanism_too():
    frame = read_label_studio(project(), "stars")
    asked = {"workers": [998, 999, *frame["worker"].unique()], "tasks": frame["task"].unique()}
    for seed in ((), (1,)):
        reports = RandomizedResponse(1.0, range(1, 6)).perturb(frame, *seed, **asked)
        assert list(reports.columns) == ["worker", "task", "answer"]
        assert len(reports) == len(asked["workers"]) * len(asked["tasks"])
        assert (reports["answer"].isin(range(1, 6)) | reports["answer"].isna()).all()
    with pytest.raises(ValueError, match="must"):  # the export does not say how many stars there are
        RandomizedResponse(1.0, range(1, 4)).perturb(frame, **asked)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Crowd-Kit's estimates
def test_crowd_kit_accepts_the_frame():
    aggregation = pytest.importorskip("crowdkit.aggregation", reason="crowd-kit is not installed")
    tasks, truth = crowd()
    frame = read_label_studio(tasks, "mood").rename(columns={"answer": "label"})
    theirs = aggregation.MajorityVote().fit_predict(frame)
    ours = majority_vote(frame, ["bad", "good"]).rename("agg_label")
    pd.testing.assert_series_equal(ours, theirs, check_dtype=False)
    back = label_studio_predictions(tasks, "mood", theirs)
    assert [task["predictions"][0]["result"][0]["value"]["choices"][0] for task in back] == list(truth)


def exported(**changed):
    """One task with one answer, with one part changed."""
    good = {"from_name": "mood", "to_name": "text", "type": "choices", "value": {"choices": ["good"]}}
    annotation = {"completed_by": 3, "result": [good | changed.pop("result", {})]} | changed
    return [{"id": 7, "data": {}, "annotations": [annotation]}]


@pytest.mark.parametrize(
    "changed",
    [
        {"result": {"item_index": 0}},
        {"result": {"value": {"start": 0, "end": 3, "choices": ["good"]}}},
        {"result": {"value": {"x": 1, "y": 2, "width": 3, "height": 4, "rotation": 0, "choices": ["good"]}}},
        {"result": {"value": {"points": [[1, 2]], "choices": ["good"]}}},
        {"result": {"value": {"ranges": [[0, 3]], "choices": ["good"]}}},
        {"result": {"value": {"sequence": [], "choices": ["good"]}}},
        {"result": {"parentID": "r1"}},
        {"was_cancelled": "false"},
    ],
)
def test_answers_about_parts_and_text_flags_are_refused(changed):
    assert len(read_label_studio(exported(), "mood")) == 1
    with pytest.raises((TypeError, ValueError), match=r"task as a whole|was_cancelled"):
        read_label_studio(exported(**changed), "mood")


def test_answer_with_region_id_concerns_that_region():
    tasks = exported(result={"id": "r1"})
    box = {"from_name": "box", "to_name": "image", "type": "rectanglelabels", "value": {"x": 1, "y": 2}}
    given = tasks[0]["annotations"][0]["result"]
    given.append(box | {"id": "r2"})
    assert rows("mood", tasks) == [(0, 7, "good")]
    given.append(box | {"id": "r1"})
    for use in (read_label_studio, lambda *export: label_studio_predictions(*export, {7: "bad"})):
        with pytest.raises(ValueError, match=r"result\[0\] must be of the task as a whole"):
            use(tasks, "mood")


@pytest.mark.parametrize("changed", [{"to_name": "image"}, {"type": "number", "value": {"number": 4}}])
def test_answers_of_two_kinds_are_refused(changed):
    with pytest.raises(ValueError, match="one object as one kind"):
        read_label_studio([*exported(), exported(result=changed)[0] | {"id": 8}], "mood")


def test_a_task_has_one_estimate():
    for twice in (pd.Series(["good", "bad"], index=[7, 7]), pd.Series(["good", None], index=[7, 7])):
        with pytest.raises(ValueError, match="estimates must hold one entry per task, got more for 7"):
            label_studio_predictions(exported(), "mood", twice)
    with pytest.raises(ValueError, match="scores must hold one entry per task"):
        label_studio_predictions(exported(), "mood", {7: "good"}, scores=pd.Series([0.1, 1], index=[7, 7]))
    with pytest.raises(ValueError, match=r"tasks\[1\]\.id must be unique, got '7' again"):
        label_studio_predictions([*exported(), exported()[0] | {"id": "7"}], "mood", {7: "good"})


@pytest.mark.parametrize(
    "held",
    [
        [result("mood", "choices", ["good", "bad"])],
        [MOOD, MOOD],
        [MOOD | {"type": "labels"}],
        [5],
        "none",
        None,
    ],
)
def test_skipped_annotations_may_hold_anything(held):
    tasks = exported()
    plain = read_label_studio(tasks, "mood")
    tasks[0]["annotations"].append({"completed_by": 77, "was_cancelled": True, "result": held})
    assert read_label_studio(tasks, "mood").equals(plain)
    assert label_studio_predictions(tasks, "mood", {tasks[0]["id"]: "good"})


def test_numbers_beyond_float_precision_are_refused():
    asked = {"type": "number", "value": {"number": 2**60}}
    with pytest.raises(ValueError, match=r"finite numbers of size below 2\^53, got another value$"):
        read_label_studio(exported(result=asked), "mood")


def test_ground_truth_counts_as_an_answer():
    assert rows("mood", exported(ground_truth=True)) == [(0, 7, "good")]


@pytest.mark.parametrize(
    "changed", [{"to_name": None}, {"to_name": "image"}, {"type": "rating", "value": {"rating": 4}}]
)
def test_predictions_are_of_one_object_in_one_kind(changed):
    other = exported(result=changed)[0] | {"id": 8}
    tasks = [other, *exported()] if changed == {"to_name": None} else [*exported(), other]
    with pytest.raises(ValueError, match="one object as one kind"):
        label_studio_predictions(tasks, "mood", {7: "good"})


@pytest.mark.parametrize("score", [-0.1, 1.1])
def test_scores_are_probabilities(score):
    with pytest.raises(ValueError, match="scores must lie in"):
        label_studio_predictions(exported(), "mood", {7: "good"}, scores={7: score})
