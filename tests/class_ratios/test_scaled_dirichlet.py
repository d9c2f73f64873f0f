"""The scale is the largest that meets the target, and public when it is said to be."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy.special import gammaln, polygamma
from scipy.stats import beta

from ldpbook.class_ratios.scaled_dirichlet import ScaledDirichlet, dirichlet_delta, moved_delta
from ldpbook.foundations.local_privacy import (
    gaussian_delta,
)

COUNTS = [50, 50, 50, 50, 800]


def as_printed(epsilon, delta, method="tight"):
    return ScaledDirichlet(epsilon, delta, method, scale_from_private_counts=True)


@pytest.mark.parametrize(("method", "scale"), [("exact", 0.0082), ("tight", 0.785)])
def test_specification(method, scale):
    assert as_printed(0.05, 0.05, method).scale_of(COUNTS) == pytest.approx(scale, rel=3e-3)


@pytest.mark.parametrize("method", ["exact", "tight", "chebyshev"])
def test_scale_is_the_largest(method):
    counts = [400, 700, 5000]
    scale = as_printed(0.3, 0.1, method).scale_of(counts)

    def delta(at):
        return dirichlet_delta(counts, scale=at, epsilon=0.3, method=method)

    assert delta(scale) <= 0.1
    assert min(delta(scale * f) for f in (1.0001, 1.1, 2, 10, 100)) > 0.1


@pytest.mark.parametrize(
    ("counts", "epsilon", "delta"), [([50, 60, 800], 0.05, 0.05), ([33, 20, 58, 41], 1.0, 0.3)]
)
def test_scale_is_the_largest_for_every_pair(counts, epsilon, delta):
    """Few pairs of classes decide, but no ordered pair is worse; the first set has a large class."""
    scale = as_printed(epsilon, delta, "exact").scale_of(counts)

    def worst(at):
        pairs = [(a, b) for k, a in enumerate(counts) for m, b in enumerate(counts) if k != m]
        return max(moved_delta(a, b, sum(counts), at, epsilon, "exact") for a, b in pairs)

    assert worst(scale) <= delta
    assert min(worst(scale * f) for f in (1 + 1e-6, 1.01, 1.5, 4, 30)) > delta


def test_pairs_that_differ():
    """Each ordered pair of counts once; a count with itself only if two classes have it."""
    deltas = [
        dirichlet_delta(counts, scale=0.1, epsilon=0.5)
        for counts in ([30, 50, 50, 50, 90], [90, 50, 30, 50], [30, 90, 50])
    ]
    pairs = {(a, b): moved_delta(a, b, 0, 0.1, 0.5, "exact") for a in (30, 50, 90) for b in (30, 50, 90)}
    assert deltas[0] == deltas[1] == max(pairs[p] for p in pairs if p[0] != p[1] or p[0] == 50)
    assert deltas[2] == max(pairs[p] for p in pairs if p[0] != p[1])
    assert dirichlet_delta([30, 30], scale=0.1, epsilon=0.5) == pairs[30, 30]


@pytest.mark.parametrize("method", ["tight", "exact", "chebyshev"])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 0.1), (2.0, 0.01)])
def test_exact_epsilon_is_that_of_public_scale(method, epsilon, delta):
    mechanism = ScaledDirichlet(epsilon, delta, method, least_count=900)
    exact = mechanism.exact_epsilon
    assert moved_delta(901, 900, 1801, mechanism.scale, exact, "tight") <= delta
    assert exact <= epsilon
    if exact > 0:
        assert moved_delta(901, 900, 1801, mechanism.scale, exact * (1 - 1e-9), "tight") > delta
    if method == "tight":
        assert exact == pytest.approx(epsilon, rel=1e-6)


def test_epsilon_may_be_zero():
    assert ScaledDirichlet(0.0, 0.2, least_count=900).exact_epsilon == 0


def test_no_guarantee_where_counts_choose_the_scale():
    assert as_printed(0.3, 0.1).exact_epsilon == np.inf


def test_classes_by_name():
    counts = pd.Series({"no": 60, "perhaps": 70, "yes": 200})
    mechanism = ScaledDirichlet(0.5, 0.1, least_count=60)
    found = mechanism.perturb(counts, rng=1)
    assert found.index.tolist() == ["no", "perhaps", "yes"]
    np.testing.assert_array_equal(found, mechanism.perturb(counts.to_list(), rng=1))
    assert mechanism.scale_of(counts) == mechanism.scale


def test_no_scale():
    with pytest.raises(ValueError, match=r"^counts must allow a scale .* smallest is 50: raise"):
        as_printed(0.05, 0.05, "chebyshev").scale_of(COUNTS)
    with pytest.raises(ValueError, match=r"^counts must allow a scale .* smallest is 1: raise"):
        as_printed(0.05, 0.05).scale_of([1, 1000])
    with pytest.raises(ValueError, match=r"^counts must allow a scale .* smallest is 2: raise"):
        _ = ScaledDirichlet(0.05, 0.05, least_count=2).scale
    with pytest.raises(ValueError, match=r"^scale_from_private_counts must be False for a public scale"):
        _ = as_printed(0.05, 0.05).scale


def test_no_unsafe_default():
    """Setting neither option, both options, or a number for the flag is refused."""
    for wrong in ({}, {"least_count": None}, {"least_count": 5, "scale_from_private_counts": True}):
        with pytest.raises(ValueError, match=r"^least_count must be a public lower bound"):
            ScaledDirichlet(0.05, 0.05, "tight", **wrong)
    with pytest.raises(TypeError, match=r"^scale_from_private_counts must be True or False, got 1"):
        ScaledDirichlet(0.05, 0.05, scale_from_private_counts=1)


@pytest.mark.parametrize("method", ["tight", "exact"])
@pytest.mark.parametrize("least", [1, 2, 7, 30])
def test_public_scale_covers_all_allowed_counts(method, least):
    """Both directions: every ordered pair of classes of two sets that keep the bound."""
    mechanism = ScaledDirichlet(2.0, 0.2, method, least_count=least)
    scale = mechanism.scale
    assert mechanism.scale_of([70, 90, 31]) == scale
    deltas = {
        (i, j): moved_delta(i, j, i + j, scale, 2.0, "tight")
        for i in (least + k for k in (1, 2, 5, 30, 1000))
        for j in (least + k for k in (0, 1, 5, 30, 1000))
    }
    assert max(deltas.values()) <= 0.2
    assert max(deltas, key=deltas.get) == (least + 1, least)
    if method == "tight":
        assert max(deltas.values()) == pytest.approx(0.2, rel=1e-6)


@pytest.mark.parametrize("seed", range(40))
def test_smallest_delta_falls_in_both_counts(seed):
    """The theorem "The smallest classes decide", at log-uniform arguments."""
    rng = np.random.default_rng(seed)
    i, j = (int(10 ** rng.uniform(np.log10(2), 4)) for _ in range(2))
    scale = 10 ** rng.uniform(-6, 3)
    epsilon = (scale * (1 / i + 1 / j)) ** 0.5 * 10 ** rng.uniform(-2, 0.8)
    few = moved_delta(i, j, i + j, scale, epsilon, "tight")
    for more in (1, 7, 300):
        for a, b in ((i + more, j), (i, j + more)):
            assert moved_delta(a, b, a + b, scale, epsilon, "tight") <= few * (1 + 1e-8)


def test_public_scales_do_not_see_the_counts():
    mechanism = ScaledDirichlet(0.2, 0.05, least_count=30)
    same = [mechanism.perturb([30, 500], 3), mechanism.perturb([30, 500], np.random.default_rng(3))]
    np.testing.assert_array_equal(*same)
    for refuses in (lambda counts: mechanism.perturb(counts, 3), mechanism.scale_of):
        with pytest.raises(ValueError, match=r"^counts must be at least 30"):
            refuses([29, 500])


def test_draws_have_the_stated_mean_and_variance():
    mechanism = ScaledDirichlet(0.5, 0.1, least_count=60)
    counts = np.array([60, 100, 200])
    scale, share = mechanism.scale_of(counts), counts / 360
    rng = np.random.default_rng(0)
    draws = np.array([mechanism.perturb(counts, rng) for _ in range(400)])
    variance = share * (1 - share) / (scale * 360 + 1)
    np.testing.assert_allclose(draws.sum(axis=1), 1)
    assert (np.abs(draws.mean(axis=0) - share) < 4 * np.sqrt(variance / 400)).all()
    assert (np.abs(draws.var(axis=0) / variance - 1) < 4 * np.sqrt(3 / 400)).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epsilon", -1),
        ("delta", 0),
        ("delta", 1),
        ("method", "loose"),
        ("least_count", 0),
    ],
)
def test_bad_parameters(name, value):
    good = {"epsilon": 0.1, "delta": 0.1, "least_count": 5}
    with pytest.raises(ValueError, match=rf"^{name} must"):
        ScaledDirichlet(**good | {name: value})


def test_bad_counts():
    for counts in ([5], [0, 5], [2.5, 5]):
        with pytest.raises(ValueError, match=r"^counts must be integers"):
            ScaledDirichlet(0.1, 0.1, least_count=5).perturb(counts, 0)


def loss_threshold(i, j, sigma, epsilon):
    """tau, from the printed Lambda."""
    log_lambda = gammaln(sigma * i) + gammaln(sigma * j) - gammaln(sigma * (i - 1)) - gammaln(sigma * (j + 1))
    return 1 / (1 + np.exp(-(log_lambda + epsilon) / sigma))


class TestDirichlet:
    @given(st.integers(2, 300), st.integers(2, 300), st.floats(0.05, 5), st.floats(0, 3))
    def test_two_classes_by_the_printed_formulas(self, i, j, sigma, epsilon):
        exact, tight = [], []
        for a, b in [(i, j), (j, i)]:
            tau = loss_threshold(a, b, sigma, epsilon)
            exact.append(beta.sf(tau, sigma * a, sigma * b))
            tight.append(exact[-1] - np.exp(epsilon) * beta.sf(tau, sigma * (a - 1), sigma * (b + 1)))
        found = {
            m: dirichlet_delta([i, j], scale=sigma, epsilon=epsilon, method=m) for m in ("exact", "tight")
        }
        assert found["exact"] == pytest.approx(max(exact), abs=1e-7)
        assert found["tight"] == pytest.approx(max(*tight, 0), abs=1e-7)

    def test_tight_delta_is_that_of_simulated_outputs(self):
        """Delta of the best event, found on simulated outputs of three classes."""
        eta, sigma, epsilon = np.array([8, 5, 30]), 0.7, 0.3
        rng = np.random.default_rng(0)
        moved = eta + np.array([-1, 1, 0])
        draws = [rng.dirichlet(sigma * counts, 400_000) for counts in (eta, moved)]
        tau = loss_threshold(8, 5, sigma, epsilon)
        share = [(d[:, 0] / (d[:, 0] + d[:, 1]) > tau).mean() for d in draws]
        shown = share[0] - np.exp(epsilon) * share[1]
        error = np.sqrt((share[0] + np.exp(2 * epsilon) * share[1]) / 400_000)
        assert abs(shown - dirichlet_delta(eta[:2], scale=sigma, epsilon=epsilon, method="tight")) < 4 * error
        assert shown <= dirichlet_delta(eta, scale=sigma, epsilon=epsilon, method="tight") + 4 * error

    @given(st.lists(st.integers(2, 2000), min_size=2, max_size=6), st.floats(1e-3, 3), st.floats(0.01, 2))
    def test_tight_below_exact_below_chebyshev(self, counts, sigma, epsilon):
        tight, exact, chebyshev = (
            dirichlet_delta(counts, scale=sigma, epsilon=epsilon, method=m)
            for m in ("tight", "exact", "chebyshev")
        )
        assert 0 <= tight <= exact + 1e-12
        assert exact <= chebyshev + 1e-9
        assert chebyshev <= 1

    @pytest.mark.parametrize("sigma", [1e-6, 1e-5, 1e-4])
    def test_tiny_scales(self, sigma):
        """As sigma -> 0 the loss becomes an exponential waiting time; delta approaches the limit smoothly."""
        i, j, epsilon = 800, 50, 0.05
        log_lambda = np.log((i - 1) * (j + 1) / (i * j))  # Gamma(x) is 1/x near 0
        limit = i / (i + j) * np.exp(-j * (epsilon + log_lambda))
        assert dirichlet_delta([i, j], scale=sigma, epsilon=epsilon) == pytest.approx(
            limit, rel=20 * sigma * i
        )

    def test_large_counts(self):
        """Ten million labels: the loss is nearly normal, with the variance of the digamma function."""
        n, sigma, epsilon = 10**7, 2.0, 0.002
        mean_loss = sigma * sigma * polygamma(1, sigma * n)
        ratio = np.sqrt(2 * mean_loss)
        found = dirichlet_delta([n, n], scale=sigma, epsilon=epsilon, method="tight")
        assert found == pytest.approx(gaussian_delta(sigma=1, distance=ratio, epsilon=epsilon), rel=0.01)
        tiny = dirichlet_delta([n, n], scale=1e-6, epsilon=1e-6)
        tau = 1 / (
            1 + np.exp(-1.0)
        )  # equal classes: the loss depends on the output alone, epsilon over sigma
        assert tiny == pytest.approx(beta.sf(tau, 10, 10), rel=1e-5)

    @pytest.mark.parametrize("method", ["exact", "tight", "chebyshev"])
    @pytest.mark.parametrize("scale", [1e-30, 0.1, 1e6])
    def test_huge_epsilons(self, method, scale):
        for epsilon in (1e100, 1e300, 1.7e308):
            delta = dirichlet_delta([30, 70], scale=scale, epsilon=epsilon, method=method)
            assert 0 < delta <= 1 if method == "chebyshev" else 0 < delta < 1e-300

    def test_single_labels_and_bad_input(self):
        for method in ("exact", "tight", "chebyshev"):
            assert dirichlet_delta([1, 50], scale=1, epsilon=1, method=method) == 1
        for counts in ([5], [0, 5], [-1, 5], [2.5, 5], [[2, 3]], [np.nan, 3]):
            with pytest.raises(ValueError, match=r"^counts must be integers"):
                dirichlet_delta(counts, scale=1, epsilon=1)
        for name, value in [("scale", 0), ("epsilon", -1), ("method", "loose")]:
            with pytest.raises(ValueError, match=rf"^{name} must"):
                dirichlet_delta(**{"counts": [5, 5], "scale": 1, "epsilon": 1, name: value})
