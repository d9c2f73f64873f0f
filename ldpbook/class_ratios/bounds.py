"""Bounds on the error of estimated class ratios, printed and corrected, and deltas of private releases.

Standard library only.
"""

from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations
from math import (
    exp,
    expm1,
    fsum,
    inf,
    lgamma,
    log,
    log1p,
    sqrt,
)

from ldpbook._losses import smallest_epsilon
from ldpbook._validate import (
    below_one,
    choices,
    count,
    listed,
    non_negative,
    open_probability,
    positive,
    probability,
)

__all__ = [
    "class_ratio_error_bound",
    "class_ratio_error_bound_corrected",
    "composed_delta",
    "composed_epsilon",
    "counted_share",
    "dirichlet_delta_limit",
    "embedding_deviation_bound",
    "embedding_deviation_bound_corrected",
    "fourier_deviation",
    "label_noise_bound",
    "label_noise_bound_corrected",
    "laplace_counts_delta",
    "squared_weights",
]


def embedding_deviation_bound(*, n_instances: int, delta: float) -> float:
    r"""C of Iyer's Theorem 1 as printed: :math:`2/\sqrt n+\sqrt{\ln(2/\delta)/(2n)}`.

    It is meant to bound, with probability at least 1 - delta, the distance of the mean of n feature vectors
    of length 1 from its expectation. It is proved if no two feature vectors have a negative inner product and
    delta is at least 2e-6. For other vectors and a small delta it can fail: see
    :func:`embedding_deviation_bound_corrected`.

    Parameters
    ----------
    n_instances : int
        Number n of independent instances, >= 1.
    delta : float
        Probability, in (0, 1), with which the bound may fail.

    Returns
    -------
    float
        Distance.

    Notes
    -----
    Source: Iyer et al. (2016), the step of the proofs of Lemmas 1 and 3 taken from their reference [17].
    Derived in: class-ratios/learning-bound

    Examples
    --------
    >>> round(embedding_deviation_bound(n_instances=3000, delta=0.05 / 21), 4)
    0.07
    """
    n = count("n_instances", n_instances)
    return 2 / sqrt(n) + sqrt(log(2 / open_probability("delta", delta)) / (2 * n))


def embedding_deviation_bound_corrected(
    *, n_instances: int, delta: float, largest_distance: float = sqrt(2)
) -> float:
    r"""Bound on the distance of a mean of n independent feature vectors of length 1 from its expectation.

    With probability at least 1 - delta the distance is at most :math:`1/\sqrt n+D\sqrt{\ln(1/\delta)/(2n)}`.

    Parameters
    ----------
    n_instances, delta
        As in :func:`embedding_deviation_bound`; the instances need not have the same distribution.
    largest_distance : float
        Largest distance D between two feature vectors, in (0, 2]; the square root of 2 if inner products are
        never negative, as with the RBF kernel.

    Returns
    -------
    float
        Distance.

    Notes
    -----
    In place of: the step of the proofs of Iyer's Lemmas 1 and 3 taken from their reference [17].
    Derived in: class-ratios/learning-bound

    Examples
    --------
    >>> round(embedding_deviation_bound_corrected(n_instances=3000, delta=0.05 / 21), 4)
    0.0631
    """
    n = count("n_instances", n_instances)
    if positive("largest_distance", largest_distance) > 2:
        raise ValueError(f"largest_distance must lie in (0, 2], got {largest_distance!r}")
    return 1 / sqrt(n) + largest_distance * sqrt(-log(open_probability("delta", delta)) / (2 * n))


def class_ratio_error_bound(
    *, set_sizes: Iterable[int], n_unlabelled: int, least_singular: float, condition: float, delta: float
) -> float:
    r"""Iyer's Theorem 1: :math:`(1+Q)\sqrt{\sum_iC(n_i)^2}/\varsigma+Q\,C(n_U)`.

    Parameters
    ----------
    set_sizes : iterable of int
        Numbers of instances of the M training sets, >= 1.
    n_unlabelled : int
        Number of instances of the unlabelled set, >= 1.
    least_singular : float
        Smallest singular value of the matrix of the training sets' mean embeddings, > 0. With more sets than
        classes it is 0, and the bound infinite.
    condition : float
        Q, the largest singular value of the proportions divided by the smallest one of the estimated
        embeddings; > 0.
    delta : float
        Probability, in (0, 1), with which the bound may fail.

    Returns
    -------
    float
        Bound on the Euclidean error of the estimated proportions; with
        :func:`embedding_deviation_bound` at delta/(2M+1) in place of each C.

    Notes
    -----
    Source: Iyer et al. (2016), Theorem 1.
    Derived in: class-ratios/learning-bound

    Examples
    --------
    >>> setting = dict(least_singular=0.1, condition=10, delta=0.05)
    >>> round(class_ratio_error_bound(set_sizes=[3000] * 10, n_unlabelled=3000, **setting), 1)
    25.1
    """
    sizes = [count("set_sizes", size) for size in listed("set_sizes", set_sizes)]
    each = open_probability("delta", delta) / (2 * len(sizes) + 1)
    of_sets = sqrt(fsum(embedding_deviation_bound(n_instances=n, delta=each) ** 2 for n in sizes))
    q = positive("condition", condition)
    of_unlabelled = embedding_deviation_bound(n_instances=count("n_unlabelled", n_unlabelled), delta=each)
    return (1 + q) * of_sets / positive("least_singular", least_singular) + q * of_unlabelled


def class_ratio_error_bound_corrected(
    *,
    set_sizes: Iterable[int],
    n_unlabelled: int,
    class_singular: float,
    largest_weight: float,
    delta: float,
) -> float:
    r"""Bound on the error of class ratios given all sets' labels, tighter than Iyer's Theorem 1.

    .. math:: \frac{C(n_U)+w\sqrt{\sum_iC(n_i)^2}}{\varsigma_c}

    Parameters
    ----------
    set_sizes, n_unlabelled
        As in :func:`class_ratio_error_bound`.
    class_singular : float
        Smallest singular value of the matrix of the classes' estimated mean embeddings, > 0.
    largest_weight : float
        Largest singular value w of the matrix that mixes the sets into classes, > 0; with as many sets as
        classes it is the inverse of the smallest singular value of the proportions.
    delta : float
        Probability, in (0, 1), with which the bound may fail.

    Returns
    -------
    float
        Bound on the Euclidean distance to the unlabelled set's proportions; with
        :func:`embedding_deviation_bound_corrected` at delta/(M+1) in place of each C.

    Notes
    -----
    Sharpens: Iyer et al. (2016), Theorem 1; with more sets than classes it is for mixtures of the classes.
    Derived in: class-ratios/learning-bound

    Examples
    --------
    >>> setting = dict(class_singular=0.2, largest_weight=2.0, delta=0.05)
    >>> round(class_ratio_error_bound_corrected(set_sizes=[3000] * 10, n_unlabelled=3000, **setting), 2)
    2.22
    """
    sizes = [count("set_sizes", size) for size in listed("set_sizes", set_sizes)]
    each = open_probability("delta", delta) / (len(sizes) + 1)
    of_sets = sqrt(fsum(embedding_deviation_bound_corrected(n_instances=n, delta=each) ** 2 for n in sizes))
    unlabelled = count("n_unlabelled", n_unlabelled)
    of_unlabelled = embedding_deviation_bound_corrected(n_instances=unlabelled, delta=each)
    weighted = of_unlabelled + positive("largest_weight", largest_weight) * of_sets
    return weighted / positive("class_singular", class_singular)


def dirichlet_delta_limit(*, counts: Iterable[int], scale: float, epsilon: float) -> float:
    r"""Iyer's Equation 11: the limit of Chebyshev's bound on delta for large scaled counts.

    .. math::
        \max_{i\ne j}\frac{\frac{1-\rho_i}{\rho_i}+e^{2\epsilon/\sigma}\frac{1-\rho_j}{\rho_j}
        +2e^{\epsilon/\sigma}}{(\sigma m+1)(1-e^{\epsilon/\sigma})^2}

    Parameters
    ----------
    counts : iterable of int
        Numbers of labels of each class, >= 1, of two classes or more; m is their sum, rho their shares.
    scale : float
        The mechanism's sigma, > 0.
    epsilon : float
        Privacy, finite and >= 0.

    Returns
    -------
    float
        Delta; a value above 1 says nothing, and it is infinite for epsilon 0.

    Notes
    -----
    Source: Iyer et al. (2016), Equation 11; a limit of Equation 10, which
    :func:`~ldpbook.class_ratios.scaled_dirichlet.dirichlet_delta` evaluates.
    Derived in: class-ratios/label-privacy

    Examples
    --------
    >>> setting = dict(scale=0.0014, epsilon=0.0014)
    >>> round(dirichlet_delta_limit(counts=[500_000] * 4 + [8_000_000], **setting), 4)
    0.004
    """
    sizes = [count("counts", n) for n in listed("counts", counts)]
    if len(sizes) < 2:
        raise ValueError(f"counts must be of two classes or more, got {len(sizes)}")
    ratio = non_negative("epsilon", epsilon) / positive("scale", scale)
    shrunk, gap = exp(-ratio), -expm1(-ratio)
    if gap < 1e-150:
        return inf
    odds = [(sum(sizes) - n) / n for n in sizes]
    worst = max(shrunk**2 * first + second + 2 * shrunk for first, second in permutations(odds, 2))
    return worst / (scale * sum(sizes) + 1) / gap**2


def label_noise_bound(
    *, proportions: Iterable[Iterable[float]], set_sizes: Iterable[int], scales: Iterable[float], zeta: float
) -> float:
    r"""Iyer's Lemma 4: :math:`\frac{Mc}{\sqrt\zeta}\max_{i,y}\sqrt{\rho_{iy}(1-\rho_{iy})/(\sigma_im_i+1)}`.

    The Frobenius distance between proportions from the scaled Dirichlet mechanism and the true ones exceeds
    it with probability at most zeta. It is larger than needed: see :func:`label_noise_bound_corrected`.

    Parameters
    ----------
    proportions : iterable of M iterables of c floats
        Class proportions of each set, in [0, 1].
    set_sizes : iterable of int
        Numbers m_i of labels, >= 1.
    scales : iterable of float
        Scales sigma_i of the mechanism, > 0.
    zeta : float
        Probability, in (0, 1), with which the bound may fail.

    Returns
    -------
    float
        Distance.

    Notes
    -----
    Source: Iyer et al. (2016), Lemma 4.
    Derived in: class-ratios/private-estimation

    Examples
    --------
    >>> setting = dict(proportions=[[0.9, 0.1], [0.1, 0.9]], set_sizes=[1000, 1000], scales=[0.1, 0.1])
    >>> round(label_noise_bound(**setting, zeta=0.05), 4)
    0.534
    """
    variances = _dirichlet_variances(proportions, set_sizes, scales)
    return len(variances) * sqrt(max(variances) / open_probability("zeta", zeta))


def label_noise_bound_corrected(
    *, proportions: Iterable[Iterable[float]], set_sizes: Iterable[int], scales: Iterable[float], zeta: float
) -> float:
    r"""Bound by the second moment: :math:`\sqrt{\sum_{i,y}\rho_{iy}(1-\rho_{iy})/(\sigma_im_i+1)/\zeta}`.

    It is at most :math:`1/\sqrt{Mc}` times :func:`label_noise_bound`.

    Parameters
    ----------
    proportions, set_sizes, scales, zeta
        As in :func:`label_noise_bound`.

    Returns
    -------
    float
        Distance.

    Notes
    -----
    Sharpens: Iyer et al. (2016), Lemma 4.
    Derived in: class-ratios/private-estimation

    Examples
    --------
    >>> setting = dict(proportions=[[0.9, 0.1], [0.1, 0.9]], set_sizes=[1000, 1000], scales=[0.1, 0.1])
    >>> round(label_noise_bound_corrected(**setting, zeta=0.05), 4)
    0.267
    """
    return sqrt(fsum(_dirichlet_variances(proportions, set_sizes, scales)) / open_probability("zeta", zeta))


def laplace_counts_delta(*, scale: float, epsilon: float) -> float:
    r"""Smallest delta of Laplace noise on counts when one label moves from one class to another.

    It is 0 for epsilon >= 2/b, and :math:`1-(1+a/2)e^{-a}` with :math:`a=1/b-\epsilon/2` below.

    Parameters
    ----------
    scale : float
        Scale b of the noise on each count, > 0.
    epsilon : float
        Privacy, finite and >= 0.

    Returns
    -------
    float
        Delta.

    Notes
    -----
    Source: Iyer et al. (2016), Section 4.1, which uses delta = 0 only.
    Derived in: class-ratios/fair-comparison

    Examples
    --------
    >>> laplace_counts_delta(scale=40.0, epsilon=0.05)
    0.0
    >>> round(laplace_counts_delta(scale=10.0, epsilon=0.05), 4)
    0.0375
    """
    scale, epsilon = positive("scale", scale), non_negative("epsilon", epsilon)
    lost = 1 / Fraction(scale) - Fraction(epsilon) / 2  # exact, so no digit is lost
    lacking = float(min(max(lost, Fraction(0)), Fraction(1000)))
    return -expm1(-lacking) - lacking / 2 * exp(-lacking)


def composed_delta(*, epsilon: float, n_releases: int, total: float) -> float:
    r"""Smallest delta that all compositions of K epsilon-private releases meet at a total epsilon.

    .. math:: \sum_l\binom Kl\frac{\max(0,e^{(K-l)\epsilon}-e^{E+l\epsilon})}{(1+e^\epsilon)^K}

    Parameters
    ----------
    epsilon : float
        Epsilon of each release, finite and >= 0; a release may depend on those before it.
    n_releases : int
        Number K of releases about the same person, from 1 to 100,000.
    total : float
        Epsilon E of all of them together, finite and >= 0.

    Returns
    -------
    float
        Delta; attained by randomized response, and an upper bound for any other mechanism. Rounding may go
        either way.

    Notes
    -----
    Source: Kairouz, Oh and Viswanath (2015), also between the points that they print.
    Derived in: remedies/honest-ratios

    Examples
    --------
    >>> round(composed_delta(epsilon=0.1, n_releases=100, total=4.0), 6)
    3.4e-05
    """
    logs, limit = _outcomes(epsilon, n_releases), non_negative("total", total)
    over = [((n_releases - 2 * k) * epsilon - limit, at) for k, at in enumerate(logs)]
    return min(1.0, fsum(-exp(at) * expm1(-loss) for loss, at in over if loss > 0))


def composed_epsilon(*, epsilon: float, n_releases: int, delta: float) -> float:
    r"""Smallest epsilon that all compositions of K epsilon-private releases meet at a delta.

    Parameters
    ----------
    epsilon, n_releases
        As in :func:`composed_delta`.
    delta : float
        Delta of all of them together, in [0, 1).

    Returns
    -------
    float
        Epsilon: K times that of a release if delta is 0, and less otherwise. Rounded upwards.

    Notes
    -----
    Source: Kairouz, Oh and Viswanath (2015), solved for epsilon.
    Derived in: remedies/honest-ratios

    Examples
    --------
    >>> for delta in (0.0, 1e-6):
    ...     print(round(composed_epsilon(epsilon=0.1, n_releases=100, delta=delta), 3))
    10.0
    4.775
    """
    logs, allowed = _outcomes(epsilon, n_releases), below_one("delta", delta)
    if allowed == 0:
        return n_releases * float(epsilon)
    best = smallest_epsilon(logs, allowed)
    # On the safe side: sums are rounded, and logarithms of factorials lose digits as they grow.
    rounding = 1e-12 * best + 1e-15 * lgamma(n_releases + 1)
    return min(best + rounding, n_releases * float(epsilon))


def _outcomes(epsilon: float, n_releases: int) -> list[float]:
    """Logarithms of the probabilities of 0, 1, ... lies of randomized response."""
    rate, k = non_negative("epsilon", epsilon), count("n_releases", n_releases)
    if k > 100_000:
        raise ValueError(f"n_releases must be at most 100,000, got {n_releases}")
    lie = -rate - log1p(exp(-rate))  # logarithm of its probability
    return [
        lgamma(k + 1) - lgamma(j + 1) - lgamma(k - j + 1) + k * (lie + rate) - j * rate for j in range(k + 1)
    ]


def counted_share(*, share: float, false_positives: float, true_positives: float) -> float:
    r"""Expected share of a classifier's positive predictions: :math:`f+(t-f)\rho`.

    Parameters
    ----------
    share : float
        True share rho of class 1, in [0, 1].
    false_positives, true_positives : float
        Shares f and t of the instances of class 0 and of class 1 that the classifier assigns to class 1, in
        [0, 1].

    Returns
    -------
    float
        Expected share of positive predictions.

    Notes
    -----
    Derived in: class-ratios/proportions

    Examples
    --------
    >>> round(counted_share(share=0.1, false_positives=0.2, true_positives=0.8), 3)
    0.26
    """
    rho, f = probability("share", share), probability("false_positives", false_positives)
    return (1 - rho) * f + rho * probability("true_positives", true_positives)


def fourier_deviation(*, distance: float, bandwidth: float, n_features: int) -> float:
    r"""Standard deviation of a kernel made of random Fourier features: :math:`(1-k^2)/\sqrt D`.

    Parameters
    ----------
    distance : float
        Distance between two instances, >= 0; their RBF kernel is :math:`k=e^{-d^2/2s^2}`.
    bandwidth : float
        Bandwidth s, > 0, in units of `distance`.
    n_features : int
        Number D of features, cosines and sines, >= 1.

    Returns
    -------
    float
        Standard deviation of the inner product of their features, around k.

    Notes
    -----
    Derived in: class-ratios/mean-embeddings

    Examples
    --------
    >>> round(fourier_deviation(distance=1.118, bandwidth=1.0, n_features=100), 4)
    0.0713
    """
    scaled = non_negative("distance", distance) / positive("bandwidth", bandwidth)
    return -expm1(-scaled * scaled) / sqrt(count("n_features", n_features))


def squared_weights(*, share: float, largest: float, n_classes: int) -> float:
    r"""Sum of the squared weights with which skewed sets are mixed to match an unlabelled set, the town.

    In each of c sets, a different class has the share 1 - (c-1) r, and the others have the share r; the
    weights are :math:`\alpha=\frac{\rho-r}{1-cr}`. All noise in the sets enters the estimate multiplied by
    these weights.

    Parameters
    ----------
    share : float
        Share r of each other class in a set, >= 0 and below 1/c.
    largest : float
        The town's share of one class, in [0, 1]; its other classes are equally frequent.
    n_classes : int
        Number c of classes, and of sets, >= 2.

    Returns
    -------
    float
        Sum of squares; 1/c for a town of equal classes, whatever the sets.

    Notes
    -----
    Derived in: class-ratios/few-large-sets

    Examples
    --------
    >>> [round(squared_weights(share=r, largest=0.82, n_classes=10), 2) for r in (0.0, 0.05, 0.09)]
    [0.68, 2.4, 57.7]
    """
    r, c = probability("share", share), choices("n_classes", n_classes)
    if not c * r < 1:
        raise ValueError(f"share must be below 1/n_classes = {1 / c}, got {share!r}")
    others = (1 - probability("largest", largest)) / (c - 1)
    return ((largest - r) ** 2 + (c - 1) * (others - r) ** 2) / (1 - c * r) ** 2


def _dirichlet_variances(
    proportions: Iterable[Iterable[float]], set_sizes: Iterable[int], scales: Iterable[float]
) -> list[float]:
    """Variances of all entries, set by set."""
    rows = listed("proportions", proportions)
    sizes, all_scales = listed("set_sizes", set_sizes), listed("scales", scales)
    if not 0 < len(rows) == len(sizes) == len(all_scales):
        raise ValueError(
            f"proportions, set_sizes and scales must have one entry per set,"
            f" got {len(rows)}, {len(sizes)} and {len(all_scales)}"
        )
    variances = []
    for row, m, s in zip(rows, sizes, all_scales, strict=True):
        labels = positive("scales", s) * count("set_sizes", m) + 1
        shares = [probability("proportions", share) for share in listed("proportions", row)]
        variances += [p * (1 - p) / labels for p in shares]
    return variances
