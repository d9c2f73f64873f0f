"""Answers to exercises that ask for a simulation."""

import math


def estimated(trials):
    """Mean of independent trials and its standard error."""
    return trials.mean(), trials.std(ddof=1) / len(trials) ** 0.5


def no_pairs(right):
    """Wrong forms of an answer to any simulation."""
    value, error = right
    return [
        ((value, 0.0), "independent trials"),
        ((value, error / 2), "independent trials"),
        ((value, 2 * error), "independent trials"),
        ((value, -error), "independent trials"),
        ((value + 9 * error, error), "four standard errors"),
        ((value, math.nan), "pair"),
        ((math.nan, error), "pair"),
        ((value, math.inf), "pair"),
        (value, "pair"),
        ((value,), "pair"),
        ((value, error, 0.0), "pair"),
        ((str(value), str(error)), "pair"),
        ("ab", "pair"),
        ({value, error}, "pair"),
        ((True, error), "pair"),
        (None, "pair"),
    ]
