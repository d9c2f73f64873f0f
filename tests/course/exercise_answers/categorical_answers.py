"""Right and wrong answers to the exercises of the part categorical answers."""

import math

import numpy as np
from scipy.stats import binom, gamma
from simulations import estimated, no_pairs

from ldpbook.categorical_answers import bounds, error_bounds

NORMAL = math.sqrt(2 * math.pi)
LAW = np.exp(-(np.arange(10) ** 2) / 2) / np.exp(-(np.arange(10) ** 2) / 2).sum()
MEAN = LAW @ np.arange(10)
FIVE = (0.95, 0.9, 0.8, 0.7, 0.6)


def majority(m, accuracy):
    return sum(math.comb(m, k) * accuracy**k * (1 - accuracy) ** (m - k) for k in range(m // 2 + 1))


def epsilon(p):
    return math.log((1 - p) / p)


def votes_of_five(n, seed):
    """Whether the majority and the vote by log-odds err, on the same answers."""
    right = np.random.default_rng(seed).random((n, 5)) < VOTERS
    odds = np.log(VOTERS / (1 - VOTERS))
    return right.sum(axis=1) < 3, np.where(right, 1, -1) @ odds < 0


def cut_estimates(n, seed, *, cut=True):
    """Estimated shares of a choice of four that none of 100 users has, at epsilon 1."""
    q = 1 / (3 + math.e)
    free = (np.random.default_rng(seed).binomial(100, q, n) / 100 - q) / (1 - 4 * q)
    return np.maximum(0, free) if cut else free


def flips_by_two_layers(seed):
    """Flips of 10,000 users with 21 answers each; probabilities are from U(0, 0.6)."""
    rng = np.random.default_rng(seed)
    return rng.random((10_000, 21)) < rng.uniform(0, 0.6, (10_000, 1))


def right_about_the_last(seed, high=1.0):
    """For 20,000 users with 13 answers: whether the last is flipped exactly if most of the others are."""
    rng = np.random.default_rng(seed)
    flips = rng.random((20_000, 13)) < rng.uniform(0, high, (20_000, 1))
    return (flips[:, :12].mean(axis=1) > 0.5) == flips[:, 12]


def flips_of_five(seed):
    """Flips on two tasks in 20,000 crowds; each worker has her own probability from U(0, 1)."""
    rng = np.random.default_rng(seed)
    return rng.random((20_000, 2, 5)) < rng.random((20_000, 1, 5))


VOTERS = np.array([0.8, 0.7, 0.6, 0.6, 0.6])
MAJORITY_ERRS, BEST_ERRS = votes_of_five(20_000, 1)
GAIN = MAJORITY_ERRS * 1.0 - BEST_ERRS
CUT = cut_estimates(10_000, 1)
TURNED = flips_by_two_layers(1).mean(axis=1) > 0.5
LAST = right_about_the_last(1)
PAIRS_WRONG = flips_of_five(1).mean(axis=2) > 0.5
SECOND_WRONG = PAIRS_WRONG[:, 0] != PAIRS_WRONG[:, 1]


# Per exercise at least two right answers, written differently; the book's own solution comes first.
RIGHT = {
    "ex-voting-smoothing": [
        lambda r, k: 2 * r - k,
        lambda r, k: (r - (k - r)) / 1e6,
        lambda r, k: k * (np.float64(r) / k - 0.5),
    ],
    "ex-voting-experts": [9 / (9 + 1.5**2), np.float32(0.8), 0.8],
    "ex-one-layer-choices": [np.e, math.exp(1), 2.7183, 2.718],
    "ex-one-layer-counts": [
        lambda share, p, s: (share - p / (s - 1)) / (1 - p - p / (s - 1)),
        lambda share, p, s: ((s - 1) * share - p) / (s - 1 - s * p),
        lambda share, p, s: np.linalg.solve(
            (1 - p - p / (s - 1)) * np.eye(s) + p / (s - 1), [share, *[(1 - share) / (s - 1)] * (s - 1)]
        )[0],
    ],
    "ex-one-layer-hoeffding": [81, np.int64(81), 81.0],
    "ex-one-layer-twice": [
        lambda k, p: abs(math.log(binom.cdf(k // 2, k, p) / binom.sf(k // 2, k, p))),
        lambda k, p: abs(math.log(1 / q - 1) if (q := majority(k, 1 - p)) else 0.0),
    ],
    "ex-two-layer-fresh": [
        lambda a, b, s: abs(math.log((2 - a - b) * (s - 1) / (a + b))),
        lambda a, b, s: abs(math.log((s - 1) * (1 - (a + b) / 2) / ((a + b) / 2))),
        lambda a, b, s: np.max(np.abs(np.log((s - 1) * np.array([2 - a - b]) / (a + b)))),
        lambda a, b, s: bounds.two_layer_epsilon(a, b, s),
    ],
    "ex-two-layer-law": [
        {0: 0.7, 1: 0.3},
        {1.0: 0.3, 0.0: 0.7},
        {np.float64(0): np.float64(0.7), np.float64(0.5): 0.0, np.int64(1): np.float64(0.3)},
        {0: 7 / 10, 1: 1 - 7 / 10},
    ],
    "ex-two-layer-whole": [
        lambda k: math.log(k),
        lambda k: np.log(np.float64(k)),
        lambda k: -math.log(1 / k),
    ],
    "ex-two-layer-limit": [
        96,
        np.int64(96),
        96.0,
        next(k for k in range(1, 200) if math.log(9) - bounds.two_layer_epsilon(0.1, 0.5, 2, k) < 0.1),
    ],
    "ex-two-layer-two-answers": [0.6, np.float64(0.5999), 0.600],
    "ex-two-layer-guess": [
        estimated(LAST),
        np.array(estimated(right_about_the_last(2))),
        (0.75 - 1 / 52, math.sqrt(19 * 7 / 20_000) / 26),
    ],
    "ex-bounds-exponent": [
        min(
            math.prod(p * math.exp(-t / 100) + (1 - p) * math.exp(t / 100) for p in FIVE) for t in range(300)
        ),
        0.3086,
    ],
    "ex-bounds-majority": [
        lambda m, alpha, beta: binom.pmf(m // 2, m, alpha) * (beta - 0.5),
        lambda m, alpha, beta: math.comb(m, m // 2) * (alpha * (1 - alpha)) ** (m / 2) * (2 * beta - 1) / 2,
        # the error before, where a tie counts as a half, minus that after, over both votes of the new user
        lambda m, alpha, beta: (
            binom.cdf(m / 2 - 1, m, alpha)
            + binom.pmf(m / 2, m, alpha) / 2
            - beta * binom.cdf(m / 2 - 1, m, alpha)
            - (1 - beta) * binom.cdf(m / 2, m, alpha)
        ),
    ],
    "ex-bounds-median": [math.exp(-gamma.ppf(0.5, 5)) * 2**5, 0.2996, 0.300, 0.3],
    "ex-trade-favourite": [
        lambda votes: (1 - math.comb(votes, votes // 2) / 2**votes) / 2,
        lambda votes: 0.5 - math.comb(votes, votes // 2) * 0.5 ** (votes + 1),
        lambda votes: sum(math.comb(votes, j) for j in range(votes // 2)) / 2**votes,
    ],
    "ex-two-layer-worker": [
        lambda k: math.log(math.comb(k, k // 2)),
        lambda k: math.lgamma(k + 1) - math.lgamma(k // 2 + 1) - math.lgamma(k - k // 2 + 1),
        lambda k: max(math.log(math.comb(k, d)) for d in range(k + 1)),
    ],
    "ex-voting-gain": [
        estimated(GAIN),
        (0.216944 - 0.185424, 0.4212 / math.sqrt(20_000)),
        np.array(estimated(np.subtract(*np.array(votes_of_five(20_000, 2), dtype=float)))),
    ],
    "ex-one-layer-cut": [
        estimated(CUT),
        list(estimated(cut_estimates(10_000, 2))),
        (0.0506, np.float32(0.00076)),
    ],
    "ex-two-layer-turned": [
        estimated(TURNED),
        estimated(flips_by_two_layers(2).sum(axis=1) > 10),
        (0.1823, math.sqrt(0.1823 * (1 - 0.1823) / 10_000)),
    ],
    "ex-trade-runs": [
        lambda n, h: math.ceil(1 / (4 * n * h**2)),
        lambda n, h: np.ceil((0.5 / math.sqrt(n) / h) ** 2),
        lambda n, h: -int(-0.25 / n / h / h // 1),
    ],
    "ex-trade-turned": [
        estimated(SECOND_WRONG),
        estimated((flips_of_five(2).sum(axis=2) > 2).sum(axis=1) == 1),
        [41 / 108, 0.0034],
    ],
}
# Each wrong answer comes with a part of its message.
WRONG = {
    "ex-voting-smoothing": [
        (lambda r, k: math.log((r + 1e-9) / (k - r + 1e-9)), "ratio"),
        (lambda r, k: r, "no weight"),
        (lambda r, k: math.log(r / (k - r)) if r < k else math.inf, "finite"),
        (lambda r, k: 0.0, "more agreements"),
        (lambda r, k: r / k - 0.5, "ratio"),
        (lambda r, k: max(0, 2 * r - k), "others"),
        (lambda r, k: abs(2 * r - k), "others"),
        (lambda r, k: (2 * r - k) * (1 + (k - 10) * (k - 40)), "others"),
        (lambda r, k: 2 * r - k if k <= 90 else 0, "others"),
        (lambda r, k: np.log((r + 1e6) / (k - r + 1e6)), "ratio"),
        (lambda r, k: math.log((r + 1e8) / (k - r + 1e8)), "ratio"),
        (lambda r, k: math.log1p((2 * r - k) / (k - r + 1e11)), "others"),
    ],
    "ex-voting-experts": [(0.9, "agree"), (0.2, "likelier"), (0.144, "likelier"), (2.2, "probability")],
    "ex-one-layer-choices": [
        (1.0, "close"),
        (2.5, "agree"),
        (2.7136, "agree"),
        (2.716, "agree"),
        (math.inf, "finite"),
    ],
    "ex-one-layer-counts": [
        (lambda share, p, s: share, "estimated as 0"),
        (lambda share, p, s: 0.0, "without flips"),
        (lambda share, p, s: (share - p) / (1 - 2 * p), "estimated as 0"),  # right for two choices only
        (lambda share, p, s: max(0.0, (share - p / (s - 1)) / (1 - p - p / (s - 1))), "differs"),
        (lambda share, p, s: (share - p / (s - 1)) / abs(1 - p - p / (s - 1)), "not at other"),
        (lambda share, p, s: (share - p / (s - 1)) / (1 - p), "differs"),
    ],
    "ex-one-layer-hoeffding": [
        (0.0099, "odd"),
        (82, "odd"),
        (143, "Hoeffding"),
        (79, "does not fit"),
        (83, "does not fit"),
    ],
    "ex-one-layer-twice": [
        (lambda k, p: k * abs(epsilon(p)), "less than all"),
        (lambda k, p: abs(epsilon(p)), "more answers"),
        (lambda k, p: epsilon(majority(k, 1 - p)), "differs"),  # the absolute value is forgotten
        (lambda k, p: abs(epsilon(p)) * math.sqrt(k), "differs"),
        (lambda k, p: 2 * abs(epsilon(p)), "its own"),
    ],
    "ex-two-layer-fresh": [
        (lambda a, b, s: math.log((2 - a - b) * (s - 1) / (a + b)), r"\(0.6, 1.0, 2\) differs"),
        (lambda a, b, s: max(math.log((2 - a - b) * (s - 1) / (a + b)), 0.0), r"\(0.6, 1.0, 2\) differs"),
        (lambda a, b, s: abs(math.log((2 - a - b) / (a + b))), r"\(0.2, 0.4, 5\) differs"),
        (lambda a, b, s: bounds.two_layer_epsilon(a, b, s, 2), "differs"),
        (lambda a, b, s: bounds.one_layer_epsilon(a, s), "differs"),
        (lambda a, b, s: 0.0, "fixed"),
        (
            lambda a, b, s: (
                bounds.two_layer_epsilon(a, b, s)
                if (a, b, s) in [(0.1, 0.5, 2), (0.0, 0.6, 2), (0.2, 0.4, 5), (0.6, 1.0, 2), (0.3, 0.3, 2)]
                else 1.0
            ),
            "other arguments",
        ),
    ],
    "ex-two-layer-law": [
        ({0.3: 1.0}, "spread further"),
        ({0: 0.5, 0.6: 0.5}, "spread further"),
        ({0: 0.4, 0.6: 0.4}, "add up"),
        ({0: 1.3, 1: -0.3}, "add up"),
        ({0: 0.5, 1: 0.5}, "mean"),
        ({}, "dictionary"),
        (0.3, "dictionary"),
    ],
    "ex-two-layer-whole": [
        (lambda k: 0.0, "more answers"),
        (lambda k: math.log(k + 1), "coin"),
        (lambda k: (k - 1) / k, "differs"),
        (lambda k: 2 * math.log(k), "differs"),
        (lambda k: math.log(math.comb(k, k // 2)), "differs"),
        (
            lambda k: {1: 0, 2: math.log(2), 3: math.log(3), 4: 1.4, 5: 1.5, 10: math.log(10)}.get(k, 4.23),
            "differs",
        ),
        (lambda k: math.log(k) if k <= 100 else math.log(100), "other arguments"),
    ],
    "ex-two-layer-limit": [(1, "does not fit"), (95, "does not fit"), (97, "does not fit"), (2.5, "whole")],
    "ex-two-layer-two-answers": [(1.2, "probability"), (0.3, "agree"), (0.61, "agree")],
    "ex-two-layer-guess": [
        *no_pairs(estimated(LAST)),
        ((LAST.mean(), LAST.std()), "independent trials"),  # square root forgotten
        ((LAST.mean(), LAST.std() / math.sqrt(13 * 20_000)), "independent trials"),  # answers are no trials
        ((0.5, estimated(LAST)[1]), "helps"),  # a coin for each answer
        ((1 - LAST.mean(), estimated(LAST)[1]), "helps"),
        ((0.75, estimated(LAST)[1]), "four"),  # if the attacker knew the probability
        ((13 / 14, estimated(LAST)[1]), "four"),  # the worst output
        (estimated(right_about_the_last(1, high=0.6)), "four"),  # the interval of the page's attack
    ],
    "ex-bounds-exponent": [
        (1.0, "at t = 0"),
        (-1, "positive"),
        (0.3442, "agree"),  # at t = 1
        (0.1879, "agree"),  # Bhattacharyya's product, of the best vote
        (0.1543, "agree"),  # halved
    ],
    "ex-two-layer-worker": [
        (lambda k: math.log(k), "one of her cells"),
        (lambda k: 0.0, "one of her cells"),
        (lambda k: k * math.log(2), "coin"),
        (lambda k: (k - 1) * math.log(2), "differs"),
        (lambda k: math.log(math.comb(k, k // 2) * (k + 1)), "coin"),
        (lambda k: math.log(math.comb(k, k // 2)) if k <= 30 else 0.0, "other arguments"),
    ],
    "ex-bounds-majority": [
        (lambda m, alpha, beta: beta - 0.5, "below 0"),
        (lambda m, alpha, beta: binom.pmf(m // 2, m, alpha) * beta, "guesses"),  # no coin for ties before
        (lambda m, alpha, beta: binom.pmf(m // 2, m, alpha) * (alpha - 0.5), "guesses"),  # an equal user
        (lambda m, alpha, beta: binom.pmf(m // 2, m, alpha) * abs(beta - 0.5), "harm"),
        (lambda m, alpha, beta: binom.pmf(m // 2, m, alpha) * (2 * beta - 1), "without earlier"),
        (lambda m, alpha, beta: (alpha * (1 - alpha)) ** (m / 2) * (beta - 0.5), "differs"),
        (lambda m, alpha, beta: (4 * alpha * (1 - alpha)) ** (m / 2) * (beta - 0.5), "below 0"),
        # the gain of the best vote
        (
            lambda m, alpha, beta: (
                error_bounds.vote_error([alpha] * m or [0.5]) - error_bounds.vote_error([alpha] * m + [beta])
            ),
            "harm",
        ),
        (
            lambda m, alpha, beta: (
                binom.pmf(m // 2, m, alpha) * (beta - 0.5) if m <= 10 and 0.3 <= alpha <= 0.8 else 0.0
            ),
            "other arguments",
        ),
    ],
    "ex-bounds-median": [
        (1.0, "smaller"),
        (0.5, "agree"),
        (0.301, "agree"),
        ((2 / math.e) ** 5 * math.exp(1 / 3), "agree"),
    ],
    "ex-trade-favourite": [
        (lambda votes: 0.5, "below"),
        (lambda votes: 0.25, "rare"),
        (lambda votes: 0.49, "differs"),
        (lambda votes: 0.5 - math.comb(votes, votes // 2) * 0.5**votes, "rare"),
        (lambda votes: 0.5 * (1 + math.comb(votes, votes // 2) / 2**votes), "below"),
        (lambda votes: 0.5 * (1 - math.sqrt(2 / (math.pi * votes))), "differs"),
    ],
    "ex-voting-gain": [
        *no_pairs(estimated(GAIN)),
        ((GAIN.mean(), GAIN.std()), "independent trials"),  # square root forgotten
        ((GAIN.mean(), math.hypot(*(v.std() / 20_000**0.5 for v in (MAJORITY_ERRS, BEST_ERRS)))), "trials"),
        (estimated(MAJORITY_ERRS), "four|trials"),  # the error of the majority alone
        ((-GAIN.mean(), estimated(GAIN)[1]), "no vote errs less"),
        (estimated(GAIN != 0), "four"),  # how often they differ
        ((0.216944 - 0.2, estimated(GAIN)[1]), "four"),  # the best worker instead of the best vote
    ],
    "ex-one-layer-cut": [
        *no_pairs(estimated(CUT)),
        ((CUT.mean(), CUT.std()), "independent trials"),
        ((CUT.mean(), CUT.std() / 1e3), "independent trials"),  # users counted as trials
        ((0.0, estimated(CUT)[1]), "positive mean"),
        (estimated(cut_estimates(10_000, 1, cut=False)), "positive|four"),
        (estimated(CUT[CUT > 0]), "four"),
        ((CUT[CUT > 0].mean(), estimated(CUT)[1]), "four"),
    ],
    "ex-two-layer-turned": [
        *no_pairs(estimated(TURNED)),
        ((TURNED.mean(), TURNED.std()), "independent trials"),
        ((TURNED.mean(), TURNED.std() / math.sqrt(210_000)), "independent trials"),  # answers are no trials
        ((binom.sf(10, 21, 0.3), estimated(TURNED)[1]), "four"),  # fresh draws
        ((1 / 6, estimated(TURNED)[1]), "four"),  # a draw above one half
        ((0.3, estimated(TURNED)[1]), "four"),
        ((1.2, 0.004), "probability"),
    ],
    "ex-trade-runs": [
        (lambda n, h: 1 / (4 * n * h**2), "whole"),
        (lambda n, h: math.floor(1 / (4 * n * h**2)), "differs"),
        (lambda n, h: math.floor(1 / (4 * n * h**2)) + 1, "differs"),
        (lambda n, h: round(1 / (4 * n * h**2)), "differs"),
        (lambda n, h: math.ceil(1 / (4 * h**2)), "more tasks"),
        (lambda n, h: math.ceil(1 / (n * h**2)), "differs"),
        (lambda n, h: math.ceil(1 / (2 * math.sqrt(n) * h)), "half the standard error"),
        (lambda n, h: 99, "half the standard error"),
        (lambda n, h: math.ceil(1 / (4 * n * h**2)) if n < 1000 else 1, "other arguments"),
        (93, "function"),
    ],
    "ex-trade-turned": [
        *no_pairs(estimated(SECOND_WRONG)),
        ((SECOND_WRONG.mean(), SECOND_WRONG.std()), "independent trials"),
        ((SECOND_WRONG.mean(), SECOND_WRONG.std() / math.sqrt(100_000)), "trials"),  # workers are no trials
        ((0.5, estimated(SECOND_WRONG)[1]), "tells something"),  # with one layer
        ((1 / 3, estimated(SECOND_WRONG)[1]), "four"),  # with one worker
        ((SECOND_WRONG.mean() / 2, estimated(SECOND_WRONG)[1] / 1.1), "four"),  # the first one counted too
    ],
}
