"""Lower bounds on the epsilon of a mechanism, from samples of its outputs."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from ldpbook._arrays import Array, numeric
from ldpbook._validate import open_probability

__all__ = [
    "AuditResult",
    "audit_epsilon",
]


@dataclass(frozen=True, eq=False)
class AuditResult:
    """Lower bound on epsilon, with the event and the limits that prove it.

    Attributes
    ----------
    epsilon : float
        With the stated confidence the mechanism's epsilon is at least this; 0 if the
        samples show no loss.
    event : ndarray
        Outputs (or bin numbers) that distinguish the inputs, chosen on held-out samples.
    likelier : int
        Input, 0 or 1, under which the event is likelier.
    p_low, p_high : float
        Clopper-Pearson limits: the event's probability is at least `p_low` under that
        input and at most `p_high` under the other.
    confidence : float
        Probability with which both limits hold.
    """

    epsilon: float
    event: Array
    likelier: int
    p_low: float
    p_high: float
    confidence: float


def audit_epsilon(
    first: ArrayLike,
    second: ArrayLike,
    *,
    edges: ArrayLike | None = None,
    confidence: float = 0.95,
) -> AuditResult:
    """Lower bound on epsilon from outputs of a mechanism on two neighbouring inputs.

    Half of the samples choose the event with the largest log ratio, the other half measure
    its probability under both inputs with exact binomial confidence limits. Because the
    event does not depend on the samples that measure it, the limit is valid as it stands.

    Parameters
    ----------
    first, second : array_like, shape (k,), k >= 4
        Independent outputs for the first and the second input; nan = NULL is a symbol like any other. Give
        all outputs that were drawn: selecting them by value, such as those near 0, changes the probabilities,
        and the limit no longer holds.
    edges : array_like, shape (b,), optional
        Ascending bin edges for continuous outputs (b + 1 bins, the outer ones open); None
        for discrete outputs.
    confidence : float
        In (0, 1).

    Returns
    -------
    AuditResult
        The lower bound, 0 if nothing was found.

    Warns
    -----
    UserWarning
        If most outputs occur only once: no event then stands out from chance, and the lower bound is 0 for
        any mechanism. Give `edges` for continuous outputs.

    Notes
    -----
    Derived in: foundations/local-privacy

    Examples
    --------
    A "mechanism" that tells the truth nine times in ten has epsilon = ln 9 = 2.197.

    >>> rng = np.random.default_rng(0)
    >>> result = audit_epsilon(rng.random(20000) < 0.9, rng.random(20000) < 0.1)
    >>> round(result.epsilon, 2), result.event
    (2.15, array([0.]))
    """
    samples = [numeric("first", first), numeric("second", second)]
    for name, sample in zip(("first", "second"), samples, strict=True):
        if sample.ndim != 1 or len(sample) < 4:
            raise ValueError(f"{name} must be a vector of at least 4 outputs, got shape {sample.shape}")
    confidence = open_probability("confidence", confidence)
    if edges is not None:
        limits = numeric("edges", edges)
        if limits.ndim != 1 or not (np.diff(limits) > 0).all():
            raise ValueError(f"edges must be ascending, got {edges!r}")
        # digitize puts nan into the last bin; here nan stays a symbol of its own.
        samples = [np.where(np.isnan(s), np.nan, np.digitize(s, limits)) for s in samples]
    symbols, codes = np.unique(np.concatenate(samples), return_inverse=True)
    if (np.bincount(codes) == 1).sum() > len(codes) / 2:
        warnings.warn(
            f"most of the {len(codes)} outputs occur only once: give edges to gather continuous ones in bins",
            stacklevel=2,
        )
    codes_by_input = np.split(codes, [len(samples[0])])
    chosen = np.array([_counts(c[: len(c) // 2], len(symbols)) for c in codes_by_input])
    measured = np.array([_counts(c[len(c) // 2 :], len(symbols)) for c in codes_by_input])

    error = (1 - confidence) / 2
    likelier, event = _best_event(chosen, error)
    hits = measured[:, event].sum(axis=1)
    totals = measured.sum(axis=1)
    p_low = float(lower_limit(hits[likelier], totals[likelier], error))
    p_high = float(_upper(hits[1 - likelier], totals[1 - likelier], error))
    epsilon = max(0.0, float(np.log(p_low / p_high))) if p_low > 0 else 0.0
    return AuditResult(epsilon, symbols[event], likelier, p_low, p_high, confidence)


def _counts(codes: NDArray[np.intp], n_symbols: int) -> NDArray[np.intp]:
    return np.bincount(codes, minlength=n_symbols)


def _best_event(counts: NDArray[np.intp], error: float) -> tuple[int, NDArray[np.intp]]:
    """Input and set of symbols with the largest log ratio of confidence limits.

    The best set of a given probability collects the symbols of largest likelihood ratio, so only prefixes of
    that order need to be tried.
    """
    totals = counts.sum(axis=1)
    # Among so many symbols some stand out by luck. Limits that hold for all of them at once keep a rare
    # symbol from coming first.
    error /= 2 * counts.shape[1]
    best = (-np.inf, 0, np.arange(0))
    for likelier in (0, 1):
        each_low = lower_limit(counts[likelier], totals[likelier], error)
        each_high = _upper(counts[1 - likelier], totals[1 - likelier], error)
        order = np.argsort(-each_low / each_high, kind="stable")
        hits, misses = counts[likelier, order].cumsum(), counts[1 - likelier, order].cumsum()
        low = lower_limit(hits, totals[likelier], error)
        high = _upper(misses, totals[1 - likelier], error)
        with np.errstate(divide="ignore"):
            score = np.log(low) - np.log(high)
        size = int(score.argmax()) + 1
        if score[size - 1] > best[0]:
            best = (score[size - 1], likelier, np.sort(order[:size]))
    return best[1], best[2]


def lower_limit(hits: ArrayLike, total: ArrayLike, error: float) -> Array:
    """Clopper-Pearson lower limit, which exceeds the probability in question with probability <= error."""
    k = np.asarray(hits)
    return np.where(k == 0, 0.0, betaincinv(np.maximum(k, 1), np.asarray(total) - k + 1, error))


def _upper(hits: ArrayLike, total: int, error: float) -> Array:
    """Clopper-Pearson upper limit of a probability."""
    k = np.asarray(hits)
    return np.where(k == total, 1.0, betaincinv(k + 1, np.maximum(total - k, 1), 1 - error))
