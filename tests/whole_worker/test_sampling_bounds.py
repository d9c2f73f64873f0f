"""No design has more information than its limit; other tests check values with fifty digits."""

from math import exp, expm1, pi, tanh

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from scipy.optimize import brentq

from ldpbook.remedies.bounds import threshold_information
from ldpbook.whole_worker import (
    asked_information,
    mixed_information,
    own_information,
    questions_to_ask,
    row_information_limit,
)

CROWD = {
    "n_tasks": st.integers(1, 2000),
    "epsilon": st.floats(-3, 2).map(lambda x: 10**x),
    "density": st.floats(-4, 0).map(lambda x: 10**x),
    "sigma": st.floats(-1, 2).map(lambda x: 10**x),
}


@given(**CROWD)
def test_no_design_is_above_the_limit(n_tasks, epsilon, density, sigma):
    crowd = {"n_tasks": n_tasks, "epsilon": epsilon, "density": density, "sigma": sigma}
    limit = row_information_limit(**crowd) * (1 + 1e-9)
    groups = max(1, min(n_tasks, round(epsilon / 2)))
    assert asked_information(**crowd) <= limit
    assert asked_information(**crowd, n_questions=n_tasks) <= limit
    assert own_information(**crowd) <= limit
    assert mixed_information(**crowd) <= limit
    assert mixed_information(**crowd, n_groups=groups) <= limit


@given(**CROWD)
def test_mixture_of_answers_is_below_the_limit(n_tasks, epsilon, density, sigma):
    others = np.arange(n_tasks)
    root = stats.binom.pmf(others, n_tasks - 1, density) @ (1 + others) ** -0.5
    told = 2 / pi * (density / sigma * root * tanh(epsilon / 2)) ** 2
    limit = row_information_limit(n_tasks=n_tasks, epsilon=epsilon, density=density, sigma=sigma)
    assert told <= limit * (1 + 1e-9)


def test_mixture_of_answers_approaches_the_limit():
    others = np.arange(200_000)
    root = stats.binom.pmf(others, 199_999, 0.5) @ (1 + others) ** -0.5
    told = 2 / pi * (0.5 * root * tanh(0.0005)) ** 2
    assert told == pytest.approx(
        row_information_limit(n_tasks=200_000, epsilon=0.001, density=0.5, sigma=1.0), rel=1e-4
    )


@given(st.floats(0.01, 6))
def test_squared_score_of_report_is_below_limit(epsilon):
    """The extreme case for a normal score: likelihood ratios are high above z and low below it."""
    grown = expm1(epsilon)
    z = brentq(lambda z: z * (1 + grown * stats.norm.sf(z)) - grown * stats.norm.pdf(z), 0, 10)
    p = stats.norm.sf(z)
    assert z == pytest.approx(grown * stats.norm.pdf(z) / (1 + p * (exp(epsilon) - 1)))
    limit = row_information_limit(n_tasks=1000, epsilon=epsilon, density=1.0, sigma=1.0)
    assert z**2 <= 1000 * limit * (1 + 1e-9)


@given(CROWD["epsilon"], CROWD["density"], CROWD["sigma"])
def test_one_asked_task_is_one_threshold_response(epsilon, density, sigma):
    crowd = {"epsilon": epsilon, "density": density, "sigma": sigma}
    found = asked_information(n_tasks=1, **crowd)
    assert found == pytest.approx(threshold_information(distance=0.0, **crowd), rel=1e-9)


@given(**CROWD, less=st.floats(0.01, 1))
def test_a_smaller_budget_asks_no_more_questions(n_tasks, epsilon, density, sigma, less):
    few = questions_to_ask(n_tasks=n_tasks, epsilon=less * epsilon, density=density)
    assert few <= questions_to_ask(n_tasks=n_tasks, epsilon=epsilon, density=density) <= n_tasks


@pytest.mark.parametrize("design", [asked_information, mixed_information])
def test_more_parts_than_tasks_are_refused(design):
    name = "n_questions" if design is asked_information else "n_groups"
    with pytest.raises(ValueError, match=name):
        design(n_tasks=3, epsilon=1.0, density=0.5, sigma=1.0, **{name: 4})
