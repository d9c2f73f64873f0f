"""Regressions on hidden answers: against likelihoods written out, closed forms, and simulated crowds."""

import contextlib
import io
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm
from toc import notebook_cells

from ldpbook.practice import regress_answer, regress_on_answer

DIE = {"p": 5 / 6, "q": 1 / 6}
NOTHING = np.empty((400, 0))


def crowd(rng, n, beta, alpha=(0.0, 0.0), gamma=0.0, p=5 / 6, q=1 / 6):
    """The covariate, the outcome and the report of each person."""
    x = rng.normal(size=n)
    answer = rng.random(n) < expit(beta[0] + beta[1] * x)
    outcome = rng.random(n) < expit(alpha[0] + alpha[1] * x + gamma * answer)
    reports = rng.random(n) < np.where(answer, p, q)
    return x[:, None], outcome.astype(int), reports.astype(int)


def minus_log_likelihood(theta, x, reports, p, q, outcome=None):
    """Minus the log-likelihood, person by person, by the law of total probability."""
    rows, k = np.column_stack([np.ones(len(x)), x]), 1 + x.shape[1]
    total = 0.0
    for answer in (0, 1):
        share = expit(rows @ theta[:k])
        weight = share if answer else 1 - share
        yes = p if answer else q
        weight = weight * np.where(reports == 1, yes, 1 - yes)
        if outcome is not None:
            seen = expit(rows @ theta[k : 2 * k] + theta[-1] * answer)
            weight = weight * np.where(outcome == 1, seen, 1 - seen)
        total = total + weight
    return -np.log(total).sum()


def curvature(loss, at, step=1e-4):
    """Matrix of second derivatives of a loss, by second differences."""
    size = len(at)
    steps = np.eye(size) * step
    return np.array(
        [
            [loss(at + a + b) - loss(at + a - b) - loss(at - a + b) + loss(at - a - b) for b in steps]
            for a in steps
        ]
    ) / (4 * step**2)


@pytest.mark.parametrize(("p", "q"), [(5 / 6, 1 / 6), (0.9, 0.4), (0.25, 0.75), (1.0, 0.3), (1.0, 0.0)])
def test_outcome_regression_maximizes_the_likelihood(p, q):
    x, _, reports = crowd(np.random.default_rng(1), 1500, (-0.5, 0.8), p=p, q=q)
    x = np.column_stack([30 + 10 * x, x[:, 0] ** 2])  # neither covariate is standardized
    found = regress_answer(reports, x, p=p, q=q)

    def loss(theta):
        return minus_log_likelihood(theta, x, reports, p, q)

    other = minimize(
        loss,
        found.coefficients * 0.9 + 0.01,
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-10, "maxiter": 20_000, "maxfev": 20_000},
    )
    assert found.converged
    assert found.log_likelihood == pytest.approx(-loss(found.coefficients.to_numpy()), rel=1e-12)
    assert found.log_likelihood >= -other.fun - 1e-6
    scale = np.array([1, 0.01, 0.1])  # steps with similar effect
    bend = curvature(lambda t: loss(t * scale), found.coefficients.to_numpy() / scale)
    errors = np.sqrt(np.diag(np.linalg.inv(bend))) * scale
    assert found.errors.to_numpy() == pytest.approx(errors, rel=1e-3)
    assert found.coefficients.to_numpy() == pytest.approx(other.x, abs=1e-3)


def test_regression_on_an_answer_maximizes_the_joint_likelihood():
    x, outcome, reports = crowd(np.random.default_rng(2), 2000, (-0.5, 0.8), (0.2, -0.4), 1.2)
    found = regress_on_answer(outcome, reports, pd.DataFrame(x, columns=["age"]), **DIE)

    def loss(theta):
        return minus_log_likelihood(theta, x, reports, 5 / 6, 1 / 6, outcome)

    starts = np.random.default_rng(3).normal(size=(4, 5))
    others = [minimize(loss, start, method="BFGS") for start in starts]
    best = min(others, key=lambda each: each.fun)
    assert found.log_likelihood >= -best.fun - 1e-6
    assert found.coefficients.to_numpy() == pytest.approx(best.x, abs=1e-3)
    bend = curvature(loss, found.coefficients.to_numpy())
    assert found.covariance.to_numpy() == pytest.approx(np.linalg.inv(bend), rel=1e-3, abs=1e-6)
    assert list(found.coefficients["outcome"].index) == ["intercept", "age", "answer"]


def test_without_covariates_the_intercept_is_the_decoded_share():
    reports = np.repeat([1, 0], [150, 250])
    share = (150 / 400 - 1 / 6) / (2 / 3)
    error = np.sqrt(0.375 * 0.625 / 400) / (2 / 3) / (share * (1 - share))  # by the delta method
    found = regress_answer(reports, NOTHING, **DIE)
    assert found.coefficients["intercept"] == pytest.approx(np.log(share / (1 - share)), abs=1e-6)
    assert found.errors["intercept"] == pytest.approx(error, rel=1e-6)


def test_one_group_covariate_gives_two_decoded_shares():
    group = np.repeat([0, 1], [300, 200])
    reports = np.r_[np.repeat([1, 0], [120, 180]), np.repeat([1, 0], [130, 70])]
    rates = np.array([0.4, 0.65])
    shares = (rates - 1 / 6) * 1.5
    odds = np.log(shares / (1 - shares))
    errors = np.sqrt(rates * (1 - rates) / [300, 200]) * 1.5 / (shares * (1 - shares))
    found = regress_answer(reports, group[:, None], **DIE)
    assert found.coefficients.to_numpy() == pytest.approx([odds[0], odds[1] - odds[0]], abs=1e-6)
    assert found.errors.to_numpy() == pytest.approx([errors[0], np.hypot(*errors)], rel=1e-6)


def test_answer_without_covariates_gives_the_decoded_table():
    """Four counts, four numbers: the table of answer and outcome by the inverse of the channel."""
    table = np.array([[90, 60], [40, 110]])  # by report and outcome
    channel = np.array([[5, 1], [1, 5]]) / 6
    held = np.linalg.solve(channel, table)  # by answer and outcome
    reports, outcome = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], table.ravel(), axis=0).T
    found = regress_on_answer(outcome, reports, np.empty((300, 0)), **DIE).coefficients
    assert found["answer", "intercept"] == pytest.approx(np.log(held[1].sum() / held[0].sum()), abs=1e-6)
    assert found["outcome", "intercept"] == pytest.approx(np.log(held[0, 1] / held[0, 0]), abs=1e-6)
    odds = held[1, 1] * held[0, 0] / held[1, 0] / held[0, 1]
    assert found["outcome", "answer"] == pytest.approx(np.log(odds), abs=1e-6)


def test_flipped_channel_and_flipped_reports_cancel():
    x, outcome, reports = crowd(np.random.default_rng(4), 800, (0.3, 0.5), (0.0, 0.5), -1.0)
    one = regress_on_answer(outcome, reports, x, p=0.8, q=0.3)
    other = regress_on_answer(outcome, 1 - reports, x, p=0.2, q=0.7)
    assert one.coefficients.to_numpy() == pytest.approx(other.coefficients.to_numpy(), abs=1e-6)


def test_intervals_have_their_stated_coverage():
    """The intervals of both regressions cover; those of a regression of the reports themselves do not."""
    rng, crowds, beta, gamma = np.random.default_rng(5), 80, (-0.5, 0.8), 1.0
    inside = []
    for _ in range(crowds):
        x, outcome, reports = crowd(rng, 2500, beta, (0.0, 0.3), gamma)
        found = regress_on_answer(outcome, reports, x, **DIE)
        alone = regress_answer(reports, x, **DIE)
        naive = regress_answer(reports, x, p=1.0, q=0.0)
        assert found.converged
        held = [
            (alone.coefficients[0], alone.errors[0], beta[1]),
            (found.coefficients["answer", 0], found.errors["answer", 0], beta[1]),
            (found.coefficients["outcome", "answer"], found.errors["outcome", "answer"], gamma),
            (naive.coefficients[0], naive.errors[0], beta[1]),
        ]
        inside.append([abs(b - true) < norm.ppf(0.975) * e for b, e, true in held])
    covered = np.mean(inside, axis=0)
    assert covered[:3] == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / crowds))
    assert covered[3] < 0.1


@pytest.mark.parametrize("yes", [0, 10, 90, 100])
def test_shares_outside_the_channel_diverge(yes):
    """One group reports yes less often than its coins alone do, or more often than they allow."""
    reports = np.r_[np.repeat([1, 0], [yes, 100 - yes]), np.repeat([1, 0], [50, 50])]
    group = np.repeat([0, 1], 100)
    found = regress_answer(reports, group[:, None], **DIE)
    assert not found.converged
    assert found.errors.isna().all()
    assert (found.coefficients["intercept"] < -5) == (yes < 50)
    outcome = np.tile([0, 1], 100)
    assert not regress_on_answer(outcome, reports, group[:, None], **DIE).converged


@pytest.mark.parametrize("yes", [(5, 5, 30), (10, 10, 30), (10, 5, 55), (9, 10, 11), (5, 5, 5), (55, 5, 30)])
def test_several_coefficients_diverge_together(yes):
    """Groups of sixty: with at most ten or at least fifty yes reports, no share of true yes is in (0, 1)."""
    reports = np.concatenate([np.repeat([1, 0], [each, 60 - each]) for each in yes])
    groups = np.repeat(np.eye(3)[:, 1:], 60, axis=0)
    found = regress_answer(reports, groups, **DIE)
    assert not found.converged
    assert found.errors.isna().all()
    alike = regress_on_answer(np.ones(180), np.repeat([1, 0], [80, 100]), np.empty((180, 0)), **DIE)
    assert not alike.converged


@pytest.mark.parametrize("n", [60, 60_000])
def test_maximum_near_the_bound_is_kept(n):
    """A decoded share of a fortieth converges and one of 0 does not, however many people there are."""
    for yes, inside in ((n * 11 // 60, True), (n // 6, False)):
        found = regress_answer(np.repeat([1, 0], [yes, n - yes]), np.empty((n, 0)), **DIE)
        assert found.converged == inside


def test_the_higher_of_two_peaks_is_kept():
    """Even odds for all are a peak, and a step next to three of twelve ages is a higher one."""
    reports = [1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1]
    found = regress_answer(reports, np.arange(12.0)[:, None], **DIE)
    assert found.log_likelihood == pytest.approx(9 * np.log(5 / 6) + 3 * np.log(1 / 6), abs=1e-5)
    assert not found.converged  # the steeper the step, the higher


def test_small_crowds_against_a_grid_of_steps():
    """No single search is sure to find the highest peak; of thirty crowds at most two may be missed."""
    at, steep = np.linspace(-3, 3, 61), np.geomspace(0.1, 200, 20)
    slopes = np.r_[-steep, 0, steep]
    short = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x, reports = rng.normal(size=20), (rng.random(20) < 0.5).astype(int)
        rates = 1 / 6 + 2 / 3 * expit(slopes[:, None] * (x - at[:, None, None]))
        best = np.where(reports == 1, np.log(rates), np.log(1 - rates)).sum(axis=-1).max()
        short += regress_answer(reports, x[:, None], **DIE).log_likelihood < best - 0.01
    assert short <= 2


def test_one_index_of_reports_and_covariates():
    reports = pd.Series([1, 0, 0, 1, 1, 0], index=list("abcdef"))
    ages = pd.DataFrame({"age": [1.0, 2.0, 3.0, 5.0, 4.0, 2.5]}, index=list("abcdef"))
    one = regress_answer(reports, ages, p=1.0, q=0.2)
    assert one.log_likelihood == regress_answer(reports.tolist(), ages, p=1.0, q=0.2).log_likelihood
    for other in (ages[::-1], ages.reset_index(drop=True)):
        with pytest.raises(ValueError, match="reports and covariates must have one index"):
            regress_answer(reports, other, **DIE)
        with pytest.raises(ValueError, match="outcome and reports and covariates must have one index"):
            regress_on_answer(reports, reports.tolist(), other, **DIE)


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_people_are_refused_without_a_warning(n):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=f"two people or more, got {n}"):
            regress_answer(np.ones(n), np.empty((n, 1)), **DIE)


def test_outcome_separated_by_covariates_diverges():
    x, _, reports = crowd(np.random.default_rng(6), 500, (0.0, 0.5))
    assert regress_answer(reports, x, **DIE).converged
    assert not regress_on_answer((x[:, 0] > 0).astype(int), reports, x, **DIE).converged


def test_rare_answers_settle_with_a_large_error():
    reports = np.repeat([1, 0], [340, 1660])  # a decoded share of half a percent
    found = regress_answer(reports, np.empty((2000, 0)), **DIE)
    assert found.converged
    assert found.errors["intercept"] > 2


def test_steep_slopes_do_not_diverge():
    rng = np.random.default_rng(7)
    x = rng.uniform(-20, 20, 4000)
    reports = (rng.random(4000) < np.where(rng.random(4000) < expit(2 * x), 5 / 6, 1 / 6)).astype(int)
    found = regress_answer(reports, x[:, None], **DIE)
    assert found.converged
    assert abs(found.coefficients[0] - 2) < 4 * found.errors[0]


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"p": 0.3, "q": 0.3}, "p must differ from q"),
        ({"p": 1.2}, "p must lie"),
        ({"reports": [1, 0, np.nan, 1]}, "reports must be 0 or 1 for each person, none missing"),
        ({"reports": [1, 0, 2, 1]}, "reports must"),
        ({"reports": [[1, 0, 0, 1]]}, "reports must"),
        ({"covariates": [[1.0], [np.nan], [2.0], [3.0]]}, "covariates must be finite"),
        ({"covariates": [[1.0], [1.0], [1.0], [1.0]]}, "covariates must be linearly independent"),
        ({"covariates": [[1.0, 2.0], [3.0, 6.0], [0.0, 0.0], [1.0, 2.0]]}, "covariates must be linearly"),
        ({"covariates": [[1.0], [2.0]]}, "covariates must be finite"),
        ({"covariates": [1.0, 2.0, 3.0, 5.0]}, "covariates must be finite"),
        ({"covariates": [[1e-170], [2e-170], [3e-170], [5e-170]]}, "covariates must differ by 1e-60"),
        (
            {"covariates": pd.DataFrame({"intercept": [1, 2, 3, 5]})},
            "covariates must have names of their own",
        ),
        ({"covariates": pd.DataFrame({"answer": [1, 2, 3, 5]})}, "covariates must have names of their own"),
        (
            {"covariates": pd.DataFrame([[1, 2], [2, 1], [3, 0], [5, 1]], columns=["age", "age"])},
            "covariates must have names of their own",
        ),
        ({"outcome": [0, 1, 1]}, "outcome must be of the 4 people"),
        ({"outcome": [0, 1, 1, None]}, "outcome must be 0 or 1"),
    ],
)
def test_bad_input_is_refused_by_name(changed, match):
    given = {"reports": [1, 0, 0, 1], "covariates": [[1.0], [2.0], [3.0], [5.0]], **DIE}
    with pytest.raises(ValueError, match=match):
        regress_on_answer(**{"outcome": [0, 1, 1, 0], **given, **changed})
    if "outcome" not in changed:
        with pytest.raises(ValueError, match=match):
            regress_answer(**given | changed)


@pytest.mark.data
def test_real_reports_have_the_maximum_of_another_search(load):
    people = load("load_nigeria").dropna()
    x = people[["cov.age", "cov.married", "cov.education", "cov.female"]].to_numpy() / [10, 1, 1, 1]
    reports, civic = people["rr.q1"].to_numpy(), people["civic"].to_numpy()

    def alone(theta):
        return minus_log_likelihood(theta, x, reports, **DIE)

    def both(theta):
        return minus_log_likelihood(theta, x, reports, **DIE, outcome=civic)

    for loss, found in (
        (alone, regress_answer(reports, x, **DIE)),
        (both, regress_on_answer(civic, reports, x, **DIE)),
    ):
        other = minimize(loss, np.zeros(len(found.coefficients)), method="BFGS")
        assert found.converged
        assert found.log_likelihood == pytest.approx(-other.fun, abs=1e-5)
        assert found.coefficients.to_numpy() == pytest.approx(other.x, abs=0.01)


@pytest.mark.data
def test_chapter_output_agrees_with_the_data(load):
    """The cell also runs without the data, so nbval does not compare its output."""
    data = load("load_nigeria")
    cell = next(each for each in notebook_cells("book/practice/regression") if each["id"] == "regr-13")
    given = {"np": np, "pd": pd, "DIE": DIE, "load_nigeria": lambda: data}
    given |= {"regress_answer": regress_answer, "regress_on_answer": regress_on_answer}
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        exec("".join(cell["source"]), given)
    (output,) = cell["outputs"]
    assert shown.getvalue() == "".join(output["text"])
