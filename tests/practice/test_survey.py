"""Beliefs after reports and shares of a crowd: against Bayes' rule and binomial distributions."""

import math
import subprocess
import sys
from itertools import product

import mpmath as mp
import numpy as np
import pandas as pd
import pytest
from draws import draws
from hypothesis import given, settings, strategies as st

from ldpbook.categorical_answers.frequency_oracles import k_ary_response
from ldpbook.foundations import highest_belief, lowest_belief
from ldpbook.practice import belief_after_reports, draw_response, survey_mean, survey_shares

PRIORS = st.lists(st.floats(1e-6, 1), min_size=2, max_size=6).map(lambda w: [x / sum(w) for x in w])
EPSILONS = st.floats(-3, 1).map(lambda power: 10**power)  # at 40, rounding to whole words is visible


def law(epsilon, s):
    e = mp.exp(epsilon)
    return [[(e if x == y else 1) / (e + s - 1) for y in range(s)] for x in range(s)]


@given(prior=PRIORS, epsilon=EPSILONS, data=st.data())
@settings(max_examples=draws(25, 150), deadline=None)
def test_belief_follows_bayes_rule(prior, epsilon, data):
    """With 50 digits, by the complete matrix, for up to eight reports."""
    s = len(prior)
    reports = data.draw(st.lists(st.integers(0, s - 1), max_size=8))
    with mp.workdps(50):
        weights = [mp.mpf(p) * mp.fprod(law(epsilon, s)[x][y] for y in reports) for x, p in enumerate(prior)]
        exact = [weight / mp.fsum(weights) for weight in weights]
    found = belief_after_reports(reports, prior=prior, epsilon=epsilon)
    assert found == pytest.approx([float(p) for p in exact], rel=1e-9, abs=1e-300)


@given(prior=PRIORS, epsilon=EPSILONS, data=st.data())
@settings(max_examples=draws(25, 100), deadline=None)
def test_one_report_respects_and_attains_belief_bounds(prior, epsilon, data):
    report = data.draw(st.integers(0, len(prior) - 1))
    found = belief_after_reports([report], prior=prior, epsilon=epsilon)
    assert sum(found) == pytest.approx(1)
    for x, (before, after) in enumerate(zip(prior, found, strict=True)):
        if before < 1:
            most = highest_belief(prior=before, epsilon=epsilon)
            assert lowest_belief(prior=before, epsilon=epsilon) <= after * (1 + 1e-9)
            assert after <= most * (1 + 1e-9)
            if x == report:
                assert after == pytest.approx(most, rel=1e-9)


def test_impossible_answers_stay_impossible():
    assert belief_after_reports([], prior=[0.2, 0.8], epsilon=1.0) == pytest.approx((0.2, 0.8))
    assert belief_after_reports([0] * 50, prior=[0.0, 0.4, 0.6], epsilon=40.0) == pytest.approx((0, 0.4, 0.6))
    # e^-40000 is less than the smallest float
    assert belief_after_reports([1] * 10**4, prior=[0.5, 0.5], epsilon=4.0) == (0.0, 1.0)


@given(small=st.floats(-300, -1), reports=st.integers(0, 400), epsilon=st.floats(0.5, 4))
@settings(max_examples=draws(25, 200), deadline=None)
def test_tiny_prior_counts_against_many_reports(small, reports, epsilon):
    prior = [10**small, 1 - 10**small]
    with mp.workdps(400):
        weights = [mp.mpf(prior[0]) * mp.exp(mp.mpf(epsilon) * reports), mp.mpf(prior[1])]
        exact = [float(weight / mp.fsum(weights)) for weight in weights]
    found = belief_after_reports([0] * reports, prior=prior, epsilon=epsilon)
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-307)


@pytest.mark.parametrize(("epsilon", "s"), list(product((0.3, 1.0, 4.0), (2, 3, 5))))
def test_estimates_are_unbiased_and_their_errors_are_right(epsilon, s):
    """Average over 4,000 crowds of 400, drawn by the transition matrix."""
    rng = np.random.default_rng(90)
    shares = rng.dirichlet(np.full(s, 3.0))
    matrix = np.array(law(epsilon, s), dtype=float)
    counts = rng.multinomial(400, shares @ matrix, 4000)
    found = [survey_shares(each, epsilon=epsilon) for each in counts]  # numpy's integers are accepted too
    estimate, error = np.array([[(x.share, x.error) for x in each] for each in found]).transpose(2, 0, 1)
    deviation = np.sqrt(k_ary_response(s, epsilon).variance(shares, 400) + shares * (1 - shares) / 400)
    assert (np.abs(estimate.mean(axis=0) - shares) < 4 * deviation / 4000**0.5).all()
    assert np.abs(estimate.std(axis=0) / deviation - 1).max() < 4 / 8000**0.5 * 1.2
    assert np.abs((error**2).mean(axis=0) / deviation**2 - 1).max() < 0.02
    assert estimate.sum(axis=1) == pytest.approx(np.ones(4000))


@given(
    counts=st.lists(st.integers(0, 10**6), min_size=2, max_size=8).filter(any),
    epsilon=st.floats(-2, 1.3).map(lambda power: 10**power),
)
@settings(max_examples=draws(25, 150), deadline=None)
def test_shares_invert_the_channel(counts, epsilon):
    s, n = len(counts), sum(counts)
    found = survey_shares(counts, epsilon=epsilon)
    with mp.workdps(50):
        exact = mp.matrix(law(epsilon, s)) ** -1 * mp.matrix([mp.mpf(c) / n for c in counts])
        p, q = law(epsilon, s)[0][:2]
        few = min(mp.mpf(9) / (4 * n), mp.mpf(1) / 2)
        low, high = max(q, min(few, p)), min(p, max(1 - few, q))
        errors = [
            mp.sqrt(r * (1 - r) / n) / (p - q) for r in (min(max(mp.mpf(c) / n, low), high) for c in counts)
        ]
    assert [each.share for each in found] == pytest.approx([float(x) for x in exact], rel=1e-7, abs=1e-7)
    assert [each.error for each in found] == pytest.approx([float(x) for x in errors], rel=1e-7)
    assert min(each.error for each in found) > 0


def test_zero_counts_keep_a_positive_error():
    """For six or more reports, two errors cover the share that one time in twenty shows none: about 3 / N."""
    for n in (*range(6, 60), 10**3, 10**6):
        for each in survey_shares([n, 0], epsilon=40.0):
            assert 1 - 0.05 ** (1 / n) <= 2 * each.error <= 3 / n
    assert survey_shares([1, 0], epsilon=40.0)[0].error == pytest.approx(0.5)


def test_draws_are_read_back():
    """Reports of draw_response for 3,000 workers, with seeded entropy."""
    rng = np.random.default_rng(91)
    truth = rng.choice(3, 3000, p=[0.3, 0.6, 0.1])
    sent = [draw_response(int(x), epsilon=2.0, n_symbols=3, entropy=rng.bytes) for x in truth]
    for each, share in zip(
        survey_shares(np.bincount(sent).tolist(), epsilon=2.0), (0.3, 0.6, 0.1), strict=True
    ):
        assert abs(each.share - share) < 4 * each.error


REPORTS = pd.Series(["no"] * 500 + ["yes"] * 300 + [None] * 200)
COUNTED = REPORTS.value_counts(dropna=False)


@pytest.mark.parametrize(
    "counts",
    [
        COUNTED,
        COUNTED.sort_index(ascending=False),
        REPORTS.astype("category").value_counts(dropna=False),
        {"yes": 300, None: 200, "no": 500},
        pd.Series({"no": 500, pd.NA: 200, "yes": 300}),
        pd.Series({"no": 500, pd.NaT: 200, "yes": 300, "maybe": 0}).drop("maybe"),
    ],
)
def test_counts_keep_labels_in_choice_order(counts):
    found = survey_shares(counts, epsilon=1.0, choices=["yes", "no", None])
    assert list(found) == ["yes", "no", None]
    right = [(0.242, 0.04), (0.791, 0.043), (-0.033, 0.035)]
    assert [(round(x.share, 3), round(x.error, 3)) for x in found.values()] == right
    assert tuple(found.values()) == survey_shares([300, 500, 200], epsilon=1.0)
    assert survey_shares([300, 500, 200], epsilon=1.0, choices=["yes", "no", None]) == found


def test_unreported_choice_counts_as_a_symbol():
    found = survey_shares(COUNTED, epsilon=1.0, choices=["maybe", "yes", "no", None])
    assert tuple(found.values()) == survey_shares([0, 300, 500, 200], epsilon=1.0)
    without = survey_shares(REPORTS.value_counts(), epsilon=1.0, choices=["yes", "no"])  # NULL is no symbol
    assert tuple(without.values()) == survey_shares([300, 500], epsilon=1.0)


@pytest.mark.parametrize(
    ("counts", "choices", "words"),
    [
        (REPORTS.value_counts(), ["yes", "no", None], "counts must say how many reports were NULL"),
        (REPORTS.value_counts(), None, "choices must be given where counts have labels"),
        (COUNTED, None, "choices must be given where counts have labels"),
        (COUNTED, ["yes", None], "counts must be of different choices"),
        (COUNTED, ["yes", "no"], "counts must be of different choices"),
        ({None: 3, np.nan: 4, "a": 2}, ["a", None], "counts must be of different choices"),
        ([3, 4], ["a", "b", None], "choices must be as many as counts"),
        ([3, 4], ["a", "a"], "choices must be different"),
        ([3, 4], [None, np.nan], "choices must be different"),
    ],
)
def test_labelled_counts_are_never_misread_silently(counts, choices, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        survey_shares(counts, epsilon=1.0, choices=choices)


def reported(truth, epsilon):
    """The distribution of reports, written out."""
    s = len(truth)
    return np.asarray(truth) @ ((np.eye(s) * np.expm1(epsilon) + 1) / (np.exp(epsilon) + s - 1))


@pytest.mark.parametrize(
    ("truth", "scale", "epsilon"),
    [
        ([0.1, 0.2, 0.3, 0.1, 0.1, 0.2], range(1, 6), 1.0),
        ([0.5, 0.1, 0.4], (0, 10), 2.0),
        ([0.05, 0.05, 0.1, 0.7, 0.1], (-2, -1, 0, 1), 4.0),
    ],
)
def test_mean_of_scale_has_right_error(truth, scale, epsilon):
    """Over 6,000 crowds of 3,000, drawn from `reported`; the bias, of order 1/N, is far below the spread."""
    rng = np.random.default_rng(92)
    counts = rng.multinomial(3000, reported(truth, epsilon), 6000)
    found = [survey_mean(each, epsilon=epsilon, scale=scale) for each in counts]
    mean, error = np.array([(x.mean, x.error) for x in found]).T
    exact = np.dot(truth[:-1], scale) / sum(truth[:-1])
    assert abs(mean.mean() - exact) < 4 * mean.std() / 6000**0.5 + 2 * mean.var()
    assert np.median(error) / mean.std() == pytest.approx(1, abs=4 / 12_000**0.5 + 0.01)
    z = (mean - exact) / error
    assert abs((np.abs(z) < 1).mean() - 0.6827) < 4 * (0.6827 * 0.3173 / 6000) ** 0.5 + 0.01


def test_error_of_mean_follows_from_covariance():
    """By finite differences of the estimate and the covariance of multinomial counts, to 50 digits."""
    counts, epsilon, scale = [140, 150, 250, 300, 160, 180], 1.3, range(1, 6)  # report shares between q and p
    n, e = sum(counts), mp.exp(mp.mpf(epsilon))
    with mp.workdps(50):
        p, q = e / (e + 5), 1 / (e + 5)

        def ratio(*shares):
            f = [(share - q) / (p - q) for share in shares]
            return mp.fdot(f[:-1], scale) / (1 - f[-1])

        r = [mp.mpf(each) / n for each in counts]
        slopes = [mp.diff(ratio, tuple(r), tuple(int(j == k) for j in range(6))) for k in range(6)]
        # 1 - f of NULL and the sum of the others are one where shares add up to 1.
        variance = (mp.fdot(r, [s**2 for s in slopes]) - mp.fdot(r, slopes) ** 2) / n
        found = survey_mean(counts, epsilon=epsilon, scale=scale)
        assert found.mean == pytest.approx(float(ratio(*r)), rel=1e-10)
        assert found.error == pytest.approx(float(mp.sqrt(variance)), rel=1e-8)
    null = survey_shares(counts, epsilon=epsilon)[-1]
    assert (found.answered.share, found.answered.error) == (1 - null.share, null.error)


def test_mean_of_no_one_is_nan():
    found = survey_mean([10, 10, 80], epsilon=1.0, scale=[0, 1])
    assert math.isnan(found.mean)
    assert found.error == math.inf
    assert found.answered.share < 0
    assert survey_mean([100, 0, 0], epsilon=40.0, scale=[0, 1]).error > 0  # this may be luck


@pytest.mark.parametrize(
    ("counts", "scale", "kind", "words"),
    [
        ([5, 5], [1, 2], ValueError, "counts must be those of 2 numbers and of NULL"),
        ([5, 5, 5], "12", TypeError, "scale must be iterable"),
        ([5, 5, 5], [1, np.nan], ValueError, "scale must be a finite"),
        ([5, 5, 5], [1, "2"], TypeError, "scale must be a finite"),
        ([0, 0, 0], [1, 2], ValueError, "counts must be"),
    ],
)
def test_means_of_nonsense_are_refused(counts, scale, kind, words):
    with pytest.raises(kind, match=words):
        survey_mean(counts, epsilon=1.0, scale=scale)


@pytest.mark.parametrize(
    ("wrong", "kind", "words"),
    [
        (dict(reports=[3]), ValueError, r"reports must lie in 0\.\.2, got 3"),
        (dict(reports=[-1]), ValueError, "reports must lie"),
        (dict(reports=[True]), TypeError, "reports must be integers"),
        (dict(reports=[1.0]), TypeError, "reports must be integers"),
        (dict(reports=1), TypeError, "reports must be iterable"),
        (dict(prior=[0.5, 0.6]), ValueError, "prior must hold"),
        (dict(prior=[1.0]), ValueError, "prior must hold"),
        (dict(prior=[1.5, -0.5]), ValueError, "prior must lie"),
        (dict(prior=["a", "b"]), TypeError, "prior must lie"),
        (dict(epsilon=0.0), ValueError, "epsilon must be"),
        (dict(epsilon="1"), TypeError, "epsilon must be"),
    ],
)
def test_a_belief_from_nonsense_is_refused(wrong, kind, words):
    with pytest.raises(kind, match=words):
        belief_after_reports(**(dict(reports=[0], prior=[0.3, 0.6, 0.1], epsilon=1.0) | wrong))


@pytest.mark.parametrize(
    ("counts", "epsilon", "kind", "words"),
    [
        ([0, 0], 1.0, ValueError, "counts must be"),
        ([5], 1.0, ValueError, "counts must be"),
        ([], 1.0, ValueError, "counts must be"),
        ([5, -1], 1.0, ValueError, "counts must be"),
        ([5, 1.5], 1.0, TypeError, "counts must be"),
        ([5, False], 1.0, TypeError, "counts must be"),
        (np.ones((2, 2)), 1.0, TypeError, "counts must be"),
        ("55", 1.0, TypeError, "counts must be"),
        ([5, 5], -1.0, ValueError, "epsilon must be"),
        ([5, 5], 1e-19, ValueError, "epsilon must be larger"),
    ],
)
def test_shares_of_nonsense_are_refused(counts, epsilon, kind, words):
    with pytest.raises(kind, match=words):
        survey_shares(counts, epsilon=epsilon)


def test_survey_needs_the_standard_library_only():
    code = "import sys; sys.modules.update(dict.fromkeys(['numpy', 'scipy', 'pandas'])); "
    subprocess.run([sys.executable, "-c", code + "import ldpbook.practice.survey"], check=True)
