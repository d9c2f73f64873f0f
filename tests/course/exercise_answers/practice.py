"""Right and wrong answers to the exercises of the part on practice."""

import math

import numpy as np
from scipy.stats import beta
from simulations import estimated, no_pairs

# floating-point


def by_fractions(answer, output):
    """In exact numbers: the noise that rounds to the output fills an interval; is a double inside?"""
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
    """Only two of the three doubles."""
    near = output - answer
    return float(any(answer + x == output for x in (near, math.nextafter(near, towards))))


def by_search(epsilon, s, bits):
    """The most words that the symbol itself may have."""
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
    """Share of audits of 22 guesses with at least so many right; by the exact limit if nothing is said."""
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
    """Whether the majority of all draws left behind is the answer, ties by coin."""
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
    """From the table of three symbols: yes, NULL, anything else."""
    weights = [pi, nu * math.exp(epsilon), 1 - pi - nu]
    return weights[0] / sum(weights)


def both_kinds(f, s, epsilon, tau):
    p, q = (w / (math.exp(epsilon) + s - 1) for w in (math.exp(epsilon), 1))
    coins = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (p - q) ** 2
    return (f * (1 - f) + coins) / tau**2


def coins_alone(f, s, epsilon, tau):
    return both_kinds(f, s, epsilon, tau) - f * (1 - f) / tau**2


def guesses_of_cheaters(seed, believed=(0, 1, 1)):
    """Whether a curator is right who takes a report for that."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, 20_000, p=[0.3, 0.6, 0.1])
    forget = rng.random(20_000) < 3 / (math.exp(1.5) + 2)
    sent = np.where(forget, rng.integers(0, 3, 20_000), truth)
    return np.array(believed)[sent] == truth


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
        (alarms(1, least=21), "four standard errors"),  # the limit of both sides, at half the level
        (alarms(1, least=22), "four standard errors"),
        ((0.05, 0.00218), "four standard errors"),  # the level and what goes with it, nothing simulated
        ((0.025, 0.00156), "four standard errors"),
        ((alarms(1)[0], alarms(1)[1] * 100), "standard error is not"),
    ],
    # scale
    "ex-scale-bits": [
        (lambda e, s: math.log2(s), "differs"),
        (lambda e, s: bits_by_law(e, s) * math.log(2), "fair draw"),
        (lambda e, s: bits_by_law(e, s + 1), "fair draw"),
        (lambda e, s: bits_by_law(e, 3), "fair draw"),
        (lambda e, s: e / math.log(2), "fair draw"),
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
        (coins_alone, "in the clear"),
        (lambda f, s, e, t: both_kinds(f, s + 1, e, t), "differs"),
        (lambda f, s, e, t: both_kinds(f, s, e, t) * t, "in the clear"),
        (lambda f, s, e, t: both_kinds(f, 2, e, t), "differs"),
    ],
    "ex-survey-even": [
        (math.log(3 - 2 * math.sqrt(2)), "does not agree"),
        (3 + 2 * math.sqrt(2), "does not agree"),
        (math.log((3 + math.sqrt(5)) / 2), "does not agree"),  # against 1/N, not 1/(4 N)
    ],
    "ex-survey-guess": [
        *no_pairs(estimated(guesses_of_cheaters(1))),
        (estimated(guesses_of_cheaters(1, (0, 1, 2))), "four standard errors"),  # each report is believed
        (estimated(guesses_of_cheaters(1, (1, 1, 1))), "four standard errors"),  # no report is
        (estimated(guesses_of_cheaters(1, (1, 1, 2))), "four standard errors"),
        ((0.7149, 0.4515), "independent trials"),
    ],
}
