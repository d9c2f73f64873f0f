"""Remedies: what to use instead, and how near it is to the best there can be."""

from ldpbook._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
