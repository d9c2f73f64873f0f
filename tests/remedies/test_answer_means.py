"""Means of the answers given, from counts of threshold responses."""

import numpy as np
import pytest

from ldpbook.foundations import to_tidy
from ldpbook.remedies import Survey, ThresholdResponse, infer_means, infer_with_thresholds, next_thresholds


def counts_in_turn(answers, epsilon, domain, rng):
    """Counts of a survey in which all thresholds are asked in turn."""
    survey = Survey.start(answers.shape[1], epsilon=epsilon, domain=domain)
    asked = np.resize(next_thresholds(survey), answers.shape)
    return survey.add(np.asarray(ThresholdResponse(epsilon).perturb(answers, asked, rng)), asked).counts


def crowd(rng, m=2000, n=40, top=9, deviation=1.0, density=0.4):
    """Answers of workers, and nearly exact means of very many answers."""
    truth = rng.normal(top / 2, deviation, n)

    def answers(workers):
        skewed = 2 * deviation * (rng.exponential(size=(workers, n)) - 1)
        return np.clip(np.round(truth + skewed), 0, top)

    given = answers(m)
    given[rng.random(given.shape) >= density] = np.nan
    return given, answers(40_000).mean(axis=0)


@pytest.mark.parametrize(("top", "epsilon"), [(9, 2.0), (4, 1.0), (1, 3.0)])
def test_errors_hold_for_any_answer_distribution(top, epsilon):
    off, stated = [], []
    for seed in range(6):
        rng = np.random.default_rng([71, seed])
        answers, mean = crowd(rng, top=top, deviation=top / 9)
        found = infer_means(
            counts_in_turn(answers, epsilon, range(top + 1), rng), epsilon=epsilon, domain=range(top + 1)
        )
        off.append(np.abs(found.mean - mean))
        stated.append(found.error)
    off, stated = np.concatenate(off), np.concatenate(stated)
    assert 0.56 < (off < stated).mean() < 0.80  # three standard errors of 240 tasks around 0.68
    assert (off < 2 * stated).mean() > 0.90


def test_noiseless_mean_is_that_of_asked_answers():
    rng = np.random.default_rng(3)
    answers = rng.integers(0, 3, (30_000, 5)).astype(float)
    counts = counts_in_turn(answers, 50.0, range(3), rng)
    share = counts[..., 1] / counts[..., :2].sum(axis=2)
    found = infer_means(counts, epsilon=50.0, domain=range(3))
    # Shrinkage moves no estimate by more than its noise.
    np.testing.assert_allclose(found.mean, share.sum(axis=0), atol=0.02)
    np.testing.assert_allclose(found.density, 1, atol=1e-3)


def test_mean_of_two_answers_is_share_above():
    rng = np.random.default_rng(5)
    share = rng.uniform(0.2, 0.8, 60)
    answers = np.where(rng.random((5000, 60)) < share, 8.0, 7.0)
    found = infer_means(counts_in_turn(answers, 2.0, (7, 8), rng), epsilon=2.0, domain=(7, 8))
    off = np.abs(found.mean - 7 - share)
    assert off.mean() < 0.02
    assert 0.5 < (off < found.error).mean() < 0.86


def test_unasked_thresholds_leave_large_errors():
    counts = np.zeros((4, 3, 3))
    counts[1] = [500, 300, 100]
    found = infer_means(counts, epsilon=2.0, domain=range(5))
    assert (found.error > 1).all()
    assert np.isfinite(found.mean).all()


def test_no_reports_give_the_middle():
    found = infer_means(np.zeros((4, 3, 3)), epsilon=1.0, domain=range(5))
    np.testing.assert_allclose(found.mean, 2)


def test_labels_come_back():
    rng = np.random.default_rng(8)
    frame = to_tidy(rng.integers(1, 4, (400, 3)).astype(float))
    frame["task"] = frame["task"].map({0: "a", 1: "b", 2: "c"})
    found = infer_with_thresholds(frame, epsilon=3.0, domain=range(1, 4), target="mean", rng=1)
    for each in (found.mean, found.error, found.density):
        assert each.index.tolist() == ["a", "b", "c"]


def test_bad_counts_are_refused():
    for counts in (np.ones((2, 3)), np.ones((3, 2, 3)), np.full((2, 2, 3), 0.5), -np.ones((2, 2, 3))):
        with pytest.raises(ValueError, match="counts"):
            infer_means(counts, epsilon=1.0, domain=range(3))
    with pytest.raises(ValueError, match="epsilon"):
        infer_means(np.ones((2, 2, 3)), epsilon=0.0, domain=range(3))
