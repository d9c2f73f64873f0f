"""The sources' printed tables, and the kept simulation of one of them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from ldpbook.categorical_answers.bounds import (
    one_layer_flip_probability,
)
from ldpbook.datasets.synthetic import simulate_duchenne, simulate_peer_grading
from ldpcourse.printed import printed_table
from ldpcourse.runs.kept import stored

CROWDS = {2: (simulate_peer_grading, 96), 3: (simulate_duchenne, 20)}


@pytest.mark.parametrize(
    ("number", "sums", "by_row"),
    [
        (2, [23445, 20736, 22366, 17457], [187689, 167367, 180173, 143818]),
        (3, [24836, 21155, 24706, 15138], [195050, 172606, 192654, 126546]),
    ],
)
def test_printed_columns_add_up_as_in_the_source(number, sums, by_row):
    """Sums by hand, in units of the last digit: each column, and its entries times their row numbers."""
    table = printed_table(number)
    epsilons = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.01, 0.001, 0.0]
    assert table["epsilon"].unique().tolist() == epsilons
    columns = table["printed"].to_numpy().reshape(13, 4) * 10_000
    np.testing.assert_allclose(columns.sum(axis=0), sums, atol=1e-6)
    np.testing.assert_allclose(np.arange(1, 14) @ columns, by_row, atol=1e-6)


def truth_discovery(answers, rng):
    """Truths of two choices by Equations 2 and 3 with log-odds, written out with a dense matrix of votes."""
    votes = np.nan_to_num(2 * answers - 1)
    given, coin = (votes != 0).sum(axis=1), rng.choice([-1e-9, 1e-9], votes.shape[1])
    weight, elected = np.ones(len(votes)), None
    for _ in range(20):
        before, elected = elected, np.sign(np.round(weight @ votes, 6) + coin)
        right = (given + votes @ elected) / 2
        weight = np.log((right + 1) / (given - right + 1))
        if np.array_equal(elected, before):
            break
    return elected > 0


class TestPrintedNumbers:
    """The kept simulation, against what can be computed without it."""

    kept = stored("printed-numbers")

    def test_every_two_printed_numbers_have_a_setting(self):
        printed = pd.concat([printed_table(k).assign(number=k) for k in (2, 3)])
        keys = ["number", "epsilon", "layer"]
        assert set(map(tuple, self.kept[keys].to_numpy())) == set(map(tuple, printed[keys].to_numpy()))
        assert len(self.kept) == 52

    @pytest.mark.parametrize("epsilon", [1.0, 0.3])
    @pytest.mark.parametrize("number", [2, 3])
    def test_majority_errors_equal_sums_over_votes(self, number, epsilon):
        """Both layers on the same crowds have equal expectations, task by task."""
        simulate, n_crowds = CROWDS[number]
        p = one_layer_flip_probability(epsilon, 2)
        errors = []
        for k in range(n_crowds):
            crowd = simulate(np.random.default_rng([number, k]))
            for task, truth in zip(crowd.answers.T[crowd.scored], crowd.truth[crowd.scored], strict=True):
                right, wrong = (task == truth).sum(), (task == 1 - truth).sum()
                law = np.convolve(
                    binom.pmf(range(right + 1), right, 1 - p), binom.pmf(range(wrong + 1), wrong, p)
                )
                n = right + wrong
                tie = law[n // 2] / 2 if n % 2 == 0 else 0.0
                errors.append(law[: (n + 1) // 2].sum() + tie)
        own = self.kept[(self.kept["number"] == number) & (self.kept["epsilon"] == epsilon)]
        error = own["MV run"] / np.sqrt({2: 9600, 3: 800}[number])
        assert (np.abs(own["MV rate"] - np.mean(errors)) < 4 * error).all()

    @pytest.mark.parametrize(
        ("number", "epsilon", "layer"),
        [(2, 1.0, "two layers"), (3, 1.0, "one layer"), (3, 0.5, "two layers")],
    )
    def test_truth_discovery_errors_equal_written_out_algorithm(self, number, epsilon, layer):
        """Repeat the simulation on the same crowds with other flips."""
        simulate, n_crowds = CROWDS[number]
        mean, n_runs = one_layer_flip_probability(epsilon, 2), {2: 10, 3: 3}[number]
        rng, rates = np.random.default_rng(7), []
        for k in range(n_crowds):
            crowd = simulate(np.random.default_rng([number, k]))
            for _ in range(n_runs):
                flip = rng.uniform(0, 2 * mean, (len(crowd.answers), 1)) if layer == "two layers" else mean
                sent = np.where(rng.random(crowd.answers.shape) < flip, 1 - crowd.answers, crowd.answers)
                rates.append((truth_discovery(sent, rng) != crowd.truth)[crowd.scored].mean())
        own = self.kept.query(f"number == {number} and epsilon == {epsilon} and layer == '{layer}'").iloc[0]
        error = own["TD run"] * np.sqrt(1 / len(rates) + 1 / {2: 9600, 3: 800}[number])
        assert abs(np.mean(rates) - own["TD rate"]) < 4 * error

    def test_at_epsilon_0_all_is_noise(self):
        own = self.kept[self.kept["epsilon"] == 0]
        runs = own["number"].map({2: 9600, 3: 800})
        for vote in ("MV", "TD"):
            assert (np.abs(own[f"{vote} rate"] - 0.5) < 4 * own[f"{vote} run"] / np.sqrt(runs)).all()
        # So a change is one half minus the base; 7 of 26 and 38 of 159 are bases printed elsewhere.
        assert (round(0.5 - 7 / 26, 2), round(0.5 - 38 / 159, 2)) == (0.23, 0.26)


@pytest.mark.parametrize("layer", ["one layer", "two layers"])
def test_both_votes_of_a_run_err_together(layer):
    """The kept correlation on peer grading, against written-out coins: at epsilon 0 little else matters."""
    rng, rates = np.random.default_rng(8), []
    crowd = simulate_peer_grading(rng)
    for _ in range(400):
        flip = rng.random((len(crowd.answers), 1)) if layer == "two layers" else 0.5
        sent = np.where(rng.random(crowd.answers.shape) < flip, 1 - crowd.answers, crowd.answers)
        lead = np.nansum(2 * sent - 1, axis=0) + rng.choice([-0.5, 0.5], sent.shape[1])
        rates.append([((vote != crowd.truth).mean()) for vote in (lead > 0, truth_discovery(sent, rng))])
    kept = stored("shared-flips").set_index(["number", "layer"]).loc[(2, layer)]
    found = np.corrcoef(np.transpose(rates))[0, 1]
    assert abs(found - kept["correlation"]) < 4 * np.hypot((1 - found**2) / 20, kept["error"])


def test_other_tables_are_refused():
    for number in (1, 4):
        with pytest.raises(ValueError, match=r"^number must be 2 or 3"):
            printed_table(number)
