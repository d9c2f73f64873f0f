"""Laplace perturbation: distribution, guarantee, edges."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad
from scipy.stats import kstest, laplace
from strategies import answer_matrices

from ldpbook.foundations.audit import audit_epsilon
from ldpbook.sparse_answers import bounds
from ldpbook.sparse_answers.laplace import LaplacePerturbation, laplace_noise

nan = np.nan
DOMAIN = range(10)
LAW = (0.5, 0, 0.125, 0, 0, 0, 0, 0, 0.375, 0)  # distribution of fills


def test_noise_is_laplace():
    noise = laplace_noise(3.0, (200_000,), np.random.default_rng(1))
    assert kstest(noise, laplace(scale=3).cdf).pvalue > 1e-3


@given(answer_matrices(), st.sampled_from([None, 0, 7, LAW]))
def test_shape_and_no_null(answers, fill):
    before = answers.copy()
    out = LaplacePerturbation(0.5, DOMAIN, fill).perturb(answers, 3)
    assert out.shape == answers.shape
    assert np.isfinite(out).all()
    np.testing.assert_array_equal(answers, before)


def test_seed_and_generator_agree_and_differ_by_seed():
    lp, answers = LaplacePerturbation(1.0, DOMAIN), np.full((3, 4), 5.0)
    np.testing.assert_array_equal(lp.perturb(answers, 7), lp.perturb(answers, np.random.default_rng(7)))
    assert not np.array_equal(lp.perturb(answers, 7), lp.perturb(answers, 8))


@pytest.mark.parametrize("answer", [nan, 0.0, 9.0])
@pytest.mark.parametrize("fill", [None, 2, LAW])
def test_output_has_the_stated_density(answer, fill):
    lp = LaplacePerturbation(2.0, DOMAIN, fill)
    column = np.column_stack([np.full(100_000, answer), np.zeros(100_000)])
    out = lp.perturb(column, 11)[:, 0]
    grid = np.linspace(-15, 25, 9)
    density = lambda t: np.exp(lp.log_density(t, answer))  # noqa: E731
    for lo, hi in pairwise(grid):
        p = quad(density, lo, hi, points=[x for x in DOMAIN if lo < x < hi])[0]
        error = np.sqrt(p * (1 - p) / len(out))
        assert abs(np.mean((out > lo) & (out <= hi)) - p) < 4.5 * error  # 72 comparisons
    assert quad(density, -200, 200, points=list(DOMAIN), limit=200)[0] == pytest.approx(1)


def test_scale_is_that_of_the_source():
    assert LaplacePerturbation(0.5, range(5)).scale == 10.0
    assert LaplacePerturbation(0.5, range(5)).exact_epsilon == pytest.approx(0.4)


@pytest.mark.parametrize("fill", [None, 4, LAW])
def test_exact_epsilon_is_attained_and_not_exceeded(fill):
    lp = LaplacePerturbation(1.5, DOMAIN, fill)
    output = np.linspace(-300, 300, 6001)
    log_density = np.array([lp.log_density(output, a) for a in [*DOMAIN, nan]])
    assert np.ptp(log_density, axis=0).max() == pytest.approx(lp.exact_epsilon)


def test_mean_error_of_one_worker_is_corrected_bound():
    rng = np.random.default_rng(5)
    epsilon, density, truth, sigma = 2.0, 0.3, 4.0, 0.4
    answers = np.clip(truth + sigma * rng.standard_normal((1, 400_000)), 0, 9)
    answers[rng.random(answers.shape) >= density] = nan
    error = np.abs(LaplacePerturbation(epsilon, DOMAIN).perturb(answers, rng) - truth)
    expected = bounds.lp_mae_bound_corrected(
        epsilon=epsilon, domain=DOMAIN, density=density, sigma=sigma, truth=truth
    )
    assert abs(error.mean() - expected) < 4 * error.std() / np.sqrt(error.size)


@pytest.mark.parametrize(("noise_scale", "caught"), [(1.0, False), (0.25, True)])
def test_the_audit_catches_too_little_noise(noise_scale, caught):
    lp = LaplacePerturbation(1.0 / noise_scale, DOMAIN)  # claims epsilon 1, but spends 1 / noise_scale
    low, high = (lp.perturb(np.full((40_000, 1), float(a)), a)[:, 0] for a in (0, 9))
    found = audit_epsilon(low, high, edges=np.linspace(-20, 29, 50)).epsilon
    assert (found > 1.0) == caught


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0, DOMAIN), "epsilon"),
        ((-1, DOMAIN), "epsilon"),
        ((nan, DOMAIN), "epsilon"),
        ((np.inf, DOMAIN), "epsilon"),
        ((1, []), "domain"),
        ((1, [0, 2]), "domain"),
        ((1, DOMAIN, 10), "fill"),
        ((1, DOMAIN, -1), "fill"),
        ((1, DOMAIN, [0.5, 0.5]), "fill"),
        ((1, DOMAIN, [0.2] * 10), "fill"),
        ((1, DOMAIN, [1.5, -0.5, *[0] * 8]), "fill"),
        ((1, DOMAIN, [nan, *[0.1] * 9]), "fill"),
    ],
)
def test_bad_parameters(arguments, name):
    with pytest.raises(ValueError, match=rf"^{name} "):
        LaplacePerturbation(*arguments)


@pytest.mark.parametrize("answers", [[], [[]], 1.0, [[10.0]], [[-1]], [[np.inf]]])
def test_bad_answers(answers):
    with pytest.raises(ValueError, match=r"^answers "):
        LaplacePerturbation(1, DOMAIN).perturb(answers, 0)


def test_density_of_an_impossible_answer():
    with pytest.raises(ValueError, match=r"^answer must lie in 0\.\.9"):
        LaplacePerturbation(1, DOMAIN).log_density(0.0, 10.0)
    with pytest.raises(ValueError, match=r"^scale "):
        laplace_noise(0, (1,), np.random.default_rng(0))


def test_fill_draws_reach_both_ends_of_the_domain():
    lp = LaplacePerturbation(1e9, range(3, 6))
    out = lp.perturb(np.column_stack([np.full(3000, nan), np.full(3000, 3.0)]), 0)[:, 0]
    values, counts = np.unique(np.rint(out), return_counts=True)
    np.testing.assert_array_equal(values, [3, 4, 5])
    assert (abs(counts - 1000) < 4 * np.sqrt(3000 * 2 / 9)).all()


def test_bad_fill_names_the_domain():
    with pytest.raises(ValueError, match=r"^fill must be in 0\.\.9, got 10$"):
        LaplacePerturbation(1, DOMAIN, 10)


@pytest.mark.parametrize(
    ("fill", "law"), [(None, [1 / 3] * 3), (4, [0, 1, 0]), ([0.2, 0.3, 0.5], [0.2, 0.3, 0.5])]
)
def test_fills_have_their_distribution(fill, law):
    lp = LaplacePerturbation(1e9, range(3, 6), fill)
    np.testing.assert_array_equal(lp.fill_law, law)
    out = np.rint(lp.perturb(np.column_stack([np.full(3000, nan), np.full(3000, 3.0)]), 0)[:, 0])
    for value, chance in zip(range(3, 6), law, strict=True):
        assert abs((out == value).mean() - chance) <= 4 * np.sqrt(chance * (1 - chance) / 3000)


@pytest.mark.parametrize("fill", [3.5, "3", {}, None.__class__])
def test_fill_is_an_integer_or_distribution(fill):
    with pytest.raises((TypeError, ValueError), match=r"^fill "):
        LaplacePerturbation(1, DOMAIN, fill)


def test_domain_is_always_kept_as_a_tuple():
    assert LaplacePerturbation(1, iter([3, 4, 5])).domain == (3, 4, 5)
    assert LaplacePerturbation(1, iter([3, 4, 5])).scale == 3.0
