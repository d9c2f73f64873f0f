"""Variants: reproducible, different, solvable from their text alone, and graded fairly."""

import itertools
import math
import re

import numpy as np
import pytest
from scipy.stats import beta, norm

from ldpbook.foundations.local_privacy import gaussian_delta
from ldpbook.localization import bounds
from ldpbook.problems import PROBLEMS, Problem, main, seed_of, variant


def numbers(text: str) -> list[float]:
    return [float(n) for n in re.findall(r"\d+\.\d+|\d+", text)]


def reuse(low, high, k):
    """The largest ratio of the probabilities of d flips among k answers, by quadrature."""
    k = int(k)
    p = low + (high - low) * (np.arange(20_000) + 0.5) / 20_000
    chance = np.array([(p**d * (1 - p) ** (k - d)).mean() for d in range(k + 1)])
    return float(np.abs(np.log(chance[:-1] / chance[1:])).max())


def laplace(_, top, epsilon, density, truth, *__):
    """The mean error of a cell that holds Laplace noise on top of a fill or of an answer, by quantiles."""
    u = (np.arange(2000) + 0.5) / 2000
    noise = (top + 1) / epsilon * np.where(u < 0.5, np.log(2 * u), -np.log(2 * (1 - u)))
    empty = np.abs(np.arange(top + 1)[:, None] - truth + noise).mean()
    answered = np.abs(norm.ppf(u)[:, None] + noise).mean()
    return (1 - density) * empty + density * answered


def dirichlet(*numbers):
    """The share of two classes, by quadrature of the excess of its density, for every pair of classes."""
    (*counts, s, epsilon), found = numbers, []
    for i, j in itertools.permutations(counts, 2):
        law = beta(s * i, s * j)
        x = np.linspace(*np.clip(law.mean() + law.std() * np.array([-40, 40]), 1e-12, 1 - 1e-12), 100_001)
        excess = law.pdf(x) - math.exp(epsilon) * beta(s * (i - 1), s * (j + 1)).pdf(x)
        found.append(np.trapezoid(np.maximum(excess, 0), x))
    return max(found)


# Another way to each key, from the numbers in the text.
SOLVERS = {
    "flip": lambda s, p: abs(math.log((s - 1) * (1 - p) / p)),
    "keep": lambda k, e: math.exp(e) / (k - 1 + math.exp(e)),
    "reuse": reuse,
    "laplace": laplace,
    "counts": lambda b, e: 1 - (1 + (1 / b - e / 2) / 2) * math.exp(-(1 / b - e / 2)) if e < 2 / b else 0.0,
    "dirichlet": dirichlet,
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


@pytest.mark.parametrize("name", PROBLEMS)
def test_keys_tell_something(name):
    """No key is so small that a student sees nothing of it, and no other problem's answer passes for it."""
    for seed in range(200):
        problem = variant(name, seed)
        assert 1e-3 < problem.key < 1e3
        assert not problem.grade(0.0)
        assert not problem.grade(-problem.key)


def test_grading_is_by_a_share_of_the_key():
    problem = Problem("", 1000.0)
    assert problem.grade(995)
    assert problem.grade(1005)
    assert not problem.grade(994.9)
    assert not problem.grade(1005.1)
    assert not problem.grade(float("nan"))
    assert not problem.grade(float("inf"))
    assert Problem("", -2.0).grade(-2.009)
    assert Problem("", 1e-13, tolerance=0.05).grade(1.04e-13)
    assert not Problem("", 1e-13).grade(0.0)


def test_the_bank_is_printed(capsys):
    main([])
    told = capsys.readouterr().out
    for name in PROBLEMS:
        assert f"{name}: {variant(name, 0).text}\n" in told
    main(["7", "--keys"])
    assert f"{variant('flip', 7).text}\n    {variant('flip', 7).key:.6g}\n" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["-1"])


def test_unknown_problem():
    with pytest.raises(ValueError, match=r"^name must be one of flip"):
        variant("nothing", 0)


def test_seeds_are_those_of_the_standard():
    """HMAC-SHA256 by openssl."""
    digest = "e6ca4c31928caa1c1ecf99b2e408163db16588d6a968255b072ec2f2b0a122e2"
    assert f"{seed_of('a secret of the instructor', 'ada'):064x}" == digest


@pytest.mark.parametrize("secret", ["", "short", "fifteen letters"])
def test_a_short_secret_is_refused_and_not_printed(secret):
    with pytest.raises(ValueError, match=r"secret must have at least 16 characters, got \d+$"):
        seed_of(secret, "ada")
