"""Right and wrong answers to the exercises of the part on practice."""

import math

import numpy as np
from scipy.stats import beta
from simulations import estimated, no_pairs

# floating-point


def by_fractions(answer, output):
    """1.0 if noise of one of the three doubles nearest to the difference gives the output, otherwise 0.0."""
    z = output - answer
    return float(any(answer + x == output for x in np.nextafter(z, [-np.inf, z, np.inf])))


def by_halving(answer, output):
    low, high = -1e300, 1e300
    while math.nextafter(low, math.inf) < high:
        middle = low / 2 + high / 2
        if not low < middle < high:
            middle = math.nextafter(low, math.inf)
        low, high = (low, middle) if answer + middle >= output else (middle, high)
    return 1.0 if answer + high == output else 0.0


def beside(answer, output, towards):
    """Wrong, as it tries only two of the three doubles."""
    near = output - answer
    return float(any(answer + x == output for x in (near, math.nextafter(near, towards))))


def by_search(epsilon, s, bits):
    """The exact ratio, by search for the largest number of words that the symbol itself may have."""
    best = next(
        q
        for q in range(int(2**bits / (math.exp(epsilon) + s - 1)) - 2, 2**bits)
        if q > 0 and 2**bits - (s - 1) * q <= math.exp(epsilon) * q
    )
    return 2**bits / best - (s - 1)


def rests(epsilon):
    w = 10 * math.ceil(1 / epsilon) + 10
    while math.ceil(math.exp(-epsilon / 2) * w) < w:
        w = math.ceil(math.exp(-epsilon / 2) * w)
    return w


def five_bits(seed, keep=18):
    return np.random.default_rng(seed).integers(0, 32, 50_000) < keep


# audit


def alarms(seed, *, least=None, trials=10_000):
    """Share of audits that alarm, with its error: from `least` of 22 right guesses, or by the exact limit."""
    right = np.random.default_rng(seed).binomial(22, math.e / (1 + math.e), trials)
    if least is None:
        found = beta.ppf(0.05, np.maximum(right, 1), 23 - right) > math.e / (1 + math.e)
    else:
        found = right >= least
    return found.mean(), found.std() / math.sqrt(trials)


def by_bisection(m, alpha):
    low, high = 0.0, 60.0
    for _ in range(200):
        middle = (low + high) / 2
        right = m * -math.log1p(math.exp(-middle))
        low, high = (middle, high) if right < math.log(alpha) else (low, middle)
    return low


# scale


def bits_by_law(epsilon, n_symbols):
    law = np.exp([epsilon, *[0.0] * (n_symbols - 1)])
    law /= law.sum()
    return float(-(law @ np.log2(law)))


def bits_in_closed_form(epsilon, n_symbols):
    odds = math.exp(epsilon)
    return math.log2(odds + n_symbols - 1) - odds * epsilon / (odds + n_symbols - 1) / math.log(2)


def twice_by_counts(m, k, inside, outside):
    said, again = k * inside + (m - k) * outside, 2 * k * inside + (m - k) * outside
    return again / (m + k) - said / m


def retried(seed, fails=0.3, last_only=False, until_five=False):
    """Whether the majority of all remaining draws is the answer; a coin decides ties."""
    rng = np.random.default_rng(seed)
    draws = rng.geometric(1 - fails, 100_000)
    draws = np.full_like(draws, 1) if last_only else np.minimum(draws, 5) + 4 if until_five else draws
    true = rng.binomial(draws, math.e / (1 + math.e))
    return np.where(2 * true == draws, rng.random(100_000) < 0.5, 2 * true > draws).astype(float)


def draw_by_draw(seed):
    rng = np.random.default_rng(seed)
    balance, left = np.zeros(100_000), np.ones(100_000, dtype=bool)
    while left.any():
        balance[left] += np.where(rng.random(left.sum()) < 1 / (1 + math.exp(-1)), 1, -1)
        left[left] = rng.random(left.sum()) < 0.3
    return (balance > 0) + 0.5 * (balance == 0)


# survey


def by_bayes(pi, nu, epsilon):
    """By the table of three symbols: yes, NULL, anything else."""
    weights = [pi, nu * math.exp(epsilon), 1 - pi - nu]
    return weights[0] / sum(weights)


def both_kinds(f, s, epsilon, tau):
    p, q = (w / (math.exp(epsilon) + s - 1) for w in (math.exp(epsilon), 1))
    coins = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (p - q) ** 2
    return (f * (1 - f) + coins) / tau**2


def coins_alone(f, s, epsilon, tau):
    return both_kinds(f, s, epsilon, tau) - f * (1 - f) / tau**2


def guesses_of_cheaters(seed, believed=(0, 1, 1)):
    """Whether a curator is right that takes each report for the answer in `believed`."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, 20_000, p=[0.3, 0.6, 0.1])
    forget = rng.random(20_000) < 3 / (math.exp(1.5) + 2)
    sent = np.where(forget, rng.integers(0, 3, 20_000), truth)
    return np.array(believed)[sent] == truth


# instructions


def on_the_line(p1, q1, q2):
    """The second p, by a line through the first design and the coin."""
    slope, height = np.polyfit([q1, 0.5], [p1, 0.5], 1)
    return float(slope * q2 + height)


def by_determinant(p1, q1, q2):
    """The second p, at which the two rows (q - 1/2, p - q) are dependent."""
    return q2 + (p1 - q1) * (q2 - 0.5) / (q1 - 0.5)


def denied(p, q, t):
    """The largest loss of the channel's matrix, entry by entry."""
    channel = np.array([[p * (1 - t), 1 - p + p * t], [q, 1 - q]])
    return float(np.abs(np.log(channel[0] / channel[1])).max())


def denied_by_odds(p, q, t):
    odds = [(1 - t) * p / q, q / p / (1 - t), (1 - q) / (1 - p + t * p), (1 - p + t * p) / (1 - q)]
    return math.log(max(odds))


def coins_of_some(seed, coin=0.2, always=None):
    """Decoded reports of 20,000 people, some of whom do not follow the instructions."""
    rng = np.random.default_rng(seed)
    true, sides = rng.random(20_000) < 0.3, rng.integers(1, 7, 20_000)
    says = np.select([sides == 1, sides == 6], [False, True], true)
    other = rng.random(20_000) < 0.5 if always is None else always
    return (np.where(rng.random(20_000) < coin, other, says) - 1 / 6) / (2 / 3)


# regression


def by_two_variances(f, p, q):
    """Variance of a decoded report over that of an answer."""
    r = f * p + (1 - f) * q
    return r * (1 - r) / (p - q) ** 2 / (f * (1 - f))


def by_two_halvings(f, n, tau):
    low, high = 1e-9, 60.0
    for _ in range(200):
        e = (low + high) / 2
        r = (1 + math.expm1(e) * f) / (math.exp(e) + 1)
        enough = r * (1 - r) / (n * math.tanh(e / 2) ** 2) <= tau**2
        low, high = (low, e) if enough else (e, high)
    return high


def by_both_beliefs(f, p, q, o1, o0):
    yes = f * p / (f * p + (1 - f) * q)
    no = f * (1 - p) / (f * (1 - p) + (1 - f) * (1 - q))
    return (yes * o1 + (1 - yes) * o0) - (no * o1 + (1 - no) * o0)


def ten_looks(seed, *, at=range(50, 501, 50), z=1.96):
    rng = np.random.default_rng(seed)
    said = (rng.random((20_000, 500), dtype=np.float32) < 0.4).cumsum(axis=1)
    n = np.array(at)
    rates = said[:, n - 1] / n
    return (np.abs(rates - 0.4) > z * np.sqrt(rates * (1 - rates) / n)).any(axis=1)


RIGHT = {
    # floating-point
    "ex-float-reach": [by_fractions, by_halving],
    "ex-float-words": [
        by_search,
        lambda e, s, b: 2**b / math.ceil(2**b / (s - 1 + math.exp(e))) - s + 1,
    ],
    "ex-float-level": [rests, lambda e: math.floor(1 / (1 - math.exp(-e / 2)))],
    "ex-float-kept": [estimated(five_bits(1)), estimated(five_bits(2))],
    # audit
    "ex-audit-ceiling": [
        by_bisection,
        lambda m, alpha: math.log(alpha) / m - math.log(-math.expm1(math.log(alpha) / m)),
    ],
    "ex-audit-own": [
        lambda e, k: math.log(1 + k / (k - 1) * math.exp(e)),
        lambda e, k: math.log((math.exp(e) + (k - 1) / k) / ((k - 1) / k)),
    ],
    "ex-audit-coin": [
        lambda e, h: e + math.log(max(h, 1 - h) / min(h, 1 - h)),
        lambda e, h: math.log(max(h / (1 - h), (1 - h) / h) * math.exp(e)),
    ],
    "ex-audit-simulate": [alarms(1), alarms(2)],
    # scale
    "ex-scale-bits": [bits_by_law, bits_in_closed_form],
    "ex-scale-twice": [
        twice_by_counts,
        lambda m, k, a, b: (a - b) * (2 * k / (m + k) - k / m),
    ],
    "ex-scale-retries": [estimated(retried(1)), estimated(draw_by_draw(2))],
    # survey
    "ex-survey-null": [
        by_bayes,
        lambda pi, nu, e: pi / (1 - nu + nu * math.exp(e)),
    ],
    "ex-survey-workers": [
        both_kinds,
        lambda f, s, e, t: (
            (1 + math.expm1(e) * f) * (math.exp(e) + s - 2 - math.expm1(e) * f) / (math.expm1(e) * t) ** 2
        ),
    ],
    "ex-survey-even": [math.log(3 + 2 * math.sqrt(2)), 2 * math.asinh(1.0), 1.7627],
    "ex-survey-guess": [estimated(guesses_of_cheaters(seed)) for seed in (1, 2)],
    # instructions
    "ex-instr-line": [on_the_line, by_determinant],
    "ex-instr-widen": [0.8 * ((831 / 2435 - 1 / 6) * 1.5 - 0.1), 0.12953],
    "ex-instr-denial": [denied, denied_by_odds],
    "ex-instr-coins": [estimated(coins_of_some(seed)) for seed in (1, 2)],
    # regression
    "ex-regr-worth": [
        by_two_variances,
        lambda f, p, q: 1 + (f * p * (1 - p) + (1 - f) * q * (1 - q)) / ((p - q) ** 2 * f * (1 - f)),
    ],
    "ex-regr-epsilon": [
        by_two_halvings,
        lambda f, n, t: 2 * math.atanh((1 + 4 * (n * t * t - f + f * f)) ** -0.5),
    ],
    "ex-regr-blur": [
        by_both_beliefs,
        lambda f, p, q, o1, o0: (o1 - o0) / (p - q) / by_two_variances(f, p, q),
    ],
    "ex-regr-looks": [estimated(ten_looks(seed)) for seed in (1, 2)],
}

WRONG = {
    # floating-point
    "ex-float-reach": [
        (lambda a, y: float(a + (y - a) == y), "differs"),
        (lambda a, y: 1.0, "differs"),
        (lambda a, y: float(a == 0), "differs"),
        (lambda a, y: float(abs(a + (y - a) - y) < 1e-12), "differs"),
        (lambda a, y: beside(a, y, -math.inf), "differs"),
        (lambda a, y: beside(a, y, math.inf), "differs"),
        (lambda a, y: float(y % math.ulp(y - a) == 0), "differs"),
    ],
    "ex-float-words": [
        (lambda e, s, b: math.exp(e), "differs"),
        (lambda e, s, b: 2**b / round(2**b / (math.exp(e) + s - 1)) - s + 1, "differs|other"),
        (lambda e, s, b: 2**b / math.floor(2**b / (math.exp(e) + s - 1)) - s + 1, "differs"),
        (lambda e, s, b: 2**b / math.ceil(2**b / (math.exp(e) + s)) - s, "differs"),
        (lambda e, s, b: math.log(by_search(e, s, b)), "differs"),
    ],
    "ex-float-level": [
        (lambda e: math.ceil(1 / (1 - math.exp(-e / 2))), "differs"),
        (lambda e: math.floor(1 / (1 - math.exp(-e))), "differs"),
        (lambda e: 1, "differs"),
        (lambda e: 1 / (1 - math.exp(-e / 2)), "differs"),
    ],
    "ex-float-kept": [
        (estimated(np.random.default_rng(1).random(50_000) < 0.5761), "four standard errors"),
        (estimated(five_bits(1, 19)), "four standard errors"),
        *no_pairs(estimated(five_bits(1))),
    ],
    # audit
    "ex-audit-ceiling": [
        (lambda m, alpha: math.log(m / math.log(1 / alpha)), "differs"),
        (lambda m, alpha: -math.log(math.expm1(-math.log(alpha / 2) / m)), "differs"),
        (lambda m, alpha: -math.log(alpha) / m, "larger bound"),
        (lambda m, alpha: math.log(m), "differs"),
    ],
    "ex-audit-own": [
        (lambda e, k: math.log(1 + math.exp(e)), "differs"),
        (lambda e, k: math.log(1 + k * math.exp(e)), "differs"),
        (lambda e, k: math.log(5 / 6 * (math.exp(e) - 1)), "larger than intended"),
    ],
    "ex-audit-coin": [
        (lambda e, h: e + math.log(h / (1 - h)), "differs"),
        (lambda e, h: e, "differs"),
        (lambda e, h: e + abs(math.log(2 * h)), "differs"),
        (lambda e, h: math.log(h * math.exp(e) + 1 - h), "fair coin"),
    ],
    "ex-audit-simulate": [
        (0.04, "pair"),
        (alarms(1, least=19), "one in twenty"),
        (alarms(1, least=21), "four standard errors"),  # the two-sided limit, at half the level
        (alarms(1, least=22), "four standard errors"),
        ((0.05, 0.00218), "four standard errors"),  # the level and its standard error, without simulation
        ((0.025, 0.00156), "four standard errors"),
        ((alarms(1)[0], alarms(1)[1] * 100), "standard error is not"),
    ],
    # scale
    "ex-scale-bits": [
        (lambda e, s: math.log2(s), "differs"),
        (lambda e, s: bits_by_law(e, s) * math.log(2), "uniform draw"),
        (lambda e, s: bits_by_law(e, s + 1), "uniform draw"),
        (lambda e, s: bits_by_law(e, 3), "uniform draw"),
        (lambda e, s: e / math.log(2), "uniform draw"),
    ],
    "ex-scale-twice": [
        (lambda m, k, a, b: (2 * k * a + (m - k) * b) / m - (k * a + (m - k) * b) / m, "no harm"),
        (lambda m, k, a, b: -twice_by_counts(m, k, a, b), "towards"),
        (lambda m, k, a, b: k / m * (a - b), "differs"),
        (lambda m, k, a, b: abs(twice_by_counts(m, k, a, b)), "differs"),
    ],
    "ex-scale-retries": [
        (estimated(retried(1, last_only=True)), "four standard errors"),
        (estimated(retried(1, until_five=True)), "four standard errors"),
        (estimated(retried(1, fails=0.7)), "four standard errors"),
        *no_pairs(estimated(retried(1))),
    ],
    # survey
    "ex-survey-null": [
        (lambda pi, nu, e: pi / (1 + math.expm1(e) * pi), "differs"),
        (lambda pi, nu, e: pi * math.exp(-e), "differs"),
        (lambda pi, nu, e: pi * math.exp(e) / (1 + math.expm1(e) * nu), "smaller than before"),
        (lambda pi, nu, e: pi / (1 - nu), "smaller than before"),
        (lambda pi, nu, e: pi, "smaller than before"),
    ],
    "ex-survey-workers": [
        (coins_alone, "without privacy"),
        (lambda f, s, e, t: both_kinds(f, s + 1, e, t), "differs"),
        (lambda f, s, e, t: both_kinds(f, s, e, t) * t, "without privacy"),
        (lambda f, s, e, t: both_kinds(f, 2, e, t), "differs"),
    ],
    "ex-survey-even": [
        (math.log(3 - 2 * math.sqrt(2)), "does not agree"),
        (3 + 2 * math.sqrt(2), "does not agree"),
        (math.log((3 + math.sqrt(5)) / 2), "does not agree"),  # compared with 1/N, not 1/(4 N)
    ],
    "ex-survey-guess": [
        *no_pairs(estimated(guesses_of_cheaters(1))),
        (estimated(guesses_of_cheaters(1, (0, 1, 2))), "four standard errors"),  # each report is believed
        (estimated(guesses_of_cheaters(1, (1, 1, 1))), "four standard errors"),  # no report is believed
        (estimated(guesses_of_cheaters(1, (1, 1, 2))), "four standard errors"),
        ((0.7149, 0.4515), "independent trials"),
    ],
    # instructions
    "ex-instr-line": [
        (lambda p1, q1, q2: 1 - q2, "differs"),  # right for symmetric designs only
        (lambda p1, q1, q2: p1 + q1 - q2, "differs"),
        (lambda p1, q1, q2: p1 * q2 / q1, "partner of a sym"),  # on a line with people who always say no
        (lambda p1, q1, q2: 1 - (1 - p1) * (1 - q2) / (1 - q1), "partner of a sym"),
        (lambda p1, q1, q2: 0.5 - on_the_line(p1, q1, q2) + 0.5, "partner of a sym"),
        (lambda p1, q1, q2: 0.5 + (p1 - 0.5) * (q2 - 0.5) / (q1 - 0.5) * (1 if q1 < 0.5 else -1), "differs"),
    ],
    "ex-instr-widen": [
        ((831 / 2435 - 1 / 6) / (2 / 3) - 0.1, "does not agree"),  # widened by c alone
        (0.8 * (831 / 2435 - 0.1), "does not agree"),  # not decoded
        (0.8 * ((831 / 2457 - 1 / 6) * 1.5 - 0.1), "does not agree"),  # missing answers counted as no
        (4 * ((831 / 2435 - 1 / 6) * 1.5 - 0.1), "does not agree"),  # assumes that the others say no
    ],
    "ex-instr-denial": [
        (lambda p, q, t: abs(math.log((1 - t) * p / q)), "differs"),
        (lambda p, q, t: abs(math.log((1 - (1 - t) * p) / (1 - q))), "differs"),
        (lambda p, q, t: max(math.log((1 - t) * p / q), math.log((1 - q) / (1 - (1 - t) * p))), "differs"),
        (lambda p, q, t: math.log(p * (1 - q) / q / (1 - p)), "nothing is revealed"),
        (lambda p, q, t: denied(p, q, 0.0), "nothing is revealed"),
    ],
    "ex-instr-coins": [
        *no_pairs(estimated(coins_of_some(1))),
        (estimated(coins_of_some(1, coin=0.0)), "four standard errors"),
        (estimated(coins_of_some(1, always=0)), "four standard errors"),
        (estimated(coins_of_some(1) * (2 / 3) + 1 / 6), "four standard errors"),  # not decoded
        ((0.34, 0.34 * 0.66), "standard error is not"),
    ],
    # regression
    "ex-regr-worth": [
        (lambda f, p, q: 1 / by_two_variances(f, p, q), "at least 1"),
        (lambda f, p, q: 1 / (p - q) ** 2, "differs"),
        (lambda f, p, q: 1 / abs(p - q), "differs"),
        (lambda f, p, q: 1 + q * (1 - q) / ((p - q) ** 2 * f * (1 - f)), "differs"),  # symmetric device
    ],
    "ex-regr-epsilon": [
        (lambda f, n, t: math.log1p(2 / (math.sqrt(1 + 4 * n * t**2) - 1)), "differs"),  # only the coins
        (lambda f, n, t: by_two_halvings(0.5, n, t), "differs"),
        (lambda f, n, t: math.expm1(by_two_halvings(f, n, t)), "differs"),
    ],
    "ex-regr-blur": [
        (lambda f, p, q, o1, o0: (p - q) * (o1 - o0), "differs"),
        (lambda *given: -by_both_beliefs(*given), "nothing is blurred"),
        (lambda *given: abs(by_both_beliefs(*given)), "differs|other"),
        (lambda f, p, q, o1, o0: by_both_beliefs(f, p, 1 - p, o1, o0), "differs"),
    ],
    "ex-regr-looks": [
        (estimated(ten_looks(1, at=[500])), "more often than one"),
        (estimated(ten_looks(1, at=range(50, 501))), "four standard errors"),
        (estimated(ten_looks(1, z=1.645)), "four standard errors"),
        ((0.4013, 0.00347), "four standard errors"),  # treats ten looks at five per cent as independent
        *no_pairs(estimated(ten_looks(1))),
    ],
}
