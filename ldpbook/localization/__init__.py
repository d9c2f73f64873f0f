"""Localization: particles, their noise and their encryption."""

from ldpbook._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
