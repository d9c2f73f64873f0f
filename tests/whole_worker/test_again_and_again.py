"""Permanent answers: the distribution of one and of many reports, and what stays constant."""

import numpy as np
import pandas as pd
import pytest

from ldpbook.foundations import discrete_epsilon, to_tidy
from ldpbook.whole_worker import averaging_rate, memoize, memoized_epsilon

NAN = float("nan")
OPTIONS = {"permanent_epsilon": 2.0, "epsilon": 1.0, "domain": range(2)}


def test_report_has_the_distribution_of_its_table():
    """Reports on 30,000 answers of each symbol, by a chi-squared sum of 9 cells with 6 degrees of freedom."""
    answers = np.tile([0.0, 1.0, NAN], (30_000, 1))
    kept = memoize(answers, **OPTIONS, rng=1)
    reports = kept.report(2)
    seen = np.stack([(reports == 0).sum(0), (reports == 1).sum(0), np.isnan(reports).sum(0)], axis=1)
    expected = 30_000 * kept.transition_matrix
    assert ((seen - expected) ** 2 / expected).sum() < 6 + 4 * np.sqrt(12) + 8


def test_table_has_the_epsilon_of_one_report():
    kept = memoize([[0.0, 1.0]], **OPTIONS, rng=1)
    exact = memoized_epsilon(permanent_epsilon=2.0, epsilon=1.0, n_reports=1, n_symbols=3)
    assert discrete_epsilon(kept.transition_matrix) == pytest.approx(exact)
    assert kept.exact_epsilon == 2.0


def test_the_majority_of_many_reports():
    """Answers are yes or no, but permanent answers and reports may be NULL, which counts as a symbol."""
    n, weeks = 4_000, 400
    answers = np.random.default_rng(3).integers(0, 2, (n, 1)).astype(float)
    kept, rng = memoize(answers, **OPTIONS, rng=4), np.random.default_rng(5)
    reports = np.concatenate([kept.report(rng) for _ in range(weeks)], axis=1)
    symbol = np.argmax([(reports == 0).sum(1), (reports == 1).sum(1), np.isnan(reports).sum(1)], axis=0)
    permanent = np.where(np.isnan(kept.symbols[:, 0]), 2, kept.symbols[:, 0])
    assert (symbol == permanent).mean() > 0.99  # averaging reveals the permanent answer, and nothing more
    right, exact = (symbol == answers[:, 0]).mean(), np.exp(2) / (2 + np.exp(2))
    assert abs(right - exact) < 4 * np.sqrt(exact * (1 - exact) / n)
    assert averaging_rate(epsilon=1.0, n_reports=weeks) > 0.99999


def test_forms_come_back_and_seeds_repeat():
    matrix = np.array([[0.0, 1.0, NAN], [1.0, NAN, 0.0]])
    plain = memoize(matrix, **OPTIONS, rng=9)
    tidy = memoize(to_tidy(matrix), **OPTIONS, rng=9, workers=range(2), tasks=range(3))
    assert np.array_equal(plain.symbols, tidy.symbols, equal_nan=True)
    frame, again = tidy.report(3), plain.report(3)
    assert isinstance(frame, pd.DataFrame)
    np.testing.assert_array_equal(frame["answer"], again.ravel())
    assert np.array_equal(plain.report(3), again, equal_nan=True)
    assert memoize([0.0, 1.0], **OPTIONS, rng=1).report(1).shape == (2,)


def test_one_seed_for_both_draws():
    """With the same seed for both draws, a report keeps the right share of 20,000 permanent answers."""
    kept = memoize(np.zeros((20_000, 1)), **OPTIONS, rng=5)
    share, exact = (kept.report(5) == 0)[kept.symbols == 0].mean(), np.e / (2 + np.e)
    assert abs(share - exact) < 4 * np.sqrt(exact * (1 - exact) / (kept.symbols == 0).sum())


def test_row_that_becomes_empty_is_reported_on():
    kept = memoize(np.zeros((2_000, 1)), **OPTIONS, rng=6)
    assert np.isnan(kept.symbols).any()
    assert kept.report(7).shape == (2_000, 1)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"permanent_epsilon": 0.0}, ValueError),
        ({"epsilon": -1.0}, ValueError),
        ({"epsilon": "1"}, TypeError),
        ({"domain": [0, 2]}, ValueError),
        ({"answers": [[5.0]]}, ValueError),
        ({"rng": "x"}, TypeError),
    ],
)
def test_refusals(changes, error):
    with pytest.raises(error, match=next(iter(changes))):
        memoize(**({"answers": [[0.0]]} | OPTIONS | changes))
