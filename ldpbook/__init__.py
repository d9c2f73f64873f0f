"""Local differential privacy for crowdsourcing: protect the answers of a crowd, and decode them.

Here are the names that a user starts with. Everything else is imported from its part, a subpackage with the
name of a part of the book. Each public function says where the book derives it. Importing the package loads
only this file and `ldpbook._lazy`: the bounds of a part need the standard library only, so they also run
where numpy is not installed.
"""

from ldpbook._lazy import attach

__version__ = "0.1.0"

__getattr__, __dir__ = attach(__name__, __file__)
