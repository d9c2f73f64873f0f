"""Logistic regression in which an answer, outcome or predictor, is known only by a randomized report."""

from dataclasses import dataclass
from functools import lru_cache
from math import inf, log

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logsumexp

from ldpbook._arrays import Array, numeric
from ldpbook._validate import probability

__all__ = ["ReportRegression", "regress_answer", "regress_on_answer"]

_FAR = 10.0  # distance in log odds from an estimate at which the likelihood should have fallen
_FALL = 1e-6  # the smallest fall that counts
_STEP = 0.1  # largest change of log odds by Newton's next step; if coefficients diverge, it is 1/2 or more
_FLAT = 1e-4  # information in the flattest direction at which the error is 100 log odds
_ASKED = 400  # number of people by whom starts are ranked; it may be up to twice as large


@dataclass(frozen=True, eq=False)
class ReportRegression:
    """Result of a logistic regression in which an answer is hidden behind its report.

    Attributes
    ----------
    coefficients : Series
        Log odds by term: "intercept", then the columns of the covariates. For a regression *on* the answer,
        their labels are (equation, term). The equations are "answer" and "outcome"; the latter has the term
        "answer" last.
    covariance : DataFrame
        Covariance of the coefficients, from the curvature of the log-likelihood; nan if not converged.
    log_likelihood : float
        Log-likelihood of the data given the covariates.
    converged : bool
        Whether the likelihood has a maximum there, and is not so flat that an error is above 100. If not,
        some coefficients diverge: their values only show where the search stopped, and only their signs are
        informative.
    """

    coefficients: pd.Series
    covariance: pd.DataFrame
    log_likelihood: float
    converged: bool

    @property
    def errors(self) -> pd.Series:
        """Standard errors of the coefficients."""
        return pd.Series(np.sqrt(np.diag(self.covariance)), self.coefficients.index)


def regress_answer(reports: ArrayLike, covariates: ArrayLike, *, p: float, q: float) -> ReportRegression:
    r"""Logistic regression of a hidden answer on covariates, from randomized reports.

    The answer is yes with probability :math:`\sigma(x\beta)`, and the report is yes with probability
    :math:`q + (p - q)\sigma(x\beta)`. The result is as private as the reports, if covariates are public.

    Parameters
    ----------
    reports : array_like, shape (N,)
        Report of each person, 1 for yes and 0 for no. Missing ones are refused: leave these people out, and
        say that the estimates are for those who reported.
    covariates : array_like or DataFrame, shape (N, k)
        Known values of each person, finite, with k = 0 for none. The intercept is added. Sampling weights
        are not supported; include the variables on which they depend here. No column may be named "intercept"
        or "answer". Series and frames must have the same index in the same order; they are not aligned.
    p, q : float
        Probabilities of reporting yes if the answer is yes and if it is no; they differ.

    Returns
    -------
    ReportRegression
        Fit at the highest peak of the likelihood that is found from two starts: the decoded share, and the
        best of many steps, up or down, along the covariates. With few people there may be higher peaks, and
        the standard errors hold only for many people.

    Raises
    ------
    ValueError
        If p = q, a report is missing or neither 0 nor 1, or covariates are missing, linearly dependent, have
        another index, or have names that are reserved or repeated.

    Notes
    -----
    Derived in: practice/regression

    Examples
    --------
    >>> group = np.repeat([0.0, 1.0], 100)
    >>> reports = np.r_[np.repeat([1, 0], [30, 70]), np.repeat([1, 0], [50, 50])]
    >>> found = regress_answer(reports, pd.DataFrame({"group": group}), p=5 / 6, q=1 / 6)
    >>> found.coefficients.round(3).to_dict()  # log(0.2 / 0.8), and the step from there to even odds
    {'intercept': -1.386, 'group': 1.386}
    >>> found.errors.round(3).to_dict()
    {'intercept': 0.43, 'group': 0.524}
    """
    _same_index(reports=reports, covariates=covariates)
    chances = _chances(reports, p, q)
    rows, scale, terms = _rows(covariates, len(chances[0]))
    designs = np.stack([rows, rows])[:, :, None]
    targets = np.broadcast_to(np.array([0.0, 1.0])[:, None, None], (2, len(rows), 1))
    return _maximum(chances, designs, targets, _starts(chances, rows), scale, pd.Index(terms))


def regress_on_answer(
    outcome: ArrayLike, reports: ArrayLike, covariates: ArrayLike, *, p: float, q: float
) -> ReportRegression:
    r"""Logistic regression of an outcome on a hidden answer, from randomized reports.

    The answer :math:`a` is yes with probability :math:`\sigma(x\beta)`; the outcome is 1 with probability
    :math:`\sigma(x\alpha + \gamma a)`. Given the answer and the covariates, the report does not depend on the
    outcome. Both regressions are fitted together, since a report leaves a mixture of both answers.

    Parameters
    ----------
    outcome : array_like, shape (N,)
        0 or 1 for each person, none missing. It is not randomized, so it is public.
    reports, covariates, p, q
        As in :func:`regress_answer`.

    Returns
    -------
    ReportRegression
        Fit of both equations; :math:`\gamma` is the coefficient ("outcome", "answer"). It is at the highest
        peak that is found from two starts, as in :func:`regress_answer`.

    Raises
    ------
    ValueError
        As in :func:`regress_answer`, and if an outcome is neither 0 nor 1.

    Notes
    -----
    Derived in: practice/regression

    Examples
    --------
    >>> outcome, reports = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [60, 40, 30, 70], axis=0).T
    >>> found = regress_on_answer(outcome, reports, np.empty((200, 0)), p=5 / 6, q=1 / 6)
    >>> found.coefficients["outcome"].round(3).to_dict()
    {'intercept': -1.179, 'answer': 2.005}
    """
    _same_index(outcome=outcome, reports=reports, covariates=covariates)
    chances = _chances(reports, p, q)
    seen = _bits("outcome", outcome)
    if len(seen) != len(chances[0]):
        raise ValueError(f"outcome must be of the {len(chances[0])} people who report, got {len(seen)}")
    rows, scale, terms = _rows(covariates, len(seen))
    n, k = rows.shape
    designs = np.zeros((2, n, 2, 2 * k + 1))  # by answer, person, equation and coefficient
    designs[:, :, 0, :k] = designs[:, :, 1, k : 2 * k] = rows
    designs[1, :, 1, -1] = 1
    targets = np.stack([np.stack([np.full(n, answer), seen], axis=1) for answer in (0.0, 1.0)])
    both = np.eye(2 * k + 1)
    both[:k, :k] = both[k : 2 * k, k : 2 * k] = scale
    names = [("answer", term) for term in terms] + [("outcome", term) for term in (*terms, "answer")]
    plain = [np.r_[start, np.zeros(k + 1)] for start in _starts(chances, rows)]
    starts = plain + [plain[0] + gamma * both[-1] for gamma in (-2.0, 2.0)]
    return _maximum(chances, designs, targets, starts, both, pd.MultiIndex.from_tuples(names))


def check_channel(p: float, q: float) -> tuple[float, float]:
    """Probabilities of reporting yes if the answer is yes and if it is no; they differ by 1e-6 or more."""
    p, q = probability("p", p), probability("q", q)
    if abs(p - q) < 1e-6:
        raise ValueError(f"p must differ from q, as reports tell nothing at {p!r} and {q!r}")
    return p, q


def _same_index(**given: object) -> None:
    indexed = [value.index for value in given.values() if isinstance(value, pd.Series | pd.DataFrame)]
    if not all(indexed[0].equals(index) for index in indexed[1:]):
        raise ValueError(f"{' and '.join(given)} must have one index, in one order; got several")


def _bits(name: str, values: ArrayLike) -> Array:
    bits = numeric(name, values)
    if bits.ndim != 1 or not np.isin(bits, (0, 1)).all():
        raise ValueError(
            f"{name} must be 0 or 1 for each person, none missing; got others, shape {bits.shape}"
        )
    return bits


def _chances(reports: ArrayLike, p: float, q: float) -> Array:
    """Probability of each report given the answers no and yes, shape (2, N)."""
    p, q = check_channel(p, q)
    bits = _bits("reports", reports)
    return np.stack([np.where(bits == 1, yes, 1 - yes) for yes in (q, p)])


def _rows(covariates: ArrayLike, n: int) -> tuple[Array, Array, list[object]]:
    """Ones and standardized covariates, matrix that maps coefficients back, and names of the terms."""
    values = numeric("covariates", covariates)
    if n < 2:
        raise ValueError(f"reports must be of two people or more, got {n}")
    if values.ndim != 2 or len(values) != n or not (np.abs(values) < 1e60).all():
        raise ValueError(
            f"covariates must be finite numbers of shape ({n}, k), none missing, got shape {values.shape}"
        )
    names = list(getattr(covariates, "columns", range(values.shape[1])))
    if len({"intercept", "answer", *names}) < len(names) + 2:
        raise ValueError(
            f"covariates must have names of their own, not intercept or answer, got {names!r:.80}"
        )
    width = np.ptp(values, axis=0)
    if ((width > 0) & (width < 1e-60)).any():
        raise ValueError("covariates must differ by 1e-60 or more between people, got less: rescale them")
    middle, spread = values.mean(axis=0), values.std(axis=0)
    rows = np.column_stack([np.ones(n), (values - middle) / np.where(spread > 0, spread, 1)])
    if np.linalg.matrix_rank(rows) < rows.shape[1]:
        raise ValueError("covariates must be linearly independent of each other and of a constant")
    scale = np.diag(1 / np.r_[1.0, spread])
    scale[0, 1:] = -middle / spread
    return rows, scale, ["intercept", *names]


def _starts(chances: Array, rows: Array) -> list[Array]:
    """Start at which everyone's probability of yes is the decoded share; then starts with a step.

    Steps go up or down at nine quantiles of each covariate, and of the least squares fit of the decoded
    reports. Where reports equal the answers, the likelihood is concave, and one start is enough.
    """
    decoded = (1 - chances[0]) / (chances[1] - chances[0])
    share = np.clip(np.mean(decoded), 0.02, 0.98)
    first = np.eye(rows.shape[1])[0]
    fit = np.linalg.lstsq(rows, decoded)[0]
    fit[0] = 0
    starts = [log(share / (1 - share)) * first]
    ways = [] if np.isin(chances, (0, 1)).all() else [*np.eye(len(first))[1:], fit]
    for way in ways if len(first) > 2 else ways[:-1]:  # with one covariate, the fit has its direction
        scores = rows @ way
        if (spread := scores.std()) > 1e-9:
            for at in np.unique(np.quantile(scores, np.linspace(0.05, 0.95, 9))):
                starts += [steep / spread * (way - at * first) for steep in (-30.0, -3.0, 3.0, 30.0)]
    return starts


def _maximum(
    chances: Array, designs: Array, targets: Array, starts: list[Array], scale: Array, terms: pd.Index
) -> ReportRegression:
    """Fit of the mixture over the hidden answer, which is the first axis; covariates are standardized."""
    n = len(designs[0])
    with np.errstate(divide="ignore"):  # a report may be impossible given one answer
        logs = np.log(chances)

    def height(theta: Array, every: int = 1) -> float:
        odds, some = designs[:, ::every] @ theta, targets[:, ::every]
        joint = logs[:, ::every] + np.where(some == 1, log_expit(odds), log_expit(-odds)).sum(axis=-1)
        return float(logsumexp(joint, axis=0).mean())

    def parts(theta: Array) -> tuple[float, Array, Array]:
        """Log-likelihood per person, its gradient and its Hessian."""
        odds = designs @ theta
        joint = logs + np.where(targets == 1, log_expit(odds), log_expit(-odds)).sum(axis=-1)
        total = logsumexp(joint, axis=0)
        belief, mean = np.exp(joint - total), expit(odds)  # belief in each answer given all data
        scores = np.einsum("anep,ane->anp", designs, targets - mean)
        score = np.einsum("an,anp->np", belief, scores)
        weights = belief[..., None] * mean * (1 - mean)
        within = np.einsum("an,anp,anr->pr", belief, scores, scores, optimize=True) - score.T @ score
        bend = np.einsum("ane,anep,aner->pr", weights, designs, designs, optimize=True)
        return float(total.mean()), score.mean(axis=0), (within - bend) / n

    at = lru_cache(1)(lambda place: parts(np.frombuffer(place)))  # the search evaluates a point three times

    def loss(theta: Array) -> float:
        return -at(theta.tobytes())[0]

    def descent(theta: Array) -> Array:
        return -at(theta.tobytes())[1]

    def information(theta: Array) -> Array:
        return -at(theta.tobytes())[2]

    ranked = sorted(starts[1:], key=lambda start: -height(start, max(1, n // _ASKED)))
    found, top = starts[0], -inf
    for start in (starts[0], *ranked[:1]):
        peak = minimize(loss, start, jac=descent, hess=information, method="trust-exact", tol=1e-9).x
        if n * (height(peak) - top) > _FALL:  # keep the first of equally high peaks
            found, top = peak, height(peak)
    _, slope, bend = parts(found)
    widths, axes = np.linalg.eigh(-bend)
    settled = n * widths[0] > _FLAT
    if settled:
        # If the likelihood approaches its bound like C exp(-t), slope and curvature in t are equally small.
        # So where coefficients diverge, Newton's step does not shrink, however far the search has gone.
        newton = designs @ (axes @ (axes.T @ slope / widths))
        further = max(height(found + step * axes[:, 0]) for step in (-_FAR, _FAR))
        settled = bool(np.abs(newton).max() < _STEP and n * (top - further) > _FALL)
    covariance = scale @ ((axes / widths) @ axes.T) @ scale.T / n if settled else np.full(scale.shape, np.nan)
    return ReportRegression(
        pd.Series(scale @ found, terms), pd.DataFrame(covariance, terms, terms), n * top, bool(settled)
    )
