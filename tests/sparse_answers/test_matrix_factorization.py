"""Matrix factorization: the minimizer, the density, and which changes are protected."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize
from strategies import answer_matrices

from ldpbook.foundations.audit import audit_epsilon
from ldpbook.sparse_answers import bounds
from ldpbook.sparse_answers.laplace import laplace_noise
from ldpbook.sparse_answers.matrix_factorization import (
    MatrixFactorization,
    group_profile,
    learned_profile,
    random_profile,
)

nan = np.nan
DOMAIN = range(10)
V = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]])


@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_profiles_minimise_the_perturbed_objective(ridge):
    mf = MatrixFactorization(1.0, DOMAIN, random_profile(3, 8, 1), ridge)
    answers = np.random.default_rng(2).integers(0, 10, (4, 8)).astype(float)
    answers[0, [1, 5]] = answers[3, :5] = nan
    profiles = mf.worker_profiles(answers, 9)
    noise = laplace_noise(10.0, (4, 3), np.random.default_rng(9))
    for a, u, eta in zip(answers, profiles, noise, strict=True):
        given_ = ~np.isnan(a)

        def objective(x, a=a, eta=eta, given_=given_):
            residual = a[given_] - x @ mf.profile[:, given_]
            return (residual**2).sum() + ridge * x @ x + 2 * x @ eta

        best = minimize(objective, np.zeros(3), tol=1e-10)
        assert objective(u) <= best.fun + 1e-6
    np.testing.assert_allclose(mf.perturb(answers, 9), profiles @ mf.profile)


def test_without_noise_profiles_are_least_squares():
    profile = random_profile(2, 6, 4)
    worker = np.array([1.5, 2.5])
    mf = MatrixFactorization(1e9, range(-20, 21), profile)
    answers = (worker @ profile)[None].copy()
    answers[0, 3] = nan
    np.testing.assert_allclose(mf.perturb(answers, 0)[0], worker @ profile, atol=1e-5)


@given(answer_matrices(), st.integers(1, 6))
def test_any_shape_with_ridge(answers, rank):
    before = answers.copy()
    mf = MatrixFactorization(0.5, DOMAIN, random_profile(rank, answers.shape[1], 0), ridge=0.1)
    out = mf.perturb(answers, 3)
    assert out.shape == answers.shape
    assert np.isfinite(out).all()
    np.testing.assert_array_equal(answers, before)
    np.testing.assert_array_equal(mf.perturb(answers, np.random.default_rng(3)), out)


def test_blocks_of_workers_follow_one_another(monkeypatch):
    mf = MatrixFactorization(1.0, DOMAIN, V)
    answers = np.random.default_rng(0).integers(0, 10, (7, 3)).astype(float)
    monkeypatch.setattr("ldpbook.sparse_answers.matrix_factorization._BLOCK_ENTRIES", 8)
    blocked = mf.perturb(answers, 5)
    assert blocked.shape == (7, 3)
    assert np.isfinite(blocked).all()
    exact = MatrixFactorization(1e9, DOMAIN, V)
    small = exact.perturb(answers, 5)
    monkeypatch.undo()
    np.testing.assert_allclose(small, exact.perturb(answers, 5), atol=1e-4)


@pytest.mark.parametrize("answers", [[[3.0, nan, nan]], [[1, 2, 3], [3.0, nan, nan]]])
def test_too_few_answers_are_refused_by_row(answers):
    with pytest.raises(ValueError, match=f"answers of row {len(answers) - 1} .*unbounded"):
        MatrixFactorization(1.0, DOMAIN, V).perturb(answers, 0)
    MatrixFactorization(1.0, DOMAIN, V, ridge=1e-3).perturb(answers, 0)


@given(st.integers(0, 10_000))
def test_eigenvalues_decide_which_rows_are_refused(seed):
    """Cholesky's pivots only choose the rows whose eigenvalues are computed."""
    rng = np.random.default_rng(seed)
    rank, n = int(rng.integers(1, 6)), 8
    profile = rng.integers(-2, 3, (rank, n)) / (2 * rank)  # with columns of 0 and linear dependencies
    answers = np.where(rng.random((6, n)) < 0.6, 1.0, nan)
    answers[:, 0] = 1.0
    matrices = [profile[:, row] @ profile[:, row].T for row in ~np.isnan(answers)]
    deficient = [i for i, h in enumerate(matrices) if np.linalg.matrix_rank(h, hermitian=True) < rank]
    mf = MatrixFactorization(1.0, DOMAIN, profile)
    if deficient:
        with pytest.raises(ValueError, match=rf"^answers of row {deficient[0]} "):
            mf.perturb(answers, 0)
    else:
        assert np.isfinite(mf.perturb(answers, 0)).all()


@pytest.mark.parametrize("rank", [1, 3, 13])
def test_normal_equations_written_out(rank):
    """Ranks below and above the number of products that are summed at a time."""
    rng = np.random.default_rng(rank)
    mf = MatrixFactorization(1.0, DOMAIN, random_profile(rank, 30, rng), ridge=0.25)
    answers = np.where(rng.random((5, 30)) < 0.7, rng.integers(0, 10, (5, 30)), nan)
    hessian, projected = mf._normal_equations(answers)
    for a, h, p in zip(answers, hessian, projected, strict=True):
        seen = mf.profile[:, ~np.isnan(a)]
        np.testing.assert_allclose(h, seen @ seen.T + 0.25 * np.eye(rank), atol=1e-13)
        np.testing.assert_allclose(p, seen @ a[~np.isnan(a)], atol=1e-12)


def test_enough_answers_in_too_few_directions_are_refused():
    same = MatrixFactorization(1.0, DOMAIN, [[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(ValueError, match="answers of row 0"):
        same.perturb([[1.0, 2.0]], 0)


@pytest.mark.parametrize("ridge", [0.0, 0.5])
@pytest.mark.parametrize("answers", [[3.0, 7.0, nan], [3.0, 7.0, 5.0]])
def test_density_integrates_to_one_and_matches_samples(answers, ridge):
    mf = MatrixFactorization(4.0, DOMAIN, V, ridge)

    centre = MatrixFactorization(1e9, DOMAIN, V, ridge).worker_profiles([answers], 0)[0]

    def mass(half_width: float, points: int) -> float:
        """Probability of a square around the centre, by the midpoint rule."""
        step = 2 * half_width / points
        axis = np.arange(points) * step + step / 2 - half_width
        grid = np.stack(np.meshgrid(axis, axis), axis=-1) + centre
        return float(np.exp(mf.log_density(grid, answers)).sum() * step**2)

    assert mass(60, 500) == pytest.approx(1, abs=2e-3)
    samples = mf.worker_profiles(np.tile(answers, (100_000, 1)), 1)
    inside = (np.abs(samples - centre) < 2).all(axis=1).mean()
    p = mass(2, 200)
    assert abs(inside - p) < 4 * np.sqrt(p * (1 - p) / len(samples)) + 1e-4


def test_exact_epsilon_is_attained_and_not_exceeded():
    mf = MatrixFactorization(2.0, DOMAIN, 0.8 * V)
    axis = np.linspace(-300, 300, 301)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1)
    for cell in range(3):
        rows = [[3.0, 7.0, 5.0] for _ in DOMAIN]
        for x, row in zip(DOMAIN, rows, strict=True):
            row[cell] = float(x)
        loss = np.ptp([mf.log_density(grid, row) for row in rows], axis=0).max()
        assert loss == pytest.approx(mf.exact_epsilon)
    assert mf.exact_epsilon == pytest.approx(0.8 * 0.9 * 2.0)


@pytest.mark.parametrize("answered", [1, 4, 9])
def test_null_filled_with_a_public_constant_is_protected(answered):
    """The loss between NULL and an answer, on a grid of outputs: within epsilon if NULL is filled first."""
    mf = MatrixFactorization(1.0, DOMAIN, V)
    axis = np.linspace(-300, 300, 151)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1)

    def largest_loss(null):
        value = mf.log_density(grid, [3.0, 7.0, answered])
        return np.abs(value - mf.log_density(grid, [3.0, 7.0, null])).max()

    for fill in DOMAIN:
        assert largest_loss(fill) <= mf.exact_epsilon * (1 + 1e-9)
    assert largest_loss(nan) > 10 * mf.exact_epsilon


def test_null_is_not_protected():
    mf = MatrixFactorization(1.0, DOMAIN, V)
    losses = [
        abs(mf.log_density([t, -t], [3.0, 7.0, 5.0]) - mf.log_density([t, -t], [3.0, 7.0, nan]))
        for t in (10.0, 100.0, 1000.0)
    ]
    # (t, -t) is orthogonal to the third column, so there the loss stays bounded ...
    assert max(losses) < 2
    losses = [
        abs(mf.log_density([t, t], [3.0, 7.0, 5.0]) - mf.log_density([t, t], [3.0, 7.0, nan]))
        for t in (10.0, 100.0, 1000.0)
    ]
    assert losses[2] > 10 * losses[1] * 0.9 > losses[0]  # ... and elsewhere it grows linearly
    assert losses[2] > 50


def test_null_is_not_protected_by_ridge_either():
    mf = MatrixFactorization(1.0, DOMAIN, V, ridge=1.0)
    loss = mf.log_density([1e3, 1e3], [3.0, 7.0, 5.0]) - mf.log_density([1e3, 1e3], [3.0, 7.0, nan])
    assert abs(loss) > 50


def test_audit_detects_what_null_reveals():
    mf = MatrixFactorization(1.0, DOMAIN, random_profile(1, 1, 0).repeat(2, axis=1) * 1.0)
    one, two = [5.0, nan], [5.0, 5.0]
    rng = np.random.default_rng(0)
    outputs = [mf.perturb(np.tile(a, (60_000, 1)), rng)[:, 0] for a in (one, two)]
    found = audit_epsilon(*outputs, edges=np.linspace(-60, 60, 61)).epsilon
    assert found > 1.0
    same = [mf.perturb(np.tile(a, (60_000, 1)), rng)[:, 0] for a in ([5.0, 0.0], [5.0, 9.0])]
    assert audit_epsilon(*same, edges=np.linspace(-60, 60, 61)).epsilon <= 1.0


class TestError:
    @pytest.mark.parametrize("density", [1.0, 0.5])
    def test_group_design_attains_the_noise_term(self, density):
        n, d = 60, 5
        mf = MatrixFactorization(2.0, range(-4, 6), group_profile(d, n))
        answers = np.zeros((40_000, n))
        answers[:, round(density * n) :] = nan
        error = np.abs(mf.perturb(answers, 3)).mean(axis=1)
        expected = d * 10 / (n * density * 2.0)
        assert abs(error.mean() - expected) < 4 * error.std() / np.sqrt(len(error))

    def test_zero_profile_tasks_may_stay_null(self):
        profile = np.array([[1, 1, 0, 0, 0, 0], [0, 0, 1, -1, 0, 0.0]])
        answers = np.tile([4.0, 4.0, 4.0, -4.0, nan, nan], (60_000, 1))
        noise = MatrixFactorization(1.0, range(-4, 6), profile).perturb(answers, 0) - profile.T @ [4.0, 4.0]
        error = np.abs(noise).mean(axis=1)
        assert abs(error.mean() - 2 * 10 / 6) < 4 * error.std() / np.sqrt(len(error))

    def test_corrected_bound_holds_for_the_group_design(self):
        n, d, s, sigma = 60, 5, 0.5, 0.8
        rng = np.random.default_rng(6)
        truth = np.repeat([[-1.0, 0.0, 0.5, 1.0, 2.0]], n // d, axis=0).ravel()
        answers = np.clip(truth + sigma * rng.standard_normal((20_000, n)), -4, 5)
        answers[:, round(s * n) :] = nan
        mf = MatrixFactorization(4.0, range(-4, 6), group_profile(d, n))
        error = np.abs(mf.perturb(answers, rng) - truth).mean()
        bound = bounds.mf_mae_bound_corrected(
            epsilon=4.0, domain_size=10, n_tasks=n, rank=d, density=s, sigma=sigma
        )
        assert 0.7 * bound < error < bound

    @given(st.integers(0, 10_000))
    def test_printed_noise_term_is_a_lower_bound(self, seed):
        rng = np.random.default_rng(seed)
        rank, n = int(rng.integers(1, 5)), int(rng.integers(5, 12))
        profile = random_profile(rank, n, rng)
        answered = rng.random(n) < 0.7
        answered[:rank] = True
        seen = profile[:, answered]
        noise = rng.laplace(size=(rank, 50))
        response = profile.T @ np.linalg.solve(seen @ seen.T, noise)
        assert (np.abs(response).sum(axis=0) >= np.abs(noise).sum(axis=0) * (1 - 1e-9)).all()

    @pytest.mark.parametrize("ridge", [0.0, 0.2])
    def test_general_bound_holds_task_by_task(self, ridge):
        rng = np.random.default_rng(4)
        n, sigma = 12, 0.5
        truth = rng.uniform(3, 6, n)
        answered = np.arange(n) < 8
        mf = MatrixFactorization(5.0, DOMAIN, random_profile(2, n, 3), ridge)
        answers = np.where(answered, np.clip(truth + sigma * rng.standard_normal((40_000, n)), 0, 9), nan)
        error = np.abs(mf.perturb(answers, rng) - truth)
        bound = mf.error_bound(answered, truth, sigma)
        assert (error.mean(axis=0) - 4 * error.std(axis=0) / 200 <= bound).all()
        assert (bound < 3 * error.mean(axis=0)).all()

    def test_general_bound_by_hand(self):
        # Two tasks with equal columns: each has w = 1/2, and equal truths cause no bias.
        mf = MatrixFactorization(2.0, DOMAIN, [[1.0, 1.0]])
        bound = mf.error_bound([True, True], [4.0, 4.0], 3.0)
        np.testing.assert_allclose(bound, 3 * np.sqrt(2 / np.pi) * np.sqrt(0.5) + 5 * 0.5)
        shifted = mf.error_bound([True, False], [4.0, 6.0], 0.0)
        np.testing.assert_allclose(shifted, [5.0, 7.0])
        # d = 2: the smaller of the two norms of w counts.
        two = MatrixFactorization(1.0, DOMAIN, np.eye(2) / 2).error_bound([True, True], [0, 0], 0.0)
        np.testing.assert_allclose(two, [20.0, 20.0])
        mixed = MatrixFactorization(1.0, DOMAIN, [[0.5, 0.25], [0.5, -0.25]])
        w = np.linalg.solve(mixed.profile @ mixed.profile.T, mixed.profile)
        np.testing.assert_allclose(
            mixed.error_bound([True, True], [0, 0], 0.0), 10 * np.sqrt(2) * np.linalg.norm(w, axis=0)
        )


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": nan}, "epsilon"),
        ({"domain": []}, "domain"),
        ({"ridge": -1}, "ridge"),
        ({"ridge": nan}, "ridge"),
        ({"profile": [1.0]}, "profile"),
        ({"profile": [[]]}, "profile"),
        ({"profile": [[nan]]}, "profile"),
        ({"profile": [[0.6], [0.6]]}, "profile"),
        ({"profile": [[-1.1]]}, "profile"),
        ({"profile": [[1e308], [1e308]]}, "profile"),
    ],
)
def test_bad_parameters(changes, name):
    good = {"epsilon": 1.0, "domain": DOMAIN, "profile": V, "ridge": 0.0}
    with pytest.raises(ValueError, match=rf"^{name} "):
        MatrixFactorization(**good | changes)


def test_profile_is_a_read_only_copy():
    profile = V.copy()
    mf = MatrixFactorization(1.0, DOMAIN, profile)
    profile[:] = 9
    np.testing.assert_array_equal(mf.profile, V)
    with pytest.raises(ValueError, match="read-only"):
        mf.profile[0, 0] = 1


@pytest.mark.parametrize(
    ("answers", "name"),
    [
        ([], "answers"),
        (1.0, "answers"),
        ([1.0], "profile"),
        ([[nan, nan, nan]], "answers"),
        ([[10, 1, 1]], "answers"),
        ([[1, 2]], "profile"),
        ([[1, 2, 3, 4]], "profile"),
    ],
)
def test_bad_answers(answers, name):
    with pytest.raises(ValueError, match=rf"^{name} "):
        MatrixFactorization(1, DOMAIN, V).perturb(answers, 0)


def test_bad_shapes():
    mf = MatrixFactorization(1, DOMAIN, V)
    with pytest.raises(ValueError, match=r"^worker_profile "):
        mf.log_density([1.0], [1, 2, 3])
    with pytest.raises(ValueError, match=r"^answered "):
        mf.error_bound([True], [0, 0, 0], 1)
    with pytest.raises(ValueError, match=r"^truth "):
        mf.error_bound([True] * 3, [0], 1)
    with pytest.raises(ValueError, match=r"^sigma "):
        mf.error_bound([True] * 3, [0] * 3, -1)
    for function in (group_profile, lambda r, n: random_profile(r, n, 0)):
        for shape in ((0, 1), (1, 0)):
            with pytest.raises(ValueError, match=r"^(rank|n_tasks) "):
                function(*shape)


def test_profiles():
    random = random_profile(3, 50, 0)
    assert random.shape == (3, 50)
    np.testing.assert_allclose(np.abs(random).sum(axis=0), 1)
    assert (random < 0).any()
    np.testing.assert_array_equal(group_profile(2, 5), [[1, 0, 1, 0, 1], [0, 1, 0, 1, 0]])


def test_profiles_are_reproducible():
    np.testing.assert_array_equal(random_profile(3, 4, 7), random_profile(3, 4, 7))
    assert not np.array_equal(random_profile(3, 4, 7), random_profile(3, 4, 8))


def test_one_worker_per_block_draws_like_single_workers(monkeypatch):
    monkeypatch.setattr("ldpbook.sparse_answers.matrix_factorization._BLOCK_ENTRIES", 4)
    mf = MatrixFactorization(1.0, DOMAIN, V)
    answers = np.random.default_rng(1).integers(0, 10, (5, 3)).astype(float)
    rng = np.random.default_rng(2)
    one_by_one = np.vstack([mf.perturb(row[None], rng) for row in answers])
    np.testing.assert_allclose(mf.perturb(answers, 2), one_by_one)


def test_noise_bound_takes_smaller_euclidean_norm():
    profile = np.column_stack([np.eye(4), np.full(4, 0.25)])
    mf = MatrixFactorization(1.0, DOMAIN, profile)
    w = np.linalg.solve(profile @ profile.T, profile)
    bound = mf.error_bound([True] * 5, [0] * 5, 0.0)
    assert np.sqrt(2) * np.linalg.norm(w[:, 4]) < np.abs(w[:, 4]).sum()
    np.testing.assert_allclose(bound[4], 10 * np.sqrt(2) * np.linalg.norm(w[:, 4]))
    assert np.abs(w[:, 0]).sum() < np.sqrt(2) * np.linalg.norm(w[:, 0])
    np.testing.assert_allclose(bound[0], 10 * np.abs(w[:, 0]).sum())


def test_the_refused_row_is_counted_across_blocks(monkeypatch):
    monkeypatch.setattr("ldpbook.sparse_answers.matrix_factorization._BLOCK_ENTRIES", 8)
    answers = np.ones((5, 3))
    answers[3, 1:] = nan
    with pytest.raises(ValueError, match=r"^answers of row 3 \(1 of them\)"):
        MatrixFactorization(1.0, DOMAIN, V).perturb(answers, 0)


def test_domain_is_always_kept_as_a_tuple():
    assert MatrixFactorization(1.0, iter([3, 4]), V).domain == (3, 4)


class TestProfilesWithoutSigns:
    @given(st.integers(1, 5), st.integers(1, 9), st.integers(0, 1000))
    def test_columns_are_positive_and_sum_to_one(self, rank, n, seed):
        profile = random_profile(rank, n, seed, signed=False)
        assert profile.shape == (rank, n)
        assert (profile > 0).all()
        np.testing.assert_allclose(profile.sum(axis=0), 1)

    def test_rank_one_sends_the_mean_answer(self):
        ones = random_profile(1, 4, 0, signed=False)
        np.testing.assert_array_equal(ones, np.ones((1, 4)))
        out = MatrixFactorization(1e9, DOMAIN, ones).perturb([[2.0, nan, 6.0, 7.0]], 0)
        np.testing.assert_allclose(out, 5.0, atol=1e-6)

    def test_a_common_level_is_kept(self):
        mf = MatrixFactorization(1e9, DOMAIN, random_profile(3, 8, 0, signed=False))
        np.testing.assert_allclose(mf.perturb([[6.0, nan, 6, 6, nan, 6, 6, nan]], 0), 6.0, atol=1e-5)

    def test_signed_directions_keep_share_of_the_level(self):
        n, rank = 40, 3
        shares = []
        for seed in range(500):
            v = random_profile(rank, n, seed)
            shares.append(v.sum(axis=1) @ np.linalg.solve(v @ v.T, v.sum(axis=1)) / n)
        assert abs(np.mean(shares) - rank / n) < 4 * np.std(shares) / np.sqrt(500)


def loss(answers, profile):
    """Least squares of the given answers, computed differently from the package."""
    squares = 0.0
    for row in answers:
        seen = profile[:, ~np.isnan(row)].T
        given_ = row[~np.isnan(row)]
        squares += ((given_ - seen @ np.linalg.lstsq(seen, given_, rcond=None)[0]) ** 2).sum()
    return squares


def test_learned_profiles_find_the_rank_of_the_answers():
    rng = np.random.default_rng(3)
    answers = rng.standard_normal((60, 2)) @ rng.standard_normal((2, 20))
    answers[rng.random(answers.shape) < 0.4] = nan
    assert loss(answers, learned_profile(answers, 2, n_rounds=200, rng=4)) < 1e-6
    assert loss(answers, learned_profile(answers, 1, rng=4)) > 1


def test_learned_profiles_of_complete_answers_are_singular_vectors():
    answers = np.random.default_rng(5).standard_normal((30, 12))
    learned = learned_profile(answers, 3, n_rounds=500, rng=1)
    values = np.linalg.svd(answers)[1]
    assert loss(answers, learned) == pytest.approx((values[3:] ** 2).sum(), rel=1e-6)
    assert np.abs(learned).sum(axis=0).max() == pytest.approx(1)


def test_every_round_lowers_the_loss():
    answers = np.random.default_rng(6).integers(0, 10, (40, 15)).astype(float)
    answers[np.random.default_rng(7).random(answers.shape) < 0.5] = nan
    losses = [loss(answers, learned_profile(answers, 2, n_rounds=k, rng=8)) for k in (1, 2, 5, 20)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] < loss(answers, random_profile(2, 15, 8))


def test_learned_profiles_where_answers_are_few():
    answers = [[1.0, nan, 3.0], [2.0, nan, nan]]
    learned = learned_profile(answers, 2, rng=0)
    assert learned.shape == (2, 3)
    assert np.isfinite(learned).all()
    np.testing.assert_allclose(learned[:, 1], 0, atol=1e-9)
    assert learned_profile([[0.0, 0.0]], 3, rng=0).shape == (3, 2)
    with pytest.raises(ValueError, match=r"^n_rounds "):
        learned_profile(answers, 2, n_rounds=0, rng=0)
    with pytest.raises(ValueError, match=r"^answers must be below 1e100"):
        learned_profile([[-1e308, nan]], 2, rng=0)
