"""Bounds on the mean absolute error of the inferred truths: the printed ones, and corrected ones.

Standard library only.
"""

from collections.abc import Iterable
from math import (
    erfc,
    exp,
    fsum,
    pi,
    sqrt,
)
from numbers import Integral

from ldpbook._validate import count, finite, fraction, integer_domain, non_negative, positive

__all__ = [
    "lp_mae_bound",
    "lp_mae_bound_corrected",
    "lp_mae_bound_equal_weights",
    "mf_mae_bound",
    "mf_mae_bound_corrected",
    "rr_mae_bound",
    "rr_mae_bound_corrected",
]

_MEAN_ABS_NORMAL = sqrt(2 / pi)  # E|Z| of a standard normal Z


def lp_mae_bound(
    *,
    epsilon: float,
    domain: Iterable[int],
    density: float,
    sigma: float = 1.0,
    truth: float = 0.0,
    fill_mean: float | None = None,
) -> float:
    r"""Sun's Theorem 2 as printed: expected error of one cell under Laplace perturbation.

    .. math::
        (1-s)\Bigl(|\mu - \mathbb E v| + \frac{|\Gamma|}{\epsilon}\Bigr)
        + s\Bigl(\sigma\sqrt{2/\pi} + \frac{|\Gamma|}{\epsilon}\Bigr)

    If workers or tasks differ, average over them yourself. For a constant fill the expression bounds the
    error. For a random fill it does not in general, and a single worker is the worst case: see
    :func:`lp_mae_bound_corrected`.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one cell, finite and > 0.
    domain : iterable of int
        The answer domain, consecutive integers.
    density : float
        Fraction s of tasks that a worker answers, in (0, 1].
    sigma : float
        Standard deviation of the worker's answers around the truth, > 0.
    truth : float
        The task's truth.
    fill_mean : float, optional
        Mean of the value that replaces NULL; the mean of `domain` if None.

    Returns
    -------
    float
        The printed expression, in units of the answers.

    Notes
    -----
    Source: Sun et al. (2018), Theorem 2.
    Derived in: sparse-answers/laplace

    Examples
    --------
    >>> round(lp_mae_bound(epsilon=1, domain=range(10), density=0.1), 4)
    14.1298
    """
    values = integer_domain(domain)
    noise = len(values) / positive("epsilon", epsilon)
    centre = fsum(values) / len(values) if fill_mean is None else finite("fill_mean", fill_mean)
    phi = abs(finite("truth", truth) - centre)
    answered = positive("sigma", sigma) * _MEAN_ABS_NORMAL + noise
    return (1 - fraction("density", density)) * (phi + noise) + density * answered


def lp_mae_bound_corrected(
    *,
    epsilon: float,
    domain: Iterable[int],
    density: float,
    sigma: float = 1.0,
    truth: float = 0.0,
    fill: int | None = None,
) -> float:
    r"""Exact expected error of one LP cell, hence a bound on the MAE for fixed weights.

    A cell that carries offset c and Laplace noise of scale b errs by
    :math:`|c| + b e^{-|c|/b}` on average; one with a normal offset of standard deviation :math:`\sigma` by
    :math:`\sigma\sqrt{2/\pi} + b\,e^{\sigma^2/2b^2}\,\mathrm{erfc}(\sigma/b\sqrt2)`. The truth is inferred by
    a weighted mean, so the triangle inequality makes the mean over cells a bound; for a single worker it is
    attained.

    Parameters
    ----------
    epsilon, domain, density, sigma, truth
        As in :func:`lp_mae_bound`.
    fill : int, optional
        The constant that replaces NULL, in `domain`; if None, the value is drawn uniformly from it.

    Returns
    -------
    float
        Expected absolute error, in units of the answers.

    Notes
    -----
    Corrects: Sun et al. (2018), Theorem 2.
    Derived in: sparse-answers/laplace

    Examples
    --------
    A counterexample to the printed theorem: nearly everything NULL, truth 4.5, large epsilon.

    >>> arguments = dict(epsilon=100, domain=range(10), density=1e-12, truth=4.5)
    >>> round(lp_mae_bound(**arguments), 4)
    0.1
    >>> round(lp_mae_bound_corrected(**arguments), 4)
    2.5001
    """
    values = integer_domain(domain)
    scale = len(values) / positive("epsilon", epsilon)
    fills = _fill_values(values, fill)
    finite("truth", truth)
    empty = fsum(_laplace_offset(v - truth, scale) for v in fills) / len(fills)
    answered = _laplace_normal(positive("sigma", sigma), scale)
    return (1 - fraction("density", density)) * empty + density * answered


def lp_mae_bound_equal_weights(
    *,
    epsilon: float,
    domain: Iterable[int],
    density: float,
    n_workers: int,
    sigma: float = 1.0,
    truth: float = 0.0,
    fill: int | None = None,
) -> float:
    r"""Bound on the LP error of a plain mean that, unlike Sun's Theorem 2, falls with more workers.

    By Jensen's inequality, :math:`\mathbb E|\hat\mu-\mu| \le \sqrt{\beta^2 + \tau^2/m}`, with bias
    :math:`\beta` and variance :math:`\tau^2` of one perturbed cell.

    Parameters
    ----------
    epsilon, domain, density, sigma, truth, fill
        As in :func:`lp_mae_bound_corrected`.
    n_workers : int
        Number m of workers, >= 1, each with weight 1/m.

    Returns
    -------
    float
        Bound on the expected absolute error, in units of the answers.

    Notes
    -----
    Sharpens: Sun et al. (2018), Theorem 2.
    Derived in: sparse-answers/laplace

    Examples
    --------
    >>> arguments = dict(epsilon=1, domain=range(10), density=0.1)
    >>> round(lp_mae_bound_equal_weights(n_workers=2000, **arguments), 3)
    4.063
    """
    values = integer_domain(domain)
    scale = len(values) / positive("epsilon", epsilon)
    fills = _fill_values(values, fill)
    finite("truth", truth)
    s = fraction("density", density)
    bias = (1 - s) * fsum(v - truth for v in fills) / len(fills)
    second_moment = (
        (1 - s) * fsum((v - truth) * (v - truth) for v in fills) / len(fills)
        + s * positive("sigma", sigma) * sigma
        + 2 * scale * scale
    )
    return sqrt(bias * bias + (second_moment - bias * bias) / count("n_workers", n_workers))


def rr_mae_bound(
    *,
    epsilon: float,
    domain: Iterable[int],
    density: float,
    sigma: float = 1.0,
    truth: float = 0.0,
) -> float:
    r"""Sun's Theorem 3 as printed: "expected error" of one cell under randomized response.

    .. math::
        (1-s)\Bigl|\mu - \sum_y \tfrac{y}{e^\epsilon+|\Gamma|}\Bigr|
        + s\sum_{x\in\Gamma} N(x;\mu,\sigma)\Bigl|\mu - \sum_y y P_{xy}\Bigr|

    where the normal density N is not normalized over the domain and a NULL output counts as the answer 0. It
    does not bound the error of Algorithm 1, which leaves NULL outputs out: see
    :func:`rr_mae_bound_corrected`.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one cell, finite and > 0.
    domain : iterable of int
        The answer domain, consecutive integers.
    density : float
        Fraction s of tasks that a worker answers, in (0, 1].
    sigma : float
        Standard deviation of the worker's answers around the truth, > 0.
    truth : float
        The task's truth.

    Returns
    -------
    float
        The printed expression, in units of the answers.

    Notes
    -----
    Source: Sun et al. (2018), Theorem 3.
    Derived in: sparse-answers/randomized-response

    Examples
    --------
    >>> round(rr_mae_bound(epsilon=1, domain=range(10), density=0.1), 4)
    3.4368
    """
    values = integer_domain(domain)
    # Dividing through by e^epsilon keeps every term finite at any epsilon.
    other = exp(-positive("epsilon", epsilon))
    norm = 1 + len(values) * other
    total = fsum(values)
    finite("truth", truth)
    height = 1 / (positive("sigma", sigma) * sqrt(2 * pi))
    empty = abs(truth - total * other / norm)
    answered = fsum(
        height * exp(-_square((x - truth) / sigma) / 2) * abs(truth - (x + (total - x) * other) / norm)
        for x in values
    )
    return (1 - fraction("density", density)) * empty + density * answered


def rr_mae_bound_corrected(
    *,
    epsilon: float,
    domain: Iterable[int],
    density: float,
    sigma: float = 1.0,
    truth: float = 0.0,
) -> float:
    r"""Expected error of one RR output that is an answer: a valid bound on the MAE.

    Algorithm 1 leaves NULL outputs out, so the right quantity is
    :math:`\mathbb E\bigl[\,|\hat a-\mu| \bigm| \hat a \ne \mathrm{NULL}\bigr]`: with the absolute value
    inside the expectation, and given that the output is an answer. Original answers follow the normal density
    normalized over `domain`.

    Parameters
    ----------
    epsilon, domain, density, sigma, truth
        As in :func:`rr_mae_bound`.

    Returns
    -------
    float
        Bound on the expected absolute error given that a task has an answer, in units of
        the answers. Weights are fixed in advance, and the same distribution is assumed for all
        workers; where workers differ, take the weighted mean of their bounds.

    Notes
    -----
    Corrects: Sun et al. (2018), Theorem 3.
    Derived in: sparse-answers/randomized-response

    Examples
    --------
    >>> round(rr_mae_bound_corrected(epsilon=1, domain=range(10), density=0.1), 4)
    4.4328
    """
    values = integer_domain(domain)
    other = exp(-positive("epsilon", epsilon))
    finite("truth", truth)
    positive("sigma", sigma)
    s = fraction("density", density)
    log_weight = [-_square((x - truth) / sigma) / 2 for x in values]
    top = max(log_weight)
    weight = [exp(w - top) for w in log_weight]
    norm = fsum(weight)
    # Probability of each answer as an output, up to the factor 1 / (1 + |Gamma| e^-eps).
    kept = [s * w / norm for w in weight]
    output = [other + (1 - other) * k for k in kept]
    error = fsum(p * abs(y - truth) for p, y in zip(output, values, strict=True))
    return error / fsum(output)


def mf_mae_bound(
    *,
    epsilon: float,
    domain_size: int,
    n_tasks: int,
    rank: int,
    quality: float = 1.0,
) -> float:
    r"""Sun's Theorem 5 as printed: :math:`\tilde q m(\sqrt{2/\pi} + d|\Gamma|/(n\epsilon))`.

    It is not a bound in general. The sparser the answers, the more workers it needs in order to hold; and the
    error may exceed it in any crowd if d directions cannot represent the truths. See
    :func:`mf_mae_bound_corrected`.

    Parameters
    ----------
    epsilon : float
        Privacy budget, finite and > 0.
    domain_size : int
        Number of symbols of the answer domain, >= 1.
    n_tasks : int
        Number n of tasks, >= 1.
    rank : int
        Factorization parameter d, from 1 to `n_tasks`.
    quality : float
        The largest worker weight times the number of workers, >= 1; 1 for equal weights.

    Returns
    -------
    float
        The printed expression, in units of the answers.

    Notes
    -----
    Source: Sun et al. (2018), Theorem 5.
    Derived in: sparse-answers/task-profiles

    Examples
    --------
    >>> round(mf_mae_bound(epsilon=1, domain_size=10, n_tasks=1000, rank=100), 4)
    1.7979
    """
    noise = _mf_noise(epsilon, domain_size, n_tasks, rank)
    return positive("quality", quality) * (_MEAN_ABS_NORMAL + noise)


def mf_mae_bound_corrected(
    *,
    epsilon: float,
    domain_size: int,
    n_tasks: int,
    rank: int,
    density: float = 1.0,
    sigma: float = 1.0,
    truth_deviation: float = 0.0,
    quality: float = 1.0,
) -> float:
    r"""Bound on the MF error for the task profiles with the smallest noise: tasks in d groups.

    Every column of V is a signed unit vector, groups are equally large, and a worker answers
    ns/d tasks of each group. Then her prediction for a group is the mean of her answers in it
    plus Laplace noise, and for fixed weights :math:`q_i` that sum to 1

    .. math::
        \mathbb E[\mathrm{MAE}] \le \sum_i q_i\Delta_i
        + \sigma\sqrt{\tfrac2\pi}\sqrt{\tfrac{d}{ns}} + \frac{d|\Gamma|}{ns\epsilon}.

    Here :math:`\Delta_i` is the mean, over all tasks, of the distance between a task's truth and
    the mean truth of the tasks of its group that worker i answered. The noise term of Sun's
    Theorem 5 reappears with the density s in its denominator; the factor
    :math:`\tilde q m \ge 1` of that theorem is not needed, and makes the bound larger.

    Parameters
    ----------
    epsilon, domain_size, n_tasks, rank
        As in :func:`mf_mae_bound`.
    density : float
        Fraction s of the tasks of each group that a worker answers, in (0, 1], with
        n s >= d.
    sigma : float
        Standard deviation of a worker's answers around the truth, > 0.
    truth_deviation : float
        The weighted mean of :math:`\Delta_i`, or any upper bound on it, such as the largest
        :math:`\Delta_i`; >= 0, and 0 where truths agree within groups.
    quality : float
        Factor of the whole bound, >= 1; in the source it is the largest worker weight times the number of
        workers.

    Returns
    -------
    float
        Bound on the expected MAE, in units of the answers.

    Notes
    -----
    Corrects: Sun et al. (2018), Theorem 5.
    Derived in: sparse-answers/task-profiles

    Examples
    --------
    >>> arguments = dict(epsilon=1, domain_size=10, n_tasks=1000, rank=100)
    >>> round(mf_mae_bound_corrected(density=1.0, **arguments), 4)
    1.2523
    >>> round(mf_mae_bound_corrected(density=0.1, **arguments), 4)
    10.7979
    """
    s = fraction("density", density)
    noise = _mf_noise(epsilon, domain_size, n_tasks, rank) / s
    if n_tasks * s < rank * (1 - 1e-12):
        raise ValueError(f"density must be at least rank / n_tasks = {rank / n_tasks}, got {s}")
    if positive("quality", quality) < 1:
        raise ValueError(f"quality must be at least 1, got {quality}")
    deviation = non_negative("truth_deviation", truth_deviation)
    sampling = positive("sigma", sigma) * _MEAN_ABS_NORMAL * sqrt(rank / (n_tasks * s))
    return quality * (deviation + sampling + noise)


def _square(x: float) -> float:
    return x * x  # infinite where x**2 raises


def _mf_noise(epsilon: float, domain_size: int, n_tasks: int, rank: int) -> float:
    """The noise term d|Gamma| / (n epsilon) of Sun's Theorem 5."""
    if count("rank", rank) > count("n_tasks", n_tasks):
        raise ValueError(f"rank must not exceed n_tasks = {n_tasks}, got {rank}")
    return rank * count("domain_size", domain_size) / (n_tasks * positive("epsilon", epsilon))


def _fill_values(values: tuple[int, ...], fill: int | None) -> tuple[int, ...]:
    if fill is None:
        return values
    if not isinstance(fill, Integral):
        raise TypeError(f"fill must be an integer, got {fill!r} of type {type(fill).__name__}")
    if fill not in values:
        raise ValueError(f"fill must be in the domain {values[0]}..{values[-1]}, got {fill!r}")
    return (fill,)


def _laplace_offset(offset: float, scale: float) -> float:
    """E|c + L| for a constant c and Laplace noise L."""
    return abs(offset) + scale * exp(-abs(offset) / scale)


def _laplace_normal(sigma: float, scale: float) -> float:
    """E|X + L| for a centred normal X and Laplace noise L."""
    ratio = sigma / scale
    if ratio > 35:  # a series: for large r, e^(r^2/2) overflows, though its product with erfc does not
        square = 1 / ratio / ratio
        tail = _MEAN_ABS_NORMAL / ratio * (1 - square * (1 - square * (3 - 15 * square)))
    else:
        tail = exp(ratio**2 / 2) * erfc(ratio / sqrt(2))
    return sigma * _MEAN_ABS_NORMAL + scale * tail
