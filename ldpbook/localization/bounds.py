"""Formulas for printed privacy, noisy distances and places, likelihoods, and powers of ciphertexts.

Standard library only.
"""

from math import (
    exp,
    fsum,
    inf,
    log,
    sqrt,
)

from ldpbook._validate import count, finite, non_negative, open_probability, positive

__all__ = [
    "cooperative_limit",
    "gathered_powers",
    "location_epsilon",
    "location_sigma",
    "negative_square_probability",
    "planar_laplace_error",
    "printed_powers",
    "product_likelihood",
    "user_epsilon",
    "user_sigma",
]


def location_epsilon(*, sigma: float, distance: float, delta: float) -> float:
    r"""Location privacy of Gaussian noise as printed: :math:`\rho d^2 + 2\sqrt{\rho\ln(1/\delta)}\,d`.

    With :math:`\rho = 1/(2\sigma^2)` it is the conversion of zero-concentrated privacy: valid, but
    larger than the exact :func:`ldpbook.foundations.local_privacy.gaussian_epsilon`.

    Parameters
    ----------
    sigma : float
        Standard deviation of the privacy noise on each coordinate, > 0, in units of length.
    distance : float
        Distance d between the two locations that are to be confused, >= 0, in units of length.
    delta : float
        Slack of the guarantee, in (0, 1).

    Returns
    -------
    float
        Epsilon.

    Notes
    -----
    Source: Xiang (2017), slide "Privacy Definition".
    Derived in: localization/perturbed-particles

    Examples
    --------
    >>> round(location_epsilon(sigma=1, distance=1, delta=1e-5), 3)
    5.299
    """
    return user_epsilon(sigma=sigma, distance=distance, n_particles=1, delta=delta)


def user_epsilon(*, sigma: float, distance: float, n_particles: int, delta: float) -> float:
    r"""User privacy as printed: :math:`\rho Rd^2 + 2\sqrt{\rho\ln(1/\delta)Rd^2}` for R particles.

    Parameters
    ----------
    sigma, distance, delta
        As in :func:`location_epsilon`; every particle is at most `distance` from its counterpart.
    n_particles : int
        Number R of particles, >= 1.

    Returns
    -------
    float
        Epsilon of all particles together.

    Notes
    -----
    Source: Xiang (2017), slide "User Differential Privacy".
    Derived in: localization/perturbed-particles

    Examples
    --------
    >>> round(user_epsilon(sigma=10, distance=1, n_particles=100, delta=1e-5), 3)
    5.299
    """
    spread = non_negative("distance", distance) / positive("sigma", sigma)
    x = spread * sqrt(count("n_particles", n_particles) / 2)  # sqrt(rho R) d
    return x * x + 2 * x * sqrt(-log(open_probability("delta", delta)))


def location_sigma(*, epsilon: float, distance: float, delta: float) -> float:
    """Standard deviation of the noise with which the printed formula gives the wanted location privacy.

    Parameters
    ----------
    epsilon : float
        Wanted privacy, finite and > 0.
    distance : float
        Distance between the two locations, > 0.
    delta : float
        In (0, 1).

    Returns
    -------
    float
        Standard deviation of the privacy noise on each coordinate, in units of `distance`.

    Notes
    -----
    Source: inverse of Xiang (2017), slide "Privacy Definition".
    Derived in: localization/perturbed-particles

    Examples
    --------
    >>> round(location_sigma(epsilon=5.298526, distance=1, delta=1e-5), 3)
    1.0
    """
    return user_sigma(epsilon=epsilon, distance=distance, n_particles=1, delta=delta)


def user_sigma(*, epsilon: float, distance: float, n_particles: int, delta: float) -> float:
    """Standard deviation of the noise with which the printed formula gives the wanted user privacy.

    Parameters
    ----------
    epsilon, distance, delta
        As in :func:`location_sigma`.
    n_particles : int
        Number R of particles, >= 1.

    Returns
    -------
    float
        Standard deviation of the privacy noise on each coordinate of each particle.

    Notes
    -----
    Source: inverse of Xiang (2017), slide "User Differential Privacy".
    Derived in: localization/perturbed-particles

    Examples
    --------
    >>> round(user_sigma(epsilon=5.298526, distance=1, n_particles=100, delta=1e-5), 2)
    10.0
    """
    # With x = sqrt(rho R) d, the printed formula is epsilon = x^2 + 2 x sqrt(ln(1/delta)).
    depth = -log(open_probability("delta", delta))
    x = max(positive("epsilon", epsilon) / (sqrt(depth + epsilon) + sqrt(depth)), 5e-324)
    return positive("distance", distance) * sqrt(count("n_particles", n_particles) / 2) / x


def negative_square_probability(*, distance: float, sigma: float) -> float:
    r"""Probability that the printed estimate of a distance is the square root of a negative number.

    It is the distribution function of the noncentral chi-squared distribution with 2 degrees of freedom and
    noncentrality :math:`d^2/2\sigma^2`, at 2.

    Parameters
    ----------
    distance : float
        Distance d between two points, >= 0, in units of length.
    sigma : float
        Standard deviation of the noise on each coordinate of both points, > 0, in units of length.

    Returns
    -------
    float
        Probability; 0 where it is too small for a float.

    Notes
    -----
    Source: the estimator of Xiang (2017).
    Derived in: localization/noisy-distances

    Examples
    --------
    >>> round(negative_square_probability(distance=1.0, sigma=1.0), 3)
    0.546
    """
    half = non_negative("distance", distance) / positive("sigma", sigma) / 2
    mean = half * half
    if mean > 1000:  # then the probability is below exp(-(sqrt(mean) - 1)^2)
        return 0.0
    # The distribution is a mixture of central ones, so the result is the probability that a Poisson variable
    # with mean 1 exceeds an independent one with this mean.
    tails = [1.0]  # i! times the sum of 1/j! from j = i on, for i from 120 down to 1
    for i in range(120, 1, -1):
        tails.append(1 + tails[-1] / i)
    part, parts = 1.0, []
    for i, tail in enumerate(reversed(tails), 1):
        part /= i  # mean^(i-1) / (i-1)! / i!
        parts.append(part * tail)
        part *= mean / i
    return exp(log(fsum(parts)) - mean - 1)


def product_likelihood(*, misfit: float, sigma: float, n_particles: int) -> float:
    r"""Likelihood of a distance, multiplied over R particles in one place: :math:`e^{-Rx^2/2\sigma^2}`.

    A weighted sum over the particles gives this value for R = 1, however many there are; the source's product
    gives it for all R of them.

    Parameters
    ----------
    misfit : float
        Difference x between the distance to that place and the measured one, in units of length.
    sigma : float
        Standard deviation of the measurement's error, > 0, in units of length.
    n_particles : int
        Number R of particles, >= 1.

    Returns
    -------
    float
        Likelihood; 1 if the misfit is 0.

    Notes
    -----
    Source: the update of Xiang (2017).
    Derived in: localization/forgotten-weights

    Examples
    --------
    >>> [f"{product_likelihood(misfit=2.0, sigma=2.0, n_particles=n):.2g}" for n in (1, 100)]
    ['0.61', '1.9e-22']
    """
    scaled = finite("misfit", misfit) / positive("sigma", sigma)
    return exp(-count("n_particles", n_particles) * (scaled * scaled) / 2)


def planar_laplace_error(*, epsilon: float, distance: float, n_reports: int) -> float:
    r"""Mean distance of a report from the place if n of them together have epsilon: :math:`2nr/\epsilon`.

    Parameters
    ----------
    epsilon : float
        Epsilon of all reports together, for places at that distance, > 0.
    distance : float
        Distance r between two places, > 0, in metres.
    n_reports : int
        Number n of reports of one place, >= 1.

    Returns
    -------
    float
        Mean distance of one report from the place, in metres.

    Notes
    -----
    Source: Andres et al. (2013).
    Derived in: remedies/location-noise

    Examples
    --------
    >>> planar_laplace_error(epsilon=1.0, distance=10.0, n_reports=1)
    20.0
    """
    apart = positive("distance", distance)
    return 2 * count("n_reports", n_reports) * (apart / positive("epsilon", epsilon))


def cooperative_limit(
    *, epsilon: float, n_users: int, n_anchors: int, pair_information: float, prior_information: float
) -> float:
    r"""Lower bound (van Trees) on the root mean square error of any estimator for users who are not anchors.

    Anchors report their places with planar Laplace noise, and pairs measure their distances. With
    :math:`a=\lambda+Ne`, :math:`b=a+\epsilon^2/2`, and n anchors among N users, the mean square error is at
    least :math:`2\bigl(\frac1a+\frac e{a^2}/(1-\frac{(N-n)e}a-\frac{ne}b)\bigr)`.

    Parameters
    ----------
    epsilon : float
        Epsilon of a report per metre, > 0.
    n_users, n_anchors : int
        Numbers N of all users, anchors included, and n of anchors, 1 <= n < N.
    pair_information : float
        Mean information e of one pair about one coordinate of their difference, > 0, in 1 / square metres.
    prior_information : float
        Information :math:`\lambda` of the prior about one coordinate, > 0, in 1 / square metres.

    Returns
    -------
    float
        Root mean square distance, in metres; infinity if it is too large for a float.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Derived in: remedies/location-noise

    Examples
    --------
    >>> at = dict(n_users=40, n_anchors=12, pair_information=0.05, prior_information=0.004)
    >>> round(cooperative_limit(epsilon=0.1, **at), 2)
    3.18
    """
    a = positive("prior_information", prior_information)
    e = positive("pair_information", pair_information)
    users, anchors = count("n_users", n_users), count("n_anchors", n_anchors)
    if anchors >= users:
        raise ValueError(f"n_anchors must be below n_users, got {anchors} of {users}")
    rate = positive("epsilon", epsilon)
    whole = a + users * e
    if not 1e-300 <= whole <= 1e300:
        raise ValueError(f"pair_information and prior_information must be less extreme, got {e} and {a}")
    told = rate * rate / 2 / whole
    # 1 - (N - n) e / a - n e / b, without cancellation
    left = a / whole + anchors * (e / whole) * (told / (1 + told) if told < inf else 1.0)
    return sqrt(2 / whole) * sqrt(1 + e / whole / left) if left > 0 else inf


def printed_powers(*, n_particles: int, n_neighbours: int) -> int:
    """Powers of ciphertexts in one update, computed as printed: three in each of R^2 K terms.

    Parameters
    ----------
    n_particles, n_neighbours : int
        Numbers R and K, >= 1.

    Returns
    -------
    int
        Number of powers, computed by the server.

    Notes
    -----
    Source: the encrypted update of Xiang (2017).
    Derived in: localization/encrypted-inference

    Examples
    --------
    >>> printed_powers(n_particles=100, n_neighbours=5)
    150000
    """
    r, k = count("n_particles", n_particles), count("n_neighbours", n_neighbours)
    return 3 * r * r * k


def gathered_powers(*, n_particles: int, n_neighbours: int) -> int:
    """Powers of ciphertexts in one update if the sums over particles are gathered first: R K + K.

    Parameters
    ----------
    n_particles, n_neighbours : int
        Numbers R and K, >= 1.

    Returns
    -------
    int
        Number of powers, computed by the server.

    Notes
    -----
    Derived in: localization/encrypted-inference

    Examples
    --------
    >>> gathered_powers(n_particles=100, n_neighbours=5)
    505
    """
    r, k = count("n_particles", n_particles), count("n_neighbours", n_neighbours)
    return k * (r + 1)
