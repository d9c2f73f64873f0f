"""Randomized response: transition probabilities, guarantee, edges."""

from math import e, exp

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import answer_matrices

from ldpbook.foundations.audit import audit_epsilon
from ldpbook.foundations.local_privacy import discrete_epsilon
from ldpbook.sparse_answers import bounds
from ldpbook.sparse_answers.randomized_response import RandomizedResponse, TwoLayerResponse

nan = np.nan
DOMAIN = range(10)


@given(st.floats(0.01, 50), st.integers(1, 12))
def test_transition_matrix(epsilon, size):
    rr = RandomizedResponse(epsilon, range(-3, size - 3))
    p = rr.transition_matrix
    assert p.shape == (size + 1, size + 1)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(np.diag(p), exp(epsilon) / (size + exp(epsilon)))
    assert p[0, 1] == pytest.approx(1 / (size + exp(epsilon)))
    np.testing.assert_array_equal(p, p.T)
    assert discrete_epsilon(p) == pytest.approx(rr.exact_epsilon) == pytest.approx(epsilon)


def test_probabilities_that_the_source_names():
    """Probabilities to keep a symbol at epsilon 0.1 and at epsilon 3.

    At epsilon 0.1 a symbol is kept about as often as it is replaced by each other one; at epsilon 3 a NULL
    among 0 to 4 is kept with probability about 0.80.
    """
    small = RandomizedResponse(0.1, DOMAIN).transition_matrix
    assert small[0, 0] - small[0, 1] == pytest.approx((exp(0.1) - 1) / (10 + exp(0.1)))
    assert np.abs(small - 1 / 11).max() < 0.01
    large = RandomizedResponse(3.0, range(5)).transition_matrix
    assert large[-1, -1] == pytest.approx(exp(3) / (5 + exp(3)))
    assert round(large[-1, -1], 2) == 0.80


@pytest.mark.parametrize("answer", [nan, 2.0, 4.0])
def test_outputs_have_the_stated_probabilities(answer):
    rr = RandomizedResponse(1.3, range(2, 5))
    answers = np.column_stack([np.full(100_000, answer), np.full(100_000, 2.0)])
    out = rr.perturb(answers, 3)[:, 0]
    row = rr.transition_matrix[3 if np.isnan(answer) else int(answer) - 2]
    for symbol, p in zip([2.0, 3.0, 4.0, nan], row, strict=True):
        share = np.mean(np.isnan(out) if np.isnan(symbol) else out == symbol)
        assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / len(out))


@given(answer_matrices(), st.floats(0.01, 20))
def test_outputs_are_answers_or_null(answers, epsilon):
    before = answers.copy()
    out = RandomizedResponse(epsilon, DOMAIN).perturb(answers, 3)
    assert out.shape == answers.shape
    assert np.isin(out[~np.isnan(out)], DOMAIN).all()
    np.testing.assert_array_equal(answers, before)


@pytest.mark.parametrize("epsilon", [60.0, 800.0])
def test_large_epsilon_keeps_everything(epsilon):
    answers = np.array([[0, nan, 9.0]])
    np.testing.assert_array_equal(RandomizedResponse(epsilon, DOMAIN).perturb(answers, 0), answers)
    assert RandomizedResponse(epsilon, DOMAIN).transition_matrix[0, 0] == pytest.approx(1)


def test_seed_and_generator_agree():
    rr, answers = RandomizedResponse(1.0, DOMAIN), np.full((30, 4), 5.0)
    np.testing.assert_array_equal(rr.perturb(answers, 7), rr.perturb(answers, np.random.default_rng(7)))


def test_mean_error_of_output_answers_is_corrected_bound():
    rng = np.random.default_rng(8)
    epsilon, density, truth, sigma = 1.0, 0.5, 3.0, 1.5
    law = np.exp(-(((np.arange(10) - truth) / sigma) ** 2) / 2)
    answers = rng.choice(10, size=(1, 400_000), p=law / law.sum()).astype(float)
    answers[rng.random(answers.shape) >= density] = nan
    out = RandomizedResponse(epsilon, DOMAIN).perturb(answers, rng)
    error = np.abs(out[~np.isnan(out)] - truth)
    expected = bounds.rr_mae_bound_corrected(
        epsilon=epsilon, domain=DOMAIN, density=density, sigma=sigma, truth=truth
    )
    assert abs(error.mean() - expected) < 4 * error.std() / np.sqrt(error.size)


def test_audit_meets_exact_epsilon_between_null_and_value():
    rr = RandomizedResponse(1.0, DOMAIN)
    null = rr.perturb(np.column_stack([np.full(60_000, nan), np.zeros(60_000)]), 1)[:, 0]
    value = rr.perturb(np.full((60_000, 1), 4.0), 2)[:, 0]
    assert 0.8 < audit_epsilon(null, value).epsilon <= 1.0


def test_audit_catches_a_response_that_never_hides_null():
    rr = RandomizedResponse(1.0, DOMAIN)
    null = np.full(60_000, nan)  # broken: NULL is output unchanged
    value = rr.perturb(np.full((60_000, 1), 4.0), 2)[:, 0]
    assert audit_epsilon(null, value).epsilon > 1.0
    assert discrete_epsilon(np.vstack([rr.transition_matrix[:-1], np.eye(11)[-1]])) == np.inf


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0, DOMAIN), "epsilon"),
        ((nan, DOMAIN), "epsilon"),
        ((np.inf, DOMAIN), "epsilon"),
        ((1, []), "domain"),
    ],
)
def test_bad_parameters(arguments, name):
    with pytest.raises(ValueError, match=rf"^{name} "):
        RandomizedResponse(*arguments)


@pytest.mark.parametrize("answers", [[], 1.0, [[10]], [[-1]], [[2.5]], [[nan, np.inf]]])
def test_bad_answers(answers):
    with pytest.raises(ValueError, match=r"^answers "):
        RandomizedResponse(1, DOMAIN).perturb(answers, 0)


def test_source_example_is_exact_for_any_crowd():
    """With truth 0 no output is below it, so the error of the mean is the mean."""
    rr = RandomizedResponse(1.0, DOMAIN)
    law = np.exp(-(np.arange(10) ** 2) / 2)
    inputs = np.append(0.1 * law / law.sum(), 0.9)
    output = inputs @ rr.transition_matrix
    expected = output[:-1] @ np.arange(10) / (1 - output[-1])
    assert bounds.rr_mae_bound_corrected(epsilon=1.0, domain=DOMAIN, density=0.1) == pytest.approx(expected)
    assert rr.transition_matrix[0, 0] == pytest.approx(e / (10 + e))


@pytest.mark.parametrize("shape", [(1, 1), (3, 70_000), (70_000, 3)])
def test_one_uniform_draw_per_cell(shape):
    ours, plain = np.random.default_rng(1), np.random.default_rng(1)
    RandomizedResponse(1.0, DOMAIN).perturb(np.ones(shape), ours)
    plain.random(shape)
    assert ours.random() == plain.random()


def loss_of_kept_cells(low: float, high: float, size: int, n: int) -> mp.mpf:
    """Loss of two layers: both means of products in closed form, by the probability to keep a symbol."""
    with mp.workdps(700 + 2 * min(n, 300)):
        a, b = mp.mpf(low), mp.mpf(high)
        first, last = (mp.exp(e) / (size + mp.exp(e)) for e in (a, b))
        powers = mp.fsum((last**j - first**j) / j for j in range(1, n))
        kept = mp.log((size + mp.exp(b)) / (size + mp.exp(a))) - powers
        other = mp.log(last / first) if n == 1 else (last ** (n - 1) - first ** (n - 1)) / (n - 1)
        return mp.log(kept * size / other)


@pytest.mark.parametrize("n", [1, 2, 7, 300])
@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 2.0), (1.0, 1.001), (0.1, 3.9), (3.0, 40.0), (1e-3, 700.0), (600.0, 690.0)]
)
@pytest.mark.parametrize("size", [1, 5, 12])
def test_epsilon_of_two_layers(low, high, size, n):
    found = TwoLayerResponse(low, high, range(size)).epsilon_of(n_answers=n)
    assert found == pytest.approx(float(loss_of_kept_cells(low, high, size, n)), rel=1e-10)


def test_epsilon_of_two_layers_with_many_cells():
    """With many cells, the weight concentrates within a thousandth of the larger end."""
    found = TwoLayerResponse(0.1, 3.9, range(5)).epsilon_of(n_answers=10_000)
    assert found == pytest.approx(float(loss_of_kept_cells(0.1, 3.9, 5, 10_000)), rel=1e-10)


def test_budgets_of_two_layers():
    """One layer with the mean budget loses less; with more cells the loss rises to the larger budget."""
    narrow = TwoLayerResponse(1.5, 1.5, range(5))
    assert narrow.epsilon_of(n_answers=1) == narrow.epsilon_of(n_answers=11_040) == 1.5
    wide = TwoLayerResponse(0.0, 3.0, range(5))
    losses = [wide.epsilon_of(n_answers=n) for n in (1, 10, 1000, 2**53)]
    assert losses == sorted(losses)
    assert losses[0] > 1.5
    assert losses[-1] == pytest.approx(3.0, abs=1e-9)


def test_rows_share_a_budget():
    answers = np.zeros((400, 500))
    kept = (TwoLayerResponse(0.0, 6.0, range(5)).perturb(answers, 3) == 0).mean(axis=1)
    budgets = np.log(5 * kept / (1 - kept))
    assert np.quantile(budgets, [0.1, 0.5, 0.9]) == pytest.approx([0.6, 3.0, 5.4], abs=0.5)
    alike = (RandomizedResponse(3.0, range(5)).perturb(answers, 3) == 0).mean(axis=1)
    assert alike.std() < 0.1 * kept.std() + 0.02


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((-0.1, 1.0, DOMAIN), "low"),
        ((0.0, 0.0, DOMAIN), "high"),
        ((2.0, 1.0, DOMAIN), "high"),
        ((1.0, 701.0, DOMAIN), "high"),
    ],
)
def test_bad_intervals(arguments, name):
    with pytest.raises(ValueError, match=rf"^{name} "):
        TwoLayerResponse(*arguments)
