"""Closed forms for reports, against 50 and more digits."""

import math

import mpmath as mp
import pytest
from hypothesis import given, strategies as st

from ldpbook.remedies.bounds import (
    above_report_probability,
    below_report_probability,
    careful_log_odds,
    lp_error,
    lp_share_kept,
    null_report_probability,
    null_symbol_ratio,
    rr_error,
    rr_share_kept,
    threshold_error,
    threshold_information,
)

mp.mp.dps = 50
SETTINGS = {
    "distance": st.floats(-30, 30),
    "epsilon": st.floats(-7, 2.4).map(lambda x: 10**x),
    "density": st.floats(-6, 0).map(lambda x: 10**x),
    "sigma": st.floats(-1, 4).map(lambda x: 10**x),
}


def above(distance, epsilon, density, sigma):
    p, q = mp.exp(epsilon) / (mp.exp(epsilon) + 2), 1 / (mp.exp(epsilon) + 2)
    return q + (p - q) * density * mp.ncdf(distance / sigma)


@given(**SETTINGS)
def test_distribution_of_one_report(distance, epsilon, density, sigma):
    exact = [mp.mpf(x) for x in (distance, epsilon, density, sigma)]
    setting = {"distance": distance, "epsilon": epsilon, "density": density, "sigma": sigma}
    chance, mirrored = above(*exact), above(-exact[0], *exact[1:])
    null = 1 - chance - mirrored
    assert above_report_probability(**setting) == pytest.approx(float(chance), rel=1e-12)
    assert below_report_probability(**setting) == pytest.approx(float(mirrored), rel=1e-12)
    assert null_report_probability(epsilon=epsilon, density=density) == pytest.approx(float(null), rel=1e-9)


@given(**SETTINGS)
def test_information_follows_from_the_derivative(distance, epsilon, density, sigma):
    exact = [mp.mpf(x) for x in (distance, epsilon, density, sigma)]
    p, q = mp.exp(exact[1]) / (mp.exp(exact[1]) + 2), 1 / (mp.exp(exact[1]) + 2)
    slope = (p - q) * exact[2] * mp.npdf(exact[0] / exact[3]) / exact[3]
    expected = slope**2 / above(*exact) + slope**2 / above(-exact[0], *exact[1:])
    found = threshold_information(distance=distance, epsilon=epsilon, density=density, sigma=sigma)
    assert found == pytest.approx(float(expected), rel=1e-9, abs=1e-290)


def test_the_derivative_is_that_of_the_probability():
    setting = [mp.mpf(x) for x in (0.7, 1.2, 0.4, 1.5)]
    slope = mp.diff(lambda d: above(d, *setting[1:]), setting[0])
    information = slope**2 / above(*setting) + slope**2 / above(-setting[0], *setting[1:])
    found = threshold_information(distance=0.7, epsilon=1.2, density=0.4, sigma=1.5)
    assert found == pytest.approx(float(information), rel=1e-12)


def test_nothing_overflows():
    for epsilon in (1e-300, 700.0, 1e300):
        for distance in (-1e300, 0.0, 1e300):
            setting = {"distance": distance, "epsilon": epsilon, "density": 0.5, "sigma": 1e-3}
            chances = above_report_probability(**setting), below_report_probability(**setting)
            null = null_report_probability(epsilon=epsilon, density=0.5)
            assert sum(chances) + null == pytest.approx(1)
            assert threshold_information(**setting) >= 0


def test_bad_settings_are_refused_by_name():
    good = {"distance": 0.0, "epsilon": 1.0, "density": 0.5, "sigma": 1.0}
    for name, bad in [("distance", float("nan")), ("epsilon", 0), ("density", 0), ("sigma", -1.0)]:
        for function in (above_report_probability, below_report_probability, threshold_information):
            with pytest.raises(ValueError, match=name):
                function(**{**good, name: bad})
    with pytest.raises(ValueError, match="density"):
        null_report_probability(epsilon=1.0, density=2.0)


@given(epsilon=SETTINGS["epsilon"], density=SETTINGS["density"], size=st.integers(2, 10**6))
def test_share_kept_follows_from_report_distribution(epsilon, density, size):
    """All answers are one above the middle; LP's fill has the middle as mean, and its noise has mean 0."""
    e, s = mp.exp(mp.mpf(epsilon)), mp.mpf(density)
    answers = (s * e + (1 - s) + (size - 1)) / (
        size + e
    )  # reports that are answers: that answer, given or from NULL, and all others
    moved = s * (e - 1) / (size + e)
    found = rr_share_kept(epsilon=epsilon, density=density, domain_size=size)
    assert found == pytest.approx(float(moved / answers), rel=1e-12)
    assert lp_share_kept(density=density) == density


@given(epsilon=SETTINGS["epsilon"], density=SETTINGS["density"])
def test_null_with_and_without_own_symbol(epsilon, density):
    """Both informations by definition, with slopes -1, 1 and 0."""
    a, d = mp.exp(mp.mpf(epsilon)), mp.mpf(density)
    cell, slopes = [d / 2, d / 2, 1 - d], [-1, 1, 0]
    channels = [
        [[a, 1, 1], [1, a, 1], [1, 1, a]],  # outputs below, above, NULL, before normalization
        [[a, 1, a], [1, a, 1]],
    ]
    three, two = (
        mp.fsum(
            mp.fdot(column, slopes) ** 2 / mp.fdot(column, cell) / mp.fsum(each[0] for each in channel)
            for column in channel
        )
        for channel in channels
    )
    found = null_symbol_ratio(epsilon=epsilon, density=density)
    assert found == pytest.approx(float(three / two), rel=1e-12)


@given(
    distance=st.floats(-12, 3).map(lambda x: 10**x),
    epsilon=st.floats(-8, 2.845).map(lambda x: 10**x),
    density=SETTINGS["density"],
    sigma=st.floats(-3, 3).map(lambda x: 10**x),
    apart=st.floats(-3.5, 0.6).map(lambda x: 10**x),
)
def test_expected_log_odds_are_a_divergence(distance, epsilon, density, sigma, apart):
    """Standard deviations that differ by 0.07 % up to a factor of 9,600, either way."""
    for deviation in (sigma * 10**apart, sigma * 10**-apart):
        setting = {"epsilon": epsilon, "density": density, "sigma": sigma, "deviation": deviation}
        with mp.workdps(400):  # because the terms cancel except for 10^-60
            exact = [mp.mpf(x) for x in (distance, epsilon, density)]
            careful, other = (
                [*sides, 1 - sum(sides)]
                for s in (sigma, deviation)
                for sides in [[above(sign * exact[0], *exact[1:], mp.mpf(s)) for sign in (1, -1)]]
            )
            expected = mp.fsum(c * mp.log(c / o) for c, o in zip(careful, other, strict=True))
        for sign in (1, -1):
            found = careful_log_odds(distance=sign * distance, **setting)
            assert found == pytest.approx(float(expected), rel=1e-11, abs=1e-290)
            assert 0 <= found <= epsilon


def test_equal_kinds_and_threshold_at_truth_are_uninformative():
    setting = {"epsilon": 3.0, "density": 1.0, "sigma": 1.0}
    assert careful_log_odds(distance=0.0, deviation=5.0, **setting) == 0
    assert careful_log_odds(distance=2.0, deviation=1.0, **setting) == 0
    assert careful_log_odds(distance=1e300, deviation=1e-300, **setting) == 0


def test_report_impossible_for_one_kind_is_accepted():
    """A careful worker is certainly above; another one is with probability Phi(1)."""
    found = careful_log_odds(distance=30.0, epsilon=100.0, density=1.0, sigma=1.0, deviation=30.0)
    assert found == pytest.approx(float(-mp.log(mp.ncdf(1))), rel=1e-12)


def test_bad_settings_of_other_formulas_are_named():
    good = {"distance": 0.5, "epsilon": 3.0, "density": 1.0, "sigma": 1.0, "deviation": 5.0}
    for name, bad in [("epsilon", 701.0), ("epsilon", 0), ("density", 2), ("sigma", 0), ("deviation", -1)]:
        with pytest.raises(ValueError, match=name):
            careful_log_odds(**{**good, name: bad})
    with pytest.raises(ValueError, match="density"):
        lp_share_kept(density=0)
    with pytest.raises(ValueError, match="domain_size"):
        rr_share_kept(epsilon=1.0, density=0.5, domain_size=1)
    with pytest.raises(ValueError, match="epsilon"):
        null_symbol_ratio(epsilon=-1.0, density=0.5)


def mean_over_truths(value):
    """Mean over normal truths with standard deviation 1 around the middle; exact for quadratic values."""
    return (value(mp.mpf(-1)) + value(mp.mpf(1))) / 2


@given(
    epsilon=st.floats(-2, 1.5).map(lambda x: 10**x),
    density=st.floats(-4, 0).map(lambda x: 10**x),
    n_workers=st.integers(1, 10**9),
    sigma=st.floats(-2, 2).map(lambda x: 10**x),
    size=st.integers(2, 30),
)
def test_errors_follow_from_report_moments(epsilon, density, n_workers, sigma, size):
    """By the definition of bias and variance, from moments summed over the channel's row."""
    values = [mp.mpf(v) - mp.mpf(size - 1) / 2 for v in range(size)]
    e, s, m, q = mp.exp(epsilon), mp.mpf(density), n_workers, 1 / (mp.exp(epsilon) + size)
    even = mp.fsum(v**2 for v in values)
    laplace = 2 * (size / mp.mpf(epsilon)) ** 2
    cases = {  # probability and mean square of a numeric report, and the kept part of an answer
        rr_error: (q * size + (e - 1) * q * s, even * q, (e - 1) * q * s),
        lp_error: (mp.mpf(1), (1 - s) * even / size + laplace, s),
    }
    for function, (chance, filled, heard) in cases.items():

        def found(decoded, function=function):
            crowd = {"epsilon": epsilon, "density": density, "n_workers": n_workers, "sigma": sigma}
            return function(**crowd, domain_size=size, decoded=decoded)

        def variance(truth, chance=chance, filled=filled, heard=heard):
            estimate = heard * truth / chance
            square = filled + heard * (mp.mpf(sigma) ** 2 + truth**2)
            return (square - estimate**2 * chance) / chance**2 / m

        noise = mean_over_truths(variance)
        bias = mean_over_truths(lambda truth, share=heard / chance: ((share - 1) * truth) ** 2)
        assert found(False) == pytest.approx(float(mp.sqrt(2 / mp.pi * (bias + noise))), rel=1e-9)
        noise *= (chance / heard) ** 2
        assert found(True) == pytest.approx(float(mp.sqrt(2 / mp.pi * noise / (1 + noise))), rel=1e-9)


def test_error_of_thresholds_is_that_of_the_posterior():
    given_ = {"epsilon": 1.3, "density": 0.2, "sigma": 0.8}
    precision = 1 + 500 * threshold_information(distance=0.0, **given_)
    expected = mp.quad(lambda x: 2 * x * mp.npdf(x, 0, 1 / mp.sqrt(precision)), [0, 1, 10])
    assert threshold_error(n_workers=500, **given_) == pytest.approx(float(expected), rel=1e-9)
    assert threshold_error(n_workers=0, **given_) == pytest.approx(float(mp.sqrt(2 / mp.pi)), rel=1e-12)


@pytest.mark.parametrize("function", [rr_error, lp_error])
@pytest.mark.parametrize(
    "extreme", [{"sigma": 1e308}, {"epsilon": 1e-200}, {"epsilon": 1e-320}, {"epsilon": 1e300}]
)
def test_extreme_decoding_errors_never_exceed_the_constant(function, extreme):
    crowd = {"epsilon": 1.0, "density": 0.5, "n_workers": 10, "sigma": 1.0, "domain_size": 10} | extreme
    assert 0 < function(**crowd, decoded=True) <= math.sqrt(2 / math.pi)
    assert function(**crowd, decoded=False) > 0
