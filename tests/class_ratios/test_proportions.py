"""The projection is the nearest point of the simplex; sets are drawn as stated."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from ldpbook._arrays import check_proportions
from ldpbook.class_ratios.proportions import draw_sets, draw_weights, project_to_simplex, skewed_proportions

VECTORS = arrays(float, st.tuples(st.integers(1, 3), st.integers(1, 6)), elements=st.floats(-5, 5))


@given(VECTORS)
def test_conditions_of_the_minimum(values):
    """The result is on the simplex; positive entries were reduced by one amount, the others by no more."""
    found = project_to_simplex(values)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=-1), 1)
    lost = values - found
    for row, change in zip(found, lost, strict=True):
        shared = change[row > 0]
        assert np.ptp(shared) < 1e-9
        assert (change[row == 0] <= shared.max() + 1e-9).all()


def test_against_a_general_minimiser():
    point = np.array([0.4, -0.3, 0.9, 0.1])
    found = minimize(
        lambda x: ((x - point) ** 2).sum(),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        tol=1e-12,
    )
    np.testing.assert_allclose(project_to_simplex(point), found.x, atol=1e-6)


@given(VECTORS)
def test_projecting_twice_is_projecting_once(values):
    once = project_to_simplex(values)
    np.testing.assert_allclose(project_to_simplex(once), once, atol=1e-12)


def test_values_far_beyond_the_simplex():
    """Neither a large common part nor large differences spoil the projection."""
    np.testing.assert_array_equal(project_to_simplex([[1e300, 0.0], [1e308, -1e308]]), [[1, 0], [1, 0]])
    np.testing.assert_array_equal(project_to_simplex([2e15, 2e15, 0.0]), [0.5, 0.5, 0])
    np.testing.assert_allclose(project_to_simplex(np.array([0.5, 0.9, -0.4]) + 2**20), [0.3, 0.7, 0])


def test_bad_input():
    for wrong in (3.0, [], [np.nan, 1.0], [np.inf, 0.0]):
        with pytest.raises(ValueError, match=r"^values must"):
            project_to_simplex(wrong)


def test_mixtures_of_full_rank_are_accepted():
    rows = check_proportions([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]])
    assert rows.shape == (3, 2)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ([0.5, 0.5], "shape"),
        ([[1.0], [1.0]], "shape"),
        ([[0.9, 0.2], [0.1, 0.9]], "sum 1"),
        ([[1.1, -0.1], [0.1, 0.9]], "sum 1"),
        ([[1e308, 1e308], [0.1, 0.9]], "sum 1"),
        ([[np.nan, 1.0], [0.1, 0.9]], "sum 1"),
        ([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]], "at least as many sets"),
        ([[0.5, 0.5], [0.5, 0.5]], "A0"),
        ([[0.5, 0.25, 0.25], [0.2, 0.4, 0.4], [0.1, 0.45, 0.45]], "A0"),
    ],
)
def test_mixtures_of_low_rank_are_refused(wrong, says):
    with pytest.raises(ValueError, match=rf"^proportions must.*{says}"):
        check_proportions(wrong)


@given(st.integers(2, 8), st.floats(0, 1))
def test_skewed_proportions(n_classes, fraction):
    share = fraction / (n_classes - 1)
    assume(abs(share - 1 / n_classes) >= 1e-3)
    rows = skewed_proportions(n_classes, share)
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    np.testing.assert_allclose(rows, rows.T)
    inverse = (np.eye(n_classes) - share) / (1 - n_classes * share)  # derived in few-large-sets
    np.testing.assert_allclose(np.linalg.inv(rows), inverse, atol=1e-6 / abs(1 - n_classes * share) ** 2)


@pytest.mark.parametrize(("n_classes", "share"), [(1, 0.1), (3, 0.6), (3, -0.1), (4, 0.25)])
def test_bad_skews(n_classes, share):
    with pytest.raises(ValueError, match=r"^(n_classes|share) must"):
        skewed_proportions(n_classes, share)


@given(st.integers(0, 2**31))
def test_drawn_sets_are_disjoint_and_as_wanted(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, 60)
    available = np.bincount(labels, minlength=3)
    counts = rng.integers(0, available // 3 + 1, (3, 3))
    sets = draw_sets(labels, counts, rng)
    together = np.concatenate(sets)
    assert len(set(together)) == len(together)
    for rows, wanted in zip(sets, counts, strict=True):
        np.testing.assert_array_equal(np.bincount(labels[rows], minlength=3), wanted)


def test_drawn_sets_list_classes_in_order():
    labels = np.array([1, 0, 1, 0, 1, 0])
    (rows,) = draw_sets(labels, [[2, 2]], 0)
    np.testing.assert_array_equal(labels[rows], [0, 0, 1, 1])


def test_every_instance_is_drawn_equally_often():
    rng, hits = np.random.default_rng(0), np.zeros(10)
    for _ in range(4000):
        hits[draw_sets(np.repeat([0, 1], 5), [[2, 1]], rng)[0]] += 1
    expected = np.repeat([2 / 5, 1 / 5], 5) * 4000
    assert (np.abs(hits - expected) < 4 * np.sqrt(expected)).all()


@given(st.integers(0, 2**31))
def test_weights_are_sets_with_repetition(seed):
    rng = np.random.default_rng(seed)
    labels = np.append([0, 1, 2], rng.integers(0, 3, 20))
    counts = rng.integers(0, 50, (4, 3))
    counts[:, 0] += 1
    allowed = np.append([True] * 3, rng.random(20) < 0.5)
    weights = draw_weights(labels, counts, allowed, rng)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert (weights[:, ~allowed] == 0).all()
    shares = np.array([weights[:, labels == k].sum(axis=1) for k in range(3)]).T
    np.testing.assert_allclose(shares, counts / counts.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("draw", [draw_sets, draw_weights])
def test_bad_counts(draw):
    for wrong in ([1, 2], [[-1, 2]], [[0.5, 1]]):
        with pytest.raises(ValueError, match=r"^counts must be whole numbers"):
            draw([0, 1, 1, 1], wrong, rng=0)


def test_more_instances_than_available_are_refused():
    with pytest.raises(
        ValueError, match=r"^counts must not exceed the instances that labels name, got 3 of class 0"
    ):
        draw_sets([0, 0, 1], [[2, 0], [1, 1]], 0)
    with pytest.raises(ValueError, match=r"^counts must be 0 for classes without"):
        draw_weights([0, 0], [[1, 1]], rng=0)
    np.testing.assert_allclose(draw_weights([0, 0], [[4, 0]], rng=0).sum(), 1)


def test_excluded_instances_are_never_drawn():
    for wrong in ([True], [1, 0, 2], [[1, 0, 1]]):
        with pytest.raises(ValueError, match=r"^allowed must be a vector of 3 truth values"):
            draw_weights([0, 1, 1], [[1, 1]], wrong)
    with pytest.raises(TypeError, match=r"^allowed must"):
        draw_weights([0, 1, 1], [[1, 1]], np.random.default_rng(0))  # rng is the last argument
    with pytest.raises(ValueError, match=r"^counts must not be 0 for all classes of a set"):
        draw_weights([0, 1, 1], [[1, 1], [0, 0]])


@pytest.mark.parametrize("labels", [[], [[0, 1]], [0, -1], [0.5, 1], [0, np.nan], [0, np.inf]])
@pytest.mark.parametrize("draw", [draw_sets, draw_weights])
def test_bad_labels(draw, labels):
    with pytest.raises(ValueError, match=r"^labels must be a vector of classes"):
        draw(labels, [[1, 1]], rng=0)


def test_no_seed_is_fresh_entropy():
    labels = np.repeat([0, 1], 500)
    first, second = (draw_sets(labels, [[100, 100]])[0] for _ in range(2))
    assert not np.array_equal(first, second)
    assert not np.array_equal(*(draw_weights(labels, [[100, 100]]) for _ in range(2)))
