"""What whole rows cost, in formulas; standard library only."""

from ldpbook._validate import count, privacy

__all__ = ["row_epsilon"]


def row_epsilon(
    *, n_answers: int, n_tasks: int, epsilon: float, epsilon_to_null: float, epsilon_from_null: float
) -> float:
    r"""Exact epsilon of a row whose cells are randomized one by one, if nobody knows which are answered.

    Neighbours are any two rows of one worker with at most k answers each, to any of the n tasks. With the
    largest loss c between two answers, a of an answer against NULL and b of NULL against an answer

    .. math:: \max_t\;tc+\text{the best of the other cells}

    over the number t of tasks that both rows answer; :math:`k(a+b)` if :math:`2k\le n`.

    Parameters
    ----------
    n_answers : int
        Most answers k of one worker, >= 1.
    n_tasks : int
        Number n of tasks, at least `n_answers`.
    epsilon : float
        Largest loss c between two answers, >= 0 or infinite.
    epsilon_to_null, epsilon_from_null : float
        Largest log ratio a of an output's chances given an answer and given NULL, and b the other way
        around, >= 0 or infinite. With both 0, NULL apart, c alone counts: k c.

    Returns
    -------
    float
        Epsilon of the worker.

    Notes
    -----
    Derived in: whole-worker/worker-epsilon

    Examples
    --------
    Randomized response loses 1 between any two symbols.

    >>> one = {"epsilon": 1.0, "epsilon_to_null": 1.0, "epsilon_from_null": 1.0}
    >>> [row_epsilon(n_answers=k, n_tasks=100, **one) for k in (20, 60)]
    [40.0, 100.0]
    """
    k, n = count("n_answers", n_answers), count("n_tasks", n_tasks)
    if n < k:
        raise ValueError(f"n_tasks must be at least n_answers = {k}, got {n}")
    c = privacy("epsilon", epsilon)
    less, more = sorted(
        (privacy("epsilon_to_null", epsilon_to_null), privacy("epsilon_from_null", epsilon_from_null))
    )

    def loss(both: int) -> float:
        """With so many tasks that both rows answer; what one of them answers, the other leaves, or not."""
        one = k - both
        other = min(one, n - k)
        return sum(size * each for size, each in ((both, c), (one, more), (other, less)) if size)

    return max(loss(both) for both in {0, max(0, 2 * k - n), k})
