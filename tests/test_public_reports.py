"""Issues that users of other packages reported, reduced and in our words, tried on this package.

Each test names the issue in its first sentence, with its public address.
"""

import tracemalloc
from math import exp, log

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ldpbook import OneLayerFlip, RandomizedResponse
from ldpbook.categorical_answers import dawid_skene, decode_choices, majority_vote, weighted_vote
from ldpbook.class_ratios import GeometricCounts
from ldpbook.localization import ParticlePerturbation
from ldpbook.practice import read_label_studio
from ldpbook.sparse_answers import LaplacePerturbation
from ldpbook.whole_worker import OwnAnswer

CHOICES = ["cat", "dog"]


def exported(*annotations, **task):
    """One task of a Label Studio export."""
    return [{"id": 1, "data": {}, "annotations": list(annotations), **task}]


def annotation(who, choice, **more):
    result = (
        []
        if choice is None
        else [{"from_name": "pet", "to_name": "image", "type": "choices", "value": {"choices": [choice]}}]
    )
    return {"completed_by": who, "result": result, **more}


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_true_bit_is_kept_as_declared(epsilon):
    """Unary encoding did not keep a true bit as declared: github.com/Samuel-Maddock/pure-LDP/issues/11."""
    out = OwnAnswer(epsilon).perturb(np.full((60_000, 1), 2.0), 1.5, rng=0)
    other = 1 / (1 + exp(epsilon))
    for report, chance in ((1, (1 - other) / 2), (-1, other / 2)):
        error = np.sqrt(chance * (1 - chance) / len(out))
        assert abs((out == report).mean() - chance) < 4.5 * error


def test_noisy_doubles_are_not_released():
    """Digits of noisy doubles betray the input: github.com/IBM/differential-privacy-library/issues/19."""
    with pytest.raises(TypeError, match="rng must be given for LaplacePerturbation"):
        LaplacePerturbation(1.0, range(10)).perturb([[1, 2]])


def test_ties_are_decided_as_documented():
    """No one knew how ties are decided: github.com/Toloka/crowd-kit/issues/108."""
    tie = [["cat"], ["dog"], ["dog"], ["cat"]]
    assert majority_vote(tie, ["cat", "dog"]) == ["cat"]
    assert majority_vote(tie, ["dog", "cat"]) == ["dog"]
    drawn = [majority_vote(tie, CHOICES, ties="random", rng=k)[0] for k in range(200)]
    assert 60 < drawn.count("cat") < 140
    in_one_call = majority_vote([["cat"] * 200, ["dog"] * 200], CHOICES, ties="random", rng=0).tolist()
    assert 60 < in_one_call.count("cat") < 140


def test_weights_stay_finite_after_many_steps():
    """Weights grew until they were nan: github.com/Toloka/crowd-kit/pull/35."""
    alike = np.zeros((300, 4))
    assert weighted_vote(alike, 2, max_iter=5000).quality == pytest.approx(log(5))  # five of six, smoothed
    two_camps = np.tile([[0.0, 1.0], [1.0, 0.0]], (3000, 1))  # likelihoods far below the smallest float
    assert np.allclose(dawid_skene(two_camps, 2).posterior, 0.5)
    for found in (dawid_skene(alike, 2), decode_choices(alike, OneLayerFlip.with_probability(0.2, 2))):
        assert np.isfinite(found.posterior).all()


def test_unused_class_has_no_share():
    """A class without labels, and labels that are text: github.com/cleanlab/cleanlab/pull/519."""
    found = dawid_skene([["a", "b"], ["a", "b"]], ["a", "b", "never"])
    assert np.allclose(found.prior, [0.5, 0.5, 0], atol=1e-6)


def test_tasks_may_have_different_numbers_of_labels():
    """An estimator required equal numbers of labels: github.com/sukrutrao/Fast-Dawid-Skene/issues/1."""
    frame = pd.DataFrame(
        {"worker": [0, 1, 2, 0], "task": [0, 0, 0, 1], "label": ["cat", "cat", "dog", "dog"]}
    )
    assert majority_vote(frame, CHOICES).to_dict() == {0: "cat", 1: "dog"}
    assert np.allclose(dawid_skene(frame, CHOICES).posterior.sum(axis=1), 1)
    first = dawid_skene(frame, CHOICES, max_iter=1)
    assert np.allclose(first.prior, [1 / 3, 2 / 3])  # means of 2/3 and 0, and of 1/3 and 1


def test_many_tasks_need_no_matrix():
    """A large machine was needed for many tasks: github.com/conversationai/conversationai-models/pull/49."""
    n = 30_000  # a matrix of as many workers and tasks takes seven gigabytes
    frame = pd.DataFrame(
        {"worker": np.arange(n), "task": np.arange(n)[::-1], "label": np.tile(CHOICES, n // 2)}
    )
    kept = OneLayerFlip.with_probability(1e-12, CHOICES)
    tracemalloc.start()
    assert (majority_vote(frame, CHOICES).to_numpy() == frame["label"].to_numpy()[::-1]).all()
    assert kept.perturb(frame)["label"].equals(frame["label"])
    assert dawid_skene(frame, CHOICES, max_iter=2).truth.eq(frame["label"].to_numpy()[::-1]).all()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 60e6  # measured: 11 MB


def test_skipped_and_empty_annotations_are_not_answers():
    """Skipped or empty work counted: github.com/HumanSignal/label-studio/issues/281 and 279."""
    given = exported(annotation(1, "cat"), annotation(2, "dog", was_cancelled=True), annotation(3, None))
    assert read_label_studio(given, "pet")["answer"].tolist() == ["cat"]
    later = exported(annotation(1, "cat", was_cancelled=True), annotation(1, "dog"))
    assert read_label_studio(later, "pet")["answer"].tolist() == ["dog"]
    with pytest.raises(ValueError, match=r"tasks\[0\]"):
        read_label_studio(exported(annotation(1, "cat"), annotation(1, "dog")), "pet")


@pytest.mark.parametrize("without", ["completed_by", "choices"])
def test_missing_parts_of_exports_are_named(without):
    """Authors or labels missing in an export: github.com/HumanSignal/label-studio/issues/889 and 1601."""
    one = annotation(1, "cat")
    del (one if without == "completed_by" else one["result"][0]["value"])[without]
    with pytest.raises((ValueError, TypeError), match=rf"tasks\[0\]\.annotations\[0\].*{without} must"):
        read_label_studio(exported(one), "pet")


def test_an_unlabelled_task_gives_no_row():
    """Unlabelled and deliberately empty look alike: github.com/HumanSignal/label-studio/issues/9774."""
    given = [*exported(annotation(1, "cat")), {"id": 2, "data": {}, "annotations": [], "drafts": [{}]}]
    assert read_label_studio(given, "pet")["task"].tolist() == [1]


def test_choices_may_be_the_array_that_unique_gives():
    """`unique` gives an extension array: github.com/pandas-dev/pandas/issues/47426."""
    for dtype in ("string", "category", object):
        labels = pd.Series(["cat", "dog", "cat"], dtype=dtype).unique()
        assert OneLayerFlip.with_probability(0.2, labels).choices == ("cat", "dog")


def test_a_new_column_lines_up():
    """Results were sorted, and merged by a wrong index: github.com/cleanlab/cleanlab-studio/pull/213."""
    frame = pd.DataFrame({"worker": ["b", "a"], "task": "x", "label": CHOICES}, index=[5, 3])
    frame["private"] = OneLayerFlip.with_probability(1e-12, CHOICES).perturb(frame)["label"]
    assert frame["private"].tolist() == CHOICES


def test_frame_of_numbers_is_not_a_matrix():
    """A library took the raw values of another's frame: github.com/narwhals-dev/narwhals/issues/285."""
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"worker": [0, 0, 1, 1, 2, 2], "task": [0, 1] * 3, "answer": [3, 4, 3, 4, 2, 1]})
    assert majority_vote(frame, 5).to_dict(as_series=False) == {"task": [0, 1], "truth": [3.0, 4.0]}


def test_noise_at_extremes_stays_in_range():
    """Geometric noise at extremes: github.com/opendp/smartnoise-core/issues/358."""
    noisy = np.array([GeometricCounts(1e-3).noisy_counts([50, 0]) for _ in range(200)])
    assert noisy.min() >= 0
    assert noisy.max() <= 50
    at_ends = noisy == [50, 0]  # draws beyond the range end at its limit: half of all draws
    assert ((at_ends.mean(axis=0) > 0.3) & (at_ends.mean(axis=0) < 0.7)).all()


def test_delta_of_gaussian_noise_at_a_large_epsilon():
    """Delta overflowed: github.com/google/differential-privacy/pull/430."""
    found = ParticlePerturbation(0.02).epsilon_of(distance=1.0, delta=0.498, n_particles=1)
    shift = 1 / 0.02
    at = found / shift - shift / 2
    assert found > 710  # the exponential function overflows there
    assert stats.norm.sf(at) - exp(found + stats.norm.logsf(at + shift)) == pytest.approx(0.498, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0, -1, np.inf, np.nan, True, "1", None])
def test_invalid_epsilon_is_refused_by_name(epsilon):
    """Epsilon 0 crashed: github.com/DataResponsibly/DataSynthesizer/issues/8."""
    with pytest.raises((ValueError, TypeError), match="epsilon must be"):
        RandomizedResponse(epsilon, range(3))


# --- Ten more issues. ---


@pytest.mark.parametrize("null", [None, np.nan, pd.NA])
def test_missing_label_is_null(null):
    """How should missing labels be passed? github.com/Toloka/crowd-kit/issues/134."""
    for label, other in (CHOICES, CHOICES[::-1]):
        frame = pd.DataFrame({"worker": [1, 2, 3], "task": "t", "label": [label, null, null]})
        frame = pd.concat([frame, pd.DataFrame({"worker": [2, 3], "task": "u", "label": other})])
        assert majority_vote(frame, CHOICES).to_dict() == {"t": label, "u": other}


def test_spammers_do_not_outvote():
    """A majority of workers who always say the same: github.com/jsboige/CoursIA/pull/8344."""
    truth = np.array([0, 1, 0, 1, 1, 0, 1, 0])
    careful = np.tile(truth, (3, 1))
    careful[0, 3] = 0
    answers = np.vstack([careful, np.ones((4, 8))])
    assert dawid_skene(answers, 2).truth.tolist() == truth.tolist()
    assert majority_vote(answers, 2).tolist() == [1] * 8


def test_replaced_answer_differs_from_the_truth():
    """A lie was drawn from all answers, the true one too: github.com/opendp/opendp/issues/480."""
    flip = OneLayerFlip.with_probability(0.3, 2)
    for seed in (None, 0):
        out = flip.perturb(np.zeros((20_000, 1)), seed)
        assert abs(out.mean() - 0.3) < 4.5 * np.sqrt(0.21 / len(out))
    assert flip.exact_epsilon == pytest.approx(log(0.7 / 0.3))


def test_choices_may_be_numbers():
    """Text worked as categories, numbers did not: github.com/opendp/opendp/issues/1552."""
    for choices in ([3, 1, 2], [1, 2, 3], [1.0, 2.5]):
        assert OneLayerFlip.with_probability(1e-12, choices).perturb([choices]).tolist() == [choices]


def test_na_of_pandas_is_null():
    """pd.NA was not turned into nan: github.com/cleanlab/cleanlab/pull/506."""
    for dtype in ("Int64", object):
        frame = pd.DataFrame({"worker": [1, 1], "task": [1, 2], "label": pd.array([1, pd.NA], dtype=dtype)})
        out = OneLayerFlip.with_probability(1e-12, 2).perturb(frame)["label"]
        assert out[0] == 1
        assert out.isna().tolist() == [False, True]


def test_text_workers_work_like_numbered_ones():
    """Text labels of annotators were read differently: github.com/cleanlab/cleanlab/pull/821."""
    frame = pd.DataFrame(
        {"worker": [11, 7, 10] * 2, "task": [0] * 3 + [1] * 3, "label": ["cat", "dog", "cat"] * 2}
    )
    named = frame.assign(worker=frame["worker"].map({11: "wc", 7: "wa", 10: "wb"}))
    numbers, texts = dawid_skene(frame, CHOICES), dawid_skene(named, CHOICES)
    assert numbers.posterior.equals(texts.posterior)
    assert len(numbers.confusion) == 6
    assert np.array_equal(numbers.confusion, texts.confusion)
    for workers, table in (([7, 10, 11], frame), (["wa", "wb", "wc"], named)):
        quality = weighted_vote(table, CHOICES).quality
        assert list(quality.index) == workers
        assert (np.sign(quality) == [-1, 1, 1]).all()


def test_workers_of_several_types_sort():
    """Labels of several types could not be sorted: github.com/pandas-dev/pandas/issues/20900."""
    frame = pd.DataFrame({"worker": [4, 1, "foo", 3], "task": "t", "label": "cat"})
    assert list(weighted_vote(frame, CHOICES).quality.index) == [1, 3, 4, "foo"]
    flip = OneLayerFlip.with_probability(0.2, CHOICES, null_is_symbol=True)
    assert flip.perturb(frame, workers=["foo", 4, 3, 1], tasks=["t"])["worker"].tolist() == [1, 3, 4, "foo"]


def test_polars_categories_of_a_name_are_labels():
    """Declared categories had an unknown type: github.com/narwhals-dev/narwhals/issues/3719."""
    pl = pytest.importorskip("polars")
    named = pl.Series(["b", "a"], dtype=pl.Categorical(pl.Categories("named")))
    frame = pl.DataFrame({"worker": named, "task": [1, 1], "label": CHOICES})
    assert weighted_vote(frame, CHOICES).quality["worker"].cast(pl.String).to_list() == ["a", "b"]
    assert OneLayerFlip.with_probability(1e-12, CHOICES).perturb(frame)["worker"].dtype == named.dtype


def test_an_enum_has_its_own_categories():
    """An Enum's categories were those of any column: github.com/narwhals-dev/narwhals/pull/3924."""
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"worker": ["a"], "task": ["t"], "label": ["cat"]}).with_columns(
        pl.col("worker").cast(pl.Enum(["b", "a"])), pl.col("task").cast(pl.Enum(["t"]))
    )
    flip = OneLayerFlip.with_probability(0.2, CHOICES, null_is_symbol=True)
    assert flip.perturb(frame)["worker"].to_list() == ["a", "b"]
    assert majority_vote(frame, CHOICES)["truth"].to_list() == ["cat"]


def test_a_task_that_is_exported_twice_is_refused():
    """Tasks occur twice in an export: github.com/HumanSignal/label-studio/issues/1289."""
    twice = [*exported(annotation(1, "cat")), *exported(annotation(2, "cat"))]
    with pytest.raises(ValueError, match=r"^tasks\[1\]\.id must be unique"):
        read_label_studio(twice, "pet")
