"""Variants: reproducible, different, solvable from their text alone, and graded fairly."""

import functools
import re
from importlib import import_module

import pytest

from ldpbook._lazy import PARTS
from ldpbook.localization import bounds
from ldpcourse.problems import PROBLEMS, WEEKS, Problem, seed_of, variant
from ldpcourse.problems.__main__ import main

ANSWERS = [import_module(f"course.problem_answers.{part}") for part in PARTS]
# Another way to each key, from the numbers in the text, and the results of misreadings.
SOLVERS = {name: solve for part in ANSWERS for name, solve in part.SOLVERS.items()}
MISREADINGS = {
    (name, what): answer
    for part in ANSWERS
    for name, found in part.MISREADINGS.items()
    for what, answer in found.items()
}


@functools.cache
def known(name: str, seed: int) -> Problem:
    """A cached variant for several tests; another test checks that variants are reproducible."""
    return variant(name, seed)


def numbers(text: str) -> list[float]:
    return [float(n) for n in re.findall(r"\d+\.\d+|\d+", text)]


def test_every_problem_is_solved_and_misread():
    assert set(SOLVERS) == set(PROBLEMS) == {name for name, _ in MISREADINGS}
    for name in PROBLEMS:
        assert len([what for other, what in MISREADINGS if other == name]) >= 2


def test_problem_names_are_distinct_across_parts():
    parts = [import_module(f"ldpcourse.problems.{part}").PROBLEMS for part in PARTS]
    assert sum(map(len, parts)) == len(PROBLEMS)


def test_every_problem_is_collected_in_one_week():
    collected = [name for names in WEEKS.values() for name in names]
    assert sorted(collected) == sorted(PROBLEMS)
    assert list(WEEKS) == list(range(1, 23))
    assert min(len(names) for names in WEEKS.values()) >= 2


@pytest.mark.parametrize("name", SOLVERS)
def test_the_text_has_all_that_is_needed(name):
    for seed in range(20):
        problem = known(name, seed)
        answer = SOLVERS[name](*numbers(problem.text))
        assert problem.grade(answer), (seed, answer, problem)


@pytest.mark.parametrize(("name", "what"), MISREADINGS)
def test_misreadings_are_rarely_graded_right(name, what):
    taken = []
    for seed in range(100):
        problem = known(name, seed)
        if problem.grade(float(MISREADINGS[name, what](*numbers(problem.text)))):
            taken.append(seed)
    assert len(taken) <= 5, taken


@pytest.mark.parametrize("seed", range(20))
def test_the_printed_epsilon_of_a_location_is_another(seed):
    problem = variant("location", seed)
    sigma, distance, _ = numbers(problem.text)
    assert problem.key < bounds.location_epsilon(sigma=sigma, distance=distance, delta=1e-5)


@pytest.mark.parametrize("name", PROBLEMS)
def test_an_explanation_holds_for_every_variant(name):
    """One explanation serves all variants, so it names no number of a single variant."""
    told = {known(name, seed).explanation for seed in range(20)}
    assert len(told) == 1
    [explanation] = told
    assert 60 < len(explanation) < 400
    assert explanation.endswith(".")
    assert not re.search(r"\d\.\d", explanation)


@pytest.mark.parametrize("name", PROBLEMS)
def test_seeds_give_variants(name):
    texts = [known(name, seed).text for seed in range(30)]
    assert len(set(texts)) > 20
    assert texts == [variant(name, seed).text for seed in range(30)]
    assert len({known(name, seed).key for seed in range(30)}) > 20


@pytest.mark.parametrize("name", PROBLEMS)
def test_keys_are_distinguishable(name):
    """Keys are between 0.001 and 1,000, and neither 0 nor a key with the wrong sign is accepted."""
    for seed in range(200):
        problem = known(name, seed)
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
        assert variant(name, 0).explanation not in told
    main(["7", "--keys"])
    flip = variant("flip", 7)
    assert f"{flip.text}\n    {flip.key:.6g}\n    {flip.explanation}\n" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["-1"])


def test_unknown_problem():
    with pytest.raises(ValueError, match=r"^name must be one of fingerprint"):
        variant("nothing", 0)


def test_seeds_are_those_of_the_standard():
    """The digest is that of HMAC-SHA256, computed by openssl."""
    digest = "e6ca4c31928caa1c1ecf99b2e408163db16588d6a968255b072ec2f2b0a122e2"
    assert f"{seed_of('a secret of the instructor', 'ada'):064x}" == digest


def test_non_utf8_name_has_a_seed_too():
    """The name of a file with a byte that is not UTF-8, as Python reads it."""
    seeds = {seed_of("a secret of the instructor", name) for name in ("ada", "ad\udce4", "ad\udcf6")}
    assert len(seeds) == 3


@pytest.mark.parametrize("secret", ["", "short", "fifteen letters"])
def test_a_short_secret_is_refused_and_not_printed(secret):
    with pytest.raises(ValueError, match=r"secret must have at least 16 characters, got \d+$"):
        seed_of(secret, "ada")
