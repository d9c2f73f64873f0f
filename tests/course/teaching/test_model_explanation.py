"""The model explanation: each number is computed from the problem's own, and the points add up."""

import re
from math import exp, sqrt

import pytest
from toc import ROOT

from ldpcourse.problems import variant

PAGE = (ROOT / "book" / "teaching" / "model-explanation.md").read_text(encoding="utf-8")
FULL, WEAK = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]


def steps(n_people, epsilon, reports):
    """Probability of the truth, share among reports, estimate, and both standard errors."""
    p = exp(epsilon) / (1 + exp(epsilon))
    seen = reports / n_people
    error = sqrt(seen * (1 - seen) / n_people)
    return p, seen, (seen - (1 - p)) / (2 * p - 1), error, error / (2 * p - 1)


def decimals(text):
    """Numbers with three digits or more after the point."""
    return re.findall(r"\d\.\d{3,}", text)


def agree(text, *values):
    """Whether each decimal is one of the values, rounded, and each value is there."""
    found = {value: [w for w in decimals(text) if f"{value:.{len(w) - 2}f}" == w] for value in values}
    return all(found.values()) and {w for words in found.values() for w in words} == set(decimals(text))


@pytest.mark.parametrize("section", [FULL, WEAK])
def test_points_of_an_explanation_add_up(section):
    points = [int(n) for n in re.findall(r"^\|.*? \| (\d) \|", section, re.MULTILINE)]
    got, of = re.match(r".*: (\d) of (\d) points", section).groups()
    assert sum(points) == int(got)
    assert len(points) == int(of) == 5


def test_full_explanation_answers_the_problem():
    problem = variant("warner", 20)
    assert f"> {problem.text}\n" in FULL
    number = re.search(r"^\| \*\*([\d.]+)\*\* \| 1 ", FULL, re.MULTILINE)[1]
    assert problem.grade(float(number))
    p, seen, estimate, error, own = steps(1350, 1.6, 482)
    assert estimate + 2 * own == pytest.approx(problem.key)
    less = 2 * exp(0.8) / (1 + exp(0.8)) - 1  # 2p - 1 at epsilon 0.8
    steps_told = (p, seen, 1 - seen, 1 - p, 2 * p - 1, estimate, error, own, less, error / less)
    assert agree(FULL, problem.key, *steps_told)


def test_weak_explanation_is_wrong_as_it_says():
    problem = variant("warner", 21)
    assert re.findall(r"\d+(?:\.\d)?", problem.text) == ["400", "1.8", "162"]
    assert "400 people, epsilon 1.8, and 162 reports of yes" in WEAK
    number = re.search(r"^\| \*\*([\d.]+)\*\* \| 0 ", WEAK, re.MULTILINE)[1]
    assert not problem.grade(float(number))
    p, seen, estimate, error, own = steps(400, 1.8, 162)
    assert float(number) == round(estimate + 2 * error, 3)
    steps_told = (p, seen, 1 - seen, 1 - p, 2 * p - 1, estimate, error, own)
    assert agree(WEAK, problem.key, float(number), *steps_told)
