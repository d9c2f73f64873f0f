"""Truths from flipped answers, decoded with known flip probabilities."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from draws import draws

from ldpbook.categorical_answers import OneLayerFlip, TwoLayerFlip, decode_choices, majority_vote


def crowd(rng, *, n_workers=30, n_tasks=60, s=2, density=1.0, worst=0.5, best=0.9):
    """Simulated answers, truths and accuracies."""
    truth = rng.integers(0, s, n_tasks)
    accuracy = rng.uniform(worst, best, (n_workers, 1))
    wrong = (truth + rng.integers(1, s, (n_workers, n_tasks))) % s
    answers = np.where(rng.random(wrong.shape) < accuracy, truth, wrong).astype(float)
    answers[rng.random(wrong.shape) >= density] = np.nan
    return answers, truth, accuracy[:, 0]


@pytest.mark.parametrize("s", [2, 3, 5])
def test_truths_and_accurate_workers_are_found(s):
    answers, truth, accuracy = crowd(np.random.default_rng(1), s=s)
    flip = OneLayerFlip.with_probability(0.2, s)
    found = decode_choices(flip.perturb(answers, 2), flip)
    assert found.converged
    assert (found.truth == truth).mean() > 0.9
    assert np.corrcoef(found.accuracy, accuracy)[0, 1] > 0.6
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1)
    assert found.prior.sum() == pytest.approx(1)


def test_single_task_goes_to_the_majority():
    """A single task reveals nothing about workers, so the most frequent report is elected."""
    flip = OneLayerFlip.with_probability(0.3, 3)
    for counts in ([5, 3, 2], [1, 4, 3], [0, 2, 7]):
        reports = np.repeat([0.0, 1.0, 2.0], counts)[:, None]
        found = decode_choices(reports, flip)
        assert found.truth[0] == np.argmax(counts)
        assert list(np.argsort(found.posterior[0])) == list(np.argsort(counts))


def told_by(reports, law, s):
    """All truths, shape (truths, n), and the probability of each worker's reports: (truths, m, kinds)."""
    truths = np.array(list(product(range(s), repeat=reports.shape[1])))
    told = np.ones((len(truths), len(reports), len(law)))
    for i, j in zip(*np.nonzero(~np.isnan(reports)), strict=True):
        told[:, i] *= law[:, truths[:, j], int(reports[i, j])].T
    return truths, told


def given_shares(truths, told, share, prior):
    """Posteriors of truths (n, s) and kinds (m, kinds) by enumeration of all truths."""
    of_worker = told @ share
    chance = prior[truths].prod(axis=1) * of_worker.prod(axis=1)
    chance /= chance.sum()
    kinds = share * np.einsum("ti,tik->ik", chance[:, None] / of_worker, told)
    return np.array([[chance[at == x].sum() for x in range(len(prior))] for at in truths.T]), kinds


def learned_by_enumeration(reports, channel):
    """Posteriors, accuracies, and how many answers a kind's matrix is worth, with all truths enumerated.

    Written from the chapter's definition, without the package; all but the truths is found by alternation.
    """
    s, (m, n) = len(channel), reports.shape
    widths = {0: 0.25, 0.5: 0.5, 1: 0.55, 1.6: 0.7, 2.4: 0.9, 3.4: 1.0}
    kinds = [
        (w, lean, f, widths[lean] / (s if lean else 1))
        for w in np.arange(-2, 5.01, 0.5)
        for lean in widths
        for f in (range(s) if lean else (0,))
    ]
    weight, lean, width = (np.array([kind[k] for kind in kinds]) for k in (0, 1, 3))
    choices = range(s)
    odds = np.array(
        [[[w * (y == x) + b * (y == f) for y in choices] for x in choices] for w, b, f, _ in kinds]
    )
    confusion = np.exp(odds) / np.exp(odds).sum(axis=2, keepdims=True)
    law = confusion @ channel
    mean, variance, square, prior = 0.5, 4 * 0.3**2, 0.3**2, np.full(s, 1 / s)
    held = np.zeros(len(kinds))
    kept = 1 - s / (s - 1) * (1 - channel[0, 0])
    imagined = 10 * m / (np.isfinite(reports).sum() / m * kept**2)
    said = told_by(reports, law, s)  # neither shares nor the prior change it
    for turn in range(600):
        smooth = width * np.exp(-((weight - mean) ** 2) / (2 * variance) - lean**2 / (2 * square))
        smooth /= smooth.sum()
        share = (held + imagined * smooth) / (m + imagined) if turn else smooth
        posterior, of_worker = given_shares(*said, share, prior)
        held = of_worker.sum(axis=0)
        mean = (held @ weight + 0.5) / (m + 1)
        variance = (held @ (weight - mean) ** 2 + 2 * 0.09) / (m + 2)
        square = (held @ lean**2 + 2 * 0.09) / (m + 2)
        next_prior = (posterior.sum(axis=0) + 20 / s) / (n + 20)
        if turn < 599:
            prior = next_prior
    of_kind = np.array([sum(p * c for p, c in zip(row, confusion, strict=True)) for row in of_worker])
    cells = list(zip(*np.nonzero(~np.isnan(reports)), strict=True))
    belief = {}  # posterior of a task's truth without this worker's report
    for i, j in cells:
        without = reports.copy()
        without[i, j] = np.nan
        belief[i, j] = given_shares(*told_by(without, law, s), share, prior)[0][j]

    def answers(own):
        found = np.zeros((m, s, s))
        for i, j in cells:
            z = int(reports[i, j])
            for x, y in product(choices, choices):
                found[i, x, y] += belief[i, j][x] * own[i, x, y] * channel[y, z] / (own[i] @ channel)[x, z]
        return found

    first, evidence = answers(of_kind), {}
    for k in (3, 10, 30, 100, 1000):
        evidence[k] = sum(
            math.lgamma(k)
            - math.lgamma(k + first[i, x].sum())
            + sum(math.lgamma(k * of_kind[i, x, y] + first[i, x, y]) for y in choices)
            - sum(math.lgamma(k * of_kind[i, x, y]) for y in choices)
            for i, x in product(range(m), choices)
        )
    worth, own = max(evidence, key=evidence.get), of_kind
    for _ in range(10 if worth < 1000 else 0):
        for _ in range(3):
            own = answers(own) + worth * of_kind
            own = own / own.sum(axis=2, keepdims=True)
        tell = {(i, j): (own[i] @ channel)[:, int(reports[i, j])] for i, j in cells}
        for i, j in cells:
            others = [tell[k] for k in cells if k[1] == j and k[0] != i]
            belief[i, j] = next_prior * np.prod(others, axis=0)
            belief[i, j] = belief[i, j] / belief[i, j].sum()
        posterior = np.array(
            [next_prior * np.prod([tell[k] for k in cells if k[1] == j], axis=0) for j in range(n)]
        )
        posterior /= posterior.sum(axis=1, keepdims=True)
    return posterior, np.einsum("ixx,x->i", own, next_prior), worth


def test_decoder_without_loops_equals_enumeration():
    x = np.nan
    reports = np.array([[1, 0, x, x], [x, 1, 1, 1], [1, x, x, x], [0, x, x, x], [x, x, 1, x], [x, x, 0, x]])
    flip = OneLayerFlip.with_probability(0.2, 2)
    found = decode_choices(reports, flip, tol=1e-12, max_iter=2000)
    assert found.converged
    posterior, accuracy, worth = learned_by_enumeration(reports, flip.transition_matrix)
    assert worth == 1000
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-8)
    np.testing.assert_allclose(found.accuracy, accuracy, atol=1e-8)


def test_worker_outside_all_kinds_agrees_with_enumeration():
    """One worker says 1 for 0 and 2 for 1; each of her tasks has four witnesses of its own."""
    truth = np.array([0, 1, 0, 1, 0])
    reports = np.full((21, 5), np.nan)
    reports[0] = (truth + 1) % 3
    for j, x in enumerate(truth):
        reports[1 + 4 * j : 5 + 4 * j, j] = x
    flip = OneLayerFlip.with_probability(0.01, 3)
    found = decode_choices(reports, flip, tol=1e-12, max_iter=2000)
    posterior, accuracy, worth = learned_by_enumeration(reports, flip.transition_matrix)
    assert worth < 1000
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-6)
    np.testing.assert_allclose(found.accuracy, accuracy, atol=1e-6)


def test_order_and_names_do_not_matter():
    rng = np.random.default_rng(3)
    answers, _, _ = crowd(rng, n_workers=12, n_tasks=20, s=3, density=0.6)
    flip = OneLayerFlip.with_probability(0.2, 3)
    found = decode_choices(answers, flip, tol=1e-9, max_iter=500)
    workers, tasks = rng.permutation(12), rng.permutation(20)
    names = np.array([2.0, 0.0, 1.0])
    renamed = np.where(np.isnan(answers), np.nan, names[np.nan_to_num(answers).astype(int)])
    moved = decode_choices(renamed[workers][:, tasks], flip, tol=1e-9, max_iter=500)
    np.testing.assert_allclose(moved.posterior[:, [2, 0, 1]], found.posterior[tasks], atol=1e-6)
    np.testing.assert_allclose(moved.accuracy, found.accuracy[workers], atol=1e-6)


def test_opposite_worker_is_inverted():
    answers, truth, _ = crowd(np.random.default_rng(4), worst=0.8)
    answers[:3] = 1 - truth
    found = decode_choices(answers, OneLayerFlip.with_probability(0.1, 2))
    assert (found.accuracy[:3] < 0.3).all()
    assert (found.truth == truth).mean() > 0.95


def test_labels_come_back():
    answers, truth, _ = crowd(np.random.default_rng(5), density=0.5)
    rows, columns = np.nonzero(~np.isnan(answers))
    said = np.array(["cat", "dog"])[answers[rows, columns].astype(int)]
    table = pd.DataFrame({"worker": rows, "task": [f"t{c:02}" for c in columns], "answer": said})
    found = decode_choices(table, OneLayerFlip.with_probability(0.1, ["cat", "dog"]))
    assert list(found.posterior.columns) == ["cat", "dog"]
    assert (found.truth == np.array(["cat", "dog"])[truth]).mean() > 0.9
    assert found.accuracy.index.tolist() == list(range(30))


def test_null_as_a_symbol_is_decoded():
    """Most cells are NULL and are flipped to answers; a plain average treats them as answers."""
    rng = np.random.default_rng(6)
    answers, truth, _ = crowd(rng, n_workers=150, n_tasks=40, density=0.3, worst=0.7)
    truth[:], answers = 1, np.where(np.isnan(answers), np.nan, np.where(answers == truth, 1.0, 0.0))
    flip = OneLayerFlip.with_probability(0.4, 2, null_is_symbol=True)
    found = decode_choices(flip.perturb(answers, rng), flip)
    assert found.truth.mean() > 0.95
    assert found.accuracy.mean() == pytest.approx(0.8, abs=0.06)


def test_null_reports_only_reveal_number_of_answers():
    """Given that a report is a choice, hidden NULLs and answers follow from Bayes' rule."""
    rng = np.random.default_rng(16)
    answers, _, _ = crowd(rng, n_workers=25, s=3, density=0.6)
    flip = OneLayerFlip.with_probability(0.3, 3, null_is_symbol=True)
    reports = flip.perturb(answers, rng)
    share = np.isnan(reports).mean()  # 0.1 of the answered cells, 0.7 of the others
    answered = (0.7 - share) / 0.6
    other = answered * 0.1 + (1 - answered) * 0.1
    same = answered * 0.7 + (1 - answered) * 0.1
    plain = OneLayerFlip.with_probability(2 * other / (2 * other + same), 3)
    found, expected = decode_choices(reports, flip), decode_choices(reports, plain)
    np.testing.assert_allclose(found.posterior, expected.posterior, atol=1e-12)
    np.testing.assert_allclose(found.accuracy, expected.accuracy, atol=1e-12)


def test_two_layers_are_decoded_by_their_mean():
    answers, truth, _ = crowd(np.random.default_rng(7), worst=0.8)
    flip = TwoLayerFlip(0.0, 0.4, 2)
    found = decode_choices(flip.perturb(answers, 1), flip)
    assert (found.truth == truth).mean() > 0.9


def test_tasks_without_reports_stay_null():
    answers, _, _ = crowd(np.random.default_rng(8))
    answers[:, 7] = np.nan
    found = decode_choices(answers, OneLayerFlip.with_probability(0.2, 2))
    assert np.isnan(found.truth[7])
    assert np.isfinite(np.delete(found.truth, 7)).all()


def test_little_information_elects_nearly_like_a_majority():
    answers, truth, _ = crowd(np.random.default_rng(9), n_workers=40, n_tasks=100, worst=0.55, best=0.65)
    flip, errors, n = OneLayerFlip.with_probability(0.4, 2), [], draws(3, 8)
    for seed in range(n):
        reports = flip.perturb(answers, seed)
        found = (decode_choices(reports, flip).truth, majority_vote(reports, 2))
        errors.append([(truths != truth).mean() for truths in found])
    less = np.diff(errors, axis=1)[:, 0]  # error of the majority minus that of decoding
    assert less.mean() > -3 * less.std(ddof=1) / n**0.5 - 0.005


def test_nearly_uninformative_flip_is_decoded():
    found = decode_choices([[0, 1]] * 3, OneLayerFlip.with_probability(0.4999976, 2))
    assert list(found.truth) == [0, 1]
    np.testing.assert_allclose(found.posterior, 0.5, atol=1e-4)


def test_every_kind_keeps_a_share():
    answers, _, _ = crowd(np.random.default_rng(10), n_workers=30, n_tasks=3000, worst=0.95, best=0.95)
    found = decode_choices(answers, OneLayerFlip.with_probability(0.01, 2))
    assert np.isfinite(found.posterior).all()


def test_bad_input_is_refused():
    with pytest.raises(TypeError, match="mechanism"):
        decode_choices([[0, 1]], 0.2)
    with pytest.raises(ValueError, match="tell"):
        decode_choices([[0, 1]], OneLayerFlip.with_probability(0.5, 2))
    with pytest.raises(ValueError, match="mechanism must have at most 32 choices, got 200"):
        decode_choices([[0, 1]], OneLayerFlip.with_probability(0.2, 200))
    with pytest.raises(ValueError, match="max_iter"):
        decode_choices([[0, 1]], OneLayerFlip.with_probability(0.2, 2), max_iter=0)
    with pytest.raises(ValueError, match="tol"):
        decode_choices([[0, 1]], OneLayerFlip.with_probability(0.2, 2), tol=-1)
