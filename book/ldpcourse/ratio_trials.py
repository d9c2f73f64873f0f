"""Comparisons of class-ratio estimators on sets drawn from labelled data."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from ldpbook._arrays import Array, Rng, generator, numeric
from ldpbook._validate import choices, count
from ldpbook.class_ratios.mean_embeddings import match_proportions
from ldpbook.class_ratios.proportions import check_labels, draw_sets, draw_weights, skewed_proportions
from ldpbook.datasets.real import LabelledData
from ldpbook.mechanism import Mechanism

__all__ = [
    "private_errors",
    "shift_errors",
    "shifted_proportions",
]

_AT_ONCE = 10  # draws that private_errors takes together


class Estimator(Protocol):
    """Interface of the estimators."""

    def fit(self, sets: Sequence[ArrayLike], proportions: ArrayLike) -> "Estimator": ...

    def predict(self, sets: Sequence[ArrayLike]) -> Array: ...


def shifted_proportions(n_classes: int, shares: ArrayLike) -> Array:
    """Proportions of unlabelled sets: all classes but the last have the given share.

    Parameters
    ----------
    n_classes : int
        Number of classes c.
    shares : array_like, shape (k,)
        Shares, in [0, 1/(c-1)], one or more.

    Returns
    -------
    ndarray, shape (k, c)
        One row per share.

    Notes
    -----
    Source: Iyer et al. (2016), Section 4.
    Derived in: class-ratios/mean-embeddings

    Examples
    --------
    >>> shifted_proportions(3, [0.1])
    array([[0.1, 0.1, 0.8]])
    """
    c, small = choices("n_classes", n_classes), numeric("shares", shares)
    if small.ndim != 1 or not small.size or not ((small >= 0) & (small <= 1 / (c - 1))).all():
        raise ValueError(
            f"shares must be a vector of numbers in [0, 1/(c-1)] for {c} classes, got {shares!r:.80}"
        )
    small = small[:, None]
    return np.hstack([np.repeat(small, c - 1, axis=1), np.maximum(1 - (c - 1) * small, 0)])


def shift_errors(
    data: LabelledData,
    estimators: Mapping[Hashable, Estimator],
    *,
    share: float,
    shares: ArrayLike,
    n_instances: int,
    n_draws: int,
    rng: Rng = None,
) -> pd.DataFrame:
    """Errors of estimators trained on 2c skewed sets, on sets of shifted proportions.

    Parameters
    ----------
    data : LabelledData
        Data from which all sets are drawn; the sets of one draw are disjoint.
    estimators : mapping to estimator
        Estimators to compare, by name.
    share : float
        Share of each small class in the training sets, see
        :func:`~ldpbook.class_ratios.proportions.skewed_proportions`.
    shares : array_like, shape (k,)
        Shares of the unlabelled sets, see :func:`shifted_proportions`.
    n_instances : int
        Number of instances of every set, up to rounding; the data must be able to fill all sets of a draw.
    n_draws : int
        Independent draws of all sets, >= 1.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.

    Returns
    -------
    DataFrame
        Columns mechanism (the estimator's name), draw, share, estimate (of the last class) and error, the
        :math:`L_1` distance to the set's proportions.

    Notes
    -----
    Source: Iyer et al. (2016), Section 4.2.
    Derived in: class-ratios/mean-embeddings
    """
    if not isinstance(data, LabelledData):
        raise TypeError(f"data must be LabelledData, got {data!r:.80}")
    _check_named("estimators", estimators, ("fit", "predict"))
    labels = check_labels(data.labels)
    n_classes = _n_classes(labels)
    known = np.tile(skewed_proportions(n_classes, share), (2, 1))
    wanted = np.vstack([known, shifted_proportions(n_classes, shares)])
    counts = _counts(wanted, n_instances)
    for k, needed in enumerate(counts.sum(axis=0)):
        if needed > (labels == k).sum():
            raise ValueError(
                f"data must fill all sets of a draw, which takes n_instances, share and shares {needed} of"
                f" class {k}, got {(labels == k).sum()}"
            )
    truth = counts / counts.sum(axis=1, keepdims=True)
    rng, rows = generator(rng), []
    for draw in tqdm(range(count("n_draws", n_draws)), "draws", disable=None):
        sets = [data.points[chosen] for chosen in draw_sets(labels, counts, rng)]
        for name, estimator in estimators.items():
            found = estimator.fit(sets[: len(known)], truth[: len(known)]).predict(sets[len(known) :])
            errors = np.abs(found - truth[len(known) :]).sum(axis=1)
            rows += [
                (name, draw, float(x), estimate, error)
                for x, estimate, error in zip(np.asarray(shares), found[:, -1], errors, strict=True)
            ]
    return pd.DataFrame(rows, columns=["mechanism", "draw", "share", "estimate", "error"])


def private_errors(
    features: ArrayLike,
    labels: ArrayLike,
    mechanisms: Mapping[Hashable, Mechanism | None],
    *,
    share: float,
    shares: ArrayLike,
    n_instances: int,
    n_draws: int,
    rng: Rng = None,
) -> pd.DataFrame:
    """Errors of the printed estimator trained on c skewed sets whose proportions are private.

    Sets are drawn with replacement, so that they may be larger than the data, from a random seven
    tenths of the instances for training and from the others for the unlabelled sets.

    Parameters
    ----------
    features : array_like, shape (N, D)
        Features to average, such as
        :func:`~ldpbook.class_ratios.mean_embeddings.random_fourier_features` of the instances.
    labels : array_like, shape (N,)
        Class of each instance, 0..c-1.
    mechanisms : mapping to mechanism or None
        Mechanisms for the counts of each training set, by name; None leaves the counts as they are.
    share, shares, n_instances, n_draws, rng
        As in :func:`shift_errors`.

    Returns
    -------
    DataFrame
        Columns mechanism, draw, share, error.

    Notes
    -----
    Source: Iyer et al. (2016), Section 4.3.
    Derived in: class-ratios/private-estimation
    """
    averaged, y, rows = numeric("features", features), check_labels(labels), []
    if averaged.ndim != 2 or len(averaged) != y.size or not (np.abs(averaged) < 1e60).all():
        raise ValueError(
            f"features must be {y.size} rows of numbers below 1e60 in absolute value, one for each of the"
            f" labels, got shape {averaged.shape}"
        )
    _check_named("mechanisms", mechanisms, ("perturb",))
    try:
        rng, noise = generator(rng).spawn(2)  # the sets are the same whatever the mechanisms
    except TypeError as error:
        raise TypeError(f"rng must be a seed, None or a Generator that can spawn others: {error}") from None
    n_classes = _n_classes(y)
    known = _counts(skewed_proportions(n_classes, share), n_instances)
    wanted = _counts(shifted_proportions(n_classes, shares), n_instances)
    x_values = numeric("shares", shares).tolist()
    truth = wanted / wanted.sum(axis=1, keepdims=True)
    means: list[Array] = []
    for draw in tqdm(range(count("n_draws", n_draws)), "draws", disable=None):
        if not means:  # of several draws at once: reading the features takes longer than adding them up
            weights = []
            for _ in range(min(_AT_ONCE, n_draws - draw)):
                in_training = rng.permutation(y.size) < 0.7 * y.size
                weights.append(draw_weights(y, known, in_training, rng))
                weights.append(draw_weights(y, wanted, ~in_training, rng))
            means = np.split(np.concatenate(weights) @ averaged, len(weights) // 2)
        train, unlabelled = np.split(means.pop(0), [n_classes])
        gram, cross = train @ train.T, train @ unlabelled.T
        for name, mechanism in mechanisms.items():
            published = [c / c.sum() if mechanism is None else mechanism.perturb(c, noise) for c in known]
            errors = np.abs(match_proportions(gram, cross, published) - truth).sum(axis=1)
            rows += [(name, draw, x, error) for x, error in zip(x_values, errors, strict=True)]
    return pd.DataFrame(rows, columns=["mechanism", "draw", "share", "error"])


def _n_classes(labels: Array) -> int:
    if labels.max() < 1:
        raise ValueError("labels must be of two classes or more, got 0 only")
    return int(labels.max()) + 1


def _counts(proportions: Array, n_instances: int) -> NDArray[np.int64]:
    counts = np.round(proportions * count("n_instances", n_instances)).astype(np.int64)
    if not counts.any(axis=1).all():
        raise ValueError(f"n_instances must leave no set empty when shares are rounded, got {n_instances}")
    return counts


def _check_named(name: str, items: Mapping[Hashable, object], methods: tuple[str, ...]) -> None:
    if not isinstance(items, Mapping):
        raise TypeError(f"{name} must be a mapping from names, got {items!r:.80}")
    for key, item in items.items():
        lacking = [method for method in methods if not callable(getattr(item, method, None))]
        if lacking and not (name == "mechanisms" and item is None):
            raise TypeError(f"{name} must have the methods {methods}, got {item!r:.80} for {key!r:.80}")
