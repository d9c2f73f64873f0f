"""Sparse answers: Laplace perturbation, randomized response, matrix factorization."""

from ldpbook._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
