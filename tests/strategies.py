"""Hypothesis strategies and references shared by the tests."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import quad


@st.composite
def answer_matrices(draw, max_side=8, domain=range(10)):
    """Answer matrices down to 1 x 1, with all-NULL columns but without all-NULL rows."""
    shape = draw(st.tuples(st.integers(1, max_side), st.integers(1, max_side)))
    matrix = draw(arrays(float, shape, elements=st.sampled_from([np.nan, *map(float, domain)])))
    columns = draw(arrays(int, shape[0], elements=st.integers(0, shape[1] - 1)))
    rows = np.arange(shape[0])
    matrix[rows, columns] = np.nan_to_num(matrix[rows, columns], nan=float(domain[0]))
    return matrix


def moment(a, b, i, j):
    """E[p^i (1-p)^j] for p from U(a, b), by quadrature."""
    peak = min(max(i / max(i + j, 1), a), b)
    return quad(lambda p: p**i * (1 - p) ** j, a, b, points=[peak])[0] / (b - a)
