"""Medians from reports on whole rows: against sums written out, exact means, and simulated crowds."""

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from scipy.special import comb, ndtr

from ldpbook.remedies import AnswerLaw, infer_medians
from ldpbook.whole_worker import (
    AskedQuestions,
    MixedSigns,
    OwnAnswer,
    infer_from_rows,
    row_designs,
    row_errors,
)

NULL = np.nan
DESIGNS = pytest.mark.parametrize("design", [AskedQuestions(2.0), OwnAnswer(4.0), MixedSigns(2.0)])


def crowd(m, rng, *, truths, domain=range(5), density=0.5, sigma=1.0):
    """Answers truth + error, rounded and clipped; `density` is a number, or one per worker, task or cell."""
    answers = np.rint(truths + sigma * rng.normal(size=(m, len(truths))))
    answers = np.clip(answers, domain[0], domain[-1])
    answers[rng.random(answers.shape) > density] = NULL
    return answers


def in_turn(shape, domain=range(5)):
    """All half-integers, and one threshold below and above the scale, in turn over workers and tasks."""
    limits = np.arange(domain[0] - 1, domain[-1] + 1) + 0.5
    return limits[(np.arange(shape[0])[:, None] + np.arange(shape[1])) % len(limits)]


def medians_given(answers, domain=range(5)):
    """Points where the distribution function of given answers, linear between half-integers, is one half."""
    edges = np.arange(domain[0] - 1, domain[-1] + 1) + 0.5
    found = []
    for column in answers.T:
        given = column[~np.isnan(column)]
        found.append(np.interp(0.5, [(given < edge).mean() for edge in edges], edges))
    return np.array(found)


def survey(design, seed, m=20_000, n=40, **kind):
    rng = np.random.default_rng(seed)
    answers = crowd(m, rng, truths=rng.normal(2, 0.7, n), **kind)
    limits = in_turn(answers.shape)
    reports = design.perturb(answers, limits, rng)
    return medians_given(answers), infer_from_rows(reports, limits, mechanism=design, domain=range(5))


# --- A threshold off the scale: the theorem, by enumeration. ---


def mean_reports(design, signs):
    """Mean report of a row of signs, by definition: over all coins, or all slots."""
    signs = np.array(signs)
    k = np.count_nonzero(signs)
    if isinstance(design, OwnAnswer):
        return (0.5 - 1 / (1 + np.exp(design.epsilon))) * signs / max(k, design.padding)
    coins = np.array(list(product([1, -1], repeat=len(signs))))
    return np.tanh(design.epsilon / 2) * (coins * np.sign(coins @ signs)[:, None]).mean(axis=0)


@pytest.mark.parametrize("design", [OwnAnswer(1.5), OwnAnswer(1.5, 3), MixedSigns(1.5)])
def test_a_question_off_the_scale_measures_the_strength(design):
    """For any distribution of rows and any threshold, the mean is the strength times 2 S - 1."""
    rng = np.random.default_rng(1)
    rows = np.array(list(product([NULL, 0, 1, 2], repeat=3)))
    chance = rng.dirichlet(np.full(len(rows), 0.3))  # dependent cells, uneven workers and tasks
    others = np.array([0.5, 1.5])  # the thresholds of the other tasks change nothing
    for task in range(3):
        means, shares = {}, {}
        for limit in (-0.5, 0.5, 1.5, 2.5):
            limits = np.insert(others, task, limit)
            signs = np.where(np.isnan(rows), 0, np.where(rows > limits, 1, -1))
            means[limit] = chance @ [mean_reports(design, row)[task] for row in signs]
            weight = chance * [abs(mean_reports(design, row)[task]) for row in signs]
            shares[limit] = weight @ (rows[:, task] > limit) / weight.sum()
        strength = means[-0.5]
        assert means[2.5] == pytest.approx(-strength, abs=1e-12)
        for limit in (0.5, 1.5):
            assert means[limit] == pytest.approx(strength * (2 * shares[limit] - 1), abs=1e-12)


@pytest.mark.parametrize("design", [OwnAnswer(3.0), OwnAnswer(3.0, 4), MixedSigns(3.0), MixedSigns(6.0, 2)])
def test_reports_are_drawn_with_that_mean(design):
    m = 300_000
    reports = design.perturb(np.full((m, 4), 2.0), [-0.5, 0.5, 2.5, 1.5], rng=2)
    size = 4 // getattr(design, "n_groups", 1)
    strength = {
        OwnAnswer: np.tanh(1.5) / 2 / 4,
        MixedSigns: np.tanh(1.5) * comb(size - 1, size // 2) / 2 ** (size - 1),
    }[type(design)]
    assert np.abs(reports.mean(axis=0) - strength * np.array([1, 1, -1, 1])).max() < 4.5 / np.sqrt(m)


# --- Decoding. ---


def test_asked_questions_are_counted_by_threshold_and_symbol():
    """Counts by symbol; a question off the scale is left out."""
    rng, domain = np.random.default_rng(3), range(4)
    reports = rng.choice([1.0, -1.0, 0.0], (600, 3))
    reports[np.arange(600), rng.integers(3, size=600)] = NULL  # two questions each
    limits = rng.choice([-0.5, 0.5, 1.5, 2.5, 3.5], (600, 3))
    counts = [
        [[((reports == r) & (limits == t))[:, j].sum() for r in (-1, 1, 0)] for j in range(3)]
        for t in (0.5, 1.5, 2.5)
    ]
    wanted = infer_medians(counts, epsilon=1.5, domain=domain)
    found = infer_from_rows(reports, limits, mechanism=AskedQuestions(3.0, 2), domain=domain)
    for name in ("median", "error", "density"):
        assert (getattr(found, name) == getattr(wanted, name)).all()
    assert (found.converged, found.why) == (wanted.converged, wanted.why)


@DESIGNS
def test_medians_have_their_stated_errors(design):
    """Two crowds of forty tasks: about two thirds within one error, nearly all within two."""
    off, error = [], []
    for seed in (4, 5):
        truth, found = survey(design, seed)
        off.append(np.abs(found.median - truth))
        error.append(found.error)
        assert found.converged
    off, error = np.concatenate(off), np.concatenate(error)
    assert off.mean() < 0.6 * 0.7 * np.sqrt(2 / np.pi)  # compared with the error of the constant
    assert 0.5 < np.mean(off < error) <= 0.92
    assert np.mean(off < 2 * error) > 0.88


@pytest.mark.parametrize("design", [OwnAnswer(4.0), MixedSigns(4.0)])
def test_unequal_tasks_and_workers_are_decoded(design):
    """Densities from 0.05 to 1 by task, or workers of whom many answer little."""
    rng = np.random.default_rng(6)
    for density in (np.linspace(0.05, 1, 40), np.minimum(1, rng.gamma(1, 0.4, (20_000, 1)))):
        truth, found = survey(design, 7, density=density)
        off = np.abs(found.median - truth)
        assert np.mean(off < found.error) > 0.45
        assert np.mean(off < 2 * found.error) > 0.85
    assert np.isnan(found.density).all()


def test_medians_at_end_depend_on_task_strength():
    """Seven in ten give the answer at an end, so the line from that end to their share passes one half."""
    rng = np.random.default_rng(15)
    answers = rng.binomial(3, [0.1, 0.1, 0.9, 0.9], (100_000, 4)).astype(float)
    answers[rng.random(answers.shape) > [0.3, 1, 0.3, 1]] = NULL
    limits = in_turn(answers.shape, range(4))
    for design in (OwnAnswer(5.0), MixedSigns(5.0)):
        reports = design.perturb(answers, limits, rng=16)
        found = infer_from_rows(reports, limits, mechanism=design, domain=range(4))
        assert np.abs(found.median - medians_given(answers, range(4))).max() < 0.08


def test_strength_stays_within_the_design():
    """Ten tasks of own answers share one strength, (1/2 - lambda) / 10 for each, whatever is reported."""
    limits = in_turn((60_000, 10))
    reports = np.where(limits < 0, 1.0, np.where(limits > 4, -1.0, 0.0))
    inside = (limits > 0) & (limits < 4)
    reports[inside] = np.random.default_rng(17).choice([1, -1], inside.sum(), p=[0.49, 0.51])
    found = infer_from_rows(reports, limits, mechanism=OwnAnswer(1.0), domain=range(5))
    assert found.median.max() < 0.3  # a share of 1/2 - 0.02 / (2 * 0.023); with a strength of 1 it is 0.49


def test_turning_the_scale_turns_the_medians():
    rng = np.random.default_rng(9)
    reports = rng.choice([1.0, -1.0], (3000, 6), p=[0.6, 0.4])
    limits = in_turn(reports.shape)
    reports[limits < 0], reports[limits > 4] = 1, -1
    one, other = (
        infer_from_rows(r, t, mechanism=MixedSigns(2.0), domain=range(5))
        for r, t in ((reports, limits), (-reports, 4 - limits))
    )
    assert one.median + other.median == pytest.approx(np.full(6, 4.0), abs=0.15 * one.error.max())


def test_weak_strength_estimate_is_reported():
    rng = np.random.default_rng(10)
    limits = in_turn((300, 20))
    silent = OwnAnswer(0.5).perturb(np.full((300, 20), NULL), limits, rng)
    found = infer_from_rows(silent, limits, mechanism=OwnAnswer(0.5), domain=range(5))
    assert found.why[0] == "questions off the scale hardly show how strong the reports are"
    assert not found.trusted
    assert (np.isfinite(found.median) & (found.error > 0.5)).all()
    _, loud = survey(MixedSigns(6.0), 11)
    assert loud.trusted


@pytest.mark.parametrize("design", [OwnAnswer(500.0), MixedSigns(500.0), AskedQuestions(500.0)])
def test_reports_without_noise_are_read(design):
    """If all answers are equal, they are the median; empty rows also have a finite median."""
    limits = in_turn((6000, 3))
    for value in (0.0, 2.0, 4.0):
        reports = design.perturb(np.full(limits.shape, value), limits, rng=12)
        found = infer_from_rows(reports, limits, mechanism=design, domain=range(5))
        assert np.abs(found.median - value).max() < 0.5
    empty = design.perturb(np.full(limits.shape, NULL), limits, rng=13)
    found = infer_from_rows(empty, limits, mechanism=design, domain=range(5))
    assert np.isfinite(found.median).all()


def test_the_same_reports_give_the_same_medians():
    limits = in_turn((500, 4))
    reports = MixedSigns(2.0).perturb(np.full(limits.shape, 2.0), limits, rng=14)
    before = reports.copy()
    found = [
        infer_from_rows(r, limits, mechanism=MixedSigns(2.0), domain=range(5)) for r in (reports, before)
    ]
    assert (found[0].median == found[1].median).all()
    assert (reports == before).all()


# --- Refusals. ---


def test_bad_reports_are_refused():
    limits, reports = in_turn((60, 4)), np.ones((60, 4))

    mixed = MixedSigns(1.0)

    def read(reports=reports, limits=limits, mechanism=mixed, domain=range(5)):
        return infer_from_rows(reports, limits, mechanism=mechanism, domain=domain)

    on_scale = np.where(np.isin(limits, [-0.5, 4.5]), 1.5, limits)
    some = limits.copy()
    some[:, 2] = on_scale[:, 2]
    with pytest.raises(ValueError, match=r"thresholds must lie off the scale 0\.\.4 .* none for task 0"):
        read(limits=on_scale)
    with pytest.raises(ValueError, match="none for task 2"):
        read(limits=some, mechanism=OwnAnswer(1.0))
    assert read(limits=on_scale, mechanism=AskedQuestions(1.0, 4)).median.shape == (4,)
    for bad in (limits + 0.5, limits + 0.01, np.full(4, np.nan), np.ones(3)):
        with pytest.raises(ValueError, match=r"^thresholds must"):
            read(limits=bad)
    for bad in (reports + 1, np.full((60, 4), np.nan), np.ones(4), np.ones((0, 4))):
        with pytest.raises(ValueError, match=r"^reports must"):
            read(reports=bad)
    with pytest.raises(TypeError, match="reports must be a matrix"):
        read(reports=pd.DataFrame(reports))
    with pytest.raises(ValueError, match="domain must hold at least 3 answers"):
        read(domain=range(2))
    for bad in ("mixed", None, 2.0):
        with pytest.raises(TypeError, match="mechanism must be AskedQuestions, OwnAnswer or MixedSigns"):
            read(mechanism=bad)
    for bad, name in ((AskedQuestions(1.0, 5), "n_questions"), (OwnAnswer(1.0, 5), "padding")):
        with pytest.raises(ValueError, match=f"^{name} must be at most"):
            read(mechanism=bad)


# --- The errors to be expected. ---

LAW = AnswerLaw(range(5), (1.0,), (1.0,), 0.4)
CROWD = {"n_workers": 20_000, "n_tasks": 40, "prior_mean": 2.0, "prior_deviation": 0.7}


@pytest.mark.parametrize("design", ["asked", "own answer", "mixed"])
def test_errors_are_about_those_of_simulated_surveys(design):
    """Three crowds of sixty tasks in another setting: 30 % of thresholds in turn, 70 % at 2.5 and 3.5."""
    law = AnswerLaw(range(7), (0.8, 2.0), (0.7, 0.3), 0.3)
    told = row_errors(law, n_workers=15_000, n_tasks=60, epsilon=3.0, prior_mean=3.2, prior_deviation=0.9)
    parts = row_designs(n_workers=15_000, n_tasks=60, epsilon=3.0, density=0.3, sigma=1.0).parts[design]
    kinds = {"asked": AskedQuestions, "own answer": OwnAnswer, "mixed": MixedSigns}
    mechanism, found = kinds[design](3.0, int(parts)), []
    for seed in (20, 21, 22):
        rng = np.random.default_rng(seed)
        sigma = rng.choice(law.sigmas, 15_000, p=law.shares)[:, None]
        truths = rng.normal(3.2, 0.9, 60)
        answers = crowd(15_000, rng, truths=truths, domain=law.domain, density=0.3, sigma=sigma)
        limits = in_turn(answers.shape, law.domain)
        if design == "asked":  # no question off the scale
            limits[:4500] = np.resize(np.arange(0.5, 6), (4500, 1))
        limits[4500:] = np.resize([2.5, 3.5], (10_500, 1))
        reports = mechanism.perturb(answers, limits, rng)
        medians = infer_from_rows(reports, limits, mechanism=mechanism, domain=law.domain).median
        found.append(np.abs(medians - medians_given(answers, law.domain)).mean())
    assert told[design] == pytest.approx(np.mean(found), rel=0.2)


def test_error_with_known_law_follows_from_information():
    """Many tasks and workers: the law is known, and the posterior is narrow around each truth."""
    found = row_errors(LAW, n_workers=10**9, n_tasks=40, epsilon=2.0, prior_mean=2.0, prior_deviation=0.3)
    table = row_designs(n_workers=1, n_tasks=40, epsilon=2.0, density=0.4, sigma=1.0)
    truths, weights = np.linspace(0.8, 3.2, 4001), np.exp(-(np.linspace(-4, 4, 4001) ** 2) / 2)
    limits = np.arange(0.5, 4)
    slope = np.exp(-((truths[:, None] - limits) ** 2) / 2)  # relative to the slope at the truth
    for design, places in (("asked", 4), ("own answer", 6), ("mixed", 6)):
        share = 0.3 / places + 0.35 * np.isin(limits, [1.5, 2.5])
        told = 10**9 * table.information[design] * (slope**2 @ share)
        above = ndtr(truths[:, None] - limits)
        edges = np.arange(-0.5, 5)
        below = 1 - np.c_[np.ones(len(truths)), above, np.zeros(len(truths))]
        medians = np.array([np.interp(0.5, row, edges) for row in below])
        wanted = np.sqrt(2 / np.pi / told) * np.gradient(medians, truths)
        assert found[design] == pytest.approx(np.average(wanted, weights=weights), rel=2e-3)


def test_learning_costs_agree_with_a_simple_decoder():
    """Noisy estimates of twelve tasks in three thousand crowds, shrunk by a posterior on a grid.

    Errors are wide and truths close together, so all estimates have nearly the same noise.
    """
    law, n, deviation = AnswerLaw(range(10), (3.0,), (1.0,), 0.4), 12, 0.6
    told = row_errors(law, n_workers=800, n_tasks=n, epsilon=2.0, prior_mean=3.9, prior_deviation=deviation)
    information = row_designs(n_tasks=n, n_workers=1, epsilon=2.0, density=0.4, sigma=3.0).information
    rng = np.random.default_rng(30)
    truths = rng.normal(3.9, deviation, (3000, n))
    spreads, weights = 1.5 * np.exp(0.7 * np.linspace(-4, 4, 161)), np.linspace(-4, 4, 161) ** 2
    for design, places in (("asked", 9), ("own answer", 11), ("mixed", 11)):
        asked = 0.3 / places + 0.35 * np.isin(np.arange(9), [3, 4])  # thresholds 3.5 and 4.5
        slopes = np.exp(-(((3.9 - np.arange(9) - 0.5) / 3) ** 2))
        noise = 1 / (800 * information[design] * (asked @ slopes))
        seen = truths + np.sqrt(noise) * rng.normal(size=truths.shape)
        total = noise + spreads**2
        centre = (seen.sum(axis=1, keepdims=True) / total + 4.5 / 2.25**2) / (n / total + 1 / 2.25**2)
        misfit = ((seen[:, :, None] - centre[:, None, :]) ** 2).sum(axis=1) / total
        misfit += ((centre - 4.5) / 2.25) ** 2 + weights + n * np.log(total) + np.log(n / total + 1 / 2.25**2)
        chance = np.exp(-(misfit - misfit.min(axis=1, keepdims=True)) / 2)
        chance /= chance.sum(axis=1, keepdims=True)
        kept = spreads**2 / total
        found = np.einsum("cs,cns->cn", chance, centre[:, None] + kept * (seen[:, :, None] - centre[:, None]))
        assert told[design] == pytest.approx(np.abs(found - truths).mean(), rel=0.1)
        assert told[design] > 1.05 * np.sqrt(2 / np.pi / (1 / noise + 1 / deviation**2))


def test_uninformative_reports_leave_error_of_constant():
    """The median of three answers cannot move as far as the truths; its mean distance is by quadrature."""
    law = AnswerLaw(range(3), (0.5,), (1.0,), 0.5)
    crowd = {"n_tasks": 30, "prior_mean": 1.0, "prior_deviation": 1.0}
    found = row_errors(law, n_workers=1, epsilon=1e-9, **crowd)
    truths = np.linspace(-5, 7, 2401)
    below = ndtr((np.array([0.5, 1.5]) - truths[:, None]) / 0.5)
    medians = [np.interp(0.5, [0, *row, 1], [-0.5, 0.5, 1.5, 2.5]) for row in below]
    weights = np.exp(-((truths - 1) ** 2) / 2)
    constant = np.average(np.abs(np.array(medians) - 1), weights=weights)
    assert found.to_numpy() == pytest.approx(constant, rel=2e-3)
    # The measured error is 0.614 with a standard error of 0.025.
    poor = AnswerLaw(range(3), (0.5,), (1.0,), 0.3)
    told = row_errors(poor, n_workers=300, epsilon=0.5, **crowd | {"n_tasks": 50})
    assert ((told > 0.99 * constant) & (told < 0.664)).all()


def test_errors_fall_with_workers_and_keep_symmetries():
    errors = [row_errors(LAW, **{**CROWD, "n_workers": m}, epsilon=2.0) for m in (500, 5000, 50_000, 10**7)]
    assert all((more < less).all() for less, more in pairwise(errors))
    moved = AnswerLaw(range(-3, 2), (1.0,), (1.0,), 0.4)
    found = row_errors(moved, **{**CROWD, "prior_mean": -1.0}, epsilon=2.0)
    assert found.to_numpy() == pytest.approx(row_errors(LAW, **CROWD, epsilon=2.0).to_numpy(), rel=1e-9)
    turned = [row_errors(LAW, **{**CROWD, "prior_mean": mean}, epsilon=2.0) for mean in (1.3, 2.7)]
    assert turned[0].to_numpy() == pytest.approx(turned[1].to_numpy(), rel=1e-9)


def test_errors_are_finite_at_extreme_settings():
    for law in (
        LAW,
        AnswerLaw(range(3), (1e-300,), (1.0,), 1e-9),
        AnswerLaw(range(21), (50.0,), (1.0,), 1.0),
    ):
        for m, n, epsilon, deviation in product((1, 2**53), (1, 500), (1e-6, 300.0), (1e-3, 2.0)):
            crowd = {"n_workers": m, "n_tasks": n, "prior_mean": 2.0, "prior_deviation": deviation}
            found = row_errors(law, epsilon=epsilon, **crowd)
            assert (np.isfinite(found) & (found >= 0)).all()


def test_impossible_crowds_are_refused():
    for name, bad in (
        ("n_workers", 0),
        ("n_tasks", 0),
        ("epsilon", 0.0),
        ("prior_mean", 5.0),
        ("prior_deviation", 0.0),
        ("prior_deviation", 1e-14),
        ("prior_deviation", 1e-16),
        ("prior_deviation", 4.1),
        ("prior_deviation", 1e20),
    ):
        with pytest.raises(ValueError, match=f"^{name} must"):
            row_errors(LAW, **{**CROWD, "epsilon": 1.0, name: bad})
    with pytest.raises(TypeError, match="law must be an AnswerLaw"):
        row_errors("law", epsilon=1.0, **CROWD)
    with pytest.raises(ValueError, match="domain must hold at least 3"):
        row_errors(AnswerLaw(range(2), (1.0,), (1.0,), 0.4), epsilon=1.0, **CROWD | {"prior_mean": 1.0})
    with pytest.raises(ValueError, match="density of the law must"):
        row_errors(AnswerLaw(range(3), (1.0,), (1.0,), 0.0), epsilon=1.0, **CROWD)


def test_reports_of_another_design_are_refused():
    limits = np.resize([-0.5, 0.5, 1.5, 2.5], (8, 4))
    many = np.ones((8, 4))
    with pytest.raises(ValueError, match="at most 2 questions"):
        infer_from_rows(many, limits, mechanism=AskedQuestions(2.0, 2), domain=range(3))
    with pytest.raises(ValueError, match="1 or -1"):
        infer_from_rows(0 * many, limits, mechanism=MixedSigns(2.0), domain=range(3))
    for silent in (np.full((8, 4), np.nan), np.where(limits < 0, 1.0, np.nan)):
        with pytest.raises(ValueError, match="on the scale"):
            infer_from_rows(silent, limits, mechanism=AskedQuestions(2.0, 4), domain=range(3))
