"""Randomized response from whole words, against 50-digit numbers and by enumeration."""

from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from ldpbook import _dyadic
from ldpbook.practice import draw_response, response_weights


@pytest.fixture(autouse=True, scope="module")
def eighty_digits():
    with mpmath.workdps(80):
        yield


SIZES = [2, 3, 4, 5, 11, 64, 1000, 2**15 + 1, 2**16]


def of_word(word):
    return lambda n: int(word).to_bytes(n, "big")


@given(st.floats(-17, 3), st.sampled_from(SIZES))
def test_words_keep_epsilon_and_waste_below_one_word(power, size):
    epsilon = 10.0**power
    assume(epsilon >= size**2 / 2**64)
    keep, other = response_weights(epsilon=epsilon, n_symbols=size)
    assert keep + (size - 1) * other == 2**64
    assert keep >= other >= 1
    factor = mpmath.exp(mpmath.mpf(min(epsilon, 700.0)))
    assert mpmath.mpf(keep) <= factor * other
    if other > 1:  # with one word less per other symbol the guarantee fails
        assert mpmath.mpf(keep + size - 1) > factor * (other - 1)


@pytest.mark.parametrize("size", [3, 5, 11, 1000, 2**15 + 1])
@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-25])
def test_an_epsilon_below_a_word_is_refused(epsilon, size):
    with pytest.raises(ValueError, match="epsilon must be larger"):
        response_weights(epsilon=epsilon, n_symbols=size)


def test_uniform_reports_keep_any_promise():
    assert response_weights(epsilon=1e-25, n_symbols=4) == (2**62, 2**62)


@pytest.mark.parametrize("size", SIZES)
def test_loss_is_constant_beyond_44(size):
    assert response_weights(epsilon=1.7e308, n_symbols=size) == (2**64 - size + 1, 1)


@pytest.mark.parametrize("size", [2, 3, 7])
def test_every_word_gives_reports_with_stated_weights(size):
    keep, other = response_weights(epsilon=0.7, n_symbols=size)
    edges = [0, *(keep + other * k for k in range(size))]
    assert edges[-1] == 2**64
    for symbol in range(size):
        reports = []
        for first, end in pairwise(edges):
            ends = {
                draw_response(symbol, epsilon=0.7, n_symbols=size, entropy=of_word(w))
                for w in (first, (first + end) // 2, end - 1)
            }
            assert len(ends) == 1
            reports.append(ends.pop())
        assert reports[0] == symbol
        assert sorted(reports) == list(range(size))


def test_reports_follow_the_distribution():
    source = np.random.default_rng(1)
    found = [draw_response(1, epsilon=1.0, n_symbols=3, entropy=source.bytes) for _ in range(20_000)]
    chance = np.e / (np.e + 2)
    assert abs(np.mean(np.equal(found, 1)) - chance) < 4.5 * (chance * (1 - chance) / 20_000) ** 0.5
    assert {draw_response(0, epsilon=0.1, n_symbols=2) for _ in range(200)} == {0, 1}  # fresh entropy


@given(st.floats(-18, 2))
def test_an_exponential_is_below_and_near(power):
    x = 10.0**power
    found, exact = _dyadic.exp_below(x), mpmath.exp(mpmath.mpf(x))
    found = mpmath.mpf(found.numerator) / found.denominator
    assert exact * (1 - mpmath.mpf(10) ** -57) < found < exact


@pytest.mark.parametrize(
    ("entropy", "error"),
    [
        (None, TypeError),
        (b"12345678", TypeError),
        (lambda n: "a" * n, TypeError),
        (lambda n: [0] * n, TypeError),
        (lambda n: b"", ValueError),
        (lambda n: bytes(n - 1), ValueError),
        (lambda n: bytes(n + 1), ValueError),
    ],
)
def test_bad_entropy_is_refused(entropy, error):
    """A short read would be a small word, which would keep every symbol."""
    with pytest.raises(error, match="entropy must"):
        draw_response(0, epsilon=1.0, n_symbols=3, entropy=entropy)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"symbol": -1}, ValueError),
        ({"symbol": 3}, ValueError),
        ({"symbol": True}, TypeError),
        ({"symbol": 1.0}, TypeError),
        ({"symbol": None}, TypeError),
        ({"epsilon": 0.0}, ValueError),
        ({"epsilon": float("nan")}, ValueError),
        ({"epsilon": "1"}, TypeError),
        ({"n_symbols": 1}, ValueError),
        ({"n_symbols": 2**16 + 1}, ValueError),
        ({"n_symbols": 2.5}, TypeError),
    ],
)
def test_bad_input_is_named(changed, error):
    arguments = {"symbol": 0, "epsilon": 1.0, "n_symbols": 3} | changed
    with pytest.raises(error, match=next(iter(changed))):
        draw_response(arguments.pop("symbol"), **arguments)
