"""In practice: from a proof to a release, audits that bite, crowds of any size, a survey that cannot spy."""

from ldpbook._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
