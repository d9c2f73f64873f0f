"""The self-test: right answers pass, wrong ones get a reason, and the page asks each question once."""

import math
import re
import statistics
import subprocess
import sys

import numpy as np
import pytest
from toc import CHAPTERS, ROOT

from ldpcourse.exercises import EXERCISES, check
from ldpcourse.exercises.ready import READY

PAGE = (ROOT / "book" / "teaching" / "self-test.md").read_text(encoding="utf-8")
MATRIX = [[0.8, 0.2], [0.2, 0.8]]
STRETCH = [[3, 0], [4, 5]]
RIGHT = {
    "ready-variance": np.var([1] * 3 + [0] * 7),
    "ready-bayes": 4 / 13,
    "ready-error": 0.1,
    "ready-distance": np.abs(np.linspace(0, 10, 1001) - 4).mean(),
    "ready-odds": math.log(0.9 / 0.1),
    "ready-normal": math.erfc(2 / math.sqrt(2)) / 2,
    "ready-system": np.linalg.solve(MATRIX, [0.56, 0.44])[0],
    "ready-projection": np.linalg.norm(np.array([[1, 1], [1, 1]]) / 2 @ [3, 1]),
    "ready-singular": np.linalg.svd(STRETCH)[1].min(),
    "ready-python": lambda row: statistics.mean(a for a in row if a is not None),
}
WRONG = {
    "ready-variance": [(0.3, "the mean"), (0.4583, "standard deviation"), (0.7, "does not agree")],
    "ready-bayes": [(0.8, "other way round"), (0.08, "divide"), (1 - 0.8, "does not agree")],
    "ready-error": [(0.01, "variance"), (0.005, "400"), (2, "does not agree")],
    "ready-distance": [(1, "distance of the mean"), (2.5, "does not agree"), (5, "does not agree")],
    "ready-odds": [(9, "natural logarithm"), (0.954, "natural"), (-2.197, "does not agree")],
    "ready-normal": [(0.97725, "at most ten"), (0.0455, "either side"), (0.05, "does not agree")],
    "ready-system": [(0.4, "second"), (0.536, "inverse"), (0.7, "does not agree")],
    "ready-projection": [(4, "inner product"), (2, "square"), (3.162, "does not agree")],
    "ready-singular": [
        (-math.sqrt(5), "not negative"),
        (min(np.linalg.eigvals(np.transpose(STRETCH) @ STRETCH)), "square"),
        (min(np.linalg.eigvals(STRETCH)), "eigenvalue"),
        (np.linalg.norm(STRETCH, 2), "largest"),
        (1 / np.linalg.norm(STRETCH, 2), "does not agree"),
    ],
    "ready-python": [
        (lambda row: sum(a or 0 for a in row) / len(row), "0 is an answer"),
        (lambda row: statistics.mean(a for a in row if a), "0 is an answer"),
        (statistics.mean, "0 is an answer"),
        (3, "a function"),
    ],
}


@pytest.mark.parametrize("label", RIGHT)
def test_ready_answers_are_judged(label):
    assert str(check(label, RIGHT[label])) == "right"
    for answer, reason in WRONG[label]:
        result = check(label, answer)
        assert not result.right
        assert reason in result.message, result.message


def popping(row):
    """The right mean, by code that empties the list."""
    given = []
    while row:
        given.append(row.pop())
    return statistics.mean(a for a in given if a is not None)


def overwriting(row):
    """A wrong answer that also leaves itself in the list, so that a key computed from it would agree."""
    row[:] = [7.0]
    return 7.0


def test_answer_that_changes_the_list_is_judged():
    for _ in range(2):
        assert str(check("ready-python", popping)) == "right"
        assert not check("ready-python", overwriting).right
        assert str(check("ready-python", RIGHT["ready-python"])) == "right"


def test_self_test_asks_each_question_once():
    asked = re.findall(r"^:label: (\S+)$", PAGE, re.MULTILINE)
    assert asked == [question.label for question in READY] == list(RIGHT) == list(WRONG)
    assert len(READY) == 10
    assert PAGE.startswith("# Are you ready?\n\nTen short questions")
    assert set(asked).isdisjoint(EXERCISES)
    assert {question.chapter for question in READY} == {"teaching/self-test"}


def test_printed_answers_are_right():
    printed = re.search(r"^(0\.21 · .*) · in Python, .*?```python\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)
    space = {}
    exec(printed[2], space)
    answers = [*map(float, printed[1].split(" · ")), space["mean_of_answers"]]
    assert [str(check(label, answer)) for label, answer in zip(RIGHT, answers, strict=True)] == ["right"] * 10


def test_every_question_says_where_to_read():
    questions = re.findall(r"^````\{exercise\}.*?^````$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(questions) == 10
    for question in questions:
        assert re.search(r"^\*Read\* (G&S|Strang|Tutorial|any text)", question, re.MULTILINE)
        assert re.search(r"\*Needed from\* \{doc\}`/(.*?)` on\.", question)[1] in CHAPTERS


def test_questions_take_the_standard_library_only():
    code = "import sys; from ldpcourse.exercises import check; assert check('ready-bayes', 4 / 13).right; "
    code += "assert not {'numpy', 'scipy', 'pandas'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
