"""Both forms of the answers, and their common check."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from strategies import answer_matrices

from ldpbook.foundations.answers import drop_empty_workers, sparsity, to_matrix, to_tidy
from ldpbook.sparse_answers.laplace import LaplacePerturbation
from ldpbook.sparse_answers.randomized_response import RandomizedResponse

nan = np.nan


@given(answer_matrices())
def test_tidy_and_back(matrix):
    asked = ~np.isnan(matrix).all(axis=0)
    np.testing.assert_array_equal(to_matrix(to_tidy(matrix)), matrix[:, asked])


def test_labels_are_sorted_whatever_the_row_order():
    tidy = pd.DataFrame({"worker": list("bab"), "task": ["y", "x", "x"], "answer": [1, 2, 3]})
    expected = [[2, nan], [3, 1]]
    np.testing.assert_array_equal(to_matrix(tidy), expected)
    np.testing.assert_array_equal(to_matrix(tidy[::-1]), expected)


def test_sparsity_is_the_share_of_nulls():
    np.testing.assert_array_equal(sparsity([[1, nan, nan, nan], [1, 2, 3, 4]]), [0.75, 0])


def test_drop_empty_workers_keeps_the_order():
    np.testing.assert_array_equal(drop_empty_workers([[1, nan], [nan, nan], [3, 4]]), [[1, nan], [3, 4]])


@pytest.mark.parametrize(
    "answers",
    [
        [],
        [[]],
        3.0,
        [[[1]]],
        [[nan]],
        [[1, 2], [nan, nan]],
        [[1, np.inf]],
        [[-np.inf, 1]],
    ],
)
def test_bad_matrices(answers):
    for function in (sparsity, to_tidy):
        with pytest.raises(ValueError, match=r"^answers "):
            function(answers)


def test_the_empty_worker_is_named_across_blocks():
    answers = np.zeros((70_000, 2))
    answers[66_000] = nan
    with pytest.raises(ValueError, match="row 66000"):
        sparsity(answers)


@pytest.mark.parametrize(
    "answers", [[[nan, nan]], [nan, nan], [], np.full((1, 2, 2), 1.0), sp.coo_array((2, 3))]
)
def test_drop_empty_workers_refuses_empty_crowds(answers):
    with pytest.raises(ValueError, match=r"^answers "):
        drop_empty_workers(answers)


def test_empty_workers_are_dropped_in_every_form():
    stored = sp.coo_array(([1.0, 0.0], ([2, 0], [1, 0])), (3, 2))
    np.testing.assert_array_equal(to_matrix(drop_empty_workers(stored)), [[0, nan], [nan, 1]])
    np.testing.assert_array_equal(drop_empty_workers([nan, 3.0]), [nan, 3.0])
    tidy = pd.DataFrame({"worker": ["b"], "task": ["x"], "label": [1.0]})
    pd.testing.assert_frame_equal(drop_empty_workers(tidy), tidy)
    twice = sp.coo_array(([1.0, 2.0], ([0, 0], [0, 0])), (1, 1))
    with pytest.raises(ValueError, match=r"^answers must hold at most one"):
        drop_empty_workers(twice)  # the two values are not added


@pytest.mark.parametrize(
    "frame",
    [
        {"worker": [1], "task": [1]},
        {"worker": [], "task": [], "answer": []},
        {"worker": [1, 1], "task": [2, 2], "answer": [3, 3]},
        {"worker": [None, 1], "task": [2, 2], "answer": [3, 3]},
        {"worker": [1, 1], "task": [2, None], "answer": [3, 3]},
    ],
)
def test_bad_frames(frame):
    with pytest.raises(ValueError, match=r"^answers "):
        to_matrix(pd.DataFrame(frame))


def test_messages_say_what_is_allowed():
    with pytest.raises(ValueError, match=r"^answers must be finite, or nan for NULL.*in row 0, column 1$"):
        sparsity([[1, np.inf]])
    lp, rr = LaplacePerturbation(1, range(10)), RandomizedResponse(1, range(10))
    with pytest.raises(
        ValueError,
        match=r"^answers must be numbers in 0\.\.9, or nan for NULL.*in row 0, column 2$",
    ):
        lp.perturb([[nan, 1, 9.5, 2]], 0)
    with pytest.raises(
        ValueError,
        match=r"^answers must be integers in 0\.\.9, or nan for NULL.*in row 0, column 2$",
    ):
        rr.perturb([[nan, 1, 2.5, 12]], 0)
