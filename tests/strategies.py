"""Hypothesis strategies shared by the tests."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays


@st.composite
def answer_matrices(draw, max_side=8, domain=range(10)):
    """Answer matrices down to 1 x 1, all-NULL columns included, no all-NULL row."""
    shape = draw(st.tuples(st.integers(1, max_side), st.integers(1, max_side)))
    matrix = draw(arrays(float, shape, elements=st.sampled_from([np.nan, *map(float, domain)])))
    columns = draw(arrays(int, shape[0], elements=st.integers(0, shape[1] - 1)))
    rows = np.arange(shape[0])
    matrix[rows, columns] = np.nan_to_num(matrix[rows, columns], nan=float(domain[0]))
    return matrix
