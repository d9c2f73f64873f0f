"""Class proportions: vectors on the simplex, and sets drawn with given proportions."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, Rng, check_proportions, check_set_counts, generator, numeric
from ldpbook._validate import choices, non_negative

__all__ = [
    "check_proportions",
    "draw_sets",
    "draw_weights",
    "project_to_simplex",
    "skewed_proportions",
]


def project_to_simplex(values: ArrayLike) -> Array:
    """Nearest vectors of non-negative entries with sum 1, in Euclidean distance.

    Parameters
    ----------
    values : array_like, shape (..., c)
        Finite vectors along the last axis.

    Returns
    -------
    ndarray, shape (..., c)
        Their projections.

    Notes
    -----
    Source: constrained least squares of Iyer et al. (2016), Section 3.
    Derived in: class-ratios/label-privacy

    Examples
    --------
    >>> project_to_simplex([0.5, 0.9, -0.4])
    array([0.3, 0.7, 0. ])
    """
    points = numeric("values", values)
    if points.ndim == 0 or points.size == 0 or not np.isfinite(points).all():
        raise ValueError(f"values must be finite vectors, got shape {points.shape}")
    # Subtracting a constant changes nothing, and entries below the largest by 1 or more become 0: no digit is
    # lost.
    with np.errstate(over="ignore"):
        points = np.maximum(points - points.max(axis=-1, keepdims=True), -1)
    falling = -np.sort(-points, axis=-1)
    # Largest k for which the k largest entries stay positive when their excess over 1 is shared.
    shared = (falling.cumsum(axis=-1) - 1) / np.arange(1, points.shape[-1] + 1)
    kept = (falling > shared).sum(axis=-1, keepdims=True)
    return np.asarray(np.maximum(points - np.take_along_axis(shared, kept - 1, axis=-1), 0))


def skewed_proportions(n_classes: int, share: float) -> Array:
    """Proportions of one set per class, in which each of the other classes has the same share.

    Parameters
    ----------
    n_classes : int
        Number of classes c, >= 2.
    share : float
        Share of each other class, in [0, 1/(c-1)], other than 1/c.

    Returns
    -------
    ndarray, shape (c, c)
        Row i has 1 - (c-1) share in column i.

    Notes
    -----
    Source: Iyer et al. (2016), Section 4.2.
    Derived in: class-ratios/proportions

    Examples
    --------
    >>> skewed_proportions(3, 0.05)
    array([[0.9 , 0.05, 0.05],
           [0.05, 0.9 , 0.05],
           [0.05, 0.05, 0.9 ]])
    """
    c = choices("n_classes", n_classes)
    if non_negative("share", share) > 1 / (c - 1) or abs(c * share - 1) < 1e-9:
        raise ValueError(f"share must lie in [0, 1/(c-1)], other than 1/c, got {share!r} for {c} classes")
    rows = np.full((c, c), float(share))
    np.fill_diagonal(rows, 1 - (c - 1) * share)
    return check_proportions(rows)


def draw_sets(labels: ArrayLike, counts: ArrayLike, rng: Rng = None) -> list[NDArray[np.intp]]:
    """Disjoint sets of instances, each with given numbers of every class.

    Parameters
    ----------
    labels : array_like, shape (N,)
        Class of each instance, 0..c-1; instances of classes >= c are never drawn.
    counts : array_like, shape (M, c)
        Wanted numbers, one row per set; in total, at most as many of a class as there are.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.

    Returns
    -------
    list of ndarray
        Row numbers of the instances of each set.

    Notes
    -----
    Source: Iyer et al. (2016), Section 4.2.
    Derived in: class-ratios/proportions

    Examples
    --------
    >>> [s.size for s in draw_sets([0, 0, 1, 1, 1], [[1, 1], [1, 2]], rng=0)]
    [2, 3]
    """
    y, wanted, rng = check_labels(labels), check_set_counts(counts), generator(rng)
    parts = []
    for k, numbers in enumerate(wanted.T):
        members = rng.permutation(np.flatnonzero(y == k))
        if numbers.sum() > members.size:
            raise ValueError(
                f"counts must not exceed the instances that labels name, got {numbers.sum()} of class {k},"
                f" which has {members.size}"
            )
        parts.append(np.split(members, numbers.cumsum())[:-1])
    return [np.concatenate(pieces) for pieces in zip(*parts, strict=True)]


def draw_weights(
    labels: ArrayLike,
    counts: ArrayLike,
    allowed: ArrayLike | None = None,
    rng: Rng = None,
) -> Array:
    """Sets drawn with replacement, each as a vector of weights on the instances.

    For weights v, w on instances with kernel matrix K, the inner product of the mean embeddings is vKw.

    Parameters
    ----------
    labels : array_like, shape (N,)
        Class of each instance, 0..c-1; instances of classes >= c are never drawn.
    counts : array_like, shape (M, c)
        Wanted numbers, one row per set, no set empty. They may exceed the number of instances of a class, but
        must be 0 for a class without instances.
    allowed : array_like of bool, shape (N,), optional
        Which instances may be drawn; all if None.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.

    Returns
    -------
    ndarray, shape (M, N)
        How often each instance was drawn into each set, divided by the set's size.

    Notes
    -----
    Source: Iyer et al. (2016), Section 4.2.
    Derived in: class-ratios/learning-bound

    Examples
    --------
    >>> draw_weights([0, 1, 1], [[4, 0], [0, 8]], rng=0)
    array([[1.   , 0.   , 0.   ],
           [0.   , 0.625, 0.375]])
    """
    y, wanted, rng = check_labels(labels), check_set_counts(counts), generator(rng)
    if not wanted.any(axis=1).all():
        raise ValueError("counts must not be 0 for all classes of a set, got such a set")
    may = np.ones(y.shape) if allowed is None else numeric("allowed", allowed)
    if may.shape != y.shape or not np.isin(may, (0, 1)).all():
        raise ValueError(f"allowed must be a vector of {y.size} truth values, got {allowed!r:.80}")
    drawn = np.zeros((len(wanted), y.size))
    for k, numbers in enumerate(wanted.T):
        members = np.flatnonzero((y == k) & (may == 1))
        if numbers.any() and not members.size:
            raise ValueError(f"counts must be 0 for classes without instances, got {numbers.max()} of {k}")
        if members.size:
            drawn[:, members] = rng.multinomial(numbers, np.full(members.size, 1 / members.size))
    return np.asarray(drawn / wanted.sum(axis=1, keepdims=True))


def check_labels(labels: ArrayLike) -> Array:
    """Checked classes of one or more instances."""
    y = numeric("labels", labels)
    if y.ndim != 1 or not y.size or not ((y >= 0) & (y <= 2**53) & (y == np.floor(y))).all():
        raise ValueError("labels must be a vector of classes, integers >= 0, got others")
    return y
