"""Decoding against enumeration, an optimizer, quadrature and simulation."""

import itertools
from math import exp

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize, minimize_scalar
from scipy.stats import multivariate_normal, norm
from strategies import answer_matrices

from ldpbook._crowd import read_cells
from ldpbook.datasets import synthetic_crowd
from ldpbook.remedies import AnswerLaw, decode, decoding
from ldpbook.remedies.decoding import _inverted, _most_likely_law, _shrunk
from ldpbook.sparse_answers import LaplacePerturbation, MatrixFactorization, RandomizedResponse

nan = np.nan
DOMAIN = range(10)
PARTS = ("truth", "error", "unshrunk", "noise", "density")


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_inversion_is_unbiased_over_all_outputs(epsilon):
    """Three workers, three answers and NULL: 64 outputs, with probabilities written out here."""
    inputs, total = (0, 2, 3), 3 + exp(epsilon)
    mean = np.zeros(4)
    for outputs in itertools.product(range(4), repeat=3):
        chance = np.prod(
            [(exp(epsilon) if a == b else 1) / total for a, b in zip(inputs, outputs, strict=True)]
        )
        shares = np.bincount(outputs, minlength=4) / 3
        mean += chance * _inverted(shares, RandomizedResponse(epsilon, range(3)))
    np.testing.assert_allclose(mean, np.array([1, 0, 1, 1]) / 3, atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("seed", range(4))
def test_pooled_distribution_maximizes_likelihood(epsilon, seed):
    """An optimizer independent of EM finds no distribution that makes the counts more probable."""
    rng = np.random.default_rng(seed)
    rr = RandomizedResponse(epsilon, range(3))
    counts = rng.multinomial(200, rng.dirichlet(np.full(4, 0.3)) @ rr.transition_matrix)
    shares = counts / 200
    law, converged = _most_likely_law(shares, rr)

    def loss(free):
        return -counts @ np.log(free @ rr.transition_matrix)

    best = minimize(
        loss, np.full(4, 0.25), bounds=[(0, 1)] * 4, constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        method="SLSQP", options={"ftol": 1e-14, "maxiter": 1000},
    )  # fmt: skip
    assert converged
    assert law.min() >= 0
    assert law.sum() == pytest.approx(1)
    assert loss(law) <= best.fun + 1e-3
    np.testing.assert_allclose(law, best.x, atol=5e-3)


def test_valid_inversion_maximizes_likelihood():
    rr = RandomizedResponse(1.0, range(2))
    expected = np.array([0.2, 0.3, 0.5])
    shares = expected @ rr.transition_matrix
    law, converged = _most_likely_law(shares, rr)
    assert converged
    np.testing.assert_allclose(law, expected)


@pytest.mark.parametrize("relative", [0.0, 0.3])
def test_shrinkage_is_the_posterior_mean_by_quadrature(relative):
    x, v, low, high = np.array([1.0, 4.0, 7.5]), np.array([0.5, 2.0, 1.0]), 0.0, 10.0
    r = np.full(3, relative)

    def at(spread):
        """Likelihood, means and variances of the values by the formulas for normal vectors."""
        prior = spread**2 * np.eye(3) + 25 / 3
        covariance = np.diag(v + r * spread**2) + prior
        gain = prior @ np.linalg.inv(covariance)
        likelihood = multivariate_normal(np.full(3, 5.0), covariance).pdf(x)
        return likelihood, 5 + gain @ (x - 5), np.diag(prior - gain @ prior)

    def integral(of):
        return quad(lambda spread: of(*at(spread)), 1e-9, 5)[0]

    total = integral(lambda p, m, s: p)
    mean = np.array([integral(lambda p, m, s, k=k: p * m[k]) for k in range(3)]) / total
    square = np.array([integral(lambda p, m, s, k=k: p * (s[k] + m[k] ** 2)) for k in range(3)]) / total
    truth, error = _shrunk(x, v, r, low, high)
    np.testing.assert_allclose(truth, mean, atol=0.01)
    np.testing.assert_allclose(error, np.sqrt(square - mean**2), atol=0.01)


@pytest.mark.parametrize("spread", [0.0, 0.3, 1.0, 2.0])
@pytest.mark.parametrize("n", [4, 20])
def test_total_risk_respects_its_bound(spread, n):
    """The risk is also below that without shrinkage; truths are fixed, noise is drawn 4,000 times."""
    rng = np.random.default_rng(n)
    truths = 5 + spread * norm.ppf((np.arange(n) + 0.5) / n)
    losses = np.empty(4000)
    for k in range(len(losses)):
        found, _ = _shrunk(truths + rng.standard_normal(n), np.ones(n), np.zeros(n), 0, 10)
        losses[k] = ((found - truths) ** 2).sum()
    scatter = ((truths - truths.mean()) ** 2).mean()
    error = losses.std() / np.sqrt(len(losses))
    assert losses.mean() < min(n, n * scatter / (1 + scatter) + 3) + 4 * error
    assert losses.mean() > 1 - 4 * error  # the mean alone costs one noise variance: the bound is not trivial


@pytest.mark.parametrize("kind", [RandomizedResponse, LaplacePerturbation])
def test_stated_errors_cover_the_mean_of_the_law(kind):
    """68 % are within one and 95 % within two standard errors, over 1,200 tasks, up to 4 binomial errors."""
    rng = np.random.default_rng(5)
    law = AnswerLaw(DOMAIN, (1.0, 5.0), (0.5, 0.5), 0.5)
    mechanism = kind(2.0, DOMAIN)
    z, unshrunk = [], []
    for _ in range(6):
        truth = rng.normal(4.5, 1, 200)
        cells = law.at(truth)
        drawn = (rng.random((3000, 200, 1)) > cells.cumsum(axis=-1)[:, :-1]).sum(axis=-1)
        answers = np.where(drawn == 10, nan, drawn)
        answers = answers[~np.isnan(answers).all(axis=1)]
        known = {"density": 0.5} if kind is LaplacePerturbation else {}
        found = decode(mechanism.perturb(answers, rng), mechanism, **known)
        mean = cells[:, :-1] @ np.arange(10) / 0.5
        z.append((found.truth - mean) / found.error)
        unshrunk.append((found.unshrunk - mean) / found.noise)
    for scores in (np.abs(z).ravel(), np.abs(unshrunk).ravel()):
        for width, share in ((1, 0.683), (2, 0.954)):
            assert abs(np.mean(scores < width) - share) < 4 * np.sqrt(share * (1 - share) / scores.size)
    assert abs(np.mean(unshrunk)) < 4 / np.sqrt(np.size(unshrunk))


def test_a_large_epsilon_gives_the_mean_answers_back():
    answers = np.array([[1, 5, nan], [3, nan, nan], [2, 6, 7], [2, 7, nan]] * 50, dtype=float)
    mean = np.nanmean(answers, axis=0)
    rr = RandomizedResponse(60.0, DOMAIN)
    found = decode(rr.perturb(answers, 1), rr)
    np.testing.assert_allclose(found.unshrunk, mean, atol=1e-6)  # although the density is shrunk
    np.testing.assert_allclose(found.density, [1, 0.75, 0.25], atol=0.02)
    exact = decode(rr.perturb(answers, 1), rr, density=[1, 0.75, 0.25])
    np.testing.assert_allclose(exact.unshrunk, mean, atol=1e-6)
    for fill in (None, 2):
        lp = LaplacePerturbation(1e6, DOMAIN, fill)
        complete = decode(lp.perturb(np.nan_to_num(answers, nan=9), 1), lp, density=1.0)
        np.testing.assert_allclose(complete.unshrunk, np.nan_to_num(answers, nan=9).mean(axis=0), atol=1e-3)
    lp = LaplacePerturbation(1e6, DOMAIN, fill=2)
    filled = decode(lp.perturb(answers, 1), lp, density=[1, 0.75, 0.25])
    np.testing.assert_allclose(filled.unshrunk, mean, atol=1e-3)
    law = np.arange(10) / 45  # distribution of fills with mean 19 / 3
    lp = LaplacePerturbation(1.0, DOMAIN, fill=law)
    drawn = decode(np.array([[0.0], [3.0]]), lp, density=[0.25])
    np.testing.assert_allclose(drawn.unshrunk, 19 / 3 + (1.5 - 19 / 3) / 0.25)
    variance = 2 * 10**2 + 0.75 * (45 - (19 / 3) ** 2)  # the mean square is 2025 / 45
    np.testing.assert_allclose(drawn.noise, np.sqrt(variance / 2) / 0.25)


@pytest.mark.parametrize("kind", [RandomizedResponse, LaplacePerturbation])
@pytest.mark.parametrize("epsilon", [1e-300, 1e-12, 1e-3])
def test_without_information_middle_has_honest_error(kind, epsilon):
    answers = np.full((50, 3), 9.0)
    found = decode(kind(epsilon, DOMAIN).perturb(answers, 1), kind(epsilon, DOMAIN), density=1.0)
    assert np.all(np.abs(found.truth - 4.5) < 1)
    assert np.all(found.error > 4)


def test_bits_reveal_the_density():
    crowd = synthetic_crowd(4000, 50, density=0.3, rng=1)
    bit = RandomizedResponse(1.0, (1,))
    answered = np.where(np.isnan(crowd.answers), nan, 1.0)
    density = decode(bit.perturb(answered, 2), bit).density
    error = np.sqrt(exp(1) / (exp(1) - 1) ** 2 / (4000 * 50))
    assert abs(density.mean() - 0.3) < 4 * error


def test_densities_of_few_workers_are_right_on_average():
    """Weights that depend on a task's own counts would make densities a standard deviation too small."""
    rng, bit = np.random.default_rng(4), RandomizedResponse(1.0, (1,))
    means = [
        decode(bit.perturb(np.where(rng.random((100, 200)) < 0.1, 1.0, nan), rng), bit).density.mean()
        for _ in range(100)
    ]
    error = np.sqrt((0.09 + exp(1) / (exp(1) - 1) ** 2) / (100 * 200 * 100))
    assert abs(np.mean(means) - 0.1) < 4 * error


@given(answer_matrices(max_side=6), st.sampled_from([0.01, 1.0, 8.0]), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_results_are_finite_and_shift_with_domain(answers, epsilon, seed):
    rr, lp = RandomizedResponse(epsilon, DOMAIN), LaplacePerturbation(epsilon, DOMAIN)
    sums = lp.perturb(answers, seed)
    for reports, mechanism, moved, known in (
        (answers, rr, RandomizedResponse(epsilon, range(100, 110)), None),
        (sums, lp, LaplacePerturbation(epsilon, range(100, 110)), 0.5),
    ):
        found = decode(reports, mechanism, density=known)
        there = decode(reports + 100, moved, density=known)
        for part in PARTS:
            assert np.isfinite(getattr(found, part)).all()
        assert ((found.truth >= 0) & (found.truth <= 9)).all()
        np.testing.assert_allclose(there.truth, found.truth + 100, atol=1e-6)
        np.testing.assert_allclose(there.error, found.error, rtol=1e-6)
        turned = decode(reports[:, ::-1], mechanism, density=known)
        np.testing.assert_allclose(turned.truth, found.truth[::-1])


def test_a_density_that_is_estimated_costs_accuracy(monkeypatch):
    """Variance by the binomial distribution of answers among the reports, written out here."""
    rng = np.random.default_rng(7)
    answers = np.where(rng.random((400, 30)) < rng.uniform(0.1, 0.9, 30), rng.integers(0, 10, 30), nan)
    rr = RandomizedResponse(3.0, DOMAIN)
    reports = rr.perturb(answers, rng)
    seen = []

    def recorded(estimate, noise, *more):
        seen.append((estimate, noise))
        return _shrunk(estimate, noise, *more)

    monkeypatch.setattr(decoding, "_shrunk", recorded)
    found = decode(reports, rr)
    null, kept = np.isnan(reports).mean(axis=0), (exp(3) - 1) / (10 + exp(3))
    np.testing.assert_allclose(seen[0][0], 1 - (null - 1 / (10 + exp(3))) / kept)
    np.testing.assert_allclose(seen[0][1], null.mean() * (1 - null.mean()) / 400 / kept**2)
    assert (found.error > decode(reports, rr, density=found.density).error).all()


def test_all_forms_of_reports_and_empty_rows():
    rng = np.random.default_rng(3)
    answers = synthetic_crowd(60, 4, density=0.5, truth_mean=4.5, rng=rng).answers
    rr = RandomizedResponse(3.0, DOMAIN)
    reports = rr.perturb(answers, rng)
    reports = reports[~np.isnan(reports).all(axis=1)]
    workers, tasks = np.nonzero(~np.isnan(reports))
    labels = np.array(["a", "b", "c", "d"])
    frame = pd.DataFrame({"worker": workers, "task": labels[tasks], "answer": reports[workers, tasks]})
    sparse = sp.coo_array((reports[workers, tasks], (workers, tasks)), reports.shape)
    found = decode(reports, rr)
    labelled = decode(frame, rr)
    for part in PARTS:
        np.testing.assert_array_equal(getattr(labelled, part), getattr(found, part))
        np.testing.assert_array_equal(getattr(decode(sparse, rr), part), getattr(found, part))
        assert list(getattr(labelled, part).index) == list(labels)
    empty = np.vstack([reports, np.full((60, 4), nan)])
    assert (decode(empty, rr).density < found.density - 0.1).all()
    counts = decoding._counts(read_cells(reports), rr, len(empty))
    np.testing.assert_array_equal(counts[:, -1], np.isnan(empty).sum(axis=0))
    np.testing.assert_array_equal(counts[:, 3], (empty == 3).sum(axis=0))
    assert decode(reports[0], rr).truth.shape == (4,)


@pytest.mark.parametrize(
    "reports",
    [
        [[1.5, 2]],
        [[10, 2]],
        [[-1, 2]],
        [[np.inf, 2]],
        [[]],
        "abc",
        pd.DataFrame(columns=["worker", "task", "answer"]),
    ],
)
def test_reports_impossible_under_randomized_response_are_refused(reports):
    with pytest.raises((TypeError, ValueError), match="reports must"):
        decode(reports, RandomizedResponse(1.0, DOMAIN))


@pytest.mark.parametrize("reports", [[[nan, 2]], [[nan, nan], [1, 2]], [[np.inf, 1]]])
def test_reports_impossible_under_laplace_perturbation_are_refused(reports):
    with pytest.raises(ValueError, match="reports must"):
        decode(reports, LaplacePerturbation(1.0, DOMAIN), density=0.5)


@pytest.mark.parametrize(
    "mechanism", [None, 1.0, "RR", RandomizedResponse, MatrixFactorization(1.0, DOMAIN, [[1.0, 1.0]])]
)
def test_mechanisms_without_decoder_are_refused(mechanism):
    with pytest.raises(TypeError, match="mechanism must be"):
        decode([[1.0, 2.0]], mechanism)


@pytest.mark.parametrize("density", [0.0, -0.1, 1.1, nan, [0.5], [0.5, 0.5, 0.5], "x", [[0.5, 0.5]]])
def test_impossible_densities_are_refused(density):
    for mechanism in (RandomizedResponse(1.0, DOMAIN), LaplacePerturbation(1.0, DOMAIN)):
        with pytest.raises((TypeError, ValueError), match="density must"):
            decode([[1.0, 2.0]], mechanism, density=density)


def test_laplace_perturbation_requires_the_density():
    with pytest.raises(ValueError, match="density must be given"):
        decode([[1.0, 2.0]], LaplacePerturbation(1.0, DOMAIN))


def test_share_of_output_answers_cancels():
    """If the mean of all tasks is the middle, the reports' mean moves from it by its distance over lambda."""
    rng = np.random.default_rng(2)
    half = np.where(rng.random((300, 6)) < [0.1, 0.1, 0.3, 0.3, 0.6, 0.6], rng.integers(0, 10, (300, 6)), nan)
    rr = RandomizedResponse(2.0, DOMAIN)
    reports = rr.perturb(half[~np.isnan(half).all(axis=1)], rng)
    n = len(reports)
    reports = np.vstack([reports, 9 - reports])
    reports[n:] = reports[n:, [1, 0, 3, 2, 5, 4]]  # the pooled distribution is symmetric
    found = decode(reports, rr)
    sure = found.density > 0.05
    kept = found.density * (exp(2) - 1)
    shrink = kept / (kept + 10)
    expected = 4.5 + (np.nanmean(reports, axis=0) - 4.5) / shrink
    np.testing.assert_allclose(found.unshrunk[sure], expected[sure], atol=1e-9)
    assert sure.sum() >= 4


def test_frame_with_all_workers_equals_matrix():
    rng = np.random.default_rng(6)
    answers = np.where(rng.random((400, 3)) < 0.1, np.array([2.0, 5.0, 8.0]), nan)
    rr = RandomizedResponse(4.0, DOMAIN)
    answers = answers[~np.isnan(answers).all(axis=1)]
    reports = np.vstack([rr.perturb(answers, rng), np.full((200, 3), nan)])
    workers, tasks = np.nonzero(~np.isnan(reports))
    frame = pd.DataFrame({"worker": workers, "task": tasks, "answer": reports[workers, tasks]})
    found, whole = decode(frame, rr, n_workers=len(reports)), decode(reports, rr)
    for part in PARTS:
        np.testing.assert_allclose(getattr(found, part), getattr(whole, part))
    assert (decode(frame, rr).density > found.density + 0.1).all()
    with pytest.raises(ValueError, match="n_workers must be at least"):
        decode(frame, rr, n_workers=frame["worker"].nunique() - 1)
    with pytest.raises(ValueError, match="none NULL"):
        decode([[1.0, 2.0]], LaplacePerturbation(1.0, DOMAIN), density=0.5, n_workers=2)


@pytest.mark.parametrize("reports", [np.full((3, 2), nan), sp.coo_array((3, 2))])
def test_reports_may_all_be_null(reports):
    found = decode(reports, RandomizedResponse(3.0, (1,)))
    assert (found.density < 0.4).all()
    np.testing.assert_array_equal(found.truth, 1)
    assert np.isfinite(decode(reports, RandomizedResponse(3.0, DOMAIN)).unshrunk).all()


def test_rarely_answered_tasks_stay_near_the_domain():
    """Most of 300 tasks have one answer among 500 workers, so reports hardly distinguish densities from 0."""
    rng = np.random.default_rng(8)
    answers = np.where(rng.random((500, 300)) < 0.002, rng.integers(1, 6, (500, 300)), nan)
    answers[:, :30] = rng.integers(1, 6, (500, 30))
    rr = RandomizedResponse(4.0, range(1, 6))
    found = decode(rr.perturb(answers, rng), rr)
    assert found.density.min() < 0.01
    assert (np.abs(found.unshrunk - 3) < 20).all()
    assert np.mean(np.abs(found.unshrunk - 3) < 2 * found.noise) > 0.9


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 1.0])
def test_em_at_rest_is_near_the_maximum(epsilon):
    """EM is near the maximum, or reports that it has not converged."""
    rr = RandomizedResponse(epsilon, range(2))
    other, kept = np.array([1.0, exp(epsilon) - 1]) / (2 + exp(epsilon))
    shares = other + kept * np.array([0.9, 0.16, -0.06])
    law, converged = _most_likely_law(shares, rr)

    def loss(first):  # the third share is 0 at the maximum
        return -shares[:2] @ np.log(other + kept * np.array([first, 1 - first]))

    first = minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}).x
    assert converged == (epsilon > 0.01)
    assert not converged or np.abs(law - [first, 1 - first, 0]).max() < 1e-3


def test_a_large_domain_takes_no_matrix():
    rr = RandomizedResponse(6.0, range(100_000))
    answers = np.random.default_rng(1).integers(40_000, 60_000, (50, 3)).astype(float)
    assert np.isfinite(decode(answers, rr).truth).all()
