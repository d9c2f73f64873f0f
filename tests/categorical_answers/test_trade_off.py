from dataclasses import replace
from math import inf

import numpy as np
import pandas as pd
import pytest

from ldpbook._crowd import to_csr
from ldpbook.categorical_answers.bounds import (
    one_layer_flip_probability,
)
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.categorical_answers.trade_off import error_rate_changes, layers_at
from ldpbook.categorical_answers.voting import majority_vote, weighted_vote
from ldpbook.datasets.synthetic import simulate_peer_grading, voting_crowd

VOTERS = simulate_peer_grading(0)


def test_error_rates_without_flips_and_with_coins():
    flips = {"never": OneLayerFlip(700.0, 2), "always": OneLayerFlip.with_probability(1 - 1e-9, 2)}
    changes = error_rate_changes(
        VOTERS.answers, VOTERS.truth, flips, choices=2, n_trials=700, rng=0
    ).set_index(["mechanism", "vote"])
    before = changes.error_rate - changes.error_change
    assert before.groupby(level=1).nunique().max() == 1
    # The majority is right on 19 of 26 tasks (0.73), a tie counting as a half; only ties vary by trial.
    rates = changes.error_rate.groupby(level=[0, 1]).agg(["mean", "sem"])
    assert abs(rates.loc[("never", "MV"), "mean"] - 7 / 26) <= 4 * rates.loc[("never", "MV"), "sem"]
    for vote in ("MV", "TD"):
        both = rates.loc[("never", vote)], rates.loc[("always", vote)]
        assert abs(both[0]["mean"] + both[1]["mean"] - 1) < 4 * np.hypot(both[0]["sem"], both[1]["sem"])


def test_error_rates_are_those_of_the_votes():
    many = voting_crowd(30, 60, n_answers=900, n_scored=60, base_accuracy=0.8, rng=1, spread=0.2)
    crowd, truth = many.answers, many.truth
    scored = np.arange(60) % 3 > 0
    flip = OneLayerFlip.with_probability(0.3, 2)
    rng = np.random.default_rng(3)
    for vote in (majority_vote, weighted_vote):
        vote(crowd, 2, ties="random", rng=rng)  # drawn before the flips, as in a trial
    perturbed = flip.perturb(crowd, rng)
    mv = majority_vote(perturbed, 2, ties="random", rng=rng)
    td = weighted_vote(perturbed, 2, ties="random", rng=rng)
    assert td.n_iter > 2
    wrong = {"MV": (mv != truth)[scored].mean(), "TD": (td.truth != truth)[scored].mean()}
    assert wrong["MV"] != wrong["TD"]
    changes = error_rate_changes(
        crowd, truth[scored], {"flip": flip}, choices=2, n_trials=1, rng=3, scored=scored
    )
    assert changes.set_index("vote").error_rate.to_dict() == wrong


def test_trials_run_in_blocks(monkeypatch):
    """The distribution of the trials does not depend on how many run together."""
    flips = {"flip": OneLayerFlip.with_probability(0.2, 2)}
    setting = {"choices": 2, "n_trials": 400}
    together = error_rate_changes(VOTERS.answers, VOTERS.truth, flips, rng=0, **setting)
    monkeypatch.setattr("ldpbook.categorical_answers.trade_off._BLOCK_CELLS", VOTERS.answers.size * 3)
    changes = error_rate_changes(VOTERS.answers, VOTERS.truth, flips, rng=1, **setting)
    assert changes.groupby("vote").trial.apply(list).tolist() == [list(range(400))] * 2
    laws = [run.groupby("vote").error_rate.agg(["mean", "sem"]) for run in (together, changes)]
    away = (laws[0]["mean"] - laws[1]["mean"]).abs()
    assert (away < 4 * np.hypot(laws[0]["sem"], laws[1]["sem"])).all()


def crowd_in_all_forms():
    """Forms of one crowd, each with the truths of two tasks, the mechanism and the choices."""
    matrix = VOTERS.answers[:, :6]
    matrix = matrix[~np.isnan(matrix).all(axis=1)]
    scored = np.array([False, True, False, True, False, False])
    words = np.array(["no", "yes"], dtype=object)
    cells = np.where(np.isnan(matrix), None, words[np.nan_to_num(matrix).astype(int)])
    workers, tasks = np.nonzero(~np.isnan(matrix))
    frame = pd.DataFrame({"worker": workers, "task": np.array([*"abcdef"])[tasks]})
    frame["answer"] = cells[workers, tasks]
    frame = frame.sample(frac=1, random_state=0)
    numbers, labelled = (
        OneLayerFlip.with_probability(0.3, 2),
        OneLayerFlip.with_probability(0.3, ["no", "yes"]),
    )
    truth = VOTERS.truth[:6][scored]
    told = [words[int(x)] for x in truth]
    series = pd.Series(told[::-1], ["d", "b"])  # in any order
    yield matrix, truth, numbers, 2, scored
    yield to_csr(matrix), truth, numbers, 2, scored
    yield cells, told, labelled, ["no", "yes"], scored
    yield frame, told, labelled, ["no", "yes"], scored.tolist()
    yield frame, series, labelled, ("no", "yes"), None


def test_all_forms_of_a_crowd_have_equal_errors():
    rates = [
        error_rate_changes(answers, truth, {"f": flip}, choices=choices, n_trials=7, rng=2, scored=scored)
        for answers, truth, flip, choices, scored in crowd_in_all_forms()
    ]
    assert rates[0].error_rate.nunique() > 1
    for other in rates[1:]:
        pd.testing.assert_frame_equal(other, rates[0])


def test_trials_without_a_seed_differ():
    flips = {"flip": OneLayerFlip.with_probability(0.4, 2)}
    setting = {"choices": 2, "n_trials": 30}
    runs = [error_rate_changes(VOTERS.answers, VOTERS.truth, flips, **setting) for _ in range(2)]
    assert (runs[0].error_rate != runs[1].error_rate).any()


def test_bad_elections():
    flips = {"flip": OneLayerFlip.with_probability(0.2, 2)}
    with pytest.raises(ValueError, match=r"^truth must hold"):
        error_rate_changes(VOTERS.answers, VOTERS.truth[:3], flips, choices=2, n_trials=1, rng=0)
    with pytest.raises(ValueError, match=r"^n_trials "):
        error_rate_changes(VOTERS.answers, VOTERS.truth, flips, choices=2, n_trials=0, rng=0)
    with pytest.raises(ValueError, match=r"^answers must leave"):
        error_rate_changes([[0, np.nan]], [0, 0], flips, choices=2, n_trials=1, rng=0)


@pytest.mark.parametrize(
    ("error", "message", "changed"),
    [
        (ValueError, r"^truth must be integers in 0\.\.1", {"truth": [0, 2]}),
        (ValueError, r"^truth must be integers in 0\.\.1", {"truth": [0, np.nan]}),
        (ValueError, r"^truth must hold one value a scored task, at", {"truth": [], "scored": [False] * 2}),
        (ValueError, r"^scored must hold a bool for each of 2 tasks", {"scored": [True]}),
        (TypeError, r"^scored must hold a bool", {"scored": [0, 1]}),
        (TypeError, r"^mechanisms must be a mapping", {"mechanisms": [OneLayerFlip(1.0, 2)]}),
        (TypeError, r"^mechanisms must be a mapping", {"mechanisms": {"flip": 0.2}}),
        (ValueError, r"^mechanisms must be at least one", {"mechanisms": {}}),
        (ValueError, r"^truth must be in \['a', 'b'\], got 'c'", {
            "answers": np.array([["a", "b"]]), "choices": ["a", "b"], "truth": ["a", "c"]}),
        (ValueError, r"^truth must name tasks that have answers", {
            "answers": pd.DataFrame({"worker": 1, "task": ["x", "y"], "answer": [0, 1]}),
            "truth": pd.Series([1, 1], ["x", "z"])}),
        (ValueError, r"^scored must be None", {
            "answers": pd.DataFrame({"worker": 1, "task": ["x", "y"], "answer": [0, 1]}),
            "truth": pd.Series([1], ["x"]), "scored": [True, False]}),
    ],
)  # fmt: skip
def test_other_bad_elections(error, message, changed):
    good = {
        "answers": [[0, 1]],
        "truth": [0, 1],
        "mechanisms": {"f": OneLayerFlip.with_probability(0.2, 2)},
        "choices": 2,
    }
    assert len(error_rate_changes(**good, n_trials=1)) == 2
    with pytest.raises(error, match=message):
        error_rate_changes(**good | changed, n_trials=1)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_layers_at_the_same_epsilon(epsilon):
    nominal = layers_at(epsilon, 2)
    assert list(nominal) == ["one layer", "two layers"]
    assert isinstance(nominal["one layer"], OneLayerFlip)
    assert nominal["two layers"].low == 0
    true = layers_at(epsilon, 3, n_answers=40)
    assert true["two layers"].high == 1 - 1 / 3
    for found in (
        nominal["one layer"].exact_epsilon,
        nominal["two layers"].epsilon_of(1),
        true["one layer"].exact_epsilon,
        true["two layers"].epsilon_of(40),
    ):
        assert found == pytest.approx(epsilon, abs=1e-9)


@pytest.mark.parametrize("per_answer", [0.0, 1e-6, 0.3, 0.69, 0.7, 2.0, 20.0])
@pytest.mark.parametrize(("s", "k"), [(2, 1), (2, 108), (3, 5)])
def test_layers_at_the_same_epsilon_of_a_worker(per_answer, s, k):
    layers = layers_at(k * per_answer, s, n_answers=k, unit="worker")
    assert layers["one layer"].exact_epsilon == pytest.approx(per_answer, abs=1e-9)
    two = layers["two layers"]
    assert two.worker_epsilon_of(k) == pytest.approx(k * per_answer, rel=1e-6, abs=1e-8)
    assert two.high <= 1 - 1 / s
    if k == 108 and 0.3 <= per_answer <= 2:
        assert (two.low + two.high) / 2 < one_layer_flip_probability(per_answer, s)


def test_layers_at_refuses_bad_input():
    with pytest.raises(ValueError, match=r"^unit must"):
        layers_at(1.0, 2, unit="row")
    with pytest.raises(TypeError, match=r"^n_answers must"):
        layers_at(1.0, 2, unit="worker")
    for epsilon in (-1.0, 1e6, inf):
        with pytest.raises(ValueError, match=r"^epsilon must"):
            layers_at(epsilon, 2, n_answers=3, unit="worker")


@pytest.mark.parametrize("per_answer", [30, 100, 600, 700])
@pytest.mark.parametrize("k", [1, 4])
def test_large_worker_epsilons_are_met_to_all_digits(per_answer, k):
    """The upper end is far below the spacing of floats at 1."""
    two = layers_at(k * per_answer, 2, n_answers=k, unit="worker")["two layers"]
    assert two.worker_epsilon_of(k) == pytest.approx(k * per_answer, rel=1e-12)


@pytest.mark.parametrize("s", [2, 3, 7])
def test_worker_epsilons_below_float_spacing_are_refused(s):
    two = layers_at(1e-40, s, n_answers=3, unit="worker")["two layers"]
    assert two.low == two.high == 1 - 1 / s


@pytest.mark.parametrize("arguments", [{}, {"n_answers": 4}, {"n_answers": 4, "unit": "worker"}])
def test_layers_for_labels_are_those_for_numbers(arguments):
    for labelled, plain in zip(
        layers_at(0.7, ["a", "b", "c"], **arguments).values(),
        layers_at(0.7, 3, **arguments).values(),
        strict=True,
    ):
        assert replace(labelled, choices=3) == plain
        assert set(labelled.perturb([["a", "b"] * 40], 0).ravel()) == {"a", "b", "c"}
