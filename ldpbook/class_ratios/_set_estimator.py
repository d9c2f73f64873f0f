"""Base class of the estimators that learn from sets of known class proportions."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, by_class, check_proportions, check_sets, numeric
from ldpbook._extras import extra
from ldpbook._validate import positive

with extra("class-ratios"):
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import check_is_fitted


class SetEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """Estimator that learns from sets of known class proportions, as in scikit-learn, with sets for rows.

    Attributes
    ----------
    n_features_in_ : int
        Number d of features.
    classes_ : ndarray, shape (c,)
        Classes: the columns of a DataFrame of proportions, or 0..c-1.
    """

    @abstractmethod
    def predict(self, sets: Sequence[ArrayLike]) -> Array:
        """Proportions of each set, shape (k, c)."""

    def score(self, sets: Sequence[ArrayLike], proportions: ArrayLike | pd.DataFrame) -> float:
        """Score of the estimated proportions of sets.

        Parameters
        ----------
        sets : sequence of k array_like, shapes (n, d)
            Instances of each set.
        proportions : array_like, shape (k, c)
            Their class proportions.

        Returns
        -------
        float
            Minus the mean :math:`L_1` distance between estimates and proportions, from -2 to 0: higher is
            better.
        """
        check_is_fitted(self)
        proportions = by_class(proportions)
        truth = numeric("proportions", proportions)
        found = self.predict(sets)
        on_simplex = (truth >= 0).all() and (np.abs(np.minimum(truth, 2).sum(axis=-1) - 1) < 1e-6).all()
        if truth.shape != found.shape or not on_simplex:
            raise ValueError(
                f"proportions must be non-negative with sum 1, of shape {found.shape}, got others of shape"
                f" {truth.shape}"
            )
        if isinstance(proportions, pd.DataFrame) and list(proportions) != list(self.classes_):
            raise ValueError(
                f"proportions must have the columns {list(self.classes_)}, got {list(proportions)}"
            )
        return -float(np.abs(found - truth).sum(axis=1).mean())

    def _check_training(
        self, sets: Sequence[ArrayLike], proportions: ArrayLike | pd.DataFrame
    ) -> tuple[list[Array], Array]:
        proportions = by_class(proportions)
        arrays, rows = check_sets(sets), check_proportions(proportions)
        if len(arrays) != len(rows):
            raise ValueError(
                f"proportions must have a row for each of the {len(arrays)} sets, got {len(rows)} rows"
            )
        self.n_features_in_ = arrays[0].shape[1]
        labels = proportions.columns if isinstance(proportions, pd.DataFrame) else range(rows.shape[1])
        self.classes_ = np.asarray(labels)
        return arrays, rows

    def _check_unlabelled(self, sets: Sequence[ArrayLike]) -> list[Array]:
        check_is_fitted(self)
        arrays = check_sets(sets)
        if arrays[0].shape[1] != self.n_features_in_:
            raise ValueError(f"sets must have {self.n_features_in_} features, got {arrays[0].shape[1]}")
        return arrays

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True  # if all sets are of one size
        tags.target_tags.required = tags.target_tags.multi_output = True
        return tags


def check_bandwidth(bandwidth: float) -> float:
    """Checked bandwidth of an RBF kernel: nothing overflows with features that pass `check_sets`."""
    if not 1e-60 <= positive("bandwidth", bandwidth) <= 1e60:
        raise ValueError(f"bandwidth must lie in [1e-60, 1e60], got {bandwidth!r}")
    return float(bandwidth)
