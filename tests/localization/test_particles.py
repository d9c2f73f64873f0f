"""Updates written out in loops, exact posteriors on a small case, degenerate clouds."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from localization.crowds import crowds, weights_in_loops

from ldpbook.localization.forgotten_weights import messages, source_update
from ldpbook.localization.mobility import random_waypoint
from ldpbook.localization.particles import (
    effective_size,
    estimate,
    localize,
    normalize,
    resample,
    sum_product_update,
    uniform_clouds,
)

nan, inf = np.nan, np.inf


@given(crowds(), st.floats(2, 9))
def test_sum_product_is_the_formula(crowd, sigma):
    expected = weights_in_loops(*crowd, sigma, sum)
    np.testing.assert_allclose(np.exp(sum_product_update(*crowd, sigma=sigma)), expected, atol=1e-9)


def test_sum_product_is_exact_on_a_tree():
    """Two users: one round gives the exact posterior of each."""
    rng = np.random.default_rng(1)
    particles = rng.uniform(0, 10, (2, 5, 2))
    log_weights = normalize(rng.normal(size=(2, 5)))
    measured = np.array([[nan, 4.0], [4.0, nan]])
    apart = np.linalg.norm(particles[0][:, None] - particles[1], axis=-1)
    joint = np.exp(log_weights[0][:, None] + log_weights[1] - (apart - 4) ** 2 / 2)
    joint /= joint.sum()
    found = np.exp(sum_product_update(particles, log_weights, measured, sigma=1))
    np.testing.assert_allclose(found, [joint.sum(axis=1), joint.sum(axis=0)])


def test_sum_product_counts_each_measurement_once():
    """One anchor, one user: the distance keeps the standard deviation of the measurement in every round."""
    cloud = np.random.default_rng(0).uniform(0, 100, (20_000, 2))
    apart = np.linalg.norm(cloud - 50, axis=1)
    exact = np.exp(-((apart - 30) ** 2) / 8)
    for n_rounds in (1, 2, 5):
        # The anchor's cloud is copies of one point. Only 400 particles are used here, to keep this quick.
        small, where = cloud[:400], np.full((1, 400, 2), 50.0)
        log_weights = np.full((2, 400), -np.log(400))
        measured = np.array([[nan, 30.0], [30.0, nan]])
        found = sum_product_update(
            np.concatenate([small[None], where]), log_weights, measured, sigma=2, n_rounds=n_rounds
        )[0]
        np.testing.assert_allclose(np.exp(found), exact[:400] / exact[:400].sum(), atol=1e-12)
    exact /= exact.sum()
    mean = exact @ apart
    assert np.sqrt(exact @ (apart - mean) ** 2) == pytest.approx(2, rel=0.03)


def test_sum_product_is_exact_after_chain_length_rounds():
    """Four users in a row, with all joint states enumerated; after one round the ends know too little."""
    rng = np.random.default_rng(3)
    n, r = 4, 3
    particles, log_weights = rng.uniform(0, 10, (n, r, 2)), normalize(rng.normal(size=(n, r)))
    measured = np.full((n, n), nan)
    for i, d in enumerate((4.0, 6.0, 3.0)):
        measured[i, i + 1] = measured[i + 1, i] = d
    exact = np.zeros((n, r))
    for state in itertools.product(range(r), repeat=n):
        log = sum(log_weights[i, s] for i, s in enumerate(state))
        for i in range(n - 1):
            apart = math.dist(particles[i, state[i]], particles[i + 1, state[i + 1]])
            log -= (apart - measured[i, i + 1]) ** 2 / (2 * 2.0**2)
        exact[range(n), state] += math.exp(log)
    exact /= exact.sum(axis=1, keepdims=True)
    for n_rounds in (3, 4, 9):
        found = sum_product_update(particles, log_weights, measured, sigma=2, n_rounds=n_rounds)
        np.testing.assert_allclose(np.exp(found), exact, atol=1e-12)
    early = np.exp(sum_product_update(particles, log_weights, measured, sigma=2))
    assert np.abs(early - exact).max() > 0.01


def test_rounds_end_where_nothing_changes():
    """On a chain nothing changes after as many rounds as its length; huge numbers of rounds are accepted."""
    particles, log_weights = uniform_clouds(3, 5, 0, side=10)
    measured = np.full((3, 3), nan)
    measured[0, 1] = measured[1, 0] = measured[1, 2] = measured[2, 1] = 4.0
    crowd = particles, log_weights, measured
    np.testing.assert_array_equal(
        sum_product_update(*crowd, sigma=2, n_rounds=2**53), sum_product_update(*crowd, sigma=2, n_rounds=3)
    )


def test_anchors_are_located_by_any_number_of_copies():
    """Copies of one point and a single particle send the same messages."""
    rng = np.random.default_rng(8)
    particles, log_weights = rng.uniform(0, 10, (3, 6, 2)), normalize(rng.normal(size=(3, 6)))
    measured = np.array([[nan, 3.0, 5.0], [3.0, nan, 4.0], [5.0, 4.0, nan]])
    at = particles[1, 2].copy()
    particles[1] = at
    copies = sum_product_update(particles, log_weights, measured, sigma=2, n_rounds=3)
    np.testing.assert_allclose(copies[1], log_weights[1])
    particles[1, 1:] = 1e3  # other particles, of weight 0
    with np.errstate(divide="ignore"):
        log_weights[1] = np.log([1, 0, 0, 0, 0, 0])
    alone = sum_product_update(particles, log_weights, measured, sigma=2, n_rounds=3)
    np.testing.assert_allclose(copies[[0, 2]], alone[[0, 2]], atol=1e-9)


@pytest.mark.parametrize("distance", [100.0, 160.8])
def test_sum_product_handles_underflow_and_overflow(distance):
    """Fits below the smallest float, or with few digits left in floats, are compared in logarithms."""
    particles = [[[0, 0], [0, 1]], [[0, 200], [0, -199]]]  # each fits one of the neighbour's better
    measured = np.array([[nan, distance], [distance, nan]])
    log_weights = np.log([[0.5, 0.5], [0.25, 0.75]])
    found = sum_product_update(particles, log_weights, measured, sigma=1.0)[0]
    told = messages(particles[0], [particles[1]], log_weights[1:], [distance], sigma=1.0)[0]
    assert told.max() < -700
    np.testing.assert_allclose(found, normalize(told), rtol=1e-9)
    np.testing.assert_allclose(np.exp(found), [0.75, 0.25])


def test_degenerate_clouds_are_detected():
    for dead in ([-inf, -inf], [[0.0, 1.0], [-inf, -inf]]):
        with pytest.raises(ValueError, match="degenerated"):
            normalize(dead)
    for wrong in ([nan, 0.0], [inf, 0.0]):
        with pytest.raises(ValueError, match=r"^log_weights must be numbers"):
            normalize(wrong)
    particles = [[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]]
    impossible = [[nan, 1e200], [1e200, nan]]  # the squared error overflows
    weights = np.log([[0.5, 0.5]] * 2)
    for update in (sum_product_update, source_update):
        with np.errstate(over="ignore"), pytest.raises(ValueError, match="degenerated"):
            update(particles, weights, impossible, sigma=1)


@given(arrays(float, (3, 4), elements=st.floats(-700, 700)), st.floats(-1e3, 1e3))
def test_normalize(log_weights, shift):
    found = normalize(log_weights)
    np.testing.assert_allclose(np.exp(found).sum(axis=1), 1)
    np.testing.assert_allclose(normalize(log_weights + shift), found, atol=1e-9)


def test_far_particles_survive_in_logs():
    found = normalize([-1e6, -1e6 - math.log(3)])
    np.testing.assert_allclose(np.exp(found), [0.75, 0.25], rtol=1e-6)


def test_resampling_keeps_the_distribution():
    rng = np.random.default_rng(2)
    particles = np.arange(10.0).reshape(1, 5, 2).repeat(20_000, axis=0)
    weight = np.array([0.5, 0.25, 0.125, 0.125, 0.0])
    with np.errstate(divide="ignore"):
        drawn, log_weights = resample(particles, np.tile(np.log(weight), (20_000, 1)), jitter=0, rng=rng)
    share = np.bincount((drawn[..., 0] / 2).astype(int).ravel(), minlength=5) / drawn[..., 0].size
    assert (np.abs(share - weight) < 4 * np.sqrt(0.25 / 1e5)).all()
    np.testing.assert_allclose(np.exp(log_weights), 0.2)
    shaken, _ = resample(particles, np.tile(np.log([0.2] * 5), (20_000, 1)), jitter=3, rng=rng)
    assert abs((shaken - particles).std() - 3) < 4 * 3 / np.sqrt(2 * shaken.size)


def test_resampling_picks_at_equal_steps():
    """Copies are those of equidistant picks on the cumulative weights, cloud by cloud."""
    rng = np.random.default_rng(6)
    particles, log_weights = rng.uniform(0, 9, (30, 7, 2)), normalize(rng.normal(0, 2, (30, 7)))
    drawn, _ = resample(particles, log_weights, 5, jitter=0)
    starts = np.random.default_rng(5).random(30)
    for i, start in enumerate(starts):
        ends = np.exp(log_weights[i]).cumsum()
        picks = (start + np.arange(7)) / 7
        owners = [next(r for r in range(7) if pick <= ends[r]) for pick in picks]
        np.testing.assert_array_equal(drawn[i], particles[i, owners])


def test_randomness_is_fresh_unless_seeded():
    assert (uniform_clouds(1, 3, side=1)[0] != uniform_clouds(1, 3, side=1)[0]).any()
    cloud = uniform_clouds(1, 3, 0, side=1)
    assert (resample(*cloud, jitter=1)[0] != resample(*cloud, jitter=1)[0]).any()
    np.testing.assert_array_equal(
        resample(*cloud, 3, jitter=1)[0], resample(*cloud, rng=np.random.default_rng(3), jitter=1)[0]
    )


def test_weights_need_not_be_scaled():
    """A constant added to all log-weights of a cloud changes nothing."""
    particles, log_weights = uniform_clouds(2, 9, 1, side=8)
    log_weights += np.random.default_rng(2).normal(size=(2, 9))
    shifted = log_weights + np.array([[2.0**20], [-(2.0**20)]])
    np.testing.assert_allclose(estimate(particles, shifted), estimate(particles, log_weights), rtol=1e-8)
    np.testing.assert_allclose(effective_size(shifted), effective_size(log_weights), rtol=1e-8)
    drawn = [resample(particles, weights, 3, jitter=0)[0] for weights in (log_weights, shifted)]
    np.testing.assert_array_equal(*drawn)
    dead = np.full((2, 9), -inf)
    for function in (estimate, lambda *crowd: resample(*crowd, jitter=0), lambda _, w: effective_size(w)):
        with pytest.raises(ValueError, match="degenerated"):
            function(particles, dead)


def test_estimate_and_effective_size():
    particles, log_weights = uniform_clouds(3, 50, side=8, rng=0)
    np.testing.assert_allclose(estimate(particles, log_weights), particles.mean(axis=1))
    np.testing.assert_allclose(effective_size(log_weights), 50)
    assert (particles >= 0).all()
    assert (particles <= 8).all()


class TestLocalize:
    setting = {"side": 40.0, "speed": 2.0, "reach": 60.0, "sigma": 0.5, "n_particles": 300}  # noqa: RUF012
    anchors = np.arange(6) < 4

    def track(self, n_steps=6):
        return random_waypoint(6, n_steps, side=40, speeds=(1, 2), rng=0)

    def run(self, update=None, rng=1, **changes):
        update = update or (lambda *crowd: sum_product_update(*crowd, sigma=0.5))
        return localize(self.track(), self.anchors, update, rng=rng, **self.setting | changes)

    def test_finds_users_among_four_anchors(self):
        found = self.run()
        error = np.linalg.norm(found.estimates - self.track(), axis=-1)
        np.testing.assert_allclose(error[:, self.anchors], 0, atol=1e-9)
        assert error[2:].max() < 3
        assert found.clouds.shape == (7, 6, 300, 2)
        np.testing.assert_allclose(np.exp(found.log_weights).sum(axis=-1), 1)
        np.testing.assert_array_equal(found.estimates, self.run(rng=np.random.default_rng(1)).estimates)

    def test_update_sees_clouds_and_measurements(self):
        seen = []

        def record(particles, log_weights, measured):
            seen.append((particles.copy(), measured))
            return log_weights

        found = self.run(record)
        assert len(seen) == 7
        true = np.linalg.norm(self.track()[0][:, None] - self.track()[0], axis=-1)
        error = (seen[0][1] - true)[~np.eye(6, dtype=bool)]
        assert 0 < np.abs(error).max() < 5 * 0.5
        for t in range(7):
            np.testing.assert_array_equal(seen[t][0], found.clouds[t])
        moved = np.linalg.norm(np.diff(found.clouds, axis=0), axis=-1)[:, ~self.anchors]
        assert 1.9 < moved.max() <= 2.0  # no cloud is resampled while all weights are equal
        assert abs(moved.mean() - 1) < 4 * np.sqrt(1 / 3 / moved.size)

    def test_degenerate_clouds_are_resampled_and_others_kept(self):
        def favour_few(particles, log_weights, measured):
            new = np.full_like(log_weights, -np.log(300))
            new[5] = normalize(np.where(np.arange(300) < 3, 0.0, -50.0))
            return new

        clouds = self.run(favour_few).clouds
        reach = np.linalg.norm(clouds[1, 5][:, None] - clouds[0, 5, :3], axis=-1).min(axis=1)
        assert (reach < 2 + 5 * 0.25).all()  # copies of three particles, jittered and moved
        kept = np.linalg.norm(clouds[1, 4] - clouds[0, 4], axis=-1)
        assert kept.max() <= 2

    @pytest.mark.parametrize(
        ("name", "value"),
        [("side", 0), ("speed", 0), ("reach", 0), ("sigma", 0), ("n_particles", 0)],
    )
    def test_bad_input(self, name, value):
        with pytest.raises(ValueError, match=rf"^{name} must"):
            self.run(**{name: value})

    def test_anchors_keep_even_weights(self):
        """Anchors keep even weights whatever an update returns, and its result is not modified."""
        uneven = normalize(np.arange(6 * 300.0).reshape(6, 300) / 300)
        found = self.run(lambda *_: uneven)
        np.testing.assert_allclose(np.exp(found.log_weights[:, self.anchors]), 1 / 300)
        np.testing.assert_array_equal(found.log_weights[0, 4:], uneven[4:])
        assert np.ptp(uneven[0]) > 0.9

    def test_runs_are_objects_not_arrays(self):
        first, second = self.run(), self.run()
        assert first == first
        assert first != second
        assert len({first, second}) == 2

    def test_bad_parts(self):
        def run(**changes):
            good = {"track": self.track(1), "anchors": self.anchors, "update": lambda _, w, __: w}
            return localize(**good | changes, rng=1, **self.setting)

        run(anchors=[True] * 6)
        for anchors in ([0, 1, 2], [[True, False], [True]], None, "ab", [1.0] * 6):
            with pytest.raises(TypeError, match=r"^anchors must be True or False"):
                run(anchors=anchors)
        with pytest.raises(ValueError, match=r"^anchors must be one for each of the 6 users"):
            run(anchors=[True] * 5)
        with pytest.raises(TypeError, match=r"^update must be a function"):
            run(update=None)
        for update in (lambda p, w, d: w[0], lambda p, w, d: w + nan, lambda p, w, d: "ab"):
            with pytest.raises(ValueError, match=r"^update must"):
                run(update=update)
        with pytest.raises(ValueError, match=r"^speed must"):  # before the first step
            localize(self.track(1)[:1], self.anchors, run, rng=1, **self.setting | {"speed": -1.0})

    def test_bad_track(self):
        with pytest.raises(ValueError, match=r"^track must"):
            localize(np.zeros((3, 2)), self.anchors, sum_product_update, rng=0, **self.setting)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("particles", [[1.0, 2.0]]),
        ("particles", [[[nan, 2.0]]]),
        ("log_weights", [[0.0, 0.0]]),
        ("distances", [[nan, nan]]),
        ("distances", [[1.0]]),
        ("distances", [[nan, 1.0], [nan, nan]]),
        ("distances", [[nan, inf], [inf, nan]]),
        ("log_weights", [[nan], [0.0]]),
        ("log_weights", [[inf], [0.0]]),
        ("sigma", 0.0),
        ("correct", lambda apart: apart[0]),
        ("correct", lambda apart: apart + nan),
    ],
)
def test_bad_input(name, value):
    good = {
        "particles": [[[1.0, 2.0]]] * 2,
        "log_weights": [[0.0]] * 2,
        "distances": [[nan, 1.0], [1.0, nan]],
    }
    if name == "distances" and np.shape(value) == (1, 1):
        good |= {"particles": [[[1.0, 2.0]]], "log_weights": [[0.0]]}
    one_sided = value == [[nan, 1.0], [nan, nan]]
    for update in (sum_product_update,) if one_sided else (sum_product_update, source_update):
        with pytest.raises(ValueError, match=rf"^{name} must"):
            update(**{**good, "sigma": 1.0, name: value})


@pytest.mark.parametrize("kind", [TypeError, ValueError])
def test_errors_of_given_functions_name_the_function(kind):
    def refuses(*_):
        raise kind("not here")

    with pytest.raises(kind, match=r"^correct failed: not here"):
        sum_product_update([[[0, 0]]] * 2, [[0.0]] * 2, [[nan, 1], [1, nan]], sigma=1, correct=refuses)
    setting = {"side": 9, "speed": 2, "reach": 40, "sigma": 1, "n_particles": 2}
    with pytest.raises(kind, match=r"^update failed: not here"):
        localize([[[0, 0], [1, 1]]], [True, False], refuses, rng=1, **setting)


def test_other_bad_input():
    with pytest.raises(ValueError, match=r"^n_rounds must"):
        sum_product_update([[[0, 0]]], [[0.0]], [[nan]], sigma=1, n_rounds=0)
    with pytest.raises(ValueError, match=r"^jitter must"):
        resample([[[0, 0]]], [[0.0]], jitter=-1, rng=0)
    with pytest.raises(ValueError, match=r"^side must"):
        uniform_clouds(1, 1, side=0, rng=0)
    with pytest.raises(ValueError, match=r"^n_users times n_particles must be at most"):
        uniform_clouds(2**20, 2**20, side=1)
    for empty in (0.0, [], [[]]):
        with pytest.raises(ValueError, match=r"^log_weights must be of at least one"):
            normalize(empty)
