import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom

from ldpbook.class_ratios import bounds, dirichlet_delta
from ldpbook.class_ratios.bounds import (
    class_ratio_error_bound,
    class_ratio_error_bound_corrected,
    composed_delta,
    composed_epsilon,
    dirichlet_delta_limit,
    embedding_deviation_bound,
    embedding_deviation_bound_corrected,
    label_noise_bound,
    label_noise_bound_corrected,
)

LEMMA = {
    "proportions": [[0.7, 0.3], [0.2, 0.8]],
    "set_sizes": [100, 50],
    "scales": [0.1, 0.4],
    "zeta": 0.04,
}


class TestClassRatios:
    def test_printed_deviation_bound(self):
        found = embedding_deviation_bound(n_instances=400, delta=0.01)
        assert found == pytest.approx(0.1 + math.sqrt(math.log(200) / 800))

    @given(st.integers(1, 10**9), st.floats(1e-12, 0.9), st.floats(0.1, 2.0))
    def test_corrected_deviation_bound(self, n, delta, distance):
        setting = {"n_instances": n, "delta": delta}
        found = embedding_deviation_bound_corrected(**setting, largest_distance=distance)
        assert found * math.sqrt(n) == pytest.approx(1 + distance * math.sqrt(math.log(1 / delta) / 2))

    def test_deviation_bounds_in_an_exact_case(self):
        """Two opposite vectors: a binomial distribution. The printed bound fails, the corrected one holds."""
        n, heads = 1000, np.arange(1001)
        away, chances = np.abs(2 * heads / n - 1), binom.pmf(heads, n, 0.5)
        for delta in (0.5, 1e-2, 1e-6):
            setting = {"n_instances": n, "delta": delta}
            holds = embedding_deviation_bound_corrected(**setting, largest_distance=2.0)
            assert chances[away > holds].sum() <= delta
        assert chances[away > embedding_deviation_bound(**setting)].sum() > 2 * delta

    def test_theorem_one_by_hand(self):
        c = [embedding_deviation_bound(n_instances=n, delta=0.05 / 5) for n in (100, 400, 900)]
        found = class_ratio_error_bound(
            set_sizes=[100, 400], n_unlabelled=900, least_singular=0.2, condition=3.0, delta=0.05
        )
        assert found == pytest.approx(4 * math.hypot(c[0], c[1]) / 0.2 + 3 * c[2])

    def test_corrected_bound_by_hand(self):
        c = [embedding_deviation_bound_corrected(n_instances=n, delta=0.05 / 3) for n in (100, 400, 900)]
        found = class_ratio_error_bound_corrected(
            set_sizes=[100, 400], n_unlabelled=900, class_singular=0.4, largest_weight=1.5, delta=0.05
        )
        assert found == pytest.approx((c[2] + 1.5 * math.hypot(c[0], c[1])) / 0.4)

    def test_lemma_four_by_hand(self):
        variances = [0.21 / 11, 0.21 / 11, 0.16 / 21, 0.16 / 21]
        assert label_noise_bound(**LEMMA) == pytest.approx(4 / 0.2 * math.sqrt(variances[0]))
        assert label_noise_bound_corrected(**LEMMA) == pytest.approx(math.sqrt(sum(variances)) / 0.2)

    def test_lemma_four_is_a_second_moment(self):
        rng = np.random.default_rng(0)
        drawn = [
            rng.dirichlet(scale * m * np.array(rho), 20_000)
            for rho, m, scale in zip(*(LEMMA[k] for k in ("proportions", "set_sizes", "scales")), strict=True)
        ]
        away = sum(((d - rho) ** 2).sum(axis=1) for d, rho in zip(drawn, LEMMA["proportions"], strict=True))
        expected = label_noise_bound_corrected(**LEMMA) ** 2 * 0.04
        assert abs(away.mean() - expected) < 4 * away.std() / math.sqrt(20_000)

    def test_equation_eleven_by_hand(self):
        """Two equal classes, e^(epsilon/sigma) = 2: (1 + 4 + 4) / (11 * 1)."""
        found = dirichlet_delta_limit(counts=[10, 10], scale=0.5, epsilon=0.5 * math.log(2))
        assert found == pytest.approx(9 / 11)

    def test_equation_eleven_is_the_limit_of_chebyshevs_bound(self):
        excess = []
        for factor in (1000, 10**5, 10**7):
            setting = dict(counts=[3 * factor, 7 * factor], scale=factor**-0.5, epsilon=factor**-0.5)
            excess.append(
                abs(dirichlet_delta(method="chebyshev", **setting) / dirichlet_delta_limit(**setting) - 1)
            )
        # The relative error of the threshold is of order 1 / (sigma times the count), here factor^-0.5.
        assert all(later < first / 5 for first, later in itertools.pairwise(excess))
        assert excess[2] < 1e-4

    def test_equation_eleven_without_epsilon(self):
        assert dirichlet_delta_limit(counts=[10, 20], scale=0.1, epsilon=0.0) == math.inf

    @pytest.mark.parametrize(
        ("function", "name", "value"),
        [
            ("dirichlet_delta_limit", "counts", [5]),
            ("dirichlet_delta_limit", "counts", [5, 0]),
            ("dirichlet_delta_limit", "scale", 0.0),
            ("dirichlet_delta_limit", "epsilon", -1.0),
            ("embedding_deviation_bound", "n_instances", 0),
            ("embedding_deviation_bound", "delta", 1.0),
            ("embedding_deviation_bound_corrected", "largest_distance", 2.5),
            ("embedding_deviation_bound_corrected", "largest_distance", 0.0),
            ("class_ratio_error_bound", "least_singular", 0.0),
            ("class_ratio_error_bound", "condition", -1.0),
            ("class_ratio_error_bound", "n_unlabelled", 0),
            ("class_ratio_error_bound_corrected", "class_singular", 0.0),
            ("class_ratio_error_bound_corrected", "largest_weight", 0.0),
            ("label_noise_bound", "proportions", [[1.2, -0.2], [0.5, 0.5]]),
            ("label_noise_bound", "scales", [0.0, 1.0]),
            ("label_noise_bound_corrected", "set_sizes", [0, 1]),
        ],
    )
    def test_bad_input(self, function, name, value):
        sizes = {"set_sizes": [10, 10], "n_unlabelled": 10, "delta": 0.1}
        good = {
            "embedding_deviation_bound": {"n_instances": 10, "delta": 0.1},
            "embedding_deviation_bound_corrected": {"n_instances": 10, "delta": 0.1},
            "class_ratio_error_bound": {**sizes, "least_singular": 1.0, "condition": 1.0},
            "class_ratio_error_bound_corrected": {**sizes, "class_singular": 1.0, "largest_weight": 1.0},
            "dirichlet_delta_limit": {"counts": [10, 20], "scale": 0.1, "epsilon": 0.1},
            "label_noise_bound": LEMMA,
            "label_noise_bound_corrected": LEMMA,
        }[function]
        with pytest.raises(ValueError, match=rf"^{name} must"):
            getattr(bounds, function)(**(good | {name: value}))


def composed_exactly(epsilon, n_releases, total):
    """Delta by all strings of truths and lies, one by one, to fifty digits."""
    with mp.workdps(50):
        truth = 1 / (1 + mp.exp(-mp.mpf(epsilon)))
        chances = [
            [mp.fprod(p if told else 1 - p for told in string) for p in (truth, 1 - truth)]
            for string in itertools.product((True, False), repeat=n_releases)
        ]
        return float(sum(max(mp.mpf(0), a - mp.exp(mp.mpf(total)) * b) for a, b in chances))


def least_epsilon(epsilon, n_releases, delta):
    """Epsilon of the worst event "at most k lies", with probabilities computed in turn to forty digits."""
    with mp.workdps(40):
        odds, truth = mp.exp(-mp.mpf(epsilon)), 1 / (1 + mp.exp(-mp.mpf(epsilon)))
        here, there = truth**n_releases, (1 - truth) ** n_releases  # no lie, for both neighbours
        below, beyond, worst = mp.mpf(0), mp.mpf(0), mp.mpf(1)
        for k in range(n_releases + 1):
            below, beyond = below + here, beyond + there
            worst = max(worst, (below - mp.mpf(delta)) / beyond)
            chances = mp.mpf(n_releases - k) / (k + 1)
            here, there = here * chances * odds, there * chances / odds
        return mp.log(worst)


class TestComposition:
    @pytest.mark.parametrize("n_releases", [1, 2, 5, 9])
    @pytest.mark.parametrize(
        ("epsilon", "part"), [(1e-3, 0.3), (0.5, 0.0), (0.5, 0.55), (3.0, 0.9), (30, 0.5)]
    )
    def test_delta_by_enumeration(self, n_releases, epsilon, part):
        total = part * n_releases * epsilon
        found = composed_delta(epsilon=epsilon, n_releases=n_releases, total=total)
        assert found == pytest.approx(composed_exactly(epsilon, n_releases, total), rel=1e-10)

    def test_a_printed_point(self):
        """The source's family of total epsilons (K - 2i) epsilon, here with K = 3 and i = 1."""
        e = math.exp(0.7)
        found = composed_delta(epsilon=0.7, n_releases=3, total=0.7)
        assert found == pytest.approx((e**3 - e) / (1 + e) ** 3)

    @given(st.floats(-6, 1.5).map(lambda x: 10.0**x), st.integers(1, 300), st.floats(-12, -0.01))
    def test_epsilon_is_the_inverse(self, epsilon, n_releases, power):
        delta = 10.0**power
        found = composed_epsilon(epsilon=epsilon, n_releases=n_releases, delta=delta)
        assert 0 <= found <= n_releases * epsilon
        setting = {"epsilon": epsilon, "n_releases": n_releases}
        assert composed_delta(**setting, total=found) <= delta * (1 + 1e-9) + 1e-16
        if found > 1e-9:
            assert composed_delta(**setting, total=found * (1 - 1e-6)) >= delta * (1 - 1e-9)

    @pytest.mark.parametrize(
        ("epsilon", "n_releases", "delta"),
        [
            (0.7, 3, 0.01),
            (0.7, 3, 0.3),
            (0.3, 5, 1e-6),
            (0.1, 100, 1e-6),
            (0.05, 1000, 1e-12),
            (5.4e-4, 20_000, 0.02),
            (5.4e-4, 52_406, 0.0197),
        ],
    )
    def test_epsilon_is_smallest_on_the_safe_side(self, epsilon, n_releases, delta):
        exact = least_epsilon(epsilon, n_releases, delta)
        found = composed_epsilon(epsilon=epsilon, n_releases=n_releases, delta=delta)
        assert 0 <= (found - exact) / exact < 1e-8

    @pytest.mark.parametrize(("epsilon", "n_releases"), [(5.4e-4, 52_406), (0.02, 100_000)])
    def test_delta_of_very_many_releases(self, epsilon, n_releases):
        """Delta at the exact epsilon of a delta is that delta."""
        exact = least_epsilon(epsilon, n_releases, 1e-3)
        found = composed_delta(epsilon=epsilon, n_releases=n_releases, total=float(exact))
        assert found == pytest.approx(1e-3, rel=1e-9)

    def test_ends(self):
        assert composed_epsilon(epsilon=0.2, n_releases=7, delta=0.0) == pytest.approx(1.4)
        assert composed_delta(epsilon=0.2, n_releases=7, total=1.4) == pytest.approx(0, abs=1e-15)
        assert composed_delta(epsilon=1e308, n_releases=9, total=5.0) == 1.0
        assert composed_epsilon(epsilon=40.0, n_releases=1000, delta=1e-12) == pytest.approx(40_000, rel=1e-9)
        with pytest.raises(ValueError, match="n_releases must be at most 100,000"):
            composed_delta(epsilon=1.0, n_releases=100_001, total=1.0)
