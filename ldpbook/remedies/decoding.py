"""Decoding: estimates of the truths from reports, given how the mechanism perturbs."""

from dataclasses import dataclass
from math import exp, expm1

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ldpbook._arrays import Array, numeric
from ldpbook._crowd import Answers, Cells, Form, read_cells
from ldpbook._validate import count
from ldpbook.sparse_answers.laplace import LaplacePerturbation
from ldpbook.sparse_answers.randomized_response import RandomizedResponse

__all__ = ["DecodedTruth", "decode"]

_MOST_NOISE = 1e12  # variance beyond which an estimate is ignored, in squared half-widths of its range
_LARGEST_NOISE = 1000  # of Laplace noise, in scales: larger noise has probability exp(-1000)
_MOST_STEPS = 20_000  # of EM, for one distribution over the domain and NULL


@dataclass(frozen=True, eq=False)
class DecodedTruth:
    """Result of decoding: arrays of shape (n,), or Series with the tasks' labels if reports had any.

    Attributes
    ----------
    truth : ndarray or Series
        Mean answer of each task, shrunk towards the mean of all tasks; within the domain.
    error : ndarray or Series
        Standard error of `truth`. It is correct on average over tasks but not for each task, because
        shrinkage moves extreme estimates most.
    unshrunk : ndarray or Series
        Mean answer of each task before shrinkage; may lie outside the domain. A density that the reports can
        hardly distinguish from 0 is replaced here by its standard error: such a task stays too near the mean
        of all tasks.
    noise : ndarray or Series
        Standard error of `unshrunk`, given its density. For randomized response it is computed from the
        distribution of all tasks' answers, so that it is correct on average over tasks and too large where a
        task's answers differ less.
    density : ndarray or Series
        Share of the workers who answered, estimated and shrunk in the same way, or as given.
    converged : bool
        Whether EM converged on the distribution behind all tasks' reports; True where EM was not needed.
    """

    truth: Array | pd.Series
    error: Array | pd.Series
    unshrunk: Array | pd.Series
    noise: Array | pd.Series
    density: Array | pd.Series
    converged: bool


def decode(
    reports: Answers,
    mechanism: RandomizedResponse | LaplacePerturbation,
    *,
    density: ArrayLike | None = None,
    n_workers: int | None = None,
) -> DecodedTruth:
    r"""Estimate the mean answer of each task from the reports of a mechanism of the source.

    The estimated quantity is the mean of the answers within the domain, over a population from which the
    workers are a sample. It is not the truth behind the answers where the domain's ends clip them. For
    randomized response, the probabilities are inverted; for Laplace perturbation, the fill's share is
    removed. Then the tasks' estimates are shrunk as if truths were normal with unknown mean and standard
    deviation.

    Decoding only reads reports, so it costs no privacy: the unit of protection, a cell, and epsilon are those
    of the mechanism.

    Parameters
    ----------
    reports : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        Output of `mechanism.perturb`, in any form of answers; without NULL for Laplace perturbation. Rows of
        a matrix count even if they hold no answer. A frame has no rows for workers whose reports are all
        NULL, and without them the estimated densities are too large: give `n_workers`.
    mechanism : RandomizedResponse or LaplacePerturbation
        The mechanism that drew the reports, with the same parameters.
    density : array_like, shape () or (n,), or Series by task, optional
        Share of the cells of a task, or of all, that held an answer, in (0, 1], treated as exact. If None, it
        is estimated from the reports of randomized response; those of Laplace perturbation do not reveal it.
    n_workers : int, optional
        Number of workers who sent reports, including those whose reports are all NULL. If None, the number of
        rows.

    Returns
    -------
    DecodedTruth
        Estimates, standard errors and densities.

    Raises
    ------
    TypeError
        If the mechanism is neither of the two.
    ValueError
        If reports are not possible outputs of the mechanism, or the density is missing or invalid.

    Notes
    -----
    Truths that lie closer together than a 400th of the domain's width are shrunk as if they lay that far
    apart. Where most reports are unchanged answers, their plain average needs no decoding.

    Source: shrinkage after James and Stein (1961); the flat prior on the standard deviation of the truths
    after Gelman (2006).
    Derived in: remedies/decoding

    Examples
    --------
    >>> from ldpbook import RandomizedResponse
    >>> from ldpbook.datasets import synthetic_crowd
    >>> crowd = synthetic_crowd(5000, 4, density=0.5, truth_mean=4.5, rng=1)
    >>> rr = RandomizedResponse(epsilon=4.0, domain=range(10))
    >>> found = decode(rr.perturb(crowd.answers, rng=2), rr)
    >>> np.nanmean(crowd.answers, axis=0).round(2)
    array([4.76, 5.14, 4.75, 3.43])
    >>> found.truth.round(2), found.error.round(2)
    (array([4.77, 5.14, 4.79, 3.4 ]), array([0.07, 0.07, 0.07, 0.07]))
    """
    if isinstance(mechanism, RandomizedResponse):
        cells, n_all = _read(reports, mechanism, n_workers)
        known = None if density is None else _densities(density, cells)
        return _from_responses(_counts(cells, mechanism, n_all), n_all, mechanism, known, cells.form)
    if not isinstance(mechanism, LaplacePerturbation):
        raise TypeError(
            "mechanism must be RandomizedResponse or LaplacePerturbation, got"
            f" {mechanism!r:.80} of type {type(mechanism).__name__}"
        )
    cells, n_all = _read(reports, mechanism, n_workers)
    _check_sums(cells, n_all, mechanism)
    if density is None:
        raise ValueError(
            "density must be given for LaplacePerturbation, got None: its reports do not show which cells"
            " were NULL"
        )
    return _from_sums(cells.matrix(), mechanism, _densities(density, cells), cells.form)


def _read(
    reports: Answers, mechanism: RandomizedResponse | LaplacePerturbation, n_workers: int | None
) -> tuple[Cells, int]:
    """The reports that are not NULL, and the number of workers."""
    is_rr = isinstance(mechanism, RandomizedResponse)
    try:
        expected = {"domain": mechanism.domain if is_rr else None, "integers": is_rr, "silent": True}
        cells = read_cells(reports, **expected)
    except (TypeError, ValueError) as error:
        raise type(error)(f"reports must be what the mechanism gave: {error}") from None
    n_rows = cells.shape[0]
    n_all = n_rows if n_workers is None else count("n_workers", n_workers)
    if n_all < n_rows:
        raise ValueError(f"n_workers must be at least {n_rows}, the rows of reports, got {n_workers}")
    return cells, n_all


def _check_sums(cells: Cells, n_all: int, mechanism: LaplacePerturbation) -> None:
    """Refuse reports that Laplace perturbation never draws, or hardly ever."""
    far = _LARGEST_NOISE * mechanism.scale
    can_be = (cells.answer >= mechanism.domain[0] - far) & (cells.answer <= mechanism.domain[-1] + far)
    if len(can_be) < n_all * cells.shape[1] or not can_be.all():
        wrong = "another number in " + cells.place(int(can_be.argmin())) if not can_be.all() else "NULL"
        raise ValueError(
            f"reports must be numbers, none NULL, within {_LARGEST_NOISE} scales of the domain; got {wrong}"
        )


def _densities(density: ArrayLike, cells: Cells) -> Array:
    n_tasks = cells.shape[1]
    given = numeric("density", cells.form.per_task("density", density))
    if given.shape not in ((), (n_tasks,)) or not ((given > 0) & (given <= 1)).all():
        raise ValueError(f"density must lie in (0, 1], one for all or each of {n_tasks}, got {density!r:.80}")
    return np.broadcast_to(given, n_tasks).astype(float)


def _counts(cells: Cells, mechanism: RandomizedResponse, n_workers: int) -> Array:
    """How often each symbol was reported for each task, NULL last; shape (n, size + 1)."""
    n_columns = len(mechanism.domain) + 1
    symbol = (cells.answer - mechanism.domain[0]).astype(np.intp)
    counted = np.bincount(cells.task * n_columns + symbol, minlength=cells.shape[1] * n_columns)
    counts = counted.reshape(-1, n_columns).astype(float)
    counts[:, -1] = n_workers - counts.sum(axis=1)
    return counts


def _from_responses(
    counts: Array, n_workers: int, mechanism: RandomizedResponse, known: Array | None, form: Form
) -> DecodedTruth:
    """Decode randomized response by inversion: shares of the reports are linear in shares of the symbols."""
    size, (other, kept) = len(mechanism.domain), _chances(mechanism)
    values, answered = np.array([*mechanism.domain, 0.0]), np.append(np.ones(size), 0.0)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # infinite variance at tiny epsilon
        pooled = counts.sum(axis=0) / counts.sum()
        law, converged = _most_likely_law(pooled, mechanism)
        shares = _inverted(counts / n_workers, mechanism)

        def variance(weights: Array, laws: Array) -> Array:
            """Variance of a weighted sum of the estimated shares, for tasks with the distributions `laws`."""
            reported = other + kept * laws
            spread: Array = (reported @ weights**2 - (reported @ weights) ** 2) / n_workers / kept**2
            return spread

        # Variances use the distribution of all tasks. Computed from a task's own counts, they would be small
        # where the estimate is small, and a mean weighted by their inverses would be too low.
        if known is None:
            noise = np.full(len(counts), variance(answered, law))
            density, deviation = _shrunk(shares @ answered, noise, np.zeros(len(counts)), 0.0, 1.0)
            density = np.clip(density, 1e-6, 1.0)
        else:
            density, deviation = known, np.zeros(len(known))
        least = np.fmax(density, deviation)  # reports cannot distinguish a smaller density from 0
        given = law * answered if law @ answered else answered
        given = given / given.sum()
        centre = given @ values
        weights = (values - centre) * answered
        laws = least[:, None] * given + (1 - least[:, None]) * (1 - answered)
        # Divide by the share of reports that are answers, up to a factor, and not by the density, so that the
        # randomness of their number cancels. The result is the reports' mean, stretched from the centre.
        expected = size * other + kept * least
        divisor = least * np.fmax(1 - counts[:, -1] / n_workers, 1 / n_workers) / expected
        estimate = centre + shares @ weights / divisor
        noise = variance(weights, laws) / (least * divisor)
        relative = (size * other / expected * deviation / least) ** 2
    return _result(estimate, noise, relative, density, converged, mechanism, form)


def _chances(mechanism: RandomizedResponse) -> tuple[float, float]:
    """Probability of each symbol other than the input, and by how much that of the input is larger."""
    other = exp(-mechanism.epsilon) / (1 + len(mechanism.domain) * exp(-mechanism.epsilon))
    return other, -expm1(-mechanism.epsilon) / (1 + len(mechanism.domain) * exp(-mechanism.epsilon))


def _inverted(shares: Array, mechanism: RandomizedResponse) -> Array:
    """Unbiased estimates of the inputs' shares from the outputs' shares; they may be below 0 by chance."""
    other, kept = _chances(mechanism)
    return (shares - other) / kept


def _from_sums(matrix: Array, mechanism: LaplacePerturbation, density: Array, form: Form) -> DecodedTruth:
    """Decode Laplace perturbation by moments: noise has mean 0, and the density gives the fill's part."""
    fills, law, n_workers = np.array(mechanism.domain, dtype=float), mechanism.fill_law, len(matrix)
    mean = law @ fills
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # for a tiny epsilon or density
        estimate = mean + (matrix.mean(axis=0) - mean) / density
        spread = matrix.var(axis=0, ddof=min(1, n_workers - 1))
        # At least the variance of noise and fill, which is known: a few reports can lie closer together.
        least = 2 * np.square(mechanism.scale) + (1 - density) * (law @ np.square(fills - mean))
        noise = np.fmax(spread, least) / n_workers / density**2
    return _result(estimate, noise, np.zeros(len(density)), density, True, mechanism, form)


def _result(
    estimate: Array,
    noise: Array,
    relative: Array,
    density: Array,
    converged: bool,
    mechanism: RandomizedResponse | LaplacePerturbation,
    form: Form,
) -> DecodedTruth:
    low, high = mechanism.domain[0], mechanism.domain[-1]
    truth, error = _shrunk(estimate, noise, relative, low - 0.5, high + 0.5)
    return DecodedTruth(
        truth=form.of_tasks(np.clip(truth, low, high), "truth"),
        error=form.of_tasks(error, "error"),
        unshrunk=form.of_tasks(estimate, "unshrunk"),
        noise=form.of_tasks(np.sqrt(noise), "noise"),
        density=form.of_tasks(density, "density"),
        converged=converged,
    )


def _shrunk(estimate: Array, noise: Array, relative: Array, low: float, high: float) -> tuple[Array, Array]:
    """Posterior means and standard deviations of the tasks' values, given noisy estimates of them.

    Values are assumed to be normal. A priori, their mean is normal around the middle of low..high with the
    standard deviation of a uniform distribution there; their standard deviation is uniform up to half the
    width, the largest possible. `noise` is the variance of an estimate about its value; `relative` adds that
    multiple of the values' own variance.
    """
    half = (high - low) / 2
    middle = low + half
    heard = noise < _MOST_NOISE * half**2
    offset = np.where(heard, estimate, middle) - middle
    noise = np.where(heard, noise, _MOST_NOISE * half**2)
    spreads = np.linspace(0.0, half, 201)[1:, None]  # 0 is left out, as noise may be 0 too
    weights = 1 / (noise + (1 + relative) * spreads**2)
    total = weights.sum(axis=1, keepdims=True) + 3 / half**2
    mean = (weights * offset).sum(axis=1, keepdims=True) / total
    misfit = (weights * (offset - mean) ** 2).sum(axis=1) + 3 * mean[:, 0] ** 2 / half**2
    log_chance = (np.log(weights).sum(axis=1) - np.log(total[:, 0]) - misfit) / 2
    chance = np.exp(log_chance - log_chance.max())
    chance /= chance.sum()
    pull = 1 - weights * spreads**2  # towards the common mean
    given = mean * pull + (1 - pull) * offset  # the posterior mean if the spread is known
    variance = chance @ (spreads**2 * pull + pull**2 / total + given**2) - (chance @ given) ** 2
    return middle + chance @ given, np.sqrt(np.maximum(variance, 0.0))


def _most_likely_law(shares: Array, mechanism: RandomizedResponse) -> tuple[Array, bool]:
    """Maximum-likelihood distribution of inputs, by inversion or else by EM, and whether EM converged."""
    inverted = _inverted(shares, mechanism)
    if (inverted >= 0).all():
        return inverted / inverted.sum(), True
    other, kept = _chances(mechanism)
    law = np.full(len(shares), 1 / len(shares))
    for _ in range(_MOST_STEPS):
        ratio = shares / (other + kept * law)
        slope = other * ratio.sum() + kept * ratio
        # As the log-likelihood is concave, it can rise by at most the largest slope minus 1 per report.
        if slope.max() <= 1 + 1e-5 * kept**2:
            return law, True
        law = law * slope
    return law, False
