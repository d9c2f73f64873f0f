"""Crowds and labelled data: simulated, shipped or fetched."""

from ldpbook._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
