"""Gaussian perturbation of particles: location privacy and user privacy."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from ldpbook._arrays import Array, Rng, check_positions, study_source
from ldpbook._validate import count, non_negative, positive
from ldpbook.foundations.local_privacy import gaussian_epsilon

__all__ = [
    "ParticlePerturbation",
]


@dataclass(frozen=True)
class ParticlePerturbation:
    """Add independent Gaussian noise to both coordinates of every particle.

    Location privacy covers neighbours that differ in *one* particle by a given distance; user
    privacy covers clouds of R particles each of which differs by at most that distance. Both hold
    for one release: a user who publishes a cloud at each of T steps spends the epsilon of T R
    particles.

    Parameters
    ----------
    sigma : float
        Standard deviation of the privacy noise on each coordinate, > 0, in metres.

    Notes
    -----
    For study: coordinates and normal noise are added as doubles, so that the last digits of a perturbed
    particle may show where it was not. Epsilon and delta are those of real numbers.

    Source: Xiang (2017), slides "Data Perturbation" to "User Differential Privacy".
    Derived in: localization/perturbed-particles

    Examples
    --------
    >>> noise = ParticlePerturbation(sigma=10.0)
    >>> round(noise.epsilon_of(distance=10, delta=1e-5), 3)
    4.377
    >>> round(noise.epsilon_of(distance=1, delta=1e-5, n_particles=100), 3)
    4.377
    >>> noise.perturb([[[1.0, 2.0]]], rng=0).round(1)
    array([[[2.3, 0.7]]])
    """

    sigma: float

    def __post_init__(self) -> None:
        positive("sigma", self.sigma)

    def epsilon_of(self, *, distance: float, delta: float, n_particles: int = 1) -> float:
        """Exact epsilon if `n_particles` particles move by at most `distance` each.

        Parameters
        ----------
        distance : float
            Largest distance between a particle and its counterpart, >= 0, in metres.
        delta : float
            In (0, 1).
        n_particles : int
            1 for location privacy, R for user privacy, T R for T releases; >= 1.

        Returns
        -------
        float
            The smallest epsilon, rounded up as by
            :func:`~ldpbook.foundations.local_privacy.gaussian_epsilon`.
        """
        moved = non_negative("distance", distance) * count("n_particles", n_particles) ** 0.5
        return gaussian_epsilon(sigma=self.sigma, distance=moved, delta=delta)

    def perturb(self, particles: ArrayLike, rng: Rng = None) -> Array:
        """Perturbed copy of clouds.

        Parameters
        ----------
        particles : array_like, shape (N, R, 2)
            Clouds, finite, in metres.
        rng : Generator or int
            Source of randomness, or a seed for one: for study.

        Returns
        -------
        ndarray, shape (N, R, 2)
            Perturbed clouds.
        """
        points = check_positions("particles", particles, 3)
        source = study_source(self, rng, "it adds doubles, and which can occur depends on the particles")
        return points + float(self.sigma) * source.standard_normal(points.shape)
