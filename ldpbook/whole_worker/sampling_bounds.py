"""Information about a truth from designs that protect a whole row.

Standard library only.
"""

from functools import lru_cache
from math import ceil, exp, expm1, floor, log1p, pi, sinh, sqrt

from ldpbook._validate import (
    count,
    fraction,
    positive,
)

__all__ = [
    "asked_information",
    "mixed_information",
    "own_information",
    "questions_to_ask",
    "row_information_limit",
]


def questions_to_ask(*, n_tasks: int, epsilon: float, density: float) -> int:
    """Best number of tasks, drawn at random, to ask a worker about: the one with the most information.

    Her budget is divided evenly among the questions. Each is a threshold response asked at the truth, and
    the information is that about each task's truth.

    Parameters
    ----------
    n_tasks : int
        Number n of tasks.
    epsilon : float
        Privacy budget of the worker, > 0.
    density : float
        Probability that a cell holds an answer, in (0, 1].

    Returns
    -------
    int
        Number of questions, 1 to n; the smaller one if two are equally good.

    Notes
    -----
    Derived in: whole-worker/sampling-questions

    Examples
    --------
    >>> [questions_to_ask(n_tasks=200, epsilon=epsilon, density=0.1) for epsilon in (1.0, 6.0, 20.0)]
    [1, 1, 4]
    """
    most, budget, s = count("n_tasks", n_tasks), positive("epsilon", epsilon), fraction("density", density)
    ideal = min(budget / _even_budget(s), float(most))
    around = sorted({max(1, floor(ideal)), min(most, ceil(ideal)) or 1})
    return max(around, key=lambda q: (sqrt(q) * _told(budget / q, s), -q))


def asked_information(
    *, n_tasks: int, epsilon: float, density: float, sigma: float, n_questions: int | None = None
) -> float:
    """Information from one worker about the truth of each task, if she is asked about tasks drawn at random.

    Guarantees epsilon-LDP for her whole row. Each question is a threshold response at the truth with an equal
    part of the budget. With as many questions as tasks, the budget is split among all tasks.

    Parameters
    ----------
    n_tasks : int
        Number n of tasks.
    epsilon : float
        Privacy budget of the worker, > 0.
    density : float
        Probability that a cell holds an answer, in (0, 1].
    sigma : float
        Standard deviation of the answers' normal errors, > 0, in answer units.
    n_questions : int, optional
        Number of tasks that she is asked about, at most n; by default the best.

    Returns
    -------
    float
        Fisher information about one truth in the reports of one worker, per squared answer unit.

    Notes
    -----
    Derived in: whole-worker/sampling-questions

    Examples
    --------
    >>> crowd = {"n_tasks": 200, "epsilon": 1.0, "density": 0.1, "sigma": 1.0}
    >>> one, all_of_them = (asked_information(**crowd, n_questions=q) for q in (1, 200))
    >>> round(one / all_of_them, 1)
    344.7
    """
    if n_questions is None:
        n_questions = questions_to_ask(n_tasks=n_tasks, epsilon=epsilon, density=density)
    asked, budget, s = (
        count("n_questions", n_questions),
        positive("epsilon", epsilon),
        fraction("density", density),
    )
    if asked > count("n_tasks", n_tasks):
        raise ValueError(f"n_questions must be at most n_tasks, {n_tasks}, got {n_questions!r}")
    return _per_square(sqrt(asked / n_tasks * 2 / pi) * _told(budget / asked, s), sigma)


def own_information(*, n_tasks: int, epsilon: float, density: float, sigma: float) -> float:
    """Information from one worker about the truth of each task, by unary encoding of one of her answers.

    Guarantees epsilon-LDP for her whole row. Cells are answered independently. The answer is drawn from all
    that she has, without padding, and the threshold lies at the truth.

    Parameters
    ----------
    n_tasks, epsilon, density, sigma
        As in :func:`asked_information`.

    Returns
    -------
    float
        As in :func:`asked_information`, with each truth estimated from its own part of the report.

    Notes
    -----
    Derived in: whole-worker/sampling-questions

    Examples
    --------
    >>> round(1e6 * own_information(n_tasks=200, epsilon=1.0, density=0.1, sigma=1.0), 3)
    2.158
    """
    n, other = count("n_tasks", n_tasks), exp(-positive("epsilon", epsilon))
    s = fraction("density", density)
    chance = (-expm1(n * log1p(-s)) if s < 1 else 1.0) / n  # probability that this task's answer is drawn
    told = -expm1(-epsilon) * chance
    return _per_square(told / sqrt(pi * (4 * other + chance * expm1(-epsilon) ** 2)), sigma)


def mixed_information(
    *, n_tasks: int, epsilon: float, density: float, sigma: float, n_groups: int = 1
) -> float:
    """Information from one worker about the truth of each task, by signs of random mixtures of her answers.

    Guarantees epsilon-LDP for her whole row. Cells are answered independently, and thresholds lie at the
    truths.

    Parameters
    ----------
    n_tasks, epsilon, density, sigma
        As in :func:`asked_information`.
    n_groups : int
        Number of groups of tasks, at most n, drawn at random and as equal in size as possible. Each has a
        mixture of its own, with an equal part of the budget.

    Returns
    -------
    float
        As in :func:`asked_information`.

    Notes
    -----
    Derived in: whole-worker/sampling-questions

    Examples
    --------
    >>> round(1e6 * mixed_information(n_tasks=200, epsilon=1.0, density=0.1, sigma=1.0), 3)
    42.785
    """
    n, groups, s = count("n_tasks", n_tasks), count("n_groups", n_groups), fraction("density", density)
    if groups > n:
        raise ValueError(f"n_groups must be at most n_tasks, {n_tasks}, got {n_groups!r}")
    budget = positive("epsilon", epsilon) / groups
    size, larger = divmod(n, groups)
    share = larger * (size + 1) / n  # of the tasks that are in larger groups
    sway = sqrt(share * _sway(size + 1, s) ** 2 + (1 - share) * _sway(size, s) ** 2)
    return _per_square(-expm1(-budget) / (1 + exp(-budget)) * s * sway * sqrt(2 / pi), sigma)


def row_information_limit(*, n_tasks: int, epsilon: float, density: float, sigma: float) -> float:
    """Upper bound on the information per task in a worker's report, if her whole row is protected.

    It holds for every epsilon-LDP report of a row whose cells are independent, if each is answered with the
    same probability and answers are normal around the truth. It also holds for rounded answers.

    Parameters
    ----------
    n_tasks, epsilon, density, sigma
        As in :func:`asked_information`.

    Returns
    -------
    float
        Upper bound on the mean over tasks of the Fisher information, per squared answer unit.

    Notes
    -----
    Derived in: whole-worker/sampling-questions

    Examples
    --------
    >>> round(1e6 * row_information_limit(n_tasks=200, epsilon=1.0, density=0.1, sigma=1.0), 2)
    86.43
    """
    n, budget, s = count("n_tasks", n_tasks), positive("epsilon", epsilon), fraction("density", density)
    spread = 2 / pi * s * sinh(budget / 2) ** 2 if budget < 700 else 2 * budget
    return _per_square(sqrt(min(spread, 2 * budget, n * s) / n), sigma)


def _told(budget: float, s: float) -> float:
    """Square root of the information in one threshold response at the truth times sigma^2 pi / 2."""
    other = exp(-budget)
    kept = -expm1(-budget)
    return s * kept / sqrt((1 + 2 * other) * (2 * other + s * kept))


def _elasticity(budget: float, s: float) -> float:
    """Percentage by which the information in `_told` grows if the budget grows by one per cent."""
    other = exp(-budget)
    parts = 3 * other / (1 + 2 * other) + 2 * other / (2 * other + s * -expm1(-budget))
    return budget / -expm1(-budget) * parts


@lru_cache
def _even_budget(s: float) -> float:
    """Budget of a question at which its information grows by the same percentage as the budget."""
    low, high = 0.0, 2000.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _elasticity(middle, s) > 1 else (low, middle)
    return low


@lru_cache
def _sway(n: int, s: float) -> float:
    """Mean of a random mixture's sign times one answer's term in it.

    Each of the other n - 1 cells holds an answer with probability s. The mean is the hypergeometric
    function F(1 - n, 1/2; 2; 2 s), computed by the trapezoidal rule over log odds.
    """
    step, total = 0.25, 0.0
    for k in range(round((-log1p(n * s) - 80) / step), round(60 / step)):
        x, rest = 1 / (1 + exp(-k * step)), 1 / (1 + exp(k * step))
        y = 2 * s * x
        power = exp((n - 1) * log1p(-y)) if y < 0.5 else (1 - y) ** (n - 1)
        total += rest * sqrt(rest * x) * power
    return 2 / pi * step * total


def _per_square(root: float, sigma: float) -> float:
    """Square of a root that is for answers with standard deviation 1, rescaled to `sigma`."""
    scaled = root / positive("sigma", sigma)
    return scaled * scaled
