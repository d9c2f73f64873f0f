"""Local differential privacy for crowdsourcing: the book's companion package.

A subpackage is a part of the book and carries its name; each public function says where the book derives
it. All of them can be imported from here. Importing the package loads nothing but this file, so that the
bounds, which need the standard library only, also run where numpy is not installed.
"""

from ldpbook._lazy import attach

__version__ = "0.1.0"

__getattr__, __dir__ = attach(__name__, __file__)
