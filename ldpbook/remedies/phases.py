"""A survey in phases: thresholds go out, reports come in, and the next thresholds lie nearer the truths."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from scipy.stats import norm

from ldpbook._arrays import Array, Rng, generator
from ldpbook._crowd import Answers, read_matrix
from ldpbook._validate import count, flag, integer_domain, one_of, positive
from ldpbook.remedies._law_check import objections
from ldpbook.remedies._posterior import Evidence, Posterior, fit, law_of
from ldpbook.remedies.answer_law import AnswerLaw
from ldpbook.remedies.answer_means import MeanResult, means_result
from ldpbook.remedies.answer_medians import MedianResult, medians_result
from ldpbook.remedies.best_mechanism import ChannelResponse, best_information, neighbour_groups
from ldpbook.remedies.smaller_question import (
    ThresholdResponse,
    ThresholdResult,
    check_report_counts,
    check_three,
    question_thresholds,
    threshold_evidence,
    unlinked_result,
)
from ldpbook.remedies.who_is_careful import code_counts, column_counts, linked_result, report_codes

__all__ = ["Survey", "infer_with_best_channels", "infer_with_thresholds", "next_channels", "next_thresholds"]

PHASES = (0.1, 0.2, 0.7)  # shares of the workers
CHECKED = (0.2, 0.2, 0.6)  # with a first phase that is large enough to check the distribution of the answers
_MOST_GROUPS = 12  # of answers that the linear program distinguishes, NULL included


@dataclass(frozen=True, eq=False)
class Survey:
    """State of a threshold survey: all that its next phase needs, and nothing that links reports.

    Parameters
    ----------
    epsilon : float
        The reports' epsilon, finite and > 0.
    domain : sequence of int
        The answer domain without NULL, 2 to 21 consecutive integers.
    counts : array_like, shape (thresholds, n, 3)
        Reports so far, as in `infer_from_counts`.

    Notes
    -----
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> survey = Survey.start(1, epsilon=2.0, domain=range(3))
    >>> survey = survey.add([[1.0], [float("nan")]], [[0.5], [1.5]])
    >>> Survey.from_json(survey.to_json()).counts.tolist()
    [[[0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0]]]
    """

    epsilon: float
    domain: Sequence[int]
    counts: Array

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        object.__setattr__(self, "domain", integer_domain(self.domain))
        object.__setattr__(self, "counts", check_report_counts(self.counts, self.domain))

    @classmethod
    def start(cls, n_tasks: int, *, epsilon: float, domain: Sequence[int]) -> "Survey":
        """A new survey without reports."""
        shape = (len(question_thresholds(domain)), count("n_tasks", n_tasks), 3)
        return cls(epsilon, domain, np.zeros(shape))

    def add(self, reports: ArrayLike, thresholds: ArrayLike) -> "Survey":
        """The survey with these reports added, which were given at these thresholds."""
        codes = report_codes(reports, thresholds, self.domain)
        return replace(self, counts=self.counts + code_counts(codes, self.domain))

    @cached_property
    def learned(self) -> tuple[Evidence, Posterior]:
        """The reports as evidence, and the posterior of the truths on which `next_thresholds` is based."""
        evidence = threshold_evidence(self.counts, self.epsilon, self.domain)
        return evidence, fit(evidence)

    @cached_property
    def why(self) -> tuple[str, ...]:
        """Ways in which the reports depart from the assumed distribution of answers, as in `MedianResult`.

        Unlike there, answers that leave a gap around the median are not noticed. Empty if none was found. A
        first phase, which asks at all thresholds in turn, reveals most.
        """
        heard = self.counts.any()
        return objections(*self.learned, ThresholdResponse(self.epsilon).transition_matrix) if heard else ()

    def to_json(self) -> str:
        """The survey as text, for a file."""
        return json.dumps(
            {"epsilon": self.epsilon, "domain": list(self.domain), "counts": self.counts.astype(int).tolist()}
        )

    @classmethod
    def from_json(cls, text: str) -> "Survey":
        """The survey that `to_json` saved."""
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, got {text!r:.80} of type {type(text).__name__}")
        try:
            saved = json.loads(text)
        except json.JSONDecodeError:
            saved = None
        if not isinstance(saved, dict) or set(saved) != {"epsilon", "domain", "counts"}:
            raise ValueError(f"text must be a survey that to_json saved, got {text!r:.80}")
        return cls(**saved)


def next_thresholds(survey: Survey) -> Array:
    """Thresholds for the next workers, given the reports so far.

    At first, these are all thresholds in turn; later, for each task, the threshold with the most information
    about the task's truth, averaged over the posterior of the truth.

    Parameters
    ----------
    survey : Survey
        The survey so far.

    Returns
    -------
    ndarray, shape (k, n)
        Thresholds, in answer units. Give workers its rows in turn: the first, the second, ..., the first
        again.

    Notes
    -----
    That a threshold depends on earlier workers' *reports* costs no privacy: given them, each cell's report is
    epsilon-LDP (sequential interaction, one report per cell).
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> survey = Survey.start(3, epsilon=2.0, domain=range(5))
    >>> next_thresholds(survey)
    array([[0.5, 1.5, 2.5],
           [1.5, 2.5, 3.5],
           [2.5, 3.5, 0.5],
           [3.5, 0.5, 1.5]])
    """
    _check_survey(survey)
    asked = question_thresholds(survey.domain)
    if not survey.counts.any():
        turns = np.arange(len(asked))[:, None] + np.arange(survey.counts.shape[1])
        return asked.take(turns, mode="wrap")
    evidence, posterior = survey.learned
    law = law_of(posterior.parameters, survey.domain)
    scaled = (posterior.grid[..., None] - asked)[..., None] / law.sigmas
    kept, other = ThresholdResponse(survey.epsilon).transition_matrix[0, :2]
    signal = (kept - other) * evidence.density[:, None, None]
    above = other + signal * (ndtr(scaled) @ law.shares)
    slope = signal * (norm.pdf(scaled) @ (law.shares / law.sigmas))
    information = slope**2 * (1 / above + 1 / (2 * other + signal - above))
    expected = (posterior.weights[..., None] * information).sum(axis=1)
    best: Array = asked.take(expected.argmax(axis=1))[None]
    return best


def next_channels(survey: Survey) -> Array:
    """Channel for each task with the most expected information about its truth, given the reports so far.

    The channel is found by the linear program of `best_information`, averaged over the posterior of the
    truth. Tasks whose estimates round to the same tenth of an answer unit share a channel.

    Parameters
    ----------
    survey : Survey
        The survey so far, asked by thresholds.

    Returns
    -------
    ndarray, shape (n, size + 1, r)
        Probability of each output for each answer of the domain, NULL last, as `ChannelResponse` takes it.

    Notes
    -----
    Optimal channel at a first estimate: Steinberger (2024).
    Derived in: remedies/best-mechanism

    Examples
    --------
    >>> survey = Survey.start(1, epsilon=1.0, domain=range(4))
    >>> next_channels(survey.add([[1.0]] * 20 + [[0.0]] * 10, 1.5)).round(3)
    array([[[0.731, 0.269],
            [0.731, 0.269],
            [0.731, 0.269],
            [0.269, 0.731],
            [0.269, 0.731]]])
    """
    _check_survey(survey)
    evidence, posterior = survey.learned
    law = law_of(posterior.parameters, survey.domain)
    places = np.round(posterior.truth, 1)
    found = {}
    for place in np.unique(places):
        tasks = places == place
        density = float(evidence.density[tasks].mean())
        answers = AnswerLaw(survey.domain, tuple(law.sigmas), tuple(law.shares), density)
        truths, weights = posterior.grid[tasks].ravel(), posterior.weights[tasks].ravel()
        p, slope = answers.at(truths), answers.slope(truths)
        groups = neighbour_groups(p, slope, n_groups=_MOST_GROUPS, weights=weights)
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        p, slope = (np.add.reduceat(each, starts, axis=1) for each in (p, slope))
        best = best_information(p, slope, epsilon=survey.epsilon, weights=weights)
        found[place] = best.transition_matrix[groups]
    channels = np.zeros((len(places), len(survey.domain) + 1, max(c.shape[1] for c in found.values())))
    for task, place in enumerate(places):
        channels[task, :, : found[place].shape[1]] = found[place]
    return channels


@overload
def infer_with_thresholds(
    answers: Answers,
    *,
    epsilon: float,
    domain: Sequence[int],
    rng: Rng,
    target: Literal["median"] = "median",
) -> MedianResult: ...


@overload
def infer_with_thresholds(
    answers: Answers, *, epsilon: float, domain: Sequence[int], rng: Rng, target: Literal["mean"]
) -> MeanResult: ...


@overload
def infer_with_thresholds(
    answers: Answers,
    *,
    epsilon: float,
    domain: Sequence[int],
    rng: Rng,
    target: Literal["truth"],
    linked: bool = False,
) -> ThresholdResult: ...


def infer_with_thresholds(
    answers: Answers,
    *,
    epsilon: float,
    domain: Sequence[int],
    rng: Rng,
    target: str = "median",
    linked: bool = False,
) -> MedianResult | MeanResult | ThresholdResult:
    """Estimates from a threshold survey that is simulated on given answers.

    Workers are dealt into phases at random; each sends one report per cell, NULLs included. The curator's
    side sees reports and thresholds only. Each cell is protected with epsilon-LDP for every pair of
    neighbours, NULL included; a worker who changes k cells is protected with k epsilon.

    Parameters
    ----------
    answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        Answers in any form, nan = NULL, within the domain. An answer that equals its threshold counts as
        above it or not by a coin toss. A tidy frame has no row for a worker who answered nothing: densities
        are then shares of those who answered something.
    epsilon : float
        Privacy budget of one cell, finite and > 0.
    domain : sequence of int
        The answer domain without NULL, 3 to 21 consecutive integers; for the mean, 2 are enough.
    rng : Generator or int
        Source of randomness, or a seed for one: for study.
    target : {"median", "mean", "truth"}
        The quantity to estimate for each task.

        - "median": the interpolated median of the answers given, see
          :func:`~ldpbook.remedies.answer_medians.infer_medians`. A fifth of the workers are asked at all
          thresholds in turn, so that the distribution of the answers can be checked; then a fifth and three
          fifths are asked near the estimates.
        - "mean": the mean of the answers given, see :func:`~ldpbook.remedies.answer_means.infer_means`. All
          workers are asked at all thresholds in turn.
        - "truth": the truth of the location model, see
          :func:`~ldpbook.remedies.smaller_question.infer_from_counts`, in phases of 10, 20 and 70 %. Nothing
          checks the model.
    linked : bool
        For the truth: whether the curator knows which reports are from the same worker, and learns who is
        careful, as `infer_from_reports` does. Errors are then smaller where most cells are answered; but
        workers who lean to one side on all tasks lead the estimate far astray.

    Returns
    -------
    MedianResult, MeanResult or ThresholdResult
        Estimates with their errors, and densities. For the median, check `trusted` and
        `why`; for the truth, `converged`.

    Raises
    ------
    ValueError
        If the domain has two answers and the target is not the mean, because one threshold does not show the
        unit; or if reports are linked for a target other than the truth.

    Notes
    -----
    Two phases with the second near the first's estimate: Joseph et al. (2019), Steinberger (2024); the item
    response model with known flips: Fox (2005).
    Derived in: remedies/smaller-question

    Examples
    --------
    >>> from ldpbook.datasets import synthetic_crowd
    >>> crowd = synthetic_crowd(2000, 10, density=0.5, truth_mean=4.5, rng=1)
    >>> result = infer_with_thresholds(crowd.answers, epsilon=3.0, domain=range(10), rng=2)
    >>> bool(abs(result.median - crowd.truth).mean() < 0.2), result.trusted
    (True, True)
    """
    if one_of("target", target, ("median", "mean", "truth")) != "mean":
        check_three(domain)
    if flag("linked", linked) and target != "truth":
        raise ValueError(f"linked must be False unless the target is 'truth', got target={target!r}")
    matrix, form = read_matrix(answers, domain=integer_domain(domain), silent=True)
    phases = {"median": CHECKED, "mean": (1.0,), "truth": PHASES}[target]
    survey, codes = asked_in_phases(matrix, phases, epsilon, domain, generator(rng))
    evidence = threshold_evidence(survey.counts, epsilon, survey.domain)
    if linked:
        return linked_result(codes, evidence, form)
    if target == "truth":
        return unlinked_result(evidence, form)
    read = medians_result if target == "median" else means_result
    return read(evidence, ThresholdResponse(epsilon).transition_matrix, form)


def infer_with_best_channels(
    answers: Answers, *, epsilon: float, domain: Sequence[int], rng: Rng
) -> ThresholdResult:
    """Estimated truths from a simulated survey whose last phase uses the channels of `next_channels`.

    Otherwise as `infer_with_thresholds` for the truth.

    Parameters
    ----------
    answers, domain, rng
        As in `infer_with_thresholds`; answers are integers.
    epsilon : float
        Privacy budget of one cell, > 0 and at most 300.

    Returns
    -------
    ThresholdResult
        Truths with their errors, and densities.

    Notes
    -----
    Each cell is protected with epsilon-LDP for every pair of neighbours, NULL included.
    Derived in: remedies/best-mechanism
    """
    check_three(domain)
    matrix, form = read_matrix(answers, domain=integer_domain(domain), integers=True, silent=True)
    source, epsilon = generator(rng), positive("epsilon", epsilon)
    matrix = source.permutation(matrix)
    early = int(np.round((1 - PHASES[-1]) * len(matrix)))
    survey, _ = asked_in_phases(matrix[:early], PHASES[:-1], epsilon, domain, source)
    channels = next_channels(survey)
    outputs = ChannelResponse(channels, domain).perturb(matrix[early:], source)
    evidence, _ = survey.learned
    heard = column_counts(np.asarray(outputs).astype(np.int16), channels.shape[2])[None]
    asked = np.broadcast_to(evidence.channels, (len(channels), *evidence.channels.shape[1:]))
    both = replace(
        evidence,
        counts=np.concatenate([evidence.counts, heard], axis=2),
        channels=np.concatenate([asked, channels], axis=2),
    )
    return unlinked_result(both, form)


def _check_survey(survey: object) -> None:
    if not isinstance(survey, Survey):
        raise TypeError(f"survey must be a Survey, got {survey!r:.80} of type {type(survey).__name__}")


def asked_in_phases(
    matrix: Array, phases: Sequence[float], epsilon: float, domain: Sequence[int], source: np.random.Generator
) -> tuple[Survey, NDArray[np.int16]]:
    """A survey of workers who are dealt at random into phases of these shares, and its reports' columns."""
    response = ThresholdResponse(epsilon)
    survey = Survey.start(matrix.shape[1], epsilon=epsilon, domain=domain)
    codes = np.empty(matrix.shape, dtype=np.int16)
    ends = np.round(np.cumsum(phases) / sum(phases) * len(matrix)).astype(int)
    for cohort in np.split(source.permutation(len(matrix)), ends[:-1]):
        if not len(cohort):  # with few workers, a phase may be empty
            continue
        thresholds = np.resize(next_thresholds(survey), (len(cohort), matrix.shape[1]))
        reports = response.perturb(matrix[cohort], thresholds, source)
        codes[cohort] = report_codes(np.asarray(reports), thresholds, survey.domain)
        survey = replace(survey, counts=survey.counts + code_counts(codes[cohort], survey.domain))
    return survey, codes
