"""Formulas for the interactive figures: information in a threshold response, errors of averaged reports.

They use only the standard library.
"""

from math import erf, erfc, exp, expm1, log1p, pi, sqrt

from ldpbook._validate import choices, finite, flag, fraction, non_negative, positive

__all__ = [
    "above_report_probability",
    "below_report_probability",
    "careful_log_odds",
    "lp_error",
    "lp_share_kept",
    "null_report_probability",
    "null_symbol_ratio",
    "rr_error",
    "rr_share_kept",
    "threshold_error",
    "threshold_information",
]

_LARGEST_EPSILON = 700.0  # exp(epsilon) overflows just above this


def above_report_probability(*, distance: float, epsilon: float, density: float, sigma: float) -> float:
    r"""Probability that a cell reports "above": :math:`q+(p-q)\,s\,\Phi(d/\sigma)`.

    The symbol is kept with probability p and replaced by each of the others with probability q, as in
    `ldpbook.remedies.ThresholdResponse`.

    Parameters
    ----------
    distance : float
        Truth minus threshold, d, in answer units.
    epsilon : float
        Privacy budget of one cell, > 0.
    density : float
        Probability s that the cell holds an answer, in (0, 1].
    sigma : float
        Standard deviation of the answers' normal errors, > 0, in answer units.

    Returns
    -------
    float
        Probability.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> round(above_report_probability(distance=0.0, epsilon=1.0, density=0.5, sigma=1.0), 4)
    0.303
    """
    return _probabilities(distance, epsilon, density, sigma)[0]


def below_report_probability(*, distance: float, epsilon: float, density: float, sigma: float) -> float:
    """Probability that a cell reports "not above".

    Parameters
    ----------
    distance, epsilon, density, sigma : float
        As in :func:`above_report_probability`.

    Returns
    -------
    float
        Probability.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> round(below_report_probability(distance=3.0, epsilon=1.0, density=0.5, sigma=1.0), 4)
    0.2122
    """
    return _probabilities(distance, epsilon, density, sigma)[1]


def null_report_probability(*, epsilon: float, density: float) -> float:
    r"""Probability that a cell reports NULL: :math:`q+(p-q)(1-s)`.

    Parameters
    ----------
    epsilon, density : float
        As in :func:`above_report_probability`.

    Returns
    -------
    float
        Probability.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> round(null_report_probability(epsilon=1.0, density=0.5), 4)
    0.394
    """
    q, signal = _channel(epsilon)
    return q + signal * (1 - fraction("density", density))


def threshold_information(*, distance: float, epsilon: float, density: float, sigma: float) -> float:
    """Fisher information about the truth in one threshold response.

    Parameters
    ----------
    distance, epsilon, density, sigma : float
        As in :func:`above_report_probability`.

    Returns
    -------
    float
        Fisher information per squared answer unit.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> round(threshold_information(distance=0.0, epsilon=1.0, density=0.5, sigma=1.0), 4)
    0.0348
    """
    above, below, move = _probabilities(distance, epsilon, density, sigma)
    return sum(move * move / part for part in (above, below) if part > 0)


def rr_share_kept(*, epsilon: float, density: float, domain_size: int) -> float:
    r"""Share of a truth's distance from the middle that is left in the mean of RR's reports.

    It is :math:`s(e^\epsilon-1)/(s(e^\epsilon-1)+K)`.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one cell, > 0.
    density : float
        Probability s that the cell holds an answer, in (0, 1].
    domain_size : int
        Number K of possible answers, at least 2.

    Returns
    -------
    float
        Mean of the reports that are answers minus the middle of the domain, divided by the mean answer minus
        the middle, in the limit of many workers.

    Notes
    -----
    Derived in: remedies/decoding

    Examples
    --------
    >>> round(rr_share_kept(epsilon=2.0, density=0.5, domain_size=10), 3)
    0.242
    """
    signal = fraction("density", density) * -expm1(-positive("epsilon", epsilon))
    return signal / (signal + choices("domain_size", domain_size) * exp(-epsilon))


def lp_share_kept(*, density: float) -> float:
    """Share of a truth's distance from the middle that is left in the mean of LP's reports: the density.

    NULL is filled uniformly.

    Parameters
    ----------
    density : float
        Probability that the cell holds an answer, in (0, 1].

    Returns
    -------
    float
        As in :func:`rr_share_kept`; epsilon does not matter.

    Notes
    -----
    Derived in: remedies/decoding

    Examples
    --------
    >>> lp_share_kept(density=0.5)
    0.5
    """
    return fraction("density", density)


def null_symbol_ratio(*, epsilon: float, density: float) -> float:
    r"""Information with a symbol for NULL divided by that without one, for a threshold at the truth.

    Without a symbol of its own, NULL is reported as one of the two sides. The ratio is
    :math:`(2e^\epsilon-(e^\epsilon-1)\delta)/(e^\epsilon+2)`, between 2/3 and :math:`2-\delta`.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one cell, > 0.
    density : float
        Probability delta that the cell holds an answer, above or below equally likely, in (0, 1].

    Returns
    -------
    float
        Ratio of the two informations.

    Notes
    -----
    Derived in: remedies/best-mechanism

    Examples
    --------
    >>> round(null_symbol_ratio(epsilon=0.5, density=0.1), 3)
    0.886
    """
    other = exp(-positive("epsilon", epsilon))
    return (2 + expm1(-epsilon) * fraction("density", density)) / (1 + 2 * other)


def careful_log_odds(
    *, distance: float, epsilon: float, density: float, sigma: float, deviation: float
) -> float:
    """Expected change in the log odds that a worker is careful, from one response of a careful worker.

    Parameters
    ----------
    distance : float
        Truth minus threshold, in answer units.
    epsilon : float
        Privacy budget of one cell, > 0 and at most 700.
    density : float
        Probability that the cell holds an answer, in (0, 1].
    sigma : float
        Standard deviation of a careful worker's normal errors, > 0, in answer units.
    deviation : float
        Standard deviation of another worker's normal errors, > 0, in answer units.

    Returns
    -------
    float
        Expected change of the log odds, at most epsilon. If the two standard deviations agree to ten digits,
        rounding leaves few correct digits.

    Notes
    -----
    Derived in: remedies/who-is-careful

    Examples
    --------
    >>> setting = {"epsilon": 3.0, "density": 1.0, "sigma": 1.0, "deviation": 5.0}
    >>> round(careful_log_odds(distance=0.5, **setting), 4)
    0.0371
    """
    q, signal = _channel(epsilon)
    if epsilon > _LARGEST_EPSILON:
        raise ValueError(f"epsilon must be at most {_LARGEST_EPSILON:g}, got {epsilon!r}")
    signal *= fraction("density", density)
    at = abs(finite("distance", distance)) / sqrt(2)
    careful, other = at / positive("sigma", sigma), at / positive("deviation", deviation)
    # Subtract small numbers, which rounding hurts least: erf near the threshold, tails far from it.
    near = min(careful, other) < 0.5
    more = signal * (erf(careful) - erf(other) if near else erfc(other) - erfc(careful)) / 2
    chances = q + signal * (1 + erf(other)) / 2, q + signal * erfc(other) / 2  # of another worker's reports
    return sum(
        chance * _excess(change / chance) for chance, change in zip(chances, (more, -more), strict=True)
    )


def threshold_error(*, epsilon: float, density: float, n_workers: float, sigma: float) -> float:
    r"""Expected mean absolute error of threshold responses if all thresholds are at the truth.

    It is :math:`\sqrt{2/\pi}` divided by the square root of :math:`1+mI`, with the information I of one
    response. Truths are normal with standard deviation 1 and a known mean.

    Parameters
    ----------
    epsilon, density : float
        As in :func:`above_report_probability`.
    n_workers : float
        Number m of workers, >= 0.
    sigma : float
        Standard deviation of the answers' normal errors, > 0, in standard deviations of the truths.

    Returns
    -------
    float
        Error, in standard deviations of the truths. Without workers it is that of a constant estimate.

    Notes
    -----
    Derived in: remedies/guide

    Examples
    --------
    >>> round(threshold_error(epsilon=2.0, density=0.1, n_workers=20_000, sigma=1.0), 3)
    0.055
    """
    told = threshold_information(distance=0.0, epsilon=epsilon, density=density, sigma=sigma)
    return sqrt(2 / pi / (1 + non_negative("n_workers", n_workers) * told))


def rr_error(
    *, epsilon: float, density: float, n_workers: float, sigma: float, domain_size: int, decoded: bool
) -> float:
    """Expected mean absolute error of randomized response, with reports averaged or decoded.

    All workers are equally good. Truths are normal with standard deviation 1 around the middle of the domain;
    answers are neither rounded nor clipped.

    Parameters
    ----------
    epsilon, density, n_workers, sigma : float
        As in :func:`threshold_error`, but `n_workers` > 0.
    domain_size : int
        Number of possible answers, at least 2.
    decoded : bool
        Whether reports are decoded and shrunk, with the density and the truths' distribution known, or only
        averaged.

    Returns
    -------
    float
        Error, in standard deviations of the truths.

    Notes
    -----
    Derived in: remedies/guide

    Examples
    --------
    >>> crowd = {"density": 0.1, "n_workers": 20_000, "sigma": 1.0, "domain_size": 10}
    >>> round(rr_error(epsilon=2.0, **crowd, decoded=False), 3)
    0.75
    """
    kept = rr_share_kept(epsilon=epsilon, density=density, domain_size=domain_size)
    other = domain_size * exp(-epsilon)
    answers = -expm1(-epsilon) * density
    share = (other + answers) / (1 + other)  # of the reports that are numbers
    square = (kept * (1 + positive("sigma", sigma) * sigma) + (1 - kept) * _evenly(domain_size)) / share
    return _mean_error(kept, square - kept * kept / share, n_workers, decoded)


def lp_error(
    *, epsilon: float, density: float, n_workers: float, sigma: float, domain_size: int, decoded: bool
) -> float:
    """Expected mean absolute error of Laplace perturbation, with reports averaged or decoded.

    NULL is filled uniformly. Otherwise as in :func:`rr_error`.

    Parameters
    ----------
    epsilon, density, n_workers, sigma, domain_size, decoded
        As in :func:`rr_error`.

    Returns
    -------
    float
        Error, in standard deviations of the truths.

    Notes
    -----
    Derived in: remedies/guide

    Examples
    --------
    >>> crowd = {"density": 0.1, "n_workers": 20_000, "sigma": 1.0, "domain_size": 10}
    >>> round(lp_error(epsilon=2.0, **crowd, decoded=False), 3)
    0.719
    """
    kept = lp_share_kept(density=density)
    square = kept * (1 + positive("sigma", sigma) * sigma) + (1 - kept) * _evenly(domain_size)
    scale = domain_size / positive("epsilon", epsilon)
    return _mean_error(kept, square + 2 * scale * scale - kept * kept, n_workers, decoded)


def _evenly(size: int) -> float:
    """Variance of a number drawn uniformly from `size` consecutive integers."""
    return (choices("domain_size", size) ** 2 - 1) / 12


def _mean_error(kept: float, variance: float, n_workers: float, decoded: bool) -> float:
    """Expected mean absolute error of a mean of reports that keeps a share of the truth's distance.

    The distance is that from the middle of the domain. `variance` is that of the mean if there is one worker.
    """
    noise = variance / positive("n_workers", n_workers)
    if flag("decoded", decoded):
        return sqrt(2 / pi / (1 + kept * kept / noise)) if noise else 0.0
    return sqrt(2 / pi * ((1 - kept) ** 2 + noise))


def _excess(u: float) -> float:
    """(1 + u) ln(1 + u) - u without cancellation near 0; the terms -u cancel in `careful_log_odds`."""
    if u <= -1:  # a probability of 0, up to rounding
        return 1.0
    if abs(u) > 0.02:
        return (1 + u) * log1p(u) - u
    return sum((-u) ** k / (k * (k - 1)) for k in range(2, 12))


def _channel(epsilon: float) -> tuple[float, float]:
    """Probability of each wrong symbol, and by how much that of the right one is larger."""
    other = exp(-positive("epsilon", epsilon))
    return other / (1 + 2 * other), -expm1(-epsilon) / (1 + 2 * other)


def _probabilities(distance: float, epsilon: float, density: float, sigma: float) -> tuple[float, ...]:
    """Probabilities of "above" and "not above", and the rate at which they rise and fall with the truth."""
    q, signal = _channel(epsilon)
    signal *= fraction("density", density)
    scaled = finite("distance", distance) / positive("sigma", sigma)
    slope = exp(-scaled * scaled / 2) / (sqrt(2 * pi) * sigma)
    above, below = (q + signal * erfc(sign * scaled / sqrt(2)) / 2 for sign in (-1, 1))
    return above, below, signal * slope
