"""The joint loss of many cells: by hand, by enumeration, against the library, at the ends."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ldpbook.class_ratios.bounds import composed_delta, composed_epsilon
from ldpbook.sparse_answers import RandomizedResponse
from ldpbook.whole_worker import (
    advanced_epsilon,
    response_delta,
    response_epsilon,
)

epsilons = st.floats(0.01, 4)
deltas = st.floats(1e-9, 0.5)


class TestResponses:
    def test_by_hand(self):
        at = dict(epsilon=math.log(2), n_cells=2, total=math.log(2))
        assert response_delta(**at, n_symbols=3) == pytest.approx(1 / 8)
        assert response_delta(**at, n_symbols=2) == pytest.approx(2 / 9)

    @given(epsilons, st.integers(1, 60), deltas)
    def test_two_symbols_are_the_composition_of_any_mechanism(self, epsilon, k, delta):
        found = response_epsilon(epsilon=epsilon, n_cells=k, n_symbols=2, delta=delta)
        known = composed_epsilon(epsilon=epsilon, n_releases=k, delta=delta)
        assert found == pytest.approx(known, rel=1e-9, abs=1e-9)

    @given(epsilons, st.integers(1, 25), st.integers(2, 12), st.floats(0, 1))
    def test_a_mean_over_how_many_speak(self, epsilon, k, s, part):
        total, speaks = part * k * epsilon, (math.exp(epsilon) + 1) / (math.exp(epsilon) + s - 1)
        by_bits = math.fsum(
            math.comb(k, j)
            * speaks**j
            * (1 - speaks) ** (k - j)
            * composed_delta(epsilon=epsilon, n_releases=j, total=total)
            for j in range(1, k + 1)
        )
        found = response_delta(epsilon=epsilon, n_cells=k, n_symbols=s, total=total)
        assert found == pytest.approx(by_bits, rel=1e-7, abs=1e-13)

    @given(epsilons, st.integers(1, 40), st.integers(2, 12), deltas)
    def test_more_cells_cost_more_and_more_symbols_less(self, epsilon, k, s, delta):
        at = dict(epsilon=epsilon, delta=delta)
        here = response_epsilon(**at, n_cells=k, n_symbols=s)
        assert here <= response_epsilon(**at, n_cells=k + 1, n_symbols=s) + 1e-9
        assert here >= response_epsilon(**at, n_cells=k, n_symbols=s + 1) - 1e-9
        assert here <= k * epsilon

    @given(epsilons, st.integers(1, 40), st.integers(2, 12), deltas)
    def test_epsilon_meets_its_delta(self, epsilon, k, s, delta):
        at = dict(epsilon=epsilon, n_cells=k, n_symbols=s)
        total = response_epsilon(**at, delta=delta)
        assert response_delta(**at, total=total) <= delta * (1 + 1e-9) + 1e-15

    def test_the_mechanism_itself(self):
        """Loss of the package's own reports on two rows of nine cells, all 1 and all NULL."""
        rng, n = np.random.default_rng(19), 200_000
        reports = RandomizedResponse(0.7, range(3)).perturb(np.ones((n, 9)), rng)
        loss = 0.7 * ((reports == 1).sum(axis=1) - np.isnan(reports).sum(axis=1))
        over = np.maximum(0, 1 - np.exp(1.5 - loss))
        exact = response_delta(epsilon=0.7, n_cells=9, n_symbols=4, total=1.5)
        assert abs(over.mean() - exact) < 4 * over.std() / n**0.5

    def test_extremes(self):
        at = dict(n_cells=3, n_symbols=4)
        assert response_epsilon(epsilon=1.0, delta=0.0, **at) == 3.0
        assert response_epsilon(epsilon=0.0, delta=1e-9, **at) == 0.0
        assert response_delta(epsilon=1.0, total=3.0, **at) == 0.0
        assert response_delta(epsilon=1e6, total=0.0, **at) == pytest.approx(1.0)
        assert response_epsilon(epsilon=800.0, n_cells=3, n_symbols=2, delta=0.5) == pytest.approx(
            2400 - math.log(2)
        )

    @pytest.mark.parametrize("n_symbols", [2, 6])
    @pytest.mark.parametrize(("epsilon", "k"), [(1e308, 4), (1e307, 44), (1e306, 2000), (1.7e308, 2)])
    def test_overflowing_sum_gives_no_small_epsilon(self, epsilon, k, n_symbols):
        at = dict(epsilon=epsilon, n_cells=k, n_symbols=n_symbols)
        assert response_epsilon(**at, delta=1e-6) == math.inf
        assert response_delta(**at, total=5.0) == pytest.approx(1.0)

    @given(st.floats(300, 308), st.integers(1, 44), st.integers(2, 12), deltas)
    def test_huge_epsilon_saves_almost_nothing(self, power, k, s, delta):
        epsilon = 10**power
        found = response_epsilon(epsilon=epsilon, n_cells=k, n_symbols=s, delta=delta)
        assert found >= k * epsilon * (1 - 1e-9)

    def test_a_cell_asked_twice_counts_twice(self):
        """Two rows that differ in one cell, all four outputs of its two reports at e^epsilon = 2."""
        first, second = np.outer([2, 1], [2, 1]) / 9, np.outer([1, 2], [1, 2]) / 9
        exact = np.maximum(0, first - 2 * second).sum()
        at = dict(epsilon=math.log(2), n_symbols=2, total=math.log(2))
        assert exact == pytest.approx(2 / 9)
        assert response_delta(**at, n_cells=2) == pytest.approx(exact)
        assert response_delta(**at, n_cells=1) == pytest.approx(0, abs=1e-15)

    def test_grid_library_is_above_by_under_one_step(self):
        pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
        for epsilon, k, s in [(0.1, 60, 6), (0.5, 44, 3), (1.0, 22, 2)]:
            exact = response_epsilon(epsilon=epsilon, n_cells=k, n_symbols=s, delta=1e-6)
            redrawn = s / (math.exp(epsilon) + s - 1)
            once = pld.from_randomized_response(redrawn, s, value_discretization_interval=1e-3)
            found = once.self_compose(k).get_epsilon_for_delta(1e-6)
            assert -1e-6 <= found - exact <= k * 1e-3 + 1e-6


class TestAdvanced:
    def test_by_hand(self):
        spread = 0.1 * math.sqrt(2 * 100 * math.log(1e6))
        found = advanced_epsilon(epsilon=0.1, n_cells=100, delta=1e-6)
        assert found == pytest.approx(10 * math.tanh(0.05) + spread)
        assert advanced_epsilon(epsilon=1.0, n_cells=44, delta=1e-6) == 44.0

    @given(epsilons, st.integers(1, 60), deltas)
    def test_is_an_upper_bound_below_the_printed_one(self, epsilon, k, delta):
        at = dict(epsilon=epsilon, delta=delta)
        found = advanced_epsilon(**at, n_cells=k)
        assert found >= composed_epsilon(**at, n_releases=k) * (1 - 1e-9)
        printed = k * epsilon * math.expm1(epsilon) + epsilon * math.sqrt(2 * k * math.log(1 / delta))
        assert found <= printed * (1 + 1e-12)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("epsilon", -1.0, ValueError),
        ("epsilon", math.inf, ValueError),
        ("n_cells", 0, ValueError),
        ("n_cells", 2001, ValueError),
        ("n_cells", 2.5, TypeError),
        ("n_symbols", 1, ValueError),
        ("delta", 1.0, ValueError),
        ("delta", "a", TypeError),
    ],
)
def test_bad_input(name, value, error):
    good = dict(epsilon=1.0, n_cells=3, n_symbols=3, delta=0.1)
    with pytest.raises(error, match=f"^{name} must"):
        response_epsilon(**good | {name: value})
