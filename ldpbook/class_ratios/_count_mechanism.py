"""Base class of the mechanisms on the counts of a set's labels."""

import os
from abc import ABC, abstractmethod
from typing import overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, Rng, check_counts, generator, study_only
from ldpbook._dyadic import Entropy, for_release


class CountMechanism(ABC):
    """A mechanism that makes the class proportions of a set private."""

    @overload
    def perturb(self, counts: pd.Series, rng: Rng = ..., *, entropy: Entropy = ...) -> pd.Series: ...
    @overload
    def perturb(self, counts: ArrayLike, rng: Rng = ..., *, entropy: Entropy = ...) -> Array: ...
    def perturb(
        self, counts: ArrayLike | pd.Series, rng: Rng = None, *, entropy: Entropy = os.urandom
    ) -> Array | pd.Series:
        """Private class proportions of a set: without `rng` for release, with `rng` for study.

        Parameters
        ----------
        counts : array_like or Series, shape (c,)
            Number of labels of each class, from a public list of two or more classes; integers >= 0 and not
            all 0; >= `least_count` for :class:`~ldpbook.class_ratios.scaled_dirichlet.ScaledDirichlet`.
        rng : Generator or int, optional
            Source of randomness for study, or a seed for one: anyone who knows the seed can remove the noise.
        entropy : callable
            For release: a function that returns n random bytes when called with n. `os.urandom` is the only
            right choice where labels are to be private; fixed bytes are for tests and pages.

        Returns
        -------
        ndarray or Series, shape (c,)
            A point of the simplex; a Series with the classes of the counts if these are a Series.

        Raises
        ------
        TypeError
            If there is no `rng`, and the mechanism has no exact way to draw.
        """
        # An empty class has to pass: refusing the set would set it apart from a neighbour with a label there.
        eta = check_counts(counts, 0)
        release = for_release(rng, entropy)
        shares = self._released(eta, entropy) if release else self._perturbed(eta, generator(rng))
        return pd.Series(shares, counts.index) if isinstance(counts, pd.Series) else shares

    def _released(self, counts: Array, entropy: Entropy) -> Array:
        """Private proportions of checked counts, drawn with whole numbers."""
        raise study_only(
            self, "it draws doubles, and which can occur depends on the counts; GeometricCounts does not"
        )

    @abstractmethod
    def _perturbed(self, counts: Array, rng: np.random.Generator) -> Array:
        """Private proportions of checked counts."""
