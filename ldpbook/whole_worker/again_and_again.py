"""Repeated questions: answers that are randomized once and kept."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpbook._arrays import Array, Rng, generator
from ldpbook._crowd import Answers, Form, read_matrix
from ldpbook._dyadic import Entropy
from ldpbook._tables import Public
from ldpbook._validate import integer_domain, positive
from ldpbook.sparse_answers.randomized_response import RandomizedResponse

__all__ = ["PermanentAnswers", "memoize"]


@dataclass(frozen=True, eq=False)
class PermanentAnswers:
    """Permanent answers, which the workers' devices keep and report on whenever they are asked.

    Attributes
    ----------
    symbols : ndarray, shape (m, n)
        Permanent answers, nan = NULL. Never send them as they are, unless the epsilon of the permanent answer
        is meant to be that of a single report too.
    permanent : RandomizedResponse
        Mechanism that is drawn once for each cell.
    instant : RandomizedResponse
        Mechanism that is drawn for each report.

    Notes
    -----
    Fit for release: words of the operating system's entropy choose both responses, the permanent one only
    once. With `rng`, here and in :func:`memoize`, they are drawn for study.

    Derived in: whole-worker/again-and-again
    """

    symbols: Array
    permanent: RandomizedResponse
    instant: RandomizedResponse
    _form: Form

    @property
    def exact_epsilon(self) -> float:
        """Supremum of epsilon over all numbers of reports on one cell whose answer does not change.

        For a finite number it is smaller: see :func:`~ldpbook.whole_worker.bounds.memoized_epsilon`.
        """
        return self.permanent.epsilon

    @property
    def transition_matrix(self) -> Array:
        """Probability of each symbol in one report (column) given the cell's symbol (row), NULL last."""
        return self.permanent.transition_matrix @ self.instant.transition_matrix

    def report(self, rng: Rng = None, *, entropy: Entropy = os.urandom) -> Any:
        """One more report from every worker: without `rng` for release, with `rng` for study.

        Parameters
        ----------
        rng : Generator or int, optional
            Source of randomness for study, or a seed for one.
        entropy : callable
            For release: a function that returns n random bytes when called with n.

        Returns
        -------
        ndarray, sparse array or DataFrame
            Reports in the form in which the answers came, nan = NULL.
        """
        return self._form.answers(self.instant.perturb(self.symbols, rng, entropy=entropy))


def memoize(
    answers: Answers,
    *,
    permanent_epsilon: float,
    epsilon: float,
    domain: Iterable[int],
    rng: Rng = None,
    workers: Public = None,
    tasks: Public = None,
    entropy: Entropy = os.urandom,
) -> PermanentAnswers:
    """Randomize every cell once, permanently; each later report randomizes the result again.

    Guarantees `permanent_epsilon`-cell LDP for all reports together, NULL included, for pairs of crowds that
    differ in one cell, if no cell changes from one report to the next. **No guarantee covers a change**: if a
    new permanent answer is drawn for a new answer, many reports reveal that the answer changed, unless the
    two draws are the same.

    Parameters
    ----------
    answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        Answers in any form, nan = NULL.
    permanent_epsilon : float
        Epsilon of the randomized response that is drawn once, finite and > 0.
    epsilon : float
        Epsilon of the randomized response that is drawn for each report, finite and > 0.
    domain : sequence of int
        The answer domain without NULL, consecutive integers.
    rng : Generator or int, optional
        Source of randomness of the permanent answers for study, or a seed for one. A report with the same
        seed is independent of them. Without `rng` they are drawn for release.
    workers, tasks, entropy
        As for any mechanism: see :meth:`~ldpbook.mechanism.AnswerMechanism.perturb`.

    Returns
    -------
    PermanentAnswers
        The permanent answers, from which reports are drawn.

    Notes
    -----
    Source: Erlingsson, Pihur and Korolova (2014), for bits.
    Derived in: whole-worker/again-and-again

    Examples
    --------
    >>> kept = memoize([[3, 4, float("nan"), 0]], permanent_epsilon=2.0, epsilon=2.0, domain=range(5), rng=6)
    >>> kept.symbols
    array([[ 2.,  4., nan, nan]])
    >>> kept.report(rng=1), kept.report(rng=2)
    (array([[ 2.,  4.,  1., nan]]), array([[ 3.,  3., nan,  1.]]))
    """
    symbols = integer_domain(domain)
    permanent = _response("permanent_epsilon", permanent_epsilon, symbols)
    instant = _response("epsilon", epsilon, symbols)
    expected = {"domain": symbols, "integers": True, "silent": True, "public": True}
    matrix, form = read_matrix(answers, workers=workers, tasks=tasks, **expected)
    # A report with the same seed must not repeat these draws.
    own = None if rng is None else np.random.default_rng(generator(rng).integers(2**32, size=4))
    return PermanentAnswers(permanent.perturb(matrix, own, entropy=entropy), permanent, instant, form)


def _response(name: str, epsilon: float, symbols: tuple[int, ...]) -> RandomizedResponse:
    return RandomizedResponse(positive(name, epsilon), symbols)
