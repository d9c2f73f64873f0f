"""Beliefs and the price of weights: special cases; test_closed_forms.py has the whole range."""

import pytest

from ldpbook.foundations.bounds import highest_belief, inverse_deviation_price, lowest_belief


def test_epsilon_zero_leaves_a_belief_unchanged():
    assert highest_belief(prior=0.3, epsilon=0) == pytest.approx(0.3)
    assert lowest_belief(prior=0.3, epsilon=0) == pytest.approx(0.3)


def test_lowest_belief_complements_highest_belief():
    for prior in (1e-6, 0.2, 0.9):
        for epsilon in (0.1, 1.0, 50.0):
            rises = highest_belief(prior=prior, epsilon=epsilon)
            assert lowest_belief(prior=1 - prior, epsilon=epsilon) == pytest.approx(1 - rises, rel=1e-9)


def test_equal_standard_deviations_cost_nothing():
    assert inverse_deviation_price(careful=0.2, deviation=1.0) == pytest.approx(1)
    assert inverse_deviation_price(careful=1.0, deviation=7.0) == 1


def test_careful_workers_have_the_smaller_standard_deviation():
    with pytest.raises(ValueError, match="deviation must be at least 1"):
        inverse_deviation_price(careful=0.2, deviation=0.5)
