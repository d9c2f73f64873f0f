"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import ncx2, norm


def weights_of_cloud(*numbers, factor=1.0):
    *places, measured, _, __, sigma = numbers
    weights = norm(measured, sigma * factor).pdf(np.hypot(places[::2], places[1::2]))
    return weights / weights.sum()


def cloud(*numbers, factor=1.0):
    return 1 / float((weights_of_cloud(*numbers, factor=factor) ** 2).sum())


def cipher(*numbers):
    """By decryption of the server's result with the secret key."""
    p, q, first, second, power = map(int, numbers)
    n, secret = p * q, math.lcm(p - 1, q - 1)
    result = pow(first, power, n * n) * second % (n * n)
    return (pow(result, secret, n * n) - 1) // n * pow(secret, -1, n) % n


def plaintexts(*numbers):
    p, q, first, second, power = map(int, numbers)
    return p * q, cipher(p, q, first, 1, 1), cipher(p, q, 1, second, 1), power


def log_odds(*numbers, factor=1.0):
    """Log-odds by the source's update, by sum-product and without weights, from normal densities."""
    *given, measured, sigma = numbers
    weights, *places = np.reshape(given, (3, 3))
    a, b = (norm(measured, sigma * factor).pdf(place) for place in places)
    return math.log(a.prod() / b.prod()), math.log(weights @ a / (weights @ b)), math.log(a.sum() / b.sum())


def product(*numbers, factor=1.0):
    source, right, _ = log_odds(*numbers, factor=factor)
    return source - right


def location(sigma, distance, delta):
    ratio = distance / sigma

    def excess(e):
        above, below = norm.cdf(ratio / 2 - e / ratio), norm.cdf(-ratio / 2 - e / ratio)
        return above - math.exp(e) * below - delta

    return brentq(excess, 0, 60, xtol=1e-12) if excess(0) > 0 else 0.0


def printed_location(sigma, distance, delta):
    rho = distance**2 / (2 * sigma**2)
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def apart(d, sigma, percent):
    """By scipy's distribution of the square, in units of twice the variance of a coordinate."""
    variance = (2 * sigma**2) ** 2 * ncx2(2, d**2 / (2 * sigma**2)).var()
    return math.ceil(variance / (percent / 100 * d**2) ** 2)


def anchor(n, epsilon, delta, distance, *_):
    """By search for the noise."""

    def excess(sigma):
        return printed_location(sigma, distance * math.sqrt(n), delta) - epsilon

    return brentq(excess, 1e-2, 1e5) * math.sqrt(2 / n)


SOLVERS = {
    "cloud": cloud,
    "cipher": cipher,
    "product": product,
    "location": location,
    "apart": apart,
    "anchor": anchor,
}

MISREADINGS = {
    "cloud": {
        "no 2 in the exponent": lambda *given: cloud(*given, factor=math.sqrt(0.5)),
        "one over the largest weight": lambda *given: 1 / weights_of_cloud(*given).max(),
        "the sum of squares itself": lambda *given: 1 / cloud(*given),
    },
    "cipher": {
        "not wrapped round": lambda *given: (lambda n, a, b, power: power * a + b)(*plaintexts(*given)),
        "plaintexts multiplied": lambda *given: (lambda n, a, b, power: pow(a, power, n) * b % n)(
            *plaintexts(*given)
        ),
        "a plain sum": lambda *given: (lambda n, a, b, power: (a + b) % n)(*plaintexts(*given)),
    },
    "product": {
        "weights forgotten in sum-product": lambda *given: log_odds(*given)[0] - log_odds(*given)[2],
        "the source's update alone": lambda *given: log_odds(*given)[0],
        "no 2 in the exponent": lambda *given: product(*given, factor=math.sqrt(0.5)),
    },
    "location": {
        "the printed formula": printed_location,
        "classical noise": lambda s, d, delta: d / s * math.sqrt(2 * math.log(1.25 / delta)),
        "noise on both places": lambda s, d, delta: location(s * math.sqrt(2), d, delta),
    },
    "apart": {
        "one noisy end": lambda d, s, p: apart(d, s / math.sqrt(2), p),
        "the error not squared": lambda d, s, p: math.ceil(
            math.sqrt(16 * s**4 + 8 * s**2 * d**2) / (p / 100 * d**2)
        ),
        "noise alone": lambda d, s, p: math.ceil(16 * s**4 / (p / 100 * d**2) ** 2),
    },
    "anchor": {
        "epsilon for each particle": lambda n, *given: anchor(1, *given) / math.sqrt(n),
        "one coordinate": lambda *given: anchor(*given) / math.sqrt(2),
        "not averaged": lambda n, *given: anchor(n, *given) * math.sqrt(n),
    },
}
