"""Class ratios: proportions of labels, private and learned from."""

from ldpbook._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
