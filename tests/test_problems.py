"""Variants: reproducible, different, solvable from their text alone, and graded fairly."""

import math
import re

import numpy as np
import pytest

from ldpbook import bounds
from ldpbook.privacy import dirichlet_delta, gaussian_delta
from ldpbook.problems import PROBLEMS, Problem, variant


def numbers(text: str) -> list[float]:
    return [float(n) for n in re.findall(r"\d+\.\d+|\d+", text)]


def reuse(low, high, k):
    """The largest ratio of the probabilities of d flips among k answers, by quadrature."""
    k = int(k)
    p = low + (high - low) * (np.arange(20_000) + 0.5) / 20_000
    chance = np.array([(p**d * (1 - p) ** (k - d)).mean() for d in range(k + 1)])
    return float(np.abs(np.log(chance[:-1] / chance[1:])).max())


# Another way to each key, from the numbers in the text.
SOLVERS = {
    "flip": lambda s, p: abs(math.log((s - 1) * (1 - p) / p)),
    "keep": lambda k, e: math.exp(e) / (k - 1 + math.exp(e)),
    "reuse": reuse,
    "laplace": lambda _, top, epsilon, density, truth, *__: (
        (1 - density) * (abs(truth - top / 2) + (top + 1) / epsilon)
        + density * (math.sqrt(2 / math.pi) + (top + 1) / epsilon)
    ),
    "counts": lambda b, e: 1 - (1 + (1 / b - e / 2) / 2) * math.exp(-(1 / b - e / 2)) if e < 2 / b else 0.0,
    "dirichlet": lambda a, b, c, s, e: dirichlet_delta([c, a, b], scale=s, epsilon=e, method="tight"),
    "adjusted": lambda f, t, q: (q - f) / (t - f),
}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("seed", range(20))
def test_the_text_has_all_that_is_needed(name, seed):
    problem = variant(name, seed)
    assert problem.grade(SOLVERS[name](*numbers(problem.text)))


@pytest.mark.parametrize("seed", range(20))
def test_location_epsilon_has_the_stated_delta(seed):
    problem = variant("location", seed)
    sigma, distance, _ = numbers(problem.text)
    found = gaussian_delta(sigma=sigma, distance=distance, epsilon=problem.key)
    assert found == pytest.approx(1e-5, rel=1e-6) or problem.key == 0
    assert problem.key < bounds.location_epsilon(sigma=sigma, distance=distance, delta=1e-5)


@pytest.mark.parametrize("name", PROBLEMS)
def test_seeds_give_variants(name):
    texts = [variant(name, seed).text for seed in range(30)]
    assert len(set(texts)) > 20
    assert texts == [variant(name, seed).text for seed in range(30)]
    assert all(math.isfinite(variant(name, seed).key) for seed in range(200))


def test_grading_is_in_significant_digits():
    problem = Problem("", 1234.0, digits=3)
    assert problem.grade(1235)
    assert problem.grade(1230)
    assert not problem.grade(1250)
    assert not problem.grade(float("nan"))
    assert Problem("", 0.0).grade(0.0)


def test_unknown_problem():
    with pytest.raises(ValueError, match=r"^name must be one of flip"):
        variant("nothing", 0)
