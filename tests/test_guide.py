"""The expected errors of every mechanism, and the required size of a crowd."""

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
from ldpbook.guide import Plan, expected_errors, recommend, workers_needed
from ldpbook.remedies import (
    AnswerLaw,
    ThresholdResponse,
    infer_means,
    infer_with_thresholds,
    interpolated_median,
    known_types_limit,
)
from ldpbook.remedies._foretold import checked, in_phases
from ldpbook.sparse_answers import RandomizedResponse
from ldpbook.whole_worker import infer_from_rows, row_designs, row_errors
from ldpcourse.runs import stored
from ldpcourse.runs.remedies import drawn_setting

LAW = AnswerLaw(domain=range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.1)
PRIOR = {"prior_mean": 4.5, "prior_deviation": 1.0}
FORETOLD = ["RR, Algorithm 1", "RR, decoded", "LP, Algorithm 1", "LP, decoded", "threshold response"]


def rounded_law(truth: float, sigma: float, size: int) -> list[float]:
    """Probabilities of 0..size - 1 for a normal answer, rounded and clipped, by the error function."""
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
def test_very_large_crowd_has_only_bias(epsilon, density, mean, sigma):
    """With one kind of worker Algorithm 1 is a plain mean; all values follow from the definitions."""
    size, law = 8, AnswerLaw(range(8), (sigma,), (1.0,), density)
    found = expected_errors(
        law,
        n_workers=2**53,
        n_tasks=100,
        epsilon=epsilon,
        prior_mean=mean,
        prior_deviation=0.8,
        target="truth",
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
    beyond = expected(lambda mu: abs(np.clip(mu, -0.5, 7.5) - mu), mean, 0.8)  # the ends of the estimates
    assert beyond * 0.98 < found["threshold response"] < beyond + 1e-3
    assert found["constant"] == pytest.approx(expected(lambda mu: abs(mu - mean), mean, 0.8), rel=1e-6)
    level = expected(answer, mean, 0.8)
    ones = expected(lambda mu: abs(level - mu), mean, 0.8)
    assert found["MF, Algorithm 1"] == pytest.approx(ones, rel=5e-3)


def test_crowd_of_one_is_uninformative():
    found = expected_errors(LAW, n_workers=1, n_tasks=50, epsilon=1e-3, **PRIOR)
    # Without information the survey estimates 4.5, the middle of the scale, as the constant does.
    assert found["threshold response"] == pytest.approx(found["constant"], rel=0.01)
    assert found["RR, Algorithm 1"] > found["constant"]


def error_of_all_counts(
    epsilon: float, density: float, sigma: float, mean: float, deviation: float, m: int
) -> float:
    """Mean error of the clipped posterior mean, over every count of reports to one threshold."""
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
    found = np.clip(joint @ mu / (joint.sum(axis=1) + 1e-300), -0.5, 1.5)  # as surveys do
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
def test_one_threshold_agrees_with_enumerated_counts(epsilon, density, sigma, mean, deviation):
    """With two answers every phase asks about one threshold; reports cannot resolve some of the truths."""
    law, _, truths = checked(AnswerLaw(range(2), (sigma,), (1.0,), density), epsilon, mean, deviation)
    found = in_phases(law, epsilon, 300, 10**12, truths, truths, (0.1, 0.2, 0.7))
    exact = error_of_all_counts(epsilon, density, sigma, mean, deviation, 300)
    assert found == pytest.approx(exact, rel=0.015)


def test_kinds_of_workers_are_weighted_by_algorithm_1():
    """Two kinds at a single truth, where the fixed point has only four numbers."""
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
    size=st.integers(3, 8),
    density=st.floats(0.02, 1),
    epsilon=st.floats(0.1, 8),
    place=st.floats(0, 1),
    n_workers=st.integers(1, 10**6),
)
def test_no_mechanism_is_expected_to_pass_the_limit(size, density, epsilon, place, n_workers):
    law = AnswerLaw(range(size), (1.0, 3.0), (0.5, 0.5), density)
    crowd = {"n_workers": n_workers, "prior_mean": place * (size - 1), "prior_deviation": 1.0}
    plan = recommend(law, n_tasks=40, epsilon=epsilon, target="truth", **crowd)
    errors, limit = plan.mechanisms["error"], plan.bounds["error"]["limit"]
    assert errors.is_monotonic_increasing
    # The plan takes the limit from a coarser rule than the function's; it is rather too small than too large.
    assert limit == pytest.approx(known_types_limit(law, epsilon=epsilon, **crowd), rel=5e-3)
    assert limit <= errors["threshold response"] * (1 + 1e-3)
    assert list(errors.index[plan.mechanisms["unit"] != "cell"]) == ["MF, Algorithm 1"]


@pytest.mark.parametrize(
    ("crowd", "simulated", "error"),
    # Workers, tasks, density, answers, prior mean, epsilon; MAE of simulated surveys and its standard error.
    [
        ((2000, 20, 0.1, 10, 2.0, 0.5), 0.967, 0.106),
        ((300, 100, 0.1, 10, 2.0, 0.3), 1.251, 0.271),
    ],
)
def test_small_crowd_is_worse_than_the_constant(crowd, simulated, error):
    n_workers, n_tasks, density, size, mean, epsilon = crowd
    law = AnswerLaw(range(size), (1.0, 5.0), (0.5, 0.5), density)
    found = expected_errors(
        law,
        n_workers=n_workers,
        n_tasks=n_tasks,
        epsilon=epsilon,
        prior_mean=mean,
        prior_deviation=1.0,
        target="truth",
    )
    assert found["threshold response"] > found["constant"]
    assert abs(found["threshold response"] - simulated) < 2 * error


def test_errors_of_twenty_random_crowds_are_predicted():
    """Kept simulations of settings that were drawn after all formulas but that for clipped estimates."""
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
        target="truth",
    )


@pytest.mark.parametrize(("error", "epsilon"), [(0.7, 0.5), (0.2, 1.0), (0.01, 3.0)])
def test_needed_crowd_is_the_smallest(error, epsilon):
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
def test_extreme_crowds_have_finite_bounded_errors(epsilon, density, sigma):
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
    """Up to epsilons whose lies are rarer than rounding of doubles, and for truths far from thresholds."""
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


def test_only_distance_from_scale_ends_matters():
    crowd = {"n_workers": 500, "n_tasks": 30, "epsilon": 1.0, "prior_deviation": 1.0}
    here = expected_errors(LAW, prior_mean=2.0, **crowd)
    for far in (-(10**6), 10**12):
        there = AnswerLaw(range(far, far + 10), LAW.sigmas, LAW.shares, LAW.density)
        pd.testing.assert_series_equal(expected_errors(there, prior_mean=far + 2.0, **crowd), here)


def test_no_crowd_is_needed_for_constant_error():
    assert workers_needed(LAW, error=0.9, n_tasks=50, epsilon=1.0, **PRIOR) == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"law": AnswerLaw(range(3), (1.0,), (1.0,), 0.0)}, "density"),
        ({"law": AnswerLaw(range(3), (1.0,), (1.0,), 1e-300)}, "density"),
        ({"epsilon": 1e-300}, "epsilon"),
        ({"law": AnswerLaw(range(1), (1.0,), (1.0,), 0.5)}, "domain"),
        ({"law": AnswerLaw(range(102), (1.0,), (1.0,), 0.5)}, "domain"),
        ({"target": "mode"}, "target must be one of median, mean, truth"),
        (
            {
                "law": AnswerLaw(range(2), (1.0,), (1.0,), 0.5),
                "target": "median",
                "prior_mean": 0.5,
                "prior_deviation": 0.5,
            },
            "target must be 'mean'",
        ),
        ({"law": AnswerLaw(range(22), (1.0,), (1.0,), 0.5), "target": "truth"}, "target must be 'mean'"),
        ({"epsilon": 301.0}, "epsilon"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"prior_deviation": 1e-4}, "prior_deviation"),
        ({"prior_deviation": 9.5}, "prior_deviation"),
        ({"prior_mean": -0.1}, "prior_mean"),
        ({"n_workers": 0}, "n_workers"),
        ({"n_tasks": 0}, "n_tasks"),
    ],
)
def test_impossible_settings_are_refused(wrong, message):
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


FIVE = AnswerLaw(range(5), (1.0,), (1.0,), 0.4)
FIVE_CROWD = {"n_workers": 2_000, "n_tasks": 40, "epsilon": 2.0, "prior_mean": 2.0, "prior_deviation": 0.7}


def answers_of(law: AnswerLaw, n_workers: int, n_tasks: int, mean: float, deviation: float, rng):
    """A crowd as assumed, all workers of one kind, and its truths."""
    truth = rng.normal(mean, deviation, n_tasks)
    answers = np.rint(truth + law.sigmas[0] * rng.normal(size=(n_workers, n_tasks)))
    answers = np.clip(answers, law.domain[0], law.domain[-1])
    answers[rng.random(answers.shape) > law.density] = np.nan
    return answers, truth


def surveyed(plan: Plan, answers: np.ndarray):
    """The survey after all phases of a plan."""
    survey = None
    ends = np.rint(np.cumsum(plan.phases)[:-1] * len(answers)).astype(int)
    for rows in np.split(answers, ends):
        thresholds = plan.ask(survey)
        survey = plan.add(survey, plan.release(rows, thresholds), thresholds)
    return survey


def test_a_plan_is_a_sentence_and_two_tables():
    plan = recommend(FIVE, **FIVE_CROWD)
    error = plan.mechanisms.error["threshold response"]
    least, most = plan.off_by_half
    assert plan.sentence == (
        f"Ask threshold responses in three phases. The median of a task's answers will be off by {error:.3g}"
        f" on average; by {least:.2g} to {most:.2g} if errors, density or spread of truths are wrong by half."
        f" Saying 2.0 for every task would be off by {plan.bounds.error['constant']:.3g}. Epsilon 2 protects"
        " one answer of a person and whether there is one, not the person."
    )
    assert str(plan).startswith(plan.sentence + "\n\n")
    assert str(plan).index("infer_medians") < str(plan).index("constant")
    assert list(plan.mechanisms.columns) == ["error", "assumes", "decoder", "unit"]
    assert list(plan.bounds.index) == ["constant", "limit"]
    assert plan.error == error == expected_errors(FIVE, **FIVE_CROWD)["threshold response"]
    assert isinstance(plan.response, ThresholdResponse)


@pytest.mark.parametrize("law", [FIVE, LAW, AnswerLaw(range(101), (15.0,), (1.0,), 0.8)])
def test_range_covers_guesses_off_by_half(law):
    crowd = FIVE_CROWD | {"epsilon": 6.0}
    plan = recommend(law, **crowd)
    errors = [plan.error]
    for a, b, c in np.ndindex(2, 2, 2):
        guess = AnswerLaw(
            law.domain,
            tuple((0.5 + a) * sigma for sigma in law.sigmas),
            law.shares,
            min(1.0, (0.5 + b) * law.density),
        )
        off = crowd | {"prior_deviation": 0.7 * (0.5 + c)}
        errors.append(expected_errors(guess, **off)[plan.mechanism or "RR, decoded"])
    assert plan.off_by_half == pytest.approx((min(errors), max(errors)))
    assert plan.off_by_half[0] <= plan.error <= plan.off_by_half[1]


def test_useless_survey_is_not_planned():
    plan = recommend(FIVE, **FIVE_CROWD | {"n_workers": 20, "epsilon": 0.5})
    assert plan.sentence.startswith(
        f"Do not ask. The best plan, threshold responses in three phases, would be off by {plan.error:.3g};"
        f" saying 2.0 for every task, by {plan.bounds.error['constant']:.3g}."
    )
    assert "Epsilon 0.5 would protect one answer" in plan.sentence
    assert plan.error >= 0.9 * plan.bounds.error["constant"]
    assert plan.mechanism == ""
    assert plan.response is None
    for run in (plan.ask, lambda: plan.release([[1.0]]), lambda: plan.estimate([[1.0]])):
        with pytest.raises(ValueError, match=r"nothing to run: Do not ask\."):
            run()


def test_survey_is_planned_for_a_tenth_improvement():
    errors = {}
    for n_workers in (10, 20, 40, 80, 160):
        plan = recommend(FIVE, **FIVE_CROWD | {"n_workers": n_workers, "epsilon": 1.0})
        errors[plan.error / plan.bounds.error["constant"]] = plan.mechanism
    assert min(errors) < 0.9 < max(errors)
    assert all((mechanism != "") == (ratio < 0.9) for ratio, mechanism in errors.items())


def test_better_unplanned_row_is_named():
    """With few workers a mean of all answers errs as much as the constant, and the survey errs more."""
    plan = recommend(FIVE, **FIVE_CROWD | {"n_workers": 20, "epsilon": 0.5})
    assert plan.mechanisms.index[0] == "MF, Algorithm 1"
    told = plan.mechanisms.error["MF, Algorithm 1"]
    assert f" MF, Algorithm 1, would be off by {told:.3g}, but is for study only." in plan.sentence
    assert "for study only" not in recommend(FIVE, **FIVE_CROWD).sentence


def test_share_above_is_planned_for_two_answers():
    """Compare with surveys that learn the prior, and with an estimate for each task alone."""
    law, rng = AnswerLaw(range(2), (0.5,), (1.0,), 0.9), np.random.default_rng(2)
    crowd = {"n_workers": 300, "n_tasks": 40, "epsilon": 3.0, "prior_mean": 0.5, "prior_deviation": 1.0}
    plan = recommend(law, **crowd)
    assert "The share of the upper answer will be off by" in plan.sentence
    assert "Saying a share of 0.5 for every task" in plan.sentence
    assert "in turn" not in plan.sentence
    assert plan.mechanisms.assumes["threshold response"] == "nothing"
    off = []
    for _ in range(30):
        answers, truth = answers_of(law, 300, 40, 0.5, 1.0, rng)
        found = infer_with_thresholds(answers, epsilon=3.0, domain=range(2), rng=rng, target="mean")
        off.append(np.abs(found.mean - norm.cdf((truth - 0.5) / 0.5)).mean())
    error = np.std(off, ddof=1) / 30**0.5
    assert abs(np.mean(off) - plan.mechanisms.error["threshold response"]) < 3 * error
    share = norm.cdf(np.linspace(-8, 8, 4001) / 0.5)
    weight = norm.pdf(np.linspace(-8, 8, 4001)) / norm.pdf(np.linspace(-8, 8, 4001)).sum()
    assert plan.bounds.error["constant"] == pytest.approx(weight @ np.abs(share - 0.5), rel=1e-3)
    assert np.isnan(plan.bounds.error["limit"])


@pytest.mark.parametrize("size", [3, 8])
def test_error_of_answer_means_is_predicted(size):
    """Compare with sums of unbiased shares for very many tasks, shrunk by their known spreads."""
    law, rng, m = AnswerLaw(range(size), (1.5,), (1.0,), 0.5), np.random.default_rng(size), 2_000
    crowd = {"n_workers": m, "epsilon": 1.0, "prior_mean": size / 3, "prior_deviation": 1.0}
    told = expected_errors(law, n_tasks=10**6, target="mean", **crowd)
    truth = rng.normal(size / 3, 1.0, 4_000)
    above = 1 - np.array([np.cumsum(rounded_law(mu, 1.5, size))[:-1] for mu in truth])
    p, q = np.array([np.e, 1.0]) / (np.e + 2)
    chances = q + (p - q) * 0.5 * np.stack([above, 1 - above], axis=2)
    reports = rng.multinomial(
        m // (size - 1), np.concatenate([chances, 1 - chances.sum(axis=2, keepdims=True)], 2)
    )
    shares = 0.5 + (reports[..., 0] - reports[..., 1]) / (2 * (p - q) * 0.5 * (m // (size - 1)))
    found, mean = shares.sum(axis=1), above.sum(axis=1)
    kept = np.var(mean) / np.var(found)
    off = np.abs(found.mean() + kept * (found - found.mean()) - mean)
    assert told["threshold response"] == pytest.approx(off.mean(), rel=0.03)
    assert told["constant"] == pytest.approx(np.abs(mean - mean.mean()).mean(), rel=0.03)


def test_a_hundred_and_one_answers_are_decoded():
    law, rng = AnswerLaw(range(101), (15.0,), (1.0,), 0.4), np.random.default_rng(101)
    crowd = {"n_workers": 2_000, "n_tasks": 30, "epsilon": 8.0, "prior_mean": 50.0, "prior_deviation": 10.0}
    plan = recommend(law, **crowd)
    assert "threshold response" not in plan.mechanisms.index
    assert np.isnan(plan.bounds.error["limit"])
    assert plan.mechanism == "RR, decoded"
    assert isinstance(plan.response, RandomizedResponse)
    assert plan.ask() is None
    answers, truth = answers_of(law, 2_000, 30, 50.0, 10.0, rng)
    off = np.abs(plan.estimate(plan.response.perturb(answers, rng)).truth - truth)
    assert abs(off.mean() - plan.error) < 4 * off.std() / 30**0.5
    assert plan.release(answers[:3]).shape == (3, 30)


@pytest.mark.parametrize(
    "law", [FIVE, AnswerLaw(range(4), (0.2, 3.0), (0.3, 0.7), 0.9), AnswerLaw(range(7), (1.5,), (1.0,), 0.1)]
)
def test_the_limit_is_that_for_known_kinds(law):
    crowd = FIVE_CROWD | {"n_workers": 20_000}
    found = recommend(law, **crowd).bounds.error["limit"]
    crowd.pop("n_tasks")
    assert found == pytest.approx(known_types_limit(law, **crowd), rel=5e-3)


@pytest.mark.parametrize("size", [11, 21])
def test_slow_limit_is_omitted_with_a_reason(size):
    plan = recommend(AnswerLaw(range(size), (1.0,), (1.0,), 0.4), **FIVE_CROWD)
    assert np.isnan(plan.bounds.error["limit"])
    assert plan.bounds.assumes["limit"] == "not computed for more than 10 answers"
    assert (
        "No mechanism"
        not in recommend(AnswerLaw(range(size), (1.0,), (1.0,), 0.4), target="truth", **FIVE_CROWD).sentence
    )
    assert plan.mechanism == "threshold response"


def test_plan_for_medians_has_expected_error():
    law, rng = FIVE, np.random.default_rng(40)
    plan = recommend(law, **FIVE_CROWD)
    answers, truth = answers_of(law, 2_000, 40, 2.0, 0.7, rng)
    survey = surveyed(plan, answers)
    assert survey.counts.sum() == 2_000 * 40
    found = plan.estimate(survey)
    assert found.trusted
    assert found.why == ()
    off = np.abs(found.median - interpolated_median(law.above(truth[:, None] - law.edges), law.domain))
    assert abs(off.mean() - plan.error) < 4 * off.std() / 40**0.5 < plan.bounds.error["constant"] / 4


def test_plan_for_truth_is_decoded_as_truth():
    plan = recommend(FIVE, target="truth", **FIVE_CROWD)
    assert plan.phases == (0.1, 0.2, 0.7)
    assert "in three phases. The truth of a task will" in plan.sentence
    limit = plan.bounds.error["limit"]
    assert f"No mechanism is expected to be off by less than {limit:.3g}." in plan.sentence
    assert plan.mechanisms.decoder["threshold response"] == "infer_from_counts"
    first = plan.ask()
    survey = plan.add(None, np.zeros((8, 40)), first)
    assert plan.ask(survey).shape == (1, 40)
    assert hasattr(plan.estimate(survey), "truth")


def test_plan_for_means_asks_in_turn():
    plan = recommend(FIVE, target="mean", **FIVE_CROWD)
    assert "at all thresholds in turn. The mean of a task's answers will" in plan.sentence
    assert plan.mechanisms.assumes["threshold response"] == "nothing"
    survey = plan.add(None, np.ones((8, 40)), plan.ask())
    np.testing.assert_array_equal(plan.ask(survey), plan.ask())
    expected = infer_means(survey.counts, epsilon=2.0, domain=range(5)).mean
    np.testing.assert_array_equal(plan.estimate(survey).mean, expected)


def test_public_gaps_equal_a_smaller_full_crowd():
    plan = recommend(FIVE, null="public", **FIVE_CROWD)
    full = AnswerLaw(range(5), (1.0,), (1.0,), 1.0)
    known = expected_errors(full, **FIVE_CROWD | {"n_workers": 800})
    assert plan.error == pytest.approx(known["threshold response"])
    assert plan.error < recommend(FIVE, **FIVE_CROWD).error
    assert list(plan.mechanisms.index) == ["threshold response"]
    assert plan.sentence.endswith(
        "protects one answer of a person, not the person. Who answered what becomes public, and so does who"
        " was asked and kept silent."
    )
    answers = np.full((1_200, 40), np.nan)
    answers[::3] = 4.0
    thresholds = plan.ask()
    reports = plan.release(answers, thresholds)
    np.testing.assert_array_equal(np.isnan(reports), np.isnan(answers))
    survey = plan.add(None, reports, thresholds)
    assert survey.counts.sum() == 400 * 40
    kept = ThresholdResponse(2.0).transition_matrix[0, 0]
    assert survey.counts[:, :, 1].sum() / survey.counts.sum() == pytest.approx(kept, abs=0.02)


def test_half_steps_are_used_only_if_declared():
    thresholds = np.full((1, 40), 2.5)
    halves = np.full((200, 40), 2.5)
    for whole_steps in (True, False):
        plan = recommend(FIVE, whole_steps=whole_steps, **FIVE_CROWD)
        if whole_steps:
            with pytest.raises(ValueError, match="answers must be integers"):
                plan.release(halves, thresholds)
        else:
            above, below = ((plan.release(halves, thresholds) == side).sum() for side in (1, 0))
            assert abs(above - below) < 5 * 8_000**0.5
            assert list(plan.mechanisms.index) == ["threshold response"]


def test_one_question_per_worker_equals_smaller_crowd():
    """Cells are independent, so one task each of many workers equals all tasks of few workers."""
    law = AnswerLaw(range(10), (1.0, 5.0), (0.5, 0.5), 0.1)
    known = {"n_tasks": 200, "epsilon": 2.0, "prior_mean": 4.5, "prior_deviation": 1.0, "target": "truth"}
    row = recommend(law, n_workers=4_000_000, unit="worker", **known)
    cells = expected_errors(law, n_workers=20_000, **known)
    assert row.error == pytest.approx(cells["threshold response"])
    assert row.bounds.error["limit"] < row.error < row.bounds.error["constant"]
    assert "Ask threshold responses to 1 question per person in three phases." in row.sentence
    assert row.sentence.endswith("Epsilon 2 protects a person with all answers.")


def test_every_row_can_be_decoded():
    """Every decoder is a function of the package; limit and constant are not rows."""
    decoders = {"infer_truth": infer_truth, "infer_from_rows": infer_from_rows}
    for unit in ("cell", "worker"):
        table = recommend(FIVE, unit=unit, **FIVE_CROWD).mechanisms
        assert all(hasattr(ldpbook.remedies, name) or callable(decoders[name]) for name in table.decoder)
        assert not {"constant", "limit"} & set(table.index)
        assert table.assumes["threshold response"] == "law known, prior learned"
        assert table.unit["threshold response"] == unit


def test_questions_to_workers_have_predicted_error():
    """Phases of questions, released, counted and decoded as a user would do, for forty truths."""
    rng = np.random.default_rng(86)
    crowd = FIVE_CROWD | {"n_workers": 20_000}
    answers, truth = answers_of(FIVE, 20_000, 40, 2.0, 0.7, rng)
    plan = recommend(FIVE, unit="worker", **crowd)
    survey = surveyed(plan, answers)
    assert survey.counts.sum() == 20_000  # one report per worker
    medians = interpolated_median(FIVE.above(truth[:, None] - FIVE.edges), range(5))
    off = np.abs(plan.estimate(survey).median - medians)
    error = off.std() / 40**0.5
    assert abs(off.mean() - plan.error) < 4 * error < plan.bounds.error["constant"] / 4


@pytest.mark.parametrize("epsilon", [2.0, 12.0])
def test_row_questions_and_limit_use_answer_units(epsilon):
    """Tasks get reports in turn; the limit depends on the mean of 1 / sigma^2."""
    law, deviation, n_tasks, n_workers = AnswerLaw(range(10), (1.0, 5.0), (0.8, 0.2), 0.1), 1.7, 200, 10_000
    prior = {"prior_mean": 4.5, "prior_deviation": deviation}
    crowd = {"n_tasks": n_tasks, "n_workers": n_workers}
    plan = recommend(law, **crowd, epsilon=epsilon, **prior, unit="worker")
    known = row_designs(**crowd, epsilon=epsilon, density=0.1, sigma=(0.8 + 0.2 / 25) ** -0.5 / deviation)
    assert plan.bounds.error["limit"] == pytest.approx(deviation * known.error["limit"])
    asked = 1 if epsilon == 2 else 3
    reports = n_workers * asked // n_tasks
    cells = expected_errors(law, n_tasks=n_tasks, n_workers=reports, epsilon=epsilon / asked, **prior)
    assert plan.mechanisms.error["threshold response"] == pytest.approx(cells["threshold response"])


def test_mixture_is_planned_where_best():
    crowd = FIVE_CROWD | {"n_workers": 3_000, "epsilon": 1.0}
    plan = recommend(FIVE, unit="worker", **crowd)
    assert plan.sentence.startswith("Ask for one noisy bit about a mixture of a person's answers")
    told = row_errors(FIVE, **crowd)
    assert plan.error == plan.mechanisms.error["mixed"] == told["mixed"]
    answers, truth = answers_of(FIVE, 3_000, 40, 2.0, 0.7, np.random.default_rng(90))
    assert set(plan.ask().ravel()) == {-0.5, 0.5, 1.5, 2.5, 3.5, 4.5}
    assert plan.phases == (0.3, 0.7)
    reports, limits = heard = surveyed(plan, answers)
    assert reports.shape == limits.shape == answers.shape
    assert set(limits[900:].ravel()) == {1.5, 2.5}
    medians = interpolated_median(FIVE.above(truth[:, None] - FIVE.edges), range(5))
    off = np.abs(plan.estimate(heard).median - medians)
    assert abs(off.mean() - plan.error) < 4 * off.std() / 40**0.5


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("density", "n_workers", "epsilon"), [(0.5, 1, 1e-9), (0.3, 300, 0.5)])
def test_uninformative_rows_are_not_requested(density, n_workers, epsilon):
    """On a short scale, where the slope at the median is far from the median's own spread."""
    law = AnswerLaw(range(3), (0.5,), (1.0,), density)
    crowd = {"n_tasks": 50, "prior_mean": 1.0, "prior_deviation": 1.0, "unit": "worker"}
    plan = recommend(law, n_workers=n_workers, epsilon=epsilon, **crowd)
    assert plan.mechanism == ""
    assert plan.mechanisms.error.min() >= plan.bounds.error["constant"] * (1 - 1e-3)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("sigma", [1e-300, 1e-160, 1e160, 1e300])
def test_rows_of_extreme_errors_have_a_plan(sigma):
    law = AnswerLaw(range(5), (sigma, 1.0), (0.5, 0.5), 0.4)
    plan = recommend(law, unit="worker", **FIVE_CROWD)
    assert np.isfinite(plan.mechanisms.error).all()
    alone = recommend(AnswerLaw(range(5), (sigma,), (1.0,), 0.4), unit="worker", **FIVE_CROWD)
    assert (alone.bounds.error["limit"] < 1e-90) == (sigma < 1)


def test_answers_without_errors_are_decoded_as_a_plan():
    """If all answers are equal, thresholds learn little by the formula, so answers are reported instead."""
    law, rng = AnswerLaw(range(5), (1e-3,), (1.0,), 0.4), np.random.default_rng(12)
    plan = recommend(law, **FIVE_CROWD)
    assert plan.mechanism == "RR, decoded"
    assert plan.phases == (1.0,)
    assert plan.error == plan.mechanisms.error["RR, decoded"] < 0.2 * plan.bounds.error["constant"]
    answers, truth = answers_of(law, 2_000, 40, 2.0, 0.7, rng)
    off = np.abs(plan.estimate(surveyed(plan, answers)).truth - np.rint(truth))
    assert abs(off.mean() - plan.error) < 4 * off.std() / 40**0.5


def test_every_plan_loop_accepts_randomized_response():
    law, rng = AnswerLaw(range(101), (15.0,), (1.0,), 0.4), np.random.default_rng(9)
    crowd = {"n_workers": 600, "n_tasks": 30, "epsilon": 8.0, "prior_mean": 50.0, "prior_deviation": 10.0}
    plan = recommend(law, **crowd)
    answers, _ = answers_of(law, 600, 30, 50.0, 10.0, rng)
    heard, released = None, []
    for rows in np.split(answers, [100, 350]):
        thresholds = plan.ask(heard)
        released.append(plan.release(rows, thresholds))
        heard = plan.add(heard, released[-1], thresholds)
    np.testing.assert_array_equal(heard, np.vstack(released))
    found = plan.estimate(heard).truth
    np.testing.assert_array_equal(found, plan.estimate(np.vstack(released)).truth)


@pytest.mark.parametrize(("size", "epsilon"), [(101, 1.0), (30, 2.0)])
def test_long_scale_gets_advice_on_shorter_one(size, epsilon):
    """Compare with surveys of randomly rounded answers, with errors in units of the long scale."""
    mean, deviation, m, n = (size - 1) / 2, size / 10, 3_000, 40
    law, rng = AnswerLaw(range(size), (size / 7,), (1.0,), 0.4), np.random.default_rng(size)
    crowd = {"n_workers": m, "n_tasks": n, "prior_mean": mean, "prior_deviation": deviation}
    plan = recommend(law, epsilon=epsilon, **crowd)
    step = int(np.ceil((size - 1) / 20))
    assert f"On a scale in steps of {step}, to which each worker rounds" in plan.sentence
    told = float(plan.sentence.split("threshold responses would be off by ")[1].split(". ")[0])
    off = []
    for _ in range(4):
        answers, truth = answers_of(law, m, n, mean, deviation, rng)
        short = np.floor(answers / step + rng.random(answers.shape))
        last = int(np.ceil((size - 1) / step))
        found = infer_with_thresholds(short, epsilon=epsilon, domain=range(last + 1), rng=rng, target="mean")
        given = [np.dot(rounded_law(mu, size / 7, size), range(size)) for mu in truth]
        off.append(np.abs(step * found.mean - given))
    assert abs(np.mean(off) - told) < 3 * np.std(off) / (4 * n) ** 0.5
    assert told < plan.error


def test_a_scale_around_zero_has_no_negative_zero():
    law = AnswerLaw(range(-2, 3), (1.0,), (1.0,), 0.4)
    plan = recommend(law, **FIVE_CROWD | {"prior_mean": -1e-9})
    assert "Saying 0.0 for every task" in plan.sentence


def test_a_table_of_public_gaps_needs_no_lists():
    plan = recommend(FIVE, null="public", **FIVE_CROWD | {"n_tasks": 2})
    table = pd.DataFrame({"worker": [7, 7, 9], "task": ["b", "a", "a"], "answer": [1, 4, 2]})
    thresholds = plan.ask()
    reports = plan.release(table, thresholds)
    told = reports[reports["answer"].notna()]
    assert set(zip(told["worker"], told["task"], strict=True)) == {(7, "a"), (7, "b"), (9, "a")}
    assert plan.add(None, reports, thresholds).counts.sum() == 3
    with pytest.raises(ValueError, match="workers must be a public list"):
        recommend(FIVE, **FIVE_CROWD | {"n_tasks": 2}).release(table, thresholds)


def test_plan_for_a_table_uses_its_labels():
    rng = np.random.default_rng(5)
    plan = recommend(FIVE, **FIVE_CROWD | {"n_tasks": 2})
    rows = [(w, t, int(rng.integers(0, 5))) for w in range(300) for t in "ab" if rng.random() < 0.5]
    table = pd.DataFrame(rows, columns=["worker", "task", "answer"])
    thresholds = plan.ask()
    reports = plan.release(table, thresholds, workers=range(300), tasks=["a", "b"])
    assert len(reports) == 600
    assert plan.add(None, reports, thresholds).counts.sum() == 600


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"null": "unknown"}, "null must be one of secret, public"),
        ({"unit": "worker", "null": "public"}, "null must be 'secret'"),
        ({"law": AnswerLaw(range(30), (1.0,), (1.0,), 0.5), "null": "public"}, "domain must hold at most 21"),
        ({"law": AnswerLaw(range(30), (1.0,), (1.0,), 0.5), "unit": "worker"}, "domain must hold at most 21"),
        ({"law": AnswerLaw(range(30), (1.0,), (1.0,), 0.5), "whole_steps": False}, "domain must hold at"),
    ],
)
def test_plan_without_a_runner_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        recommend(**({"law": FIVE, **FIVE_CROWD} | wrong))


def test_plan_runs_only_on_its_own_questions():
    plan = recommend(FIVE, **FIVE_CROWD)
    for wrong in (None, 2.5, np.full((1, 39), 2.5), np.empty((0, 40))):
        with pytest.raises(ValueError, match="thresholds must be as ask gave them"):
            plan.release(np.ones((3, 40)), wrong)
    with pytest.raises(ValueError, match=r"answers must be integers in 0\.\.4"):
        plan.release(np.full((3, 40), 7.0), plan.ask())
    with pytest.raises(TypeError, match="heard must be what add gave"):
        plan.estimate(np.zeros((4, 40, 3)))
    with pytest.raises(TypeError, match="whole_steps must be a bool"):
        recommend(FIVE, whole_steps="yes", **FIVE_CROWD)
    with pytest.raises(ValueError, match="domain must hold 2 to 21"):
        workers_needed(AnswerLaw(range(30), (1.0,), (1.0,), 0.5), error=1.0, n_tasks=9, epsilon=1.0, **PRIOR)


def test_workers_needed_for_share_of_two_answers():
    law = AnswerLaw(range(2), (0.5,), (1.0,), 0.9)
    crowd = {"n_tasks": 40, "epsilon": 3.0, "prior_mean": 0.5, "prior_deviation": 1.0}
    m = workers_needed(law, error=0.02, **crowd)
    at, below = (expected_errors(law, n_workers=k, **crowd)["threshold response"] for k in (m, m - 1))
    assert at <= 0.02 < below


@pytest.mark.parametrize(("unit", "error"), [("person", ValueError), (1, TypeError)])
def test_other_units_are_refused(unit, error):
    law = AnswerLaw(range(5), (1.0,), (1.0,), 0.5)
    crowd = {"n_workers": 10, "n_tasks": 3, "epsilon": 1.0, "prior_mean": 2.0, "prior_deviation": 1.0}
    with pytest.raises(error, match="unit must be one of cell, worker"):
        recommend(law, **crowd, unit=unit)
