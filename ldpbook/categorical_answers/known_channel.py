"""Truths from flipped answers, by a decoder that knows the flip probabilities."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaln, log_softmax, softmax

from ldpbook._arrays import Array
from ldpbook._crowd import Answers, read_reports
from ldpbook._validate import count, non_negative
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.categorical_answers.two_layer import TwoLayerFlip

__all__ = [
    "DecodedChoices",
    "decode_choices",
]

_WEIGHTS = np.arange(-2, 5.01, 0.5)  # log odds for the truth, in nats
_LEANS = np.array([0, 0.5, 1, 1.6, 2.4, 3.4])  # log odds for a favourite choice, in nats
_WIDTHS = np.array([0.25, 0.5, 0.55, 0.7, 0.9, 1.0])  # widths of the ranges of leans that they stand for
# The priors: mean weight (it counts for one worker), standard deviation of weights and leans, the number of
# workers for which that counts, and the number of tasks for which equal shares of the choices count.
_START, _SPREAD, _WORKERS, _TASKS = 0.5, 0.3, 2.0, 20.0
_SMOOTH = 10.0  # the smooth distribution of kinds counts for as many answers of each worker
# Numbers of answers that a kind's matrix may count for; with the last, a worker keeps that matrix.
_WORTH = np.array([3, 10, 30, 100, 1000])
_ROUNDS, _STEPS = 10, 3
_DAMPING = 0.3
_BLOCK = 4_000_000  # numbers computed at a time
_MOST_CHOICES = 32  # memory grows with the cube of their number


@dataclass(frozen=True, eq=False)
class DecodedChoices:
    """Result of decoding choices.

    If the reports came as a tidy frame, everything carries the labels of its workers, tasks and choices.

    Attributes
    ----------
    truth : ndarray or Series, shape (n,)
        Most probable choice of each task; nan, or None among labels, where no one reported.
    posterior : ndarray or DataFrame, shape (n, s)
        Probability that each choice is the truth.
    accuracy : ndarray or Series, shape (m,)
        Expected share of right answers of each worker before the flips, given the reports.
    prior : ndarray or Series, shape (s,)
        Share of each choice among the truths.
    n_iter : int
        Number of steps.
    converged : bool
        Whether the last step moved no probability by more than `tol`.
    """

    truth: Array | pd.Series
    posterior: Array | pd.DataFrame
    accuracy: Array | pd.Series
    prior: Array | pd.Series
    n_iter: int
    converged: bool


def decode_choices(
    reports: Answers, mechanism: OneLayerFlip | TwoLayerFlip, *, max_iter: int = 100, tol: float = 1e-3
) -> DecodedChoices:
    r"""Truths and the workers' accuracies from reports with known flip probabilities.

    A worker answers y where x is true with probability :math:`C_{xy}\propto e^{w[y=x]+b[y=f]}`. Her weight w
    for the truth and her lean b to a favourite choice f define her kind. Her reports have the distribution
    :math:`CP`, with P the mechanism's transition matrix. Tasks and workers exchange messages (belief
    propagation), each leaving out the message received from the other side, until nothing moves. The
    distributions of kinds and truths are learned at the same time. That of kinds is learned from the workers
    and from imaginary ones with normal weights and half-normal leans, who count for ten answers of each
    worker. With few reports all workers are treated as equally good, and the vote is close to the majority's.
    Choices are assumed to be true about equally often: where one is rare, or all workers share a confusion, a
    majority vote or Dawid and Skene's model does better. Where the reports speak for it, workers finally
    leave their kinds: each worker's matrix is then learned by itself, with her kind's matrix as a prior. The
    prior counts for the number of answers that makes the reports most probable.

    Parameters
    ----------
    reports : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        As for :func:`~ldpbook.categorical_answers.voting.weighted_vote`, but of one trial. Where NULL is a
        symbol, the share of NULL reports shows how many cells were answered, a share assumed to be the same
        for all workers and tasks; a NULL report shows nothing about the choice.
    mechanism : OneLayerFlip or TwoLayerFlip
        Mechanism that the workers used, with at most 32 choices. For two layers, the mean flip probability is
        used.
    max_iter : int
        Largest number of steps, >= 1.
    tol : float
        Convergence threshold for the probabilities, >= 0.

    Returns
    -------
    DecodedChoices
        Truths, their probabilities, workers' accuracies and how the iteration went.

    Raises
    ------
    TypeError
        If `mechanism` is of another type.
    ValueError
        If `reports` hold anything but choices and NULL, a worker has no report, or the mechanism reveals
        nothing about an answer (to nine digits) or has more than 32 choices.

    Notes
    -----
    Decoding costs no privacy: what is computed from reports is as private as they are, cell by cell.

    Derived in: remedies/known-channel

    Examples
    --------
    >>> flip = OneLayerFlip.with_probability(0.2, choices=2)
    >>> decoded = decode_choices([[0, 1, 0, 1], [0, 1, 0, 1], [0, 0, 0, 1], [1, 0, 1, 0]], flip)
    >>> decoded.truth
    array([0., 1., 0., 1.])
    """
    count("max_iter", max_iter)
    non_negative("tol", tol)
    s, channel = _channel(mechanism)
    cells = read_reports(reports, mechanism.choices)
    (m, n), form, worker, task = cells.shape, cells.form, cells.worker, cells.task
    symbol = cells.answer.astype(np.intp)
    asked = np.bincount(task, minlength=n) > 0
    if mechanism.null_is_symbol:
        # All choices turn to NULL with the same probability, so only the other reports tell them apart.
        stay, turn = channel[s, s], channel[0, s]
        density = np.clip((stay - 1 + symbol.size / m / n) / (stay - turn), 1 / m / n, 1)
        channel = density * channel[:s, :s] + (1 - density) * channel[s, :s]
        channel /= channel.sum(axis=1, keepdims=True)
    confusion, weight, lean, width = _kinds(s)
    law = np.maximum(confusion @ channel, np.finfo(float).tiny)  # probability of a report, by kind and truth
    told = worker.size / m * (channel[0, 0] - channel[0, 1]) ** 2  # answers that a worker's reports are worth
    imagined = m * _SMOOTH / told
    to_kind, to_truth = law.transpose(2, 1, 0), law.transpose(2, 0, 1)

    mean, variance, square = _START, 4 * _SPREAD**2, _SPREAD**2
    prior = np.full(s, 1 / s)
    shares = _shares(weight, lean, width, mean, variance, square)
    message = np.log(np.exp(shares) @ law.reshape(len(law), -1)).reshape(s, -1)[:, symbol].T
    belief = softmax(_added(message, task, n)[task] - message, axis=1)
    kind = np.empty((m, len(law)))
    starts = np.searchsorted(worker, np.arange(m))
    blocks = _blocks(worker, m, max(1, _BLOCK // len(law)))
    converged = False
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        for rows, first, last in blocks:
            heard = _through(belief[rows], to_kind, symbol[rows])
            whole = slice(first, last)
            sums = np.add.reduceat(np.log(heard), starts[whole] - rows.start)
            kind[whole] = softmax(sums + shares, axis=1)
            # Leave out the report itself. A factor that all truths share has no effect.
            np.divide(kind[worker[rows]], heard, out=heard)
            message[rows] = np.log(_through(heard, to_truth, symbol[rows]))
        joint = _added(message, task, n) + np.log(prior)
        moved = softmax(joint[task] - message, axis=1) - belief
        belief += (1 - _DAMPING) * moved
        posterior = softmax(joint, axis=1)
        held = kind.sum(axis=0)
        mean = (held @ weight + _START) / (m + 1)
        variance = (held @ (weight - mean) ** 2 + _WORKERS * _SPREAD**2) / (m + _WORKERS)
        square = (held @ lean**2 + _WORKERS * _SPREAD**2) / (m + _WORKERS)
        smooth = np.exp(_shares(weight, lean, width, mean, variance, square))
        shares = np.log(np.maximum(held + imagined * smooth, np.finfo(float).tiny) / (m + imagined))
        prior = (posterior[asked].sum(axis=0) + _TASKS / s) / (asked.sum() + _TASKS)
        if np.abs(moved).max() <= tol:
            converged = True
            break
    own = of_kind = np.tensordot(kind, confusion, 1)
    belief = softmax(joint[task] - message, axis=1)
    given = _given(own, belief, worker, symbol, channel)
    worth = max(_WORTH, key=lambda k: _evidence(given, of_kind, k))
    for _ in range(_ROUNDS if worth < _WORTH[-1] else 0):
        for _ in range(_STEPS):
            own = _given(own, belief, worker, symbol, channel) + worth * of_kind
            own /= own.sum(axis=2, keepdims=True)
        message = np.log(own @ channel)[worker, :, symbol]
        joint = _added(message, task, n) + np.log(prior)
        belief = softmax(joint[task] - message, axis=1)
    posterior = softmax(joint, axis=1)
    truth = form.elected(np.where(asked, posterior.argmax(axis=1), np.nan))
    accuracy = form.of_workers(np.diagonal(own, axis1=1, axis2=2) @ prior, "accuracy")
    return DecodedChoices(
        truth, form.rows_of_tasks(posterior), accuracy, form.of_choices(prior, "share"), n_iter, converged
    )


def _channel(mechanism: OneLayerFlip | TwoLayerFlip) -> tuple[int, Array]:
    """Number of choices, and the transition matrix of one cell."""
    if isinstance(mechanism, TwoLayerFlip):
        mean = (mechanism.low + mechanism.high) / 2
        mechanism = OneLayerFlip.with_probability(mean, mechanism.choices, mechanism.null_is_symbol)
    if not isinstance(mechanism, OneLayerFlip):
        raise TypeError(f"mechanism must be OneLayerFlip or TwoLayerFlip, got {mechanism!r:.80}")
    if mechanism.n_choices > _MOST_CHOICES:
        raise ValueError(
            f"mechanism must have at most {_MOST_CHOICES} choices, got {mechanism.n_choices}: merge some"
        )
    matrix = mechanism.transition_matrix
    if np.abs(matrix[0] - matrix[1]).max() < 1e-9:
        raise ValueError(f"mechanism must tell something of an answer, got {mechanism}")
    return mechanism.n_choices, matrix


def _kinds(s: int) -> tuple[Array, Array, Array, Array]:
    """Confusion matrices, shape (kinds, s, s), their weights and leans, and the widths of these leans."""
    weight, lean, favourite = (
        grid.ravel() for grid in np.meshgrid(_WEIGHTS, np.arange(len(_LEANS)), np.arange(s), indexing="ij")
    )
    kept = (lean > 0) | (favourite == 0)  # without a lean there is no favourite
    weight, lean, favourite = weight[kept], lean[kept], favourite[kept]
    log_odds = weight[:, None, None] * np.eye(s) + _LEANS[lean, None, None] * np.eye(s)[favourite][:, None]
    return softmax(log_odds, axis=2), weight, _LEANS[lean], _WIDTHS[lean] / np.where(lean > 0, s, 1)


def _shares(weight: Array, lean: Array, width: Array, mean: float, variance: float, square: float) -> Array:
    """Log share of each kind, with normal weights and half-normal leans."""
    found: Array = log_softmax(np.log(width) - (weight - mean) ** 2 / (2 * variance) - lean**2 / (2 * square))
    return found


def _given(
    own: Array, belief: Array, worker: NDArray[np.intp], symbol: NDArray[np.intp], channel: Array
) -> Array:
    """Expected numbers of answers, shape (m, s, s), by worker, truth and choice."""
    m, s, _ = own.shape
    seen = np.stack([np.bincount(worker * s + symbol, x, m * s).reshape(m, s) for x in belief.T], axis=1)
    found: Array = own * (seen / np.maximum(own @ channel, np.finfo(float).tiny) @ channel.T)
    return found


def _evidence(given: Array, of_kind: Array, worth: float) -> float:
    """Log probability of the answers if each row has a Dirichlet prior: `worth` times the row of its kind."""
    expected = worth * of_kind
    rows = gammaln(worth) - gammaln(worth + given.sum(axis=2))
    return float(rows.sum() + (gammaln(expected + given) - gammaln(expected)).sum())


def _through(values: Array, tables: Array, symbol: NDArray[np.intp]) -> Array:
    """Each row of values times the table of its symbol."""
    out = np.empty((len(values), tables.shape[2]))
    for number, table in enumerate(tables):
        out[symbol == number] = values[symbol == number] @ table
    return out


def _added(values: Array, at: NDArray[np.intp], size: int) -> Array:
    """Sums of rows of values, by the index to which they belong."""
    return np.stack([np.bincount(at, column, size) for column in values.T], axis=1)


def _blocks(worker: NDArray[np.intp], m: int, size: int) -> list[tuple[slice, int, int]]:
    """Reports of whole workers, about `size` in a block, with the first worker and the one after the last."""
    ends = np.cumsum(np.bincount(worker, minlength=m))
    cuts = np.unique(np.append(np.searchsorted(ends, np.arange(size, ends[-1], size)) + 1, m))
    starts = np.insert(cuts[:-1], 0, 0)
    return [
        (slice(ends[first - 1] if first else 0, ends[last - 1]), first, last)
        for first, last in zip(starts, cuts, strict=True)
    ]
