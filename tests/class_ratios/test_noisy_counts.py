"""Noise of the stated size, and points of the simplex."""

import functools
from fractions import Fraction

import mpmath as mp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from ldpbook import _coins
from ldpbook._coins import two_sided_geometric
from ldpbook.class_ratios import noisy_counts
from ldpbook.class_ratios.bounds import composed_delta, laplace_counts_delta
from ldpbook.class_ratios.noisy_counts import (
    GaussianCounts,
    GeometricCounts,
    LaplaceCounts,
    LaplacePrior,
)
from ldpbook.foundations.local_privacy import (
    gaussian_delta,
)

COUNTS = np.array([40_000, 60_000])  # far from the edges of the simplex
MECHANISMS = [
    LaplaceCounts(0.5),
    GaussianCounts(0.5, 0.01, calibration="classical"),
    GaussianCounts(0.5, 0.01),
    LaplacePrior(0.5),
    GeometricCounts(0.5),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_points_of_the_simplex(mechanism):
    rng = np.random.default_rng(0)
    for counts in (COUNTS, [1, 1, 5], [3, 900]):
        drawn = mechanism.perturb(counts, rng)
        assert drawn.sum() == pytest.approx(1)
        assert (drawn >= 0).all()
    same = [mechanism.perturb([30, 70], 4) for _ in range(2)]
    np.testing.assert_array_equal(*same)


@pytest.mark.parametrize(
    ("mechanism", "deviation"),
    [(MECHANISMS[0], np.sqrt(2) * 4), (MECHANISMS[1], None), (MECHANISMS[2], None)],
)
def test_size_of_the_noise(mechanism, deviation, monkeypatch):
    """With two classes the projection keeps half of the difference of both noises."""
    found_once = functools.cache(noisy_counts.gaussian_sigma)  # otherwise it is searched for at each draw
    monkeypatch.setattr(noisy_counts, "gaussian_sigma", found_once)
    deviation = mechanism.sigma if deviation is None else deviation
    rng = np.random.default_rng(1)
    first = np.array([mechanism.perturb(COUNTS, rng)[0] for _ in range(8000)]) * 100_000
    expected = deviation / np.sqrt(2)
    assert abs(first.mean() - 40_000) < 4 * expected / np.sqrt(8000)
    assert abs(first.std() / expected - 1) < 4 * np.sqrt(5 / 4 / 8000) + 1e-3


def test_gaussian_noise_is_private():
    least = GaussianCounts(0.5, 0.01)
    assert gaussian_delta(sigma=least.sigma, distance=np.sqrt(2), epsilon=0.5) == pytest.approx(
        0.01, rel=1e-4
    )
    assert GaussianCounts(0.5, 0.01, "classical").sigma > least.sigma
    assert GaussianCounts(2.0, 1e-5, "classical").sigma > GaussianCounts(2.0, 1e-5).sigma


@pytest.mark.parametrize(("epsilon", "delta", "spent"), [(8, 1e-3, "0.00131"), (20, 0.05, "0.897")])
def test_classical_formula_is_refused_where_not_private(epsilon, delta, spent):
    with pytest.raises(ValueError, match=rf"^calibration must be exact .* delta is {spent}"):
        GaussianCounts(epsilon, delta, calibration="classical")
    sigma = GaussianCounts(epsilon, delta).sigma
    assert gaussian_delta(sigma=sigma, distance=np.sqrt(2), epsilon=epsilon) <= delta


@pytest.mark.parametrize("seed", range(200))
def test_no_guarantee_is_exceeded(seed):
    """Log-uniform over allowed settings; a delta never increases Laplace noise."""
    rng = np.random.default_rng(seed)
    epsilon, delta = float(10 ** rng.uniform(-6, 1.7)), float(10 ** rng.uniform(-15, -1e-6))
    scale = LaplaceCounts(epsilon, delta).scale
    assert laplace_counts_delta(scale=scale, epsilon=epsilon) <= delta
    assert scale <= np.nextafter(2 / epsilon, np.inf)
    sigma = GaussianCounts(epsilon, delta).sigma
    assert gaussian_delta(sigma=sigma, distance=np.sqrt(2), epsilon=epsilon) <= delta


@pytest.mark.parametrize("seed", range(50))
def test_no_guarantee_is_exceeded_by_a_rounding(seed):
    rng = np.random.default_rng(seed)
    epsilon, delta = float(10 ** rng.uniform(-2, 1)), float(10 ** rng.uniform(-20, -14))
    for allowed in (0.0, delta):
        scale = LaplaceCounts(epsilon, allowed).scale
        assert laplace_counts_delta(scale=scale, epsilon=epsilon) <= allowed
    first = LaplaceCounts(0.6013250320964513, 1.94e-18).scale
    assert laplace_counts_delta(scale=first, epsilon=0.6013250320964513) <= 1.94e-18


@pytest.mark.parametrize("mechanism", [LaplaceCounts(1e-300), GaussianCounts(1e-300, 1e-300)], ids=repr)
def test_noise_far_above_the_counts(mechanism):
    for seed in range(20):
        drawn = mechanism.perturb([3, 4, 5], seed)
        assert drawn.sum() == pytest.approx(1)
        assert (drawn >= 0).all()


def test_laplace_prior_adds_the_dirichlet_variance():
    """Noise with standard deviation 28 on counts near 1,000, far above that of the Dirichlet draw."""
    rng = np.random.default_rng(2)
    first = np.array([LaplacePrior(0.1).perturb([800, 1200], rng)[0] for _ in range(8000)])
    dirichlet, laplace = 0.4 * 0.6 / 2001, 2 * 20**2 * (0.6**2 + 0.4**2) / 2000**2
    expected = dirichlet + laplace
    assert abs(first.var() / expected - 1) < 4 * np.sqrt(4 / 8000)
    assert abs(first.mean() - 0.4) < 4 * np.sqrt(expected / 8000)


def test_laplace_prior_allows_small_counts():
    drawn = np.array([LaplacePrior(50.0).perturb([1, 9999], seed)[0] for seed in range(4000)]) * 10_000
    assert abs(drawn.mean() - 1) < 4 / np.sqrt(4000) + 0.02  # the parameter is 1, with noise of about 0.06


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_empty_class_is_released_like_its_neighbour(mechanism):
    """Refusing (0, 60) but releasing (1, 59) would have delta 1."""
    first = {n: np.array([mechanism.perturb([n, 60 - n], seed)[0] for seed in range(400)]) for n in (0, 1)}
    assert all((found >= 0).all() and found.max() > 0 for found in first.values())
    # Both have the same noise, so the mean moves by at most one label of 60, and not downwards.
    errors = np.hypot(*(found.std() / 20 for found in first.values()))
    assert -4 * errors < first[1].mean() - first[0].mean() < 1 / 60 + 4 * errors


@pytest.mark.parametrize("wrong", [[5], [0, 0], [-1, 5], [2.5, 5]])
def test_bad_input(wrong):
    for mechanism in MECHANISMS:
        with pytest.raises(ValueError, match=r"^counts must be integers"):
            mechanism.perturb(wrong, 0)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_classes_by_name_and_seeds(mechanism):
    counts = pd.Series({"no": 40, "yes": 60})
    found = mechanism.perturb(counts, rng=3)
    assert found.index.tolist() == ["no", "yes"]
    assert counts.tolist() == [40, 60]
    np.testing.assert_array_equal(found, mechanism.perturb([40, 60], np.random.default_rng(3)))
    assert not np.array_equal(mechanism.perturb(counts, 4), found)


@pytest.mark.parametrize("seed", range(40))
def test_exact_epsilon_is_smallest(seed):
    """Epsilon of the noise at the promised delta; no calibration exceeds the promised epsilon."""
    rng = np.random.default_rng(seed)
    epsilon, delta = float(10 ** rng.uniform(-3, 1)), float(10 ** rng.uniform(-9, -0.3))
    for mechanism in (LaplaceCounts(epsilon), LaplaceCounts(epsilon, delta), LaplacePrior(epsilon, delta)):
        exact = mechanism.exact_epsilon
        assert laplace_counts_delta(scale=mechanism.scale, epsilon=exact) <= mechanism.delta
        assert laplace_counts_delta(scale=mechanism.scale, epsilon=exact * (1 - 1e-6)) > mechanism.delta
    exact = GaussianCounts(epsilon, delta).exact_epsilon
    assert epsilon * (1 - 1e-3) < exact <= epsilon
    classical = GaussianCounts(0.7, delta, "classical")
    assert classical.exact_epsilon < 0.7
    spent = gaussian_delta(sigma=classical.sigma, distance=np.sqrt(2), epsilon=classical.exact_epsilon)
    assert spent <= delta


def test_unrepresentable_noise_is_refused():
    for build in (LaplaceCounts, LaplacePrior, lambda e: GaussianCounts(e, 0.1)):
        with pytest.raises(ValueError, match=r"^epsilon must be a finite number >= 1e-300"):
            build(5e-324)
    with pytest.raises(ValueError, match=r"^delta must lie in \[1e-300, 1\)"):
        GaussianCounts(1.0, 5e-324)


def test_bad_parameters():
    for build in (LaplaceCounts, LaplacePrior, lambda e: GaussianCounts(e, 0.1)):
        for epsilon in (0, -1, np.nan):
            with pytest.raises(ValueError, match="epsilon must"):
                build(epsilon)
    with pytest.raises(TypeError, match=r"^calibration must be one of exact, classical"):
        GaussianCounts(0.5, 0.1, calibration=True)
    for delta in (0, 1):
        with pytest.raises(ValueError, match="delta must"):
            GaussianCounts(1.0, delta)


@pytest.mark.parametrize("epsilon", [0.01, 0.05, 1.0, 4.0])
@pytest.mark.parametrize("delta", [1e-9, 0.05, 0.9])
def test_smallest_laplace_noise_is_just_private(epsilon, delta):
    scale = LaplaceCounts(epsilon, delta).scale
    assert laplace_counts_delta(scale=scale, epsilon=epsilon) == pytest.approx(delta, rel=1e-4)
    assert scale < 2 / epsilon
    assert LaplaceCounts(epsilon).scale == pytest.approx(2 / epsilon)


def test_a_delta_makes_laplace_noise_smaller():
    pure, allowed = (
        np.abs([m.perturb(COUNTS, seed)[0] - 0.4 for seed in range(500)]).mean()
        for m in (LaplaceCounts(0.05), LaplaceCounts(0.05, 0.05))
    )
    assert pure / allowed == pytest.approx(40 / 7.99, rel=0.15)
    prior = [LaplacePrior(0.05, d).perturb([5000, 5000], 1)[0] for d in (0.0, 0.05)]
    assert prior[0] != prior[1]


class TestLaplaceCounts:
    @given(st.floats(0.05, 50), st.floats(0, 3))
    def test_against_quadrature(self, scale, epsilon):
        """Delta by its definition, the mean excess over epsilon, from quantiles of the loss."""
        u = (np.arange(1200) + 0.5) / 1200
        x = scale * np.where(u < 0.5, np.log(2 * u), -np.log(2 * (1 - u)))
        loss = (np.abs(x + 1) - np.abs(x)) / scale
        part = -np.expm1(np.minimum(0, epsilon - loss[:, None] - loss))
        found = laplace_counts_delta(scale=scale, epsilon=epsilon)
        assert found == pytest.approx(part.mean(), abs=2e-3)

    def test_delta_is_zero_from_the_printed_scale(self):
        assert laplace_counts_delta(scale=40.0, epsilon=0.05) == 0
        assert laplace_counts_delta(scale=39.0, epsilon=0.05) > 0

    def test_small_deltas_keep_their_digits(self):
        """1 - (1 + a/2) exp(-a) is a/2 to first order."""
        assert laplace_counts_delta(scale=1.0, epsilon=2 - 2e-12) == pytest.approx(0.5e-12, rel=1e-3)

    @pytest.mark.parametrize(("name", "value"), [("scale", 0.0), ("epsilon", -1.0), ("epsilon", np.inf)])
    def test_bad_input(self, name, value):
        with pytest.raises(ValueError, match=rf"^{name} must"):
            laplace_counts_delta(**({"scale": 1.0, "epsilon": 1.0} | {name: value}))


def chances_of(run, least=1e-14):
    """Probability of each result of a random program, over all strings of choices with probability `least`.

    The program gets a function that takes the probabilities of the next choice and returns its number.
    """
    found: dict[object, float] = {}
    waiting: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while waiting:
        chosen, chance = waiting.pop()
        left, asked = list(chosen), []

        def choose(chances, left=left, asked=asked):
            if left:
                return left.pop(0)
            asked.append(chances)
            raise EOFError

        try:
            result = run(choose)
        except EOFError:
            waiting += [((*chosen, k), chance * p) for k, p in enumerate(asked[0]) if chance * p > least]
        else:
            found[result] = found.get(result, 0.0) + chance
    assert 1 - 1e-9 < sum(found.values()) <= 1 + 1e-12
    return found


@pytest.mark.parametrize("n", [1, 2, 3, 5, 128, 200, 256, 300])
def test_integers_below_n_are_uniform(n):
    """Over all strings of bytes, each number is accepted equally often."""
    n_bytes, counts = -(-(n - 1).bit_length() // 8), np.zeros(n)

    class OneDraw:
        def __init__(self, value):
            self.left = [value.to_bytes(n_bytes, "little")]

        def bytes(self, size):
            assert size == n_bytes
            return self.left.pop()  # an IndexError where the string is refused

    for value in range(256**n_bytes):
        try:
            drawn = _coins._below(n, OneDraw(value))
        except IndexError:
            continue
        assert 0 <= drawn < n
        counts[drawn] += 1
    assert counts.min() == counts.max() > 0
    assert counts.sum() > 256**n_bytes / 2


class Drawn:
    """A uniform number below n that is only compared."""

    def __init__(self, n, choose):
        self.n, self.choose = n, choose

    def __lt__(self, other):
        share = other / self.n
        return self.choose([1 - share, share]) == 1


@pytest.mark.parametrize(("numerator", "denominator"), [(0, 1), (1, 1), (1, 3), (5, 7), (1, 10**9)])
def test_survival_has_exponential_probability(monkeypatch, numerator, denominator):
    monkeypatch.setattr(_coins, "_below", Drawn)
    found = chances_of(lambda choose: _coins.survives(numerator, denominator, choose), 1e-18)
    assert found[True] == pytest.approx(float(mp.exp(-mp.mpf(numerator) / denominator)), rel=1e-12)


class AgainError(Exception):
    """The sampler starts again; the rest has the distribution of the whole."""


class Once:
    """Choices of one round: a remainder, whether it survives, the whole part, a sign."""

    def __init__(self, choose):
        self.choose, self.stage = choose, "begin"

    def below(self, n):
        if self.stage not in ("begin", "survived"):
            raise AgainError
        self.stage = "rest" if self.stage == "begin" else "end"
        return self.choose([1 / n] * n)

    def survives(self, numerator, denominator):
        chance = float(mp.exp(-mp.mpf(numerator) / denominator))
        survived = self.choose([1 - chance, chance]) == 1
        if self.stage == "rest":
            self.stage = "survived" if survived else "end"
        return survived


@pytest.mark.parametrize("rate", [Fraction(1), Fraction(1, 2), Fraction(3, 2), Fraction(2, 5), Fraction(7)])
def test_distribution_of_geometric_noise(monkeypatch, rate):
    """Enumeration of the sampler's own steps, against the proved distribution."""
    monkeypatch.setattr(_coins, "_below", lambda n, once: once.below(n))
    monkeypatch.setattr(_coins, "survives", lambda p, q, once: once.survives(p, q))

    def one_round(choose):
        try:
            return two_sided_geometric(rate, Once(choose))
        except AgainError:
            return None

    found = chances_of(one_round)
    ends = 1 - found.pop(None)
    kept = mp.exp(-mp.mpf(rate.numerator) / rate.denominator)
    for k in range(-4, 5):
        expected = float((1 - kept) / (1 + kept) * kept ** abs(k))
        assert found.get(k, 0.0) / ends == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(st.floats(-150, 3).map(lambda x: 10.0**x))
def test_variance_of_geometric_noise(epsilon):
    """Against fifty digits: 1 / (2 sinh(epsilon/4)^2), and never more than that of Laplace noise."""
    expected = float(1 / (2 * mp.sinh(mp.mpf(epsilon) / 4) ** 2))
    assert GeometricCounts(epsilon).variance == pytest.approx(expected, rel=1e-12, abs=1e-300)
    assert GeometricCounts(epsilon).variance <= 8 / epsilon**2 * (1 + 1e-12)


def test_geometric_noise_of_the_stated_size():
    rng, rate = np.random.default_rng(3), Fraction(0.3) / 2
    drawn = np.array([two_sided_geometric(rate, rng) for _ in range(8000)])
    variance = GeometricCounts(0.3).variance
    assert abs(drawn.mean()) < 4 * np.sqrt(variance / 8000)
    assert abs(drawn.var() / variance - 1) < 4 * np.sqrt(5 / 8000)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("total", [0.0, 0.2, 1.5, 5.0])
def test_two_moved_labels_are_four_randomized_responses(epsilon, total):
    """Two tables, each with one moved label, over all outputs; the sum over lies is exact for them."""
    k = np.arange(-int(90 / epsilon), int(90 / epsilon) + 2)
    laws = np.exp(-epsilon / 2 * np.abs(k - np.array([[0], [1]]))) * np.tanh(epsilon / 4)
    here, there = (np.outer(laws[b], laws[1 - b]) for b in (0, 1))  # one count increases, the other decreases
    steps = np.round(np.log(here / there) / epsilon).astype(int)
    assert np.abs(np.log(here / there) - steps * epsilon).max() < 1e-9
    chance = np.bincount(steps.ravel() + 1, here.ravel())  # of losses -epsilon, 0, epsilon
    loss = epsilon * np.add.outer([-1, 0, 1], [-1, 0, 1])
    spent = (np.outer(chance, chance) * np.maximum(0, -np.expm1(total - loss))).sum()
    expected = composed_delta(epsilon=epsilon / 2, n_releases=4, total=total)
    assert spent == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-9, 1e9, 1e300])
def test_geometric_noise_at_the_ends(epsilon):
    drawn = GeometricCounts(epsilon).perturb([30, 70], rng=1)
    assert drawn.sum() == pytest.approx(1)
    assert GeometricCounts(epsilon).variance >= 0
    assert epsilon < 1 or drawn[0] == pytest.approx(0.3)
