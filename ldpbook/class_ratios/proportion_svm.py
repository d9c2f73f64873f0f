"""The proportion SVM: a classifier learned from sets of known proportions; its predictions are counted."""

from collections.abc import Sequence
from math import inf

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, Rng, generator
from ldpbook._extras import extra
from ldpbook._validate import count, positive
from ldpbook.class_ratios._set_estimator import SetEstimator, check_bandwidth

with extra("class-ratios"):
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.svm import SVC


__all__ = [
    "ProportionSVM",
]

_STAGES = (0.01, 0.1, 1.0)  # annealing: labels may change cheaply at first
_ROUNDS = 20  # at each stage; it ends earlier if no label changes, or if all labels would become the same


class ProportionSVM(SetEstimator):
    r"""Guess labels that have the known proportions, train an SVM on them, and repeat.

    It minimizes :math:`\frac12\|w\|^2+C\sum\text{hinge}+C_p\sum_i|\tilde p_i-p_i|` over classifiers and
    labels in turn, with C annealed by factors of ten, from several random labellings. For two classes.

    Parameters
    ----------
    bandwidth : float
        Bandwidth of the RBF kernel, in units of the features, from 1e-60 to 1e60.
    cost : float
        Cost C of an instance on the wrong side of its margin, > 0.
    proportion_cost : float
        Cost :math:`C_p` per unit of difference between a set's proportion and the known one, > 0.
    n_restarts : int
        Number of random labellings to start from, >= 1.
    rng : Generator or int, optional
        Source of randomness of the labellings, or a seed for one; fresh entropy by default.

    Attributes
    ----------
    objective_ : float
        Objective at the best of the restarts.
    n_features_in_ : int
        Number d of features.
    classes_ : ndarray, shape (2,)
        Classes, one per column of the predictions: the columns of the training proportions if those were a
        DataFrame, otherwise 0 and 1.

    Notes
    -----
    Source: Yu et al. (2013), alternating algorithm; the baseline pSVM of Iyer et al. (2016), Section 4.2.
    Derived in: class-ratios/proportions

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sets = [rng.normal([[0.0]] * 90 + [[4.0]] * 10), rng.normal([[0.0]] * 10 + [[4.0]] * 90)]
    >>> svm = ProportionSVM(bandwidth=2.0, rng=0).fit(sets, [[0.9, 0.1], [0.1, 0.9]])
    >>> svm.predict([rng.normal([[0.0]] * 50 + [[4.0]] * 50)]).round(1)
    array([[0.5, 0.5]])
    """

    def __init__(
        self,
        bandwidth: float = 1.0,
        cost: float = 1.0,
        proportion_cost: float = 100.0,
        n_restarts: int = 3,
        rng: Rng = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.cost = cost
        self.proportion_cost = proportion_cost
        self.n_restarts = n_restarts
        self.rng = rng

    def fit(self, sets: Sequence[ArrayLike], proportions: ArrayLike | pd.DataFrame) -> "ProportionSVM":
        """Learn from sets of known class proportions.

        Parameters
        ----------
        sets : sequence of M array_like, shapes (n_i, d)
            Instances of each set.
        proportions : array_like or DataFrame, shape (M, 2)
            Class proportions of each set, see
            :func:`~ldpbook.class_ratios.proportions.check_proportions`.

        Returns
        -------
        ProportionSVM
            Itself.
        """
        gamma = 0.5 / check_bandwidth(self.bandwidth) ** 2
        for name in ("cost", "proportion_cost"):
            positive(name, getattr(self, name))
        count("n_restarts", self.n_restarts)
        arrays, shares = self._check_training(sets, proportions)
        if shares.shape[1] != 2:
            raise ValueError(f"proportions must be of two classes, got shape {shares.shape}")
        points, ends = np.vstack(arrays), np.cumsum([len(s) for s in arrays])[:-1]
        kernel = rbf_kernel(points, gamma=gamma)
        rng, least = generator(self.rng), inf
        for _ in range(self.n_restarts):
            start = _labels(rng.random(len(points)), ends, shares[:, 1], 0.0, 1.0)
            weights, intercept, objective = self._alternate(kernel, ends, start, shares[:, 1])
            if objective < least:
                support = np.flatnonzero(weights)
                self.support_, self.weights_ = points[support], weights[support]
                self.intercept_, self.objective_, least = intercept, objective, objective
        return self

    def predict(self, sets: Sequence[ArrayLike]) -> Array:
        """Class proportions of sets: their instances classified and counted.

        Parameters
        ----------
        sets : sequence of k array_like, shapes (n, d)
            Instances of each set.

        Returns
        -------
        ndarray, shape (k, 2)
            One row per set.
        """
        arrays, gamma = self._check_unlabelled(sets), 0.5 / float(self.bandwidth) ** 2
        scores = [rbf_kernel(s, self.support_, gamma) @ self.weights_ for s in arrays]
        share = np.array([(s + self.intercept_ > 0).mean() for s in scores])
        return np.column_stack([1 - share, share])

    def _alternate(
        self, kernel: Array, ends: NDArray[np.intp], labels: Array, shares: Array
    ) -> tuple[Array, float, float]:
        """Weights of the instances, intercept and objective, from a first labelling."""
        for stage in _STAGES:
            cost = stage * self.cost
            for _ in range(_ROUNDS):
                svm = SVC(C=cost, kernel="precomputed").fit(kernel, labels)
                weights = np.zeros(len(labels))
                weights[svm.support_] = svm.dual_coef_[0]
                scores = kernel @ weights + svm.intercept_[0]
                found = _labels(scores, ends, shares, cost, self.proportion_cost)
                if (found == labels).all() or np.ptp(found) == 0:
                    break
                labels = found
        hinge = np.maximum(0, 1 - labels * scores).sum()
        away = [abs((part > 0).mean() - p) for part, p in zip(np.split(labels, ends), shares, strict=True)]
        objective = weights @ kernel @ weights / 2 + self.cost * hinge + self.proportion_cost * sum(away)
        return weights, svm.intercept_[0], objective


def _labels(
    scores: Array, ends: NDArray[np.intp], shares: Array, cost: float, proportion_cost: float
) -> Array:
    """Labels of all sets with the smallest cost, given their scores."""
    pairs = zip(np.split(scores, ends), shares, strict=True)
    return np.concatenate([_best_labels(part, p, cost, proportion_cost) for part, p in pairs])


def _best_labels(scores: Array, share: float, cost: float, proportion_cost: float) -> Array:
    """Labels -1, 1 of one set with the smallest cost, given its scores: the highest are positive."""
    order = np.argsort(-scores, kind="stable")
    s = scores[order]
    # Hinge loss of a positive label minus that of a negative one, summed over the k highest scores.
    price = np.append(0, np.cumsum(np.maximum(0, 1 - s) - np.maximum(0, 1 + s)))
    away = np.abs(np.arange(s.size + 1) / s.size - share)
    n_positive = (cost * price + proportion_cost * away).argmin()
    labels = np.full(s.size, -1.0)
    labels[order[:n_positive]] = 1.0
    return labels
