"""Truths by an eigenvector of the workers' covariance, and when the decoder gives way to it."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from draws import draws

from ldpbook._crowd import read_cells
from ldpbook.categorical_answers import (
    OneLayerFlip,
    TwoLayerFlip,
    decode_checked,
    decode_choices,
    eigenvector_vote,
)
from ldpbook.categorical_answers.eigenvector import _p_of_independence


def crowd(rng, confusion, n_tasks=100):
    """Answers (m, n) of workers with these confusion matrices, and equally frequent truths."""
    truth = rng.integers(0, confusion.shape[1], n_tasks)
    steps = confusion[:, truth].cumsum(axis=2)[..., :-1]
    return (rng.random((len(confusion), n_tasks, 1)) > steps).sum(axis=2).astype(float), truth


def two_choices(accuracy):
    return np.array([[accuracy, 1 - accuracy], [1 - accuracy, accuracy]]).transpose(2, 0, 1)


SHARED = np.tile([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.55, 0.35]], (30, 1, 1))


@pytest.mark.parametrize(("size", "n_tasks", "capped"), [(20, 100, False), (5, 12, True)])
def test_two_choices_are_decoded_by_the_eigenvector(size, n_tasks, capped):
    """The decoder written for zeros and ones, whose covariance is half of that of both indicators.

    Among few workers, one may look better than her own variance allows; her weight is capped there.
    """
    rng = np.random.default_rng(1)
    answers, _ = crowd(rng, two_choices(rng.uniform(0.5, 0.9, size)), n_tasks)
    centred = answers - answers.mean(axis=1, keepdims=True)
    own = (centred**2).mean(axis=1)
    off = centred @ centred.T / n_tasks - np.diag(own)
    square = np.zeros(size)
    for _ in range(40):
        vector = np.ones(size)
        for _ in range(1000):  # the power method: all other eigenvalues are smaller
            vector = (off + np.diag(square) + np.eye(size)) @ vector
            vector /= np.linalg.norm(vector)
        square = np.minimum(vector**2 * (vector @ (off + np.diag(square)) @ vector), own)
    assert (square == own).any() == capped
    found = eigenvector_vote(answers, 2)
    np.testing.assert_array_equal(found.truth, vector @ centred > 0)
    root = vector @ (off + np.diag(square)) @ vector
    np.testing.assert_allclose(found.weight, vector * np.sqrt(2 * root), rtol=1e-3)


def test_weights_reveal_accuracy_of_workers():
    """The covariance of two workers tends to half of the product of their 2 alpha - 1."""
    rng, n = np.random.default_rng(2), 40_000
    accuracy = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.3])
    answers, _ = crowd(rng, two_choices(accuracy), n)
    weight = eigenvector_vote(answers, 2).weight
    np.testing.assert_allclose(weight * np.sqrt(2), 2 * accuracy - 1, atol=4 / np.sqrt(n) / 0.8)


def test_holes_labels_and_order_do_not_matter():
    rng = np.random.default_rng(3)
    answers, _ = crowd(rng, SHARED[:12])
    answers[rng.random(answers.shape) < 0.3] = np.nan
    answers[:, 7] = np.nan
    found = eigenvector_vote(answers, 3)
    assert np.isnan(found.truth[7])
    moved = eigenvector_vote((2 - answers)[::-1, ::-1], 3)
    np.testing.assert_array_equal(2 - moved.truth[::-1], found.truth)
    rows, columns = np.nonzero(~np.isnan(answers))
    said = np.array(["cat", "dog", "fox"])[answers[rows, columns].astype(int)]
    table = pd.DataFrame({"worker": rows + 5, "task": columns, "answer": said})
    by_label = eigenvector_vote(table, ["cat", "dog", "fox"])
    expected = np.array(["cat", "dog", "fox"])[np.delete(found.truth, 7).astype(int)]
    assert list(by_label.truth) == list(expected)
    np.testing.assert_allclose(by_label.weight, found.weight, atol=1e-9)
    assert list(by_label.weight.index) == list(range(5, 17))


def test_one_worker_is_believed_and_ties_elect_smallest():
    assert list(eigenvector_vote([[0, 1, 1, 1]], 2).truth) == [0, 1, 1, 1]
    assert list(eigenvector_vote([[1, 1], [1, 1]], 2).truth) == [0, 0]


def test_the_p_value_is_that_of_all_orders():
    """Three workers, five tasks: all (2! 3!)^3 orders of their answers to tasks with the same truth."""
    table, truth = np.array([[0, 1, 1, 0, 1], [0, 1, 0, 0, 1], [0, 1, 1, 1, 1.0]]), np.array([0, 0, 1, 1, 1])
    orders = [[*a, *b] for a, b in product(permutations(range(2)), permutations(range(2, 5)))]
    left = table - np.stack([table[:, truth == x].mean(axis=1) for x in (0, 1)], axis=1)[:, truth]
    spreads = [
        (sum(row[list(order)] for row, order in zip(left, three, strict=True)) ** 2).sum()
        for three in product(orders, repeat=3)
    ]
    share = np.mean(np.array(spreads) >= (left.sum(axis=0) ** 2).sum() - 1e-9)
    rng, n = np.random.default_rng(4), draws(60, 600)
    found = np.mean([_p_of_independence(read_cells(table), truth, 2, rng) for _ in range(n)])
    # The given order counts as one of the hundred.
    assert found == pytest.approx((1 + 99 * share) / 100, abs=4 * np.sqrt(share / 99 / n))


def test_p_values_are_valid_given_the_truths():
    """Independent workers, each with one flip probability: all orders of a row are equally probable."""
    rng, n, low = np.random.default_rng(5), draws(200, 2000), 0
    for _ in range(n):
        answers, truth = crowd(rng, two_choices(rng.uniform(0.5, 0.9, 10)), 30)
        reports = TwoLayerFlip(0.0, 0.5, 2).perturb(answers, rng)
        low += _p_of_independence(read_cells(reports), truth, 2, rng) <= 0.1
    assert abs(low / n - 0.1) < 4 * np.sqrt(0.09 / n)


def test_independent_workers_are_left_to_the_decoder():
    rng = np.random.default_rng(6)
    answers, _ = crowd(rng, two_choices(rng.uniform(0.6, 0.9, 15)), 60)
    flip = OneLayerFlip.with_probability(0.2, 2)
    reports = flip.perturb(answers, rng)
    found, decoded = decode_checked(reports, flip, rng=1), decode_choices(reports, flip)
    assert found.p_value > 0.01
    np.testing.assert_array_equal(found.truth, decoded.truth)
    np.testing.assert_array_equal(found.decoded.posterior, decoded.posterior)


def test_shared_confusion_is_left_to_the_eigenvector():
    rng, flip = np.random.default_rng(7), OneLayerFlip.with_probability(0.05, ["cat", "dog", "fox"])
    answers, truth = crowd(rng, SHARED[:20], 80)
    rows, columns = np.nonzero(answers >= 0)
    said = np.array(flip.choices)[answers.astype(int).ravel()]
    reports = flip.perturb(pd.DataFrame({"worker": rows, "task": columns, "answer": said}), rng)
    found = decode_checked(reports, flip, rng=1)
    assert found.p_value == 0.01
    assert list(found.truth) == list(eigenvector_vote(reports, flip.choices).truth)
    right = np.array(flip.choices)[truth]
    assert (found.truth == right).mean() > (found.decoded.truth == right).mean() + 0.05
    kept = decode_checked(reports, flip, level=0.005, rng=1)
    assert list(kept.truth) == list(found.decoded.truth)


def test_unanswered_tasks_and_null_as_a_symbol():
    rng = np.random.default_rng(8)
    answers, truth = crowd(rng, two_choices(np.full(40, 0.8)), 30)
    answers[:, 3] = np.nan
    found = decode_checked(
        OneLayerFlip.with_probability(0.2, 2).perturb(answers, rng),
        OneLayerFlip.with_probability(0.2, 2),
        rng=1,
    )
    assert np.isnan(found.truth[3])
    flip = OneLayerFlip.with_probability(0.2, 2, null_is_symbol=True)
    found = decode_checked(flip.perturb(answers, rng), flip, rng=1)
    assert (np.delete(found.truth == truth, 3)).mean() > 0.9


def test_bad_input_is_refused():
    flip = OneLayerFlip.with_probability(0.2, 2)
    with pytest.raises(TypeError, match="mechanism"):
        decode_checked([[0, 1]], 0.2)
    for level in (0.0, 1.0, np.nan):
        with pytest.raises(ValueError, match="level"):
            decode_checked([[0, 1]], flip, level=level)
    with pytest.raises(TypeError, match="level"):
        decode_checked([[0, 1]], flip, level="low")
    with pytest.raises(ValueError, match="rng"):
        decode_checked([[0, 1]], flip, rng=-1)
    with pytest.raises(ValueError, match="reports"):
        decode_checked([[0, 2]], flip)
    with pytest.raises(ValueError, match="reports must be like answers"):
        eigenvector_vote([[0, 2]], 2)
    with pytest.raises(ValueError, match="reports must be like answers"):
        eigenvector_vote([[0, 1], [np.nan, np.nan]], 2)
    with pytest.raises(TypeError, match="choices"):
        eigenvector_vote([[0, 1]], None)
