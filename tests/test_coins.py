"""Release of places: the coin to a hundred digits, the noise by enumeration, the loss at any distance."""

from fractions import Fraction
from itertools import product
from random import Random

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from ldpbook import _coins as places
from ldpbook._coins import lattice_noise, survives_root
from ldpbook.localization import LatticeLaplace


@pytest.fixture(autouse=True, scope="module")
def hundred_digits():
    with mp.workdps(100):
        yield


def seeded(seed):
    return np.random.default_rng(seed).bytes


class Fixed:
    """A source that gives one number of 128 bits, then only bits of 1."""

    def __init__(self, number):
        self.left = number.to_bytes(16, "big")

    def bytes(self, length):
        found, self.left = self.left[:length], self.left[length:]
        return found + b"\xff" * (length - len(found))


def excess(rate, a, b):
    """The coin's exponent, which is rate |z| minus the part covered by the proposal; and that part."""
    less = rate * Fraction(70, 99) * (abs(a) + abs(b))
    there = mp.mpf(rate.numerator) / rate.denominator
    return there * mp.sqrt(a * a + b * b) - mp.mpf(less.numerator) / less.denominator, less


NOISES = st.integers(-(10**7), 10**7)


@settings(max_examples=200, deadline=None)
@given(st.floats(-12, 3), NOISES, NOISES)
def test_coin_switches_at_hundred_digit_threshold(power, a, b):
    """A uniform number of 128 bits just below and above the fraction of x, whose whole part is survived."""
    if (a, b) == (0, 0):
        return
    rate = Fraction(10.0**power / float(excess(Fraction(1), a, b)[0]))  # x is nearly that power of ten
    x, less = excess(rate, a, b)
    assert x >= 0
    at = int(mp.floor((x - mp.floor(x)) * 2**128))
    if not 1 < at < 2**128 - 2:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "survives", lambda p, q, source: (p, q) == (1, 1))
        drawn = [survives_root(rate, a * a + b * b, less, Fixed(at + step)) for step in (-1, 1)]
    # Below the fraction of x the series goes on, and the following bits of 1 end it at the second term.
    assert drawn == [False, True]


def test_whole_part_is_survived_once_per_unit(monkeypatch):
    asked = []
    monkeypatch.setattr(places, "survives", lambda p, q, source: asked.append((p, q)) or True)
    assert survives_root(Fraction(7, 2), 4, Fraction(0), Fixed(0))  # x = 7
    assert asked == [(1, 1)] * 7


@pytest.mark.parametrize(
    ("rate", "square", "less"),
    [
        (Fraction(1, 10), 25, Fraction(0)),  # rational: exp(-1/2)
        (Fraction(1, 3), 2, Fraction(1, 7)),
        (Fraction(1), 2, Fraction(0)),  # beyond 1
        (Fraction(3, 10**6), 10**9 + 7, Fraction(1, 10**3)),
        (Fraction(5), 0, Fraction(0)),
    ],
)
def test_a_coin_has_the_probability_of_an_exponential(rate, square, less):
    source, n = Random(4), 20_000
    source.bytes = source.randbytes
    wanted = float(
        mp.exp(
            mp.mpf(less.numerator) / less.denominator - mp.sqrt(square) * rate.numerator / rate.denominator
        )
    )
    found = sum(survives_root(rate, square, less, source) for _ in range(n)) / n
    assert abs(found - wanted) <= 4 * (wanted * (1 - wanted) / n) ** 0.5


@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(3), Fraction(0.1)])
def test_noise_follows_the_enumerated_distribution(rate):
    source, n = Random(5), 20_000
    source.bytes = source.randbytes
    drawn = np.array([lattice_noise(rate, source) for _ in range(n)])
    axis = np.arange(-int(45 / rate) - 2, int(45 / rate) + 3)
    law = np.exp(-float(rate) * np.hypot(axis[:, None], axis))
    law /= law.sum()
    often = law * n >= 10
    numbers = np.full(law.shape, often.sum())
    numbers[often] = np.arange(often.sum())
    seen = np.bincount(numbers[tuple((drawn + axis[-1]).T)], minlength=often.sum() + 1)
    wanted = n * np.append(law[often], law[~often].sum())
    free = len(wanted) - 1
    chi_square = ((seen - wanted) ** 2 / wanted).sum()
    # The statistic has mean `free` and a variance of nearly 2 free + the sum of 1 / wanted.
    assert abs(chi_square - free) <= 4 * np.sqrt(2 * free + (1 / wanted).sum())


def test_proposals_and_coins_give_the_distribution():
    for rate, a, b in product(
        (Fraction(1, 10), Fraction(10**9), Fraction(1, 10**9)), (0, 3, 10**6), (0, 3, -1)
    ):
        x, less = excess(rate, a, b)
        assert x >= 0
        together = x + mp.mpf(less.numerator) / less.denominator
        assert mp.almosteq(
            together, mp.mpf(rate.numerator) / rate.denominator * mp.sqrt(a * a + b * b), 1e-90
        )
    assert 2 * 70**2 < 99**2  # the slope is just below rate / sqrt 2
    a = np.arange(-600, 601)
    one, two = np.hypot(a[:, None], a), np.abs(a[:, None]) + np.abs(a)
    accepted = np.exp(-0.1 * one).sum() / np.exp(-0.1 * 70 / 99 * two).sum()
    assert accepted == pytest.approx(np.pi / 4, abs=1e-3)


@pytest.mark.parametrize("shift", [(1, 0), (300, 0), (5000, 5000), (10**6, -7)])
def test_no_distance_needs_a_delta(shift):
    """Log ratios of the weights of the noise from either place, near both and far beyond them."""
    rate = mp.mpf(1) / 10
    promised = rate * mp.sqrt(shift[0] ** 2 + shift[1] ** 2)
    largest = -mp.inf
    for (i, j), (far, of) in product(product(range(-3, 4), repeat=2), product((0, 1, -2, 40), (0, 1))):
        a, b = i + far * shift[0] + of * shift[0], j + far * shift[1] + of * shift[1]
        loss = rate * (mp.sqrt((a - shift[0]) ** 2 + (b - shift[1]) ** 2) - mp.sqrt(a**2 + b**2))
        assert abs(loss) <= promised * (1 + mp.mpf(10) ** -90)
        largest = max(largest, loss)
    assert mp.almosteq(largest, promised, 1e-90)  # attained at the place itself, so no smaller epsilon holds


def test_the_mean_error_is_that_of_the_series():
    m, n = LatticeLaplace(0.1, 1.0), 20_000
    error = np.hypot(*m.perturb(np.zeros((n, 2)), entropy=Random(6).randbytes).T)
    axis = np.arange(-700, 701)
    radius = np.hypot(axis[:, None], axis)
    series = (np.exp(-0.1 * radius) * radius).sum() / np.exp(-0.1 * radius).sum()
    assert abs(error.mean() - series) <= 4 * stats.sem(error)
    assert series == pytest.approx(20, abs=0.002)  # the continuous mechanism, 2 / epsilon


class TestForRelease:
    def test_the_same_noise_is_drawn_for_every_place(self):
        """Draws must not depend on the place, so that their time cannot reveal a place."""
        m = LatticeLaplace(0.1, 0.5)
        here = m.perturb([[0.0, 0.0], [0.2, -0.2]], entropy=seeded(1))
        there = m.perturb([[70.0, -3.0], [1e9, 2.0]], entropy=seeded(1))
        assert (there - here).tolist() == [[70.0, -3.0], [1e9, 2.0]]
        assert not np.signbit(here[here == 0]).any()

    def test_fresh_entropy_by_default(self):
        m = LatticeLaplace(1e-6, 1.0)
        assert not np.array_equal(m.perturb([[0, 0]]), m.perturb([[0, 0]]))

    @pytest.mark.parametrize(
        ("epsilon", "step"), [(1e-209, 1e200), (1e191, 1e-200), (1e-191, 1e200), (1e9, 1.0)]
    )
    def test_extreme_steps_make_finite_reports(self, epsilon, step):
        out = LatticeLaplace(epsilon, step).perturb([[0.0, 0.0], [3 * step, 0.0]], entropy=seeded(0))
        assert np.isfinite(out).all()

    @settings(deadline=None)
    @given(st.floats(-8, 8), st.floats(-9, 9), st.floats(-6, 6))
    def test_stated_epsilon_covers_the_nearest_points(self, step, rate, times):
        """Two places on either side of a corner of four squares, in fifty digits and more."""
        m = LatticeLaplace(10.0**rate / 10.0**step, 10.0**step)
        distance = m.step * 10.0**times
        exact = mp.mpf(m.epsilon) * (mp.mpf(distance) + mp.sqrt(2) * mp.mpf(m.step))
        stated = m.epsilon_of(distance=distance)
        assert exact <= stated <= exact * (1 + mp.mpf(2) ** -15)

    def test_bad_input(self):
        m = LatticeLaplace(1.0, 1.0)
        with pytest.raises(ValueError, match=r"^positions must"):
            m.perturb([1.0, 2.0])
        with pytest.raises(ValueError, match=r"^positions must be at most 2\^36"):
            m.perturb([[2.0**37, 0.0]])
        with pytest.raises(TypeError, match=r"^entropy must"):
            m.perturb([[0.0, 0.0]], entropy=3)
        with pytest.raises(ValueError, match=r"^entropy must"):
            m.perturb([[0.0, 0.0]], entropy=lambda n: b"1")
        with pytest.raises(TypeError, match=r"^entropy must be left out where rng is given"):
            m.perturb([[0.0, 0.0]], 1, entropy=seeded(0))
