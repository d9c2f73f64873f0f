"""Exact variances against reports of another package: ``make peers``."""

import random

import numpy as np
import pytest
from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

from ldpbook.categorical_answers import k_ary_response, local_hashing, unary_encoding

ANSWERS = np.resize([0, 0, 0, 0, 1, 2, 3, 3, 4, 4], 1000)
N_CHOICES, TRIALS = 6, 300


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize(
    ("client", "server", "options", "oracle"),
    [
        (DEClient, DEServer, {}, lambda epsilon: k_ary_response(N_CHOICES, epsilon)),
        (UEClient, UEServer, {"use_oue": True}, unary_encoding),
        (UEClient, UEServer, {"use_oue": False}, lambda epsilon: unary_encoding(epsilon, symmetric=True)),
        (LHClient, LHServer, {"use_olh": True}, local_hashing),
    ],
    ids=["direct", "unary, optimized", "unary, symmetric", "local hashing"],
)
def test_pure_ldp_estimates_have_exact_mean_and_variance(client, server, options, oracle, epsilon):
    np.random.seed(22)  # noqa: NPY002, what the peer draws from
    random.seed(22)
    estimates = np.empty((TRIALS, N_CHOICES))
    for trial in range(TRIALS):
        worker = client(epsilon=epsilon, d=N_CHOICES, **options)
        curator = server(epsilon=epsilon, d=N_CHOICES, **options)
        for answer in ANSWERS:
            curator.aggregate(worker.privatise(int(answer) + 1))
        estimates[trial] = [curator.estimate(k + 1, suppress_warnings=True) for k in range(N_CHOICES)]
    frequency = np.bincount(ANSWERS, minlength=N_CHOICES) / len(ANSWERS)
    variance = oracle(epsilon).variance(frequency, len(ANSWERS))
    off = (estimates.mean(axis=0) / len(ANSWERS) - frequency) / np.sqrt(variance / TRIALS)
    assert np.abs(off).max() < 4
    ratio = estimates.var(axis=0, ddof=1) / len(ANSWERS) ** 2 / variance
    assert np.abs(ratio - 1).max() < 4 * np.sqrt(2 / (TRIALS - 1))
