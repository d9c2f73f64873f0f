"""Protocols: the draws, the data given to estimators, and the measured errors."""

import numpy as np
import pytest

from ldpbook.class_ratios.noisy_counts import LaplaceCounts
from ldpbook.datasets.real import LabelledData
from ldpcourse.ratio_trials import private_errors, shift_errors, shifted_proportions

LABELS = np.repeat([0, 1, 2], 400)
POINTS = np.eye(3)[LABELS]  # each class is one point: sets show their proportions


class Recorder:
    """Estimator that returns the true proportions with a constant error, and keeps its input."""

    def fit(self, sets, proportions):
        self.sets, self.proportions = sets, proportions
        return self

    def predict(self, sets):
        return np.array([s.mean(axis=0) + np.array([0.1, 0.0, -0.1]) for s in sets])


def test_shifted_proportions():
    rows = shifted_proportions(4, [0.0, 0.25])
    np.testing.assert_allclose(rows, [[0, 0, 0, 1], [0.25] * 4])


def test_sets_have_the_stated_proportions():
    recorder = Recorder()
    setting = {"share": 0.1, "shares": [0.05, 0.2], "n_instances": 100, "n_draws": 3}
    errors = shift_errors(LabelledData(POINTS, LABELS), {"it": recorder}, **setting, rng=0)
    assert len(recorder.sets) == 6
    for points, proportions in zip(recorder.sets, recorder.proportions, strict=True):
        np.testing.assert_allclose(points.mean(axis=0), proportions)
    np.testing.assert_allclose(recorder.proportions[:3], recorder.proportions[3:])
    np.testing.assert_allclose(errors["error"], 0.2)
    np.testing.assert_allclose(errors["estimate"], np.tile([0.8, 0.5], 3))
    assert errors.groupby(["mechanism", "share"]).size().tolist() == [3, 3]


def test_sets_of_one_draw_are_disjoint():
    numbered = LabelledData(np.column_stack([POINTS, np.arange(len(LABELS))]), LABELS)

    class Disjoint(Recorder):
        def predict(self, sets):
            used = np.concatenate([s[:, 3] for s in (*self.sets, *sets)])
            assert len(set(used)) == len(used)
            return np.array([s[:, :3].mean(axis=0) for s in sets])

    setting = {"share": 0.1, "shares": [0.3], "n_instances": 100, "n_draws": 2}
    assert shift_errors(numbered, {"it": Disjoint()}, **setting, rng=0)["error"].max() < 1e-12


def test_noiseless_single_point_classes_are_exact():
    setting = {"share": 0.1, "shares": [0.05, 0.3], "n_instances": 200, "n_draws": 2}
    errors = private_errors(POINTS, LABELS, {"none": None}, **setting, rng=0)
    assert errors["error"].max() < 1e-9
    assert errors["share"].tolist() == [0.05, 0.3, 0.05, 0.3]


def test_sets_do_not_depend_on_the_mechanisms():
    points = POINTS + np.random.default_rng(0).normal(0, 1, POINTS.shape)
    setting = {"share": 0.1, "shares": [0.05], "n_instances": 50, "n_draws": 4}
    alone = private_errors(points, LABELS, {"none": None}, **setting, rng=1)
    both = private_errors(points, LABELS, {"noise": LaplaceCounts(1.0), "none": None}, **setting, rng=1)
    np.testing.assert_array_equal(alone["error"], both.query("mechanism == 'none'")["error"])
    assert both.query("mechanism == 'noise'")["error"].min() > 0


def test_less_privacy_less_error():
    setting = {"share": 0.1, "shares": [0.05, 0.3], "n_instances": 300, "n_draws": 10}
    mechanisms = {epsilon: LaplaceCounts(epsilon) for epsilon in (0.05, 0.5, 5.0)}
    errors = private_errors(POINTS, LABELS, mechanisms, **setting, rng=2)
    means = errors.groupby("mechanism")["error"].mean()
    assert means[0.05] > 4 * means[0.5] > 16 * means[5.0]


def test_training_and_unlabelled_sets_share_no_instance():
    """Each instance has its own feature; a shared instance would make inner products positive."""
    setting = {"share": 0.3, "shares": [0.3], "n_instances": 30, "n_draws": 1}
    labels = np.repeat([0, 1], 30)
    errors = private_errors(np.eye(60), labels, {"none": None}, **setting, rng=3)
    # Sets share no instance: all weights are 0, and the projection of 0 is uniform.
    assert errors["error"].iloc[0] == pytest.approx(0.4)


def test_seeds_decide_sets_and_noise():
    points = LabelledData(POINTS + np.random.default_rng(4).normal(0, 1, POINTS.shape), LABELS)
    setting = {"share": 0.1, "shares": [0.1], "n_instances": 60, "n_draws": 2}

    def shift(seed):
        return shift_errors(points, {"it": Recorder()}, **setting, rng=seed)

    def private(seed):
        return private_errors(points.points, LABELS, {"it": LaplaceCounts(1.0)}, **setting, rng=seed)

    for protocol in (shift, private):
        assert protocol(5).equals(protocol(5))
        assert not protocol(5).equals(protocol(6))
        assert protocol(5)["draw"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("data", (POINTS, LABELS)),
        ("estimators", Recorder()),
        ("estimators", {"it": object()}),
        ("n_instances", 2.5),
        ("n_draws", None),
        ("share", "much"),
    ],
)
def test_shift_errors_refuse_wrong_types(name, value):
    good = {"data": LabelledData(POINTS, LABELS), "estimators": {"it": Recorder()}}
    good |= {"share": 0.1, "shares": [0.3], "n_instances": 100, "n_draws": 1}
    with pytest.raises(TypeError, match=rf"^{name} must"):
        shift_errors(**good | {name: value})


def test_data_that_cannot_fill_the_sets():
    setting = {"share": 0.1, "shares": [0.3], "n_instances": 100, "n_draws": 1}
    few = LabelledData(POINTS[::4], LABELS[::4])
    with pytest.raises(ValueError, match=r"^data must fill all sets of a draw.* 230 of class 0, got 100"):
        shift_errors(few, {"it": Recorder()}, **setting)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("features", POINTS[:-1]),
        ("features", POINTS * np.nan),
        ("labels", np.zeros(1200)),
        ("shares", [0.6]),
        ("shares", []),
        ("n_instances", 1),
        ("n_draws", 0),
    ],
)
def test_private_errors_refuse_bad_arguments(name, value):
    good = {"features": POINTS, "labels": LABELS, "mechanisms": {"none": None}}
    good |= {"share": 0.1, "shares": [0.3], "n_instances": 100, "n_draws": 1}
    with pytest.raises(ValueError, match=rf"^{name} must"):
        private_errors(**good | {name: value})
    with pytest.raises(TypeError, match=r"^mechanisms must have the methods"):
        private_errors(**good | {"mechanisms": {"it": 3}})
