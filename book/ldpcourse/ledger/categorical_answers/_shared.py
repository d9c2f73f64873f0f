"""Helpers shared by the claims of several chapters."""

from ldpbook import datasets
from ldpbook._arrays import Array
from ldpbook.foundations.answers import to_matrix

LI = "li2018twolayer"


def bluebirds() -> tuple[Array, Array]:
    crowd = datasets.load_bluebirds()
    return to_matrix(crowd.answers), crowd.truth.sort_index().to_numpy(dtype=float)
