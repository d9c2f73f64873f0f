"""The release path: exact tables by their last words, laws, refusals."""

import inspect
import os
from fractions import Fraction
from itertools import pairwise, product

import mpmath
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import ldpbook as ldp
from ldpbook import for_release
from ldpbook.practice import Release, response_weights
from ldpbook.practice.release import noise_weights


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
    "flip": ldp.OneLayerFlip(0.3, 4),
    "flip with NULL": ldp.OneLayerFlip(0.45, 2, null_is_symbol=True),
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


def inputs(m):
    if isinstance(m, ldp.ThresholdResponse):
        return [0.0, 1.0, NULL]
    if isinstance(m, ldp.OneLayerFlip):
        return [*map(float, range(m.n_choices)), *[NULL] * m.null_is_symbol]
    return [*map(float, m.domain), NULL]


def reports(m, given, words):
    """One column of answers, each with its word; the first row keeps a row of NULL from being refused."""
    release = for_release(m)
    first = next(x for x in inputs(m) if not np.isnan(x))
    extra = [0.5] if isinstance(m, ldp.ThresholdResponse) else []
    out = release.perturb(
        [[first, given]] * len(words), *extra, entropy=of_words(*[w for word in words for w in (0, word)])
    )
    return out[:, 1]


def words_of(m, given):
    """How many words give each report, found by halving: a table in the order of the words."""
    found, start = [], 0
    while start < WORD:
        report = reports(m, given, [start])[0]
        low, high = start, WORD - 1  # the last word of this report lies in between
        while low < high:
            middle = (low + high + 1) // 2
            same = np.array_equal(reports(m, given, [middle])[0], report, equal_nan=True)
            low, high = (middle, high) if same else (low, middle - 1)
        found.append((None if np.isnan(report) else float(report), low + 1 - start))
        start = low + 1
    assert len({report for report, _ in found}) == len(found)
    return dict(found)


@EVERY
def test_the_exact_ratio_is_that_of_the_words(m):
    laws = [words_of(m, x) for x in inputs(m)]
    assert all(sum(law.values()) == WORD for law in laws)
    assert len({frozenset(law) for law in laws}) == 1
    ratio = max(Fraction(a[y], b[y]) for a, b in product(laws, laws) for y in a)
    release = for_release(m)
    assert release.exact_ratio == ratio
    exact = mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
    assert mpmath.mpf(release.exact_epsilon) >= exact
    assert release.exact_epsilon == pytest.approx(m.exact_epsilon, rel=1e-13)
    if not isinstance(m, ldp.remedies.ChannelResponse):
        assert release.exact_epsilon <= m.exact_epsilon
        keep, other = response_weights(epsilon=m.exact_epsilon, n_symbols=len(laws))
        assert sorted(laws[0].values()) == [other] * (len(laws) - 1) + [keep]
        for x, law in zip(inputs(m), laws, strict=True):
            assert law[None if np.isnan(x) else x] == keep


def test_a_channel_is_rounded_down_but_for_its_likeliest_output():
    m = RESPONSES["channel"]
    for x, row in zip(inputs(m), np.asarray(m.transition_matrix), strict=True):
        law = words_of(m, x)
        exact = [Fraction(p) / sum(map(Fraction, row.tolist())) * WORD for p in row.tolist()]
        for k, wanted in enumerate(exact):
            short = wanted - law[float(k)]
            assert 0 <= short < 1 or (k == row.argmax() and -3 < short <= 0)


def test_a_channel_of_each_task_is_its_own():
    channels = [CHANNEL, [[0.2, 0.8, 0.0], [0.5, 0.5, 0.0], [0.3, 0.7, 0.0]], [[0, 0.2, 0.8]] * 3]
    release = for_release(ldp.remedies.ChannelResponse(channels, range(2)))
    words = [0, 0, 0, WORD - 1, WORD - 1, WORD - 1]
    out = release.perturb([[0, 1, NULL], [1, NULL, 0]], entropy=of_words(*words))
    assert out.tolist() == [[0, 0, 1], [2, 1, 2]]
    assert float(release.exact_ratio) == pytest.approx(6)


@EVERY
def test_reports_follow_the_law(m):
    size, given = 20_000, inputs(m)
    table = np.tile([x for x in given for _ in range(1)], (size, 1))
    extra = [0.5] if isinstance(m, ldp.ThresholdResponse) else []
    out = for_release(m).perturb(table, *extra, entropy=np.random.default_rng(3).bytes)
    outputs = (
        given if not isinstance(m, ldp.remedies.ChannelResponse) else range(m.transition_matrix.shape[-1])
    )
    for j, chances in enumerate(np.asarray(m.transition_matrix)):
        for y, chance in zip(outputs, chances, strict=True):
            found = np.mean(np.isnan(out[:, j]) if np.isnan(y) else out[:, j] == y)
            assert abs(found - chance) <= 4.5 * (chance * (1 - chance) / size) ** 0.5


def test_null_stays_where_it_is_no_symbol():
    votes = [[0, NULL, 1], [NULL, 1, NULL]]
    out = for_release(ldp.OneLayerFlip(0.3, 2)).perturb(votes)
    assert (np.isnan(out) == np.isnan(votes)).all()


def test_forms_are_kept_and_labels():
    rr = for_release(ldp.RandomizedResponse(1.0, range(3)))
    source = lambda: np.random.default_rng(1).bytes  # noqa: E731
    matrix = rr.perturb([[0, 1, 2], [2, 1, 0]], entropy=source())
    frame = pd.DataFrame({"worker": [8, 8, 8, 9, 9, 9], "task": list("abcabc"), "label": [0, 1, 2, 2, 1, 0]})
    tidy = rr.perturb(frame, entropy=source())
    assert list(tidy.columns) == ["worker", "task", "label"]
    dense = np.full((2, 3), NULL)
    dense[tidy.worker - 8, tidy.task.map({"a": 0, "b": 1, "c": 2})] = tidy.label
    assert np.array_equal(dense, matrix, equal_nan=True)
    assert sp.issparse(rr.perturb(sp.csr_array([[1.0, 2.0], [2.0, 1.0]])))
    assert rr.perturb([0, 1, 2], entropy=source()).tolist() == pytest.approx(matrix[0].tolist(), nan_ok=True)
    flip = for_release(ldp.OneLayerFlip(0.3, ("no", "yes")))
    assert set(flip.perturb([["no", "yes", None]])[0][:2]) <= {"no", "yes"}


def test_many_rows_take_the_words_in_their_order():
    rr = for_release(ldp.RandomizedResponse(1.0, range(3)))
    words = np.random.default_rng(4).bytes(8 * 300_000)
    taken = []

    def entropy(n):
        taken.append(n)
        return words[sum(taken[:-1]) : sum(taken)]

    out = rr.perturb(np.ones((100_000, 3)), entropy=entropy)
    assert sum(taken) == 8 * 300_000
    assert len(taken) > 1
    as_words = np.frombuffer(words, dtype=">u8").reshape(-1, 3)
    keep, other = response_weights(epsilon=1.0, n_symbols=4)
    wanted = np.select(
        [as_words < other, as_words < other + keep, as_words < 2 * other + keep], [0.0, 1, 2], NULL
    )
    assert np.array_equal(out, wanted, equal_nan=True)


# --- Counts ---


def count_law(epsilon, size, count):
    """Words of each noisy count, straight from the noise."""
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
    release = for_release(ldp.class_ratios.GeometricCounts(epsilon), n_labels=size)
    laws = [count_law(epsilon, size, count) for count in range(size + 1)]
    assert all(sum(law.values()) == WORD for law in laws)
    assert min(min(law.values()) for law in laws) >= 1
    one = max(max(Fraction(a[y], b[y]), Fraction(b[y], a[y])) for a, b in pairwise(laws) for y in a)
    assert release.exact_ratio == one**2
    assert mpmath.mpf(one.numerator) / one.denominator <= mpmath.exp(mpmath.mpf(epsilon) / 2)
    assert release.exact_epsilon <= epsilon
    assert release.exact_epsilon >= min(0.99 * epsilon, 40)


@pytest.mark.parametrize(
    ("epsilon", "size"), [(1.0, 200), (0.1, 2), (1e-4, 200), (1e-8, 2), (1e-6, 2**16), (50.0, 2**16)]
)
def test_the_words_are_those_of_the_theorem(epsilon, size):
    """Term by term, with a factor of 80 digits: what is proved is proved of these."""
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
    release, size = for_release(ldp.class_ratios.GeometricCounts(1.0), n_labels=6), 6
    inside, (low, _) = noise_weights(1.0, size)
    words = [low, *(inside[abs(k)] for k in range(1 - size, size))]
    start = 0
    for k, width in enumerate(words):
        for word in (start, start + width - 1):
            out = release.perturb([2, 4], entropy=of_words(word, WORD - 1))
            assert out.tolist() == [min(6, max(0, 2 + k - size)), 6]
        start += width


def test_noise_is_geometric():
    release = for_release(ldp.class_ratios.GeometricCounts(1.0), n_labels=100)
    source = np.random.default_rng(5).bytes
    noise = np.array([release.perturb([50, 50, 0], entropy=source)[:2] for _ in range(5000)]) - 50
    fall = np.exp(-0.5)
    for k in range(-6, 7):
        chance = (1 - fall) / (1 + fall) * fall ** abs(k)
        assert abs((noise == k).mean() - chance) <= 4.5 * (chance * (1 - chance) / noise.size) ** 0.5


def test_counts_take_empty_classes_and_series():
    release = for_release(ldp.class_ratios.GeometricCounts(1.0), n_labels=10)
    out = release.perturb(pd.Series([0, 10], index=["a", "b"]))
    assert list(out.index) == ["a", "b"]
    assert out.dtype.kind == "i"
    assert out.between(0, 10).all()


@pytest.mark.parametrize(
    "data", [[5], [5, 6], [-1, 11], [2.5, 7.5], [[5, 5]], "x", None, [NULL, 10], [1j, 9]]
)
def test_what_are_no_counts_is_refused(data):
    with pytest.raises((ValueError, TypeError), match="data"):
        for_release(ldp.class_ratios.GeometricCounts(1.0), n_labels=10).perturb(data)


# --- Arguments of other types ---


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 3), Fraction(7, 5), np.float32(0.1)])
def test_an_epsilon_that_is_no_float_is_not_rounded_up(epsilon):
    """1/10 lies below its float, by more than 64 bits leave aside."""
    exact = Fraction(float(epsilon)) if isinstance(epsilon, np.float32) else epsilon
    limit = mpmath.exp(mpmath.mpf(exact.numerator) / exact.denominator)
    for release in (
        for_release(ldp.RandomizedResponse(epsilon, range(3))),
        for_release(ldp.ThresholdResponse(epsilon)),
        for_release(ldp.class_ratios.GeometricCounts(epsilon), n_labels=20),
    ):
        ratio = release.exact_ratio
        assert 0.999 * limit < mpmath.mpf(ratio.numerator) / ratio.denominator <= limit


def test_labels_stand_beside_any_null():
    release = for_release(ldp.OneLayerFlip(0.3, ["no", "yes"]))
    out = release.perturb([[np.nan, "no"], [pd.NA, None]])
    assert out[0, 0] is None
    assert out[0, 1] in {"no", "yes"}
    assert out[1].tolist() == [None, None]
    with pytest.raises(ValueError, match=r"answers must be in \['no', 'yes'\] or NULL"):
        release.perturb([[0, 1]])


def test_a_channel_may_have_many_outputs():
    """Rounding each row takes one sum, not one for each output: seconds, not minutes."""
    chances = np.tile([0.4, 0.6], 1000) / 1000
    release = for_release(ldp.remedies.ChannelResponse([chances, chances[::-1]], range(1)))
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
        (ldp.whole_worker.AskedQuestions(1.0), "row"),
        (ldp.whole_worker.OwnAnswer(1.0), "row"),
        (ldp.whole_worker.MixedSigns(1.0), "row"),
        (
            ldp.whole_worker.memoise([[1.0]], permanent_epsilon=2.0, epsilon=1.0, domain=range(3), rng=1),
            "drawn twice",
        ),
        (None, "none of those"),
        (ldp.RandomizedResponse, "none of those"),
    ],
)
def test_what_is_for_study_is_refused_with_the_reason(m, why):
    with pytest.raises(TypeError, match=f"mechanism must be.*{why}"):
        for_release(m)


@pytest.mark.parametrize(
    "m",
    [
        ldp.OneLayerFlip(0.0, 2),
        ldp.OneLayerFlip(0.5, 2),
        ldp.OneLayerFlip(0.7, 2),
        ldp.OneLayerFlip(1.0, 2),
        ldp.RandomizedResponse(1e-19, range(4)),
        ldp.RandomizedResponse(1.0, range(2000)),
        ldp.remedies.ChannelResponse([[1 - 1e-25, 1e-25], [0.5, 0.5]], range(1)),
    ],
)
def test_chances_that_words_cannot_hold_are_refused(m):
    with pytest.raises(ValueError, match="mechanism must"):
        for_release(m)


@pytest.mark.parametrize(
    ("epsilon", "n_labels", "error", "name"),
    [
        (1.0, None, TypeError, "n_labels"),
        (1.0, 1, ValueError, "n_labels"),
        (1.0, 2**16 + 1, ValueError, "n_labels"),
        (1.0, 2.5, TypeError, "n_labels"),
        (1e-30, 10, ValueError, "mechanism"),
        (1e-200, 10, ValueError, "mechanism"),
    ],
)
def test_counts_that_words_cannot_hold_are_refused(epsilon, n_labels, error, name):
    with pytest.raises(error, match=name):
        for_release(ldp.class_ratios.GeometricCounts(epsilon), n_labels=n_labels)


def test_other_arguments_are_named():
    rr, threshold = (for_release(RESPONSES[name]) for name in ("RR", "threshold"))
    with pytest.raises(TypeError, match="n_labels"):
        for_release(RESPONSES["RR"], n_labels=10)
    with pytest.raises(TypeError, match="thresholds"):
        rr.perturb([[2.0]], 0.5)
    with pytest.raises(TypeError, match="thresholds"):
        threshold.perturb([[2.0]])
    with pytest.raises(ValueError, match="thresholds"):
        threshold.perturb([[2.0]], np.inf)
    with pytest.raises(TypeError, match="thresholds"):
        for_release(ldp.class_ratios.GeometricCounts(1.0), n_labels=10).perturb([5, 5], 0.5)
    with pytest.raises(ValueError, match="data"):
        rr.perturb([[9.0]])
    with pytest.raises(ValueError, match="entropy"):
        rr.perturb([[2.0]], entropy=lambda n: b"")
    with pytest.raises(TypeError, match="entropy"):
        rr.perturb([[2.0]], entropy=7)


def test_a_release_is_a_value_and_declares_its_unit():
    release = for_release(RESPONSES["RR"])
    assert isinstance(release, Release)
    with pytest.raises(AttributeError):
        release.exact_ratio = Fraction(1)
    doc = inspect.getdoc(Release)
    assert "neighbours" in doc.lower()
    assert "cell" in doc
    assert "label" in doc
    given = np.array([[2.0, 3.0, NULL]])
    before = given.copy()
    release.perturb(given)
    assert np.array_equal(given, before, equal_nan=True)


def test_opendp_says_the_same():
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    for epsilon, size in ((0.5, 3), (2.0, 6)):
        release = for_release(ldp.RandomizedResponse(epsilon, range(size - 1)))
        keep, _ = response_weights(epsilon=epsilon, n_symbols=size)
        theirs = dp.m.make_randomized_response(list(range(size)), keep / WORD).map(1)
        assert theirs == pytest.approx(release.exact_epsilon, rel=1e-13)
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
        theirs = dp.m.make_geometric(*space, scale=2 / epsilon, bounds=(0, 100)).map(2)
        ours = for_release(ldp.class_ratios.GeometricCounts(epsilon), n_labels=100)
        assert theirs == pytest.approx(ours.exact_epsilon, rel=1e-13)


SURE = 40.0  # an epsilon at which nothing is replaced
MASKED = np.ma.array([[0, 1, 2], [2, 2, 2]], mask=[[False, True, False], [True] * 3])
TUPLES = ("a", 1), ("b", 2)


@pytest.mark.parametrize(
    ("mechanism", "data", "reports"),
    [
        (ldp.RandomizedResponse(SURE, range(3)), MASKED, [[0, None, 2], [None] * 3]),
        (ldp.ThresholdResponse(SURE), MASKED, [[0, None, 1], [None] * 3]),
        (ldp.OneLayerFlip(1e-16, 3), MASKED, [[0, None, 2], [None] * 3]),
        (ldp.OneLayerFlip(1e-16, 3, null_is_symbol=True), MASKED, [[0, None, 2], [None] * 3]),
        (
            ldp.OneLayerFlip(1e-16, ["no", "yes", "all"]),
            np.ma.array([["no", "yes"]], mask=[[0, 1]]),
            [["no", None]],
        ),
        (
            ldp.OneLayerFlip(1e-16, TUPLES),
            [[TUPLES[1], None], [None, None]],
            [[TUPLES[1], None], [None, None]],
        ),
    ],
)
def test_what_is_masked_is_not_reported(mechanism, data, reports):
    asked = [0.5] if isinstance(mechanism, ldp.ThresholdResponse) else []
    out = for_release(mechanism).perturb(data, *asked)
    found = [[None if x is None or x != x else x for x in row] for row in out.tolist()]
    assert found == reports


@pytest.mark.parametrize(
    ("release", "data"),
    [
        (for_release(ldp.RandomizedResponse(1.0, range(3))), [[0, 77, 2]]),
        (for_release(ldp.RandomizedResponse(1.0, range(3))), [[0, "77", "x"]]),
        (for_release(ldp.OneLayerFlip(0.1, ["no", "yes"])), [["no", "77"]]),
        (for_release(ldp.RandomizedResponse(1.0, range(100))), [np.ma.array([77, 7], mask=[1, 0])]),
        (for_release(ldp.class_ratios.GeometricCounts(1.0), n_labels=200), [77, 122]),
        (for_release(ldp.class_ratios.GeometricCounts(1.0), n_labels=200), ["77"]),
        (for_release(ldp.localization.LatticeLaplace(1.0, 1.0)), [["77N", "7E"]]),
    ],
)
def test_a_refusal_does_not_quote_what_it_refuses(release, data):
    with pytest.raises((TypeError, ValueError), match=" must ") as refused:
        release.perturb(data)
    assert "77" not in str(refused.value)
    for symbol in (77, "77"):
        with pytest.raises((TypeError, ValueError), match="symbol must") as refused:
            ldp.practice.draw_response(symbol, epsilon=1.0, n_symbols=3)
        assert "77" not in str(refused.value)


@pytest.mark.parametrize(
    ("mechanism", "empty", "other"),
    [
        (ldp.RandomizedResponse(1.0, range(3)), [[np.nan, np.nan]], [[1.0, np.nan]]),
        (ldp.OneLayerFlip(0.3, ["no", "yes"], null_is_symbol=True), [[None, None]], [["yes", None]]),
        (ldp.ThresholdResponse(1.0), [np.nan, np.nan], [3.0, np.nan]),
    ],
)
def test_a_worker_without_an_answer_reports_too(mechanism, empty, other):
    """To refuse her would tell; and with one word for a cell her reports are those of NULL anywhere."""
    release, asked = for_release(mechanism), (0.5,) if isinstance(mechanism, ldp.ThresholdResponse) else ()
    turned = np.array(other, dtype=object)[..., ::-1].tolist()  # her first cell is NULL, too
    for seed in range(20):
        hers, neighbours, others = (
            np.ravel(release.perturb(x, *asked, entropy=np.random.default_rng(seed).bytes)).tolist()
            for x in (empty, other, turned)
        )
        assert str(hers[1]) == str(neighbours[1])
        assert str(hers[0]) == str(others[0])
    both = release.perturb([*np.atleast_2d(empty), *np.atleast_2d(other)], *asked)
    assert np.shape(both) == (2, 2)


def test_the_systems_entropy_is_what_is_taken():
    """By default, of every release, and draws from it seen."""
    for release in (
        for_release(ldp.RandomizedResponse(1.0, range(3))),
        for_release(ldp.class_ratios.GeometricCounts(1.0), n_labels=9),
    ):
        assert inspect.signature(release.perturb).parameters["entropy"].default is os.urandom
    assert inspect.signature(ldp.practice.draw_response).parameters["entropy"].default is os.urandom
    for release, data in (
        (for_release(ldp.RandomizedResponse(1.0, range(3))), np.zeros((1, 200))),
        (for_release(ldp.class_ratios.GeometricCounts(0.1), n_labels=1000), np.full(20, 50)),
    ):  # as text, as NULL is not equal to itself
        assert len({str(release.perturb(data).tolist()) for _ in range(3)}) == 3


def test_equal_rows_lose_nothing():
    assert for_release(ldp.remedies.ChannelResponse([[0.5, 0.5]] * 3, range(2))).exact_epsilon == 0.0
