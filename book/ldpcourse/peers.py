"""Published estimators of one parameter, applied to every task of a crowd: the remedies must do better.

Their sources have no NULL. Here a cell without an answer reports too, so that no one sees which tasks a
worker answered. A cell always sends a randomized sign, 0 for NULL. It uses ternary randomized response, or
binary response in which NULL is a fair coin, whichever gives more information at the crowd's density. In both
cases the probabilities of a report under two contents of the cell have a ratio of at most e^epsilon, which is
attained. This holds for every threshold, and for any noise that the worker first adds to the answer. A cell
reports once, and thresholds come from other workers' reports, so the ratio bounds that of whole transcripts
too: epsilon-cell LDP for every pair of neighbours, NULL included.

As an advantage for these estimators, the analyst knows the distribution of the crowd's answers. Workers are
asked in the order of the rows, which should be random.
"""

from math import exp, expm1

import numpy as np
import pandas as pd

from ldpbook._arrays import Array, Rng, generator
from ldpbook._crowd import Answers, Form, read_matrix
from ldpbook._validate import fraction, positive
from ldpbook.remedies.answer_law import AnswerLaw

__all__ = ["binary_search_median", "key_value_mean", "online_median", "two_round_mean"]


def two_round_mean(answers: Answers, *, epsilon: float, law: AnswerLaw, rng: Rng = None) -> Array | pd.Series:
    """One half of the workers finds the neighbourhood, the other half votes above or below it.

    Epsilon-cell LDP. Adapted: in the source the first half sends parts of binary expansions, for truths
    anywhere; in a bounded domain a vote at the centre gives more information. For an integer answer, a vote
    at a threshold is also one at the half-integer next to it. It is inverted there, where rounding does no
    harm, unlike at the estimate itself. The source inverts a normal distribution with known standard
    deviation, which is a `law` with one sigma; here the link may be the crowd's own.

    Parameters
    ----------
    answers : array_like or DataFrame, shape (m, n)
        Integer answers, nan = NULL; or a tidy frame with columns worker, task, answer.
    epsilon : float
        Privacy budget of one cell, > 0.
    law : AnswerLaw
        Domain, density and link, which the analyst knows.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.

    Returns
    -------
    ndarray or Series, shape (n,)
        Estimated truths, in the domain; with the tasks' labels if they have any.

    Notes
    -----
    Source: Joseph et al. (2019), known variance, two rounds.
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> law = AnswerLaw(range(5), sigmas=(1.0,), shares=(1.0,), density=1.0)
    >>> answers = np.random.default_rng(0).normal([2, 3], 1, (4000, 2)).round().clip(0, 4)
    >>> two_round_mean(answers, epsilon=2.0, law=law, rng=1).round(1)
    array([2., 3.])
    """
    matrix, form, rng = _read(answers, epsilon, law, rng, integers=True)
    low, high = law.domain[0], law.domain[-1]
    distances = np.linspace(-8, 8, 10_001) * max(law.sigmas)
    leads = _lead_of_all(epsilon, law) * (2 * law.above(distances) - 1)
    estimates = np.full(matrix.shape[1], (low + high) / 2)
    for half in np.array_split(matrix, 2):
        edges = np.clip(np.floor(estimates), low, max(low, high - 1)) + 0.5
        lead = _reports(half - edges, epsilon, law, rng).sum(axis=0) / max(1, len(half))
        estimates = np.clip(edges + np.interp(lead, leads, distances), low, high)
    of_tasks: Array | pd.Series = form.of_tasks(estimates, "estimate")
    return of_tasks


def binary_search_median(
    answers: Answers, *, epsilon: float, law: AnswerLaw, rng: Rng = None
) -> Array | pd.Series:
    """Medians by binary search: one group of workers after the other halves the interval of the median.

    Epsilon-cell LDP. Adapted: the number of groups is the source's for standard deviations of at least 1. The
    source may stop early; here the search goes on, and after a tie the next group votes on the same interval.
    The middle of the last interval is returned, not its end. The median of integers is an integer, so answers
    may lie half a unit beyond the domain: each worker can first add noise that is uniform within half a unit.

    Parameters
    ----------
    answers : array_like or DataFrame, shape (m, n)
        Answers, nan = NULL; or a tidy frame.
    epsilon, law, rng
        As in :func:`two_round_mean`; of the law only domain and density are used.

    Returns
    -------
    ndarray or Series, shape (n,)
        Estimated medians, in the domain.

    Notes
    -----
    Source: Gaboardi et al. (2019), Algorithm 2.
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> law = AnswerLaw(range(5), sigmas=(1.0,), shares=(1.0,), density=1.0)
    >>> binary_search_median(np.full((4000, 1), 3), epsilon=1.0, law=law, rng=1)
    array([2.875])
    """
    matrix, form, rng = _read(answers, epsilon, law, rng)
    n_groups = max(1, 4 * (law.domain[-1] - law.domain[0]) - 1).bit_length()
    low, high = (np.full(matrix.shape[1], float(end)) for end in (law.domain[0], law.domain[-1]))
    for group in np.array_split(matrix, n_groups):
        middle = (low + high) / 2
        lead = _reports(group - middle, epsilon, law, rng).sum(axis=0)
        low, high = np.where(lead > 0, middle, low), np.where(lead < 0, middle, high)
    of_tasks: Array | pd.Series = form.of_tasks((low + high) / 2, "estimate")
    return of_tasks


def online_median(answers: Answers, *, epsilon: float, law: AnswerLaw, rng: Rng = None) -> Array | pd.Series:
    """Mean of all thresholds, where each worker's vote moves the threshold for the next worker.

    Epsilon-cell LDP. It takes as many rounds as there are workers. It needs no link, and the density only to
    choose the number of symbols. Adapted: the steps decrease with the power required by the theory of
    averaging; their first size, the domain's width over 100, was the best of several on other crowds. The
    median of integers is an integer: see :func:`binary_search_median`.

    Parameters
    ----------
    answers : array_like or DataFrame, shape (m, n)
        Answers, nan = NULL; or a tidy frame.
    epsilon, law, rng
        As in :func:`two_round_mean`; of the law only domain and density are used.

    Returns
    -------
    ndarray or Series, shape (n,)
        Estimated medians, in the domain.

    Notes
    -----
    Source: Liu, Hu, Ding, Jiang and Kong (2023).
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> law = AnswerLaw(range(5), sigmas=(1.0,), shares=(1.0,), density=1.0)
    >>> online_median(np.full((4000, 1), 3), epsilon=1.0, law=law, rng=1).round(1)
    array([3.])
    """
    matrix, form, rng = _read(answers, epsilon, law, rng)
    low, high = law.domain[0], law.domain[-1]
    threshold = np.full(matrix.shape[1], (low + high) / 2)
    total = np.zeros_like(threshold)
    for i, row in enumerate(matrix, start=1):
        step = (high - low) / (100 + i**0.51)
        threshold = np.clip(threshold + step * _reports(row - threshold, epsilon, law, rng), low, high)
        total += threshold
    of_tasks: Array | pd.Series = form.of_tasks(total / len(matrix), "estimate")
    return of_tasks


def key_value_mean(answers: Answers, *, epsilon: float, law: AnswerLaw, rng: Rng = None) -> Array | pd.Series:
    """Means from answers rounded at random to an end of the domain, keeping the mean; NULL is sent too.

    Epsilon-cell LDP. Adapted: a cell is a separate key, so nothing is sampled. Of all ways to divide the
    budget between key and value, the best at the crowd's density is used. The density is known, while the
    source divides by its estimate from the same reports. The mean of rounded and cut-off answers is not the
    truth.

    Parameters
    ----------
    answers : array_like or DataFrame, shape (m, n)
        Answers in the domain, nan = NULL; or a tidy frame.
    epsilon, law, rng
        As in :func:`two_round_mean`; of the law only domain and density are used.

    Returns
    -------
    ndarray or Series, shape (n,)
        Estimated means, cut off at the domain's ends.

    Notes
    -----
    Source: Ye et al. (2019), PrivKV; Gu et al. (2020), PCKV-UE with its correlated perturbation.
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> law = AnswerLaw(range(5), sigmas=(1.0,), shares=(1.0,), density=1.0)
    >>> key_value_mean(np.full((40000, 1), 3), epsilon=2.0, law=law, rng=1).round(1)
    array([3.])
    """
    matrix, form, rng = _read(answers, epsilon, law, rng, integers=True)
    low, high = law.domain[0], law.domain[-1]
    # This rounding is a comparison with a threshold that is uniform on the domain and then discarded.
    lead = _reports(matrix - rng.uniform(low, high, matrix.shape), epsilon, law, rng).mean(axis=0)
    most = _lead_of_all(epsilon, law)
    of_tasks: Array | pd.Series = form.of_tasks(np.interp(lead, (-most, most), (low, high)), "estimate")
    return of_tasks


def _read(
    answers: Answers, epsilon: float, law: AnswerLaw, rng: Rng, *, integers: bool = False
) -> tuple[Array, Form, np.random.Generator]:
    positive("epsilon", epsilon)
    if not isinstance(law, AnswerLaw):
        raise TypeError(f"law must be an AnswerLaw, got {law!r:.80} of type {type(law).__name__}")
    fraction("law.density", law.density)
    beyond = 0.0 if integers else 0.5
    ends = (law.domain[0] - beyond, law.domain[-1] + beyond)
    matrix, form = read_matrix(answers, domain=ends, integers=integers)
    return matrix, form, generator(rng)


def _channel(epsilon: float, density: float) -> tuple[int, float]:
    """Number of symbols of the randomized response, and the probability that it tells the truth.

    Otherwise it sends one of all symbols with equal probability. Near the median reports have mean 0, so the
    squared probability over their second moment decides between two and three symbols.
    """
    flip = exp(-epsilon)
    ternary = (1 + flip) ** 2 > (1 + 2 * flip) * (2 * flip + density * (1 - flip))
    n_symbols = 3 if ternary else 2
    return n_symbols, -expm1(-epsilon) / (1 + (n_symbols - 1) * flip)


def _lead_of_all(epsilon: float, law: AnswerLaw) -> float:
    """The mean report if all answers are above the threshold."""
    return _channel(epsilon, law.density)[1] * law.density


def _reports(excess: Array, epsilon: float, law: AnswerLaw, rng: np.random.Generator) -> Array:
    """Reports of cells, -1, 0 or 1, from the excess of their answers over their thresholds; nan = NULL."""
    n_symbols, truthful = _channel(epsilon, law.density)
    signs = np.nan_to_num(np.sign(excess))
    lies = rng.integers(n_symbols, size=signs.shape) * (2 / (n_symbols - 1)) - 1
    told = (rng.random(signs.shape) < truthful) & ((signs != 0) | (n_symbols == 3))
    reports: Array = np.where(told, signs, lies)
    return reports
