"""Three designs for the whole worker: their mean reports, and their predicted errors.

test_mechanisms.py tests that each attains its epsilon for any two rows and has the right distribution.
"""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from ldpbook.whole_worker import sampling_bounds as bounds
from ldpbook.whole_worker.sampling_questions import AskedQuestions, MixedSigns, OwnAnswer, row_designs

NULL = np.nan
CROWD = {"n_tasks": 12, "epsilon": 2.0, "density": 0.4, "sigma": 1.0}


def crowd(m, rng, distance):
    """Answers of a normal crowd to tasks whose truths are `distance` above the threshold 0."""
    answers = rng.normal(distance, 1, (m, 12))
    answers[rng.random((m, 12)) < 0.6] = NULL
    return answers[~np.isnan(answers).all(axis=1)]


@pytest.mark.parametrize(
    ("mechanism", "information"),
    [
        (AskedQuestions(2.0), bounds.asked_information(**CROWD, n_questions=1)),
        (AskedQuestions(2.0, 3), bounds.asked_information(**CROWD, n_questions=3)),
        (OwnAnswer(2.0), bounds.own_information(**CROWD)),
        (MixedSigns(2.0), bounds.mixed_information(**CROWD)),
        (MixedSigns(2.0, 5), bounds.mixed_information(**CROWD, n_groups=5)),
    ],
)
def test_information_is_slope_over_noise(mechanism, information):
    """Reports of crowds just above and below the threshold: squared difference of means over variances."""
    m, h, empty = 60_000, 0.2, 0.6**12
    shift = {side: crowd(m, np.random.default_rng(80), side * h) for side in (1, -1)}
    reports = {side: np.nan_to_num(mechanism.perturb(shift[side], 0.0, 81)) for side in (1, -1)}
    flat = mechanism.perturb(crowd(m, np.random.default_rng(82), 0.0), 0.0, 83)
    variance = np.nanmean(flat**2) * (np.mean(~np.isnan(flat)))
    difference = (reports[1].mean(axis=0) - reports[-1].mean(axis=0)).mean()
    slope = difference / (2 * h) * (1 - empty)
    wanted = np.sqrt(information * variance)
    wanted *= (2 * stats.norm.cdf(h) - 1) / (2 * h * stats.norm.pdf(0))  # a chord is flatter than the tangent
    error = np.sqrt(2 * variance / (12 * m)) / (2 * h)
    assert abs(slope - wanted) < 4.5 * error + 1e-3 * wanted


def test_padding_makes_answers_count_equally():
    """A task's mean report does not depend on how many others are answered."""
    rows = np.array([[1.0, NULL, NULL, NULL], [1.0, -1.0, NULL, NULL], [1.0, -1.0, 1.0, NULL]])
    means = [
        OwnAnswer(2.0, padding=3).perturb(np.tile(row, (40_000, 1)), 0.0, 84)[:, 0].mean() for row in rows
    ]
    e = np.exp(2.0)
    assert np.abs(np.array(means) - (e - 1) / (e + 1) / 2 / 3).max() < 4.5 / np.sqrt(40_000)
    without = OwnAnswer(2.0).perturb(np.tile(rows[0], (40_000, 1)), 0.0, 84)[:, 0].mean()
    assert without > 2 * means[0]


def test_parts_beyond_the_tasks_are_refused():
    for mechanism, name in (
        (AskedQuestions(1.0, 3), "n_questions"),
        (OwnAnswer(1.0, 3), "padding"),
        (MixedSigns(1.0, 3), "n_groups"),
    ):
        with pytest.raises(ValueError, match=name):
            mechanism.perturb([[1, 2]], 0.5, 1)
        with pytest.raises(ValueError, match=name):
            type(mechanism)(1.0, 0)


def test_workers_and_tasks_are_asked_equally_often():
    asked = ~np.isnan(AskedQuestions(1.0, 3).perturb(np.ones((20_000, 10)), 0.5, 85))
    assert (asked.sum(axis=1) == 3).all()
    assert np.abs(asked.mean(axis=0) - 0.3).max() < 4.5 * np.sqrt(0.21 / 20_000)


def test_groups_are_as_even_as_can_be():
    """Ten tasks in four groups are 2, 2, 3 and 3; without noise, groups of one task report its answer."""
    assert sorted(np.bincount(np.arange(10) * 4 // 10)) == [2, 2, 3, 3]
    reports = MixedSigns(400.0, 10).perturb(np.ones((500, 10)), 0.5, 86)
    assert (reports == 1).all()  # each task is its own group, so its answer is reported


@pytest.mark.parametrize(
    ("n", "density", "epsilon"),
    [
        (200, 0.1, 8.0),
        (200, 1 / 200, 16.0),
        (200, 0.05, 30.0),
        (60, 1.0, 30.0),
        (2, 1.0, 0.3),
        (9, 1.0, 40.0),
    ],
)
def test_number_of_groups_is_optimal(n, density, epsilon):
    crowd = {"n_tasks": n, "epsilon": epsilon, "density": density, "sigma": 2.0}
    every = [bounds.mixed_information(**crowd, n_groups=r) for r in range(1, n + 1)]
    assert row_designs(**crowd, n_workers=1).information["mixed"] == max(every)


def test_designs_agree_with_the_formulas():
    table = row_designs(n_tasks=200, n_workers=1000, epsilon=8.0, density=0.1, sigma=2.0)
    crowd = {"n_tasks": 200, "epsilon": 8.0, "density": 0.1, "sigma": 2.0}
    assert table.information["asked"] == bounds.asked_information(**crowd)
    assert table.parts["asked"] == 2
    assert table.error["limit"] < table.error[:-1].min()
    assert table.error["split"] == pytest.approx(
        np.sqrt(2 / np.pi / (1 + 1000 * bounds.asked_information(**crowd, n_questions=200)))
    )


@pytest.mark.parametrize(
    "mechanism",
    [
        AskedQuestions(2.0),
        AskedQuestions(0.7, 3),
        AskedQuestions(Fraction(1, 10), 3),
        OwnAnswer(2.0, 2),
        OwnAnswer(Fraction(7, 5)),
        MixedSigns(2.0),
        MixedSigns(0.7, 3),
        MixedSigns(np.float32(0.1), 3),
    ],
)
def test_ratio_as_drawn_respects_epsilon(mechanism):
    ratio = mechanism.exact_ratio
    assert isinstance(ratio, Fraction)
    with mpmath.workdps(60):
        epsilon = Fraction(
            mechanism.epsilon if isinstance(mechanism.epsilon, Fraction) else float(mechanism.epsilon)
        )
        allowed = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        assert allowed * (1 - mpmath.mpf(10) ** -15) < mpmath.mpf(ratio.numerator) / ratio.denominator
        assert mpmath.mpf(ratio.numerator) / ratio.denominator <= allowed


@pytest.mark.parametrize("mechanism", [AskedQuestions(2.0), OwnAnswer(2.0), MixedSigns(2.0)])
def test_entropy_used_does_not_reveal_the_row(mechanism):
    """The calls do not depend on the answers; the first is the seed of the public draws."""
    taken = set()
    for value in (0.0, 0.5, 1.0, NULL):
        calls, source = [], np.random.default_rng(1)

        def entropy(n, calls=calls, source=source):
            calls.append(n)
            return source.bytes(n)

        mechanism.perturb(np.full((50, 6), value), 0.5, entropy=entropy)
        taken.add(tuple(calls))
    assert len(taken) == 1
    assert taken.pop()[0] == 16


def test_public_draws_are_separate_from_secret_ones():
    """With one seed and different secrets, questions are equal, and a whole row is flipped or not."""

    def released(mechanism, seed, secrets):
        source = np.random.default_rng(secrets)
        return mechanism.perturb(
            np.ones((200, 8)), 0.5, entropy=lambda n: bytes([seed] * 16) if n == 16 else source.bytes(n)
        )

    one, other, third = (released(AskedQuestions(1.0, 2), *x) for x in ((1, 1), (1, 2), (2, 1)))
    assert (np.isnan(one) == np.isnan(other)).all()
    assert (np.isnan(one) != np.isnan(third)).any()
    one, other = (released(MixedSigns(1.0), 1, secrets) for secrets in (1, 2))
    assert set((one * other).sum(axis=1)) == {-8.0, 8.0}  # a lie flips the whole row


@pytest.mark.parametrize("mechanism", [AskedQuestions(40.0), OwnAnswer(40.0), MixedSigns(40.0)])
@pytest.mark.parametrize("seed", [(), (87,)])
def test_answer_at_threshold_falls_to_both_sides(mechanism, seed):
    reports = mechanism.perturb(np.full((4000, 1), 0.5), 0.5, *seed)
    heard = reports[reports != 0]
    assert abs(heard.mean()) < 4.5 / np.sqrt(len(heard))
    assert len(heard) > 1500


@pytest.mark.parametrize("n_tied", [0, 1, 7])
def test_public_draws_do_not_reveal_ties(n_tied):
    """Questions come from a generator whose seed an observer may find, so ties must not advance it."""
    mechanism, words = AskedQuestions(epsilon=2.0, n_questions=3), np.random.default_rng(8)
    stream = words.bytes(100_000)

    def asked(answers):
        left = iter(range(0, len(stream), 1))

        def entropy(n):
            start = next(left)
            for _ in range(n - 1):
                next(left)
            return stream[start : start + n]

        return np.isnan(mechanism.perturb(answers, 1.5, entropy=entropy))

    answers = np.full((20, 9), 1.0)
    tied = answers.copy()
    tied.ravel()[:n_tied] = 1.5
    np.testing.assert_array_equal(asked(tied), asked(answers))
