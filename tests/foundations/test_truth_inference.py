"""Truth inference: the algorithm line by line, its symmetries, its edges."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, strategies as st
from scipy.optimize import minimize
from strategies import answer_matrices

from ldpbook.datasets.synthetic import synthetic_crowd
from ldpbook.foundations.answers import to_tidy
from ldpbook.foundations.truth_inference import infer_truth, mean_absolute_error

nan = np.nan


def algorithm_1(answers, n_iter, floor):
    """The source's Algorithm 1, cell by cell."""
    m, n = answers.shape
    quality = [1 / m] * m
    for _ in range(n_iter):
        truth = []
        for j in range(n):
            given = [i for i in range(m) if not np.isnan(answers[i, j])]
            weights = sum(quality[i] for i in given)
            truth.append(sum(quality[i] * answers[i, j] for i in given) / weights if given else nan)
        residuals = [
            [answers[i, j] - truth[j] for j in range(n) if not np.isnan(answers[i, j])] for i in range(m)
        ]
        pooled = np.sqrt(np.mean([r**2 for row in residuals for r in row]))
        sigma = [max(np.sqrt(np.mean(np.square(row))), floor * pooled) for row in residuals]
        quality = [1 / s if s > 0 else 1.0 for s in sigma]
        quality = [q / sum(quality) for q in quality]
    return np.array(truth), np.array(quality)


@given(answer_matrices(), st.integers(1, 4), st.sampled_from([0.05, 0.1, 1.0]))
def test_agrees_with_the_algorithm_written_out(answers, n_iter, floor):
    truth, quality = algorithm_1(answers, n_iter, floor)
    result = infer_truth(answers, max_iter=n_iter, tol=0, sigma_floor=floor)
    assume(result.n_iter == n_iter)  # it stops earlier if nothing moves
    np.testing.assert_allclose(result.truth, truth, rtol=1e-6, atol=1e-9)
    if np.sqrt(np.nanmean((answers - truth) ** 2)) > 1e-6:
        np.testing.assert_allclose(result.quality, quality, rtol=1e-6)


@given(answer_matrices())
def test_all_forms_of_the_answers_agree(answers):
    dense = infer_truth(answers)
    given = ~np.isnan(answers)
    sparse = infer_truth(sp.coo_array((answers[given], given.nonzero()), answers.shape))
    tidy = infer_truth(to_tidy(answers).sample(frac=1, random_state=0))
    asked = given.any(axis=0)
    np.testing.assert_allclose(sparse.truth, dense.truth, atol=1e-9)
    np.testing.assert_allclose(tidy.truth, dense.truth[asked], atol=1e-9)
    np.testing.assert_allclose(sparse.quality, dense.quality, atol=1e-9)
    np.testing.assert_allclose(tidy.quality, dense.quality, atol=1e-9)
    assert dense.n_iter == sparse.n_iter == tidy.n_iter
    assert dense.converged == sparse.converged == tidy.converged
    assert list(tidy.truth.index) == list(np.flatnonzero(asked))
    assert list(tidy.quality.index) == list(range(len(answers)))


@given(answer_matrices())
def test_truths_are_among_answers_and_weights_normalized(answers):
    result = infer_truth(answers)
    asked = ~np.isnan(answers).all(axis=0)
    np.testing.assert_array_equal(np.isnan(result.truth), ~asked)
    answered = answers[:, asked]
    assert (result.truth[asked] >= np.nanmin(answered, axis=0) - 1e-9).all()
    assert (result.truth[asked] <= np.nanmax(answered, axis=0) + 1e-9).all()
    assert result.quality.sum() == pytest.approx(1)
    assert (result.quality >= 0).all()


@given(answer_matrices(), st.sampled_from([0.5, 3.0]), st.sampled_from([-7.0, 2.0]))
def test_scale_and_shift(answers, scale, shift):
    base = infer_truth(answers, max_iter=5, tol=0)
    moved = infer_truth(scale * answers + shift, max_iter=5, tol=0)
    assume(base.n_iter == moved.n_iter == 5)
    np.testing.assert_allclose(moved.truth, scale * base.truth + shift, rtol=1e-6, atol=1e-6)


@given(answer_matrices(), st.randoms(use_true_random=False))
def test_the_order_of_workers_does_not_matter(answers, random):
    order = random.sample(range(len(answers)), len(answers))
    one, other = infer_truth(answers, max_iter=3), infer_truth(answers[order], max_iter=3)
    np.testing.assert_allclose(one.truth, other.truth, rtol=1e-6, atol=1e-7)


def test_careful_workers_get_the_weight():
    crowd = synthetic_crowd(60, 200, density=0.5, rng=5, domain=range(-30, 31))
    result = infer_truth(crowd.answers)
    assert result.converged
    careful = crowd.sigma == 1
    assert result.quality[careful].min() > result.quality[~careful].max()
    assert mean_absolute_error(crowd.truth, result.truth) < mean_absolute_error(
        crowd.truth, np.nanmean(crowd.answers, axis=0)
    )


def test_a_single_iteration_is_the_mean():
    result = infer_truth([[0, 4], [2, nan]], max_iter=1)
    np.testing.assert_array_equal(result.truth, [1, 4])
    assert (result.n_iter, result.converged) == (1, False)


def test_default_stops_when_nothing_moves():
    result = infer_truth([[1, 2], [1, 2]])
    assert (result.n_iter, result.converged) == (2, True)
    np.testing.assert_array_equal(result.quality, [0.5, 0.5])


def test_tolerance_is_in_units_of_the_answers():
    answers = synthetic_crowd(20, 30, density=0.5, rng=0).answers
    loose = infer_truth(answers, tol=0.5)
    previous = infer_truth(answers, max_iter=loose.n_iter - 1, tol=0)
    assert np.abs(loose.truth - previous.truth).max() <= 0.5
    assert loose.n_iter < infer_truth(answers).n_iter
    # A tolerance that equals the last step stops there: the comparison is not strict.
    step = np.abs(loose.truth - previous.truth).max()
    assert infer_truth(answers, tol=step).n_iter == loose.n_iter


def test_the_floor_limits_the_weight():
    # Worker 0 answers one task alone: no residual at all.
    answers = np.array([[5, nan, nan], [nan, 1, 9], [nan, 4, 2]], dtype=float)
    floored = infer_truth(answers, sigma_floor=0.1)
    pooled = np.sqrt(np.nanmean((answers - floored.truth) ** 2))
    sigma = np.sqrt(np.nanmean((answers - floored.truth) ** 2, axis=1))
    assert floored.quality[0] / floored.quality[1] == pytest.approx(sigma[1] / (0.1 * pooled))


def test_default_floor_is_a_tenth():
    answers = np.array([[5, nan, nan], [nan, 1, 9], [nan, 4, 2]], dtype=float)
    np.testing.assert_array_equal(infer_truth(answers).quality, infer_truth(answers, sigma_floor=0.1).quality)


def deviations(answers, truth):
    return np.sqrt(np.nanmean((answers - truth) ** 2, axis=1))


def loss(answers, truth, floor=0.0):
    """Sum over workers of the number of answers times the deviation, smoothed below the floor."""
    sigma = deviations(answers, truth)
    rounded = (sigma**2 + floor**2) / (2 * floor) if floor else sigma
    return (~np.isnan(answers)).sum(axis=1) @ np.where(sigma < floor, rounded, sigma)


def small_crowd(seed):
    rng = np.random.default_rng(seed)
    answers = rng.normal(0, rng.choice([1.0, 3.0], (6, 1)), (6, 4))
    answers[rng.random((6, 4)) < 0.3] = nan
    answers[np.arange(6), rng.integers(0, 4, 6)] = 1.0 + rng.normal(0, 1, 6)
    return answers[:, ~np.isnan(answers).all(axis=0)]


@pytest.mark.parametrize("seed", range(8))
def test_each_step_lowers_loss_to_its_minimum(seed):
    answers = small_crowd(seed)
    steps = [infer_truth(answers, max_iter=k, tol=0, sigma_floor=1e-9).truth for k in range(1, 12)]
    values = [loss(answers, truth) for truth in steps]
    assert (np.diff(values) <= 1e-12).all()
    least = loss(answers, infer_truth(answers, max_iter=20_000, tol=1e-13, sigma_floor=1e-9).truth)
    searches = [
        minimize(lambda mu: loss(answers, mu), start, method="Powell", options={"xtol": 1e-9, "ftol": 1e-13})
        for start in (steps[0], steps[-1], np.zeros(answers.shape[1]))
    ]
    assert least <= min(search.fun for search in searches) + 1e-5


@pytest.mark.parametrize("floor", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_limit_with_floor_minimizes_rounded_loss(seed, floor):
    answers = small_crowd(seed)
    truth = infer_truth(answers, max_iter=20_000, tol=1e-13, sigma_floor=floor).truth
    c = floor * np.sqrt(np.nanmean((answers - truth) ** 2))
    gradient = np.nansum((truth - answers) / np.maximum(deviations(answers, truth), c)[:, None], axis=0)
    np.testing.assert_allclose(gradient, 0, atol=1e-7)
    others = truth + np.random.default_rng(seed).normal(0, 1, (200, len(truth)))
    assert min(loss(answers, other, c) for other in others) >= loss(answers, truth, c)
    assert 0 <= loss(answers, truth, c) - loss(answers, truth) <= c / 2 * np.isfinite(answers).sum()


def test_worker_decides_alone_against_a_weak_pull():
    """The criterion is at most 1 at a minimum that equals exactly one worker's answers."""
    found = 0
    for seed in range(120):
        answers = small_crowd(seed)
        truth = infer_truth(answers, max_iter=20_000, tol=1e-13, sigma_floor=1e-12).truth
        sigma = deviations(answers, truth)
        i, runner_up = np.argsort(sigma)[:2]
        if sigma[i] < 1e-6 and sigma[runner_up] > 1e-2:
            found += 1
            pull = np.nansum(np.delete((truth - answers) / sigma[:, None], i, axis=0), axis=0)
            own = ~np.isnan(answers[i])
            assert np.sqrt(np.mean(pull[own] ** 2)) <= 1 + 1e-4
            np.testing.assert_allclose(pull[~own], 0, atol=1e-4)
    assert found > 8


def test_common_task_without_floor_gives_the_median():
    answers = np.array([[3.0], [8.0], [4.0], [0.0], [9.0]])
    found = infer_truth(answers, sigma_floor=1e-12, max_iter=10_000, tol=1e-12)
    np.testing.assert_allclose(found.truth, [4.0], atol=1e-6)


def test_step_onto_answer_sticks_without_a_floor():
    """The mean is the fourth answer, with loss 12; the median is the third, with loss 11."""
    answers = np.array([[0.0], [1.0], [2.0], [3.0], [9.0]])
    stuck = infer_truth(answers, sigma_floor=1e-9)
    np.testing.assert_allclose(stuck.truth, [3.0], atol=1e-6)
    assert stuck.converged
    assert stuck.quality[3] > 0.999
    np.testing.assert_allclose(infer_truth(answers).truth, [2.0], atol=1e-5)


def test_a_truth_may_be_the_floor_itself():
    """The second task adds nu^2 / (2 c) + c + 6 - nu to the loss, which is smallest at nu = c."""
    answers = np.array([[0, nan, nan], [20, nan, nan], [nan, 0, 0], [nan, 6, nan]])
    truth = infer_truth(answers, max_iter=5000, tol=1e-13).truth
    c = 0.1 * np.sqrt(np.nanmean((answers - truth) ** 2))
    np.testing.assert_allclose(truth, [10, c, 0], atol=1e-9)
    other = truth + np.array([0, 0.17, 0])
    assert loss(answers, other, c) - loss(answers, truth, c) == pytest.approx(0.17**2 / (2 * c))


def test_input_is_not_written_to():
    answers = synthetic_crowd(5, 6, density=0.5, rng=0).answers
    before = answers.copy()
    infer_truth(answers)
    np.testing.assert_array_equal(answers, before)


def test_a_stored_zero_is_an_answer():
    result = infer_truth(sp.coo_array(([0.0, 4.0], ([0, 1], [0, 0])), (2, 1)))
    np.testing.assert_allclose(result.truth, [2])


@pytest.mark.parametrize(
    "answers",
    [
        [],
        [[]],
        [[nan, nan], [1, 2]],
        [[1, np.inf]],
        sp.coo_array((3, 2)),
        sp.coo_array(([1.0], ([0], [0])), (2, 1)),
        sp.coo_array(([1.0, 2.0], ([0, 0], [0, 0])), (1, 1)),
        sp.coo_array(([nan], ([0], [0])), (1, 1)),
        pd.DataFrame({"worker": [1, 1], "task": [1, 1], "answer": [1, 2]}),
    ],
)
def test_bad_answers(answers):
    with pytest.raises(ValueError, match=r"^answers "):
        infer_truth(answers)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_iter", 0),
        ("tol", -1),
        ("tol", nan),
        ("sigma_floor", 0),
        ("sigma_floor", 1.1),
    ],
)
def test_bad_settings(name, value):
    with pytest.raises(ValueError, match=rf"^{name} "):
        infer_truth([[1.0]], **{name: value})


def test_mean_absolute_error():
    assert mean_absolute_error([0, 1, 5], [1, -1, 5]) == 1.0
    for truth, estimate, name in [
        ([1], [1, 2], "truth"),
        ([], [], "truth"),
        ([nan], [1], "truth"),
        ([1], [nan], "estimate"),
    ]:
        with pytest.raises(ValueError, match=rf"^{name} "):
            mean_absolute_error(truth, estimate)


def test_labels_of_workers_and_tasks_come_back():
    tidy = pd.DataFrame({"worker": list("bab"), "task": ["y", "x", "x"], "answer": [1, 2, 3]})
    result = infer_truth(tidy)
    assert result.truth.index.tolist() == ["x", "y"]
    assert result.quality.index.tolist() == ["a", "b"]
    assert result.truth["y"] == 1
