"""Flipping with a random probability per worker: exact epsilon by quadrature, distribution of outputs."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from strategies import answer_matrices, moment

from ldpbook.categorical_answers.bounds import (
    one_layer_epsilon,
    two_layer_epsilon,
    two_layer_high,
    two_layer_low,
    two_layer_worker_epsilon,
)
from ldpbook.categorical_answers.two_layer import TwoLayerFlip
from ldpbook.foundations.audit import audit_epsilon


@pytest.mark.parametrize("null_is_symbol", [False, True])
def test_outputs_have_the_stated_distribution(null_is_symbol):
    """Two answers of one user: the number of flips is binomial with its probability drawn from U(a, b)."""
    flip = TwoLayerFlip(0.1, 0.7, 3, null_is_symbol)
    out = flip.perturb(np.ones((100_000, 2)), 4)
    flips = (out != 1).sum(axis=1)
    for d in range(3):
        p = moment(0.1, 0.7, d, 2 - d) * [1, 2, 1][d]
        assert abs((flips == d).mean() - p) < 4 * np.sqrt(p * (1 - p) / len(out))
    shares = [(out == 0).mean(), (out == 2).mean(), np.isnan(out).mean()]
    expected = [0.4 / 3] * 3 if null_is_symbol else [0.2, 0.2, 0]
    np.testing.assert_allclose(shares, expected, atol=5e-3)


def test_audit_finds_the_cost_of_reuse():
    """Ten answers share a probability: the loss of the first cell, given nine that agree."""
    flip = TwoLayerFlip(0.0, 0.6, 2)
    rng = np.random.default_rng(9)
    first, second = np.zeros((200_000, 10)), np.zeros((200_000, 10))
    second[:, 0] = 1
    mismatches = [(flip.perturb(x, rng) != 0).sum(axis=1) for x in (first, second)]
    found = audit_epsilon(*mismatches).epsilon
    assert flip.epsilon_of(1) < found <= flip.epsilon_of(10)


@given(answer_matrices(domain=range(3)))
def test_shapes_and_nulls(answers):
    before = answers.copy()
    out = TwoLayerFlip(0.2, 0.4, 3).perturb(answers, 1)
    np.testing.assert_array_equal(np.isnan(out), np.isnan(answers))
    np.testing.assert_array_equal(answers, before)
    same = TwoLayerFlip(0.2, 0.4, 3).perturb(answers, np.random.default_rng(1))
    np.testing.assert_array_equal(out, same)


@pytest.mark.parametrize(
    ("name", "value"),
    [("low", -0.1), ("low", 0.7), ("low", nan), ("high", 1.1), ("high", nan), ("choices", 1)],
)
def test_bad_parameters(name, value):
    with pytest.raises(ValueError, match=rf"^{name} must"):
        TwoLayerFlip(**{"low": 0.1, "high": 0.6, "choices": 3} | {name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("low", -0.1), ("low", 0.7), ("low", nan), ("high", 1.1), ("high", nan), ("n_choices", 1)],
)
def test_bad_arguments_of_epsilon(name, value):
    with pytest.raises(ValueError, match=rf"^{name} must"):
        two_layer_epsilon(**{"low": 0.1, "high": 0.6, "n_choices": 3} | {name: value})


def test_other_bad_input():
    with pytest.raises(ValueError, match=r"^n_answers must"):
        two_layer_epsilon(0.1, 0.2, 2, 0)
    for epsilon in (-1, nan):
        with pytest.raises(ValueError, match=r"^epsilon must"):
            two_layer_high(epsilon, 2)
        with pytest.raises(ValueError, match=r"^epsilon must"):
            two_layer_low(epsilon, 2, high=0.5)
    with pytest.raises(ValueError, match=r"^epsilon must be attainable"):
        two_layer_high(3.0, 2, low=0.4)
    for answers in ([], [[[1.0]]], [[3]], [[0.5]]):
        with pytest.raises(ValueError, match=r"^answers must"):
            TwoLayerFlip(0.1, 0.2, 3).perturb(answers, 0)


def test_null_as_a_symbol_is_one_more_choice():
    assert TwoLayerFlip(0.1, 0.6, 3, True).epsilon_of(4) == two_layer_epsilon(0.1, 0.6, 4, 4)
    assert TwoLayerFlip(0.1, 0.6, 3).epsilon_of(4) == two_layer_epsilon(0.1, 0.6, 3, 4)


def test_worker_with_one_answer_equals_a_cell():
    for a, b in [(0.0, 0.6), (0.3, 0.9), (0.2, 0.2), (0.0, 1.0)]:
        assert two_layer_worker_epsilon(a, b, 3, 1) == pytest.approx(two_layer_epsilon(a, b, 3, 1), abs=1e-12)
    assert two_layer_worker_epsilon(0.2, 0.2, 3, 7) == 7 * one_layer_epsilon(0.2, 3)
    assert two_layer_worker_epsilon(0, 0, 2, 7) == two_layer_worker_epsilon(1, 1, 2, 7) == inf
    assert TwoLayerFlip(0.1, 0.6, 3, True).worker_epsilon_of(4) == two_layer_worker_epsilon(0.1, 0.6, 4, 4)
