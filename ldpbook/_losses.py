"""Distributions of privacy losses with few values, by the logarithms of their probabilities.

Standard library only.
"""

from collections.abc import Sequence
from math import exp, inf, log, log1p


def log_add(x: float, y: float) -> float:
    """Logarithm of the sum of two numbers, from their logarithms."""
    larger = max(x, y)
    return larger + log1p(exp(min(x, y) - larger)) if larger > -inf else -inf


def smallest_epsilon(logs: Sequence[float], delta: float) -> float:
    """Smallest epsilon at a delta, from the log probabilities of losses from the largest to its negative."""
    reached, missed, best = 0.0, -inf, 0.0
    # Probability of a loss at least this large, and the logarithm of its probability under the other row.
    for own, other in zip(logs, reversed(logs), strict=True):
        reached += exp(own)
        missed = log_add(missed, other)
        if reached > delta:
            best = max(best, log(reached - delta) - missed)
    return best
