"""Formulas of the part at the ends of their ranges; other tests check their values to 50 digits."""

import math
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given, strategies as st
from mpmath import mp

from ldpbook.whole_worker import bounds, row_epsilon, shuffle_epsilon, shuffle_epsilon_closed_form
from ldpbook.whole_worker.bounds import (
    averaging_rate,
    link_limit,
    link_rate,
    memoized_epsilon,
)

CELLS, EPSILONS, CROWDS = st.integers(1, 40), st.floats(0, 5), st.integers(1, 5000)


@given(CELLS, EPSILONS, CROWDS, st.integers(1, 9))
def test_chance_rate_limit_and_plain_bound_are_ordered(k, epsilon, n, size):
    rate = link_rate(n_cells=k, epsilon=epsilon, n_users=n, n_symbols=size + 1)
    limit = link_limit(n_cells=k, epsilon=epsilon, n_users=n)
    assert 1 / n * (1 - 1e-12) <= rate <= limit * (1 + 1e-12)
    assert limit <= 1


@pytest.mark.parametrize("n_users", [2, 3])
def test_two_symbols_give_the_largest_link_rate(n_users):
    """Two cells, each with any channel, and dependent cells of strangers: the best guess from all reports."""
    rng, closest = np.random.default_rng(71), 0.0
    for mixed in np.repeat([0, 0.1, 1], 20):
        binary = np.exp(rng.uniform(0.3, 3) * np.array([[1, 0, -9], [0, 1, -9], [0, 1, -9]]))
        other = rng.dirichlet(np.ones(3), (2, 1)) * np.exp(rng.choice([0, 2], (2, 3, 3)))
        channels = (1 - mixed) * binary / binary.sum(axis=1, keepdims=True) + mixed * (
            other / other.sum(axis=2, keepdims=True)
        )
        epsilon = np.ptp(np.log(channels), axis=1).max()
        pairs = np.einsum("ax,by->abxy", *channels).reshape(9, 9)
        hers, strangers = pairs[0], rng.dirichlet(np.full(9, 0.1)) @ pairs
        weights = np.array(list(product(hers / strangers, repeat=n_users))).max(axis=1)
        rate = weights @ np.prod(list(product(strangers, repeat=n_users)), axis=1) / n_users
        limit = link_rate(n_cells=2, epsilon=float(epsilon), n_users=n_users, n_symbols=2)
        assert rate <= limit * (1 + 1e-12)
        closest = max(closest, (rate - 1 / n_users) / (limit - 1 / n_users))
    assert closest > 0.95


@given(CELLS, EPSILONS, CROWDS, st.integers(2, 9))
def test_link_rate_falls_with_symbols_rises_with_cells(k, epsilon, n, size):
    limit = link_rate(n_cells=k, epsilon=epsilon, n_users=n, n_symbols=2)
    assert link_rate(n_cells=k, epsilon=epsilon, n_users=n, n_symbols=size + 1) <= limit * (1 + 1e-11)
    assert link_rate(n_cells=k + 1, epsilon=epsilon, n_users=n, n_symbols=2) >= limit * (1 - 1e-11)


@given(CELLS, EPSILONS, CROWDS)
def test_limit_grows_with_epsilon_and_shrinks_with_crowd(k, epsilon, n):
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
    """Two symbols: her report scores 1 with probability p, the stranger's with 1 - p."""
    p = 3 / 4
    rate = link_rate(n_cells=1, epsilon=1.0986122886681098, n_users=2, n_symbols=2)
    assert rate == pytest.approx(p * p + p * (1 - p))  # right if she scores more, and in half of the ties


def test_refusals():
    with pytest.raises(ValueError, match="n_cells"):
        link_rate(n_cells=1001, epsilon=1.0, n_users=10, n_symbols=6)
    with pytest.raises(ValueError, match="epsilon"):
        link_limit(n_cells=1, epsilon=-1.0, n_users=10)
    with pytest.raises(TypeError, match="n_users"):
        link_limit(n_cells=1, epsilon=1.0, n_users=10.5)


@pytest.mark.parametrize(("n_reports", "n_symbols"), [(1, 2), (1, 5), (3, 2), (3, 3), (4, 3)])
def test_memoized_epsilon_by_enumeration(n_reports, n_symbols):
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
    assert memoized_epsilon(**given_) == pytest.approx(exact, rel=1e-12)


def test_ends_of_repeated_reports():
    assert memoized_epsilon(permanent_epsilon=2.0, epsilon=float("inf"), n_reports=1, n_symbols=4) == 2
    assert memoized_epsilon(permanent_epsilon=2.0, epsilon=0.0, n_reports=9) == 0
    assert memoized_epsilon(permanent_epsilon=0.0, epsilon=1.0, n_reports=9) == 0
    assert memoized_epsilon(permanent_epsilon=3.0, epsilon=1.0, n_reports=100) <= 3
    both = memoized_epsilon(permanent_epsilon=1000.0, epsilon=1000.0, n_reports=1)
    assert both == pytest.approx(1000 - np.log(2), rel=1e-12)  # either of the two reports is false
    assert averaging_rate(epsilon=0.0, n_reports=7) == 0.5
    assert averaging_rate(epsilon=50.0, n_reports=7) == pytest.approx(1)
    assert averaging_rate(epsilon=1.0, n_reports=2) == pytest.approx(averaging_rate(epsilon=1.0, n_reports=1))
    assert averaging_rate(epsilon=1.0, n_reports=99_999) == 1.0
    with pytest.raises(ValueError, match="n_reports"):
        averaging_rate(epsilon=1.0, n_reports=100_001)


@pytest.mark.parametrize("epsilon", [1e-9, 0.001, 0.01, 0.03])
@pytest.mark.parametrize("n_reports", [99_999, 100_000])
def test_averaging_rate_of_many_reports(epsilon, n_reports):
    """Sum from n truths down to half of n, with 40 digits."""
    with mp.workdps(40):
        lie = mp.exp(-mp.mpf(epsilon))
        chance = (1 / (1 + lie)) ** n_reports
        truth = mp.mpf(0)
        for lies in range((n_reports + 1) // 2):
            truth += chance
            chance *= lie * (n_reports - lies) / (lies + 1)
        truth += chance / 2 if n_reports % 2 == 0 else 0
    assert averaging_rate(epsilon=epsilon, n_reports=n_reports) == pytest.approx(float(truth), rel=1e-12)


LOSS = st.floats(0, 20)


def by_counting(k, n, c, a, b):
    """Largest loss over all numbers of tasks answered by both rows, only by the first, only by the second."""
    return max(
        both * c + first * a + second * b
        for both, first, second in product(range(k + 1), repeat=3)
        if max(both + first, both + second) <= k and both + first + second <= n
    )


@given(st.integers(1, 6), st.integers(0, 8), LOSS, LOSS, LOSS)
def test_the_formula_counts_all_pairs_of_rows(k, more, c, a, b):
    found = row_epsilon(n_answers=k, n_tasks=k + more, epsilon=c, epsilon_to_null=a, epsilon_from_null=b)
    assert found == pytest.approx(by_counting(k, k + more, c, a, b), abs=1e-9)


@given(st.integers(1, 50), st.integers(0, 90), LOSS)
def test_null_as_symbol_doubles_until_all_tasks_change(k, more, c):
    found = row_epsilon(n_answers=k, n_tasks=k + more, epsilon=c, epsilon_to_null=c, epsilon_from_null=c)
    assert found == pytest.approx(min(2 * k, k + more) * c)


def test_no_loss_times_infinity():
    free = {"epsilon": 1.0, "epsilon_to_null": inf, "epsilon_from_null": 0.0}
    assert row_epsilon(n_answers=3, n_tasks=3, **free) == inf
    assert row_epsilon(n_answers=3, n_tasks=9, **free | {"epsilon_to_null": 0.0}) == 3


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("n_answers", 0, ValueError),
        ("n_answers", 1.5, TypeError),
        ("n_tasks", 3, ValueError),
        ("epsilon", -1.0, ValueError),
        ("epsilon_to_null", float("nan"), ValueError),
        ("epsilon_from_null", "1", TypeError),
    ],
)
def test_non_rows_are_refused_by_name(name, value, error):
    good = {"n_answers": 4, "n_tasks": 9, "epsilon": 1.0, "epsilon_to_null": 1.0, "epsilon_from_null": 1.0}
    with pytest.raises(error, match=name):
        row_epsilon(**good | {name: value})


@pytest.mark.parametrize("local", [0.1, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("n", [20_000, 10**6, 10**9])
def test_the_closed_form_is_never_below_the_sum(local, n):
    crowd = {"local_epsilon": local, "n_users": n, "delta": 1e-6}
    assert shuffle_epsilon(**crowd) < shuffle_epsilon_closed_form(**crowd) <= local


def test_local_epsilon_applies_beyond_the_condition():
    limit = math.log(20_000 / 16 / math.log(2e6))
    below, above = (
        shuffle_epsilon_closed_form(local_epsilon=x, n_users=20_000, delta=1e-6)
        for x in (limit - 1e-9, limit + 1e-9)
    )
    assert below < 2 < above == limit + 1e-9


@pytest.mark.parametrize(
    ("changed", "error"),
    [({"delta": 0.0}, ValueError), ({"n_users": 0}, ValueError), ({"local_epsilon": "1"}, TypeError)],
)
def test_wrong_arguments_are_refused(changed, error):
    with pytest.raises(error, match=next(iter(changed))):
        shuffle_epsilon_closed_form(**({"local_epsilon": 1.0, "n_users": 10, "delta": 0.1} | changed))


epsilons = st.floats(0.01, 4)


deltas = st.floats(1e-9, 0.5)


class TestLiars:
    def test_by_hand(self):
        at = dict(liars=0.125, epsilon=math.log(3))
        assert bounds.response_shift(**at, n_choices=2) == pytest.approx(1.5 / 8)
        assert bounds.response_shift(**at, n_choices=4) == pytest.approx(2.5 / 8)
        assert bounds.unary_shift(**at) == pytest.approx(3 / 8)
        assert bounds.liars_as_noise(epsilon=math.log(4), n_workers=100) == pytest.approx(5.0)
        assert bounds.liars_as_noise(epsilon=math.log(4), n_workers=100, n_choices=7) == pytest.approx(10 / 3)

    @given(st.floats(0, 1), st.floats(0.01, 20), st.integers(2, 50))
    def test_sending_moves_more_than_answering(self, liars, epsilon, k):
        found = bounds.response_shift(liars=liars, epsilon=epsilon, n_choices=k)
        assert found >= liars
        assert found <= bounds.response_shift(liars=liars, epsilon=epsilon, n_choices=k + 1)

    def test_threshold_shift_follows_the_slope(self):
        share, epsilon, density = 1e-6, 1.0, 0.2
        slope = math.sqrt(2 * math.pi) * (math.e + 2) / (math.e - 1) / (2 * density)
        found = bounds.threshold_shift(liars=share, epsilon=epsilon, density=density)
        assert found == pytest.approx(share * slope, rel=1e-3)
        assert bounds.threshold_shift(liars=0.0, epsilon=epsilon, density=density) == 0.0
        assert bounds.threshold_shift(liars=0.5, epsilon=epsilon, density=density) == math.inf

    @pytest.mark.parametrize("epsilon", [5e-324, 1e-310, 1.0, 1e308])
    @pytest.mark.parametrize("liars", [0.0, -0.0, 5e-324])
    def test_no_liars_move_nothing(self, liars, epsilon):
        """At the limits of floats there is no nan, no infinity and no -0.0."""
        for found in (
            bounds.response_shift(liars=liars, epsilon=epsilon, n_choices=2),
            bounds.unary_shift(liars=liars, epsilon=epsilon),
            *(bounds.threshold_shift(liars=liars, epsilon=epsilon, density=s) for s in (5e-324, 1.0)),
        ):
            assert found >= 0
            assert math.copysign(1, found) == 1
            assert found == 0 or liars > 0
        assert bounds.threshold_shift(liars=liars, epsilon=1.0, density=1.0) == pytest.approx(0.0, abs=1e-15)

    def test_bad_input(self):
        with pytest.raises(ValueError, match=r"^liars must"):
            bounds.response_shift(liars=1.1, epsilon=1.0, n_choices=2)
        with pytest.raises(ValueError, match=r"^epsilon must"):
            bounds.unary_shift(liars=0.1, epsilon=0.0)
        with pytest.raises(ValueError, match=r"^density must"):
            bounds.threshold_shift(liars=0.1, epsilon=1.0, density=0.0)
        with pytest.raises(TypeError, match=r"^n_workers must"):
            bounds.liars_as_noise(epsilon=1.0, n_workers=2.5)
