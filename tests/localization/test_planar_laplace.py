"""Privacy in proportion to distance: density by quadrature, lattice by enumeration, program by hand."""

from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from scipy.special import lambertw

from ldpbook.localization.planar_laplace import (
    LatticeLaplace,
    PlanarLaplace,
    best_place_mechanism,
    remapped,
)

SQUARE = [[0.0, 0.0], [0.0, 20.0], [20.0, 0.0], [20.0, 20.0], [60.0, 10.0]]
PRIOR = [0.1, 0.4, 0.2, 0.05, 0.25]


def distance_matrix(places):
    points = np.asarray(places, dtype=float)
    return np.sqrt(((points[:, None] - points) ** 2).sum(axis=-1))


class TestPlanar:
    def test_radius_and_angle(self):
        noise = PlanarLaplace(0.2).perturb(np.full((40_000, 2), 7.0), 0) - 7.0
        radius = np.hypot(*noise.T)
        # Density epsilon^2 r e^(-epsilon r); the probability below r is 1 - (1 + epsilon r) e^(-epsilon r).
        assert stats.kstest(radius, lambda r: 1 - (1 + 0.2 * r) * np.exp(-0.2 * r)).pvalue > 1e-3
        angle = np.arctan2(noise[:, 1], noise[:, 0]) / (2 * np.pi) + 0.5
        assert stats.kstest(angle, "uniform").pvalue > 1e-3
        assert abs(np.corrcoef(radius, angle)[0, 1]) < 4 / 200
        assert abs(radius.mean() - PlanarLaplace(0.2).mean_error) < 4 * stats.sem(radius)
        assert PlanarLaplace(0.2).mean_error == 10

    def test_report_is_function_of_three_uniform_draws(self):
        """The condition of the theorem on inexact reports: no draw is rejected."""
        draws = np.random.default_rng(3)
        one, other = draws.random((2, 5))
        turn = 2 * np.pi * draws.random(5)
        radius = -np.log((1 - one) * (1 - other)) / 0.3
        wanted = radius[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
        np.testing.assert_allclose(PlanarLaplace(0.3).perturb(np.zeros((5, 2)), 3), wanted, rtol=1e-12)

    def test_extreme_epsilons_make_finite_reports(self):
        for epsilon in (1e-300, 1e300):
            assert np.isfinite(PlanarLaplace(epsilon).perturb(np.zeros((100, 2)), 0)).all()
            assert np.isfinite(PlanarLaplace(epsilon).mean_error)

    def test_quantile_by_lambert(self):
        radius = np.hypot(*PlanarLaplace(0.05).perturb(np.zeros((40_000, 2)), 1).T)
        for share in (0.1, 0.5, 0.9, 0.99):
            at = -(lambertw((share - 1) / np.e, -1).real + 1) / 0.05
            assert abs((radius <= at).mean() - share) < 4 * np.sqrt(share * (1 - share) / 40_000)

    @given(st.floats(1e-6, 1e6), st.floats(0, 1e6))
    def test_epsilon_is_attained_and_never_exceeded(self, epsilon, distance):
        noise = PlanarLaplace(epsilon)
        assert noise.epsilon_of(distance=distance) == pytest.approx(epsilon * distance)
        rng = np.random.default_rng(0)
        z = rng.normal(0, 1 + distance, (50, 2))
        losses = epsilon * (np.hypot(z[:, 0] - distance, z[:, 1]) - np.hypot(*z.T))
        assert losses.max() <= noise.epsilon_of(distance=distance) * (1 + 1e-9) + 1e-9

    def test_bad_input(self):
        for wrong in (0, -1.0, np.inf, np.nan, 1e-308, 1e308):
            with pytest.raises(ValueError, match=r"^epsilon must"):
                PlanarLaplace(wrong)
        with pytest.raises(ValueError, match=r"^positions must"):
            PlanarLaplace(1.0).perturb([1.0, 2.0])
        with pytest.raises(ValueError, match=r"^distance must"):
            PlanarLaplace(1.0).epsilon_of(distance=-1)
        assert PlanarLaplace(Fraction(1, 2)).perturb([[0, 0]], 0).dtype == float


class TestLattice:
    @pytest.mark.parametrize("rate", [0.05, 0.5, 3.0])
    def test_law_by_enumeration(self, rate):
        m, n = LatticeLaplace(rate / 5, 5.0), 60_000
        out = m.perturb(np.full((n, 2), 11.0), 3)
        assert (out % 5 == 0).all()
        moved = (out - 10) / 5  # 11 is nearest to 10
        reach = int(40 / rate) + 2
        axis = np.arange(-reach, reach + 1)
        weight = np.exp(-rate * np.hypot(axis[:, None], axis))
        law = weight / weight.sum()
        near = np.abs(moved).max(axis=1) <= 2
        cells = (moved[near] + 2).astype(int)
        seen = np.zeros((5, 5))
        np.add.at(seen, tuple(cells.T), 1)
        wanted = law[reach - 2 : reach + 3, reach - 2 : reach + 3]
        assert (np.abs(seen / n - wanted) <= 4.5 * np.sqrt(wanted * (1 - wanted) / n) + 1e-9).all()
        radius = np.hypot(*moved.T)
        mean = (law * np.hypot(axis[:, None], axis)).sum()
        assert abs(radius.mean() - mean) < 4 * stats.sem(radius)

    @pytest.mark.parametrize("rate", [0.6, 1.0, 3.0])
    def test_geometric_draws_are_within_1e_15(self, rate):
        """The generator's search for a 53-bit double, over all doubles; its draws equal that search."""
        chance = float(-np.expm1(-rate / 2**0.5))
        draws = np.random.default_rng(1)
        sums, product = [chance], chance
        while sums[-1] < 1 - 2**-53 and len(sums) < 200:
            product *= 1 - chance
            sums.append(sums[-1] + product)
        searched = 1 + np.searchsorted(sums, np.random.default_rng(1).random(1000))
        assert np.array_equal(draws.geometric(chance, 1000), searched)
        with mp.workdps(40):
            up_to = [min(int(mp.mpf(x) * 2**53) + 1, 2**53) for x in sums]
            atoms = [mp.mpf(b - a) / 2**53 for a, b in pairwise([0, *up_to])]
            q = mp.exp(-mp.mpf(rate) / mp.sqrt(2))
            off = sum(abs(atom - (1 - q) * q**k) for k, atom in enumerate(atoms)) + q ** len(atoms)
        assert 0 < off / 2 < 2e-15

    def test_acceptance_probability_is_at_most_one(self):
        """(|a| + |b|) / sqrt 2 never exceeds the length, so that no probability of acceptance exceeds 1."""
        a, b = np.meshgrid(np.arange(-50, 51), np.arange(-50, 51))
        assert ((np.abs(a) + np.abs(b)) / 2**0.5 <= np.hypot(a, b) + 1e-12).all()

    def test_places_share_distribution_only_within_one_square(self):
        m = LatticeLaplace(0.1, 10.0)
        assert np.array_equal(m.perturb([[1.0, 2.0]], 0), m.perturb([[4.0, -4.0]], 0))
        assert m.lattice_epsilon_of(distance=10) == 1.0

    @settings(max_examples=50)
    @given(st.floats(-50, 50), st.floats(-50, 50), st.floats(0, 30), st.floats(0, 6.3))
    def test_loss_between_places_is_at_most_stated(self, east, north, distance, turn):
        m, place = LatticeLaplace(0.1, 5.0), np.array([east, north])
        both = np.array([place, place + distance * np.array([np.cos(turn), np.sin(turn)])])
        moved = LatticeLaplace(1e5, 5.0).perturb(both, 0)  # tiny noise: only moved to the lattice
        assert m.lattice_epsilon_of(distance=np.hypot(*(moved[0] - moved[1]))) <= (
            m.epsilon_of(distance=np.hypot(*(both[0] - both[1]))) + 1e-9
        )

    @pytest.mark.parametrize(
        ("m", "one", "other", "loss"),
        [
            (LatticeLaplace(0.1, 5.0), [2.49, 2.4], [17.51, 15.6], 2.5),
            (LatticeLaplace(0.1, 10.0), [4.9, 0.0], [5.1, 0.0], 1.0),
            (LatticeLaplace(0.1, 10.0), [4.999, 4.999], [5.001, 5.001], 2**0.5),
        ],
    )
    def test_places_near_border_lose_more_than_distance(self, m, one, other, loss):
        moved = LatticeLaplace(1e5, m.step).perturb([one, other], 0)
        assert m.lattice_epsilon_of(distance=np.hypot(*(moved[0] - moved[1]))) == pytest.approx(loss)
        apart = np.hypot(*np.subtract(one, other))
        assert m.epsilon * apart < loss <= m.epsilon_of(distance=apart)

    def test_division_by_step_moves_places_within_allowance(self):
        """Quotients near 2^36 have a spacing of 2^-17, so some places move by more than half a step."""
        m = LatticeLaplace(1.0, 0.1)
        border = (np.arange(400) + 15 * 2**32 + 0.5) * 0.1
        places = (border[:, None] + np.arange(-4, 5) * np.spacing(border[0])).ravel()
        near = np.rint(places / 0.1)
        # Both coordinates are equal; pairs are one, two and three squares apart.
        excess = [
            2**0.5 * ((near[k:] - near[:-k]) * 0.1 - (places[k:] - places[:-k])) - m.epsilon_of(distance=0)
            for k in range(1, 28)
        ]
        most = max(each.max() for each in excess)
        assert -(2**0.5) * 0.1 * 2**-16 < most < 0  # without the allowance the excess would be above 0
        with pytest.raises(ValueError, match=r"^positions must be at most 2\^36"):
            m.perturb([[2.0**36 * 0.1001, 0.0]])

    def test_extreme_steps_make_finite_reports(self):
        for epsilon, step in ((1e-209, 1e200), (1e191, 1e-200), (1e-191, 1e200)):
            assert np.isfinite(LatticeLaplace(epsilon, step).perturb(np.zeros((100, 2)), 0)).all()

    def test_bad_input(self):
        for epsilon, step in ((1e-9, 1e-9), (1e9, 1e9)):
            with pytest.raises(ValueError, match=r"^epsilon times step must"):
                LatticeLaplace(epsilon, step)
        for epsilon, step in ((1.0, 0.0), (1e-308, 1e308), (1e300, 1e-300)):
            with pytest.raises(ValueError, match=r"^step must"):
                LatticeLaplace(epsilon, step)
        with pytest.raises(ValueError, match=r"^positions must"):
            LatticeLaplace(1.0, 1.0).perturb([[1e300, 0.0]])
        assert np.array_equal(LatticeLaplace(1e3, 1.0).perturb([[3.2, 4.0]], 0), [[3.0, 4.0]])


class TestRemap:
    def test_by_hand(self):
        guess, error = remapped([[0.6, 0.4], [0.4, 0.6]], [[0, 0], [3, 4]], [0.5, 0.5])
        assert guess.tolist() == [0, 1]
        assert error == pytest.approx(2.0)  # wrong in four of ten, then by 5

    @settings(max_examples=30)
    @given(st.integers(0, 10**6), st.integers(1, 4))
    def test_no_other_decoder_of_reports_does_better(self, seed, n_reports):
        rng = np.random.default_rng(seed)
        channel = rng.dirichlet(np.ones(n_reports), 5)
        _, error = remapped(channel, SQUARE, PRIOR)
        apart = distance_matrix(SQUARE)
        every = np.stack(np.meshgrid(*[range(5)] * n_reports), -1).reshape(-1, n_reports)
        errors = [np.einsum("x,xz,xz->", PRIOR, channel, apart[:, guess]) for guess in every]
        assert error == pytest.approx(min(errors))

    def test_bad_input(self):
        for prior in ([0.5, 0.6], [0.5], [-0.5, 1.5], [[0.5, 0.5]]):
            with pytest.raises(ValueError, match=r"^prior must"):
                remapped(np.eye(2), [[0, 0], [1, 0]], prior)
        with pytest.raises(ValueError, match=r"^transition_matrix must"):
            remapped([[1e308, 1e308], [0, 1]], [[0, 0], [1, 0]], [0.5, 0.5])
        with pytest.raises(ValueError, match=r"^transition_matrix must"):
            remapped([[0.6, 0.6], [0.5, 0.5]], [[0, 0], [1, 0]], [0.5, 0.5])
        with pytest.raises(ValueError, match=r"^places must"):
            remapped(np.eye(2), [[-1e308, 0], [1e308, 0]], [0.5, 0.5])


class TestBest:
    @pytest.mark.parametrize("epsilon", [1e-4, 0.01, 0.05, 0.3, 2.0])
    def test_best_mechanism_is_private(self, epsilon):
        matrix = best_place_mechanism(SQUARE, PRIOR, epsilon=epsilon)
        np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-12)
        losses = np.log(matrix[:, None] / matrix[None]).max(axis=2)
        apart = distance_matrix(SQUARE)
        assert (losses <= epsilon * apart * (1 + 1e-9) + 1e-12).all()

    @pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0])
    def test_two_places_by_hand(self, epsilon):
        """For priors p and 1 - p, the best is the likelier place or randomized response."""
        for p in (0.5, 0.6, 0.9):
            matrix = best_place_mechanism([[0, 0], [10, 0]], [p, 1 - p], epsilon=epsilon)
            error = 10 * (p * matrix[0, 1] + (1 - p) * matrix[1, 0])
            assert error == pytest.approx(10 * min(1 - p, 1 / (1 + np.exp(10 * epsilon))), abs=1e-4)

    def test_best_mechanism_errs_no_more_than_others(self):
        apart = distance_matrix(SQUARE)
        for epsilon in (0.02, 0.1):
            matrix = best_place_mechanism(SQUARE, PRIOR, epsilon=epsilon)
            best = (np.asarray(PRIOR)[:, None] * matrix * apart).sum()
            half = np.exp(-epsilon * apart / 2)  # half the rate, because each row has its own sum
            _, peer = remapped(half / half.sum(axis=1, keepdims=True), SQUARE, PRIOR)
            constant = (np.asarray(PRIOR)[:, None] * apart).sum(axis=0).min()
            assert best <= min(peer, constant) + 1e-4
            _, again = remapped(matrix, SQUARE, PRIOR)
            assert again == pytest.approx(best, abs=1e-4)  # nothing is left to remap

    def test_more_epsilon_errs_less_down_to_nothing(self):
        apart = distance_matrix(SQUARE)
        errors = [
            (np.asarray(PRIOR)[:, None] * best_place_mechanism(SQUARE, PRIOR, epsilon=e) * apart).sum()
            for e in (0.001, 0.01, 0.1, 1.0)
        ]
        assert all(a >= b - 1e-6 for a, b in pairwise(errors))
        assert errors[-1] < 1e-3

    def test_bad_input(self):
        with pytest.raises(ValueError, match=r"^places must"):
            best_place_mechanism([[0, 0], [0, 0]], [0.5, 0.5], epsilon=1.0)
        with pytest.raises(ValueError, match=r"^places must"):
            best_place_mechanism([[0, 0], [1e-200, 0]], [0.5, 0.5], epsilon=1e200)  # distance underflows
        with pytest.raises(ValueError, match=r"^places must"):
            best_place_mechanism(np.arange(130.0).reshape(65, 2), np.ones(65) / 65, epsilon=1.0)
        with pytest.raises(ValueError, match=r"^prior must"):
            best_place_mechanism(SQUARE, [1.0], epsilon=1.0)
        with pytest.raises(ValueError, match=r"^epsilon must"):
            best_place_mechanism(SQUARE, PRIOR, epsilon=0)
        assert best_place_mechanism([[3, 4]], [1.0], epsilon=1.0).tolist() == [[1.0]]

    @pytest.mark.parametrize("epsilon", [1e-9, 1e-6, 1e-3, 0.1, 0.125, 1.0])
    @pytest.mark.parametrize("near", [1e-9, 1e-6, 1e-3, 1.0])
    def test_best_mechanism_is_refused_where_inaccurate(self, epsilon, near):
        """Two nearly equal places and a third: no worse than two places, up to a thousandth of the field."""
        places, prior = np.array([[0.0, 0], [near, 0], [20, 0]]), np.array([0.3, 0.3, 0.4])
        try:
            matrix = best_place_mechanism(places, prior, epsilon=epsilon)
        except ValueError as error:
            assert str(error).startswith("epsilon must")  # noqa: PT017
            assert epsilon * near < 1e-5
        else:
            found = (prior[:, None] * matrix * distance_matrix(places)).sum()
            assert found <= 20 * min(0.4, 1 / (1 + np.exp(20 * epsilon))) + near + 0.02


def test_report_has_information_half_epsilon_squared():
    """The score is epsilon times the unit vector to the report: its mean square by quadrature."""
    epsilon = mp.mpf("0.3")

    def score(theta, radius):
        density = epsilon**2 / (2 * mp.pi) * mp.exp(-epsilon * radius) * radius
        return density * (epsilon * mp.cos(theta)) ** 2

    found = mp.quad(score, [0, 2 * mp.pi], [0, 20, 200])
    assert float(found) == pytest.approx(0.3**2 / 2, rel=1e-9)
