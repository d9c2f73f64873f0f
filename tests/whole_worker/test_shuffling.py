"""The central epsilon of shuffled reports, against enumeration and full sums that do not call the package."""

import itertools
import math
from collections import Counter

import mpmath as mp
import numpy as np
import pytest
from draws import draws
from hypothesis import given, settings, strategies as st
from scipy.special import betainc
from scipy.stats import beta, binom

from ldpbook import RandomizedResponse
from ldpbook.foundations import gaussian_epsilon
from ldpbook.remedies import Survey, ThresholdResponse, next_thresholds
from ldpbook.whole_worker import shuffle_epsilon
from ldpbook.whole_worker.shuffling import _Crowd


def histogram_law(row_laws):
    """Probabilities of the counts of all symbols, by adding user after user."""
    law = {(0,) * len(row_laws[0]): 1.0}
    for row in row_laws:
        longer = Counter()
        for counts, chance in law.items():
            for symbol, p in enumerate(row):
                seen = list(counts)
                seen[symbol] += 1
                longer[tuple(seen)] += chance * p
        law = longer
    return law


def exact_delta(epsilon, k, others, central):
    """The larger delta of both directions for neighbours 0 and 1, if users respond with k symbols."""
    matrix = np.ones((k, k)) + math.expm1(epsilon) * np.eye(k)
    matrix /= matrix[0].sum()
    rest = [matrix[x] for x in others]
    first, second = (histogram_law([matrix[x], *rest]) for x in (0, 1))
    return max(
        sum(max(0.0, a[h] - math.exp(central) * b[h]) for h in a)
        for a, b in ((first, second), (second, first))
    )


def delta_of_parts(weight, hers, others):
    """Delta by central epsilon, from all parts at once; parts outside the sum have weight 0."""
    kept = weight > 0
    weight, hers, others = weight[kept], np.broadcast_to(hers, kept.shape)[kept], others[kept]
    return lambda central: float(weight @ np.maximum(hers - math.exp(central) * others, 0))


def clones_delta(epsilon, n):
    """Delta by central epsilon for the two distributions of the theorem on clones, by all their numbers."""
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    mass = binom.pmf(np.arange(n), n - 1, math.exp(-epsilon))
    clones = np.flatnonzero(mass > 1e-25)[:, None]
    firsts = np.arange(n + 1)
    up, stay = binom.pmf(firsts - 1, clones, 0.5), binom.pmf(firsts, clones, 0.5)
    one, other = keep * up + (1 - keep) * stay, (1 - keep) * up + keep * stay
    return delta_of_parts(np.where(firsts <= clones + 1, mass[clones], 0), one, other)


def blanket_delta(epsilon, n, k):
    """Delta by central epsilon, by all numbers of uniform reports and of both symbols among them."""
    q = 1 / (k - 1 + math.exp(epsilon))
    uniform = k * q
    c, t, h = np.arange(n)[:, None, None], np.arange(n + 1)[:, None], np.arange(n + 1)
    chance = binom.pmf(c, n - 1, uniform) * binom.pmf(t, c + 1, 2 / k)
    gain = (1 - uniform) * k / (c + 1)
    return delta_of_parts(chance * binom.pmf(h, t, 0.5), uniform + gain * h, uniform + gain * (t - h))


def root(delta_of, most, delta):
    low, high = 0.0, most
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(middle) <= delta else (middle, high)
    return high


@pytest.mark.parametrize(
    ("epsilon", "n", "delta", "found"),
    [
        (2, 20_000, 1e-6, 0.1069),
        (1, 20_000, 1e-6, 0.0365),
        (4, 20_000, 1e-6, 0.4068),
        (2, 10**6, 1e-8, 0.01756),
    ],
)
def test_clones_at_known_settings(epsilon, n, delta, found):
    value = shuffle_epsilon(local_epsilon=epsilon, n_users=n, delta=delta)
    assert value == pytest.approx(found, abs=1e-4 * found + 5e-5)


@pytest.mark.parametrize(
    ("epsilon", "n", "delta"),
    [(2, 1000, 1e-6), (0.5, 300, 1e-4), (5, 400, 1e-3), (3, 2, 0.01), (1, 20, 1e-9)],
)
def test_clone_bound_agrees_with_full_sum(epsilon, n, delta):
    value = shuffle_epsilon(local_epsilon=epsilon, n_users=n, delta=delta)
    exact = root(clones_delta(epsilon, n), epsilon, delta)
    assert exact * (1 - 1e-9) <= value <= min(epsilon, exact * 1.0002)


@pytest.mark.parametrize(
    ("epsilon", "n", "delta", "k"),
    [
        (2, 60, 1e-3, 3),
        (1, 50, 1e-3, 5),
        (4, 80, 1e-3, 4),
        (3, 40, 0.01, 20),
        (2, 2, 0.05, 3),
        (1, 90, 1e-3, 2),
    ],
)
def test_blanket_bound_agrees_with_full_sum(epsilon, n, delta, k):
    value = shuffle_epsilon(local_epsilon=epsilon, n_users=n, delta=delta, n_symbols=k)
    exact = min(
        root(blanket_delta(epsilon, n, k), epsilon, delta),
        root(clones_delta(epsilon, n), epsilon, delta),
    )
    assert exact * (1 - 1e-9) <= value <= min(epsilon, exact * 1.0002)


@pytest.mark.parametrize(("k", "n"), [(2, 2), (2, 5), (2, 8), (3, 2), (3, 5), (3, 8), (4, 4)])
@pytest.mark.parametrize("epsilon", [0.4, 1.5, 4.0])
def test_no_crowd_of_few_users_exceeds_the_bound(k, n, epsilon):
    for delta in (0.001, 0.03):
        central = shuffle_epsilon(local_epsilon=epsilon, n_users=n, delta=delta, n_symbols=k)
        general = shuffle_epsilon(local_epsilon=epsilon, n_users=n, delta=delta)
        found = [
            exact_delta(epsilon, k, others, central)
            for others in itertools.combinations_with_replacement(range(k), n - 1)
        ]
        assert max(found) <= delta
        assert central <= general <= epsilon


def test_blanket_is_nearly_attained_with_third_symbol():
    """The exact delta of 20,000 users of three symbols, by all numbers of reports of both symbols."""
    epsilon, n, delta = 2.0, 20_000, 1e-6
    lie = 1 / (2 + math.exp(epsilon))
    keep = 1 - 2 * lie

    both = np.arange(3800, 4800)[:, None]
    h = both // 2 + np.arange(-400, 401)  # 12 standard errors on either side
    chance = binom.pmf(both, n, 2 * lie) * binom.pmf(h, both, 0.5) / n

    def exact(central):
        factor = math.exp(central)
        rest = (factor - 1) * lie / keep * (n - both)
        over = (keep / lie - factor) * h - (factor * keep / lie - 1) * (both - h) - rest
        return (chance * np.maximum(over, 0)).sum()

    central = shuffle_epsilon(local_epsilon=epsilon, n_users=n, delta=delta, n_symbols=3)
    assert exact(central) <= delta < exact(0.97 * central)


def first_phase(n_users, domain):
    """The thresholds of all workers of a first phase, for one task."""
    return np.resize(next_thresholds(Survey.start(1, epsilon=2.0, domain=domain)), n_users)


@pytest.mark.parametrize(
    ("n_users", "fewest", "most"), [(2000, 222, 223), (4000, 444, 445), (1800, 200, 200)]
)
def test_first_phase_uses_nine_thresholds(n_users, fewest, most):
    reports = Counter(first_phase(n_users, range(10)).tolist())
    assert sorted(reports) == [k + 0.5 for k in range(9)]
    assert (min(reports.values()), max(reports.values())) == (fewest, most)


def test_only_reports_at_her_threshold_hide_a_worker():
    """Six workers at three thresholds, by all counts of symbols at each: two hide each other, not six."""
    epsilon, delta, asked = 2.0, 0.05, first_phase(6, range(4))
    symbols = ThresholdResponse(epsilon).transition_matrix  # below, above, NULL
    alone = np.eye(3)

    def report(answer, threshold):
        """Probabilities of each threshold and symbol."""
        place = alone[int(threshold)]
        return np.outer(place, symbols[int(answer > threshold)]).ravel()

    found = {}
    for n_users in (2, 6):
        central = shuffle_epsilon(local_epsilon=epsilon, n_users=n_users, delta=delta, n_symbols=3)
        found[n_users] = 0.0
        for others in ((0, 0, 0, 0, 0), (3, 3, 3, 3, 3), (0, 3, 1, 2, 3)):
            rest = [report(*pair) for pair in zip(others, asked[1:], strict=True)]
            first, second = (histogram_law([report(own, asked[0]), *rest]) for own in (0, 3))
            over = sum(max(0.0, p - math.exp(central) * second[h]) for h, p in first.items())
            found[n_users] = max(found[n_users], over)
    assert found[2] <= delta < found[6]


def test_other_randomizers_respect_the_clone_bound():
    """Draws of extreme randomizers with four outputs and three inputs, on five users."""
    rng = np.random.default_rng(21)
    for _ in range(30):
        epsilon = rng.uniform(0.5, 3)
        matrix = np.where(rng.random((3, 4)) < 0.5, 1, math.exp(epsilon)) * rng.dirichlet(np.ones(4))
        matrix /= matrix.sum(axis=1, keepdims=True)
        local = math.log((matrix.max(axis=0) / matrix.min(axis=0)).max())
        central = shuffle_epsilon(local_epsilon=local, n_users=5, delta=0.01)
        for others in itertools.combinations_with_replacement(range(3), 4):
            first, second = (histogram_law([matrix[x], *matrix[list(others)]]) for x in (0, 1))
            assert sum(max(0.0, first[h] - math.exp(central) * second[h]) for h in first) <= 0.01


@pytest.mark.parametrize("k", [3, 4])
def test_an_audit_of_simulated_shuffles_stays_below(k):
    """Clopper-Pearson limits of one event, fixed beforehand: more reports of the user's symbol than usual."""
    epsilon, n, trials, delta = 2.0, 30, 100_000, 0.01
    response, rng = RandomizedResponse(epsilon, range(k - 1)), np.random.default_rng(22)  # and NULL
    hits = []
    for own in (0.0, 1.0):
        reports = response.perturb(np.ones((trials, n - 1)), rng)
        hers = response.perturb(np.full((trials, 1), own), rng)
        zeros = (reports == 0).sum(axis=1) + (hers == 0).sum(axis=1)
        hits.append(int((zeros > 1.5 * n / (k - 1 + math.exp(epsilon))).sum()))
    low, high = beta.ppf([0.0005, 0.9995], [hits[0], hits[1] + 1], [trials - hits[0] + 1, trials - hits[1]])
    central = shuffle_epsilon(local_epsilon=epsilon, n_users=n, delta=delta, n_symbols=k)
    assert 0.05 < math.log((low - delta) / high) < central < epsilon


@settings(max_examples=draws(10, 60))
@given(
    epsilon=st.floats(0.01, 20),
    n=st.integers(1, 10**6),
    exponent=st.floats(-12, -0.5),
    k=st.sampled_from([None, 2, 3, 7]),
)
def test_more_users_more_delta_and_fewer_assumptions(epsilon, n, exponent, k):
    delta = 10**exponent

    def value(**changed):
        given = {"local_epsilon": epsilon, "n_users": n, "delta": delta, "n_symbols": k} | changed
        return shuffle_epsilon(**given)

    found = value()
    assert 0 <= found <= epsilon
    slack = 1.001
    assert value(n_users=2 * n + 1) <= found * slack
    assert value(delta=math.sqrt(delta)) <= found * slack
    assert found <= value(n_symbols=None)


def exact_by_digits(epsilon, n, k, central):
    """The blanket's delta of few users with 60 digits, by all numbers of the three kinds of reports."""
    e, factor, total = mp.exp(mp.mpf(epsilon)), mp.exp(mp.mpf(central)), mp.mpf(0)
    p, q = e / (e + k - 1), 1 / (e + k - 1)
    for first, second in itertools.product(range(n + 1), repeat=2):
        for beside in range(n - first - second + 1 if k > 2 else 1):
            over = p * first + q * second + q * beside - factor * (q * first + p * second + q * beside)
            if first + second > n or over <= 0:
                continue
            rest = n - first - second - beside
            ways = mp.factorial(n) / mp.fprod(map(mp.factorial, (first, second, beside, rest)))
            total += ways * q ** (first + second) * ((k - 2) * q) ** beside * (1 - k * q) ** rest * over
    return total / (n * q)


def test_few_users_over_the_whole_range_of_arguments():
    """Local epsilon from a thousandth to 200, delta down to 1e-200: it is met, but not by a little less."""
    rng = np.random.default_rng(23)
    with mp.workdps(60):
        for case in range(40):
            k, n, epsilon = int(rng.choice([2, 3, 4, 9])), int(rng.integers(2, 8)), 10 ** rng.uniform(-3, 2.3)
            delta = 10 ** rng.uniform(-200 if case % 2 else -9, -0.3)
            value = shuffle_epsilon(local_epsilon=epsilon, n_users=n, delta=delta, n_symbols=k)
            assert value == epsilon or exact_by_digits(epsilon, n, k, value) <= delta
            assert value <= epsilon
            if value > 0:
                assert exact_by_digits(epsilon, n, k, value * (1 - 1e-4)) > delta


def test_ends_of_the_range():
    one = {"n_users": 1000, "delta": 1e-6}
    assert shuffle_epsilon(local_epsilon=0.7, n_users=1, delta=0.3, n_symbols=3) == 0.7
    assert shuffle_epsilon(local_epsilon=0.0, **one) == 0
    assert shuffle_epsilon(local_epsilon=5e-324, **one) == 5e-324
    assert shuffle_epsilon(local_epsilon=math.inf, **one) == math.inf
    assert shuffle_epsilon(local_epsilon=700.0, **one, n_symbols=3) == 700
    assert shuffle_epsilon(local_epsilon=499.0, **one, n_symbols=3) <= 499
    assert shuffle_epsilon(local_epsilon=2.0, n_users=1000, delta=1e-300) == 2
    assert shuffle_epsilon(local_epsilon=2.0, n_users=1000, delta=0.9) == 0
    assert shuffle_epsilon(local_epsilon=1.0, n_users=10**6, delta=1e-8, n_symbols=2**53) == 0
    capped, all_there_are = (
        shuffle_epsilon(local_epsilon=4.0, n_users=n, delta=1e-9) for n in (10**10, 2**53)
    )
    assert capped == all_there_are < 1e-3


def test_tails_are_normal_in_huge_crowds():
    """If both symbols have huge counts, delta is that of a normal shift, up to its skewness."""
    epsilon, n, delta = 3.0, 10**9, 1e-7
    value = shuffle_epsilon(local_epsilon=epsilon, n_users=n, delta=delta)
    keep = 1 / (1 + math.exp(-epsilon))
    sigma = math.sqrt(n * math.exp(-epsilon)) / 2
    assert value == pytest.approx(gaussian_epsilon(sigma=sigma, distance=2 * keep - 1, delta=delta), rel=2e-3)


def test_tails_of_the_crowd_are_added():
    for k in (2, 3):
        crowd = _Crowd(2.0, k, 1 / (k - 1 + math.exp(2)), 10**6, 0.3)
        assert crowd.mass.sum() + crowd.cut == pytest.approx(1, abs=1e-13)
        assert crowd.delta(2.0) >= crowd.cut > 1e-12
    at = np.arange(1000)
    assert betainc(at + 1, 1000 - at, 0.3) == pytest.approx(binom.sf(at, 1000, 0.3), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    ("changed", "error", "says"),
    [
        ({"delta": 0}, ValueError, "delta .*nothing over the local epsilon"),
        ({"delta": 1.0}, ValueError, "delta"),
        ({"delta": "1e-6"}, TypeError, "delta"),
        ({"delta": math.nan}, ValueError, "delta"),
        ({"n_users": 0}, ValueError, "n_users"),
        ({"n_users": 2.5}, TypeError, "n_users"),
        ({"n_users": 2**60}, ValueError, "n_users"),
        ({"local_epsilon": -1.0}, ValueError, "local_epsilon"),
        ({"local_epsilon": math.nan}, ValueError, "local_epsilon"),
        ({"local_epsilon": None}, TypeError, "local_epsilon"),
        ({"n_symbols": 1}, ValueError, "n_symbols"),
        ({"n_symbols": 3.0}, TypeError, "n_symbols"),
    ],
)
def test_wrong_arguments_are_refused(changed, error, says):
    with pytest.raises(error, match=says):
        shuffle_epsilon(**({"local_epsilon": 1.0, "n_users": 10, "delta": 0.1} | changed))
