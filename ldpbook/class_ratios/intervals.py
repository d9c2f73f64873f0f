"""Standard errors and intervals for the class ratios of a set, to first order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import norm

from ldpbook._arrays import Array, check_proportions, check_sets, numeric
from ldpbook._validate import one_of, open_probability

__all__ = [
    "ratio_intervals",
]


def ratio_intervals(
    sets: Sequence[ArrayLike],
    proportions: ArrayLike | pd.DataFrame,
    unlabelled: ArrayLike,
    *,
    confidence: float = 0.95,
    target: Literal["set", "population"] = "set",
    share_variance: ArrayLike = 0.0,
) -> pd.DataFrame:
    r"""Class ratios of an unlabelled set by matched means, with standard errors and intervals.

    Instances are given by their features :math:`\Phi(x)`, and the features decide the method. With random
    Fourier features, mean embeddings are matched; with a classifier's probabilities, or its choices as unit
    vectors, counts are adjusted. Each interval is for one class; they do not hold for all classes at once.

    The distribution of the means is approximated by a normal one. This takes ten instances or more of every
    class in the unlabelled set and, where features are a classifier's choices, ten wrong ones of each kind in
    every set. With just that many, pure sets, and no more unlabelled instances than in one of the sets, an
    interval that aims at 95 % holds in about 94 % of draws; with fewer, or with sets that mix the classes,
    less often. No warning is given.

    Parameters
    ----------
    sets : sequence of M array_like, shapes (n_i, d)
        Features of the instances of each training set, two instances or more.
    proportions : array_like or DataFrame, shape (M, c)
        Class proportions of each training set, counted in that set. See
        :func:`~ldpbook.class_ratios.proportions.check_proportions`.
    unlabelled : array_like, shape (n, d)
        Features of the instances of the unlabelled set, n >= 2.
    confidence : float
        Probability with which each interval aims to cover its ratio, in (0, 1).
    target : {"set", "population"}
        Which ratio is meant: that of the given instances, or that of the population from which they were
        drawn independently. The two differ by chance.
    share_variance : float or array_like, shape (M,)
        Variance of the noise in every published proportion of a training set; 0 if proportions are exact.

    Returns
    -------
    DataFrame, index classes
        Columns ratio (not projected: it may lie outside [0, 1] by chance), error (standard error), low and
        high (ends of the interval, cut to [0, 1]).

    Raises
    ------
    ValueError
        If the mean features of the classes are not linearly independent by more than chance.

    Notes
    -----
    Source: the delta method; errors in variables corrected as in Fuller (1987).
    Derived in: remedies/honest-ratios

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> def said(n_low, n_high):  # by a classifier that is right with probability 0.8
    ...     return np.eye(2)[np.r_[rng.random(n_low) < 0.2, rng.random(n_high) < 0.8].astype(int)]
    >>> train = [said(900, 100), said(100, 900)]
    >>> ratio_intervals(train, [[0.9, 0.1], [0.1, 0.9]], said(300, 700)).round(2)
       ratio  error   low  high
    0   0.31   0.03  0.26  0.36
    1   0.69   0.03  0.64  0.74
    """
    one_of("target", target, ("set", "population"))
    z = norm.isf((1 - open_probability("confidence", confidence)) / 2)
    match = Match.of(sets, proportions, unlabelled)
    noise = numeric("share_variance", share_variance)
    if noise.shape not in {(), (len(match.sets),)} or not ((noise >= 0) & (noise < 1e100)).all():
        raise ValueError(
            f"share_variance must be a number >= 0, or one for each of {len(match.sets)} sets, got"
            f" {share_variance!r:.80}"
        )
    between = np.diag(match.ratio) - np.outer(match.ratio, match.ratio)
    variance = match.variances(match.unlabelled) / len(match.unlabelled)
    if target == "set":
        variance -= np.diag(between) / len(match.unlabelled)
    for x, row, weight in zip(match.sets, match.proportions, match.weights, strict=True):
        variance += weight**2 * (match.variances(x) - row * (1 - row)) / len(x)
    # The variance is negative only by chance, where features identify the classes without error.
    error = np.sqrt(np.maximum(variance, 0) + (match.weights**2 * noise).sum())
    ends = np.clip(match.ratio + z * np.outer([-1, 1], error), 0, 1)
    labels = list(proportions) if isinstance(proportions, pd.DataFrame) else None
    found = {"ratio": match.ratio, "error": error, "low": ends[0], "high": ends[1]}
    return pd.DataFrame(found, index=labels)


@dataclass(frozen=True, eq=False)
class Match:
    """A set's mean features as a mixture of the classes' mean features.

    Attributes
    ----------
    sets, unlabelled, proportions
        The arguments, checked; features are in units of `scale`, so that no power of them overflows.
    scale : float
        Largest feature in absolute value.
    classes : ndarray, shape (d, c)
        Estimated mean features of the classes.
    soft : ndarray, shape (d, c)
        Maps features to soft labels.
    ratio : ndarray, shape (c,)
        The unlabelled set's class ratios, not projected.
    weights : ndarray, shape (M,)
        Weight of each training set in the mixture.
    """

    sets: list[Array]
    unlabelled: Array
    proportions: Array
    scale: float
    classes: Array
    soft: Array
    ratio: Array
    weights: Array

    @classmethod
    def of(cls, sets: Sequence[ArrayLike], proportions: ArrayLike, unlabelled: ArrayLike) -> "Match":
        rows, arrays = check_proportions(proportions), check_sets(sets)
        town = check_sets([unlabelled], "unlabelled")[0]
        if len(arrays) != len(rows) or town.shape[1] != arrays[0].shape[1]:
            raise ValueError(
                f"sets must be one for each of {len(rows)} rows of proportions, with {town.shape[1]}"
                f" features as unlabelled has, got {len(arrays)} with {arrays[0].shape[1]}"
            )
        if min(map(len, [*arrays, town])) < 2:
            raise ValueError("sets and unlabelled must hold two instances or more each")
        scale = float(max(np.abs(x).max() for x in [*arrays, town])) or 1.0
        arrays, town = [x / scale for x in arrays], town / scale
        weighted = np.array([[len(x)] for x in arrays]) * rows
        mixing = np.linalg.solve(rows.T @ weighted, weighted.T).T  # column y mixes the sets into class y
        classes = np.stack([x.mean(axis=0) for x in arrays], axis=1) @ mixing
        gram = classes.T @ classes
        # Noise makes a mean of features longer: subtract what it adds to the inner products.
        between = rows @ np.diag(gram) - ((rows @ gram) * rows).sum(axis=1)
        within = [x.var(axis=0, ddof=1).sum() for x in arrays] - between
        gram -= (mixing.T * (np.maximum(within, 0) / [len(x) for x in arrays])) @ mixing
        if np.linalg.eigvalsh(gram)[0] <= 1e-12 * np.abs(gram).max():
            raise ValueError(
                "sets must show classes whose mean features are linearly independent by more than chance:"
                " some mixture of them, with weights of any sign, is 0 within the noise (as it is for two"
                " classes at x and -x); take larger sets, or add features, a constant one to begin with"
            )
        soft = classes @ np.linalg.inv(gram)
        ratio = town.mean(axis=0) @ soft
        return cls(arrays, town, rows, scale, classes, soft, ratio, mixing @ ratio)

    def variances(self, x: Array) -> Array:
        """Variances of the soft labels of a set, one per class."""
        return np.asarray((x @ self.soft).var(axis=0, ddof=1))
