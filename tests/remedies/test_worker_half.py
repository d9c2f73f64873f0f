"""The worker's half on the standard library: the mechanism's distribution, by its numbers and by draws."""

import random
import subprocess
import sys
from math import ceil

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from ldpbook.remedies.smaller_question import ThresholdResponse
from ldpbook.remedies.worker_half import respond, secrets

SYMBOLS = (0, 1, None)
ANSWERS = {0: 3, 1: 6, None: None}  # at the threshold 4.5


def bits(forget_at: int, drawn: int, coin: int):
    """Replacement of `secrets.randbits`: the deciding number, the replacing symbol and the coin."""
    return {1: coin, 53: forget_at, 64: (2**64 * (2 * drawn + 1)) // 6}.__getitem__


@pytest.mark.parametrize("epsilon", [1e-300, 1e-9, 0.1, 1.0, 2.0, 10.0, 36.0])
@pytest.mark.parametrize("coin", [0, 1])
@pytest.mark.parametrize("symbol", [*SYMBOLS, "tied"])
def test_symbol_is_replaced_with_the_stated_probability(monkeypatch, epsilon, coin, symbol):
    """With probability 3 q, up to 2^-53, the symbol is redrawn from all three. A coin decides ties."""
    answer = 4.5 if symbol == "tied" else ANSWERS[symbol]
    symbol = coin if symbol == "tied" else symbol
    exact = 3 / (mp.exp(mp.mpf(epsilon)) + 2)
    forgotten = exact * 2**53
    slack = 4 + int(2 * forgotten * mp.mpf(2) ** -52)  # rounding of doubles
    for drawn in range(3):
        monkeypatch.setattr(secrets, "randbits", bits(max(0, int(forgotten) - slack), drawn, coin))
        if forgotten > slack:
            assert respond(answer, 4.5, epsilon=epsilon) == SYMBOLS[drawn]
        monkeypatch.setattr(secrets, "randbits", bits(ceil(forgotten) + slack, drawn, coin))
        assert respond(answer, 4.5, epsilon=epsilon) == symbol


@pytest.mark.parametrize("epsilon", [0.3, 1.5])
def test_draws_agree_with_the_mechanism(monkeypatch, epsilon):
    monkeypatch.setattr(secrets, "randbits", random.Random(1).getrandbits)
    matrix = ThresholdResponse(epsilon).transition_matrix
    laws = [*zip(matrix, ANSWERS.values(), strict=True), (matrix[:2].mean(axis=0), 4.5)]
    for row, answer in laws:
        drawn = [respond(answer, 4.5, epsilon=epsilon) for _ in range(20_000)]
        seen = [sum(d is s or (d == s and s is not None) for d in drawn) for s in SYMBOLS]
        assert sum(seen) == 20_000
        assert stats.chisquare(seen, 20_000 * row).pvalue > 1e-4


@pytest.mark.parametrize("coin", [0, 1])
def test_null_is_none_or_nan_coin_decides_ties(monkeypatch, coin):
    monkeypatch.setattr(secrets, "randbits", bits(2**53 - 1, 0, coin))
    answers = [None, float("nan"), np.float64("nan"), 4.5, np.float64(4.6), -10]
    assert [respond(a, 4.5, epsilon=2.0) for a in answers] == [None, None, None, coin, 1, 0]


def test_extreme_budgets_never_fail():
    assert respond(7, 4.5, epsilon=1e300) == 1
    assert respond(7, 4.5, epsilon=5e-324) in SYMBOLS


@pytest.mark.parametrize(
    ("answer", "threshold", "epsilon", "name"),
    [("7", 1, 1, "answer"), (7, float("nan"), 1, "threshold"), (7, 1, 0, "epsilon"), (True, 1, 1, "answer")],
)
def test_bad_input_is_refused_by_name(answer, threshold, epsilon, name):
    with pytest.raises((ValueError, TypeError), match=name):
        respond(answer, threshold, epsilon=epsilon)


def test_worker_half_needs_the_standard_library_only():
    code = "import sys; sys.modules.update(dict.fromkeys(['numpy', 'scipy', 'pandas']))"
    code += "; from ldpbook.remedies.worker_half import respond; respond(None, 0.5, epsilon=1.0)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_report_draws_the_same_bits(monkeypatch):
    """Additional draws for a replaced symbol would be revealed by the time they take."""
    for answer in (3, 6, 4.5, None):
        for decided in (0, 2**53 - 1):
            asked = []
            monkeypatch.setattr(
                secrets, "randbits", lambda k, d=decided, a=asked: a.append(k) or min(d, 2**k - 1)
            )
            respond(answer, 4.5, epsilon=1.0)
            assert sorted(asked) == [1, 53, 64]
