import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom, gamma

from ldpbook.categorical_answers import error_bounds


def naive_vote_error(accuracies):
    """Error of the vote weighted by log-odds, over every pattern of votes; a tie counts as a half."""
    weight = [math.log(p / (1 - p)) for p in accuracies]
    total = 0.0
    for right in itertools.product([True, False], repeat=len(accuracies)):
        lead = sum(w if r else -w for w, r in zip(weight, right, strict=True))
        chance = math.prod(p if r else 1 - p for p, r in zip(accuracies, right, strict=True))
        total += chance * (0.5 if abs(lead) < 1e-12 else lead < 0)
    return total


def vote_error_of_equal_users(accuracy, n):
    return float(binom.cdf((n - 1) // 2, n, accuracy) + (n % 2 == 0) * binom.pmf(n // 2, n, accuracy) / 2)


ACCURACIES = st.lists(st.floats(0.01, 0.99), min_size=1, max_size=7)


class TestVotes:
    @given(ACCURACIES)
    def test_error_is_that_of_the_weighted_vote(self, accuracies):
        assert error_bounds.vote_error(accuracies) == pytest.approx(naive_vote_error(accuracies), abs=1e-12)

    @given(ACCURACIES)
    def test_corrected_bound_holds(self, accuracies):
        assert error_bounds.vote_error(accuracies) <= error_bounds.vote_error_bound_corrected(accuracies) * (
            1 + 1e-9
        )

    @given(ACCURACIES)
    def test_flipping_a_user_changes_no_true_bound(self, accuracies):
        turned = [1 - accuracies[0], *accuracies[1:]]
        assert error_bounds.vote_error(turned) == pytest.approx(error_bounds.vote_error(accuracies))
        corrected = error_bounds.vote_error_bound_corrected
        assert corrected(turned) == pytest.approx(corrected(accuracies))

    def test_printed_bound_fails(self):
        """Exact errors that exceed the printed bound, with the values of the specification."""
        assert error_bounds.vote_error([0.9] * 5) == pytest.approx(0.00856, abs=5e-6)
        assert error_bounds.vote_error_bound([0.9] * 5) == pytest.approx(0.00385, abs=1e-5)
        assert error_bounds.vote_error_bound([0.1] * 5) == pytest.approx(4.6e-5, abs=5e-7)
        assert error_bounds.vote_error([0.3] * 5) == pytest.approx(0.163, abs=5e-4)
        assert error_bounds.vote_error_bound([0.3] * 5) == pytest.approx(0.0516, abs=5e-5)

    def test_where_the_printed_bound_holds_and_fails(self):
        """For equal users the bound holds from accuracy 0.5 to 0.792; elsewhere it fails for large crowds."""

        def holds(accuracy, n):
            errs = vote_error_of_equal_users(max(accuracy, 1 - accuracy), n)
            return errs <= error_bounds.vote_error_bound([accuracy] * n) * (1 + 1e-12)

        for accuracy in (0.5, 0.6, 0.7, 0.73, 0.75, 0.79, 0.792):
            assert all(holds(accuracy, n) for n in range(1, 400))
        fails_first = {0.8: 132, 0.9: 4, 0.1: 2, 0.45: 10}
        for accuracy, first in fails_first.items():
            assert next(n for n in range(1, 200) if not holds(accuracy, n)) == first
            assert not any(holds(accuracy, n) for n in range(first + 20, 400))

    @given(ACCURACIES)
    def test_equation_6_holds_for_weights_in_unit_interval(self, accuracies):
        """The weight of a user is her accuracy here."""
        errs = 0.0
        for right in itertools.product([True, False], repeat=len(accuracies)):
            lead = math.fsum(p if r else -p for p, r in zip(accuracies, right, strict=True))
            chance = math.prod(p if r else 1 - p for p, r in zip(accuracies, right, strict=True))
            errs += chance * (lead <= 1e-12)
        assert errs <= math.prod((p / math.e + (1 - p) * math.e) ** p for p in accuracies) * (1 + 1e-9)

    def test_certainty(self):
        for certain in (0, 1):
            assert error_bounds.vote_error([certain, 0.7]) == 0
            assert error_bounds.vote_error_bound([certain, 0.7]) == 0
            assert error_bounds.vote_error_bound_corrected([certain, 0.7]) == 0
            assert error_bounds.importance_score(certain) == math.inf
            assert error_bounds.importance_score_corrected(certain) == math.inf
        assert error_bounds.vote_error([0.5] * 3) == error_bounds.vote_error_bound_corrected([0.5]) == 0.5
        assert error_bounds.importance_score(0.5) == error_bounds.importance_score_corrected(0.5) == 1

    def test_importance_is_the_ratio_of_bounds(self):
        with_user, without = [0.8, 0.6, 0.7], [0.6, 0.7]
        for bound, score in [
            (error_bounds.vote_error_bound, error_bounds.importance_score),
            (error_bounds.vote_error_bound_corrected, error_bounds.importance_score_corrected),
        ]:
            assert bound(without) / bound(with_user) == pytest.approx(score(0.8))

    @given(ACCURACIES, st.floats(0.01, 0.99))
    def test_influence_of_one_user(self, others, accuracy):
        """Exact errors without and with a user of accuracy a have a ratio of 1 to 1 / (2 min(a, 1 - a)).

        The largest ratio is attained if all others guess.
        """
        ratio = error_bounds.vote_error(others) / error_bounds.vote_error([*others, accuracy])
        most = 1 / (2 * min(accuracy, 1 - accuracy))
        assert 1 - 1e-9 <= ratio <= most * (1 + 1e-9)
        guessing = error_bounds.vote_error([0.5] * len(others)) / error_bounds.vote_error(
            [0.5] * len(others) + [accuracy]
        )
        assert guessing == pytest.approx(most)

    @pytest.mark.parametrize("away", [1e-6, 1e-3, 0.01, -0.01])
    def test_users_near_one_half_hardly_lower_the_bounds(self, away):
        """At distance d below one half, 1/G is about 1 + 4 d ln cosh 1; the corrected score is 1 + 2 d^2."""
        near = 0.5 - away
        printed = 1 + 4 * away * math.log(math.cosh(1))
        assert error_bounds.importance_score(near) == pytest.approx(printed, abs=10 * away**2 + 1e-15)
        corrected = 1 + 2 * away**2
        assert error_bounds.importance_score_corrected(near) == pytest.approx(
            corrected, abs=10 * away**4 + 1e-15
        )
        users = [0.1, 0.3, 0.4]
        for bound in (error_bounds.vote_error_bound, error_bounds.vote_error_bound_corrected):
            assert bound([*users, near]) == pytest.approx(bound(users), rel=2 * abs(away))

    def test_printed_bound_after_flips(self):
        """Equation 9 under one layer at epsilon 1, five users: too small at accuracy 0.1, >= 1 from 0.5."""
        p = 1 / (1 + math.e)
        right = 0.9 * (1 - p) + 0.1 * p
        exact = vote_error_of_equal_users(right, 5)
        assert error_bounds.vote_error([right] * 5) == pytest.approx(exact)
        assert exact > error_bounds.vote_error_bound([1 - right] * 5) == pytest.approx(0.0709, abs=5e-5)
        for accuracy in (0.5, 0.7, 0.9, 0.999):
            after = accuracy + p * (1 - 2 * accuracy)
            assert error_bounds.vote_error_bound([after] * 5) >= 1

    def test_products_fall_unless_flips_pass_one_half(self):
        """G exceeds 1 only between 1/2 and e/(1 + e)."""
        for accuracy in np.linspace(0.001, 0.999, 999).tolist():
            factor = (accuracy / math.e + (1 - accuracy) * math.e) ** math.log(accuracy / (1 - accuracy))
            assert error_bounds.vote_error_bound([accuracy]) == pytest.approx(factor)
            inside = 0.5 + 1e-9 < accuracy < math.e / (1 + math.e)
            assert (factor > 1 + 1e-12) == inside
        few, passed = [0.1, 0.2], 0.3 + 0.9 * 0.4
        assert error_bounds.vote_error_bound([passed]) == pytest.approx(1.108, abs=5e-4)
        assert error_bounds.vote_error_bound(few) < error_bounds.vote_error_bound([*few, passed])
        assert naive_vote_error(few) >= naive_vote_error([*few, passed])

    def test_exact_importance_of_five_users(self):
        users = [0.95, 0.1, 0.9, 0.7, 0.55]
        ratios = [
            error_bounds.vote_error(users[:u] + users[u + 1 :]) / error_bounds.vote_error(users)
            for u in range(5)
        ]
        assert ratios == pytest.approx([0.064 / 0.019, 0.0455 / 0.019, 0.0455 / 0.019, 1, 1])
        assert error_bounds.importance_score(1 - 0.95) > 1 / (2 * 0.05) > ratios[0]
        assert error_bounds.importance_score_corrected(0.95) < ratios[0]
        assert error_bounds.importance_score_corrected(0.7) > ratios[3]

    def test_bad_input(self):
        for function in (
            error_bounds.vote_error,
            error_bounds.vote_error_bound,
            error_bounds.vote_error_bound_corrected,
        ):
            for wrong in ([], [1.1], [0.5, math.nan]):
                with pytest.raises(ValueError, match=r"^accuracies must"):
                    function(wrong)
        with pytest.raises(ValueError, match=r"^accuracies must be at most 20"):
            error_bounds.vote_error([0.6] * 21)
        for function in (error_bounds.importance_score, error_bounds.importance_score_corrected):
            with pytest.raises(ValueError, match=r"^accuracy must"):
                function(-0.1)


class TestDelta:
    @given(st.floats(0.05, 1), st.integers(1, 12), st.floats(0.01, 0.99))
    def test_logarithm_is_a_sum_of_exponential_waiting_times(self, b, n, share):
        x = b**n * share
        depth = -math.log(share)
        assert error_bounds.delta_density(x, high=b, n_users=n) == pytest.approx(gamma.pdf(depth, n) / x)
        assert error_bounds.delta_cdf(x, high=b, n_users=n) == pytest.approx(gamma.sf(depth, n))

    def test_distribution_is_that_of_products(self):
        rng = np.random.default_rng(3)
        for b, n in [(0.6, 1), (0.6, 2), (1.0, 5), (0.8, 20)]:
            products = rng.uniform(0, b, (n, 100_000)).prod(axis=0)
            for quantile in (0.1, 0.5, 0.9):
                x = float(np.quantile(products, quantile))
                found = error_bounds.delta_cdf(x, high=b, n_users=n)
                assert abs(found - quantile) < 4 * math.sqrt(quantile * (1 - quantile) / 100_000)

    def test_ends(self):
        assert (
            error_bounds.delta_cdf(0, high=0.5, n_users=2)
            == error_bounds.delta_density(0, high=0.5, n_users=2)
            == 0
        )
        assert (
            error_bounds.delta_cdf(-1, high=0.5, n_users=2)
            == error_bounds.delta_density(-1, high=0.5, n_users=2)
            == 0
        )
        assert (
            error_bounds.delta_cdf(0.25, high=0.5, n_users=2)
            == error_bounds.delta_cdf(9, high=0.5, n_users=2)
            == 1
        )
        assert error_bounds.delta_density(0.26, high=0.5, n_users=2) == 0
        assert error_bounds.delta_density(0.25, high=0.5, n_users=2) == 0
        assert error_bounds.delta_density(0.25, high=0.5, n_users=1) == 2

    @given(st.floats(-323, -0.01), st.floats(-60, 0), st.integers(1, 2000))
    def test_any_magnitude(self, exponent, log_high, n):
        """Nothing overflows, even where the distribution function of the waiting time is 0 or 1."""
        x, b = 10.0**exponent, 10.0**log_high
        assert error_bounds.delta_density(x, high=b, n_users=n) >= 0
        assert 0 <= error_bounds.delta_cdf(x, high=b, n_users=n) <= 1

    def test_small_products_have_a_high_density(self):
        assert error_bounds.delta_density(5e-324, high=1.0, n_users=700) == math.inf
        depth = -math.log(1e-300)
        assert error_bounds.delta_density(1e-300, high=1.0, n_users=600) == pytest.approx(
            gamma.pdf(depth, 600) / 1e-300, rel=1e-9
        )

    @pytest.mark.parametrize(
        ("name", "value"), [("delta", math.nan), ("high", 0), ("high", 1.1), ("n_users", 0)]
    )
    def test_bad_input(self, name, value):
        good = {"delta": 0.1, "high": 0.5, "n_users": 2}
        for function in (error_bounds.delta_cdf, error_bounds.delta_density):
            with pytest.raises(ValueError, match=rf"^{name} must"):
                function(**good | {name: value})
