"""The peers: distributions of cells by enumeration, and estimates on answers of known distribution."""

from itertools import product
from math import exp, log

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import brentq

from ldpbook.remedies.answer_law import AnswerLaw
from ldpcourse import peers
from ldpcourse.peers import binary_search_median, key_value_mean, online_median, two_round_mean

NULL = np.nan
ALL = (two_round_mean, binary_search_median, online_median, key_value_mean)
EVERY = pytest.mark.parametrize("estimate", ALL)
SIGMAS, SHARES = (1.0, 5.0), (0.5, 0.5)
TOLERANCE = 4.5  # standard errors


def told(density=0.5, domain=range(10)):
    return AnswerLaw(domain, SIGMAS, SHARES, density)


class Dice:
    """Replacement of a generator that returns given numbers, in the order of `random` and `integers`."""

    def __init__(self, truthful, lie):
        self.truthful, self.lie = truthful, lie

    def integers(self, n_symbols, size):
        self.n_symbols = n_symbols
        return np.full(size, self.lie)

    def random(self, size):
        return np.full(size, 0.0 if self.truthful else 1.0 - 2**-53)


def cell_law(excess, epsilon, density):
    """Probability of each report of a cell, over all random numbers, and the number of symbols."""
    law = {-1.0: 0.0, 0.0: 0.0, 1.0: 0.0}
    dice = Dice(True, 0)
    peers._reports(np.array([excess]), epsilon, told(density), dice)
    n_symbols = dice.n_symbols
    truth = (exp(epsilon) - 1) / (exp(epsilon) + n_symbols - 1)
    for truthful, lie in product((True, False), range(n_symbols)):
        (report,) = peers._reports(np.array([excess]), epsilon, told(density), Dice(truthful, lie))
        law[float(report)] += truth / n_symbols if truthful else 1 / (exp(epsilon) + n_symbols - 1)
    return law, n_symbols


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 0.5, 0.6, 1.0, 2.0, 8.0, 30.0])
@pytest.mark.parametrize("density", [0.01, 0.1, 0.5, 1.0])
def test_cell_epsilon_is_kept_and_attained(epsilon, density):
    """An estimator only sees whether an answer is above, at or below a threshold, or NULL."""
    laws, sizes = zip(
        *(cell_law(x, epsilon, density) for x in (-2.5, -1e-9, 0.0, 1e-9, 7.0, NULL)), strict=True
    )
    assert len(set(sizes)) == 1
    assert all(sum(law.values()) == pytest.approx(1, abs=1e-12) for law in laws)
    losses = [
        log(p[report] / q[report])
        for p, q in product(laws, repeat=2)
        for report in p
        if p[report] or q[report]
    ]
    assert max(losses) == pytest.approx(epsilon, rel=1e-9, abs=1e-12)
    mean = {sign: law[1.0] - law[-1.0] for sign, law in zip((-1, -1, 0, 1, 1, 0), laws, strict=True)}
    lead = peers._lead_of_all(epsilon, told(density)) / density
    assert mean[1] == pytest.approx(lead, rel=1e-9)
    assert mean[-1] == pytest.approx(-lead, rel=1e-9)
    assert mean[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("density", [0.01, 0.1, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.6, 1.0, 2.0, 5.0])
def test_more_informative_of_two_and_three_symbols(epsilon, density):
    """Squared mean over second moment of a report, for a crowd that is half above and half below."""
    e = exp(epsilon)
    ternary = ((e - 1) / (e + 2)) ** 2 / ((density * (e + 1) + (1 - density) * 2) / (e + 2))
    binary = ((e - 1) / (e + 1)) ** 2
    assert peers._channel(epsilon, density)[0] == (3 if ternary > binary else 2)


def test_third_symbol_pays_from_half_log_three():
    assert [peers._channel(log(3) / 2 + shift, 1e-9)[0] for shift in (-1e-3, 1e-3)] == [2, 3]


@pytest.mark.parametrize("epsilon", [0.4, 1.5])
def test_key_value_budget_allocation_is_optimal(epsilon):
    """No (a, b, p) of PCKV-UE on a fine grid that keeps a cell's epsilon is better, at a small density."""
    e, density = exp(epsilon), 0.01
    grid = np.linspace(0, 1, 201)
    a, b, p = np.meshgrid([*grid, (e + 1) / (e + 2)], [*grid, 2 / (e + 2)], [*grid[100:], e / (e + 1)])
    x, y, z = a * p, a * (1 - p), b / 2
    slack = 1 + 1e-9
    keeps = (x <= e * y * slack) & (x <= e * z * slack) & (z <= e * y * slack)
    keeps &= (1 - b <= e * (1 - a) * slack) & (1 - a <= e * (1 - b) * slack)
    second = density * (x + y) + (1 - density) * 2 * z
    gain = np.divide((x - y) ** 2, second, out=np.zeros_like(second), where=keeps & (second > 0))
    n_symbols, truthful = peers._channel(epsilon, density)
    lies = (1 - truthful) * 2 / 3
    ours = truthful**2 / (density * truthful + lies if n_symbols == 3 else 1.0)
    assert gain.max() == pytest.approx(ours, rel=1e-9)


# --- Estimates. ---


def crowd(truths, n_workers, density, seed, domain=range(10)):
    """Answers to tasks of given truths, drawn without the package, with their density and the generator."""
    rng = np.random.default_rng(seed)
    shape = (n_workers, len(truths))
    sigma = rng.choice(SIGMAS, size=(n_workers, 1), p=SHARES)
    answers = np.clip(np.rint(truths + sigma * rng.standard_normal(shape)), domain[0], domain[-1])
    skipped = rng.random(shape) >= density
    skipped[np.arange(n_workers), rng.integers(len(truths), size=n_workers)] = False
    return np.where(skipped, NULL, answers), 1 - skipped.mean(), rng


def second_moment(epsilon, density):
    """Second moment of a report: the probability that it is not 0."""
    n_symbols, truthful = peers._channel(epsilon, density)
    return 1.0 if n_symbols == 2 else density * truthful + (1 - truthful) * 2 / 3


def within_error(errors):
    """Assert that the mean of independent errors is 0, within `TOLERANCE` standard errors."""
    assert abs(np.mean(errors)) <= TOLERANCE * stats.sem(errors)


@pytest.mark.parametrize("truth", [4.5, 5.0, 3.8])
@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_two_rounds_are_consistent(truth, epsilon):
    answers, density, rng = crowd(np.full(300, truth), 6000, 0.5, [1, round(10 * truth)])
    errors = two_round_mean(answers, epsilon=epsilon, law=told(density), rng=rng) - truth
    within_error(errors)
    # Approximation: all thresholds of the second half at the truth, and no reports that are 0 by accident.
    spread = stats.norm.pdf(0) * 2 * (0.5 / 1 + 0.5 / 5) * peers._lead_of_all(epsilon, told(density))
    assert 0.9 < np.std(errors) * np.sqrt(3000 / second_moment(epsilon, density)) * spread < 1.4


@pytest.mark.parametrize("truth", [0.1, 8.9])
def test_the_second_half_votes_inside_the_domain(truth):
    """Nothing is learned above the last half-integer, where the estimate would fall to the far end."""
    answers, density, rng = crowd(np.full(100, truth), 6000, 0.5, [11, round(truth)])
    found = two_round_mean(answers, epsilon=3.0, law=told(density), rng=rng)
    assert (np.abs(found - truth) < 0.9).all()
    assert np.mean(np.abs(found - truth)) < 0.2


def test_two_rounds_invert_the_normal_distribution():
    rng = np.random.default_rng(3)
    answers = np.rint(rng.normal(4.3, 1.5, (6000, 300))).clip(0, 9)
    law = AnswerLaw(range(10), sigmas=(1.5,), shares=(1.0,), density=1.0)
    errors = two_round_mean(answers, epsilon=1.0, law=law, rng=rng) - 4.3
    within_error(errors)


def test_two_rounds_reach_across_a_wide_domain():
    """Half of the workers have small errors; the others' large errors reveal how far the centre is."""
    rng = np.random.default_rng(12)
    sigma = rng.choice([1.0, 20.0], size=(20_000, 1))
    answers = np.rint(85 + sigma * rng.standard_normal((20_000, 50))).clip(0, 99)
    law = AnswerLaw(range(100), sigmas=(1.0, 20.0), shares=(0.5, 0.5), density=1.0)
    found = two_round_mean(answers, epsilon=4.0, law=law, rng=rng)
    assert np.abs(found - 85).max() < 4


def median_of_smoothed(truth, law):
    """The point above which half of the answers lie, each spread over the unit interval around it."""
    shares = law.at(truth)[:-1] / law.density

    def lead(at):
        above = np.clip(np.array(law.domain) + 0.5 - at, 0, 1)  # part of an answer's unit interval
        return shares @ above - 0.5

    return brentq(lead, law.domain[0] - 0.5, law.domain[-1] + 0.5)


@pytest.mark.parametrize("truth", [4.5, 4.8, 3.0])
def test_online_median_is_median_of_smoothed_answers(truth):
    answers, density, rng = crowd(np.full(200, truth), 12_000, 0.5, [2, round(10 * truth)])
    smoothed = answers + rng.uniform(-0.5, 0.5, answers.shape)
    law = told(density)
    found = online_median(smoothed, epsilon=3.0, law=law, rng=rng)
    errors = found - median_of_smoothed(truth, law)
    # The estimate averages all thresholds, and the first is the centre. Its remaining influence follows
    # if the mean steps are linear in the distance.
    slope = 2 * (0.5 / 1 + 0.5 / 5) * stats.norm.pdf(0)
    drift = 9 / (100 + np.arange(1, 12_001) ** 0.51) * peers._lead_of_all(3.0, law) * slope
    start = np.cumprod(1 - drift).mean() * (4.5 - truth)
    assert abs(np.mean(errors) - start) <= TOLERANCE * stats.sem(errors) + 0.3 * abs(start)
    efficient = np.sqrt(second_moment(3.0, density) / 12_000) / peers._lead_of_all(3.0, law) / slope
    assert 0.9 < np.std(errors) / efficient < 1.2


@pytest.mark.parametrize("truth", [4.5, 4.8, 3.0])
def test_binary_search_ends_near_the_median(truth):
    answers, density, rng = crowd(np.full(20, truth), 60_000, 0.5, [4, round(10 * truth)])
    smoothed = answers + rng.uniform(-0.5, 0.5, answers.shape)
    law = told(density)
    found = binary_search_median(smoothed, epsilon=3.0, law=law, rng=rng)
    # 0.07 is half of the last interval; a group of 10,000 resolves 0.05 within three standard errors.
    assert (np.abs(found - median_of_smoothed(truth, law)) < 9 / 128 + 0.08).all()


def test_groups_with_tied_votes_move_nothing():
    """Few reports in three symbols often tie, which must favour neither end."""
    answers, density, rng = crowd(np.full(4000, 4.5), 12, 0.1, 13)
    found = binary_search_median(answers, epsilon=2.0, law=told(density), rng=rng)
    within_error(found - 4.5)


def test_medians_of_unsmoothed_answers_are_integers():
    """The sources' rounding: these estimates miss a truth between two integers."""
    answers, density, rng = crowd(np.full(20, 4.75), 60_000, 0.9, 5)
    law = told(density)
    found = binary_search_median(answers, epsilon=4.0, law=law, rng=rng)
    assert (np.abs(found - 5) < 9 / 64).all()
    assert median_of_smoothed(4.75, law) == pytest.approx(4.75, abs=0.02)


@pytest.mark.parametrize("truth", [4.5, 6.0, 1.0])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_key_value_mean_averages_rounded_clipped_answers(truth, epsilon):
    answers, density, rng = crowd(np.full(200, truth), 20_000, 0.5, [6, round(truth)])
    law = told(density)
    found = key_value_mean(answers, epsilon=epsilon, law=law, rng=rng)
    mean = law.at(truth)[:-1] @ np.arange(10) / density
    within_error(found - mean)
    lead = peers._lead_of_all(epsilon, law)
    variance = second_moment(epsilon, density) - (lead * (mean - 4.5) / 4.5) ** 2
    assert np.std(found) == pytest.approx(4.5 * np.sqrt(variance / 20_000) / lead, rel=TOLERANCE / 20)


@EVERY
def test_tasks_do_not_affect_each_other(estimate):
    """The order of many tasks of different truths is found, and a single task is accepted."""
    truths = np.linspace(1, 8, 15)
    answers, density, rng = crowd(truths, 30_000, 0.9, 7)
    law = told(density)
    found = estimate(answers, epsilon=4.0, law=law, rng=rng)
    assert np.corrcoef(found, truths)[0, 1] > 0.98
    only, density, rng = crowd(np.array([6.0]), 30_000, 1.0, 8)
    assert estimate(only, epsilon=4.0, law=told(1.0), rng=rng) == pytest.approx(6, abs=0.6)


@EVERY
def test_reversed_domain_mirrors_estimates(estimate):
    """Mirrored answers give mirrored estimates on average."""
    answers, density, rng = crowd(np.full(200, 3.2), 4000, 0.5, 9)
    law = told(density)
    found = estimate(answers, epsilon=3.0, law=law, rng=rng)
    mirrored = 9 - estimate(9 - answers, epsilon=3.0, law=law, rng=rng)
    error = np.hypot(stats.sem(found), stats.sem(mirrored))
    assert abs(np.mean(found) - np.mean(mirrored)) <= TOLERANCE * error


@EVERY
def test_a_shifted_domain_shifts_the_estimates(estimate):
    answers, density, _ = crowd(np.array([3.2, 6.0]), 500, 0.5, 10)
    found = estimate(answers, epsilon=2.0, law=told(density), rng=1)
    shifted = estimate(answers - 4, epsilon=2.0, law=told(density, range(-4, 6)), rng=1)
    np.testing.assert_allclose(shifted, found - 4, atol=1e-9)


@EVERY
def test_tidy_answers_give_labels_back(estimate):
    frame = pd.DataFrame({"worker": list("aabb"), "task": ["x", "y", "x", "z"], "answer": [1, 2, 3, 4]})
    found = estimate(frame, epsilon=1.0, law=told(), rng=1)
    assert list(found.index) == ["x", "y", "z"]
    matrix = [[1, 2, NULL], [3, NULL, 4]]
    np.testing.assert_array_equal(found, estimate(matrix, epsilon=1.0, law=told(), rng=1))


@EVERY
@pytest.mark.parametrize("epsilon", [5e-324, 1e-9, 1.0, 1e300])
@pytest.mark.parametrize("domain", [range(1), range(2), range(10), range(-1000, 1000)])
def test_estimates_lie_in_the_domain(estimate, epsilon, domain):
    answers = np.array([[domain[0], domain[-1], NULL]] * 3)
    found = estimate(answers, epsilon=epsilon, law=told(0.7, domain), rng=1)
    assert found.shape == (3,)
    assert ((domain[0] <= found) & (found <= domain[-1])).all()


@EVERY
@pytest.mark.parametrize(
    ("wrong", "error", "name"),
    [
        ({"epsilon": 0.0}, ValueError, "epsilon"),
        ({"epsilon": NULL}, ValueError, "epsilon"),
        ({"epsilon": "1"}, TypeError, "epsilon"),
        ({"law": None}, TypeError, "law"),
        ({"law": told(0.0)}, ValueError, "law.density"),
        ({"law": told(domain=range(3))}, ValueError, "answers"),
        ({"answers": [[NULL, NULL]]}, ValueError, "answers"),
        ({"answers": []}, ValueError, "answers"),
        ({"rng": -1}, ValueError, "rng"),
    ],
)
def test_bad_input_is_refused(estimate, wrong, error, name):
    valid = {"answers": [[4, 1], [NULL, 7]], "epsilon": 1.0, "law": told(), "rng": 1}
    given = valid | wrong
    with pytest.raises(error, match=rf"{name} must"):
        estimate(given.pop("answers"), **given)


@pytest.mark.parametrize("estimate", [two_round_mean, key_value_mean])
def test_methods_for_integers_refuse_other_answers(estimate):
    with pytest.raises(ValueError, match="answers must be integers"):
        estimate([[4.2]], epsilon=1.0, law=told())


@pytest.mark.parametrize("estimate", [binary_search_median, online_median])
def test_medians_accept_answers_half_unit_outside_domain(estimate):
    assert estimate([[-0.5, 9.5]], epsilon=1.0, law=told()).shape == (2,)
    with pytest.raises(ValueError, match=r"answers must be numbers in -0\.5"):
        estimate([[-0.6, 9.5]], epsilon=1.0, law=told())
