"""Re-identified rows: against loops, Bayes' rule by enumeration, and the exact rate among strangers."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from ldpbook.foundations import to_tidy
from ldpbook.remedies import ThresholdResponse
from ldpbook.sparse_answers import RandomizedResponse
from ldpbook.whole_worker import link_limit, link_rate, link_rows

NAN = float("nan")
RR = RandomizedResponse(1.5, range(1, 4))
ROWS = np.array([[1, NAN, 3, NAN], [NAN, 2, 2, NAN], [3, NAN, NAN, 1]])


def linked(reports, known=ROWS, mechanism=RR, **options):
    matrix = mechanism.transition_matrix
    return link_rows(reports, known, domain=mechanism.domain, transition_matrix=matrix, **options)


def index(symbol):
    return 3 if np.isnan(symbol) else int(symbol) - 1


@pytest.mark.parametrize("pattern_only", [False, True])
@pytest.mark.parametrize("shape", [None, (4,), (4, 4)])
def test_log_odds_by_loops(shape, pattern_only):
    rng = np.random.default_rng(3)
    strangers = None if shape is None else rng.dirichlet(np.ones(4), size=shape[:-1])
    believed = np.broadcast_to([0, 0, 0, 1] if shape is None else strangers, (4, 4))
    reports = RR.perturb(ROWS, rng)
    found = linked(reports, strangers=strangers, pattern_only=pattern_only).log_odds
    p = RR.transition_matrix
    for (i, row), (k, report) in product(enumerate(ROWS), enumerate(reports)):
        expected = 0.0
        for j in np.flatnonzero(~np.isnan(row)):
            hers = p[:3].mean(axis=0) if pattern_only else p[index(row[j])]
            expected += np.log(hers[index(report[j])] / (believed[j] @ p)[index(report[j])])
        assert found[i, k] == pytest.approx(expected)


def test_belief_is_bayes_rule_over_all_places():
    """Her report is one of three: the joint probability of all reports for each place it may have."""
    reports, p = RR.perturb(ROWS, 5), RR.transition_matrix
    links = linked(reports, ROWS[:1])
    joint = []
    for place in range(3):
        each = [ROWS[0] if k == place else np.full(4, NAN) for k in range(3)]
        cells = zip(np.concatenate(each), np.concatenate(reports), strict=True)
        joint.append(np.prod([p[index(a), index(z)] for a, z in cells]))
    assert links.first_guess[0] == np.argmax(joint)
    assert links.belief[0] == pytest.approx(max(joint) / sum(joint))


def test_no_guess_is_better_among_strangers():
    """Over all outputs of two reports on two cells, the first guess is right as often as the best rule."""
    p, row = RR.transition_matrix, np.array([2.0, 3.0])
    symbols = np.array([1.0, 2.0, 3.0, NAN])
    hers = np.array([p[1, a] * p[2, b] for a, b in product(range(4), repeat=2)])
    other = np.array([p[3, a] * p[3, b] for a, b in product(range(4), repeat=2)])
    best = np.maximum(np.outer(hers, other), np.outer(other, hers)).sum() / 2
    outputs = np.array(list(product(symbols, repeat=2)))
    rate = 0.0
    for a, b in product(range(16), repeat=2):
        links = linked(outputs[[a, b]], row)
        rate += hers[a] * other[b] * links.right[0]  # her report is the first
    assert rate == pytest.approx(best)
    assert rate == pytest.approx(link_rate(n_cells=2, epsilon=1.5, n_users=2, n_symbols=4))


def test_the_rate_among_strangers():
    """300 crowds of 40 in which no one else answered the three tasks."""
    rng, rr, right = np.random.default_rng(40), RandomizedResponse(2.0, range(1, 6)), []
    rows = np.full((40, 4), NAN)
    rows[0, :3], rows[1:, 3] = [5, 1, 2], 1
    for _ in range(300):
        right.append(linked(rr.perturb(rows, rng), rows[:1], rr).right[0])
    error = np.std(right) / np.sqrt(len(right))
    exact = link_rate(n_cells=3, epsilon=2.0, n_users=40, n_symbols=6)
    assert abs(np.mean(right) - exact) < 4 * error
    assert exact < link_limit(n_cells=3, epsilon=2.0, n_users=40)


def test_threshold_responses_are_linked_by_their_channel():
    response, rng = ThresholdResponse(8.0), np.random.default_rng(1)
    answers = rng.integers(0, 10, (20, 15)).astype(float)
    reports = response.perturb(answers, np.full(answers.shape, 4.5), rng)
    above = (answers > 4.5).astype(float)
    links = link_rows(reports, above, domain=range(2), transition_matrix=response.transition_matrix)
    assert links.right.mean() > 0.9


def test_forms_agree_and_labels_come_back():
    reports, order = RR.perturb(ROWS, 8), [2, 0, 1]
    plain = linked(reports)
    sparse = linked(sp.csr_array(np.nan_to_num(reports[:, [0, 1, 2, 3]])), sp.csr_array(np.nan_to_num(ROWS)))
    if not np.isnan(reports).all(axis=1).any():
        assert np.allclose(sparse.log_odds, plain.log_odds)
    names = np.array(["ann", "bob", "cy"])
    known = to_tidy(ROWS).assign(worker=lambda t: names[t.worker])
    seen = to_tidy(reports).assign(worker=lambda t: names[t.worker])
    tidy = linked(seen.sample(frac=1, random_state=0), known)
    assert np.allclose(tidy.log_odds, plain.log_odds)
    assert isinstance(tidy.first_guess, pd.Series)
    assert tidy.first_guess.tolist() == names[plain.first_guess].tolist()
    assert np.allclose(linked(reports[order]).log_odds, plain.log_odds[:, order])


def test_ties_are_shared_and_silent_workers_never_win():
    same = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]])
    assert linked(same, same).right == pytest.approx([1 / 3] * 3)
    known = pd.DataFrame({"worker": ["x", "y"], "task": [0, 0], "answer": [1, 2]})
    links = linked(known[:1], known)
    assert links.own.tolist() == [0, -1]
    assert links.right.tolist() == [1, 0]
    nothing = linked(same, np.full((1, 2), NAN))  # no one is known to have answered
    assert nothing.right == pytest.approx([1 / 3])


def test_rounded_sums_tie():
    """Six repeats and three NULLs against three repeats, added up in different orders."""
    known = np.tile([1.0, 2, 3, 1], 3)
    other = known % 3 + 1
    reports = np.array([other, other])
    reports[0, :6], reports[0, 6:9], reports[1, 3:6] = known[:6], NAN, known[3:6]
    unequal = 0
    for epsilon in np.linspace(0.1, 3, 30):
        links = linked(reports, known, RandomizedResponse(epsilon, range(1, 4)))
        unequal += np.ptp(links.log_odds) > 0
        assert links.right == pytest.approx([1 / 2])
    assert unequal > 0


def test_extra_known_rows_and_unreported_tasks_are_accepted():
    links = linked(ROWS[:2], ROWS)
    assert links.own.tolist() == [0, 1, -1]
    assert links.right[2] == 0
    seen = pd.DataFrame({"worker": [1, 2], "task": ["a", "a"], "answer": [1, 2]})
    known = pd.DataFrame({"worker": [1, 1], "task": ["a", "b"], "answer": [1, 3]})
    assert linked(seen, known).log_odds == pytest.approx(np.array([[1.5 - 1.5, -1.5]]))


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"known": ROWS[:, :3]}, "known"),
        ({"reports": ROWS + 0.5}, "reports"),
        ({"transition_matrix": np.eye(3)}, "transition_matrix"),
        ({"transition_matrix": np.full((4, 4), 0.5)}, "transition_matrix"),
        ({"domain": [1, 3, 5]}, "domain"),
        ({"strangers": [0.5, 0.5]}, "strangers"),
        ({"strangers": [1, 1, 1, 1]}, "strangers"),
    ],
)
def test_refusals(changes, name):
    given = {"reports": ROWS, "known": ROWS, "domain": RR.domain, "transition_matrix": RR.transition_matrix}
    with pytest.raises(ValueError, match=name):
        link_rows(**(given | changes))


def test_types():
    with pytest.raises(TypeError, match="pattern_only"):
        linked(ROWS, pattern_only=1)
    with pytest.raises(TypeError, match="known"):
        linked(to_tidy(ROWS), ROWS)
