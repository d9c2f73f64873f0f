"""The exact loss of discrete distributions and of Gaussian noise."""

from math import inf, log

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from ldpbook.foundations.local_privacy import (
    discrete_epsilon,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sigma,
)
from ldpbook.localization.bounds import location_epsilon, location_sigma

nan = np.nan


@given(st.integers(2, 5), st.integers(2, 5), st.integers(0, 1000))
def test_discrete_epsilon_is_the_worst_ratio(inputs, outputs, seed):
    p = np.random.default_rng(seed).dirichlet(np.ones(outputs), size=inputs)
    worst = max(log(p[i, y] / p[j, y]) for i in range(inputs) for j in range(inputs) for y in range(outputs))
    assert discrete_epsilon(p) == pytest.approx(worst)


def test_discrete_epsilon_edges():
    assert discrete_epsilon([[1, 0], [0.5, 0.5]]) == inf
    assert discrete_epsilon([[1, 0], [1, 0]]) == 0  # an output that never occurs reveals nothing
    assert discrete_epsilon([[1.0]]) == 0


@pytest.mark.parametrize("matrix", [[], [0.5, 0.5], [[0.5, 0.6]], [[-0.5, 1.5]], [[nan, 1]]])
def test_discrete_epsilon_refuses(matrix):
    with pytest.raises(ValueError, match=r"^transition_matrix "):
        discrete_epsilon(matrix)


def test_rows_must_sum_to_one_closely():
    with pytest.raises(ValueError, match=r"^transition_matrix must have rows of sum 1"):
        discrete_epsilon([[0.5, 0.5 + 1e-7], [0.5, 0.5]])
    assert discrete_epsilon([[0.5, 0.5 + 1e-12], [0.5, 0.5]]) == pytest.approx(0, abs=1e-9)


class TestGaussian:
    @given(st.floats(0.05, 8), st.floats(0, 10))
    def test_delta_is_the_integral_over_the_better_outputs(self, ratio, epsilon):
        """The integral of one input's density minus e^epsilon times the other's, where positive."""
        start = epsilon / ratio + ratio / 2  # where the ratio of densities is e^epsilon
        area = quad(
            lambda x: norm.pdf(x - ratio) - np.exp(epsilon) * norm.pdf(x), start, start + 40, epsabs=1e-13
        )[0]
        assert gaussian_delta(sigma=1, distance=ratio, epsilon=epsilon) == pytest.approx(area, abs=1e-10)

    def test_specification(self):
        for sigma, exact in [(1, 4.377), (2, 1.993)]:
            found = gaussian_epsilon(sigma=sigma, distance=1, delta=1e-5)
            assert found == pytest.approx(exact, abs=5e-4)

    @given(st.floats(0.01, 30), st.floats(1e-15, 0.4))
    def test_epsilon_inverts_delta_and_is_below_printed(self, ratio, delta):
        found = gaussian_epsilon(sigma=2, distance=2 * ratio, delta=delta)
        assert found <= location_epsilon(sigma=1, distance=ratio, delta=delta)
        if found > 1e-6:
            assert gaussian_delta(sigma=1, distance=ratio, epsilon=found) == pytest.approx(delta, rel=1e-6)
        else:
            assert gaussian_delta(sigma=1, distance=ratio, epsilon=1e-6) <= delta * (1 + 1e-6)

    @given(st.floats(1e-4, 50), st.floats(0.01, 1000), st.floats(1e-15, 0.4))
    def test_sigma_inverts_epsilon(self, epsilon, distance, delta):
        sigma = gaussian_sigma(epsilon=epsilon, distance=distance, delta=delta)
        assert gaussian_epsilon(sigma=sigma, distance=distance, delta=delta) == pytest.approx(
            epsilon, rel=1e-6, abs=1e-9
        )
        assert sigma <= location_sigma(epsilon=epsilon, distance=distance, delta=delta)

    def test_ends(self):
        assert gaussian_delta(sigma=1, distance=0, epsilon=0) == 0
        assert gaussian_epsilon(sigma=1, distance=0, delta=1e-9) == 0
        assert gaussian_epsilon(sigma=1e9, distance=1, delta=1e-3) == 0
        assert 0 < gaussian_delta(sigma=1, distance=0.1, epsilon=50) < 1e-300
        huge = gaussian_epsilon(sigma=0.01, distance=100, delta=1e-5)
        assert huge == pytest.approx(location_epsilon(sigma=0.01, distance=100, delta=1e-5), rel=1e-3)

    @pytest.mark.parametrize(
        ("name", "value"),
        [("sigma", 0), ("distance", -1), ("distance", np.nan), ("delta", 0), ("delta", 1), ("epsilon", -1)],
    )
    def test_bad_input(self, name, value):
        good = {"sigma": 1.0, "distance": 1.0, "delta": 0.1, "epsilon": 1.0} | {name: value}
        for function, left_out in [
            (gaussian_delta, "delta"),
            (gaussian_epsilon, "epsilon"),
            (gaussian_sigma, "sigma"),
        ]:
            if name != left_out:
                with pytest.raises(ValueError, match=rf"^{name} must"):
                    function(**{key: v for key, v in good.items() if key != left_out})
