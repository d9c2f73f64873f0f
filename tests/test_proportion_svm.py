"""The labelling step against brute force, and a classifier learned without labels."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from ldpbook.proportion_svm import ProportionSVM, _best_labels

ROWS = np.array([[0.9, 0.1], [0.1, 0.9]])


def two_groups(share, size, rng):
    """Points around 0 and around (4, 0), the latter with the given share."""
    far = np.arange(size) < round(share * size)
    return np.column_stack([4.0 * far, np.zeros(size)]) + rng.standard_normal((size, 2))


@given(
    st.lists(st.floats(-3, 3), min_size=1, max_size=7),
    st.floats(0, 1),
    st.floats(0.01, 10),
    st.floats(0.01, 100),
)
def test_labels_of_a_set_cost_least(scores, share, cost, proportion_cost):
    s = np.array(scores)

    def price(labels):
        y = np.array(labels)
        away = abs((y > 0).mean() - share)
        return cost * np.maximum(0, 1 - y * s).sum() + proportion_cost * away

    least = min(price(labels) for labels in product([-1, 1], repeat=len(s)))
    found = _best_labels(s, share, cost, proportion_cost)
    assert price(found) == pytest.approx(least, abs=1e-9)


def test_finds_the_groups_without_labels():
    rng = np.random.default_rng(0)
    sets = [two_groups(share, 200, rng) for share in (0.1, 0.9)]
    svm = ProportionSVM(bandwidth=2.0, n_restarts=2).fit(sets, ROWS)
    found = svm.predict([two_groups(share, 1000, rng) for share in (0.3, 0.5, 0.8)])
    np.testing.assert_allclose(found[:, 1], [0.3, 0.5, 0.8], atol=0.06)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_the_best_start_is_kept():
    """More restarts never end with a larger objective, so more of them find the groups."""
    rng = np.random.default_rng(1)
    sets = [two_groups(share, 60, rng) for share in (0.3, 0.7)]
    town = [two_groups(0.9, 400, rng)]
    rows = np.array([[0.7, 0.3], [0.3, 0.7]])
    found = [
        ProportionSVM(bandwidth=2.0, n_restarts=n, rng=0).fit(sets, rows).predict(town)[0, 1] for n in (1, 8)
    ]
    assert abs(found[1] - 0.9) <= abs(found[0] - 0.9) + 1e-12
    assert abs(found[1] - 0.9) < 0.1


def test_seeded_and_cloneable():
    rng = np.random.default_rng(2)
    sets = [two_groups(share, 50, rng) for share in (0.1, 0.9)]
    svm = ProportionSVM(bandwidth=2.0, cost=2.0, rng=4)
    first, second = (clone(svm).fit(sets, ROWS).predict(sets) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    with pytest.raises(ValueError, match="not fitted"):
        svm.predict(sets)


@pytest.mark.parametrize(
    ("name", "value"), [("bandwidth", 0), ("cost", -1), ("proportion_cost", 0), ("n_restarts", 0)]
)
def test_bad_parameters(name, value):
    with pytest.raises(ValueError, match=rf"^{name} must"):
        ProportionSVM(**{name: value}).fit([[[0.0]], [[1.0]]], ROWS)


def test_two_classes_only():
    with pytest.raises(ValueError, match=r"^proportions must be of two classes"):
        ProportionSVM().fit([[[0.0]], [[1.0]], [[2.0]]], np.eye(3))
    with pytest.raises(ValueError, match=r"^proportions must be of two classes"):
        ProportionSVM().fit([[[0.0]], [[1.0]], [[2.0]]], ROWS)
