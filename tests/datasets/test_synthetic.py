"""The synthetic crowd is the source's; the simulated ones have the printed statistics."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ldpbook.datasets import synthetic
from ldpbook.datasets.synthetic import simulate_duchenne, simulate_peer_grading, synthetic_crowd, voting_crowd


@given(st.integers(1, 12), st.integers(1, 12), st.floats(0.01, 1))
def test_synthetic_crowd(n_workers, n_tasks, density):
    crowd = synthetic_crowd(n_workers, n_tasks, density=density, rng=1)
    assert crowd.answers.shape == (n_workers, n_tasks)
    given_ = crowd.answers[~np.isnan(crowd.answers)]
    assert np.isin(given_, range(10)).all()
    counts = (~np.isnan(crowd.answers)).sum(axis=1)
    assert (counts == max(1, round(density * n_tasks))).all()
    assert (crowd.sigma == 5).sum() == n_workers // 2
    assert crowd.truth.shape == (n_tasks,)


def test_synthetic_crowd_has_the_stated_distributions():
    crowd = synthetic_crowd(400, 5000, density=1.0, rng=3, domain=range(-40, 41), truth_mean=2.0)
    assert abs(crowd.truth.mean() - 2) < 4 / np.sqrt(5000)
    assert abs(crowd.truth.std() - 1) < 4 / np.sqrt(2 * 5000)
    error = crowd.answers - crowd.truth
    for sigma in (1.0, 5.0):
        measured = error[crowd.sigma == sigma].std()
        expected = np.sqrt(sigma**2 + 1 / 12)  # rounding adds the variance of a uniform
        assert measured == pytest.approx(expected, abs=4 * expected / np.sqrt(2e6))
    assert not np.array_equal(crowd.sigma[:200], np.ones(200))  # dealt in random order


def test_answers_fall_on_random_tasks():
    given_ = ~np.isnan(synthetic_crowd(4000, 10, density=0.3, rng=0).answers)
    assert (abs(given_.mean(axis=0) - 0.3) < 4 * np.sqrt(0.21 / 4000)).all()


def test_defaults_are_the_source_s():
    crowd = synthetic_crowd(1000, 1000, density=1.0, rng=0)
    assert set(crowd.sigma) == {1.0, 5.0}
    assert (np.nanmin(crowd.answers), np.nanmax(crowd.answers)) == (0, 9)
    assert abs(crowd.truth.mean()) < 4 / np.sqrt(1000)


def test_seed_and_generator_agree():
    one = synthetic_crowd(5, 6, density=0.5, rng=4)
    other = synthetic_crowd(5, 6, density=0.5, rng=np.random.default_rng(4))
    np.testing.assert_array_equal(one.answers, other.answers)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("density", 0),
        ("density", 1.1),
        ("density", np.nan),
        ("n_workers", 0),
        ("n_tasks", 0),
        ("domain", [0, 2]),
        ("sigmas", (0.0,)),
        ("truth_mean", np.inf),
    ],
)
def test_bad_settings(name, value):
    good = {"n_workers": 3, "n_tasks": 3, "density": 0.5, "rng": 0}
    with pytest.raises(ValueError, match=rf"^{name} "):
        synthetic_crowd(**good | {name: value})


@pytest.mark.parametrize(
    ("simulate", "shape", "n_answers", "n_scored", "right"),
    [(simulate_peer_grading, (72, 26), 360, 26, 19), (simulate_duchenne, (64, 2134), 17_729, 159, 121)],
)
def test_simulated_crowds_have_the_printed_statistics(simulate, shape, n_answers, n_scored, right):
    crowd = simulate(4)
    given_ = ~np.isnan(crowd.answers)
    assert crowd.answers.shape == shape
    assert given_.sum() == n_answers
    assert np.ptp(given_.sum(axis=1)) <= 1
    assert np.ptp(given_.sum(axis=0)) <= 1
    assert crowd.scored.sum() == n_scored
    lead = np.nansum(np.where(crowd.answers == crowd.truth, 1, -1) * given_, axis=0)[crowd.scored]
    assert (lead > 0).sum() + (lead == 0).sum() / 2 == right
    again = simulate(np.random.default_rng(4))
    np.testing.assert_array_equal(again.answers, crowd.answers)


def test_workers_have_the_stated_accuracy():
    crowd = voting_crowd(50, 2000, n_answers=60_000, n_scored=10, base_accuracy=0.9, rng=0, spread=0.05)
    right = np.nanmean(np.where(np.isnan(crowd.answers), np.nan, crowd.answers == crowd.truth), axis=1)
    assert abs(right - crowd.accuracy).max() < 4.5 * 0.5 / np.sqrt(1200)
    assert abs(crowd.truth.mean() - 0.5) < 4 * 0.5 / np.sqrt(2000)
    assert 0.03 < crowd.accuracy.std() < 0.07


def test_impossible_crowd_is_refused_without_endless_search(monkeypatch):
    """Each of two tasks gets two votes, right with probability 3/4, but no draw is accepted."""
    monkeypatch.setattr(synthetic, "_MOST_DRAWS", 3)
    monkeypatch.setattr(synthetic, "_dealt", lambda *_: np.zeros((2, 2), dtype=bool))  # ties: right on 1
    with pytest.raises(ValueError, match=r"^base_accuracy .* in 3, got 0\.75: .* just 2 of 2 tasks"):
        voting_crowd(2, 2, n_answers=4, n_scored=2, base_accuracy=0.75, rng=0)


def test_fresh_entropy_by_default():
    one, other = (synthetic_crowd(20, 20, density=1.0) for _ in range(2))
    assert not np.array_equal(one.answers, other.answers)


def test_crowds_are_compared_and_hashed_by_identity():
    crowd = synthetic_crowd(3, 3, density=1.0, rng=0)
    assert crowd == crowd
    assert crowd != synthetic_crowd(3, 3, density=1.0, rng=0)
    assert len({crowd}) == 1
    assert crowd.domain == tuple(range(10))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_workers", 0),
        ("n_tasks", 0),
        ("n_answers", 4),
        ("n_answers", 16),
        ("n_scored", 6),
        ("n_scored", 0),
        ("base_accuracy", 0.5),
        ("base_accuracy", 1.0),
        ("spread", -0.1),
        ("spread", 0.4),
    ],
)
def test_bad_voting_crowds(name, value):
    good = {"n_workers": 3, "n_tasks": 5, "n_answers": 9, "n_scored": 5, "base_accuracy": 0.8, "rng": 0}
    with pytest.raises(ValueError, match=rf"^{name} "):
        voting_crowd(**good | {name: value})
