"""Medians against np.interp, the likelihood against scipy's normal density, and both on known crowds."""

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.special import logsumexp, ndtr
from scipy.stats import binom, chi2, expon, multivariate_normal, norm

from ldpbook.remedies import _curves
from ldpbook.remedies._law_check import _Directions, gap, objections
from ldpbook.remedies._posterior import fit
from ldpbook.remedies.answer_medians import infer_medians, interpolated_median
from ldpbook.remedies.smaller_question import infer_from_counts, threshold_evidence

CONSTANT = "some answers do not depend on the task"
SHAPE = "errors are not as often above the truth as below, or have two humps"
SILENCE = "who answers a task depends on its truth"
SCATTER = "answers scatter more on some tasks than on others"
BEYOND = "truths lie beyond the scale"
GAP = "answers leave a gap around the median"


def limits(domain):
    """Thresholds between neighbouring answers."""
    return np.arange(domain[0], domain[-1]) + 0.5


def channel(epsilon):
    """Probability of each report (column) for each symbol (row): not above, above, NULL."""
    weights = np.where(np.eye(3) == 1, 1.0, np.exp(-epsilon))
    return weights / weights.sum(axis=1, keepdims=True)


def drawn_counts(above, n_each, *, epsilon, density=0.5, seed=0):
    """Counts of reports on answers with shares `above`, shape (n, K), above each threshold."""
    density = np.broadcast_to(np.reshape(density, (-1, 1)), above.shape)
    symbols = np.stack([density * (1 - above), density * above, 1 - density], axis=-1)
    return np.random.default_rng(seed).multinomial(n_each, symbols @ channel(epsilon)).transpose(1, 0, 2)


def mixture_above(truths, domain, sigmas=(1.0, 3.0), share=0.7):
    """Shares above for answers truth + error; rounding and clipping do not move them across half-integers."""
    distance = np.asarray(truths)[:, None] - limits(domain)
    return share * ndtr(distance / sigmas[0]) + (1 - share) * ndtr(distance / sigmas[1])


def humps_above(truths, domain, apart=1.5, sigma=0.5):
    distance = np.asarray(truths)[:, None] - limits(domain)
    return (ndtr((distance - apart) / sigma) + ndtr((distance + apart) / sigma)) / 2


def skewed_above(truths, domain, scale=2.0):
    """Shares above with exponential errors minus their median."""
    distance = np.asarray(truths)[:, None] - limits(domain)
    return expon.sf(scale * np.log(2) - distance, scale=scale)


def medians_of(above, domain):
    """Points at which the distribution function, linear between half-integers, is one half."""
    edges = np.concatenate([[domain[0] - 0.5], limits(domain), [domain[-1] + 0.5]])
    below = np.concatenate([np.zeros((len(above), 1)), 1 - above, np.ones((len(above), 1))], axis=1)
    return np.array([np.interp(0.5, each, edges) for each in below])


# --- The interpolated median. ---


def shares_of(weights):
    """Share of the answers above each threshold, from the frequency of each answer."""
    weights = np.asarray(weights)
    return 1 - np.cumsum(weights)[:-1] / weights.sum()


@pytest.mark.parametrize(
    ("answers", "median"),
    [
        ([3, 4, 3], 2.0),
        ([4, 3, 3], 1 + 0.5 + 1 / 3),  # one of the three 2s
        ([10, 0, 0], 1.0),
        ([0, 10, 0], 2.0),
        ([0, 0, 10], 3.0),
        ([5, 5, 0], 1.5),
        ([0, 5, 5], 2.5),
        ([9, 0, 1], 0.5 + 5 / 9),
        ([1, 0, 9], 3.5 - 5 / 9),
    ],
)
def test_small_cases_by_hand(answers, median):
    assert interpolated_median(shares_of(answers), range(1, 4)) == pytest.approx(median, abs=1e-12)


@given(st.lists(st.integers(0, 50), min_size=2, max_size=21), st.integers(-100, 100))
def test_median_inverts_the_piecewise_linear_cdf(weights, low):
    total = sum(weights)
    assume(total > 0)
    halves = 2 * np.cumsum(weights) == total
    assume(halves.sum() <= 1)  # a flat piece at one half has more than one median
    domain = range(low, low + len(weights))
    edges = low - 0.5 + np.arange(len(weights) + 1)
    below = np.concatenate([[0], np.cumsum(weights)]) / total
    expected = np.interp(0.5, below, edges)
    assert interpolated_median(1 - below[1:-1], domain) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=10), st.integers(0, 50), st.integers(-50, 50))
def test_symmetric_distribution_has_central_median(half, middle, low):
    weights = [*half, middle, *half[::-1]]
    assume(sum(weights) > 0)
    domain = range(low, low + len(weights))
    found = interpolated_median(shares_of(weights), domain)
    assert found == pytest.approx((domain[0] + domain[-1]) / 2, abs=1e-9)


@pytest.mark.parametrize("weights", [[5, 0, 5], [1, 4, 0, 0, 4, 1]])
def test_answers_avoiding_centre_have_median_there(weights):
    domain = range(1, len(weights) + 1)
    found = interpolated_median(shares_of(weights), domain)
    assert found == pytest.approx((domain[0] + domain[-1]) / 2, abs=1e-9)


@given(st.lists(st.integers(0, 50), min_size=2, max_size=20), st.integers(-1000, 1000))
def test_shifted_scale_shifts_the_median(weights, by):
    assume(sum(weights) > 0)
    shares, size = shares_of(weights), len(weights)
    here, there = (interpolated_median(shares, range(low, low + size)) for low in (0, by))
    assert there - by == pytest.approx(here, abs=1e-9)


@given(st.lists(st.integers(0, 50), min_size=2, max_size=20))
def test_shifted_answers_shift_the_median(weights):
    assume(sum(weights) > 0)
    domain = range(len(weights) + 1)
    low, high = (interpolated_median(shares_of(w), domain) for w in ([*weights, 0], [0, *weights]))
    assert high - low == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("size", [2, 5, 21])
def test_equal_answers_are_their_own_median(size):
    alike = [shares_of(row) for row in np.eye(size)]
    np.testing.assert_allclose(interpolated_median(alike, range(size)), np.arange(size), atol=1e-9)


def test_ends_are_half_step_outside_domain():
    """Estimated shares above may exceed 1; they are clipped, so the median stays in the domain."""
    domain = range(3, 8)
    np.testing.assert_allclose(interpolated_median([[3.0] * 4, [-2.0] * 4], domain), [7, 3])
    found = interpolated_median(np.random.default_rng(0).normal(0.5, 3, size=(500, 4)), domain)
    assert ((found >= 2.5) & (found <= 7.5)).all()


@given(st.lists(st.integers(-30, 130), min_size=1, max_size=12))
def test_rising_shares_are_replaced_by_monotone_middle(percent):
    shares, domain = np.array(percent) / 100, range(len(percent) + 1)
    middle = [(min(shares[: k + 1]) + max(shares[k:])) / 2 for k in range(len(shares))]
    falling = np.clip(middle, 0, 1)
    assume(not (np.abs(falling - 0.5) < 1e-9).any())
    assert interpolated_median(shares, domain) == pytest.approx(
        medians_of(falling[None], domain)[0], abs=1e-9
    )


def test_the_last_axis_is_that_of_thresholds():
    shares = np.sort(np.random.default_rng(1).random((2, 3, 5)), axis=-1)[..., ::-1]
    found = interpolated_median(shares, range(6))
    assert found.shape == (2, 3)
    for at in np.ndindex(2, 3):
        assert interpolated_median(shares[at], range(6)) == found[at]
    assert interpolated_median(np.zeros((0, 5)), range(6)).shape == (0,)


@pytest.mark.parametrize("shares", [0.5, [0.5], [0.5, 0.4, 0.3], np.zeros((2, 1)), np.zeros((2, 0))])
def test_wrong_number_of_shares_is_refused(shares):
    with pytest.raises(ValueError, match="above must have 2 shares"):
        interpolated_median(shares, range(3))


@pytest.mark.parametrize("domain", [range(1), range(22), [1, 3, 4]])
def test_scale_without_thresholds_is_refused(domain):
    with pytest.raises(ValueError, match="domain"):
        interpolated_median([0.5, 0.5], domain)


# --- Shares from counts, and the likelihood of the law. ---


def evidence_of(counts, epsilon, domain):
    return threshold_evidence(np.asarray(counts, dtype=float), epsilon, domain)


@pytest.mark.parametrize(("epsilon", "density"), [(0.5, 0.5), (2.0, 0.9), (5.0, 0.3)])
def test_estimated_shares_are_unbiased_and_vary_as_stated(epsilon, density):
    """Many tasks with one distribution: their estimates have the stated variance around it."""
    above, n_each, n_tasks = np.array([0.8, 0.5, 0.1]), 400, 4000
    counts = drawn_counts(np.tile(above, (n_tasks, 1)), n_each, epsilon=epsilon, density=density, seed=1)
    evidence = evidence_of(counts, epsilon, range(4))
    shares, variances = _curves.shares_above(evidence, channel(epsilon))
    z = (shares - above) / np.sqrt(variances)
    assert (np.abs(z.mean(axis=0)) < 4 / np.sqrt(n_tasks)).all()
    # This many tasks determine the variance within a few percent, and the density more closely.
    assert (np.abs((z**2).mean(axis=0) - 1) < 4 * np.sqrt(2 / n_tasks)).all()
    keep, other = channel(epsilon)[0, :2]
    answered = (keep - other) * density
    exact = (2 * other + answered - (answered * (2 * above - 1)) ** 2) / (4 * n_each * answered**2)
    np.testing.assert_allclose(variances.mean(axis=0), exact, rtol=0.02)


def test_task_variance_is_that_of_its_reports():
    above = np.tile([0.7, 0.3], (3, 1))
    n_each = np.array([[100, 0], [400, 1600], [100, 100]])
    symbols = np.stack([(1 - above) / 2, above / 2, np.full_like(above, 0.5)], axis=-1) @ channel(2.0)
    counts = np.rint(n_each[..., None] * symbols).transpose(1, 0, 2)
    evidence = evidence_of(counts, 2.0, range(3))
    shares, variances = _curves.shares_above(evidence, channel(2.0))
    np.testing.assert_allclose(variances[0, 0] / variances[1, 0], 4, rtol=0.1)
    np.testing.assert_allclose(variances[2, 1] / variances[1, 1], 16, rtol=0.1)
    assert variances[0, 1] > 1e3  # no one was asked
    assert np.isfinite(shares).all()


def some_tasks(n_tasks, domain, seed=0, scale=0.05):
    rng = np.random.default_rng(seed)
    shares = mixture_above(rng.normal(sum(domain) / len(domain), 1.2, n_tasks), domain)
    variances = scale**2 * np.exp(rng.normal(size=shares.shape))
    return shares + rng.normal(size=shares.shape) * np.sqrt(variances), variances


def defined_curve(law, domain, place, node):
    """Shares above by definition: two widths, wider on hard tasks, or two humps; some ignore the task."""
    above = np.zeros(len(domain) - 1)
    hard, humps = (1.0, (-law.hump, law.hump)) if node == "humps" else (np.exp(law.hardness * node), (0.0,))
    for width, share in zip(law.widths, (law.share, 1 - law.share), strict=True):
        for hump in humps:
            above += share / len(humps) * norm.sf((limits(domain) - place) / hard, loc=hump, scale=width)
    anyhow = [law.values[k + 1 :].sum() for k in range(len(above))]
    return (1 - law.constant) * above + law.constant * np.array(anyhow)


@pytest.mark.parametrize("domain", [range(3), range(2, 8), range(-3, 4)])
@pytest.mark.parametrize("fineness", [8, 16])
def test_curve_follows_its_definition_at_each_place(domain, fineness):
    model = _curves.CurveModel(*some_tasks(2, domain), domain, fineness)
    law = model.law(np.random.default_rng(2).normal(size=model.size))
    curves = model.curves(law)
    assert len(curves) == 4 * len(model.grid)
    np.testing.assert_allclose(np.diff(model.grid), 1 / fineness)
    assert model.grid[0] < domain[0]
    assert model.grid[-1] > domain[-1]
    nodes = (-np.sqrt(3), 0, np.sqrt(3), "humps")  # three Gauss-Hermite nodes for a normal distribution
    expected = [defined_curve(law, domain, place, node) for node in nodes for place in model.grid]
    np.testing.assert_allclose(curves, expected, atol=1e-12)


def test_places_have_normal_probabilities():
    model = _curves.CurveModel(*some_tasks(2, range(10)), range(10))
    z = np.zeros(model.size)
    z[3], z[4], z[9] = 0.2, -0.4, 0.5
    law = model.law(z)
    prior = np.exp(model.log_prior(law)).reshape(4, -1)
    assert law.split == pytest.approx(1 / (1 + np.exp(-0.75)))
    expected = [*((1 - law.split) * np.array([1 / 6, 2 / 3, 1 / 6])), law.split]
    np.testing.assert_allclose(prior.sum(axis=1), expected, rtol=1e-12)
    places = prior.sum(axis=0)
    mean = places @ model.grid
    assert mean == pytest.approx(law.mean, abs=1e-2)
    assert np.sqrt(places @ (model.grid - mean) ** 2) == pytest.approx(law.deviation, rel=1e-2)


def test_a_law_is_in_units_of_the_domain():
    for low, high in ((0, 9), (3, 5), (-4, 16)):
        domain, span = range(low, high + 1), high - low
        model = _curves.CurveModel(*some_tasks(1, domain), domain)
        law = model.law(np.zeros(model.size))
        np.testing.assert_allclose(law.widths, [span / 6, 4 * span / 6])
        assert (law.share, law.mean) == pytest.approx((0.5, (low + high) / 2))
        assert law.deviation == pytest.approx(span / 6)
        assert law.hump == pytest.approx(span / 6 * np.log1p(np.exp(-3)))
        assert (law.slack, law.hardness) == pytest.approx((0.01, 0.06))
        assert law.constant == pytest.approx(1 / (1 + np.exp(3.5)))
        np.testing.assert_allclose(law.values, 1 / len(domain))


def test_own_deviations_are_similar_at_neighbouring_thresholds():
    smooth = _curves.CurveModel(*some_tasks(1, range(12)), range(12)).smooth
    apart = np.abs(np.subtract.outer(np.arange(11), np.arange(11)))
    expected = np.exp(-(apart**2) / 8) + 0.02 * (apart == 0)
    np.testing.assert_allclose(smooth, expected, rtol=1e-12)


@pytest.mark.parametrize("at", [-1.0, 0.5, 2.5])
def test_likelihood_of_a_place_is_normal(at):
    """The covariance is that of noise plus own deviations; the noise's part of the constant is left out."""
    domain = range(7)
    shares, variances = some_tasks(3, domain, seed=3)
    model = _curves.CurveModel(shares, variances, domain)
    z = 0.5 * np.random.default_rng(4).normal(size=model.size)
    z[6] = at
    law = model.law(z)
    curves = model.curves(law)
    logs, _ = model.log_weights(law, curves, model.blocks[0])
    for j in range(3):
        covariance = law.slack**2 * model.smooth + np.diag(variances[j])
        expected = [multivariate_normal.logpdf(shares[j], curve, covariance) for curve in curves[::20]]
        constant = np.log(2 * np.pi * variances[j]).sum() / 2
        found = (logs[j] - model.log_prior(law))[::20]
        np.testing.assert_allclose(found, np.array(expected) + constant, rtol=1e-8, atol=1e-7)


def test_loss_is_sum_over_tasks_plus_prior():
    """There are more tasks than one block holds."""
    domain = range(4)
    shares, variances = some_tasks(405, domain, seed=5)
    model = _curves.CurveModel(shares, variances, domain)
    z = 0.5 * np.random.default_rng(6).normal(size=model.size)
    law = model.law(z)
    curves, prior = model.curves(law), model.log_prior(law)
    heard = 0.0
    for share, variance in zip(shares, variances, strict=True):
        covariance = law.slack**2 * model.smooth + np.diag(variance)
        # The log density of all places at once: their distance is symmetric in share and curve.
        logs = multivariate_normal.logpdf(curves, share, covariance) + np.log(2 * np.pi * variance).sum() / 2
        heard += logsumexp(logs + prior)
    assert model.loss(z) == pytest.approx(z @ z / 2 - heard, rel=1e-9)


@pytest.mark.parametrize(
    ("domain", "n_tasks", "seed"), [(range(3), 410, 1), (range(8), 5, 2), (range(5), 3, 3)]
)
def test_gradient_equals_finite_differences(domain, n_tasks, seed):
    model = _curves.CurveModel(*some_tasks(n_tasks, domain, seed=seed), domain)
    for z in 0.7 * np.random.default_rng(seed).normal(size=(2, model.size)):
        loss, gradient = model.loss_and_gradient(z)
        assert loss == pytest.approx(model.loss(z), rel=1e-12)
        moves = 1e-4 * np.eye(model.size)
        expected = [(model.loss(z + move) - model.loss(z - move)) / 2e-4 for move in moves]
        np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-4 * np.abs(gradient).max())


def test_own_deviations_follow_conditional_normal_distribution():
    """With one place and one hardness, only each task's own deviation is random."""
    domain, n_tasks = range(5), 6000
    one = np.array([0.95, 0.6, 0.45, 0.1])
    variance = np.array([0.05, 0.02, 0.1, 0.04]) ** 2
    model = _curves.CurveModel(np.tile(one, (n_tasks, 1)), np.tile(variance, (n_tasks, 1)), domain)
    z = np.zeros(model.size)
    z[[4, 6, 8, 9]] = -8.0, 1.0, -8.0, -20.0
    law = model.law(z)
    assert np.exp(model.log_prior(law)).reshape(4, -1).sum(axis=0).max() > 1 - 1e-12
    curve = defined_curve(law, domain, 2.0, 0.0)
    own = law.slack**2 * model.smooth
    gain = own @ np.linalg.inv(own + np.diag(variance))
    mean, covariance = curve + gain @ (one - curve), own - gain @ own
    drawn = model._drawn(law, np.random.default_rng(7))
    error = np.sqrt(np.diag(covariance) / n_tasks)
    assert (np.abs(drawn.mean(axis=0) - mean) < 4 * error).all()
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert (np.abs(np.cov(drawn.T) - covariance) < 4 * scale * np.sqrt(2 / n_tasks)).all()


def test_places_are_drawn_with_their_probabilities():
    domain, n_tasks = range(4), 4000
    model = _curves.CurveModel(np.tile([0.9, 0.6, 0.2], (n_tasks, 1)), np.full((n_tasks, 3), 0.1**2), domain)
    z = np.zeros(model.size)
    z[6] = -5.0  # own deviations are tiny, so draws are curves of the table
    law = model.law(z)
    curves = model.curves(law)
    logs = model.log_weights(law, curves, model.blocks[0])[0][0]
    weights = np.exp(logs - logsumexp(logs))
    drawn = model._drawn(law, np.random.default_rng(8))
    mean = weights @ curves
    covariance = (weights[:, None] * (curves - mean)).T @ (curves - mean)
    error = np.sqrt(np.diag(covariance) / n_tasks)
    assert (np.abs(drawn.mean(axis=0) - mean) < 4 * error).all()
    np.testing.assert_allclose(np.cov(drawn.T), covariance, rtol=0.15)


def test_random_walk_agrees_with_brute_force():
    """Thousands of laws from the prior, each weighted with the likelihood of the shares."""
    domain = range(4)
    shares, variances = some_tasks(3, domain, seed=9, scale=0.15)
    model = _curves.CurveModel(shares, variances, domain)
    rng = np.random.default_rng(10)
    logs, medians = [], []
    for z in rng.normal(size=(2500, model.size)):
        logs.append(z @ z / 2 - model.loss(z))
        curves = model._drawn(model.law(z), rng)
        medians.append(medians_of(np.clip(np.minimum.accumulate(curves, axis=1), 0, 1), domain))
    weight = np.exp(logs - logsumexp(logs))
    assert 1 / (weight**2).sum() > 150
    medians = np.array(medians)
    mean = weight @ medians
    deviation = np.sqrt(weight @ (medians - mean) ** 2)
    error = np.sqrt(weight**2 @ (medians - mean) ** 2)
    peak, ended = model.fit([np.zeros(model.size)])
    assert ended
    walked = np.array([interpolated_median(c, domain) for c in model.draws(peak, np.random.default_rng(0))])
    # Its draws are correlated: about every fifth is independent.
    assert (
        np.abs(walked.mean(axis=0) - mean) < 4 * np.hypot(error, deviation * np.sqrt(5 / len(walked)))
    ).all()
    np.testing.assert_allclose(walked.std(axis=0), deviation, rtol=0.25)


def test_the_lattice_is_as_fine_as_the_reports():
    domain, step = range(4), []
    for scale in (0.1, 0.003):
        model, _, _ = _curves.fitted(*some_tasks(3, domain, seed=11, scale=scale), domain)
        step.append(model.step)
    assert step[0] == 1 / 8
    assert step[1] <= 1 / 32


# --- The medians of crowds. ---


def crowd(kind, seed, *, n_tasks=10, domain=range(7)):
    """Shares above, with truths from a normal distribution."""
    truths = np.random.default_rng(seed).normal((domain[0] + domain[-1]) / 2, 1.0, n_tasks)
    return kind(truths, domain)


@cache
def both(kind, seed, n_each, epsilon):
    """True medians of the answers of a random crowd, and both estimates."""
    above, domain = crowd(kind, seed), range(7)
    counts = drawn_counts(above, n_each, epsilon=epsilon, seed=seed)
    return (
        medians_of(above, domain),
        infer_medians(counts, epsilon=epsilon, domain=domain),
        infer_from_counts(counts, epsilon=epsilon, domain=domain),
    )


IN_MODEL = [(mixture_above, 1, 500, 2.0), (mixture_above, 2, 3000, 2.0), (mixture_above, 3, 2000, 3.0)]


@pytest.mark.parametrize("case", IN_MODEL)
def test_narrow_law_medians_are_never_far_off(case):
    true, found, _ = both(*case)
    assert (np.abs(found.median - true) < 4 * found.error).all()
    assert found.converged


def test_narrow_law_crowd_is_covered():
    z = np.concatenate(
        [(found.median - true) / found.error for true, found, _ in (both(*c) for c in IN_MODEL)]
    )
    assert (np.abs(z) < 1).mean() > binom.ppf(1e-3, len(z), 0.68) / len(z)
    assert (np.abs(z) < 2).mean() > binom.ppf(1e-3, len(z), 0.95) / len(z)
    assert 0.6 < np.sqrt((z**2).mean()) < 1.4


def test_wider_law_costs_little_if_narrow_holds():
    ratios, found_off, narrow_off = [], [], []
    for true, found, narrow in (both(*c) for c in IN_MODEL):
        ratios.append(found.error / narrow.error)
        found_off.append((found.median - true) / narrow.error)
        narrow_off.append((narrow.truth - true) / narrow.error)
    assert 0.85 < np.median(ratios) < 1.25
    assert np.max(ratios) < 1.6
    assert np.std(found_off) < 1.25 * np.std(narrow_off)


@pytest.mark.parametrize("kind", [humps_above, skewed_above])
def test_other_crowds_are_covered_by_medians_only(kind):
    true, found, narrow = both(kind, 4, 20_000, 3.0)
    z, off = np.abs(found.median - true) / found.error, np.abs(narrow.truth - true) / narrow.error
    assert (z < 2).mean() >= 0.8
    assert np.sqrt((z**2).mean()) < 1.5
    assert (off < 2).mean() <= 0.5
    assert np.sqrt((off**2).mean()) > 3
    assert found.error.max() < 0.4  # and this is not due to missing answers
    assert found.converged


@cache
def small():
    """The domain, the reports and the estimates of a small crowd."""
    domain = range(6)
    above = mixture_above([1.5, 2.2, 3.0, 4.1], domain)
    counts = drawn_counts(above, 2000, epsilon=2.0, seed=5)
    return domain, counts, infer_medians(counts, epsilon=2.0, domain=domain)


def test_result_is_deterministic_and_counts_unchanged():
    domain, counts, one = small()
    before = counts.copy()
    np.random.default_rng(99).random(3)
    other = infer_medians(counts.astype(float).tolist(), epsilon=2.0, domain=list(domain))
    np.testing.assert_array_equal(one.median, other.median)
    np.testing.assert_array_equal(one.error, other.error)
    np.testing.assert_array_equal(one.density, other.density)
    np.testing.assert_array_equal(counts, before)
    assert one.why == other.why


def test_result_has_one_number_per_task():
    _, _, found = small()
    assert found.median.shape == found.error.shape == found.density.shape == (4,)
    np.testing.assert_allclose(found.density, 0.5, atol=0.03)
    assert found.trusted is True
    assert found.why == ()


def test_sixteenfold_reports_halve_the_error():
    """A known law would leave a quarter of the error; here the law is learned from four tasks."""
    domain, counts, found = small()
    more = infer_medians(counts * 16, epsilon=2.0, domain=domain)
    ratio = found.error / more.error
    assert (ratio > 2).all()
    assert (ratio < 5).all()


@pytest.mark.parametrize("by", [-7, 1000])
def test_a_moved_scale_moves_the_medians(by):
    """Equal up to rounding in the search for the law's peak."""
    domain, counts, found = small()
    moved = infer_medians(counts, epsilon=2.0, domain=range(domain[0] + by, domain[-1] + by + 1))
    assert (np.abs(moved.median - by - found.median) < 0.05 * found.error).all()
    np.testing.assert_allclose(moved.error, found.error, rtol=0.05)
    np.testing.assert_allclose(moved.density, found.density, rtol=1e-12)


def test_a_reversed_scale_reverses_the_medians():
    """Equal to a third of an error: the same random numbers are used for another posterior."""
    domain, counts, found = small()
    turned = infer_medians(counts[::-1][:, :, [1, 0, 2]], epsilon=2.0, domain=domain)
    reversed_medians = domain[0] + domain[-1] - turned.median
    assert (np.abs(reversed_medians - found.median) < 0.33 * found.error).all()
    np.testing.assert_allclose(turned.error, found.error, rtol=0.2)


def test_the_order_of_tasks_hardly_matters():
    """Equal to a third of an error: the same random number serves another task."""
    domain, counts, found = small()
    order = [2, 0, 3, 1]
    other = infer_medians(counts[:, order], epsilon=2.0, domain=domain)
    assert (np.abs(other.median - found.median[order]) < 0.33 * found.error[order]).all()
    np.testing.assert_allclose(other.error, found.error[order], rtol=0.2)
    np.testing.assert_allclose(other.density, found.density[order], rtol=1e-12)


def test_one_task_is_enough():
    domain = range(6)
    above = mixture_above([3.3], domain)
    found = infer_medians(drawn_counts(above, 5000, epsilon=2.0), epsilon=2.0, domain=domain)
    assert np.abs(found.median - medians_of(above, domain)) < 3 * found.error
    assert found.error < 0.3


@pytest.mark.parametrize("n_tasks", [1, 4])
def test_no_reports_at_all_leave_the_prior(n_tasks):
    """The prior's mean is the middle by symmetry; its standard deviation is that of random laws."""
    domain = range(6)
    found = infer_medians(np.zeros((5, n_tasks, 3)), epsilon=2.0, domain=domain)
    model = _curves.CurveModel(np.full((1, 5), 0.5), np.full((1, 5), 1e6), domain)
    rng = np.random.default_rng(1)
    drawn = [
        interpolated_median(model._drawn(model.law(z), rng)[0], domain)
        for z in rng.normal(size=(1500, model.size))
    ]
    np.testing.assert_allclose(found.error, np.std(drawn), rtol=0.15)
    assert (np.abs(found.median - 2.5) < 0.25 * found.error).all()
    assert found.trusted


def test_task_without_reports_has_the_crowd_spread():
    domain, counts, found = small()
    some = counts.copy()
    some[:, 1] = 0
    without = infer_medians(some, epsilon=2.0, domain=domain)
    others = [0, 2, 3]
    assert (np.abs(without.median - found.median)[others] < found.error[others]).all()
    assert without.error[1] > 4 * found.error[1]
    assert np.abs(without.median[1] - found.median[1]) < 2 * without.error[1]


def test_single_threshold_decides_the_side():
    domain = range(6)
    above = mixture_above([0.5, 2.5, 4.5], domain)
    counts = drawn_counts(above, 5000, epsilon=2.0)
    counts[[0, 1, 3, 4]] = 0
    found = infer_medians(counts, epsilon=2.0, domain=domain)
    assert (np.abs(found.median - medians_of(above, domain)) < 3 * found.error).all()
    assert found.median[0] < 2.2
    assert found.median[2] > 2.8
    assert found.error[1] < found.error[[0, 2]].min()


@pytest.mark.parametrize("size", [3, 21])
def test_the_shortest_and_the_longest_scale(size):
    domain = range(size)
    truths, unit = (size - 1) * np.array([0.35, 0.6]), (size - 1) / 9
    above = mixture_above(truths, domain, sigmas=(unit, 3 * unit))
    found = infer_medians(drawn_counts(above, 300, epsilon=2.0, seed=2), epsilon=2.0, domain=domain)
    assert (np.abs(found.median - medians_of(above, domain)) < 3 * found.error).all()
    assert (found.error < unit).all()


@pytest.mark.parametrize(("epsilon", "n_each", "most"), [(0.01, 1000, 3.0), (600.0, 1000, 0.2)])
def test_tiny_and_huge_budgets(epsilon, n_each, most):
    domain = range(6)
    above = mixture_above([1.5, 3.0, 4.0], domain)
    found = infer_medians(
        drawn_counts(above, n_each, epsilon=epsilon, seed=3), epsilon=epsilon, domain=domain
    )
    assert (np.abs(found.median - medians_of(above, domain)) < 3 * found.error).all()
    assert (found.error < most).all()
    if epsilon < 1:
        assert (found.error > 0.9).all()  # the reports are uninformative


@pytest.mark.parametrize("density", [0.6, 1.0])
@pytest.mark.parametrize("epsilon", [5.0, 600.0])
def test_equal_answers_are_found(epsilon, density):
    """This holds even if all reports are equal, so that a share's estimated variance may be 0."""
    domain = range(4)
    above = np.tile([1.0, 1.0, 0.0], (3, 1))
    symbols = np.stack([density * (1 - above), density * above, np.full_like(above, 1 - density)], axis=-1)
    counts = np.rint(1000 * symbols @ channel(epsilon)).transpose(1, 0, 2)
    found = infer_medians(counts, epsilon=epsilon, domain=domain)
    np.testing.assert_allclose(found.median, 2, atol=0.1)
    assert (found.error < 0.2).all()


def test_billion_reports_are_accepted():
    domain = range(4)
    above = mixture_above([1.2, 1.9], domain)
    found = infer_medians(drawn_counts(above, 10**9, epsilon=2.0, seed=4), epsilon=2.0, domain=domain)
    true = medians_of(above, domain)
    assert (np.abs(found.median - true) < 4 * found.error).all()
    assert (found.error < 0.01).all()
    assert (found.error > 0.99 / 64 / np.sqrt(12)).all()  # the finest lattice's resolution


def test_bad_counts_and_scales_are_refused():
    good = np.ones((4, 2, 3))
    for bad in (good[:3], good[0], good[:, :, :2], good[:, :0], -good, good / 2, good * np.nan, good * 1e20):
        with pytest.raises(ValueError, match="counts"):
            infer_medians(bad, epsilon=1.0, domain=range(5))
    for domain in (range(2), [3], range(22), [1, 2, 4]):
        with pytest.raises(ValueError, match="domain"):
            infer_medians(good, epsilon=1.0, domain=domain)
    with pytest.raises(ValueError, match="at least 3 answers"):
        infer_medians(np.ones((1, 2, 3)), epsilon=1.0, domain=range(2))
    for epsilon in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="epsilon"):
            infer_medians(good, epsilon=epsilon, domain=range(5))


# --- Objections to the narrow law. ---


def whys(counts, epsilon, domain):
    """The objections of infer_medians, without the medians."""
    evidence = evidence_of(counts, epsilon, domain)
    return objections(evidence, fit(evidence), channel(epsilon))


@pytest.mark.parametrize(
    ("n_each", "epsilon", "density"),
    [(300, 2.0, (0.5, 0.5)), (3000, 3.0, (0.2, 0.9)), (50_000, 4.0, (0.5, 0.5))],
)
def test_crowds_following_law_rarely_get_objections(n_each, epsilon, density):
    domain, n_crowds, found = range(8), 30, 0
    for seed in range(n_crowds):
        rng = np.random.default_rng(seed)
        above = mixture_above(rng.normal(3.5, 1.0, 8), domain)
        counts = drawn_counts(
            above, n_each, epsilon=epsilon, density=rng.uniform(*density, 8), seed=100 + seed
        )
        found += bool(whys(counts, epsilon, domain))
    assert found <= binom.isf(1e-3, n_crowds, 0.05)


def silent_by_answer(above):
    """High answers are given more often: shares above among given answers, and densities."""
    ends = np.ones((len(above), 1))
    answers = -np.diff(np.concatenate([ends, above, 0 * ends], axis=1), axis=1)
    given_ones = answers * np.linspace(0.1, 0.9, answers.shape[1])
    density = given_ones.sum(axis=1)
    return 1 - np.cumsum(given_ones, axis=1)[:, :-1] / density[:, None], density


@pytest.mark.parametrize("epsilon", [2.0, 4.0])
def test_each_kind_of_misfit_is_named(epsilon):
    domain, n_each = range(8), 30_000
    above = crowd(mixture_above, 6, n_tasks=12, domain=domain)
    some, density = silent_by_answer(above)
    rng = np.random.default_rng(7)
    hard = np.exp(0.5 * rng.normal(size=12))[:, None]
    distance = rng.normal(3.5, 1.0, 12)[:, None] - limits(domain)
    kinds = {
        SHAPE: crowd(skewed_above, 6, n_tasks=12, domain=domain),
        CONSTANT: 0.75 * above + 0.25 * (limits(domain) < 2),
        SILENCE: some,
        SCATTER: 0.7 * ndtr(distance / hard) + 0.3 * ndtr(distance / hard / 3),
        BEYOND: mixture_above(np.linspace(-4, 11, 12), domain),
    }
    assert whys(drawn_counts(above, n_each, epsilon=epsilon), epsilon, domain) == ()
    for sentence, shares in kinds.items():
        own = density if sentence == SILENCE else 0.5
        assert sentence in whys(drawn_counts(shares, n_each, epsilon=epsilon, density=own), epsilon, domain)


def test_rare_answers_at_middle_truths_are_named():
    """A density that follows the square of the truth, not the truth."""
    domain, truths = range(8), np.linspace(1.5, 5.5, 11)
    density = 0.3 + 0.05 * (truths - 3.5) ** 2
    counts = drawn_counts(mixture_above(truths, domain), 30_000, epsilon=3.0, density=density)
    assert SILENCE in whys(counts, 3.0, domain)


def test_two_humps_with_spread_truths_are_named():
    counts = drawn_counts(crowd(humps_above, 8), 20_000, epsilon=3.0)
    assert SHAPE in whys(counts, 3.0, range(7))


def test_density_unrelated_to_truth_is_no_objection():
    domain = range(8)
    above = mixture_above(np.linspace(1.5, 5.5, 8), domain)
    density = np.array([0.3, 0.6, 0.4, 0.5, 0.5, 0.4, 0.6, 0.3])[[0, 3, 6, 1, 7, 2, 5, 4]]
    assert SILENCE not in whys(drawn_counts(above, 30_000, epsilon=3.0, density=density), 3.0, domain)


def test_a_crowd_with_an_objection_is_not_trusted():
    _, found, _ = both(skewed_above, 4, 20_000, 3.0)
    assert SHAPE in found.why
    assert found.trusted is False
    for c in IN_MODEL:
        _, held, _ = both(*c)
        assert held.trusted == (held.converged and not held.why)
    # The sentences are those of the check on the same counts.
    counts = drawn_counts(crowd(skewed_above, 4), 20_000, epsilon=3.0, seed=4)
    assert found.why == whys(counts, 3.0, range(7))


def test_a_gap_around_the_median_is_named():
    """Two humps farther apart than wide leave a gap; a central hump and a flat distribution do not."""
    _, found, _ = both(humps_above, 4, 20_000, 3.0)
    assert GAP in found.why
    for c in IN_MODEL:
        assert GAP not in both(*c)[1].why
    domain = range(10)
    flat = np.arange(9, 0, -1)[None] / 10
    ends = np.array([[0.8, 0.6, 0.5, 0.5, 0.5, 0.5, 0.5, 0.4, 0.2]])
    assert gap(flat, np.array([4.5]), domain) == ()
    assert gap(ends, np.array([4.5]), domain) == (GAP,)
    assert gap(ends, np.array([1.5]), domain) == ()
    # The check combines all tasks.
    both_kinds = np.concatenate([flat, ends, ends])
    assert gap(both_kinds, np.full(3, 4.5), domain) == (GAP,)
    assert gap(both_kinds[[0, 0, 0, 0, 1]], np.full(5, 4.5), domain) == ()


def test_uninformative_budget_leaves_the_middle():
    found = infer_medians(np.full((4, 3, 3), 50), epsilon=1e-17, domain=range(5))
    np.testing.assert_allclose(found.median, 2, atol=0.3)
    assert (found.error > 0.8).all()


def test_non_numeric_shares_are_refused():
    for bad in ([np.nan, 0.3], [np.inf, 0.3]):
        with pytest.raises(ValueError, match="above must be finite"):
            interpolated_median(bad, range(1, 4))


def test_task_width_test_agrees_with_singular_values():
    """Use the directions of all tasks in one matrix, whose rank is one below the number of tasks."""
    rng = np.random.default_rng(5)
    shape = 12, 9
    units, own, one, two, other = rng.uniform(1, 2, shape), *rng.normal(size=(4, *shape))
    residuals = rng.normal(size=shape)
    tests = _Directions(residuals, units, own, [one, two, other])

    def off(direction):
        along = units * own / np.linalg.norm(units * own, axis=1, keepdims=True)
        return units * direction - along * (along * units * direction).sum(axis=1, keepdims=True)

    fitted = np.linalg.qr(np.array([off(each).ravel() for each in (one, two, other)]).T)[0]
    apart = np.zeros((*shape, shape[0]))
    apart[np.arange(shape[0]), :, np.arange(shape[0])] = off(one + two)
    left = apart.reshape(-1, shape[0])
    left = left - fitted @ (fitted.T @ left)
    basis, lengths, _ = np.linalg.svd(left, full_matrices=False)
    basis = basis[:, lengths > 1e-9 * lengths.max()]
    assert basis.shape[1] == shape[0] - 1
    along = units * own / np.linalg.norm(units * own, axis=1, keepdims=True)
    rest = (residuals - along * (along * residuals).sum(axis=1, keepdims=True)).ravel()
    rest = rest - fitted @ (fitted.T @ rest)
    expected = chi2.sf(((basis.T @ rest) ** 2).sum(), basis.shape[1])
    assert tests.own_chance(one + two) == pytest.approx(expected, rel=1e-9)


def test_flat_piece_at_half_survives_rounding():
    weights = [5, 4, 2, 2, 1, 0, 0, 1, 4, 2, 5, 2]
    above = 1 - np.cumsum(weights)[:-1] / sum(weights)
    assert interpolated_median(above, range(12)) == pytest.approx(5.5, abs=1e-9)
