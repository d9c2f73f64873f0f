"""One threshold response in closed form, against 50 digits."""

import mpmath as mp
import pytest
from hypothesis import given, strategies as st

from ldpbook.remedies.bounds import (
    above_report_probability,
    below_report_probability,
    null_report_probability,
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
def test_the_law_of_one_report(distance, epsilon, density, sigma):
    exact = [mp.mpf(x) for x in (distance, epsilon, density, sigma)]
    setting = {"distance": distance, "epsilon": epsilon, "density": density, "sigma": sigma}
    chance, mirrored = above(*exact), above(-exact[0], *exact[1:])
    null = 1 - chance - mirrored
    assert above_report_probability(**setting) == pytest.approx(float(chance), rel=1e-12)
    assert below_report_probability(**setting) == pytest.approx(float(mirrored), rel=1e-12)
    assert null_report_probability(epsilon=epsilon, density=density) == pytest.approx(float(null), rel=1e-9)


@given(**SETTINGS)
def test_information_is_that_of_the_law_by_its_derivative(distance, epsilon, density, sigma):
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
