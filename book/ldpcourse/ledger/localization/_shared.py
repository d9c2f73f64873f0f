"""Helpers shared by the claims of several chapters."""

import numpy as np

from ldpbook._arrays import Array

XIANG = "xiang2017privacy"


def two_users() -> tuple[Array, Array, Array]:
    """Two users with three particles each, their log-weights, and the distance they measured."""
    particles = np.array([[[0.0, 0.0], [4.0, 0.0], [0.0, 9.0]], [[5.0, 0.0], [9.0, 0.0], [0.0, 3.0]]])
    log_weights = np.log([[0.5, 0.3, 0.2], [0.6, 0.3, 0.1]])
    return particles, log_weights, np.array([[np.nan, 5.0], [5.0, np.nan]])
