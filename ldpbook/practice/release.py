"""A release path: reports and counts drawn from whole numbers and the operating system's entropy."""

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil
from typing import Any, TypeAlias, overload

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, numeric, row_blocks
from ldpbook._crowd import Answers, Form, _cells, _numbers, choice_labels, read_matrix
from ldpbook._validate import count
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.class_ratios.noisy_counts import GeometricCounts
from ldpbook.localization.planar_laplace import LatticeLaplace
from ldpbook.practice.dyadic import (
    WORD,
    Entropy,
    exp_below,
    float_below,
    log_above,
    random_bytes,
    response_weights,
    unquoted,
)
from ldpbook.practice.places import PlaceRelease
from ldpbook.remedies.best_mechanism import ChannelResponse
from ldpbook.remedies.smaller_question import ThresholdResponse, check_thresholds
from ldpbook.sparse_answers.randomized_response import RandomizedResponse

__all__ = ["Release", "for_release"]

Words: TypeAlias = NDArray[np.uint64]
Response: TypeAlias = RandomizedResponse | ThresholdResponse | OneLayerFlip | ChannelResponse

_MOST_SYMBOLS = 2**10  # each takes a comparison of every word
_MOST_LABELS = 2**16
_REFUSED = {  # by the mechanism's name
    "its output is a double, and which doubles can come depends on the input": "LaplacePerturbation"
    " MatrixFactorization PlanarLaplace ParticlePerturbation LaplaceCounts GaussianCounts LaplacePrior"
    " ScaledDirichlet",
    "it draws a number of an interval first, which no table of words holds": "TwoLayerFlip TwoLayerResponse",
    "it draws several things for a row, for which there is no table here": "AskedQuestions OwnAnswer"
    " MixedSigns",
    "it is drawn twice: give each of its two responses here, the permanent one once": "PermanentAnswers",
}


@dataclass(frozen=True, eq=False)
class Release(ABC):
    """A mechanism as it is fit for release: what `for_release` gives.

    Every chance is a whole number of the 2^64 values of a word of entropy, so that the ratio of two chances
    is a fraction, and nothing that is stated of it was rounded. Neighbours and unit are those of the
    mechanism: two values of one cell, NULL among them where the mechanism has it as a symbol; of counts, one
    label moved between two classes. Each cell, and each count, takes eight bytes and the same comparisons
    whatever it is and becomes.

    Attributes
    ----------
    exact_ratio : Fraction
        The largest ratio of the chances of an output from two neighbours.

    Notes
    -----
    Derived in: practice/floating-point
    """

    exact_ratio: Fraction

    @property
    def exact_epsilon(self) -> float:
        """The least float that is not below the logarithm of `exact_ratio`."""
        return log_above(self.exact_ratio)

    @abstractmethod
    def perturb(
        self, data: Any, thresholds: ArrayLike | None = None, *, entropy: Entropy = os.urandom
    ) -> Any:
        """A private copy of the data.

        Parameters
        ----------
        data : array_like, DataFrame, sparse array or Series
            Answers in any form that the mechanism takes; or counts of labels, shape (c,), which add up to the
            number that the release was made for. A row of an array without an answer is reported on, too; in
            a table nobody has such a row, in a sparse array it is refused.
        thresholds : array_like, optional
            Of the threshold response and of nothing else, as its own `perturb` takes them.
        entropy : callable
            Gives that many random bytes when called with a number: `os.urandom` by default, and the only
            right choice where data are to be private.

        Returns
        -------
        ndarray, DataFrame, sparse array or Series
            Answers in the form in which they came; or noisy counts, whole numbers from 0 to the number of all
            labels, which need not add up to it.
        """


@overload
def for_release(mechanism: LatticeLaplace) -> PlaceRelease: ...
@overload
def for_release(mechanism: Any, *, n_labels: int | None = None) -> Release: ...
def for_release(mechanism: Any, *, n_labels: int | None = None) -> Release | PlaceRelease:
    r"""The same mechanism, drawn from whole numbers and the operating system's entropy.

    Of the randomized response, threshold response and one layer the exact ratio is at most
    :math:`e^\epsilon` of the mechanism. Of a channel each chance is rounded down to a multiple of
    :math:`2^{-64}`, what is missing goes to the likeliest output, and the exact ratio is what comes out. Of
    geometric counts the noise is cut where a count would leave 0 to `n_labels`, and far out, where whole
    words cannot fall by the factor any more, it stays level; the exact ratio is at most :math:`e^\epsilon`.
    Then `perturb` gives the noisy **counts**, and no proportions as the mechanism's own does: they are
    computed from counts, by `project_to_simplex` or otherwise. Of lattice noise on places nothing is rounded
    or cut; as its loss grows with the distance of two places, it has `epsilon_of` and no exact ratio.

    Parameters
    ----------
    mechanism : RandomizedResponse, ThresholdResponse, OneLayerFlip, ChannelResponse, GeometricCounts or \
            LatticeLaplace
        What is to be released. A flip has to be less probable than with uniform reports.
    n_labels : int, optional
        Of geometric counts, and of nothing else: the public number of labels of the set, 2 to 2^16.

    Returns
    -------
    Release or PlaceRelease
        With `perturb`, `exact_ratio` and `exact_epsilon`; of places with `perturb` and `epsilon_of`.

    Raises
    ------
    TypeError
        If the mechanism is another one: the message says why it is for study only.
    ValueError
        If its epsilon cannot be kept, or is infinite, with chances that are multiples of 2^-64.

    Notes
    -----
    Derived in: practice/floating-point

    Examples
    --------
    >>> from ldpbook import RandomizedResponse
    >>> release = for_release(RandomizedResponse(1.0, range(3)))
    >>> release.exact_ratio
    Fraction(2192242823720348389, 806481064902346505)
    >>> release.exact_epsilon
    1.0
    >>> release.perturb([[0, 2, float("nan")]], entropy=np.random.default_rng(1).bytes)  # fixed: a page
    array([[nan,  2., nan]])
    """
    kind = type(mechanism)
    if kind is GeometricCounts:
        return _counts(mechanism, n_labels)
    if kind in (RandomizedResponse, ThresholdResponse, OneLayerFlip, ChannelResponse, LatticeLaplace):
        if n_labels is not None:
            raise TypeError(f"n_labels must be None but for GeometricCounts, got {n_labels!r:.80}")
        return PlaceRelease(mechanism) if kind is LatticeLaplace else _answers(mechanism)
    why = next((why for why, names in _REFUSED.items() if kind.__name__ in names.split()), "none of those")
    raise TypeError(
        "mechanism must be RandomizedResponse, ThresholdResponse, OneLayerFlip, ChannelResponse,"
        f" GeometricCounts or LatticeLaplace; got {kind.__name__}: {why}"
    )


@dataclass(frozen=True, eq=False)
class _ReleasedAnswers(Release):
    """By the number of outputs whose last word a word is beyond."""

    mechanism: Response
    last: Words  # of each output but the final one: shape (n or 1, k, r - 1)
    values: Array  # of the outputs, shape (r,)
    skipped: NDArray[np.intp]  # shape (n or 1,): the outputs of a task that never come, before one that does

    def perturb(
        self, data: Answers, thresholds: ArrayLike | None = None, *, entropy: Entropy = os.urandom
    ) -> Array | pd.DataFrame | sp.csr_array:
        mechanism = self.mechanism
        if isinstance(mechanism, ThresholdResponse) != (thresholds is not None):
            raise TypeError(f"thresholds must be given for ThresholdResponse only, got {thresholds!r:.80}")
        try:
            matrix, form = _read(mechanism, data)
        except (TypeError, ValueError) as error:
            raise unquoted("data must be answers: ", error, data) from None
        null = np.isnan(matrix)
        if thresholds is not None:
            matrix = (matrix > check_thresholds(thresholds, matrix.shape)).astype(float)
        first, last = getattr(mechanism, "domain", (0,))[0], self.last.shape[1] - 1
        symbols = np.where(null, last, matrix - first).astype(np.intp)  # NULL last, if it is a symbol
        tables = np.broadcast_to(self.last, (matrix.shape[1], *self.last.shape[1:]))
        tasks, reports = np.arange(matrix.shape[1]), np.empty(matrix.shape)
        for rows in row_blocks(matrix):
            words = _words(entropy, matrix[rows].shape)
            beyond = np.tile(self.skipped, (len(words), 1))
            for j in range(tables.shape[2]):  # all of them, whatever the word
                beyond = beyond + (words > tables[tasks, symbols[rows], j])
            reports[rows] = self.values[beyond]
        if isinstance(mechanism, OneLayerFlip) and not mechanism.null_is_symbol:
            reports[null] = np.nan
        return form.answers(reports)


def _read(mechanism: Response, data: Answers) -> tuple[Array, Form]:
    """A matrix and its form; a worker without an answer reports too, as to refuse her would tell."""
    read = read_matrix if isinstance(mechanism, ThresholdResponse) else mechanism._read
    if isinstance(data, pd.DataFrame) or sp.issparse(data):
        return read(data)
    if isinstance(data, list | tuple) and any(isinstance(row, np.ma.MaskedArray) for row in data):
        raise TypeError("answers must not be a list of masked arrays: make one masked array of them")
    labels = choice_labels(mechanism.choices) if isinstance(mechanism, OneLayerFlip) else None
    # Copies, as a mechanism reads them: what is masked, or nan beside labels, is NULL.
    given = np.array(_cells(data, labels), dtype=object) if labels else np.array(_numbers(data))
    rows = np.atleast_2d(given)
    is_matrix = rows.ndim == 2 and rows.shape[1] > 0
    empty = np.flatnonzero(pd.isna(rows).all(axis=-1) if is_matrix else np.zeros(0))
    for row in empty:  # one by one, as a label may be a tuple
        rows[row, 0] = next(iter(labels)) if labels else getattr(mechanism, "domain", (0,))[0]
    matrix, form = read(given)
    matrix[empty, 0] = np.nan
    return matrix, form


def _words(entropy: Entropy, shape: tuple[int, ...]) -> Words:
    drawn = random_bytes(entropy, 8 * int(np.prod(shape)))
    return np.frombuffer(drawn, dtype=">u8").reshape(shape)


def _answers(mechanism: Response) -> Release:
    weights, values = _weights(mechanism)
    most, least = weights.max(axis=1), weights.min(axis=1)  # of each task's outputs
    used = most > 0
    if not least[used].all():
        raise ValueError("mechanism must have chances of 2^-64 and more, got a smaller one")
    ratio = max(Fraction(a, b) for a, b in zip(most[used], least[used], strict=True))
    ends = weights.cumsum(axis=2)[..., :-1]
    # Outputs that never come and stand first: their last word would be -1. They are counted beforehand.
    last = (np.where(ends == 0, WORD, ends) - 1).astype(np.uint64)
    return _ReleasedAnswers(ratio, mechanism, last, np.array(values, dtype=float), used.argmax(axis=1))


def _weights(mechanism: Response) -> tuple[NDArray[np.object_], list[float]]:
    """Words of each output (last axis) for each symbol, shape (n or 1, k, r), and the outputs' values."""
    if isinstance(mechanism, ChannelResponse):
        channels = np.asarray(mechanism.transition_matrix)
        flat = channels.reshape(-1, channels.shape[-1])
        whole = np.array([_whole(row) for row in flat.tolist()], dtype=object)
        return whole.reshape(-1, *channels.shape[-2:]), list(range(channels.shape[-1]))
    if isinstance(mechanism, OneLayerFlip):
        values = [*range(mechanism.n_choices), *[np.nan] * mechanism.null_is_symbol]
        if not 0 < mechanism.flip_probability < 1 - 1 / len(values):
            raise ValueError(
                f"mechanism must flip with a probability above 0 and below {1 - 1 / len(values)}, that of"
                f" uniform reports, got {mechanism.flip_probability!r:.80}"
            )
    else:
        values = [*getattr(mechanism, "domain", (0, 1)), np.nan]
    if len(values) > _MOST_SYMBOLS:
        raise ValueError(f"mechanism must have at most {_MOST_SYMBOLS} symbols, got {len(values)}")
    try:
        keep, other = response_weights(epsilon=mechanism.exact_epsilon, n_symbols=len(values))
    except ValueError as error:
        raise ValueError(f"mechanism must have chances that 64 bits can hold: {error}") from None
    weights = np.full((1, len(values), len(values)), other, dtype=object)
    np.fill_diagonal(weights[0], keep)
    return weights, values


def _whole(chances: list[float]) -> list[int]:
    """Words of each output, 2^64 together: rounded down, and the rest to the likeliest."""
    exact = [Fraction(chance) for chance in chances]
    total = sum(exact)
    words = [int(WORD * chance / total) for chance in exact]
    words[chances.index(max(chances))] += WORD - sum(words)
    return words


@dataclass(frozen=True, eq=False)
class _ReleasedCounts(Release):
    """Noise by the number of its values whose last word a word is beyond."""

    n_labels: int
    last: Words  # of the noise -n_labels, ..., n_labels - 1

    def perturb(
        self,
        data: ArrayLike | pd.Series,
        thresholds: ArrayLike | None = None,
        *,
        entropy: Entropy = os.urandom,
    ) -> NDArray[np.int64] | pd.Series:
        if thresholds is not None:
            raise TypeError(f"thresholds must be None for counts, got {thresholds!r:.80}")
        try:
            counts = numeric("data", data)
        except (TypeError, ValueError) as error:
            raise unquoted("", error, data) from None
        whole = (counts >= 0) & (counts <= self.n_labels) & (counts == np.floor(counts))
        # Empty classes are taken: that they are refused would tell.
        if counts.ndim != 1 or len(counts) < 2 or not whole.all() or counts.sum() != self.n_labels:
            raise ValueError(  # without the counts: a message may end in a log
                f"data must be whole numbers of labels of two or more classes, {self.n_labels} together, got"
                f" {type(data).__name__} of shape {counts.shape}"
            )
        words = _words(entropy, counts.shape)
        noise = np.array([np.count_nonzero(word > self.last) for word in words]) - self.n_labels
        noisy = np.clip(counts.astype(np.int64) + noise, 0, self.n_labels)
        return pd.Series(noisy, data.index) if isinstance(data, pd.Series) else noisy


def _counts(mechanism: GeometricCounts, n_labels: int | None) -> Release:
    size = count("n_labels", n_labels)  # type: ignore[arg-type]
    if not 2 <= size <= _MOST_LABELS:
        raise ValueError(f"n_labels must lie in 2..{_MOST_LABELS}, got {n_labels!r:.80}")
    inside, tail = noise_weights(float_below("mechanism", mechanism.epsilon), size)
    words = [tail[0], *reversed(inside[1:]), *inside, tail[1]]
    # The chance of each noise from one count on: of the whole tail, where a count is cut at 0 or n_labels.
    falls = list(pairwise(inside))
    for end in tail:
        beyond = list(accumulate([end, *reversed(inside)]))
        falls += [(b, a) for a, b in pairwise(beyond)]
    # Python rounds quotients of integers correctly: the steepest fall is among those of the largest float.
    steepest = max(a / b for a, b in falls)
    ratio = max(Fraction(a, b) for a, b in falls if a / b == steepest)
    last = np.array([end - 1 for end in accumulate(words[:-1])], dtype=np.uint64)
    return _ReleasedCounts(ratio**2, size, last)


def noise_weights(epsilon: float, size: int) -> tuple[list[int], tuple[int, int]]:
    """Words of the noise 0, ..., size - 1, either sign, and of -size and size, 2^64 together.

    From one to the next words fall by e^(epsilon / 2) at most: rounded up, so that they come to rest where a
    fall would be too steep. What is left goes to the ends, whose weight is no numerator.
    """
    rise = exp_below(epsilon / 2)
    if rise <= 1:
        raise ValueError(f"mechanism must have a larger epsilon for 64 bits, got {epsilon!r:.80}")
    fall = 1 / rise
    level = ceil(1 / (1 - fall))
    top = int((WORD - 2 * size * level - 2 * level**2 - 4) * (1 - fall) / (1 + fall))
    if top < level:
        raise ValueError(f"mechanism must have a larger epsilon for {size} labels, got {epsilon!r:.80}")
    inside = [top]
    while len(inside) < size:
        inside.append(-(-inside[-1] * fall.numerator // fall.denominator))
    rest = WORD - 2 * sum(inside) + inside[0]
    return inside, (rest // 2, rest - rest // 2)
