from math import exp, inf, nan, pi, sqrt

import hypothesis
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.integrate import quad
from scipy.stats import laplace, norm

from ldpbook.sparse_answers.bounds import (
    lp_mae_bound,
    lp_mae_bound_corrected,
    lp_mae_bound_equal_weights,
    mf_mae_bound,
    mf_mae_bound_corrected,
    rr_mae_bound,
    rr_mae_bound_corrected,
)

DOMAIN = range(10)


EXAMPLE = {"epsilon": 1.0, "domain": DOMAIN, "density": 0.1}


settings = st.fixed_dictionaries(
    {
        "epsilon": st.floats(0.05, 20),
        "density": st.floats(0.01, 1),
        "sigma": st.floats(0.1, 10),
        "truth": st.floats(-5, 12),
    }
)


class TestPrinted:
    @pytest.mark.parametrize(
        ("domain", "truth", "printed"),
        [(DOMAIN, 0, 14.13), (range(1, 11), 1, 14.13), (DOMAIN, 1, None)],
        ids=["the paper's", "the slide's, from 1 to 10", "the slide's, from 0 to 9"],
    )
    def test_lp_example_by_hand(self, domain, truth, printed):
        value = lp_mae_bound(**EXAMPLE | {"domain": domain}, truth=truth)
        middle = (domain[0] + domain[-1]) / 2
        assert value == pytest.approx(0.9 * (middle - truth + 10) + 0.1 * (sqrt(2 / pi) + 10))
        assert round(value, 2) == (printed or 13.23)

    def test_lp_every_argument_by_hand(self):
        value = lp_mae_bound(epsilon=2, domain=range(1, 6), density=0.25, sigma=3, truth=-1, fill_mean=2.0)
        assert value == pytest.approx(0.75 * (3 + 2.5) + 0.25 * (3 * sqrt(2 / pi) + 2.5))

    def test_lp_fills_with_the_domain_mean(self):
        assert lp_mae_bound(**EXAMPLE) == lp_mae_bound(fill_mean=4.5, **EXAMPLE)

    def test_rr_by_enumeration(self):
        epsilon, sigma, truth, s = 0.7, 2.0, 1.5, 0.3
        keep, other = exp(epsilon) / (10 + exp(epsilon)), 1 / (10 + exp(epsilon))
        mean_given = [sum(y * (keep if y == x else other) for y in DOMAIN) for x in DOMAIN]
        null = abs(truth - sum(y * other for y in DOMAIN))
        given_ = sum(norm.pdf(x, truth, sigma) * abs(truth - mean_given[x]) for x in DOMAIN)
        value = rr_mae_bound(epsilon=epsilon, domain=DOMAIN, density=s, sigma=sigma, truth=truth)
        assert value == pytest.approx((1 - s) * null + s * given_)

    def test_rr_example(self):
        """The printed 3.551 is the formula with all answers at 1, cut off; no normal density gives it."""
        x = np.arange(10)
        offset = (45 + (exp(1) - 1) * x) / (10 + exp(1))  # distance of the mean output from the truth 0
        density = norm.pdf(x)
        formula, scaled, away = (
            0.9 * 45 / (10 + exp(1)) + 0.1 * law @ offset
            for law in (density, density / density.sum(), x == 1)
        )
        assert rr_mae_bound(**EXAMPLE) == pytest.approx(formula) == pytest.approx(3.43679518)
        assert scaled == pytest.approx(3.54524, abs=5e-6)
        assert away == pytest.approx(3.55172, abs=5e-6)
        assert int(1000 * away) / 1000 == 3.551
        at_one = 0.9 * (45 / (10 + exp(1)) - 1) + 0.1 * norm.pdf(x, 1) @ (offset - 1)
        assert rr_mae_bound(truth=1, **EXAMPLE) == pytest.approx(at_one) == pytest.approx(2.53772, abs=5e-6)

    def test_mf_example(self):
        """The printed value is 1.8."""
        value = mf_mae_bound(epsilon=1.0, domain_size=10, n_tasks=1000, rank=100)
        assert value == pytest.approx(sqrt(2 / pi) + 100 * 10 / 1000)
        assert round(value, 1) == 1.8

    def test_mf_every_argument_by_hand(self):
        value = mf_mae_bound(epsilon=2.0, domain_size=10, n_tasks=1000, rank=100, quality=3.0)
        assert value == pytest.approx(3 * (sqrt(2 / pi) + 0.5))

    def test_defaults_are_the_examples(self):
        assert lp_mae_bound(**EXAMPLE) == lp_mae_bound(sigma=1.0, truth=0.0, **EXAMPLE)
        assert rr_mae_bound(**EXAMPLE) == rr_mae_bound(sigma=1.0, truth=0.0, **EXAMPLE)
        for corrected in (lp_mae_bound_corrected, rr_mae_bound_corrected):
            assert corrected(**EXAMPLE) == corrected(sigma=1.0, truth=0.0, **EXAMPLE)
        plain = {"epsilon": 1.0, "domain_size": 10, "n_tasks": 1000, "rank": 100}
        assert mf_mae_bound(**plain) == mf_mae_bound(quality=1.0, **plain)
        full = {"density": 1.0, "sigma": 1.0, "truth_deviation": 0.0, "quality": 1.0}
        assert mf_mae_bound_corrected(**plain) == mf_mae_bound_corrected(**full, **plain)


class TestCorrected:
    @hypothesis.settings(max_examples=12)
    @given(settings)
    def test_lp_is_the_exact_error_of_one_cell(self, setting):
        b = 10 / setting["epsilon"]
        mu, sigma, s = setting["truth"], setting["sigma"], setting["density"]
        offsets = np.array(DOMAIN) - mu
        # E|c + L| is the integral over t > 0 of P(|c + L| > t) = P(L > t - c) + P(L < -t - c).
        empty = np.mean(
            [
                quad(lambda t, c=c: laplace.sf(t - c, scale=b) + laplace.cdf(-t - c, scale=b), 0, abs(c))[0]
                + quad(lambda t, c=c: laplace.sf(t - c, scale=b) + laplace.cdf(-t - c, scale=b), abs(c), inf)[
                    0
                ]
                for c in offsets
            ]
        )
        knots = [-40 * sigma, -b, 0, b, 40 * sigma]
        answered = sum(
            quad(lambda x: norm.pdf(x, scale=sigma) * (abs(x) + b * exp(-abs(x) / b)), lo, hi)[0]
            for lo, hi in zip(sorted(knots), sorted(knots)[1:], strict=False)
        )
        value = lp_mae_bound_corrected(domain=DOMAIN, **setting)
        assert value == pytest.approx((1 - s) * empty + s * answered, rel=1e-4)

    @given(settings)
    def test_lp_is_continuous_at_switch_to_expansion(self, setting):
        b = 10 / setting["epsilon"]
        setting |= {"density": 1.0, "sigma": 25 * b * (1 - 1e-12)}
        below = lp_mae_bound_corrected(domain=DOMAIN, **setting)
        above = lp_mae_bound_corrected(domain=DOMAIN, **setting | {"sigma": 25 * b * (1 + 1e-12)})
        assert above == pytest.approx(below, rel=1e-9)
        # Beyond, the expansion is E|X| + b^2 times the density at 0, to leading order.
        far = lp_mae_bound_corrected(domain=DOMAIN, **setting | {"sigma": 1e3 * b})
        assert far - 1e3 * b * sqrt(2 / pi) == pytest.approx(b * sqrt(2 / pi) / 1e3, rel=1e-5)

    @given(settings, st.integers(0, 9))
    def test_lp_constant_fill(self, setting, fill):
        setting |= {"density": 1e-12}
        b, c = 10 / setting["epsilon"], fill - setting["truth"]
        value = lp_mae_bound_corrected(domain=DOMAIN, fill=fill, **setting)
        assert value == pytest.approx(abs(c) + b * exp(-abs(c) / b), abs=1e-9)

    @given(settings)
    def test_lp_triangle_inequality_of_the_repaired_theorem(self, setting):
        b, mu, s = 10 / setting["epsilon"], setting["truth"], setting["density"]
        phi = np.abs(np.array(DOMAIN) - mu).mean()
        repaired = (1 - s) * (phi + b) + s * (setting["sigma"] * sqrt(2 / pi) + b)
        assert lp_mae_bound_corrected(domain=DOMAIN, **setting) <= repaired + 1e-12

    @given(settings, st.integers(1, 50))
    def test_lp_equal_weights_is_root_of_second_moment(self, setting, m):
        b, mu, s = 10 / setting["epsilon"], setting["truth"], setting["density"]
        offset = np.array(DOMAIN) - mu
        bias = (1 - s) * offset.mean()
        second = (1 - s) * (offset**2).mean() + s * setting["sigma"] ** 2 + 2 * b**2
        value = lp_mae_bound_equal_weights(domain=DOMAIN, n_workers=m, **setting)
        assert value == pytest.approx(sqrt(bias**2 + (second - bias**2) / m))
        single = lp_mae_bound_equal_weights(domain=DOMAIN, n_workers=1, **setting)
        assert lp_mae_bound_corrected(domain=DOMAIN, **setting) <= single

    def test_lp_equal_weights_constant_fill(self):
        value = lp_mae_bound_equal_weights(n_workers=4, fill=3, **EXAMPLE)
        bias, second = 0.9 * 3, 0.9 * 9 + 0.1 + 200
        assert value == pytest.approx(sqrt(bias**2 + (second - bias**2) / 4))
        same = lp_mae_bound_equal_weights(n_workers=4, fill=3, sigma=1.0, truth=0.0, **EXAMPLE)
        assert value == same

    @given(settings)
    def test_rr_by_enumeration(self, setting):
        e, mu, s = exp(setting["epsilon"]), setting["truth"], setting["density"]
        x = np.array(DOMAIN)
        law = norm.pdf(x, mu, setting["sigma"])
        assume(law.sum() > 0)
        inputs = np.append(s * law / law.sum(), 1 - s)
        transition = (np.ones((11, 11)) + (e - 1) * np.eye(11)) / (10 + e)
        output = inputs @ transition
        expected = output[:-1] @ np.abs(x - mu) / output[:-1].sum()
        assert rr_mae_bound_corrected(domain=DOMAIN, **setting) == pytest.approx(expected)

    def test_rr_far_truth_does_not_underflow(self):
        value = rr_mae_bound_corrected(epsilon=50, domain=DOMAIN, density=1, sigma=0.1, truth=100)
        assert value == pytest.approx(91)

    def test_rr_large_epsilon(self):
        printed = rr_mae_bound(epsilon=1e4, domain=DOMAIN, density=1.0, sigma=0.01, truth=3)
        assert printed == pytest.approx(0, abs=1e-9)

    def test_mf_every_argument_by_hand(self):
        value = mf_mae_bound_corrected(
            epsilon=2,
            domain_size=10,
            n_tasks=100,
            rank=5,
            density=0.25,
            sigma=3,
            truth_deviation=0.5,
            quality=2,
        )
        assert value == pytest.approx(2 * (0.5 + 3 * sqrt(2 / pi) * sqrt(5 / 25) + 50 / 50))

    def test_mf_one_answer_per_group_is_smallest(self):
        kwargs = {"epsilon": 1, "domain_size": 10, "n_tasks": 10, "rank": 3}
        mf_mae_bound_corrected(density=0.3, **kwargs)
        with pytest.raises(ValueError, match=r"^density "):
            mf_mae_bound_corrected(density=0.29, **kwargs)


def equal_weights(**arguments):
    return lp_mae_bound_equal_weights(n_workers=3, **arguments)


class TestBadInput:
    @pytest.mark.parametrize(
        "function",
        [
            lp_mae_bound,
            lp_mae_bound_corrected,
            equal_weights,
            rr_mae_bound,
            rr_mae_bound_corrected,
        ],
    )
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("epsilon", 0),
            ("epsilon", -1),
            ("epsilon", nan),
            ("epsilon", inf),
            ("density", 0),
            ("density", 1.01),
            ("density", nan),
            ("density", -0.1),
            ("sigma", 0),
            ("sigma", inf),
            ("truth", nan),
            ("truth", inf),
            ("domain", []),
            ("domain", [0, 2]),
            ("domain", [0.5, 1.5]),
            ("domain", [3, 2]),
        ],
    )
    def test_cell_bounds_name_the_argument(self, function, name, value):
        with pytest.raises(ValueError, match=rf"^{name} "):
            function(**EXAMPLE | {name: value})

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("epsilon", 0),
            ("domain_size", 0),
            ("n_tasks", 0),
            ("rank", 0),
            ("rank", 1001),
            ("quality", 0),
            ("quality", inf),
        ],
    )
    @pytest.mark.parametrize("function", [mf_mae_bound, mf_mae_bound_corrected])
    def test_mf_bounds_name_the_argument(self, function, name, value):
        good = {"epsilon": 1, "domain_size": 10, "n_tasks": 1000, "rank": 100}
        with pytest.raises(ValueError, match=rf"^{name} "):
            function(**good | {name: value})

    @pytest.mark.parametrize(
        ("name", "value"),
        [("sigma", 0), ("truth_deviation", nan), ("truth_deviation", -0.1), ("density", 0), ("quality", 0.9)],
    )
    def test_mf_corrected(self, name, value):
        good = {"epsilon": 1, "domain_size": 10, "n_tasks": 1000, "rank": 100}
        with pytest.raises(ValueError, match=rf"^{name} "):
            mf_mae_bound_corrected(**good | {name: value})

    def test_rank_may_equal_the_number_of_tasks(self):
        assert mf_mae_bound(epsilon=1, domain_size=1, n_tasks=5, rank=5) == pytest.approx(sqrt(2 / pi) + 1)

    def test_fill(self):
        with pytest.raises(ValueError, match=r"^fill "):
            lp_mae_bound_corrected(fill=10, **EXAMPLE)
        with pytest.raises(ValueError, match=r"^fill_mean "):
            lp_mae_bound(fill_mean=nan, **EXAMPLE)
        with pytest.raises(ValueError, match=r"^n_workers "):
            lp_mae_bound_equal_weights(n_workers=0, **EXAMPLE)
        with pytest.raises(ValueError, match=r"^sigma "):
            lp_mae_bound_equal_weights(n_workers=2, sigma=0, **EXAMPLE)

    def test_bad_fill_names_the_domain(self):
        with pytest.raises(ValueError, match=r"^fill must be in the domain 0\.\.9, got 10$"):
            lp_mae_bound_corrected(fill=10, **EXAMPLE)

    def test_too_low_density_names_the_smallest(self):
        with pytest.raises(ValueError, match=r"^density must be at least rank / n_tasks = 0\.3, got 0\.2$"):
            mf_mae_bound_corrected(epsilon=1, domain_size=10, n_tasks=10, rank=3, density=0.2)
