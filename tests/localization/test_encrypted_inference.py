"""Two parties and a real Paillier library: results equal the plain update, and faults are reported.

Keys of 256 bits, far too short to protect anything, keep the tests quick.
"""

import math
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from phe.paillier import EncryptedNumber, PaillierPublicKey

from ldpbook.localization.encrypted_inference import (
    BlindServer,
    LocalizingUser,
    Report,
    encrypted_update,
    make_keys,
    update_cost,
)
from ldpbook.localization.forgotten_weights import source_update
from ldpbook.localization.mobility import random_waypoint
from ldpbook.localization.noisy_distances import printed_distance
from ldpbook.localization.particles import localize, normalize, sum_product_update
from ldpbook.localization.perturbed_particles import ParticlePerturbation
from ldpcourse.ledger.localization.encrypted_inference import CLAIMS

PUBLIC, SECRET = make_keys(256)
SIGMA = 2.0


def crowd(n_users, n_particles, seed=0):
    """Clouds, weights and complete measurements."""
    rng = np.random.default_rng(seed)
    particles = rng.uniform(0, 100, (n_users, n_particles, 2))
    log_weights = normalize(rng.normal(0, 2, (n_users, n_particles)))
    measured = rng.uniform(0, 100, (n_users, n_users))
    measured = np.triu(measured, 1) + np.triu(measured, 1).T
    np.fill_diagonal(measured, np.nan)
    return particles, log_weights, measured


def tell(user, own, particles, neighbour, public=PUBLIC, **options):
    return user.messages(own, particles, neighbour, public=public, sigma=SIGMA, **options)


def as_users(log_weights, measured, secret=SECRET):
    return [
        LocalizingUser(w, {j: d for j, d in enumerate(row) if not np.isnan(d)}, secret)
        for w, row in zip(log_weights, measured.tolist(), strict=True)
    ]


def signed(secret, ciphertext):
    """The decryption of a ciphertext with a key, in units of 2^-80."""
    number, n = secret.raw_decrypt(ciphertext), secret.public_key.n
    return (number - n if number > n // 2 else number) / 2**80


@pytest.mark.parametrize(("n_users", "n_particles"), [(2, 1), (3, 4), (4, 7)])
def test_source_update_on_ciphertexts_equals_the_plain_one(n_users, n_particles):
    particles, log_weights, measured = crowd(n_users, n_particles)
    users = as_users(log_weights, measured)
    reports = [user.report() for user in users]
    plain = source_update(particles, log_weights, measured, sigma=SIGMA)
    for i, user in enumerate(users):
        found = user.update(BlindServer(PUBLIC, SIGMA).combine(i, particles, reports))
        np.testing.assert_allclose(found, plain[i], rtol=0, atol=1e-6)


def test_ciphertexts_hold_the_whole_expression():
    """Terms that normalization cancels are included: the neighbours' weights and the squared distances."""
    particles, log_weights, measured = crowd(3, 4)
    users = as_users(log_weights, measured)
    answer = BlindServer(PUBLIC, SIGMA).combine(1, particles, [user.report() for user in users])
    for r, ciphertext in enumerate(answer):
        expected = sum(
            log_weights[j, s]
            - (np.linalg.norm(particles[1, r] - particles[j, s]) - measured[1, j]) ** 2 / (2 * SIGMA**2)
            for j in (0, 2)
            for s in range(4)
        )
        assert signed(SECRET, ciphertext) == pytest.approx(expected, abs=1e-6)


def test_printed_product():
    """Four ciphertexts per term, one of them of a public number, which holds the combination."""
    particles, log_weights, measured = crowd(3, 2, seed=6)
    reports = [user.report() for user in as_users(log_weights, measured)]
    n, square, unit = PUBLIC.n, PUBLIC.nsquare, 2**40
    half = round(unit / (2 * SIGMA**2))
    for r, combined in enumerate(BlindServer(PUBLIC, SIGMA).combine(0, particles, reports)):
        product = 1
        for j, (of_distance, of_square) in reports[0].distances.items():
            for s in range(2):
                d = math.dist(particles[0, r], particles[j, s])
                product *= reports[j].log_weights[s]
                product *= pow(PUBLIC.raw_encrypt(round(d**2 * unit)), -half, square)
                product *= pow(of_distance, round(d / SIGMA**2 * unit), square)
                product *= pow(of_square, -half, square)
        assert math.gcd(product, n) == 1
        assert signed(SECRET, product % square) == pytest.approx(signed(SECRET, combined), abs=1e-6)


def test_sums_miss_squared_distance_by_closed_form():
    """Least squares by a quadrature that is exact for these polynomials, against the ledger's formula."""
    nodes, weights = np.polynomial.legendre.leggauss(3)
    x = np.stack(np.meshgrid(*[50 + 50 * nodes] * 4), axis=-1).reshape(-1, 4)
    mass = np.prod(np.meshgrid(*[weights / 2] * 4), axis=0).ravel()
    squares = (x[:, 0] - x[:, 2]) ** 2 + (x[:, 1] - x[:, 3]) ** 2
    # All sums of functions of each user's position, as represented on three nodes.
    own = [x[:, a] ** p * x[:, a + 1] ** q for a in (0, 2) for p in range(3) for q in range(3)]
    scaled = np.stack(own, axis=1) * np.sqrt(mass)[:, None]
    scaled /= np.linalg.norm(scaled, axis=0)
    best = scaled @ np.linalg.lstsq(scaled, squares * np.sqrt(mass))[0]
    found = np.sqrt(((squares * np.sqrt(mass) - best) ** 2).sum())
    (claim,) = (claim for claim in CLAIMS if claim.id == "loc-constrained")
    assert claim.readings[0].compute() == pytest.approx(found, rel=1e-9)


def test_cost_as_printed_counts_every_term():
    r, k = 3, 2
    cost = update_cost(r, k)["as printed"]
    terms = [(a, j, s) for a in range(r) for j in range(k) for s in range(r)]
    # Each term is a product of four ciphertexts, three of them raised to a public power.
    assert cost.server_encryptions == len(terms)
    assert cost.multiplications == 3 * len(terms)
    assert cost.additions == 4 * len(terms) - r
    assert (cost.user_encryptions, cost.decryptions) == (r + 2 * k, r)
    assert (cost.bytes_up, cost.bytes_down) == (7 * 512, 3 * 512)


def test_messages_on_ciphertexts_are_sum_product():
    particles, log_weights, measured = crowd(4, 6, seed=1)
    users = as_users(log_weights, measured)
    plain = sum_product_update(particles, log_weights, measured, sigma=SIGMA)
    for i, user in enumerate(users):
        told = [tell(users[j], particles[j], particles[i], i) for j in range(4) if j != i]
        np.testing.assert_allclose(user.update(BlindServer(PUBLIC, SIGMA).add(told)), plain[i], atol=1e-9)


def test_messages_are_rounded_before_they_are_encrypted():
    person = LocalizingUser([0.0], {0: 3.0}, make_keys(256)[1])
    rooms = np.array([[3.0, 4.0], [0.0, 9.0], [0.0, 3.1]])
    told = tell(person, [[0.0, 0.0]], rooms, 0, unit=0.25)
    # -(5 - 3)^2/8, -(9 - 3)^2/8 and -(3.1 - 3)^2/8 in quarters
    assert [signed(SECRET, c) for c in told] == [-0.5, -4.5, 0.0]
    finer = tell(person, [[0.0, 0.0]], rooms, 0, unit=2.0**-40)
    assert [signed(SECRET, c) for c in finer] == pytest.approx([-0.5, -4.5, -0.00125], abs=2.0**-40)
    for unit in (2.0**-41, 0.0, math.nan):
        with pytest.raises(ValueError, match="unit"):
            tell(person, [[0.0, 0.0]], rooms, 0, unit=unit)


def test_encrypted_rounds_are_sum_product_rounds():
    """The server sends each user, for each neighbour, the sum of the others' messages."""
    particles, log_weights, measured = crowd(3, 4, seed=2)
    server, ids = BlindServer(PUBLIC, SIGMA), range(3)
    users = as_users(log_weights, measured)

    first = {(j, i): tell(users[j], particles[j], particles[i], i) for j in ids for i in ids if i != j}
    second = {}
    for j, i in first:
        known = users[j].update(server.add([first[k, j] for k in ids if k not in (i, j)]))
        wiser = LocalizingUser(known, {i: measured[j, i]}, SECRET)
        second[j, i] = tell(wiser, particles[j], particles[i], i)
    plain = sum_product_update(particles, log_weights, measured, sigma=SIGMA, n_rounds=2)
    for i in ids:
        answer = server.add([second[j, i] for j in ids if j != i])
        np.testing.assert_allclose(users[i].update(answer), plain[i], atol=1e-8)


class TestKeysOfEachUser:
    """Everything is encrypted for its receiver: each update is the plain one, and others can read nothing."""

    @pytest.fixture
    def parts(self):
        particles, log_weights, measured = crowd(3, 4, seed=5)
        keys = [make_keys(256) for _ in range(3)]
        near = [{j: measured[i, j] for j in range(3) if j != i} for i in range(3)]
        users = [LocalizingUser(*parts, key[1]) for *parts, key in zip(log_weights, near, keys, strict=True)]
        return (particles, log_weights, measured), keys, users

    def test_messages(self, parts):
        (particles, *rest), keys, users = parts
        plain = sum_product_update(particles, *rest, sigma=SIGMA)
        for i, (user, (public, _)) in enumerate(zip(users, keys, strict=True)):
            told = [tell(users[j], particles[j], particles[i], i, public) for j in range(3) if j != i]
            answer = BlindServer(public, SIGMA).add(told)
            np.testing.assert_allclose(user.update(answer), plain[i], atol=1e-9)
            for third in users[:i] + users[i + 1 :]:
                with pytest.raises(ValueError, match=r"another key|in 1"):
                    third.update(answer)

    def test_the_slides_update(self, parts):
        (particles, *rest), keys, users = parts
        plain = source_update(particles, *rest, sigma=SIGMA)
        for i, (user, (public, _)) in enumerate(zip(users, keys, strict=True)):
            reports = [other.report() if other is user else other.report(public) for other in users]
            answer = BlindServer(public, SIGMA).combine(i, particles, reports)
            np.testing.assert_allclose(user.update(answer), plain[i], atol=1e-6)

    def test_a_third_user_reads_no_report(self, parts):
        (_, log_weights, _), keys, users = parts
        report = users[1].report(keys[0][0])  # for user 0
        assert not report.distances
        found = {i: np.array([signed(keys[i][1], c) for c in report.log_weights]) for i in range(3)}
        np.testing.assert_allclose(found[0], log_weights[1], atol=1e-9)
        # Under another key a ciphertext decrypts to a random number of 256 bits, in units of 2^-80.
        assert np.abs(found[2]).min() > 2**80
        assert np.abs(found[1]).min() > 2**80


def test_corrected_distances_on_ciphertexts():
    """The slides' whole system: perturbed particles, encrypted weights and distances."""
    particles, log_weights, measured = crowd(3, 4, seed=3)
    users = as_users(log_weights, measured)

    def shorter(apart):
        return np.sqrt(np.maximum(apart**2 - 100, 0))

    reports = [user.report() for user in users]
    plain = source_update(particles, log_weights, measured, sigma=SIGMA, correct=shorter)
    found = users[1].update(BlindServer(PUBLIC, SIGMA).combine(1, particles, reports, correct=shorter))
    np.testing.assert_allclose(found, plain[1], rtol=0, atol=1e-6)
    exact = sum_product_update(particles, log_weights, measured, sigma=SIGMA, correct=shorter)
    told = [tell(users[j], particles[j], particles[1], 1, correct=shorter) for j in (0, 2)]
    np.testing.assert_allclose(users[1].update(BlindServer(PUBLIC, SIGMA).add(told)), exact[1], atol=1e-9)


def test_neighbours_only():
    particles, log_weights, measured = crowd(3, 3)
    measured[0, 2] = measured[2, 0] = np.nan
    users = as_users(log_weights, measured)
    found = users[0].update(BlindServer(PUBLIC, SIGMA).combine(0, particles, [u.report() for u in users]))
    np.testing.assert_allclose(
        found, source_update(particles, log_weights, measured, sigma=SIGMA)[0], atol=1e-6
    )


def test_the_same_report_never_looks_the_same():
    user = as_users(*crowd(2, 3)[1:])[0]
    first, second = user.report(), user.report()
    assert not set(first.log_weights) & set(second.log_weights)
    server = BlindServer(PUBLIC, SIGMA)
    assert server.add([first.log_weights]) != list(first.log_weights)


@pytest.mark.parametrize(("r", "k"), [(1, 1), (3, 2), (4, 3)])
def test_cost_counts_operations_of_the_library(monkeypatch, r, k):
    particles, log_weights, measured = crowd(k + 1, r)
    users = as_users(log_weights, measured)
    counted = Counter()

    def counting(owner, name):
        original = getattr(owner, name)

        def wrapper(*arguments, **keywords):
            counted[name] += 1
            return original(*arguments, **keywords)

        monkeypatch.setattr(owner, name, wrapper)

    for owner, name in [
        (EncryptedNumber, "_raw_mul"),
        (EncryptedNumber, "_raw_add"),
        (EncryptedNumber, "obfuscate"),
        (PaillierPublicKey, "raw_encrypt"),
    ]:
        counting(owner, name)
    users[0].report()
    cost = update_cost(r, k, n_bits=256)["drawn together"]
    assert counted["raw_encrypt"] == cost.user_encryptions
    reports = [user.report() for user in users]
    counted.clear()
    answer = BlindServer(PUBLIC, SIGMA).combine(0, particles, reports)
    assert counted["_raw_mul"] == cost.multiplications
    assert counted["_raw_add"] == cost.additions
    assert counted["obfuscate"] == cost.server_encryptions
    assert cost.decryptions == len(answer)
    assert cost.bytes_down == r * 64
    told = [tell(users[j], particles[j], particles[0], 0) for j in range(1, k + 1)]
    counted.clear()
    BlindServer(PUBLIC, SIGMA).add(told)
    assert cost.bytes_up == (r + 2 * k) * 64
    cost = update_cost(r, k, n_bits=256)["messages"]
    assert (cost.server_encryptions, cost.decryptions) == (r, r)
    assert (cost.bytes_up, cost.bytes_down) == (r * k * 64, r * 64)
    assert (counted["_raw_mul"], counted["_raw_add"]) == (cost.multiplications, cost.additions)
    assert cost.user_encryptions == sum(map(len, told))


class TestWhatGoesWrong:
    @pytest.fixture
    def parts(self):
        particles, log_weights, measured = crowd(3, 3)
        users = as_users(log_weights, measured)
        return users, BlindServer(PUBLIC, SIGMA).combine(0, particles, [u.report() for u in users])

    def test_tampering_is_seen(self, parts):
        users, answer = parts
        for bit in (0, 100, 400):
            with pytest.raises(ValueError, match="tampered"):
                users[0].update([answer[0] ^ (1 << bit), *answer[1:]])

    def test_another_key_is_seen(self, parts):
        _, answer = parts
        _, other = make_keys(512)
        stranger = LocalizingUser(np.log([0.2, 0.3, 0.5]), {}, other)
        with pytest.raises(ValueError, match="tampered"):
            stranger.update(answer)

    @pytest.mark.parametrize(
        "wrong", [0, -1, PUBLIC.nsquare, PUBLIC.n, "5", 2.0], ids=["0", "-1", "n^2", "n", "text", "float"]
    )
    def test_non_ciphertexts_are_refused(self, parts, wrong):
        users, answer = parts
        error = ValueError if isinstance(wrong, int) else TypeError
        with pytest.raises(error, match=r"^ciphertexts must be integers in"):
            users[0].update([wrong, *answer[1:]])
        with pytest.raises(error, match=r"^told must be integers in"):
            BlindServer(PUBLIC, SIGMA).add([[wrong]])
        particles, log_weights, measured = crowd(3, 3)
        reports = [user.report() for user in as_users(log_weights, measured)]
        for spoilt in (
            replace(reports[1], log_weights=(wrong, *reports[1].log_weights[1:])),
            replace(reports[1], distances={0: (reports[1].distances[0][0], wrong)}),
        ):
            with pytest.raises(error, match=r"^reports must be integers in"):
                BlindServer(PUBLIC, SIGMA).combine(1, particles, [reports[0], spoilt, spoilt])

    def test_overflow_of_the_encoding_is_refused(self):
        with pytest.raises(ValueError, match=r"^distances must be finite numbers of at most 2\^40"):
            LocalizingUser([0.0], {1: 2.0**41}, SECRET)
        with pytest.raises(ValueError, match=r"^log_weights must be finite"):
            LocalizingUser([0.0, -np.inf], {}, SECRET)
        far = LocalizingUser([0.0], {1: 0.0}, SECRET)
        with pytest.raises(ValueError, match=r"^messages at this sigma must be finite"):
            far.messages([[0.0, 0.0]], [[1e9, 0.0]], 1, public=PUBLIC, sigma=1.0)

    def test_overflow_of_a_sum_is_seen(self):
        particles = np.array([[[0.0, 0.0]], [[1e6, 0.0]]])
        users = [LocalizingUser([0.0], {1 - i: 1.0}, SECRET) for i in (0, 1)]
        answer = BlindServer(PUBLIC, 1e-9).combine(0, particles, [u.report() for u in users])
        with pytest.raises(ValueError, match="overflowed"):
            users[0].update(answer)

    def test_wrong_numbers_of_arguments(self, parts):
        users, answer = parts
        server = BlindServer(PUBLIC, SIGMA)
        with pytest.raises(ValueError, match=r"^ciphertexts must be 3"):
            users[0].update(answer[:2])
        reports = [user.report() for user in users]
        with pytest.raises(ValueError, match=r"^reports must hold 2 log-weights"):
            server.combine(0, np.zeros((3, 2, 2)), reports)
        alone = LocalizingUser([0.0], {}, SECRET).report()
        with pytest.raises(ValueError, match=r"^reports must hold a neighbour"):
            server.combine(0, np.zeros((1, 1, 2)), [alone])
        for told in ([], [[1, 2], [3]]):
            with pytest.raises(ValueError, match=r"^told must hold"):
                server.add(told)
        with pytest.raises(ValueError, match=r"^neighbour must be one of \[1, 2\]"):
            users[0].messages([[0, 0]] * 3, [[0, 0]], 5, public=PUBLIC, sigma=1.0)

    def test_wrong_types_of_arguments(self, parts):
        users, _ = parts
        particles = crowd(3, 3)[0]
        reports = [user.report() for user in users]
        server = BlindServer(PUBLIC, SIGMA)
        for distances in (None, [1.0], {"a": 1.0}):
            with pytest.raises(TypeError, match=r"^distances must map"):
                LocalizingUser([0.0], distances, SECRET)
        for distances in (None, {1: 5}, {1: (2, 3, 4)}):
            with pytest.raises(TypeError, match=r"^distances must map"):
                Report((1,), distances)
        with pytest.raises(ValueError, match=r"^distances must be an array of numbers"):
            LocalizingUser([0.0], {1: "far"}, SECRET)
        with pytest.raises(ValueError, match=r"^log_weights must be of at least one"):
            LocalizingUser([], {}, SECRET)
        with pytest.raises(TypeError, match=r"^secret must"):
            LocalizingUser([0.0], {}, PUBLIC)
        with pytest.raises(TypeError, match=r"^public must"):
            BlindServer(SECRET, 1.0)
        with pytest.raises(TypeError, match=r"^public must"):
            users[0].messages(particles[0], particles[1], 1, public=SECRET, sigma=1.0)
        with pytest.raises(TypeError, match=r"^public must"):
            users[0].report(SECRET)
        for wrong, error in ((3, ValueError), (-1, ValueError), (None, TypeError), (1.0, TypeError)):
            with pytest.raises(error, match=r"^user must be one of \[0, 1, 2\]"):
                server.combine(wrong, particles, reports)
            with pytest.raises(error, match=r"^neighbour must be one of \[1, 2\]"):
                users[0].messages(particles[0], particles[1], wrong, public=PUBLIC, sigma=1.0)
        for wrong in (reports[:2], [*reports[:2], None], "abc"):
            with pytest.raises(TypeError, match=r"^reports must be"):
                server.combine(0, particles, wrong)
        for neighbour in (7, 0):
            stranger = replace(reports[0], distances={neighbour: reports[0].distances[1]})
            with pytest.raises(ValueError, match=r"^reports must hold users as neighbours of user 0"):
                server.combine(0, particles, [stranger, *reports[1:]])
        with pytest.raises(TypeError, match=r"^correct must be a function"):
            server.combine(0, particles, reports, correct=1.0)
        with pytest.raises(ValueError, match=r"^own must be 3 particles"):
            users[0].messages(particles[0][:2], particles[1], 1, public=PUBLIC, sigma=1.0)
        for sigma in (1e-200, 5e-324):
            with pytest.raises(ValueError, match=r"^particles must be near enough in units of sigma"):
                BlindServer(PUBLIC, sigma).combine(0, particles, reports)
        with pytest.raises(ValueError, match=r"^messages at this sigma must be"):
            users[0].messages(particles[0], particles[1], 1, public=PUBLIC, sigma=5e-324)

    def test_bad_parameters(self):
        for n_bits in (255, 128, 0, 2**20):
            with pytest.raises(ValueError, match=r"^n_bits must"):
                make_keys(n_bits)
        with pytest.raises(ValueError, match=r"^sigma must"):
            BlindServer(PUBLIC, 0.0)
        with pytest.raises(ValueError, match=r"^n_bits must"):
            update_cost(1, 1, n_bits=0)
        for arguments in ((0, 1), (1, 0)):
            with pytest.raises(ValueError, match=r"^n_(particles|neighbours) must"):
                update_cost(*arguments)


def test_keys_of_2048_bits_are_the_default():
    public, secret = make_keys()
    assert public.n.bit_length() == 2048
    user = LocalizingUser(np.log([0.25, 0.75]), {1: 3.0}, secret)
    told = LocalizingUser(np.array([0.0]), {0: 3.0}, secret).messages(
        [[0, 0]], [[3, 0], [9, 9]], 0, public=public, sigma=1.0
    )
    assert all(c.bit_length() > 4000 for c in told)
    np.testing.assert_allclose(np.exp(user.update(BlindServer(public, 1.0).add([told]))), [1, 0], atol=1e-9)
    with pytest.raises(ValueError, match="tampered"):  # a number that no float can hold
        user.update([told[0] ^ 1, told[1]])
    assert update_cost(2, 1)["messages"].bytes_up == 2 * 512


def test_a_whole_crowd_on_ciphertexts():
    """Each row is that of the plain update; a user without neighbours keeps her weights."""
    particles, log_weights, measured = crowd(4, 5, seed=4)
    measured[3] = measured[:, 3] = np.nan
    measured[0, 1] = np.nan  # a measurement need not be mutual
    for correct in (None, lambda apart: apart / 2):
        given = dict(sigma=SIGMA, correct=correct)
        found = encrypted_update(particles, log_weights, measured, secret=SECRET, **given)
        plain = source_update(particles, log_weights, measured, **given)
        np.testing.assert_allclose(found, plain, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found[3], log_weights[3])


def test_encrypted_system_tracks_like_plaintext_system():
    """Perturbed particles, printed distances, encrypted weights and distances, step after step."""
    noise = ParticlePerturbation(3.0)

    def printed(apart):
        return np.nan_to_num(printed_distance(apart, sigma=3.0))

    def walk(rule):
        rng = np.random.default_rng(2)
        track = random_waypoint(6, 5, side=60, speeds=(1, 3), rng=rng)

        def update(particles, *rest):
            return rule(noise.perturb(particles, rng), *rest, sigma=2, correct=printed)

        setting = dict(side=60, speed=3, reach=40, sigma=2, n_particles=20)
        return localize(track, np.arange(6) < 3, update, rng=rng, **setting)

    plain, hidden = walk(source_update), walk(partial(encrypted_update, secret=SECRET))
    np.testing.assert_allclose(hidden.estimates, plain.estimates, rtol=0, atol=1e-6)
    np.testing.assert_allclose(hidden.log_weights, plain.log_weights, rtol=0, atol=1e-6)
    without = walk(lambda *crowd, sigma, correct: source_update(*crowd, sigma=sigma))
    assert np.abs(without.estimates - plain.estimates).max() > 1  # the correction matters
