"""The distribution of an answer, against mpmath's normal distribution and simulated crowds."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st

from ldpbook.datasets import synthetic_crowd
from ldpbook.remedies import AnswerLaw

LAW = AnswerLaw(domain=range(10), sigmas=(1.0, 5.0), shares=(0.25, 0.75), density=0.3)


def rounded_and_clipped(truth, k):
    """Probability of answer k of 0..9 at density 0.3, with 50 digits."""
    with mpmath.workdps(50):

        def below(x):
            return mpmath.mpf("0.25") * mpmath.ncdf(x - truth) + mpmath.mpf("0.75") * mpmath.ncdf(
                (x - truth) / 5
            )

        low = mpmath.mpf(0) if k == 0 else below(mpmath.mpf(k) - 0.5)
        high = mpmath.mpf(1) if k == 9 else below(mpmath.mpf(k) + 0.5)
        return float(mpmath.mpf("0.3") * (high - low))


@pytest.mark.parametrize("truth", [-30.0, 0.0, 4.5, 7.2, 12.0])
def test_distribution_is_that_of_rounded_clipped_normals(truth):
    expected = [rounded_and_clipped(truth, k) for k in range(10)]
    np.testing.assert_allclose(LAW.at(truth)[:-1], expected, rtol=0, atol=1e-15)
    assert LAW.at(truth)[-1] == pytest.approx(0.7)


@pytest.mark.parametrize("truth", [-3.0, 4.5, 8.8])
def test_slope_is_the_derivative(truth):
    step = 1e-5
    numeric = (LAW.at(truth + step) - LAW.at(truth - step)) / (2 * step)
    np.testing.assert_allclose(LAW.slope(truth), numeric, atol=1e-10)


def test_link_is_the_probability_above():
    assert LAW.above(0.0) == pytest.approx(0.5)
    beyond = LAW.at([3.0, 5.5])[:, 5:-1].sum(axis=1) / 0.3
    np.testing.assert_allclose(LAW.above(np.array([3.0, 5.5]) - 4.5), beyond)


def test_distribution_is_that_of_the_synthetic_crowd():
    crowd = synthetic_crowd(40_000, 5, density=0.4, truth_mean=4.5, rng=3)
    law = AnswerLaw(crowd.domain, sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.4)
    for truth, answers in zip(crowd.truth, crowd.answers.T, strict=True):
        found = [np.mean(answers == k) for k in range(10)]
        expected = law.at(truth)[:-1]
        assert (np.abs(found - expected) < 4.5 * np.sqrt(expected / 40_000)).all()


@given(st.floats(-20, 20), st.floats(0, 1))
def test_rows_are_distributions(truth, density):
    law = AnswerLaw(range(4), sigmas=(0.3, 2.0), shares=(0.5, 0.5), density=density)
    assert law.at([truth]).shape == law.slope([truth]).shape == (1, 5)
    assert law.at(truth).sum() == pytest.approx(1)
    assert law.at(truth).min() >= -1e-15
    assert law.slope(truth).sum() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "wrong",
    [
        {"shares": (0.5,)},
        {"shares": (0.5, 0.6)},
        {"shares": (1.5, -0.5)},
        {"sigmas": (0.0, 1.0)},
        {"density": 1.1},
        {"domain": [0, 2]},
    ],
)
def test_bad_input_is_named(wrong):
    given = {"domain": range(3), "sigmas": (1.0, 5.0), "shares": (0.5, 0.5), "density": 0.1} | wrong
    with pytest.raises(ValueError, match=next(iter(wrong))):
        AnswerLaw(**given)
