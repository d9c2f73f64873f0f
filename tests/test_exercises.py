"""Solutions pass, typical wrong answers fail for the stated reason, and the book says what to hand in."""

import json
import math
import re

import numpy as np
import pytest
from toc import ROOT

from ldpbook import bounds
from ldpbook.answers import to_matrix, to_tidy
from ldpbook.exercises import EXERCISES, check, main
from ldpbook.privacy import dirichlet_delta, gaussian_delta
from ldpbook.problems import PROBLEMS

NORMAL = math.sqrt(2 * math.pi)
LAW = np.exp(-(np.arange(10) ** 2) / 2) / np.exp(-(np.arange(10) ** 2) / 2).sum()
MEAN = LAW @ np.arange(10)  # of an answer in the paper's example
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
SOLUTIONS |= {
    "crowd-2": lambda given: (np.unique(given, axis=0, return_counts=True)[1] == 1).sum() / len(given),
    "crowd-3": (
        lambda answers: (to_tidy(answers), answers.shape),
        lambda stored: (
            stored[0]
            .pivot(index="worker", columns="task", values="answer")
            .reindex(index=range(stored[1][0]), columns=range(stored[1][1]))
            .to_numpy()
        ),
    ),
    "dirichlet-4": 10,
    "mean-1": lambda q1, q2, q: (q1 - q) / (q1 - q2),
    "truth-3": lambda k, sigma: sigma / k,
    "random-3": math.sqrt(20.01 / 1.01),
    "lp-2": lambda mean, s: mean / s - (1 / s - 1) * 4.5,
    "mf-2": 16.9315,
    "rr-1": lambda share, k, e: share + (share * (k + 1) - 1) / (math.exp(e) - 1),
    "rr-2": (45 + (math.e - 1) * 0.1 * MEAN) / (10 + (math.e - 1) * 0.1),
    "rr-3": bounds.rr_mae_bound(epsilon=1.0, domain=range(100, 110), density=0.1, truth=100.0),
    "real-3": lambda k, density: math.log(1 + k / density),
    "voting-3": lambda r, k: 2 * r - k,
    "one-layer-3": 0.00219,
    "two-layer-3": {0: 0.7, 1: 0.3},
    "bounds-2": lambda m, alpha: sum(
        math.comb(m, k) * alpha**k * (1 - alpha) ** (m - k) for k in range(m // 2 + 1)
    ),
    "bounds-4": 0.3,
    "trade-1": lambda votes: 0.5 - math.comb(votes, votes // 2) * 0.5 ** (votes + 1),
    "particles-1": [(3, 4), (3, -4)],
    "particles-3": lambda weights, u: np.diff(
        np.searchsorted((np.arange(len(weights)) + u) / len(weights), [0, *weights.cumsum()[:-1], 2.0])
    ),
    "encrypted-1": lambda a, b, n: a * pow(b, -1, n**2) % n**2,
    "encrypted-2": lambda c, n: (c - 1) // n,
    "encrypted-3": 141,
    "encrypted-4": lambda c, m, n: any((1 + m * n) * pow(r, n, n**2) % n**2 == c for r in range(1, n)),
    "forgotten-3": lambda kernel, messages: np.linalg.solve(kernel, np.exp(messages)),
    "perturbed-2": (0.125, 0.25),
    "perturbed-3": 4.377,
    "distances-2": lambda first, second, sigma: math.sqrt(
        max(0.0, (np.linalg.norm(first[:, None] - second, axis=-1) ** 2).mean() - 4 * sigma**2)
    ),
    "few-1": lambda a: np.sqrt(a) / np.sqrt(a).sum(),
    "bound-1": -58.99,
    "bound-4": lambda n, rho, squares: rho @ (1 - squares) / n,
}
WRONG = {
    "crowd-2": [
        (lambda given: len(np.unique(given, axis=0)) / len(given), "nobody"),
        (lambda given: 0.0, "everybody"),
        (lambda given: (given.sum(axis=0) == 1).mean(), "counts as a whole"),
    ],
    "crowd-3": [
        ((to_tidy, to_matrix), "lost"),
        ((lambda answers: answers, lambda stored: stored), "one row"),
        ((lambda a: (to_tidy(a), a.shape), lambda stored: np.zeros(stored[1])), "changed"),
        ((to_tidy, 3), "pair"),
    ],
    "dirichlet-4": [(0.1, "less"), (math.sqrt(10), "faster"), (100, "agree")],
    "mean-1": [(lambda q1, q2, q: q, "no weight"), (lambda q1, q2, q: q - q1, "has all")],
    "truth-3": [(lambda k, sigma: sigma, "more others"), (lambda k, sigma: 1 / k, "units")],
    "random-3": [(1.0, "wider"), (50.0, "root of 20"), (2.0, "agree")],
    "lp-2": [(lambda mean, s: mean, "expectation"), (lambda mean, s: 4.5, "complete"), (4, "function")],
    "mf-2": [(10.0, "constants"), (-3, "small"), (6.93, "agree")],
    "rr-1": [
        (lambda share, k, e: share, "NULL"),
        (lambda share, k, e: ((k - 1 + math.exp(e)) * share - 1) / (math.exp(e) - 1), "NULL"),
        (lambda share, k, e: 0.0, "huge"),
    ],
    "rr-2": [(3.551, "exceeds"), (3.4368, "exceeds"), (12, "further than 9"), (4.6, "agree")],
    "rr-3": [(4.4328, "far from"), (90.0, "agree")],
    "real-3": [(lambda k, density: math.log(k / density), "balance"), (lambda k, density: 5.0, "sparse")],
    "voting-3": [
        (lambda r, k: math.log((r + 1e-9) / (k - r + 1e-9)), "ratio"),
        (lambda r, k: r, "no weight"),
        (lambda r, k: math.log(r / (k - r)) if r < k else math.inf, "finite"),
        (lambda r, k: 0.0, "more agreements"),
    ],
    "one-layer-3": [(0.0206, "above it"), (1e-5, "agree"), (-1, "probability")],
    "two-layer-3": [
        ({0.3: 1.0}, "spread further"),
        ({0: 0.4, 0.6: 0.4}, "add up"),
        ({0: 0.5, 1: 0.5}, "mean"),
        (0.3, "dictionary"),
    ],
    "bounds-2": [
        (lambda m, alpha: (4 * alpha * (1 - alpha)) ** (m / 2) / 2, "single user"),
        (lambda m, alpha: 1 - alpha, "never above"),
        (lambda m, alpha: (1 - alpha) ** m, "differs"),
    ],
    "bounds-4": [(1.0, "smaller"), (0.5, "agree")],
    "trade-1": [(lambda votes: 0.5, "below"), (lambda votes: 0.25, "rare"), (lambda votes: 0.49, "differs")],
    "particles-1": [
        ([(3, 0), (3, 4)], "5 m"),
        ([(3, 4), (3, 4)], "same"),
        ((3, 4), "two pairs"),
    ],
    "particles-3": [
        (lambda weights, u: [len(weights)] + [0] * (len(weights) - 1), "every particle"),
        (lambda weights, u: weights * len(weights), "rounded"),
        (lambda weights, u: np.zeros(len(weights)), "as many copies"),
        (lambda weights, u: np.bincount(np.arange(len(weights))), "rounded up"),
    ],
    "encrypted-1": [
        (lambda a, b, n: (a - b) % n**2, "58"),
        (lambda a, b, n: a * b % n**2, "58"),
        (lambda a, b, n: (1 + 58 * n) % n**2, "negative"),
    ],
    "encrypted-2": [
        (lambda c, n: c, "42"),
        (lambda c, n: next(m for m in range(min(n, 10**5)) if (1 + m * n) % n**2 == c), "keys are long"),
    ],
    "encrypted-3": [(40, "units"), (140, "overflows"), (2048, "overflows"), (140.5, "whole")],
    "encrypted-4": [(lambda c, m, n: False, "right guess"), (lambda c, m, n: True, "wrong guess")],
    "forgotten-3": [
        (lambda kernel, messages: np.exp(messages), "another kernel"),
        (lambda kernel, messages: np.linalg.solve(kernel, messages), "add up"),
    ],
    "perturbed-2": [((0.125, 0.125), "variance"), ((0.25, 0.5), "mean"), (0.125, "pair")],
    "perturbed-3": [(5.299, "less than"), (0.341, "more than"), (3.41, "agree")],
    "distances-2": [
        (
            lambda first, second, sigma: float(
                np.sqrt(np.maximum(0, ((first[:, None] - second) ** 2).sum(axis=-1) - 4 * sigma**2)).mean()
            ),
            "before the root",
        ),
        (
            lambda first, second, sigma: float(np.linalg.norm(first - second, axis=-1).mean()),
            "before the root",
        ),
        (lambda first, second, sigma: 3.0, "without noise"),
    ],
    "few-1": [
        (lambda a: np.full(len(a), 1 / len(a)), "no other"),
        (lambda a: a / a.sum(), "no other"),
        (lambda a: np.sqrt(a), "add up"),
    ],
    "bound-1": [(-60.5, "more often"), (-50, "agree"), (2, "at most 0")],
    "bound-4": [
        (lambda n, rho, squares: 1 / n, "one point"),
        (lambda n, rho, squares: rho @ (1 - squares), "falls"),
        (lambda n, rho, squares: 2 * rho @ (1 - squares) / n, "value for"),
    ],
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


def test_the_syllabus_asks_for_what_exists():
    syllabus = (ROOT / "book" / "teaching" / "syllabus.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`([a-z-]+-\d)`", syllabus)) <= set(EXERCISES)
    variants = [
        re.findall(r"`(\w+)`", names) for names in re.findall(r"variants? ((?:`\w+`(?:, )?)+)", syllabus)
    ]
    assert set().union(*variants) <= set(PROBLEMS)
