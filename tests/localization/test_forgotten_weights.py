"""Messages and the source's product, against loops; the product forgets the neighbours' weights."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from localization.crowds import crowds, weights_in_loops
from scipy.stats import norm

from ldpbook.localization.forgotten_weights import messages, own_update, source_update
from ldpbook.localization.particles import normalize

nan, inf = np.nan, np.inf


@given(crowds(), st.floats(2, 9))
def test_source_update_is_the_product(crowd, sigma):
    expected = weights_in_loops(*crowd, sigma, math.prod)
    np.testing.assert_allclose(np.exp(source_update(*crowd, sigma=sigma)), expected, atol=1e-9)


def test_source_update_multiplies_joint_probabilities():
    """Probabilities of pairs of particles given the distance, by Bayes' rule with a uniform own prior."""
    rng = np.random.default_rng(8)
    particles, hers = rng.uniform(0, 10, (2, 3, 2)), np.array([0.5, 0.2, 0.3])
    own, measured, sigma = np.array([0.6, 0.1, 0.3]), 4.0, 1.5
    apart = np.array([[math.dist(a, b) for b in particles[1]] for a in particles[0]])
    joint = np.full((3, 1), 1 / 3) * hers * norm.pdf(measured, apart, sigma)
    expected = own * (joint / joint.sum()).prod(axis=1)
    found = source_update(particles, np.log([own, hers]), [[nan, measured], [measured, nan]], sigma=sigma)
    np.testing.assert_allclose(np.exp(found[0]), expected / expected.sum())


@given(crowds(), st.floats(2, 9))
def test_messages_are_the_sums_of_an_update(crowd, sigma):
    """Added to the log-weights, messages give one round of sum-product, as loops do."""
    particles, log_weights, measured = crowd
    expected = weights_in_loops(*crowd, sigma, sum)
    for i, row in enumerate(measured):
        near = np.flatnonzero(~np.isnan(row))
        if len(near):
            told = messages(particles[i], particles[near], log_weights[near], row[near], sigma=sigma)
            found = np.exp(normalize(log_weights[i] + told.sum(axis=0)))
            np.testing.assert_allclose(found, expected[i], atol=1e-9)


def test_anchor_and_its_copies_send_equal_messages():
    """Copies of one point have their total weight, whether weights sum to 1 or not."""
    cloud = np.random.default_rng(0).uniform(0, 9, (40, 2))
    log_weights = np.log([[0.2, 0.5, 0.1]])
    told = messages(cloud, np.full((1, 3, 2), 5.0), log_weights, [2.0], sigma=1.5)[0]
    apart = np.linalg.norm(cloud - 5, axis=1)
    np.testing.assert_allclose(told, np.log(0.8) - (apart - 2) ** 2 / (2 * 1.5**2))
    dead = messages(cloud, np.full((1, 3, 2), 5.0), np.full((1, 3), -inf), [2.0], sigma=1.5)
    assert (dead == -inf).all()


def test_cloud_with_equal_ends_is_not_a_point():
    cloud = np.array([[[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]]])
    told = messages([[0.0, 0.0]], cloud, np.log([[0.25, 0.5, 0.25]]), [5.0], sigma=1.0)
    assert np.exp(told[0, 0]) == pytest.approx(0.5 + 0.5 * math.exp(-25 / 2))


def test_measurements_update_only_their_user():
    """A user without measurements learns nothing; two users with different measurements use their own."""
    rng = np.random.default_rng(5)
    particles, log_weights = rng.uniform(0, 10, (2, 4, 2)), normalize(rng.normal(size=(2, 4)))
    for measured in ([[nan, 3.0], [nan, nan]], [[nan, 3.0], [8.0, nan]]):
        expected = weights_in_loops(particles, log_weights, np.array(measured), 2.0, math.prod)
        found = np.exp(source_update(particles, log_weights, measured, sigma=2))
        np.testing.assert_allclose(found, expected, atol=1e-12)


@given(crowds(), st.integers(0, 99))
def test_source_update_forgets_the_neighbours_weights(crowd, seed):
    particles, log_weights, measured = crowd
    others = normalize(np.random.default_rng(seed).normal(size=log_weights.shape))
    others[0] = log_weights[0]
    first = source_update(particles, log_weights, measured, sigma=3)[0]
    np.testing.assert_allclose(source_update(particles, others, measured, sigma=3)[0], first, atol=1e-9)


@given(crowds(), st.floats(2, 9))
def test_own_update_needs_no_neighbour_weights(crowd, sigma):
    """Uses public particles, her weights and her distances; the loops also get the neighbours' weights."""
    particles, log_weights, measured = crowd
    expected = weights_in_loops(*crowd, sigma, math.prod)
    for cloud, weights, row, right in zip(particles, log_weights, measured, expected, strict=True):
        found = own_update(cloud, weights, particles, row, sigma=sigma)
        np.testing.assert_allclose(np.exp(found), right, atol=1e-9)


def test_own_particles_may_differ_from_published_ones():
    own, weights = np.array([[0.0, 0.0], [3.0, 0.0]]), np.log([0.25, 0.75])
    others = [[[9.0, 9.0]] * 3, [[4.0, 3.0]] * 3]  # two users with three copies of one position each
    given = dict(sigma=2.0, correct=lambda apart: apart / 2)
    found = own_update(own, weights, others, [nan, 1.0], **given)
    fits = 3 * np.array([(5 / 2 - 1) ** 2, (10**0.5 / 2 - 1) ** 2]) / (2 * 2.0**2)
    np.testing.assert_allclose(found, normalize(weights - fits))
    np.testing.assert_allclose(own_update(own, weights, others, [nan, nan], **given), weights)
    np.testing.assert_allclose(weights, np.log([0.25, 0.75]))


def test_source_update_takes_corrected_distances():
    clouds = [[[0, 0], [0, 0]], [[3, 4], [8, 8]]]
    measured = [[nan, 2.0], [2.0, nan]]
    found = source_update(
        clouds, np.log([[0.5, 0.5]] * 2), measured, sigma=1, correct=lambda apart: apart - 3
    )
    np.testing.assert_allclose(np.exp(found)[1], [1, 0], atol=1e-6)


def test_corrected_distances_are_used():
    told = messages([[3, 4]], [[[0, 0]]], [[0.0]], [2.0], sigma=1, correct=lambda apart: apart - 3)
    assert told[0, 0] == pytest.approx(0)


def test_far_neighbours_do_not_dominate_near_ones():
    """Log-messages of very different size, each exact."""
    told = messages(
        [[0, 0]],
        [[[3, 4], [3, 5]], [[3e4, 4e4], [3e4, 5e4]]],
        np.log([[0.5, 0.5], [0.9, 0.1]]),
        [5.0, 5.0],
        sigma=1.0,
    )
    near = np.log(0.5 + 0.5 * np.exp(-((np.sqrt(34) - 5) ** 2) / 2))
    far = np.log(0.9) - (5e4 - 5) ** 2 / 2
    np.testing.assert_allclose(told[:, 0], [near, far])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("particles", [1.0, 2.0]),
        ("neighbours", [[1.0, 2.0]]),
        ("neighbours", [[[1.0, inf]]]),
        ("log_weights", [0.0]),
        ("log_weights", [[nan]]),
        ("log_weights", [[inf]]),
        ("distances", [1.0, 2.0]),
        ("distances", [nan]),
        ("sigma", 0.0),
        ("correct", lambda apart: apart[0]),
        ("correct", lambda apart: apart + nan),
    ],
)
def test_bad_messages(name, value):
    good = {"particles": [[1.0, 2.0]], "neighbours": [[[3.0, 4.0]]], "log_weights": [[0.0]]}
    good |= {"distances": [1.0], "sigma": 1.0}
    with pytest.raises(ValueError, match=rf"^{name} must"):
        messages(**good | {name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("particles", [[[1.0, 2.0]]]),
        ("published", [[3.0, 4.0]]),
        ("log_weights", [0.0, 0.0]),
        ("log_weights", [inf]),
        ("log_weights", [-inf]),  # a cloud without weight
        ("distances", [1.0, 2.0]),
        ("distances", [inf]),
        ("sigma", 0.0),
        ("correct", lambda apart: apart + nan),
    ],
)
def test_bad_own_updates(name, value):
    good = {"particles": [[1.0, 2.0]], "published": [[[3.0, 4.0]]], "log_weights": [0.0]}
    good |= {"distances": [1.0], "sigma": 1.0}
    with pytest.raises(ValueError, match=rf"^{name} must"):
        own_update(**good | {name: value})


@pytest.mark.parametrize("correct", ["abs", 1.0, ()])
def test_a_correction_is_a_function(correct):
    with pytest.raises(TypeError, match=r"^correct must be a function"):
        messages([[1.0, 2.0]], [[[3.0, 4.0]]], [[0.0]], [1.0], sigma=1.0, correct=correct)
    with pytest.raises(TypeError, match=r"^correct must be a function"):
        source_update([[[1.0, 2.0]]], [[0.0]], [[nan]], sigma=1.0, correct=correct)


def test_a_correction_does_not_see_its_array_changed():
    """The function may keep its argument and return a kept array."""
    kept = []

    def correct(apart):
        kept.append(apart)
        return apart

    messages([[0.0, 0.0]], [[[3.0, 4.0]]], [[0.0]], [1.0], sigma=1.0, correct=correct)
    np.testing.assert_array_equal(kept, [[[5.0]]])
