"""The printed bounds give the printed numbers; the corrected ones hold."""

from fractions import Fraction
from itertools import pairwise, product
from math import exp, inf, log, log1p, nan

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from strategies import moment

from ldpbook.categorical_answers.bounds import (
    one_layer_epsilon,
    two_layer_epsilon,
    two_layer_high,
    two_layer_low,
    two_layer_worker_epsilon,
)
from ldpbook.foundations.local_privacy import discrete_epsilon


@given(st.floats(0, 0.8), st.floats(0.05, 0.2), st.integers(2, 5), st.integers(1, 12))
def test_epsilon_is_the_worst_ratio_over_all_outputs(a, width, s, k):
    b = a + width
    losses = [log((s - 1) * moment(a, b, d, k - d) / moment(a, b, d + 1, k - d - 1)) for d in range(k)]
    assert two_layer_epsilon(a, b, s, k) == pytest.approx(max(map(abs, losses)), rel=1e-6, abs=1e-8)


@given(st.floats(0, 0.9), st.floats(0.001, 0.1), st.integers(2, 6))
def test_one_answer_is_theorem_6_3(a, width, s):
    b = a + width
    assert two_layer_epsilon(a, b, s) == pytest.approx(abs(log((2 - a - b) * (s - 1) / (a + b))), abs=1e-9)
    assert two_layer_epsilon(a, b, s) == pytest.approx(one_layer_epsilon((a + b) / 2, s), abs=1e-9)


@pytest.mark.parametrize(
    ("a", "b", "k", "expected"),
    [(0, 0.6, 69, 4.234), (0, 0.6, 277, 5.624), (0.1, 0.5, 13, 1.628), (0.1, 0.5, 69, 2.062)],
)
def test_measured_values_of_the_specification(a, b, k, expected):
    assert two_layer_epsilon(a, b, 2, k) == pytest.approx(expected, abs=1e-3)


def test_limits():
    assert two_layer_epsilon(0.1, 0.5, 3, 10**6) == pytest.approx(log(0.9 * 2 / 0.1), abs=1e-4)
    assert two_layer_epsilon(0.3, 0.3, 4, 50) == one_layer_epsilon(0.3, 4)
    assert two_layer_epsilon(0.3, 0.3 + 1e-9, 4, 50) == pytest.approx(one_layer_epsilon(0.3, 4), abs=1e-6)
    assert two_layer_epsilon(0, 0, 2) == two_layer_epsilon(1, 1, 2) == inf
    assert two_layer_epsilon(0, 1, 2, 1) == pytest.approx(0, abs=1e-12)
    assert two_layer_epsilon(0, 1, 2, 7) == pytest.approx(log(7))


@given(st.floats(0, 0.5), st.floats(0.05, 0.5), st.integers(2, 5))
def test_more_answers_lose_more(a, width, s):
    curve = [two_layer_epsilon(a, a + width, s, k) for k in (1, 2, 5, 20, 100)]
    assert (np.diff(curve) >= -1e-9).all()


@given(st.floats(0.4, 3), st.integers(2, 4), st.sampled_from([0.0, 0.02]), st.integers(1, 4))
def test_inverse(epsilon, s, low, k):
    try:
        high = two_layer_high(epsilon, s, low=low, n_answers=k)
    except ValueError:
        reachable = [two_layer_epsilon(low, b, s, k) for b in np.linspace(low + 1e-6, 1, 2000)]
        assert min(reachable) > epsilon - 1e-2 or max(reachable) < epsilon
        return
    assert two_layer_epsilon(low, high, s, k) == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize(
    ("high", "epsilon", "s", "arguments"),
    [
        (1.0, 0, 2, {}),
        (0.8, 0, 2, {"low": 0.2}),
        (0.5, 0, 2, {"low": 0.5, "n_answers": 7}),
        (0.0, inf, 3, {"n_answers": 4}),
    ],
)
def test_no_loss_and_infinite_loss_are_values(high, epsilon, s, arguments):
    assert two_layer_high(epsilon, s, **arguments) == pytest.approx(high, abs=1e-12)
    low, k = arguments.get("low", 0.0), arguments.get("n_answers", 1)
    assert two_layer_epsilon(low, high, s, k) == pytest.approx(epsilon, abs=1e-12)


def test_inverse_of_no_loss_where_impossible():
    for arguments in ({"n_answers": 2}, {"low": 0.3, "n_answers": 5}):
        with pytest.raises(ValueError, match=r"^epsilon must be attainable"):
            two_layer_high(0, 2, **arguments)


@given(
    epsilon=st.floats(0.01, 4),
    s=st.integers(2, 5),
    k=st.sampled_from([1, 2, 5, 69]),
    share=st.floats(0.1, 1),
)
def test_low_is_an_inverse(epsilon, s, k, share):
    high = share * (1 - 1 / s)
    try:
        low = two_layer_low(epsilon, s, high=high, n_answers=k)
    except ValueError:
        most, least = two_layer_epsilon(0, high, s, k), two_layer_epsilon(high, high, s, k)
        assert not least * (1 + 1e-9) <= epsilon <= most * (1 - 1e-9)
    else:
        assert 0 <= low <= high
        assert two_layer_epsilon(low, high, s, k) == pytest.approx(epsilon, rel=1e-6)


def test_low_at_the_ends():
    assert two_layer_low(0, 2, high=0.5, n_answers=9) == 0.5
    assert two_layer_low(inf, 2, high=0.0) == 0.0
    with pytest.raises(ValueError, match=r"^high must not exceed 1 - 1/n_choices"):
        two_layer_low(1, 2, high=0.6)
    with pytest.raises(ValueError, match=r"^high must lie"):
        two_layer_low(1, 2, high=-0.1)
    with pytest.raises(ValueError, match=r"^n_answers must"):
        two_layer_low(1, 2, high=0.5, n_answers=0)
    with pytest.raises(ValueError, match=r"^n_choices must"):
        two_layer_low(1, 1, high=0.5)


def test_inverse_refuses_where_the_other_end_loses_more():
    """Just below the least epsilon, an output without flips would allow it, but one of all flips does not."""
    least = min(two_layer_epsilon(0.3, b, 2, 5) for b in np.linspace(0.301, 1, 5000))
    with pytest.raises(ValueError, match=r"^epsilon must be attainable"):
        two_layer_high(0.999 * least, 2, low=0.3, n_answers=5)
    assert two_layer_high(1.001 * least, 2, low=0.3, n_answers=5) < 1


@pytest.mark.parametrize(("name", "value"), [("low", -0.1), ("n_answers", 0), ("n_choices", 1)])
def test_inverse_names_the_argument(name, value):
    good = {"epsilon": 1.0, "n_choices": 2, "low": 0.0, "n_answers": 1}
    with pytest.raises(ValueError, match=rf"^{name} must"):
        two_layer_high(**good | {name: value})


def exact_moments(a, b, k):
    """(k+1) times the integrals of p^d (1-p)^(k-d) over [a, b], as fractions, by parts from d = k."""
    a, b = Fraction(a), Fraction(b)
    moments = [(b ** (k + 1) - a ** (k + 1)) / (k + 1)]
    for d in range(k - 1, -1, -1):
        ends = b ** (d + 1) * (1 - b) ** (k - d) - a ** (d + 1) * (1 - a) ** (k - d)
        moments.append(((k - d) * moments[-1] + ends) / (d + 1))
    return moments[::-1]


def exact_log(ratio):
    away = ratio - 1
    return log1p(away) if abs(away) < 0.5 else log(ratio.numerator) - log(ratio.denominator)


TINY = st.floats(1e-18, 1) | st.floats(-18, 0).map(lambda e: 10**e)


@given(
    a=TINY | st.just(0.0), b=TINY, turned=st.booleans(), s=st.sampled_from([2, 3, 10]), k=st.integers(1, 24)
)
def test_both_epsilons_in_exact_arithmetic(a, b, turned, s, k):
    a, b = sorted((1 - a, 1 - b) if turned else (a, b))
    assume(a < b)
    check_both_epsilons(a, b, s, k)


@given(st.floats(-323, -12).map(lambda e: 10**e), st.floats(0, 1) | st.just(0.0), st.sampled_from([1, 2, 9]))
def test_both_epsilons_of_two_tiny_ends(b, share, k):
    assume(share * b < b)
    check_both_epsilons(share * b, b, 3, k)


def check_both_epsilons(a, b, s, k):
    moments = exact_moments(a, b, k)
    chances = [m / (s - 1) ** d for d, m in enumerate(moments)]
    worker = exact_log(max(chances) / min(chances))
    cell = max(abs(exact_log(x / y)) for x, y in pairwise(chances))
    assert two_layer_worker_epsilon(a, b, s, k) == pytest.approx(worker, rel=1e-11, abs=1e-12)
    assert two_layer_epsilon(a, b, s, k) == pytest.approx(cell, rel=1e-11, abs=1e-12)
    assert two_layer_worker_epsilon(a, b, s, k, n_changed=1) == pytest.approx(cell, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize(("s", "k"), [(2, 3), (3, 2), (3, 3), (4, 2)])
@pytest.mark.parametrize(("a", "b"), [(0.0, 0.6), (0.2, 0.5), (0.5, 0.66), (0.3, 1.0)])
def test_worker_epsilon_by_enumeration_of_rows_and_outputs(a, b, s, k):
    rows = list(product(range(s), repeat=k))
    flips = np.array([[sum(x != y for x, y in zip(r, out, strict=True)) for out in rows] for r in rows])
    law = np.array([moment(a, b, d, k - d) / (s - 1) ** d for d in range(k + 1)])
    assert two_layer_worker_epsilon(a, b, s, k) == pytest.approx(discrete_epsilon(law[flips]), rel=1e-7)


@pytest.mark.parametrize(
    ("a", "b", "s", "k", "one", "two"),
    [
        (0.0, 0.6, 2, 2, 1.695, 1.466),
        (0.0, 0.6, 2, 69, 58.464, 45.533),
        (0.1, 0.5, 2, 13, 11.015, 8.229),
        (0.1, 0.5, 2, 69, 58.464, 41.145),
        (0.0, 0.8, 2, 3, 1.216, 1.296),
        (0.0, 0.9, 2, 2, 0.401, 0.721),
        (0.5, 0.66, 3, 2, 0.7407, 0.7464),
    ],
)
def test_worker_epsilon_compared_with_one_layer(a, b, s, k, one, two):
    assert k * one_layer_epsilon((a + b) / 2, s) == pytest.approx(one, abs=6e-4)
    assert two_layer_worker_epsilon(a, b, s, k) == pytest.approx(two, abs=6e-4)


@given(
    mean=st.floats(0.01, 0.66), share=st.floats(0.01, 1), s=st.sampled_from([2, 3, 5]), k=st.integers(2, 80)
)
def test_two_layers_protect_more_up_to_mean_half(mean, share, s, k):
    """No one flips with probability above 1 - 1/s; the mean decides which mechanism is more private."""
    width = share * min(mean, 1 - 1 / s - mean)
    assume(width > 1e-3)
    one = k * one_layer_epsilon(mean, s)
    two = two_layer_worker_epsilon(mean - width, mean + width, s, k)
    assert two <= one + 1e-9 if mean <= 0.5 else two >= one - 1e-9


@pytest.mark.parametrize(
    ("name", "value"),
    [("low", -0.1), ("low", 0.7), ("high", nan), ("n_choices", 1), ("n_answers", 0), ("n_changed", 5)],
)
def test_worker_epsilon_names_the_argument(name, value):
    good = {"low": 0.1, "high": 0.6, "n_choices": 3, "n_answers": 4}
    with pytest.raises(ValueError, match=rf"^{name} must"):
        two_layer_worker_epsilon(**good | {name: value})


def test_tiny_intervals_and_huge_numbers_of_answers():
    assert two_layer_epsilon(0, 1e-200, 2, 3) == pytest.approx(log(2) + 200 * log(10))
    assert two_layer_worker_epsilon(0, 1e-200, 2, 1) == pytest.approx(log(2) + 200 * log(10))
    assert two_layer_high(700, 2) == pytest.approx(2 * exp(-700), rel=1e-9)
    assert two_layer_epsilon(1 - 2**-53, 1, 2) == two_layer_epsilon(0, 2**-53, 2)
    assert two_layer_epsilon(0, 1e-20, 3, 10**15) == pytest.approx(log(2) + log(2e20), rel=1e-6)
    assert two_layer_epsilon(0.1, 0.5, 2, 10**15) == pytest.approx(log(9))
    assert two_layer_worker_epsilon(0.1, 0.5, 2, 200_000) / 200_000 == pytest.approx(log(0.9 / 0.5), rel=1e-4)
