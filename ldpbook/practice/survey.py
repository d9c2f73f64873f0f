"""A survey by randomized response: what its reports reveal about one worker, and estimates about all.

Standard library only: the page on which the reader is the worker runs it in the browser.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from math import exp, fsum, inf, log, nan, sqrt
from numbers import Integral
from statistics import NormalDist
from typing import Any, overload

from ldpbook._dyadic import WORD, response_weights
from ldpbook._validate import _integer, finite, listed, open_probability, probability

__all__ = [
    "EstimatedMean",
    "EstimatedShare",
    "belief_after_reports",
    "survey_mean",
    "survey_shares",
]


@dataclass(frozen=True)
class EstimatedShare:
    """Share of a crowd, estimated from its reports.

    Attributes
    ----------
    share : float
        Unbiased estimate; by chance it may be below 0 or above 1.
    error : float
        Its standard error, if workers are drawn at random from those who might have been asked.
    """

    share: float
    error: float


def belief_after_reports(
    reports: Iterable[int], *, prior: Iterable[float], epsilon: float
) -> tuple[float, ...]:
    r"""Posterior probabilities of a worker's answer given one or more of her reports, by Bayes' rule.

    Each report is a fresh draw of :func:`ldpbook.practice.dyadic.draw_response` on the same answer. T of them
    are T epsilon-LDP for every pair of answers of this cell. One report changes no odds by more than a factor
    of :math:`e^\epsilon`.

    Parameters
    ----------
    reports : iterable of int
        Reported symbols, from 0 to s - 1; no report leaves the belief unchanged.
    prior : iterable of float
        Prior probability of each of the s >= 2 symbols, including NULL if it is one; sum 1 (to 1e-6).
    epsilon : float
        Privacy budget of one report, finite and > 0.

    Returns
    -------
    tuple of float
        Posterior probability of each symbol. It is 0 only for a symbol that was impossible beforehand, or
        whose probability is now below the smallest float. The nearest float to a probability may be 1.

    Notes
    -----
    Derived in: practice/survey

    Examples
    --------
    >>> [round(p, 4) for p in belief_after_reports([0], prior=[0.3, 0.6, 0.1], epsilon=1.0)]
    [0.5381, 0.3959, 0.066]
    """
    before = [probability("prior", p) for p in listed("prior", prior)]
    if len(before) < 2 or abs(fsum(before) - 1) > 1e-6:
        raise ValueError(f"prior must hold two or more probabilities with sum 1, got {before!r:.80}")
    keep, other = response_weights(epsilon=epsilon, n_symbols=len(before))
    seen = [_symbol(report, len(before)) for report in listed("reports", reports)]
    loss = log(keep / other)  # as drawn: at most epsilon
    gains = [loss * seen.count(x) for x in range(len(before))]
    # Logarithms are used because the gain that outweighs a tiny prior probability may exceed any float.
    logs = [log(p) + gain if p > 0 else -inf for gain, p in zip(gains, before, strict=True)]
    weights = [exp(each - max(logs)) for each in logs]
    total = fsum(weights)
    return tuple(weight / total for weight in weights)


@dataclass(frozen=True)
class EstimatedMean:
    """Mean answer of those who answered, estimated from reports.

    Attributes
    ----------
    mean : float
        Ratio of two unbiased estimates, not unbiased itself; nan if it seems that no one answered.
    error : float
        Its standard error to first order, if workers are drawn at random from those who might have been
        asked; infinite if it seems that no one answered.
    answered : EstimatedShare
        Share of those who answered. If it is only a few times its standard error, the mean's error is too
        small.
    """

    mean: float
    error: float
    answered: EstimatedShare


@overload
def survey_shares(
    counts: Mapping[Any, int], *, epsilon: float, choices: Iterable[Hashable] | None = ...
) -> dict[Hashable, EstimatedShare]: ...
@overload
def survey_shares(
    counts: Iterable[int], *, epsilon: float, choices: None = ...
) -> tuple[EstimatedShare, ...]: ...
@overload
def survey_shares(
    counts: Iterable[int], *, epsilon: float, choices: Iterable[Hashable]
) -> dict[Hashable, EstimatedShare]: ...
def survey_shares(
    counts: Any, *, epsilon: float, choices: Iterable[Hashable] | None = None
) -> tuple[EstimatedShare, ...] | dict[Hashable, EstimatedShare]:
    r"""Estimated share of each answer in a crowd, from how often each symbol was reported.

    The result is as private as the reports: epsilon-cell LDP for every pair of symbols.

    Parameters
    ----------
    counts : iterable of int, mapping to int, or Series
        For each of the s >= 2 symbols, including NULL if it is one, how many of the N >= 1 reports were that
        symbol; or the same by labels, as from ``value_counts(dropna=False)`` or a Counter.
    epsilon : float
        Privacy budget of one report, finite and > 0, as in `ldpbook.practice.dyadic.draw_response`.
    choices : iterable of labels, optional
        All symbols that a report can be, None for NULL, in the order of the result. Counts by labels need it,
        because a symbol that no one reported is missing from a table of counts. A choice without a count has
        count 0. NULL always needs a count, because tables of counts often leave it out.

    Returns
    -------
    tuple of EstimatedShare, or dict
        For each symbol (with `choices`, by its label) an estimate with its standard error.
        For the error, the probability of the symbol's reports is estimated by their share, moved to the
        nearest value that randomized response can have. The estimate is kept between 2.25 / N and
        1 - 2.25 / N as far as randomized response can have these values, but is not moved beyond 1 / 2. So
        for a symbol that no one reported, two standard errors of the probability are 3 / N, a plausible
        value, and not 0.

    Raises
    ------
    ValueError
        If counts by labels come without choices, have a label that is not a choice, or have no count of NULL
        although it is a choice.

    Notes
    -----
    Derived in: practice/survey

    Examples
    --------
    >>> found = survey_shares([430, 350, 220], epsilon=1.0)
    >>> [(round(each.share, 3), round(each.error, 3)) for each in found]
    [(0.599, 0.043), (0.379, 0.041), (0.022, 0.036)]
    >>> found = survey_shares({None: 220, "no": 350, "yes": 430}, epsilon=1.0, choices=["yes", "no", None])
    >>> {label: round(each.share, 3) for label, each in found.items()}
    {'yes': 0.599, 'no': 0.379, None: 0.022}
    """
    symbols = (
        None if choices is None else [label_or_null("choices", each) for each in listed("choices", choices)]
    )
    if symbols is not None and len(dict.fromkeys(symbols)) < len(symbols):
        raise ValueError(f"choices must be different labels, got {choices!r:.80}")
    given = _by_choices(counts, symbols) if hasattr(counts, "items") else listed("counts", counts)
    heard = [_integer("counts", each, 0) for each in given]
    n = sum(heard)
    if len(heard) < 2 or n < 1:
        raise ValueError(
            f"counts must be those of two or more symbols, one report or more; got {heard!r:.80}"
        )
    if symbols is not None and len(symbols) != len(heard):
        raise ValueError(f"choices must be as many as counts, {len(heard)}, got {len(symbols)}")
    words = response_weights(epsilon=epsilon, n_symbols=len(heard))
    keep, other, gap = (weight / WORD for weight in (*words, words[0] - words[1]))
    if gap == 0:
        raise ValueError(f"epsilon must be larger: reports tell nothing at {epsilon!r:.80}")
    found = tuple(
        EstimatedShare((number / n - other) / gap, sqrt(chance * (1 - chance) / n) / gap)
        for number, chance in zip(heard, report_chances(heard, keep, other), strict=True)
    )
    return found if symbols is None else dict(zip(symbols, found, strict=True))


def survey_mean(counts: Iterable[int], *, epsilon: float, scale: Iterable[float]) -> EstimatedMean:
    r"""Estimated mean answer on a scale, of those who answered, from how often each symbol was reported.

    The result is as private as the reports: epsilon-cell LDP for every pair of symbols.

    Parameters
    ----------
    counts : iterable of int
        For each number of the scale and, last, for NULL, how many of the N >= 1 reports were that.
    epsilon : float
        Privacy budget of one report, finite and > 0.
    scale : iterable of float
        The numbers of the scale, one or more.

    Returns
    -------
    EstimatedMean
        With shares :math:`\hat f_v`, the mean is :math:`\sum v\hat f_v/\sum\hat f_v`. It estimates the mean
        of those of the population who would answer; NULL is not a number. Its bias is of order 1/N.

    Notes
    -----
    Derived in: practice/survey

    Examples
    --------
    >>> found = survey_mean([140, 180, 250, 200, 100, 130], epsilon=2.0, scale=range(1, 6))
    >>> round(found.mean, 2), round(found.error, 3), round(found.answered.share, 2)
    (2.87, 0.078, 0.9)
    """
    numbers = [finite("scale", each) for each in listed("scale", scale)]
    heard = [_integer("counts", each, 0) for each in listed("counts", counts)]
    if len(heard) != len(numbers) + 1:
        raise ValueError(f"counts must be those of {len(numbers)} numbers and of NULL, got {len(heard)}")
    shares, n = survey_shares(heard, epsilon=epsilon), sum(heard)
    answered = EstimatedShare(1 - shares[-1].share, shares[-1].error)
    if answered.share <= 0:
        return EstimatedMean(nan, inf, answered)
    mean = fsum(x * each.share for x, each in zip(numbers, shares, strict=False)) / answered.share
    # Up to a constant, the reports' mean of these is (p - q) times the numerator minus the mean times the
    # denominator. By the delta method, its error divided by (p - q) and the denominator is the ratio's.
    away = [*(x - mean for x in numbers), 0.0]
    keep, other = (words / WORD for words in response_weights(epsilon=epsilon, n_symbols=len(heard)))
    chances = report_chances(heard, keep, other)
    first, second = (
        fsum(r * h**k for r, h in zip(chances, away, strict=True)) / fsum(chances) for k in (1, 2)
    )
    return EstimatedMean(mean, sqrt((second - first**2) / n) / ((keep - other) * answered.share), answered)


def report_chances(counts: list[int], keep: float, other: float) -> list[float]:
    """Probability of each symbol's reports, for errors; none is so small that its error would be 0."""
    n = sum(counts)
    few = min(2.25 / n, 0.5)  # two errors of this probability are 3 / n, the rule of three
    least, most = max(other, min(few, keep)), min(keep, max(1 - few, other))
    return [min(max(number / n, least), most) for number in counts]


def _by_choices(counts: Any, symbols: list[Hashable] | None) -> list[int]:
    """Counts by labels in the order of the choices."""
    if symbols is None:
        raise ValueError(
            "choices must be given where counts have labels: some may have been reported by no one"
        )
    found: dict[Hashable, int] = {}
    for given, number in counts.items():
        label = label_or_null("counts", given)
        if label not in symbols or label in found:
            raise ValueError(f"counts must be of different choices {symbols!r:.80}, got {given!r:.40} too")
        found[label] = number
    if None in symbols and None not in found:
        raise ValueError("counts must say how many reports were NULL, 0 too: use value_counts(dropna=False)")
    return [found.get(symbol, 0) for symbol in symbols]


def interval(
    estimate: float, error: float, confidence: float, least: float, most: float
) -> tuple[float, float]:
    """Normal interval, cut off at `least` and `most`; all between them if the error is infinite."""
    z = NormalDist().inv_cdf((1 + open_probability("confidence", confidence)) / 2)
    if error == inf:
        return least, most
    return min(max(estimate - z * error, least), most), min(max(estimate + z * error, least), most)


def label_or_null(name: str, label: Any) -> Any:
    """The label, or None for NULL: nan, NaT, and NA, whose comparisons have no truth value."""
    try:
        hash(label)
    except TypeError:
        raise TypeError(f"{name} must be labels that hash, got a {type(label).__name__}") from None
    try:
        return None if label != label else label
    except TypeError:
        return None


def _symbol(report: int, size: int) -> int:
    if not isinstance(report, Integral) or isinstance(report, bool):
        raise TypeError(f"reports must be integers, got {report!r:.80} of type {type(report).__name__}")
    if not 0 <= report < size:
        raise ValueError(f"reports must lie in 0..{size - 1}, got {report!r:.80}")
    return int(report)
