"""A survey by randomized response: what the curator may believe of one worker, and what of all.

Standard library only: the page on which the reader is the worker runs it in her browser.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, fsum, inf, log, sqrt
from numbers import Integral

from ldpbook._dyadic import WORD, response_weights
from ldpbook._validate import _integer, listed, probability

__all__ = [
    "EstimatedShare",
    "belief_after_reports",
    "survey_shares",
]


@dataclass(frozen=True)
class EstimatedShare:
    """A share of the crowd as its reports tell it.

    Attributes
    ----------
    share : float
        Unbiased estimate; by chance it may be below 0 or above 1.
    error : float
        Its standard error, workers being drawn from those who might have been asked.
    """

    share: float
    error: float


def belief_after_reports(
    reports: Iterable[int], *, prior: Iterable[float], epsilon: float
) -> tuple[float, ...]:
    r"""What to believe of a worker's answer after one or more of her reports, by Bayes' rule.

    Each report is a fresh draw of :func:`ldpbook.practice.dyadic.draw_response` on the same answer. T of them
    are T epsilon-LDP for every pair of answers of this cell; one report moves no odds by more than
    :math:`e^\epsilon`.

    Parameters
    ----------
    reports : iterable of int
        Reported symbols, from 0 to s - 1; none leaves the belief as it was.
    prior : iterable of float
        Probability of each of the s >= 2 symbols beforehand, NULL among them if it is one; sum 1 (to 1e-6).
    epsilon : float
        Privacy budget of one report, finite and > 0.

    Returns
    -------
    tuple of float
        Probability of each symbol afterwards. Only a symbol that was impossible beforehand, or that is less
        probable now than the smallest float, has 0; the nearest float to a probability may be 1.

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
    # In logarithms, since a small probability beforehand may outweigh what a float can hold of a gain.
    logs = [log(p) + gain if p > 0 else -inf for gain, p in zip(gains, before, strict=True)]
    weights = [exp(each - max(logs)) for each in logs]
    total = fsum(weights)
    return tuple(weight / total for weight in weights)


def survey_shares(counts: Iterable[int], *, epsilon: float) -> tuple[EstimatedShare, ...]:
    r"""The share of each answer in a crowd, from how often each symbol was reported.

    What is computed from reports is as private as they are: epsilon-cell LDP for every pair of symbols.

    Parameters
    ----------
    counts : iterable of int
        How many of the N >= 1 reports were each of the s >= 2 symbols, NULL among them if it is one.
    epsilon : float
        Privacy budget of one report, finite and > 0, as in `ldpbook.practice.dyadic.draw_response`.

    Returns
    -------
    tuple of EstimatedShare
        For each symbol an estimate with its standard error, which takes the chance of its reports for their
        share, moved to the nearest that randomized response can have. It takes no chance for smaller than
        2.25 / N or larger than 1 - 2.25 / N, nor moves one beyond 1 / 2: of a symbol that nobody reported two
        errors are then the 3 / N that a chance may well be, not 0.

    Notes
    -----
    Derived in: practice/survey

    Examples
    --------
    >>> found = survey_shares([430, 350, 220], epsilon=1.0)
    >>> [(round(each.share, 3), round(each.error, 3)) for each in found]
    [(0.599, 0.043), (0.379, 0.041), (0.022, 0.036)]
    """
    heard = [_integer("counts", each, 0) for each in listed("counts", counts)]
    n = sum(heard)
    if len(heard) < 2 or n < 1:
        raise ValueError(
            f"counts must be those of two or more symbols, one report or more; got {heard!r:.80}"
        )
    words = response_weights(epsilon=epsilon, n_symbols=len(heard))
    keep, other, gap = (weight / WORD for weight in (*words, words[0] - words[1]))
    if gap == 0:
        raise ValueError(f"epsilon must be larger: reports tell nothing at {epsilon!r:.80}")
    few = min(2.25 / n, 0.5)  # two errors of this chance are 3 / n, the rule of three
    least, most = max(other, min(few, keep)), min(keep, max(1 - few, other))
    found = []
    for number in heard:
        likely = min(max(number / n, least), most)
        found.append(EstimatedShare((number / n - other) / gap, sqrt(likely * (1 - likely) / n) / gap))
    return tuple(found)


def _symbol(report: int, size: int) -> int:
    if not isinstance(report, Integral) or isinstance(report, bool):
        raise TypeError(f"reports must be integers, got {report!r:.80} of type {type(report).__name__}")
    if not 0 <= report < size:
        raise ValueError(f"reports must lie in 0..{size - 1}, got {report!r:.80}")
    return int(report)
