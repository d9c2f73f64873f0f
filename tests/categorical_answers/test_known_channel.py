"""Truths from flipped answers by a reader who knows the flips."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from ldpbook.categorical_answers import OneLayerFlip, TwoLayerFlip, decode_choices, majority_vote


def crowd(rng, *, n_workers=30, n_tasks=60, s=2, density=1.0, worst=0.5, best=0.9):
    """Answers, truths and accuracies."""
    truth = rng.integers(0, s, n_tasks)
    accuracy = rng.uniform(worst, best, (n_workers, 1))
    wrong = (truth + rng.integers(1, s, (n_workers, n_tasks))) % s
    answers = np.where(rng.random(wrong.shape) < accuracy, truth, wrong).astype(float)
    answers[rng.random(wrong.shape) >= density] = np.nan
    return answers, truth, accuracy[:, 0]


@pytest.mark.parametrize("s", [2, 3, 5])
def test_finds_truths_and_who_is_accurate(s):
    answers, truth, accuracy = crowd(np.random.default_rng(1), s=s)
    flip = OneLayerFlip(0.2, s)
    found = decode_choices(flip.perturb(answers, 2), flip)
    assert found.converged
    assert (found.truth == truth).mean() > 0.9
    assert np.corrcoef(found.accuracy, accuracy)[0, 1] > 0.6
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1)
    assert found.prior.sum() == pytest.approx(1)


def test_one_task_with_likely_equal_workers_is_the_majoritys():
    """With a single task nothing is learned of workers: the choice that most report."""
    flip = OneLayerFlip(0.3, 3)
    for counts in ([5, 3, 2], [1, 4, 3], [0, 2, 7]):
        reports = np.repeat([0.0, 1.0, 2.0], counts)[:, None]
        found = decode_choices(reports, flip)
        assert found.truth[0] == np.argmax(counts)
        assert list(np.argsort(found.posterior[0])) == list(np.argsort(counts))


def learned_by_enumeration(reports, channel):
    """Posteriors of two choices where no loop closes: all truths enumerated, the shared numbers in turns.

    Written from the chapter's definition, without the package.
    """
    widths = {0: 0.25, 0.5: 0.5, 1: 0.55, 1.6: 0.7, 2.4: 0.9, 3.4: 1.0}
    kinds = [
        (w, lean, f, widths[lean] / (2 if lean else 1))
        for w in np.arange(-2, 5.01, 0.5)
        for lean in widths
        for f in ((0, 1) if lean else (0,))
    ]
    weight, lean, width = (np.array([kind[k] for kind in kinds]) for k in (0, 1, 3))
    odds = np.array([[[w * (y == x) + b * (y == f) for y in (0, 1)] for x in (0, 1)] for w, b, f, _ in kinds])
    law = np.exp(odds) / np.exp(odds).sum(axis=2, keepdims=True) @ channel
    m, n = reports.shape
    mean, variance, square, prior = 0.5, 4 * 0.3**2, 0.3**2, np.full(2, 0.5)
    for _ in range(400):
        share = width * np.exp(-((weight - mean) ** 2) / (2 * variance) - lean**2 / (2 * square))
        share /= share.sum()
        posterior, held = np.zeros((n, 2)), np.zeros((m, len(kinds)))
        for truths in product((0, 1), repeat=n):
            each = np.array(
                [
                    share
                    * np.prod([law[:, t, int(y)] for t, y in zip(truths, row, strict=True) if y == y], axis=0)
                    for row in reports
                ]
            )
            chance = prior[list(truths)].prod() * each.sum(axis=1).prod()
            posterior[range(n), truths] += chance
            held += chance * each / each.sum(axis=1, keepdims=True)
        posterior /= posterior.sum(axis=1, keepdims=True)
        held = (held / held.sum(axis=1, keepdims=True)).sum(axis=0)
        mean = (held @ weight + 0.5) / (m + 1)
        variance = (held @ (weight - mean) ** 2 + 2 * 0.09) / (m + 2)
        square = (held @ lean**2 + 2 * 0.09) / (m + 2)
        prior = (posterior.sum(axis=0) + 10) / (n + 20)
    return posterior


def test_without_loops_it_finds_what_enumeration_finds():
    x = np.nan
    reports = np.array([[1, 0, x, x], [x, 1, 1, 1], [1, x, x, x], [0, x, x, x], [x, x, 1, x], [x, x, 0, x]])
    flip = OneLayerFlip(0.2, 2)
    found = decode_choices(reports, flip, tol=1e-12, max_iter=2000)
    assert found.converged
    exact = learned_by_enumeration(reports, flip.transition_matrix)
    np.testing.assert_allclose(found.posterior, exact, atol=1e-8)


def test_order_of_workers_tasks_and_names_of_choices_do_not_matter():
    rng = np.random.default_rng(3)
    answers, _, _ = crowd(rng, n_workers=12, n_tasks=20, s=3, density=0.6)
    flip = OneLayerFlip(0.2, 3)
    found = decode_choices(answers, flip, tol=1e-9, max_iter=500)
    workers, tasks = rng.permutation(12), rng.permutation(20)
    names = np.array([2.0, 0.0, 1.0])
    renamed = np.where(np.isnan(answers), np.nan, names[np.nan_to_num(answers).astype(int)])
    moved = decode_choices(renamed[workers][:, tasks], flip, tol=1e-9, max_iter=500)
    np.testing.assert_allclose(moved.posterior[:, [2, 0, 1]], found.posterior[tasks], atol=1e-6)
    np.testing.assert_allclose(moved.accuracy, found.accuracy[workers], atol=1e-6)


def test_an_opposite_is_read_the_other_way_round():
    answers, truth, _ = crowd(np.random.default_rng(4), worst=0.8)
    answers[:3] = 1 - truth
    found = decode_choices(answers, OneLayerFlip(0.1, 2))
    assert (found.accuracy[:3] < 0.3).all()
    assert (found.truth == truth).mean() > 0.95


def test_labels_come_back():
    answers, truth, _ = crowd(np.random.default_rng(5), density=0.5)
    rows, columns = np.nonzero(~np.isnan(answers))
    said = np.array(["cat", "dog"])[answers[rows, columns].astype(int)]
    table = pd.DataFrame({"worker": rows, "task": [f"t{c:02}" for c in columns], "answer": said})
    found = decode_choices(table, OneLayerFlip(0.1, ["cat", "dog"]))
    assert list(found.posterior.columns) == ["cat", "dog"]
    assert (found.truth == np.array(["cat", "dog"])[truth]).mean() > 0.9
    assert found.accuracy.index.tolist() == list(range(30))


def test_null_as_a_symbol_is_read_with_its_law():
    """Most cells are NULL and flipped to answers: an average reads them as answers."""
    rng = np.random.default_rng(6)
    answers, truth, _ = crowd(rng, n_workers=150, n_tasks=40, density=0.3, worst=0.7)
    truth[:], answers = 1, np.where(np.isnan(answers), np.nan, np.where(answers == truth, 1.0, 0.0))
    flip = OneLayerFlip(0.4, 2, null_is_symbol=True)
    found = decode_choices(flip.perturb(answers, rng), flip)
    assert found.truth.mean() > 0.95
    assert found.accuracy.mean() == pytest.approx(0.8, abs=0.06)


def test_two_layers_are_read_by_their_mean():
    answers, truth, _ = crowd(np.random.default_rng(7), worst=0.8)
    flip = TwoLayerFlip(0.0, 0.4, 2)
    found = decode_choices(flip.perturb(answers, 1), flip)
    assert (found.truth == truth).mean() > 0.9


def test_where_nobody_reported_nothing_is_said():
    answers, _, _ = crowd(np.random.default_rng(8))
    answers[:, 7] = np.nan
    found = decode_choices(answers, OneLayerFlip(0.2, 2))
    assert np.isnan(found.truth[7])
    assert np.isfinite(np.delete(found.truth, 7)).all()


def test_with_hardly_any_information_it_elects_nearly_like_a_majority():
    answers, truth, _ = crowd(np.random.default_rng(9), n_workers=40, n_tasks=100, worst=0.55, best=0.65)
    flip, errors = OneLayerFlip(0.4, 2), []
    for seed in range(8):
        reports = flip.perturb(answers, seed)
        found = (decode_choices(reports, flip).truth, majority_vote(reports, 2))
        errors.append([(truths != truth).mean() for truths in found])
    less = np.diff(errors, axis=1)[:, 0]  # of the majority, less that of decoding
    assert less.mean() > -3 * less.std(ddof=1) / 8**0.5 - 0.005


def test_a_flip_that_tells_very_little_is_read_all_the_same():
    found = decode_choices([[0, 1]] * 3, OneLayerFlip(0.4999976, 2))
    assert list(found.truth) == [0, 1]
    np.testing.assert_allclose(found.posterior, 0.5, atol=1e-4)


def test_bad_input_is_refused():
    with pytest.raises(TypeError, match="mechanism"):
        decode_choices([[0, 1]], 0.2)
    with pytest.raises(ValueError, match="tell"):
        decode_choices([[0, 1]], OneLayerFlip(0.5, 2))
    with pytest.raises(ValueError, match="mechanism must have at most 32 choices, got 200"):
        decode_choices([[0, 1]], OneLayerFlip(0.2, 200))
    with pytest.raises(ValueError, match="max_iter"):
        decode_choices([[0, 1]], OneLayerFlip(0.2, 2), max_iter=0)
    with pytest.raises(ValueError, match="tol"):
        decode_choices([[0, 1]], OneLayerFlip(0.2, 2), tol=-1)
