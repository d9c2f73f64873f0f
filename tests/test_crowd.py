"""A crowd's answers: all forms agree and are returned in kind; other input is refused by name."""

import contextlib

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from strategies import answer_matrices

import ldpbook
from ldpbook._crowd import choice_labels, n_choices, read_cells, read_matrix, to_csr
from ldpbook.mechanism import AnswerMechanism, Mechanism

nan = np.nan
DOMAIN = range(10)
LABELS = {
    "strings": ("yes", "no", "perhaps"),
    "integers": (7, 3, 11),
    "tuples": ((0, 1), (1, 0), (1,)),
    "mixed": ("x", 2, (3, 4)),
    "dates": tuple(pd.to_datetime(["2020-01-01", "2019-01-01", "2021-01-01"])),
}


def tidy(matrix, column="answer", shuffled=0):
    """One row per answer in any order; workers and tasks have names that sort like their numbers."""
    rows, columns = np.nonzero(~np.isnan(matrix))
    frame = pd.DataFrame(
        {
            "worker": [f"w{row:03}" for row in rows],
            "task": [f"t{task:03}" for task in columns],
            column: matrix[rows, columns],
        }
    )
    return frame.sample(frac=1, random_state=shuffled)


def forms(matrix):
    """The same answers in every form; every task of the matrix must have an answer."""
    rows, columns = np.nonzero(~np.isnan(matrix))
    entries = sp.coo_array((matrix[rows, columns], (rows, columns)), matrix.shape)
    yield matrix
    yield matrix.tolist()
    yield np.where(np.isnan(matrix), None, matrix)
    yield [[pd.NA if np.isnan(cell) else cell for cell in row] for row in matrix]
    yield np.ma.masked_invalid(matrix)
    yield np.ma.masked_array(np.nan_to_num(matrix, nan=77.0), np.isnan(matrix))
    yield from (entries.asformat(name) for name in ("coo", "csr", "csc", "lil", "dok"))
    yield sp.csr_matrix(entries)
    yield tidy(matrix)
    yield tidy(matrix, "label", 1)
    yield tidy(matrix).astype({"worker": "category", "task": "string", "answer": "Int64"})
    yield tidy(matrix).assign(seconds=1.0)
    if len(matrix) == 1:
        yield matrix[0]
        yield matrix[0].tolist()
        yield pd.Series(matrix[0])


def all_answered(matrix):
    return matrix[:, ~np.isnan(matrix).all(axis=0)]


@given(answer_matrices())
def test_all_forms_agree(matrix):
    matrix = all_answered(matrix)
    for answers in forms(matrix):
        np.testing.assert_array_equal(read_matrix(answers)[0], matrix)
        cells = read_cells(answers)
        np.testing.assert_array_equal(cells.matrix(), matrix)
        assert cells.csr().nnz == np.isfinite(matrix).sum()
        np.testing.assert_array_equal(read_matrix(cells.csr())[0], matrix)


@given(answer_matrices())
def test_answers_return_in_their_original_form(matrix):
    matrix = all_answered(matrix)
    for answers in forms(matrix):
        cells = read_cells(answers)
        back = cells.with_answers(cells.answer)
        if isinstance(answers, pd.DataFrame):
            column = "label" if "label" in answers else "answer"
            expected = answers[["worker", "task", column]].astype({column: float})
            pd.testing.assert_frame_equal(back, expected)
            complete = cells.form.answers(matrix)
            assert len(complete) == matrix.size
            np.testing.assert_array_equal(complete[column], matrix.ravel())
        elif sp.issparse(answers):
            assert isinstance(back, sp.csr_array)
            assert back.shape == answers.shape
            np.testing.assert_array_equal(read_matrix(back)[0], matrix)
        else:
            np.testing.assert_array_equal(back, matrix.reshape(np.shape(answers)))


MECHANISMS = {
    "LP": lambda n: ldpbook.LaplacePerturbation(1.0, DOMAIN),
    "RR": lambda n: ldpbook.RandomizedResponse(1.0, DOMAIN),
    "MF": lambda n: ldpbook.MatrixFactorization(
        1.0, DOMAIN, ldpbook.sparse_answers.random_profile(2, n, 0), ridge=0.5
    ),
}


@pytest.mark.parametrize("name", MECHANISMS)
@given(answer_matrices())
def test_one_seed_agrees_across_forms(name, matrix):
    matrix = all_answered(matrix)
    mechanism = MECHANISMS[name](matrix.shape[1])
    expected = mechanism.perturb(matrix, 5)
    for answers in forms(matrix):
        is_table = isinstance(answers, pd.DataFrame)
        lists = {"workers": "observed", "tasks": "observed"} if is_table else {}
        out = mechanism.perturb(answers, 5, **lists)
        if is_table:
            np.testing.assert_array_equal(out.iloc[:, 2], expected.ravel())
            pairs = [(f"w{row:03}", f"t{task:03}") for row, task in np.ndindex(matrix.shape)]
            assert list(zip(out["worker"], out["task"], strict=True)) == pairs
        elif sp.issparse(answers):
            assert (out != to_csr(expected)).nnz == 0
            assert out.nnz == np.isfinite(expected).sum()
        else:
            np.testing.assert_array_equal(out, expected.reshape(np.shape(answers)))


def test_contract_of_all_mechanisms():
    kept: list[Mechanism] = [make(3) for make in MECHANISMS.values()]
    assert all(isinstance(mechanism, AnswerMechanism) for mechanism in kept)
    with pytest.raises(TypeError, match="abstract"):
        AnswerMechanism()


def test_results_carry_their_labels():
    frame = pd.DataFrame({"worker": list("bab"), "task": ["y", "x", "x"], "answer": [1, 2, 3]})
    matrix, form = read_matrix(frame)
    np.testing.assert_array_equal(matrix, [[2, nan], [3, 1]])
    assert form.of_tasks(np.array([0.0, 1.0]), "truth").to_dict() == {"x": 0.0, "y": 1.0}
    assert form.of_workers(np.array([0.0, 1.0]), "quality").to_dict() == {"a": 0.0, "b": 1.0}
    assert form.rows_of_workers(np.eye(2)).loc["b"].tolist() == [0.0, 1.0]
    values = np.array([4.0, 5.0])
    _, plain = read_matrix([[1, 2], [3, 4]])
    assert plain.of_tasks(values, "truth") is plain.of_workers(values, "quality") is values
    assert plain.rows_of_workers(values) is values


def test_labels_sort_by_value_not_category_order():
    task = pd.Categorical(["late", "early"], categories=["never", "late", "early"], ordered=True)
    frame = pd.DataFrame({"worker": [(1, "b"), (0, "a")], "task": task, "answer": [1, 2]})
    matrix, form = read_matrix(frame)
    np.testing.assert_array_equal(matrix, [[2, nan], [nan, 1]])
    assert list(form.tasks) == ["early", "late"]
    assert list(form.workers) == [(0, "a"), (1, "b")]
    matrix, form = read_matrix(frame, tasks="categories")
    np.testing.assert_array_equal(matrix, [[2, nan, nan], [nan, 1, nan]])
    assert list(form.tasks) == ["early", "late", "never"]


def test_stored_zero_is_answer_and_unstored_is_null():
    entries = sp.csr_array((np.array([0.0, 3.0]), np.array([1, 0]), np.array([0, 1, 2])), (2, 3))
    np.testing.assert_array_equal(read_matrix(entries)[0], [[nan, 0, nan], [3, nan, nan]])


def test_stacked_matrices_come_below_each_other():
    stack = np.arange(24.0).reshape(2, 3, 4)
    matrix, form = read_matrix(stack, stacked=True)
    np.testing.assert_array_equal(matrix, stack.reshape(6, 4))
    np.testing.assert_array_equal(form.answers(matrix), stack)
    with pytest.raises(ValueError, match=r"^answers "):
        read_matrix(stack)


def test_a_matrix_of_floats_is_not_copied():
    matrix = np.ones((3, 2))
    assert read_matrix(matrix)[0] is matrix


class TestChoices:
    @pytest.mark.parametrize("kind", LABELS)
    @given(data=st.data())
    def test_labels_of_any_type_in_every_form(self, kind, data):
        labels = LABELS[kind]
        codes = all_answered(data.draw(answer_matrices(max_side=4, domain=range(3))))
        symbols = np.fromiter([*labels, None], object)
        cells = symbols[np.where(np.isnan(codes), 3, codes).astype(int)]
        frame = tidy(codes)
        answers = np.empty(len(frame), dtype=object)
        answers[:] = symbols[frame["answer"].astype(int)]
        given_forms = [cells, cells.tolist(), frame.assign(answer=answers)]
        if len(codes) == 1:
            given_forms += [cells[0], cells[0].tolist()]
        for given_ in given_forms:
            matrix, form = read_matrix(given_, choices=labels)
            np.testing.assert_array_equal(matrix, codes)
            back = form.answers(matrix)
            if isinstance(given_, pd.DataFrame):
                found = [None if pd.isna(x) else x for x in back["answer"]]
                assert found == cells.ravel().tolist()
                read = read_cells(given_, choices=labels)
                assert read.with_answers(read.answer)["answer"].tolist() == answers.tolist()
            else:
                assert back.tolist() == (cells if back.ndim == 2 else cells[0]).tolist()

    @pytest.mark.parametrize("dtype", ["category", "string", object, "str"])
    def test_pandas_types_of_labels(self, dtype):
        frame = pd.DataFrame({"worker": [1, 1, 2], "task": [1, 2, 1], "label": ["b", "a", "b"]})
        matrix, form = read_matrix(frame.astype({"label": dtype}), choices=["a", "b"])
        np.testing.assert_array_equal(matrix, [[1, 0], [1, nan]])
        found = form.answers(matrix)["label"]
        assert found.tolist()[:3] == ["b", "a", "b"]
        assert found.isna().tolist() == [False] * 3 + [True]
        row = pd.Series(["b", None, "a"], dtype=dtype)
        np.testing.assert_array_equal(read_matrix(row, choices=["a", "b"])[0], [[1, nan, 0]])

    def test_integer_labels_stay_integers_in_a_frame(self):
        frame = pd.DataFrame({"worker": [1], "task": [1], "answer": [5]})
        matrix, form = read_matrix(frame, choices=[4, 5])
        assert form.answers(matrix)["answer"].dtype == np.int64

    def test_null_is_none_nan_or_na(self):
        matrix, form = read_matrix([["a", None, nan, pd.NA, pd.NaT]], choices=["a", "b"])
        np.testing.assert_array_equal(matrix, [[0, nan, nan, nan, nan]])
        assert form.answers(matrix).tolist() == [["a", None, None, None, None]]

    def test_masked_labels_are_null(self):
        masked = np.ma.masked_array([["a", "b"]], [[False, True]])
        np.testing.assert_array_equal(read_matrix(masked, choices=["a", "b"])[0], [[0, nan]])

    def test_elected_choices_go_by_their_labels(self):
        _, form = read_matrix([["a", "b"]], choices=["a", "b"])
        assert form.elected(np.array([1.0, nan])).tolist() == ["b", None]
        frame = pd.DataFrame({"worker": [1, 1], "task": ["x", "y"], "answer": ["a", "b"]})
        _, form = read_matrix(frame, choices=["a", "b"])
        assert form.elected(np.array([1.0, 0.0])).to_dict() == {"x": "b", "y": "a"}

    def test_whatever_holds_labels_is_taken(self):
        for labels in ({"a": 1, "b": 2}, {"a": 1, "b": 2}.keys(), iter("ab"), pd.Series(["a", "b"]).unique()):
            assert choice_labels(labels) == ("a", "b")
        assert set(choice_labels({"a", "b"})) == {"a", "b"}

    def test_a_number_of_choices(self):
        assert n_choices(3) == 3
        assert choice_labels(3) is None
        np.testing.assert_array_equal(read_matrix([[0, 2, nan]], choices=3)[0], [[0, 2, nan]])
        with pytest.raises(ValueError, match=r"^answers must be integers in 0\.\.2"):
            read_matrix([[3]], choices=3)

    def test_arrays_of_labels_become_labels_of_python(self):
        for labels in (np.array([3, 4]), pd.Index([3, 4]), pd.Series([3, 4]), range(3, 5)):
            assert choice_labels(labels) == (3, 4)
            assert all(type(label) is int for label in choice_labels(labels))

    @pytest.mark.parametrize(
        "choices", [[], ["a"], ["a", "a"], [0, False], ["a", None], ["a", nan], ["a", pd.NA], 1, 0, -3]
    )
    def test_bad_choices(self, choices):
        with pytest.raises(ValueError, match=r"^choices must be"):
            n_choices(choices)

    @pytest.mark.parametrize("choices", [None, "ab", b"ab", 2.0, True, [["a"], ["b"]], np.eye(2)])
    def test_choices_of_a_wrong_type(self, choices):
        with pytest.raises(TypeError, match=r"^choices must be"):
            n_choices(choices)

    @pytest.mark.parametrize(
        "answers",
        [
            [["a", "c"]],
            [["a"], ["a", "b"]],
            [["a", ["b"]]],
            [[{}]],
            [[]],
            [],
            None,
            "ab",
            1,
            [[None]],
            [[0]],
            [[[("a",)]]],
            sp.csr_array([[1.0, 0.0]]),
            pd.DataFrame({"worker": [1], "task": [1], "answer": ["c"]}),
            pd.DataFrame({"worker": [1], "task": [1], "answer": [None]}),
            pd.DataFrame({"worker": [1], "task": [1], "answer": [["a"]]}),
        ],
    )
    @pytest.mark.parametrize("choices", [("a", "b"), ("a", ("b", "c"))])
    def test_answers_outside_the_choices(self, answers, choices):
        with pytest.raises((ValueError, TypeError), match=r"^answers must "):
            read_matrix(answers, choices=choices)


def frame(**columns):
    n = max((len(column) for column in columns.values()), default=2)
    return pd.DataFrame({"worker": range(n), "task": range(n), "answer": [1.0] * n} | columns)


WRONG = {
    "empty": [],
    "no task": [[]],
    "no worker": np.zeros((0, 3)),
    "a number": 3.0,
    "nothing": None,
    "a word": "abc",
    "words": [["a"]],
    "a mapping": {1: 2},
    "an object": object(),
    "a generator": (x for x in [1, 2]),
    "lengths": [[1, 2], [3]],
    "a stack": [[[1.0]]],
    "infinite": [[1, np.inf]],
    "huge": [[10**400]],
    "null": [[nan, None]],
    "an empty row": [[1.0, 2.0], [nan, nan]],
    "imaginary": np.array([[1j]]),
    "imaginary list": [[1j]],
    "dates": np.array([["2020-01-01"]], dtype="datetime64[D]"),
    "all masked": np.ma.masked_array([[1.0]], [[True]]),
    "no column": pd.DataFrame(),
    "wide frame": pd.DataFrame([[1.0, 2.0]]),
    "no rows": frame(worker=[], task=[], answer=[]),
    "two columns": pd.concat([frame(), frame()[["answer"]]], axis=1),
    "two workers": pd.concat([frame(), frame()[["worker"]]], axis=1),
    "twice": frame(worker=[1, 1], task=[1, 1]),
    "twice zero": frame(worker=[1, 1], task=[1, 1], answer=[0.0, 0.0]),
    "no answer": frame(answer=[nan, 1.0]),
    "NA answer": frame(answer=pd.array([1, None], dtype="Int64")),
    "infinite answer": frame(answer=[np.inf, 1.0]),
    "words in a frame": frame(answer=["a", "b"]),
    "dates in a frame": frame(answer=pd.to_datetime(["2020", "2021"])),
    "imaginary frame": frame(answer=[1j, 1.0]),
    "no worker's name": frame(worker=[None, "a"]),
    "no task's name": frame(task=pd.array([1, None], dtype="Int64")),
    "unhashable": frame(worker=[["a"], ["b"]]),
    "no entry": sp.csr_array((2, 3)),
    "duplicates": sp.coo_array(([1.0, 2.0], ([0, 0], [0, 0])), (1, 1)),
    "duplicates in rows": sp.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), (1, 1)),
    "an empty sparse row": sp.coo_array(([1.0], ([0], [0])), (2, 1)),
    "stored nan": sp.coo_array(([nan], ([0], [0])), (1, 1)),
    "stored infinity": sp.coo_array(([np.inf], ([0], [0])), (1, 1)),
    "sparse imaginary": sp.csr_array([[1j]]),
    "one sparse axis": sp.coo_array([1.0, 0.0, 2.0]),
}
with contextlib.suppress(ValueError):  # scipy has these only from 1.15
    WRONG["three sparse axes"] = sp.coo_array(np.ones((1, 2, 2)))


@pytest.mark.parametrize("kind", WRONG)
def test_non_crowds_are_refused_by_name(kind):
    for function in (
        read_matrix,
        read_cells,
        ldpbook.foundations.to_tidy,
        ldpbook.infer_truth,
    ):
        with pytest.raises((ValueError, TypeError), match=r"^answers must "):
            function(WRONG[kind])


def test_frame_with_missing_columns_names_them():
    with pytest.raises(
        ValueError, match=r"columns worker, task, answer \(or label\), got 0 with the name task$"
    ):
        read_matrix(pd.DataFrame({"worker": [1], "note": [1]}))


@pytest.mark.parametrize("dtype", [float, object])
def test_masked_cells_of_every_type_are_nan(dtype):
    """This includes a matrix that is read by itself, like that of threshold reports."""
    reports = np.ma.array([[1, 0], [0, 1]], mask=[[False, True], [False, False]], dtype=dtype)
    survey = ldpbook.remedies.Survey.start(2, epsilon=1.0, domain=range(3))
    assert survey.add(reports, 0.5).counts[0].tolist() == [[1, 1, 0], [0, 1, 1]]
