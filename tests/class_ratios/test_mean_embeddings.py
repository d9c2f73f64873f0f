"""The estimator against its definition, in sizes and forms that must not change the result."""

import inspect
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut
from sklearn.utils.estimator_checks import parametrize_with_checks

from ldpbook._arrays import check_sets
from ldpbook.class_ratios import mean_embeddings
from ldpbook.class_ratios.mean_embeddings import (
    BANDWIDTHS,
    ClassRatioEstimator,
    match_proportions,
    mean_kernels,
    random_fourier_features,
)
from ldpbook.class_ratios.proportion_svm import ProportionSVM
from ldpbook.class_ratios.proportions import project_to_simplex, skewed_proportions

CENTRES = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])


def mixture(proportions, size, rng):
    """A set of points around three centres, in exactly the given proportions."""
    counts = np.round(np.asarray(proportions) * size).astype(int)
    return np.repeat(CENTRES, counts, axis=0) + rng.standard_normal((counts.sum(), 2))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("block", [50, 2**23])
def test_mean_kernels_are_means_over_pairs(rng, monkeypatch, block):
    """Blocks that end within sets, sets of one instance, the symmetric half and the general case."""
    monkeypatch.setattr(mean_embeddings, "_BLOCK", block)
    first = [rng.standard_normal((n, 3)) for n in (5, 1, 17, 4)]
    second = [rng.standard_normal((n, 3)) for n in (2, 9)]
    for left, right in [(first, first), (first, second), (second, list(second))]:
        found = mean_kernels(left, right, [0.5, 2.0])
        for b, bandwidth in enumerate((0.5, 2.0)):
            expected = [[rbf_kernel(x, y, 0.5 / bandwidth**2).mean() for y in right] for x in left]
            np.testing.assert_allclose(found[b], expected, rtol=1e-12)


def test_blocks_bound_the_memory(rng):
    sets = [rng.random((3000, 20)) for _ in range(3)]
    tracemalloc.start()
    mean_kernels(sets, sets, [1.0])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3.5 * 8 * mean_embeddings._BLOCK


def test_against_a_general_minimiser(rng):
    """Equation 5 literally: the distance in feature space, for the linear kernel."""
    sets = [rng.standard_normal((30, 6)) + k for k in range(3)]
    town = rng.standard_normal((40, 6)) + 0.7
    rows = skewed_proportions(3, 0.2)
    means, target = np.array([s.mean(axis=0) for s in sets]), town.mean(axis=0)
    alpha = minimize(lambda a: ((a @ means - target) ** 2).sum(), np.zeros(3), tol=1e-14).x
    found = ClassRatioEstimator(kernel="linear").fit(sets, rows).predict([town])[0]
    np.testing.assert_allclose(found, project_to_simplex(alpha @ rows), atol=1e-5)


@given(st.integers(0, 2**31), st.sampled_from(["sets", "classes"]))
def test_exact_when_embeddings_are(seed, combine):
    """Sets that are exact mixtures return the mixture, also with more sets than classes."""
    rng = np.random.default_rng(seed)
    factor = rng.standard_normal((3, 5))
    between = factor @ factor.T
    rows, rho = rng.dirichlet(np.ones(3), 6), rng.dirichlet(np.ones(3))
    assume(np.linalg.cond(rows) <= 50 and np.linalg.cond(between) <= 1e3)
    sizes = rng.integers(1, 100, 6) if combine == "classes" else None
    found = match_proportions(rows @ between @ rows.T, rows @ between @ rho[:, None], rows, sizes)
    np.testing.assert_allclose(found[0], rho, atol=1e-6)


@pytest.mark.parametrize("n_components", [None, 400])
def test_recovers_shifted_proportions(rng, n_components):
    sets = [mixture(p, 1000, rng) for p in skewed_proportions(3, 0.1)]
    towns = [mixture(p, 1000, rng) for p in ([0.8, 0.1, 0.1], [0.1, 0.1, 0.8])]
    estimator = ClassRatioEstimator(bandwidth=1.0, n_components=n_components, rng=0)
    found = estimator.fit(sets, skewed_proportions(3, 0.1)).predict(towns)
    np.testing.assert_allclose(found, [[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]], atol=0.05)
    assert found.shape == (2, 3)


def test_splitting_does_not_change_mixtures_of_classes(rng):
    rows = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    sets = [rng.standard_normal((n, 2)) for n in (40, 60, 20)]
    town = rng.standard_normal((30, 2))
    # The middle set in three parts with the same declared proportions.
    parts = [sets[0], sets[1][:10], sets[1][10:35], sets[1][35:], sets[2]]
    split_rows = rows[[0, 1, 1, 1, 2]]
    whole, many = (
        ClassRatioEstimator(bandwidth=1.0, combine="classes").fit(s, r).predict([town])
        for s, r in ((sets, rows), (parts, split_rows))
    )
    np.testing.assert_allclose(whole, many, atol=1e-9)


def test_classes_are_estimated_by_weighted_least_squares(rng):
    """Against explicit features: least squares with rows weighted by the square root of the set's size."""
    sizes, rows = np.array([10, 80, 30, 5]), rng.dirichlet([1, 1], 4)
    sets = [rng.standard_normal((n, 6)) + 3 * row[0] for n, row in zip(sizes, rows, strict=True)]
    town = rng.standard_normal((20, 6)) + 1.5
    means, root = np.array([s.mean(axis=0) for s in sets]), np.sqrt(sizes)[:, None]
    classes = np.linalg.lstsq(root * rows, root * means, rcond=None)[0]
    shares = np.linalg.lstsq(classes.T, town.mean(axis=0), rcond=None)[0]
    found = {
        combine: ClassRatioEstimator("linear", combine=combine).fit(sets, rows).predict([town])[0]
        for combine in ("sets", "classes")
    }
    np.testing.assert_allclose(found["classes"], project_to_simplex(shares))
    assert np.abs(found["sets"] - found["classes"]).max() > 1e-3


def test_mixing_sets_and_classes_agree_for_equal_numbers(rng):
    sets = [mixture(p, 50, rng) for p in skewed_proportions(3, 0.1)]
    town = [mixture([0.2, 0.3, 0.5], 50, rng)]
    found = [
        ClassRatioEstimator(bandwidth=1.0, combine=c).fit(sets, skewed_proportions(3, 0.1)).predict(town)
        for c in ("sets", "classes")
    ]
    np.testing.assert_allclose(*found, atol=1e-9)


def test_more_sets_than_classes_mix_in_noise_complement(rng):
    """Explicit features: the printed estimate mixes classes in the complement of the noise directions."""
    rows, features = rng.dirichlet([1, 1], 6), rng.standard_normal((6, 30))
    features += rows @ rng.standard_normal((2, 30))
    town = rng.standard_normal(30)
    noise = np.linalg.svd(rows.T)[2][2:] @ features  # mixtures only, without pure classes
    off = np.eye(30) - np.linalg.pinv(noise) @ noise
    classes = np.linalg.pinv(rows) @ features @ off
    shares = np.linalg.lstsq(classes.T, off @ town, rcond=None)[0]
    found = match_proportions(features @ features.T, features @ town[:, None], rows)[0]
    np.testing.assert_allclose(found, project_to_simplex(shares), atol=1e-9)
    inner = np.linalg.inv(rows.T @ np.linalg.solve(features @ features.T, rows))
    np.testing.assert_allclose(inner, classes @ classes.T, rtol=1e-8)


def test_bandwidth_is_the_best_on_held_out_sets(rng):
    rows = np.tile(skewed_proportions(3, 0.1), (2, 1))
    sets = [mixture(p, 80, rng) for p in rows]
    chosen = ClassRatioEstimator().fit(sets, rows)

    def held_out_error(bandwidth):
        errors = []
        for train, held in [(slice(3), slice(3, 6)), (slice(3, 6), slice(3))]:
            fitted = ClassRatioEstimator(bandwidth=bandwidth).fit(sets[train], rows[train])
            errors.append(np.abs(fitted.predict(sets[held]) - rows[held]).sum(axis=1))
        return np.mean(errors)

    assert chosen.bandwidth_ == min(BANDWIDTHS, key=held_out_error)
    again = ClassRatioEstimator(bandwidth=chosen.bandwidth_).fit(sets, rows)
    # Not equal to the last digit, because the search computes kernels as powers of wider ones.
    np.testing.assert_allclose(chosen.predict(sets), again.predict(sets), atol=1e-9)
    np.testing.assert_allclose(chosen.gram_, again.gram_, rtol=1e-12)


def test_fitted_attributes(rng):
    rows = skewed_proportions(3, 0.1)
    sets = [mixture(p, 50, rng) for p in rows]
    estimator = ClassRatioEstimator(bandwidth=2.0).fit(sets, rows)
    np.testing.assert_allclose(estimator.gram_, mean_kernels(sets, sets, [2.0])[0])
    least = np.sqrt(np.linalg.eigvalsh(estimator.gram_)[0])
    assert estimator.least_singular_ == pytest.approx(least)
    assert estimator.condition_number_ == pytest.approx(np.linalg.norm(rows, 2) / least)
    linear = ClassRatioEstimator(kernel="linear").fit([s[:, :1] for s in sets], rows)
    assert linear.bandwidth_ is None
    assert linear.condition_number_ > 1e7  # three means on a line in one feature


def test_kernels_of_halved_bandwidths_are_powers(rng):
    """All bandwidths, in any order, also between powers of two, against an exponential for each."""
    sets = [rng.normal(0, 4, (n, 3)) for n in (30, 50)]
    bandwidths = rng.permutation(
        np.concatenate([BANDWIDTHS, [3.0, 1.5, 0.75, 16.0], 2.0 ** np.arange(6, 30)])
    )
    together = mean_kernels(sets, sets, bandwidths)
    for found, bandwidth in zip(together, bandwidths, strict=True):
        np.testing.assert_allclose(found, mean_kernels(sets, sets, [bandwidth])[0], rtol=1e-12)


class TestScikitLearn:
    def test_parameters(self, rng):
        rows = skewed_proportions(3, 0.1)
        sets = [mixture(p, 50, rng) for p in rows]
        estimator = ClassRatioEstimator(bandwidth=1.0, n_components=100, rng=3)
        copy = clone(estimator).set_params(n_components=50)
        assert estimator.get_params()["n_components"] == 100
        assert copy.fit(sets, rows) is copy
        assert copy.frequencies_.shape == (2, 25)
        assert copy.n_features_in_ == 2
        with pytest.raises(ValueError, match="not fitted"):
            estimator.predict(sets)

    def test_score_is_the_mean_error(self, rng):
        rows = skewed_proportions(3, 0.1)
        sets = [mixture(p, 50, rng) for p in rows]
        estimator = ClassRatioEstimator(bandwidth=1.0).fit(sets, rows)
        town = [mixture([0.2, 0.3, 0.5], 50, rng), mixture([0.5, 0.2, 0.3], 50, rng)]
        found, truth = estimator.predict(town), np.array([[0.2, 0.3, 0.5], [0.0, 0.0, 1.0]])
        expected = -(np.abs(found[0] - truth[0]).sum() + np.abs(found[1] - truth[1]).sum()) / 2
        assert estimator.score(town, truth) == pytest.approx(expected)
        assert estimator.score(town, found) == 0
        for wrong in (truth[:1], truth[:, :2], 2 * truth, -truth, truth * np.nan):
            with pytest.raises(ValueError, match=r"^proportions must"):
                estimator.score(town, wrong)

    def test_a_search_needs_no_scoring(self, rng):
        """Scores with a bandwidth that is far too small, and with one that fits."""
        rows = np.tile(skewed_proportions(3, 0.1), (3, 1))
        sets = [mixture(p, 100, rng) for p in rows]
        search = GridSearchCV(ClassRatioEstimator(), {"bandwidth": [1e-3, 1.0]}, cv=KFold(3)).fit(sets, rows)
        assert search.best_params_ == {"bandwidth": 1.0}
        assert -0.2 < search.best_score_ < 0
        costs = {"bandwidth": [2.0], "cost": [1.0, 2.0]}
        halves = np.tile(skewed_proportions(2, 0.1), (2, 1))
        people = [mixture([*p, 0.0], 40, rng) for p in halves]
        search = GridSearchCV(ProportionSVM(rng=0), costs, cv=2).fit(people, halves)
        assert -0.2 < search.score(people, halves) <= 0

    @pytest.mark.parametrize("model", [ClassRatioEstimator(bandwidth=1.0), ProportionSVM(2.0, rng=0)])
    def test_classes_are_the_columns(self, model, rng):
        table = pd.DataFrame(skewed_proportions(2, 0.1), columns=["no", "yes"])
        sets = [mixture([*p, 0.0], 60, rng) for p in table.to_numpy()]
        fitted = model.fit(sets, table)
        assert fitted.classes_.tolist() == ["no", "yes"]
        by_name = fitted.score(sets, table)
        assert by_name == fitted.score(sets, table.to_numpy()) > -0.2
        with pytest.raises(ValueError, match=r"^proportions must have the columns \['no', 'yes'\], got"):
            fitted.score(sets, table[["yes", "no"]])
        assert model.fit(sets, table.to_numpy()).classes_.tolist() == [0, 1]

    def test_splits_of_any_kind(self, rng):
        rows = np.tile(skewed_proportions(3, 0.1), (2, 1))
        sets = [mixture(p, 80, rng) for p in rows]
        halves = [(np.arange(3, 6), np.arange(3)), (np.arange(3), np.arange(3, 6))]
        same = [ClassRatioEstimator(cv=cv).fit(sets, rows).bandwidth_ for cv in (2, KFold(2), halves)]
        assert same[0] == same[1] == same[2]
        assert ClassRatioEstimator(cv=LeaveOneOut()).fit(sets, rows).bandwidth_ in BANDWIDTHS

    @pytest.mark.parametrize(
        "cv", [1, 7, -1, 0, "abc", [], [([0, 1, 2, 3], [])], [([0, 9], [1])], [3], object()]
    )
    def test_bad_splits(self, cv, rng):
        rows = np.tile(skewed_proportions(3, 0.1), (2, 1))
        sets = [mixture(p, 20, rng) for p in rows]
        with pytest.raises((ValueError, TypeError), match=r"^cv must split the 6 sets"):
            ClassRatioEstimator(cv=cv).fit(sets, rows)

    def test_seeds(self, rng):
        """None takes fresh entropy; a seed repeats the same features."""
        rows = skewed_proportions(3, 0.1)
        sets = [mixture(p, 20, rng) for p in rows]
        drawn = [
            ClassRatioEstimator(bandwidth=1.0, n_components=10, rng=r).fit(sets, rows).frequencies_
            for r in (None, None, 5, 5, np.random.default_rng(5))
        ]
        assert not np.array_equal(drawn[0], drawn[1])
        np.testing.assert_array_equal(drawn[2], drawn[3])
        np.testing.assert_array_equal(drawn[2], drawn[4])


class RowsAsSets:
    """Rows as sets of four instances, so that scikit-learn's own checks have something to pass in."""

    def fit(self, X, y):  # noqa: N803
        return super().fit(as_sets(X), as_proportions(y))

    def predict(self, X):  # noqa: N803
        return super().predict(as_sets(X))

    def score(self, X, y):  # noqa: N803
        return super().score(as_sets(X), as_proportions(y))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = True, False
        return tags


def as_sets(rows):
    return [np.add(row, [[0.0], [1.0], [2.0], [3.0]]) for row in rows]


def as_proportions(y):
    if y is None:
        return None
    values = np.asarray(y, dtype=float)
    share = 1 / (1 + np.exp(-values.reshape(len(values), -1)[:, 0]))
    return np.column_stack([share, 1 - share])


class RowsMatched(RowsAsSets, ClassRatioEstimator):
    pass


class RowsCounted(RowsAsSets, ProportionSVM):
    pass


def does_not_apply(estimator):
    """Checks that do not apply to sets, with the reason."""
    about_rows = "asks for a sentence about X or y as an array; errors here name sets and proportions"
    reasons = dict.fromkeys(
        (
            "check_n_features_in_after_fitting",
            "check_estimators_empty_data_messages",
            "check_fit2d_1sample",
            "check_fit2d_predict1d",
            "check_requires_y_none",
        ),
        about_rows,
    )
    for name in (
        "check_estimator_sparse_tag",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
    ):
        reasons[name] = "sparse rows do not become sets: the adapter of this test fails on them"
    reasons["check_dtype_object"] = "rows of dicts do not become sets: the adapter of this test fails on them"
    reasons["check_complex_data"] = (
        "complex numbers are a TypeError, as every wrong type; the check wants a ValueError"
    )
    if isinstance(estimator, ClassRatioEstimator):
        for name in (
            "check_dont_overwrite_parameters",
            "check_methods_sample_order_invariance",
            "check_methods_subset_invariance",
            "check_fit2d_1feature",
        ):
            reasons[name] = "sets n_components to 1: random Fourier features come in pairs, cosine and sine"
    else:
        reasons["check_fit1d"] = "numbers become sets of one feature: the adapter of this test takes them"
    return reasons


def all_checks():
    models = [RowsMatched(bandwidth=1.0), RowsCounted(rng=0)]
    if "expected_failed_checks" not in inspect.signature(parametrize_with_checks).parameters:
        return pytest.mark.skip(reason="scikit-learn before 1.6 is not told which checks do not apply")
    return parametrize_with_checks(models, expected_failed_checks=does_not_apply)


@pytest.mark.filterwarnings("ignore")  # the checks themselves pass data that causes warnings
@all_checks()
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", [ClassRatioEstimator(bandwidth=1.0), ProportionSVM(2.0, rng=0)])
def test_sets_are_estimated_one_by_one(model, rng):
    """An estimate depends neither on the order of the sets nor on the other sets."""
    rows = skewed_proportions(2, 0.1)
    fitted = model.fit([mixture([*p, 0.0], 60, rng) for p in rows], rows)
    towns = [mixture([p, 1 - p, 0.0], 40, rng) for p in (0.2, 0.5, 0.7)]
    together = fitted.predict(towns)
    np.testing.assert_allclose(fitted.predict(towns[::-1]), together[::-1])
    np.testing.assert_allclose(np.vstack([fitted.predict([town]) for town in towns]), together)


class TestRandomFeatures:
    def test_mean_and_variance(self):
        points, n_components = np.array([[0.0, 0.0], [0.6, -1.0]]), 50
        k = np.exp(-(0.6**2 + 1.0) / (2 * 1.5**2))
        rng = np.random.default_rng(1)
        drawn = (random_fourier_features(points, 1.5, n_components, rng) for _ in range(4000))
        products = np.array([z[0] @ z[1] for z in drawn])
        variance = (1 - k**2) ** 2 / n_components
        assert abs(products.mean() - k) < 4 * np.sqrt(variance / 4000)
        assert abs(products.var() / variance - 1) < 4 * np.sqrt(2.5 / 4000)

    def test_length_is_one(self):
        features = random_fourier_features(np.random.default_rng(2).standard_normal((9, 4)), 0.3, 20, 0)
        np.testing.assert_allclose((features**2).sum(axis=1), 1)

    def test_same_as_in_the_estimator(self, rng, monkeypatch):
        """Blocks of rows do not matter, nor does drawing frequencies once for all bandwidths."""
        rows, sets = skewed_proportions(2, 0.1), [rng.standard_normal((n, 3)) for n in (30, 50)]
        estimator = ClassRatioEstimator(bandwidth=0.7, n_components=40, rng=5)
        whole = estimator.fit(sets, rows).gram_
        monkeypatch.setattr(mean_embeddings, "_BLOCK", 160)
        np.testing.assert_allclose(estimator.fit(sets, rows).gram_, whole)
        embedded = np.array([random_fourier_features(s, 0.7, 40, 5).mean(axis=0) for s in sets])
        np.testing.assert_allclose(whole, embedded @ embedded.T)

    @pytest.mark.parametrize(
        ("name", "value"), [("n_components", 3), ("n_components", 0), ("bandwidth", 0.0)]
    )
    def test_bad_input(self, name, value):
        with pytest.raises(ValueError, match=rf"^{name} must"):
            random_fourier_features(
                [[1.0]], **({"bandwidth": 1.0, "n_components": 2, "rng": 0} | {name: value})
            )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kernel", "poly"),
        ("combine", "all"),
        ("bandwidth", -1.0),
        ("n_components", 7),
    ],
)
def test_bad_parameters(rng, name, value):
    sets = [rng.standard_normal((5, 2)) for _ in range(2)]
    with pytest.raises(ValueError, match=rf"^{name} must"):
        ClassRatioEstimator(**{"bandwidth": 1.0, name: value}).fit(sets, np.eye(2))


def test_features_belong_to_the_rbf_kernel(rng):
    with pytest.raises(ValueError, match=r"^n_components must be None"):
        ClassRatioEstimator(kernel="linear", n_components=10).fit([[[0.0]], [[1.0]]], np.eye(2))


@pytest.mark.parametrize(
    "sets",
    [[], [np.zeros((0, 2))], [np.zeros(3)], [np.array([[np.nan]])], [np.zeros((2, 2)), np.zeros((2, 3))]],
)
def test_bad_sets(sets):
    with pytest.raises(ValueError, match=r"^sets must"):
        check_sets(sets)


def test_sets_and_proportions_must_agree(rng):
    sets = [rng.standard_normal((5, 2)) for _ in range(3)]
    with pytest.raises(ValueError, match=r"^proportions must have a row for each of the 3 sets"):
        ClassRatioEstimator(bandwidth=1.0).fit(sets, np.eye(2))
    fitted = ClassRatioEstimator(bandwidth=1.0).fit(sets[:2], np.eye(2))
    with pytest.raises(ValueError, match=r"^sets must have 2 features"):
        fitted.predict([np.zeros((4, 3))])
    with pytest.raises(ValueError, match=r"^proportions must be of at least as many sets"):
        ClassRatioEstimator().fit(sets[:2], np.eye(2))  # each half is a single set
