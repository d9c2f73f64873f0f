import itertools
import math

import numpy as np
import pytest

from ldpbook.remedies import ThresholdResponse
from ldpbook.sparse_answers import RandomizedResponse
from ldpbook.whole_worker import row_p_values

NULL = float("nan")


def test_by_enumeration():
    """Three cells, two symbols: twice the probability of three equal reports; 1 if only two are equal."""
    p = math.e / (math.e + 1)
    found = row_p_values([[1, 1, 1], [0, 0, 1]], epsilon=1.0, n_symbols=2)
    assert found == pytest.approx([2 * p**3, 1.0])


@pytest.mark.parametrize("row", list(itertools.combinations_with_replacement([0, 1, NULL], 4)))
def test_an_honest_row_is_rarely_flagged(row):
    """All 81 outputs of every row of four cells."""
    matrix = ThresholdResponse(2.0).transition_matrix
    symbols = [0, 1, NULL]
    at = [2 if math.isnan(x) else int(x) for x in row]
    outputs = list(itertools.product(range(3), repeat=4))
    chances = np.array([math.prod(matrix[x, y] for x, y in zip(at, out, strict=True)) for out in outputs])
    found = row_p_values([[symbols[y] for y in out] for out in outputs], epsilon=2.0, n_symbols=3)
    for alpha in np.unique(found):
        assert chances[found <= alpha].sum() <= alpha * (1 + 1e-12)


def test_reports_of_the_package():
    rng = np.random.default_rng(6)
    nearly_empty = np.full((4000, 50), NULL)
    nearly_empty[:, 0] = 3.0
    for answers in (nearly_empty, rng.integers(0, 5, (4000, 50)).astype(float)):
        reports = RandomizedResponse(1.0, range(5)).perturb(answers, rng)
        share = (row_p_values(reports, epsilon=1.0, n_symbols=6) <= 0.05).mean()
        assert share <= 0.05 + 4 * (0.05 * 0.95 / 4000) ** 0.5


def test_repeating_worker_is_flagged():
    rows = np.full((3, 60), [[1.0], [4.0], [NULL]])
    assert (row_p_values(rows, epsilon=3.0, n_symbols=6) < 1e-4).all()


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("reports", [1.0, 2.0], ValueError),
        ("reports", np.empty((0, 3)), ValueError),
        ("reports", [[0, 1, 2, 3]], ValueError),
        ("reports", [[0, 1, 2, NULL]], ValueError),
        ("reports", [[math.inf]], ValueError),
        ("reports", [["a"]], ValueError),
        ("reports", [[1j]], TypeError),
        ("epsilon", 0.0, ValueError),
        ("n_symbols", 1, ValueError),
        ("n_symbols", 2.5, TypeError),
    ],
)
def test_bad_input(name, value, error):
    good = dict(reports=[[0.0, 1.0, NULL]], epsilon=1.0, n_symbols=3)
    given = good | {name: value}
    with pytest.raises(error, match=f"^{name} must"):
        row_p_values(given.pop("reports"), **given)
