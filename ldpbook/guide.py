"""Which mechanism when: a plan for a crowd, and its expected errors, before anyone is asked."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, log, nan
from typing import Any

import numpy as np
import pandas as pd

from ldpbook._arrays import Array, numeric
from ldpbook._crowd import Answers, read_matrix
from ldpbook._dyadic import Entropy
from ldpbook._tables import Public
from ldpbook._validate import count, flag, one_of, positive
from ldpbook.remedies import _foretold as foretold
from ldpbook.remedies._posterior import TINY
from ldpbook.remedies.answer_law import AnswerLaw
from ldpbook.remedies.answer_means import MeanResult, infer_means
from ldpbook.remedies.answer_medians import MedianResult, infer_medians
from ldpbook.remedies.decoding import DecodedTruth, decode
from ldpbook.remedies.phases import Survey, next_thresholds
from ldpbook.remedies.smaller_question import (
    ThresholdResponse,
    ThresholdResult,
    infer_from_counts,
    question_thresholds,
)
from ldpbook.sparse_answers.laplace import LaplacePerturbation
from ldpbook.sparse_answers.randomized_response import RandomizedResponse
from ldpbook.whole_worker.row_reports import errors_over, infer_from_rows
from ldpbook.whole_worker.sampling_questions import AskedQuestions, MixedSigns, OwnAnswer, row_designs

__all__ = ["Plan", "expected_errors", "recommend", "workers_needed"]

_MOST_WORKERS = 2**53
_MOST_AT_THRESHOLDS = 21  # answers
_WORTH_IT = 0.9  # of the constant's error: closer to it, the guesses decide whether asking is worth it
_THRESHOLDS, _RR = "threshold response", "RR, decoded"
_ROW_PHASES = (0.3, 0.7)  # as in `row_errors`
_READERS: dict[str, Any] = {"median": infer_medians, "mean": infer_means, "truth": infer_from_counts}
_IN_PHASES = {1: " at all thresholds in turn", 2: ", in two phases", 3: " in three phases"}
_WAYS = {
    _THRESHOLDS: "threshold responses",
    _RR: "randomized response",
    "mixed": "one noisy bit about a mixture of a person's answers to each task",
    "own answer": "one of a person's own answers",
}
_WANTED = {"median": "median of a task's answers", "mean": "mean of a task's answers"}
_ASSUMED = {
    "LP, decoded": "density known; for study only",
    "LP, Algorithm 1": "for study only",
    "MF, Algorithm 1": "for study only",
    _THRESHOLDS: "law known, prior learned",
    "mixed": "law known, prior and strength learned",
    "own answer": "law known, prior and strength learned",
}


Response = RandomizedResponse | ThresholdResponse | AskedQuestions | OwnAnswer | MixedSigns
Heard = Survey | Array | tuple[Array, Array]


@dataclass(frozen=True, eq=False)
class Plan:
    """A plan for a crowd, in words and tables, with the functions that carry it out.

    Printing it shows the sentence and both tables. If the plan is not to ask, its functions refuse.

    Attributes
    ----------
    sentence : str
        The plan, its expected error and that of the constant, and what is protected.
    mechanisms : DataFrame
        The possible mechanisms, smallest error first. Columns: `error`, in answer units; `assumes`, what the
        decoder has to know to reach it; `decoder`, the function of this package that decodes the reports;
        `unit`, what epsilon covers.
    bounds : DataFrame
        Error of the constant, and the limit that no mechanism can beat when truths are wanted; nan, with a
        reason, where the limit is not known.
    mechanism : str
        Name of the planned row of `mechanisms`; empty if the plan is not to ask.
    error : float
        Expected error of the best plan, even if the plan is not to ask.
    off_by_half : tuple of float
        Smallest and largest expected error if the guesses are wrong by half.
    response : mechanism
        Mechanism that draws the reports; None if the plan is not to ask.
    domain, n_tasks, target, level
        Possible answers, number of tasks, what is estimated for each task, and its guessed mean.
    whole_steps, gaps_are_public : bool
        Whether answers are whole steps of the scale, and whether only cells with an answer are reported.
    phases : sequence of float
        Share of the workers in each phase; `ask` is called once per phase.

    Notes
    -----
    Derived in: remedies/guide
    """

    sentence: str
    mechanisms: pd.DataFrame
    bounds: pd.DataFrame
    mechanism: str
    error: float
    off_by_half: tuple[float, float]
    response: Response | None
    domain: Sequence[int]
    n_tasks: int
    target: str
    level: float
    whole_steps: bool
    gaps_are_public: bool
    phases: Sequence[float]

    def __repr__(self) -> str:
        tables = (table.round(3).to_string() for table in (self.mechanisms, self.bounds))
        return "\n\n".join([self.sentence, *tables])

    def ask(self, heard: Heard | None = None) -> Array | None:
        """Thresholds for the next phase, shape (k, n), given the reports; None for randomized response."""
        response, asked = self._response, question_thresholds(self.domain[:_MOST_AT_THRESHOLDS])
        if isinstance(response, RandomizedResponse):
            return None
        if not isinstance(response, OwnAnswer | MixedSigns):
            first = heard is None or self.target == "mean"
            return next_thresholds(self._start() if first or not isinstance(heard, Survey) else heard)
        # Reports at thresholds off the scale show how strongly the others depend on answers.
        off = np.concatenate([asked[:1] - 1, asked, asked[-1:] + 1])
        places = off if heard is None else asked[np.argsort(np.abs(asked - self.level), kind="stable")[:2]]
        turns: Array = places.take(np.add.outer(np.arange(len(places)), np.arange(self.n_tasks)), mode="wrap")
        return turns

    def release(
        self,
        answers: Any,
        thresholds: Array | None = None,
        *,
        workers: Public = None,
        tasks: Public = None,
        entropy: Entropy = os.urandom,
    ) -> Any:
        """Private reports on answers, drawn with the operating system's randomness.

        Parameters
        ----------
        answers : array_like, shape (m, n); sparse array; or DataFrame
            Answers in any form, nan = NULL.
        thresholds : ndarray, shape (k, n)
            Result of `ask`, whose rows go to the workers in turn; None for randomized response.
        workers, tasks, entropy
            As for any mechanism: see :meth:`~ldpbook.mechanism.AnswerMechanism.perturb`.

        Returns
        -------
        ndarray, sparse array or DataFrame
            Reports in the same form, as `perturb` of the response returns them. If gaps are public, they are
            coded like the reports of questions: 1 for above, -1 for not above, 0 for NULL, and nan where
            there was no answer to report on. A table then needs no lists.
        """
        response, secret = self._response, not self.gaps_are_public
        expected: dict[str, Any] = {"domain": self.domain, "integers": self.whole_steps, "public": secret}
        matrix, form = read_matrix(answers, **expected, silent=True, workers=workers, tasks=tasks)
        if isinstance(response, RandomizedResponse):
            return form.answers(response.perturb(matrix, entropy=entropy))
        reports = response.perturb(matrix, self._dealt(thresholds, matrix.shape), entropy=entropy)
        if self.gaps_are_public:
            reports = np.where(np.isnan(matrix), np.nan, np.nan_to_num(2 * reports - 1))
        return form.answers(reports)

    def add(self, heard: Heard | None, reports: Answers, thresholds: Array | None = None) -> Heard:
        """All reports so far, with these from `release` added; `heard` is None before the first ones."""
        response, (matrix, _) = self._response, read_matrix(reports, silent=True)
        if isinstance(response, RandomizedResponse):
            return matrix if heard is None else np.vstack([numeric("heard", heard), matrix])
        limits = self._dealt(thresholds, matrix.shape)
        if isinstance(response, OwnAnswer | MixedSigns):
            before = heard if isinstance(heard, tuple) else (matrix[:0], limits[:0])
            return np.vstack([before[0], matrix]), np.vstack([before[1], limits])
        survey = heard if isinstance(heard, Survey) else self._start()
        if isinstance(response, ThresholdResponse) and not self.gaps_are_public:
            return survey.add(matrix, limits)
        places = question_thresholds(self.domain)[:, None, None] == limits
        counts = np.stack([(places & (matrix == side)).sum(axis=1) for side in (-1, 1, 0)], axis=2)
        return replace(survey, counts=survey.counts + counts)

    def estimate(self, heard: Any) -> MedianResult | MeanResult | ThresholdResult | DecodedTruth:
        """Estimates with their errors, from the result of `add` or the reports of randomized response."""
        response = self._response
        if isinstance(response, RandomizedResponse):
            return decode(heard, response)
        if isinstance(response, OwnAnswer | MixedSigns) and isinstance(heard, tuple):
            return infer_from_rows(*heard, mechanism=response, domain=self.domain)
        if not isinstance(heard, Survey):
            raise TypeError(f"heard must be what add gave, got one {type(heard).__name__}")
        read = _READERS[self.target]
        found: MedianResult | MeanResult | ThresholdResult
        found = read(heard.counts, epsilon=heard.epsilon, domain=heard.domain)
        return found

    @property
    def _response(self) -> Response:
        if self.response is None:
            raise ValueError(f"this plan has nothing to run: {self.sentence}")
        return self.response

    def _start(self) -> Survey:
        response = self._response
        parts = response.n_questions if isinstance(response, AskedQuestions) else 1
        return Survey.start(self.n_tasks, epsilon=response.epsilon / parts, domain=self.domain)

    def _dealt(self, thresholds: Array | None, shape: tuple[int, ...]) -> Array:
        limits = numeric("thresholds", [] if thresholds is None else thresholds)
        if limits.ndim != 2 or limits.shape[1] != shape[1] or not limits.size:
            raise ValueError(f"thresholds must be as ask gave them, (k, {shape[1]}), got {thresholds!r:.80}")
        return np.resize(limits, shape)


def expected_errors(
    law: AnswerLaw,
    *,
    n_workers: int,
    n_tasks: int,
    epsilon: float,
    prior_mean: float,
    prior_deviation: float,
    target: str | None = None,
) -> pd.Series:
    """Expected mean absolute error of the estimates from each mechanism for numbers.

    Errors are averaged over crowds: truths are normal, and each cell is answered at random, with the density
    of `law`. Some errors come out too small. Where a third or more of the truths lie beyond a short domain,
    those of threshold responses are up to a fifth too small. With ten tasks or fewer, those of threshold
    responses for truths are about a fifth too small, and with three tasks up to a third, because a decoder
    has to learn `law` from the reports too. With fifty workers all errors are slightly too small.

    Parameters
    ----------
    law : AnswerLaw
        Distribution of an answer given the truth, with density at least 1e-9 and 2 to 101 answers.
    n_workers, n_tasks : int
        How many workers are asked, at most 2^53, and how many tasks there are, >= 1.
    epsilon : float
        Privacy budget of one cell, from 1e-9 to 300. NULL is protected too, except by "MF".
    prior_mean, prior_deviation : float
        Mean and standard deviation (> 0) of the truths. Decoding and thresholds learn both; the constant is
        the mean.
    target : {"median", "mean", "truth"}, optional
        What to estimate for each task; errors are distances from it: the interpolated median of the answers'
        distribution, its mean, or the truth. If None, the median; with two answers, or more than 21, the
        mean. With two answers the mean is the share of the upper one, and one threshold shows nothing else.

    Returns
    -------
    Series
        Errors by mechanism, in answer units: randomized response and Laplace perturbation, with Algorithm 1
        and decoded (Laplace with the density known); matrix factorization with a profile of ones; threshold
        responses for at most 21 answers, unlinked, in phases or, for the mean, in turn; the constant.

    Raises
    ------
    TypeError
        If `law` is not an AnswerLaw.
    ValueError
        If its density is below 1e-9, an argument is out of range, or `target` is not the mean for two answers
        or for more than 21.

    Notes
    -----
    Derived in: remedies/guide

    Examples
    --------
    >>> law = AnswerLaw(domain=range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.1)
    >>> crowd = dict(n_workers=20_000, n_tasks=200, prior_mean=4.5, prior_deviation=1.0)
    >>> expected_errors(law, epsilon=2.0, **crowd).round(3)
    RR, Algorithm 1       0.761
    RR, decoded           0.397
    LP, Algorithm 1       0.736
    LP, decoded           0.460
    MF, Algorithm 1       0.800
    threshold response    0.105
    constant              0.800
    Name: error, dtype: float64
    """
    law, epsilon, truths = foretold.checked(law, epsilon, prior_mean, prior_deviation)
    m, n = count("n_workers", n_workers), count("n_tasks", n_tasks)
    aim, cells = _target(law, target), foretold.laws_of(law, truths)
    wanted, errors = foretold.wanted_of(law, truths, aim), {}
    for name, mechanism in ("RR", RandomizedResponse), ("LP", LaplacePerturbation):
        response = mechanism(epsilon, law.domain)
        reports = cells @ foretold.moments_of(response)[0]
        errors[f"{name}, Algorithm 1"] = foretold.algorithm_1(reports, law, m, wanted)
        errors[f"{name}, decoded"] = foretold.decoded_error(response, law, m, n, truths, wanted)
    own = max(1.0, law.density * n)  # answers per worker; a profile of ones keeps only their mean
    noise = np.full(len(truths), 2 * (len(law.domain) / epsilon / own) ** 2 / m)
    level = foretold.mean_of(foretold.mean_answers(law, truths))
    errors["MF, Algorithm 1"] = foretold.mean_distance(level - wanted, noise)
    if len(law.domain) <= _MOST_AT_THRESHOLDS:
        errors[_THRESHOLDS] = foretold.at_thresholds(law, epsilon, m, n, truths, aim)
    errors["constant"] = foretold.constant(law, truths, aim)
    return pd.Series(errors, name="error")


def recommend(
    law: AnswerLaw,
    *,
    n_workers: int,
    n_tasks: int,
    epsilon: float,
    prior_mean: float,
    prior_deviation: float,
    unit: str = "cell",
    null: str = "secret",
    target: str | None = None,
    whole_steps: bool = True,
) -> Plan:
    """A plan for a crowd: what to ask and which error to expect, or not to ask.

    Five questions come first. The first is how many answers are possible, which the domain of `law` says.
    With two, only the share of the upper one can be known; more than 21 are too many for thresholds. The
    other four questions are the last four arguments. The plan has the smallest error among the mechanisms
    that the package both releases and decodes. If that error is not below nine tenths of the error of one
    number for all tasks, the plan is not to ask.

    Parameters
    ----------
    law : AnswerLaw
        As for :func:`expected_errors`: a guess.
    n_workers, n_tasks, epsilon, prior_mean, prior_deviation
        As for :func:`expected_errors`; epsilon is that of the unit.
    unit : {"cell", "worker"}
        What to protect: one answer of a person, or the person with all answers. In the second case any two
        rows are neighbours, NULL included, and each worker is asked about a few random tasks.
    null : {"secret", "public"}
        Whether NULL is a person's secret. If it is public, only cells with an answer are reported. Who
        answered what then becomes public, and so does who was asked and kept silent. For the unit "worker" it
        must be a secret.
    target : {"median", "mean", "truth"}, optional
        What to estimate, as for :func:`expected_errors`.
    whole_steps : bool
        Whether answers are whole steps of the scale. If not, threshold responses break ties by a coin toss,
        and randomized response cannot be used.

    Returns
    -------
    Plan
        Sentence, tables, and what to run.

    Raises
    ------
    TypeError
        If `law` is not an AnswerLaw.
    ValueError
        If an argument is out of range; or if there are more than 21 answers while gaps are public, answers
        are not whole steps, or the unit is a worker, because only thresholds allow that here.

    Notes
    -----
    For the range, errors, density and spread of the truths are each half and one and a half times the guess,
    in all eight combinations. The unit "worker" is that of whole-worker/sampling-questions.

    Derived in: remedies/guide

    Examples
    --------
    >>> law = AnswerLaw(domain=range(5), sigmas=(1.0,), shares=(1.0,), density=0.1)
    >>> crowd = dict(n_workers=10_000, n_tasks=100, prior_mean=2.0, prior_deviation=0.5)
    >>> plan = recommend(law, epsilon=2.0, **crowd)
    >>> print(plan.sentence.replace(". ", ".\\n"))
    Ask threshold responses in three phases.
    The median of a task's answers will be off by 0.0849 on average; by 0.032 to 0.22 if ...
    >>> recommend(law, epsilon=1.0, unit="worker", **crowd).mechanism
    ''
    """
    known, epsilon, truths = foretold.checked(law, epsilon, prior_mean, prior_deviation)
    m, n = count("n_workers", n_workers), count("n_tasks", n_tasks)
    by_person = one_of("unit", unit, ("cell", "worker")) == "worker"
    public = one_of("null", null, ("secret", "public")) == "public"
    aim, whole = _target(law, target), flag("whole_steps", whole_steps)
    if by_person and public:
        raise ValueError("null must be 'secret' if the unit is a worker, whose gaps are protected too")
    only_thresholds = by_person or public or not whole
    if only_thresholds and len(law.domain) > _MOST_AT_THRESHOLDS:
        raise ValueError(
            f"domain must hold at most {_MOST_AT_THRESHOLDS} answers unless unit is 'cell', null 'secret' and"
            f" whole_steps True, got {len(law.domain)}: round them first"
        )
    responses: dict[str, Response] = {_THRESHOLDS: ThresholdResponse(epsilon)}
    budget, reports = epsilon, float(m)  # epsilon of a report, and number of reports per task
    if by_person:
        parts = row_designs(n_tasks=n, n_workers=m, epsilon=epsilon, density=law.density, sigma=1.0).parts
        asked = int(parts["asked"])
        responses = {_THRESHOLDS: AskedQuestions(epsilon, asked)}
        budget, reports = epsilon / asked, m * asked / n
        if aim == "median":
            responses |= {"mixed": MixedSigns(epsilon, int(parts["mixed"])), "own answer": OwnAnswer(epsilon)}
    elif not only_thresholds:
        responses[_RR] = RandomizedResponse(epsilon, law.domain)

    def error_of(name: str, law: AnswerLaw, truths: Array) -> float:
        if name == _RR:
            rr = RandomizedResponse(epsilon, law.domain)
            return foretold.decoded_error(rr, law, m, n, truths, foretold.wanted_of(law, truths, aim))
        if name == _THRESHOLDS and public:
            return foretold.at_thresholds(replace(law, density=1.0), budget, m * law.density, n, truths, aim)
        if name == _THRESHOLDS:
            return foretold.at_thresholds(law, budget, reports, n, truths, aim)
        return errors_over(law, m, n, epsilon, truths)[name]

    if only_thresholds:
        errors = pd.Series({name: error_of(name, known, truths) for name in responses}, name="error")
    else:
        crowd: dict[str, Any] = {"n_workers": m, "n_tasks": n, "target": aim, "epsilon": epsilon}
        errors = expected_errors(law, **crowd, prior_mean=prior_mean, prior_deviation=prior_deviation)
        errors = errors.drop("constant")
    best = str(errors.filter(list(responses)).idxmin())
    expected = float(errors[best])
    around = [expected, *(error_of(best, *guess) for guess in foretold.half_off(known, truths))]
    given, asked_about = (replace(known, density=1.0), m * law.density) if public else (known, float(m))
    bounds = _bounds(given, truths, aim, epsilon, asked_about, n if by_person else None)
    constant = float(bounds["error"]["constant"])
    worth_it = expected < _WORTH_IT * constant
    phases = {_RR: (1.0,), _THRESHOLDS: foretold.PHASES_OF[aim]}.get(best, _ROW_PHASES)
    two = len(law.domain) == 2
    way = _WAYS[best] + _IN_PHASES[len(phases)] * (best != _RR and not two)
    if by_person and best == _THRESHOLDS:
        way = way.replace("responses", f"responses to {asked} question{'s' * (asked > 1)} per person")
    sought = "share of the upper answer" if two else _WANTED.get(aim, "truth of a task")
    level = law.domain[0] + float(foretold.mean_of(foretold.wanted_of(known, truths, aim)))
    said = f"a share of {_said(level - law.domain[0])}" if two else f"{round(level, 2) + 0.0}"
    told = [
        f"Do not ask. The best plan, {way}, would be off by {_said(expected)}; saying {said} for every task,"
        f" by {_said(constant)}."
    ]
    if worth_it:
        told = [
            f"Ask {'for ' * (best != _THRESHOLDS)}{way}.",
            f"The {sought} will be off by {_said(expected)} on"
            f" average; by {_said(min(around), 2)} to {_said(max(around), 2)} if errors, density or spread of"
            " truths are wrong by half.",
            f"Saying {said} for every task would be off by {_said(constant)}.",
        ]
    nearest = str(errors.idxmin())
    if errors[nearest] < expected:
        why = "states no errors" if nearest.startswith("RR") else "is for study only"
        told += [f"{nearest}, would be off by {_said(errors[nearest])}, but {why}."]
    step = -(-(len(law.domain) - 1) // (_MOST_AT_THRESHOLDS - 1))
    if step > 1 and (short := foretold.in_turn(known, epsilon, m, n, truths, step)) < expected:
        told += [
            f"On a scale in steps of {step}, to which each worker rounds up or down at random so that means"
            f" stay, threshold responses would be off by {_said(short)}."
        ]
    if aim == "truth" and bounds["error"].notna().all():
        told += [f"No mechanism is expected to be off by less than {_said(bounds['error']['limit'])}."]
    covered = "one answer of a person" + ("" if public else " and whether there is one") + ", not the person"
    covered = "a person with all answers" if by_person else covered
    told += [f"Epsilon {epsilon:g} {'protects' if worth_it else 'would protect'} {covered}."]
    if public:
        told += ["Who answered what becomes public, and so does who was asked and kept silent."]
    return Plan(
        sentence=" ".join(told),
        mechanisms=_table(errors, aim, unit),
        bounds=bounds,
        mechanism=best if worth_it else "",
        error=expected,
        off_by_half=(min(around), max(around)),
        response=responses[best] if worth_it else None,
        domain=law.domain,
        n_tasks=n,
        target=aim,
        level=level,
        whole_steps=whole,
        gaps_are_public=public,
        phases=phases,
    )


def workers_needed(
    law: AnswerLaw,
    *,
    error: float,
    n_tasks: int,
    epsilon: float,
    prior_mean: float,
    prior_deviation: float,
    target: str | None = None,
) -> int:
    """Smallest number of workers with which threshold responses are expected to reach an error.

    Parameters
    ----------
    law : AnswerLaw
        As for :func:`expected_errors`, of 2 to 21 answers.
    error : float
        Mean absolute error that is wanted, > 0, in answer units.
    n_tasks, epsilon, prior_mean, prior_deviation, target
        As for :func:`expected_errors`.

    Returns
    -------
    int
        Number of workers to ask; 0 if the constant already has the wanted error.

    Raises
    ------
    TypeError
        If `law` is not an AnswerLaw.
    ValueError
        If more than 2^53 workers would be needed, or an argument is out of range.

    Notes
    -----
    Derived in: remedies/guide

    Examples
    --------
    >>> law = AnswerLaw(domain=range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.1)
    >>> workers_needed(law, error=0.2, n_tasks=200, epsilon=1.0, prior_mean=4.5, prior_deviation=1.0)
    33112
    """
    law, epsilon, truths = foretold.checked(law, epsilon, prior_mean, prior_deviation)
    question_thresholds(law.domain)
    wanted, n, aim = positive("error", error), count("n_tasks", n_tasks), _target(law, target)

    def lacking(workers: int) -> float:
        return log(max(foretold.at_thresholds(law, epsilon, workers, n, truths, aim), TINY) / wanted)

    low, high, too_few, enough = -1, 0, inf, lacking(0)
    while enough > 0:
        if high > _MOST_WORKERS:
            raise ValueError(f"error must be within reach of 2^53 workers, got {error!r:.80}")
        low, high, too_few = high, 4 * high + 3, enough
        enough = lacking(high)
    # The error is nearly a power of the number of workers, so regula falsi runs on logarithms. An end that
    # stays twice in a row counts half (the Illinois rule).
    last = 0
    while high - low > 1:
        guess = int((low + 1) * ((high + 1) / (low + 1)) ** (too_few / (too_few - enough))) - 1
        middle = min(max(guess, low + 1), high - 1)
        found = lacking(middle)
        if found <= 0:
            high, enough, too_few, last = middle, found, too_few / (2 if last == 1 else 1), 1
        else:
            low, too_few, enough, last = middle, found, enough / (2 if last == -1 else 1), -1
    return high


def _target(law: AnswerLaw, target: str | None) -> str:
    """Checked target; if None, the one that the number of answers suggests."""
    other = 2 < len(law.domain) <= _MOST_AT_THRESHOLDS
    if target is None:
        return "median" if other else "mean"
    if one_of("target", target, tuple(_READERS)) != "mean" and not other:
        raise ValueError(
            f"target must be 'mean' for two answers and for more than {_MOST_AT_THRESHOLDS},"
            f" got {target!r} for {len(law.domain)}"
        )
    return target


def _bounds(
    law: AnswerLaw, truths: Array, target: str, epsilon: float, n_workers: float, n_tasks: int | None
) -> pd.DataFrame:
    """Errors of the constant and of the limit; the limit is for whole rows if `n_tasks` is given."""
    limit, why = nan, "law and kinds known; of truths, by any mechanism"
    if target == "mean":
        why = "not known for means"
    elif n_tasks is not None:
        deviation = foretold.deviation_of(truths)
        sigmas = np.clip(law.sigmas, 1e-100, 1e100)  # no square overflows
        sigma = float(law.shares @ sigmas**-2.0) ** -0.5 / deviation
        designs = row_designs(
            n_tasks=n_tasks, n_workers=int(n_workers), epsilon=epsilon, density=law.density, sigma=sigma
        )
        limit = deviation * float(designs.error["limit"])
    elif len(law.domain) > foretold.MOST_FOR_LIMIT:
        why = f"not computed for more than {foretold.MOST_FOR_LIMIT} answers"
    else:
        limit = foretold.limit(law, epsilon, n_workers, truths)
    least = foretold.constant(law, truths, target)
    rows = {"constant": (least, "mean of truths known"), "limit": (limit, why)}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["error", "assumes"])


def _table(errors: pd.Series, target: str, unit: str) -> pd.DataFrame:
    """Table of the possible mechanisms, smallest error first."""
    table = errors.sort_values(kind="stable").to_frame().rename_axis("mechanism")
    known = {name for name in _ASSUMED if target != "mean" or name != _THRESHOLDS}
    table["assumes"] = [_ASSUMED[name] if name in known else "nothing" for name in table.index]
    readers = {_THRESHOLDS: _READERS[target].__name__, _RR: "decode", "LP, decoded": "decode"}
    readers |= {"mixed": "infer_from_rows", "own answer": "infer_from_rows"}
    table["decoder"] = [readers.get(name, "infer_truth") for name in table.index]
    table["unit"] = ["a given answer" if name.startswith("MF") else unit for name in table.index]
    return table


def _said(number: float, digits: int = 3) -> str:
    return f"{float(f'{number:.{digits}g}'):g}"
