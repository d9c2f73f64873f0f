"""Closed forms for privacy and error against independent computations, over their whole range.

The references never call the package: 50 and more digits with mpmath, quadrature, or enumeration. Arguments
are drawn log-uniformly, half of the draws over moderate and half over extreme sizes. A guarantee may be
rounded in one direction only: epsilon, delta, noise and bounds up, never down.

``make test-slow`` tries every form at 2,000 arguments, see draws.py; ``make test`` tries 500 if the
reference takes under a millisecond, otherwise 50. If a reference is itself a closed form, quadrature checks
it at a few arguments.
"""

import itertools
import math
from collections.abc import Callable, Iterator

import mpmath as mp
import numpy as np
import pytest
from draws import draws

from ldpbook.categorical_answers import bounds as categorical_bounds, error_bounds
from ldpbook.categorical_answers.bounds import (
    k_ary_variance,
    log_odds_weight,
    one_layer_epsilon,
    one_layer_flip_probability,
    two_layer_epsilon,
    two_layer_high,
    two_layer_low,
    two_layer_worker_epsilon,
    unary_variance,
)
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.class_ratios import bounds as ratio_bounds
from ldpbook.class_ratios.bounds import (
    class_ratio_error_bound,
    class_ratio_error_bound_corrected,
    composed_delta,
    composed_epsilon,
    counted_share,
    dirichlet_delta_limit,
    embedding_deviation_bound,
    embedding_deviation_bound_corrected,
    fourier_deviation,
    label_noise_bound,
    label_noise_bound_corrected,
    laplace_counts_delta,
    squared_weights,
)
from ldpbook.class_ratios.scaled_dirichlet import dirichlet_delta
from ldpbook.foundations import bounds as foundation_bounds, local_privacy
from ldpbook.foundations.bounds import highest_belief, inverse_deviation_price, lowest_belief
from ldpbook.localization import bounds as location_bounds
from ldpbook.localization.bounds import (
    cooperative_limit,
    gathered_powers,
    location_epsilon,
    location_sigma,
    negative_square_probability,
    planar_laplace_error,
    printed_powers,
    product_likelihood,
    user_epsilon,
    user_sigma,
)
from ldpbook.sparse_answers import bounds as sparse_bounds
from ldpbook.sparse_answers.bounds import (
    lp_mae_bound,
    lp_mae_bound_corrected,
    lp_mae_bound_equal_weights,
    mf_mae_bound,
    mf_mae_bound_corrected,
    rr_mae_bound,
    rr_mae_bound_corrected,
)
from ldpbook.sparse_answers.laplace import LaplacePerturbation
from ldpbook.sparse_answers.randomized_response import RandomizedResponse
from ldpbook.whole_worker import bounds as worker_bounds, composition, sampling_bounds
from ldpbook.whole_worker.bounds import (
    averaging_rate,
    liars_as_noise,
    link_limit,
    link_rate,
    memoized_epsilon,
    response_shift,
    row_epsilon,
    shuffle_epsilon_closed_form,
    threshold_shift,
    unary_shift,
)
from ldpbook.whole_worker.composition import (
    advanced_epsilon,
    response_delta,
    response_epsilon,
)
from ldpbook.whole_worker.sampling_bounds import (
    asked_information,
    mixed_information,
    own_information,
    questions_to_ask,
    row_information_limit,
)

QUICK, SLOW, CHECKED = draws(500), draws(50), draws(5)
ULP = 1e-15
mp.mp.dps = 50


class Draw:
    """Arguments drawn log-uniformly."""

    def __init__(self, rng: np.random.Generator, wide: bool) -> None:
        self.rng, self.wide = rng, wide

    def size(self, moderate: float = 6, extreme: float = 100) -> float:
        """A number > 0: within 10^moderate of 1, or within 10^extreme."""
        reach = extreme if self.wide else moderate
        return float(10 ** self.rng.uniform(-reach, reach))

    def small(self, moderate: float = 12, extreme: float = 100) -> float:
        """A number in (0, 1): near 0, near 1 or between, equally often."""
        x = float(10 ** -self.rng.uniform(0, extreme if self.wide else moderate))
        kind = self.rng.integers(3)
        near_one = min(max(1 - x, 0.5), 1 - 2.0**-53)
        return x if kind == 0 else float(self.rng.uniform(0.001, 0.999)) if kind == 1 else near_one

    def count(self, least: int, most: float) -> int:
        return least - 1 + round(float(10 ** self.rng.uniform(0, math.log10(most))))

    def uniform(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))


def drawn(n: int) -> Iterator[Draw]:
    rng = np.random.default_rng(12)
    for k in range(n):
        yield Draw(rng, wide=k % 2 == 1)


def rounded_up(value: float, truth: mp.mpf, relative: float = 1e-12, absolute: float = 0.0) -> None:
    """Assert that a value is at most a few units of the last place below the truth, and not far above it."""
    assert value >= truth * (1 - 4 * ULP) - absolute, (value, mp.nstr(truth, 17))
    assert value <= truth * (1 + relative) + absolute + 1e-320, (value, mp.nstr(truth, 17))


def agrees(value: float, truth: mp.mpf, relative: float = 1e-12, absolute: float = 0.0) -> None:
    if abs(truth) > 1e308:
        assert math.isinf(value)
        return
    assert abs(value - truth) <= relative * abs(truth) + absolute + 1e-320, (value, mp.nstr(truth, 17))


# ---- Gaussian noise


def delta_of(ratio: mp.mpf, epsilon: float) -> mp.mpf:
    with mp.workdps(60 + max(0, int(-2 * mp.log10(ratio))) + int(max(0, mp.log10(epsilon + 1)))):
        return mp.ncdf(ratio / 2 - epsilon / ratio) - mp.exp(epsilon) * mp.ncdf(-ratio / 2 - epsilon / ratio)


def near_the_loss(d: Draw) -> tuple[float, float]:
    """A ratio distance/sigma and an epsilon where delta is neither 0 nor 1 to any precision."""
    ratio = d.size(6, 20)
    epsilon = max(0.0, ratio**2 / 2 + ratio * d.uniform(-6, 36))
    return ratio, epsilon


def test_gaussian_delta():
    for k, d in enumerate(drawn(SLOW)):
        ratio, epsilon = near_the_loss(d) if k % 4 else (d.size(), d.size())
        sigma = d.size(3, 50)
        distance = ratio * sigma
        exact = mp.mpf(distance) / mp.mpf(sigma)
        if epsilon / exact - exact / 2 > 10**5:  # here the truth is below exp(-10^9)
            found = local_privacy.gaussian_delta(sigma=sigma, distance=distance, epsilon=epsilon)
            assert 0 < found < 1e-300
            continue
        spread = float(abs(epsilon / exact - exact / 2))
        lost = 8 * ULP * (epsilon / ratio + ratio)  # epsilon/ratio is rounded
        slack = 1e-10 + lost * (1 + spread) if lost < 1e-3 else math.inf
        truth = delta_of(exact, epsilon)
        rounded_up(
            local_privacy.gaussian_delta(sigma=sigma, distance=distance, epsilon=epsilon), truth, slack
        )


def test_gaussian_delta_where_rounding_once_ended_in_zero():
    assert local_privacy.gaussian_delta(sigma=1.0, distance=1e-17, epsilon=0.0) == pytest.approx(
        3.989e-18, rel=1e-3
    )
    assert local_privacy.gaussian_delta(sigma=1.0, distance=1.0, epsilon=1e6) > 0


def test_gaussian_epsilon():
    for d in drawn(SLOW):
        ratio, delta = d.size(6, 8), d.small(12, 250)
        found = local_privacy.gaussian_epsilon(sigma=1.0, distance=ratio, delta=delta)
        assert delta_of(mp.mpf(ratio), found) <= delta * (1 + mp.mpf(10) ** -14)
        slack = 1e-9 * (1 + found) + 8 * ULP * ratio * (1 + ratio)
        if found > slack:
            # delta is rounded up by 1e-12, which shows if delta is 1 to that many digits
            assert delta_of(mp.mpf(ratio), found - slack) >= delta * (1 - 1e-11)


def test_gaussian_sigma():
    for d in drawn(SLOW):
        epsilon, delta = d.size(6, 12), d.small(12, 250)
        found = local_privacy.gaussian_sigma(epsilon=epsilon, distance=1.0, delta=delta)
        ratio = 1 / mp.mpf(found)
        assert delta_of(ratio, epsilon) <= delta
        assert delta_of(ratio * (1 + mp.mpf(10) ** -9), epsilon) >= delta * (1 - 1e-11)


def test_location_and_user_epsilon():
    for d in drawn(QUICK):
        sigma, distance, n, delta = d.size(), d.size(), d.count(1, 1e6), d.small()
        setting = dict(distance=distance, n_particles=n, delta=delta)
        rho = 1 / (2 * mp.mpf(sigma) ** 2)
        level = rho * n * mp.mpf(distance) ** 2
        truth = level + 2 * mp.sqrt(level * mp.log(1 / mp.mpf(delta)))
        agrees(user_epsilon(sigma=sigma, **setting), truth)
        wanted = d.size()
        noise = user_sigma(epsilon=wanted, **setting)
        if math.isfinite(noise) and noise > 0:
            level = n * mp.mpf(distance) ** 2 / (2 * mp.mpf(noise) ** 2)
            agrees(wanted, level + 2 * mp.sqrt(level * mp.log(1 / mp.mpf(delta))), 1e-10)


def test_location_is_the_case_of_one_particle():
    for d in drawn(QUICK):
        distance, delta, wanted = d.size(), d.small(), d.size()
        agrees(
            location_epsilon(sigma=1.0, distance=distance, delta=delta),
            mp.mpf(distance) ** 2 / 2 + mp.sqrt(2 * mp.log(1 / mp.mpf(delta))) * distance,
        )
        noise = location_sigma(epsilon=wanted, distance=1.0, delta=delta)
        spread = 1 / mp.mpf(noise)
        agrees(wanted, spread**2 / 2 + mp.sqrt(2 * mp.log(1 / mp.mpf(delta))) * spread, 1e-10)


def test_two_layer_high_spends_no_more():
    for d in drawn(SLOW):
        low, s, k = d.uniform(0.01, 0.3), d.count(2, 6), d.count(1, 8)
        epsilon = d.uniform(0.05, 2)
        try:
            high = two_layer_high(epsilon, s, low=low, n_answers=k)
        except ValueError:
            continue
        moments = flip_moments(low, high, k)
        assert max(abs(mp.log((s - 1) * moments[j] / moments[j + 1])) for j in range(k)) <= epsilon * (
            1 + 1e-8
        )


def test_printed_conversion_is_never_below_exact_epsilon():
    for d in drawn(SLOW):
        ratio, delta = d.size(3, 6), d.small(12, 200)
        printed = location_epsilon(sigma=1.0, distance=ratio, delta=delta)
        assert delta_of(mp.mpf(ratio), printed) <= delta


# ---- finite alphabets


def test_discrete_epsilon():
    for d in drawn(QUICK):
        rows, columns = d.count(1, 5), d.count(2, 5)
        weights = 10.0 ** d.rng.uniform(-30 if d.wide else -3, 0, (rows, columns))
        matrix = weights / weights.sum(axis=1, keepdims=True)
        truth = max(mp.log(mp.mpf(max(c)) / mp.mpf(min(c))) for c in matrix.T.tolist())
        agrees(local_privacy.discrete_epsilon(matrix), truth, absolute=2e-14)


def test_one_layer_epsilon_and_its_inverse():
    for d in drawn(QUICK):
        p, s = d.small(12, 300), d.count(2, 1e6)
        agrees(one_layer_epsilon(p, s), abs(mp.log((1 - mp.mpf(p)) * (s - 1) / mp.mpf(p))), 1e-14, 1e-13)
        epsilon = d.size(3, 200)
        p = one_layer_flip_probability(epsilon, s)
        assert 0 < p <= 1 - 1 / s + ULP
        spent = mp.log((1 - mp.mpf(p)) * (s - 1) / mp.mpf(p))
        assert spent <= epsilon + mp.mpf(10) ** -14 * (1 + epsilon) + 4e-16 * s  # p is a float near 1
        if epsilon < 700:
            assert spent >= epsilon - 1e-13 * (1 + epsilon) - 4e-16 * s


def flip_moments(low: float, high: float, k: int) -> list[mp.mpf]:
    """E p^j (1-p)^(k-j) for j = 0..k, with p from U(low, high)."""
    a, b = mp.mpf(low), mp.mpf(high)
    if a == b:
        return [a**j * (1 - a) ** (k - j) for j in range(k + 1)]
    with mp.workdps(400):
        return [mp.betainc(j + 1, k - j + 1, a, b) / (b - a) for j in range(k + 1)]


def test_two_layer_epsilon():
    for d in drawn(SLOW):
        ends = sorted((d.small(9, 60), d.small(9, 60)))
        k, s = d.count(1, 12), d.count(2, 20)
        moments = flip_moments(*ends, k)
        ratios = [(s - 1) * moments[j] / moments[j + 1] for j in range(k)]
        truth = max(abs(mp.log(r)) for r in ratios)
        agrees(two_layer_epsilon(*ends, s, k), truth, 1e-9, 1e-9)


def test_two_layer_worker_epsilon():
    for d in drawn(SLOW):
        ends = sorted((d.small(9, 60), d.small(9, 60)))
        k, s = d.count(1, 12), d.count(2, 20)
        chances = [m / mp.mpf(s - 1) ** j for j, m in enumerate(flip_moments(*ends, k))]
        truth = mp.log(max(chances) / min(chances))
        agrees(two_layer_worker_epsilon(*ends, s, k), truth, 1e-9, 1e-9)


def test_two_layer_worker_epsilon_of_some_answers():
    for d in drawn(SLOW):
        ends = sorted((d.small(9, 60), d.small(9, 60)))
        k, s = d.count(1, 12), d.count(2, 20)
        h = min(k, d.count(1, 12))
        chances = [m / mp.mpf(s - 1) ** j for j, m in enumerate(flip_moments(*ends, k))]
        near = [(x, y) for i, x in enumerate(chances) for j, y in enumerate(chances) if abs(i - j) <= h]
        truth = max(mp.log(x / y) for x, y in near)
        agrees(two_layer_worker_epsilon(*ends, s, k, n_changed=h), truth, 1e-9, 1e-9)


def test_row_epsilon():
    """By all numbers of tasks answered by both rows, only by the first, and only by the second."""
    for d in drawn(SLOW):
        k = d.count(1, 7)
        n, losses = k + d.count(1, 9) - 1, [d.size(3, 100) for _ in range(3)]
        truth = max(
            sum(mp.mpf(x) * times for x, times in zip(losses, each, strict=True))
            for each in itertools.product(range(k + 1), repeat=3)
            if each[0] + max(each[1:]) <= k and sum(each) <= n
        )
        names = "epsilon", "epsilon_to_null", "epsilon_from_null"
        agrees(row_epsilon(n_answers=k, n_tasks=n, **dict(zip(names, losses, strict=True))), truth, 1e-12)


def test_two_layer_ends_never_spend_more():
    for d in drawn(SLOW):
        epsilon, s, k = d.size(1, 1.3), d.count(2, 10), d.count(1, 12)
        try:
            low = two_layer_low(epsilon, s, high=1 - 1 / s, n_answers=k)
        except ValueError:
            continue
        moments = flip_moments(low, 1 - 1 / s, k)
        truth = max(abs(mp.log((s - 1) * moments[j] / moments[j + 1])) for j in range(k))
        assert truth <= epsilon * (1 + 1e-8) + 1e-11


@pytest.mark.parametrize("make", [LaplacePerturbation, RandomizedResponse])
def test_cell_epsilon_of_the_mechanisms(make):
    for d in drawn(QUICK):
        epsilon, size = d.size(3, 100), d.count(2, 12)
        found = make(epsilon, range(size)).exact_epsilon
        if make is LaplacePerturbation:  # outputs beyond both ends of the domain
            truth = mp.mpf(size - 1) / (mp.mpf(size) / mp.mpf(epsilon))
        else:
            keep, other = 1 / (1 + size * mp.exp(-mp.mpf(epsilon))), 1 / (size + mp.exp(mp.mpf(epsilon)))
            truth = mp.log(keep / other)
        agrees(found, truth, 1e-12, 1e-12)


def test_flip_matrices_have_the_epsilon_they_state():
    for d in drawn(QUICK):
        flip = OneLayerFlip.with_probability(
            d.small(6, 12), d.count(2, 8), null_is_symbol=bool(d.rng.integers(2))
        )
        columns = flip.transition_matrix.T.tolist()
        truth = max(mp.log(mp.mpf(max(c)) / mp.mpf(min(c))) for c in columns)
        agrees(flip.exact_epsilon, truth, 1e-9, 1e-9)


# ---- Laplace noise


def test_laplace_counts_delta():
    """With one label moved, two counts shift by 1 each; the loss of one count is linear between its ends."""
    for d in drawn(SLOW):
        scale, epsilon = d.size(2, 4), d.size(3, 6)
        width = 1 / mp.mpf(scale)
        truth = two_laplace_delta(width, mp.mpf(epsilon))
        rounded_up(laplace_counts_delta(scale=scale, epsilon=epsilon), truth, 1e-9)


def two_laplace_delta(width: mp.mpf, epsilon: mp.mpf) -> mp.mpf:
    """E max(0, 1 - exp(epsilon - L)) for the sum L of two independent losses of Laplace noise."""

    def above(t: mp.mpf) -> mp.mpf:  # the same mean for one loss; the integral below tests this closed form
        if t >= width:
            return mp.mpf(0)
        if t <= -width:
            return 1 - mp.exp(t)
        return 1 - mp.exp((t - width) / 2)

    if epsilon >= 2 * width:
        return mp.mpf(0)
    # P(L1 = width) = 1/2 and P(L1 = -width) = e^-width/2; between, its density is e^((l - width)/2)/4.
    low = max(-width, epsilon - width)
    between = mp.quad(lambda x: mp.exp((x - width) / 2) / 4 * above(epsilon - x), [low, width])
    return above(epsilon - width) / 2 + mp.exp(-width) / 2 * above(epsilon + width) + between


# ---- errors of sparse numeric answers


def mean_abs(offset: mp.mpf, scale: mp.mpf) -> mp.mpf:
    """E|c + L| for Laplace noise L of this scale, piecewise by an antiderivative."""
    c = abs(offset) / scale

    def below(x: mp.mpf, constant: mp.mpf, slope: int) -> mp.mpf:
        """An antiderivative of (constant + slope x) exp(-x)."""
        return -(constant + slope + slope * x) * mp.exp(-x)

    right = -below(mp.mpf(0), c, 1)
    left = below(c, c, -1) - below(mp.mpf(0), c, -1) - below(c, -c, 1)
    return scale * (right + left) / 2


def mean_abs_normal(sigma: mp.mpf, scale: mp.mpf) -> mp.mpf:
    """E|X + L| = E|X| + scale E exp(-|X|/scale) for normal X; the last mean by completing the square."""
    ratio = sigma / scale
    return sigma * mp.sqrt(2 / mp.pi) + scale * mp.exp(ratio**2 / 2) * mp.erfc(ratio / mp.sqrt(2))


def mean_abs_by_quadrature(offset: mp.mpf, scale: mp.mpf) -> mp.mpf:
    """E|c + L| by the definition of the mean."""
    c = abs(offset) / scale
    pieces = [0, c, c + 5, c + 40, c + 120]
    right = mp.quad(lambda x: (c + x) * mp.exp(-x) / 2, [0, 5, 40, 120])
    left = mp.quad(lambda x: abs(c - x) * mp.exp(-x) / 2, pieces)
    return scale * (right + left)


def mean_abs_normal_by_quadrature(sigma: mp.mpf, scale: mp.mpf) -> mp.mpf:
    spread = scale / sigma

    def density(x: mp.mpf) -> mp.mpf:
        return mp.exp(-(x**2) / 2) * mp.sqrt(2 / mp.pi)

    ends = [0, *sorted({min(mp.mpf(40), spread * r) for r in (1, 10, 60)}), 40]
    smoothed = mp.quad(lambda x: density(x) * mp.exp(-x / spread), ends)
    return sigma * mp.quad(lambda x: x * density(x), [0, 2, 10, 40]) + scale * smoothed


def test_references_for_laplace_noise_agree_with_quadrature():
    for d in drawn(CHECKED):
        offset, sigma, scale = (mp.mpf(d.size(2, 8)) for _ in range(3))
        for found, by_definition in (
            (mean_abs(offset, scale), mean_abs_by_quadrature(offset, scale)),
            (mean_abs_normal(sigma, scale), mean_abs_normal_by_quadrature(sigma, scale)),
        ):
            assert mp.almosteq(found, by_definition, rel_eps=mp.mpf("1e-15"))


def cell_setting(d: Draw, most: int = 12) -> tuple[dict[str, object], list[int]]:
    first, size = int(d.rng.integers(-5, 6)), d.count(2, most)
    domain = range(first, first + size)
    setting = dict(
        epsilon=d.size(3, 8),
        domain=domain,
        density=d.small(),
        sigma=d.size(2, 8),
        truth=first + d.uniform(-1, size),
    )
    return setting, list(domain)


def test_lp_bounds():
    for d in drawn(SLOW):
        setting, values = cell_setting(d, most=4)
        scale = mp.mpf(len(values)) / setting["epsilon"]
        s, sigma, mu = (mp.mpf(setting[name]) for name in ("density", "sigma", "truth"))
        empty = sum(mean_abs(v - mu, scale) for v in values) / len(values)
        answered = mean_abs_normal(sigma, scale)
        agrees(lp_mae_bound_corrected(**setting), (1 - s) * empty + s * answered, 1e-9)
        offset = abs(mu - mp.mpf(sum(values)) / len(values))
        printed = (1 - s) * (offset + scale) + s * (sigma * mp.sqrt(2 / mp.pi) + scale)
        agrees(lp_mae_bound(**setting), printed, 1e-12)


def test_lp_bound_for_equal_weights():
    for d in drawn(QUICK):
        setting, values = cell_setting(d)
        scale = mp.mpf(len(values)) / setting["epsilon"]
        s, sigma, mu, m = mp.mpf(setting["density"]), mp.mpf(setting["sigma"]), mp.mpf(setting["truth"]), 7
        bias = (1 - s) * sum(v - mu for v in values) / len(values)
        square = (1 - s) * sum((v - mu) ** 2 for v in values) / len(values) + s * sigma**2 + 2 * scale**2
        truth = mp.sqrt(bias**2 + (square - bias**2) / m)
        agrees(lp_mae_bound_equal_weights(n_workers=m, **setting), truth, 1e-9)


def test_rr_bounds():
    for d in drawn(QUICK):
        setting, values = cell_setting(d)
        size, keep = len(values), mp.exp(mp.mpf(setting["epsilon"]))
        s, sigma, mu = (mp.mpf(setting[name]) for name in ("density", "sigma", "truth"))
        law = [mp.exp(-(((x - mu) / sigma) ** 2) / 2) for x in values]
        chance = [s * w / sum(law) for w in law]  # of each answer before the response; NULL has 1 - s
        after = [(keep * p + (1 - p)) / (size + keep) for p in chance]
        truth = sum(p * abs(y - mu) for p, y in zip(after, values, strict=True)) / sum(after)
        agrees(rr_mae_bound_corrected(**setting), truth, 1e-9)
        density = [w / (sigma * mp.sqrt(2 * mp.pi)) for w in law]
        mean_of = [(x * keep + sum(values) - x) / (size + keep) for x in values]
        printed = (1 - s) * abs(mu - sum(values) / (size + keep)) + s * sum(
            w * abs(mu - y) for w, y in zip(density, mean_of, strict=True)
        )
        agrees(rr_mae_bound(**setting), printed, 1e-9, 1e-12)


def test_mf_bounds():
    """For one worker and one group: a mean of normal answers and Laplace noise."""
    for d in drawn(SLOW):
        rank, per_group, size = d.count(1, 30), d.count(1, 50), d.count(2, 12)
        n, epsilon, sigma = rank * per_group, d.size(2, 6), d.size(2, 6)
        setting = dict(epsilon=epsilon, domain_size=size, n_tasks=n, rank=rank)
        agrees(mf_mae_bound(**setting), mp.sqrt(2 / mp.pi) + mp.mpf(rank) * size / (n * mp.mpf(epsilon)))
        answered = d.count(1, per_group)
        density = answered / per_group
        scale = mp.mpf(size) / (epsilon * mp.mpf(answered))
        deviation = mp.mpf(sigma) / mp.sqrt(answered)
        truth = mean_abs_normal(deviation, scale)
        found = mf_mae_bound_corrected(density=density, sigma=sigma, **setting)
        assert found >= truth * (1 - 1e-12)
        assert found <= 2 * truth


# ---- votes


def test_vote_error_and_its_bound():
    for d in drawn(SLOW):
        accuracies = [d.small(12, 100) for _ in range(d.count(1, 7))]
        exact = [mp.mpf(a) for a in accuracies]
        truth = mp.mpf(0)
        for pattern in range(2 ** len(exact)):
            right = [pattern >> u & 1 for u in range(len(exact))]
            one = mp.fprod(a if r else 1 - a for a, r in zip(exact, right, strict=True))
            other = mp.fprod(1 - a if r else a for a, r in zip(exact, right, strict=True))
            truth += min(one, other) / 2
        agrees(error_bounds.vote_error(accuracies), truth, 1e-12)
        assert error_bounds.vote_error_bound_corrected(accuracies) >= truth * (1 - 1e-12)
        affinity = mp.fprod(2 * mp.sqrt(a * (1 - a)) for a in exact) / 2
        agrees(error_bounds.vote_error_bound_corrected(accuracies), affinity, 1e-12)
        factors = [(a / mp.e + (1 - a) * mp.e) ** mp.log(a / (1 - a)) for a in exact]
        agrees(error_bounds.vote_error_bound(accuracies), mp.fprod(factors), 1e-10)


def test_equal_vote_error():
    """By all numbers of right answers: those that lose the vote, and half of a tie."""
    for d in drawn(SLOW):
        n, accuracy = d.count(1, 1000), d.small(12, 100)
        wrong = min(mp.mpf(accuracy), 1 - mp.mpf(accuracy))
        law = [mp.binomial(n, k) * (1 - wrong) ** k * wrong ** (n - k) for k in range(n // 2 + 1)]
        truth = mp.fsum(law) - (law[-1] / 2 if n % 2 == 0 else 0)
        agrees(error_bounds.equal_vote_error(accuracy=accuracy, n_users=n), truth, 1e-11)


def test_variances_of_frequency_oracles():
    """By the variance of a bit that is 1 with probability p for workers with the choice, q for others."""
    for d in drawn(QUICK):
        eps, f, k = 10 ** d.uniform(-12, 2.8), d.small(12, 300), d.count(2, 1e6)
        e, share = mp.exp(eps), mp.mpf(f)
        for found, (p, not_p), (q, not_q) in (
            (k_ary_variance(n_choices=k, epsilon=eps, frequency=f), (e, k - 1), (1, e + k - 2)),
            (unary_variance(epsilon=eps, frequency=f), (mp.mpf(1), 1), (1, e)),
        ):  # unnormalized probabilities of 1 and of 0
            own, other = p + not_p, q + not_q
            noise = share * p * not_p / own**2 + (1 - share) * q * not_q / other**2
            agrees(found, noise / (p / own - q / other) ** 2, 1e-13, 1e-300)


def test_log_odds_weight():
    """By Bayes' rule: log odds of a choice against any other after one answer for it."""
    for d in drawn(QUICK):
        alpha, s = d.small(12, 300), d.count(2, 1e6)
        truth = mp.log(mp.mpf(alpha) / ((1 - mp.mpf(alpha)) / (s - 1)))
        agrees(log_odds_weight(accuracy=alpha, n_choices=s), truth, 1e-13, 1e-13)


# ---- foundations


def test_beliefs():
    """Bayes' rule with an output that is e^epsilon times as likely for one answer, or for the other."""
    for d in drawn(QUICK):
        pi, epsilon = d.small(12, 300), d.size(3, 20)
        odds, factor = mp.mpf(pi) / (1 - mp.mpf(pi)), mp.exp(mp.mpf(epsilon))
        agrees(highest_belief(prior=pi, epsilon=epsilon), 1 / (1 + 1 / (odds * factor)))
        # If exp(-epsilon) is below the normal floats, all digits are lost.
        agrees(lowest_belief(prior=pi, epsilon=epsilon), 1 / (1 + factor / odds), 1e-12, 1e-300)


def test_inverse_deviation_price():
    """The two variances of a weighted mean of answers, by their definition."""
    for d in drawn(QUICK):
        careful, others = d.count(1, 1000), d.count(1, 1000) - 1
        sigma = 1 + d.size(3, 100)
        total, s = careful + others, mp.mpf(sigma)
        weighted = total / (careful + others / s) ** 2  # weights 1/sigma: the sum of q^2 sigma^2 is total
        least = 1 / (careful + others / s**2)
        found = inverse_deviation_price(careful=careful / total, deviation=sigma)
        agrees(found, weighted / least, 1e-12)
        assert found <= total / careful * (1 + 1e-12)


# ---- localization


def test_negative_square_probability():
    """The integral of the Rice density up to 2 sigma."""
    for k, d in enumerate(drawn(SLOW)):
        sigma = d.size(3, 100)
        ratio = d.uniform(0, 30) if k % 4 else d.size(2, 3)
        distance = ratio * sigma
        exact = mp.mpf(distance) / mp.mpf(sigma)
        found = negative_square_probability(distance=distance, sigma=sigma)
        if exact > 70:
            assert found < 1e-300
            continue

        def density(r: mp.mpf, d: mp.mpf = exact) -> mp.mpf:
            return r / 2 * mp.exp(-r * r / 4) * mp.besseli(0, r * d / 2)

        # The last factor stays outside, because the quadrature's error is absolute.
        with mp.workdps(30):
            truth = mp.quad(density, [0, 2], method="gauss-legendre") * mp.exp(-(exact**2) / 4)
        agrees(found, truth, 1e-11, 1e-300)


def test_product_likelihood():
    for d in drawn(QUICK):
        sigma, n = d.size(3, 100), d.count(1, 1000)
        misfit = d.uniform(-8, 8) * sigma
        truth = mp.fprod([mp.exp(-((mp.mpf(misfit) / mp.mpf(sigma)) ** 2) / 2)] * n)
        agrees(product_likelihood(misfit=misfit, sigma=sigma, n_particles=n), truth, 1e-11, 1e-300)


def test_powers():
    """By counting: three operations per term, and one per sum over the neighbour's particles."""
    for r, k in itertools.product(range(1, 8), range(1, 6)):
        terms = [(own, j, hers) for own in range(r) for j in range(k) for hers in range(r)]
        assert printed_powers(n_particles=r, n_neighbours=k) == 3 * len(terms)
        sums = {(own, j) for own, j, _ in terms} | {("squares", j) for _, j, _ in terms}
        assert gathered_powers(n_particles=r, n_neighbours=k) == len(sums)


def test_planar_laplace_error():
    """The mean radius under the density of one report, with epsilon / n / distance per metre."""
    for d in drawn(SLOW):
        epsilon, distance, n = d.size(3, 100), d.size(3, 100), d.count(1, 1000)
        found = planar_laplace_error(epsilon=epsilon, distance=distance, n_reports=n)
        rate = mp.mpf(epsilon) / n / mp.mpf(distance)
        mean = mp.quad(lambda x: x * x * mp.exp(-x), [0, 2, 10, 50, 200])  # the radius is x / rate
        agrees(found, mean / rate, 1e-12)


def test_cooperative_limit():
    """Against the inverse of the information matrix, entry by entry."""
    for d in drawn(SLOW):
        users = d.count(2, 8)
        anchors = d.count(1, users - 1)
        given = {"prior_information": d.size(3, 20), "pair_information": d.size(3, 20)}
        epsilon = d.size(3, 20)
        found = cooperative_limit(epsilon=epsilon, n_users=users, n_anchors=anchors, **given)
        with mp.workdps(150):
            e = mp.mpf(given["pair_information"])
            matrix = mp.matrix(users, users)
            for i, j in itertools.product(range(users), repeat=2):
                told = mp.mpf(epsilon) ** 2 / 2 if i < anchors else 0
                alone = mp.mpf(given["prior_information"]) + (users - 1) * e + told
                matrix[i, j] = alone if i == j else -e
            truth = mp.sqrt(2 * (matrix**-1)[users - 1, users - 1])
        agrees(found, truth, 1e-12)


def test_importance():
    for d in drawn(QUICK):
        a = d.small(12, 300)
        x = mp.mpf(a)
        agrees(
            error_bounds.importance_score(a), 1 / (x / mp.e + (1 - x) * mp.e) ** mp.log(x / (1 - x)), 1e-10
        )
        agrees(error_bounds.importance_score_corrected(a), 1 / (2 * mp.sqrt(x * (1 - x))), 1e-12)


def test_products_of_flip_probabilities():
    for d in drawn(SLOW):
        n, high = d.count(1, 60), d.small(3, 60)
        depth = d.size(1, 3) * n
        delta = float(mp.mpf(high) ** n * mp.exp(-mp.mpf(depth)))
        if delta < 1e-300:
            continue
        t = n * mp.log(mp.mpf(high)) - mp.log(mp.mpf(delta))
        if t <= 1e-6 * n:
            continue
        agrees(error_bounds.delta_cdf(delta, high=high, n_users=n), mp.gammainc(n, t, regularized=True), 1e-8)
        density = t ** (n - 1) / (mp.mpf(high) ** n * mp.factorial(n - 1))
        agrees(error_bounds.delta_density(delta, high=high, n_users=n), density, 1e-7)


# ---- class ratios


def tail(n: int, least: mp.mpf) -> mp.mpf:
    """P(|k - n/2| > least) for k from Bin(n, 1/2), by counting."""
    first = int(mp.floor(mp.mpf(n) / 2 + least)) + 1
    return 2 * sum(mp.binomial(n, k) for k in range(first, n + 1)) / mp.mpf(2) ** n


def test_embedding_deviation_by_counting():
    """Two equally likely feature vectors of length 1 at distance D: the mean is off by D|k/n - 1/2|."""
    for d in drawn(SLOW):
        n, delta, distance = d.count(1, 400), d.small(6, 60), d.uniform(0.01, 2.0)
        found = embedding_deviation_bound_corrected(n_instances=n, delta=delta, largest_distance=distance)
        assert tail(n, mp.mpf(found) * n / distance) <= delta
        truth = 1 / mp.sqrt(n) + distance * mp.sqrt(mp.log(1 / mp.mpf(delta)) / (2 * n))
        agrees(found, truth)
        printed = 2 / mp.sqrt(n) + mp.sqrt(mp.log(2 / mp.mpf(delta)) / (2 * n))
        agrees(embedding_deviation_bound(n_instances=n, delta=delta), printed)


def test_class_ratio_bounds():
    for d in drawn(QUICK):
        sizes, unlabelled, delta = [d.count(1, 1e6) for _ in range(d.count(1, 6))], d.count(1, 1e6), d.small()
        least, q = d.size(3, 20), d.size(3, 20)
        n_sets = len(sizes)

        def printed(n: int, each: mp.mpf) -> mp.mpf:
            return 2 / mp.sqrt(n) + mp.sqrt(mp.log(2 / each) / (2 * n))

        def repaired(n: int, each: mp.mpf) -> mp.mpf:
            return 1 / mp.sqrt(n) + mp.sqrt(mp.log(1 / each) / n)

        each = mp.mpf(delta) / (2 * n_sets + 1)
        root = mp.sqrt(sum(printed(n, each) ** 2 for n in sizes))
        truth = (1 + mp.mpf(q)) * root / least + q * printed(unlabelled, each)
        common = dict(set_sizes=sizes, n_unlabelled=unlabelled, delta=delta)
        agrees(class_ratio_error_bound(least_singular=least, condition=q, **common), truth)
        each = mp.mpf(delta) / (n_sets + 1)
        root = mp.sqrt(sum(repaired(n, each) ** 2 for n in sizes))
        truth = (repaired(unlabelled, each) + q * root) / least
        found = class_ratio_error_bound_corrected(class_singular=least, largest_weight=q, **common)
        agrees(found, truth)


def test_dirichlet_delta_limit():
    """Chebyshev's inequality for the difference of two shares, at the limit of the threshold."""
    for d in drawn(QUICK):
        counts = [d.count(1, 1e6) for _ in range(d.count(2, 5))]
        sigma, epsilon, m = d.size(3, 20), d.size(3, 20), sum(counts)
        worst = mp.mpf(0)
        for i, j in itertools.permutations(counts, 2):
            first, second = mp.mpf(i) / m, mp.mpf(j) / m
            k = first / second * mp.exp(mp.mpf(epsilon) / mp.mpf(sigma))
            variance = first * (1 - first) + k**2 * second * (1 - second) + 2 * k * first * second
            worst = max(worst, variance / (mp.mpf(sigma) * m + 1) / (first - k * second) ** 2)
        agrees(dirichlet_delta_limit(counts=counts, scale=sigma, epsilon=epsilon), worst, 1e-9)


def test_label_noise_bounds():
    """Second moments of a Dirichlet distribution from those of its Beta marginals."""
    for d in drawn(QUICK):
        n_sets, n_classes, zeta = d.count(1, 4), d.count(2, 5), d.small()
        rows = d.rng.dirichlet(np.ones(n_classes), n_sets)
        sizes, scales = [d.count(1, 1e6) for _ in rows], [d.size(3, 20) for _ in rows]
        variances = []
        for row, m, sigma in zip(rows.tolist(), sizes, scales, strict=True):
            for share in row:
                a = mp.mpf(sigma) * m * mp.mpf(share)
                b = mp.mpf(sigma) * m - a
                variances.append(a * b / ((a + b) ** 2 * (a + b + 1)))
        setting = dict(proportions=rows.tolist(), set_sizes=sizes, scales=scales, zeta=zeta)
        agrees(label_noise_bound_corrected(**setting), mp.sqrt(sum(variances) / zeta), 1e-10)
        printed = n_sets * n_classes * mp.sqrt(max(variances) / zeta)
        agrees(label_noise_bound(**setting), printed, 1e-10)


def test_counted_share():
    for d in drawn(QUICK):
        share, f, t = d.small(), d.small(), d.small()
        truth = (1 - mp.mpf(share)) * mp.mpf(f) + mp.mpf(share) * mp.mpf(t)
        agrees(counted_share(share=share, false_positives=f, true_positives=t), truth)


def test_fourier_deviation():
    """The variance of one cosine of a normal angle, by moments of cosines."""
    for d in drawn(QUICK):
        bandwidth, n = d.size(3, 50), 2 * d.count(1, 1e5)
        distance = d.size(2, 3) * bandwidth
        x = (mp.mpf(distance) / mp.mpf(bandwidth)) ** 2
        variance = (1 + mp.exp(-2 * x)) / 2 - mp.exp(-x)  # of cos(w), w normal of variance x
        found = fourier_deviation(distance=distance, bandwidth=bandwidth, n_features=n)
        with mp.workdps(80):
            agrees(found, mp.sqrt(variance / (mp.mpf(n) / 2)), 1e-12)


def test_squared_weights():
    """By solving for the weights: the sets' proportions times the weights are the town's."""
    for d in drawn(SLOW):
        c, largest = d.count(2, 12), d.small(6, 20)
        share = d.uniform(0, 0.99) / c
        sets = mp.matrix(c, c)
        for i, j in itertools.product(range(c), repeat=2):
            sets[i, j] = 1 - (c - 1) * mp.mpf(share) if i == j else mp.mpf(share)
        town = mp.matrix([mp.mpf(largest)] + [(1 - mp.mpf(largest)) / (c - 1)] * (c - 1))
        truth = mp.fsum(a**2 for a in mp.lu_solve(sets, town))
        agrees(squared_weights(share=share, largest=largest, n_classes=c), truth, 1e-11)


def delta_of_releases(epsilon: float, n: int, total: float) -> mp.mpf:
    """Delta of n answers by randomized response: the distribution of the summed loss, release by release."""
    keep = mp.exp(epsilon) / (1 + mp.exp(epsilon))
    law = [mp.mpf(1)]
    for _ in range(n):  # law[k]: k of them lie
        law = [a * keep + b * (1 - keep) for a, b in zip([*law, 0], [0, *law], strict=True)]
    losses = [(n - 2 * k) * mp.mpf(epsilon) - mp.mpf(total) for k in range(n + 1)]
    return mp.fsum(p * -mp.expm1(-x) for p, x in zip(law, losses, strict=True) if x > 0)


def test_composed_delta():
    for d in drawn(SLOW):
        epsilon, n = d.size(3, 20), d.count(1, 40)
        total = min(n * epsilon * d.uniform(0, 1.1), 1e300)
        with mp.workdps(60):
            truth = delta_of_releases(min(epsilon, 1e4), n, total) if epsilon < 1e4 else None
        if truth is not None:
            agrees(composed_delta(epsilon=epsilon, n_releases=n, total=total), truth, 1e-9, 1e-15)


def test_composed_epsilon():
    """The result meets the delta, up to the rounding of deltas, and a slightly smaller epsilon does not."""
    for d in drawn(SLOW):
        epsilon, n, delta = d.uniform(0.001, 3), d.count(1, 40), d.small(9, 12)
        found = composed_epsilon(epsilon=epsilon, n_releases=n, delta=delta)
        with mp.workdps(60):
            assert delta_of_releases(epsilon, n, found) <= delta * (1 + 1e-9) + 1e-15
            if found > 1e-6:
                assert delta_of_releases(epsilon, n, found * (1 - 1e-5)) > delta * (1 - 1e-9) - 1e-15


def best_of(law: list[tuple[mp.mpf, mp.mpf]], n: int) -> mp.mpf:
    """Mean of the largest of n independent ratios, over n; the pairs are probability and ratio."""
    law, reached, total = sorted(law, key=lambda pair: pair[1]), mp.mpf(0), mp.mpf(0)
    for p, ratio in law:
        total += ratio * ((reached + p) ** n - reached**n)
        reached += p
    return total / n


def test_link_limit():
    """Randomized response on two rows, by the distribution of its two ratios."""
    for d in drawn(QUICK):
        epsilon, k, n = d.size(2, 20), d.count(1, 1000), d.count(1, 1e6)
        with mp.workdps(60):
            if k * epsilon < 60:
                kappa = k * mp.mpf(epsilon)
                keep = 1 / (1 + mp.exp(-kappa))
                truth = best_of([(keep, mp.exp(-kappa)), (1 - keep, mp.exp(kappa))], n)
            else:
                truth = mp.mpf(1) if k * epsilon > 200 else None
        if truth is not None:
            rounded_up(link_limit(n_cells=k, epsilon=epsilon, n_users=n), truth, 1e-9 / min(1, n * epsilon))


def test_link_rate():
    """By all scores of the multinomial distribution, with digits for its smallest probabilities."""
    for d in drawn(SLOW):
        epsilon, k, n, size = d.size(1, 2), d.count(1, 20), d.count(1, 1e6), d.count(1, 10)
        found = link_rate(n_cells=k, epsilon=epsilon, n_users=n, n_symbols=size + 1)
        with mp.workdps(1000):
            e = mp.exp(epsilon)
            keep, other = e / (e + size), 1 / (e + size)
            law = []
            for score in range(-k, k + 1):
                chances = [
                    mp.binomial(k, up)
                    * mp.binomial(k - up, up - score)
                    * other**up
                    * keep ** (up - score)
                    * ((size - 1) * other) ** (k - 2 * up + score)
                    for up in range(max(score, 0), k + 1)
                    if 2 * up - score <= k and (size > 1 or k == 2 * up - score)
                ]
                if chances:
                    law.append((mp.fsum(chances), mp.exp(score * mp.mpf(epsilon))))
            agrees(found, best_of(law, n), 1e-10)


def test_averaging_rate():
    """By the distribution of the number of true reports, report by report."""
    for d in drawn(SLOW):
        epsilon, n, permanent = d.size(2, 20), d.count(1, 40), d.size(2, 20)
        with mp.workdps(80):
            p, kept = (1 / (1 + mp.exp(-min(mp.mpf(e), 1000))) for e in (epsilon, permanent))
            law = [mp.mpf(1)]
            for _ in range(n):
                law = [a * (1 - p) + b * p for a, b in zip([*law, 0], [0, *law], strict=True)]
            rate = mp.fsum(x * (1 if 2 * k > n else mp.mpf(2 * k == n) / 2) for k, x in enumerate(law))
            truth = kept * rate + (1 - kept) * (1 - rate)
        agrees(averaging_rate(epsilon=epsilon, n_reports=n, permanent_epsilon=permanent), truth, 1e-13)


def test_memoized_epsilon():
    """Both probabilities of the output that always repeats her symbol, each a sum over permanent answers."""
    for d in drawn(QUICK):
        permanent, epsilon, n, s = d.size(3, 20), d.size(3, 20), d.count(1, 1e4), 1 + d.count(1, 20)
        with mp.workdps(120):
            e, r = (mp.exp(min(mp.mpf(x), 10**5)) for x in (permanent, mp.mpf(n) * mp.mpf(epsilon)))
            truth = mp.log((e * r + s - 1) / (1 * r + e + s - 2))
            truth = truth if min(permanent, epsilon * n) < 10**5 else None
        if truth is not None:
            found = memoized_epsilon(permanent_epsilon=permanent, epsilon=epsilon, n_reports=n, n_symbols=s)
            rounded_up(found, truth, 1e-12)


def test_shuffle_epsilon_closed_form():
    for d in drawn(QUICK):
        local, n, delta = d.size(1.5, 3), d.count(1, 2**53), d.small(12, 300)
        found = shuffle_epsilon_closed_form(local_epsilon=local, n_users=n, delta=delta)
        limit = mp.log(mp.mpf(n) / 16 / mp.log(2 / mp.mpf(delta)))
        e = mp.exp(mp.mpf(local))
        inside = 8 * mp.sqrt(e * mp.log(4 / mp.mpf(delta)) / n) + 8 * e / n
        formula = mp.log1p((e - 1) / (e + 1) * inside)
        agrees(found, min(formula, mp.mpf(local)) if local <= limit else mp.mpf(local))


def delta_of_responses(epsilon: float, n: int, s: int, total: float) -> mp.mpf:
    """Delta by the distribution of the summed loss in units of epsilon, cell by cell."""
    weights = mp.exp(epsilon), mp.mpf(s - 2), mp.mpf(1)
    law = {0: mp.mpf(1)}
    for _ in range(n):
        after: dict[int, mp.mpf] = {}
        for loss, p in law.items():
            for step, weight in zip((1, 0, -1), weights, strict=True):
                after[loss + step] = after.get(loss + step, mp.mpf(0)) + p * weight / sum(weights)
        law = after
    losses = [(p, loss * mp.mpf(epsilon) - mp.mpf(total)) for loss, p in law.items()]
    return mp.fsum(p * -mp.expm1(-x) for p, x in losses if x > 0)


def test_response_delta():
    for d in drawn(SLOW):
        epsilon, n, s = min(d.size(3, 20), 1e4), d.count(1, 40), d.count(2, 1000)
        total = min(n * epsilon * d.uniform(0, 1.1), 1e300)
        found = response_delta(epsilon=epsilon, n_cells=n, n_symbols=s, total=total)
        with mp.workdps(60):
            agrees(found, delta_of_responses(epsilon, n, s, total), 1e-9, 1e-15)


def test_response_epsilon():
    """The result meets the delta, up to the rounding of deltas, and a slightly smaller epsilon does not."""
    for d in drawn(SLOW):
        epsilon, n, s, delta = d.uniform(0.001, 3), d.count(1, 40), d.count(2, 100), d.small(9, 12)
        found = response_epsilon(epsilon=epsilon, n_cells=n, n_symbols=s, delta=delta)
        with mp.workdps(60):
            assert delta_of_responses(epsilon, n, s, found) <= delta * (1 + 1e-9) + 1e-15
            if found > 1e-6:
                assert delta_of_responses(epsilon, n, s, found * (1 - 1e-5)) > delta * (1 - 1e-9) - 1e-15


def test_advanced_epsilon():
    """As printed with mpmath, and never below the exact price of two symbols."""
    for d in drawn(SLOW):
        epsilon, n, delta = d.size(3, 20), d.count(1, 10**6), d.small(12, 100)
        k, spread = mp.mpf(n), mp.sqrt(2 * n * mp.log(1 / mp.mpf(delta)))
        truth = min(k * epsilon, k * epsilon * mp.tanh(mp.mpf(epsilon) / 2) + epsilon * spread)
        agrees(advanced_epsilon(epsilon=epsilon, n_cells=n, delta=delta), truth, 1e-12)
        at = dict(epsilon=min(epsilon, 1e3), n_cells=min(n, 60), delta=delta)
        assert response_epsilon(**at, n_symbols=2) <= advanced_epsilon(**at) * (1 + 1e-9) + 1e-11


def test_shifts_of_shares():
    """By the decoded value of one report for the choice."""
    for d in drawn(QUICK):
        epsilon, k, liars = d.size(3, 20), d.count(2, 10**6), d.small(6, 100)
        e = mp.exp(mp.mpf(epsilon))
        p, q = e / (e + k - 1), 1 / (e + k - 1)
        found = response_shift(liars=liars, epsilon=epsilon, n_choices=k)
        agrees(found, mp.mpf(liars) * (1 - q) / (p - q), 1e-12, 1e-300)
        q = 1 / (1 + e)
        agrees(unary_shift(liars=liars, epsilon=epsilon), mp.mpf(liars) * (1 - q) / (0.5 - q), 1e-12, 1e-300)


def test_threshold_shift():
    """By inverting the distribution of the reports, and the normal distribution function."""
    for d in drawn(SLOW):
        epsilon, liars, density = d.uniform(0.05, 12), d.uniform(0, 0.3), d.uniform(0.01, 1)
        e = mp.exp(mp.mpf(epsilon))
        p, q = e / (e + 2), 1 / (e + 2)
        kept, half = 1 - mp.mpf(liars), mp.mpf(density) / 2
        honest = q + (p - q) * half
        above, below = (kept * honest + liars - q) / (p - q), (kept * honest - q) / (p - q)
        found = threshold_shift(liars=liars, epsilon=epsilon, density=density)
        if below <= 0:
            assert found == math.inf
        else:
            agrees(mp.ncdf(found), above / (above + below), 1e-9, 1e-12)


def test_liars_as_noise():
    """The number that moves the expected estimate of an absent choice by the honest standard error."""
    for d in drawn(QUICK):
        epsilon, m, k = d.size(2, 2), d.count(1, 10**12), d.count(2, 10**6)
        e = mp.exp(mp.mpf(epsilon))
        p, q = e / (e + k - 1), 1 / (e + k - 1)
        deviation = mp.sqrt(q * (1 - q) / m) / (p - q)
        found = liars_as_noise(epsilon=epsilon, n_workers=m, n_choices=k)
        agrees(found, deviation / ((1 - q) / (p - q) / m), 1e-11)


# ---- the whole worker: sampling questions


def row_setting(d: Draw) -> tuple[dict[str, float], mp.mpf, mp.mpf, mp.mpf]:
    """Arguments, exact epsilon and density, and the squared slope of P(an answer is above the threshold)."""
    crowd = {"epsilon": d.size(3, 100), "density": d.small(6, 60), "sigma": d.size(3, 30)}
    return (
        crowd,
        mp.mpf(crowd["epsilon"]),
        mp.mpf(crowd["density"]),
        1 / (2 * mp.pi * mp.mpf(crowd["sigma"]) ** 2),
    )


def response_information(epsilon: mp.mpf, s: mp.mpf, steep: mp.mpf) -> mp.mpf:
    """Information of ternary randomized response at the truth, by its distribution."""
    with mp.workdps(250):
        lie = mp.exp(-epsilon) / (1 + 2 * mp.exp(-epsilon))
        kept = -mp.expm1(-epsilon) / (1 + 2 * mp.exp(-epsilon))
        return 2 * (kept * s) ** 2 * steep / (lie + kept * s / 2)


def test_asked_information():
    for d in drawn(QUICK):
        crowd, epsilon, s, steep = row_setting(d)
        n = d.count(1, 1e6)
        q = d.count(1, n) if n > 1 else 1
        exact = mp.mpf(q) / n * response_information(epsilon / q, s, steep)
        agrees(asked_information(n_tasks=n, n_questions=q, **crowd), exact, 1e-11)


def test_questions_to_ask():
    """No number of questions has more information than the one found."""
    for d in drawn(SLOW):
        n, epsilon, density = d.count(1, 300), d.size(2, 2), d.small(3, 12)
        found = questions_to_ask(n_tasks=n, epsilon=epsilon, density=density)
        told = [
            q * response_information(mp.mpf(epsilon) / q, mp.mpf(density), mp.mpf(1)) for q in range(1, n + 1)
        ]
        assert told[found - 1] >= max(told) * (1 - mp.mpf(1e-12))


def test_own_information():
    """By the distribution of a task's two bits: only one is set, or only the other."""
    for d in drawn(QUICK):
        crowd, epsilon, s, steep = row_setting(d)
        n = d.count(1, 1e6)
        with mp.workdps(250):
            chance, lie = (1 - (1 - s) ** n) / n, mp.exp(-epsilon) / (1 + mp.exp(-epsilon))
            one = (1 - chance) * lie * (1 - lie) + chance * (lie / 2 + (1 - lie) / 2) / 2
            exact = 2 * (chance * (mp.mpf(1) / 2 - lie)) ** 2 * steep / one
        agrees(own_information(n_tasks=n, **crowd), exact, 1e-10)


def sway(n: int, s: mp.mpf) -> mp.mpf:
    """Influence of one sign on the side of a mixture: P(a walk of n - 1 lazy steps ends at 0 or at 1)."""
    if n <= 60:
        walk = {0: mp.mpf(1)}
        for _ in range(n - 1):
            moved: dict[int, mp.mpf] = {}
            for at, chance in walk.items():
                for step, share in ((-1, s / 2), (0, 1 - s), (1, s / 2)):
                    moved[at + step] = moved.get(at + step, 0) + share * chance
            walk = moved
        return walk[0] + walk.get(1, 0)
    width = min(1, 8 / mp.sqrt(n * s))
    ends = [0, *(mp.pi * width * k / 8 for k in range(1, 8)), mp.pi * width]
    ends += [mp.pi] if width < 1 else []
    total = mp.quad(lambda t: (1 + mp.cos(t)) * (1 - s + s * mp.cos(t)) ** (n - 1), ends)
    return total / mp.pi


def test_mixed_information():
    for k, d in enumerate(drawn(SLOW)):
        crowd, epsilon, s, steep = row_setting(d)
        n = d.count(1, 1e12 if k % 4 == 1 else 60)
        groups = d.count(1, min(n, 60)) if k % 4 != 1 and n > 1 else 1
        sizes = [n // groups + (g < n % groups) for g in range(groups)]
        half = mp.tanh(epsilon / groups / 2)
        mean = sum(size * sway(size, s) ** 2 for size in sizes) / n
        agrees(
            mixed_information(n_tasks=n, n_groups=groups, **crowd), (2 * half * s) ** 2 * mean * steep, 1e-10
        )


def test_row_information_limit():
    """The smallest of three limits; the first by likelihood ratios as far from one as allowed."""
    for d in drawn(QUICK):
        crowd, epsilon, s, _ = row_setting(d)
        n = d.count(1, 1e6)
        epsilon_or_less = min(epsilon, 10**4)
        less, more = -mp.expm1(-epsilon_or_less) / 2, mp.expm1(epsilon_or_less) / 2  # ratios minus one
        spread = s * 2 / mp.pi * less * more
        least = min(spread, 2 * epsilon, n * s) / n / mp.mpf(crowd["sigma"]) ** 2
        agrees(row_information_limit(n_tasks=n, **crowd), least, 1e-11)


CLOSED_FORMS: dict[str, Callable[..., object]] = {
    name: getattr(module, name)
    for module in (
        foundation_bounds,
        local_privacy,
        sparse_bounds,
        categorical_bounds,
        error_bounds,
        location_bounds,
        ratio_bounds,
        worker_bounds,
        composition,
        sampling_bounds,
    )
    for name in module.__all__
} | {"dirichlet_delta": dirichlet_delta}


def test_no_closed_form_is_left_out():
    """Every public name of the modules above is called in this file or in that on Dirichlet noise."""
    from toc import ROOT

    tests = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "tests").rglob("test_closed_forms*.py"))
    assert [name for name in CLOSED_FORMS if f"{name}(" not in tests] == []
