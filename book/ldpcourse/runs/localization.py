"""Long simulations on localization: systems, most likely choices, a step on ciphertexts, noisy anchors."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ldpbook._arrays import Array
from ldpbook.foundations.local_privacy import gaussian_sigma
from ldpbook.localization._crowd import log_kernel
from ldpbook.localization.belief_propagation import belief_means, grid_beliefs, grid_places
from ldpbook.localization.forgotten_weights import own_update, source_update
from ldpbook.localization.mobility import measured_distances, random_waypoint
from ldpbook.localization.most_likely import most_likely_particles
from ldpbook.localization.noisy_distances import halved_distance, printed_distance
from ldpbook.localization.particles import (
    estimate,
    localize,
    normalize,
    sum_product_update,
    uniform_clouds,
)
from ldpbook.localization.perturbed_particles import ParticlePerturbation
from ldpbook.localization.planar_laplace import PlanarLaplace
from ldpcourse.runs.kept import Run

_SETTING = {"side": 100, "speed": 3, "reach": 40, "sigma": 2, "n_particles": 100}
_ANCHORS = np.arange(20) < 7
_STEPS = (0, 1, 3, 5, 10, 15)


def _deviation(epsilon: float, distance: float = 10.0) -> float:
    """Standard deviation of noise that is private for one particle, once, at that distance."""
    return gaussian_sigma(epsilon=epsilon, distance=distance, delta=1e-5)


def printed_or_zero(observed: Array, sigma: float) -> Array:
    """The printed estimator, 0 where it is not real."""
    return np.nan_to_num(printed_distance(observed, sigma=sigma))


def _planar_laplace(points: Array, sigma: float, rng: np.random.Generator) -> Array:
    """Points with planar Laplace noise, of the mean square of Gaussian noise of standard deviation sigma."""
    length = rng.gamma(2, sigma / 3**0.5, points.shape[:-1])
    angle = rng.uniform(0, 2 * np.pi, length.shape)
    noise: Array = length[..., None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return points + noise


def followed(seen: Array, sigma: float) -> Array:
    """Final positions of users, estimated by a listener that sees their noisy positions at each time.

    The estimate is Kalman's filter: at first a user may be anywhere in the square, and each step adds a
    standard deviation of 2 m to each coordinate.

    Parameters
    ----------
    seen : ndarray, shape (T, N, 2)
        The positions.
    sigma : float
        Standard deviation of their noise on each coordinate.

    Returns
    -------
    ndarray, shape (N, 2)
        The listener's means.
    """
    place, variance = np.full(seen.shape[1:], _SETTING["side"] / 2), _SETTING["side"] ** 2 / 12
    for now in seen:
        gain = variance / (variance + sigma**2)
        place = place + gain * (now - place)
        variance = (1 - gain) * variance + 2**2
    return place


# By name: the system, the standard deviation of the noise in metres (0 for none), and other differences.
_METHODS: dict[str, tuple[str, float, str]] = {
    "source update": ("slides", 0.0, ""),
    **{f"slides, epsilon {e}": ("slides", _deviation(e), "") for e in (20, 5, 1)},
    "slides, epsilon 5 at 1 m": ("slides", _deviation(5, 1), ""),
    "slides, epsilon 5, one sigma": ("slides", _deviation(5), "one sigma"),
    "slides, epsilon 5, planar Laplace": ("slides", _deviation(5), "planar Laplace"),
    "sum-product": ("repaired", 0.0, ""),
    **{f"repaired, epsilon {e}": ("repaired", _deviation(e), "") for e in (20, 5, 1)},
    "repaired, epsilon 5 at 1 m": ("repaired", _deviation(5, 1), ""),
    **{f"at home, epsilon {e}": ("at home", _deviation(e), "") for e in (20, 5, 1)},
    # Epsilon of a cloud of 100 particles, each of which moves by 10 m.
    **{
        f"{system}, cloud's epsilon {e}": (system, _deviation(e, 100), "")
        for system in ("at home", "averaged")
        for e in (20, 5, 1)
    },
    **{f"one position, epsilon {e}": ("one position", _deviation(e), "") for e in (20, 5, 1)},
    **{f"anchors only, epsilon {e}": ("one position", _deviation(e), "anchors only") for e in (20, 5, 1)},
}


# Methods with similar errors are run on twice as many crowds.
_CLOSE = (
    "source update",
    "sum-product",
    "slides, epsilon 5 at 1 m",
    "averaged",
    "one position",
    "anchors only",
)


def system_errors(method: str, crowd: int) -> dict[str, float]:
    """Mean error, in metres, of the users without a position, at some steps.

    "Slides": the source's update on perturbed particles with the printed distances, 0 where they are not
    real; with "one sigma" it believes in a measurement error as large as the noise. "Repaired": two rounds
    of sum-product with half the correction, which believe in the error that noise and measurement have
    together. "At home": each user by herself, with her true particles and the published ones of others.
    "Averaged": the same, but she takes the mean of each published cloud for one position, with half the
    correction, and believes in the error that its noise and the measurement have together. "One position":
    like that, but all publish their estimate, once, with noise; with "anchors only" nobody else publishes
    anything. "Outsider": the means of what users publish, or, where they publish nothing, the mean of the
    published anchors; "listener", in the last three systems: these means, followed from the start.
    "Centroid": everybody at the mean of the anchors.
    """
    kind, noise, other = _METHODS[method]
    rng = np.random.default_rng(crowd)
    track = random_waypoint(20, 15, side=100, speeds=(1, 3), rng=rng)
    seen = []

    def update(particles: Array, log_weights: Array, measured: Array) -> Array:
        told = estimate(particles, log_weights)[:, None] if kind == "one position" else particles
        if noise and other == "planar Laplace":
            told = _planar_laplace(told, noise, rng)
        elif noise:
            told = ParticlePerturbation(noise).perturb(told, rng)
        seen.append(told.mean(axis=1))
        if kind == "slides":
            correct = partial(printed_or_zero, sigma=noise) if noise else None
            sigma = noise if other == "one sigma" else 2
            return source_update(told, log_weights, measured, sigma=sigma, correct=correct)
        if kind == "repaired":
            correct = partial(halved_distance, sigma=noise) if noise else None
            believed = (2**2 + 2 * noise**2) ** 0.5
            return sum_product_update(
                told, log_weights, measured, sigma=believed, n_rounds=2, correct=correct
            )
        # Her own particles have no noise, so the noise at one end counts as noise / sqrt(2) at both ends.
        left = noise
        if kind == "averaged":
            left, told = noise / told.shape[1] ** 0.5, told.mean(axis=1, keepdims=True)
        estimator = printed_or_zero if kind == "at home" else halved_distance
        half = partial(estimator, sigma=left / 2**0.5)
        believed = 2.0 if kind == "at home" else (2**2 + left**2) ** 0.5
        if other == "anchors only":
            measured = np.where(_ANCHORS, measured, np.nan)
        rows = zip(particles, log_weights, measured, strict=True)
        return np.array(
            [own_update(cloud, w, told, row, sigma=believed, correct=half) for cloud, w, row in rows]
        )

    found = localize(track, _ANCHORS, update, rng=rng, **_SETTING).estimates
    middle = track[:, _ANCHORS].mean(axis=1)[:, None]
    guess = np.array(seen)
    if other == "anchors only":
        guess = guess[:, _ANCHORS].mean(axis=1)[:, None]
    errors = {
        name: np.linalg.norm(place - track, axis=-1)[:, ~_ANCHORS].mean(axis=1)
        for name, place in {"step": found, "outsider": guess, "centroid": middle}.items()
    }
    told_of = {f"{name} {t}": float(error[t]) for name, error in errors.items() for t in _STEPS}
    if kind in ("averaged", "one position"):
        alone = noise / (_SETTING["n_particles"] ** 0.5 if kind == "averaged" else 1)
        last = followed(np.array(seen), alone)
        if other == "anchors only":
            last = last[_ANCHORS].mean(axis=0)
        told_of["listener 15"] = float(np.linalg.norm(last - track[-1], axis=-1)[~_ANCHORS].mean())
    return told_of


def _with_lost_squares(particles: Array, *rest: Array, sigma: float) -> Array:
    """The source's update where the printed square of a distance keeps its value if it is negative."""
    found = source_update(particles, *rest, sigma=2, correct=partial(printed_or_zero, sigma=sigma))
    for i, j in np.argwhere(~np.isnan(rest[1])):
        x, y = (particles[i][:, None] - particles[j]).transpose(2, 0, 1)
        found[i] += np.maximum(4 * sigma**2 - (x**2 + y**2), 0).sum(axis=1) / (2 * 2**2)
    return normalize(found)


def reading_errors(reading: str, epsilon: float, crowd: int) -> dict[str, float]:
    """Mean error, in metres, of the users without a position: after 15 steps, and from step 5 on.

    "Literal": the source's update that keeps negative squares of distances. The rest is two rounds of
    sum-product: "repaired" as in `system_errors`, "printed" with the printed distance, 0 where it is not
    real, and "believed" with the error of the measurements alone.
    """
    noise = _deviation(epsilon)
    rng = np.random.default_rng(crowd)
    track = random_waypoint(20, 15, side=100, speeds=(1, 3), rng=rng)
    correct = partial(printed_or_zero if reading == "printed" else halved_distance, sigma=noise)
    believed = 2.0 if reading == "believed" else np.sqrt(2**2 + 2 * noise**2)

    def update(particles: Array, *rest: Array) -> Array:
        published = ParticlePerturbation(noise).perturb(particles, rng)
        if reading == "literal":
            return _with_lost_squares(published, *rest, sigma=noise)
        return sum_product_update(published, *rest, sigma=believed, n_rounds=2, correct=correct)

    found = localize(track, _ANCHORS, update, rng=rng, **_SETTING).estimates
    error = np.linalg.norm(found - track, axis=-1)[:, ~_ANCHORS]
    return {"step 15": float(error[-1].mean()), "from step 5": float(error[5:].mean())}


def most_likely_errors(crowd: int, step: int) -> dict[str, float]:
    """Mean errors, in metres, of four estimates from the same clouds and distances, after sum-product steps.

    "Joint": the most likely particles of all users together; "own": each user's most likely particle;
    "mean": the mean of her cloud; "slides": the particle that the source's update gives most weight. Then
    the shares of users whose particle "slides" takes is the joint or her own one, and by how many nats its
    choice is less likely than the joint one.
    """
    rng = np.random.default_rng(crowd)
    track = random_waypoint(20, 15, side=100, speeds=(1, 3), rng=rng)[: step + 1]
    given: list[tuple[Array, ...]] = []

    def update(*now: Array) -> Array:
        given.append(now)
        return sum_product_update(*now, sigma=2, n_rounds=2)

    run = localize(track, _ANCHORS, update, rng=rng, **_SETTING)
    particles, log_weights, measured = given[-1]
    joint = most_likely_particles(particles, log_weights, measured, sigma=2)
    own = run.log_weights[-1].argmax(axis=1)
    slides = source_update(particles, log_weights, measured, sigma=2).argmax(axis=1)
    users = np.arange(20)

    def log_probability(chosen: NDArray[np.intp]) -> float:
        places = particles[users, chosen]
        fit = [
            log_kernel(places[[i]], places[[j]], measured[i, j], 2.0)
            for i, j in np.argwhere(np.triu(~np.isnan(measured)))
        ]
        return float(log_weights[users, chosen].sum() + np.sum(fit))

    def error(places: Array) -> float:
        return float(np.linalg.norm(places - track[-1], axis=-1)[~_ANCHORS].mean())

    return {
        "joint": error(particles[users, joint]),
        "own": error(particles[users, own]),
        "mean": error(run.estimates[-1]),
        "slides": error(particles[users, slides]),
        "slides is joint": float((slides == joint)[~_ANCHORS].mean()),
        "slides is own": float((slides == own)[~_ANCHORS].mean()),
        "nats lost": log_probability(joint) - log_probability(slides),
    }


def cloud_honesty(rounds: str, n_particles: int, crowd: int) -> dict[str, float]:
    """Distance of clouds from the truth, compared with their own variance, from step 5 on.

    "Once": two rounds of sum-product; "twice": one round, applied twice to the newest weights. "Ratio" is the
    median of the squared error over the variance of the cloud; "lost" the share of errors above 10 m.
    """
    track = random_waypoint(20, 15, side=100, speeds=(1, 3), rng=crowd)

    def update(particles: Array, log_weights: Array, measured: Array) -> Array:
        if rounds == "once":
            return sum_product_update(particles, log_weights, measured, sigma=2, n_rounds=2)
        for _ in range(2):
            log_weights = sum_product_update(particles, log_weights, measured, sigma=2)
        return log_weights

    setting = _SETTING | {"n_particles": n_particles}
    found = localize(track, _ANCHORS, update, rng=crowd, **setting)
    off = np.linalg.norm(found.estimates - track, axis=-1)[5:, ~_ANCHORS]
    around = ((found.clouds - found.estimates[:, :, None]) ** 2).sum(axis=-1)
    variance = (np.exp(found.log_weights) * around).sum(axis=-1)[5:, ~_ANCHORS]
    return {"ratio": float(np.median(off**2 / variance)), "lost": float((off > 10).mean())}


def encrypted_step(user: int) -> dict[str, float]:
    """One user's first update in the slides' system, epsilon 5, with keys of 2,048 bits.

    Clouds have 25 particles, and only the users who have six neighbours at most are taken: each of these
    encrypts a number for each particle.

    The difference is the largest of her log-weights from those computed in plain numbers, to six digits.
    """
    from ldpbook.localization.encrypted_inference import (  # needs phe
        BlindServer,
        LocalizingUser,
        Report,
        make_keys,
    )

    rng, noise = np.random.default_rng(0), _deviation(5)
    place = random_waypoint(20, 1, side=100, speeds=(1, 3), rng=rng)[0]
    particles, log_weights = uniform_clouds(20, 25, rng, side=100)
    particles[_ANCHORS] = place[_ANCHORS, None]
    measured = measured_distances(place, rng, reach=40, sigma=2)
    published = ParticlePerturbation(noise).perturb(particles, rng)
    correct = partial(printed_or_zero, sigma=noise)
    public, secret = make_keys()
    near = [{j: row[j] for j in np.flatnonzero(~np.isnan(row)).tolist()} for row in measured]
    users = [LocalizingUser(w, known, secret) for w, known in zip(log_weights, near, strict=True)]
    # Only her own report and her neighbours' matter to her, so the other users send empty ones.
    reports = [
        person.report() if j in (user, *near[user]) else Report((), {}) for j, person in enumerate(users)
    ]
    answer = BlindServer(public, 2).combine(user, published, reports, correct=correct)
    plain = source_update(published, log_weights, measured, sigma=2, correct=correct)[user]
    return {
        "neighbours": float(len(near[user])),
        "difference": round(float(np.abs(users[user].update(answer) - plain).max()), 6),
    }


# A static network: the number of members, and of the anchors, who are the first of them; in metres, the side
# of the field, and the range and error of distance measurements; then the number of cells along a side, of
# particles in a cloud and of rounds of messages.
_MEMBERS, _REPORTING, _FIELD, _FAR, _ERROR = 40, 12, 100.0, 20.0, 2.0
_CELLS, _PARTICLES, _ROUNDS = 50, 300, 8


def _log_prior(places: Array) -> Array:
    """Log density, up to a constant, of places; the density is highest in the middle and 0 at the border."""
    inside = np.clip(places / _FIELD, 1e-6, 1 - 1e-6)
    found: Array = 2 * np.log(np.sin(np.pi * inside)).sum(axis=-1)
    return found


def _drawn_places(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Places drawn from that density."""
    x = np.linspace(0, 1, 20_001)
    return np.interp(rng.random((*shape, 2)), x - np.sin(2 * np.pi * x) / (2 * np.pi), _FIELD * x)


def _local_square(place: Array, paired: NDArray[np.bool_], epsilon: float) -> float:
    """Mean square error according to the information at exactly these places; a comparison, not a bound."""
    first, second = np.nonzero(np.triu(paired))
    away = place[first] - place[second]
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    incidence = np.zeros((len(first), _MEMBERS, 2))
    incidence[np.arange(len(first)), first] = away
    incidence[np.arange(len(first)), second] = -away
    rows = incidence.reshape(len(first), -1) / _ERROR
    alone = np.full(_MEMBERS, (2 * np.pi / _FIELD) ** 2)
    alone[:_REPORTING] += epsilon**2 / 2
    square = np.diag(np.linalg.inv(rows.T @ rows + np.diag(np.repeat(alone, 2))))
    return float(square.reshape(_MEMBERS, 2).sum(axis=1)[_REPORTING:].mean())


def network_squares(epsilon: float, crowd: int) -> dict[str, float]:
    """Mean squared errors, in square metres, of the members that are not anchors; and of the anchors.

    Anchors report their places once, with planar Laplace noise of that epsilon per metre; distances are
    measured once. "Belief propagation" on a grid knows the distribution of the reports. "Gaussian" gets
    reports with Gaussian noise that has 10 epsilon at 10 m, delta 1e-5, and knows its distribution.
    "Particles" is the part's sum-product with clouds drawn from the same prior and around the reports.
    "Source update" is the source's, with clouds of anchors at the reports. "Distance" is the mean distance of
    belief propagation, in metres.

    A crowd has the same places, distances and underlying uniform draws at every epsilon. So crowds are
    independent, but the results of one crowd at several epsilons are not.
    """
    rng = np.random.default_rng(crowd)
    place = _drawn_places(rng, (_MEMBERS,))
    apart = np.linalg.norm(place[:, None] - place, axis=-1)
    upper = np.triu(rng.random(apart.shape) < np.exp(-((apart / _FAR) ** 2) / 2), 1)
    noise = np.where(upper, _ERROR * rng.standard_normal(apart.shape), 0)
    paired = upper | upper.T
    measured = np.where(paired, apart + noise + noise.T, np.nan)
    laplace, sigma = PlanarLaplace(epsilon), _deviation(10 * epsilon)
    told = laplace.perturb(place[:_REPORTING], rng)
    shaken = ParticlePerturbation(sigma).perturb(place[None, :_REPORTING], rng)[0]
    grid = grid_places(_CELLS, side=_FIELD)

    def square(estimates: Array, who: slice = slice(_REPORTING, None)) -> float:
        return float(((estimates - place)[who] ** 2).sum(axis=-1).mean())

    def on_grid(log_likelihood: Array) -> Array:
        known = np.repeat(_log_prior(grid)[None], _MEMBERS, axis=0)
        known[:_REPORTING] += log_likelihood
        beliefs = grid_beliefs(known, measured, side=_FIELD, sigma=_ERROR, n_rounds=_ROUNDS)
        return belief_means(beliefs, side=_FIELD)

    off, off_shaken = (np.linalg.norm(grid - report[:, None, None], axis=-1) for report in (told, shaken))
    best = on_grid(-epsilon * off)
    clouds = _drawn_places(rng, (_MEMBERS, _PARTICLES))
    around = laplace.perturb(np.repeat(told, _PARTICLES, axis=0), rng)
    clouds[:_REPORTING] = around.reshape(_REPORTING, _PARTICLES, 2)
    weights = np.zeros((_MEMBERS, _PARTICLES))
    weights[:_REPORTING] = _log_prior(clouds[:_REPORTING])
    summed = sum_product_update(clouds, normalize(weights), measured, sigma=_ERROR, n_rounds=_ROUNDS)
    found = estimate(clouds, summed)
    even = normalize(np.zeros((_MEMBERS, _PARTICLES)))
    clouds[:_REPORTING] = told[:, None]
    source = estimate(clouds, source_update(clouds, even, measured, sigma=_ERROR))
    return {
        "belief propagation": square(best),
        "distance": float(np.linalg.norm(best - place, axis=-1)[_REPORTING:].mean()),
        "Gaussian": square(on_grid(-((off_shaken / sigma) ** 2) / 2)),
        "particles": square(found),
        "source update": square(source),
        "centre": square(np.full(place.shape, _FIELD / 2)),
        "local": _local_square(place, paired, epsilon),
        "anchors": square(best, slice(_REPORTING)),
        "anchors' reports": float(((told - place[:_REPORTING]) ** 2).sum(axis=-1).mean()),
        "neighbours": float(paired.sum() / _MEMBERS),
    }


RUNS = (
    Run(
        name="noisy-anchors",
        cell=network_squares,
        cells=tuple(
            {"epsilon": epsilon, "crowd": crowd} for epsilon in (0.05, 0.1, 0.3, 1.0) for crowd in range(40)
        ),
    ),
    Run(
        name="localization-systems",
        cell=system_errors,
        cells=tuple(
            {"method": method, "crowd": crowd}
            for method in _METHODS
            for crowd in range(50 if method.startswith(_CLOSE) else 25)
        ),
    ),
    Run(
        name="localization-readings",
        cell=reading_errors,
        cells=tuple(
            {"reading": reading, "epsilon": epsilon, "crowd": crowd}
            for reading, epsilon, n_crowds in (
                ("literal", 5.0, 8),
                ("literal", 1.0, 8),
                ("repaired", 5.0, 4),
                ("printed", 5.0, 4),
                ("believed", 5.0, 3),
                ("repaired", 0.2, 3),
                ("repaired", 0.5, 3),
                ("repaired", 2.0, 3),
            )
            for crowd in range(n_crowds)
        ),
    ),
    Run(
        name="most-likely-crowd",
        cell=most_likely_errors,
        cells=tuple({"crowd": crowd, "step": step} for crowd in range(25) for step in _STEPS),
    ),
    Run(
        name="cloud-honesty",
        cell=cloud_honesty,
        cells=tuple(
            {"rounds": rounds, "n_particles": n, "crowd": crowd}
            for rounds, n in (("once", 100), ("twice", 100), ("once", 300))
            for crowd in range(20)
        ),
    ),
    Run(
        name="encrypted-step",
        cell=encrypted_step,
        cells=tuple({"user": user} for user in (9, 10, 13, 16, 18)),
    ),
)
