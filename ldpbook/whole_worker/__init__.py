"""The whole worker: what a guarantee for a cell means for a person, and what it costs to protect her."""

from ldpbook._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
