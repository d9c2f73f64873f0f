"""Solutions pass, typical wrong answers fail for the stated reason, and the book says what to hand in."""

import json
import math
import re

import numpy as np
import pytest

from conftest import ROOT
from ldpbook import bounds
from ldpbook.exercises import EXERCISES, check, main
from ldpbook.privacy import dirichlet_delta, gaussian_delta

NORMAL = math.sqrt(2 * math.pi)
SOLUTIONS = {
    "crowd-4": lambda mu, sigma: (
        mu * (1 - math.erfc(mu / sigma / math.sqrt(2)) / 2)
        + sigma * math.exp(-((mu / sigma) ** 2) / 2) / NORMAL
    ),
    "truth-1": lambda r: 2 * (r**2 + 1) / (r + 1) ** 2,
    "privacy-1": 11_707,
    "privacy-2": (True, False),
    "lp-4": 2.5,
    "reuse-4": 0.6,
    "perturbed-4": 1,
    "distances-1": 4,
    "dirichlet-3": 1,
    "fair-4": 15_517,
    "privacy-4": lambda e: math.exp(e) / (1 + math.exp(e)),
    "random-1": 9_000_000,
    "lp-1": 4,
    "lp-3": lambda k: k**2 / (k - 1) ** 2,
    "rr-4": lambda k, e: math.exp(e) / (k - 1 + math.exp(e)),
    "voting-4": 0.8,
    "one-layer-1": math.exp(1),
    "one-layer-2": lambda share, p, s: ((s - 1) * share - p) / ((s - 1) * (1 - p) - p),
    "one-layer-4": 2 * math.log(1.5),
    "two-layer-1": lambda a, b, s: abs(math.log((s - 1) * (1 - (a + b) / 2) / ((a + b) / 2))),
    "reuse-1": lambda k: math.log(k),
    "reuse-3": next(k for k in range(1, 200) if math.log(9) - bounds.two_layer_epsilon(0.1, 0.5, 2, k) < 0.1),
    "bounds-1": 0.6,
    "perturbed-1": 2 * 0.6914624612740131 - 1,
    "distances-3": 0.794,
    "dirichlet-1": lambda i, j, e: i / (i + j) * (i * j / ((i - 1) * (j + 1)) * math.exp(-e)) ** j,
    "fair-1": 1.38,
    "proportions-1": lambda t, f: f / (1 - t + f),
    "proportions-2": 2.78,
    "few-4": lambda m, e: math.sqrt(8 * m) / e,
    "mean-4": 10_000,
}
WRONG = {
    "privacy-2": [
        ((True, True), "only one"),
        ((False, False), "first"),
        (True, "pair"),
        (("yes", "no"), "pair"),
    ],
    "lp-4": [(0.0, "above 0"), (4.5, "agree"), (25, "exceeds 9")],
    "reuse-4": [(1.2, "probability"), (0.3, "agree")],
    "perturbed-4": [(100, "more than one"), (0.01, "agree")],
    "distances-1": [(2, "across"), (6, "more than is needed"), (5, "agree")],
    "dirichlet-3": [(0.05, "agree"), (2, "probability")],
    "fair-4": [(500, "thousand"), (1.6e4 * 2, "agree")],
    "crowd-4": [
        (lambda mu, sigma: mu, "raises"),
        (lambda mu, sigma: max(mu, 0.0) + 0.4, "not clipped"),
        (3, "function"),
    ],
    "truth-1": [(lambda r: 1.0, "limit"), (lambda r: 1 / r, "at least 1"), (lambda r: 2.0, r"ratio\(1\)")],
    "privacy-1": [(2500, "without flips"), (5853, "agree"), (float("nan"), "finite")],
    "privacy-4": [(lambda e: math.exp(e), "epsilon 0"), (lambda e: e / 2 + 0.5, "at most 1")],
    "random-1": [(4_000_000, "39 of 40"), ("many", "finite")],
    "lp-1": [(0, "smaller error"), (-3, "among"), (None, "finite")],
    "lp-3": [(lambda k: k / (k - 1), "value at 2"), (lambda k: (k - 1) ** 2 / k**2, "above 1")],
    "rr-4": [
        (lambda k, e: math.exp(e) / (1 + math.exp(e)), "alike"),
        (lambda k, e: math.exp(e) / (k + math.exp(e)), "alike"),
    ],
    "voting-4": [(0.9, "agree"), (0.2, "likelier"), (2.2, "probability")],
    "one-layer-1": [(1.0, "close"), (2.5, "agree")],
    "one-layer-2": [
        (lambda share, p, s: share, "estimated as 0"),
        (lambda share, p, s: 0.0, "without flips"),
    ],
    "one-layer-4": [(0.405, "more than one"), (0.9, "agree")],
    "two-layer-1": [
        (lambda a, b, s: bounds.one_layer_epsilon(a, s), "differs"),
        (lambda a, b, s: 0.0, "fixed"),
    ],
    "reuse-1": [
        (lambda k: 0.0, "more answers"),
        (lambda k: math.log(k + 1), "coin"),
        (lambda k: (k - 1) / k, "differs"),
    ],
    "reuse-3": [(1, "does not fit"), (2.5, "whole")],
    "bounds-1": [(1.0, "at t = 0"), (-1, "positive"), (0.36, "agree")],
    "perturbed-1": [(0.0, "agree"), (1.4, "probability")],
    "distances-3": [(0.01, "never"), (2.0, "agree")],
    "dirichlet-1": [
        (lambda i, j, e: 0.0, "larger epsilon"),
        (lambda i, j, e: i / (i + j) * math.exp(-e * j), "differs"),
    ],
    "fair-1": [(0.9, "more than"), (2.5, "agree")],
    "proportions-1": [(lambda t, f: 0.5, "differs"), (lambda t, f: f, "one half")],
    "proportions-2": [(1.67, "standard deviation"), (0.6, "more, not fewer"), (4.0, "agree")],
    "few-4": [(lambda m, e: m * 2 / e, "four sets"), (lambda m, e: math.sqrt(m) / e, "differs")],
    "mean-4": [(100, "root"), (1000, "agree")],
}


@pytest.mark.parametrize("name", EXERCISES)
def test_solution_passes(name):
    result = check(name, SOLUTIONS[name])
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


def test_every_exercise_has_wrong_answers():
    assert set(WRONG) == set(SOLUTIONS) == set(EXERCISES)


def test_an_answer_that_raises_is_not_yet_right():
    result = check("lp-3", lambda k: 1 / 0)
    assert not result.right
    assert "ZeroDivisionError" in result.message


def test_delta_without_epsilon_is_the_distance_of_two_normal_laws():
    assert gaussian_delta(sigma=1.0, distance=1.0, epsilon=0.0) == pytest.approx(SOLUTIONS["perturbed-1"])


def test_small_scales_have_the_limit_of_the_worse_direction():
    limit = SOLUTIONS["dirichlet-1"]
    for i, j, epsilon in [(800, 50, 0.05), (30, 40, 0.1)]:
        worse = max(limit(i, j, epsilon), limit(j, i, epsilon))
        assert dirichlet_delta([i, j], scale=1e-7, epsilon=epsilon) == pytest.approx(worse, rel=1e-4)


def test_noise_makes_half_of_the_squares_too_small():
    """At the ratio of distances-3, simulated: the squared distance less 4 sigma^2 is negative."""
    sigma, n = SOLUTIONS["distances-3"], 200_000
    steps = np.random.default_rng(0).normal([1.0, 0.0], sigma * math.sqrt(2), (n, 2))
    share = ((steps**2).sum(axis=1) < 4 * sigma**2).mean()
    assert abs(share - 0.5) < 4 * 0.5 / math.sqrt(n) + 1e-3


def test_a_file_is_graded(tmp_path, capsys):
    file = tmp_path / "answers.py"
    file.write_text("ANSWERS = {'lp-1': 4, 'voting-4': 0.7, 'lp-3': lambda k: (k / (k - 1)) ** 2}")
    main([str(file)])
    assert capsys.readouterr().out.splitlines() == [
        "lp-1           right",
        "voting-4       not yet: the value does not agree with the computed one to 0.1%",
        "lp-3           right",
        "2 of 3 right",
    ]
    file.write_text("answers = 3")
    with pytest.raises(SystemExit):
        main([str(file)])
    assert "has no dictionary ANSWERS" in capsys.readouterr().err


def test_the_correction_in_three_dimensions_removes_the_bias():
    """Noise of deviation 0.1 on two points 1 apart: the bias that is left is of higher order."""
    n, sigma = 400_000, 0.1
    gaps = np.random.default_rng(1).normal([1.0, 0.0, 0.0], sigma * math.sqrt(2), (n, 3))
    found = np.sqrt(np.maximum((gaps**2).sum(axis=1) - SOLUTIONS["distances-1"] * sigma**2, 0))
    assert abs(found.mean() - 1) < 4 * found.std() / math.sqrt(n) + 2 * sigma**4


def test_two_answers_by_quadrature():
    """U(0, b) at the solution of reuse-4: the largest ratio of neighbouring numbers of flips."""
    p = SOLUTIONS["reuse-4"] * (np.arange(100_000) + 0.5) / 100_000
    chance = np.array([((1 - p) ** 2).mean(), (p * (1 - p)).mean(), (p**2).mean()])
    assert np.abs(np.diff(np.log(chance))).max() == pytest.approx(1.061, abs=1e-3)


def test_unknown_exercise():
    with pytest.raises(ValueError, match=r"^exercise_id must be one of .*lp-3"):
        check("lp-99", 1)


@pytest.mark.parametrize("name", EXERCISES)
def test_the_book_says_what_to_hand_in(name):
    """The id is the label's prefix and the exercise's number in its chapter; the page names it."""
    exercise = EXERCISES[name]
    cells = json.loads((ROOT / "book" / f"{exercise.chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    labels = re.findall(r"\{exercise\}.*\n:label: (\S+)", text)
    assert labels.index(exercise.label) + 1 == int(name.rpartition("-")[2])
    asked = text.split(f":label: {exercise.label}\n", 1)[1].split("```", 1)[0]
    assert f'check("{name}", answer)' in asked
    assert exercise.asks in asked
