"""Formulas of the part: what they do at the ends of their ranges; their values are tried with 50 digits
elsewhere."""

import pytest
from hypothesis import given, strategies as st

from ldpbook.whole_worker.bounds import link_limit, link_rate

CELLS, EPSILONS, CROWDS = st.integers(1, 40), st.floats(0, 5), st.integers(1, 5000)


@given(CELLS, EPSILONS, CROWDS, st.integers(1, 9))
def test_chance_rate_limit_and_the_plain_bound_in_that_order(k, epsilon, n, size):
    rate = link_rate(n_cells=k, epsilon=epsilon, n_users=n, domain=size)
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
    assert link_rate(n_cells=3, epsilon=0.0, n_users=10, domain=5) == pytest.approx(0.1)
    assert link_limit(n_cells=10, epsilon=100.0, n_users=10) == 1
    assert link_rate(n_cells=10, epsilon=100.0, n_users=10, domain=5) == pytest.approx(1)
    assert link_rate(n_cells=4, epsilon=1.0, n_users=1, domain=5) == pytest.approx(1)


def test_a_cell_and_two_users_by_hand():
    """With domain 1 it is binary: her report scores 1 with p, the stranger's with 1 - p."""
    p = 3 / 4
    rate = link_rate(n_cells=1, epsilon=1.0986122886681098, n_users=2, domain=1)
    assert rate == pytest.approx(p * p + p * (1 - p))  # right if she scores more, half of the ties


def test_refusals():
    with pytest.raises(ValueError, match="n_cells"):
        link_rate(n_cells=1001, epsilon=1.0, n_users=10, domain=5)
    with pytest.raises(ValueError, match="epsilon"):
        link_limit(n_cells=1, epsilon=-1.0, n_users=10)
    with pytest.raises(TypeError, match="n_users"):
        link_limit(n_cells=1, epsilon=1.0, n_users=10.5)
