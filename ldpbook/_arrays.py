"""Checks of the arrays and sources of randomness that users pass."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpbook._validate import listed

Array: TypeAlias = NDArray[np.float64]
Rng: TypeAlias = np.random.Generator | int | None  # None: fresh entropy


def is_number(value: object) -> bool:
    """Whether the value is a number that a float can hold; a text or a date is not."""
    if not isinstance(value, Real | Decimal | np.bool_):
        return False
    try:
        float(value)
    except (ValueError, OverflowError):
        return False
    return True


def numeric(name: str, values: object) -> Array:
    """The values as an array of floats, nan where they are masked."""
    must = f"{name} must be an array of numbers"
    try:
        given = values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        wrong = TypeError if isinstance(error, TypeError) else ValueError
        # The message may end in a log, so it leaves out the values, which may be personal data.
        raise wrong(f"{must}, got another {type(values).__name__}") from None
    if given.dtype.kind in "cmM":  # numpy would drop imaginary parts, and count nanoseconds
        raise TypeError(f"{must}, got one of {given.dtype}")
    if isinstance(given, np.ma.MaskedArray):
        given = np.ma.filled(given if given.dtype.kind in "OUSV" else given.astype(float), np.nan)
    kind = given.dtype.kind
    if kind in "USV" or (kind == "O" and not all(x is None or is_number(x) for x in given.flat)):
        wrong = TypeError if kind == "O" and not given.ndim else ValueError
        raise wrong(f"{must}, got something else")  # numpy would read texts
    return np.asarray(given, dtype=float)


def generator(rng: Rng) -> np.random.Generator:
    """Source of randomness: the given one, that of a seed, or for None one with fresh entropy."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError, OverflowError) as error:
        wrong = TypeError if isinstance(error, TypeError) else ValueError
        raise wrong(f"rng must be a Generator, a seed (an integer >= 0) or None, got {rng!r:.80}") from None


def study_only(mechanism: object, why: str) -> TypeError:
    """Error to raise when a mechanism that has no exact way to draw is asked for a release."""
    name = type(mechanism).__name__
    return TypeError(f"rng must be given for {name}, and what comes out is for study, not for release: {why}")


def study_source(mechanism: object, rng: Rng, why: str) -> np.random.Generator:
    """Source of randomness of a mechanism that has no exact way to draw: it must be given."""
    if rng is None:
        raise study_only(mechanism, why)
    return generator(rng)


def check_counts(counts: ArrayLike, least: int = 1) -> Array:
    """Checked numbers of labels of two or more classes, each at least `least`, and not all 0."""
    eta = numeric("counts", counts)
    whole = (eta >= least) & (eta <= 2**53) & (eta == np.floor(eta))
    if eta.ndim != 1 or len(eta) < 2 or not whole.all() or not eta.any():
        raise ValueError(
            f"counts must be integers >= {least} (at most 2^53, and not all 0) for two or more classes whose"
            " list is public, got others"
        )
    return eta


_BLOCK_CELLS = 2**16  # 512 kB of float64: temporaries stay in the cache


def check_answers(
    matrix: Array, *, domain: Sequence[int] | None = None, integers: bool = False, silent: bool = False
) -> None:
    """Refuse a matrix that is empty or holds something that is not an answer; nan = NULL.

    Every worker must have an answer, unless `silent` is set.
    """
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"answers must be a non-empty matrix, got shape {matrix.shape}")
    for rows in row_blocks(matrix):
        block = matrix[rows]
        null = np.isnan(block)
        empty = null.all(axis=1)
        if empty.any() and not silent:
            raise ValueError(
                f"answers must hold an answer of every worker, got none in row {rows.start + empty.argmax()}"
            )
        valid = are_answers(block, domain, integers) | null
        if not valid.all():
            row, column = np.argwhere(~valid)[0]
            refuse_answer(f"row {rows.start + row}, column {column}", domain, integers)


def are_answers(values: Array, domain: Sequence[int] | None, integers: bool) -> NDArray[np.bool_]:
    """Whether each value is finite (in the domain, if there is one), and whole if answers are integers."""
    largest = np.finfo(float).max
    low, high = (-largest, largest) if domain is None else (domain[0], domain[-1])
    valid = (values >= low) & (values <= high)
    if integers:
        valid &= np.floor(values) == values
    return valid


def refuse_answer(place: str, domain: Sequence[int] | None, integers: bool) -> NoReturn:
    """Raise an error that names the place of a wrong answer, not its value: others may read the message."""
    kind = "integers" if integers else "numbers"
    allowed = "finite" if domain is None else f"{kind} in {domain[0]}..{domain[-1]}"
    raise ValueError(f"answers must be {allowed}, or nan for NULL; got another in {place}")


def row_blocks(matrix: NDArray[Any]) -> Iterator[slice]:
    """Slices of rows that together cover a matrix, each of about 2**16 cells."""
    step = max(1, _BLOCK_CELLS // matrix.shape[1])
    for start in range(0, matrix.shape[0], step):
        yield slice(start, start + step)


def check_positions(name: str, positions: ArrayLike, n_axes: int) -> Array:
    """Checked finite points of the plane, in an array with `n_axes` axes, the last of length 2."""
    points = numeric(name, positions)
    if points.ndim != n_axes or points.shape[-1] != 2 or points.size == 0 or not np.isfinite(points).all():
        raise ValueError(f"{name} must hold finite points, {n_axes} axes, last 2; got {points.shape}")
    return points


def by_class(proportions: Any) -> Any:
    """Proportions of sets; each Series of a list is put in the order of the first one's labels."""
    if not isinstance(proportions, list | tuple) or not any(hasattr(x, "reindex") for x in proportions):
        return proportions
    import pandas as pd  # the bounds of the ledger do without it

    sets = [x for x in proportions if isinstance(x, pd.Series)]
    classes = sets[0].index
    same = all(len(x) == len(classes) and set(x.index) == set(classes) for x in sets)
    if len(sets) < len(proportions) or not same:
        raise ValueError("proportions must be of the same classes in every set, or all without labels")
    return pd.DataFrame([x.reindex(classes) for x in sets])


def check_proportions(proportions: ArrayLike) -> Array:
    """Known class proportions of training sets, if class ratios can be learned from them.

    Parameters
    ----------
    proportions : array_like, shape (M, c)
        Proportions of c classes in each of M sets, one row per set.

    Returns
    -------
    ndarray, shape (M, c)
        The same as floats.

    Raises
    ------
    ValueError
        If a row is not on the simplex (to 1e-6), there are fewer sets than classes, or the rows do not
        span the simplex (assumption A0).

    Notes
    -----
    Source: Iyer et al. (2016), assumption A0.
    Derived in: class-ratios/proportions

    Examples
    --------
    >>> check_proportions([[0.9, 0.1], [0.2, 0.8]])
    array([[0.9, 0.1],
           [0.2, 0.8]])
    """
    rows = numeric("proportions", by_class(proportions))
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise ValueError(f"proportions must have shape (sets, classes >= 2), got {rows.shape}")
    sums = np.minimum(rows, 2).sum(axis=1)  # huge ones do not overflow
    wrong = np.flatnonzero(~((rows >= 0).all(axis=1) & (np.abs(sums - 1) < 1e-6)))
    if wrong.size:
        raise ValueError(
            f"proportions must be non-negative with sum 1, got {rows[wrong[0]]} in row {wrong[0]}:"
            " divide counts by their sum, or use project_to_simplex"
        )
    n_sets, n_classes = rows.shape
    if n_sets < n_classes:
        raise ValueError(
            f"proportions must be of at least as many sets as classes, got {n_sets} sets of {n_classes}"
            " classes: add sets"
        )
    rank = np.linalg.matrix_rank(rows)
    if rank < n_classes:
        raise ValueError(
            f"proportions must span the simplex (assumption A0), got rank {rank} with {n_classes} classes:"
            " add sets of other proportions, or merge the classes that always occur together"
        )
    return rows


def check_set_counts(counts: ArrayLike) -> NDArray[np.int64]:
    """Checked numbers of instances of each class in each set, shape (sets, classes)."""
    wanted = numeric("counts", counts)
    whole = (wanted >= 0) & (wanted <= 2**53) & (wanted == np.floor(wanted))
    if wanted.ndim != 2 or wanted.size == 0 or not whole.all():
        raise ValueError(
            "counts must be whole numbers >= 0 (and at most 2^53) of shape (sets, classes), got others, of"
            f" shape {wanted.shape}"
        )
    return wanted.astype(np.int64)


def check_sets(sets: Sequence[ArrayLike], name: str = "sets") -> list[Array]:
    """Checked sets of instances as arrays of floats, shapes (n_i, d): one set or more, none empty.

    Values must be below 1e60, so that squared distances, in units of bandwidths, do not overflow.
    """
    arrays = [numeric(name, points) for points in listed(name, sets)]
    if not arrays:
        raise ValueError(f"{name} must hold at least one set")
    for k, points in enumerate(arrays):
        if points.ndim != 2 or points.size == 0 or not (np.abs(points) < 1e60).all():
            raise ValueError(
                f"{name} must be arrays of shape (instances, features) of numbers below 1e60 in absolute"
                f" value, none NaN or infinite, got set {k} of shape {points.shape}"
            )
        if points.shape[1] != arrays[0].shape[1]:
            raise ValueError(f"{name} must have the same features, set {k} has {points.shape[1]}")
    return arrays
