"""The errors to be expected of every mechanism, and how large a crowd must be."""

import mpmath
import numpy as np
import pandas as pd
import pytest
from draws import draws
from hypothesis import given, settings, strategies as st
from scipy import integrate
from scipy.special import gammaln
from scipy.stats import norm

import ldpbook.remedies
from ldpbook.foundations import infer_truth
from ldpbook.guide import expected_errors, recommend, workers_needed
from ldpbook.remedies import AnswerLaw, Survey, infer_from_counts, next_thresholds, question_thresholds
from ldpbook.whole_worker import AskedQuestions, row_designs
from ldpcourse.runs import stored
from ldpcourse.runs.remedies import drawn_setting

LAW = AnswerLaw(domain=range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.1)
PRIOR = {"prior_mean": 4.5, "prior_deviation": 1.0}
FORETOLD = ["RR, Algorithm 1", "RR, decoded", "LP, Algorithm 1", "LP, decoded", "threshold response"]


def rounded_law(truth: float, sigma: float, size: int) -> list[float]:
    """By the error function: chances of 0..size - 1 for a normal answer, rounded and cut off."""
    beyond = [mpmath.ncdf((truth - k - 0.5) / sigma) for k in range(size - 1)]
    return [float(a - b) for a, b in zip([1, *beyond], [*beyond, 0], strict=True)]


def expected(error, mean: float, deviation: float) -> float:
    """Mean of an error over a normal truth, by quadrature."""
    return integrate.quad(
        lambda mu: error(mu) * norm.pdf(mu, mean, deviation),
        mean - 8 * deviation,
        mean + 8 * deviation,
        limit=200,
    )[0]


@pytest.mark.parametrize(
    ("epsilon", "density", "mean", "sigma"),
    [(0.05, 0.02, 3.0, 0.7), (1.0, 0.3, 1.5, 2.0), (9.0, 1.0, 5.0, 1.0)],
)
def test_a_very_large_crowd_is_left_with_the_bias_alone(epsilon, density, mean, sigma):
    """One kind of workers, so that Algorithm 1 is a plain mean; all from the definitions."""
    size, law = 8, AnswerLaw(range(8), (sigma,), (1.0,), density)
    found = expected_errors(
        law, n_workers=2**53, n_tasks=100, epsilon=epsilon, prior_mean=mean, prior_deviation=0.8
    )
    values, answer = np.arange(size), lambda mu: np.dot(rounded_law(mu, sigma, size), np.arange(size))
    p, q = np.array([np.exp(epsilon), 1.0]) / (np.exp(epsilon) + size)

    def rr(mu: float) -> float:
        reported = q * values.sum() + (p - q) * density * answer(mu)
        return abs(reported / (q * size + (p - q) * density) - mu)

    assert found["RR, Algorithm 1"] == pytest.approx(expected(rr, mean, 0.8), rel=5e-3)
    laplace = expected(lambda mu: abs(density * answer(mu) + (1 - density) * values.mean() - mu), mean, 0.8)
    assert found["LP, Algorithm 1"] == pytest.approx(laplace, rel=5e-3)
    decoded = expected(lambda mu: abs(answer(mu) - mu), mean, 0.8)
    assert found["RR, decoded"] == pytest.approx(decoded, rel=0.02, abs=1e-3)
    assert found["LP, decoded"] == pytest.approx(decoded, rel=0.02, abs=1e-3)
    assert found["threshold response"] < 1e-3
    assert found["constant"] == pytest.approx(expected(lambda mu: abs(mu - mean), mean, 0.8), rel=1e-6)
    level = expected(answer, mean, 0.8)
    ones = expected(lambda mu: abs(level - mu), mean, 0.8)
    assert found["MF, Algorithm 1"] == pytest.approx(ones, rel=5e-3)


def test_a_crowd_of_one_says_nothing():
    found = expected_errors(LAW, n_workers=1, n_tasks=50, epsilon=1e-3, **PRIOR)
    assert found["threshold response"] == pytest.approx(found["constant"], rel=0.01)  # centred: 4.5
    assert found["RR, Algorithm 1"] > found["constant"]


def error_of_all_counts(
    epsilon: float, density: float, sigma: float, mean: float, deviation: float, m: int
) -> float:
    """Mean error of the posterior mean over every count of reports, for two answers and one threshold."""
    mu = mean + deviation * np.linspace(-6, 6, 241)
    prior = norm.pdf(mu, mean, deviation) / norm.pdf(mu, mean, deviation).sum()
    keep, turn = np.array([np.exp(epsilon), 1.0]) / (np.exp(epsilon) + 2)
    answer = density * norm.cdf((mu - 0.5) / sigma)
    reports = np.array([turn + (keep - turn) * answer, turn + (keep - turn) * (density - answer)])
    above, below = (k.ravel() for k in np.indices((m + 1, m + 1)))
    above, below = above[above + below <= m], below[above + below <= m]
    rest = m - above - below
    ways = gammaln(m + 1) - gammaln(above + 1) - gammaln(below + 1) - gammaln(rest + 1)
    chance = np.outer(above, np.log(reports[0])) + np.outer(below, np.log(reports[1]))
    chance += np.outer(rest, np.log(1 - reports.sum(axis=0))) + ways[:, None]
    joint = np.exp(chance) * prior
    found = joint @ mu / (joint.sum(axis=1) + 1e-300)
    return float((joint * np.abs(found[:, None] - mu)).sum())


@pytest.mark.parametrize(
    ("epsilon", "density", "sigma", "mean", "deviation"),
    [
        (2.0, 0.4, 1.5, 0.7, 0.6),
        (3.0, 0.9, 1.5, 0.5, 1.0),
        (1.0, 0.8, 0.7, 0.2, 0.9),
        (3.0, 0.9, 0.5, 0.5, 1.0),
        (2.0, 0.9, 1.0, 0.5, 0.01),
    ],
)
def test_one_threshold_does_what_all_counts_of_its_reports_say(epsilon, density, sigma, mean, deviation):
    """Two answers, so that every phase asks the same; truths on both sides of what the reports can tell."""
    law = AnswerLaw(range(2), (sigma,), (1.0,), density)
    found = expected_errors(
        law, n_workers=300, n_tasks=10**12, epsilon=epsilon, prior_mean=mean, prior_deviation=deviation
    )
    exact = error_of_all_counts(epsilon, density, sigma, mean, deviation, 300)
    assert found["threshold response"] == pytest.approx(exact, rel=0.015)


def test_kinds_of_workers_weigh_as_algorithm_1_says():
    """Two kinds at a single truth, where the fixed point is that of four numbers."""
    law = AnswerLaw(range(21), (0.5, 4.0), (0.25, 0.75), 1.0)
    epsilon, mean = 6.0, 10.0
    found = expected_errors(
        law, n_workers=4000, n_tasks=10, epsilon=epsilon, prior_mean=mean, prior_deviation=1e-3
    )
    laws = np.array([rounded_law(mean, sigma, 21) for sigma in law.sigmas])
    variance = laws @ (np.arange(21) - mean) ** 2 + 2 * (21 / epsilon) ** 2
    weights = np.array(law.shares) / np.sqrt(variance)
    spread = np.array(law.shares) @ (variance / variance) / weights.sum() ** 2 / 4000
    assert found["LP, Algorithm 1"] == pytest.approx(np.sqrt(2 / np.pi * spread), rel=1e-3)


@settings(max_examples=draws(3, 8), deadline=None)
@given(
    size=st.integers(2, 8),
    density=st.floats(0.02, 1),
    epsilon=st.floats(0.1, 8),
    place=st.floats(0, 1),
    n_workers=st.integers(1, 10**6),
)
def test_no_mechanism_is_expected_to_pass_the_limit(size, density, epsilon, place, n_workers):
    law = AnswerLaw(range(size), (1.0, 3.0), (0.5, 0.5), density)
    table = recommend(
        law,
        n_workers=n_workers,
        n_tasks=40,
        epsilon=epsilon,
        prior_mean=place * (size - 1),
        prior_deviation=1.0,
    )
    assert table["error"].is_monotonic_increasing
    assert table["error"]["limit, kinds known"] <= table["error"]["limit, unlinked"]
    assert table["error"]["limit, unlinked"] <= table["error"]["threshold response"] * (1 + 1e-6)
    assert list(table.index[~table["protects_null"]]) == ["MF, Algorithm 1"]


@pytest.mark.parametrize(
    ("crowd", "simulated", "error"),
    # Workers, tasks, density, answers, prior mean, epsilon; MAE of simulated surveys and its standard error.
    [
        ((2000, 20, 0.1, 10, 2.0, 0.5), 0.967, 0.106),
        ((300, 100, 0.1, 10, 2.0, 0.3), 1.251, 0.271),
    ],
)
def test_a_crowd_that_cannot_learn_its_own_law_is_worse_than_the_constant(crowd, simulated, error):
    n_workers, n_tasks, density, size, mean, epsilon = crowd
    law = AnswerLaw(range(size), (1.0, 5.0), (0.5, 0.5), density)
    found = expected_errors(
        law, n_workers=n_workers, n_tasks=n_tasks, epsilon=epsilon, prior_mean=mean, prior_deviation=1.0
    )
    assert found["threshold response"] > found["constant"]
    assert abs(found["threshold response"] - simulated) < 2 * error


def test_twenty_crowds_drawn_at_random_are_foretold():
    """Kept simulations of settings that were drawn after the formulas were written."""
    errors = stored("drawn-crowds").groupby("trial")
    off = pd.DataFrame(
        {trial: foretold(trial)[FORETOLD] / rows[FORETOLD].mean() - 1 for trial, rows in errors}
    )
    assert off.shape == (5, 20)
    assert off.abs().max().max() < 0.15


def foretold(trial: int) -> pd.Series:
    drawn = drawn_setting(trial)
    sigmas, shares = (drawn["careful"], drawn["other"]), (drawn["share"], 1 - drawn["share"])
    law = AnswerLaw(range(drawn["size"]), sigmas, shares, drawn["density"])
    return expected_errors(
        law,
        n_workers=drawn["n_workers"],
        n_tasks=drawn["n_tasks"],
        epsilon=drawn["epsilon"],
        prior_mean=drawn["truth_mean"],
        prior_deviation=drawn["deviation"],
    )


@pytest.mark.parametrize(("error", "epsilon"), [(0.7, 0.5), (0.2, 1.0), (0.01, 3.0)])
def test_the_crowd_that_is_needed_is_the_least(error, epsilon):
    n_workers = workers_needed(LAW, error=error, n_tasks=200, epsilon=epsilon, **PRIOR)
    at, below = (
        expected_errors(LAW, n_workers=m, n_tasks=200, epsilon=epsilon, **PRIOR)["threshold response"]
        for m in (n_workers, n_workers - 1)
    )
    assert at <= error < below


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("epsilon", [1e-9, 1.0, 300.0])
@pytest.mark.parametrize("density", [1e-9, 1.0])
@pytest.mark.parametrize("sigma", [1e-300, 1e300])
def test_extreme_crowds_have_finite_errors_that_decoding_keeps_within_the_scale(epsilon, density, sigma):
    law = AnswerLaw(range(10), (sigma, 1.0), (0.5, 0.5), density)
    for n_workers in (1, 2**53):
        found = expected_errors(law, n_workers=n_workers, n_tasks=1, epsilon=epsilon, **PRIOR)
        assert np.isfinite(found).all()
        assert found.filter(like="decoded").max() < 9
        assert found["threshold response"] < 9


@pytest.mark.parametrize(
    ("size", "sigma", "density", "n_workers", "deviation"),
    [(3, 0.5, 1.0, 5000, 2.0), (10, 1.0, 0.9, 100, 9.0)],
)
def test_a_weaker_promise_makes_no_error_larger(size, sigma, density, n_workers, deviation):
    """Up to where a lie is less probable than the rounding of doubles, and truths far from all thresholds."""
    law = AnswerLaw(range(size), (sigma,), (1.0,), density)
    crowd = {"n_workers": n_workers, "n_tasks": 100, "prior_mean": 1.0, "prior_deviation": deviation}
    errors = [expected_errors(law, epsilon=epsilon, **crowd) for epsilon in (30.0, 40.0, 100.0, 300.0)]
    for weaker in errors[1:]:
        assert weaker["threshold response"] == pytest.approx(errors[0]["threshold response"], rel=1e-5)
        assert np.isfinite(weaker).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("deviation", [3.0, 9.0])
@pytest.mark.parametrize("epsilon", [40.0, 300.0])
def test_without_empty_cells_and_noise_nothing_is_nan(deviation, epsilon):
    crowd = {"n_workers": 100, "n_tasks": 50, "prior_mean": 4.5, "prior_deviation": deviation}
    for sigma in (1e-6, 0.1, 1.0):
        found = expected_errors(AnswerLaw(range(10), (sigma,), (1.0,), 1.0), epsilon=epsilon, **crowd)
        assert np.isfinite(found).all()


def test_only_the_distance_from_the_ends_of_the_scale_matters():
    crowd = {"n_workers": 500, "n_tasks": 30, "epsilon": 1.0, "prior_deviation": 1.0}
    here = expected_errors(LAW, prior_mean=2.0, **crowd)
    for far in (-(10**6), 10**12):
        there = AnswerLaw(range(far, far + 10), LAW.sigmas, LAW.shares, LAW.density)
        pd.testing.assert_series_equal(expected_errors(there, prior_mean=far + 2.0, **crowd), here)


def test_nobody_is_needed_for_what_the_constant_gives():
    assert workers_needed(LAW, error=0.9, n_tasks=50, epsilon=1.0, **PRIOR) == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"law": AnswerLaw(range(3), (1.0,), (1.0,), 0.0)}, "density"),
        ({"law": AnswerLaw(range(3), (1.0,), (1.0,), 1e-300)}, "density"),
        ({"epsilon": 1e-300}, "epsilon"),
        ({"law": AnswerLaw(range(1), (1.0,), (1.0,), 0.5)}, "domain"),
        ({"law": AnswerLaw(range(30), (1.0,), (1.0,), 0.5)}, "domain"),
        ({"epsilon": 301.0}, "epsilon"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"prior_deviation": 1e-4}, "prior_deviation"),
        ({"prior_deviation": 9.5}, "prior_deviation"),
        ({"prior_mean": -0.1}, "prior_mean"),
        ({"n_workers": 0}, "n_workers"),
        ({"n_tasks": 0}, "n_tasks"),
    ],
)
def test_what_cannot_be_is_refused(wrong, message):
    given_ = {"law": LAW, "n_workers": 10, "n_tasks": 10, "epsilon": 1.0, **PRIOR}
    for function in (expected_errors, recommend):
        with pytest.raises(ValueError, match=message):
            function(**(given_ | wrong))


def test_a_law_is_an_answer_law():
    with pytest.raises(TypeError, match="law must be an AnswerLaw"):
        workers_needed([0.5, 0.5], error=0.1, n_tasks=5, epsilon=1.0, **PRIOR)
    with pytest.raises(ValueError, match="error must be within reach"):
        workers_needed(
            AnswerLaw(range(3), (1.0,), (1.0,), 1e-9),
            error=1e-9,
            n_tasks=5,
            epsilon=0.01,
            prior_mean=1.0,
            prior_deviation=1.0,
        )


def test_a_question_a_worker_is_a_smaller_crowd_with_the_whole_budget():
    """Cells are answered independently, so one task of each of many workers is as good as all of few."""
    law = AnswerLaw(range(10), (1.0, 5.0), (0.5, 0.5), 0.1)
    known = {"n_tasks": 200, "epsilon": 2.0, "prior_mean": 4.5, "prior_deviation": 1.0}
    row = recommend(law, n_workers=4_000_000, unit="worker", **known)
    cells = expected_errors(law, n_workers=20_000, **known)
    assert row.error["threshold response"] == pytest.approx(cells["threshold response"])
    assert row.error["limit, whole rows"] == row.error.min()


def test_designs_without_a_decoder_have_no_rank():
    """The package's functions are the only decoders there are; the others are limits and the constant."""
    law = AnswerLaw(range(5), (1.0,), (1.0,), 0.1)
    crowd = {"n_workers": 10_000, "n_tasks": 100, "prior_mean": 2.0, "prior_deviation": 0.5}
    row = recommend(law, epsilon=2.0, unit="worker", **crowd)
    assert list(row.index[:3]) == ["limit, whole rows", "threshold response", "constant"]
    assert sorted(row.index[3:]) == ["mixed", "own answer"]
    assert row.error.isna().tolist() == [False] * 3 + [True] * 2
    assert set(row.assumes[3:]) == {"no decoder, see row_designs"}
    for table in (row, recommend(law, epsilon=2.0, **crowd)):
        run = table[table.decoder != ""]
        assert all(callable(getattr(ldpbook.remedies, name, infer_truth)) for name in run.decoder)
        left = set(table.index) - set(run.index)
        assert all(name == "constant" or name.startswith("limit") for name in left - set(row.index[3:]))
        assert table.assumes[table.index.str.startswith("limit")].str.endswith("any mechanism").all()
        assert run.assumes["threshold response"] == "law known, prior learned"


def test_questions_to_workers_are_read_with_about_the_error_told():
    """Three phases of asked questions, counted and decoded as a user would; forty truths."""
    law, n_workers, n_tasks, epsilon = AnswerLaw(range(5), (1.0,), (1.0,), 0.4), 20_000, 40, 2.0
    rng = np.random.default_rng(86)
    truth = rng.normal(2.0, 0.7, n_tasks)
    answers = np.clip(np.rint(truth + rng.normal(size=(n_workers, n_tasks))), 0, 4)
    answers[rng.random(answers.shape) > law.density] = np.nan
    survey = Survey.start(n_tasks, epsilon=epsilon, domain=law.domain)
    for rows in np.split(answers, [n_workers // 10, 3 * n_workers // 10]):
        limits = np.resize(next_thresholds(survey), rows.shape)
        reports = AskedQuestions(epsilon).perturb(rows, limits, rng)
        for k, threshold in enumerate(question_thresholds(law.domain)):
            for symbol, side in enumerate((-1, 1, 0)):
                survey.counts[k, :, symbol] += ((limits == threshold) & (reports == side)).sum(axis=0)
    assert survey.counts.sum() == n_workers  # one report each
    off = np.abs(infer_from_counts(survey.counts, epsilon=epsilon, domain=law.domain).truth - truth)
    crowd = {"n_workers": n_workers, "n_tasks": n_tasks, "prior_mean": 2.0, "prior_deviation": 0.7}
    told = recommend(law, epsilon=epsilon, unit="worker", **crowd).error
    error = off.std() / n_tasks**0.5
    assert abs(off.mean() - told["threshold response"]) < 3 * error < told["constant"] / 10


@pytest.mark.parametrize("epsilon", [2.0, 12.0])
def test_questions_and_limit_for_rows_are_in_answer_units(epsilon):
    """Reports are dealt to tasks in turn; the limit goes by the mean of 1 / sigma^2."""
    law, deviation, n_tasks, n_workers = AnswerLaw(range(10), (1.0, 5.0), (0.8, 0.2), 0.1), 1.7, 200, 9_990
    prior = {"prior_mean": 4.5, "prior_deviation": deviation}
    crowd = {"n_tasks": n_tasks, "n_workers": n_workers}
    found = recommend(law, **crowd, epsilon=epsilon, **prior, unit="worker").error
    known = row_designs(**crowd, epsilon=epsilon, density=0.1, sigma=(0.8 + 0.2 / 25) ** -0.5 / deviation)
    assert found["limit, whole rows"] == pytest.approx(deviation * known.error["limit"])
    asked = 1 if epsilon == 2 else 3
    reports = sum(1 for k in range(n_workers * asked) if k % n_tasks == n_tasks - 1)  # dealt out in turn
    cells = expected_errors(law, n_tasks=n_tasks, n_workers=reports, epsilon=epsilon / asked, **prior)
    assert found["threshold response"] == pytest.approx(cells["threshold response"])


@pytest.mark.parametrize(("unit", "error"), [("person", ValueError), (1, TypeError)])
def test_no_other_unit(unit, error):
    law = AnswerLaw(range(5), (1.0,), (1.0,), 0.5)
    crowd = {"n_workers": 10, "n_tasks": 3, "epsilon": 1.0, "prior_mean": 2.0, "prior_deviation": 1.0}
    with pytest.raises(error, match="unit must be one of cell, worker"):
        recommend(law, **crowd, unit=unit)
