"""No design tells more than its limit; values are tried with fifty digits elsewhere."""

import pytest
from hypothesis import given, strategies as st

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


@given(CROWD["epsilon"], CROWD["density"], CROWD["sigma"])
def test_one_task_that_is_asked_about_is_one_threshold_response(epsilon, density, sigma):
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
