"""Solutions pass, typical wrong answers fail with the stated reason, and the book names the answer."""

import math
import re
import subprocess
import sys
from collections import Counter, namedtuple
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest
from toc import notebook_cells

from ldpbook._lazy import PARTS
from ldpbook.class_ratios.scaled_dirichlet import dirichlet_delta
from ldpbook.foundations.local_privacy import gaussian_delta
from ldpcourse import exercises
from ldpcourse._entries import entries_of, homes
from ldpcourse.exercises import EXERCISES, check
from ldpcourse.exercises.exercise import LABEL, BrokenKeyError, Exercise, function, number, unwrapped

ANSWERS = [import_module(f"course.exercise_answers.{part}") for part in PARTS]
RIGHT = {label: answers for part in ANSWERS for label, answers in part.RIGHT.items()}
WRONG = {label: answers for part in ANSWERS for label, answers in part.WRONG.items()}
SOLUTIONS = {label: answers[0] for label, answers in RIGHT.items()}


@pytest.mark.parametrize(("name", "answer"), [(n, answer) for n, right in RIGHT.items() for answer in right])
def test_right_answer_passes(name, answer):
    result = check(name, answer)
    assert result.right, result.message
    assert str(result) == "right"


@pytest.mark.parametrize(
    ("name", "answer", "reason"),
    [(n, answer, reason) for n, wrong in WRONG.items() for answer, reason in wrong],
)
def test_wrong_answer_fails_for_its_reason(name, answer, reason):
    result = check(name, answer)
    assert not result.right
    assert re.search(reason, result.message), result.message


def test_every_exercise_has_right_and_wrong_answers():
    assert set(WRONG) == set(RIGHT) == set(EXERCISES)
    assert [label for label, answers in RIGHT.items() if len(answers) < 2] == []
    assert [label for label, answers in WRONG.items() if len(answers) < 3] == []


def agreeing(kind):
    """Class of numbers that equal and exceed everything they are compared with, with difference 0."""
    comparisons = dict.fromkeys(("__eq__", "__lt__", "__le__", "__gt__", "__ge__"), lambda *_: True)
    differences = dict.fromkeys(("__sub__", "__rsub__", "__abs__"), lambda *_: kind(0))
    return type("Agreeing", (kind,), comparisons | differences | {"__hash__": kind.__hash__})


AGREEING = [agreeing(float)(0.123), agreeing(int)(7)]  # neither is right for any exercise


@pytest.mark.parametrize("fake", AGREEING, ids=["float", "int"])
@pytest.mark.parametrize("label", EXERCISES)
def test_number_equal_to_everything_is_never_right(label, fake):
    objects = np.array([fake, fake], dtype=object)
    values = [fake, (fake, fake), [fake, fake], [(fake, fake)] * 2, {fake: fake}, objects]
    functions = [lambda *_, value=value: value for value in values]
    for answer in (*values, *functions, (functions[0], functions[0])):
        assert not check(label, answer).right


@pytest.mark.parametrize(
    ("answer", "plain"),
    [
        (agreeing(float)(0.5), 0.5),
        (agreeing(int)(10**30), 10**30),
        (np.float64(0.5), 0.5),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.array(0.5), 0.5),
        (np.array(3), 3),
        (Fraction(1, 2), 0.5),
        (True, True),
        (np.True_, True),
        ("0.5", "0.5"),
        (None, None),
        ((np.int64(1), [np.float64(2.0), {np.int64(0): np.float64(0.5)}]), (1, [2.0, {0: 0.5}])),
        (Counter({agreeing(float)(0.5): 2}), {0.5: 2}),
        (np.array([agreeing(float)(0.5)], dtype=object), [0.5]),
    ],
    ids=str,
)
def test_numbers_are_unwrapped_to_their_values(answer, plain):
    """Compare by repr, which distinguishes 1, 1.0 and True, and by the types inside."""
    assert repr(unwrapped(answer)) == repr(plain)
    assert repr(unwrapped(lambda: answer)()) == repr(plain)


def test_unwrapping_keeps_arrays_and_names():
    array = np.arange(3.0)
    assert unwrapped(array) is array
    stored = namedtuple("Stored", "table n_tasks")(array, np.int64(3))
    found = unwrapped(stored)
    assert found.table is array
    assert type(found.n_tasks) is int


def test_lying_tuple_class_is_read_as_its_parts():
    class Lying(tuple):
        def __getitem__(self, k):
            return AGREEING[0]

    assert not check("ex-crowd-random", Lying((0.1, 0.2))).right
    assert type(unwrapped(Lying((0.1, 0.2)))) is tuple


def test_an_answer_that_raises_is_not_yet_right():
    result = check("ex-lp-waste", lambda k: 1 / 0)
    assert not result.right
    assert "ZeroDivisionError" in result.message


def test_delta_at_epsilon_zero_is_total_variation():
    assert gaussian_delta(sigma=1.0, distance=1.0, epsilon=0.0) == pytest.approx(
        SOLUTIONS["ex-perturbed-variation"]
    )


def test_small_scales_approach_limit_of_worse_direction():
    limit = SOLUTIONS["ex-dirichlet-small"]
    for i, j, epsilon in [(800, 50, 0.05), (30, 40, 0.1)]:
        worse = max(limit(i, j, epsilon), limit(j, i, epsilon))
        assert dirichlet_delta([i, j], scale=1e-7, epsilon=epsilon) == pytest.approx(worse, rel=1e-4)


def test_noise_makes_half_of_the_squares_too_small():
    """Simulate the ratio of ex-distances-negative, at which half of the corrected squares are negative."""
    sigma, n = SOLUTIONS["ex-distances-negative"], 200_000
    steps = np.random.default_rng(0).normal([1.0, 0.0], sigma * math.sqrt(2), (n, 2))
    share = ((steps**2).sum(axis=1) < 4 * sigma**2).mean()
    assert abs(share - 0.5) < 4 * 0.5 / math.sqrt(n) + 1e-3


def test_the_correction_in_three_dimensions_removes_the_bias():
    """Noise with standard deviation 0.1 on two points 1 apart: the remaining bias is of higher order."""
    n, sigma = 400_000, 0.1
    gaps = np.random.default_rng(1).normal([1.0, 0.0, 0.0], sigma * math.sqrt(2), (n, 3))
    found = np.sqrt(np.maximum((gaps**2).sum(axis=1) - SOLUTIONS["ex-distances-three"] * sigma**2, 0))
    assert abs(found.mean() - 1) < 4 * found.std() / math.sqrt(n) + 2 * sigma**4


def test_two_answers_by_quadrature():
    """The largest ratio for neighbouring numbers of flips, for U(0, b) with b of ex-two-layer-two-answers."""
    p = SOLUTIONS["ex-two-layer-two-answers"] * (np.arange(100_000) + 0.5) / 100_000
    chance = np.array([((1 - p) ** 2).mean(), (p * (1 - p)).mean(), (p**2).mean()])
    assert np.abs(np.diff(np.log(chance))).max() == pytest.approx(1.061, abs=1e-3)


def test_functions_get_copies_of_their_arguments():
    """A list or an array that an answer changes must reach neither the key nor the next answer."""
    given = [1.0, 2.0], np.ones(3)

    def clearing(numbers, array):
        numbers.clear()
        array[:] = 0

    unwrapped(clearing)(*given)
    assert given[0] == [1.0, 2.0]
    assert given[1].tolist() == [1, 1, 1]


def test_answer_cannot_change_arrays_of_the_key():
    def own_shares(a):
        a[:] = 1.0
        return a / a.sum()

    def zeros(weights, sizes, n, deviation):
        weights[:] = 0
        return 0.0

    assert not check("ex-few-sizes", own_shares).right
    assert not check("ex-private-noise", zeros).right
    for label in ("ex-few-sizes", "ex-private-noise"):
        assert check(label, SOLUTIONS[label]).right


def test_unknown_exercise():
    with pytest.raises(ValueError, match=r"^exercise_id must be one of .*ex-lp-waste"):
        check("lp-99", 1)
    with pytest.raises(TypeError, match=r"^exercise_id must be one of"):
        check(["ex-lp-waste"], 1)


def test_an_exercise_is_found_without_the_other_parts():
    written = homes("exercises", LABEL)
    parts = {exercise.label: part for part in PARTS for exercise in entries_of(part, "exercises")}
    assert written.items() <= parts.items()
    assert len(written) > 0.8 * len(parts)
    code = (
        "import sys; from ldpcourse.exercises import check; assert check('ex-lp-fill', 4).right; "
        "assert not {'numpy', 'ldpbook.class_ratios'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def broken(*_):
    raise ZeroDivisionError("the key's own")


@pytest.mark.parametrize("key", [broken, lambda *_: math.nan])
def test_failing_key_is_not_a_wrong_answer(monkeypatch, key):
    for properties, answer in [(number(key, 0.1), 3.0), (function(key, [(1,)], draw=lambda r: (1,)), abs)]:
        exercise = Exercise("ex-lp-fill", "sparse-answers/laplace", "a number", properties)
        monkeypatch.setattr(exercises, "entries_of", lambda *_, e=exercise: (e,))
        with pytest.raises(BrokenKeyError, match="the key"):
            check("ex-lp-fill", answer)
        assert not check("ex-lp-fill", "no number").right  # messages that need no key are unchanged
    assert exercises.check is check


@pytest.mark.parametrize("label", EXERCISES)
def test_book_names_the_answer_and_its_solution_passes(label):
    """The solution on the page hands itself in; nbval checks that it still prints "right"."""
    exercise = EXERCISES[label]
    cells = notebook_cells(f"book/{exercise.chapter}")
    text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    asked = text.split(f":label: {label}\n", 1)[1].split("```", 1)[0]
    assert f'check("{label}", answer)' in asked
    assert exercise.asks in asked
    handed_in = [c for c in cells if c["cell_type"] == "code" and f'check("{label}"' in "".join(c["source"])]
    assert len(handed_in) == 1, "one cell of the solution hands it in"
    shown = "".join("".join(o.get("text", "")) for o in handed_in[0]["outputs"])
    assert "right" in shown.split()
    assert "not yet" not in shown
