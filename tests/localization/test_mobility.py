"""Walks stay in the square at their speed; measurements are symmetric with the stated noise."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ldpbook.localization.mobility import measured_distances, random_waypoint


@given(st.integers(1, 6), st.integers(1, 40), st.integers(0, 99))
def test_walks(n_users, n_steps, seed):
    track = random_waypoint(n_users, n_steps, side=20, speeds=(0.5, 3), rng=seed)
    assert track.shape == (n_steps + 1, n_users, 2)
    assert (track >= 0).all()
    assert (track <= 20).all()
    assert np.linalg.norm(np.diff(track, axis=0), axis=-1).max() <= 3 + 1e-9
    np.testing.assert_array_equal(
        track, random_waypoint(n_users, n_steps, side=20, speeds=(0.5, 3), rng=seed)
    )


def test_steps_have_drawn_speed_and_are_straight():
    track = random_waypoint(200, 60, side=1000, speeds=(2, 2), rng=0)
    steps = np.diff(track, axis=0)
    length = np.linalg.norm(steps, axis=-1)
    assert np.median(length) == pytest.approx(2)
    assert (length > 0).mean() > 0.99
    turn = np.abs(steps[1:, :, 0] * steps[:-1, :, 1] - steps[1:, :, 1] * steps[:-1, :, 0])
    assert (turn < 1e-9).mean() > 0.98  # nearly all steps go on in the same direction


def test_walkers_have_their_own_way_and_speed():
    track = random_waypoint(400, 400, side=100, speeds=(1, 3), rng=3)
    steps = np.diff(track, axis=0)
    first = np.linalg.norm(steps[0], axis=-1)
    assert abs(first.mean() - 2) < 4 * np.sqrt(1 / 3 / 400) + 0.02  # uniform on 1..3, reduced by arrivals
    angles = np.arctan2(steps[0, :, 1], steps[0, :, 0])
    assert len(np.unique(angles.round(6))) > 390
    length = np.linalg.norm(steps, axis=-1)
    speeds_of_one = np.unique(length[:, 0].round(9))
    assert len(speeds_of_one) > 5  # a new one after each waypoint, and a shorter step into it
    turns = np.linalg.norm(steps[1:] - steps[:-1], axis=-1) > 1e-9
    # A leg of mean length 52 m at the harmonic mean speed takes about 29 steps, and ends with two changes.
    assert 0.03 < turns.mean() < 0.12
    assert track[100:].min() < 1  # waypoints reach the corners
    assert track[100:].max() > 99


def test_start_is_uniform():
    start = random_waypoint(40_000, 1, side=1, speeds=(0.1, 0.1), rng=1)[0]
    assert abs(start.mean() - 0.5) < 4 / np.sqrt(12 * start.size)


def test_randomness_is_fresh_unless_seeded():
    walk = {"side": 5.0, "speeds": (1, 2)}
    assert (random_waypoint(2, 2, **walk) != random_waypoint(2, 2, **walk)).any()
    np.testing.assert_array_equal(random_waypoint(2, 2, 7, **walk), random_waypoint(2, 2, rng=7, **walk))
    pair = ([[0, 0], [3, 4]], {"reach": 9.0, "sigma": 1.0})
    assert measured_distances(pair[0], **pair[1])[0, 1] != measured_distances(pair[0], **pair[1])[0, 1]


def test_measurements():
    positions = np.random.default_rng(0).uniform(0, 100, (300, 2))
    measured = measured_distances(positions, reach=40, sigma=1.5, rng=1)
    true = np.linalg.norm(positions[:, None] - positions, axis=-1)
    near = (true <= 40) & ~np.eye(300, dtype=bool)
    np.testing.assert_array_equal(np.isnan(measured), ~near)
    np.testing.assert_array_equal(measured, measured.T)
    errors = (measured - true)[np.triu(near)]
    assert abs(errors.mean()) < 4 * 1.5 / np.sqrt(errors.size)
    assert abs(errors.std() - 1.5) < 4 * 1.5 / np.sqrt(2 * errors.size)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_users", 0),
        ("n_users times n_steps", 2**40),
        ("n_steps", 0),
        ("side", 0),
        ("side", 1e300),
        *(("speeds", speeds) for speeds in [(2, 1), (0, 1), (1, np.inf), (1,), 1, (1, np.nan), "ab"]),
    ],
)
def test_bad_walks(name, value):
    good = {"n_users": 2, "n_steps": 2, "side": 5.0, "speeds": (1, 2), "rng": 0}
    with pytest.raises(ValueError, match=rf"^{name} must"):
        random_waypoint(**good | {name.partition(" ")[0]: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("positions", [1, 2]),
        ("positions", [[1, 2, 3]]),
        ("positions", [[1, np.nan]]),
        ("reach", 0),
        ("sigma", 0),
    ],
)
def test_bad_measurements(name, value):
    good = {"positions": [[0, 0]], "reach": 5.0, "sigma": 1.0, "rng": 0}
    with pytest.raises(ValueError, match=rf"^{name} must"):
        measured_distances(**good | {name: value})
