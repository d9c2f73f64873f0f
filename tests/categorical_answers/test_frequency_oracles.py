"""Variances against enumeration of all reports, 50 digits and simulated mechanisms."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from mpmath import mp, mpf

from ldpbook.categorical_answers import (
    FrequencyOracle,
    OneLayerFlip,
    k_ary_response,
    local_hashing,
    subset_selection,
    unary_encoding,
)

EPSILONS = st.floats(np.log(1e-6), np.log(15.0)).map(lambda x: min(max(float(np.exp(x)), 1e-6), 15.0))


def named(name, k, epsilon):
    return {
        "k-ary": lambda: k_ary_response(k, epsilon),
        "subset": lambda: subset_selection(k, epsilon, size=max(1, k // 3)),
        "best subset": lambda: subset_selection(k, epsilon),
        "symmetric": lambda: unary_encoding(epsilon, symmetric=True),
        "optimized": lambda: unary_encoding(epsilon),
        "hashing": lambda: local_hashing(epsilon, n_buckets=3),
    }[name]()


def reports(name, k, epsilon):
    """Distribution of reports per answer, shape (k, r), and which choices each supports, shape (r, k)."""
    e = np.exp(epsilon)
    if name in ("k-ary", "subset", "best subset"):
        size = {"k-ary": 1, "subset": max(1, k // 3)}.get(name)
        if size is None:  # the part of the sum of variances that depends on the size, minimized by trial
            size = min(range(1, k), key=lambda d: (d * e + k - d) ** 2 / (d * (k - d)))
        speaks = np.array([np.isin(range(k), each) for each in combinations(range(k), size)])
        weight = np.where(speaks.T, e, 1.0)
    elif name == "hashing":
        maps = np.array(list(product(range(3), repeat=k)))  # all functions, equally likely
        speaks = np.concatenate([maps == bucket for bucket in range(3)])
        weight = np.where(speaks.T, e, 1.0)
    else:
        p, q = (1 / (1 + np.exp(-epsilon / 2)),) * 2 if name == "symmetric" else (0.5, e / (1 + e))
        speaks = np.array(list(product((False, True), repeat=k)))
        weight = np.ones((k, len(speaks)))
        for own, choice in product(range(k), repeat=2):
            one = p if own == choice else 1 - q
            weight[own] *= np.where(speaks[:, choice], one, 1 - one)
    return weight / weight.sum(axis=1, keepdims=True), speaks.astype(float)


NAMES = ("k-ary", "subset", "best subset", "symmetric", "optimized", "hashing")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("k", "epsilon"), [(2, 0.7), (4, 0.05), (6, 1.0), (7, 3.0)])
def test_epsilon_and_supported_choices_by_enumeration(name, k, epsilon):
    law, speaks = reports(name, k, epsilon)
    seen = law.max(axis=0) / law.min(axis=0)
    assert np.log(seen.max()) == pytest.approx(epsilon)  # epsilon is not exceeded, and is attained
    oracle = named(name, k, epsilon)
    chances = law @ speaks
    np.testing.assert_allclose(np.diag(chances), oracle.own)
    np.testing.assert_allclose(chances[~np.eye(k, dtype=bool)], oracle.other)


@pytest.mark.parametrize("name", NAMES)
def test_mean_and_variance_of_three_workers_by_enumeration(name):
    k, epsilon, answers = 4, 1.3, [0, 0, 2]
    law, speaks = reports(name, k, epsilon)
    oracle = named(name, k, epsilon)
    first = speaks[:, 0].astype(int)  # only whether a report supports choice 0 matters
    chance = np.stack([law[:, first == bit].sum(axis=1) for bit in (0, 1)], axis=1)
    mean = square = 0.0
    for bits in product((0, 1), repeat=3):
        weight = np.prod([chance[x, bit] for x, bit in zip(answers, bits, strict=True)])
        found = float(oracle.estimate(sum(bits), 3))
        mean, square = mean + weight * found, square + weight * found**2
    assert mean == pytest.approx(2 / 3)
    assert square - mean**2 == pytest.approx(float(oracle.variance(2 / 3, 3)))


@pytest.mark.parametrize("name", NAMES)
def test_simulated_variance_at_rare_and_frequent_choices(name):
    rng, n, k, trials = np.random.default_rng(17), 300, 5, 4000
    law, speaks = reports(name, k, 1.0)
    oracle, counts = named(name, k, 1.0), np.array([0, 15, 45, 60, 180])
    spoken = sum(rng.multinomial(m, row, trials) @ speaks for m, row in zip(counts, law, strict=True))
    found = oracle.estimate(spoken, n)
    expected = oracle.variance(counts / n, n)
    error = np.sqrt(expected / trials)
    assert (np.abs(found.mean(axis=0) - counts / n) < 4.5 * error).all()
    assert (np.abs(found.var(axis=0) / expected - 1) < 4.5 * np.sqrt(2 / trials)).all()


@given(EPSILONS, st.integers(2, 5000), st.floats(0, 1))
@settings(deadline=None)
def test_closed_forms_in_fifty_digits(epsilon, k, f):
    with mp.workdps(50):
        e, x = mp.exp(mpf(epsilon)), mpf(f)
        a = mp.exp(mpf(epsilon) / 2)
        closed = {
            "k-ary": (e + k - 2) / (e - 1) ** 2 + x * (k - 2) / (e - 1),
            "optimized": 4 * e / (e - 1) ** 2 + x,
            "symmetric": a / (a - 1) ** 2,
        }
        p, q = e / (e + 2), mpf(1) / 3
        closed["hashing"] = (x * p * (1 - p) + (1 - x) * q * (1 - q)) / (p - q) ** 2
        for name, value in closed.items():
            found = float(named(name, k, epsilon).variance(f, 1))
            assert abs(found / value - 1) < 1e-8 / min(1, epsilon * 10), name


@given(EPSILONS, st.integers(2, 400))
@settings(deadline=None, max_examples=50)
def test_subset_size_and_number_of_buckets_are_optimal(epsilon, k):
    """Optimal for the sum of variances of all choices, whose frequencies sum to 1, and for a rare choice."""

    def total(oracle):
        rare, often = oracle.variance([0.0, 1.0], 1)
        return (k - 1) * rare + often

    best = total(subset_selection(k, epsilon))
    sizes = {1, 2, k // 3, k // 2, k - 1, round(k / (np.exp(epsilon) + 1))}
    slack = 1 + 1e-8 / min(1, 10 * epsilon)
    assert all(best <= total(subset_selection(k, epsilon, size=d)) * slack for d in sizes if 0 < d < k)
    assert best <= total(unary_encoding(epsilon)) * slack
    with mp.workdps(50):
        e = mp.exp(mpf(epsilon))
        d = min(range(1, k), key=lambda d: (e * d + k - d) ** 2 / (d * (k - d)))
        least = (k - 1) ** 2 * (e * d + k - d) ** 2 / (k * d * (k - d) * (e - 1) ** 2) - mpf(k - 1) / k
        assert abs(best - least) <= 1e-8 / min(1, epsilon * 10) * (least + k / (e - 1) ** 2)
    if epsilon < 8:
        rare = local_hashing(epsilon).variance(0.0, 1)
        near = int(np.exp(epsilon)) + np.arange(-3, 5)
        assert all(
            rare <= local_hashing(epsilon, n_buckets=int(g)).variance(0.0, 1) * slack for g in near if g > 1
        )


def test_best_number_of_buckets_is_not_the_nearest():
    """u + 1 and u + 2 buckets are equally good where e^(2 epsilon) is u^2 + u, just below (u + 1/2)^2."""
    assert local_hashing(float(np.log(1.45))).other == pytest.approx(1 / 3)
    assert local_hashing(float(np.log(1.41))).other == pytest.approx(1 / 2)


@pytest.mark.filterwarnings("error")
def test_smallest_probabilities_give_finite_estimates_and_variances():
    for other in (0.0, np.nextafter(1e-100, 0)):
        oracle = FrequencyOracle(1e-100, other)
        assert np.isfinite(oracle.estimate([0, 7], 7)).all()
        assert np.isfinite(oracle.variance([0.0, 0.5, 1.0], 1)).all()
    assert FrequencyOracle(1e-100, 0.0).variance(0.5, 1) == pytest.approx(0.5e100)


def test_k_ary_response_is_the_one_layer_flip():
    for k, epsilon in [(2, 0.5), (5, 2.0)]:
        matrix = OneLayerFlip(epsilon, k).transition_matrix
        oracle = k_ary_response(k, epsilon)
        np.testing.assert_allclose(matrix[0, :2], [oracle.own, oracle.other])


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: FrequencyOracle(0.5, 0.5), "other"),
        (lambda: FrequencyOracle(1.5, 0.5), "own"),
        (lambda: FrequencyOracle(1e-101, 0.0), "own"),
        (lambda: k_ary_response(1, 1.0), "n_choices"),
        (lambda: k_ary_response(3, 0.0), "epsilon"),
        (lambda: unary_encoding(15.1), "epsilon"),
        (lambda: unary_encoding(1.0, symmetric=1), "symmetric"),
        (lambda: local_hashing(1.0, n_buckets=1), "n_buckets"),
        (lambda: subset_selection(3, 1.0, size=3), "size"),
        (lambda: FrequencyOracle(0.5, 0.2).variance(1.1, 3), "frequency"),
        (lambda: FrequencyOracle(0.5, 0.2).estimate([4], 3), "supports"),
        (lambda: FrequencyOracle(0.5, 0.2).estimate([2], 0), "n_reports"),
    ],
)
def test_bad_input_is_refused(call, name):
    with pytest.raises((ValueError, TypeError), match=name):
        call()
