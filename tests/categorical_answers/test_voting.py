from functools import partial
from math import nan

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from strategies import answer_matrices

from ldpbook._crowd import to_csr
from ldpbook.categorical_answers.voting import (
    dawid_skene,
    majority_vote,
    weighted_vote,
    weighted_vote_printed,
)
from ldpbook.datasets.synthetic import simulate_peer_grading
from ldpbook.foundations.answers import to_tidy


def truth_discovery(answers, n_choices, n_iter, smoothing):
    """Equations 2 and 3 of the source, cell by cell, the smallest of tied choices winning."""
    m, n = answers.shape
    weight = [1.0] * m
    for _ in range(n_iter):
        truth = []
        for j in range(n):
            votes = [sum(weight[i] for i in range(m) if answers[i, j] == x) for x in range(n_choices)]
            given = not np.isnan(answers[:, j]).all()
            truth.append(min(x for x in range(n_choices) if votes[x] > max(votes) - 1e-9) if given else nan)
        weight = []
        for i in range(m):
            right = sum(answers[i, j] == truth[j] for j in range(n))
            k = sum(not np.isnan(answers[i, j]) for j in range(n))
            alpha = (right + smoothing) / (k + n_choices * smoothing)
            weight.append(np.log((n_choices - 1) * alpha / (1 - alpha)))
    return np.array(truth), np.array(weight)


def log_odds(shares):
    return np.log(shares / (1 - shares))


class TestAsPrinted:
    @given(answer_matrices(domain=range(3)), st.integers(1, 5), st.sampled_from([0.3, 1.0]))
    def test_agrees_with_the_equation_written_out(self, answers, n_iter, smoothing):
        m, n = answers.shape
        weight = [1.0] * m
        for _ in range(n_iter):
            truth = []
            for task in answers.T:
                votes = [sum(w for w, x in zip(weight, task, strict=True) if x == c) for c in range(3)]
                truth.append(min(c for c in range(3) if votes[c] > max(votes) - 1e-9))
            agreed = [sum(answers[i, j] == truth[j] for j in range(n)) for i in range(m)]
            weight = [float(log_odds((r + smoothing) / (n + 3 * smoothing))) for r in agreed]
        result = weighted_vote_printed(answers, 3, log_odds, max_iter=n_iter, smoothing=smoothing)
        asked = ~np.isnan(answers).all(axis=0)
        np.testing.assert_array_equal(result.truth[asked], np.array(truth)[asked])
        assert np.isnan(result.truth[~asked]).all()
        np.testing.assert_allclose(result.quality, weight, atol=1e-9)

    def test_complete_answers_make_both_rules_equal(self):
        rng = np.random.default_rng(1)
        answers = (rng.random((2, 9, 30)) < rng.uniform(0.3, 0.9, (2, 9, 1))).astype(float)
        one, other = weighted_vote_printed(answers, 2, log_odds), weighted_vote(answers, 2)
        np.testing.assert_array_equal(one.truth, other.truth)
        np.testing.assert_allclose(one.quality, other.quality, atol=1e-12)

    @pytest.mark.parametrize(("g", "elected"), [(np.sqrt, 1), (log_odds, 0)])
    def test_choice_no_one_gave_may_be_elected(self, g, elected):
        """The choice no one gave is elected if all answer less than half: their weights are negative."""
        crowd = simulate_peer_grading(4)
        unanimous = np.where(np.isnan(crowd.answers), nan, 1.0)
        result = weighted_vote_printed(unanimous, 2, g)
        assert (result.truth == elected).all()
        assert ((result.quality < 0) == (elected == 0)).all()

    @pytest.mark.parametrize("scale", [1e-20, 1e20])
    @pytest.mark.parametrize("power", [1, 20])
    def test_weights_on_another_scale_elect_the_same(self, power, scale):
        """The tolerance for ties is relative to the weights: not all votes tie, and no true tie is missed."""
        crowd = simulate_peer_grading(4)
        one = weighted_vote_printed(crowd.answers, 2, lambda p: p**power)
        other = weighted_vote_printed(crowd.answers, 2, lambda p: scale * p**power)
        np.testing.assert_array_equal(one.truth, other.truth)
        assert (one.truth != crowd.truth).mean() < 0.5

    def test_labels_are_given_back(self):
        frame = pd.DataFrame({"worker": [1, 2, 3], "task": "t", "answer": ["cat", "dog", "dog"]})
        assert weighted_vote_printed(frame, ["cat", "dog"], np.sqrt).truth.to_dict() == {"t": "dog"}

    @pytest.mark.parametrize("g", [None, 3, "log"])
    def test_g_must_be_a_function(self, g):
        with pytest.raises(TypeError, match=r"^g must be a function"):
            weighted_vote_printed([[0, 1]], 2, g)

    @pytest.mark.parametrize("g", [lambda p: p[:-1], lambda p: p - np.inf, lambda p: p.sum(), lambda p: "x"])
    def test_g_must_return_weights(self, g):
        with pytest.raises((TypeError, ValueError), match=r"^g must"):
            weighted_vote_printed([[0, 1], [1, 1]], 2, g)


class TestVotes:
    @given(answer_matrices(domain=range(3)), st.integers(1, 5), st.sampled_from([0.3, 1.0]))
    def test_agree_with_the_equations_written_out(self, answers, n_iter, smoothing):
        truth, weight = truth_discovery(answers, 3, n_iter, smoothing)
        result = weighted_vote(answers, 3, max_iter=n_iter, smoothing=smoothing)
        assert result.n_iter <= n_iter
        np.testing.assert_array_equal(result.truth, truth)
        np.testing.assert_allclose(result.quality, weight, atol=1e-9)

    @pytest.mark.parametrize("seed", range(5))
    def test_weights_change_elections(self, seed):
        """Crowds in which truth discovery differs from the majority and takes several elections."""
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 3, 40)
        hit = rng.random((12, 40)) < rng.permuted(np.linspace(0.2, 0.9, 12))[:, None]
        answers = np.where(hit, truth, rng.integers(0, 3, (12, 40))).astype(float)
        answers[rng.random(answers.shape) < 0.3] = nan
        result = weighted_vote(answers, 3)
        assert result.converged
        assert result.n_iter > 2
        assert (result.truth != majority_vote(answers, 3)).any()
        expected, weight = truth_discovery(answers, 3, result.n_iter, 1.0)
        np.testing.assert_array_equal(result.truth, expected)
        np.testing.assert_allclose(result.quality, weight, atol=1e-15)  # some weights are 0
        again, _ = truth_discovery(answers, 3, result.n_iter - 1, 1.0)
        np.testing.assert_array_equal(again, expected)  # it stops when nothing changes
        assert not weighted_vote(answers, 3, max_iter=2).converged

    @given(answer_matrices(domain=range(3)), st.randoms(use_true_random=False))
    def test_order_of_workers_and_tasks_does_not_matter(self, answers, random):
        rows, columns = (random.sample(range(k), k) for k in answers.shape)
        result, moved = weighted_vote(answers, 3), weighted_vote(answers[rows][:, columns], 3)
        np.testing.assert_array_equal(moved.truth, result.truth[columns])
        np.testing.assert_allclose(moved.quality, result.quality[rows], atol=1e-9)

    def test_first_election_and_equal_workers_give_majority(self):
        crowd = simulate_peer_grading(3)
        once = weighted_vote(crowd.answers, 2, max_iter=1)
        np.testing.assert_array_equal(once.truth, majority_vote(crowd.answers, 2))
        assert not once.converged
        equal = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])  # all agree on two of three
        result = weighted_vote(equal, 2)
        assert np.ptp(result.quality) == 0
        np.testing.assert_array_equal(result.truth, majority_vote(equal, 2))
        unanimous = np.tile([0, 2, 1], (4, 1))
        np.testing.assert_array_equal(weighted_vote(unanimous, 3).truth, [0, 2, 1])

    def test_always_wrong_worker_counts_the_other_way(self):
        answers = np.tile([0, 1, 0, 1], (4, 1))
        answers[3] = 1 - answers[3]
        weight = weighted_vote(answers, 2).quality
        np.testing.assert_allclose(weight[3], -weight[0])

    @pytest.mark.parametrize("task", [0, 7])
    def test_flipping_a_task_flips_only_its_truth(self, task):
        """Truths of fair coins are then independent fair coins, because 39 workers never tie."""
        answers = np.random.default_rng(8).integers(0, 2, (39, 20)).astype(float)
        turned = answers.copy()
        turned[:, task] = 1 - turned[:, task]
        before, after = weighted_vote(answers, 2), weighted_vote(turned, 2)
        assert np.flatnonzero(before.truth != after.truth).tolist() == [task]
        np.testing.assert_array_equal(before.quality, after.quality)

    def test_stacked_trials_are_independent(self):
        rng = np.random.default_rng(0)
        stack = np.where(rng.random((2, 5, 7, 9)) < 0.8, rng.integers(0, 3, (2, 5, 7, 9)), nan)
        stack[..., 0] = 1  # everyone answers something
        together = weighted_vote(stack, 3, max_iter=4)
        for index in np.ndindex(2, 5):
            alone = weighted_vote(stack[index], 3, max_iter=4)
            np.testing.assert_array_equal(together.truth[index], alone.truth)
            np.testing.assert_allclose(together.quality[index], alone.quality)

    def test_ties(self):
        tie = np.repeat([[0.0], [2.0], [1.0]], 3000, axis=1)
        np.testing.assert_array_equal(majority_vote(tie, 3), 0)
        np.testing.assert_array_equal(majority_vote(tie, [2, 1, 0]), 2)  # the first of the labels
        drawn = majority_vote(tie, 3, ties="random", rng=5)
        share = np.bincount(drawn.astype(int)) / 3000
        assert (np.abs(share - 1 / 3) < 4 * np.sqrt(2 / 9 / 3000)).all()
        again = majority_vote(tie, 3, ties="random", rng=np.random.default_rng(5))
        np.testing.assert_array_equal(drawn, again)
        fresh = [majority_vote(tie, 3, ties="random") for _ in range(2)]
        assert (fresh[0] != fresh[1]).any()  # equal with a probability of 3^-3000

    @pytest.mark.parametrize("vote", [majority_vote, weighted_vote])
    def test_arguments_without_effect_are_refused(self, vote):
        with pytest.raises(ValueError, match=r"^rng must be None unless"):
            vote([[0, 1]], 2, rng=0)
        with pytest.raises(ValueError, match=r"^rng must be None unless"):
            vote([[0, 1]], 2, ties="smallest", rng=np.random.default_rng(0))
        with pytest.raises(ValueError, match=r"^ties must be one of smallest, random"):
            vote([[0, 1]], 2, ties="largest")

    def test_a_draw_changes_ties_only(self):
        crowd = simulate_peer_grading(5)
        votes = np.stack([(crowd.answers == x).sum(axis=0) for x in (0, 1)])
        tied = votes[0] == votes[1]
        assert 0 < tied.sum() < 26
        drawn = np.stack([majority_vote(crowd.answers, 2, ties="random", rng=k) for k in range(60)])
        np.testing.assert_array_equal(np.ptp(drawn, axis=0) > 0, tied)

    def test_ties_do_no_harm_to_convergence(self):
        """Even crowds of coins have many ties, but no election repeats, so all of them stop."""
        answers = np.random.default_rng(6).integers(0, 2, (300, 4, 6)).astype(float)
        assert all(weighted_vote(matrix, 2, max_iter=70).converged for matrix in answers)

    def test_rounding_does_not_break_ties(self):
        """Ties do not depend on the order of workers, in which their weights are added up and rounded."""
        answers = np.array([[1.0] * 8, [0.0] * 8, [1, 1, 1, 1, 0, 0, 0, 0]])
        votes = weighted_vote(np.stack([answers, answers[::-1], answers[[2, 0, 1]]]), 2).truth
        np.testing.assert_array_equal(votes[0], votes[1])
        np.testing.assert_array_equal(votes[0], votes[2])

    @pytest.mark.parametrize("vote", [majority_vote, weighted_vote])
    @pytest.mark.parametrize("answers", [[], [nan], [[nan]], [[3]], [[-1]], [[0.5]], [[0, nan], [nan, nan]]])
    def test_bad_answers(self, vote, answers):
        with pytest.raises(ValueError, match=r"^answers must"):
            vote(answers, 3)

    @pytest.mark.parametrize(
        ("name", "value"), [("choices", 1), ("choices", [1, 1]), ("max_iter", 0), ("smoothing", 0)]
    )
    def test_bad_parameters(self, name, value):
        good = {"answers": [[0, 1]], "choices": 2, "max_iter": 3, "smoothing": 1.0}
        with pytest.raises(ValueError, match=rf"^{name} must"):
            weighted_vote(**good | {name: value})


@pytest.mark.parametrize("smoothing", [5e-324, 1e-100, 1e100, 1e308])
def test_no_smoothing_makes_anything_infinite(smoothing):
    answers = np.array([[0, 1, 2, 1], [0, 1, 2, 2], [1, 2, 0, nan]])
    result = weighted_vote(answers, 3, smoothing=smoothing)
    assert np.isfinite(result.quality).all()
    found = dawid_skene(answers, 3, max_iter=20, smoothing=smoothing)
    assert np.isfinite(found.log_likelihood)
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1)
    np.testing.assert_allclose(found.confusion.sum(axis=-1), 1)


LABELS = [
    ("no", "maybe", "yes"),
    (7, 5, 9),  # labels neither start at 0 nor are sorted
    (1, "b", 2.5),
    ((0, 1), (2, 3), (4, 5)),
    (False, "x", frozenset({1})),
]


def with_labels(matrix, labels):
    """An object array of labels, None for NULL."""
    cells = np.full(matrix.shape, None)
    for cell in zip(*np.nonzero(~np.isnan(matrix)), strict=True):
        cells[cell] = labels[int(matrix[cell])]
    return cells


def frame_of(cells, shuffle, column="answer"):
    """Tidy answers in any order, with labels of workers and tasks that sort as the rows and columns do."""
    rows = [
        {"worker": f"w{i:02}", "task": (j, "task"), column: cells[i, j]}
        for i, j in np.ndindex(cells.shape)
        if cells[i, j] is not None
    ]
    shuffle(rows)
    frame = pd.DataFrame({"worker": [row["worker"] for row in rows]})
    for name in ("task", column):  # tuples stay cells
        frame[name] = pd.Series([row[name] for row in rows], dtype=object)
    return frame


def one_by_one(values):
    return [None if value is None or value != value else value for value in values]


class TestForms:
    """Every form of answers and every labelling of choices gives the same truths."""

    @given(answer_matrices(domain=range(3)), st.sampled_from(LABELS), st.randoms(use_true_random=False))
    def test_all_forms_agree(self, matrix, labels, random):
        asked = ~np.isnan(matrix).all(axis=0)
        tasks = [(j, "task") for j in np.flatnonzero(asked)]
        workers = [f"w{i:02}" for i in range(len(matrix))]
        cells = with_labels(matrix, labels)
        frames = [frame_of(cells, random.shuffle, column) for column in ("answer", "label")]
        for vote in (weighted_vote, partial(dawid_skene, max_iter=3)):
            plain = vote(matrix, 3)
            expected = [None if np.isnan(x) else labels[int(x)] for x in plain.truth]
            assert one_by_one(vote(cells, labels).truth) == expected
            np.testing.assert_array_equal(vote(to_csr(matrix), 3).truth, plain.truth)
            for frame in frames:
                result = vote(frame, labels)
                assert result.truth.index.tolist() == tasks
                assert result.truth.index.name == "task"
                assert result.truth.tolist() == [x for x in expected if x is not None]
                if vote is weighted_vote:
                    assert result.quality.index.tolist() == workers
                    assert result.quality.index.name == "worker"
                    np.testing.assert_allclose(result.quality, plain.quality)
                else:
                    assert result.posterior.index.tolist() == tasks
                    assert result.posterior.columns.tolist() == list(labels)
                    np.testing.assert_allclose(result.posterior, plain.posterior[asked], atol=1e-12)
                    assert result.confusion.index.tolist() == [(w, x) for w in workers for x in labels]
                    assert result.confusion.columns.tolist() == list(labels)
                    confusion = result.confusion.to_numpy().reshape(-1, 3, 3)
                    np.testing.assert_allclose(confusion, plain.confusion, atol=1e-12)
                    np.testing.assert_allclose(result.prior, plain.prior, atol=1e-12)
                    assert result.prior.index.tolist() == list(labels)
        expected = majority_vote(matrix, 3)[asked]
        assert majority_vote(frames[0], labels).tolist() == [labels[int(x)] for x in expected]

    @given(answer_matrices(max_side=4, domain=range(3)))
    def test_one_worker_is_a_matrix_of_one_row(self, matrix):
        for row in matrix:
            one, alone = weighted_vote(row, 3), weighted_vote(row[None], 3)
            np.testing.assert_array_equal(one.truth, alone.truth)
            np.testing.assert_array_equal(one.truth, row)
            np.testing.assert_array_equal(one.quality, alone.quality)
            found, of_matrix = (dawid_skene(a, 3, max_iter=3) for a in (row, row[None]))
            np.testing.assert_array_equal(found.truth, of_matrix.truth)
            np.testing.assert_array_equal(found.confusion, of_matrix.confusion)

    def test_a_stack_of_labels(self):
        rng = np.random.default_rng(1)
        codes = rng.integers(0, 3, (2, 4, 5, 6))
        labels = np.array(["x", "y", "z"], dtype=object)
        result, plain = weighted_vote(labels[codes], labels), weighted_vote(codes, 3)
        np.testing.assert_array_equal(result.truth, labels[plain.truth.astype(int)])
        np.testing.assert_array_equal(result.quality, plain.quality)

    def test_only_votes_accept_stacked_trials(self):
        with pytest.raises(ValueError, match=r"^answers must be a non-empty matrix"):
            dawid_skene(np.zeros((2, 3, 4)), 2)
        with pytest.raises(
            TypeError, match=r"^answers must be a matrix or a table where choices have labels"
        ):
            weighted_vote(to_csr(np.zeros((2, 3))), ["a", "b"])

    def test_answer_outside_choices_is_named(self):
        frame = pd.DataFrame({"worker": [1, 2], "task": [1, 1], "answer": ["cat", "dgo"]})
        for vote in (majority_vote, weighted_vote, dawid_skene):
            with pytest.raises(ValueError, match=r"^answers must be in \['cat', 'dog'\] .* in row 1$"):
                vote(frame, ["cat", "dog"])

    def test_results_are_compared_by_identity(self):
        for vote in (weighted_vote, dawid_skene):
            result, other = vote([[0, 1]], 2), vote([[0, 1]], 2)
            assert result == result
            assert result != other
            assert len({result, other}) == 2


def skewed_crowd(rng, n_tasks=300):
    """Workers who report a true 1 only half of the time, but never report a false 1."""
    truth = (rng.random(n_tasks) < 0.5).astype(float)
    answers = np.where(rng.random((9, n_tasks)) < 0.4, truth, 0.0)
    answers[rng.random(answers.shape) < 0.2] = nan
    return answers, truth


@given(answer_matrices(domain=range(3)))
def test_likelihood_never_falls(answers):
    steps = [dawid_skene(answers, 3, max_iter=k, tol=0, smoothing=1e-9).log_likelihood for k in range(1, 8)]
    assert (np.diff(steps) > -1e-6).all()


@given(answer_matrices(domain=range(3)))
def test_results_are_probabilities(answers):
    result = dawid_skene(answers, 3, max_iter=5)
    np.testing.assert_allclose(result.confusion.sum(axis=-1), 1)
    assert result.prior.sum() == pytest.approx(1)
    np.testing.assert_allclose(result.posterior.sum(axis=1), 1)
    np.testing.assert_array_equal(np.isnan(result.truth), np.isnan(answers).all(axis=0))


def test_em_beats_the_majority():
    answers, truth = skewed_crowd(np.random.default_rng(0))
    result = dawid_skene(answers, 2)
    assert result.converged
    assert 1 < result.n_iter < 100
    short = dawid_skene(answers, 2, max_iter=3)
    assert (short.n_iter, short.converged) == (3, False)
    assert (majority_vote(answers, 2) != truth).mean() > 0.3
    assert (result.truth != truth).mean() < 0.05
    given_1 = result.confusion[:, 1, 1].mean()
    assert abs(given_1 - 0.4) < 0.05
    assert (result.confusion[:, 0, 0] > 0.95).all()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # crowd-kit 1.4.2 under pandas 3.1
@pytest.mark.parametrize("n_choices", [2, 4])
def test_agrees_with_crowd_kit(n_choices):
    aggregation = pytest.importorskip("crowdkit.aggregation")
    rng = np.random.default_rng(n_choices)
    truth = rng.integers(0, n_choices, 400)
    hit = rng.random((15, 400)) < rng.uniform(0.3, 0.8, (15, 1))
    answers = np.where(hit, truth, rng.integers(0, n_choices, (15, 400))).astype(float)
    answers[rng.random(answers.shape) < 0.3] = nan
    frame = to_tidy(answers).rename(columns={"answer": "label"})
    letters = list("abcd"[:n_choices])
    frame["label"] = [letters[int(label)] for label in frame["label"]]
    theirs = aggregation.DawidSkene(n_iter=500, tol=1e-12).fit(frame)
    ours = dawid_skene(frame, letters, max_iter=500, tol=1e-9, smoothing=1e-9)
    posterior = theirs.probas_.sort_index().sort_index(axis=1)
    pd.testing.assert_frame_equal(
        ours.posterior, posterior[letters], atol=1e-6, check_names=False, check_column_type=False
    )
    pd.testing.assert_series_equal(ours.truth, theirs.labels_.sort_index(), check_names=False)
    errors = theirs.errors_[letters].stack().unstack(level=1)  # rows are worker and truth, as in the package
    np.testing.assert_allclose(ours.confusion, errors.sort_index().sort_index(axis=1), atol=1e-6)
    np.testing.assert_allclose(ours.prior, theirs.priors_.sort_index(), atol=1e-6)


@pytest.mark.parametrize("answers", [[], [nan], [[nan]], [[3]], [[0.5]], [[0, nan], [nan, nan]], [[[0, 1]]]])
def test_bad_answers(answers):
    with pytest.raises(ValueError, match=r"^answers must"):
        dawid_skene(answers, 3)


@pytest.mark.parametrize(
    ("name", "value"), [("choices", 1), ("choices", [1, 1]), ("max_iter", 0), ("tol", -1), ("smoothing", 0)]
)
def test_bad_parameters(name, value):
    good = {"answers": [[0, 1]], "choices": 2, "max_iter": 3, "tol": 0.1, "smoothing": 1.0}
    with pytest.raises(ValueError, match=rf"^{name} must"):
        dawid_skene(**good | {name: value})
