"""Class ratios of an unlabelled set from sets of known class ratios, by kernel mean embeddings."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, Rng, check_proportions, check_sets, generator, numeric
from ldpbook._extras import extra
from ldpbook._validate import count, one_of
from ldpbook.class_ratios._set_estimator import SetEstimator, check_bandwidth
from ldpbook.class_ratios.proportions import project_to_simplex

with extra("class-ratios"):
    from sklearn.metrics.pairwise import euclidean_distances
    from sklearn.model_selection import check_cv


__all__ = [
    "BANDWIDTHS",
    "ClassRatioEstimator",
    "match_proportions",
    "mean_kernels",
    "random_fourier_features",
]

BANDWIDTHS: Array = 2.0 ** np.arange(-5, 6, dtype=float)
"""Bandwidths from which cross-validation chooses, in units of the features."""

_BLOCK = 2**23  # entries of a block of distances: 64 MB, and two such arrays at a time
_SQUARINGS = 10  # at most, of a kernel in a row: its relative error grows to some 2^10 roundings, 1e-13


class ClassRatioEstimator(SetEstimator):
    r"""Mix the training sets' mean embeddings until they match an unlabelled set's.

    The weights of the mixture, applied to the known class proportions and projected to the simplex,
    are the estimate. Conventions are scikit-learn's, with a list of sets in place of rows.

    Parameters
    ----------
    kernel : {"rbf", "linear"}
        :math:`e^{-\|x-x'\|^2/(2s^2)}` with bandwidth s, or :math:`x^\top x'`.
    bandwidth : float, optional
        Bandwidth s of the RBF kernel, in units of the features, from 1e-60 to 1e60; by default the one of
        `BANDWIDTHS` with the smallest mean :math:`L_1` error on held-out sets.
    n_components : int, optional
        Even number of random Fourier features in place of the exact RBF kernel: time then grows with the
        number of instances, not with its square.
    combine : {"sets", "classes"}
        Which mixtures are allowed: any of the sets, as printed; or only those of the classes' mean
        embeddings, which are estimated from all sets first. Both are the same if there are as many sets as
        classes.
    cv : int, splitter or iterable of splits
        How sets are held out for the choice of the bandwidth, as in scikit-learn: a number >= 2 is the number
        of folds, which are of consecutive sets. Each fold's training sets must span the simplex.
    rng : Generator or int, optional
        Source of randomness of the random Fourier features, or a seed for one; fresh entropy by default.

    Attributes
    ----------
    bandwidth_ : float
        Bandwidth used, None with the linear kernel.
    gram_ : ndarray, shape (M, M)
        Inner products of the sets' mean embeddings.
    least_singular_, condition_number_ : float
        Smallest singular value of the matrix of estimated mean embeddings; and Q, the largest singular value
        of the proportions divided by it. With more sets than classes they measure noise: the matrix of the
        true embeddings has rank c.
    n_features_in_ : int
        Number d of features.
    classes_ : ndarray, shape (c,)
        Classes, one per column of the predictions: the columns of the training proportions if those were a
        DataFrame, otherwise 0..c-1.

    Notes
    -----
    Source: Iyer et al. (2016), Equation 5.
    Derived in: class-ratios/mean-embeddings

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> def normal(n_low, n_high):
    ...     return np.concatenate([rng.normal(0, 1, (n_low, 1)), rng.normal(3, 1, (n_high, 1))])
    >>> train = [normal(900, 100), normal(100, 900)]
    >>> estimator = ClassRatioEstimator(bandwidth=1.0).fit(train, [[0.9, 0.1], [0.1, 0.9]])
    >>> estimator.predict([normal(300, 700)]).round(1)
    array([[0.3, 0.7]])
    """

    def __init__(
        self,
        kernel: Literal["rbf", "linear"] = "rbf",
        bandwidth: float | None = None,
        n_components: int | None = None,
        combine: Literal["sets", "classes"] = "sets",
        cv: Any = 2,
        rng: Rng = None,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.n_components = n_components
        self.combine = combine
        self.cv = cv
        self.rng = rng

    def fit(self, sets: Sequence[ArrayLike], proportions: ArrayLike | pd.DataFrame) -> "ClassRatioEstimator":
        """Learn from sets of known class proportions.

        Parameters
        ----------
        sets : sequence of M array_like, shapes (n_i, d)
            Instances of each set, below 1e60 in absolute value.
        proportions : array_like or DataFrame, shape (M, c)
            Class proportions of each set, see
            :func:`~ldpbook.class_ratios.proportions.check_proportions`.

        Returns
        -------
        ClassRatioEstimator
            Itself.
        """
        self._check_parameters()
        self.sets_, self.proportions_ = self._check_training(sets, proportions)
        if self.n_components is not None:
            shape = self.n_features_in_, self.n_components // 2
            self.frequencies_ = generator(self.rng).standard_normal(shape)
        self.sizes_ = np.array([len(s) for s in self.sets_])
        linear = self.kernel == "linear"
        candidates = np.array([1.0], dtype=float) if linear else BANDWIDTHS
        if not linear and self.bandwidth is not None:
            candidates = np.array([float(self.bandwidth)])
        grams = self._inner_products(self.sets_, self.sets_, candidates)
        best = self._best_on_held_out_sets(grams) if len(grams) > 1 else 0
        self.bandwidth_, self.gram_ = None if linear else float(candidates[best]), grams[best]
        least = np.linalg.eigvalsh(self.gram_)[0]
        self.least_singular_ = float(np.sqrt(max(least, 0.0)))
        largest = np.linalg.norm(self.proportions_, 2)
        self.condition_number_ = float(largest / self.least_singular_) if least > 0 else np.inf
        return self

    def predict(self, sets: Sequence[ArrayLike]) -> Array:
        """Class proportions of unlabelled sets.

        Parameters
        ----------
        sets : sequence of k array_like, shapes (n, d)
            Instances of each set.

        Returns
        -------
        ndarray, shape (k, c)
            One row per set, on the simplex.
        """
        unlabelled = self._check_unlabelled(sets)
        cross = self._inner_products(self.sets_, unlabelled, np.array([self.bandwidth_ or 1.0], dtype=float))[
            0
        ]
        return self._match(self.gram_, cross, slice(None))

    def _check_parameters(self) -> None:
        one_of("kernel", self.kernel, ("rbf", "linear"))
        one_of("combine", self.combine, ("sets", "classes"))
        if self.bandwidth is not None:
            check_bandwidth(self.bandwidth)
        if self.n_components is not None:
            _check_components(self.n_components)
            if self.kernel != "rbf":
                raise ValueError(f"n_components must be None with the linear kernel, got {self.n_components}")

    def _inner_products(self, first: list[Array], second: list[Array], bandwidths: Array) -> Array:
        """Inner products of mean embeddings, shape (len(bandwidths), len(first), len(second))."""
        if self.kernel == "rbf" and self.n_components is None:
            return _mean_kernels(first, second, bandwidths)
        left, right = (
            np.array([[self._embed(s, float(b)) for s in sets] for b in bandwidths])
            for sets in (first, second)
        )
        return np.asarray(np.matmul(left, right.transpose(0, 2, 1)))

    def _embed(self, points: Array, bandwidth: float) -> Array:
        if self.n_components is None:
            return np.asarray(points.mean(axis=0))
        rows = max(1, _BLOCK // self.n_components)
        scaled = self.frequencies_ / bandwidth
        total = np.zeros(self.n_components)
        for k in range(0, len(points), rows):
            total += _waves(points[k : k + rows], scaled).sum(axis=0)
        return total / len(points)

    def _match(self, gram: Array, cross: Array, chosen: NDArray[np.intp] | slice) -> Array:
        sizes = self.sizes_[chosen].astype(float) if self.combine == "classes" else None
        return _match(gram, cross, self.proportions_[chosen], sizes)

    def _best_on_held_out_sets(self, grams: Array) -> int:
        splits = list(self._splits())
        for train, _ in splits:
            check_proportions(self.proportions_[train])
        return int(np.argmin([self._held_out_error(gram, splits) for gram in grams]))

    def _splits(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Rows of the sets to learn from and of those held out."""
        rows, n_splits = np.arange(len(self.sets_)), 0
        try:
            for train, held in check_cv(self.cv).split(rows):
                if not rows[held].size:
                    raise ValueError("it holds out no set")
                yield rows[train], rows[held]
                n_splits += 1
            if not n_splits:
                raise ValueError("there is no split")
        except (ValueError, TypeError, IndexError) as error:
            wrong = TypeError if isinstance(error, TypeError) else ValueError
            raise wrong(f"cv must split the {rows.size} sets, got {self.cv!r:.80}: {error}") from None

    def _held_out_error(self, gram: Array, splits: list[tuple[NDArray[np.intp], NDArray[np.intp]]]) -> float:
        errors = []
        for train, held in splits:
            found = self._match(gram[np.ix_(train, train)], gram[np.ix_(train, held)], train)
            errors.append(np.abs(found - self.proportions_[held]).sum(axis=1))
        return float(np.concatenate(errors).mean())


def match_proportions(
    gram: ArrayLike, cross: ArrayLike, proportions: ArrayLike, sizes: ArrayLike | None = None
) -> Array:
    r"""Proportions of the mixtures that best match the mean embeddings of sets: the estimator itself.

    Least squares in the kernel's space gives weights :math:`\hat\alpha`, which mix the known proportions;
    the result is projected to the simplex.

    Parameters
    ----------
    gram : array_like, shape (M, M)
        Inner products of the training sets' mean embeddings, below 1e150 in absolute value.
    cross : array_like, shape (M, k)
        Inner products of the training sets' mean embeddings with those of k unlabelled sets, below 1e150.
    proportions : array_like, shape (M, c)
        Known class proportions of the training sets, see
        :func:`~ldpbook.class_ratios.proportions.check_proportions`.
    sizes : array_like, shape (M,), optional
        Numbers of instances of the training sets, from 1 to 2^53: then only mixtures of the classes' mean
        embeddings are allowed, each estimated from all sets by weighted least squares. If None, any
        weights are allowed.

    Returns
    -------
    ndarray, shape (k, c)
        Estimates, on the simplex.

    Notes
    -----
    Source: Iyer et al. (2016), Equation 5.
    Derived in: class-ratios/mean-embeddings

    Examples
    --------
    >>> match_proportions([[1.0, 0.0], [0.0, 1.0]], [[0.5], [0.5]], [[0.9, 0.1], [0.3, 0.7]])
    array([[0.6, 0.4]])
    """
    rows = check_proportions(proportions)
    inner, right = numeric("gram", gram), numeric("cross", cross)
    n_sets = len(rows)
    for name, matrix, fits in [
        ("gram", inner, inner.shape == (n_sets, n_sets)),
        ("cross", right, right.ndim == 2 and len(right) == n_sets and right.size > 0),
    ]:
        if not fits or not (np.abs(matrix) < 1e150).all():
            raise ValueError(
                f"{name} must hold numbers below 1e150 in absolute value, a row for each of {n_sets} sets,"
                f" got shape {matrix.shape}"
            )
    if sizes is None:
        return _match(inner, right, rows, None)
    given = numeric("sizes", sizes)
    if given.shape != (n_sets,) or not ((given >= 1) & (given <= 2**53)).all():
        raise ValueError(
            f"sizes must be a number from 1 to 2^53 for each of {n_sets} sets, got {sizes!r:.80}"
        )
    return _match(inner, right, rows, given)


def _match(gram: Array, cross: Array, rows: Array, sizes: Array | None) -> Array:
    mixtures: Array = np.eye(len(rows))
    if sizes is not None:
        weighted = sizes[:, None] * rows
        # Column y mixes the sets into class y.
        mixtures = np.asarray(np.linalg.solve(rows.T @ weighted, weighted.T).T, dtype=float)
    reduced = mixtures.T @ gram @ mixtures
    weights = mixtures @ np.linalg.lstsq(reduced, mixtures.T @ cross, rcond=None)[0]
    return project_to_simplex(weights.T @ rows)


def mean_kernels(first: Sequence[ArrayLike], second: Sequence[ArrayLike], bandwidths: ArrayLike) -> Array:
    """Inner products of the mean embeddings of sets under RBF kernels: means over all pairs.

    Distances are computed in blocks of 64 MB, so memory does not grow with the sets. A kernel whose
    bandwidth is half of another's is its fourth power: two multiplications in place of an exponential,
    at a relative error below 1e-12.

    Parameters
    ----------
    first, second : sequence of array_like, shapes (n_i, d)
        Sets, below 1e60 in absolute value; if they are the same object, only half of the pairs are
        computed.
    bandwidths : array_like, shape (B,)
        Bandwidths, from 1e-60 to 1e60, in any order.

    Returns
    -------
    ndarray, shape (B, len(first), len(second))
        Mean kernel values.

    Notes
    -----
    Source: Iyer et al. (2016), Equation 5.
    Derived in: class-ratios/mean-embeddings

    Examples
    --------
    >>> points = [np.array([[0.0], [1.0]])]
    >>> mean_kernels(points, points, [1.0]).round(4)
    array([[[0.8033]]])
    """
    left = check_sets(first, "first")
    right = left if second is first else check_sets(second, "second")
    if left[0].shape[1] != right[0].shape[1]:
        raise ValueError(f"second must have {left[0].shape[1]} features, as first, got {right[0].shape[1]}")
    widths = numeric("bandwidths", bandwidths)
    if widths.ndim != 1 or not ((widths >= 1e-60) & (widths <= 1e60)).all():
        raise ValueError(f"bandwidths must be a vector of numbers in [1e-60, 1e60], got {bandwidths!r:.80}")
    return _mean_kernels(left, right, widths)


def _mean_kernels(first: list[Array], second: list[Array], bandwidths: Array) -> Array:
    left = np.concatenate(first)
    right = left if second is first else np.concatenate(second)
    n_left, n_right = ([len(s) for s in sets] for sets in (first, second))
    owner, starts = np.repeat(np.arange(len(first)), n_left), np.cumsum([0, *n_right[:-1]])
    totals, row = np.zeros((len(bandwidths), len(first), len(second))), 0
    while row < len(left):
        skipped = owner[row] if second is first else 0  # earlier sets follow by symmetry
        columns = right[starts[skipped] :]
        rows = slice(row, row + max(1, _BLOCK // len(columns)))
        distances = euclidean_distances(left[rows], columns, squared=True)
        for k, kernel in _kernels(distances, bandwidths):
            by_set = np.add.reduceat(kernel, starts[skipped:] - starts[skipped], axis=1)
            np.add.at(totals[k, :, skipped:], owner[rows], by_set)
        row = rows.stop
    if second is first:
        totals = np.triu(totals) + np.triu(totals, 1).transpose(0, 2, 1)
    return np.asarray(totals / np.multiply.outer(n_left, n_right))


def _kernels(distances: Array, bandwidths: Array) -> Iterator[tuple[int, Array]]:
    """Number and kernel of each bandwidth, widest first, all in one array that is overwritten."""
    kernel, wider, squarings = np.empty_like(distances), np.nan, 0
    for k in np.argsort(-bandwidths):
        if bandwidths[k] * 2 == wider and squarings < _SQUARINGS:
            for _ in range(2):
                np.square(kernel, out=kernel)
            squarings += 2
        else:
            np.multiply(distances, -0.5 / bandwidths[k] ** 2, out=kernel)
            np.exp(kernel, out=kernel)
            squarings = 0
        wider = bandwidths[k]
        yield int(k), kernel


def random_fourier_features(points: ArrayLike, bandwidth: float, n_components: int, rng: Rng = None) -> Array:
    r"""Features whose inner products approach the RBF kernel: cosines and sines of random projections.

    The error of an inner product falls like :math:`1/\sqrt D`; every feature vector has length 1.

    Parameters
    ----------
    points : array_like, shape (n, d)
        Instances, below 1e60 in absolute value.
    bandwidth : float
        Bandwidth of the kernel, from 1e-60 to 1e60.
    n_components : int
        Number D of features, even.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; the same seed gives the same features. Fresh entropy by
        default.

    Returns
    -------
    ndarray, shape (n, D)
        Features.

    Notes
    -----
    Source: Rahimi and Recht (2007).
    Derived in: class-ratios/mean-embeddings

    Examples
    --------
    >>> features = random_fourier_features([[0.0], [1.0]], 1.0, 4000, rng=0)
    >>> float((features @ features.T)[0, 1].round(1)), float(np.exp(-0.5).round(1))
    (0.6, 0.6)
    """
    x = numeric("points", points)
    if x.ndim != 2 or x.size == 0 or not (np.abs(x) < 1e60).all():
        raise ValueError(
            "points must be numbers below 1e60 in absolute value, of shape (instances, features), got shape"
            f" {x.shape}"
        )
    width, n_waves = check_bandwidth(bandwidth), _check_components(n_components) // 2
    return _waves(x, generator(rng).standard_normal((x.shape[1], n_waves)) / width)


def _check_components(n_components: int) -> int:
    if count("n_components", n_components) % 2:
        raise ValueError(f"n_components must be even, got {n_components!r}")
    return int(n_components)


def _waves(points: Array, frequencies: Array) -> Array:
    angles = points @ frequencies
    return np.asarray(np.hstack([np.cos(angles), np.sin(angles)]) / np.sqrt(frequencies.shape[1]))
