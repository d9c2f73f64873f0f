"""The most likely positions of a crowd, against enumeration of all choices."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from localization.crowds import crowds

from ldpbook.localization import most_likely
from ldpbook.localization.mobility import measured_distances
from ldpbook.localization.most_likely import most_likely_particles
from ldpbook.localization.particles import normalize, sum_product_update, uniform_clouds

nan, inf = np.nan, np.inf


def log_probability(crowd, chosen, sigma):
    """Log-probability of one choice, in loops, up to a constant."""
    particles, log_weights, measured = crowd
    total = sum(log_weights[i, r] for i, r in enumerate(chosen))
    for i, j in itertools.combinations(range(len(chosen)), 2):
        if not math.isnan(measured[i, j]):
            apart = math.dist(particles[i, chosen[i]], particles[j, chosen[j]])
            total -= (apart - measured[i, j]) ** 2 / (2 * sigma**2)
    return total


def best_of_all(crowd, sigma):
    n, r = crowd[1].shape
    return max(log_probability(crowd, chosen, sigma) for chosen in itertools.product(range(r), repeat=n))


@given(crowds(), st.floats(0.1, 9))
def test_no_choice_is_more_likely(crowd, sigma):
    found = most_likely_particles(*crowd, sigma=sigma)
    assert log_probability(crowd, found, sigma) == pytest.approx(best_of_all(crowd, sigma), abs=1e-7)


def frustrated(seed, n_particles=6):
    """Five users whose measured distances contradict each other: the bound alone does not decide."""
    rng = np.random.default_rng(seed)
    particles, log_weights = (
        rng.uniform(0, 10, (5, n_particles, 2)),
        normalize(rng.normal(size=(5, n_particles))),
    )
    measured = np.triu(rng.uniform(0, 10, (5, 5)), 1)
    return particles, log_weights, np.where(np.eye(5) > 0, nan, measured + measured.T)


@pytest.mark.parametrize("sigma", [0.5, 3.0, 10.0])
@pytest.mark.parametrize("rounds", [0, 200])
def test_search_decides_if_the_bound_does_not(sigma, rounds, monkeypatch):
    """Without rounds only the search remains; with a large sigma many choices are nearly optimal."""
    monkeypatch.setattr(most_likely, "_ROUNDS", rounds)
    for seed in range(20):
        crowd = frustrated(seed, 4)
        found = most_likely_particles(*crowd, sigma=sigma)
        assert log_probability(crowd, found, sigma) == pytest.approx(best_of_all(crowd, sigma), abs=1e-7)


@given(crowds(), st.floats(0.1, 9))
def test_moving_potentials_keeps_sums_and_lowers_bound(crowd, sigma):
    _, log_weights, measured = crowd
    rng = np.random.default_rng(0)
    alone = list(log_weights.copy())
    pairs = {}
    for i, j in np.argwhere(np.triu(~np.isnan(measured))).tolist():
        pairs[i, j] = -rng.exponential(sigma, (len(alone[i]), len(alone[j])))
        pairs[j, i] = pairs[i, j].T

    def sums():
        choices = itertools.product(range(len(alone[0])), repeat=len(alone))
        return [
            sum(a[r] for a, r in zip(alone, chosen, strict=True))
            + sum(p[chosen[i], chosen[j]] for (i, j), p in pairs.items() if i < j)
            for chosen in choices
        ]

    before, bound = sums(), most_likely._bound(alone, pairs)
    most_likely._level(alone, pairs)
    np.testing.assert_allclose(sums(), before, atol=1e-9)
    assert max(before) - 1e-9 <= most_likely._bound(alone, pairs) <= bound + 1e-9


def test_large_crowd_is_located():
    """Users have a hundred particles, one at the true place; measurement errors are small."""
    rng = np.random.default_rng(1)
    place = rng.uniform(0, 100, (12, 2))
    particles, log_weights = uniform_clouds(12, 100, rng, side=100)
    particles[:, 37] = place
    measured = measured_distances(place, rng, reach=60, sigma=0.01)
    assert (most_likely_particles(particles, log_weights, measured, sigma=0.01) == 37).all()


def test_clear_tree_gives_individually_most_likely_particles():
    crowd = [[[0, 0], [0, 0]], [[3, 4], [8, 8]], [[9, 9], [6, 8.5]]]
    measured = np.full((3, 3), nan)
    measured[0, 1] = measured[1, 0] = measured[1, 2] = measured[2, 1] = 5
    log_weights = np.log([[0.4, 0.6], [0.5, 0.5], [0.5, 0.5]])
    law = sum_product_update(crowd, log_weights, measured, sigma=1, n_rounds=2)
    found = most_likely_particles(crowd, log_weights, measured, sigma=1)
    assert found.tolist() == law.argmax(axis=1).tolist() == [1, 0, 1]


def test_joint_mode_may_differ_from_marginal_modes():
    """A user 5 m from a neighbour in the west with probability 0.4, or at one of two places in the east."""
    crowd = [[[0, 0], [20, 0], [20.0, 1]], [[-5.0, 0], [25, 0], [25, 1]]]
    log_weights = np.log([[0.4, 0.3, 0.3], [1 / 3] * 3])
    measured = [[nan, 5.0], [5.0, nan]]
    law = np.exp(sum_product_update(crowd, log_weights, measured, sigma=1))[0]
    assert law.argmax() != 0
    assert most_likely_particles(crowd, log_weights, measured, sigma=1).tolist() == [0, 0]


def test_without_measurements_heaviest_particles_win():
    crowd = np.zeros((2, 3, 2)), normalize([[0.0, 2, 1], [3, 1, 2]]), np.full((2, 2), nan)
    assert most_likely_particles(*crowd, sigma=1).tolist() == [1, 0]


def test_particles_of_weight_zero_are_never_taken():
    crowd = [[[0, 0], [1, 1]], [[3, 4], [30, 40]]]
    log_weights = [[0.0, -inf], [-inf, 0.0]]
    assert most_likely_particles(crowd, log_weights, [[nan, 5], [5, nan]], sigma=1).tolist() == [0, 1]


def test_corrected_distances_are_used():
    crowd = [[[0, 0], [0, 0]], [[3, 4], [8, 0]]]
    even, measured = np.log(np.full((2, 2), 0.5)), [[nan, 5.0], [5.0, nan]]
    assert most_likely_particles(crowd, even, measured, sigma=1)[1] == 0
    assert most_likely_particles(crowd, even, measured, sigma=1, correct=lambda apart: apart - 3)[1] == 1


def test_arguments_are_unchanged():
    crowd = frustrated(0)
    copies = [values.copy() for values in crowd]
    most_likely_particles(*crowd, sigma=0.5)
    for values, copy in zip(crowd, copies, strict=True):
        np.testing.assert_array_equal(values, copy)


def test_bad_input_is_refused(monkeypatch):
    crowd = frustrated(0)
    one_sided = crowd[2].copy()
    one_sided[0, 1] += 1
    with pytest.raises(ValueError, match="distances must be symmetric"):
        most_likely_particles(*crowd[:2], one_sided, sigma=1)
    dead = crowd[1].copy()
    dead[2] = -inf
    with pytest.raises(ValueError, match="particles must hold a choice that fits"):
        most_likely_particles(crowd[0], dead, crowd[2], sigma=1)
    with pytest.raises(ValueError, match="particles must hold a choice that fits"):
        most_likely_particles(*crowd, sigma=1e-60)
    monkeypatch.setattr(most_likely, "_CHOICES", 3)
    with pytest.raises(ValueError, match="particles must leave fewer choices near the best, got more than 3"):
        most_likely_particles(*crowd, sigma=0.5)
