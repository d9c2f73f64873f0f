"""The labelling step against brute force, and a classifier learned without labels."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from ldpbook.class_ratios.proportion_svm import ProportionSVM, _best_labels

ROWS = np.array([[0.9, 0.1], [0.1, 0.9]])


def two_groups(share, size, rng):
    """Points around 0 and, with the given share, around (4, 0)."""
    far = np.arange(size) < round(share * size)
    return np.column_stack([4.0 * far, np.zeros(size)]) + rng.standard_normal((size, 2))


@given(
    st.lists(st.floats(-3, 3), min_size=1, max_size=7),
    st.floats(0, 1),
    st.floats(0.01, 10),
    st.floats(0.01, 100),
)
def test_labels_of_a_set_have_minimal_cost(scores, share, cost, proportion_cost):
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
    svm = ProportionSVM(bandwidth=2.0, n_restarts=2, rng=0).fit(sets, ROWS)
    found = svm.predict([two_groups(share, 1000, rng) for share in (0.3, 0.5, 0.8)])
    np.testing.assert_allclose(found[:, 1], [0.3, 0.5, 0.8], atol=0.06)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_the_best_start_is_kept():
    """With eight starts the estimate is no worse than with one, and within 0.1 of the share."""
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
    with pytest.raises(ValueError, match=r"^proportions must have a row for each of the 3 sets"):
        ProportionSVM().fit([[[0.0]], [[1.0]], [[2.0]]], ROWS)


@pytest.fixture(scope="module")
def far_apart():
    """Groups of unequal size, so far apart that the guessed labels are the true ones."""
    rng = np.random.default_rng(3)
    sets = [two_groups(share, 60, rng) for share in (0.1, 0.6)]
    for s, n_far in zip(sets, (6, 36), strict=True):
        s[:n_far, 0] += 6.0
    return sets, np.concatenate([s[:, 0] > 5 for s in sets])


@pytest.mark.parametrize(("bandwidth", "cost"), [(1.0, 1.0), (3.0, 0.05), (3.0, 5.0)])
def test_classifier_is_the_svm_of_its_labels(far_apart, bandwidth, cost):
    """Against scikit-learn's own SVM of the true labels, point by point along a line."""
    sets, labels = far_apart
    rows = np.array([[0.9, 0.1], [0.4, 0.6]])
    svm = ProportionSVM(bandwidth, cost, proportion_cost=1e4, n_restarts=5, rng=0).fit(sets, rows)
    reference = SVC(C=cost, gamma=0.5 / bandwidth**2).fit(np.concatenate(sets), labels)
    line = np.column_stack([np.linspace(-6, 14, 2001), np.zeros(2001)])
    found = svm.predict([point[None] for point in line])[:, 1]
    np.testing.assert_array_equal(found, reference.predict(line))

    alpha, support = reference.dual_coef_[0], reference.support_vectors_
    norm = alpha @ rbf_kernel(support, support, gamma=0.5 / bandwidth**2) @ alpha
    margins = np.where(labels, 1, -1) * reference.decision_function(np.concatenate(sets))
    assert svm.objective_ == pytest.approx(norm / 2 + cost * np.maximum(0, 1 - margins).sum(), rel=1e-3)


def test_objective_counts_missed_proportions(far_apart):
    """No split of the groups has these proportions, so each difference must have its cost."""
    sets, _ = far_apart
    rows = np.array([[0.9, 0.1], [0.39, 0.61]])  # of 60: 36 or 37 positive, never 36.6
    cheap, dear = (
        ProportionSVM(3.0, proportion_cost=c, n_restarts=5, rng=0).fit(sets, rows).objective_
        for c in (1.0, 2.0)
    )
    assert dear - cheap == pytest.approx(abs(36 / 60 - 0.61), rel=1e-2)


def test_more_restarts_never_end_higher(far_apart):
    sets, _ = far_apart
    rows = np.array([[0.9, 0.1], [0.4, 0.6]])
    objectives = [ProportionSVM(1.0, n_restarts=n, rng=9).fit(sets, rows).objective_ for n in (1, 2, 4, 8)]
    assert objectives == sorted(objectives, reverse=True)
