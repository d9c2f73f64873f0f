"""Class ratios: private proportions of labels, and learning from them."""

from ldpbook._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
