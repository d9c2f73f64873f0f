"""Planning: against the decoder's variance, exact binomial distributions, and watched simulations."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import beta as beta_law, binom, norm

from ldpbook.categorical_answers.frequency_oracles import k_ary_response
from ldpbook.practice import (
    epsilon_needed,
    people_for_power,
    people_needed,
    power_of_difference,
    survey_shares,
    watched_interval,
)

PLAN = {"epsilon": 1.0, "n_symbols": 2, "level": 0.05}


def rate(share, epsilon, s):
    """Probability that a report is the symbol."""
    return (1 + math.expm1(epsilon) * share) / (math.exp(epsilon) + s - 1)


def standard_error(share, n, epsilon, s):
    slope = math.expm1(epsilon) / (math.exp(epsilon) + s - 1)
    r = rate(share, epsilon, s)
    return math.sqrt(r * (1 - r) / n) / slope


@given(error=st.floats(0.002, 0.2), epsilon=st.floats(0.05, 6), share=st.floats(0, 1), s=st.integers(2, 12))
@settings(max_examples=60, deadline=None)
def test_number_of_people_is_the_smallest(error, epsilon, share, s):
    n = people_needed(error=error, epsilon=epsilon, share=share, n_symbols=s)
    assert standard_error(share, n, epsilon, s) <= error * (1 + 1e-9)
    assert n == 1 or standard_error(share, n - 1, epsilon, s) >= error * (1 - 1e-9)


@given(n=st.integers(50, 10**6), epsilon=st.floats(0.05, 6), share=st.floats(0, 1), s=st.integers(2, 12))
@settings(max_examples=60, deadline=None)
def test_epsilon_gives_back_its_error(n, epsilon, share, s):
    error = standard_error(share, n, epsilon, s)
    found = epsilon_needed(error=error, n_people=n, share=share, n_symbols=s)
    assert found == pytest.approx(epsilon, rel=1e-4)


def test_plans_agree_with_the_oracle_and_the_survey():
    n = people_needed(error=0.02, epsilon=1.0, share=0.3, n_symbols=3)
    coins = k_ary_response(3, 1.0).variance(0.3, n)  # sampling people adds to the error
    assert math.sqrt(coins + 0.3 * 0.7 / n) == pytest.approx(0.02, rel=1e-3)
    yes = round(n * rate(0.3, 1.0, 3))
    told = survey_shares([yes, n - yes, 0], epsilon=1.0)[0]
    assert told.share == pytest.approx(0.3, abs=1e-3)
    assert told.error == pytest.approx(0.02, rel=1e-3)


def test_epsilon_is_refused_if_even_truth_fails():
    with pytest.raises(ValueError, match=r"error must be above that of 100 people at epsilon 300, 0\.04583"):
        epsilon_needed(error=0.0458, n_people=100, share=0.3, n_symbols=2)
    assert epsilon_needed(error=0.0459, n_people=100, share=0.3, n_symbols=2) > 4
    assert epsilon_needed(error=1e9, n_people=10, share=0.3, n_symbols=2) == pytest.approx(1e-9)


def test_extreme_errors_are_met_or_refused():
    for n_symbols in (2, 2**53):
        for error in (1e20, 1e153, 1e308):
            told = epsilon_needed(error=error, n_people=100, share=0.3, n_symbols=n_symbols)
            assert told == pytest.approx(1e-9)
    limit = math.exp(-150) / 10  # without a true yes a report has variance exp(-300) to full precision
    rare = {"n_people": 100, "share": 0.0, "n_symbols": 2}
    assert epsilon_needed(error=limit * 1.001, **rare) == pytest.approx(300, abs=0.01)
    for error in (limit * 0.999, 1e-150, 5e-324):
        with pytest.raises(ValueError, match=f"above that of 100 people at epsilon 300, {limit:.4g}, got"):
            epsilon_needed(error=error, **rare)


def test_one_look_gives_floats():
    ends = watched_interval(3, 10, p=0.8, q=0.2, confidence=0.9)
    assert [type(end) for end in ends] == [np.float64, np.float64]


def rejects(n, level):
    """Whether the test finds the second share larger, or smaller, by numbers of reports in the groups."""
    first, second = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    pooled = (first + second) / (2 * n)
    with np.errstate(invalid="ignore"):
        z = (second - first) / n / np.sqrt(2 * pooled * (1 - pooled) / n)
    return z > norm.ppf(1 - level / 2), z < -norm.ppf(1 - level / 2)


@pytest.mark.parametrize(
    ("first", "second", "n", "epsilon", "s"),
    [(0.2, 0.4, 400, 1.0, 2), (0.5, 0.3, 300, 2.0, 2), (0.1, 0.2, 300, 4.0, 3), (0.0, 0.3, 250, 1.5, 4)],
)
def test_power_is_exactly_binomial(first, second, n, epsilon, s):
    larger, smaller = rejects(n, 0.05)
    laws = [binom.pmf(np.arange(n + 1), n, rate(f, epsilon, s)) for f in (first, second)]
    exact = laws[0] @ (larger if second > first else smaller) @ laws[1]
    told = power_of_difference(first, second, n_people=n, epsilon=epsilon, n_symbols=s, level=0.05)
    assert told == pytest.approx(exact, abs=0.015)
    same = laws[0] @ (larger | smaller) @ laws[0]
    assert same == pytest.approx(0.05, abs=0.01)


@given(
    first=st.floats(0, 0.4), gap=st.floats(0.02, 0.5), power=st.floats(0.1, 0.99), epsilon=st.floats(0.2, 5)
)
@settings(max_examples=60, deadline=None)
def test_people_for_power_are_the_fewest(first, gap, power, epsilon):
    plan = {"epsilon": epsilon, "n_symbols": 3, "level": 0.01}
    n = people_for_power(first, first + gap, power=power, **plan)
    assert power_of_difference(first, first + gap, n_people=n, **plan) >= power - 1e-9
    if n > 1:
        assert power_of_difference(first, first + gap, n_people=n - 1, **plan) <= power + 1e-9
    assert n == people_for_power(first + gap, first, power=power, **plan)


def test_in_the_clear_the_number_is_the_textbooks():
    z = norm.ppf(0.975) * math.sqrt(2 * 0.25 * 0.75) + norm.ppf(0.8) * math.sqrt(0.2 * 0.8 + 0.3 * 0.7)
    n = people_for_power(0.2, 0.3, power=0.8, epsilon=60.0, n_symbols=2, level=0.05)
    assert n == math.ceil((z / 0.1) ** 2)


def test_watched_ends_solve_the_mixture_equation():
    """The likelihood of an end is alpha times the mean likelihood, by quadrature over all rates."""
    grid = (np.arange(200_000) + 0.5) / 200_000
    for yes, n in ((3, 10), (40, 100), (0, 7), (50, 50)):
        lower, upper = watched_interval(yes, n, p=1.0, q=0.0, confidence=0.9)
        mean = binom.pmf(yes, n, grid).mean()
        for end, extreme in ((lower, 0.0), (upper, 1.0)):
            if end != extreme:
                assert binom.pmf(yes, n, end) == pytest.approx(0.1 * mean, rel=1e-6)


def test_watched_ends_are_decoded():
    rates = watched_interval([3, 40], [10, 100], p=1.0, q=0.0, confidence=0.9)
    for p, q in ((5 / 6, 1 / 6), (0.9, 0.4), (0.2, 0.7)):
        shares = watched_interval([3, 40], [10, 100], p=p, q=q, confidence=0.9)
        ends = np.sort([(each - q) / (p - q) for each in rates], axis=0)
        assert np.array(shares) == pytest.approx(ends, rel=1e-12)


def missed_by(n, r, alpha, margin=0.0):
    """Exact probability that one of the first n intervals excludes the rate, by its random walk."""
    alive = np.array([1.0])  # by number of yes reports
    for k in range(1, n + 1):
        alive = np.append(alive * (1 - r), 0) + np.append(0, alive * r)
        lower, upper = watched_interval(
            np.arange(k + 1), np.full(k + 1, k), p=1.0, q=0.0, confidence=1 - alpha
        )
        alive = alive * ((lower - margin <= r) & (r <= upper + margin))
    return 1 - alive.sum()


@pytest.mark.parametrize("r", [0.05, 0.3, 0.5])
def test_watched_intervals_jointly_keep_their_level(r):
    """Enumerated over 300 looks; a fixed interval of the same level misses several times as often."""
    assert 0.2 * 0.1 < missed_by(300, r, 0.2) <= 0.2


def test_fixed_intervals_miss_more_with_more_looks():
    rng, n, crowds = np.random.default_rng(1), 1500, 200
    reports = rng.random((crowds, n)) < 0.4
    looks = np.arange(100, n + 1)
    yes = reports.cumsum(axis=1)[:, 99:]
    found = yes / looks
    away = np.abs(found - 0.4) > norm.ppf(0.975) * np.sqrt(found * (1 - found) / looks)
    assert away[:, -1].mean() == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / crowds))
    assert away.any(axis=1).mean() > 0.2
    lower, upper = watched_interval(yes, np.broadcast_to(looks, yes.shape), p=1.0, q=0.0, confidence=0.95)
    assert ((lower > 0.4) | (upper < 0.4)).any(axis=1).mean() <= 0.05


def test_one_look_is_wider_than_credible_interval():
    """A sanity check: the interval is wider than the credible interval of the same level, and it shrinks."""
    looks = [(4 * k, 10 * k) for k in (1, 10, 100, 1000)]
    widths = []
    for yes, n in looks:
        lower, upper = watched_interval(yes, n, p=1.0, q=0.0, confidence=0.95)
        inner = beta_law.ppf([0.025, 0.975], yes + 1, n - yes + 1)
        assert lower < inner[0] < inner[1] < upper
        widths.append(upper - lower)
    assert all(a > b for a, b in itertools.pairwise(widths))


def test_intervals_beyond_the_shares_contradict_the_channel():
    lower, upper = watched_interval([0, 1000], [1000, 1000], p=0.75, q=0.25, confidence=0.99)
    assert upper[0] < 0
    assert lower[1] > 1


@pytest.mark.parametrize(
    ("function", "changed", "match"),
    [
        (people_needed, {"error": 0.0}, "error must"),
        (people_needed, {"error": 1e-12, "epsilon": 0.01}, "within reach of"),
        (people_needed, {"epsilon": 0.0}, "epsilon must"),
        (people_needed, {"epsilon": 400.0}, "epsilon must lie in"),
        (people_needed, {"share": 1.1}, "share must"),
        (people_needed, {"n_symbols": 1}, "n_symbols must"),
        (epsilon_needed, {"n_people": 0}, "n_people must"),
        (power_of_difference, {"second": 0.2}, "first must differ from second"),
        (power_of_difference, {"level": 0.0}, "level must"),
        (people_for_power, {"power": 1.0}, "power must"),
        (people_for_power, {"level": 5e-324}, "within reach of"),
        (watched_interval, {"p": 0.5, "q": 0.5}, "p must differ from q"),
        (watched_interval, {"n_yes": [4]}, "n_yes must"),
        (watched_interval, {"n_yes": [4, 12]}, "n_yes must"),
        (watched_interval, {"n_reports": [0, 10]}, "n_reports must"),
        (watched_interval, {"n_reports": [10.5, 10]}, "n_reports must"),
        (watched_interval, {"confidence": 1.0}, "confidence must"),
    ],
)
def test_bad_input_is_refused_by_name(function, changed, match):
    plan = {"epsilon": 1.0, "n_symbols": 2}
    groups = {"first": 0.2, "second": 0.3, "level": 0.05, **plan}
    valid = {
        people_needed: {"error": 0.05, "share": 0.3, **plan},
        epsilon_needed: {"error": 0.05, "share": 0.3, "n_people": 1000, "n_symbols": 2},
        power_of_difference: groups | {"n_people": 100},
        people_for_power: groups | {"power": 0.8},
        watched_interval: {"n_yes": [3, 4], "n_reports": [10, 10], "p": 0.8, "q": 0.2, "confidence": 0.9},
    }[function]
    function(**valid)
    with pytest.raises(ValueError, match=match):
        function(**valid | changed)
