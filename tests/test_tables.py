"""Odd tables: each gives the right result, or an error with the place of the fault but not its value."""

import datetime as dt
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

from ldpbook import LaplacePerturbation, OneLayerFlip, RandomizedResponse, ThresholdResponse, infer_truth
from ldpbook._tables import is_table, read_table
from ldpbook.categorical_answers import dawid_skene, decode_choices, majority_vote, weighted_vote
from ldpbook.class_ratios import ClassRatioEstimator, ratio_intervals
from ldpbook.practice import ReportPlan, write_reports
from ldpbook.remedies import Survey, decode, infer_from_reports
from ldpbook.whole_worker import AskedQuestions, row_p_values

nan = np.nan
ROWS = {
    "worker": ["w3", "w1", "w2", "w1"],
    "task": ["b", "a", "a", "b"],
    "label": ["dog", "cat", "dog", "cat"],
}
MATRIX = [["cat", "cat"], ["dog", None], [None, "dog"]]
CHOICES = ["cat", "dog"]
LISTS = {"workers": ["w1", "w2", "w3"], "tasks": ["a", "b"]}
KEPT = OneLayerFlip.with_probability(1e-12, CHOICES)
KEPT_NULL = OneLayerFlip.with_probability(1e-12, CHOICES, null_is_symbol=True)
RESPONSE = RandomizedResponse(40.0, range(3))
FLIP = OneLayerFlip.with_probability(0.2, CHOICES)
DRAWS = pytest.mark.parametrize("draw", [{"rng": 0}, {"entropy": bytes}], ids=["study", "release"])


class Subclass(pd.DataFrame):
    """A subclass of pandas' frame, as other packages define one."""

    @property
    def _constructor(self):
        return Subclass


def pandas_frame(**types):
    return pd.DataFrame(ROWS, index=[10, 20, 5, 7]).astype(types)


def polars_frame(**types):
    pl = pytest.importorskip("polars")
    return pl.DataFrame(ROWS).with_columns(pl.col(name).cast(kind(pl)) for name, kind in types.items())


def arrow_table(change=lambda pa, column: column):
    pa = pytest.importorskip("pyarrow")
    return pa.table({name: change(pa, pa.array(column)) for name, column in ROWS.items()})


def arrow_types(name):
    pa = pytest.importorskip("pyarrow")
    return dict.fromkeys(ROWS, "string[pyarrow]" if name == "string" else pd.ArrowDtype(pa.string()))


def categorical(ordered):
    types = {"worker": ["w9", "w3", "w2", "w1"], "task": ["b", "z", "a"], "label": ["dog", "cow", "cat"]}
    return {name: pd.CategoricalDtype(labels, ordered) for name, labels in types.items()}


def with_index(names):
    frame = pd.DataFrame(ROWS).set_index(["worker", "task"], drop=False)
    return frame.rename_axis(names)


FORMS = {
    "pandas": pandas_frame,
    "more columns": lambda: pandas_frame().assign(seconds=1.0)[["label", "seconds", "task", "worker"]],
    "categories": lambda: pandas_frame(**categorical(False)),
    "ordered categories": lambda: pandas_frame(**categorical(True)),
    "string": lambda: pandas_frame(**dict.fromkeys(ROWS, "string")),
    "objects": lambda: pandas_frame(**dict.fromkeys(ROWS, object)),
    "string of pyarrow": lambda: pandas_frame(**arrow_types("string")),
    "pyarrow's type": lambda: pandas_frame(**arrow_types("arrow")),
    "sparse column": lambda: pandas_frame(label=pd.SparseDtype(object, None)),
    "subclass": lambda: Subclass(pandas_frame()),
    "index of labels": lambda: with_index([None, None]),
    "index of their names": lambda: with_index(["worker", "task"]),
    "polars": polars_frame,
    "polars categorical": lambda: polars_frame(**dict.fromkeys(ROWS, lambda pl: pl.Categorical)),
    "polars named": lambda: polars_frame(worker=lambda pl: pl.Categorical(pl.Categories("workers"))),
    "polars enum": lambda: polars_frame(
        worker=lambda pl: pl.Enum(["w9", "w3", "w2", "w1"]), label=lambda pl: pl.Enum(["dog", "cat", "cow"])
    ),
    "narwhals": lambda: nw.from_native(polars_frame()),
    "pyarrow": arrow_table,
    "chunks": lambda: arrow_table(lambda pa, column: pa.chunked_array([column[:1], column[1:]])),
    "dictionary": lambda: arrow_table(lambda pa, column: column.dictionary_encode()),
    "bytes": lambda: arrow_table().append_column("photo", [[b"1"] * 4]),
}
EVERY_FORM = pytest.mark.parametrize("form", FORMS)


def rows_of(table, *columns):
    """Contents of the rows, None for NULL."""
    columns = columns or ("worker", "task", "label")
    if isinstance(table, pd.DataFrame):
        given = [table[name].astype(object).tolist() for name in columns]
    else:
        given = [
            nw.from_native(table, eager_only=True, pass_through=False)[name].to_list() for name in columns
        ]
    return [tuple(None if pd.isna(x) else x for x in row) for row in zip(*given, strict=True)]


def found(result):
    """The values of a result, by label."""
    if isinstance(result, pd.Series):
        return result.to_dict()
    frame = nw.from_native(result, eager_only=True)
    return dict(zip(*(frame[column].to_list() for column in frame.columns), strict=True))


def library(table):
    return nw.from_native(table, eager_only=True).implementation


@DRAWS
@EVERY_FORM
def test_rows_return_in_order_if_null_stays(form, draw):
    table = FORMS[form]()
    out = KEPT.perturb(table, **draw)
    assert rows_of(out) == rows_of(table)
    assert nw.from_native(out, eager_only=True).columns == ["worker", "task", "label"]
    for name in ("worker", "task"):
        before, after = (nw.from_native(x, eager_only=True)[name].dtype for x in (table, out))
        assert before == after
    if isinstance(table, pd.DataFrame):
        assert type(out) is type(table)
        assert out.index.equals(table.index)
        assert (out[["worker", "task"]].dtypes == table[["worker", "task"]].dtypes).all()
        assert table.assign(private=out["label"])["private"].tolist() == ROWS["label"]
    else:
        assert library(out) == library(table)


@DRAWS
@EVERY_FORM
def test_every_pair_has_row_if_null_is_symbol(form, draw):
    table = FORMS[form]()
    out = KEPT_NULL.perturb(table, **draw, **LISTS)
    pairs = [(w, t) for w in LISTS["workers"] for t in LISTS["tasks"]]
    assert rows_of(out) == [(*pair, x) for pair, x in zip(pairs, np.ravel(MATRIX), strict=True)]
    if not isinstance(table, pd.DataFrame):
        assert library(out) == library(table)
        return
    assert list(out.index) == pairs
    # No index aligns by accident: the user's own index of labels does, any other gives nothing.
    private = table.rename_axis(table.index.names if table.index.nlevels == 1 else [None, None]).assign(
        private=out["label"]
    )["private"]
    expected = ROWS["label"] if table.index.nlevels == 2 else [None] * 4
    assert [None if pd.isna(x) else x for x in private] == expected


@EVERY_FORM
def test_every_form_is_read_equally(form):
    table = FORMS[form]()
    for vote in (majority_vote, lambda *given: weighted_vote(*given).truth):
        assert found(vote(table, CHOICES)) == dict(zip("ab", vote(MATRIX, CHOICES), strict=True))
    pairs = [
        (weighted_vote(x, CHOICES).quality, dawid_skene(x, CHOICES), decode_choices(x, FLIP))
        for x in (table, MATRIX)
    ]
    (quality, skene, decoded), (of_matrix, skene_of_matrix, decoded_of_matrix) = pairs
    assert found(quality) == dict(zip(LISTS["workers"], of_matrix, strict=True))
    assert found(skene.truth) == dict(zip("ab", skene_of_matrix.truth, strict=True))
    assert found(skene.prior) == dict(zip(CHOICES, skene_of_matrix.prior, strict=True))
    assert found(decoded.accuracy) == dict(zip(LISTS["workers"], decoded_of_matrix.accuracy, strict=True))
    columns = [np.array(rows_of(x, *CHOICES)) for x in (skene.posterior, skene.confusion)]
    assert np.array_equal(columns[0], skene_of_matrix.posterior)
    assert np.array_equal(columns[1], skene_of_matrix.confusion.reshape(-1, 2))
    assert library(skene.posterior) == library(table)


NUMBERS = {"worker": ROWS["worker"], "task": ROWS["task"], "answer": [2, 1, 2, None]}
NUMBER_FORMS = {
    "float64": lambda: pd.DataFrame(NUMBERS),
    **{
        name: lambda name=name: pd.DataFrame(NUMBERS).astype({"answer": name})
        for name in ("Int64", "UInt8", "Float32", "object", "category")
    },
    "sparse": lambda: pd.DataFrame(NUMBERS).astype({"answer": pd.SparseDtype(float)}),
    "pyarrow's int64": lambda: (
        pytest.importorskip("pyarrow") and pd.DataFrame(NUMBERS).astype({"answer": "int64[pyarrow]"})
    ),
    "decimals": lambda: pd.DataFrame(NUMBERS | {"answer": [Decimal(2), Decimal(1), Decimal("2.0"), None]}),
    "polars": lambda: pytest.importorskip("polars").DataFrame(NUMBERS),
    "polars nan": lambda: pytest.importorskip("polars").DataFrame(NUMBERS | {"answer": [2.0, 1.0, 2.0, nan]}),
    "pyarrow": lambda: pytest.importorskip("pyarrow").table(NUMBERS),
}


@pytest.mark.parametrize("form", NUMBER_FORMS)
def test_numbers_of_every_type_are_read_equally(form):
    table, matrix = NUMBER_FORMS[form](), [[1, nan], [2, nan], [nan, 2]]
    assert found(infer_truth(table).truth) == dict(zip("ab", infer_truth(matrix).truth, strict=True))
    response = RandomizedResponse(1.0, range(3))
    assert found(decode(table, response).truth) == dict(
        zip("ab", decode(matrix, response).truth, strict=True)
    )
    out = RESPONSE.perturb(table, entropy=bytes, **LISTS)
    assert [x for *_, x in rows_of(out, "worker", "task", "answer")] == [1, None, 2, None, None, 2]
    assert rows_of(OneLayerFlip.with_probability(1e-12, 3).perturb(table, entropy=bytes), "answer") == [
        (2,),
        (1,),
        (2,),
        (None,),
    ]


# --- Labels, never an order, assign values to tasks. ---

ORDERS = {"by labels": ["a", "b"], "the other way round": ["b", "a"]}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("make", [ThresholdResponse, AskedQuestions], ids=["a cell", "a row"])
def test_thresholds_go_to_the_task_that_they_name(order, make):
    table = pd.DataFrame({"worker": [1, 2, 1, 2], "task": ["b", "a", "a", "b"], "answer": [1, 1, 1, 1]})
    tasks = ORDERS[order]
    limits = pd.Series({task: {"a": 0.5, "b": 2.5}[task] for task in tasks})
    mechanism = make(60.0) if make is ThresholdResponse else make(60.0, 2)
    out = mechanism.perturb(table, limits, 0, workers=[1, 2], tasks=tasks)
    assert set(zip(out["task"], out["answer"], strict=True)) == {
        ("a", 1),
        ("b", 0 if make is ThresholdResponse else -1),
    }
    for wrong in ([0.5, 2.5], np.array([0.5, 2.5]), [[0.5, 2.5]] * 2):
        with pytest.raises(TypeError, match=r"^thresholds must be one number, or a Series by task"):
            mechanism.perturb(table, wrong, 0, workers=[1, 2], tasks=tasks)
    for wrong in (limits.rename({"a": "c"}), limits[:1], pd.concat([limits, limits[:1]])):
        with pytest.raises(ValueError, match=r"^thresholds must be a Series with a value for each task"):
            mechanism.perturb(table, wrong, 0, workers=[1, 2], tasks=tasks)
    with pytest.raises(ValueError, match=r"^thresholds must be an array where answers are one"):
        mechanism.perturb([[1, 1], [1, 1]], limits, 0)


def test_densities_go_to_the_task_that_they_name():
    mechanism = LaplacePerturbation(50.0, range(5))
    table = pd.DataFrame({"worker": [*range(400)] * 2, "task": ["b"] * 400 + ["a"] * 400})
    table["answer"] = [1.0] * 400 + [1.0] * 200 + [nan] * 200
    reports = mechanism.perturb(table, 1, workers=range(400), tasks=["b", "a"])
    for tasks in ("ab", "ba"):
        density = pd.Series({task: {"a": 0.5, "b": 1.0}[task] for task in tasks})
        found = decode(reports, mechanism, density=density)
        assert ((found.truth - 1).abs() < 4 * found.error).all()
        assert found.density.to_dict() == {"a": 0.5, "b": 1.0}
    with pytest.raises(TypeError, match=r"^density must be one number, or a Series by task"):
        decode(reports, mechanism, density=[0.5, 1.0])


def test_proportions_go_to_the_class_that_they_name():
    rng = np.random.default_rng(0)
    sets = [
        np.eye(2)[rng.permutation(np.repeat([0, 1], counts))] for counts in ((90, 10), (10, 90), (30, 70))
    ]
    one, two = pd.Series({"no": 0.9, "yes": 0.1}), pd.Series({"yes": 0.9, "no": 0.1})
    for known in ([one, two], [one, two[["no", "yes"]]], pd.DataFrame([one, two]), [[0.9, 0.1], [0.1, 0.9]]):
        fitted = ClassRatioEstimator(bandwidth=1.0).fit(sets[:2], known)
        assert np.allclose(fitted.predict(sets[2:]), [[0.3, 0.7]])
        found = ratio_intervals(sets[:2], known, sets[2])
        assert np.allclose(found["ratio"], [0.3, 0.7], atol=1e-3)
    for wrong in ([one, two.rename({"no": "No"})], [one, [0.1, 0.9]], [one, pd.concat([two, two])]):
        with pytest.raises(ValueError, match=r"^proportions must be of the same classes in every set"):
            ClassRatioEstimator(bandwidth=1.0).fit(sets[:2], wrong)
        with pytest.raises(ValueError, match=r"^proportions must be of the same classes in every set"):
            ratio_intervals(sets[:2], wrong, sets[2])


@pytest.mark.parametrize("of", ["pandas", "polars", "pyarrow"])
def test_thresholds_per_cell_refuse_tables_as_matrices(of, tmp_path):
    """All columns could be read as reports, and the workers' ids as answers."""
    table = getattr(pytest.importorskip(of), "table" if of == "pyarrow" else "DataFrame")
    reports = table({"worker": [0, 1], "task": [0, 1], "answer": [1, 0]})
    plan = ReportPlan(RandomizedResponse(1.0, range(3)), range(3), 3)
    for call in (
        lambda: infer_from_reports(reports, 1.5, epsilon=1.0, domain=range(4)),
        lambda: Survey.start(3, epsilon=1.0, domain=range(4)).add(reports, 1.5),
        lambda: row_p_values(reports, epsilon=1.0, n_symbols=3),
        lambda: write_reports(tmp_path / "a.parquet", reports, plan),
    ):
        with pytest.raises(TypeError, match=r"^(answers|reports) must be a matrix.*got a table: pivot it"):
            call()


def test_text_is_not_an_array_of_labels():
    for answers in ("cat", b"cat", 3):
        with pytest.raises(TypeError, match=r"^answers must be an array or a table"):
            FLIP.perturb(answers)


# --- Refusals, and the places that they name. ---

BASE = pd.DataFrame(ROWS)
TWO_LEVELS = pd.MultiIndex.from_product([["worker", "task", "label"], [""]])
REFUSED = {
    "two columns of workers": (lambda: pd.concat([BASE, BASE[["worker"]]], axis=1), "columns worker, task"),
    "both label and answer": (lambda: BASE.assign(answer=1), "got both answer and label"),
    "levels of columns": (lambda: BASE.set_axis(TWO_LEVELS, axis=1), "columns worker, task"),
    "other case": (lambda: BASE.rename(columns=str.title), "columns worker, task"),
    "labels in the index alone": (lambda: BASE.set_index(["worker", "task"]), "columns worker, task"),
    "twice": (lambda: pd.concat([BASE, BASE.iloc[[1]]]), "got rows 1 and 4 of one"),
    "twice, of one without an answer": (
        lambda: pd.concat([BASE, BASE[1:2].assign(label=None)]),
        "rows 1 and 4",
    ),
    "no worker": (
        lambda: BASE.assign(worker=["w1", "w2", None, "w1"]),
        "worker in every row, got none in row 2",
    ),
    "nan among objects": (
        lambda: BASE.assign(task=pd.Series(["a", nan, 1, "b"], dtype=object)),
        "none in row 1",
    ),
    "NA": (lambda: BASE.assign(task=pd.array([1, 2, 3, pd.NA], dtype="Int64")), "task .*none in row 3"),
    "not a time": (lambda: BASE.assign(task=pd.to_datetime(["2020", None, "2021", "2022"])), "none in row 1"),
    "labels without a hash": (
        lambda: BASE.assign(worker=[[1], [2], [3], [4]]),
        "workers that hash, and sort",
    ),
    "a file without a header": (
        lambda: BASE.set_axis(["secret", "task", "label"], axis=1),
        "0 with the name w",
    ),
    "no choice": (lambda: BASE.assign(label=["dog", "cat", "secret", "dog"]), "got another in row 2"),
    "no rows": (lambda: BASE[:0], "one row or more"),
    "a wide frame": (lambda: pd.DataFrame([["cat", "dog"]]), "columns worker, task"),
    "lazy": (lambda: polars_frame().lazy(), "collected"),
    "lazy, and failing": (lambda: polars_frame().lazy().select("no such column"), "collected"),
    "lazy by another": (lambda: pytest.importorskip("duckdb").sql("select 1 as worker"), "collected"),
    "a batch of rows": (lambda: arrow_table().to_batches()[0], "array or a tidy table"),
    "polars without rows": (lambda: polars_frame()[:0], "one row or more"),
    "polars without a worker": (lambda: polars_frame().with_columns(worker=None), "none in row 0"),
    "no choice in polars": (lambda: polars_frame(label=lambda pl: pl.Binary), "another in row 0"),
    "columns in a dictionary": (lambda: dict(ROWS), "array or a table, got dict"),
    "rows in dictionaries": (lambda: BASE.to_dict("records"), "another in column 0"),
    "named fields": (lambda: BASE.to_records(), "array or a table, got recarray"),
    "a generator": (lambda: (row for row in MATRIX), "array or a table, got generator"),
    "a view": (lambda: {"cat": 1}.keys(), "array or a table, got dict_keys"),
}


OBSERVED = {"workers": "observed", "tasks": "observed"}


@pytest.mark.parametrize("kind", REFUSED)
def test_refusals_name_the_place_but_no_value(kind):
    make, place = REFUSED[kind]
    for function in (
        lambda x: KEPT.perturb(x, 0),
        KEPT.perturb,
        lambda x: KEPT_NULL.perturb(x, 0, **(OBSERVED if is_table(x) else {})),
        lambda x: majority_vote(x, CHOICES),
        lambda x: weighted_vote(x, CHOICES),
        lambda x: dawid_skene(x, CHOICES),
        lambda x: decode_choices(x, FLIP),
    ):
        with pytest.raises((ValueError, TypeError), match=place) as refused:
            function(make())
        assert "answers must" in str(refused.value)
        assert not {"w1", "w2", "w3", "secret"} & set(str(refused.value).replace("'", " ").split())


def test_numbers_that_are_refused():
    for function in (
        infer_truth,
        lambda x: decode(x, RESPONSE),
        lambda x: OneLayerFlip.with_probability(0.1, 3).perturb(x, 0),
    ):
        for odd in (np.array([(1, 1, 2)], dtype=[("worker", int), ("task", int), ("answer", int)]), NUMBERS):
            with pytest.raises(TypeError, match="answers must be an array or a table"):
                function(odd)
        with pytest.raises(ValueError, match="row 2"):
            function(pd.DataFrame(NUMBERS | {"answer": [1, 2, "personal", 2]}))


def test_list_of_pairs_names_the_missing_row():
    with pytest.raises(ValueError, match="workers must list that of every row, got another one in row 0"):
        KEPT_NULL.perturb(BASE, 0, workers=["w1", "w2"], tasks=["a", "b"])
    for workers in (["w1", "w1", "w2", "w3"], ["w1", None, "w2", "w3"], []):
        with pytest.raises(ValueError, match="workers must be one or more different labels"):
            KEPT_NULL.perturb(BASE, 0, workers=workers, tasks=["a", "b"])
    for workers in (3, 2.5):
        with pytest.raises(TypeError, match="workers must be iterable"):
            KEPT_NULL.perturb(BASE, 0, workers=workers, tasks=["a", "b"])
    with pytest.raises(TypeError, match="workers that hash, and sort"):
        KEPT_NULL.perturb(BASE.assign(worker=[[1], [2], [3], [4]]), workers=[[1], [2], [3], [4]], tasks="ab")


# --- Labels of workers and tasks. ---


@pytest.mark.parametrize(
    ("ids", "in_order"),
    [
        ([2, "1", 1, "2"], [1, 2, "1", "2"]),
        ([3.0, 1, 2, 0], [0, 1, 2, 3]),
        ([b"d", b"c", b"b", b"a"], [b"a", b"b", b"c", b"d"]),
        ([(2, "a"), (1, "b"), (1, "a"), (0,)], [(0,), (1, "a"), (1, "b"), (2, "a")]),
        ([Decimal("2.5"), Decimal(1), 2, 3], [1, 2, Decimal("2.5"), 3]),
        ([dt.date(2020, 1, k) for k in (4, 2, 3, 1)], [dt.date(2020, 1, k) for k in (1, 2, 3, 4)]),
        (list(pd.date_range("2020-03-29", periods=4, freq="h", tz="Europe/Berlin")[::-1]), None),
    ],
)
def test_listed_and_seen_labels_sort_equally(ids, in_order):
    frame = BASE.assign(worker=pd.Series(ids, dtype=object))
    in_order = ids[::-1] if in_order is None else in_order
    votes = weighted_vote(frame, CHOICES).quality
    listed = KEPT_NULL.perturb(frame, 0, workers=(x for x in ids), tasks=["a", "b"])
    seen = KEPT_NULL.perturb(frame, 0, workers="observed", tasks="observed")
    for labels in (votes.index, listed["worker"][::2], seen["worker"][::2]):
        assert list(labels) == in_order
    assert rows_of(listed) == rows_of(seen)
    assert KEPT.perturb(frame, 0)["worker"].tolist() == ids


def test_true_is_one_and_text_is_not():
    """As in Python, True == 1 == 1.0 is one worker, and "1" is another."""
    frame = BASE.assign(worker=pd.Series([True, 1, 1.0, "1"], dtype=object), task=["a", "b", "c", "a"])
    assert len(weighted_vote(frame, CHOICES).quality) == 2
    with pytest.raises(ValueError, match="rows 0 and 1 of one"):
        majority_vote(frame.assign(task="a"), CHOICES)


LABELS = {
    "array": lambda: np.array(["w2", "w1", "w3"]),
    "Series": lambda: pd.Series(["w2", "w1", "w3"]),
    "Index": lambda: pd.Index(["w2", "w1", "w3"]),
    "categories": lambda: pd.Categorical(["w2", "w1", "w3"]).categories,
    "extension array": lambda: pd.Series(["w2", "w1", "w3", "w1"]).unique(),
    "set": lambda: {"w2", "w1", "w3"},
    "keys": lambda: dict.fromkeys(["w2", "w1", "w3"]).keys(),
    "generator": lambda: (f"w{k}" for k in (2, 1, 3)),
    "polars": lambda: pytest.importorskip("polars").Series(["w2", "w1", "w3"]),
    "pyarrow": lambda: pytest.importorskip("pyarrow").array(["w2", "w1", "w3"]),
    "chunks": lambda: pytest.importorskip("pyarrow").chunked_array([["w2"], ["w1", "w3"]]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_any_container_may_list_labels(kind):
    for table in (BASE, arrow_table(), polars_frame()):
        out = KEPT_NULL.perturb(table, 0, workers=LABELS[kind](), tasks=["b", "a"])
        assert rows_of(out) == rows_of(KEPT_NULL.perturb(table, 0, **LISTS))
    flip = OneLayerFlip.with_probability(0.1, LABELS[kind]())
    assert {type(label) for label in flip.choices} == {str}
    assert set(flip.choices) == {"w1", "w2", "w3"}


def test_zero_dimensional_choices_are_refused():
    with pytest.raises(TypeError, match="choices must be iterable"):
        OneLayerFlip.with_probability(0.1, np.array(3))


def test_declared_categories_are_listed_and_present_ones_read():
    pl = pytest.importorskip("polars")
    types = {"worker": pl.Enum(["w9", "w3", "w2", "w1"]), "task": pl.Enum(["b", "a"])}
    enum = polars_frame().with_columns(pl.col(name).cast(kind) for name, kind in types.items())
    assert KEPT_NULL.perturb(enum, 0)["worker"].to_list() == sorted(["w9", "w3", "w2", "w1"] * 2)
    assert KEPT_NULL.perturb(enum, 0).schema["worker"] == types["worker"]
    assert majority_vote(enum, CHOICES)["task"].to_list() == ["a", "b"]
    frame = pandas_frame(**categorical(False))
    with pytest.raises(ValueError, match="workers must be a public list"):
        KEPT_NULL.perturb(frame, 0)
    listed = KEPT_NULL.perturb(frame, 0, workers="categories", tasks="categories")
    assert len(listed) == 4 * 3
    with pytest.raises(ValueError, match="workers must be listed where the column has no categories"):
        KEPT_NULL.perturb(BASE, 0, workers="categories", tasks="categories")


@pytest.mark.parametrize(
    "make",
    [
        lambda pl: [dt.date(2020, 1, k) for k in (4, 2, 3, 1)],
        lambda pl: [dt.datetime(2020, 1, k, tzinfo=dt.UTC) for k in (4, 2, 3, 1)],
        lambda pl: [dt.timedelta(k) for k in (4, 2, 3, 1)],
        lambda pl: [Decimal(k) / 2 for k in (4, 2, 3, 1)],
        lambda pl: [b"4", b"2", b"3", b"1"],
        lambda pl: pl.Series([4, 2, 3, 1], dtype=pl.UInt8).to_list(),
    ],
)
def test_types_of_labels_stay_in_other_libraries(make):
    pl = pytest.importorskip("polars")
    workers = make(pl)
    table = polars_frame().with_columns(worker=pl.Series(workers))
    for given in (table, table.to_arrow()):
        quality = nw.from_native(weighted_vote(given, CHOICES).quality, eager_only=True)
        assert quality["worker"].to_list() == sorted(workers)
        out = nw.from_native(KEPT_NULL.perturb(given, 0, workers=workers, tasks=["a", "b"]), eager_only=True)
        assert out["worker"].to_list() == sorted(workers * 2)
        kinds = [x["worker"].dtype for x in (quality, out, nw.from_native(given))]
        assert nw.Unknown in kinds or len(set(kinds)) == 1  # narwhals has no name for pyarrow's type of bytes


# --- Choices. ---


@pytest.mark.parametrize("null_is_symbol", [False, True])
def test_report_column_has_the_type_of_choices(null_is_symbol):
    """Reports of tables without answers can be stacked with other reports."""
    pl = pytest.importorskip("polars")
    lists = {name + "s": [1] for name in ("worker", "task")} if null_is_symbol else {}
    for choices in (["a", "b"], [False, True], [5, 7], [dt.date(2020, 1, 1), dt.date(2021, 1, 1)]):
        flip = OneLayerFlip.with_probability(1e-12, choices, null_is_symbol)
        told, silent = (
            {"worker": [1], "task": [1], "answer": pl.Series([x], dtype=pl.Series(choices).dtype)}
            for x in (choices[1], None)
        )
        for frame in (pl.DataFrame, lambda columns: pl.DataFrame(columns).to_arrow()):
            kinds = [flip.perturb(frame(x), 0, **lists) for x in (told, silent)]
            assert kinds[0].schema == kinds[1].schema
    text = OneLayerFlip.with_probability(1e-12, ["a", "b"], null_is_symbol)
    dtypes = {
        str(
            text.perturb(pd.DataFrame({"worker": [1], "task": [1], "answer": [x]}), 0, **lists)[
                "answer"
            ].dtype
        )
        for x in ("b", None)
    }
    assert len(dtypes) == 1


def test_unstorable_choices_are_refused_without_a_value():
    table = polars_frame()
    mixed = OneLayerFlip.with_probability(1e-12, ["cat", 1, "dog"])
    for draw in ({"rng": 0}, {"entropy": bytes}):
        with pytest.raises(TypeError, match="label must have labels of one type in a table of polars"):
            mixed.perturb(table, **draw)
    for choices in (["cat", "dog", "task"], ["cat", "dog", "1", 1]):
        with pytest.raises(ValueError, match="choices must be labels that differ as names of columns"):
            dawid_skene(table, choices)
    assert dawid_skene(BASE, ["cat", "dog", "task"]).posterior.shape == (2, 3)


def test_times_and_dates_are_choices():
    at = pd.date_range("2020-10-25", periods=2, freq="h", tz="Europe/Berlin")
    for choices, column in (
        (at, at[[1, 0, 1, 0]]),
        ([dt.date(2020, 1, 1), dt.date(2020, 1, 2)], [dt.date(2020, 1, k) for k in (2, 1, 2, 1)]),
    ):
        frame = BASE.assign(label=column)
        kept = OneLayerFlip.with_probability(1e-12, choices).perturb(frame, 0)
        assert kept["label"].tolist() == list(column)
        assert majority_vote(frame, choices).tolist() == [choices[0], choices[0]]


# --- Odd arrays as other arguments of tables. ---

MASKED = np.ma.array([[1, 2], [0, 1]], mask=[[False, True], [True, False]])


@pytest.mark.parametrize(
    "rows",
    [
        list(MASKED),
        tuple(MASKED),
        [MASKED[0], [None, 1]],
        ([1, np.ma.masked], MASKED[1]),
        [[1, np.ma.masked], [np.ma.masked, 1]],
    ],
)
def test_masked_values_are_null_in_any_container(rows):
    expected = np.array([[1, nan], [nan, 1]])
    assert np.array_equal(OneLayerFlip.with_probability(1e-12, 3).perturb(rows, 0), expected, equal_nan=True)
    assert np.array_equal(RESPONSE.perturb(rows, entropy=bytes), expected, equal_nan=True)
    assert infer_truth(rows).truth.tolist() == [1, 1]
    assert majority_vote(rows, 3).tolist() == [1, 1]
    labels = OneLayerFlip.with_probability(1e-12, [0, 1, 2]).perturb(rows, 0)
    assert labels.tolist() == [[1, None], [None, 1]]


def test_tuple_labels_are_not_rows():
    flip = OneLayerFlip.with_probability(1e-12, [(0, 1), (1, 0)])
    assert flip.perturb([(0, 1), None, (1, 0)], 0).tolist() == [(0, 1), None, (1, 0)]


@pytest.mark.parametrize("module", ["pandas", "polars", "pyarrow"])
def test_a_column_by_itself_is_one_workers_row(module):
    library_ = pytest.importorskip(module)
    series = library_.array if module == "pyarrow" else library_.Series
    assert KEPT.perturb(series(["dog", None, "cat"]), 0).tolist() == ["dog", None, "cat"]
    assert np.array_equal(RESPONSE.perturb(series([1, None, 2]), 0), [1, nan, 2], equal_nan=True)


def test_one_row_and_no_answer():
    one = BASE[:1]
    assert majority_vote(one, CHOICES).to_dict() == {"b": "dog"}
    assert dawid_skene(one, CHOICES).truth.to_dict() == {"b": "dog"}
    assert decode_choices(one, FLIP).truth.to_dict() == {"b": "dog"}
    assert rows_of(KEPT.perturb(one, 0)) == rows_of(one)
    silent = one.assign(label=None)
    assert rows_of(KEPT.perturb(silent, 0)) == [("w3", "b", None)]
    with pytest.raises(ValueError, match="answer of every worker, got none in row 0"):
        majority_vote(silent, CHOICES)
    for table in (BASE[:0], polars_frame()[:0], arrow_table()[:0]):
        out = KEPT_NULL.perturb(table, entropy=bytes, **LISTS)
        assert [x for *_, x in rows_of(out)] == [None] * 6


def test_table_reads_existing_columns():
    table = read_table(BASE, None, None, public=False)
    assert (list(table.workers), list(table.tasks)) == (LISTS["workers"], LISTS["tasks"])
    assert (table.worker.tolist(), table.task.tolist()) == ([2, 0, 1, 0], [1, 0, 0, 1])
