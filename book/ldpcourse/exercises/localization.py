"""Exercises that can be checked: localization."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Real
from statistics import NormalDist
from typing import Any

from ldpbook.localization.bounds import user_epsilon
from ldpcourse.exercises.exercise import (
    AnswerForm,
    Exercise,
    asks_function,
    function,
    is_pair,
    normal_delta,
    number,
    root,
    simulation,
    within,
)


def _undefined_half_of_the_time() -> float:
    """sigma/d at which a noisy squared distance is below its correction with probability one half."""
    # r^2/(2 sigma^2) is non-central chi-squared with 2 degrees of freedom; undefined where it is below 2.
    # That is a mixture of central distributions with 2 + 2j degrees of freedom, for a Poisson number j.
    below = [1 - math.fsum(1 / math.factorial(i) for i in range(j + 1)) / math.e for j in range(60)]

    def undefined(ratio: float) -> float:
        mean = 1 / (4 * ratio**2)
        return math.fsum(
            math.exp(j * math.log(mean) - mean - math.lgamma(j + 1)) * p for j, p in enumerate(below)
        )

    return root(lambda ratio: undefined(ratio) - 0.5, 0.3, 20.0)


def _gaussian_epsilon(ratio: float, delta: float) -> float:
    return root(lambda epsilon: delta - normal_delta(ratio, epsilon), 0.0, 20.0)


@dataclass(frozen=True)
class _Key:
    """Paillier's scheme with primes small enough for tests; the chapter's key has 47 and 59."""

    p: int
    q: int

    @property
    def n(self) -> int:
        return self.p * self.q

    def encrypt(self, message: int, unit: int) -> int:
        return (1 + message * self.n) * pow(unit, self.n, self.n**2) % self.n**2

    def decrypt(self, cipher: int) -> int:
        power = math.lcm(self.p - 1, self.q - 1)
        return (pow(cipher, power, self.n**2) - 1) // self.n * pow(power, -1, self.n) % self.n


_KEY = _Key(47, 59)
_KEYS = (_KEY, _Key(61, 53), _Key(11, 17))


def _drawn_ciphertexts(size: int) -> Iterator[tuple[_Key, tuple[int, ...], tuple[int, ...]]]:
    """Keys, numbers and their encryptions, the same in every call."""
    source = random.Random(0)
    for key in _KEYS * 4:
        numbers = tuple(source.randrange(key.n) for _ in range(size))
        units = [u for u in range(2, key.n) if math.gcd(u, key.n) == 1]
        yield key, numbers, tuple(key.encrypt(m, source.choice(units)) for m in numbers)


def _subtracts(difference: Callable[..., int]) -> bool:
    return all(
        key.decrypt(int(difference(*ciphers, key.n))) == (a - b) % key.n
        for key, (a, b), ciphers in _drawn_ciphertexts(2)
    )


def _read_off(number: Callable[..., Any], m: int, n: int) -> bool:
    found = number((1 + m * n) % n**2, n)
    return isinstance(found, Real) and found == m


def _reads_off(number: Callable[..., Any]) -> bool:
    source = random.Random(0)
    cases = [(source.randrange(n), n) for n in (2773, 3233, 187, 99_400_891) for _ in range(5)]
    return all(_read_off(number, m, n) for m, n in cases)


def _recognises(holds: Callable[..., bool]) -> bool:
    return all(holds(ciphers[0], numbers[0], key.n) for key, numbers, ciphers in _drawn_ciphertexts(1))


def _wrong_guesses(key: _Key, right: int) -> set[int]:
    """All wrong guesses for the smallest key; for others those that are near, or right modulo one prime."""
    if key.n == 187:
        return set(range(187)) - {right}
    steps = (1, 2, 3, key.p, key.q, 2 * key.p, 2 * key.q, key.n // 2)
    return {(right + sign * step) % key.n for step in steps for sign in (1, -1)} - {right}


def _rejects(holds: Callable[..., bool]) -> bool:
    return not any(
        holds(ciphers[0], guess, key.n)
        for key, (right,), ciphers in _drawn_ciphertexts(1)
        for guess in _wrong_guesses(key, right)
    )


_SUM = 10**6 * 2**40 * 2**80  # largest magnitude, in units of 2^-80


def _share_lost(n: int) -> float:
    """Expected share of n equally weighted particles that n independent picks miss."""
    return (1 - 1 / n) ** n


def _deviation_of_share_lost(n: int) -> float:
    """Standard deviation of that share; a pick misses two given particles with probability 1 - 2/n."""
    both = (1 - 1 / n) * (1 - 2 / n) ** n
    return math.sqrt(_share_lost(n) / n + both - _share_lost(n) ** 2)


def _coincide(n_drawn: int, n_values: int) -> float:
    return 1 - math.prod(1 - k / n_values for k in range(n_drawn))


def _sure_of_the_wrong(n_particles: int) -> float:
    """Probability that the place one standard deviation further away gets more than 0.99 of the weight."""
    return NormalDist().cdf(-(1 / 2 + math.log(99) / n_particles))


def _right_between_two(distance: float, sigma: float, n_particles: int) -> float:
    """Probability that the place nearer to the mean of the particles is the right one of two."""
    return NormalDist().cdf(distance * math.sqrt(n_particles) / (2 * sigma))


def _deviation_of_share(chance: float) -> float:
    return math.sqrt(chance * (1 - chance))


def _crowds_needed(gain: float, error: float, n: int, z: float) -> int:
    return math.ceil(n * (z * error / gain) ** 2)


_FIVE, _LOSS = 1e-6, 0.01  # relative tolerances of a distance of 5 m and of the moments of a loss
_CIPHER = "Its values are whole numbers, exactly"

EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "ex-particles-circles",
        "localization/particles",
        "both positions, as a list of two pairs",
        (
            (
                "the answer is two pairs of numbers",
                AnswerForm(
                    f"Both positions, `[(x, y), (x, y)]`, {within(_FIVE)}.",
                    lambda places: is_pair(places) and all(map(is_pair, places)),
                ),
            ),
            (
                "one of them is not 5 m from both anchors",
                lambda places: all(
                    math.isclose(math.dist(place, anchor), 5.0, rel_tol=_FIVE)
                    for place in places
                    for anchor in [(0, 0), (6, 0)]
                ),
            ),
            ("the two positions are the same", lambda places: math.dist(*places) > 1),
        ),
    ),
    Exercise(
        "ex-particles-independent",
        "localization/particles",
        "the estimated share of particles without a copy and its standard error, as a pair",
        simulation(
            lambda: _share_lost(20),
            lambda: _deviation_of_share_lost(20),
            5000,
            ("a share lies between 0 and 1, and some are lost", lambda pair: 0 < pair[0] < 1),
        ),
    ),
    Exercise(
        "ex-encrypted-subtract",
        "localization/encrypted-inference",
        "a ciphertext of a - b as a function of ciphertexts of a and b and of n",
        (
            asks_function("a", "b", "n", exact=_CIPHER),
            (
                "it does not decrypt to 58 for 100 and 42",
                lambda f: _KEY.decrypt(f(_KEY.encrypt(100, 5), _KEY.encrypt(42, 8), _KEY.n)) == 58,
            ),
            (
                "a negative difference is counted from n: 6 - 42 is n - 36",
                lambda f: _KEY.decrypt(f(_KEY.encrypt(6, 3), _KEY.encrypt(42, 5), _KEY.n)) == _KEY.n - 36,
            ),
            ("it fails for other numbers or another key", _subtracts),
        ),
    ),
    Exercise(
        "ex-encrypted-deterministic",
        "localization/encrypted-inference",
        "the number m as a function of the ciphertext without r and of n",
        (
            asks_function("c", "n", exact=_CIPHER),
            (
                "it does not find 42 and 1,000 for n = 2,773",
                lambda f: all(_read_off(f, m, 2773) for m in (42, 1000)),
            ),
            ("it fails for other numbers or another n", _reads_off),
            (
                "it must be exact and quick for keys as long as real ones",
                lambda f: _read_off(f, 7**90, 10**150),
            ),
        ),
    ),
    Exercise(
        "ex-encrypted-length",
        "localization/encrypted-inference",
        "the number of bits",
        (
            (
                "the answer is a whole number",
                AnswerForm("A whole number, exactly.", lambda bits: float(bits).is_integer()),
            ),
            ("units of 2^-40 multiply too, so that squares have units of 2^-80", lambda bits: bits > 100),
            (
                "some n of that length is too small to distinguish all positive and negative sums",
                lambda bits: 2 ** (int(bits) - 1) > 2 * _SUM,
            ),
            ("a shorter length is enough for all its n", lambda bits: 2 ** (int(bits) - 2) <= 2 * _SUM),
        ),
    ),
    Exercise(
        "ex-encrypted-guess",
        "localization/encrypted-inference",
        "a function of ciphertext, guess and n that tells, for a small n, whether the ciphertext holds the "
        "guess",
        (
            asks_function("c", "guess", "n", exact="It returns True or False"),
            ("a right guess is not recognised", _recognises),
            ("a wrong guess is accepted as right", _rejects),
        ),
    ),
    Exercise(
        "ex-encrypted-repeat",
        "localization/encrypted-inference",
        "the estimated probability and its standard error, as a pair",
        simulation(
            lambda: _coincide(50, 46 * 58),
            lambda: _deviation_of_share(_coincide(50, 46 * 58)),
            100_000,
            ("it is a probability", lambda pair: 0 <= pair[0] <= 1),
        ),
    ),
    Exercise(
        "ex-forgotten-temper",
        "localization/forgotten-weights",
        "the x at which the product is largest, as a function of the measured distance D and of a",
        function(
            lambda d, a: d if d > 2 * a else 0.0,
            [(20.0, 5.0), (7.0, 5.0), (1.0, 4.0)],
            (
                "seen from far away, her two places are like one place",
                lambda f: abs(f(1000.0, 1.0) - 1000) < 0.1,
            ),
            draw=lambda r: (r.uniform(0.1, 20), r.uniform(0.1, 12)),
        ),
    ),
    Exercise(
        "ex-forgotten-sure",
        "localization/forgotten-weights",
        "the estimated share of measurements and its standard error, as a pair",
        simulation(
            lambda: _sure_of_the_wrong(10),
            lambda: _deviation_of_share(_sure_of_the_wrong(10)),
            20_000,
            (
                "a share lies between 0 and 1, and this one is positive: it happens",
                lambda pair: 0 < pair[0] < 1,
            ),
        ),
    ),
    Exercise(
        "ex-experiment-believed",
        "localization/experiment",
        "the standard deviation as a function of a measurement's error s, of sigma and of R",
        function(
            lambda s, sigma, r: math.hypot(s, sigma * math.sqrt(1 + 1 / r)),
            [(2.0, 9.0, 100), (2.0, 9.0, 1), (5.0, 1.0, 4)],
            (
                "with a single particle it is the standard deviation of the repaired update",
                lambda f: math.isclose(f(2.0, 3.0, 1), math.sqrt(22)),
            ),
            ("his own particle keeps its noise, however large R is", lambda f: f(2.0, 9.0, 10**6) > 9),
            draw=lambda r: (r.uniform(0, 10), r.uniform(0, 30), r.randint(1, 300)),
        ),
    ),
    Exercise(
        "ex-experiment-break-even",
        "localization/experiment",
        "the smallest number of crowds as a function of the mean gain, its standard error, the number of "
        "crowds that gave both, and z",
        function(
            _crowds_needed,
            # In the last two the quotient is whole, and that many crowds are enough.
            [
                (2.6, 2.4, 3, 2.0),
                (-4.2, 2.8, 3, 2.5),
                (10.0, 1.0, 25, 3.0),
                (2.0, 1.0, 4, 2.0),
                (-4.0, 1.0, 16, 2.0),
            ],
            ("a number of crowds is whole: round up", lambda f: float(f(2.6, 2.4, 3, 2.0)).is_integer()),
            (
                "a loss takes as many crowds as an equal gain",
                lambda f: f(-1.0, 2.1, 5, 2.0) == f(1.0, 2.1, 5, 2.0),
            ),
            (
                "four times the crowds halve a standard error",
                lambda f: f(1.01, 1.0, 100, 2.0) > 3.5 * f(1.01, 1.0, 100, 1.0),
            ),
            draw=lambda r: (
                r.choice((-1, 1)) * r.uniform(0.2, 20),
                r.uniform(0.1, 5),
                r.randint(2, 40),
                r.uniform(1, 4),
            ),
        ),
    ),
    Exercise(
        "ex-experiment-mean",
        "localization/experiment",
        "the estimated mean distance in metres and its standard error, as a pair",
        simulation(
            lambda: 0.9 * math.sqrt(math.pi / 2),
            lambda: 0.9 * math.sqrt(2 - math.pi / 2),
            2000,
            ("the mean of a hundred particles is nearer than a single one", lambda pair: 0 < pair[0] < 9),
        ),
    ),
    Exercise(
        "ex-perturbed-variation",
        "localization/perturbed-particles",
        "delta at epsilon 0 for d = sigma",
        number(
            lambda: normal_delta(1.0, 0.0),
            1e-3,
            ("it is a probability", lambda v: 0 <= v <= 1),
        ),
    ),
    Exercise(
        "ex-perturbed-loss",
        "localization/perturbed-particles",
        "the mean and the variance of the loss, as a pair",
        (
            (
                "the answer is a pair of numbers",
                AnswerForm(f"Two numbers with a comma between them, each {within(_LOSS)}.", is_pair),
            ),
            ("the mean differs", lambda pair: math.isclose(pair[0], 1 / 8, rel_tol=_LOSS)),
            ("the variance differs", lambda pair: math.isclose(pair[1], 1 / 4, rel_tol=_LOSS)),
        ),
    ),
    Exercise(
        "ex-perturbed-delta",
        "localization/perturbed-particles",
        "the exact epsilon of 400 particles, each at most 2 m from its counterpart,"
        " for sigma = 25 m and delta = 10^-6",
        number(
            lambda: _gaussian_epsilon(2 * math.sqrt(400) / 25, 1e-6),
            1e-3,
            (
                "the printed formula is larger than the exact epsilon",
                lambda v: (
                    not math.isclose(
                        v, user_epsilon(sigma=25, distance=2, n_particles=400, delta=1e-6), rel_tol=5e-3
                    )
                ),
            ),
            (
                "epsilons of Gaussian noise do not add up: what adds up?",
                lambda v: v < 0.5 * 400 * _gaussian_epsilon(2 / 25, 1e-6),
            ),
        ),
    ),
    Exercise(
        "ex-perturbed-average",
        "localization/perturbed-particles",
        "the standard deviation of the curator's estimate of each coordinate after 10,000 steps, in metres",
        number(
            lambda: 100 / math.sqrt(10_000),
            1e-3,
            ("the answer is a number, not true or false", lambda v: not isinstance(v, bool)),
            ("an average reveals more than one step does", lambda v: v < 100),
        ),
    ),
    Exercise(
        "ex-perturbed-guess",
        "localization/perturbed-particles",
        "the estimated probability that the best guess is right and its standard error, as a pair",
        simulation(
            lambda: _right_between_two(2, 5, 16),
            lambda: _deviation_of_share(_right_between_two(2, 5, 16)),
            20_000,
            ("it is a probability", lambda pair: 0 <= pair[0] <= 1),
        ),
    ),
    Exercise(
        "ex-distances-three",
        "localization/noisy-distances",
        "the correction c, in units of sigma squared",
        number(
            lambda: 4.0,
            1e-6,
            ("in two dimensions c is 2, and here the noise has one more direction across", lambda c: c > 2),
            ("the full mean of the square's excess is more than is needed", lambda c: c < 6),
        ),
    ),
    Exercise(
        "ex-distances-negative",
        "localization/noisy-distances",
        "the ratio sigma/d",
        number(
            _undefined_half_of_the_time,
            0.005,
            ("noise far below the distance never makes it undefined", lambda v: v > 0.05),
        ),
    ),
    Exercise(
        "ex-distances-left-out",
        "localization/noisy-distances",
        "the mean of the estimates that are real, in metres, and its standard error, as a pair",
        simulation(
            lambda: 3 * math.sqrt(math.pi),
            lambda: 3 * math.sqrt((4 - math.pi) * math.e),  # one pair in e counts
            20_000,
            ("what is real is above 0, and so is its mean", lambda pair: pair[0] > 0),
        ),
    ),
)
