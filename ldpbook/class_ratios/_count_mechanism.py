"""What the mechanisms on the counts of a set's labels have in common."""

from abc import ABC, abstractmethod
from typing import overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, Rng, check_counts, generator


class CountMechanism(ABC):
    """A mechanism that makes the class proportions of a set private."""

    @overload
    def perturb(self, counts: pd.Series, rng: Rng = None) -> pd.Series: ...
    @overload
    def perturb(self, counts: ArrayLike, rng: Rng = None) -> Array: ...
    def perturb(self, counts: ArrayLike | pd.Series, rng: Rng = None) -> Array | pd.Series:
        """Private class proportions of a set.

        Parameters
        ----------
        counts : array_like or Series, shape (c,)
            Numbers of labels of each class of a public list of two or more, integers >= 0 and not all 0;
            >= `least_count` for :class:`~ldpbook.class_ratios.scaled_dirichlet.ScaledDirichlet`.
        rng : Generator or int, optional
            Source of randomness, or a seed for one; fresh entropy by default. Whoever knows the seed can take
            the noise off. With either this is for study: `for_release` draws counts that are to be
            private, by the mechanism that it takes.

        Returns
        -------
        ndarray or Series, shape (c,)
            A point of the simplex; a Series with the classes of the counts if those were one.
        """
        # An empty class has to pass: a refusal would tell it from a neighbour with one label there.
        shares = self._perturbed(check_counts(counts, 0), generator(rng))
        return pd.Series(shares, counts.index) if isinstance(counts, pd.Series) else shares

    @abstractmethod
    def _perturbed(self, counts: Array, rng: np.random.Generator) -> Array:
        """Private proportions of checked counts."""
