"""The ledger's computations on categorical answers: distributions sum to 1, and sums are right."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from ldpcourse.ledger.categorical_answers import delta, one_layer, printed_numbers, two_layer
from ldpcourse.runs.kept import stored


@pytest.mark.parametrize(("high", "n_users"), [(0.6, 1), (0.6, 5), (1.0, 2), (0.4, 10)])
def test_density_of_delta_integrates_to_one(high, n_users):
    assert delta._printed_probability(high**n_users, high, n_users) == pytest.approx(1, abs=1e-9)
    assert delta._printed_mean(high, n_users) == pytest.approx((high / 2) ** n_users, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_released_counts_have_distributions(epsilon):
    """Two-sided geometric noise on a count of 0 or 1, with the ends of the range cut off."""
    law = one_layer.count_laws(epsilon)
    np.testing.assert_allclose(law.sum(axis=1), 1, atol=1e-12)
    alpha = math.exp(-epsilon)
    whole = (1 - alpha) / (1 + alpha) * alpha ** np.abs(np.arange(-40, 42) - np.array([[0], [1]]))
    np.testing.assert_allclose(law, whole, atol=3 * alpha**40)


def test_flips_of_two_point_distributions_sum_to_one():
    for low, high, k in [(0.0, 0.6, 1), (0.1, 0.5, 69)]:
        chances = two_layer.two_point_chances(low, high, k)
        assert math.fsum(math.comb(k, d) * q for d, q in enumerate(chances)) == pytest.approx(1)


def test_majority_on_bluebirds_at_both_ends():
    """The error is 26 of 108 tasks without flips, and one half with coins."""
    assert printed_numbers._majority_on_bluebirds(0.0) == pytest.approx(26 / 108)
    assert printed_numbers._majority_on_bluebirds(0.5) == pytest.approx(0.5)


def test_entropies_of_two_layer_law():
    """Entropies of U(0, 0.6) and of the triangular distribution, which integrates to 1, by quadrature."""
    triangle = {"f": lambda p: min(p, 0.6 - p) / 0.09, "points": [0.3]}
    mass = quad(triangle["f"], 0, 0.6, points=triangle["points"])[0]
    assert mass == pytest.approx(1)
    entropy = -quad(lambda p: (f := triangle["f"](p)) and f * math.log(f), 0, 0.6, points=[0.3])[0]
    assert two_layer._entropy_gain() == pytest.approx(math.log(0.6) - entropy, abs=1e-6)


@pytest.mark.parametrize("name", ["correlation", "gain"])
def test_mean_of_kept_parts_is_overall_mean(name):
    kept = stored("weights-after-flips")
    own = kept[(kept["crowd"] == "clear") & (kept["high"] == 0.6)]
    sizes, means, squares = own[f"{name} runs"], own[name], own[f"{name} square"]
    mean = (sizes * means).sum() / sizes.sum()
    variance = ((sizes * squares).sum() - sizes.sum() * mean**2) / (sizes.sum() - 1)
    found = two_layer._kept_mean(name, "clear", 0.6)
    assert found == pytest.approx((mean, math.sqrt(variance / sizes.sum())))
    assert abs(means - mean).max() < 4 * math.sqrt(variance / 100)  # no part is from another distribution
