"""Foundations: answers, truth inference, local privacy, randomness."""

from ldpbook._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
