"""Belief propagation on a grid: against enumeration and particles on the same cells, and in limits."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ldpbook.localization.belief_propagation import belief_means, grid_beliefs, grid_places
from ldpbook.localization.particles import normalize, sum_product_update


def network(rng, n, share):
    place = rng.uniform(0, 24, (n, 2))
    apart = np.sqrt(((place[:, None] - place) ** 2).sum(axis=-1)) + rng.normal(0, 2, (n, n))
    upper = np.triu(rng.random((n, n)) < share, 1)
    measured = np.where(upper, apart, 0)
    return np.where(upper | upper.T, measured + measured.T, np.nan)


def test_places():
    assert grid_places(3, side=6)[1].tolist() == [[3, 1], [3, 3], [3, 5]]


def test_a_chain_by_enumeration():
    """Three users in a row, sixteen cells each: the posterior is a sum over all 4,096 choices."""
    rng = np.random.default_rng(0)
    priors = rng.normal(0, 1, (3, 4, 4))
    measured = np.full((3, 3), np.nan)
    measured[0, 1] = measured[1, 0] = 9.0
    measured[1, 2] = measured[2, 1] = 5.0
    cells = grid_places(4, side=16).reshape(-1, 2)
    logs = priors.reshape(3, 16)
    exact = np.zeros((3, 16))
    for choice in product(range(16), repeat=3):
        a, b, c = cells[list(choice)]
        misfit = ((np.hypot(*(a - b)) - 9) ** 2 + (np.hypot(*(b - c)) - 5) ** 2) / (2 * 3.0**2)
        weight = np.exp(sum(logs[i, r] for i, r in enumerate(choice)) - misfit)
        for i, r in enumerate(choice):
            exact[i, r] += weight
    exact /= exact.sum(axis=1, keepdims=True)
    found = grid_beliefs(priors, measured, side=16, sigma=3.0, n_rounds=2)
    np.testing.assert_allclose(found.reshape(3, 16), exact, rtol=0, atol=1e-10)
    hasty = grid_beliefs(priors, measured, side=16, sigma=3.0, n_rounds=1)
    assert np.abs(hasty.reshape(3, 16)[0] - exact[0]).max() > 1e-3  # the far end is two hops away


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(2, 12))
def test_belief_propagation_is_sum_product_on_all_cells(seed, n_rounds, size):
    rng = np.random.default_rng(seed)
    measured, logs = network(rng, 5, 0.7), normalize(rng.normal(0, 1, (5, size * size)))
    cells = np.repeat(grid_places(size, side=24).reshape(1, -1, 2), 5, axis=0)
    sigma = 12 / size + 1
    by_particles = np.exp(sum_product_update(cells, logs, measured, sigma=sigma, n_rounds=n_rounds))
    found = grid_beliefs(logs.reshape(5, size, size), measured, side=24, sigma=sigma, n_rounds=n_rounds)
    np.testing.assert_allclose(found.reshape(5, -1), by_particles, rtol=0, atol=1e-8)


def test_no_measurements_and_impossible_cells():
    logs = np.log(np.random.default_rng(1).dirichlet(np.ones(9), 2)).reshape(2, 3, 3)
    logs[0, 0] = -np.inf
    found = grid_beliefs(logs, np.full((2, 2), np.nan), side=3, sigma=1, n_rounds=3)
    np.testing.assert_allclose(found, np.exp(logs) / np.exp(logs).sum(axis=(1, 2), keepdims=True))
    measured = [[np.nan, 1.0], [1.0, np.nan]]
    assert (grid_beliefs(logs, measured, side=3, sigma=1, n_rounds=3)[0, 0] == 0).all()


def test_impossible_distance_takes_best_fit():
    found = grid_beliefs(np.zeros((2, 6, 6)), [[np.nan, 1e6], [1e6, np.nan]], side=6, sigma=1, n_rounds=2)
    assert np.isfinite(found).all()
    assert found[0, 0, 0] > 0.2  # the corners lie farthest apart


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("distance", [-1e308, -5.0, 0.0, 1e6, 1e200, 1e308])
@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e300])
def test_no_distance_makes_nan(distance, unit):
    pair = [[np.nan, distance], [distance, np.nan]]
    found = grid_beliefs(np.zeros((2, 6, 6)), pair, side=6 * unit, sigma=unit, n_rounds=2)
    np.testing.assert_allclose(found.sum(axis=(1, 2)), 1)
    if unit == 1 and distance > 10:
        np.testing.assert_allclose(found[0, ::5, ::5], 0.25, rtol=0, atol=1e-4)


def test_unmatched_distance_carries_no_information():
    known = np.zeros((2, 5, 5))
    known[0] = -np.inf
    known[0, 2, 2] = 0
    pair = [[np.nan, 1e308], [1e308, np.nan]]  # no cell is that far from the middle
    found = grid_beliefs(known, pair, side=5, sigma=1, n_rounds=2)
    np.testing.assert_allclose(found[1], 1 / 25)


def test_means():
    shares = np.zeros((1, 2, 2))
    shares[0, 0, 0], shares[0, 1, 1] = 0.25, 0.75
    assert belief_means(shares, side=4).tolist() == [[2.5, 2.5]]


def test_bad_input():
    good = {"log_priors": np.zeros((2, 3, 3)), "distances": np.full((2, 2), np.nan)}
    settings_ = {"side": 3.0, "sigma": 1.0, "n_rounds": 1}
    for name, wrong in [
        ("log_priors", np.zeros((2, 3, 4))),
        ("log_priors", np.full((2, 3, 3), -np.inf)),
        ("log_priors", np.full((2, 3, 3), np.nan)),
        ("distances", [[np.nan, 1.0], [2.0, np.nan]]),
        ("distances", [[0.0, 1.0], [1.0, 0.0]]),
        ("distances", np.full((3, 3), np.nan)),
        ("sigma", 0.4),
        ("side", 0),
        ("n_rounds", 0),
    ]:
        with pytest.raises(ValueError, match=rf"^{name} must"):
            grid_beliefs(**(good | settings_ | {name: wrong}))
    with pytest.raises(ValueError, match=r"^beliefs must"):
        belief_means(np.ones((1, 2, 2)), side=1)
    with pytest.raises(ValueError, match=r"^n_cells must"):
        grid_places(0, side=1)
    with pytest.raises(ValueError, match=r"^n_cells must be at most 2\^12, got 100000$"):
        grid_places(10**5, side=1)
