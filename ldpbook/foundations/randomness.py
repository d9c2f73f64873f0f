"""Means over trials, and how far they may be off."""

import pandas as pd

from ldpbook._validate import listed

__all__ = [
    "mean_and_error",
]


def mean_and_error(values: pd.DataFrame, by: list[str], column: str = "mae_change") -> pd.DataFrame:
    """Mean and standard error of a column within groups.

    Parameters
    ----------
    values : DataFrame
        One row per trial.
    by : list of str
        Columns that name the groups.
    column : str
        The column to average.

    Returns
    -------
    DataFrame
        The columns `by`, mean and error; error is nan for a single trial.

    Notes
    -----
    Derived in: foundations/randomness

    Examples
    --------
    >>> trials = pd.DataFrame({"mechanism": ["LP", "LP"], "mae_change": [1.0, 3.0]})
    >>> mean_and_error(trials, ["mechanism"])
      mechanism  mean  error
    0        LP   2.0    1.0
    """
    if not isinstance(values, pd.DataFrame):
        raise TypeError(f"values must be a DataFrame, got {type(values).__name__}")
    groups = listed("by", by)
    if not groups:
        raise ValueError(f"by must name a column or more, got {by!r:.80}")
    for argument, names in ("by", groups), ("column", [column]):
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"{argument} must name columns, got {name!r:.80}")
            if name not in values:
                raise ValueError(f"{argument} must name columns of {list(values)!r:.80}, got {name!r}")
    if not pd.api.types.is_numeric_dtype(values[column]):
        raise TypeError(f"column must name a column of numbers, got {column!r}")
    grouped = values.groupby(groups, sort=False)[column]
    return grouped.agg(mean="mean", error="sem").reset_index()
