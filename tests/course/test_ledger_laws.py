"""Distributions, weights and counts in the ledger of class ratios have the right sums."""

import numpy as np
import pytest

from ldpcourse.ledger.class_ratios import _shared, fair_comparison, label_privacy, learning_bound


@pytest.mark.parametrize("laws", [label_privacy._laws_of_chosen_scales, label_privacy._laws_of_the_fallback])
def test_densities_integrate_to_one(laws):
    densities, step = laws()
    assert (densities >= 0).all()
    np.testing.assert_allclose(densities.sum(axis=1) * step, 1, rtol=0, atol=1e-6)


def test_densities_have_the_mean_of_the_share():
    """The mean of Dir(sigma eta) is the true share at any scale."""
    densities, step = label_privacy._laws_of_chosen_scales()
    share = 1 / (1 + np.exp(-np.linspace(-400, 100, 1_000_001)))
    np.testing.assert_allclose(densities @ share * step, [0.042, 0.041], rtol=1e-6)


def test_counts_have_stated_size_and_town_is_distribution():
    for n_classes in (2, 3, 5, 7, 10):
        assert fair_comparison._default(n_classes).sum() == 1000
    assert {int(counts.sum()) for counts, _ in fair_comparison._PLOTS} == {1000}
    assert _shared.LABELS.sum() == 1000
    assert np.sum(learning_bound._TOWN) == pytest.approx(1)


def test_released_proportions_add_up_to_one():
    for drawn in fair_comparison._draws(0.05):
        assert (drawn >= 0).all()
        np.testing.assert_allclose(drawn.sum(axis=1), 1, rtol=0, atol=1e-9)


def test_weights_of_a_class_are_a_mean():
    """Inner products of mean embeddings are those of the kernel, averaged over all pairs of two classes."""
    pytest.importorskip("sklearn")
    labels, kernel, between = _shared.digits()
    for a, b in ((0, 0), (3, 8)):
        pairs = kernel[np.ix_(labels == a, labels == b)]
        assert between[a, b] == pytest.approx(pairs.mean())
