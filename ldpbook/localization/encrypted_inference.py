"""Inference on ciphertexts: users hold secret keys, the server sees ciphertexts only.

Paillier's scheme adds plaintexts by multiplying ciphertexts, and multiplies a plaintext by a public
number. Encryption is done by the library `phe`; this module adds the fixed-point encoding and the
two parties of Xiang (2017), who exchange nothing but integers and public values. Data for a user are
encrypted with *her* public key, so that neither the server nor another user can read them;
:func:`encrypted_update` gives all users one key, which is a simplification of this book. All parties are
assumed to follow the protocol (semi-honest parties).

Needs `phe`, and is ten times slower without `gmpy2`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd, isfinite
from numbers import Integral
from operator import add

import numpy as np
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, check_positions, numeric
from ldpbook._extras import extra
from ldpbook._validate import count, listed, positive
from ldpbook.localization._crowd import between, check_callable, check_crowd
from ldpbook.localization.bounds import gathered_powers, printed_powers
from ldpbook.localization.forgotten_weights import messages
from ldpbook.localization.particles import normalize

with extra("encryption"):
    from phe.paillier import EncryptedNumber, PaillierPrivateKey, PaillierPublicKey, generate_paillier_keypair


__all__ = [
    "BlindServer",
    "LocalizingUser",
    "Report",
    "UpdateCost",
    "encrypted_update",
    "make_keys",
    "update_cost",
]


KEY_BITS = 2048
# Numbers and coefficients are multiples of 2^-40, so results are multiples of 2^-80.
_UNIT = 2**40
# Largest magnitude of a number that is encrypted, and of one that is decrypted.
_LARGEST_INPUT, _LARGEST_OUTPUT = 2**40, 2**80


@dataclass(frozen=True)
class Report:
    """What a user sends to the server for one update: ciphertexts, as integers.

    Attributes
    ----------
    log_weights : tuple of int
        One for each particle.
    distances : dict of int to (int, int)
        For each neighbour the measured distance and its square.
    """

    log_weights: tuple[int, ...]
    distances: Mapping[int, tuple[int, int]]

    def __post_init__(self) -> None:
        listed("log_weights", self.log_weights)
        pairs = self.distances.values() if isinstance(self.distances, Mapping) else [()]
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            raise TypeError("distances must map neighbours to pairs of integers, got others")


@dataclass(frozen=True)
class UpdateCost:
    """Operations and bytes of one update of one user, by all users and the server together.

    Attributes
    ----------
    user_encryptions : int
        Encryptions by the users.
    server_encryptions : int
        Encryptions by the server, of public numbers or to give results fresh randomness.
    multiplications : int
        Multiplications of an encrypted number by a public one: powers of a ciphertext.
    additions : int
        Additions of encrypted numbers: products of ciphertexts.
    decryptions : int
        Decryptions by the user whose weights are updated.
    bytes_up, bytes_down : int
        Bytes of the ciphertexts sent to and by the server.
    """

    user_encryptions: int
    server_encryptions: int
    multiplications: int
    additions: int
    decryptions: int
    bytes_up: int
    bytes_down: int


def make_keys(n_bits: int = KEY_BITS) -> tuple[PaillierPublicKey, PaillierPrivateKey]:
    """A fresh pair of keys from the system's source of randomness.

    Parameters
    ----------
    n_bits : int
        Length of the modulus, an even number in 256..16384: shorter ones do not hold the fixed-point
        numbers, longer ones take hours to find. Below 2048 bits the key protects nothing: such keys
        are for tests.

    Returns
    -------
    PaillierPublicKey
        For everyone who sends something to the owner.
    PaillierPrivateKey
        For the owner, a user.

    Notes
    -----
    Derived in: localization/encrypted-inference

    Examples
    --------
    >>> public, secret = make_keys(256)
    >>> public.n.bit_length()
    256
    """
    if not 256 <= count("n_bits", n_bits) <= 16384 or n_bits % 2:
        raise ValueError(f"n_bits must be an even number in 256..16384, got {n_bits}")
    public, secret = generate_paillier_keypair(n_length=int(n_bits))
    return public, secret


class LocalizingUser:
    """A user, who knows her weights and distances, and her secret key.

    Parameters
    ----------
    log_weights : array_like, shape (R,)
        Normalized log-weights of her particles, at most 2^40 in magnitude.
    distances : dict of int to float
        Measured distance to each neighbour, at most 2^40 in magnitude, in metres.
    secret : PaillierPrivateKey
        Her key.

    Notes
    -----
    Source: Xiang (2017), slides "Privacy-Preserving Inference".
    Derived in: localization/encrypted-inference

    Examples
    --------
    >>> public, secret = make_keys(256)
    >>> user = LocalizingUser(np.log([0.5, 0.5]), {1: 5.0}, secret)
    >>> report = user.report()
    >>> len(report.log_weights), list(report.distances)
    (2, [1])
    """

    def __init__(
        self, log_weights: ArrayLike, distances: Mapping[int, float], secret: PaillierPrivateKey
    ) -> None:
        self._log_weights = _encodable("log_weights", log_weights)
        if not self._log_weights.size:
            raise ValueError("log_weights must be of at least one particle, got none")
        if not isinstance(distances, Mapping) or not all(isinstance(j, Integral) for j in distances):
            raise TypeError("distances must map numbers of neighbours to distances, got others")
        measured = _encodable("distances", list(distances.values()))
        self._distances = dict(zip(map(int, distances), measured.tolist(), strict=True))
        if not isinstance(secret, PaillierPrivateKey):
            raise TypeError(f"secret must be a private key of Paillier's scheme, got {secret!r:.80}")
        self._secret = secret

    def report(self, public: PaillierPublicKey | None = None) -> Report:
        """Encryptions of the log-weights and, in her own report, of each distance and its square.

        Parameters
        ----------
        public : PaillierPublicKey, optional
            Key of the neighbour whose weights are updated, who alone can read the report; the report
            then needs no distances. If the key is left out, the report is for this user's own update.

        Returns
        -------
        Report
            For the server.
        """
        key = self._secret.public_key if public is None else _public(public)
        # Log-weights are added to products of two fixed-point numbers, so they are scaled by the unit twice.
        weights = tuple(_encrypted(key, _UNIT * _fixed(w)) for w in self._log_weights)
        own = self._distances if public is None else {}
        distances = {j: (_encrypted(key, _fixed(d)), _encrypted(key, _fixed(d * d))) for j, d in own.items()}
        return Report(weights, distances)

    def messages(
        self,
        own: ArrayLike,
        particles: ArrayLike,
        neighbour: int,
        *,
        public: PaillierPublicKey,
        sigma: float,
        correct: Callable[[Array], Array] | None = None,
        unit: float = 1 / _UNIT,
    ) -> tuple[int, ...]:
        """Encrypted sum-product messages to a neighbour: the update that keeps the weights.

        Parameters
        ----------
        own : array_like, shape (S, 2)
            This user's particles, in metres.
        particles : array_like, shape (R, 2)
            The neighbour's particles.
        neighbour : int
            The neighbour's number.
        public : PaillierPublicKey
            The neighbour's key: no one else can read the messages, not even this user.
        sigma : float
            Standard deviation of the measurement errors, > 0, in metres.
        correct : callable, optional
            For perturbed particles, as in :func:`ldpbook.localization.particles.sum_product_update`.
        unit : float
            Messages are rounded to whole multiples of this, in nats; at least 2^-40. The neighbour decrypts
            exact sums: with a small unit, a few sums may single out the positions and distances of several
            users, if these are round numbers. With a large unit the sums are less exact.

        Returns
        -------
        tuple of int
            A ciphertext for each particle of the neighbour, to be added by the server.

        Raises
        ------
        ValueError
            If `neighbour` is not a neighbour, `unit` is too small, or a message is larger than 2^40 in
            magnitude and cannot be encoded.
        """
        measured = [self._distances[_one_of("neighbour", neighbour, self._distances)]]
        key = _public(public)
        points = check_positions("own", own, 2)
        if len(points) != len(self._log_weights):
            raise ValueError(f"own must be {len(self._log_weights)} particles, got {len(points)}")
        weights = self._log_weights[None]
        told = messages(particles, points[None], weights, measured, sigma=sigma, correct=correct)
        if positive("unit", unit) < 1 / _UNIT:
            raise ValueError(f"unit must be at least 2^-40, got {unit}")
        encodable = _encodable("messages at this sigma", np.rint(told[0] / unit) * unit)
        return tuple(_encrypted(key, _UNIT * _fixed(m)) for m in encodable)

    def update(self, ciphertexts: Sequence[int]) -> Array:
        """New log-weights from the ciphertexts that the server computed.

        Parameters
        ----------
        ciphertexts : sequence of int
            One for each particle, each coprime to the modulus n and in 1..n^2 - 1.

        Returns
        -------
        ndarray, shape (R,)
            Normalized log-weights.

        Raises
        ------
        ValueError
            If a ciphertext decrypts to a number out of range: after tampering, under another key, or after an
            overflow.
        """
        given = listed("ciphertexts", ciphertexts)
        if len(given) != len(self._log_weights):
            raise ValueError(f"ciphertexts must be {len(self._log_weights)}, got {len(given)}")
        return normalize(self._log_weights + np.array([self._decrypt(c) for c in given]))

    def _decrypt(self, ciphertext: object) -> float:
        public = self._secret.public_key
        number = int(self._secret.raw_decrypt(_checked("ciphertexts", ciphertext, public)))
        signed = number - int(public.n) if number > public.n // 2 else number
        if abs(signed) > _LARGEST_OUTPUT * _UNIT**2:
            raise ValueError(
                "ciphertexts must decrypt to log-weights, got a number out of range: a ciphertext was"
                " tampered with, belongs to another key, or a sum overflowed"
            )
        return signed / _UNIT**2


@dataclass(frozen=True)
class BlindServer:
    """The server, which knows a public key, the particles and the measurement noise.

    Parameters
    ----------
    public : PaillierPublicKey
        Key of the user for whom it computes, under which everything that it receives for her is encrypted.
    sigma : float
        Standard deviation of the measurement errors, > 0, in metres.

    Notes
    -----
    Source: Xiang (2017), slides "Privacy-Preserving Inference".
    Derived in: localization/encrypted-inference

    Examples
    --------
    >>> public, secret = make_keys(256)
    >>> particles = np.array([[[0.0, 0.0], [0.0, 0.0]], [[3.0, 4.0], [8.0, 8.0]]])
    >>> users = [LocalizingUser(np.log([0.5, 0.5]), {1 - i: 5.0}, secret) for i in (0, 1)]
    >>> reports = [user.report() for user in users]
    >>> server = BlindServer(public, sigma=1.0)
    >>> np.exp(users[1].update(server.combine(1, particles, reports))).round(2)
    array([1., 0.])
    """

    public: PaillierPublicKey
    sigma: float

    def __post_init__(self) -> None:
        _public(self.public)
        positive("sigma", self.sigma)

    def combine(
        self,
        user: int,
        particles: ArrayLike,
        reports: Sequence[Report],
        *,
        correct: Callable[[Array], Array] | None = None,
    ) -> list[int]:
        """The sum that the source calls c, for each particle of a user, computed on ciphertexts.

        The sums over the neighbours' particles are gathered first: one multiplication by a public number
        remains for each particle and neighbour, and one more for each neighbour.

        Parameters
        ----------
        user : int
            Number of the user whose weights are updated, in 0..N - 1.
        particles : array_like, shape (N, R, 2)
            Public particles of all users, in metres.
        reports : sequence of Report
            Reports of all N users, by number, encrypted for that user.
        correct : callable, optional
            For perturbed particles, as in :func:`ldpbook.localization.forgotten_weights.source_update`.

        Returns
        -------
        list of int
            A ciphertext for each particle of the user.

        Raises
        ------
        ValueError
            If a report holds something that is not a ciphertext, its number of log-weights is wrong, or the
            particles are so far apart, in units of sigma, that the number cannot be encoded.
        """
        points = check_positions("particles", particles, 3)
        of = _one_of("user", user, range(len(points)))
        given = _check_reports(reports, of, points.shape[:2])
        if correct is not None:
            check_callable("correct", correct)
        factor = 0.5 / self.sigma / self.sigma
        terms: list[list[EncryptedNumber]] = [[] for _ in points[of]]
        for j, (distance, square) in given[of].distances.items():
            d, d_squared = self._number("reports", distance), self._number("reports", square)
            # The neighbour's weights and the squared distance add the same for every particle of the user.
            weights = reduce(add, (self._number("reports", c) for c in given[j].log_weights))
            common = weights + d_squared * _fixed(-factor * points.shape[1])
            apart = between(points[of], points[j], correct)
            for term, linear, known in zip(terms, apart.sum(axis=1), (apart**2).sum(axis=1), strict=True):
                term.append(common + d * _fixed(2 * factor * linear) + _UNIT * _fixed(-factor * known))
        return self._released([reduce(add, term) for term in terms])

    def add(self, told: Sequence[Sequence[int]]) -> list[int]:
        """Sum of the neighbours' encrypted messages, particle by particle.

        Parameters
        ----------
        told : sequence of sequences of int
            Each neighbour's ciphertexts, one for each particle.

        Returns
        -------
        list of int
            A ciphertext for each particle.

        Raises
        ------
        ValueError
            If there is no neighbour, the neighbours' numbers of messages differ, or a message is not a
            ciphertext.
        """
        listed("told", told)
        rows = [[self._number("told", c) for c in listed("told", row)] for row in told]
        if len({len(row) for row in rows}) != 1 or not rows[0]:
            raise ValueError("told must hold equally many ciphertexts of each neighbour, of at least one")
        return self._released([reduce(add, column) for column in zip(*rows, strict=True)])

    def _number(self, name: str, ciphertext: object) -> EncryptedNumber:
        return EncryptedNumber(self.public, _checked(name, ciphertext, self.public), exponent=0)

    def _released(self, numbers: Sequence[EncryptedNumber]) -> list[int]:
        """Ciphertexts with fresh randomness, which hides how they were computed."""
        return [number.ciphertext(be_secure=True) for number in numbers]


def encrypted_update(
    particles: ArrayLike,
    log_weights: ArrayLike,
    distances: ArrayLike,
    *,
    sigma: float,
    secret: PaillierPrivateKey,
    correct: Callable[[Array], Array] | None = None,
) -> Array:
    """The source's update of a whole crowd on ciphertexts: all users report, the server combines.

    To the precision of the encoding, the result is what
    :func:`~ldpbook.localization.forgotten_weights.source_update` computes in plain numbers. With perturbed
    particles and :func:`~ldpbook.localization.noisy_distances.printed_distance` it is the source's whole
    system.

    Parameters
    ----------
    particles, log_weights, distances, sigma, correct
        As in :func:`~ldpbook.localization.forgotten_weights.source_update`; weights must be positive.
    secret : PaillierPrivateKey
        One key for all users, which saves encryptions: if each user had her own key, every report would be
        encrypted once for each neighbour. With one key, each user can read every other's report.

    Returns
    -------
    ndarray, shape (N, R)
        Normalized log-weights after the update, each row decrypted by its user.

    Notes
    -----
    Source: Xiang (2017), slides "Privacy-Preserving Inference" and "Perturbed Private Inference".
    Derived in: localization/encrypted-inference

    Examples
    --------
    >>> public, secret = make_keys(256)
    >>> clouds = [[[0, 0], [0, 0]], [[3, 4], [8, 8]]]
    >>> measured = [[np.nan, 5], [5, np.nan]]
    >>> weights = np.log([[0.5, 0.5]] * 2)
    >>> np.exp(encrypted_update(clouds, weights, measured, sigma=1, secret=secret))[1].round(2)
    array([1., 0.])
    """
    points, weights, measured = check_crowd(particles, log_weights, distances)
    near = [{j: row[j] for j in np.flatnonzero(~np.isnan(row)).tolist()} for row in measured]
    users = [LocalizingUser(w, known, secret) for w, known in zip(weights, near, strict=True)]
    reports = [user.report() for user in users]
    server = BlindServer(secret.public_key, sigma)
    return np.array(
        [
            user.update(server.combine(i, points, reports, correct=correct))
            if near[i]
            else normalize(weights[i])
            for i, user in enumerate(users)
        ]
    )


def update_cost(n_particles: int, n_neighbours: int, *, n_bits: int = KEY_BITS) -> dict[str, UpdateCost]:
    """Operations and bytes of one update of one user, for each way to compute it.

    For "messages", everything that K neighbours send for this update alone is counted. For the other ways,
    the user's own R weights, K distances and K squares are counted, as one report serves all neighbours if
    all users share a key.

    Parameters
    ----------
    n_particles, n_neighbours : int
        Numbers R and K, >= 1.
    n_bits : int
        Length of the modulus, >= 1; a ciphertext is twice as long.

    Returns
    -------
    dict
        "as printed" (term by term), "drawn together" (:meth:`BlindServer.combine`) and "messages"
        (:meth:`BlindServer.add`).

    Notes
    -----
    Derived in: localization/encrypted-inference

    Examples
    --------
    >>> update_cost(100, 5)["drawn together"].multiplications
    505
    """
    r, k = count("n_particles", n_particles), count("n_neighbours", n_neighbours)
    size = count("n_bits", n_bits) // 4
    sent = r + 2 * k
    printed = printed_powers(n_particles=r, n_neighbours=k)
    gathered = gathered_powers(n_particles=r, n_neighbours=k)
    return {
        "as printed": UpdateCost(sent, r * r * k, printed, r * r * k + printed - r, r, sent * size, r * size),
        "drawn together": UpdateCost(
            sent, r, gathered, k * (r + 2 * r) + r * (k - 1), r, sent * size, r * size
        ),
        "messages": UpdateCost(r * k, r, 0, r * (k - 1), r, r * k * size, r * size),
    }


def _public(key: PaillierPublicKey) -> PaillierPublicKey:
    if not isinstance(key, PaillierPublicKey):
        raise TypeError(f"public must be a public key of Paillier's scheme, got {key!r:.80}")
    return key


def _encrypted(key: PaillierPublicKey, number: int) -> int:
    return int(key.raw_encrypt(number % key.n))


def _encodable(name: str, values: ArrayLike) -> Array:
    array = numeric(name, values)
    if array.ndim != 1 or not np.all(np.abs(array) <= _LARGEST_INPUT):
        raise ValueError(f"{name} must be finite numbers of at most 2^40 in magnitude, to be encoded")
    return array


def _fixed(value: float) -> int:
    if not isfinite(value):
        raise ValueError(
            f"particles must be near enough in units of sigma for numbers that can be encoded, got {value}"
        )
    return round(float(value) * _UNIT)


def _checked(name: str, ciphertext: object, public: PaillierPublicKey) -> int:
    must = f"{name} must be integers in 1..n^2 - 1 without a common factor with n"
    if not isinstance(ciphertext, int):
        raise TypeError(f"{must}, got {ciphertext!r:.40} of type {type(ciphertext).__name__}")
    if not (0 < ciphertext < public.nsquare and gcd(ciphertext, public.n) == 1):
        raise ValueError(f"{must}, got another")
    return ciphertext


def _one_of(name: str, value: int, allowed: Collection[int]) -> int:
    must = f"{name} must be one of {list(allowed)!s:.80}"
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{must}, got {value!r:.80} of type {type(value).__name__}")
    if value not in allowed:
        raise ValueError(f"{must}, got {value}")
    return int(value)


def _check_reports(reports: Sequence[Report], user: int, shape: tuple[int, ...]) -> list[Report]:
    """Checked reports of all users, in which that user has neighbours; log-weights have shape (N, R)."""
    sent = listed("reports", reports)
    given = [report for report in sent if isinstance(report, Report)]
    if not len(given) == len(sent) == shape[0]:
        raise TypeError(f"reports must be {shape[0]} of type Report, one for each user, got {reports!r:.80}")
    near = given[user].distances
    if not near:
        raise ValueError(f"reports must hold a neighbour of user {user}, got none")
    if not set(near) <= set(range(shape[0])) - {user}:
        raise ValueError(f"reports must hold users as neighbours of user {user}, got {list(near)!s:.80}")
    if any(len(given[j].log_weights) != shape[1] for j in near):
        raise ValueError(
            f"reports must hold {shape[1]} log-weights of each neighbour, as many as particles, got others"
        )
    return given
