"""Categorical answers: votes under one and two layers of flips."""

from ldpbook._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
