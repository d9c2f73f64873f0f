"""dirichlet_delta against 50-digit arithmetic, over its whole range: never too small, hardly too large.

``make test-slow`` draws 2,000 arguments, see draws.py.
"""

import functools

import mpmath as mp
import numpy as np
import pytest
from draws import draws
from scipy.special import gammaln

from ldpbook.class_ratios.scaled_dirichlet import dirichlet_delta

N = draws(50)


def truth(i: int, j: int, scale: float, epsilon: float) -> tuple[mp.mpf, mp.mpf]:
    """Pr[loss > epsilon] and the smallest delta for a label moved from i to j, by mpmath's quadrature.

    Integrates the density of x = ln(t / (1 - t)) piecewise; pieces start where it falls or bends.
    """
    with mp.workdps(50):
        s, epsilon = mp.mpf(scale), mp.mpf(epsilon)
        a, b = s * i, s * j
        loggamma = [mp.loggamma(x) for x in (a, b, a - s, b + s, a + b)]
        start = (loggamma[0] + loggamma[1] - loggamma[2] - loggamma[3] + epsilon) / s
        mode, constant = mp.log(a / b), loggamma[4] - loggamma[0] - loggamma[1]

    def log_density(x):
        return constant + a * x - (a + b) * (mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x)))

    def outward(first, side):
        step = mp.sqrt(1 / a + 1 / b) / 2**20
        while log_density(first) - log_density(first + side * step) < 0.5:
            step *= 2
        ends = [first]
        while log_density(first) - log_density(ends[-1]) < 120:
            ends.append(ends[-1] + side * step)
            step *= 1.5
        return ends

    with mp.workdps(50):
        ends = outward(max(start, mode), 1)
        if start < mode:
            left = outward(mode, -1)
            ends += [max(start, left[-1]), *(x for x in left if x > start)]
        inner = [side * mp.mpf(2) ** k for k in range(-1, 30) for side in (1, -1)]
        inner += [0, *(start + c / s for c in (1, 3, 9, 27, 81))]
        ends = sorted({*ends, *(x for x in inner if min(ends) < x < max(ends))})

    @functools.cache  # both integrals use the same points
    def density(x):
        return mp.exp(log_density(x))

    with mp.workdps(25):
        exact = mp.quad(density, ends, method="gauss-legendre")
        spent = mp.quad(lambda x: -density(x) * mp.expm1(-s * (x - start)), ends, method="gauss-legendre")
        return exact, spent


def drawn(seed: int) -> tuple[int, int, float, float]:
    """Log-uniform arguments; every second epsilon is on the scale of the loss, where the test is strict."""
    rng = np.random.default_rng(seed)
    scale = 10 ** (rng.uniform(-30, 6) if seed % 5 == 0 else rng.uniform(-6, 3))
    i, j = (round(10 ** rng.uniform(np.log10(2), 6)) for _ in "ij")
    epsilon = 10 ** rng.uniform(-6, np.log10(50))
    if seed % 2:
        epsilon = np.clip((scale * (1 / i + 1 / j)) ** 0.5 * rng.uniform(0, 8), 1e-6, 50)
    return i, j, float(scale), float(epsilon)


@pytest.mark.parametrize("seed", range(N))
def test_delta_is_never_too_small(seed):
    i, j, scale, epsilon = drawn(seed)
    both = [truth(*pair, scale, epsilon) for pair in ((i, j), (j, i))]
    for method, true in zip(("exact", "tight"), map(max, zip(*both, strict=True)), strict=True):
        found = dirichlet_delta([i, j], scale=scale, epsilon=epsilon, method=method)
        assert found >= true * (1 - mp.mpf("1e-9")) - mp.mpf("1e-15")
        assert found <= min(1, true * (1 + mp.mpf("1e-8"))) + mp.mpf("1e-300")


@pytest.mark.parametrize("scale", [1e-6, 1e-20, 1e-30])
def test_the_limit_of_small_scales(scale):
    """Closed forms for the counts 2, 2: with l = 3/4 e, 1/(2 l^2), and the same minus e/(4 l^3)."""
    ratio = 0.75 * np.e
    for method, limit in [("exact", ratio**-2 / 2), ("tight", ratio**-2 / 2 - np.e * ratio**-3 / 4)]:
        found = dirichlet_delta([2, 2], scale=scale, epsilon=1.0, method=method)
        assert found == pytest.approx(limit, rel=1e-5)


@pytest.mark.parametrize("scale", [1e-31, 1e-40, 1e-300, 1.1e6, 1e300])
@pytest.mark.parametrize("method", ["exact", "tight", "chebyshev"])
def test_scales_that_floats_do_not_hold(scale, method):
    with pytest.raises(ValueError, match=r"^scale must be in \[1e-30, 1e\+06\], got"):
        dirichlet_delta([2, 2], scale=scale, epsilon=1.0, method=method)


@pytest.mark.parametrize("seed", range(20))
def test_the_reference_is_the_incomplete_beta_function(seed):
    """Difference of two incomplete beta functions where that is quick, with digits to spare."""
    rng = np.random.default_rng([1, seed])
    i, j = (int(x) for x in rng.integers(2, 200, 2))
    scale, epsilon = float(10 ** rng.uniform(-2, 1)), float(10 ** rng.uniform(-3, 0.5))
    exact, tight = truth(i, j, scale, epsilon)
    with mp.workdps(120):
        s, a, b = mp.mpf(scale), mp.mpf(scale) * i, mp.mpf(scale) * j
        log_odds = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a - s) - mp.loggamma(b + s) + mp.mpf(epsilon)
        rest = 1 / (1 + mp.exp(log_odds / s))
        here = mp.betainc(b, a, 0, rest, regularized=True)
        there = mp.betainc(b + s, a - s, 0, rest, regularized=True)
        assert mp.almosteq(exact, here, rel_eps=mp.mpf("1e-15"))
        assert mp.almosteq(tight, here - mp.exp(epsilon) * there, rel_eps=mp.mpf("1e-15"))


@pytest.mark.parametrize(
    ("counts", "scale", "epsilon", "method", "delta"),
    [
        ([2, 2], 1e-6, 1e-3, "tight", 0.2808),
        ([2, 2], 0.0063, 0.05, "tight", 0.2596),
        ([10, 10], 1e-3, 1e-5, "tight", 0.0502),
        ([4, 4, 4], 0.05, 0.05, "tight", 0.1113),
        ([7, 993], 0.01, 0.05, "tight", 0.0348),
        ([11, 300], 1e-3, 0.05, "exact", 0.3921),
        ([50, 800], 1e-5, 0.01, "exact", 0.3985),
    ],
)
def test_small_scales_by_simulation(counts, scale, epsilon, method, delta):
    """Neighbouring distributions near the corners: odds from logarithms of gamma variables."""
    found = dirichlet_delta(counts, scale=scale, epsilon=epsilon, method=method)
    assert found == pytest.approx(delta, abs=6e-5)
    rng, n, means = np.random.default_rng(0), 400_000, []
    for i, j in [(counts[0], counts[1]), (counts[1], counts[0])]:
        # A gamma variable of shape a is one of shape a + 1 times u^(1/a); small ones do not underflow.
        x, y = (
            np.log(rng.gamma(scale * k + 1, size=n)) + np.log(rng.random(n)) / (scale * k) for k in (i, j)
        )
        log_lambda = gammaln(scale * i) + gammaln(scale * j) - gammaln(scale * (i - 1))
        loss = scale * (x - y) - log_lambda + gammaln(scale * (j + 1))
        shown = loss > epsilon if method == "exact" else np.maximum(0, -np.expm1(epsilon - loss))
        means.append((shown.mean(), shown.std() / n**0.5))
    mean, error = max(means)
    assert abs(found - mean) < 5 * error
