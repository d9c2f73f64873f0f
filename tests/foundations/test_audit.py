import warnings
from fractions import Fraction
from math import log, nan

import numpy as np
import pytest
from scipy.stats import binom

from ldpbook.foundations.audit import audit_epsilon


def bernoulli_outputs(p, q, n, rng):
    return (rng.random(n) < p).astype(float), (rng.random(n) < q).astype(float)


def test_audit_is_valid_at_its_confidence():
    """The true epsilon is ln 2; each of 400 audits may claim more with probability at most 10 %."""
    rng = np.random.default_rng(0)
    claims = [
        audit_epsilon(*bernoulli_outputs(0.5, 0.25, 400, rng), confidence=0.9).epsilon > log(2)
        for _ in range(400)
    ]
    assert sum(claims) <= binom.isf(1e-3, 400, 0.1)


def test_audit_limits_are_clopper_pearson():
    first = np.repeat([1.0, 0.0, 1.0, 0.0], [90, 10, 80, 20])  # halves: choose, then measure
    second = np.repeat([1.0, 0.0, 1.0, 0.0], [10, 90, 25, 75])
    result = audit_epsilon(first, second, confidence=0.9)
    np.testing.assert_array_equal(result.event, [1.0] if result.likelier == 0 else [0.0])
    hits, misses = (80, 25) if result.likelier == 0 else (75, 20)
    assert binom.sf(hits - 1, 100, result.p_low) == pytest.approx(0.05)
    assert binom.cdf(misses, 100, result.p_high) == pytest.approx(0.05)
    assert result.epsilon == pytest.approx(log(result.p_low / result.p_high))
    assert result.confidence == 0.9


def test_audit_joins_symbols_into_an_event():
    rng = np.random.default_rng(1)
    first, second = (
        rng.choice(4, 20_000, p=[0.4, 0.4, 0.1, 0.1]),
        rng.choice(4, 20_000, p=[0.1, 0.1, 0.4, 0.4]),
    )
    result = audit_epsilon(first, second)
    assert len(result.event) == 2
    assert 0.95 * log(4) < result.epsilon <= log(4)


def test_audit_finds_the_direction():
    rng = np.random.default_rng(2)
    rare, common = bernoulli_outputs(0.02, 0.2, 20_000, rng)
    assert audit_epsilon(rare, common).likelier == 1
    assert audit_epsilon(common, rare).likelier == 0
    assert audit_epsilon(rare, common).epsilon > 1.8


def test_null_is_a_symbol_with_and_without_bins():
    rng = np.random.default_rng(3)
    first, second = rng.standard_normal(4000), rng.standard_normal(4000)
    first[rng.random(4000) < 0.5] = nan
    result = audit_epsilon(first, second, edges=[0.0])
    assert np.isnan(result.event).any()
    assert result.epsilon > 5


def test_bins_are_open_at_the_ends():
    result = audit_epsilon(np.full(100, -1e9), np.full(100, 1e9), edges=[0.0, 1.0])
    assert result.event.tolist() in ([0.0], [2.0])
    assert result.epsilon > 2


def test_audit_without_evidence_finds_nothing():
    same = np.zeros(1000)
    assert audit_epsilon(same, same).epsilon == 0
    assert audit_epsilon([0, 0, 0, 0], [1, 1, 1, 1]).epsilon == 0  # four outputs prove nothing


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (([1, 2, 3], [1, 2, 3, 4]), "first"),
        (([1, 2, 3, 4], [1, 2, 3]), "second"),
        (([[1] * 4], [1] * 4), "first"),
    ],
)
def test_bad_samples(arguments, name):
    with pytest.raises(ValueError, match=rf"^{name} "):
        audit_epsilon(*arguments)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("confidence", 0),
        ("confidence", 1),
        ("confidence", nan),
        ("edges", [1, 1]),
        ("edges", [2, 1]),
        ("edges", [[1]]),
    ],
)
def test_bad_settings(name, value):
    with pytest.raises(ValueError, match=rf"^{name} "):
        audit_epsilon([1] * 4, [1] * 4, **{name: value})


def test_confidence_may_be_any_number():
    half = audit_epsilon([1] * 9, [2] * 9, confidence=Fraction(1, 2))
    assert half.epsilon == audit_epsilon([1] * 9, [2] * 9, confidence=0.5).epsilon > 0


def test_continuous_outputs_without_edges_warn():
    """Laplace noise, exact epsilon 3: no output occurs twice, so the loss is only found with bins."""
    rng = np.random.default_rng(5)
    first, second = rng.laplace(0, 1, 20_000), rng.laplace(3, 1, 20_000)
    with pytest.warns(UserWarning, match=r"most of the 40000 outputs occur only once: give edges"):
        assert audit_epsilon(first, second).epsilon == 0
    assert 2.5 < audit_epsilon(first, second, edges=np.linspace(-5, 8, 27)).epsilon <= 3


@pytest.mark.parametrize(("n_unique", "warns"), [(10, False), (11, True)])
def test_audit_warns_of_mostly_unique_outputs(n_unique, warns):
    first = np.append(np.arange(n_unique), np.full(10, -1.0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        audit_epsilon(first[:10], first[10:])
    assert bool(caught) == warns


def test_results_can_be_compared_and_kept_in_sets():
    first, second = (audit_epsilon([0, 0, 1, 1], [1, 1, 1, 1]) for _ in range(2))
    assert first == first
    assert first != second
    assert len({first, second}) == 2


def test_event_that_does_not_recur_proves_nothing():
    # The choosing halves suggest the output 1; the measuring halves never show it.
    first, second = np.repeat([1.0, 0.0], [50, 50]), np.zeros(100)
    result = audit_epsilon(first, second)
    assert (result.p_low, result.epsilon) == (0, 0)


def test_limits_at_one_hit_and_all_hits():
    first = np.repeat([1.0, 0.0, 1.0, 0.0], [90, 10, 1, 99])
    result = audit_epsilon(first, np.zeros(200), confidence=0.9)
    assert binom.sf(0, 100, result.p_low) == pytest.approx(0.05)
    assert binom.cdf(0, 100, result.p_high) == pytest.approx(0.05)
    # In the measuring half, the second input always gives the output 1.
    second = np.repeat([0.0, 1.0], [100, 100])
    result = audit_epsilon(first, second, confidence=0.9)
    assert result.likelier == 0
    assert result.p_high == 1.0


def test_many_bins_do_not_cost_much():
    """Laplace noise, exact epsilon 1: with 200 bins, mostly rare, the loss is still found within 10 %."""
    rng = np.random.default_rng(4)
    found = [
        audit_epsilon(
            rng.laplace(0, 9, 50_000), rng.laplace(9, 9, 50_000), edges=np.linspace(-90, 99, 200)
        ).epsilon
        for _ in range(10)
    ]
    assert min(found) > 0.9
    assert sum(epsilon > 1 for epsilon in found) <= 2
