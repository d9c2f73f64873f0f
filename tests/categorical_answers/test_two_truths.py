"""Chernoff information to 50 digits; the best channel against its dual, others and small epsilon."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from mpmath import mp, mpf
from scipy.optimize import linprog

from ldpbook.categorical_answers import best_chernoff, chernoff_information


def careful(k, accuracy):
    """Distributions of an answer if choice 0 or choice 1 is true."""
    laws = np.full((2, k), (1 - accuracy) / (k - 1))
    np.fill_diagonal(laws, accuracy)
    return laws


def drawn_laws(seed, k):
    return np.random.default_rng(seed).dirichlet(np.ones(k), 2)


def drawn_channel(rng, k, epsilon):
    """A channel with this epsilon: the mean of two that are optimal for random costs."""
    columns = np.exp(epsilon * np.array(list(product((0, 1), repeat=k)))).T
    found = [linprog(rng.exponential(size=2**k), A_eq=columns, b_eq=np.ones(k)).x for _ in range(2)]
    return columns * np.mean(found, axis=0)


@given(st.integers(0, 10**6), st.integers(2, 6))
@settings(deadline=None, max_examples=40)
def test_information_in_fifty_digits(seed, k):
    p, q = drawn_laws(seed, k)
    with mp.workdps(50):
        logs = [(mp.log(mpf(float(a))), mp.log(mpf(float(b)))) for a, b in zip(p, q, strict=True)]

        def slope(x):
            return mp.fsum(mp.exp(x * a + (1 - x) * b) * (a - b) for a, b in logs)

        x = mp.findroot(slope, (mpf("0.001"), mpf("0.999")), solver="anderson", tol=1e-25, verify=False)
        exact = -mp.log(mp.fsum(mp.exp(x * a + (1 - x) * b) for a, b in logs))
    assert chernoff_information(p, q) == pytest.approx(float(exact), rel=1e-9, abs=1e-14)
    assert chernoff_information(q, p) == pytest.approx(float(exact), rel=1e-9, abs=1e-14)


def test_information_at_the_ends():
    assert chernoff_information([1, 0], [0, 1]) == np.inf
    assert chernoff_information([0.3, 0.7], [0.3, 0.7]) == 0
    # One symbol decides, so only its absence leaves an error: -ln(1 - 0.4).
    assert chernoff_information([1, 0], [0.6, 0.4]) == pytest.approx(-np.log(0.6), rel=1e-12)


def test_errors_fall_at_rate_and_respect_bound():
    """The exact error of n binary reports, by the binomial distribution."""
    from scipy.stats import binom

    p, q = 0.7, 0.45
    rate = chernoff_information([p, 1 - p], [q, 1 - q])
    sizes = np.array([1, 3, 10, 100, 1000, 4000])
    errors = [
        np.minimum(binom.pmf(range(n + 1), n, p), binom.pmf(range(n + 1), n, q)).sum() / 2 for n in sizes
    ]
    assert (errors <= np.exp(-sizes * rate) / 2).all()
    slopes = -np.diff(np.log(errors)) / np.diff(sizes)
    assert slopes[-1] == pytest.approx(rate, rel=0.01)


@pytest.mark.parametrize(("seed", "k", "epsilon"), [(1, 2, 0.3), (2, 3, 1.0), (3, 5, 2.0), (4, 4, 4.0)])
def test_no_channel_beats_the_best(seed, k, epsilon):
    p, q = drawn_laws(seed, k)
    best = best_chernoff(p, q, epsilon=epsilon)
    matrix = best.transition_matrix
    np.testing.assert_allclose(matrix.sum(axis=1), 1)
    assert np.log((matrix.max(axis=0) / matrix.min(axis=0)).max()) == pytest.approx(epsilon)
    assert chernoff_information(p @ matrix, q @ matrix) == pytest.approx(best.information, rel=1e-9)
    rng = np.random.default_rng(seed)
    for _ in range(60):
        other = drawn_channel(rng, k, epsilon)
        np.testing.assert_allclose(other.sum(axis=1), 1)
        assert chernoff_information(p @ other, q @ other) <= best.information * (1 + 1e-9)


@pytest.mark.parametrize(("k", "accuracy", "epsilon"), [(4, 0.9, 1.0), (4, 0.9, 3.0), (6, 0.6, 2.0)])
def test_independent_dual_solution_proves_docstring_bound(k, accuracy, epsilon):
    """Multipliers of another solver, raised until feasible for every pattern, bound all channels."""
    p, q = careful(k, accuracy)
    columns = np.exp(epsilon * np.array(list(product((0, 1), repeat=k))))
    a, b = columns @ p, columns @ q
    most = 0.0
    for x in (np.arange(64) + 0.5) / 64:
        values = x * a + (1 - x) * b - a**x * b ** (1 - x)
        found = linprog(np.ones(k), A_ub=-columns, b_ub=-values, bounds=(None, None), method="highs-ipm")
        lifted = found.x + max(0.0, ((values - columns @ found.x) / columns.sum(axis=1)).max())
        most = max(most, -np.log1p(-lifted.sum()))
    best = best_chernoff(p, q, epsilon=epsilon).information
    assert best <= most + epsilon**2 / 32768
    assert best >= most * (1 - 1e-7)


def test_two_choices_by_randomized_response():
    p, q = careful(2, 0.8)
    for epsilon in (0.001, 0.5, 5.0, 30.0):
        keep = 1 / (1 + np.exp(-epsilon))
        x = 0.8 * keep + 0.2 * (1 - keep)
        best = best_chernoff(p, q, epsilon=epsilon)
        assert best.information == pytest.approx(-np.log(2 * np.sqrt(x * (1 - x))), rel=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("apart", [2e-6, 1e-4, 0.01])
@pytest.mark.parametrize("epsilon", [0.001, 0.1, 30.0])
def test_nearly_equal_distributions(apart, epsilon):
    """For two choices randomized response is best; as one minus the sum, a small result loses all digits."""
    p = 0.5 + apart
    with mp.workdps(50):
        x = (mp.exp(mpf(epsilon)) * mpf(p) + 1 - mpf(p)) / (mp.exp(mpf(epsilon)) + 1)
        exponent = mp.log(mp.log(2 * (1 - x)) / -mp.log(2 * x)) / mp.log(x / (1 - x))  # zero of B'
        exact = float(-mp.log((x**exponent + (1 - x) ** exponent) / mpf(2) ** (1 - exponent)))
    best = best_chernoff([p, 1 - p], [0.5, 0.5], epsilon=epsilon)
    assert best.information == pytest.approx(exact, rel=1e-7, abs=0)
    assert best.exponent == pytest.approx(float(exponent), abs=1e-4)


@given(st.integers(0, 1000), st.integers(2, 6))
@settings(deadline=None, max_examples=15)
def test_small_epsilon(seed, k):
    p, q = drawn_laws(seed, k)
    distance = np.abs(p - q).sum() / 2
    best = best_chernoff(p, q, epsilon=0.001).information
    assert best == pytest.approx((0.001 * distance) ** 2 / 8, rel=2e-3)


def test_symbols_with_the_same_ratio_may_be_merged():
    p, q = careful(7, 0.7)
    merged = [np.array([law[0], law[1], law[2:].sum()]) for law in (p, q)]
    for epsilon in (0.5, 2.0, 4.0):
        wide = best_chernoff(p, q, epsilon=epsilon).information
        assert best_chernoff(*merged, epsilon=epsilon).information == pytest.approx(wide, rel=1e-8)


@pytest.mark.parametrize(
    ("first", "second", "epsilon", "name"),
    [
        ([0.5, 0.6], [0.5, 0.5], 1.0, "first"),
        ([1e308, 1e308], [0.5, 0.5], 1.0, "first"),  # their sum is not a number
        ([0.5, np.nan], [0.5, 0.5], 1.0, "first"),
        ([0.5, 0.5], [0.5, 0.2, 0.3], 1.0, "second"),
        ([0.5, 0.5], [0.5, 0.5], 1.0, "second"),
        ([0.5, 0.5], [0.2, 0.8], 31.0, "epsilon"),
        (np.full(11, 1 / 11), np.full(11, 1 / 11), 1.0, "first"),
    ],
)
def test_bad_input_is_refused(first, second, epsilon, name):
    with pytest.raises(ValueError, match=name):
        best_chernoff(first, second, epsilon=epsilon)


def test_a_fraction_is_an_epsilon():
    third = best_chernoff([0.8, 0.2], [0.2, 0.8], epsilon=Fraction(1, 3))
    assert third.information == best_chernoff([0.8, 0.2], [0.2, 0.8], epsilon=1 / 3).information
