"""Right and wrong answers to the exercises of the part localization."""

import math
from unittest.mock import ANY

import numpy as np
from simulations import estimated, no_pairs

from ldpbook.localization.noisy_distances import halved_distance, rice_distance


def difference_of_means(first, second):
    return np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))


def corrected(correction):
    """Distance of the means, with the square corrected by a function of R and sigma."""
    return lambda first, second, sigma: math.sqrt(
        max(0.0, difference_of_means(first, second) ** 2 + correction(len(first), sigma))
    )


def of_the_first_80(first, second, sigma):
    return corrected(lambda n, sigma: -2 * sigma**2 / n)(first[:80], second[:80], sigma)


def residual(weights, u):
    """Another scheme: whole copies first, the remainder picked systematically."""
    whole = np.floor(len(weights) * weights + 1e-12)
    left = len(weights) * weights - whole
    ends = np.concatenate([[0], left[::-1].cumsum()])[::-1]
    return whole + (np.ceil(ends[:-1] - u - 1e-12) - np.ceil(ends[1:] - u - 1e-12))


def systematic_in_a_loop(weights, u):
    copies, reached, s = [], 0.0, 0
    for weight in weights[:-1]:
        reached += weight
        count = 0
        while s < len(weights) and (s + u) / len(weights) <= reached:
            s, count = s + 1, count + 1
        copies.append(count)
    return [*copies, len(weights) - s]


def all_random_numbers(c, m, n):
    return any((1 + m * n) * pow(r, n, n**2) % n**2 == c for r in range(1, n))


def is_nth_power(c, m, n):
    """Whether c / (1 + n)^m holds no plaintext, so that it is an nth power; a small n is factored."""
    p = next(p for p in range(2, n) if n % p == 0)
    power = math.lcm(p - 1, n // p - 1)
    return pow(c * pow(1 + m * n, -1, n**2), power, n**2) == 1


def decrypted(c, n):
    p = next(p for p in range(2, n) if n % p == 0)
    power = math.lcm(p - 1, n // p - 1)
    return (pow(c, power, n**2) - 1) // n * pow(power, -1, n) % n


def modulo_one_prime(c, m, n, larger):
    """Check the plaintext modulo only one of the two primes."""
    p = next(p for p in range(2, n) if n % p == 0)
    p = n // p if larger else p
    return (decrypted(c, n) - m) % p == 0


def missed(seed):
    """Shares of 5,000 clouds of 20 particles that 20 independent picks miss."""
    picks = np.random.default_rng(seed).integers(0, 20, (5000, 20))
    return np.array([1 - len(set(row)) / 20 for row in picks.tolist()])


def repeats(seed, n_values=2668):
    draws = np.sort(np.random.default_rng(seed).integers(0, n_values, (100_000, 50)), axis=1)
    return (np.diff(draws, axis=1) == 0).any(axis=1)


def sure_of_the_wrong(seed, n_particles=10, limit=0.99):
    heard = np.random.default_rng(seed).normal(20, 2, 20_000)
    odds = n_particles * ((heard - 20) ** 2 - (heard - 22) ** 2) / 8
    return 1 / (1 + np.exp(-odds)) > limit


def far_off(seed, n_particles=100):
    noise = np.random.default_rng(seed).normal(0, 9, (2000, 2, n_particles))
    return np.hypot(*noise.mean(axis=2).T)


def right_between_two(seed, n_particles=16, *, vote=False):
    """Whether 20,000 users at 1 m east or west are placed right, with noise of 5 m on each particle."""
    rng = np.random.default_rng(seed)
    side = rng.choice([-1, 1], 20_000)
    heard = rng.normal(side, 5, (n_particles, 20_000))
    return side * (np.sign(heard).sum(axis=0) + 0.5 if vote else heard.sum(axis=0)) > 0


def squares_left(seed):
    """Squared distances of two noisy points of one place minus their bias, with noise of 3 m."""
    steps = np.random.default_rng(seed).normal(0, 3, (2, 2, 20_000))
    return ((steps[0] - steps[1]) ** 2).sum(axis=0) - 4 * 9


MISSED, REPEATS, SURE, FAR = missed(1), repeats(1), sure_of_the_wrong(1), far_off(1)
GUESSED, SQUARES = right_between_two(1), squares_left(1)
REAL = np.sqrt(SQUARES[SQUARES > 0])


# Per exercise at least two right answers, written differently; the book's own solution comes first.
RIGHT = {
    "ex-particles-circles": [[(3, 4), (3, -4)], np.array([[3.0, -4.0], [3.0, 4.0]])],
    "ex-particles-systematic": [
        lambda weights, u: np.bincount(
            np.searchsorted(weights.cumsum()[:-1], (np.arange(len(weights)) + u) / len(weights)),
            minlength=len(weights),
        ),
        systematic_in_a_loop,
        lambda weights, u: np.diff(
            [0, *np.floor(len(weights) * weights.cumsum()[:-1] - u).astype(int) + 1, len(weights)]
        ),
    ],
    "ex-encrypted-subtract": [
        lambda a, b, n: a * pow(b, -1, n**2) % n**2,
        lambda a, b, n: a * pow(b, n - 1, n**2) % n**2,
    ],
    "ex-encrypted-deterministic": [lambda c, n: (c - 1) // n, lambda c, n: divmod(c, n)[0]],
    "ex-encrypted-length": [142, 142.0, np.int64(142)],
    "ex-encrypted-guess": [
        all_random_numbers,
        is_nth_power,
        lambda c, m, n: np.bool_(decrypted(c, n) == m),
    ],
    "ex-forgotten-leak": [
        lambda kernel, messages: np.linalg.solve(kernel, np.exp(messages)),
        lambda kernel, messages: list(np.linalg.inv(kernel) @ [math.exp(m) for m in messages]),
        lambda kernel, messages: np.linalg.lstsq(kernel, np.exp(messages), rcond=None)[0],
    ],
    "ex-perturbed-variation": [2 * 0.6914624612740131 - 1, np.float64(0.383), math.erf(0.5 / math.sqrt(2))],
    "ex-perturbed-loss": [(0.125, 0.25), np.array([1 / 8, 0.2496])],
    "ex-perturbed-delta": [8.4234, np.float64(8.42)],
    "ex-perturbed-average": [1, 1.0, np.float64(1.0)],
    "ex-perturbed-guess": [
        estimated(GUESSED),
        list(estimated(right_between_two(2))),
        (1 - math.erfc(0.8 / math.sqrt(2)) / 2, 0.0029),
    ],
    "ex-distances-three": [4, 4.0],
    "ex-distances-many": [
        lambda first, second, sigma: math.sqrt(
            max(0.0, difference_of_means(first, second) ** 2 - 2 * sigma**2 / len(first))
        ),
        lambda first, second, sigma: halved_distance(
            difference_of_means(first, second), sigma=sigma / math.sqrt(len(first))
        ),
        lambda first, second, sigma: rice_distance(
            difference_of_means(first, second), sigma=sigma / math.sqrt(len(first))
        ),
    ],
    "ex-distances-negative": [0.794, np.float64(0.7941)],
    "ex-distances-left-out": [
        estimated(REAL),
        np.array(estimated(np.sqrt((left := squares_left(2))[left >= 0]))),
        (3 * math.sqrt(math.pi), 3 * math.sqrt((4 - math.pi) / 7358)),
    ],
    "ex-particles-independent": [
        estimated(MISSED),
        list(estimated(missed(2))),
        (0.95**20, np.float32(0.00099)),
    ],
    "ex-encrypted-repeat": [
        estimated(REPEATS),
        estimated(repeats(2)),
        (0.37, 0.00153),
    ],
    "ex-forgotten-temper": [
        lambda measured, a: measured if measured > 2 * a else 0.0,
        lambda measured, a: min(
            (0.0, a, max(measured, a)), key=lambda x: (x + a - measured) ** 2 + (abs(x - a) - measured) ** 2
        ),
    ],
    "ex-forgotten-sure": [estimated(SURE), np.array(estimated(sure_of_the_wrong(2))), (0.1687, 0.00265)],
    "ex-experiment-believed": [
        lambda s, sigma, n: math.sqrt(s**2 + sigma**2 * (1 + 1 / n)),
        lambda s, sigma, n: np.linalg.norm([s, sigma, sigma / n**0.5]),
    ],
    "ex-experiment-break-even": [
        lambda gain, error, m, z: math.ceil(m * (z * error / gain) ** 2),
        lambda gain, error, m, z: np.ceil((z / (abs(gain) / (error * m**0.5))) ** 2),
        lambda gain, error, m, z: next(k for k in range(1, 10**7) if abs(gain) >= z * error * (m / k) ** 0.5),
    ],
    "ex-experiment-mean": [
        estimated(FAR),
        estimated(far_off(2)),
        (0.9 * math.sqrt(math.pi / 2), 0.0132),
    ],
}
# Each wrong answer comes with a part of its message.
WRONG = {
    "ex-particles-circles": [
        ([(3, 0), (3, 4)], "5 m"),
        ([(3, 4), (3, 4)], "same"),
        ((3, 4), "two pairs"),
        ([(3, 4), (3, -4.1)], "5 m"),
    ],
    "ex-particles-systematic": [
        (lambda weights, u: [len(weights)] + [0] * (len(weights) - 1), "every particle"),
        (lambda weights, u: weights * len(weights), "rounded"),
        (lambda weights, u: np.zeros(len(weights)), "as many copies"),
        (lambda weights, u: np.bincount(np.arange(len(weights))), "rounded up"),
        (residual, "equidistant"),
        (lambda weights, u: systematic_in_a_loop(weights, 1 - u), "equidistant"),
        (lambda weights, u: systematic_in_a_loop(weights[::-1], u)[::-1], "equidistant"),
    ],
    "ex-encrypted-subtract": [
        (lambda a, b, n: (a - b) % n**2, "58"),
        (lambda a, b, n: a * b % n**2, "58"),
        (lambda a, b, n: (1 + 58 * n) % n**2, "negative"),
        (lambda a, b, n: a * pow(b, 2772, n**2) % n**2, "another key"),
    ],
    "ex-encrypted-deterministic": [
        (lambda c, n: c, "42"),
        (lambda c, n: next(m for m in range(min(n, 10**5)) if (1 + m * n) % n**2 == c), "other numbers"),
        (lambda c, n: (c - 1) / n, "exact and quick"),
        (lambda c, n: ANY, "42"),
        (lambda c, n: (c - 1) // 2773, "another n"),
    ],
    "ex-encrypted-length": [
        (40, "units"),
        (140, "too small"),
        (141, "too small"),
        (143, "shorter"),
        (2048, "shorter"),
        (140.5, "whole"),
    ],
    "ex-encrypted-guess": [
        (lambda c, m, n: False, "right guess"),
        (lambda c, m, n: True, "wrong guess"),
        (lambda c, m, n: m == 693, "right guess"),
        (lambda c, m, n: (1 + m * n) % n**2 == c, "right guess"),
        (lambda c, m, n: modulo_one_prime(c, m, n, larger=True), "wrong guess"),
        (lambda c, m, n: modulo_one_prime(c, m, n, larger=False), "wrong guess"),
        (lambda c, m, n: decrypted(c, n) - m in (0, 2, -2), "wrong guess"),
        (lambda c, m, n: (decrypted(c, n) - m) % 50 == 0, "wrong guess"),
    ],
    "ex-forgotten-leak": [
        (lambda kernel, messages: np.exp(messages), "another kernel"),
        (lambda kernel, messages: np.linalg.solve(kernel, messages), "add up"),
        (lambda kernel, messages: np.linalg.solve(kernel.T, np.exp(messages)), "another kernel"),
        (lambda kernel, messages: np.array([0.2, 0.3, 0.5]), "another kernel"),
    ],
    "ex-perturbed-variation": [(0.0, "agree"), (1.4, "probability"), (0.6915, "agree"), (0.1915, "agree")],
    "ex-perturbed-loss": [((0.125, 0.125), "variance"), ((0.25, 0.5), "mean"), (0.125, "pair")],
    "ex-perturbed-delta": [
        (400 * 0.3, "add up"),
        (9.69, "printed"),
        (0.3, "agree"),
        (4.377, "agree"),
    ],
    "ex-perturbed-average": [(True, "true or false"), (100, "more than one"), (0.01, "agree"), (10, "agree")],
    "ex-perturbed-guess": [
        *no_pairs(estimated(GUESSED)),
        ((GUESSED.mean(), GUESSED.std()), "independent trials"),
        ((GUESSED.mean(), GUESSED.std() / math.sqrt(16 * 20_000)), "independent trials"),  # per particle
        (estimated(right_between_two(1, vote=True)), "four"),
        (estimated(right_between_two(1, n_particles=1)), "four"),
        ((right_between_two(1, n_particles=1).mean(), estimated(GUESSED)[1]), "four"),
        ((1 / 16, estimated(GUESSED)[1]), "four"),  # one of R
        ((2 * GUESSED.mean() - 1, estimated(GUESSED)[1]), "four"),  # delta at epsilon 0
        ((1 - math.erfc(1.6 / math.sqrt(2)) / 2, estimated(GUESSED)[1]), "four"),  # distance not halved
        ((1.2, estimated(GUESSED)[1]), "it is a probability"),
    ],
    "ex-distances-three": [(2, "across"), (6, "more than is needed"), (5, "agree")],
    "ex-distances-many": [
        (
            lambda first, second, sigma: math.sqrt(
                max(0.0, ((first[:, None] - second) ** 2).sum(axis=-1).mean() - 4 * sigma**2)
            ),
            "together",
        ),
        (
            lambda first, second, sigma: float(
                np.sqrt(np.maximum(0, ((first[:, None] - second) ** 2).sum(axis=-1) - 4 * sigma**2)).mean()
            ),
            "together",
        ),
        (lambda first, second, sigma: float(np.linalg.norm(first - second, axis=-1).mean()), "together"),
        (
            lambda first, second, sigma: math.dist(np.median(first, axis=0), np.median(second, axis=0)),
            "together",
        ),
        (lambda first, second, sigma: math.dist(first[0], second[0]), "together"),
        (lambda first, second, sigma: difference_of_means(first, second), "one place"),
        (corrected(lambda n, sigma: 2 * sigma**2 / n), "one place"),
        (corrected(lambda n, sigma: 4 * sigma**2 / n), "one place"),
        (corrected(lambda n, sigma: -2 * sigma**2 / 100), "one place"),
        (corrected(lambda n, sigma: -2 * sigma / n), "one place"),
        (corrected(lambda n, sigma: -2 * sigma**2 / n**2), "one place"),
        (corrected(lambda n, sigma: -4 * sigma**2 / n), "apart"),
        (corrected(lambda n, sigma: -4 * sigma**2), "apart"),
        (
            lambda first, second, sigma: math.sqrt(
                abs(difference_of_means(first, second) ** 2 - 2 * sigma**2 / len(first))
            ),
            "one place",
        ),
        (of_the_first_80, "one place"),
        (lambda first, second, sigma: 3.0, "without noise"),
    ],
    "ex-distances-negative": [(0.01, "never"), (2.0, "agree"), (1.259, "agree")],
    "ex-distances-left-out": [
        *no_pairs(estimated(REAL)),
        ((REAL.mean(), REAL.std()), "independent trials"),
        ((REAL.mean(), REAL.std() / math.sqrt(20_000)), "independent trials"),  # counts omitted trials
        (estimated(np.sqrt(np.maximum(0, SQUARES))), "four"),  # 0 for imaginary distances
        ((np.sqrt(np.maximum(0, SQUARES)).mean(), estimated(REAL)[1]), "four"),
        (estimated(np.sqrt(SQUARES + 36)), "trials"),  # not corrected, over all pairs
        (estimated(np.sqrt(SQUARES[SQUARES > 0] + 36)), "trials|four"),  # not corrected
        (estimated(np.sqrt(SQUARES[SQUARES > -18] + 18)), "trials|four"),  # half the correction
        ((REAL.mean() / 3, estimated(REAL)[1]), "four"),  # in units of sigma
        ((6.0, estimated(REAL)[1]), "four"),  # root mean square
        ((0.0, estimated(REAL)[1]), "above 0"),  # the true distance
    ],
    "ex-particles-independent": [
        *no_pairs(estimated(MISSED)),
        ((MISSED.mean(), MISSED.std()), "independent trials"),  # square root forgotten
        ((MISSED.mean(), MISSED.std() / math.sqrt(100_000)), "independent trials"),
        ((MISSED.mean(), math.sqrt(0.3585 * 0.6415 / 100_000)), "trials"),  # particles used as coins
        ((0.0, estimated(MISSED)[1]), "some are lost"),  # the share for systematic picks
        ((1 - MISSED.mean(), estimated(MISSED)[1]), "four"),  # share of kept particles
        ((20 * MISSED.mean(), 20 * estimated(MISSED)[1]), "share"),  # the number of missed particles
        ((1 / math.e, estimated(MISSED)[1]), "four"),  # limit of an infinite cloud
    ],
    "ex-encrypted-repeat": [
        *no_pairs(estimated(REPEATS)),
        ((REPEATS.mean(), REPEATS.std()), "independent trials"),
        ((REPEATS.mean(), REPEATS.std() / math.sqrt(5_000_000)), "trials"),  # ciphertexts counted as trials
        ((50 / 2668, estimated(REPEATS)[1]), "four"),  # repeats of the first one only
        ((1 - REPEATS.mean(), estimated(REPEATS)[1]), "four"),
        (estimated(repeats(1, 2773**2)), "four"),  # all residues modulo the square
        (estimated(repeats(1, 2772)), "four"),  # all below n, whether coprime to n or not
        ((50 * 49 / 2 / 2668, estimated(REPEATS)[1]), "four"),  # sum over all pairs
        ((1.2, 0.00153), "probability"),
    ],
    "ex-forgotten-temper": [
        (lambda measured, a: measured, "differs"),
        (lambda measured, a: measured - a, "like one"),  # a hump of the sum, not the peak of the product
        (lambda measured, a: 0.0, "like one"),
        (lambda measured, a: measured if measured > a else 0.0, "differs"),
        (lambda measured, a: max(measured, a), "differs"),
        (lambda measured, a: math.sqrt(max(measured**2 - a**2, 0)), "differs"),
        (lambda measured, a: measured if measured > 10 else 0.0, "other arguments"),
        (20.0, "function"),
    ],
    "ex-forgotten-sure": [
        *no_pairs(estimated(SURE)),
        ((SURE.mean(), SURE.std()), "independent trials"),
        ((SURE.mean(), SURE.std() / math.sqrt(200_000)), "independent trials"),  # particles counted as trials
        (estimated(sure_of_the_wrong(1, limit=0.5)), "four"),
        ((sure_of_the_wrong(1, limit=0.5).mean(), estimated(SURE)[1]), "four"),
        (estimated(sure_of_the_wrong(1, n_particles=1)), "happens"),
        ((1 - SURE.mean(), estimated(SURE)[1]), "four"),
    ],
    "ex-experiment-believed": [
        (lambda s, sigma, n: math.sqrt(s**2 + 2 * sigma**2), "differs"),
        (lambda s, sigma, n: math.sqrt(s**2 + 2 * sigma**2 / n), "keeps its noise"),
        (lambda s, sigma, n: math.sqrt(s**2 + sigma**2 / n), "single particle"),
        (lambda s, sigma, n: s**2 + sigma**2 * (1 + 1 / n), "single particle"),
        (lambda s, sigma, n: math.sqrt(s**2 + sigma**2 * (1 + 1 / math.sqrt(n))), "differs"),
        (lambda s, sigma, n: s + sigma * math.sqrt(1 + 1 / n), "single particle"),
        (lambda s, sigma, n: math.sqrt(4 + sigma**2 * (1 + 1 / n)), r"\(5.0, 1.0, 4\) differs"),
        (9.3, "function"),
    ],
    "ex-experiment-break-even": [
        (lambda gain, error, m, z: m * (z * error / gain) ** 2, "whole"),
        (lambda gain, error, m, z: math.floor(m * (z * error / gain) ** 2), "differs"),
        (
            lambda gain, error, m, z: math.floor(m * (z * error / gain) ** 2) + 1,
            "differs",
        ),  # "or more" forgotten
        (lambda gain, error, m, z: math.ceil((z * error / gain) ** 2), "differs"),  # error used as deviation
        (lambda gain, error, m, z: math.ceil(m * abs(z * error / gain)), "four times"),
        (lambda gain, error, m, z: math.ceil(m * (error / gain) ** 2), "four times"),
        (lambda gain, error, m, z: max(m, math.ceil(m * (z * error / gain) ** 2)), "differs"),
        (lambda gain, error, m, z: math.ceil(m * (z * error / max(gain, 1e-3)) ** 2), "a loss"),
        (11, "function"),
    ],
    "ex-experiment-mean": [
        *no_pairs(estimated(FAR)),
        ((FAR.mean(), FAR.std()), "independent trials"),
        ((FAR.mean(), FAR.std() / math.sqrt(200_000)), "independent trials"),  # particles counted as trials
        ((0.9, estimated(FAR)[1]), "four"),  # standard deviation of a coordinate
        ((0.9 * math.sqrt(2), estimated(FAR)[1]), "four"),  # root mean square
        ((0.9 * math.sqrt(2 / math.pi), estimated(FAR)[1]), "four"),  # one dimension
        (estimated(far_off(1, n_particles=1)), "nearer"),
        ((0.09, estimated(FAR)[1]), "four"),  # square root of the hundred forgotten
    ],
}
