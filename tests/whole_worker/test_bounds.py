"""Formulas of the part: what they do at the ends of their ranges; their values are tried with 50 digits
elsewhere."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ldpbook.whole_worker.bounds import averaging_rate, link_limit, link_rate, memoised_epsilon

CELLS, EPSILONS, CROWDS = st.integers(1, 40), st.floats(0, 5), st.integers(1, 5000)


@given(CELLS, EPSILONS, CROWDS, st.integers(1, 9))
def test_chance_rate_limit_and_the_plain_bound_in_that_order(k, epsilon, n, size):
    rate = link_rate(n_cells=k, epsilon=epsilon, n_users=n, n_symbols=size + 1)
    limit = link_limit(n_cells=k, epsilon=epsilon, n_users=n)
    assert 1 / n * (1 - 1e-12) <= rate <= limit * (1 + 1e-12)
    assert limit <= 1


@given(CELLS, EPSILONS, CROWDS)
def test_the_limit_grows_with_epsilon_and_falls_with_the_crowd(k, epsilon, n):
    here = link_limit(n_cells=k, epsilon=epsilon, n_users=n)
    assert link_limit(n_cells=k, epsilon=epsilon * 1.01, n_users=n) >= here * (1 - 1e-13)
    assert link_limit(n_cells=k, epsilon=epsilon, n_users=n + 1) <= here * (1 + 1e-13)


def test_ends():
    assert link_limit(n_cells=1, epsilon=0.0, n_users=10) == pytest.approx(0.1)
    assert link_rate(n_cells=3, epsilon=0.0, n_users=10, n_symbols=6) == pytest.approx(0.1)
    assert link_limit(n_cells=10, epsilon=100.0, n_users=10) == 1
    assert link_rate(n_cells=10, epsilon=100.0, n_users=10, n_symbols=6) == pytest.approx(1)
    assert link_rate(n_cells=4, epsilon=1.0, n_users=1, n_symbols=6) == pytest.approx(1)


def test_a_cell_and_two_users_by_hand():
    """With domain 1 it is binary: her report scores 1 with p, the stranger's with 1 - p."""
    p = 3 / 4
    rate = link_rate(n_cells=1, epsilon=1.0986122886681098, n_users=2, n_symbols=2)
    assert rate == pytest.approx(p * p + p * (1 - p))  # right if she scores more, half of the ties


def test_refusals():
    with pytest.raises(ValueError, match="n_cells"):
        link_rate(n_cells=1001, epsilon=1.0, n_users=10, n_symbols=6)
    with pytest.raises(ValueError, match="epsilon"):
        link_limit(n_cells=1, epsilon=-1.0, n_users=10)
    with pytest.raises(TypeError, match="n_users"):
        link_limit(n_cells=1, epsilon=1.0, n_users=10.5)


@pytest.mark.parametrize(("n_reports", "n_symbols"), [(1, 2), (1, 5), (3, 2), (3, 3), (4, 3)])
def test_memoised_epsilon_by_enumeration(n_reports, n_symbols):
    """All outputs, all permanent answers, all pairs of symbols."""

    def response(epsilon):
        matrix = np.ones((n_symbols, n_symbols)) + np.expm1(epsilon) * np.eye(n_symbols)
        return matrix / matrix[0].sum()

    once, each = response(1.7), response(0.6)
    outputs = np.array(list(product(range(n_symbols), repeat=n_reports)))
    chances = once @ each[:, outputs].prod(axis=2)  # of each output for each symbol
    assert np.allclose(chances.sum(axis=1), 1)
    exact = np.log(chances.max(axis=0) / chances.min(axis=0)).max()
    given_ = {"permanent_epsilon": 1.7, "epsilon": 0.6, "n_reports": n_reports, "n_symbols": n_symbols}
    assert memoised_epsilon(**given_) == pytest.approx(exact, rel=1e-12)


def test_ends_of_repeated_reports():
    assert memoised_epsilon(permanent_epsilon=2.0, epsilon=float("inf"), n_reports=1, n_symbols=4) == 2
    assert memoised_epsilon(permanent_epsilon=2.0, epsilon=0.0, n_reports=9) == 0
    assert memoised_epsilon(permanent_epsilon=0.0, epsilon=1.0, n_reports=9) == 0
    assert memoised_epsilon(permanent_epsilon=3.0, epsilon=1.0, n_reports=100) <= 3
    both = memoised_epsilon(permanent_epsilon=1000.0, epsilon=1000.0, n_reports=1)
    assert both == pytest.approx(1000 - np.log(2), rel=1e-12)  # either of the two lies
    assert averaging_rate(epsilon=0.0, n_reports=7) == 0.5
    assert averaging_rate(epsilon=50.0, n_reports=7) == pytest.approx(1)
    assert averaging_rate(epsilon=1.0, n_reports=2) == pytest.approx(averaging_rate(epsilon=1.0, n_reports=1))
    with pytest.raises(ValueError, match="n_reports"):
        averaging_rate(epsilon=1.0, n_reports=100_001)
