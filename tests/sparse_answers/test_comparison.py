"""The comparison measures the stated change."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from ldpbook._crowd import to_csr
from ldpbook.datasets.synthetic import synthetic_crowd
from ldpbook.foundations.answers import drop_empty_workers, to_tidy
from ldpbook.foundations.truth_inference import infer_truth, mean_absolute_error
from ldpbook.sparse_answers.comparison import mae_changes, message_bytes
from ldpbook.sparse_answers.laplace import LaplacePerturbation
from ldpbook.sparse_answers.matrix_factorization import MatrixFactorization, random_profile
from ldpbook.sparse_answers.randomized_response import RandomizedResponse

CROWD = synthetic_crowd(40, 20, density=0.5, rng=0)


def test_no_noise_no_change():
    quiet = {"LP": LaplacePerturbation(1e9, range(10)), "RR": RandomizedResponse(1e3, range(10))}
    dense = synthetic_crowd(40, 20, density=1.0, rng=0)
    changes = mae_changes(dense.answers, dense.truth, quiet, n_trials=2, rng=0)
    assert changes[["mechanism", "trial"]].to_numpy().tolist() == [["LP", 0], ["RR", 0], ["LP", 1], ["RR", 1]]
    np.testing.assert_allclose(changes.mae_change, 0, atol=1e-3)
    before = mean_absolute_error(dense.truth, infer_truth(dense.answers, tol=1e-3).truth)
    np.testing.assert_allclose(changes.mae, before, atol=1e-3)


def test_change_is_after_minus_before():
    lp = {"LP": LaplacePerturbation(0.1, range(10))}
    changes = mae_changes(CROWD.answers, CROWD.truth, lp, n_trials=3, rng=0)
    before = mean_absolute_error(CROWD.truth, infer_truth(CROWD.answers, tol=1e-3).truth)
    np.testing.assert_allclose(changes.mae - changes.mae_change, before, atol=1e-12)
    assert changes.mae_change.min() > 0
    assert changes.mae.nunique() == 3


def test_scored_tasks_only():
    scored = np.arange(20) < 5
    lp = {"LP": LaplacePerturbation(1.0, range(10))}
    some = mae_changes(CROWD.answers, CROWD.truth[:5], lp, n_trials=1, rng=0, scored=scored)
    expected = infer_truth(lp["LP"].perturb(CROWD.answers, 0), tol=1e-3).truth[:5]
    assert some.mae[0] == pytest.approx(mean_absolute_error(CROWD.truth[:5], expected))


def test_trials_and_mechanisms_share_one_generator():
    kinds = {"LP": LaplacePerturbation(2.0, range(10)), "RR": RandomizedResponse(2.0, range(10))}
    changes = mae_changes(CROWD.answers, CROWD.truth, kinds, n_trials=3, rng=4)
    rng = np.random.default_rng(4)
    outputs = [kind.perturb(CROWD.answers, rng) for _ in range(3) for kind in kinds.values()]
    expected = [
        mean_absolute_error(CROWD.truth, infer_truth(drop_empty_workers(out), tol=1e-3).truth)
        for out in outputs
    ]
    assert changes.mae.tolist() == expected
    assert changes.trial.tolist() == [0, 0, 1, 1, 2, 2]


def test_every_form_gives_the_same_changes():
    lp = {"LP": LaplacePerturbation(1.0, range(10)), "RR": RandomizedResponse(3.0, range(10))}
    expected = mae_changes(CROWD.answers, CROWD.truth, lp, n_trials=2, rng=0)
    entries = sp.coo_array(to_csr(CROWD.answers))
    frame = to_tidy(CROWD.answers).sample(frac=1, random_state=0)
    for answers in (CROWD.answers.tolist(), entries, frame, frame.rename(columns={"answer": "label"})):
        found = mae_changes(answers, CROWD.truth, lp, n_trials=2, rng=0)
        pd.testing.assert_frame_equal(found, expected)
    assert len(mae_changes([1.0, 2.0], [1.0, 2.0], lp, n_trials=1, rng=0)) == 2  # one worker's row


def test_series_of_truths_is_matched_by_label():
    frame = to_tidy(CROWD.answers)
    frame["task"] = "t" + frame["task"].astype(str).str.zfill(2)
    gold = pd.Series(CROWD.truth[[7, 3]], ["t07", "t03"])
    lp = {"LP": LaplacePerturbation(1.0, range(10))}
    found = mae_changes(frame, gold, lp, n_trials=1, rng=0)
    scored = np.isin(np.arange(20), [3, 7])
    expected = mae_changes(CROWD.answers, CROWD.truth[[3, 7]], lp, n_trials=1, rng=0, scored=scored)
    pd.testing.assert_frame_equal(found, expected)
    with pytest.raises(ValueError, match=r"^answers must hold one to each .* got none to task \"nobody's\""):
        mae_changes(frame, pd.Series([1.0], ["nobody's"]), lp, n_trials=1, rng=0)


def test_without_a_seed_trials_are_new():
    lp = {"LP": LaplacePerturbation(1.0, range(10))}
    first, second = (mae_changes(CROWD.answers, CROWD.truth, lp, n_trials=1).mae[0] for _ in range(2))
    assert first != second


def test_bad_input():
    lp = {"LP": LaplacePerturbation(1.0, range(10))}
    with pytest.raises(ValueError, match=r"^n_trials "):
        mae_changes(CROWD.answers, CROWD.truth, lp, n_trials=0, rng=0)
    with pytest.raises(ValueError, match=r"^truth "):
        mae_changes(CROWD.answers, CROWD.truth[:3], lp, n_trials=1, rng=0)
    with pytest.raises(ValueError, match=r"^answers "):
        mae_changes([[np.nan]], [1.0], lp, n_trials=1, rng=0)
    for scored in ([True], np.arange(20), "all", [[1, 2], [3]]):
        with pytest.raises(ValueError, match=r"^scored "):
            mae_changes(CROWD.answers, CROWD.truth, lp, n_trials=1, scored=scored, rng=0)


def test_bytes_are_those_of_the_shorter_message():
    nan = np.nan
    one_each = np.full((2, 300), nan)
    one_each[:, 7] = 9
    assert message_bytes(one_each).tolist() == [1 + 2, 1 + 2]  # bytes for the symbol and for one of 300 tasks
    assert message_bytes(np.full((2, 300), 9.0)).tolist() == [300, 300]
    assert message_bytes(np.full((1, 300), -200.0)).tolist() == [600]
    assert message_bytes(np.full((1, 300), 1e300)).tolist() == [2400]
    assert message_bytes([[0.5, nan, nan], [1.0, 2.0, 3.0]]).tolist() == [9, 24]
    frame = pd.DataFrame({"worker": ["b", "a", "a"], "task": [0, 0, 1], "answer": [3, 4, 5]})
    assert message_bytes(frame).to_dict() == {"a": 2, "b": 2}
    noisy = LaplacePerturbation(1.0, range(10)).perturb(CROWD.answers, 0)
    assert (message_bytes(noisy) == noisy[0].nbytes).all()


def test_one_exchange_is_shorter_than_one_iteration():
    """V and one number per task, against V and a gradient of the same size: d + 1 to 2d."""
    for rank in (2, 3, 10):
        profile = random_profile(rank, 20, 0)
        sent = MatrixFactorization(1.0, range(10), profile, ridge=1.0).perturb(CROWD.answers, 1)
        down, up = message_bytes(profile).sum(), message_bytes(sent)
        assert down == 8 * 20 * rank
        np.testing.assert_allclose((down + up) / (2 * down), (rank + 1) / (2 * rank))
