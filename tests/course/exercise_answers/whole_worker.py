"""Right and wrong answers to the exercises of the part on the whole worker."""

import itertools
import math

import numpy as np
from scipy.stats import binom
from simulations import estimated, no_pairs

from ldpbook.whole_worker import MixedSigns, asked_information

# row-attack


def placed(r1, u1, r2, u2, e):
    first, second = math.exp(e * (r1 - u1)), math.exp(e * (r2 - u2))
    return first / (first + second)


def of_two(e, s):
    """Probability that the right one of two rows is chosen, by all nine pairs of scores."""
    keep, lie = math.exp(e) / (s + math.exp(e)), 1 / (s + math.exp(e))
    law = {1: keep, 0: (s - 1) * lie, -1: lie}
    return sum(law[a] * law[-b] * (1.0 if a > b else 0.5 if a == b else 0.0) for a in law for b in law)


FORTY = 0.62284


# worker-epsilon


def guesses(seed, *, ties=True):
    """Whether the curator is right, row by row: each of ten cells is evidence for one row or for neither."""
    p, q = np.exp([0.5, 0]) / (5 + np.exp(0.5))
    rng = np.random.default_rng(seed)
    steps = rng.choice([1, -1, 0], size=(20_000, 10), p=[p, q, 1 - p - q]).sum(axis=1)
    coin = rng.random(20_000) < 0.5
    return np.where(steps == 0, coin & ties, steps > 0)


GUESSES = guesses(1)


def farther_end(k, epsilon, size, fill):
    """By the densities of both rows at outputs beyond the domain, cell by cell."""
    outputs, scale = np.array([-1.0, size]), size / epsilon
    logs = [-np.abs(outputs - v) / scale for v in range(size)]
    a = max((log - logs[fill]).max() for log in logs)
    b = max((logs[fill] - log).max() for log in logs)
    return k * (a + b)


# composition


def keep(epsilon, s):
    return math.exp(epsilon) / (math.exp(epsilon) + s - 1)


def mean_loss_by_law(epsilon, s):
    law = np.array([math.exp(epsilon), 1, *[1] * (s - 2)])
    return float(law / law.sum() @ [epsilon, -epsilon, *[0] * (s - 2)])


def step_by_bits(epsilon, k, s):
    """By the output in which all bits are reported, and truthfully."""
    speaks = (math.exp(epsilon) + 1) / (math.exp(epsilon) + s - 1)
    told = (speaks * math.exp(epsilon) / (1 + math.exp(epsilon))) ** k
    return told - math.exp((k - 1) * epsilon) * told * math.exp(-k * epsilon)


def over_by_simulation(seed, epsilon=0.5, s=6, what="delta"):
    rng, n = np.random.default_rng(seed), 100_000
    law = np.array([math.exp(epsilon), 1, s - 2]) / (math.exp(epsilon) + s - 1)
    loss = rng.multinomial(12, law, n) @ [epsilon, -epsilon, 0]
    over = np.maximum(0, 1 - np.exp(2 - loss)) if what == "delta" else (loss > 2).astype(float)
    return float(over.mean()), float(over.std() / n**0.5)


def as_of_a_share(delta):
    """Delta with the standard error that it would have if each trial gave 0 or 1."""
    return delta, (delta * (1 - delta) / 100_000) ** 0.5


# sampling-questions


def price_by_information(n, epsilon, s):
    crowd = {"n_tasks": n, "epsilon": epsilon, "density": s, "sigma": 1.0}
    return asked_information(**crowd, n_questions=1) / asked_information(**crowd, n_questions=n)


def price(n, epsilon, s):
    one, part = (
        math.expm1(e) ** 2 / ((math.exp(e) + 2) * (2 + s * math.expm1(e))) for e in (epsilon, epsilon / n)
    )
    return one / n / part


def share_by_length(k, epsilon):
    """By the mean distance of a walk of k steps, divided by k."""
    heads = np.arange(k + 1)
    return float(binom.pmf(heads, k, 0.5) @ np.abs(2 * heads - k)) / k * math.tanh(epsilon / 2)


def share(k, epsilon):
    return math.comb(k - 1, k // 2) / 2 ** (k - 1) * (math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)


def four_answers(seed, m=200_000, epsilon=2.0, row=(1, -1, 1, 1)):
    found = MixedSigns(epsilon).perturb(np.tile(row, (m, 1)), 0.0, rng=seed)[:, 0]
    return found.mean(), found.std() / math.sqrt(m)


def four_by_hand(seed, m=200_000, *, lie=0.11920292202211755, ties=(-1, 1)):
    rng = np.random.default_rng(seed)
    coins = rng.choice([-1, 1], (m, 4))
    side = np.sign(coins.sum(axis=1))
    told = np.where(side == 0, rng.choice(ties, m), side) * np.where(rng.random(m) < lie, -1, 1)
    return (coins[:, 0] * told).mean(), (coins[:, 0] * told).std(ddof=1) / math.sqrt(m)


# shuffling


def two_shuffled(local, central, *, directions=(0, 1), other=1):
    """Delta of two shuffled reports, summed over all four pairs of reports."""
    p = math.exp(local) / (1 + math.exp(local))
    laws = np.zeros((2, 3))
    for mine, hers, his in itertools.product((0, 1), repeat=3):
        laws[mine, hers + his] += (p if hers == mine else 1 - p) * (p if his == other else 1 - p)
    return max(np.maximum(laws[d] - math.exp(central) * laws[1 - d], 0).sum() for d in directions)


# manipulation


def down_by_chances(f, liars, epsilon):
    p = 1 / (1 + math.exp(-epsilon))
    yes = (1 - liars) * (f * p + (1 - f) * (1 - p))
    return (yes - (1 - p)) / (2 * p - 1)


def forty(seed, sent=40, trials=10_000, others=1470):
    rng, p, q = np.random.default_rng(seed), keep(1.0, 4), 1 / (math.e + 3)
    spoken = rng.binomial(490, p, trials) + rng.binomial(others, q, trials) + sent
    shares = (spoken / 2000 - q) / (p - q)
    return float(shares.mean()), float(shares.std() / trials**0.5)


def forty_redrawn(seed):
    """Wrong: the holders of choice 1 are redrawn in every trial."""
    rng, p, q = np.random.default_rng(seed), keep(1.0, 4), 1 / (math.e + 3)
    shares = ((rng.binomial(1960, p / 4 + 3 * q / 4, 10_000) + 40) / 2000 - q) / (p - q)
    return float(shares.mean()), float(shares.std() / 100)


# again-and-again
def bit(f, p, q):
    """Epsilon of a bit, by all four ways from the bit to its report."""
    laws = [
        [sum((f / 2 + (1 - f) * (b == x)) * (t if y else 1 - t) for b, t in ((0, p), (1, q))) for y in (0, 1)]
        for x in (0, 1)
    ]
    return max(abs(math.log(laws[1][y] / laws[0][y])) for y in (0, 1))


def half(permanent, epsilon):
    low, high = 0.0, 1e6
    for _ in range(200):
        t = (low + high) / 2
        r = math.exp(min(epsilon * t, 600))
        reached = math.log((math.exp(permanent) * r + 1) / (r + math.exp(permanent)))
        low, high = (t, high) if reached < permanent / 2 else (low, t)
    return low


NINE, NINE_KEPT = 0.62871, 0.56915  # over all users, and over those whose permanent answer was kept


RIGHT = {
    # row-attack
    "ex-row-fixed": [
        lambda k, n, s, e: (min(2 * k, n) if s > 1 else 2 * min(k, n - k)) * e,
        lambda k, n, s, e: e * (2 * k if 2 * k <= n else n if s >= 2 else 2 * (n - k)),
    ],
    "ex-row-belief": [placed, lambda a, b, c, d, e: (1 + math.tanh(e * (a - b - c + d) / 2)) / 2],
    "ex-row-two": [
        of_two,
        lambda e, s: (lambda p, q: p * (1 + (s - 1) * q) + ((s - 1) * q) ** 2 / 2)(
            math.exp(e) / (s + math.exp(e)), 1 / (s + math.exp(e))
        ),
    ],
    "ex-row-crowd": [(FORTY, 0.00766), (FORTY + 0.02, 0.0075)],
    # worker-epsilon
    "ex-account-fill": [
        farther_end,
        lambda k, epsilon, size, fill: k * epsilon / size * (size - 1 + abs(2 * fill - (size - 1))),
    ],
    "ex-account-crossing": [15, 15.0, np.int64(15)],
    "ex-account-signs": [2, 2.0, np.float64(2.001)],
    "ex-account-guess": [estimated(GUESSES), list(estimated(guesses(2))), (0.6859, 0.00328)],
    # composition
    "ex-comp-mean": [
        mean_loss_by_law,
        lambda e, s: e * keep(e, s) * (1 - math.exp(-e)),
    ],
    "ex-comp-begin": [
        lambda e, s, d: math.log(d) / math.log(keep(e, s)),
        lambda e, s, d: -math.log(d) / math.log1p((s - 1) * math.exp(-e)),
    ],
    "ex-comp-step": [lambda e, k, s: keep(e, s) ** k * (1 - math.exp(-e)), step_by_bits],
    "ex-comp-simulate": [over_by_simulation(3), over_by_simulation(4)],
    # sampling-questions
    "ex-ask-split": [price, price_by_information],
    "ex-ask-sway": [share, share_by_length],
    "ex-ask-subset": [
        lambda epsilon, d, padding: math.log(1 + (math.exp(epsilon) - 1) / min(1, d / padding)),
        lambda epsilon, d, padding: (
            epsilon if d >= padding else math.log1p(math.expm1(epsilon) * padding / d)
        ),
    ],
    "ex-ask-signs": [
        lambda epsilon: 4 / (1 + math.sqrt(math.exp(epsilon))),
        lambda epsilon: 2 * (1 - math.tanh(epsilon / 4)),
    ],
    "ex-ask-simulate": [four_answers(1), four_by_hand(2)],
    # shuffling
    "ex-shuffle-blanket": [
        lambda n, k, e: (n - 1) * k / (k - 1 + math.exp(e)),
        lambda n, k, e: binom.mean(n - 1, 1 / (1 + math.expm1(e) / k)),
    ],
    "ex-shuffle-two": [two_shuffled, lambda x, y: two_shuffled(x, y, other=0)],
    "ex-shuffle-allowed": [3.8419, 3.84],
    "ex-shuffle-guess": [(0.6415, 0.0048), [0.6390, 0.0048], np.array([0.64, 0.0047])],
    # manipulation
    "ex-lie-down": [down_by_chances, lambda f, b, e: (1 - b) * f + b / (1 - math.exp(e))],
    "ex-lie-choices": [lambda e: 2 + math.exp(e), lambda e: 1 + math.exp(e) + math.cos(0)],
    "ex-lie-fits": [
        lambda e, s: s * (math.exp(e) - 1) / (s * (math.exp(e) - 1) + 2),
        lambda e, s: 1 - 2 / (2 + s * math.expm1(e)),
    ],
    "ex-lie-simulate": [forty(1), forty(2)],
    # again-and-again
    "ex-again-bit": [
        bit,
        lambda f, p, q: (lambda a, b: max(math.log(a / b), math.log((1 - b) / (1 - a))))(
            q - f / 2 * (q - p), p + f / 2 * (q - p)
        ),
    ],
    "ex-again-half": [half, lambda e, r: math.log(1 + 2 * math.cosh(e / 2)) / r],
    "ex-again-seasons": [
        lambda e, s: (math.sinh(e / 2) / math.sinh(e / 2 / s)) ** 2 / s,
        lambda e, s: (math.cosh(e) - 1) / (math.cosh(e / s) - 1) / s,
    ],
    "ex-again-nine": [(NINE, 0.00683), (NINE - 0.015, 0.007)],
}

WRONG = {
    # row-attack
    "ex-row-fixed": [
        (lambda k, n, s, e: min(2 * k, n) * e, "differs|other"),
        (lambda k, n, s, e: k * e, "differs"),
        (lambda k, n, s, e: 2 * min(k, n - k) * e, "differs"),
        (lambda k, n, s, e: min(2 * k, n), "differs|other"),
    ],
    "ex-row-belief": [
        (lambda a, b, c, d, e: 1 / (1 + math.exp(e * (c - a))), "differs"),
        (lambda a, b, c, d, e: math.exp(e * (a - b - c + d)), "differs"),
        (lambda a, b, c, d, e: 1 / (1 + math.exp(e * (c + d - a - b))), "differs"),
    ],
    "ex-row-two": [
        (lambda e, s: math.exp(e) / (1 + math.exp(e)), "differs"),
        (lambda e, s: math.exp(e) / (s + math.exp(e)), "differs"),
        (lambda e, s: of_two(e, s + 1), "differs"),
    ],
    "ex-row-crowd": [
        (FORTY, "pair"),
        ((FORTY, 0.485), "standard error"),
        ((0.70, 0.0072), "four standard errors"),
    ],
    # worker-epsilon
    "ex-account-fill": [
        (1.0, "function"),
        (lambda k, epsilon, size, fill: 2 * k * fill * epsilon / size, "equivalent"),
        (lambda k, epsilon, size, fill: k * max(fill, size - 1 - fill) * epsilon / size, "differs"),
        (lambda k, epsilon, size, fill: k * (size - 1) * epsilon / size, "differs"),  # for a random fill
        (lambda k, epsilon, size, fill: 2 * k * (size - 1) * epsilon / size, "differs"),
        (lambda k, epsilon, size, fill: 2 * k * epsilon, "differs"),
    ],
    "ex-account-crossing": [
        (14, "agree"),
        (16, "agree"),
        (0, "number of answers"),
        (14.98, "number of answers"),
        (1, "agree"),
        ("15", "finite"),
    ],
    "ex-account-signs": [
        (3, "agree"),
        (1, "agree"),
        (4, "no more than"),
        (3.0 * 1.5, "no more than"),  # without (D - 1) / D
        (math.nan, "finite"),
    ],
    "ex-account-guess": [
        *no_pairs(estimated(GUESSES)),
        (estimated(guesses(1, ties=False)), "four"),  # ties count as wrong
        ((1 / (1 + math.exp(-0.5)), estimated(GUESSES)[1]), "four"),  # uses the epsilon of a cell
        ((1.2, estimated(GUESSES)[1]), "probability"),
    ],
    # composition
    "ex-comp-mean": [
        (lambda e, s: e * math.tanh(e / 2), "two symbols reveals more"),
        (lambda e, s: e * keep(e, s), "differs"),
        (lambda e, s: e * e / s, "lost completely"),
        (lambda e, s: e * math.expm1(e) / (math.exp(e) + s), "differs"),
    ],
    "ex-comp-begin": [
        (lambda e, s, d: math.log(d) / math.log(keep(e, 2)), "differs"),
        (lambda e, s, d: math.log(d) / math.log(1 - keep(e, s)), "differs"),
        (lambda e, s, d: math.log(keep(e, s)) / math.log(d), "a smaller delta"),
    ],
    "ex-comp-step": [
        (lambda e, k, s: keep(e, s) ** k, "1/2"),
        (lambda e, k, s: keep(e, 2) ** k * (1 - math.exp(-e)), "differs"),
        (lambda e, k, s: keep(e, s) ** k * math.expm1(e), "1/2"),
        (lambda e, k, s: keep(e, s) ** k * (1 - math.exp(-2 * e)), "1/2"),
    ],
    "ex-comp-simulate": [
        (0.1, "pair"),
        (over_by_simulation(3, what="chance"), "four standard errors"),
        (over_by_simulation(3, s=2), "four standard errors"),
        ((over_by_simulation(3)[0], 316 * over_by_simulation(3)[1]), "standard error is not"),
        (as_of_a_share(over_by_simulation(3)[0]), "standard error is not"),
        (as_of_a_share(over_by_simulation(4)[0]), "standard error is not"),
    ],
    # sampling-questions
    "ex-ask-split": [
        (lambda n, epsilon, s: n, "differs"),
        (lambda n, epsilon, s: 1 / price(n, epsilon, s), "tends"),
        (lambda n, epsilon, s: n * price(n, epsilon, s), "tends"),
        (lambda n, epsilon, s: price(n, epsilon, 1.0), "differs"),
    ],
    "ex-ask-sway": [
        (lambda k, epsilon: math.tanh(epsilon / 2) / k, "differs"),
        (lambda k, epsilon: math.tanh(epsilon / 2) * min(1, math.sqrt(2 / math.pi / k)), "single"),
        (lambda k, epsilon: share(k, epsilon) / math.tanh(epsilon / 2), "single"),
        (lambda k, epsilon: share(k | 1, epsilon) if k < 9 else share(k + 2, epsilon), "other arguments"),
    ],
    "ex-ask-subset": [
        (lambda epsilon, d, padding: math.log1p(math.expm1(epsilon) * padding / d), "differs"),
        (lambda epsilon, d, padding: math.log1p(math.expm1(epsilon) * min(1, d / padding)), "differs"),
        (lambda epsilon, d, padding: epsilon, "differs"),
        (lambda epsilon, d, padding: epsilon + math.log(max(1, padding / d)), "differs"),
    ],
    "ex-ask-signs": [
        (lambda epsilon: 4 / (1 + math.exp(epsilon)), "differs"),
        (lambda epsilon: 2.0, "differs"),
        (lambda epsilon: 1 / (1 + math.exp(epsilon / 2)), "is two"),
    ],
    "ex-ask-simulate": [
        ((share(4, 2.0), math.sqrt(1 - share(4, 2.0) ** 2)), "factor of 1.2"),
        (four_answers(3, epsilon=400.0), "without noise"),
        (four_answers(3, row=(1, -1, 1)), "four standard errors"),
        (four_answers(4, row=(1, -1, 1, 1, 1, -1)), "four standard errors"),
        (four_by_hand(5, lie=1.5 / (math.exp(2) + 2)), "four standard errors"),  # three-symbol noise
        (four_by_hand(6, ties=(0,)), "standard error is not"),
        ((math.sqrt(1 / 2 / math.pi) * math.tanh(1), 0.0021), "four standard errors"),  # for many answers
        ((1 / 4, 0.0021), "four standard errors"),
    ],
    # shuffling
    "ex-shuffle-blanket": [
        (lambda n, k, e: n * k / (k - 1 + math.exp(e)), "no one to hide"),
        (lambda n, k, e: (n - 1) * math.exp(-e), "differs"),  # the number of clones
        (lambda n, k, e: (n - 1) * (k - 1) / (k - 1 + math.exp(e)), "differs"),  # the number of liars
        (lambda n, k, e: (n - 1) * 2 / (k - 1 + math.exp(e)), "differs"),  # reports of both symbols only
        (lambda n, k, e: n - 1, "no report is uniform"),
    ],
    "ex-shuffle-two": [
        (lambda x, y: max(0.0, math.exp(x) - math.exp(y)) / (1 + math.exp(x)), "without a shuffler"),
        (lambda x, y: two_shuffled(x, y, directions=(0,)), "differs|other arguments"),
        (lambda x, y: 0.0, "differs"),
        (lambda x, y: two_shuffled(x, 0.0), "no delta is left"),
        (0.1, "function"),
    ],
    "ex-shuffle-allowed": [
        (0.5, "agree"),
        (2.0, "agree"),
        (math.log(100_000 / 16 / math.log(2e6)), "agree"),
    ],
    "ex-shuffle-guess": [
        ((0.75, 0.0043), "without it, fewer"),
        ((0.6406, 0.48), "independent trials"),
        ((0.6406, 0.0), "independent trials"),
        ((0.6172, 0.0049), "exact value"),  # guesses the first choice only after at least two reports of it
        (0.64, "pair"),
    ],
    # manipulation
    "ex-lie-down": [
        (lambda f, b, e: (1 - b) * f, "differs"),
        (lambda f, b, e: f - b / math.expm1(e), "differs"),
        (lambda f, b, e: (1 - b) * f + b * math.exp(e) / math.expm1(e), "differs"),
        (lambda f, b, e: f, "differs"),
    ],
    "ex-lie-choices": [
        (lambda e: math.exp(e) + 1, "about three"),
        (lambda e: 3 * math.exp(e) + 2, "about three"),
        (lambda e: 3 + e, "differs"),
    ],
    "ex-lie-fits": [
        (lambda e, s: s * math.expm1(e) / 2, "between 0 and 1"),
        (lambda e, s: s * math.expm1(e) / (s * math.expm1(e) + 1), "differs"),
        (lambda e, s: math.expm1(e) / (math.expm1(e) + 2), "differs"),
    ],
    "ex-lie-simulate": [
        (0.3, "pair"),
        (forty(1, sent=0), "more frequent"),
        (forty(1, others=1510), "four standard errors"),
        (forty_redrawn(1), "in every trial"),
        ((forty(1)[0], 100 * forty(1)[1]), "standard error is not"),
    ],
    # again-and-again
    "ex-again-bit": [
        (lambda f, p, q: math.log((1 - f / 2) / (f / 2)) if f else math.inf, "differs"),
        (lambda f, p, q: math.log((q - f / 2 * (q - p)) / (p + f / 2 * (q - p))), "differs|other"),
        (lambda f, p, q: bit(0.0, p, q), "differs"),
        (lambda f, p, q: 2 * bit(f, p, q), "differs"),
    ],
    "ex-again-half": [
        (lambda e, r: e / 2 / r, "differs"),
        (lambda e, r: math.log(1 + 2 * math.cosh(e / 2)), "differs"),
        (lambda e, r: math.ceil(half(e, r)), "differs"),
    ],
    "ex-again-seasons": [
        (lambda e, s: s, "differs"),
        (lambda e, s: (math.sinh(e / 2) / math.sinh(e / 2 / s)) ** 2, "differs"),
        (lambda e, s: s / (math.sinh(e / 2) / math.sinh(e / 2 / s)) ** 2, "differs"),
    ],
    "ex-again-nine": [
        (NINE, "pair"),
        ((NINE, 0.483), "standard error"),
        ((NINE_KEPT, 0.007), "four standard errors"),
        ((0.7785, 0.0059), "four standard errors"),  # share for the permanent answer
    ],
}
