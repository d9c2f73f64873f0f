"""Closed forms of the part, at their ends; over their range they are tested in test_closed_forms.py."""

import math

import pytest

from ldpbook.whole_worker import shuffle_epsilon, shuffle_epsilon_closed_form


@pytest.mark.parametrize("local", [0.1, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("n", [20_000, 10**6, 10**9])
def test_the_closed_form_is_never_below_the_sum(local, n):
    crowd = {"local_epsilon": local, "n_users": n, "delta": 1e-6}
    assert shuffle_epsilon(**crowd) < shuffle_epsilon_closed_form(**crowd) <= local


def test_beyond_its_condition_the_local_epsilon_stands():
    limit = math.log(20_000 / 16 / math.log(2e6))
    below, above = (
        shuffle_epsilon_closed_form(local_epsilon=x, n_users=20_000, delta=1e-6)
        for x in (limit - 1e-9, limit + 1e-9)
    )
    assert below < 2 < above == limit + 1e-9


@pytest.mark.parametrize(
    ("changed", "error"),
    [({"delta": 0.0}, ValueError), ({"n_users": 0}, ValueError), ({"local_epsilon": "1"}, TypeError)],
)
def test_wrong_arguments_are_refused(changed, error):
    with pytest.raises(error, match=next(iter(changed))):
        shuffle_epsilon_closed_form(**({"local_epsilon": 1.0, "n_users": 10, "delta": 0.1} | changed))
