"""The loop of a survey: thresholds out, reports in, saved and loaded between; and the loop in one call."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from draws import draws
from scipy import stats

from ldpbook.datasets import synthetic_crowd
from ldpbook.foundations import to_tidy
from ldpbook.remedies import _posterior
from ldpbook.remedies.answer_means import MeanResult
from ldpbook.remedies.answer_medians import MedianResult, interpolated_median
from ldpbook.remedies.phases import (
    CHECKED,
    Survey,
    asked_in_phases,
    infer_with_best_channels,
    infer_with_thresholds,
    next_thresholds,
)
from ldpbook.remedies.smaller_question import ThresholdResponse, question_thresholds, threshold_evidence
from ldpcourse.runs.remedies import _surveyed, linked

NULL = np.nan


def heard(n_workers=400, n_tasks=5, *, epsilon=3.0, seed=0):
    """A survey after its first phase, and the crowd."""
    crowd = synthetic_crowd(n_workers, n_tasks, density=0.8, truth_mean=4.5, rng=seed)
    survey = Survey.start(n_tasks, epsilon=epsilon, domain=crowd.domain)
    asked = np.resize(next_thresholds(survey), crowd.answers.shape)
    return survey.add(ThresholdResponse(epsilon).perturb(crowd.answers, asked, seed), asked), crowd


def test_reports_are_counted_by_threshold_task_and_symbol():
    survey = Survey.start(2, epsilon=1.0, domain=range(4))
    reports = np.array([[0, 1], [1, NULL], [1, 0], [NULL, 0]])
    asked = np.array([[0.5, 2.5], [0.5, 2.5], [1.5, 2.5], [0.5, 0.5]])
    expected = np.zeros((3, 2, 3))
    for i in range(4):
        for j in range(2):
            symbol = 2 if np.isnan(reports[i, j]) else int(reports[i, j])
            expected[int(asked[i, j]), j, symbol] += 1
    once = survey.add(reports, asked)
    np.testing.assert_array_equal(once.counts, expected)
    np.testing.assert_array_equal(once.add(reports, asked).counts, 2 * expected)
    np.testing.assert_array_equal(survey.counts, 0)  # the survey is unchanged
    np.testing.assert_array_equal(survey.add(reports, 1.5).counts[1].sum(axis=1), [4, 4])


def test_a_survey_is_saved_and_loaded():
    survey, _ = heard()
    again = Survey.from_json(survey.to_json())
    assert (again.epsilon, again.domain) == (survey.epsilon, survey.domain)
    np.testing.assert_array_equal(again.counts, survey.counts)
    np.testing.assert_array_equal(next_thresholds(again), next_thresholds(survey))


@pytest.mark.parametrize("domain", [range(2), range(3, 9), range(21)])
def test_first_phase_asks_thresholds_equally_often(domain):
    asked = next_thresholds(Survey.start(7, epsilon=1.0, domain=domain))
    for column in asked.T:
        np.testing.assert_array_equal(np.sort(column), question_thresholds(domain))
    if len(asked) > 1:
        assert len(set(asked[0])) == min(7, len(asked))  # a worker is asked different thresholds


def test_later_thresholds_have_the_most_expected_information():
    """Compute the information by definition, at each point of the posterior."""
    survey, _ = heard()
    evidence = threshold_evidence(survey.counts, survey.epsilon, survey.domain)
    posterior = _posterior.fit(evidence)
    law, e = _posterior.law_of(posterior.parameters, survey.domain), np.exp(survey.epsilon)
    asked = question_thresholds(survey.domain)
    (chosen,) = next_thresholds(survey)
    for j, density in enumerate(evidence.density):
        best = []
        for t in asked:
            distance = (posterior.grid[j] - t)[:, None]
            above = (1 + (e - 1) * density * (stats.norm.cdf(distance / law.sigmas) @ law.shares)) / (e + 2)
            below = 1 - above - (1 + (e - 1) * (1 - density)) / (e + 2)
            slope = stats.norm.pdf(distance / law.sigmas) @ (law.shares / law.sigmas)
            slope *= density * (e - 1) / (e + 2)
            best.append(posterior.weights[j] @ (slope**2 / above + slope**2 / below))
        assert chosen[j] == asked[np.argmax(best)]


def test_later_thresholds_are_near_the_truths():
    survey, crowd = heard(3000)
    assert (np.abs(next_thresholds(survey)[0] - crowd.truth) < 1).all()


@pytest.mark.parametrize(
    ("reports", "thresholds", "said"),
    [
        ([[0.5, 1]], 0.5, "reports"),
        ([[2, 1]], 0.5, "reports"),
        ([1, 0], 0.5, "reports"),
        ([["x", 0]], 0.5, "reports"),
        (np.empty((0, 2)), 0.5, "reports"),
        ([[1, 0]], 9.5, "thresholds"),
        ([[1, 0]], -0.5, "thresholds"),
        ([[1, 0]], 1.0, "thresholds"),
        ([[1, 0]], NULL, "thresholds"),
        ([[1, 0]], [[0.5], [0.5]], "thresholds"),
    ],
)
def test_bad_reports_and_thresholds_are_refused(reports, thresholds, said):
    with pytest.raises((ValueError, TypeError), match=said):
        Survey.start(2, epsilon=1.0, domain=range(10)).add(reports, thresholds)


def test_reports_on_other_tasks_are_refused():
    with pytest.raises(ValueError, match=r"reports|shape|tasks"):
        Survey.start(2, epsilon=1.0, domain=range(10)).add([[1, 0, 1]], 0.5)


def test_bad_surveys_are_refused():
    for bad in ({"epsilon": 0.0}, {"domain": [1]}, {"n_tasks": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            Survey.start(**{"n_tasks": 2, "epsilon": 1.0, "domain": range(3), **bad})
    with pytest.raises(ValueError, match="counts"):
        Survey(1.0, range(3), np.ones((1, 2, 3)))


@pytest.fixture(scope="module")
def small():
    crowd = synthetic_crowd(600, 6, density=0.7, truth_mean=4.5, rng=4)
    return crowd, infer_with_thresholds(
        crowd.answers, epsilon=3.0, domain=range(10), target="truth", linked=True, rng=5
    )


def test_both_ends_at_once_find_the_truths(small):
    crowd, found = small
    assert (np.abs(found.truth - crowd.truth) < 4.5 * found.error).all()
    assert np.abs(found.truth - crowd.truth).mean() < np.abs(crowd.truth - 4.5).mean() / 2
    assert found.careful.shape == (600,)
    assert ((found.careful >= 0) & (found.careful <= 1)).all()
    right, wrong = found.careful[crowd.sigma == 1], found.careful[crowd.sigma == 5]
    assert right.mean() > wrong.mean()


def test_labels_come_back_from_a_tidy_frame(small):
    crowd, expected = small
    rows, columns = np.nonzero(~np.isnan(crowd.answers))
    frame = pd.DataFrame({"worker": rows + 1000, "task": np.array(list("abcdef"))[columns]})
    frame["answer"] = crowd.answers[rows, columns]
    found = infer_with_thresholds(frame, epsilon=3.0, domain=range(10), target="truth", linked=True, rng=5)
    assert found.truth.index.tolist() == list("abcdef")
    assert found.careful.index.tolist() == list(range(1000, 1600))
    for name in ("truth", "error", "density", "careful"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name))


def test_few_workers_are_accepted():
    for m in (1, 2, 3):
        found = infer_with_thresholds(
            np.full((m, 2), 3.0), epsilon=1.0, domain=range(5), target="truth", rng=1
        )
        assert np.isfinite(found.truth).all()
        assert (found.error > 0.3).all()


def test_answers_outside_the_domain_are_refused():
    with pytest.raises(ValueError, match="answers"):
        infer_with_thresholds([[7.0]], epsilon=1.0, domain=range(5), rng=1)


def test_fitted_truths_are_no_spike_between_gridpoints():
    """A crowd for which a prior narrower than a coarse grid's step once seemed likelier than the true one."""
    rng = np.random.default_rng([2018, 2])
    crowd = synthetic_crowd(2000, 200, density=0.1, truth_mean=4.5, rng=rng)

    def stay(thresholds):
        rng.random(thresholds.shape)  # repeats the draws of this crowd's kept run, so that reports agree
        return thresholds

    survey, _, _ = _surveyed(crowd.answers, 2.0, rng, stay)
    posterior = _posterior.fit(threshold_evidence(survey.counts, 2.0, crowd.domain))
    assert np.abs(posterior.truth - crowd.truth).mean() < 0.5


@pytest.mark.skipif(
    not draws(0, 1), reason="takes half a minute: make test-slow; the fit alone is tested above"
)
def test_averaged_laws_give_no_spike():
    assert linked(density=0.1, epsilon=2.0, others=1, apart=0.0, trial=2)["unlinked"] < 0.5


def test_equal_truths_are_found_equal():
    rng = np.random.default_rng(8)
    answers = np.clip(np.round(rng.normal(3.2, 1.0, (3000, 40))), 0, 9)
    result = infer_with_thresholds(answers, epsilon=2.0, domain=range(10), target="truth", rng=rng)
    assert np.abs(np.asarray(result.truth) - 3.2).max() < 0.15


def test_without_information_the_truth_is_the_middle():
    result = infer_with_thresholds(
        np.full((300, 4), 9.0), epsilon=1e-12, domain=range(10), target="truth", rng=4
    )
    np.testing.assert_allclose(result.truth, 4.5, atol=0.1)
    assert (np.asarray(result.error) > 1.5).all()


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize(("size", "sigma"), [(21, 1.0), (10, 0.5)])
def test_errors_smaller_than_the_scale_are_found_too(size, sigma, linked):
    """A grid around the truths of the first fit once excluded the true ones, which are far away."""
    rng = np.random.default_rng(0)
    truth = rng.uniform(0.2 * size, 0.8 * size, 8)
    answers = np.clip(np.round(truth + rng.normal(0, sigma, (1500, 8))), 0, size - 1)
    result = infer_with_thresholds(
        answers, epsilon=4.0, domain=range(size), target="truth", linked=linked, rng=1
    )
    apart = np.abs(np.asarray(result.truth) - truth)
    assert apart.mean() < 0.04
    assert (apart < 3.5 * np.asarray(result.error)).all()


def test_biased_workers_do_harm_only_if_linked():
    """Biased workers agree with each other and look careful; without kinds no one gets more weight."""
    rng = np.random.default_rng([16, 0])
    truth, sigma = rng.normal(4.5, 1, 100), rng.permutation(np.repeat([1.0, 5.0], 2500))[:, None]
    error = (rng.normal(size=(5000, 100)) + rng.normal(size=(5000, 1))) / np.sqrt(2)
    answers = np.clip(np.round(truth + sigma * error), 0, 9)
    answers[rng.random(answers.shape) > 0.3] = NULL
    result = infer_with_thresholds(answers, epsilon=2.0, domain=range(10), target="truth", rng=rng)
    assert np.abs(np.asarray(result.truth) - truth).mean() < 0.12


def skewed(rng, m=2000, n=20):
    """Answers with skewed errors, and medians of many more such answers."""
    truth = rng.normal(4.5, 1, n)

    def answers(workers):
        return np.clip(np.round(truth + 2 * (rng.exponential(size=(workers, n)) - 1)), 0, 9)

    edges = question_thresholds(range(10))
    many = answers(60_000)
    return answers(m), interpolated_median((many[..., None] > edges).mean(axis=0), range(10))


def test_median_is_the_default_target():
    answers, median = skewed(np.random.default_rng(1))
    asked = {"epsilon": 3.0, "domain": range(10), "rng": 2}
    found = infer_with_thresholds(answers, **asked)
    assert isinstance(found, MedianResult)
    off = np.abs(np.asarray(found.median) - median)
    assert (off < 4 * np.asarray(found.error)).all()
    assert not found.trusted
    means = infer_with_thresholds(answers, **asked, target="mean")
    assert isinstance(means, MeanResult)
    assert (np.asarray(means.mean) - median).mean() > 0.2  # skewed to the right
    truths = infer_with_thresholds(answers, **asked, target="truth")
    assert isinstance(truths.truth, np.ndarray)


def test_targets_are_refused_where_nothing_identifies_them():
    two = np.ones((4, 2))
    for target in ("median", "truth"):
        with pytest.raises(ValueError, match="at least 3 answers"):
            infer_with_thresholds(two, epsilon=1.0, domain=range(2), rng=1, target=target)
    with pytest.raises(ValueError, match="at least 3 answers"):
        infer_with_best_channels(two, epsilon=1.0, domain=range(2), rng=1)
    with pytest.raises(ValueError, match="target"):
        infer_with_thresholds(two, epsilon=1.0, domain=range(3), rng=1, target="mode")
    for target in ("median", "mean"):
        with pytest.raises(ValueError, match="linked"):
            infer_with_thresholds(two, epsilon=1.0, domain=range(3), rng=1, target=target, linked=True)


@pytest.mark.parametrize("form", [np.asarray, to_tidy], ids=["matrix", "frame"])
@pytest.mark.parametrize(
    ("infer", "name"),
    [
        (partial(infer_with_thresholds, target="median"), "median"),
        (partial(infer_with_thresholds, target="truth"), "truth"),
        (infer_with_best_channels, "truth"),
    ],
    ids=["medians", "truths", "channels"],
)
def test_order_of_arrival_does_not_matter(form, infer, name):
    """Answers drift by two; in order of arrival, later workers would shift all estimates by 0.34."""
    rng = np.random.default_rng(4)
    truth = rng.normal(4.5, 1, 12)
    drift = np.linspace(-1, 1, 3000)[:, None]
    answers = np.clip(np.round(truth + drift + rng.normal(size=(3000, 12))), 0, 9)
    found = infer(form(answers), epsilon=3.0, domain=range(10), rng=5)
    assert abs((np.asarray(getattr(found, name)) - truth).mean()) < 0.08


def test_each_worker_keeps_her_own_kind():
    """Workers are assigned at random, and the result of each is returned in her row."""
    rng = np.random.default_rng(6)
    sigma = np.repeat([0.8, 6.0], 300)[:, None]
    answers = np.clip(np.round(rng.normal(4.5, 1, 30) + sigma * rng.normal(size=(600, 30))), 0, 9)
    found = infer_with_thresholds(answers, epsilon=5.0, domain=range(10), target="truth", linked=True, rng=7)
    careful = np.asarray(found.careful)
    assert careful[:300].mean() > 0.8
    assert careful[300:].mean() < 0.3


def test_survey_reports_objections_to_its_law():
    start = Survey.start(20, epsilon=2.0, domain=range(10))
    assert start.why == ()
    answers, _ = skewed(np.random.default_rng(8))
    first, _ = asked_in_phases(answers, (1.0,), 2.0, range(10), np.random.default_rng(9))
    assert first.why
    crowd = synthetic_crowd(2000, 20, density=0.5, truth_mean=4.5, rng=10)
    first, _ = asked_in_phases(crowd.answers, (1.0,), 2.0, range(10), np.random.default_rng(11))
    assert first.why == ()


def test_later_phases_ask_near_the_estimate():
    crowd = synthetic_crowd(2000, 20, density=0.5, truth_mean=4.5, rng=10)
    survey, codes = asked_in_phases(crowd.answers, CHECKED, 2.0, range(10), np.random.default_rng(11))
    asked = survey.counts.sum(axis=2)
    assert codes.shape == crowd.answers.shape
    assert asked.min() >= 400 // 9
    assert (asked.max(axis=0) >= 1200).all()
    nearest = question_thresholds(range(10))[asked.argmax(axis=0)]
    assert np.abs(nearest - crowd.truth).max() < 2


def test_linked_is_true_or_false():
    with pytest.raises(TypeError, match="linked"):
        infer_with_thresholds([[1.0]], epsilon=1.0, domain=range(5), linked=1, rng=1)


@pytest.mark.parametrize(("text", "error"), [("x", ValueError), ("[1]", ValueError), (3, TypeError)])
def test_bad_survey_text_is_refused(text, error):
    with pytest.raises(error, match="text"):
        Survey.from_json(text)
