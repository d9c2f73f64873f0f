"""Long simulations on practice; their results are kept in `stored/`."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations
from math import exp, log
from typing import Any

import numpy as np
import pandas as pd

from ldpbook import datasets
from ldpbook._arrays import Array
from ldpbook.categorical_answers import OneLayerFlip, TwoLayerFlip, decode_choices, majority_vote
from ldpbook.foundations import audit_epsilon
from ldpbook.localization import LatticeLaplace, PlanarLaplace
from ldpbook.practice.audit import guess_audit
from ldpbook.remedies import ChannelResponse, ThresholdResponse
from ldpbook.sparse_answers import (
    LaplacePerturbation,
    MatrixFactorization,
    RandomizedResponse,
    TwoLayerResponse,
)
from ldpbook.whole_worker import AskedQuestions, MixedSigns, OwnAnswer, memoize
from ldpbook.whole_worker.bounds import memoized_epsilon
from ldpcourse.broken import AUDITS, broken_mechanisms, is_caught
from ldpcourse.runs.kept import Run

SIZES = (100, 1000, 10_000, 100_000, 1_000_000)
TRIALS, MISSES = 20, 1  # a bug counts as caught if it is found in at least 19 of 20 trials


def caught_at(bug: str, audit: str) -> Mapping[str, float]:
    """The smallest number of calls, in decades, for an audit to catch a bug 19 times in 20; 0 for never."""
    entry = broken_mechanisms()[bug]
    for size in SIZES:
        missed = 0
        for trial in range(TRIALS):
            missed += not is_caught(entry, audit, size, rng=np.random.default_rng([20, size, trial]))
            if missed > MISSES:
                break
        else:
            return {"calls": float(size)}
    return {"calls": 0.0}


def false_alarms(bug: str, calls: int, trials: int) -> Mapping[str, float]:
    """How often each audit raises an alarm on the sound counterpart of a bug."""
    bugs = broken_mechanisms()
    rng = np.random.default_rng([21, list(bugs).index(bug), calls])
    return {
        audit: float(sum(is_caught(bugs[bug], audit, calls, sound=True, rng=rng) for _ in range(trials)))
        for audit in AUDITS
    }


def closeness(mechanism: str, epsilon: float, trials: int) -> Mapping[str, float]:
    """Lower bounds from a million calls, as shares of the exact epsilon of the pair.

    For guesses the mean and the smallest, for the best event the mean; and how often either is above 1.
    """
    pair, draw, exact, bins = _audited(mechanism, epsilon)
    guessed, event = [], []
    for trial in range(trials):
        rng = np.random.default_rng([22, int(8 * epsilon), trial])
        coin = rng.integers(0, 2, 1_000_000)
        reports = draw(pair[coin], rng)
        reports = reports.reshape(len(coin), -1)
        guessed.append(guess_audit(coin, reports, bins=bins).epsilon / exact)
        symbols = reports[:, 0] if bins else _numbered(reports)
        edges = np.unique(np.quantile(symbols[:1000], np.arange(1, 40) / 40)) if bins else None
        first, second = symbols[coin == 0], symbols[coin == 1]
        event.append(audit_epsilon(first, second, edges=edges).epsilon / exact)
    return {
        "exact": exact,
        "guesses": float(np.mean(guessed)),
        "least": float(np.min(guessed)),
        "event": float(np.mean(event)),
        "above": float(np.sum(np.array(guessed) > 1)),
    }


def _numbered(reports: Array) -> Array:
    """Rows of reports as numbers, which are equal for equal rows."""
    numbers = np.zeros(len(reports))
    for column in reports.T:
        codes = pd.factorize(column, use_na_sentinel=False)[0]
        numbers = pd.factorize(numbers * (codes.max() + 1) + codes)[0].astype(float)
    return numbers


Audited = tuple[Array, Callable[[Array, np.random.Generator], Array], float, int | None]


def _audited(name: str, epsilon: float) -> Audited:
    """Two neighbours at which the mechanism's loss is largest, the mechanism, the exact loss, and bins."""
    five, odds = range(5), 1 / (1 + exp(epsilon))
    one, three = np.array([[0.0], [4.0]]), np.array([[0.0] * 3, [1.0] * 3])
    mechanism: Any
    if name in ("geometric counts", "Laplace counts"):
        return _counts(name, epsilon)
    if name == "PermanentAnswers":
        exact = memoized_epsilon(permanent_epsilon=epsilon, epsilon=4.0, n_reports=2, n_symbols=6)
        return one, partial(_two_reports, epsilon), exact, None
    if name == "RandomizedResponse":
        mechanism = RandomizedResponse(epsilon, five)
    elif name == "the same for release":  # seeded, as a kept run must be
        released = RandomizedResponse(epsilon, five)
        exact = log(released.exact_ratio)
        return one, lambda rows, rng: released.perturb(rows, entropy=rng.bytes), exact, None
    elif name == "OneLayerFlip":
        one, mechanism = one / 4, OneLayerFlip.with_probability(odds, 2)
    elif name == "ChannelResponse":
        # Reports are pairs of the four symbols; a pair with the cell's own is e^epsilon times as likely.
        told = np.array([[k in pair for pair in combinations(range(4), 2)] for k in range(4)])
        weights = np.where(told, exp(epsilon), 1.0)
        one, mechanism = one / 2, ChannelResponse(weights / weights.sum(axis=1, keepdims=True), range(3))
    elif name == "LaplacePerturbation":
        mechanism = LaplacePerturbation(epsilon, five)
    elif name == "MatrixFactorization":
        pair = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 4.0]])
        mechanism = MatrixFactorization(epsilon, five, np.array([[0.5, -0.25, 1.0]]))
        return pair, lambda rows, rng: mechanism.perturb(rows, rng)[:, :1], mechanism.exact_epsilon, 40
    elif name == "LatticeLaplace":
        mechanism = LatticeLaplace(epsilon, 1.0)
        return np.array([[0.0, 0.0], [1.0, 0.0]]), mechanism.perturb, epsilon, None
    elif name == "PlanarLaplace":
        mechanism = PlanarLaplace(epsilon)
        return np.array([[0.0, 0.0], [1.0, 0.0]]), mechanism.perturb, mechanism.epsilon_of(distance=1.0), 16
    elif name == "TwoLayerFlip, a cell":
        mechanism = TwoLayerFlip(odds, 0.5, 2)
        return three * [1, 0, 0], mechanism.perturb, mechanism.epsilon_of(3), None
    elif name == "TwoLayerFlip, a worker":
        mechanism = TwoLayerFlip(odds, 0.5, 2)
        return three, mechanism.perturb, mechanism.worker_epsilon_of(3), None
    elif name == "TwoLayerResponse":
        mechanism = TwoLayerResponse(epsilon / 2, 1.5 * epsilon, five)
        return np.array([[0.0, 0.0], [4.0, 0.0]]), mechanism.perturb, mechanism.epsilon_of(2), None
    else:
        rows = {
            "ThresholdResponse": ThresholdResponse(epsilon),
            "AskedQuestions": AskedQuestions(epsilon, 2),
            "OwnAnswer": OwnAnswer(epsilon),
            "MixedSigns": MixedSigns(epsilon),
        }
        mechanism = rows[name]
        alone = np.array([[0.0, np.nan, np.nan], [1.0, np.nan, np.nan]])
        pair = {"ThresholdResponse": one, "OwnAnswer": alone}.get(name, three)
        return pair, lambda rows, rng: mechanism.perturb(rows, 0.5, rng), mechanism.exact_epsilon, None
    return one, mechanism.perturb, mechanism.exact_epsilon, 40 if name == "LaplacePerturbation" else None


def _two_reports(epsilon: float, rows: Array, rng: np.random.Generator) -> Array:
    kept = memoize(rows, permanent_epsilon=epsilon, epsilon=4.0, domain=range(5), rng=rng)
    return np.hstack([np.asarray(kept.report(rng)) for _ in range(2)])


def _counts(name: str, epsilon: float) -> Audited:
    """Shares of two classes among three labels, 1 and 2 or 2 and 1, with noise drawn by numpy.

    A released share is the difference of two noisy counts, cut off at 0 and 1, and the loss is largest where
    it is cut off. (The package's own sampler of whole numbers handles only one call at a time.)
    """

    def geometric(counts: Array, rng: np.random.Generator) -> Array:
        chance = -np.expm1(-epsilon / 2)
        return counts + rng.geometric(chance, counts.shape) - rng.geometric(chance, counts.shape)

    def laplace(counts: Array, rng: np.random.Generator) -> Array:
        return counts + rng.laplace(0, 2 / epsilon, counts.shape)

    noisy = geometric if name == "geometric counts" else laplace

    def share(counts: Array, rng: np.random.Generator) -> Array:
        return np.clip(0.5 + np.diff(noisy(counts, rng))[:, 0] / 6, 0, 1)

    exact = epsilon + log((2 + epsilon) / (2 + 2 * epsilon))
    if name == "geometric counts":
        k = np.arange(-400, 401)
        law = np.exp(-epsilon / 2 * np.abs(k))
        difference = np.convolve(law, law)
        exact = float(np.log(difference[800 + 2 :].sum() / difference[800 + 4 :].sum()))
    return np.array([[1.0, 2.0], [2.0, 1.0]]), share, exact, None if name == "geometric counts" else 40


def paired(flip_probability: float, seed: int) -> Mapping[str, float]:
    """Share of truths that are right by decoding and by majority, from the same flips.

    60 workers of accuracy 0.96, 15 labels for each of 100 tasks.
    """
    crowd = datasets.voting_crowd(60, 100, n_answers=1500, n_scored=100, base_accuracy=0.96, rng=5)
    flip = OneLayerFlip.with_probability(flip_probability, choices=[0, 1])
    reports = flip.perturb(crowd.answers, seed)
    told = {"decoded": decode_choices(reports, flip).truth, "majority": majority_vote(reports, [0, 1])}
    return {name: float((np.asarray(truth) == crowd.truth).mean()) for name, truth in told.items()}


DISCRETE = (
    "RandomizedResponse",
    "the same for release",
    "PermanentAnswers",
    "OneLayerFlip",
    "ThresholdResponse",
    "ChannelResponse",
    "TwoLayerFlip, a cell",
    "TwoLayerFlip, a worker",
    "TwoLayerResponse",
    "AskedQuestions",
    "OwnAnswer",
    "MixedSigns",
    "LatticeLaplace",
    "geometric counts",
)
CONTINUOUS = ("LaplacePerturbation", "MatrixFactorization", "PlanarLaplace", "Laplace counts")

RUNS = (
    Run(
        name="caught-at",
        cell=caught_at,
        cells=tuple({"bug": bug, "audit": audit} for bug in broken_mechanisms() for audit in AUDITS),
        slow="whole rows of a million calls are a million symbols, and are tried twenty times",
    ),
    Run(
        name="false-alarms",
        cell=false_alarms,
        cells=tuple(
            {"bug": bug, "calls": calls, "trials": trials}
            for bug in (
                "own symbol among the others",
                "NULL stays NULL",
                "budget for each cell",
                "answer not remembered",
                "sent in order of answers",
                "half the noise",
                "centred by its own mean",
                "only answers are rounded",
            )
            for calls, trials in ((1000, 400), (10_000, 200))
        ),
        slow="audits of eight kinds are counted together, hundreds of each",
    ),
    Run(
        name="audit-closeness",
        cell=closeness,
        cells=tuple(
            {"mechanism": name, "epsilon": epsilon, "trials": 5}
            for name in (*DISCRETE, *CONTINUOUS)
            for epsilon in (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
        ),
    ),
    Run(
        name="paired",
        cell=paired,
        cells=tuple(
            {"flip_probability": chance, "seed": 100 + k} for chance in (0.45, 0.25, 0.1) for k in range(40)
        ),
    ),
)
