"""Local privacy in practice: exact releases, audits, crowds of any size, and surveys."""

from ldpbook._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
