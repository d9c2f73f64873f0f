"""Cost of the flips for a vote: error rates before and after."""

from collections.abc import Hashable, Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from tqdm import tqdm

from ldpbook._arrays import Array, Rng, generator, numeric
from ldpbook._crowd import Answers, Choices, Form, n_choices, read_cells, read_matrix
from ldpbook._validate import count, listed, non_negative, one_of
from ldpbook.categorical_answers.bounds import (
    two_layer_high,
    two_layer_low,
    two_layer_worker_epsilon,
)
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.categorical_answers.two_layer import TwoLayerFlip
from ldpbook.categorical_answers.voting import Votes
from ldpbook.mechanism import Mechanism, check_mechanisms

__all__ = ["error_rate_changes", "layers_at"]

_BLOCK_CELLS = 2**20  # cells of trials that vote together, so few that temporary arrays stay near the cache


def error_rate_changes(
    answers: Answers,
    truth: ArrayLike | pd.Series,
    mechanisms: Mapping[Any, Mechanism],
    *,
    choices: Choices,
    n_trials: int,
    rng: Rng = None,
    scored: NDArray[np.bool_] | None = None,
) -> pd.DataFrame:
    """Share of wrong truths elected after perturbation, minus the share before it.

    Votes are by majority voting (MV) and by truth discovery (TD), on the same perturbed answers. Ties are
    broken at random, independently in each trial; the error rate before perturbation is the mean over the
    same number of trials.

    Parameters
    ----------
    answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        A matrix, or one worker's row, with nan (None among labels) = NULL; a sparse array whose stored
        entries are the answers; or a tidy frame with columns worker, task, answer (or label). Each worker has
        at least one answer.
    truth : array_like or Series, shape (k,)
        Truth of each scored task. If the answers are a frame, a Series is matched with the tasks that its
        labels name.
    mechanisms : mapping to mechanism
        Mechanisms to compare, by name or any other label; each gets the answers as a matrix.
    choices : int or sequence
        Number s of choices, >= 2, if answers are 0..s-1; otherwise the labels of the choices.
    n_trials : int
        Independent perturbations by each mechanism, >= 1.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.
    scored : ndarray of bool, shape (n,), optional
        The k tasks whose truth is known; by default all of them, or those that the labels of `truth` name.

    Returns
    -------
    DataFrame
        Columns mechanism, vote, trial, error_rate, error_change; rates in 0..1.

    Raises
    ------
    ValueError
        If truths, tasks and choices do not fit together, or a scored task is left without any answer.

    Notes
    -----
    Source: Li et al. (2018), Section 7.1.2.
    Derived in: categorical-answers/trade-off

    Examples
    --------
    >>> from ldpbook import OneLayerFlip
    >>> flips = {"never": OneLayerFlip(700.0, 2), "nearly always": OneLayerFlip.with_probability(1 - 1e-9, 2)}
    >>> changes = error_rate_changes(np.ones((3, 4)), [1] * 4, flips, choices=2, n_trials=1, rng=0)
    >>> changes[changes.vote == "MV"].error_change.tolist()
    [0.0, 1.0]
    """
    matrix, form = read_matrix(answers, choices=choices)
    chosen = _scored_tasks(truth, scored, form, matrix.shape[1])
    known = _truth_codes(truth, form.labels, n_choices(choices))
    if known.shape != chosen.shape or known.size == 0:
        raise ValueError(f"truth must hold one value a scored task, at least one, got shape {known.shape}")
    count("n_trials", n_trials)
    check_mechanisms(mechanisms)
    draws = generator(rng)
    block = max(1, _BLOCK_CELLS // matrix.size)
    sizes = [min(block, n_trials - start) for start in range(0, n_trials, block)]

    def rates(mechanism: Mechanism | None) -> dict[str, Array]:
        """Error rate of each trial, by each vote."""
        wrong: dict[str, list[Array]] = {"MV": [], "TD": []}
        for size in sizes:
            stack = Form((size * len(matrix), matrix.shape[1]), labels=form.labels).answers(
                np.tile(matrix, (size, 1))
            )
            if mechanism is not None:
                stack = mechanism.perturb(stack, draws)
            cells = read_cells(stack, choices=choices, silent=True)
            votes = Votes.of(cells, len(matrix), n_choices(choices))
            for vote, max_iter in (("MV", 1), ("TD", 20)):
                elected, *_ = votes.elect(draws, max_iter=max_iter)
                estimate = elected.reshape(size, -1)[:, chosen]
                if np.isnan(estimate).any():
                    raise ValueError("answers must leave every scored task an answer, got one without")
                wrong[vote].append((estimate != known).mean(axis=1))
        return {vote: np.concatenate(parts) for vote, parts in wrong.items()}

    before = {vote: rate.mean() for vote, rate in rates(None).items()}
    rows = [
        pd.DataFrame({"mechanism": [name] * n_trials, "vote": vote, "trial": range(n_trials)}).assign(
            error_rate=rate, error_change=rate - before[vote]
        )
        for name, mechanism in tqdm(mechanisms.items(), unit="mechanism", disable=None, leave=False)
        for vote, rate in rates(mechanism).items()
    ]
    return pd.concat(rows, ignore_index=True)


def _scored_tasks(
    truth: ArrayLike | pd.Series, scored: NDArray[np.bool_] | None, form: Form, n_tasks: int
) -> NDArray[np.intp]:
    """Numbers of the tasks whose truth is known, in the order of the truths."""
    if form.tasks is not None and isinstance(truth, pd.Series):
        if scored is not None:
            raise ValueError("scored must be None where the labels of truth say which tasks are")
        places: NDArray[np.intp] = form.tasks.get_indexer(truth.index)
        if (places < 0).any() or not truth.index.is_unique:
            raise ValueError("truth must name tasks that have answers, each once")
        return places
    if scored is None:
        return np.arange(n_tasks)
    mask: list[Any] = listed("scored", scored)
    if not all(isinstance(value, bool | np.bool_) for value in mask):
        raise TypeError(f"scored must hold a bool for each task, got {scored!r:.80}")
    if len(mask) != n_tasks:
        raise ValueError(f"scored must hold a bool for each of {n_tasks} tasks, got {len(mask)}")
    return np.flatnonzero(mask)


def _truth_codes(truth: Any, labels: tuple[Hashable, ...] | None, s: int) -> Array:
    """Numbers of the true choices."""
    if labels is None:
        known = numeric("truth", truth)
        if not np.isin(known, range(s)).all():
            raise ValueError(f"truth must be integers in 0..{s - 1}, got {truth!r:.80}")
        return known
    number = {label: float(k) for k, label in enumerate(labels)}
    given: list[Any] = listed("truth", truth)
    strange = [label for label in given if not isinstance(label, Hashable) or label not in number]
    if strange:
        raise ValueError(f"truth must be in {list(labels)!r:.80}, got {strange[0]!r:.80}")
    return np.array([number[label] for label in given])


def layers_at(
    epsilon: float,
    choices: Choices,
    *,
    n_answers: int | None = None,
    unit: Literal["cell", "worker"] = "cell",
) -> dict[str, OneLayerFlip | TwoLayerFlip]:
    """One layer and two layers at the same epsilon.

    Parameters
    ----------
    epsilon : float
        Epsilon of one cell, finite and >= 0; with `unit` "worker", that of all answers of a user together.
    choices : int or sequence
        Number s of choices, >= 2, if answers are 0..s-1; otherwise the labels of the choices.
    n_answers : int, optional
        Number of answers of a user, >= 1. If None, two layers draw from U(0, b) with the printed epsilon,
        that of a user with one answer. If given, they draw from U(a, 1 - 1/s) with the exact epsilon of that
        many answers. With the unit "worker" they draw from U(0, b), b < 1 - 1/s, if even U(0, 1 - 1/s) is
        more private than wanted.
    unit : {"cell", "worker"}
        What epsilon protects: one answer among those of a user, or all of them, which requires `n_answers`.

    Returns
    -------
    dict
        The mechanisms "one layer" and "two layers".

    Raises
    ------
    ValueError
        If two layers cannot have that epsilon.

    Notes
    -----
    Source: Li et al. (2018), Theorem 6.4 and Section 7.2.
    Derived in: categorical-answers/trade-off

    Examples
    --------
    >>> layers = layers_at(0.5, 2, n_answers=108)
    >>> round(layers["one layer"].exact_epsilon, 6), round(layers["two layers"].epsilon_of(108), 6)
    (0.5, 0.5)
    >>> layers = layers_at(54, 2, n_answers=108, unit="worker")
    >>> one, two = layers["one layer"], layers["two layers"]
    >>> round(one.exact_epsilon * 108, 6), round(two.worker_epsilon_of(108), 6)
    (54.0, 54.0)
    """
    one_of("unit", unit, ("cell", "worker"))
    s = n_choices(choices)
    of_one = wanted = non_negative("epsilon", epsilon)
    if unit == "worker":
        if n_answers is None:
            raise TypeError("n_answers must be given where epsilon is that of the worker")
        of_one = wanted / count("n_answers", n_answers)
        low, high = _widest(wanted, s, n_answers)
    elif n_answers is None:
        low, high = 0.0, two_layer_high(wanted, s)
    else:
        high = 1 - 1 / s
        low = two_layer_low(wanted, s, high=high, n_answers=n_answers)
    return {
        "one layer": OneLayerFlip(of_one, choices),
        "two layers": TwoLayerFlip(low, high, choices),
    }


def _widest(epsilon: float, s: int, k: int) -> tuple[float, float]:
    """Ends of the widest interval up to 1 - 1/s with which k answers together have that epsilon."""

    def excess(low: float, high: float) -> float:
        return two_layer_worker_epsilon(low, high, s, k) - epsilon

    top = 1 - 1 / s
    if excess(top, top) >= 0:  # no other interval of floats is closer to no loss
        return top, top
    if excess(0, top) > 0:
        return brentq(excess, 0, top, args=(top,), xtol=1e-15), top
    least = 5e-324  # the least float above 0: the search is by orders of magnitude
    if excess(0, least) < 0:
        raise ValueError(f"epsilon must be attainable with n_choices = {s}, n_answers = {k}, got {epsilon}")
    return 0.0, np.exp(brentq(lambda x: excess(0, np.exp(x)), np.log(least), np.log(top), xtol=1e-15))
