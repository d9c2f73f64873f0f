"""The threshold response against its distribution with 50 digits; decoding by quadrature and brute force."""

from itertools import product

import mpmath as mp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad
from scipy.sparse import csr_array
from scipy.special import logsumexp, ndtr
from scipy.stats import chisquare

from ldpbook.remedies import _posterior
from ldpbook.remedies.answer_medians import interpolated_median
from ldpbook.remedies.smaller_question import (
    ThresholdResponse,
    infer_from_counts,
    question_thresholds,
    threshold_evidence,
)
from ldpbook.remedies.who_is_careful import code_counts, infer_from_reports, report_codes

mp.mp.dps = 50
NULL = np.nan
SCALE = {"epsilon": 2.0, "domain": range(10)}


def report_law(truth, thresholds, *, epsilon, density, sigmas=(1.0, 5.0), share=0.5):
    """Probability of 0, 1 and NULL at each threshold, from the definitions."""
    e = np.exp(epsilon)
    distance = truth - np.asarray(thresholds)
    link = share * ndtr(distance / sigmas[0]) + (1 - share) * ndtr(distance / sigmas[1])
    above = (1 + (e - 1) * density * link) / (e + 2)
    null = (1 + (e - 1) * (1 - density)) / (e + 2)
    return np.stack([1 - above - null, above, np.full_like(above, null)], axis=-1)


def drawn_counts(truths, n_each, *, epsilon, density, domain=range(10), seed=0):
    """Counts of drawn reports, shape (thresholds, n, 3)."""
    rng = np.random.default_rng(seed)
    laws = [report_law(t, question_thresholds(domain), epsilon=epsilon, density=density) for t in truths]
    return rng.multinomial(n_each, laws).transpose(1, 0, 2)


# --- The mechanism. Its draws are tested with those of all others in test_mechanisms.py. ---


@given(st.floats(-12, 2.8).map(lambda x: 10**x))
def test_distribution_and_its_epsilon(epsilon):
    e = mp.exp(mp.mpf(epsilon))
    matrix = ThresholdResponse(epsilon).transition_matrix
    keep, other = float(e / (e + 2)), float(1 / (e + 2))
    np.testing.assert_allclose(matrix, np.where(np.eye(3) == 1, keep, other), rtol=1e-13)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=1e-15)
    if epsilon < 600:
        loss = (np.log(matrix.max(axis=0)) - np.log(matrix.min(axis=0))).max()
        assert loss == pytest.approx(epsilon, rel=1e-9, abs=1e-15)
    assert ThresholdResponse(epsilon).exact_epsilon == epsilon


def test_huge_budget_reveals_the_symbol():
    answers = [[3.0, 4.0, NULL, 4.5]]
    reports = ThresholdResponse(1e300).perturb(answers, 3.5, rng=1)
    np.testing.assert_array_equal(reports, [[0, 1, NULL, 1]])
    np.testing.assert_array_equal(ThresholdResponse(800.0).perturb(answers, 5.5, 1), [[0, 0, NULL, 0]])


@pytest.mark.parametrize("release", [True, False])
def test_tied_answer_is_decided_by_fair_coin(release):
    source, (p, q) = np.random.default_rng(3), (np.e**1.2 / (np.e**1.2 + 2), 1 / (np.e**1.2 + 2))
    drawn = {"entropy": source.bytes} if release else {"rng": source}
    reports = ThresholdResponse(1.2).perturb(np.full((40_000, 1), 3.5), 3.5, **drawn)
    seen = [(reports == 0).sum(), (reports == 1).sum(), np.isnan(reports).sum()]
    assert chisquare(seen, 40_000 * np.array([(p + q) / 2, (p + q) / 2, q])).pvalue > 1e-3


def test_coins_for_study_are_drawn_for_ties_only():
    answers = np.array([[3.0, NULL, 3.5, 4.0], [3.5, 3.5, NULL, 9.0]])
    for threshold, ties in ((2.5, 0), (3.5, 3), (9.0, 1)):
        used, left = np.random.default_rng(4), np.random.default_rng(4)
        ThresholdResponse(1.0).perturb(answers, threshold, used)
        left.random(answers.size + ties)
        assert used.random() == left.random()


def test_half_point_grades_shift_no_estimate():
    """Truths at which the linear interpolation between thresholds crosses one half exactly."""
    rng, domain, epsilon = np.random.default_rng(5), range(1, 8), 3.0
    truths = np.repeat([3.0, 3.5, 4.0, 4.5, 5.0], 40)
    grades = np.round(2 * rng.normal(truths, 0.9, (3000, len(truths)))) / 2
    grades = grades.clip(domain[0], domain[-1])
    p, q = np.exp(epsilon) / (np.exp(epsilon) + 2), 1 / (np.exp(epsilon) + 2)
    shares = []
    for threshold in question_thresholds(domain):
        reports = ThresholdResponse(epsilon).perturb(grades, threshold, rng)
        shares.append(0.5 + ((reports == 1).mean(axis=0) - (reports == 0).mean(axis=0)) / (2 * (p - q)))
    medians = interpolated_median(np.transpose(shares), domain)
    means = domain[0] + np.sum(shares, axis=0)
    for estimates, wanted in ((medians, truths), (means, grades.mean(axis=0))):
        off = estimates - wanted
        error = off.std(ddof=1) / np.sqrt(len(off))
        assert error < 0.01
        assert abs(off.mean()) < 4 * error


def test_thresholds_are_global_per_task_or_cell():
    answers, m = np.arange(6.0).reshape(2, 3), ThresholdResponse(60.0)
    np.testing.assert_array_equal(m.perturb(answers, 2.5, 1), answers > 2.5)
    tasks = np.array([0.5, 3.5, 1.5])
    np.testing.assert_array_equal(m.perturb(answers, tasks, 1), answers > tasks)
    cells = np.array([[0.5, 0.5, 2.5], [3.5, 3.5, 4.5]])
    np.testing.assert_array_equal(m.perturb(answers, cells, 1), answers > cells)
    np.testing.assert_array_equal(m.perturb(answers[0], tasks, 1), answers[0] > tasks)


def test_labels_come_back():
    frame = pd.DataFrame({"worker": ["b", "a", "b"], "task": [7, 7, 9], "answer": [3, 0, 1]})
    found = ThresholdResponse(60.0).perturb(frame, 1.5, 1, workers=list("cab"), tasks=[9, 7, 8])
    assert list(found.columns) == ["worker", "task", "answer"]
    assert list(found.index) == list(product("abc", (7, 8, 9)))
    assert found["answer"].tolist()[:1] + found["answer"].tolist()[3:6:2] == [0.0, 1.0, 0.0]
    assert found["answer"].isna().sum() == 6
    sparse = ThresholdResponse(60.0).perturb(csr_array([[2.0, 0.0], [0.0, 1.0]]), 1.5, 1)
    assert sparse.nnz == 2
    assert sparse.toarray().tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize(
    ("thresholds", "said"),
    [
        (NULL, "finite"),
        ([1.5, np.inf], "finite"),
        ([1.5], "shape"),
        (np.zeros((3, 2)), "shape"),
        ("x", "thr"),
    ],
)
def test_bad_thresholds_are_refused(thresholds, said):
    with pytest.raises((ValueError, TypeError), match=r"thresholds.*" + said if said != "thr" else said):
        ThresholdResponse(1.0).perturb([[1.0, 2.0], [0.0, NULL]], thresholds)


@pytest.mark.parametrize("epsilon", [0, -1.0, np.inf, NULL])
def test_a_budget_is_positive_and_finite(epsilon):
    with pytest.raises(ValueError, match="epsilon"):
        ThresholdResponse(epsilon)


# --- The questions. ---


@given(
    x=st.floats(-300, 300),
    low=st.integers(-100, 100),
    size=st.integers(2, 21),
    at=st.floats(0, 1, exclude_max=True),
)
def test_rounding_and_clipping_preserve_half_integer_thresholds(x, low, size, at):
    asked = question_thresholds(range(low, low + size))
    t = asked[int(at * len(asked))]
    if x != t:
        assert (np.clip(np.rint(x), low, low + size - 1) > t) == (x > t)


@given(low=st.integers(-1000, 1000), size=st.integers(2, 21))
def test_thresholds_are_the_half_integers_inside_the_domain(low, size):
    asked = question_thresholds(range(low, low + size))
    np.testing.assert_array_equal(asked, np.arange(low, low + size - 1) + 0.5)


@pytest.mark.parametrize("domain", [range(1), range(22), range(101)])
def test_scales_too_coarse_or_too_fine_are_refused(domain):
    with pytest.raises(ValueError, match="domain must hold 2 to 21 answers"):
        question_thresholds(domain)


# --- The posterior. ---


def by_quadrature(counts, law, *, epsilon, density, thresholds):
    """Posterior mean and standard deviation of one task's truth for a known law."""

    def log_density(truth):
        laws = report_law(
            truth, thresholds, epsilon=epsilon, density=density, sigmas=law.sigmas, share=law.shares[0]
        )
        log_prior = -(((truth - law.mean) / law.deviation) ** 2) / 2  # up to a constant
        return (counts * np.log(laws)).sum() + log_prior

    grid = np.linspace(-5, 14, 2001)
    logs = np.array([log_density(t) for t in grid])
    peak, near = logs.max(), grid[logs > logs.max() - 40]
    ends = near[0] - 0.01, near[-1] + 0.01
    mass, first, second = (
        quad(lambda t, k=k: t**k * np.exp(log_density(t) - peak), *ends, limit=200)[0] for k in range(3)
    )
    return first / mass, np.sqrt(second / mass - (first / mass) ** 2)


@pytest.mark.parametrize(
    ("n_each", "epsilon", "density"), [(30, 1.0, 0.5), (200, 2.0, 0.2), (3000, 3.0, 1.0)]
)
def test_posterior_at_a_law_agrees_with_quadrature(n_each, epsilon, density):
    truths = np.array([1.2, 4.5, 6.3])
    counts = drawn_counts(truths, n_each, epsilon=epsilon, density=density)
    evidence = threshold_evidence(counts.astype(float), epsilon, range(10))
    posterior = _posterior.fit(evidence)
    law = _posterior.law_of(posterior.parameters, range(10))
    for j in range(3):
        mean, deviation = by_quadrature(
            counts[:, j], law, epsilon=epsilon, density=evidence.density[j], thresholds=evidence.edges
        )
        # The prior is that of a cell, a third of a standard deviation wide, the likelihood that of its point.
        assert abs(posterior.truth[j] - mean) < 4e-3 * deviation
        assert posterior.error[j] == pytest.approx(deviation, rel=4e-3)


def test_a_law_is_in_units_of_the_domain():
    """By definition, in units of the domain: its middle, and a sixth and a quarter of its span."""
    for low, high in ((0, 9), (3, 5), (-4, 16)):
        middle = _posterior.law_of(np.zeros(5), range(low, high + 1))
        sixth = (high - low) / 6  # the domain spans six standard deviations, of careful answers and of truths
        np.testing.assert_allclose(middle.sigmas, [sixth, 4 * sixth])
        np.testing.assert_allclose(middle.shares, [0.5, 0.5])
        assert (middle.mean, middle.deviation) == pytest.approx(((low + high) / 2, sixth))
        law = _posterior.law_of(np.array([1.0, -2.0, 1.5, 2.0, -1.0]), range(low, high + 1))
        careful = sixth * np.e
        odds = np.exp(1.2 * 1.5)
        np.testing.assert_allclose(law.sigmas, [careful, careful * (1 + 3 / np.exp(1.4))])
        np.testing.assert_allclose(law.shares, [odds / (1 + odds), 1 / (1 + odds)])
        assert law.mean == pytest.approx((low + high) / 2 + (high - low) / 4 * 2)
        assert law.deviation == pytest.approx(sixth / np.exp(0.7))


def test_averaging_of_laws_agrees_with_brute_force():
    """Thousands of laws from the prior, each weighted with the likelihood of the reports.

    So few reports leave several laws possible; the likeliest one is overconfident and gives other truths.
    """
    counts = drawn_counts([2.0, 4.0, 5.5, 6.0], 15, epsilon=2.0, density=0.5, seed=3)
    evidence = threshold_evidence(counts.astype(float), 2.0, range(10))
    posterior = _posterior.fit(evidence)
    truth, error = _posterior.averaged(posterior, evidence)
    points = np.random.default_rng(1).normal(size=(4000, 5))
    grid = np.tile(np.linspace(-6, 15, 121), (4, 1))
    laws = (_posterior.law_of(p, range(10)) for p in points)
    logs = np.array([_posterior.log_weights(evidence, grid, law) for law in laws])
    of_task = logsumexp(logs, axis=2, keepdims=True)
    weight = np.exp(of_task.sum(axis=(1, 2)) - of_task.sum(axis=(1, 2)).max())
    weight /= weight.sum()
    assert 1 / (weight**2).sum() > 100  # effective number of laws
    chances = np.exp(logs - of_task)
    means = (chances * grid).sum(axis=2)
    deviations = np.sqrt((chances * (grid - means[:, :, None]) ** 2).sum(axis=2))
    expected = weight @ means
    spread = np.sqrt(weight @ (deviations**2 + (means - expected) ** 2))
    drawn = np.sqrt(weight**2 @ (means - expected) ** 2)  # standard error of the brute force
    assert (np.abs(truth - expected) < 4 * drawn).all()
    np.testing.assert_allclose(error, spread, rtol=0.1)
    assert (np.abs(posterior.truth - expected) > 4 * drawn).any()
    assert (posterior.error < 0.9 * spread).any()


def test_many_reports_find_the_truths():
    truths = np.array([2.2, 3.0, 4.4, 5.9, 4.0, 5.0])
    counts = drawn_counts(truths, 20_000, epsilon=2.0, density=0.5, seed=5)
    found = infer_from_counts(counts, epsilon=2.0, domain=range(10))
    assert (np.abs(found.truth - truths) < 4.5 * found.error).all()
    assert found.error.max() < 0.1
    assert np.abs(found.density - 0.5).max() < 0.02
    assert found.careful is None
    assert found.converged


def test_the_order_of_tasks_does_not_matter():
    counts = drawn_counts([2.0, 4.0, 5.5, 6.0], 300, epsilon=2.0, density=0.5)
    order = [2, 0, 3, 1]
    one = infer_from_counts(counts, epsilon=2.0, domain=range(10))
    other = infer_from_counts(counts[:, order], epsilon=2.0, domain=range(10))
    np.testing.assert_allclose(other.truth, one.truth[order], atol=0.02 * one.error.max())
    np.testing.assert_allclose(other.error, one.error[order], rtol=0.02)
    np.testing.assert_allclose(other.density, one.density[order], rtol=1e-9)


@pytest.mark.parametrize("domain", [range(10), range(2, 8)])
def test_without_information_prior_mean_and_error_remain(domain):
    """The mean of truths has standard deviation a quarter of the span; truths have around a sixth of it."""
    span, middle = domain[-1] - domain[0], (domain[0] + domain[-1]) / 2
    truths = np.array([middle - 1, middle + 1])
    counts = drawn_counts(truths, 500, epsilon=1e-6, density=0.5, domain=domain)
    found = infer_from_counts(counts, epsilon=1e-6, domain=domain)
    np.testing.assert_allclose(found.truth, middle, atol=0.02 * span)
    prior = span * np.sqrt(1 / 16 + np.exp(2 * 0.7**2) / 36)
    np.testing.assert_allclose(found.error, prior, rtol=0.25)
    np.testing.assert_allclose(found.density, 0.5, atol=0.05)


def test_no_reports_are_accepted():
    found = infer_from_counts(np.zeros((9, 3, 3)), epsilon=1.0, domain=range(10))
    np.testing.assert_allclose(found.truth, 4.5, atol=0.2)
    assert (found.error > 1).all()


def test_two_answers_are_refused():
    for found in (
        lambda: infer_from_counts(np.ones((1, 2, 3)), epsilon=3.0, domain=range(2)),
        lambda: infer_from_reports([[1.0]], 0.5, epsilon=3.0, domain=range(2)),
    ):
        with pytest.raises(ValueError, match="at least 3 answers"):
            found()


@pytest.mark.parametrize("share", [1.0, 0.8])
def test_truths_of_extreme_answers_stay_on_scale(share):
    """Such truths were once estimated as -33 and 45 on a scale of 0 to 9."""
    rng = np.random.default_rng([11, 0])
    ends = np.where(rng.random((1500, 15)) < rng.uniform(0.2, 0.8, 15), 9.0, 0.0)
    answers = np.where(rng.random(ends.shape) < share, ends, rng.integers(0, 10, ends.shape))
    asked = question_thresholds(range(10))[rng.integers(0, 9, ends.shape)]
    reports = ThresholdResponse(2.0).perturb(answers, asked, rng)
    for found in (
        infer_from_counts(code_counts(report_codes(reports, asked, range(10)), range(10)), **SCALE),
        infer_from_reports(reports[:, :4], asked[:, :4], **SCALE),  # four tasks only, as each takes seconds
    ):
        assert found.truth.min() >= -0.5
        assert found.truth.max() <= 9.5


def test_bad_counts_are_refused():
    good = np.ones((9, 2, 3))
    for bad in (good[:8], good[0], good[:, :, :2], good[:, :0], -good, good / 2, good * np.nan, good * 1e20):
        with pytest.raises(ValueError, match="counts"):
            infer_from_counts(bad, epsilon=1.0, domain=range(10))
    with pytest.raises(ValueError, match="domain"):
        infer_from_counts(good, epsilon=1.0, domain=[3])
    with pytest.raises(ValueError, match="epsilon"):
        infer_from_counts(good, epsilon=0.0, domain=range(10))
