"""Noise is Gaussian on every coordinate; epsilon is the exact one."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import kstest, norm

from ldpbook.foundations.local_privacy import gaussian_epsilon
from ldpbook.localization.perturbed_particles import ParticlePerturbation


def test_noise():
    particles = np.arange(120_000.0).reshape(200, 300, 2)
    before = particles.copy()
    noise = ParticlePerturbation(2.5).perturb(particles, np.random.default_rng(0)) - particles
    np.testing.assert_array_equal(particles, before)
    assert abs(noise.mean()) < 4 * 2.5 / np.sqrt(noise.size)
    assert abs(noise.std() - 2.5) < 4 * 2.5 / np.sqrt(2 * noise.size)
    assert kstest(noise.ravel() / 2.5, "norm").statistic < 1.95 / np.sqrt(noise.size)  # one time in 1000
    assert abs(np.corrcoef(noise[..., 0].ravel(), noise[..., 1].ravel())[0, 1]) < 4 / np.sqrt(60_000)


@pytest.mark.parametrize("axis", [0, 1])
def test_noise_is_independent_between_particles(axis):
    """0.1 of the variance is ten standard errors here; a vector shared by two neighbours would give 1/2."""
    noise = ParticlePerturbation(2.5).perturb(np.zeros((100, 100, 2)), np.random.default_rng(1))
    flat = np.moveaxis(noise, axis, -1).reshape(-1, 100)  # one column per particle, or per cloud
    for lag in (1, 2, 3, 50):
        assert abs((flat[:, lag:] * flat[:, :-lag]).mean()) < 0.1 * 2.5**2
    pairs = np.abs(np.diff(noise, axis=axis)).sum(axis=-1)
    assert pairs.min() > 0  # no two neighbouring particles share their vector
    # The mean of a cloud has noise sigma / sqrt(R), which the centred particles do not reveal.
    means = noise.mean(axis=axis)
    assert abs(means.std() - 0.25) < 4 * 0.25 / np.sqrt(2 * means.size)


@pytest.mark.parametrize("n_particles", [1, 4])
def test_published_clouds_have_the_stated_privacy(n_particles):
    """The worst event for a cloud that moves by 2 m, by simulation and by the curve, at that epsilon."""
    noise, moved = ParticlePerturbation(3.0), np.array([1.2, 1.6])
    epsilon = noise.epsilon_of(distance=2.0, delta=0.05, n_particles=n_particles)
    cloud = np.random.default_rng(3).normal(0, 9, (1, n_particles, 2)).repeat(200_000, axis=0)
    found = []
    for seed, true in enumerate((cloud, cloud + moved)):
        published = noise.perturb(true, seed)
        squares = ((published - cloud - moved) ** 2 - (published - cloud) ** 2).sum(axis=(1, 2))
        found.append((squares / (2 * 3.0**2) > epsilon).mean())
    error = np.exp(epsilon) * np.sqrt(0.25 / len(cloud))
    assert abs(found[0] - np.exp(epsilon) * found[1] - 0.05) < 4 * error
    d = 2.0 * n_particles**0.5 / 3.0
    exact = norm.cdf(d / 2 - epsilon / d) - np.exp(epsilon) * norm.cdf(-d / 2 - epsilon / d)
    assert exact == pytest.approx(0.05)


def test_epsilon_counts_the_particles():
    noise = ParticlePerturbation(3.0)
    one = noise.epsilon_of(distance=4.0, delta=1e-6)
    assert one == gaussian_epsilon(sigma=3.0, distance=4.0, delta=1e-6)
    assert noise.epsilon_of(distance=2.0, delta=1e-6, n_particles=4) == pytest.approx(one)


def test_noise_is_seeded():
    clouds, noise = np.zeros((1, 3, 2)), ParticlePerturbation(1.0)
    assert (noise.perturb(clouds, 3) != noise.perturb(clouds, 4)).all()
    np.testing.assert_array_equal(noise.perturb(clouds, 4), noise.perturb(clouds, np.random.default_rng(4)))
    assert ParticlePerturbation(Fraction(1, 2)).perturb(clouds, 4).dtype == float


def test_bad_input():
    for sigma in (0, -1, np.nan):
        with pytest.raises(ValueError, match=r"^sigma must"):
            ParticlePerturbation(sigma)
    noise = ParticlePerturbation(1.0)
    with pytest.raises(ValueError, match=r"^particles must"):
        noise.perturb([[1.0, 2.0]], 0)
    with pytest.raises(ValueError, match=r"^n_particles must"):
        noise.epsilon_of(distance=1, delta=0.1, n_particles=0)
