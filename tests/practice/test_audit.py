import math
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import beta, binom

from ldpbook.localization import LatticeLaplace
from ldpbook.practice import guess_audit, guess_ceiling
from ldpbook.sparse_answers import LaplacePerturbation, RandomizedResponse

NULL = math.nan


def coined(epsilon, n, rng):
    """Two symbols, a coin for the input, and a report right with the largest probability for epsilon."""
    coin = rng.integers(0, 2, n)
    lies = rng.random(n) < 1 / (1 + math.exp(epsilon))
    return coin, np.where(lies, 1 - coin, coin).astype(float)


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("n", [60, 600])
def test_the_limit_is_valid_at_its_confidence(epsilon, n):
    """At most 10 % of the audits, of which there are 400, may exceed the exact epsilon."""
    rng = np.random.default_rng(1)
    claims = [guess_audit(*coined(epsilon, n, rng), confidence=0.9).epsilon > epsilon for _ in range(400)]
    assert sum(claims) <= binom.isf(1e-3, 400, 0.1)


def test_limit_is_valid_despite_many_lucky_symbols():
    """The reports do not depend on the input, so there is nothing to find."""
    rng = np.random.default_rng(2)
    found = [guess_audit(rng.integers(0, 2, 4000), rng.integers(0, 1500, 4000)).epsilon for _ in range(300)]
    assert sum(epsilon > 0 for epsilon in found) <= binom.isf(1e-3, 300, 0.05)


def test_limit_uses_only_the_second_half():
    """The first half teaches that 1 follows 1; in the second, 80 of 100 guesses are right."""
    rng = np.random.default_rng(3)
    coin = np.concatenate([rng.permutation(np.repeat([0, 1], 50)) for _ in range(2)])
    reports = coin.astype(float)
    wrong = 100 + np.concatenate([np.flatnonzero(coin[100:] == k)[:10] for k in (0, 1)])
    reports[wrong] = 1 - reports[wrong]
    result = guess_audit(coin, reports, confidence=0.9)
    assert (result.guesses, result.right, result.confidence) == (100, 80, 0.9)
    share = beta.ppf(0.1, 80, 21)
    assert result.epsilon == pytest.approx(math.log(share / (1 - share)))
    assert binom.sf(79, 100, share) == pytest.approx(0.1)


def test_audit_makes_no_guess_after_uninformative_reports():
    """A tenth of the reports reveal the input, the others nothing."""
    rng = np.random.default_rng(4)
    coin = rng.integers(0, 2, 4000)
    said = rng.random(4000) < 0.1
    result = guess_audit(coin, np.where(said, coin, NULL))
    assert result.guesses == result.right == said[2000:].sum()
    assert result.epsilon == pytest.approx(guess_ceiling(result.guesses))


def test_audit_guesses_after_both_inputs():
    """An audit of one event would leave half of the guesses unused."""
    rng = np.random.default_rng(5)
    result = guess_audit(*coined(2.0, 40_000, rng))
    assert result.guesses == 20_000
    assert result.right == pytest.approx(20_000 * math.exp(2) / (1 + math.exp(2)), abs=4 * 46)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_within_a_tenth_of_randomized_response(epsilon):
    rng = np.random.default_rng(6)
    coin = rng.integers(0, 2, 1_000_000)
    reports = RandomizedResponse(epsilon, range(5)).perturb(4.0 * coin[:, None], rng)
    assert 0.9 * epsilon < guess_audit(coin, reports).epsilon <= epsilon


def test_whole_rows_reveal_more_than_their_cells():
    rng = np.random.default_rng(7)
    coin = rng.integers(0, 2, 20_000)
    rows = RandomizedResponse(1.0, range(2)).perturb(np.repeat(coin[:, None], 3, axis=1), rng)
    whole, cell = (guess_audit(coin, reports).epsilon for reports in (rows, rows[:, 0]))
    assert 2 < whole <= 3
    assert 0.8 < cell <= 1


def test_real_numbers_are_binned():
    """The exact epsilon is 2.4; without bins no report comes twice, and nothing is guessed."""
    rng = np.random.default_rng(8)
    coin = rng.integers(0, 2, 50_000)
    reports = LaplacePerturbation(3.0, range(5)).perturb(4.0 * coin[:, None], rng)
    assert 2.1 < guess_audit(coin, reports, bins=20).epsilon <= 2.4
    assert guess_audit(coin, reports).epsilon == 0


def test_null_is_a_symbol_with_and_without_bins():
    rng = np.random.default_rng(9)
    coin = rng.integers(0, 2, 2000)
    reports = np.where(coin == 1, NULL, rng.random(2000))
    for bins in (None, 4):
        assert guess_audit(coin, reports, bins=bins).epsilon > 5
    assert guess_audit(coin, np.full(2000, NULL), bins=4).epsilon == 0


def test_names_of_symbols_and_inputs_do_not_matter():
    coin, reports = coined(1.0, 3000, np.random.default_rng(10))
    found = guess_audit(coin, reports).epsilon
    assert guess_audit(1 - coin, reports).epsilon == found
    assert guess_audit(coin, 7 - 3 * reports).epsilon == found


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 10**7), st.floats(0.01, 0.999))
def test_the_ceiling_to_fifty_digits(n_calls, confidence):
    with mpmath.workdps(50):
        share = mpmath.root(1 - mpmath.mpf(confidence), n_calls)
        exact = max(0, mpmath.log(share / (1 - share)))
    assert guess_ceiling(n_calls, confidence) == pytest.approx(float(exact), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("n", [20, 400, 4000])
def test_mechanism_hiding_nothing_reaches_the_ceiling(n):
    coin = np.random.default_rng(11).integers(0, 2, n)
    assert guess_audit(coin, coin).epsilon == pytest.approx(guess_ceiling(n // 2))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("inputs", ([0, 1, 1], [0, 1, 1])),
        ("inputs", ([0, 1, 2, 0], [0, 1, 1, 0])),
        ("inputs", ([[0, 1, 1, 0]], [0, 1, 1, 0])),
        ("inputs", ([0, NULL, 1, 0], [0, 1, 1, 0])),
        ("inputs", ([1] * 100, [1] * 100)),
        ("outputs", ([0, 1, 1, 0], [0, 1, 1])),
        ("outputs", ([0, 1, 1, 0], np.zeros((4, 1, 1)))),
        ("outputs", ([0, 1, 1, 0], np.zeros((4, 0)))),
        ("outputs", ([0, 1, 1, 0], np.array([0, 1, 1, 0]) + 2**53)),
        ("outputs", ([0, 1, 1, 0], np.array([0, 1, 1, 0], dtype=np.uint64) + 2**63)),
        ("outputs", ([0, 1, 1, 0], [NULL, 2**53 + 1, 2**53, 0.5])),
        ("outputs", ([0, 1, 1, 0], pd.DataFrame({"a": np.array([0, 1, 1, 0]) + 2**53, "b": 0.5}))),
        ("outputs", ([0, 1, 1, 0], pd.array([2**53 + 1, None, 0, 0], dtype="Int64"))),
        ("outputs", ([0, 1, 1, 0], [Fraction(1, 3)] * 4)),
        ("outputs", ([0, 1, 1, 0], list(np.array([0, 1, 1, 0]) + 2**53))),
        ("outputs", ([0, 1, 1, 0], [(np.uint64(2**53 + 1), 0.5)] * 4)),
        ("outputs", ([0, 1, 1, 0], [np.array(2**53 + 1)] * 4)),
        ("outputs", ([0, 1, 1, 0], np.array([np.int64(2**53 + 1), 0, 0, 0.5], dtype=object))),
        ("outputs", ([0, 1, 1, 0], pd.DataFrame({"a": [np.int64(2**53 + 1), 0, 0, 0.5]}, dtype=object))),
    ],
)
def test_bad_calls(name, arguments):
    with pytest.raises(ValueError, match=rf"^{name} "):
        guess_audit(*arguments)


@pytest.mark.parametrize("bins", [None, 2])
def test_whole_numbers_that_doubles_hold_are_outputs(bins):
    for outputs in (
        np.array([0, 1, 1, 0]) - 2**53,
        [2**53, True, NULL, 0],
        [np.int64(2**53), np.bool_(True), np.float32(0.1), np.nan],
        pd.DataFrame({"dtype": [1.5] * 4}),
    ):
        guess_audit([0, 1, 1, 0], outputs, bins=bins)


def test_masked_arrays_are_refused():
    """A masked value may have been sent; as NULL it would be the same symbol as a sent NULL."""
    hidden = np.ma.array([1.0, 2.0, 2.0, NULL], mask=[0, 1, 1, 0])
    for outputs in (hidden, hidden[:, None], list(hidden[:, None])):
        with pytest.raises(TypeError, match=r"^outputs must not be masked"):
            guess_audit([0, 1, 1, 0], outputs)
    with pytest.raises(TypeError, match=r"^inputs must not be masked"):
        guess_audit(np.ma.array([0, 1, 1, 0]), [0, 1, 1, 0])


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("bins", 1, ValueError),
        ("bins", 5, ValueError),
        ("bins", 2**53, ValueError),
        ("bins", 2.5, TypeError),
        ("confidence", 1.0, ValueError),
        ("confidence", "high", TypeError),
    ],
)
def test_bad_settings(name, value, error):
    with pytest.raises(error, match=rf"^{name} "):
        guess_audit([0, 1, 1, 0], [0, 1, 1, 0], **{name: value})


def test_bad_ceilings():
    with pytest.raises(ValueError, match=r"^n_calls "):
        guess_ceiling(0)
    with pytest.raises(ValueError, match=r"^confidence "):
        guess_ceiling(5, 0.0)


def heads_that_pass(tosses):
    """The smallest count of a fair coin whose two-sided probability is above 10^-9."""
    ways, total = 1, 1  # numbers of ways to `few` heads, and to at most `few`
    for few in range(tosses):
        if 2 * total * 10**9 > 2**tosses:
            return few
        ways = ways * (tosses - few) // (few + 1)
        total += ways
    raise AssertionError


@pytest.mark.parametrize("n", [31, 42, 1000, 10_000])
def test_nearly_fair_coin_passes_and_unfair_one_fails(n):
    few = heads_that_pass(n)
    for ones, fair in ((few, True), (few - 1, False), (n - few, True), (n - few + 1, False)):
        coin = np.random.default_rng(15).permutation(np.repeat([1, 0], [ones, n - ones]))
        if fair:
            guess_audit(coin, np.zeros(n))
        else:
            with pytest.raises(ValueError, match=r"of them 1$"):
                guess_audit(coin, np.zeros(n))


def test_constant_coin_is_refused_from_31_calls():
    """One side every time has probability 2^-30; 42 such tosses once passed, and gave an epsilon."""
    guess_audit([1] * 30, [0] * 30)
    for n in (31, 42):
        with pytest.raises(ValueError, match="fair coin"):
            guess_audit([1] * n, [0] * n)


@pytest.mark.parametrize("n", [1000, 10_000])
def test_a_coin_that_was_not_tossed_is_refused(n):
    """The first toss has no predecessor; every other toss differs from its predecessor or not."""
    few = heads_that_pass(n - 1)
    for changes, tossed in ((few, True), (few - 1, False), (n - 1 - few, True), (n - few, False)):
        differs = np.random.default_rng(23).permutation(np.repeat([1, 0], [changes, n - 1 - changes]))
        coin = np.concatenate([[0], differs]).cumsum() % 2
        if tossed:
            guess_audit(coin, np.zeros(n))
        else:
            with pytest.raises(ValueError, match="different from the one before"):
                guess_audit(coin, np.zeros(n))


def test_tiny_confidence_gives_finite_numbers():
    coin = np.tile([0, 1, 1, 0], 50)
    for confidence in (5e-324, 1e-17):
        assert math.isfinite(guess_audit(coin, coin, confidence=confidence).epsilon)
        assert math.isfinite(guess_ceiling(2**53, confidence))


def test_null_in_later_columns_is_one_symbol():
    rng = np.random.default_rng(12)
    coin = rng.integers(0, 2, 2000)
    rows = np.where(coin[:, None] == 1, [1.0, NULL], [0.0, 6.0])
    rows[:2] = [0.0, 5.0]  # so that 6 is the last symbol of its column before NULL
    assert guess_audit(coin, rows).epsilon > 5


def test_bins_are_made_from_non_null_reports():
    rng = np.random.default_rng(13)
    coin = rng.integers(0, 2, 4000)
    reports = np.where(rng.random(4000) < 0.5, NULL, coin + 0.9 * rng.random(4000))
    assert guess_audit(coin, reports, bins=4).epsilon > 5


def test_informative_symbols_are_found_among_thousands():
    """The exact epsilon is 1/2, attained directly behind a point of the lattice."""
    rng = np.random.default_rng(14)
    coin = rng.integers(0, 2, 400_000)
    places = np.column_stack([coin, np.zeros(len(coin))])
    result = guess_audit(coin, LatticeLaplace(0.5, 1.0).perturb(places, rng))
    assert 0.4 < result.epsilon <= 0.5
    assert result.guesses > 4000


def test_lucky_symbols_are_rarely_chosen():
    """Two symbols, in a fiftieth of the reports, are right three times in four; 3,000 others are rare.

    Limits for all symbols at once fail in 5 % of the audits. So many failures that their probability is
    below 10^-3 would mean that the guesser trusts symbols seen twice.
    """
    rng = np.random.default_rng(16)
    misled, found = 0, []
    for _ in range(40):
        coin, reports = coined(math.log(3), 20_000, rng)
        telling = rng.random(20_000) < 0.02
        result = guess_audit(coin, np.where(telling, reports, 2 + rng.integers(0, 3000, 20_000)))
        misled += result.guesses > telling[10_000:].sum()
        found.append(result.epsilon)
    assert misled <= binom.isf(1e-3, 40, 0.05)
    assert np.mean(found) > 0.6  # of ln 3 = 1.10, with 200 guesses


def test_bins_are_cut_by_the_learning_half():
    """Numbers beyond the learning half fall into its last bin, however informative they are."""
    rng = np.random.default_rng(17)
    coin = rng.integers(0, 2, 4000)
    reports = coin + 0.9 * rng.random(4000)
    reports[2000:] = 10 + coin[2000:]
    result = guess_audit(coin, reports, bins=10)
    assert (result.guesses, result.right) == (2000, coin[2000:].sum())


@pytest.mark.parametrize("clipped", [False, True])
def test_the_limit_is_valid_with_bins(clipped):
    """Laplace noise of exact epsilon 0.8, unclipped or clipped to 0..4, where both ends are frequent."""
    rng = np.random.default_rng(18)
    claims = 0
    for _ in range(400):
        coin = rng.integers(0, 2, 600)
        reports = 4 * coin + rng.laplace(0, 5, 600)
        found = guess_audit(coin, np.clip(reports, 0, 4) if clipped else reports, bins=6, confidence=0.9)
        claims += found.epsilon > 0.8
    assert claims <= binom.isf(1e-3, 400, 0.1)


@pytest.mark.parametrize(
    ("ends", "share"), [((1.0, 1.0001), 0.02), ((0.0, -0.0), 0.02), ((np.inf, -np.inf), 0.005)]
)
def test_frequent_and_infinite_numbers_are_not_binned(ends, share):
    """A few reports reveal the input by one of two numbers; the rest are uninformative."""
    rng = np.random.default_rng(19)
    coin = rng.integers(0, 2, 20_000)
    said = rng.random(20_000) < share
    reports = np.where(said, np.where(coin == 1, *ends), rng.laplace(0, 5, 20_000))
    result = guess_audit(coin, reports, bins=16)
    assert result.guesses == result.right == said[10_000:].sum()


def test_occasional_numbers_stay_in_their_bins():
    """Each occurs ten times in the learning half, a hundred too few for a symbol; the others never occur."""
    rng = np.random.default_rng(20)
    coin = np.concatenate([rng.permutation(np.repeat([0, 1], 1000)) for _ in range(2)])
    reports = coin + rng.integers(0, 100, 4000) / 200
    reports[2000:] -= 1 / 400
    result = guess_audit(coin, reports, bins=2)
    assert result.guesses == result.right == 2000


def test_sign_of_zero_is_part_of_a_report():
    rng = np.random.default_rng(21)
    coin = rng.integers(0, 2, 2000)
    assert guess_audit(coin, np.where(coin == 1, -0.0, 0.0)).epsilon > 5
    assert guess_audit(coin, np.where(coin == 1, -NULL, NULL)).epsilon == 0  # there is one NULL


def test_numbers_whose_difference_overflows_are_binned():
    rng = np.random.default_rng(22)
    coin = np.concatenate([rng.permutation(np.repeat([0, 1], 500)) for _ in range(2)])
    reports = np.where(coin == 1, 1e308, -1e308) * (1 + 0.5 * rng.random(2000))
    assert guess_audit(coin, reports, bins=2).epsilon > 5


def said(coin, reports):
    return [["no", "yes", None][int(k)] for k in np.where(np.isnan(reports), 2, reports)]


def test_labels_are_audited_like_numbers():
    coin, reports = coined(1.5, 4000, np.random.default_rng(24))
    reports[::5] = NULL
    found, labels = guess_audit(coin, reports), said(coin, reports)
    nan = [NULL if x is None else x for x in labels]
    tuples = np.fromiter([(x, -1) for x in labels], dtype=object)
    frame = pd.DataFrame({"a": labels, "b": 0.0})
    for same in (
        labels,
        nan,
        np.array(labels, dtype=object),
        pd.Series(labels),
        pd.Series(labels, dtype="category"),
        tuples,
        tuples.tolist(),
        [() if x is None else (x,) * 3 for x in labels],  # of different lengths
        frame,
        pl.DataFrame({"a": labels, "b": 0.0}),
        pa.table({"a": labels}),
        [pd.NA if x is None else x for x in labels],
    ):
        assert guess_audit(coin, same) == found
    assert found.epsilon > 1


def test_labels_and_tuples_share_one_null():
    coin = np.tile(np.random.default_rng(25).permutation(np.repeat([0, 1], 500)), 2)
    for nulls in ([None, NULL], [None, pd.NaT], [("a", float("nan")), ("a", None)]):
        told = np.fromiter([*(nulls[k] for k in coin), "b"], dtype=object)
        assert guess_audit(coin, told[:-1]).epsilon == 0


def test_numbers_text_and_zero_labels_differ():
    coin = np.random.default_rng(26).integers(0, 2, 2000)
    assert guess_audit(coin, [["1", 1][k] for k in coin]).epsilon > 5
    assert guess_audit(coin, [("a", [0.0, -0.0][k]) for k in coin]).epsilon > 5


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_vanished_row_is_part_of_a_report(library):
    """Reports of two cells, one of which is missing if its answer is NULL and stays NULL."""
    coin = np.tile(np.random.default_rng(27).permutation(np.repeat([0, 1], 250)), 2)
    whole = {"worker": ["Ann", "Cem"], "label": ["yes", "no"]}
    tables = [library(whole if k else {name: column[:1] for name, column in whole.items()}) for k in coin]
    assert guess_audit(coin, tables).epsilon == pytest.approx(guess_ceiling(500))
    assert guess_audit(coin, [tables[0]] * 1000).epsilon == 0


@pytest.mark.parametrize(
    "other",
    [
        {"index": [7, 1]},  # the row's own number reveals it
        {"columns": ["label", "worker"]},
        {"data": {"worker": [1, 2], "label": [1.0, 2.0]}},  # types
        {"data": {"worker": [2, 1], "label": [2, 1]}},  # order
    ],
)
def test_everything_visible_in_a_table_is_reported(other):
    coin = np.random.default_rng(28).integers(0, 2, 1000)
    given = {"data": {"worker": [1, 2], "label": [1, 2]}}
    tables = [pd.DataFrame(**(given | other if k else given)) for k in coin]
    assert guess_audit(coin, tables).epsilon > 4


@pytest.mark.parametrize(
    ("outputs", "kind", "words"),
    [
        ([["a"], ["b", "c"], ["a"], ["a"]], TypeError, "outputs must be numbers, or labels"),
        ([{"a": ["b"]}] * 4, TypeError, "outputs must be numbers, or labels"),
        ("abcd", ValueError, "outputs must"),
        ({"a": 1}, TypeError, "outputs must"),
        (np.full((4, 1, 1), "a"), ValueError, "outputs must have shape"),
        (["a"] * 3, ValueError, "outputs must have shape"),
        (pl.LazyFrame({"a": ["b"] * 4}), TypeError, "outputs must be arrays or tables"),
        ([pl.LazyFrame({"a": ["b"] * 4})] * 4, TypeError, "outputs must be arrays or tables"),
    ],
)
def test_non_labels_are_refused(outputs, kind, words):
    with pytest.raises(kind, match=f"^{words}"):
        guess_audit([0, 1, 1, 0], outputs)


def test_labels_have_no_bins():
    with pytest.raises(ValueError, match=r"^bins must be None"):
        guess_audit([0, 1, 1, 0], ["a", "b", "b", "a"], bins=2)


def test_rare_atom_keeps_its_own_symbol():
    """A thousandth of the reports reveal the input; the rest is noise, each number once or a few times."""
    rng = np.random.default_rng(29)
    for noise in (rng.random(200_000), rng.integers(0, 40_000, 200_000) / 40_000):
        coin = rng.integers(0, 2, 200_000)
        reports = np.where(rng.random(200_000) < 0.001, 0.5 + coin / 1e6, noise)
        assert guess_audit(coin, reports, bins=16).epsilon > 2


def test_numbers_of_a_fine_grid_stay_in_bins():
    """Noise in steps of 1/200 of its scale, a million calls: each number occurs hundreds of times."""
    rng = np.random.default_rng(30)
    coin = rng.integers(0, 2, 1_000_000)
    reports = 160 * coin + np.rint(200 * rng.laplace(0, 1, 1_000_000))
    assert 0.78 < guess_audit(coin, reports, bins=16).epsilon <= 0.8


def test_informative_atom_is_not_hidden_by_another():
    """Two atoms, each in half of all calls: together they would be one bin."""
    rng = np.random.default_rng(31)
    coin = rng.integers(0, 2, 4000)
    found = guess_audit(coin, np.where(rng.random(4000) < 0.5, coin, 10 + coin), bins=2)
    assert found.right == found.guesses == 2000


def test_rare_atoms_exceed_the_median_not_the_mean():
    """Most reports are zero, which would raise a mean so far that no rare atom exceeds it."""
    rng = np.random.default_rng(32)
    coin, kind = rng.integers(0, 2, 20_000), rng.random(20_000)
    telling = kind > 0.992
    out = np.select([kind < 0.9, ~telling], [0.0, 1 + rng.random(20_000)], 1.5 + coin / 1e6)
    found = guess_audit(coin, out, bins=16)
    assert found.right == found.guesses == telling[10_000:].sum()
