"""What whole rows cost, in formulas."""

from itertools import product
from math import inf

import pytest
from hypothesis import given, strategies as st

from ldpbook.whole_worker import row_epsilon

LOSS = st.floats(0, 20)


def by_counting(k, n, c, a, b):
    """Every number of tasks that both rows answer, that the first alone does, and the second alone."""
    return max(
        both * c + first * a + second * b
        for both, first, second in product(range(k + 1), repeat=3)
        if max(both + first, both + second) <= k and both + first + second <= n
    )


@given(st.integers(1, 6), st.integers(0, 8), LOSS, LOSS, LOSS)
def test_the_formula_counts_all_pairs_of_rows(k, more, c, a, b):
    found = row_epsilon(n_answers=k, n_tasks=k + more, epsilon=c, epsilon_to_null=a, epsilon_from_null=b)
    assert found == pytest.approx(by_counting(k, k + more, c, a, b), abs=1e-9)


@given(st.integers(1, 50), st.integers(0, 90), LOSS)
def test_null_as_one_more_symbol_doubles_until_all_tasks_are_changed(k, more, c):
    found = row_epsilon(n_answers=k, n_tasks=k + more, epsilon=c, epsilon_to_null=c, epsilon_from_null=c)
    assert found == pytest.approx(min(2 * k, k + more) * c)


def test_no_loss_times_infinity():
    free = {"epsilon": 1.0, "epsilon_to_null": inf, "epsilon_from_null": 0.0}
    assert row_epsilon(n_answers=3, n_tasks=3, **free) == inf
    assert row_epsilon(n_answers=3, n_tasks=9, **free | {"epsilon_to_null": 0.0}) == 3


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("n_answers", 0, ValueError),
        ("n_answers", 1.5, TypeError),
        ("n_tasks", 3, ValueError),
        ("epsilon", -1.0, ValueError),
        ("epsilon_to_null", float("nan"), ValueError),
        ("epsilon_from_null", "1", TypeError),
    ],
)
def test_what_is_no_row_is_refused_by_name(name, value, error):
    good = {"n_answers": 4, "n_tasks": 9, "epsilon": 1.0, "epsilon_to_null": 1.0, "epsilon_from_null": 1.0}
    with pytest.raises(error, match=name):
        row_epsilon(**good | {name: value})
