"""Worker epsilon of each mechanism, against distributions enumerated without the package."""

from functools import cache
from itertools import product
from math import exp, inf, log, sqrt

import mpmath as mp
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from test_mechanisms import (
    CASES,
    CHANNEL,
    DIGITS,
    NULL,
    channel_law,
    dirichlet_delta,
    normal_delta,
    one_layer_law,
    rr_law,
    two_budgets_law,
    two_layer_law,
)

from ldpbook.categorical_answers import OneLayerFlip, TwoLayerFlip
from ldpbook.class_ratios import GaussianCounts, LaplaceCounts, LaplacePrior, ScaledDirichlet
from ldpbook.localization import LatticeLaplace, ParticlePerturbation, PlanarLaplace
from ldpbook.mechanism import Mechanism
from ldpbook.remedies import ChannelResponse, ThresholdResponse
from ldpbook.sparse_answers import (
    LaplacePerturbation,
    MatrixFactorization,
    RandomizedResponse,
    TwoLayerResponse,
)
from ldpbook.whole_worker import (
    Accounts,
    AskedQuestions,
    Bracket,
    MixedSigns,
    OwnAnswer,
    accounts,
    accounts_table,
    worker_epsilon,
)
from ldpbook.whole_worker.shuffling import shuffle_epsilon

BITS = (0.0, 1.0)
CROWD = {"n_answers": 2, "n_tasks": 3, "n_users": 1000, "delta": 1e-6}


@pytest.fixture(autouse=True, scope="module")
def each_shuffle_once():
    """Cache the shuffled epsilons, because most accounts here are of one crowd."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(worker_epsilon, "shuffle_epsilon", cache(shuffle_epsilon))
        yield


def mechanism_of(case):
    return getattr(case.mechanism, "mechanism", case.mechanism)


def enumerated(law, m, symbols, outs, n, k, public):
    """Largest log ratio over rows with at most k answers, and to the same tasks if the pattern is public."""
    outputs = list(product(outs, repeat=n))
    inputs = [x for x in product(symbols, repeat=n) if n - np.isnan(x).sum() <= k]
    logs = np.log([law(m, x, outputs) for x in inputs])
    pairs = [
        (i, j)
        for i, x in enumerate(inputs)
        for j, y in enumerate(inputs)
        if not public or (np.isnan(x) == np.isnan(y)).all()
    ]
    return max(float((logs[i] - logs[j]).max()) for i, j in pairs)


SYMBOLS = (*BITS, NULL)
TERNARY = RandomizedResponse(1.5, range(2))
LAWS = {
    "RR": (TERNARY, rr_law, SYMBOLS, SYMBOLS),
    "threshold": (ThresholdResponse(1.5), lambda m, *cells: rr_law(TERNARY, *cells), SYMBOLS, SYMBOLS),
    "two budgets": (TwoLayerResponse(0.2, 3.0, range(2)), two_budgets_law, SYMBOLS, SYMBOLS),
    "one layer": (
        OneLayerFlip.with_probability(0.3, 2, null_is_symbol=True),
        one_layer_law,
        SYMBOLS,
        SYMBOLS,
    ),
    "channel": (ChannelResponse(CHANNEL, range(3)), channel_law, DIGITS, (0.0, 1.0, 2.0)),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_row_epsilon_is_that_of_distribution(name, public, k):
    m, law, symbols, outs = LAWS[name]
    found = accounts(m, **CROWD | {"n_answers": k}, pattern_public=public)
    if public and name == "two budgets":  # NULL is public, but the budget is shared
        assert found.worker.upper == pytest.approx(m.worker_epsilon_of(3, k))
    expected = enumerated(law, m, symbols, outs, 3, k, public)
    assert found.worker.exact
    assert found.worker.upper == pytest.approx(expected, rel=1e-6)


def asked_law(m, given, outs):
    """Distribution of outputs if the first tasks are asked about."""
    q, law = m.n_questions, RandomizedResponse(m.epsilon / m.n_questions, range(2))
    return rr_law(law, given[:q], [out[:q] for out in outs])


def sides_of(given):
    return np.nan_to_num(2 * np.array(given) - 1)


def mixed_law(m, given, outs):
    """Distribution of outputs if no coin flips; groups are the first task and the others, or all tasks."""
    sides, e = sides_of(given), exp(m.epsilon / m.n_groups)
    sums = np.sign([sides.sum()] if m.n_groups == 1 else [sides[0], sides[1:].sum()])
    truth = np.where(sums == 0, 0.5, e / (e + 1))
    sent = [out[: m.n_groups] for out in outs]
    return np.array([np.where(sums * y >= 0, truth, 1 - truth).prod() for y in sent])


def own_law(m, given, outs):
    sides, lam = sides_of(given), 1 / (exp(m.epsilon) + 1)
    nothing = {1: lam * (1 - lam), -1: lam * (1 - lam), 0: lam**2 + (1 - lam) ** 2}
    holds = {1: (1 - lam) / 2, -1: lam / 2, 0: 0.5}
    own = np.flatnonzero(sides)
    total = []
    for out in outs:
        plain = np.array([nothing[y] for y in out])
        drawn = [holds[int(out[j] * sides[j])] * np.delete(plain, j).prod() for j in own]
        slots = max(len(own), m.padding)
        total.append((sum(drawn) + (slots - len(own)) * plain.prod()) / slots)
    return np.array(total)


SIGNS = (-1, 0, 1)
ROWS = {
    "one question": (AskedQuestions(1.5), asked_law, SYMBOLS),
    "two questions": (AskedQuestions(1.5, 2), asked_law, SYMBOLS),
    "own answer": (OwnAnswer(1.5), own_law, SIGNS),
    "padded": (OwnAnswer(1.5, 2), own_law, SIGNS),
    "padded to all": (OwnAnswer(1.5, 3), own_law, SIGNS),
    "one mixture": (MixedSigns(1.5), mixed_law, (-1, 1)),
    "two mixtures": (MixedSigns(1.5, 2), mixed_law, (-1, 1)),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_row_mechanism_epsilon_is_that_of_distribution(name, public, k):
    m, law, outs = ROWS[name]
    found = accounts(m, **CROWD | {"n_answers": k}, pattern_public=public)
    outputs = list(product(outs, repeat=3))
    rows = [x for x in product(SYMBOLS, repeat=3) if 1 <= 3 - np.isnan(x).sum() <= k]
    logs = np.log([law(m, x, outputs) for x in rows])
    cells = np.nan_to_num(rows, nan=-1.0)
    differs = (cells[:, None] != cells[None]).sum(axis=2)
    same_tasks = ((cells[:, None] < 0) == (cells[None] < 0)).all(axis=2)
    losses = (logs[:, None] - logs[None]).max(axis=2)
    assert found.worker.exact
    assert found.cell.exact
    assert found.worker.upper == pytest.approx(losses[same_tasks | (not public)].max(), rel=1e-9)
    assert found.cell.upper == pytest.approx(losses[differs == 1].max(), rel=1e-9)


def two_layer_null_law(m, given, outs):
    nodes, weights = np.polynomial.legendre.leggauss(4)  # exact up to degree 7; the degree is 3 here
    ps = m.low + (m.high - m.low) * (nodes + 1) / 2
    layers = [
        one_layer_law(OneLayerFlip.with_probability(p, 2, null_is_symbol=True), given, outs) for p in ps
    ]
    return weights / 2 @ layers


@pytest.mark.parametrize("ends", [(0.05, 0.6), (0.1, 0.95), (0.5, 1.0), (0.0, 0.4)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_two_layers_with_null_as_a_symbol(ends, k):
    m = TwoLayerFlip(*ends, 2, null_is_symbol=True)
    for public in (False, True):
        found = accounts(m, **CROWD | {"n_answers": k}, pattern_public=public).worker
        expected = enumerated(two_layer_null_law, m, SYMBOLS, SYMBOLS, 3, k, public)
        assert found.upper == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("ends", [(0.05, 0.6), (0.1, 0.95), (0.0, 0.8)])
def test_two_layers_with_the_pattern_public(ends):
    m = TwoLayerFlip(*ends, 2)
    found = accounts(m, **CROWD, pattern_public=True).worker
    assert found.upper == pytest.approx(enumerated(two_layer_law, m, BITS, BITS, 2, 2, True), rel=1e-9)


@pytest.mark.parametrize("m", [OneLayerFlip.with_probability(0.3, 2), TwoLayerFlip(0.1, 0.5, 2)])
def test_mechanism_with_visible_null_protects_no_row(m):
    found = accounts(m, **CROWD)
    assert found.cell == found.worker == found.shuffled == found.shuffled_rows == Bracket(inf, inf)
    public = accounts(m, **CROWD, pattern_public=True)
    assert public.cell.upper <= public.worker.upper == public.shuffled_rows.upper < inf


@pytest.mark.parametrize("fill", [None, 0, 1, 2, (0.7, 0.3, 0.0), (0.25, 0.0, 0.75)])
@pytest.mark.parametrize("epsilon", [1.0, 1.5, 4.0])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_laplace_noise_hides_pattern_of_answers_in_range(fill, epsilon, k):
    m = LaplacePerturbation(epsilon, range(3), fill)
    x = np.linspace(-5, 7, 1201)
    given = np.linspace(0, 2, 201)
    null = np.log(m.fill_law @ [stats.laplace.pdf(x, v, m.scale) for v in range(3)])
    against = stats.laplace.logpdf(x, given[:, None], m.scale) - null
    c, to_null, from_null = 2 / m.scale, against.max(), (-against).max()
    worst = max(
        t * c + i * to_null + j * from_null
        for t, i, j in product(range(k + 1), repeat=3)
        if max(t + i, t + j) <= k and t + i + j <= 3
    )
    found = accounts(m, **CROWD | {"n_answers": k}).worker
    assert found.exact
    assert found.upper == pytest.approx(worst, rel=1e-5)
    public = accounts(m, **CROWD | {"n_answers": k}, pattern_public=True).worker
    assert public.upper == pytest.approx(k * c)
    if fill is None:  # hiding costs nothing if NULL is least likely at an end, or if every task is answered
        assert (found.upper > public.upper * (1 + 1e-9)) == (k < 3 and epsilon > 1)


@pytest.mark.parametrize("size", [2, 3, 6])
@pytest.mark.parametrize("epsilon", [1e-3, 2.0, 40.0, 5000.0])
def test_random_fill_in_range_by_mpmath(size, epsilon):
    scale = mp.mpf(size) / epsilon
    grid = [mp.mpf(i) * (size - 1) / 500 for i in range(501)] + [mp.mpf(1) / 2]
    least = min(mp.fsum(mp.exp(-abs(v - g) / scale) for g in range(size)) for v in grid)
    most = mp.fsum(mp.exp(g / scale) for g in range(size))
    worst = max(20 * mp.log(most / least), 20 * (size - 1) / scale)
    m = LaplacePerturbation(epsilon, range(size))
    found = accounts(m, **CROWD | {"n_answers": 20, "n_tasks": 100}).worker
    assert found.upper == pytest.approx(float(worst), rel=1e-4)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 2.0, 40.0, 5000.0])
def test_fill_of_any_distribution_by_mpmath(epsilon):
    law, scale = (0.5, 0.0, 0.125, 0.375), mp.mpf(4) / epsilon
    dense = lambda y: mp.fsum(w * mp.exp(-abs(y - v) / scale) for v, w in enumerate(law))  # noqa: E731
    to_null = max(-mp.log(dense(mp.mpf(i) / 400)) for i in range(1201))
    from_null = 3 / scale + max(mp.log(dense(0)), mp.log(dense(3)))
    m = LaplacePerturbation(epsilon, range(4), law)
    found = accounts(m, **CROWD | {"n_answers": 20, "n_tasks": 100}).worker
    worst = 20 * max(to_null + from_null, 3 / scale)  # 20 answers elsewhere, or 20 others
    assert found.upper == pytest.approx(float(worst), rel=1e-4)


@pytest.mark.parametrize("epsilon", [80.0, 85.0, 1000.0])
@pytest.mark.parametrize("law", [5, (1e-13, *[0.0] * 4, 1 - 1e-13, *[0.0] * 4)])
def test_a_fill_far_from_both_ends_by_mpmath(epsilon, law):
    m = LaplacePerturbation(epsilon, range(10), law)
    shares = [mp.mpf(share) for share in m.fill_law]

    def dense(y):
        return mp.fsum(w * mp.exp(-abs(y - v) * mp.mpf(epsilon) / 10) for v, w in enumerate(shares))

    grid = [mp.mpf(i) / 100 for i in range(901)]
    worst = 20 * (max(-mp.log(dense(y)) for y in grid) + 9 * epsilon / 10 + mp.log(max(dense(0), dense(9))))
    found = accounts(m, **CROWD | {"n_answers": 20, "n_tasks": 100}).worker.upper
    assert found == pytest.approx(float(worst), rel=1e-2 if isinstance(law, tuple) else 1e-12)
    assert found >= float(worst) * (1 - 1e-12)


def test_extreme_fills():
    for size, epsilon in [(1, 1.0), (2, 5e-324), (2, 1e-12), (10**5, 1.0), (3, 1e300)]:
        m = LaplacePerturbation(epsilon, range(size))
        least = accounts(m, **CROWD, pattern_public=True).worker.upper
        assert least * (1 - 1e-9) <= accounts(m, **CROWD).worker.upper <= 2 * least


@pytest.mark.parametrize("ridge", [0.0, 0.5])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_fit_sensitivity_agrees_with_enumeration(k, ridge):
    profile = np.array([[0.5, -0.25, 0.6, 0.0], [0.5, 0.5, -0.4, 0.1]])
    m = MatrixFactorization(1.5, range(3), profile, ridge)
    found = accounts(m, **CROWD | {"n_answers": k, "n_tasks": 4}, pattern_public=True).worker
    moved = [d for d in product(range(-2, 3), repeat=4) if np.count_nonzero(d) <= k]
    worst = max(np.abs(profile @ d).sum() for d in moved) / m.scale
    assert found.exact
    assert found.upper == pytest.approx(worst)


def test_many_directions_leave_a_bracket():
    profile = np.random.default_rng(1).normal(size=(14, 40))
    profile /= np.abs(profile).sum(axis=0)
    m = MatrixFactorization(1.0, range(5), profile, ridge=1.0)
    worker = accounts(m, **CROWD | {"n_answers": 20, "n_tasks": 40}, pattern_public=True).worker
    assert 0 < worker.lower < worker.upper == pytest.approx(20 * m.exact_epsilon)
    small = MatrixFactorization(1.0, range(5), profile)  # two answers cannot determine 14 numbers
    assert accounts(small, **CROWD | {"n_tasks": 40}, pattern_public=True).worker.lower == 0
    assert accounts(m, **CROWD | {"n_tasks": 40}).worker == Bracket(inf, inf)


def test_single_pattern_fit_has_no_infinite_loss():
    square = MatrixFactorization(1.0, range(5), np.eye(3))  # only complete rows have a fit
    assert accounts(square, **CROWD | {"n_answers": 3}).worker == Bracket(0, inf)
    wide = MatrixFactorization(1.0, range(5), np.eye(3)[:2])  # the third task has no weight
    assert accounts(wide, **CROWD | {"n_answers": 3}).cell == Bracket(0, inf)
    other = MatrixFactorization(1.0, range(5), [[1.0, 0.5, 0.5], [0.0, 0.5, -0.5]])
    assert accounts(other, **CROWD | {"n_answers": 3}).worker == Bracket(inf, inf)


def test_a_channel_for_each_task_is_bracketed():
    other = np.array([[0.5, 0.5], [0.4, 0.6], [0.45, 0.55]])
    strong = np.array([[0.8, 0.2], [0.2, 0.8], [0.5, 0.5]])
    m = ChannelResponse(np.stack([other, strong, other]), range(2))
    public = accounts(m, **CROWD, pattern_public=True).worker
    assert public.exact
    assert public.upper == pytest.approx(log(4) + log(0.5 / 0.4))
    hidden = accounts(m, **CROWD).worker
    assert public.upper == hidden.lower < hidden.upper
    with pytest.raises(ValueError, match="n_tasks"):
        accounts(m, **CROWD | {"n_tasks": 4})


def log_chance(low, high, size, n, lost):
    """ln of the mean probability of an output with `lost` replaced cells, times a constant."""

    def integrand(b):
        return mp.exp(-n * mp.log1p(size * mp.exp(-b)) - lost * b)

    return mp.log(mp.quad(integrand, mp.linspace(low, high, 41)))


@pytest.mark.parametrize(
    ("low", "high", "size", "n", "h"),
    [(0.1, 3.9, 5, 1128, 44), (0.0, 2.0, 1, 300, 300), (1.0, 9.0, 5, 40, 7)],
)
def test_budgets_of_two_layers_by_mpmath(low, high, size, n, h):
    expected = log_chance(low, high, size, n, 0) - log_chance(low, high, size, n, h)
    found = TwoLayerResponse(low, high, range(size)).worker_epsilon_of(n, h)
    assert found == pytest.approx(float(expected), rel=1e-9)


def test_places_and_particles():
    crowd = CROWD | {"delta": 1e-3}
    planar = accounts(PlanarLaplace(0.4), **crowd)
    assert (planar.cell, planar.worker) == (Bracket(0.4, 0.4), Bracket(0.8, 0.8))
    assert planar.shuffled is planar.shuffled_rows is None
    worker = accounts(ParticlePerturbation(2.0), **crowd).worker.upper
    assert normal_delta(sqrt(2) / 2, worker) == pytest.approx(1e-3, rel=1e-6)


@pytest.mark.parametrize("step", [0.1, 0.3, 0.7, 1.5, 4.0])
def test_lattice_cost_is_attained_by_two_places(step):
    found = accounts(LatticeLaplace(0.4, step), **CROWD).cell
    angle = np.linspace(0, np.pi / 2, 361)
    starts = (np.arange(2000) / 2000 - 0.5) * step
    ways = np.stack([np.cos(angle), np.sin(angle)]) * (1 - 1e-9)
    moved = [np.rint((starts[:, None] + way) / step) - np.rint(starts / step)[:, None] for way in ways]
    farthest = max(np.hypot(moved[0].max(axis=0), moved[1].max(axis=0))) * step * 0.4
    assert found.lower <= farthest + 1e-9
    assert farthest <= found.upper
    assert found.upper <= 0.4 * (1 + 1.4143 * step)


def test_labels_of_one_worker():
    pure = accounts(LaplaceCounts(1.0), **CROWD)
    assert (pure.cell, pure.worker) == (Bracket(1.0, 1.0), Bracket(2.0, 2.0))
    gauss = accounts(GaussianCounts(1.0, 0.1), **CROWD).worker.upper
    sigma = GaussianCounts(1.0, 0.1).sigma
    assert normal_delta(2 * sqrt(2) / sigma, gauss) == pytest.approx(1e-6, rel=1e-5)
    for m in (LaplaceCounts(1.0, 0.1), LaplacePrior(1.0, 0.1)):
        found = accounts(m, **CROWD | {"delta": 0.01})
        lacking = 1 / m.scale - found.cell.upper / 2
        assert -np.expm1(-lacking) - lacking / 2 * exp(-lacking) == pytest.approx(0.01)
        assert found.worker.lower < found.worker.upper == pytest.approx(4 / m.scale)


def test_scaled_dirichlet_by_delta_and_by_steps():
    m = ScaledDirichlet(0.5, 0.1, least_count=20)
    found = accounts(m, **CROWD)
    assert dirichlet_delta(m, found.cell.upper) == pytest.approx(1e-6, rel=0.05)
    step = found.worker.upper / 2
    assert dirichlet_delta(m, step) * (1 + exp(step)) == pytest.approx(1e-6, rel=0.05)
    open_scale = ScaledDirichlet(1.0, 0.9, scale_from_private_counts=True)
    assert accounts(open_scale, **CROWD).cell == Bracket(inf, inf)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("public", [False, True])
def test_every_mechanism_has_its_accounts(case, public):
    found = accounts(mechanism_of(case), **CROWD, pattern_public=public)
    assert isinstance(found, Accounts)
    assert found.unit.split(",")[0].split()[0] in {"cell", "particle", "place", "label"}
    for name in ("cell", "worker", "shuffled", "shuffled_rows"):
        bracket = getattr(found, name)
        assert bracket is None or 0 <= bracket.lower <= bracket.upper
    assert found.cell.upper <= found.worker.upper
    if found.shuffled is not None:
        assert found.shuffled.upper <= found.cell.upper
        assert found.shuffled_rows.upper <= found.worker.upper
        hidden = accounts(mechanism_of(case), **CROWD)  # its epsilon covers more neighbours
        for name in ("cell", "worker", "shuffled", "shuffled_rows"):
            assert getattr(found, name).upper <= getattr(hidden, name).upper * (1 + 1e-12)
    more = accounts(mechanism_of(case), **CROWD | {"n_answers": 3}, pattern_public=public)
    assert found.worker.upper <= more.worker.upper * (1 + 1e-12)


def reports_of_one_symbol(epsilon, n_symbols, n_users):
    """Probability of each number of reports of a symbol if a worker holds it, or another, by convolution."""
    total = n_symbols - 1 + exp(epsilon)
    others = stats.binom.pmf(np.arange(n_users), n_users - 1, 1 / total)
    return [np.convolve(others, [1 - p, p]) for p in (exp(epsilon) / total, 1 / total)]


@pytest.mark.parametrize(
    ("m", "n_symbols"),
    [
        (RandomizedResponse(1.0, range(5)), 6),
        (ThresholdResponse(1.0), 3),
        (OneLayerFlip.with_probability(0.3, 2), 2),
        (AskedQuestions(2.0, 2), 3),
    ],
)
def test_behind_the_shuffler_the_lower_end_occurs(m, n_symbols):
    found = accounts(m, **CROWD, pattern_public=True).shuffled
    epsilon = m.exact_epsilon / getattr(m, "n_questions", 1)
    first, second = reports_of_one_symbol(epsilon, n_symbols, 1000)
    sticks = [np.maximum(a - exp(found.lower) * b, 0).sum() for a, b in [(first, second), (second, first)]]
    assert max(sticks) == pytest.approx(1e-6, rel=1e-3)
    upper = shuffle_epsilon(local_epsilon=epsilon, n_users=1000, delta=1e-6, n_symbols=n_symbols)
    assert found.lower < found.upper == pytest.approx(min(upper, epsilon))


@pytest.mark.parametrize("public", [False, True])
def test_full_rows_have_a_bracket_only(public):
    crowd = {"n_answers": 22, "n_tasks": 1128, "n_users": 2972, "delta": 1e-6, "pattern_public": public}
    rows = accounts(RandomizedResponse(0.01, range(1, 6)), **crowd).shuffled_rows
    assert rows == Bracket(0, shuffle_epsilon(local_epsilon=0.44, n_users=2972, delta=1e-6))
    assert rows.upper < 0.05


def test_shared_flips_without_exchangeable_reports():
    many = CROWD | {"n_users": 10**5, "pattern_public": True}
    low, high = accounts(TwoLayerFlip(0.2, 0.5, 3), **many), accounts(TwoLayerFlip(0.2, 0.9, 3), **many)
    assert low.shuffled.upper < 0.1
    assert high.shuffled == Bracket(0, high.cell.upper)
    assert accounts(TwoLayerFlip(0.2, 0.9, 2), **many).shuffled.upper < 0.1


@pytest.mark.parametrize("m", [MixedSigns(30.0, 3), OwnAnswer(20.0, 300)])
def test_dependent_reports_hide_no_cell(m):
    found = accounts(m, **CROWD | {"n_answers": 300, "n_tasks": 300, "n_users": 10**9})
    assert found.worker.upper > found.cell.upper  # too large for shuffling to help rows
    assert found.shuffled_rows == Bracket(0, found.worker.upper)
    assert found.shuffled == Bracket(0, found.cell.upper)
    assert shuffle_epsilon(local_epsilon=found.cell.upper, n_users=10**9, delta=1e-6) < found.cell.upper


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 30.0, 690.0, 699.999, 700.0, 720.0, 5000.0])
@pytest.mark.parametrize("padding", [1, 2, 3])
def test_an_own_answer_by_mpmath(epsilon, padding):
    """From the probabilities of a bit for the drawn slot, another slot, and an empty one."""
    with mp.workdps(3000):  # e^-5000 compared with 1
        lam = 1 / (mp.exp(mp.mpf(epsilon)) + 1)
        ratio = {True: (1 - lam) / 2 / (lam * (1 - lam)), False: lam / 2 / (lam * (1 - lam))}
        filled, found = min(2, padding), accounts(OwnAnswer(epsilon, padding), **CROWD)
        none = filled * ratio[False] + padding - filled
        for changed, bracket in ((1, found.cell), (filled, found.worker)):
            most = none + changed * (ratio[True] - ratio[False])
            assert bracket.upper == pytest.approx(float(mp.log(most / none)), rel=1e-12)


def test_public_pattern_cell_compares_two_answers():
    channel = ChannelResponse([[0.5, 0.5], [0.4, 0.6], [0.05, 0.95]], range(2))
    public, hidden = accounts(channel, **CROWD, pattern_public=True), accounts(channel, **CROWD)
    assert public.cell.upper == pytest.approx(log(5 / 4))
    assert hidden.cell.upper == pytest.approx(log(10))
    assert public.shuffled.upper == min(public.cell.upper, hidden.shuffled.upper)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 30.0, 690.0, 5000.0])
@pytest.mark.parametrize("n_users", [1, 2, 10**6, 10**13])
def test_extreme_crowds_and_budgets_keep_the_order(epsilon, n_users):
    crowd = CROWD | {"n_users": n_users}
    for m in (RandomizedResponse(epsilon, range(5)), ThresholdResponse(epsilon)):
        found = accounts(m, **crowd)
        assert 0 <= found.shuffled.lower <= found.shuffled.upper <= epsilon
        assert found.worker.upper == pytest.approx(3 * epsilon)
    if n_users == 1 and epsilon == 30:
        assert found.shuffled.lower == pytest.approx(epsilon, rel=0.01)


def test_one_table_of_the_book():
    some = {"RR": RandomizedResponse(1.0, range(5)), "planar": PlanarLaplace(0.1)}
    table = accounts_table(some, **CROWD)
    assert list(table.index) == ["RR", "planar"]
    assert list(table.columns) == ["unit", "cell", "worker", "shuffled", "shuffled_rows"]
    assert repr(table.loc["RR", "worker"]) == "3"
    assert table.loc["planar", "shuffled"] == "-"
    assert isinstance(table, pd.DataFrame)


def test_bracket_states_known_bounds():
    assert (repr(Bracket(1.0, 1.0)), repr(Bracket(1.0, 2.0)), repr(Bracket(inf, inf))) == ("1", "1..2", "inf")
    assert repr(Bracket(0.98341, 0.98343)) == "0.98341..0.98343"
    assert repr(Bracket(1.0 - 1e-8, 1.0)) == "0.99999999..1"
    assert Bracket(1.0, 1.0 + 1e-13).exact
    assert not Bracket(1.0, 1.1).exact
    assert not Bracket(0.0, inf).exact


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("mechanism", None, TypeError),
        ("mechanism", Mechanism, TypeError),
        ("n_answers", 4, ValueError),
        ("n_answers", 0, ValueError),
        ("n_tasks", 2.5, TypeError),
        ("n_users", 0, ValueError),
        ("delta", 0.0, ValueError),
        ("delta", "small", TypeError),
        ("pattern_public", 1, TypeError),
    ],
)
def test_bad_input_is_refused_by_name(name, value, error):
    good = {"mechanism": ThresholdResponse(1.0), **CROWD, "pattern_public": False}
    with pytest.raises(error, match=name):
        accounts(**good | {name: value})
    if name == "mechanism":
        with pytest.raises(error, match="mechanism"):
            accounts_table({"it": value}, **CROWD)


def test_a_profile_of_other_tasks_is_refused():
    with pytest.raises(ValueError, match="n_tasks"):
        accounts(MatrixFactorization(1.0, range(3), [[1.0, 1.0]]), **CROWD)
