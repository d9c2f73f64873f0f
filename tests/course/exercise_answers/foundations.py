"""Right and wrong answers to the exercises of the part foundations."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.integrate import quad
from scipy.stats import binom, norm
from simulations import estimated

from ldpbook.foundations.answers import to_matrix, to_tidy

NORMAL = math.sqrt(2 * math.pi)


def _store(answers):
    return to_tidy(answers), answers.shape[1]


def _restore(stored):
    table, n_tasks = stored
    wide = table.pivot(index="worker", columns="task", values="answer")
    return wide.reindex(columns=range(n_tasks)).to_numpy()


def _store_categories(answers):
    """Labels of all tasks as categories of the column, so that the table holds everything."""
    table = to_tidy(answers)
    table["task"] = pd.Categorical(table["task"], categories=range(answers.shape[1]))
    return table


def _restore_categories(table):
    return table.pivot_table("answer", "worker", "task", observed=False, dropna=False).to_numpy()


def _restore_by_shape(table, shape):
    matrix = np.full(shape, np.nan)
    matrix[table["worker"], table["task"]] = table["answer"]
    return matrix


class _Stored(NamedTuple):
    table: pd.DataFrame
    n_tasks: int


def _store_names(answers):
    return _Stored(to_tidy(answers), answers.shape[1])


def _restore_names(stored):
    matrix = np.full((stored.table["worker"].max() + 1, stored.n_tasks), np.nan)
    matrix[stored.table["worker"], stored.table["task"]] = stored.table["answer"]
    return matrix


def _unique_by_strings(given):
    rows = ["".join("1" if cell else "0" for cell in row) for row in given]
    return np.mean([rows.count(row) == 1 for row in rows])


def _unique_by_bits(given):
    """Overflows beyond 63 tasks."""
    codes = np.asarray(given, dtype=np.int64) @ 2 ** np.arange(given.shape[1], dtype=np.int64)
    return (np.unique(codes, return_counts=True)[1] == 1).sum() / len(given)


def _unique_by_floats(given):
    """Loses the first tasks if there is one beyond 53, and overflows beyond 1,023."""
    with np.errstate(all="ignore"):
        codes = np.asarray(given, dtype=float) @ 2.0 ** np.arange(given.shape[1])
    return (np.unique(codes, return_counts=True)[1] == 1).sum() / len(given)


def _unique_by_whole_numbers(given):
    """Python's integers never overflow."""
    codes = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in given]
    return sum(codes.count(code) == 1 for code in codes) / len(codes)


def _clipped_mean(mu, sigma):
    return mu * norm.cdf(mu / sigma) + sigma * norm.pdf(mu / sigma)


def _ratio_of_answers(p, r):
    """By sums over a thousand answers, with a rounded share."""
    inverse = 1 / np.repeat([1.0, r], [round(1000 * p), 1000 - round(1000 * p)])
    return 1000 * (inverse**2).sum() / inverse.sum() ** 2


def _deviation():
    inverse = quad(lambda s: (1 + 40.02 * s) ** -24.5 * (1 + 0.02 * s) ** -475, 0, 1)[0]
    return math.sqrt(20.01 * 999 * inverse)


def _over_tasks(centre, seed=0):
    """Mean absolute error of a centre of five answers over 20,000 tasks, and its standard error."""
    return estimated(np.abs(centre(np.random.default_rng(seed).standard_normal((20_000, 5)), axis=1)))


def _expected_median():
    """By the probability that the median of five, so at least three of them, is beyond x."""
    return quad(lambda x: 2 * binom.sf(2, 5, norm.sf(x)), 0, 12)[0]


def _guesses(seed):
    """Share of trials whose most frequent of three outputs is right; tiny random numbers break ties."""
    rng = np.random.default_rng(seed)
    outputs = rng.choice(3, (20_000, 3), p=[4 / 6, 1 / 6, 1 / 6])
    counts = (outputs[:, :, None] == np.arange(3)).sum(axis=1) + 0.1 * rng.random((20_000, 3))
    return estimated((counts.argmax(axis=1) == 0).astype(float))


# Per exercise at least two right answers, written differently; the book's own solution comes first.
RIGHT = {
    "ex-crowd-unique": [
        lambda given: (np.unique(given, axis=0, return_counts=True)[1] == 1).sum() / len(given),
        _unique_by_strings,
        _unique_by_whole_numbers,
        lambda given: float(((given[:, None] == given).all(axis=2).sum(axis=1) == 1).mean()),
    ],
    "ex-crowd-forget": [
        (_store, _restore),
        (_store_categories, _restore_categories),
        (lambda a: (to_tidy(a), a.shape), _restore_by_shape),
        (_store_names, _restore_names),
        [lambda a: (a.shape, to_tidy(a)), lambda stored: _restore_by_shape(stored[1], stored[0])],
    ],
    "ex-crowd-clipping": [
        _clipped_mean,
        lambda mu, sigma: (
            mu * (1 - math.erfc(mu / sigma / math.sqrt(2)) / 2)
            + sigma * math.exp(-((mu / sigma) ** 2) / 2) / NORMAL
        ),
        lambda mu, sigma: quad(lambda z: (mu + sigma * z) * norm.pdf(z), -mu / sigma, 40, limit=200)[0],
    ],
    "ex-truth-ratio": [
        lambda p, r: (p + (1 - p) / r**2) / (p + (1 - p) / r) ** 2,
        lambda p, r: (p * r**2 + 1 - p) / (p * r + 1 - p) ** 2,
    ],
    "ex-truth-takeover": [lambda k, sigma: sigma / k, lambda k, sigma: 1 / sum([1 / sigma] * k)],
    "ex-privacy-variance": [
        11_707,
        np.ceil(0.25 / (2 * math.e / (1 + math.e) - 1) ** 2 / 1e-4),
        0.25e4 * (math.e + 1) ** 2 / (math.e - 1) ** 2,
    ],
    "ex-privacy-rounding": [(True, False), (np.True_, np.False_), np.array([True, False]), [1, 0]],
    "ex-privacy-best": [
        lambda e, k: 1 / (1 + (k - 1) * math.exp(-e)),
        lambda e, k: np.exp(e) / (k - 1 + np.exp(e)),
    ],
    "ex-random-draws": [9_000_000, np.float64(3000.0) ** 2, (5.96 * 500) ** 2],  # with 39/40 as Phi(2)
    "ex-random-correlated": [_deviation(), 4.586, math.sqrt(999 / 47), math.sqrt(20.01 * 49 / 47)],
    "ex-crowd-random": [
        (0.2005, math.sqrt(0.2005 * 0.7995 / 4000)),
        [np.float64((1 - 20 / 2450) ** 199), np.float64(0.0063)],
        np.array([0.1885, np.sqrt(0.1885 * 0.8115 / 3999)]),
    ],
    "ex-truth-equal": [
        _over_tasks(np.median),
        list(_over_tasks(np.median, seed=1)),
        (_expected_median(), math.sqrt((0.2868 - 0.4267**2) / 20_000)),
    ],
    "ex-privacy-thrice": [
        _guesses(seed=0),
        np.array(_guesses(seed=1)),
        (7 / 9, math.sqrt(7 / 9 * 2 / 9 / 20_000)),
    ],
    "ex-random-laplace": [
        estimated(np.random.default_rng(0).laplace(size=500_000) ** 2),
        estimated(np.subtract(*np.random.default_rng(1).exponential(size=(2, 500_000))) ** 2),
        [2, math.sqrt(20 / 500_000)],
    ],
}
# Each wrong answer comes with a part of its message.
WRONG = {
    "ex-crowd-unique": [
        (lambda given: len(np.unique(given, axis=0)) / len(given), "no one is unique"),
        (lambda given: 0.0, "everyone"),
        (lambda given: (given.sum(axis=0) == 1).mean(), "counts as a whole"),
        (_unique_by_bits, "other matrices"),
        (_unique_by_floats, "other matrices"),
        (lambda g: _unique_by_floats(g) if g.shape[1] < 1024 else _unique_by_strings(g), "other matrices"),
        (lambda g: _unique_by_strings(g) if g.shape[1] < 1024 else _unique_by_floats(g), "other matrices"),
        (lambda given: {(3, 4): 0, (4, 4): 1, (5, 4): 0.6}.get(np.shape(given), 0.5), "other matrices"),
    ],
    "ex-crowd-forget": [
        ((to_tidy, to_matrix), "lost"),
        ((lambda answers: answers, lambda stored: stored), "one row"),
        ((lambda a: (to_tidy(a), a.shape), lambda stored: np.zeros(stored[1])), "changed"),
        ((lambda a: (to_tidy(a), a), lambda stored: stored[1]), "come from the table"),
        ((_store_names, lambda stored: to_matrix(stored.table)), "lost"),
        ((_store, lambda stored: np.nan_to_num(_restore(stored))), "changed"),
        ((to_tidy, 3), "pair"),
    ],
    "ex-crowd-clipping": [
        (lambda mu, sigma: mu, "raises"),
        (lambda mu, sigma: max(mu, 0.0) + 0.4, "not clipped"),
        (lambda mu, sigma: mu + sigma * norm.pdf(mu / sigma), "differs"),
        (lambda mu, sigma: abs(mu) * norm.cdf(mu / sigma) + sigma * norm.pdf(mu / sigma), "differs"),
        (3, "function"),
    ],
    "ex-truth-ratio": [
        (lambda p, r: 1.0, "bound"),
        (lambda p, r: 1 / r, "at least 1"),
        (lambda p, r: 1 / p, r"ratio\(0.3, 1\)"),
        (lambda p, r: 2 * (1 + r**-2) / (1 + 1 / r) ** 2, "bound"),  # only for half of the crowd
        (lambda p, r: (1 - p + p / r**2) / (1 - p + p / r) ** 2, "bound"),
        (lambda p, r: (p + (1 - p) / r) ** -2 * (p + (1 - p) / r**3), "differs"),
        (_ratio_of_answers, "other arguments"),
    ],
    "ex-truth-takeover": [
        (lambda k, sigma: sigma, "more others"),
        (lambda k, sigma: 1 / k, "units"),
        (lambda k, sigma: sigma / math.sqrt(k), "differs"),
        (lambda k, sigma: sigma / (k + 1), "differs"),
        (lambda k, sigma: 0.05 if (k, sigma) == (10, 0.5) else 2 * sigma / (k + 1), "differs"),
    ],
    "ex-privacy-variance": [
        (2500, "without flips"),
        (11_706, "round up"),
        (5853, "agree"),
        (10_000, "agree"),
        (float("nan"), "finite"),
    ],
    "ex-privacy-rounding": [
        ((True, True), "only one"),
        ((False, False), "first"),
        (True, "pair"),
        (("yes", "no"), "pair"),
        ((True, False, True), "pair"),
        ((None, False), "pair"),
    ],
    "ex-privacy-best": [
        (lambda e, k: math.exp(e), "epsilon 0"),
        (lambda e, k: e / 2 + 1 / k, "at most 1"),
        (lambda e, k: math.exp(e) / (k + math.exp(e)), "epsilon 0"),
        (lambda e, k: min(1, math.exp(e) / k), "differs"),
        (lambda e, k: max(1 / k, math.exp(e) / (1 + math.exp(e)) if k == 2 else 1 / k), "differs"),
    ],
    "ex-random-draws": [(4_000_000, "39 of 40"), ("many", "finite"), ((5.645 * 500) ** 2, "agree")],
    "ex-random-correlated": [
        (1.0, "wider"),
        (50.0, "agree"),
        (math.sqrt(20.01 / 1.01), "agree"),
        (math.sqrt(20), "agree"),
    ],
    "ex-crowd-random": [
        ((0.99**199, 0.0054), "exact value|trials"),  # the two tasks as if independent
        ((0.135, 0.0063), "exact value"),
        ((1 - 20 / 2450, 0.0063), "exact value"),  # answers the other task only
        ((0.196, 0.4), "trials"),  # square root forgotten
        ((0.196, 0.4 / 4000), "trials"),
        ((0.196, 0.0063 / math.sqrt(200)), "trials"),  # the workers of a crowd as trials
        ((0.196, 0.0), "trials"),
        ((0.196, -0.0063), "trials"),
        ((0.196, float("nan")), "pair"),
        (0.196, "pair|len"),
        (("0.196", "0.0063"), "pair"),
    ],
    "ex-truth-equal": [
        (_over_tasks(np.mean), "four"),
        ((math.sqrt(2 / 5 / math.pi), 0.0023), "exact value"),  # the plain mean
        ((0.2868, 0.0023), "exact value"),  # the mean square
        ((0.0, 0.0023), "exact value"),
        ((0.4267, 0.3236), "trials"),
        ((0.4267, 0.3236 / 20_000), "trials"),
        ((0.4267, 0.3236 / math.sqrt(100_000)), "trials"),  # answers counted as trials
        ((0.4267, 0.5356 / math.sqrt(20_000)), "trials"),  # error of the signed error
        ((0.4267, 0), "trials"),
        ((float("nan"), 0.0023), "pair"),
        (0.4267, "pair|len"),
        ("no", "pair"),
    ],
    "ex-privacy-thrice": [
        ((160 / 216, 0.0029), "exact value"),  # ties count as wrong
        ((184 / 216, 0.0029), "exact value"),  # ties count as right
        ((2 / 3, 0.0029), "exact value"),  # as if asked once
        ((64 / 66, 0.0029), "exact value"),  # the bound for three times the epsilon
        ((7 / 9, 0.4157), "trials"),
        ((7 / 9, 0.4157 / math.sqrt(60_000)), "trials"),  # answers counted as trials
        ((7 / 9, 1e-6), "trials"),
        ((7 / 9, 0.0), "trials"),
        ((math.inf, 0.0029), "pair"),
        (7 / 9, "pair|len"),
        (("7/9", "0.0029"), "pair"),
    ],
    "ex-random-laplace": [
        (estimated(np.abs(np.random.default_rng(0).laplace(size=500_000))), "four"),
        ((1.0, 0.0063), "exact value"),
        ((2.1, 0.0063), "exact value"),
        ((2.0, math.sqrt(2 / 500_000)), "trials"),  # error of the mean
        ((2.0, math.sqrt(20)), "trials"),
        ((2.0, 20 / 500_000), "trials"),
        ((2.0, 0.0), "trials"),
        ((2.0, float("nan")), "pair"),
        (2.0, "pair|len"),
        (("2", "0.006"), "pair"),
    ],
}
