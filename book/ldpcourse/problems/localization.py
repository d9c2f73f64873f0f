"""Problems on localization, with different numbers for every student."""

from collections.abc import Callable
from math import ceil, exp, gcd, hypot, log, sqrt

import numpy as np

from ldpbook.foundations.local_privacy import gaussian_epsilon
from ldpbook.localization.bounds import user_sigma
from ldpbook.localization.particles import effective_size, normalize
from ldpcourse.problems.problem import Problem, drawn

_PRIMES = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43)


def _cloud(rng: np.random.Generator) -> Problem:
    while True:
        places = [(int(x), int(y)) for x, y in rng.integers(0, 13, (4, 2))]
        measured, sigma = drawn(rng, 4, 12, 1), drawn(rng, 1.5, 4, 1)
        fits = [-((hypot(*place) - measured) ** 2) / (2 * sigma**2) for place in places]
        size = float(effective_size(normalize([fits]))[0])
        if 1.3 < size < 3.6:
            break
    return Problem(
        f"A cloud has four particles of equal weight, at {', '.join(map(str, places))}, in metres. The user"
        f" measures a distance of {measured:.1f} m to an anchor at (0, 0), with a normal error of standard"
        f" deviation {sigma:.1f} m. What is the effective size of the cloud after the update?",
        size,
        explanation="Each weight is multiplied by the normal density of the measured distance, centred at the"
        " particle's own distance, and the weights are scaled to add up to 1. The effective size is one over"
        " the sum of their squares.",
    )


def _cipher(rng: np.random.Generator) -> Problem:
    """The sum is larger than the public key, so that it wraps around."""
    while True:
        p, q = (int(prime) for prime in rng.choice(_PRIMES, 2, replace=False))
        n, power = p * q, int(rng.integers(2, 10))
        a, b, *randoms = (int(m) for m in rng.integers(2, n, 4))
        units = gcd(n, (p - 1) * (q - 1)) == 1 and all(gcd(r, n) == 1 for r in randoms)
        if units and n < 1000 and power * a + b >= n and (power * a + b) % n > 1:
            break
    first, second = (
        (1 + n * m) * pow(r, n, n * n) % (n * n) for m, r in zip((a, b), randoms, strict=True)
    )  # (1 + n)^m = 1 + nm modulo the square
    return Problem(
        f"Paillier's scheme uses the primes {p} and {q}. The server has two ciphertexts, {first} and"
        f" {second}. It raises the first to the power {power} and multiplies the result by the second, modulo"
        " the square of the public key. To what number does the product decrypt?",
        (power * a + b) % n,
        tolerance=1e-4,
        explanation="A product of ciphertexts decrypts to the sum and a power to the multiple, modulo the"
        " public key n = pq, so the result wraps around. The server computed it without reading anything, but"
        " the owner of the secret key can read everything.",
    )


def _product(rng: np.random.Generator) -> Problem:
    while True:
        weights = rng.multinomial(17, [1 / 3] * 3) / 20 + 0.05
        measured, sigma = int(rng.integers(8, 20)), drawn(rng, 2, 4, 1)
        places = [[drawn(rng, measured - 6, measured + 6, 1) for _ in range(3)] for _ in "AB"]
        misfits = [[(d - measured) ** 2 / (2 * sigma**2) for d in place] for place in places]
        product = sum(misfits[1]) - sum(misfits[0])
        fits = [sum(w * exp(-m) for w, m in zip(weights, misfit, strict=True)) for misfit in misfits]
        equal = [sum(exp(-m) for m in misfit) for misfit in misfits]
        right = log(fits[0] / fits[1])
        if 0.3 < product - right < 20 and abs(right) > 0.1 and abs(right - log(equal[0] / equal[1])) > 0.1:
            break
    far = [", ".join(f"{d:.1f}" for d in place) for place in places]
    return Problem(
        "A user is at A or at B, and considers both equally likely. A neighbour has three particles with the"
        f" weights {', '.join(f'{w:.2f}' for w in weights)}; they are {far[0]} m from A and {far[1]} m from"
        f" B, in the same order. The user measures a distance of {measured} m to the neighbour, with a normal"
        f" error of standard deviation {sigma:.1f} m. By how much does the natural logarithm of the odds of A"
        " against B after the source's update exceed that after sum-product?",
        product - right,
        explanation="Sum-product adds the densities over the neighbour's particles with their weights. The"
        " source's update multiplies them, so that her weights cancel and every particle counts as a separate"
        " measurement.",
    )


def _location(rng: np.random.Generator) -> Problem:
    sigma, distance = int(rng.integers(5, 60)), int(rng.integers(1, 20))
    return Problem(
        f"The position of one particle gets Gaussian noise of standard deviation {sigma} m on each"
        f" coordinate. Find the exact epsilon of one release at {distance} m and delta 0.00001.",
        gaussian_epsilon(sigma=sigma, distance=distance, delta=1e-5),
        explanation="The privacy loss is normal, so delta as a function of epsilon is a difference of two"
        " terms with normal probabilities, which is solved for epsilon; the printed formula is an upper bound"
        " of it. The result is for one particle in one release and two places that far apart.",
    )


def _apart(rng: np.random.Generator) -> Problem:
    while True:
        distance, sigma, percent = (int(k) for k in rng.integers((5, 2, 10), (31, 20, 41)))
        pairs = (16 * sigma**4 + 8 * sigma**2 * distance**2) / (percent / 100 * distance**2) ** 2
        if 15 < pairs < 900:
            break
    return Problem(
        f"Two users are {distance} m apart. Each publishes copies of her place, each copy with independent"
        f" Gaussian noise of standard deviation {sigma} m on each coordinate; every copy is used in only one"
        " pair. The mean of the squared distances of the pairs, minus the part added by noise, estimates the"
        " square of the users' distance without bias. What is the smallest number of pairs for a standard"
        f" error of at most {percent} % of that square?",
        ceil(pairs),
        explanation="Both ends of a pair are noisy: a squared distance has the mean d^2 + 4 sigma^2 and the"
        " variance 16 sigma^4 + 8 sigma^2 d^2. The variance of the mean is divided by the number of pairs."
        " The square is estimated without bias, but the distance is not.",
    )


def _anchor(rng: np.random.Generator) -> Problem:
    n_particles, distance = int(rng.integers(5, 200)), int(rng.integers(1, 20))
    epsilon, exponent = drawn(rng, 0.5, 5, 1), int(rng.integers(3, 7))
    sigma = user_sigma(epsilon=epsilon, distance=distance, n_particles=n_particles, delta=10.0**-exponent)
    return Problem(
        f"All {n_particles} particles of an anchor are at her place. In one release every particle gets"
        " independent Gaussian noise of standard deviation sigma on each coordinate. Sigma is such that the"
        f" whole cloud has epsilon {epsilon:.1f} and delta {10.0**-exponent:.{exponent}f} at {distance} m"
        " (every particle that far from its counterpart), by epsilon = rho D^2 + 2 sqrt(rho D^2 ln(1/delta))"
        " with rho = 1/(2 sigma^2) and the whole cloud's distance D. What is the root mean square distance of"
        " the mean of the published particles from her place, in metres?",
        sigma * sqrt(2 / n_particles),
        explanation="For the whole cloud the distance is d times the square root of R, so the noise of a"
        " particle grows with the square root of R, and averaging removes exactly that. The result is that of"
        " one particle with the whole epsilon, whatever R is. Two coordinates give the factor square root of"
        " 2.",
    )


PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    "cloud": _cloud,
    "cipher": _cipher,
    "product": _product,
    "location": _location,
    "apart": _apart,
    "anchor": _anchor,
}
