"""Flipping with one probability: transition probabilities, guarantee, NULLs, edges."""

from decimal import Decimal, localcontext
from functools import reduce
from math import exp, inf, log, nan

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from strategies import answer_matrices

from ldpbook.categorical_answers.bounds import one_layer_epsilon, one_layer_flip_probability
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.foundations.audit import audit_epsilon
from ldpbook.foundations.local_privacy import discrete_epsilon

unit = st.floats(0.001, 0.999)


@given(unit, st.integers(2, 9), st.booleans())
def test_epsilon_is_that_of_the_transition_matrix(p, s, null_is_symbol):
    flip = OneLayerFlip.with_probability(p, s, null_is_symbol)
    assert flip.transition_matrix.shape == (s + null_is_symbol,) * 2
    np.testing.assert_allclose(np.diag(flip.transition_matrix), 1 - p)
    assert flip.exact_epsilon == pytest.approx(discrete_epsilon(flip.transition_matrix), abs=1e-12)


@given(st.floats(0, 30), st.integers(2, 9))
def test_inverse(epsilon, s):
    p = one_layer_flip_probability(epsilon, s)
    assert 0 < p <= 1 - 1 / s
    assert one_layer_epsilon(p, s) == pytest.approx(epsilon, abs=1e-9)


@given(st.floats(-323, -1e-12), st.booleans(), st.integers(2, 10**9))
def test_epsilon_to_fifty_digits(exponent, near_one, s):
    """Epsilon of probabilities p over all magnitudes of p or of 1 - p."""
    small = 10.0**exponent
    p = 1 - small if near_one else small
    assume(p not in (0, 1))
    with localcontext(prec=50):
        exact = abs(((1 - Decimal(p)) * (s - 1) / Decimal(p)).ln())
    assert one_layer_epsilon(p, s) == pytest.approx(float(exact), rel=1e-14, abs=1e-14)


@given(st.floats(0, 2000), st.integers(2, 10**6))
def test_probability_never_spends_more_than_epsilon(epsilon, s):
    """This holds even where e^-epsilon underflows; near 1, p is a float with 1 - p known only to 1e-16."""
    p = one_layer_flip_probability(epsilon, s)
    assert p > 0
    assert one_layer_epsilon(p, s) <= epsilon * (1 + 1e-14) + s * 2.3e-16 + 1e-14


@pytest.mark.parametrize("p", [0.2, 0.4, 0.7, 0.95])
@pytest.mark.parametrize("n_cells", [2, 3])
def test_worker_epsilon_is_sum_over_changed_cells(p, n_cells):
    """All pairs of rows of three choices and all rows of outputs; pairs that agree in a cell lose less."""
    matrix = OneLayerFlip.with_probability(p, 3).transition_matrix
    rows = reduce(np.kron, [matrix] * n_cells)
    assert discrete_epsilon(rows) == pytest.approx(n_cells * one_layer_epsilon(p, 3))
    one_changed = rows.reshape(3, -1, 3**n_cells)[:, 0]  # rows that differ in the first cell only
    assert discrete_epsilon(one_changed) == pytest.approx(one_layer_epsilon(p, 3))


def test_epsilon_by_hand():
    assert one_layer_epsilon(0.4, 2) == pytest.approx(log(1.5))
    assert one_layer_epsilon(0.9, 4) == pytest.approx(log(3))  # ln(0.1 * 3 / 0.9) = -ln 3
    assert one_layer_epsilon(0.75, 4) == pytest.approx(0, abs=1e-15)
    assert one_layer_epsilon(0, 3) == one_layer_epsilon(1, 3) == inf
    assert one_layer_flip_probability(0, 5) == pytest.approx(0.8)


@pytest.mark.parametrize("null_is_symbol", [False, True])
@pytest.mark.parametrize("answer", [0.0, 2.0, nan])
def test_outputs_have_the_stated_probabilities(answer, null_is_symbol):
    flip = OneLayerFlip.with_probability(0.35, 3, null_is_symbol)
    cells = np.column_stack([np.full(100_000, answer), np.zeros(100_000)])
    out = flip.perturb(cells, 5)[:, 0]
    if np.isnan(answer) and not null_is_symbol:
        assert np.isnan(out).all()
        return
    row = flip.transition_matrix[3 if np.isnan(answer) else int(answer)]
    for symbol, p in zip([0.0, 1.0, 2.0, nan], [*row, 0.0][:4], strict=True):
        share = np.mean(np.isnan(out) if np.isnan(symbol) else out == symbol)
        assert abs(share - p) <= 4 * np.sqrt(p * (1 - p) / len(out))


@given(answer_matrices(domain=range(4)), st.sampled_from([1e-12, 0.3, 1 - 1e-12]))
def test_shapes_and_nulls(answers, p):
    before = answers.copy()
    kept = OneLayerFlip.with_probability(p, 4).perturb(answers, 3)
    np.testing.assert_array_equal(np.isnan(kept), np.isnan(answers))
    assert np.isin(kept[~np.isnan(kept)], range(4)).all()
    np.testing.assert_array_equal(answers, before)
    np.testing.assert_array_equal(
        kept, OneLayerFlip.with_probability(p, 4).perturb(answers, np.random.default_rng(3))
    )
    if p < 0.1:
        np.testing.assert_array_equal(kept, answers)
    if p > 0.9:
        assert (kept[~np.isnan(kept)] != answers[~np.isnan(answers)]).all()


def test_kept_null_is_public_and_flipped_null_protected():
    cells = {a: np.column_stack([np.full(40_000, a), np.zeros(40_000)]) for a in (nan, 1.0)}
    for null_is_symbol in (False, True):
        flip = OneLayerFlip.with_probability(0.4, 3, null_is_symbol)
        out = [flip.perturb(cells[a], k)[:, 0] for k, a in enumerate(cells)]
        found = audit_epsilon(*out).epsilon
        assert (found > flip.exact_epsilon) == (not null_is_symbol)


@pytest.mark.parametrize(("name", "value"), [
    ("flip_probability", -0.1), ("flip_probability", 1.1), ("flip_probability", nan),
    ("flip_probability", 0), ("flip_probability", 1.0),
    ("choices", 1), ("choices", 0), ("choices", ["a"]), ("choices", ["a", "a"]), ("choices", ["a", None]),
])  # fmt: skip
def test_bad_parameters(name, value):
    with pytest.raises(ValueError, match=rf"^{name} must"):
        OneLayerFlip.with_probability(**{"flip_probability": 0.4, "choices": 3} | {name: value})


@pytest.mark.parametrize(("name", "value"), [
    ("flip_probability", -0.1), ("flip_probability", 1.1), ("flip_probability", nan),
    ("n_choices", 1), ("n_choices", 0),
])  # fmt: skip
def test_bad_arguments_of_epsilon(name, value):
    with pytest.raises(ValueError, match=rf"^{name} must"):
        one_layer_epsilon(**{"flip_probability": 0.4, "n_choices": 3} | {name: value})


@pytest.mark.parametrize("null_is_symbol", [False, True])
@pytest.mark.parametrize("epsilon", [0, 0.5, 3.0, 40.0])
def test_first_argument_is_epsilon_and_probability_is_keyword(epsilon, null_is_symbol):
    flip = OneLayerFlip(epsilon, 4, null_is_symbol)
    k = 4 + null_is_symbol
    assert flip.flip_probability == pytest.approx((k - 1) / (k - 1 + exp(epsilon)), rel=1e-12)
    assert flip.exact_epsilon == pytest.approx(epsilon, abs=1e-12)
    named = OneLayerFlip.with_probability(flip.flip_probability, 4, null_is_symbol)
    assert named.flip_probability == flip.flip_probability
    assert named.epsilon == named.exact_epsilon == flip.exact_epsilon


def test_bad_epsilon():
    for epsilon in (-1, nan):
        with pytest.raises(ValueError, match=r"^epsilon must"):
            one_layer_flip_probability(epsilon, 2)
    assert one_layer_flip_probability(inf, 2) == 0
    with pytest.raises(ValueError, match=r"^n_choices must"):
        one_layer_flip_probability(1, 1)


@pytest.mark.parametrize("answers", [[], [[[1.0]]], [[3]], [[-1]], [[0.5]]])
def test_bad_answers(answers):
    with pytest.raises(ValueError, match=r"^answers must"):
        OneLayerFlip.with_probability(0.4, 3).perturb(answers, 0)
