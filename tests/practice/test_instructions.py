"""People who do not follow instructions: against enumeration, simulation, corners and printed numbers."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from draws import draws
from hypothesis import assume, given, settings, strategies as st

from ldpbook.practice import AskedSample, decoded_limit, fewest_people, fit_shares, share_bounds

DIE = AskedSample(p=5 / 6, q=1 / 6, yes=831, n=2435)
MINARETS = [AskedSample(p=1.0, q=10 / 12, yes=373, n=564), AskedSample(p=1.0, q=2 / 12, yes=398, n=692)]
MIRRORED = [
    AskedSample(p=2 / 12, q=10 / 12, yes=373, n=564),
    AskedSample(p=10 / 12, q=2 / 12, yes=398, n=692),
]
CHANCE = st.integers(0, 12).map(lambda k: k / 12)
MILLION = 10**6


def people(rng, n, p, q, share, coin=0.0, always_no=0.0, always_yes=0.0):
    """Reports of simulated people, each of one kind and with her own truth, and these kinds and truths."""
    kind = rng.choice(4, n, p=[1 - coin - always_no - always_yes, coin, always_no, always_yes])
    true = rng.random(n) < share
    told = np.where(true, rng.random(n) < p, rng.random(n) < q)
    return np.select([kind == 1, kind == 2, kind == 3], [rng.random(n) < 0.5, False, True], told), kind, true


def sample(p, q, followed, carriers, other_yes, n=12 * MILLION, known=None):
    """A sample with the expected number of yes reports, by kinds of people."""
    honest = (p, q) if known is None else (known * p + (1 - known) * q,) * 2
    rate = carriers * honest[0] + (followed - carriers) * honest[1] + other_yes
    return AskedSample(p=p, q=q, yes=round(n * rate), n=n, known=known)


@pytest.mark.parametrize(
    ("p", "q", "kinds", "value"),
    [
        (9 / 12, 1 / 12, {"coin": 0.3}, 0.2575),  # by hand: 0.7 * 0.1 + 0.3 * (5 / 12) / (8 / 12)
        (5 / 6, 1 / 6, {"coin": 0.3}, 0.22),
        (0.9, 0.1, {"coin": 0.3}, 0.22),  # for any symmetric design
        (5 / 6, 1 / 6, {"always_no": 0.3}, -0.005),  # below 0: 0.07 - 0.3 / 4
        (5 / 6, 1 / 6, {"always_yes": 0.3}, 0.445),
        (1 / 6, 5 / 6, {"always_yes": 0.3}, -0.005),  # where a yes report is evidence for a no
    ],
)
def test_decoded_limit_by_hand(p, q, kinds, value):
    assert decoded_limit(0.1, p=p, q=q, **kinds) == pytest.approx(value, abs=1e-12)


def test_decoded_limit_of_simulated_people():
    kinds = {"coin": 0.1, "always_no": 0.15, "always_yes": 0.05}
    reports, *_ = people(np.random.default_rng(40), 400_000, 0.9, 0.3, 0.2, **kinds)
    decoded = (reports - 0.3) / 0.6
    off = decoded.mean() - decoded_limit(0.2, p=0.9, q=0.3, **kinds)
    assert abs(off) < 4 * decoded.std() / len(decoded) ** 0.5
    assert abs(decoded.mean() - 0.2) > 20 * decoded.std() / len(decoded) ** 0.5


@pytest.mark.parametrize(
    ("others", "truth", "other_yes"),
    [("nobody", 1.0, 0.0), ("no", 0.7, 0.0), ("coin", 0.7, 0.15), ("yes", 0.7, 0.3), ("anyhow", 0.7, 0.12)],
)
def test_fit_finds_the_shares_of_its_model(others, truth, other_yes):
    designs = [(5 / 6, 1 / 6), (9 / 12, 1 / 12), (1.0, 0.5)]
    found = fit_shares([sample(p, q, truth, 0.2, other_yes) for p, q in designs], others=others)
    assert (found.followed, found.carriers, found.other_yes) == pytest.approx(
        (truth, 0.2, other_yes), abs=1e-6
    )
    assert found.possible
    assert found.misfit < 1e-6
    assert found.df == 3 - {"nobody": 1, "anyhow": 3}.get(others, 2)
    assert math.isnan(found.p_value) == (found.df == 0)
    assert found.bounds == pytest.approx((0.2, 1.2 - truth), abs=1e-6)


@given(
    chances=st.lists(st.tuples(CHANCE, CHANCE), min_size=2, max_size=3),
    others=st.sampled_from(["no", "coin", "yes"]),
)
@settings(max_examples=draws(60, 400), deadline=None)
def test_model_is_identified_off_its_lines(chances, others):
    """By areas of triangles in integers, from the designs' points (q, p) and the point of other people."""
    assume(all(p != q for q, p in chances))
    at = {"no": 0, "coin": 6, "yes": 12}[others]
    points = [(round(12 * q) - at, round(12 * p) - at) for q, p in chances]
    on_a_line = all(a * d == b * c for (a, b), (c, d) in combinations(points, 2))
    samples = [AskedSample(p=p, q=q, yes=5, n=10) for q, p in chances]
    if on_a_line:
        with pytest.raises(ValueError, match=f"do not identify others='{others}'"):
            fit_shares(samples, others=others)
    else:
        fit_shares(samples, others=others)


@pytest.mark.parametrize("n_designs", [1, 2, 5, 9])
def test_symmetric_designs_never_see_a_coin(n_designs):
    designs = [0.55 + 0.05 * k for k in range(n_designs)]
    samples = [AskedSample(p=p, q=1 - p, yes=40, n=100) for p in designs]
    for others in ("coin", "anyhow"):
        with pytest.raises(ValueError, match="do not identify"):
            fit_shares(samples, others=others)
    # Two worlds with the same rates under all these designs: 1/2 + d (carriers - followed / 2).
    first, second = [
        [sample(p, 1 - p, f, a, (1 - f) / 2).yes for p in designs] for f, a in ((1, 0.3), (0.6, 0.1))
    ]
    assert first == second


def test_control_questions_see_a_coin():
    """One symmetric design, with a question that all deny and one that all affirm."""
    shares = (0.7, 0.2, 0.12)
    die = [sample(5 / 6, 1 / 6, *shares, known=known) for known in (None, 0.0, 1.0)]
    found = fit_shares(die, others="anyhow")
    assert (found.followed, found.carriers, found.other_yes) == pytest.approx(shares, abs=1e-6)
    with pytest.raises(ValueError, match="of 2 independent rows they have 1"):  # half say yes anyway
        fit_shares([die[0], sample(5 / 6, 1 / 6, *shares, known=0.5)], others="coin")


@pytest.mark.parametrize("others", ["no", "coin", "yes", "anyhow"])
def test_errors_are_the_spread_of_simulated_studies(others):
    rng, designs, n = np.random.default_rng(41), [(0.9, 0.2), (0.7, 0.05), (0.95, 0.6)], 20_000
    other_yes = {"no": 0.0, "coin": 0.15, "yes": 0.3, "anyhow": 0.1}[others]
    rates = [0.25 * p + 0.45 * q + other_yes for p, q in designs]
    counts = rng.binomial(n, rates, (400, 3))
    found = [
        fit_shares(
            [AskedSample(p=p, q=q, yes=int(k), n=n) for (p, q), k in zip(designs, row, strict=True)],
            others=others,
        )
        for row in counts
    ]
    told = np.array([(each.followed, each.carriers, each.other_yes) for each in found])
    errors = np.array([each.errors for each in found]).mean(axis=0)
    moving = errors > 0
    np.testing.assert_allclose(told.std(axis=0)[moving] / errors[moving], 1, atol=4 / 800**0.5)
    off = (told.mean(axis=0) - (0.7, 0.25, other_yes))[moving] / errors[moving] * 400**0.5
    assert (np.abs(off) < 4.5).all()
    if others != "anyhow":
        rejected = np.mean([each.p_value < 0.05 for each in found])
        assert abs(rejected - 0.05) < 4 * (0.05 * 0.95 / 400) ** 0.5


def test_misfit_of_two_designs_is_their_difference_squared():
    """If all follow the instructions, the test only compares the decoded shares, in standard errors."""
    samples = [AskedSample(p=0.9, q=0.2, yes=430, n=900), AskedSample(p=0.7, q=0.4, yes=270, n=600)]
    first, second = [(e.rate - e.q) / (e.p - e.q) for e in samples]
    errors = [math.sqrt(e.rate * (1 - e.rate) / e.n) / (e.p - e.q) for e in samples]
    z = (first - second) / math.hypot(*errors)
    found = fit_shares(samples, others="nobody")
    assert found.misfit == pytest.approx(z**2)
    assert found.p_value == pytest.approx(math.erfc(abs(z) / math.sqrt(2)))


def test_minarets_as_printed():
    """Heck and Moshagen (2018), section 4.1: pi 0.870695 (0.041118), t 0.635806."""
    found = fit_shares(MINARETS, others="no")
    low, high = found.bounds
    assert high == pytest.approx(0.870695, abs=5e-7)
    assert low / high == pytest.approx(0.635806, abs=5e-7)
    # Carriers are all except the noncarriers who follow; the printed error divides by n - 1.
    noncarriers = (373 / 564 - 398 / 692) / (8 / 12)
    variances = [r * (1 - r) / (n - 1) for r, n in ((373 / 564, 564), (398 / 692, 692))]
    assert 1 - noncarriers == pytest.approx(high)
    assert math.sqrt(sum(variances)) / (8 / 12) == pytest.approx(0.041118, abs=5e-7)


def test_rival_models_of_minarets_fit_perfectly_and_disagree():
    ends = {}
    for name, samples, others in (
        ("lies", MINARETS, "no"),
        ("coins", MINARETS, "coin"),
        ("wheel", MIRRORED, "yes"),
    ):
        found = fit_shares(samples, others=others)
        assert (found.df, round(found.misfit, 9), found.possible) == (0, 0, True)
        ends[name] = [round(end, 3) for end in found.bounds]
    assert ends == {"lies": [0.554, 0.871], "coins": [0.236, 0.871], "wheel": [0.317, 0.554]}
    sums = 373 / 564 + 398 / 692
    assert round(sums, 3) == 1.236
    cheaters = fit_shares(MIRRORED, others="no")
    assert cheaters.followed == pytest.approx(sums)  # more people than all
    assert not cheaters.possible
    exchanged = [
        AskedSample(p=1.0, q=each.q, yes=other.yes, n=other.n)
        for each, other in zip(MINARETS, MINARETS[::-1], strict=True)
    ]
    wrong = fit_shares(exchanged, others="no")
    assert (round(wrong.carriers, 3), round(wrong.followed - wrong.carriers, 3)) == (0.683, -0.129)
    assert not wrong.possible


def corners(samples, most=1.0):
    """Bounds by brute force: all mixtures of people in steps, as close to the rates as the steps allow."""
    grid = np.array([w for w in product(range(101), repeat=3) if sum(w) <= 100]) / 100
    a, b, s = grid.T
    fits = a + b >= 1 - most - 1e-9
    for each in samples:
        fits &= np.abs(a * each.p + b * each.q + s - each.rate) < 0.006
    return (a[fits]).min(), (1 - b[fits]).max()


@pytest.mark.parametrize(
    ("samples", "most"),
    [([DIE], 0.1), ([DIE], 1 / 3), ([DIE], 1.0), (MINARETS, 1.0), (MIRRORED, 1.0), (MIRRORED, 0.7)],
)
def test_bounds_against_brute_force(samples, most):
    assert share_bounds(samples, most=most) == pytest.approx(corners(samples, most), abs=0.03)


@given(
    p=CHANCE, q=CHANCE, most=st.floats(0, 0.9), shares=st.lists(st.floats(0.01, 1), min_size=4, max_size=4)
)
@settings(max_examples=draws(60, 400), deadline=None)
def test_bounds_of_one_design_in_closed_form(p, q, most, shares):
    """The decoded share minus c (1 - q) / d and plus c p / d, clipped to [0, 1]."""
    assume(p > q)
    a, b, s, t = np.array(shares) / sum(shares)
    scale = most / (s + t) if s + t > most else 1.0
    s, t = s * scale, t * scale
    a, b = np.array([a, b]) / (a + b) * (1 - s - t)
    each = AskedSample(p=p, q=q, yes=round(1e9 * (a * p + b * q + s)), n=10**9)
    low, high = share_bounds([each], most=most)
    decoded = (each.rate - q) / (p - q)
    assert low == pytest.approx(max(0, decoded - most * (1 - q) / (p - q)), abs=1e-6)
    assert high == pytest.approx(min(1, decoded + most * p / (p - q)), abs=1e-6)
    assert low - 1e-6 <= a <= a + s + t <= high + 1e-6


FOUR = [(5 / 6, 1 / 6), (0.9, 0.5), (0.5, 0.1), (0.7, 0.3)]


def test_bounds_of_four_designs_survive_sampling():
    """All follow, with share 0.3: rates never agree exactly, but only about 1 in 100 samples is refused."""
    rng, refused, ends = np.random.default_rng(44), 0, []
    for counts in rng.binomial(2000, [q + 0.3 * (p - q) for p, q in FOUR], (200, 4)).tolist():
        drawn = [AskedSample(p=p, q=q, yes=k, n=2000) for (p, q), k in zip(FOUR, counts, strict=True)]
        try:
            ends.append(share_bounds(drawn, most=0.1))
        except ValueError:
            refused += 1
    assert refused <= 200 * 0.01 + 4 * (200 * 0.01) ** 0.5
    low, high = np.array(ends).T
    assert (low <= high + 1e-9).all()
    error = 1 / np.sqrt(sum(2000 * (p - q) ** 2 / 0.25 for p, q in FOUR))  # error of the share if all follow
    assert low.max() < 0.3 + 6 * error
    assert high.min() > 0.3 - 6 * error


@pytest.mark.parametrize("n", [400, 10**6])
def test_contradictory_rates_get_bounds_of_nearest(n):
    """All follow two designs: the mean of both decoded shares, weighted by their errors."""
    agrees = round(n * 0.35)  # with 0.3 + 0.4 / 8, and the first rate with 0.2 + 0.6 / 8
    pair = [
        AskedSample(p=0.8, q=0.2, yes=n * 11 // 40, n=n),
        AskedSample(p=0.7, q=0.3, yes=agrees + math.isqrt(n) // 2, n=n),
    ]
    decoded = np.array([(e.rate - e.q) / (e.p - e.q) for e in pair])
    weights = [(e.p - e.q) ** 2 / (e.rate * (1 - e.rate)) for e in pair]
    mean = np.average(decoded, weights=weights)
    assert share_bounds(pair, most=0.0) == pytest.approx((mean, mean), abs=1e-7)
    far = [pair[0], AskedSample(p=0.7, q=0.3, yes=agrees + 3 * math.isqrt(n), n=n)]
    with pytest.raises(ValueError, match="up to chance"):
        share_bounds(far, most=0.0)


def test_rate_just_outside_has_bounds_at_end():
    below = AskedSample(p=5 / 6, q=1 / 6, yes=160, n=1000)  # six tenths of a standard error below q
    assert share_bounds([below], most=0.0) == pytest.approx((0, 0), abs=1e-7)
    with pytest.raises(ValueError, match="up to chance"):
        share_bounds([AskedSample(p=5 / 6, q=1 / 6, yes=100, n=1000)], most=0.0)


@pytest.mark.parametrize("n", [4, 40, 4 * MILLION])
def test_fewest_people_ignore_the_pilot_size(n):
    pilot = AskedSample(p=1.0, q=0.0, yes=n // 4, n=n)
    assert fewest_people([pilot], others="nobody", error=0.1) == pytest.approx((0.25 * 0.75 / 0.01,))


def test_a_sample_of_no_people_is_left_out():
    """Half of the others say yes, like people with a true no in the second design, which is enough."""
    pair = [sample(5 / 6, 1 / 6, 0.8, 0.2, 0.1, n=3000), sample(0.9, 0.5, 0.8, 0.2, 0.1, n=3000)]
    sizes = fewest_people(pair, others="coin", error=0.02)
    rate = pair[1].rate
    assert sizes == pytest.approx((0, rate * (1 - rate) / (0.4 * 0.02) ** 2))
    with pytest.raises(ValueError, match="do not identify"):
        fit_shares(pair[1:], others="coin")
    both, alone = fit_shares(pair, others="coin"), fit_shares(pair[1:], others="nobody")
    assert alone.carriers == pytest.approx(both.carriers)
    assert alone.errors[1] == pytest.approx(both.errors[1])


@pytest.mark.parametrize("others", ["no", "coin", "yes"])
def test_fewest_people_against_all_splits(others):
    designs = [(0.9, 0.2), (0.7, 0.05)]
    pilot = [AskedSample(p=p, q=q, yes=yes, n=1000) for (p, q), yes in zip(designs, (400, 250), strict=True)]
    first, second = fewest_people(pilot, others=others, error=0.02)
    total = first + second

    def error(part):
        sizes = [max(1, round(1e6 * part)), round(1e6 * (1 - part))]
        scaled = [
            AskedSample(p=e.p, q=e.q, yes=round(e.rate * n), n=n) for e, n in zip(pilot, sizes, strict=True)
        ]
        return fit_shares(scaled, others=others).errors[1] * 1000 / total**0.5

    assert error(first / total) == pytest.approx(0.02, rel=1e-4)
    parts = np.linspace(0.02, 0.98, 49)
    errors = [error(part) for part in parts]
    assert min(errors) >= 0.02 * (1 - 1e-6)
    assert abs(parts[int(np.argmin(errors))] - first / total) < 0.02


def test_error_is_positive_without_any_yes():
    found = fit_shares([AskedSample(p=1.0, q=0.0, yes=0, n=900)], others="nobody")
    assert (found.carriers, round(2 * found.errors[1], 4)) == (0.0, round(3 / 900, 4))  # the rule of three
    few = [fit_shares([AskedSample(p=1.0, q=0.0, yes=k, n=900)], others="nobody") for k in (1, 2, 3)]
    assert few[0].errors == few[1].errors == found.errors  # all are treated as 2.25 people away from 0
    assert few[2].errors[1] == pytest.approx(math.sqrt(3 / 900 * 897 / 900 / 900))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: AskedSample(p=0.5, q=0.5, yes=1, n=2), "p and q must differ.* got 0.5"),
        (lambda: decoded_limit(0.5, p=5e-324, q=0.0, coin=0.5), "p and q must differ by 1e-6"),
        (lambda: AskedSample(p=1.2, q=0.5, yes=1, n=2), r"p must lie in \[0, 1\], got 1.2"),
        (lambda: AskedSample(p=0.9, q=0.1, yes=3, n=2), "yes must be at most n, 2, got 3"),
        (lambda: AskedSample(p=0.9, q=0.1, yes=0, n=0), "n must be an integer >= 1"),
        (lambda: AskedSample(p=0.9, q=0.1, yes=1, n=2, known=-1), r"known must lie in \[0, 1\], got -1"),
        (lambda: decoded_limit(0.1, p=0.9, q=0.1, coin=0.6, always_no=0.6), "sum of at most 1, got 1.2"),
        (lambda: fit_shares([DIE], others="liars"), "others must be one of nobody, no, coin, yes, anyhow"),
        (lambda: fit_shares([DIE], others="no"), "of 2 independent rows they have 1"),
        (lambda: fit_shares(MINARETS, others="anyhow"), "of 3 independent rows they have 2"),
        (lambda: fewest_people(MINARETS, others="nobody", error=0.1), "samples must be 1, .* got 2"),
        (
            lambda: fewest_people([AskedSample(p=0.9, q=0.1, yes=0, n=9)], others="nobody", error=0.1),
            r"samples must have rates between 0 and 1, got \[0.0\]",
        ),
        (lambda: fewest_people([DIE], others="nobody", error=0), r"error must lie in \(0, 1\], got 0"),
        (
            lambda: fewest_people([DIE], others="nobody", error=1e-320),
            "error must be at least 1e-9, got 1e-320",
        ),
        (
            lambda: share_bounds(MIRRORED, most=0.1),
            r"samples must have rates .* \[0.6613, 0.5751\].*most=0.1",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: AskedSample(p=0.9, q=0.1, yes=1.5, n=2),  # weighted counts have a different error
        lambda: AskedSample(p=0.9, q=0.1, yes=float("nan"), n=2),
        lambda: fit_shares([], others="no"),
        lambda: share_bounds([(0.9, 0.1)]),
    ],
)
def test_a_wrong_type_is_refused(call):
    with pytest.raises(TypeError):
        call()
