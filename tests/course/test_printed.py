"""The tables that the sources print, and the kept simulation of one of them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from ldpbook.categorical_answers.bounds import (
    one_layer_flip_probability,
)
from ldpbook.datasets.synthetic import simulate_peer_grading
from ldpcourse.printed import printed_table
from ldpcourse.runs.kept import stored

VOTERS = simulate_peer_grading(0)


class TestPrintedNumbers:
    """The kept simulation, against what can be computed without it."""

    kept = stored("printed-numbers")

    def test_holds_every_printed_number(self):
        printed = pd.concat([printed_table(k).assign(number=k) for k in (2, 3)])
        keys = ["number", "epsilon", "layer"]
        assert set(map(tuple, self.kept[keys].to_numpy())) == set(map(tuple, printed[keys].to_numpy()))
        assert len(self.kept) == 52

    @pytest.mark.parametrize("epsilon", [1.0, 0.3])
    def test_majorities_err_as_often_as_sums_over_the_votes_say(self, epsilon):
        """Both layers, on the same crowds: in expectation they are equal, task by task."""
        crowds = [simulate_peer_grading(np.random.default_rng([2, k])) for k in range(96)]
        p = one_layer_flip_probability(epsilon, 2)
        errors = []
        for crowd in crowds:
            for task, truth in zip(crowd.answers.T, crowd.truth, strict=True):
                right, wrong = (task == truth).sum(), (task == 1 - truth).sum()
                law = np.convolve(
                    binom.pmf(range(right + 1), right, 1 - p), binom.pmf(range(wrong + 1), wrong, p)
                )
                n = right + wrong
                tie = law[n // 2] / 2 if n % 2 == 0 else 0.0
                errors.append(law[: (n + 1) // 2].sum() + tie)
        own = self.kept[(self.kept["number"] == 2) & (self.kept["epsilon"] == epsilon)]
        error = own["MV run"] / np.sqrt(9600)
        assert (np.abs(own["MV rate"] - np.mean(errors)) < 4 * error).all()

    def test_at_epsilon_0_all_is_noise(self):
        own = self.kept[self.kept["epsilon"] == 0]
        runs = own["number"].map({2: 9600, 3: 800})
        for vote in ("MV", "TD"):
            assert (np.abs(own[f"{vote} rate"] - 0.5) < 4 * own[f"{vote} run"] / np.sqrt(runs)).all()


def test_other_tables_are_refused():
    for number in (1, 4):
        with pytest.raises(ValueError, match=r"^number must be 2 or 3"):
            printed_table(number)
