"""An audit by guessing: which of two inputs was it? Sharper than an event, exact at its confidence."""

from dataclasses import dataclass
from math import expm1, log, sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, numeric
from ldpbook._validate import count, open_probability
from ldpbook.foundations.audit import _lower

__all__ = [
    "GuessAudit",
    "guess_audit",
    "guess_ceiling",
]


@dataclass(frozen=True)
class GuessAudit:
    """A lower bound on epsilon and the guesses that it rests on.

    Attributes
    ----------
    epsilon : float
        With the stated confidence the mechanism's epsilon for this pair of inputs is at least this; 0 if
        the guesses show no loss.
    guesses, right : int
        On how many calls of the measuring half the input was guessed, and how often rightly.
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
    inputs: ArrayLike, outputs: ArrayLike, *, bins: int | None = None, confidence: float = 0.95
) -> GuessAudit:
    r"""Lower bound on epsilon from calls whose input, one of two neighbours, a fair coin has chosen.

    The first half of the calls teaches, for each output, which input is likelier after it, and after which
    outputs to guess at all; on the second half the guesses are made. With epsilon-LDP each is right with
    probability :math:`e^\epsilon/(1+e^\epsilon)` at most, whatever was learned: the exact binomial limit of
    their share is a limit of epsilon. Neighbours are the two inputs: cells or rows, as they were chosen.

    Parameters
    ----------
    inputs : array_like of 0 and 1, shape (k,), k >= 4
        What a fair coin chose for each call, independently: not alternating, and not sorted. A coin that
        falls on one side more often than by a chance of 10^-9 is refused, as no limit would hold.
    outputs : array_like, shape (k,) or (k, d)
        What each call gave, d numbers of it; nan = NULL is a symbol like any other. All calls, none left out.
        They are compared as floats: number long integers (2^53 and beyond) anew, or different ones are alike.
    bins : int, optional
        For continuous outputs: into how many parts of equal frequency each column is cut, >= 2; by the first
        half of the calls. None where outputs are symbols. Where one number comes very often, parts hide what
        is rare beside it; infinite outputs have no part of their own: give those as symbols.
    confidence : float
        In (0, 1).

    Returns
    -------
    GuessAudit
        The lower bound, 0 if nothing was found.

    Raises
    ------
    ValueError
        If the coin is not fair, or shapes do not fit.

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
    """
    coin, error = _tossed(inputs), _error(confidence)
    table = numeric("outputs", outputs)
    if table.ndim not in (1, 2) or len(table) != len(coin) or table.size == 0:
        raise ValueError(f"outputs must have shape ({len(coin)},) or ({len(coin)}, d), got {table.shape}")
    half = len(coin) // 2
    parts = None if bins is None else np.arange(1, _at_least_two(bins)) / bins
    codes = _codes(table.reshape(len(coin), -1), parts, half)
    guess, chosen = _learned(coin[:half], codes[:half], int(codes.max()) + 1, error)
    asked = chosen[codes[half:]]
    right = int((guess[codes[half:]] == coin[half:])[asked].sum())
    share = float(_lower(right, int(asked.sum()), error)) if asked.any() else 0.0
    share = min(share, 1 - 2.0**-50)  # rounded to 1 where the confidence is next to nothing
    epsilon = log(share / (1 - share)) if share > 0.5 else 0.0
    return GuessAudit(epsilon, int(asked.sum()), right, confidence)


def _tossed(inputs: ArrayLike) -> NDArray[np.intp]:
    coin = numeric("inputs", inputs)
    if coin.ndim != 1 or len(coin) < 4 or not np.isin(coin, (0, 1)).all():
        raise ValueError(f"inputs must be 0 or 1 for each of 4 calls or more, got {inputs!r:.80}")
    # Hoeffding: a fair coin is so far from half with probability 10^-9 at most.
    if abs(coin.sum() - len(coin) / 2) > sqrt(len(coin) * log(2e9) / 2):
        raise ValueError(f"inputs must be tossed by a fair coin, got {coin.mean():.3f} of them 1")
    return coin.astype(np.intp)


def _at_least_two(bins: int) -> int:
    if count("bins", bins) < 2:
        raise ValueError(f"bins must be at least 2, got {bins!r:.80}")
    return bins


def _codes(table: Array, parts: Array | None, half: int) -> NDArray[np.intp]:
    """A number for each row of outputs, equal where all columns are, or fall into the same bins."""
    codes = np.zeros(len(table), dtype=np.intp)
    for column in table.T:
        if parts is not None:
            taught = column[:half][~np.isnan(column[:half])]
            edges = np.quantile(taught, parts) if taught.size else parts
            column = np.where(np.isnan(column), np.nan, np.searchsorted(edges, column))
        symbols = pd.factorize(column, use_na_sentinel=False)[0]
        codes = pd.factorize(codes * (symbols.max() + 1) + symbols)[0]
    return codes


def _learned(
    coin: NDArray[np.intp], codes: NDArray[np.intp], n_symbols: int, error: float
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """For each symbol the likelier input, and whether to guess after it.

    Symbols are ordered by a cautious share of right guesses, lower where calls are few; the beginning of that
    order is taken whose own cautious share is best. Symbols of equal counts go together.
    """
    ones = np.bincount(codes, weights=coin, minlength=n_symbols)
    calls = np.bincount(codes, minlength=n_symbols)
    most = np.maximum(ones, calls - ones)
    pairs, kind, alike = np.unique(most * (len(codes) + 1) + calls, return_inverse=True, return_counts=True)
    most, heard = np.divmod(pairs, len(codes) + 1)

    def share(limit: float) -> Array:
        return np.where(heard > 0, _lower(most, heard, limit), 0.0)

    # Of many symbols some look telling by luck: cautious enough that hardly one misleads. All together with
    # three deviations off, so that a symbol as telling as the first, but for chance, is not left out.
    n_heard = max(int(alike[heard > 0].sum()), 2)
    order = np.argsort(-share(error / n_heard), kind="stable")
    expected = (share(1 / n_heard) * heard * alike)[order].cumsum()
    size = int(np.argmax(_lower(expected, (heard * alike)[order].cumsum(), 0.001))) + 1
    taken = np.zeros(len(pairs), dtype=bool)
    taken[order[:size]] = True
    return (2 * ones > calls).astype(np.intp), taken[kind]


def guess_ceiling(n_calls: int, confidence: float = 0.95) -> float:
    r"""The largest epsilon that so many measured calls can certify, if every guess is right.

    With :math:`\alpha` one less the confidence and m calls, :math:`-\ln(\alpha^{-1/m}-1)`, about
    :math:`\ln(m/\ln(1/\alpha))`; and so many calls are needed to certify it. The event of
    `ldpbook.foundations.audit_epsilon` has the same ceiling with m calls *for each* input and half of
    :math:`\alpha`.

    Parameters
    ----------
    n_calls : int
        Calls in the measuring half, >= 1.
    confidence : float
        In (0, 1).

    Returns
    -------
    float
        The bound, 0 where not even that many right guesses show a loss.

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
    """One less the confidence, and less than 1: a confidence too small for that is taken a little larger."""
    return min(1 - open_probability("confidence", confidence), 1 - 2.0**-50)
