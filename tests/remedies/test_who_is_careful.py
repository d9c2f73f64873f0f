"""Kinds of workers: against loops over workers and tasks, in uninformative limits, and symmetries."""

from math import exp, log, prod

import numpy as np
import pytest
from draws import draws
from scipy.stats import norm

from ldpbook.datasets import synthetic_crowd
from ldpbook.remedies import (
    ThresholdResponse,
    infer_from_counts,
    infer_from_reports,
    infer_with_thresholds,
    question_thresholds,
    respond,
)
from ldpbook.remedies._posterior import fit, law_of
from ldpbook.remedies.smaller_question import threshold_evidence
from ldpbook.remedies.who_is_careful import _BINS, _by_kind, code_counts, report_codes

NAN, DOMAIN, EPSILON = float("nan"), range(10), 3.0


def survey(n_workers, n_tasks, seed, density=1.0, epsilon=EPSILON):
    """A crowd, its reports and arbitrary thresholds."""
    rng = np.random.default_rng(seed)
    crowd = synthetic_crowd(n_workers, n_tasks, density=density, truth_mean=4.5, rng=rng)
    thresholds = rng.choice(question_thresholds(DOMAIN), crowd.answers.shape)
    return crowd, ThresholdResponse(epsilon).perturb(crowd.answers, thresholds, rng), thresholds


def chance(report, threshold, truth, sigma, density, epsilon=EPSILON):
    """Probability of one report of a worker of known kind, from the mechanism's definition."""
    above = density * norm.sf(threshold, truth, sigma)
    holds = 1 - density if np.isnan(report) else above if report == 1 else density - above
    return (1 + (exp(epsilon) - 1) * holds) / (exp(epsilon) + 2)


@pytest.fixture(scope="module")
def small():
    """Reports of seven workers on four tasks, some of them NULL, with the posterior of the truths."""
    _, reports, thresholds = survey(7, 4, seed=3, density=0.75)
    codes = report_codes(reports, thresholds, DOMAIN)
    evidence = threshold_evidence(code_counts(codes, DOMAIN), EPSILON, DOMAIN)
    return reports, thresholds, codes, evidence, fit(evidence)


def test_counts_by_loops(small):
    reports, thresholds, codes, _, _ = small
    counts = code_counts(codes, DOMAIN)
    for t, threshold in enumerate(question_thresholds(DOMAIN)):
        for j in range(reports.shape[1]):
            said = reports[thresholds[:, j] == threshold, j]
            expected = [(said == 0).sum(), (said == 1).sum(), np.isnan(said).sum()]
            assert counts[t, j].tolist() == expected


def test_weights_and_bins_by_loops(small):
    """Each worker's odds from products of probabilities, with truths estimated without her report."""
    reports, thresholds, codes, evidence, posterior = small
    law = law_of(posterior.parameters, DOMAIN)
    n_workers, n_tasks = reports.shape
    share = np.full(reports.shape, law.shares[0])  # probability of careful, in the bin of the report
    linked, bins = evidence, np.zeros(codes.shape, dtype=np.int8)
    for _ in range(3):
        likely = np.empty((2, n_workers, n_tasks))
        for i in range(n_workers):
            for j in range(n_tasks):
                at = np.array(
                    [
                        [
                            chance(reports[i, j], thresholds[i, j], truth, sigma, evidence.density[j])
                            for truth in posterior.grid[j]
                        ]
                        for sigma in law.sigmas
                    ]
                )
                others = posterior.weights[j] / (share[i, j] * at[0] + (1 - share[i, j]) * at[1])
                likely[:, i, j] = at @ (others / others.sum())
        linked, bins, careful = _by_kind(codes, linked, bins, posterior, law.shares[0])
        members: list[list[float]] = [[] for _ in range(_BINS)]
        counts = np.zeros_like(linked.counts)
        for i in range(n_workers):
            every = [law.shares[z] * prod(likely[z, i]) for z in (0, 1)]
            assert careful[i] == pytest.approx(every[0] / sum(every), rel=1e-9)
            for j in range(n_tasks):
                others = [law.shares[z] * prod(np.delete(likely[z, i], j)) for z in (0, 1)]
                weight = others[0] / sum(others)
                b = min(int(weight * _BINS), _BINS - 1)
                members[b].append(weight)
                counts[b, j, codes[i, j]] += 1
                assert bins[i, j] == b
        np.testing.assert_array_equal(linked.counts, counts)
        np.testing.assert_array_equal(linked.counts.sum(axis=0), evidence.counts[0])
        for b, weights in enumerate(members):
            if weights:
                assert linked.shares[b] == pytest.approx([np.mean(weights), 1 - np.mean(weights)], rel=1e-9)
        share = linked.shares[bins, 0]


def infer(reports, thresholds, epsilon=EPSILON):
    return infer_from_reports(reports, thresholds, epsilon=epsilon, domain=DOMAIN)


def test_one_worker():
    result = infer([[1.0, 0.0, NAN, 1.0]], [[2.5, 6.5, 4.5, 4.5]])
    assert result.truth.shape == (4,)
    assert result.careful.shape == (1,)
    assert (result.error > 0.3).all()
    assert 0 < result.careful[0] < 1


def test_without_information_kinds_stay_unknown():
    """At a tiny epsilon: the middle of the domain, an honest error, and one probability for all."""
    _, reports, thresholds = survey(200, 6, seed=4, epsilon=1e-6)
    result = infer(reports, thresholds, epsilon=1e-6)
    assert np.abs(result.truth - 4.5).max() < 0.1  # 32 laws are averaged, with means not quite centred
    assert np.ptp(result.truth) < 1e-4
    assert (result.error > 1).all()
    assert np.ptp(result.careful) < 1e-4


def test_crowd_without_answers_is_accepted():
    result = infer(np.full((300, 5), NAN), 4.5)
    assert np.abs(result.truth - 4.5).max() < 0.3
    assert (result.error > 1).all()
    assert (result.density < 0.1).all()
    assert np.ptp(result.careful) < 1e-9


def test_worker_without_answers_reports_by_respond():
    """The crowd's mechanism draws such rows too; the curator treats this worker's reports like any others."""
    assert np.shape(ThresholdResponse(1.0).perturb([[NAN, NAN], [1.0, 2.0]], 4.5)) == (2, 2)
    theirs = [respond(None, 4.5, epsilon=1.0) for _ in range(2)]
    assert set(theirs) <= {0, 1, None}
    reports = [[NAN if report is None else report for report in theirs], [1.0, NAN]]
    assert infer(reports, 4.5, epsilon=1.0).careful.shape == (2,)


def test_order_does_not_matter():
    _, reports, thresholds = survey(150, 8, seed=5)
    result = infer(reports, thresholds)
    rng = np.random.default_rng(6)
    rows, columns = rng.permutation(150), rng.permutation(8)
    other = infer(reports[rows][:, columns], thresholds[rows][:, columns])
    np.testing.assert_allclose(other.truth, result.truth[columns], atol=1e-4)
    np.testing.assert_allclose(other.careful, result.careful[rows], atol=1e-4)


def test_one_report_each_is_as_good_as_unlinked():
    """Without other reports the weights are the law's shares."""
    _, reports, thresholds = survey(3000, 1, seed=7)
    linked = infer(reports, thresholds)
    counts = code_counts(report_codes(reports, thresholds, DOMAIN), DOMAIN)
    unlinked = infer_from_counts(counts, epsilon=EPSILON, domain=DOMAIN)
    assert linked.truth == pytest.approx(unlinked.truth, abs=unlinked.error[0] / 5)
    assert linked.error == pytest.approx(unlinked.error, rel=0.2)


@pytest.fixture(scope="module")
def found():
    crowd, reports, thresholds = survey(2000, 40, seed=8)
    return crowd, infer(reports, thresholds)


def test_kinds_are_distinguished(found):
    """Nearly as well as by the best test with all parameters known, from 40 reports at random thresholds."""
    crowd, result = found
    rng = np.random.default_rng(9)
    asked = rng.choice(question_thresholds(DOMAIN), (2000, 40))
    truth = rng.normal(4.5, 1, (2000, 40))
    above = truth + rng.normal(size=(2000, 40)) * crowd.sigma[:, None] > asked
    kept = rng.random((2000, 40)) < (exp(EPSILON) - 1) / (exp(EPSILON) + 2)
    report = np.where(kept, above, rng.choice([0.0, 1.0, NAN], (2000, 40)))
    odds = np.zeros(2000)
    for y in (0.0, 1.0):
        hold = [norm.cdf((truth - asked) / s) if y else norm.cdf((asked - truth) / s) for s in (1.0, 5.0)]
        says = [np.log(1 + (exp(EPSILON) - 1) * h) for h in hold]
        odds += ((report == y) * (says[0] - says[1])).sum(axis=1)
    best = ((odds > 0) == (crowd.sigma == 1)).mean()
    right = ((result.careful > 0.5) == (crowd.sigma == 1)).mean()
    assert right > 0.9
    assert right < best + 4 * np.sqrt(2 * best * (1 - best) / 2000)


def test_the_probability_is_calibrated(found):
    """Calibrated in each quarter of the probability; learning the law adds a small error."""
    crowd, result = found
    quarter = np.minimum(result.careful * 4, 3).astype(int)
    for k in range(4):
        chosen = quarter == k
        share, expected = (crowd.sigma[chosen] == 1).mean(), result.careful[chosen].mean()
        error = np.sqrt((result.careful * (1 - result.careful))[chosen].sum()) / chosen.sum()
        assert abs(share - expected) < 4 * error + 0.02
    assert result.careful.mean() == pytest.approx(0.5, abs=0.02)


@pytest.mark.skipif(not draws(0, 3), reason="takes a minute: make test-slow; the loops above find the same")
def test_the_probability_is_not_tilted():
    """Truths estimated with a worker's reports would make her look careful: 0.54 on average on these crowds.

    Quick crowds vary too much to show this; the loops above test that each report is divided out.
    """
    stated = []
    for trial in range(draws(0, 3)):
        rng = np.random.default_rng([2018, trial])
        crowd = synthetic_crowd(2000, 200, density=0.5, truth_mean=4.5, rng=rng)
        found = infer_with_thresholds(
            crowd.answers, epsilon=3.0, domain=DOMAIN, target="truth", linked=True, rng=rng
        )
        stated.append(np.mean(found.careful))
    assert np.mean(stated) == pytest.approx(0.5, abs=0.02)


def test_linking_helps(found):
    """Without links, the same reports have larger stated errors and hardly smaller actual ones."""
    crowd, reports, thresholds = survey(2000, 40, seed=8)
    counts = code_counts(report_codes(reports, thresholds, DOMAIN), DOMAIN)
    unlinked = infer_from_counts(counts, epsilon=EPSILON, domain=DOMAIN)
    linked = found[1]
    assert (linked.error < unlinked.error).mean() > 0.9
    assert np.abs(linked.truth - crowd.truth).mean() < 1.05 * np.abs(unlinked.truth - crowd.truth).mean()
    assert linked.error.mean() < 0.95 * unlinked.error.mean()


def test_labels_come_back():
    crowd = synthetic_crowd(60, 3, density=1.0, truth_mean=4.5, rng=10)
    frame = {"worker": np.repeat([f"w{i}" for i in range(60)], 3), "task": ["a", "b", "c"] * 60}
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({**frame, "answer": crowd.answers.ravel()})
    result = infer_with_thresholds(table, epsilon=4.0, domain=DOMAIN, target="truth", linked=True, rng=11)
    assert set(result.careful.index) == set(frame["worker"])
    assert sorted(result.truth.index) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("reports", "thresholds", "arguments", "error", "match"),
    [
        ([1.0, 0.0], 4.5, {}, ValueError, "reports must have the shape"),
        (np.empty((0, 3)), 4.5, {}, ValueError, "reports must have the shape"),
        ([[2.0]], 4.5, {}, ValueError, "reports must be 0, 1 or nan"),
        ([[np.inf]], 4.5, {}, ValueError, "reports must be"),
        ([["yes"]], 4.5, {}, (TypeError, ValueError), "reports"),
        ([[1.0]], 4.0, {}, ValueError, "thresholds must be among"),
        ([[1.0]], 9.5, {}, ValueError, "thresholds must be among"),
        ([[1.0]], NAN, {}, ValueError, "thresholds must be finite"),
        ([[1.0, 0.0]], [[4.5], [4.5]], {}, ValueError, "thresholds must have the shape"),
        ([[1.0]], 4.5, {"epsilon": 0.0}, ValueError, "epsilon"),
        ([[1.0]], 4.5, {"epsilon": "1"}, TypeError, "epsilon"),
        ([[1.0]], 4.5, {"domain": [3]}, ValueError, "domain"),
    ],
)
def test_bad_input(reports, thresholds, arguments, error, match):
    with pytest.raises(error, match=match):
        infer_from_reports(reports, thresholds, **({"epsilon": 1.0, "domain": DOMAIN} | arguments))


def test_report_moves_log_odds_by_epsilon_at_most(small):
    reports, _, codes, evidence, posterior = small
    law = law_of(posterior.parameters, DOMAIN)
    careful = _by_kind(codes, evidence, np.zeros(codes.shape, dtype=np.int8), posterior, law.shares[0])[2]
    odds = np.log(careful / (1 - careful)) - log(law.shares[0] / law.shares[1])
    assert np.abs(odds).max() <= EPSILON * reports.shape[1]


@pytest.mark.parametrize("epsilon", [30.0, 720.0, 1e6])
def test_epsilon_may_be_large_enough_to_keep_everything(epsilon):
    crowd = synthetic_crowd(300, 10, density=1.0, truth_mean=4.5, rng=1)
    thresholds = np.resize(np.arange(9) + 0.5, crowd.answers.shape)
    reports = ThresholdResponse(epsilon).perturb(crowd.answers, thresholds, rng=2)
    result = infer_from_reports(reports, thresholds, epsilon=epsilon, domain=range(10))
    assert np.abs(result.truth - crowd.truth).mean() < 0.3
