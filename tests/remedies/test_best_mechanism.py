"""The program against other channels, its certificate by enumeration, the limits by quadrature."""

import time
from itertools import combinations, product
from math import comb, exp, expm1, inf, sqrt, tanh

import numpy as np
import pytest
from draws import draws
from hypothesis import given, settings, strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import airy
from scipy.stats import norm

from ldpbook.remedies import (
    AnswerLaw,
    ChannelResponse,
    best_information,
    known_types_limit,
    neighbour_groups,
    released_information,
    unlinked_limit,
)

NAN = float("nan")


def crowd(truth: float, density: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """The distribution of the source's crowd and its derivative, from scipy's normal distribution alone."""
    edges = np.arange(10 - 1) + 0.5
    beyond = np.mean([norm.sf(edges, truth, s) for s in (1.0, 5.0)], axis=0)
    steps = np.mean([norm.pdf(edges, truth, s) for s in (1.0, 5.0)], axis=0)
    p = density * -np.diff(np.concatenate([[1.0], beyond, [0.0]]))
    slope = density * -np.diff(np.concatenate([[0.0], steps, [0.0]]))
    return np.append(p, 1 - density), np.append(slope, 0.0)


def fisher(p, slope, channel) -> float:
    """Information summed over the outputs."""
    return sum((column @ slope) ** 2 / (column @ p) for column in np.transpose(channel))


def draw_law(rng: np.random.Generator, k: int) -> tuple[np.ndarray, np.ndarray]:
    p = rng.dirichlet(np.ones(k))
    slope = rng.normal(size=k)
    return p, slope - slope.mean()


def all_columns(k: int, epsilon: float) -> np.ndarray:
    """All extreme columns, scaled to largest entry 1, so that no epsilon overflows."""
    return np.array(list(product((1.0, exp(-epsilon)), repeat=k)))


def assert_is_certified(best, p, slope, epsilon: float) -> None:
    """Check the channel's epsilon and information, and that none of 2^k columns exceeds the multipliers."""
    channel = best.transition_matrix
    assert np.abs(channel.sum(axis=1) - 1).max() < 1e-12
    assert (channel > 0).all()
    assert np.log(channel.max(axis=0) / channel.min(axis=0)).max() <= epsilon * (1 + 1e-12)
    np.testing.assert_array_equal(best.patterns, (channel == channel.max(axis=0)).T)
    assert best.information == pytest.approx(fisher(p, slope, channel), rel=1e-9, abs=1e-300)
    columns = all_columns(len(p), epsilon)
    values = (columns @ slope) ** 2 / (columns @ p)
    assert (values - columns @ best.multipliers <= 1e-9 * values.max() + 1e-300).all()
    assert best.multipliers.sum() == pytest.approx(best.information, rel=1e-9, abs=1e-300)
    assert abs(best.gap) <= 1e-9 * best.information + 1e-300


@pytest.mark.parametrize(
    ("epsilon", "information", "of_rr"),
    [(1, 0.000660, 0.118), (2, 0.003776, 0.197), (3, 0.009671, 0.342), (4, 0.015806, 0.567)],
)
def test_centre_of_the_source_crowd(epsilon, information, of_rr):
    """Compare with an earlier computation; the optimal outputs are below, NULL and above."""
    p, slope = crowd(4.5)
    best = best_information(p, slope, epsilon=epsilon)
    assert best.information == pytest.approx(information, abs=5e-7)
    assert_is_certified(best, p, slope, epsilon)
    rr = np.ones((11, 11)) + (exp(epsilon) - 1) * np.eye(11)
    assert fisher(p, slope, rr / rr[0].sum()) / best.information == pytest.approx(of_rr, abs=5e-4)
    kinds = {tuple(np.flatnonzero(pattern).tolist()) for pattern in best.patterns}
    assert kinds == {(0, 1, 2, 3, 4), (5, 6, 7, 8, 9), (10,)}
    assert best.weights == pytest.approx([exp(epsilon) / (exp(epsilon) + 2)] * 3, rel=1e-12)


def test_package_law_agrees_with_scipy():
    p, slope = crowd(4.2, 0.3)
    law = AnswerLaw(domain=range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.3)
    np.testing.assert_allclose(law.at(4.2), p, atol=1e-15)
    np.testing.assert_allclose(law.slope(4.2), slope, atol=1e-15)


def test_without_privacy_information_is_that_of_answers():
    p, slope = crowd(4.5)
    assert (slope**2 / p).sum() == pytest.approx(0.0288, abs=5e-5)
    best = best_information(p, slope, epsilon=200.0)
    assert best.information == pytest.approx((slope**2 / p).sum(), rel=1e-9)
    assert_is_certified(best, p, slope, 200.0)


@settings(max_examples=draws(15, 60), deadline=None)
@given(
    st.integers(2, 7),
    st.floats(-7, 3.5).map(exp),
    st.floats(-8, 8).map(exp),
    st.integers(0, 2**32 - 1),
)
def test_every_optimum_is_certified(k, epsilon, size, seed):
    """Epsilon and the derivative range over many orders of magnitude; the two bounds meet at epsilon 0."""
    p, slope = draw_law(np.random.default_rng(seed), k)
    best = best_information(p, size * slope, epsilon=epsilon)
    assert_is_certified(best, p, size * slope, epsilon)
    total = size**2 * np.abs(slope).sum() ** 2 / 4
    assert best.information <= total * np.expm1(epsilon) ** 2 * (1 + 1e-9)
    assert best.information >= total * 4 * tanh(epsilon / 2) ** 2 * (1 - 1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_no_channel_found_by_descent_has_more(k):
    """Channels of k + 1 outputs and any columns with bounded ratios, improved from random starts."""
    rng, epsilon = np.random.default_rng(3), 1.3
    p, slope = draw_law(rng, k)
    best = best_information(p, slope, epsilon=epsilon).information
    pairs = [(i, j) for i in range(k) for j in range(k) if i != j]

    def channel(x):
        return x.reshape(k, k + 1)

    def bounded(x):
        return np.concatenate([exp(epsilon) * channel(x)[i] - channel(x)[j] for i, j in pairs])

    def sums(x):
        return channel(x).sum(axis=1) - 1

    found = []
    for _ in range(12):
        start = rng.dirichlet(np.ones(k + 1)) * rng.uniform(0.9, 1.1, (k, k + 1))
        result = minimize(
            lambda x: -fisher(p, slope, channel(x)),
            (start / start.sum(axis=1, keepdims=True)).ravel(),
            method="SLSQP",
            bounds=[(1e-9, 1)] * (k * (k + 1)),
            constraints=[{"type": "ineq", "fun": bounded}, {"type": "eq", "fun": sums}],
            options={"ftol": 1e-13, "maxiter": 500},
        )
        if bounded(result.x).min() > -1e-9 and np.abs(sums(result.x)).max() < 1e-9:
            found.append(-result.fun)
    assert best * (1 - 1e-5) <= max(found) <= best * (1 + 1e-6)


@settings(max_examples=draws(10, 40), deadline=None)
@given(st.integers(2, 6), st.integers(2, 8), st.floats(0.1, 5), st.integers(0, 2**32 - 1))
def test_no_random_channel_has_more(k, n_outputs, epsilon, seed):
    rng = np.random.default_rng(seed)
    p, slope = draw_law(rng, k)
    keep = (exp(epsilon) - 1) / (exp(epsilon) + n_outputs - 1)  # kept by k-ary randomized response
    channel = keep * rng.dirichlet(np.full(n_outputs, 0.2), size=k) + (1 - keep) / n_outputs
    assert np.log(channel.max(axis=0) / channel.min(axis=0)).max() <= epsilon + 1e-12
    assert fisher(p, slope, channel) <= best_information(p, slope, epsilon=epsilon).information * (1 + 1e-9)


def test_two_symbols_in_closed_form():
    best = best_information([0.3, 0.7], [1.0, -1.0], epsilon=0.7)
    assert best.information == pytest.approx(bit(0.3, 1.0, 0.7), rel=1e-12)


def bit(yes: float, slope: float, epsilon: float) -> float:
    """Information of one bit by randomized response, the optimum for two symbols."""
    t = exp(epsilon) / (1 + exp(epsilon))
    seen = t * yes + (1 - t) * (1 - yes)
    return ((2 * t - 1) * slope) ** 2 / (seen * (1 - seen))


def test_small_epsilon_sees_the_sum_of_absolute_slopes():
    p, slope = crowd(3.7)
    for epsilon in (1e-2, 1e-3, 1e-4):
        ratio = best_information(p, slope, epsilon=epsilon).information * 4 / epsilon**2
        assert ratio == pytest.approx(np.abs(slope).sum() ** 2, rel=2 * epsilon)


def test_several_laws_are_one_program():
    """The same law twice gives the same channel; two different laws share one that is best for neither."""
    first, second = crowd(4.5, 0.5), crowd(5.2, 0.5)
    law, slope = np.stack([first, second], axis=1)
    alone = best_information(*first, epsilon=2.0)
    twice = best_information([first[0]] * 2, [first[1]] * 2, epsilon=2.0, weights=[3, 5])
    assert twice.information == pytest.approx(alone.information, rel=1e-12)
    both = best_information(law, slope, epsilon=2.0, weights=[0.25, 0.75])
    columns = all_columns(11, 2.0)
    values = sum(w * (columns @ slope[i]) ** 2 / (columns @ law[i]) for i, w in enumerate([0.25, 0.75]))
    assert (values <= columns @ both.multipliers * (1 + 1e-9)).all()
    parts = released_information(law, slope, both.transition_matrix)
    assert parts.shape == (2,)
    assert both.information == pytest.approx(parts @ [0.25, 0.75], rel=1e-12)
    best = [best_information(*each, epsilon=2.0).information for each in (first, second)]
    assert both.information < np.dot(best, [0.25, 0.75])
    equal = best_information(law, slope, epsilon=2.0).information
    seven = best_information(law, slope, epsilon=2.0, weights=[7, 7]).information
    assert equal == pytest.approx(seven, rel=1e-12)


def test_constant_law_has_no_information():
    best = best_information([0.2, 0.8], [0.0, 0.0], epsilon=1.0)
    assert best.information == best.gap == 0
    assert best.transition_matrix.sum(axis=1) == pytest.approx(1)


def test_symbols_that_never_occur_do_no_harm():
    p, slope = np.array([0.0, 0.4, 0.6]), np.array([0.0, 0.1, -0.1])
    best = best_information(p, slope, epsilon=2.0)
    assert best.information == pytest.approx(best_information(p[1:], slope[1:], epsilon=2.0).information)
    assert_is_certified(best, p, slope, 2.0)


def test_eleven_symbols_take_less_than_two_seconds():
    start = time.perf_counter()
    best_information(*crowd(4.2), epsilon=3.0)
    assert time.perf_counter() - start < 2


def test_sixteen_symbols_and_no_more():
    p, slope = draw_law(np.random.default_rng(0), 16)
    assert abs(best_information(p, slope, epsilon=1.0).gap) < 1e-9 * np.abs(slope).sum() ** 2
    with pytest.raises(ValueError, match=r"^law must have at most 16 symbols, got 17: use neighbour_groups"):
        best_information(*draw_law(np.random.default_rng(0), 17), epsilon=1.0)


@pytest.mark.parametrize(
    ("law", "slope", "more", "message"),
    [
        ([0.5, 0.4], [1, -1], {}, "law must be probabilities"),
        ([1.5, -0.5], [1, -1], {}, "law must be probabilities"),
        ([1.0], [0.0], {}, "law must be probabilities of two or more symbols"),
        ([[[0.5, 0.5]]], [[[0.0, 0.0]]], {}, "law must be probabilities"),
        ([NAN, 0.5], [1, -1], {}, "law must be probabilities"),
        ([0.5, 0.5], [1, -0.9], {}, "derivative must sum to 0"),
        ([0.5, 0.5], [1, -1, 0], {}, "derivative must be numbers below 1e60 in the shape of law"),
        ([0.5, 0.5], [NAN, 1], {}, "derivative must be numbers"),
        ([0.5, 0.5], [1, -1], {"weights": [1, 1]}, "weights must be numbers >= 0, one for each law"),
        ([0.5, 0.5], [1, -1], {"weights": [0.0]}, "weights must be"),
        ([0.5, 0.5], [1, -1], {"weights": [-1.0]}, "weights must be"),
        ([0.5, 0.5], [1, -1], {"epsilon": 301.0}, "epsilon must be at most 300, got 301.0"),
        ([0.5, 0.5], [1, -1], {"epsilon": 0.0}, "epsilon must be a finite number > 0"),
    ],
)
def test_non_distributions_are_refused(law, slope, more, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        best_information(law, slope, **{"epsilon": 1.0, **more})


def test_information_of_a_given_channel():
    p, slope = crowd(4.2)
    channel = np.random.default_rng(1).dirichlet(np.ones(4), size=11)
    unused = np.insert(channel, 2, 0.0, axis=1)  # an output that never occurs reveals nothing
    assert released_information(p, slope, unused) == pytest.approx(fisher(p, slope, channel))
    assert released_information([p] * 3, [slope] * 3, channel).shape == (3,)
    with pytest.raises(ValueError, match=r"^transition_matrix must have a row for each of 11 symbols of law"):
        released_information(p, slope, channel[:10])
    with pytest.raises(ValueError, match=r"^transition_matrix must have rows of probabilities"):
        released_information(p, slope, channel * 1.1)


def most_kept(p, slope, n_groups):
    """The most information over all ways to cut the answers into runs, with NULL separate."""

    def kept(cuts):
        starts = [0, *cuts, len(p) - 1]
        return (np.add.reduceat(slope, starts) ** 2 / np.add.reduceat(p, starts)).sum()

    return max(map(kept, combinations(range(1, len(p) - 1), n_groups - 2)))


@pytest.mark.parametrize("n_groups", [4, 6, 9])
def test_wide_domains_lose_little_when_merged(n_groups):
    wide = AnswerLaw(domain=range(14), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.5)
    p, slope = wide.at(6.2), wide.slope(6.2)
    groups = neighbour_groups(p, slope, n_groups=n_groups)
    assert groups.tolist() == sorted(groups)
    assert set(groups) == set(range(n_groups))
    assert (groups == groups[-1]).sum() == 1  # NULL
    merge = np.eye(n_groups)[groups]
    kept = ((slope @ merge) ** 2 / (p @ merge)).sum()
    assert 0.97 < kept / most_kept(p, slope, n_groups) < 1 + 1e-12
    narrow = best_information(p @ merge, slope @ merge, epsilon=2.0)
    lifted = ChannelResponse(narrow.transition_matrix[groups], wide.domain)
    assert lifted.exact_epsilon == pytest.approx(2.0, rel=1e-12)
    found = released_information(p, slope, lifted.transition_matrix)
    assert found == pytest.approx(narrow.information, rel=1e-12)
    assert 0.97 < found / best_information(p, slope, epsilon=2.0).information < 1 + 1e-12


def test_groups_of_the_ends():
    p, slope = crowd(4.5)
    assert neighbour_groups(p, slope, n_groups=40).tolist() == list(range(11))
    assert neighbour_groups(p, slope, n_groups=2).tolist() == [0] * 10 + [1]
    assert neighbour_groups(p, slope, n_groups=3).tolist() == [0] * 5 + [1] * 5 + [2]


def test_a_channel_for_each_task():
    """Channels are padded with outputs that never occur; epsilon is the worst task's."""
    channels = np.zeros((2, 4, 3))
    channels[0] = [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6], [0.3, 0.3, 0.4]]
    channels[1, :, :2] = [[0.8, 0.2], [0.7, 0.3], [0.5, 0.5], [0.1, 0.9]]
    mechanism = ChannelResponse(channels, range(3))
    assert mechanism.exact_epsilon == pytest.approx(np.log(8))
    n = 40_000
    for row in ([0.0, NAN], [2.0, 1.0], [NAN, 0.0]):
        out = mechanism.perturb(np.tile(row, (n, 1)), 4)
        assert not np.isnan(out).any()
        for task, value in enumerate(row):
            expected = channels[task, 3 if np.isnan(value) else int(value)]
            share = (out[:, task, None] == np.arange(3)).mean(axis=0)
            assert (np.abs(share - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / n)).all()
    with pytest.raises(ValueError, match=r"^answers must be to 2 tasks, one for each channel .*, got 3"):
        mechanism.perturb([[0, 1, 2]], 0)


def test_channel_revealing_an_answer_is_refused():
    with pytest.raises(ValueError, match="columns that are positive, or 0 throughout"):
        ChannelResponse([[1.0, 0.0], [0.5, 0.5]], range(1))
    with pytest.raises(ValueError, match=r"a row for each answer of domain and for NULL, 4 of them, got 2"):
        ChannelResponse([[0.5, 0.5], [0.5, 0.5]], range(3))


def test_the_best_channel_is_a_mechanism():
    best = best_information(*crowd(4.2, 0.5), epsilon=4.0)
    mechanism = ChannelResponse(best.transition_matrix, range(10))
    assert mechanism.exact_epsilon == pytest.approx(4.0, rel=1e-12)
    assert set(np.unique(mechanism.perturb(np.full((500, 3), 4.0), 1))) <= set(range(len(best.weights)))


def test_single_answer_has_no_information():
    law = AnswerLaw(domain=range(1), sigmas=(1.0,), shares=(1.0,), density=0.5)
    limit = unlinked_limit(law, epsilon=1.0, n_workers=100, prior_mean=0.2, prior_deviation=0.8)
    assert limit == pytest.approx(0.8 * RATIO, rel=1e-6)


def mean_deviation_and_information(psi, slope) -> tuple[float, float]:
    """Mean deviation and information of the unnormalized symmetric density psi^2; psi has this slope."""
    mass, first, squares = (
        2 * quad(f, 0, 40, epsabs=1e-14, limit=400, points=[1.0])[0]
        for f in (lambda x: psi(x) ** 2, lambda x: x * psi(x) ** 2, lambda x: slope(x) ** 2)
    )
    return first / mass, 4 * squares / mass


A = 1.018792971647471  # minus the first zero of Airy's derivative, by a table
RATIO = 0.7916022  # by quadrature of the extremal density, below


def test_constant_is_that_of_extremal_density():
    """Squared Airy: no density has a smaller mean deviation times the square root of its information."""
    assert airy(-A)[1] == pytest.approx(0, abs=1e-14)
    first, information = mean_deviation_and_information(lambda x: airy(x - A)[0], lambda x: airy(x - A)[1])
    assert first * sqrt(information) == pytest.approx(RATIO, abs=1e-7)
    for power in (1.2, 1.5, 1.6, 1.7, 2.0, 3.0):
        first, information = mean_deviation_and_information(
            lambda x, power=power: exp(-(x**power) / 2),
            lambda x, power=power: -power / 2 * x ** (power - 1) * exp(-(x**power) / 2),
        )
        assert first * sqrt(information) > RATIO
        if power == 2:
            assert first * sqrt(information) == pytest.approx(sqrt(2 / np.pi), rel=1e-9)


@pytest.mark.parametrize("centre", [0.2, -4.0, 7.0])
@pytest.mark.parametrize("deviation", [0.02, 0.8, 4.0])
@pytest.mark.parametrize("narrow", [0.7, 0.03])
def test_limits_agree_with_quadrature_of_closed_form(deviation, centre, narrow):
    """Two answers and no NULL: the best report is a bit by randomized response.

    The cases include tails and narrow peaks.
    """
    law = AnswerLaw(domain=range(2), sigmas=(narrow, 2.0), shares=(0.3, 0.7), density=1.0)

    def mean(sigmas, shares):
        def at(truth):
            parts = np.array([(norm.sf(0.5, truth, s), norm.pdf(0.5, truth, s)) for s in sigmas])
            yes, slope = shares @ parts
            return bit(yes, slope, 1.5) * norm.pdf(truth, centre, deviation)

        low, high = centre - 12 * deviation, centre + 12 * deviation
        points = [x for x in (centre, 0.5, 0.4, 0.6, -2.5, 3.5) if low < x < high]
        return quad(at, low, high, epsabs=1e-13, limit=500, points=points)[0]

    mixed = mean((narrow, 2.0), np.array([0.3, 0.7]))
    apart = 0.3 * mean((narrow,), np.ones(1)) + 0.7 * mean((2.0,), np.ones(1))
    for function, information in [(unlinked_limit, mixed), (known_types_limit, apart)]:
        wanted = RATIO / sqrt(1 / deviation**2 + 300 * information)
        found = function(law, epsilon=1.5, n_workers=300, prior_mean=centre, prior_deviation=deviation)
        assert found == pytest.approx(wanted, rel=3e-4)


@pytest.mark.parametrize(
    ("limit", "density", "epsilon", "value"),
    [
        (unlinked_limit, 0.1, 0.5, 0.4113),
        (unlinked_limit, 0.5, 2.0, 0.0260),
        pytest.param(
            *(known_types_limit, 0.1, 1.0, 0.1832),
            marks=pytest.mark.slow("solves the program of ten answers and NULL at all truths of two kinds"),
        ),
    ],
)
def test_limits_of_the_crowd(limit, density, epsilon, value):
    """Values from another program for the optimum, by the trapezoidal rule with steps of 0.04."""
    law = AnswerLaw(domain=range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=density)
    found = limit(law, epsilon=epsilon, n_workers=20_000, prior_mean=4.5, prior_deviation=1.0)
    assert found == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize(
    ("density", "sigma", "mean", "deviation", "value"),
    [(1.0, 0.5, -3.0, 1.0, 0.1853), (1.0, 1.0, -6.0, 1.5, 0.7713), (0.1, 0.05, 4.5, 1.0, 0.02193)],
)
def test_no_tail_and_no_narrow_peak_is_missed(density, sigma, mean, deviation, value):
    """Values by the midpoint rule, with 300 to 3,000 truths within six standard deviations."""
    law = AnswerLaw(domain=range(10), sigmas=(sigma,), shares=(1.0,), density=density)
    found = unlinked_limit(law, epsilon=1.0, n_workers=20_000, prior_mean=mean, prior_deviation=deviation)
    assert found == pytest.approx(value, rel=4e-4)


@pytest.mark.parametrize("epsilon", [1e-12, 1e-9, 9.9e-7, 1.1e-6, 1e-4])
def test_tiny_epsilons(epsilon):
    """The optimum is between two bounds that meet at 0, with a certificate as close as epsilon."""
    for truth in np.linspace(4.05, 6.95, 30):
        p, slope = crowd(truth, 0.5)
        best = best_information(p, slope, epsilon=epsilon)
        total = np.abs(slope).sum() ** 2 / 4
        assert best.information >= total * 4 * tanh(epsilon / 2) ** 2 * (1 - 1e-12)
        assert best.information <= total * expm1(epsilon) ** 2 * (1 + 1e-12)
        assert -1e-12 <= best.gap / best.information <= 2e-6
    law, slope = np.stack([crowd(4.5, 0.5), crowd(5.2, 0.5)], axis=1)
    both = best_information(law, slope, epsilon=epsilon)
    bits = np.array(list(product((0.0, 1.0), repeat=11)))
    assert both.information == pytest.approx(
        ((bits @ slope.T) ** 2).mean(axis=1).max() * epsilon**2, rel=2e-4
    )


@pytest.mark.parametrize(
    ("epsilon", "stated"), [(20.0, 20.0), (34.0, pytest.approx(34.0, abs=0.3)), (40.0, inf)]
)
def test_output_that_is_never_drawn_reveals(epsilon, stated):
    """Random numbers are multiples of 2^-53, so rarer outputs never occur."""
    t = 1 / (1 + exp(-epsilon))
    channel = [[t, exp(-epsilon) * t], [exp(-epsilon) * t, t]]
    found = ChannelResponse(channel, range(1)).exact_epsilon
    assert found == (pytest.approx(stated, rel=1e-6) if epsilon == 20 else stated)


def test_the_limit_holds_for_an_exact_posterior():
    """Two answers by randomized response, 40 workers: the error of the posterior median, by enumeration."""
    law = AnswerLaw(domain=range(2), sigmas=(1.0,), shares=(1.0,), density=1.0)
    truths, n = np.linspace(-4.5, 5.5, 2001), 40
    prior = norm.pdf(truths, 0.5) / norm.pdf(truths, 0.5).sum()
    t = exp(1.0) / (1 + exp(1.0))
    seen = t * norm.sf(0.5, truths) + (1 - t) * norm.cdf(0.5, truths)
    error = 0.0
    for k in range(n + 1):
        joint = prior * comb(n, k) * seen**k * (1 - seen) ** (n - k)
        median = truths[np.searchsorted(joint.cumsum(), joint.sum() / 2)]
        error += (joint * np.abs(truths - median)).sum()
    limit = unlinked_limit(law, epsilon=1.0, n_workers=n, prior_mean=0.5, prior_deviation=1.0)
    assert limit < error < 1.25 * limit


def test_limits_refuse_bad_input():
    with pytest.raises(TypeError, match=r"^law must be an AnswerLaw"):
        unlinked_limit([0.5, 0.5], epsilon=1.0, n_workers=1, prior_mean=0.0, prior_deviation=1.0)
    wide = AnswerLaw(domain=range(16), sigmas=(1.0,), shares=(1.0,), density=0.5)
    with pytest.raises(ValueError, match=r"^law must have at most 16 symbols, got 17"):
        known_types_limit(wide, epsilon=1.0, n_workers=1, prior_mean=0.0, prior_deviation=1.0)


@pytest.mark.parametrize(
    ("truth", "density", "epsilon"),
    # In the first case the solver leaves a column of -2e-17.
    [(4.274466309189239, 0.2959359935777346, 3.0513049151322713), (4.5, 1.0, 4.0), (7.0, 0.05, 0.5)],
)
def test_rounding_leaves_no_column_below_zero(truth, density, epsilon):
    law = AnswerLaw(range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=density)
    best = best_information(law.at(truth), law.slope(truth), epsilon=epsilon)
    assert (best.transition_matrix > 0).all()
    np.testing.assert_allclose(best.transition_matrix.sum(axis=1), 1, rtol=0, atol=1e-12)
