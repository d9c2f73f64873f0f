"""The listener of the localization runs."""

import numpy as np
import pytest

from ldpcourse.runs.localization import followed


@pytest.mark.parametrize("sigma", [0.5, 10.0, 400.0])
def test_the_listener_finds_the_posterior_mean(sigma):
    """Condition all positions of normal walks on all observations at once."""
    seen = np.random.default_rng(0).normal(50, 40, (6, 3, 2))
    times = np.arange(6)
    walks = 100**2 / 12 + 2**2 * np.minimum(times[:, None], times)  # covariance of one coordinate
    gains = np.linalg.solve(walks + sigma**2 * np.eye(6), walks[:, -1])
    expected = 50 + np.einsum("t,tnk->nk", gains, seen - 50)
    np.testing.assert_allclose(followed(seen, sigma), expected, rtol=1e-9)
