"""Truths from flipped answers by a reader who knows the flips."""

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


def test_order_of_workers_tasks_and_names_of_choices_do_not_matter():
    rng = np.random.default_rng(3)
    answers, _, _ = crowd(rng, s=3, density=0.6)
    flip = OneLayerFlip(0.2, 3)
    found = decode_choices(answers, flip, tol=1e-9, max_iter=500)
    workers, tasks = rng.permutation(30), rng.permutation(60)
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
    answers, truth, _ = crowd(rng, n_workers=400, density=0.3, worst=0.7)
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
    answers, truth, _ = crowd(np.random.default_rng(9), n_workers=60, n_tasks=400, worst=0.55, best=0.65)
    flip, errors = OneLayerFlip(0.4, 2), []
    for seed in range(12):
        reports = flip.perturb(answers, seed)
        found = (decode_choices(reports, flip).truth, majority_vote(reports, 2))
        errors.append([(truths != truth).mean() for truths in found])
    less = np.diff(errors, axis=1)[:, 0]  # of the majority, less that of decoding
    assert less.mean() > -3 * less.std(ddof=1) / 12**0.5 - 0.005


def test_bad_input_is_refused():
    with pytest.raises(TypeError, match="mechanism"):
        decode_choices([[0, 1]], 0.2)
    with pytest.raises(ValueError, match="tell"):
        decode_choices([[0, 1]], OneLayerFlip(0.5, 2))
    with pytest.raises(ValueError, match="max_iter"):
        decode_choices([[0, 1]], OneLayerFlip(0.2, 2), max_iter=0)
    with pytest.raises(ValueError, match="tol"):
        decode_choices([[0, 1]], OneLayerFlip(0.2, 2), tol=-1)
