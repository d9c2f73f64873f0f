"""Privacy audit by guessing which of two inputs a mechanism had: sharper than an audit by one event."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import expm1, log
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

from ldpbook._arrays import Array, numeric
from ldpbook._tables import eager, is_table
from ldpbook._validate import count, open_probability
from ldpbook.foundations.audit import lower_limit

__all__ = [
    "GuessAudit",
    "guess_audit",
    "guess_ceiling",
]

_TABLES = "arrays or tables of pandas, polars or pyarrow"


@dataclass(frozen=True)
class GuessAudit:
    """Lower bound on epsilon, and the guesses on which it rests.

    Attributes
    ----------
    epsilon : float
        With the stated confidence the mechanism's epsilon for this pair of inputs is at least this; 0 if
        the guesses show no loss.
    guesses, right : int
        Number of calls of the measuring half whose input was guessed, and number of right guesses.
    confidence : float
        Probability with which the bound holds, whatever the mechanism.

    Notes
    -----
    Derived in: practice/audit
    """

    epsilon: float
    guesses: int
    right: int
    confidence: float


def guess_audit(
    inputs: ArrayLike, outputs: Any, *, bins: int | None = None, confidence: float = 0.95
) -> GuessAudit:
    r"""Lower bound on epsilon from calls whose input, one of two neighbours, was chosen by a fair coin.

    The first half of the calls shows which input is likelier given each output, and for which outputs to
    guess at all. The guesses are made on the second half. With epsilon-LDP, each is right with probability at
    most :math:`e^\epsilon/(1+e^\epsilon)`, whatever was learned, so the exact binomial limit of the share of
    right guesses gives a limit of epsilon. The two inputs are the neighbours: cells or rows, as you chose
    them. The epsilon is that of pure LDP. For a mechanism with a delta above 0, nothing is bounded.

    Parameters
    ----------
    inputs : array_like of 0 and 1, shape (k,), k >= 4
        Input that a fair coin chose for each call, independently: not alternating, and not sorted. The inputs
        of a fair coin are refused with probability at most 2e-9: half of it because one side is too frequent,
        half because there are too many or too few changes of side. Other patterns, such as 0, 0, 1, 1 again
        and again, are not detected. Nor is a bias that is too small for so few calls to show; such a bias
        adds its own log odds to the limit.
    outputs : array_like, shape (k,) or (k, d); DataFrame of k rows; or list of k DataFrames
        Output of each call, with no call left out: d numbers, or labels (text, tuples, anything hashable).
        NULL (None, nan, NA) is a symbol like any other, and so are -0.0 and both infinities. Tuples of
        different lengths are one symbol each. Where calls return tables, give a list of them. Each is one
        symbol: its rows in their order, its index, and the names and types of its columns. So *a row that
        vanishes* is noticed. Restrict tables to the few informative cells; otherwise no table occurs twice.
    bins : int, optional
        For continuous outputs: number of parts of equal frequency, 2 to k, into which each column is cut by
        the first half of the calls. None where outputs are symbols. NULL, infinities and each number that is
        frequent in that half keep a symbol of their own. Frequent means: three times or more, and at least a
        tenth as often as a part; or ten times or more, and at least ten times the median frequency of the
        numbers. A rarer number is hidden in its part.
    confidence : float
        Probability with which the bound holds, in (0, 1).

    Returns
    -------
    GuessAudit
        The lower bound, 0 if no loss was found.

    Raises
    ------
    TypeError
        If arrays are masked, because it is unclear whether hidden values were sent, or if labels do not hash.
    ValueError
        If the coin is not fair, shapes do not fit, or a double does not hold an output exactly, such as an
        integer beyond 2^53: different outputs could become equal.

    Notes
    -----
    Derived in: practice/audit

    Examples
    --------
    A "mechanism" that tells the truth nine times in ten has epsilon = ln 9 = 2.197.

    >>> rng = np.random.default_rng(0)
    >>> inputs = rng.integers(0, 2, 40_000)
    >>> outputs = np.where(rng.random(40_000) < 0.9, inputs, 1 - inputs)
    >>> result = guess_audit(inputs, outputs)
    >>> round(result.epsilon, 2), result.guesses
    (2.13, 20000)

    The same with labels, and with tables that leave out workers who said no.

    >>> round(guess_audit(inputs, np.where(outputs == 1, "yes", None)).epsilon, 2)
    2.13
    >>> tables = [pd.DataFrame({"worker": ["Ann"] * said}) for said in inputs[:2000]]
    >>> round(guess_audit(inputs[:2000], tables).epsilon, 2), round(guess_ceiling(1000), 2)
    (5.81, 5.81)
    """
    coin, error = _tossed(inputs), _error(confidence)
    table, has_labels = _read(outputs)
    if has_labels and bins is not None:
        raise ValueError(f"bins must be None where outputs are labels, got {bins!r:.80}")
    if table.ndim not in (1, 2) or len(table) != len(coin) or table.size == 0:
        raise ValueError(f"outputs must have shape ({len(coin)},) or ({len(coin)}, d), got {table.shape}")
    half = len(coin) // 2
    if bins is not None and not 2 <= count("bins", bins) <= len(coin):
        raise ValueError(f"bins must lie in 2..{len(coin)}, the number of calls, got {bins!r:.80}")
    codes = _codes(table.reshape(len(coin), -1), bins, half)
    guess, chosen = _learned(coin[:half], codes[:half], int(codes.max()) + 1, error)
    asked = chosen[codes[half:]]
    right = int((guess[codes[half:]] == coin[half:])[asked].sum())
    share = float(lower_limit(right, int(asked.sum()), error)) if asked.any() else 0.0
    share = min(share, 1 - 2.0**-50)  # it is rounded to 1 where the confidence is almost 0
    epsilon = log(share / (1 - share)) if share > 0.5 else 0.0
    return GuessAudit(epsilon, int(asked.sum()), right, confidence)


def _tossed(inputs: ArrayLike) -> NDArray[np.intp]:
    _refuse_masks("inputs", inputs)
    coin = numeric("inputs", inputs)
    if coin.ndim != 1 or len(coin) < 4 or not np.isin(coin, (0, 1)).all():
        raise ValueError(f"inputs must be 0 or 1 for each of 4 calls or more, got {inputs!r:.80}")
    # The changes of side of a fair coin are tosses of a fair coin too. A share is refused if, for a fair
    # coin, one at least as far from a half has probability at most 10^-9, by the exact binomial tail.
    for tosses, what in ((coin, "of them 1"), (np.diff(coin) != 0, "of them different from the one before")):
        rarer = min(tosses.sum(), len(tosses) - tosses.sum())
        if 2 * betainc(len(tosses) - rarer, rarer + 1, 0.5) <= 1e-9:
            raise ValueError(f"inputs must be tossed by a fair coin, got {tosses.mean():.3f} {what}")
    return coin.astype(np.intp)


def _refuse_masks(name: str, values: object) -> None:
    rows = values if isinstance(values, list | tuple) else [values]
    if any(isinstance(row, np.ma.MaskedArray) for row in rows):
        raise TypeError(f"{name} must not be masked: give nan for NULL, and all calls; got {values!r:.80}")


def _read(outputs: Any) -> tuple[Array, bool]:
    """Outputs as doubles, with a number for each label, and whether there are labels."""
    _refuse_masks("outputs", outputs)
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biufcmM":
        return _exact(outputs), False
    if isinstance(outputs, list | tuple) and outputs and all(map(is_table, outputs)):
        return _numbered([_whole(table) for table in outputs])[:, None], True
    if isinstance(outputs, pd.DataFrame):
        # Without dtype=object, numpy would turn all columns into floats if one column is of floats.
        outputs = outputs.to_numpy(dtype=object)
    elif is_table(outputs):
        outputs = eager("outputs", outputs, _TABLES).rows()
    try:
        given = np.array(outputs, dtype=object)
    except ValueError:  # rows of different lengths
        given = np.fromiter(outputs, dtype=object)
    if given.ndim == 0:
        return _exact(outputs), False
    given[np.frompyfunc(_is_null, 1, 1)(given).astype(bool)] = np.nan
    if not any(map(_is_label, given.ravel())):
        return _exact(given), False
    columns = given.reshape(len(given), -1).T
    numbers = [_numbered(x) if any(map(_is_label, x)) else _exact(x) for x in columns]
    return np.column_stack(numbers).reshape(given.shape), True


def _is_null(output: Any) -> bool:
    if isinstance(output, np.ndarray | tuple):
        return False
    return output is None or output is pd.NA or bool(output != output)


def _is_label(output: object) -> bool:
    numbers = Number, np.generic, np.ndarray
    return isinstance(output, str | bytes) or not isinstance(output, numbers)


def _label(output: Any) -> Hashable:
    """The output as a hashable label, in which None stands for every NULL, also inside tuples."""
    if isinstance(output, Mapping):  # one person's reports by question
        output = tuple(output.items())
    if isinstance(output, tuple):
        return tuple(map(_label, output))
    return None if _is_null(output) else output


def _numbered(labels: Any) -> Array:
    """A number for each label, in order of first occurrence."""
    number: dict[Hashable, int] = {}
    try:
        return np.array([number.setdefault(_label(x), len(number)) for x in labels], dtype=float)
    except TypeError as error:
        raise TypeError(f"outputs must be numbers, or labels that hash: {error}") from None


def _whole(table: Any) -> Hashable:
    """Everything that can be observed about a table: columns, types and rows, and the index in pandas."""
    if isinstance(table, pd.DataFrame):
        return tuple(table.columns), tuple(map(str, table.dtypes)), tuple(table.itertuples(name=None))
    frame = eager("outputs", table, _TABLES)
    return tuple(frame.columns), tuple(map(str, frame.schema.values())), tuple(frame.rows())


def _exact(outputs: ArrayLike) -> Array:
    """Outputs as doubles, refused if two different ones could become equal."""
    table = numeric("outputs", outputs)
    if table.ndim and not (isinstance(outputs, np.ndarray) and outputs.dtype == np.float64):
        # numpy would compare its own integers with floats as floats, even a numpy integer in a list.
        said = np.frompyfunc(lambda x: x.item() if isinstance(x, np.generic | np.ndarray) else x, 1, 1)(
            np.asarray(outputs, dtype=object)
        )
        lossy = ~np.isnan(table)
        lossy[lossy] = said[lossy] != table[lossy]  # Python compares integers with floats exactly
        if lossy.any():
            wrong = f"{said[lossy][0]!r:.40}, which becomes {table[lossy][0]!r}"
            raise ValueError(f"outputs must be numbers that doubles hold (integers to 2^53), got {wrong}")
    return table


def _codes(table: Array, bins: int | None, half: int) -> NDArray[np.intp]:
    """A number for each row of outputs, equal for rows whose columns are equal or in the same bins."""
    codes = np.zeros(len(table), dtype=np.intp)
    for column in table.T:
        for part in [column] if bins is None else _parts(column, bins, half):
            bits = np.where(np.isnan(part), np.nan, part).view(np.int64)  # the sign of a zero is sent too
            symbols = pd.factorize(bits)[0]
            codes = pd.factorize(codes * (symbols.max() + 1) + symbols)[0]
    return codes


def _parts(column: Array, bins: int, half: int) -> tuple[Array, Array]:
    """Each number's bin, by edges from the learning half, or -1; and the numbers without a bin (else 0)."""
    numbers, calls = np.unique(column[:half], return_counts=True)
    # A number that is far more frequent than most is an atom, even if it is rare: a clipped sampler has one
    # at each end. Numbers of a fine grid are about as frequent as their neighbours, so they stay in bins,
    # however many calls there are.
    atoms = calls >= 10 * max(np.median(calls), 1)
    often = numbers[atoms | (calls >= 3) & (calls * 10.0 * bins >= half)]
    own = ~np.isfinite(column) | np.isin(column, often)
    taught = column[:half][~own[:half]]
    parts = np.arange(1, bins) / bins
    edges = np.quantile(taught, parts, method="lower") if taught.size else parts
    return np.where(own, -1.0, np.searchsorted(edges, column)), np.where(own, column, 0.0)


def _learned(
    coin: NDArray[np.intp], codes: NDArray[np.intp], n_symbols: int, error: float
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """For each symbol, the likelier input and whether to guess given it.

    Symbols are ordered by a lower limit of their share of right guesses, which is lower where calls are few.
    Guesses are made for the first symbols in this order, as many as give the best expected lower limit.
    Symbols with equal counts stay together.
    """
    ones = np.bincount(codes, weights=coin, minlength=n_symbols)
    calls = np.bincount(codes, minlength=n_symbols)
    most = np.maximum(ones, calls - ones)
    pairs, kind, alike = np.unique(most * (len(codes) + 1) + calls, return_inverse=True, return_counts=True)
    most, heard = np.divmod(pairs, len(codes) + 1)

    def share(limit: float) -> Array:
        return np.where(heard > 0, lower_limit(most, heard, limit), 0.0)

    # Among many symbols some look informative by luck; the limits are so cautious that hardly any misleads.
    # The limit for all of them together is at three standard deviations, which keeps symbols that are worse
    # only by luck.
    n_heard = max(int(alike[heard > 0].sum()), 2)
    order = np.argsort(-share(error / n_heard), kind="stable")
    expected = (share(1 / n_heard) * heard * alike)[order].cumsum()
    size = int(np.argmax(lower_limit(expected, (heard * alike)[order].cumsum(), 0.001))) + 1
    taken = np.zeros(len(pairs), dtype=bool)
    taken[order[:size]] = True
    return (2 * ones > calls).astype(np.intp), taken[kind]


def guess_ceiling(n_calls: int, confidence: float = 0.95) -> float:
    r"""Largest epsilon that so many measured calls can certify, if every guess is right.

    With :math:`\alpha` one minus the confidence and m calls, it is :math:`-\ln(\alpha^{-1/m}-1)`, about
    :math:`\ln(m/\ln(1/\alpha))`. So at least m calls are needed to certify it. The event of
    `ldpbook.foundations.audit_epsilon` has the same ceiling with m calls *for each* input and half of
    :math:`\alpha`.

    Parameters
    ----------
    n_calls : int
        Calls in the measuring half, >= 1.
    confidence : float
        Probability with which the bound holds, in (0, 1).

    Returns
    -------
    float
        The bound, 0 where even that many right guesses show no loss.

    Notes
    -----
    Derived in: practice/audit

    Examples
    --------
    >>> [round(guess_ceiling(m), 2) for m in (5, 500, 500_000)]
    [0.2, 5.11, 12.03]
    """
    return max(0.0, -log(expm1(-log(_error(confidence)) / count("n_calls", n_calls))))


def _error(confidence: float) -> float:
    """One minus the confidence, kept below 1: a confidence too small for that is made a little larger."""
    return min(1 - open_probability("confidence", confidence), 1 - 2.0**-50)
