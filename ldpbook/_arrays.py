"""Checks of arrays and of sources of randomness at the public edge."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def numeric(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """An array of floats."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        wrong = TypeError if isinstance(error, TypeError) else ValueError
        raise wrong(f"{name} must be an array of numbers, got {values!r:.80}: {error}") from None


def generator(rng: np.random.Generator | int) -> np.random.Generator:
    """The source of randomness, or the one that a seed gives."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        wrong = TypeError if isinstance(error, TypeError) else ValueError
        raise wrong(f"rng must be a Generator or a seed, an integer >= 0, got {rng!r:.80}") from None
