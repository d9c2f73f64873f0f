"""Draws without a seed: exact tables by the last word of each report, distributions, refusals."""

import inspect
import os
from fractions import Fraction
from itertools import pairwise, product

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import ldpbook as ldp
from ldpbook._exact import noise_weights
from ldpbook.practice import response_weights


@pytest.fixture(autouse=True, scope="module")
def eighty_digits():
    with mpmath.workdps(80):
        yield


NULL = np.nan
WORD = 2**64
CHANNEL = [[0.6, 0.2, 0.2], [0.3, 0.3, 0.4], [0.1, 0.6, 0.3]]
RESPONSES = {
    "RR": ldp.RandomizedResponse(1.5, range(2, 5)),
    "threshold": ldp.ThresholdResponse(0.8),
    "flip": ldp.OneLayerFlip.with_probability(0.3, 4),
    "flip with NULL": ldp.OneLayerFlip.with_probability(0.45, 2, null_is_symbol=True),
    "channel": ldp.remedies.ChannelResponse(CHANNEL, range(2)),
    "unused outputs": ldp.remedies.ChannelResponse([[0, 0.6, 0, 0.4, 0], [0, 0.1, 0, 0.9, 0]], range(1)),
}
EVERY = pytest.mark.parametrize("m", RESPONSES.values(), ids=RESPONSES)


def of_words(*words):
    """A source that gives these words, and no more."""
    left = iter(words)

    def entropy(n):
        assert n % 8 == 0
        return b"".join(int(next(left)).to_bytes(8, "big") for _ in range(n // 8))

    return entropy


def of_word(word, coin=0):
    """A source that gives one word, or first its first two bytes alone if these are requested.

    A threshold response requests the coin of a tie beforehand, as a separate byte.
    """
    asked = []

    def entropy(n):
        if n == 1 and not asked:
            return bytes([coin << 7])
        asked.append(n)
        if n == 2:
            return (word >> 48).to_bytes(2, "little")
        assert n == 8
        rest = ((word << 16) % WORD).to_bytes(8, "little")
        return rest if asked == [2, 8] else word.to_bytes(8, "big")

    return entropy


def inputs(m):
    if isinstance(m, ldp.ThresholdResponse):
        return [0.0, 1.0, NULL]
    if isinstance(m, ldp.OneLayerFlip):
        return [*map(float, range(m.n_choices)), *[NULL] * m.null_is_symbol]
    return [*map(float, m.domain), NULL]


def asked(m):
    return (0.5,) if isinstance(m, ldp.ThresholdResponse) else ()


def report(m, given, word, coin=0):
    return m.perturb([given], *asked(m), entropy=of_word(word, coin))[0]


def words_of(m, given, coin=0):
    """Number of words that give each report, by bisection of a table in the order of words."""
    found, start = [], 0
    while start < WORD:
        first = report(m, given, start, coin)
        low, high = start, WORD - 1  # the last word of this report lies in between
        while low < high:
            middle = (low + high + 1) // 2
            same = np.array_equal(report(m, given, middle, coin), first, equal_nan=True)
            low, high = (middle, high) if same else (low, middle - 1)
        found.append((None if np.isnan(first) else float(first), low + 1 - start))
        start = low + 1
    assert len({output for output, _ in found}) == len(found)
    return dict(found)


@EVERY
def test_exact_ratio_follows_from_words(m):
    laws = [words_of(m, x) for x in inputs(m)]
    assert all(sum(law.values()) == WORD for law in laws)
    assert len({frozenset(law) for law in laws}) == 1
    ratio = max(Fraction(a[y], b[y]) for a, b in product(laws, laws) for y in a)
    assert m.exact_ratio == ratio
    exact = mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
    assert float(exact) == pytest.approx(m.exact_epsilon, rel=1e-13)
    if not isinstance(m, ldp.remedies.ChannelResponse):
        assert exact <= mpmath.mpf(m.exact_epsilon)
        keep, other = response_weights(epsilon=m.exact_epsilon, n_symbols=len(laws))
        assert sorted(laws[0].values()) == [other] * (len(laws) - 1) + [keep]
        for x, law in zip(inputs(m), laws, strict=True):
            assert law[None if np.isnan(x) else x] == keep


@pytest.mark.parametrize("epsilon", [1e-9, 0.8, 3.0, 60.0])
def test_tied_answer_has_no_additional_cost(epsilon):
    """Over all words, coins and pairs of contents: a tie has the mean distribution, and no larger ratio."""
    m = ldp.ThresholdResponse(epsilon)
    keep, other = response_weights(epsilon=epsilon, n_symbols=3)
    contents = {"not above": 0.0, "above": 1.0, "NULL": NULL, "tied": 0.5}
    laws = {}
    for name, content in contents.items():
        each = [words_of(m, content, coin) for coin in (0, 1)]
        assert (each[0] == each[1]) == (name != "tied")
        laws[name] = {z: sum(law[z] for law in each) for z in (0.0, 1.0, None)}
    assert laws["tied"] == {0.0: keep + other, 1.0: keep + other, None: 2 * other}
    pairs = product(laws.values(), laws.values())
    ratio = max(Fraction(a[z], b[z]) for a, b in pairs for z in a)
    assert ratio == m.exact_ratio
    assert mpmath.mpf(ratio.numerator) / ratio.denominator <= mpmath.exp(mpmath.mpf(epsilon))


def test_entropy_used_does_not_reveal_ties():
    m = ldp.ThresholdResponse(0.8)
    for size in (1, 7, 8, 9, 5000):
        taken = set()
        for answer, fill in product((0.0, 0.5, 1.0, NULL), (b"\0", b"\xaa", b"\xff", None)):
            source = np.random.default_rng(1).bytes if fill is None else lambda n, fill=fill: fill * n
            asked = []

            def entropy(n, source=source, asked=asked):
                asked.append(n)
                return source(n)

            m.perturb(np.full((size, 1), answer), 0.5, entropy=entropy)
            taken.add(tuple(asked))
        assert len(taken) == 1
        assert asked[0] == -(-size // 8)


def test_every_cell_has_its_own_coin():
    answers = np.full((50, 7), 0.5)
    answers[:, ::3] = 0.0
    drawn = np.random.default_rng(2).bytes(44)
    sources = iter([lambda n: drawn[:n]])
    out = ldp.ThresholdResponse(44.0).perturb(answers, 0.5, entropy=lambda n: next(sources, bytes)(n))
    coins = [(drawn[k // 8] >> (7 - k % 8)) & 1 for k in range(350)]
    assert np.array_equal(out, np.where(answers == 0.5, np.reshape(coins, (50, 7)), 0))


def test_channel_is_rounded_down_except_likeliest_output():
    m = RESPONSES["channel"]
    for x, row in zip(inputs(m), np.asarray(m.transition_matrix), strict=True):
        law = words_of(m, x)
        exact = [Fraction(p) / sum(map(Fraction, row.tolist())) * WORD for p in row.tolist()]
        for k, wanted in enumerate(exact):
            short = wanted - law[float(k)]
            assert 0 <= short < 1 or (k == row.argmax() and -3 < short <= 0)


def test_each_task_uses_its_own_channel():
    channels = [CHANNEL, [[0.2, 0.8, 0.0], [0.5, 0.5, 0.0], [0.3, 0.7, 0.0]], [[0, 0.2, 0.8]] * 3]
    release = ldp.remedies.ChannelResponse(channels, range(2))
    words = [0, 0, 0, WORD - 1, WORD - 1, WORD - 1]
    out = release.perturb([[0, 1, NULL], [1, NULL, 0]], entropy=of_words(*words))
    assert out.tolist() == [[0, 0, 1], [2, 1, 2]]
    assert float(release.exact_ratio) == pytest.approx(6)


@EVERY
def test_reports_follow_the_distribution(m):
    size, given = 20_000, inputs(m)
    table = np.tile([x for x in given for _ in range(1)], (size, 1))
    out = m.perturb(table, *asked(m), entropy=np.random.default_rng(3).bytes)
    outputs = (
        given if not isinstance(m, ldp.remedies.ChannelResponse) else range(m.transition_matrix.shape[-1])
    )
    for j, chances in enumerate(np.asarray(m.transition_matrix)):
        for y, chance in zip(outputs, chances, strict=True):
            found = np.mean(np.isnan(out[:, j]) if np.isnan(y) else out[:, j] == y)
            assert abs(found - chance) <= 4.5 * (chance * (1 - chance) / size) ** 0.5


def test_null_stays_unless_a_symbol():
    votes = [[0, NULL, 1], [NULL, 1, NULL]]
    out = ldp.OneLayerFlip.with_probability(0.3, 2).perturb(votes)
    assert (np.isnan(out) == np.isnan(votes)).all()


def test_many_rows_take_the_bytes_in_their_order():
    """Two bytes per cell of a block, and eight more per cell that these may not decide."""
    rr, size = ldp.RandomizedResponse(1.0, range(3)), 300_000
    drawn = np.random.default_rng(4).bytes(4 * size)
    taken = []

    def entropy(n):
        taken.append(n)
        return drawn[sum(taken[:-1]) : sum(taken)]

    out = rr.perturb(np.ones((size // 3, 3)), entropy=entropy)
    keep, other = response_weights(epsilon=1.0, n_symbols=4)
    wanted, start = [], 0
    while len(wanted) < size:
        cells = min(2**18, size - len(wanted))
        short = [int(x) for x in np.frombuffer(drawn, "<u2", cells, start)]
        start += 2 * cells
        steps = []
        for top in short:
            ends = [top << 48, (top << 48) + 2**48 - 1]
            low, high = (0 if word < keep else 1 + (word - keep) // other for word in ends)
            steps.append(low if low == high else None)
        first, unclear = start, [k for k, step in enumerate(steps) if step is None]
        for k in unclear:
            (rest,) = np.frombuffer(drawn, "<u8", 1, start)
            start += 8
            word = (short[k] << 48) + (int(rest) >> 16)
            steps[k] = 0 if word < keep else 1 + (word - keep) // other
        start = first + taken[len(wanted) // 2**18 * 2 + 1]
        assert start - first >= 8 * (len(unclear) + 40)  # far more than these reports took
        wanted += [[0.0, 1.0, 2.0, NULL][(1 + step) % 4] for step in steps]
    assert np.array_equal(out.ravel(), wanted, equal_nan=True)
    assert sum(taken) == start
    assert len(taken) == 4


def test_entropy_used_does_not_reveal_reports():
    """The number of bytes never depends on the reports, for one report or a million."""
    rr = ldp.RandomizedResponse(1.0, range(3))
    for size in (1, 2, 60, 5000):
        taken = []
        for fill in (b"\0", b"\x77", b"\xc0", b"\xff", None):  # decided; for None, some are undecided
            source = np.random.default_rng(1).bytes if fill is None else lambda n, fill=fill: fill * n
            asked = []

            def entropy(n, source=source, asked=asked):
                asked.append(n)
                return source(n)

            rr.perturb(np.ones((size, 1)), entropy=entropy)
            taken.append(tuple(asked))
        assert len(set(taken)) == 1
    top = response_weights(epsilon=1.0, n_symbols=4)[0] >> 48  # bytes of kept and other symbols
    for word in (top << 48, (top << 48) + 2**48 - 1):
        assert rr.perturb([1.0], entropy=of_word(word)) == (1.0 if word == top << 48 else 2.0)


def test_more_words_are_drawn_when_spares_run_out():
    """This occurs once in 2^64 blocks; here the first two bytes of no cell decide."""
    rr, n = ldp.RandomizedResponse(1.0, range(3)), 5000
    keep, other = response_weights(epsilon=1.0, n_symbols=4)
    top, rest, asked = keep >> 48, np.random.default_rng(1).bytes(8 * n), []

    def entropy(size):
        start = sum(asked[1:])
        asked.append(size)
        return top.to_bytes(2, "little") * n if len(asked) == 1 else rest[start : start + size]

    out = rr.perturb(np.zeros((n, 1)), entropy=entropy).ravel()
    words = [(top << 48) + (int(word) >> 16) for word in np.frombuffer(rest, "<u8")]
    assert out.tolist() == [0 if word < keep else 1 + (word - keep) // other for word in words]
    assert len(asked) == 3
    assert sum(asked) == 10 * n


@pytest.mark.parametrize(("epsilon", "n_symbols"), [(1.0, 4), (1.0, 100), (0.5, 2000)])
@pytest.mark.parametrize("cells", [1, 1000, 60_000, 2**18])
def test_spare_words_almost_always_suffice(epsilon, n_symbols, cells):
    asked = []

    def entropy(size):
        asked.append(size)
        return bytes(size)

    ldp.RandomizedResponse(epsilon, range(n_symbols - 1)).perturb(np.zeros((cells, 1)), entropy=entropy)
    keep, other = response_weights(epsilon=epsilon, n_symbols=n_symbols)
    edges = {(keep + k * other) >> 48 for k in range(n_symbols - 1)}  # where two bytes do not decide
    assert asked[1] // 8 == cells or stats.binom.logsf(
        asked[1] // 8, cells, len(edges) / 2**16
    ) < -64 * np.log(2)


@pytest.mark.parametrize("size", [2, 3, 255, 256, 2**15, 2**15 + 1, 50_000, 2**16])
def test_words_move_symbols_like_python_integers(size):
    """The symbol of a cell from its word, against Python's integers, for few and for many symbols."""
    rr, rng = ldp.RandomizedResponse(0.2, range(size - 1)), np.random.default_rng(size)
    keep, other = response_weights(epsilon=0.2, n_symbols=size)
    words = [keep - 1, keep, keep + other - 1, min(keep + other, WORD - 1), WORD - 1]
    words += [int.from_bytes(rng.bytes(8), "big") for _ in range(60)]
    cells = list(product([0, 1, size // 2, size - 2, size - 1], words))
    symbols, words = zip(*cells, strict=True)
    moved = [0 if word < keep else 1 + (word - keep) // other for word in words]
    expected = [(x + step) % size for x, step in zip(symbols, moved, strict=True)]
    given = [NULL if x == size - 1 else x for x in symbols]
    reports = [report(rr, x, word) for x, word in zip(given, words, strict=True)]
    assert [size - 1 if np.isnan(y) else int(y) for y in reports] == expected
    low = sum(keep if y == size - 2 else other for y in range(size // 2)) / WORD
    found = np.mean(rr.perturb(np.full(20_000, size - 2.0), entropy=rng.bytes) < size // 2)
    assert abs(found - low) < 4.5 * (low * (1 - low) / 20_000) ** 0.5


@given(st.lists(st.integers(40, 64), min_size=2, max_size=4), st.integers(0, 2**32))
@settings(max_examples=60)
def test_channel_states_larger_loss_of_both_draws(powers, seed):
    """Probabilities near 2^-53 are rounded differently for study and for release."""
    rng = np.random.default_rng(seed)
    rare = rng.uniform(0.5, 1, (3, len(powers))) * 2.0 ** -np.array(powers)
    channel = np.column_stack([rare, 1 - rare.sum(axis=1)])
    m = ldp.remedies.ChannelResponse(channel, range(2))
    try:
        ratio = m.exact_ratio
    except ValueError:
        return
    assert mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator) <= mpmath.mpf(m.exact_epsilon)


# --- Counts ---


def count_law(epsilon, size, count):
    """Number of words for each noisy count, directly from the noise."""
    inside, (low, high) = noise_weights(epsilon, size)
    noise = {k: inside[abs(k)] for k in range(1 - size, size)} | {-size: low, size: high}
    law = dict.fromkeys(range(size + 1), 0)
    for k, words in noise.items():
        law[min(size, max(0, count + k))] += words
    return law


@given(st.floats(-4, 2), st.integers(2, 40))
@settings(max_examples=40)
def test_counts_keep_the_promise(power, size):
    epsilon = 10.0**power
    ratio = ldp.class_ratios.GeometricCounts(epsilon).exact_ratio(size)
    laws = [count_law(epsilon, size, count) for count in range(size + 1)]
    assert all(sum(law.values()) == WORD for law in laws)
    assert min(min(law.values()) for law in laws) >= 1
    one = max(max(Fraction(a[y], b[y]), Fraction(b[y], a[y])) for a, b in pairwise(laws) for y in a)
    assert ratio == one**2
    assert mpmath.mpf(one.numerator) / one.denominator <= mpmath.exp(mpmath.mpf(epsilon) / 2)
    assert mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator) >= min(0.99 * epsilon, 40)


@pytest.mark.parametrize(
    ("epsilon", "size"), [(1.0, 200), (0.1, 2), (1e-4, 200), (1e-8, 2), (1e-6, 2**16), (50.0, 2**16)]
)
def test_the_words_are_those_of_the_theorem(epsilon, size):
    """Term by term, with a factor of 80 digits; the proof holds for these words."""
    fall = mpmath.exp(-mpmath.mpf(epsilon) / 2)
    m = int(mpmath.ceil(1 / (1 - fall)))
    inside, (low, high) = noise_weights(epsilon, size)
    free = 2**64 - 2 * size * m - 2 * m**2 - 4
    assert inside[0] == int(mpmath.floor(free * (1 - fall) / (1 + fall)))
    assert all(after == int(mpmath.ceil(fall * before)) for before, after in pairwise(inside))
    assert len(inside) == size
    assert low + high + 2 * sum(inside) - inside[0] == WORD
    assert 0 <= high - low <= 1


def test_counts_are_drawn_by_their_words():
    release, size = ldp.class_ratios.GeometricCounts(1.0), 6
    inside, (low, _) = noise_weights(1.0, size)
    words = [low, *(inside[abs(k)] for k in range(1 - size, size))]
    start = 0
    for k, width in enumerate(words):
        for word in (start, start + width - 1):
            out = release.noisy_counts([2, 4], entropy=of_words(word, WORD - 1))
            assert out.tolist() == [min(6, max(0, 2 + k - size)), 6]
        start += width


def test_noise_is_geometric():
    release = ldp.class_ratios.GeometricCounts(1.0)
    source = np.random.default_rng(5).bytes
    noise = np.array([release.noisy_counts([50, 50, 0], entropy=source)[:2] for _ in range(5000)]) - 50
    fall = np.exp(-0.5)
    for k in range(-6, 7):
        chance = (1 - fall) / (1 + fall) * fall ** abs(k)
        assert abs((noise == k).mean() - chance) <= 4.5 * (chance * (1 - chance) / noise.size) ** 0.5


def test_counts_take_empty_classes_and_series():
    release = ldp.class_ratios.GeometricCounts(1.0)
    out = release.perturb(pd.Series([0, 10], index=["a", "b"]))
    assert list(out.index) == ["a", "b"]
    assert out.sum() == pytest.approx(1)
    source = lambda: np.random.default_rng(1).bytes  # noqa: E731
    noisy = release.noisy_counts([0, 10], entropy=source())
    assert noisy.dtype.kind == "i"
    assert release.perturb([0, 10], entropy=source()) == pytest.approx(
        ldp.class_ratios.project_to_simplex(noisy / 10)
    )


@pytest.mark.parametrize(
    "counts", [[5], [0, 0], [-1, 11], [2.5, 7.5], [[5, 5]], "x", None, [NULL, 10], [1j, 9], [1, 2**16]]
)
def test_non_counts_are_refused(counts):
    m = ldp.class_ratios.GeometricCounts(1.0)
    for draw in (m.perturb, m.noisy_counts):
        with pytest.raises((ValueError, TypeError), match=r"^counts must"):
            draw(counts)


# --- Arguments of other types ---


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 3), Fraction(7, 5), np.float32(0.1)])
def test_epsilon_of_other_types_is_not_rounded_up(epsilon):
    """1/10 is below its float by more than the rounding to 64 bits."""
    exact = Fraction(float(epsilon)) if isinstance(epsilon, np.float32) else epsilon
    limit = mpmath.exp(mpmath.mpf(exact.numerator) / exact.denominator)
    for ratio in (
        ldp.RandomizedResponse(epsilon, range(3)).exact_ratio,
        ldp.ThresholdResponse(epsilon).exact_ratio,
        ldp.class_ratios.GeometricCounts(epsilon).exact_ratio(20),
    ):
        assert 0.999 * limit < mpmath.mpf(ratio.numerator) / ratio.denominator <= limit


def test_labels_may_accompany_any_null():
    release = ldp.OneLayerFlip.with_probability(0.3, ["no", "yes"])
    out = release.perturb([[np.nan, "no"], [pd.NA, None]])
    assert out[0, 0] is None
    assert out[0, 1] in {"no", "yes"}
    assert out[1].tolist() == [None, None]
    with pytest.raises(ValueError, match=r"answers must be in \['no', 'yes'\] or NULL"):
        release.perturb([[0, 1]])


def test_a_channel_may_have_many_outputs():
    """Rounding a row takes one sum, not one per output, so this takes seconds instead of minutes."""
    chances = np.tile([0.4, 0.6], 1000) / 1000
    release = ldp.remedies.ChannelResponse([chances, chances[::-1]], range(1))
    assert float(release.exact_ratio) == pytest.approx(1.5)


# --- Refusals ---


@pytest.mark.parametrize(
    ("m", "why"),
    [
        (ldp.LaplacePerturbation(1.0, range(3)), "double"),
        (ldp.MatrixFactorization(1.0, range(3), [[1.0]]), "double"),
        (ldp.localization.PlanarLaplace(1.0), "double"),
        (ldp.localization.ParticlePerturbation(1.0), "double"),
        (ldp.class_ratios.LaplaceCounts(1.0), "double"),
        (ldp.class_ratios.GaussianCounts(1.0, 0.1), "double"),
        (ldp.class_ratios.LaplacePrior(1.0), "double"),
        (ldp.class_ratios.ScaledDirichlet(1.0, 0.1, least_count=20), "double"),
        (ldp.TwoLayerFlip(0.1, 0.4, 2), "interval"),
        (ldp.sparse_answers.TwoLayerResponse(1.0, 2.0, range(3)), "interval"),
    ],
)
def test_study_mechanisms_are_refused_with_reason(m, why):
    data = {"counts": [30, 40], "positions": [[0.0, 0.0]], "particles": [[[0.0, 0.0]]], "answers": [[1.0]]}
    parameters = inspect.signature(m.perturb).parameters
    threshold = [0.5] if "thresholds" in parameters else []
    with pytest.raises(TypeError, match=f"rng must be given for {type(m).__name__}.*{why}"):
        m.perturb(data[next(iter(parameters))], *threshold)


@pytest.mark.parametrize(
    "m",
    [
        ldp.OneLayerFlip(0.0, 2),
        ldp.OneLayerFlip.with_probability(0.7, 2),
        ldp.RandomizedResponse(1e-19, range(4)),
        ldp.remedies.ChannelResponse([[1 - 1e-25, 1e-25], [0.5, 0.5]], range(1)),
    ],
)
def test_too_small_probabilities_are_refused(m):
    with pytest.raises(ValueError, match="mechanism must"):
        m.perturb([[0.0]])


@pytest.mark.parametrize(
    ("epsilon", "n_labels", "error", "name"),
    [
        (1.0, None, TypeError, "n_labels"),
        (1.0, 2**16 + 1, ValueError, "counts"),
        (1.0, 1, ValueError, "counts"),
        (1.0, 2.5, TypeError, "n_labels"),
        (1e-30, 10, ValueError, "epsilon"),
        (1e-200, 10, ValueError, "epsilon"),
    ],
)
def test_counts_that_words_cannot_hold_are_refused(epsilon, n_labels, error, name):
    with pytest.raises(error, match=name):
        ldp.class_ratios.GeometricCounts(epsilon).exact_ratio(n_labels)


def test_other_arguments_are_named():
    rr, threshold = (RESPONSES[name] for name in ("RR", "threshold"))
    with pytest.raises(TypeError, match="thresholds"):
        threshold.perturb([[2.0]])
    with pytest.raises(ValueError, match="thresholds"):
        threshold.perturb([[2.0]], np.inf)
    with pytest.raises(ValueError, match="answers"):
        rr.perturb([[9.0]])
    with pytest.raises(ValueError, match="entropy"):
        rr.perturb([[2.0]], entropy=lambda n: b"")
    with pytest.raises(TypeError, match="entropy"):
        rr.perturb([[2.0]], entropy=7)
    for draw in (rr.perturb, lambda x, *given, **named: threshold.perturb(x, 0.5, *given, **named)):
        with pytest.raises(TypeError, match=r"^entropy must be left out where rng is given"):
            draw([[2.0]], 1, entropy=lambda n: bytes(n))


def test_opendp_agrees():
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    for epsilon, size in ((0.5, 3), (2.0, 6)):
        keep, _ = response_weights(epsilon=epsilon, n_symbols=size)
        theirs = dp.m.make_randomized_response(list(range(size)), keep / WORD).map(1)
        assert theirs == pytest.approx(epsilon, rel=1e-13)
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
        theirs = dp.m.make_geometric(*space, scale=2 / epsilon, bounds=(0, 100)).map(2)
        ours = ldp.class_ratios.GeometricCounts(epsilon).exact_ratio(100)
        assert theirs == pytest.approx(np.log(float(ours)), rel=1e-13)


SURE = 40.0  # an epsilon at which nothing is replaced
MASKED = np.ma.array([[0, 1, 2], [2, 2, 2]], mask=[[False, True, False], [True] * 3])
TUPLES = ("a", 1), ("b", 2)


@pytest.mark.parametrize(
    ("mechanism", "data", "reports"),
    [
        (ldp.RandomizedResponse(SURE, range(3)), MASKED, [[0, None, 2], [None] * 3]),
        (ldp.ThresholdResponse(SURE), MASKED, [[0, None, 1], [None] * 3]),
        (ldp.OneLayerFlip.with_probability(1e-16, 3), MASKED, [[0, None, 2], [None] * 3]),
        (
            ldp.OneLayerFlip.with_probability(1e-16, 3, null_is_symbol=True),
            MASKED,
            [[0, None, 2], [None] * 3],
        ),
        (
            ldp.OneLayerFlip.with_probability(1e-16, ["no", "yes", "all"]),
            np.ma.array([["no", "yes"]], mask=[[0, 1]]),
            [["no", None]],
        ),
        (
            ldp.OneLayerFlip.with_probability(1e-16, TUPLES),
            [[TUPLES[1], None], [None, None]],
            [[TUPLES[1], None], [None, None]],
        ),
    ],
)
@pytest.mark.parametrize("seed", [[], [1]], ids=["for release", "for study"])
def test_masked_values_are_not_reported(mechanism, data, reports, seed):
    for form in (data, list(data)):  # also of masked rows
        out = mechanism.perturb(form, *asked(mechanism), *seed)
        assert [[None if x is None or x != x else x for x in row] for row in out.tolist()] == reports


@pytest.mark.parametrize(
    ("release", "data"),
    [
        (ldp.RandomizedResponse(1.0, range(3)), [[0, 77, 2]]),
        (ldp.RandomizedResponse(1.0, range(3)), [[0, "77", "x"]]),
        (ldp.OneLayerFlip.with_probability(0.1, ["no", "yes"]), [["no", "77"]]),
        (ldp.ThresholdResponse(1.0), [[0.0, "77x"]]),
        (ldp.class_ratios.GeometricCounts(1.0), [77, -1]),
        (ldp.class_ratios.GeometricCounts(1.0), ["77"]),
        (ldp.localization.LatticeLaplace(1.0, 1.0), [["77N", "7E"]]),
        (ldp.localization.LatticeLaplace(1.0, 1.0), [[1e77, 7.0]]),
        (ldp.LaplacePerturbation(1.0, range(3)), [[77, 1]]),
        (ldp.TwoLayerFlip(0.1, 0.4, ["no", "yes"]), [["no", "77"]]),
        (ldp.whole_worker.OwnAnswer(1.0), [[0.0, "77x"]]),
    ],
)
def test_refusal_does_not_quote_the_value(release, data):
    threshold = [0.5] if "thresholds" in inspect.signature(release.perturb).parameters else []
    for seed in ([], [1]):
        with pytest.raises((TypeError, ValueError), match=" must ") as refused:
            release.perturb(data, *threshold, *seed)
        assert "77" not in str(refused.value)
    for symbol in (77, "77"):
        with pytest.raises((TypeError, ValueError), match="symbol must") as refused:
            ldp.practice.draw_response(symbol, epsilon=1.0, n_symbols=3)
        assert "77" not in str(refused.value)


ASKED = ldp.practice.Questionnaire({"smokes": ["yes", "no"], "mood": range(1, 6)}, epsilon=2.0)
HEADLESS = pd.DataFrame({"Ann": ["Bob"], "tea": ["coal"], "SECRET": ["no"]})


def exported(value, kind="choices"):
    result = {"from_name": "m", "to_name": "t", "type": kind, "value": {kind: value}}
    return [{"id": 7, "annotations": [{"completed_by": 1, "result": [result]}]}]


@pytest.mark.parametrize(
    "call",
    [
        lambda: ASKED.perturb({"smokes": "SECRET", "mood": 2}),
        lambda: ASKED.respond({"smokes": "SECRET"}),
        lambda: ASKED.perturb(HEADLESS),
        lambda: ASKED.shares([{"smokes": "SECRET"}]),
        lambda: ldp.practice.read_label_studio(exported(["a", "SECRET"]), "m"),
        lambda: ldp.practice.read_label_studio(exported("SECRET"), "m"),
        lambda: ldp.practice.read_label_studio(exported("SECRET", "rating"), "m"),
        lambda: ldp.practice.read_label_studio(exported("SECRET", "number"), "m"),
        lambda: ldp.practice.read_label_studio([{"id": 7, "annotations": ["SECRET"]}], "m"),
        lambda: ldp.practice.read_label_studio([{"id": 7, "annotations": "SECRET"}], "m"),
        lambda: ldp.RandomizedResponse(1.0, range(5)).perturb(HEADLESS, workers=["Ann"], tasks=["tea"]),
        lambda: ldp.remedies.respond("SECRET", 1.5, epsilon=1.0),
        lambda: ldp.localization.messages([[3, 4]], [[[0, 0]]], [[0.0]], ["SECRET"], sigma=1),
        lambda: ldp.class_ratios.draw_weights(["SECRET"], [[1]], rng=0),
        lambda: ldp.class_ratios.draw_weights([0], [["SECRET"]], rng=0),
        lambda: ldp.class_ratios.ClassRatioEstimator(bandwidth=1.0).fit([[["SECRET"]]] * 2, [[1, 0], [0, 1]]),
        lambda: ldp.infer_truth("SECRET"),
        lambda: ldp.infer_truth(pd.DataFrame({"worker": [1], "task": [2], "answer": ["SECRET"]})),
        lambda: ldp.LaplacePerturbation(1.0, range(3)).log_density([0.0], answer="SECRET"),
    ],
)
def test_no_refusal_quotes_an_answer(call):
    with pytest.raises((TypeError, ValueError), match=" must ") as refused:
        call()
    assert "SECRET" not in str(refused.value)


@pytest.mark.parametrize(
    "answer", ["4", b"4", np.datetime64("2026-01-01"), pd.Timestamp("2026-01-01"), pd.Timedelta("1s"), 1j]
)
@pytest.mark.parametrize("of_table", [True, False])
def test_non_numbers_are_not_read_as_numbers(answer, of_table):
    """This includes columns of objects that also hold numbers."""
    column = np.array([2, answer], dtype=object)
    data = pd.DataFrame({"worker": [1, 2], "task": "a", "answer": column}) if of_table else column[:, None]
    with pytest.raises((TypeError, ValueError), match=r"^answers must be numbers.* row 1"):
        ldp.infer_truth(data)
    with pytest.raises((TypeError, ValueError), match=r"^counts must"):
        ldp.class_ratios.GeometricCounts(1.0).perturb([2, answer])


@pytest.mark.parametrize(
    ("mechanism", "empty", "other"),
    [
        (ldp.RandomizedResponse(1.0, range(3)), [[np.nan, np.nan]], [[1.0, np.nan]]),
        (
            ldp.OneLayerFlip.with_probability(0.3, ["no", "yes"], null_is_symbol=True),
            [[None, None]],
            [["yes", None]],
        ),
        (ldp.ThresholdResponse(1.0), [np.nan, np.nan], [3.0, np.nan]),
    ],
)
def test_a_worker_without_an_answer_reports_too(mechanism, empty, other):
    """A refusal would reveal her row; with one word per cell, her reports are those of other NULLs."""
    source = lambda seed: np.random.default_rng(seed).bytes  # noqa: E731
    turned = np.array(other, dtype=object)[..., ::-1].tolist()  # her first cell is also NULL
    for seed in range(20):
        hers, neighbours, others = (
            np.ravel(mechanism.perturb(x, *asked(mechanism), entropy=source(seed))).tolist()
            for x in (empty, other, turned)
        )
        assert str(hers[1]) == str(neighbours[1])
        assert str(hers[0]) == str(others[0])
    both = mechanism.perturb([*np.atleast_2d(empty), *np.atleast_2d(other)], *asked(mechanism))
    assert np.shape(both) == (2, 2)


def test_system_entropy_is_used():
    """Every release uses it by default, and its draws are observed."""
    for release in (
        ldp.RandomizedResponse(1.0, range(3)),
        ldp.class_ratios.GeometricCounts(1.0),
    ):
        assert inspect.signature(release.perturb).parameters["entropy"].default is os.urandom
    assert inspect.signature(ldp.practice.draw_response).parameters["entropy"].default is os.urandom
    for release, data in (
        (ldp.RandomizedResponse(1.0, range(3)), np.zeros((1, 200))),
        (ldp.class_ratios.GeometricCounts(0.1), np.full(20, 50)),
    ):  # compared as text, because NULL is not equal to itself
        assert len({str(release.perturb(data).tolist()) for _ in range(3)}) == 3


def test_equal_rows_lose_nothing():
    assert ldp.remedies.ChannelResponse([[0.5, 0.5]] * 3, range(2)).exact_ratio == 1
