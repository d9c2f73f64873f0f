"""Bias of the estimators, and the Rice likelihood against scipy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import rice

from ldpbook.localization.noisy_distances import halved_distance, printed_distance, rice_distance


def observed(distance, sigma, size, seed=0):
    rng = np.random.default_rng(seed)
    shifted = sigma * rng.standard_normal((2, size, 2)) + np.array([[[0, 0]], [[distance, 0]]])
    return np.linalg.norm(shifted[0] - shifted[1], axis=-1)


@given(st.floats(0.01, 20), st.floats(0.05, 5))
def test_rice_is_the_maximum_of_the_likelihood(r, sigma):
    found = float(rice_distance(r, sigma=sigma))
    scale = np.sqrt(2) * sigma

    def at(d):
        return rice.logpdf(r, d / scale, scale=scale)

    grid = np.linspace(0, r, 2001)
    assert at(found) >= at(grid).max() - 1e-9
    assert 0 <= found <= r


@pytest.mark.parametrize("sigma", [0.3, 1.0])
def test_rice_is_zero_where_printed_estimate_ends(sigma):
    r = np.array([0, 0.5, 0.999, 1.001, 3]) * 2 * sigma
    np.testing.assert_array_equal(
        rice_distance(r, sigma=sigma) == 0, np.isnan(printed_distance(r, sigma=sigma))
    )


def test_square_of_the_printed_one_is_unbiased():
    r = observed(1.0, 0.3, 400_000)
    square = r**2 - 4 * 0.3**2
    assert abs(square.mean() - 1) < 4 * square.std() / np.sqrt(r.size)
    kept = square >= 0
    np.testing.assert_allclose(printed_distance(r, sigma=0.3)[kept] ** 2, square[kept])


def test_first_order_biases():
    """Bias is -sigma^2/d for the printed estimator, 0 for the halved one, +sigma^2/d without correction."""
    d, sigma = 1.0, 0.1
    r = observed(d, sigma, 1_000_000)
    for estimate, bias in [
        (printed_distance(r, sigma=sigma), -(sigma**2) / d),
        (halved_distance(r, sigma=sigma), 0.0),
        (r, sigma**2 / d),
    ]:
        error = estimate.std() / 1000
        assert abs(estimate.mean() - d - bias) < 4 * error + 5 * sigma**4 / d**3


@given(st.floats(1e-3, 50), st.integers(-500, 500))
def test_units_of_length_do_not_matter(ratio, power):
    """Scaling by powers of 2 is exact, even if squares overflow or vanish."""
    unit = 2.0**power
    for function in (printed_distance, halved_distance, rice_distance):
        found = function([1.0, 3.0, 70.0], sigma=ratio)
        # The square root of an odd power of 2 is rounded.
        np.testing.assert_allclose(
            function(np.array([1.0, 3.0, 70.0]) * unit, sigma=ratio * unit), found * unit, rtol=1e-14
        )


def test_far_points_keep_their_distance():
    for function in (printed_distance, halved_distance, rice_distance):
        for sigma in (1.0, 1e-300):
            np.testing.assert_allclose(function([1e10, 1e200], sigma=sigma), [1e10, 1e200])


def test_bad_input():
    for function in (printed_distance, halved_distance, rice_distance):
        for wrong in (-1.0, np.nan, [1.0, np.inf]):
            with pytest.raises(ValueError, match=r"^observed must"):
                function(wrong, sigma=1.0)
        with pytest.raises(ValueError, match=r"^sigma must"):
            function(1.0, sigma=0.0)
