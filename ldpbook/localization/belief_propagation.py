"""Belief propagation on a grid: positions from measured distances and from what is known of places."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.fft import fft, ifft, irfft, rfft, rfft2

from ldpbook._arrays import Array, numeric
from ldpbook._validate import count, positive
from ldpbook.localization._crowd import check_crowd, check_size

__all__ = [
    "belief_means",
    "grid_beliefs",
    "grid_places",
]


def grid_places(n_cells: int, *, side: float) -> Array:
    """Centres of the cells of a square grid.

    Parameters
    ----------
    n_cells : int
        Number G of cells along a side, >= 1.
    side : float
        Side of the square, > 0, in metres.

    Returns
    -------
    ndarray, shape (G, G, 2)
        Centres, in metres.

    Notes
    -----
    Derived in: remedies/location-noise

    Examples
    --------
    >>> grid_places(2, side=10)[0]
    array([[2.5, 2.5],
           [2.5, 7.5]])
    """
    if count("n_cells", n_cells) > 2**12:
        raise ValueError(f"n_cells must be at most 2^12, got {n_cells}")
    middles = (np.arange(n_cells) + 0.5) * (positive("side", side) / n_cells)
    return np.stack(np.meshgrid(middles, middles, indexing="ij"), axis=-1)


def grid_beliefs(
    log_priors: ArrayLike, distances: ArrayLike, *, side: float, sigma: float, n_rounds: int
) -> Array:
    r"""Sum-product on a grid: belief about each user's place, cell by cell.

    The messages are those of :func:`~ldpbook.localization.particles.sum_product_update`, with all cells of
    the square as particles. A message is a convolution of the sender's belief, from which the receiver's own
    message is left out, with a ring: two Fourier transforms. Values below 1e-12 of a message's largest value,
    or below 1e-13, where transforms leave only rounding errors, are raised to that limit, so that a distance
    that fits nowhere says nothing.

    Parameters
    ----------
    log_priors : array_like, shape (N, G, G)
        Logarithms of the prior of each user's place, cell by cell, up to a constant; minus infinity where
        she cannot be.
    distances : array_like, shape (N, N)
        Measured distances, symmetric, in metres; nan where none was measured.
    side : float
        Side of the square, > 0, in metres.
    sigma : float
        Standard deviation of the distances' errors, in metres; at least half a cell.
    n_rounds : int
        Rounds of messages, >= 1: knowledge travels that many hops.

    Returns
    -------
    ndarray, shape (N, G, G)
        Probabilities of the cells; those of each user's place sum to 1.

    Raises
    ------
    ValueError
        If shapes do not fit, distances are not symmetric or a number is out of range.

    Notes
    -----
    Derived in: remedies/location-noise

    Examples
    --------
    A neighbour is known to be in the first cell, and 20 m away:

    >>> known = np.full((2, 4, 4), 0.0)
    >>> known[0] = -np.inf
    >>> known[0, 0, 0] = 0.0
    >>> measured = [[np.nan, 20], [20, np.nan]]
    >>> grid_beliefs(known, measured, side=40, sigma=5, n_rounds=1)[1].round(2)
    array([[0.  , 0.03, 0.19, 0.03],
           [0.03, 0.1 , 0.17, 0.01],
           [0.19, 0.17, 0.05, 0.  ],
           [0.03, 0.01, 0.  , 0.  ]])
    """
    known = numeric("log_priors", log_priors)
    if known.ndim != 3 or known.shape[1] != known.shape[2] or known.size == 0:
        raise ValueError(f"log_priors must have shape (N, G, G), got {known.shape}")
    if np.isnan(known).any() or (known == np.inf).any() or np.isneginf(known).all(axis=(1, 2)).any():
        raise ValueError("log_priors must be below infinity and leave everybody a cell")
    n, size, _ = known.shape
    # Only the distances are to be checked, so clouds of one particle stand in for the crowd's.
    _, _, measured = check_crowd(np.zeros((n, 1, 2)), np.zeros((n, 1)), distances)
    if not np.array_equal(measured, measured.T, equal_nan=True):
        raise ValueError("distances must be symmetric: a pair of neighbours has measured one distance")
    cell = positive("side", side) / size
    if not positive("sigma", sigma) >= cell / 2:
        raise ValueError(f"sigma must be at least half a cell of {cell} m, got {sigma}")
    sender, receiver = np.nonzero(~np.isnan(measured))
    check_size(pairs=max(1, len(sender)), cells=4 * size * size)
    # Lengths of the offsets between cells along a side, in units of sigma. Negative offsets are at the end,
    # as the transform expects, and twice the grid's size keeps the convolution from wrapping around.
    steps = cell / float(sigma) * np.minimum(np.arange(2 * size), 2 * size - np.arange(2 * size))
    steps[size] = 0  # no two cells are as far apart as this offset
    apart = np.hypot(steps[:, None], steps)
    # Beyond 1e200 units of sigma, a distance only says that the farthest cells fit best.
    with np.errstate(over="ignore"):
        wanted = np.clip(measured / float(sigma), -1e200, 1e200)[sender, receiver]
    best = np.unique(apart)
    best = best[np.abs(best - np.clip(wanted, 0, best[-1])[:, None]).argmin(axis=1)].reshape(-1, 1, 1)
    # Half the difference of two squared misfits, as a product, so that large squares do not cancel.
    misfit = (apart - best) * ((apart + best) / 2 - wanted[:, None, None])
    rings = rfft2(np.exp(-np.maximum(misfit, 0)))
    back = np.full((n, n), -1)
    back[sender, receiver] = np.arange(len(sender))
    told = np.zeros((len(sender), size, size))
    for _ in range(count("n_rounds", n_rounds)):
        belief = _gathered(known, told, receiver)
        others = belief[sender] - told[back[receiver, sender]]
        for few in range(0, len(sender), 16):  # as many messages at once as fit into a processor's cache
            here = slice(few, few + 16)
            waves = fft(rfft(_normal(others[here]), 2 * size), 2 * size, axis=1) * rings[here]
            summed = irfft(ifft(waves, axis=1)[:, :size], 2 * size)[:, :, :size]
            top = np.maximum(summed.max(axis=(1, 2), keepdims=True), 1e-13)
            told[here] = np.log(np.maximum(summed, np.maximum(1e-12 * top, 1e-13)) / top)
    return _normal(_gathered(known, told, receiver))


def _gathered(known: Array, told: Array, receiver: NDArray[np.intp]) -> Array:
    """Logarithm of each user's belief, up to a constant: her prior and all messages to her."""
    belief = known.copy()
    np.add.at(belief, receiver, told)
    return belief


def _normal(logs: Array) -> Array:
    """Probabilities, shape (k, G, G), from their logarithms up to a constant."""
    share: Array = np.exp(logs - logs.max(axis=(1, 2), keepdims=True))
    share /= share.sum(axis=(1, 2), keepdims=True)
    return share


def belief_means(beliefs: ArrayLike, *, side: float) -> Array:
    """Means of beliefs on a grid: the estimates with the smallest mean square error.

    Parameters
    ----------
    beliefs : array_like, shape (N, G, G)
        Probabilities of the cells.
    side : float
        Side of the square, > 0, in metres.

    Returns
    -------
    ndarray, shape (N, 2)
        Estimated places, in metres.

    Notes
    -----
    Derived in: remedies/location-noise

    Examples
    --------
    >>> belief_means([[[0.5, 0.5], [0.0, 0.0]]], side=10)
    array([[2.5, 5. ]])
    """
    shares = numeric("beliefs", beliefs)
    if shares.ndim != 3 or shares.shape[1] != shares.shape[2] or shares.size == 0:
        raise ValueError(f"beliefs must have shape (N, G, G), got {shares.shape}")
    if not (shares >= 0).all() or not np.allclose(shares.sum(axis=(1, 2)), 1, rtol=0, atol=1e-6):
        raise ValueError("beliefs must be probabilities that sum to 1 for each place")
    means: Array = np.einsum("nij,ijk->nk", shares, grid_places(shares.shape[1], side=side))
    return means
