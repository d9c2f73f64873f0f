"""Remedies: what to use instead, and how close it comes to the best possible."""

from ldpbook._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
